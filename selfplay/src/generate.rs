//! The whole run: games on all threads, parts in order, and only what is not there yet.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use giuthi_engine::agent::{Clock, Factory};
use giuthi_engine::files::write_whole;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
use crate::folder::Folder;
use crate::in_order::in_order;
use crate::manifest::{MANIFEST, Manifest, PartEntry, Run};
use crate::part::{self, Damage, PartWriter};
use crate::play::{Played, play};
use crate::settings::{MOST_PARTS, Plan, Settings};
use crate::summary::Summary;

/// Games begun and not yet written, for each thread: enough that nobody runs out of work while a part goes to the
/// disk, and all of the games that are ever in memory.
const GAMES_AHEAD: usize = 256;
/// Parts being checked or waiting to be counted, for each thread.
const PARTS_AHEAD: usize = 2;

/// What a run tells its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Parts with so many games are there already and are going to be checked; told where there are any.
    Checking {
        /// Their games.
        games: u64,
    },
    /// A part was checked.
    Checked {
        /// Its games.
        games: u64,
    },
    /// It is known what is to be done; told once, before the first game.
    Planned {
        /// Parts of this shard.
        parts: u64,
        /// Those among them that are there already.
        kept: u64,
        /// Games to be played.
        games: u64,
    },
    /// A game was played and is about to be written.
    Played {
        /// Its rows.
        rows: u64,
    },
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The dataset's manifest, as it stands in the folder.
    pub manifest: Manifest,
    /// Statistics of all games in the folder, those that were there already among them.
    pub summary: Summary,
    /// Games played now.
    pub played: u64,
}

/// Makes the dataset that `settings` describe, or what is missing of it, in the folder `dir`.
///
/// Nothing but the settings decides a byte of it: not the threads, not the parts that are there already, not where it
/// is. The exception are agents that play by the clock. Memory does not grow with the number of games.
///
/// # Errors
/// What is wrong with the folder, with a part already there, with writing or with the agent; see [`Error`]. Files
/// appear only when whole, so whatever the error, or however the process ends, the same run can go on later.
pub fn generate(
    settings: &Settings,
    dir: &Path,
    threads: NonZeroUsize,
    clock: &dyn Clock,
    mut observe: impl FnMut(Event),
) -> Result<Report, Error> {
    if settings.part_count() > MOST_PARTS {
        return Err(Error::TooManyParts(settings.part_count()));
    }
    let factory = settings.agent.load(settings.variant.width())?;
    let run = Run::of(settings)?;
    let plans: Vec<Plan> = settings.parts().collect();
    let names: HashSet<String> = plans.iter().map(Plan::file_name).collect();
    let folder = Folder::open(dir, &run, &names)?;

    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = pool.map_err(|error| Error::Threads(threads.get(), error.to_string()))?;
    let finished = folder.manifest()?;
    let mut made = Made::default();

    let (there, missing): (Vec<&Plan>, Vec<&Plan>) =
        plans.iter().partition(|plan| folder.path(&plan.file_name()).exists());
    check(settings, &pool, &folder, &there, finished.as_ref(), &mut made, &mut observe)?;
    let games = count(&missing);
    observe(Event::Planned { parts: plans.len() as u64, kept: there.len() as u64, games });

    if !missing.is_empty() {
        // A manifest says that everything is there, so it goes while something is not.
        remove_if_there(&folder.path(MANIFEST))?;
        let table = Table { settings, factory: &factory, clock };
        make(&table, &pool, &folder, &missing, &mut made, &mut observe)?;
    }
    let manifest = Manifest::new(run, made.parts.into_values().collect());
    if !missing.is_empty() || finished.as_ref() != Some(&manifest) {
        manifest.save(dir)?;
    }
    Ok(Report { manifest, summary: made.summary, played: games })
}

/// What is there of a dataset.
#[derive(Default)]
struct Made {
    /// The parts by their numbers.
    parts: BTreeMap<u64, PartEntry>,
    summary: Summary,
}

/// Games of some parts.
fn count(plans: &[&Plan]) -> u64 {
    plans.iter().map(|plan| plan.games.end - plan.games.start).sum()
}

