//! Whole datasets checked, and every fault told with its place.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use giuthi_engine::{Game, Sample, Variant};

use crate::check::{LineError, Observer, PartError, Replayed, replay};
use crate::each_part::each_part;
use crate::lines::{Lines, Summing};
use crate::manifest::{Manifest, ManifestError, PartEntry, Run};

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
    fn of_file(path: &Path, what: String) -> Fault {
        Fault { path: path.to_owned(), line: None, column: None, what }
    }

    fn of_part(error: &PartError) -> Fault {
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
            PartError::Changed { path } => {
                Fault::of_file(path, "its SHA-256 is not that of the manifest".to_owned())
            }
        }
    }
}

/// What was looked at and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Parts looked at.
    pub parts: u64,
    /// Games without a fault.
    pub games: u64,
    /// Their rows.
    pub rows: u64,
    /// Faults, those that were not told among them.
    pub faults: u64,
}

impl Verified {
    /// Counts in what came of another dataset.
    pub fn add(&mut self, other: Verified) {
        self.parts += other.parts;
        self.games += other.games;
        self.rows += other.rows;
        self.faults += other.faults;
    }
}

/// What to tell while a dataset is looked at.
#[derive(Debug)]
pub enum Event<'a> {
    /// There are so many rows to read, as the manifest says.
    Planned(u64),
    /// A part of so many rows, as the manifest says, was read.
    Read(u64),
    /// A fault was found. Faults come part by part, and line by line within a part.
    Fault(&'a Fault),
}

/// A part to be checked.
struct Task {
    path: PathBuf,
    variant: Variant,
    entry: Option<PartEntry>,
    /// Numbers of the games that belong into it, where that is known.
    games: Option<Range<u64>>,
}

/// What came of a part.
struct Checked {
    /// The first faults, and how many there are.
    faults: Vec<Fault>,
    count: u64,
    games: u64,
    rows: u64,
    first: Option<(u64, u64)>,
    last: Option<u64>,
}

