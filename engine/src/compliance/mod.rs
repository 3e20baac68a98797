//! Whether a program keeps to the engine protocol: every point of the profile, tried on it and reported.
//!
//! The program is trusted in nothing: our own game says what is legal, every answer has a time to come in, and a
//! program that failed at a point is ended and started anew for the next.

mod points;
mod referee;
mod stages;

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::Clock;
use crate::rules::Variant;

pub use points::POINTS;
use referee::Referee;

/// What came of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps to it.
    Pass,
    /// It does not: what was wrong.
    Fail(String),
    /// It could not be tried, or need not be kept to: why.
    Skip(String),
}

impl Verdict {
    /// `pass`, `fail` or `skip`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail(_) => "fail",
            Verdict::Skip(_) => "skip",
        }
    }

    /// What was wrong, or why it was not tried.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Pass => None,
            Verdict::Fail(reason) | Verdict::Skip(reason) => Some(reason),
        }
    }
}

/// One thing a program has to do.
pub struct Point {
    /// Its name, in one word.
    pub name: &'static str,
    /// What the program has to do, in one line.
    pub what: &'static str,
    /// Whether a referee relies on it.
    pub required: bool,
    check: fn(&mut Referee<'_>) -> Result<(), Verdict>,
}

/// What is tried, and how.
pub struct Trial<'a> {
    /// The program and its arguments, the program first; not empty.
    pub command: &'a [OsString],
    /// The variant to play.
    pub variant: Variant,
    /// The longest wait for any answer.
    pub timeout: Duration,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// Tries every point, one after another, and tells `observe` each as it is done. Returns whether no required point
/// failed. When it returns no process is left of the program.
pub fn run(trial: &Trial<'_>, mut observe: impl FnMut(&Point, &Verdict)) -> bool {
    let mut referee = Referee::new(trial);
    let mut good = true;
    let mut started = true;
    for point in POINTS {
        let verdict = if started {
            match (point.check)(&mut referee).and_then(|()| referee.settle()) {
                Ok(()) => Verdict::Pass,
                Err(verdict) => {
                    if matches!(verdict, Verdict::Fail(_)) {
                        referee.dismiss();
                    }
                    verdict
                }
            }
        } else {
            Verdict::Skip("it does not start".to_owned())
        };
        if matches!(verdict, Verdict::Fail(_)) {
            good &= !point.required;
            // Without the first point no other can be tried.
            started &= point.name != POINTS[0].name;
        }
        observe(point, &verdict);
    }
    good
}
