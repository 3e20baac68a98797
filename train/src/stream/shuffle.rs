//! Rows shuffled within a bounded buffer, encoded and handed out in batches.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Streaming;
use super::blocks::{Blocks, Part, Want};
use super::record::{Record, append};
use crate::data::{DataError, Reading, Rows};

/// Batches that are made ahead.
const AHEAD: usize = 2;

/// How rows are handed out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Seed and epoch; as they are read where there are none.
    pub(super) shuffled: Option<(u64, u32)>,
    /// Rows in a batch.
    pub(super) batch: usize,
    /// Rows to pass over.
    pub(super) skip: u64,
}

/// Batches made by a thread of their own.
struct Ahead {
    batches: Option<Receiver<Result<Rows, DataError>>>,
    thread: Option<JoinHandle<()>>,
}

/// The wanted rows of parts in batches. Ends after an error.
pub(super) fn batches(
    mut parts: Vec<Arc<Part>>,
    order: Order,
    want: Want,
    reading: Reading,
    streaming: Streaming,
) -> impl Iterator<Item = Result<Rows, DataError>> + Send {
    assert!(order.batch > 0, "a batch has rows");
    let (sender, receiver) = sync_channel(AHEAD);
    let thread = thread::spawn(move || {
        let shuffle = order.shuffled.map(|(seed, epoch)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // Streams of their own: the first weights come from stream 0.
            rng.set_stream((1 << 32) + u64::from(epoch));
            parts.shuffle(&mut rng);
            (rng, streaming.buffer)
        });
        let blocks = Blocks::new(&parts, want, reading, streaming.threads);
        let width = parts.first().map_or(0, |part| part.variant.width());
        let encoder =
            Encoder { rows: Rows::default(), width, order, lambda: reading.lambda, batches: sender };
        // Who has dropped the batches needs no answer.
        let (Ok(()) | Err(Over)) = hand_out(blocks, shuffle, encoder);
    });
    Ahead { batches: Some(receiver), thread: Some(thread) }
}

impl Iterator for Ahead {
    type Item = Result<Rows, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.batches.as_ref()?.recv().ok();
        if next.is_none() {
            // The end, or a panic: rows must not be missing without a word.
            self.batches = None;
            if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                std::panic::resume_unwind(panic);
            }
        }
        next
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // Nobody is left who would want to know of a panic.
            let _ = thread.join();
        }
    }
}

/// Nobody wants more batches.
struct Over;

/// Sends the rows of all blocks through the buffer to the encoder.
fn hand_out(
    blocks: Blocks,
    shuffle: Option<(ChaCha8Rng, NonZeroUsize)>,
    mut encoder: Encoder,
) -> Result<(), Over> {
    let mut buffer: Vec<Record> = Vec::new();
    let Some((mut rng, size)) = shuffle else {
        for block in blocks {
            match block {
                Ok(block) => encoder.append(&block)?,
                Err(error) => return encoder.fail(error.into()),
            }
        }
        return encoder.finish();
    };
    let size = size.get();
    let mut places = Vec::new();
    for block in blocks {
        let mut block = match block {
            Ok(block) => block,
            Err(error) => return encoder.fail(error.into()),
        };
        let kept = (size - buffer.len()).min(block.len());
        let (kept, rest) = block.split_at_mut(kept);
        buffer.extend_from_slice(kept);
        // All places first: then the processor waits for the memory of several rows at a time.
        places.clear();
        places.extend(rest.iter().map(|_| rng.random_range(0..size)));
        for (row, &place) in rest.iter_mut().zip(&places) {
            std::mem::swap(&mut buffer[place], row);
        }
        encoder.append(rest)?;
    }
    buffer.shuffle(&mut rng);
    encoder.append(&buffer)?;
    encoder.finish()
}

/// Encodes rows and sends them in batches.
struct Encoder {
    rows: Rows,
    width: usize,
    order: Order,
    lambda: f32,
    batches: SyncSender<Result<Rows, DataError>>,
}

impl Encoder {
    fn append(&mut self, mut records: &[Record]) -> Result<(), Over> {
        let skipped = usize::try_from(self.order.skip).unwrap_or(usize::MAX).min(records.len());
        self.order.skip -= skipped as u64;
        records = &records[skipped..];
        while !records.is_empty() {
            let (now, later) = records.split_at((self.order.batch - self.rows.len()).min(records.len()));
            append(&mut self.rows, now, self.width, self.lambda);
            records = later;
            if self.rows.len() == self.order.batch {
                self.send()?;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Over> {
        let rows = Rows::with_capacity(self.rows.len(), self.rows.categories.len());
        self.batches.send(Ok(std::mem::replace(&mut self.rows, rows))).map_err(|_| Over)
    }

    fn finish(&mut self) -> Result<(), Over> {
        if self.rows.is_empty() { Ok(()) } else { self.send() }
    }

    fn fail(&mut self, error: DataError) -> Result<(), Over> {
        self.batches.send(Err(error)).map_err(|_| Over)
    }
}
