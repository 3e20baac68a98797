//! Games of every kind: rules by every sower and by the slow twin, symmetries, agents.

use giuthi_engine::agent::{AGENTS, NoClock, Request};
use giuthi_engine::perft::tally_by;
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Agent, AgentSpec, Choice, Finish, Game, MoveKind, Playout, Position, Sower};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::Weights;
use crate::rows;
use crate::text::{any_position, any_variant};
use crate::twin::{compare_moves, compare_ply, twin_of};

/// Plies after which a game need not be played further.
const LONG: usize = 400;

/// How a game's moves are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Any.
    Random,
    /// Captures and repetitions mostly put off: the game grows long.
    Long,
    /// Extra moves where there are some.
    Extras,
}

pub(crate) fn case(weights: &Weights, rng: &mut impl rand::Rng) {
    let start = match rng.random_range(0..3) {
        0 => any_position(rng),
        _ => Position::start(any_variant(rng)),
    };
    let style = *[Style::Random, Style::Long, Style::Extras].choose(rng).expect("there are some");
    let spec = spec(weights, start.width(), rng);
    let factory = spec.load(start.width()).expect("its weights are there");
    let mut agent = factory();
    let mut game = Game::from_position(start);
    let mut twin = twin_of(&start);
    while game.ending().is_none() && game.plies().len() < LONG {
        if rng.random_ratio(1, 4) {
            compare_moves(game.position());
            compare_symmetries(game.position());
        }
        if rng.random_ratio(1, 16) {
            rows::compare(game.position());
        }
        if rng.random_ratio(1, 16) {
            compare_sowers(&game, rng);
        }
        if rng.random_ratio(1, 12) {
            // One who has seen the game, and now and then one who has not.
            if rng.random_ratio(1, 4) {
                agent = factory();
            }
            ask(&spec, &mut *agent, &game, rng);
        }
        let moves = game.position().moves();
        let mut mv = moves[rng.random_range(0..moves.len())];
        for _ in 0..8 {
            let step = game.position().step(mv);
            let repeats = game.recent().contains(&step.position);
            let good = match (style, step.sowing.kind) {
                (Style::Random, _) | (Style::Extras, MoveKind::Extra) => true,
                (Style::Long, kind) => kind != MoveKind::Capture && !repeats,
                (Style::Extras, _) => false,
            };
            if good {
                break;
            }
            mv = moves[rng.random_range(0..moves.len())];
        }
        compare_ply(&mut game, &mut twin, mv);
    }
    if rng.random_ratio(1, 8) {
        compare_replay(game, start);
    }
}

/// An agent that thinks for a short while.
fn spec(weights: &Weights, width: usize, rng: &mut impl rand::Rng) -> AgentSpec {
    let net = format!(",net={}", weights.path(width).display());
    let net = if Weights::WIDTHS.contains(&width) && rng.random_ratio(1, 4) { &net } else { "" };
    let text = match rng.random_range(0..6) {
        0 => AGENTS.choose(rng).and_then(|kind| kind.examples.choose(rng)).unwrap_or(&"random").to_string(),
        1 => format!("ab:depth={}{net}", rng.random_range(1..=4)),
        2 => format!("ab:nodes={}{net}", rng.random_range(1..=3000)),
        3 => format!("ab:nodes={},hash={}{net}", rng.random_range(1..=3000), rng.random_range(0..=1)),
        4 => format!("mcts:sims={}{net}", rng.random_range(1..=300)),
        _ => "greedy".to_owned(),
    };
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Asks for a move and checks all that an agent promises of its choice.
fn ask(spec: &AgentSpec, agent: &mut dyn Agent, game: &Game, rng: &mut impl rand::Rng) {
    let check = |choice: &Choice| {
        let told = || format!("{spec} in {} after {} plies: {choice:?}", game.position(), game.plies().len());
        assert_eq!(game.position().check(choice.mv), Ok(()), "{}", told());
        assert!(choice.value.is_none_or(|value| (-1.0..=1.0).contains(&value)), "{}", told());
        if !choice.line.is_empty() {
            assert_eq!(choice.line[0], choice.mv, "{}", told());
            assert_eq!(game.clone().play_all(&choice.line), Ok(()), "{}", told());
        }
    };
    let mut observe = |choice: &Choice| check(choice);
    let mut request = Request::new(rng, &NoClock);
    request.observe = Some(&mut observe);
    let choice = agent.choose(game, &mut request);
    check(&choice);
}

/// The mirrored board has the mirrored moves, the other seat the same ones.
fn compare_symmetries(position: &Position) {
    let width = position.width();
    let (mirror, other) = (position.mirrored(), position.swapped());
    assert_eq!((mirror.mirrored(), other.swapped()), (*position, *position));
    let count = position.moves().len();
    assert_eq!((mirror.moves().len(), other.moves().len()), (count, count), "{position}");
    for mv in position.moves() {
        let here = position.step(mv);
        let there = mirror.play(mv.mirrored(width)).expect("legal as well");
        assert_eq!(
            (there.sowing, there.position),
            (here.sowing, here.position.mirrored()),
            "{position} {mv}"
        );
        let there = other.play(mv.swapped(width)).expect("legal as well");
        assert_eq!((there.sowing, there.position), (here.sowing, here.position.swapped()), "{position} {mv}");
    }
    let text = position.to_string();
    assert_eq!(text.parse(), Ok(*position), "{text}");
}

/// Random games and lines of play from here, by every sower.
fn compare_sowers(game: &Game, rng: &mut impl rand::Rng) {
    let at = game.position();
    let (seed, count, depth) = (rng.random(), rng.random_range(1..=90), rng.random_range(1..=2));
    let mut playout = Playout::new();
    let [vector, portable, plain] = Sower::ALL.map(|sower| {
        let mut finishes = vec![Finish::NONE; count];
        playout.play_each_by(sower, game.recent(), &mut game_rng(seed, 0), &mut finishes);
        (finishes, tally_by(sower, game, depth))
    });
    assert_eq!(vector, plain, "{count} games, {depth} plies from {at}");
    assert_eq!(portable, plain, "{count} games, {depth} plies from {at}");
}

/// Back to the start, and forth again.
fn compare_replay(mut game: Game, start: Position) {
    let end = game.clone();
    let moves: Vec<_> = game.plies().iter().map(|ply| ply.mv).collect();
    while game.undo().is_some() {}
    assert_eq!((*game.position(), game.recent()), (start, &[start][..]));
    assert_eq!(game.play_all(&moves), Ok(()));
    assert_eq!((game.position(), game.plies(), game.recent()), (end.position(), end.plies(), end.recent()));
    assert_eq!((game.ending(), game.outcome()), (end.ending(), end.outcome()));
}
