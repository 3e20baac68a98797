//! Agents ranked by the results of their games: as tables for a terminal, CSV and JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::output::{Standing, dashed, percent, plain, reach, right_aligned, rounded, table};
use crate::rating::{Advantage, Fit, Options, Rating};
use crate::results::Results;
use crate::tally::WinsDrawsLosses;

/// What is told besides the ratings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// The chance of each agent to be stronger than each other.
    pub superiority: bool,
    /// The results of each against each.
    pub crossed: bool,
}

/// An agent in JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    row: Standing<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    los: Option<BTreeMap<&'a str, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cross: Option<BTreeMap<&'a str, WinsDrawsLosses>>,
}

/// The agents of some results by rating.
pub struct Ranking<'a> {
    results: &'a Results,
    options: &'a Options,
    fit: Fit,
    ratings: Vec<Rating>,
    crossed: Vec<Vec<WinsDrawsLosses>>,
    /// The agents' numbers by rank, group by group.
    order: Vec<Vec<usize>>,
}

impl<'a> Ranking<'a> {
    /// Rates the agents.
    ///
    /// # Panics
    /// When an anchor's number is too great.
    #[must_use]
    pub fn new(results: &'a Results, options: &'a Options) -> Ranking<'a> {
        let fit = Fit::new(results.names().len(), &results.observations(), options);
        let ratings = fit.ratings();
        let mut order = fit.groups().to_vec();
        for group in &mut order {
            group.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
        }
        Ranking { results, options, crossed: results.crossed(), fit, ratings, order }
    }

    /// The ratings.
    #[must_use]
    pub const fn fit(&self) -> &Fit {
        &self.fit
    }

    /// The agents, the best of each group first: Elo to two decimals, the score to six.
    #[must_use]
    pub fn rows(&self) -> Vec<Standing<'a>> {
        let several = self.order.len() > 1;
        let row = |(group, agent): (usize, usize)| {
            let name = self.results.names()[agent].as_str();
            Standing::new(name, self.ratings[agent], self.of(agent), several.then_some(group + 1))
        };
        let agents = self.order.iter().enumerate();
        agents.flat_map(|(group, agents)| agents.iter().map(move |&agent| (group, agent))).map(row).collect()
    }

    fn of(&self, agent: usize) -> WinsDrawsLosses {
        self.crossed[agent].iter().fold(WinsDrawsLosses::default(), |sum, &games| sum.plus(games))
    }

    /// One JSON object an agent and line: the columns of `ratings.csv`, `los` with the chance to be stronger
    /// than each other agent of the group, and `cross` with the results.
    #[must_use]
    pub fn json_lines(&self, besides: Besides) -> String {
        let names = self.results.names();
        let line = |(row, &agent): (Standing<'a>, &usize)| {
            let others = || (0..names.len()).filter(|&other| other != agent);
            let los = besides.superiority.then(|| {
                let chance =
                    |other: usize| Some((&*names[other], rounded(self.fit.superiority(agent, other)?, 6)));
                others().filter_map(chance).collect()
            });
            let met = |&other: &usize| self.crossed[agent][other].games() > 0;
            let games = |other: usize| (&*names[other], self.crossed[agent][other]);
            let cross = besides.crossed.then(|| others().filter(met).map(games).collect());
            let line = serde_json::to_string(&Line { row, los, cross });
            line.expect("names and finite numbers are JSON") + "\n"
        };
        self.rows().into_iter().zip(self.order.iter().flatten()).map(line).collect()
    }

    /// The rows of [`Ranking::rows`] as CSV, with a header.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in self.rows() {
            writer.serialize(row).expect("a row of texts and numbers, into memory");
        }
        String::from_utf8(writer.into_inner().expect("memory can be written")).expect("of UTF-8 texts")
    }

    /// What a person reads: the ratings, group by group, and what the first move came to. ASCII but for the agents'
    /// names.
    #[must_use]
    pub fn text(&self, besides: Besides) -> String {
        let mut parts = Vec::new();
        if self.order.len() > 1 {
            parts.push(format!(
                "{} groups of agents that no games connect: ratings of different groups do not compare.",
                self.order.len()
            ));
        }
        for (group, agents) in self.order.iter().enumerate() {
            if self.order.len() > 1 {
                parts.push(format!("Group {}:", group + 1));
            }
            parts.push(self.rating_table(agents));
            if self.fit.leans_on_draws(group) {
                parts.push(
                    "Some took every point from others: ratings lean on half a drawn pair given to each, and an interval's\nfar end is open."
                        .to_owned(),
                );
            }
            if besides.superiority {
                parts.push(
                    "Chance in % that the one of the row is stronger than the one of the column".to_owned(),
                );
                parts.push(self.matrix(agents, |agent, opponent| {
                    self.fit.superiority(agent, opponent).map(|chance| format!("{:.1}", 100.0 * chance))
                }));
            }
            if besides.crossed {
                parts.push(
                    "Each against each, from the view of the row: score (wins-draws-losses)".to_owned(),
                );
                parts.push(self.matrix(agents, |agent, opponent| {
                    let games = self.crossed[agent][opponent];
                    (games.games() > 0).then(|| format!("{} ({})", percent(games.score()), dashed(games)))
                }));
            }
        }
        parts.push(self.first_move());
        parts.join("\n") + "\n"
    }

    fn rating_table(&self, agents: &[usize]) -> String {
        let mut table = table();
        table.set_header(["#", "agent", "Elo", "+/-", "games", "W", "D", "L", "score", "draws"]);
        for (&agent, rank) in agents.iter().zip(1..) {
            let games = self.of(agent);
            let reach = match self.options.anchors.contains_key(&agent) {
                true => "anchor".to_owned(),
                false => reach(self.ratings[agent]),
            };
            table.add_row([
                format!("{rank}"),
                plain(&self.results.names()[agent]),
                format!("{:+.1}", rounded(self.ratings[agent].elo, 1)),
                reach,
                games.games().to_string(),
                games.wins.to_string(),
                games.draws.to_string(),
                games.losses.to_string(),
                percent(games.score()),
                percent(games.draws as f64 / games.games().max(1) as f64),
            ]);
        }
        right_aligned(table)
    }

    /// Agents by rank, against each other.
    fn matrix(&self, agents: &[usize], cell: impl Fn(usize, usize) -> Option<String>) -> String {
        let mut table = table();
        let ranks = (1..=agents.len()).map(|rank| rank.to_string());
        table.set_header(["#".to_owned(), "agent".to_owned()].into_iter().chain(ranks));
        for (&agent, rank) in agents.iter().zip(1..) {
            let cells = agents.iter().map(|&opponent| cell(agent, opponent).unwrap_or_default());
            table.add_row([format!("{rank}"), plain(&self.results.names()[agent])].into_iter().chain(cells));
        }
        right_aligned(table)
    }

    /// What the first move came to, and is worth in Elo by a fit of its own.
    fn first_move(&self) -> String {
        let first = self.results.first_player();
        let options = Options { advantage: Advantage::Fitted, ..self.options.clone() };
        let fitted = match self.options.advantage {
            Advantage::Fitted => self.fit.advantages(),
            Advantage::Given(_) => {
                Fit::new(self.results.names().len(), &self.results.observations(), &options).advantages()
            }
        };
        let worth: Vec<String> = fitted
            .into_iter()
            .flatten()
            .map(|rating| {
                let [elo, lower, upper] = [rating.elo, rating.lower, rating.upper].map(|x| rounded(x, 1));
                format!("{elo:+.1} Elo [{lower:.1}, {upper:.1}]")
            })
            .collect();
        let taken = match self.options.advantage {
            Advantage::Fitted => "; the ratings know of it".to_owned(),
            Advantage::Given(0.0) => String::new(),
            Advantage::Given(elo) => format!("; the ratings take it for {elo:+} Elo"),
        };
        format!(
            "First move: player 0 scored {} of {} games ({}), worth {}{taken}",
            percent(first.score()),
            first.games(),
            dashed(first),
            worth.join(" and "),
        )
    }
}
