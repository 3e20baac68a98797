//! Shards put together.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use giuthi_engine::cli::{Progress, print};

use super::generate::threads;
use super::report::{in_json, in_words};
use crate::merge::{MergeEvent, Merging, merge};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The shards' folders, in any order
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// Folder for the dataset: a new one, an empty one, or one that a broken-off merge left
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replay every game as well
    #[arg(long)]
    verify: bool,
    /// Link the files instead of copying them: no room is taken, but both folders share them
    #[arg(long)]
    link: bool,
    /// Parts checked and copied at a time; all cores when not given
    #[arg(long, value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// Print the statistics as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let threads =
        arguments.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let merging = Merging { link: arguments.link, verify: arguments.verify };
    let mut progress = None;
    let report = merge(&arguments.shards, &arguments.out, merging, threads, |event| match event {
        MergeEvent::Begun { parts } => progress = Some(Progress::new("merging", "parts", parts)),
        MergeEvent::Merged => {
            if let Some(progress) = &progress {
                progress.advance(1);
            }
        }
    })?;
    if let Some(progress) = progress {
        progress.finish();
    }
    let text = if arguments.json { format!("{}\n", in_json(&report)) } else { in_words(&report) };
    print(&text)
}
