//! What every move is worth, where a search for the best one would tell of the others only that they are no better.

use super::{Child, Control, Evaluator, FULL_WIDTH, Limits, Memory, Node, Search};
use crate::game::Game;
use crate::rules::Move;
use crate::search::Score;

/// The value of every legal move, for the player who makes it, the most promising first as the search orders them: what
/// [`alpha_beta`](super::alpha_beta) would find of each if there were no other.
///
/// Each is searched with the whole window, so it takes a few times as long as a search for the best. Where `limits` or
/// `control` break an iteration off, the values are those of the last one finished; of the first one, those that were
/// not looked at are draws.
///
/// # Panics
/// When the game is over, or `limits` holds no limit and there is no flag to stop it.
pub fn alpha_beta_each<E: Evaluator>(
    game: &Game,
    evaluator: &E,
    memory: &mut Memory,
    limits: &Limits,
    control: &Control<'_>,
) -> Vec<(Move, Score)> {
    let root = game.position();
    let mut search = Search::begin(game, evaluator, memory, limits, control);
    search.push_children(root, 0, None);
    let mut children: Vec<Child> = Vec::new();
    while let Some(child) = search.next_child(0) {
        children.push(child);
    }
    let mut values: Vec<(Move, Score)> = children.iter().map(|child| (child.mv, Score::DRAW)).collect();
    for depth in 1..=search.deepest {
        search.reduces = depth > FULL_WIDTH && !limits.full_width;
        let mut found = Vec::with_capacity(children.len());
        for child in &children {
            if search.out_of_budget() {
                break;
            }
            search.nodes += 1;
            let node = Node { depth, ply: 0, since: 0 };
            let value = search.child(root, child, node, Score::DRAW.window(i32::MAX), 0);
            if search.stopped {
                break;
            }
            found.push(value);
        }
        let whole = found.len() == children.len();
        if whole || depth == 1 {
            for (value, found) in values.iter_mut().zip(&found) {
                value.1 = found.score;
            }
        }
        if !whole || found.iter().all(|found| found.is_final) {
            break;
        }
    }
    values
}
