//! Counting distinct positions in bounded memory: exactly while they are few, then by an estimate.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes kept: exact up to here; beyond, the estimate's standard error is one in the root of it, 0.2 %.
const KEPT: usize = 1 << 18;

/// How many different things were met, by the k least of their hashes (Bar-Yossef et al. 2002): spread evenly, they
/// tell by how far they reach how many there are. The count does not depend on the order of things.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    least: BTreeSet<u64>,
    /// Whether more were met than are kept.
    more: bool,
}

impl Distinct {
    pub(crate) fn insert(&mut self, thing: &impl Hash) {
        let mut hasher = DefaultHasher::new();
        thing.hash(&mut hasher);
        self.insert_hash(hasher.finish());
    }

    fn insert_hash(&mut self, hash: u64) {
        if self.least.len() == KEPT {
            let full = self.least.last().is_some_and(|&greatest| greatest < hash);
            if full || self.least.contains(&hash) {
                self.more |= full;
                return;
            }
            self.least.pop_last();
            self.more = true;
        }
        self.least.insert(hash);
    }

    /// Counts in what another one met.
    pub(crate) fn merge(&mut self, other: &Distinct) {
        other.least.iter().for_each(|&hash| self.insert_hash(hash));
        self.more |= other.more;
    }

    /// How many there were, and whether that is exact.
    pub(crate) fn count(&self) -> (u64, bool) {
        match self.least.last() {
            Some(&greatest) if self.more => {
                let reach = greatest as f64 / u64::MAX as f64;
                (((KEPT - 1) as f64 / reach).round() as u64, false)
            }
            _ => (self.least.len() as u64, true),
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
        assert_eq!(distinct.least.len(), KEPT);
    }
}
