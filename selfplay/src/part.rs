//! A part of a dataset: its text, and read back to the last byte.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use giuthi_engine::sample::{Note, columns, label};
use giuthi_engine::{Game, Variant};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::check::{Fault, PartError, Task, Watch, replay_as};
use crate::lines::Reading;
use crate::manifest::{PartEntry, hex};
use crate::settings::Plan;
use crate::summary::{Summary, Tally, positions};

/// Bytes that most rows have at most.
const ROW: usize = 96;

/// The first line of every part.
pub(crate) fn header(width: usize) -> String {
    columns(width).join(",") + "\n"
}

/// The rows of a finished game, one line each.
pub(crate) fn rows(number: u64, game: &Game, notes: &[Note]) -> Vec<u8> {
    let samples = label(number, game, notes).expect("only finished games are written");
    let mut text = Vec::with_capacity(ROW * samples.len());
    samples.iter().for_each(|sample| sample.spell(&mut text));
    text
}

/// Why a part that is there already cannot be kept.
#[derive(Debug, Error)]
pub enum Damage {
    /// It cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The part's file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is not what this run would have written.
    #[error("{0}; remove the file to have its games played again")]
    Fault(Fault),
    /// The file was changed since its SHA-256 was written into the manifest.
    #[error(
        "{}: its SHA-256 is not the one in the manifest; remove the file to have its games played again",
        path.display()
    )]
    Changed {
        /// The part's file.
        path: PathBuf,
    },
}

/// Reads a part that a run with these settings wrote before: what a manifest says of it, and statistics of its games.
///
/// Every game is replayed from its moves, and its rows must be, byte for byte, what is written of such a game. They are
/// told to `seen` as they stand in the part. Reading ends as soon as `goes_on` says so, as [`Damage::Io`].
pub(crate) fn read(
    path: &Path,
    plan: &Plan,
    variant: Variant,
    goes_on: &dyn Fn() -> bool,
    mut seen: impl FnMut(&[u8]),
) -> Result<(PartEntry, Summary), Damage> {
    let games = Some(plan.games.clone());
    let task = Task { path: path.to_owned(), variant, entry: None, games };
    let mut summary = Summary::default();
    let mut watch = Watch::new(&task, 1, |game, samples, _| {
        let notes: Vec<_> = samples.iter().map(|row| Note { source: row.source, value: row.value }).collect();
        let mut tally = Tally::default();
        tally.add(game, samples.iter().map(|row| row.source));
        summary.add(&tally, &positions(game));
        seen(&rows(samples[0].game, game, &notes));
    })
    .while_wanted(goes_on);
    let replayed = replay_as(path, variant, None, Reading::Exact, &mut watch);
    watch.finish(&replayed);
    let fault = watch.faults.pop();
    let sha256 = match replayed {
        Ok(replayed) if fault.is_none() => replayed.sums.sha256,
        Err(PartError::Io { path, error }) => return Err(Damage::Io { path, error }),
        Err(PartError::Stopped { path }) => return Err(Damage::Io { path, error: stopped() }),
        _ => return Err(Damage::Fault(fault.expect("what is not good was told"))),
    };
    let tally = *summary.tally();
    let (games, rows) = (tally.games(), tally.rows());
    Ok((PartEntry { file: plan.file_name(), games, rows, sha256, tally: Some(tally) }, summary))
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "not read to its end")
}

/// SHA-256 of a file's bytes, in hexadecimal.
pub(crate) fn sha256_of(path: &Path) -> io::Result<String> {
    sha256_while(path, &|| true)
}

/// [`sha256_of`]; reading ends with an error as soon as `goes_on` says so.
pub(crate) fn sha256_while(path: &Path, goes_on: &dyn Fn() -> bool) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&sum.finalize())),
            _ if !goes_on() => return Err(stopped()),
            count => sum.update(&buffer[..count]),
        }
    }
}
