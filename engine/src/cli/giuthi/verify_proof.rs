//! `giuthi verify-proof`: checks what `giuthi solve --certificate` wrote.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::cli;
use crate::endgame::solve::Proof;

/// Arguments of `giuthi verify-proof`.
#[derive(Args)]
pub(super) struct VerifyProof {
    /// Files with proofs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print one JSON object a proof: file, position, player, goal, moves, own, other, tables
    #[arg(long)]
    json: bool,
}

/// A proof that holds, under the names of the JSON form.
#[derive(Serialize)]
struct Line {
    file: String,
    position: String,
    player: usize,
    goal: &'static str,
    moves: usize,
    own: u64,
    other: u64,
    tables: Option<String>,
}

/// Checks the files one after another; the first proof that does not hold ends it.
pub(super) fn run(args: &VerifyProof) -> anyhow::Result<()> {
    for path in &args.files {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let proofs = Proof::read_all(BufReader::new(file)).with_context(|| name.to_string())?;
        for proof in &proofs {
            let verified = proof.verify(None).with_context(|| name.to_string())?;
            let line = Line {
                file: name.to_string(),
                position: proof.position.to_string(),
                player: proof.claim.player.index(),
                goal: proof.claim.goal.name(),
                moves: proof.steps.len(),
                own: verified.own,
                other: verified.other,
                tables: proof.tables.clone(),
            };
            if args.json {
                cli::print(&(serde_json::to_string(&line)? + "\n"))?;
            } else {
                cli::print(&format!(
                    "{name}: from {}, {}: proven, {} moves for {} positions with {} replies\n",
                    line.position,
                    proof.claim,
                    line.moves,
                    line.own + line.other,
                    line.other
                ))?;
            }
        }
    }
    Ok(())
}
