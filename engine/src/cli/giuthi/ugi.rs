//! `giuthi ugi`: the engine protocol on stdin and stdout.

use std::io::{self, BufReader};

use anyhow::Context;
use clap::Args;

use crate::agent::AgentSpec;
use crate::cli::{SystemClock, agents, seed_or_drawn, whole_number};
use crate::rules::Variant;
use crate::ugi::engine;
use crate::ugi::table::Table;

/// Arguments of `giuthi ugi`.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Ugi {
    /// Who plays, until `setoption name agent` names another; its own limits hold where `go` sets none
    #[arg(long, value_name = "SPEC", default_value = "ab:ms=1000")]
    agent: AgentSpec,

    /// What `startpos` is, until `setoption name variant` names another
    #[arg(long, value_name = "V", default_value_t)]
    variant: Variant,

    /// Number that fixes what the agent leaves to chance [default: drawn, and told]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
}

/// Serves until the referee leaves.
pub(super) fn run(args: Ugi) -> anyhow::Result<()> {
    let table = Table::new(args.variant, args.agent)?;
    let seed = seed_or_drawn(args.seed);
    let input = BufReader::new(io::stdin());
    engine::serve(input, io::stdout(), table, seed, SystemClock::default())
        .context("cannot go on talking on stdin and stdout")
}
