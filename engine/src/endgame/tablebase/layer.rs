//! All boards of so many seeds, and how they are solved at once.
//!
//! Without captures the lead stays as it is, so the boards of one layer form a graph of moves that end in known values:
//! captures, in a lower layer, and games that are over. For the player who wants to win, call them the winner, each board
//! has two nodes: the winner to move, with the least lead from which they win (`win`), and the other to move, with the
//! winner's least lead from which the other loses (`lose`, which is 1 minus the other's threshold of a draw). The winner
//! takes the least of what moves lead to, the other the greatest, and who never gets anywhere has not won: so `lose` is
//! infinite where the other can go on for ever, or run into an endless relay.
//!
//! That is Dijkstra's way on a graph of minima and maxima (D. E. Knuth, A generalization of Dijkstra's algorithm, 1977;
//! here without costs, so within one value it is breadth-first): values are settled from the lowest up. A node of the
//! winner is settled by the first of its moves that is, one of the other's by the last. Each move is taken back once for
//! either kind of node, and nothing is ever looked at again.
//!
//! The round within its value in which a node was settled is kept as its *rank*. A winner who plays to where value and
//! rank together are less gets nearer to a capture or the end with every move of either side; and the ranks prove that
//! the values are the least ones that their equations allow, which the equations alone do not.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU8, AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::error::TablebaseError;
use super::index::Index;
use super::unsow::{can_sow, each_before, position};
use super::value::{Threshold, Thresholds};
use crate::board::MoveKind;

/// No lead is enough.
const NEVER: i8 = i8::MAX;
/// Any lead is.
const ALWAYS: i8 = i8::MIN;
/// No rank yet.
const UNRANKED: u8 = u8::MAX;
/// Boards that a thread takes at a time.
const CHUNK: usize = 1 << 13;
/// Nodes that a thread takes at a time.
const NODES: usize = 1 << 10;

/// Most boards in a layer: a node's number has 31 bits for its board and one for its kind.
pub(super) const MOST_BOARDS: u64 = 1 << 31;

/// Bytes of memory that solving takes for each board of the layer, at most: the arrays of [`Work`], then either the lists
/// of nodes or the layer that comes of it.
pub(super) const BYTES_A_BOARD: u64 = 5 + 4;

/// The part of a layer's nodes that are listed; where more are settled at a time, they are looked for instead.
const LISTED: usize = 16;

/// What is known of all boards of so many seeds, by their [numbers](Index::number).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    /// Of each board the thresholds of win and draw, as [`unpack`] reads them.
    pub(super) thresholds: Vec<[u8; 2]>,
    /// Of each board the ranks of the two: of the win for the player to move, and of the opponent's win below the
    /// threshold of a draw; 0 where there is none.
    pub(super) ranks: Vec<[u8; 2]>,
}

impl Layer {
    /// The thresholds of a board.
    #[inline]
    pub(super) fn get(&self, number: u64) -> Thresholds {
        let [win, draw] = self.thresholds[number as usize];
        Thresholds { win: unpack(win), draw: unpack(draw) }
    }
}

/// The threshold that a byte stands for.
#[inline]
pub(super) const fn unpack(byte: u8) -> Threshold {
    match byte as i8 {
        ALWAYS => Threshold::Always,
        NEVER => Threshold::Never,
        lead => Threshold::Lead(lead as i32),
    }
}

/// 1 minus a threshold: what it leaves the other player.
const fn turned(threshold: i8) -> i8 {
    match threshold {
        NEVER => ALWAYS,
        ALWAYS => NEVER,
        lead => 1 - lead,
    }
}

/// A threshold with so much added to its lead.
const fn plus(threshold: i8, seeds: i8) -> i8 {
    match threshold {
        NEVER | ALWAYS => threshold,
        lead => lead + seeds,
    }
}

/// Why a layer is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsolved {
    /// It was asked to stop.
    Stopped,
    /// A rank does not fit a byte.
    TooDeep,
}

impl Unsolved {
    /// The error that it is for the layer of so many seeds.
    pub(super) const fn at(self, seeds: usize) -> TablebaseError {
        match self {
            Unsolved::Stopped => TablebaseError::Stopped { seeds },
            Unsolved::TooDeep => TablebaseError::TooDeep { seeds },
        }
    }
}

