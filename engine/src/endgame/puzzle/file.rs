//! Files of problems: CSV, a row a problem.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use csv::StringRecord;
use thiserror::Error;

use super::{Goal, Puzzle};
use crate::files::write_whole;
use crate::game::Ending;
use crate::notation::excerpt;
use crate::position::Position;
use crate::rules::Move;

/// The columns of a file of problems, in order.
pub const COLUMNS: [&str; 17] = [
    "id",
    "position",
    "goal",
    "move",
    "laps",
    "difficulty",
    "captured",
    "tempting",
    "tempting_captured",
    "alternatives",
    "depth",
    "own_moves",
    "only_moves",
    "end",
    "plies",
    "line",
    "line_laps",
];

/// Why a file of problems could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The system refused.
    #[error("{}: {what}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What could not be done.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The header is that of something else.
    #[error("{}: line 1: not a file of problems: the header has to be `{}`", path.display(), COLUMNS.join(","))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing behind the header.
    #[error("{}: no problems behind the header", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A row is none.
    #[error("{}: line {line}: {reason}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong, with the column.
        reason: String,
    },
}

/// Reads a file of problems, each with the number of its line. What they say is not yet [checked](super::check).
///
/// # Errors
/// Where the file cannot be read, has another header, holds none, or has a row that is none, with line and column.
pub fn read(path: &Path) -> Result<Vec<(u64, Puzzle)>, FileError> {
    let unreadable = |error| FileError::Io { path: path.to_owned(), what: "cannot be read", error };
    let file = File::open(path).map_err(unreadable)?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file);
    let mut puzzles: Vec<(u64, Puzzle)> = Vec::new();
    let mut headed = false;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) if error.is_io_error() => {
                return Err(unreadable(io::Error::other(error)));
            }
            Err(error) => {
                let line = error.position().map_or(1, csv::Position::line);
                let reason = "no CSV in UTF-8".to_owned();
                return Err(FileError::Row { path: path.to_owned(), line, reason });
            }
        };
        if !headed {
            headed = true;
            if !record.iter().eq(COLUMNS) {
                return Err(FileError::Foreign { path: path.to_owned() });
            }
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |reason| FileError::Row { path: path.to_owned(), line, reason };
        let puzzle = parse(&record).map_err(wrong)?;
        if let Some((first, _)) = puzzles.iter().find(|(_, other)| other.id == puzzle.id) {
            return Err(wrong(format!("column `id`: {} is that of line {first} already", puzzle.id)));
        }
        puzzles.push((line, puzzle));
    }
    match (headed, puzzles.is_empty()) {
        (false, _) => Err(FileError::Foreign { path: path.to_owned() }),
        (true, true) => Err(FileError::Empty { path: path.to_owned() }),
        (true, false) => Ok(puzzles),
    }
}

/// The puzzle of a row, or what is wrong with it.
fn parse(record: &StringRecord) -> Result<Puzzle, String> {
    if record.len() != COLUMNS.len() {
        return Err(format!("{} fields: {} are needed", record.len(), COLUMNS.len()));
    }
    let column = |name: &'static str| {
        let at = COLUMNS.iter().position(|column| *column == name);
        (name, &record[at.expect("a column is listed")])
    };
    let (_, depth) = column("depth");
    let line: Vec<Move> = list(column("line"))?;
    let (name, plies) = column("plies");
    if number(name, plies)? as usize != line.len() {
        return Err(format!(
            "column `plies`: {plies} is there, and the moves of the line are {}",
            line.len()
        ));
    }
    let (name, end) = column("end");
    let end = Ending::ALL.into_iter().find(|ending| ending.name() == end).ok_or_else(|| {
        format!("column `{name}`: `{}` is not no-moves, repetition or endless", excerpt(end))
    })?;
    let count = |(name, text)| number(name, text);
    let id = match count(column("id"))? {
        0 => return Err("column `id`: 0 is there, and numbers are from 1".to_owned()),
        id => id,
    };
    let seeds = |(name, text)| {
        let seeds = number(name, text)?;
        u8::try_from(seeds).map_err(|_| format!("column `{name}`: {seeds} seeds: at most 255 are possible"))
    };
    Ok(Puzzle {
        id,
        position: one::<Position>(column("position"))?,
        goal: one::<Goal>(column("goal"))?,
        mv: one(column("move"))?,
        laps: count(column("laps"))?,
        captured: seeds(column("captured"))?,
        tempting: one(column("tempting"))?,
        tempting_captured: seeds(column("tempting_captured"))?,
        alternatives: count(column("alternatives"))?,
        depth: if depth.is_empty() { None } else { Some(number("depth", depth)?) },
        own_moves: count(column("own_moves"))?,
        only_moves: count(column("only_moves"))?,
        difficulty: count(column("difficulty"))?,
        line,
        line_laps: list::<Count>(column("line_laps"))?.into_iter().map(|Count(laps)| laps).collect(),
        end,
    })
}

/// A whole number of a file, below a million.
struct Count(u32);

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Count, String> {
        let digits = !text.is_empty() && text.len() < 7 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Ok(Count(number)),
            _ => Err(format!("`{}` is not a whole number below a million", excerpt(text))),
        }
    }
}

fn number(column: &str, text: &str) -> Result<u32, String> {
    let Count(number) = one::<Count>((column, text))?;
    Ok(number)
}

fn one<T: FromStr<Err: ToString>>((column, text): (&str, &str)) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| format!("column `{column}`: {}", error.to_string()))
}

fn list<T: FromStr<Err: ToString>>((column, text): (&str, &str)) -> Result<Vec<T>, String> {
    text.split(' ').map(|part| one((column, part))).collect()
}

/// Writes a file of problems; it appears under its name only when it is whole.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(path: &Path, puzzles: &[Puzzle]) -> Result<(), FileError> {
    let written: io::Result<()> = write_whole(path, |writer| {
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(COLUMNS)?;
        for puzzle in puzzles {
            writer.write_record(fields(puzzle))?;
        }
        writer.flush()
    });
    written.map_err(|error| FileError::Io { path: path.to_owned(), what: "cannot be written", error })
}

fn fields(puzzle: &Puzzle) -> [String; COLUMNS.len()] {
    let joined = |words: Vec<String>| words.join(" ");
    [
        puzzle.id.to_string(),
        puzzle.position.to_string(),
        puzzle.goal.to_string(),
        puzzle.mv.to_string(),
        puzzle.laps.to_string(),
        puzzle.difficulty.to_string(),
        puzzle.captured.to_string(),
        puzzle.tempting.to_string(),
        puzzle.tempting_captured.to_string(),
        puzzle.alternatives.to_string(),
        puzzle.depth.map_or(String::new(), |depth| depth.to_string()),
        puzzle.own_moves.to_string(),
        puzzle.only_moves.to_string(),
        puzzle.end.name().to_owned(),
        puzzle.line.len().to_string(),
        joined(puzzle.line.iter().map(Move::to_string).collect()),
        joined(puzzle.line_laps.iter().map(u32::to_string).collect()),
    ]
}
