//! The network in libtorch: the same shape and the same numbers as [`giuthi_engine::Network`].

use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, NetError, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tch::nn::{Path, VarStore};
use tch::{Device, Kind, TchError, Tensor};

/// The value network, its parameters registered with a [`VarStore`] under the names of the weights file.
#[derive(Debug)]
pub struct Model {
    width: usize,
    features: FeatureSet,
    layers: [usize; 2],
    input: Tensor,
    lead: Tensor,
    input_bias: Tensor,
    hidden: Tensor,
    hidden_bias: Tensor,
    output: Tensor,
    output_bias: Tensor,
}

/// Encoded positions, ready for [`Model::logits`].
#[derive(Debug)]
pub struct Inputs {
    /// `[n, 2W]`, int32: the categories that hold, one a pit.
    pub categories: Tensor,
    /// `[n]`, float32: the lead feature.
    pub lead: Tensor,
}

impl Model {
    /// A fresh network, its numbers drawn from `seed`.
    ///
    /// Uniform, with spreads that put the sums of a typical position in the middle of the clipped range.
    #[must_use]
    pub fn new(store: &VarStore, width: usize, features: FeatureSet, layers: [usize; 2], seed: u64) -> Model {
        let [first, second] = layers;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn = |count: usize, spread: f64| -> Vec<f32> {
            let edge = (spread * 3f64.sqrt()) as f32;
            (0..count).map(|_| rng.random_range(-edge..edge)).collect()
        };
        let weights = Weights {
            input: drawn(features.categories(width) * first, 0.5 / (2.0 * width as f64).sqrt()),
            lead: drawn(first, 0.25),
            input_bias: vec![0.5; first],
            hidden: drawn(second * first, 0.7 / (first as f64).sqrt()),
            hidden_bias: vec![0.5; second],
            output: drawn(3 * second, 0.7 / (second as f64).sqrt()),
            output_bias: vec![0.0; 3],
        };
        Model::from_weights(store, width, features, layers, &weights)
    }

    /// A network of given numbers.
    ///
    /// # Panics
    /// When there are not as many of them as the sizes ask for.
    #[must_use]
    pub fn from_weights(
        store: &VarStore,
        width: usize,
        features: FeatureSet,
        layers: [usize; 2],
        weights: &Weights,
    ) -> Model {
        let [first, second] = layers.map(|size| size as i64);
        let categories = features.categories(width) as i64;
        let root = store.root();
        let variable = |path: Path<'_>, name: &str, numbers: &[f32], shape: &[i64]| {
            path.var_copy(name, &Tensor::from_slice(numbers).view(shape))
        };
        let (input, hidden, output) = (&root / "input", &root / "hidden", &root / "output");
        Model {
            width,
            features,
            layers,
            input: variable(input.clone(), "weight", &weights.input, &[categories, first]),
            lead: variable(&root / "lead", "weight", &weights.lead, &[first]),
            input_bias: variable(input, "bias", &weights.input_bias, &[first]),
            hidden: variable(hidden.clone(), "weight", &weights.hidden, &[second, first]),
            hidden_bias: variable(hidden, "bias", &weights.hidden_bias, &[second]),
            output: variable(output.clone(), "weight", &weights.output, &[3, second]),
            output_bias: variable(output, "bias", &weights.output_bias, &[3]),
        }
    }

    /// Logits of win, draw and loss for the player to move: `[n, 3]`.
    pub fn logits(&self, inputs: &Inputs) -> Result<Tensor, TchError> {
        let (count, pits) = inputs.categories.size2()?;
        let offsets = Tensor::f_arange_start_step(0, count * pits, pits, (Kind::Int, self.input.device()))?;
        let (sums, ..) = Tensor::f_embedding_bag(
            &self.input,
            &inputs.categories.f_reshape([-1])?,
            &offsets,
            false,
            SUM,
            false,
            None::<&Tensor>,
            false,
        )?;
        let lead = inputs.lead.f_unsqueeze(1)?.f_mul(&self.lead)?;
        sums.f_add(&lead)?
            .f_add(&self.input_bias)?
            .f_clamp(0.0, 1.0)?
            .f_linear(&self.hidden, Some(&self.hidden_bias))?
            .f_clamp(0.0, 1.0)?
            .f_linear(&self.output, Some(&self.output_bias))
    }

    /// The network's numbers as they stand, copied out of libtorch.
    pub fn weights(&self) -> Result<Weights, TchError> {
        let numbers = |tensor: &Tensor| -> Result<Vec<f32>, TchError> {
            Vec::try_from(tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?.f_view([-1])?)
        };
        Ok(Weights {
            input: numbers(&self.input)?,
            lead: numbers(&self.lead)?,
            input_bias: numbers(&self.input_bias)?,
            hidden: numbers(&self.hidden)?,
            hidden_bias: numbers(&self.hidden_bias)?,
            output: numbers(&self.output)?,
            output_bias: numbers(&self.output_bias)?,
        })
    }

    /// The engine's network of given numbers of this shape.
    pub fn network(&self, weights: Weights, trained_on: String) -> Result<Network, NetError> {
        let header = Header {
            width: self.width,
            features: self.features,
            layers: self.layers,
            trained_on,
            program: concat!("giuthi-train ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        Network::new(header, weights)
    }
}

/// `embedding_bag`'s mode that sums: fused, it is several times as fast as an embedding and a sum.
const SUM: i64 = 0;
