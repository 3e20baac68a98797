//! What happens in a game, in sentences: how it stands, and what a move did.

use crate::board::{Lap, MoveKind};
use crate::game::{Ending, Game, Outcome};
use crate::position::{Position, Step};
use crate::rules::Move;

/// How a game stands: who moves, or how it ended and who won.
#[must_use]
pub fn standing(game: &Game) -> String {
    let Some((ending, outcome)) = game.ending().zip(game.outcome()) else {
        let player = game.position().to_move();
        return match game.position().moves()[..] {
            [Move::Pass] => format!("Player {player} to move: no pit with two seeds, a forced pass."),
            _ => format!("Player {player} to move."),
        };
    };
    let [south, north] = game.position().score();
    match (ending, outcome) {
        (Ending::NoMoves, Outcome::Win(player)) => format!(
            "The game is over, neither player has a pit with two seeds: player {player} wins {} to {}.",
            south.max(north),
            south.min(north)
        ),
        (Ending::NoMoves, Outcome::Draw) => {
            format!("The game is over, neither player has a pit with two seeds: a draw, {south} to {north}.")
        }
        (Ending::Repetition, _) => "The game is over by repetition: a draw.".to_owned(),
        (Ending::Endless, _) => "The game is over by an endless relay: a draw.".to_owned(),
    }
}

/// What a legal move did in the position before it: its laps and how it ended, a line each. Of a long relay only the
/// first laps and the last are told.
#[must_use]
pub fn told(before: &Position, mv: Move) -> Vec<String> {
    lines(before, mv, ALL)
}

/// [`told`] with every lap, however many there are.
#[must_use]
pub fn told_in_full(before: &Position, mv: Move) -> Vec<String> {
    lines(before, mv, usize::MAX)
}

/// What a move did; of more than `most` laps the first and the last.
fn lines(before: &Position, mv: Move, most: usize) -> Vec<String> {
    // An endless relay may run for very many laps before it comes round: no more of them are kept than are told.
    let mut first = Vec::new();
    let mut last = None;
    let step = before.step_observed(mv, |lap| {
        if let Some(earlier) = last.replace(lap)
            && first.len() < most - 1
        {
            first.push(earlier);
        }
    });
    let laps = step.sowing.laps as usize;
    let shown = if laps > most { SOME } else { first.len() };
    let mut lines: Vec<String> = first[..shown].iter().map(lap).collect();
    if laps > most {
        let left_out = laps - SOME - 1;
        lines.push(format!("… {left_out} more laps, then"));
    }
    lines.extend(last.as_ref().map(lap));
    lines.push(end(before, &step, last.map_or(0, |lap| lap.to)));
    lines
}

/// Relays up to this many laps are told whole.
const ALL: usize = 6;
/// Of longer ones this many laps are told, and the last.
const SOME: usize = 3;

fn lap(lap: &Lap) -> String {
    format!("lifts {} from pit {}, sows {} to pit {}", lap.seeds, lap.from, lap.direction, lap.to)
}

fn end(before: &Position, step: &Step, pit: usize) -> String {
    let player = before.to_move();
    match step.sowing.kind {
        MoveKind::Turn => format!("Pit {pit} was empty and is player {}'s: no capture.", player.opponent()),
        MoveKind::Extra => format!(
            "Pit {pit} was empty and is player {player}'s own, no seed left the row: player {player} moves again."
        ),
        MoveKind::Capture => {
            let seeds = match step.sowing.captured {
                1 => "1 seed".to_owned(),
                captured => format!("{captured} seeds"),
            };
            let chain = match step.sowing.chain {
                0 => String::new(),
                1 => ", the chain runs over 1 more empty pit".to_owned(),
                chain => format!(", the chain runs over {chain} more empty pits"),
            };
            format!(
                "Pit {pit} was empty and is player {player}'s own: player {player} captures {seeds}{chain}."
            )
        }
        MoveKind::Endless => "The relay came round to where it began: it would never end.".to_owned(),
        MoveKind::Pass => "No pit with two seeds: a forced pass.".to_owned(),
    }
}
