//! What a dataset holds: counts over all its rows, each of which is checked on the way.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use giuthi_engine::{Game, Move, MoveKind, Sample};
use thiserror::Error;

use crate::check::{Observer, PartError, replay};
use crate::distinct::Distinct;
use crate::each_part::each_part;
use crate::manifest::{Manifest, ManifestError};
use crate::summary::Tally;

/// The first ply of each band of plies that values are told apart by.
pub const BANDS: [u32; 6] = [0, 10, 20, 40, 80, 160];
/// Equal ranges of the value from -1 to 1.
pub const BINS: usize = 20;

/// Values against results, of the rows whose value falls into one range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Rows.
    pub rows: u64,
    /// Sum of their values in ten-thousandths: whole, so that it does not depend on the order of the rows.
    values: i64,
    /// Sum of their results.
    results: i64,
}

impl Bin {
    /// The mean value, -1 … 1; 0 for no rows.
    #[must_use]
    pub fn mean_value(&self) -> f64 {
        self.values as f64 / 1e4 / self.rows.max(1) as f64
    }

    /// The mean result, -1 … 1; 0 for no rows.
    #[must_use]
    pub fn mean_result(&self) -> f64 {
        self.results as f64 / self.rows.max(1) as f64
    }

    fn add(&mut self, other: Bin) {
        self.rows += other.rows;
        self.values += other.values;
        self.results += other.results;
    }
}

/// Several bins as one.
#[must_use]
pub fn sum<'a>(bins: impl IntoIterator<Item = &'a Bin>) -> Bin {
    let mut sum = Bin::default();
    bins.into_iter().for_each(|&bin| sum.add(bin));
    sum
}

/// The mean distance between value and result over ranges of the value, each counted by its rows.
#[must_use]
pub fn calibration_error(bins: &[Bin]) -> f64 {
    let off = |bin: &Bin| bin.rows as f64 * (bin.mean_value() - bin.mean_result()).abs();
    bins.iter().map(off).sum::<f64>() / sum(bins).rows.max(1) as f64
}

/// Counts over the rows of datasets of boards of one width. They do not depend on the order of the games.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Results, endings, sources of moves, extra moves.
    pub tally: Tally,
    /// Moves that captured.
    pub captures: u64,
    /// Games by their plies.
    pub lengths: BTreeMap<u32, u64>,
    /// Rows with a value by ply ([`BANDS`]) and value.
    pub bins: [[Bin; BINS]; BANDS.len()],
    /// Sums over all rows: `ply`, `player`, pits, piles, `result`, `margin`, as the columns stand; `game` apart.
    sums: Vec<i64>,
    games_sum: u128,
    positions: Distinct,
    different_games: Distinct,
}

impl Stats {
    fn add(&mut self, game: &Game, rows: &[Sample]) {
        self.tally.add(game, rows.iter().map(|row| row.source));
        *self.lengths.entry(rows.len() as u32).or_default() += 1;
        let moves: Vec<Move> = rows.iter().map(|row| row.mv).collect();
        self.different_games.insert(&moves);
        for (row, ply) in rows.iter().zip(game.plies()) {
            self.captures += u64::from(ply.sowing.kind == MoveKind::Capture);
            self.positions.insert(&row.position);
            if let Some(value) = row.value {
                let band = BANDS.iter().rposition(|&first| first <= row.ply).unwrap_or(0);
                let values = (f64::from(value) * 1e4).round() as i64;
                // From the whole number, so that the bounds are where they are read.
                let bin = ((values + 10_000) * BINS as i64 / 20_000).clamp(0, BINS as i64 - 1);
                self.bins[band][bin as usize].add(Bin { rows: 1, values, results: row.result.into() });
            }
            self.sum_up(row);
        }
    }

    fn sum_up(&mut self, row: &Sample) {
        self.games_sum += u128::from(row.game);
        let pits = row.position.board().pits();
        let piles = row.position.piles();
        let seeds = pits.iter().chain(&piles).map(|&seeds| i64::from(seeds));
        let before = [i64::from(row.ply), row.player().index() as i64];
        let numbers = before.into_iter().chain(seeds).chain([row.result.into(), row.margin.into()]);
        self.sums.resize(pits.len() + 6, 0);
        self.sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }

