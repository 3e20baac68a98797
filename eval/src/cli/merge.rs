//! `giuthi-eval merge`: shards of a tournament put together.

use std::path::PathBuf;

use clap::Args;
use giuthi_engine::cli::print;

use super::tournament::warn_of_files;
use crate::merge::merge;
use crate::report;

/// Put the shards of a tournament together
///
/// The folders are those that `tournament --shard I/N` wrote, all N of them, each finished. OUT gets the games.csv,
/// ratings.csv and report.html that one machine alone would have written.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folders of the shards
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder for the whole; one that holds a tournament is refused
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Print one JSON object an agent, the best first, instead of tables
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let standings = merge(&arguments.folders, &arguments.out)?;
    arguments.folders.iter().for_each(|folder| warn_of_files(folder));
    let written = report::write(&arguments.out);
    print(&if arguments.json { standings.json_lines() } else { standings.text() })?;
    written?;
    Ok(())
}
