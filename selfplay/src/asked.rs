//! What a manifest says that a run was asked for, as settings again; or everything that no run can have been asked for.

use std::num::NonZeroU64;

use giuthi_engine::endgame::tablebase::MOST_SEEDS;
use giuthi_engine::{AgentSpec, Game};

use crate::format::{Compression, Format};
use crate::generate::gives_values;
use crate::manifest::{Run, is_sha256, program, weights_file};
use crate::settings::{MOST_PARTS, Settings, Temperature};

/// A key of a manifest, and what is wrong with what it holds.
pub(crate) type Unasked = (&'static str, String);

impl Run {
    /// The settings that the run was asked for, but for the folder of tables, which is not told.
    ///
    /// # Errors
    /// Each key whose value no run can have been asked for, with the reason.
    pub(crate) fn settings(&self) -> Result<Settings, Vec<Unasked>> {
        let mut faults: Vec<Unasked> = Vec::new();
        let mut fault = |key, what: String| faults.push((key, format!("`{key}`: {what}")));
        if !self.program.strip_prefix(env!("CARGO_PKG_NAME")).is_some_and(|rest| rest.starts_with(' ')) {
            fault("program", format!("`{}` is not a version of this program", self.program.escape_debug()));
        }
        if Game::new(self.variant).ending().is_some() {
            fault("variant", format!("{} is over before the first move", self.variant));
        }
        let agent: Option<AgentSpec> = match self.agent.parse::<AgentSpec>() {
            Err(error) => {
                fault("agent", error.to_string());
                None
            }
            Ok(agent) if agent.text() != self.agent => {
                fault("agent", format!("`{}` has a label, which is not written", self.agent.escape_debug()));
                None
            }
            Ok(agent) if agent.command().is_some() => {
                fault("agent", "an external program (cmd:) makes no dataset".to_owned());
                None
            }
            Ok(agent) => Some(agent),
        };
        let file = agent.as_ref().and_then(weights_file);
        match (&self.weights, &agent, file) {
            (Some(sum), _, _) if !is_sha256(sum) => {
                fault("weights", "a SHA-256 is 64 hexadecimal digits".to_owned());
            }
            (Some(_), Some(_), None) => fault("weights", "the agent has no weights file".to_owned()),
            (None, Some(_), Some(_)) => fault("weights", "null, but the agent has a weights file".to_owned()),
            _ => {}
        }
        let temperature = match (self.temperature, self.temperature_plies) {
            (None, None) => None,
            (Some(start), Some(plies)) => match Temperature::new(start, plies) {
                Ok(temperature) => Some(temperature),
                Err(error) => {
                    fault("temperature", format!("{start}: {error}"));
                    None
                }
            },
            _ => {
                let what = "it and `temperature_plies` are both null or neither";
                fault("temperature", what.to_owned());
                None
            }
        };
        // An agent whose weights or tables are not here is not asked.
        if let (Some(_), Some(Ok(factory))) =
            (temperature, agent.as_ref().map(|agent| agent.load(self.variant.width())))
            && Game::new(self.variant).ending().is_none()
            && !gives_values(&factory, &Game::new(self.variant))
        {
            fault("temperature", "this agent gives moves no values to choose by".to_owned());
        }
        if let Some(tables) = &self.tables {
            if !is_sha256(&tables.sha256) {
                fault("tables", "a SHA-256 is 64 hexadecimal digits".to_owned());
            }
            if tables.seeds > MOST_SEEDS {
                fault("tables", format!("of {} seeds: at most {MOST_SEEDS} are possible", tables.seeds));
            }
        }
        let counts = [("dataset_games", self.dataset_games), ("part_games", self.part_games)];
        let [games, part_games] = counts.map(|(key, count)| {
            let count = NonZeroU64::new(count);
            if count.is_none() {
                fault(key, "at least 1 is possible".to_owned());
            }
            count
        });
        if let (Some(games), Some(part_games)) = (games, part_games)
            && games.get().div_ceil(part_games.get()) > MOST_PARTS
        {
            let parts = games.get().div_ceil(part_games.get());
            fault("part_games", format!("{parts} parts are too many: {MOST_PARTS} are possible"));
        }
        let format = match (self.compression, self.level) {
            (None, None) => Format::Plain,
            (Some(Compression::Zstd), Some(level)) => Format::Zstd(level),
            (None, Some(_)) => {
                fault("level", "given, but nothing is compressed".to_owned());
                Format::Plain
            }
            (Some(Compression::Zstd), None) => {
                fault("level", "null, but the parts are compressed".to_owned());
                Format::Zstd(Default::default())
            }
        };
        match (agent, games, part_games) {
            (Some(agent), Some(games), Some(part_games)) if faults.is_empty() => Ok(Settings {
                variant: self.variant,
                agent,
                games,
                opening: self.opening_plies,
                distinct_openings: self.distinct_openings,
                epsilon: self.epsilon,
                temperature,
                tables: None,
                part_games,
                format,
                shard: self.shard,
                seed: self.seed,
            }),
            _ => Err(faults),
        }
    }

    /// Whether this very version of the program made it, so that the same settings give the same games.
    pub(crate) fn is_of_this_version(&self) -> bool {
        self.program == program()
    }
}
