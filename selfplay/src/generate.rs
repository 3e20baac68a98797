//! The whole run: games on all threads, parts in order, and only what is not there yet.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use giuthi_engine::Game;
use giuthi_engine::agent::{Clock, Factory, NoClock, Request};
use giuthi_engine::endgame::tablebase::Tablebase;
use giuthi_engine::opening::OpeningError;
use giuthi_engine::rng::game_rng;
use giuthi_engine::search::Limits;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::adjudication;
use crate::error::Error;
use crate::folder::Folder;
use crate::in_order::in_order;
use crate::manifest::{MANIFEST, Manifest, PartEntry, RUN, Run};
use crate::openings::{Openings, draw};
use crate::part::{self, Damage, sha256_while};
use crate::play::{GameError, play};
use crate::settings::{Format, MOST_PARTS, Plan, Settings};
use crate::summary::{Summary, Tally, positions};
use crate::watch::Watch;
use crate::writer::{Finishing, PartWriter, Rewritten};

/// Games begun and not yet written, for each thread: enough that nobody runs out of work while one takes long, and all of
/// the games that are ever in memory.
const GAMES_AHEAD: usize = 256;
/// Parts being checked or waiting to be counted, for each thread.
const PARTS_AHEAD: usize = 2;
/// Games whose openings are drawn before anything is made.
const TRIED: usize = 100;

