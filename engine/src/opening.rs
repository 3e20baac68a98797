//! Random openings: what self-play and tournaments start their games from, so that no two are alike.

use crate::game::Game;
use crate::rng::random_move;
use crate::rules::Variant;

/// A game of `variant` after `plies` uniformly random plies (passes and extra moves count as plies), still being
/// played. Openings that end the game are thrown away and drawn anew.
///
/// # Errors
/// [`TooLong`] where 1,000 draws in a row ended the game, as very long openings on small boards do.
pub fn random_opening(variant: Variant, plies: u32, rng: &mut dyn rand::Rng) -> Result<Game, TooLong> {
    const DRAWS: u32 = 1000;
    for _ in 0..DRAWS {
        let mut game = Game::new(variant);
        for _ in 0..plies {
            match random_move(game.position(), rng) {
                Some(mv) if game.ending().is_none() => {
                    game.play(mv).expect("a generated move is legal while the game is played");
                }
                _ => break,
            }
        }
        if game.ending().is_none() {
            return Ok(game);
        }
    }
    Err(TooLong { variant, plies })
}

/// No opening of that length was found that does not end the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("openings of {plies} random plies always end the game on {variant}: ask for fewer")]
pub struct TooLong {
    /// The variant.
    pub variant: Variant,
    /// The plies asked for.
    pub plies: u32,
}
