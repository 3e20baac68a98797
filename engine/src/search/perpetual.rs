//! Perpetuals: whether the player to move can draw alone, by going round in circles within one turn of extra moves.
//!
//! A move that earns an extra move never leaves the mover's own row, so the question depends on that row alone, and
//! the answer holds whatever the history: going round, the player either closes the circle or meets an earlier
//! position of the game, and draws both ways (R8). It is asked at every node of a search, so the answers are kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rustc_hash::FxHashSet;

use crate::board::Board;
use crate::position::Position;
use crate::rules::{MAX_WIDTH, MIN_WIDTH, Player};

/// Whether the row of the player to move is known to hold a perpetual: a circle of extra moves, or an endless relay,
/// within reach by extra moves alone. It is then worth at least a draw to that player.
///
/// Exact for rows of up to eight pits with at most 127 seeds, and for wider ones with few seeds. Beyond, `true` is
/// certain and `false` says only that none was found among the first rows looked at; what is found does not depend on
/// what was asked before.
#[must_use]
pub fn holds_perpetual(position: &Position) -> bool {
    row_holds_perpetual(position.board(), position.to_move())
}

/// Whether the row of the player to move is tabled and holds a perpetual. It takes a look in most cases; rows with more
/// seeds than are tabled hold one but seldom. [`alpha_beta`](super::alpha_beta) asks no more where its lines end and on
/// their last ply.
#[must_use]
pub fn shows_perpetual(position: &Position) -> bool {
    row_shows_perpetual(position.board(), position.to_move())
}

/// [`shows_perpetual`] of a player's row, whoever is to move.
pub(super) fn row_shows_perpetual(board: &Board, player: Player) -> bool {
    let seeds = board.row_seeds(player) as usize;
    seeds <= TABLED[board.width() - MIN_WIDTH] && row_holds_perpetual(board, player)
}

/// [`holds_perpetual`] of a player's row, whoever is to move: what that player could do if it were their turn now.
fn row_holds_perpetual(board: &Board, player: Player) -> bool {
    let width = board.width();
    let lanes = board.row_lanes(player);
    let seeds = board.row_seeds(player) as usize;
    if width <= NARROW {
        let lanes = lanes as u64;
        if lanes.staying(width).is_empty() {
            return false;
        }
        let memory = memory(width);
        if seeds <= memory.table.most {
            answer(width, lanes, &mut Tabled { width, layer: memory.table.layer(seeds) })
        } else if seeds <= 127 {
            answer(width, lanes, &mut &memory.slots)
        } else {
            false
        }
    } else {
        if lanes.staying(width).is_empty() {
            return false;
        }
        let memory = memory(width);
        if seeds <= memory.table.most {
            return answer(width, lanes, &mut Tabled { width, layer: memory.table.layer(seeds) });
        }
        let Some(key) = key_of(board.row(player)) else { return false };
        memory.slots.get(key).unwrap_or_else(|| {
            let answer = answer(width, lanes, &mut Bounded { looked_at: 0, done: FxHashSet::default() });
            memory.slots.put(key, answer);
            answer
        })
    }
}

/// Widest row that fits 64 bits. Graphs of extra moves of such rows are walked to their end: they have a few thousand
/// rows at most; those of ten pits can have tens of millions.
const NARROW: usize = 8;
/// Rows looked at before a wider row with many seeds is given up.
const MOST_ROWS: usize = 1000;
/// For each width the most seeds of rows that are tabled, so that a table takes two or three megabytes at most.
const TABLED: [usize; MAX_WIDTH - MIN_WIDTH + 1] = [40, 32, 28, 24, 20, 18];

/// A wide row as a number below 2⁶³, one to one; `None` for rows with so many seeds that there is none.
fn key_of(row: &[u8]) -> Option<u64> {
    let fits = row.iter().all(|&seeds| seeds <= 63);
    fits.then(|| row.iter().rev().fold(0, |key, &seeds| key << 6 | u64::from(seeds)))
}

