//! `giuthi-eval tournament`: flags, progress, and what is said at the end.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use giuthi_engine::cli::{
    MAX_THREADS, Progress, ShardFlags, SystemClock, Usage, agents, print, seed_or_drawn, stop, tell,
    whole_number,
};
use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::ugi::session::Waits;
use giuthi_engine::{AgentSpec, Shard, Variant};

use super::openings::{OpeningFlags, Waiting, prepared};
use super::running::{Outcome, Running};
use crate::folder::Folder;
use crate::journal::{Files, Resumed, SETTINGS, is_silent_on_files, started_seed};
use crate::openings::{Decided, Openings};
use crate::output::Standings;
use crate::programs::Conduct;
use crate::report;
use crate::schedule::Format;
use crate::settings::{MAX_GAMES, Settings, SettingsError};
use crate::timing::{TimeControl, Timing};
use crate::tournament::{Means, Prepared, Tournament};

/// Folder of what external programs write to stderr, in that of the tournament.
pub(super) const LOGS: &str = "logs";

/// Play agents against each other and rate them
///
/// Every two agents that meet play N games: N/2 openings, each from both seats. All pairings get the same openings. DIR
/// gets games.csv (every game, move by move), ratings.csv (Elo with 95 % intervals), report.html (all of it to look at) and
/// tournament.json (what was played). While the tournament runs its games stand in games.csv.partial, pair by pair as they are finished, and
/// --resume goes on from there.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Arguments {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Who plays; two agents at least. LABEL@SPEC gives one a name for tables
    #[arg(long = "agent", value_name = "SPEC", required = true)]
    agents: Vec<AgentSpec>,
    /// Games of every two agents that meet: an even number, as each opening is played from both seats; with --openings,
    /// two of each opening when not given
    #[arg(long, value_name = "N", value_parser = whole_number(2..=MAX_GAMES.into()), allow_negative_numbers = true, required_unless_present = "openings")]
    games: Option<u64>,
    /// Let this agent, by its name, meet the others, and nobody else each other (a gauntlet); may be repeated
    #[arg(long = "hero", value_name = "NAME", conflicts_with = "ladder")]
    heroes: Vec<String>,
    /// Let each agent meet only the one given before it and the one given after it
    #[arg(long)]
    ladder: bool,
    #[command(flatten)]
    openings: OpeningFlags,
    /// What all agents have to keep to instead of limits of their own: seconds a game and seconds gained by a move
    /// (10+0.1), movetime=MS, nodes=N or depth=D
    #[arg(long, value_name = "TC", allow_hyphen_values = true)]
    tc: Option<TimeControl>,
    /// Milliseconds by which an answer may come too late, for its way
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = milliseconds(), allow_negative_numbers = true)]
    margin: u64,
    /// Milliseconds that an external program may take to start
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = milliseconds(), allow_negative_numbers = true)]
    start_timeout: u64,
    /// Milliseconds that an external program may take to say that it is ready
    #[arg(long, value_name = "MS", default_value_t = 5_000, value_parser = milliseconds(), allow_negative_numbers = true)]
    ready_timeout: u64,
    /// Milliseconds that an external program may take for a move where no clock runs
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = milliseconds(), allow_negative_numbers = true)]
    move_timeout: u64,
    /// Milliseconds that an external program may take to end before it is killed
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = milliseconds(), allow_negative_numbers = true)]
    quit_timeout: u64,
    /// Games played at a time; as many as there are cores when not given, or half as many where two external programs
    /// meet. The games do not depend on it, but for agents with a time limit
    #[arg(long, alias = "threads", value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    jobs: Option<u64>,
    /// Seed of all randomness; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    shard: ShardFlags,
    /// Go on with the tournament of DIR, or begin it where there is none
    #[arg(long)]
    resume: bool,
    /// Folder for the files; without --resume, one that holds a tournament is refused
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object an agent, the best first, instead of tables
    #[arg(long)]
    json: bool,
}

fn milliseconds() -> impl Fn(&str) -> Result<u64, String> + Clone {
    whole_number(0..=3_600_000)
}

