//! Random openings: what self-play and tournaments start their games from, so that no two are alike.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use thiserror::Error;

use crate::game::Game;
use crate::rng::random_move;
use crate::rules::Variant;

/// How many uniformly random plies a game starts with: drawn for each opening, every number from `least` to `most` as
/// likely as any other. Written `6..12`, both ends included, or `6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningPlies {
    least: u32,
    most: u32,
}

impl OpeningPlies {
    /// From `least` to `most` plies, both included; `None` where they are the wrong way round.
    #[must_use]
    pub const fn new(least: u32, most: u32) -> Option<OpeningPlies> {
        if least <= most { Some(OpeningPlies { least, most }) } else { None }
    }

    /// The greatest number.
    #[must_use]
    pub const fn most(self) -> u32 {
        self.most
    }

    /// A number of plies.
    pub fn draw(self, rng: &mut dyn rand::Rng) -> u32 {
        rng.random_range(self.least..=self.most)
    }
}

impl fmt::Display for OpeningPlies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            write!(f, "{}", self.least)
        } else {
            write!(f, "{}..{}", self.least, self.most)
        }
    }
}

/// Why a text is neither a number of opening plies nor a range of them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("write the number of random plies, such as 6, or its least and most, such as 6..12")]
pub struct OpeningPliesError;

impl FromStr for OpeningPlies {
    type Err = OpeningPliesError;

    fn from_str(text: &str) -> Result<OpeningPlies, OpeningPliesError> {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let range = number(least).zip(number(most));
        range.and_then(|(least, most)| OpeningPlies::new(least, most)).ok_or(OpeningPliesError)
    }
}

/// A game of `variant` after `plies` uniformly random plies (passes and extra moves count as plies), still being
/// played. Openings that end the game are thrown away and drawn anew.
///
/// # Errors
/// [`OpeningError`] where the variant is over before it begins, or 1,000 draws in a row ended the game, as very long
/// openings on small boards do.
pub fn random_opening(variant: Variant, plies: u32, rng: &mut dyn rand::Rng) -> Result<Game, OpeningError> {
    let mut game = Game::new(variant);
    redraw_opening(&mut game, variant, plies, rng)?;
    Ok(game)
}

/// [`random_opening`] in the memory of a game, whatever was played in it before.
///
/// # Errors
/// As [`random_opening`].
pub fn redraw_opening(
    game: &mut Game,
    variant: Variant,
    plies: u32,
    rng: &mut dyn rand::Rng,
) -> Result<(), OpeningError> {
    const DRAWS: u32 = 1000;
    for _ in 0..DRAWS {
        game.restart(variant);
        if game.ending().is_some() {
            return Err(OpeningError::Over(variant));
        }
        for _ in 0..plies {
            match random_move(game.position(), rng) {
                Some(mv) if game.ending().is_none() => {
                    game.play(mv).expect("a generated move is legal while the game is played");
                }
                _ => break,
            }
        }
        if game.ending().is_none() {
            return Ok(());
        }
    }
    Err(OpeningError::TooLong { variant, plies })
}

/// Why there is no opening that leaves a game to play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// The variant has no moves at all.
    #[error("{0} is over before the first move: play a variant of two seeds a pit or more")]
    Over(Variant),
    /// No opening of that length was found that does not end the game.
    #[error("openings of {plies} random plies always end the game on {variant}: ask for fewer")]
    TooLong {
        /// The variant.
        variant: Variant,
        /// The plies asked for.
        plies: u32,
    },
}

impl OpeningError {
    /// The flag of the programs that has to change.
    #[must_use]
    pub const fn flag(&self) -> &'static str {
        match self {
            OpeningError::Over(_) => "--variant",
            OpeningError::TooLong { .. } => "--opening-plies",
        }
    }
}
