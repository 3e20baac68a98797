//! Elo ratings of results, with 95 % intervals that know which games belong together.
//!
//! **Ratings.** The Bradley-Terry model's maximum likelihood over all games, a draw as half a win and half a loss, on
//! the Elo scale (400 points are odds of 10 to 1), their mean 0.
//!
//! **Intervals.** Games that share an opening hang together: the two of a pair, and in a round robin over the same
//! openings all games of a round. Only [`Observation`]s are independent of one another. The covariance is therefore
//! the one for clustered observations (Huber 1967; Liang and Zeger 1986): with `G` the inverse of the information
//! and `u` an observation's points beyond those expected, agent by agent, the variance of rating `i` is the sum over
//! all observations of `(G u)_i²`, times `n / (n − 1)` since the strengths were fitted to the same `n` observations.
//! The interval reaches 1.96 standard errors to each side. Where the results show less spread than chance would let
//! them (ten pairs of one win each say little of the eleventh), the variance is not taken below `5 / n` of the one the
//! model ascribes to independent games: what the "rule of three" says of an event that `n` trials have not shown.
//!
//! **When some took every point.** If the agents fall in two groups and one of them took every point from the other,
//! no finite ratings are the likeliest (Ford 1957). Each agent is then given half a drawn pair against one imaginary
//! opponent, which keeps every rating finite; for two agents it is less than the least real result, so 100 of 100
//! points still rate above 99½. The interval holds the ratings that the results do not speak against: those at which
//! the likelihood, the imaginary draws included and each [`Encounter`] counted as one game, is at least 1/40 of its
//! maximum. A fortieth, because this is the chance of a bare score of 100 % at the lower end of the exact binomial
//! interval (Clopper and Pearson 1934). The other end is open as far as the games go; the number there is where the
//! imaginary draws end it, some 2,500 Elo further on.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use crate::bradley_terry::{Meeting, Model, chance};

/// Elo points of one unit of a natural logarithm of odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard errors to each side of a 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Observations whose spread, as the model has it, is the least that is ever assumed: 3 events in `n` trials are the
/// bound on what none of them showed, and 1.96 standard errors should reach it: `1.96 √(x / 2) = 3`.
const LEAST_SPREAD: f64 = 5.0;

/// Share of a drawn pair that every agent is given where some took every point.
const IMAGINARY: f64 = 0.5;

/// How far the log-likelihood may fall inside an interval where some took every point: `ln 40`.
const FALL: f64 = 3.688_879_454_113_936;

/// What two agents did against each other in games that hang together: a pair, or a single game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The agents' numbers.
    pub agents: [usize; 2],
    /// Games, 1 at least.
    pub games: u32,
    /// Half-points of the first agent in them: 2 a win, 1 a draw.
    pub half_points: u32,
}

impl Encounter {
    fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}

/// Encounters that may hang together, independent of those in all other observations: a round of a tournament, or one
/// game.
pub type Observation = Vec<Encounter>;

/// An agent's rating and its 95 % interval, in Elo; the mean of all agents' ratings is 0. All of it is finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

/// Two agents that no games connect, directly or by others: nothing compares their ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrelated(pub [usize; 2]);

impl fmt::Display for Unrelated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.0;
        write!(f, "no games connect agents {a} and {b}, not even by others")
    }
}

impl Error for Unrelated {}

/// Rates agents numbered from 0 by what they did against each other.
///
/// # Errors
/// [`Unrelated`] where not all of them are connected by games.
///
/// # Panics
/// When an encounter is of an agent against itself or of one whose number is too great, has no games or more points
/// than games.
pub fn rate(agents: usize, observations: &[Observation]) -> Result<Vec<Rating>, Unrelated> {
    // `took[a][b]`: whether a took points from b.
    let mut took = vec![vec![false; agents]; agents];
    for &Encounter { agents: [a, b], games, half_points } in observations.iter().flatten() {
        assert!(a != b && games > 0 && half_points <= 2 * games, "an encounter of two agents, with games");
        took[a][b] |= half_points > 0;
        took[b][a] |= half_points < 2 * games;
    }
    if let Some(apart) = unreached(agents, |a, b| took[a][b] || took[b][a]) {
        return Err(Unrelated([0, apart]));
    }
    let bounded =
        unreached(agents, |a, b| took[a][b]).is_none() && unreached(agents, |a, b| took[b][a]).is_none();
    Ok(if bounded { rate_by_likelihood(agents, observations) } else { rate_with_draws(agents, observations) })
}

/// Some agent that no chain of steps leads to from agent 0, if there is one.
fn unreached(agents: usize, step: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let mut unreached: Vec<usize> = (1..agents).collect();
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        let (reached, rest) = unreached.into_iter().partition(|&to| step(from, to));
        open.extend::<Vec<usize>>(reached);
        unreached = rest;
    }
    unreached.first().copied()
}

