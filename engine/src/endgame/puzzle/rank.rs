//! How hard a problem is.

use super::Puzzle;
use crate::agent::NoClock;
use crate::game::Game;
use crate::position::Position;
use crate::rules::Move;
use crate::search::{Control, Limits, Material, Memory, alpha_beta};

/// The deepest iteration, in plies, of the search that looks for the key.
pub const DEEPEST: u32 = 8;
/// The most positions that it visits.
pub const MOST_NODES: u64 = 50_000;

/// From which depth on, in plies, a plain alpha-beta search (`ab:depth=8,nodes=50000` by the material count, every move to
/// the whole depth, without tables) finds a move: the least from which on every iteration answers it. `None` where the
/// last one does not.
#[must_use]
pub fn depth(position: &Position, mv: Move) -> Option<u32> {
    let limits = Limits { depth: Some(DEEPEST), nodes: Some(MOST_NODES), full_width: true, time: None };
    let mut since = None;
    let mut observe = |report: &crate::search::Report| {
        since = if report.line[0] == mv { since.or(Some(report.depth)) } else { None };
    };
    let game = Game::from_position(*position);
    alpha_beta(&game, &Material, &mut Memory::new(1), &limits, &Control::new(&NoClock), &mut observe);
    since
}

/// How hard a problem is, in points; the sum of
///
/// - 3 for each ply of [`Puzzle::depth`]: what a program must look ahead to see, a person must too. A key that is not
///   found counts as one found a ply beyond [`DEEPEST`];
/// - 1 for every two laps of the key: they have to be sown in the head, and where they end is not to be guessed;
/// - 1 for each seed that the tempting capture takes more than the key: what has to be given up;
/// - 1 for every two alternatives to the key;
/// - 2 for each only move of the solver behind the key: as often as that it can still go wrong.
#[must_use]
pub fn difficulty(puzzle: &Puzzle) -> u32 {
    let depth = puzzle.depth.unwrap_or(DEEPEST + 1);
    let given_up = u32::from(puzzle.tempting_captured.saturating_sub(puzzle.captured));
    3 * depth + puzzle.laps / 2 + given_up + puzzle.alternatives / 2 + 2 * puzzle.only_moves.saturating_sub(1)
}
