//! What a proof search has found out of the positions it met: a table of fixed size.

use crate::rules::{Direction, Move};

/// A proof or disproof number without end.
pub(super) const INFINITE: u32 = (1 << 26) - 1;
/// The greatest number that is one.
pub(super) const MOST: u32 = INFINITE - 1;

/// Proof and disproof number of a position (Allis, van der Meulen & van den Herik 1994): at least so many of the
/// positions that are still open have to be proven, or disproven, to prove or disprove this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// 0 when the position is proven.
    pub(super) proof: u32,
    /// 0 when it is disproven.
    pub(super) disproof: u32,
}

impl Numbers {
    pub(super) const PROVEN: Numbers = Numbers { proof: 0, disproof: INFINITE };
    pub(super) const DISPROVEN: Numbers = Numbers { proof: INFINITE, disproof: 0 };

    /// Whether it is proven, where it is decided.
    #[inline]
    pub(super) const fn verdict(self) -> Option<bool> {
        if self.proof == 0 {
            Some(true)
        } else if self.disproof == 0 {
            Some(false)
        } else {
            None
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    /// Positions looked at to find that, as its logarithm to the base of the fourth root of 2.
    pub(super) work: u8,
    /// The move of the side that a verdict is for.
    pub(super) mv: Option<Move>,
}

/// An entry in sixteen bytes: the position's key; then proof number (26 bits), disproof number (26) with four bits that
/// are not used, or, of a decided position, the move; and the work (8). All zero where there is none.
pub(super) type Slot = [u64; 2];

/// Slots of a bucket: one cache line.
const WAYS: usize = 4;
const NO_MOVE: u8 = 0xff;
const PASS: u8 = 0xfe;

/// The table. What took the least work gives way first.
pub(super) struct Table {
    slots: Vec<Slot>,
    /// The first slot that a cache line begins with.
    first: usize,
    /// Buckets of [`WAYS`] slots: a power of two.
    buckets: usize,
}

impl Entry {
    fn packed(&self) -> u64 {
        let Numbers { proof, disproof } = self.numbers;
        let told = match self.numbers.verdict() {
            None => u64::from(proof) << 34 | u64::from(disproof) << 8,
            Some(proven) => {
                let mv = match self.mv {
                    None => NO_MOVE,
                    Some(Move::Pass) => PASS,
                    Some(Move::Sow { pit, direction }) => pit << 1 | direction as u8,
                };
                let (proof, disproof) = if proven { (0, u64::from(mv)) } else { (u64::from(mv) + 1, 0) };
                // Of the two numbers one is 0, and the other's place holds the move.
                proof << 34 | (disproof + u64::from(proven)) << 8
            }
        };
        told | u64::from(self.work)
    }

    fn unpacked(told: u64) -> Entry {
        let work = told as u8;
        let (proof, disproof) = ((told >> 34) as u32 & INFINITE, (told >> 8) as u32 & INFINITE);
        let mv = |code: u32| match (code - 1) as u8 {
            NO_MOVE => None,
            PASS => Some(Move::Pass),
            code => {
                let direction = if code & 1 == 0 { Direction::Ccw } else { Direction::Cw };
                Some(Move::Sow { pit: code >> 1, direction })
            }
        };
        match (proof, disproof) {
            (0, code) => Entry { numbers: Numbers::PROVEN, work, mv: mv(code) },
            (code, 0) => Entry { numbers: Numbers::DISPROVEN, work, mv: mv(code) },
            (proof, disproof) => Entry { numbers: Numbers { proof, disproof }, work, mv: None },
        }
    }
}

impl Table {
    /// A table of at most `megabytes`, at least one.
    ///
    /// # Errors
    /// Where there is no such memory to be had.
    pub(super) fn new(megabytes: usize) -> Result<Table, std::collections::TryReserveError> {
        let fit = (megabytes.max(1) << 20) / (WAYS * std::mem::size_of::<Slot>());
        let buckets = 1 << fit.ilog2();
        let size = (buckets + 1) * WAYS;
        // Asked for and given back untouched: memory that comes zeroed costs nothing before it is used.
        Vec::<Slot>::new().try_reserve_exact(size)?;
        let slots: Vec<Slot> = vec![[0; 2]; size];
        let first = slots.as_ptr().align_offset(WAYS * std::mem::size_of::<Slot>()).min(WAYS);
        Ok(Table { slots, first, buckets })
    }

    /// The first slot of a key's bucket.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        self.first + (key as usize & (self.buckets - 1)) * WAYS
    }

    /// Something of the place where a key belongs. Whoever reads this of several keys first waits but once for the
    /// memory, and then has all of them at hand.
    #[inline]
    pub(super) fn touch(&self, key: u64) -> u64 {
        self.slots[self.bucket(key)][0]
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let at = self.bucket(key);
        let found = self.slots[at..at + WAYS].iter().find(|slot| slot[0] == key);
        found.map(|&[_, told]| Entry::unpacked(told))
    }

    /// Keeps what was found, in the place of the same position's entry or of that with the least work in its bucket.
    /// `positions` were looked at for it.
    #[inline]
    pub(super) fn put(&mut self, key: u64, numbers: Numbers, positions: u64, mv: Option<Move>) {
        let work = ((positions.max(1) as f64).log2() * 4.0) as u8;
        *self.place(key) = [key, Entry { numbers, work, mv }.packed()];
    }

    /// All that is in the table.
    pub(super) fn entries(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().copied().filter(|slot| slot[0] != 0)
    }

    /// Takes over an entry of another table, unless something that took more work is in its place.
    pub(super) fn take_over(&mut self, slot: Slot) {
        let place = self.place(slot[0]);
        if place[0] == 0 || slot[1] as u8 >= place[1] as u8 {
            *place = slot;
        }
    }

    /// Where the entry of a key belongs.
    #[inline]
    fn place(&mut self, key: u64) -> &mut Slot {
        let at = self.bucket(key);
        let bucket = &mut self.slots[at..at + WAYS];
        let worth = |slot: &Slot| match slot[0] {
            same if same == key => -2,
            0 => -1,
            _ => i32::from(slot[1] as u8),
        };
        bucket.iter_mut().min_by_key(|slot| worth(slot)).expect("a bucket has slots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again() {
        let numbers = [
            Numbers { proof: 1, disproof: 1 },
            Numbers { proof: MOST, disproof: 7 },
            Numbers { proof: 3, disproof: MOST },
            Numbers::PROVEN,
            Numbers::DISPROVEN,
        ];
        let moves =
            [None, Some(Move::Pass), Some(Move::sow(0, Direction::Ccw)), Some(Move::sow(19, Direction::Cw))];
        let mut table = Table::new(1).unwrap();
        for (i, numbers) in numbers.into_iter().enumerate() {
            for (k, mv) in moves.into_iter().enumerate() {
                let key = 1000 + (i * moves.len() + k) as u64;
                table.put(key, numbers, 1 << (i + k), mv);
                let entry = table.get(key).unwrap();
                assert_eq!((entry.numbers, entry.work), (numbers, 4 * (i + k) as u8));
                assert_eq!(entry.mv, mv.filter(|_| numbers.verdict().is_some()));
            }
        }
        assert_eq!(table.get(1), None);
    }

    #[test]
    fn what_took_the_least_work_gives_way() {
        let mut table = Table::new(1).unwrap();
        let apart = table.buckets as u64;
        for i in 1..=5 {
            table.put(1 + i * apart, Numbers::PROVEN, 100 * i, None);
        }
        assert_eq!(table.get(1 + apart), None);
        assert!((2..=5).all(|i| table.get(1 + i * apart).is_some()));
    }
}
