//! The engine protocol: our engine, sessions with it, and other programs put to the test.

mod commands;
mod compliance;
mod document;
mod lateness;
#[path = "../networks/mod.rs"]
mod networks;
mod properties;
mod sessions;

use std::ffi::OsString;
use std::time::Duration;

use giuthi_engine::ugi::bot::{Bot, Silence};

/// Longer than any answer takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// `giuthi ugi` with arguments, at the other end of a pipe.
struct Talk {
    bot: Bot,
}

impl Talk {
    fn with(arguments: &[&str]) -> Talk {
        let front = ["ugi", "--seed", "1"];
        let arguments: Vec<OsString> = front.iter().chain(arguments).map(OsString::from).collect();
        Talk { bot: Bot::start(env!("CARGO_BIN_EXE_giuthi").as_ref(), &arguments).unwrap() }
    }

    /// With an agent that needs no time.
    fn new() -> Talk {
        Talk::with(&["--agent", "ab:depth=2"])
    }

    fn send(&self, line: &str) {
        self.bot.send(line);
    }

    fn hear(&mut self) -> String {
        self.bot.hear(PATIENCE).unwrap_or_else(|silence| panic!("{silence}"))
    }

    /// Sends a line and returns all that is said until the engine is ready again.
    #[track_caller]
    fn says(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.until_ready()
    }

    fn until_ready(&mut self) -> Vec<String> {
        self.send("isready");
        self.until("readyok").0
    }

    /// Everything said before a line that begins with a word, and that line.
    fn until(&mut self, word: &str) -> (Vec<String>, String) {
        let mut before = Vec::new();
        loop {
            let line = self.hear();
            if line.split(' ').next() == Some(word) {
                return (before, line);
            }
            before.push(line);
        }
    }

    /// The move that answers a running `go`.
    fn best(&mut self) -> String {
        self.until("bestmove").1["bestmove ".len()..].to_owned()
    }

    /// Asserts that nothing more is said and that the program ends well.
    #[track_caller]
    fn ends(mut self) {
        match self.bot.hear(PATIENCE) {
            Err(Silence::Ended { .. }) => {}
            other => panic!("{other:?} where the end was due"),
        }
        let status = self.bot.wait(PATIENCE, &giuthi_engine::cli::SystemClock::default());
        assert_eq!(status.and_then(|status| status.code()), Some(0));
    }
}
