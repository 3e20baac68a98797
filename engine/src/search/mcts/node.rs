//! A node of the tree: a position, what was seen below it, and the bounds of what its result is proven to be.

use std::ops::Range;

use crate::board::MoveKind;
use crate::endgame::tablebase::{Tablebase, Value};
use crate::game::Outcome;
use crate::position::{Position, Step};
use crate::rules::Move;
use crate::search::{Evaluator, Material, holds_perpetual};

/// Proven bounds of a result, both included: −1 a loss, 0 a draw, 1 a win. A node's are for its own player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i8,
    pub(super) high: i8,
}

impl Bounds {
    /// Nothing is proven.
    pub(super) const OPEN: Bounds = Bounds { low: -1, high: 1 };

    pub(super) const fn exact(result: i8) -> Bounds {
        Bounds { low: result, high: result }
    }

    pub(super) const fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// Within both.
    pub(super) fn and(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// For the other player where `sign` is −1.
    pub(super) const fn seen(self, sign: i8) -> Bounds {
        if sign == 1 { self } else { Bounds { low: -self.high, high: -self.low } }
    }

    pub(super) fn clamp(self, value: f32) -> f32 {
        value.clamp(f32::from(self.low), f32::from(self.high))
    }

    /// What the piles tell of a position where the game goes on: who has half of all seeds cannot lose any more.
    fn of_piles(position: &Position) -> Bounds {
        let seeds: u32 = position.score().iter().sum();
        let half = |pile: u8| 2 * u32::from(pile) >= seeds;
        let (piles, mover) = (position.piles(), position.to_move().index());
        Bounds { low: i8::from(half(piles[mover])) - 1, high: 1 - i8::from(half(piles[1 - mover])) }
    }
}

/// A position, and the move that led to it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) position: Position,
    pub(super) mv: Move,
    /// Whether the move captured, so that no position from before can come back (R7).
    pub(super) captured: bool,
    /// Whether the row was asked for a perpetual, or need not be.
    pub(super) asked: bool,
    /// Whether it holds one, as far as that was asked.
    pub(super) holds: bool,
    /// Children, one after another from `first`; none before the node is expanded.
    pub(super) children: u8,
    pub(super) bounds: Bounds,
    pub(super) first: u32,
    pub(super) visits: u32,
    /// The best that the evaluator promises below, for the player to move: its minimax value, −1 … 1, within the
    /// bounds.
    pub(super) judged: f32,
    /// Results for the player to move, added up.
    pub(super) sum: f64,
}

impl Node {
    fn new(position: Position, mv: Move, captured: bool, bounds: Bounds) -> Node {
        Node {
            position,
            mv,
            captured,
            asked: bounds.is_exact(),
            holds: false,
            children: 0,
            bounds,
            first: 0,
            visits: 0,
            judged: f32::from(bounds.low),
            sum: 0.0,
        }
    }

    /// A position where the game goes on, judged by the material count.
    fn open(position: Position, mv: Move, captured: bool) -> Node {
        let mut node = Node::new(position, mv, captured, Bounds::of_piles(&position));
        node.judged = node.bounds.clamp(Material.evaluate(&position).value());
        node
    }

    /// A root.
    pub(super) fn root(position: Position) -> Node {
        let mut node = Node::open(position, Move::Pass, false);
        node.ask();
        node
    }

    /// What a move leads to from this node; `earlier` are the positions since the last capture.
    pub(super) fn child(
        &self,
        mv: Move,
        step: &Step,
        earlier: &[Position],
        tables: Option<&Tablebase>,
    ) -> Node {
        let (position, kind) = (step.position, step.sowing.kind);
        let captured = kind == MoveKind::Capture;
        if kind == MoveKind::Endless || !captured && earlier.contains(&position) {
            return Node::new(position, mv, captured, Bounds::exact(0));
        }
        if position.no_moves() {
            let result = Outcome::of_score(position.score()).result_for(position.to_move());
            return Node::new(position, mv, captured, Bounds::exact(result));
        }
        if captured && let Some(value) = tables.and_then(|tables| tables.value(&position)) {
            return Node::new(position, mv, captured, Bounds::exact(value as i8 - Value::Draw as i8));
        }
        let mut child = Node::open(position, mv, captured);
        // From a row without a circle in reach no extra move leads to one.
        child.asked |= kind == MoveKind::Extra && self.asked && !self.holds;
        child
    }

    /// Asks whether the row holds a perpetual, which is worth a draw to the player to move; whether that tells
    /// something new.
    pub(super) fn ask(&mut self) -> bool {
        if self.asked {
            return false;
        }
        self.asked = true;
        self.holds = holds_perpetual(&self.position);
        let news = self.holds && self.bounds.low < 0;
        if news {
            self.bounds.low = 0;
            self.judged = self.judged.max(0.0);
        }
        news
    }

    pub(super) fn children(&self) -> Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.children)
    }

    /// 1 where the node's player to move is `parent`'s as well, −1 where the turn has passed.
    pub(super) fn sign(&self, parent: &Node) -> i8 {
        if self.position.to_move() == parent.position.to_move() { 1 } else { -1 }
    }

    /// The bounds for `parent`'s player to move.
    pub(super) fn bounds_for(&self, parent: &Node) -> Bounds {
        self.bounds.seen(self.sign(parent))
    }

    /// The evaluator's promise for `parent`'s player to move.
    pub(super) fn judged_for(&self, parent: &Node) -> f32 {
        f32::from(self.sign(parent)) * self.judged
    }

    /// What the node is worth to `parent`'s player to move, within its bounds: the evaluator's promise, and for the
    /// rest of its `weight` the mean of the results.
    pub(super) fn worth_for(&self, parent: &Node, weight: f32) -> f32 {
        let worth = if self.visits == 0 {
            self.judged
        } else {
            let mean = (self.sum / f64::from(self.visits)) as f32;
            weight * self.judged + (1.0 - weight) * self.bounds.clamp(mean)
        };
        f32::from(self.sign(parent)) * worth
    }
}
