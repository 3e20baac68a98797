//! Datasets streamed: the memory taken does not depend on how many rows there are.
//!
//! [`Stream::open`] reads every part once: each row is checked, each game replayed from its moves, and the bytes are
//! compared with the manifest's SHA-256, before anything is learned from them. Afterwards the parts are read anew for
//! every epoch, the rows that are wanted checked again, and the bytes hashed again: a part that changes meanwhile is
//! refused at its end.

mod blocks;
mod open;
mod record;
mod shuffle;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::data::{DataError, Reading, fraction};
use crate::part::{LeftOut, OnBad};
use crate::source::{Batches, Source};
use blocks::{LANES, Part, Want};
use shuffle::Order;

/// A dataset to read, and how much of it: written `DIR` or `DIR@WEIGHT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The folder that self-play wrote.
    pub folder: PathBuf,
    /// Share of its games that train in an epoch, above 0, at most 1. Each game trains as often as any other, give or
    /// take one epoch; all are validated with.
    pub weight: f64,
}

impl From<PathBuf> for Window {
    /// All games of a folder.
    fn from(folder: PathBuf) -> Window {
        Window { folder, weight: 1.0 }
    }
}

impl FromStr for Window {
    type Err = String;

    /// A number behind the last `@` is the weight; a folder whose name ends so needs `@1` behind it.
    fn from_str(text: &str) -> Result<Window, String> {
        let split = text.rsplit_once('@').and_then(|(folder, weight)| Some((folder, weight.parse().ok()?)));
        match split {
            None if text.is_empty() => Err("a folder is needed".to_owned()),
            None => Ok(PathBuf::from(text).into()),
            Some(("", _)) => Err("a folder is needed before the `@`".to_owned()),
            Some((folder, weight)) if weight > 0.0 && weight <= 1.0 => {
                Ok(Window { folder: folder.into(), weight })
            }
            Some(_) => Err(
                "behind the `@` a weight above 0, up to 1, is possible (a folder that is named so: DIR@1)"
                    .to_owned(),
            ),
        }
    }
}

/// How a [`Stream`] reads. Only `buffer` has to do with the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streaming {
    /// What to do about rows that are wrong.
    pub on_bad: OnBad,
    /// Threads that read.
    pub threads: NonZeroUsize,
    /// Rows that are shuffled at a time; 32 bytes each.
    pub buffer: NonZeroUsize,
}

impl Streaming {
    /// Rows in the buffer where nothing else is said: 32 MiB.
    pub const BUFFER: NonZeroUsize = NonZeroUsize::new(1 << 20).expect("not 0");
}

/// Rows of one or more datasets of the same width, split by game as a [`Dataset`](crate::data::Dataset) is, read from
/// their files whenever they are wanted.
///
/// **The order of an epoch** is drawn from seed and epoch alone. The parts are put in a random order and dealt to 16
/// lanes, which are read abreast, 2048 rows from each in turn. The rows go into a buffer; every row that comes then
/// takes the place of a random one, which goes out. Where the buffer holds all training rows, every order is as likely
/// as any other. Where it does not, a row trains on average a buffer's length later than it was read, sometimes
/// several: a batch mixes games of a buffer and of what the lanes read meanwhile, and of a game with `n` rows about
/// `n · batch / buffer` get into the same batch. Rows of a part that is much larger than the buffer train in about the
/// order of the games.
///
/// **Memory**: the buffer, and some 10 MiB for the lanes (more with compressed parts: their windows).
#[derive(Debug)]
pub struct Stream {
    parts: Vec<Arc<Part>>,
    reading: Reading,
    streaming: Streaming,
    width: usize,
    games: [u64; 2],
    rows: [u64; 2],
    left_out: LeftOut,
    description: String,
}

impl Stream {
    /// Opens datasets: reads and checks every part once. `progress` is told, at the beginning and after each part,
    /// how many rows have been read and how many there are in all.
    ///
    /// # Errors
    /// Whatever is wrong, with file and line. With [`OnBad::Skip`] games with wrong rows are left out instead; what is
    /// wrong with a whole file (it cannot be read, its header, a hash although no row is wrong) is an error all the
    /// same.
    pub fn open(
        windows: &[Window],
        reading: &Reading,
        streaming: Streaming,
        progress: impl FnMut(u64, u64),
    ) -> Result<Stream, DataError> {
        open::open(windows, reading, streaming, progress)
    }

    /// Games to train on (of all weights) and to validate on. One that is read twice counts twice.
    #[must_use]
    pub const fn games(&self) -> [u64; 2] {
        self.games
    }

    /// What was left out for being wrong.
    #[must_use]
    pub const fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    fn batches(&self, order: Order, want: Want) -> Batches<'_> {
        Box::new(shuffle::batches(self.parts.clone(), order, want, self.reading, self.streaming))
    }
}

impl Source for Stream {
    fn width(&self) -> usize {
        self.width
    }

    /// With a weight below 1 the training rows are those of an epoch on average: no two need be alike.
    fn rows(&self) -> [u64; 2] {
        self.rows
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let Reading { lambda, validation, random_rows } = self.reading;
        hash.update(format!(
            "streamed, {LANES} lanes, buffer {}, lambda {lambda}, validation {validation}, random rows {}\n",
            self.streaming.buffer,
            random_rows.name()
        ));
        for part in &self.parts {
            hash.update(format!("part {} of seed {}, weight {}", part.sha256, part.seed, part.weight));
            hash.update(format!(", without {:?}\n", part.bad_lines));
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn training(&self, seed: u64, epoch: u32, batch: usize, skip: u64) -> Batches<'_> {
        let skip = skip.saturating_mul(batch as u64);
        self.batches(Order { shuffled: Some((seed, epoch)), batch, skip }, Want::Training { epoch })
    }

    fn validation(&self, batch: usize) -> Batches<'_> {
        self.batches(Order { shuffled: None, batch, skip: 0 }, Want::Validation)
    }
}

/// Whether a game of a part is to be read.
fn wanted(want: Want, part: &Part, game: u64, validation: f64) -> bool {
    let validates = fraction(part.seed, game) < validation;
    match want {
        Want::Validation => validates,
        Want::Training { epoch } => !validates && drawn(part.seed, game, part.weight, epoch),
    }
}

/// Whether a game trains in an epoch: in `weight` of them, evenly over the epochs.
///
/// Systematic sampling: in steps of `weight` each game walks round a circle, from a place of its own, and trains where
/// a step begins a new round.
fn drawn(seed: u64, game: u64, weight: f64, epoch: u32) -> bool {
    // Another number than the one that decides between training and validation.
    let place = fraction(!seed, game) + f64::from(epoch) * weight;
    weight >= 1.0 || place.fract() < weight
}
