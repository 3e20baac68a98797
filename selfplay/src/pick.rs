//! Rows or games of a dataset, drawn at random for a look.

use std::io;
use std::path::{Path, PathBuf};

use giuthi_engine::Sample;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::check::PartError;
use crate::lines::{Lines, Summing};
use crate::manifest::{Manifest, ManifestError};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// So many rows, each as likely as any other.
    Rows(u64),
    /// All rows of so many games, each as likely as any other.
    Games(u64),
}

/// Why nothing was drawn.
#[derive(Debug, Error)]
pub enum PickError {
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A part.
    #[error(transparent)]
    Part(#[from] PartError),
    /// There are fewer.
    #[error("{}: {wanted} {what} are asked for, and there are {found}", path.display())]
    TooFew {
        /// The dataset.
        path: PathBuf,
        /// Rows or games.
        what: &'static str,
        /// How many are asked for.
        wanted: u64,
        /// How many there are.
        found: u64,
    },
}

/// Draws rows or games of the dataset in `dir`, without replacement, and tells `take` each row, as it stands and as it
/// is read, in the order of the files. Parts of which nothing was drawn are not opened. Memory grows with what is drawn
/// alone.
///
/// # Errors
/// What cannot be read; fewer than are asked for; a row drawn that is none.
pub fn pick(
    dir: &Path,
    wanted: Wanted,
    seed: u64,
    mut take: impl FnMut(&str, &Sample),
) -> Result<(), PickError> {
    let Manifest { run, games, rows, parts } = Manifest::load(dir)?;
    let (what, wanted_count, found) = match wanted {
        Wanted::Rows(count) => ("rows", count, rows),
        Wanted::Games(count) => ("games", count, games),
    };
    if wanted_count > found {
        let path = dir.to_owned();
        return Err(PickError::TooFew { path, what, wanted: wanted_count, found });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawn = rand::seq::index::sample(&mut rng, found as usize, wanted_count as usize);
    let mut drawn: Vec<u64> = drawn.into_iter().map(|at| at as u64).collect();
    drawn.sort_unstable();

    let width = run.variant.width();
    let mut drawn = drawn.into_iter().peekable();
    // Number of the first row or game of the part.
    let mut first = 0;
    for part in parts {
        let next = first + if what == "rows" { part.rows } else { part.games };
        if drawn.peek().is_none_or(|&at| at >= next) {
            first = next;
            continue;
        }
        let path = dir.join(&part.file);
        let failed = |error: io::Error| PartError::Io { path: path.clone(), error };
        let mut lines = Lines::open(&path, Summing::Quick).map_err(failed)?;
        lines.next().map_err(failed)?;
        // Number of the row or game, once its line is read.
        let mut at = first;
        let mut begun = false;
        while drawn.peek().is_some_and(|&at| at < next) {
            let Some(line) = lines.next().map_err(failed)? else { break };
            let fault = |error| PartError::Line { path: path.clone(), line: line.number, error };
            let is_first = match wanted {
                Wanted::Rows(_) => true,
                Wanted::Games(_) => line.bytes.splitn(3, |&byte| byte == b',').nth(1) == Some(b"0"),
            };
            if is_first && begun {
                if drawn.peek() == Some(&at) {
                    drawn.next();
                }
                at += 1;
            }
            begun = true;
            if drawn.peek() != Some(&at) {
                continue;
            }
            let sample = Sample::scan(line.bytes, width).map_err(|error| fault(error.into()))?;
            take(str::from_utf8(line.bytes).unwrap_or_default(), &sample);
        }
        // The last of the part was taken to the part's end.
        while drawn.peek().is_some_and(|&at| at < next) {
            drawn.next();
        }
        first = next;
    }
    Ok(())
}
