//! Presets: values for several flags under one name.

use std::fmt::Write;
use std::num::NonZeroU32;

use giuthi_engine::AgentSpec;

use crate::settings::{DEFAULT_AGENT, DEFAULT_OPENING, Epsilon, OpeningPlies, Settings};

/// Values for the flags that decide how games are played.
#[derive(Debug)]
pub(super) struct Preset {
    pub(super) name: &'static str,
    summary: &'static str,
    agent: &'static str,
    pub(super) opening: OpeningPlies,
    epsilon: f64,
    /// Temperature right after the opening, and the plies in which it falls to 0.
    pub(super) temperature: Option<(f64, NonZeroU32)>,
}

/// Every preset there is.
pub(super) static PRESETS: [Preset; 3] = [
    Preset {
        name: "quick",
        summary: "to try things out",
        agent: "ab:depth=2",
        opening: DEFAULT_OPENING,
        epsilon: 0.02,
        temperature: None,
    },
    Preset {
        name: "standard",
        summary: "the default: fair moves, and many of them",
        agent: DEFAULT_AGENT,
        opening: DEFAULT_OPENING,
        epsilon: 0.02,
        temperature: None,
    },
    Preset {
        name: "strong",
        summary: "better moves and values, some twenty-five times as slow as standard",
        agent: "ab:depth=6",
        opening: DEFAULT_OPENING,
        epsilon: 0.02,
        temperature: Some((0.05, NonZeroU32::new(20).expect("not 0"))),
    },
];

impl Preset {
    /// The place of the one that is taken where none is named.
    pub(super) const STANDARD: usize = 1;

    /// The preset of a name.
    pub(super) fn named(name: &str) -> Result<&'static Preset, String> {
        let names = || PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| format!("there are {}", names()))
    }

    pub(super) fn agent(&self) -> AgentSpec {
        self.agent.parse().expect("the table names agents that there are")
    }

    pub(super) fn epsilon(&self) -> Epsilon {
        Epsilon::try_from(self.epsilon).expect("the table holds shares")
    }

    /// The flags of a preset with the values that settings have for them.
    pub(super) fn flags(settings: &Settings) -> String {
        let Settings { agent, opening, epsilon, temperature, .. } = settings;
        let mut text =
            format!("--agent {} --opening-plies {opening} --epsilon {epsilon} --temperature ", agent.text());
        let end = match temperature {
            None => write!(text, "0"),
            Some(falling) => write!(text, "{} --temperature-plies {}", falling.start(), falling.plies()),
        };
        end.expect("a String takes any text");
        text
    }

    /// The table of presets, for the end of a command's help.
    pub(super) fn table() -> String {
        let mut text = "Presets:\n".to_owned();
        for Preset { name, summary, agent, opening, epsilon, temperature } in &PRESETS {
            let (start, plies) = temperature.map_or((0.0, 0), |(start, plies)| (start, plies.get()));
            let plies = if plies > 0 { format!(" --temperature-plies {plies}") } else { String::new() };
            writeln!(
                text,
                "  {name:<9} {summary}:\n            --agent {agent} --opening-plies {opening} --epsilon {epsilon} \
                 --temperature {start}{plies}"
            )
            .expect("a String takes any text");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_possible() {
        for preset in &PRESETS {
            assert_eq!(Preset::named(preset.name).unwrap().name, preset.name);
            assert_eq!(preset.agent().text(), preset.agent);
            assert_eq!(preset.epsilon().get(), preset.epsilon);
            assert!(Preset::table().contains(preset.agent));
        }
        assert_eq!(PRESETS[Preset::STANDARD].name, "standard");
        assert_eq!(Preset::named("fast").unwrap_err(), "there are quick, standard, strong");
    }
}
