//! The training loop: shuffled batches, AdamW by a schedule, validation after each epoch, early stop.

mod adamw;
mod batch;
mod judge;
mod schedule;
mod state;
mod step;

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use giuthi_engine::net::{FeatureSet, NetError};
use giuthi_engine::{Clock, Network};
use tch::{Device, TchError, Tensor};
use thiserror::Error;

pub use adamw::AdamW;
pub use batch::{Batch, Batcher};
pub use judge::{BINS, Bin, Calibration};
pub use schedule::{Schedule, Shape as ScheduleShape};
pub use state::{Best, State};
pub use step::Stepper;

use crate::checkpoint::SettingsTable;
use crate::data::DataError;
use crate::metrics::Epoch;
use crate::model::{Model, Shape};
use crate::source::Source;

/// What networks see of a position.
pub const FEATURES: FeatureSet = FeatureSet::Pits24Lead;

/// Settings of a fit: with the data, all that its weights depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Most passes over the training rows.
    pub epochs: NonZeroU32,
    /// Rows a step; the last step of an epoch takes what is left.
    pub batch: NonZeroUsize,
    /// The highest learning rate.
    pub learning_rate: f64,
    /// How it goes on from there.
    pub schedule: ScheduleShape,
    /// Steps in which it rises to there.
    pub warmup: u64,
    /// AdamW's decoupled weight decay (Loshchilov & Hutter 2019).
    pub weight_decay: f64,
    /// Longest gradient, by its Euclidean norm: a longer one is scaled down (Pascanu, Mikolov & Bengio 2013).
    pub clip: Option<f64>,
    /// Whether half of each batch, by chance, is seen in the mirror.
    pub mirror: bool,
    /// Epochs without a better validation loss after which training stops.
    pub patience: NonZeroU32,
    /// Sizes of the two hidden layers, 1 … [`MAX_LAYER`](giuthi_engine::net::MAX_LAYER).
    pub layers: [usize; 2],
    /// Fixes the first weights and the order of the rows.
    pub seed: u64,
}

