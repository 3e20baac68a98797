//! What is told of a tournament while it runs: how far ahead somebody is.

use crate::play::Played;
use crate::tally::WinsDrawsLosses;
use giuthi_engine::Player;

/// Elo points of one unit of a natural logarithm of odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Each agent's points a pair so far.
pub(super) struct Running {
    names: Vec<String>,
    /// Who is told of; whoever leads, where nobody is given.
    hero: Option<usize>,
    sums: Vec<Sums>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    pairs: f64,
    points: f64,
    squares: f64,
}

/// A pair's outcome for its two agents: the first's points a game, 0 … 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    agents: [usize; 2],
    first: f64,
}

impl Outcome {
    pub(super) fn of(pair: &[Played; 2]) -> Outcome {
        let agents = pair[0].players;
        let mut first = WinsDrawsLosses::default();
        for (game, seat) in pair.iter().zip(Player::BOTH) {
            first.add(game.course.outcome, seat);
        }
        Outcome { agents, first: first.score() }
    }
}

impl Running {
    pub(super) fn new(names: Vec<String>, hero: Option<usize>) -> Running {
        let sums = vec![Sums::default(); names.len()];
        Running { names, hero, sums }
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        for (agent, points) in outcome.agents.into_iter().zip([outcome.first, 1.0 - outcome.first]) {
            let sums = &mut self.sums[agent];
            sums.pairs += 1.0;
            sums.points += points;
            sums.squares += points * points;
        }
    }

    /// How the hero, or whoever leads, does against the others together: Elo and 1.96 standard errors, from the spread
    /// of pairs. Two pairs are imagined besides, one won and one lost, so that it is a number from the beginning.
    pub(super) fn told(&self) -> String {
        let mean = |sums: &Sums| (sums.points + 1.0) / (sums.pairs + 2.0);
        let best = (0..self.sums.len()).max_by(|&a, &b| mean(&self.sums[a]).total_cmp(&mean(&self.sums[b])));
        let agent = self.hero.or(best).unwrap_or(0);
        let sums = &self.sums[agent];
        let (pairs, score) = (sums.pairs + 2.0, mean(sums));
        let variance = ((sums.squares + 1.0) / pairs - score * score).max(0.0) / pairs;
        let elo = ELO * (score / (1.0 - score)).ln();
        let reach = 1.96 * ELO * variance.sqrt() / (score * (1.0 - score));
        format!("{} {elo:+.0} ± {reach:.0} Elo", self.names[agent])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leader_or_the_hero_is_told_of() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let mut leader = Running::new(names(), None);
        let mut hero = Running::new(names(), Some(0));
        assert!(leader.told().contains("+0 ±"), "{}", leader.told());
        for number in 0..400 {
            let outcome = Outcome { agents: [0, 1], first: if number % 4 == 0 { 0.5 } else { 0.0 } };
            leader.add(outcome);
            hero.add(outcome);
        }
        // 87.5 % of the points, so 338 Elo; the pairs' standard deviation is 0.217.
        assert!(leader.told().starts_with("b +33"), "{}", leader.told());
        assert!(hero.told().starts_with("a -33"), "{}", hero.told());
    }
}
