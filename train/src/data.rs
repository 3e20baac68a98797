//! Reads datasets, splits them by game, and encodes their rows for the network.

use std::path::PathBuf;

use giuthi_engine::net::FeatureSet;
use giuthi_engine::sample::Sample;
use giuthi_engine::{Position, Source as Moved};
use giuthi_selfplay::{Manifest, ManifestError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::part::{self, OnBad, PartError};
use crate::source::{Batches, Source};

/// Games there must be at least: with fewer, a validation loss says nothing.
pub const FEWEST_GAMES: u64 = 10;

/// How rows become training targets and which games are kept for validation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Share of the search's value in the target, 0 … 1; the rest is the game's result. Rows without a value count
    /// with their result alone.
    pub lambda: f32,
    /// Share of games kept for validation, above 0 and below 1.
    pub validation: f64,
    /// What is done with rows whose move was random.
    pub random_rows: RandomRows,
}

/// What is done with rows whose move was random, those of openings and of exploration: their result hangs on a move
/// that nobody chose, and few of their positions are ever searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RandomRows {
    /// They teach and validate like any other.
    #[default]
    Keep,
    /// They are left out, of validation too.
    Skip,
}

impl RandomRows {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RandomRows::Keep => "keep",
            RandomRows::Skip => "skip",
        }
    }
}

impl Reading {
    /// Whether a row is one to learn from.
    #[must_use]
    pub fn takes(&self, sample: &Sample) -> bool {
        self.random_rows == RandomRows::Keep || sample.source != Moved::Random
    }
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

    /// The rows of these numbers, in this order.
    fn select(&self, numbers: &[usize]) -> Rows {
        let pits = self.pits();
        let mut rows = Rows::with_capacity(numbers.len(), numbers.len() * pits);
        for &at in numbers {
            rows.categories.extend_from_slice(&self.categories[at * pits..(at + 1) * pits]);
            rows.leads.push(self.leads[at]);
            rows.targets.push(self.targets[at]);
            rows.results.push(self.results[at]);
        }
        rows
    }

    /// The rows from `start` to before `end`.
    fn slice(&self, start: usize, end: usize) -> Rows {
        let pits = self.pits();
        Rows {
            categories: self.categories[start * pits..end * pits].to_vec(),
            leads: self.leads[start..end].to_vec(),
            targets: self.targets[start..end].to_vec(),
            results: self.results[start..end].to_vec(),
        }
    }

    /// Categories of each row.
    fn pits(&self) -> usize {
        self.categories.len() / self.len().max(1)
    }

    /// No rows, with room for some.
    pub(crate) fn with_capacity(rows: usize, categories: usize) -> Rows {
        Rows {
            categories: Vec::with_capacity(categories),
            leads: Vec::with_capacity(rows),
            targets: Vec::with_capacity(rows),
            results: Vec::with_capacity(rows),
        }
    }

    pub(crate) fn push(
        &mut self,
        position: &Position,
        result: i8,
        value: Option<f32>,
        features: FeatureSet,
        lambda: f32,
    ) {
        let lead = features.encode(position, |category| self.categories.push(category as i32));
        self.leads.push(lead);
        self.targets.push(target(result, value, lambda));
        self.results.push(1 - i64::from(result));
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
    /// Games of the training rows and of the validation rows. One that was read twice counts twice.
    pub games: [u64; 2],
    width: usize,
    sources: Vec<String>,
    fingerprint: String,
}

/// Why a dataset could not be read.
#[derive(Debug, Error)]
pub enum DataError {
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A part.
    #[error(transparent)]
    Part(#[from] PartError),
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
    /// Too few games to learn from.
    #[error("{games} games ({rows} rows): at least {FEWEST_GAMES} games are needed")]
    TooFew {
        /// Games found.
        games: u64,
        /// Rows found.
        rows: u64,
    },
    /// The weights leave too few games to an epoch.
    #[error(
        "with these weights an epoch trains on {games:.1} games on average: at least {FEWEST_GAMES} are needed"
    )]
    Thin {
        /// Games of an epoch on average.
        games: f64,
    },
    /// All games went to the same side of the split.
    #[error(
        "none of the {games} games falls to {side} with a share of {share} for validation: give more games or \
         another share"
    )]
    OneSided {
        /// Games found.
        games: u64,
        /// The side without any: training or validation.
        side: &'static str,
        /// The share asked for.
        share: f64,
    },
    /// Every row of a side has a random move, and such rows are skipped.
    #[error("no row is left for {side}: all their moves were random, and such rows are skipped")]
    OnlyRandom {
        /// The side without any: training or validation.
        side: &'static str,
    },
}

