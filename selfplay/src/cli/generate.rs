//! A dataset made: flags, progress, and what is said at the end.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use giuthi_engine::agent::LoadError;
use giuthi_engine::cli::{
    MAX_THREADS, Progress, SystemClock, Usage, print, seed_or_drawn, stop, tell, whole_number,
};
use giuthi_engine::endgame::tablebase::TablebaseError;
use giuthi_engine::shard::ShardError;
use giuthi_engine::{AgentSpec, Variant};

use super::presets::{PRESETS, Preset};
use super::report::{counted, in_json, in_words};
use crate::generate::{Event, Report, generate_watched};
use crate::settings::{
    DEFAULT_PART_GAMES, Epsilon, Format, Level, OpeningPlies, SettingError, Settings, Shard, Temperature,
    part_name,
};
use crate::{Error, GameError, Watch, started_seed};

/// Time between two looks at how far the games are.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Games of the whole dataset, all shards together
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    games: NonZeroU64,
    /// Values for the five flags that follow, listed below; each of them given goes before [default: standard]
    #[arg(long, value_name = "NAME", value_parser = Preset::named)]
    preset: Option<&'static Preset>,
    /// Who plays, on both sides
    #[arg(long, value_name = "SPEC")]
    agent: Option<AgentSpec>,
    /// Random plies at the start of a game: a number, or a range A..B to draw it from, both ends included
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    opening_plies: Option<OpeningPlies>,
    /// Share of the later moves played at random, 0 to 1
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<Epsilon>,
    /// After the opening, choose among the agent's moves by chance: one worth V in proportion to exp(V/T); 0 always
    /// plays the best
    #[arg(long, value_name = "T", value_parser = temperature, allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Plies after the opening in which the temperature falls evenly to 0
    #[arg(long, value_name = "P", value_parser = plies, allow_negative_numbers = true)]
    temperature_plies: Option<NonZeroU32>,
    /// Begin no two games of the whole dataset from the same position after their openings
    #[arg(long)]
    distinct_openings: bool,
    /// Endgame tables (made by giuthi tablebase build) that play a game to its end from where they say for certain what
    /// it comes to [default: those of the agent, tb=]
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,
    /// Games in a part (a file)
    #[arg(long, value_name = "G", default_value_t = DEFAULT_PART_GAMES, value_parser = at_least_one, allow_negative_numbers = true)]
    part_games: NonZeroU64,
    /// Compress the parts: part-NNNNN.csv.zst
    #[arg(long, value_name = "HOW")]
    compress: Option<Compress>,
    /// Level of the compression, 1 to 19: the higher, the slower and, as a rule, the smaller [default: 1]
    #[arg(long, value_name = "L", requires = "compress", allow_negative_numbers = true)]
    level: Option<Level>,
    /// Make only every N-th part, from part I on: the parts of shards 0/N to N-1/N are those of the whole; `auto` takes
    /// I/N from what Slurm (a job array) or Kubernetes (an indexed job) says
    #[arg(long, value_name = "I/N", default_value = "0/1", allow_hyphen_values = true)]
    shard: ShardChoice,
    /// How many shards there are, for --shard auto
    #[arg(long, value_name = "N", value_parser = shards, allow_negative_numbers = true)]
    shards: Option<u32>,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Compress {
    /// Zstandard
    Zstd,
}

/// A shard by its numbers, or told by the environment.
#[derive(Clone, Copy, Debug)]
enum ShardChoice {
    Given(Shard),
    Auto,
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardChoice, String> {
        match text {
            "auto" => Ok(ShardChoice::Auto),
            text => {
                text.parse().map(ShardChoice::Given).map_err(|error: ShardError| format!("{error}; or auto"))
            }
        }
    }
}

pub(super) fn at_least_one(text: &str) -> Result<NonZeroU64, String> {
    let number = whole_number(1..=u64::MAX)(text)?;
    Ok(NonZeroU64::new(number).expect("1 is the least that is possible"))
}

fn plies(text: &str) -> Result<NonZeroU32, String> {
    let number = whole_number(1..=u64::from(u32::MAX))(text)?;
    Ok(NonZeroU32::new(number as u32).expect("1 is the least that is possible"))
}

fn shards(text: &str) -> Result<u32, String> {
    whole_number(1..=u64::from(u32::MAX))(text).map(|number| number as u32)
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = whole_number(1..=MAX_THREADS)(text)?;
    Ok(NonZeroUsize::new(number as usize).expect("1 is the least that is possible"))
}

fn temperature(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| {
        number == 0.0 || Temperature::new(number, Temperature::DEFAULT_PLIES).is_ok()
    });
    number.ok_or_else(|| SettingError::Temperature.to_string())
}

impl Arguments {
    /// What the flags ask for, those not given taken from the preset.
    fn settings(&self) -> Result<Settings, Usage> {
        let preset = self.preset.unwrap_or(&PRESETS[Preset::STANDARD]);
        let seed = match (self.seed, started_seed(&self.out)) {
            (None, Some(seed)) => {
                tell(format_args!("seed {seed}, of the run begun in {}", self.out.display()));
                Some(seed)
            }
            (asked, _) => asked,
        };
        let (start, plies) = preset.temperature.unwrap_or((0.0, Temperature::DEFAULT_PLIES));
        let start = self.temperature.unwrap_or(start);
        if start == 0.0 && self.temperature_plies.is_some() {
            let text = "--temperature-plies: there is no temperature that could fall; add --temperature T";
            return Err(Usage(text.to_owned()));
        }
        let temperature = Temperature::new(start, self.temperature_plies.unwrap_or(plies)).ok();
        let format = match self.compress {
            None => Format::Plain,
            Some(Compress::Zstd) => Format::Zstd(self.level.unwrap_or_default()),
        };
        Ok(Settings {
            variant: self.variant,
            agent: self.agent.clone().unwrap_or_else(|| preset.agent()),
            games: self.games,
            opening: self.opening_plies.unwrap_or(preset.opening),
            distinct_openings: self.distinct_openings,
            epsilon: self.epsilon.unwrap_or_else(|| preset.epsilon()),
            temperature,
            tables: self.tb.clone(),
            part_games: self.part_games,
            format,
            shard: self.shard()?,
            seed: seed_or_drawn(seed),
        })
    }

