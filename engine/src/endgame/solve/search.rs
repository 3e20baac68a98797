//! Depth-first proof-number search (Nagai 2002): whether one player, the *attacker*, can force a win against the other,
//! the *holder*.
//!
//! **Repetition.** From a position without history it does not matter that a value may depend on the way to a position:
//! the attacker wins just where they can reach a won end, and a way there that comes to the same position twice could
//! leave out what lies between. So a position that occurs again on the way counts as not won. A *proof* found so holds
//! whatever the way. A *disproof* may lean on the positions before it (the graph history interaction: Palay 1983): it is
//! kept in the table only when it leans on none above its own position. What then leads from it back to it is a circle
//! that the attacker cannot leave to their good, and going round draws.
//!
//! **Reflection.** A position and its mirror image are worth the same and are taken for one, also as repetitions: the
//! argument is the same with such pairs in the place of positions.

use super::Oracle;
use super::table::{Entry, INFINITE, MOST, Numbers, Table};
use crate::board::MoveKind;
use crate::endgame::Value;
use crate::game::Outcome;
use crate::position::{Position, Step};
use crate::rules::{Move, Player};
use crate::search::{key_of, shows_perpetual};

/// A search that can be interrupted and gone on with.
pub(super) struct Search<'a> {
    attacker: Player,
    oracle: Option<&'a dyn Oracle>,
    table: Table,
    /// The way from the root to the position in hand.
    way: Vec<Node>,
    /// How many positions of the way have a key with the same lowest bits: most keys are not on the way, and this tells.
    on_the_way: Vec<u16>,
    /// Lists of children that are free to be used again.
    spare: Vec<Vec<Child>>,
    nodes: u64,
}

/// A position on the way.
struct Node {
    key: u64,
    position: Position,
    numbers: Numbers,
    /// Where its numbers reach these, another position is more promising.
    limits: Numbers,
    children: Vec<Child>,
    /// The child in hand.
    current: usize,
    /// Where on the way the positions since the last capture begin.
    since_capture: usize,
    /// Positions visited before this one.
    begun: u64,
}

/// What a move leads to.
struct Child {
    mv: Move,
    step: Step,
    key: u64,
    numbers: Numbers,
    /// Of a disproof: the first position on the way that it leans on.
    leans_on: usize,
}

/// Keys that are told apart at a glance.
const GLANCE: usize = 1 << 17;

/// Not looked up yet.
const OPEN: Numbers = Numbers { proof: INFINITE, disproof: INFINITE };

/// Leans on nothing.
const FREE: usize = usize::MAX;

/// A key of a position and its mirror image; never 0.
#[inline]
pub(super) fn key_of_pair(position: &Position) -> u64 {
    key_of(position).min(key_of(&position.mirrored())).max(1)
}

/// A move of a position as one of that of the pair whose key stands for both, and the other way round.
fn seen_from_pair(position: &Position, key: u64, mv: Move) -> Move {
    if key_of(position).max(1) == key { mv } else { mv.mirrored(position.width()) }
}

impl<'a> Search<'a> {
    /// A search for a win of `attacker`, with a table of so many megabytes.
    ///
    /// # Errors
    /// Where there is no memory for the table.
    pub(super) fn new(
        attacker: Player,
        oracle: Option<&'a dyn Oracle>,
        megabytes: usize,
    ) -> Result<Search<'a>, std::collections::TryReserveError> {
        let table = Table::new(megabytes)?;
        let on_the_way = vec![0; GLANCE];
        Ok(Search { attacker, oracle, table, way: Vec::new(), on_the_way, spare: Vec::new(), nodes: 0 })
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// Positions visited so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the attacker wins, as far as it can be told without a search or has been found out.
    pub(super) fn verdict(&self, position: &Position) -> Option<bool> {
        self.known(position).or_else(|| self.entry(position)?.numbers.verdict())
    }

    /// What the table holds of a position.
    pub(super) fn entry(&self, position: &Position) -> Option<Entry> {
        let key = key_of_pair(position);
        let entry = self.table.get(key)?;
        Some(Entry { mv: entry.mv.map(|mv| seen_from_pair(position, key, mv)), ..entry })
    }

    /// Whether the attacker wins, where no search is needed to tell: the game is over, a table tells it, or the holder
    /// has a draw at hand: as many seeds ahead as there are left on the board, or to move with a row that holds a
    /// circle of extra moves.
    pub(super) fn known(&self, position: &Position) -> Option<bool> {
        let (attacker, holder) = (self.attacker, self.attacker.opponent());
        if position.no_moves() {
            return Some(Outcome::of_score(position.score()) == Outcome::Win(attacker));
        }
        if let Some(value) = self.oracle.and_then(|oracle| oracle.value(position)) {
            let lost = if position.to_move() == attacker { Value::Win } else { Value::Loss };
            return Some(value == lost);
        }
        let holds = is_safe(position, holder) || position.to_move() == holder && shows_perpetual(position);
        holds.then_some(false)
    }

