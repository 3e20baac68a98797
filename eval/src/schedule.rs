//! Who plays whom in which game, and from which opening.
//!
//! A round is one opening. In each round every two agents that meet play a pair of games from it, one from each seat: so
//! all pairings get the same openings, and neither the opening nor the first move favours anybody. Rounds follow one
//! another, so that whatever part of a tournament has been played is balanced, and a longer tournament of the same
//! seed begins with the games of the shorter one.

use std::collections::HashSet;

use giuthi_engine::opening::{OpeningError, OpeningPlies};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Move, Variant};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::openings::{Chosen, OpeningsError, draw};

/// Who meets whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The heroes, by their numbers, meet all others; not one another.
    Gauntlet(Vec<usize>),
    /// Each meets the one before and the one after it, in the order given.
    Ladder,
}

impl Format {
    /// The pairings of so many agents, as numbers of the two; the one who has seat 0 first, first.
    #[must_use]
    pub fn pairings(&self, agents: usize) -> Vec<[usize; 2]> {
        match self {
            Format::RoundRobin => (0..agents).flat_map(|a| (a + 1..agents).map(move |b| [a, b])).collect(),
            Format::Gauntlet(heroes) => {
                let others = || (0..agents).filter(|agent| !heroes.contains(agent));
                heroes.iter().flat_map(|&hero| others().map(move |other| [hero, other])).collect()
            }
            Format::Ladder => (1..agents).map(|upper| [upper - 1, upper]).collect(),
        }
    }

    /// Its name in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet(_) => "gauntlet",
            Format::Ladder => "ladder",
        }
    }
}

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

/// The games of a tournament in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    chosen: Chosen,
    /// The first of the agents' random streams, from its beginning.
    play: ChaCha8Rng,
}

impl Schedule {
    /// These pairings, in each of the openings.
    #[must_use]
    pub fn new(pairings: Vec<[usize; 2]>, chosen: Chosen, seed: u64) -> Schedule {
        // The agents' randomness hangs on a second seed, drawn from the one stream that no round reaches, so that it
        // shares nothing with the openings.
        let play_seed = game_rng(seed, u64::MAX).next_u64();
        Schedule { pairings, chosen, play: game_rng(play_seed, 0) }
    }

    /// A round robin of so many agents over `rounds` random openings of `variant`.
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
        let chosen =
            draw(variant, rounds, opening_plies, None, seed, &mut |_, _| true).map_err(
                |error| match error {
                    OpeningsError::Drawn(error) => error,
                    error => unreachable!("nothing is left out, and nobody stops it: {error}"),
                },
            )?;
        Ok(Schedule::new(Format::RoundRobin.pairings(agents), chosen, seed))
    }

    /// Who meets whom.
    #[must_use]
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// Rounds in all.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.chosen.openings.len() as u64
    }

    /// Pairs of games in all.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.rounds() * self.pairings.len() as u64
    }

    /// Games in all.
    #[must_use]
    pub fn games(&self) -> u64 {
        2 * self.pairs()
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
        &self.chosen.openings[round as usize]
    }

    /// How many of the openings differ.
    #[must_use]
    pub fn different_openings(&self) -> usize {
        self.chosen.openings.iter().collect::<HashSet<_>>().len()
    }

    /// How many openings were left out because they were decided.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.chosen.left_out
    }

    /// The random streams of a game's agents, by seat. Each depends on the seed, the game's number and the seat alone.
    #[must_use]
    pub fn streams(&self, game: u64) -> [ChaCha8Rng; 2] {
        let mut streams = [self.play.clone(), self.play.clone()];
        for (stream, number) in streams.iter_mut().zip([2 * game, 2 * game + 1]) {
            stream.set_stream(number);
        }
        streams
    }
}
