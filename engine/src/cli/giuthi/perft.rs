//! `giuthi perft`: the lines of play from a position, counted depth by depth.

use clap::Args;

use super::start::Start;
use crate::cli::{self, whole_number};
use crate::game::Game;
use crate::perft::nodes;

/// Depths beyond this would not end in anybody's lifetime, but for the last few seeds of a game.
const DEEPEST: u64 = 100;

/// Arguments of `giuthi perft`.
#[derive(Args)]
pub(super) struct Perft {
    #[command(flatten)]
    start: Start,

    /// Plies to count, 1 to 100: a sowing is a ply, an extra move a further one, a forced pass one
    #[arg(long, value_name = "D", value_parser = whole_number(1..=DEEPEST), allow_negative_numbers = true)]
    depth: u64,
}

/// Prints `depth nodes` for each depth, as soon as it is counted.
pub(super) fn run(args: &Perft) -> anyhow::Result<()> {
    let game = Game::from_position(args.start.position()?);
    for depth in 1..=args.depth {
        cli::print(&format!("{depth} {}\n", nodes(&game, depth as u32)))?;
    }
    Ok(())
}
