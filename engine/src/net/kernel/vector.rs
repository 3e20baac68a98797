//! The evaluation in vector registers (x86-64 with AVX2).
//!
//! The sums of eight registers of the first layer stay in registers while the vectors of all pits are added; those of
//! four registers of the second while all pairs of units are multiplied in.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::{LANES, LEAD_FACTOR, Lanes, PITS, Tables, WIDE_LANES, Wide};
use crate::net::{COUNTS, MAX_LAYER, softmax};
use crate::position::Position;

/// Registers of the first layer that are summed up together.
const BLOCK: usize = 8;
/// Registers of the second layer that are summed up together.
const HIDDEN_BLOCK: usize = 4;

/// Whether the processor can; never with the feature `portable`.
#[inline]
pub(super) fn available() -> bool {
    !cfg!(feature = "portable") && std::arch::is_x86_feature_detected!("avx2")
}

/// The expected result. The caller has asked [`available`].
#[inline]
pub(super) fn value(tables: &Tables, position: &Position) -> f32 {
    // SAFETY: `available` was asked, so the processor has AVX2.
    unsafe { value_in(tables, position) }
}

/// The logits. The caller has asked [`available`].
pub(super) fn logits(tables: &Tables, position: &Position) -> [f32; 4] {
    // SAFETY: `available` was asked, so the processor has AVX2.
    unsafe { logits_in(tables, position) }
}

#[target_feature(enable = "avx2")]
fn value_in(tables: &Tables, position: &Position) -> f32 {
    softmax::expected(logits_in(tables, position))
}

/// Room for the units of the first layer, of which only those of the network are written and read.
type Units = [MaybeUninit<Lanes>; MAX_LAYER / LANES];

#[inline]
#[target_feature(enable = "avx2")]
fn logits_in(tables: &Tables, position: &Position) -> [f32; 4] {
    let mut room: Units = [const { MaybeUninit::uninit() }; MAX_LAYER / LANES];
    let rows = rows(tables, position);
    let rows = &rows[..2 * position.width()];
    let lead = _mm256_set1_epi16(position.lead() as i16 * LEAD_FACTOR);
    let mut at = 0;
    while at + BLOCK <= tables.first {
        first_layer::<BLOCK>(tables, rows, lead, at, &mut room);
        at += BLOCK;
    }
    while at < tables.first {
        first_layer::<1>(tables, rows, lead, at, &mut room);
        at += 1;
    }
    let units = &room[..tables.first];
    // SAFETY: the units of the network, all of them, have been written, and bytes in pairs of 16 bits are numbers.
    let pairs = unsafe { std::slice::from_raw_parts(units.as_ptr().cast::<i32>(), units.len() * LANES / 2) };
    let mut results = [_mm256_setzero_ps(); 3];
    let mut at = 0;
    while at + HIDDEN_BLOCK <= tables.second {
        hidden_layer::<HIDDEN_BLOCK>(tables, pairs, at, &mut results);
        at += HIDDEN_BLOCK;
    }
    while at < tables.second {
        hidden_layer::<1>(tables, pairs, at, &mut results);
        at += 1;
    }
    let [win, draw, loss] = results;
    let sums = _mm256_hadd_ps(_mm256_hadd_ps(win, draw), _mm256_hadd_ps(loss, _mm256_setzero_ps()));
    let sums = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
    let mut logits = [0.0; 4];
    // SAFETY: four numbers are there to be read, and to be written.
    unsafe {
        _mm_storeu_ps(logits.as_mut_ptr(), _mm_add_ps(sums, _mm_loadu_ps(tables.output_bias.as_ptr())));
    }
    logits
}

