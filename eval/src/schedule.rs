//! Who plays whom in which game, and from which opening.
//!
//! A round is one random opening. In each round every two agents play a pair of games from it, one from each seat: so
//! all pairings get the same openings, and neither the opening nor the first move favours anybody. Rounds follow one
//! another, so that whatever part of a tournament has been played is balanced, and a longer tournament of the same
//! seed begins with the games of the shorter one.

use std::collections::HashSet;

use giuthi_engine::opening::{OpeningError, OpeningPlies, random_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Move, Variant};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0 over the whole tournament.
    pub game: u64,
    /// The number of its opening.
    pub round: u64,
    /// The agents' numbers, `[player 0, player 1]`.
    pub players: [usize; 2],
}

/// Draws of an opening that is to differ from the earlier ones.
const DRAWS: u32 = 50;

/// The games of a round robin in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    openings: Vec<Vec<Move>>,
    play_seed: u64,
}

impl Schedule {
    /// A round robin of so many agents over `rounds` openings of `variant`.
    ///
    /// The opening of round `r` comes from stream `r` of the seed. One that an earlier round has is drawn anew, so
    /// that no game is played twice under two names while there are others to play; where fifty draws bring nothing new,
    /// the last of them stands.
    ///
    /// # Errors
    /// [`OpeningError`] where openings of a length drawn always end the game, or there is none to play.
    pub fn round_robin(
        agents: usize,
        variant: Variant,
        rounds: u64,
        opening_plies: OpeningPlies,
        seed: u64,
    ) -> Result<Schedule, OpeningError> {
        let pairings = (0..agents).flat_map(|a| (a + 1..agents).map(move |b| [a, b])).collect();
        let mut taken = HashSet::new();
        let openings = (0..rounds)
            .map(|round| {
                let mut rng = game_rng(seed, round);
                let mut moves: Vec<Move> = Vec::new();
                for _ in 0..DRAWS {
                    let plies = opening_plies.draw(&mut rng);
                    let opening = random_opening(variant, plies, &mut rng)?;
                    moves = opening.plies().iter().map(|ply| ply.mv).collect();
                    if taken.insert(moves.clone()) {
                        break;
                    }
                }
                Ok(moves)
            })
            .collect::<Result<_, OpeningError>>()?;
        // The agents' randomness hangs on a second seed, drawn from the one stream that no round reaches, so that it
        // shares nothing with the openings.
        let play_seed = game_rng(seed, u64::MAX).next_u64();
        Ok(Schedule { pairings, openings, play_seed })
    }

    /// Games in all.
    #[must_use]
    pub fn games(&self) -> u64 {
        2 * self.openings.len() as u64 * self.pairings.len() as u64
    }

    /// The game of a number below [`Schedule::games`]. The two games of a pair follow one another, the agent given
    /// first on seat 0 in the first of them.
    #[must_use]
    pub fn fixture(&self, game: u64) -> Fixture {
        let pairings = self.pairings.len() as u64;
        let [a, b] = self.pairings[(game / 2 % pairings) as usize];
        let players = if game.is_multiple_of(2) { [a, b] } else { [b, a] };
        Fixture { game, round: game / 2 / pairings, players }
    }

    /// The moves of a round's opening.
    #[must_use]
    pub fn opening(&self, round: u64) -> &[Move] {
        &self.openings[round as usize]
    }

    /// How many of the openings differ.
    #[must_use]
    pub fn different_openings(&self) -> usize {
        self.openings.iter().collect::<HashSet<_>>().len()
    }

    /// The random streams of a game's agents, by seat. Each depends on the seed, the game's number and the seat alone.
    #[must_use]
    pub fn streams(&self, game: u64) -> [ChaCha8Rng; 2] {
        [2 * game, 2 * game + 1].map(|stream| game_rng(self.play_seed, stream))
    }
}
