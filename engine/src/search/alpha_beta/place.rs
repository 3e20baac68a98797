//! Positions on the way to the one being searched, with what the table knows them by.

use crate::position::Position;

/// A position on the path.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) key: u64,
    /// The keys of the positions since the last capture, this one included, mixed and added up: a set of them, for none
    /// occurs twice.
    set: u64,
    pub(super) position: Position,
}

impl Place {
    /// The place after `before`, or the first since a capture.
    pub(super) fn after(before: Option<&Place>, key: u64, position: Position) -> Place {
        // The finalizer of SplitMix64 (Steele, Lea & Flood 2014).
        let mut mixed = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        Place { key, set: before.map_or(0, |before| before.set).wrapping_add(mixed), position }
    }

    /// What stands in the table for the position with the positions since the last capture.
    pub(super) fn table_key(&self) -> u64 {
        self.key ^ self.set.rotate_left(32)
    }
}
