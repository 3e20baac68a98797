//! `giuthi apply`: plays moves one after another and prints what each did.

use std::io::{self, BufRead, Write};

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::start::Start;
use super::words;
use crate::cli::Usage;
use crate::game::{Ending, Game, Outcome};
use crate::notation::excerpt;
use crate::rules::Move;

/// Arguments of `giuthi apply`.
#[derive(Args)]
pub(super) struct Apply {
    #[command(flatten)]
    start: Start,

    /// Print one JSON object a move: ply, player, move, laps, captured, kind, position, status, and at the end of a
    /// game score and winner
    #[arg(long)]
    json: bool,

    /// Moves such as 12ccw, 3cw or pass; a single - reads them from stdin, with white space between
    #[arg(required = true, value_name = "MOVE")]
    moves: Vec<String>,
}

/// What a move did and how the game stands after it, under the names of the JSON form. Before any move `ply` is 0
/// and there is nothing to tell of one.
#[derive(Serialize)]
struct Line {
    ply: usize,
    #[serde(flatten)]
    played: Option<Played>,
    position: String,
    status: &'static str,
    #[serde(flatten)]
    end: Option<End>,
}

#[derive(Serialize)]
struct Played {
    player: usize,
    r#move: String,
    laps: u32,
    captured: u8,
    kind: &'static str,
}

/// What a finished game adds.
#[derive(Serialize)]
struct End {
    score: [u32; 2],
    winner: String,
}

impl Line {
    /// The last move of a game.
    fn of(game: &Game) -> Line {
        let played = game.plies().last().map(|ply| Played {
            player: ply.before.to_move().index(),
            r#move: ply.mv.to_string(),
            laps: ply.sowing.laps,
            captured: ply.sowing.captured,
            kind: ply.sowing.kind.name(),
        });
        let end = game.outcome().map(|outcome| End {
            score: game.position().score(),
            winner: match outcome {
                Outcome::Win(player) => player.to_string(),
                Outcome::Draw => "draw".to_owned(),
            },
        });
        Line {
            ply: game.plies().len(),
            played,
            position: game.position().to_string(),
            status: game.ending().map_or("playing", Ending::name),
            end,
        }
    }
}

/// The last move of a game as `giuthi apply --json` tells it, without the end of the line; before any move its start.
#[must_use]
pub fn json_line(game: &Game) -> String {
    serde_json::to_string(&Line::of(game)).expect("numbers and texts are JSON")
}

/// Plays the moves of the arguments, or of stdin as they come.
pub(super) fn run(args: &Apply) -> anyhow::Result<()> {
    let game = Game::from_position(args.start.position()?);
    let mut sheet = Sheet { game, json: args.json, out: io::stdout().lock() };
    if args.moves == ["-"] {
        let mut number = 0;
        for line in io::stdin().lock().lines() {
            let line = line.with_context(|| format!("cannot read move {} from stdin", number + 1))?;
            for text in line.split_whitespace() {
                number += 1;
                sheet.play(parse(number, text)?)?;
            }
        }
    } else {
        let numbered = args.moves.iter().enumerate();
        let moves: Vec<Move> = numbered
            .map(|(i, text)| match text.as_str() {
                "-" => Err(Usage("a - reads all moves from stdin and stands alone".to_owned())),
                text => parse(i + 1, text).map_err(|error| Usage(format!("{error:#}"))),
            })
            .collect::<Result<_, _>>()?;
        for mv in moves {
            sheet.play(mv)?;
        }
    }
    sheet.finish()
}

fn parse(number: usize, text: &str) -> anyhow::Result<Move> {
    text.parse().with_context(|| format!("move {number} ({})", excerpt(text)))
}

/// The game being played and where its moves are written down.
struct Sheet<W> {
    game: Game,
    json: bool,
    out: W,
}

impl<W: Write> Sheet<W> {
    fn play(&mut self, mv: Move) -> anyhow::Result<()> {
        let number = self.game.plies().len() + 1;
        self.game.play(mv).with_context(|| format!("move {number} ({mv})"))?;
        if self.json {
            return self.write(&json_line(&self.game));
        }
        if number == 1 {
            self.write(" ply  player  move   laps  captured  kind     position after it")?;
        }
        if let Line { played: Some(Played { player, r#move, laps, captured, kind }), position, .. } =
            Line::of(&self.game)
        {
            self.write(&format!(
                "{number:>4}  {player:>6}  {move:<5}  {laps:>4}  {captured:>8}  {kind:<7}  {position}"
            ))?;
        }
        Ok(())
    }

    /// Says how the game stands after the last move; in the JSON form the last line has said it already, unless
    /// there was none.
    fn finish(&mut self) -> anyhow::Result<()> {
        let unplayed = self.game.plies().is_empty();
        if self.json {
            return if unplayed { self.write(&json_line(&self.game)) } else { Ok(()) };
        }
        if unplayed {
            self.write(&self.game.position().to_string())?;
        }
        self.write(&words::standing(&self.game))
    }

    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{line}").and_then(|()| self.out.flush()).context("cannot write to stdout")
    }
}
