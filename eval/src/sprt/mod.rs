//! Sequential tests of two hypotheses about how much stronger an agent is.
//!
//! **The test** is Wald's (1945): after each result the logarithm of the ratio of both hypotheses' likelihoods is
//! compared with two bounds, `ln(β / (1 − α))` and `ln((1 − β) / α)`; below the lower one the first hypothesis is
//! accepted, above the upper one the second. The first is then rejected wrongly with chance `α`, the second with chance
//! `β`, both to a good approximation.
//!
//! **The likelihoods** are those of a generalised test (GSPRT; Li, Liu and Ying 2014; Van den Bergh 2018, 2020): all that a
//! hypothesis says is the expected score ([`EloModel::Logistic`]) or the normalised Elo ([`EloModel::Normalised`]).
//! The chances of all results are taken as they are likeliest under it: of all distributions that fulfil the
//! hypothesis, the one that gives what was observed the greatest chance. So the share of draws, and how far the two
//! games of a pair go together, are told by the results alone. A result that has not been seen counts as a thousandth
//! of a trial, which keeps everything finite.
//!
//! Where the results come in an order that depends on them (quick games first), the test is biased: so they are to be
//! handed over in the order in which they were scheduled.

mod observed;
mod report;

use clap::ValueEnum;
use serde::Serialize;
use thiserror::Error;

use crate::stats::{Counts, NORMALISED, score_of_elo};
use observed::Observed;

pub use report::{Ended, Report};

/// Name of the file that says what a test has come to.
pub const FILE: &str = "sprt.json";
/// Furthest hypothesis, in Elo.
pub const MAX_ELO: f64 = 400.0;

/// What a hypothesis' Elo means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Elo as in ratings: 10^(Elo / 400) to 1 are the odds of a point.
    #[default]
    Logistic,
    /// How many standard deviations of a game's result the score is above one half, times 800 / ln 10.
    #[value(alias = "normalized")]
    Normalised,
}

/// Two hypotheses and how often a test may be wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo: [f64; 2],
    wrong: [f64; 2],
    model: EloModel,
}

/// What is wrong with the settings of a test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses.
    #[error(
        "{0} and {1} Elo: the first is to be less than the second, both from -{MAX_ELO} to {MAX_ELO}, 0.01 apart at least"
    )]
    Elo(f64, f64),
    /// A chance to be wrong.
    #[error("{0}: from 0.000001 to 0.49 is possible")]
    Wrong(f64),
}

/// What a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The first hypothesis is accepted.
    H0,
    /// The second one is.
    H1,
    /// Neither bound has been reached.
    #[serde(rename = "no result")]
    Undecided,
}

impl Sprt {
    /// A test of `elo0` (accepted wrongly with chance `beta`) against `elo1` (accepted wrongly with chance `alpha`).
    ///
    /// # Errors
    /// [`SprtError`] where a number is out of its bounds.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Sprt, SprtError> {
        let possible = |elo: f64| (-MAX_ELO..=MAX_ELO).contains(&elo);
        if !possible(elo0) || !possible(elo1) || elo1 - elo0 < 0.01 {
            return Err(SprtError::Elo(elo0, elo1));
        }
        if let Some(&wrong) = [alpha, beta].iter().find(|wrong| !(1e-6..=0.49).contains(*wrong)) {
            return Err(SprtError::Wrong(wrong));
        }
        Ok(Sprt { elo: [elo0, elo1], wrong: [alpha, beta], model })
    }

    /// Both hypotheses, in Elo.
    #[must_use]
    pub const fn elo(&self) -> [f64; 2] {
        self.elo
    }

    /// What their Elo means.
    #[must_use]
    pub const fn model(&self) -> EloModel {
        self.model
    }

    /// How often the test may be wrong, `[alpha, beta]`.
    #[must_use]
    pub const fn wrong(&self) -> [f64; 2] {
        self.wrong
    }

    /// The bounds of [`Sprt::llr`], `[lower, upper]`.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        let [alpha, beta] = self.wrong;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// Logarithm of the ratio of the likelihoods, that of the second hypothesis over that of the first; 0 where nothing
    /// is counted.
    #[must_use]
    pub fn llr(&self, counts: &Counts) -> f64 {
        if counts.trials() == 0 {
            return 0.0;
        }
        let observed = Observed::new(counts);
        let [first, second] = self.elo.map(|elo| match self.model {
            EloModel::Logistic => observed.with_score(score_of_elo(elo)),
            EloModel::Normalised => {
                // A pair's points spread by 1 / √2 of a game's.
                let games: f64 = if let Counts::Pairs(_) = counts { 2.0 } else { 1.0 };
                observed.with_excess(elo / NORMALISED * games.sqrt())
            }
        });
        let terms = observed.chances.iter().zip(first).zip(second);
        observed.trials * terms.map(|((chance, first), second)| chance * (second / first).ln()).sum::<f64>()
    }

    /// What a test with this [`Sprt::llr`] has come to.
    #[must_use]
    pub fn verdict(&self, llr: f64) -> Verdict {
        let [lower, upper] = self.bounds();
        if llr <= lower {
            Verdict::H0
        } else if llr >= upper {
            Verdict::H1
        } else {
            Verdict::Undecided
        }
    }
}

/// A test under way: pairs of games of an agent, in the order in which they were scheduled, until a bound is reached.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    sprt: Sprt,
    pentanomial: bool,
    /// Single games: lost, drawn, won.
    games: [u64; 3],
    /// Pairs by their half-points.
    pairs: [u64; 5],
    llr: f64,
}

impl Trial {
    /// Nothing counted yet; `pentanomial` tells whether pairs are counted, or the single games in them.
    #[must_use]
    pub const fn new(sprt: Sprt, pentanomial: bool) -> Trial {
        Trial { sprt, pentanomial, games: [0; 3], pairs: [0; 5], llr: 0.0 }
    }

    /// Counts a pair, by the agent's half-points in each game: 2 a win, 1 a draw. After a bound has been reached
    /// nothing is counted any more.
    ///
    /// # Panics
    /// When there are more half-points in a game than two.
    pub fn add(&mut self, pair: [u32; 2]) -> Verdict {
        if self.verdict() == Verdict::Undecided {
            pair.iter().for_each(|&half_points| self.games[half_points as usize] += 1);
            self.pairs[(pair[0] + pair[1]) as usize] += 1;
            self.llr = self.sprt.llr(&self.counts());
        }
        self.verdict()
    }

    /// The test.
    #[must_use]
    pub const fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// What is counted.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        if self.pentanomial { Counts::Pairs(self.pairs) } else { Counts::Games(self.games) }
    }

    /// The single games: lost, drawn, won.
    #[must_use]
    pub const fn games(&self) -> [u64; 3] {
        self.games
    }

    /// The pairs by their half-points, 0 … 4.
    #[must_use]
    pub const fn pairs(&self) -> [u64; 5] {
        self.pairs
    }

    /// The logarithm of the ratio of the likelihoods.
    #[must_use]
    pub const fn llr(&self) -> f64 {
        self.llr
    }

    /// What the test has come to.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.sprt.verdict(self.llr)
    }

    /// One line on how far it is.
    #[must_use]
    pub fn told(&self) -> String {
        let [lower, upper] = self.sprt.bounds();
        let [below, elo, above] = self.counts().elo();
        let reach = (above - below) / 2.0;
        format!("LLR {:.2} [{lower:.2}, {upper:.2}], Elo {elo:+.1} +/- {reach:.1}", self.llr)
    }
}
