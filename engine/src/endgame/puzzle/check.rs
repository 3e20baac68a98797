//! A problem proved right, whoever made it: by the tables and the rules alone.

use std::cmp::Reverse;

use thiserror::Error;

use super::keep::keepers;
use super::rank::difficulty;
use super::stakes::{LEAST_GIVEN_UP, LEAST_MOVES, LEAST_PLIES, piles};
use super::{Goal, MOST_PLIES, Puzzle};
use crate::board::{MoveKind, Sower};
use crate::endgame::tablebase::{MoveWorth, Tablebase, Threshold, Value};
use crate::game::{Game, Outcome};
use crate::rules::Move;

/// What is wrong with a problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column `{column}`: {reason}")]
pub struct Fault {
    /// The column of the file that is wrong.
    pub column: &'static str,
    /// What it should be, in words.
    pub reason: String,
}

/// Shorthand for what every part of a check comes to.
type Checked = Result<(), Fault>;

fn fault(column: &'static str, reason: String) -> Checked {
    Err(Fault { column, reason })
}

/// Refuses a number or name that is another one than it should be.
fn same<T: PartialEq + ToString>(column: &'static str, found: T, wanted: T, what: &str) -> Checked {
    match found == wanted {
        true => Ok(()),
        false => fault(column, format!("{} is there, and {what} {}", found.to_string(), wanted.to_string())),
    }
}

/// Proves a problem right by tables that have its board: its value, that one move alone keeps it, that the tempting
/// capture fails; its line, move by move, with the defence the best there is; every count, and the difficulty that follows
/// from them. Only [`Puzzle::depth`] is taken as it stands, for it depends on the search that measured it.
///
/// # Errors
/// The first fault, by its column.
pub fn check(puzzle: &Puzzle, tables: &Tablebase) -> Result<(), Fault> {
    let position = &puzzle.position;
    let Some((value, moves)) = tables.value(position).zip(tables.moves(position)) else {
        let reason = format!(
            "the tables have boards with rows of {} pits and up to {} seeds: not this one",
            tables.pits(),
            tables.seeds()
        );
        return Err(Fault { column: "position", reason });
    };
    if value != puzzle.goal.value() {
        return fault(
            "goal",
            format!("the position is a {value} for the player to move, not a {}", puzzle.goal),
        );
    }
    key(puzzle, &moves)?;
    stakes(puzzle, &moves)?;
    temptation(puzzle, &moves)?;
    same(
        "alternatives",
        puzzle.alternatives as usize,
        moves.len() - 1,
        "the legal moves besides the key are",
    )?;
    if moves.len() < LEAST_MOVES {
        return fault(
            "alternatives",
            format!("{} legal moves: {LEAST_MOVES} at least are needed", moves.len()),
        );
    }
    line(puzzle, tables)?;
    same("difficulty", puzzle.difficulty, difficulty(puzzle), "by the other columns it is")
}

/// The key is legal, keeps the value, alone, and does what is said of it.
fn key(puzzle: &Puzzle, moves: &[MoveWorth]) -> Checked {
    let (position, goal) = (&puzzle.position, puzzle.goal);
    if let Err(why) = position.check(puzzle.mv) {
        return fault("move", format!("{}: {why}", puzzle.mv));
    }
    let lead = position.lead();
    // At the start of a game: with nothing to repeat, the values hold.
    let keeps = |each: &&MoveWorth| each.thresholds.value(lead) >= goal.value();
    let keeping: Vec<&MoveWorth> = moves.iter().filter(keeps).collect();
    let others = keeping.iter().find(|each| each.mv != puzzle.mv);
    if keeping.iter().all(|each| each.mv != puzzle.mv) {
        let right = others.map_or(String::new(), |other| format!("; {} does", other.mv));
        return fault("move", format!("{} does not {goal}{right}", puzzle.mv));
    }
    if let Some(other) = others {
        let what = other.thresholds.value(lead);
        return fault("move", format!("{} is not the only move: {} is a {what} too", puzzle.mv, other.mv));
    }
    let sowing = position.step_by(Sower::Plain, puzzle.mv).sowing;
    same("laps", puzzle.laps, sowing.laps, "the laps of the key are")?;
    same("captured", puzzle.captured, sowing.captured, "the key captures")
}

/// The piles are those of a whole game, and the key only just does it.
fn stakes(puzzle: &Puzzle, moves: &[MoveWorth]) -> Checked {
    let position = &puzzle.position;
    let solver = position.to_move();
    let Some(wanted) = piles(position, moves, puzzle.mv, puzzle.goal) else {
        return fault("position", "no piles of a whole game leave the key the only move".to_owned());
    };
    let found = [solver, solver.opponent()].map(|player| i32::from(position.piles()[player.index()]));
    match found == wanted {
        true => Ok(()),
        false => fault(
            "position",
            format!(
                "piles of {} and {}, the solver's first: those of a whole game with the least lead that fits are {} and {}",
                found[0], found[1], wanted[0], wanted[1]
            ),
        ),
    }
}

