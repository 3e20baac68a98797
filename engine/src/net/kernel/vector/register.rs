//! Thirty-two numbers of 16 bits, or sixteen of 32, in one register or two, and all the instructions used on them.

use std::arch::x86_64::{
    __m128, __m256, __m256i, __m512, __m512i, _mm_add_ps, _mm_loadu_ps, _mm_storeu_ps, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_ps, _mm256_castpd_ps, _mm256_castps256_ps128, _mm256_cvtepi32_ps,
    _mm256_extractf128_ps, _mm256_hadd_ps, _mm256_load_ps, _mm256_load_si256, _mm256_madd_epi16,
    _mm256_max_epi16, _mm256_max_ps, _mm256_min_epi16, _mm256_min_ps, _mm256_mul_ps, _mm256_mulhrs_epi16,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_store_si256, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_ps, _mm512_castps_pd,
    _mm512_castps512_ps256, _mm512_cvtepi32_ps, _mm512_extractf64x4_pd, _mm512_load_ps, _mm512_load_si512,
    _mm512_madd_epi16, _mm512_max_epi16, _mm512_max_ps, _mm512_min_epi16, _mm512_min_ps, _mm512_mul_ps,
    _mm512_mulhrs_epi16, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_setzero_si512, _mm512_store_si512,
};
use std::mem::MaybeUninit;

use crate::net::kernel::{Lanes, Wide};

/// The registers of a processor. Every function of every implementation is inlined into one that has the processor's
/// features; elsewhere none may be called, which is why they are unsafe to call.
pub(super) trait Registers {
    /// Whole numbers, of 16 bits or 32.
    type Whole: Copy;
    /// Sixteen floats.
    type Float: Copy;

    unsafe fn load(lanes: &Lanes) -> Self::Whole;
    unsafe fn load_wide(lanes: &Wide<i32>) -> Self::Whole;
    unsafe fn load_float(lanes: &Wide<f32>) -> Self::Float;
    unsafe fn store(lanes: &mut MaybeUninit<Lanes>, numbers: Self::Whole);
    /// The same 16 bits in every lane.
    unsafe fn all(number: i16) -> Self::Whole;
    /// The same 32 bits in every lane.
    unsafe fn all_wide(number: i32) -> Self::Whole;
    unsafe fn no_float() -> Self::Float;
    /// Sums of 16 bits.
    unsafe fn add(a: Self::Whole, b: Self::Whole) -> Self::Whole;
    /// Sums of 32 bits.
    unsafe fn add_wide(a: Self::Whole, b: Self::Whole) -> Self::Whole;
    /// Products of fractions of 15 bits, rounded.
    unsafe fn fractions(a: Self::Whole, b: Self::Whole) -> Self::Whole;
    /// Products of 16 bits, those of every two lanes added up to 32.
    unsafe fn products(a: Self::Whole, b: Self::Whole) -> Self::Whole;
    /// Each number of 16 bits within 0 and `most`.
    unsafe fn clip(numbers: Self::Whole, most: Self::Whole) -> Self::Whole;
    /// The numbers of 32 bits times `step`, within 0 … 1.
    unsafe fn units(sums: Self::Whole, step: Self::Float) -> Self::Float;
    /// `sum + a · b`, each operation rounded.
    unsafe fn add_product(sum: Self::Float, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Upper and lower half added up.
    unsafe fn halved(numbers: Self::Float) -> __m256;
}

/// AVX2: two registers.
pub(super) struct Avx2;

/// AVX-512 with the instructions on 16 bits: one register.
pub(super) struct Avx512;

// SAFETY, for every block of the two implementations: by the trait's contract the processor has the instructions, and
// what is loaded or stored is behind a reference, of the register's size and aligned as it.

impl Registers for Avx2 {
    type Whole = [__m256i; 2];
    type Float = [__m256; 2];

    #[inline(always)]
    unsafe fn load(lanes: &Lanes) -> [__m256i; 2] {
        let at: *const __m256i = std::ptr::from_ref(lanes).cast();
        unsafe { [_mm256_load_si256(at), _mm256_load_si256(at.add(1))] }
    }

    #[inline(always)]
    unsafe fn load_wide(lanes: &Wide<i32>) -> [__m256i; 2] {
        let at: *const __m256i = std::ptr::from_ref(lanes).cast();
        unsafe { [_mm256_load_si256(at), _mm256_load_si256(at.add(1))] }
    }

    #[inline(always)]
    unsafe fn load_float(lanes: &Wide<f32>) -> [__m256; 2] {
        let at: *const f32 = std::ptr::from_ref(lanes).cast();
        unsafe { [_mm256_load_ps(at), _mm256_load_ps(at.add(8))] }
    }

    #[inline(always)]
    unsafe fn store(lanes: &mut MaybeUninit<Lanes>, [low, high]: [__m256i; 2]) {
        let at: *mut __m256i = lanes.as_mut_ptr().cast();
        unsafe {
            _mm256_store_si256(at, low);
            _mm256_store_si256(at.add(1), high);
        }
    }

