//! A part beside what should be in it: the manifest's entry, the numbers of its games. Every fault is told.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use giuthi_engine::{Game, Sample, Variant};

use super::{LineError, Observer, PartError, Replayed};
use crate::manifest::PartEntry;

/// Something in a dataset that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub path: PathBuf,
    /// The line, the header being 1; `None` for what is wrong with the file as a whole.
    pub line: Option<u64>,
    /// The column, where it is one.
    pub column: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    /// File, line and what is wrong, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl Fault {
    pub(crate) fn of_file(path: &Path, what: String) -> Fault {
        Fault { path: path.to_owned(), line: None, column: None, what }
    }

    pub(crate) fn of_part(error: &PartError) -> Fault {
        match error {
            PartError::Line { path, line, error } => Fault {
                path: path.clone(),
                line: Some(*line),
                column: error.column().map(str::to_owned),
                what: error.to_string(),
            },
            PartError::Io { path, error } => Fault::of_file(path, format!("cannot be read: {error}")),
            PartError::Count { path, what, found, wanted } => {
                Fault::of_file(path, format!("{found} {what}, not the {wanted} of the manifest"))
            }
            PartError::Stopped { path } => Fault::of_file(path, "not read to its end".to_owned()),
            PartError::ChangedMeanwhile { path } => {
                Fault::of_file(path, "its length or CRC-32 is not what it was when it was checked".to_owned())
            }
            PartError::Changed { path } => {
                Fault::of_file(path, "its SHA-256 is not that of the manifest".to_owned())
            }
        }
    }
}

/// A part to be checked.
pub(crate) struct Task {
    pub(crate) path: PathBuf,
    pub(crate) variant: Variant,
    /// What the manifest says of it, where there is one.
    pub(crate) entry: Option<PartEntry>,
    /// Numbers of the games that belong into it, where that is known.
    pub(crate) games: Option<Range<u64>>,
}

/// Collects the faults of a part, and sees which games are missing.
pub(crate) struct Watch<'a, F> {
    task: &'a Task,
    /// Faults that are kept at most.
    most: usize,
    /// The first faults, and how many there are.
    pub(crate) faults: Vec<Fault>,
    pub(crate) count: u64,
    /// The game that comes next, where games are known to follow one another.
    next: Option<u64>,
    /// Games left out since the last good one: their numbers may be what is wrong with them.
    lost: u64,
    /// Whether games were missing, or there that belong elsewhere: it has been told, and their number says no more.
    displaced: bool,
    /// Is shown every game that is as it should be, with its rows and the line of the first.
    seen: F,
    /// Whether anybody still waits.
    goes_on: &'a dyn Fn() -> bool,
}

impl<'a, F: FnMut(&Game, &[Sample], u64)> Watch<'a, F> {
    pub(crate) fn new(task: &'a Task, most: usize, seen: F) -> Watch<'a, F> {
        let next = task.games.as_ref().map(|games| games.start);
        let (faults, goes_on) = (Vec::new(), &|| true);
        Watch { task, most, faults, count: 0, next, lost: 0, displaced: false, seen, goes_on }
    }

    /// The same, but reading ends as soon as this says so.
    pub(crate) fn while_wanted(self, goes_on: &'a dyn Fn() -> bool) -> Self {
        Watch { goes_on, ..self }
    }

    /// Counts in what came of the part.
    pub(crate) fn finish(&mut self, replayed: &Result<Replayed, PartError>) {
        match replayed {
            Ok(replayed) => self.end(replayed),
            Err(error) => self.tell(Fault::of_part(error)),
        }
    }

    fn tell(&mut self, fault: Fault) {
        self.count += 1;
        if self.faults.len() < self.most {
            self.faults.push(fault);
        }
    }

    /// Of the games from `next` to before `number` only those that were left out are there.
    fn gap(&mut self, number: u64, line: Option<u64>) {
        let Some(next) = self.next else { return };
        let missing = number.saturating_sub(next).saturating_sub(std::mem::take(&mut self.lost));
        if missing > 0 {
            self.displaced = true;
            let all = if number - next == missing { "" } else { "some of " };
            let games = match number - next {
                1 => format!("game {next} is"),
                _ => format!("{all}games {next} to {} are", number - 1),
            };
            let (path, column) = (self.task.path.clone(), line.map(|_| "game".to_owned()));
            self.tell(Fault { path, line, column, what: format!("{games} missing before this") });
        }
    }

    fn end(&mut self, replayed: &Replayed) {
        if let Some(games) = &self.task.games {
            self.gap(games.end, None);
        }
        let Some(entry) = &self.task.entry else { return };
        let path = || self.task.path.clone();
        let mut errors = Vec::new();
        let (found, wanted) = (replayed.lines, entry.rows);
        if found != wanted {
            errors.push(PartError::Count { path: path(), what: "rows", found, wanted });
        }
        let (found, wanted) = (replayed.games, entry.games);
        // Where games were left out their number is not known.
        if found != wanted && !self.displaced && (replayed.bad_lines.is_empty() || found > wanted) {
            errors.push(PartError::Count { path: path(), what: "games", found, wanted });
        }
        if replayed.sums.sha256 != entry.sha256 {
            errors.push(PartError::Changed { path: path() });
        }
        errors.iter().for_each(|error| self.tell(Fault::of_part(error)));
    }
}

impl<F: FnMut(&Game, &[Sample], u64)> Observer for Watch<'_, F> {
    fn game(&mut self, game: &Game, rows: &[Sample], line: u64) {
        (self.seen)(game, rows, line);
        let number = rows[0].game;
        match &self.task.games {
            Some(games) if !games.contains(&number) => {
                let Range { start, end } = games;
                self.displaced = true;
                let what = format!("game {number} does not belong here: games {start} to {} do", end - 1);
                let (path, column) = (self.task.path.clone(), Some("game".to_owned()));
                self.tell(Fault { path, line: Some(line), column, what });
            }
            _ => {
                self.gap(number, Some(line));
                self.next = self.next.map(|_| number + 1);
                self.lost = 0;
            }
        }
    }

    fn fault(&mut self, fault: PartError) -> Result<(), PartError> {
        // A game that has been before is one too many, and none is lost by it.
        if !matches!(fault, PartError::Line { error: LineError::Order { ply: 0, .. }, .. }) {
            self.lost += 1;
        }
        self.tell(Fault::of_part(&fault));
        Ok(())
    }
    fn goes_on(&self) -> bool {
        (self.goes_on)()
    }
}
