//! The command line of `giuthi-train`: one file a subcommand.

mod bench;
mod doctor;
mod export;
mod fit;
mod generations;
mod outputs;

use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand, ValueEnum};
use giuthi_engine::cli::run;
use giuthi_engine::net::MAX_LAYER;
use tch::Device;

use crate::data::RandomRows;
use crate::fit::ScheduleShape;

/// Most threads that can be asked for: beyond, a slip of the finger is likelier than such a machine.
const MAX_THREADS: u64 = 1024;
/// Most epochs that can be asked for.
const MAX_EPOCHS: u64 = 100_000;
/// Most rows a step.
const MAX_BATCH: u64 = 1 << 20;
/// Most steps that can be asked for.
const MAX_STEPS: u64 = 1_000_000_000;

/// Fits value networks for Giuthi, with libtorch
#[derive(Debug, Parser)]
#[command(name = "giuthi-train", version, arg_required_else_help = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fit a network to datasets of self-play and export its weights
    Fit(fit::Arguments),
    /// Self-play, fit, match against the best so far, promotion: generation after generation
    Loop(generations::Arguments),
    /// Write a network in another form, for programs that are not ours
    Export(export::Arguments),
    /// Measure the network's speed in the engine and in libtorch, in one run on the same positions
    Bench(bench::Arguments),
    /// Tell what libtorch is here: its file, its devices, its threads
    Doctor(doctor::Arguments),
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|cli: Cli| match cli.command {
        Command::Fit(arguments) => fit::work(&arguments),
        Command::Loop(arguments) => generations::work(&arguments),
        Command::Export(arguments) => export::work(&arguments),
        Command::Bench(arguments) => bench::work(&arguments),
        Command::Doctor(arguments) => doctor::work(&arguments),
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeviceChoice {
    /// CUDA where there is a device, else the CPU
    Auto,
    /// The CPU
    Cpu,
    /// CUDA; an error where there is none
    Cuda,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScheduleChoice {
    /// It stays
    Constant,
    /// It falls along a half cosine to a hundredth
    Cosine,
}

impl From<ScheduleChoice> for ScheduleShape {
    fn from(choice: ScheduleChoice) -> ScheduleShape {
        match choice {
            ScheduleChoice::Constant => ScheduleShape::Constant,
            ScheduleChoice::Cosine => ScheduleShape::Cosine,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RandomRowsChoice {
    /// Learn from them as from any other
    Keep,
    /// Leave them out
    Skip,
}

impl From<RandomRowsChoice> for RandomRows {
    fn from(choice: RandomRowsChoice) -> RandomRows {
        match choice {
            RandomRowsChoice::Keep => RandomRows::Keep,
            RandomRowsChoice::Skip => RandomRows::Skip,
        }
    }
}

fn device(choice: DeviceChoice) -> anyhow::Result<Device> {
    match choice {
        DeviceChoice::Cpu => Ok(Device::Cpu),
        DeviceChoice::Auto => Ok(Device::cuda_if_available()),
        DeviceChoice::Cuda if tch::Cuda::is_available() => Ok(Device::Cuda(0)),
        DeviceChoice::Cuda => bail!(
            "--device cuda: this libtorch finds no CUDA device; build against a CUDA libtorch (LIBTORCH), or use \
             --device cpu"
        ),
    }
}

fn number(text: &str, good: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&number: &f64| number.is_finite() && good(number))
        .ok_or_else(|| wanted.to_owned())
}

/// Beyond these bounds libtorch's floats overflow.
fn rate(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0 && number <= 1e30, "a number above 0, up to 1e30, is possible")
}

fn above_zero(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "a number above 0 is possible")
}

fn decay(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1e6).contains(&number), "a number from 0 to 1e6 is possible")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "a share from 0 to 1 is possible")
}

fn weight(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0 && number <= 1.0, "a share above 0, up to 1, is possible")
}

fn proper_share(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0 && number < 1.0, "a share above 0 and below 1 is possible")
}

fn layers(text: &str) -> Result<[usize; 2], String> {
    let size = |text: &str| text.parse().ok().filter(|size| (1..=MAX_LAYER).contains(size));
    text.split_once(',')
        .and_then(|(first, second)| Some([size(first)?, size(second)?]))
        .ok_or_else(|| format!("two sizes from 1 to {MAX_LAYER} are possible, such as 128,32"))
}
