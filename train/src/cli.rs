//! The command line of `giuthi-train`.

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use giuthi_engine::Network;
use giuthi_engine::cli::{Progress, SystemClock, Usage, print, run, seed_or_drawn, tell, whole_number};
use giuthi_engine::net::MAX_LAYER;
use tch::Device;

use crate::bench::{self, Measurement, Unit};
use crate::data::{Dataset, Reading};
use crate::fit::{FitError, Fitted, Settings, fit};
use crate::metrics::{self, Epoch};

/// Most threads that can be asked for: beyond, a slip of the finger is likelier than such a machine.
const MAX_THREADS: u64 = 1024;
/// Most epochs that can be asked for.
const MAX_EPOCHS: u64 = 100_000;
/// Most rows a step.
const MAX_BATCH: u64 = 1 << 20;

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
    Fit(Fit),
    /// Measure the network's speed in the engine and in libtorch, in one run on the same positions
    Bench(Bench),
}

#[derive(Debug, Args)]
struct Fit {
    /// Datasets: folders that `giuthi selfplay` wrote
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// The weights to write; `metrics.csv` goes into the same folder
    #[arg(long, value_name = "NET.safetensors")]
    out: PathBuf,
    /// Overwrite weights and `metrics.csv` that exist
    #[arg(long)]
    force: bool,
    /// Most passes over the training rows
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    epochs: u64,
    /// Rows a step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(1..=MAX_BATCH), allow_negative_numbers = true)]
    batch: u64,
    /// Learning rate at the start; it falls along a half cosine to a hundredth
    #[arg(long, value_name = "R", default_value_t = 0.002, value_parser = rate, allow_negative_numbers = true)]
    lr: f64,
    /// AdamW's weight decay
    #[arg(long, value_name = "D", default_value_t = 0.01, value_parser = decay, allow_negative_numbers = true)]
    weight_decay: f64,
    /// Share of the search's value in what is learned, 0 to 1; the rest is the game's result
    #[arg(long, value_name = "L", default_value_t = 0.0, value_parser = share, allow_negative_numbers = true)]
    lambda: f64,
    /// Share of the games kept for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = proper_share, allow_negative_numbers = true)]
    validation: f64,
    /// Epochs without a better validation loss after which training stops
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    patience: u64,
    /// Sizes of the two hidden layers
    #[arg(long, value_name = "H1,H2", default_value = "128,32", value_parser = layers, allow_hyphen_values = true)]
    layers: [usize; 2],
    /// Seed of the first weights and of the order of the rows; a drawn one when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Threads of libtorch; for a network this small one is usually fastest
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: u64,
    /// Where to compute
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
}

#[derive(Debug, Args)]
struct Bench {
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeviceChoice {
    /// CUDA where there is a device, else the CPU
    Auto,
    /// The CPU
    Cpu,
    /// CUDA; an error where there is none
    Cuda,
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

fn decay(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1e6).contains(&number), "a number from 0 to 1e6 is possible")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "a share from 0 to 1 is possible")
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

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|cli: Cli| match cli.command {
        Command::Fit(arguments) => fit_command(&arguments),
        Command::Bench(arguments) => bench_command(&arguments),
    })
}

fn fit_command(arguments: &Fit) -> anyhow::Result<()> {
    let outputs = Outputs::check(&arguments.out, arguments.force)?;
    let device = device(arguments.device)?;
    let data = read(arguments)?;
    let where_to = if device.is_cuda() { "CUDA" } else { "the CPU" };
    let [training_games, validation_games] = data.games;
    tell(format_args!(
        "{} rows of {training_games} games to train on, {} rows of {validation_games} games to validate, on {where_to}",
        data.training.len(),
        data.validation.len()
    ));

    let within = "within the bounds of the flag";
    set_threads(arguments.threads);
    let count = |number: u64| NonZeroU32::new(u32::try_from(number).expect(within)).expect(within);
    let settings = Settings {
        epochs: count(arguments.epochs),
        batch: NonZeroUsize::new(arguments.batch as usize).expect(within),
        learning_rate: arguments.lr,
        weight_decay: arguments.weight_decay,
        patience: count(arguments.patience),
        layers: arguments.layers,
        // Drawn, and told, only now: an error before this is the only line.
        seed: seed_or_drawn(arguments.seed),
    };
    let total = data.training.len() as u64 * arguments.epochs;
    let progress = Progress::new("fit", "rows", total);
    let fitted = fit(
        &data,
        &settings,
        device,
        &SystemClock::default(),
        |step| {
            progress.note(format!("epoch {}, loss {:.4}", step.epoch, step.loss));
            progress.advance(step.rows.len() as u64);
        },
        |epoch| progress.say(line(epoch, arguments.epochs)),
    );
    let out = outputs.weights.display();
    match fitted {
        Ok(fitted) => {
            progress.finish();
            outputs.save(&fitted)?;
            let best = &fitted.epochs[fitted.best_epoch as usize - 1];
            print(&format!(
                "{out}: epoch {} of {}, validation loss {:.4}, accuracy {:.1} %\n",
                best.epoch,
                fitted.epochs.len(),
                best.validation_loss,
                100.0 * best.validation_accuracy
            ))
        }
        Err(error) => {
            // On a terminal the bar goes with it, before the error is told.
            drop(progress);
            if let FitError::Diverged { best: Some(fitted), .. } = &error {
                outputs.save(fitted)?;
                bail!("{error}; the weights of epoch {} are kept in {out}", fitted.best_epoch);
            }
            Err(error.into())
        }
    }
}

