//! What a match of two agents says when its results are counted: of games (won, drawn, lost) or of pairs.
//!
//! A pair is two games of one opening with the seats swapped. What an opening gives to a seat cancels out in it, so the
//! results of pairs spread less than those of as many single games, and an interval or a test made of them is as sharp
//! as the results allow; they have five values, hence *pentanomial*. `docs/ratings.md` has all formulas with their
//! sources.

use statrs::distribution::{Beta, ContinuousCDF};
use statrs::function::erf::erfc;
use thiserror::Error;

use crate::rating::{Encounter, Fit, LEAST_SPREAD, Options};

/// Standard errors to each side of a 95 % interval.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// Elo points of one unit of a natural logarithm of odds.
pub(crate) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Normalised Elo of a score that lies one standard deviation of a game's result above one half.
pub(crate) const NORMALISED: f64 = 2.0 * ELO;

/// The Elo difference at which a score (0 … 1, both excluded) is expected.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    ELO * (score / (1.0 - score)).ln()
}

/// The score expected, 0 … 1, of an agent that is so much stronger in Elo (Elo 1978).
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}

/// Chance that a standard normal variable is below `z`.
#[must_use]
pub fn normal(z: f64) -> f64 {
    // By the tail, which keeps its digits far out.
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// A match's results counted, from one agent's view, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Single games: lost, drawn, won.
    Games([u64; 3]),
    /// Pairs by their half-points, 0 … 4: both lost, one lost and one drawn, one won and one lost or both drawn, one
    /// won and one drawn, both won.
    Pairs([u64; 5]),
}

impl Counts {
    /// The numbers, the worst result first.
    #[must_use]
    pub fn numbers(&self) -> &[u64] {
        match self {
            Counts::Games(numbers) => numbers,
            Counts::Pairs(numbers) => numbers,
        }
    }

    /// What is counted: single games, or pairs.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.numbers().iter().sum()
    }

    /// Games in all: two a pair.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.trials() * self.games_a_trial()
    }

    const fn games_a_trial(&self) -> u64 {
        match self {
            Counts::Games(_) => 1,
            Counts::Pairs(_) => 2,
        }
    }

    /// Each result's points a game, 0 … 1, with its number.
    fn results(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let numbers = self.numbers();
        let best = (numbers.len() - 1) as f64;
        numbers.iter().enumerate().map(move |(i, &number)| (i as f64 / best, number as f64))
    }

    /// Points a game, 0 … 1; one half where nothing is counted.
    #[must_use]
    pub fn score(&self) -> f64 {
        match self.trials() {
            0 => 0.5,
            trials => self.results().map(|(points, number)| points * number).sum::<f64>() / trials as f64,
        }
    }

    /// Variance of a trial's points a game, as they are spread; 0 where nothing is counted.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let (score, trials) = (self.score(), self.trials().max(1) as f64);
        self.results().map(|(points, number)| number * (points - score).powi(2)).sum::<f64>() / trials
    }

    /// Standard error of [`Counts::score`]; 0 where all trials went alike.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        (self.variance() / self.trials().max(1) as f64).sqrt()
    }

    /// Elo difference with its 95 % interval, `[lower, value, upper]`, all of it finite: what [`crate::rating`] makes of
    /// two agents, each trial an observation, put together as their difference. Where nothing is counted
    /// the interval is that of a drawn trial.
    #[must_use]
    pub fn elo(&self) -> [f64; 3] {
        let (score, n) = (self.score(), self.trials() as f64);
        if score <= 0.0 || score >= 1.0 {
            return self.elo_of_perfect();
        }
        let slope = score * (1.0 - score);
        let observed = if n > 1.0 { self.variance() / (n - 1.0) / (slope * slope) } else { 0.0 };
        let least = LEAST_SPREAD / n.max(1.0) / (self.games().max(1) as f64 * slope);
        let reach = Z * ELO * observed.max(least).sqrt();
        let value = elo_of_score(score);
        [value - reach, value, value + reach]
    }

    /// All won or all lost.
    fn elo_of_perfect(&self) -> [f64; 3] {
        let games = self.games_a_trial() as u32;
        let half_points = if self.score() > 0.5 { 2 * games } else { 0 };
        let trial = vec![Encounter { agents: [0, 1], games, half_points }];
        let trials = vec![trial; self.trials().min(MAX_PERFECT) as usize];
        let rating = Fit::new(2, &trials, &Options::default()).ratings()[0];
        [rating.lower, rating.elo, rating.upper].map(|elo| 2.0 * elo)
    }

    /// Normalised Elo with its 95 % interval, `[lower, value, upper]`: how many standard deviations of a game the
    /// score is above one half, times 800 / ln 10 (Van den Bergh 2020). Two matches of the same normalised Elo take as
    /// many games to be told from an even one, however many draws they have. `None` where all trials went alike.
    #[must_use]
    pub fn normalised_elo(&self) -> Option<[f64; 3]> {
        // Of a single game: a pair's points a game are the mean of two.
        let deviation = (self.variance() * self.games_a_trial() as f64).sqrt();
        (deviation > 0.0).then(|| {
            let value = NORMALISED * (self.score() - 0.5) / deviation;
            let reach = NORMALISED * Z / (self.games() as f64).sqrt();
            [value - reach, value, value + reach]
        })
    }

    /// Likelihood of superiority, 0 … 1: the chance that the agent is the stronger one, its score taken as normal
    /// about the one observed. Where all trials went alike, which shows no spread, the posterior of a chance of a
    /// point with a uniform prior instead.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        let (score, error) = (self.score(), self.standard_error());
        if error > 0.0 {
            return normal((score - 0.5) / error);
        }
        let trials = self.trials() as f64;
        let posterior = Beta::new(score * trials + 1.0, (1.0 - score) * trials + 1.0);
        1.0 - posterior.expect("both shapes are 1 at least").cdf(0.5)
    }
}

/// Why a text holds no counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` holds no counts: WINS,DRAWS,LOSSES is possible, or LL,LD,WL+DD,WD,WW for pairs of games from both lost to both won, whole numbers up to {MAX_COUNT}"
)]
pub struct CountsError(String);

/// Most trials, all of them won, that are told apart.
const MAX_PERFECT: u64 = 100_000;

/// Greatest number of each result in a text: small enough that nothing overflows.
const MAX_COUNT: u64 = 1_000_000_000_000;

impl std::str::FromStr for Counts {
    type Err = CountsError;

    /// Three numbers (wins first, as it is the custom) or five (both lost first, as it is the custom too).
    fn from_str(text: &str) -> Result<Counts, CountsError> {
        let number = |part: &str| {
            let part = part.trim();
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|&number| digits && number <= MAX_COUNT)
        };
        let numbers: Option<Vec<u64>> = text.split(',').map(number).collect();
        match numbers.as_deref() {
            Some(&[wins, draws, losses]) => Ok(Counts::Games([losses, draws, wins])),
            Some(&[a, b, c, d, e]) => Ok(Counts::Pairs([a, b, c, d, e])),
            _ => Err(CountsError(giuthi_engine::notation::excerpt(text))),
        }
    }
}
