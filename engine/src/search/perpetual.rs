//! Perpetuals: whether the player to move can draw alone, by going round in circles within one turn of extra moves.
//!
//! A move that earns an extra move never leaves the mover's own row, so the question depends on that row alone, and
//! the answer holds whatever the history: going round, the player either closes the circle or meets an earlier
//! position of the game, and draws both ways (R8). It is asked at every node of a search, so the answers are kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::position::Position;
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// Whether the row of the player to move is known to hold a perpetual: a circle of extra moves, or an endless relay,
/// within reach by extra moves alone. It is then worth at least a draw to that player.
///
/// Exact for rows of up to eight pits with at most 127 seeds. Beyond, `true` is certain and `false` says only
/// that none was found among the first rows looked at; what is found does not depend on what was asked before.
#[must_use]
pub fn holds_perpetual(position: &Position) -> bool {
    let board = position.board();
    let row = board.row(position.to_move());
    let Some(key) = key_of(row) else { return false };
    let memory = memory(row.len());
    match memory.get(key) {
        Some(answer) => answer,
        None if row.len() <= EXACT_WIDTH => Walk::<u64>::new(row.len()).exact(lanes(row) as u64, memory),
        None => {
            let answer = Walk::<u128>::new(row.len()).bounded(lanes(row));
            memory.put(key, answer);
            answer
        }
    }
}

/// Widest row whose graphs of extra moves are walked to their end. They have a few thousand rows at most; those of
/// ten pits have tens of millions.
const EXACT_WIDTH: usize = 8;
/// Rows looked at before a wider row is given up.
const MOST_ROWS: usize = 1000;

/// Seeds of a row, eight bits a pit, the first pit lowest.
fn lanes(row: &[u8]) -> u128 {
    row.iter().rev().fold(0, |lanes, &seeds| lanes << 8 | u128::from(seeds))
}

/// A row as a number below 2⁶³, one to one; `None` for rows with so many seeds that there is none.
fn key_of(row: &[u8]) -> Option<u64> {
    if row.len() <= EXACT_WIDTH {
        // Eight bits a pit with the highest bit free for the answer, here and in every row that extra moves lead to.
        let seeds: u32 = row.iter().map(|&seeds| u32::from(seeds)).sum();
        (seeds <= 127).then(|| lanes(row) as u64)
    } else {
        let fits = row.iter().all(|&seeds| seeds <= 63);
        fits.then(|| row.iter().rev().fold(0, |key, &seeds| key << 6 | u64::from(seeds)))
    }
}

/// Answers kept for rows of one width, shared by all searches. A slot holds a key and, in the highest bit, its
/// answer; a newer key takes the place of an older one. The empty row, key 0 with answer `false`, is what an unused
/// slot says, and is true.
struct Memory {
    slots: Box<[AtomicU64]>,
}

/// Slots of a memory: eight megabytes.
const SLOTS: usize = 1 << 20;
const ANSWER: u64 = 1 << 63;

impl Memory {
    fn slot(&self, key: u64) -> &AtomicU64 {
        // The top bits of a product with an odd constant (Fibonacci hashing: Knuth 1973).
        let hash = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros());
        &self.slots[hash as usize]
    }

    fn get(&self, key: u64) -> Option<bool> {
        // One word holds key and answer, so no order between slots matters.
        let slot = self.slot(key).load(Ordering::Relaxed);
        (slot & !ANSWER == key).then_some(slot & ANSWER != 0)
    }

    fn put(&self, key: u64, answer: bool) {
        self.slot(key).store(key | if answer { ANSWER } else { 0 }, Ordering::Relaxed);
    }
}

fn memory(width: usize) -> &'static Memory {
    static MEMORIES: [OnceLock<Memory>; MAX_WIDTH - MIN_WIDTH + 1] = [const { OnceLock::new() }; 6];
    MEMORIES[width - MIN_WIDTH]
        .get_or_init(|| Memory { slots: std::iter::repeat_with(|| AtomicU64::new(0)).take(SLOTS).collect() })
}

/// A row as an integer of eight bits a pit, in which a lap is one addition.
trait Lanes: Copy + Eq + Ord + std::hash::Hash {
    fn seeds(self, pit: usize) -> usize;
    fn lifted(self, pit: usize) -> Self;
    /// One more seed in each of `count` pits from `first` on.
    fn sown(self, first: usize, count: usize) -> Self;
}

