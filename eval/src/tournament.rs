//! A tournament played: pairs of games in parallel, each handed on as it is finished.

use std::collections::BTreeMap;
use std::io;
use std::iter::Peekable;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use giuthi_engine::agent::{Factory, LoadError};
use giuthi_engine::{Agent, Clock, Player};
use thiserror::Error;

use crate::drawn::Drawn;
use crate::openings::{OpeningsError, Watch};
use crate::play::{Played, Seat, play};
use crate::programs::{Conduct, Programs};
use crate::rating::{Encounter, Observation, Rating, Unrelated, rate};
use crate::schedule::{Fixture, Schedule};
use crate::settings::{Settings, SettingsError};
use crate::tally::Tally;
use crate::timing::TimeControl;

pub use crate::settings::MAX_GAMES;

/// Why a tournament could not be played.
#[derive(Debug, Error)]
pub enum Error {
    /// The settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// Something an agent needs could not be loaded.
    #[error("agent `{agent}`: {reason}")]
    Load {
        /// The agent's name.
        agent: String,
        /// What is wrong.
        reason: LoadError,
    },
    /// An external program is not there, or is none.
    #[error("agent `{agent}`: {program} cannot be started: {reason}")]
    Program {
        /// The agent's name.
        agent: String,
        /// The program.
        program: String,
        /// Why.
        reason: io::Error,
    },
    /// The programs' logs cannot be written.
    #[error("the logs of external programs: {0}")]
    Logs(io::Error),
}

/// The results of a tournament, or of what has been played of it.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The results counted.
    pub tally: Tally,
    pairings: Vec<[usize; 2]>,
    /// The half-points of the first of each pairing in both games, by the pair's number: three times those of the first
    /// game and those of the second. [`UNPLAYED`] where there are none yet.
    half_points: Vec<u8>,
}

/// Most pairs that a thread keeps back before it hands them on.
const BATCH: usize = 32;
/// Most pairs that a thread plays at once where nobody has to be asked.
const AT_ONCE: usize = 1024;
/// How long a thread keeps back a pair.
const SOON: Duration = Duration::from_millis(2);

const UNPLAYED: u8 = u8::MAX;

/// The half-points of both games.
const fn of_games(half_points: u8) -> [u32; 2] {
    [(half_points / 3) as u32, (half_points % 3) as u32]
}

impl Tournament {
    /// Nothing played yet.
    #[must_use]
    pub fn new(settings: &Settings, schedule: &Schedule) -> Tournament {
        Tournament::of_pairs(settings.agents.len(), schedule.pairings().to_vec(), schedule.pairs())
    }

    /// Nothing played yet of so many pairs, round by round of these pairings.
    pub(crate) fn of_pairs(agents: usize, pairings: Vec<[usize; 2]>, pairs: u64) -> Tournament {
        Tournament { tally: Tally::new(agents), pairings, half_points: vec![UNPLAYED; pairs as usize] }
    }

    /// Counts a pair of games, unless it is counted already.
    pub fn add(&mut self, pair: &[Played; 2]) {
        let number = (pair[0].game / 2) as usize;
        if self.half_points[number] == UNPLAYED {
            let first = pair[0].players[0];
            let [one, two] = [&pair[0], &pair[1]].map(|game| half_points(game, first));
            self.half_points[number] = 3 * one + two;
            pair.iter().for_each(|game| self.tally.add(game));
        }
    }

    /// Whether a pair of this number is counted.
    #[must_use]
    pub fn has(&self, pair: u64) -> bool {
        self.half_points.get(pair as usize).is_some_and(|&points| points != UNPLAYED)
    }

    /// The half-points of the first of a pairing in both games of the pair of this number, if it is counted.
    #[must_use]
    pub fn pair(&self, pair: u64) -> Option<[u32; 2]> {
        self.half_points
            .get(pair as usize)
            .filter(|&&points| points != UNPLAYED)
            .map(|&points| of_games(points))
    }

    /// Which pairs are counted, by their numbers.
    #[must_use]
    pub fn counted(&self) -> Vec<bool> {
        self.half_points.iter().map(|&points| points != UNPLAYED).collect()
    }

    /// What each round came to, pair by pair; rounds of which nothing is counted are passed over.
    #[must_use]
    pub fn rounds(&self) -> Vec<Observation> {
        let rounds = self.half_points.chunks(self.pairings.len().max(1));
        let played = |points: &[u8]| -> Observation {
            let pairs = self.pairings.iter().zip(points).filter(|(_, points)| **points != UNPLAYED);
            let encounter = |(&agents, &points): (&[usize; 2], &u8)| Encounter {
                agents,
                games: 2,
                half_points: of_games(points).iter().sum(),
            };
            pairs.map(encounter).collect()
        };
        rounds.map(played).filter(|round| !round.is_empty()).collect()
    }

