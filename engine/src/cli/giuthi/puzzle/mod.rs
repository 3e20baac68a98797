//! `giuthi puzzle`: composed problems made, checked and shown.

mod make;
mod page;
mod range;
mod show;
mod solve;
mod tables;

use clap::{Args, Subcommand};

/// Arguments of `giuthi puzzle`.
#[derive(Args)]
pub(super) struct Puzzle {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compose problems: one move alone keeps the value, a long relay, and the capture that tempts fails
    Make(make::Make),
    /// Check every problem of a file, however it was made
    Solve(solve::Solve),
    /// Show problems of a file as they are set, or with their solutions
    Show(show::Show),
}

pub(super) fn run(args: &Puzzle) -> anyhow::Result<()> {
    match &args.command {
        Command::Make(args) => make::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Show(args) => show::run(args),
    }
}