    fn merge(&mut self, other: &Stats) {
        self.tally.merge(&other.tally);
        self.captures += other.captures;
        for (&plies, games) in &other.lengths {
            *self.lengths.entry(plies).or_default() += games;
        }
        let bins = self.bins.as_flattened_mut().iter_mut().zip(other.bins.as_flattened());
        bins.for_each(|(mine, other)| mine.add(*other));
        self.sums.resize(self.sums.len().max(other.sums.len()), 0);
        self.sums.iter_mut().zip(&other.sums).for_each(|(mine, other)| *mine += other);
        self.games_sum += other.games_sum;
        self.positions.merge(&other.positions);
        self.different_games.merge(&other.different_games);
    }

    /// Games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.tally.games()
    }

    /// Rows, forced passes among them.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tally.rows()
    }

    /// Different positions, and whether that is exact; where it is not, its standard error is 0.2 %.
    #[must_use]
    pub fn positions(&self) -> (u64, bool) {
        self.positions.count()
    }

    /// Games that differ in a move, and whether that is exact, as for positions.
    #[must_use]
    pub fn different_games(&self) -> (u64, bool) {
        self.different_games.count()
    }

    /// The length in plies that this share of the games does not exceed; 0 without games.
    #[must_use]
    pub fn plies_at(&self, share: f64) -> u32 {
        let wanted = (share * self.games() as f64).ceil().max(1.0) as u64;
        let mut games = 0;
        let reached = self.lengths.iter().find(|(_, count)| {
            games += **count;
            games >= wanted
        });
        reached.map_or(0, |(&plies, _)| plies)
    }

    /// Sums over all rows of the columns that hold numbers, by their names, `value` not among them.
    #[must_use]
    pub fn sums(&self) -> Vec<(String, i128)> {
        let width = self.sums.len().saturating_sub(6) / 2;
        let names = giuthi_engine::sample::columns(width);
        // All but the number of the game, and after the piles but `result` and `margin`.
        let places = (1..2 * width + 5).chain([2 * width + 8, 2 * width + 9]);
        let rest = places.map(|at| names[at].clone()).zip(self.sums.iter().map(|&sum| sum.into()));
        std::iter::once(("game".to_owned(), self.games_sum as i128)).chain(rest).collect()
    }
}

/// Why there are no statistics.
#[derive(Debug, Error)]
pub enum StatsError {
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A part.
    #[error(transparent)]
    Part(#[from] PartError),
    /// Boards of different widths have no columns in common.
    #[error("{}: boards of width {found}, but those before have width {wanted}: look at them one by one", path.display())]
    Width {
        /// The dataset.
        path: PathBuf,
        /// Its width.
        found: usize,
        /// That of the datasets before.
        wanted: usize,
    },
}

/// Counts over all rows of datasets. `progress` is told, at the beginning and after each part, how many rows have been
/// read and how many there are in all.
///
/// # Errors
/// What cannot be read or is wrong, with its place.
pub fn stats(
    folders: &[PathBuf],
    threads: NonZeroUsize,
    mut progress: impl FnMut(u64, u64),
) -> Result<Stats, StatsError> {
    let mut tasks = Vec::new();
    let mut total = 0u64;
    let mut width = None;
    for folder in folders {
        let Manifest { run, rows, parts, .. } = Manifest::load(folder)?;
        let (found, wanted) = (run.variant.width(), *width.get_or_insert(run.variant.width()));
        if found != wanted {
            return Err(StatsError::Width { path: folder.clone(), found, wanted });
        }
        total = total.saturating_add(rows);
        tasks.extend(parts.into_iter().map(|part| (folder.join(&part.file), run.variant, part.rows)));
    }
    let (mut done, mut failed) = (0, None);
    progress(done, total);
    let work = |stats: &mut Stats, (path, variant, _): &(PathBuf, _, u64)| {
        replay(path.as_path() as &Path, *variant, None, &mut Counting(stats)).map(drop)
    };
    let all = each_part(&tasks, threads, Stats::default, work, |(_, _, rows), result| {
        failed = result.err();
        done += rows;
        progress(done, total);
        failed.is_none()
    });
    match failed {
        Some(error) => Err(error.into()),
        None => {
            let mut sum = Stats::default();
            all.iter().for_each(|stats| sum.merge(stats));
            Ok(sum)
        }
    }
}

struct Counting<'a>(&'a mut Stats);

impl Observer for Counting<'_> {
    fn game(&mut self, game: &Game, rows: &[Sample], _line: u64) {
        self.0.add(game, rows);
    }

    fn fault(&mut self, fault: PartError) -> Result<(), PartError> {
        Err(fault)
    }
}
