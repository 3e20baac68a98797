//! The text that names an agent: `[LABEL@]NAME[:key=value,…]`.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::{AGENTS, Factory, LoadError, Recipe, alpha_beta, external};
use crate::notation::excerpt;

/// One key of an agent's spec.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it sets, with the values possible.
    pub summary: &'static str,
}

/// Why a text names no agent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No agent of that name.
    #[error("`{0}` is no agent: there are {names}", names = agent_names())]
    Unknown(String),
    /// The agent takes no such key.
    #[error("agent `{agent}` has no key `{key}`: {accepted}")]
    Key {
        /// The agent's name.
        agent: &'static str,
        /// The key found.
        key: String,
        /// The keys it takes, in words.
        accepted: String,
    },
    /// A key without `=` and value.
    #[error("agent `{agent}`: `{text}` is not key=value")]
    NoValue {
        /// The agent's name.
        agent: &'static str,
        /// The text found.
        text: String,
    },
    /// A key is given twice.
    #[error("agent `{agent}`: key `{key}` is given twice")]
    Twice {
        /// The agent's name.
        agent: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A value the key does not allow.
    #[error("agent `{agent}`: `{key}={value}`: {wanted}")]
    Value {
        /// The agent's name.
        agent: &'static str,
        /// The key.
        key: &'static str,
        /// The value found.
        value: String,
        /// What is possible.
        wanted: String,
    },
    /// Something the agent cannot do without is missing.
    #[error("agent `{agent}` needs {what}")]
    Missing {
        /// The agent's name.
        agent: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// A command line whose quotes do not match.
    #[error(
        "`{0}` is no command line: a quote is opened and not closed, or nothing follows the last backslash"
    )]
    Quotes(String),
    /// The label before the `@` is empty, begins or ends with a space, or holds a comma, quotes or control characters.
    #[error(
        "`{0}` is not a label: before the `@` stands a name without commas, quotes, control characters or spaces at its ends"
    )]
    Label(String),
}

fn agent_names() -> String {
    AGENTS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

/// The keys whose values are paths, whatever agent takes them.
const PATHS: [&str; 2] = ["net", "tb"];

/// The parsed spec of an agent.
#[derive(Clone)]
pub struct AgentSpec {
    label: Option<String>,
    text: String,
    recipe: Recipe,
}

impl AgentSpec {
    /// The agent's name in tables: its label, or the spec itself where it has none.
    #[must_use]
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.text)
    }

    /// The spec without its label.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the agent's choices depend on time, so that its games cannot be repeated exactly.
    #[must_use]
    pub const fn clocked(&self) -> bool {
        self.recipe.clocked
    }

    /// The words of the command line of an external program (`cmd:…`), the program first; `None` for agents of ours.
    #[must_use]
    pub fn command(&self) -> Option<Vec<OsString>> {
        let line = self.text.strip_prefix(external::KIND.name)?.strip_prefix(':')?;
        let words = external::words(line).expect("checked when the spec was read");
        Some(words.into_iter().map(OsString::from).collect())
    }

    /// The files and folders that the spec names: weights, endgame tables.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        match self.text.split_once(':') {
            Some((name, path)) if name == alpha_beta::NET.name => vec![PathBuf::from(path)],
            Some((name, _)) if name == external::KIND.name => Vec::new(),
            Some((_, options)) => {
                let pairs = options.split(',').filter_map(|part| part.split_once('='));
                pairs.filter(|(key, _)| PATHS.contains(key)).map(|(_, path)| PathBuf::from(path)).collect()
            }
            None => Vec::new(),
        }
    }

    /// Loads what the agent needs (weights) for boards with rows of `width` pits. The factory makes as many agents
    /// of it as there are games. An external program is none of them: see [`AgentSpec::command`].
    pub fn load(&self, width: usize) -> Result<Factory, LoadError> {
        (self.recipe.load)(width)
    }
}