    /// What a position that was never visited is taken for. To hold is the harder, the more seeds the holder lacks for a
    /// lead that cannot be made up, and the more moves the attacker has to choose from; to win, the more pits the
    /// holder can sow and the more the attacker lacks. The weights were tried out on four boards that take some million
    /// positions; the usual 1 for both takes two to four times as many.
    fn first_guess(&self, position: &Position) -> Numbers {
        let holder = self.attacker.opponent();
        let (left, lead) = (board_seeds(position), lead_of(position, holder));
        let pits = |player| position.board().sowable_in(player).count_ones();
        let choice = if position.to_move() == self.attacker { pits(self.attacker) } else { 0 };
        Numbers {
            proof: 1 + (left + lead).max(0) as u32 / 4 + 3 * pits(holder),
            disproof: 1 + (left - lead).max(0) as u32 + choice,
        }
    }

    /// Searches a position until it is decided, or `most` positions more have been visited. Called again with the same
    /// position, it goes on.
    pub(super) fn run(
        &mut self,
        root: &Position,
        most: u64,
        mut is_over: impl FnMut(u64) -> bool,
    ) -> Option<bool> {
        if let Some(known) = self.known(root) {
            return Some(known);
        }
        let most = self.nodes.saturating_add(most);
        if self.way.first().is_none_or(|first| first.position != *root) {
            self.way.clear();
            self.on_the_way.fill(0);
            let limits = Numbers { proof: INFINITE, disproof: INFINITE };
            self.visit(*root, key_of_pair(root), limits, 0);
        }
        loop {
            let node = self.way.last().expect("the root is on the way");
            let Numbers { proof, disproof } = node.numbers;
            let verdict = node.numbers.verdict();
            if verdict.is_some() || proof >= node.limits.proof || disproof >= node.limits.disproof {
                if self.leave() {
                    return verdict;
                }
                continue;
            }
            if self.nodes >= most || self.nodes.is_multiple_of(1024) && is_over(self.nodes) {
                return None;
            }
            self.descend();
        }
    }

    /// Puts a position at the end of the way, with all its children.
    fn visit(&mut self, position: Position, key: u64, limits: Numbers, since_capture: usize) {
        let mut children = self.spare.pop().unwrap_or_default();
        children.clear();
        position.each_step(|mv, step| {
            let (key, numbers, leans_on) = self.look(&step, key, since_capture);
            children.push(Child { mv, step, key, numbers, leans_on });
        });
        self.recall(&mut children);
        let numbers = self.sum_up(position.to_move(), &children);
        let begun = self.nodes;
        self.on_the_way[key as usize % GLANCE] += 1;
        self.way.push(Node { key, position, numbers, limits, children, current: 0, since_capture, begun });
        self.nodes += 1;
    }

    /// Key and numbers of what a move leads to from the position of key `parent`, which is about to be put at the end of
    /// the way, and what they lean on.
    fn look(&self, step: &Step, parent: u64, since_capture: usize) -> (u64, Numbers, usize) {
        let of = |verdict| if verdict { Numbers::PROVEN } else { Numbers::DISPROVEN };
        if step.sowing.kind == MoveKind::Endless {
            return (0, Numbers::DISPROVEN, FREE);
        }
        if let Some(known) = self.known(&step.position) {
            return (0, of(known), FREE);
        }
        let key = key_of_pair(&step.position);
        if step.sowing.kind != MoveKind::Capture {
            let at = if key == parent {
                Some(self.way.len())
            } else if self.on_the_way[key as usize % GLANCE] == 0 {
                None
            } else {
                (since_capture..self.way.len()).rev().find(|&at| self.way[at].key == key)
            };
            if let Some(at) = at {
                return (key, Numbers::DISPROVEN, at);
            }
        }
        (key, OPEN, FREE)
    }

    /// Gives those children their numbers that have none yet: from the table, or else as a guess.
    fn recall(&self, children: &mut [Child]) {
        let open = |child: &&mut Child| child.numbers == OPEN;
        let touched =
            children.iter_mut().filter(open).fold(0, |sum, child| sum ^ self.table.touch(child.key));
        std::hint::black_box(touched);
        for child in children.iter_mut().filter(open) {
            let entry = self.table.get(child.key);
            child.numbers =
                entry.map_or_else(|| self.first_guess(&child.step.position), |entry| entry.numbers);
        }
    }