/// What is known of the rows of one width, shared by all searches.
struct Memory {
    table: Table,
    slots: Slots,
}

fn memory(width: usize) -> &'static Memory {
    static MEMORIES: [OnceLock<Memory>; MAX_WIDTH - MIN_WIDTH + 1] = [const { OnceLock::new() }; 6];
    MEMORIES[width - MIN_WIDTH].get_or_init(|| Memory { table: Table::new(width), slots: Slots::new() })
}

/// `CHOOSE[k][n]`: ways to choose `k` of `n`, as far as it fits, which is further than rows that are tabled go.
static CHOOSE: [[u32; 48]; MAX_WIDTH + 1] = {
    let mut choose = [[0_u32; 48]; MAX_WIDTH + 1];
    let mut n = 0;
    while n < 48 {
        choose[0][n] = 1;
        let mut k = 1;
        while k <= MAX_WIDTH {
            choose[k][n] = if n == 0 { 0 } else { choose[k - 1][n - 1].saturating_add(choose[k][n - 1]) };
            k += 1;
        }
        n += 1;
    }
    choose
};

/// An answer for every row of one width with few seeds, filled as needed: two bits a row, rows with the same number
/// of seeds side by side, so that what one walk needs lies close together.
struct Table {
    most: usize,
    /// For each number of seeds the byte where its rows begin.
    starts: Vec<usize>,
    /// Four rows a byte: 0 unknown, 1 no perpetual, 2 a perpetual.
    states: Box<[AtomicU8]>,
}

impl Table {
    fn new(width: usize) -> Table {
        let most = TABLED[width - MIN_WIDTH];
        let mut starts = vec![0];
        for seeds in 0..=most {
            let rows = CHOOSE[width - 1][seeds + width - 1] as usize;
            starts.push(starts[seeds] + rows.div_ceil(4));
        }
        let states = std::iter::repeat_with(|| AtomicU8::new(0)).take(starts[most + 1]).collect();
        Table { most, starts, states }
    }

    fn layer(&self, seeds: usize) -> Layer<'_> {
        Layer(&self.states[self.starts[seeds]..self.starts[seeds + 1]])
    }
}

/// The rows of a table with the same number of seeds.
#[derive(Clone, Copy)]
struct Layer<'a>(&'a [AtomicU8]);

impl Layer<'_> {
    fn get(self, rank: usize) -> Option<bool> {
        // Each state is told by its own two bits, so no order between bytes matters.
        match self.0[rank / 4].load(Ordering::Relaxed) >> (rank % 4 * 2) & 3 {
            0 => None,
            state => Some(state == 2),
        }
    }

    fn put(self, rank: usize, answer: bool) {
        let state = if answer { 2 } else { 1 };
        let byte = &self.0[rank / 4];
        // Another thread's answer for a neighbour, written between these two, is lost, and found again when it is asked
        // for.
        byte.store(byte.load(Ordering::Relaxed) | state << (rank % 4 * 2), Ordering::Relaxed);
    }
}

/// Answers for rows that are not tabled. A slot holds a key and, in the highest bit, its answer; a newer key takes
/// the place of an older one. Key 0 with answer `false`, which an unused slot says, is true of the empty row.
struct Slots(Box<[AtomicU64]>);

/// Slots for a width: half a megabyte.
const SLOTS: usize = 1 << 16;
const ANSWER: u64 = 1 << 63;

