//! Chance in the moves after the opening: any move now and then, or one of the good ones.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::settings::SettingError;

/// The share of moves played at random after the opening, 0 … 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Epsilon(f64);

impl Epsilon {
    /// The share as a number, 0 … 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Epsilon {
    fn default() -> Self {
        Epsilon(0.02)
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = SettingError;

    fn try_from(share: f64) -> Result<Epsilon, SettingError> {
        // Adding 0 makes a negative zero a plain one.
        if (0.0..=1.0).contains(&share) { Ok(Epsilon(share + 0.0)) } else { Err(SettingError::Epsilon) }
    }
}

impl From<Epsilon> for f64 {
    fn from(epsilon: Epsilon) -> f64 {
        epsilon.0
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Epsilon {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Epsilon, SettingError> {
        text.parse::<f64>().map_err(|_| SettingError::Epsilon)?.try_into()
    }
}

/// How freely moves are chosen among the agent's by their values: a move worth `v` is played in proportion to
/// `exp(v / T)` (softmax), and `T` falls evenly with each ply after the opening, to 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature {
    start: f64,
    plies: NonZeroU32,
}

impl Temperature {
    /// The highest temperature: there every move is about as likely as any other.
    pub const MOST: u32 = 100;
    /// Plies in which it falls to 0 when nothing else is asked.
    pub const DEFAULT_PLIES: NonZeroU32 = NonZeroU32::new(20).expect("not 0");

    /// A temperature of `start` right after the opening, and of 0 so many plies later.
    ///
    /// # Errors
    /// Where `start` is not above 0 or is above [`Temperature::MOST`].
    pub fn new(start: f64, plies: NonZeroU32) -> Result<Temperature, SettingError> {
        let possible = start > 0.0 && start <= f64::from(Temperature::MOST);
        if possible { Ok(Temperature { start, plies }) } else { Err(SettingError::Temperature) }
    }

    /// The temperature right after the opening.
    #[must_use]
    pub const fn start(self) -> f64 {
        self.start
    }

    /// Plies after the opening in which it falls to 0.
    #[must_use]
    pub const fn plies(self) -> NonZeroU32 {
        self.plies
    }

    /// The temperature so many plies after the opening; `None` where it has come to 0.
    pub(crate) fn at(self, plies: usize) -> Option<f64> {
        let left = (self.plies.get() as usize).checked_sub(plies).filter(|&left| left > 0)?;
        Some(self.start * left as f64 / f64::from(self.plies.get()))
    }
}

/// The place of one of the values, drawn by a softmax at a temperature above 0.
pub(crate) fn softmax(values: &[f32], temperature: f64, rng: &mut dyn rand::Rng) -> usize {
    let best = f64::from(values.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let weights: Vec<f64> =
        values.iter().map(|&value| falling((best - f64::from(value)) / temperature)).collect();
    let mut rest = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (at, weight) in weights.iter().enumerate() {
        rest -= weight;
        if rest < 0.0 {
            return at;
        }
    }
    // What rounding left over belongs to the last that can be drawn at all.
    weights.iter().rposition(|&weight| weight > 0.0).expect("the best one weighs 1")
}

/// `exp(-x)` for an `x` of 0 or more. Of additions and multiplications alone, which are the same on every machine; the
/// mathematical libraries of two systems may differ in the last bit.
fn falling(x: f64) -> f64 {
    // 0 beyond: nobody would live to see it drawn.
    if x > 60.0 {
        return 0.0;
    }
    let y = -x / 4096.0;
    // Taylor's series to the fifth power, within 1e-14 of the exponential of so small a number.
    let mut power = 1.0 + y * (1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0 * (1.0 + y / 5.0))));
    for _ in 0..12 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use giuthi_engine::rng::game_rng;

    use super::*;

    #[test]
    fn the_exponential_is_one() {
        for x in (0..6000).map(|x| f64::from(x) / 100.0) {
            let wanted = (-x).exp();
            assert!((falling(x) - wanted).abs() <= 1e-9 * wanted, "{x}");
        }
        assert_eq!(falling(0.0), 1.0);
        assert_eq!(falling(1e9), 0.0);
    }

    #[test]
    fn it_falls_evenly_to_nothing() {
        let temperature = Temperature::new(0.4, NonZeroU32::new(4).unwrap()).unwrap();
        let course: Vec<_> = (0..6).map(|ply| temperature.at(ply)).collect();
        assert_eq!(course, [Some(0.4), Some(0.4 * 3.0 / 4.0), Some(0.2), Some(0.1), None, None]);
        for start in [0.0, -0.1, 100.5, f64::NAN, f64::INFINITY] {
            assert_eq!(Temperature::new(start, NonZeroU32::MIN), Err(SettingError::Temperature));
        }
    }

    #[test]
    fn values_are_drawn_in_proportion_to_their_exponentials() {
        let values = [0.1, 0.3, -1.0, 0.3];
        let mut rng = game_rng(3, 0);
        let mut drawn = [0_u32; 4];
        const DRAWS: u32 = 100_000;
        for _ in 0..DRAWS {
            drawn[softmax(&values, 0.2, &mut rng)] += 1;
        }
        let weights = values.map(|value| (f64::from(value) / 0.2).exp());
        let sum: f64 = weights.iter().sum();
        for (drawn, weight) in drawn.into_iter().zip(weights) {
            let wanted = weight / sum;
            // Five standard errors.
            let error = 5.0 * (wanted * (1.0 - wanted) / f64::from(DRAWS)).sqrt();
            assert!((f64::from(drawn) / f64::from(DRAWS) - wanted).abs() < error, "{drawn} {wanted}");
        }
        // So cold that only the best is left, wherever it stands.
        assert_eq!(softmax(&[-0.2, 0.9, 0.8], 1e-6, &mut rng), 1);
        assert_eq!(softmax(&[0.5], 100.0, &mut rng), 0);
    }
}
