//! Parts of datasets read and checked: every row, and every game by replaying it from its moves. The trainer,
//! `giuthi selfplay verify`, `merge --verify` and a run that goes on with its parts all read so.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use giuthi_engine::sample::{Note, Sample, SampleError, columns, label};
use giuthi_engine::{Game, PlayError, Position, Source, Variant};
use thiserror::Error;

use crate::lines::{LONGEST_LINE, Line, Lines, Reading, Summing, Sums};
use crate::part::header;

mod part;

pub use part::Fault;
pub(crate) use part::{Task, Watch};

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
    /// Its bytes are not those that were checked when it was opened.
    #[error("{path}: its length or CRC-32 is not what it was when it was checked: it was changed meanwhile")]
    ChangedMeanwhile {
        /// The part.
        path: PathBuf,
    },
    /// It was not read to its end: nobody waits for it any more.
    #[error("{path}: not read to its end")]
    Stopped {
        /// The part.
        path: PathBuf,
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
    /// It is longer than any row.
    #[error("more than {LONGEST_LINE} bytes without an end: no row is as long")]
    Long,
    /// It is not the header of the manifest's variant.
    #[error("not the header of a dataset of {0}")]
    Header(Variant),
    /// It is no row from which the variant could be told.
    #[error("a dataset begins with its header, and behind it a start position")]
    NoStart,
    /// It is no row.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// It is the row, but not as self-play writes it; told where a run goes on with its own parts.
    #[error("spelt otherwise than here: `{0}`")]
    Spelling(String),
    /// The file ends within it; told where a run goes on with its own parts.
    #[error("the line has no end")]
    NoEnd,
    /// What is compressed is damaged.
    #[error("{0}")]
    Compressed(String),
    /// It is a row, but not the one that comes here.
    #[error("ply {ply} of game {game} does not follow the row before it")]
    Order {
        /// The row's game.
        game: u64,
        /// The row's ply.
        ply: u32,
    },
    /// The position is not the one that the moves of the game lead to.
    #[error("column `{column}`: by its moves the game is here at {wanted}")]
    Position {
        /// The first column that differs.
        column: String,
        /// The position that it should be.
        wanted: Position,
    },
    /// A pass has a value, though nothing was searched.
    #[error("column `value`: not empty, but no search chooses a forced pass")]
    ForcedValue,
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

/// Who watches a part being read.
pub trait Observer {
    /// A game that is as it should be, with its rows; the first stands in `line`.
    fn game(&mut self, game: &Game, rows: &[Sample], line: u64);

    /// A fault. Where it is passed over (`Ok`), the game that it stands in is left out, and reading goes on behind it.
    ///
    /// # Errors
    /// The fault, where it ends the reading.
    fn fault(&mut self, fault: PartError) -> Result<(), PartError>;

    /// Whether reading goes on; asked before every line.
    fn goes_on(&self) -> bool {
        true
    }
}

/// A part that was read to its end.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Number of the first good game, and the line where it begins.
    pub first: Option<(u64, u64)>,
    /// Number of the last good game.
    pub last: Option<u64>,
    /// Good games.
    pub games: u64,
    /// Their rows.
    pub rows: u64,
    /// Lines behind the header that are not empty, whatever they hold.
    pub lines: u64,
    /// The lines left out, ascending.
    pub bad_lines: Vec<Range<u64>>,
    /// Sums of the file.
    pub sums: Sums,
}

/// Reads the part of a dataset of `variant` at `path`: every row is checked, every game replayed from its moves.
/// `last` is the number of the game before it, if there is one.
///
/// # Errors
/// What cannot be read; a header that is another one's; the fault that the observer takes for the end.
pub fn replay(
    path: &Path,
    variant: Variant,
    last: Option<u64>,
    observer: &mut impl Observer,
) -> Result<Replayed, PartError> {
    replay_as(path, variant, last, Reading::Lenient, observer)
}

