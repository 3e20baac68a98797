//! The output folder: whose run it holds, what of it is there already, and that no other run is at it.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::manifest::{MANIFEST, Manifest, ManifestError, RUN, Run, read_json, write_json};

/// The file whose lock says that a run is at it. It stays, empty: taking it away could part two waiting runs.
const LOCK: &str = ".lock";

/// The keys of [`Run`], and what a person calls them: the flag that sets it, where there is one.
const WORDS: [(&str, &str); 17] = [
    ("schema", "schema version"),
    ("program", "program"),
    ("variant", "--variant"),
    ("agent", "--agent"),
    ("weights", "SHA-256 of the weights"),
    ("seed", "--seed"),
    ("opening_plies", "--opening-plies"),
    ("distinct_openings", "--distinct-openings"),
    ("epsilon", "--epsilon"),
    ("temperature", "--temperature"),
    ("temperature_plies", "--temperature-plies"),
    ("tables", "--tb"),
    ("dataset_games", "--games"),
    ("part_games", "--part-games"),
    ("compression", "--compress"),
    ("level", "--level"),
    ("shard", "--shard"),
];

/// Keys that were not written before there was a choice; they meant then what they mean when nothing is asked.
fn meant(key: &str) -> Value {
    match key {
        "distinct_openings" => Value::Bool(false),
        _ => Value::Null,
    }
}

/// A setting that differs from the one a folder's run was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The setting: a flag, or the word for what no flag sets.
    pub what: &'static str,
    /// What the folder's run was started with.
    pub there: String,
    /// What is asked for now.
    pub asked: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, there, asked } = self;
        write!(f, "{what} {there} (now {asked})")
    }
}

/// The seed of the run that was started in a folder, if one was: for those who repeat it without naming a seed.
#[must_use]
pub fn started_seed(dir: &Path) -> Option<u64> {
    read_json(&dir.join(RUN)).ok()??.get("seed")?.as_u64()
}

/// An output folder of one run, locked for as long as this lives.
pub(crate) struct Folder {
    dir: PathBuf,
    _lock: Lock,
}

impl Folder {
    /// Refuses a folder that [`Folder::open`] would refuse for what is in it, and changes nothing.
    pub(crate) fn inspect(dir: &Path, run: &Run, parts: &HashSet<String>) -> Result<(), Error> {
        if dir.is_dir() { look(dir, run, parts).map(drop) } else { Ok(()) }
    }

    /// Makes or opens the folder for a run whose parts have these file names. A folder with anything else in it than
    /// that same run is refused; what a killed run left half written is cleaned away.
    pub(crate) fn open(dir: &Path, run: &Run, parts: &HashSet<String>) -> Result<Folder, Error> {
        fs::create_dir_all(dir).map_err(|error| Error::io(dir, "cannot make the folder", error))?;
        let lock = Lock::take(dir)?;
        let Found { leftovers, begun } = look(dir, run, parts)?;
        for path in leftovers {
            fs::remove_file(&path).map_err(|error| Error::io(&path, "cannot remove", error))?;
        }
        if !begun {
            write_json(&dir.join(RUN), run)?;
        }
        Ok(Folder { dir: dir.to_owned(), _lock: lock })
    }

