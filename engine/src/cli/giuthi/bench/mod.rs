//! `giuthi bench`: how fast the engine is, by fixed work, beside the plain way of doing the same.

mod plain;

use std::collections::HashSet;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use rand::{Rng, RngExt};
use serde::Serialize;

use crate::agent::{AgentSpec, Clock, NoClock, Request};
use crate::board::Sower;
use crate::cli::{self, SystemClock, whole_number};
use crate::game::Game;
use crate::net::{FeatureSet, Header, Kernel, Network, Quantised, Weights};
use crate::opening::random_opening;
use crate::perft::tally_by;
use crate::playout::{Finish, Playout, Task};
use crate::position::Position;
use crate::rng::{game_rng, random_move};
use crate::rules::Variant;

/// Random games of `2x8x8`; the plain way and the portable sower play the first of them.
const GAMES: usize = 150_000;
const PLAIN_GAMES: usize = 20_000;
/// What the games come to.
const GAMES_PLIES: u64 = 11_824_799;
const GAMES_LAPS: u64 = 41_749_042;
/// Lines of `2x8x8` of so many plies; the fast way counts them so many times.
const DEPTH: u32 = 5;
const TIMES: u32 = 6;
/// What they are, and the laps of their last plies.
const LINES: u64 = 368_012;
const LINES_LAPS: u64 = 2_949_636;
/// The search that is measured, and how many positions it is given.
const SEARCH: &str = "ab:depth=8";
const SEARCHES: u64 = 12;
/// The network's hidden layers, the positions it is given, and how often the fast way is given them and timed.
const LAYERS: [usize; 2] = [128, 32];
const EVALUATIONS: usize = 30_000;
const EVALUATION_TIMES: usize = 10;
/// How far its values in integers may be from those in float, in the mean.
const EVALUATION_ERROR: f64 = 0.005;

/// Arguments of `giuthi bench`.
#[derive(Args)]
pub(super) struct Bench {
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Do everything so many times, 1 to 1000, and report the fastest of each
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_number(1..=1000), allow_negative_numbers = true)]
    rounds: u64,
}

/// What was measured, under the names of the JSON form: a second's worth of each, and the fast way's part of the plain
/// one's.
#[derive(Serialize)]
struct Report {
    playout_moves_per_s: f64,
    playout_games_per_s: f64,
    laps_per_s: f64,
    portable_moves_per_s: f64,
    plain_moves_per_s: f64,
    playout_ratio: f64,
    perft_nodes_per_s: f64,
    portable_perft_nodes_per_s: f64,
    plain_perft_nodes_per_s: f64,
    perft_ratio: f64,
    search_nodes_per_s: f64,
    search_nodes: u64,
    evals_per_s: f64,
    portable_evals_per_s: f64,
    float_evals_per_s: f64,
    eval_ratio: f64,
}

/// The shortest time that a piece of work took.
struct Fastest(Duration);

impl Fastest {
    fn new() -> Fastest {
        Fastest(Duration::MAX)
    }

    fn time<T>(&mut self, clock: &SystemClock, work: impl FnOnce() -> T) -> T {
        let start = clock.now();
        let result = work();
        self.0 = self.0.min(clock.now() - start);
        result
    }

    /// How much was done in a second.
    fn rate(&self, done: u64) -> f64 {
        (done as f64 / self.0.as_secs_f64().max(1e-9)).round()
    }
}

/// Measures, and fails where what was counted is not what must come out.
pub(super) fn run(args: &Bench) -> anyhow::Result<()> {
    let clock = SystemClock::default();
    let report = measure(args.rounds, &clock)?;
    let text = if args.json { serde_json::to_string(&report)? + "\n" } else { table(&report) };
    cli::print(&text)
}