impl Settings {
    /// All of them, by the names of the command line's flags.
    #[must_use]
    pub fn table(&self) -> SettingsTable {
        [
            ("epochs", self.epochs.to_string()),
            ("batch", self.batch.to_string()),
            ("lr", self.learning_rate.to_string()),
            ("schedule", self.schedule.name().to_owned()),
            ("warmup", self.warmup.to_string()),
            ("weight-decay", self.weight_decay.to_string()),
            ("clip", self.clip.map_or("none".to_owned(), |norm| norm.to_string())),
            ("mirror", self.mirror.to_string()),
            ("patience", self.patience.to_string()),
            ("layers", format!("{},{}", self.layers[0], self.layers[1])),
            ("seed", self.seed.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

impl Default for Settings {
    /// The command line's, with seed 0.
    fn default() -> Settings {
        Settings {
            epochs: NonZeroU32::new(10).expect("not zero"),
            batch: NonZeroUsize::new(512).expect("not zero"),
            learning_rate: 0.002,
            schedule: ScheduleShape::Cosine,
            warmup: 0,
            weight_decay: 0.01,
            clip: None,
            mirror: true,
            patience: NonZeroU32::new(3).expect("not zero"),
            layers: [128, 32],
            seed: 0,
        }
    }
}

/// Why a fit came to nothing.
#[derive(Debug, Error)]
pub enum FitError {
    /// The loss is not a number, or so large that training has diverged. The best weights until then, if an epoch
    /// was finished, are handed back.
    #[error(
        "epoch {epoch}, batch {batch}: the loss is {loss}: training has diverged; try a smaller learning rate"
    )]
    Diverged {
        /// The epoch, from 1.
        epoch: u32,
        /// The batch in it, from 1; the last one where it came to light at the end of the epoch.
        batch: u64,
        /// The loss of the batch or, at the end of the epoch, of the validation.
        loss: f64,
        /// The best network until then.
        best: Option<Box<Fitted>>,
    },
    /// The rows could not be had.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A state to go on from that is not one of this network.
    #[error("a state of {found} numbers, for a network of {wanted}")]
    State {
        /// Numbers that it holds.
        found: usize,
        /// Numbers of the network.
        wanted: usize,
    },
    /// The state could not be kept.
    #[error("{0}")]
    Keep(String),
    /// libtorch failed.
    #[error("libtorch: {}", first_line(.0))]
    Torch(#[from] TchError),
    /// The weights do not make a network.
    #[error(transparent)]
    Net(#[from] NetError),
}

/// What libtorch says, without the frames of C++ that follow.
fn first_line(error: &TchError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// A network and how it came about.
#[derive(Debug)]
pub struct Fitted {
    /// The network of the best epoch.
    pub network: Network,
    /// Number of that epoch, from 1.
    pub best_epoch: u32,
    /// Every epoch.
    pub epochs: Vec<Epoch>,
    /// Its predictions of the validation rows.
    pub calibration: Calibration,
}

/// A fit under way, told to the observer after each step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The epoch, from 1.
    pub epoch: u32,
    /// Training rows of this step.
    pub rows: usize,
    /// Its learning rate.
    pub learning_rate: f64,
    /// Mean loss of this epoch so far.
    pub loss: f64,
}

/// Is told how a fit goes, and may keep its state to go on from later.
pub trait Observer {
    /// After every step.
    fn step(&mut self, step: Step) {
        let _ = step;
    }

    /// After every epoch.
    fn epoch(&mut self, epoch: &Epoch) {
        let _ = epoch;
    }

    /// Whether to [`keep`](Self::keep) the state, asked after every step. `steps` have been made in all; `now` is the
    /// fit's clock.
    fn wants_state(&mut self, steps: u64, now: Duration) -> bool {
        let _ = (steps, now);
        false
    }

    /// Keeps a state that was wanted.
    ///
    /// # Errors
    /// What went wrong, in one line; the fit ends with it.
    fn keep(&mut self, state: &State) -> Result<(), String> {
        let _ = state;
        Ok(())
    }
}

/// A loss beyond this is no training any more: guessing the three results evenly costs ln 3 ≈ 1.1.
const DIVERGED: f64 = 50.0;

/// Batches made ahead by the thread that reads.
const AHEAD: usize = 4;

/// Fits a network to data from the beginning, or goes on `from` a state that an [`Observer`] kept.
///
/// A mirrored position is worth the same, so every row is seen, each epoch by chance, as it is or in the mirror: as
/// good as more games (measured at equal depth on `2x6x4` and `2x8x8`: about 10 and 25 Elo, the first hardly beyond noise).
///
/// Rows are read and made ready by a thread of their own. Deterministic on the CPU with one thread of libtorch, from
/// the data, the settings and libtorch's version: going on from a state comes to the same bits.
pub fn fit(
    data: &dyn Source,
    settings: &Settings,
    device: Device,
    clock: &dyn Clock,
    from: Option<State>,
    observer: &mut dyn Observer,
) -> Result<Fitted, FitError> {
    let shape = Shape { width: data.width(), features: FEATURES, layers: settings.layers };
    let batcher = Batcher::new(FEATURES, data.width(), settings.mirror);
    let batches = data.rows()[0].div_ceil(settings.batch.get() as u64);
    let schedule = Schedule {
        shape: settings.schedule,
        peak: settings.learning_rate,
        warmup: settings.warmup,
        steps: batches * u64::from(settings.epochs.get()),
    };
    let (mut state, mut stepper) = begin(shape, settings, device, from)?;
    while !state.is_over(settings) {
        let number = state.epoch;
        let mut rate = schedule.rate((u64::from(number) * batches).saturating_sub(1));
        let before = state.took;
        let started = clock.now();
        let rows = data.training(settings.seed, number, settings.batch.get(), state.batch);
        let ready = rows.map(|rows| rows.map(|rows| batcher.batch(rows)));
        let bad = thread::scope(|scope| {
            let (sender, receiver) = sync_channel(AHEAD);
            scope.spawn(move || {
                for batch in ready {
                    // Nobody waits for more once the fit has ended.
                    if sender.send(batch).is_err() {
                        break;
                    }
                }
            });
            for batch in receiver {
                let batch = batch?;
                let count = batch.count;
                rate = schedule.rate((u64::from(number) - 1) * batches + state.batch);
                let loss = stepper.backward(&batch)?;
                if diverged(loss) {
                    return Ok(Some((state.batch + 1, loss)));
                }
                stepper.update(rate, settings.clip)?;
                state.batch += 1;
                state.sum += loss * count as f64;
                state.seen += count as u64;
                state.took = before + clock.now().saturating_sub(started);
                let loss = state.sum / state.seen as f64;
                observer.step(Step { epoch: number, rows: count, learning_rate: rate, loss });
                if observer.wants_state(stepper.optimiser().steps(), clock.now()) {
                    state.take(&stepper)?;
                    observer.keep(&state).map_err(FitError::Keep)?;
                }
            }
            Ok::<_, FitError>(None)
        })?;
        let judged = match bad {
            Some((batch, loss)) => Err((batch, loss)),
            None => {
                let judged = judge::judge(data, stepper.model())?;
                // What the last step did is seen here first.
                if diverged(judged.0) { Err((batches, judged.0)) } else { Ok(judged) }
            }
        };
        let (validation_loss, validation_accuracy) = match judged {
            Ok(judged) => judged,
            Err((batch, loss)) => {
                let best = finish(state, shape, data, device)?.map(Box::new);
                return Err(FitError::Diverged { epoch: number, batch, loss, best });
            }
        };
        let took = state.took.max(Duration::from_nanos(1));
        let finished = Epoch {
            epoch: number,
            train_loss: state.sum / state.seen as f64,
            validation_loss,
            validation_accuracy,
            learning_rate: rate,
            samples_per_s: state.seen as f64 / took.as_secs_f64(),
            best: state.best.as_ref().is_none_or(|best| validation_loss < best.loss),
        };
        observer.epoch(&finished);
        state.finish_epoch(finished, stepper.model())?;
    }
    Ok(finish(state, shape, data, device)?.expect("at least one epoch was finished"))
}

/// The state to begin with, and the network and optimiser in it.
fn begin(
    shape: Shape,
    settings: &Settings,
    device: Device,
    from: Option<State>,
) -> Result<(State, Stepper), FitError> {
    let Some(state) = from else {
        let model = Model::new(shape, settings.seed, device)?;
        let optimiser = AdamW::new(model.flat(), settings.weight_decay)?;
        return Ok((State::default(), Stepper::new(model, optimiser)?));
    };
    let wanted = shape.sizes().iter().sum();
    let best = state.best.as_ref().map(|best| &best.numbers);
    for found in [&state.numbers, &state.mean, &state.square].into_iter().chain(best).map(Vec::len) {
        if found != wanted {
            return Err(FitError::State { found, wanted });
        }
    }
    let tensor = |numbers: &[f32]| Tensor::from_slice(numbers).f_to_device(device);
    let model = Model::of(shape, tensor(&state.numbers)?)?;
    let [mean, square] = [tensor(&state.mean)?, tensor(&state.square)?];
    let optimiser = AdamW::resumed(settings.weight_decay, state.steps, mean, square)?;
    Ok((state, Stepper::new(model, optimiser)?))
}

fn diverged(loss: f64) -> bool {
    !loss.is_finite() || loss > DIVERGED
}

/// The best network of a fit that has come to its end.
fn finish(state: State, shape: Shape, data: &dyn Source, device: Device) -> Result<Option<Fitted>, FitError> {
    let State { best: Some(best), epochs, .. } = state else { return Ok(None) };
    let model = Model::of(shape, Tensor::from_slice(&best.numbers).f_to_device(device)?)?;
    let calibration = judge::calibrate(data, &model)?;
    let network = shape.network(shape.weights(&best.numbers), data.description())?;
    Ok(Some(Fitted { network, best_epoch: best.epoch, epochs, calibration }))
}