/// [`replay`]; read exactly, every byte has to be as it is written here.
pub(crate) fn replay_as(
    path: &Path,
    variant: Variant,
    last: Option<u64>,
    reading: Reading,
    observer: &mut impl Observer,
) -> Result<Replayed, PartError> {
    let failed = |error| PartError::Io { path: path.to_owned(), error };
    let fault = |line, error| PartError::Line { path: path.to_owned(), line, error };
    let mut lines = Lines::open_as(path, Summing::Sha256, reading).map_err(failed)?;
    let compressed = lines.is_compressed();
    // What the system did not say was said in decompressing.
    let unread = |line, what, error: io::Error| match error.raw_os_error() {
        None if compressed => fault(line, LineError::Compressed(format!("{what}{error}"))),
        _ => failed(error),
    };
    let broken = "cannot be decompressed from here on: ";
    let found = match reading {
        Reading::Lenient => lines.header().map(|width| width == Some(variant.width())),
        Reading::Exact => {
            let header = header(variant.width());
            lines
                .next()
                .map(|line| line.is_some_and(|line| line.ended && line.bytes == header.trim_end().as_bytes()))
        }
    };
    if !found.map_err(|error| unread(1, broken, error))? {
        return Err(fault(1, LineError::Header(variant)));
    }
    let mut check = Check::new(variant, last, reading, observer);
    let mut found = 0;
    loop {
        if !check.observer.goes_on() {
            return Err(PartError::Stopped { path: path.to_owned() });
        }
        let at = lines.number() + 1;
        let Some(line) = lines.next().map_err(|error| unread(at, broken, error))? else { break };
        found += 1;
        let mut faulty = check.line(&line);
        while let Err((at, error)) = faulty {
            check.observer.fault(fault(at, error))?;
            // A row that does not belong to the game under way may begin another.
            faulty = if check.leave_out(&line) { check.line(&line) } else { Ok(()) };
        }
    }
    if let Err((at, error)) = check.end() {
        check.observer.fault(fault(at, error))?;
    }
    let Check { at, first, last, games, rows, bad_lines, .. } = check.finish();
    let sums = lines.finish().map_err(|error| unread(at, "", error))?;
    Ok(Replayed { first, last, games, rows, lines: found, bad_lines, sums })
}

/// Whether a part begins as one of a dataset of `variant` does, and with the game of this number: its header and its first
/// row.
pub(crate) fn begins(path: &Path, variant: Variant, game: u64) -> Result<(), PartError> {
    let failed = |error| PartError::Io { path: path.to_owned(), error };
    let fault = |line, error| PartError::Line { path: path.to_owned(), line, error };
    let mut lines = Lines::open(path, Summing::Quick).map_err(failed)?;
    if lines.header().map_err(failed)? != Some(variant.width()) {
        return Err(fault(1, LineError::Header(variant)));
    }
    let Some(line) = lines.next().map_err(failed)? else { return Err(fault(2, LineError::NoStart)) };
    let number = line.number;
    let first = Sample::scan(line.bytes, variant.width()).map_err(LineError::from).and_then(|sample| {
        let found = sample.game;
        Replay::new(variant).push(number, sample, None)?;
        if found == game { Ok(()) } else { Err(LineError::Order { game: found, ply: 0 }) }
    });
    first.map_err(|error| fault(number, error))
}

/// The check of a part under way.
struct Check<'a, O> {
    variant: Variant,
    reading: Reading,
    /// A row as it is written here.
    spelt: Vec<u8>,
    observer: &'a mut O,
    replay: Replay,
    /// The first line of what is being left out.
    bad_since: Option<u64>,
    /// The line read last.
    at: u64,
    first: Option<(u64, u64)>,
    last: Option<u64>,
    /// Good games and their rows.
    games: u64,
    rows: u64,
    bad_lines: Vec<Range<u64>>,
}

