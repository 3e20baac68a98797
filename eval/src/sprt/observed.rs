//! The likeliest chances of results under what a hypothesis says of them.

use crate::stats::Counts;

/// What a result not seen counts.
const UNSEEN: f64 = 1e-3;

/// Results as shares of all.
pub(super) struct Observed {
    /// What was counted, results not seen included.
    pub(super) trials: f64,
    /// Points a game of each result, 0 … 1.
    points: Vec<f64>,
    /// How often each came, as a share of all.
    pub(super) chances: Vec<f64>,
}

impl Observed {
    pub(super) fn new(counts: &Counts) -> Observed {
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
    pub(super) fn with_score(&self, score: f64) -> Vec<f64> {
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
    pub(super) fn with_excess(&self, excess: f64) -> Vec<f64> {
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
