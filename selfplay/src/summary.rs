//! Statistics of the games of a dataset.

use giuthi_engine::{Ending, Game, MoveKind, Outcome, Player, Source};
use serde::{Deserialize, Serialize};

use crate::distinct::{Distinct, fingerprint};

/// What games came to, in numbers that add up, whatever the order of the games and however they are dealt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games won by player 0, drawn, won by player 1.
    results: [u64; 3],
    /// Games ended by each of [`Ending::ALL`].
    endings: [u64; Ending::ALL.len()],
    /// Moves from each of [`Source::ALL`].
    sources: [u64; Source::ALL.len()],
    extra_moves: u64,
    longest_game: u64,
}

impl Tally {
    /// Counts a finished game in, whose moves come from these sources; a game still being played counts for nothing.
    pub(crate) fn add(&mut self, game: &Game, sources: impl Iterator<Item = Source>) {
        let (Some(ending), Some(outcome)) = (game.ending(), game.outcome()) else { return };
        let result = match outcome {
            Outcome::Win(Player::South) => 0,
            Outcome::Draw => 1,
            Outcome::Win(Player::North) => 2,
        };
        self.results[result] += 1;
        self.endings[ending as usize] += 1;
        sources.for_each(|source| self.sources[source as usize] += 1);
        let extra = game.plies().iter().filter(|ply| ply.sowing.kind == MoveKind::Extra);
        self.extra_moves += extra.count() as u64;
        self.longest_game = self.longest_game.max(game.plies().len() as u64);
    }

    /// Counts in what another tally counts, of other games.
    pub(crate) fn merge(&mut self, other: &Tally) {
        let add = |mine: &mut [u64], others: &[u64]| {
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
        };
        add(&mut self.results, &other.results);
        add(&mut self.endings, &other.endings);
        add(&mut self.sources, &other.sources);
        self.extra_moves += other.extra_moves;
        self.longest_game = self.longest_game.max(other.longest_game);
    }

    /// Whether these can be the numbers of so many games with so many rows.
    pub(crate) fn fits(&self, games: u64, rows: u64) -> bool {
        let sum = |counts: &[u64]| counts.iter().try_fold(0, |sum: u64, &count| sum.checked_add(count));
        sum(&self.results) == Some(games)
            && sum(&self.endings) == Some(games)
            && sum(&self.sources) == Some(rows)
            && self.extra_moves <= rows
            && self.longest_game <= rows
    }

    /// Games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// Rows: plies of all games, forced passes among them.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.sources.iter().sum()
    }

    /// Games won by player 0, drawn, won by player 1.
    #[must_use]
    pub const fn results(&self) -> [u64; 3] {
        self.results
    }

    /// Games that ended so.
    #[must_use]
    pub const fn ended_by(&self, ending: Ending) -> u64 {
        self.endings[ending as usize]
    }

    /// Moves played for that reason.
    #[must_use]
    pub const fn moves_by(&self, source: Source) -> u64 {
        self.sources[source as usize]
    }

    /// Moves that gave the same player another one.
    #[must_use]
    pub const fn extra_moves(&self) -> u64 {
        self.extra_moves
    }

    /// Plies of the longest game.
    #[must_use]
    pub const fn longest(&self) -> u64 {
        self.longest_game
    }
}

/// The positions of a finished game, as [`Summary`] counts them.
pub(crate) fn positions(game: &Game) -> Vec<u64> {
    game.plies().iter().map(|ply| fingerprint(&ply.before)).collect()
}

/// What the games of a dataset came to.
#[derive(Clone, Debug)]
pub struct Summary {
    tally: Tally,
    /// `None` once rows were counted whose positions were not looked at.
    positions: Option<Distinct>,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary { tally: Tally::default(), positions: Some(Distinct::default()) }
    }
}

impl Summary {
    /// Counts in a game by its tally and its [`positions`].
    pub(crate) fn add(&mut self, tally: &Tally, positions: &[u64]) {
        self.tally.merge(tally);
        if let Some(distinct) = &mut self.positions {
            positions.iter().for_each(|&position| distinct.insert_fingerprint(position));
        }
    }

    /// Counts in games of which only the tally is known.
    pub(crate) fn add_tally(&mut self, tally: &Tally) {
        self.tally.merge(tally);
        self.positions = None;
    }

    /// Counts in what another summary counts, of other games.
    pub(crate) fn merge(&mut self, other: &Summary) {
        self.tally.merge(&other.tally);
        match (&mut self.positions, &other.positions) {
            (Some(mine), Some(others)) => mine.merge(others),
            _ => self.positions = None,
        }
    }

    /// The numbers that add up.
    #[must_use]
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.tally.games()
    }

    /// Rows: plies of all games, forced passes among them.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tally.rows()
    }

    /// Different positions among the rows, and whether that number is exact; where it is not, its standard error is
    /// 0.2 %. `None` where parts that were finished before were not read again.
    #[must_use]
    pub fn positions(&self) -> Option<(u64, bool)> {
        self.positions.as_ref().map(Distinct::count)
    }
}
