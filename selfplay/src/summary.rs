//! Statistics of the games of a dataset.

use giuthi_engine::sample::Note;
use giuthi_engine::{Ending, Game, MoveKind, Outcome, Player, Source};

use crate::distinct::Distinct;

/// What the games of a dataset came to. Counts, so that it does not depend on the order of the games.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    results: [u64; 3],
    endings: [u64; Ending::ALL.len()],
    sources: [u64; Source::ALL.len()],
    extra_moves: u64,
    longest: u64,
    positions: Distinct,
}

impl Summary {
    /// Counts a finished game in; a game still being played counts for nothing.
    pub(crate) fn add(&mut self, game: &Game, notes: &[Note]) {
        let (Some(ending), Some(outcome)) = (game.ending(), game.outcome()) else { return };
        let result = match outcome {
            Outcome::Win(Player::South) => 0,
            Outcome::Draw => 1,
            Outcome::Win(Player::North) => 2,
        };
        self.results[result] += 1;
        self.endings[ending as usize] += 1;
        for note in notes {
            self.sources[note.source as usize] += 1;
        }
        for ply in game.plies() {
            self.extra_moves += u64::from(ply.sowing.kind == MoveKind::Extra);
            self.positions.insert(&ply.before);
        }
        self.longest = self.longest.max(game.plies().len() as u64);
    }

    /// Counts in what another summary counts, of other games.
    pub(crate) fn merge(&mut self, other: &Summary) {
        let add = |mine: &mut [u64], others: &[u64]| {
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
        };
        add(&mut self.results, &other.results);
        add(&mut self.endings, &other.endings);
        add(&mut self.sources, &other.sources);
        self.extra_moves += other.extra_moves;
        self.longest = self.longest.max(other.longest);
        self.positions.merge(&other.positions);
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
        self.longest
    }

    /// Different positions among the rows, and whether that number is exact; where it is not, its standard error is
    /// 0.2 %.
    #[must_use]
    pub fn positions(&self) -> (u64, bool) {
        self.positions.count()
    }
}