impl fmt::Debug for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentSpec({self})")
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.label {
            write!(f, "{label}@")?;
        }
        f.write_str(&self.text)
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AgentSpec, SpecError> {
        // A label ends before the name does, so an `@` in a path or command line is part of it.
        let head = text.split(':').next().unwrap_or_default();
        let (label, spec) = match head.find('@') {
            Some(at) => (Some(&text[..at]), &text[at + 1..]),
            None => (None, text),
        };
        if let Some(label) = label {
            let good = |c: char| !c.is_control() && !",\"'".contains(c);
            if label.trim() != label || label.is_empty() || !label.chars().all(good) {
                return Err(SpecError::Label(excerpt(label)));
            }
        }
        let (name, options) = match spec.split_once(':') {
            Some((name, options)) => (name, options),
            None => (spec, ""),
        };
        let kind =
            AGENTS.iter().find(|kind| kind.name == name).ok_or_else(|| SpecError::Unknown(excerpt(name)))?;
        let recipe = (kind.parse)(options)?;
        Ok(AgentSpec { label: label.map(str::to_owned), text: spec.to_owned(), recipe })
    }
}

/// The `key=value` pairs of a spec, checked against the agent's keys.
#[derive(Debug)]
pub struct Options {
    agent: &'static str,
    keys: &'static [Key],
    values: Vec<(&'static str, String)>,
}

impl Options {
    /// Splits `key=value,key=value`. An unknown key, a key without value and a key given twice are errors.
    pub fn parse(agent: &'static str, keys: &'static [Key], text: &str) -> Result<Options, SpecError> {
        let mut values: Vec<(&'static str, String)> = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let Some(known) = keys.iter().find(|known| known.name == key) else {
                let accepted = if keys.is_empty() {
                    "it takes none".to_owned()
                } else {
                    let names: Vec<_> = keys.iter().map(|key| key.name).collect();
                    format!("it takes {}", names.join(", "))
                };
                return Err(SpecError::Key { agent, key: excerpt(key), accepted });
            };
            if value.is_empty() {
                return Err(SpecError::NoValue { agent, text: excerpt(part) });
            }
            if values.iter().any(|(name, _)| *name == known.name) {
                return Err(SpecError::Twice { agent, key: known.name });
            }
            values.push((known.name, value.to_owned()));
        }
        Ok(Options { agent, keys, values })
    }

    /// A key that the agent's table lacks could never be given, whatever its help says.
    fn take(&mut self, key: &str) -> Option<(&'static str, String)> {
        debug_assert!(self.keys.iter().any(|known| known.name == key), "`{key}` is no key of the agent");
        let at = self.values.iter().position(|(name, _)| *name == key)?;
        Some(self.values.remove(at))
    }

    /// A whole number from `least` to `most`, if the key is given.
    pub fn number(&mut self, key: &str, least: u64, most: u64) -> Result<Option<u64>, SpecError> {
        let Some((key, value)) = self.take(key) else { return Ok(None) };
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        match value.parse::<u64>() {
            Ok(number) if digits && (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(SpecError::Value {
                agent: self.agent,
                key,
                value: excerpt(&value),
                wanted: format!("a whole number from {least} to {most} is possible"),
            }),
        }
    }

    /// A number from `least` to `most`, written in decimal, if the key is given.
    pub fn decimal(&mut self, key: &str, least: f64, most: f64) -> Result<Option<f64>, SpecError> {
        let Some((key, value)) = self.take(key) else { return Ok(None) };
        let plain = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match value.parse::<f64>() {
            Ok(number) if plain && (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(SpecError::Value {
                agent: self.agent,
                key,
                value: excerpt(&value),
                wanted: format!("a number from {least} to {most} is possible"),
            }),
        }
    }

    /// A path, if the key is given.
    pub fn path(&mut self, key: &str) -> Option<PathBuf> {
        debug_assert!(PATHS.contains(&key), "`{key}` is not among the keys that hold paths");
        self.take(key).map(|(_, value)| PathBuf::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_whatever_the_agent() {
        for (spec, paths) in [
            ("random", &[][..]),
            ("ab:depth=3", &[]),
            ("a@ab:depth=3,net=a/b.safetensors", &["a/b.safetensors"]),
            ("mcts:net=x,sims=3", &["x"]),
            ("net:a=b.safetensors", &["a=b.safetensors"]),
            ("cmd:bot net=x", &[]),
        ] {
            let spec: AgentSpec = spec.parse().unwrap();
            assert_eq!(spec.paths(), paths.iter().map(PathBuf::from).collect::<Vec<_>>(), "{spec}");
        }
    }
}
