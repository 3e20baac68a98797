//! The transposition table: what is known of positions that a search has met before.

use super::Score;
use crate::position::Position;
use crate::rules::{Direction, Move};

/// A 64-bit key of a position: pits, piles and the player to move. That two positions have the same key is left to
/// chance (2⁻⁶⁴ a pair).
#[inline]
pub(super) fn key_of(position: &Position) -> u64 {
    // Folded multiplication (wyhash: Wang Yi 2019): both halves of the product count.
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64
    };
    let [a, b, c] = position.words();
    mix(mix(a ^ 0x2d35_8dcc_aa6c_78a5, b ^ 0x8bb8_4b93_962e_acc9) ^ c, 0x4b33_a62e_d433_d4a3)
}

/// What a stored score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing: only the move is of use.
    None,
    Lower,
    Upper,
    Exact,
}

/// What is known of a position: sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    /// For the player to move; proven scores count plies from this position.
    pub(super) score: Score,
    /// The best move, or [`NO_MOVE`].
    mv: u8,
    /// Plies searched.
    pub(super) depth: u8,
    pub(super) bound: Bound,
    /// Whether the search below judged no position, so that no deeper one can change the score.
    pub(super) is_final: bool,
}

const NO_MOVE: u8 = 0xff;
const PASS: u8 = 0xfe;

fn code_of(mv: Option<Move>) -> u8 {
    match mv {
        None => NO_MOVE,
        Some(Move::Pass) => PASS,
        Some(Move::Sow { pit, direction }) => pit << 1 | direction as u8,
    }
}

impl Entry {
    const EMPTY: Entry =
        Entry { key: 0, score: Score::DRAW, mv: NO_MOVE, depth: 0, bound: Bound::None, is_final: false };

    pub(super) fn new(
        key: u64,
        score: Score,
        mv: Option<Move>,
        depth: u32,
        bound: Bound,
        is_final: bool,
    ) -> Entry {
        Entry { key, score, mv: code_of(mv), depth: depth.min(255) as u8, bound, is_final }
    }

    /// The best move found.
    pub(super) fn mv(&self) -> Option<Move> {
        match self.mv {
            NO_MOVE => None,
            PASS => Some(Move::Pass),
            code => {
                let direction = if code & 1 == 0 { Direction::Ccw } else { Direction::Cw };
                Some(Move::Sow { pit: code >> 1, direction })
            }
        }
    }
}

/// A table of fixed greatest size. It starts small and grows with the searches it serves, so that shallow ones, of
/// which self-play makes millions, do not pay for memory that they never touch.
pub(super) struct Table {
    /// Buckets of [`WAYS`] entries; their number is a power of two, or 0 for a table that keeps nothing.
    entries: Vec<Entry>,
    most: usize,
    used: usize,
}

/// Entries of a bucket: one cache line.
const WAYS: usize = 4;
/// Entries at the start: 64 kilobytes.
const FEWEST: usize = 1 << 12;

impl Table {
    /// A table of at most `megabytes`; of none, it keeps nothing.
    pub(super) fn new(megabytes: usize) -> Table {
        let fit = (megabytes << 20) / std::mem::size_of::<Entry>();
        let most = if fit == 0 { 0 } else { 1 << fit.ilog2() };
        Table { entries: vec![Entry::EMPTY; FEWEST.min(most)], most, used: 0 }
    }

    fn bucket(&self, key: u64) -> usize {
        (key as usize & (self.entries.len() / WAYS - 1)) * WAYS
    }

    pub(super) fn get(&self, key: u64) -> Option<&Entry> {
        if self.entries.is_empty() {
            return None;
        }
        let bucket = self.bucket(key);
        self.entries[bucket..bucket + WAYS].iter().find(|entry| entry.key == key)
    }

    /// Keeps what was found: in the place of an older finding of the same position, else of the shallowest in its
    /// bucket.
    pub(super) fn put(&mut self, entry: Entry) {
        if self.entries.is_empty() {
            return;
        }
        if self.used > self.entries.len() / 4 * 3 && self.entries.len() < self.most {
            self.grow();
        }
        let bucket = self.bucket(entry.key);
        let slots = &mut self.entries[bucket..bucket + WAYS];
        let worth = |slot: &Entry| match slot.key {
            key if key == entry.key => -2,
            0 => -1,
            _ => i32::from(slot.depth),
        };
        let slot = slots.iter_mut().min_by_key(|slot| worth(slot)).expect("a bucket has entries");
        self.used += usize::from(slot.key == 0);
        *slot = entry;
    }

    fn grow(&mut self) {
        let size = (self.entries.len() * 4).min(self.most);
        let old = std::mem::replace(&mut self.entries, vec![Entry::EMPTY; size]);
        self.used = 0;
        for entry in old.into_iter().filter(|entry| entry.key != 0) {
            self.put(entry);
        }
    }
}
