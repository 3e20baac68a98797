//! A position: pits, piles and the player to move; its legal moves, what a move does to it, and whether the game is
//! over for want of moves. What depends on the history of a game (repetition) stands in [`crate::game`].

use thiserror::Error;

use crate::board::{Board, Lap, MoveKind, Sower, Sowing};
use crate::rules::{Direction, MAX_SEEDS, MAX_WIDTH, MIN_WIDTH, Move, Player, Variant};

/// A position within the game's bounds: rows of 5 … 10 pits, at most 255 seeds in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    piles: [u8; 2],
    to_move: Player,
}

/// A position as somebody describes it, not yet checked. [`Position::try_from`] is the only way across.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Seeds in the pits of player 1's row, ring order (pits `0 … W-1`).
    pub north: Vec<u32>,
    /// Seeds in the pits of player 0's row, ring order (pits `W … 2W-1`).
    pub south: Vec<u32>,
    /// Captured seeds, `[player 0, player 1]`.
    pub piles: [u32; 2],
    /// Number of the player to move, 0 or 1.
    pub to_move: u32,
}

/// One reason why a [`Setup`] is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupFault {
    /// The rows are of different lengths.
    #[error("the rows have {north} and {south} pits: they must be equal")]
    UnequalRows {
        /// Pits of player 1's row.
        north: usize,
        /// Pits of player 0's row.
        south: usize,
    },
    /// The rows are too short or too long.
    #[error("a row has {0} pits: 5 to 10 are possible")]
    Width(usize),
    /// A pit or pile holds more than 255 seeds.
    #[error("{place} holds {seeds} seeds: 0 to 255 are possible")]
    Place {
        /// Which pit or pile.
        place: String,
        /// What it holds.
        seeds: u32,
    },
    /// All together are too many.
    #[error("{0} seeds in all, piles included: at most 255 are possible")]
    Total(u64),
    /// The player to move is neither 0 nor 1.
    #[error("player {0} to move: 0 or 1 are possible")]
    Player(u32),
}

/// All the reasons why a [`Setup`] is not a position; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupError(pub Vec<SetupFault>);

impl std::fmt::Display for SetupError {
    /// Writes the first faults, and how many more there are: a row may be of any length.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 8;
        for (i, fault) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{fault}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for SetupError {}

impl TryFrom<&Setup> for Position {
    type Error = SetupError;

    /// Checks every bound and names every one that is broken.
    fn try_from(setup: &Setup) -> Result<Position, SetupError> {
        let mut faults = Vec::new();
        let (north, south) = (setup.north.len(), setup.south.len());
        if north != south {
            faults.push(SetupFault::UnequalRows { north, south });
        }
        for width in if north == south { vec![north] } else { vec![north, south] } {
            if !(MIN_WIDTH..=MAX_WIDTH).contains(&width) {
                faults.push(SetupFault::Width(width));
            }
        }
        let mut total = 0;
        // The place's name is made only where it is needed: datasets are read through here, row by row.
        let mut count = |seeds: u32, place: &dyn Fn() -> String| {
            total += u64::from(seeds);
            if seeds > MAX_SEEDS {
                faults.push(SetupFault::Place { place: place(), seeds });
            }
        };
        for (pit, &seeds) in setup.north.iter().chain(&setup.south).enumerate() {
            count(seeds, &|| format!("pit {pit}"));
        }
        for (player, &seeds) in setup.piles.iter().enumerate() {
            count(seeds, &|| format!("pile {player}"));
        }
        if total > u64::from(MAX_SEEDS) {
            faults.push(SetupFault::Total(total));
        }
        let to_move = Player::from_index(setup.to_move as usize);
        match to_move {
            Some(to_move) if faults.is_empty() => {
                let pits: Vec<u8> =
                    setup.north.iter().chain(&setup.south).map(|&seeds| seeds as u8).collect();
                Ok(Position {
                    board: Board::from_pits(north, &pits),
                    piles: setup.piles.map(|seeds| seeds as u8),
                    to_move,
                })
            }
            Some(_) => Err(SetupError(faults)),
            None => {
                faults.push(SetupFault::Player(setup.to_move));
                Err(SetupError(faults))
            }
        }
    }
}

/// Why a move cannot be played in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game is over: neither player has a pit with two seeds.
    #[error("the game is over: neither player has a pit with two seeds")]
    Over,
    /// There is no such pit.
    #[error("there is no pit {pit}: the pits are 0 to {last}")]
    NoSuchPit {
        /// The pit asked for.
        pit: u8,
        /// The last pit of the board.
        last: usize,
    },
    /// The pit is the opponent's.
    #[error("pit {pit} is not player {player}'s, who owns {first} to {last}")]
    NotOwn {
        /// The pit asked for.
        pit: u8,
        /// The player to move.
        player: Player,
        /// The first pit of their row.
        first: usize,
        /// The last pit of their row.
        last: usize,
    },
    /// The pit holds fewer than two seeds.
    #[error("pit {pit} holds {seeds}: a pit with at least two seeds is needed")]
    TooFew {
        /// The pit asked for.
        pit: u8,
        /// The seeds it holds.
        seeds: u8,
    },
    /// The player must pass.
    #[error("player {0} has no pit with two seeds and must pass")]
    MustPass(Player),
    /// The player may not pass.
    #[error("player {0} has a pit with two seeds and may not pass")]
    MayNotPass(Player),
}

