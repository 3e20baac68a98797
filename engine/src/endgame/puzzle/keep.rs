//! Which moves keep what a player is after, with all that the history of a game gives and takes away.

use super::Goal;
use crate::board::MoveKind;
use crate::endgame::tablebase::{MoveWorth, Tablebase, Value};
use crate::game::Game;

/// The moves by which the player to move may still reach the goal, as the tables have them. None is left out that could:
/// where one alone is left it is an *only move*, and every other fails for certain. `None` where the tables do not have
/// the position.
///
/// A position that occurs again is a draw. So a win by the tables is none where the move repeats a position; and of moves
/// that the tables have as lost, only those fail a player who is to draw that repeat nothing and from which the winner's
/// way meets no position of the game ([`Tablebase::exact_after`]).
pub(super) fn keepers(tables: &Tablebase, game: &Game, goal: Goal) -> Option<Vec<MoveWorth>> {
    let position = game.position();
    let lead = position.lead();
    let met = game.recent();
    let mut moves = tables.moves(position)?;
    moves.retain(|each| {
        let captures = each.step.sowing.kind == MoveKind::Capture;
        let repeats = !captures && met.contains(&each.step.position);
        let value = each.thresholds.value(lead);
        match goal {
            Goal::Win => value == Value::Win && !repeats,
            Goal::Draw => {
                let after = &each.step.position;
                let certain = captures || after.no_moves() || tables.exact_after(after, met) == Some(true);
                value >= Value::Draw || repeats || !certain
            }
        }
    });
    Some(moves)
}
