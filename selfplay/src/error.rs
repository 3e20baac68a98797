//! Why a run could not be done.

use std::io;
use std::path::{Path, PathBuf};

use giuthi_engine::agent::LoadError;
use giuthi_engine::endgame::tablebase::TablebaseError;
use thiserror::Error;

use crate::folder::Difference;
use crate::manifest::{ManifestError, RUN};
use crate::part::Damage;
use crate::play::GameError;
use crate::settings::{MOST_PARTS, OpeningPlies};

/// Why a run could not be done. What is there of the dataset by then is whole, and the same run goes on from it.
#[derive(Debug, Error)]
pub enum Error {
    /// The dataset would have more parts than there are names for.
    #[error("--part-games: {0} parts are too many: {MOST_PARTS} are possible, so ask for more games a part")]
    TooManyParts(u64),
    /// The agent could not be loaded.
    #[error(transparent)]
    Agent(#[from] LoadError),
    /// The endgame tables that are to play games to their end could not be read.
    #[error("--tb: {0}")]
    Tables(TablebaseError),
    /// The threads could not be started.
    #[error("--threads: {0} threads cannot be started: {1}")]
    Threads(usize, String),
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
    /// Another run is at the folder.
    #[error("{}: another run is writing here: wait for its end or choose another folder", dir.display())]
    Busy {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder holds something else.
    #[error("{}: `{name}` is there and not of this run: choose another folder", dir.display())]
    Foreign {
        /// The folder.
        dir: PathBuf,
        /// What is there.
        name: String,
    },
    /// The folder holds parts or a manifest, and nothing that says of which run.
    #[error("{}: `{name}` is there, but no `{RUN}` that says of which run: choose another folder", dir.display())]
    NoRun {
        /// The folder.
        dir: PathBuf,
        /// What is there.
        name: String,
    },
    /// The folder holds a run that was asked for something else.
    #[error(
        "{}: written under other settings: {}: ask for those or choose another folder",
        path.display(),
        list(differences)
    )]
    OtherSettings {
        /// The file that tells the settings.
        path: PathBuf,
        /// Those that differ; never empty.
        differences: Vec<Difference>,
    },
    /// A part that is there already is damaged.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// `run.json` or `manifest.json`.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The openings do not suffice for as many games.
    #[error(
        "--distinct-openings: game {number}: the last 1000 openings drawn were taken: there are hardly more than \
         {number} of {opening} random plies; ask for more plies (--opening-plies) or fewer games"
    )]
    FewOpenings {
        /// The number of the game that has none.
        number: u64,
        /// Plies of the openings.
        opening: OpeningPlies,
    },
    /// The run was asked to stop before everything was there.
    #[error("stopped: {there} of {parts} parts are there; the same run goes on from them")]
    Stopped {
        /// Parts that are there.
        there: u64,
        /// Parts in all.
        parts: u64,
    },
    /// A game could not be played.
    #[error("game {number}: {error}")]
    Game {
        /// The game's number in the dataset.
        number: u64,
        /// What went wrong.
        error: GameError,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, what: &'static str, error: io::Error) -> Error {
        Error::Io { path: path.to_owned(), what, error }
    }
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
