//! What a table says of a board: two thresholds of the lead, and from them the value at a given lead.

use std::fmt;
use std::ops::Neg;

/// How a game ends under best play, for the player to move. Ordered: a loss is less than a draw, a draw less than a win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// The opponent wins.
    Loss,
    /// Nobody wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl Value {
    /// Every value, the worst first.
    pub const ALL: [Value; 3] = [Value::Loss, Value::Draw, Value::Win];

    /// The value's name in the notations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        }
    }
}

impl Neg for Value {
    type Output = Value;

    /// The value for the other player.
    fn neg(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The least lead of the player to move (their pile minus the opponent's) from which on something is theirs. The lower
/// the better; so the order runs from [`Threshold::Always`] to [`Threshold::Never`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Threshold {
    /// At any lead.
    Always,
    /// At this lead and any greater one.
    Lead(i32),
    /// At no lead.
    Never,
}

impl Threshold {
    /// Whether a lead suffices.
    #[inline]
    #[must_use]
    pub const fn is_reached_by(self, lead: i32) -> bool {
        match self {
            Threshold::Always => true,
            Threshold::Lead(least) => lead >= least,
            Threshold::Never => false,
        }
    }

    /// The threshold of the other player for what this one leaves over: they win where this player does not even draw,
    /// and draw at least where this player does not win, at the lead as they see it.
    #[must_use]
    pub const fn turned(self) -> Threshold {
        match self {
            Threshold::Always => Threshold::Never,
            Threshold::Lead(least) => Threshold::Lead(1 - least),
            Threshold::Never => Threshold::Always,
        }
    }

    /// The threshold before `gain` seeds more come to the player.
    #[must_use]
    pub const fn before_gain(self, gain: i32) -> Threshold {
        match self {
            Threshold::Lead(least) => Threshold::Lead(least - gain),
            same => same,
        }
    }
}

impl fmt::Display for Threshold {
    /// Writes `always`, `never` or the lead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Always => f.write_str("always"),
            Threshold::Lead(lead) => write!(f, "{lead}"),
            Threshold::Never => f.write_str("never"),
        }
    }
}

/// From which lead on the player to move wins, and from which on they draw at least: what a board is worth whatever the
/// piles, before any position has been met that could occur again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thresholds {
    /// The least lead with which they win; never [`Threshold::Always`], for a win has to be reached and a lead can be
    /// lower than all seeds make good.
    pub win: Threshold,
    /// The least lead with which they draw or win; never [`Threshold::Never`].
    pub draw: Threshold,
}

impl Thresholds {
    /// What the player to move gets with a lead.
    #[inline]
    #[must_use]
    pub const fn value(&self, lead: i32) -> Value {
        if self.win.is_reached_by(lead) {
            Value::Win
        } else if self.draw.is_reached_by(lead) {
            Value::Draw
        } else {
            Value::Loss
        }
    }

    /// The same board's thresholds for the player who is not to move.
    #[must_use]
    pub const fn turned(self) -> Thresholds {
        Thresholds { win: self.draw.turned(), draw: self.win.turned() }
    }

    /// The thresholds before `gain` seeds more come to the player.
    #[must_use]
    pub const fn before_gain(self, gain: i32) -> Thresholds {
        Thresholds { win: self.win.before_gain(gain), draw: self.draw.before_gain(gain) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_player_does_not_get_the_other_does() {
        let all = [Threshold::Always, Threshold::Lead(-3), Threshold::Lead(0), Threshold::Never];
        for win in all {
            for draw in all.into_iter().filter(|draw| *draw <= win) {
                let mine = Thresholds { win, draw };
                assert_eq!(mine.turned().turned(), mine);
                for lead in -5..=5 {
                    assert_eq!(mine.turned().value(-lead), -mine.value(lead));
                    assert_eq!(mine.before_gain(2).value(lead), mine.value(lead + 2));
                }
            }
        }
    }

    #[test]
    fn lower_thresholds_come_first() {
        assert!(Threshold::Always < Threshold::Lead(-100));
        assert!(Threshold::Lead(-1) < Threshold::Lead(0));
        assert!(Threshold::Lead(100) < Threshold::Never);
        assert!(Value::Loss < Value::Draw && Value::Draw < Value::Win);
    }
}
