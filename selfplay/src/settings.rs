//! What decides the games of a dataset, and how the dataset is cut into parts and dealt to shards.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;
use std::str::FromStr;

pub use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::{AgentSpec, Variant};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The agent that plays when none is named.
pub const DEFAULT_AGENT: &str = "ab:depth=3";
/// Random plies at the start of a game when nothing else is asked.
pub const DEFAULT_OPENING: OpeningPlies = OpeningPlies::new(6, 12).expect("in order");
/// Games in a part when nothing else is asked.
pub const DEFAULT_PART_GAMES: NonZeroU64 = NonZeroU64::new(1000).expect("not 0");
/// Greatest number of parts of a dataset: their names have five digits.
pub const MOST_PARTS: u64 = 100_000;

/// Everything that a dataset depends on. How many threads play it is no part of it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The variant played.
    pub variant: Variant,
    /// Who plays, on both sides.
    pub agent: AgentSpec,
    /// Games of the whole dataset, all shards together.
    pub games: NonZeroU64,
    /// Random plies at the start of a game.
    pub opening: OpeningPlies,
    /// Share of the later moves that are played at random.
    pub epsilon: Epsilon,
    /// Games in a part; the last part may have fewer.
    pub part_games: NonZeroU64,
    /// Which of the parts are made.
    pub shard: Shard,
    /// Seed of the games' random streams.
    pub seed: u64,
}

impl Settings {
    /// A whole dataset with the defaults for everything that is not handed in.
    #[must_use]
    pub fn new(variant: Variant, agent: AgentSpec, games: NonZeroU64, seed: u64) -> Settings {
        Settings {
            variant,
            agent,
            games,
            opening: DEFAULT_OPENING,
            epsilon: Epsilon::default(),
            part_games: DEFAULT_PART_GAMES,
            shard: Shard::WHOLE,
            seed,
        }
    }

    /// Parts of the whole dataset, all shards together.
    #[must_use]
    pub fn part_count(&self) -> u64 {
        self.games.get().div_ceil(self.part_games.get())
    }

    /// The parts of this shard, in order. Part `k` belongs to shard `k mod N`, and keeps its number and its games
    /// whatever the shards, so that the parts of all shards are those of an undivided run.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Plan> {
        let (games, size) = (self.games.get(), self.part_games.get());
        let numbers = (u64::from(self.shard.index)..self.part_count()).step_by(self.shard.count as usize);
        numbers.map(move |number| {
            let first = number * size;
            Plan { number, games: first..first.saturating_add(size).min(games) }
        })
    }
}

/// One part of a dataset, before it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Its number in the whole dataset.
    pub(crate) number: u64,
    /// The numbers of its games.
    pub(crate) games: Range<u64>,
}

impl Plan {
    pub(crate) fn file_name(&self) -> String {
        format!("part-{:05}.csv", self.number)
    }
}

/// Digits alone, so that a number has one spelling.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Why a text is not a setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// Not a share.
    #[error("a share from 0 to 1 is possible, such as 0.05")]
    Epsilon,
    /// Not a shard.
    #[error("write I/N: the shard's number I, from 0 to N-1, and the number of shards N, such as 0/4")]
    Shard,
}

/// The share of moves played at random after the opening, 0 … 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Epsilon(f64);

impl Epsilon {
    /// The share as a number, 0 … 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Epsilon {
    fn default() -> Self {
        Epsilon(0.02)
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = SettingError;

    fn try_from(share: f64) -> Result<Epsilon, SettingError> {
        // Adding 0 makes a negative zero a plain one.
        if (0.0..=1.0).contains(&share) { Ok(Epsilon(share + 0.0)) } else { Err(SettingError::Epsilon) }
    }
}

impl From<Epsilon> for f64 {
    fn from(epsilon: Epsilon) -> f64 {
        epsilon.0
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Epsilon {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Epsilon, SettingError> {
        text.parse::<f64>().map_err(|_| SettingError::Epsilon)?.try_into()
    }
}

/// One of the shares that a dataset's parts are dealt into. Written `I/N`, `0/1` for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The one shard of an undivided dataset.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Shard `index` of `count`; `None` unless `index < count`.
    #[must_use]
    pub const fn new(index: u32, count: u32) -> Option<Shard> {
        if index < count { Some(Shard { index, count }) } else { None }
    }

    /// Its number, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many shards there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }
}

impl Default for Shard {
    fn default() -> Self {
        Shard::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Shard, SettingError> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            Shard::new(number(index)?, number(count)?)
        };
        parse().ok_or(SettingError::Shard)
    }
}
