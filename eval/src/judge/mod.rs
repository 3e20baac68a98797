//! Networks and agents judged by endgame tables: how often the value they give a position is right, and how often their
//! move keeps it. Unlike a rating it is exact, and says nothing of the rest of the game.
//!
//! | module | what lives there |
//! |---|---|
//! | `positions` | what is judged: positions met in games, or boards drawn at random |
//! | [`count`] | judgements counted, shares with their intervals |
//! | [`report`] | tables, JSON, CSV |

pub mod count;
mod positions;
pub mod report;

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use giuthi_engine::agent::{Clock, Factory, LoadError, Request};
use giuthi_engine::endgame::tablebase::{Tablebase, TablebaseError, Value};
use giuthi_engine::net::{Kernel, Quantised};
use giuthi_engine::opening::{OpeningError, OpeningPlies};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{AgentSpec, Variant};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use thiserror::Error;

use count::{Count, Judgement};
use positions::{Problem, Problems, all_seeds, of_boards, of_games};
use report::{Report, Row};

/// Who is judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The name in tables.
    pub name: String,
    /// Who chooses moves.
    pub agent: AgentSpec,
    /// The network whose own value counts, instead of the one that the agent comes to by its search.
    pub network: Option<PathBuf>,
}

impl Judged {
    /// An agent: its value and its move.
    #[must_use]
    pub fn agent(agent: AgentSpec) -> Judged {
        Judged { name: agent.label().to_owned(), agent, network: None }
    }

    /// A network: the value it gives without a search, and the move of the agent `net:PATH`.
    ///
    /// # Panics
    /// Where the path is empty.
    #[must_use]
    pub fn network(path: &str) -> Judged {
        let agent = format!("net:{path}").parse().expect("net: takes any path");
        Judged { name: path.to_owned(), agent, network: Some(PathBuf::from(path)) }
    }
}

/// Where positions come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Met in games that an agent plays against itself after a random opening: right after captures, one a game.
    Games(AgentSpec, OpeningPlies),
    /// Boards drawn at random, each as likely as any other, with leads near where their value changes.
    Boards,
}

/// What is judged by what.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the tables.
    pub tables: PathBuf,
    /// The variant played: how many seeds there are, and what games begin from.
    pub variant: Variant,
    /// Who is judged.
    pub judged: Vec<Judged>,
    /// Where positions come from.
    pub source: Source,
    /// Seeds on the boards, both ends included; where nothing is said all that the tables have, from 2 on.
    pub seeds: Option<RangeInclusive<usize>>,
    /// Positions of each number of seeds.
    pub positions: u64,
    /// An agent's value is taken for a win above, and for a loss below its negative; 0 … 1.
    pub band: f32,
    /// Seed of all randomness.
    pub seed: u64,
}

/// The band of values that are taken for a draw where nothing is said: those to which a draw is the nearest result.
pub const DEFAULT_BAND: f32 = 0.5;

/// Something to tell while positions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// So many positions are to be drawn.
    Drawing(u64),
    /// One has been.
    Drawn,
    /// So many judgements are to be made.
    Judging(u64),
    /// One has been.
    Judged,
}

