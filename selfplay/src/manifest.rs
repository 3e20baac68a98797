//! What a dataset says of itself: `manifest.json`, written last, and `run.json`, its first half, written first.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use giuthi_engine::agent::AGENTS;
use giuthi_engine::files::write_whole;
use giuthi_engine::{AgentSpec, Variant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::adjudication::Tables;
use crate::format::Compression;
use crate::part::sha256_of;
use crate::settings::{Epsilon, Level, OpeningPlies, Settings, Shard, Temperature};
use crate::summary::Tally;

/// Version of the dataset's columns and of this file: the engine's, under the name the manifest has for it.
pub use giuthi_engine::sample::SCHEMA;

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.json";
/// The file name of the settings a run was started with.
pub const RUN: &str = "run.json";

/// What a run was asked for, and by which program it is done: all that its games depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Schema version, [`SCHEMA`].
    pub schema: u32,
    /// Program and version.
    pub program: String,
    /// The variant played.
    #[serde(with = "text")]
    pub variant: Variant,
    /// The agent's spec, without a label.
    pub agent: String,
    /// SHA-256 of the agent's weights file, in hexadecimal; null where it has none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub weights: Option<String>,
    /// Seed of the games' random streams.
    pub seed: u64,
    /// Random plies at the start of a game, `LEAST..MOST` or a single number.
    #[serde(with = "text")]
    pub opening_plies: OpeningPlies,
    /// Whether no two games begin from the same position after their openings.
    #[serde(default)]
    pub distinct_openings: bool,
    /// Share of later moves played at random.
    pub epsilon: Epsilon,
    /// Temperature of the choice among the agent's moves right after the opening; null where the best is played.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// Plies after the opening in which it falls to 0; null where there is none.
    #[serde(default)]
    pub temperature_plies: Option<NonZeroU32>,
    /// The endgame tables that played games to their end; null where there were none.
    #[serde(default)]
    pub tables: Option<Tables>,
    /// Games of the whole dataset, all shards together.
    pub dataset_games: u64,
    /// Games in a part.
    pub part_games: u64,
    /// How the parts are compressed; null where they are plain.
    #[serde(default)]
    pub compression: Option<Compression>,
    /// Level of the compression; null where there is none.
    #[serde(default)]
    pub level: Option<Level>,
    /// Which of the parts are here: `I/N`, `0/1` for all.
    #[serde(with = "text")]
    pub shard: Shard,
}

impl Run {
    /// The run that settings ask for, with the sums of the agent's weights file and of the tables as they are now.
    pub(crate) fn of(settings: &Settings) -> Result<Run, ManifestError> {
        Ok(Run {
            schema: SCHEMA,
            program: program(),
            variant: settings.variant,
            agent: settings.agent.text().to_owned(),
            weights: weights_of(settings)?,
            seed: settings.seed,
            opening_plies: settings.opening,
            distinct_openings: settings.distinct_openings,
            epsilon: settings.epsilon,
            temperature: settings.temperature.map(Temperature::start),
            temperature_plies: settings.temperature.map(Temperature::plies),
            tables: settings.tables_folder().map(|dir| Tables::of(&dir)).transpose()?,
            dataset_games: settings.games.get(),
            part_games: settings.part_games.get(),
            compression: settings.format.compression(),
            level: settings.format.level(),
            shard: settings.shard,
        })
    }
}

/// SHA-256 of the agent's weights file as it is now.
pub(crate) fn weights_of(settings: &Settings) -> Result<Option<String>, ManifestError> {
    let sum = |path: PathBuf| sha256_of(&path).map_err(|error| ManifestError::Io { path, error });
    weights_file(&settings.agent).map(sum).transpose()
}

/// This program and its version, as a run names it.
pub(crate) fn program() -> String {
    format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// Whether a text is a SHA-256 as it is written here.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The weights file that a spec names, if any: `net:PATH`, or the key `net=` of an agent that takes it.
pub(crate) fn weights_file(spec: &AgentSpec) -> Option<PathBuf> {
    let (name, options) = spec.text().split_once(':')?;
    if name == "net" {
        return Some(PathBuf::from(options));
    }
    path_of(name, options, "net")
}

/// The folder of endgame tables that a spec names, if any: the key `tb=` of an agent that takes it.
pub(crate) fn tables_folder(spec: &AgentSpec) -> Option<PathBuf> {
    let (name, options) = spec.text().split_once(':')?;
    path_of(name, options, "tb")
}

/// The path that a key of an agent's spec holds.
fn path_of(name: &str, options: &str, key: &str) -> Option<PathBuf> {
    let kind = AGENTS.iter().find(|kind| kind.name == name)?;
    let takes_it = kind.keys.iter().any(|known| known.name == key);
    let path = options.split(',').find_map(|option| option.strip_prefix(key)?.strip_prefix('='));
    path.filter(|_| takes_it).map(PathBuf::from)
}

/// One part of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// The file's name in the folder.
    pub file: String,
    /// Its games.
    pub games: u64,
    /// Its rows, the header not counted.
    pub rows: u64,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// What its games came to; `None` in manifests of before that was written.
    #[serde(default)]
    pub tally: Option<Tally>,
}

