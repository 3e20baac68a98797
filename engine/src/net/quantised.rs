//! The network in integers, as the agents use it: NNUE's way (Nasu 2018), with scales taken from the weights.
//!
//! A sum of the first layer is held in 16 bits, `unit` steps to 1.0; each unit has its own scale, the finest at which
//! no position can make its sum overflow. Clipped sums (`0 … unit`) times 16-bit weights make the sums of the second
//! layer in 32 bits, again each with the finest scale at which none can overflow. The three sums of the last layer, a
//! few dozen products, are taken in float32, in one order on every processor. So nothing is ever cut off but what the
//! network itself clips, and how far a value is from float's is a matter of rounding alone.

use super::kernel::{self, Kernel, LANES, Tables, WIDE_LANES};
use super::{COUNTS, Header, Network};
use crate::position::Position;
use crate::rules::MAX_PITS;

/// Most steps to 1.0 in the first layer: finer ones would only take from the weights of the second.
const MOST_STEPS: f64 = 4096.0;
/// Greatest lead.
const LEAD: i32 = 255;

/// A network in integers, ready to evaluate: for the same weights within some thousandths of what [`Network`] says, and
/// many times as fast. The same bits on every machine.
#[derive(Clone, Debug)]
pub struct Quantised {
    header: Header,
    tables: Tables,
}

impl Quantised {
    /// Rounds the weights of a network to integers.
    ///
    /// Weights can be so large (a reach of the first layer beyond 32767) that no whole step fits into 1.0; such a unit
    /// becomes a switch between 0 and 1. Whatever has learned anything is far from that.
    #[must_use]
    pub fn new(network: &Network) -> Quantised {
        let first = First::new(network);
        Quantised { header: network.header().clone(), tables: tables(network, &first) }
    }

    /// Sizes and origin.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Logits of win, draw and loss for the player to move, by a given kernel.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[must_use]
    pub fn logits_by(&self, kernel: Kernel, position: &Position) -> [f32; 3] {
        self.check(position);
        let [win, draw, loss, _] = kernel::logits(kernel, &self.tables, position);
        [win, draw, loss]
    }

    /// The expected result for the player to move: P(win) − P(loss), −1 … 1.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[inline]
    #[must_use]
    pub fn value(&self, position: &Position) -> f32 {
        self.value_by(Kernel::fastest(), position)
    }

    /// [`Quantised::value`] by a given kernel: the same number from each.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[inline]
    #[must_use]
    pub fn value_by(&self, kernel: Kernel, position: &Position) -> f32 {
        self.check(position);
        kernel::value(kernel, &self.tables, position)
    }

    #[inline]
    fn check(&self, position: &Position) {
        assert_eq!(position.width(), self.header.width, "a network judges boards of its own width");
    }
}

/// The first layer in integers, unit by unit.
struct First {
    /// `[unit]`: steps to 1.0.
    steps: Vec<i16>,
    /// `[unit][category]`: the bias is in the first pit's.
    input: Vec<Vec<i16>>,
    /// `[unit]`: what [`kernel::lead_term`] multiplies the lead by.
    lead: Vec<i16>,
}

impl First {
    fn new(network: &Network) -> First {
        let (header, weights) = (network.header(), network.weights());
        let units = header.layers[0];
        let mut layer = First { steps: Vec::new(), input: Vec::new(), lead: Vec::new() };
        for unit in 0..units {
            let bias = f64::from(weights.input_bias[unit]);
            let numbers: Vec<f64> = (0..header.features.categories(header.width))
                .map(|at| f64::from(weights.input[at * units + unit]) + if at < COUNTS { bias } else { 0.0 })
                .collect();
            let lead = f64::from(weights.lead[unit]);
            let reach = reach(&numbers) + lead.abs() * f64::from(LEAD) / 16.0;
            // Rounding adds half a step a pit at most, and one for the lead.
            let room = f64::from(i16::MAX) - MAX_PITS as f64 / 2.0 - 1.0;
            let scale = (room / reach).min(2047.0 / lead.abs()).min(MOST_STEPS);
            let scale = if scale >= 1.0 { scale.floor() } else { scale };
            layer.steps.push(whole(scale.max(1.0)));
            layer.input.push(numbers.iter().map(|number| whole(number * scale)).collect());
            layer.lead.push(whole(lead * scale * 16.0));
            layer.check(unit);
        }
        layer
    }

