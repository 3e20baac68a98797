//! Monte-Carlo tree search: UCT (Kocsis & Szepesvári 2006) over sowings, with proven bounds handed up the tree
//! (score-bounded MCTS: Cazenave & Saffidine 2010) and, beside the mean of the results, the minimax value of an
//! evaluator (implicit minimax backups: Lanctot, Winands, Pepels & Sturtevant 2014).
//!
//! A sowing is a ply, an extra move a further one, a forced pass one. Every node's values are those of its own player
//! to move, and change sign on the way up only where the player changed. What a position is worth depends on the
//! positions before it (a repetition is a draw), so the tree is a tree: each node has one line that leads to it.
//!
//! Bounds come from endings, repetitions and endless relays, from piles of half the seeds, and from perpetuals: a
//! player to move whose row holds one has a draw at least. Where that is the opponent, a move leaves no more than a
//! draw; so a player who holds a draw goes on only to what may be better.

mod node;
mod tree;

use std::sync::Arc;

use self::node::Bounds;
use self::tree::{Promises, Tree};
use super::Control;
use crate::endgame::tablebase::Tablebase;
use crate::game::Game;
use crate::net::Quantised;
use crate::playout::Playout;
use crate::position::Position;
use crate::rules::Move;

/// Simulations between two looks at the clock: some tens of microseconds.
const BETWEEN_LOOKS: u64 = 4;
/// Widest row of which so many are made between two looks; of wider ones, whose perpetuals are long to find, one.
const QUICK_WIDTH: usize = 8;
/// Rows of those that are asked for perpetuals in one simulation.
const MOST_ASKED: u32 = 4;
/// The first number of simulations that an observer is told of; then each time they have doubled.
const FIRST_REPORT: u64 = 128;
/// How much minimax values of the material count count beside means.
const MINIMAX: f32 = 0.9;
/// How much those of a network do, whose single values err less evenly.
const NETWORK_MINIMAX: f32 = 0.6;

/// How leaves are judged.
pub enum Judge {
    /// By one random game to its end, its result beside the material count.
    Playout,
    /// By the material count alone.
    Material,
    /// By a network.
    Network(Arc<Quantised>),
}

impl Judge {
    /// How much minimax values count beside means.
    fn minimax(&self) -> f32 {
        match self {
            Judge::Material => 1.0,
            Judge::Playout => MINIMAX,
            Judge::Network(_) => NETWORK_MINIMAX,
        }
    }
}

/// When a search stops: at the first limit reached, or when the value is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimLimits {
    /// Simulations.
    pub sims: Option<u64>,
    /// Time to think, by the clock handed in.
    pub time: Option<std::time::Duration>,
}

/// What a search found, at the end and now and then before.
#[derive(Clone, Debug, PartialEq)]
pub struct MctsReport {
    /// The expected result for the player to move, −1 … 1, within what is proven: 0 at least where a draw is in hand.
    pub value: f32,
    /// Whether it is proven; then it is −1, 0 or 1.
    pub proven: bool,
    /// The line thought best, the chosen move first; never empty.
    pub line: Vec<Move>,
    /// Plies of the longest line in the tree that this search looked at.
    pub depth: u32,
    /// Simulations of this search.
    pub sims: u64,
}

/// A search, which keeps its tree from one move of a game to the next.
pub struct Mcts {
    judge: Judge,
    /// How much a move's being visited seldom counts beside its results.
    exploration: f32,
    tree: Tree,
    playout: Playout,
    /// The nodes of the simulation that runs, the root first.
    path: Vec<usize>,
    /// The positions from the last capture of the game to the last node of the path.
    line: Vec<Position>,
}

impl Mcts {
    /// A search without a tree yet.
    #[must_use]
    pub fn new(judge: Judge, exploration: f64) -> Mcts {
        Mcts::with_tables(judge, exploration, None)
    }

    /// A search without a tree yet that has endgame tables: what they know is proven after a capture, when nothing can
    /// be repeated.
    #[must_use]
    pub fn with_tables(judge: Judge, exploration: f64, tables: Option<Arc<Tablebase>>) -> Mcts {
        let promises = match judge {
            Judge::Playout | Judge::Material => Promises::OfAll,
            Judge::Network(_) => Promises::OfVisited,
        };
        Mcts {
            judge,
            exploration: exploration as f32,
            tree: Tree::new(promises, tables),
            playout: Playout::new(),
            path: Vec::new(),
            line: Vec::new(),
        }
    }

