//! Blocks of rows, read by several threads and handed out in an order that does not depend on their number.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use giuthi_engine::Variant;
use giuthi_engine::sample::Sample;
use giuthi_selfplay::lines::{Lines, Quick, Summing, Sums};

use super::record::Record;
use super::wanted;
use crate::data::Reading;
use crate::part::{LineError, PartError};

/// Parts that are read abreast.
pub(super) const LANES: usize = 16;
/// Rows in a block.
const BLOCK: usize = 2048;

/// A part that was checked.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) variant: Variant,
    /// Seed of its dataset.
    pub(super) seed: u64,
    /// Share of its games that train in an epoch.
    pub(super) weight: f64,
    /// SHA-256 of the file as it was checked.
    pub(super) sha256: String,
    /// By what the file is known again.
    pub(super) quick: Quick,
    /// The lines left out, ascending.
    pub(super) bad_lines: Vec<Range<u64>>,
}

/// The games that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    Training { epoch: u32 },
    Validation,
}

/// The game under way.
struct Underway {
    number: u64,
    wanted: bool,
    /// The ply that comes next.
    ply: u32,
    /// How its last row began, up to the first comma: the next one very likely begins so too.
    start: Vec<u8>,
}

/// The wanted rows of a part, as they stand in it.
struct PartReader {
    part: Arc<Part>,
    want: Want,
    reading: Reading,
    lines: Lines,
    game: Option<Underway>,
    /// The lines still to be left out.
    bad_lines: VecDeque<Range<u64>>,
}

impl PartReader {
    fn open(part: &Arc<Part>, want: Want, reading: Reading) -> Result<PartReader, PartError> {
        let failed = |error| PartError::Io { path: part.path.clone(), error };
        let mut lines = Lines::open(&part.path, Summing::Quick).map_err(failed)?;
        if lines.header().map_err(failed)? != Some(part.variant.width()) {
            let error = LineError::Header(part.variant);
            return Err(PartError::Line { path: part.path.clone(), line: 1, error });
        }
        let bad_lines = part.bad_lines.iter().cloned().collect();
        Ok(PartReader { part: part.clone(), want, reading, lines, game: None, bad_lines })
    }

    /// Fills a block; whether the part goes on behind it.
    fn fill(&mut self, block: &mut Vec<Record>) -> Result<bool, PartError> {
        let PartReader { part, want, reading, lines, game, bad_lines } = self;
        let width = part.variant.width();
        while block.len() < BLOCK {
            let line = lines.next().map_err(|error| PartError::Io { path: part.path.clone(), error })?;
            let Some(line) = line else { return Ok(false) };
            while bad_lines.front().is_some_and(|range| range.end <= line.number) {
                bad_lines.pop_front();
            }
            if bad_lines.front().is_some_and(|range| range.start <= line.number) {
                continue;
            }
            let fault = |error| PartError::Line { path: part.path.clone(), line: line.number, error };
            if !game.as_ref().is_some_and(|game| line.bytes.starts_with(&game.start))
                && let Some((number, start)) = number(line.bytes)
            {
                match game {
                    Some(game) if game.number == number => game.start = start.to_vec(),
                    Some(game) if game.number > number => {
                        return Err(fault(LineError::Order { game: number, ply: 0 }));
                    }
                    _ => {
                        let wanted = wanted(*want, part, number, reading.validation);
                        *game = Some(Underway { number, wanted, ply: 0, start: start.to_vec() });
                    }
                }
            }
            // Of the games that are not wanted only the numbers are looked at.
            if game.as_ref().is_some_and(|game| !game.wanted && line.bytes.starts_with(&game.start)) {
                continue;
            }
            let sample = Sample::scan(line.bytes, width).map_err(|error| fault(error.into()))?;
            match game {
                Some(game) if (game.number, game.ply) == (sample.game, sample.ply) && line.whole => {
                    game.ply += 1;
                }
                _ => return Err(fault(LineError::Order { game: sample.game, ply: sample.ply })),
            }
            if reading.takes(&sample) {
                block.push(Record::new(&sample.position, sample.result, sample.value));
            }
        }
        Ok(true)
    }