impl Slots {
    fn new() -> Slots {
        Slots(std::iter::repeat_with(|| AtomicU64::new(0)).take(SLOTS).collect())
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        // The top bits of a product with an odd constant (Fibonacci hashing: Knuth 1973).
        let hash = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros());
        &self.0[hash as usize]
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

/// A row as an integer of eight bits a pit, in which a lap is one addition.
trait Lanes: Copy + Eq + Ord + std::hash::Hash {
    fn seeds(self, pit: usize) -> usize;
    fn lifted(self, pit: usize) -> Self;
    /// One more seed in each of `count` pits from `first` on.
    fn sown(self, first: usize, count: usize) -> Self;
    /// The moves whose first lap stays in a row of `width` pits.
    fn staying(self, width: usize) -> Moves<Self>;
    /// Takes one move from a set: its pit, and whether it goes up. `None` where there is none.
    fn take(moves: &mut Moves<Self>) -> Option<(usize, bool)>;
    /// The row's number among those of `width` pits with as many seeds (combinatorial number system: Lehmer 1964):
    /// the ends of the pits in a line of seeds and dividers, taken as a choice of places.
    fn rank(self, width: usize) -> usize;
}

/// A set of moves: of each pit's eight bits the highest stands for the move up, the next one for that down.
#[derive(Clone, Copy)]
struct Moves<R>(R);

impl<R: Default + PartialEq> Moves<R> {
    fn is_empty(&self) -> bool {
        self.0 == R::default()
    }
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

            #[inline]
            fn staying(self, width: usize) -> Moves<Self> {
                const ONES: $integer = <$integer>::MAX / 0xff;
                const HIGH: $integer = ONES << 7;
                /// For each width, and each pit, how many pits there are above it.
                const ABOVE: [$integer; MAX_WIDTH + 1] = {
                    let mut above = [0; MAX_WIDTH + 1];
                    let mut width = 1;
                    while width <= MAX_WIDTH && width * 8 <= <$integer>::BITS as usize {
                        let mut pit = 0;
                        while pit < width {
                            above[width] |= ((width - 1 - pit) as $integer) << (8 * pit);
                            pit += 1;
                        }
                        width += 1;
                    }
                    above
                };
                /// For each pit how many there are below it.
                const BELOW: $integer = {
                    let mut below = 0;
                    let mut pit = 1;
                    while pit < MAX_WIDTH && pit * 8 < <$integer>::BITS as usize {
                        below |= (pit as $integer) << (8 * pit);
                        pit += 1;
                    }
                    below
                };
                // A byte's highest bit survives the subtraction where no more is taken than is there. Pits of 128
                // seeds and more never stay in the row.
                let low = self & !HIGH;
                let two = (low + (ONES << 7) - 2 * ONES) & HIGH & !self;
                let up = ((ABOVE[width] | HIGH) - low) & two;
                let down = ((BELOW | HIGH) - low) & two;
                Moves(up | down >> 1)
            }

            #[inline]
            fn take(moves: &mut Moves<Self>) -> Option<(usize, bool)> {
                if moves.0 == 0 {
                    return None;
                }
                let bit = moves.0.trailing_zeros() as usize;
                moves.0 &= moves.0 - 1;
                Some((bit / 8, bit % 8 == 7))
            }

