//! A round robin: its settings, its games played in parallel and handed on in order.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use giuthi_engine::agent::{Factory, LoadError};
use giuthi_engine::opening::{OpeningError, OpeningPlies};
use giuthi_engine::{AgentSpec, Clock, Player, Variant};
use thiserror::Error;

use crate::play::{Fault, Played, play};
use crate::rating::{Encounter, Observation, Rating, rate};
use crate::schedule::{Fixture, Schedule};
use crate::tally::Tally;

/// Greatest number of games a pairing.
pub const MAX_GAMES: u32 = 1_000_000;

/// What a tournament is. All of it is checked by [`Settings::check`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// The variant played.
    pub variant: Variant,
    /// Who plays: two agents at least, every one under a name of its own.
    pub agents: Vec<AgentSpec>,
    /// Games of every two agents: an even number, since each opening is played from both seats.
    pub games: u32,
    /// Random plies that games open with.
    pub opening_plies: OpeningPlies,
    /// Fixes all randomness: without agents that look at a clock, the same seed gives the same games.
    pub seed: u64,
    /// Games played at the same time, 1 at least. The games do not depend on it.
    pub threads: usize,
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
    /// A bad number of games.
    #[error(
        "{0} games a pairing: an even number from 2 to {MAX_GAMES} is possible, since each opening is played twice, from both seats"
    )]
    Games(u32),
    /// No thread.
    #[error("0 threads: 1 at least is needed")]
    Threads,
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
        if !(2..=MAX_GAMES).contains(&self.games) || !self.games.is_multiple_of(2) {
            return Err(SettingsError::Games(self.games));
        }
        if self.threads == 0 {
            return Err(SettingsError::Threads);
        }
        Ok(())
    }

    /// The agents' names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.agents.iter().map(AgentSpec::label).collect()
    }

    /// Games in all.
    #[must_use]
    pub fn games_in_all(&self) -> u64 {
        let agents = self.agents.len() as u64;
        u64::from(self.games) * agents * agents.saturating_sub(1) / 2
    }

    /// Checks the settings, draws the openings and loads what the agents need.
    pub fn prepare(&self) -> Result<Prepared<'_>, Error> {
        self.check()?;
        let rounds = u64::from(self.games / 2);
        let schedule =
            Schedule::round_robin(self.agents.len(), self.variant, rounds, self.opening_plies, self.seed)?;
        let load = |agent: &AgentSpec| {
            agent
                .load(self.variant.width())
                .map_err(|reason| Error::Load { agent: agent.label().to_owned(), reason })
        };
        let factories = self.agents.iter().map(load).collect::<Result<_, _>>()?;
        Ok(Prepared { settings: self, schedule, factories })
    }
}

/// Why a tournament could not be played.
#[derive(Debug, Error)]
pub enum Error {
    /// The settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The openings.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Something an agent needs could not be loaded.
    #[error("agent `{agent}`: {reason}")]
    Load {
        /// The agent's name.
        agent: String,
        /// What is wrong.
        reason: LoadError,
    },
    /// An agent chose an illegal move.
    #[error("game {game}: agent `{agent}`, {fault}")]
    Fault {
        /// The game's number.
        game: u64,
        /// The agent's name.
        agent: String,
        /// What it did.
        fault: Fault,
    },
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A tournament that has been played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Every game, by its number.
    pub games: Vec<Played>,
    /// The results counted.
    pub tally: Tally,
}

impl Tournament {
    /// What each round came to, pair by pair.
    #[must_use]
    pub fn rounds(&self) -> Vec<Observation> {
        let encounter = |pair: &[Played]| Encounter {
            agents: pair[0].players,
            games: pair.len() as u32,
            half_points: pair.iter().map(|game| half_points(game, pair[0].players[0])).sum(),
        };
        let rounds = self.games.chunk_by(|a, b| a.round == b.round);
        rounds.map(|games| games.chunks(2).map(encounter).collect()).collect()
    }

