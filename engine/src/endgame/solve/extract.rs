//! Proofs read out of what a search has found.
//!
//! What the table says of single positions need not fit together: a position may have been proven by way of another,
//! which was forgotten and proven again by way of the first. For a draw that does not matter, for a win it does. So the
//! positions that a proof goes through are gathered first, with one move for each at first; then those are counted that
//! are won in one step, in two … (retrograde analysis), and where some are left over, they get all the moves that are
//! known to be good.

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
    #[error(
        "the table is too small for the proof: what was found of position {0} is lost; give it more memory"
    )]
    Lost(Box<Position>),
}

/// Positions that may be visited to find again what is not in the table any more, for each position of the proof.
const AGAIN: u64 = 50_000_000;

/// Gathers a proof of a claim that the search has found to be true.
pub(super) fn extract(
    search: &mut Search<'_>,
    oracle: Option<&dyn Oracle>,
    root: &Position,
    claim: Claim,
) -> Result<Proof, ExtractError> {
    let mut graph =
        Graph { claim, oracle, leans_on_tables: false, index: FxHashMap::default(), places: Vec::new() };
    graph.gather(search, *root)?;
    if claim.goal == Goal::Win {
        while !graph.rank() {
            if !graph.widen(search)? {
                return Err(ExtractError::Lost(Box::new(*root)));
            }
        }
    }
    let steps = graph.steps(root);
    let tables = oracle.filter(|_| graph.leans_on_tables).map(Oracle::seeds);
    Ok(Proof { position: *root, claim, tables, steps })
}

/// The positions that a proof goes through, mirror images taken for one.
struct Graph<'a> {
    claim: Claim,
    oracle: Option<&'a dyn Oracle>,
    leans_on_tables: bool,
    index: FxHashMap<u64, usize>,
    places: Vec<Place>,
}

/// A position of the proof.
struct Place {
    position: Position,
    /// Whether the claim's player is to move.
    is_own: bool,
    /// The moves that may be played: one or some of the player's, all of the other's. With each the place where it
    /// leads; `None` where nothing more need be said.
    moves: Vec<(Step, Option<usize>)>,
    /// Which of its moves the proof plays.
    chosen: usize,
    /// Whether all the good moves that are known are among `moves`.
    is_wide: bool,
    /// Steps to a win at most; `None` while unknown.
    rank: Option<u32>,
}

