//! What the programs share at the terminal: running a command and its exit code, errors of one line, progress, the
//! clock, seeds, pipes that close; and the `giuthi` program itself.
//!
//! Results go to stdout or files, progress and warnings to stderr. Exit code 0 on success, 1 when the work failed,
//! 2 for wrong usage. A closed pipe is no error.

mod agents;
mod clock;
pub mod giuthi;
mod progress;
mod shard;
pub mod stop;

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::notation::excerpt;

pub use agents::agents;
pub use clock::SystemClock;
pub use progress::{Progress, duration};
pub use shard::ShardFlags;

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
    let mut command = plain(P::command());
    let name = command.get_name().to_owned();
    let parsed = command
        .try_get_matches_from_mut(arguments)
        .and_then(|mut matches| P::from_arg_matches_mut(&mut matches))
        .map_err(|error| error.format(&mut command));
    match parsed {
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

/// A command that answers a missing argument or subcommand with an error rather than with its whole help.
fn plain(command: clap::Command) -> clap::Command {
    command.arg_required_else_help(false).mut_subcommands(plain)
}

/// clap's complaint on one line: without its usage, and with a shorter pointer to `--help`.
fn one_line(error: &clap::Error) -> String {
    let text = match refused_value(error) {
        Some(text) => text,
        None => error.render().to_string(),
    };
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if part.starts_with("Usage:") || part.starts_with("For more information") {
            break;
        }
        if !line.is_empty() {
            line.push_str(if part.starts_with("tip:") { "; " } else { " " });
        }
        line.push_str(part.strip_prefix("error: ").unwrap_or(part));
    }
    format!("{line} (see --help)")
}

/// What clap says of a value that its parser refused, with the value cut where it is long; `None` for other errors.
fn refused_value(error: &clap::Error) -> Option<String> {
    let (Some(ContextValue::String(argument)), Some(ContextValue::String(value)), Some(reason)) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue), error.source())
    else {
        return None;
    };
    Some(format!("invalid value '{}' for '{argument}': {reason}", excerpt(value)))
}

/// Writes to stdout and flushes it.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to stdout")
}

/// A line to stderr; that stderr may be closed is no reason to stop.
pub fn tell(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The error line of a program: one line, whatever the text holds.
fn complain(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line = lines.join(" ").replace(char::is_control, "\u{fffd}");
    tell(format_args!("{name}: {line}"));
}

/// Most threads that can be asked for: beyond, a slip of the finger is likelier than such a machine.
pub const MAX_THREADS: u64 = 1024;

/// A parser, for clap, of whole numbers within bounds; its error says what they are.
pub fn whole_number(bounds: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && bounds.contains(&number) => Ok(number),
            _ => Err(format!("a whole number from {} to {} is possible", bounds.start(), bounds.end())),
        }
    }
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

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    /// The line for a mistake in the arguments of a program with one command inside another.
    fn line(arguments: &[&str]) -> String {
        let side = Arg::new("side").long("side").value_parser(["north", "south"]);
        let depth = Arg::new("depth").long("depth").required(true).value_parser(whole_number(1..=9));
        let out = Arg::new("out").long("out").required(true);
        let build = Command::new("build").args([side, depth, out]);
        let table = Command::new("table").subcommand_required(true).arg_required_else_help(true);
        let program = Command::new("program").subcommand_required(true).arg_required_else_help(true);
        let program = plain(program.subcommand(table.subcommand(build)));
        let arguments = std::iter::once(&"program").chain(arguments);
        one_line(&program.try_get_matches_from(arguments).unwrap_err())
    }

    #[test]
    fn every_mistake_is_one_line_that_says_what_is_accepted() {
        for (arguments, says) in [
            (&[][..], "'program' requires a subcommand but one was not provided [subcommands: table, help]"),
            (
                &["table"],
                "'program table' requires a subcommand but one was not provided [subcommands: build, help]",
            ),
            (&["tables"], "unrecognized subcommand 'tables'; tip: a similar subcommand exists: 'table'"),
            (
                &["table", "build"],
                "the following required arguments were not provided: --depth <depth> --out <out>",
            ),
            (
                &["table", "build", "--side", "east"],
                "invalid value 'east' for '--side <side>' [possible values: north, south]",
            ),
            (
                &["table", "build", "--depth", "ten"],
                "invalid value 'ten' for '--depth <depth>': a whole number from 1 to 9 is possible",
            ),
            (
                &["table", "build", "--outt", "x"],
                "unexpected argument '--outt' found; tip: a similar argument exists: '--out'",
            ),
        ] {
            assert_eq!(line(arguments), format!("{says} (see --help)"));
        }
    }

    #[test]
    fn a_closed_pipe_is_known_wherever_it_lies() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let json = serde_json::Error::io(closed());
        for error in [
            anyhow::Error::new(closed()),
            anyhow::Error::new(closed()).context("cannot write to stdout"),
            anyhow::Error::new(json),
            anyhow::Error::new(csv::Error::from(closed())).context("row 3"),
        ] {
            assert!(is_closed_pipe(&error), "{error:?}");
        }
        assert!(!is_closed_pipe(&anyhow::Error::new(io::Error::from(io::ErrorKind::StorageFull))));
    }
}
