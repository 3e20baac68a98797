//! Tables read, and asked what positions are worth.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::build::Size;
use super::error::TablebaseError;
use super::file::{self, layer_file};
use super::index::Index;
use super::layer::{self, Layer};
use super::manifest::Manifest;
use super::value::{Threshold, Thresholds, Value};
use crate::board::{Board, MoveKind};
use crate::position::{Position, Step};
use crate::rules::{Move, Player};

/// Endgame tables in memory, four bytes a board: what every board of up to so many seeds is worth. To be shared by
/// threads and agents in an [`Arc`](std::sync::Arc); a probe costs some ten nanoseconds of reckoning and one or two places of memory.
#[derive(Debug)]
pub struct Tablebase {
    index: Index,
    layers: Vec<Layer>,
}

/// All that a table knows of a board, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the board is worth.
    pub thresholds: Thresholds,
    /// How near the player to move is to a win at the threshold: see [`Entry::progress`].
    pub win_rank: u8,
    /// How near the opponent is to theirs, at the first lead below the threshold of a draw.
    pub loss_rank: u8,
}

/// How far one player's win is off: less is nearer. Along play in which the winner always chooses what makes it least it
/// becomes less with every move of either side, until seeds are captured or the game is over; so no position occurs
/// twice. It compares positions between two captures only, with the same player as the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Progress {
    /// The least lead with which the winner wins.
    least_lead: i32,
    rank: u8,
}

impl Progress {
    /// The greatest number of moves that still lead to boards of the same least lead, where the winner plays by it.
    pub(super) const fn rank(self) -> u8 {
        self.rank
    }
}

impl Entry {
    /// How far the win of a player is off; `None` where they never win.
    #[must_use]
    pub const fn progress(&self, of_mover: bool) -> Option<Progress> {
        let (threshold, rank) = match of_mover {
            true => (self.thresholds.win, self.win_rank),
            false => (self.thresholds.draw.turned(), self.loss_rank),
        };
        match threshold {
            Threshold::Lead(least_lead) => Some(Progress { least_lead, rank }),
            _ => None,
        }
    }
}

/// What a move is worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveWorth {
    /// The move.
    pub mv: Move,
    /// What it does.
    pub step: Step,
    /// From which leads on, counted before the move, it wins and draws at least.
    pub thresholds: Thresholds,
    /// What the table has of the board after it; `None` after an endless relay.
    pub after: Option<Entry>,
}

impl MoveWorth {
    /// How far the win of a player is off after the move; `None` where they never win, and where the move captured
    /// seeds: then what was measured before has been reached.
    #[must_use]
    pub fn progress(&self, winner: Player) -> Option<Progress> {
        match self.step.sowing.kind {
            MoveKind::Capture => None,
            _ => self.after?.progress(winner == self.step.position.to_move()),
        }
    }
}

impl Tablebase {
    /// Reads the tables of a folder, each file by its checksum.
    ///
    /// # Errors
    /// Where files are missing, cut, damaged, foreign or of another version, or cannot be read.
    pub fn open(dir: &Path) -> Result<Tablebase, TablebaseError> {
        let manifest = Manifest::load(dir)?.ok_or_else(|| TablebaseError::Missing { dir: dir.to_owned() })?;
        let pits = manifest.pits;
        let layers: Result<Vec<Layer>, TablebaseError> = manifest
            .layers
            .par_iter()
            .map(|layer| {
                let path = dir.join(layer_file(layer.seeds));
                file::read(&path, (pits, layer.seeds, layer.boards), &layer.sha256, true)
            })
            .collect();
        Ok(Tablebase { index: Index::new(pits), layers: layers? })
    }

    /// Solves all boards of a size in memory, on the threads of the pool that this is called in: tables that no file
    /// holds.
    ///
    /// # Errors
    /// Where the boards are too many ([`TablebaseError::TooMany`]).
    pub fn solve(size: Size) -> Result<Tablebase, TablebaseError> {
        size.check()?;
        let index = Index::new(size.pits);
        let mut layers = Vec::new();
        for seeds in 0..=size.seeds {
            let layer = layer::solve(&index, seeds, &layers, &AtomicBool::new(false), &|_| {});
            layers.push(layer.map_err(|why| why.at(seeds))?);
        }
        Ok(Tablebase { index, layers })
    }

