//! Problems looked for among the boards of tables.

use std::ops::RangeInclusive;

use rand::RngExt;
use rayon::prelude::*;

use super::line::solution;
use super::rank::{depth, difficulty};
use super::stakes::{LEAST_GIVEN_UP, LEAST_MOVES, LEAST_PLIES, piles, threshold};
use super::{Goal, Puzzle, alike};
use crate::board::MoveKind;
use crate::endgame::tablebase::{Index, MoveWorth, Tablebase};
use crate::game::Ending;
use crate::position::Position;
use crate::rng::game_rng;
use crate::rules::{Move, Player};

/// What problems are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seeds on the board; the tables have to have boards of so many.
    pub seeds: RangeInclusive<usize>,
    /// Laps of the key.
    pub laps: RangeInclusive<u32>,
    /// What the solver is to reach; `None` for either.
    pub goal: Option<Goal>,
    /// How many problems.
    pub count: usize,
    /// What fixes which boards are looked at first.
    pub seed: u64,
}

/// Most boards that are looked at.
const MOST_BOARDS: u64 = 40_000_000;
/// Boards looked at together.
const BLOCK: u64 = 1 << 14;
/// For each problem asked for, so many are found, and the hardest taken.
const CHOICE: usize = 12;
/// Most moves that the defender makes behind the solver's last one, where the game is drawn: more are a walk round.
const MOST_TRAILING: usize = 3;

/// Composes problems from the boards of tables, player 0 to move: looks at boards in an order that the seed fixes, each once,
/// until there is a choice, and takes the hardest that are not [`alike`]; problems in which every move of the solver is an
/// only move before all others. They are numbered by rising difficulty. The same tables and settings give the same
/// problems on any number of threads; there are fewer of them where fewer were found.
///
/// # Panics
/// Where the tables do not have boards of so many seeds.
#[must_use]
pub fn compose(tables: &Tablebase, settings: &Settings) -> Vec<Puzzle> {
    assert!(*settings.seeds.end() <= tables.seeds(), "the tables have boards of up to {}", tables.seeds());
    let index = Index::new(tables.pits());
    let order = Order::new(&index, settings);
    let wanted = settings.count.saturating_mul(CHOICE);
    let mut found: Vec<Puzzle> = Vec::new();
    let mut from = 0;
    while from < order.len() && found.len() < wanted {
        let to = (from + BLOCK).min(order.len());
        let block: Vec<Puzzle> = (from..to)
            .into_par_iter()
            .filter_map(|at| puzzle(tables, settings, &order.position(&index, at)))
            .collect();
        found.extend(block);
        from = to;
    }
    found.truncate(wanted);
    found.par_iter_mut().for_each(|puzzle| {
        puzzle.depth = depth(&puzzle.position, puzzle.mv);
        puzzle.difficulty = difficulty(puzzle);
    });
    let strays = |puzzle: &Puzzle| puzzle.own_moves - puzzle.only_moves;
    found.sort_by_key(|puzzle| (strays(puzzle).min(1), std::cmp::Reverse(puzzle.difficulty)));
    let mut taken: Vec<Puzzle> = Vec::new();
    for puzzle in found {
        if taken.len() < settings.count && taken.iter().all(|other| !alike(other, &puzzle)) {
            taken.push(puzzle);
        }
    }
    taken.sort_by_key(|puzzle| puzzle.difficulty);
    for (number, puzzle) in taken.iter_mut().enumerate() {
        puzzle.id = number as u32 + 1;
    }
    taken
}

/// The boards of several numbers of seeds, each once, in an order that looks like chance: every so manyth one, round and
/// round.
struct Order {
    /// Seeds, and how many boards there are of so many.
    layers: Vec<(usize, u64)>,
    boards: u64,
    first: u64,
    stride: u64,
}

impl Order {
    fn new(index: &Index, settings: &Settings) -> Order {
        let layers: Vec<(usize, u64)> =
            settings.seeds.clone().map(|seeds| (seeds, index.boards(seeds))).collect();
        let boards: u64 = layers.iter().map(|(_, boards)| boards).sum();
        let mut rng = game_rng(settings.seed, 0);
        let first = rng.random_range(0..boards);
        let mut stride = rng.random_range(0..boards) | 1;
        while common_divisor(stride, boards) > 1 {
            stride += 1;
        }
        Order { layers, boards, first, stride }
    }

