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

use clap::ValueEnum;
use serde::Serialize;
use thiserror::Error;

use crate::stats::{Counts, NORMALISED, score_of_elo};

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
    #[serde(rename = "none")]
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

/// What a result not seen counts.
const UNSEEN: f64 = 1e-3;

/// Results as shares of all.
struct Observed {
    trials: f64,
    /// Points a game of each result, 0 … 1.
    points: Vec<f64>,
    chances: Vec<f64>,
}

impl Observed {
    fn new(counts: &Counts) -> Observed {
        let numbers: Vec<f64> =
            counts.numbers().iter().map(|&number| if number == 0 { UNSEEN } else { number as f64 }).collect();
        let trials = numbers.iter().sum();
        let best = (numbers.len() - 1) as f64;
        Observed {
            trials,
            points: (0..numbers.len()).map(|i| i as f64 / best).collect(),
            chances: numbers.iter().map(|number| number / trials).collect(),
        }
    }

    /// The likeliest chances of the results under which the mean of `values` is 0: `p / (1 + θ v)`, where `θ` is the
    /// one at which they fulfil it (Owen 1988). `None` where all values lie on one side.
    fn with_mean_zero(&self, values: &[f64]) -> Option<Vec<f64>> {
        /// Newton's steps, a bisection in place of each that leaves the bracket; some ten are enough.
        const STEPS: usize = 200;
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        if least >= 0.0 || greatest <= 0.0 {
            return None;
        }
        // The mean falls from +∞ to -∞ between the two poles.
        let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
        let mut theta = 0.0;
        for _ in 0..STEPS {
            let (mut mean, mut fall) = (0.0, 0.0);
            for (chance, value) in self.chances.iter().zip(values) {
                let share = value / (1.0 + theta * value);
                mean += chance * share;
                fall += chance * share * share;
            }
            if mean > 0.0 {
                low = theta
            } else {
                high = theta
            }
            let step = theta + mean / fall;
            let next = if low < step && step < high { step } else { f64::midpoint(low, high) };
            if next == theta || next <= low || next >= high {
                break;
            }
            theta = next;
        }
        Some(self.chances.iter().zip(values).map(|(chance, value)| chance / (1.0 + theta * value)).collect())
    }

    /// The likeliest chances of the results with this expected score.
    fn with_score(&self, score: f64) -> Vec<f64> {
        let beyond: Vec<f64> = self.points.iter().map(|points| points - score).collect();
        self.with_mean_zero(&beyond).expect("a score between the least and the greatest")
    }

    /// The likeliest chances of the results whose mean `m` is `excess` of their standard deviations above one half.
    ///
    /// With `x` points beyond one half the condition is `E x² = k (E x)²` with `k = 1 + 1 / excess²`, and `E x` of the
    /// sign of `excess`. Chances that fulfil it and are the likeliest of those near to them have the mean 0 of the
    /// condition's slope there, `x² − 2 k m x + k m²`; so they are found by their mean `m`, along which the mean of the
    /// chances that this makes the likeliest is compared with `m` itself. Where it falls through there is a local
    /// maximum; the greatest of them counts. (Van den Bergh 2020 iterates over mean and deviation to the same end, which
    /// finds nothing where nearly all results are alike.)
    fn with_excess(&self, excess: f64) -> Vec<f64> {
        /// Means tried before the crossings between them are closed in on.
        const MEANS: i32 = 96;
        if excess == 0.0 {
            return self.with_score(0.5);
        }
        let k = 1.0 + 1.0 / (excess * excess);
        let sign = excess.signum();
        let beyond: Vec<f64> = self.points.iter().map(|points| sign * (points - 0.5)).collect();
        let fitted = |mean: f64| {
            let slope: Vec<f64> =
                beyond.iter().map(|x| x * x - 2.0 * k * mean * x + k * mean * mean).collect();
            let chances = self.with_mean_zero(&slope)?;
            let more = beyond.iter().zip(&chances).map(|(x, chance)| x * chance).sum::<f64>() - mean;
            Some((more, chances))
        };
        // Nothing fits a mean so small that every slope is positive; just above there the chances make a greater one.
        let is_above = |mean: f64| fitted(mean).is_none_or(|(more, _)| more > 0.0);
        let likelihood = |chances: &[f64]| -> f64 {
            self.chances.iter().zip(chances).map(|(observed, chance)| observed * chance.ln()).sum()
        };
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut last: Option<f64> = None;
        // At the first of them every slope is positive.
        let first = 1.0 / (16.0 * k);
        for i in 0..=MEANS {
            let mean = first * (0.5 / first).powf(f64::from(i) / f64::from(MEANS));
            let above = is_above(mean);
            if let Some(mut low) = last.filter(|_| !above) {
                let mut high = mean;
                loop {
                    let middle = f64::midpoint(low, high);
                    if middle <= low || middle >= high {
                        break;
                    }
                    if is_above(middle) { low = middle } else { high = middle }
                }
                if let Some((_, chances)) = fitted(low).or_else(|| fitted(high)) {
                    let likelihood = likelihood(&chances);
                    if best.as_ref().is_none_or(|(least, _)| likelihood > *least) {
                        best = Some((likelihood, chances));
                    }
                }
            }
            last = above.then_some(mean);
        }
        best.expect("chances whose mean is between nothing and all").1
    }
}
