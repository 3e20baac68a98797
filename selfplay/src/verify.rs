//! Whole datasets checked, and every fault told with its place.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use giuthi_engine::endgame::tablebase::Tablebase;
use giuthi_engine::{AgentSpec, Sample, Variant};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::adjudication::{self, Misjudged, Tables, misjudged};
pub use crate::check::Fault;
use crate::check::{LineError, PartError, Replayed, Task, Watch, replay};
use crate::each_part::each_part;
use crate::error::Error;
use crate::folder::{Difference, differences};
use crate::format::Compression;
use crate::lines::{Lines, Summing};
use crate::manifest::{
    MANIFEST, Manifest, ManifestError, PartEntry, RUN, Run, read_json, tables_folder, weights_of,
};
use crate::origin::{Astray, Origin};
use crate::part;
use crate::settings::{Format, Level, Plan, Settings, part_name};
use crate::summary::Tally;
use crate::writer::Rewritten;

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
    /// What the good games came to.
    tally: Tally,
    /// Where no two games may begin from the same position: number, line and position of each.
    starts: Vec<(u64, u64, u64)>,
}

/// Why a dataset cannot be checked.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The manifest cannot be read or is none.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Its games cannot be played again.
    #[error("{}: its games cannot be played again: {reason}", path.display())]
    Again {
        /// The manifest.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The tables given are not those that played its games to their end.
    #[error("--tb {}: {}: {reason}", dir.display(), path.display())]
    OtherTables {
        /// The folder of the tables.
        dir: PathBuf,
        /// The manifest.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The tables given cannot be read.
    #[error(transparent)]
    Tables(Error),
}

/// How thoroughly a dataset is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thoroughly<'a> {
    /// Whether every game is played once more.
    pub again: bool,
    /// The folder of the endgame tables that played games to their end.
    pub tables: Option<&'a Path>,
}

/// Checks the dataset in a folder: its manifest and the settings in it, which parts there are, every row and every game
/// of them, and what of a game its settings decide by chance. With `again` every game is played once more, which takes as
/// long as it took to make it, and every row has to be the same. With the tables that played games to their end, what they
/// play and what the games come to is compared too. Of each part at most `most` faults are told; of a game
/// the first, for what follows a wrong row says little.
///
/// # Errors
/// The manifest, where it cannot be read or is none; games that cannot be played again; tables that are not the dataset's.
pub fn verify(
    dir: &Path,
    threads: NonZeroUsize,
    most: usize,
    thoroughly: &Thoroughly<'_>,
    mut tell: impl FnMut(Event<'_>),
) -> Result<Verified, VerifyError> {
    let path = dir.join(MANIFEST);
    let Manifest { run, rows, parts, .. } = Manifest::load(dir)?;
    let settings = run.settings();
    let tables = tables_of(&run, thoroughly.tables, &path)?;
    let origin = match &settings {
        Ok(settings) => origin(&run, settings, thoroughly.again, tables.clone())
            .map_err(|reason| VerifyError::Again { path: path.clone(), reason })?,
        Err(_) => None,
    };
    let (variant, named) = (run.variant, Plans::of(&run));
    let mut verified = Verified::default();
    tell(Event::Planned(rows));
    let listed: HashSet<String> = parts.iter().map(|part| part.file.clone()).collect();
    let level = settings
        .as_ref()
        .ok()
        .filter(|_| run.is_of_this_version())
        .and_then(|settings| settings.format.level());
    let faults = settings.err().into_iter().flatten().map(|(key, what)| Fault {
        path: path.clone(),
        line: None,
        column: Some(key.to_owned()),
        what,
    });
    for fault in faults.chain(begun_otherwise(dir, &run)).chain(named.faults(dir, &listed)) {
        verified.faults += 1;
        tell(Event::Fault(&fault));
    }
    let task = |entry: PartEntry| {
        let games = number(&entry.file).and_then(|number| named.games(number));
        Task { path: dir.join(&entry.file), variant, entry: Some(entry), games }
    };
    let tasks: Vec<Task> = parts.into_iter().map(task).collect();
    let mut last = None;
    let mut starts: FxHashMap<u64, u64> = FxHashMap::default();
    check_all(
        &tasks,
        threads,
        most,
        Against { origin: origin.as_ref(), tables: tables.as_deref() },
        &mut verified,
        |task, checked| {
            let mut faults = Vec::new();
            if let (Some((game, line)), Some(last)) = (checked.first, last)
            && game <= last
            // Otherwise the part's own range has told it.
            && task.games.is_none()
            {
                let what = format!("game {game} has been before: the part before goes up to game {last}");
                faults.push(of_game(task, line, what));
            }
            for &(game, line, start) in &checked.starts {
                if let Some(other) = starts.insert(start, game) {
                    let what = format!("game {game} begins from the same position as game {other}");
                    faults.push(of_game(task, line, what));
                }
            }
            if let Some(entry) = task.entry.as_ref().filter(|entry| {
                // Of a part with a fault the games are not all known.
                checked.count == 0 && entry.tally.is_some_and(|told| told != checked.tally)
            }) {
                let what = format!("`tally` of part `{}` is not what its games come to", entry.file);
                faults.push(Fault { column: Some("tally".to_owned()), ..Fault::of_file(&path, what) });
            }
            last = checked.last.or(last);
            faults
        },
        &mut tell,
    );
    // What is true of the first part's bytes is likely true of all, and a high level takes its time.
    if let (Some(task), Some(level)) = (tasks.first(), level)
        && is_of_level(task, level) == Some(false)
    {
        let what = format!("not compressed as by `level` {level}");
        verified.faults += 1;
        tell(Event::Fault(&Fault::of_file(&task.path, what)));
    }
    Ok(verified)
}

/// Whether a part's bytes are those that this program writes at a level; `None` where something else is wrong with it.
fn is_of_level(task: &Task, level: Level) -> Option<bool> {
    let entry = task.entry.as_ref()?;
    let plan = Plan { number: number(&entry.file)?, games: task.games.clone()?, format: Format::Zstd(level) };
    let mut written = Rewritten::begin(level, task.variant.width()).ok()?;
    let mut whole = true;
    let read =
        part::read(&task.path, &plan, task.variant, &|| true, |rows| whole &= written.rows(rows).is_ok());
    let (found, _) = read.ok().filter(|_| whole)?;
    Some(written.finish().ok()? == found.sha256)
}

fn of_game(task: &Task, line: u64, what: String) -> Fault {
    Fault { path: task.path.clone(), line: Some(line), column: Some("game".to_owned()), what }
}

/// What games are held against, where it is known.
#[derive(Clone, Copy, Default)]
struct Against<'a> {
    origin: Option<&'a Origin>,
    tables: Option<&'a Tablebase>,
}

