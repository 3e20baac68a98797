//! `giuthi verify-proof`: checks what `giuthi solve --certificate` wrote.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::cli::{self, Usage};
use crate::endgame::solve::{Oracle, Proof};
use crate::endgame::tablebase::Tablebase;

/// Arguments of `giuthi verify-proof`.
#[derive(Args)]
pub(super) struct VerifyProof {
    /// Files with proofs, as they are or compressed by zstd
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Endgame tables that proofs may lean on: a folder that `giuthi tablebase build` made
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,

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
    tables: Option<usize>,
}

/// Checks the files one after another; the first proof that does not hold ends it.
pub(super) fn run(args: &VerifyProof) -> anyhow::Result<()> {
    let tables = args.tb.as_deref().map(Tablebase::open).transpose()?;
    let oracle = tables.as_ref().map(|tables| tables as &dyn Oracle);
    for path in &args.files {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let proofs = read(BufReader::new(file)).with_context(|| name.to_string())?;
        for proof in &proofs {
            if let (Some(_), Some(pits)) = (proof.tables, tables.as_ref().map(Tablebase::pits)) {
                fit(pits, proof.position.width())?;
            }
            let verified = proof.verify(oracle).with_context(|| name.to_string())?;
            let line = Line {
                file: name.to_string(),
                position: proof.position.to_string(),
                player: proof.claim.player.index(),
                goal: proof.claim.goal.name(),
                moves: proof.steps.len(),
                own: verified.own,
                other: verified.other,
                tables: proof.tables,
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

/// Reads proofs, compressed or not.
fn read(mut file: BufReader<File>) -> anyhow::Result<Vec<Proof>> {
    Ok(if file.fill_buf()?.starts_with(&ZSTD) {
        Proof::read_all(BufReader::new(zstd::Decoder::with_buffer(file)?))?
    } else {
        Proof::read_all(file)?
    })
}

/// How zstd's files begin.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Tables of another width know nothing of a proof's positions.
fn fit(pits: usize, width: usize) -> Result<(), Usage> {
    if pits == width {
        return Ok(());
    }
    Err(Usage(format!("--tb has tables of rows of {pits} pits, but the proof is of rows of {width}")))
}
