//! What a network is worth on rows that it has not learned from.

use tch::{Device, Kind, Tensor};

use super::FitError;
use crate::data::Rows;
use crate::model::{Inputs, Model};
use crate::source::Source;

/// Rows at a time: only memory is at stake.
const BATCH: usize = 8192;

/// Ranges of the expected result that [`Calibration`] tells apart.
pub const BINS: usize = 20;

/// What was predicted against what came of it, over the validation rows. Predictions are expected results for the
/// player to move, P(win) − P(loss), -1 … 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Equal ranges of the prediction from -1 to 1.
    pub bins: [Bin; BINS],
}

/// The rows whose prediction falls into one range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Rows.
    pub rows: u64,
    /// Sum of their predictions.
    pub predicted: f64,
    /// Sum of their results: 1, 0 or -1 for the player to move.
    pub actual: f64,
}

impl Calibration {
    /// Counts a row.
    pub fn add(&mut self, predicted: f64, actual: f64) {
        let at = ((predicted + 1.0) / 2.0 * BINS as f64).clamp(0.0, BINS as f64 - 1.0);
        let bin = &mut self.bins[at as usize];
        bin.rows += 1;
        bin.predicted += predicted;
        bin.actual += actual;
    }

    /// The mean distance between prediction and result over the bins, each counted by its rows; 0 for no rows.
    #[must_use]
    pub fn error(&self) -> f64 {
        let rows: u64 = self.bins.iter().map(|bin| bin.rows).sum();
        let off: f64 = self.bins.iter().map(|bin| (bin.predicted - bin.actual).abs()).sum();
        off / rows.max(1) as f64
    }
}

/// Mean cross-entropy against the targets in nats, and the share of rows whose result is found likeliest.
pub(super) fn judge(data: &dyn Source, model: &Model) -> Result<(f64, f64), FitError> {
    let (mut loss, mut right, mut count) = (0.0, 0.0, 0.0);
    for rows in data.validation(BATCH) {
        let rows = rows?;
        let logits = logits(&rows, model)?;
        let device = logits.device();
        let targets = Tensor::from_slice(rows.targets.as_flattened()).f_view([-1, 3])?.f_to_device(device)?;
        loss += cross_entropy(&logits, &targets)?.f_double_value(&[])? * rows.len() as f64;
        let results = Tensor::from_slice(&rows.results).f_to_device(device)?;
        let likeliest = logits.f_argmax(1, false)?;
        right += likeliest.f_eq_tensor(&results)?.f_sum(Kind::Double)?.f_double_value(&[])?;
        count += rows.len() as f64;
    }
    Ok((loss / count, right / count))
}

pub(super) fn calibrate(data: &dyn Source, model: &Model) -> Result<Calibration, FitError> {
    let mut calibration = Calibration::default();
    for rows in data.validation(BATCH) {
        let rows = rows?;
        let likely = logits(&rows, model)?.f_softmax(1, Kind::Float)?.f_to_device(Device::Cpu)?;
        let likely: Vec<f32> = Vec::try_from(likely.f_reshape([-1])?)?;
        for (likely, &class) in likely.chunks_exact(3).zip(&rows.results) {
            calibration.add(f64::from(likely[0]) - f64::from(likely[2]), (1 - class) as f64);
        }
    }
    Ok(calibration)
}

fn logits(rows: &Rows, model: &Model) -> Result<Tensor, FitError> {
    let device = model.flat().device();
    let inputs = Inputs {
        categories: Tensor::from_slice(&rows.categories)
            .f_view([rows.len() as i64, -1])?
            .f_to_device(device)?,
        lead: Tensor::from_slice(&rows.leads).f_to_device(device)?,
    };
    Ok(tch::no_grad(|| model.logits(&inputs))?)
}

fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor, FitError> {
    let likelihoods = logits.f_log_softmax(1, Kind::Float)?.f_mul(targets)?;
    Ok(likelihoods.f_sum_dim_intlist(1, false, Kind::Float)?.f_mean(Kind::Float)?.f_neg()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_what_was_predicted() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.error(), 0.0);
        for (predicted, actual) in [(-1.0, -1.0), (-0.95, 1.0), (0.0, 0.0), (0.05, 1.0), (1.0, 1.0)] {
            calibration.add(predicted, actual);
        }
        let rows: Vec<u64> = calibration.bins.iter().map(|bin| bin.rows).collect();
        assert_eq!((rows[0], rows[10], rows[19], rows.iter().sum::<u64>()), (2, 2, 1, 5));
        // The first bin predicted -1.95 for a sum of 0, the middle one 0.05 for 1, the last was right.
        assert!((calibration.error() - (1.95 + 0.95) / 5.0).abs() < 1e-12);
    }
}
