//! All the moves of a position abreast: a lap of each in turn, so that none waits for another.

use super::relay::{self, TRUSTED};
use super::ring::{Course, End, Ring, end};
use crate::board::{Board, MoveKind, Sowing};
use crate::rules::{Direction, MAX_WIDTH, Player};

/// A move and what came of it.
#[derive(Clone, Copy)]
pub(super) struct Child<R> {
    pub(super) end: End<R>,
    pub(super) laps: u32,
    pub(super) endless: bool,
}

impl<R: Ring> Child<R> {
    /// A move that left everything as it was.
    #[inline(always)]
    pub(super) fn nothing(ring: R) -> Child<R> {
        Child { end: End { ring, passes: 0, captured: 0, columns: 0 }, laps: 0, endless: false }
    }

    /// What comes of a move whose relay has run; it began down where `down` is 1.
    #[inline(always)]
    pub(super) fn of(run: relay::Run<R>, down: u32) -> Child<R> {
        let end = if run.endless {
            End { ring: run.turned, passes: 0, captured: 0, columns: 0 }
        } else {
            end(run.turned, run.course, ((down + run.laps + 1) & 1) as usize)
        };
        Child { end, laps: run.laps, endless: run.endless }
    }

    /// The board after the move and what it did, on a board on which player 0 moves where `south` is 1.
    #[inline(always)]
    pub(super) fn told(&self, board: &Board, south: usize) -> (Board, Sowing) {
        let Child { end, laps, endless } = *self;
        if endless {
            return (*board, Sowing { kind: MoveKind::Endless, laps, captured: 0, chain: 0 });
        }
        let mut after = *board;
        // Framed for player 1 again.
        end.ring.framed(0, south ^ end.passes).store(&mut after.pits);
        let kind = match (end.columns, end.passes) {
            (0, 0) => MoveKind::Extra,
            (0, _) => MoveKind::Turn,
            _ => MoveKind::Capture,
        };
        let chain = end.columns.count_ones().saturating_sub(1) as u8;
        (after, Sowing { kind, laps, captured: end.captured as u8, chain })
    }
}

/// Sows every move of a position that has one, in the order in which moves are generated; tells how many there are.
#[inline(always)]
pub(super) fn sow_all<R: Ring>(ring: R, children: &mut [Child<R>; 2 * MAX_WIDTH]) -> usize {
    let mut turned = [ring; 2 * MAX_WIDTH];
    let mut courses = [Course::new::<R>(0, 0); 2 * MAX_WIDTH];
    let mut seeds = [0; 2 * MAX_WIDTH];
    let mut pits = ring.sowable() & ((1 << R::WIDTH) - 1);
    let mut count = 0;
    while pits != 0 {
        let pit = pits.trailing_zeros() as usize;
        pits &= pits - 1;
        for down in 0..2 {
            turned[count] = ring.turned(down, pit);
            courses[count] = Course::new::<R>(down, pit);
            seeds[count] = turned[count].seeds();
            count += 1;
        }
    }
    let starts = (turned, courses);
    let mut running = (1u32 << count) - 1;
    let mut laps = 0;
    while running != 0 {
        laps += 1;
        let mut landed = 0;
        // Those that have landed run on, and nobody looks: fewer branches for a few laps more.
        for at in 0..count {
            turned[at] = turned[at].lap(seeds[at]);
            courses[at].advance::<R>(seeds[at]);
            seeds[at] = turned[at].seeds();
            landed |= u32::from(seeds[at] == 1) << at;
        }
        landed &= running;
        running &= !landed;
        while landed != 0 {
            let at = landed.trailing_zeros() as usize;
            landed &= landed - 1;
            let down = (at as u32 + laps + 1) & 1;
            children[at] = Child { end: end(turned[at], courses[at], down as usize), laps, endless: false };
        }
        // A last long one is sown by itself.
        if laps == TRUSTED || running.is_power_of_two() {
            while running != 0 {
                let at = running.trailing_zeros() as usize;
                running &= running - 1;
                children[at] = Child::of(relay::run(starts.0[at], starts.1[at]), at as u32 & 1);
            }
        }
    }
    count
}

/// Sows every move of a player who has one; tells of each its pit, its direction, the board after it and what it did.
#[inline(always)]
pub(super) fn sow_each<R: Ring>(
    ring: R,
    board: &Board,
    player: Player,
    visit: &mut impl FnMut(usize, Direction, &Board, Sowing),
) {
    let south = usize::from(player == Player::South);
    let framed = ring.framed(0, south);
    let mut children = [Child::nothing(framed); 2 * MAX_WIDTH];
    let count = sow_all(framed, &mut children);
    let mut pits = framed.sowable() & ((1 << R::WIDTH) - 1);
    for pair in children[..count].as_chunks::<2>().0 {
        let pit = pits.trailing_zeros() as usize + player.first_pit(R::WIDTH as usize);
        pits &= pits - 1;
        for (child, direction) in pair.iter().zip(Direction::BOTH) {
            let (after, sowing) = child.told(board, south);
            visit(pit, direction, &after, sowing);
        }
    }
}
