//! A dataset made: flags, progress, and what is said at the end.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use giuthi_engine::cli::{
    MAX_THREADS, Progress, SystemClock, Usage, print, seed_or_drawn, tell, whole_number,
};
use giuthi_engine::{AgentSpec, Ending, Source, Variant};
use serde_json::{Value, json};

use crate::generate::{Event, Report, generate};
use crate::settings::{
    DEFAULT_AGENT, DEFAULT_OPENING, DEFAULT_PART_GAMES, Epsilon, OpeningPlies, Settings, Shard,
};
use crate::{Error, GameError, started_seed};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Games of the whole dataset, all shards together
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    games: NonZeroU64,
    /// Who plays, on both sides
    #[arg(long, value_name = "SPEC", default_value = DEFAULT_AGENT)]
    agent: AgentSpec,
    /// Random plies at the start of a game: a number, or a range A..B to draw it from, both ends included
    #[arg(long, value_name = "A..B", default_value_t = DEFAULT_OPENING, allow_hyphen_values = true)]
    opening_plies: OpeningPlies,
    /// Share of the later moves played at random, 0 to 1
    #[arg(long, value_name = "E", default_value_t, allow_negative_numbers = true)]
    epsilon: Epsilon,
    /// Games in a part (a file)
    #[arg(long, value_name = "G", default_value_t = DEFAULT_PART_GAMES, value_parser = at_least_one, allow_negative_numbers = true)]
    part_games: NonZeroU64,
    /// Make only every N-th part, from part I on: the parts of shards 0/N to N-1/N are those of the whole
    #[arg(long, value_name = "I/N", default_value_t, allow_hyphen_values = true)]
    shard: Shard,
    /// Games played at a time; all cores when not given
    #[arg(long, value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// Seed of all randomness; that of the run begun in DIR, or else a drawn one, when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Folder for the dataset: a new one, an empty one, or that of the same run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the statistics as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn at_least_one(text: &str) -> Result<NonZeroU64, String> {
    let number = whole_number(1..=u64::MAX)(text)?;
    Ok(NonZeroU64::new(number).expect("1 is the least that is possible"))
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = whole_number(1..=MAX_THREADS)(text)?;
    Ok(NonZeroUsize::new(number as usize).expect("1 is the least that is possible"))
}

pub(super) fn work(cli: Arguments) -> anyhow::Result<()> {
    let threads =
        cli.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let seed = match (cli.seed, started_seed(&cli.out)) {
        (None, Some(seed)) => {
            tell(format_args!("seed {seed}, of the run begun in {}", cli.out.display()));
            seed
        }
        (asked, _) => seed_or_drawn(asked),
    };
    let settings = Settings {
        variant: cli.variant,
        agent: cli.agent,
        games: cli.games,
        opening: cli.opening_plies,
        epsilon: cli.epsilon,
        part_games: cli.part_games,
        shard: cli.shard,
        seed,
    };
    if settings.agent.clocked() {
        tell("warning: this agent plays by the clock, so the run cannot be repeated exactly");
    }

    let mut progress: Option<Progress> = None;
    let mut rows = 0;
    let report = generate(&settings, &cli.out, threads, &SystemClock::default(), |event| match event {
        Event::Checking { games } => progress = Some(Progress::new("checking", "games", games)),
        Event::Checked { games } => {
            if let Some(progress) = &progress {
                progress.advance(games);
            }
        }
        Event::Planned { parts, kept, games } => {
            if let Some(checking) = progress.take() {
                checking.finish();
            }
            tell_plan(&settings, parts, kept, games);
            progress = (games > 0).then(|| Progress::new("self-play", "games", games));
        }
        Event::Played { rows: more } => {
            rows += more;
            if let Some(progress) = &progress {
                progress.advance(1);
                let rate = rows as f64 / progress.elapsed().as_secs_f64().max(1e-9);
                progress.note(format!("{rate:.0} positions/s"));
            }
        }
    });
    if let Some(progress) = progress.filter(|_| report.is_ok()) {
        progress.finish();
    }
    let report = report.map_err(|error| match error {
        Error::TooManyParts(_) => Usage(error.to_string()).into(),
        Error::Game { error: GameError::Opening(error), .. } => {
            Usage(format!("{}: {error}", error.flag())).into()
        }
        error => anyhow::Error::from(error),
    })?;
    print(&if cli.json { format!("{}\n", in_json(&report)) } else { in_words(&report) })
}

/// What there is to do, where it is not simply everything.
fn tell_plan(settings: &Settings, parts: u64, kept: u64, games: u64) {
    if parts == 0 {
        tell(format_args!(
            "warning: no games for shard {}: {} in parts of {} make {}; a lower --part-games gives every shard some",
            settings.shard,
            counted(settings.games.get(), "game"),
            settings.part_games,
            counted(settings.part_count(), "part"),
        ));
    } else if games == 0 {
        tell(format_args!("everything is there already: {}", counted(parts, "part")));
    } else if kept > 0 {
        tell(format_args!("there already: {kept} of {}", counted(parts, "part")));
    }
}

pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// So many a game, or 0 without games.
pub(super) fn mean(count: u64, games: u64) -> f64 {
    count as f64 / games.max(1) as f64
}

fn in_json(report: &Report) -> Value {
    let summary = &report.summary;
    let games = summary.games();
    let [player0, draws, player1] = summary.results();
    let (positions, exact) = summary.positions();
    let endings = Ending::ALL.map(|ending| (ending.name(), summary.ended_by(ending)));
    let sources = Source::ALL.map(|source| (source.name(), summary.moves_by(source)));
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
        "endings": object(&endings),
        "moves": object(&sources),
        "mean_plies": mean(summary.rows(), games),
        "longest_game": summary.longest(),
        "mean_extra_moves": mean(summary.extra_moves(), games),
        "mean_passes": mean(summary.moves_by(Source::Forced), games),
        "distinct_positions": positions,
        "distinct_positions_exact": exact,
    })
}

fn object(counts: &[(&str, u64)]) -> Value {
    counts.iter().map(|&(name, count)| (name.to_owned(), Value::from(count))).collect()
}

fn in_words(report: &Report) -> String {
    let summary = &report.summary;
    let (games, rows) = (summary.games(), summary.rows());
    let share = |count: u64, of: u64| format!("{:.1} %", 100.0 * mean(count, of));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut line = |name: &str, number: String, share: String| {
        table.add_row([name, &number, &share]);
    };
    line("games", games.to_string(), String::new());
    let names = ["  player 0 won", "  drawn", "  player 1 won"];
    for (name, count) in names.into_iter().zip(summary.results()) {
        line(name, count.to_string(), share(count, games));
    }
    for ending in Ending::ALL {
        let count = summary.ended_by(ending);
        line(&format!("  ended by {}", ending.name()), count.to_string(), share(count, games));
    }
    line("rows", rows.to_string(), String::new());
    for source in Source::ALL {
        let count = summary.moves_by(source);
        line(&format!("  {}", source.name()), count.to_string(), share(count, rows));
    }
    let (positions, exact) = summary.positions();
    let about = if exact { "" } else { "about " };
    line("  distinct positions", format!("{about}{positions}"), share(positions, rows));
    line("plies a game", format!("{:.1}", mean(rows, games)), format!("at most {}", summary.longest()));
    line(
        "  extra moves",
        format!("{:.1}", mean(summary.extra_moves(), games)),
        share(summary.extra_moves(), rows),
    );
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{}\n", table.trim_fmt())
}