    /// The proof, from the integers themselves, that no position makes the sum of a unit overflow.
    fn check(&self, unit: usize) {
        let pits = |best: fn(i32, i32) -> i32| -> i32 {
            let pits = self.input[unit].chunks_exact(COUNTS);
            pits.map(|pit| pit.iter().map(|&number| i32::from(number)).reduce(best).unwrap_or(0)).sum()
        };
        // The term of the lead is monotonous in it.
        let ends = [-LEAD, LEAD].map(|lead| i32::from(kernel::lead_term(lead as i16, self.lead[unit])));
        let (least, most) = (pits(i32::min) + ends[0].min(ends[1]), pits(i32::max) + ends[0].max(ends[1]));
        assert!(i16::try_from(least).is_ok() && i16::try_from(most).is_ok(), "{least} … {most}");
    }
}

/// The largest absolute value that a sum of one number of each pit can have.
fn reach(numbers: &[f64]) -> f64 {
    let ends = numbers.chunks_exact(COUNTS).map(|pit| {
        pit.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &number| {
            (least.min(number), most.max(number))
        })
    });
    let (least, most) = ends.fold((0.0, 0.0), |(least, most), pit| (least + pit.0, most + pit.1));
    f64::max(-least, most).abs()
}

/// A number rounded to an integer that has to hold it.
fn whole<T: TryFrom<i64, Error: std::fmt::Debug>>(number: f64) -> T {
    T::try_from(number.round() as i64).expect("the scale leaves room for it")
}

/// Everything laid out as the kernels read it.
fn tables(network: &Network, layer: &First) -> Tables {
    let (header, weights) = (network.header(), network.weights());
    let [first, second] = header.layers;
    let mut tables = Tables::zero(header.width, header.layers);
    for unit in 0..first {
        let (register, lane) = (unit / LANES, unit % LANES);
        for (category, &number) in layer.input[unit].iter().enumerate() {
            tables.input[category * tables.first + register].0[lane] = number;
        }
        tables.lead[register].0[lane] = layer.lead[unit];
        tables.steps[register].0[lane] = layer.steps[unit];
    }
    for (to, row) in weights.hidden.chunks_exact(first).enumerate() {
        let (register, lane) = (to / WIDE_LANES, to % WIDE_LANES);
        let numbers: Vec<f64> = row
            .iter()
            .zip(&layer.steps)
            .map(|(&weight, &steps)| f64::from(weight) / f64::from(steps))
            .collect();
        let bias = f64::from(weights.hidden_bias[to]);
        let scale = second_scale(&numbers, bias, &layer.steps);
        let rounded: Vec<i16> = numbers.iter().map(|number| whole(number * scale)).collect();
        let bias: i32 = whole(bias * scale);
        check_sums(&rounded, bias, &layer.steps);
        for (from, &number) in rounded.iter().enumerate() {
            // Pairs of units lie together, as the multiplication adds them up.
            tables.hidden[from / 2 * tables.second + register].0[2 * lane + from % 2] = number;
        }
        tables.hidden_bias[register].0[lane] = bias;
        tables.step[register].0[lane] = (1.0 / scale) as f32;
        for (result, output) in weights.output.chunks_exact(second).enumerate() {
            tables.output[3 * register + result].0[lane] = output[to];
        }
    }
    tables.output_bias[..3].copy_from_slice(&weights.output_bias);
    tables
}

/// Steps to 1.0 of a sum of the second layer: the most at which weights fit into 16 bits and the sum into 32.
fn second_scale(numbers: &[f64], bias: f64, steps: &[i16]) -> f64 {
    let largest = numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let products = || numbers.iter().zip(steps).map(|(number, &steps)| number * f64::from(steps));
    let most = bias.max(0.0) + products().map(|product| product.max(0.0)).sum::<f64>();
    let least = bias.min(0.0) + products().map(|product| product.min(0.0)).sum::<f64>();
    // Rounding adds half a step of a weight for every step of a unit, and half a step for the bias.
    let rounding = steps.iter().map(|&steps| f64::from(steps)).sum::<f64>() / 2.0 + 1.0;
    let room = f64::from(i32::MAX) - rounding;
    (f64::from(i16::MAX) / largest).min(room / most.max(-least).abs()).min(f64::from(1 << 28))
}

/// The proof, from the integers themselves, that no clipped units make a sum of the second layer overflow.
fn check_sums(weights: &[i16], bias: i32, steps: &[i16]) {
    let products = || weights.iter().zip(steps).map(|(&weight, &steps)| i64::from(weight) * i64::from(steps));
    let most = i64::from(bias) + products().filter(|&product| product > 0).sum::<i64>();
    let least = i64::from(bias) + products().filter(|&product| product < 0).sum::<i64>();
    assert!(i32::try_from(least).is_ok() && i32::try_from(most).is_ok(), "{least} … {most}");
}
