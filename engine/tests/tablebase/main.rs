//! Endgame tables, held to the records of an independent program, to plain play with its whole history, and to
//! themselves; their files and folders.

mod agents;
mod files;
mod golden;
mod play;
#[path = "../reference/mod.rs"]
mod reference;
mod resume;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use giuthi_engine::endgame::tablebase::{Index, Size, Tablebase, TablebaseError, build};
use giuthi_engine::{Position, Setup};
use tempfile::TempDir;

/// Builds tables on two threads.
fn built(dir: &Path, pits: usize, seeds: usize) -> Result<usize, TablebaseError> {
    build(dir, Size { pits, seeds }, NonZeroUsize::new(2).unwrap(), &AtomicBool::new(false), &|_| {})
}

/// Tables of a folder that is gone again.
fn tables(pits: usize, seeds: usize) -> Tablebase {
    let dir = TempDir::new().unwrap();
    assert_eq!(built(dir.path(), pits, seeds).unwrap(), seeds);
    Tablebase::open(dir.path()).unwrap()
}

/// A board as a position with piles: the pits of player 1, who is to move, first.
fn position(pits: &[u8], piles: [u32; 2]) -> Position {
    let pits: Vec<u32> = pits.iter().map(|&seeds| seeds.into()).collect();
    let (north, south) = pits.split_at(pits.len() / 2);
    let setup = Setup { north: north.to_vec(), south: south.to_vec(), piles, to_move: 1 };
    Position::try_from(&setup).unwrap()
}

/// Every board of so many seeds, with empty piles and player 1 to move.
fn boards(index: &Index, seeds: usize) -> impl Iterator<Item = Position> {
    let last = index.boards(seeds);
    (0..last).map(move |number| position(&index.board(seeds, number)[..2 * index.width()], [0, 0]))
}
