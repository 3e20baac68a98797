//! `giuthi-eval tournament`: flags, progress, and what is said at the end.

use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use giuthi_engine::cli::{
    MAX_THREADS, Progress, SystemClock, Usage, agents, print, seed_or_drawn, tell, whole_number,
};
use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::{AgentSpec, Player, Variant};

use crate::output::{Files, Standings};
use crate::tally::WinsDrawsLosses;
use crate::tournament::{Error, MAX_GAMES, Prepared, Settings, SettingsError};

/// Play every agent against every other and rate them
///
/// Every two agents play N games: N/2 random openings, each from both seats. All pairings get the same openings. DIR
/// gets games.csv (every game, move by move), ratings.csv (Elo with 95 % intervals) and tournament.json (what was
/// played). While the tournament runs its games stand in games.csv.partial.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Arguments {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Who plays; two agents at least. LABEL@SPEC gives one a name for tables
    #[arg(long = "agent", value_name = "SPEC", required = true)]
    agents: Vec<AgentSpec>,
    /// Games of every two agents: an even number, as each opening is played from both seats
    #[arg(long, value_name = "N", value_parser = whole_number(2..=MAX_GAMES.into()), allow_negative_numbers = true)]
    games: u64,
    /// Random plies at the start of a game: a number, or a range A..B to draw it from, both ends included
    #[arg(long, value_name = "A..B", default_value = "4", allow_hyphen_values = true)]
    opening_plies: OpeningPlies,
    /// Games played at a time; all cores when not given. The games do not depend on it, but for agents with a time
    /// limit
    #[arg(long, value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Seed of all randomness; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Folder for the files; one that holds a tournament is refused
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object an agent, the best first, instead of tables
    #[arg(long)]
    json: bool,
}

pub(super) fn work(args: Arguments) -> anyhow::Result<()> {
    let processors = available_parallelism().map_or(1, usize::from);
    let mut settings = Settings {
        variant: args.variant,
        agents: args.agents,
        games: u32::try_from(args.games).expect("within the bounds of the flag"),
        opening_plies: args.opening_plies,
        seed: 0,
        threads: args.threads.map_or(processors, |threads| threads as usize),
    };
    // Before a seed is drawn, so that a usage error is the only line.
    settings.check().map_err(in_usage)?;
    settings.seed = seed_or_drawn(args.seed);
    let prepared = settings.prepare().map_err(|error| match error {
        Error::Opening(error) => Usage(format!("{}: {error}", error.flag())).into(),
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
    if different < rounds {
        tell(format_args!(
            "warning: only {different} of the {rounds} openings differ: agents without randomness repeat their games, and the intervals are too narrow; more --opening-plies give more"
        ));
    }
}
