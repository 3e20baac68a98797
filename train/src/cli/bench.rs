//! `giuthi train bench`.

use std::path::PathBuf;

use clap::Args;
use giuthi_engine::Network;
use giuthi_engine::cli::{SystemClock, print, whole_number};

use super::MAX_THREADS;
use crate::bench::{self, Measurement, Unit};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The network to measure; a fresh one of 128 and 32 units for `2x8x8` when not given
    #[arg(long, value_name = "NET.safetensors")]
    net: Option<PathBuf>,
    /// Do everything so many times and report the fastest of each
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number(1..=1000), allow_negative_numbers = true)]
    rounds: u64,
    /// Threads of libtorch; the engine takes one
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let network = match &arguments.net {
        Some(path) => Network::load(path)?,
        None => bench::fresh()?,
    };
    tch::set_num_threads(i32::try_from(arguments.threads).expect("within the bounds of the flag"));
    let figures = bench::evaluations(&network, arguments.rounds, &SystemClock::default())?;
    print(&if arguments.json { in_json(&figures) } else { table(&figures) })
}

fn in_json(figures: &[Measurement]) -> String {
    let object: serde_json::Map<String, serde_json::Value> =
        figures.iter().map(|figure| (figure.name.to_owned(), figure.number.into())).collect();
    format!("{}\n", serde_json::Value::from(object))
}

/// The figures as a person reads them.
fn table(figures: &[Measurement]) -> String {
    let number = |figure: &Measurement| match figure.unit {
        Unit::PerSecond => format!("{:.3} M", figure.number / 1e6),
        Unit::Times => format!("{:.1} times", figure.number),
        Unit::Rows => format!("{:.0}", figure.number),
        Unit::Result => format!("{:.6}", figure.number),
    };
    figures.iter().map(|figure| format!("{:<42} {:>12}\n", figure.what, number(figure))).collect()
}
