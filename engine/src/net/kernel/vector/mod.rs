//! The evaluation in vector registers (x86-64 with AVX2, or with AVX-512).
//!
//! The sums of a block of the first layer stay in registers while the vectors of all pits are added, and those of a
//! block of the second while all pairs of units are multiplied in. Everything is generic over
//! [`Registers`](register::Registers) and inlined into the few functions that have the processor's features.

#![allow(unsafe_code)]

mod register;

use std::arch::x86_64::{
    _mm_cvtsi64_si128, _mm256_add_epi32, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_mullo_epi32, _mm256_set1_epi32, _mm256_storeu_si256,
};
use std::mem::MaybeUninit;

use super::{Kernel, LANES, LEAD_FACTOR, Lanes, PITS, Tables};
use crate::net::{COUNTS, MAX_LAYER, softmax};
use crate::position::Position;
use register::{Avx2, Avx512, Registers, totals};

/// Lanes of the first layer that are summed up together, eight registers of AVX2.
const BLOCK: usize = 4;
/// Lanes of the second layer that are summed up together, four registers of AVX2.
const HIDDEN_BLOCK: usize = 2;

/// Whether the processor has AVX2; never with the feature `portable`.
#[inline]
fn has_avx2() -> bool {
    !cfg!(feature = "portable") && std::arch::is_x86_feature_detected!("avx2")
}

/// Whether the processor has AVX-512 with the instructions on 16 bits; never with the feature `portable`.
#[inline]
fn has_avx512() -> bool {
    has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
}

/// The expected result, by a kernel or the next that the processor has; none where it has neither.
#[inline]
pub(super) fn value(kernel: Kernel, tables: &Tables, position: &Position) -> Option<f32> {
    // SAFETY: the processor was asked for what each of the functions needs.
    match kernel {
        Kernel::Avx512 if has_avx512() => Some(unsafe { value_avx512(tables, position) }),
        Kernel::Avx512 | Kernel::Avx2 if has_avx2() => Some(unsafe { value_avx2(tables, position) }),
        _ => None,
    }
}

/// The logits, likewise.
pub(super) fn logits(kernel: Kernel, tables: &Tables, position: &Position) -> Option<[f32; 4]> {
    // SAFETY: the processor was asked for what each of the functions needs.
    match kernel {
        Kernel::Avx512 if has_avx512() => Some(unsafe { logits_avx512(tables, position) }),
        Kernel::Avx512 | Kernel::Avx2 if has_avx2() => Some(unsafe { logits_avx2(tables, position) }),
        _ => None,
    }
}

#[target_feature(enable = "avx2")]
fn value_avx2(tables: &Tables, position: &Position) -> f32 {
    softmax::expected(logits_avx2(tables, position))
}

#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn value_avx512(tables: &Tables, position: &Position) -> f32 {
    softmax::expected(logits_avx512(tables, position))
}

#[inline]
#[target_feature(enable = "avx2")]
fn logits_avx2(tables: &Tables, position: &Position) -> [f32; 4] {
    // SAFETY: this function has the features.
    unsafe { logits_in::<Avx2>(tables, position) }
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn logits_avx512(tables: &Tables, position: &Position) -> [f32; 4] {
    // SAFETY: this function has the features.
    unsafe { logits_in::<Avx512>(tables, position) }
}

/// Room for the units of the first layer, of which only those of the network are written and read.
type Units = [MaybeUninit<Lanes>; MAX_LAYER / LANES];

/// # Safety
/// The processor has AVX2 and what `R` needs; so it is for all that follow.
#[inline(always)]
unsafe fn logits_in<R: Registers>(tables: &Tables, position: &Position) -> [f32; 4] {
    let mut units: Units = [const { MaybeUninit::uninit() }; MAX_LAYER / LANES];
    // SAFETY: by the contract, here and below.
    let rows = unsafe { rows(tables, position) };
    let rows = &rows[..2 * position.width()];
    let lead = unsafe { R::all(position.lead() as i16 * LEAD_FACTOR) };
    let mut at = 0;
    while at + BLOCK <= tables.first {
        unsafe { first_layer::<R, BLOCK>(tables, rows, lead, at, &mut units) };
        at += BLOCK;
    }
    while at < tables.first {
        unsafe { first_layer::<R, 1>(tables, rows, lead, at, &mut units) };
        at += 1;
    }
    let units = &units[..tables.first];
    // SAFETY: the units of the network, all of them, have been written, and two numbers of 16 bits are one of 32.
    let pairs = unsafe { std::slice::from_raw_parts(units.as_ptr().cast::<i32>(), units.len() * LANES / 2) };
    let mut results = unsafe { [R::no_float(); 3] };
    let mut at = 0;
    while at + HIDDEN_BLOCK <= tables.second {
        unsafe { hidden_layer::<R, HIDDEN_BLOCK>(tables, pairs, at, &mut results) };
        at += HIDDEN_BLOCK;
    }
    while at < tables.second {
        unsafe { hidden_layer::<R, 1>(tables, pairs, at, &mut results) };
        at += 1;
    }
    let [win, draw, loss] = results;
    unsafe { totals([R::halved(win), R::halved(draw), R::halved(loss)], &tables.output_bias) }
}

/// For each pit the place of its vector in `tables.input`; whatever the tables hold, a whole vector is there.
///
/// # Safety
/// See [`logits_in`].
#[inline(always)]
unsafe fn rows(tables: &Tables, position: &Position) -> [u32; PITS] {
    let last = tables.input.len().checked_sub(tables.first).expect("there is a vector");
    let last = i32::try_from(last).expect("the sizes of a network are bounded");
    let pits = tables.pits[position.to_move().index()].as_chunks::<8>().0;
    let mut rows = [0; PITS];
    let places = rows.as_chunks_mut::<8>().0;
    let seeds = position.board().words();
    for group in 0..PITS / 8 {
        // SAFETY: by the contract; eight numbers are there to be read, and eight to be written.
        unsafe {
            let seeds = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(seeds[group] as i64));
            let counts = _mm256_min_epu32(seeds, _mm256_set1_epi32(COUNTS as i32 - 1));
            let offsets = _mm256_mullo_epi32(counts, _mm256_set1_epi32(tables.first as i32));
            let place = _mm256_add_epi32(_mm256_loadu_si256(pits[group].as_ptr().cast()), offsets);
            let place = _mm256_min_epu32(place, _mm256_set1_epi32(last));
            _mm256_storeu_si256(places[group].as_mut_ptr().cast(), place);
        }
    }
    rows
}