/// What a move did to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The position after the move. After an endless relay: the position before it.
    pub position: Position,
    /// How the move ended, its laps and captures; for a pass 0 laps.
    pub sowing: Sowing,
}

/// The legal moves of a position: at most two for each of ten pits. Kept in place, without allocation.
#[derive(Clone, Copy, Debug)]
pub struct MoveList {
    moves: [Move; 2 * MAX_WIDTH],
    len: u8,
}

impl MoveList {
    fn new() -> MoveList {
        MoveList { moves: [Move::Pass; 2 * MAX_WIDTH], len: 0 }
    }

    fn push(&mut self, mv: Move) {
        self.moves[usize::from(self.len)] = mv;
        self.len += 1;
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.moves[..usize::from(self.len)]
    }
}

impl std::ops::DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..usize::from(self.len)]
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = std::iter::Take<std::array::IntoIter<Move, { 2 * MAX_WIDTH }>>;

    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(usize::from(self.len))
    }
}

impl Position {
    /// The start of a variant: every pit full, both piles empty, player 0 to move.
    #[must_use]
    pub fn start(variant: Variant) -> Position {
        let pits = vec![variant.seeds() as u8; variant.pits()];
        Position { board: Board::from_pits(variant.width(), &pits), piles: [0; 2], to_move: Player::South }
    }

    /// The position of pits in ring order, piles `[player 0, player 1]` and the player to move.
    ///
    /// The caller has checked the bounds: 5 ≤ width ≤ 10, `pits.len() == 2 * width`, at most 255 seeds in all.
    #[inline]
    pub(crate) fn of_pits(width: usize, pits: &[u8], piles: [u8; 2], to_move: Player) -> Position {
        Position { board: Board::from_pits(width, pits), piles, to_move }
    }

