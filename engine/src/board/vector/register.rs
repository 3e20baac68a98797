//! One register of sixteen bytes, and all the instructions used on it.

use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_add_epi64, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cvtsi32_si128,
    _mm_cvtsi128_si32, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128,
    _mm_sad_epu8, _mm_set1_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_storeu_si128, _mm_unpackhi_epi64,
    _pdep_u32,
};

use crate::rules::MAX_PITS;

/// Sixteen bytes of a table, aligned as a register is loaded.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Lanes(pub(super) [u8; 16]);

impl Lanes {
    /// What a shuffle reads as "no lane": the result is 0.
    pub(super) const NONE: Lanes = Lanes([0x80; 16]);
    pub(super) const ZERO: Lanes = Lanes([0; 16]);

    #[inline(always)]
    fn get(&self) -> __m128i {
        // SAFETY: sixteen bytes are there to be read, and SSE2 is part of x86-64.
        unsafe { _mm_loadu_si128(self.0.as_ptr().cast()) }
    }
}

/// Sixteen lanes of a byte.
#[derive(Clone, Copy)]
pub(super) struct Register(__m128i);

// What comes after SSE2, which is part of x86-64, are the shuffle and the deposit of bits. Both are methods of a
// register or a ring of them, and one of those cannot be come by where the processor has not got them.
impl Register {
    /// # Safety
    /// The processor has AVX2 and BMI2.
    #[inline(always)]
    pub(super) unsafe fn load(bytes: &[u8; 16]) -> Register {
        // SAFETY: sixteen bytes are there to be read.
        Register(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    pub(super) fn store(self, bytes: &mut [u8; 16]) {
        // SAFETY: sixteen bytes are there to be written.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), self.0) }
    }

    /// A register that holds four bytes and twelve zeros.
    #[inline(always)]
    pub(super) fn of(self, bytes: u32) -> Register {
        // SAFETY: SSE2.
        Register(unsafe { _mm_cvtsi32_si128(bytes as i32) })
    }

    #[inline(always)]
    pub(super) fn zero(self) -> Register {
        // SAFETY: SSE2.
        Register(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    pub(super) fn low_bytes(self) -> u32 {
        // SAFETY: SSE2.
        unsafe { _mm_cvtsi128_si32(self.0) as u32 }
    }

    #[inline(always)]
    pub(super) fn words(self) -> [u64; 2] {
        // SAFETY: SSE2.
        let words =
            unsafe { [_mm_cvtsi128_si64(self.0), _mm_cvtsi128_si64(_mm_unpackhi_epi64(self.0, self.0))] };
        words.map(|word| word as u64)
    }

    /// Each lane is what the lane of the number in `by` was.
    #[inline(always)]
    pub(super) fn shuffled(self, by: &Lanes) -> Register {
        // SAFETY: there is a register, so the processor has AVX2 and thereby SSSE3.
        Register(unsafe { _mm_shuffle_epi8(self.0, by.get()) })
    }

    #[inline(always)]
    pub(super) fn plus(self, lanes: &Lanes) -> Register {
        // SAFETY: SSE2.
        Register(unsafe { _mm_add_epi8(self.0, lanes.get()) })
    }

    #[inline(always)]
    pub(super) fn or(self, other: Register) -> Register {
        // SAFETY: SSE2.
        Register(unsafe { _mm_or_si128(self.0, other.0) })
    }

    /// The lanes that have all the bits that they have in `bits`, filled; the others 0.
    #[inline(always)]
    pub(super) fn having(self, bits: &Lanes) -> Register {
        // SAFETY: SSE2.
        Register(unsafe { _mm_cmpeq_epi8(_mm_and_si128(self.0, bits.get()), bits.get()) })
    }

    /// What is left without the lanes that `taken` fills, and the sum of those as two numbers.
    #[inline(always)]
    pub(super) fn without(self, taken: Register) -> (Register, Sums) {
        // SAFETY: SSE2.
        unsafe {
            let sums = _mm_sad_epu8(_mm_and_si128(self.0, taken.0), _mm_setzero_si128());
            (Register(_mm_andnot_si128(taken.0, self.0)), Sums(sums))
        }
    }

    /// A bit for each lane that is 0.
    #[inline(always)]
    pub(super) fn empty(self) -> u32 {
        // SAFETY: SSE2.
        unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) as u32 }
    }

    /// A bit for each lane that is 2 or more.
    #[inline(always)]
    pub(super) fn at_least_two(self) -> u32 {
        at_least_two(self.0)
    }

    /// A bit for each lane that is as in `other`.
    #[inline(always)]
    pub(super) fn equal(self, other: Register) -> u32 {
        // SAFETY: SSE2.
        unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, other.0)) as u32 }
    }

    /// The place of the `n`-th lowest bit that is set, from 0.
    #[inline(always)]
    pub(super) fn nth_bit(self, bits: u32, n: u32) -> usize {
        // SAFETY: there is a register, so the processor has BMI2.
        unsafe { _pdep_u32(1 << n, bits) }.trailing_zeros() as usize
    }
}

/// Two numbers to be added up.
#[derive(Clone, Copy)]
pub(super) struct Sums(__m128i);

impl Sums {
    #[inline(always)]
    pub(super) fn plus(self, other: Sums) -> Sums {
        // SAFETY: SSE2.
        Sums(unsafe { _mm_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    pub(super) fn total(self) -> u32 {
        // SAFETY: SSE2.
        let halves =
            unsafe { [_mm_cvtsi128_si32(self.0), _mm_cvtsi128_si32(_mm_unpackhi_epi64(self.0, self.0))] };
        (halves[0] + halves[1]) as u32
    }
}

#[inline(always)]
fn at_least_two(lanes: __m128i) -> u32 {
    // SAFETY: SSE2.
    unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(lanes, _mm_set1_epi8(2)), lanes)) as u32 }
}

/// The pits with at least two seeds, one bit a pit. Needs no more than every x86-64 processor has.
#[inline]
pub(super) fn sowable(pits: &[u8; MAX_PITS]) -> u32 {
    let (sixteen, last) = pits.split_first_chunk::<16>().expect("twenty are more than sixteen");
    let last = i32::from_le_bytes(last.try_into().expect("four of the twenty are left"));
    // SAFETY: SSE2; sixteen bytes are there to be read. As a board is written, so it is read: a read across what two
    // instructions wrote would have to wait for both.
    let [low, high] = unsafe { [_mm_loadu_si128(sixteen.as_ptr().cast()), _mm_cvtsi32_si128(last)] };
    at_least_two(low) | at_least_two(high) << 16
}

/// A bit for each byte that is 1. Needs no more than every x86-64 processor has.
#[inline(always)]
pub(super) fn ones(bytes: &[u8; 64]) -> u64 {
    let bits = |from: usize| {
        let bytes: &[u8; 16] = bytes[from..].first_chunk().expect("asked for within the bytes");
        // SAFETY: SSE2; sixteen bytes are there to be read.
        let bits = unsafe {
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(bytes.as_ptr().cast()), _mm_set1_epi8(1)))
        };
        (bits as u64) << from
    };
    bits(0) | bits(16) | bits(32) | bits(48)
}
