//! What a position is worth when nobody errs.

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
