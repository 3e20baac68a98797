//! What a searcher keeps between its moves.

use std::sync::Arc;

use crate::endgame::tablebase::Tablebase;
use crate::rules::MAX_PITS;
use crate::search::table::Table;

/// What a searcher remembers from move to move of a game.
pub struct Memory {
    pub(super) table: Table,
    /// How often a move of a player cut a branch off, the deeper the more: `[player][pit][direction]`.
    pub(super) history: [[[u32; 2]; MAX_PITS]; 2],
    /// Endgame tables, asked after captures.
    pub(super) tables: Option<Arc<Tablebase>>,
}

impl Memory {
    /// A fresh memory with a table of at most `megabytes`.
    #[must_use]
    pub fn new(megabytes: usize) -> Memory {
        Memory::with_tables(megabytes, None)
    }

    /// A fresh memory of a searcher that has endgame tables as well.
    #[must_use]
    pub fn with_tables(megabytes: usize, tables: Option<Arc<Tablebase>>) -> Memory {
        Memory { table: Table::new(megabytes), history: [[[0; 2]; MAX_PITS]; 2], tables }
    }

    /// The endgame tables.
    #[must_use]
    pub const fn tables(&self) -> Option<&Arc<Tablebase>> {
        self.tables.as_ref()
    }
}
