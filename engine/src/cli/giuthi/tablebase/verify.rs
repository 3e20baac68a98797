//! `giuthi tablebase verify`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use anyhow::bail;
use clap::Args;

use crate::cli::{self, Progress, stop};
use crate::endgame::tablebase::{self, TablebaseError};

/// Arguments of `giuthi tablebase verify`.
#[derive(Args)]
pub(super) struct Verify {
    /// Folder of the tables
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(super) fn run(args: &Verify) -> anyhow::Result<()> {
    let asked = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&asked);
    stop::on_signals("the boards in hand", move || flag.swap(true, Relaxed))?;
    let progress = OnceLock::new();
    let opened = |table: &tablebase::Tablebase| {
        progress.get_or_init(|| Progress::new("verify", "boards", table.boards()));
    };
    let observe = |boards| progress.get().into_iter().for_each(|progress| progress.advance(boards));
    match tablebase::verify(&args.dir, &asked, opened, &observe) {
        Ok(table) => {
            progress.get().into_iter().for_each(Progress::finish);
            cli::print(&format!(
                "{}: {} boards of up to {} seeds on rows of {} pits: every file is whole, every value follows and every win is reached\n",
                args.dir.display(),
                table.boards(),
                table.seeds(),
                table.pits()
            ))
        }
        Err(TablebaseError::Stopped { seeds }) => {
            bail!("stopped: boards of {seeds} seeds and more are not all checked")
        }
        Err(error) => Err(error.into()),
    }
}
