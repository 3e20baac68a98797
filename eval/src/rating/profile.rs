//! Intervals by the likelihood itself.

use std::cell::RefCell;

use super::bradley_terry::Model;

/// How far the log-likelihood may fall inside an interval where some took every point: `ln 40`.
const FALL: f64 = 3.688_879_454_113_936;

/// How far from its end an interval may be, in strength: 0.0002 Elo.
const PRECISE: f64 = 1e-6;

/// The greatest likelihood as a function of one weighted sum of the parameters.
pub(super) struct Profile {
    model: Model,
    greatest: f64,
    /// How the parameters move when the sum moves by 1, before they are fitted anew.
    way: Vec<f64>,
    /// How far the sum was last moved, and the parameters fitted there: a good place to start from.
    last: RefCell<(f64, Vec<f64>)>,
}

impl Profile {
    /// Of a sum with these weights, not all of whose parameters are held.
    pub(super) fn new(model: &Model, best: &[f64], weights: Vec<f64>) -> Profile {
        // What is held stays: each such sum is of one parameter alone, since agents have imaginary games here.
        let free: Vec<f64> = (0..weights.len())
            .map(|i| if model.held.iter().any(|held| held[i] != 0.0) { 0.0 } else { weights[i] })
            .collect();
        let square: f64 = free.iter().zip(&weights).map(|(way, weight)| way * weight).sum();
        let way = free.iter().map(|way| way / square).collect();
        let mut model = model.clone();
        let greatest = model.log_likelihood(best);
        model.held.push(weights);
        Profile { model, greatest, way, last: RefCell::new((0.0, best.to_vec())) }
    }

    /// How far the log-likelihood falls when the sum moves so far from the best.
    pub(super) fn fall(&self, more: f64) -> f64 {
        let mut last = self.last.borrow_mut();
        let moved = last.1.iter().zip(&self.way).map(|(x, way)| x + (more - last.0) * way);
        let parameters = self.model.fit(moved.collect());
        let fall = (self.greatest - self.model.log_likelihood(&parameters)).max(0.0);
        *last = (more, parameters);
        fall
    }

    /// How far the sum can move, down and up, while the results do not speak against it.
    pub(super) fn reach(&self) -> [f64; 2] {
        [-1.0, 1.0].map(|way| self.end(way))
    }

    /// The root of the fall grows about evenly, so that its end is quickly found by regula falsi (the Illinois form).
    fn end(&self, way: f64) -> f64 {
        let beyond = |more: f64| self.fall(way * more).sqrt() - FALL.sqrt();
        // The imaginary draws end every interval: the likelihood falls without bound on both sides.
        let (mut inside, mut inside_value) = (0.0, -FALL.sqrt());
        let mut outside = 1.0;
        let mut outside_value = beyond(outside);
        while outside_value < 0.0 {
            (inside, inside_value) = (outside, outside_value);
            outside *= 2.0;
            outside_value = beyond(outside);
        }
        let mut last = 0.0;
        while outside - inside > PRECISE {
            let tried = inside + (outside - inside) * inside_value / (inside_value - outside_value);
            // Kept off the ends, so that the bracket closes from both sides.
            let tried = tried.clamp(inside + PRECISE / 2.0, outside - PRECISE / 2.0);
            let value = beyond(tried);
            if value < 0.0 {
                (inside, inside_value) = (tried, value);
                if last < 0.0 {
                    outside_value /= 2.0;
                }
            } else {
                (outside, outside_value) = (tried, value);
                if last > 0.0 {
                    inside_value /= 2.0;
                }
            }
            last = value.signum();
        }
        f64::midpoint(inside, outside)
    }
}