/// Reads the parts that are there already. Those that a manifest tells of must be as it tells.
fn check(
    settings: &Settings,
    pool: &ThreadPool,
    folder: &Folder,
    plans: &[&Plan],
    finished: Option<&Manifest>,
    made: &mut Made,
    observe: &mut impl FnMut(Event),
) -> Result<(), Error> {
    if !plans.is_empty() {
        observe(Event::Checking { games: count(plans) });
    }
    let read = |plan: &Plan| {
        let path = folder.path(&plan.file_name());
        let mut summary = Summary::default();
        let entry = part::read(&path, plan, settings.variant, |game, notes| summary.add(game, notes))?;
        let mut told = finished.iter().flat_map(|manifest| &manifest.parts);
        match told.any(|told| told.file == entry.file && *told != entry) {
            true => Err(Damage::Changed { path }),
            false => Ok((entry, summary)),
        }
    };
    let ahead = PARTS_AHEAD * pool.current_num_threads();
    in_order(pool, ahead, plans.iter().copied(), read, |results| {
        for (plan, result) in plans.iter().zip(results) {
            let (entry, summary) = result?;
            observe(Event::Checked { games: entry.games });
            made.summary.merge(&summary);
            made.parts.insert(plan.number, entry);
        }
        Ok(())
    })
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(path, "cannot be removed", error))
        }
        _ => Ok(()),
    }
}

/// Where games are played: what all of them need.
struct Table<'a> {
    settings: &'a Settings,
    factory: &'a Factory,
    clock: &'a dyn Clock,
}

/// Plays and writes the parts one after another. The games are given out without regard to the parts, so no thread
/// waits at the end of one for the others.
fn make(
    table: &Table<'_>,
    pool: &ThreadPool,
    folder: &Folder,
    plans: &[&Plan],
    made: &mut Made,
    observe: &mut impl FnMut(Event),
) -> Result<(), Error> {
    let one = |number: u64| {
        let mut agent = (table.factory)();
        let played = play(table.settings, number, agent.as_mut(), table.clock);
        let played = played.map_err(|error| Error::Game { number, error })?;
        let text = part::rows(number, &played.game, &played.notes);
        Ok((played, text))
    };
    let numbers = plans.iter().flat_map(|plan| plan.games.clone());
    let ahead = GAMES_AHEAD * pool.current_num_threads();
    in_order(pool, ahead, numbers, one, |games| {
        for plan in plans {
            let games = games.map(|game: Result<(Played, String), Error>| {
                let (played, text) = game?;
                let rows = played.notes.len() as u64;
                made.summary.add(&played.game, &played.notes);
                observe(Event::Played { rows });
                Ok((text, rows))
            });
            let part = write(table.settings, folder, plan, games)?;
            made.parts.insert(plan.number, part);
        }
        Ok(())
    })
}

/// Writes one part from the first of the games that come, each as its text and number of rows.
fn write(
    settings: &Settings,
    folder: &Folder,
    plan: &Plan,
    games: impl Iterator<Item = Result<(String, u64), Error>>,
) -> Result<PartEntry, Error> {
    enum Fault {
        Io(io::Error),
        Game(Error),
    }
    impl From<io::Error> for Fault {
        fn from(error: io::Error) -> Fault {
            Fault::Io(error)
        }
    }
    let path = folder.path(&plan.file_name());
    let mut entry = None;
    let written = write_whole(&path, |file| {
        let mut part = PartWriter::new(plan, settings.variant.width(), file)?;
        // The range first: taken the other way round, the game after the last would be lost.
        for (_, game) in plan.games.clone().zip(games) {
            let (text, rows) = game.map_err(Fault::Game)?;
            part.game(&text, rows)?;
        }
        entry = Some(part.finish());
        Ok(())
    });
    match (written, entry) {
        (Ok(()), Some(entry)) => Ok(entry),
        (Err(Fault::Game(error)), _) => Err(error),
        (Err(Fault::Io(error)), _) => Err(Error::io(&path, "cannot be written", error)),
        (Ok(()), None) => unreachable!("a part that was written was finished"),
    }
}
