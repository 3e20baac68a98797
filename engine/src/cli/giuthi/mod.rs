//! The `giuthi` program: one file a subcommand.

mod analyze;
mod apply;
mod bench;
mod compliance;
mod doctor;
mod drawing;
mod moves;
mod opponent;
mod perft;
mod play;
mod show;
mod sibling;
mod solve;
mod start;
mod tablebase;
mod ugi;
mod verify_proof;
mod words;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use apply::json_line;
pub use drawing::board;
pub use words::{standing, told, told_in_full};

/// Giuthi, the Kikuyu mancala of reversing relays: look at positions, play, and run the programs that train and
/// compare its players.
#[derive(Parser)]
#[command(name = "giuthi", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Draw a position and print its text
    Show(show::Show),
    /// List the legal moves of a position and what each does
    Moves(moves::Moves),
    /// Play moves one after another and print what each did
    Apply(apply::Apply),
    /// Count the lines of play, depth by depth
    Perft(perft::Perft),
    /// Search a position: best move, value, expected line
    Analyze(analyze::Analyze),
    /// Prove what a position is worth
    Solve(solve::Solve),
    /// Check a proof that `giuthi solve --certificate` wrote
    VerifyProof(verify_proof::VerifyProof),
    /// Measure how fast the engine is
    Bench(bench::Bench),
    /// Build, verify and ask endgame tables
    Tablebase(tablebase::Tablebase),
    /// Play a game in the terminal against an agent
    Play(play::Play),
    /// Speak the engine protocol (UGI) on stdin and stdout
    Ugi(ugi::Ugi),
    /// Put a program through the engine protocol and report each point
    Compliance(compliance::Compliance),
    /// Make a dataset of self-play games (runs giuthi-selfplay)
    Selfplay(sibling::Arguments),
    /// Fit a value network to a dataset (runs giuthi-train)
    Train(sibling::Arguments),
    /// Play tournaments and rate agents (runs giuthi-eval)
    Eval(sibling::Arguments),
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let mut handed_through = None;
    let mut sibling = |name: &str, arguments: &sibling::Arguments| -> anyhow::Result<()> {
        handed_through = Some(match sibling::doctor(name, arguments) {
            Some(arguments) => super::run_from(arguments, |args: doctor::Doctor| {
                doctor::run(&args, sibling::find(name).as_deref())
            }),
            None => sibling::run(name, arguments)?,
        });
        Ok(())
    };
    let code = super::run_from(sibling::shielded(std::env::args_os()), |cli: Cli| match cli.command {
        Command::Show(args) => show::run(&args),
        Command::Moves(args) => moves::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::VerifyProof(args) => verify_proof::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Tablebase(args) => tablebase::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Ugi(args) => ugi::run(args),
        Command::Compliance(args) => compliance::run(&args),
        Command::Selfplay(args) => sibling("selfplay", &args),
        Command::Train(args) => sibling("train", &args),
        Command::Eval(args) => sibling("eval", &args),
    });
    handed_through.unwrap_or(code)
}
