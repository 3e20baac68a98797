//! The `giuthi-eval` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    giuthi_eval::cli::main()
}
