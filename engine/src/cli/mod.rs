//! What the programs share at the terminal: running a command and its exit code, errors of one line, progress, the
//! clock, seeds, pipes that close; and the `giuthi` program itself.
//!
//! Results go to stdout or files, progress and warnings to stderr. Exit code 0 on success, 1 when the work failed,
//! 2 for wrong usage. A closed pipe is no error.

mod clock;
pub mod giuthi;
mod progress;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

pub use clock::SystemClock;
pub use progress::{Progress, duration};

/// An error of usage rather than of the work: exit code 2 instead of 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Parses the arguments, does the work and says how the program should exit.
pub fn run<P: Parser>(work: impl FnOnce(P) -> anyhow::Result<()>) -> ExitCode {
    run_from(std::env::args_os(), work)
}

/// [`run`] with the arguments handed in, the program's name first.
pub fn run_from<P: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    work: impl FnOnce(P) -> anyhow::Result<()>,
) -> ExitCode {
    let name = P::command().get_name().to_owned();
    match P::try_parse_from(arguments) {
        Ok(parsed) => finish(&name, work(parsed)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            finish(&name, print(&error.render().to_string()))
        }
        Err(error) => {
            complain(&name, &one_line(&error));
            ExitCode::from(2)
        }
    }
}

/// Says what went wrong, if anything did, and with which code to exit.
fn finish(name: &str, result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(name, &format!("{error:#}"));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Whether somewhere below an error lies a pipe that its reader closed (`giuthi … | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        let csv = cause.downcast_ref::<csv::Error>().and_then(|error| match error.kind() {
            csv::ErrorKind::Io(error) => Some(error.kind()),
            _ => None,
        });
        [io, json, csv].contains(&Some(io::ErrorKind::BrokenPipe))
    })
}

/// clap's complaint on one line: without its usage and its pointer to `--help`.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut parts = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        parts.push(line.strip_prefix("error: ").unwrap_or(line));
    }
    if parts.is_empty() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing: see --help".to_owned();
    }
    format!("{} (see --help)", parts.join(" ").replace('\n', " "))
}

/// Writes to stdout and flushes it.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// A line to stderr; that stderr may be closed is no reason to stop.
pub fn tell(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The error line of a program: one line, whatever the text holds.
fn complain(name: &str, text: &str) {
    let line: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    tell(format_args!("{name}: {}", line.join(" ")));
}

/// The seed asked for, or one drawn by chance and told on stderr, so that the run can be repeated.
#[must_use]
pub fn seed_or_drawn(asked: Option<u64>) -> u64 {
    asked.unwrap_or_else(|| {
        // 53 bits: a number that every JSON reader keeps exactly.
        let seed = rand::random::<u64>() >> 11;
        tell(format_args!("seed {seed}"));
        seed
    })
}
