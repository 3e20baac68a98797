//! Lines of play, every ply of them played. The moves of a position are sown abreast; the last plies of the lines, which
//! are nearly all there are, as many at once as there is room for, whatever positions they are played in.

use super::abreast::{Child, sow_all};
use super::relay::{self, TRUSTED};
use super::relays::{Bits, Relays, SLOTS};
use super::ring::{Course, End, Ring, end};
use super::seen::{Seen, bits_of, seen};
use crate::perft::Tally;
use crate::position::Position;
use crate::rules::{MAX_WIDTH, Player};

/// A position in a line.
#[derive(Clone, Copy)]
struct Node<R> {
    ring: R,
    player: u32,
    /// Where in the path the positions since the last capture begin.
    since: usize,
    /// Two bits for each of them, by its hash.
    met: u64,
}

/// A position whose moves are last plies.
struct Last<R> {
    node: Node<R>,
    /// The positions since the last capture, this one last.
    path: Vec<Seen>,
    /// Moves still being sown.
    sown: u32,
}

/// A move that is a last ply.
#[derive(Clone, Copy, Default)]
struct Ply {
    down: u32,
    pit: u32,
    /// The number of its position among the last ones.
    last: usize,
    /// The round in which its first lap is sown.
    began: u32,
}

struct Lines<R> {
    /// The positions from the last capture of the game to where the line stands.
    path: Vec<Seen>,
    tally: Tally,
    last: Vec<Last<R>>,
    /// The places of `last` that are free.
    unused: Vec<usize>,
    plies: [Ply; SLOTS],
    relays: Relays<R>,
    running: Bits,
    round: u32,
}

/// The tally of the lines of just `depth` plies from the last of `recent`, in a game that is not over.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn tally<R: Ring>(recent: &[Position], depth: u32) -> Tally {
    let mut path = Vec::new();
    let mut node = None;
    for position in recent {
        let south = usize::from(position.to_move() == Player::South);
        // SAFETY: this function has the features.
        let ring = unsafe { R::load(&position.board().pits) }.framed(0, south);
        let player = position.to_move().index() as u32;
        let seen = seen(ring, player);
        let met = node.map_or(0, |node: Node<R>| node.met) | bits_of(seen);
        path.push(seen);
        node = Some(Node { ring, player, since: 0, met });
    }
    let node = node.expect("a game has a position");
    let mut lines = Lines {
        path,
        tally: Tally::default(),
        last: Vec::new(),
        unused: Vec::new(),
        plies: [Ply::default(); SLOTS],
        relays: Relays::new(node.ring),
        running: 0,
        round: 0,
    };
    lines.below(&node, depth);
    while lines.running != 0 {
        lines.sow();
    }
    lines.tally
}

