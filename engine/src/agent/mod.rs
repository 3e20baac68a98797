//! Who plays: the trait every agent is, the spec that names one, and the one table of agents.
//!
//! A spec is `NAME` or `NAME:key=value,key=value`, with an optional label for tables before an `@`. To add an agent,
//! write its file here and put its [`Kind`] into [`AGENTS`]; help, errors and the conformance tests read that table.

mod alpha_beta;
mod external;
mod greedy;
mod mcts;
mod random;
mod spec;
mod tables;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::endgame::tablebase::TablebaseError;
use crate::game::Game;
use crate::net::NetError;
use crate::rules::Move;
use crate::search::Limits;

pub use spec::{AgentSpec, Key, Options, SpecError};

/// Time, as whoever calls the library measures it: it never reads a clock of its own.
pub trait Clock: Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// The same clock for other threads, that note by it when something happened; `None` where there is none to be had,
    /// and things happen when they are looked at.
    fn shared(&self) -> Option<Arc<dyn Clock + Send + Sync>> {
        None
    }
}

/// A clock that stands still, for agents whose limits do not ask for one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// What an agent chose, and what it thought of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move, legal in the position asked about.
    pub mv: Move,
    /// Expected result for the player to move, −1 … 1; `None` from agents that do not search.
    pub value: Option<f32>,
    /// Depth of the deepest finished iteration in plies; 0 without a search.
    pub depth: u32,
    /// Positions visited; 0 without a search.
    pub nodes: u64,
    /// The line expected, the chosen move first; empty without a search.
    pub line: Vec<Move>,
}

impl Choice {
    /// A move chosen without a search.
    #[must_use]
    pub const fn plain(mv: Move) -> Choice {
        Choice { mv, value: None, depth: 0, nodes: 0, line: Vec::new() }
    }
}

/// What an agent is handed with a question.
pub struct Request<'a> {
    /// All the randomness there is.
    pub rng: &'a mut dyn rand::Rng,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Set by another thread when the answer is wanted at once.
    pub stop: Option<&'a AtomicBool>,
    /// Limits to search within instead of the agent's own; agents that do not search pass over them.
    pub limits: Option<Limits>,
    /// Told what a search thinks so far: after each iteration, or now and then.
    pub observe: Option<&'a mut dyn FnMut(&Choice)>,
}

impl<'a> Request<'a> {
    /// A plain question: by the agent's own limits, with nobody looking on.
    #[must_use]
    pub fn new(rng: &'a mut dyn rand::Rng, clock: &'a dyn Clock) -> Request<'a> {
        Request { rng, clock, stop: None, limits: None, observe: None }
    }

    /// Tells the observer, if there is one.
    pub(crate) fn tell(&mut self, choice: &Choice) {
        if let Some(observe) = &mut self.observe {
            observe(choice);
        }
    }
}

/// A player of the game. One agent plays one game at a time and may keep memory between its moves.
pub trait Agent: Send {
    /// Chooses a move for the player to move in a game that is not over. All randomness comes from the request's
    /// generator, so that an agent without a time limit plays the same from the same stream.
    fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> Choice;

    /// Whether every choice is the one that [`random_move`](crate::rng::random_move) draws from the request's generator,
    /// and nothing else is drawn: then whole games can be played without asking, by
    /// [`Recorded`](crate::playout::Recorded).
    fn is_random(&self) -> bool {
        false
    }

    /// What every legal move is worth to the player to move, −1 … 1, by the same search as a choice and its limits;
    /// `None` from agents that give moves no values. It can take a few times as long as a choice.
    fn weigh(&mut self, _game: &Game, _request: &mut Request<'_>) -> Option<Vec<(Move, f32)>> {
        None
    }
}

/// Makes fresh agents of one spec, all sharing what was loaded for it (weights).
pub type Factory = Arc<dyn Fn() -> Box<dyn Agent> + Send + Sync>;

/// Loads what an agent needs for boards with rows of so many pits.
pub(crate) type Loader = Arc<dyn Fn(usize) -> Result<Factory, LoadError> + Send + Sync>;

/// A spec's parsed meaning.
#[derive(Clone)]
pub struct Recipe {
    /// Whether the agent's choices depend on time, so that its games cannot be repeated exactly.
    pub clocked: bool,
    pub(crate) load: Loader,
}

/// One entry of the table of agents.
pub struct Kind {
    /// The name that starts a spec.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The keys it takes.
    pub keys: &'static [Key],
    /// Specs that need no file, for help and for the conformance tests.
    pub examples: &'static [&'static str],
    pub(crate) parse: fn(&str) -> Result<Recipe, SpecError>,
}

/// Every agent there is.
pub static AGENTS: &[&Kind] =
    &[&random::KIND, &greedy::KIND, &alpha_beta::KIND, &alpha_beta::NET, &mcts::KIND, &external::KIND];

impl LoadError {
    /// Whether what was to be loaded is for boards of another width.
    #[must_use]
    pub const fn is_of_width(&self) -> bool {
        matches!(self, LoadError::Net(NetError::Width { .. }) | LoadError::TablesWidth { .. })
    }
}

/// Why an agent could not be made from a good spec.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The weights.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The endgame tables.
    #[error("tb=: {0}")]
    Tables(Box<TablebaseError>),
    /// Endgame tables for boards of another width.
    #[error("tb={}: tables of boards with rows of {found} pits, but the board has rows of {wanted}", path.display())]
    TablesWidth {
        /// Their folder.
        path: PathBuf,
        /// Pits in a row of their boards.
        found: usize,
        /// Pits in a row of the board.
        wanted: usize,
    },
    /// A program of its own, where only agents of ours can play.
    #[error("an external program (cmd:) can play in tournaments, in `play` and in `analyze`, and not here")]
    External,
}

impl From<TablebaseError> for LoadError {
    fn from(error: TablebaseError) -> LoadError {
        LoadError::Tables(Box::new(error))
    }
}
