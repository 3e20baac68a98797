//! The integers of a quantised network, tensor by tensor: how they come from float weights, what has to hold of them,
//! and how they are laid out for the kernels.

use super::kernel::{self, LANES, Tables, WIDE_LANES};
use super::{COUNTS, LARGEST, Network};
use crate::rules::MAX_PITS;

/// Most steps to 1.0 in the first layer: finer ones would only take from the weights of the second.
pub(super) const MOST_STEPS: i16 = 4096;
/// Greatest lead.
const LEAD: i32 = 255;

/// The numbers of a quantised network, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Integers {
    /// `[H1]`: steps to 1.0 of each unit of the first layer.
    pub(super) steps: Vec<i16>,
    /// `[H1]`: what [`kernel::lead_term`] multiplies the lead by.
    pub(super) lead: Vec<i16>,
    /// `[categories, H1]`: the bias is in those of the first pit.
    pub(super) input: Vec<i16>,
    /// `[H2, H1]`.
    pub(super) hidden: Vec<i16>,
    /// `[H2]`.
    pub(super) hidden_bias: Vec<i32>,
    /// `[H2]`: the size of a step of each sum of the second layer.
    pub(super) hidden_step: Vec<f32>,
    /// `[3, H2]`: win, draw, loss.
    pub(super) output: Vec<f32>,
    /// `[3]`.
    pub(super) output_bias: Vec<f32>,
}

impl Integers {
    /// Rounds the weights of a network.
    pub(super) fn of_network(network: &Network) -> Integers {
        let (header, weights) = (network.header(), network.weights());
        let [first, second] = header.layers;
        let categories = header.features.categories(header.width);
        let mut integers = Integers {
            steps: Vec::with_capacity(first),
            lead: Vec::with_capacity(first),
            input: vec![0; categories * first],
            hidden: Vec::with_capacity(second * first),
            hidden_bias: Vec::with_capacity(second),
            hidden_step: Vec::with_capacity(second),
            output: weights.output.clone(),
            output_bias: weights.output_bias.clone(),
        };
        for unit in 0..first {
            let bias = f64::from(weights.input_bias[unit]);
            let numbers: Vec<f64> = (0..categories)
                .map(|at| f64::from(weights.input[at * first + unit]) + if at < COUNTS { bias } else { 0.0 })
                .collect();
            let lead = f64::from(weights.lead[unit]);
            let scale = first_scale(&numbers, lead);
            integers.steps.push(whole(scale.max(1.0)));
            integers.lead.push(whole(lead * scale * 16.0));
            for (at, number) in numbers.iter().enumerate() {
                integers.input[at * first + unit] = whole(number * scale);
            }
        }
        for (row, &bias) in weights.hidden.chunks_exact(first).zip(&weights.hidden_bias) {
            let numbers: Vec<f64> = row
                .iter()
                .zip(&integers.steps)
                .map(|(&weight, &steps)| f64::from(weight) / f64::from(steps))
                .collect();
            let bias = f64::from(bias);
            let scale = second_scale(&numbers, bias, &integers.steps);
            integers.hidden.extend(numbers.iter().map(|number| whole::<i16>(number * scale)));
            integers.hidden_bias.push(whole(bias * scale));
            integers.hidden_step.push((1.0 / scale) as f32);
        }
        if let Err(fault) = integers.check() {
            unreachable!("the scales were chosen so that it fits: {fault}");
        }
        integers
    }

    /// The proof, from the numbers themselves, that no position makes a sum overflow, and that all of them are
    /// numbers to reckon with. The tensors have to be as long as their shapes say.
    ///
    /// # Errors
    /// The first fault, in words.
    pub(super) fn check(&self) -> Result<(), String> {
        let at_fault = |at: Option<usize>, name: &str, wanted: &str| match at {
            Some(at) => Err(format!("`{name}` at {at}: {wanted} is possible")),
            None => Ok(()),
        };
        let bad = self.steps.iter().position(|steps| !(1..=MOST_STEPS).contains(steps));
        at_fault(bad, "input.steps", "1 to 4096")?;
        let bad = self.hidden_step.iter().position(|&step| !(step > 0.0 && step.is_finite()));
        at_fault(bad, "hidden.step", "a finite number above 0")?;
        for (name, numbers) in [("output.weight", &self.output), ("output.bias", &self.output_bias)] {
            let good = |number: &f32| number.abs() <= LARGEST;
            let bad = numbers.iter().position(|number| !good(number));
            at_fault(bad, name, "-1e30 to 1e30")?;
        }
        self.check_first()?;
        self.check_second()
    }

