//! Perft: the number of lines of play of a given depth, which pins the rules down to the last seed.

use crate::game::Game;

/// The lines of exactly 1, 2, … `depth` plies from a game's position, each told to `report` as `(depth, nodes)` when
/// it is counted. A sowing is a ply, an extra move a further one, a forced pass one; a finished game is counted at
/// the depth where it finished and has no children. Repetition is counted from the game's own history on.
pub fn perft(game: &Game, depth: u32, mut report: impl FnMut(u32, u64)) {
    let mut game = game.clone();
    for depth in 1..=depth {
        report(depth, nodes(&mut game, depth));
    }
}

/// The lines of exactly `depth` plies; at depth 0 the one that is empty. The game is played on and taken back, so
/// that it is left as it was.
///
/// ```
/// use giuthi_engine::{Game, Variant, perft::nodes};
///
/// let mut game = Game::new(Variant::default());
/// assert_eq!([0, 1, 2].map(|depth| nodes(&mut game, depth)), [1, 16, 220]);
/// assert!(game.plies().is_empty());
/// ```
pub fn nodes(game: &mut Game, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if game.ending().is_some() {
        return 0;
    }
    let moves = game.position().moves();
    let mut count = 0;
    for mv in moves {
        // Finished or not, a move at the last ply is a node: but only `play` could tell more, so it is not asked.
        if depth == 1 {
            count += 1;
            continue;
        }
        game.play(mv).expect("a generated move is legal while the game is played");
        count += nodes(game, depth - 1);
        game.undo();
    }
    count
}
