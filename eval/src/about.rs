//! `tournament.json`: what was played, so that it can be played again, gone on with or put together from shards.

use giuthi_engine::{AgentSpec, Variant};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::NamedFile;
use crate::journal::OutputError;
use crate::openings::Openings;
use crate::schedule::Format;
use crate::settings::Settings;
use giuthi_engine::Shard;

/// What a tournament is, as its file says it. The order of the fields is that of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The program that played it, with its version.
    pub program: String,
    /// The variant.
    pub variant: String,
    /// `round-robin`, `gauntlet` or `ladder`.
    pub format: String,
    /// The heroes of a gauntlet.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub heroes: Vec<String>,
    /// Games of every two agents that meet.
    pub games: u32,
    /// Random plies of an opening, where they are random.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening_plies: Option<String>,
    /// Where openings come from, where they are listed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub openings: Option<String>,
    /// Which openings are left out as decided: a value's bound and the positions searched; `off` where none is.
    pub decided: String,
    /// The time control; none where agents keep to their own limits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tc: Option<String>,
    /// By how many milliseconds an answer may come too late, where there is a clock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub margin: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// The shard, `0/1` for the whole.
    pub shard: String,
    /// Who plays.
    pub agents: Vec<AboutAgent>,
    /// What the files hold that the agents' specs name. `None` where no spec names any, or the file is of a program that
    /// did not look.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<Vec<NamedFile>>,
}

/// An agent in `tournament.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AboutAgent {
    /// Its name in tables.
    pub name: String,
    /// Its spec, without the name.
    pub spec: String,
}

/// This program, with its version.
pub(crate) fn program() -> String {
    concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()
}

impl About {
    /// What is said of a tournament with these settings.
    ///
    /// # Errors
    /// For a file named by an agent's spec that cannot be read.
    pub fn new(settings: &Settings) -> Result<About, OutputError> {
        let names = settings.names();
        let agent =
            |agent: &AgentSpec| AboutAgent { name: agent.label().to_owned(), spec: agent.text().to_owned() };
        let (opening_plies, openings) = match &settings.openings {
            Openings::Random(plies) => (Some(plies.to_string()), None),
            Openings::Listed(list) => (None, Some(list.to_string())),
        };
        let control = settings.timing.control;
        let files = NamedFile::all(&settings.agents)?;
        Ok(About {
            program: program(),
            variant: settings.variant.to_string(),
            format: settings.format.name().to_owned(),
            heroes: match &settings.format {
                Format::Gauntlet(heroes) => heroes.iter().map(|&hero| names[hero].to_owned()).collect(),
                _ => Vec::new(),
            },
            games: settings.games,
            opening_plies,
            openings,
            decided: match settings.decided {
                Some(decided) => format!("{} by {} nodes", decided.bound, decided.nodes),
                None => "off".to_owned(),
            },
            tc: control.map(|control| control.to_string()),
            margin: control
                .filter(|control| control.is_timed())
                .map(|_| settings.timing.margin.as_millis() as u64),
            seed: settings.seed,
            shard: settings.shard.to_string(),
            agents: settings.agents.iter().map(agent).collect(),
            files: Some(files).filter(|files| !files.is_empty()),
        })
    }

    /// What differs in another one, as `KEY is THIS there and THAT here`; nothing where they are the same.
    #[must_use]
    pub fn differences(&self, other: &About) -> Vec<String> {
        let object = |about: &About| match serde_json::to_value(about) {
            Ok(Value::Object(object)) => object,
            _ => unreachable!("a struct of strings and numbers is a JSON object"),
        };
        let (there, here) = (object(self), object(other));
        let keys = there.keys().chain(here.keys().filter(|key| !there.contains_key(*key)));
        let text = |value: Option<&Value>| match value {
            None => "not given".to_owned(),
            Some(Value::Array(agents)) => {
                let text = |value: &Value| match value {
                    Value::Object(agent) => {
                        let part = |key: &str| agent.get(key).and_then(Value::as_str).unwrap_or_default();
                        format!("{}@{}", part("name"), part("spec"))
                    }
                    value => value.to_string(),
                };
                agents.iter().map(text).collect::<Vec<_>>().join(" ")
            }
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let files = [self, other].map(|about| about.files.as_deref().unwrap_or_default());
        keys.filter(|key| *key != "files" && there.get(*key) != here.get(*key))
            .map(|key| format!("{key} is {} there and {} here", text(there.get(key)), text(here.get(key))))
            .chain(NamedFile::differences(files[0], files[1]))
            .collect()
    }

    /// Whether agents' specs name files, any of which nothing is said of, so that nobody can tell whether they are the
    /// same.
    #[must_use]
    pub fn is_silent_on_files(&self) -> bool {
        let specs = self.agents.iter().filter_map(|agent| agent.spec.parse::<AgentSpec>().ok());
        specs
            .flat_map(|spec| spec.paths())
            .any(|path| !self.files.iter().flatten().any(|file| file.is_of(&path)))
    }

    /// Takes over what another one of the same tournament says of files that nothing is said of here.
    pub(crate) fn learn_files(&mut self, other: &About) {
        for file in other.files.iter().flatten() {
            let known = self.files.get_or_insert_default();
            if !known.iter().any(|one| one.path == file.path) {
                known.push(file.clone());
            }
        }
    }

    /// The names of the agents, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.agents.iter().map(|agent| agent.name.clone()).collect()
    }

    /// The variant, who meets whom, how many games of each, and which shard this is; `None` where the file says what no
    /// tournament is.
    #[must_use]
    pub fn read(&self) -> Option<(Variant, Vec<[usize; 2]>, Shard)> {
        let names = self.names();
        let number = |hero: &String| names.iter().position(|name| name == hero);
        let format = match self.format.as_str() {
            "round-robin" => Format::RoundRobin,
            "gauntlet" => Format::Gauntlet(self.heroes.iter().map(number).collect::<Option<_>>()?),
            "ladder" => Format::Ladder,
            _ => return None,
        };
        let pairings = format.pairings(names.len());
        let good = self.games.is_multiple_of(2) && self.games > 0 && !pairings.is_empty();
        Some((self.variant.parse().ok()?, pairings, self.shard.parse().ok()?)).filter(|_| good)
    }
}
