//! One game between two agents.

use std::time::Duration;

use giuthi_engine::{Agent, Clock, Ending, Game, Move, Outcome, PlayError, Player, Request, Variant};
use thiserror::Error;

/// A finished game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its number, from 0 over the whole tournament.
    pub game: u64,
    /// The number of its opening; the two games of a pair share it.
    pub round: u64,
    /// The agents' numbers, `[player 0, player 1]`.
    pub players: [usize; 2],
    /// How it went.
    pub course: Course,
}

/// How a game went, to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// How many of the moves, from the start, are the opening.
    pub opening: usize,
    /// Every move, opening and forced passes included.
    pub moves: Vec<Move>,
    /// Who won.
    pub outcome: Outcome,
    /// How it ended.
    pub ending: Ending,
    /// Moves that the agents were asked for, `[player 0, player 1]`.
    pub asked: [u32; 2],
    /// Time they took for them, `[player 0, player 1]`.
    pub time: [Duration; 2],
}

/// An agent chose a move that the game does not allow: a fault of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("player {player} chose {mv} at ply {ply}: {reason}")]
pub struct Fault {
    /// The agent's seat.
    pub player: Player,
    /// The ply, from 0.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// Why it cannot be played.
    pub reason: PlayError,
}

/// Plays one game to its end: the opening, then the agents' choices. Whoever is to move is asked, extra moves
/// included; a forced pass is played without asking.
///
/// # Errors
/// [`Fault`] where an agent chooses an illegal move.
///
/// # Panics
/// When the opening cannot be played.
pub fn play<R: rand::Rng>(
    variant: Variant,
    opening: &[Move],
    mut agents: [Box<dyn Agent>; 2],
    mut streams: [R; 2],
    clock: &dyn Clock,
) -> Result<Course, Fault> {
    let mut game = Game::new(variant);
    game.play_all(opening).expect("an opening is a course of legal moves");
    let mut asked = [0; 2];
    let mut time = [Duration::ZERO; 2];
    loop {
        if let (Some(ending), Some(outcome)) = (game.ending(), game.outcome()) {
            let moves = game.plies().iter().map(|ply| ply.mv).collect();
            return Ok(Course { opening: opening.len(), moves, outcome, ending, asked, time });
        }
        let player = game.position().to_move();
        let seat = player.index();
        let mv = if *game.position().moves() == [Move::Pass] {
            Move::Pass
        } else {
            let begun = clock.now();
            let choice = agents[seat].choose(&game, &mut Request::new(&mut streams[seat], clock));
            time[seat] += clock.now().saturating_sub(begun);
            asked[seat] += 1;
            choice.mv
        };
        let ply = game.plies().len();
        game.play(mv).map_err(|reason| Fault { player, ply, mv, reason })?;
    }
}
