//! The commands that a referee sends, read from lines.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::budget;
use crate::notation::{MoveError, PositionError, excerpt};
use crate::position::Position;
use crate::rules::{Move, Player};
use crate::search::{Limits, MAX_DEPTH};

/// What a referee asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `ugi`: say who you are.
    Ugi,
    /// `setoption name N value V`.
    SetOption {
        /// The option's name.
        name: String,
        /// Its value: the rest of the line, which may hold spaces.
        value: String,
    },
    /// `isready`: answer when everything before is done; a search goes on.
    IsReady,
    /// `uginewgame`: what follows is another game.
    NewGame,
    /// `position startpos|fen P [moves M…]`.
    Position {
        /// The position to start from; `None` is the variant's start.
        start: Option<Position>,
        /// Moves played from there.
        moves: Vec<Move>,
    },
    /// `go …`: choose a move.
    Go(Go),
    /// `stop`: answer the running `go` now.
    Stop,
    /// `query …`.
    Query(Query),
    /// `quit`.
    Quit,
}

/// Questions about the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Whether the game is over: `true` or `false`.
    GameOver,
    /// Whether player 0 is to move: `true` or `false`.
    P1Turn,
    /// `p1win`, `p2win`, `draw` or `none`.
    Result,
    /// The legal moves, or `none`.
    LegalMoves,
    /// The five fields.
    Position,
}

impl Query {
    /// Every question and its name.
    pub const ALL: [(&'static str, Query); 5] = [
        ("gameover", Query::GameOver),
        ("p1turn", Query::P1Turn),
        ("result", Query::Result),
        ("legalmoves", Query::LegalMoves),
        ("position", Query::Position),
    ];
}

/// The limits of a `go`: the first reached ends the search. With none at all the agent's own hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// No limit but `stop`.
    pub infinite: bool,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Time until the answer is due.
    pub movetime: Option<Duration>,
    /// What is left on the clocks, `[player 0, player 1]`.
    pub clocks: [Option<Duration>; 2],
    /// What the clocks gain after each move, `[player 0, player 1]`.
    pub increments: [Option<Duration>; 2],
}

impl Go {
    /// The limits for a search by `player`; `None` leaves the agent its own.
    ///
    /// # Errors
    /// When a clock runs, but not that of the player.
    pub fn limits(&self, player: Player) -> Result<Option<Limits>, CommandError> {
        if self.infinite {
            // A limit of any kind that is never reached: an agent asks for one at least.
            return Ok(Some(Limits { nodes: Some(u64::MAX), ..Limits::default() }));
        }
        let clocked = self.clocks.iter().chain(&self.increments).any(Option::is_some);
        let clock = self.clocks[player.index()];
        if clocked && clock.is_none() {
            return Err(CommandError::NoClock(player, ["p1time", "p2time"][player.index()]));
        }
        let increment = self.increments[player.index()].unwrap_or_default();
        let times =
            [self.movetime.map(budget::for_move), clock.map(|left| budget::for_clock(left, increment))];
        let time = times.into_iter().flatten().min();
        let limits = Limits { depth: self.depth, nodes: self.nodes, time, full_width: false };
        Ok((!limits.is_none()).then_some(limits))
    }
}

impl fmt::Display for Go {
    /// The line of the protocol. Times are told in whole milliseconds, rounded down.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        let [south, north] = self.clocks;
        let [south_gains, north_gains] = self.increments;
        for (name, time) in [
            ("movetime", self.movetime),
            ("p1time", south),
            ("p2time", north),
            ("p1inc", south_gains),
            ("p2inc", north_gains),
        ] {
            if let Some(time) = time {
                write!(f, " {name} {}", time.as_millis())?;
            }
        }
        Ok(())
    }
}

