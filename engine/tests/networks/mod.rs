//! Small networks of random weights, for the tests that need one.

use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, Weights};
use rand::RngExt;

/// The header of a test's network.
pub(crate) fn header(width: usize, layers: [usize; 2]) -> Header {
    Header {
        width,
        features: FeatureSet::Pits24Lead,
        layers,
        trained_on: "nothing".to_owned(),
        program: "a test".to_owned(),
    }
}

/// Weights that leave some hidden sums below 0, some between and some above 1.
pub(crate) fn weights(header: &Header, rng: &mut impl rand::Rng) -> Weights {
    let [first, second] = header.layers;
    let mut drawn = |count: usize| (0..count).map(|_| rng.random_range(-0.5..0.5)).collect::<Vec<f32>>();
    Weights {
        input: drawn(header.features.categories(header.width) * first),
        lead: drawn(first),
        input_bias: drawn(first),
        hidden: drawn(second * first),
        hidden_bias: drawn(second),
        output: drawn(3 * second),
        output_bias: drawn(3),
    }
}

/// A network for boards with rows of `width` pits.
pub(crate) fn network(width: usize, layers: [usize; 2], rng: &mut impl rand::Rng) -> Network {
    let header = header(width, layers);
    let weights = weights(&header, rng);
    Network::new(header, weights).expect("the weights fit the header")
}

/// A network with spreads as training leaves them: the sums of a typical position in and round the clipped range, and
/// its values from nearly lost to nearly won.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn trained_like(width: usize, layers: [usize; 2], rng: &mut impl rand::Rng) -> Network {
    let header = header(width, layers);
    let [first, second] = layers;
    let mut drawn = |count: usize, spread: f32| -> Vec<f32> {
        // A few weights far larger than most.
        let number = |rng: &mut _| rand::RngExt::random_range(rng, -1.0f32..1.0);
        (0..count).map(|_| number(rng) * number(rng) * 3.0 * spread).collect()
    };
    let weights = Weights {
        input: drawn(header.features.categories(width) * first, 0.8 / (2.0 * width as f32).sqrt()),
        lead: drawn(first, 0.4),
        input_bias: vec![0.5; first],
        hidden: drawn(second * first, 1.4 / (first as f32).sqrt()),
        hidden_bias: vec![0.5; second],
        output: drawn(3 * second, 5.0 / (second as f32).sqrt()),
        output_bias: drawn(3, 0.5),
    };
    Network::new(header, weights).expect("the weights fit the header")
}
