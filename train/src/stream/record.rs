//! Rows as they are shuffled: encoded by the threads that read, but for the width of their numbers.

use giuthi_engine::Position;
use giuthi_engine::net::FeatureSet;
use giuthi_engine::rules::MAX_PITS;

use crate::data::{Rows, target};

/// What the network sees.
const FEATURES: FeatureSet = FeatureSet::Pits24Lead;

/// A row in 32 bytes. Aligned, so that none lies in two lines of the processor's caches: rows are shuffled at random
/// places of a buffer that no cache holds.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Record {
    /// For each pit which of its categories holds.
    counts: [u8; MAX_PITS],
    lead: f32,
    /// The search's value; NaN where there is none.
    value: f32,
    /// For the player to move.
    result: i8,
}

impl Record {
    pub(super) fn new(position: &Position, result: i8, value: Option<f32>) -> Record {
        let (counts, lead) = FEATURES.encode_small(position);
        Record { counts, lead, value: value.unwrap_or(f32::NAN), result }
    }
}

/// Appends records to a batch.
pub(super) fn append(rows: &mut Rows, records: &[Record], width: usize, lambda: f32) {
    // Of a length that is known a row is a few stores, and otherwise a call.
    let categories = &mut rows.categories;
    match width {
        5 => widen::<10>(categories, records),
        6 => widen::<12>(categories, records),
        7 => widen::<14>(categories, records),
        8 => widen::<16>(categories, records),
        9 => widen::<18>(categories, records),
        10 => widen::<20>(categories, records),
        _ => unreachable!("boards have rows of 5 to 10 pits"),
    }
    rows.leads.extend(records.iter().map(|record| record.lead));
    rows.targets.extend(records.iter().map(|record| {
        let value = (!record.value.is_nan()).then_some(record.value);
        target(record.result, value, lambda)
    }));
    rows.results.extend(records.iter().map(|record| 1 - i64::from(record.result)));
}

/// Appends the categories of boards of so many pits.
fn widen<const PITS: usize>(categories: &mut Vec<i32>, records: &[Record]) {
    let first: [i32; PITS] = std::array::from_fn(|pit| FEATURES.category(pit, 0) as i32);
    categories.reserve(PITS * records.len());
    for record in records {
        let row: [i32; PITS] = std::array::from_fn(|pit| first[pit] + i32::from(record.counts[pit]));
        categories.extend_from_slice(&row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_lies_in_one_line_of_the_caches() {
        assert_eq!((size_of::<Record>(), align_of::<Record>()), (32, 32));
    }
}