    fn len(&self) -> u64 {
        self.boards.min(MOST_BOARDS)
    }

    fn position(&self, index: &Index, at: u64) -> Position {
        let place = u128::from(self.first) + u128::from(at) * u128::from(self.stride);
        let mut number = (place % u128::from(self.boards)) as u64;
        let mut layers = self.layers.iter();
        let seeds = loop {
            let (seeds, boards) = layers.next().expect("the number is below the sum of the layers");
            match number.checked_sub(*boards) {
                Some(rest) => number = rest,
                None => break *seeds,
            }
        };
        // The pits of the player to move come first, and player 0 has those behind.
        let width = index.width();
        let mut pits = index.board(seeds, number);
        pits[..2 * width].rotate_left(width);
        Position::of_pits(width, &pits[..2 * width], [0; 2], Player::South)
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The problem of a board, if it is one; its depth and difficulty not yet measured.
fn puzzle(tables: &Tablebase, settings: &Settings, board: &Position) -> Option<Puzzle> {
    let moves = tables.moves(board)?;
    if moves.len() < LEAST_MOVES || board.moves()[..] == [Move::Pass] {
        return None;
    }
    let goals = Goal::ALL.into_iter().filter(|goal| settings.goal.is_none_or(|asked| asked == *goal));
    goals.filter_map(|goal| with_goal(tables, settings, board, &moves, goal)).next()
}

fn with_goal(
    tables: &Tablebase,
    settings: &Settings,
    board: &Position,
    moves: &[MoveWorth],
    goal: Goal,
) -> Option<Puzzle> {
    let of = |each: &MoveWorth| threshold(each, goal);
    let key = moves.iter().min_by_key(|each| of(each))?;
    let tempting = moves.iter().rev().max_by_key(|each| each.step.sowing.captured)?;
    let (laps, captured) = (key.step.sowing.laps, key.step.sowing.captured);
    if !settings.laps.contains(&laps)
        || key.step.sowing.kind == MoveKind::Endless
        || tempting.step.sowing.captured < captured + LEAST_GIVEN_UP
    {
        return None;
    }
    let piles = piles(board, moves, key.mv, goal)?.map(|seeds| seeds as u8);
    let position = Position::of_pits(board.width(), board.board().pits(), piles, Player::South);
    let solution = solution(tables, &position, goal)?;
    let plies = solution.game.plies();
    let trailing = plies.iter().rev().take_while(|ply| ply.before.to_move() != Player::South).count();
    if plies.len() < LEAST_PLIES || (goal == Goal::Draw && trailing > MOST_TRAILING) {
        return None;
    }
    Some(Puzzle {
        id: 0,
        position,
        goal,
        mv: key.mv,
        laps,
        captured,
        tempting: tempting.mv,
        tempting_captured: tempting.step.sowing.captured,
        alternatives: moves.len() as u32 - 1,
        depth: None,
        own_moves: solution.own_moves,
        only_moves: solution.only_moves,
        difficulty: 0,
        line: plies.iter().map(|ply| ply.mv).collect(),
        line_laps: plies.iter().map(|ply| ply.sowing.laps).collect(),
        end: solution.game.ending().unwrap_or(Ending::NoMoves),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_board_is_looked_at_once() {
        let index = Index::new(5);
        for seed in 0..4 {
            let settings = Settings { seeds: 2..=4, laps: 1..=9, goal: None, count: 1, seed };
            let order = Order::new(&index, &settings);
            let all: HashSet<Position> = (0..order.len()).map(|at| order.position(&index, at)).collect();
            assert_eq!(order.len(), (2..=4).map(|seeds| index.boards(seeds)).sum::<u64>());
            assert_eq!(all.len() as u64, order.len());
            assert!(all.iter().all(|position| (2..=4).contains(&position.board().seeds())));
        }
    }
}
