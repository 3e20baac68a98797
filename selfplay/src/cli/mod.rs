//! The command line of `giuthi-selfplay`: without a subcommand it generates; one file a subcommand beside that.

mod generate;
mod merge;
mod presets;
mod report;
mod sample;
mod stats;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use giuthi_engine::cli::{agents, run};

use presets::Preset;

/// Plays games of an agent against itself and writes them as a dataset.
///
/// The same flags give the same files, whatever --threads is. A run that was interrupted goes on where it was when it
/// is repeated with the same flags into the same folder.
#[derive(Debug, Parser)]
#[command(
    name = "giuthi-selfplay",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = format!("{}\n{}", Preset::table(), agents())
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Nothing only beside a subcommand: elsewhere its required flags are asked for.
    #[command(flatten)]
    generate: Option<generate::Arguments>,
}

/// What can be done besides making datasets.
#[derive(Debug, Subcommand)]
enum Command {
    /// Put the shards of a dataset together: the bytes are those of one machine alone
    Merge(merge::Arguments),
    /// Check datasets: replay every game, and tell every fault with file and line
    Verify(verify::Arguments),
    /// What datasets hold: games, results, lengths, positions, values against results
    Stats(stats::Arguments),
    /// Show rows or games drawn at random from a dataset
    Sample(sample::Arguments),
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|cli: Cli| match (cli.command, cli.generate) {
        (Some(Command::Merge(arguments)), _) => merge::work(&arguments),
        (Some(Command::Verify(arguments)), _) => verify::work(&arguments),
        (Some(Command::Stats(arguments)), _) => stats::work(&arguments),
        (Some(Command::Sample(arguments)), _) => sample::work(&arguments),
        (None, Some(arguments)) => generate::work(&arguments),
        (None, None) => unreachable!("without a subcommand some flags are required"),
    })
}
