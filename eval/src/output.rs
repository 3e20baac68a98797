//! What a tournament comes to: the rows of `ratings.csv`, and tables for a terminal.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use giuthi_engine::Ending;
use giuthi_engine::ugi::session::FaultKind;
use serde::Serialize;

pub use crate::journal::{Files, GAMES, OutputError, RATINGS, SETTINGS};
use crate::play::FORFEIT;
use crate::rating::{Rating, Unrelated};
use crate::settings::Settings;
use crate::tally::{Tally, WinsDrawsLosses};
use crate::tournament::Tournament;

/// One row of `ratings.csv`; with `--json` one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// Rating in Elo.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub lower: f64,
    /// Upper end of its 95 % interval.
    pub upper: f64,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points a game, 0 … 1.
    pub score: f64,
    /// Number of the group of agents that can be compared with it, from 1, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

impl<'a> Standing<'a> {
    /// The row of an agent: Elo to two decimals, the score to six.
    pub(crate) fn new(agent: &'a str, rating: Rating, of: WinsDrawsLosses, group: Option<usize>) -> Self {
        let [elo, lower, upper] = [rating.elo, rating.lower, rating.upper].map(|value| rounded(value, 2));
        let (games, score) = (of.games(), rounded(of.score(), 6));
        let WinsDrawsLosses { wins, draws, losses } = of;
        Standing { agent, elo, lower, upper, games, wins, draws, losses, score, group }
    }
}

/// The agents of a tournament by rating, the best first.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    tally: Tally,
    ratings: Vec<Rating>,
    /// The agents' numbers by rank.
    order: Vec<usize>,
}

impl Standings {
    /// The standings of a whole tournament with these settings.
    ///
    /// # Panics
    /// When what was played does not connect all agents.
    #[must_use]
    pub fn new(settings: &Settings, tournament: &Tournament) -> Standings {
        let names = settings.names().into_iter().map(str::to_owned).collect();
        Standings::of(names, tournament).expect("in a whole tournament games connect all agents")
    }

    /// The standings of agents of these names.
    ///
    /// # Errors
    /// [`Unrelated`] where what was played does not connect all agents.
    pub fn of(names: Vec<String>, tournament: &Tournament) -> Result<Standings, Unrelated> {
        let ratings = tournament.rated()?;
        let mut order: Vec<usize> = (0..ratings.len()).collect();
        order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
        Ok(Standings { names, tally: tournament.tally.clone(), ratings, order })
    }

    /// The rows of `ratings.csv`: Elo to two decimals, the score to six.
    pub fn rows(&self) -> impl Iterator<Item = Standing<'_>> + '_ {
        self.order
            .iter()
            .map(|&agent| Standing::new(&self.names[agent], self.ratings[agent], self.tally.of(agent), None))
    }

    /// One JSON object an agent and line, with the columns of `ratings.csv` as keys; where games were lost by faults, with
    /// `faults` besides: an agent's, kind by kind.
    #[must_use]
    pub fn json_lines(&self) -> String {
        const JSON: &str = "names and finite numbers are JSON";
        let line = |(row, &agent): (Standing<'_>, &usize)| {
            let mut line = serde_json::to_string(&row).expect(JSON);
            if self.tally.forfeits() > 0 {
                let faults = FaultKind::ALL
                    .map(|kind| format!("\"{}\":{}", kind.name(), self.tally.faults(agent, kind)));
                line.pop();
                line += &format!(",\"faults\":{{{}}}}}", faults.join(","));
            }
            line + "\n"
        };
        self.rows().zip(&self.order).map(line).collect()
    }

