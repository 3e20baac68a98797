//! Monte-Carlo tree search: UCT (Kocsis & Szepesvári 2006) over sowings, with proven values handed up the tree
//! (MCTS-Solver: Winands, Björnsson & Saito 2008).
//!
//! A sowing is a ply, an extra move a further one, a forced pass one. Every node's values are those of its own player
//! to move, and change sign on the way up only where the player changed. What a position is worth depends on the
//! positions before it (a repetition is a draw), so the tree is a tree: each node has one line that leads to it.

use std::sync::Arc;

use super::{Control, Evaluator};
use crate::board::MoveKind;
use crate::game::{Game, Outcome};
use crate::net::Quantised;
use crate::playout::Playout;
use crate::position::Position;
use crate::rules::Move;

/// Most nodes of a tree: some fifty megabytes. In a full tree leaves are played out, but grow no more.
const MOST_NODES: usize = 1 << 20;
/// The nodes that an expansion adds at most.
const MOST_CHILDREN: usize = 2 * crate::rules::MAX_WIDTH;
/// Simulations between two looks at the clock: some hundred microseconds.
const BETWEEN_LOOKS: u64 = 16;
/// The first number of simulations that an observer is told of; then each time they have doubled.
const FIRST_REPORT: u64 = 128;

/// How leaves are judged.
pub enum Judge {
    /// By one random game to its end.
    Playout,
    /// By a network.
    Network(Arc<Quantised>),
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
    /// The expected result for the player to move, −1 … 1; exactly −1, 0 or 1 where it is proven.
    pub value: f32,
    /// Whether it is.
    pub proven: bool,
    /// The line most visited, the chosen move first; never empty.
    pub line: Vec<Move>,
    /// Plies of the longest line in the tree that this search looked at.
    pub depth: u32,
    /// Simulations of this search.
    pub sims: u64,
}

/// A node: a position, and the move that led to it.
#[derive(Clone, Copy)]
struct Node {
    position: Position,
    mv: Move,
    /// Whether the move captured, so that no position from before can come back (R7).
    captured: bool,
    /// The result for the player to move, where it is proven.
    proven: Option<i8>,
    /// Children, one after another from `first`; none before the node is expanded.
    children: u8,
    first: u32,
    visits: u32,
    /// Results for the player to move, added up.
    sum: f64,
}

impl Node {
    fn new(position: Position, mv: Move, captured: bool, proven: Option<i8>) -> Node {
        Node { position, mv, captured, proven, children: 0, first: 0, visits: 0, sum: 0.0 }
    }

    fn children(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.children)
    }

    /// 1 where the node's player to move is `parent`'s as well, −1 where the turn has passed.
    fn sign(&self, parent: &Node) -> i8 {
        if self.position.to_move() == parent.position.to_move() { 1 } else { -1 }
    }

    /// The proven result for `parent`'s player to move.
    fn proven_for(&self, parent: &Node) -> Option<i8> {
        self.proven.map(|result| result * self.sign(parent))
    }

    /// The mean result for `parent`'s player to move; a draw's before the first visit.
    fn mean_for(&self, parent: &Node) -> f64 {
        f64::from(self.sign(parent)) * self.sum / f64::from(self.visits.max(1))
    }
}

