//! `ab`: alpha-beta with iterative deepening, by material or by a network; and `net:PATH`, its one-ply form.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Agent, Choice, Factory, Key, Kind, LoadError, Options, Recipe, Request, SpecError, tables};
use crate::game::Game;
use crate::net::Quantised;
use crate::rules::Move;
use crate::search::{self, Control, Evaluator, Limits, Material, Memory, Report};

const KEYS: &[Key] = &[
    Key { name: "depth", summary: "plies to search, 1 to 200" },
    Key { name: "nodes", summary: "positions to visit, at least 1" },
    Key { name: "ms", summary: "wall-clock milliseconds a move, at least 1" },
    Key {
        name: "hash",
        summary: "megabytes that the transposition table may take, 0 to 65536 [default: 16]",
    },
    Key {
        name: "net",
        summary: "weights to evaluate with (a .safetensors file) instead of the material count",
    },
    tables::KEY,
];

pub(super) static KIND: Kind = Kind {
    name: "ab",
    summary: "alpha-beta with iterative deepening; the first limit reached stops it",
    keys: KEYS,
    examples: &["ab:depth=1", "ab:depth=3", "ab:nodes=500", "ab:depth=4,nodes=2000"],
    parse: |text| {
        let mut options = Options::parse("ab", KEYS, text)?;
        let limits = Limits {
            depth: options.number("depth", 1, u64::from(search::MAX_DEPTH))?.map(|depth| depth as u32),
            nodes: options.number("nodes", 1, u64::MAX)?,
            time: options.number("ms", 1, 86_400_000)?.map(Duration::from_millis),
            full_width: false,
        };
        if limits.is_none() {
            return Err(SpecError::Missing { agent: "ab", what: "a limit: depth=, nodes= or ms=" });
        }
        let hash = options.number("hash", 0, 65536)?.map_or(HASH, |megabytes| megabytes as usize);
        let net = options.path("net");
        Ok(recipe(limits, hash, net, options.path("tb")))
    },
};

pub(super) static NET: Kind = Kind {
    name: "net",
    summary: "net:PATH, short for ab:depth=1,net=PATH: greedy on the network",
    keys: &[],
    examples: &[],
    parse: |text| {
        if text.is_empty() {
            return Err(SpecError::Missing { agent: "net", what: "the path of its weights: net:PATH" });
        }
        let limits = Limits { depth: Some(1), ..Limits::default() };
        Ok(recipe(limits, HASH, Some(PathBuf::from(text)), None))
    },
};

/// Greatest size of the transposition table where nothing else is asked, in megabytes.
const HASH: usize = 16;

fn recipe(limits: Limits, hash: usize, net: Option<PathBuf>, tb: Option<PathBuf>) -> Recipe {
    let load = move |width: usize| -> Result<Factory, LoadError> {
        let tables = tb.as_ref().map(|path| tables::load(path, width)).transpose()?;
        let memory = move || Memory::with_tables(hash, tables.clone());
        Ok(match &net {
            None => Arc::new(move || Box::new(AlphaBeta { limits, evaluator: Material, memory: memory() })),
            Some(path) => {
                let network = Arc::new(Quantised::load_for(path, width)?);
                Arc::new(move || {
                    Box::new(AlphaBeta { limits, evaluator: Arc::clone(&network), memory: memory() })
                })
            }
        })
    };
    Recipe { clocked: limits.time.is_some(), load: Arc::new(load) }
}

struct AlphaBeta<E> {
    limits: Limits,
    evaluator: E,
    memory: Memory,
}

impl<E: Evaluator> AlphaBeta<E> {
    /// What a search thinks of every move.
    fn each(&mut self, game: &Game, request: &Request<'_>) -> Vec<(Move, f32)> {
        let limits = request.limits.unwrap_or(self.limits);
        let control = Control { clock: request.clock, stop: request.stop };
        let each = search::alpha_beta_each(game, &self.evaluator, &mut self.memory, &limits, &control);
        each.into_iter().map(|(mv, score)| (mv, score.value())).collect()
    }
}

impl<E: Evaluator + Send> Agent for AlphaBeta<E> {
    fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> Choice {
        let tables = self.memory.tables().cloned();
        if let Some(choice) =
            tables::choose(tables.as_ref(), game, request, |request| self.each(game, request))
        {
            return choice;
        }
        let limits = request.limits.unwrap_or(self.limits);
        let control = Control { clock: request.clock, stop: request.stop };
        let (evaluator, memory) = (&self.evaluator, &mut self.memory);
        choice(search::alpha_beta(game, evaluator, memory, &limits, &control, |report| {
            request.tell(&choice(report.clone()));
        }))
    }

    fn weigh(&mut self, game: &Game, request: &mut Request<'_>) -> Option<Vec<(Move, f32)>> {
        tables::weigh(self.memory.tables(), game).or_else(|| Some(self.each(game, request)))
    }
}

fn choice(report: Report) -> Choice {
    Choice {
        mv: report.line[0],
        value: Some(report.score.value()),
        depth: report.depth,
        nodes: report.nodes,
        line: report.line,
    }
}
