//! `random`: uniform over the legal moves.

use std::sync::Arc;

use super::{Agent, Choice, Clock, Kind, Options, Recipe};
use crate::game::Game;
use crate::rng::random_move;

pub(super) static KIND: Kind = Kind {
    name: "random",
    summary: "uniform over the legal moves",
    keys: &[],
    examples: &["random"],
    parse: |text| {
        Options::parse("random", &[], text)?;
        Ok(Recipe { clocked: false, load: Arc::new(|_| Ok(Arc::new(|| Box::new(Random)))) })
    },
};

struct Random;

impl Agent for Random {
    fn choose(&mut self, game: &Game, rng: &mut dyn rand::Rng, _clock: &dyn Clock) -> Choice {
        Choice::plain(random_move(game.position(), rng).expect("asked only while the game is played"))
    }
}
