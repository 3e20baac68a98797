//! What the tests of this crate share: small datasets, and what stands in them by other means than the reader's.

#![allow(dead_code, reason = "every test file uses some of it")]

use std::fs;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use giuthi_engine::Sample;
use giuthi_engine::agent::NoClock;
use giuthi_selfplay::{Manifest, Settings, Shard, generate};
use giuthi_train::data::{DataError, Dataset, RandomRows, Reading, Rows};
use giuthi_train::fit::{FitError, Fitted, Observer, Settings as FitSettings, Step, fit};
use giuthi_train::metrics::Epoch;
use giuthi_train::source::Source;
use tch::Device;

/// Results alone, a quarter for validation.
pub(crate) const READING: Reading = Reading { lambda: 0.0, validation: 0.25, random_rows: RandomRows::Keep };

/// An observer of two closures, which keeps nothing.
pub(crate) struct Telling<S, E>(pub(crate) S, pub(crate) E);

impl<S: FnMut(Step), E: FnMut(&Epoch)> Observer for Telling<S, E> {
    fn step(&mut self, step: Step) {
        self.0(step);
    }

    fn epoch(&mut self, epoch: &Epoch) {
        self.1(epoch);
    }
}

/// A fit on the CPU, from the beginning, that nobody watches.
pub(crate) fn fit_quietly(data: &dyn Source, settings: &FitSettings) -> Result<Fitted, FitError> {
    fit(data, settings, Device::Cpu, &NoClock, None, &mut Telling(|_| {}, |_: &Epoch| {}))
}

/// Makes a dataset in parts of 25 games.
pub(crate) fn make(dir: &Path, variant: &str, agent: &str, games: u64, seed: u64) {
    make_shard(dir, variant, agent, games, seed, Shard::WHOLE);
}

pub(crate) fn make_shard(dir: &Path, variant: &str, agent: &str, games: u64, seed: u64, shard: Shard) {
    let number = |number| NonZeroU64::new(number).unwrap();
    let whole = Settings::new(variant.parse().unwrap(), agent.parse().unwrap(), number(games), seed);
    let settings = Settings { part_games: number(25), shard, ..whole };
    generate(&settings, dir, NonZeroUsize::MIN, &NoClock, |_| {}).unwrap();
}

pub(crate) fn read(folders: &[&Path], reading: &Reading) -> Result<Dataset, DataError> {
    let folders: Vec<PathBuf> = folders.iter().map(|&folder| folder.to_owned()).collect();
    Dataset::read(&folders, reading, |_, _| {})
}

/// The games of a dataset, each as its rows, split at the commas and read by [`Sample::read`].
pub(crate) fn games(dir: &Path) -> Vec<Vec<Sample>> {
    let manifest = Manifest::load(dir).unwrap();
    let mut games: Vec<Vec<Sample>> = Vec::new();
    for part in &manifest.parts {
        for line in fs::read_to_string(dir.join(&part.file)).unwrap().lines().skip(1) {
            let sample =
                Sample::read(&line.split(',').collect::<Vec<_>>().into(), manifest.run.variant.width());
            let sample = sample.unwrap();
            match games.last_mut().filter(|game| game[0].game == sample.game) {
                Some(game) => game.push(sample),
                None => games.push(vec![sample]),
            }
        }
    }
    games
}

/// What the network should see of a row: by the words of data/README.md, not by the code.
pub(crate) fn encoded(sample: &Sample) -> (Vec<i32>, f32) {
    let position = &sample.position;
    let (pits, width, player) = (position.board().pits(), position.width(), position.to_move().index());
    let seeds = |pit: usize| if player == 1 { pits[pit] } else { pits[(pit + width) % (2 * width)] };
    let categories = (0..2 * width).map(|pit| (24 * pit) as i32 + i32::from(seeds(pit).min(23))).collect();
    let [own, other] = [player, 1 - player].map(|player| f32::from(position.piles()[player]));
    (categories, (own - other) / 16.0)
}

/// The side of each game of `games` in a dataset made of these games in this order, `true` for validation. Whatever
/// is not there as whole games, each on one side, in order and rightly encoded, fails.
pub(crate) fn sides(data: &Dataset, games: &[Vec<Sample>]) -> Vec<bool> {
    let both = [&data.training, &data.validation];
    let mut read = [0, 0];
    let mut counts = [0, 0];
    let mut sides = Vec::new();
    for game in games {
        let wanted: Vec<_> = game.iter().map(|row| (encoded(row), 1 - i64::from(row.result))).collect();
        let fits =
            |side: usize| rows(both[side], data.width()).skip(read[side]).take(game.len()).eq(wanted.clone());
        let side =
            (0..2).find(|&side| fits(side)).unwrap_or_else(|| panic!("game {} is not there", game[0].game));
        read[side] += game.len();
        counts[side] += 1;
        sides.push(side == 1);
    }
    assert_eq!(read, both.map(Rows::len), "rows that are no game's");
    assert_eq!(counts, data.games);
    sides
}

fn rows(rows: &Rows, width: usize) -> impl Iterator<Item = ((Vec<i32>, f32), i64)> {
    let lengths =
        [rows.categories.len() / (2 * width), rows.leads.len(), rows.targets.len(), rows.results.len()];
    assert_eq!(lengths, [rows.len(); 4]);
    let categories = rows.categories.chunks_exact(2 * width).map(<[i32]>::to_vec);
    categories.zip(rows.leads.iter().copied()).zip(rows.results.iter().copied())
}
