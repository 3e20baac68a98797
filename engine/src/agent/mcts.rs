//! `mcts`: Monte-Carlo tree search, with random playouts, the material count alone or a network at its leaves.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Agent, Choice, Factory, Key, Kind, LoadError, Options, Recipe, Request, SpecError, tables};
use crate::game::Game;
use crate::net::Quantised;
use crate::rules::Move;
use crate::search::{Control, Judge, Mcts, MctsReport, SimLimits};

/// How much a move's being visited seldom counts, where nobody says otherwise.
const EXPLORATION: f64 = 0.2;

const KEYS: &[Key] = &[
    Key { name: "sims", summary: "simulations a move, at least 1" },
    Key { name: "ms", summary: "wall-clock milliseconds a move, at least 1" },
    Key {
        name: "net",
        summary: "weights to judge leaves with (a .safetensors file) instead of random playouts",
    },
    Key {
        name: "playouts",
        summary: "random games at a leaf, 0 or 1 [default: 1]; 0 judges by material alone",
    },
    Key { name: "c", summary: "exploration, 0 to 100 [default: 0.2]" },
    tables::KEY,
];

pub(super) static KIND: Kind = Kind {
    name: "mcts",
    summary: "Monte-Carlo tree search; the first limit reached stops it",
    keys: KEYS,
    examples: &["mcts:sims=1", "mcts:sims=50", "mcts:sims=50,c=0.5", "mcts:sims=50,playouts=0"],
    parse: |text| {
        let mut options = Options::parse("mcts", KEYS, text)?;
        let limits = SimLimits {
            sims: options.number("sims", 1, u64::MAX)?,
            time: options.number("ms", 1, 86_400_000)?.map(Duration::from_millis),
        };
        if limits == SimLimits::default() {
            return Err(SpecError::Missing { agent: "mcts", what: "a limit: sims= or ms=" });
        }
        let exploration = options.decimal("c", 0.0, 100.0)?.unwrap_or(EXPLORATION);
        let playouts = options.number("playouts", 0, 1)?;
        let net = options.path("net");
        if let (Some(playouts), Some(_)) = (playouts, &net) {
            let wanted = "with `net=` the network judges, and no random games are played".to_owned();
            return Err(SpecError::Value {
                agent: "mcts",
                key: "playouts",
                value: playouts.to_string(),
                wanted,
            });
        }
        Ok(recipe(limits, exploration, playouts != Some(0), net, options.path("tb")))
    },
};

fn recipe(
    limits: SimLimits,
    exploration: f64,
    playouts: bool,
    net: Option<PathBuf>,
    tb: Option<PathBuf>,
) -> Recipe {
    let load = move |width: usize| -> Result<Factory, LoadError> {
        let tables = tb.as_ref().map(|path| tables::load(path, width)).transpose()?;
        let network = net.as_ref().map(|path| Quantised::load_for(path, width)).transpose()?.map(Arc::new);
        Ok(Arc::new(move || {
            let judge = match &network {
                Some(network) => Judge::Network(Arc::clone(network)),
                None if playouts => Judge::Playout,
                None => Judge::Material,
            };
            Box::new(MonteCarlo { limits, search: Mcts::with_tables(judge, exploration, tables.clone()) })
        }))
    };
    Recipe { clocked: limits.time.is_some(), load: Arc::new(load) }
}

struct MonteCarlo {
    limits: SimLimits,
    search: Mcts,
}

impl Agent for MonteCarlo {
    fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> Choice {
        let tables = self.search.tables().cloned();
        tables::choose(tables.as_ref(), game, request, |request| {
            self.search(game, request);
            self.search.each()
        })
        .unwrap_or_else(|| self.search(game, request))
    }

    fn weigh(&mut self, game: &Game, request: &mut Request<'_>) -> Option<Vec<(Move, f32)>> {
        if let Some(each) = tables::weigh(self.search.tables(), game) {
            return Some(each);
        }
        self.search(game, request);
        Some(self.search.each())
    }
}

impl MonteCarlo {
    /// What a search thinks.
    fn search(&mut self, game: &Game, request: &mut Request<'_>) -> Choice {
        // A simulation is a node. A limit of depth says nothing here; with no limit at all, somebody has to say stop.
        let limits = match request.limits {
            Some(limits) if limits.nodes.is_some() || limits.time.is_some() => {
                SimLimits { sims: limits.nodes, time: limits.time }
            }
            Some(limits) if limits.is_none() && request.stop.is_some() => SimLimits::default(),
            _ => self.limits,
        };
        let control = Control { clock: request.clock, stop: request.stop };
        let observe = &mut request.observe;
        let report = self.search.search(game, &limits, &control, request.rng, |report| {
            if let Some(observe) = observe {
                observe(&choice(report.clone()));
            }
        });
        choice(report)
    }
}

fn choice(report: MctsReport) -> Choice {
    Choice {
        mv: report.line[0],
        value: Some(report.value),
        depth: report.depth,
        nodes: report.sims,
        line: report.line,
    }
}