/// Why nothing could be judged.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// The tables could not be read.
    #[error("--tb: {0}")]
    Tables(#[from] TablebaseError),
    /// The tables are for other boards.
    #[error("--tb {}: tables of boards with rows of {there} pits, but {variant} has rows of {asked}", dir.display())]
    Width {
        /// Their folder.
        dir: PathBuf,
        /// Pits in a row of their boards.
        there: usize,
        /// The variant.
        variant: Variant,
        /// Pits in a row of it.
        asked: usize,
    },
    /// Boards that the tables do not have, or that there are not.
    #[error("--seeds {}..{}: from 2 to {most} are possible, {why}", seeds.start(), seeds.end())]
    Seeds {
        /// What was asked for.
        seeds: RangeInclusive<usize>,
        /// The most that are possible.
        most: usize,
        /// What bounds it.
        why: String,
    },
    /// An agent could not be loaded.
    #[error("{flag} {name}: {error}")]
    Agent {
        /// The flag that names it.
        flag: &'static str,
        /// Who it is.
        name: String,
        /// Why.
        error: LoadError,
    },
    /// Games could not be begun.
    #[error("{flag}: {0}", flag = .0.flag())]
    Opening(#[from] OpeningError),
    /// No game came to a position that could be judged.
    #[error("no position with so many seeds was met: others (--seeds), or --from boards, may have some")]
    Nothing,
    /// The threads could not be started.
    #[error("--threads: {0} threads cannot be started: {1}")]
    Threads(usize, String),
}

/// Random streams from here on belong to those who are judged; those below to the drawing of positions.
const JUDGING: u64 = 1 << 63;

/// Judges. The same settings give the same report on any number of threads, but for agents that play by the clock.
///
/// # Errors
/// See [`JudgeError`]; nothing is judged where anybody cannot be.
pub fn judge(
    settings: &Settings,
    threads: NonZeroUsize,
    clock: &dyn Clock,
    observe: &(dyn Fn(Event) + Sync),
) -> Result<Report, JudgeError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = pool.map_err(|error| JudgeError::Threads(threads.get(), error.to_string()))?;
    pool.install(|| {
        let tables = Tablebase::open(&settings.tables)?;
        let settings = Bounded { seeds: seeds(settings, &tables)?, settings };
        let judges = settings.judged.iter().map(|judged| Judge::load(judged, &settings));
        let judges: Vec<Judge<'_>> = judges.collect::<Result<_, _>>()?;
        let problems = match &settings.source {
            Source::Games(agent, opening) => {
                let player = load("--played-by", agent.label(), agent, &settings)?;
                of_games(&settings, &tables, &player, *opening, clock, observe)?
            }
            Source::Boards => of_boards(&settings, &tables, observe),
        };
        let all: u64 = problems.values().map(|some| some.len() as u64).sum();
        if all == 0 {
            return Err(JudgeError::Nothing);
        }
        observe(Event::Judging(all * judges.len() as u64));
        let rows = judges.iter().flat_map(|judge| judge.rows(&settings, &problems, clock, observe));
        Ok(Report { rows: rows.collect() })
    })
}

/// Settings whose seeds are known.
struct Bounded<'a> {
    settings: &'a Settings,
    seeds: RangeInclusive<usize>,
}

impl std::ops::Deref for Bounded<'_> {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        self.settings
    }
}

/// The numbers of seeds to judge, which the tables have to have.
fn seeds(settings: &Settings, tables: &Tablebase) -> Result<RangeInclusive<usize>, JudgeError> {
    let (variant, there) = (settings.variant, tables.pits());
    if there != variant.width() {
        let (dir, asked) = (settings.tables.clone(), variant.width());
        return Err(JudgeError::Width { dir, there, variant, asked });
    }
    let (known, all) = (tables.seeds(), all_seeds(variant));
    let (most, why) = match known <= all {
        true => (known, format!("as the tables in {} go", settings.tables.display())),
        false => (all, format!("for {variant} has no more")),
    };
    let seeds = settings.seeds.clone().unwrap_or(2..=most);
    if *seeds.start() < 2 || *seeds.end() > most || seeds.is_empty() {
        return Err(JudgeError::Seeds { seeds, most, why });
    }
    Ok(seeds)
}

fn load(
    flag: &'static str,
    name: &str,
    agent: &AgentSpec,
    settings: &Settings,
) -> Result<Factory, JudgeError> {
    let loaded = agent.load(settings.variant.width());
    loaded.map_err(|error| JudgeError::Agent { flag, name: name.to_owned(), error })
}

/// Somebody ready to be judged.
struct Judge<'a> {
    name: &'a str,
    agent: Factory,
    network: Option<Quantised>,
}

