//! A game: a start position and the moves played from it, with what only a history can tell (repetition), how it
//! ended and who won.

use thiserror::Error;

use crate::board::{MoveKind, Sowing};
use crate::position::{IllegalMove, Position};
use crate::rules::{Move, Player, Variant};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Neither player has a pit with two seeds.
    NoMoves,
    /// The same board with the same player to move occurred before: a draw.
    Repetition,
    /// A relay came back to its own first state (R9): a draw.
    Endless,
}

impl Ending {
    /// Every ending, in the order of its declaration.
    pub const ALL: [Ending; 3] = [Ending::NoMoves, Ending::Repetition, Ending::Endless];

    /// The ending's name in the notations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::NoMoves => "no-moves",
            Ending::Repetition => "repetition",
            Ending::Endless => "endless",
        }
    }
}

/// Who won a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player with the higher score.
    Win(Player),
    /// Nobody: equal scores, a repetition or an endless relay.
    Draw,
}

impl Outcome {
    /// Who won a game that ended for want of moves, by the score `[player 0, player 1]`.
    #[must_use]
    pub fn of_score([south, north]: [u32; 2]) -> Outcome {
        match south.cmp(&north) {
            std::cmp::Ordering::Greater => Outcome::Win(Player::South),
            std::cmp::Ordering::Less => Outcome::Win(Player::North),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }

    /// 1, 0 or −1 as the outcome is a win, a draw or a loss for `player`.
    #[must_use]
    pub fn result_for(self, player: Player) -> i8 {
        match self {
            Outcome::Win(winner) if winner == player => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
        }
    }
}

/// One move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The position before the move.
    pub before: Position,
    /// The move.
    pub mv: Move,
    /// What it did.
    pub sowing: Sowing,
}

/// Why a move could not be played in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The game has ended by repetition or an endless relay (for want of moves: see [`IllegalMove::Over`]).
    #[error("the game is over by {}", .0.name())]
    Ended(Ending),
    /// The move is illegal in the position.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// A game in progress or finished.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    plies: Vec<Ply>,
    /// The positions since the last capture, the present one last. R7: a capture can never be undone, so no
    /// position from before it can occur again.
    recent: Vec<Position>,
    ending: Option<Ending>,
}

impl Game {
    /// A game at the start of a variant.
    #[must_use]
    pub fn new(variant: Variant) -> Game {
        Game::from_position(Position::start(variant))
    }

    /// A game that starts at a position, which has no history.
    #[must_use]
    pub fn from_position(start: Position) -> Game {
        let ending = start.no_moves().then_some(Ending::NoMoves);
        Game { position: start, plies: Vec::new(), recent: vec![start], ending }
    }

    /// Begins anew at the start of a variant, in the memory that the game has.
    pub fn restart(&mut self, variant: Variant) {
        self.position = Position::start(variant);
        self.plies.clear();
        self.recent.clear();
        self.recent.push(self.position);
        self.ending = self.position.no_moves().then_some(Ending::NoMoves);
    }

    /// The position reached.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The moves played, each with the position before it.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The positions that a repetition can still meet: those since the last capture (or the start), oldest first,
    /// the present one last.
    #[must_use]
    pub fn recent(&self) -> &[Position] {
        &self.recent
    }

    /// How the game ended; `None` while it is being played.
    #[must_use]
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Who won; `None` while the game is being played.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.ending? {
            Ending::Repetition | Ending::Endless => Some(Outcome::Draw),
            Ending::NoMoves => Some(Outcome::of_score(self.position.score())),
        }
    }

    /// Plays a move. An illegal one leaves the game as it was.
    pub fn play(&mut self, mv: Move) -> Result<Ply, PlayError> {
        match self.ending {
            Some(ending @ (Ending::Repetition | Ending::Endless)) => return Err(PlayError::Ended(ending)),
            // `Position::check` says it in its own words.
            Some(Ending::NoMoves) | None => {}
        }
        let step = self.position.play(mv)?;
        let ply = Ply { before: self.position, mv, sowing: step.sowing };
        self.plies.push(ply);
        self.position = step.position;
        self.ending = match step.sowing.kind {
            MoveKind::Endless => Some(Ending::Endless),
            kind => {
                if kind == MoveKind::Capture {
                    self.recent.clear();
                }
                // R8: extra moves of one turn count as well, so every ply is looked at.
                let repeated = self.recent.contains(&step.position);
                self.recent.push(step.position);
                if repeated {
                    Some(Ending::Repetition)
                } else {
                    step.position.no_moves().then_some(Ending::NoMoves)
                }
            }
        };
        Ok(ply)
    }

    /// Plays moves one after another; the error names the first illegal one by its number in `moves`, from 1.
    pub fn play_all(&mut self, moves: &[Move]) -> Result<(), (usize, PlayError)> {
        for (i, &mv) in moves.iter().enumerate() {
            self.play(mv).map_err(|error| (i + 1, error))?;
        }
        Ok(())
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Ply> {
        let ply = self.plies.pop()?;
        self.position = ply.before;
        self.ending = None;
        self.recent.clear();
        let since = self.plies.iter().rposition(|ply| ply.sowing.kind == MoveKind::Capture);
        self.recent.extend(self.plies[since.map_or(0, |at| at + 1)..].iter().map(|ply| ply.before));
        self.recent.push(self.position);
        Some(ply)
    }
}