    /// What a person reads: the ratings, the results of each against each, what the first move and the endings came
    /// to. ASCII but for the agents' names.
    #[must_use]
    pub fn text(&self) -> String {
        let first = self.tally.first_player();
        let games = first.games();
        let share =
            |name: &str, count: u64| format!("{name} {}", percent(count as f64 / games.max(1) as f64));
        let mut endings: Vec<String> =
            Ending::ALL.iter().map(|&ending| share(ending.name(), self.tally.ended(ending))).collect();
        let mut faults = String::new();
        if self.tally.forfeits() > 0 {
            endings.push(share(FORFEIT, self.tally.forfeits()));
            faults = format!("\n\nGames lost by faults\n{}", self.fault_table());
        }
        format!(
            "{}\n\nEach against each, from the view of the row: score (wins-draws-losses)\n{}{faults}\n\n\
             First move: player 0 scored {} of {games} games ({})\nEndings: {}\n",
            self.rating_table(),
            self.cross_table(),
            percent(first.score()),
            dashed(first),
            endings.join(", "),
        )
    }

    fn rating_table(&self) -> String {
        let mut table = table();
        table.set_header(["#", "agent", "Elo", "+/-", "games", "W", "D", "L", "score", "draws", "ms/move"]);
        for (&agent, rank) in self.order.iter().zip(1..) {
            let rating = self.ratings[agent];
            let games = self.tally.of(agent);
            table.add_row([
                format!("{rank}"),
                plain(&self.names[agent]),
                format!("{:+.1}", rounded(rating.elo, 1)),
                reach(rating),
                games.games().to_string(),
                games.wins.to_string(),
                games.draws.to_string(),
                games.losses.to_string(),
                percent(games.score()),
                percent(games.draws as f64 / games.games().max(1) as f64),
                format!("{:.2}", milliseconds(self.tally.time_a_move(agent))),
            ]);
        }
        right_aligned(table)
    }

    /// Those who lost by faults, kind by kind.
    fn fault_table(&self) -> String {
        let mut table = table();
        let kinds = FaultKind::ALL.map(|kind| kind.name().to_owned());
        table.set_header(["#".to_owned(), "agent".to_owned()].into_iter().chain(kinds));
        for (&agent, rank) in self.order.iter().zip(1..) {
            let counts = FaultKind::ALL.map(|kind| self.tally.faults(agent, kind));
            if counts != [0; FaultKind::ALL.len()] {
                let counts = counts.map(|count| count.to_string());
                table.add_row([format!("{rank}"), plain(&self.names[agent])].into_iter().chain(counts));
            }
        }
        right_aligned(table)
    }

    fn cross_table(&self) -> String {
        let mut table = table();
        let ranks = (1..=self.order.len()).map(|rank| rank.to_string());
        table.set_header(["#".to_owned(), "agent".to_owned()].into_iter().chain(ranks));
        for (&agent, rank) in self.order.iter().zip(1..) {
            let cells = self.order.iter().map(|&opponent| {
                let games = self.tally.between(agent, opponent);
                match games.games() {
                    0 => String::new(),
                    _ => format!("{} ({})", percent(games.score()), dashed(games)),
                }
            });
            table.add_row([format!("{rank}"), plain(&self.names[agent])].into_iter().chain(cells));
        }
        right_aligned(table)
    }
}

pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED).force_no_tty();
    table
}

/// The table as text, numbers to the right; the second column holds names.
pub(crate) fn right_aligned(mut table: Table) -> String {
    for column in table.column_iter_mut().enumerate().filter(|(i, _)| *i != 1).map(|(_, column)| column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Distance to the ends of the interval: one number where they are the same.
pub(crate) fn reach(rating: Rating) -> String {
    let [above, below] =
        [rating.upper - rating.elo, rating.elo - rating.lower].map(|reach| rounded(reach, 1));
    if above == below { format!("{above:.1}") } else { format!("+{above:.1} -{below:.1}") }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

pub(crate) fn dashed(games: WinsDrawsLosses) -> String {
    format!("{}-{}-{}", games.wins, games.draws, games.losses)
}

/// A name that cannot break the table's lines.
pub(crate) fn plain(name: &str) -> String {
    name.replace(char::is_control, "?")
}

fn milliseconds(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// Rounded to so many decimals; a zero has no sign.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10.0_f64.powi(decimals);
    (value * scale).round() / scale + 0.0
}
