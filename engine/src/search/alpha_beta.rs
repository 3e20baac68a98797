//! Alpha-beta (Knuth & Moore 1975) with iterative deepening, plain: no table, the best line of the iteration before
//! first, then captures and extra moves.

use super::{Control, Evaluator, Limits, MAX_DEPTH, Score};
use crate::board::MoveKind;
use crate::game::Game;
use crate::position::{Position, Step};
use crate::rules::{MAX_WIDTH, Move};

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
/// A sowing is a ply, an extra move a further one, a forced pass one. A position that occurred since the last
/// capture, in the game or in the line being searched, is a draw. Deterministic unless `limits.time` is set.
/// It stops early where the value is proven: a win or loss found, or every line searched to its end.
///
/// # Panics
/// When the game is over, or `limits` holds no limit.
pub fn alpha_beta<E: Evaluator>(
    game: &Game,
    evaluator: &E,
    limits: &Limits,
    control: &Control<'_>,
    mut observe: impl FnMut(&Report),
) -> Report {
    assert!(game.ending().is_none(), "the game is over");
    assert!(!limits.is_none(), "a search needs a limit");
    let root = game.position();
    let mut search = Search {
        evaluator,
        path: game.recent().to_vec(),
        nodes: 0,
        most_nodes: limits.nodes.unwrap_or(u64::MAX),
        control: *control,
        deadline: control.deadline(limits.time),
        stopped: false,
        horizon: false,
        hint: Vec::new(),
    };
    let mut report =
        Report { score: Score::DRAW, line: vec![ordered(root, None).first().mv], depth: 0, nodes: 0 };
    for depth in 1..=limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
        search.horizon = false;
        search.hint.clone_from(&report.line);
        let mut line = Vec::new();
        let score = search.node(root, depth, 0, 0, (-Score::INFINITE, Score::INFINITE), &mut line);
        // An iteration cut short still counts as far as it came: the old best move was tried first. But that a move
        // loses proves nothing while others have not been looked at.
        let unproven = search.stopped && score.is_decisive() && score < Score::DRAW;
        if !line.is_empty() && !unproven {
            report.score = score;
            report.line = line;
        }
        report.nodes = search.nodes;
        if search.stopped {
            break;
        }
        report.depth = depth;
        observe(&report);
        if report.score.is_decisive() || !search.horizon {
            break;
        }
    }
    report
}

struct Search<'a, E> {
    evaluator: &'a E,
    /// Positions since the last capture of the game, then those of the line being searched; the present one last.
    path: Vec<Position>,
    nodes: u64,
    most_nodes: u64,
    control: Control<'a>,
    deadline: Option<std::time::Duration>,
    stopped: bool,
    /// Whether this iteration judged any position instead of playing it to its end.
    horizon: bool,
    /// The best line of the iteration before, followed while it is the line being searched.
    hint: Vec<Move>,
}

impl<E: Evaluator> Search<'_, E> {
    /// Value of `position` for its player to move, `depth` ≥ 1 plies deep, within the window (alpha, beta) of the
    /// same player. `ply` is its distance from the root; `since` the place in the path where the positions since the
    /// last capture begin; `line` receives the best moves.
    fn node(
        &mut self,
        position: &Position,
        depth: u32,
        ply: u32,
        since: usize,
        (mut alpha, beta): (Score, Score),
        line: &mut Vec<Move>,
    ) -> Score {
        line.clear();
        let hint = self.hint.first().copied();
        let mut best = -Score::INFINITE;
        let mut below = Vec::new();
        let children = ordered(position, hint);
        for child in children.iter() {
            if hint == Some(child.mv) {
                self.hint.remove(0);
            } else {
                self.hint.clear();
            }
            if self.out_of_budget() {
                return best;
            }
            self.nodes += 1;
            below.clear();
            let score = self.child(position, child, depth, ply, since, (alpha, beta), &mut below);
            if self.stopped {
                // What the child returned is unfinished, and is not used.
                return best;
            }
            if score > best {
                best = score;
                if score > alpha || line.is_empty() {
                    line.clear();
                    line.push(child.mv);
                    line.append(&mut below);
                }
                alpha = alpha.max(score);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    #[allow(clippy::too_many_arguments)]
    fn child(
        &mut self,
        parent: &Position,
        child: &Child,
        depth: u32,
        ply: u32,
        since: usize,
        (alpha, beta): (Score, Score),
        line: &mut Vec<Move>,
    ) -> Score {
        let position = &child.step.position;
        let kind = child.step.sowing.kind;
        if kind == MoveKind::Endless {
            return Score::DRAW;
        }
        // R7: no position from before a capture can come back.
        let since = if kind == MoveKind::Capture { self.path.len() } else { since };
        if self.path[since..].contains(position) {
            return Score::DRAW;
        }
        // The side to move is asked, never assumed: sign and window turn only when the player changed.
        let turned = position.to_move() != parent.to_move();
        let score = if position.no_moves() {
            let [south, north] = position.score().map(|points| points as i32);
            let ahead = if position.to_move().index() == 0 { south - north } else { north - south };
            match ahead.signum() {
                1 => Score::win_in(ply + 1),
                0 => Score::DRAW,
                _ => Score::loss_in(ply + 1),
            }
        } else if depth == 1 {
            self.horizon = true;
            self.evaluator.evaluate(position)
        } else {
            let window = if turned { (-beta, -alpha) } else { (alpha, beta) };
            self.path.push(*position);
            let score = self.node(position, depth - 1, ply + 1, since, window, line);
            self.path.pop();
            score
        };
        if turned { -score } else { score }
    }

    /// Whether a limit is reached; asked before each position is visited, so that no limit on them is passed. The
    /// clock is asked every 256 nodes: some tens of microseconds.
    fn out_of_budget(&mut self) -> bool {
        self.stopped |= self.nodes >= self.most_nodes;
        if self.nodes.is_multiple_of(256) {
            self.stopped |= self.control.is_over(self.deadline);
        }
        self.stopped
    }
}

/// A move and what it leads to.
#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    step: Step,
    order: u16,
}

/// The children of a position, most promising first.
struct Children {
    list: [Option<Child>; 2 * MAX_WIDTH],
    len: usize,
}

impl Children {
    fn iter(&self) -> impl Iterator<Item = &Child> {
        self.list[..self.len].iter().flatten()
    }

    fn first(&self) -> &Child {
        self.iter().next().expect("a position where the game is not over has a move")
    }
}

/// Every child of a position: the hinted move first, then captures by what they gain, then extra moves, then the
/// rest in the order they are generated.
fn ordered(position: &Position, hint: Option<Move>) -> Children {
    let mut children = Children { list: [None; 2 * MAX_WIDTH], len: 0 };
    for mv in position.moves() {
        let step = position.step(mv);
        let order = if hint == Some(mv) {
            u16::MAX
        } else {
            match step.sowing.kind {
                MoveKind::Capture => 1 + u16::from(step.sowing.captured),
                MoveKind::Extra => 1,
                _ => 0,
            }
        };
        children.list[children.len] = Some(Child { mv, step, order });
        children.len += 1;
    }
    // Stable, so that equal moves keep their order and the search stays the same on every machine.
    children.list[..children.len].sort_by_key(|child| std::cmp::Reverse(child.map(|child| child.order)));
    children
}