impl Arguments {
    fn settings(&self, processors: usize) -> anyhow::Result<Settings> {
        let ms = Duration::from_millis;
        let heroes: Vec<usize> =
            self.heroes.iter().map(|name| self.numbered(name)).collect::<Result<_, _>>()?;
        let mut settings = Settings {
            variant: self.variant,
            agents: self.agents.clone(),
            format: match (self.ladder, heroes.is_empty()) {
                (true, _) => Format::Ladder,
                (false, false) => Format::Gauntlet(heroes),
                (false, true) => Format::RoundRobin,
            },
            games: self.games.map_or(2, |games| u32::try_from(games).expect("within the bounds of the flag")),
            timing: Timing { control: self.tc, margin: ms(self.margin), move_timeout: ms(self.move_timeout) },
            waits: Waits {
                start: ms(self.start_timeout),
                ready: ms(self.ready_timeout),
                quit: ms(self.quit_timeout),
                ..Waits::default()
            },
            seed: 0,
            jobs: 1,
            ..Settings::default()
        };
        let plies = OpeningPlies::new(4, 4).expect("the right way round");
        self.openings.begin(&mut settings, plies, Some(Decided::default().bound));
        // Before a seed is drawn, so that a usage error is the only line.
        settings.check().map_err(in_usage)?;
        settings.shard = self.shard.chosen()?;
        settings.jobs = self.jobs.map_or((processors / settings.processes()).max(1), |jobs| jobs as usize);
        settings.seed = match (self.seed, self.resume.then(|| started_seed(&self.out)).flatten()) {
            (None, Some(seed)) => {
                tell(format_args!("seed {seed}, of the tournament begun in {}", self.out.display()));
                seed
            }
            (asked, _) => seed_or_drawn(asked),
        };
        Ok(settings)
    }

    /// The number of the agent of a name.
    fn numbered(&self, name: &str) -> Result<usize, Usage> {
        let number = self.agents.iter().position(|agent| agent.label() == name);
        number.ok_or_else(|| {
            let names: Vec<&str> = self.agents.iter().map(AgentSpec::label).collect();
            Usage(format!("--hero: `{name}` is no agent of this tournament: there are {}", names.join(", ")))
        })
    }
}

pub(super) fn work(arguments: Arguments) -> anyhow::Result<()> {
    let processors = available_parallelism().map_or(1, usize::from);
    let mut settings = arguments.settings(processors)?;
    let out = &arguments.out;
    // First of all, so that nobody waits for what another run is at already.
    let folder = Folder::lock(out)?;
    if arguments.resume {
        warn_of_files(out);
    } else {
        Files::is_free(out)?;
    }
    let mut waiting = Waiting::new()?;
    arguments.openings.list(&mut settings, arguments.games, &mut waiting)?;
    let prepared = prepared(&settings, &mut waiting)?;
    let resumed = match arguments.resume {
        true => Files::resume(folder, &settings, prepared.schedule())?,
        false => Resumed::Unfinished(
            Box::new(Files::create(folder, &settings)?),
            Tournament::new(&settings, prepared.schedule()),
        ),
    };
    let tournament = match resumed {
        Resumed::Finished(tournament) => {
            tell("everything is there already");
            tournament
        }
        Resumed::Unfinished(files, tournament) => {
            warn(&settings, &prepared, processors);
            let (files, tournament) = play(&settings, &prepared, *files, tournament, &waiting.stopped)?;
            match settings.shard {
                Shard::WHOLE => files.finish(&Standings::new(&settings, &tournament))?,
                _ => files.finish_shard()?,
            }
            tournament
        }
    };
    if settings.shard != Shard::WHOLE {
        tell(format_args!(
            "shard {} is whole; when all are: giuthi eval merge DIR... --out OUT",
            settings.shard
        ));
        return Ok(());
    }
    // Last of all files; where it cannot be written, what came of the tournament is told all the same.
    let written = report::write(out);
    let standings = Standings::new(&settings, &tournament);
    print(&if arguments.json { standings.json_lines() } else { standings.text() })?;
    written?;
    Ok(())
}