/// A layer being solved. Both kinds of node have the winner's least lead: settled, or the best (the worst) of what is
/// known from moves that leave the layer and boards where the game is over.
struct Work<'a> {
    index: &'a Index,
    seeds: usize,
    win: Vec<AtomicI8>,
    lose: Vec<AtomicI8>,
    /// Moves of the one who is to lose that stay in the layer and lead to nodes not yet settled.
    left: Vec<AtomicU8>,
    /// For each node the round, within its value, in which it was settled.
    ranks: [Vec<AtomicU8>; 2],
}

/// Nodes settled in one round.
enum Settled {
    /// The numbers of boards times two, and 1 more where the winner is not to move.
    Listed(Vec<Vec<u32>>),
    /// Too many to be listed: those that have the round for their rank.
    Many,
}

/// Solves the layer of `seeds` seeds; `lower` are the layers of fewer, from none on. `progress` is told of boards, each
/// of them about twice in the end.
pub(super) fn solve(
    index: &Index,
    seeds: usize,
    lower: &[Layer],
    stop: &AtomicBool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Layer, Unsolved> {
    let boards = index.boards(seeds);
    assert!(boards <= MOST_BOARDS && lower.len() == seeds, "the caller looks at both");
    let bytes = |byte: u8| (0..boards).map(|_| AtomicU8::new(byte)).collect::<Vec<_>>();
    let thresholds = |threshold: i8| (0..boards).map(|_| AtomicI8::new(threshold)).collect();
    let work = Work {
        index,
        seeds,
        win: thresholds(NEVER),
        lose: thresholds(ALWAYS),
        left: bytes(0),
        ranks: [bytes(UNRANKED), bytes(UNRANKED)],
    };
    work.each_chunk().for_each(|numbers| {
        if !stop.load(Relaxed) {
            progress(numbers.len() as u64);
            work.leave(numbers, lower);
        }
    });
    let n = seeds as i8;
    for value in 1 - n..=1 + n {
        work.each_chunk().for_each(|numbers| work.begin(numbers, value));
        let mut nodes = Settled::Many;
        for rank in 0.. {
            if stop.load(Relaxed) {
                return Err(Unsolved::Stopped);
            }
            if rank == UNRANKED {
                return Err(Unsolved::TooDeep);
            }
            let Some(next) = work.round(&nodes, value, rank, progress) else { break };
            nodes = next;
        }
    }
    if stop.load(Relaxed) { Err(Unsolved::Stopped) } else { Ok(work.layer()) }
}

impl Work<'_> {
    /// The boards in pieces for threads to take.
    fn each_chunk(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let boards = self.win.len();
        (0..boards.div_ceil(CHUNK))
            .into_par_iter()
            .map(move |chunk| chunk * CHUNK..((chunk + 1) * CHUNK).min(boards))
    }

    /// Takes from some boards what their moves out of the layer are worth, and counts those that stay in it.
    fn leave(&self, numbers: Range<usize>, lower: &[Layer]) {
        let width = self.index.width();
        let mut pits = self.index.board(self.seeds, numbers.start as u64);
        for number in numbers {
            let (mut win, mut lose, mut left) = (NEVER, ALWAYS, 0);
            let position = position(width, &pits);
            position.each_step(|_, step| match step.sowing.kind {
                MoveKind::Turn | MoveKind::Extra | MoveKind::Pass => left += 1,
                MoveKind::Endless => lose = NEVER,
                MoveKind::Capture => {
                    let taken = step.sowing.captured;
                    let after = self.index.number_turned(step.position.board().pits());
                    let theirs = lower[self.seeds - usize::from(taken)].thresholds[after as usize];
                    let [their_win, their_draw] = theirs.map(|byte| byte as i8);
                    win = win.min(plus(turned(their_draw), -(taken as i8)));
                    lose = lose.max(plus(their_win, taken as i8));
                }
            });
            if position.no_moves() {
                let seeds = |row: &[u8]| row.iter().sum::<u8>() as i8;
                let ahead = seeds(&pits[..width]) - seeds(&pits[width..2 * width]);
                (win, lose) = (1 - ahead, 1 + ahead);
            }
            self.win[number].store(win, Relaxed);
            self.lose[number].store(lose, Relaxed);
            self.left[number].store(left, Relaxed);
            self.index.advance(&mut pits);
        }
    }

    /// Settles, among some boards, the nodes that have a value by what leaves the layer alone.
    fn begin(&self, numbers: Range<usize>, value: i8) {
        for number in numbers {
            if self.win[number].load(Relaxed) == value {
                self.ranks[0][number].store(0, Relaxed);
            }
            if self.lose[number].load(Relaxed) == value && self.left[number].load(Relaxed) == 0 {
                self.ranks[1][number].store(0, Relaxed);
            }
        }
    }

    /// Goes back from all nodes settled at a value in the round `rank`; those settled by it, in the next round. `None`
    /// where there were none to go back from.
    fn round(
        &self,
        nodes: &Settled,
        value: i8,
        rank: u8,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Option<Settled> {
        let found = AtomicUsize::new(0);
        let went = AtomicUsize::new(0);
        let go = |nodes: &[u32]| {
            went.fetch_add(nodes.len(), Relaxed);
            progress(nodes.len() as u64 / 2);
            let mut settled = Vec::new();
            self.go_back(nodes, value, rank + 1, &mut settled);
            // Beyond the limit nobody reads them.
            let many = found.fetch_add(settled.len(), Relaxed) + settled.len() > self.win.len() / LISTED;
            if many { Vec::new() } else { settled }
        };
        let settled: Vec<Vec<u32>> = match nodes {
            Settled::Listed(lists) => {
                lists.par_iter().flat_map(|list| list.par_chunks(NODES)).map(go).collect()
            }
            Settled::Many => {
                self.each_chunk().map(|numbers| go(&self.settled_in(numbers, value, rank))).collect()
            }
        };
        let next = match found.into_inner() {
            many if many > self.win.len() / LISTED => Settled::Many,
            _ => Settled::Listed(settled),
        };
        (went.into_inner() > 0).then_some(next)
    }

    /// The nodes of some boards that were settled at a value in a round.
    fn settled_in(&self, numbers: Range<usize>, value: i8, rank: u8) -> Vec<u32> {
        let mut nodes = Vec::new();
        for number in numbers {
            for (kind, values) in [&self.win, &self.lose].into_iter().enumerate() {
                if self.ranks[kind][number].load(Relaxed) == rank && values[number].load(Relaxed) == value {
                    nodes.push((number as u32) << 1 | kind as u32);
                }
            }
        }
        nodes
    }

    /// Takes back every move to nodes settled at a value; adds the nodes that it settles and gives them a rank.
    fn go_back(&self, nodes: &[u32], value: i8, rank: u8, settled: &mut Vec<u32>) {
        let width = self.index.width();
        for &node in nodes {
            let loses = node & 1 == 1;
            let pits = self.index.board(self.seeds, u64::from(node >> 1));
            let mut before = |number: u64, passed: bool| {
                let at = number as usize;
                if loses == passed {
                    // The winner moved here.
                    let win = &self.win[at];
                    if win.load(Relaxed) > value && win.fetch_min(value, Relaxed) > value {
                        self.ranks[0][at].store(rank, Relaxed);
                        settled.push((number as u32) << 1);
                    }
                } else if self.left[at].fetch_sub(1, Relaxed) == 1 && self.lose[at].load(Relaxed) <= value {
                    self.lose[at].store(value, Relaxed);
                    self.ranks[1][at].store(rank, Relaxed);
                    settled.push((number as u32) << 1 | 1);
                }
            };
            each_before(width, &pits, |pits, passed| {
                let pits = &pits[..2 * width];
                before(if passed { self.index.number_turned(pits) } else { self.index.number(pits) }, passed);
            });
            // Before a forced pass the other player was to move.
            if !can_sow(&pits[width..2 * width]) && can_sow(&pits[..width]) {
                before(self.index.number_turned(&pits[..2 * width]), true);
            }
        }
    }

    /// What came of it.
    fn layer(&self) -> Layer {
        let boards = || (0..self.win.len()).into_par_iter();
        let lose = |at: usize| match self.ranks[1][at].load(Relaxed) {
            UNRANKED => NEVER,
            _ => self.lose[at].load(Relaxed),
        };
        let thresholds = boards().map(|at| [self.win[at].load(Relaxed), turned(lose(at))].map(|t| t as u8));
        let rank = |rank: u8| if rank == UNRANKED { 0 } else { rank };
        let ranks = boards().map(|at| [0, 1].map(|kind: usize| rank(self.ranks[kind][at].load(Relaxed))));
        Layer { thresholds: thresholds.collect(), ranks: ranks.collect() }
    }
}
