//! Reads a part of a dataset: every row is checked, and every game is replayed from its moves.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::{ErrorKind, ReaderBuilder, StringRecord};
use giuthi_engine::sample::{Note, Sample, SampleError, label, width_of};
use giuthi_engine::{Game, PlayError, Position, Variant};
use giuthi_selfplay::PartEntry;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Why a part cannot be used.
#[derive(Debug, Error)]
pub enum PartError {
    /// It cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The part.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A line is not what a dataset has there.
    #[error("{path}, line {line}: {error}")]
    Line {
        /// The part.
        path: PathBuf,
        /// The line, the header being 1.
        line: u64,
        /// What is wrong with it.
        error: LineError,
    },
    /// It holds more or less than the manifest says.
    #[error("{path}: {found} {what}, not the {wanted} of the manifest")]
    Count {
        /// The part.
        path: PathBuf,
        /// Games or rows.
        what: &'static str,
        /// How many it holds.
        found: u64,
        /// How many the manifest says.
        wanted: u64,
    },
    /// Its bytes are not those that the manifest was written for.
    #[error("{path}: its SHA-256 is not that of the manifest: it was changed since it was written")]
    Changed {
        /// The part.
        path: PathBuf,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// It is not UTF-8.
    #[error("not text in UTF-8")]
    NotText,
    /// It is not the header of the manifest's variant.
    #[error("not the header of a dataset of {0}")]
    Header(Variant),
    /// It is no row.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// It is a row, but not the one that comes here.
    #[error("ply {ply} of game {game} does not follow the row before it")]
    Order {
        /// The row's game.
        game: u64,
        /// The row's ply.
        ply: u32,
    },
    /// The position is not the one that the moves of the game lead to.
    #[error("by its moves the game is here at {0}")]
    Position(Position),
    /// The move cannot be played in the game.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A label is not what the game came to.
    #[error("column `{column}`: `{found}`, but by its moves the game gives `{wanted}`")]
    Label {
        /// The column's name.
        column: &'static str,
        /// What it holds.
        found: String,
        /// What it should hold.
        wanted: String,
    },
    /// The part ends before the game does.
    #[error("game {0} breaks off after this row")]
    BreaksOff(u64),
}

/// Reads the part at `path` and tells `observe` the rows of each of its games. `last` is the number of the game
/// before, over all parts of a dataset.
///
/// # Errors
/// Whatever is not as the manifest's `entry` says, or not as games of `variant` are. The games before the fault
/// have been told then.
pub(crate) fn read(
    path: &Path,
    entry: &PartEntry,
    variant: Variant,
    last: &mut Option<u64>,
    mut observe: impl FnMut(&[Sample]),
) -> Result<(), PartError> {
    let failed = |error| PartError::Io { path: path.to_owned(), error };
    let fault = |line, error| PartError::Line { path: path.to_owned(), line, error };
    let unread = |error: csv::Error| {
        let line = error.position().map_or(0, csv::Position::line);
        match error.into_kind() {
            ErrorKind::Io(error) => failed(error),
            // Fields are neither quoted nor counted by the reader, so nothing else can go wrong in it.
            _ => fault(line, LineError::NotText),
        }
    };
    let file = File::open(path).map_err(failed)?;
    let mut reader =
        ReaderBuilder::new().quoting(false).flexible(true).from_reader(Hashing { file, hash: Sha256::new() });
    if width_of(reader.headers().map_err(unread)?) != Some(variant.width()) {
        return Err(fault(1, LineError::Header(variant)));
    }
    let (mut games, mut rows) = (0, 0);
    let mut replay = Replay::new(variant);
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(unread)? {
        let line = record.position().map_or(0, csv::Position::line);
        let sample = Sample::read(&record, variant.width()).map_err(|error| fault(line, error.into()))?;
        replay.push(line, sample, *last).map_err(|error| fault(line, error))?;
        rows += 1;
        if replay.game.ending().is_some() {
            replay.check_labels().map_err(|(line, error)| fault(line, error))?;
            *last = Some(replay.rows[0].game);
            games += 1;
            observe(&replay.rows);
            replay = Replay::new(variant);
        }
    }
    if let (Some(sample), Some(&line)) = (replay.rows.last(), replay.lines.last()) {
        return Err(fault(line, LineError::BreaksOff(sample.game)));
    }
    for (what, found, wanted) in [("games", games, entry.games), ("rows", rows, entry.rows)] {
        if found != wanted {
            return Err(PartError::Count { path: path.to_owned(), what, found, wanted });
        }
    }
    let hash = reader.into_inner().hash.finalize();
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    if hash == entry.sha256 { Ok(()) } else { Err(PartError::Changed { path: path.to_owned() }) }
}

/// A game as far as its rows have been read.
struct Replay {
    game: Game,
    rows: Vec<Sample>,
    /// The line of each row.
    lines: Vec<u64>,
}

impl Replay {
    fn new(variant: Variant) -> Replay {
        Replay { game: Game::new(variant), rows: Vec::new(), lines: Vec::new() }
    }

    /// Plays the move of a row, which must be the next of the game, or the first of one that is numbered above
    /// `last`.
    fn push(&mut self, line: u64, sample: Sample, last: Option<u64>) -> Result<(), LineError> {
        let (game, ply) = (sample.game, sample.ply);
        let follows = match self.rows.first() {
            Some(first) => game == first.game && ply as usize == self.rows.len(),
            None => last.is_none_or(|last| game > last) && ply == 0,
        };
        if !follows {
            return Err(LineError::Order { game, ply });
        }
        if sample.position != *self.game.position() {
            return Err(LineError::Position(*self.game.position()));
        }
        self.game.play(sample.mv)?;
        self.rows.push(sample);
        self.lines.push(line);
        Ok(())
    }

    /// Compares the labels of a game that is over with what it came to; a fault comes with its line.
    fn check_labels(&self) -> Result<(), (u64, LineError)> {
        let notes: Vec<_> =
            self.rows.iter().map(|row| Note { source: row.source, value: row.value }).collect();
        let wanted = label(self.rows[0].game, &self.game, &notes).expect("called when the game is over");
        for ((found, wanted), &line) in self.rows.iter().zip(&wanted).zip(&self.lines) {
            let labels = |row: &Sample| {
                [
                    ("result", row.result.to_string()),
                    ("margin", row.margin.to_string()),
                    ("end", row.ending.name().to_owned()),
                ]
            };
            if found == wanted {
                continue;
            }
            for ((column, found), (_, wanted)) in labels(found).into_iter().zip(labels(wanted)) {
                if found != wanted {
                    return Err((line, LineError::Label { column, found, wanted }));
                }
            }
        }
        Ok(())
    }
}

/// A file that is hashed while it is read.
struct Hashing {
    file: File,
    hash: Sha256,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}
