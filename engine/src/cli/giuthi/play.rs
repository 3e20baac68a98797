//! `giuthi play`: a game in the terminal, a person against an agent, line by line.

use std::io::{self, BufRead, Write};

use anyhow::Context;
use clap::Args;
use rand_chacha::ChaCha8Rng;

use super::opponent::Opponent;
use super::start::Start;
use super::{drawing, words};
use crate::agent::{AgentSpec, Choice, Request};
use crate::cli::{SystemClock, agents, seed_or_drawn, whole_number};
use crate::game::{Game, Ply};
use crate::notation::excerpt;
use crate::position::Position;
use crate::rng::game_rng;
use crate::rules::{Move, Player};

/// Arguments of `giuthi play`.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Play {
    #[command(flatten)]
    start: Start,

    /// The opponent
    #[arg(long, value_name = "SPEC", default_value = "ab:ms=500")]
    agent: AgentSpec,

    /// The player you are: 0, who moves first, or 1
    #[arg(long, value_name = "0|1", default_value = "0", value_parser = player, allow_negative_numbers = true)]
    side: Player,

    /// Number that fixes what the agent leaves to chance [default: drawn, and told]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
}

fn player(text: &str) -> Result<Player, String> {
    let player = Player::BOTH.into_iter().find(|player| player.to_string() == text);
    player.ok_or_else(|| "0 (who moves first) or 1 is possible".to_owned())
}

/// Plays a game to its end, or until the person leaves it.
pub(super) fn run(args: &Play) -> anyhow::Result<()> {
    let start = args.start.position()?;
    let variant = args.start.variant_of(&start);
    let agent = Opponent::new(&args.agent, variant)?;
    let adviser = Opponent::new(&args.agent, variant)?;
    let seed = seed_or_drawn(args.seed);
    let table = Table {
        game: Game::from_position(start),
        person: args.side,
        name: args.agent.label().to_owned(),
        agent,
        adviser,
        rng: game_rng(seed, 0),
        clock: SystemClock::default(),
        input: io::stdin().lock(),
        out: io::stdout().lock(),
    };
    table.play().map_err(|error| match error.is::<io::Error>() && error.chain().len() == 1 {
        // Reading says so itself; what is left is writing, on every other line of a game.
        true => error.context("cannot write to stdout"),
        false => error,
    })
}

const HELP: &str = "\
Type a move or its number in the list. 12ccw sows pit 12 counter-clockwise,
towards higher pit numbers; 12cw the other way. Other words:
  hint    what the agent would play in your place
  undo    back to your move before
  board   the board and your moves once more
  quit    leave the game
";

/// What the person typed.
enum Entry {
    Move(Move),
    Board,
    Help,
    Hint,
    Nothing,
    Quit,
    Undo,
}

/// Whether the game goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

/// A game between a person and an agent.
struct Table<R, W> {
    game: Game,
    person: Player,
    name: String,
    agent: Opponent,
    /// Gives the hints: an agent of its own, so that asking changes nothing that the opponent remembers.
    adviser: Opponent,
    rng: ChaCha8Rng,
    clock: SystemClock,
    input: R,
    out: W,
}

impl<R: BufRead, W: Write> Table<R, W> {
    fn play(mut self) -> anyhow::Result<()> {
        let (you, other) = (self.person, self.person.opponent());
        writeln!(self.out, "You are player {you}, {} is player {other}. Type help for help.", self.name)?;
        while self.game.ending().is_none() {
            // After an extra move or a pass the same player may be to move again: always asked, never assumed.
            let position = self.game.position();
            if position.moves()[..] == [Move::Pass] {
                self.make(Move::Pass, "")?;
            } else if position.to_move() == self.person {
                if self.ask()? == Next::Leave {
                    writeln!(self.out, "The game stops at {}", self.game.position())?;
                    return Ok(());
                }
            } else {
                let choice = self.agent.choose(&self.game, &mut Request::new(&mut self.rng, &self.clock))?;
                self.make(choice.mv, &thought(&choice))?;
            }
        }
        write!(self.out, "\n{}", drawing::board(self.game.position()))?;
        writeln!(self.out, "{}", words::standing(&self.game))?;
        let result = self.game.outcome().map(|outcome| outcome.result_for(self.person));
        match result {
            Some(1) => writeln!(self.out, "You win.")?,
            Some(-1) => writeln!(self.out, "You lose.")?,
            _ => {}
        }
        Ok(())
    }