/// The games of each two agents together; `weight` is what a game of an encounter counts.
fn meetings(observations: &[Observation], weight: impl Fn(Encounter) -> f64) -> Vec<Meeting> {
    let mut sums: BTreeMap<[usize; 2], (f64, f64)> = BTreeMap::new();
    for &encounter in observations.iter().flatten() {
        let (games, points) = sums.entry(encounter.agents).or_default();
        *games += weight(encounter) * f64::from(encounter.games);
        *points += weight(encounter) * encounter.points();
    }
    sums.into_iter().map(|(agents, (games, points))| Meeting { agents, games, points }).collect()
}

/// Ratings where maximum likelihood has an answer.
fn rate_by_likelihood(agents: usize, observations: &[Observation]) -> Vec<Rating> {
    let model = Model { agents, meetings: meetings(observations, |_| 1.0), drawn: 0.0 };
    let strengths = model.fit(vec![0.0; agents], None);
    let covariance = model.covariance(&strengths, None);

    // Sums over the observations of (G u)², agent by agent.
    let mut spread = vec![0.0; agents];
    // How many strengths each observation speaks of, all together.
    let mut told = 0;
    let mut surplus = vec![0.0; agents];
    for observation in observations {
        surplus.fill(0.0);
        let mut seen = vec![false; agents];
        for &encounter in observation {
            let [a, b] = encounter.agents;
            let expected = f64::from(encounter.games) * chance(strengths[a] - strengths[b]);
            let beyond = encounter.points() - expected;
            surplus[a] += beyond;
            surplus[b] -= beyond;
            (seen[a], seen[b]) = (true, true);
        }
        told += seen.into_iter().filter(|&seen| seen).count().saturating_sub(1);
        for (sum, row) in spread.iter_mut().zip(&covariance) {
            *sum += row.iter().zip(&surplus).map(|(g, u)| g * u).sum::<f64>().powi(2);
        }
    }
    // Observations for each of the strengths that are free. One alone shows no spread.
    let n = told as f64 / (agents as f64 - 1.0).max(1.0);
    let correction = if n > 1.0 { n / (n - 1.0) } else { 0.0 };
    (0..agents)
        .map(|agent| {
            let least = LEAST_SPREAD / n.max(1.0) * covariance[agent][agent];
            let reach = Z * (correction * spread[agent]).max(least).max(0.0).sqrt();
            let strength = strengths[agent];
            elo(strength, strength - reach, strength + reach)
        })
        .collect()
}

/// Ratings where some agents took every point from some others.
fn rate_with_draws(agents: usize, observations: &[Observation]) -> Vec<Rating> {
    let meetings = meetings(observations, |encounter| 1.0 / f64::from(encounter.games));
    let model = Model { agents, meetings, drawn: IMAGINARY };
    let best = model.fit(vec![0.0; agents], None);
    let least = model.log_likelihood(&best) - FALL;
    let mean = best.iter().sum::<f64>() / agents as f64;
    (0..agents)
        .map(|agent| {
            let weights: Vec<f64> =
                (0..agents).map(|other| f64::from(other == agent) - 1.0 / agents as f64).collect();
            let profile = Profile { model: &model, best: &best, weights, least };
            let strength = best[agent] - mean;
            elo(strength, strength - profile.reach(-1.0), strength + profile.reach(1.0))
        })
        .collect()
}

/// The greatest likelihood as a function of one agent's lead over the mean.
struct Profile<'a> {
    model: &'a Model,
    best: &'a [f64],
    weights: Vec<f64>,
    /// The log-likelihood at the ends of the interval.
    least: f64,
}

impl Profile<'_> {
    /// Whether the results do not speak against a lead this much greater than the best.
    fn allows(&self, more: f64) -> bool {
        let square: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        let moved = self.best.iter().zip(&self.weights).map(|(x, weight)| x + more * weight / square);
        let strengths = self.model.fit(moved.collect(), Some(&self.weights));
        self.model.log_likelihood(&strengths) >= self.least
    }

    /// How far the lead can move, in the direction of the sign of `way`, while it is allowed.
    fn reach(&self, way: f64) -> f64 {
        // The imaginary draws end every interval: the likelihood falls without bound on both sides.
        let (mut inside, mut outside) = (0.0, 1.0);
        while self.allows(way * outside) {
            inside = outside;
            outside *= 2.0;
        }
        while outside - inside > 1e-6 {
            let middle = f64::midpoint(inside, outside);
            if self.allows(way * middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    }
}

fn elo(strength: f64, lower: f64, upper: f64) -> Rating {
    Rating { elo: strength * ELO, lower: lower * ELO, upper: upper * ELO }
}
