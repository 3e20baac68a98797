//! When an answer is late, by a clock that goes on only while a thread is held up: nothing hangs on how fast this machine is.
#![cfg(unix)]

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use giuthi_engine::ugi::bot::{READER, WRITER};
use giuthi_engine::ugi::command::Go;
use giuthi_engine::ugi::session::{Answer, Fault, FaultKind, Session, Waits};
use giuthi_engine::{Clock, Game, Variant};

const HOUR: Duration = Duration::from_secs(3600);

/// Where an hour goes by.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// Before what is sent is written to the program.
    BeforeWriting,
    /// Before what the program said is read: it may as well have thought.
    BeforeReading,
    /// After it was read, and before anybody looks.
    AfterReading,
}

#[derive(Clone)]
struct HeldUp {
    held: Held,
    hours: Arc<AtomicU64>,
}

impl Clock for HeldUp {
    fn now(&self) -> Duration {
        let thread = thread::current();
        let [before, after] = match (thread.name(), self.held) {
            (Some(READER), Held::BeforeReading) | (Some(WRITER), Held::BeforeWriting) => [1, 0],
            (Some(READER), Held::AfterReading) => [0, 1],
            _ => [0, 0],
        };
        let now = self.hours.fetch_add(before + after, Ordering::SeqCst) + before;
        HOUR * u32::try_from(now).unwrap()
    }

    fn shared(&self) -> Option<Arc<dyn Clock + Send + Sync>> {
        Some(Arc::new(self.clone()))
    }
}

/// Asks a program that answers at once, by such a clock; the answer is due in a second.
fn asked(held: Held) -> Result<Answer, Fault> {
    const BOT: &str = "while read -r line; do case $line in \
        ugi) echo ugiok;; isready) echo readyok;; go*) echo bestmove 5ccw;; quit) exit;; esac; done";
    let command = ["/bin/sh", "-c", BOT].map(OsString::from);
    let clock = HeldUp { held, hours: Arc::default() };
    let long = 1000 * HOUR;
    let waits = Waits { start: long, ready: long, grace: long, quit: HOUR };
    let variant = Variant::new(5, 4).unwrap();
    let mut session = Session::start(&command, variant, waits, io::sink(), &clock).unwrap();
    session.new_game(&clock).unwrap();
    session.ask(&Game::new(variant), &Go::default(), Duration::from_secs(1), &clock)
}

#[test]
fn an_answer_is_late_by_when_it_was_read_and_not_by_when_somebody_looked() {
    for held in [Held::BeforeWriting, Held::AfterReading] {
        let answer = asked(held).unwrap();
        assert_eq!((answer.choice.mv.to_string(), answer.took), ("5ccw".to_owned(), Duration::ZERO));
    }
    assert_eq!(asked(Held::BeforeReading).unwrap_err().kind, FaultKind::Late);
}
