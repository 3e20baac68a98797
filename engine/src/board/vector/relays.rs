//! Many relays side by side: a lap of each, without a branch.

use super::register::ones;
use super::ring::{Course, Ring};

/// Relays that run at once.
pub(crate) const SLOTS: usize = 64;

/// A bit for each.
pub(super) type Bits = u64;

/// The relays that run, each in its place. Aligned, so that what is written by the register and read by the number
/// lies in one line of the cache.
#[repr(C, align(64))]
pub(super) struct Relays<R> {
    seeds: [u8; SLOTS],
    /// As in a [`Course`]: in the laps that a relay may run here, no place outgrows its type.
    place: [i16; SLOTS],
    entered: [i16; SLOTS],
    turned: [R; SLOTS],
}

impl<R: Ring> Relays<R> {
    /// With nothing in any place.
    #[inline(always)]
    pub(super) fn new(nothing: R) -> Relays<R> {
        let nothing = nothing.without_seeds();
        Relays { turned: [nothing; SLOTS], seeds: [0; SLOTS], place: [0; SLOTS], entered: [0; SLOTS] }
    }

    /// Sows a lap of each. Returns a bit for each that has landed.
    #[inline(always)]
    pub(super) fn round(&mut self) -> Bits {
        for ((place, entered), &lifted) in self.place.iter_mut().zip(&mut self.entered).zip(&self.seeds) {
            *place = R::WIDTH as i16 - 1 - *place - i16::from(lifted);
            *entered |= *place;
        }
        let (fours, _) = self.turned.as_chunks_mut::<4>();
        let (seeds, _) = self.seeds.as_chunks_mut::<4>();
        for (turned, seeds) in fours.iter_mut().zip(seeds) {
            for (turned, seeds) in turned.iter_mut().zip(seeds) {
                *turned = turned.lap(*seeds);
                *seeds = turned.seeds();
            }
        }
        ones(&self.seeds)
    }

    /// Puts a relay that begins in a place.
    #[inline(always)]
    pub(super) fn set(&mut self, at: usize, (turned, course): (R, Course)) {
        self.turned[at] = turned;
        self.seeds[at] = turned.seeds();
        self.place[at] = course.place as i16;
        self.entered[at] = 0;
    }

    /// Puts nothing there: a ring without seeds runs on and never lands.
    #[inline(always)]
    pub(super) fn clear(&mut self, at: usize) {
        self.turned[at] = self.turned[at].without_seeds();
        self.seeds[at] = 0;
    }

    /// The ring in a place, turned, and where its relay stands.
    #[inline(always)]
    pub(super) fn get(&self, at: usize) -> (R, Course) {
        let course = Course { place: self.place[at].into(), entered: self.entered[at].into() };
        (self.turned[at], course)
    }
}
