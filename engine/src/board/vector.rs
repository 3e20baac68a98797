//! The vector sower: the whole ring in one or two registers (x86-64 with SSSE3), a lap one addition and one shuffle.
//!
//! The ring is held *turned*: lane 0 is the pit to lift, and lane `k` the `k`-th pit in the direction of the lap. Then
//! what a lap adds depends on nothing but the number of seeds lifted, and so does the shuffle that turns the ring to
//! where the lap landed, looking the other way. From one lap to the next the chain is: lane 0 to a general register,
//! an address, a load from the first-level cache, the addition, the shuffle.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_cmpeq_epi8, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_or_si128, _mm_shuffle_epi8, _mm_storeu_si128,
};

use super::{Board, Landing, Relay};
use crate::rules::{Direction, MAX_PITS, MIN_WIDTH, Player};

/// Whether the processor can.
#[inline]
pub(super) fn available() -> bool {
    std::arch::is_x86_feature_detected!("ssse3")
}

/// Sows a relay to its end. The caller has asked [`available`].
#[inline]
pub(super) fn relay(board: &mut Board, player: Player, pit: usize, direction: Direction) -> Relay {
    // SAFETY: `available` was asked, so the processor has SSSE3, which is all that the functions need.
    unsafe {
        match board.width {
            5 => narrow::<10>(board, &NARROW_5, player, pit, direction),
            6 => narrow::<12>(board, &NARROW_6, player, pit, direction),
            7 => narrow::<14>(board, &NARROW_7, player, pit, direction),
            8 => narrow::<16>(board, &NARROW_8, player, pit, direction),
            9 => wide::<18>(board, &WIDE_9, player, pit, direction),
            _ => wide::<20>(board, &WIDE_10, player, pit, direction),
        }
    }
}

/// Sixteen bytes, aligned as a register is loaded.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Lanes([u8; 16]);

impl Lanes {
    /// What a shuffle reads as "no lane": the result is 0.
    const NONE: Lanes = Lanes([0x80; 16]);
    const ZERO: Lanes = Lanes([0; 16]);

    #[inline]
    fn load(&self) -> __m128i {
        // SAFETY: sixteen bytes are there to be read, and SSE2 is part of x86-64.
        unsafe { _mm_loadu_si128(self.0.as_ptr().cast()) }
    }
}

/// What a lap of so many seeds does to a turned ring of at most sixteen pits.
#[derive(Clone, Copy)]
struct NarrowLap {
    /// To add: lane 0 loses its seeds, each pit gains what falls into it (R2: lane 0 as well).
    add: Lanes,
    /// Where the lanes of the ring turned to the landing pit come from.
    turn: Lanes,
}

struct Narrow {
    laps: [NarrowLap; 256],
    /// Seeds modulo pits: how far from its start a lap lands.
    reach: [u8; 256],
    /// `[direction][pit]`: from the ring as it is numbered to the ring turned, and back.
    turned: [[Lanes; 16]; 2],
    back: [[Lanes; 16]; 2],
}

/// The lane that lane `k` of the ring turned to the landing pit was before: from there, the other way.
const fn lane_before(ring: usize, seeds: usize, lane: usize) -> usize {
    (seeds % ring + ring - lane) % ring
}

/// The pit in lane `k` of a ring turned to `pit`.
const fn pit_in_lane(ring: usize, direction: usize, pit: usize, lane: usize) -> usize {
    if direction == 0 { (pit + lane) % ring } else { (pit + ring - lane) % ring }
}

/// What a lap of `seeds` seeds adds to lane `k`, modulo 256.
const fn added(ring: usize, seeds: usize, lane: usize) -> u8 {
    let all_round = seeds / ring;
    let rest = seeds % ring;
    let gained = all_round + (lane >= 1 && lane <= rest) as usize;
    let lifted = if lane == 0 { seeds } else { 0 };
    (256 + gained - lifted) as u8
}

impl Narrow {
    const fn new(ring: usize) -> Narrow {
        let mut tables = Narrow {
            laps: [NarrowLap { add: Lanes::ZERO, turn: Lanes::NONE }; 256],
            reach: [0; 256],
            turned: [[Lanes::NONE; 16]; 2],
            back: [[Lanes::NONE; 16]; 2],
        };
        let mut seeds = 0;
        while seeds < 256 {
            tables.reach[seeds] = (seeds % ring) as u8;
            let mut lane = 0;
            while lane < ring {
                tables.laps[seeds].add.0[lane] = added(ring, seeds, lane);
                tables.laps[seeds].turn.0[lane] = lane_before(ring, seeds, lane) as u8;
                lane += 1;
            }
            seeds += 1;
        }
        let mut pit = 0;
        while pit < ring {
            let mut lane = 0;
            while lane < ring {
                let mut direction = 0;
                while direction < 2 {
                    let at = pit_in_lane(ring, direction, pit, lane);
                    tables.turned[direction][pit].0[lane] = at as u8;
                    tables.back[direction][pit].0[at] = lane as u8;
                    direction += 1;
                }
                lane += 1;
            }
            pit += 1;
        }
        tables
    }
}

