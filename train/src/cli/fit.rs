//! `giuthi-train fit`.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use giuthi_engine::cli::{Progress, SystemClock, Usage, print, seed_or_drawn, tell, whole_number};
use giuthi_engine::{Clock, Network};
use sha2::{Digest, Sha256};

use super::outputs::{Lock, Outputs};
use super::{
    DeviceChoice, MAX_BATCH, MAX_EPOCHS, MAX_STEPS, MAX_THREADS, RandomRowsChoice, ScheduleChoice,
    above_zero, decay, device, layers, proper_share, rate, share,
};
use crate::checkpoint::{Checkpoints, Loaded, SettingsTable};
use crate::data::{RandomRows, Reading, manifests};
use crate::fit::{FitError, Observer, Settings, State, Step, fit};
use crate::metrics::Epoch;
use crate::part::{LeftOut, OnBad};
use crate::source::Source;
use crate::stream::{Stream, Streaming, Window};

/// Most rows that are shuffled at a time: 32 GiB.
const MAX_BUFFER: u64 = 1 << 30;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnBadChoice {
    /// Refuse the data, with file and line
    Stop,
    /// Leave its game out
    Skip,
}

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Datasets: folders that `giuthi selfplay` wrote; with a weight of 0.5 behind it a folder trains on half of its
    /// games in each epoch
    #[arg(required = true, value_name = "DATA[@WEIGHT]")]
    data: Vec<Window>,
    /// The weights to write; beside them go `metrics.csv`, a model card (.json), a picture (.svg) and checkpoints
    #[arg(long, value_name = "NET.safetensors")]
    out: PathBuf,
    /// Overwrite what exists; checkpoints too, unless they are resumed from
    #[arg(long)]
    force: bool,
    /// Go on from the newest checkpoint beside the weights, with the same data and settings
    #[arg(long)]
    resume: bool,
    /// Steps between checkpoints
    #[arg(long, value_name = "STEPS", value_parser = whole_number(1..=MAX_STEPS), allow_negative_numbers = true)]
    checkpoint_every: Option<u64>,
    /// Minutes between checkpoints
    #[arg(long, value_name = "MINUTES", default_value_t = 10.0, value_parser = above_zero, allow_negative_numbers = true)]
    checkpoint_minutes: f64,
    /// Most passes over the training rows
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    epochs: u64,
    /// Rows a step
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(1..=MAX_BATCH), allow_negative_numbers = true)]
    batch: u64,
    /// The highest learning rate
    #[arg(long, value_name = "R", default_value_t = 0.002, value_parser = rate, allow_negative_numbers = true)]
    lr: f64,
    /// How the learning rate goes on after the warm-up
    #[arg(long, value_enum, default_value_t = ScheduleChoice::Cosine)]
    schedule: ScheduleChoice,
    /// Steps in which the learning rate rises evenly from nothing
    #[arg(long, value_name = "STEPS", default_value_t = 0, value_parser = whole_number(0..=MAX_STEPS), allow_negative_numbers = true)]
    warmup: u64,
    /// AdamW's weight decay
    #[arg(long, value_name = "D", default_value_t = 0.01, value_parser = decay, allow_negative_numbers = true)]
    weight_decay: f64,
    /// Longest gradient, by its Euclidean norm; longer ones are scaled down
    #[arg(long, value_name = "NORM", value_parser = above_zero, allow_negative_numbers = true)]
    clip: Option<f64>,
    /// Do not show half of the rows, by chance, in the mirror
    #[arg(long)]
    no_mirror: bool,
    /// Share of the search's value in what is learned, 0 to 1; the rest is the game's result
    #[arg(long, value_name = "L", default_value_t = 0.0, value_parser = share, allow_negative_numbers = true)]
    lambda: f64,
    /// Share of the games kept for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = proper_share, allow_negative_numbers = true)]
    validation: f64,
    /// Rows whose move was random, of openings and exploration: keep them, or skip them, in validation too
    #[arg(long, value_enum, default_value_t = RandomRowsChoice::Keep)]
    random_rows: RandomRowsChoice,
    /// What to do about a wrong row: stop, or skip its game and say how many were
    #[arg(long, value_enum, default_value_t = OnBadChoice::Stop)]
    on_bad: OnBadChoice,
    /// Threads that read the data, as many as the processor has where nothing is said
    #[arg(long, value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    reader_threads: Option<u64>,
    /// Rows that are shuffled at a time, 32 bytes each
    #[arg(long, value_name = "ROWS", default_value_t = Streaming::BUFFER.get() as u64, value_parser = whole_number(1..=MAX_BUFFER), allow_negative_numbers = true)]
    shuffle: u64,
    /// Epochs without a better validation loss after which training stops
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    patience: u64,
    /// Sizes of the two hidden layers
    #[arg(long, value_name = "H1,H2", default_value = "128,32", value_parser = layers, allow_hyphen_values = true)]
    layers: [usize; 2],
    /// Weights to begin with, instead of drawn ones, of the same sizes
    #[arg(long, value_name = "NET.safetensors")]
    start: Option<PathBuf>,
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