impl Graph<'_> {
    /// Whether nothing need be said of a position.
    fn is_end(&mut self, position: &Position) -> bool {
        if position.no_moves() || self.claim.goal == Goal::Draw && is_safe(position, self.claim.player) {
            return true;
        }
        let told = self.oracle.is_some_and(|oracle| oracle.value(position).is_some());
        self.leans_on_tables |= told;
        told
    }

    /// The place of a position, new ones put on `open`; `None` where nothing need be said of it.
    fn place(&mut self, position: Position, open: &mut Vec<usize>) -> Option<usize> {
        if self.is_end(&position) {
            return None;
        }
        let next = self.places.len();
        let at = *self.index.entry(key_of_pair(&position)).or_insert(next);
        if at == next {
            let is_own = position.to_move() == self.claim.player;
            self.places.push(Place {
                position,
                is_own,
                moves: Vec::new(),
                chosen: 0,
                is_wide: false,
                rank: None,
            });
            open.push(at);
        }
        Some(at)
    }

    /// Where a move leads.
    fn target(&mut self, position: &Position, mv: Move, open: &mut Vec<usize>) -> Option<usize> {
        let step = position.step(mv);
        if step.sowing.kind == MoveKind::Endless { None } else { self.place(step.position, open) }
    }

    /// Takes up a position and all that a proof has to go through from there.
    fn gather(&mut self, search: &mut Search<'_>, position: Position) -> Result<(), ExtractError> {
        let mut open = Vec::new();
        self.place(position, &mut open);
        self.gather_from(search, open)
    }

    fn gather_from(&mut self, search: &mut Search<'_>, mut open: Vec<usize>) -> Result<(), ExtractError> {
        while let Some(at) = open.pop() {
            let position = self.places[at].position;
            let mvs: Vec<Move> = if !self.places[at].is_own {
                position.moves().into_iter().collect()
            } else if self.claim.goal == Goal::Draw && shows_perpetual(&position) {
                self.places[at].moves.push((Step::Circle, None));
                continue;
            } else {
                let mv = self.choose(search, &position);
                vec![mv.ok_or_else(|| ExtractError::Lost(Box::new(position)))?]
            };
            for mv in mvs {
                let target = self.target(&position, mv, &mut open);
                self.places[at].moves.push((Step::Play(mv), target));
            }
        }
        Ok(())
    }

    /// A move that keeps the goal: to where nothing more need be said, else to a position that is taken up already, else
    /// to that which took the least work.
    fn choose(&self, search: &mut Search<'_>, position: &Position) -> Option<Move> {
        let good = self.claim.goal == Goal::Win;
        let find = |search: &Search<'_>| {
            let mut best: Option<(u32, Move)> = None;
            position.each_step(|mv, step| {
                let cost = if step.sowing.kind == MoveKind::Endless {
                    (!good).then_some(0)
                } else if let Some(known) = search.known(&step.position) {
                    (known == good).then_some(0)
                } else if self.index.contains_key(&key_of_pair(&step.position)) {
                    Some(1)
                } else {
                    let entry = search.entry(&step.position);
                    let entry = entry.filter(|entry| entry.numbers.verdict() == Some(good));
                    entry.map(|entry| 2 + u32::from(entry.work))
                };
                if let Some(cost) = cost
                    && best.is_none_or(|(least, _)| cost < least)
                {
                    best = Some((cost, mv));
                }
            });
            let remembered = || {
                let entry = search.entry(position)?;
                entry.mv.filter(|_| entry.numbers.verdict() == Some(good))
            };
            best.map(|(_, mv)| mv).or_else(remembered)
        };
        find(search).or_else(|| {
            search.run(position, AGAIN, |_| false);
            find(search)
        })
    }

    /// Gives every place of the claim's player that is not known to be won all the moves that are known to be good;
    /// whether there were any.
    fn widen(&mut self, search: &mut Search<'_>) -> Result<bool, ExtractError> {
        let (mut open, mut found) = (Vec::new(), false);
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            if !place.is_own || place.rank.is_some() || place.is_wide {
                continue;
            }
            place.is_wide = true;
            let position = place.position;
            for mv in position.moves() {
                let step = position.step(mv);
                let is_good =
                    step.sowing.kind != MoveKind::Endless && search.verdict(&step.position) == Some(true);
                let is_new = self.places[at].moves.iter().all(|(known, _)| *known != Step::Play(mv));
                if is_good && is_new {
                    let target = self.place(step.position, &mut open);
                    self.places[at].moves.push((Step::Play(mv), target));
                    found = true;
                }
            }
        }
        self.gather_from(search, open)?;
        Ok(found)
    }

    /// Counts how far off the win is at every place, and chooses moves that bring it nearer; whether it is known of the
    /// root.
    fn rank(&mut self) -> bool {
        let mut parents = vec![Vec::new(); self.places.len()];
        // Of a place of the other's: targets that are not known to be won.
        let mut missing = vec![0; self.places.len()];
        let mut won = std::collections::VecDeque::new();
        for (at, place) in self.places.iter_mut().enumerate() {
            place.rank = None;
            for &(_, target) in &place.moves {
                if let Some(target) = target {
                    parents[target].push(at);
                    missing[at] += 1;
                }
            }
            let end = place.moves.iter().position(|(_, target)| target.is_none());
            if let (true, Some(end)) = (place.is_own, end) {
                place.chosen = end;
            } else if missing[at] > 0 {
                continue;
            }
            place.rank = Some(1);
            won.push_back(at);
        }
        while let Some(at) = won.pop_front() {
            let rank = self.places[at].rank.map(|rank| rank + 1);
            for &parent in &parents[at] {
                let place = &mut self.places[parent];
                missing[parent] -= 1;
                if place.rank.is_some() || !place.is_own && missing[parent] > 0 {
                    continue;
                }
                if place.is_own {
                    let leads_there = |(_, target): &(Step, Option<usize>)| *target == Some(at);
                    place.chosen = place.moves.iter().position(leads_there).expect("it is a parent");
                }
                place.rank = rank;
                won.push_back(parent);
            }
        }
        self.places.first().is_none_or(|root| root.rank.is_some())
    }

    /// The moves of the claim's player in the order in which [`verify`](Proof::verify) asks for them.
    fn steps(&self, root: &Position) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut seen = vec![false; self.places.len()];
        let mut tasks = vec![*root];
        while let Some(position) = tasks.pop() {
            let Some(&at) = self.index.get(&key_of_pair(&position)) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let place = &self.places[at];
            // It may have been gathered as its mirror image.
            let as_met = |mv: Move| {
                if place.position == position { mv } else { mv.mirrored(position.width()) }
            };
            if !place.is_own {
                for mv in position.moves().iter().rev() {
                    let step = position.step(*mv);
                    if step.sowing.kind != MoveKind::Endless {
                        tasks.push(step.position);
                    }
                }
                continue;
            }
            match place.moves[place.chosen].0 {
                Step::Circle => steps.push(Step::Circle),
                Step::Play(mv) => {
                    let mv = as_met(mv);
                    steps.push(Step::Play(mv));
                    let step = position.step(mv);
                    if step.sowing.kind != MoveKind::Endless {
                        tasks.push(step.position);
                    }
                }
            }
        }
        steps
    }
}