/// A search, which keeps its tree from one move of a game to the next.
pub struct Mcts {
    judge: Judge,
    /// How much a move's being visited seldom counts beside its results.
    exploration: f64,
    /// The root first.
    nodes: Vec<Node>,
    /// The game that the root stands for.
    game: Option<Game>,
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
        Mcts {
            judge,
            exploration,
            nodes: Vec::new(),
            game: None,
            playout: Playout::new(),
            path: Vec::new(),
            line: Vec::new(),
        }
    }

    /// Searches the position of a game that is not over; `observe` is told what has been found now and then. One
    /// simulation is made at least. Deterministic from the generator unless `limits.time` is set.
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
        self.set_root(game);
        let (mut sims, mut depth) = (0, 0);
        while self.nodes[0].proven.is_none() {
            depth = depth.max(self.simulate(game, rng));
            sims += 1;
            if limits.sims.is_some_and(|most| sims >= most)
                || sims.is_multiple_of(BETWEEN_LOOKS) && control.is_over(deadline)
            {
                break;
            }
            if sims >= FIRST_REPORT && sims.is_power_of_two() {
                observe(&self.report(depth, sims));
            }
        }
        self.report(depth, sims)
    }

    /// Makes the game's position the root: with what is known of it already, where the game continues the last one.
    fn set_root(&mut self, game: &Game) {
        let kept = self.game.as_ref().and_then(|known| self.node_after(continued(known, game)?));
        match kept {
            Some(0) => {}
            Some(root) => self.keep(root),
            None => {
                self.nodes.clear();
                self.nodes.push(Node::new(*game.position(), Move::Pass, false, None));
            }
        }
        self.game = Some(game.clone());
        if self.nodes[0].children == 0 {
            self.line.clear();
            self.line.extend_from_slice(game.recent());
            self.expand(0, 0);
            self.prove(&[0]);
        }
    }

    /// The node that moves lead to from the root, if it is there.
    fn node_after(&self, moves: impl Iterator<Item = Move>) -> Option<usize> {
        let mut at = 0;
        for mv in moves {
            at = self.nodes[at].children().find(|&child| self.nodes[child].mv == mv)?;
        }
        Some(at)
    }

    /// Makes a node the root and throws away all but what lies below it.
    fn keep(&mut self, root: usize) {
        let mut kept = Vec::with_capacity(self.nodes.len() / 8);
        kept.push(self.nodes[root]);
        let mut at = 0;
        while at < kept.len() {
            let children = kept[at].children();
            kept[at].first = kept.len() as u32;
            kept.extend_from_slice(&self.nodes[children]);
            at += 1;
        }
        self.nodes = kept;
    }

    /// One simulation: down the tree, a leaf judged, its value handed up. Returns the plies gone down.
    fn simulate(&mut self, game: &Game, rng: &mut dyn rand::Rng) -> u32 {
        self.path.clear();
        self.path.push(0);
        self.line.clear();
        self.line.extend_from_slice(game.recent());
        let (mut at, mut since) = (0, 0);
        loop {
            if self.nodes[at].children == 0 {
                // A leaf is judged at its first visit, and grows at its second.
                if self.nodes[at].visits == 0 || self.nodes.len() + MOST_CHILDREN > MOST_NODES {
                    break;
                }
                self.expand(at, since);
                let path = std::mem::take(&mut self.path);
                self.prove(&path);
                self.path = path;
                if self.nodes[at].proven.is_some() {
                    break;
                }
            }
            at = self.select(at);
            self.path.push(at);
            if self.nodes[at].captured {
                since = self.line.len();
            }
            self.line.push(self.nodes[at].position);
        }
        let leaf = &self.nodes[at];
        let mut value = match (leaf.proven, &self.judge) {
            (Some(result), _) => f64::from(result),
            (None, Judge::Playout) => {
                let outcome = self.playout.play(&self.line[since..], rng).outcome;
                f64::from(outcome.result_for(leaf.position.to_move()))
            }
            (None, Judge::Network(network)) => f64::from(network.evaluate(&leaf.position).value()),
        };
        let mut mover = leaf.position.to_move();
        for &at in self.path.iter().rev() {
            let node = &mut self.nodes[at];
            // The side to move is asked, never assumed.
            if node.position.to_move() != mover {
                value = -value;
                mover = node.position.to_move();
            }
            node.visits = node.visits.saturating_add(1);
            node.sum += value;
        }
        self.path.len() as u32 - 1
    }

    /// Adds the children of a node whose positions since the last capture are those of the line from `since` on.
    fn expand(&mut self, at: usize, since: usize) {
        let position = self.nodes[at].position;
        self.nodes[at].first = self.nodes.len() as u32;
        for mv in position.moves() {
            let step = position.step(mv);
            let captured = step.sowing.kind == MoveKind::Capture;
            let repeated = !captured && self.line[since..].contains(&step.position);
            let proven = if step.sowing.kind == MoveKind::Endless || repeated {
                Some(0)
            } else if step.position.no_moves() {
                let outcome = Outcome::of_score(step.position.score());
                Some(outcome.result_for(step.position.to_move()))
            } else {
                None
            };
            self.nodes.push(Node::new(step.position, mv, captured, proven));
            self.nodes[at].children += 1;
        }
    }

    /// Proves the nodes of a path, the last first, as far as their children allow.
    fn prove(&mut self, path: &[usize]) {
        for &at in path.iter().rev() {
            let node = self.nodes[at];
            // `None` is less than anything proven; a win needs no other child proven.
            let results = self.nodes[node.children()].iter().map(|child| child.proven_for(&node));
            let best = results.clone().max().flatten();
            if best != Some(1) && results.clone().any(|result| result.is_none()) {
                return;
            }
            self.nodes[at].proven = best;
        }
    }

    /// The child that a simulation goes on to: one not yet visited, the greatest capture first; else by its upper
    /// confidence bound. One that is proven has nothing more to tell; of an unproven node there is always another.
    fn select(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let ln = f64::from(node.visits.max(1)).ln();
        let mut best = (f64::NEG_INFINITY, at);
        for number in node.children() {
            let child = &self.nodes[number];
            if child.proven.is_some() {
                continue;
            }
            let urgency = if child.visits == 0 {
                let mover = node.position.to_move().index();
                1e6 + f64::from(child.position.piles()[mover])
            } else {
                child.mean_for(node) + self.exploration * (ln / f64::from(child.visits)).sqrt()
            };
            if urgency > best.0 {
                best = (urgency, number);
            }
        }
        best.1
    }

    /// The child that is played from a node: a proven win; else the one most visited, unless a proven draw is as good
    /// and it is not proven to lose; of proven losses the one that was looked at longest.
    fn best(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let rank = |number: &usize| {
            let child = &self.nodes[*number];
            let class = match child.proven_for(node) {
                Some(1) => 4,
                Some(0) => 2,
                Some(_) => 0,
                None if child.visits == 0 => 1,
                None => 3,
            };
            (class, child.visits)
        };
        // Of equals the first.
        let best = |children: std::ops::Range<usize>| children.rev().max_by_key(rank);
        let chosen = best(node.children()).expect("a position where the game is not over has a move");
        let draw = node.children().find(|&number| self.nodes[number].proven == Some(0));
        match draw {
            Some(draw) if self.nodes[chosen].proven.is_none() && self.nodes[chosen].mean_for(node) <= 0.0 => {
                draw
            }
            _ => chosen,
        }
    }

    fn report(&self, depth: u32, sims: u64) -> MctsReport {
        let mut line = Vec::new();
        let mut at = 0;
        while self.nodes[at].children > 0 {
            let child = self.best(at);
            if !line.is_empty() && self.nodes[child].visits == 0 && self.nodes[child].proven.is_none() {
                break;
            }
            line.push(self.nodes[child].mv);
            at = child;
        }
        let root = &self.nodes[0];
        let chosen = &self.nodes[self.best(0)];
        let value = match (root.proven, chosen.proven_for(root)) {
            (Some(result), _) | (None, Some(result)) => f32::from(result),
            (None, None) => chosen.mean_for(root) as f32,
        };
        MctsReport { value, proven: root.proven.is_some(), line, depth: depth.max(1), sims }
    }
}

/// The moves by which a game continues another, if it does.
fn continued<'a>(known: &Game, game: &'a Game) -> Option<impl Iterator<Item = Move> + use<'a>> {
    let plies = game.plies();
    let (before, since) = plies.split_at_checked(known.plies().len())?;
    let here = since.first().map_or(game.position(), |ply| &ply.before);
    (before == known.plies() && here == known.position()).then(|| since.iter().map(|ply| ply.mv))
}
