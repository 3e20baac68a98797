//! The Bradley-Terry model: the chance of each result from a strength for each agent, and the strengths that make
//! the results likeliest.
//!
//! Strengths are natural logarithms of odds: an agent `x` stronger than another takes a point with the odds `e^x` to 1
//! (Zermelo 1929; Bradley and Terry 1952). A draw counts as half a win and half a loss. Only differences of strengths
//! matter. The player who moves first has its strength increased by the first player's advantage (Davidson and Beaver
//! 1977), which is the same for all.
//!
//! The parameters stand in one vector: the strengths, agent by agent, and behind them the advantage.

/// Games of two agents, `[moved first, moved second]`, and the points the first one took in them. Both may be weighted,
/// so they are no whole numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) agents: [usize; 2],
    pub(crate) games: f64,
    pub(crate) points: f64,
}

/// The results that parameters are fitted to.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) agents: usize,
    pub(crate) meetings: Vec<Meeting>,
    /// Drawn games that each agent is given on top, all of them against one imaginary opponent, and as many between two
    /// who are alike for the first player's advantage.
    pub(crate) drawn: f64,
    /// Strength of the imaginary opponent.
    pub(crate) level: f64,
    /// Weights under which the parameters' sums stay what they are. There has to be one at least that fixes where the
    /// strengths lie, unless agents are given draws.
    pub(crate) held: Vec<Vec<f64>>,
}

/// Chance of a point for one who is `lead` stronger.
pub(crate) fn chance(lead: f64) -> f64 {
    if lead >= 0.0 { 1.0 / (1.0 + (-lead).exp()) } else { lead.exp() / (1.0 + lead.exp()) }
}

fn log_chance(lead: f64) -> f64 {
    if lead >= 0.0 { -(-lead).exp().ln_1p() } else { lead - lead.exp().ln_1p() }
}

impl Model {
    /// How many parameters there are.
    pub(crate) const fn parameters(&self) -> usize {
        self.agents + 1
    }

    /// How much stronger the one who moves first is.
    fn lead(&self, parameters: &[f64], [first, second]: [usize; 2]) -> f64 {
        parameters[first] - parameters[second] + parameters[self.agents]
    }

