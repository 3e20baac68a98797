//! The tree: nodes in one vector, kept from one move of a game to the next.

use std::sync::Arc;

use super::node::{Bounds, Node};
use crate::endgame::tablebase::Tablebase;
use crate::game::Game;
use crate::position::Position;
use crate::rules::{MAX_WIDTH, Move};

/// Most nodes of a tree: some sixty megabytes, and as much again while a tree is kept. In a full tree leaves are
/// judged, but grow no more.
pub(super) const MOST_NODES: usize = 1 << 20;
/// The nodes that an expansion adds at most.
const MOST_CHILDREN: usize = 2 * MAX_WIDTH;
/// Nodes kept between two looks at the clock: some tens of microseconds.
const KEPT_BETWEEN_LOOKS: usize = 1 << 12;
/// Widest row whose children are asked for perpetuals when the node grows, where that can spoil them for its player;
/// in wider rows an answer takes long, and only those are asked that are gone on to.
const ASKED_AT_ONCE: usize = 8;

/// Which children a node's minimax value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Promises {
    /// All of them, each judged by its material count when it is made.
    OfAll,
    /// Those visited or proven; of the others nothing is promised but what their parent was judged to be. For
    /// evaluators that are too slow to be asked about each child.
    OfVisited,
}

pub(super) struct Tree {
    pub(super) promises: Promises,
    pub(super) tables: Option<Arc<Tablebase>>,
    /// The root first.
    pub(super) nodes: Vec<Node>,
    /// What `nodes` is copied to when most of it is thrown away.
    spare: Vec<Node>,
    /// The game that the root stands for.
    game: Option<Game>,
}

impl Tree {
    pub(super) fn new(promises: Promises, tables: Option<Arc<Tablebase>>) -> Tree {
        Tree { promises, tables, nodes: Vec::new(), spare: Vec::new(), game: None }
    }

    /// Makes the game's position the root, with what is known of it already where the game continues the last one,
    /// as far as it can be kept before `is_over` says so; and makes room for so many expansions, so that growing
    /// moves nothing. False where the root is new, and has no children yet.
    pub(super) fn set_root(&mut self, game: &Game, expansions: usize, is_over: impl FnMut() -> bool) -> bool {
        let kept = self.game.as_ref().and_then(|known| self.node_after(continued(known, game)?));
        match kept {
            Some(0) => {}
            Some(root) => self.keep(root, is_over),
            None => self.nodes.clear(),
        }
        self.game = Some(game.clone());
        let is_kept = self.nodes.first().is_some_and(|root| root.children > 0);
        if is_kept {
            self.nodes[0].ask();
        } else {
            self.nodes.clear();
            self.nodes.push(Node::root(*game.position()));
        }
        let room = expansions.saturating_add(1).saturating_mul(MOST_CHILDREN);
        self.nodes.reserve_exact(room.min((MOST_NODES + MOST_CHILDREN).saturating_sub(self.nodes.len())));
        is_kept
    }

    /// The node that moves lead to from the root, if it is there.
    fn node_after(&self, moves: impl Iterator<Item = Move>) -> Option<usize> {
        let mut at = 0;
        for mv in moves {
            at = self.nodes[at].children().find(|&child| self.nodes[child].mv == mv)?;
        }
        Some(at)
    }

    /// Makes a node the root and throws away all but what lies below it: and of that, where it is over before all is
    /// kept, what lies deepest.
    fn keep(&mut self, root: usize, mut is_over: impl FnMut() -> bool) {
        // What is copied has no children until those are, and meanwhile tells where it came from.
        let copied = |from: usize, node: &Node| Node { children: 0, first: from as u32, ..*node };
        let (nodes, kept) = (&self.nodes, &mut self.spare);
        kept.clear();
        kept.reserve_exact(nodes.capacity());
        kept.push(copied(root, &nodes[root]));
        let (mut at, mut next_look) = (0, KEPT_BETWEEN_LOOKS);
        while at < kept.len() {
            let node = &nodes[kept[at].first as usize];
            kept[at].first = kept.len() as u32;
            kept[at].children = node.children;
            kept.extend(node.children().map(|child| copied(child, &nodes[child])));
            at += 1;
            if at + kept.len() >= next_look {
                next_look = at + kept.len() + KEPT_BETWEEN_LOOKS;
                if is_over() {
                    break;
                }
            }
        }
        std::mem::swap(&mut self.nodes, &mut self.spare);
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() + MOST_CHILDREN > MOST_NODES
    }

    /// Adds the children of a node; `recent` are the positions since the last capture, the node's last.
    pub(super) fn expand(&mut self, at: usize, recent: &[Position]) {
        let mut node = self.nodes[at];
        node.first = self.nodes.len() as u32;
        let eager = node.position.width() <= ASKED_AT_ONCE;
        let parent = node;
        parent.position.each_step(|mv, step| {
            let mut child = parent.child(mv, &step, recent, self.tables.as_deref());
            if eager && child.judged < 0.0 {
                child.ask();
            }
            if self.promises == Promises::OfVisited && !child.bounds.is_exact() {
                child.judged = child.bounds.clamp(parent.judged_for(&child));
            }
            self.nodes.push(child);
            node.children += 1;
        });
        self.nodes[at] = node;
    }

    /// Asks the root's children that stay within the turn for perpetuals, so that a player who holds one knows which
    /// moves keep it.
    pub(super) fn find_circle(&mut self) {
        let root = self.nodes[0];
        if root.holds {
            for child in self.nodes[root.children()].iter_mut().filter(|child| child.sign(&root) == 1) {
                child.ask();
            }
            self.hand_up(&[0]);
        }
    }

    /// Hands bounds and promises up a path, the last node first, as far as something changes.
    pub(super) fn hand_up(&mut self, path: &[usize]) {
        let all = self.promises == Promises::OfAll;
        for &at in path.iter().rev() {
            let node = &self.nodes[at];
            if node.children == 0 {
                continue;
            }
            let mut best = Bounds::exact(-1);
            let mut judged = f32::NEG_INFINITY;
            for child in &self.nodes[node.children()] {
                let bounds = child.bounds_for(node);
                best = Bounds { low: best.low.max(bounds.low), high: best.high.max(bounds.high) };
                if all || child.visits > 0 || child.bounds.is_exact() {
                    judged = judged.max(child.judged_for(node));
                }
            }
            if judged == f32::NEG_INFINITY {
                judged = node.judged;
            }
            // The node's own bounds hold whatever its children say.
            let bounds =
                node.bounds.and(Bounds { low: best.low, high: 1 }).and(Bounds { low: -1, high: best.high });
            let judged = bounds.clamp(judged);
            if bounds == node.bounds && judged == node.judged {
                return;
            }
            self.nodes[at].bounds = bounds;
            self.nodes[at].judged = judged;
        }
    }
}

/// The moves by which a game continues another, if it does.
fn continued<'a>(known: &Game, game: &'a Game) -> Option<impl Iterator<Item = Move> + use<'a>> {
    let plies = game.plies();
    let (before, since) = plies.split_at_checked(known.plies().len())?;
    let here = since.first().map_or(game.position(), |ply| &ply.before);
    (before == known.plies() && here == known.position()).then(|| since.iter().map(|ply| ply.mv))
}