impl Dataset {
    /// Reads datasets (folders that self-play wrote), every row of every part once. `progress` is told, at the
    /// beginning and after each part, how many rows have been read and how many there are in all.
    ///
    /// # Errors
    /// Whatever is wrong, with file and line.
    pub fn read(
        folders: &[PathBuf],
        reading: &Reading,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Dataset, DataError> {
        let (manifests, width) = manifests(folders)?;
        let total = manifests.iter().fold(0, |sum: u64, manifest| sum.saturating_add(manifest.rows));
        let mut done = 0;
        progress(done, total);
        let mut split = Split { reading, rows: Default::default(), games: [0; 2] };
        for (folder, manifest) in folders.iter().zip(&manifests) {
            let Manifest { run, parts, .. } = manifest;
            let mut last = None;
            for entry in parts {
                let path = folder.join(&entry.file);
                let checked = part::check(&path, entry, run.variant, last, OnBad::Stop, |game| {
                    split.push(run.seed, game);
                })?;
                last = checked.last;
                done += entry.rows;
                progress(done, total);
            }
        }
        let sources = manifests.iter().map(describe).collect();
        split.finish(width, sources, fingerprint(&manifests, reading))
    }
}

/// Of the parts' hashes and of the seeds by which their games are dealt, in order, and of the settings of reading.
fn fingerprint(manifests: &[Manifest], reading: &Reading) -> String {
    let mut hash = Sha256::new();
    let Reading { lambda, validation, random_rows } = reading;
    hash.update(format!("lambda {lambda} validation {validation} random rows {}\n", random_rows.name()));
    for data in manifests {
        hash.update(format!("dataset {} seed {}\n", data.run.variant, data.run.seed));
        for part in &data.parts {
            hash.update(format!("part {}\n", part.sha256));
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Source for Dataset {
    fn width(&self) -> usize {
        self.width
    }

    fn rows(&self) -> [u64; 2] {
        [&self.training, &self.validation].map(|rows| rows.len() as u64)
    }

    fn description(&self) -> String {
        self.sources.join("; ")
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn training(&self, seed: u64, epoch: u32, batch: usize, skip: u64) -> Batches<'_> {
        let mut order: Vec<usize> = (0..self.training.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // The first weights come from stream 0, the orders of the epochs from those that follow.
        rng.set_stream(u64::from(epoch));
        order.shuffle(&mut rng);
        let start = usize::try_from(skip).ok().and_then(|skip| skip.checked_mul(batch));
        let mut at = start.map_or(order.len(), |start| start.min(order.len()));
        Box::new(std::iter::from_fn(move || {
            let rows = &order[at..(at + batch).min(order.len())];
            at += rows.len();
            (!rows.is_empty()).then(|| Ok(self.training.select(rows)))
        }))
    }

    fn validation(&self, batch: usize) -> Batches<'_> {
        let rows = &self.validation;
        let starts = (0..rows.len()).step_by(batch);
        Box::new(starts.map(move |start| Ok(rows.slice(start, (start + batch).min(rows.len())))))
    }
}

/// Deals games to training and validation.
struct Split<'a> {
    reading: &'a Reading,
    /// Training, validation.
    rows: [Rows; 2],
    games: [u64; 2],
}

impl Split<'_> {
    /// A game is known by the seed of its dataset and its number: all copies of it go the same way, whatever
    /// dataset or shard they stand in, and stay there when more data are added. So do the games of other agents
    /// that start from the same opening.
    fn push(&mut self, seed: u64, game: &[Sample]) {
        let side = usize::from(fraction(seed, game[0].game) < self.reading.validation);
        self.games[side] += 1;
        for sample in game.iter().filter(|sample| self.reading.takes(sample)) {
            let Sample { ref position, result, value, .. } = *sample;
            self.rows[side].push(position, result, value, FeatureSet::Pits24Lead, self.reading.lambda);
        }
    }

    fn finish(self, width: usize, sources: Vec<String>, fingerprint: String) -> Result<Dataset, DataError> {
        let [training, validation] = self.rows;
        enough(self.games, [training.len() as u64, validation.len() as u64], self.reading)?;
        Ok(Dataset { training, validation, games: self.games, width, sources, fingerprint })
    }
}

/// The manifests of datasets, and the width that they share.
pub(crate) fn manifests(folders: &[PathBuf]) -> Result<(Vec<Manifest>, usize), DataError> {
    let manifests: Vec<_> = folders.iter().map(|folder| Manifest::load(folder)).collect::<Result<_, _>>()?;
    let width = manifests.first().map_or(0, |manifest: &Manifest| manifest.run.variant.width());
    for (folder, manifest) in folders.iter().zip(&manifests) {
        let found = manifest.run.variant.width();
        if found != width {
            let (path, first) = (folder.clone(), folders[0].clone());
            return Err(DataError::Width { path, found, first, wanted: width });
        }
    }
    Ok((manifests, width))
}

/// A dataset in words.
pub(crate) fn describe(data: &Manifest) -> String {
    let run = &data.run;
    format!("{} games of {} by {} (seed {})", data.games, run.variant, run.agent, run.seed)
}

/// Refuses data of which one side of the split would have nothing to go by.
pub(crate) fn enough(games: [u64; 2], rows: [u64; 2], reading: &Reading) -> Result<(), DataError> {
    let all = games.iter().sum();
    if all < FEWEST_GAMES {
        return Err(DataError::TooFew { games: all, rows: rows.iter().sum() });
    }
    let none =
        |of: [u64; 2]| of.iter().position(|&count| count == 0).map(|side| ["training", "validation"][side]);
    if let Some(side) = none(games) {
        return Err(DataError::OneSided { games: all, side, share: reading.validation });
    }
    none(rows).map_or(Ok(()), |side| Err(DataError::OnlyRandom { side }))
}

/// Where between 0 and 1 a game falls: below the share for validation it validates.
pub(crate) fn fraction(seed: u64, game: u64) -> f64 {
    mix(seed, game) as f64 / u64::MAX as f64
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
