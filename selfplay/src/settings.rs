//! What decides the games of a dataset, and how the dataset is cut into parts and dealt to shards.

use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;

pub use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::{AgentSpec, Variant};
use thiserror::Error;

pub use crate::exploration::{Epsilon, Temperature};
pub use crate::format::{Format, Level};
use crate::manifest::tables_folder;
pub use giuthi_engine::Shard;

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
    /// Whether no two games of the whole dataset begin from the same position after their openings.
    pub distinct_openings: bool,
    /// Share of the later moves that are played at random.
    pub epsilon: Epsilon,
    /// Chance among the agent's moves by their values, after the opening; none where the best is always played.
    pub temperature: Option<Temperature>,
    /// Folder of endgame tables that play a game to its end from where they say for certain what it comes to; none where
    /// the agent plays on. An agent's own tables (`tb=`) do so where none are given here.
    pub tables: Option<PathBuf>,
    /// Games in a part; the last part may have fewer.
    pub part_games: NonZeroU64,
    /// How the parts are written.
    pub format: Format,
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
            distinct_openings: false,
            epsilon: Epsilon::default(),
            temperature: None,
            tables: None,
            part_games: DEFAULT_PART_GAMES,
            format: Format::Plain,
            shard: Shard::WHOLE,
            seed,
        }
    }

    /// The folder of the endgame tables that play games to their end: those given, or the agent's own.
    #[must_use]
    pub fn tables_folder(&self) -> Option<PathBuf> {
        self.tables.clone().or_else(|| tables_folder(&self.agent))
    }

    /// Parts of the whole dataset, all shards together.
    #[must_use]
    pub fn part_count(&self) -> u64 {
        self.games.get().div_ceil(self.part_games.get())
    }

    /// The parts of this shard, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Plan> {
        plans(self.games, self.part_games, self.shard, self.format)
    }
}

/// The parts of a shard, in order. Part `k` belongs to shard `k mod N`, and keeps its number and its games whatever the
/// shards, so that the parts of all shards are those of an undivided run.
fn plans(
    games: NonZeroU64,
    part_games: NonZeroU64,
    shard: Shard,
    format: Format,
) -> impl Iterator<Item = Plan> {
    let numbers =
        (u64::from(shard.index())..games.get().div_ceil(part_games.get())).step_by(shard.count() as usize);
    numbers.map(move |number| {
        let first = number * part_games.get();
        let games = first..first.saturating_add(part_games.get()).min(games.get());
        Plan { number, games, format }
    })
}

/// One part of a dataset, before it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Its number in the whole dataset.
    pub(crate) number: u64,
    /// The numbers of its games.
    pub(crate) games: Range<u64>,
    /// How it is written.
    pub(crate) format: Format,
}

impl Plan {
    pub(crate) fn file_name(&self) -> String {
        part_name(self.number, self.format)
    }
}

/// The file name of a part.
pub(crate) fn part_name(number: u64, format: Format) -> String {
    format!("part-{number:05}{}", format.ending())
}

/// Why a text is not a setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// Not a share.
    #[error("a share from 0 to 1 is possible, such as 0.05")]
    Epsilon,
    /// Not a temperature.
    #[error(
        "a number from 0 to {} is possible, such as 0.1; 0 always plays the best move",
        Temperature::MOST
    )]
    Temperature,
    /// Not a level of compression.
    #[error("a whole number from 1 to {} is possible", Level::MOST)]
    Level,
}