/// The tables that played a dataset's games to their end: those given, which have to be they, or the agent's own where they
/// are.
fn tables_of(
    run: &Run,
    given: Option<&Path>,
    manifest: &Path,
) -> Result<Option<Arc<Tablebase>>, VerifyError> {
    let load = |dir: &Path| adjudication::load(dir, run.variant.width()).map(|tables| Some(Arc::new(tables)));
    let Some(dir) = given else {
        let agent: Option<AgentSpec> = run.agent.parse().ok();
        let own = agent.as_ref().and_then(tables_folder);
        let own = own.filter(|dir| run.tables.is_some() && Tables::of(dir).ok() == run.tables);
        return Ok(own.and_then(|dir| load(&dir).ok().flatten()));
    };
    let other =
        |reason: String| VerifyError::OtherTables { dir: dir.to_owned(), path: manifest.to_owned(), reason };
    let Some(told) = &run.tables else {
        return Err(other("no tables played its games to their end: leave out --tb".to_owned()));
    };
    let tables = load(dir).map_err(VerifyError::Tables)?;
    let here = Tables::of(dir)?;
    if here != *told {
        let reason = format!(
            "its games were played to their end by other tables: of {} seeds, SHA-256 {}, not of {} seeds, SHA-256 {}",
            told.seeds, told.sha256, here.seeds, here.sha256
        );
        return Err(other(reason));
    }
    Ok(tables)
}

/// What games of these settings have to be; `None` where another version of the program made them, which may draw
/// otherwise.
fn origin(
    run: &Run,
    settings: &Settings,
    again: bool,
    tables: Option<Arc<Tablebase>>,
) -> Result<Option<Origin>, String> {
    if !run.is_of_this_version() {
        return if again { Err(format!("`{}` made them", run.program.escape_debug())) } else { Ok(None) };
    }
    let decided_at = run.tables.as_ref().map(|tables| tables.seeds);
    let agent = settings.agent.load(settings.variant.width()).map_err(|error| error.to_string());
    if again {
        if settings.agent.clocked() {
            return Err("its agent plays by the clock".to_owned());
        }
        let now = weights_of(settings).map_err(|error| error.to_string())?;
        if now != run.weights {
            return Err("the weights of its agent are others now".to_owned());
        }
        if decided_at.is_some() && tables.is_none() {
            return Err("endgame tables played them to their end: --tb DIR says where these are".to_owned());
        }
        return agent
            .map(|agent| Some(Origin::new(settings.clone(), Some(agent), again, decided_at, tables)));
    }
    Ok(Some(Origin::new(settings.clone(), agent.ok(), again, decided_at, tables)))
}