fn measure(rounds: u64, clock: &SystemClock) -> anyhow::Result<Report> {
    let mut times: [Fastest; 10] = std::array::from_fn(|_| Fastest::new());
    let [games, portable_games, plain_games, lines, portable_lines, plain_lines, search, evals, times @ ..] =
        &mut times;
    let [portable_evals, float_evals] = times;
    let start = [Position::start(Variant::default())];
    let game = Game::new(Variant::default());
    let mut playout = Playout::new();
    let mut finishes = vec![Finish::NONE; GAMES];
    let seed = game_rng(1, 0).next_u64();
    let (network, positions) = evaluations()?;
    let quantised = Quantised::new(&network);
    let searched = searches()?;
    let mut search_nodes = None;
    let error: f64 =
        positions.iter().map(|at| f64::from((quantised.value(at) - network.value(at)).abs())).sum();
    ensure!(
        error <= EVALUATION_ERROR * EVALUATIONS as f64,
        "in integers the network's values are off by {} in the mean",
        error / EVALUATIONS as f64
    );
    for _ in 0..rounds {
        games.time(clock, || playout.play_each(&start, &mut game_rng(1, 0), &mut finishes));
        ensure!(
            (plies(&finishes), laps(&finishes)) == (GAMES_PLIES, GAMES_LAPS),
            "{GAMES} games came to {} plies of {} laps, not to {GAMES_PLIES} of {GAMES_LAPS}",
            plies(&finishes),
            laps(&finishes)
        );
        let mut others = vec![Finish::NONE; PLAIN_GAMES];
        portable_games.time(clock, || {
            playout.play_each_by(Sower::Portable, &start, &mut game_rng(1, 0), &mut others);
        });
        ensure!(others == finishes[..PLAIN_GAMES], "the portable sower played other games");
        plain_games.time(clock, || {
            let task = Task::new(&start, seed);
            for (number, finish) in others.iter_mut().enumerate() {
                *finish = plain::play(&start[0], task.stream(number));
            }
        });
        ensure!(others == finishes[..PLAIN_GAMES], "the plain way played other games");

        let tallies =
            lines.time(clock, || [(); TIMES as usize].map(|()| tally_by(Sower::fastest(), &game, DEPTH)));
        let portable = portable_lines.time(clock, || tally_by(Sower::Portable, &game, DEPTH));
        let plain = plain_lines.time(clock, || plain::lines(&start[0], &mut HashSet::from(start), DEPTH));
        for found in tallies.iter().chain([&portable]).map(|tally| (tally.nodes, tally.laps)).chain([plain]) {
            ensure!(
                found == (LINES, LINES_LAPS),
                "lines of {DEPTH} plies: {} with {} laps, not {LINES} with {LINES_LAPS}",
                found.0,
                found.1
            );
        }

        let mut nodes = 0;
        search.time(clock, || -> anyhow::Result<()> {
            let mut agent = SEARCH.parse::<AgentSpec>()?.load(Variant::default().width())?();
            for game in &searched {
                nodes += agent.choose(game, &mut Request::new(&mut game_rng(1, 0), &NoClock)).nodes;
            }
            Ok(())
        })?;
        ensure!(search_nodes.is_none_or(|before| before == nodes), "the search took another {nodes} nodes");
        search_nodes = Some(nodes);

        let values =
            |kernel| -> f64 { positions.iter().map(|at| f64::from(quantised.value_by(kernel, at))).sum() };
        let portable = portable_evals.time(clock, || values(Kernel::Portable));
        for _ in 0..EVALUATION_TIMES {
            let sum = evals.time(clock, || values(Kernel::fastest()));
            ensure!(
                sum == portable,
                "the portable kernel's values sum to {portable}, the fastest one's to {sum}"
            );
        }
        let float: f64 =
            float_evals.time(clock, || positions.iter().map(|at| f64::from(network.value(at))).sum());
        ensure!(float.abs() < EVALUATIONS as f64, "the network's values sum to {float}");
    }
    let search_nodes = search_nodes.unwrap_or_default();
    let playout_moves_per_s = games.rate(GAMES_PLIES);
    let plain_moves_per_s = plain_games.rate(plies(&finishes[..PLAIN_GAMES]));
    let perft_nodes_per_s = lines.rate(LINES * u64::from(TIMES));
    let plain_perft_nodes_per_s = plain_lines.rate(LINES);
    let evals_per_s = evals.rate(EVALUATIONS as u64);
    let float_evals_per_s = float_evals.rate(EVALUATIONS as u64);
    let ratio = |fast: f64, plain: f64| (100.0 * fast / plain).round() / 100.0;
    Ok(Report {
        playout_moves_per_s,
        playout_games_per_s: games.rate(GAMES as u64),
        laps_per_s: games.rate(GAMES_LAPS),
        portable_moves_per_s: portable_games.rate(plies(&finishes[..PLAIN_GAMES])),
        plain_moves_per_s,
        playout_ratio: ratio(playout_moves_per_s, plain_moves_per_s),
        perft_nodes_per_s,
        portable_perft_nodes_per_s: portable_lines.rate(LINES),
        plain_perft_nodes_per_s,
        perft_ratio: ratio(perft_nodes_per_s, plain_perft_nodes_per_s),
        search_nodes_per_s: search.rate(search_nodes),
        search_nodes,
        evals_per_s,
        portable_evals_per_s: portable_evals.rate(EVALUATIONS as u64),
        float_evals_per_s,
        eval_ratio: ratio(evals_per_s, float_evals_per_s),
    })
}

