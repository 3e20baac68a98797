//! The whole run: games on all threads, parts in order, and only what is not there yet.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

use giuthi_engine::agent::{Clock, Factory};
use giuthi_engine::files::write_whole;
use rayon::{ScopeFifo, ThreadPoolBuilder};

use crate::error::Error;
use crate::folder::Folder;
use crate::manifest::{MANIFEST, Manifest, PartEntry, Run};
use crate::part::{self, Damage, PartWriter};
use crate::play::{GameError, Played, play};
use crate::settings::{MOST_PARTS, Plan, Settings};
use crate::summary::Summary;

/// Games that may be waiting, being played or finished and not yet written, for each thread: enough that nobody runs
/// out of work while a part goes to the disk, and all of the games that are ever in memory.
const AHEAD: usize = 256;

/// What a run tells its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
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

    let finished = folder.manifest()?;
    let mut made = Made::default();
    keep(settings, &folder, &plans, finished.as_ref(), &mut made)?;
    let missing: Vec<&Plan> = plans.iter().filter(|plan| !made.parts.contains_key(&plan.number)).collect();
    let games = missing.iter().map(|plan| plan.games.end - plan.games.start).sum();
    observe(Event::Planned { parts: plans.len() as u64, kept: made.parts.len() as u64, games });

    if !missing.is_empty() {
        // A manifest says that everything is there, so it goes while something is not.
        remove_if_there(&folder.path(MANIFEST))?;
        let table = Table { settings, factory: &factory, clock, closed: AtomicBool::new(false) };
        make(&table, threads, &folder, &missing, &mut made, &mut observe)?;
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

/// Reads the parts that are there already. Those that a manifest tells of must be as it tells.
fn keep(
    settings: &Settings,
    folder: &Folder,
    plans: &[Plan],
    finished: Option<&Manifest>,
    made: &mut Made,
) -> Result<(), Error> {
    for plan in plans {
        let path = folder.path(&plan.file_name());
        if !path.exists() {
            continue;
        }
        let entry = part::read(&path, plan, settings.variant, |game, notes| made.summary.add(game, notes))?;
        let mut told = finished.iter().flat_map(|manifest| &manifest.parts);
        if told.any(|told| told.file == entry.file && *told != entry) {
            return Err(Damage::Changed { path }.into());
        }
        made.parts.insert(plan.number, entry);
    }
    Ok(())
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
    /// Set when no more games are wanted, because something went wrong.
    closed: AtomicBool,
}

/// A game on its way: the text of its rows when it is finished.
type Coming = Receiver<Result<(Played, String), GameError>>;

/// Plays and writes the parts one after another.
///
/// The pool's threads play; this one gives out the games in order, a bounded number ahead, takes them in in the same
/// order and writes them. So no thread waits at the end of a part for the others.
fn make(
    table: &Table<'_>,
    threads: NonZeroUsize,
    folder: &Folder,
    plans: &[&Plan],
    made: &mut Made,
    observe: &mut impl FnMut(Event),
) -> Result<(), Error> {
    let threads = threads.get();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads(threads, error.to_string()))?;
    pool.in_place_scope_fifo(|scope| {
        let mut numbers = plans.iter().flat_map(|plan| plan.games.clone());
        let mut coming = VecDeque::new();
        let mut next = || {
            while coming.len() < AHEAD * threads {
                let Some(number) = numbers.next() else { break };
                coming.push_back((number, give_out(scope, table, number)));
            }
            let (number, game): (u64, Coming) =
                coming.pop_front().expect("as many games are taken as given out");
            // A sender is lost only with a thread that panicked, and that panic ends the scope.
            let game = game.recv().expect("the thread that plays a game sends it");
            game.map_err(|error| Error::Game { number, error })
        };
        for plan in plans {
            let part = write(table.settings, folder, plan, || {
                let (played, text) = next()?;
                made.summary.add(&played.game, &played.notes);
                observe(Event::Played { rows: played.notes.len() as u64 });
                Ok((text, played.notes.len() as u64))
            });
            // After an error the games still to come are not played.
            let part = part.inspect_err(|_| table.closed.store(true, Ordering::Relaxed))?;
            made.parts.insert(plan.number, part);
        }
        Ok(())
    })
}

/// Has a game played by the pool.
fn give_out<'scope>(scope: &ScopeFifo<'scope>, table: &'scope Table<'_>, number: u64) -> Coming {
    let (sender, receiver) = mpsc::sync_channel(1);
    scope.spawn_fifo(move |_| {
        if table.closed.load(Ordering::Relaxed) {
            return;
        }
        let mut agent = (table.factory)();
        let played = play(table.settings, number, agent.as_mut(), table.clock);
        let game = played.map(|played| {
            let text = part::rows(number, &played.game, &played.notes);
            (played, text)
        });
        // Nobody takes it when the run has ended with an error in the meantime.
        let _ = sender.send(game);
    });
    receiver
}

/// Writes one part from its games, handed over in order as text and number of rows.
fn write(
    settings: &Settings,
    folder: &Folder,
    plan: &Plan,
    mut next: impl FnMut() -> Result<(String, u64), Error>,
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
        for _ in plan.games.clone() {
            let (text, rows) = next().map_err(Fault::Game)?;
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