impl Arguments {
    /// Refuses no value: each has passed its parser.
    fn settings(&self, seed: u64) -> Settings {
        let within = "within the bounds of the flag";
        let count = |number: u64| NonZeroU32::new(u32::try_from(number).expect(within)).expect(within);
        Settings {
            epochs: count(self.epochs),
            batch: NonZeroUsize::new(self.batch as usize).expect(within),
            learning_rate: self.lr,
            schedule: self.schedule.into(),
            warmup: self.warmup,
            weight_decay: self.weight_decay,
            clip: self.clip,
            mirror: !self.no_mirror,
            patience: count(self.patience),
            layers: self.layers,
            seed,
        }
    }

    /// All that the weights depend on, by the names of the flags, and the data by their fingerprint.
    fn table(&self, settings: &Settings, data: &dyn Source, start: Option<&Network>) -> SettingsTable {
        let mut table = settings.table();
        let weights: Vec<String> = self.data.iter().map(|window| window.weight.to_string()).collect();
        table.extend([
            ("data".to_owned(), data.fingerprint()),
            ("lambda".to_owned(), self.lambda.to_string()),
            ("validation".to_owned(), self.validation.to_string()),
            ("shuffle".to_owned(), self.shuffle.to_string()),
            ("data-weights".to_owned(), weights.join(",")),
            ("start".to_owned(), start.map_or("random".to_owned(), hash)),
            ("random-rows".to_owned(), RandomRows::from(self.random_rows).name().to_owned()),
        ]);
        table
    }
}

