//! The positions that are judged: met in games, or boards drawn at random.

use std::collections::BTreeMap;

use giuthi_engine::agent::{Clock, Factory, Request};
use giuthi_engine::endgame::tablebase::{Tablebase, Threshold, Value};
use giuthi_engine::opening::{OpeningError, OpeningPlies, random_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Game, Move, MoveKind, Position, Setup, Variant};
use rand::RngExt;
use rand::seq::index;
use rayon::prelude::*;

use super::{Bounded, Event};

/// A position, and what is true of it.
pub(super) struct Problem {
    pub(super) game: Game,
    pub(super) value: Value,
    /// What each legal move comes to, for the player who makes it.
    pub(super) moves: Vec<(Move, Value)>,
}

impl Problem {
    /// Of a position of the tables without a history, in which there is a choice to make: neither over nor a forced pass.
    fn new(tables: &Tablebase, position: Position) -> Option<Problem> {
        let game = Game::from_position(position);
        if game.ending().is_some() || position.moves()[..] == [Move::Pass] {
            return None;
        }
        let lead = position.lead();
        let worth = tables.moves(&position)?.into_iter().map(|each| {
            let repeats = each.step.sowing.kind != MoveKind::Capture && each.step.position == position;
            (each.mv, if repeats { Value::Draw } else { each.thresholds.value(lead) })
        });
        let moves = worth.collect();
        Some(Problem { game, value: tables.value(&position)?, moves })
    }

    /// Whether some legal move gives something away.
    pub(super) fn is_critical(&self) -> bool {
        self.moves.iter().any(|(_, worth)| *worth < self.value)
    }

    /// What a move comes to, for the player who makes it.
    pub(super) fn after(&self, mv: Move) -> Option<Value> {
        self.moves.iter().find(|(each, _)| *each == mv).map(|(_, worth)| *worth)
    }
}

/// Positions by seeds on the board.
pub(super) type Problems = BTreeMap<usize, Vec<Problem>>;

/// Games that are played at a time.
const BLOCK: u64 = 256;
/// Games that are played at most, in games that would do if each gave a position that is wanted.
const ENOUGH: u64 = 20;

/// Positions right after captures of games, at most one a game, so that they do not hang together: where a game has met
/// several that are wanted, one of them, each as likely. Numbers of seeds that games seldom come to may get fewer than were
/// asked for.
pub(super) fn of_games(
    settings: &Bounded<'_>,
    tables: &Tablebase,
    player: &Factory,
    opening: OpeningPlies,
    clock: &dyn Clock,
    observe: &(dyn Fn(Event) + Sync),
) -> Result<Problems, OpeningError> {
    let mut problems: Problems = settings.seeds.clone().map(|seeds| (seeds, Vec::new())).collect();
    let (each, all) = (settings.positions as usize, settings.positions * problems.len() as u64);
    let is_full = |problems: &Problems| problems.values().all(|some| some.len() == each);
    observe(Event::Drawing(all));
    for start in (0..ENOUGH.saturating_mul(all)).step_by(BLOCK as usize) {
        if is_full(&problems) {
            break;
        }
        let met = |number| met_in_game(settings, tables, player, opening, number, clock);
        let games: Result<Vec<_>, OpeningError> = (start..start + BLOCK).into_par_iter().map(met).collect();
        for (chance, mut met) in games? {
            met.retain(|problem| problems[&seeds_of(problem)].len() < each);
            if !met.is_empty() {
                let problem = met.swap_remove((chance % met.len() as u64) as usize);
                problems.get_mut(&seeds_of(&problem)).expect("of the seeds asked for").push(problem);
                observe(Event::Drawn);
            }
        }
    }
    Ok(problems)
}

fn seeds_of(problem: &Problem) -> usize {
    problem.game.position().board().seeds() as usize
}

