//! Shards put together: the files are, byte for byte, those that one machine alone would have made.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use giuthi_engine::files::write_whole;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::check::{Fault, begins};
use crate::error::Error;
use crate::folder::{Difference, Folder, differences};
use crate::generate::{Report, pool};
use crate::in_order::in_order;
use crate::manifest::{MANIFEST, Manifest, ManifestError, PartEntry, Run, hex};
use crate::part::{self, Damage, sha256_of};
use crate::settings::{Plan, Shard};
use crate::summary::Summary;

/// Parts under way or waiting to be counted, for each thread.
const PARTS_AHEAD: usize = 2;
/// Names that a message lists at most.
const LISTED: usize = 8;

/// How shards are put together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Merging {
    /// Whether files are linked instead of copied.
    pub link: bool,
    /// Whether every game is replayed besides.
    pub verify: bool,
}

/// What a merge tells its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeEvent {
    /// The shards fit together.
    Begun {
        /// Parts of the dataset.
        parts: u64,
    },
    /// A part is in its place, and is as its manifest says.
    Merged,
}

/// Why shards cannot be put together. The shards are as they were, and what is there of the dataset is whole.
#[derive(Debug, Error)]
pub enum MergeError {
    /// There are none.
    #[error("no folders of shards are named")]
    Nothing,
    /// A shard is not finished, or its manifest is no good.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Two shards were not asked for the same dataset.
    #[error("{}: a shard of another dataset than {}: {}", dir.display(), first.display(), named(differences))]
    Differ {
        /// The shard's folder.
        dir: PathBuf,
        /// That of the first shard.
        first: PathBuf,
        /// What differs; never empty.
        differences: Vec<Difference>,
    },
    /// A manifest tells of a part that its dataset does not have.
    #[error("{}: part `{file}` is none of the dataset's, or holds other games than it should", dir.display())]
    Foreign {
        /// The shard's folder.
        dir: PathBuf,
        /// The part.
        file: String,
    },
    /// Two folders hold the same part.
    #[error("part `{file}` is in {} and in {}: name each shard once", first.display(), second.display())]
    Twice {
        /// The part.
        file: String,
        /// One folder.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// Parts are in none of the folders.
    #[error("{missing} of {parts} parts are missing: {}", listed(names))]
    Missing {
        /// How many.
        missing: u64,
        /// Parts of the dataset.
        parts: u64,
        /// The shards that they belong to, or the parts where the dataset was dealt in several ways; never empty.
        names: Vec<String>,
    },
    /// The folder to write to, or a part.
    #[error(transparent)]
    Work(#[from] Error),
}

impl From<Damage> for MergeError {
    fn from(damage: Damage) -> MergeError {
        MergeError::Work(damage.into())
    }
}

fn named(differences: &[Difference]) -> String {
    let named =
        differences.iter().map(|Difference { what, there, asked }| format!("{what} {there}, not {asked}"));
    named.collect::<Vec<_>>().join("; ")
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let text = names[..names.len() - more].join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}

/// Puts the finished shards in `dirs` together in the folder `out`: parts, manifest and all are those of the undivided
/// run. Each file is summed on the way and has to be what its manifest says; with `merging.verify` every game is replayed
/// besides. A merge that was broken off goes on with the parts that are missing.
///
/// # Errors
/// [`MergeError`]: shards that are not finished, differ in their settings, overlap, or are not all; a part that is not
/// what its manifest says; whatever cannot be read or written. The shards are never touched.
pub fn merge(
    dirs: &[PathBuf],
    out: &Path,
    merging: Merging,
    threads: NonZeroUsize,
    mut observe: impl FnMut(MergeEvent),
) -> Result<Report, MergeError> {
    let (run, parts) = fit(dirs)?;
    let names: HashSet<String> = parts.iter().map(|part| part.plan.file_name()).collect();
    let pool = pool(threads)?;
    Folder::inspect(out, &run, &names)?;
    // The first part of each shard; of the others it is seen when they are copied.
    let mut seen = HashSet::new();
    for part in parts.iter().filter(|part| seen.insert(part.dir)) {
        part.begins(&run)?;
    }
    let folder = Folder::open(out, &run, &names)?;
    observe(MergeEvent::Begun { parts: parts.len() as u64 });
    let ahead = PARTS_AHEAD * threads.get();
    let (mut entries, mut summary) = (Vec::new(), Summary::default());
    in_order(
        &pool,
        ahead,
        parts.iter(),
        |part| part.put(&run, &folder, merging),
        |results| {
            for result in results {
                let (entry, part): (PartEntry, Summary) = result?;
                entries.push(entry);
                summary.merge(&part);
                observe(MergeEvent::Merged);
            }
            Ok::<(), MergeError>(())
        },
    )?;
    let manifest = Manifest::new(run, entries);
    if folder.manifest()?.as_ref() != Some(&manifest) {
        manifest.save(out)?;
    }
    Ok(Report { manifest, summary, played: 0 })
}

/// A part, and the shard that has it.
struct Part<'a> {
    plan: Plan,
    dir: &'a Path,
    entry: PartEntry,
}

/// The undivided run that the shards are of, and all of its parts in order.
fn fit(dirs: &[PathBuf]) -> Result<(Run, Vec<Part<'_>>), MergeError> {
    let first = dirs.first().ok_or(MergeError::Nothing)?;
    let mut run: Option<Run> = None;
    let mut counts = HashSet::new();
    let mut there: BTreeMap<String, (&Path, PartEntry)> = BTreeMap::new();
    for dir in dirs {
        let manifest = Manifest::load(dir)?;
        counts.insert(manifest.run.shard.count());
        let whole = Run { shard: Shard::WHOLE, ..manifest.run };
        let run = run.get_or_insert_with(|| whole.clone());
        let differences = differences(&serde_json::to_value(&whole).expect("plain JSON"), run);
        if !differences.is_empty() {
            return Err(MergeError::Differ { dir: dir.clone(), first: first.clone(), differences });
        }
        for entry in manifest.parts {
            let file = entry.file.clone();
            if let Some((other, _)) = there.insert(file.clone(), (dir, entry)) {
                return Err(MergeError::Twice { file, first: other.to_owned(), second: dir.clone() });
            }
        }
    }
    let run = run.expect("there is a first folder");
    let settings = run.settings().map_err(|faults| {
        let faults: Vec<String> = faults.into_iter().map(|(_, what)| what).collect();
        ManifestError::Foreign { path: first.join(MANIFEST), reason: faults.join("; ") }
    })?;
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for plan in settings.parts() {
        match there.remove(&plan.file_name()) {
            None => missing.push(plan),
            Some((dir, entry)) if entry.games != plan.games.end - plan.games.start => {
                return Err(MergeError::Foreign { dir: dir.to_owned(), file: entry.file });
            }
            Some((dir, entry)) => parts.push(Part { plan, dir, entry }),
        }
    }
    if let Some((file, (dir, _))) = there.into_iter().next() {
        return Err(MergeError::Foreign { dir: dir.to_owned(), file });
    }
    if !missing.is_empty() {
        let all = (parts.len() + missing.len()) as u64;
        let names = match counts.into_iter().collect::<Vec<_>>()[..] {
            [count] => {
                let shards: std::collections::BTreeSet<u64> =
                    missing.iter().map(|plan| plan.number % u64::from(count)).collect();
                shards.into_iter().map(|shard| format!("shard {shard}/{count}")).collect()
            }
            _ => missing.iter().map(Plan::file_name).collect(),
        };
        return Err(MergeError::Missing { missing: missing.len() as u64, parts: all, names });
    }
    Ok((run, parts))
}

impl Part<'_> {
    /// Whether the shard's file begins as the part of a dataset of this variant. Where the file is the one that its manifest
    /// means, the manifest is what is wrong.
    fn begins(&self, run: &Run) -> Result<(), MergeError> {
        let path = self.dir.join(&self.entry.file);
        let Err(error) = begins(&path, run.variant, self.plan.games.start) else { return Ok(()) };
        let unread = |error| Damage::Io { path: path.clone(), error };
        if sha256_of(&path).map_err(unread)? != self.entry.sha256 {
            return Err(Damage::Changed { path }.into());
        }
        let reason = format!("by it the variant is {}, but {}", run.variant, Fault::of_part(&error));
        Err(ManifestError::Foreign { path: self.dir.join(MANIFEST), reason }.into())
    }