/// SHA-256 of a network's numbers.
fn hash(network: &Network) -> String {
    let mut hash = Sha256::new();
    for number in State::starting_at(network).numbers {
        hash.update(number.to_le_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The weights to begin with, where some are asked for: for boards like those of the data, with the layers asked for.
fn start(arguments: &Arguments) -> anyhow::Result<Option<Network>> {
    let Some(path) = &arguments.start else { return Ok(None) };
    let folders: Vec<PathBuf> = arguments.data.iter().map(|window| window.folder.clone()).collect();
    let (_, width) = manifests(&folders)?;
    let network = Network::load_for(path, width).context("--start")?;
    let ([h1, h2], [asked1, asked2]) = (network.header().layers, arguments.layers);
    if (h1, h2) != (asked1, asked2) {
        let path = path.display();
        return Err(Usage(format!(
            "--start {path}: its layers are {h1},{h2}, those of --layers {asked1},{asked2}"
        ))
        .into());
    }
    Ok(Some(network))
}

/// The newest whole checkpoint, each damaged one passed over told in a line.
fn resumed(checkpoints: &Checkpoints) -> anyhow::Result<Loaded> {
    let loaded = checkpoints.load().context("--resume")?;
    for error in &loaded.passed_over {
        tell(format_args!("{error}; going on from the one before"));
    }
    Ok(loaded)
}

/// Names every setting that is not the checkpoint's.
fn compare(loaded: &Loaded, table: &SettingsTable) -> Result<(), Usage> {
    let short = |value: &String| value.chars().take(20).collect::<String>();
    let names: BTreeSet<&String> = loaded.settings.keys().chain(table.keys()).collect();
    let none = "none".to_owned();
    let differing: Vec<String> = names
        .into_iter()
        .filter_map(|name| {
            let [was, is] = [&loaded.settings, table].map(|table| table.get(name).unwrap_or(&none));
            (was != is).then(|| format!("{name} was {}, not {}", short(was), short(is)))
        })
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    let (path, differing) = (loaded.path.display(), differing.join("; "));
    Err(Usage(format!("--resume: {path} was made with other settings: {differing}")))
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let checkpoints = Checkpoints::beside(&arguments.out);
    let check = || -> anyhow::Result<Outputs> {
        let outputs = Outputs::check(&arguments.out, arguments.force, arguments.resume)?;
        if !arguments.force && !arguments.resume && !checkpoints.files()?.is_empty() {
            bail!(
                "{} holds checkpoints: --resume to go on from them, or --force to begin anew",
                checkpoints.folder().display()
            );
        }
        Ok(outputs)
    };
    check()?;
    let loaded = if arguments.resume { Some(resumed(&checkpoints)?) } else { None };
    let device = device(arguments.device)?;
    let start = start(arguments)?;
    let data = read(arguments)?;
    let where_to = if device.is_cuda() { "CUDA" } else { "the CPU" };
    let [training_games, validation_games] = data.games();
    let [training_rows, validation_rows] = data.rows();
    tell(format_args!(
        "{training_rows} rows of {training_games} games to train on, {validation_rows} rows of {validation_games} games \
         to validate, on {where_to}"
    ));

    tch::set_num_threads(i32::try_from(arguments.threads).expect("within the bounds of the flag"));
    // Drawn, and told, only now: an error before this is the only line.
    let kept = loaded.as_ref().and_then(|loaded| loaded.settings.get("seed")?.parse().ok());
    let settings = arguments.settings(match arguments.seed.or(kept) {
        Some(seed) => seed,
        None => seed_or_drawn(None),
    });
    let table = arguments.table(&settings, &data, start.as_ref());
    if let Some(loaded) = &loaded {
        compare(loaded, &table)?;
    }
    let _lock = Lock::take(&arguments.out)?;
    // Once more: until now another fit may have been at it.
    let outputs = check()?;
    outputs.clean()?;
    checkpoints.clean()?;
    let from = match loaded {
        Some(loaded) => {
            let (path, state) = (loaded.path.display(), &loaded.state);
            tell(format_args!(
                "resumed from {path}: epoch {}, {} steps of it made",
                state.epoch, state.batch
            ));
            Some(loaded.state)
        }
        None => {
            checkpoints.clear()?;
            start.as_ref().map(State::starting_at)
        }
    };
    let rows = training_rows;
    let seen = from.as_ref().map_or(0, |state| u64::from(state.epoch - 1) * rows + state.seen);
    let clock = SystemClock::default();
    let progress = Progress::new("fit", "rows", (rows * arguments.epochs).saturating_sub(seen));
    let mut watching = Watching {
        progress: &progress,
        epochs: arguments.epochs,
        checkpoints: &checkpoints,
        settings: &table,
        every: arguments.checkpoint_every,
        after: Duration::try_from_secs_f64(60.0 * arguments.checkpoint_minutes).unwrap_or(Duration::MAX),
        kept: clock.now(),
        epoch: from.as_ref().map_or(1, |state| state.epoch),
    };
    let fitted = fit(&data, &settings, device, &clock, from, &mut watching);
    let epoch = watching.epoch;
    let out = outputs.weights.display();
    match fitted {
        Ok(fitted) => {
            progress.finish();
            tell_left_out(&data);
            outputs.save(&fitted, &data, &table)?;
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
                outputs.save(fitted, &data, &table)?;
                bail!("{error}; the weights of epoch {} are kept in {out}", fitted.best_epoch);
            }
            if let FitError::Data(_) = &error {
                let forgotten = checkpoints.forget(epoch)?;
                if forgotten > 0 {
                    bail!("{error}; checkpoints that may have learned from it are removed ({forgotten})");
                }
            }
            Err(error.into())
        }
    }
}

/// Shows how a fit goes, and writes its checkpoints.
struct Watching<'a> {
    progress: &'a Progress,
    epochs: u64,
    checkpoints: &'a Checkpoints,
    settings: &'a SettingsTable,
    /// Steps from one checkpoint to the next.
    every: Option<u64>,
    /// Time from one checkpoint to the next.
    after: Duration,
    /// When the last one was written.
    kept: Duration,
    /// The epoch under way.
    epoch: u32,
}

impl Observer for Watching<'_> {
    fn step(&mut self, step: Step) {
        self.progress.note(format!("epoch {}, loss {:.4}", step.epoch, step.loss));
        self.progress.advance(step.rows as u64);
    }

    fn epoch(&mut self, epoch: &Epoch) {
        self.epoch = epoch.epoch + 1;
        self.progress.say(line(epoch, self.epochs));
    }

    fn wants_state(&mut self, steps: u64, now: Duration) -> bool {
        let due = self.every.is_some_and(|every| steps.is_multiple_of(every));
        let late = now.saturating_sub(self.kept) >= self.after;
        if due || late {
            self.kept = now;
        }
        due || late
    }

    fn keep(&mut self, state: &State) -> Result<(), String> {
        // A full disk is no reason to lose the fit as well.
        if let Err(error) = self.checkpoints.save(self.settings, state) {
            self.progress.say(format!("no checkpoint this time: {error}"));
        }
        Ok(())
    }
}

