//! Reads datasets: checks manifest, schema and every row, splits the games, and encodes the rows for the network.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use giuthi_engine::Variant;
use giuthi_engine::net::FeatureSet;
use giuthi_engine::sample::{Sample, SampleError, width_of};
use giuthi_selfplay::manifest::{Manifest, ManifestError};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Games there must be at least: with fewer, a validation loss says nothing.
pub const FEWEST_GAMES: usize = 10;

/// How rows become training targets and which games are kept for validation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Share of the search's value in the target, 0 … 1; the rest is the game's result. Rows without a value count
    /// with their result alone.
    pub lambda: f32,
    /// Share of games kept for validation, above 0 and below 1.
    pub validation: f64,
}

/// Encoded rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// For each row the `2W` categories that hold.
    pub categories: Vec<i32>,
    /// For each row the lead feature.
    pub leads: Vec<f32>,
    /// For each row how likely win, draw and loss are taken to be for the player to move; they sum to 1.
    pub targets: Vec<[f32; 3]>,
    /// For each row the class of the result for the player to move: 0 win, 1 draw, 2 loss.
    pub results: Vec<i64>,
}

impl Rows {
    /// Rows held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn push(&mut self, sample: &Sample, features: FeatureSet, lambda: f32) {
        let lead = features.encode(&sample.position, |category| self.categories.push(category as i32));
        self.leads.push(lead);
        self.targets.push(target(sample.result, sample.value, lambda));
        self.results.push(1 - i64::from(sample.result));
    }
}

/// The probabilities of win, draw and loss that a row teaches: a blend of the result and the search's value.
///
/// A value `v` alone does not tell draws from even chances; it is read as the distribution of that expectation with
/// the most draws, `(max(v, 0), 1 − |v|, max(−v, 0))`.
#[must_use]
pub fn target(result: i8, value: Option<f32>, lambda: f32) -> [f32; 3] {
    let distribution = |v: f32| [v.max(0.0), 1.0 - v.abs(), (-v).max(0.0)];
    let played = distribution(f32::from(result));
    match value {
        None => played,
        Some(value) => {
            let judged = distribution(value);
            std::array::from_fn(|at| lambda * judged[at] + (1.0 - lambda) * played[at])
        }
    }
}

/// Rows of one or more datasets of the same width, split by game.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Rows to train on.
    pub training: Rows,
    /// Rows to validate on; no game has rows in both.
    pub validation: Rows,
    /// Games of the training rows and of the validation rows.
    pub games: [usize; 2],
    width: usize,
    sources: Vec<String>,
}

/// Why a dataset could not be read.
#[derive(Debug, Error)]
pub enum DataError {
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Datasets that do not go together.
    #[error(
        "{path}: boards of width {found}, but those of {first} have width {wanted}: a network sees one width"
    )]
    Width {
        /// The dataset.
        path: PathBuf,
        /// Its width.
        found: usize,
        /// The first dataset.
        first: PathBuf,
        /// The width of the first dataset.
        wanted: usize,
    },
    /// A part could not be read.
    #[error("{path}: {error}")]
    Io {
        /// The part.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A part's header is not that of the manifest's variant.
    #[error("{path}, line 1: not the header of a dataset of {variant}")]
    Header {
        /// The part.
        path: PathBuf,
        /// The manifest's variant.
        variant: Variant,
    },
    /// A row is no CSV record.
    #[error("{path}: {error}")]
    Csv {
        /// The part.
        path: PathBuf,
        /// What is wrong, with its line.
        error: csv::Error,
    },
    /// A row says something impossible.
    #[error("{path}, line {line}: {error}")]
    Row {
        /// The part.
        path: PathBuf,
        /// The line, the header being 1.
        line: u64,
        /// What is wrong.
        error: RowError,
    },
    /// A part does not hold what the manifest says.
    #[error("{path}: {what}")]
    Part {
        /// The part.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Too few games to learn from.
    #[error("{games} games ({rows} rows): at least {FEWEST_GAMES} games are needed")]
    TooFew {
        /// Games found.
        games: usize,
        /// Rows found.
        rows: usize,
    },
}

/// What is wrong with a row.
#[derive(Debug, Error)]
pub enum RowError {
    /// The row itself.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Seeds appeared or vanished.
    #[error("{found} seeds in all, not the {wanted} of {variant}")]
    Seeds {
        /// Seeds in pits and piles.
        found: usize,
        /// Seeds of the variant.
        wanted: usize,
        /// The variant.
        variant: Variant,
    },
    /// The row does not follow the one before.
    #[error("game {game}, ply {ply} does not follow the row before it")]
    Order {
        /// The row's game.
        game: u64,
        /// The row's ply.
        ply: u32,
    },
}

impl Dataset {
    /// Reads datasets (folders that self-play wrote). `progress` is told the rows of every part read.
    ///
    /// # Errors
    /// Whatever is wrong, with file and line.
    pub fn read(
        folders: &[PathBuf],
        reading: &Reading,
        mut progress: impl FnMut(u64),
    ) -> Result<Dataset, DataError> {
        let manifests: Vec<_> =
            folders.iter().map(|folder| Manifest::load(folder)).collect::<Result<_, _>>()?;
        let width = manifests.first().map_or(0, |manifest| manifest.run.variant.width());
        for (folder, manifest) in folders.iter().zip(&manifests) {
            let found = manifest.run.variant.width();
            if found != width {
                let (path, first) = (folder.clone(), folders[0].clone());
                return Err(DataError::Width { path, found, first, wanted: width });
            }
        }
        let mut split = Split::new(reading);
        for (folder, manifest) in folders.iter().zip(&manifests) {
            for part in &manifest.parts {
                let path = folder.join(&part.file);
                let rows = read_part(&path, manifest, &mut split)?;
                let wrong = |what: String| DataError::Part { path: path.clone(), what };
                if rows.count != part.rows {
                    return Err(wrong(format!("{} rows, not the {} of the manifest", rows.count, part.rows)));
                }
                if rows.sha256 != part.sha256 {
                    return Err(wrong("its SHA-256 is not that of the manifest: it was changed".to_owned()));
                }
                progress(rows.count);
            }
        }
        let sources = manifests
            .iter()
            .map(|data| {
                format!(
                    "{} games of {} by {} (seed {})",
                    data.games, data.run.variant, data.run.agent, data.run.seed
                )
            })
            .collect();
        split.finish(width, sources)
    }

    /// Pits in a row of the boards.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// What the data are, in words, for the metadata of the weights.
    #[must_use]
    pub fn description(&self) -> String {
        self.sources.join("; ")
    }
}

/// Deals games to training and validation.
struct Split<'a> {
    reading: &'a Reading,
    /// Training, validation.
    rows: [Rows; 2],
    games: [HashSet<(u64, u64)>; 2],
}

