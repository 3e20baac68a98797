//! The value network: win, draw and loss for the player to move, in plain Rust from a weights file.
//!
//! Shape: categories and lead → first layer (a sum of learned vectors) → second layer → three logits, with
//! `clamp(x, 0, 1)` after each hidden layer (a clipped ReLU, as in NNUE: Nasu 2018).

mod features;
mod integers;
mod kernel;
mod quantised;
mod quantised_file;
mod softmax;
mod weights;

pub use features::{COUNTS, FeatureSet, LEAD_UNIT};
pub use kernel::Kernel;
pub use quantised::Quantised;
pub use quantised_file::{QUANTISED_MAGIC, QUANTISED_VERSION};
pub use weights::{FORMAT, NetError};

use crate::position::Position;

/// Greatest size of a hidden layer.
pub const MAX_LAYER: usize = 1024;

/// Greatest size of a weight: far beyond any that was learned, and small enough that no sum of them overflows.
const LARGEST: f32 = 1e30;

/// Sizes and origin of a network: the metadata of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Pits in a row of the boards it judges.
    pub width: usize,
    /// What it sees.
    pub features: FeatureSet,
    /// Sizes of the two hidden layers.
    pub layers: [usize; 2],
    /// What it was trained on, in words.
    pub trained_on: String,
    /// The program that wrote it, with its version.
    pub program: String,
}

/// The learned numbers, row by row as the tensors of the file have them.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// `[categories, layers[0]]`: the vector of each category.
    pub input: Vec<f32>,
    /// `[layers[0]]`: the vector of the lead, times the lead feature.
    pub lead: Vec<f32>,
    /// `[layers[0]]`.
    pub input_bias: Vec<f32>,
    /// `[layers[1], layers[0]]`.
    pub hidden: Vec<f32>,
    /// `[layers[1]]`.
    pub hidden_bias: Vec<f32>,
    /// `[3, layers[1]]`: win, draw, loss.
    pub output: Vec<f32>,
    /// `[3]`.
    pub output_bias: Vec<f32>,
}

/// A network ready to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    header: Header,
    weights: Weights,
    /// `weights.hidden` with its axes swapped, so that the inner loop runs over neighbouring numbers.
    hidden_by_input: Vec<f32>,
}

impl Network {
    /// A network of given weights.
    ///
    /// # Errors
    /// Names every tensor whose length does not fit the header, and every one that holds a number that is not
    /// finite or so large that sums of it might not be.
    pub fn new(header: Header, weights: Weights) -> Result<Network, NetError> {
        weights::check(&header, &weights)?;
        let [first, second] = header.layers;
        let mut hidden_by_input = vec![0.0; first * second];
        for (to, row) in weights.hidden.chunks_exact(first).enumerate() {
            for (from, &weight) in row.iter().enumerate() {
                hidden_by_input[from * second + to] = weight;
            }
        }
        Ok(Network { header, weights, hidden_by_input })
    }

    /// Sizes and origin.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The learned numbers.
    #[must_use]
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Logits of win, draw and loss for the player to move.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[must_use]
    pub fn logits(&self, position: &Position) -> [f32; 3] {
        assert_eq!(position.width(), self.header.width, "a network judges boards of its own width");
        let [first, second] = self.header.layers;
        let mut sums = [0.0; MAX_LAYER];
        let sums = &mut sums[..first];
        sums.copy_from_slice(&self.weights.input_bias);
        let lead = self.header.features.encode(position, |category| {
            let vector = &self.weights.input[category * first..][..first];
            for (sum, &weight) in sums.iter_mut().zip(vector) {
                *sum += weight;
            }
        });
        for (sum, &weight) in sums.iter_mut().zip(&self.weights.lead) {
            *sum += lead * weight;
        }
        let mut hidden = [0.0; MAX_LAYER];
        let hidden = &mut hidden[..second];
        hidden.copy_from_slice(&self.weights.hidden_bias);
        for (&sum, row) in sums.iter().zip(self.hidden_by_input.chunks_exact(second)) {
            let active = sum.clamp(0.0, 1.0);
            // Clipping leaves many at exactly zero.
            if active > 0.0 {
                for (sum, &weight) in hidden.iter_mut().zip(row) {
                    *sum += active * weight;
                }
            }
        }
        let mut logits = [0.0; 3];
        let rows = self.weights.output.chunks_exact(second).zip(&self.weights.output_bias);
        for (logit, (row, &bias)) in logits.iter_mut().zip(rows) {
            *logit = bias + row.iter().zip(&*hidden).map(|(w, sum)| w * sum.clamp(0.0, 1.0)).sum::<f32>();
        }
        logits
    }

    /// Probabilities of win, draw and loss for the player to move; they sum to 1.
    #[must_use]
    pub fn probabilities(&self, position: &Position) -> [f32; 3] {
        let logits = self.logits(position);
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let odds = logits.map(|logit| (logit - top).exp());
        let sum: f32 = odds.iter().sum();
        odds.map(|odds| odds / sum)
    }

    /// The expected result for the player to move: P(win) − P(loss), −1 … 1.
    #[must_use]
    pub fn value(&self, position: &Position) -> f32 {
        let [win, _, loss] = self.probabilities(position);
        win - loss
    }
}
