//! The `giuthi-selfplay` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    giuthi_selfplay::cli::main()
}
