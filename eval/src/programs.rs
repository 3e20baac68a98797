//! The external programs of a tournament while it runs: never more of them than there are seats at the boards, kept
//! from game to game where they can be.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use giuthi_engine::Clock;
use giuthi_engine::ugi::session::{Fault, FaultKind, Session};

use crate::settings::Settings;

/// After so many starts in a row that failed, a program is not started again.
const GIVE_UP: u32 = 5;
/// Most bytes of a log that one run adds.
const LONGEST_LOG: u64 = 4 << 20;

/// What became of an agent's program, apart from its games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// How often it had to be ended because it did not end when it was asked to.
    pub stubborn: u64,
    /// The longest that it took to say it was ready between two moves: an upper bound on the way there and back.
    pub slowest: Duration,
}

/// The programs of all agents.
pub(crate) struct Programs<'a> {
    settings: &'a Settings,
    commands: Vec<Option<Vec<OsString>>>,
    logs: Vec<Option<Log>>,
    pool: Mutex<Pool>,
    most: usize,
}

struct Pool {
    /// Programs that run, idle ones and those being ended included.
    running: usize,
    /// Those without a game, by agent, the one longest without first.
    idle: Vec<(usize, Box<Session>)>,
    conduct: Vec<Conduct>,
    /// How many starts of each agent's program failed since one did not.
    failed_starts: Vec<u32>,
}

impl<'a> Programs<'a> {
    /// No program yet. What they write to stderr goes to a file each in a folder, if one is given.
    pub(crate) fn new(settings: &'a Settings, logs: Option<&Path>) -> io::Result<Programs<'a>> {
        let commands: Vec<_> = settings.agents.iter().map(|agent| agent.command()).collect();
        let log = |agent: usize| match (logs, &commands[agent]) {
            (Some(folder), Some(_)) => {
                Log::open(&folder.join(log_name(agent, settings.agents[agent].label()))).map(Some)
            }
            _ => Ok(None),
        };
        let logs = (0..commands.len()).map(log).collect::<Result<_, _>>()?;
        let pool = Pool {
            running: 0,
            idle: Vec::new(),
            conduct: vec![Conduct::default(); commands.len()],
            failed_starts: vec![0; commands.len()],
        };
        Ok(Programs { settings, commands, logs, pool: Mutex::new(pool), most: 2 * settings.jobs })
    }

    /// A program of an agent, ready for a game; `None` where the agent is none.
    pub(crate) fn take(&self, agent: usize, clock: &dyn Clock) -> Option<Result<Box<Session>, Fault>> {
        let command = self.commands[agent].as_ref()?;
        let kept = {
            let mut pool = self.pool();
            let at = pool.idle.iter().position(|(of, _)| *of == agent);
            at.map(|at| pool.idle.remove(at).1)
        };
        let result = match kept {
            Some(session) => Ok(session),
            None if self.pool().failed_starts[agent] >= GIVE_UP => {
                let reason = format!("not started again after {GIVE_UP} starts in a row that failed");
                return Some(Err(Fault::new(FaultKind::Start, reason)));
            }
            None => {
                self.make_room(clock);
                let log = self.logs[agent].clone();
                let (variant, waits) = (self.settings.variant, self.settings.waits);
                let started = Session::start(command, variant, waits, log.unwrap_or_default(), clock);
                let failed = &mut self.pool().failed_starts[agent];
                *failed = if started.is_err() { *failed + 1 } else { 0 };
                started.map(Box::new)
            }
        };
        let result = result.and_then(|mut session| session.new_game(clock).map(|()| session));
        if result.is_err() {
            self.pool().running -= 1;
        }
        Some(result)
    }

    /// Counts one program more, once there is room for it.
    fn make_room(&self, clock: &dyn Clock) {
        let mut pool = self.pool();
        if pool.running < self.most {
            pool.running += 1;
            return;
        }
        // Whoever needs a program has one at most, and nobody has more than two: so one of them is idle.
        let (agent, session) = pool.idle.remove(0);
        drop(pool);
        self.end(agent, *session, clock);
    }

    /// Keeps a program for another game.
    pub(crate) fn give_back(&self, agent: usize, session: Box<Session>) {
        let mut pool = self.pool();
        let slowest = &mut pool.conduct[agent].slowest;
        *slowest = session.slowest().max(*slowest);
        pool.idle.push((agent, session));
    }

    /// Ends a program that failed, and says why in its log.
    pub(crate) fn failed(&self, agent: usize, session: Option<Box<Session>>, game: u64, fault: &Fault) {
        if let Some(log) = &self.logs[agent] {
            log.note(&format!("[game {game}: {fault}]"));
        }
        if session.is_some() {
            drop(session);
            self.pool().running -= 1;
        }
    }

    /// Ends the idle programs.
    pub(crate) fn end_all(&self, clock: &dyn Clock) {
        loop {
            let Some((agent, session)) = self.pool().idle.pop() else { return };
            self.end(agent, *session, clock);
            self.pool().running -= 1;
        }
    }

    fn end(&self, agent: usize, session: Session, clock: &dyn Clock) {
        if !session.quit(clock) {
            self.pool().conduct[agent].stubborn += 1;
        }
    }

    /// What became of the agents' programs so far.
    pub(crate) fn conduct(&self) -> Vec<Conduct> {
        self.pool().conduct.clone()
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of an agent's log: its number, and of its name what every file system takes.
fn log_name(agent: usize, label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let label: String = label.chars().map(plain).take(60).collect();
    format!("{agent}-{label}.log")
}

/// A log that several programs write to, line by line, and that does not grow without bounds.
#[derive(Clone, Default)]
struct Log(Option<Arc<(Mutex<File>, AtomicU64)>>);

impl Log {
    fn open(path: &PathBuf) -> io::Result<Log> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Log(Some(Arc::new((Mutex::new(file), AtomicU64::new(0))))))
    }

    fn note(&self, line: &str) {
        let mut log = self.clone();
        // What cannot be logged is not worth a tournament.
        let _ = log.write_all(format!("{line}\n").as_bytes());
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Some(log) = &self.0 else { return Ok(line.len()) };
        let (file, written) = &**log;
        let before = written.fetch_add(line.len() as u64, Ordering::Relaxed);
        if before < LONGEST_LOG {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line)?;
            if before + line.len() as u64 >= LONGEST_LOG {
                file.write_all(b"[nothing more is kept of this run]\n")?;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