static NARROW_5: Narrow = Narrow::new(10);
static NARROW_6: Narrow = Narrow::new(12);
static NARROW_7: Narrow = Narrow::new(14);
static NARROW_8: Narrow = Narrow::new(16);

/// Where a relay stands, but for the seeds.
struct Course {
    pit: i32,
    /// 1 for ccw, −1 for cw.
    way: i32,
    entered: bool,
    laps: u32,
    first: i32,
    last: i32,
}

impl Course {
    #[inline]
    fn new(width: usize, player: Player, pit: usize, direction: Direction) -> Course {
        let row = player.row(width);
        let way = if direction == Direction::Ccw { 1 } else { -1 };
        let (first, last) = (row.start as i32, row.end as i32 - 1);
        Course { pit: pit as i32, way, entered: false, laps: 0, first, last }
    }

    /// Goes on by a lap of `seeds` seeds, which lands `reach` pits on in a ring of `RING`.
    #[inline]
    fn advance<const RING: i32>(&mut self, seeds: u8, reach: u8) {
        // In the own row, the lap leaves it when it goes beyond an end; elsewhere the move has entered already.
        let end = self.pit + self.way * i32::from(seeds);
        self.entered |= end > self.last || end < self.first;
        let pit = self.pit + self.way * i32::from(reach);
        let pit = if pit >= RING { pit - RING } else { pit };
        self.pit = if pit < 0 { pit + RING } else { pit };
        self.way = -self.way;
        self.laps += 1;
    }

    /// The direction of the next lap, as an index.
    #[inline]
    fn next_way(&self) -> usize {
        usize::from(self.way < 0)
    }

    #[inline]
    fn landed(&self) -> Relay {
        let direction = if self.way < 0 { Direction::Ccw } else { Direction::Cw };
        let landing = Landing { pit: self.pit as usize, direction, entered: self.entered };
        Relay { landing: Some(landing), laps: self.laps }
    }
}

#[inline]
#[target_feature(enable = "ssse3")]
fn narrow<const RING: i32>(
    board: &mut Board,
    tables: &Narrow,
    player: Player,
    pit: usize,
    direction: Direction,
) -> Relay {
    let mut course = Course::new(board.width(), player, pit, direction);
    // SAFETY: a board has twenty bytes of pits; the first sixteen are read.
    let ring = unsafe { _mm_loadu_si128(board.pits.as_ptr().cast()) };
    let start = _mm_shuffle_epi8(ring, tables.turned[course.next_way()][pit].load());
    let mut turned = start;
    let mut seeds = _mm_cvtsi128_si32(turned) as u8;
    loop {
        let lap = &tables.laps[usize::from(seeds)];
        turned = _mm_shuffle_epi8(_mm_add_epi8(turned, lap.add.load()), lap.turn.load());
        course.advance::<RING>(seeds, tables.reach[usize::from(seeds)]);
        seeds = _mm_cvtsi128_si32(turned) as u8;
        if seeds == 1 {
            break;
        }
        if course.pit == pit as i32 && course.laps.is_multiple_of(2) && same(turned, start) {
            return Relay { landing: None, laps: course.laps };
        }
    }
    let back = tables.back[course.next_way()][course.pit as usize].load();
    // SAFETY: as above; lanes beyond the ring are 0, as the pits beyond it are.
    unsafe { _mm_storeu_si128(board.pits.as_mut_ptr().cast(), _mm_shuffle_epi8(turned, back)) };
    course.landed()
}

#[inline]
#[target_feature(enable = "ssse3")]
fn same(one: __m128i, other: __m128i) -> bool {
    _mm_movemask_epi8(_mm_cmpeq_epi8(one, other)) == 0xffff
}

/// A shuffle of a ring of 17 to 32 lanes in two registers: `[to low from low, to low from high, to high from low, to
/// high from high]`.
#[derive(Clone, Copy)]
struct WideTurn([Lanes; 4]);

impl WideTurn {
    const NONE: WideTurn = WideTurn([Lanes::NONE; 4]);