impl Judge<'_> {
    fn load<'a>(judged: &'a Judged, settings: &Settings) -> Result<Judge<'a>, JudgeError> {
        let flag = if judged.network.is_some() { "--net" } else { "--agent" };
        let agent = load(flag, &judged.name, &judged.agent, settings)?;
        let network =
            judged.network.as_deref().map(|path| Quantised::load_for(path, settings.variant.width()));
        let network = network.transpose().map_err(|error| JudgeError::Agent {
            flag,
            name: judged.name.clone(),
            error: error.into(),
        })?;
        Ok(Judge { name: &judged.name, agent, network })
    }

    /// The rows of a report: one a number of seeds, and one of all together where there are several.
    fn rows(
        &self,
        settings: &Settings,
        problems: &Problems,
        clock: &dyn Clock,
        observe: &(dyn Fn(Event) + Sync),
    ) -> Vec<Row> {
        let (mut rows, mut all) = (Vec::new(), Count::default());
        for (&seeds, some) in problems {
            let judge = |(number, problem): (usize, &Problem)| {
                let stream = JUDGING | (seeds as u64) << 40 | number as u64;
                let judgement = self.judgement(settings, problem, stream, clock);
                observe(Event::Judged);
                judgement
            };
            // Added up in order: sums of floats are the same on any threads.
            let judgements: Vec<Judgement> =
                some.par_iter().enumerate().map(|(n, p)| judge((n, p))).collect();
            let mut count = Count::default();
            for (problem, judgement) in some.iter().zip(&judgements) {
                count.add(problem.value, problem.is_critical(), judgement);
            }
            rows.push(Row::new(self.name, Some(seeds), &count));
            all = all.plus(count);
        }
        if rows.len() > 1 {
            rows.push(Row::new(self.name, None, &all));
        }
        rows
    }

    fn judgement(&self, settings: &Settings, problem: &Problem, stream: u64, clock: &dyn Clock) -> Judgement {
        let mut rng = game_rng(settings.seed, stream);
        let choice = (self.agent)().choose(&problem.game, &mut Request::new(&mut rng, clock));
        let value = match &self.network {
            Some(network) => {
                let position = problem.game.position();
                let logits = network.logits_by(Kernel::fastest(), position);
                Some((likeliest(logits), network.value(position)))
            }
            None => choice.value.map(|value| (nearest(value, settings.band), value)),
        };
        Judgement { value, after: problem.after(choice.mv).expect("agents choose legal moves") }
    }
}

/// The likeliest of win, draw and loss; of equals the one nearer to a draw.
fn likeliest([win, draw, loss]: [f32; 3]) -> Value {
    if draw >= win && draw >= loss {
        Value::Draw
    } else if win == loss {
        // Both above the draw.
        Value::Draw
    } else if win > loss {
        Value::Win
    } else {
        Value::Loss
    }
}

/// The result that an expected one is taken for.
fn nearest(value: f32, band: f32) -> Value {
    if value > band {
        Value::Win
    } else if value < -band {
        Value::Loss
    } else {
        Value::Draw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_for_results() {
        for (value, band, wanted) in [
            (0.6, 0.5, Value::Win),
            (0.5, 0.5, Value::Draw),
            (-0.5, 0.5, Value::Draw),
            (-1.0, 0.5, Value::Loss),
            (0.01, 0.0, Value::Win),
            (0.0, 0.0, Value::Draw),
        ] {
            assert_eq!(nearest(value, band), wanted, "{value} {band}");
        }
        assert_eq!(likeliest([0.5, 0.2, -1.0]), Value::Win);
        assert_eq!(likeliest([0.1, 0.2, 0.0]), Value::Draw);
        assert_eq!(likeliest([0.1, 0.2, 0.3]), Value::Loss);
        assert_eq!(likeliest([0.5, 0.2, 0.5]), Value::Draw);
    }
}
