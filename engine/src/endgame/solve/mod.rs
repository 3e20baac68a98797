//! The solver: what a position is worth, proven by search.
//!
//! A position without history is won for a player who can force a won end of the game, whatever the other does; where
//! neither can, it is drawn, for play that goes on for ever repeats a position. So two questions decide it, one for each
//! player, and each is a proof-number search of its own. What proves an answer can be written
//! down as a [`Proof`] and checked by [`verify`](Proof::verify), which knows nothing of the search.

mod extract;
mod memory;
mod proof;
mod search;
mod table;
mod verify;

use std::sync::atomic::{AtomicBool, Ordering};

pub use extract::ExtractError;
pub use memory::MemoryError;
pub use proof::{Claim, Goal, Proof, ProofError, Step};
pub use verify::{Flaw, FlawKind, Verified};

use search::Search;

use super::Value;
use super::tablebase::Tablebase;
use crate::game::{Game, Outcome};
use crate::position::Position;
use crate::rules::{Move, Player};

/// Knows what all positions of few seeds are worth, such as endgame tables.
pub trait Oracle: Sync {
    /// The value of a position without history for its player to move; `None` where it is not known.
    fn value(&self, position: &Position) -> Option<Value>;

    /// All boards of up to so many seeds are known.
    fn seeds(&self) -> usize;
}

impl Oracle for Tablebase {
    #[inline]
    fn value(&self, position: &Position) -> Option<Value> {
        Tablebase::value(self, position)
    }

    fn seeds(&self) -> usize {
        Tablebase::seeds(self)
    }
}

/// What has been proven of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The player to move gets at least this.
    pub least: Value,
    /// And at most this.
    pub most: Value,
    /// A move that keeps the value; `None` where it is not known, or the game is over.
    pub mv: Option<Move>,
    /// A line that keeps the value, the loser holding out; it ends where the game does, or what has been found out.
    pub line: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

impl Solution {
    /// The value for the player to move, where it is proven.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        (self.least == self.most).then_some(self.least)
    }
}

/// How the search for a value is bounded.
#[derive(Clone, Copy, Debug)]
pub struct SolveLimits {
    /// Positions to visit, for both questions together.
    pub nodes: u64,
    /// Ask both questions at once, each on a thread of its own, instead of by turns. Which positions are visited
    /// before an answer stops the other question is then left to chance.
    pub parallel: bool,
}

/// Proves what positions are worth. It remembers what it found: asked again, it goes on.
pub struct Solver<'a> {
    /// By the number of the player who attacks.
    searches: [Search<'a>; 2],
    oracle: Option<&'a dyn Oracle>,
}

/// Positions visited for one question before it is the other's turn.
const TURN: u64 = 1 << 14;
/// Moves of a line.
const LONGEST_LINE: usize = 300;

