//! Proofs checked. Nothing here knows of the search: seeds are sown one after another, circles are walked.
//!
//! The check goes through all positions that can be reached while the player of the claim plays the proof's moves, depth
//! first: from the claim's position on; where that player is to move, the next move of the proof is played; else every
//! legal move, in the order in which they are generated (pits in ring order, `ccw` before `cw`). A position that was met
//! before, or its mirror image, is not entered again. Nothing further is asked
//!
//! - where the game is over by want of moves, or by an endless relay: the outcome counts;
//! - for a draw, where the player leads by as many seeds as there are in the pits, who cannot lose any more;
//! - where tables know the value.
//!
//! **Why that proves it.** For a draw: play that never leaves the positions met either ends well or goes on until one
//! occurs again, and then it is drawn (mirror images have the mirrored moves, so the same holds of pairs). For a win
//! no position may lead back to itself: so no play repeats any, and all of them end, won.

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::proof::{Claim, Goal, Proof, Step};
use super::{Oracle, reaches};
use crate::board::{MoveKind, Sower};
use crate::endgame::Value;
use crate::game::Outcome;
use crate::position::Position;
use crate::rules::Player;

/// What a check went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Positions, mirror images counted once, that the claim's player had a move of the proof for.
    pub own: u64,
    /// Those where the other was to move.
    pub other: u64,
    /// Positions whose value was taken from tables.
    pub from_tables: u64,
}

/// Why a proof proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the proof does not hold at move {step}, in position {position}: {kind}")]
pub struct Flaw {
    /// The number of the proof's moves read before, that is where it breaks.
    pub step: usize,
    /// The position.
    pub position: Box<Position>,
    /// What is wrong there.
    pub kind: FlawKind,
}

/// What is wrong with a proof at a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FlawKind {
    /// The game is over, and not as it should be.
    #[error("the game is over and the goal missed")]
    Missed,
    /// An endless relay, which draws, where a win is claimed.
    #[error("an endless relay draws")]
    Endless,
    /// The tables say that the goal is missed.
    #[error("the tables say {0} for the player to move")]
    Tables(Value),
    /// No move is left.
    #[error("the proof has no move for it")]
    NoMove,
    /// The proof's move is illegal.
    #[error("{0}")]
    Illegal(String),
    /// There is no circle.
    #[error("the row holds no circle of extra moves")]
    NoCircle,
    /// A circle draws, where a win is claimed.
    #[error("a circle draws")]
    CircleForWin,
    /// It comes back to itself where a win is claimed.
    #[error("play can come back to it, and a repetition draws")]
    Repeats,
    /// There are moves that nothing asked for.
    #[error("{0} moves are left over")]
    LeftOver(usize),
    /// The proof leans on tables that are not there.
    #[error("it leans on tables of {0} seeds, which are not given")]
    NoTables(usize),
}

/// Where the check stands with a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// What can be reached from it is being gone through.
    Open,
    Done,
}

enum Task {
    Enter(Position),
    Leave(Position),
}

impl Proof {
    /// Checks that the proof holds.
    ///
    /// # Errors
    /// Where it does not: the first position at which it breaks, and why.
    pub fn verify(&self, oracle: Option<&dyn Oracle>) -> Result<Verified, Flaw> {
        let mut check = Check {
            claim: self.claim,
            oracle,
            tables: self.tables,
            steps: &self.steps,
            read: 0,
            states: FxHashMap::default(),
            tasks: vec![Task::Enter(self.position)],
            verified: Verified { own: 0, other: 0, from_tables: 0 },
        };
        let flaw =
            |check: &Check<'_>, position, kind| Flaw { step: check.read, position: Box::new(position), kind };
        if let Some(seeds) = self.tables
            && oracle.is_none_or(|oracle| oracle.seeds() < seeds)
        {
            return Err(flaw(&check, self.position, FlawKind::NoTables(seeds)));
        }
        while let Some(task) = check.tasks.pop() {
            match task {
                Task::Enter(position) => {
                    check.enter(position).map_err(|kind| flaw(&check, position, kind))?;
                }
                Task::Leave(position) => {
                    check.states.insert(of_pair(position), State::Done);
                }
            }
        }
        match self.steps.len() - check.read {
            0 => Ok(check.verified),
            left => Err(flaw(&check, self.position, FlawKind::LeftOver(left))),
        }
    }
}

/// The same for a position and its mirror image.
fn of_pair(position: Position) -> Position {
    let mirrored = position.mirrored();
    if mirrored.board().pits() < position.board().pits() { mirrored } else { position }
}

