//! Positions as histories keep them, and bits by which it is told in most cases that one is not among them.

use super::ring::Ring;

/// The words of a framed ring, and in the last one's upper half who is to move.
pub(super) type Seen = [u64; 3];

#[inline(always)]
pub(super) fn seen<R: Ring>(ring: R, player: u32) -> Seen {
    let [low, middle, high] = ring.words();
    [low, middle, high | u64::from(player) << 32]
}

/// The two bits that stand for a position: where one of them is not set, the position has not been met.
#[inline(always)]
pub(super) fn bits_of([low, middle, high]: Seen) -> u64 {
    let mixed = (low ^ middle.rotate_left(29) ^ high.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    1 << (mixed >> 58) | 1 << (mixed >> 52 & 63)
}
