//! The training loop: it learns, repeats itself, uses every row once an epoch, keeps the best epoch and stops in time.

mod support;

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::LazyLock;

use giuthi_engine::agent::NoClock;
use giuthi_engine::net::FeatureSet;
use giuthi_engine::{Position, Sample, Setup};
use giuthi_train::data::{Dataset, Rows, target};
use giuthi_train::fit::{FitError, Fitted, Settings, Step, fit};
use giuthi_train::metrics::Epoch;
use giuthi_train::model::{Model, Shape};
use giuthi_train::source::Source;
use support::{READING, Telling, fit_quietly, games, make, read, sides};
use tch::Device;
use tempfile::tempdir;

/// Three hundred games of `2x5x4` by a weak search, and the rows of its validation games.
static GAMES: LazyLock<(Dataset, Vec<Sample>)> = LazyLock::new(|| {
    // For this process: what is said of repeated runs holds for one thread.
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 300, 3);
    let data = read(&[dir.path()], &READING).unwrap();
    let games = games(dir.path());
    let validation = sides(&data, &games).into_iter().zip(games).filter(|(side, _)| *side);
    let rows = validation.flat_map(|(_, game)| game).collect();
    (data, rows)
});

fn settings() -> Settings {
    Settings {
        epochs: number(4),
        batch: NonZeroUsize::new(128).unwrap(),
        learning_rate: 0.003,
        patience: number(100),
        layers: [32, 16],
        seed: 1,
        ..Settings::default()
    }
}

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

/// The least loss that can be had without looking at the positions: the mean cross-entropy of the training rows'
/// frequencies of win, draw and loss.
fn loss_of_frequencies(data: &Dataset) -> f64 {
    let frequency = |class: i64| {
        let rows = &data.training.results;
        rows.iter().filter(|&&result| result == class).count() as f64 / rows.len() as f64
    };
    let log = [0, 1, 2].map(|class| frequency(class).ln());
    let results = &data.validation.results;
    -results.iter().map(|&result| log[result as usize]).sum::<f64>() / results.len() as f64
}

#[test]
fn it_learns() {
    let data = &GAMES.0;
    let settings = Settings { epochs: number(8), ..settings() };
    let fitted = fit_quietly(data, &settings).unwrap();
    let epochs = &fitted.epochs;
    let best = &epochs[fitted.best_epoch as usize - 1];
    let blind = loss_of_frequencies(data);
    assert!(best.validation_loss < blind - 0.1, "{} for {blind}", best.validation_loss);
    assert!(best.validation_accuracy > 0.5, "{}", best.validation_accuracy);
    assert!(epochs.last().unwrap().train_loss < epochs[0].train_loss - 0.1);

    let shape = Shape { width: 5, features: FeatureSet::Pits24Lead, layers: settings.layers };
    let fresh = Model::new(shape, settings.seed, Device::Cpu).unwrap();
    let fresh = shape.weights(&fresh.numbers().unwrap());
    let learned = fitted.network.weights();
    for (fresh, learned) in [
        (&fresh.input, &learned.input),
        (&fresh.lead, &learned.lead),
        (&fresh.input_bias, &learned.input_bias),
        (&fresh.hidden, &learned.hidden),
        (&fresh.hidden_bias, &learned.hidden_bias),
        (&fresh.output, &learned.output),
        (&fresh.output_bias, &learned.output_bias),
    ] {
        assert!(fresh.len() == learned.len() && fresh != learned);
    }
    let header = fitted.network.header();
    assert_eq!((header.width, header.layers), (5, settings.layers));
    assert_eq!(header.trained_on, "300 games of 2x5x4 by ab:depth=1 (seed 3)");
    assert!(header.program.starts_with("giuthi-train "), "{}", header.program);
}

#[test]
fn the_same_seed_gives_the_same_file_and_another_seed_another() {
    let data = &GAMES.0;
    let dir = tempdir().unwrap();
    let file = |seed: u64| {
        let fitted = fit_quietly(data, &Settings { epochs: number(2), seed, ..settings() }).unwrap();
        let path = dir.path().join("net.safetensors");
        fitted.network.save(&path).unwrap();
        std::fs::read(path).unwrap()
    };
    let one = file(1);
    assert!(file(1) == one);
    assert!(file(2) != one);
}

