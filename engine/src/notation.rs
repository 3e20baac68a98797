//! Text for variants, positions and moves, and what is wrong with a text that is none.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::position::{Position, Setup, SetupError};
use crate::rules::{Direction, Move, Player, Variant};

/// Why a text is not a variant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a variant: write 2xWxS, with W pits a row (5 to 10) and S seeds a pit (1 to 9), such as 2x8x8"
)]
pub struct VariantError(String);

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a move: write the pit and ccw or cw, such as 12ccw or 3cw, or pass")]
pub struct MoveError(String);

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// Not five fields.
    #[error(
        "a position has five fields with one space between, `PITS-OF-PLAYER-1 PITS-OF-PLAYER-0 PILE0 PILE1 TO-MOVE`, not {0}"
    )]
    Fields(usize),
    /// Something that should be a number is none.
    #[error("`{text}` ({place}) is not a number of seeds: 0 to 255 are possible")]
    Number {
        /// The text found.
        text: String,
        /// Which field, and in a row which pit.
        place: String,
    },
    /// The player to move is neither 0 nor 1.
    #[error("`{0}` is not the player to move: 0 or 1 are possible")]
    Player(String),
    /// The numbers are not a position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Reads digits alone: no sign, no leading zero (one spelling a number), nothing that `u32::from_str` would take
/// beyond them. A number too large for the type is none, so that no error names another in its place.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.parse().ok()
}

/// A text quoted in an error: cut when long, so that the error stays one line.
#[must_use]
pub fn excerpt(text: &str) -> String {
    one_line(text, 60)
}

/// A text as one line of at most so many characters and, where it is cut there, an ellipsis. Control characters, which
/// could do anything to a terminal, are replaced.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let mut line: String =
        text.chars().take(longest).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(longest).is_some() {
        line.push('…');
    }
    line
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2x{}x{}", self.width(), self.seeds())
    }
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Variant, VariantError> {
        let parse = || {
            let (width, seeds) = text.strip_prefix("2x")?.split_once('x')?;
            Variant::new(number(width)? as usize, number(seeds)? as usize)
        };
        parse().ok_or_else(|| VariantError(excerpt(text)))
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Ccw => "ccw",
            Direction::Cw => "cw",
        })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Sow { pit, direction } => write!(f, "{pit}{direction}"),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Move {
    type Err = MoveError;

    /// Reads `12ccw`, `3cw` or `pass`. Whether there is such a pit, the position knows.
    fn from_str(text: &str) -> Result<Move, MoveError> {
        let parse = || {
            if text == "pass" {
                return Some(Move::Pass);
            }
            let (pit, direction) = match text.strip_suffix("ccw") {
                Some(pit) => (pit, Direction::Ccw),
                None => (text.strip_suffix("cw")?, Direction::Cw),
            };
            let pit = u8::try_from(number(pit)?).ok()?;
            Some(Move::Sow { pit, direction })
        };
        parse().ok_or_else(|| MoveError(excerpt(text)))
    }
}

impl fmt::Display for Position {
    /// Writes the five fields `PITS-OF-PLAYER-1 PITS-OF-PLAYER-0 PILE0 PILE1 TO-MOVE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for player in [Player::North, Player::South] {
            for (i, seeds) in self.board().row(player).iter().enumerate() {
                let separator = if i == 0 { "" } else { "," };
                write!(f, "{separator}{seeds}")?;
            }
            f.write_str(" ")?;
        }
        let [pile0, pile1] = self.piles();
        write!(f, "{pile0} {pile1} {}", self.to_move())
    }
}

impl FromStr for Setup {
    type Err = PositionError;

    /// Reads the five fields, one space between. Their bounds are not yet checked.
    fn from_str(text: &str) -> Result<Setup, PositionError> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [north, south, pile0, pile1, to_move] = fields[..] else {
            return Err(PositionError::Fields(fields.len()));
        };
        let seeds = |text: &str, place: &dyn Fn() -> String| {
            number(text).ok_or_else(|| PositionError::Number { text: excerpt(text), place: place() })
        };
        let row = |text: &str, player: Player| {
            text.split(',')
                .enumerate()
                .map(|(i, part)| seeds(part, &|| format!("row of player {player}, pit {} of the row", i + 1)))
                .collect::<Result<Vec<u32>, _>>()
        };
        let pile = |text: &str, player: Player| seeds(text, &|| format!("pile of player {player}"));
        Ok(Setup {
            north: row(north, Player::North)?,
            south: row(south, Player::South)?,
            piles: [pile(pile0, Player::South)?, pile(pile1, Player::North)?],
            to_move: number(to_move).ok_or_else(|| PositionError::Player(excerpt(to_move)))?,
        })
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Position, PositionError> {
        Ok(Position::try_from(&text.parse::<Setup>()?)?)
    }
}