impl<'a> Split<'a> {
    fn new(reading: &'a Reading) -> Split<'a> {
        Split { reading, rows: Default::default(), games: Default::default() }
    }

    /// A game is known by the seed of its dataset and its number: every row of it goes the same way, whatever part
    /// or copy it stands in, and stays there when more data are added.
    fn push(&mut self, seed: u64, sample: &Sample) {
        let fraction = mix(seed, sample.game) as f64 / u64::MAX as f64;
        let side = usize::from(fraction < self.reading.validation);
        self.games[side].insert((seed, sample.game));
        self.rows[side].push(sample, FeatureSet::Pits24Lead, self.reading.lambda);
    }

    fn finish(self, width: usize, sources: Vec<String>) -> Result<Dataset, DataError> {
        let games = self.games.map(|games| games.len());
        let [training, validation] = self.rows;
        if games.iter().sum::<usize>() < FEWEST_GAMES || games.contains(&0) {
            let rows = training.len() + validation.len();
            return Err(DataError::TooFew { games: games.iter().sum(), rows });
        }
        Ok(Dataset { training, validation, games, width, sources })
    }
}

/// Spreads a seed and a game's number evenly over 64 bits (the finalizer of SplitMix64: Steele, Lea & Flood 2014).
fn mix(seed: u64, game: u64) -> u64 {
    let mut state = seed.rotate_left(32) ^ game.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    state
}

struct PartRead {
    count: u64,
    sha256: String,
}

fn read_part(path: &Path, manifest: &Manifest, split: &mut Split<'_>) -> Result<PartRead, DataError> {
    let variant = manifest.run.variant;
    let file = File::open(path).map_err(|error| DataError::Io { path: path.to_owned(), error })?;
    let mut reader = csv::Reader::from_reader(Hashing { file, hash: Sha256::new() });
    let csv_error = |error| DataError::Csv { path: path.to_owned(), error };
    if width_of(reader.headers().map_err(csv_error)?) != Some(variant.width()) {
        return Err(DataError::Header { path: path.to_owned(), variant });
    }
    let wanted = variant.pits() * variant.seeds();
    let mut record = StringRecord::new();
    let mut count = 0;
    let mut before: Option<(u64, u32)> = None;
    while reader.read_record(&mut record).map_err(csv_error)? {
        let line = record.position().map_or(0, csv::Position::line);
        let fault = |error: RowError| DataError::Row { path: path.to_owned(), line, error };
        let sample = Sample::read(&record, variant.width()).map_err(|error| fault(error.into()))?;
        let found = sample.position.score().iter().sum::<u32>() as usize;
        if found != wanted {
            return Err(fault(RowError::Seeds { found, wanted, variant }));
        }
        let follows = match before {
            Some((game, ply)) if game == sample.game => sample.ply == ply + 1,
            Some((game, _)) => sample.game > game && sample.ply == 0,
            None => sample.ply == 0,
        };
        if !follows {
            return Err(fault(RowError::Order { game: sample.game, ply: sample.ply }));
        }
        before = Some((sample.game, sample.ply));
        split.push(manifest.run.seed, &sample);
        count += 1;
    }
    let hash = reader.into_inner().hash.finalize();
    Ok(PartRead { count, sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect() })
}

/// A file that is hashed while it is read.
struct Hashing {
    file: File,
    hash: Sha256,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}