impl<O: Observer> Check<'_, O> {
    fn new(variant: Variant, last: Option<u64>, reading: Reading, observer: &mut O) -> Check<'_, O> {
        let (first, bad_lines, replay) = (None, Vec::new(), Replay::new(variant));
        let (spelt, bad_since, at, games, rows) = (Vec::new(), None, 1, 0, 0);
        Check {
            variant,
            reading,
            spelt,
            observer,
            replay,
            bad_since,
            at,
            first,
            last,
            games,
            rows,
            bad_lines,
        }
    }

    /// The row in a line, and what is wrong with how it is written where that counts.
    #[cold]
    fn read_exactly(&mut self, line: &Line<'_>) -> Result<Sample, LineError> {
        if !line.whole {
            return Err(LineError::Long);
        }
        if !line.ended {
            return Err(LineError::NoEnd);
        }
        let sample = Sample::scan(line.bytes, self.variant.width())?;
        self.spelt.clear();
        sample.spell(&mut self.spelt);
        let spelt = self.spelt.trim_ascii_end();
        if line.bytes != spelt {
            return Err(LineError::Spelling(String::from_utf8_lossy(spelt).into_owned()));
        }
        Ok(sample)
    }

    /// Takes the next line; a fault comes with the line that it is found in.
    fn line(&mut self, line: &Line<'_>) -> Result<(), (u64, LineError)> {
        self.at = line.number;
        let read = match (self.reading, line.whole) {
            (Reading::Exact, _) => self.read_exactly(line),
            (Reading::Lenient, true) => {
                Sample::scan(line.bytes, self.variant.width()).map_err(LineError::from)
            }
            (Reading::Lenient, false) => Err(LineError::Long),
        };
        if self.bad_since.is_some() {
            // Which game a wrong row belongs to may be what is wrong with it; a game's first row begins afresh.
            let begins = match &read {
                Ok(sample) => sample.ply == 0,
                Err(_) => line.bytes.splitn(3, |&byte| byte == b',').nth(1) == Some(b"0"),
            };
            if !begins {
                return Ok(());
            }
            self.close(line.number);
        }
        let sample = read.map_err(|error| (line.number, error))?;
        self.replay.push(line.number, sample, self.last).map_err(|error| (line.number, error))?;
        if self.replay.game.ending().is_some() {
            self.replay.check_labels()?;
            let number = self.replay.rows[0].game;
            self.first = self.first.or(Some((number, self.replay.lines[0])));
            self.last = Some(number);
            self.games += 1;
            self.rows += self.replay.rows.len() as u64;
            self.observer.game(&self.replay.game, &self.replay.rows, self.replay.lines[0]);
            self.replay.clear();
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), (u64, LineError)> {
        match (self.replay.rows.last(), self.replay.lines.last()) {
            (Some(sample), Some(&line)) => Err((line, LineError::BreaksOff(sample.game))),
            _ => Ok(()),
        }
    }

    /// Leaves out the game under way for a fault that `line` brought to light, and the line with it; unless it is no
    /// part of that game: then it is to be taken again.
    fn leave_out(&mut self, line: &Line<'_>) -> bool {
        self.bad_since = Some(self.replay.lines.first().copied().unwrap_or(line.number));
        let last = self.replay.lines.last().copied();
        self.replay.clear();
        if last == Some(line.number) {
            // The game was whole, only its labels were not.
            self.close(line.number + 1);
        }
        last.is_some_and(|last| last < line.number)
    }

    /// Ends what is left out before line `next`.
    fn close(&mut self, next: u64) {
        let Some(since) = self.bad_since.take() else { return };
        match self.bad_lines.last_mut().filter(|range| range.end == since) {
            Some(range) => range.end = next,
            None => self.bad_lines.push(since..next),
        }
    }

    fn finish(mut self) -> Self {
        self.bad_since = self.bad_since.or(self.replay.lines.first().copied());
        self.close(self.at + 1);
        self
    }
}

impl LineError {
    /// The column that is wrong, where it is one.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            LineError::Sample(SampleError::Field { column, .. }) | LineError::Position { column, .. } => {
                Some(column)
            }
            LineError::Sample(SampleError::Move(_)) | LineError::Play(_) => Some("move"),
            LineError::Label { column, .. } => Some(column),
            LineError::ForcedValue => Some("value"),
            LineError::Order { ply: 0, .. } => Some("game"),
            LineError::Order { .. } => Some("ply"),
            LineError::Long
            | LineError::Header(_)
            | LineError::NoStart
            | LineError::Sample(_)
            | LineError::Spelling(_)
            | LineError::NoEnd
            | LineError::Compressed(_)
            | LineError::BreaksOff(_) => None,
        }
    }
}

/// A game as far as its rows have been read.
struct Replay {
    /// The game before its first move.
    start: Game,
    game: Game,
    rows: Vec<Sample>,
    /// The line of each row.
    lines: Vec<u64>,
}

/// The first column in which a position is not the one wanted.
fn differing(found: &Position, wanted: &Position) -> String {
    let width = found.width();
    let numbers = |position: &Position| {
        let player = [position.to_move().index() as u8];
        [&player[..], position.board().pits(), &position.piles()].concat()
    };
    let at = numbers(found).iter().zip(numbers(wanted)).position(|(found, wanted)| *found != wanted);
    columns(width)[2 + at.unwrap_or(0)].clone()
}

impl Replay {
    fn new(variant: Variant) -> Replay {
        Replay { start: Game::new(variant), game: Game::new(variant), rows: Vec::new(), lines: Vec::new() }
    }

    /// Begins the next game.
    fn clear(&mut self) {
        self.game.clone_from(&self.start);
        self.rows.clear();
        self.lines.clear();
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
            let column = differing(&sample.position, self.game.position());
            return Err(LineError::Position { column, wanted: *self.game.position() });
        }
        if sample.source == Source::Forced && sample.value.is_some() {
            return Err(LineError::ForcedValue);
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