    /// Pits in a row of its boards.
    #[must_use]
    pub const fn pits(&self) -> usize {
        self.index.width()
    }

    /// Most seeds on a board that it knows.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.layers.len() - 1
    }

    /// Boards that it knows.
    #[must_use]
    pub fn boards(&self) -> u64 {
        self.layers.iter().map(|layer| layer.thresholds.len() as u64).sum()
    }

    /// What a board is worth to `player`, to move, whatever the piles; `None` where the table does not have it. A
    /// position that occurs again is a draw, and the values are those of a game in which no position has been met yet
    /// that could: they are exact at the start of a game and after a capture. Later, a win may turn out to be only a draw,
    /// and a loss too, but a draw remains a draw ([`exact_after`](Tablebase::exact_after)).
    #[inline]
    #[must_use]
    pub fn thresholds(&self, board: &Board, player: Player) -> Option<Thresholds> {
        let (layer, number) = self.place(board, player)?;
        Some(layer.get(number))
    }

    /// What a position is worth to the player to move: [`Tablebase::thresholds`].
    #[inline]
    #[must_use]
    pub fn probe(&self, position: &Position) -> Option<Thresholds> {
        self.thresholds(position.board(), position.to_move())
    }

    /// The value of a position for the player to move at the lead they have; `None` where the table does not have it.
    #[inline]
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        Some(self.probe(position)?.value(position.lead()))
    }

    /// All that the table has of a position.
    #[must_use]
    pub fn entry(&self, position: &Position) -> Option<Entry> {
        let (layer, number) = self.place(position.board(), position.to_move())?;
        let [win_rank, loss_rank] = layer.ranks[number as usize];
        Some(Entry { thresholds: layer.get(number), win_rank, loss_rank })
    }

    /// How far the win of `winner` from a position is off; `None` where they never win, or the table does not have it.
    #[must_use]
    pub fn progress(&self, position: &Position, winner: Player) -> Option<Progress> {
        self.entry(position)?.progress(winner == position.to_move())
    }

    /// The legal moves of a position, each with what it is worth; `None` where the table does not have the position.
    #[must_use]
    pub fn moves(&self, position: &Position) -> Option<Vec<MoveWorth>> {
        self.place(position.board(), position.to_move())?;
        let mut moves = Vec::new();
        position.each_step(|mv, step| moves.push(self.worth(position, mv, step)));
        Some(moves)
    }

    /// What a move from a position that the table has is worth.
    fn worth(&self, position: &Position, mv: Move, step: Step) -> MoveWorth {
        if step.sowing.kind == MoveKind::Endless {
            let thresholds = Thresholds { win: Threshold::Never, draw: Threshold::Always };
            return MoveWorth { mv, step, thresholds, after: None };
        }
        let entry = self.entry(&step.position).expect("no move adds seeds");
        let turned = step.position.to_move() != position.to_move();
        let after = if turned { entry.thresholds.turned() } else { entry.thresholds };
        let thresholds = after.before_gain(step.sowing.captured.into());
        MoveWorth { mv, step, thresholds, after: Some(entry) }
    }

    /// Whether the value of a position at its lead holds for a game with this history: with `met`, the positions since
    /// the last capture. A draw always does. A win does where the winner's way to it, by [`Progress`], meets none of
    /// them; where it might meet one, this is `false`, and the value is a win or a draw. `None` where the table does not
    /// have the position.
    #[must_use]
    pub fn exact_after<'a>(
        &self,
        position: &Position,
        met: impl IntoIterator<Item = &'a Position>,
    ) -> Option<bool> {
        let winner = match self.value(position)? {
            Value::Win => position.to_move(),
            Value::Draw => return Some(true),
            Value::Loss => position.to_move().opponent(),
        };
        let now = self.progress(position, winner)?;
        Some(
            met.into_iter()
                .all(|met| met == position || self.progress(met, winner).is_none_or(|met| met >= now)),
        )
    }

    /// The numbers of its boards.
    pub(super) const fn index(&self) -> &Index {
        &self.index
    }

    #[inline]
    fn place(&self, board: &Board, player: Player) -> Option<(&Layer, u64)> {
        let layer = self.layers.get(board.seeds() as usize)?;
        if board.width() != self.index.width() {
            return None;
        }
        let number = match player {
            Player::North => self.index.number(board.pits()),
            Player::South => self.index.number_turned(board.pits()),
        };
        Some((layer, number))
    }
}
