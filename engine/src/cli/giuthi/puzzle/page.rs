//! A problem as it is set, and its solution, for people and as JSON.

use serde::Serialize;

use super::super::drawing;
use crate::board::MoveKind;
use crate::endgame::puzzle::{Goal, Puzzle, Stroke, strokes};
use crate::game::{Ending, Game};
use crate::rules::Move;

/// Longest line of what is printed, where a relay is told lap by lap.
const WIDE: usize = 100;

/// The problem as it is set: its number, the board, who is to move and what they are to reach.
pub(super) fn problem(puzzle: &Puzzle) -> String {
    let goal = match puzzle.goal {
        Goal::Win => "win",
        Goal::Draw => "draw",
    };
    format!(
        "Problem {}, difficulty {}\n\n{}Player {} to move and {goal}.\n{}\n",
        puzzle.id,
        puzzle.difficulty,
        drawing::board(&puzzle.position),
        puzzle.position.to_move(),
        puzzle.position
    )
}

/// The solution: every move of the line with its laps, what tempts, and how it is reckoned. A line that cannot be played
/// is told as far as it can.
pub(super) fn solution(puzzle: &Puzzle) -> String {
    let mut text = format!("Solution of problem {}\n", puzzle.id);
    let solver = puzzle.position.to_move();
    let line = match strokes(&puzzle.position, &puzzle.line) {
        Ok(line) => line,
        Err((number, why)) => {
            text += &format!("  move {number} of the line cannot be played: {why}\n");
            strokes(&puzzle.position, &puzzle.line[..number - 1]).unwrap_or_default()
        }
    };
    for (number, stroke) in line.iter().enumerate() {
        let mark = if number == 0 { "!" } else { "" };
        let laps = match stroke.sowing.laps {
            1 => "1 lap".to_owned(),
            laps => format!("{laps} laps"),
        };
        let what = match stroke.mv {
            Move::Pass => "no pit with two seeds, a forced pass".to_owned(),
            Move::Sow { .. } => format!("{laps}: {}", outcome(stroke)),
        };
        text += &format!("{:>3}. player {}  {}{mark}  {what}\n", number + 1, stroke.player, stroke.mv);
        text += &relay(stroke);
    }
    let mut game = Game::from_position(puzzle.position);
    // What cannot be played has been told.
    let _ = game.play_all(&puzzle.line);
    let [south, north] = game.position().score();
    text += &match game.ending() {
        Some(Ending::NoMoves) => {
            format!("Neither player has a pit with two seeds: {south} to {north} for players 0 and 1.\n")
        }
        Some(Ending::Repetition) => "The position occurs again: a draw.\n".to_owned(),
        Some(Ending::Endless) => "The relay would never end: a draw.\n".to_owned(),
        None => "The game is not over here.\n".to_owned(),
    };
    let only = match (puzzle.only_moves, puzzle.own_moves) {
        (1, 1) => "The key is the only move".to_owned(),
        (only, own) if only == own => format!("All {own} moves of player {solver} are only moves"),
        (only, own) => format!("{only} of the {own} moves of player {solver} are only moves"),
    };
    let tempting = format!("{} captures {}", puzzle.tempting, puzzle.tempting_captured);
    let key = match puzzle.captured {
        0 => "nothing".to_owned(),
        captured => captured.to_string(),
    };
    let depth = match puzzle.depth {
        Some(1) => "an alpha-beta search finds the key from the first ply on".to_owned(),
        Some(depth) => format!("an alpha-beta search finds the key from ply {depth} on"),
        None => "an alpha-beta search did not find the key".to_owned(),
    };
    text + &format!(
        "{only}. {tempting} and fails, the key captures {key}. Alternatives: {}; {depth}.\n",
        puzzle.alternatives
    )
}

fn outcome(stroke: &Stroke) -> String {
    match stroke.sowing.kind {
        MoveKind::Turn => "no capture".to_owned(),
        MoveKind::Extra => format!("player {} moves again", stroke.player),
        MoveKind::Capture => format!("captures {}", stroke.sowing.captured),
        MoveKind::Endless => "never ends".to_owned(),
        MoveKind::Pass => "passes".to_owned(),
    }
}

/// The laps of a move, from where to where, on as many lines as they need: `4 from 9 ccw to 13, 3 cw to 10`. Of an endless
/// relay nothing, and of one of a single lap neither: it says itself.
fn relay(stroke: &Stroke) -> String {
    if stroke.mv == Move::Pass || stroke.sowing.kind == MoveKind::Endless {
        return String::new();
    }
    let mut parts = Vec::new();
    let _ = stroke.before.step_observed(stroke.mv, |lap| {
        parts.push(match parts.is_empty() {
            true => format!("{} from {} {} to {}", lap.seeds, lap.from, lap.direction, lap.to),
            false => format!("{} {} to {}", lap.seeds, lap.direction, lap.to),
        });
    });
    let last = parts.len() - 1;
    let mut lines = vec![String::from("    ")];
    for (at, part) in parts.iter().enumerate() {
        let end = if at == last { "" } else { "," };
        if lines[lines.len() - 1].len() + part.len() + 2 > WIDE {
            lines.push(String::from("    "));
        }
        let line = lines.last_mut().expect("there is a line");
        *line += &format!(" {part}{end}");
    }
    lines.join("\n") + "\n"
}

/// A problem as JSON, under the names of the file's columns; each move of the line an object.
#[derive(Serialize)]
pub(super) struct Object {
    id: u32,
    position: String,
    goal: &'static str,
    r#move: String,
    laps: u32,
    difficulty: u32,
    captured: u8,
    tempting: String,
    tempting_captured: u8,
    alternatives: u32,
    depth: Option<u32>,
    own_moves: u32,
    only_moves: u32,
    end: &'static str,
    line: Vec<MoveObject>,
}

#[derive(Serialize)]
struct MoveObject {
    player: usize,
    r#move: String,
    laps: u32,
    captured: u8,
    kind: &'static str,
}

impl Object {
    pub(super) fn of(puzzle: &Puzzle) -> Object {
        let line = strokes(&puzzle.position, &puzzle.line)
            .or_else(|(number, _)| strokes(&puzzle.position, &puzzle.line[..number - 1]));
        Object {
            id: puzzle.id,
            position: puzzle.position.to_string(),
            goal: puzzle.goal.name(),
            r#move: puzzle.mv.to_string(),
            laps: puzzle.laps,
            difficulty: puzzle.difficulty,
            captured: puzzle.captured,
            tempting: puzzle.tempting.to_string(),
            tempting_captured: puzzle.tempting_captured,
            alternatives: puzzle.alternatives,
            depth: puzzle.depth,
            own_moves: puzzle.own_moves,
            only_moves: puzzle.only_moves,
            end: puzzle.end.name(),
            line: line
                .unwrap_or_default()
                .iter()
                .map(|stroke| MoveObject {
                    player: stroke.player.index(),
                    r#move: stroke.mv.to_string(),
                    laps: stroke.sowing.laps,
                    captured: stroke.sowing.captured,
                    kind: stroke.sowing.kind.name(),
                })
                .collect(),
        }
    }
}
