//! Which problems are too much alike to stand in one book.

use super::Puzzle;
use crate::position::Position;
use crate::rules::{Move, Player};

/// Seeds by which two boards may differ and still be near-identical.
const NEAR: u32 = 2;

/// Whether two problems are too much alike, one of them mirrored or not, with player 0's seat or player 1's: their boards
/// are the same but for the places of at most two seeds, or the keys and the tempting captures are the same and do the
/// same.
#[must_use]
pub fn alike(a: &Puzzle, b: &Puzzle) -> bool {
    if a.position.width() != b.position.width() {
        return false;
    }
    let a = Pattern::of(a);
    let b = Pattern::of(b);
    [b.mirrored(), b].iter().any(|b| a.near(b) || a.key == b.key)
}

/// A problem as it tells from others, the solver as player 0.
struct Pattern {
    position: Position,
    /// Key, its laps, its capture; the temptation and its capture.
    key: (Move, u32, u8, Move, u8),
}

impl Pattern {
    fn of(puzzle: &Puzzle) -> Pattern {
        let width = puzzle.position.width();
        let swapped = puzzle.position.to_move() == Player::North;
        let turned = |mv: Move| if swapped { mv.swapped(width) } else { mv };
        Pattern {
            position: if swapped { puzzle.position.swapped() } else { puzzle.position },
            key: (
                turned(puzzle.mv),
                puzzle.laps,
                puzzle.captured,
                turned(puzzle.tempting),
                puzzle.tempting_captured,
            ),
        }
    }

    fn mirrored(&self) -> Pattern {
        let width = self.position.width();
        let (mv, laps, captured, tempting, most) = self.key;
        Pattern {
            position: self.position.mirrored(),
            key: (mv.mirrored(width), laps, captured, tempting.mirrored(width), most),
        }
    }

    fn near(&self, other: &Pattern) -> bool {
        let pits = self.position.board().pits().iter().zip(other.position.board().pits());
        let apart: u32 = pits.map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        apart <= 2 * NEAR
    }
}