            #[inline]
            fn rank(self, width: usize) -> usize {
                const ONES: $integer = <$integer>::MAX / 0xff;
                // Byte `i` of the product is the sum of the first `i + 1` pits: rows ranked have at most 40 seeds.
                let ends = self.wrapping_mul(ONES);
                let choose = |i: usize| CHOOSE[i + 1][(ends >> (8 * i) & 0xff) as usize + i] as usize;
                (0..width - 1).map(choose).sum()
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

/// Sows a pit of a row of `width` pits, to higher pits first or to lower ones; the first lap stays in the row.
#[inline]
fn extra<R: Lanes>(width: usize, row: R, pit: usize, up: bool) -> Extra<R> {
    let (mut sown, mut at, mut way) = (row, pit, up);
    loop {
        let seeds = sown.seeds(at);
        // A lap stays in the row where this is one of its pits; below 0 it wraps to far beyond them.
        let to = if way { at + seeds } else { at.wrapping_sub(seeds) };
        if to >= width {
            return Extra::None;
        }
        let first = if way { at + 1 } else { to };
        sown = sown.lifted(at).sown(first, seeds);
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

/// What is known of the rows that a walk comes to.
trait Known<R> {
    fn get(&self, row: R) -> Option<bool>;
    fn put(&mut self, row: R, answer: bool);
    /// Whether one more row may be looked at.
    fn may_go_on(&mut self) -> bool {
        true
    }
}

/// The rows of one number of seeds, all of them tabled.
struct Tabled<'a> {
    width: usize,
    layer: Layer<'a>,
}

impl<R: Lanes> Known<R> for Tabled<'_> {
    #[inline]
    fn get(&self, row: R) -> Option<bool> {
        self.layer.get(row.rank(self.width))
    }

    #[inline]
    fn put(&mut self, row: R, answer: bool) {
        self.layer.put(row.rank(self.width), answer);
    }
}

impl Known<u64> for &Slots {
    #[inline]
    fn get(&self, row: u64) -> Option<bool> {
        Slots::get(self, row)
    }

    #[inline]
    fn put(&mut self, row: u64, answer: bool) {
        Slots::put(self, row, answer);
    }
}

/// Nothing but the rows of this walk, of which no more than [`MOST_ROWS`] are looked at.
struct Bounded<R> {
    looked_at: usize,
    done: FxHashSet<R>,
}

impl<R: Lanes> Known<R> for Bounded<R> {
    fn get(&self, row: R) -> Option<bool> {
        self.done.contains(&row).then_some(false)
    }

    fn put(&mut self, row: R, answer: bool) {
        if !answer {
            self.done.insert(row);
        }
    }

    fn may_go_on(&mut self) -> bool {
        self.looked_at += 1;
        self.looked_at <= MOST_ROWS
    }
}

/// Whether a circle of extra moves or an endless relay is within reach of a row: known, or found by a walk through all
/// the rows that extra moves lead to, depth first. Those that are done reach none, those on the way to one do.
fn answer<R: Lanes>(width: usize, row: R, known: &mut impl Known<R>) -> bool {
    known.get(row).unwrap_or_else(|| {
        Walk { width, way: Vec::with_capacity(32), open: Vec::with_capacity(64) }.run(row, known)
    })
}

struct Walk<R> {
    width: usize,
    /// The rows from the first to the present one, and where the rows begin that are open below each.
    way: Vec<(R, usize)>,
    /// Rows still to be looked at.
    open: Vec<R>,
}

impl<R: Lanes> Walk<R> {
    fn run(mut self, first: R, known: &mut impl Known<R>) -> bool {
        let mut found = known.may_go_on() && self.enter(first, known);
        while let (false, Some(&(row, begin))) = (found, self.way.last()) {
            if self.open.len() == begin {
                known.put(row, false);
                self.way.pop();
                continue;
            }
            let next = self.open.pop().expect("there are more than the rows above had");
            // It may have become known since.
            found = match known.get(next) {
                Some(answer) => answer,
                None if known.may_go_on() => self.enter(next, known),
                None => return false,
            };
        }
        for &(row, _) in &self.way {
            known.put(row, true);
        }
        found
    }

    /// Goes on to a row: opens the rows that its extra moves lead to and of which nothing is known. Tells whether a
    /// circle is already in reach. All are looked up before the first is gone on to, so that no look waits for another.
    #[inline]
    fn enter(&mut self, row: R, known: &impl Known<R>) -> bool {
        self.way.push((row, self.open.len()));
        let mut moves = row.staying(self.width);
        while let Some((pit, up)) = R::take(&mut moves) {
            match extra(self.width, row, pit, up) {
                Extra::None => {}
                Extra::Endless => return true,
                Extra::Row(next) => match known.get(next) {
                    Some(true) => return true,
                    Some(false) => {}
                    None if self.way.iter().any(|&(met, _)| met == next) => return true,
                    None => self.open.push(next),
                },
            }
        }
        false
    }
}