/// The tempting move captures most at once, and enough more than the key; that it fails, the key being the only move says.
fn temptation(puzzle: &Puzzle, moves: &[MoveWorth]) -> Checked {
    let Some(tempting) = moves.iter().find(|each| each.mv == puzzle.tempting) else {
        return fault("tempting", format!("{} is no legal move", puzzle.tempting));
    };
    let captured = tempting.step.sowing.captured;
    if let Some(more) = moves.iter().find(|each| each.step.sowing.captured > captured) {
        return fault(
            "tempting",
            format!(
                "{} captures {captured}, and {} more: {}",
                puzzle.tempting, more.mv, more.step.sowing.captured
            ),
        );
    }
    same("tempting_captured", puzzle.tempting_captured, captured, "the tempting move captures")?;
    let least = puzzle.captured.saturating_add(LEAST_GIVEN_UP);
    match captured >= least {
        true => Ok(()),
        false => fault(
            "tempting",
            format!("{} captures {captured}: {least} at least would tempt", puzzle.tempting),
        ),
    }
}

/// The line is play: the solver keeps the value, the defence is the best, and the game ends as it should.
fn line(puzzle: &Puzzle, tables: &Tablebase) -> Checked {
    let wrong =
        |at: usize, reason: String| fault("line", format!("move {}, {}: {reason}", at + 1, puzzle.line[at]));
    let solver = puzzle.position.to_move();
    if puzzle.line.first() != Some(&puzzle.mv) {
        return fault("line", format!("it does not begin with the key, {}", puzzle.mv));
    }
    if puzzle.line.len() > MOST_PLIES {
        return fault("line", format!("{} moves: at most {MOST_PLIES} are possible", puzzle.line.len()));
    }
    same("line_laps", puzzle.line_laps.len(), puzzle.line.len(), "the moves of the line are")?;
    let mut game = Game::from_position(puzzle.position);
    let (mut own_moves, mut only_moves) = (0, 0);
    for (at, &mv) in puzzle.line.iter().enumerate() {
        let position = *game.position();
        let before = game.clone();
        let laps = match game.play(mv) {
            Ok(ply) => ply.sowing.laps,
            Err(why) => return wrong(at, why.to_string()),
        };
        if laps != puzzle.line_laps[at] {
            let found = puzzle.line_laps[at];
            return fault("line_laps", format!("move {}, {mv}: {found} is there, and it has {laps}", at + 1));
        }
        if position.to_move() == solver {
            let keeping = keepers(tables, &before, puzzle.goal).unwrap_or_default();
            if !keeping.iter().any(|each| each.mv == mv) {
                return wrong(at, format!("it does not keep the {}", puzzle.goal));
            }
            if mv != Move::Pass {
                own_moves += 1;
                only_moves += u32::from(keeping.len() == 1);
            }
        } else if let Some(better) = better_defence(tables, &before, puzzle.goal, mv) {
            return wrong(at, format!("{better} is a better defence"));
        }
    }
    let Some((ending, outcome)) = game.ending().zip(game.outcome()) else {
        return fault("line", "the game is not over at its end".to_owned());
    };
    if puzzle.line.len() < LEAST_PLIES {
        return fault("line", format!("{} moves: at least {LEAST_PLIES} are needed", puzzle.line.len()));
    }
    let wanted = match puzzle.goal {
        Goal::Win => Outcome::Win(solver),
        Goal::Draw => Outcome::Draw,
    };
    if outcome != wanted {
        return fault("line", format!("it does not end in a {} for player {solver}", puzzle.goal));
    }
    same("end", puzzle.end.name(), ending.name(), "the game ends by")?;
    same("own_moves", puzzle.own_moves, own_moves, "the solver's moves in the line are")?;
    same("only_moves", puzzle.only_moves, only_moves, "the only moves among them are")
}

/// A move of the defender that would have been better than theirs: against a draw one that does not lose, where theirs
/// does; against a win one that lacks less for a draw, or as much and loses later. `None` where there is none.
fn better_defence(tables: &Tablebase, game: &Game, goal: Goal, mv: Move) -> Option<Move> {
    let position = game.position();
    let (lead, winner) = (position.lead(), position.to_move().opponent());
    let moves = tables.moves(position)?;
    let played = moves.iter().find(|each| each.mv == mv)?;
    let repeats = |each: &MoveWorth| {
        each.step.sowing.kind != MoveKind::Capture && game.recent().contains(&each.step.position)
    };
    let worth = |each: &MoveWorth| match goal {
        Goal::Win => (true, Reverse(each.thresholds.draw), each.progress(winner)),
        Goal::Draw => {
            let holds = repeats(each) || each.thresholds.value(lead) >= Value::Draw;
            (holds, Reverse(Threshold::Never), None)
        }
    };
    moves.iter().find(|each| worth(each) > worth(played)).map(|each| each.mv)
}