    fn check_first(&self) -> Result<(), String> {
        let first = self.steps.len();
        for (unit, &lead) in self.lead.iter().enumerate() {
            let pits = |best: fn(i32, i32) -> i32| -> i32 {
                let pit = |rows: &[i16]| {
                    rows.chunks_exact(first).map(|row| i32::from(row[unit])).reduce(best).unwrap_or(0)
                };
                self.input.chunks_exact(COUNTS * first).map(pit).sum()
            };
            // The term of the lead is monotonous in it.
            let ends = [-LEAD, LEAD].map(|seeds| i32::from(kernel::lead_term(seeds as i16, lead)));
            let least = pits(i32::min) + ends[0].min(ends[1]);
            let most = pits(i32::max) + ends[0].max(ends[1]);
            if i16::try_from(least).is_err() || i16::try_from(most).is_err() {
                return Err(format!(
                    "sums of unit {unit} of the first layer reach {least} … {most}, beyond 16 bits"
                ));
            }
        }
        Ok(())
    }

    fn check_second(&self) -> Result<(), String> {
        for (unit, (row, &bias)) in
            self.hidden.chunks_exact(self.steps.len()).zip(&self.hidden_bias).enumerate()
        {
            let products =
                || row.iter().zip(&self.steps).map(|(&weight, &steps)| i64::from(weight) * i64::from(steps));
            let most = i64::from(bias) + products().filter(|&product| product > 0).sum::<i64>();
            let least = i64::from(bias) + products().filter(|&product| product < 0).sum::<i64>();
            if i32::try_from(least).is_err() || i32::try_from(most).is_err() {
                return Err(format!(
                    "sums of unit {unit} of the second layer reach {least} … {most}, beyond 32 bits"
                ));
            }
        }
        Ok(())
    }

    /// Everything laid out as the kernels read it, for rows of `width` pits.
    pub(super) fn tables(&self, width: usize) -> Tables {
        let (first, second) = (self.steps.len(), self.hidden_bias.len());
        let mut tables = Tables::zero(width, [first, second]);
        for unit in 0..first {
            let (register, lane) = (unit / LANES, unit % LANES);
            tables.lead[register].0[lane] = self.lead[unit];
            tables.steps[register].0[lane] = self.steps[unit];
        }
        for (category, row) in self.input.chunks_exact(first).enumerate() {
            for (unit, &number) in row.iter().enumerate() {
                tables.input[category * tables.first + unit / LANES].0[unit % LANES] = number;
            }
        }
        for (to, row) in self.hidden.chunks_exact(first).enumerate() {
            let (register, lane) = (to / WIDE_LANES, to % WIDE_LANES);
            for (from, &number) in row.iter().enumerate() {
                // Pairs of units lie together, as the multiplication adds them up.
                tables.hidden[from / 2 * tables.second + register].0[2 * lane + from % 2] = number;
            }
            tables.hidden_bias[register].0[lane] = self.hidden_bias[to];
            tables.step[register].0[lane] = self.hidden_step[to];
            for (result, output) in self.output.chunks_exact(second).enumerate() {
                tables.output[3 * register + result].0[lane] = output[to];
            }
        }
        tables.output_bias[..3].copy_from_slice(&self.output_bias);
        tables
    }

    /// The numbers out of the kernels' layout again.
    pub(super) fn of_tables([first, second]: [usize; 2], tables: &Tables) -> Integers {
        let lanes = |from: usize| (0..first).map(move |unit| (from + unit / LANES, unit % LANES));
        let wide = |from: usize, by: usize| {
            (0..second).map(move |unit| (from + by * (unit / WIDE_LANES), unit % WIDE_LANES))
        };
        let categories = tables.input.len() / tables.first;
        let hidden = (0..second).flat_map(|to| {
            let (register, lane) = (to / WIDE_LANES, to % WIDE_LANES);
            (0..first)
                .map(move |from| tables.hidden[from / 2 * tables.second + register].0[2 * lane + from % 2])
        });
        Integers {
            steps: lanes(0).map(|(register, lane)| tables.steps[register].0[lane]).collect(),
            lead: lanes(0).map(|(register, lane)| tables.lead[register].0[lane]).collect(),
            input: (0..categories)
                .flat_map(|category| lanes(category * tables.first))
                .map(|(register, lane)| tables.input[register].0[lane])
                .collect(),
            hidden: hidden.collect(),
            hidden_bias: wide(0, 1).map(|(register, lane)| tables.hidden_bias[register].0[lane]).collect(),
            hidden_step: wide(0, 1).map(|(register, lane)| tables.step[register].0[lane]).collect(),
            output: (0..3)
                .flat_map(|result| wide(result, 3))
                .map(|(register, lane)| tables.output[register].0[lane])
                .collect(),
            output_bias: tables.output_bias[..3].to_vec(),
        }
    }
}

/// Steps to 1.0 of a unit of the first layer: the most at which no position can make its sum overflow 16 bits; below 1
/// where not even one step fits.
fn first_scale(numbers: &[f64], lead: f64) -> f64 {
    let reach = reach(numbers) + lead.abs() * f64::from(LEAD) / 16.0;
    // Rounding adds half a step a pit at most, and one for the lead.
    let room = f64::from(i16::MAX) - MAX_PITS as f64 / 2.0 - 1.0;
    let scale = (room / reach).min(2047.0 / lead.abs()).min(f64::from(MOST_STEPS));
    if scale >= 1.0 { scale.floor() } else { scale }
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
