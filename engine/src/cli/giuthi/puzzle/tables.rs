//! The tables that problems are made and checked by: read, or solved in memory.

use std::path::Path;

use anyhow::bail;

use super::super::tablebase::memory;
use crate::cli::tell;
use crate::endgame::tablebase::{MOST_SEEDS, Size, Tablebase};

/// Tables of a size: those of a folder, or solved now where there is the memory for them. `asked` says in errors who
/// asked for that size (`--seeds 12`).
pub(super) fn tables(dir: Option<&Path>, size: Size, asked: &str) -> anyhow::Result<Tablebase> {
    if let Some(dir) = dir {
        let tables = Tablebase::open(dir)?;
        if tables.pits() != size.pits || tables.seeds() < size.seeds {
            bail!(
                "--tb {}: tables of boards with rows of {} pits and up to {} seeds, but {asked} needs rows of {} and up to {}",
                dir.display(),
                tables.pits(),
                tables.seeds(),
                size.pits,
                size.seeds
            );
        }
        return Ok(tables);
    }
    if size.seeds > MOST_SEEDS {
        bail!("{asked}: tables have boards of up to {MOST_SEEDS} seeds");
    }
    // What is solved stays in memory whole, ranks and all.
    let needed = size.memory().saturating_add(size.boards().saturating_mul(2));
    if let Some(there) = memory::available().filter(|there| needed > *there) {
        bail!(
            "{asked}: its tables need {} of memory, available are {}: ask for fewer seeds, or have `giuthi tablebase build` make them and give --tb",
            memory::bytes(needed),
            memory::bytes(there)
        );
    }
    tell(format_args!(
        "tables: {} boards of up to {} seeds on rows of {} pits, at most {} of memory",
        size.boards(),
        size.seeds,
        size.pits,
        memory::bytes(needed)
    ));
    Ok(Tablebase::solve(size)?)
}
