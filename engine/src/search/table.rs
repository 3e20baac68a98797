//! The transposition table: what is known of positions that a search has met before.

use super::Score;
use crate::position::Position;
use crate::rules::{Direction, Move};

/// A 64-bit key of a position: pits, piles and the player to move. That two positions have the same key is left to
/// chance (2⁻⁶⁴ a pair).
#[inline]
pub(crate) fn key_of(position: &Position) -> u64 {
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
    Lower,
    Upper,
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// For the player to move; proven scores count plies from this position.
    pub(super) score: Score,
    /// The best move found.
    pub(super) mv: Option<Move>,
    /// Plies searched, at most 255.
    pub(super) depth: u32,
    pub(super) bound: Bound,
    /// Whether the search below judged no position, so that no deeper one can change the score.
    pub(super) is_final: bool,
}

/// An entry in sixteen bytes: its position's key, then score (32 bits), move (8), depth (8), the number of the search
/// that found it (8), bound (2) and finality (1). All zero where there is none, so that a table comes from the system
/// as it is and costs nothing before it is used.
type Slot = [u64; 2];

const EMPTY: Slot = [0, 0];
const NO_MOVE: u8 = 0xff;
const PASS: u8 = 0xfe;

impl Entry {
    fn packed(&self, key: u64, age: u8) -> Slot {
        let mv = match self.mv {
            None => NO_MOVE,
            Some(Move::Pass) => PASS,
            Some(Move::Sow { pit, direction }) => pit << 1 | direction as u8,
        };
        let bytes = [mv, self.depth.min(255) as u8, age, self.bound as u8 | (self.is_final as u8) << 2];
        [key, u64::from(self.score.bits()) << 32 | u64::from(u32::from_le_bytes(bytes))]
    }

    fn unpacked([_, told]: Slot) -> Entry {
        let [mv, depth, _, rests] = (told as u32).to_le_bytes();
        let mv = match mv {
            NO_MOVE => None,
            PASS => Some(Move::Pass),
            code => {
                let direction = if code & 1 == 0 { Direction::Ccw } else { Direction::Cw };
                Some(Move::Sow { pit: code >> 1, direction })
            }
        };
        Entry {
            score: Score::from_bits((told >> 32) as u32),
            mv,
            depth: depth.into(),
            bound: [Bound::Lower, Bound::Upper, Bound::Exact][usize::from(rests & 3)],
            is_final: rests & 4 != 0,
        }
    }
}

/// A table of fixed greatest size. It starts small and grows with the searches it serves, so that shallow ones, of
/// which self-play makes millions, do not pay for memory that they never touch. A table that has grown takes over what
/// was in the old one by and by, so that no single entry has to wait for it.
pub(super) struct Table {
    /// Buckets of [`WAYS`] slots; their number is a power of two, or 0 for a table that keeps nothing.
    slots: Vec<Slot>,
    /// What is left of the table before it grew: the first of its slots.
    old: Vec<Slot>,
    /// How many there were.
    old_size: usize,
    most: usize,
    used: usize,
    /// The number of the present search, modulo 256.
    age: u8,
}

/// Slots of a bucket: one cache line.
const WAYS: usize = 4;
/// Slots at the start: 64 kilobytes.
const FEWEST: usize = 1 << 12;
/// Buckets taken over from the old table with each entry that is put: all of them long before the table grows again.
const TAKEN_OVER: usize = 4;
/// Slots of the old table after which it gives memory back: four megabytes.
const GIVEN_BACK: usize = 1 << 18;
/// Plies that an entry's worth loses with each search.
const AGEING: i32 = 2;

