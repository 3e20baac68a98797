//! The `giuthi-eval` program: one file a subcommand.

mod judge;
mod merge;
mod openings;
mod rate;
mod replay;
mod report;
mod running;
mod sprt;
mod tournament;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use giuthi_engine::cli::run;

/// Compares agents: tournaments, ratings, reports.
#[derive(Parser)]
#[command(name = "giuthi-eval", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Tournament(Box<tournament::Arguments>),
    Merge(merge::Arguments),
    Judge(Box<judge::Arguments>),
    Rate(rate::Arguments),
    Report(report::Arguments),
    Replay(replay::Arguments),
    Sprt(Box<sprt::Arguments>),
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|Cli { command }| match command {
        Command::Tournament(arguments) => tournament::work(*arguments),
        Command::Merge(arguments) => merge::work(&arguments),
        Command::Judge(arguments) => judge::work(&arguments),
        Command::Rate(arguments) => rate::work(arguments),
        Command::Report(arguments) => report::work(&arguments),
        Command::Replay(arguments) => replay::work(&arguments),
        Command::Sprt(arguments) => sprt::work(&arguments),
    })
}
