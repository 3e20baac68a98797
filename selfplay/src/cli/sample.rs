//! `giuthi selfplay sample`.

use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use giuthi_engine::cli::giuthi::board;
use giuthi_engine::cli::{print, seed_or_drawn, whole_number};
use giuthi_engine::sample::columns;

use super::generate::at_least_one;
use crate::Manifest;
use crate::pick::{Wanted, pick};

/// Rows shown where no number is named.
const ROWS: u64 = 10;

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The dataset
    #[arg(value_name = "DIR")]
    data: PathBuf,
    /// So many rows, each as likely as any other; 10 when nothing else is said
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "games", allow_negative_numbers = true)]
    rows: Option<NonZeroU64>,
    /// All rows of so many games instead
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    games: Option<NonZeroU64>,
    /// Seed of the drawing; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Draw the boards instead of writing CSV
    #[arg(long)]
    board: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let wanted = match arguments.games {
        Some(games) => Wanted::Games(games.get()),
        None => Wanted::Rows(arguments.rows.map_or(ROWS, NonZeroU64::get)),
    };
    let width = Manifest::load(&arguments.data)?.run.variant.width();
    if !arguments.board {
        print(&(columns(width).join(",") + "\n"))?;
    }
    let mut printed = Ok(());
    pick(&arguments.data, wanted, seed_or_drawn(arguments.seed), |line, sample| {
        let mut text = String::new();
        if arguments.board {
            let value = sample.value.map_or(String::new(), |value| format!(", value {value:.4}"));
            let _ = writeln!(
                text,
                "game {}, ply {}: player {} plays {} ({}{value}); result {}, margin {}, {}\n{}",
                sample.game,
                sample.ply,
                sample.player(),
                sample.mv,
                sample.source.name(),
                sample.result,
                sample.margin,
                sample.ending.name(),
                board(&sample.position),
            );
        } else {
            text = format!("{line}\n");
        }
        if printed.is_ok() {
            printed = print(&text);
        }
    })?;
    printed
}
