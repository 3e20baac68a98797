//! `giuthi tablebase bench`: how fast tables are solved and probed, beside the plain way to the same tables.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use rand::RngExt;
use serde::Serialize;

use crate::agent::Clock;
use crate::cli::{self, SystemClock, whole_number};
use crate::endgame::tablebase::{Index, MOST_SEEDS, PlainTables, Size, Tablebase};
use crate::position::Position;
use crate::rng::game_rng;
use crate::rules::{MAX_WIDTH, MIN_WIDTH, Player};

/// Positions that are probed.
const PROBES: usize = 1 << 20;

/// Arguments of `giuthi tablebase bench`.
#[derive(Args)]
pub(super) struct Bench {
    /// Pits in a row, 5 to 10
    #[arg(long, value_name = "W", default_value_t = 5, value_parser = whole_number(MIN_WIDTH as u64..=MAX_WIDTH as u64), allow_negative_numbers = true)]
    pits: u64,

    /// Most seeds on a board, 0 to 60; piles do not count
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = whole_number(0..=MOST_SEEDS as u64), allow_negative_numbers = true)]
    seeds: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was measured, under the names of the JSON form.
#[derive(Serialize)]
struct Report {
    boards: u64,
    threads: usize,
    boards_per_s: f64,
    one_thread_boards_per_s: f64,
    plain_boards_per_s: f64,
    ratio: f64,
    one_thread_ratio: f64,
    probes_per_s: f64,
}

/// Measures, and fails where the ways do not come to the same.
pub(super) fn run(args: &Bench) -> anyhow::Result<()> {
    let clock = SystemClock::default();
    let size = Size { pits: args.pits as usize, seeds: args.seeds as usize };
    let solve = |threads: usize| -> anyhow::Result<(Tablebase, Duration)> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.context("the threads cannot be started")?;
        let start = clock.now();
        let table = pool.install(|| Tablebase::solve(size))?;
        Ok((table, clock.now() - start))
    };
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let (table, all_time) = solve(threads)?;
    let (_, one_time) = solve(1)?;
    let start = clock.now();
    let plain = PlainTables::solve(size.pits, size.seeds);
    let plain_time = clock.now() - start;
    ensure!(plain.agree(&table), "the plain way came to other tables");
    let positions = positions(&table);
    let start = clock.now();
    for position in &positions {
        black_box(table.probe(position));
    }
    let probe_time = clock.now() - start;

    let rate = |count: u64, time: Duration| (count as f64 / time.as_secs_f64().max(1e-9)).round();
    let ratio =
        |time: Duration| (100.0 * plain_time.as_secs_f64() / time.as_secs_f64().max(1e-9)).round() / 100.0;
    let report = Report {
        boards: table.boards(),
        threads,
        boards_per_s: rate(table.boards(), all_time),
        one_thread_boards_per_s: rate(table.boards(), one_time),
        plain_boards_per_s: rate(table.boards(), plain_time),
        ratio: ratio(all_time),
        one_thread_ratio: ratio(one_time),
        probes_per_s: rate(PROBES as u64, probe_time),
    };
    cli::print(&if args.json { serde_json::to_string(&report)? + "\n" } else { table_of(&report) })
}

/// Boards of as many seeds as there are, anywhere in the tables.
fn positions(table: &Tablebase) -> Vec<Position> {
    let index = Index::new(table.pits());
    let mut rng = game_rng(1, 0);
    let mut drawn = || {
        let number = rng.random_range(0..index.boards(table.seeds()));
        let pits = index.board(table.seeds(), number);
        Position::of_pits(table.pits(), &pits[..2 * table.pits()], [0; 2], Player::North)
    };
    (0..PROBES).map(|_| drawn()).collect()
}

/// The report as a person reads it.
fn table_of(report: &Report) -> String {
    let million = |rate: f64| format!("{:.2} M", rate / 1e6);
    let rows = [
        ("boards".to_owned(), report.boards.to_string()),
        (format!("boards a second, {} threads", report.threads), million(report.boards_per_s)),
        ("  one thread".to_owned(), million(report.one_thread_boards_per_s)),
        ("  the plain way, one thread".to_owned(), million(report.plain_boards_per_s)),
        ("  faster than the plain way".to_owned(), format!("{:.1} times", report.ratio)),
        ("  on one thread".to_owned(), format!("{:.1} times", report.one_thread_ratio)),
        ("probes a second, one thread".to_owned(), million(report.probes_per_s)),
    ];
    rows.iter().map(|(what, number)| format!("{what:<30} {number:>12}\n")).collect()
}
