//! Generations of networks: self-play with the best one so far, a fit on the games of the last generations, a match
//! against the best, promotion or not; and once more.
//!
//! Generation 0 plays with the material count; it is the best until a network beats it. A network is promoted when its
//! score in the match against the best before it, a draw counted as half a point, or the lower end of its interval, is
//! above [`Settings::promote_above`]. All that random choice decides comes from one seed, the generation and the step.
//!
//! A run is a folder. Every step ends with a file of its own, written whole, and a step whose file is there is not
//! done again: killed at any moment, the same run goes on, and comes to the same weights and results.
//!
//! | module | what lives there |
//! |---|---|
//! | `folder` | the run's folder: whose it is, where its files are |
//! | `steps` | self-play, fit |
//! | [`matches`](mod@matches) | the matches of a candidate, and `match.json` |
//! | [`report`] | `best.json`, `generations.csv`, the table |
//! | [`plot`] | `generations.svg` |

mod folder;
pub mod matches;
pub mod plot;
pub mod report;
mod steps;

use std::io;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use giuthi_engine::agent::SpecError;
use giuthi_engine::net::NetError;
use giuthi_engine::opening::{OpeningError, OpeningPlies, random_opening};
use giuthi_engine::{Clock, Variant};
use giuthi_selfplay::{Epsilon, ManifestError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tch::Device;
use thiserror::Error;

pub use folder::{Difference, started_seed};
pub use report::Row;

use crate::checkpoint::CheckpointError;
use crate::data::{DataError, RandomRows};
use crate::fit::{self, FitError};
use folder::Folder;
use steps::Past;

/// Most generations of a run: their names have three digits.
pub const MOST_GENERATIONS: u32 = 1000;

/// All that the networks and results of a run depend on, the number of generations excepted.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The variant played.
    pub variant: Variant,
    /// Depth of the searches in matches, in plies.
    pub depth: u32,
    /// Depth of the searches in self-play, in plies.
    pub selfplay_depth: u32,
    /// Games of self-play a generation.
    pub games: NonZeroU64,
    /// Random plies at the start of a game of self-play.
    pub opening: OpeningPlies,
    /// Share of self-play's later moves that are played at random.
    pub epsilon: Epsilon,
    /// Generations whose games a network is fitted to, its own among them. Games by the material count fall out as
    /// soon as there are games by a network.
    pub window: NonZeroU32,
    /// Share of a generation's games that train in an epoch, to the power of its age: above 0, at most 1.
    pub window_decay: f64,
    /// Share of the search's value in what is learned from games by a network, 0 … 1; of those by the material count,
    /// whose values are no expected results, only the results are learned.
    pub lambda: f64,
    /// What is done with rows whose move was random.
    pub random_rows: RandomRows,
    /// What the numbers of a network are before its fit.
    pub start: Start,
    /// How networks are fitted; its seed is not used.
    pub fit: fit::Settings,
    /// Games of a match, an even number: each opening is played from both seats.
    pub match_games: u32,
    /// Score, 0 … 1, above which a candidate is promoted.
    pub promote_above: f64,
    /// What has to be above it.
    pub promote_by: PromoteBy,
    /// Fixes all randomness.
    pub seed: u64,
}

/// What the numbers of a network are before its fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Those of the best network so far; drawn ones where there is none.
    #[default]
    Best,
    /// Drawn ones.
    Random,
}

impl Start {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Start::Best => "best",
            Start::Random => "random",
        }
    }
}

/// What of a match has to be above the bound for a promotion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromoteBy {
    /// The score, a draw counted as half a point.
    #[default]
    Score,
    /// The lower end of the 95 % interval of the difference in strength.
    LowerBound,
}

impl PromoteBy {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PromoteBy::Score => "score",
            PromoteBy::LowerBound => "lower-bound",
        }
    }
}

