//! Counting distinct positions in bounded memory: exactly while they are few, then by an estimate.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Hashes kept: exact up to here; beyond, the estimate's standard error is one in the root of it, 0.2 %.
const KEPT: usize = 1 << 18;
/// Hashes held at most until only the least of them are kept: rarely enough that sorting them costs little.
const HELD: usize = 4 * KEPT;

/// A hash of 64 bits spread evenly, the same in every run of the program.
pub(crate) fn fingerprint(thing: &impl Hash) -> u64 {
    // The finalizer of SplitMix64 (Steele, Lea & Flood 2014): the hasher alone leaves some bits more even than others.
    let hash = FxBuildHasher.hash_one(thing);
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// How many different things were met, by the k least of their hashes (Bar-Yossef et al. 2002): spread evenly, they
/// tell by how far they reach how many there are. The count does not depend on the order of things.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    /// Hashes met, in any order, some more than once; of those left out none is less than any of them.
    held: Vec<u64>,
    /// The greatest of the least hashes, once more were met than are kept; greater ones are left out.
    bound: Option<u64>,
}

impl Distinct {
    /// Counts in a thing.
    pub(crate) fn insert(&mut self, thing: &impl Hash) {
        self.insert_fingerprint(fingerprint(thing));
    }

    /// Counts in a thing with this [`fingerprint`].
    pub(crate) fn insert_fingerprint(&mut self, hash: u64) {
        if self.bound.is_none_or(|bound| hash <= bound) {
            self.held.push(hash);
            if self.held.len() >= HELD {
                self.sift();
            }
        }
    }

    /// Keeps the least hashes, each once and in order.
    fn sift(&mut self) {
        self.held.sort_unstable();
        self.held.dedup();
        if self.held.len() > KEPT {
            self.held.truncate(KEPT);
            self.bound = self.held.last().copied();
        }
    }

    /// Counts in what another one met.
    pub(crate) fn merge(&mut self, other: &Distinct) {
        if let Some(bound) = other.bound {
            // Of what the other one left out, all is greater.
            self.sift();
            self.bound = Some(self.bound.map_or(bound, |own| own.min(bound)));
            self.held.retain(|&hash| self.bound.is_none_or(|bound| hash <= bound));
        }
        other.held.iter().for_each(|&hash| self.insert_fingerprint(hash));
    }

    /// How many there were, and whether that is exact.
    pub(crate) fn count(&self) -> (u64, bool) {
        let mut sifted = self.clone();
        sifted.sift();
        match (sifted.bound, sifted.held.last()) {
            (Some(_), Some(&greatest)) => {
                let reach = greatest as f64 / u64::MAX as f64;
                (((sifted.held.len() - 1) as f64 / reach).round() as u64, false)
            }
            _ => (sifted.held.len() as u64, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_exactly_up_to_what_is_kept() {
        let mut distinct = Distinct::default();
        for thing in (0..KEPT as u64).chain(0..1000) {
            distinct.insert(&thing);
        }
        assert_eq!(distinct.count(), (KEPT as u64, true));
        distinct.insert(&u64::MAX);
        assert!(!distinct.count().1);
    }

    #[test]
    fn parts_merged_count_as_the_whole() {
        for things in [1000_u64, 900_000] {
            let of = |range: std::ops::Range<u64>| {
                let mut distinct = Distinct::default();
                range.for_each(|thing| distinct.insert(&thing));
                distinct
            };
            let mut merged = of(0..things / 2);
            merged.merge(&of(things / 3..things));
            assert_eq!(merged.count(), of(0..things).count());
        }
    }

    #[test]
    fn estimates_beyond_within_a_few_standard_errors() {
        let mut distinct = Distinct::default();
        for thing in (0..2_000_000_u64).chain(0..1000) {
            distinct.insert(&thing);
        }
        let (count, exact) = distinct.count();
        assert!(!exact);
        assert!(count.abs_diff(2_000_000) < 20_000, "{count}");
        assert!((KEPT..HELD).contains(&distinct.held.len()));
    }
}
