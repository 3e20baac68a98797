//! The network in libtorch: the same shape and the same numbers as [`giuthi_engine::Network`].

use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, NetError, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, TchError, Tensor};

/// The sizes that a network is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Pits in a row of the boards.
    pub width: usize,
    /// What the network sees of a position.
    pub features: FeatureSet,
    /// Sizes of the two hidden layers.
    pub layers: [usize; 2],
}

impl Shape {
    /// Numbers in each part, in the order in which they stand in [`Model::flat`]: `input.weight`, `lead.weight`,
    /// `input.bias`, `hidden.weight`, `hidden.bias`, `output.weight`, `output.bias`.
    #[must_use]
    pub fn sizes(self) -> [usize; 7] {
        let [first, second] = self.layers;
        let categories = self.features.categories(self.width);
        [categories * first, first, first, second * first, second, 3 * second, 3]
    }

    /// The weights file's parts of numbers as they stand in [`Model::flat`].
    ///
    /// # Panics
    /// When there are not as many of them as the sizes ask for.
    #[must_use]
    pub fn weights(self, flat: &[f32]) -> Weights {
        let mut rest = flat;
        let [input, lead, input_bias, hidden, hidden_bias, output, output_bias] = self.sizes().map(|size| {
            let (part, others) = rest.split_at(size);
            rest = others;
            part.to_vec()
        });
        assert!(rest.is_empty(), "more numbers than the sizes ask for");
        Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias }
    }

    /// The engine's network of given numbers of this shape.
    pub fn network(self, weights: Weights, trained_on: String) -> Result<Network, NetError> {
        let Shape { width, features, layers } = self;
        let program = concat!("giuthi-train ", env!("CARGO_PKG_VERSION")).to_owned();
        Network::new(Header { width, features, layers, trained_on, program }, weights)
    }
}

/// The parts of a network, or of a gradient of it, as windows into one flat tensor: what is written through either
/// stands in the other.
#[derive(Debug)]
pub(crate) struct Parts {
    /// `[2W·24, H1]`.
    pub(crate) input: Tensor,
    /// `[2, H1]`: `lead.weight`, `input.bias`.
    pub(crate) lead_and_bias: Tensor,
    /// `[H2, H1]`.
    pub(crate) hidden: Tensor,
    /// `[H2]`.
    pub(crate) hidden_bias: Tensor,
    /// `[3, H2]`.
    pub(crate) output: Tensor,
    /// `[3]`.
    pub(crate) output_bias: Tensor,
}

impl Parts {
    pub(crate) fn of(flat: &Tensor, shape: Shape) -> Result<Parts, TchError> {
        let [first, second] = shape.layers.map(|size| size as i64);
        let mut start = 0;
        let mut part = |sizes: &[i64]| {
            let length: i64 = sizes.iter().product();
            let part = flat.f_narrow(0, start, length)?.f_view(sizes)?;
            start += length;
            Ok::<_, TchError>(part)
        };
        Ok(Parts {
            input: part(&[shape.features.categories(shape.width) as i64, first])?,
            lead_and_bias: part(&[2, first])?,
            hidden: part(&[second, first])?,
            hidden_bias: part(&[second])?,
            output: part(&[3, second])?,
            output_bias: part(&[3])?,
        })
    }
}

/// The value network.
#[derive(Debug)]
pub struct Model {
    shape: Shape,
    flat: Tensor,
    pub(crate) parts: Parts,
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
    pub fn new(shape: Shape, seed: u64, device: Device) -> Result<Model, TchError> {
        let [first, second] = shape.layers;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn = |count: usize, spread: f64| -> Vec<f32> {
            let edge = (spread * 3f64.sqrt()) as f32;
            (0..count).map(|_| rng.random_range(-edge..edge)).collect()
        };
        let flat = [
            drawn(shape.sizes()[0], 0.5 / (2.0 * shape.width as f64).sqrt()),
            drawn(first, 0.25),
            vec![0.5; first],
            drawn(second * first, 0.7 / (first as f64).sqrt()),
            vec![0.5; second],
            drawn(3 * second, 0.7 / (second as f64).sqrt()),
            vec![0.0; 3],
        ];
        Model::of(shape, Tensor::from_slice(&flat.concat()).f_to_device(device)?)
    }

    /// The engine's network on a device.
    pub fn of_network(network: &Network, device: Device) -> Result<Model, TchError> {
        let Header { width, features, layers, .. } = *network.header();
        let flat = Tensor::from_slice(&flat(network)).f_to_device(device)?;
        Model::of(Shape { width, features, layers }, flat)
    }

    /// A network whose numbers are those of `flat`, `[n]`, float32, in the order of [`Shape::sizes`]; they stay where
    /// they are.
    ///
    /// # Errors
    /// When there are not as many of them as the sizes ask for.
    pub fn of(shape: Shape, flat: Tensor) -> Result<Model, TchError> {
        let (found, wanted) = (flat.numel(), shape.sizes().iter().sum::<usize>());
        if found != wanted {
            return Err(TchError::Shape(format!("{found} numbers for a network of {wanted}")));
        }
        let parts = Parts::of(&flat, shape)?;
        Ok(Model { shape, flat, parts })
    }

    /// Its sizes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All numbers, `[n]`, in the order of [`Shape::sizes`].
    pub fn flat(&self) -> &Tensor {
        &self.flat
    }

    /// Logits of win, draw and loss for the player to move: `[n, 3]`.
    pub fn logits(&self, inputs: &Inputs) -> Result<Tensor, TchError> {
        let (count, pits) = inputs.categories.size2()?;
        let offsets = Tensor::f_arange_start_step(0, count * pits, pits, (Kind::Int, self.flat.device()))?;
        let parts = &self.parts;
        let (sums, ..) = Tensor::f_embedding_bag(
            &parts.input,
            &inputs.categories.f_reshape([-1])?,
            &offsets,
            false,
            SUM,
            false,
            None::<&Tensor>,
            false,
        )?;
        let lead = inputs.lead.f_unsqueeze(1)?.f_mul(&parts.lead_and_bias.f_get(0)?)?;
        sums.f_add(&lead)?
            .f_add(&parts.lead_and_bias.f_get(1)?)?
            .f_clamp(0.0, 1.0)?
            .f_linear(&parts.hidden, Some(&parts.hidden_bias))?
            .f_clamp(0.0, 1.0)?
            .f_linear(&parts.output, Some(&parts.output_bias))
    }

    /// The network's numbers as they stand, copied out of libtorch, in the order of [`Shape::sizes`].
    pub fn numbers(&self) -> Result<Vec<f32>, TchError> {
        numbers(&self.flat)
    }
}

/// The numbers of a network, in the order of [`Shape::sizes`].
pub(crate) fn flat(network: &Network) -> Vec<f32> {
    let Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias } = network.weights();
    [input, lead, input_bias, hidden, hidden_bias, output, output_bias].map(Vec::as_slice).concat()
}

/// The numbers of a flat tensor, copied out of libtorch.
pub(crate) fn numbers(flat: &Tensor) -> Result<Vec<f32>, TchError> {
    Vec::try_from(flat.f_detach()?.f_to_device(Device::Cpu)?)
}

/// `embedding_bag`'s mode that sums: fused, it is several times as fast as an embedding and a sum.
pub(crate) const SUM: i64 = 0;
