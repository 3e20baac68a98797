//! Agents that games connect, rated together.

use std::collections::BTreeMap;

use super::bradley_terry::{Meeting, Model, chance};
use super::profile::Profile;
use super::{Encounter, Observation, Rating};
use crate::stats::Z;

/// Observations whose spread, as the model has it, is the least that is ever assumed: 3 events in `n` trials are the
/// bound on what none of them showed, and 1.96 standard errors should reach it: `1.96 √(x / 2) = 3`.
pub(crate) const LEAST_SPREAD: f64 = 5.0;

/// Share of a drawn pair that every agent is given where some took every point.
const IMAGINARY: f64 = 0.5;

/// Strengths of some agents, numbered from 0, and what is known of their errors.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Strengths given.
    anchors: Vec<Option<f64>>,
    /// Whether the first player's advantage is fitted.
    fitted_advantage: bool,
    model: Model,
    /// The strengths, and the advantage behind them. Where nothing is anchored their mean is 0.
    parameters: Vec<f64>,
    errors: Errors,
}

/// How uncertain the parameters are.
#[derive(Clone, Debug)]
enum Errors {
    /// By the spread of the observations.
    Spread {
        /// Covariance of the parameters as the observations are spread.
        observed: Vec<Vec<f64>>,
        /// The least that is assumed.
        least: Vec<Vec<f64>>,
    },
    /// By the likelihood itself, since the ratings lean on imaginary draws.
    Likelihood,
}

impl Group {
    /// Fits strengths (natural logarithms of odds) to observations. `advantage` is the first player's; fitted if there
    /// is none.
    pub(super) fn new(
        anchors: Vec<Option<f64>>,
        advantage: Option<f64>,
        observations: &[Observation],
    ) -> Group {
        let agents = anchors.len();
        let bounded = is_bounded(&anchors, advantage.is_none(), observations);
        let given: Vec<f64> = anchors.iter().copied().flatten().collect();
        let level = given.iter().sum::<f64>() / given.len().max(1) as f64;

        let mut held = Vec::new();
        let unit = |i: usize| (0..=agents).map(|j| f64::from(i == j)).collect::<Vec<f64>>();
        held.extend(anchors.iter().enumerate().filter(|(_, anchor)| anchor.is_some()).map(|(i, _)| unit(i)));
        if advantage.is_some() {
            held.push(unit(agents));
        }
        if given.is_empty() && bounded {
            held.push((0..=agents).map(|i| f64::from(i < agents)).collect());
        }
        let start: Vec<f64> =
            anchors.iter().map(|anchor| anchor.unwrap_or(level)).chain([advantage.unwrap_or(0.0)]).collect();
        let (meetings, drawn) = match bounded {
            true => (meetings(observations, |_| 1.0), 0.0),
            // What two agents did in an observation counts as one game.
            false => (meetings(observations, |games| 1.0 / games), IMAGINARY),
        };
        let model = Model { agents, meetings, drawn, level, held };
        let mut parameters = model.fit(start);
        if bounded {
            let errors = spread(&model, &parameters, &anchors, observations);
            return Group { anchors, fitted_advantage: advantage.is_none(), model, parameters, errors };
        }
        // The likelihood knows the imaginary opponent; what is told are distances from the mean.
        let mean =
            if given.is_empty() { parameters[..agents].iter().sum::<f64>() / agents as f64 } else { 0.0 };
        let model = Model { level: level - mean, ..model };
        parameters[..agents].iter_mut().for_each(|strength| *strength -= mean);
        let errors = Errors::Likelihood;
        Group { anchors, fitted_advantage: advantage.is_none(), model, parameters, errors }
    }

    /// An agent's rating.
    pub(super) fn rating(&self, agent: usize) -> Rating {
        self.parameter(agent)
    }

    /// The first player's advantage, where it is fitted.
    pub(super) fn advantage(&self) -> Option<Rating> {
        self.fitted_advantage.then(|| self.parameter(self.anchors.len()))
    }

    pub(super) const fn leans_on_draws(&self) -> bool {
        matches!(self.errors, Errors::Likelihood)
    }

