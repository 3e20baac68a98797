//! AdamW over one flat tensor, with a state that can be saved: `tch` keeps that of libtorch's own to itself.

use tch::{TchError, Tensor};

/// Decay of the mean of the gradients.
const BETA1: f64 = 0.9;
/// Decay of the mean of their squares.
const BETA2: f64 = 0.999;
/// Keeps the divisor from being nothing.
const EPSILON: f64 = 1e-8;
/// A step below this moves no float, and its inverse is none.
const SMALLEST: f64 = 1e-30;

/// Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov & Hutter 2019): β₁ 0.9, β₂ 0.999, ε 1e-8, with
/// bias correction. libtorch's arithmetic with two scalings drawn together, so the same but for rounding: the tests
/// hold it to within 1e-7 of libtorch's own over 100 steps.
#[derive(Debug)]
pub struct AdamW {
    decay: f64,
    steps: u64,
    mean: Tensor,
    square: Tensor,
    /// Room for what a step comes to on the way.
    room: Tensor,
}

impl AdamW {
    /// For parameters like `flat`, with weight decay `decay`.
    pub fn new(flat: &Tensor, decay: f64) -> Result<AdamW, TchError> {
        let zeros = || flat.f_detach()?.f_zeros_like();
        AdamW::resumed(decay, 0, zeros()?, zeros()?)
    }

    /// As it stood after `steps` steps, with the moving means of gradients and of their squares.
    pub fn resumed(decay: f64, steps: u64, mean: Tensor, square: Tensor) -> Result<AdamW, TchError> {
        let room = mean.f_zeros_like()?;
        Ok(AdamW { decay, steps, mean, square, room })
    }

    /// Steps made.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The moving means of the gradients and of their squares, not corrected for their start from zero.
    pub fn moments(&self) -> [&Tensor; 2] {
        [&self.mean, &self.square]
    }

    /// One step of `flat` by its gradient with a learning rate. To be called where no gradients are recorded.
    pub fn step(&mut self, flat: &mut Tensor, gradient: &Tensor, rate: f64) -> Result<(), TchError> {
        self.steps += 1;
        let corrected = |beta: f64| 1.0 - beta.powf(self.steps as f64);
        let step = rate / corrected(BETA1);
        let _ = self.mean.f_lerp_(gradient, 1.0 - BETA1)?;
        let _ = gradient.f_square_out(&self.room)?;
        let _ = self.square.f_lerp_(&self.room, 1.0 - BETA2)?;
        let _ = flat.f_mul_scalar_(1.0 - rate * self.decay)?;
        if step < SMALLEST {
            return Ok(());
        }
        // mean · −step / (√(square / corrected) + ε), the step drawn into the divisor: two passes less over memory.
        // libtorch's root is that of the Intel library and slow elsewhere; one over one over the root is not.
        let scale = -1.0 / (step * corrected(BETA2).sqrt());
        let _ = self.square.f_rsqrt_out(&self.room)?;
        let _ = self.room.f_reciprocal_()?.f_mul_scalar_(scale)?.f_add_scalar_(-EPSILON / step)?;
        let _ = flat.f_addcdiv_(&self.mean, &self.room)?;
        Ok(())
    }
}
