//! The `giuthi` program: one file a subcommand.

use std::process::ExitCode;

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
