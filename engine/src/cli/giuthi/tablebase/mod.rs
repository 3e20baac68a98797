//! `giuthi tablebase`: endgame tables built, verified and asked.

mod bench;
mod build;
mod memory;
mod probe;
mod verify;

use clap::{Args, Subcommand};

/// Arguments of `giuthi tablebase`.
#[derive(Args)]
pub(super) struct Tablebase {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find out what every board of up to so many seeds is worth, and write it into a folder
    Build(build::Build),
    /// Check a folder of tables: every file by its checksum, every board by what its moves lead to
    Verify(verify::Verify),
    /// Say what a position is worth, and each of its moves
    Probe(probe::Probe),
    /// Measure how fast tables are built and probed, beside the plain way
    Bench(bench::Bench),
}

pub(super) fn run(args: &Tablebase) -> anyhow::Result<()> {
    match &args.command {
        Command::Build(args) => build::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Bench(args) => bench::run(args),
    }
}