    /// The number that the player to move makes least, and that of the other side.
    #[inline]
    fn by_side(&self, to_move: Player, numbers: Numbers) -> (u32, u32) {
        if to_move == self.attacker {
            (numbers.proof, numbers.disproof)
        } else {
            (numbers.disproof, numbers.proof)
        }
    }

    /// The other way round.
    #[inline]
    fn of_sides(&self, to_move: Player, own: u32, other: u32) -> Numbers {
        if to_move == self.attacker {
            Numbers { proof: own, disproof: other }
        } else {
            Numbers { proof: other, disproof: own }
        }
    }

    /// Numbers of a position from its children's: one of them is enough for the player to move, the other side needs
    /// all.
    fn sum_up(&self, to_move: Player, children: &[Child]) -> Numbers {
        let (mut least, mut sum) = (INFINITE, 0_u64);
        for child in children {
            let (own, other) = self.by_side(to_move, child.numbers);
            least = least.min(own);
            sum += u64::from(other);
        }
        let other = match least {
            0 => INFINITE,
            INFINITE => 0,
            _ => sum.min(u64::from(MOST)) as u32,
        };
        // What is open is never without end, and what has no end on both sides does not exist.
        self.of_sides(to_move, least, other)
    }

    /// Takes the last position off the way and tells its parent; whether it was the root.
    fn leave(&mut self) -> bool {
        let node = self.way.pop().expect("there is a position on the way");
        self.on_the_way[node.key as usize % GLANCE] -= 1;
        let to_move = node.position.to_move();
        let (mut leans_on, mut mv) = (FREE, None);
        if let Some(proven) = node.numbers.verdict() {
            let same = node.children.iter().filter(|child| child.numbers.verdict() == Some(proven));
            if proven == (to_move == self.attacker) {
                // One is enough: that which leans on least.
                let child = same.max_by_key(|child| child.leans_on).expect("a child decides");
                (leans_on, mv) = (child.leans_on, Some(child.mv));
            } else {
                leans_on = same.map(|child| child.leans_on).min().unwrap_or(FREE);
            }
            // What leans on the position itself and those after it leans on nothing that it does not bring along.
            if leans_on >= self.way.len() {
                leans_on = FREE;
            }
        }
        if leans_on == FREE {
            let mv = mv.map(|mv| seen_from_pair(&node.position, node.key, mv));
            self.table.put(node.key, node.numbers, self.nodes - node.begun, mv);
        }
        self.spare.push(node.children);
        let Some(mut parent) = self.way.pop() else { return true };
        let child = &mut parent.children[parent.current];
        (child.numbers, child.leans_on) = (node.numbers, leans_on);
        parent.numbers = self.sum_up(parent.position.to_move(), &parent.children);
        self.way.push(parent);
        false
    }

    /// Visits the most promising child of the last position, until it is so no more.
    fn descend(&mut self) {
        let depth = self.way.len();
        let node = &self.way[depth - 1];
        let to_move = node.position.to_move();
        // Of those with the least number the one that the other side needs least for.
        let (mut best, mut first, mut tie, mut second) = (0, INFINITE, INFINITE, INFINITE);
        for (i, child) in node.children.iter().enumerate() {
            let (own, other) = self.by_side(to_move, child.numbers);
            if (own, other) < (first, tie) {
                second = first;
                (best, first, tie) = (i, own, other);
            } else {
                second = second.min(own);
            }
        }
        let (own_limit, other_limit) = self.by_side(to_move, node.limits);
        let (_, other) = self.by_side(to_move, node.numbers);
        // A quarter more than the second best before that one's turn comes (Pawlewicz & Lew 2007).
        let own_limit = own_limit.min((second + second / 4 + 1).min(INFINITE));
        let other_limit =
            if other_limit == INFINITE { INFINITE } else { (other_limit - other + tie).min(INFINITE) };
        let limits = self.of_sides(to_move, own_limit, other_limit);
        let child = &node.children[best];
        let since_capture =
            if child.step.sowing.kind == MoveKind::Capture { depth } else { node.since_capture };
        let (position, key) = (child.step.position, child.key);
        self.way[depth - 1].current = best;
        self.visit(position, key, limits, since_capture);
    }
}

/// Seeds in the pits.
pub(super) fn board_seeds(position: &Position) -> i32 {
    position.board().seeds() as i32
}

/// A player's pile minus the other's.
pub(super) fn lead_of(position: &Position, player: Player) -> i32 {
    if position.to_move() == player { position.lead() } else { -position.lead() }
}

/// Whether a player leads by as many seeds as there are left: they cannot lose any more.
pub(super) fn is_safe(position: &Position, player: Player) -> bool {
    lead_of(position, player) >= board_seeds(position)
}