/// What `run.json`, where it is there, says otherwise.
fn begun_otherwise(dir: &Path, run: &Run) -> Vec<Fault> {
    let path = dir.join(RUN);
    let fault = |what| Fault::of_file(&path, what);
    match read_json(&path) {
        Ok(None) => Vec::new(),
        Ok(Some(there)) => {
            let of = |Difference { what, there, asked }| {
                fault(format!("{what} {there}, but {asked} in the manifest"))
            };
            differences(&there, run).into_iter().map(of).collect()
        }
        Err(error) => vec![fault(error.to_string())],
    }
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
    check_all(
        &tasks,
        NonZeroUsize::MIN,
        most,
        Against::default(),
        &mut verified,
        |_, _| Vec::new(),
        &mut tell,
    );
    Ok(verified)
}

fn check_all(
    tasks: &[Task],
    threads: NonZeroUsize,
    most: usize,
    against: Against<'_>,
    verified: &mut Verified,
    mut between: impl FnMut(&Task, &Checked) -> Vec<Fault>,
    tell: &mut impl FnMut(Event<'_>),
) {
    let work = |_: &mut (), task: &Task| check(task, most, against);
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
            let faults = checked.count + between.len() as u64;
            verified.add(Verified { parts: 1, games: checked.games, rows: checked.rows, faults });
            tell(Event::Read(task.entry.as_ref().map_or(checked.rows, |entry| entry.rows)));
            true
        },
    );
}

fn check(task: &Task, most: usize, against: Against<'_>) -> Checked {
    let Against { origin, tables } = against;
    let (mut tally, mut starts, mut astray, mut wrong) = (Tally::default(), Vec::new(), None, Vec::new());
    let belongs = |number| task.games.as_ref().is_some_and(|games| games.contains(&number));
    let mut watch = Watch::new(task, most, |game, rows, line| {
        tally.add(game, rows.iter().map(|row| row.source));
        let number = rows[0].game;
        if let Some(Misjudged { ply, what }) = tables.and_then(|tables| misjudged(tables, rows)) {
            let (path, line) = (task.path.clone(), Some(line + ply as u64));
            let what = format!("game {number}: {what}");
            wrong.push(Fault { path, line, column: Some("result".to_owned()), what });
            return;
        }
        // Where one game is not the run's, a wrong setting is the likeliest reason, and no other is either.
        let Some(origin) = origin.filter(|_| belongs(number) && astray.is_none()) else { return };
        match origin.compare(rows) {
            Ok(start) => starts.extend(start.map(|start| (number, line, start))),
            Err(Astray { ply, what }) => {
                let what = format!(
                    "game {number} is not the run's (its settings, or this game, were changed): {what}"
                );
                let (path, line) = (task.path.clone(), Some(line + ply as u64));
                astray = Some(Fault { path, line, column: None, what });
            }
        }
    });
    let replayed = replay(&task.path, task.variant, None, &mut watch);
    watch.finish(&replayed);
    let (mut faults, mut count) = (watch.faults, watch.count);
    wrong.extend(astray);
    if !wrong.is_empty() {
        count += wrong.len() as u64;
        faults.append(&mut wrong);
        // Those of the file as a whole stay at the end.
        faults.sort_by_key(|fault| fault.line.unwrap_or(u64::MAX));
        faults.truncate(most);
    }
    let (games, rows, first, last) = match replayed {
        Ok(Replayed { first, last, games, rows, .. }) => (games, rows, first, last),
        Err(_) => (0, 0, None, None),
    };
    Checked { faults, count, games, rows, first, last, tally, starts }
}

/// The parts that a run makes.
struct Plans {
    games: u64,
    part_games: u64,
    shard: u64,
    shards: u64,
    format: Format,
}

impl Plans {
    fn of(run: &Run) -> Plans {
        let (shard, shards) = (run.shard.index().into(), run.shard.count().into());
        let level = run.level.unwrap_or_default();
        let format = run.compression.map_or(Format::Plain, |Compression::Zstd| Format::Zstd(level));
        Plans { games: run.dataset_games, part_games: run.part_games.max(1), shard, shards, format }
    }

    /// The name of a part.
    fn name(&self, number: u64) -> String {
        part_name(number, self.format)
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
        let manifest = dir.join(MANIFEST);
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
            .filter(|file| {
                number(file).is_none_or(|number| self.games(number).is_none() || **file != self.name(number))
            })
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
