//! Tables made, layer by layer, in a folder that a killed build goes on from.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::error::TablebaseError;
use super::file::{self, file_bytes, layer_file};
use super::index::{Index, boards};
use super::layer::{self, BYTES_A_BOARD, Layer, MOST_BOARDS};
use super::manifest::Manifest;
use crate::files::{FolderLock, LockError};

/// Memory that a build takes besides what grows with its boards.
const BASE_BYTES: u64 = 64 << 20;

/// What tables are asked for: all boards with rows of `pits` pits (5 … 10) and up to `seeds` seeds
/// (at most [`MOST_SEEDS`](super::MOST_SEEDS)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pits in a row.
    pub pits: usize,
    /// Most seeds on a board.
    pub seeds: usize,
}

impl Size {
    /// Refuses what has more boards of so many seeds than have numbers.
    pub(super) fn check(&self) -> Result<(), TablebaseError> {
        match (0..=self.seeds).find(|&seeds| boards(self.pits, seeds) > MOST_BOARDS) {
            Some(seeds) => Err(TablebaseError::TooMany { seeds, boards: boards(self.pits, seeds) }),
            None => Ok(()),
        }
    }

    /// All the boards.
    #[must_use]
    pub fn boards(&self) -> u64 {
        (0..=self.seeds).map(|seeds| boards(self.pits, seeds)).fold(0, u64::saturating_add)
    }

    /// Bytes of memory that building takes, at most.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let last = boards(self.pits, self.seeds);
        let lower = self.boards().saturating_sub(last);
        last.saturating_mul(BYTES_A_BOARD).saturating_add(lower.saturating_mul(2)).saturating_add(BASE_BYTES)
    }

    /// Bytes of all the files.
    #[must_use]
    pub fn disk(&self) -> u64 {
        (0..=self.seeds).map(|seeds| file_bytes(boards(self.pits, seeds))).fold(0, u64::saturating_add)
    }
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The boards of so many seeds were there already.
    Found {
        /// Seeds on each board.
        seeds: usize,
        /// How many boards.
        boards: u64,
    },
    /// The boards of so many seeds are begun.
    Begun {
        /// Seeds on each board.
        seeds: usize,
        /// How many boards.
        boards: u64,
    },
    /// So many halves of a board are done: each board is looked at twice.
    Halves(u64),
}

/// Builds tables in a folder, on so many threads, and tells how far it is. What is whole there already stays, also what
/// is larger than asked for; the bytes of the files depend on nothing but the size. Returns the most seeds of a board that
/// is there in the end.
///
/// # Errors
/// See [`TablebaseError`]; [`TablebaseError::Stopped`] where `stop` was set before everything was there.
pub fn build(
    dir: &Path,
    size: Size,
    threads: NonZeroUsize,
    stop: &AtomicBool,
    observe: &(dyn Fn(Event) + Sync),
) -> Result<usize, TablebaseError> {
    size.check()?;
    fs::create_dir_all(dir).map_err(|error| TablebaseError::io(dir, "cannot make the folder", error))?;
    let _lock = FolderLock::take(dir).map_err(|error| match error {
        LockError::Busy => TablebaseError::Busy { dir: dir.to_owned() },
        LockError::Io(error) => TablebaseError::io(dir, "cannot be locked", error),
    })?;
    let threads = threads.get();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| TablebaseError::Threads(threads, error.to_string()))?;
    pool.install(|| go_on(dir, size, stop, observe))
}

fn go_on(
    dir: &Path,
    size: Size,
    stop: &AtomicBool,
    observe: &(dyn Fn(Event) + Sync),
) -> Result<usize, TablebaseError> {
    let there = Manifest::load(dir)?;
    if let Some(there) = &there
        && there.pits != size.pits
    {
        return Err(TablebaseError::OtherPits { dir: dir.to_owned(), there: there.pits, asked: size.pits });
    }
    if there.is_none() {
        refuse_foreign(dir)?;
    }
    let mut checksums: Vec<String> =
        there.iter().flat_map(|there| &there.layers).map(|layer| layer.sha256.clone()).collect();
    remove_leftovers(dir, checksums.len())?;
    let index = Index::new(size.pits);
    let mut layers: Vec<Layer> = Vec::new();
    for (seeds, checksum) in checksums.iter().enumerate() {
        let boards = index.boards(seeds);
        layers.push(file::read(&dir.join(layer_file(seeds)), (size.pits, seeds, boards), checksum, false)?);
        observe(Event::Found { seeds, boards });
    }
    for seeds in layers.len()..=size.seeds {
        let boards = index.boards(seeds);
        observe(Event::Begun { seeds, boards });
        let told = AtomicU64::new(0);
        let progress = |halves: u64| {
            told.fetch_add(halves, Relaxed);
            observe(Event::Halves(halves));
        };
        let layer = layer::solve(&index, seeds, &layers, stop, &progress).map_err(|why| why.at(seeds))?;
        checksums.push(file::write(&dir.join(layer_file(seeds)), size.pits, seeds, &layer)?);
        Manifest::new(size.pits, &checksums).store(dir)?;
        layers.push(Layer { ranks: Vec::new(), ..layer });
        // Nodes that nobody ever wins from were not gone back from.
        observe(Event::Halves((2 * boards).saturating_sub(told.into_inner())));
    }
    Ok(checksums.len() - 1)
}

/// Refuses a folder without a manifest that holds anything but what a build leaves that was killed in its first moment.
fn refuse_foreign(dir: &Path) -> Result<(), TablebaseError> {
    for name in names(dir)? {
        if !name.starts_with('.') && name != layer_file(0) {
            let reason = "is there and no endgame table of a build: choose another folder";
            return Err(TablebaseError::foreign(&dir.join(name), reason));
        }
    }
    Ok(())
}

/// Takes away what a killed build left half written, and the layers that its manifest does not list yet.
fn remove_leftovers(dir: &Path, whole: usize) -> Result<(), TablebaseError> {
    let unlisted = layer_file(whole);
    for name in names(dir)? {
        let temporary =
            name.ends_with(".tmp") && (name.starts_with(".seeds-") || name.starts_with(".manifest.json."));
        if temporary || name == unlisted {
            let path = dir.join(name);
            fs::remove_file(&path).map_err(|error| TablebaseError::io(&path, "cannot be removed", error))?;
        }
    }
    Ok(())
}

/// The names of a folder's files, in order.
fn names(dir: &Path) -> Result<Vec<String>, TablebaseError> {
    let entries = fs::read_dir(dir).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| TablebaseError::io(dir, "cannot list the folder", error))?;
    let mut names: Vec<String> =
        entries.into_iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}