macro_rules! lanes {
    ($integer:ty) => {
        impl Lanes for $integer {
            #[inline]
            fn seeds(self, pit: usize) -> usize {
                (self >> (8 * pit) & 0xff) as usize
            }

            #[inline]
            fn lifted(self, pit: usize) -> Self {
                self & !(0xff << (8 * pit))
            }

            #[inline]
            fn sown(self, first: usize, count: usize) -> Self {
                const ONES: $integer = <$integer>::MAX / 0xff;
                // `count` is at least 1 and the pits are all in the row.
                self + ((ONES >> (<$integer>::BITS as usize - 8 * count)) << (8 * first))
            }
        }
    };
}

lanes!(u64);
lanes!(u128);

/// What an extra move leads to.
enum Extra<R> {
    /// The relay leaves the row: no extra move.
    None,
    /// It goes on for ever: a draw (R9).
    Endless,
    Row(R),
}

/// A walk through the rows that extra moves lead to, depth first.
struct Walk<R> {
    width: usize,
    /// The rows from the first to the present one, each with the next move to try.
    stack: Vec<(R, usize)>,
    /// Rows all of whose extra moves were followed: no circle is in reach of them.
    done: std::collections::HashSet<R>,
}

impl<R: Lanes> Walk<R> {
    fn new(width: usize) -> Walk<R> {
        Walk { width, stack: Vec::new(), done: std::collections::HashSet::new() }
    }

    fn extra(&self, row: R, pit: usize, up: bool) -> Extra<R> {
        let (mut sown, mut at, mut way) = (row, pit, up);
        loop {
            let seeds = sown.seeds(at);
            sown = sown.lifted(at);
            let to = if way {
                if at + seeds >= self.width {
                    return Extra::None;
                }
                sown = sown.sown(at + 1, seeds);
                at + seeds
            } else {
                if seeds > at {
                    return Extra::None;
                }
                sown = sown.sown(at - seeds, seeds);
                at - seeds
            };
            if sown.seeds(to) == 1 {
                return Extra::Row(sown);
            }
            at = to;
            way = !way;
            if at == pit && way == up && sown == row {
                return Extra::Endless;
            }
        }
    }

    /// The next row to look at below the present one; `Err` when the circle is closed.
    fn next(&mut self) -> Result<Option<R>, ()> {
        let width = self.width;
        loop {
            let Some((row, tried)) = self.stack.last_mut() else { return Ok(None) };
            let (row, number) = (*row, *tried);
            if number == 2 * width {
                self.stack.pop();
                self.done.insert(row);
                continue;
            }
            *tried += 1;
            let (pit, up) = (number / 2, number % 2 == 0);
            if row.seeds(pit) < 2 {
                continue;
            }
            match self.extra(row, pit, up) {
                Extra::None => {}
                Extra::Endless => return Err(()),
                Extra::Row(next) if self.stack.iter().any(|&(above, _)| above == next) => return Err(()),
                Extra::Row(next) if self.done.contains(&next) => {}
                Extra::Row(next) => return Ok(Some(next)),
            }
        }
    }

    /// Looks at no more than [`MOST_ROWS`].
    fn bounded(mut self, row: R) -> bool {
        self.stack.push((row, 0));
        for _ in 1..MOST_ROWS {
            match self.next() {
                Err(()) => return true,
                Ok(None) => return false,
                Ok(Some(next)) => self.stack.push((next, 0)),
            }
        }
        false
    }
}

impl Walk<u64> {
    /// Looks at every row there is, and keeps the answer for each: those on the way to a circle reach it, those that
    /// were done do not. Answers kept already are taken as they are.
    fn exact(mut self, row: u64, memory: &Memory) -> bool {
        self.stack.push((row, 0));
        let answer = loop {
            match self.next() {
                Err(()) => break true,
                Ok(None) => break false,
                Ok(Some(next)) => match memory.get(next) {
                    Some(true) => break true,
                    Some(false) => {
                        self.done.insert(next);
                    }
                    None => self.stack.push((next, 0)),
                },
            }
        };
        for &done in &self.done {
            memory.put(done, false);
        }
        for &(above, _) in &self.stack {
            memory.put(above, true);
        }
        answer
    }
}