    /// The endgame tables.
    #[must_use]
    pub const fn tables(&self) -> Option<&Arc<Tablebase>> {
        self.tree.tables.as_ref()
    }

    /// Searches the position of a game that is not over; `observe` is told what has been found now and then. One
    /// simulation is made at least, unless the value is proven without. Deterministic from the generator unless
    /// `limits.time` is set.
    ///
    /// # Panics
    /// When the game is over.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &SimLimits,
        control: &Control<'_>,
        rng: &mut dyn rand::Rng,
        mut observe: impl FnMut(&MctsReport),
    ) -> MctsReport {
        assert!(game.ending().is_none(), "the game is over");
        let deadline = control.deadline(limits.time);
        let expansions = limits.sims.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
        if !self.tree.set_root(game, expansions, || control.is_over(deadline)) {
            self.set_out(game);
            self.grow(0, 0);
        }
        self.tree.find_circle();
        let between = if game.position().width() > QUICK_WIDTH { 1 } else { BETWEEN_LOOKS };
        let (mut sims, mut depth) = (0, 0);
        while !self.tree.nodes[0].bounds.is_exact() {
            depth = depth.max(self.simulate(game, rng));
            sims += 1;
            if limits.sims.is_some_and(|most| sims >= most)
                || sims.is_multiple_of(between) && control.is_over(deadline)
            {
                break;
            }
            if sims >= FIRST_REPORT && sims.is_power_of_two() {
                observe(&self.report(depth, sims));
            }
        }
        self.report(depth, sims)
    }

    /// What the last search thinks of every legal move, for the player who makes it, −1 … 1: results and promises
    /// within what is proven, of a move not yet visited its promise alone.
    #[must_use]
    pub fn each(&self) -> Vec<(Move, f32)> {
        let root = &self.tree.nodes[0];
        let weight = self.judge.minimax();
        let children = self.tree.nodes[root.children()].iter();
        // No negative zero.
        children
            .map(|child| (child.mv, child.bounds_for(root).clamp(child.worth_for(root, weight)) + 0.0))
            .collect()
    }

    /// Back to the root.
    fn set_out(&mut self, game: &Game) {
        self.path.clear();
        self.path.push(0);
        self.line.clear();
        self.line.extend_from_slice(game.recent());
    }

    /// Judges the last node of the path, whose positions since the last capture are those of the line from `since` on,
    /// expands it if there is room, and hands up what that tells.
    fn grow(&mut self, at: usize, since: usize) {
        if let Judge::Network(network) = &self.judge {
            let node = &mut self.tree.nodes[at];
            node.judged = node.bounds.clamp(network.value(&node.position));
        }
        if !self.tree.is_full() {
            self.tree.expand(at, &self.line[since..]);
        }
        self.tree.hand_up(&self.path);
    }

    /// One simulation: down the tree, a leaf judged, its value handed up. Returns the plies gone down.
    fn simulate(&mut self, game: &Game, rng: &mut dyn rand::Rng) -> u32 {
        self.set_out(game);
        let (mut at, mut since, mut asked) = (0, 0, 0);
        let most_asked = if game.position().width() > QUICK_WIDTH { MOST_ASKED } else { u32::MAX };
        // What can still matter to the root: between what both players have in hand on the way.
        let mut window = Bounds::OPEN;
        loop {
            if self.tree.nodes[at].children == 0 {
                self.grow(at, since);
                break;
            }
            window = window.and(self.tree.nodes[at].bounds);
            if window.low >= window.high {
                break;
            }
            let child = self.select(at, window);
            if !self.tree.nodes[child].asked && asked < most_asked {
                asked += 1;
                if self.tree.nodes[child].ask() {
                    self.tree.hand_up(&self.path);
                    continue;
                }
            }
            window = window.seen(self.tree.nodes[child].sign(&self.tree.nodes[at]));
            at = child;
            self.path.push(at);
            if self.tree.nodes[at].captured {
                since = self.line.len();
            }
            self.line.push(self.tree.nodes[at].position);
        }
        let leaf = &self.tree.nodes[at];
        let mut mover = leaf.position.to_move();
        let mut value = match &self.judge {
            Judge::Playout if !leaf.bounds.is_exact() => {
                let outcome = self.playout.play(&self.line[since..], rng).outcome;
                f32::from(outcome.result_for(mover))
            }
            _ => leaf.judged,
        };
        for &at in self.path.iter().rev() {
            let node = &mut self.tree.nodes[at];
            // The side to move is asked, never assumed.
            if node.position.to_move() != mover {
                value = -value;
                mover = node.position.to_move();
            }
            // Who has a draw in hand need not lose.
            value = node.bounds.clamp(value);
            node.visits = node.visits.saturating_add(1);
            node.sum += f64::from(value);
        }
        if let [above @ .., _] = self.path.as_slice()
            && self.tree.promises == Promises::OfVisited
        {
            // The leaf is a child visited now.
            self.tree.hand_up(above);
        }
        self.path.len() as u32 - 1
    }

    /// The child that a simulation goes on to: of those that can matter within the window, the one of the greatest
    /// upper confidence bound. There is one where the node's own bounds leave something open in it.
    fn select(&self, at: usize, window: Bounds) -> usize {
        let node = &self.tree.nodes[at];
        let ln = (node.visits.max(1) as f32).ln();
        let weight = self.judge.minimax();
        let mut best = (f32::NEG_INFINITY, at);
        for number in node.children() {
            let child = &self.tree.nodes[number];
            let bounds = child.bounds_for(node).and(window);
            if bounds.low >= bounds.high {
                continue;
            }
            let seldom = (ln / (child.visits + 1) as f32).sqrt();
            let urgency = child.worth_for(node, weight) + self.exploration * seldom;
            if urgency > best.0 {
                best = (urgency, number);
            }
        }
        debug_assert_ne!(best.1, at, "a node that is open in the window has a child that is");
        best.1
    }

    /// The child that is played from a node. Of those that may be better than what is proven, the one worth most, a
    /// few visits counting against it. Where that is thought no better than what is proven, or nothing can be, one
    /// that is proven as good: of those one that ends the game, if there is one, for a circle can be long.
    fn best(&self, at: usize) -> usize {
        let node = &self.tree.nodes[at];
        let weight = self.judge.minimax();
        let low = node.bounds.low;
        // Of equals the first.
        let mut best = None;
        for number in node.children() {
            let child = &self.tree.nodes[number];
            if child.visits == 0 || child.bounds_for(node).high <= low {
                continue;
            }
            let worth = child.worth_for(node, weight);
            let sure = worth - 1.0 / (child.visits as f32).sqrt();
            if best.is_none_or(|(_, most, _)| sure > most) {
                best = Some((number, sure, worth));
            }
        }
        if let Some((number, _, worth)) = best
            && (low < 0 || worth > f32::from(low))
        {
            return number;
        }
        // A proven draw or win ends the search for one; a proven loss is worse than anything not proven.
        let rank = |number: usize| {
            let child = &self.tree.nodes[number];
            let low = child.bounds_for(node).low;
            (low, child.bounds.is_exact() == (low >= 0), child.visits)
        };
        let worth = |number: usize| self.tree.nodes[number].worth_for(node, weight);
        let better = |a: &usize, b: &usize| rank(*a).cmp(&rank(*b)).then(worth(*a).total_cmp(&worth(*b)));
        node.children().rev().max_by(better).expect("a position where the game is not over has a move")
    }

    fn report(&self, depth: u32, sims: u64) -> MctsReport {
        let nodes = &self.tree.nodes;
        let mut line = Vec::new();
        let mut at = 0;
        while nodes[at].children > 0 {
            let child = self.best(at);
            if !line.is_empty() && nodes[child].visits == 0 && !nodes[child].bounds.is_exact() {
                break;
            }
            line.push(nodes[child].mv);
            at = child;
        }
        let root = &nodes[0];
        let value = root.bounds.clamp(nodes[self.best(0)].worth_for(root, self.judge.minimax()));
        // No negative zero.
        let value = value + 0.0;
        MctsReport { value, proven: root.bounds.is_exact(), line, depth: depth.max(1), sims }
    }
}
