//! A clock for tests of time limits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use giuthi_engine::Clock;

/// A clock that goes on by a millisecond each time somebody looks at it: it shows how often that was.
#[derive(Default)]
pub(crate) struct Ticking(pub(crate) AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}
