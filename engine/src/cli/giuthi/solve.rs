//! `giuthi solve`: what a position is worth, proven.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;

use super::start::Start;
use super::words;
use crate::cli::{self, Usage, stop, tell, whole_number};
use crate::endgame::Value;
use crate::endgame::solve::{Claim, Goal, Oracle, Proof, Solution, SolveLimits, Solver};
use crate::endgame::tablebase::Tablebase;
use crate::files::{check_writable, write_whole};
use crate::game::Game;
use crate::position::Position;
use crate::rules::Move;

/// Arguments of `giuthi solve`.
#[derive(Args)]
pub(super) struct Solve {
    #[command(flatten)]
    start: Start,

    /// Endgame tables to lean on: a folder that `giuthi tablebase build` made
    #[arg(long, value_name = "DIR")]
    tb: Option<PathBuf>,

    /// Stop after so many positions; what is proven by then is told [default: no limit]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=u64::MAX), allow_negative_numbers = true)]
    nodes: Option<u64>,

    /// Stop after so many milliseconds
    #[arg(long, value_name = "T", value_parser = whole_number(1..=u64::MAX), allow_negative_numbers = true)]
    ms: Option<u64>,

    /// Megabytes for the tables of the search
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = whole_number(2..=1 << 20), allow_negative_numbers = true)]
    hash: u64,

    /// 2 asks at once whether either player wins, each on a thread of its own
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = whole_number(1..=2), allow_negative_numbers = true)]
    threads: u64,

    /// Write the proof to this file, for `giuthi verify-proof`; compressed where its name ends in .zst
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Keep what has been found out in this file, and go on from it where it is there
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,

    /// Print one JSON object: value, move, line, least, most, nodes
    #[arg(long)]
    json: bool,
}

/// The answer, under the names of the JSON form.
#[derive(Serialize)]
struct Answer {
    /// For the player to move; `unknown` where a limit came first.
    value: &'static str,
    r#move: Option<String>,
    line: Vec<String>,
    /// The bounds that are proven.
    least: &'static str,
    most: &'static str,
    nodes: u64,
}

/// Time between two lines of progress.
const EVERY: Duration = Duration::from_secs(5);

