//! The weights file by foreign eyes: what stands in it, read by the safetensors library alone, gives the values that
//! the engine's network gives, step by step as data/README.md says.

mod support;

use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;

use giuthi_engine::{Network, Position};
use giuthi_train::fit::Settings;
use giuthi_train::source::Source;
use safetensors::{Dtype, SafeTensors};
use support::{READING, fit_quietly, games, make, read};
use tempfile::tempdir;

/// The tensors of a file: shape and numbers.
type Net = HashMap<String, (Vec<usize>, Vec<f64>)>;

fn load_file(path: &Path) -> (Net, HashMap<String, String>) {
    let bytes = std::fs::read(path).unwrap();
    let metadata = SafeTensors::read_metadata(&bytes).unwrap().1.metadata().clone().unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let net = file.tensors().into_iter().map(|(name, tensor)| {
        assert_eq!(tensor.dtype(), Dtype::F32, "{name}");
        let numbers =
            tensor.data().chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap()).into());
        (name, (tensor.shape().to_vec(), numbers.collect()))
    });
    (net.collect(), metadata)
}

/// `matrix @ clip(x, 0, 1) + bias`.
fn layer(net: &Net, name: &str, x: &[f64]) -> Vec<f64> {
    let (shape, matrix) = &net[&format!("{name}.weight")];
    let (_, bias) = &net[&format!("{name}.bias")];
    assert_eq!((shape[0], shape[1]), (bias.len(), x.len()), "{name}");
    let x: Vec<f64> = x.iter().map(|x| x.clamp(0.0, 1.0)).collect();
    let product = |row: &[f64]| row.iter().zip(&x).map(|(weight, x)| weight * x).sum::<f64>();
    matrix.chunks_exact(x.len()).zip(bias).map(|(row, bias)| product(row) + bias).collect()
}

/// The recipe.
fn value(net: &Net, pits: &[u8], piles: [u8; 2], player: usize) -> f64 {
    let width = pits.len() / 2;
    let mut turned = pits.to_vec();
    if player == 0 {
        turned.rotate_left(width);
    }
    let (shape, table) = &net["input.weight"];
    assert_eq!(shape[0], 24 * pits.len());
    let lead = (f64::from(piles[player]) - f64::from(piles[1 - player])) / 16.0;
    let mut x = net["input.bias"].1.clone();
    for (at, x) in x.iter_mut().enumerate() {
        for (pit, &seeds) in turned.iter().enumerate() {
            *x += table[(24 * pit + usize::from(seeds.min(23))) * shape[1] + at];
        }
        *x += lead * net["lead.weight"].1[at];
    }
    let logits = layer(net, "output", &layer(net, "hidden", &x));
    let odds: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
    (odds[0] - odds[2]) / odds.iter().sum::<f64>()
}

#[test]
fn the_recipe_of_the_readme_gives_the_networks_values() {
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    // Pits get so full on the large one that they share the last category.
    let mut full = 0;
    for (variant, layers) in [("2x5x4", [24, 8]), ("2x10x9", [16, 5])] {
        let data = dir.path().join(variant);
        make(&data, variant, "random", 25, 3);
        let settings = Settings {
            epochs: NonZeroU32::new(5).unwrap(),
            batch: NonZeroUsize::new(64).unwrap(),
            learning_rate: 0.01,
            patience: NonZeroU32::new(5).unwrap(),
            layers,
            seed: 1,
            ..Settings::default()
        };
        let dataset = read(&[&data], &READING).unwrap();
        let fitted = fit_quietly(&dataset, &settings).unwrap();
        let path = dir.path().join(format!("{variant}.safetensors"));
        fitted.network.save(&path).unwrap();

        let network = Network::load(&path).unwrap();
        assert_eq!(network, fitted.network);
        let (net, metadata) = load_file(&path);
        assert_eq!(net.len(), 7);
        let width = dataset.width();
        for (key, wanted) in [
            ("format", "giuthi-value-1".to_owned()),
            ("variant-width", width.to_string()),
            ("features", "pits24-lead".to_owned()),
            ("layers", format!("{},{}", layers[0], layers[1])),
            ("trained-on", format!("25 games of {variant} by random (seed 3)")),
            ("program", format!("giuthi-train {}", env!("CARGO_PKG_VERSION"))),
        ] {
            assert_eq!(metadata[key], wanted);
        }

        let (mut least, mut greatest) = (1.0, -1.0);
        for row in games(&data).iter().flatten() {
            let position: &Position = &row.position;
            let (pits, player) = (position.board().pits(), position.to_move().index());
            let wanted = value(&net, pits, position.piles(), player);
            let found = f64::from(network.value(position));
            assert!((found - wanted).abs() < 1e-5, "{position}: {found} for {wanted}");
            (least, greatest) = (wanted.min(least), wanted.max(greatest));
            full += usize::from(pits.iter().any(|&seeds| seeds > 23));
        }
        assert!(greatest - least > 0.3, "the values differ: {least} to {greatest}");
    }
    assert!(full > 10, "{full}");
}
