//! The command line of `giuthi-train`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use giuthi_engine::cli::{Progress, SystemClock, Usage, print, run, seed_or_drawn, tell};
use tch::Device;

use crate::data::{Dataset, Reading};
use crate::fit::{FitError, Fitted, Settings, fit};
use crate::metrics::{self, Epoch};

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
}

#[derive(Debug, Args)]
struct Fit {
    /// Datasets: folders that `giuthi selfplay` wrote
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// The weights to write; `metrics.csv` goes into the same folder
    #[arg(long, value_name = "NET.safetensors")]
    out: PathBuf,
    /// Overwrite weights that exist
    #[arg(long)]
    force: bool,
    /// Most passes over the training rows
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    epochs: u32,
    /// Rows a step
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    batch: u32,
    /// Learning rate at the start; it falls along a half cosine to a hundredth
    #[arg(long, default_value_t = 0.002, value_parser = positive)]
    lr: f64,
    /// AdamW's weight decay
    #[arg(long, default_value_t = 0.01, value_parser = not_negative)]
    weight_decay: f64,
    /// Share of the search's value in what is learned; the rest is the game's result
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    lambda: f64,
    /// Share of the games kept for validation
    #[arg(long, default_value_t = 0.1, value_parser = proper_share)]
    validation: f64,
    /// Epochs without a better validation loss after which training stops
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Sizes of the two hidden layers
    #[arg(long, default_value = "128,32", value_parser = layers)]
    layers: [usize; 2],
    /// Fixes the first weights and the order of the rows
    #[arg(long)]
    seed: Option<u64>,
    /// Threads of libtorch; for a network this small one is usually fastest
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Where to compute
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
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

fn positive(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "a number above 0 is possible")
}

fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |number| number >= 0.0, "a number of 0 or above is possible")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "a share from 0 to 1 is possible")
}

fn proper_share(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0 && number < 1.0, "a share above 0 and below 1 is possible")
}

fn layers(text: &str) -> Result<[usize; 2], String> {
    let size =
        |text: &str| text.parse().ok().filter(|size| (1..=giuthi_engine::net::MAX_LAYER).contains(size));
    text.split_once(',')
        .and_then(|(first, second)| Some([size(first)?, size(second)?]))
        .ok_or_else(|| "two sizes from 1 to 1024 are possible, such as 128,32".to_owned())
}

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    run(|cli: Cli| match cli.command {
        Command::Fit(arguments) => fit_command(&arguments),
    })
}

fn fit_command(arguments: &Fit) -> anyhow::Result<()> {
    let out = &arguments.out;
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if out.extension().is_none_or(|extension| extension != "safetensors") {
        return Err(
            Usage(format!("--out {}: a name that ends in .safetensors is needed", out.display())).into()
        );
    }
    if out.exists() && !arguments.force {
        bail!("{} exists already: give another name, or --force to overwrite it", out.display());
    }
    let device = device(arguments.device)?;
    tch::set_num_threads(i32::from(arguments.threads));
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let settings = Settings {
        epochs: arguments.epochs,
        batch: arguments.batch as usize,
        learning_rate: arguments.lr,
        weight_decay: arguments.weight_decay,
        patience: arguments.patience,
        layers: arguments.layers,
        seed: seed_or_drawn(arguments.seed),
    };

    let reading = Reading { lambda: arguments.lambda as f32, validation: arguments.validation };
    let data = Dataset::read(&arguments.data, &reading, |_| {})?;
    let [training_games, validation_games] = data.games;
    tell(format_args!(
        "{} rows of {training_games} games to train on, {} rows of {validation_games} games to validate",
        data.training.len(),
        data.validation.len()
    ));

    let total = data.training.len() as u64 * u64::from(settings.epochs);
    let progress = Progress::new("fit", "rows", total);
    let fitted = fit(
        &data,
        &settings,
        device,
        &SystemClock::default(),
        |step| {
            progress.note(format!("epoch {}, loss {:.4}", step.epoch, step.loss));
            progress.advance(step.rows as u64);
        },
        |epoch| progress.say(line(epoch, settings.epochs)),
    );
    progress.finish();
    match fitted {
        Ok(fitted) => {
            save(&fitted, out, folder)?;
            let best = &fitted.epochs[fitted.best_epoch as usize - 1];
            print(&format!(
                "{}: epoch {} of {}, validation loss {:.4}, accuracy {:.1} %\n",
                out.display(),
                best.epoch,
                fitted.epochs.len(),
                best.validation_loss,
                100.0 * best.validation_accuracy
            ))
        }
        Err(error) => {
            if let FitError::Diverged { best: Some(fitted), .. } = &error {
                save(fitted, out, folder)?;
                let epoch = fitted.best_epoch;
                bail!("{error}; the weights of epoch {epoch} are kept in {}", out.display());
            }
            Err(error.into())
        }
    }
}

fn save(fitted: &Fitted, out: &Path, folder: &Path) -> anyhow::Result<()> {
    fitted.network.save(out)?;
    let path = folder.join("metrics.csv");
    metrics::save(&path, &fitted.epochs).with_context(|| path.display().to_string())
}

fn line(epoch: &Epoch, of: u32) -> String {
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
    let cuda = tch::Cuda::is_available();
    match choice {
        DeviceChoice::Cpu => Ok(Device::Cpu),
        DeviceChoice::Auto => Ok(if cuda { Device::Cuda(0) } else { Device::Cpu }),
        DeviceChoice::Cuda if cuda => Ok(Device::Cuda(0)),
        DeviceChoice::Cuda => bail!(
            "--device cuda: this libtorch finds no CUDA device; build against a CUDA libtorch (LIBTORCH), or use \
             --device cpu"
        ),
    }
}
