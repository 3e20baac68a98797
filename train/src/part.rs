//! Checks a part of a dataset: every row, every game by replaying it from its moves, the counts and the hash.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use giuthi_engine::sample::{Note, Sample, SampleError, label};
use giuthi_engine::{Game, PlayError, Position, Variant};
use giuthi_selfplay::PartEntry;
use thiserror::Error;

use crate::lines::{LONGEST_LINE, Line, Lines};

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
    /// It is longer than any row.
    #[error("more than {LONGEST_LINE} bytes without an end: no row is as long")]
    Long,
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

/// What to do about a row that is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBad {
    /// Refuse the data, with file and line.
    #[default]
    Stop,
    /// Leave out the game that the row belongs to, and count it.
    Skip,
}

/// What was left out of a part, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Rows of the manifest that are not used: the wrong ones, the others of their games, and those that are gone.
    pub rows: u64,
    /// Games of the manifest that are not used.
    pub games: u64,
    /// The first fault, in words.
    pub first: Option<String>,
}

/// A part that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    /// Number of the first good game, and the line where it begins.
    pub(crate) first: Option<(u64, u64)>,
    /// Number of the last good game.
    pub(crate) last: Option<u64>,
    /// SHA-256 of the file, in hexadecimal.
    pub(crate) sha256: String,
    /// What was left out.
    pub(crate) left_out: LeftOut,
    /// The lines left out, ascending.
    pub(crate) bad_lines: Vec<Range<u64>>,
}

/// Reads the part at `path` and tells `observe` the rows of each of its games. `last` is the number of the game
/// before, over all parts of a dataset.
///
/// A part of which nothing is left out has to be what the manifest was written for, to the byte. One with wrong rows
/// is not: with [`OnBad::Skip`] it may then hold fewer games and rows, and its hash is not asked for.
///
/// # Errors
/// Whatever is not as the manifest's `entry` says, or not as games of `variant` are. The games before the fault
/// have been told then.
pub(crate) fn check(
    path: &Path,
    entry: &PartEntry,
    variant: Variant,
    last: Option<u64>,
    on_bad: OnBad,
    observe: impl FnMut(&[Sample]),
) -> Result<Checked, PartError> {
    let failed = |error| PartError::Io { path: path.to_owned(), error };
    let fault = |line, error| PartError::Line { path: path.to_owned(), line, error };
    let mut lines = Lines::open(path).map_err(failed)?;
    if lines.header().map_err(failed)? != Some(variant.width()) {
        return Err(fault(1, LineError::Header(variant)));
    }
    let mut check = Check::new(variant, last, observe);
    let mut found = 0;
    while let Some(line) = lines.next().map_err(failed)? {
        found += 1;
        let mut faulty = check.line(&line);
        while let Err((at, error)) = faulty {
            let told = fault(at, error);
            if on_bad == OnBad::Stop {
                return Err(told);
            }
            // A row that does not belong to the game under way may begin another.
            faulty = if check.leave_out(&line, told) { check.line(&line) } else { Ok(()) };
        }
    }
    if let Err((at, error)) = check.end() {
        let told = fault(at, error);
        if on_bad == OnBad::Stop {
            return Err(told);
        }
        check.left_out.first.get_or_insert_with(|| told.to_string());
    }
    let Check { first, last, games, rows, mut left_out, bad_lines, .. } = check.finish();
    let sha256 = lines.finish().map_err(failed)?;
    let clean = bad_lines.is_empty();
    let found = if clean { found } else { rows };
    for (what, found, wanted) in [("games", games, entry.games), ("rows", found, entry.rows)] {
        if found > wanted || (clean && found < wanted) {
            return Err(PartError::Count { path: path.to_owned(), what, found, wanted });
        }
    }
    if clean && sha256 != entry.sha256 {
        return Err(PartError::Changed { path: path.to_owned() });
    }
    (left_out.games, left_out.rows) = (entry.games - games, entry.rows - rows);
    Ok(Checked { first, last, sha256, left_out, bad_lines })
}

/// The check of a part under way.
struct Check<F> {
    variant: Variant,
    observe: F,
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
    left_out: LeftOut,
    bad_lines: Vec<Range<u64>>,
}

impl<F: FnMut(&[Sample])> Check<F> {
    fn new(variant: Variant, last: Option<u64>, observe: F) -> Check<F> {
        let (first, left_out, bad_lines) = (None, LeftOut::default(), Vec::new());
        let replay = Replay::new(variant);
        let (bad_since, at, games, rows) = (None, 1, 0, 0);
        Check { variant, observe, replay, bad_since, at, first, last, games, rows, left_out, bad_lines }
    }

    /// Takes the next line; a fault comes with the line that it is found in.
    fn line(&mut self, line: &Line<'_>) -> Result<(), (u64, LineError)> {
        self.at = line.number;
        let read = match line.whole {
            true => Sample::scan(line.bytes, self.variant.width()).map_err(LineError::from),
            false => Err(LineError::Long),
        };
        if self.bad_since.is_some() {
            // Which game a wrong row belongs to may be what is wrong with it; a game's first row begins afresh.
            if !read.as_ref().is_ok_and(|sample| sample.ply == 0) {
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
            (self.observe)(&self.replay.rows);
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
    fn leave_out(&mut self, line: &Line<'_>, fault: PartError) -> bool {
        self.left_out.first.get_or_insert_with(|| fault.to_string());
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

/// A game as far as its rows have been read.
struct Replay {
    /// The game before its first move.
    start: Game,
    game: Game,
    rows: Vec<Sample>,
    /// The line of each row.
    lines: Vec<u64>,
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