fn bench_command(arguments: &Bench) -> anyhow::Result<()> {
    let network = match &arguments.net {
        Some(path) => Network::load(path)?,
        None => bench::fresh()?,
    };
    set_threads(arguments.threads);
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

fn set_threads(threads: u64) {
    tch::set_num_threads(i32::try_from(threads).expect("within the bounds of the flag"));
}

fn read(arguments: &Fit) -> anyhow::Result<Dataset> {
    let reading = Reading { lambda: arguments.lambda as f32, validation: arguments.validation };
    let mut progress = None;
    let data = Dataset::read(&arguments.data, &reading, |done, total| {
        let progress = progress.get_or_insert_with(|| Progress::new("read", "rows", total));
        progress.advance(done - progress.done());
    })?;
    if let Some(progress) = progress {
        progress.finish();
    }
    Ok(data)
}

/// The files that a fit writes.
struct Outputs {
    folder: PathBuf,
    weights: PathBuf,
    metrics: PathBuf,
}

impl Outputs {
    /// Checks all that would otherwise be found wrong only after the training. Leaves nothing behind.
    fn check(out: &Path, force: bool) -> anyhow::Result<Outputs> {
        if out.extension().is_none_or(|extension| extension != "safetensors") {
            let wanted = "a name that ends in .safetensors is needed";
            return Err(Usage(format!("--out {}: {wanted}", out.display())).into());
        }
        let folder = match out.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let outputs = Outputs { weights: out.to_owned(), metrics: folder.join("metrics.csv"), folder };
        for (path, instead) in [(&outputs.weights, "name"), (&outputs.metrics, "folder")] {
            let shown = path.display();
            if path.is_dir() {
                bail!("{shown} is a folder: give another {instead}");
            }
            if path.exists() && !force {
                bail!("{shown} exists already: give another {instead}, or --force to overwrite it");
            }
        }
        let there = outputs.folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
        let trial = there.join(format!(".giuthi-train.{}.tmp", std::process::id()));
        fs::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .with_context(|| format!("--out {}: {} takes no files", out.display(), there.display()))?;
        Ok(outputs)
    }

    fn save(&self, fitted: &Fitted) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        fitted.network.save(&self.weights)?;
        metrics::save(&self.metrics, &fitted.epochs).with_context(|| self.metrics.display().to_string())
    }
}

fn line(epoch: &Epoch, of: u64) -> String {
    format!(
        "epoch {}/{of}: loss {:.4}, validation loss {:.4}, accuracy {:.1} %, {:.0} rows/s{}",
        epoch.epoch,
        epoch.train_loss,
        epoch.validation_loss,
        100.0 * epoch.validation_accuracy,
        epoch.samples_per_s,
        if epoch.best { ", best so far" } else { "" }
    )
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

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn a_bad_number_is_refused_with_what_is_possible() {
        for (flag, bad, wanted) in [
            ("--epochs", ["0", "-1", "100001"], "from 1 to 100000"),
            ("--batch", ["0", "-512", "1e3"], "from 1 to 1048576"),
            ("--patience", ["0", "-3", ""], "from 1 to 100000"),
            ("--threads", ["0", "-1", "1025"], "from 1 to 1024"),
            ("--seed", ["-1", "0.5", "18446744073709551616"], "from 0 to 18446744073709551615"),
            ("--lr", ["0", "nan", "1e31"], "above 0, up to 1e30,"),
            ("--weight-decay", ["-0.1", "inf", "1e7"], "from 0 to 1e6"),
            ("--lambda", ["-0.1", "2", "nan"], "from 0 to 1"),
            ("--validation", ["0", "1", "-1"], "above 0 and below 1"),
            ("--layers", ["5", "5,0", "-1,1025"], "two sizes from 1 to 1024"),
        ] {
            for bad in bad {
                let arguments = ["giuthi-train", "fit", "data", "--out", "net.safetensors", flag, bad];
                let error = Cli::try_parse_from(arguments).expect_err("it is refused");
                let reason = error.source().expect("the value's parser refuses it").to_string();
                assert!(reason.contains(wanted), "{flag} {bad}: {reason}");
            }
        }
    }
}
