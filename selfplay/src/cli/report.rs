//! What is said of a dataset when it is there: a table, or one JSON object.

use comfy_table::{CellAlignment, Table, presets};
use giuthi_engine::{Ending, Source};
use serde_json::{Value, json};

use crate::generate::Report;
use crate::summary::Tally;

pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// So many a game, or 0 without games.
pub(super) fn mean(count: u64, games: u64) -> f64 {
    count as f64 / games.max(1) as f64
}

pub(super) fn in_json(report: &Report) -> Value {
    let summary = &report.summary;
    let games = summary.games();
    let tally = summary.tally();
    let [player0, draws, player1] = tally.results();
    let positions = summary.positions();
    json!({
        "variant": report.manifest.run.variant.to_string(),
        "agent": report.manifest.run.agent,
        "seed": report.manifest.run.seed,
        "shard": report.manifest.run.shard.to_string(),
        "parts": report.manifest.parts.len(),
        "games": games,
        "games_played_now": report.played,
        "rows": summary.rows(),
        "player0_wins": player0,
        "draws": draws,
        "player1_wins": player1,
        "endings": endings(tally),
        "moves": sources(tally),
        "mean_plies": mean(summary.rows(), games),
        "longest_game": tally.longest(),
        "mean_extra_moves": mean(tally.extra_moves(), games),
        "mean_passes": mean(tally.moves_by(Source::Forced), games),
        "distinct_positions": positions.map(|(positions, _)| positions),
        "distinct_positions_exact": positions.map(|(_, exact)| exact),
    })
}

/// Games by how they ended, in JSON.
pub(super) fn endings(tally: &Tally) -> Value {
    let counts = Ending::ALL.map(|ending| (ending.name(), tally.ended_by(ending)));
    counts.into_iter().collect()
}

/// Rows by why the move was played, in JSON.
pub(super) fn sources(tally: &Tally) -> Value {
    let counts = Source::ALL.map(|source| (source.name(), tally.moves_by(source)));
    counts.into_iter().collect()
}

/// So many of all, in percent.
pub(super) fn share(count: u64, of: u64) -> String {
    format!("{:.1} %", 100.0 * mean(count, of))
}

/// Games, results and endings, each told to `line` by name, number and share.
pub(super) fn games_in_words(tally: &Tally, line: &mut impl FnMut(&str, String, String)) {
    let games = tally.games();
    line("games", games.to_string(), String::new());
    let names = ["  player 0 won", "  drawn", "  player 1 won"];
    for (name, count) in names.into_iter().zip(tally.results()) {
        line(name, count.to_string(), share(count, games));
    }
    for ending in Ending::ALL {
        let count = tally.ended_by(ending);
        line(&format!("  ended by {}", ending.name()), count.to_string(), share(count, games));
    }
}

/// Rows and why their moves were played, likewise.
pub(super) fn rows_in_words(tally: &Tally, line: &mut impl FnMut(&str, String, String)) {
    let rows = tally.rows();
    line("rows", rows.to_string(), String::new());
    for source in Source::ALL {
        let count = tally.moves_by(source);
        line(&format!("  {}", source.name()), count.to_string(), share(count, rows));
    }
}

/// Numbers stand at the right.
pub(super) fn right(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

pub(super) fn in_words(report: &Report) -> String {
    let summary = &report.summary;
    let (tally, games, rows) = (summary.tally(), summary.games(), summary.rows());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut line = |name: &str, number: String, share: String| {
        table.add_row([name, &number, &share]);
    };
    games_in_words(tally, &mut line);
    rows_in_words(tally, &mut line);
    match summary.positions() {
        Some((positions, exact)) => {
            let about = if exact { "" } else { "about " };
            line("  distinct positions", format!("{about}{positions}"), share(positions, rows));
        }
        // Parts that are as their manifest says are not read again.
        None => line("  distinct positions", "-".to_owned(), String::new()),
    }
    line("plies a game", format!("{:.1}", mean(rows, games)), format!("at most {}", tally.longest()));
    line(
        "  extra moves",
        format!("{:.1}", mean(tally.extra_moves(), games)),
        share(tally.extra_moves(), rows),
    );
    right(&mut table);
    format!("{}\n", table.trim_fmt())
}
