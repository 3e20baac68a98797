//! `giuthi-eval judge`: networks and agents held against endgame tables.

use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::available_parallelism;

use anyhow::Context;
use clap::{Args, ValueEnum};
use giuthi_engine::agent::LoadError;
use giuthi_engine::cli::{
    MAX_THREADS, Progress, SystemClock, Usage, print, seed_or_drawn, tell, whole_number,
};
use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::{AgentSpec, Variant, files};

use crate::judge::{DEFAULT_BAND, Event, JudgeError, Judged, Settings, Source, judge};

/// Judge networks and agents by endgame tables: how often their value is right, how often their move keeps it
///
/// Positions come right after a capture, where the tables' values are exact, and one from a game, so that they are
/// independent. Shares have 95 % intervals (Wilson 1927). Of an agent the value is taken for a win above --band and for a
/// loss below its negative; of a network it is the likeliest of win, draw and loss, and the move that of net:FILE.
/// docs/ratings.md says what the columns mean.
#[derive(Args)]
pub(super) struct Arguments {
    /// Endgame tables (made by giuthi tablebase build)
    #[arg(long, value_name = "DIR")]
    tb: PathBuf,
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// A network to judge by the value it gives without a search, and by the move of net:NET; can be repeated
    #[arg(long = "net", value_name = "NET", value_parser = path)]
    networks: Vec<String>,
    /// An agent to judge; can be repeated
    #[arg(long = "agent", value_name = "SPEC")]
    agents: Vec<AgentSpec>,
    /// Seeds on the boards: a number, or a range N..M, both ends included [default: 2 to what the tables have]
    #[arg(long, value_name = "N..M", value_parser = range, allow_hyphen_values = true)]
    seeds: Option<RangeInclusive<usize>>,
    /// Positions of each number of seeds
    #[arg(long, value_name = "P", default_value_t = 1000, value_parser = whole_number(1..=1_000_000), allow_negative_numbers = true)]
    positions: u64,
    /// Positions met in games, or boards drawn at random with leads near where their value changes
    #[arg(long, value_name = "WHENCE", value_enum, default_value_t = From::Games)]
    from: From,
    /// Who plays the games that positions are met in [default: random]
    #[arg(long, value_name = "SPEC")]
    played_by: Option<AgentSpec>,
    /// Random plies at the start of these games: a number, or a range A..B to draw it from [default: 6..12]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    opening_plies: Option<OpeningPlies>,
    /// An agent's values from -B to B are taken for a draw, 0 to 1
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BAND, value_parser = band, allow_negative_numbers = true)]
    band: f32,
    /// Positions judged at a time; all cores when not given. The numbers do not depend on it, but for agents with a time
    /// limit
    #[arg(long, value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Seed of all randomness; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Print one JSON object a row
    #[arg(long)]
    json: bool,
    /// Write the rows as CSV too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    Games,
    Boards,
}

fn path(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("the path of a network is needed".to_owned()) } else { Ok(text.to_owned()) }
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = whole_number(2..=255);
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    match (number(least), number(most)) {
        (Ok(least), Ok(most)) if least <= most => Ok(least as usize..=most as usize),
        _ => Err("write a number of seeds from 2 on, such as 8, or the least and the most, such as 6..12"
            .to_owned()),
    }
}

fn band(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|band| (0.0..=1.0).contains(band));
    number.ok_or_else(|| format!("a number from 0 to 1 is possible, such as {DEFAULT_BAND}"))
}

/// Random plies at the start of games where nothing else is asked.
const OPENING: OpeningPlies = OpeningPlies::new(6, 12).expect("in order");

impl Arguments {
    fn settings(&self) -> Result<Settings, Usage> {
        let networks = self.networks.iter().map(|path| Judged::network(path));
        let judged: Vec<Judged> = networks.chain(self.agents.iter().cloned().map(Judged::agent)).collect();
        if judged.is_empty() {
            return Err(Usage("nobody to judge: --net NET or --agent SPEC says whom".to_owned()));
        }
        let source = match self.from {
            From::Boards if self.played_by.is_some() || self.opening_plies.is_some() => {
                return Err(Usage("--played-by, --opening-plies: only with --from games".to_owned()));
            }
            From::Boards => Source::Boards,
            From::Games => {
                let random = || "random".parse().expect("there is such an agent");
                Source::Games(
                    self.played_by.clone().unwrap_or_else(random),
                    self.opening_plies.unwrap_or(OPENING),
                )
            }
        };
        Ok(Settings {
            tables: self.tb.clone(),
            variant: self.variant,
            judged,
            source,
            seeds: self.seeds.clone(),
            positions: self.positions,
            band: self.band,
            seed: seed_or_drawn(self.seed),
        })
    }
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let asked = arguments.threads.and_then(|threads| NonZeroUsize::new(threads as usize));
    let threads = asked.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let settings = arguments.settings()?;
    if let Some(path) = &arguments.out {
        files::check_writable(path)
            .with_context(|| format!("--out {}: cannot be written", path.display()))?;
    }
    let progress: Mutex<Option<Progress>> = Mutex::new(None);
    let observe = |event: Event| {
        let mut progress = progress.lock().expect("nobody panics with it");
        match event {
            Event::Drawing(all) => {
                // By now everybody is known to be there.
                if arguments.agents.iter().chain(&arguments.played_by).any(AgentSpec::clocked) {
                    tell("warning: an agent plays by the clock, so the numbers cannot be repeated exactly");
                }
                *progress = Some(Progress::new("drawing", "positions", all));
            }
            Event::Judging(all) => *progress = Some(Progress::new("judging", "positions", all)),
            Event::Drawn | Event::Judged => {
                if let Some(progress) = progress.as_ref() {
                    progress.advance(1);
                }
            }
        }
    };
    let report =
        judge(&settings, threads, &SystemClock::default(), &observe).map_err(|error| match error {
            JudgeError::Width { .. } | JudgeError::Seeds { .. } | JudgeError::Opening(_) => {
                anyhow::Error::from(Usage(error.to_string()))
            }
            JudgeError::Agent { error: LoadError::External, .. } => Usage(error.to_string()).into(),
            JudgeError::Agent { error: ref why, .. } if why.is_of_width() => Usage(error.to_string()).into(),
            error => error.into(),
        })?;
    if let Some(progress) = progress.into_inner().expect("nobody panics with it") {
        progress.finish();
    }
    let short: Vec<String> = report
        .rows
        .iter()
        .filter(|row| row.agent == settings.judged[0].name && row.seeds.is_some())
        .filter(|row| row.positions < arguments.positions)
        .map(|row| format!("{} of {} seeds", row.positions, row.seeds.unwrap_or_default()))
        .collect();
    if !short.is_empty() {
        tell(format_args!("warning: fewer positions than asked for were met: {}", short.join(", ")));
    }
    if let Some(path) = &arguments.out {
        files::write_whole(path, |out| out.write_all(report.csv().as_bytes()))
            .with_context(|| path.display().to_string())?;
    }
    print(&if arguments.json { report.json_lines() } else { report.text() })
}