/// Solves the position, prints the answer and writes the proof.
pub(super) fn run(args: &Solve) -> anyhow::Result<()> {
    let position = args.start.position()?;
    writable(args)?;
    let megabytes = args.hash as usize;
    let tables = args.tb.as_deref().map(|dir| tables_for(dir, position.width())).transpose()?;
    let oracle = tables.as_ref().map(|tables| tables as &dyn Oracle);
    let mut solver = Solver::new(oracle, megabytes)
        .map_err(|_| anyhow!("there is no memory for --hash {megabytes}: give fewer megabytes"))?;
    if let Some(path) = &args.memory {
        recall(&mut solver, &position, path)?;
    }
    let stopped: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    stop::on_signals("telling what is proven", || stopped.swap(true, Ordering::Relaxed))?;
    let started = Instant::now();
    let told = Mutex::new(started);
    let most = args.ms.map(Duration::from_millis);
    let is_over = |nodes: u64| {
        if let Ok(mut last) = told.try_lock()
            && last.elapsed() >= EVERY
        {
            *last = Instant::now();
            let rate = nodes as f64 / started.elapsed().as_secs_f64() / 1e6;
            tell(format_args!("solve: {} million positions, {rate:.2} million/s", nodes / 1_000_000));
        }
        stopped.load(Ordering::Relaxed) || most.is_some_and(|most| started.elapsed() >= most)
    };
    let limits = SolveLimits { nodes: args.nodes.unwrap_or(u64::MAX), parallel: args.threads == 2 };
    let solution = solver.solve(&position, &limits, &is_over);
    if args.json {
        cli::print(&(serde_json::to_string(&answer(&solution))? + "\n"))?;
    } else {
        cli::print(&words(&position, &solution))?;
    }
    if let Some(path) = &args.memory {
        write_whole(path, |out| solver.save(&position, out))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match &args.certificate {
        Some(path) => certify(&mut solver, oracle, &position, &solution, path),
        None => Ok(()),
    }
}

/// Refuses, before the search, files that could not be written after it.
fn writable(args: &Solve) -> anyhow::Result<()> {
    if let (Some(memory), true) = (&args.memory, args.memory == args.certificate) {
        let path = memory.display();
        return Err(
            Usage(format!("--memory and --certificate are both {path}: give each its own file")).into()
        );
    }
    for (flag, path) in [("--memory", &args.memory), ("--certificate", &args.certificate)] {
        if let Some(path) = path {
            check_writable(path).with_context(|| format!("{flag} {}: cannot be written", path.display()))?;
        }
    }
    if let Some(path) = args.certificate.as_ref().filter(|path| path.exists()) {
        return Err(anyhow!(
            "--certificate {}: the file is there already: choose another name",
            path.display()
        ));
    }
    Ok(())
}

/// The tables of a folder, which have to be of the width asked for.
pub(super) fn tables_for(dir: &Path, width: usize) -> anyhow::Result<Tablebase> {
    let tables = Tablebase::open(dir)?;
    match tables.pits() {
        pits if pits == width => Ok(tables),
        pits => Err(Usage(format!(
            "--tb {} has tables of rows of {pits} pits, but the position has rows of {width}",
            dir.display()
        ))
        .into()),
    }
}

/// Goes on from a file, where it is there.
fn recall(solver: &mut Solver<'_>, position: &Position, path: &Path) -> anyhow::Result<()> {
    match File::open(path) {
        Ok(file) => solver
            .load(position, BufReader::new(file))
            .with_context(|| format!("--memory {}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot open {}", path.display())),
    }
}

fn answer(solution: &Solution) -> Answer {
    Answer {
        value: solution.value().map_or("unknown", Value::name),
        r#move: solution.mv.map(|mv| mv.to_string()),
        line: solution.line.iter().map(Move::to_string).collect(),
        least: solution.least.name(),
        most: solution.most.name(),
        nodes: solution.nodes,
    }
}

/// The answer in sentences, with the line move by move.
fn words(position: &Position, solution: &Solution) -> String {
    let player = position.to_move();
    let nodes = solution.nodes;
    let mut text = match (solution.least, solution.most) {
        (Value::Win, _) => format!("Player {player}, to move, wins"),
        (_, Value::Loss) => format!("Player {player}, to move, loses"),
        (Value::Draw, Value::Draw) => format!("Player {player}, to move, draws, and so does the other"),
        (Value::Draw, _) => format!("Unknown: player {player}, to move, draws or wins"),
        (_, Value::Draw) => format!("Unknown: player {player}, to move, draws or loses"),
        _ => "Unknown: nothing is proven".to_owned(),
    };
    text += &format!(" ({nodes} positions searched).\n");
    if let (Some(mv), true) = (solution.mv, solution.line.is_empty()) {
        text += &format!("A move that keeps it: {mv}.\n");
    }
    let mut game = Game::from_position(*position);
    for (i, &mv) in solution.line.iter().enumerate() {
        let before = *game.position();
        text += &format!("{:>3}. player {} {mv}\n", i + 1, before.to_move());
        for told in words::told(&before, mv) {
            text += &format!("       {told}\n");
        }
        if game.play(mv).is_err() {
            break;
        }
    }
    if game.ending().is_some() {
        text += &format!("{}\n", words::standing(&game));
    } else if !solution.line.is_empty() {
        text += "What follows has not been found out in this search.\n";
    }
    text
}

/// What has been proven, as claims.
fn claims(position: &Position, solution: &Solution) -> Vec<Claim> {
    let (player, other) = (position.to_move(), position.to_move().opponent());
    let mut claims = Vec::new();
    match solution.least {
        Value::Win => claims.push(Claim { player, goal: Goal::Win }),
        Value::Draw => claims.push(Claim { player, goal: Goal::Draw }),
        Value::Loss => {}
    }
    match solution.most {
        Value::Loss => claims.push(Claim { player: other, goal: Goal::Win }),
        Value::Draw => claims.push(Claim { player: other, goal: Goal::Draw }),
        Value::Win => {}
    }
    claims
}

/// Writes proofs, compressed where the file's name ends in `.zst`.
fn write(proofs: &[Proof], path: &Path, out: &mut impl Write) -> io::Result<()> {
    if path.extension().is_none_or(|extension| extension != "zst") {
        return proofs.iter().try_for_each(|proof| proof.write(out));
    }
    let mut packed = zstd::Encoder::new(out, 19)?;
    proofs.iter().try_for_each(|proof| proof.write(&mut packed))?;
    packed.finish().map(drop)
}

/// Writes the proofs of what was proven, each checked before.
fn certify(
    solver: &mut Solver<'_>,
    oracle: Option<&dyn Oracle>,
    position: &Position,
    solution: &Solution,
    path: &Path,
) -> anyhow::Result<()> {
    let mut proofs: Vec<Proof> = Vec::new();
    for claim in claims(position, solution) {
        let proof = solver.prove(position, claim, u64::MAX, &|_| false)?;
        let proof = proof.with_context(|| format!("that {claim} could not be proven again"))?;
        let verified = proof.verify(oracle).with_context(|| format!("the proof that {claim}"))?;
        tell(format_args!(
            "{claim}: {} moves for {} positions, {} replies",
            proof.steps.len(),
            verified.own,
            verified.other
        ));
        proofs.push(proof);
    }
    if proofs.is_empty() {
        return Err(anyhow!("nothing is proven, so {} is not written", path.display()));
    }
    write_whole(path, |out| write(&proofs, path, out))
        .with_context(|| format!("cannot write {}", path.display()))
}
