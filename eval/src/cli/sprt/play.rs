//! The games of a test, played until it is decided.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use giuthi_engine::cli::{MAX_THREADS, Progress, SystemClock, seed_or_drawn, stop, tell, whole_number};
use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::{AgentSpec, Variant, files};
use serde_json::{Value, json};

use crate::about::About;
use crate::cli::openings::{OpeningFlags, Waiting, prepared};
use crate::cli::tournament::{LOGS, in_usage, tell_conduct, warn, warn_of_files};
use crate::folder::Folder;
use crate::journal::{Files, GAMES, PARTIAL, Resumed, SETTINGS, started_seed};
use crate::output::Standings;
use crate::settings::{MAX_GAMES, Settings};
use crate::sprt::{Ended, FILE as SPRT, Report, Trial, Verdict};
use crate::timing::{TimeControl, Timing};
use crate::tournament::{Means, Prepared, Tournament};

/// Most games where nothing is said.
const GAMES_AT_MOST: u32 = 20_000;

/// What is played.
#[derive(Args)]
pub(super) struct Games {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Most games; an even number, as each opening is played from both seats [default: 20000; with --openings, two of each
    /// opening]
    #[arg(long, value_name = "MAX", value_parser = whole_number(2..=MAX_GAMES.into()), allow_negative_numbers = true)]
    games: Option<u64>,
    /// What both agents have to keep to instead of limits of their own: seconds a game and seconds gained by a move
    /// (10+0.1), movetime=MS, nodes=N or depth=D
    #[arg(long, value_name = "TC", allow_hyphen_values = true)]
    tc: Option<TimeControl>,
    /// Games played at a time; as many as there are cores when not given, or half as many where two external programs
    /// meet. The games do not depend on it, but for agents with a time limit
    #[arg(long, alias = "threads", value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    jobs: Option<u64>,
    /// Seed of all randomness; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Folder for the games, as of a tournament, and sprt.json with what the test has come to
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the test of DIR, or begin it where there is none
    #[arg(long, requires = "out")]
    resume: bool,
}

impl Games {
    /// Plays until the test is decided, or stopped, or all games are played.
    pub(super) fn play(
        &self,
        agents: Vec<AgentSpec>,
        openings: &OpeningFlags,
        mut trial: Trial,
    ) -> anyhow::Result<Report> {
        let processors = available_parallelism().map_or(1, usize::from);
        let mut settings = self.settings(agents, openings, processors)?;
        let names = [0, 1].map(|agent| settings.agents[agent].label().to_owned());
        let folder = self.out.as_deref().map(Folder::lock).transpose()?;
        if let Some(out) = &self.out {
            if self.resume { warn_of_files(out) } else { Files::is_free(out)? }
        }
        let mut waiting = Waiting::new()?;
        openings.list(&mut settings, self.games, &mut waiting)?;
        let settings = settings;
        let prepared = prepared(&settings, &mut waiting)?;
        let report = |trial: &Trial, ended| Report::new(trial, names.clone(), ended);
        let mut tournament = Tournament::new(&settings, prepared.schedule());
        let mut files = None;
        if let (Some(out), Some(folder)) = (&self.out, folder) {
            let path = out.join(SPRT);
            let begun = report(&trial, Ended::User);
            let there = self.resume && path.try_exists().with_context(|| path.display().to_string())?;
            if there && was_decided(out, &begun, &settings)? {
                tell("everything is there already");
                let games =
                    [GAMES, PARTIAL].map(|name| out.join(name)).into_iter().find(|path| path.exists());
                return super::of_file(&games.unwrap_or_else(|| out.join(GAMES)), &names, trial);
            }
            let resumed = match self.resume {
                true => Files::resume(folder, &settings, prepared.schedule())?,
                false => Resumed::Unfinished(Box::new(Files::create(folder, &settings)?), tournament),
            };
            match resumed {
                Resumed::Unfinished(there, so_far) => {
                    write(&path, &begun)?;
                    (files, tournament) = (Some(*there), so_far);
                }
                Resumed::Finished(all) => tournament = all,
            }
        }
        warn(&settings, &prepared, processors);
        let whole = Course { settings: &settings, prepared: &prepared, out: self.out.as_deref() }.run(
            &mut trial,
            &mut tournament,
            files.as_mut(),
            &waiting.stopped,
        )?;
        let ended = match (trial.verdict(), whole) {
            (Verdict::H0 | Verdict::H1, _) => Ended::Bound,
            (Verdict::Undecided, true) => Ended::Games,
            (Verdict::Undecided, false) => Ended::User,
        };
        let report = report(&trial, ended);
        if let (Some(out), Some(files)) = (&self.out, files) {
            write(&out.join(SPRT), &report)?;
            match ended {
                Ended::User => {
                    tell(format_args!("to go on: {}", stop::command_line("giuthi eval", Some("--resume"))))
                }
                _ => files.finish(&Standings::new(&settings, &tournament))?,
            }
        }
        Ok(report)
    }

