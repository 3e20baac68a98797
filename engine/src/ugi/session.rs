//! A program as a player: started and readied, asked for moves, and every way it can fail by name.
//!
//! Before each question the program is asked whether it is ready, and whatever it says until then answers nothing that
//! was asked: so no late or second answer is ever taken for the answer to the next question. A session that failed is
//! over; its program is ended when it is dropped.

use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::time::Duration;

use super::bot::{Bot, Silence};
use super::command::Go;
use crate::agent::{Choice, Clock};
use crate::game::Game;
use crate::notation::excerpt;
use crate::position::Position;
use crate::rules::{Move, Variant};

/// Lines between a question and its answer, beyond which nothing sensible is expected any more.
const MOST_LINES: u32 = 100_000;

/// The ways a program can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// It did not start, or did not answer `ugi` in time.
    Start,
    /// It did not answer `isready` in time.
    Ready,
    /// It ended, or closed its output.
    Crash,
    /// It said nothing of use in time, nor soon after.
    Silence,
    /// Its answer came too late.
    Late,
    /// It chose a move that the position does not allow.
    Illegal,
    /// It said what is no part of the protocol in place of an answer, or answered what nobody had asked.
    Rubbish,
}

impl FaultKind {
    /// Every kind, in the order of its declaration.
    pub const ALL: [FaultKind; 7] = [
        FaultKind::Start,
        FaultKind::Ready,
        FaultKind::Crash,
        FaultKind::Silence,
        FaultKind::Late,
        FaultKind::Illegal,
        FaultKind::Rubbish,
    ];

    /// Its name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Ready => "ready",
            FaultKind::Crash => "crash",
            FaultKind::Silence => "silence",
            FaultKind::Late => "late",
            FaultKind::Illegal => "illegal",
            FaultKind::Rubbish => "rubbish",
        }
    }
}

/// What a program failed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How.
    pub kind: FaultKind,
    /// What happened, in words.
    pub reason: String,
}

impl Fault {
    /// A fault of a kind.
    #[must_use]
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Fault {
        Fault { kind, reason: reason.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.reason)
    }
}

impl std::error::Error for Fault {}

/// How long a program is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// From its start to `ugiok`.
    pub start: Duration,
    /// For each `readyok`.
    pub ready: Duration,
    /// For an answer that is too late, before the program is ended: it tells the late from the silent.
    pub grace: Duration,
    /// From `quit` to its end.
    pub quit: Duration,
}

impl Default for Waits {
    /// Ten seconds to start, five to be ready, half a second for what is late, a second to quit.
    fn default() -> Waits {
        Waits {
            start: Duration::from_secs(10),
            ready: Duration::from_secs(5),
            grace: Duration::from_millis(500),
            quit: Duration::from_secs(1),
        }
    }
}

/// A move that a program chose in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move, legal, and what the program's last `info` thought of it.
    pub choice: Choice,
    /// From the question to the answer.
    pub took: Duration,
}

/// A running program that has been readied.
pub struct Session {
    bot: Bot,
    start: Position,
    waits: Waits,
    /// The longest wait for a `readyok` so far: an upper bound on the way there and back.
    slowest: Duration,
}

/// The words that answer something; whatever else a program says is passed over.
const ANSWERS: [&str; 4] = ["ugiok", "readyok", "bestmove", "response"];
/// What a program may say at any time.
const REMARKS: [&str; 4] = ["info", "id", "option", ""];

impl Session {
    /// Starts a program (`command` is its name and its arguments) for games of a variant; what it writes to stderr
    /// goes to `log`.
    ///
    /// # Errors
    /// [`FaultKind::Start`] and the others of a beginning.
    pub fn start(
        command: &[OsString],
        variant: Variant,
        waits: Waits,
        log: impl Write + Send + 'static,
        clock: &dyn Clock,
    ) -> Result<Session, Fault> {
        let [program, arguments @ ..] = command else {
            return Err(Fault::new(FaultKind::Start, "no program is given"));
        };
        let bot = Bot::start_logged(program, arguments, log, clock.shared()).map_err(|error| {
            Fault::new(FaultKind::Start, format!("{} cannot be started: {error}", program.to_string_lossy()))
        })?;
        let start = Position::start(variant);
        let mut session = Session { bot, start, waits, slowest: Duration::ZERO };
        session.bot.send("ugi");
        session.hear("ugiok", waits.start, FaultKind::Start, clock)?;
        session.bot.send(&format!("setoption name variant value {variant}"));
        session.ready(clock)?;
        session.slowest = Duration::ZERO;
        Ok(session)
    }

