//! Alpha-beta (Knuth & Moore 1975) as principal-variation search (Marsland & Campbell 1982) with iterative deepening,
//! aspiration windows, a transposition table, killers and history, late moves reduced, and the perpetuals of rows as
//! bounds.
//!
//! **Reductions.** Moves that come late in the order and neither capture nor keep the turn are searched less deep
//! first, and to the whole depth only where that finds them better than the best so far. Iterations of up to
//! [`FULL_WIDTH`] plies reduce nothing, so that what they find is what plain minimax finds, and no search does so that
//! is told not to ([`Limits::full_width`]).
//!
//! **Repetition and the table.** That a repeated position is a draw makes a value depend on the way to it: the graph
//! history interaction (Kishimoto & Müller 2004). All that matters of the way are the positions since the last capture,
//! those of the game before the root among them. So the table's keys stand for a position *and the set of those*: what
//! is stored is true wherever it is found, in the same game or another. It costs little, for captures are frequent, and
//! after one the position alone is the key.
//!
//! **Endgame tables** are asked after captures only, where their values are exact: no position is there that could be
//! repeated. With positions to repeat, a win of the table bounds the value from below by a draw, a loss from above, and
//! only a draw is exact; but the search comes to the tables' boards by captures, unless it begins on one.

mod each;
mod memory;
mod place;

use super::table::{Bound, Entry, key_of};
use super::{Control, Evaluator, Limits, MAX_DEPTH, Score, holds_perpetual, shows_perpetual};
use crate::board::MoveKind;
use crate::endgame::tablebase::Value;
use crate::game::Game;
use crate::position::{Position, Step};
use crate::rules::{MAX_WIDTH, Move, Player};

use place::Place;

pub use each::alpha_beta_each;
pub use memory::Memory;

/// What a search found, at the end and after each finished iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Value of the root for its player to move.
    pub score: Score,
    /// The line expected, the best move first; never empty.
    pub line: Vec<Move>,
    /// Depth of the deepest finished iteration, in plies.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
}

/// Searches the position of a game that is not over; `observe` is told every finished iteration.
///
/// A sowing is a ply, an extra move a further one, a forced pass one; from iterations of five plies on, late moves may
/// be searched less deep. A position that occurred since the last
/// capture, in the game or in the line being searched, is a draw. Deterministic, from the game, the limits and what
/// the memory holds, unless `limits.time` is set or `control` stops it. It stops early where the value is proven: a
/// win or loss found, or every line searched to its end. No limit on nodes is passed; time is looked at every 64
/// nodes.
///
/// # Panics
/// When the game is over, or `limits` holds no limit and there is no flag to stop it.
pub fn alpha_beta<E: Evaluator>(
    game: &Game,
    evaluator: &E,
    memory: &mut Memory,
    limits: &Limits,
    control: &Control<'_>,
    mut observe: impl FnMut(&Report),
) -> Report {
    let root = game.position();
    let mut search = Search::begin(game, evaluator, memory, limits, control);
    let deepest = search.deepest;
    search.push_children(root, 0, None);
    let first = search.next_child(0).expect("a position where the game is not over has a move").mv;
    search.children.clear();
    let mut report = Report { score: Score::DRAW, line: vec![first], depth: 0, nodes: 0 };
    for depth in 1..=deepest {
        search.reduces = depth > FULL_WIDTH && !limits.full_width;
        let found = search.iteration(root, depth, report.score);
        // An iteration cut short still counts as far as it came: the old best move was tried first. But that a move
        // loses proves nothing while others have not been looked at.
        let unproven = search.stopped && found.score.is_loss();
        if !search.lines[0].is_empty() && !unproven {
            report.score = found.score;
            report.line.clone_from(&search.lines[0]);
        }
        report.nodes = search.nodes;
        if search.stopped {
            break;
        }
        report.depth = depth;
        observe(&report);
        if report.score.is_decisive() || found.is_final {
            break;
        }
    }
    report
}

/// Depth of the deepest iteration that searches every move to the whole depth.
const FULL_WIDTH: u32 = 4;
/// Least depth of a node whose late moves are reduced, by one ply from the child of this number on, counted from 0, and
/// by two from that one on. Found by matches.
const REDUCED: (u32, [u32; 2]) = (3, [2, 5]);

/// Least depth of a node that the table keeps: a smaller one is searched sooner than what is stored of it comes from
/// memory.
const STORED: u32 = 3;

/// How far off, beyond the ply, a win is taken to be that a table tells: further than any that is searched to its end.
const BEYOND: u32 = 1000;

/// Half the width of the first aspiration window.
const ASPIRATION: i32 = 300;

