//! The `giuthi` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    giuthi_engine::cli::giuthi::main()
}
