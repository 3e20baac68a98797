//! The evaluation number by number: the twin of the one in registers.

use super::{LANES, Lanes, Tables, WIDE_LANES, Wide, lead_term};
use crate::net::{COUNTS, MAX_LAYER};
use crate::position::Position;

pub(super) fn logits(tables: &Tables, position: &Position) -> [f32; 4] {
    let mut units = [[0i16; LANES]; MAX_LAYER / LANES];
    let units = &mut units[..tables.first];
    first_layer(tables, position, units);
    let mut sums = [[0i32; WIDE_LANES]; MAX_LAYER / WIDE_LANES];
    let sums = &mut sums[..tables.second];
    for (sums, bias) in sums.iter_mut().zip(&tables.hidden_bias) {
        *sums = bias.0;
    }
    let pairs = units.as_flattened().as_chunks::<2>().0;
    for (&pair, row) in pairs.iter().zip(tables.hidden.chunks_exact(tables.second)) {
        // Clipping leaves many at exactly zero.
        if pair != [0; 2] {
            add_products(sums, pair, row);
        }
    }
    let mut lanes = [[0.0f32; WIDE_LANES]; 3];
    let numbers = tables.step.iter().zip(tables.output.as_chunks::<3>().0);
    for (sums, (Wide(step), weights)) in sums.iter().zip(numbers) {
        for lane in 0..WIDE_LANES {
            let unit = clip(sums[lane] as f32 * step[lane]);
            for (lanes, Wide(weights)) in lanes.iter_mut().zip(weights) {
                lanes[lane] += unit * weights[lane];
            }
        }
    }
    let [win, draw, loss] = lanes.map(|lanes| {
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + WIDE_LANES / 2]);
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    });
    let bias = tables.output_bias;
    [win + bias[0], draw + bias[1], loss + bias[2], bias[3]]
}

/// Sums of the first layer, clipped. On the way to a sum one may wrap round; in the end it fits.
fn first_layer(tables: &Tables, position: &Position, units: &mut [[i16; LANES]]) {
    let lead = position.lead() as i16;
    for (units, Lanes(weights)) in units.iter_mut().zip(&tables.lead) {
        for lane in 0..LANES {
            units[lane] = lead_term(lead, weights[lane]);
        }
    }
    let from = &tables.pits[position.to_move().index()];
    for (&seeds, &from) in position.board().pits().iter().zip(from) {
        let row = from as usize + usize::from(seeds).min(COUNTS - 1) * tables.first;
        add(units, &tables.input[row..][..tables.first]);
    }
    for (units, Lanes(steps)) in units.iter_mut().zip(&tables.steps) {
        for lane in 0..LANES {
            units[lane] = units[lane].max(0).min(steps[lane]);
        }
    }
}

// The two inner loops are functions of their own: so the compiler finds out that nothing overlaps, and uses the vector
// instructions that every processor of the kind has.

/// Adds a vector to the sums of the first layer.
#[inline(never)]
fn add(units: &mut [[i16; LANES]], row: &[Lanes]) {
    for (units, Lanes(numbers)) in units.iter_mut().zip(row) {
        for lane in 0..LANES {
            units[lane] = units[lane].wrapping_add(numbers[lane]);
        }
    }
}

/// Multiplies a pair of units into the sums of the second layer.
#[inline(never)]
fn add_products(sums: &mut [[i32; WIDE_LANES]], [even, odd]: [i16; 2], row: &[Lanes]) {
    for (sums, Lanes(weights)) in sums.iter_mut().zip(row) {
        for lane in 0..WIDE_LANES {
            let [to_even, to_odd] = [weights[2 * lane], weights[2 * lane + 1]];
            sums[lane] += i32::from(even) * i32::from(to_even) + i32::from(odd) * i32::from(to_odd);
        }
    }
}

/// The number within 0 … 1, as the vector instructions have it.
fn clip(number: f32) -> f32 {
    let number = if number > 0.0 { number } else { 0.0 };
    if number < 1.0 { number } else { 1.0 }
}