/// The dataset with every training row's number in place of its lead, and the numbers of the rows of each batch of
/// an epoch.
fn order(data: &Dataset, seed: u64, epoch: u32, batch: usize, skip: u64) -> Vec<Vec<usize>> {
    let mut data = data.clone();
    let original = data.training.clone();
    data.training.leads = (0..original.len()).map(|row| row as f32).collect();
    let batches = data.training(seed, epoch, batch, skip).map(|rows| {
        let rows = rows.unwrap();
        let numbers: Vec<usize> = rows.leads.iter().map(|&number| number as usize).collect();
        for (at, &number) in numbers.iter().enumerate() {
            assert_eq!(rows.categories[10 * at..][..10], original.categories[10 * number..][..10]);
            assert_eq!(rows.targets[at], original.targets[number]);
            assert_eq!(rows.results[at], original.results[number]);
        }
        numbers
    });
    batches.collect()
}

#[test]
fn every_row_is_used_once_an_epoch_in_ever_another_order() {
    let data = &GAMES.0;
    let all: Vec<usize> = (0..data.training.len()).collect();
    let orders =
        [(1, 1), (1, 2), (1, 3), (2, 1)].map(|(seed, epoch)| order(data, seed, epoch, 128, 0).concat());
    for (at, order) in orders.iter().enumerate() {
        assert!(*order != all, "the order of the file");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted == all, "rows left out or used twice");
        assert!(!orders[..at].contains(order), "another epoch, another seed, another order");
    }
}

#[test]
fn an_epoch_can_begin_in_the_middle() {
    let data = &GAMES.0;
    let whole = order(data, 7, 3, 100, 0);
    let batches = whole.len();
    for skip in [0, 1, 5, batches - 1, batches, batches + 1] {
        assert_eq!(order(data, 7, 3, 100, skip as u64), whole[skip.min(batches)..]);
    }
    assert_eq!(order(data, 7, 3, 100, u64::MAX), Vec::<Vec<usize>>::new());
}

#[test]
fn the_validation_rows_come_in_batches_and_in_order() {
    let validation = &GAMES.0.validation;
    for batch in [1, 7, validation.len(), validation.len() + 1] {
        let mut all = Rows::default();
        for rows in GAMES.0.validation(batch) {
            let rows = rows.unwrap();
            assert!(rows.len() == batch || all.len() + rows.len() == validation.len());
            all.categories.extend(rows.categories);
            all.leads.extend(rows.leads);
            all.targets.extend(rows.targets);
            all.results.extend(rows.results);
        }
        assert!(all == *validation);
    }
}

#[test]
fn batches_of_any_size_will_do() {
    let data = &GAMES.0;
    let rows = data.training.len();
    let sizes = |batch: usize| {
        let settings = Settings { epochs: number(1), batch: NonZeroUsize::new(batch).unwrap(), ..settings() };
        let mut sizes = Vec::new();
        let mut telling = Telling(|step: Step| sizes.push(step.rows), |_: &Epoch| {});
        fit(data, &settings, Device::Cpu, &NoClock, None, &mut telling).unwrap();
        sizes
    };
    let last = rows % 1000;
    assert!(last > 0);
    let uneven = sizes(1000);
    assert_eq!(
        (uneven[..uneven.len() - 1].iter().all(|&size| size == 1000), uneven.last()),
        (true, Some(&last))
    );
    assert_eq!(uneven.iter().sum::<usize>(), rows);
    assert_eq!(sizes(rows - 1), [rows - 1, 1]);
    assert_eq!(sizes(rows), [rows]);
    assert_eq!(sizes(rows + 1), [rows]);
    assert_eq!(sizes(1 << 20), [rows]);
}

#[test]
fn the_learning_rate_falls_along_half_a_cosine_to_a_hundredth() {
    let data = &GAMES.0;
    let mut rates = Vec::new();
    let mut of_epochs = Vec::new();
    let settings = Settings { epochs: number(3), ..settings() };
    let mut telling = Telling(
        |step: Step| rates.push(step.learning_rate),
        |epoch: &Epoch| of_epochs.push(epoch.learning_rate),
    );
    fit(data, &settings, Device::Cpu, &NoClock, None, &mut telling).unwrap();
    let (peak, floor) = (settings.learning_rate, settings.learning_rate / 100.0);
    let steps = rates.len();
    assert_eq!(steps, 3 * data.training.len().div_ceil(128));
    assert!((rates[0] - peak).abs() < 1e-12 && (rates[steps - 1] - floor).abs() < 1e-12);
    assert!(rates.is_sorted_by(|earlier, later| earlier > later), "{rates:?}");
    for (at, rate) in rates.iter().enumerate() {
        // A half circle's height: the same curve by another formula.
        let angle = std::f64::consts::FRAC_PI_2 * at as f64 / (steps - 1) as f64;
        let wanted = floor + (peak - floor) * angle.cos().powi(2);
        assert!((rate - wanted).abs() < 1e-12, "step {at}: {rate} for {wanted}");
    }
    assert_eq!(of_epochs, [rates[steps / 3 - 1], rates[2 * steps / 3 - 1], rates[steps - 1]]);
}

