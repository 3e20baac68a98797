//! The `giuthi-train` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    giuthi_train::cli::main()
}
