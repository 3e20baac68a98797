//! How long to think.

use std::time::Duration;

/// Most that is kept back for the way of the answer to the referee: pipes, schedulers, a slow machine.
const MARGIN: Duration = Duration::from_millis(20);

/// Time to think when the answer is due after `due`: all of it, but for a margin of 20 ms, or of a tenth where that
/// is less.
#[must_use]
pub fn for_move(due: Duration) -> Duration {
    due - MARGIN.min(due / 10)
}

/// Time to think with `left` on the own clock, which gains `increment` after the move: a twenty-fifth of what is left
/// and three quarters of the increment, but never more than half of [`for_move`]`(left)`. However large the increment
/// is, and however small what is left, the clock cannot run out while the answer is on its way for less than the
/// other half.
#[must_use]
pub fn for_clock(left: Duration, increment: Duration) -> Duration {
    let share = (left / 25).saturating_add(increment / 4 * 3);
    share.min(for_move(left) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_move_s_time_is_kept_but_for_the_margin() {
        assert_eq!(for_move(ms(0)), ms(0));
        assert_eq!(for_move(ms(100)), ms(90));
        assert_eq!(for_move(ms(1000)), ms(980));
    }

    #[test]
    fn no_clock_runs_out() {
        for left in [0, 1, 2, 10, 100, 1000, 60_000, 3_600_000, u64::MAX] {
            for increment in [0, 1, 100, 10_000, u64::MAX] {
                let budget = for_clock(ms(left), ms(increment));
                assert!(budget <= ms(left) / 2, "{left} {increment}: {budget:?}");
            }
        }
        assert_eq!(for_clock(ms(60_000), ms(0)), ms(2400));
        assert_eq!(for_clock(ms(60_000), ms(1000)), ms(3150));
    }
}
