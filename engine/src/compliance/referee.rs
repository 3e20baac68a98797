//! The conversation with the program that is tried.

use std::time::Duration;

use super::{Trial, Verdict};
use crate::game::{Game, PlayError};
use crate::notation::excerpt;
use crate::rules::{Move, Player, Variant};
use crate::ugi::bot::{Bot, Silence};
use crate::ugi::result_name;

/// Whoever tries the program.
pub(super) struct Referee<'a> {
    trial: &'a Trial<'a>,
    bot: Option<Bot>,
}

/// The words that answer something; whatever else a program says is passed over.
const ANSWERS: [&str; 4] = ["ugiok", "readyok", "bestmove", "response"];

fn fail(reason: impl Into<String>) -> Verdict {
    Verdict::Fail(reason.into())
}

impl<'a> Referee<'a> {
    pub(super) fn new(trial: &'a Trial<'a>) -> Referee<'a> {
        Referee { trial, bot: None }
    }

    pub(super) fn variant(&self) -> Variant {
        self.trial.variant
    }

    pub(super) fn timeout(&self) -> Duration {
        self.trial.timeout
    }

    pub(super) fn now(&self) -> Duration {
        self.trial.clock.now()
    }

    /// Starts the program and waits for its `ugiok`; returns the lines before it.
    pub(super) fn start(&mut self) -> Result<Vec<String>, Verdict> {
        self.dismiss();
        let [program, arguments @ ..] = self.trial.command else { return Err(fail("no program is given")) };
        let bot = Bot::start(program, arguments)
            .map_err(|error| fail(format!("{} cannot be started: {error}", program.to_string_lossy())))?;
        self.bot = Some(bot);
        self.send("ugi")?;
        let mut lines = Vec::new();
        self.hear_until("ugiok", self.timeout(), |line| lines.push(line.to_owned()))?;
        Ok(lines)
    }

    /// The program, ready for a game of the variant; started where it is not running.
    fn bot(&mut self) -> Result<&mut Bot, Verdict> {
        if self.bot.is_none() {
            self.start()?;
            let variant = self.variant();
            self.send(&format!("setoption name variant value {variant}"))?;
            self.ready()?;
        }
        self.bot.as_mut().ok_or_else(|| fail("it is not running"))
    }

    /// Ends the program.
    pub(super) fn dismiss(&mut self) {
        self.bot = None;
    }

    /// Asks the program to end, and waits for it.
    pub(super) fn farewell(&mut self, quit: bool) -> Result<(), Verdict> {
        let (timeout, clock) = (self.timeout(), self.trial.clock);
        let bot = self.bot()?;
        if quit {
            bot.send("quit");
        } else {
            bot.close_input();
        }
        let status = bot.wait(timeout, clock);
        self.dismiss();
        match status {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(fail(format!("it ended with {status} instead of 0"))),
            None => Err(fail(format!("it still runs after {} ms", timeout.as_millis()))),
        }
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), Verdict> {
        self.send_bytes(line.as_bytes())
    }

    pub(super) fn send_bytes(&mut self, line: &[u8]) -> Result<(), Verdict> {
        self.bot()?.send_bytes(line);
        Ok(())
    }

    /// Waits for a line that begins with `wanted` and returns the rest of it. Another answer is an error: it
    /// answers nothing that was asked.
    pub(super) fn hear(&mut self, wanted: &str) -> Result<String, Verdict> {
        self.hear_until(wanted, self.timeout(), |_| {})
    }

    fn hear_until(
        &mut self,
        wanted: &str,
        within: Duration,
        mut observe: impl FnMut(&str),
    ) -> Result<String, Verdict> {
        let deadline = self.now().saturating_add(within);
        loop {
            let left = deadline.saturating_sub(self.now());
            let bot = self.bot.as_mut().ok_or_else(|| fail("it is not running"))?;
            let line = bot.hear(left).map_err(|silence| match silence {
                Silence::Late(_) => fail(format!("no `{wanted}` in {} ms", within.as_millis())),
                ended @ Silence::Ended { .. } => fail(format!("no `{wanted}`: {ended}")),
            })?;
            let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
            if first == wanted {
                return Ok(rest.trim().to_owned());
            }
            if ANSWERS.contains(&first) {
                return Err(fail(format!("`{}` where `{wanted}` is due", excerpt(&line))));
            }
            observe(&line);
        }
    }

    /// Asserts that no answer comes for a while.
    pub(super) fn silent_for(&mut self, time: Duration) -> Result<(), Verdict> {
        let deadline = self.now().saturating_add(time);
        loop {
            let left = deadline.saturating_sub(self.now());
            match self.bot()?.hear(left) {
                Err(Silence::Late(_)) => return Ok(()),
                Err(ended) => return Err(fail(ended.to_string())),
                Ok(line) if ANSWERS.contains(&line.split(' ').next().unwrap_or_default()) => {
                    return Err(fail(format!("`{}` before it was asked for", excerpt(&line))));
                }
                Ok(_) => {}
            }
        }
    }

    pub(super) fn ready(&mut self) -> Result<(), Verdict> {
        self.send("isready")?;
        self.hear("readyok").map(drop)
    }

    /// After a point: whatever was said too much is heard now.
    pub(super) fn settle(&mut self) -> Result<(), Verdict> {
        if self.bot.is_some() { self.ready() } else { Ok(()) }
    }

    /// Sets the program's position by the moves of a game.
    pub(super) fn put(&mut self, game: &Game) -> Result<(), Verdict> {
        let mut line = "position startpos".to_owned();
        for (i, ply) in game.plies().iter().enumerate() {
            line += if i == 0 { " moves " } else { " " };
            line += &ply.mv.to_string();
        }
        self.send(&line)
    }

    /// Sets the program's position by its text.
    pub(super) fn put_text(&mut self, game: &Game) -> Result<(), Verdict> {
        self.send(&format!("position fen {}", game.position()))
    }

    /// Asks for a move and returns it, legal in the game.
    pub(super) fn go(&mut self, limits: &str, game: &Game) -> Result<Move, Verdict> {
        self.send(&format!("go {limits}"))?;
        self.best(game)
    }

    /// Waits for a move, which has to be legal in the game.
    pub(super) fn best(&mut self, game: &Game) -> Result<Move, Verdict> {
        let text = self.hear("bestmove")?;
        let at = game.position();
        let mv: Move = text.parse().map_err(|error| fail(format!("bestmove: {error} (at {at})")))?;
        match game.clone().play(mv) {
            Ok(_) => Ok(mv),
            Err(PlayError::Illegal(error)) => Err(fail(format!("bestmove {mv}: {error} (at {at})"))),
            Err(error) => Err(fail(format!("bestmove {mv}: {error}"))),
        }
    }

    /// Asks a question, whose answer has to be a certain one.
    pub(super) fn ask(&mut self, question: &str, right: &str, game: &Game) -> Result<(), Verdict> {
        self.send(&format!("query {question}"))?;
        let answer = self.hear("response")?;
        if answer == right {
            return Ok(());
        }
        let plies = game.plies().len();
        let answer = excerpt(&answer);
        let at = game.position();
        Err(fail(format!("query {question}: `{answer}` instead of `{right}` (after {plies} moves, at {at})")))
    }

    /// Asks the three questions that every program must answer.
    pub(super) fn ask_all(&mut self, game: &Game) -> Result<(), Verdict> {
        self.ask("gameover", &game.ending().is_some().to_string(), game)?;
        self.ask("result", result_name(game.outcome()), game)?;
        if game.ending().is_none() {
            self.ask_turn(game)?;
        }
        Ok(())
    }

    pub(super) fn ask_turn(&mut self, game: &Game) -> Result<(), Verdict> {
        let first = game.position().to_move() == Player::South;
        self.ask("p1turn", &first.to_string(), game)
    }

    /// The answer to a question that a program need not know; `None` where it gives none.
    pub(super) fn ask_extra(&mut self, question: &str) -> Result<Option<String>, Verdict> {
        self.send(&format!("query {question}"))?;
        self.indulge()
    }

    /// Waits until the program is ready, and returns what it responded to a line that need not be understood.
    pub(super) fn indulge(&mut self) -> Result<Option<String>, Verdict> {
        self.send("isready")?;
        let mut answer = None;
        let deadline = self.now().saturating_add(self.timeout());
        loop {
            let left = deadline.saturating_sub(self.now());
            let line = self.bot()?.hear(left).map_err(|silence| fail(format!("no `readyok`: {silence}")))?;
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("readyok", _) => return Ok(answer),
                ("response", rest) => answer = Some(rest.trim().to_owned()),
                ("bestmove", _) => return Err(fail(format!("`{}` where no `go` was sent", excerpt(&line)))),
                _ => {}
            }
        }
    }
}
