//! What judging came to: for a terminal, as JSON and as CSV.

use serde::Serialize;

use super::count::{Count, Share};
use crate::output::{plain, right_aligned, rounded, table};

/// One row of the CSV, one object of the JSON. Shares are 0 … 1; intervals of 95 % (see [`Share::of`]).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who was judged: an agent's label or spec, a network's file.
    pub agent: String,
    /// Seeds on the boards; none where it is of all of them together.
    pub seeds: Option<usize>,
    /// Positions judged.
    pub positions: u64,
    /// Those that are won for the player to move.
    pub wins: u64,
    /// Those that are drawn.
    pub draws: u64,
    /// Those that are lost.
    pub losses: u64,
    /// Share of right values; with what belongs to it none from those that give no values.
    pub right: Option<f64>,
    /// Lower end of its interval.
    pub right_lower: Option<f64>,
    /// Upper end of its interval.
    pub right_upper: Option<f64>,
    /// Mean distance of the value from the true one, 0 … 2.
    pub error: Option<f64>,
    /// Lower end of its interval.
    pub error_lower: Option<f64>,
    /// Upper end of its interval.
    pub error_upper: Option<f64>,
    /// Share of moves that keep the value.
    pub kept: Option<f64>,
    /// Lower end of its interval.
    pub kept_lower: Option<f64>,
    /// Upper end of its interval.
    pub kept_upper: Option<f64>,
    /// Points that moves give away, a hundred positions.
    pub lost: Option<f64>,
    /// Lower end of its interval.
    pub lost_lower: Option<f64>,
    /// Upper end of its interval.
    pub lost_upper: Option<f64>,
    /// Positions in which some legal move gives something away.
    pub critical: u64,
    /// Share of moves that keep the value there; none where there are no such positions.
    pub critical_kept: Option<f64>,
    /// Lower end of its interval.
    pub critical_kept_lower: Option<f64>,
    /// Upper end of its interval.
    pub critical_kept_upper: Option<f64>,
}

impl Row {
    pub(super) fn new(agent: &str, seeds: Option<usize>, count: &Count) -> Row {
        let ends = |share: Option<Share>| {
            let of = |get: fn(Share) -> f64| share.map(|share| rounded(get(share), 6));
            [of(|share| share.value), of(|share| share.lower), of(|share| share.upper)]
        };
        let [right, right_lower, right_upper] = ends(count.right());
        let [error, error_lower, error_upper] = ends(count.error());
        let [kept, kept_lower, kept_upper] = ends(count.kept());
        let [lost, lost_lower, lost_upper] = ends(count.lost());
        let [critical_kept, critical_kept_lower, critical_kept_upper] = ends(count.critical_kept());
        Row {
            agent: agent.to_owned(),
            seeds,
            positions: count.positions,
            wins: count.worth.wins,
            draws: count.worth.draws,
            losses: count.worth.losses,
            right,
            right_lower,
            right_upper,
            error,
            error_lower,
            error_upper,
            kept,
            kept_lower,
            kept_upper,
            lost,
            lost_lower,
            lost_upper,
            critical: count.critical,
            critical_kept,
            critical_kept_lower,
            critical_kept_upper,
        }
    }
}

/// What judging came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// One row for each of those judged and each number of seeds, and one for all seeds together where there are several.
    pub rows: Vec<Row>,
}

impl Report {
    /// One JSON object a row and line.
    #[must_use]
    pub fn json_lines(&self) -> String {
        let line = |row| serde_json::to_string(row).expect("names and finite numbers are JSON") + "\n";
        self.rows.iter().map(line).collect()
    }

    /// The rows as CSV, with a header; what there is not is empty.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.rows {
            writer.serialize(row).expect("a row of texts and numbers, into memory");
        }
        String::from_utf8(writer.into_inner().expect("memory can be written")).expect("of UTF-8 texts")
    }

    /// What a person reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut table = table();
        table.set_header([
            "seeds",
            "agent",
            "positions",
            "W-D-L",
            "value right %",
            "error",
            "move keeps %",
            "lost / 100",
            "critical",
            "keeps there %",
        ]);
        for row in &self.rows {
            table.add_row([
                row.seeds.map_or("all".to_owned(), |seeds| seeds.to_string()),
                plain(&row.agent),
                row.positions.to_string(),
                format!("{}-{}-{}", row.wins, row.draws, row.losses),
                ranged([row.right, row.right_lower, row.right_upper], 100.0, 1),
                ranged([row.error, row.error_lower, row.error_upper], 1.0, 3),
                ranged([row.kept, row.kept_lower, row.kept_upper], 100.0, 1),
                ranged([row.lost, row.lost_lower, row.lost_upper], 1.0, 2),
                row.critical.to_string(),
                ranged([row.critical_kept, row.critical_kept_lower, row.critical_kept_upper], 100.0, 1),
            ]);
        }
        right_aligned(table) + "\n"
    }
}

/// A number with its interval; `-` where there is none.
fn ranged(numbers: [Option<f64>; 3], unit: f64, decimals: usize) -> String {
    match numbers {
        [Some(value), Some(lower), Some(upper)] => {
            let [value, lower, upper] = [value, lower, upper].map(|number| number * unit);
            format!("{value:.decimals$} ({lower:.decimals$} .. {upper:.decimals$})")
        }
        _ => "-".to_owned(),
    }
}
