//! `giuthi-train loop`.

use std::env;
use std::fs;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::Context;
use clap::{Args, ValueEnum};
use giuthi_engine::Variant;
use giuthi_engine::cli::{Progress, SystemClock, Usage, print, tell, whole_number};
use giuthi_engine::search::MAX_DEPTH;
use giuthi_selfplay::settings::DEFAULT_OPENING;
use giuthi_selfplay::{Epsilon, OpeningPlies};

use super::{
    DeviceChoice, MAX_BATCH, MAX_EPOCHS, MAX_STEPS, MAX_THREADS, RandomRowsChoice, ScheduleChoice, decay,
    device, layers, rate, share, weight,
};
use crate::data::FEWEST_GAMES;
use crate::fit;
use crate::generations::{
    self, Error, Event, MOST_GENERATIONS, Means, PromoteBy, Settings, Start, Step, report, started_seed,
};

/// Most games that can be asked for, of self-play and of a match.
const MAX_GAMES: u64 = 100_000_000;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Rows and seeds of the board, 2xWxS
    #[arg(long, value_name = "V", default_value_t, allow_hyphen_values = true)]
    variant: Variant,
    /// Generations in all, from 0 on; a run that has fewer goes on
    #[arg(long, value_name = "G", value_parser = whole_number(1..=MOST_GENERATIONS.into()), allow_negative_numbers = true)]
    generations: u64,
    /// Games of self-play a generation
    #[arg(long, value_name = "N", value_parser = whole_number(FEWEST_GAMES..=MAX_GAMES), allow_negative_numbers = true)]
    games: u64,
    /// Folder of the run: a new one, an empty one, or that of the same run, which goes on
    #[arg(long, value_name = "RUN")]
    out: PathBuf,
    /// Plies that the searches of matches look ahead
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = whole_number(1..=MAX_DEPTH.into()), allow_negative_numbers = true)]
    depth: u64,
    /// Plies that the searches of self-play look ahead; as many as --depth when not given
    #[arg(long, value_name = "D", value_parser = whole_number(1..=MAX_DEPTH.into()), allow_negative_numbers = true)]
    selfplay_depth: Option<u64>,
    /// Random plies at the start of a game of self-play: a number, or a range A..B to draw it from, both ends included
    #[arg(long, value_name = "A..B", default_value_t = DEFAULT_OPENING, allow_hyphen_values = true)]
    opening_plies: OpeningPlies,
    /// Share of self-play's later moves played at random, 0 to 1
    #[arg(long, value_name = "E", default_value_t, allow_hyphen_values = true)]
    epsilon: Epsilon,
    /// Generations whose games a network is fitted to: its own and those before it; games by the material count fall
    /// out as soon as there are games by a network
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole_number(1..=MOST_GENERATIONS.into()), allow_negative_numbers = true)]
    window: u64,
    /// Share of a generation's games that train in an epoch, above 0, up to 1, once for each generation that it is old
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = weight, allow_negative_numbers = true)]
    window_decay: f64,
    /// Share of the search's value in what is learned from games by a network, 0 to 1; the rest is the game's result
    #[arg(long, value_name = "L", default_value_t = 0.75, value_parser = share, allow_negative_numbers = true)]
    lambda: f64,
    /// Rows whose move was random, of openings and exploration: keep them, or skip them
    #[arg(long, value_enum, default_value_t = RandomRowsChoice::Skip)]
    random_rows: RandomRowsChoice,
    /// What a fit begins with: the best network so far, or drawn weights
    #[arg(long, value_enum, default_value_t = StartChoice::Best)]
    start: StartChoice,
    /// Most epochs of a fit
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    epochs: u64,
    /// Rows a step of a fit
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(1..=MAX_BATCH), allow_negative_numbers = true)]
    batch: u64,
    /// The highest learning rate
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = rate, allow_negative_numbers = true)]
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
    /// Epochs without a better validation loss after which a fit stops
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_number(1..=MAX_EPOCHS), allow_negative_numbers = true)]
    patience: u64,
    /// Sizes of the two hidden layers
    #[arg(long, value_name = "H1,H2", default_value = "128,32", value_parser = layers, allow_hyphen_values = true)]
    layers: [usize; 2],
    /// Games of a match: an even number, as each opening is played from both seats
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = even, allow_negative_numbers = true)]
    match_games: u64,
    /// Score in the match against the best so far, 0 to 1 with a draw as a half, above which a network is promoted
    #[arg(long, value_name = "SCORE", default_value_t = 0.5, value_parser = share, allow_negative_numbers = true)]
    promote_above: f64,
    /// What has to be above it
    #[arg(long, value_enum, default_value_t = PromoteByChoice::Score)]
    promote_by: PromoteByChoice,
    /// Seed of all randomness; that of the run begun in RUN, or else a drawn one, when not given
    #[arg(long, value_name = "S", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Games played at a time; all cores when not given. Fits take one thread
    #[arg(long, value_name = "T", value_parser = whole_number(1..=MAX_THREADS), allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Where to fit
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PromoteByChoice {
    /// The score
    Score,
    /// The lower end of its 95 % interval
    LowerBound,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StartChoice {
    /// The best network so far; drawn weights where there is none
    Best,
    /// Drawn weights
    Random,
}

fn even(text: &str) -> Result<u64, String> {
    let most = u64::from(giuthi_eval::tournament::MAX_GAMES);
    let wanted = || format!("an even number from 2 to {most} is possible");
    let number = whole_number(2..=most)(text).map_err(|_| wanted())?;
    if number.is_multiple_of(2) { Ok(number) } else { Err(wanted()) }
}

impl Arguments {
    /// Refuses no value: each has passed its parser.
    fn settings(&self, seed: u64) -> Settings {
        let within = "within the bounds of the flag";
        let small = |number: u64| u32::try_from(number).expect(within);
        let count = |number: u64| NonZeroU32::new(small(number)).expect(within);
        Settings {
            variant: self.variant,
            depth: small(self.depth),
            selfplay_depth: small(self.selfplay_depth.unwrap_or(self.depth)),
            games: NonZeroU64::new(self.games).expect(within),
            opening: self.opening_plies,
            epsilon: self.epsilon,
            window: count(self.window),
            window_decay: self.window_decay,
            lambda: self.lambda,
            random_rows: self.random_rows.into(),
            start: match self.start {
                StartChoice::Best => Start::Best,
                StartChoice::Random => Start::Random,
            },
            fit: fit::Settings {
                epochs: count(self.epochs),
                batch: NonZeroUsize::new(self.batch as usize).expect(within),
                learning_rate: self.lr,
                schedule: self.schedule.into(),
                warmup: self.warmup,
                weight_decay: self.weight_decay,
                patience: count(self.patience),
                layers: self.layers,
                ..fit::Settings::default()
            },
            match_games: small(self.match_games),
            promote_above: self.promote_above,
            promote_by: match self.promote_by {
                PromoteByChoice::Score => PromoteBy::Score,
                PromoteByChoice::LowerBound => PromoteBy::LowerBound,
            },
            seed,
        }
    }
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let shown = arguments.out.display().to_string();
    // Before anything is made, so that settings that cannot be leave nothing behind.
    arguments.settings(0).check().map_err(|error| Usage(format!("--variant: {error}")))?;
    let device = device(arguments.device)?;
    fs::create_dir_all(&arguments.out).with_context(|| format!("--out {shown}"))?;
    // In the folder, weights have the same names wherever it is, and so the datasets that name them the same bytes.
    env::set_current_dir(&arguments.out).with_context(|| format!("--out {shown}"))?;
    let here = Path::new("");
    // Told only once the work begins: an error before that is the only line.
    let (seed, mut told) = match (arguments.seed, started_seed(here)) {
        (Some(seed), _) => (seed, None),
        (None, Some(seed)) => (seed, Some(format!("seed {seed}, of the run begun in {shown}"))),
        (None, None) => {
            // 53 bits: a number that every JSON reader keeps exactly.
            let seed = rand::random::<u64>() >> 11;
            (seed, Some(format!("seed {seed}")))
        }
    };
    let threads = arguments.threads.map_or_else(available_parallelism, |threads| {
        Ok(NonZeroUsize::new(threads as usize).expect("within the bounds of the flag"))
    });
    tch::set_num_threads(1);
    let clock = SystemClock::default();
    let means = Means { threads: threads.unwrap_or(NonZeroUsize::MIN), device, clock: &clock };
    let generations = u32::try_from(arguments.generations).expect("within the bounds of the flag");
    let mut progress = None;
    let rows = generations::run(&arguments.settings(seed), generations, here, means, &mut |event| {
        if let Some(line) = told.take() {
            tell(line);
        }
        show(&mut progress, &event);
    });
    // On a terminal the bar goes with it, before an error is told.
    drop(progress);
    let rows = rows.map_err(|error| match error {
        Error::OtherSettings { .. } => Usage(format!("--out {shown}: {error}")).into(),
        error => anyhow::Error::from(error).context(shown.clone()),
    })?;
    if rows.iter().any(|row| row.openings_repeat) {
        tell(
            "warning: matches have repeated openings, and so games: the intervals are too narrow; fewer --match-games are as good",
        );
    }
    print(&report::text(&rows))
}

fn show(progress: &mut Option<Progress>, event: &Event<'_>) {
    match event {
        Event::Begin { generation, step, pieces } => {
            let (name, unit) = match step {
                Step::SelfPlay => ("self-play", "games"),
                Step::Read => ("read", "rows"),
                Step::Fit => ("fit", "rows"),
                Step::Match => ("match", "games"),
            };
            *progress = Some(Progress::new(&format!("generation {generation}: {name}"), unit, *pieces));
        }
        Event::Advance(pieces) => {
            if let Some(progress) = progress {
                progress.advance(*pieces);
            }
        }
        Event::Note(note) => {
            if let Some(progress) = progress {
                progress.note(note.as_str());
            }
        }
        Event::End => {
            if let Some(progress) = progress.take() {
                progress.finish();
            }
        }
        Event::Generation(row) => {
            let verdict = if row.promoted { "promoted" } else { "not promoted" };
            let (score, elo) = (100.0 * row.score, row.against_best);
            tell(format_args!(
                "generation {}: {score:.1} % against the best before, {:+.0} Elo [{:.0}, {:.0}]: {verdict}",
                row.generation, elo.elo, elo.lower, elo.upper
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn a_bad_value_is_refused_with_what_is_possible() {
        for (flag, bad, wanted) in [
            ("--generations", ["0", "-1", "1001"], "from 1 to 1000"),
            ("--games", ["9", "-1", "1e3"], "from 10 to 100000000"),
            ("--depth", ["0", "201", "x"], "from 1 to 200"),
            ("--epochs", ["0", "-1", "100001"], "from 1 to 100000"),
            ("--window", ["0", "-2", "1001"], "from 1 to 1000"),
            ("--match-games", ["0", "3", "1000002"], "an even number from 2 to 1000000"),
            ("--selfplay-depth", ["0", "-1", "201"], "from 1 to 200"),
            ("--opening-plies", ["x", "9..6", "-1"], "6..12"),
            ("--epsilon", ["-0.1", "1.5", "nan"], "from 0 to 1"),
            ("--window-decay", ["0", "-1", "1.5"], "above 0, up to 1,"),
            ("--lambda", ["-0.1", "2", "nan"], "from 0 to 1"),
            ("--batch", ["0", "-512", "1e3"], "from 1 to 1048576"),
            ("--lr", ["0", "nan", "1e31"], "above 0, up to 1e30,"),
            ("--warmup", ["-1", "0.5", "1000000001"], "from 0 to 1000000000"),
            ("--weight-decay", ["-0.1", "inf", "1e7"], "from 0 to 1e6"),
            ("--patience", ["0", "-3", ""], "from 1 to 100000"),
            ("--layers", ["5", "5,0", "-1,1025"], "two sizes from 1 to 1024"),
            ("--promote-above", ["-0.1", "1.5", "nan"], "from 0 to 1"),
            ("--seed", ["-1", "0.5", ""], "from 0 to 18446744073709551615"),
            ("--threads", ["0", "-1", "1025"], "from 1 to 1024"),
        ] {
            for bad in bad {
                let mut arguments = vec!["giuthi-train", "loop", "--out", "run"];
                for (needed, good) in [("--generations", "1"), ("--games", "10")] {
                    if needed != flag {
                        arguments.extend([needed, good]);
                    }
                }
                arguments.extend([flag, bad]);
                let error = Cli::try_parse_from(arguments).expect_err("it is refused");
                let reason = error.source().expect("the value's parser refuses it").to_string();
                assert!(reason.contains(wanted), "{flag} {bad}: {reason}");
            }
        }
    }
}
