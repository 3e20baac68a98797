//! Results read from files: tables of games in CSV, ours or from anywhere, and games in the Portable Game Notation.
//!
//! A CSV has a header with the columns `player0` (who moved first), `player1` and `result`; where it has `round` too, as
//! our `games.csv`, the games of a round belong together. Other columns are passed over. Three columns without a header
//! are taken for those three. Of PGN games the tags `White`, `Black` and `Result` are read. What a file holds is told
//! by its first character: `[` begins PGN. A result `*` is a game that was not finished: it is counted, no more.

mod csv;
mod pgn;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use giuthi_engine::notation::excerpt;
use giuthi_engine::{Outcome, Player};
use thiserror::Error;

use crate::results::Results;

/// Why results could not be read.
#[derive(Debug, Error)]
#[error("{file}: {reason}")]
pub struct InputError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a file of results.
#[derive(Debug, Error)]
pub enum Reason {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Something in the text.
    #[error("line {line}{}: {what}", At(.column))]
    Text {
        /// The line, from 1.
        line: u64,
        /// The column or tag.
        column: Option<String>,
        /// What is wrong, and what is accepted.
        what: String,
    },
    /// There is none.
    #[error(
        "no games: a CSV with the columns player0,player1,result (and round, if there is one) or PGN with the tags White, Black and Result is possible"
    )]
    Empty,
}

/// A column in an error, if there is one.
struct At<'a>(&'a Option<String>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(column) => write!(f, ", {column}"),
            None => Ok(()),
        }
    }
}

impl Reason {
    fn text(line: u64, column: impl Into<Option<String>>, what: impl Into<String>) -> Reason {
        Reason::Text { line, column: column.into(), what: what.into() }
    }
}

/// Adds the games of a file to results; `-` is standard input. Rounds of different files are different ones.
///
/// # Errors
/// [`InputError`] with file, line and column, and what is accepted there.
pub fn read_file(path: &Path, results: &mut Results) -> Result<(), InputError> {
    if path == Path::new("-") {
        return read("standard input", io::stdin().lock(), results);
    }
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read(&name, BufReader::with_capacity(1 << 16, file), results),
        Err(error) => Err(InputError { file: name, reason: Reason::Io(error) }),
    }
}

/// Adds games to results; `file` is what errors call their source.
///
/// # Errors
/// As [`read_file`].
pub fn read(file: &str, mut source: impl BufRead, results: &mut Results) -> Result<(), InputError> {
    let before = results.games().len() as u64 + results.unfinished;
    let read = || -> Result<(), Reason> {
        let line = skip_blank(&mut source)?;
        if source.fill_buf()?.first() == Some(&b'[') {
            pgn::read(source, line, results)?;
        } else {
            csv::read(source, line, results)?;
        }
        if results.games().len() as u64 + results.unfinished == before { Err(Reason::Empty) } else { Ok(()) }
    };
    read().map_err(|reason| InputError { file: file.to_owned(), reason })
}

/// Passes over a byte order mark and blank lines; how many lines that were.
fn skip_blank(source: &mut impl BufRead) -> io::Result<u64> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if source.fill_buf()?.starts_with(MARK) {
        source.consume(MARK.len());
    }
    let mut lines = 0;
    while let Some(&byte) = source.fill_buf()?.first() {
        if !byte.is_ascii_whitespace() {
            break;
        }
        lines += u64::from(byte == b'\n');
        source.consume(1);
    }
    Ok(lines)
}

/// A result, player 0 first; `None` for a game that was not finished.
fn outcome(text: &str) -> Result<Option<Outcome>, String> {
    match text {
        "1-0" => Ok(Some(Outcome::Win(Player::South))),
        "0-1" => Ok(Some(Outcome::Win(Player::North))),
        "1/2-1/2" => Ok(Some(Outcome::Draw)),
        "*" => Ok(None),
        _ => Err(format!(
            "`{}` is no result: 1-0, 0-1, 1/2-1/2 (player 0 first) or * (not finished) is possible",
            excerpt(text)
        )),
    }
}

/// The names of a game's players.
fn names(names: [&str; 2]) -> Result<[&str; 2], String> {
    match names {
        ["", _] | [_, ""] => Err("a player without a name: a label is needed".to_owned()),
        [a, b] if a == b => Err(format!("`{}` plays against itself: two agents are needed", excerpt(a))),
        names => Ok(names),
    }
}
