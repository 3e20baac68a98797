//! Proofs read out of what a search has found.

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::Oracle;
use super::proof::{Claim, Goal, Proof, Step};
use super::search::{Search, is_safe, key_of_pair};
use crate::board::MoveKind;
use crate::position::Position;
use crate::rules::Move;
use crate::search::shows_perpetual;

/// Why a proof could not be written down.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtractError {
    /// The search no longer knows what it found, and could not find it again.
    #[error("the table is too small for the proof: what was found of position {0} is lost")]
    Lost(Box<Position>),
}

/// Positions that may be visited to find again what is not in the table any more, for each position of the proof.
const AGAIN: u64 = 50_000_000;

/// Where the walk stands with a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
}

enum Task {
    Enter(Position),
    Leave(u64),
}

/// Goes the way of [`verify`](Proof::verify) and writes down what the claim's player does.
pub(super) fn extract(
    search: &mut Search<'_>,
    oracle: Option<&dyn Oracle>,
    root: &Position,
    claim: Claim,
) -> Result<Proof, ExtractError> {
    let mut states: FxHashMap<u64, State> = FxHashMap::default();
    let mut steps = Vec::new();
    let mut leans_on_tables = false;
    let mut tasks = vec![Task::Enter(*root)];
    while let Some(task) = tasks.pop() {
        let position = match task {
            Task::Leave(key) => {
                states.insert(key, State::Done);
                continue;
            }
            Task::Enter(position) => position,
        };
        if position.no_moves() || claim.goal == Goal::Draw && is_safe(&position, claim.player) {
            continue;
        }
        if oracle.is_some_and(|oracle| oracle.value(&position).is_some()) {
            leans_on_tables = true;
            continue;
        }
        let key = key_of_pair(&position);
        if states.contains_key(&key) {
            continue;
        }
        states.insert(key, State::Open);
        tasks.push(Task::Leave(key));
        if position.to_move() != claim.player {
            let first = tasks.len();
            position.each_step(|_, step| {
                if step.sowing.kind != MoveKind::Endless {
                    tasks.push(Task::Enter(step.position));
                }
            });
            tasks[first..].reverse();
        } else if claim.goal == Goal::Draw && shows_perpetual(&position) {
            steps.push(Step::Circle);
        } else {
            let mv = choose(search, &states, &position, claim)
                .ok_or_else(|| ExtractError::Lost(Box::new(position)))?;
            steps.push(Step::Play(mv));
            let step = position.step(mv);
            if step.sowing.kind != MoveKind::Endless {
                tasks.push(Task::Enter(step.position));
            }
        }
    }
    let tables = oracle.filter(|_| leans_on_tables).map(Oracle::name);
    Ok(Proof { position: *root, claim, tables, steps })
}

/// A move that keeps the goal: to where nothing more need be said, else to a position that the proof goes through
/// already, else to that which took the least work.
fn choose(
    search: &mut Search<'_>,
    states: &FxHashMap<u64, State>,
    position: &Position,
    claim: Claim,
) -> Option<Move> {
    let good = claim.goal == Goal::Win;
    let cheapest = |search: &Search<'_>| {
        let mut best: Option<(u32, Move)> = None;
        position.each_step(|mv, step| {
            let cost = if step.sowing.kind == MoveKind::Endless {
                (!good).then_some(0)
            } else if let Some(known) = search.known(&step.position) {
                (known == good).then_some(0)
            } else {
                match states.get(&key_of_pair(&step.position)) {
                    // A win never comes back.
                    Some(State::Open) => (!good).then_some(1),
                    Some(State::Done) => Some(1),
                    None => search
                        .entry(&step.position)
                        .filter(|entry| entry.numbers.verdict() == Some(good))
                        .map(|entry| 2 + u32::from(entry.work)),
                }
            };
            if let Some(cost) = cost
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((cost, mv));
            }
        });
        best.map(|(_, mv)| mv)
    };
    let remembered = |search: &Search<'_>| {
        let entry = search.entry(position)?;
        let mv = entry.mv.filter(|_| entry.numbers.verdict() == Some(good))?;
        let state = states.get(&key_of_pair(&position.step(mv).position));
        (!good || state != Some(&State::Open)).then_some(mv)
    };
    cheapest(search).or_else(|| remembered(search)).or_else(|| {
        search.run(position, AGAIN, |_| false);
        cheapest(search).or_else(|| remembered(search))
    })
}