impl<R: Ring> Lines<R> {
    /// Adds the lines of just `depth` plies, at least one, from a position in which the game is not over.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn below(&mut self, node: &Node<R>, depth: u32) {
        let row = (1 << R::WIDTH) - 1;
        let pits = node.ring.sowable() & row;
        if pits == 0 {
            let ring = node.ring.framed(0, 1);
            let child =
                Child { end: End { ring, passes: 1, captured: 0, columns: 0 }, laps: 0, endless: false };
            self.tally.nodes += u64::from(depth == 1);
            self.tally.passes += u64::from(depth == 1);
            return self.beyond(node, &child, depth);
        }
        if depth == 1 {
            return self.play_last(node, pits);
        }
        let mut children = [Child::nothing(node.ring); 2 * MAX_WIDTH];
        let count = sow_all(node.ring, &mut children);
        for child in &children[..count] {
            self.beyond(node, child, depth);
        }
    }

    /// Adds the lines of just `depth` plies, at least one, that begin with a given move.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn beyond(&mut self, node: &Node<R>, child: &Child<R>, depth: u32) {
        if depth == 1 {
            let repeated = |path: &[Seen], seen: &Seen| path[node.since..].contains(seen);
            return count(&mut self.tally, node, child, |seen| repeated(&self.path, seen));
        }
        let End { ring, passes, columns, .. } = child.end;
        let player = node.player ^ passes as u32;
        let (since, met) = if columns == 0 { (node.since, node.met) } else { (self.path.len(), 0) };
        let seen = seen(ring, player);
        let bits = bits_of(seen);
        let repeated = met & bits == bits && self.path[since..].contains(&seen);
        if !child.endless && !repeated && ring.sowable() != 0 {
            self.path.push(seen);
            self.below(&Node { ring, player, since, met: met | bits }, depth - 1);
            self.path.pop();
        }
    }

    /// Lets the moves of a position run that are last plies.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play_last(&mut self, node: &Node<R>, mut pits: u32) {
        let last = self.unused.pop().unwrap_or_else(|| {
            self.last.push(Last { node: *node, path: Vec::new(), sown: 0 });
            self.last.len() - 1
        });
        let Last { node: its_node, path, sown } = &mut self.last[last];
        *its_node = *node;
        *sown = 2 * pits.count_ones();
        self.tally.nodes += u64::from(*sown);
        path.clear();
        path.extend_from_slice(&self.path[node.since..]);
        while pits != 0 {
            let pit = pits.trailing_zeros();
            pits &= pits - 1;
            for down in 0..2 {
                while self.running == Bits::MAX {
                    self.sow();
                }
                let at = self.running.trailing_ones() as usize % SLOTS;
                self.running |= 1 << at;
                self.plies[at] = Ply { down, pit, last, began: self.round };
                self.relays.set(at, begun(node.ring, down, pit));
            }
        }
    }

    /// Sows a lap of every last ply that runs, and counts those that land.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn sow(&mut self) {
        // What has landed runs on in its place, and nobody looks.
        self.tally.laps += u64::from(self.running.count_ones());
        let mut landed = self.relays.round() & self.running;
        self.round = self.round.wrapping_add(1);
        self.running &= !landed;
        while landed != 0 {
            let at = landed.trailing_zeros() as usize;
            landed &= landed - 1;
            let Ply { down, began, .. } = self.plies[at];
            let laps = self.round.wrapping_sub(began);
            let (turned, course) = self.relays.get(at);
            let end = end(turned, course, ((down + laps + 1) & 1) as usize);
            self.count(at, &Child { end, laps, endless: false });
        }
        if self.round.is_multiple_of(TRUSTED) {
            let mut running = self.running;
            while running != 0 {
                let at = running.trailing_zeros() as usize;
                running &= running - 1;
                let Ply { down, pit, last, began } = self.plies[at];
                if self.round.wrapping_sub(began) < TRUSTED {
                    continue;
                }
                // A long one is run to its end by itself.
                self.running &= !(1 << at);
                let (turned, course) = begun(self.last[last].node.ring, down, pit);
                let run = relay::run_asking(turned, course);
                // Those up to now are counted already.
                self.tally.laps += u64::from(run.laps);
                self.tally.laps -= u64::from(self.round.wrapping_sub(began));
                self.tally.endless += u64::from(run.endless);
                self.count(at, &Child::of(run, down));
            }
        }
    }

    /// Counts a last ply.
    #[inline(always)]
    fn count(&mut self, at: usize, child: &Child<R>) {
        let number = self.plies[at].last;
        let last = &mut self.last[number];
        count(&mut self.tally, &last.node, child, |seen| last.path.contains(seen));
        last.sown -= 1;
        if last.sown == 0 {
            self.unused.push(number);
        }
    }
}

/// The relay of a move.
#[inline(always)]
fn begun<R: Ring>(ring: R, down: u32, pit: u32) -> (R, Course) {
    let (down, pit) = (down as usize, pit as usize);
    (ring.turned(down, pit), Course::new::<R>(down, pit))
}

/// Counts what a last ply did, but for its laps; `repeated` is asked only of what may be.
#[inline(always)]
fn count<R: Ring>(tally: &mut Tally, node: &Node<R>, child: &Child<R>, repeated: impl Fn(&Seen) -> bool) {
    let End { ring, passes, captured, columns } = child.end;
    let seen = seen(ring, node.player ^ passes as u32);
    let bits = bits_of(seen);
    // What tells that it cannot be, in one number, so that there is one branch, and that seldom taken.
    let tells = bits & !node.met | u64::from(columns) | u64::from(child.endless);
    let repeated = tells == 0 && repeated(&seen);
    let drawn = child.endless | repeated;
    let sowable = ring.sowable() & u32::from(drawn).wrapping_sub(1);
    let own = (sowable & ((1 << R::WIDTH) - 1)).count_ones();
    tally.moves += u64::from(2 * own + u32::from((own == 0) & (sowable != 0)));
    tally.extra += u64::from(!child.endless & (passes == 0));
    tally.captures += u64::from(columns != 0);
    tally.chains += u64::from(columns & columns.wrapping_sub(1) != 0);
    tally.captured += u64::from(captured);
    tally.repetitions += u64::from(repeated);
    tally.over += u64::from(!drawn & (sowable == 0));
}
