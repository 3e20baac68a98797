//! `greedy`: the move that captures most now, an extra move searched to its end; ties at random.

use std::collections::HashSet;
use std::sync::Arc;

use rand::seq::IndexedRandom;

use super::{Agent, Choice, Clock, Kind, Options, Recipe};
use crate::board::MoveKind;
use crate::game::Game;
use crate::position::Position;
use crate::rules::Move;

pub(super) static KIND: Kind = Kind {
    name: "greedy",
    summary: "the move that captures most now (an extra move is searched to its end), ties at random",
    keys: &[],
    examples: &["greedy"],
    parse: |text| {
        Options::parse("greedy", &[], text)?;
        Ok(Recipe { clocked: false, load: Arc::new(|_| Ok(Arc::new(|| Box::new(Greedy)))) })
    },
};

struct Greedy;

impl Agent for Greedy {
    fn choose(&mut self, game: &Game, rng: &mut dyn rand::Rng, _clock: &dyn Clock) -> Choice {
        let gains: Vec<_> =
            game.position().moves().into_iter().map(|mv| (mv, most_captured(game, mv))).collect();
        let most = gains.iter().map(|&(_, gain)| gain).max().expect("asked only while the game is played");
        let best: Vec<_> = gains.into_iter().filter(|&(_, gain)| gain == most).map(|(mv, _)| mv).collect();
        Choice::plain(*best.choose(rng).expect("some move gains most"))
    }
}

/// The most that the turn can capture after `mv`: its own capture, or the greatest one that extra moves lead to.
///
/// A capture ends the turn, so the question is which positions the extra moves reach, each looked at once. A position
/// that the game has met since its last capture is not walked through: meeting it again is a draw on the spot.
fn most_captured(game: &Game, mv: Move) -> u8 {
    let first = game.position().step(mv);
    let mut most = first.sowing.captured;
    if first.sowing.kind != MoveKind::Extra {
        return most;
    }
    let mut met: HashSet<Position> = game.recent().iter().copied().collect();
    let mut open = Vec::new();
    if met.insert(first.position) {
        open.push(first.position);
    }
    while let Some(position) = open.pop() {
        for mv in position.moves() {
            let step = position.step(mv);
            most = most.max(step.sowing.captured);
            if step.sowing.kind == MoveKind::Extra && met.insert(step.position) {
                open.push(step.position);
            }
        }
    }
    most
}
