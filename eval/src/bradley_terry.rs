//! The Bradley-Terry model: the chance of each result from a strength for each agent, and the strengths that make
//! the results likeliest.
//!
//! Strengths are natural logarithms of odds: an agent `x` stronger than another takes a point with the odds `e^x` to 1
//! (Zermelo 1929; Bradley and Terry 1952). A draw counts as half a win and half a loss. Only differences of strengths
//! matter.

/// Games of two agents and the points the first one took in them. Both may be weighted, so they are no whole numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) agents: [usize; 2],
    pub(crate) games: f64,
    pub(crate) points: f64,
}

/// The results that strengths are fitted to.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) agents: usize,
    pub(crate) meetings: Vec<Meeting>,
    /// Drawn games that each agent is given on top, all of them against one imaginary opponent of strength 0. Without
    /// them the strengths are fixed by their mean, 0.
    pub(crate) drawn: f64,
}

/// Chance of a point for one who is `lead` stronger.
pub(crate) fn chance(lead: f64) -> f64 {
    if lead >= 0.0 { 1.0 / (1.0 + (-lead).exp()) } else { lead.exp() / (1.0 + lead.exp()) }
}

fn log_chance(lead: f64) -> f64 {
    if lead >= 0.0 { -(-lead).exp().ln_1p() } else { lead - lead.exp().ln_1p() }
}

impl Model {
    /// Logarithm of the likelihood of the results, imaginary ones included.
    pub(crate) fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        let real = self.meetings.iter().map(|meeting| {
            let [a, b] = meeting.agents;
            let lead = strengths[a] - strengths[b];
            meeting.points * log_chance(lead) + (meeting.games - meeting.points) * log_chance(-lead)
        });
        let imaginary = strengths.iter().map(|&x| self.drawn / 2.0 * (log_chance(x) + log_chance(-x)));
        real.sum::<f64>() + imaginary.sum::<f64>()
    }

    /// For each agent the points taken beyond those expected.
    fn surplus(&self, strengths: &[f64]) -> Vec<f64> {
        let mut surplus: Vec<f64> = strengths.iter().map(|&x| self.drawn * (0.5 - chance(x))).collect();
        for meeting in &self.meetings {
            let [a, b] = meeting.agents;
            let beyond = meeting.points - meeting.games * chance(strengths[a] - strengths[b]);
            surplus[a] += beyond;
            surplus[b] -= beyond;
        }
        surplus
    }

    /// The inverse of the information (the negative second derivatives of the log-likelihood) on the strengths that
    /// the constraints leave free: those of mean 0 where nothing else fixes the mean, and of an unchanged `held` sum.
    /// Multiplied by a surplus it is Newton's step; on its own it is the covariance the model ascribes to its fit.
    pub(crate) fn covariance(&self, strengths: &[f64], held: Option<&[f64]>) -> Vec<Vec<f64>> {
        let agents = self.agents;
        let mean = vec![1.0; agents];
        let constraints: Vec<&[f64]> =
            (self.drawn == 0.0).then_some(&mean[..]).into_iter().chain(held).collect();
        let size = agents + constraints.len();
        let mut matrix = vec![vec![0.0; size]; size];
        for (agent, &x) in strengths.iter().enumerate() {
            matrix[agent][agent] = self.drawn * chance(x) * chance(-x);
        }
        for meeting in &self.meetings {
            let [a, b] = meeting.agents;
            let lead = strengths[a] - strengths[b];
            let information = meeting.games * chance(lead) * chance(-lead);
            matrix[a][a] += information;
            matrix[b][b] += information;
            matrix[a][b] -= information;
            matrix[b][a] -= information;
        }
        for (i, constraint) in constraints.iter().enumerate() {
            for (agent, &weight) in constraint.iter().enumerate() {
                matrix[agents + i][agent] = weight;
                matrix[agent][agents + i] = weight;
            }
        }
        let mut inverse = inverted(matrix);
        inverse.truncate(agents);
        for row in &mut inverse {
            row.truncate(agents);
        }
        inverse
    }

    /// The strengths of greatest likelihood, by Newton's method from `start`, which must satisfy the constraints. They
    /// are finite if each agent has imaginary games, or if there is no way to split the agents in two groups of which
    /// one took every point (Ford 1957).
    pub(crate) fn fit(&self, start: Vec<f64>, held: Option<&[f64]>) -> Vec<f64> {
        /// Newton's steps; a handful is enough from anywhere, the rest is for safety.
        const STEPS: usize = 200;
        /// Longest step, so that far from the solution the quadratic picture is not trusted too far.
        const LONGEST: f64 = 4.0;
        const PRECISE: f64 = 1e-11;
        let mut strengths = start;
        let mut likelihood = self.log_likelihood(&strengths);
        for _ in 0..STEPS {
            let surplus = self.surplus(&strengths);
            let covariance = self.covariance(&strengths, held);
            let step: Vec<f64> =
                covariance.iter().map(|row| row.iter().zip(&surplus).map(|(c, s)| c * s).sum()).collect();
            let length = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
            let mut scale = (LONGEST / length).min(1.0);
            loop {
                let tried: Vec<f64> = strengths.iter().zip(&step).map(|(x, part)| x + scale * part).collect();
                let tried_likelihood = self.log_likelihood(&tried);
                // The sum's own rounding must not look like a descent.
                let rounding = 1e-12 * likelihood.abs();
                if tried_likelihood >= likelihood - rounding || scale < PRECISE {
                    strengths = tried;
                    likelihood = tried_likelihood;
                    break;
                }
                scale /= 2.0;
            }
            if length < PRECISE {
                break;
            }
        }
        strengths
    }
}

/// The inverse of a matrix, by Gauss-Jordan elimination with row pivots.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| f64::from(i == j)).collect()).collect();
    for column in 0..size {
        let below = column..size;
        let pivot = below
            .max_by(|&i, &j| matrix[i][column].abs().total_cmp(&matrix[j][column].abs()))
            .expect("at least the diagonal is there");
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column];
        for entry in matrix[column].iter_mut().chain(&mut inverse[column]) {
            *entry /= scale;
        }
        let (pivot_row, pivot_inverse) = (matrix[column].clone(), inverse[column].clone());
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for (entry, above) in matrix[row].iter_mut().zip(&pivot_row) {
                *entry -= factor * above;
            }
            for (entry, above) in inverse[row].iter_mut().zip(&pivot_inverse) {
                *entry -= factor * above;
            }
        }
    }
    inverse
}
