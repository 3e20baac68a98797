//! Learning rates, step by step.

/// How the learning rate goes on after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// It stays.
    Constant,
    /// It falls along a half cosine to a hundredth of its peak at the last step (Loshchilov & Hutter 2017).
    #[default]
    Cosine,
}

impl Shape {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Constant => "constant",
            Shape::Cosine => "cosine",
        }
    }
}

/// The learning rate of every step of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// After the warm-up.
    pub shape: Shape,
    /// The highest rate.
    pub peak: f64,
    /// Steps in which it rises evenly to the peak, which it has at the last of them; 0 for none.
    pub warmup: u64,
    /// Steps in all.
    pub steps: u64,
}

impl Schedule {
    /// The rate of a step, counted from 0.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        if step < self.warmup {
            return self.peak * (step + 1) as f64 / self.warmup as f64;
        }
        match self.shape {
            Shape::Constant => self.peak,
            Shape::Cosine => {
                let falling = self.steps.saturating_sub(self.warmup).max(2) - 1;
                let done = ((step - self.warmup) as f64 / falling as f64).min(1.0);
                let floor = self.peak / 100.0;
                floor + (self.peak - floor) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_rises_evenly_and_what_follows_begins_at_the_peak() {
        for shape in [Shape::Constant, Shape::Cosine] {
            let schedule = Schedule { shape, peak: 0.8, warmup: 4, steps: 10 };
            let rates: Vec<f64> = (0..10).map(|step| schedule.rate(step)).collect();
            assert_eq!(rates[..5], [0.2, 0.4, 0.6000000000000001, 0.8, 0.8]);
            let last = if shape == Shape::Constant { 0.8 } else { 0.008 };
            assert!((rates[9] - last).abs() < 1e-12, "{rates:?}");
        }
        let all_warm = Schedule { shape: Shape::Cosine, peak: 1.0, warmup: 20, steps: 10 };
        assert_eq!(all_warm.rate(9), 0.5);
    }
}