fn plies(finishes: &[Finish]) -> u64 {
    finishes.iter().map(|finish| u64::from(finish.plies)).sum()
}

fn laps(finishes: &[Finish]) -> u64 {
    finishes.iter().map(|finish| finish.laps).sum()
}

/// The games whose positions are searched: random ones, longer and longer.
fn searches() -> anyhow::Result<Vec<Game>> {
    (0..SEARCHES)
        .map(|number| Ok(random_opening(Variant::default(), 4 * number as u32, &mut game_rng(2, number))?))
        .collect()
}

/// A network of random weights, and the positions of random games.
fn evaluations() -> anyhow::Result<(Network, Vec<Position>)> {
    let mut rng = game_rng(3, 0);
    let [first, second] = LAYERS;
    let width = Variant::default().width();
    let header = Header {
        width,
        features: FeatureSet::Pits24Lead,
        layers: LAYERS,
        trained_on: "nothing".to_owned(),
        program: "giuthi bench".to_owned(),
    };
    let mut drawn = |count: usize| -> Vec<f32> { (0..count).map(|_| rng.random_range(-0.2..0.2)).collect() };
    let weights = Weights {
        input: drawn(header.features.categories(width) * first),
        lead: drawn(first),
        input_bias: drawn(first),
        hidden: drawn(second * first),
        hidden_bias: drawn(second),
        output: drawn(3 * second),
        output_bias: drawn(3),
    };
    let mut positions = Vec::with_capacity(EVALUATIONS);
    let mut game = Game::new(Variant::default());
    while positions.len() < EVALUATIONS {
        match random_move(game.position(), &mut rng) {
            Some(mv) if game.ending().is_none() => {
                positions.push(*game.position());
                game.play(mv)?;
            }
            _ => game = Game::new(Variant::default()),
        }
    }
    Ok((Network::new(header, weights)?, positions))
}

/// The report as a person reads it.
fn table(report: &Report) -> String {
    let million = |rate: f64| format!("{:.2} M", rate / 1e6);
    let rows = [
        ("random games of 2x8x8: moves a second", million(report.playout_moves_per_s)),
        ("  laps a second", million(report.laps_per_s)),
        ("  games a second", million(report.playout_games_per_s)),
        ("  moves a second without vector instructions", million(report.portable_moves_per_s)),
        ("  moves a second seed by seed", million(report.plain_moves_per_s)),
        ("  faster than seed by seed", format!("{:.1} times", report.playout_ratio)),
        ("lines of 2x8x8: nodes a second", million(report.perft_nodes_per_s)),
        ("  without vector instructions", million(report.portable_perft_nodes_per_s)),
        ("  seed by seed", million(report.plain_perft_nodes_per_s)),
        ("  faster than seed by seed", format!("{:.1} times", report.perft_ratio)),
        ("search: nodes a second", million(report.search_nodes_per_s)),
        ("  nodes", report.search_nodes.to_string()),
        ("network: positions a second", million(report.evals_per_s)),
        ("  without vector instructions", million(report.portable_evals_per_s)),
        ("  in float", million(report.float_evals_per_s)),
        ("  faster than in float", format!("{:.1} times", report.eval_ratio)),
    ];
    rows.iter().map(|(what, number)| format!("{what:<47} {number:>12}\n")).collect()
}