    /// Says that what follows is another game.
    ///
    /// # Errors
    /// [`FaultKind::Ready`] and the others of a wait.
    pub fn new_game(&mut self, clock: &dyn Clock) -> Result<(), Fault> {
        self.bot.send("uginewgame");
        self.ready(clock)
    }

    /// Asks for a move in a game that is not over; the answer is due within `due` of the question.
    ///
    /// # Errors
    /// Whatever the program fails in; the session is then of no more use.
    pub fn ask(&mut self, game: &Game, go: &Go, due: Duration, clock: &dyn Clock) -> Result<Answer, Fault> {
        self.bot.send(&self.position(game));
        self.ready(clock)?;
        let begun = clock.now();
        self.bot.send(&go.to_string());
        let deadline = begun.saturating_add(due);
        let mut thought = String::new();
        let mut rubbish: Option<String> = None;
        let mut lines = 0;
        let (said, heard, written) = loop {
            match self.bot.hear_at(deadline.saturating_sub(clock.now())) {
                Ok((line, at)) => match line.split(' ').next().unwrap_or_default() {
                    "bestmove" => break (line, at, self.bot.written_at()),
                    "info" if line.contains(" pv ") => thought = line,
                    word if REMARKS.contains(&word) => {}
                    _ => rubbish = Some(line),
                },
                Err(ended @ Silence::Ended { .. }) => {
                    return Err(Fault::new(FaultKind::Crash, ended.to_string()));
                }
                Err(Silence::Late(_)) => break self.overdue(due, rubbish, clock)?,
            }
            lines += 1;
            if lines > MOST_LINES {
                let reason = format!("{MOST_LINES} lines and no `bestmove`");
                return Err(Fault::new(FaultKind::Rubbish, reason));
            }
            if clock.now() > deadline {
                break self.overdue(due, rubbish, clock)?;
            }
        };
        // From when the question was written to when the answer was read, where that was noted: not how long it took us to
        // have it written, nor to look.
        let begun = written.unwrap_or(begun).max(begun);
        let took = heard.unwrap_or_else(|| clock.now()).saturating_sub(begun);
        if took > due {
            return Err(late(took, due));
        }
        let word = said.split_ascii_whitespace().nth(1).unwrap_or_default();
        let Ok(mv) = word.parse::<Move>() else {
            return Err(Fault::new(FaultKind::Rubbish, format!("`{}` names no move", excerpt(&said))));
        };
        match game.position().check(mv) {
            Ok(()) => Ok(Answer { choice: choice(mv, &thought), took }),
            Err(reason) => Err(Fault::new(FaultKind::Illegal, format!("{mv}: {reason}"))),
        }
    }

    /// The longest that `readyok` took between moves so far: an upper bound on the way of a question and its answer.
    #[must_use]
    pub const fn slowest(&self) -> Duration {
        self.slowest
    }

    /// Asks the program to end, and ends it where it does not: whether it did by itself.
    pub fn quit(mut self, clock: &dyn Clock) -> bool {
        self.bot.send("quit");
        self.bot.wait(self.waits.quit, clock).is_some()
    }

    /// The game as the protocol tells it.
    fn position(&self, game: &Game) -> String {
        let start = game.plies().first().map_or_else(|| *game.position(), |ply| ply.before);
        let mut line = if start == self.start {
            "position startpos".to_owned()
        } else {
            format!("position fen {start}")
        };
        for (number, ply) in game.plies().iter().enumerate() {
            line += if number == 0 { " moves " } else { " " };
            line += &ply.mv.to_string();
        }
        line
    }

    fn ready(&mut self, clock: &dyn Clock) -> Result<(), Fault> {
        let begun = clock.now();
        self.bot.send("isready");
        self.hear("readyok", self.waits.ready, FaultKind::Ready, clock)?;
        self.slowest = self.slowest.max(clock.now().saturating_sub(begun));
        Ok(())
    }