    /// The seeds in the pits.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Pits in a row.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.board.width()
    }

    /// Captured seeds, `[player 0, player 1]`.
    #[must_use]
    pub const fn piles(&self) -> [u8; 2] {
        self.piles
    }

    /// The player to move.
    #[must_use]
    pub const fn to_move(&self) -> Player {
        self.to_move
    }

    /// All that tells positions apart, in three words.
    #[inline]
    pub(crate) fn words(&self) -> [u64; 3] {
        let [low, high, rest] = self.board.words();
        let [pile0, pile1] = self.piles.map(u64::from);
        [
            low,
            high,
            rest | pile0 << 32 | pile1 << 40 | (self.to_move as u64) << 48 | (self.width() as u64) << 56,
        ]
    }

    /// The lead of the player to move: their pile minus the opponent's, −255 … 255.
    #[must_use]
    pub fn lead(&self) -> i32 {
        let mover = self.to_move.index();
        i32::from(self.piles[mover]) - i32::from(self.piles[1 - mover])
    }

    /// All the seeds of the game, in pits and piles.
    #[inline]
    #[must_use]
    pub fn seeds(&self) -> u32 {
        self.board.seeds() + u32::from(self.piles[0]) + u32::from(self.piles[1])
    }

    /// Pile plus the seeds in the own row for each player, `[player 0, player 1]`: the score where the game ends
    /// for want of moves.
    #[must_use]
    pub fn score(&self) -> [u32; 2] {
        Player::BOTH.map(|player| u32::from(self.piles[player.index()]) + self.board.row_seeds(player))
    }

    /// Whether neither player has a pit with two seeds, so that the game is over.
    #[must_use]
    pub fn no_moves(&self) -> bool {
        self.board.sowable() == 0
    }

    /// The legal moves, pits in ring order, `ccw` before `cw`; the pass alone where it is forced; none when the
    /// game is over for want of moves.
    #[must_use]
    pub fn moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        let first = self.to_move.first_pit(self.width());
        let mut pits = self.board.sowable_in(self.to_move);
        while pits != 0 {
            let pit = first + pits.trailing_zeros() as usize;
            for direction in Direction::BOTH {
                moves.push(Move::sow(pit, direction));
            }
            pits &= pits - 1;
        }
        if moves.is_empty() && self.board.can_sow(self.to_move.opponent()) {
            moves.push(Move::Pass);
        }
        moves
    }

    /// Whether a move is legal here, and if not, why.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        let player = self.to_move;
        let own = self.board.can_sow(player);
        if !own && !self.board.can_sow(player.opponent()) {
            return Err(IllegalMove::Over);
        }
        match mv {
            Move::Pass if own => Err(IllegalMove::MayNotPass(player)),
            Move::Pass => Ok(()),
            Move::Sow { pit, .. } => {
                let row = player.row(self.width());
                if usize::from(pit) >= 2 * self.width() {
                    return Err(IllegalMove::NoSuchPit { pit, last: 2 * self.width() - 1 });
                }
                if !row.contains(&usize::from(pit)) {
                    return Err(IllegalMove::NotOwn { pit, player, first: row.start, last: row.end - 1 });
                }
                if !own {
                    return Err(IllegalMove::MustPass(player));
                }
                match self.board.pits()[usize::from(pit)] {
                    seeds @ (0 | 1) => Err(IllegalMove::TooFew { pit, seeds }),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Whether a move is legal here.
    #[inline]
    #[must_use]
    pub fn allows(&self, mv: Move) -> bool {
        match mv {
            Move::Sow { pit, .. } => {
                let own = usize::from(pit).wrapping_sub(self.to_move.first_pit(self.width())) < self.width();
                own && self.board.pits()[usize::from(pit)] >= 2
            }
            Move::Pass => self.check(mv).is_ok(),
        }
    }

    /// Plays a move after checking it.
    ///
    /// Repetition is a matter of the game's history, which a position does not know: see
    /// [`Game::play`](crate::Game::play).
    pub fn play(&self, mv: Move) -> Result<Step, IllegalMove> {
        self.check(mv)?;
        Ok(self.step(mv))
    }

    /// Plays a move that is known to be legal, such as one of [`Position::moves`].
    ///
    /// # Panics
    /// With debug assertions, when the move is illegal.
    #[inline]
    #[must_use]
    pub fn step(&self, mv: Move) -> Step {
        self.step_by(Sower::fastest(), mv)
    }

    /// [`Position::step`] by a given sower.
    #[inline]
    #[must_use]
    pub fn step_by(&self, sower: Sower, mv: Move) -> Step {
        self.step_with(mv, |board, player, pit, direction| board.sow_by(sower, player, pit, direction))
    }

    /// [`Position::step`], seed by seed, telling `observe` every lap.
    #[must_use]
    pub fn step_observed(&self, mv: Move, observe: impl FnMut(Lap)) -> Step {
        self.step_with(mv, |board, player, pit, direction| {
            board.sow_observed(player, pit, direction, observe)
        })
    }

    #[inline]
    fn step_with(&self, mv: Move, sow: impl FnOnce(&mut Board, Player, usize, Direction) -> Sowing) -> Step {
        debug_assert_eq!(self.check(mv), Ok(()));
        let mut next = *self;
        let Move::Sow { pit, direction } = mv else {
            next.to_move = self.to_move.opponent();
            let sowing = Sowing { kind: MoveKind::Pass, laps: 0, captured: 0, chain: 0 };
            return Step { position: next, sowing };
        };
        let sowing = sow(&mut next.board, self.to_move, usize::from(pit), direction);
        self.stepped(next.board, sowing)
    }

    /// What a sowing made of this position, given the board after it.
    #[inline]
    fn stepped(&self, board: Board, sowing: Sowing) -> Step {
        let mut position = Position { board, ..*self };
        position.piles[self.to_move.index()] += sowing.captured;
        if matches!(sowing.kind, MoveKind::Turn | MoveKind::Capture) {
            position.to_move = self.to_move.opponent();
        }
        Step { position, sowing }
    }

    /// Plays every legal move, each from here, in the order of [`Position::moves`]: faster than one after another.
    #[inline]
    pub fn each_step(&self, visit: impl FnMut(Move, Step)) {
        self.each_step_by(Sower::fastest(), visit);
    }

    /// [`Position::each_step`] by a given sower.
    #[inline]
    pub fn each_step_by(&self, sower: Sower, mut visit: impl FnMut(Move, Step)) {
        if self.board.can_sow(self.to_move) {
            self.board.sow_each(sower, self.to_move, |pit, direction, after, sowing| {
                visit(Move::sow(pit, direction), self.stepped(*after, sowing));
            });
        } else if self.board.can_sow(self.to_move.opponent()) {
            visit(Move::Pass, self.step_by(sower, Move::Pass));
        }
    }

    /// The reflected position: each row reversed, everything else as it was. Its moves are the
    /// [mirrored](Move::mirrored) ones, and its value is the same.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        Position { board: self.board.mirrored(), ..*self }
    }

    /// The position with the players' seats swapped: rows, piles and the player to move. Its moves are the
    /// [swapped](Move::swapped) ones, and its value for the player to move is the same.
    #[must_use]
    pub fn swapped(&self) -> Position {
        Position {
            board: self.board.swapped(),
            piles: [self.piles[1], self.piles[0]],
            to_move: self.to_move.opponent(),
        }
    }
}
