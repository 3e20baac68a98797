//! `giuthi puzzle show`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::page;
use crate::cli::{self, whole_number};
use crate::endgame::puzzle;

/// Arguments of `giuthi puzzle show`.
#[derive(Args)]
pub(super) struct Show {
    /// File of problems
    file: PathBuf,

    /// Number of the problem in the file [default: all of them]
    #[arg(value_name = "N", value_parser = whole_number(0..=999_999), allow_negative_numbers = true)]
    id: Option<u64>,

    /// Print the solution instead of the problem; as the file has it, `giuthi puzzle solve` checks it
    #[arg(long)]
    solution: bool,

    /// Print one JSON object a problem, solution and all
    #[arg(long, conflicts_with = "solution")]
    json: bool,
}

pub(super) fn run(args: &Show) -> anyhow::Result<()> {
    let puzzles = puzzle::read(&args.file)?;
    let (first, last) =
        (puzzles.iter().map(|(_, each)| each.id).min(), puzzles.iter().map(|(_, each)| each.id).max());
    let mut text = String::new();
    for (_, puzzle) in puzzles.iter().filter(|(_, each)| args.id.is_none_or(|id| id == u64::from(each.id))) {
        if !text.is_empty() && !args.json {
            text.push('\n');
        }
        text += &match (args.json, args.solution) {
            (true, _) => serde_json::to_string(&page::Object::of(puzzle))? + "\n",
            (false, true) => page::solution(puzzle),
            (false, false) => page::problem(puzzle),
        };
    }
    match (args.id, text.is_empty()) {
        (Some(id), true) => bail!(
            "{}: no problem {id}: their numbers are from {} to {}",
            args.file.display(),
            first.unwrap_or_default(),
            last.unwrap_or_default()
        ),
        _ => cli::print(&text),
    }
}
