//! `giuthi puzzle solve`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use super::tables::tables;
use crate::cli;
use crate::endgame::puzzle::{self, Puzzle};
use crate::endgame::tablebase::{Size, Tablebase};

/// Arguments of `giuthi puzzle solve`.
#[derive(Args)]
pub(super) struct Solve {
    /// File of problems
    file: PathBuf,

    /// Folder of endgame tables to check by, where all problems are of their width [default: solved in memory]
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,

    /// Print one JSON object a problem: id, line of the file, goal, move, laps, plies, own_moves, only_moves, difficulty
    #[arg(long)]
    json: bool,
}

/// A problem that was found right.
#[derive(Serialize)]
struct Line {
    id: u32,
    line: u64,
    goal: &'static str,
    r#move: String,
    laps: u32,
    plies: usize,
    own_moves: u32,
    only_moves: u32,
    difficulty: u32,
}

/// Checks one problem after another and tells each that is right; ends at the first that is wrong.
pub(super) fn run(args: &Solve) -> anyhow::Result<()> {
    let puzzles = puzzle::read(&args.file)?;
    let seeds = |puzzle: &Puzzle| puzzle.position.board().seeds() as usize;
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, puzzle) in &puzzles {
        let most = most.entry(puzzle.position.width()).or_default();
        *most = seeds(puzzle).max(*most);
    }
    let mut at_hand: BTreeMap<usize, Tablebase> = BTreeMap::new();
    for (pits, seeds) in most {
        let asked =
            format!("{}: problems of up to {seeds} seeds on rows of {pits} pits", args.file.display());
        at_hand.insert(pits, tables(args.tb.as_deref(), Size { pits, seeds }, &asked)?);
    }
    for (line, puzzle) in &puzzles {
        if let Err(fault) = puzzle::check(puzzle, &at_hand[&puzzle.position.width()]) {
            bail!("{}: line {line}: problem {}: {fault}", args.file.display(), puzzle.id);
        }
        let told = Line {
            id: puzzle.id,
            line: *line,
            goal: puzzle.goal.name(),
            r#move: puzzle.mv.to_string(),
            laps: puzzle.laps,
            plies: puzzle.line.len(),
            own_moves: puzzle.own_moves,
            only_moves: puzzle.only_moves,
            difficulty: puzzle.difficulty,
        };
        cli::print(&match args.json {
            true => serde_json::to_string(&told)? + "\n",
            false => format!(
                "problem {}: right: {} by {} alone, {} laps; {} plies, {} of {} only moves; difficulty {}\n",
                told.id,
                told.goal,
                told.r#move,
                told.laps,
                told.plies,
                told.only_moves,
                told.own_moves,
                told.difficulty
            ),
        })?;
    }
    Ok(())
}
