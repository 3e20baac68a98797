//! What to play by the tables in a game, with all that its history takes away.

use std::cmp::Reverse;

use super::table::{MoveWorth, Tablebase};
use super::value::Value;
use crate::board::MoveKind;
use crate::game::Game;
use crate::rules::Move;

/// What the tables say of the position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What the position is worth to the player to move. Where it is not [`certain`](Advice::is_certain), it is this or a
    /// draw.
    pub value: Value,
    /// Whether the value holds whatever has been played since the last capture.
    pub is_certain: bool,
    /// The moves that keep it, never none. Of a win and of a loss the best alone: one that makes progress, or one that
    /// is hardest to win against.
    pub moves: Vec<Move>,
}

/// Most plies of a line told.
const LONGEST: usize = 40;

impl Tablebase {
    /// What to play in a game; `None` where it is over, or the tables do not have its position.
    ///
    /// A player who plays so from a certain win wins, and never comes to less than a draw from one. Values are exact but
    /// for repetitions: a win is certain right after a capture (and at the start), and remains so while the winner plays
    /// by this advice; where the history holds positions nearer to the win than the present one, it is not, for they
    /// might have to be met again. A player who loses repeats if they can.
    #[must_use]
    pub fn advise(&self, game: &Game) -> Option<Advice> {
        if game.ending().is_some() {
            return None;
        }
        let position = game.position();
        let lead = position.lead();
        let value = self.value(position)?;
        let moves = self.moves(position)?;
        let met = game.recent();
        let repeats = |each: &&MoveWorth| {
            each.step.sowing.kind != MoveKind::Capture && met.contains(&each.step.position)
        };
        let worth = |each: &&MoveWorth, value| each.thresholds.value(lead) == value;
        // Whether the value after a move holds for the game.
        let holds = |each: &MoveWorth| match each.step.sowing.kind {
            MoveKind::Capture => true,
            _ => each.step.position.no_moves() || self.exact_after(&each.step.position, met) == Some(true),
        };
        let all = |moves: Vec<&MoveWorth>| moves.iter().map(|each| each.mv).collect::<Vec<Move>>();
        let advice = |value, is_certain, moves| Some(Advice { value, is_certain, moves });
        let player = position.to_move();
        if value == Value::Win {
            let winning: Vec<&MoveWorth> =
                moves.iter().filter(|each| worth(each, Value::Win) && !repeats(each)).collect();
            // Captures have no progress any more, and are first.
            let sure = winning.iter().filter(|each| holds(each));
            if let Some(best) = sure.min_by_key(|each| (each.progress(player), each.thresholds.win)) {
                return advice(Value::Win, true, vec![best.mv]);
            }
            // Where the other cannot repeat at once, what makes the most progress.
            let can_repeat = |each: &MoveWorth| {
                let after = &each.step.position;
                let mut found = false;
                after.each_step(|_, step| {
                    found |= after.to_move() != player
                        && step.sowing.kind != MoveKind::Capture
                        && (met.contains(&step.position) || step.position == *after);
                });
                found
            };
            if let Some(best) = winning.iter().min_by_key(|each| (can_repeat(each), each.progress(player))) {
                return advice(Value::Win, false, vec![best.mv]);
            }
        }
        if value == Value::Loss && !moves.iter().any(|each| repeats(&each)) {
            // What might meet the history first, then what lacks least for a draw, then what takes longest.
            let hardest = moves.iter().max_by_key(|each| {
                (!holds(each), Reverse(each.thresholds.draw), each.progress(player.opponent()))
            })?;
            return advice(Value::Loss, moves.iter().all(holds), vec![hardest.mv]);
        }
        let mut drawing: Vec<&MoveWorth> =
            moves.iter().filter(|each| repeats(each) || worth(each, Value::Draw)).collect();
        // What goes on, and lacks least for a win.
        drawing.sort_by_key(|each| (repeats(each), each.thresholds.win, each.thresholds.draw));
        advice(Value::Draw, true, all(drawing))
    }

    /// The moves that both players make by the tables from here on, 40 plies at most; none where the tables do not have
    /// the position.
    #[must_use]
    pub fn line(&self, game: &Game) -> Vec<Move> {
        let mut game = game.clone();
        let mut line = Vec::new();
        while line.len() < LONGEST
            && let Some(advice) = self.advise(&game)
        {
            let mv = advice.moves[0];
            line.push(mv);
            if game.play(mv).is_err() {
                break;
            }
        }
        line
    }
}