    fn parameter(&self, i: usize) -> Rating {
        if let Some(&Some(anchor)) = self.anchors.get(i) {
            return Rating::new(anchor, [0.0; 2]);
        }
        let reach = match self.errors {
            Errors::Spread { .. } => {
                let mut weights = vec![0.0; self.parameters.len()];
                weights[i] = 1.0;
                [Z * self.standard_error(&weights); 2]
            }
            Errors::Likelihood => {
                let weights = from_mean(i, &self.anchors);
                let held = self.model.held.iter().any(|held| held[i] != 0.0);
                match held || weights.iter().all(|&weight| weight == 0.0) {
                    true => [0.0; 2],
                    false => Profile::new(&self.model, &self.parameters, weights).reach(),
                }
            }
        };
        Rating::new(self.parameters[i], reach)
    }

    /// Standard error of a weighted sum of the parameters; 0 where the likelihood tells more.
    fn standard_error(&self, weights: &[f64]) -> f64 {
        let Errors::Spread { observed, least } = &self.errors else { return 0.0 };
        let form = |matrix: &[Vec<f64>]| -> f64 {
            let rows = weights.iter().zip(matrix).filter(|(weight, _)| **weight != 0.0);
            rows.map(|(weight, row)| weight * weights.iter().zip(row).map(|(w, x)| w * x).sum::<f64>()).sum()
        };
        form(observed).max(form(least)).max(0.0).sqrt()
    }

    /// How much stronger one agent is than another, in standard errors. Infinite between anchors that are not level.
    pub(super) fn distance(&self, agent: usize, other: usize) -> f64 {
        let lead = self.parameters[agent] - self.parameters[other];
        if lead == 0.0 || (self.anchors[agent].is_some() && self.anchors[other].is_some()) {
            return if lead == 0.0 { 0.0 } else { lead.signum() * f64::INFINITY };
        }
        let mut weights = vec![0.0; self.parameters.len()];
        (weights[agent], weights[other]) = (1.0, -1.0);
        match self.errors {
            Errors::Spread { .. } => lead / self.standard_error(&weights),
            Errors::Likelihood => {
                let fall = Profile::new(&self.model, &self.parameters, weights).fall(-lead);
                lead.signum() * (2.0 * fall).sqrt()
            }
        }
    }
}

/// Weights of an agent's lead over the mean, or of its strength where something is anchored; of the advantage behind
/// the agents.
fn from_mean(parameter: usize, anchors: &[Option<f64>]) -> Vec<f64> {
    let agents = anchors.len();
    let anchored = anchors.iter().any(Option::is_some);
    let share =
        |i: usize| if anchored || parameter == agents || i == agents { 0.0 } else { 1.0 / agents as f64 };
    (0..=agents).map(|i| f64::from(i == parameter) - share(i)).collect()
}

/// The games of each two agents together, seat by seat; `weight` is what a game counts, told how many games the two
/// had in the observation.
fn meetings(observations: &[Observation], weight: impl Fn(f64) -> f64) -> Vec<Meeting> {
    let mut sums: BTreeMap<[usize; 2], (f64, f64)> = BTreeMap::new();
    for observation in observations {
        let mut met: BTreeMap<[usize; 2], u32> = BTreeMap::new();
        for encounter in observation {
            *met.entry(two(encounter.agents)).or_default() += encounter.games;
        }
        for encounter in observation {
            let weight = weight(f64::from(met[&two(encounter.agents)]));
            let (games, points) = sums.entry(encounter.agents).or_default();
            *games += weight * f64::from(encounter.games);
            *points += weight * encounter.points();
        }
    }
    sums.into_iter().map(|(agents, (games, points))| Meeting { agents, games, points }).collect()
}

