//! The table of agents as the programs' help shows it.

use std::fmt::Write;

use crate::agent::AGENTS;

/// Every agent and its keys, for the end of a command's help.
#[must_use]
pub fn agents() -> String {
    let mut text = "Agents, as [LABEL@]NAME or [LABEL@]NAME:key=value,key=value:\n".to_owned();
    for kind in AGENTS {
        add(&mut text, 2, kind.name, kind.summary);
        for key in kind.keys {
            add(&mut text, 10, &format!("{}=", key.name), key.summary);
        }
    }
    text
}

fn add(text: &mut String, indent: usize, name: &str, summary: &str) {
    writeln!(text, "{:indent$}{name:<7} {summary}", "").expect("a String takes any text");
}
