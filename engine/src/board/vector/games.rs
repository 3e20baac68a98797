//! Random games, many at once: first a lap of each, without a branch, then the moves that have landed. One game by
//! itself is a single chain of laps with a branch at its end that nobody can foresee; of many, the processor always has
//! another lap to sow, and what it has to guess is only how many of them have landed.

use super::relay::{self, TRUSTED};
use super::relays::{Bits, Relays, SLOTS};
use super::ring::{Course, Ring, end};
use super::seen::{Seen, bits_of, seen};
use crate::board::Board;
use crate::game::Ending;
use crate::playout::{Deal, Finish};
use crate::position::Position;
use crate::rules::Player;

/// The last place is none: nothing is played there.
const NONE: usize = SLOTS - 1;

/// Moves that are ended together, step by step, so that the processor has several to work on.
const TOGETHER: usize = 4;

/// Fewer games than this are played one after another.
const FEW: usize = 6;

/// The positions since the last capture of each game being played, `stride` places for each.
#[derive(Default)]
pub(crate) struct Histories {
    seen: Vec<Seen>,
    stride: usize,
}

impl Histories {
    /// Makes room for so many positions in each history, and keeps what is there.
    #[cold]
    fn grow(&mut self, stride: usize) {
        let mut seen = vec![[0; 3]; stride * SLOTS];
        if self.stride > 0 {
            for (old, new) in self.seen.chunks(self.stride).zip(seen.chunks_mut(stride)) {
                new[..old.len()].copy_from_slice(old);
            }
        }
        *self = Histories { seen, stride };
    }
}

/// A game, apart from the relay that runs in it.
#[derive(Clone, Copy)]
struct Slot<R, S> {
    /// Framed for the player to move.
    ring: R,
    stream: S,
    /// Two bits for each position of the history, by its hash: where they are not set, the position is not there.
    seen: u64,
    /// The history's length.
    length: usize,
    laps: u64,
    plies: u32,
    /// The pile of the player to move less the other's.
    lead: i32,
    player: u32,
    /// The move whose relay runs.
    down: u32,
    pit: u32,
    /// The round in which its first lap is sown.
    began: u32,
    /// The number of the game; beyond all where none is played any more.
    game: usize,
}

impl<R: Ring, S> Slot<R, S> {
    /// The relay that runs, before its first lap.
    #[inline(always)]
    fn relay(&self) -> (R, Course) {
        let (down, pit) = (self.down as usize, self.pit as usize);
        (self.ring.turned(down, pit), Course::new::<R>(down, pit))
    }

    /// Ends a move whose relay has landed.
    #[inline(always)]
    fn land(&mut self, turned: R, course: Course, laps: u32) {
        self.laps += u64::from(laps);
        self.plies += 1;
        let end = end(turned, course, ((self.down + laps + 1) & 1) as usize);
        self.lead = seen_by_next(self.lead + end.captured as i32, end.passes);
        self.player ^= end.passes as u32;
        self.ring = end.ring;
        let kept = u64::from(end.columns != 0).wrapping_sub(1);
        self.length &= kept as usize;
        self.seen &= kept;
    }
}

/// Plays the games of a deal.
#[inline(always)]
pub(super) fn play<R: Ring, D: Deal>(
    load: impl Fn(&Board) -> R,
    deal: &mut D,
    histories: &mut Histories,
    nothing: &Board,
) {
    let few = deal.games() < FEW;
    let first = Slot {
        ring: load(nothing),
        stream: deal.stream(),
        seen: 0,
        length: 0,
        laps: 0,
        plies: 0,
        lead: 0,
        player: 0,
        down: 0,
        pit: 0,
        began: 0,
        game: usize::MAX,
    };
    let mut games = Games { load, deal, histories, first, next: 0, round: 0 };
    if few {
        games.one_by_one();
    } else {
        games.at_once();
    }
}

struct Games<'a, R, D: Deal, L> {
    load: L,
    deal: &'a mut D,
    histories: &'a mut Histories,
    /// A game that has not begun.
    first: Slot<R, D::Stream>,
    /// The number of the next game to begin.
    next: usize,
    /// The number of the round that is next.
    round: u32,
}

