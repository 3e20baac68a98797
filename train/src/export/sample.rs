//! The positions that exported forms are compared on.

use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Game, Position, Variant};

/// How many of them.
pub const POSITIONS: usize = 1000;

/// Positions of random games on boards with rows of `width` pits: of every number of seeds that a game can begin with,
/// each other one as the mirror shows it. The same ones every time.
///
/// # Panics
/// When no board has rows of `width` pits.
#[must_use]
pub fn positions(width: usize, count: usize) -> Vec<Position> {
    let variants: Vec<Variant> = Variant::all().filter(|variant| variant.width() == width).collect();
    assert!(!variants.is_empty(), "boards have rows of 5 to 10 pits");
    let mut positions = Vec::with_capacity(count);
    for (number, &variant) in (0..).zip(variants.iter().cycle()) {
        let mut rng = game_rng(2025, number);
        let mut game = Game::new(variant);
        while game.ending().is_none() {
            if positions.len() == count {
                return positions;
            }
            let position = *game.position();
            positions.push(if positions.len() % 2 == 0 { position } else { position.mirrored() });
            let mv = random_move(&position, &mut rng).expect("the game goes on");
            game.play(mv).expect("a legal move");
        }
    }
    positions
}

/// What foreign programs are given of a position: seeds in ring order from the first pit of the player to move, and
/// that player's pile minus the opponent's.
#[must_use]
pub fn seen(position: &Position) -> (Vec<u8>, i32) {
    let pits = position.board().pits();
    let first = position.to_move().first_pit(position.width());
    let mut turned = pits[first..].to_vec();
    turned.extend_from_slice(&pits[..first]);
    (turned, position.lead())
}
