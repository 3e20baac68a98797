//! Agents that have tables (`tb=DIR`): they never lose what the tables say they have, and what they prove is so.

use giuthi_engine::agent::{NoClock, Request};
use giuthi_engine::endgame::tablebase::{Index, Size, Tablebase, Value};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Agent, AgentSpec, Game, Player, Variant};
use rand::{Rng, RngExt};
use tempfile::TempDir;

use super::{built, position};

/// An agent, its spec completed by a folder of tables where it ends in `tb=`.
fn agent(spec: &str, dir: &TempDir) -> Box<dyn Agent> {
    let spec = match spec.strip_suffix("tb=") {
        Some(_) => format!("{spec}{}", dir.path().display()),
        None => spec.to_owned(),
    };
    spec.parse::<AgentSpec>().unwrap().load(5).unwrap()()
}

/// Plays a game to its end between agents, player 0 first.
fn play(game: &mut Game, agents: &mut [Box<dyn Agent>; 2], rng: &mut dyn Rng, mut before: impl FnMut(&Game)) {
    while game.ending().is_none() {
        before(game);
        let mover = game.position().to_move().index();
        let choice = agents[mover].choose(game, &mut Request::new(rng, &NoClock));
        game.play(choice.mv).unwrap();
    }
}

#[test]
fn a_thousand_games_and_no_value_is_lost() {
    let dir = TempDir::new().unwrap();
    built(dir.path(), 5, 10).unwrap();
    let tables = Tablebase::open(dir.path()).unwrap();
    let variant: Variant = "2x5x2".parse().unwrap();
    let (mut kept, mut turned, mut number) = ([0; 3], 0, 0);
    for spec in ["ab:depth=1,tb=", "ab:nodes=60,tb=", "mcts:sims=8,tb=", "mcts:sims=8,playouts=0,tb="] {
        for opponent in ["random", "ab:depth=2", "mcts:sims=8,tb="] {
            for _ in 0..84 {
                number += 1;
                let mut rng = game_rng(4, number);
                let seat = Player::BOTH[number as usize % 2];
                let mut agents = [agent(spec, &dir), agent(opponent, &dir)];
                if seat == Player::North {
                    agents.reverse();
                }
                // From the start, or from a board of the tables with any lead.
                let mut game = Game::new(variant);
                if number % 3 != 0 {
                    let seeds = rng.random_range(4..=10);
                    let index = Index::new(5);
                    let board = index.board(seeds, rng.random_range(0..index.boards(seeds)));
                    let pile = rng.random_range(0..=20);
                    game = Game::from_position(position(&board[..10], [pile, 20 - pile]));
                }
                let mut most = Value::Loss;
                let mut sure = false;
                play(&mut game, &mut agents, &mut rng, |game| {
                    let Some(advice) = tables.advise(game) else { return };
                    let mine = game.position().to_move() == seat;
                    let value = if mine { advice.value } else { -advice.value };
                    // An uncertain win is a draw at least, an uncertain loss nothing.
                    let value = match value {
                        Value::Win if !advice.is_certain => Value::Draw,
                        value => value,
                    };
                    assert!(value >= most, "{spec} against {opponent}: {:?}", game.plies());
                    turned += i32::from(sure && value > most);
                    (most, sure) = (value, true);
                });
                let result = game.outcome().unwrap().result_for(seat);
                assert!(result >= most as i8 - 1, "{spec} against {opponent}: {:?}", game.plies());
                kept[most as usize] += 1;
            }
        }
    }
    assert!(number > 1000 && kept.iter().all(|&games| games > 50) && turned > 50, "{kept:?}, {turned}");
}

#[test]
fn what_a_search_proves_with_tables_is_so() {
    let dir = TempDir::new().unwrap();
    built(dir.path(), 5, 7).unwrap();
    let larger = Tablebase::solve(Size { pits: 5, seeds: 10 }).unwrap();
    let index = Index::new(5);
    let rng = &mut game_rng(5, 0);
    for (spec, at_least) in [("ab:depth=3,tb=", 300), ("mcts:sims=60,tb=", 300)] {
        let mut agent = agent(spec, &dir);
        let mut proven = 0;
        for _ in 0..800 {
            let seeds = rng.random_range(8..=10);
            let board = index.board(seeds, rng.random_range(0..index.boards(seeds)));
            let at = position(&board[..10], [rng.random_range(0..10), rng.random_range(0..10)]);
            let game = Game::from_position(at);
            if game.ending().is_some() {
                continue;
            }
            let choice = agent.choose(&game, &mut Request::new(rng, &NoClock));
            let value = choice.value.unwrap();
            if value.abs() == 1.0 {
                proven += 1;
                assert_eq!(f32::from(larger.value(&at).unwrap() as i8 - 1), value, "{spec}: {at}");
            }
        }
        assert!(proven > at_least, "{spec} proves {proven}");
    }
}

#[test]
fn an_agent_without_its_tables_says_why() {
    let dir = TempDir::new().unwrap();
    let spec: AgentSpec = format!("ab:depth=1,tb={}", dir.path().display()).parse().unwrap();
    let error = spec.load(5).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("tb=: ") && error.contains("no `manifest.json`"), "{error}");
    built(dir.path(), 5, 2).unwrap();
    let error = spec.load(8).map(drop).unwrap_err();
    assert!(error.is_of_width());
    let error = error.to_string();
    assert!(error.ends_with("tables of boards with rows of 5 pits, but the board has rows of 8"), "{error}");
    assert!(spec.load(5).is_ok());
}
