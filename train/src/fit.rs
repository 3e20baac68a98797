//! The training loop: shuffled batches, AdamW with a cosine schedule, validation after each epoch, early stop.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use giuthi_engine::net::{FeatureSet, NetError, Weights};
use giuthi_engine::{Clock, Network};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tch::nn::{AdamW, VarStore};
use tch::{COptimizer, Device, Kind, TchError, Tensor};
use thiserror::Error;

use crate::data::{Dataset, Rows};
use crate::metrics::Epoch;
use crate::model::{Inputs, Model};

/// Settings of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Most passes over the training rows.
    pub epochs: NonZeroU32,
    /// Rows a step; the last step of an epoch takes what is left.
    pub batch: NonZeroUsize,
    /// Learning rate at the start; it falls along a half cosine to a hundredth of it at the last step.
    pub learning_rate: f64,
    /// AdamW's decoupled weight decay (Loshchilov & Hutter 2019).
    pub weight_decay: f64,
    /// Epochs without a better validation loss after which training stops.
    pub patience: NonZeroU32,
    /// Sizes of the two hidden layers, 1 … [`MAX_LAYER`](giuthi_engine::net::MAX_LAYER).
    pub layers: [usize; 2],
    /// Fixes the first weights and the order of the rows.
    pub seed: u64,
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
        batch: usize,
        /// The loss of the batch or, at the end of the epoch, of the validation.
        loss: f64,
        /// The best network until then.
        best: Option<Box<Fitted>>,
    },
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
}

/// A fit under way, told to the observer after each step.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The epoch, from 1.
    pub epoch: u32,
    /// The training rows of this step, by their numbers in [`Dataset::training`].
    pub rows: &'a [i64],
    /// Its learning rate.
    pub learning_rate: f64,
    /// Mean loss of this epoch so far.
    pub loss: f64,
}

/// A loss beyond this is no training any more: guessing the three results evenly costs ln 3 ≈ 1.1.
const DIVERGED: f64 = 50.0;

/// Rows a step of validation: only memory is at stake.
const VALIDATION_BATCH: usize = 8192;

