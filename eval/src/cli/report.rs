//! `giuthi-eval report`: the page of a tournament.

use std::path::PathBuf;

use clap::Args;
use giuthi_engine::cli::print;

use crate::report;

/// Write report.html of a tournament: ratings, results, endings, lengths, times, and every game to be replayed
///
/// DIR is the folder of a tournament or a sequential test, finished or not, or of a shard; it gets the page, in the place of an older one. The
/// page is one file that needs no network. `tournament` and `merge` write it too.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folder of a tournament
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let path = report::write(&arguments.folder)?;
    print(&format!("{}\n", path.display()))
}
