//! `giuthi selfplay stats`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};
use giuthi_engine::cli::{Progress, print};
use serde_json::{Map, Value, json};

use super::generate::threads;
use super::report::{endings, games_in_words, mean, right, rows_in_words, share, sources};
use crate::stats::{BANDS, BINS, Bin, Stats, calibration_error, stats, sum};

/// Shares of the games whose lengths are told.
const SHARES: [(&str, f64); 5] = [("p5", 0.05), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95)];

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Datasets, taken together
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Parts read at a time; all cores when not given
    #[arg(long, value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok());
    let mut progress: Option<Progress> = None;
    let mut before = 0;
    let found = stats(&arguments.data, threads.unwrap_or(NonZeroUsize::MIN), |done, total| {
        progress.get_or_insert_with(|| Progress::new("reading", "rows", total)).advance(done - before);
        before = done;
    })?;
    if let Some(progress) = progress {
        progress.finish();
    }
    print(&if arguments.json { format!("{}\n", in_json(&found)) } else { in_words(&found) })
}

fn in_json(stats: &Stats) -> Value {
    let [player0, draws, player1] = stats.tally.results();
    let (games, rows) = (stats.games(), stats.rows());
    let (positions, positions_exact) = stats.positions();
    let (different, different_exact) = stats.different_games();
    let mut plies = json!({ "mean": mean(rows, games) });
    for (name, share) in SHARES {
        plies[name] = stats.plies_at(share).into();
    }
    plies["shortest"] = stats.plies_at(0.0).into();
    plies["longest"] = stats.plies_at(1.0).into();
    let all: [Bin; BINS] = std::array::from_fn(|bin| sum(stats.bins.iter().map(|band| &band[bin])));
    let bands: Vec<Value> = (BANDS.iter().zip(&stats.bins))
        .map(|(&first, bins)| {
            let mut band = bins_in_json(bins);
            band["from_ply"] = first.into();
            band
        })
        .collect();
    let sums: Map<String, Value> =
        stats.sums().into_iter().map(|(name, sum)| (name, json!(sum as i64))).collect();
    json!({
        "games": games,
        "rows": rows,
        "player0_wins": player0,
        "draws": draws,
        "player1_wins": player1,
        "endings": endings(&stats.tally),
        "moves": sources(&stats.tally),
        "extra_moves": stats.tally.extra_moves(),
        "captures": stats.captures,
        "plies": plies,
        "distinct_positions": positions,
        "distinct_positions_exact": positions_exact,
        "different_games": different,
        "different_games_exact": different_exact,
        "values": bins_in_json(&all),
        "values_by_ply": bands,
        "sums": sums,
    })
}

fn bins_in_json(bins: &[Bin]) -> Value {
    let all = sum(bins);
    let told = bins.iter().enumerate().map(|(at, bin)| {
        let from = (at as f64).mul_add(0.1, -1.0);
        json!({ "from": (from * 10.0).round() / 10.0, "rows": bin.rows, "value": bin.mean_value(), "result": bin.mean_result() })
    });
    json!({
        "rows": all.rows,
        "mean_value": all.mean_value(),
        "mean_result": all.mean_result(),
        "calibration_error": calibration_error(bins),
        "bins": told.collect::<Vec<_>>(),
    })
}

fn in_words(stats: &Stats) -> String {
    let (games, rows) = (stats.games(), stats.rows());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut line = |name: &str, number: String, share: String| {
        table.add_row([name, &number, &share]);
    };
    games_in_words(&stats.tally, &mut line);
    let about = |(count, exact): (u64, bool)| format!("{}{count}", if exact { "" } else { "about " });
    let different = stats.different_games();
    line("  different games", about(different), share(different.0.min(games), games));
    rows_in_words(&stats.tally, &mut line);
    let extra_moves = stats.tally.extra_moves();
    line("  extra moves", extra_moves.to_string(), share(extra_moves, rows));
    line("  captures", stats.captures.to_string(), share(stats.captures, rows));
    let positions = stats.positions();
    line("  distinct positions", about(positions), share(positions.0.min(rows), rows));
    line("plies a game", format!("{:.1}", mean(rows, games)), String::new());
    line("  shortest", stats.plies_at(0.0).to_string(), String::new());
    for (name, of) in SHARES {
        let name =
            name.strip_prefix('p').map_or(name.to_owned(), |percent| format!("{percent} % have at most"));
        line(&format!("  {name}"), stats.plies_at(of).to_string(), String::new());
    }
    line("  longest", stats.plies_at(1.0).to_string(), String::new());
    right(&mut table);
    let mut text = format!("{}\n", table.trim_fmt());

    let with_value = sum(stats.bins.as_flattened());
    if with_value.rows > 0 {
        text.push_str(&format!("\n{}\n\n{}\n", values(stats), bands(stats)));
    }
    text
}

/// Values against results.
fn values(stats: &Stats) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["value", "rows", "mean value", "mean result"]);
    for at in 0..BINS {
        let bin = sum(stats.bins.iter().map(|band| &band[at]));
        let [from, to] = [at, at + 1].map(|at| (at as f64).mul_add(0.1, -1.0));
        let means = [bin.mean_value(), bin.mean_result()].map(|mean| told(bin.rows, mean));
        let [value, result] = means;
        table.add_row([format!("{from:.1} … {to:.1}"), bin.rows.to_string(), value, result]);
    }
    right(&mut table);
    table.trim_fmt()
}

/// Values against results, by ply.
fn bands(stats: &Stats) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["plies", "rows", "mean value", "mean result", "calibration error"]);
    for (at, bins) in stats.bins.iter().enumerate() {
        let all = sum(bins);
        let name = match BANDS.get(at + 1) {
            Some(next) => format!("{} … {}", BANDS[at], next - 1),
            None => format!("from {}", BANDS[at]),
        };
        let [value, result, error] = [all.mean_value(), all.mean_result(), calibration_error(bins)]
            .map(|number| told(all.rows, number));
        table.add_row([name, all.rows.to_string(), value, result, error]);
    }
    right(&mut table);
    table.trim_fmt()
}

/// A number of some rows; nothing for none.
fn told(rows: u64, number: f64) -> String {
    if rows == 0 { String::new() } else { format!("{number:.3}") }
}