    /// Waits for a word; any other answer is one too many.
    fn hear(
        &mut self,
        wanted: &str,
        within: Duration,
        kind: FaultKind,
        clock: &dyn Clock,
    ) -> Result<(), Fault> {
        let deadline = clock.now().saturating_add(within);
        for _ in 0..MOST_LINES {
            let line =
                self.bot.hear(deadline.saturating_sub(clock.now())).map_err(|silence| match silence {
                    Silence::Late(_) => {
                        Fault::new(kind, format!("no `{wanted}` in {} ms", within.as_millis()))
                    }
                    ended if kind == FaultKind::Start => Fault::new(kind, ended.to_string()),
                    ended => Fault::new(FaultKind::Crash, ended.to_string()),
                })?;
            let word = line.split(' ').next().unwrap_or_default();
            if word == wanted {
                return Ok(());
            }
            if ANSWERS.contains(&word) {
                let reason = format!("`{}` answers nothing that was asked", excerpt(&line));
                return Err(Fault::new(FaultKind::Rubbish, reason));
            }
        }
        Err(Fault::new(FaultKind::Rubbish, format!("{MOST_LINES} lines and no `{wanted}`")))
    }

    /// The answer that was not there in time, if it comes a little later, with when it was read and when the question was
    /// written; or what kind of fault it is that none comes.
    fn overdue(
        &mut self,
        due: Duration,
        rubbish: Option<String>,
        clock: &dyn Clock,
    ) -> Result<(String, Option<Duration>, Option<Duration>), Fault> {
        let written = self.bot.written_at();
        let begun = clock.now();
        let deadline = begun.saturating_add(self.waits.grace);
        // What was said in time, and only is not here yet, will be by then.
        let mut patience = begun.saturating_add(self.waits.grace / 10);
        for _ in 0..MOST_LINES {
            match self.bot.hear_at(patience.saturating_sub(clock.now())) {
                Ok((line, at)) if line.starts_with("bestmove") => return Ok((line, at, written)),
                Ok(_) if clock.now() <= deadline => {}
                Err(Silence::Late(_)) if patience < deadline => {
                    self.bot.send("stop");
                    patience = deadline;
                }
                Ok(_) | Err(Silence::Late(_)) => break,
                Err(ended) => return Err(Fault::new(FaultKind::Crash, ended.to_string())),
            }
        }
        let time = format!("in {} ms", due.saturating_add(self.waits.grace).as_millis());
        Err(match rubbish {
            Some(line) => {
                Fault::new(FaultKind::Rubbish, format!("no `bestmove` {time}, but `{}`", excerpt(&line)))
            }
            None => Fault::new(FaultKind::Silence, format!("no `bestmove` {time}")),
        })
    }
}

fn late(took: Duration, due: Duration) -> Fault {
    let reason = format!("an answer after {} ms, due in {} ms", took.as_millis(), due.as_millis());
    Fault::new(FaultKind::Late, reason)
}

/// A move with what an `info` line says of it, as far as that can be read.
fn choice(mv: Move, info: &str) -> Choice {
    let words: Vec<&str> = info.split_ascii_whitespace().collect();
    let after = |name: &str| words.iter().position(|&word| word == name).map(|at| &words[at + 1..]);
    let number = |name: &str| after(name).and_then(|rest| rest.first()?.parse::<u64>().ok()).unwrap_or(0);
    let line: Vec<Move> =
        after("pv").unwrap_or_default().iter().map_while(|word| word.parse().ok()).collect();
    if line.first() != Some(&mv) {
        return Choice::plain(mv);
    }
    let value = after("wdl").and_then(|rest| {
        let [wins, draws, losses] =
            rest.get(..3)?.iter().map(|word| word.parse::<u32>().ok()).collect::<Option<Vec<_>>>()?[..]
        else {
            return None;
        };
        let games = f64::from(wins) + f64::from(draws) + f64::from(losses);
        (games > 0.0).then(|| ((f64::from(wins) - f64::from(losses)) / games) as f32)
    });
    Choice { mv, value, depth: number("depth") as u32, nodes: number("nodes"), line }
}
