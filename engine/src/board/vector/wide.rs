//! Rings of 18 and 20 pits: two registers.

use super::register::{Lanes, Register};
use super::ring::{Ring, added, bit_taking, lane_before, lane_framed, lane_turned};
use crate::rules::MAX_PITS;

/// A shuffle of two registers: `[to low from low, to low from high, to high from low, to high from high]`.
#[derive(Clone, Copy)]
struct Turn([Lanes; 4]);

impl Turn {
    const NONE: Turn = Turn([Lanes::NONE; 4]);

    /// Lets lane `to` come from lane `from`.
    const fn set(&mut self, to: usize, from: usize) {
        self.0[2 * (to / 16) + from / 16].0[to % 16] = (from % 16) as u8;
    }
}

/// What a lap of so many seeds does to a turned ring.
#[derive(Clone, Copy)]
struct Lap {
    add: [Lanes; 2],
    turn: Turn,
}

/// As those of a narrow ring.
struct Tables {
    laps: [Lap; 256],
    turned: [[Turn; MAX_PITS]; 2],
    landed: [Turn; MAX_PITS],
    framed: [[Turn; 2]; 2],
    taking_byte: [Lanes; 2],
    taking_bit: [Lanes; 2],
}

impl Tables {
    const fn new(ring: usize) -> Tables {
        let mut tables = Tables {
            laps: [Lap { add: [Lanes::ZERO; 2], turn: Turn::NONE }; 256],
            turned: [[Turn::NONE; MAX_PITS]; 2],
            landed: [Turn::NONE; MAX_PITS],
            framed: [[Turn::NONE; 2]; 2],
            taking_byte: [Lanes::NONE; 2],
            taking_bit: [Lanes::ZERO; 2],
        };
        let mut lane = 0;
        while lane < ring {
            let mut seeds = 0;
            while seeds < 256 {
                tables.laps[seeds].add[lane / 16].0[lane % 16] = added(ring, seeds, lane);
                tables.laps[seeds].turn.set(lane, lane_before(ring, seeds, lane));
                seeds += 1;
            }
            let mut pit = 0;
            while pit < ring {
                tables.turned[0][pit].set(lane, lane_turned(ring, 0, pit, lane));
                tables.turned[1][pit].set(lane, lane_turned(ring, 1, pit, lane));
                tables.landed[pit].set(lane, lane_before(ring, pit, lane));
                pit += 1;
            }
            let mut way = 0;
            while way < 4 {
                tables.framed[way / 2][way % 2].set(lane, lane_framed(ring, way / 2, way % 2, lane));
                way += 1;
            }
            tables.taking_byte[lane / 16].0[lane % 16] = (bit_taking(ring, lane) / 8) as u8;
            tables.taking_bit[lane / 16].0[lane % 16] = 1 << (bit_taking(ring, lane) % 8);
            lane += 1;
        }
        tables
    }
}

static TABLES_9: Tables = Tables::new(18);
static TABLES_10: Tables = Tables::new(20);

/// A ring of two rows of `W` pits, `W` 9 or 10.
#[derive(Clone, Copy)]
pub(super) struct Wide<const W: i32>([Register; 2]);

impl<const W: i32> Wide<W> {
    const TABLES: &'static Tables = match W {
        9 => &TABLES_9,
        10 => &TABLES_10,
        _ => panic!("no wide ring is so wide"),
    };

    #[inline(always)]
    fn shuffled(self, by: &Turn) -> Self {
        let Wide([low, high]) = self;
        let [low_low, low_high, high_low, high_high] = &by.0;
        Wide([
            low.shuffled(low_low).or(high.shuffled(low_high)),
            low.shuffled(high_low).or(high.shuffled(high_high)),
        ])
    }

    /// The bits of both registers.
    #[inline(always)]
    fn bits(self, of: impl Fn(Register) -> u32) -> u32 {
        of(self.0[0]) | of(self.0[1]) << 16
    }
}

impl<const W: i32> Ring for Wide<W> {
    const WIDTH: i32 = W;

    #[inline(always)]
    unsafe fn load(pits: &[u8; MAX_PITS]) -> Self {
        let high = u32::from_le_bytes([pits[16], pits[17], pits[18], pits[19]]);
        let low = pits.first_chunk().expect("twenty are more than sixteen");
        // SAFETY: the caller promises it.
        let low = unsafe { Register::load(low) };
        Wide([low, low.of(high)])
    }

    #[inline(always)]
    fn store(self, pits: &mut [u8; MAX_PITS]) {
        self.0[0].store(pits.first_chunk_mut().expect("twenty are more than sixteen"));
        pits[16..].copy_from_slice(&self.0[1].low_bytes().to_le_bytes());
    }

    #[inline(always)]
    fn without_seeds(self) -> Self {
        Wide(self.0.map(Register::zero))
    }

    #[inline(always)]
    fn words(self) -> [u64; 3] {
        let [low, middle] = self.0[0].words();
        [low, middle, u64::from(self.0[1].low_bytes())]
    }

    #[inline(always)]
    fn turned(self, down: usize, pit: usize) -> Self {
        self.shuffled(&Self::TABLES.turned[down & 1][pit])
    }

    #[inline(always)]
    fn landed(self, pit: usize) -> Self {
        self.shuffled(&Self::TABLES.landed[pit])
    }

    #[inline(always)]
    fn framed(self, mirrored: usize, swapped: usize) -> Self {
        self.shuffled(&Self::TABLES.framed[mirrored & 1][swapped & 1])
    }

    #[inline(always)]
    fn seeds(self) -> u8 {
        self.0[0].low_bytes() as u8
    }

    #[inline(always)]
    fn lap(self, seeds: u8) -> Self {
        let lap = &Self::TABLES.laps[usize::from(seeds)];
        Wide([self.0[0].plus(&lap.add[0]), self.0[1].plus(&lap.add[1])]).shuffled(&lap.turn)
    }

    #[inline(always)]
    fn empty(self) -> u32 {
        self.bits(Register::empty)
    }

    #[inline(always)]
    fn sowable(self) -> u32 {
        self.bits(Register::at_least_two)
    }

    #[inline(always)]
    fn nth_bit(self, bits: u32, n: u32) -> usize {
        self.0[0].nth_bit(bits, n)
    }

    #[inline(always)]
    fn take(self, landing: u32, columns: u32) -> (Self, u32) {
        let told = self.0[0].of(columns | landing << 16);
        let [low, high] = [0, 1].map(|half| {
            let taken = told.shuffled(&Self::TABLES.taking_byte[half]).having(&Self::TABLES.taking_bit[half]);
            self.0[half].without(taken)
        });
        (Wide([low.0, high.0]), low.1.plus(high.1).total())
    }

    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self.0[0].equal(other.0[0]) & self.0[1].equal(other.0[1]) == 0xffff
    }
}
