//! All that a fit needs to go on as if it had never stopped.

use std::time::Duration;

use giuthi_engine::Network;
use tch::TchError;

use super::{Settings, Stepper};
use crate::metrics::Epoch;
use crate::model::{Model, flat, numbers};

/// A fit between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The epoch under way, from 1. The order of its rows is drawn from the seed and this number, so it need not be
    /// kept.
    pub epoch: u32,
    /// Steps made in it.
    pub batch: u64,
    /// Sum of the losses of the rows seen in it.
    pub sum: f64,
    /// Rows seen in it.
    pub seen: u64,
    /// Time spent on them.
    pub took: Duration,
    /// Steps of the optimiser in all.
    pub steps: u64,
    /// The epochs finished.
    pub epochs: Vec<Epoch>,
    /// The network's numbers, in the order of [`Shape::sizes`](crate::model::Shape::sizes).
    pub numbers: Vec<f32>,
    /// AdamW's moving means of the gradients, in the same order.
    pub mean: Vec<f32>,
    /// AdamW's moving means of their squares, in the same order.
    pub square: Vec<f32>,
    /// The best epoch so far.
    pub best: Option<Best>,
}

/// The best epoch so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its number, from 1.
    pub epoch: u32,
    /// Its validation loss.
    pub loss: f64,
    /// The network's numbers at its end.
    pub numbers: Vec<f32>,
}

impl Default for State {
    /// Before the first step; numbers are taken where the state is kept.
    fn default() -> State {
        State {
            epoch: 1,
            batch: 0,
            sum: 0.0,
            seen: 0,
            took: Duration::ZERO,
            steps: 0,
            epochs: Vec::new(),
            numbers: Vec::new(),
            mean: Vec::new(),
            square: Vec::new(),
            best: None,
        }
    }
}

impl State {
    /// Before the first step, with the numbers of a network instead of drawn ones.
    #[must_use]
    pub fn starting_at(network: &Network) -> State {
        let numbers = flat(network);
        let zeros = vec![0.0; numbers.len()];
        State { mean: zeros.clone(), square: zeros, numbers, ..State::default() }
    }

    /// Takes the numbers of network and optimiser as they stand.
    pub(super) fn take(&mut self, stepper: &Stepper) -> Result<(), TchError> {
        self.steps = stepper.optimiser().steps();
        self.numbers = stepper.model().numbers()?;
        let [mean, square] = stepper.optimiser().moments();
        (self.mean, self.square) = (numbers(mean)?, numbers(square)?);
        Ok(())
    }

    /// Goes to the next epoch.
    pub(super) fn finish_epoch(&mut self, epoch: Epoch, model: &Model) -> Result<(), TchError> {
        if epoch.best {
            let (loss, numbers) = (epoch.validation_loss, model.numbers()?);
            self.best = Some(Best { epoch: epoch.epoch, loss, numbers });
        }
        self.epochs.push(epoch);
        (self.epoch, self.batch) = (self.epoch + 1, 0);
        (self.sum, self.seen, self.took) = (0.0, 0, Duration::ZERO);
        Ok(())
    }

    /// Whether the epochs are used up or too many of them brought nothing.
    pub(super) fn is_over(&self, settings: &Settings) -> bool {
        let finished = self.epoch - 1;
        let best = self.best.as_ref().map_or(0, |best| best.epoch);
        finished >= settings.epochs.get() || (finished > 0 && finished - best >= settings.patience.get())
    }
}
