//! Whoever is asked for a move by `play` and `analyze`: an agent of ours, or an external program.

use std::io;
use std::time::Duration;

use anyhow::anyhow;

use crate::agent::{Agent, AgentSpec, Choice, Request};
use crate::cli::SystemClock;
use crate::game::Game;
use crate::rules::Variant;
use crate::ugi::command::Go;
use crate::ugi::session::{Session, Waits};

/// How long a program may think that is left to its own limits.
const PATIENCE: Duration = Duration::from_secs(600);

/// Who chooses.
pub(super) enum Opponent {
    /// An agent of ours.
    Agent(Box<dyn Agent>),
    /// A program that speaks the protocol.
    Program(Box<Session>),
}

impl Opponent {
    /// Loads an agent, or starts a program, for games on boards of a variant's width.
    pub(super) fn new(spec: &AgentSpec, variant: Variant) -> anyhow::Result<Opponent> {
        let Some(command) = spec.command() else {
            return Ok(Opponent::Agent(spec.load(variant.width())?()));
        };
        let clock = SystemClock::default();
        let session = Session::start(&command, variant, Waits::default(), io::sink(), &clock);
        match session {
            Ok(session) => Ok(Opponent::Program(Box::new(session))),
            Err(fault) => Err(anyhow!("{}: {fault}", spec.label())),
        }
    }

    /// A move for the player to move. A program is asked to keep to its own limits.
    pub(super) fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> anyhow::Result<Choice> {
        match self {
            Opponent::Agent(agent) => Ok(agent.choose(game, request)),
            Opponent::Program(session) => {
                Ok(session.ask(game, &Go::default(), PATIENCE, request.clock)?.choice)
            }
        }
    }
}