/// Whether so much memory is to be had. What is asked for is given back untouched: only then can memory that comes
/// zeroed, and costs nothing before it is used, be asked for without fear.
fn may_allocate(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// The place of a key's bucket in a table of so many slots.
#[inline]
fn bucket(key: u64, size: usize) -> usize {
    (key as usize & (size / WAYS - 1)) * WAYS
}

impl Table {
    /// A table of at most `megabytes`; of none, it keeps nothing.
    pub(super) fn new(megabytes: usize) -> Table {
        let fit = (megabytes << 20) / std::mem::size_of::<Slot>();
        let most = if fit == 0 { 0 } else { 1 << fit.ilog2() };
        let slots = vec![EMPTY; FEWEST.min(most)];
        Table { slots, old: Vec::new(), old_size: 0, most, used: 0, age: 0 }
    }

    /// Begins a search: what earlier ones found gives way before what this one finds.
    pub(super) fn begin(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        if self.slots.is_empty() {
            return None;
        }
        let at = bucket(key, self.slots.len());
        let found = self.slots[at..at + WAYS].iter().find(|slot| slot[0] == key);
        found.or_else(|| self.get_old(key)).copied().map(Entry::unpacked)
    }

    fn get_old(&self, key: u64) -> Option<&Slot> {
        if self.old.is_empty() {
            return None;
        }
        let at = bucket(key, self.old_size);
        self.old.get(at..at + WAYS)?.iter().find(|slot| slot[0] == key)
    }

    /// Keeps what was found of the position of a key: in the place of an older finding of the same position, else of
    /// the least worth in its bucket, which is the shallowest, each search gone by since taking some plies from it.
    #[inline]
    pub(super) fn put(&mut self, key: u64, entry: &Entry) {
        if self.slots.is_empty() {
            return;
        }
        if !self.old.is_empty() {
            self.take_over();
        } else if self.used > self.slots.len() / 4 * 3 && self.slots.len() < self.most {
            self.grow();
        }
        self.keep(entry.packed(key, self.age), true);
    }

    /// Puts a slot into its bucket; one that is not `newer` does not take the place of the same position's.
    fn keep(&mut self, slot: Slot, newer: bool) {
        let at = bucket(slot[0], self.slots.len());
        let bucket = &mut self.slots[at..at + WAYS];
        let worth = |other: &Slot| match other[0] {
            key if key == slot[0] => i32::MIN,
            0 => i32::MIN + 1,
            _ => {
                let [_, depth, age, _] = (other[1] as u32).to_le_bytes();
                i32::from(depth) - AGEING * i32::from(self.age.wrapping_sub(age))
            }
        };
        let place = bucket.iter_mut().min_by_key(|slot| worth(slot)).expect("a bucket has slots");
        if newer || place[0] != slot[0] {
            self.used += usize::from(place[0] == 0);
            *place = slot;
        }
    }

    /// Where the system has no more memory to give, the table stays as it is.
    fn grow(&mut self) {
        let size = (self.slots.len() * 4).min(self.most);
        let bytes = size * std::mem::size_of::<Slot>();
        let Some(slots) = may_allocate(bytes).then(|| vec![EMPTY; size]) else {
            self.most = self.slots.len();
            return;
        };
        self.old_size = self.slots.len();
        self.old = std::mem::replace(&mut self.slots, slots);
        self.used = 0;
    }

    /// Takes over a few of the old table's buckets, the last first.
    fn take_over(&mut self) {
        for _ in 0..TAKEN_OVER * WAYS {
            match self.old.pop() {
                Some(EMPTY) => {}
                Some(slot) => self.keep(slot, false),
                None => break,
            }
        }
        if self.old.len().is_multiple_of(GIVEN_BACK) {
            self.old.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> Entry {
        let mv = match number % 3 {
            0 => None,
            1 => Some(Move::Pass),
            _ => Some(Move::sow(number as usize % 20, Direction::BOTH[number as usize % 2])),
        };
        Entry {
            score: if number.is_multiple_of(2) {
                Score::win_in(number as u32 % 100)
            } else {
                Score::loss_in(3)
            },
            mv,
            depth: number as u32 % 50,
            bound: [Bound::Lower, Bound::Upper, Bound::Exact][number as usize % 3],
            is_final: number.is_multiple_of(5),
        }
    }

    fn key(number: u64) -> u64 {
        (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// While there is room, nothing is lost, whatever the table grows by meanwhile.
    #[test]
    fn what_was_put_is_there_while_the_table_grows() {
        let mut table = Table::new(64);
        let numbers = 1_000_000;
        let mut lost = 0;
        for number in 0..numbers {
            table.put(key(number), &entry(number));
            assert_eq!(table.get(key(number)), Some(entry(number)), "{number}");
            let earlier = number / 2;
            match table.get(key(earlier)) {
                Some(found) => assert_eq!(found, entry(earlier), "{earlier} after {number}"),
                None => lost += 1,
            }
        }
        assert!(table.slots.len() > 100 * FEWEST, "{} slots", table.slots.len());
        // Buckets that are full lose some.
        assert!(lost < numbers / 5, "{lost} of {numbers} lost");
    }

    #[test]
    fn a_table_keeps_within_its_size() {
        for megabytes in [0, 1, 3, 16] {
            let mut table = Table::new(megabytes);
            for number in 0..2_000_000 {
                table.put(key(number), &entry(number));
            }
            assert!(table.slots.len() * 16 <= megabytes << 20, "{megabytes}: {} slots", table.slots.len());
            assert!(table.old.is_empty());
            assert_eq!(table.get(key(1_999_999)).is_some(), megabytes > 0);
        }
    }

    #[test]
    fn newer_searches_take_the_place_of_older_ones() {
        let deep = Entry { depth: 20, ..entry(1) };
        let shallow = Entry { depth: 1, ..entry(2) };
        let mut table = Table::new(1);
        // So many that every bucket is full of deep ones.
        for number in 0..1_000_000 {
            table.put(key(number), &deep);
        }
        table.put(key(1_000_001), &shallow);
        table.put(key(1_000_001 + (1 << 40)), &shallow);
        for _ in 0..12 {
            table.begin();
        }
        let kept = |table: &Table| (0..1_000_000).filter(|&number| table.get(key(number)).is_some()).count();
        let before = kept(&table);
        for number in 2_000_000..2_100_000 {
            table.put(key(number), &shallow);
        }
        assert!(kept(&table) < before - 50_000, "{before}, then {}", kept(&table));
    }
}