/// Two agents, whoever moved first.
fn two([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// The errors by the spread of the observations.
fn spread(
    model: &Model,
    parameters: &[f64],
    anchors: &[Option<f64>],
    observations: &[Observation],
) -> Errors {
    let agents = model.agents;
    let covariance = model.covariance(parameters);
    let size = parameters.len();
    // The sum over the observations of u uᵀ.
    let mut surpluses = vec![vec![0.0; size]; size];
    // How many strengths each observation speaks of, all together.
    let mut told = 0;
    for observation in observations {
        let mut surplus: BTreeMap<usize, f64> = BTreeMap::new();
        for &encounter in observation {
            let [first, second] = encounter.agents;
            let lead = parameters[first] - parameters[second] + parameters[agents];
            let beyond = encounter.points() - f64::from(encounter.games) * chance(lead);
            *surplus.entry(first).or_default() += beyond;
            *surplus.entry(second).or_default() -= beyond;
            *surplus.entry(agents).or_default() += beyond;
        }
        told += strengths(surplus.keys().filter(|&&i| i < agents).map(|&agent| anchors[agent]));
        for (&i, x) in &surplus {
            for (&j, y) in &surplus {
                surpluses[i][j] += x * y;
            }
        }
    }
    let observed = product(&product(&covariance, &surpluses), &covariance);
    // Observations for each of the strengths that are free. One alone shows no spread.
    let n = told as f64 / (strengths(anchors.iter().copied()) as f64).max(1.0);
    let correction = if n > 1.0 { n / (n - 1.0) } else { 0.0 };
    let scaled = |matrix: Vec<Vec<f64>>, factor: f64| -> Vec<Vec<f64>> {
        matrix.into_iter().map(|row| row.into_iter().map(|x| factor * x).collect()).collect()
    };
    Errors::Spread {
        observed: scaled(observed, correction),
        least: scaled(covariance, LEAST_SPREAD / n.max(1.0)),
    }
}

/// The product of two square matrices.
fn product(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |row: &Vec<f64>| {
        let mut sums = vec![0.0; right.len()];
        for (x, other) in row.iter().zip(right) {
            sums.iter_mut().zip(other).for_each(|(sum, y)| *sum += x * y);
        }
        sums
    };
    left.iter().map(row).collect()
}

/// How many differences of strengths there are among agents; those anchored are as good as one.
fn strengths(anchors: impl Iterator<Item = Option<f64>>) -> usize {
    let (mut free, mut anchored) = (0_usize, false);
    for anchor in anchors {
        match anchor {
            Some(_) => anchored = true,
            None => free += 1,
        }
    }
    (free + usize::from(anchored)).saturating_sub(1)
}

/// Whether the likeliest parameters are finite and the only ones.
///
/// They are not if there is a direction in which parameters can move and every result gets likelier or stays as likely:
/// for results of one seat it has to favour the one who took points. Without the advantage there is such a direction if
/// some agents took every point from all others (Ford 1957), with it also if differences of strengths can make good
/// for an advantage that grows, or falls, for ever: a matter of difference constraints (Bellman 1958; Ford).
fn is_bounded(anchors: &[Option<f64>], fitted_advantage: bool, observations: &[Observation]) -> bool {
    let agents = anchors.len();
    // `took[a][b]`: whether a took points from b.
    let mut took = vec![vec![false; agents]; agents];
    // Whether the one who moved first took points, and whether the other did.
    let mut seats: BTreeMap<[usize; 2], [bool; 2]> = BTreeMap::new();
    for &Encounter { agents: [first, second], games, half_points } in observations.iter().flatten() {
        let points = [half_points > 0, half_points < 2 * games];
        took[first][second] |= points[0];
        took[second][first] |= points[1];
        let seat = seats.entry([first, second]).or_default();
        *seat = [seat[0] | points[0], seat[1] | points[1]];
    }
    let anchored: Vec<usize> = (0..agents).filter(|&agent| anchors[agent].is_some()).collect();
    for two in anchored.windows(2) {
        took[two[0]][two[1]] = true;
        took[two[1]][two[0]] = true;
    }
    if !all_reached(agents, |a, b| took[a][b]) || !all_reached(agents, |a, b| took[b][a]) {
        return false;
    }
    if !fitted_advantage {
        return true;
    }
    // The constraints `x[to] - x[from] <= most`, the advantage growing by `way`.
    [1.0, -1.0].into_iter().all(|way| {
        let mut constraints: Vec<(usize, usize, f64)> =
            anchored.windows(2).flat_map(|two| [(two[0], two[1], 0.0), (two[1], two[0], 0.0)]).collect();
        for (&[first, second], &[took_first, took_second]) in &seats {
            constraints.extend(took_first.then_some((first, second, way)));
            constraints.extend(took_second.then_some((second, first, -way)));
        }
        let mut least = vec![0.0_f64; agents];
        for _ in 0..agents {
            for &(from, to, most) in &constraints {
                least[to] = least[to].min(least[from] + most);
            }
        }
        // What still falls after so many turns falls for ever: nothing fulfils the constraints.
        constraints.iter().any(|&(from, to, most)| least[to] > least[from] + most)
    })
}

/// Whether chains of steps lead from agent 0 to all.
fn all_reached(agents: usize, step: impl Fn(usize, usize) -> bool) -> bool {
    let mut unreached: Vec<usize> = (1..agents).collect();
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        let (reached, rest) = unreached.into_iter().partition(|&to| step(from, to));
        open.extend::<Vec<usize>>(reached);
        unreached = rest;
    }
    unreached.is_empty()
}