impl Settings {
    /// Whether games of the variant can be played from the openings of self-play and matches.
    ///
    /// # Errors
    /// Where they cannot, why.
    pub fn check(&self) -> Result<(), OpeningError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let longest = self.opening.most().max(matches::OPENING.most());
        random_opening(self.variant, longest, &mut rng).map(|_| ())
    }
}

/// With what a run is done: none of it changes what comes out, a device other than the CPU excepted.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// Games played at a time.
    pub threads: NonZeroUsize,
    /// Where to fit.
    pub device: Device,
    /// Measures the speed of fits.
    pub clock: &'a dyn Clock,
}

/// A step of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Games of the best so far against itself.
    SelfPlay,
    /// The games are read.
    Read,
    /// A network is fitted to them.
    Fit,
    /// The network plays.
    Match,
}

/// What a run tells its observer.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step of a generation begins, or goes on, with so many pieces (games or rows) to do.
    Begin {
        /// The generation.
        generation: u32,
        /// What begins.
        step: Step,
        /// Games or rows left to do.
        pieces: u64,
    },
    /// So many pieces more of the step are done.
    Advance(u64),
    /// A few words on how the step stands.
    Note(String),
    /// The step is done.
    End,
    /// A generation is done.
    Generation(&'a Row),
}

/// Why a run could not go on. What it has made by then is kept, and the same run goes on from it.
#[derive(Debug, Error)]
pub enum Error {
    /// The variant has no openings to play from.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The folder holds a run of other settings.
    #[error("{}: begun under other settings: {}", path.display(), list(differences))]
    OtherSettings {
        /// The file that tells the settings.
        path: PathBuf,
        /// Those that differ; never empty.
        differences: Vec<Difference>,
    },
    /// The folder holds something else.
    #[error("`{0}` is there and not of a run of generations: choose another folder")]
    Foreign(String),
    /// Another process is at it.
    #[error("another run is writing here: wait for its end or choose another folder")]
    Busy,
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file of the run is not as the run left it.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Self-play.
    #[error(transparent)]
    SelfPlay(#[from] giuthi_selfplay::Error),
    /// The manifest of a dataset.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A dataset.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The fit.
    #[error("generation {generation}: {error}")]
    Fit {
        /// The generation.
        generation: u32,
        /// What went wrong.
        error: Box<FitError>,
    },
    /// Checkpoints of a fit.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Weights.
    #[error(transparent)]
    Net(#[from] NetError),
    /// An agent's spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A match.
    #[error(transparent)]
    Match(#[from] giuthi_eval::Error),
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |error| Error::Io { path, error }
    }
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Makes `generations` generations in the folder `dir`, or those that are missing, and returns a row for each that is
/// there.
///
/// Weights are named in datasets by their path from `dir` as it is given: with an empty path (the folder the process is
/// in) a run may be moved between two calls.
///
/// # Errors
/// See [`enum@Error`]; with other settings than those the run was begun with, they are named.
pub fn run(
    settings: &Settings,
    generations: u32,
    dir: &Path,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Vec<Row>, Error> {
    settings.check()?;
    let folder = Folder::open(dir, settings)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut best = None;
    // The first generation whose games are by a network.
    let mut by_network = None;
    for generation in 0.. {
        let made = folder.matches(generation).exists();
        if generation >= generations && !made {
            break;
        }
        by_network = by_network.or(best.map(|_| generation));
        let manifest = steps::self_play(settings, &folder, generation, best, means, observe)?;
        let fitted = steps::fit(settings, &folder, generation, Past { best, by_network }, means, observe)?;
        let matches = matches::play(settings, &folder, generation, best, means, observe)?;
        let row = Row::new(generation, &manifest, &fitted, &matches);
        if row.promoted {
            best = Some(generation);
        }
        if !made {
            observe(Event::Generation(&row));
        }
        rows.push(row);
        report::save(settings, &folder, best, &rows)?;
    }
    Ok(rows)
}