/// The positions of game `number` that could be judged, and a number by which to choose among them.
fn met_in_game(
    settings: &Bounded<'_>,
    tables: &Tablebase,
    player: &Factory,
    opening: OpeningPlies,
    number: u64,
    clock: &dyn Clock,
) -> Result<(u64, Vec<Problem>), OpeningError> {
    let mut rng = game_rng(settings.seed, number);
    let plies = opening.draw(&mut rng);
    let mut game = random_opening(settings.variant, plies, &mut rng)?;
    let mut agent = player();
    let mut met = Vec::new();
    while game.ending().is_none() && game.position().board().seeds() as usize >= *settings.seeds.start() {
        let mv = match game.position().moves()[..] {
            [only] => only,
            _ => agent.choose(&game, &mut Request::new(&mut rng, clock)).mv,
        };
        let ply = game.play(mv).expect("agents choose legal moves");
        let seeds = game.position().board().seeds() as usize;
        if ply.sowing.kind == MoveKind::Capture && settings.seeds.contains(&seeds) {
            met.extend(Problem::new(tables, *game.position()));
        }
    }
    Ok((rng.random(), met))
}

/// Boards that are drawn for one that has a lead near its thresholds.
const TRIES: u32 = 10_000;

/// Boards of so many seeds, each as likely as any other, with a lead within two seeds of where their value changes and the
/// other seeds of the variant in the piles. Boards that are drawn at any lead there can be are left out.
pub(super) fn of_boards(
    settings: &Bounded<'_>,
    tables: &Tablebase,
    observe: &(dyn Fn(Event) + Sync),
) -> Problems {
    observe(Event::Drawing(settings.positions * settings.seeds.clone().count() as u64));
    let drawn = |seeds: usize| {
        let draw = |number: u64| {
            let problem = drawn_board(settings, tables, seeds, number);
            observe(Event::Drawn);
            problem
        };
        (0..settings.positions).into_par_iter().filter_map(draw).collect()
    };
    settings.seeds.clone().map(|seeds| (seeds, drawn(seeds))).collect()
}

fn drawn_board(settings: &Bounded<'_>, tables: &Tablebase, seeds: usize, number: u64) -> Option<Problem> {
    let mut rng = game_rng(settings.seed, (seeds as u64) << 40 | number);
    let (width, pits) = (settings.variant.width(), settings.variant.pits());
    let captured = (all_seeds(settings.variant) - seeds) as i32;
    for _ in 0..TRIES {
        // Seeds and the walls between pits in a row: where the walls stand says it all.
        let mut walls = index::sample(&mut rng, seeds + pits - 1, pits - 1).into_vec();
        walls.sort_unstable();
        let ends = walls.iter().map(|&wall| wall as i32).chain([(seeds + pits - 1) as i32]);
        let starts = [-1].into_iter().chain(walls.iter().map(|&wall| wall as i32));
        let board: Vec<u32> = starts.zip(ends).map(|(start, end)| (end - start - 1) as u32).collect();
        let to_move = rng.random_range(0..2_u32);
        let (north, south) = (board[..width].to_vec(), board[width..].to_vec());
        let at = |lead: i32| {
            let mut piles = [(captured + lead) / 2, (captured - lead) / 2].map(|seeds| seeds as u32);
            if to_move == 1 {
                piles.reverse();
            }
            let setup = Setup { north: north.clone(), south: south.clone(), piles, to_move };
            Position::try_from(&setup).expect("as many seeds as the variant has")
        };
        let thresholds = tables.probe(&at(captured % 2))?;
        let mut leads: Vec<i32> = [thresholds.win, thresholds.draw]
            .into_iter()
            .filter_map(|threshold| match threshold {
                Threshold::Lead(least) => Some(least - 2..=least + 1),
                _ => None,
            })
            .flatten()
            .filter(|lead| lead.abs() <= captured && (lead - captured) % 2 == 0)
            .collect();
        leads.sort_unstable();
        leads.dedup();
        if !leads.is_empty() {
            let lead = leads[rng.random_range(0..leads.len())];
            if let Some(problem) = Problem::new(tables, at(lead)) {
                return Some(problem);
            }
        }
    }
    None
}

/// All seeds of a variant.
pub(super) fn all_seeds(variant: Variant) -> usize {
    variant.pits() * variant.seeds()
}
