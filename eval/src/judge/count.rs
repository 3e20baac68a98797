//! Judgements counted, and shares with their intervals.

use giuthi_engine::endgame::tablebase::Value;

use crate::stats::Z;
use crate::tally::WinsDrawsLosses;

/// A mean of numbers from 0 to `most`, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Lower end of the interval.
    pub lower: f64,
    /// The mean.
    pub value: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

impl Share {
    /// The mean of `n` independent numbers from 0 to 1 that sum up to `sum`, by the score interval (Wilson 1927). It is made
    /// for a share, of zeros and ones: no numbers from 0 to 1 with the same mean are spread wider, so of others it holds the
    /// truth more often than 95 %. `None` where there are none.
    #[must_use]
    pub fn of(sum: f64, n: u64) -> Option<Share> {
        let (trials, squared) = (n as f64, Z * Z);
        let value = (n > 0).then(|| sum / trials)?;
        let whole = 1.0 + squared / trials;
        let centre = (value + squared / (2.0 * trials)) / whole;
        let variance = value * (1.0 - value) / trials + squared / (4.0 * trials * trials);
        let reach = Z * variance.max(0.0).sqrt() / whole;
        // At the ends of the range the interval ends there exactly, whatever rounding says.
        let lower = if sum <= 0.0 { 0.0 } else { centre - reach };
        let upper = if sum >= trials { 1.0 } else { centre + reach };
        Some(Share { lower, value, upper })
    }

    /// The same in other units.
    #[must_use]
    pub fn times(self, unit: f64) -> Share {
        Share { lower: self.lower * unit, value: self.value * unit, upper: self.upper * unit }
    }
}

/// What is counted of somebody's judgements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Positions judged.
    pub positions: u64,
    /// Those that are won, drawn and lost for the player to move.
    pub worth: WinsDrawsLosses,
    /// Positions to which a value was given.
    pub valued: u64,
    /// Those whose value was right.
    pub right: u64,
    /// Distances of the values given from the true ones, 0 … 2, summed up.
    pub error: f64,
    /// Positions whose value the move kept.
    pub kept: u64,
    /// Half-points that moves gave away.
    pub half_points_lost: u64,
    /// Positions in which some legal move gives something away.
    pub critical: u64,
    /// Those of them whose value the move kept.
    pub critical_kept: u64,
}

impl Count {
    /// Counts in the judgement of a position worth `truth`.
    pub(super) fn add(&mut self, truth: Value, is_critical: bool, judgement: &Judgement) {
        let number = |value: Value| value as i32 - Value::Draw as i32;
        self.positions += 1;
        *match truth {
            Value::Win => &mut self.worth.wins,
            Value::Draw => &mut self.worth.draws,
            Value::Loss => &mut self.worth.losses,
        } += 1;
        if let Some((value, expected)) = judgement.value {
            self.valued += 1;
            self.right += u64::from(value == truth);
            self.error += (f64::from(expected) - f64::from(number(truth))).abs();
        }
        let lost = (number(truth) - number(judgement.after)).max(0) as u64;
        self.half_points_lost += lost;
        self.kept += u64::from(lost == 0);
        self.critical += u64::from(is_critical);
        self.critical_kept += u64::from(is_critical && lost == 0);
    }

    /// Both counts together.
    #[must_use]
    pub fn plus(self, other: Count) -> Count {
        Count {
            positions: self.positions + other.positions,
            worth: self.worth.plus(other.worth),
            valued: self.valued + other.valued,
            right: self.right + other.right,
            error: self.error + other.error,
            kept: self.kept + other.kept,
            half_points_lost: self.half_points_lost + other.half_points_lost,
            critical: self.critical + other.critical,
            critical_kept: self.critical_kept + other.critical_kept,
        }
    }

    /// Share of the values given that were right.
    #[must_use]
    pub fn right(&self) -> Option<Share> {
        Share::of(self.right as f64, self.valued)
    }

    /// Mean distance of the values given from the true ones, 0 … 2.
    #[must_use]
    pub fn error(&self) -> Option<Share> {
        Share::of(self.error / 2.0, self.valued).map(|share| share.times(2.0))
    }

    /// Share of the moves that kept the value.
    #[must_use]
    pub fn kept(&self) -> Option<Share> {
        Share::of(self.kept as f64, self.positions)
    }

    /// Points (a win is 1, a draw ½) that moves gave away, a hundred positions.
    #[must_use]
    pub fn lost(&self) -> Option<Share> {
        Share::of(self.half_points_lost as f64 / 2.0, self.positions).map(|share| share.times(100.0))
    }

    /// Share of the moves that kept the value where some legal one would not have.
    #[must_use]
    pub fn critical_kept(&self) -> Option<Share> {
        Share::of(self.critical_kept as f64, self.critical)
    }
}

/// What somebody said of a position and did in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judgement {
    /// The value given, as one of three and as an expected result, −1 … 1; `None` from those that give none.
    pub(super) value: Option<(Value, f32)>,
    /// What the position is worth after the move, to the player who made it.
    pub(super) after: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_newcombe() {
        // R. G. Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
        for (hits, n, lower, upper) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let share = Share::of(f64::from(hits), n).unwrap();
            assert!((share.lower - lower).abs() < 5e-5 && (share.upper - upper).abs() < 5e-5, "{share:?}");
            let others = Share::of(n as f64 - f64::from(hits), n).unwrap();
            assert!((others.lower - (1.0 - share.upper)).abs() < 1e-12, "{others:?}");
        }
        assert_eq!(Share::of(0.0, 0), None);
    }

    #[test]
    fn what_moves_give_away_is_counted_in_points() {
        use Value::{Draw, Loss, Win};
        let mut count = Count::default();
        for (truth, after, value) in [
            (Win, Win, Some((Win, 0.9))),
            (Win, Draw, Some((Draw, 0.2))),
            (Win, Loss, None),
            (Draw, Loss, Some((Loss, -0.5))),
            (Loss, Loss, Some((Loss, -1.0))),
        ] {
            count.add(truth, truth != Loss, &Judgement { value, after });
        }
        assert_eq!((count.positions, count.valued, count.right), (5, 4, 2));
        assert_eq!((count.worth.wins, count.worth.draws, count.worth.losses), (3, 1, 1));
        assert_eq!((count.kept, count.half_points_lost), (2, 4));
        assert_eq!((count.critical, count.critical_kept), (4, 1));
        assert!((count.error - (0.1 + 0.8 + 0.5)).abs() < 1e-6);
        assert!((count.lost().unwrap().value - 40.0).abs() < 1e-9);
        assert_eq!(count.plus(count).positions, 10);
    }
}
