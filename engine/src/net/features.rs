//! Feature sets: what the network sees of a position.

use crate::position::Position;
use crate::rules::MAX_PITS;

/// A way to turn a position into numbers. Each has an id that stands in the weights file; a changed way gets a new id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// `pits24-lead`: for each pit the seed count as a category, 0 … 22 and "23 or more"; and the lead.
    ///
    /// The board is turned so that the player to move owns pits `0 … W-1`. Index of a category:
    /// `24 · pit + min(seeds, 23)`. The lead is the mover's pile minus the opponent's, divided by [`LEAD_UNIT`].
    Pits24Lead,
}

/// Categories of a pit's seed count in [`FeatureSet::Pits24Lead`].
pub const COUNTS: usize = 24;
/// Seeds of lead that make 1.0 in [`FeatureSet::Pits24Lead`].
pub const LEAD_UNIT: f32 = 16.0;

impl FeatureSet {
    /// Every feature set.
    pub const ALL: [FeatureSet; 1] = [FeatureSet::Pits24Lead];

    /// The id in the weights file.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            FeatureSet::Pits24Lead => "pits24-lead",
        }
    }

    /// The feature set of an id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<FeatureSet> {
        FeatureSet::ALL.into_iter().find(|set| set.id() == id)
    }

    /// Categories in all, on boards with rows of `width` pits: rows of the first layer's table.
    #[must_use]
    pub const fn categories(self, width: usize) -> usize {
        match self {
            FeatureSet::Pits24Lead => 2 * width * COUNTS,
        }
    }

    /// Calls `active` with the index of every category that holds (one a pit, `2W` in all, ascending) and returns
    /// the lead feature.
    pub fn encode(self, position: &Position, mut active: impl FnMut(usize)) -> f32 {
        let pits = position.board().pits();
        let first = position.to_move().first_pit(position.width());
        let turned = pits[first..].iter().chain(&pits[..first]);
        for (pit, &seeds) in turned.enumerate() {
            active(COUNTS * pit + usize::from(seeds).min(COUNTS - 1));
        }
        position.lead() as f32 / LEAD_UNIT
    }

    /// The same as [`encode`](Self::encode) in few bytes: for each of the first `2W` pits, from the first of the player
    /// to move, which of its categories holds (see [`category`](Self::category)), and the lead feature. What stands
    /// behind them means nothing.
    #[must_use]
    pub fn encode_small(self, position: &Position) -> ([u8; MAX_PITS], f32) {
        let pits = position.board().all();
        let around = 2 * position.width();
        // Twice round the ring, so that there is no end before the last pit. Copies of a length that is known.
        let mut twice = [0; 3 * MAX_PITS];
        twice[..MAX_PITS].copy_from_slice(pits);
        twice[around..around + MAX_PITS].copy_from_slice(pits);
        let first = position.to_move().first_pit(position.width());
        let turned: [u8; MAX_PITS] = twice[first..first + MAX_PITS].try_into().expect("as many");
        (turned.map(|seeds| seeds.min(COUNTS as u8 - 1)), position.lead() as f32 / LEAD_UNIT)
    }

    /// The category of a pit, counted from the first of the player to move, that is number `count` of its own.
    #[must_use]
    pub const fn category(self, pit: usize, count: usize) -> usize {
        match self {
            FeatureSet::Pits24Lead => COUNTS * pit + count,
        }
    }

    /// The category that holds in the mirrored position where `category` holds, on boards with rows of `width` pits.
    /// The lead is the same.
    #[must_use]
    pub const fn mirrored(self, category: usize, width: usize) -> usize {
        match self {
            FeatureSet::Pits24Lead => {
                let (pit, count) = (category / COUNTS, category % COUNTS);
                let ends = if pit < width { width - 1 } else { 3 * width - 1 };
                COUNTS * (ends - pit) + count
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;
    use crate::rng::{game_rng, random_move};

    #[test]
    fn mirrored_categories_are_those_of_the_mirrored_position() {
        for variant in Variant::all() {
            let (width, mut position) = (variant.width(), Position::start(variant));
            let mut rng = game_rng(1, 0);
            for _ in 0..100 {
                let Some(mv) = random_move(&position, &mut rng) else { break };
                position = position.step(mv).position;
                for features in FeatureSet::ALL {
                    let categories = |position: &Position| {
                        let mut categories = Vec::new();
                        let lead = features.encode(position, |category| categories.push(category));
                        (categories, lead)
                    };
                    let (mut turned, lead) = categories(&position);
                    turned.iter_mut().for_each(|category| *category = features.mirrored(*category, width));
                    turned.sort_unstable();
                    assert_eq!((turned, lead), categories(&position.mirrored()), "{position}");
                    let (small, lead) = features.encode_small(&position);
                    let small = (0..2 * width).map(|pit| features.category(pit, small[pit].into()));
                    assert_eq!((small.collect(), lead), categories(&position), "{position}");
                }
            }
        }
    }
}
