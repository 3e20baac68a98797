//! The folder of a run: whose it is, where its files are, and `run.json`, which says what it was asked for.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use giuthi_engine::files::write_whole;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;

use super::{Error, Settings, Step};

/// The value of the key `format` of `run.json`.
const FORMAT: &str = "giuthi-generations-1";

const RUN: &str = "run.json";
const LOCK: &str = ".lock";

/// A setting that is not the one a run was begun with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// What the run was begun with.
    pub was: String,
    /// What is asked for now.
    pub is: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was {}, not {}", self.name, self.was, self.is)
    }
}

/// The folder of a run, locked for as long as this lives.
pub(super) struct Folder {
    dir: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes or opens the folder of a run. What a killed run left half written is cleaned away.
    pub(super) fn open(dir: &Path, settings: &Settings) -> Result<Folder, Error> {
        let here = here(dir);
        fs::create_dir_all(&here).map_err(Error::io(&here))?;
        let path = dir.join(LOCK);
        let lock = File::options().create(true).append(true).open(&path).map_err(Error::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy),
            Err(TryLockError::Error(error)) => return Err(Error::Io { path, error }),
        }
        let names = clean(&here)?;
        let (path, asked) = (dir.join(RUN), Run::of(settings));
        match read_json(&path)? {
            Some(there) => compare(&path, &there, &asked)?,
            None => match names.into_iter().next() {
                Some(name) => return Err(Error::Foreign(name)),
                None => write_json(&path, &asked)?,
            },
        }
        let folder = Folder { dir: dir.to_owned(), _lock: lock };
        for generation in (0..).take_while(|&generation| folder.generation(generation).exists()) {
            clean(&folder.generation(generation))?;
        }
        Ok(folder)
    }

    /// A file of the run's own.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The folder of a generation.
    pub(super) fn generation(&self, generation: u32) -> PathBuf {
        self.dir.join(format!("gen-{generation:03}"))
    }

    /// The games of a generation.
    pub(super) fn data(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("data")
    }

    /// The network of a generation.
    pub(super) fn weights(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("net.safetensors")
    }

    /// The matches of a generation's network.
    pub(super) fn matches(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("match.json")
    }

    /// The spec of the agent that looks `depth` plies ahead with a generation's network; without one that with the
    /// material count.
    pub(super) fn agent(&self, depth: u32, generation: Option<u32>) -> String {
        match generation {
            Some(generation) => format!("ab:depth={depth},net={}", self.weights(generation).display()),
            None => format!("ab:depth={depth}"),
        }
    }
}

/// The seed of a step.
pub(super) fn seed(settings: &Settings, generation: u32, step: Step) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream((u64::from(generation) << 8) | step as u64);
    // 53 bits: a number that every JSON reader keeps exactly.
    rng.next_u64() >> 11
}

/// The seed of the run begun in a folder, if there is one.
#[must_use]
pub fn started_seed(dir: &Path) -> Option<u64> {
    read_json(&dir.join(RUN)).ok()??.get("seed")?.as_u64()
}

/// An empty path is the folder the process is in.
fn here(dir: &Path) -> PathBuf {
    if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir.to_owned() }
}

/// Removes what was being written when a run was killed, and returns the names of everything else.
fn clean(dir: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::io(dir))? {
        let entry = entry.map_err(Error::io(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') && name.ends_with(".tmp") {
            fs::remove_file(entry.path()).map_err(Error::io(&entry.path()))?;
        } else if name != LOCK {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// What `run.json` holds: all that the run's files depend on, by the names of the flags.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Run {
    format: &'static str,
    program: &'static str,
    variant: String,
    depth: u32,
    selfplay_depth: u32,
    games: u64,
    opening_plies: String,
    epsilon: f64,
    window: u32,
    window_decay: f64,
    lambda: f64,
    random_rows: &'static str,
    start: &'static str,
    epochs: u32,
    batch: usize,
    lr: f64,
    schedule: &'static str,
    warmup: u64,
    weight_decay: f64,
    patience: u32,
    layers: String,
    match_games: u32,
    promote_above: f64,
    promote_by: &'static str,
    seed: u64,
}

impl Run {
    fn of(settings: &Settings) -> Run {
        let fit = &settings.fit;
        Run {
            format: FORMAT,
            program: concat!("giuthi-train ", env!("CARGO_PKG_VERSION")),
            variant: settings.variant.to_string(),
            depth: settings.depth,
            selfplay_depth: settings.selfplay_depth,
            games: settings.games.get(),
            opening_plies: settings.opening.to_string(),
            epsilon: settings.epsilon.get(),
            window: settings.window.get(),
            window_decay: settings.window_decay,
            lambda: settings.lambda,
            random_rows: settings.random_rows.name(),
            start: settings.start.name(),
            epochs: fit.epochs.get(),
            batch: fit.batch.get(),
            lr: fit.learning_rate,
            schedule: fit.schedule.name(),
            warmup: fit.warmup,
            weight_decay: fit.weight_decay,
            patience: fit.patience.get(),
            layers: format!("{},{}", fit.layers[0], fit.layers[1]),
            match_games: settings.match_games,
            promote_above: settings.promote_above,
            promote_by: settings.promote_by.name(),
            seed: settings.seed,
        }
    }
}

fn compare(path: &Path, there: &Value, asked: &Run) -> Result<(), Error> {
    let asked = serde_json::to_value(asked).expect("plain numbers and words");
    if there.get("format") != asked.get("format") {
        return Err(Error::Foreign(path.display().to_string()));
    }
    let word = |value: Option<&Value>| match value {
        None => "none".to_owned(),
        Some(Value::String(text)) => text.escape_debug().to_string(),
        Some(other) => other.to_string(),
    };
    let differences: Vec<Difference> = asked
        .as_object()
        .into_iter()
        .flatten()
        .filter(|&(name, value)| there.get(name) != Some(value))
        .map(|(name, value)| Difference {
            name: name.clone(),
            was: word(there.get(name)),
            is: word(Some(value)),
        })
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::OtherSettings { path: path.to_owned(), differences })
}

/// A JSON file's content; `None` where there is no such file.
pub(super) fn read_json(path: &Path) -> Result<Option<Value>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::Io { path: path.to_owned(), error }),
    };
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|error| damaged(path, &error))
}

/// Writes a JSON file for people to read.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    write_whole(path, |file| {
        serde_json::to_writer_pretty(&mut *file, value)?;
        file.write_all(b"\n")
    })
    .map_err(Error::io(path))
}

pub(super) fn damaged(path: &Path, reason: &dyn fmt::Display) -> Error {
    Error::Damaged { path: path.to_owned(), reason: reason.to_string() }
}