    /// The agents' ratings, in the order of the agents.
    ///
    /// # Errors
    /// [`Unrelated`] where what was played does not connect all agents.
    pub fn rated(&self) -> Result<Vec<Rating>, Unrelated> {
        rate(self.tally.agents(), &self.rounds())
    }

    /// The agents' ratings after a whole tournament, in the order of the agents.
    ///
    /// # Panics
    /// When what was played does not connect all agents.
    #[must_use]
    pub fn ratings(&self) -> Vec<Rating> {
        self.rated().expect("in a whole tournament games connect all agents")
    }
}

/// What an agent got for a game: 2 a win, 1 a draw.
fn half_points(game: &Played, agent: usize) -> u8 {
    let seat = if game.players[0] == agent { Player::South } else { Player::North };
    (game.course.outcome.result_for(seat) + 1) as u8
}

/// Plays a tournament: [`Settings::prepare`] and [`Prepared::run`].
///
/// # Errors
/// [`crate::Error`] for bad settings and an agent that cannot be loaded; whatever the observer returns.
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
    /// `None` for external programs.
    factories: Vec<Option<Factory>>,
    /// Which agents choose at random, so that nobody has to ask them; none where their time counts.
    random: Vec<bool>,
}

/// What a run works with, beside the settings.
pub struct Means<'a> {
    /// The time.
    pub clock: &'a dyn Clock,
    /// Set by another thread when no more pairs should be begun.
    pub stop: &'a AtomicBool,
    /// Folder for what external programs write to stderr, and for their faults; nothing is kept without one.
    pub logs: Option<&'a Path>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(settings: &'a Settings, watch: Watch<'_>) -> Result<Prepared<'a>, Error> {
        let load = |agent: &giuthi_engine::AgentSpec| match agent.command() {
            // What a program is worth shows at the board; here only that there is one.
            Some(command) => match giuthi_engine::ugi::bot::Bot::start(&command[0], &command[1..]) {
                Ok(_) => Ok(None),
                Err(reason) => {
                    let program = command[0].to_string_lossy().into_owned();
                    Err(Error::Program { agent: agent.label().to_owned(), program, reason })
                }
            },
            None => match agent.load(settings.variant.width()) {
                Ok(factory) => Ok(Some(factory)),
                Err(reason) => Err(Error::Load { agent: agent.label().to_owned(), reason }),
            },
        };
        let factories = settings.agents.iter().map(load).collect::<Result<Vec<Option<Factory>>, _>>()?;
        let timed = settings.timing.control.is_some_and(TimeControl::is_timed);
        let is_random = |factory: &Option<Factory>| factory.as_ref().is_some_and(|new| new().is_random());
        let random = factories.iter().map(|factory| !timed && is_random(factory)).collect();
        let schedule = settings.schedule(watch)?;
        Ok(Prepared { settings, schedule, factories, random })
    }

    /// Who plays whom, from which openings.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The pairs of games of the settings' shard, by their numbers.
    pub fn pairs(&self) -> impl Iterator<Item = u64> + Send + use<'_> {
        let shard = self.settings.shard;
        (0..self.schedule.pairs()).filter(move |&pair| shard.has(pair))
    }

    /// Plays the games of the settings' shard. The observer is told every pair of them in the order of the schedule, as
    /// soon as all before it are finished too; an error of its own ends the tournament.
    ///
    /// The games depend on the settings alone, the number of jobs excepted, unless time tells on them.
    ///
    /// # Errors
    /// Whatever the observer returns.
    pub fn run<E: From<Error>>(
        &self,
        clock: &dyn Clock,
        mut observe: impl FnMut(&[Played; 2]) -> Result<(), E>,
    ) -> Result<Tournament, E> {
        let mut tournament = Tournament::new(self.settings, &self.schedule);
        let mut early = BTreeMap::new();
        let mut next = self.pairs();
        let mut wanted = next.next();
        let means = Means { clock, stop: &AtomicBool::new(false), logs: None };
        self.run_each(
            &means,
            self.pairs(),
            |pairs| pairs,
            |pairs| -> Result<(), E> {
                early.extend(pairs.into_iter().map(|pair| (pair[0].game / 2, pair)));
                while let Some(pair) = wanted.and_then(|wanted| early.remove(&wanted)) {
                    observe(&pair)?;
                    tournament.add(&pair);
                    wanted = next.next();
                }
                Ok(())
            },
        )?;
        Ok(tournament)
    }

    /// Plays pairs of games of these numbers. They are handed on by the handful, as soon as they are finished, in whatever
    /// order: what `digest` makes of some, on the thread that played them, is handed to the observer; an error of the
    /// observer ends it all. Returns how external programs behaved.
    ///
    /// # Errors
    /// [`Error::Logs`]; whatever the observer returns.
    pub fn run_each<T: Send, E: From<Error>>(
        &self,
        means: &Means<'_>,
        pairs: impl Iterator<Item = u64> + Send,
        digest: impl Fn(Vec<[Played; 2]>) -> T + Sync,
        mut observe: impl FnMut(T) -> Result<(), E>,
    ) -> Result<Vec<Conduct>, E> {
        let jobs = self.settings.jobs;
        let programs = &Programs::new(self.settings, means.logs).map_err(Error::Logs)?;
        let pairs = &Mutex::new(pairs.peekable());
        let digest = &digest;
        thread::scope(|scope| -> Result<(), E> {
            // Bounded, so that players wait for a writer that cannot keep up.
            let (sender, receiver) = sync_channel::<T>(2 * jobs);
            for _ in 0..jobs {
                let sender = sender.clone();
                scope.spawn(move || {
                    // Pairs that take no time are handed on by the handful: waking the other side costs as much as
                    // playing them.
                    let (mut batch, mut next) = (Vec::new(), Vec::new());
                    let mut drawn = Drawn::new(self.settings.variant);
                    let mut begun = means.clock.now();
                    while !means.stop.load(Ordering::Relaxed) {
                        self.next(&mut pairs.lock().unwrap_or_else(PoisonError::into_inner), &mut next);
                        match next[..] {
                            [] => break,
                            [first, ..] if self.is_drawn(first) => {
                                batch.append(&mut drawn.play(&self.schedule, &next, means.clock));
                            }
                            _ => batch.extend(next.iter().map(|number| {
                                [2 * number, 2 * number + 1].map(|game| self.play(game, programs, means))
                            })),
                        }
                        let now = means.clock.now();
                        if batch.len() >= BATCH || now.saturating_sub(begun) >= SOON {
                            // Nobody listens any more after an error.
                            if sender.send(digest(std::mem::take(&mut batch))).is_err() {
                                return;
                            }
                            begun = now;
                        }
                    }
                    if !batch.is_empty() {
                        let _ = sender.send(digest(batch));
                    }
                });
            }
            drop(sender);
            // Owned by this closure, so that an error drops it and the threads stop.
            let receiver = receiver;
            for made in &receiver {
                observe(made)?;
            }
            Ok(())
        })?;
        programs.end_all(means.clock);
        Ok(programs.conduct())
    }

    /// The pairs that a thread plays next: one, or all that follow in which nobody has to be asked.
    fn next(&self, pairs: &mut Peekable<impl Iterator<Item = u64>>, next: &mut Vec<u64>) {
        next.clear();
        next.extend(pairs.next());
        if next.first().is_some_and(|&pair| self.is_drawn(pair)) {
            while next.len() < AT_ONCE
                && let Some(pair) = pairs.next_if(|&pair| self.is_drawn(pair))
            {
                next.push(pair);
            }
        }
    }

    /// Whether all moves of a pair are drawn at random.
    fn is_drawn(&self, pair: u64) -> bool {
        self.schedule.fixture(2 * pair).players.iter().all(|&agent| self.random[agent])
    }

    fn play(&self, game: u64, programs: &Programs<'_>, means: &Means<'_>) -> Played {
        let Fixture { round, players, .. } = self.schedule.fixture(game);
        let opening = self.schedule.opening(round);
        let mut streams = self.schedule.streams(game);
        let mut seats = players.map(|agent| self.seat(agent, programs, means.clock));
        let (course, failed) =
            play(self.settings.variant, opening, &mut seats, &mut streams, self.settings.timing, means.clock);
        for ((seat, agent), player) in seats.into_iter().zip(players).zip(Player::BOTH) {
            let fault = failed.as_ref().filter(|(loser, _)| *loser == player).map(|(_, fault)| fault);
            match (seat, fault) {
                (Seat::Program(session), None) => programs.give_back(agent, session),
                (Seat::Program(session), Some(fault)) => programs.failed(agent, Some(session), game, fault),
                (Seat::Absent(fault), _) => programs.failed(agent, None, game, &fault),
                (Seat::Agent(_), _) => {}
            }
        }
        Played { game, round, players, course }
    }

    fn seat(&self, agent: usize, programs: &Programs<'_>, clock: &dyn Clock) -> Seat {
        match &self.factories[agent] {
            // Fresh agents: nothing that one remembers crosses from game to game.
            Some(factory) => Seat::Agent(factory() as Box<dyn Agent>),
            None => match programs.take(agent, clock) {
                Some(Ok(session)) => Seat::Program(session),
                Some(Err(fault)) => Seat::Absent(fault),
                None => unreachable!("agents of ours have a factory"),
            },
        }
    }
}
