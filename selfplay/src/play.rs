//! One game of self-play: a random opening, then the agent's moves with now and then a random one.
//!
//! No game needs a limit on its plies. There are only so many positions with the seeds that are left on the board, one
//! that comes a second time ends the game, and a capture leaves fewer seeds.

use giuthi_engine::agent::{Agent, Clock, Request};
use giuthi_engine::endgame::tablebase::Tablebase;
use giuthi_engine::game::PlayError;
use giuthi_engine::opening::OpeningError;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::sample::Note;
use giuthi_engine::{Game, Move, Source};
use rand::RngExt;
use thiserror::Error;

use crate::adjudication::adjudicated;
use crate::exploration::softmax;
use crate::openings::draw;
use crate::settings::Settings;

/// Why a game could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// No opening of the length drawn leaves a game to play.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The agent gives moves no values, by which a temperature would choose.
    #[error("this agent gives moves no values to choose by: ab, net and mcts do")]
    NoValues,
    /// The agent chose a move that is illegal.
    #[error("the agent's move {mv} at ply {ply} is illegal: {error}")]
    Move {
        /// The move chosen.
        mv: Move,
        /// The ply's number in its game, from 0.
        ply: usize,
        /// What is wrong with it.
        error: PlayError,
    },
}

/// A finished game, with one note a ply.
pub(crate) struct Played {
    pub(crate) game: Game,
    pub(crate) notes: Vec<Note>,
}

/// Plays game `number` of the dataset, from the opening that comes in its stream after so many others; `observe` is told
/// the number of its plies after each. Where `tables` say for certain what it comes to, they play it to its end.
/// Everything random in it comes from the game's own stream.
pub(crate) fn play(
    settings: &Settings,
    number: u64,
    passed_over: u32,
    agent: &mut dyn Agent,
    tables: Option<&Tablebase>,
    clock: &dyn Clock,
    observe: impl Fn(usize),
) -> Result<Played, GameError> {
    let mut rng = game_rng(settings.seed, number);
    let mut game = draw(settings, passed_over, &mut rng)?;
    let mut notes: Vec<Note> = Vec::with_capacity(128);
    notes.extend(game.plies().iter().map(|ply| if ply.mv == Move::Pass { FORCED } else { RANDOM }));
    let opening = notes.len();
    while game.ending().is_none() {
        observe(notes.len());
        let temperature = settings.temperature.and_then(|falling| falling.at(notes.len() - opening));
        let (mv, note) = if let Some(by_tables) = tables.and_then(|tables| adjudicated(tables, &game)) {
            by_tables
        } else if game.position().moves()[..] == [Move::Pass] {
            (Move::Pass, FORCED)
        } else if rng.random_bool(settings.epsilon.get()) {
            (random_move(game.position(), &mut rng).expect("the game is not over"), RANDOM)
        } else if let Some(temperature) = temperature {
            let each = agent.weigh(&game, &mut Request::new(&mut rng, clock)).ok_or(GameError::NoValues)?;
            let values: Vec<f32> = each.iter().map(|&(_, value)| value).collect();
            let at = softmax(&values, temperature, &mut rng);
            let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            // A move no worse than the best is the search's, whichever of several it is.
            let source = if values[at] == best { Source::Search } else { Source::Random };
            (each[at].0, Note { source, value: Some(best) })
        } else {
            let choice = agent.choose(&game, &mut Request::new(&mut rng, clock));
            (choice.mv, Note { source: Source::Search, value: choice.value })
        };
        game.play(mv).map_err(|error| GameError::Move { mv, ply: notes.len(), error })?;
        notes.push(note);
    }
    Ok(Played { game, notes })
}

/// Of a pass.
pub(crate) const FORCED: Note = Note { source: Source::Forced, value: None };
const RANDOM: Note = Note { source: Source::Random, value: None };
