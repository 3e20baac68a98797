//! Training samples a second of the written-out step and of libtorch's recorded graph with its own AdamW, on the same
//! rows: `cargo bench -p giuthi-train -- DATA [BATCH] [SECONDS]`, `DATA` as seen from the workspace's folder. Takes the
//! fastest of several rounds; one thread.

#![allow(clippy::print_stdout, clippy::exit, reason = "a bench prints and ends by itself")]

use std::path::Path;
use std::time::{Duration, Instant};

use giuthi_train::data::{Dataset, RandomRows, Reading, Rows};
use giuthi_train::fit::{AdamW, Batcher, FEATURES, Stepper};
use giuthi_train::model::{Inputs, Model, Shape};
use giuthi_train::source::Source;
use tch::{COptimizer, Device, Kind, Tensor};

const RATE: f64 = 0.001;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(folder) = arguments.next() else {
        // `cargo test` runs benches too, and `cargo bench` without a dataset has nothing to do.
        println!("cargo bench -p giuthi-train -- DATA [BATCH] [SECONDS]");
        return;
    };
    let batch: usize = arguments.next().map_or(512, |text| text.parse().expect("a batch size"));
    let seconds: f64 = arguments.next().map_or(5.0, |text| text.parse().expect("seconds"));
    let reading = Reading { lambda: 0.0, validation: 0.1, random_rows: RandomRows::Keep };
    // Cargo starts a bench in its package's folder.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let data = match Dataset::read(&[folder], &reading, |_, _| {}) {
        Ok(data) => data,
        Err(error) => {
            println!("{error}");
            std::process::exit(1);
        }
    };
    let shape = Shape { width: data.width(), features: FEATURES, layers: [128, 32] };
    tch::set_num_threads(1);

    let batches = || data.training(1, 1, batch, 0).map(|rows| rows.expect("rows are in memory"));
    let fresh = || Model::new(shape, 1, Device::Cpu).expect("a model");
    let batcher = Batcher::new(FEATURES, data.width(), true);

    let model = fresh();
    let optimiser = AdamW::new(model.flat(), 0.01).expect("an optimiser");
    let mut stepper = Stepper::new(model, optimiser).expect("a stepper");
    let ready: Vec<_> = batches().map(|rows| batcher.batch(rows)).collect();
    let rows: Vec<_> = batches().collect();

    let model = fresh();
    let recorded_flat = model.flat().shallow_clone().set_requires_grad(true);
    let recorded = Model::of(shape, recorded_flat.shallow_clone()).expect("a model");
    let mut adamw = COptimizer::adamw(RATE, 0.9, 0.999, 0.01, 1e-8, false).expect("an optimiser");
    adamw.add_parameters(&recorded_flat, 0).expect("a parameter");

    let mut fastest = [0.0f64; 3];
    let rounds = 4;
    for _ in 0..rounds {
        let time = Duration::from_secs_f64(seconds / f64::from(rounds));
        let found = [
            measure(time, &ready, |batch| {
                stepper.backward(batch).expect("a step");
                stepper.update(RATE, None).expect("a step");
                batch_rows(batch.targets())
            }),
            measure(time, &rows, |rows| {
                let batch = batcher.batch(rows.clone());
                batch_rows(batch.targets())
            }),
            measure(time, &rows, |rows| {
                by_graph(&recorded, rows, &mut adamw);
                rows.len()
            }),
        ];
        for (fastest, found) in fastest.iter_mut().zip(found) {
            *fastest = fastest.max(found);
        }
    }
    for (name, rate) in ["written out", "making a batch ready", "recorded graph"].iter().zip(fastest) {
        println!("{name}: {rate:.0} samples/s, batch {batch}");
    }
    println!("written out / recorded graph: {:.2}", fastest[0] / fastest[2]);
}

fn batch_rows(targets: &[f32]) -> usize {
    targets.len() / 3
}

/// Samples a second.
fn measure<T>(time: Duration, batches: &[T], mut step: impl FnMut(&T) -> usize) -> f64 {
    let started = Instant::now();
    let mut samples = 0;
    for batch in batches.iter().cycle() {
        samples += step(batch);
        if started.elapsed() >= time {
            break;
        }
    }
    samples as f64 / started.elapsed().as_secs_f64()
}

fn by_graph(model: &Model, rows: &Rows, adamw: &mut COptimizer) {
    let inputs = Inputs {
        categories: Tensor::from_slice(&rows.categories).view([rows.len() as i64, -1]),
        lead: Tensor::from_slice(&rows.leads),
    };
    let targets = Tensor::from_slice(rows.targets.as_flattened()).view([-1, 3]);
    let logits = model.logits(&inputs).expect("logits");
    let loss = -(logits.log_softmax(1, Kind::Float) * targets).sum(Kind::Float) / rows.len() as f64;
    let value = loss.double_value(&[]);
    assert!(value.is_finite());
    adamw.zero_grad().expect("gradients");
    loss.backward();
    adamw.step().expect("a step");
}
