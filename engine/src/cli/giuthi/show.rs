//! `giuthi show`: a position as a person reads it, and its text.

use clap::Args;

use super::start::Start;
use super::{drawing, words};
use crate::cli;
use crate::game::Game;

/// Arguments of `giuthi show`.
#[derive(Args)]
pub(super) struct Show {
    #[command(flatten)]
    start: Start,
}

/// Prints the board, how the game stands, and the position's text on a line of its own.
pub(super) fn run(args: &Show) -> anyhow::Result<()> {
    let position = args.start.position()?;
    let standing = words::standing(&Game::from_position(position));
    cli::print(&format!("{}{standing}\n{position}\n", drawing::board(&position)))
}
