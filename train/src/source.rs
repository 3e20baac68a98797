//! Where a fit gets its rows from.

use crate::data::{DataError, Rows};

/// Rows in batches, or what went wrong with their data.
pub type Batches<'a> = Box<dyn Iterator<Item = Result<Rows, DataError>> + Send + 'a>;

/// Where a fit gets its rows from: in memory or streamed.
pub trait Source {
    /// Pits in a row of the boards.
    fn width(&self) -> usize;

    /// Rows to train on and rows to validate on.
    fn rows(&self) -> [u64; 2];

    /// What the data are, in words, for the metadata of the weights.
    fn description(&self) -> String;

    /// Names the data exactly: hashes of all parts, reading settings (lambda, validation share). Two sources with the
    /// same fingerprint give the same rows in the same order.
    fn fingerprint(&self) -> String;

    /// The training rows of an epoch in batches of `batch` rows (the last one may be smaller), in an order drawn from
    /// `seed` and `epoch` alone, every row once; begins after the first `skip` batches.
    fn training(&self, seed: u64, epoch: u32, batch: usize, skip: u64) -> Batches<'_>;

    /// The validation rows in batches of `batch`.
    fn validation(&self, batch: usize) -> Batches<'_>;
}
