//! `giuthi moves`: the legal moves of a position and what each does.

use clap::Args;
use serde::Serialize;

use super::start::Start;
use super::words;
use crate::cli;
use crate::game::Game;

/// Arguments of `giuthi moves`.
#[derive(Args)]
pub(super) struct Moves {
    #[command(flatten)]
    start: Start,

    /// Print one JSON object a move: move, laps, captured, kind, position
    #[arg(long)]
    json: bool,
}

/// A legal move and what it does, under the names of the JSON form.
#[derive(Serialize)]
struct Line {
    r#move: String,
    laps: u32,
    captured: u8,
    kind: &'static str,
    position: String,
}

/// Prints a line for each legal move. A game that is over has none: the table's place is taken by a sentence, the
/// JSON form prints nothing.
pub(super) fn run(args: &Moves) -> anyhow::Result<()> {
    let position = args.start.position()?;
    let lines: Vec<Line> = position
        .moves()
        .into_iter()
        .map(|mv| {
            let step = position.step(mv);
            Line {
                r#move: mv.to_string(),
                laps: step.sowing.laps,
                captured: step.sowing.captured,
                kind: step.sowing.kind.name(),
                position: step.position.to_string(),
            }
        })
        .collect();
    let mut text = String::new();
    if args.json {
        for line in &lines {
            text += &serde_json::to_string(line)?;
            text.push('\n');
        }
    } else if lines.is_empty() {
        text = format!("{}\n", words::standing(&Game::from_position(position)));
    } else {
        text += "move   laps  captured  kind     position after it\n";
        for Line { r#move, laps, captured, kind, position } in &lines {
            text += &format!("{move:<5}  {laps:>4}  {captured:>8}  {kind:<7}  {position}\n");
        }
    }
    cli::print(&text)
}