/// Fits a network to a dataset. `step` is told every step and `epoch` every epoch.
///
/// A mirrored position is worth the same, so every row is seen, each epoch by chance, as it is or in the mirror: as
/// good as more games (measured at equal depth on `2x6x4` and `2x8x8`: about 10 and 25 Elo, the first hardly beyond noise).
///
/// Deterministic on the CPU with one thread, from the data, the settings and libtorch's version.
pub fn fit(
    data: &Dataset,
    settings: &Settings,
    device: Device,
    clock: &dyn Clock,
    mut step: impl FnMut(Step<'_>),
    mut epoch: impl FnMut(&Epoch),
) -> Result<Fitted, FitError> {
    let store = VarStore::new(device);
    let features = FeatureSet::Pits24Lead;
    let model = Model::new(&store, data.width(), features, settings.layers, settings.seed);
    let mut optimiser = optimiser(&store, settings)?;
    let training = Tensors::new(&data.training, device)?;
    let validation = Tensors::new(&data.validation, device)?;
    let mut order: Vec<i64> = (0..data.training.len() as i64).collect();
    // A stream of its own: the first weights come from stream 0.
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(1);

    let mirror = mirror(features, data.width(), device)?;
    let batches = order.len().div_ceil(settings.batch.get());
    let schedule = Cosine { peak: settings.learning_rate, steps: batches * settings.epochs.get() as usize };
    let mut progress = Progress { epochs: Vec::new(), best: None };
    for number in 1..=settings.epochs.get() {
        order.shuffle(&mut rng);
        let started = clock.now();
        let mut sum = 0.0;
        let mut seen = 0;
        let mut rate = settings.learning_rate;
        for (at, batch) in order.chunks(settings.batch.get()).enumerate() {
            rate = schedule.rate((number as usize - 1) * batches + at);
            optimiser.set_learning_rate(rate)?;
            let rows = Tensor::from_slice(batch).f_to_device(device)?;
            let loss = training.select(&rows)?.half_mirrored(&mirror)?.loss(&model)?;
            let value = loss.f_double_value(&[])?;
            if diverged(value) {
                let best = progress.finish(&model, data)?.map(Box::new);
                return Err(FitError::Diverged { epoch: number, batch: at + 1, loss: value, best });
            }
            optimiser.zero_grad()?;
            loss.f_backward()?;
            optimiser.step()?;
            sum += value * batch.len() as f64;
            seen += batch.len();
            step(Step { epoch: number, rows: batch, learning_rate: rate, loss: sum / seen as f64 });
        }
        let took = clock.now().saturating_sub(started).max(Duration::from_nanos(1));
        let (validation_loss, validation_accuracy) = tch::no_grad(|| validation.judge(&model))?;
        // What the last step did is seen here first.
        if diverged(validation_loss) {
            let best = progress.finish(&model, data)?.map(Box::new);
            return Err(FitError::Diverged { epoch: number, batch: batches, loss: validation_loss, best });
        }
        let finished = Epoch {
            epoch: number,
            train_loss: sum / seen as f64,
            validation_loss,
            validation_accuracy,
            learning_rate: rate,
            samples_per_s: seen as f64 / took.as_secs_f64(),
            best: progress.is_best(validation_loss),
        };
        epoch(&finished);
        progress.push(finished, &model)?;
        if number - progress.best_epoch() >= settings.patience.get() {
            break;
        }
    }
    Ok(progress.finish(&model, data)?.expect("at least one epoch was finished"))
}

/// AdamW over all parameters. Not by way of `tch::nn::Optimizer`, which panics where libtorch fails.
fn optimiser(store: &VarStore, settings: &Settings) -> Result<COptimizer, TchError> {
    let AdamW { beta1, beta2, eps, amsgrad, .. } = AdamW::default();
    let decay = settings.weight_decay;
    let mut optimiser = COptimizer::adamw(settings.learning_rate, beta1, beta2, decay, eps, amsgrad)?;
    for parameter in store.trainable_variables() {
        optimiser.add_parameters(&parameter, 0)?;
    }
    Ok(optimiser)
}

/// For each category the mirrored one.
fn mirror(features: FeatureSet, width: usize, device: Device) -> Result<Tensor, TchError> {
    let categories = 0..features.categories(width);
    let mirrored: Vec<i32> = categories.map(|category| features.mirrored(category, width) as i32).collect();
    Tensor::from_slice(&mirrored).f_to_device(device)
}

fn diverged(loss: f64) -> bool {
    !loss.is_finite() || loss > DIVERGED
}

/// A half cosine from the peak to a hundredth of it.
struct Cosine {
    peak: f64,
    steps: usize,
}

impl Cosine {
    fn rate(&self, step: usize) -> f64 {
        let done = step as f64 / (self.steps.max(2) - 1) as f64;
        let floor = self.peak / 100.0;
        floor + (self.peak - floor) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
    }
}

/// The epochs so far and the weights of the best.
struct Progress {
    epochs: Vec<Epoch>,
    best: Option<(u32, f64, Weights)>,
}

impl Progress {
    fn is_best(&self, loss: f64) -> bool {
        self.best.as_ref().is_none_or(|&(_, least, _)| loss < least)
    }

    fn best_epoch(&self) -> u32 {
        self.best.as_ref().map_or(0, |&(epoch, ..)| epoch)
    }

    fn push(&mut self, epoch: Epoch, model: &Model) -> Result<(), TchError> {
        if epoch.best {
            self.best = Some((epoch.epoch, epoch.validation_loss, model.weights()?));
        }
        self.epochs.push(epoch);
        Ok(())
    }

    fn finish(self, model: &Model, data: &Dataset) -> Result<Option<Fitted>, NetError> {
        let Some((best_epoch, _, weights)) = self.best else { return Ok(None) };
        let network = model.network(weights, data.description())?;
        Ok(Some(Fitted { network, best_epoch, epochs: self.epochs }))
    }
}

/// Rows as tensors on a device.
struct Tensors {
    inputs: Inputs,
    /// `[n, 3]`: how likely win, draw and loss are taken to be.
    targets: Tensor,
    /// `[n]`: the class of the result itself: 0 win, 1 draw, 2 loss.
    results: Tensor,
}

impl Tensors {
    fn new(rows: &Rows, device: Device) -> Result<Tensors, TchError> {
        let count = rows.len() as i64;
        Ok(Tensors {
            inputs: Inputs {
                categories: Tensor::from_slice(&rows.categories).f_view([count, -1])?.f_to_device(device)?,
                lead: Tensor::from_slice(&rows.leads).f_to_device(device)?,
            },
            targets: Tensor::from_slice(rows.targets.as_flattened())
                .f_view([count, 3])?
                .f_to_device(device)?,
            results: Tensor::from_slice(&rows.results).f_to_device(device)?,
        })
    }

    fn select(&self, rows: &Tensor) -> Result<Tensors, TchError> {
        self.map(|tensor| tensor.f_index_select(0, rows))
    }

    /// The same rows, the second half of them in the mirror. Which half a row is in is for the shuffling to say.
    fn half_mirrored(mut self, mirror: &Tensor) -> Result<Tensors, TchError> {
        let count = self.count();
        let half = count / 2;
        let categories = &self.inputs.categories;
        let turned = categories.f_narrow(0, half, count - half)?;
        let turned = mirror.f_index_select(0, &turned.f_reshape([-1])?)?.f_view_as(&turned)?;
        self.inputs.categories = Tensor::f_cat(&[categories.f_narrow(0, 0, half)?, turned], 0)?;
        Ok(self)
    }

    fn slice(&self, start: i64, length: i64) -> Result<Tensors, TchError> {
        self.map(|tensor| tensor.f_narrow(0, start, length))
    }

    fn map(&self, f: impl Fn(&Tensor) -> Result<Tensor, TchError>) -> Result<Tensors, TchError> {
        Ok(Tensors {
            inputs: Inputs { categories: f(&self.inputs.categories)?, lead: f(&self.inputs.lead)? },
            targets: f(&self.targets)?,
            results: f(&self.results)?,
        })
    }

    fn count(&self) -> i64 {
        self.results.numel() as i64
    }

    /// Mean cross-entropy against the targets.
    fn loss(&self, model: &Model) -> Result<Tensor, TchError> {
        cross_entropy(&model.logits(&self.inputs)?, &self.targets)
    }

    /// Mean cross-entropy and accuracy over all rows.
    fn judge(&self, model: &Model) -> Result<(f64, f64), TchError> {
        let (mut loss, mut right) = (0.0, 0.0);
        for start in (0..self.count()).step_by(VALIDATION_BATCH) {
            let part = self.slice(start, (self.count() - start).min(VALIDATION_BATCH as i64))?;
            let logits = model.logits(&part.inputs)?;
            loss += cross_entropy(&logits, &part.targets)?.f_double_value(&[])? * part.count() as f64;
            let likeliest = logits.f_argmax(1, false)?;
            right += likeliest.f_eq_tensor(&part.results)?.f_sum(Kind::Double)?.f_double_value(&[])?;
        }
        let count = self.count() as f64;
        Ok((loss / count, right / count))
    }
}

fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor, TchError> {
    let likelihoods = logits.f_log_softmax(1, Kind::Float)?.f_mul(targets)?;
    likelihoods.f_sum_dim_intlist(1, false, Kind::Float)?.f_mean(Kind::Float)?.f_neg()
}
