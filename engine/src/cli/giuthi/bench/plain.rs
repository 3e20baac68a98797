//! The plain way, which the fast one is held against: seed by seed, with a set of the positions met.

use std::collections::HashSet;

use crate::board::{MoveKind, Sower};
use crate::game::Ending;
use crate::playout::{Finish, Stream};
use crate::position::Position;

/// A random game from a position without history, its moves drawn from a stream.
pub(super) fn play(start: &Position, mut stream: Stream) -> Finish {
    let mut position = *start;
    let mut met = HashSet::from([position]);
    let (mut plies, mut laps) = (0, 0);
    loop {
        let moves = position.moves();
        let mv = match moves.len() {
            0 => {
                let [south, north] = position.score().map(|score| score as i32);
                return Finish::ahead(south - north, plies, laps);
            }
            1 => moves[0],
            several => moves[stream.below(several as u32) as usize],
        };
        let step = position.step_by(Sower::Plain, mv);
        position = step.position;
        plies += 1;
        laps += u64::from(step.sowing.laps);
        match step.sowing.kind {
            MoveKind::Endless => return Finish::drawn(Ending::Endless, plies, laps),
            MoveKind::Capture => met.clear(),
            _ => {}
        }
        if !met.insert(position) {
            return Finish::drawn(Ending::Repetition, plies, laps);
        }
    }
}

/// Lines of exactly `depth` plies, at least one, each of them played, and the laps of their last plies. `met` holds
/// the positions of the line so far.
pub(super) fn lines(position: &Position, met: &mut HashSet<Position>, depth: u32) -> (u64, u64) {
    let (mut nodes, mut laps) = (0, 0);
    for mv in position.moves() {
        let step = position.step_by(Sower::Plain, mv);
        if depth == 1 {
            nodes += 1;
            laps += u64::from(step.sowing.laps);
        } else if step.sowing.kind != MoveKind::Endless && met.insert(step.position) {
            let below = lines(&step.position, met, depth - 1);
            met.remove(&step.position);
            nodes += below.0;
            laps += below.1;
        }
    }
    (nodes, laps)
}
