//! `giuthi tablebase probe`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde::{Serialize, Serializer};

use super::super::words;
use crate::cli;
use crate::endgame::tablebase::{Tablebase, Threshold, Thresholds};
use crate::game::Game;
use crate::position::Position;

/// Arguments of `giuthi tablebase probe`.
#[derive(Args)]
pub(super) struct Probe {
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    tb: PathBuf,

    /// Position, five fields in one argument: "PITS-OF-PLAYER-1 PITS-OF-PLAYER-0 PILE0 PILE1 TO-MOVE", pits with commas
    /// between, in ring order; as at the start of a game, with nothing to repeat
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    position: Position,

    /// Print one JSON object: position, value, win_min_lead, draw_min_lead, and the same for each of its moves
    #[arg(long)]
    json: bool,
}

/// What a board or a move is worth, under the names of the JSON form.
#[derive(Serialize)]
struct Worth {
    value: &'static str,
    #[serde(serialize_with = "number_or_word")]
    win_min_lead: Threshold,
    #[serde(serialize_with = "number_or_word")]
    draw_min_lead: Threshold,
}

impl Worth {
    fn of(thresholds: Thresholds, lead: i32) -> Worth {
        let Thresholds { win, draw } = thresholds;
        Worth { value: thresholds.value(lead).name(), win_min_lead: win, draw_min_lead: draw }
    }
}

fn number_or_word<S: Serializer>(threshold: &Threshold, serializer: S) -> Result<S::Ok, S::Error> {
    match threshold {
        Threshold::Lead(lead) => serializer.serialize_i32(*lead),
        word => serializer.collect_str(word),
    }
}

#[derive(Serialize)]
struct Line {
    position: String,
    lead: i32,
    #[serde(flatten)]
    worth: Worth,
    moves: Vec<MoveLine>,
}

#[derive(Serialize)]
struct MoveLine {
    r#move: String,
    #[serde(flatten)]
    worth: Worth,
    position: String,
}

pub(super) fn run(args: &Probe) -> anyhow::Result<()> {
    let table = Tablebase::open(&args.tb)?;
    let position = &args.position;
    if position.width() != table.pits() {
        bail!(
            "{}: tables of boards with rows of {} pits, but --position has rows of {}",
            args.tb.display(),
            table.pits(),
            position.width()
        );
    }
    let Some((thresholds, moves)) = table.probe(position).zip(table.moves(position)) else {
        bail!(
            "--position: {} seeds lie on the board, and the tables of {} have boards of up to {}",
            position.board().pits().iter().map(|&seeds| u32::from(seeds)).sum::<u32>(),
            args.tb.display(),
            table.seeds()
        );
    };
    let lead = position.lead();
    let line = Line {
        position: position.to_string(),
        lead,
        worth: Worth::of(thresholds, lead),
        moves: moves
            .iter()
            .map(|each| MoveLine {
                r#move: each.mv.to_string(),
                worth: Worth::of(each.thresholds, lead),
                position: each.step.position.to_string(),
            })
            .collect(),
    };
    if args.json {
        return cli::print(&(serde_json::to_string(&line)? + "\n"));
    }
    let row = |what: &str, Worth { value, win_min_lead, draw_min_lead }: &Worth| {
        format!(
            "{what:<5}  {value:<5}  {:>12}  {:>13}\n",
            win_min_lead.to_string(),
            draw_min_lead.to_string()
        )
    };
    let mut text = format!(
        "{}\nlead of player {}: {lead}\n",
        words::standing(&Game::from_position(*position)),
        position.to_move()
    );
    text += "move   value  win_min_lead  draw_min_lead\n";
    text += &row("-", &line.worth);
    for MoveLine { r#move, worth, .. } in &line.moves {
        text += &row(r#move, worth);
    }
    cli::print(&text)
}
