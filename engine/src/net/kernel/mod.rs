//! What an evaluation computes, twice: in vector registers and in plain Rust, with the same bits.

mod portable;
#[cfg(target_arch = "x86_64")]
mod vector;

use super::{COUNTS, softmax};
use crate::position::Position;
use crate::rules::Player;

/// A way of computing a quantised network. All come to the same bits; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// In registers of 64 bytes (x86-64 with AVX-512 F and BW). Falls back to [`Kernel::Avx2`] where the processor has
    /// none.
    Avx512,
    /// In registers of 32 bytes (x86-64 with AVX2). Falls back to [`Kernel::Portable`] where the processor has none, and
    /// where the feature `portable` is on.
    Avx2,
    /// Number by number.
    Portable,
}

impl Kernel {
    /// Every kernel, fastest first.
    pub const ALL: [Kernel; 3] = [Kernel::Avx512, Kernel::Avx2, Kernel::Portable];

    /// The one that is used.
    #[inline]
    #[must_use]
    pub const fn fastest() -> Kernel {
        if cfg!(feature = "portable") { Kernel::Portable } else { Kernel::Avx512 }
    }
}

/// Numbers of 16 bits that are laid out together.
pub(super) const LANES: usize = 32;
/// Numbers of 32 bits that are.
pub(super) const WIDE_LANES: usize = 16;
/// Pits, and as many that do not exist as fill three registers of eight numbers.
pub(super) const PITS: usize = 24;

/// Numbers of 16 bits, a register of 64 bytes or two of 32, aligned as they are loaded.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [i16; LANES]);

/// Numbers of 32 bits, likewise.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Wide<T>(pub(super) [T; WIDE_LANES]);

/// The numbers of a quantised network, lanes by lanes. Units beyond the network's are zero throughout.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Lanes of the first layer.
    pub(super) first: usize,
    /// Lanes of the second layer.
    pub(super) second: usize,
    /// `[player to move][pit]`: where the vectors of a pit's counts begin in `input`; 0 for pits that do not exist.
    pub(super) pits: [[u32; PITS]; 2],
    /// `[category][first]`: what a category adds to the sums of the first layer, the bias in those of the first pit.
    pub(super) input: Vec<Lanes>,
    /// `[first]`: see [`lead_term`].
    pub(super) lead: Vec<Lanes>,
    /// `[first]`: 1.0 in steps of the unit, where its sum is clipped.
    pub(super) steps: Vec<Lanes>,
    /// `[pair of units of the first layer][second]`, the two weights of each pair side by side.
    pub(super) hidden: Vec<Lanes>,
    /// `[second]`.
    pub(super) hidden_bias: Vec<Wide<i32>>,
    /// `[second]`: the size of a step of the sum.
    pub(super) step: Vec<Wide<f32>>,
    /// `[second][3]`: win, draw, loss.
    pub(super) output: Vec<Wide<f32>>,
    /// Win, draw, loss, and nothing.
    pub(super) output_bias: [f32; 4],
}

impl Tables {
    /// Tables of zeros for a network of so many units, for rows of `width` pits.
    pub(super) fn zero(width: usize, layers: [usize; 2]) -> Tables {
        let [first, second] = [layers[0].div_ceil(LANES), layers[1].div_ceil(WIDE_LANES)];
        let zero = Lanes([0; LANES]);
        let pits = Player::BOTH.map(|player| {
            let turned = |pit| (pit + player.first_pit(width)) % (2 * width) * COUNTS * first;
            std::array::from_fn(|pit| if pit < 2 * width { turned(pit) as u32 } else { 0 })
        });
        Tables {
            first,
            second,
            pits,
            input: vec![zero; 2 * width * COUNTS * first],
            lead: vec![zero; first],
            steps: vec![zero; first],
            hidden: vec![zero; first * LANES / 2 * second],
            hidden_bias: vec![Wide([0; WIDE_LANES]); second],
            step: vec![Wide([0.0; WIDE_LANES]); second],
            output: vec![Wide([0.0; WIDE_LANES]); second * 3],
            output_bias: [0.0; 4],
        }
    }
}

/// What the lead, −255 … 255, adds to a sum: `lead · weight / 256`, rounded. As the vector instruction has it that
/// multiplies fractions of 15 bits.
#[inline]
pub(super) const fn lead_term(lead: i16, weight: i16) -> i16 {
    ((lead as i32 * LEAD_FACTOR as i32 * weight as i32 + (1 << 14)) >> 15) as i16
}

/// What brings the lead to a fraction of 15 bits.
const LEAD_FACTOR: i16 = 128;

/// The expected result for the player to move, −1 … 1, of a position of rows as wide as the network's.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "one kernel is left"))]
pub(super) fn value(kernel: Kernel, tables: &Tables, position: &Position) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = vector::value(kernel, tables, position) {
        return value;
    }
    softmax::expected(portable::logits(tables, position))
}

/// Logits of win, draw and loss, and nothing, of a position of rows as wide as the network's.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "one kernel is left"))]
pub(super) fn logits(kernel: Kernel, tables: &Tables, position: &Position) -> [f32; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(logits) = vector::logits(kernel, tables, position) {
        return logits;
    }
    portable::logits(tables, position)
}
