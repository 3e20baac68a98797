//! Games counted by seat, by ending and by length.

use std::collections::BTreeMap;

use giuthi_engine::{Ending, Player};

use crate::play::{FORFEIT, Played};
use crate::tally::WinsDrawsLosses;

/// Ways for a game to end: by the rules, or by a fault.
pub const ENDINGS: usize = Ending::ALL.len() + 1;

/// Their names in files, in order: those of [`Ending::ALL`], then `forfeit`.
pub const ENDING_NAMES: [&str; ENDINGS] =
    [Ending::ALL[0].name(), Ending::ALL[1].name(), Ending::ALL[2].name(), FORFEIT];

/// The number of a game's ending among [`ENDING_NAMES`].
#[must_use]
pub fn ending(played: &Played) -> usize {
    played.course.ending.map_or(ENDINGS - 1, |ending| ending as usize)
}

/// What [`Tally`](crate::Tally) does not count.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Each agent's results on either seat, player 0 first.
    pub seats: Vec<[WinsDrawsLosses; 2]>,
    /// Each agent's games by ending.
    pub endings: Vec<[u64; ENDINGS]>,
    /// Games by their plies, and by ending.
    pub lengths: BTreeMap<usize, [u64; ENDINGS]>,
}

impl Counts {
    /// Nothing counted yet, for so many agents.
    #[must_use]
    pub fn new(agents: usize) -> Counts {
        Counts {
            seats: vec![[WinsDrawsLosses::default(); 2]; agents],
            endings: vec![[0; ENDINGS]; agents],
            lengths: BTreeMap::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        let ending = ending(played);
        for (player, agent) in Player::BOTH.into_iter().zip(played.players) {
            self.seats[agent][player.index()].add(played.course.outcome, player);
            self.endings[agent][ending] += 1;
        }
        self.lengths.entry(played.course.moves.len()).or_default()[ending] += 1;
    }

    /// All games by ending.
    #[must_use]
    pub fn ended(&self) -> [u64; ENDINGS] {
        let mut sum = [0; ENDINGS];
        for counts in self.lengths.values() {
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sum
    }

    /// Plies of a game: least, median, mean, most; `None` where there is no game. The median of an even number of games
    /// is the lower of the two in the middle.
    #[must_use]
    pub fn plies(&self) -> Option<(usize, usize, f64, usize)> {
        let (least, most) = (*self.lengths.keys().next()?, *self.lengths.keys().next_back()?);
        let lengths = || self.lengths.iter().map(|(&plies, counts)| (plies, counts.iter().sum::<u64>()));
        let all = self.games();
        let plies: f64 = lengths().map(|(plies, games)| plies as f64 * games as f64).sum();
        let mut so_far = 0;
        let median = lengths().find(|(_, games)| {
            so_far += games;
            2 * so_far >= all
        });
        Some((least, median.map_or(most, |(plies, _)| plies), plies / all as f64, most))
    }

    fn games(&self) -> u64 {
        self.lengths.values().flatten().sum()
    }
}
