//! `giuthi analyze`: what an agent thinks of a position.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::opponent::Opponent;
use super::start::Start;
use super::words;
use crate::agent::{AgentSpec, Choice, Request};
use crate::cli::{self, SystemClock, agents, seed_or_drawn, whole_number};
use crate::game::Game;
use crate::rng::game_rng;
use crate::rules::Move;
use crate::search::holds_perpetual;

/// Arguments of `giuthi analyze`.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Analyze {
    #[command(flatten)]
    start: Start,

    /// Who searches
    #[arg(long, value_name = "SPEC", default_value = "ab:ms=1000")]
    agent: AgentSpec,

    /// Number that fixes what the agent leaves to chance [default: drawn, and told]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Print one JSON object an iteration, the last is the answer: move, value, depth, nodes, line, perpetual
    #[arg(long)]
    json: bool,
}

/// What an iteration found, under the names of the JSON form.
#[derive(Serialize)]
struct Line {
    r#move: String,
    value: Option<f32>,
    depth: u32,
    nodes: u64,
    line: Vec<String>,
    perpetual: bool,
}

impl Line {
    fn of(choice: &Choice, perpetual: bool) -> Line {
        Line {
            r#move: choice.mv.to_string(),
            value: choice.value,
            depth: choice.depth,
            nodes: choice.nodes,
            line: choice.line.iter().map(Move::to_string).collect(),
            perpetual,
        }
    }
}

/// Prints what the agent thinks as it thinks it, and its answer.
pub(super) fn run(args: &Analyze) -> anyhow::Result<()> {
    let position = args.start.position()?;
    let game = Game::from_position(position);
    if game.ending().is_some() {
        return Err(anyhow!("{}", words::standing(&game)));
    }
    let mut agent = Opponent::new(&args.agent, args.start.variant_of(&position))?;
    let mut rng = game_rng(seed_or_drawn(args.seed), 0);
    let clock = SystemClock::default();
    // Where nobody reads any more, the search ends.
    let closed = AtomicBool::new(false);
    let perpetual = holds_perpetual(&position);
    let mut sheet = Sheet { json: args.json, perpetual, last: None, result: Ok(()) };
    let mut observe = |choice: &Choice| {
        sheet.write(choice);
        closed.store(sheet.result.is_err(), Ordering::Relaxed);
    };
    let mut request = Request::new(&mut rng, &clock);
    request.stop = Some(&closed);
    request.observe = Some(&mut observe);
    let choice = agent.choose(&game, &mut request)?;
    sheet.write(&choice);
    sheet.result?;
    if args.json {
        return Ok(());
    }
    let player = position.to_move();
    let mut answer = match choice.value {
        Some(value) => format!("Best move {}, worth {value:+.4} to player {player}.\n", choice.mv),
        None => format!("Best move {}, chosen without a search.\n", choice.mv),
    };
    if perpetual {
        answer += &format!("Player {player} can draw alone: the row holds a circle of extra moves.\n");
    }
    cli::print(&answer)
}

/// What is written, and what became of it.
struct Sheet {
    json: bool,
    /// Whether the row of the player to move is known to hold a perpetual.
    perpetual: bool,
    last: Option<Choice>,
    result: anyhow::Result<()>,
}

impl Sheet {
    /// Writes an iteration, unless it is the last one again. A table has no line for a choice without a search.
    fn write(&mut self, choice: &Choice) {
        if self.result.is_ok() && self.last.as_ref() != Some(choice) {
            self.result = self.line(choice).and_then(|line| cli::print(&line));
            self.last = Some(choice.clone());
        }
    }

    fn line(&self, choice: &Choice) -> anyhow::Result<String> {
        let line = Line::of(choice, self.perpetual);
        if self.json {
            return Ok(serde_json::to_string(&line)? + "\n");
        }
        let Some(value) = choice.value else { return Ok(String::new()) };
        let head = if self.last.is_none() { "depth    value       nodes  line\n" } else { "" };
        Ok(format!(
            "{head}{:>5}  {value:>+7.4}  {:>10}  {}\n",
            choice.depth,
            choice.nodes,
            line.line.join(" ")
        ))
    }
}