    /// Compares the bytes with those that were checked.
    fn finish(self) -> Result<(), PartError> {
        let path = self.part.path.clone();
        match self.lines.finish() {
            Ok(Sums { quick, .. }) if quick == self.part.quick => Ok(()),
            Ok(_) => Err(PartError::ChangedMeanwhile { path }),
            Err(error) => Err(PartError::Io { path, error }),
        }
    }
}

/// The number of a line's game, where it is one as it is written, and the bytes that say so, the comma among them.
fn number(line: &[u8]) -> Option<(u64, &[u8])> {
    let end = line.iter().take(20).position(|&byte| byte == b',')?;
    Some((str::from_utf8(&line[..end]).ok()?.parse().ok()?, &line[..=end]))
}

/// The parts that are read one after another.
struct Lane {
    parts: VecDeque<Arc<Part>>,
    reader: Option<PartReader>,
}

impl Lane {
    /// The next rows, at most a block of them; `None` after the last.
    fn next(&mut self, want: Want, reading: Reading) -> Result<Option<Vec<Record>>, PartError> {
        let mut block = Vec::with_capacity(BLOCK);
        while block.len() < BLOCK {
            let mut reader = match self.reader.take() {
                Some(reader) => reader,
                None => match self.parts.pop_front() {
                    Some(part) => PartReader::open(&part, want, reading)?,
                    None => break,
                },
            };
            match reader.fill(&mut block)? {
                true => self.reader = Some(reader),
                false => reader.finish()?,
            }
        }
        Ok((!block.is_empty()).then_some(block))
    }
}

/// What a thread says of a lane when it is its turn.
type Turn = Result<Option<Vec<Record>>, PartError>;

/// Blocks of the wanted rows of parts, as an iterator: part `i` is read in lane `i mod LANES`, and the lanes take turns,
/// however many threads there are. Ends after an error.
pub(super) struct Blocks {
    /// One for each thread; the lanes are dealt to them in turn.
    turns: Vec<Receiver<Turn>>,
    /// The lanes that still have rows, in the order of their turns.
    lanes: VecDeque<usize>,
    threads: Vec<JoinHandle<()>>,
}

impl Blocks {
    pub(super) fn new(parts: &[Arc<Part>], want: Want, reading: Reading, threads: NonZeroUsize) -> Blocks {
        let count = LANES.min(parts.len());
        let mut lanes: Vec<VecDeque<(usize, Lane)>> = Vec::new();
        lanes.resize_with(threads.get().min(count), VecDeque::new);
        for at in 0..count {
            let parts = parts.iter().skip(at).step_by(LANES).cloned().collect();
            let thread = at % lanes.len();
            lanes[thread].push_back((at, Lane { parts, reader: None }));
        }
        let start = |lanes: VecDeque<(usize, Lane)>| {
            let (sender, receiver) = sync_channel(2 * lanes.len());
            (receiver, thread::spawn(move || read(lanes, want, reading, &sender)))
        };
        let (turns, threads) = lanes.into_iter().map(start).unzip();
        Blocks { turns, lanes: (0..count).collect(), threads }
    }
}

/// What a thread does: each of its lanes in turn.
fn read(mut lanes: VecDeque<(usize, Lane)>, want: Want, reading: Reading, turns: &SyncSender<Turn>) {
    while let Some((at, mut lane)) = lanes.pop_front() {
        let turn = lane.next(want, reading);
        if matches!(turn, Ok(Some(_))) {
            lanes.push_back((at, lane));
        }
        // Nobody listens any more, or will after an error.
        let failed = turn.is_err();
        if turns.send(turn).is_err() || failed {
            return;
        }
    }
}

impl Iterator for Blocks {
    type Item = Result<Vec<Record>, PartError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let lane = self.lanes.pop_front()?;
            let turn =
                self.turns[lane % self.turns.len()].recv().expect("a thread has a turn for every lane");
            match turn {
                Ok(Some(block)) => {
                    self.lanes.push_back(lane);
                    return Some(Ok(block));
                }
                Ok(None) => {}
                Err(error) => {
                    self.lanes.clear();
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.turns.clear();
        for thread in self.threads.drain(..) {
            // One that panicked has said so, and nobody got the end of its lanes.
            let _ = thread.join();
        }
    }
}
