//! `giuthi puzzle make`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::range::range;
use super::{page, tables};
use crate::cli::{self, seed_or_drawn, tell, whole_number};
use crate::endgame::puzzle::{self, Goal, Settings};
use crate::endgame::tablebase::{MOST_SEEDS, Size};
use crate::files::check_writable;
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// Arguments of `giuthi puzzle make`.
#[derive(Args)]
pub(super) struct Make {
    /// Pits in a row, 5 to 10
    #[arg(long, value_name = "W", value_parser = whole_number(MIN_WIDTH as u64..=MAX_WIDTH as u64), allow_negative_numbers = true)]
    pits: u64,

    /// Seeds on the board, as 8 or 6..10; 3 to 60
    #[arg(long, value_name = "N..M", value_parser = range(3..=MOST_SEEDS as u64, false), allow_hyphen_values = true)]
    seeds: RangeInclusive<u64>,

    /// Laps of the key: 7 is at least so many, 7..12 from so many to so many
    #[arg(long, value_name = "K", default_value = "5", value_parser = range(1..=1_000_000, true), allow_hyphen_values = true)]
    laps: RangeInclusive<u64>,

    /// How many problems, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number(1..=1000), allow_negative_numbers = true)]
    count: u64,

    /// What the player to move is to reach: win or draw [default: either]
    #[arg(long, value_name = "GOAL")]
    goal: Option<Goal>,

    /// Folder of endgame tables of that width with so many seeds [default: solved in memory]
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,

    /// Number that fixes which boards are looked at first [default: drawn, and told]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,

    /// File for the problems, CSV, instead of printing them; one that is there already is refused
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print one JSON object a problem
    #[arg(long, conflicts_with = "out")]
    json: bool,
}

pub(super) fn run(args: &Make) -> anyhow::Result<()> {
    if let Some(out) = args.out.as_ref().filter(|out| out.exists()) {
        bail!("--out {}: the file is there already: choose another name", out.display());
    }
    if let Some(out) = &args.out {
        check_writable(out).with_context(|| format!("--out {}: cannot be written", out.display()))?;
    }
    let most = *args.seeds.end() as usize;
    let size = Size { pits: args.pits as usize, seeds: most };
    let tables = tables::tables(args.tb.as_deref(), size, &format!("--seeds {most}"))?;
    let settings = Settings {
        seeds: *args.seeds.start() as usize..=most,
        laps: *args.laps.start() as u32..=*args.laps.end() as u32,
        goal: args.goal,
        count: args.count as usize,
        seed: seed_or_drawn(args.seed),
    };
    let puzzles = puzzle::compose(&tables, &settings);
    if puzzles.is_empty() {
        bail!("no problem was found: ask for fewer --laps, more --seeds or another --goal");
    }
    if puzzles.len() < settings.count {
        tell(format_args!("{} problems were found, fewer than --count {}", puzzles.len(), settings.count));
    }
    if let Some(out) = &args.out {
        puzzle::write(out, &puzzles)?;
        tell(format_args!("{}: {} problems", out.display(), puzzles.len()));
        return Ok(());
    }
    let mut text = String::new();
    for puzzle in &puzzles {
        if args.json {
            text += &(serde_json::to_string(&page::Object::of(puzzle))? + "\n");
        } else {
            text += &format!("{}\n{}\n", page::problem(puzzle), page::solution(puzzle));
        }
    }
    cli::print(&text)
}
