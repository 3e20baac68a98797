//! The written-out step against libtorch's own: the gradient of a recorded graph, and its AdamW.

use giuthi_engine::net::FeatureSet;
use giuthi_train::data::Rows;
use giuthi_train::fit::{AdamW, Batcher, Stepper};
use giuthi_train::model::{Inputs, Model, Shape};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tch::{COptimizer, Device, Kind, Tensor};

const FEATURES: FeatureSet = FeatureSet::Pits24Lead;

/// Rows of any kind.
fn rows(width: usize, count: usize, seed: u64) -> Rows {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Rows::default();
    for _ in 0..count {
        rows.categories.extend((0..2 * width as i32).map(|pit| 24 * pit + rng.random_range(0..24)));
        rows.leads.push(rng.random_range(-3.0..3.0));
        let (win, draw) = (rng.random_range(0.0..0.5), rng.random_range(0.0..0.5));
        rows.targets.push([win, draw, 1.0 - win - draw]);
        rows.results.push(rng.random_range(0..3));
    }
    rows
}

/// Loss and gradient by a recorded graph, rows as they are.
fn recorded(model: &Model, rows: &Rows) -> (f64, Vec<f32>) {
    let flat = model.flat().copy().set_requires_grad(true);
    let inputs = Inputs {
        categories: Tensor::from_slice(&rows.categories).view([rows.len() as i64, -1]),
        lead: Tensor::from_slice(&rows.leads),
    };
    let logits = Model::of(model.shape(), flat.shallow_clone()).unwrap().logits(&inputs).unwrap();
    let targets = Tensor::from_slice(rows.targets.as_flattened()).view([-1, 3]);
    let loss = -(logits.log_softmax(1, Kind::Float) * targets).sum(Kind::Float) / rows.len() as f64;
    loss.backward();
    (loss.double_value(&[]), Vec::try_from(flat.grad()).unwrap())
}

#[test]
fn the_gradient_is_that_of_a_recorded_graph() {
    tch::set_num_threads(1);
    for (width, layers, scale) in [(5, [24, 8], 1.0), (8, [128, 32], 3.0), (10, [17, 5], 3.0)] {
        let shape = Shape { width, features: FEATURES, layers };
        let model = Model::new(shape, 3, Device::Cpu).unwrap();
        // Wider than fresh, so that both ends of the clipping count.
        let _ = model.flat().shallow_clone().g_mul_scalar_(scale);
        let optimiser = AdamW::new(model.flat(), 0.01).unwrap();
        let mut stepper = Stepper::new(model, optimiser).unwrap();
        let batcher = Batcher::new(FEATURES, width, false);
        // Larger and smaller ones in turn: what is kept for the largest so far is cut to size.
        for (seed, count) in (0..).zip([64, 7, 500, 1]) {
            let rows = rows(width, count, seed);
            let (wanted_loss, wanted) = recorded(stepper.model(), &rows);
            let loss = stepper.backward(&batcher.batch(rows)).unwrap();
            assert!((loss - wanted_loss).abs() < 1e-5, "{loss} for {wanted_loss}");
            let found = Vec::<f32>::try_from(stepper.gradient()).unwrap();
            assert_eq!(found.len(), wanted.len());
            let largest = wanted.iter().fold(0.0f32, |most, number| most.max(number.abs()));
            assert!(largest > 1e-3);
            for (at, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                assert!((found - wanted).abs() < 1e-5 * largest, "{at}: {found} for {wanted}, {largest}");
            }
        }
    }
}

