//! Random positions for the tests that compare.

use giuthi_engine::{Position, Setup};
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
