//! Whole datasets checked, and every fault told with its place.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;

use giuthi_engine::{Sample, Variant};

pub use crate::check::Fault;
use crate::check::{LineError, PartError, Replayed, Task, Watch, replay};
use crate::each_part::each_part;
use crate::lines::{Lines, Summing};
use crate::manifest::{Manifest, ManifestError, PartEntry, Run};

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
    let mut watch = Watch::new(task, most, |_, _| {});
    let replayed = replay(&task.path, task.variant, None, &mut watch);
    watch.finish(&replayed);
    let (faults, count) = (watch.faults, watch.count);
    match replayed {
        Ok(Replayed { first, last, games, rows, .. }) => Checked { faults, count, games, rows, first, last },
        Err(_) => Checked { faults, count, games: 0, rows: 0, first: None, last: None },
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

    /// How many parts the run makes.
    fn parts(&self) -> u64 {
        self.games.div_ceil(self.part_games).saturating_sub(self.shard).div_ceil(self.shards)
    }

    /// Parts that are missing from the list, and those in the list or folder that do not belong there.
    fn faults(&self, dir: &Path, listed: &HashSet<String>) -> Vec<Fault> {
        let numbers: HashSet<u64> = listed.iter().filter_map(|file| number(file)).collect();
        let manifest = dir.join(crate::manifest::MANIFEST);
        let mut faults = Vec::new();
        // Reckoned, not listed: a damaged manifest may ask for more parts than memory holds.
        let mut all = (self.shard..self.games.div_ceil(self.part_games)).step_by(self.shards as usize);
        let there = numbers.iter().filter(|&&number| self.games(number).is_some()).count() as u64;
        if let Some(first) = all.find(|number| !numbers.contains(number)) {
            let more = self.parts() - there - 1;
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
