//! Proofs as files: what a player claims, and the moves that make it good.
//!
//! ```text
//! giuthi-proof 1
//! position 4,4,4,4,4 4,4,4,4,4 0 0 0
//! player 0
//! goal win
//! tables none
//! moves 3
//! 5ccw 9cw circle
//! ```

use std::fmt;
use std::io::{self, BufRead, Write};
use std::str::FromStr;

use thiserror::Error;

use crate::notation::excerpt;
use crate::position::Position;
use crate::rules::{Move, Player};

/// What a player can reach, whatever the other does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A win.
    Win,
    /// A draw at least.
    Draw,
}

impl Goal {
    /// Both goals.
    pub const ALL: [Goal; 2] = [Goal::Win, Goal::Draw];

    /// The goal's name in the notations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Win => "win",
            Goal::Draw => "draw",
        }
    }
}

/// That a player reaches a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Who reaches it.
    pub player: Player,
    /// What.
    pub goal: Goal,
}

impl Claim {
    /// Who wins or does not: the player of the claim where it is a win, else the other.
    pub(super) const fn attacker(self) -> Player {
        match self.goal {
            Goal::Win => self.player,
            Goal::Draw => self.player.opponent(),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.goal {
            Goal::Win => write!(f, "player {} wins", self.player),
            Goal::Draw => write!(f, "player {} draws at least", self.player),
        }
    }
}

/// What the claim's player does in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Plays a move.
    Play(Move),
    /// Goes round in a circle of extra moves, which the row holds, and draws.
    Circle,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Play(mv) => mv.fmt(f),
            Step::Circle => f.write_str(CIRCLE),
        }
    }
}

const CIRCLE: &str = "circle";

/// A claim about a position and what makes it good: the player's moves, in the order in which
/// [`verify`](Proof::verify) asks for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The position, which has no history.
    pub position: Position,
    /// What is claimed of it.
    pub claim: Claim,
    /// It takes for true what tables of up to so many seeds say; `None` where it leans on none.
    pub tables: Option<usize>,
    /// What the player does, position after position.
    pub steps: Vec<Step>,
}

/// Why a file is no proof.
#[derive(Debug, Error)]
pub enum ProofError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, and what is accepted.
        what: String,
    },
}

/// The first line of a file.
const HEADER: &str = "giuthi-proof 1";
/// Moves a line.
const A_LINE: usize = 20;

impl Proof {
    /// Writes the proof as text.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}\nposition {}", self.position)?;
        writeln!(out, "player {}\ngoal {}", self.claim.player, self.claim.goal.name())?;
        match self.tables {
            Some(seeds) => writeln!(out, "tables {seeds}")?,
            None => writeln!(out, "tables none")?,
        }
        writeln!(out, "moves {}", self.steps.len())?;
        for line in self.steps.chunks(A_LINE) {
            for (i, step) in line.iter().enumerate() {
                let separator = if i == 0 { "" } else { " " };
                write!(out, "{separator}{step}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Reads all the proofs of a file, one after another. Whether they prove anything, [`verify`](Proof::verify) tells.
    ///
    /// # Errors
    /// Where it cannot be read or holds no proof: which line, and what is accepted.
    pub fn read_all(input: impl BufRead) -> Result<Vec<Proof>, ProofError> {
        let mut lines = Lines { lines: input.lines(), number: 0 };
        let mut proofs = Vec::new();
        loop {
            match lines.next()?.as_deref() {
                Some(HEADER) => proofs.push(Proof::read(&mut lines)?),
                None if !proofs.is_empty() => return Ok(proofs),
                _ => return Err(lines.fault(format!("a proof begins with the line `{HEADER}`"))),
            }
        }
    }

    /// Reads what follows the first line.
    fn read<I: Iterator<Item = io::Result<String>>>(lines: &mut Lines<I>) -> Result<Proof, ProofError> {
        let position: Position = lines.field("position")?;
        let player: Number = lines.field("player")?;
        let player = Player::from_index(player.0)
            .ok_or_else(|| lines.fault(format!("player {}: 0 or 1 are possible", player.0)))?;
        let goal: String = lines.field("goal")?;
        let goal = Goal::ALL.into_iter().find(|known| known.name() == goal).ok_or_else(|| {
            lines.fault(format!("`{}` is not a goal: win and draw are possible", excerpt(&goal)))
        })?;
        let Tables(tables) = lines.field("tables")?;
        let count: Number = lines.field("moves")?;
        let mut steps = Vec::new();
        while steps.len() < count.0 {
            let line = lines.next()?.ok_or_else(|| {
                lines.fault(format!("only {} of {} moves are there: the file is cut", steps.len(), count.0))
            })?;
            for word in line.split_ascii_whitespace() {
                steps.push(lines.step(word)?);
            }
        }
        if steps.len() > count.0 {
            return Err(lines.fault(format!("there are more moves than the {} of the head", count.0)));
        }
        Ok(Proof { position, claim: Claim { player, goal }, tables, steps })
    }
}

/// A whole number of digits alone.
struct Number(usize);

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Number, String> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Ok(Number(number)),
            _ => Err(format!("`{}` is not a whole number", excerpt(text))),
        }
    }
}

/// The seeds of tables, or `none`.
struct Tables(Option<usize>);

impl FromStr for Tables {
    type Err = String;

    fn from_str(text: &str) -> Result<Tables, String> {
        match text {
            "none" => Ok(Tables(None)),
            text => Ok(Tables(Some(text.parse::<Number>().map_err(|error| format!("{error}, nor none"))?.0))),
        }
    }
}

/// The lines of a file, numbered.
struct Lines<I> {
    lines: I,
    number: usize,
}

impl<I: Iterator<Item = io::Result<String>>> Lines<I> {
    fn next(&mut self) -> Result<Option<String>, ProofError> {
        self.number += 1;
        self.lines.next().transpose().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => self.fault("this is not text in UTF-8".to_owned()),
            _ => ProofError::Io(error),
        })
    }

    fn fault(&self, what: String) -> ProofError {
        ProofError::Line { line: self.number, what }
    }

    fn step(&self, word: &str) -> Result<Step, ProofError> {
        if word == CIRCLE {
            return Ok(Step::Circle);
        }
        word.parse().map(Step::Play).map_err(|error| self.fault(format!("{error}, or {CIRCLE}")))
    }

    /// The value of the next line, which begins with a name.
    fn field<T: FromStr<Err: fmt::Display>>(&mut self, name: &str) -> Result<T, ProofError> {
        let line = self.next()?.unwrap_or_default();
        let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        let value = value
            .ok_or_else(|| self.fault(format!("`{name} …` should stand here, not `{}`", excerpt(&line))))?;
        value.parse().map_err(|error: T::Err| self.fault(error.to_string()))
    }
}
