//! How fast the network judges: the engine's in integers beside libtorch, on the same positions and weights.

use std::time::Duration;

use giuthi_engine::net::{FeatureSet, Quantised};
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Clock, Game, Network, Position, Variant};
use tch::{Device, Kind, TchError, Tensor};

use super::{BenchError, MOST_OFF, Measurement, Unit, figure, rate, time};
use crate::model::{Inputs, Model};

/// Positions that are judged.
const POSITIONS: usize = 1 << 14;
/// How many of them libtorch is given one at a time.
const SINGLE: usize = 200;
/// How often each is timed in a round: short pieces of work, so that the fastest is one that nothing interrupted.
const TIMES: usize = 5;
/// The batches that are tried.
const BATCHES: [usize; 7] = [64, 256, 512, 1024, 2048, 4096, POSITIONS];

/// Measures a network on positions of random games, each figure by the fastest of five tries in each of
/// `rounds`. Libtorch computes on
/// the CPU and with the threads it has been told to; its inputs are made beforehand and count for nothing, while the
/// engine begins with the position.
///
/// # Errors
/// Where libtorch fails, or judges other than the engine.
pub fn evaluations(
    network: &Network,
    rounds: u64,
    clock: &dyn Clock,
) -> Result<Vec<Measurement>, BenchError> {
    let header = network.header();
    let positions = positions(header.width);
    let quantised = Quantised::new(network);
    let model = Model::of_network(network, Device::Cpu)?;
    let inputs = Encoded::new(header.features, &positions)?;

    let values: Vec<f32> = positions.iter().map(|position| quantised.value(position)).collect();
    let off = |(found, wanted): (&f32, f32)| f64::from((found - wanted).abs());
    let wanted = inputs.values(&model, POSITIONS)?;
    let (mean, worst) = values
        .iter()
        .zip(wanted)
        .map(off)
        .fold((0.0, 0.0f64), |(sum, worst), off| (sum + off / POSITIONS as f64, worst.max(off)));
    if mean > MOST_OFF {
        return Err(BenchError::Off(mean));
    }

    let single = inputs.slice(0, SINGLE)?;
    let [mut integers, mut float, mut one] = [Duration::MAX; 3];
    let mut batches = BATCHES.map(|_| Duration::MAX);
    let mut sum = 0.0;
    for _ in 0..rounds * TIMES as u64 {
        time(clock, &mut integers, || {
            sum += positions.iter().map(|position| quantised.value(position)).sum::<f32>();
            Ok(())
        })?;
        time(clock, &mut float, || {
            sum += positions.iter().map(|position| network.value(position)).sum::<f32>();
            Ok(())
        })?;
        time(clock, &mut one, || single.values(&model, 1).map(drop))?;
        for (fastest, size) in batches.iter_mut().zip(BATCHES) {
            time(clock, fastest, || inputs.values(&model, size).map(drop))?;
        }
    }
    // Looked at, so that no compiler can leave the work out.
    if !sum.is_finite() {
        return Err(BenchError::Off(f64::INFINITY));
    }

    let integers = rate(POSITIONS, integers);
    let one = rate(SINGLE, one);
    let best = (0..BATCHES.len()).min_by_key(|&at| batches[at]).unwrap_or(0);
    let batch = rate(POSITIONS, batches[best]);
    Ok(vec![
        figure("evals_per_s", "network in integers: positions a second", integers, Unit::PerSecond),
        figure("float_evals_per_s", "  the engine in float", rate(POSITIONS, float), Unit::PerSecond),
        figure("libtorch_single_per_s", "  libtorch, one position at a time", one, Unit::PerSecond),
        figure("libtorch_batch_per_s", "  libtorch, in its best batches", batch, Unit::PerSecond),
        figure("libtorch_best_batch", "    of so many", BATCHES[best] as f64, Unit::Rows),
        figure("single_ratio", "  faster than libtorch one at a time", integers / one, Unit::Times),
        figure("batch_ratio", "  faster than libtorch in batches", integers / batch, Unit::Times),
        figure("mean_error", "  off from libtorch in the mean", mean, Unit::Result),
        figure("worst_error", "  off from libtorch at most", worst, Unit::Result),
    ])
}

/// The positions of random games on a board of rows of `width` pits.
fn positions(width: usize) -> Vec<Position> {
    let variant = Variant::new(width, 8).expect("a network judges boards that there are");
    let mut rng = game_rng(1, 0);
    let mut positions = Vec::with_capacity(POSITIONS);
    let mut game = Game::new(variant);
    while positions.len() < POSITIONS {
        match random_move(game.position(), &mut rng) {
            Some(mv) if game.ending().is_none() => {
                positions.push(*game.position());
                game.play(mv).expect("a legal move");
            }
            _ => game = Game::new(variant),
        }
    }
    positions
}

/// Positions as libtorch is given them.
struct Encoded(Inputs);

impl Encoded {
    fn new(features: FeatureSet, positions: &[Position]) -> Result<Encoded, TchError> {
        let mut categories = Vec::new();
        let leads: Vec<f32> = positions
            .iter()
            .map(|position| features.encode(position, |category| categories.push(category as i32)))
            .collect();
        Ok(Encoded(Inputs {
            categories: Tensor::from_slice(&categories).f_view([positions.len() as i64, -1])?,
            lead: Tensor::from_slice(&leads),
        }))
    }

    fn slice(&self, start: usize, length: usize) -> Result<Encoded, TchError> {
        let narrow = |tensor: &Tensor| tensor.f_narrow(0, start as i64, length as i64);
        Ok(Encoded(Inputs { categories: narrow(&self.0.categories)?, lead: narrow(&self.0.lead)? }))
    }

    /// The expected results, computed `batch` positions at a time.
    fn values(&self, model: &Model, batch: usize) -> Result<Vec<f32>, BenchError> {
        let count = self.0.lead.numel();
        let mut values = Vec::with_capacity(count);
        tch::no_grad(|| {
            for start in (0..count).step_by(batch) {
                let part = self.slice(start, batch.min(count - start))?;
                let odds = model.logits(&part.0)?.f_softmax(1, Kind::Float)?;
                let odds = Vec::<f32>::try_from(odds.f_view([-1])?)?;
                values.extend(odds.as_chunks::<3>().0.iter().map(|[win, _, loss]| win - loss));
            }
            Ok(values)
        })
    }
}
