//! Tables checked: every file by its checksum, every board by what its moves lead to.
//!
//! A board's thresholds have to be the least of its moves' ones. Those equations alone have other solutions as well, in
//! which wins lean on each other in a circle and are never reached. So the ranks are checked too: from a win of rank `r`
//! a move has to lead out of the layer or to the same threshold at a lower rank, and of the moves of one who loses every
//! one has to, with `r` as small as it can be. Ranks do not fall for ever: every win in such a table is reached. And where
//! nobody wins, the equations say that the other player has a move to where nobody does. So a table that passes is right,
//! whoever made it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::error::TablebaseError;
use super::file::layer_file;
use super::table::{MoveWorth, Tablebase};
use super::unsow::position;
use super::value::{Threshold, Thresholds};
use crate::position::Position;

/// Boards that a thread takes at a time.
const CHUNK: u64 = 1 << 13;

/// Reads and checks the tables of a folder; `observe` is told of boards as they are checked. Returns the tables; of
/// several faults the first is told, in the order of seeds and numbers.
///
/// # Errors
/// As of [`Tablebase::open`]; [`TablebaseError::Wrong`] where an entry does not follow from others.
pub fn verify(
    dir: &Path,
    stop: &AtomicBool,
    opened: impl FnOnce(&Tablebase),
    observe: &(dyn Fn(u64) + Sync),
) -> Result<Tablebase, TablebaseError> {
    let table = Tablebase::open(dir)?;
    opened(&table);
    for seeds in 0..=table.seeds() {
        let boards = table.index().boards(seeds);
        let wrong = (0..boards.div_ceil(CHUNK)).into_par_iter().find_map_first(|chunk| {
            if stop.load(Relaxed) {
                return None;
            }
            let numbers = chunk * CHUNK..((chunk + 1) * CHUNK).min(boards);
            observe(numbers.end - numbers.start);
            let mut pits = table.index().board(seeds, numbers.start);
            for _ in numbers {
                let position = position(table.pits(), &pits);
                if let Some((what, found, wanted)) = fault(&table, &position) {
                    let path = dir.join(layer_file(seeds));
                    let position = position.to_string();
                    return Some(TablebaseError::Wrong { path, position, what, found, wanted });
                }
                table.index().advance(&mut pits);
            }
            None
        });
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        if stop.load(Relaxed) {
            return Err(TablebaseError::Stopped { seeds });
        }
    }
    Ok(table)
}

/// What of a board's entry does not follow from its moves: what it is, what the table has, what follows.
fn fault(table: &Tablebase, position: &Position) -> Option<(&'static str, String, String)> {
    let found = table.entry(position).expect("the board is one of the table's");
    let wanted = follows(table, position);
    let threshold = |what, found: Threshold, wanted: Threshold| {
        (found != wanted).then(|| (what, found.to_string(), wanted.to_string()))
    };
    let rank = |what, found: u8, wanted: u32| {
        (u32::from(found) != wanted).then(|| (what, found.to_string(), wanted.to_string()))
    };
    let (thresholds, [win_rank, loss_rank]) = wanted;
    threshold("win_min_lead", found.thresholds.win, thresholds.win)
        .or_else(|| threshold("draw_min_lead", found.thresholds.draw, thresholds.draw))
        .or_else(|| rank("the rank of the win", found.win_rank, win_rank))
        .or_else(|| rank("the rank of the loss", found.loss_rank, loss_rank))
}

/// What a board's entry has to be by those that its moves lead to.
fn follows(table: &Tablebase, position: &Position) -> (Thresholds, [u32; 2]) {
    if position.no_moves() {
        let row = |player| position.board().row_seeds(player) as i32;
        let ahead = row(position.to_move()) - row(position.to_move().opponent());
        return (Thresholds { win: Threshold::Lead(1 - ahead), draw: Threshold::Lead(-ahead) }, [0, 0]);
    }
    let moves = table.moves(position).expect("the board is one of the table's");
    let win = moves.iter().map(|each| each.thresholds.win).min().expect("the game is not over");
    let draw = moves.iter().map(|each| each.thresholds.draw).min().expect("the game is not over");
    // One more than the rank of the best move; none where that leaves the layer.
    let [own, other] = [position.to_move(), position.to_move().opponent()];
    let steps =
        |each: &MoveWorth, winner| each.progress(winner).map_or(0, |progress| u32::from(progress.rank()) + 1);
    let winning = moves.iter().filter(|each| each.thresholds.win == win).map(|each| steps(each, own));
    let losing = moves.iter().filter(|each| each.thresholds.draw == draw).map(|each| steps(each, other));
    let ranks = [
        if win == Threshold::Never { None } else { winning.min() },
        if draw == Threshold::Always { None } else { losing.max() },
    ];
    (Thresholds { win, draw }, ranks.map(|rank| rank.unwrap_or(0)))
}