    /// Lets lane `to` come from lane `from`.
    const fn set(&mut self, to: usize, from: usize) {
        self.0[2 * (to / 16) + from / 16].0[to % 16] = (from % 16) as u8;
    }
}

/// What a lap of so many seeds does to a turned ring of more than sixteen pits.
#[derive(Clone, Copy)]
struct WideLap {
    add: [Lanes; 2],
    turn: WideTurn,
}

struct Wide {
    laps: [WideLap; 256],
    reach: [u8; 256],
    turned: [[WideTurn; MAX_PITS]; 2],
    back: [[WideTurn; MAX_PITS]; 2],
}

impl Wide {
    const fn new(ring: usize) -> Wide {
        let mut tables = Wide {
            laps: [WideLap { add: [Lanes::ZERO; 2], turn: WideTurn::NONE }; 256],
            reach: [0; 256],
            turned: [[WideTurn::NONE; MAX_PITS]; 2],
            back: [[WideTurn::NONE; MAX_PITS]; 2],
        };
        let mut seeds = 0;
        while seeds < 256 {
            tables.reach[seeds] = (seeds % ring) as u8;
            let mut lane = 0;
            while lane < ring {
                tables.laps[seeds].add[lane / 16].0[lane % 16] = added(ring, seeds, lane);
                tables.laps[seeds].turn.set(lane, lane_before(ring, seeds, lane));
                lane += 1;
            }
            seeds += 1;
        }
        let mut pit = 0;
        while pit < ring {
            let mut lane = 0;
            while lane < ring {
                let mut direction = 0;
                while direction < 2 {
                    let at = pit_in_lane(ring, direction, pit, lane);
                    tables.turned[direction][pit].set(lane, at);
                    tables.back[direction][pit].set(at, lane);
                    direction += 1;
                }
                lane += 1;
            }
            pit += 1;
        }
        tables
    }
}

static WIDE_9: Wide = Wide::new(18);
static WIDE_10: Wide = Wide::new(20);

#[inline]
#[target_feature(enable = "ssse3")]
fn turn([low, high]: [__m128i; 2], by: &WideTurn) -> [__m128i; 2] {
    let [low_low, low_high, high_low, high_high] = &by.0;
    [
        _mm_or_si128(_mm_shuffle_epi8(low, low_low.load()), _mm_shuffle_epi8(high, low_high.load())),
        _mm_or_si128(_mm_shuffle_epi8(low, high_low.load()), _mm_shuffle_epi8(high, high_high.load())),
    ]
}

#[inline]
#[target_feature(enable = "ssse3")]
fn wide<const RING: i32>(
    board: &mut Board,
    tables: &Wide,
    player: Player,
    pit: usize,
    direction: Direction,
) -> Relay {
    let mut course = Course::new(board.width(), player, pit, direction);
    let (low, high) = board.pits.split_first_chunk::<16>().expect("a board has twenty bytes of pits");
    let high: [u8; 4] = high.try_into().expect("and four are beyond sixteen");
    // SAFETY: sixteen bytes are there to be read.
    let low = unsafe { _mm_loadu_si128(low.as_ptr().cast()) };
    let start =
        turn([low, _mm_cvtsi32_si128(i32::from_le_bytes(high))], &tables.turned[course.next_way()][pit]);
    let mut turned = start;
    let mut seeds = _mm_cvtsi128_si32(turned[0]) as u8;
    loop {
        let lap = &tables.laps[usize::from(seeds)];
        let sown = [_mm_add_epi8(turned[0], lap.add[0].load()), _mm_add_epi8(turned[1], lap.add[1].load())];
        turned = turn(sown, &lap.turn);
        course.advance::<RING>(seeds, tables.reach[usize::from(seeds)]);
        seeds = _mm_cvtsi128_si32(turned[0]) as u8;
        if seeds == 1 {
            break;
        }
        if course.pit == pit as i32
            && course.laps.is_multiple_of(2)
            && same(turned[0], start[0])
            && same(turned[1], start[1])
        {
            return Relay { landing: None, laps: course.laps };
        }
    }
    let [low, high] = turn(turned, &tables.back[course.next_way()][course.pit as usize]);
    // SAFETY: sixteen bytes are there to be written; the four beyond follow.
    unsafe { _mm_storeu_si128(board.pits.as_mut_ptr().cast(), low) };
    board.pits[16..].copy_from_slice(&_mm_cvtsi128_si32(high).to_le_bytes());
    course.landed()
}

const _: () = assert!(MIN_WIDTH == 5 && MAX_PITS == 20, "the tables are those of 10 to 20 pits");
