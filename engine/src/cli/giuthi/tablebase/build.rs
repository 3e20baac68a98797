//! `giuthi tablebase build`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use anyhow::bail;
use clap::Args;

use super::memory;
use crate::cli::{MAX_THREADS, Progress, stop, tell, whole_number};
use crate::endgame::tablebase::{self, Event, MOST_SEEDS, Size, TablebaseError};
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// Arguments of `giuthi tablebase build`.
#[derive(Args)]
pub(super) struct Build {
    /// Pits in a row, 5 to 10
    #[arg(long, value_name = "W", value_parser = whole_number(MIN_WIDTH as u64..=MAX_WIDTH as u64), allow_negative_numbers = true)]
    pits: u64,

    /// Most seeds on a board, 0 to 60; piles do not count
    #[arg(long, value_name = "N", value_parser = whole_number(0..=MOST_SEEDS as u64), allow_negative_numbers = true)]
    seeds: u64,

    /// Folder for the tables: a new one, an empty one, or one of tables of the same width, which are gone on with
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Threads, 1 to 1024 [default: all cores]
    #[arg(long, value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: Option<u64>,

    /// Most megabytes of memory to take, 1 to 1000000000; what needs more is not begun [default: what is available]
    #[arg(long, value_name = "MB", value_parser = whole_number(1..=1_000_000_000), allow_negative_numbers = true)]
    memory: Option<u64>,
}

pub(super) fn run(args: &Build) -> anyhow::Result<()> {
    let size = Size { pits: args.pits as usize, seeds: args.seeds as usize };
    let needs = memory::bytes(size.memory());
    let (most, whose) = match args.memory {
        Some(megabytes) => (Some(megabytes * 1_000_000), "--memory allows"),
        None => (memory::available(), "available are"),
    };
    if let Some(most) = most.filter(|most| size.memory() > *most) {
        let within =
            (0..size.seeds).rev().map(|seeds| Size { seeds, ..size }).find(|size| size.memory() <= most);
        let instead = within.map_or(String::new(), |size| format!("; --seeds {} fits", size.seeds));
        bail!("--seeds {}: needs {needs} of memory, {whose} {}{instead}", size.seeds, memory::bytes(most));
    }
    tell(format_args!(
        "{} boards of up to {} seeds on rows of {} pits: at most {needs} of memory, {} of disk",
        size.boards(),
        size.seeds,
        size.pits,
        memory::bytes(size.disk())
    ));
    let threads = args.threads.and_then(|threads| NonZeroUsize::new(threads as usize));
    let threads = threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let asked = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&asked);
    stop::on_signals("what is in hand", move || flag.swap(true, Relaxed))?;
    let progress = Progress::new("tablebase", "boards", size.boards());
    let halves = AtomicU64::new(0);
    let observe = |event| match event {
        Event::Found { boards, .. } => progress.advance(boards),
        Event::Begun { seeds, .. } => progress.note(format!("{seeds} seeds")),
        Event::Halves(more) => {
            let before = halves.fetch_add(more, Relaxed);
            progress.advance((before + more) / 2 - before / 2);
        }
    };
    match tablebase::build(&args.out, size, threads, &asked, &observe) {
        Ok(seeds) => {
            progress.finish();
            tell(format_args!("{}: all boards of up to {seeds} seeds are there", args.out.display()));
            Ok(())
        }
        Err(TablebaseError::Stopped { seeds }) => {
            let there = match seeds {
                0 => "nothing is".to_owned(),
                seeds => format!("boards of up to {} seeds are", seeds - 1),
            };
            bail!("stopped: {there} there; to go on: {}", stop::command_line("giuthi", None))
        }
        Err(error) => Err(error.into()),
    }
}
