//! Search: silent, with no clock but the one handed in.

mod alpha_beta;
mod mcts;
mod perpetual;
mod score;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use alpha_beta::{Memory, Report, alpha_beta, alpha_beta_each};
pub use mcts::{Judge, Mcts, MctsReport, SimLimits};
pub use perpetual::{holds_perpetual, shows_perpetual};
pub use score::Score;
pub(crate) use table::key_of;

use crate::agent::Clock;
use crate::net::Quantised;
use crate::position::Position;

/// Greatest depth of a search, in plies.
pub const MAX_DEPTH: u32 = 200;

/// When a search stops: at the first limit reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to search, 1 … [`MAX_DEPTH`].
    pub depth: Option<u32>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Time to think, by the clock handed in.
    pub time: Option<Duration>,
    /// Whether every move is searched to the whole depth: what is found at a depth is then what plain minimax finds.
    /// No limit by itself.
    pub full_width: bool,
}

impl Limits {
    /// Whether there is no limit at all.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.time.is_none()
    }
}

/// What can end a search from outside: the clock that its time is measured by, and a flag.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// The time.
    pub clock: &'a dyn Clock,
    /// Set by another thread when the search should end at once, with the best it has.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Control<'a> {
    /// A clock alone.
    #[must_use]
    pub fn new(clock: &'a dyn Clock) -> Control<'a> {
        Control { clock, stop: None }
    }

    /// Whether the flag is set or the deadline has passed.
    pub(crate) fn is_over(&self, deadline: Option<Duration>) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || deadline.is_some_and(|deadline| self.clock.now() >= deadline)
    }

    /// The moment when a time limit that begins now ends; a time too long to be added up is no limit.
    pub(crate) fn deadline(&self, time: Option<Duration>) -> Option<Duration> {
        time.and_then(|time| self.clock.now().checked_add(time))
    }
}

/// Judges positions where the search ends.
pub trait Evaluator {
    /// The expected result for the player to move in a position where the game is not over.
    fn evaluate(&self, position: &Position) -> Score;

    /// A second, dearer look at what [`evaluate`](Evaluator::evaluate) judged, no better than that and on the same
    /// side of a draw. It is asked only where that judgement would count.
    fn tempered(&self, _position: &Position, judged: Score) -> Score {
        judged
    }
}

/// The material count: the lead of the player to move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

impl Evaluator for Material {
    /// The lead as an expected result: `lead / (|lead| + c)`, where `c` is a fifth of all seeds. Only the order of
    /// values matters to the search; the curve is for those who read them, and is about what leads came to in games
    /// of this search at depth 3 (a lead of 10 to 0.48 on `2x6x4` and to 0.29 on `2x8x8`).
    fn evaluate(&self, position: &Position) -> Score {
        Score::of_lead(position.lead(), position.seeds())
    }

    /// A lead counts half where the opponent's row shows a perpetual, by which they will draw unless it is broken at
    /// once: in matches of 300 and 400 games of `2x8x8` at equal time that was worth 34 and 32 Elo (± 28).
    fn tempered(&self, position: &Position, judged: Score) -> Score {
        let opponent = position.to_move().opponent();
        let drawish = judged > Score::DRAW && perpetual::row_shows_perpetual(position.board(), opponent);
        if drawish { judged.halved() } else { judged }
    }
}

impl Evaluator for Arc<Quantised> {
    fn evaluate(&self, position: &Position) -> Score {
        Score::expected(self.value(position))
    }
}
