//! Why tables could not be built, read or verified.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::manifest::MANIFEST;

/// Why tables could not be built, read or verified. What is whole of them by then stays, and the same build goes on from
/// it.
#[derive(Debug, Error)]
pub enum TablebaseError {
    /// A file or folder could not be read or written.
    #[error("{}: {what}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What could not be done.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The folder holds no tables.
    #[error("{}: no `{MANIFEST}`, so no endgame tables: `giuthi tablebase build` makes them", dir.display())]
    Missing {
        /// The folder.
        dir: PathBuf,
    },
    /// A file is not what its name says.
    #[error("{}: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is not as it was written.
    #[error("{}: damaged: {reason}; build the tables again in an empty folder", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What tells.
        reason: String,
    },
    /// The folder holds tables of boards of another width.
    #[error("{}: tables of boards with rows of {there} pits are there, not of {asked}: choose another folder", dir.display())]
    OtherPits {
        /// The folder.
        dir: PathBuf,
        /// Pits in a row of its boards.
        there: usize,
        /// Pits asked for.
        asked: usize,
    },
    /// Another build is at the folder.
    #[error("{}: another build is writing here: wait for its end or choose another folder", dir.display())]
    Busy {
        /// The folder.
        dir: PathBuf,
    },
    /// The threads could not be started.
    #[error("--threads: {0} threads cannot be started: {1}")]
    Threads(usize, String),
    /// There would be more boards of so many seeds than have numbers.
    #[error("there are {boards} boards of {seeds} seeds: at most {most} are possible", most = super::layer::MOST_BOARDS)]
    TooMany {
        /// Seeds on a board.
        seeds: usize,
        /// Boards of so many.
        boards: u64,
    },
    /// A rank does not fit its byte.
    #[error("boards of {seeds} seeds: a rank above 254 was met, which the files have no room for")]
    TooDeep {
        /// Seeds on a board.
        seeds: usize,
    },
    /// The build was asked to stop.
    #[error("stopped: boards of {seeds} seeds are not there yet; the same build goes on from those of fewer")]
    Stopped {
        /// Seeds of the first layer that is not there.
        seeds: usize,
    },
    /// An entry does not follow from those that its moves lead to.
    #[error("{}: board `{position}`: {what} is {found} and should be {wanted}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The board, as a position.
        position: String,
        /// Which number.
        what: &'static str,
        /// What the table has.
        found: String,
        /// What follows from the board's moves.
        wanted: String,
    },
}

impl TablebaseError {
    pub(super) fn io(path: &Path, what: &'static str, error: io::Error) -> TablebaseError {
        TablebaseError::Io { path: path.to_owned(), what, error }
    }

    pub(super) fn foreign(path: &Path, reason: impl Into<String>) -> TablebaseError {
        TablebaseError::Foreign { path: path.to_owned(), reason: reason.into() }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> TablebaseError {
        TablebaseError::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}