    /// How much each parameter is above that of the imaginary draws.
    fn above<'a>(&'a self, parameters: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let level = |i| if i < self.agents { self.level } else { 0.0 };
        parameters.iter().enumerate().map(move |(i, x)| x - level(i))
    }

    /// Logarithm of the likelihood of the results, imaginary ones included.
    pub(crate) fn log_likelihood(&self, parameters: &[f64]) -> f64 {
        let real = self.meetings.iter().map(|meeting| {
            let lead = self.lead(parameters, meeting.agents);
            meeting.points * log_chance(lead) + (meeting.games - meeting.points) * log_chance(-lead)
        });
        let imaginary = self.above(parameters).map(|x| self.drawn / 2.0 * (log_chance(x) + log_chance(-x)));
        real.sum::<f64>() + imaginary.sum::<f64>()
    }

    /// For each parameter the points taken beyond those expected: the slope of the log-likelihood.
    fn surplus(&self, parameters: &[f64]) -> Vec<f64> {
        let mut surplus: Vec<f64> = self.above(parameters).map(|x| self.drawn * (0.5 - chance(x))).collect();
        for meeting in &self.meetings {
            let [first, second] = meeting.agents;
            let beyond = meeting.points - meeting.games * chance(self.lead(parameters, meeting.agents));
            surplus[first] += beyond;
            surplus[second] -= beyond;
            surplus[self.agents] += beyond;
        }
        surplus
    }

    /// The information (the negative second derivatives of the log-likelihood), bordered by what is held.
    fn bordered(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let count = self.parameters();
        let size = count + self.held.len();
        let mut matrix = vec![vec![0.0; size]; size];
        for (i, x) in self.above(parameters).enumerate() {
            matrix[i][i] = self.drawn * chance(x) * chance(-x);
        }
        for meeting in &self.meetings {
            let [first, second] = meeting.agents;
            let lead = self.lead(parameters, meeting.agents);
            let information = meeting.games * chance(lead) * chance(-lead);
            let signs = [(first, 1.0), (second, -1.0), (self.agents, 1.0)];
            for (i, sign) in signs {
                for (j, other) in signs {
                    matrix[i][j] += sign * other * information;
                }
            }
        }
        for (i, weights) in self.held.iter().enumerate() {
            for (parameter, &weight) in weights.iter().enumerate() {
                matrix[count + i][parameter] = weight;
                matrix[parameter][count + i] = weight;
            }
        }
        matrix
    }

    /// The inverse of the information on the parameters that what is held leaves free: the covariance that the model
    /// ascribes to its fit.
    pub(crate) fn covariance(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let count = self.parameters();
        let matrix = self.bordered(parameters);
        let unit = (0..matrix.len()).map(|i| (0..count).map(|j| f64::from(i == j)).collect()).collect();
        let mut inverse = solved(matrix, unit);
        inverse.truncate(count);
        inverse
    }

    /// The parameters of greatest likelihood, by Newton's method from `start`, whose sums under what is held they keep.
    /// They are finite if each agent has imaginary games, or where the results allow it (Ford 1957).
    pub(crate) fn fit(&self, start: Vec<f64>) -> Vec<f64> {
        /// Newton's steps; a handful is enough from anywhere, the rest is for safety.
        const STEPS: usize = 200;
        /// Longest step, so that far from the solution the quadratic picture is not trusted too far.
        const LONGEST: f64 = 4.0;
        const PRECISE: f64 = 1e-11;
        let mut parameters = start;
        let mut likelihood = self.log_likelihood(&parameters);
        for _ in 0..STEPS {
            let mut slope: Vec<Vec<f64>> = self.surplus(&parameters).into_iter().map(|s| vec![s]).collect();
            slope.resize(self.parameters() + self.held.len(), vec![0.0]);
            let mut step: Vec<f64> =
                solved(self.bordered(&parameters), slope).into_iter().map(|row| row[0]).collect();
            step.truncate(self.parameters());
            let length = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
            let mut scale = (LONGEST / length).min(1.0);
            loop {
                let tried: Vec<f64> =
                    parameters.iter().zip(&step).map(|(x, part)| x + scale * part).collect();
                let tried_likelihood = self.log_likelihood(&tried);
                // The sum's own rounding must not look like a descent.
                let rounding = 1e-12 * likelihood.abs();
                if tried_likelihood >= likelihood - rounding || scale < PRECISE {
                    parameters = tried;
                    likelihood = tried_likelihood;
                    break;
                }
                scale /= 2.0;
            }
            if length < PRECISE {
                break;
            }
        }
        parameters
    }
}

/// What, multiplied by the matrix, gives the right side: by Gaussian elimination with row pivots.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&i, &j| matrix[i][column].abs().total_cmp(&matrix[j][column].abs()))
            .expect("at least the diagonal is there");
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (above, below) = matrix.split_at_mut(column + 1);
        let (right_above, right_below) = right.split_at_mut(column + 1);
        let (pivot, pivot_right) = (&above[column], &right_above[column]);
        for (row, right) in below.iter_mut().zip(right_below) {
            let factor = row[column] / pivot[column];
            if factor != 0.0 {
                subtract(&mut row[column..], factor, &pivot[column..]);
                subtract(right, factor, pivot_right);
            }
        }
    }
    for column in (0..size).rev() {
        let (above, here) = right.split_at_mut(column);
        let here = &mut here[0];
        here.iter_mut().for_each(|entry| *entry /= matrix[column][column]);
        for (right, row) in above.iter_mut().zip(&matrix) {
            if row[column] != 0.0 {
                subtract(right, row[column], here);
            }
        }
    }
    right
}

fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= factor * other);
}