    fn shard(&self) -> Result<Shard, Usage> {
        match self.shard {
            ShardChoice::Given(_) if self.shards.is_some() => {
                Err(Usage("--shards: only --shard auto asks how many there are; I/N tells it".to_owned()))
            }
            ShardChoice::Given(shard) => Ok(shard),
            ShardChoice::Auto => {
                let variable =
                    |name: &str| std::env::var_os(name).map(|text| text.to_string_lossy().into_owned());
                let told = Shard::from_environment(variable, self.shards);
                let (shard, by) = told.map_err(|error| Usage(format!("--shard auto: {error}")))?;
                tell(format_args!("shard {shard}, by {by}"));
                Ok(shard)
            }
        }
    }
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let threads =
        arguments.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let settings = arguments.settings()?;
    let watch = Arc::new(Watch::new(threads));
    let asked = Arc::clone(&watch);
    stop::on_signals("the part in hand", move || {
        let before = asked.is_stopped();
        asked.stop();
        before
    })?;
    let report = watched(&settings, arguments, threads, &watch).map_err(|error| match error {
        Error::Agent(LoadError::External) => Usage(format!("--agent: {}", LoadError::External)).into(),
        Error::Tables(error @ TablebaseError::OtherPits { .. }) => Usage(format!("--tb: {error}")).into(),
        Error::TooManyParts(_) | Error::FewOpenings { .. } => Usage(error.to_string()).into(),
        Error::Game { error: GameError::Opening(error), .. } => {
            Usage(format!("{}: {error}", error.flag())).into()
        }
        Error::Game { error: GameError::NoValues, .. } => {
            Usage(format!("--temperature: {}", GameError::NoValues)).into()
        }
        Error::Stopped { there, parts } => anyhow::anyhow!(
            "stopped: {there} of {} are there; to go on: {}",
            counted(parts, "part"),
            stop::command_line("giuthi selfplay", None)
        ),
        error => anyhow::Error::from(error),
    })?;
    let text = if arguments.json { format!("{}\n", in_json(&report)) } else { in_words(&report) };
    print(&text)
}

/// The run, with progress on stderr.
fn watched(
    settings: &Settings,
    arguments: &Arguments,
    threads: NonZeroUsize,
    watch: &Watch,
) -> Result<Report, Error> {
    /// The games that are played, as a look at them needs to know.
    struct Playing {
        progress: Progress,
        games: u64,
    }
    let playing: OnceLock<Playing> = OnceLock::new();
    let mut other: Option<Progress> = None;
    let mut observe = |event| match event {
        Event::Begun => {
            if let Some(openings) = other.take() {
                openings.finish();
            }
            tell_settings(settings, arguments.preset);
        }
        Event::Recompressed { part } => tell(format_args!(
            "{}: not compressed as this run compresses, so its games are played again",
            part_name(part, settings.format)
        )),
        Event::Checking { games } => other = Some(Progress::new("checking", "games", games)),
        Event::Openings { games } => other = Some(Progress::new("openings", "games", games)),
        Event::Checked { games } | Event::Compared { games } => {
            if let Some(progress) = &other {
                progress.advance(games);
            }
        }
        Event::Planned { parts, kept, games } => {
            if let Some(checking) = other.take() {
                checking.finish();
            }
            tell_plan(settings, parts, kept, games);
        }
        Event::Playing { games } => {
            if let Some(openings) = other.take() {
                openings.finish();
            }
            let progress = Progress::new("self-play", "games", games);
            playing.get_or_init(|| Playing { progress, games });
        }
        Event::Played { .. } => {
            if let Some(playing) = playing.get() {
                playing.progress.advance(1);
            }
        }
    };
    let (over, is_over) = channel::<()>();
    let report = thread::scope(|scope| {
        // What is in hand changes between two games as well, and long games make no events.
        let playing = &playing;
        scope.spawn(move || {
            while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let Some(Playing { progress, games }) = playing.get() else { continue };
                let (look, elapsed) = (watch.look(), progress.elapsed());
                if let Some(left) = look.left(*games, elapsed) {
                    progress.foresee(left);
                }
                let rate = look.plies() as f64 / elapsed.as_secs_f64().max(1e-9);
                progress.note(format!("{rate:.0} positions/s"));
            }
        });
        let report =
            generate_watched(settings, &arguments.out, threads, &SystemClock::default(), watch, &mut observe);
        drop(over);
        report
    });
    if let Some(Playing { progress, .. }) = playing.get().filter(|_| report.is_ok()) {
        progress.finish();
    }
    report
}

/// What is to be known of settings that are possible.
fn tell_settings(settings: &Settings, preset: Option<&Preset>) {
    if let Some(preset) = preset {
        tell(format_args!("preset {}: {}", preset.name, Preset::flags(settings)));
    }
    if settings.agent.clocked() {
        tell("warning: this agent plays by the clock, so the run cannot be repeated exactly");
    }
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
