//! The variants of the game and the words its rules are told in: players, directions, moves.
//!
//! The rulings **R1…R9** that the code refers to are listed, with their reasons, in `docs/rules.md`.

use std::fmt;

/// Least width of a row, in pits.
pub const MIN_WIDTH: usize = 5;
/// Greatest width of a row, in pits.
pub const MAX_WIDTH: usize = 10;
/// Greatest number of pits on a board (two rows of [`MAX_WIDTH`]).
pub const MAX_PITS: usize = 2 * MAX_WIDTH;
/// Greatest number of seeds in one position, piles included. It fits a byte, and so does everything counted.
pub const MAX_SEEDS: u32 = 255;
/// Greatest number of seeds a pit of a variant starts with.
pub const MAX_START: usize = 9;

/// One of the two players.
///
/// [`Player::South`] is player 0 of the notations, moves first and owns the pits `W … 2W-1`;
/// [`Player::North`] is player 1 and owns the pits `0 … W-1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Player {
    /// Player 0, who moves first.
    South = 0,
    /// Player 1.
    North = 1,
}

impl Player {
    /// Both players, in the order of their numbers.
    pub const BOTH: [Player; 2] = [Player::South, Player::North];

    /// The other player.
    #[must_use]
    pub const fn opponent(self) -> Player {
        match self {
            Player::South => Player::North,
            Player::North => Player::South,
        }
    }

    /// The player's number, 0 or 1, as an index into `[player 0, player 1]` pairs.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The player of a number, if it is 0 or 1.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Player> {
        match index {
            0 => Some(Player::South),
            1 => Some(Player::North),
            _ => None,
        }
    }

    /// The first pit of the player's row on a board of rows of `width` pits.
    #[must_use]
    pub const fn first_pit(self, width: usize) -> usize {
        match self {
            Player::South => width,
            Player::North => 0,
        }
    }

    /// The pits of the player's row on a board of rows of `width` pits, in ring order.
    #[must_use]
    pub const fn row(self, width: usize) -> std::ops::Range<usize> {
        let first = self.first_pit(width);
        first..first + width
    }
}

impl fmt::Display for Player {
    /// Writes the player's number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index())
    }
}

/// The way seeds are sown round the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Counter-clockwise: increasing pit numbers, modulo `2W`.
    Ccw,
    /// Clockwise: decreasing pit numbers, modulo `2W`.
    Cw,
}

impl Direction {
    /// Both directions, in the order moves are generated.
    pub const BOTH: [Direction; 2] = [Direction::Ccw, Direction::Cw];

    /// The opposite direction.
    #[must_use]
    pub const fn reversed(self) -> Direction {
        match self {
            Direction::Ccw => Direction::Cw,
            Direction::Cw => Direction::Ccw,
        }
    }
}

/// A move: one sowing, or a forced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Lift the seeds of `pit` and sow them in `direction`.
    Sow {
        /// Pit number in ring order, `0 … 2W-1`.
        pit: u8,
        /// Direction of the first lap; every further lap reverses.
        direction: Direction,
    },
    /// The pass of a player who has no pit with two seeds while the opponent has one.
    Pass,
}

impl Move {
    /// The sowing of a pit in a direction.
    #[must_use]
    pub const fn sow(pit: usize, direction: Direction) -> Move {
        Move::Sow { pit: pit as u8, direction }
    }

    /// The move that does on the mirrored board ([`Board::mirrored`](crate::Board::mirrored)) what this one does
    /// here: the pit reflected within its row, the direction reversed.
    #[must_use]
    pub const fn mirrored(self, width: usize) -> Move {
        match self {
            Move::Sow { pit, direction } => {
                let ring = 2 * width;
                Move::sow((ring + width - 1 - pit as usize) % ring, direction.reversed())
            }
            Move::Pass => Move::Pass,
        }
    }

    /// The move that does for the other player on the board with the seats swapped
    /// ([`Position::swapped`](crate::Position::swapped)) what this one does here.
    #[must_use]
    pub const fn swapped(self, width: usize) -> Move {
        match self {
            Move::Sow { pit, direction } => Move::sow((pit as usize + width) % (2 * width), direction),
            Move::Pass => Move::Pass,
        }
    }
}

/// A board size and its start: two rows of `width` pits of `seeds` seeds each. Written `2xWxS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    width: u8,
    seeds: u8,
}

impl Variant {
    /// The variants recorded in the sources, smallest first. Every one of them is tested.
    pub const RECORDED: [Variant; 8] = [
        Variant { width: 5, seeds: 4 },
        Variant { width: 6, seeds: 4 },
        Variant { width: 6, seeds: 6 },
        Variant { width: 7, seeds: 6 },
        Variant { width: 8, seeds: 4 },
        Variant { width: 8, seeds: 6 },
        Variant { width: 8, seeds: 8 },
        Variant { width: 10, seeds: 9 },
    ];

    /// The variant of rows of `width` pits (5 … 10) with `seeds` seeds (1 … 9) in each; `None` outside those bounds.
    #[must_use]
    pub const fn new(width: usize, seeds: usize) -> Option<Variant> {
        if width >= MIN_WIDTH && width <= MAX_WIDTH && seeds >= 1 && seeds <= MAX_START {
            Some(Variant { width: width as u8, seeds: seeds as u8 })
        } else {
            None
        }
    }

    /// Every variant of the rules: widths 5 … 10, seeds 1 … 9.
    pub fn all() -> impl Iterator<Item = Variant> {
        (MIN_WIDTH..=MAX_WIDTH)
            .flat_map(|width| (1..=MAX_START).filter_map(move |seeds| Variant::new(width, seeds)))
    }

    /// Pits in a row.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Seeds in each pit at the start.
    #[must_use]
    pub const fn seeds(self) -> usize {
        self.seeds as usize
    }

    /// Pits on the board.
    #[must_use]
    pub const fn pits(self) -> usize {
        2 * self.width as usize
    }
}

impl Default for Variant {
    /// The standard layout, `2x8x8`.
    fn default() -> Self {
        Variant { width: 8, seeds: 8 }
    }
}
