//! What a position is worth to the player to move: an expected result, or a proven win or loss and how far off it is.

use std::ops::Neg;

/// A value for the player to move. Greater is better: proven losses (the nearest last), expected results, proven
/// wins (the nearest first).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// A win on the spot.
const WIN: i32 = 1_000_000;
/// Expected results run from −`SCALE` to `SCALE`; everything beyond is proven.
const SCALE: i32 = 10_000;

impl Score {
    /// A draw, or even chances.
    pub const DRAW: Score = Score(0);
    /// Better than anything.
    pub(crate) const INFINITE: Score = Score(WIN + 1);

    /// An expected result, −1 (loss) … 1 (win). Values outside are cut, and none counts as proven.
    #[must_use]
    pub fn expected(result: f32) -> Score {
        debug_assert!(!result.is_nan());
        Score((result.clamp(-1.0, 1.0) * SCALE as f32).round() as i32)
    }

    /// The lead as an expected result: `lead / (|lead| + seeds / 5)`.
    #[inline]
    pub(super) const fn of_lead(lead: i32, seeds: u32) -> Score {
        // At most 255 seeds there are, so nothing overflows.
        let most = 5 * lead.abs() + seeds as i32;
        Score(5 * lead * SCALE / if most == 0 { 1 } else { most })
    }

    /// A proven win after `plies` plies of play.
    #[must_use]
    pub const fn win_in(plies: u32) -> Score {
        Score(WIN - plies as i32)
    }

    /// A proven loss after `plies` plies of play.
    #[must_use]
    pub const fn loss_in(plies: u32) -> Score {
        Score(plies as i32 - WIN)
    }

    /// Whether it is a proven win or loss.
    #[must_use]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > SCALE
    }

    /// Whether it is a proven win.
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 > SCALE
    }

    /// Whether it is a proven loss.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 < -SCALE
    }

    /// The next better score.
    pub(super) const fn next(self) -> Score {
        Score(self.0 + 1)
    }

    /// The window of so much to both sides; [`i32::MAX`] is the whole range.
    pub(super) const fn window(self, width: i32) -> (Score, Score) {
        if width == i32::MAX {
            (Score(-WIN - 1), Score::INFINITE)
        } else {
            (Score(self.0 - width), Score(self.0 + width))
        }
    }

    /// Half an expected result, towards the draw.
    pub(super) const fn halved(self) -> Score {
        Score(self.0 / 2)
    }

    /// A score that counts plies from the root, as seen from a position `ply` plies on.
    pub(super) const fn seen_from(self, ply: u32) -> Score {
        if self.is_win() {
            Score(self.0 + ply as i32)
        } else if self.is_loss() {
            Score(self.0 - ply as i32)
        } else {
            self
        }
    }

    /// The other way: a score that counts plies from a position `ply` plies from the root, as seen from the root.
    pub(super) const fn seen_from_root(self, ply: u32) -> Score {
        if self.is_win() {
            Score(self.0 - ply as i32)
        } else if self.is_loss() {
            Score(self.0 + ply as i32)
        } else {
            self
        }
    }

    /// The score as 32 bits, 0 for a draw.
    pub(super) const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// The score of so many bits.
    pub(super) const fn from_bits(bits: u32) -> Score {
        Score(bits as i32)
    }

    /// The expected result, −1 … 1; exactly ±1 where it is proven.
    #[must_use]
    pub fn value(self) -> f32 {
        if self.is_decisive() { self.0.signum() as f32 } else { self.0 as f32 / SCALE as f32 }
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}
