//! What a tournament is, checked before anything is played.

use std::collections::HashSet;

use giuthi_engine::ugi::session::Waits;
use giuthi_engine::{AgentSpec, Variant};
use thiserror::Error;

use crate::openings::{Decided, Openings, Watch};
use crate::schedule::{Format, Schedule};
use crate::timing::{TimeControl, Timing};
use crate::tournament::{Error, Prepared};
use giuthi_engine::Shard;

/// Greatest number of games a pairing.
pub const MAX_GAMES: u32 = 1_000_000;

/// What a tournament is. All of it is checked by [`Settings::check`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// The variant played.
    pub variant: Variant,
    /// Who plays: two agents at least, every one under a name of its own.
    pub agents: Vec<AgentSpec>,
    /// Who meets whom.
    pub format: Format,
    /// Games of every two agents that meet: an even number, since each opening is played from both seats.
    pub games: u32,
    /// What games open with.
    pub openings: Openings,
    /// Which random openings are left out as decided (a list of openings has been sifted already).
    pub decided: Option<Decided>,
    /// How time is kept.
    pub timing: Timing,
    /// How long external programs are waited for.
    pub waits: Waits,
    /// Fixes all randomness: without agents that look at a clock, the same seed gives the same games.
    pub seed: u64,
    /// Games played at the same time, 1 at least. The games do not depend on it.
    pub jobs: usize,
    /// Which pairs of games are played here.
    pub shard: Shard,
}

impl Default for Settings {
    /// A round robin of nobody: four random plies, nothing left out, seed 0, one game at a time.
    fn default() -> Settings {
        let plies = giuthi_engine::opening::OpeningPlies::new(4, 4).expect("the right way round");
        Settings {
            variant: Variant::default(),
            agents: Vec::new(),
            format: Format::RoundRobin,
            games: 0,
            openings: Openings::Random(plies),
            decided: None,
            timing: Timing::default(),
            waits: Waits::default(),
            seed: 0,
            jobs: 1,
            shard: Shard::WHOLE,
        }
    }
}

/// What is wrong with [`Settings`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// Too few agents.
    #[error("a tournament needs two agents at least, and {0} is given")]
    Agents(usize),
    /// Two agents of the same name.
    #[error("two agents are called `{0}`: tell them apart by a label before the spec, such as a@{0}")]
    SameName(String),
    /// Nobody for the heroes to meet.
    #[error("all {0} agents are heroes, and nobody is left for them to meet")]
    AllHeroes(usize),
    /// A bad number of games.
    #[error(
        "{0} games a pairing: an even number from 2 to {MAX_GAMES} is possible, since each opening is played twice, from both seats"
    )]
    Games(u32),
    /// More games than openings.
    #[error("{games} games a pairing need {} openings, and there are {there}: ask for at most {} games", games / 2, 2 * there)]
    FewOpenings {
        /// The games asked for.
        games: u32,
        /// How many openings there are.
        there: u64,
    },
    /// No job.
    #[error("0 jobs: 1 at least is needed")]
    Jobs,
}

impl Settings {
    /// Checks the settings against each other and their bounds.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.agents.len() < 2 {
            return Err(SettingsError::Agents(self.agents.len()));
        }
        let mut names = HashSet::new();
        if let Some(same) = self.agents.iter().find(|agent| !names.insert(agent.label())) {
            return Err(SettingsError::SameName(same.label().to_owned()));
        }
        if self.pairings().is_empty() {
            return Err(SettingsError::AllHeroes(self.agents.len()));
        }
        if !(2..=MAX_GAMES).contains(&self.games) || !self.games.is_multiple_of(2) {
            return Err(SettingsError::Games(self.games));
        }
        if let Openings::Listed(list) = &self.openings {
            let there = list.chosen().openings.len() as u64;
            if u64::from(self.games / 2) > there {
                return Err(SettingsError::FewOpenings { games: self.games, there });
            }
        }
        if self.jobs == 0 {
            return Err(SettingsError::Jobs);
        }
        Ok(())
    }

    /// The agents' names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.agents.iter().map(AgentSpec::label).collect()
    }

    fn pairings(&self) -> Vec<[usize; 2]> {
        self.format.pairings(self.agents.len())
    }

    /// Games in all, all shards together.
    #[must_use]
    pub fn games_in_all(&self) -> u64 {
        u64::from(self.games) * self.pairings().len() as u64
    }

    /// Whether time tells on the games, so that they cannot be repeated exactly.
    #[must_use]
    pub fn clocked(&self) -> bool {
        self.timing.control.is_some_and(TimeControl::is_timed) || self.agents.iter().any(AgentSpec::clocked)
    }

    /// Most processes that one game keeps busy: each external program in it may think at any time.
    #[must_use]
    pub fn processes(&self) -> usize {
        let external = |agent: usize| usize::from(self.agents[agent].command().is_some());
        self.pairings()
            .iter()
            .map(|pair| pair.iter().map(|&agent| external(agent)).sum())
            .max()
            .unwrap_or(1)
            .max(1)
    }

    /// Checks the settings, draws the openings and loads what the agents need.
    pub fn prepare(&self) -> Result<Prepared<'_>, Error> {
        self.prepare_watched(&mut |_, _| true)
    }

    /// [`Settings::prepare`], with somebody who is told how far the openings are and may stop it.
    pub fn prepare_watched(&self, watch: Watch<'_>) -> Result<Prepared<'_>, Error> {
        self.check()?;
        Prepared::new(self, watch)
    }

    /// The games in order.
    pub(crate) fn schedule(&self, watch: Watch<'_>) -> Result<Schedule, Error> {
        let rounds = u64::from(self.games / 2);
        let chosen = match &self.openings {
            Openings::Random(plies) => {
                crate::openings::draw(self.variant, rounds, *plies, self.decided, self.seed, watch)?
            }
            Openings::Listed(list) => list.first(rounds),
        };
        Ok(Schedule::new(self.pairings(), chosen, self.seed))
    }
}