/// The value of a position, for its player to move, and what it rests on.
#[derive(Clone, Copy)]
struct Found {
    score: Score,
    /// Whether the value, or the bound that it is, rests on no position that was judged instead of played to its end.
    is_final: bool,
}

impl Found {
    const fn certain(score: Score) -> Found {
        Found { score, is_final: true }
    }
}

/// A node of the tree: what stays the same while its children are searched.
#[derive(Clone, Copy)]
struct Node {
    depth: u32,
    /// Distance from the root.
    ply: usize,
    /// The place on the path where the positions since the last capture begin.
    since: usize,
}

struct Search<'a, E> {
    evaluator: &'a E,
    memory: &'a mut Memory,
    /// Positions since the last capture of the game, then those of the line being searched, the present one last;
    /// with their keys.
    path: Vec<Place>,
    /// For each distance from the root two moves that cut a node off there.
    killers: Vec<[Option<Move>; 2]>,
    /// For each distance from the root the best line from there.
    lines: Vec<Vec<Move>>,
    /// Children that the nodes of the line being searched have still to try, the next one last.
    children: Vec<Child>,
    /// Depth of the last iteration.
    deepest: u32,
    nodes: u64,
    most_nodes: u64,
    control: Control<'a>,
    deadline: Option<std::time::Duration>,
    stopped: bool,
    /// Whether this iteration reduces late moves.
    reduces: bool,
}