impl<'a> Solver<'a> {
    /// A solver with tables of so many megabytes together, at least two.
    ///
    /// # Errors
    /// Where there is no such memory.
    pub fn new(
        oracle: Option<&'a dyn Oracle>,
        megabytes: usize,
    ) -> Result<Solver<'a>, std::collections::TryReserveError> {
        let [south, north] = Player::BOTH.map(|player| Search::new(player, oracle, megabytes / 2));
        Ok(Solver { searches: [south?, north?], oracle })
    }

    /// Positions visited so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.searches.iter().map(Search::nodes).sum()
    }

    /// Proves what a position without history is worth, as far as the limits let it. `is_over` is asked now and then,
    /// with the positions visited so far, and ends the search where it says so; what is proven then, the solution tells.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &SolveLimits,
        is_over: &(dyn Fn(u64) -> bool + Sync),
    ) -> Solution {
        let before = self.nodes();
        let verdicts = if limits.parallel {
            self.both_at_once(position, limits.nodes, is_over)
        } else {
            self.by_turns(position, limits.nodes, is_over)
        };
        let mover = position.to_move();
        let wins = verdicts[mover.index()];
        let loses = verdicts[mover.opponent().index()];
        let (least, most) = match (wins, loses) {
            (Some(true), _) => (Value::Win, Value::Win),
            (_, Some(true)) => (Value::Loss, Value::Loss),
            (Some(false), Some(false)) => (Value::Draw, Value::Draw),
            (Some(false), None) => (Value::Loss, Value::Draw),
            (None, Some(false)) => (Value::Draw, Value::Win),
            (None, None) => (Value::Loss, Value::Win),
        };
        let line = if least == most { self.line(position, least) } else { Vec::new() };
        // What is proven at least is kept by a move even where more may be had.
        let keeps = || self.keeping(position, least);
        let mv = line.first().copied().or_else(|| if least > Value::Loss { keeps() } else { None });
        Solution { least, most, mv, line, nodes: self.nodes() - before }
    }

    /// Whether each player wins, as far as it was found out; the two questions asked by turns.
    fn by_turns(
        &mut self,
        position: &Position,
        most: u64,
        is_over: &(dyn Fn(u64) -> bool + Sync),
    ) -> [Option<bool>; 2] {
        let before = self.nodes();
        let mut verdicts = [None; 2];
        loop {
            for player in [position.to_move(), position.to_move().opponent()] {
                let i = player.index();
                let left = most - (self.nodes() - before);
                if verdicts[i].is_none() && left > 0 {
                    // Both get their turns however few there are.
                    let turn = TURN.min(most / 4 + 1).min(left);
                    let others = self.searches[1 - i].nodes();
                    let mut over = false;
                    verdicts[i] = self.searches[i].run(position, turn, |nodes| {
                        over = is_over(nodes + others - before);
                        over
                    });
                    if verdicts[i] == Some(true) || over {
                        return verdicts;
                    }
                }
            }
            if verdicts.iter().all(Option::is_some) || self.nodes() - before >= most {
                return verdicts;
            }
        }
    }

    /// The same, each question on a thread of its own.
    fn both_at_once(
        &mut self,
        position: &Position,
        most: u64,
        is_over: &(dyn Fn(u64) -> bool + Sync),
    ) -> [Option<bool>; 2] {
        let won = AtomicBool::new(false);
        let [south, north] = &mut self.searches;
        let ask = |search: &mut Search<'_>| {
            let verdict =
                search.run(position, most / 2, |nodes| won.load(Ordering::Relaxed) || is_over(2 * nodes));
            won.fetch_or(verdict == Some(true), Ordering::Relaxed);
            verdict
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| ask(north));
            let own = ask(south);
            [own, other.join().expect("a search does not panic")]
        })
    }

    /// Proves a claim and writes the proof down; `None` where the search ended before it was proven, or the claim is
    /// wrong, which [`solve`](Solver::solve) tells.
    ///
    /// # Errors
    /// Where the table was too small to hold the proof.
    pub fn prove(
        &mut self,
        position: &Position,
        claim: Claim,
        most: u64,
        is_over: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Option<Proof>, ExtractError> {
        let oracle = self.oracle;
        let search = &mut self.searches[claim.attacker().index()];
        if search.run(position, most, is_over) != Some(claim.goal == Goal::Win) {
            return Ok(None);
        }
        extract::extract(search, oracle, position, claim).map(Some)
    }

    /// A move after which the player to move is known to get at least `least` still.
    fn keeping(&self, position: &Position, least: Value) -> Option<Move> {
        let mover = position.to_move();
        let mut found = None;
        position.each_step(|mv, step| {
            if found.is_none() && self.at_least(mover, &step, least) {
                found = Some(mv);
            }
        });
        found
    }

    /// Whether it is known that a move gives its player at least a value.
    fn at_least(&self, mover: Player, step: &crate::position::Step, least: Value) -> bool {
        if step.sowing.kind == crate::board::MoveKind::Endless {
            return least <= Value::Draw;
        }
        match least {
            Value::Loss => true,
            Value::Draw => {
                let search = &self.searches[mover.opponent().index()];
                search.verdict(&step.position) == Some(false)
            }
            Value::Win => self.searches[mover.index()].verdict(&step.position) == Some(true),
        }
    }

    /// A line of play from a position of proven value: who has something to keep keeps it; who loses plays what took
    /// the most work to refute.
    fn line(&self, position: &Position, value: Value) -> Vec<Move> {
        let mut game = Game::from_position(*position);
        let (root, mut line) = (position.to_move(), Vec::new());
        while game.ending().is_none() && line.len() < LONGEST_LINE {
            let position = *game.position();
            let mover = position.to_move();
            let own = if mover == root { value } else { -value };
            let (mut best, mut score) = (None, (false, 0));
            position.each_step(|mv, step| {
                let keeps = self.at_least(mover, &step, own);
                let work = |player: Player| {
                    self.searches[player.index()]
                        .entry(&step.position)
                        .map_or(0, |entry| i32::from(entry.work))
                };
                // A loser holds out; a winner goes the way that took least; in a draw nobody goes where the other could
                // still err, so the order of moves decides.
                let rank = match own {
                    Value::Loss => work(mover.opponent()),
                    Value::Draw => 0,
                    Value::Win => -work(mover),
                };
                let fresh = !game.recent().contains(&step.position);
                if keeps && (own != Value::Win || fresh) && (best.is_none() || (true, rank) > score) {
                    (best, score) = (Some(mv), (true, rank));
                }
            });
            let Some(mv) = best else { break };
            if game.play(mv).is_err() {
                break;
            }
            line.push(mv);
        }
        line
    }
}

/// Whether a finished game gives a player at least a goal.
fn reaches(outcome: Outcome, claim: Claim) -> bool {
    let least = if claim.goal == Goal::Win { 1 } else { 0 };
    outcome.result_for(claim.player) >= least
}
