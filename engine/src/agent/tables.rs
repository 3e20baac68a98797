//! Endgame tables in the hands of agents that search (`tb=DIR`): where the game has come to a board of theirs, they decide.

use std::path::Path;
use std::sync::Arc;

use super::{Choice, Key, LoadError, Request};
use crate::endgame::tablebase::{Tablebase, Value};
use crate::game::Game;
use crate::rules::Move;

/// The key of specs.
pub(super) const KEY: Key =
    Key { name: "tb", summary: "folder of endgame tables to play by and to search with" };

/// Reads the tables of a folder, which have to be for boards with rows of `width` pits.
pub(super) fn load(path: &Path, width: usize) -> Result<Arc<Tablebase>, LoadError> {
    let tables = Tablebase::open(path)?;
    match tables.pits() {
        pits if pits == width => Ok(Arc::new(tables)),
        found => Err(LoadError::TablesWidth { path: path.to_owned(), found, wanted: width }),
    }
}

/// What a game is worth by the tables, and what to play; `None` where they do not have its position. Among several moves
/// that keep the value the one is taken that `weigh`, a search, thinks best.
pub(super) fn choose(
    tables: Option<&Arc<Tablebase>>,
    game: &Game,
    request: &mut Request<'_>,
    weigh: impl FnOnce(&mut Request<'_>) -> Vec<(Move, f32)>,
) -> Option<Choice> {
    let tables = tables?;
    let advice = tables.advise(game)?;
    let value = value(advice.value);
    if let [mv] = advice.moves[..] {
        let line = tables.line(game);
        let choice = Choice { mv, value: Some(value), depth: line.len() as u32, nodes: 1, line };
        request.tell(&choice);
        return Some(choice);
    }
    // What the search says on the way is not what is known.
    let observe = request.observe.take();
    let weights = weigh(request);
    request.observe = observe;
    let weight =
        |mv: &Move| weights.iter().find(|(weighed, _)| weighed == mv).map_or(-1.0, |(_, weight)| *weight);
    // Of equals the first.
    let best = advice.moves.iter().rev().max_by(|a, b| weight(a).total_cmp(&weight(b)));
    let mv = *best.expect("advice has a move");
    let choice =
        Choice { mv, value: Some(value), depth: 1, nodes: advice.moves.len() as u64, line: vec![mv] };
    request.tell(&choice);
    Some(choice)
}

/// What every legal move is worth by the tables; `None` where they do not have the position.
pub(super) fn weigh(tables: Option<&Arc<Tablebase>>, game: &Game) -> Option<Vec<(Move, f32)>> {
    let position = game.position();
    let moves = tables?.moves(position)?;
    let met = |after| game.recent().contains(after);
    let worth = moves.iter().map(|each| match each.thresholds.value(position.lead()) {
        // A position that occurred since the last capture; after one none does.
        _ if met(&each.step.position) => (each.mv, 0.0),
        found => (each.mv, value(found)),
    });
    Some(worth.collect())
}

/// A value as agents have them.
fn value(value: Value) -> f32 {
    match value {
        Value::Loss => -1.0,
        Value::Draw => 0.0,
        Value::Win => 1.0,
    }
}
