//! The openings of games: drawn at random, each by itself, or so that no two games begin from the same position.
//!
//! Where they are to be distinct, a game has the first opening of its random stream that leads to a position which no
//! game before it begins from. That is a matter of settings and numbers alone: every shard finds the same, and has to
//! look at the games before its own for it. Of each position 64 bits are remembered; two that share them, by chance,
//! count as one, so that what is taken for distinct is.

use giuthi_engine::Game;
use giuthi_engine::opening::{OpeningError, random_opening};
use giuthi_engine::rng::game_rng;
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::distinct::fingerprint;
use crate::error::Error;
use crate::settings::Settings;
use crate::watch::Watch;

/// Openings that a game draws at most: where so many in a row are taken, hardly any are left.
const DRAWS: u32 = 1000;
/// Games whose openings are drawn at a time.
const BLOCK: u64 = 1 << 14;

/// Which of the openings that its stream gives a game has.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    /// For each game that does not have the first, how many it passes over.
    passed_over: FxHashMap<u64, u32>,
}

impl Openings {
    /// The openings of all games up to `last`, no two of which lead to the same position; `observe` is told how many
    /// more are known. It takes some ten to twenty bytes of memory a game, and a microsecond or two. Where `watch` was
    /// asked to stop, those of the games to come are left out: nobody plays them.
    pub(crate) fn distinct(
        settings: &Settings,
        last: u64,
        pool: &ThreadPool,
        watch: &Watch,
        mut observe: impl FnMut(u64),
    ) -> Result<Openings, Error> {
        let failed = |number, error: OpeningError| Error::Game { number, error: error.into() };
        let mut taken: FxHashSet<u64> = FxHashSet::default();
        let mut openings = Openings::default();
        for start in (0..=last).step_by(BLOCK as usize) {
            if watch.is_stopped() {
                break;
            }
            let block = start..=last.min(start.saturating_add(BLOCK - 1));
            let first = |number: u64| {
                let game = draw(settings, 0, &mut game_rng(settings.seed, number));
                game.map(|game| fingerprint(game.position())).map_err(|error| failed(number, error))
            };
            let firsts: Vec<u64> =
                pool.install(|| block.clone().into_par_iter().map(first).collect::<Result<_, _>>())?;
            for (number, &position) in block.clone().zip(&firsts) {
                if taken.insert(position) {
                    continue;
                }
                let mut rng = game_rng(settings.seed, number);
                let mut passed_over = 0;
                loop {
                    let game = draw(settings, 0, &mut rng).map_err(|error| failed(number, error))?;
                    // The first one, which is taken, comes again here.
                    if taken.insert(fingerprint(game.position())) {
                        break;
                    }
                    passed_over += 1;
                    if passed_over == DRAWS {
                        return Err(Error::FewOpenings { number, opening: settings.opening });
                    }
                }
                openings.passed_over.insert(number, passed_over);
            }
            observe(firsts.len() as u64);
        }
        Ok(openings)
    }

    /// How many openings of its stream a game passes over.
    pub(crate) fn passed_over(&self, number: u64) -> u32 {
        self.passed_over.get(&number).copied().unwrap_or(0)
    }
}

/// A game after its opening: the one that its stream gives after so many others.
pub(crate) fn draw(
    settings: &Settings,
    passed_over: u32,
    rng: &mut dyn rand::Rng,
) -> Result<Game, OpeningError> {
    let mut opening = || {
        let plies = settings.opening.draw(rng);
        random_opening(settings.variant, plies, rng)
    };
    for _ in 0..passed_over {
        opening()?;
    }
    opening()
}
