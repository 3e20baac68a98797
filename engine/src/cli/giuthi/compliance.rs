//! `giuthi compliance`: whether a program keeps to the engine protocol.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use crate::cli::{self, SystemClock, whole_number};
use crate::compliance::{self, Trial, Verdict};
use crate::rules::Variant;

/// Arguments of `giuthi compliance`.
#[derive(Args)]
pub(super) struct Compliance {
    /// Variant to play
    #[arg(long, value_name = "V", default_value_t)]
    variant: Variant,

    /// Longest wait for any answer, in milliseconds
    #[arg(long, value_name = "MS", default_value = "5000", value_parser = whole_number(1..=3_600_000))]
    timeout: u64,

    /// Print one JSON object a point: point, required, verdict (pass, fail, skip), reason, what
    #[arg(long)]
    json: bool,

    /// The program and its arguments, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A point and what came of it, under the names of the JSON form.
#[derive(Serialize)]
struct Line<'a> {
    point: &'a str,
    required: bool,
    verdict: &'a str,
    reason: Option<&'a str>,
    what: &'a str,
}

/// Prints each point as it is done. A required one that fails is a failure of the work.
pub(super) fn run(args: &Compliance) -> anyhow::Result<()> {
    let clock = SystemClock::default();
    let trial = Trial {
        command: &args.command,
        variant: args.variant,
        timeout: Duration::from_millis(args.timeout),
        clock: &clock,
    };
    let mut written = Ok(());
    let mut failed = Vec::new();
    let good = compliance::run(&trial, |point, verdict| {
        if point.required && matches!(verdict, Verdict::Fail(_)) {
            failed.push(point.name);
        }
        let line = Line {
            point: point.name,
            required: point.required,
            verdict: verdict.name(),
            reason: verdict.reason(),
            what: point.what,
        };
        if written.is_ok() {
            written = text(&line, args.json).and_then(|text| cli::print(&text));
        }
    });
    written?;
    if good {
        return Ok(());
    }
    let s = if failed.len() == 1 { "" } else { "s" };
    Err(anyhow!("{} required point{s} failed: {}", failed.len(), failed.join(", ")))
}

fn text(line: &Line<'_>, json: bool) -> anyhow::Result<String> {
    if json {
        return Ok(serde_json::to_string(line)? + "\n");
    }
    let Line { point, verdict, what, required, .. } = line;
    let wish = if *required { "" } else { " (not required)" };
    let reason = line.reason.map(|reason| format!("\n        {reason}")).unwrap_or_default();
    Ok(format!("{verdict}  {point:<10}  {what}{wish}{reason}\n"))
}