    fn settings(
        &self,
        agents: Vec<AgentSpec>,
        openings: &OpeningFlags,
        processors: usize,
    ) -> anyhow::Result<Settings> {
        let mut settings = Settings {
            variant: self.variant,
            agents,
            games: self.games.map_or(GAMES_AT_MOST, |games| games as u32),
            timing: Timing { control: self.tc, ..Timing::default() },
            ..Settings::default()
        };
        openings.begin(&mut settings, OpeningPlies::new(6, 6).expect("the right way round"), None);
        // Before a seed is drawn, so that a usage error is the only line.
        settings.check().map_err(in_usage)?;
        settings.jobs = self.jobs.map_or((processors / settings.processes()).max(1), |jobs| jobs as usize);
        let begun = self.out.as_ref().filter(|_| self.resume).and_then(|out| started_seed(out));
        settings.seed = match (self.seed, begun) {
            (None, Some(seed)) => seed,
            (asked, _) => seed_or_drawn(asked),
        };
        Ok(settings)
    }
}

/// What the games are played with.
struct Course<'a> {
    settings: &'a Settings,
    prepared: &'a Prepared<'a>,
    out: Option<&'a Path>,
}

impl Course<'_> {
    /// Plays the pairs that are missing, and counts all in the order of the schedule until a bound is reached. Whether
    /// all of them were played.
    fn run(
        &self,
        trial: &mut Trial,
        tournament: &mut Tournament,
        mut files: Option<&mut Files>,
        stopped: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let Course { settings, prepared, out } = self;
        let all = prepared.schedule().pairs();
        let mut next = 0;
        // Never in the order in which games end: the quick ones may be of another kind than the others.
        let mut count = |trial: &mut Trial, tournament: &Tournament| {
            while let Some(pair) = tournament.pair(next) {
                next += 1;
                if trial.add(pair) != Verdict::Undecided {
                    return true;
                }
            }
            next == all
        };
        if count(trial, tournament) {
            return Ok(true);
        }
        let missing: Vec<u64> = (0..all).filter(|&pair| !tournament.has(pair)).collect();
        if (missing.len() as u64) < all {
            tell(format_args!("there already: {} pairs of games", all - missing.len() as u64));
        }
        let clock = SystemClock::default();
        let logs = out.filter(|_| settings.agents.iter().any(|agent| agent.command().is_some()));
        let logs = logs.map(|out| out.join(LOGS));
        let means = Means { clock: &clock, stop: stopped, logs: logs.as_deref() };
        let progress = Progress::new("sprt", "games", 2 * missing.len() as u64);
        let rows = files.as_ref().map(|files| files.rows().clone());
        let (mut told, mut ended) = (Instant::now(), false);
        let conduct = prepared.run_each(
            &means,
            missing.into_iter(),
            |pairs| (rows.as_ref().map(|rows| rows.pairs(&pairs)), pairs),
            |(lines, pairs)| -> anyhow::Result<()> {
                if let (Some(files), Some(lines)) = (&mut files, lines) {
                    files.add(&lines)?;
                }
                pairs.iter().for_each(|pair| tournament.add(pair));
                if !ended && count(trial, tournament) {
                    ended = true;
                    // The games in hand are finished, and kept, but do not count any more.
                    stopped.store(true, Ordering::Relaxed);
                }
                let now = Instant::now();
                if now - told > Duration::from_millis(100) {
                    told = now;
                    progress.note(trial.told());
                }
                progress.advance(2 * pairs.len() as u64);
                Ok(())
            },
        )?;
        progress.note(trial.told());
        progress.finish();
        let names: Vec<String> = settings.names().into_iter().map(str::to_owned).collect();
        tell_conduct(settings, &names, &conduct);
        if let Some(files) = files {
            files.sync()?;
        }
        Ok(ended)
    }
}

fn write(path: &Path, report: &Report) -> anyhow::Result<()> {
    files::write_whole(path, |out| out.write_all(report.json_line().as_bytes()))
        .with_context(|| path.display().to_string())
}

/// The settings of a test in its file.
const KEPT: [&str; 7] = ["agents", "elo0", "elo1", "alpha", "beta", "model", "results"];

/// Whether the test that a folder holds has been decided.
///
/// # Errors
/// When it is another test than the one asked for, or cannot be read.
fn was_decided(out: &Path, asked: &Report, settings: &Settings) -> anyhow::Result<bool> {
    let read = |name: &str| -> anyhow::Result<Value> {
        let path = out.join(name);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    };
    let (there, here) = (read(SPRT)?, serde_json::to_value(asked)?);
    let differences = KEPT.iter().filter(|key| there.get(**key) != here.get(**key)).map(|key| {
        let value = |of: &Value| of.get(*key).map_or("not given".to_owned(), Value::to_string);
        format!("{key} is {} there and {} here", value(&there), value(&here))
    });
    let mut differences: Vec<String> = differences.collect();
    let decided = [Verdict::H0, Verdict::H1].iter().any(|verdict| there["verdict"] == json!(verdict));
    if decided {
        let about: About = serde_json::from_value(read(SETTINGS)?)
            .with_context(|| out.join(SETTINGS).display().to_string())?;
        differences.extend(about.differences(&About::new(settings)?));
    }
    if !differences.is_empty() {
        bail!(
            "{}: another test, which these settings cannot go on with: {}",
            out.join(SPRT).display(),
            differences.join("; ")
        );
    }
    Ok(decided)
}
