//! What makes a position a problem: the piles, and how much there is to choose, to give up and to play.

use super::Goal;
use crate::endgame::tablebase::{MoveWorth, Threshold};
use crate::position::Position;
use crate::rules::{Move, Variant};

/// Least plies of a solution: less is no line.
pub(super) const LEAST_PLIES: usize = 3;
/// Least legal moves in a problem.
pub(super) const LEAST_MOVES: usize = 3;
/// Seeds that the tempting capture takes more than the key, at least: less tempts nobody.
pub(super) const LEAST_GIVEN_UP: u8 = 2;

/// The least lead with which a move reaches the goal.
pub(super) fn threshold(of: &MoveWorth, goal: Goal) -> Threshold {
    match goal {
        Goal::Win => of.thresholds.win,
        Goal::Draw => of.thresholds.draw,
    }
}

/// The piles of a problem, the solver's first: those of a whole game, the lead the least with which the key alone reaches the
/// goal. `None` where there are none such.
pub(super) fn piles(board: &Position, moves: &[MoveWorth], key: Move, goal: Goal) -> Option<[i32; 2]> {
    let of = |each: &MoveWorth| threshold(each, goal);
    let from = of(moves.iter().find(|each| each.mv == key)?);
    let next = moves.iter().filter(|each| each.mv != key).map(of).min()?;
    let win = match goal {
        Goal::Win => Threshold::Never,
        Goal::Draw => moves.iter().map(|each| each.thresholds.win).min()?,
    };
    let in_piles = game_seeds(board.width()).checked_sub(board.board().seeds())? as i32;
    let lead = lead(from, next.min(win), in_piles)?;
    Some([(in_piles + lead) / 2, (in_piles - lead) / 2])
}

/// All seeds of the game on rows of so many pits that a problem is taken to come from: the recorded variant with the fewest,
/// four a pit where none is recorded.
fn game_seeds(width: usize) -> u32 {
    let recorded = Variant::RECORDED.iter().find(|variant| variant.width() == width);
    (2 * width * recorded.map_or(4, |variant| variant.seeds())) as u32
}

/// The lead of a problem: of the leads from which on the key keeps the value and at which no other move does or more than
/// that is to be had (`below`), the least, where `in_piles` seeds in all can be divided so; the one next to zero where
/// there is no least.
fn lead(from: Threshold, below: Threshold, in_piles: i32) -> Option<i32> {
    let fits = |lead: &i32| (in_piles - lead).rem_euclid(2) == 0 && lead.abs() <= in_piles;
    let alone = |lead: &i32| from.is_reached_by(*lead) && !below.is_reached_by(*lead);
    match (from, below) {
        (Threshold::Lead(least), _) => (least..=least + 1).find(|lead| fits(lead) && alone(lead)),
        (Threshold::Always, Threshold::Lead(least)) => {
            let most = (least - 1).min(0);
            (most - 1..=most).rev().find(|lead| fits(lead) && alone(lead))
        }
        (Threshold::Always, _) | (Threshold::Never, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_is_the_least_that_the_piles_allow() {
        use Threshold::{Always, Lead, Never};
        assert_eq!(lead(Lead(3), Never, 21), Some(3));
        assert_eq!(lead(Lead(3), Never, 20), Some(4));
        // With a lead of 4 another move wins as well.
        assert_eq!(lead(Lead(3), Lead(4), 20), None);
        assert_eq!(lead(Lead(-5), Lead(-3), 20), Some(-4));
        assert_eq!(lead(Lead(7), Never, 5), None);
        assert_eq!(lead(Lead(-9), Never, 5), None);
        assert_eq!(lead(Always, Lead(-3), 21), Some(-5));
        assert_eq!(lead(Always, Lead(9), 20), Some(0));
        assert_eq!(lead(Never, Never, 20), None);
    }
}
