//! The openings of games: drawn at random, each by itself, or so that no two games begin from the same position.
//!
//! Where they are to be distinct, a game has the first opening of its random stream that leads to a position which no
//! game before it begins from. That is a matter of settings and numbers alone: every shard finds the same, and has to
//! look at the games before its own for it. A forced pass behind the opening counts as part of it. Of each position 64 bits are remembered; two that share them, by chance,
//! count as one, so that what is taken for distinct is.

use giuthi_engine::opening::{OpeningError, random_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Game, Move, Position};
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::distinct::fingerprint;
use crate::error::Error;
use crate::settings::Settings;
use crate::watch::Watch;

/// Openings that a game draws at most: where so many in a row are taken, hardly any are left.
pub(crate) const DRAWS: u32 = 1000;
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
                game.map(|game| fingerprint_of(game.position())).map_err(|error| failed(number, error))
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
                    if taken.insert(fingerprint_of(game.position())) {
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

/// 64 bits of the position that a game begins from, behind an opening that leads to this one. A pass that is forced there
/// is no choice, so it is the position behind it that counts: whether the opening ends before the pass or with it makes no
/// difference.
pub(crate) fn fingerprint_of(position: &Position) -> u64 {
    match position.moves()[..] {
        [Move::Pass] => {
            let mut game = Game::from_position(*position);
            game.play(Move::Pass).expect("the only legal move");
            fingerprint(game.position())
        }
        _ => fingerprint(position),
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

#[cfg(test)]
mod tests {
    use giuthi_engine::rng::random_move;

    use super::*;

    #[test]
    fn a_forced_pass_behind_an_opening_makes_no_difference() {
        let (mut passes, mut others) = (0, 0);
        let mut rng = game_rng(5, 0);
        for _ in 0..200 {
            let mut game = Game::new("2x5x4".parse().expect("a variant"));
            while let Some(mv) = random_move(game.position(), &mut rng).filter(|_| game.ending().is_none()) {
                let before = *game.position();
                game.play(mv).expect("a listed move is legal");
                let after = *game.position();
                match mv {
                    Move::Pass => {
                        assert_eq!(fingerprint_of(&before), fingerprint_of(&after));
                        passes += 1;
                    }
                    Move::Sow { .. } => {
                        assert_ne!(fingerprint_of(&before), fingerprint_of(&after));
                        others += 1;
                    }
                }
            }
        }
        assert!(passes > 10 && others > 1000, "{passes} {others}");
    }
}