    #[inline(always)]
    unsafe fn all(number: i16) -> [__m256i; 2] {
        unsafe { [_mm256_set1_epi16(number); 2] }
    }

    #[inline(always)]
    unsafe fn all_wide(number: i32) -> [__m256i; 2] {
        unsafe { [_mm256_set1_epi32(number); 2] }
    }

    #[inline(always)]
    unsafe fn no_float() -> [__m256; 2] {
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    unsafe fn add(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        unsafe { [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn add_wide(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        unsafe { [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn fractions(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        unsafe { [_mm256_mulhrs_epi16(a[0], b[0]), _mm256_mulhrs_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn products(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        unsafe { [_mm256_madd_epi16(a[0], b[0]), _mm256_madd_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn clip(numbers: [__m256i; 2], most: [__m256i; 2]) -> [__m256i; 2] {
        unsafe {
            let zero = _mm256_setzero_si256();
            [
                _mm256_min_epi16(_mm256_max_epi16(numbers[0], zero), most[0]),
                _mm256_min_epi16(_mm256_max_epi16(numbers[1], zero), most[1]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn units(sums: [__m256i; 2], step: [__m256; 2]) -> [__m256; 2] {
        unsafe {
            let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
            let low = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[0]), step[0]);
            let high = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[1]), step[1]);
            [_mm256_min_ps(_mm256_max_ps(low, zero), one), _mm256_min_ps(_mm256_max_ps(high, zero), one)]
        }
    }

    #[inline(always)]
    unsafe fn add_product(sum: [__m256; 2], a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        unsafe {
            [
                _mm256_add_ps(sum[0], _mm256_mul_ps(a[0], b[0])),
                _mm256_add_ps(sum[1], _mm256_mul_ps(a[1], b[1])),
            ]
        }
    }

    #[inline(always)]
    unsafe fn halved([low, high]: [__m256; 2]) -> __m256 {
        unsafe { _mm256_add_ps(low, high) }
    }
}

impl Registers for Avx512 {
    type Whole = __m512i;
    type Float = __m512;

    #[inline(always)]
    unsafe fn load(lanes: &Lanes) -> __m512i {
        unsafe { _mm512_load_si512(std::ptr::from_ref(lanes).cast()) }
    }

    #[inline(always)]
    unsafe fn load_wide(lanes: &Wide<i32>) -> __m512i {
        unsafe { _mm512_load_si512(std::ptr::from_ref(lanes).cast()) }
    }

    #[inline(always)]
    unsafe fn load_float(lanes: &Wide<f32>) -> __m512 {
        unsafe { _mm512_load_ps(std::ptr::from_ref(lanes).cast()) }
    }

    #[inline(always)]
    unsafe fn store(lanes: &mut MaybeUninit<Lanes>, numbers: __m512i) {
        unsafe { _mm512_store_si512(lanes.as_mut_ptr().cast(), numbers) }
    }

    #[inline(always)]
    unsafe fn all(number: i16) -> __m512i {
        unsafe { _mm512_set1_epi16(number) }
    }

    #[inline(always)]
    unsafe fn all_wide(number: i32) -> __m512i {
        unsafe { _mm512_set1_epi32(number) }
    }

    #[inline(always)]
    unsafe fn no_float() -> __m512 {
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn add_wide(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn fractions(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mulhrs_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn products(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn clip(numbers: __m512i, most: __m512i) -> __m512i {
        unsafe { _mm512_min_epi16(_mm512_max_epi16(numbers, _mm512_setzero_si512()), most) }
    }

    #[inline(always)]
    unsafe fn units(sums: __m512i, step: __m512) -> __m512 {
        unsafe {
            let numbers = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), step);
            _mm512_min_ps(_mm512_max_ps(numbers, _mm512_setzero_ps()), _mm512_set1_ps(1.0))
        }
    }

    #[inline(always)]
    unsafe fn add_product(sum: __m512, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(sum, _mm512_mul_ps(a, b)) }
    }

    #[inline(always)]
    unsafe fn halved(numbers: __m512) -> __m256 {
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(numbers)));
            _mm256_add_ps(_mm512_castps512_ps256(numbers), high)
        }
    }
}

/// The sum of each of three registers plus its number of `bias`, and the fourth number of `bias` as it is.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn totals([a, b, c]: [__m256; 3], bias: &[f32; 4]) -> [f32; 4] {
    let mut totals = [0.0; 4];
    // SAFETY: the processor has AVX2; four numbers are there to be read, and to be written.
    unsafe {
        let sums = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, _mm256_setzero_ps()));
        let sums: __m128 = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
        _mm_storeu_ps(totals.as_mut_ptr(), _mm_add_ps(sums, _mm_loadu_ps(bias.as_ptr())));
    }
    totals
}