/// For each pit the place of its vector in `tables.input`; whatever the tables hold, a whole vector is there.
#[inline]
#[target_feature(enable = "avx2")]
fn rows(tables: &Tables, position: &Position) -> [u32; PITS] {
    let last = tables.input.len().checked_sub(tables.first).expect("there is a vector");
    let last = _mm256_set1_epi32(i32::try_from(last).expect("the sizes of a network are bounded"));
    let length = _mm256_set1_epi32(tables.first as i32);
    let most = _mm256_set1_epi32(COUNTS as i32 - 1);
    let pits = tables.pits[position.to_move().index()].as_chunks::<WIDE_LANES>().0;
    let mut rows = [0; PITS];
    let places = rows.as_chunks_mut::<WIDE_LANES>().0;
    for ((seeds, pits), places) in position.board().words().into_iter().zip(pits).zip(places) {
        let seeds = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(seeds as i64));
        let counts = _mm256_mullo_epi32(_mm256_min_epu32(seeds, most), length);
        // SAFETY: eight numbers are there to be read, and eight to be written.
        unsafe {
            let pits = _mm256_loadu_si256(pits.as_ptr().cast());
            let place = _mm256_min_epu32(_mm256_add_epi32(pits, counts), last);
            _mm256_storeu_si256(places.as_mut_ptr().cast(), place);
        }
    }
    rows
}

/// Sums and clips `N` registers of the first layer from `at` on.
#[inline]
#[target_feature(enable = "avx2")]
fn first_layer<const N: usize>(
    tables: &Tables,
    rows: &[u32],
    lead: __m256i,
    at: usize,
    units: &mut Units,
) {
    assert!(at + N <= tables.first);
    let mut sums = [_mm256_setzero_si256(); N];
    for (sum, weights) in sums.iter_mut().zip(&tables.lead[at..][..N]) {
        *sum = _mm256_mulhrs_epi16(lead, load(weights));
    }
    for &row in rows {
        let row = row as usize + at;
        debug_assert!(row + N <= tables.input.len());
        // SAFETY: `row - at` is at most `tables.input.len() - tables.first` (see `rows`), and `at + N` at most
        // `tables.first`.
        let row = unsafe { tables.input.get_unchecked(row..row + N) };
        for (sum, numbers) in sums.iter_mut().zip(row) {
            *sum = _mm256_add_epi16(*sum, load(numbers));
        }
    }
    let to = units[at..][..N].iter_mut().zip(&tables.steps[at..][..N]);
    for (sum, (unit, steps)) in sums.into_iter().zip(to) {
        let clipped = _mm256_min_epi16(_mm256_max_epi16(sum, _mm256_setzero_si256()), load(steps));
        // SAFETY: thirty-two aligned bytes are there to be written.
        unsafe { _mm256_store_si256(unit.as_mut_ptr().cast(), clipped) }
    }
}

/// Sums and clips `N` registers of the second layer from `at` on, and adds what they add to the results.
#[inline]
#[target_feature(enable = "avx2")]
fn hidden_layer<const N: usize>(tables: &Tables, pairs: &[i32], at: usize, results: &mut [__m256; 3]) {
    let mut sums = [_mm256_setzero_si256(); N];
    for (sum, bias) in sums.iter_mut().zip(&tables.hidden_bias[at..][..N]) {
        *sum = load_wide(bias);
    }
    for (&pair, row) in pairs.iter().zip(tables.hidden.chunks_exact(tables.second)) {
        let pair = _mm256_set1_epi32(pair);
        for (sum, weights) in sums.iter_mut().zip(&row[at..][..N]) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, load(weights)));
        }
    }
    let numbers = tables.step[at..][..N].iter().zip(tables.output[3 * at..][..3 * N].as_chunks::<3>().0);
    for (sum, (step, weights)) in sums.into_iter().zip(numbers) {
        let unit = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), load_float(step));
        let unit = _mm256_min_ps(_mm256_max_ps(unit, _mm256_setzero_ps()), _mm256_set1_ps(1.0));
        for (result, weights) in results.iter_mut().zip(weights) {
            *result = _mm256_add_ps(*result, _mm256_mul_ps(unit, load_float(weights)));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> __m256i {
    // SAFETY: thirty-two aligned bytes are there to be read.
    unsafe { _mm256_load_si256(std::ptr::from_ref(lanes).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_wide(lanes: &Wide<i32>) -> __m256i {
    // SAFETY: thirty-two aligned bytes are there to be read.
    unsafe { _mm256_load_si256(std::ptr::from_ref(lanes).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_float(lanes: &Wide<f32>) -> __m256 {
    // SAFETY: thirty-two aligned bytes are there to be read.
    unsafe { _mm256_load_ps(std::ptr::from_ref(lanes).cast()) }
}