/// What a run tells its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// What is asked for can be done, and the folder is this run's; before this nothing was made or written.
    Begun,
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
    /// A part is there that holds what it should, but is not compressed as this run compresses: it is made again.
    Recompressed {
        /// The part's number.
        part: u64,
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
    /// The openings of so many games are going to be compared; told where they are to be distinct.
    Openings {
        /// The games.
        games: u64,
    },
    /// Openings were compared.
    Compared {
        /// Those of so many games.
        games: u64,
    },
    /// Games are going to be played; told where there are any to play.
    Playing {
        /// The games.
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
/// is. The exception are agents that play by the clock. Memory does not grow with the number of games, but by some ten
/// to twenty bytes a game where openings are to be distinct.
///
/// # Errors
/// What is wrong with the folder, with a part already there, with writing or with the agent; see [`Error`]. Files
/// appear only when whole, so whatever the error, or however the process ends, the same run can go on later.
pub fn generate(
    settings: &Settings,
    dir: &Path,
    threads: NonZeroUsize,
    clock: &dyn Clock,
    observe: impl FnMut(Event),
) -> Result<Report, Error> {
    generate_watched(settings, dir, threads, clock, &Watch::new(threads), observe)
}

/// [`generate`], with `watch` for others to see how far it is and to stop it. Asked to stop, it finishes the part in hand;
/// parts that are there already are not looked at any further.
///
/// # Errors
/// Those of [`generate`]; [`Error::Stopped`] where it was asked to stop and parts are missing.
///
/// # Panics
/// Where `watch` is for fewer threads.
pub fn generate_watched(
    settings: &Settings,
    dir: &Path,
    threads: NonZeroUsize,
    clock: &dyn Clock,
    watch: &Watch,
    mut observe: impl FnMut(Event),
) -> Result<Report, Error> {
    if settings.part_count() > MOST_PARTS {
        return Err(Error::TooManyParts(settings.part_count()));
    }
    let factory = settings.agent.load(settings.variant.width())?;
    let tables = settings.tables_folder();
    let tables = tables.map(|dir| adjudication::load(&dir, settings.variant.width())).transpose()?;
    let run = Run::of(settings)?;
    let plans: Vec<Plan> = settings.parts().collect();
    let names: HashSet<String> = plans.iter().map(Plan::file_name).collect();
    let pool = pool(threads)?;
    possible(settings, &factory, plans.first())?;
    Folder::inspect(dir, &run, &names)?;
    // Whether there are enough openings is known when they are compared: where nothing is begun, before anything is made.
    let mut compared = match plans.last() {
        Some(last) if !dir.join(RUN).exists() => {
            Some(openings(settings, last.games.end - 1, &pool, watch, &mut observe)?)
        }
        _ => None,
    };
    let folder = Folder::open(dir, &run, &names)?;
    observe(Event::Begun);

    let finished = folder.manifest()?;
    let mut made = Made::default();
    let there: Vec<&Plan> = plans.iter().filter(|plan| folder.path(&plan.file_name()).exists()).collect();
    check(settings, &pool, &folder, &there, finished.as_ref(), watch, &mut made, &mut observe)?;
    if made.parts.len() < there.len() && watch.is_stopped() {
        return Err(Error::Stopped { there: there.len() as u64, parts: plans.len() as u64 });
    }
    let missing: Vec<&Plan> = plans.iter().filter(|plan| !made.parts.contains_key(&plan.number)).collect();
    let games = count(&missing);
    observe(Event::Planned { parts: plans.len() as u64, kept: made.parts.len() as u64, games });

    if let Some(last) = missing.last() {
        // A manifest says that everything is there, so it goes while something is not.
        remove_if_there(&folder.path(MANIFEST))?;
        let openings = match compared.take() {
            Some(compared) => compared,
            None => openings(settings, last.games.end - 1, &pool, watch, &mut observe)?,
        };
        observe(Event::Playing { games });
        let tables = tables.as_ref();
        let table =
            Table { settings, factory: &factory, tables, clock, openings, watch, in_hand: AtomicU64::new(0) };
        make(&table, &pool, &folder, &missing, &mut made, &mut observe)?;
        if made.parts.len() < plans.len() {
            return Err(Error::Stopped { there: made.parts.len() as u64, parts: plans.len() as u64 });
        }
    }
    let manifest = Manifest::new(run, made.parts.into_values().collect());
    if !missing.is_empty() || finished.as_ref() != Some(&manifest) {
        manifest.save(dir)?;
    }
    Ok(Report { manifest, summary: made.summary, played: games })
}

/// Refuses what no game can be played under, as far as a few games tell it.
fn possible(settings: &Settings, factory: &Factory, first: Option<&Plan>) -> Result<(), Error> {
    let start = Game::new(settings.variant);
    if start.ending().is_some() {
        let error = OpeningError::Over(settings.variant).into();
        return Err(Error::Game { number: first.map_or(0, |plan| plan.games.start), error });
    }
    if settings.temperature.is_some() && !gives_values(factory, &start) {
        return Err(Error::Game { number: 0, error: GameError::NoValues });
    }
    for number in first.into_iter().flat_map(|plan| plan.games.clone()).take(TRIED) {
        let opening = draw(settings, 0, &mut game_rng(settings.seed, number));
        opening.map_err(|error| Error::Game { number, error: error.into() })?;
    }
    Ok(())
}

/// Whether an agent gives moves the values that a temperature chooses by; asked in a game that is not over.
pub(crate) fn gives_values(factory: &Factory, game: &Game) -> bool {
    let limits = Limits { depth: Some(1), nodes: Some(1000), ..Limits::default() };
    // Neither chance nor time make a difference to whether.
    let mut rng = game_rng(0, 0);
    let mut request = Request { limits: Some(limits), ..Request::new(&mut rng, &NoClock) };
    factory().weigh(game, &mut request).is_some()
}

/// Threads to work on.
pub(crate) fn pool(threads: NonZeroUsize) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    pool.map_err(|error| Error::Threads(threads.get(), error.to_string()))
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

/// Looks at the parts that are there already. One that a manifest tells of must be as it tells, to the byte; any other
/// is read from its first row to its last, and has to be compressed as it is here: otherwise it is left out, to be made
/// again. Asked to stop, it leaves out what it has not looked at.
#[allow(clippy::too_many_arguments, reason = "all of the run so far")]
fn check(
    settings: &Settings,
    pool: &ThreadPool,
    folder: &Folder,
    plans: &[&Plan],
    finished: Option<&Manifest>,
    watch: &Watch,
    made: &mut Made,
    observe: &mut impl FnMut(Event),
) -> Result<(), Error> {
    if !plans.is_empty() {
        observe(Event::Checking { games: count(plans) });
    }
    let goes_on = || !watch.is_stopped();
    let look = |plan: &Plan| {
        if watch.is_stopped() {
            return Ok(None);
        }
        let path = folder.path(&plan.file_name());
        let told = finished.and_then(|manifest| manifest.part(&plan.file_name()));
        let mut summary = Summary::default();
        if let Some((told, tally)) = told.and_then(|told| Some((told, told.fitting_tally()?))) {
            let sum = sha256_while(&path, &goes_on);
            let sum = sum.map_err(|error| Damage::Io { path: path.clone(), error })?;
            if sum == told.sha256 {
                summary.add_tally(&tally);
                return Ok(Some((told.clone(), summary)));
            }
        }
        let memory = |error| Damage::Io { path: path.clone(), error };
        let width = settings.variant.width();
        let mut rewritten = match (told, settings.format) {
            (None, Format::Zstd(level)) => Some(Rewritten::begin(level, width).map_err(memory)?),
            _ => None,
        };
        let mut failed = Ok(());
        let read = part::read(&path, plan, settings.variant, &goes_on, |rows| {
            if let Some(rewritten) = rewritten.as_mut().filter(|_| failed.is_ok()) {
                failed = rewritten.rows(rows);
            }
        });
        let (entry, summary) = read?;
        failed.map_err(memory)?;
        if told.is_some_and(|told| told.sha256 != entry.sha256) {
            return Err(Damage::Changed { path });
        }
        let here = rewritten.map(Rewritten::finish).transpose().map_err(memory)?;
        Ok(here.is_none_or(|sum| sum == entry.sha256).then_some((entry, summary)))
    };
    let ahead = PARTS_AHEAD * pool.current_num_threads();
    in_order(pool, ahead, plans.iter().copied(), look, |results| {
        for (plan, result) in plans.iter().zip(results) {
            // What was not read to its end says nothing of the part.
            if watch.is_stopped() {
                return Ok(());
            }
            let result = result?;
            observe(Event::Checked { games: count(&[plan]) });
            let Some((entry, summary)) = result else {
                observe(Event::Recompressed { part: plan.number });
                continue;
            };
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

/// Which openings the games up to the last one have.
fn openings(
    settings: &Settings,
    last: u64,
    pool: &ThreadPool,
    watch: &Watch,
    observe: &mut impl FnMut(Event),
) -> Result<Openings, Error> {
    if !settings.distinct_openings {
        return Ok(Openings::default());
    }
    observe(Event::Openings { games: last + 1 });
    Openings::distinct(settings, last, pool, watch, |games| observe(Event::Compared { games }))
}

/// Where games are played: what all of them need.
struct Table<'a> {
    settings: &'a Settings,
    factory: &'a Factory,
    tables: Option<&'a Tablebase>,
    clock: &'a dyn Clock,
    openings: Openings,
    watch: &'a Watch,
    /// The number of the game after the last of the part in hand.
    in_hand: AtomicU64,
}

/// A game as its part and the statistics take it.
struct Done {
    rows: Vec<u8>,
    tally: Tally,
    positions: Vec<u64>,
}

impl Table<'_> {
    /// Plays a game, on one of the pool's threads; `None` where the run was asked to stop and nobody will take it.
    fn play(&self, number: u64) -> Result<Option<Done>, Error> {
        // In this order, as `make` writes the one and reads the other: so what it goes on to take was played.
        if self.watch.is_stopped() && number >= self.in_hand.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let thread = rayon::current_thread_index().expect("games are played by the pool");
        let mut agent = (self.factory)();
        let passed_over = self.openings.passed_over(number);
        let observe = |plies| self.watch.ply(thread, plies);
        let played =
            play(self.settings, number, passed_over, agent.as_mut(), self.tables, self.clock, observe);
        let played = played.map_err(|error| Error::Game { number, error })?;
        self.watch.game_over(thread, played.notes.len());
        let mut tally = Tally::default();
        tally.add(&played.game, played.notes.iter().map(|note| note.source));
        let rows = part::rows(number, &played.game, &played.notes);
        Ok(Some(Done { rows, tally, positions: positions(&played.game) }))
    }
}

/// Plays and writes the parts one after another, as far as nobody says stop. The games are given out without regard to
/// the parts, so no thread waits at the end of one for the others; and while a part is on its way to the disk, the next
/// one begins.
fn make(
    table: &Table<'_>,
    pool: &ThreadPool,
    folder: &Folder,
    plans: &[&Plan],
    made: &mut Made,
    observe: &mut impl FnMut(Event),
) -> Result<(), Error> {
    let numbers = plans.iter().flat_map(|plan| plan.games.clone());
    let ahead = GAMES_AHEAD * pool.current_num_threads();
    let format = table.settings.format;
    let width = table.settings.variant.width();
    thread::scope(|scope| {
        in_order(
            pool,
            ahead,
            numbers,
            |number| table.play(number),
            |games| {
                let mut finishing: Option<(u64, PartEntry, Finishing<'_>)> = None;
                let finish = |made: &mut Made, (number, entry, part): (u64, PartEntry, Finishing<'_>)| {
                    made.parts.insert(number, PartEntry { sha256: part.wait()?, ..entry });
                    Ok(())
                };
                for plan in plans {
                    table.in_hand.store(plan.games.end, Ordering::SeqCst);
                    if table.watch.is_stopped() {
                        break;
                    }
                    let file = plan.file_name();
                    let mut part = PartWriter::begin(scope, folder.path(&file), format, width);
                    let mut tally = Tally::default();
                    for _ in plan.games.clone() {
                        let game = games.next().expect("there are as many results as games")?;
                        let Some(Done { rows, tally: game, positions }) = game else {
                            unreachable!("games of the part in hand are played")
                        };
                        tally.merge(&game);
                        made.summary.add(&game, &positions);
                        observe(Event::Played { rows: game.rows() });
                        if !part.rows(&rows) {
                            // The games that are left are not those of the next part.
                            let failed = part.finish().wait();
                            // Where the one before has failed too, it is the one to tell of.
                            if let Some(before) = finishing {
                                finish(made, before)?;
                            }
                            return Err(failed.expect_err("a part that takes no more rows has failed"));
                        }
                    }
                    let entry = PartEntry {
                        file,
                        games: tally.games(),
                        rows: tally.rows(),
                        sha256: String::new(),
                        tally: Some(tally),
                    };
                    // One at a time on its way to the disk: the next but one waits for it.
                    if let Some(before) = finishing.replace((plan.number, entry, part.finish())) {
                        finish(made, before)?;
                    }
                }
                finishing.map_or(Ok(()), |last| finish(made, last))
            },
        )
    })
}