    /// Puts the part in its place, unless it is there already, and says what the manifest will say of it.
    fn put(&self, run: &Run, folder: &Folder, merging: Merging) -> Result<(PartEntry, Summary), MergeError> {
        let (from, to) = (self.dir.join(&self.entry.file), folder.path(&self.entry.file));
        let there = to.exists();
        let look = if there { &to } else { &from };
        let mut summary = Summary::default();
        // Manifests of before have no tally; then the games tell it.
        let read = match (merging.verify, self.entry.fitting_tally()) {
            (false, Some(tally)) => {
                summary.add_tally(&tally);
                None
            }
            _ => {
                let (read, games) = part::read(look, &self.plan, run.variant, &|| true, |_| {})?;
                summary = games;
                Some(read)
            }
        };
        if read.is_none() {
            self.begins(run)?;
        }
        let told = |read: &PartEntry| PartEntry {
            tally: self.entry.fitting_tally().or(read.tally),
            ..self.entry.clone()
        };
        if let Some(read) = read.as_ref().filter(|read| **read != told(read)) {
            if read.sha256 != self.entry.sha256 {
                return Err(Damage::Changed { path: look.clone() }.into());
            }
            // The file is the one that is meant, so what is said of it is wrong.
            let reason = format!(
                "part `{}` has {} games and {} rows, but it says {} and {}",
                self.entry.file, read.games, read.rows, self.entry.games, self.entry.rows
            );
            return Err(ManifestError::Foreign { path: self.dir.join(MANIFEST), reason }.into());
        }
        if there || merging.link {
            let sum = match &read {
                Some(read) => read.sha256.clone(),
                None => sha256_of(look).map_err(|error| Damage::Io { path: look.clone(), error })?,
            };
            if sum != self.entry.sha256 {
                return Err(Damage::Changed { path: look.clone() }.into());
            }
            if !there {
                let what = "cannot be linked (without --link it is copied)";
                fs::hard_link(&from, &to).map_err(|error| Error::io(&to, what, error))?;
            }
        } else {
            copy(&from, &to, &self.entry.sha256)?;
        }
        let entry = read.unwrap_or_else(|| self.entry.clone());
        Ok((entry, summary))
    }
}

/// Copies a file whose SHA-256 is known; one that has another is not copied.
fn copy(from: &Path, to: &Path, sha256: &str) -> Result<(), Error> {
    enum Fault {
        Read(io::Error),
        Write(io::Error),
        Changed,
    }
    impl From<io::Error> for Fault {
        fn from(error: io::Error) -> Fault {
            Fault::Write(error)
        }
    }
    let copied = write_whole(to, |file| {
        let mut input = File::open(from).map_err(Fault::Read)?;
        let mut buffer = vec![0; 1 << 18];
        let mut sum = Sha256::new();
        loop {
            let count = input.read(&mut buffer).map_err(Fault::Read)?;
            if count == 0 {
                break;
            }
            sum.update(&buffer[..count]);
            file.write_all(&buffer[..count])?;
        }
        if hex(&sum.finalize()) == sha256 { Ok(()) } else { Err(Fault::Changed) }
    });
    copied.map_err(|fault| match fault {
        Fault::Read(error) => Damage::Io { path: from.to_owned(), error }.into(),
        Fault::Write(error) => Error::io(to, "cannot be written", error),
        Fault::Changed => Damage::Changed { path: from.to_owned() }.into(),
    })
}
