//! The vector sower: the whole ring in one or two registers (x86-64 with AVX2 and BMI2), a lap one addition and one
//! shuffle, a capture without a branch.
//!
//! While a relay runs, the ring is held *turned*: lane 0 is the pit to lift, and lane `k` the `k`-th pit in the
//! direction of the lap. Then what a lap adds depends on nothing but the number of seeds lifted, and so does the
//! shuffle that turns the ring to where the lap landed, looking the other way. From one lap to the next the chain is:
//! lane 0 to a general register, an address, a load from the first-level cache, the addition, the shuffle.
//!
//! Everything is generic over [`Ring`](ring::Ring) and inlined into the few functions that have the processor's
//! features, in which alone the compiler may use its instructions.

#![allow(unsafe_code)]

mod abreast;
mod games;
mod lines;
mod narrow;
mod register;
mod relay;
mod relays;
mod ring;
mod seen;
mod wide;

use super::{Board, Sowing};
use crate::perft::Tally;
use crate::playout::Deal;
use crate::position::Position;
use crate::rules::{Direction, MAX_PITS, Player};

pub(crate) use games::Histories;
pub(crate) use relays::SLOTS;

use lines::tally as tally_in;
use narrow::Narrow;
use ring::Ring;
use wide::Wide;

/// Whether the processor can; never with the feature `portable`.
#[inline]
pub(crate) fn available() -> bool {
    use std::arch::is_x86_feature_detected as has;
    !cfg!(feature = "portable")
        && has!("avx2")
        && has!("bmi1")
        && has!("bmi2")
        && has!("popcnt")
        && has!("lzcnt")
}

/// Calls a generic function for the ring of a board's width.
macro_rules! by_width {
    ($width:expr, $function:ident :: <_> ($($argument:expr),*)) => {
        match $width {
            5 => $function::<Narrow<5>>($($argument),*),
            6 => $function::<Narrow<6>>($($argument),*),
            7 => $function::<Narrow<7>>($($argument),*),
            8 => $function::<Narrow<8>>($($argument),*),
            9 => $function::<Wide<9>>($($argument),*),
            _ => $function::<Wide<10>>($($argument),*),
        }
    };
}

/// Sows a pit to the end of its relay, capture included. The caller has asked [`available`].
#[inline]
pub(super) fn sow(board: &mut Board, player: Player, pit: usize, direction: Direction) -> Sowing {
    // SAFETY: `available` was asked, so the processor has all that the function needs.
    unsafe { by_width!(board.width, sow_in::<_>(board, player, pit, direction)) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn sow_in<R: Ring>(board: &mut Board, player: Player, pit: usize, direction: Direction) -> Sowing {
    // SAFETY: this function has the features.
    let ring = unsafe { R::load(&board.pits) };
    relay::sow(ring, board, player, pit, direction)
}

/// Sows every move of a player who has one; tells of each its pit, its direction, the board after it and what it did, in
/// the order in which moves are generated. The caller has asked [`available`].
#[inline]
pub(super) fn sow_each(
    board: &Board,
    player: Player,
    visit: &mut impl FnMut(usize, Direction, &Board, Sowing),
) {
    // SAFETY: `available` was asked, so the processor has all that the function needs.
    unsafe { by_width!(board.width, sow_each_in::<_>(board, player, visit)) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn sow_each_in<R: Ring>(
    board: &Board,
    player: Player,
    visit: &mut impl FnMut(usize, Direction, &Board, Sowing),
) {
    // SAFETY: this function has the features.
    let ring = unsafe { R::load(&board.pits) };
    abreast::sow_each(ring, board, player, visit);
}

/// Plays the games of a deal, from boards with rows of so many pits. The caller has asked [`available`].
pub(crate) fn play_games(width: usize, deal: &mut impl Deal, histories: &mut Histories) {
    // SAFETY: `available` was asked, so the processor has all that the functions need.
    unsafe { by_width!(width, games_in::<_>(deal, histories)) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn games_in<R: Ring>(deal: &mut impl Deal, histories: &mut Histories) {
    // SAFETY: this function has the features.
    let load = |board: &Board| unsafe { R::load(&board.pits) };
    let nothing = Board::from_pits(R::WIDTH as usize, &[0; MAX_PITS][..2 * R::WIDTH as usize]);
    games::play::<R, _>(load, deal, histories, &nothing);
}

/// The tally of the lines of play of just `depth` plies, at least one, from the last of `recent`, the positions since
/// the last capture in a game that is not over. The caller has asked [`available`].
pub(crate) fn tally(recent: &[Position], depth: u32) -> Tally {
    let width = recent.last().expect("a game has a position").width();
    // SAFETY: `available` was asked, so the processor has all that the function needs.
    unsafe { by_width!(width, tally_in::<_>(recent, depth)) }
}

/// The pits with at least two seeds, one bit a pit.
#[inline]
pub(super) fn sowable(board: &Board) -> u32 {
    register::sowable(&board.pits)
}