/// Mean cross-entropy and accuracy of the engine's network over rows and their targets.
fn judged(fitted: &Fitted, samples: &[Sample], rows: &Rows) -> (f64, f64) {
    assert_eq!(samples.len(), rows.len());
    let (mut loss, mut right) = (0.0, 0);
    for ((sample, target), &result) in samples.iter().zip(&rows.targets).zip(&rows.results) {
        let found = fitted.network.logits(&sample.position).map(f64::from);
        let top = found.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let log_sum = top + found.iter().map(|logit| (logit - top).exp()).sum::<f64>().ln();
        loss += found
            .iter()
            .zip(target)
            .map(|(logit, &target)| f64::from(target) * (log_sum - logit))
            .sum::<f64>();
        right += usize::from(found[result as usize] == top);
    }
    (loss / rows.len() as f64, right as f64 / rows.len() as f64)
}

#[test]
fn the_weights_of_the_best_epoch_are_kept() {
    let (data, samples) = &*GAMES;
    // Fast enough to learn the games by heart, and to be worse at the end than in between.
    let settings = Settings { epochs: number(12), learning_rate: 0.02, layers: [64, 16], ..settings() };
    let fitted = fit_quietly(data, &settings).unwrap();
    assert_eq!(fitted.epochs.len(), 12);
    let mut least = f64::INFINITY;
    let mut best = 0;
    for (number, epoch) in (1..).zip(&fitted.epochs) {
        assert_eq!((epoch.epoch, epoch.best), (number, epoch.validation_loss < least), "{epoch:?}");
        if epoch.best {
            (least, best) = (epoch.validation_loss, number);
        }
    }
    assert_eq!(fitted.best_epoch, best);
    let (best, last) = (&fitted.epochs[best as usize - 1], &fitted.epochs[11]);
    assert!(best.validation_loss < last.validation_loss - 0.01, "the test needs games learned by heart");

    let (loss, accuracy) = judged(&fitted, samples, &data.validation);
    assert!((loss - best.validation_loss).abs() < 1e-4, "{loss} for {}", best.validation_loss);
    assert!(
        (accuracy - best.validation_accuracy).abs() < 1e-3,
        "{accuracy} for {}",
        best.validation_accuracy
    );
}

#[test]
fn training_stops_when_it_gets_no_better() {
    let data = &GAMES.0;
    for patience in [1, 3] {
        let patient = number(patience);
        let settings = Settings { epochs: number(40), learning_rate: 0.02, patience: patient, ..settings() };
        let fitted = fit_quietly(data, &settings).unwrap();
        let epochs = &fitted.epochs;
        assert!(epochs.len() < 40);
        assert_eq!(epochs.len() as u32, fitted.best_epoch + patience);
        assert!(epochs[epochs.len() - patience as usize..].iter().all(|epoch| !epoch.best));
        assert!(epochs[fitted.best_epoch as usize - 1].best);
    }
}

#[test]
fn blended_targets_are_learned_too() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 300, 3);
    let data = read(&[dir.path()], &giuthi_train::data::Reading { lambda: 0.7, ..READING }).unwrap();
    let fitted = fit_quietly(&data, &settings()).unwrap();
    let (loss, _) = judged(&fitted, &GAMES.1, &data.validation);
    let best = &fitted.epochs[fitted.best_epoch as usize - 1];
    assert!((loss - best.validation_loss).abs() < 1e-4, "{loss} for {}", best.validation_loss);
    assert!(loss < 3f64.ln());
}

#[test]
fn what_is_learned_of_a_position_holds_in_the_mirror() {
    // Seen without a mirror, the first pit alone tells the two apart, and says the wrong thing of the mirrored ones.
    let won: Position = setup([8, 0, 0, 0, 0], [5, 0, 0, 0, 0]);
    let lost: Position = setup([0, 0, 0, 0, 8], [5, 0, 0, 0, 0]);
    let mut rows = Rows::default();
    for (position, result) in [(won, 1), (lost, -1)].repeat(500) {
        let features = FeatureSet::Pits24Lead;
        let lead = features.encode(&position, |category| rows.categories.push(category as i32));
        rows.leads.push(lead);
        rows.targets.push(target(result, None, 0.0));
        rows.results.push(1 - i64::from(result));
    }
    let mut data = GAMES.0.clone();
    data.training = rows.clone();
    data.validation = rows;
    let network = fit_quietly(&data, &Settings { epochs: number(30), learning_rate: 0.01, ..settings() })
        .unwrap()
        .network;
    for (position, sign) in [(won, 1.0), (lost, -1.0)] {
        for position in [position, position.mirrored()] {
            assert!(sign * network.value(&position) > 0.5, "{position}: {}", network.value(&position));
        }
    }
}

