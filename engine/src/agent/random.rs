//! `random`: uniform over the legal moves.

use std::sync::Arc;

use super::{Agent, Choice, Kind, Options, Recipe, Request};
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
    fn choose(&mut self, game: &Game, request: &mut Request<'_>) -> Choice {
        Choice::plain(random_move(game.position(), request.rng).expect("asked only while the game is played"))
    }

    fn is_random(&self) -> bool {
        true
    }
}