impl<'a, E: Evaluator> Search<'a, E> {
    /// A search before its first iteration.
    fn begin(
        game: &Game,
        evaluator: &'a E,
        memory: &'a mut Memory,
        limits: &Limits,
        control: &Control<'a>,
    ) -> Search<'a, E> {
        assert!(game.ending().is_none(), "the game is over");
        assert!(!limits.is_none() || control.stop.is_some(), "a search needs a limit");
        for count in memory.history.as_flattened_mut().as_flattened_mut() {
            *count /= 8;
        }
        memory.table.begin();
        let deepest = limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        let mut path: Vec<Place> = Vec::with_capacity(256);
        for position in game.recent() {
            path.push(Place::after(path.last(), key_of(position), *position));
        }
        Search {
            evaluator,
            memory,
            path,
            killers: vec![[None; 2]; deepest as usize],
            lines: vec![Vec::new(); deepest as usize + 1],
            children: Vec::with_capacity(4 * 2 * MAX_WIDTH),
            deepest,
            nodes: 0,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            control: *control,
            deadline: control.deadline(limits.time),
            stopped: false,
            reduces: false,
        }
    }

    /// One iteration at the root: a narrow window round the last value first, from depth 4 on.
    fn iteration(&mut self, root: &Position, depth: u32, last: Score) -> Found {
        let node = Node { depth, ply: 0, since: 0 };
        let mut width = if depth >= 4 && !last.is_decisive() { ASPIRATION } else { i32::MAX };
        loop {
            let window = last.window(width);
            let found = self.node(root, node, window);
            if self.stopped || (found.score > window.0 && found.score < window.1) || width == i32::MAX {
                return found;
            }
            width = if width > 4 * ASPIRATION { i32::MAX } else { 4 * width };
        }
    }

    /// Value of `position` at least one ply deep, within the window (alpha, beta) of its player to move: exact inside
    /// the window, else a bound. `self.lines[ply]` receives the best line.
    fn node(&mut self, position: &Position, node: Node, (mut alpha, beta): (Score, Score)) -> Found {
        let Node { depth, ply, .. } = node;
        self.lines[ply].clear();
        let key = self.path.last().expect("the root is on the path").table_key();
        let at_root = ply == 0;
        let stored = if depth >= STORED { self.memory.table.get(key) } else { None };
        if let Some(entry) = stored
            && !at_root
            && let Some(found) = usable(&entry, depth, ply, (alpha, beta))
        {
            self.lines[ply].extend(entry.mv);
            return found;
        }
        let mut best = Found { score: -Score::INFINITE, is_final: true };
        let mut floor = alpha;
        let mut best_move = None;
        let mut is_final = true;
        let hint =
            stored.and_then(|entry| entry.mv).or(self.killers[ply][0]).filter(|&mv| position.allows(mv));
        let in_hand = self.children.len();
        // The best move of before is tried before the others are even sown.
        let sow_at = u32::from(hint.is_some());
        if let Some(mv) = hint {
            self.children.push(Child { mv, step: position.step(mv), order: 0, is_quiet: false });
        }
        // On the last ply it takes less time than to ask for a perpetual, and walks to find one do not pay.
        let (ask_at, holds): (_, fn(&Position) -> bool) =
            if depth > 1 { (0, holds_perpetual) } else { (sow_at, shows_perpetual) };
        let mut number = 0;
        loop {
            // A row that holds a perpetual is worth a draw at least, whatever the path.
            if number == ask_at && !at_root && alpha < Score::DRAW && holds(position) {
                if beta <= Score::DRAW {
                    self.children.truncate(in_hand);
                    return Found::certain(Score::DRAW);
                }
                best.score = Score::DRAW;
                (alpha, floor) = (Score::DRAW, Score::DRAW);
                self.lines[ply].clear();
            }
            if number == sow_at {
                self.push_children(position, ply, hint);
            }
            let Some(child) = self.next_child(in_hand) else { break };
            if self.out_of_budget() {
                break;
            }
            self.nodes += 1;
            let found = self.child(position, &child, node, (alpha, beta), number);
            if self.stopped {
                // What the child returned is unfinished, and is not used.
                break;
            }
            number += 1;
            is_final &= found.is_final;
            if found.score > best.score || (best_move.is_none() && at_root) {
                best.score = found.score;
                best_move = Some(child.mv);
                if found.score > alpha || at_root {
                    let (above, below) = self.lines.split_at_mut(ply + 1);
                    above[ply].clear();
                    above[ply].push(child.mv);
                    above[ply].extend_from_slice(&below[0]);
                }
                if found.score >= beta || found.score.is_win() {
                    // A cut-off rests on this child alone, and so does a proven win.
                    is_final = found.is_final;
                    self.reward(position.to_move(), child.mv, node);
                    break;
                }
                alpha = alpha.max(found.score);
            }
        }
        self.children.truncate(in_hand);
        if self.stopped {
            return Found { is_final: false, ..best };
        }
        best.is_final = is_final;
        let bound = match best.score {
            score if score >= beta || score.is_win() => Bound::Lower,
            score if score > floor => Bound::Exact,
            _ => Bound::Upper,
        };
        let score = best.score.seen_from(ply as u32);
        if depth >= STORED {
            self.memory.table.put(key, &Entry { score, mv: best_move.or(hint), depth, bound, is_final });
        }
        best
    }

    /// Takes the most promising child in hand beyond the first `in_hand`; of equals the last.
    fn next_child(&mut self, in_hand: usize) -> Option<Child> {
        let best = (in_hand..self.children.len()).max_by_key(|&at| self.children[at].order)?;
        Some(self.children.swap_remove(best))
    }

    /// Value of a child for the player to move of its *parent*, with the lines below it; `number` counts those that
    /// were tried before it.
    fn child(
        &mut self,
        parent: &Position,
        child: &Child,
        node: Node,
        (alpha, beta): (Score, Score),
        number: u32,
    ) -> Found {
        let position = &child.step.position;
        self.lines[node.ply + 1].clear();
        let kind = child.step.sowing.kind;
        if kind == MoveKind::Endless {
            return Found::certain(Score::DRAW);
        }
        // R7: no position from before a capture can come back.
        let since = if kind == MoveKind::Capture { self.path.len() } else { node.since };
        let key = key_of(position);
        if kind != MoveKind::Capture
            && self.path[since..].iter().any(|met| met.key == key && met.position == *position)
        {
            return Found::certain(Score::DRAW);
        }
        // The side to move is asked, never assumed: sign and window turn only when the player changed.
        let turned = position.to_move() != parent.to_move();
        let oriented = |score: Score| if turned { -score } else { score };
        if position.no_moves() {
            let [south, north] = position.score().map(|points| points as i32);
            let ahead = if parent.to_move() == Player::South { south - north } else { north - south };
            return Found::certain(match ahead.signum() {
                1 => Score::win_in(node.ply as u32 + 1),
                0 => Score::DRAW,
                _ => Score::loss_in(node.ply as u32 + 1),
            });
        }
        // After a capture nothing can be repeated, so what a table says is exact.
        if kind == MoveKind::Capture
            && let Some(value) = self.memory.tables.as_ref().and_then(|tables| tables.value(position))
        {
            let plies = node.ply as u32 + 1 + BEYOND;
            return Found::certain(oriented(match value {
                Value::Win => Score::win_in(plies),
                Value::Draw => Score::DRAW,
                Value::Loss => Score::loss_in(plies),
            }));
        }
        if node.depth <= 1 {
            let window = if turned { (-beta, -alpha) } else { (alpha, beta) };
            let score = oriented(self.judge(position, window));
            return Found { score, is_final: false };
        }
        let below = Node { depth: node.depth - 1, ply: node.ply + 1, since };
        let reduced = self.reduction(child, node, number).min(below.depth - 1);
        let before = self.path.last().filter(|_| kind != MoveKind::Capture);
        self.path.push(Place::after(before, key, *position));
        let mut search = |(alpha, beta): (Score, Score), reduced: u32| {
            let window = if turned { (-beta, -alpha) } else { (alpha, beta) };
            let found = self.node(position, Node { depth: below.depth - reduced, ..below }, window);
            Found { score: oriented(found.score), ..found }
        };
        let found = if number == 0 {
            search((alpha, beta), 0)
        } else {
            // Every child but the first has only to be shown no better than the best so far; one that is, is searched
            // again in earnest.
            let narrow = (alpha, alpha.next().min(beta));
            let mut found = search(narrow, reduced);
            if reduced > 0 && found.score > alpha {
                found = search(narrow, 0);
            }
            if found.score > alpha && found.score < beta {
                found = search((alpha, beta), 0);
            }
            found
        };
        self.path.pop();
        found
    }

    /// By how many plies a child is searched less deep.
    fn reduction(&self, child: &Child, node: Node, number: u32) -> u32 {
        let (depth, numbers) = REDUCED;
        if self.reduces && node.depth >= depth && child.is_quiet {
            numbers.into_iter().map(|from| u32::from(number >= from)).sum()
        } else {
            0
        }
    }

    /// Value of a position where the search ends, for its player to move: a draw at least where their row shows a
    /// perpetual. That, and a second look, is asked only where it can matter to the window.
    fn judge(&self, position: &Position, (alpha, beta): (Score, Score)) -> Score {
        let judged = self.evaluator.evaluate(position);
        if judged > Score::DRAW {
            if judged <= alpha { judged } else { self.evaluator.tempered(position, judged) }
        } else if judged == Score::DRAW || judged >= beta {
            judged
        } else if alpha >= Score::DRAW || shows_perpetual(position) {
            Score::DRAW
        } else {
            judged
        }
    }

    /// Remembers a move that cut its node off.
    fn reward(&mut self, player: Player, mv: Move, node: Node) {
        let Move::Sow { pit, direction } = mv else { return };
        let killers = &mut self.killers[node.ply];
        if killers[0] != Some(mv) {
            killers[1] = killers[0];
            killers[0] = Some(mv);
        }
        let count = &mut self.memory.history[player.index()][usize::from(pit)][direction as usize];
        *count = count.saturating_add(node.depth * node.depth);
    }

    /// Whether a limit is reached; asked before each position is visited, so that no limit on them is passed. The
    /// clock is asked every 64 nodes: some ten microseconds, or one or two milliseconds where all of them ask for
    /// perpetuals that have to be walked.
    fn out_of_budget(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        self.stopped = self.nodes >= self.most_nodes;
        if self.nodes.is_multiple_of(64) {
            self.stopped |= self.control.is_over(self.deadline);
        }
        self.stopped
    }

    /// Puts the children of a position, all but the hinted one, on top of the children in hand: captures by what
    /// they gain, killers, extra moves, the rest by history; the most promising last.
    fn push_children(&mut self, position: &Position, ply: usize, hint: Option<Move>) {
        let killers = self.killers[ply];
        let history = &self.memory.history[position.to_move().index()];
        let children = &mut self.children;
        position.each_step(|mv, step| {
            if hint == Some(mv) {
                return;
            }
            let past = match mv {
                Move::Sow { pit, direction } => history[usize::from(pit)][direction as usize].min(0xffff),
                Move::Pass => 0,
            };
            let (order, is_quiet) = match step.sowing.kind {
                MoveKind::Capture => (0x40_0000 + 0x1_0000 * u32::from(step.sowing.captured), false),
                _ if killers.contains(&Some(mv)) => (0x3f_0000, false),
                MoveKind::Extra => (0x10_0000, false),
                _ => (0, true),
            };
            children.push(Child { mv, step, order: order + past, is_quiet });
        });
    }
}

/// What a stored finding is worth to a node of `depth` plies at `ply` plies from the root, with its window: a result,
/// or nothing.
fn usable(entry: &Entry, depth: u32, ply: usize, (alpha, beta): (Score, Score)) -> Option<Found> {
    let score = entry.score.seen_from_root(ply as u32);
    let deep_enough = entry.depth >= depth || entry.is_final || score.is_decisive();
    let enough = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    (deep_enough && enough).then_some(Found { score, is_final: entry.is_final })
}

/// A move and what it leads to.
#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    step: Step,
    /// The greater, the sooner it is tried.
    order: u32,
    /// Whether it neither captures nor keeps the turn, nor was tried for another reason.
    is_quiet: bool,
}
