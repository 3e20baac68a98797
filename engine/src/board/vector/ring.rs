//! What a ring in registers can do, and how a move ends in one.

use crate::rules::MAX_PITS;

/// A ring in registers, in one of two orders: *framed*, lane `i` being the `i`-th pit of the ring from the first pit
/// of the player to move, so that the lanes below `WIDTH` are theirs; or *turned*, for a relay (see [`super`]).
/// Lanes beyond the ring are 0.
///
/// Relays are reckoned in a frame in which the next lap goes up, to greater numbers: for a lap that goes down, that is
/// the mirrored frame. It changes from lap to lap.
pub(super) trait Ring: Copy {
    /// Pits in a row.
    const WIDTH: i32;

    /// A board's ring, framed for player 1, whose pits come first.
    ///
    /// # Safety
    /// The processor has AVX2 and BMI2. A ring cannot be come by but through here, so every other method is safe.
    unsafe fn load(pits: &[u8; MAX_PITS]) -> Self;

    /// Writes a ring framed for player 1.
    fn store(self, pits: &mut [u8; MAX_PITS]);

    /// The ring with nothing in it.
    fn without_seeds(self) -> Self;

    /// All the lanes; the last word's upper half is 0.
    fn words(self) -> [u64; 3];

    /// From framed to turned: to sow `pit`, down where `down` is 1.
    fn turned(self, down: usize, pit: usize) -> Self;

    /// From turned to framed, where a lap that went up landed at `pit`.
    fn landed(self, pit: usize) -> Self;

    /// From framed to framed: mirrored where `mirrored` is 1, for the other player where `swapped` is 1.
    fn framed(self, mirrored: usize, swapped: usize) -> Self;

    /// Seeds in lane 0.
    fn seeds(self) -> u8;

    /// A lap of as many seeds as lane 0 holds: the ring turned to where it landed.
    fn lap(self, seeds: u8) -> Self;

    /// The lanes that hold nothing, those beyond the ring included; one bit a lane.
    fn empty(self) -> u32;

    /// The lanes that hold two seeds or more.
    fn sowable(self) -> u32;

    /// The place of the `n`-th lowest bit that is set in `bits`, from 0.
    fn nth_bit(self, bits: u32, n: u32) -> usize;

    /// Takes the seeds of lane `landing` and those opposite `columns`, both given as bits of own pits.
    fn take(self, landing: u32, columns: u32) -> (Self, u32);

    /// Whether both hold the same.
    fn same(self, other: Self) -> bool;
}

/// The lane that lane `k` of the ring turned to the landing pit was before: from there, the other way.
pub(super) const fn lane_before(ring: usize, seeds: usize, lane: usize) -> usize {
    (seeds % ring + ring - lane) % ring
}

/// What a lap of `seeds` seeds adds to lane `k`, modulo 256 (R2: lane 0 gains as the others do).
pub(super) const fn added(ring: usize, seeds: usize, lane: usize) -> u8 {
    let all_round = seeds / ring;
    let rest = seeds % ring;
    let gained = all_round + (lane >= 1 && lane <= rest) as usize;
    let lifted = if lane == 0 { seeds } else { 0 };
    (256 + gained - lifted) as u8
}

/// The framed lane in lane `k` of the ring turned to sow `pit`.
pub(super) const fn lane_turned(ring: usize, down: usize, pit: usize, lane: usize) -> usize {
    if down == 0 { (pit + lane) % ring } else { (pit + ring - lane) % ring }
}

/// The framed lane in lane `k` of the frame mirrored or for the other player.
pub(super) const fn lane_framed(ring: usize, mirrored: usize, swapped: usize, lane: usize) -> usize {
    let lane = (lane + swapped * ring / 2) % ring;
    if mirrored == 1 { (ring + ring / 2 - 1 - lane) % ring } else { lane }
}

/// Which bit of `columns | landing << 16` says whether a framed lane is taken.
pub(super) const fn bit_taking(ring: usize, lane: usize) -> usize {
    if lane < ring / 2 { 16 + lane } else { ring - 1 - lane }
}

/// Where a relay stands but for the seeds, in the frame in which its next lap goes up.
#[derive(Clone, Copy)]
pub(super) struct Course {
    /// The pit, modulo the ring; within the own row as it is until the row is left.
    pub(super) place: i32,
    /// Negative once a seed fell in the opponent's row (R3).
    pub(super) entered: i32,
}

impl Course {
    /// At an own pit of the mover's frame, to be sown up or down.
    #[inline(always)]
    pub(super) fn new<R: Ring>(down: usize, pit: usize) -> Course {
        let pit = pit as i32;
        Course { place: if down == 1 { R::WIDTH - 1 - pit } else { pit }, entered: 0 }
    }

    /// Goes on by a lap. Mirrored, a place beyond the end of the own row is negative.
    #[inline(always)]
    pub(super) fn advance<R: Ring>(&mut self, seeds: u8) {
        self.place = R::WIDTH - 1 - self.place - i32::from(seeds);
        self.entered |= self.place;
    }

    /// Whether it has come to the same pit; both are settled.
    #[inline(always)]
    pub(super) fn is_at(&self, other: Course) -> bool {
        self.place == other.place
    }

    /// Keeps the place within bounds, for relays of millions of laps.
    #[inline(always)]
    pub(super) fn settle<R: Ring>(&mut self) {
        if self.entered < 0 {
            self.place = self.place.rem_euclid(2 * R::WIDTH);
        }
    }
}

/// A move that has come to its end.
#[derive(Clone, Copy)]
pub(super) struct End<R> {
    /// Framed for who moves next.
    pub(super) ring: R,
    /// 1 where that is the other player.
    pub(super) passes: usize,
    pub(super) captured: u32,
    /// The own pits whose opposite ones were taken; none but in a capture, which has one at least.
    pub(super) columns: u32,
}

/// Ends a move whose last lap, down in the mover's frame where `down` is 1, fell into an empty pit.
#[inline(always)]
pub(super) fn end<R: Ring>(turned: R, course: Course, down: usize) -> End<R> {
    // Back from the frame of the next lap to that of the last one, which went up.
    let pit = (R::WIDTH - 1 - course.place).rem_euclid(2 * R::WIDTH);
    let framed = turned.landed(pit as usize);
    let own = pit < R::WIDTH;
    let entered = course.entered < 0;
    let capturing = 0u32.wrapping_sub(u32::from(own & entered));
    let landing = 1u32 << pit;
    // The addition carries through the empty pits that follow the landing pit, and stops at the first occupied one or
    // at the end of the row.
    let empty = framed.empty() & ((1 << R::WIDTH) - 1) | landing;
    let columns = empty & !empty.wrapping_add(landing) & capturing;
    let (left, captured) = framed.take(landing & capturing, columns);
    let passes = usize::from(!own | entered);
    End { ring: left.framed(down, passes), passes, captured, columns }
}
