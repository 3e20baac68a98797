//! How fast a network learns: the step written out beside libtorch's recorded graph with its own AdamW, on the same
//! rows from the same first weights.

use std::time::Duration;

use giuthi_engine::Clock;
use tch::{COptimizer, Device, Kind, TchError, Tensor};

use super::{BenchError, Measurement, Unit, figure, rate, time};
use crate::data::Rows;
use crate::fit::{AdamW, Batch, Batcher, FEATURES, Stepper};
use crate::model::{Inputs, Model, Shape};

const RATE: f64 = 0.001;
const DECAY: f64 = 0.01;
/// By how much the losses of two ways that round differently may differ after a pass over the rows.
const MOST_OFF: f64 = 0.01;

/// Measures training steps on batches of boards with rows of `width` pits, layers of 128 and 32 units: each way goes
/// through all `batches` in each of `rounds`, and the fastest pass counts.
///
/// # Errors
/// Where libtorch fails, or the two ways do not learn the same.
pub fn steps(
    batches: &[Rows],
    width: usize,
    rounds: u64,
    clock: &dyn Clock,
) -> Result<Vec<Measurement>, BenchError> {
    let shape = Shape { width, features: FEATURES, layers: [128, 32] };
    let fresh = || Model::new(shape, 1, Device::Cpu);
    // Both see the rows as they are.
    let batcher = Batcher::new(FEATURES, width, false);
    let ready: Vec<Batch> = batches.iter().map(|rows| batcher.batch(rows.clone())).collect();

    let model = fresh()?;
    let optimiser = AdamW::new(model.flat(), DECAY)?;
    let mut stepper = Stepper::new(model, optimiser)?;
    let flat = fresh()?.flat().shallow_clone().set_requires_grad(true);
    let recorded = Model::of(shape, flat.shallow_clone())?;
    let mut adamw = COptimizer::adamw(RATE, 0.9, 0.999, DECAY, 1e-8, false)?;
    adamw.add_parameters(&flat, 0)?;

    let [mut written_out, mut making_ready, mut by_graph] = [Duration::MAX; 3];
    let mut losses = [0.0; 2];
    for _ in 0..rounds {
        losses = [0.0; 2];
        time(clock, &mut written_out, || {
            for batch in &ready {
                losses[0] += stepper.backward(batch)?;
                stepper.update(RATE, None)?;
            }
            Ok(())
        })?;
        let mut made = 0;
        time(clock, &mut making_ready, || {
            made += batches.iter().map(|rows| batcher.batch(rows.clone()).targets().len()).sum::<usize>();
            Ok(())
        })?;
        time(clock, &mut by_graph, || {
            for rows in batches {
                losses[1] += recorded_step(&recorded, rows, &mut adamw)?;
            }
            Ok(())
        })?;
        let [ours, graph] = losses.map(|loss| loss / batches.len().max(1) as f64);
        let alike = (ours - graph).abs() <= MOST_OFF;
        if !alike || made == 0 {
            return Err(BenchError::OtherLoss { ours, graph });
        }
    }

    let rows: usize = batches.iter().map(Rows::len).sum();
    let [written_out, making_ready, by_graph] =
        [written_out, making_ready, by_graph].map(|took| rate(rows, took));
    let batch = batches.first().map_or(0, Rows::len) as f64;
    let loss = losses[0] / batches.len().max(1) as f64;
    Ok(vec![
        figure("fit_rows_per_s", "training step: rows a second", written_out, Unit::PerSecond),
        figure("fit_graph_rows_per_s", "  libtorch's recorded graph and AdamW", by_graph, Unit::PerSecond),
        figure("fit_ratio", "  faster than that", written_out / by_graph, Unit::Times),
        figure("fit_ready_rows_per_s", "  made ready, by another thread", making_ready, Unit::PerSecond),
        figure("fit_batch", "  in batches of", batch, Unit::Rows),
        figure("fit_loss", "  loss of both in the end", loss, Unit::Nats),
    ])
}

/// A step of the recorded graph; its loss.
fn recorded_step(model: &Model, rows: &Rows, adamw: &mut COptimizer) -> Result<f64, TchError> {
    let inputs = Inputs {
        categories: Tensor::from_slice(&rows.categories).f_view([rows.len() as i64, -1])?,
        lead: Tensor::from_slice(&rows.leads),
    };
    let targets = Tensor::from_slice(rows.targets.as_flattened()).f_view([-1, 3])?;
    let likely = model.logits(&inputs)?.f_log_softmax(1, Kind::Float)?;
    let loss = likely.f_mul(&targets)?.f_sum(Kind::Float)?.f_div_scalar(-(rows.len() as f64))?;
    let value = loss.f_double_value(&[])?;
    adamw.zero_grad()?;
    loss.f_backward()?;
    adamw.step()?;
    Ok(value)
}