    /// The manifest of the finished run, if it was finished.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, ManifestError> {
        match Manifest::load(&self.dir) {
            Err(ManifestError::Missing { .. }) => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    /// The path of one of its files.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// What is in a folder that is not refused.
struct Found {
    /// What a killed run left half written.
    leftovers: Vec<PathBuf>,
    /// Whether the run is begun: its settings stand in `run.json`.
    begun: bool,
}

/// Looks whether what is in a folder is of this run alone.
fn look(dir: &Path, run: &Run, parts: &HashSet<String>) -> Result<Found, Error> {
    let (mut names, mut leftovers) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(dir).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    for entry in entries.map_err(|error| Error::io(dir, "cannot list the folder", error))? {
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_leftover(&name) {
            leftovers.push(entry.path());
        } else if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    let foreign = |name: &String| Error::Foreign { dir: dir.to_owned(), name: name.clone() };
    let path = dir.join(RUN);
    let made = names.iter().any(|name| name == MANIFEST || name.starts_with("part-"));
    let begun = match read_json(&path)? {
        Some(there) if made || !is_run(&there) => {
            compare(&path, &there, run)?;
            let no_part = |name: &&String| name.starts_with("part-") && !parts.contains(*name);
            if let Some(name) = names.iter().find(no_part) {
                return Err(foreign(name));
            }
            true
        }
        // Settings that no part was made under, such as impossible ones, bind nobody.
        _ => {
            if let Some(name) = names.iter().find(|name| *name != RUN) {
                return Err(match made && !names.iter().any(|name| name == RUN) {
                    true => Error::NoRun { dir: dir.to_owned(), name: name.clone() },
                    false => foreign(name),
                });
            }
            false
        }
    };
    let path = dir.join(MANIFEST);
    if let Some(there) = read_json(&path)? {
        compare(&path, &there, run)?;
    }
    Ok(Found { leftovers, begun })
}

/// Whether a `run.json` is one of this program's, of whatever version.
fn is_run(there: &Value) -> bool {
    there["program"].as_str().is_some_and(|program| program.starts_with(env!("CARGO_PKG_NAME")))
}

/// A folder's lock, held for as long as this lives.
struct Lock(File);

impl Lock {
    fn take(dir: &Path) -> Result<Lock, Error> {
        let path = dir.join(LOCK);
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(|error| Error::io(&path, "cannot be written", error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { dir: dir.to_owned() }),
            Err(TryLockError::Error(error)) => Err(Error::io(&path, "cannot be locked", error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would not do: a process that another thread is just starting holds the open file a moment longer.
        let _ = self.0.unlock();
    }
}

/// Whether a name is one of those under which files are written before they are whole.
fn is_leftover(name: &str) -> bool {
    let of = |start: &str| name.strip_prefix('.').is_some_and(|name| name.starts_with(start));
    name.ends_with(".tmp") && ["part-", MANIFEST, RUN].into_iter().any(of)
}

/// Refuses settings other than those that a file of the folder was written under.
fn compare(path: &Path, there: &Value, run: &Run) -> Result<(), Error> {
    if !there.is_object() {
        let reason = "it does not say what a run was asked for".to_owned();
        return Err(ManifestError::Foreign { path: path.to_owned(), reason }.into());
    }
    match differences(there, run) {
        none if none.is_empty() => Ok(()),
        differences => Err(Error::OtherSettings { path: path.to_owned(), differences }),
    }
}

/// What a run in JSON asks for otherwise than another one.
pub(crate) fn differences(there: &Value, run: &Run) -> Vec<Difference> {
    // Through text and back, as the other one came: what a number loses on that way, both have lost.
    let asked = serde_json::to_string(run).and_then(|text| serde_json::from_str::<Value>(&text));
    let asked = asked.expect("a run's settings are plain JSON");
    let word = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.escape_debug().to_string(),
        other => other.to_string(),
    };
    let of = |value: &Value, key: &str| value.get(key).cloned().unwrap_or_else(|| meant(key));
    let differing = WORDS.iter().filter(|(key, _)| of(there, key) != of(&asked, key));
    differing
        .map(|&(key, what)| Difference { what, there: word(&of(there, key)), asked: word(&of(&asked, key)) })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn every_key_of_a_run_is_compared() {
        let variant = "2x5x4".parse().expect("a variant");
        let agent = "random".parse().expect("an agent");
        let run = Run::of(&Settings::new(variant, agent, NonZeroU64::MIN, 1)).expect("no weights to read");
        let value = serde_json::to_value(run).expect("plain JSON");
        let keys: HashSet<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, WORDS.iter().map(|&(key, _)| key).collect());
    }
}
