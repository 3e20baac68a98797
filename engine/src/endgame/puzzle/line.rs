//! The solution of a problem: key, best defence and so on, to the end of the game.

use super::Goal;
use super::keep::keepers;
use crate::board::{MoveKind, Sowing};
use crate::endgame::tablebase::{Tablebase, Threshold, Value};
use crate::game::{Game, Outcome, PlayError};
use crate::position::Position;
use crate::rules::{Move, Player};

/// Most plies of a solution.
pub const MOST_PLIES: usize = 16;
/// Most extra moves in a row by which a draw is forced alone.
const MOST_EXTRA: usize = 8;

/// A move of a solution as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// The position before it.
    pub before: Position,
    /// Who makes it.
    pub player: Player,
    /// The move.
    pub mv: Move,
    /// What it does.
    pub sowing: Sowing,
}

/// The moves of a line from a position on, as far as they are legal; or the first that is not, by its number from 1.
///
/// # Errors
/// The number of the first move that cannot be played, and why.
pub fn strokes(start: &Position, line: &[Move]) -> Result<Vec<Stroke>, (usize, PlayError)> {
    let mut game = Game::from_position(*start);
    line.iter()
        .enumerate()
        .map(|(at, &mv)| {
            let ply = game.play(mv).map_err(|why| (at + 1, why))?;
            Ok(Stroke { before: ply.before, player: ply.before.to_move(), mv, sowing: ply.sowing })
        })
        .collect()
}

/// A solution found.
pub(super) struct Solution {
    /// The game at its end.
    pub game: Game,
    /// The solver's moves, passes left out.
    pub own_moves: u32,
    /// Those of them that are only moves.
    pub only_moves: u32,
}

/// The solution of a problem; `None` where it takes more than [`MOST_PLIES`].
///
/// A winner plays by the tables' progress, a loser what lacks least for a draw and then takes longest. Who is to draw repeats
/// as soon as they can alone; their opponent, who loses nothing by it, leaves them the fewest moves that do.
pub(super) fn solution(tables: &Tablebase, start: &Position, goal: Goal) -> Option<Solution> {
    let solver = start.to_move();
    let mut game = Game::from_position(*start);
    let (mut own_moves, mut only_moves) = (0, 0);
    while game.ending().is_none() {
        if game.plies().len() == MOST_PLIES {
            return None;
        }
        let mv = if game.position().to_move() == solver {
            let keeping = keepers(tables, &game, goal)?;
            let passes = matches!(game.position().moves()[..], [Move::Pass]);
            own_moves += u32::from(!passes);
            only_moves += u32::from(!passes && keeping.len() == 1);
            match (&keeping[..], goal) {
                ([only], _) => only.mv,
                (_, Goal::Win) => tables.advise(&game)?.moves[0],
                (_, Goal::Draw) => match ends_alone(&mut game, MOST_EXTRA) {
                    Some(mv) => mv,
                    None => tables.advise(&game)?.moves[0],
                },
            }
        } else {
            match goal {
                Goal::Win => tables.advise(&game)?.moves[0],
                Goal::Draw => trickiest(tables, &mut game)?,
            }
        };
        game.play(mv).expect("the tables advise legal moves");
    }
    Some(Solution { game, own_moves, only_moves })
}

/// The move of a defender who cannot lose and would like to win: one that does not lose, goes on, and leaves the solver, to
/// move, the fewest moves that draw; then one that keeps the turn.
fn trickiest(tables: &Tablebase, game: &mut Game) -> Option<Move> {
    let lead = game.position().lead();
    let moves = tables.moves(game.position())?;
    let mut choices: Vec<(usize, Threshold, Move)> = Vec::new();
    for each in &moves {
        let mover = game.position().to_move();
        game.play(each.mv).expect("the tables have legal moves");
        let goes_on = game.ending().is_none();
        let drawn = game.outcome() == Some(Outcome::Draw);
        let left = match goes_on && game.position().to_move() != mover {
            true => keepers(tables, game, Goal::Draw)?.len(),
            false if goes_on => usize::MAX - 1,
            false => usize::MAX,
        };
        game.undo();
        if drawn || each.thresholds.value(lead) >= Value::Draw {
            choices.push((left, each.thresholds.win, each.mv));
        }
    }
    choices.into_iter().min_by_key(|&(left, win, _)| (left, win)).map(|(_, _, mv)| mv)
}

/// The first of the fewest moves by which the player to move draws alone: an endless relay, or extra moves that repeat a
/// position. `None` where that takes more than `most`, or is not to be had.
fn ends_alone(game: &mut Game, most: usize) -> Option<Move> {
    (1..=most).find_map(|moves| draws_in(game, moves))
}

fn draws_in(game: &mut Game, moves: usize) -> Option<Move> {
    game.position().moves().into_iter().find(|&mv| {
        let kind = game.play(mv).expect("a generated move is legal while the game is played").sowing.kind;
        let drawn = match game.ending() {
            Some(_) => moves == 1 && game.outcome() == Some(Outcome::Draw),
            None => kind == MoveKind::Extra && moves > 1 && draws_in(game, moves - 1).is_some(),
        };
        game.undo();
        drawn
    })
}
