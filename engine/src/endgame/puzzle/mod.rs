//! Composed problems: positions of endgame tables in which exactly one move keeps the value, that move is a long relay,
//! and the capture that tempts fails.
//!
//! [`compose`] finds them, [`Puzzle`] is one of them with its solution, [`read`] and [`write()`] know their file (its
//! columns stand in `data/README.md`), and [`check`] proves one right without asking how it was made. What a problem is
//! and how its difficulty is reckoned is told in `docs/puzzles.md`.

mod alike;
mod check;
mod compose;
mod file;
mod keep;
mod line;
mod rank;
mod stakes;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::tablebase::Value;
use crate::game::Ending;
use crate::notation::excerpt;
use crate::position::Position;
use crate::rules::Move;

pub use alike::alike;
pub use check::{Fault, check};
pub use compose::{Settings, compose};
pub use file::{COLUMNS, FileError, read, write};
pub use line::{MOST_PLIES, Stroke, strokes};
pub use rank::{DEEPEST, MOST_NODES, depth, difficulty};

/// What the player to move is to reach, against every defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// To win.
    Win,
    /// To draw, where there is no win.
    Draw,
}

impl Goal {
    /// Both goals.
    pub const ALL: [Goal; 2] = [Goal::Win, Goal::Draw];

    /// The goal's name in files and flags.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Win => "win",
            Goal::Draw => "draw",
        }
    }

    /// The value of the problem's position for the player to move.
    #[must_use]
    pub const fn value(self) -> Value {
        match self {
            Goal::Win => Value::Win,
            Goal::Draw => Value::Draw,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a text is not a goal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a goal: win and draw are possible")]
pub struct GoalError(String);

impl FromStr for Goal {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Goal, GoalError> {
        Goal::ALL.into_iter().find(|goal| goal.name() == text).ok_or_else(|| GoalError(excerpt(text)))
    }
}

/// A problem with its solution. Whoever is to move in its position is the *solver*; the game begins there, so that there
/// is no position yet to be repeated.
///
/// One is only what its maker says of it, until [`check`] has looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// Its number in a file, from 1.
    pub id: u32,
    /// The board, the piles and who is to move. The lead is part of the problem.
    pub position: Position,
    /// What the solver is to reach.
    pub goal: Goal,
    /// The only move that reaches it: the key.
    pub mv: Move,
    /// Laps of the key.
    pub laps: u32,
    /// Seeds that the key captures.
    pub captured: u8,
    /// The move that captures most at once; it fails, and captures two seeds more than the key at least.
    pub tempting: Move,
    /// Seeds that it captures.
    pub tempting_captured: u8,
    /// Legal moves besides the key.
    pub alternatives: u32,
    /// The depth in plies from which on `ab` finds the key ([`depth`]); `None` where it does not. A measurement of a
    /// search, not a fact of the game.
    pub depth: Option<u32>,
    /// The solver's moves in the line, passes left out.
    pub own_moves: u32,
    /// How many of those are only moves, the key among them: all others that are legal there fail.
    pub only_moves: u32,
    /// How hard it is: see [`difficulty`].
    pub difficulty: u32,
    /// The solution: the key, the best defence and so on, to the game's end.
    pub line: Vec<Move>,
    /// Laps of each move of the line; 0 for a pass.
    pub line_laps: Vec<u32>,
    /// How the game ends at the end of the line.
    pub end: Ending,
}
