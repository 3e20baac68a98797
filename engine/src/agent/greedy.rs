//! `greedy`: the move that captures most now, an extra move searched to its end; ties at random.
//!
//! Extra moves lead round in circles: of the moves that come to the same capture, one that comes to it soonest is
//! played.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rand::seq::IndexedRandom;

use super::{Agent, Choice, Kind, Options, Recipe, Request};
use crate::board::MoveKind;
use crate::game::Game;
use crate::position::{Position, Step};
use crate::rules::Move;

pub(super) static KIND: Kind = Kind {
    name: "greedy",
    summary: "the move that captures most now (an extra move is searched to its end), ties at random",
    keys: &[],
    examples: &["greedy"],
    parse: |text| {
        Options::parse("greedy", &[], text)?;
        Ok(Recipe { clocked: false, load: Arc::new(|_| Ok(Arc::new(|| Box::new(Greedy)))) })
    },
};

/// Most positions that one choice walks through. The extra moves of a row of eight pits reach some 20,000 at most in
/// random games; of ten pits, tens of millions, so there the search ends here: after the shortest runs of them.
const MOST_POSITIONS: usize = 30_000;

struct Greedy;

impl Agent for Greedy {
    fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> Choice {
        Choice::plain(*best_moves(game).choose(request.rng).expect("asked only while the game is played"))
    }
}

/// The moves after which the turn can capture most, by themselves or by what their extra moves lead to; of those, the
/// ones that need the fewest moves for it (any other would put it off for ever). Every move where there is nothing to
/// capture.
fn best_moves(game: &Game) -> Vec<Move> {
    let root = game.position();
    let mut turn = Turn::new(game);
    let firsts: Vec<_> = root
        .moves()
        .into_iter()
        .map(|mv| {
            let step = root.step(mv);
            (mv, step.sowing.captured, turn.number(&step))
        })
        .collect();
    turn.walk();
    let captures = firsts.iter().map(|&(_, captured, _)| captured).chain(turn.captures.iter().copied());
    let most = captures.max().unwrap_or(0);
    if most == 0 {
        return root.moves().to_vec();
    }
    let further = turn.moves_to(most);
    let ways: Vec<(Move, usize)> = firsts
        .into_iter()
        .filter_map(|(mv, captured, number)| {
            let moves = if captured == most { 0 } else { further[number?]? };
            Some((mv, moves))
        })
        .collect();
    let fewest = ways.iter().map(|&(_, moves)| moves).min();
    ways.into_iter().filter(|&(_, moves)| Some(moves) == fewest).map(|(mv, _)| mv).collect()
}

/// The positions of one turn that extra moves lead to, numbered as they were found. A capture ends the turn, so what
/// a move leads to is a question of which of them it reaches; each is looked at once.
struct Turn {
    /// The number of each position found. Those that the game has met since its last capture have none: meeting one
    /// of them again is a draw on the spot.
    known: HashMap<Position, Option<usize>>,
    positions: Vec<Position>,
    /// For each position the greatest capture of a single move from it.
    captures: Vec<u8>,
    /// For each position the numbers of those that an extra move leads to it from.
    from: Vec<Vec<usize>>,
}

impl Turn {
    fn new(game: &Game) -> Turn {
        let known = game.recent().iter().map(|&position| (position, None)).collect();
        Turn { known, positions: Vec::new(), captures: Vec::new(), from: Vec::new() }
    }

    /// The number of the position that an extra move led to; `None` where the turn does not go on.
    fn number(&mut self, step: &Step) -> Option<usize> {
        if step.sowing.kind != MoveKind::Extra {
            return None;
        }
        *self.known.entry(step.position).or_insert_with(|| {
            self.positions.push(step.position);
            self.captures.push(0);
            self.from.push(Vec::new());
            Some(self.positions.len() - 1)
        })
    }

    /// Looks at every position found so far and at those found from there, the nearest first.
    fn walk(&mut self) {
        let mut at = 0;
        while at < self.positions.len().min(MOST_POSITIONS) {
            let position = self.positions[at];
            for mv in position.moves() {
                let step = position.step(mv);
                self.captures[at] = self.captures[at].max(step.sowing.captured);
                if let Some(to) = self.number(&step) {
                    self.from[to].push(at);
                }
            }
            at += 1;
        }
    }

    /// For each position the fewest moves to a capture of just so many seeds, that capture included; `None` where
    /// there is none.
    fn moves_to(&self, captured: u8) -> Vec<Option<usize>> {
        let mut moves = vec![None; self.positions.len()];
        let mut open: VecDeque<usize> =
            (0..moves.len()).filter(|&at| self.captures[at] == captured).collect();
        for &at in &open {
            moves[at] = Some(1);
        }
        while let Some(at) = open.pop_front() {
            for &from in &self.from[at] {
                if moves[from].is_none() {
                    moves[from] = moves[at].map(|moves| moves + 1);
                    open.push_back(from);
                }
            }
        }
        moves
    }
}