/// Why a line is no command, or a command cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// No such command.
    #[error(
        "unknown command `{0}`: there are ugi, setoption, isready, uginewgame, position, go, stop, query, quit"
    )]
    Unknown(String),
    /// A command that stands alone with words behind it.
    #[error("`{0}` stands alone, without `{1}`")]
    Alone(&'static str, String),
    /// `setoption` not as it should be.
    #[error("setoption: write `setoption name NAME value VALUE`")]
    SetOption,
    /// No such question.
    #[error("query: `{0}` is no question: there are gameover, p1turn, result, legalmoves, position")]
    Query(String),
    /// `position` not as it should be.
    #[error(
        "position: `{0}` found: write `position startpos` or `position fen` and the five fields, then `moves` and the moves"
    )]
    Position(String),
    /// Not a position.
    #[error("position: {0}")]
    Fen(#[from] PositionError),
    /// Not a move.
    #[error("position: move {number}: {error}")]
    Move {
        /// Its number among the moves, from 1.
        number: usize,
        /// What is wrong.
        error: MoveError,
    },
    /// No such limit.
    #[error(
        "go: `{0}` is no limit: there are depth, nodes, movetime, p1time, p2time, p1inc, p2inc, infinite"
    )]
    Limit(String),
    /// A limit twice.
    #[error("go: `{0}` is given twice")]
    Twice(&'static str),
    /// A limit's number is missing or out of bounds.
    #[error("go: `{limit} {text}`: a whole number from {least} to {most} is possible")]
    Number {
        /// The limit.
        limit: &'static str,
        /// What stands behind it.
        text: String,
        /// The least number possible.
        least: u64,
        /// The greatest number possible.
        most: u64,
    },
    /// `infinite` with another limit.
    #[error("go: `infinite` stands alone, without another limit")]
    Infinite,
    /// The wrong clock.
    #[error("go: player {0} is to move, but `{1}` is not given")]
    NoClock(Player, &'static str),
}

impl Command {
    /// Reads a line. A blank one is no command.
    ///
    /// # Errors
    /// When it is not as the protocol has it; nothing is guessed.
    pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
        let (first, rest) = word(line);
        let alone = |name: &'static str, command: Command| match rest {
            "" => Ok(command),
            rest => Err(CommandError::Alone(name, excerpt(rest))),
        };
        Ok(Some(match first {
            "" => return Ok(None),
            "ugi" => alone("ugi", Command::Ugi)?,
            "isready" => alone("isready", Command::IsReady)?,
            "uginewgame" => alone("uginewgame", Command::NewGame)?,
            "stop" => alone("stop", Command::Stop)?,
            "quit" => alone("quit", Command::Quit)?,
            "setoption" => set_option(rest)?,
            "position" => position(rest)?,
            "go" => Command::Go(go(rest)?),
            "query" => match Query::ALL.iter().find(|(name, _)| *name == rest) {
                Some(&(_, query)) => Command::Query(query),
                None => return Err(CommandError::Query(excerpt(rest))),
            },
            other => return Err(CommandError::Unknown(excerpt(other))),
        }))
    }
}

/// The first word of a text and what follows it, both without white space round them.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

fn set_option(text: &str) -> Result<Command, CommandError> {
    let ("name", rest) = word(text) else { return Err(CommandError::SetOption) };
    let (name, rest) = word(rest);
    let ("value", value) = word(rest) else { return Err(CommandError::SetOption) };
    if value.is_empty() {
        return Err(CommandError::SetOption);
    }
    Ok(Command::SetOption { name: name.to_owned(), value: value.to_owned() })
}

fn position(text: &str) -> Result<Command, CommandError> {
    let mut words = text.split_whitespace().peekable();
    let start = match words.next() {
        Some("startpos") => None,
        Some("fen") => {
            let mut fields = Vec::new();
            while let Some(field) = words.next_if(|&word| word != "moves") {
                fields.push(field);
            }
            Some(fields.join(" ").parse::<Position>()?)
        }
        other => return Err(CommandError::Position(excerpt(other.unwrap_or_default()))),
    };
    match words.next() {
        None | Some("moves") => {}
        Some(other) => return Err(CommandError::Position(excerpt(other))),
    }
    let moves = words
        .zip(1..)
        .map(|(word, number)| word.parse().map_err(|error| CommandError::Move { number, error }))
        .collect::<Result<_, _>>()?;
    Ok(Command::Position { start, moves })
}

fn go(text: &str) -> Result<Go, CommandError> {
    let mut go = Go::default();
    let mut words = text.split_whitespace();
    while let Some(limit) = words.next() {
        let mut number = |limit: &'static str, least: u64, most: u64| {
            let text = words.next().unwrap_or_default();
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            match text.parse::<u64>() {
                Ok(number) if digits && (least..=most).contains(&number) => Ok(number),
                _ => Err(CommandError::Number { limit, text: excerpt(text), least, most }),
            }
        };
        let mut time = |limit, slot: &mut Option<Duration>| {
            let ms = number(limit, 0, u64::MAX)?;
            once(limit, slot, Duration::from_millis(ms))
        };
        match limit {
            "movetime" => time("movetime", &mut go.movetime)?,
            "p1time" => time("p1time", &mut go.clocks[0])?,
            "p2time" => time("p2time", &mut go.clocks[1])?,
            "p1inc" => time("p1inc", &mut go.increments[0])?,
            "p2inc" => time("p2inc", &mut go.increments[1])?,
            "depth" => once("depth", &mut go.depth, number("depth", 1, u64::from(MAX_DEPTH))? as u32)?,
            "nodes" => once("nodes", &mut go.nodes, number("nodes", 1, u64::MAX)?)?,
            "infinite" if go.infinite => return Err(CommandError::Twice("infinite")),
            "infinite" => go.infinite = true,
            other => return Err(CommandError::Limit(excerpt(other))),
        }
    }
    if go.infinite && go != (Go { infinite: true, ..Go::default() }) {
        return Err(CommandError::Infinite);
    }
    Ok(go)
}

fn once<T>(limit: &'static str, slot: &mut Option<T>, value: T) -> Result<(), CommandError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(CommandError::Twice(limit)),
    }
}