struct Check<'a> {
    claim: Claim,
    oracle: Option<&'a dyn Oracle>,
    tables: Option<usize>,
    steps: &'a [Step],
    read: usize,
    states: FxHashMap<Position, State>,
    tasks: Vec<Task>,
    verified: Verified,
}

impl Check<'_> {
    fn enter(&mut self, position: Position) -> Result<(), FlawKind> {
        let is_draw = self.claim.goal == Goal::Draw;
        if position.no_moves() {
            let reached = reaches(Outcome::of_score(position.score()), self.claim);
            return if reached { Ok(()) } else { Err(FlawKind::Missed) };
        }
        if is_draw && is_safe(&position, self.claim.player) {
            return Ok(());
        }
        // Larger tables than the proof leans on are not asked further: its moves would not fit.
        let is_tabled = self.tables.is_some_and(|seeds| board_seeds(&position) as usize <= seeds);
        if let Some(value) = self.oracle.filter(|_| is_tabled).and_then(|oracle| oracle.value(&position)) {
            self.verified.from_tables += 1;
            let own = if position.to_move() == self.claim.player { value } else { -value };
            let least = if is_draw { Value::Draw } else { Value::Win };
            return if own >= least { Ok(()) } else { Err(FlawKind::Tables(value)) };
        }
        match self.states.get(&of_pair(position)) {
            Some(State::Open) if !is_draw => return Err(FlawKind::Repeats),
            Some(_) => return Ok(()),
            None => {}
        }
        self.states.insert(of_pair(position), State::Open);
        self.tasks.push(Task::Leave(position));
        if position.to_move() == self.claim.player {
            self.verified.own += 1;
            self.play_own(position)
        } else {
            self.verified.other += 1;
            // The last is taken first.
            for mv in position.moves().iter().rev() {
                let step = position.step_by(Sower::Plain, *mv);
                if step.sowing.kind != MoveKind::Endless {
                    self.tasks.push(Task::Enter(step.position));
                } else if !is_draw {
                    return Err(FlawKind::Endless);
                }
            }
            Ok(())
        }
    }

    /// The next move of the proof.
    fn play_own(&mut self, position: Position) -> Result<(), FlawKind> {
        let is_draw = self.claim.goal == Goal::Draw;
        let step = *self.steps.get(self.read).ok_or(FlawKind::NoMove)?;
        let mv = match step {
            Step::Circle if !is_draw => return Err(FlawKind::CircleForWin),
            Step::Circle if !holds_circle(&position) => return Err(FlawKind::NoCircle),
            Step::Circle => {
                self.read += 1;
                return Ok(());
            }
            Step::Play(mv) => mv,
        };
        position.check(mv).map_err(|error| FlawKind::Illegal(format!("{mv}: {error}")))?;
        self.read += 1;
        let step = position.step_by(Sower::Plain, mv);
        match step.sowing.kind {
            MoveKind::Endless if is_draw => {}
            MoveKind::Endless => return Err(FlawKind::Endless),
            _ => self.tasks.push(Task::Enter(step.position)),
        }
        Ok(())
    }
}

/// Whether a player's lead is at least the seeds in the pits: each seed can change hands but once.
fn is_safe(position: &Position, player: Player) -> bool {
    let [own, other] = [player, player.opponent()].map(|player| u32::from(position.piles()[player.index()]));
    own >= other + board_seeds(position)
}

fn board_seeds(position: &Position) -> u32 {
    position.board().pits().iter().map(|&seeds| u32::from(seeds)).sum()
}

/// Whether extra moves lead the player to move in a circle, or an endless relay is among them: a walk through the
/// positions of one turn, depth first.
fn holds_circle(position: &Position) -> bool {
    enum Task {
        Enter(Position),
        Leave(Position),
    }
    let mut states = FxHashMap::default();
    let mut tasks = vec![Task::Enter(*position)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Leave(position) => {
                states.insert(position, State::Done);
            }
            Task::Enter(position) => match states.get(&position) {
                Some(State::Open) => return true,
                Some(State::Done) => {}
                None => {
                    states.insert(position, State::Open);
                    tasks.push(Task::Leave(position));
                    for mv in position.moves() {
                        let step = position.step_by(Sower::Plain, mv);
                        match step.sowing.kind {
                            MoveKind::Endless => return true,
                            MoveKind::Extra => tasks.push(Task::Enter(step.position)),
                            _ => {}
                        }
                    }
                }
            },
        }
    }
    false
}
