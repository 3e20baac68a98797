//! One move by itself: its relay, and how it ends.

use super::abreast::Child;
use super::ring::{Course, Ring};
use crate::board::{Board, Sowing};
use crate::rules::{Direction, Player};

/// Laps that a relay may run before anybody asks whether it is endless.
pub(super) const TRUSTED: u32 = 64;

/// A relay that has run.
pub(super) struct Run<R> {
    pub(super) turned: R,
    pub(super) course: Course,
    pub(super) laps: u32,
    /// Whether it came back to its first state (R9).
    pub(super) endless: bool,
}

/// Runs a relay to its end.
#[inline(always)]
pub(super) fn run<R: Ring>(start: R, course: Course) -> Run<R> {
    let mut run = Run { turned: start, course, laps: 0, endless: false };
    let mut seeds = start.seeds();
    loop {
        run.turned = run.turned.lap(seeds);
        run.course.advance::<R>(seeds);
        run.laps += 1;
        seeds = run.turned.seeds();
        if seeds == 1 {
            return run;
        }
        if run.laps == TRUSTED {
            return run_asking(start, course);
        }
    }
}

/// [`run`], asking after every second lap whether the relay has come back to its first state.
///
/// A turned ring does not tell the pit that it is turned to. But where the same ring comes round at another pit, the
/// relay will go on as it did, from there; so it is endless and comes back to its first pit at last.
#[inline(always)]
pub(super) fn run_asking<R: Ring>(start: R, course: Course) -> Run<R> {
    let mut run = Run { turned: start, course, laps: 0, endless: false };
    let first = course;
    loop {
        for _ in 0..2 {
            let seeds = run.turned.seeds();
            run.turned = run.turned.lap(seeds);
            run.course.advance::<R>(seeds);
            run.laps += 1;
            if run.turned.seeds() == 1 {
                return run;
            }
        }
        run.course.settle::<R>();
        if run.turned.same(start) && run.course.is_at(first) {
            run.endless = true;
            return run;
        }
    }
}

/// Sows a pit of `player`'s to the end of its relay, capture included; `ring` is the board's.
#[inline(always)]
pub(super) fn sow<R: Ring>(
    ring: R,
    board: &mut Board,
    player: Player,
    pit: usize,
    direction: Direction,
) -> Sowing {
    let down = usize::from(direction == Direction::Cw);
    // Turned, it is the same ring from either seat.
    let turned = ring.turned(down, pit);
    let run = run(turned, Course::new::<R>(down, pit - player.first_pit(R::WIDTH as usize)));
    let (after, sowing) = Child::of(run, down as u32).told(board, usize::from(player == Player::South));
    *board = after;
    sowing
}