fn setup(north: [u32; 5], south: [u32; 5]) -> Position {
    let setup = Setup { north: north.into(), south: south.into(), piles: [0, 0], to_move: 1 };
    Position::try_from(&setup).unwrap()
}

/// The epoch, batch, loss and best network of a fit that must diverge.
fn diverged(data: &Dataset, settings: &Settings) -> (u32, u64, f64, Option<Box<Fitted>>) {
    match fit_quietly(data, settings) {
        Err(error @ FitError::Diverged { .. }) => {
            let text = error.to_string();
            let FitError::Diverged { epoch, batch, loss, best } = error else { unreachable!() };
            for part in
                [&format!("epoch {epoch}, batch {batch}"), &format!("{loss}"), "smaller learning rate"]
            {
                assert!(text.contains(part), "{text}");
            }
            (epoch, batch, loss, best)
        }
        Err(error) => panic!("{error}"),
        Ok(fitted) => panic!("{:?}", fitted.epochs),
    }
}

#[test]
fn a_learning_rate_far_too_large_ends_at_once() {
    let data = &GAMES.0;
    let settings = Settings { learning_rate: 1e9, ..settings() };
    let (epoch, batch, loss, best) = diverged(data, &settings);
    assert_eq!((epoch, batch), (1, 2), "the step after the first shows it");
    assert!(!loss.is_finite() || loss > 50.0, "{loss}");
    assert!(best.is_none());
    // With one step an epoch the validation is the first to see it; and such weights are not the best of anything.
    let once = Settings { batch: NonZeroUsize::new(1 << 20).unwrap(), ..settings };
    // The last is beyond what floats hold.
    for learning_rate in [1e9, 1e30, 1e300] {
        let (epoch, batch, loss, best) = diverged(data, &Settings { learning_rate, ..once.clone() });
        assert_eq!((epoch, batch), (1, 1));
        assert!(!loss.is_finite() || loss > 50.0, "{loss}");
        assert!(best.is_none());
    }
}

#[test]
fn the_best_weights_before_it_diverged_are_handed_back() {
    let (data, samples) = &*GAMES;
    // One step an epoch: somewhere between good and mad the first one is still bearable, and a later one is not.
    let one_step = Settings { batch: NonZeroUsize::new(1 << 20).unwrap(), epochs: number(30), ..settings() };
    let rates = (0..40).map(|step| 0.5 * 1.3f64.powi(step));
    let fitted = rates
        .map(|learning_rate| fit_quietly(data, &Settings { learning_rate, ..one_step.clone() }))
        .find_map(|result| match result {
            Err(FitError::Diverged { epoch, best: Some(best), .. }) => Some((epoch, best)),
            _ => None,
        });
    let (epoch, fitted) = fitted.expect("some learning rate diverges late");
    assert_eq!(fitted.epochs.len() as u32, epoch - 1);
    let best = &fitted.epochs[fitted.best_epoch as usize - 1];
    let (loss, _) = judged(&fitted, samples, &data.validation);
    assert!((loss - best.validation_loss).abs() < 1e-3 * (1.0 + loss), "{loss} for {}", best.validation_loss);
}

#[test]
fn what_is_no_number_is_found_wherever_it_comes_from() {
    let damaged = |damage: fn(&mut Dataset)| {
        let mut data = GAMES.0.clone();
        damage(&mut data);
        diverged(&data, &settings())
    };
    let batches = GAMES.0.training.len().div_ceil(128) as u64;
    let (epoch, batch, loss, best) = damaged(|data| data.validation.leads[7] = f32::NAN);
    assert_eq!((epoch, batch, loss.is_nan(), best.is_none()), (1, batches, true, true));
    let (epoch, batch, loss, best) = damaged(|data| data.training.targets[7] = [f32::NAN; 3]);
    assert!(epoch == 1 && batch <= batches && loss.is_nan() && best.is_none());
    let (epoch, _, loss, _) = damaged(|data| data.training.leads[7] = f32::NAN);
    assert!(epoch == 1 && loss.is_nan());
}