impl<R: Ring, D: Deal, L: Fn(&Board) -> R> Games<'_, R, D, L> {
    /// Has the games that are begun from now on start where the deal's game begun last does.
    #[inline(always)]
    fn start(&mut self) {
        let recent = self.deal.recent();
        let framed = |position: &Position| {
            (self.load)(position.board()).framed(0, usize::from(position.to_move() == Player::South))
        };
        let start = recent.last().expect("a game starts from a position");
        let before = recent.len();
        let first = &mut self.first;
        (first.ring, first.seen, first.length) = (framed(start), 0, before);
        (first.lead, first.player) = (start.lead(), start.to_move().index() as u32);
        // The history that every game begins with lies beyond those of the games.
        self.histories.seen.truncate(self.histories.stride * SLOTS);
        if self.histories.stride < before + 16 {
            self.histories.grow(2 * before + 64);
        }
        for position in recent {
            let seen = seen(framed(position), position.to_move().index() as u32);
            first.seen |= bits_of(seen);
            self.histories.seen.push(seen);
        }
    }

    #[inline(always)]
    fn one_by_one(&mut self) {
        let mut slot = self.first;
        let mut running = self.begin(0, &mut slot);
        while running {
            let (turned, course) = slot.relay();
            let run = relay::run(turned, course);
            running = if run.endless {
                self.endless(0, &mut slot, run.laps)
            } else {
                self.land(0, &mut slot, run.turned, run.course, run.laps)
            };
        }
    }

    #[inline(always)]
    fn at_once(&mut self) {
        let mut slots = [self.first; SLOTS];
        let mut relays = Relays::new(self.first.ring);
        let mut running = 0;
        for (at, slot) in slots.iter_mut().enumerate().take(NONE) {
            if self.begin(at, slot) {
                relays.set(at, slot.relay());
                running += 1;
            }
        }
        while running > 0 {
            let mut landed = relays.round();
            self.round = self.round.wrapping_add(1);
            // The games whose position may have been there before, and those in which no move could be drawn.
            let (mut met, mut stuck): (Bits, Bits) = (0, 0);
            while landed != 0 {
                // What is no more there is the place beyond all others, where nothing is played.
                let mut some = [NONE; TOGETHER];
                for at in &mut some {
                    *at = (landed | 1 << NONE).trailing_zeros() as usize;
                    landed &= landed.wrapping_sub(1);
                }
                for at in some {
                    let slot = &mut slots[at];
                    let laps = self.round.wrapping_sub(slot.began);
                    let (turned, course) = relays.get(at);
                    slot.land(turned, course, laps);
                }
                for at in some {
                    met |= Bits::from(self.meet(at, &mut slots[at])) << at;
                }
                for at in some {
                    stuck |= Bits::from(self.draw(at, &mut slots[at])) << at;
                    relays.set(at, slots[at].relay());
                }
            }
            let mut special = (met | stuck) & !(1 << NONE);
            (slots[NONE].length, slots[NONE].plies) = (0, 0);
            relays.clear(NONE);
            while special != 0 {
                let at = special.trailing_zeros() as usize;
                special &= special - 1;
                if self.look(at, &mut slots[at], met >> at & 1 == 1) {
                    relays.set(at, slots[at].relay());
                } else {
                    relays.clear(at);
                    running -= 1;
                }
            }
            if self.round.is_multiple_of(TRUSTED) {
                for (at, slot) in slots.iter_mut().enumerate().take(NONE) {
                    if slot.game == usize::MAX || self.round.wrapping_sub(slot.began) < TRUSTED {
                        continue;
                    }
                    // A long one is run to its end by itself.
                    let (turned, course) = slot.relay();
                    let run = relay::run_asking(turned, course);
                    let goes_on = if run.endless {
                        self.endless(at, slot, run.laps)
                    } else {
                        self.land(at, slot, run.turned, run.course, run.laps)
                    };
                    if goes_on {
                        relays.set(at, slot.relay());
                    } else {
                        relays.clear(at);
                        running -= 1;
                    }
                }
            }
        }
    }

    /// Begins the next game, up to its first relay; false where there is none.
    #[inline(always)]
    fn begin(&mut self, at: usize, slot: &mut Slot<R, D::Stream>) -> bool {
        while self.next < self.deal.games() {
            if self.deal.begin(self.next, at) {
                self.start();
            }
            let Histories { seen, stride } = &mut *self.histories;
            let before = *stride * SLOTS;
            seen.copy_within(before..before + self.first.length, at * *stride);
            *slot = self.first;
            slot.game = self.next;
            slot.stream = self.deal.stream();
            self.next += 1;
            self.draw(at, slot);
            if self.choose(at, slot) {
                return true;
            }
        }
        slot.game = usize::MAX;
        false
    }

    /// Ends a move whose relay has landed and draws the next one, of the next game where this one is over; false where
    /// there is none.
    #[inline(always)]
    fn land(
        &mut self,
        at: usize,
        slot: &mut Slot<R, D::Stream>,
        turned: R,
        course: Course,
        laps: u32,
    ) -> bool {
        slot.land(turned, course, laps);
        let met = self.meet(at, slot);
        let stuck = self.draw(at, slot);
        !(met | stuck) || self.look(at, slot, met)
    }

    /// Puts a game's position into its history; whether it may have been there before, or no room is left.
    #[inline(always)]
    fn meet(&mut self, at: usize, slot: &mut Slot<R, D::Stream>) -> bool {
        let seen = seen(slot.ring, slot.player);
        let bits = bits_of(seen);
        let met = slot.seen & bits == bits;
        self.histories.seen[at * self.histories.stride + slot.length] = seen;
        slot.length += 1;
        slot.seen |= bits;
        met | (slot.length == self.histories.stride) | self.deal.is_full(slot.plies)
    }

    /// Draws a move; whether there is none.
    #[inline(always)]
    fn draw(&mut self, at: usize, slot: &mut Slot<R, D::Stream>) -> bool {
        let own = slot.ring.sowable() & ((1 << R::WIDTH) - 1);
        let drawn = self.deal.draw(&mut slot.stream, at, slot.player as usize, 2 * own.count_ones());
        slot.pit = slot.ring.nth_bit(own, drawn / 2) as u32 % 16;
        slot.down = drawn & 1;
        self.deal.sown(at, slot.plies, slot.player, slot.pit, slot.down);
        slot.began = self.round;
        own == 0
    }

    /// Looks whether a game's position has been there before, where it may have `met` it, and what is to be done where
    /// no move could be drawn; begins the next game where this one is over. False where there is none.
    #[inline(always)]
    fn look(&mut self, at: usize, slot: &mut Slot<R, D::Stream>, met: bool) -> bool {
        if met && self.is_repeated(at, slot) {
            self.deal.end(slot.game, at, Finish::drawn(Ending::Repetition, slot.plies, slot.laps));
            return self.begin(at, slot);
        }
        self.choose(at, slot) || self.begin(at, slot)
    }

    #[inline(always)]
    fn is_repeated(&mut self, at: usize, slot: &Slot<R, D::Stream>) -> bool {
        if self.deal.is_full(slot.plies) {
            self.deal.grow();
        }
        if slot.length == self.histories.stride {
            let before = self.histories.seen.split_off(self.histories.stride * SLOTS);
            self.histories.grow(2 * slot.length);
            self.histories.seen.extend(before);
        }
        let history = &self.histories.seen[at * self.histories.stride..][..slot.length];
        history.split_last().is_some_and(|(last, earlier)| earlier.contains(last))
    }

    /// Passes where that is forced, and draws again; where the game is over, notes it and is false.
    #[inline(always)]
    fn choose(&mut self, at: usize, slot: &mut Slot<R, D::Stream>) -> bool {
        let row = (1 << R::WIDTH) - 1;
        let sowable = slot.ring.sowable();
        if sowable & row != 0 {
            return true;
        }
        if sowable == 0 {
            // Every pit holds one seed or none.
            let full = !slot.ring.empty();
            let ahead = (full & row).count_ones() as i32 - (full >> R::WIDTH & row).count_ones() as i32;
            let south = seen_by_next(slot.lead + ahead, slot.player as usize);
            self.deal.end(slot.game, at, Finish::ahead(south, slot.plies, slot.laps));
            return false;
        }
        self.deal.passed(at, slot.plies);
        slot.plies += 1;
        slot.player ^= 1;
        slot.lead = -slot.lead;
        slot.ring = slot.ring.framed(0, 1);
        if self.meet(at, slot) && self.is_repeated(at, slot) {
            self.deal.end(slot.game, at, Finish::drawn(Ending::Repetition, slot.plies, slot.laps));
            return false;
        }
        D::undo(&mut slot.stream);
        self.draw(at, slot);
        true
    }

    /// Ends a game by an endless relay and begins the next one; false where there is none.
    #[inline(always)]
    fn endless(&mut self, at: usize, slot: &mut Slot<R, D::Stream>, laps: u32) -> bool {
        let laps = slot.laps + u64::from(laps);
        self.deal.end(slot.game, at, Finish::drawn(Ending::Endless, slot.plies + 1, laps));
        self.begin(at, slot)
    }
}

/// A lead as the player sees it who moves next: the other one where `passes` is 1.
#[inline(always)]
fn seen_by_next(lead: i32, passes: usize) -> i32 {
    (lead ^ -(passes as i32)) + passes as i32
}