    /// The agents' ratings, in the order of the agents.
    #[must_use]
    pub fn ratings(&self) -> Vec<Rating> {
        rate(self.tally.agents(), &self.rounds()).expect("in a round robin all agents meet")
    }
}

/// What an agent got for a game: 2 a win, 1 a draw.
fn half_points(game: &Played, agent: usize) -> u32 {
    let seat = if game.players[0] == agent { Player::South } else { Player::North };
    (game.course.outcome.result_for(seat) + 1) as u32
}

/// Plays a tournament: [`Settings::prepare`] and [`Prepared::run`].
///
/// # Errors
/// [`crate::Error`] for bad settings, an agent that cannot be loaded or plays an illegal move; whatever the observer returns.
pub fn run<E: From<Error>>(
    settings: &Settings,
    clock: &dyn Clock,
    observe: impl FnMut(&[Played; 2]) -> Result<(), E>,
) -> Result<Tournament, E> {
    settings.prepare()?.run(clock, observe)
}

/// A tournament about to be played.
pub struct Prepared<'a> {
    settings: &'a Settings,
    schedule: Schedule,
    factories: Vec<Factory>,
}

impl Prepared<'_> {
    /// Who plays whom, from which openings.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Plays the games. The observer is told every pair of them in the order of the schedule, as soon as all before
    /// it are finished too; an error of its own ends the tournament.
    ///
    /// The games depend on the settings alone, the number of threads excepted, unless an agent looks at the clock.
    ///
    /// # Errors
    /// [`crate::Error`] where an agent plays an illegal move; whatever the observer returns.
    pub fn run<E: From<Error>>(
        &self,
        clock: &dyn Clock,
        mut observe: impl FnMut(&[Played; 2]) -> Result<(), E>,
    ) -> Result<Tournament, E> {
        let threads = self.settings.threads;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Error::Threads)?;
        let next = &AtomicU64::new(0);
        let (sender, receiver) = mpsc::channel();
        let mut tournament = Tournament { games: Vec::new(), tally: Tally::new(self.factories.len()) };
        pool.in_place_scope(|scope| -> Result<(), E> {
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(move |_| {
                    // One game after another, not ranges of them, so that the first ones are finished first.
                    loop {
                        let game = next.fetch_add(1, Ordering::Relaxed);
                        // Nobody listens any more after an error.
                        if game >= self.schedule.games() || sender.send(self.play(game, clock)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            // Owned by this closure, so that an error drops it and the threads stop.
            let receiver = receiver;
            let mut early = BTreeMap::new();
            for played in &receiver {
                let played = played?;
                early.insert(played.game, played);
                while let Some(pair) = take_pair(&mut early, tournament.games.len() as u64) {
                    observe(&pair)?;
                    for game in pair {
                        tournament.tally.add(&game);
                        tournament.games.push(game);
                    }
                }
            }
            Ok(())
        })?;
        Ok(tournament)
    }

    fn play(&self, game: u64, clock: &dyn Clock) -> Result<Played, Error> {
        let Fixture { round, players, .. } = self.schedule.fixture(game);
        let opening = self.schedule.opening(round);
        // Fresh agents: nothing that one remembers crosses from game to game.
        let agents = players.map(|agent| self.factories[agent]());
        let streams = self.schedule.streams(game);
        let course = play(self.settings.variant, opening, agents, streams, clock).map_err(|fault| {
            let agent = self.settings.agents[players[fault.player.index()]].label().to_owned();
            Error::Fault { game, agent, fault }
        })?;
        Ok(Played { game, round, players, course })
    }
}

/// The pair of games that starts with `first`, once both are there.
fn take_pair(early: &mut BTreeMap<u64, Played>, first: u64) -> Option<[Played; 2]> {
    if !early.contains_key(&(first + 1)) {
        return None;
    }
    let game = early.remove(&first)?;
    Some([game, early.remove(&(first + 1)).expect("it is there: looked up above")])
}