/// Plays what is not there yet.
fn play(
    settings: &Settings,
    prepared: &Prepared<'_>,
    mut files: Files,
    mut tournament: Tournament,
    stopped: &AtomicBool,
) -> anyhow::Result<(Files, Tournament)> {
    let names: Vec<String> = settings.names().into_iter().map(str::to_owned).collect();
    let all = prepared.pairs().count() as u64;
    let before = tournament.counted();
    let is_missing = |pair: &u64| !before[*pair as usize];
    let left = prepared.pairs().filter(is_missing).count() as u64;
    if left < all {
        tell(format_args!("there already: {} of {all} pairs of games", all - left));
    }
    let clock = SystemClock::default();
    let logs =
        settings.agents.iter().any(|agent| agent.command().is_some()).then(|| files.folder().join(LOGS));
    let means = Means { clock: &clock, stop: stopped, logs: logs.as_deref() };
    let hero = match &settings.format {
        Format::Gauntlet(heroes) => heroes.first().copied(),
        _ => None,
    };
    let mut running = Running::new(names.clone(), hero);
    let progress = Progress::new("tournament", "games", 2 * left);
    let rows = files.rows().clone();
    let (mut told, mut synced) = (Instant::now(), Instant::now());
    let mut played = 0;
    let conduct = prepared.run_each(
        &means,
        prepared.pairs().filter(is_missing),
        |mut pairs| {
            let lines = rows.pairs(&pairs);
            // What is written down is let go of where it was made.
            pairs.iter_mut().flatten().for_each(|game| game.course.moves = Vec::new());
            (lines, pairs)
        },
        |(lines, pairs)| -> anyhow::Result<()> {
            files.add(&lines)?;
            for pair in &pairs {
                tournament.add(pair);
                running.add(Outcome::of(pair));
            }
            played += pairs.len() as u64;
            let now = Instant::now();
            if now - told > Duration::from_millis(100) {
                told = now;
                progress.note(running.told());
            }
            if now - synced > Duration::from_secs(1) {
                synced = now;
                files.sync()?;
            }
            progress.advance(2 * pairs.len() as u64);
            Ok(())
        },
    )?;
    progress.finish();
    tell_conduct(settings, &names, &conduct);
    if played < left {
        files.sync()?;
        return Err(anyhow!(
            "stopped: {} of {all} pairs of games are there; to go on: {}",
            all - left + played,
            stop::command_line("giuthi eval", Some("--resume"))
        ));
    }
    Ok((files, tournament))
}

/// How external programs behaved beside their games, and how much of the margin their answers' way took.
pub(super) fn tell_conduct(settings: &Settings, names: &[String], conduct: &[Conduct]) {
    for ((conduct, name), agent) in conduct.iter().zip(names).zip(&settings.agents) {
        if agent.command().is_none() {
            continue;
        }
        if settings.timing.control.is_some_and(TimeControl::is_timed) {
            let margin = settings.timing.margin;
            let more =
                if conduct.slowest > margin { ": too little for this machine and its load" } else { "" };
            tell(format_args!(
                "{name}: the longest way there and back took {:.1} ms; margin {} ms{more}",
                1e3 * conduct.slowest.as_secs_f64(),
                margin.as_millis()
            ));
        }
        if conduct.stubborn > 0 {
            tell(format_args!(
                "warning: {name} did not end when asked to, and was killed, {} times",
                conduct.stubborn
            ));
        }
    }
}

/// Settings that do not fit, with the flag that gave them.
pub(super) fn in_usage(error: SettingsError) -> Usage {
    let flag = match error {
        SettingsError::Agents(_) | SettingsError::SameName(_) => "--agent",
        SettingsError::AllHeroes(_) => "--hero",
        SettingsError::Games(_) | SettingsError::FewOpenings { .. } => "--games",
        SettingsError::Jobs => "--jobs",
    };
    Usage(format!("{flag}: {error}"))
}

/// Says that nobody knows whether agents' files are those that a folder's tournament was begun with.
pub(super) fn warn_of_files(out: &Path) {
    if is_silent_on_files(out) {
        tell(format_args!(
            "warning: {} does not say what the files of the agents held, as those of earlier versions do not: whether they are the same is not looked at",
            out.join(SETTINGS).display()
        ));
    }
}

/// What makes a tournament say less than it seems to.
pub(super) fn warn(settings: &Settings, prepared: &Prepared<'_>, processors: usize) {
    let busy = settings.jobs * settings.processes();
    if settings.clocked() && busy > processors {
        tell(format_args!(
            "warning: {} jobs keep {busy} processes busy on {processors} processors: agents with a time limit get less than their time",
            settings.jobs
        ));
    }
    let schedule = prepared.schedule();
    match schedule.left_out() {
        0 => {}
        1 => tell("1 opening is left out: it is decided"),
        more => tell(format_args!("{more} openings are left out: they are decided")),
    }
    let (different, rounds) = (schedule.different_openings(), schedule.rounds() as usize);
    if different < rounds {
        let more = match settings.openings {
            Openings::Random(_) => "; more --opening-plies give more",
            Openings::Listed(_) => "",
        };
        tell(format_args!(
            "warning: only {different} of the {rounds} openings differ: agents without randomness repeat their games, and the intervals are too narrow{more}"
        ));
    }
}
