//! What is told of a test: as JSON, and for a person.

use serde::Serialize;

use super::{EloModel, Sprt, Trial, Verdict};
use crate::output::rounded;
use crate::stats::Counts;

/// Why a test came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// A bound was reached.
    Bound,
    /// All games were played, or all that were there were counted.
    Games,
    /// The user stopped it.
    User,
    /// The numbers were given all at once: no test that went on game by game.
    Counts,
}

/// A test and what it has come to. In JSON one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The agents' names, where they have any: the one whose strength is tested, and its opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<[String; 2]>,
    /// What the test has come to.
    pub verdict: Verdict,
    /// Why it ended.
    pub ended: Ended,
    /// Logarithm of the ratio of the likelihoods.
    pub llr: f64,
    /// The bound below which the first hypothesis is accepted.
    pub lower: f64,
    /// The bound above which the second one is.
    pub upper: f64,
    /// The first hypothesis, in Elo.
    pub elo0: f64,
    /// The second one.
    pub elo1: f64,
    /// How often the first may be rejected wrongly.
    pub alpha: f64,
    /// How often the second may be.
    pub beta: f64,
    /// What the hypotheses' Elo means.
    pub model: EloModel,
    /// Which results are counted: `pentanomial` or `trinomial`.
    pub results: &'static str,
    /// Games.
    pub games: u64,
    /// Games won; `None` where only pairs were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wins: Option<u64>,
    /// Games drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<u64>,
    /// Games lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<u64>,
    /// Pairs by their half-points, 0 … 4; `None` where only games were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<[u64; 5]>,
    /// Points a game, 0 … 1.
    pub score: f64,
    /// Elo difference as observed.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_lower: f64,
    /// Upper end.
    pub elo_upper: f64,
    /// Normalised Elo as observed, with its interval, `[lower, value, upper]`; `None` where all results are alike.
    pub normalised_elo: Option<[f64; 3]>,
    /// Likelihood of superiority, 0 … 1.
    pub los: f64,
}

impl Report {
    /// Of a test under way or ended.
    #[must_use]
    pub fn new(trial: &Trial, agents: [String; 2], ended: Ended) -> Report {
        let [losses, draws, wins] = trial.games();
        Report {
            agents: Some(agents),
            verdict: trial.verdict(),
            ended,
            wins: Some(wins),
            draws: Some(draws),
            losses: Some(losses),
            pairs: Some(trial.pairs()),
            ..Report::of_counts(trial.sprt(), &trial.counts())
        }
    }

    /// Of numbers given all at once.
    #[must_use]
    pub fn of_counts(sprt: &Sprt, counts: &Counts) -> Report {
        let ([lower, upper], [elo0, elo1], [alpha, beta]) = (sprt.bounds(), sprt.elo(), sprt.wrong());
        let llr = sprt.llr(counts);
        let [elo_lower, elo, elo_upper] = counts.elo().map(|value| rounded(value, 4));
        let (games, pairs) = match *counts {
            Counts::Games(games) => (Some(games), None),
            Counts::Pairs(pairs) => (None, Some(pairs)),
        };
        let [losses, draws, wins] = [0, 1, 2].map(|i| games.map(|games| games[i]));
        Report {
            agents: None,
            verdict: sprt.verdict(llr),
            ended: Ended::Counts,
            llr: rounded(llr, 6),
            lower: rounded(lower, 6),
            upper: rounded(upper, 6),
            elo0,
            elo1,
            alpha,
            beta,
            model: sprt.model(),
            results: if pairs.is_some() { "pentanomial" } else { "trinomial" },
            games: counts.games(),
            wins,
            draws,
            losses,
            pairs,
            score: rounded(counts.score(), 6),
            elo,
            elo_lower,
            elo_upper,
            normalised_elo: counts.normalised_elo().map(|values| values.map(|value| rounded(value, 4))),
            los: rounded(counts.superiority(), 6),
        }
    }

    /// One line of JSON.
    #[must_use]
    pub fn json_line(&self) -> String {
        serde_json::to_string(self).expect("names and finite numbers are JSON") + "\n"
    }

    /// What a person reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some([agent, opponent]) = &self.agents {
            lines.push(format!("{} against {}", crate::output::plain(agent), crate::output::plain(opponent)));
        }
        let games = match (self.wins, self.draws, self.losses) {
            (Some(wins), Some(draws), Some(losses)) => format!(" (won {wins}, drawn {draws}, lost {losses})"),
            _ => String::new(),
        };
        lines.push(format!("Games: {}{games}, score {:.1} %", self.games, 100.0 * self.score));
        if let Some([ll, ld, even, wd, ww]) = self.pairs {
            lines.push(format!("Pairs: LL {ll}, LD {ld}, WL or DD {even}, WD {wd}, WW {ww}"));
        }
        let normalised = self.normalised_elo.map_or(String::new(), |[lower, value, upper]| {
            format!(", normalised {value:+.1} [{lower:.1}, {upper:.1}]")
        });
        lines.push(format!(
            "Elo: {:+.1} [{:.1}, {:.1}]{normalised}, LOS {:.2} %",
            self.elo,
            self.elo_lower,
            self.elo_upper,
            100.0 * self.los
        ));
        let model = match self.model {
            EloModel::Logistic => "Elo",
            EloModel::Normalised => "normalised Elo",
        };
        lines.push(format!(
            "LLR: {:.3} [{:.3}, {:.3}], {} against {} {model}, {}",
            self.llr, self.lower, self.upper, self.elo0, self.elo1, self.results
        ));
        let verdict = match (self.verdict, self.ended) {
            (Verdict::H0, _) => format!("H0 accepted: {} rather than {} {model}", self.elo0, self.elo1),
            (Verdict::H1, _) => format!("H1 accepted: {} rather than {} {model}", self.elo1, self.elo0),
            (Verdict::Undecided, Ended::User) => "no result: stopped before a bound was reached".to_owned(),
            (Verdict::Undecided, _) => "no result: no bound was reached".to_owned(),
        };
        lines.push(verdict);
        lines.join("\n") + "\n"
    }
}