/// Sums and clips `N` lanes of the first layer from `at` on.
///
/// # Safety
/// See [`logits_in`]; and each of `rows` is at most `tables.input.len() - tables.first`.
#[inline(always)]
unsafe fn first_layer<R: Registers, const N: usize>(
    tables: &Tables,
    rows: &[u32],
    lead: R::Whole,
    at: usize,
    units: &mut Units,
) {
    assert!(at + N <= tables.first);
    let weights = &tables.lead[at..][..N];
    // SAFETY: by the contract.
    let mut sums: [R::Whole; N] =
        std::array::from_fn(|number| unsafe { R::fractions(lead, R::load(&weights[number])) });
    for &row in rows {
        let row = row as usize + at;
        debug_assert!(row + N <= tables.input.len());
        // SAFETY: `row - at` is at most `tables.input.len() - tables.first`, and `at + N` at most `tables.first`.
        let row = unsafe { tables.input.get_unchecked(row..row + N) };
        for (sum, numbers) in sums.iter_mut().zip(row) {
            // SAFETY: by the contract.
            *sum = unsafe { R::add(*sum, R::load(numbers)) };
        }
    }
    let to = units[at..][..N].iter_mut().zip(&tables.steps[at..][..N]);
    for (sum, (units, steps)) in sums.into_iter().zip(to) {
        // SAFETY: by the contract.
        unsafe { R::store(units, R::clip(sum, R::load(steps))) };
    }
}

/// Sums and clips `N` lanes of the second layer from `at` on, and adds what they add to the results.
///
/// # Safety
/// See [`logits_in`].
#[inline(always)]
unsafe fn hidden_layer<R: Registers, const N: usize>(
    tables: &Tables,
    pairs: &[i32],
    at: usize,
    results: &mut [R::Float; 3],
) {
    let bias = &tables.hidden_bias[at..][..N];
    // SAFETY: by the contract, here and below.
    let mut sums: [R::Whole; N] = std::array::from_fn(|number| unsafe { R::load_wide(&bias[number]) });
    // Every second pair goes into sums of its own: an addition waits for the one before it.
    let mut others = [unsafe { R::all_wide(0) }; N];
    let rows = tables.hidden.chunks_exact(2 * tables.second);
    for (&[pair, other], rows) in pairs.as_chunks::<2>().0.iter().zip(rows) {
        let (pair, other) = unsafe { (R::all_wide(pair), R::all_wide(other)) };
        let (row, other_row) = rows.split_at(tables.second);
        for (sum, weights) in sums.iter_mut().zip(&row[at..][..N]) {
            *sum = unsafe { R::add_wide(*sum, R::products(pair, R::load(weights))) };
        }
        for (sum, weights) in others.iter_mut().zip(&other_row[at..][..N]) {
            *sum = unsafe { R::add_wide(*sum, R::products(other, R::load(weights))) };
        }
    }
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum = unsafe { R::add_wide(*sum, other) };
    }
    let numbers = tables.step[at..][..N].iter().zip(tables.output[3 * at..][..3 * N].as_chunks::<3>().0);
    for (sum, (step, weights)) in sums.into_iter().zip(numbers) {
        let units = unsafe { R::units(sum, R::load_float(step)) };
        for (result, weights) in results.iter_mut().zip(weights) {
            *result = unsafe { R::add_product(*result, units, R::load_float(weights)) };
        }
    }
}
