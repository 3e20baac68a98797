//! `giuthi train bench`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use giuthi_engine::agent::NoClock;
use giuthi_engine::cli::{SystemClock, print, whole_number};
use giuthi_engine::{Clock, Network, Variant};
use giuthi_selfplay::{Settings, generate};

use super::MAX_THREADS;
use crate::bench::reader::{Clocks, Copies};
use crate::bench::{self, Measurement, Unit};
use crate::source::Source;

/// Games of `2x8x8` that are read where no dataset is named, about a million rows, and who plays them: quickly, and
/// with a value for nearly every row.
const GAMES: u64 = 14_000;
const AGENT: &str = "ab:depth=1";
/// Rows that a training step is tried on, in batches.
const FIT_ROWS: usize = 1 << 15;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Measure one thing alone
    #[arg(long, value_name = "WHAT")]
    only: Option<Subject>,
    /// The network to measure; a fresh one of 128 and 32 units for `2x8x8` when not given
    #[arg(long, value_name = "NET.safetensors")]
    net: Option<PathBuf>,
    /// Rows of this dataset for fit and reader; games of `2x8x8` played for it when not given
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Rows of a training step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(1..=FIT_ROWS as u64), allow_negative_numbers = true)]
    batch: u64,
    /// Do everything so many times and report the fastest of each
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number(1..=1000), allow_negative_numbers = true)]
    rounds: u64,
    /// Threads of libtorch and of the reader; the engine takes one
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// The network, in integers and by libtorch
    Inference,
    /// A training step, written out and by libtorch's recorded graph
    Fit,
    /// Datasets read, by the scan and by csv
    Reader,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let wanted = |subject| arguments.only.is_none_or(|only| only == subject);
    let wall = SystemClock::default();
    let threads = NonZeroUsize::new(arguments.threads as usize).expect("1 is the least of the flag");
    tch::set_num_threads(i32::try_from(arguments.threads).expect("within the bounds of the flag"));
    // What one thread computes takes as long as it computes, whatever else the machine is doing.
    let processor = ProcessorClock(wall);
    let clock: &dyn Clock = if arguments.threads == 1 { &processor } else { &wall };
    let mut figures = Vec::new();
    if wanted(Subject::Inference) {
        let network = match &arguments.net {
            Some(path) => Network::load(path)?,
            None => bench::fresh()?,
        };
        figures.extend(bench::inference::evaluations(&network, arguments.rounds, clock)?);
    }
    if wanted(Subject::Fit) || wanted(Subject::Reader) {
        // Gone when all is done.
        let scratch = tempfile::tempdir().context("no folder for a dataset can be made")?;
        let data = match &arguments.data {
            Some(data) => data.clone(),
            None => {
                let games = NonZeroU64::new(GAMES).expect("not 0");
                let settings = Settings::new(Variant::default(), AGENT.parse()?, games, 1);
                let folder = scratch.path().join("games");
                generate(&settings, &folder, threads, &NoClock, |_| {})?;
                folder
            }
        };
        let copies = Copies::make(&data, scratch.path())?;
        if wanted(Subject::Fit) {
            let stream = copies.open(threads)?;
            let batch = arguments.batch as usize;
            let batches = stream.training(1, 1, batch, 0).take(FIT_ROWS / batch);
            let batches = batches.collect::<Result<Vec<_>, _>>()?;
            figures.extend(bench::step::steps(&batches, stream.width(), arguments.rounds, clock)?);
        }
        if wanted(Subject::Reader) {
            let clocks = Clocks { wall: &wall, processor: &processor };
            figures.extend(bench::reader::reading(&copies, threads, arguments.rounds, clocks)?);
        }
    }
    print(&if arguments.json { in_json(&figures) } else { table(&figures) })
}

/// Time that all threads of this process have computed; where the system does not tell, time that has passed.
struct ProcessorClock(SystemClock);

impl Clock for ProcessorClock {
    #[cfg(unix)]
    fn now(&self) -> std::time::Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.try_into().unwrap_or_else(|_| self.0.now())
    }

    #[cfg(not(unix))]
    fn now(&self) -> std::time::Duration {
        self.0.now()
    }
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
        Unit::Nats => format!("{:.4}", figure.number),
    };
    figures.iter().map(|figure| format!("{:<44} {:>12}\n", figure.what, number(figure))).collect()
}
