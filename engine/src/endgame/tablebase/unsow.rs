//! Moves taken back: from which boards a board is reached by a move that captures nothing.
//!
//! A lap can be undone in one way only: from the pit where its last seed fell walk back, taking one seed from each pit,
//! until an empty one is met; there the lap began, with the seeds gathered. So the relays that end in a given pit, sown in
//! a given direction at last, form one line of laps, and each lap of it that begins in the right row is the first one of a
//! move. Undoing them costs a lap each, where sowing them all costs as many laps as each is long.

use crate::position::Position;
use crate::rules::{MAX_PITS, Player};

/// Tells of every move without capture after which the board is `pits` and the owner of its first row is to move: the
/// board before the move in the same frame, and whether the turn passed with it (so that it was the owner of the second
/// row who moved) or stayed (an extra move). Two moves from the same board are told twice. Forced passes are none.
#[inline]
pub(super) fn each_before(width: usize, pits: &[u8; MAX_PITS], mut tell: impl FnMut(&[u8; MAX_PITS], bool)) {
    let ring = 2 * width;
    // A move without capture ends in an empty pit, of the player who is to move after it: the opponent's for one who
    // hands the turn over, an own one for one who keeps it.
    for landing in (0..width).filter(|&pit| pits[pit] == 1) {
        for mut up in [true, false] {
            let mut before = *pits;
            let mut end = landing;
            // Whether all seeds so far fell in the first row.
            let mut inside = true;
            loop {
                let mut at = end;
                let mut seeds = 0;
                while before[at] > 0 {
                    before[at] -= 1;
                    seeds += 1;
                    at = if up {
                        if at == 0 { ring - 1 } else { at - 1 }
                    } else if at + 1 == ring {
                        0
                    } else {
                        at + 1
                    };
                }
                // One seed is no lap.
                if seeds < 2 {
                    break;
                }
                before[at] = seeds;
                inside &= at < width
                    && if up { at + usize::from(seeds) == end } else { end + usize::from(seeds) == at };
                if at >= width {
                    tell(&before, true);
                } else if inside {
                    tell(&before, false);
                }
                end = at;
                up = !up;
            }
        }
    }
}

/// Whether a row has a pit that may be sown.
#[inline]
pub(super) fn can_sow(row: &[u8]) -> bool {
    row.iter().any(|&seeds| seeds >= 2)
}

/// The position of a board: the pits of the player to move first, piles empty.
#[inline]
pub(super) fn position(width: usize, pits: &[u8; MAX_PITS]) -> Position {
    Position::of_pits(width, &pits[..2 * width], [0; 2], Player::North)
}
