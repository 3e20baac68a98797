//! Every way of laying seeds into pits has a number of its own, without gaps.
//!
//! A board of `k` pits is the combination of the places of `k - 1` bars among seeds and bars, and its number is that
//! combination's in the combinatorial number system (D. H. Lehmer, 1964): with `s(i)` the seeds in pits `0 … i`, the sum
//! of the binomials `C(s(i) + i, i + 1)` for `i` from 0 to `k - 2`. It needs no word about how many seeds there are in
//! all, and the boards of `n` seeds are numbered from 0 to `C(n + k - 1, k - 1) - 1`.

use crate::rules::MAX_PITS;

/// Most seeds on a board that has a number here.
pub const MOST_SEEDS: usize = 60;

/// Numbers of the boards with rows of some width, seen by the player to move: their own pits first, in ring order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    width: usize,
    /// For each pit but the last, by the seeds up to it, what it adds to the number.
    terms: Vec<[u64; MOST_SEEDS + 1]>,
}

impl Index {
    /// For boards with rows of `width` pits.
    #[must_use]
    pub fn new(width: usize) -> Index {
        let terms = (0..2 * width as u64 - 1)
            .map(|pit| std::array::from_fn(|seeds| binomial(seeds as u64 + pit, pit + 1)))
            .collect();
        Index { width, terms }
    }

    /// Pits in a row.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// How many boards of so many seeds there are.
    #[must_use]
    pub fn boards(&self, seeds: usize) -> u64 {
        boards(self.width, seeds)
    }

    /// The number of a board among those with as many seeds, at most [`MOST_SEEDS`]; `pits` are all its pits, those of
    /// the player to move first.
    #[inline]
    #[must_use]
    pub fn number(&self, pits: &[u8]) -> u64 {
        self.sum(pits.iter().copied())
    }

    /// The number of the same board seen from the other side: the two rows of `pits` change places.
    #[inline]
    #[must_use]
    pub fn number_turned(&self, pits: &[u8]) -> u64 {
        let (first, second) = pits.split_at(self.width);
        self.sum(second.iter().chain(first).copied())
    }

    #[inline]
    fn sum(&self, pits: impl Iterator<Item = u8>) -> u64 {
        let mut seeds = 0;
        let mut number = 0;
        for (terms, pit) in self.terms.iter().zip(pits) {
            seeds += usize::from(pit);
            number += terms[seeds];
        }
        number
    }

    /// The board of a number among those with so many seeds: pits of the player to move first, zeros beyond the board.
    #[must_use]
    pub fn board(&self, seeds: usize, number: u64) -> [u8; MAX_PITS] {
        let mut pits = [0; MAX_PITS];
        let mut rest = number;
        let mut above = seeds;
        for (pit, terms) in self.terms.iter().enumerate().rev() {
            let mut upto = above;
            while terms[upto] > rest {
                upto -= 1;
            }
            rest -= terms[upto];
            pits[pit + 1] = (above - upto) as u8;
            above = upto;
        }
        pits[0] = above as u8;
        pits
    }

    /// Turns the board of a number into that of the next one with as many seeds; `false`, and nothing done, at the last.
    #[inline]
    pub fn advance(&self, pits: &mut [u8; MAX_PITS]) -> bool {
        let Some(at) = (1..2 * self.width).find(|&pit| pits[pit] > 0) else { return false };
        let gathered = std::mem::take(&mut pits[0]);
        pits[at] -= 1;
        pits[at - 1] = gathered + 1;
        true
    }
}

/// How many boards of so many seeds, at most [`MOST_SEEDS`], there are with rows of `width` pits.
#[must_use]
pub fn boards(width: usize, seeds: usize) -> u64 {
    let pits = 2 * width as u64;
    binomial(seeds as u64 + pits - 1, pits - 1)
}

/// In how many ways `chosen` of `all` can be chosen, `all` below 80.
fn binomial(all: u64, chosen: u64) -> u64 {
    if chosen > all {
        return 0;
    }
    let mut product: u128 = 1;
    for i in 0..u128::from(chosen.min(all - chosen)) {
        product = product * (u128::from(all) - i) / (i + 1);
    }
    product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MAX_WIDTH, MIN_WIDTH};

    #[test]
    fn boards_and_numbers_belong_together_one_to_one() {
        for width in MIN_WIDTH..=MAX_WIDTH {
            let index = Index::new(width);
            for seeds in 0..=4 {
                let mut pits = index.board(seeds, 0);
                let mut number = 0;
                loop {
                    assert_eq!(pits.iter().map(|&pit| usize::from(pit)).sum::<usize>(), seeds);
                    assert_eq!(index.number(&pits[..2 * width]), number);
                    assert_eq!(index.board(seeds, number), pits);
                    let mut turned = pits;
                    turned[..2 * width].rotate_left(width);
                    assert_eq!(index.number_turned(&pits[..2 * width]), index.number(&turned[..2 * width]));
                    if !index.advance(&mut pits) {
                        break;
                    }
                    number += 1;
                }
                assert_eq!(number + 1, index.boards(seeds));
            }
        }
    }

    #[test]
    fn full_boards_keep_their_numbers_too() {
        for width in [MIN_WIDTH, MAX_WIDTH] {
            let index = Index::new(width);
            let last = index.boards(MOST_SEEDS) - 1;
            for number in [0, 1, last / 3, last / 2, last - 1, last] {
                let pits = index.board(MOST_SEEDS, number);
                assert_eq!(index.number(&pits[..2 * width]), number);
            }
        }
    }

    #[test]
    fn boards_are_counted() {
        assert_eq!(boards(5, 24), 38_567_100);
        assert_eq!(boards(8, 12), 17_383_860);
        assert_eq!(boards(10, 0), 1);
        assert_eq!(binomial(3, 4), 0);
        assert_eq!(binomial(79, 19), 883_829_035_553_043_580);
    }
}
