//! Elo ratings of results, with 95 % intervals that know which games belong together.
//!
//! **Ratings.** The Bradley-Terry model's maximum likelihood over all games, a draw as half a win and half a loss, on
//! the Elo scale (400 points are odds of 10 to 1). Their mean is 0, or anchors are held where they are to be. What the
//! first move is worth can be fitted too ([`Advantage::Fitted`]). Agents that no games connect, directly or by others,
//! nor anchors, cannot be compared: each group of connected ones is rated on its own ([`Fit::groups`]).
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
//! the likelihood, the imaginary draws included and what two agents did in one observation counted as one game, is at
//! least 1/40 of its maximum. A fortieth, because this is the chance of a bare score of 100 % at the lower end of the
//! exact binomial interval (Clopper and Pearson 1934). The other end is open as far as the games go; the number there
//! is where the imaginary draws end it, some 2,500 Elo further on.

mod bradley_terry;
mod group;
mod profile;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use crate::stats::{ELO, normal};
use group::Group;

pub(crate) use group::LEAST_SPREAD;

/// What two agents did against each other in games that hang together, one of them moving first in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The agents' numbers: who moved first, and the other. (Where the first player's advantage is neither given nor
    /// fitted, the order does not matter, and games from both seats may be put together.)
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

/// A rating and its 95 % interval, in Elo. All of it is finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

impl Rating {
    /// From a strength and how far its interval reaches down and up.
    fn new(strength: f64, [below, above]: [f64; 2]) -> Rating {
        Rating { elo: strength * ELO, lower: (strength - below) * ELO, upper: (strength + above) * ELO }
    }
}

/// What the first move is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advantage {
    /// So many Elo for the one who moves first, in every game. 0 where everybody plays as often from either seat
    /// against everybody: then it cancels out.
    Given(f64),
    /// As the results have it.
    Fitted,
}

impl Default for Advantage {
    fn default() -> Advantage {
        Advantage::Given(0.0)
    }
}

/// What holds ratings in their place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Agents whose ratings are given, in Elo.
    pub anchors: BTreeMap<usize, f64>,
    /// What the first move is worth.
    pub advantage: Advantage,
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

/// Rates agents numbered from 0 by what they did against each other, the mean of their ratings 0.
///
/// # Errors
/// [`Unrelated`] where not all of them are connected by games.
///
/// # Panics
/// As [`Fit::new`] does.
pub fn rate(agents: usize, observations: &[Observation]) -> Result<Vec<Rating>, Unrelated> {
    let fit = Fit::new(agents, observations, &Options::default());
    match fit.groups().get(1) {
        Some(group) => Err(Unrelated([0, group[0]])),
        None => Ok(fit.ratings()),
    }
}

/// Agents rated, group by group.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Each agent's group, and its number in it.
    places: Vec<[usize; 2]>,
    members: Vec<Vec<usize>>,
    groups: Vec<Group>,
}

impl Fit {
    /// Rates agents numbered from 0 by what they did against each other.
    ///
    /// # Panics
    /// When an encounter is of an agent against itself or of one whose number is too great, has no games or more points
    /// than games; when an anchor's number is too great or its rating is not finite.
    #[must_use]
    pub fn new(agents: usize, observations: &[Observation], options: &Options) -> Fit {
        for &Encounter { agents: [a, b], games, half_points } in observations.iter().flatten() {
            assert!(
                a != b && games > 0 && half_points <= 2 * games,
                "an encounter of two agents, with games"
            );
        }
        assert!(
            options.anchors.iter().all(|(&agent, elo)| agent < agents && elo.is_finite()),
            "good anchors"
        );
        let members = connected(agents, observations, &options.anchors);
        let mut places = vec![[0; 2]; agents];
        for (group, members) in members.iter().enumerate() {
            for (i, &agent) in members.iter().enumerate() {
                places[agent] = [group, i];
            }
        }
        // Each observation's part in each of the groups.
        let mut parts: Vec<Vec<Observation>> = vec![Vec::new(); members.len()];
        for observation in observations {
            let mut split: BTreeMap<usize, Observation> = BTreeMap::new();
            for &encounter in observation {
                let [[group, first], [_, second]] = encounter.agents.map(|agent| places[agent]);
                split.entry(group).or_default().push(Encounter { agents: [first, second], ..encounter });
            }
            for (group, part) in split {
                parts[group].push(part);
            }
        }
        let groups = members.iter().zip(&parts).map(|(members, observations)| {
            let anchors =
                members.iter().map(|agent| options.anchors.get(agent).map(|elo| elo / ELO)).collect();
            let advantage = match options.advantage {
                Advantage::Given(elo) => Some(elo / ELO),
                Advantage::Fitted => None,
            };
            Group::new(anchors, advantage, observations)
        });
        let groups = groups.collect();
        Fit { places, members, groups }
    }

    /// The agents' ratings, in the order of the agents.
    #[must_use]
    pub fn ratings(&self) -> Vec<Rating> {
        self.places.iter().map(|&[group, i]| self.groups[group].rating(i)).collect()
    }

    /// The groups of agents that can be compared, each by the agents' numbers in order.
    #[must_use]
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// What the first move is worth, group by group, where it is fitted.
    #[must_use]
    pub fn advantages(&self) -> Vec<Option<Rating>> {
        self.groups.iter().map(Group::advantage).collect()
    }

    /// Whether some of a group took every point from others, so that its ratings lean on imaginary draws.
    #[must_use]
    pub fn leans_on_draws(&self, group: usize) -> bool {
        self.groups[group].leans_on_draws()
    }

    /// Likelihood of superiority, 0 … 1: the chance that one agent is the stronger of two, the difference of their
    /// strengths taken as normal about the one fitted. In a group that leans on imaginary draws the root of twice the
    /// fall of the log-likelihood, when both are made equal, stands for its distance in standard errors. `None` for
    /// agents of different groups and for an agent and itself.
    ///
    /// # Panics
    /// When an agent's number is too great.
    #[must_use]
    pub fn superiority(&self, agent: usize, other: usize) -> Option<f64> {
        let [[group, i], [other_group, j]] = [agent, other].map(|agent| self.places[agent]);
        (group == other_group && i != j).then(|| normal(self.groups[group].distance(i, j)))
    }
}

/// The groups of agents that chains of games and anchors connect, by their least numbers.
fn connected(agents: usize, observations: &[Observation], anchors: &BTreeMap<usize, f64>) -> Vec<Vec<usize>> {
    let mut neighbours = vec![BTreeSet::new(); agents];
    let games = observations.iter().flatten().map(|encounter| encounter.agents);
    let anchored: Vec<usize> = anchors.keys().copied().collect();
    for [a, b] in games.chain(anchored.windows(2).map(|two| [two[0], two[1]])) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut seen = vec![false; agents];
    let mut groups = Vec::new();
    for start in 0..agents {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut group = vec![start];
        let mut next = 0;
        while next < group.len() {
            for &to in &neighbours[group[next]] {
                if !seen[to] {
                    seen[to] = true;
                    group.push(to);
                }
            }
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}