impl PartEntry {
    /// The tally, if there is one that can be that of its games and rows. Whoever changes the counts by hand need not
    /// know of it.
    pub(crate) fn fitting_tally(&self) -> Option<Tally> {
        self.tally.filter(|tally| tally.fits(self.games, self.rows))
    }
}

/// What `manifest.json` says. Keys that this version does not know are passed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// What the run was asked for.
    #[serde(flatten)]
    pub run: Run,
    /// Games in this folder.
    pub games: u64,
    /// Rows in this folder.
    pub rows: u64,
    /// The parts, in order.
    pub parts: Vec<PartEntry>,
}

/// Why a folder's manifest cannot be used.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// There is none.
    #[error("{}: there is no such file: no dataset is here, or its run is not finished", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is not JSON.
    #[error("{}: not JSON: {reason}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// The file was written under another schema version.
    #[error("{}: schema version {found}, but this program reads version {SCHEMA}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: String,
    },
    /// The file is JSON, but does not say what a manifest says.
    #[error("{}: not a manifest: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Manifest {
    /// The manifest of a run, summing up its parts.
    #[must_use]
    pub fn new(run: Run, parts: Vec<PartEntry>) -> Manifest {
        let games = parts.iter().map(|part| part.games).sum();
        let rows = parts.iter().map(|part| part.rows).sum();
        Manifest { run, games, rows, parts }
    }

    /// Reads and checks the manifest of the dataset in `dir`. The parts themselves are not looked at.
    ///
    /// # Errors
    /// Each names the file and what is wrong with it; another schema version is named beside this one's.
    pub fn load(dir: &Path) -> Result<Manifest, ManifestError> {
        let path = dir.join(MANIFEST);
        let value = read_json(&path)?.ok_or_else(|| ManifestError::Missing { path: path.clone() })?;
        let foreign = |reason: String| ManifestError::Foreign { path: path.clone(), reason };
        match value.get("schema") {
            Some(found) if *found == SCHEMA => {}
            Some(found) => return Err(ManifestError::Schema { path, found: found.to_string() }),
            None => return Err(foreign("it has no `schema`".to_owned())),
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(|error| foreign(error.to_string()))?;
        match manifest.fault() {
            Some(fault) => Err(foreign(fault)),
            None => Ok(manifest),
        }
    }

    /// What in it does not fit together.
    fn fault(&self) -> Option<String> {
        let mut names = HashSet::new();
        for PartEntry { file, sha256, .. } in &self.parts {
            // A name that led out of the folder would have a reader open files that are none of the dataset's.
            if Path::new(file).file_name().is_none_or(|name| name != file.as_str()) {
                return Some(format!("part `{}` is not a file's name", file.escape_debug()));
            }
            if !names.insert(file) {
                return Some(format!("part `{file}` is listed twice"));
            }
            if !is_sha256(sha256) {
                return Some(format!("`sha256` of part `{file}` is not 64 hexadecimal digits"));
            }
        }
        let sum = |count: fn(&PartEntry) -> u64| {
            self.parts.iter().try_fold(0, |sum: u64, part| sum.checked_add(count(part)))
        };
        for (name, said, parts) in
            [("games", self.games, sum(|part| part.games)), ("rows", self.rows, sum(|part| part.rows))]
        {
            if parts != Some(said) {
                return Some(format!("`{name}` is {said}, but its parts do not sum up to that"));
            }
        }
        None
    }

    /// What it says of a part.
    #[must_use]
    pub fn part(&self, file: &str) -> Option<&PartEntry> {
        self.parts.iter().find(|part| part.file == file)
    }

    /// Writes the manifest of the dataset in `dir`.
    pub fn save(&self, dir: &Path) -> Result<(), ManifestError> {
        write_json(&dir.join(MANIFEST), self)
    }
}

/// A JSON file's content; `None` where there is no such file.
pub(crate) fn read_json(path: &Path) -> Result<Option<Value>, ManifestError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ManifestError::Io { path: path.to_owned(), error }),
    };
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|error| ManifestError::Json { path: path.to_owned(), reason: error.to_string() })
}

/// Writes a JSON file for people to read.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ManifestError> {
    let written = write_whole(path, |writer| {
        serde_json::to_writer_pretty(&mut *writer, value)?;
        writer.write_all(b"\n")
    });
    written.map_err(|error| ManifestError::Io { path: path.to_owned(), error })
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fields that stand in JSON as their notation.
mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// Another spelling than the one that is written, such as zeros in front, is refused.
    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display> + Display,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(deserializer)?;
        let value: T = text.parse().map_err(D::Error::custom)?;
        let written = value.to_string();
        if written != text {
            return Err(D::Error::custom(format_args!("`{}` is written `{written}`", text.escape_debug())));
        }
        Ok(value)
    }
}
