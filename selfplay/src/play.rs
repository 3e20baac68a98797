//! One game of self-play: a random opening, then the agent's moves with now and then a random one.

use giuthi_engine::agent::{Agent, Clock, Request};
use giuthi_engine::game::PlayError;
use giuthi_engine::opening::{OpeningError, random_opening};
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::sample::Note;
use giuthi_engine::{Game, Move, Source};
use rand::RngExt;
use thiserror::Error;

use crate::settings::Settings;

/// Why a game could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// No opening of the length drawn leaves a game to play.
    #[error(transparent)]
    Opening(#[from] OpeningError),
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

/// Plays game `number` of the dataset. Everything random in it comes from the game's own stream.
pub(crate) fn play(
    settings: &Settings,
    number: u64,
    agent: &mut dyn Agent,
    clock: &dyn Clock,
) -> Result<Played, GameError> {
    let mut rng = game_rng(settings.seed, number);
    let plies = settings.opening.draw(&mut rng);
    let mut game = random_opening(settings.variant, plies, &mut rng)?;
    let mut notes: Vec<Note> = game
        .plies()
        .iter()
        .map(|ply| if ply.mv == Move::Pass { FORCED } else { Note { source: Source::Random, value: None } })
        .collect();
    while game.ending().is_none() {
        let random = |rng| random_move(game.position(), rng).expect("the game is not over");
        let (mv, note) = if game.position().moves()[..] == [Move::Pass] {
            (Move::Pass, FORCED)
        } else if rng.random_bool(settings.epsilon.get()) {
            (random(&mut rng), Note { source: Source::Random, value: None })
        } else {
            let choice = agent.choose(&game, &mut Request::new(&mut rng, clock));
            (choice.mv, Note { source: Source::Search, value: choice.value })
        };
        game.play(mv).map_err(|error| GameError::Move { mv, ply: notes.len(), error })?;
        notes.push(note);
    }
    Ok(Played { game, notes })
}

const FORCED: Note = Note { source: Source::Forced, value: None };
