//! The plain way to the same tables, which the fast one is held against: one thread, every board's moves played again and
//! again until nothing changes.

use super::index::Index;
use super::table::Tablebase;
use super::unsow::position;
use super::value::{Threshold, Thresholds};
use crate::board::MoveKind;
use crate::position::Position;
use crate::rules::Player;

/// Every board of up to so many seeds, [numbered](Index) for each number of seeds from 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainTables {
    index: Index,
    layers: Vec<Vec<Thresholds>>,
}

impl PlainTables {
    /// Finds out what every board with rows of `pits` pits and up to `seeds` seeds is worth. Wins are spread from nothing:
    /// a first guess is that nobody ever wins, and what moves lead to only makes it less so.
    #[must_use]
    pub fn solve(pits: usize, seeds: usize) -> PlainTables {
        let mut tables = PlainTables { index: Index::new(pits), layers: Vec::new() };
        for seeds in 0..=seeds {
            let boards = tables.index.boards(seeds) as usize;
            let nobody = Thresholds { win: Threshold::Never, draw: Threshold::Always };
            tables.layers.push(vec![nobody; boards]);
            loop {
                let mut changed = false;
                let mut pits = tables.index.board(seeds, 0);
                for number in 0..boards {
                    let better = tables.by_moves(&position(tables.index.width(), &pits));
                    changed |= std::mem::replace(&mut tables.layers[seeds][number], better) != better;
                    tables.index.advance(&mut pits);
                }
                if !changed {
                    break;
                }
            }
        }
        tables
    }

    /// Boards in all.
    #[must_use]
    pub fn boards(&self) -> u64 {
        self.layers.iter().map(|layer| layer.len() as u64).sum()
    }

    /// Whether tables have the same boards with the same thresholds.
    #[must_use]
    pub fn agree(&self, tables: &Tablebase) -> bool {
        tables.pits() == self.index.width()
            && tables.boards() == self.boards()
            && self.layers.iter().enumerate().all(|(seeds, layer)| {
                let mut pits = self.index.board(seeds, 0);
                layer.iter().all(|&plain| {
                    let position = position(self.index.width(), &pits);
                    self.index.advance(&mut pits);
                    tables.probe(&position) == Some(plain)
                })
            })
    }

    /// What a board is worth by what is known of those that its moves lead to.
    fn by_moves(&self, position: &Position) -> Thresholds {
        if position.no_moves() {
            let [own, other] = [position.to_move(), position.to_move().opponent()];
            let ahead = position.board().row_seeds(own) as i32 - position.board().row_seeds(other) as i32;
            return Thresholds { win: Threshold::Lead(1 - ahead), draw: Threshold::Lead(-ahead) };
        }
        let mut best = Thresholds { win: Threshold::Never, draw: Threshold::Never };
        position.each_step(|_, step| {
            let board = step.position.board();
            let number = match step.position.to_move() {
                Player::North => self.index.number(board.pits()),
                Player::South => self.index.number_turned(board.pits()),
            };
            let after = self.layers[board.seeds() as usize][number as usize];
            let worth = match step.sowing.kind {
                MoveKind::Endless => Thresholds { win: Threshold::Never, draw: Threshold::Always },
                MoveKind::Extra => after,
                _ => after.turned().before_gain(step.sowing.captured.into()),
            };
            best = Thresholds { win: best.win.min(worth.win), draw: best.draw.min(worth.draw) };
        });
        best
    }
}
