//! `giuthi train doctor`: whether the trainer finds the libtorch that it needs, and the line that mends what is wrong.
//!
//! It is this program that looks, and not the trainer: without libtorch the trainer cannot even start. What only
//! libtorch knows it asks `giuthi-train doctor`, if that starts.

mod checks;
mod elf;
mod folder;
mod loader;

use std::path::Path;

use anyhow::anyhow;
use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cli::print;

pub(super) use loader::refusal;

/// The version of libtorch that the trainer is written for: no other one fits its `tch`.
const LIBTORCH: &str = "2.13.0";
/// That `tch`.
const TCH: &str = "0.26.0";

/// Whether the trainer finds the libtorch that it needs, and the line that mends what is wrong
#[derive(Parser)]
#[command(name = "giuthi train doctor", version)]
pub(super) struct Doctor {
    /// Print one JSON object: well, wanted, program, libtorch, cuda, devices, threads, checks (check, state, says, mend)
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Well,
    /// Worth knowing, and nothing wrong.
    Note,
    Fault,
}

/// One thing looked at.
#[derive(Clone, Debug, Serialize)]
struct Check {
    check: &'static str,
    state: State,
    says: String,
    /// The line to type.
    mend: Option<String>,
}

impl Check {
    fn new(check: &'static str, state: State, says: impl Into<String>) -> Check {
        Check { check, state, says: says.into(), mend: None }
    }

    fn fault(check: &'static str, says: impl Into<String>, mend: impl Into<String>) -> Check {
        Check { mend: Some(mend.into()), ..Check::new(check, State::Fault, says) }
    }
}

/// What `giuthi-train doctor --json` tells.
#[derive(Clone, Debug, Deserialize)]
struct Facts {
    /// The file of libtorch that runs in the trainer's process.
    #[serde(rename = "library")]
    file: Option<String>,
    cuda: bool,
    devices: u64,
    threads: u64,
    processors: u64,
}

/// All that was found.
struct Report {
    program: Option<String>,
    /// Folder and version of the libtorch that the trainer runs with.
    libtorch: Option<(String, Option<String>)>,
    facts: Option<Facts>,
    checks: Vec<Check>,
}

/// Looks, prints what it found, and is an error where something is wrong.
pub(super) fn run(args: &Doctor, program: Option<&Path>) -> anyhow::Result<()> {
    let report = checks::examine(program);
    let faults: Vec<&Check> = report.checks.iter().filter(|check| check.state == State::Fault).collect();
    if args.json {
        let facts = report.facts.as_ref();
        let object = json!({
            "well": faults.is_empty(),
            "wanted": { "libtorch": LIBTORCH, "tch": TCH },
            "program": report.program,
            "libtorch": report.libtorch.as_ref().map(|(path, version)| json!({ "path": path, "version": version })),
            "cuda": facts.map(|facts| facts.cuda),
            "devices": facts.map(|facts| facts.devices),
            "threads": facts.map(|facts| facts.threads),
            "checks": report.checks,
        });
        print(&format!("{object}\n"))?;
    } else {
        let mut text = String::new();
        for Check { check, state, says, mend } in &report.checks {
            let state = match state {
                State::Well => "well",
                State::Note => "note",
                State::Fault => "WRONG",
            };
            text += &format!("{state:<5}  {check:<21}  {says}\n");
            if let Some(mend) = mend {
                text += &format!("{:28}  mend it with: {mend}\n", "");
            }
        }
        print(&text)?;
    }
    let Some(first) = faults.first() else { return Ok(()) };
    let more = if faults.len() == 1 { String::new() } else { format!(" (1 of {} faults)", faults.len()) };
    let mend = first.mend.as_deref().unwrap_or_default();
    Err(anyhow!("{}: {}{more}; mend it with: {mend}", first.check, first.says))
}
