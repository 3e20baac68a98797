//! Random streams: one for each game, from nothing but the seed and the game's number, so that the games are the
//! same whatever the threads, shards or machines that play them.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::position::Position;
use crate::rules::Move;
use rand::seq::IndexedRandom;

/// The random stream of a game: ChaCha8 seeded with `seed`, stream number `game`.
#[must_use]
pub fn game_rng(seed: u64, game: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(game);
    rng
}

/// A legal move, each as likely as any other; `None` where the game is over for want of moves.
pub fn random_move(position: &Position, rng: &mut dyn rand::Rng) -> Option<Move> {
    position.moves().choose(rng).copied()
}