/// Checks the dataset in a folder: its manifest, which parts there are, every row and every game of them. Of each part
/// at most `most` faults are told; of a game the first, for what follows a wrong row says little.
///
/// # Errors
/// The manifest, where it cannot be read or is none.
pub fn verify(
    dir: &Path,
    threads: NonZeroUsize,
    most: usize,
    mut tell: impl FnMut(Event<'_>),
) -> Result<Verified, ManifestError> {
    let Manifest { run, rows, parts, .. } = Manifest::load(dir)?;
    let (variant, named) = (run.variant, Plans::of(&run));
    let mut verified = Verified::default();
    tell(Event::Planned(rows));
    let listed: HashSet<String> = parts.iter().map(|part| part.file.clone()).collect();
    for fault in named.faults(dir, &listed) {
        verified.faults += 1;
        tell(Event::Fault(&fault));
    }
    let task = |entry: PartEntry| {
        let games = number(&entry.file).and_then(|number| named.games(number));
        Task { path: dir.join(&entry.file), variant, entry: Some(entry), games }
    };
    let tasks: Vec<Task> = parts.into_iter().map(task).collect();
    let mut last = None;
    check_all(
        &tasks,
        threads,
        most,
        &mut verified,
        |task, checked| {
            let mut fault = None;
            if let (Some((game, line)), Some(last)) = (checked.first, last)
            && game <= last
            // Otherwise the part's own range has told it.
            && task.games.is_none()
            {
                let what = format!("game {game} has been before: the part before goes up to game {last}");
                let column = Some("game".to_owned());
                fault = Some(Fault { path: task.path.clone(), line: Some(line), column, what });
            }
            last = checked.last.or(last);
            fault
        },
        &mut tell,
    );
    Ok(verified)
}

/// Checks a single part without a manifest: all that its rows tell. Which games it should hold nobody knows.
///
/// # Errors
/// Where it cannot be read, or does not begin as a part of a dataset.
pub fn verify_part(path: &Path, most: usize, mut tell: impl FnMut(Event<'_>)) -> Result<Verified, PartError> {
    let failed = |error| PartError::Io { path: path.to_owned(), error };
    let mut lines = Lines::open(path, Summing::Quick).map_err(failed)?;
    let width = lines.header().map_err(failed)?;
    let first = lines.next().map_err(failed)?;
    // Every pit of a start holds as many seeds.
    let sample = width.zip(first).and_then(|(width, line)| Sample::scan(line.bytes, width).ok());
    let start = sample.as_ref().map(|sample| &sample.position);
    let variant = start.and_then(|start| Variant::new(start.width(), start.board().pits()[0].into()));
    let Some(variant) = variant else {
        let error = LineError::NoStart;
        return Err(PartError::Line {
            path: path.to_owned(),
            line: if width.is_some() { 2 } else { 1 },
            error,
        });
    };
    let tasks = [Task { path: path.to_owned(), variant, entry: None, games: None }];
    let mut verified = Verified::default();
    tell(Event::Planned(0));
    check_all(&tasks, NonZeroUsize::MIN, most, &mut verified, |_, _| None, &mut tell);
    Ok(verified)
}

fn check_all(
    tasks: &[Task],
    threads: NonZeroUsize,
    most: usize,
    verified: &mut Verified,
    mut between: impl FnMut(&Task, &Checked) -> Option<Fault>,
    tell: &mut impl FnMut(Event<'_>),
) {
    let work = |_: &mut (), task: &Task| check(task, most);
    each_part(
        tasks,
        threads,
        || (),
        work,
        |task, checked| {
            let between = between(task, &checked);
            for fault in between.iter().chain(&checked.faults) {
                tell(Event::Fault(fault));
            }
            let faults = checked.count + u64::from(between.is_some());
            verified.add(Verified { parts: 1, games: checked.games, rows: checked.rows, faults });
            tell(Event::Read(task.entry.as_ref().map_or(checked.rows, |entry| entry.rows)));
            true
        },
    );
}

fn check(task: &Task, most: usize) -> Checked {
    let mut watch = Watch { task, most, faults: Vec::new(), count: 0, next: None, lost: 0, displaced: false };
    watch.next = task.games.as_ref().map(|games| games.start);
    let replayed = match replay(&task.path, task.variant, None, &mut watch) {
        Ok(replayed) => replayed,
        Err(error) => {
            watch.tell(Fault::of_part(&error));
            let Watch { faults, count, .. } = watch;
            return Checked { faults, count, games: 0, rows: 0, first: None, last: None };
        }
    };
    watch.end(&replayed);
    let Replayed { first, last, games, rows, .. } = replayed;
    let Watch { faults, count, .. } = watch;
    Checked { faults, count, games, rows, first, last }
}

/// Collects the faults of a part, and sees which games are missing.
struct Watch<'a> {
    task: &'a Task,
    most: usize,
    faults: Vec<Fault>,
    count: u64,
    /// The game that comes next, where games are known to follow one another.
    next: Option<u64>,
    /// Games left out since the last good one: their numbers may be what is wrong with them.
    lost: u64,
    /// Whether games were missing, or there that belong elsewhere: it has been told, and their number says no more.
    displaced: bool,
}

impl Watch<'_> {
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

impl Observer for Watch<'_> {
    fn game(&mut self, _game: &Game, rows: &[Sample], line: u64) {
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
}

/// The parts that a run makes.
struct Plans {
    games: u64,
    part_games: u64,
    shard: u64,
    shards: u64,
}

impl Plans {
    fn of(run: &Run) -> Plans {
        let (shard, shards) = (run.shard.index().into(), run.shard.count().into());
        Plans { games: run.dataset_games, part_games: run.part_games.max(1), shard, shards }
    }

    /// The numbers of the games of a part, unless the run makes none of this number.
    fn games(&self, number: u64) -> Option<Range<u64>> {
        let start = number.checked_mul(self.part_games)?;
        let mine = number % self.shards == self.shard && start < self.games;
        mine.then(|| start..start.saturating_add(self.part_games).min(self.games))
    }

    /// Parts that are missing from the list, and those in the list or folder that do not belong there.
    fn faults(&self, dir: &Path, listed: &HashSet<String>) -> Vec<Fault> {
        let numbers: HashSet<u64> = listed.iter().filter_map(|file| number(file)).collect();
        let manifest = dir.join(crate::manifest::MANIFEST);
        let mut faults = Vec::new();
        let all = (self.shard..self.games.div_ceil(self.part_games)).step_by(self.shards as usize);
        let missing: Vec<u64> = all.filter(|number| !numbers.contains(number)).collect();
        if let (Some(first), more) = (missing.first(), missing.len().saturating_sub(1)) {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            faults.push(Fault::of_file(&manifest, format!("part {first}{more} of the run is not listed")));
        }
        let mut extra: Vec<&String> = listed
            .iter()
            .filter(|file| number(file).is_none_or(|number| self.games(number).is_none()))
            .collect();
        extra.sort();
        for file in extra {
            faults.push(Fault::of_file(&manifest, format!("`{file}` is listed and no part of this run")));
        }
        let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
        let mut files: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|file| file.starts_with("part-") && !listed.contains(file))
            .collect();
        files.sort();
        for file in files {
            faults.push(Fault::of_file(&dir.join(file), "not listed in the manifest".to_owned()));
        }
        faults
    }
}

/// The number in a part's name.
fn number(file: &str) -> Option<u64> {
    let rest = file.strip_prefix("part-")?;
    let digits = rest.strip_suffix(".zst").unwrap_or(rest).strip_suffix(".csv")?;
    digits.parse().ok().filter(|number| format!("{number:05}") == digits)
}
