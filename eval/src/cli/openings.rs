//! The flags that say what games start from, and openings looked at while somebody waits.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use giuthi_engine::cli::{Progress, Usage, stop, whole_number};
use giuthi_engine::opening::OpeningPlies;

use super::tournament::in_usage;
use crate::openings::{Decided, Listing, Openings, OpeningsError};
use crate::settings::Settings;
use crate::tournament::{Error, Prepared};

/// What games start from.
#[derive(Args)]
pub(super) struct OpeningFlags {
    /// Random plies at the start of a game: a number, or a range A..B to draw it from, both ends included [default: 4;
    /// in a sequential test 6]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, conflicts_with = "openings")]
    opening_plies: Option<OpeningPlies>,
    /// Openings from a file (one a line, its moves; or a CSV with a column `opening`), or all:K, every position after K
    /// plies
    #[arg(long, value_name = "FILE|all:K")]
    openings: Option<Source>,
    /// Leave out openings that a search by material values beyond V, 0 to 1, for either side, or proves won; 1 leaves
    /// out what is proven alone, off nothing [default: 1; in a sequential test off]
    #[arg(long, value_name = "V|off", allow_negative_numbers = true)]
    decided: Option<Bound>,
    /// Positions that this search visits
    #[arg(long, value_name = "N", default_value_t = Decided::default().nodes, value_parser = whole_number(1..=1_000_000_000), allow_negative_numbers = true)]
    decided_nodes: u64,
}

/// Where listed openings come from.
#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    All(u32),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        match text.strip_prefix("all:") {
            None => Ok(Source::File(PathBuf::from(text))),
            Some(plies) => match whole_number(0..=20)(plies) {
                Ok(plies) => Ok(Source::All(plies as u32)),
                Err(error) => Err(format!("after all: {error}, the plies")),
            },
        }
    }
}

/// `--decided`: a bound, or none.
#[derive(Clone, Copy, Debug)]
struct Bound(Option<f32>);

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Bound, String> {
        if text == "off" {
            return Ok(Bound(None));
        }
        let number = text.parse().ok().filter(|bound| (0.0..=1.0).contains(bound));
        number
            .map(|bound| Bound(Some(bound)))
            .ok_or_else(|| "a number from 0 to 1, or off, is possible".to_owned())
    }
}

impl OpeningFlags {
    /// What is known of them before a seed is drawn: random plies, and what is left out as decided; `plies` and `decided`
    /// where nothing is said.
    pub(super) fn begin(&self, settings: &mut Settings, plies: OpeningPlies, decided: Option<f32>) {
        settings.openings = Openings::Random(self.opening_plies.unwrap_or(plies));
        let bound = self.decided.map_or(decided, |Bound(bound)| bound);
        settings.decided = bound.map(|bound| Decided { bound, nodes: self.decided_nodes });
    }

    /// Reads or makes the list, where openings are listed; without `games` each of them is played.
    pub(super) fn list(
        &self,
        settings: &mut Settings,
        games: Option<u64>,
        waiting: &mut Waiting,
    ) -> anyhow::Result<()> {
        let Some(source) = &self.openings else { return Ok(()) };
        let watch = &mut |done, all| waiting.look(done, all);
        let list = match source {
            Source::File(path) => Listing::read(path, settings.variant, settings.decided, watch),
            Source::All(plies) => {
                Listing::all(settings.variant, *plies, settings.decided, settings.seed, watch)
            }
        };
        waiting.end();
        let list = list.map_err(|error| match error {
            error @ (OpeningsError::Read { .. }
            | OpeningsError::Line { .. }
            | OpeningsError::Empty(_)
            | OpeningsError::Stopped) => anyhow!(error),
            error => Usage(format!("--openings: {error}")).into(),
        })?;
        if games.is_none() {
            settings.games = u32::try_from(2 * list.chosen().openings.len())?;
        }
        settings.openings = Openings::Listed(list);
        settings.check().map_err(in_usage)?;
        Ok(())
    }
}

/// Draws the openings and loads what the agents need.
pub(super) fn prepared<'a>(settings: &'a Settings, waiting: &mut Waiting) -> anyhow::Result<Prepared<'a>> {
    let prepared = settings.prepare_watched(&mut |done, all| waiting.look(done, all));
    waiting.end();
    prepared.map_err(|error| match error {
        Error::Openings(OpeningsError::Drawn(error)) => Usage(format!("{}: {error}", error.flag())).into(),
        Error::Openings(error @ OpeningsError::AllDecided) => {
            Usage(format!("--opening-plies: {error}")).into()
        }
        error => anyhow::Error::new(error),
    })
}

/// Time after which it is told how far the openings are.
const SILENT: Duration = Duration::from_secs(1);

/// Somebody who waits for openings, and may have had enough.
pub(super) struct Waiting {
    /// Set by Ctrl-C and SIGTERM, from the beginning to the end of the program.
    pub(super) stopped: Arc<AtomicBool>,
    begun: Instant,
    progress: Option<Progress>,
}

impl Waiting {
    /// From now on Ctrl-C and SIGTERM are heard.
    pub(super) fn new() -> anyhow::Result<Waiting> {
        let stopped = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stopped);
        stop::on_signals("the games in hand", move || asked.swap(true, Ordering::Relaxed))?;
        Ok(Waiting { stopped, begun: Instant::now(), progress: None })
    }

    fn look(&mut self, done: u64, all: u64) -> bool {
        if self.progress.is_some() || self.begun.elapsed() > SILENT {
            let progress = self.progress.get_or_insert_with(|| Progress::new("openings", "openings", all));
            progress.advance(done.saturating_sub(progress.done()));
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    fn end(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        self.begun = Instant::now();
    }
}
