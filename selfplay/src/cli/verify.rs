//! `giuthi selfplay verify`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use giuthi_engine::cli::{Progress, Usage, print, tell, whole_number};
use serde_json::json;

use super::generate::threads;
use super::report::counted;
use crate::verify::{Event, Fault, Thoroughly, Verified, verify, verify_part};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Datasets to check: folders with a manifest, or single parts without one
    #[arg(value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Tell so many faults, and only count the others
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole_number(0..=1_000_000), allow_negative_numbers = true)]
    max_faults: u64,
    /// Parts checked at a time; all cores when not given
    #[arg(long, value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// Play every game again as well, which takes as long as making them: every row has to be the same
    #[arg(long)]
    again: bool,
    /// The endgame tables that played the games to their end: what they play, and what games come to by them, is checked too
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,
    /// Print one JSON object a fault, and one at the end
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok());
    let threads = threads.unwrap_or(NonZeroUsize::MIN);
    let most = arguments.max_faults;
    let thoroughly = Thoroughly { again: arguments.again, tables: arguments.tb.as_deref() };
    let mut all = Verified::default();
    let mut told = 0;
    for path in &arguments.data {
        let mut progress: Option<Progress> = None;
        let mut failed = Ok(());
        let mut watch = |event: Event<'_>| match event {
            Event::Planned(0) => {}
            Event::Planned(rows) => progress = Some(Progress::new("checking", "rows", rows)),
            Event::Read(rows) => {
                if let Some(progress) = &progress {
                    progress.advance(rows);
                }
            }
            Event::Fault(fault) => {
                told += 1;
                if told <= most && failed.is_ok() {
                    failed = print(&if arguments.json { in_json(fault) } else { format!("{fault}\n") });
                }
            }
        };
        let verified = if path.is_file() {
            if arguments.again {
                let text = format!(
                    "--again: {}: only a folder's manifest says how to play its games",
                    path.display()
                );
                return Err(Usage(text).into());
            }
            if let Some(tables) = &arguments.tb {
                let text = format!(
                    "--tb {}: {}: only a folder's manifest says by which tables its games were played to their end",
                    tables.display(),
                    path.display()
                );
                return Err(Usage(text).into());
            }
            tell(format_args!("{}: checked by itself, without a manifest", path.display()));
            verify_part(path, most as usize, &mut watch)?
        } else {
            verify(path, threads, most as usize, &thoroughly, &mut watch)?
        };
        if let Some(progress) = progress {
            progress.finish();
        }
        failed?;
        all.add(verified);
    }
    let Verified { parts, games, rows, faults } = all;
    let shown = faults.min(most).min(told);
    if arguments.json {
        let end = json!({ "parts": parts, "games": games, "rows": rows, "faults": faults, "shown": shown });
        print(&format!("{end}\n"))?;
    } else {
        let [parts, games, rows] =
            [(parts, "part"), (games, "game"), (rows, "row")].map(|(n, what)| counted(n, what));
        let good = if faults == 0 { ", all good" } else { " without a fault" };
        print(&format!("{parts} looked at: {games} with {rows}{good}\n"))?;
    }
    match (faults, faults - shown) {
        (0, _) => Ok(()),
        (_, 0) => bail!("{}", counted(faults, "fault")),
        (_, more) => bail!("{}, {more} of them not told (--max-faults)", counted(faults, "fault")),
    }
}

fn in_json(fault: &Fault) -> String {
    let Fault { path, line, column, what } = fault;
    format!("{}\n", json!({ "file": path, "line": line, "column": column, "fault": what }))
}
