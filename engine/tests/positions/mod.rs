//! Random positions for the tests that compare.

#![allow(dead_code, reason = "every test file uses some of it")]

use giuthi_engine::opening::random_opening;
use giuthi_engine::{Game, Move, MoveKind, Position, Setup, Variant};
use rand::RngExt;

/// A position of rows of `width` pits with up to `most` seeds, some of them in the piles. `spread` places share
/// them, so that a small one makes huge pits and many empty ones.
pub(crate) fn scattered(width: usize, most: usize, spread: usize, rng: &mut impl rand::Rng) -> Position {
    let mut places = vec![0u32; 2 * width + 2];
    let chosen: Vec<usize> = (0..spread).map(|_| rng.random_range(0..places.len())).collect();
    for _ in 0..rng.random_range(0..=most) {
        places[chosen[rng.random_range(0..spread)]] += 1;
    }
    let setup = Setup {
        north: places[..width].to_vec(),
        south: places[width..2 * width].to_vec(),
        piles: [places[2 * width], places[2 * width + 1]],
        to_move: rng.random_range(0..2),
    };
    Position::try_from(&setup).expect("the bounds were kept")
}

/// A game with a history: random plies of which few capture.
pub(crate) fn wandering(variant: Variant, plies: u32, rng: &mut impl rand::Rng) -> Game {
    let mut game = random_opening(variant, plies / 2, rng).expect("such openings do not end the game");
    for _ in 0..plies {
        let position = *game.position();
        let quiet: Vec<Move> = position
            .moves()
            .into_iter()
            .filter(|&mv| position.step(mv).sowing.kind != MoveKind::Capture)
            .collect();
        if quiet.is_empty() {
            break;
        }
        game.play(quiet[rng.random_range(0..quiet.len())]).expect("a listed move is legal");
        if game.ending().is_some() {
            game.undo();
        }
    }
    game
}
