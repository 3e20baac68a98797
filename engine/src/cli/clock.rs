//! The system's monotonic clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::agent::Clock;

/// Time since it was made, by the system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn shared(&self) -> Option<Arc<dyn Clock + Send + Sync>> {
        Some(Arc::new(*self))
    }
}