    /// Plays a move and tells what it did; `thought` is what the agent thought of it.
    fn make(&mut self, mv: Move, thought: &str) -> anyhow::Result<()> {
        let player = self.game.position().to_move();
        let name = if player == self.person { "you" } else { &self.name };
        let ply = self.game.play(mv)?;
        writeln!(self.out, "\nPlayer {player} ({name}) plays {mv}{thought}")?;
        for line in words::told(&ply.before, mv) {
            writeln!(self.out, "  {line}")?;
        }
        Ok(())
    }

    /// Asks the person until they make a move, take one back, or leave.
    fn ask(&mut self) -> anyhow::Result<Next> {
        self.show()?;
        loop {
            write!(self.out, "player {}> ", self.person)?;
            self.out.flush()?;
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line).context("cannot read from stdin")? == 0 {
                writeln!(self.out)?;
                return Ok(Next::Leave);
            }
            match entry(&String::from_utf8_lossy(&line), self.game.position()) {
                Ok(Entry::Move(mv)) => {
                    self.make(mv, "")?;
                    return Ok(Next::GoOn);
                }
                Ok(Entry::Undo) if self.undo() => return Ok(Next::GoOn),
                Ok(Entry::Undo) => writeln!(self.out, "You have made no move that could be taken back.")?,
                Ok(Entry::Hint) => {
                    let choice =
                        self.adviser.choose(&self.game, &mut Request::new(&mut self.rng, &self.clock))?;
                    writeln!(self.out, "{} would play {}{}", self.name, choice.mv, thought(&choice))?;
                }
                Ok(Entry::Board) => self.show()?,
                Ok(Entry::Help) => write!(self.out, "{HELP}")?,
                Ok(Entry::Nothing) => {}
                Ok(Entry::Quit) => return Ok(Next::Leave),
                Err(reason) => writeln!(self.out, "{reason}")?,
            }
        }
    }

    /// Draws the board and numbers the moves.
    fn show(&mut self) -> io::Result<()> {
        write!(self.out, "\n{}", drawing::board(self.game.position()))?;
        let moves = self.game.position().moves();
        let numbered: Vec<String> =
            moves.iter().enumerate().map(|(i, mv)| format!("{:>2}) {:<5}", i + 1, mv.to_string())).collect();
        for line in numbered.chunks(6) {
            writeln!(self.out, "  {}", line.join("   ").trim_end())?;
        }
        Ok(())
    }

    /// Goes back to the person's decision before this one, past whatever was played since; `false` where there is
    /// none. A forced pass was no decision.
    fn undo(&mut self) -> bool {
        let decided = |ply: &Ply| ply.before.to_move() == self.person && ply.mv != Move::Pass;
        let Some(at) = self.game.plies().iter().rposition(decided) else { return false };
        while self.game.plies().len() > at {
            self.game.undo();
        }
        true
    }
}

/// What a typed line asks for; the error says what could have been typed.
fn entry(line: &str, position: &Position) -> Result<Entry, String> {
    let text = line.trim().to_ascii_lowercase();
    match text.as_str() {
        "" => return Ok(Entry::Nothing),
        "board" => return Ok(Entry::Board),
        "help" | "?" => return Ok(Entry::Help),
        "hint" => return Ok(Entry::Hint),
        "quit" | "exit" => return Ok(Entry::Quit),
        "undo" => return Ok(Entry::Undo),
        _ => {}
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let moves = position.moves();
        let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        return match number.and_then(|number| moves.get(number)) {
            Some(&mv) => Ok(Entry::Move(mv)),
            None => {
                Err(format!("There is no move {}: the list runs from 1 to {}.", excerpt(&text), moves.len()))
            }
        };
    }
    let Ok(mv) = text.parse() else {
        return Err(format!(
            "`{}` is neither a move (such as {}), nor a number in the list, nor help, hint, undo, board or quit.",
            excerpt(&text),
            position.moves()[0]
        ));
    };
    match position.check(mv) {
        Ok(()) => Ok(Entry::Move(mv)),
        Err(reason) => Err(format!("{mv} cannot be played: {reason}.")),
    }
}

/// What an agent thought of its choice, to be put behind the move.
fn thought(choice: &Choice) -> String {
    match choice.value {
        Some(value) => {
            format!(" (worth {value:+.2} to its player; depth {}, {} positions)", choice.depth, choice.nodes)
        }
        None => String::new(),
    }
}