#[test]
fn the_second_half_of_a_batch_is_mirrored() {
    tch::set_num_threads(1);
    let width = 6;
    let shape = Shape { width, features: FEATURES, layers: [24, 8] };
    let model = Model::new(shape, 3, Device::Cpu).unwrap();
    let optimiser = AdamW::new(model.flat(), 0.01).unwrap();
    let mut stepper = Stepper::new(model, optimiser).unwrap();
    let rows = rows(width, 9, 1);
    let mut mirrored = rows.clone();
    for category in &mut mirrored.categories[4 * 2 * width..] {
        *category = FEATURES.mirrored(*category as usize, width) as i32;
    }
    assert!(mirrored != rows);
    let mut gradient = |rows: &Rows, mirror: bool| {
        stepper.backward(&Batcher::new(FEATURES, width, mirror).batch(rows.clone())).unwrap();
        Vec::<f32>::try_from(stepper.gradient()).unwrap()
    };
    assert!(gradient(&rows, true) == gradient(&mirrored, false));
    assert!(gradient(&rows, true) != gradient(&rows, false));
}

/// A hundred steps by gradients of any kind, with learning rates that change: ours, libtorch's.
fn hundred_steps(decay: f64, size: f64) -> [Vec<f32>; 2] {
    tch::set_num_threads(1);
    tch::manual_seed(5);
    let start = Tensor::randn([3000], (Kind::Float, Device::Cpu)) * 0.1;
    let (mut ours, theirs) = (start.copy(), start.copy().set_requires_grad(true));
    let mut our_optimiser = AdamW::new(&ours, decay).unwrap();
    let mut their_optimiser = COptimizer::adamw(0.001, 0.9, 0.999, decay, 1e-8, false).unwrap();
    their_optimiser.add_parameters(&theirs, 0).unwrap();
    for step in 0..100 {
        let rate = 0.001 * (1.0 + (f64::from(step) * 0.3).sin() * 0.9);
        let gradient = Tensor::randn([3000], (Kind::Float, Device::Cpu)) * size;
        // Rows that seldom occur have no gradient at all.
        let _ = gradient.narrow(0, 0, if step % 3 == 0 { 0 } else { 1500 }).zero_();
        tch::no_grad(|| our_optimiser.step(&mut ours, &gradient, rate)).unwrap();
        their_optimiser.zero_grad().unwrap();
        (theirs.dot(&gradient)).backward();
        their_optimiser.set_learning_rate(rate).unwrap();
        their_optimiser.step().unwrap();
    }
    assert_eq!(our_optimiser.steps(), 100);
    let moved = (&start - &ours).abs().mean(Kind::Float).double_value(&[]);
    assert!(moved > 1e-3, "{moved}");
    [&ours, &theirs].map(|flat| Vec::try_from(flat.detach()).unwrap())
}

#[test]
fn adamw_is_libtorchs_over_a_hundred_steps() {
    for (decay, size) in [(0.0, 1.0), (0.01, 1.0), (1.0, 1e-3), (0.01, 1e-7)] {
        let [ours, theirs] = hundred_steps(decay, size);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            // Numbers of the size of weights, and of those the last bits.
            assert!(theirs.abs() < 0.6);
            assert!((ours - theirs).abs() <= 1e-7, "decay {decay}, size {size}: {ours} for {theirs}");
        }
    }
}

#[test]
fn a_gradient_too_long_is_scaled_down() {
    tch::set_num_threads(1);
    let shape = Shape { width: 5, features: FEATURES, layers: [24, 8] };
    let stepped = |clip: Option<f64>| {
        let model = Model::new(shape, 3, Device::Cpu).unwrap();
        let optimiser = AdamW::new(model.flat(), 0.01).unwrap();
        let mut stepper = Stepper::new(model, optimiser).unwrap();
        stepper.backward(&Batcher::new(FEATURES, 5, false).batch(rows(5, 50, 1))).unwrap();
        let norm = |stepper: &Stepper| stepper.gradient().norm().double_value(&[]);
        let before = norm(&stepper);
        stepper.update(0.001, clip).unwrap();
        (before, norm(&stepper))
    };
    let (before, after) = stepped(None);
    assert_eq!(before, after);
    assert_eq!(stepped(Some(before * 1.01)), (before, before));
    let (_, after) = stepped(Some(before / 4.0));
    assert!((after - before / 4.0).abs() < 1e-6 * before, "{after} for a quarter of {before}");
}
