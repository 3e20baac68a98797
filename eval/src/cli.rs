//! The `giuthi-eval` program.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::thread::available_parallelism;

use clap::{Args, Parser, Subcommand};
use giuthi_engine::cli::{Progress, SystemClock, Usage, print, run, seed_or_drawn, tell};
use giuthi_engine::{AgentSpec, Player, Variant};

use crate::output::{Files, Standings};
use crate::tally::WinsDrawsLosses;
use crate::tournament::{Error, Prepared, Settings, SettingsError};

/// Compares agents: tournaments and ratings.
#[derive(Parser)]
#[command(name = "giuthi-eval", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Tournament(TournamentArgs),
}

/// Play every agent against every other and rate them
///
/// Every two agents play N games: N/2 random openings, each played twice with the seats swapped. All pairings get the
/// same openings. DIR gets games.csv (every game, move by move), ratings.csv (Elo with 95 % intervals) and
/// tournament.json (what was played). While it runs the games stand in games.csv.partial.
#[derive(Args)]
struct TournamentArgs {
    /// The variant, 2xWxS
    #[arg(long, value_name = "V", default_value_t)]
    variant: Variant,
    /// An agent, such as random, greedy, ab:depth=4 or net:PATH, with a name for tables before an @ if wanted
    /// (old@net:PATH); give two at least
    #[arg(long = "agent", value_name = "SPEC", required = true)]
    agents: Vec<AgentSpec>,
    /// Games of every two agents: an even number, as each opening is played from both seats
    #[arg(long, value_name = "N")]
    games: u32,
    /// Random plies that the games open with: K, or A..B for A to B, each as likely
    #[arg(long, value_name = "K|A..B", default_value = "4")]
    opening_plies: Plies,
    /// Games played at the same time, by default one a processor; the games do not depend on it, unless an agent has
    /// a time limit
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Fixes all randomness; without it a seed is drawn and told
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Print one JSON object an agent, the best first, instead of tables
    #[arg(long)]
    json: bool,
    /// Folder for the files; one that has a tournament is refused
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// A range of numbers of plies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plies(RangeInclusive<u32>);

impl FromStr for Plies {
    type Err = String;

    fn from_str(text: &str) -> Result<Plies, String> {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| digits)
        };
        let range = match text.split_once("..") {
            Some((least, most)) => number(least).zip(number(most)).map(|(least, most)| least..=most),
            None => number(text).map(|plies| plies..=plies),
        };
        let wanted = "a number of plies such as 4, or two such as 2..6, the second not below the first";
        range.filter(|range| !range.is_empty()).map(Plies).ok_or_else(|| format!("{wanted}, is possible"))
    }
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|Cli { command }| match command {
        Command::Tournament(args) => tournament(args),
    })
}

fn tournament(args: TournamentArgs) -> anyhow::Result<()> {
    let processors = available_parallelism().map_or(1, usize::from);
    let mut settings = Settings {
        variant: args.variant,
        agents: args.agents,
        games: args.games,
        opening_plies: args.opening_plies.0,
        seed: 0,
        threads: args.threads.unwrap_or(processors),
    };
    // Before a seed is drawn, so that a usage error is the only line.
    settings.check().map_err(in_usage)?;
    settings.seed = seed_or_drawn(args.seed);
    let prepared = settings.prepare().map_err(|error| match error {
        Error::Opening(error) => Usage(format!("--opening-plies: {error}")).into(),
        error => anyhow::Error::new(error),
    })?;
    let mut files = Files::create(&args.out, &settings)?;
    warn(&settings, &prepared, processors);

    let progress = Progress::new("tournament", "games", prepared.schedule().games());
    let mut first = WinsDrawsLosses::default();
    let tournament = prepared.run(&SystemClock::default(), |pair| -> anyhow::Result<()> {
        files.add(pair)?;
        for game in pair {
            if let Some(seat) = game.players.iter().position(|&agent| agent == 0) {
                first.add(game.course.outcome, Player::BOTH[seat]);
            }
        }
        progress.note(format!("{} {:.1} %", settings.agents[0].label(), 100.0 * first.score()));
        progress.advance(pair.len() as u64);
        Ok(())
    })?;
    progress.finish();

    let standings = Standings::new(&settings, &tournament);
    files.finish(&standings)?;
    print(&if args.json { standings.json_lines() } else { standings.text() })
}

/// Settings that do not fit, with the flag that gave them.
fn in_usage(error: SettingsError) -> Usage {
    let flag = match error {
        SettingsError::Agents(_) | SettingsError::SameName(_) => "--agent",
        SettingsError::Games(_) => "--games",
        SettingsError::OpeningPlies(..) => "--opening-plies",
        SettingsError::Threads => "--threads",
    };
    Usage(format!("{flag}: {error}"))
}

/// What makes a tournament say less than it seems to.
fn warn(settings: &Settings, prepared: &Prepared<'_>, processors: usize) {
    let clocked = settings.agents.iter().any(AgentSpec::clocked);
    if clocked && settings.threads > processors {
        tell(format_args!(
            "warning: {} threads on {processors} processors: agents with a time limit get less than their time",
            settings.threads
        ));
    }
    let (different, rounds) = (prepared.schedule().different_openings(), settings.games as usize / 2);
    if 2 * different < rounds {
        tell(format_args!(
            "warning: only {different} of the {rounds} openings differ: agents without randomness repeat their games; more --opening-plies give more"
        ));
    }
}
