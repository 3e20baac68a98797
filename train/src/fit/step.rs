//! One training step, written out: forward, backward, AdamW, in two dozen operations of libtorch.
//!
//! libtorch's own way, a graph recorded and run backwards, a gradient tensor for each parameter and an optimiser that
//! goes through them one by one, takes several times as long for a network of this size. The tests hold the gradient to that of the
//! recorded graph.

use tch::{Device, Kind, TchError, Tensor};

use super::adamw::AdamW;
use super::batch::Batch;
use crate::model::{Model, Parts, SUM};

/// A model with its gradient and optimiser.
#[derive(Debug)]
pub struct Stepper {
    model: Model,
    optimiser: AdamW,
    gradient: Tensor,
    parts: Parts,
    /// `[n + 1]`: where the categories of each row of a batch begin, for the largest batch so far.
    offsets: Tensor,
}

impl Stepper {
    /// Steps of `model` by `optimiser`.
    pub fn new(model: Model, optimiser: AdamW) -> Result<Stepper, TchError> {
        let gradient = model.flat().f_detach()?.f_zeros_like()?;
        let parts = Parts::of(&gradient, model.shape())?;
        let offsets = Tensor::f_zeros([0], (Kind::Int, gradient.device()))?;
        Ok(Stepper { model, optimiser, gradient, parts, offsets })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The optimiser.
    #[must_use]
    pub fn optimiser(&self) -> &AdamW {
        &self.optimiser
    }

    /// `[n]`: the gradient that [`backward`](Self::backward) came to last, in the order of the model's numbers.
    pub fn gradient(&self) -> &Tensor {
        &self.gradient
    }

    /// The mean cross-entropy of a batch in nats; its gradient is kept for [`update`](Self::update).
    pub fn backward(&mut self, batch: &Batch) -> Result<f64, TchError> {
        tch::no_grad(|| self.pass(batch))
    }

    /// Moves the model by AdamW with a learning rate. The gradient is scaled down first to a norm of at most `clip`.
    pub fn update(&mut self, rate: f64, clip: Option<f64>) -> Result<(), TchError> {
        tch::no_grad(|| {
            if let Some(clip) = clip {
                let norm = self.gradient.f_norm()?.f_double_value(&[])?;
                if norm > clip {
                    let _ = self.gradient.f_mul_scalar_(clip / norm)?;
                }
            }
            let mut flat = self.model.flat().shallow_clone();
            self.optimiser.step(&mut flat, &self.gradient, rate)
        })
    }

    fn pass(&mut self, batch: &Batch) -> Result<f64, TchError> {
        let device = self.gradient.device();
        let count = batch.count as i64;
        let pits = batch.categories.len() as i64 / count;
        if self.offsets.size1()? <= count {
            let end = count * pits + 1;
            self.offsets = Tensor::f_arange_start_step(0, end, pits, (Kind::Int, device))?;
        }
        let (weights, gradient) = (&self.model.parts, &self.parts);
        let lead_and_one = floats(&batch.lead_and_one, &[count, 2], device)?;
        let targets = floats(&batch.targets, &[count, 3], device)?;

        // Clipped sums are all that the way back needs: a gradient passes where a sum is inside the range.
        let categories = integers(&batch.categories, device)?;
        let mut sums = bags(&weights.input, &categories, &self.offsets.f_narrow(0, 0, count + 1)?)?;
        let first = sums.f_addmm_(&lead_and_one, &weights.lead_and_bias)?.f_clamp_(0.0, 1.0)?;
        let second = weights.hidden_bias.f_addmm(&first, &weights.hidden.f_tr()?)?.f_clamp_(0.0, 1.0)?;
        let logits = weights.output_bias.f_addmm(&second, &weights.output.f_tr()?)?;
        let mut likely = logits.f_log_softmax(1, None::<Kind>)?;
        let fit = likely.f_view([-1])?.f_dot(&targets.f_view([-1])?)?.f_double_value(&[])?;

        // Targets sum to 1, so the loss changes with the logits as the probabilities minus the targets.
        let _ = likely.f_exp_()?.f_sub_(&targets)?.f_mul_scalar_(1.0 / count as f64)?;
        let by_logits = likely;
        let _ = by_logits.f_tr()?.f_mm_out(&gradient.output, &second)?;
        let _ = by_logits.f_sum_intlist_out(&gradient.output_bias, 0, false, Kind::Float)?;
        let by_second = inside(&second, &by_logits.f_mm(&weights.output)?)?;
        let _ = by_second.f_tr()?.f_mm_out(&gradient.hidden, &first)?;
        let _ = by_second.f_sum_intlist_out(&gradient.hidden_bias, 0, false, Kind::Float)?;
        let by_first = inside(&first, &by_second.f_mm(&weights.hidden)?)?;
        let _ = lead_and_one.f_tr()?.f_mm_out(&gradient.lead_and_bias, &by_first)?;
        // A row's sum gathers its categories; a category's gradient gathers its rows, by the same fast kernel.
        let by_input = bags(&by_first, &integers(&batch.rows, device)?, &integers(&batch.starts, device)?)?;
        gradient.input.shallow_clone().f_copy_(&by_input)?;
        Ok(-fit / count as f64)
    }
}

fn floats(numbers: &[f32], shape: &[i64], device: Device) -> Result<Tensor, TchError> {
    Tensor::from_slice(numbers).f_view(shape)?.f_to_device(device)
}

fn integers(numbers: &[i32], device: Device) -> Result<Tensor, TchError> {
    Tensor::from_slice(numbers).f_to_device(device)
}

/// For each bag the sum of the rows of `table` that it lists; `starts` says where each bag begins and the last ends.
fn bags(table: &Tensor, listed: &Tensor, starts: &Tensor) -> Result<Tensor, TchError> {
    let none = None::<&Tensor>;
    let (sums, ..) = Tensor::f_internal_embedding_bag_forward_only(
        table, listed, starts, false, SUM, false, none, true, -1,
    )?;
    Ok(sums)
}

/// The gradient before a clip to 0 … 1, of the clipped numbers and the gradient behind it.
fn inside(clipped: &Tensor, gradient: &Tensor) -> Result<Tensor, TchError> {
    clipped.f_hardtanh_backward(gradient, 0.0, 1.0)
}