fn read(arguments: &Arguments) -> anyhow::Result<Stream> {
    let reading = Reading {
        lambda: arguments.lambda as f32,
        validation: arguments.validation,
        random_rows: arguments.random_rows.into(),
    };
    let within = "within the bounds of the flag";
    let asked = arguments.reader_threads.map(|threads| NonZeroUsize::new(threads as usize).expect(within));
    let streaming = Streaming {
        on_bad: match arguments.on_bad {
            OnBadChoice::Stop => OnBad::Stop,
            OnBadChoice::Skip => OnBad::Skip,
        },
        threads: asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        buffer: NonZeroUsize::new(arguments.shuffle as usize).expect(within),
    };
    let mut progress = None;
    let data = Stream::open(&arguments.data, &reading, streaming, |done, total| {
        let progress = progress.get_or_insert_with(|| Progress::new("read", "rows", total));
        progress.advance(done - progress.done());
    })?;
    if let Some(progress) = progress {
        progress.finish();
    }
    Ok(data)
}

/// Tells what was left out of the data, if anything was.
fn tell_left_out(data: &Stream) {
    let LeftOut { rows, games, first } = data.left_out();
    if let Some(first) = first {
        tell(format_args!("left out: {rows} rows of {games} games with wrong rows; the first: {first}"));
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

#[cfg(test)]
mod tests {
    use std::error::Error;

    use clap::Parser;

    use crate::cli::Cli;

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
            ("--checkpoint-every", ["0", "-1", "1.5"], "from 1 to 1000000000"),
            ("--checkpoint-minutes", ["0", "-1", "nan"], "above 0"),
            ("--warmup", ["-1", "0.5", "1000000001"], "from 0 to 1000000000"),
            ("--clip", ["0", "-1", "inf"], "above 0"),
            ("--lambda", ["-0.1", "2", "nan"], "from 0 to 1"),
            ("--validation", ["0", "1", "-1"], "above 0 and below 1"),
            ("--shuffle", ["0", "-1", "1073741825"], "from 1 to 1073741824"),
            ("--reader-threads", ["0", "-1", "1025"], "from 1 to 1024"),
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
