//! Rings of at most sixteen pits: one register.

use super::register::{Lanes, Register};
use super::ring::{Ring, added, bit_taking, lane_before, lane_framed, lane_turned};
use crate::rules::MAX_PITS;

/// What a lap of so many seeds does to a turned ring.
#[derive(Clone, Copy)]
struct Lap {
    /// To add: lane 0 loses its seeds, each pit gains what falls into it.
    add: Lanes,
    /// Where the lanes of the ring turned to the landing pit come from.
    turn: Lanes,
}

/// The shuffles of a ring, and how lanes are told to be taken.
struct Tables {
    laps: [Lap; 256],
    /// `[down][pit]`.
    turned: [[Lanes; 16]; 2],
    landed: [Lanes; 16],
    /// `[mirrored][swapped]`.
    framed: [[Lanes; 2]; 2],
    taking_byte: Lanes,
    taking_bit: Lanes,
}

impl Tables {
    const fn new(ring: usize) -> Tables {
        let mut tables = Tables {
            laps: [Lap { add: Lanes::ZERO, turn: Lanes::NONE }; 256],
            turned: [[Lanes::NONE; 16]; 2],
            landed: [Lanes::NONE; 16],
            framed: [[Lanes::NONE; 2]; 2],
            taking_byte: Lanes::NONE,
            taking_bit: Lanes::ZERO,
        };
        let mut lane = 0;
        while lane < ring {
            let mut seeds = 0;
            while seeds < 256 {
                tables.laps[seeds].add.0[lane] = added(ring, seeds, lane);
                tables.laps[seeds].turn.0[lane] = lane_before(ring, seeds, lane) as u8;
                seeds += 1;
            }
            let mut pit = 0;
            while pit < ring {
                tables.turned[0][pit].0[lane] = lane_turned(ring, 0, pit, lane) as u8;
                tables.turned[1][pit].0[lane] = lane_turned(ring, 1, pit, lane) as u8;
                tables.landed[pit].0[lane] = lane_before(ring, pit, lane) as u8;
                pit += 1;
            }
            let mut way = 0;
            while way < 4 {
                tables.framed[way / 2][way % 2].0[lane] = lane_framed(ring, way / 2, way % 2, lane) as u8;
                way += 1;
            }
            tables.taking_byte.0[lane] = (bit_taking(ring, lane) / 8) as u8;
            tables.taking_bit.0[lane] = 1 << (bit_taking(ring, lane) % 8);
            lane += 1;
        }
        tables
    }
}

static TABLES_5: Tables = Tables::new(10);
static TABLES_6: Tables = Tables::new(12);
static TABLES_7: Tables = Tables::new(14);
static TABLES_8: Tables = Tables::new(16);

/// A ring of two rows of `W` pits, `W` ≤ 8.
#[derive(Clone, Copy)]
pub(super) struct Narrow<const W: i32>(Register);

impl<const W: i32> Narrow<W> {
    const TABLES: &'static Tables = match W {
        5 => &TABLES_5,
        6 => &TABLES_6,
        7 => &TABLES_7,
        8 => &TABLES_8,
        _ => panic!("no narrow ring is so wide"),
    };

    #[inline(always)]
    fn shuffled(self, by: &Lanes) -> Self {
        Narrow(self.0.shuffled(by))
    }
}

impl<const W: i32> Ring for Narrow<W> {
    const WIDTH: i32 = W;

    #[inline(always)]
    unsafe fn load(pits: &[u8; MAX_PITS]) -> Self {
        let pits = pits.first_chunk().expect("twenty are more than sixteen");
        // SAFETY: the caller promises it.
        Narrow(unsafe { Register::load(pits) })
    }

    #[inline(always)]
    fn store(self, pits: &mut [u8; MAX_PITS]) {
        self.0.store(pits.first_chunk_mut().expect("twenty are more than sixteen"));
    }

    #[inline(always)]
    fn without_seeds(self) -> Self {
        Narrow(self.0.zero())
    }

    #[inline(always)]
    fn words(self) -> [u64; 3] {
        let [low, high] = self.0.words();
        [low, high, 0]
    }

    #[inline(always)]
    fn turned(self, down: usize, pit: usize) -> Self {
        self.shuffled(&Self::TABLES.turned[down & 1][pit & 15])
    }

    #[inline(always)]
    fn landed(self, pit: usize) -> Self {
        self.shuffled(&Self::TABLES.landed[pit & 15])
    }

    #[inline(always)]
    fn framed(self, mirrored: usize, swapped: usize) -> Self {
        self.shuffled(&Self::TABLES.framed[mirrored & 1][swapped & 1])
    }

    #[inline(always)]
    fn seeds(self) -> u8 {
        self.0.low_bytes() as u8
    }

    #[inline(always)]
    fn lap(self, seeds: u8) -> Self {
        let lap = &Self::TABLES.laps[usize::from(seeds)];
        Narrow(self.0.plus(&lap.add)).shuffled(&lap.turn)
    }

    #[inline(always)]
    fn empty(self) -> u32 {
        self.0.empty()
    }

    #[inline(always)]
    fn sowable(self) -> u32 {
        self.0.at_least_two()
    }

    #[inline(always)]
    fn nth_bit(self, bits: u32, n: u32) -> usize {
        self.0.nth_bit(bits, n)
    }

    #[inline(always)]
    fn take(self, landing: u32, columns: u32) -> (Self, u32) {
        let told = self.0.of(columns | landing << 16).shuffled(&Self::TABLES.taking_byte);
        let (left, sums) = self.0.without(told.having(&Self::TABLES.taking_bit));
        (Narrow(left), sums.total())
    }

    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self.0.equal(other.0) == 0xffff
    }
}
