//! Monte-Carlo tree search: what it proves is so, it keeps its limits, its tree and its wits.

mod networks;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use giuthi_engine::agent::{NoClock, Request};
use giuthi_engine::net::Quantised;
use giuthi_engine::opening::random_opening;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::search::{
    Control, Judge, Limits, MAX_DEPTH, Material, Mcts, MctsReport, Memory, SimLimits, alpha_beta,
};
use giuthi_engine::{AgentSpec, Clock, Game, Outcome, Position, Setup, Variant};
use rand::RngExt;

fn search_in(tree: &mut Mcts, game: &Game, sims: u64, seed: u64) -> MctsReport {
    let limits = SimLimits { sims: Some(sims), time: None };
    tree.search(game, &limits, &Control::new(&NoClock), &mut game_rng(seed, 0), |_| {})
}

fn search(game: &Game, sims: u64, seed: u64) -> MctsReport {
    search_in(&mut Mcts::new(Judge::Playout, 1.0), game, sims, seed)
}

/// What it proves of a game for its player to move.
fn proven(game: &Game, sims: u64) -> Option<i8> {
    if let Some(outcome) = game.outcome() {
        return Some(outcome.result_for(game.position().to_move()));
    }
    let report = search(game, sims, 1);
    assert_eq!(game.clone().play_all(&report.line), Ok(()), "{}: {report:?}", game.position());
    report.proven.then_some(report.value as i8)
}

#[test]
fn proven_endgames_agree_with_the_golden_samples() {
    let (mut rows, mut solved, mut moves) = (0, [0; 3], 0);
    for width in [5, 6, 8] {
        let path = format!("{}/tests/golden/endgame_2x{width}_samples.csv", env!("CARGO_MANIFEST_DIR"));
        for row in csv::Reader::from_path(&path).expect("the golden file is there").into_records() {
            let row = row.expect("a whole row");
            let line = row.position().expect("a row read has a place").line();
            let pits: Vec<u32> = row[2].split(' ').map(|seeds| seeds.parse().expect("a number")).collect();
            // Of a lead beyond all that can be captured the outcome is told by infinity.
            let threshold = |text: &str| text.parse::<f64>().expect("a lead or an infinite one");
            let (win, draw) = (threshold(&row[3]), threshold(&row[4]));
            let near = [win, draw].into_iter().filter(|lead| lead.is_finite());
            let leads = near.flat_map(|lead| [lead as i32 - 1, lead as i32]).chain([-3, 0, 3]);
            for lead in leads {
                let (north, south) = pits.split_at(width);
                let piles = [(-lead).max(0) as u32, lead.max(0) as u32];
                let setup = Setup { north: north.to_vec(), south: south.to_vec(), piles, to_move: 1 };
                let game = Game::from_position(Position::try_from(&setup).expect("a board"));
                let golden = i8::from(f64::from(lead) >= win) - i8::from(f64::from(lead) < draw);
                let Some(value) = proven(&game, 1_500) else { continue };
                assert_eq!(value, golden, "{path}:{line}: at lead {lead} (search left, file right)");
                solved[(value + 1) as usize] += 1;
                if lead == 0 && game.ending().is_none() {
                    let mv = search(&game, 1_500, 1).line[0].to_string();
                    assert!(row[6].split(' ').any(|best| best == mv), "{path}:{line}: {mv} is not best");
                    moves += 1;
                }
            }
            rows += 1;
        }
    }
    assert_eq!(rows, 17 + 76 + 100);
    assert!(moves > 50 && solved.iter().all(|&count| count > 100), "solved: {solved:?}, {moves} moves");
}

/// A random game taken back to where few seeds are left or few plies to come.
fn late(variant: Variant, back: usize, rng: &mut impl rand::Rng) -> Game {
    let mut game = Game::new(variant);
    while game.ending().is_none() {
        let mv = random_move(game.position(), rng).expect("the game goes on");
        game.play(mv).expect("a listed move is legal");
    }
    for _ in 0..back {
        game.undo();
    }
    game
}

#[test]
fn what_is_proven_with_a_history_is_what_alpha_beta_proves() {
    let (mut compared, mut by_history) = ([0; 3], 0);
    for (number, variant) in ["2x5x4", "2x5x6", "2x6x4"].into_iter().enumerate() {
        let mut rng = game_rng(2, number as u64);
        for _ in 0..150 {
            let game = late(variant.parse().unwrap(), rng.random_range(1..8), &mut rng);
            let Some(value) = proven(&game, 600) else { continue };
            let limits = Limits { nodes: Some(200_000), ..Limits::default() };
            let report =
                alpha_beta(&game, &Material, &mut Memory::new(0), &limits, &Control::new(&NoClock), |_| {});
            let solved = report.score.is_decisive() || report.nodes < 200_000 && report.depth < MAX_DEPTH;
            if solved {
                assert_eq!(f32::from(value), report.score.value(), "{}", game.position());
                compared[(value + 1) as usize] += 1;
                let forgetful = Game::from_position(*game.position());
                by_history += u32::from(proven(&forgetful, 600).is_some_and(|other| other != value));
            }
        }
    }
    let told = format!("{compared:?} compared, {by_history} by their history");
    assert!(compared.iter().all(|&count| count > 10) && by_history > 0, "{told}");
}

#[test]
fn a_repetition_on_the_board_is_seen_as_a_draw() {
    // Player 1 can come back by the last of these moves to where the first one led.
    let start: Position = "0,0,0,2,2 3,0,5,1,1 0 0 1".parse().unwrap();
    let moves = ["4cw", "3cw", "2cw", "1ccw"].map(|mv| mv.parse().unwrap());
    let mut game = Game::from_position(start);
    game.play_all(&moves).expect("legal moves");
    let mut tree = Mcts::new(Judge::Playout, 1.0);
    let report = search_in(&mut tree, &game, 5_000, 1);
    assert!(report.value >= 0.0, "a draw is there to be taken: {report:?}");
}

/// Points out of `2 * pairs` games of a spec against another, each opening from both seats.
fn points(variant: &str, specs: [&str; 2], pairs: u64) -> f64 {
    let variant: Variant = variant.parse().unwrap();
    let factories = specs.map(|spec| spec.parse::<AgentSpec>().unwrap().load(variant.width()).unwrap());
    let mut points = 0.0;
    for number in 0..pairs {
        for first in [0, 1] {
            let mut rng = game_rng(3, number);
            let mut game = random_opening(variant, 4, &mut rng).expect("short openings do not end the game");
            let mut agents = [factories[0](), factories[1]()];
            while game.ending().is_none() {
                let agent = &mut agents[game.position().to_move().index() ^ first];
                let choice = agent.choose(&game, &mut Request::new(&mut rng, &NoClock));
                game.play(choice.mv).expect("a legal move");
            }
            points += match game.outcome().expect("the game is over") {
                Outcome::Draw => 0.5,
                Outcome::Win(winner) => f64::from(u8::from(winner.index() ^ first == 0)),
            };
        }
    }
    points
}

#[test]
fn it_plays_better_than_those_that_do_not_search() {
    let against_random = points("2x6x4", ["mcts:sims=100", "random"], 40);
    assert!(against_random > 66.0, "{against_random} of 80");
    let against_greedy = points("2x6x4", ["mcts:sims=800", "greedy"], 40);
    assert!(against_greedy > 48.0, "{against_greedy} of 80");
    let many_against_few = points("2x6x4", ["mcts:sims=800", "mcts:sims=50"], 40);
    assert!(many_against_few > 46.0, "{many_against_few} of 80");
}

#[test]
fn the_tree_is_kept_while_the_game_goes_on() {
    let start = Game::new("2x6x4".parse().unwrap());
    let mut tree = Mcts::new(Judge::Playout, 1.0);
    let first = search_in(&mut tree, &start, 4_000, 1);
    assert!(!first.proven);
    let mut next = start.clone();
    next.play_all(&first.line[..2]).expect("its line can be played");
    assert_eq!(search(&next, 1, 2).line.len(), 1, "without a tree one simulation knows one move");
    let kept = search_in(&mut tree, &next, 1, 2);
    assert!(kept.line.len() > 1, "{kept:?}");
    // Asked again, it knows as much; asked of another game, nothing.
    assert!(search_in(&mut tree, &next, 1, 3).line.len() > 1);
    let other = Game::from_position(*next.position());
    assert_eq!(search_in(&mut tree, &other, 300, 4), search(&other, 300, 4));
    // A game that was taken back is another game.
    assert_eq!(search_in(&mut tree, &start, 300, 5), search(&start, 300, 5));
}

/// A clock that goes on by a millisecond each time somebody looks at it.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn limits_are_kept() {
    let mut rng = game_rng(6, 0);
    let game = random_opening(Variant::default(), 8, &mut rng).expect("it goes on");
    let choose = |spec: &str, limits: Option<Limits>, stop: Option<&AtomicBool>| {
        let clock = Ticking::default();
        let mut told = Vec::new();
        let mut observe = |choice: &giuthi_engine::Choice| told.push(choice.nodes);
        let mut rng = game_rng(6, 1);
        let mut request = Request::new(&mut rng, &clock);
        request.limits = limits;
        request.stop = stop;
        request.observe = Some(&mut observe);
        let choice = spec.parse::<AgentSpec>().unwrap().load(8).unwrap()().choose(&game, &mut request);
        assert!(told.is_sorted() && told.iter().all(|&nodes| nodes < choice.nodes), "{told:?}: {choice:?}");
        (choice.nodes, clock.0.into_inner())
    };
    let nodes = |nodes: u64| Some(Limits { nodes: Some(nodes), ..Limits::default() });
    for sims in [1, 2, 15, 16, 17, 300] {
        assert_eq!(choose(&format!("mcts:sims={sims}"), None, None).0, sims);
        assert_eq!(choose("mcts:sims=1000", nodes(sims), None).0, sims);
    }
    // A look at the start, and one after every sixteen simulations.
    assert!("mcts:ms=20".parse::<AgentSpec>().unwrap().clocked());
    assert_eq!(choose("mcts:ms=20", None, None), (320, 21));
    assert_eq!(choose("mcts:ms=20,sims=100", None, None).0, 100);
    let time = Limits { time: Some(Duration::from_millis(5)), ..Limits::default() };
    assert_eq!(choose("mcts:sims=1000", Some(time), None).0, 80);
    assert_eq!(choose("mcts:sims=40", Some(Limits { depth: Some(3), ..Limits::default() }), None).0, 40);
    let stop = AtomicBool::new(true);
    assert_eq!(choose("mcts:sims=1000", None, Some(&stop)).0, 16);
    assert_eq!(choose("mcts:sims=1000", Some(Limits::default()), Some(&stop)).0, 16);
}

#[test]
fn a_network_judges_instead_of_playouts() {
    let game = Game::new("2x6x4".parse().unwrap());
    let network = Arc::new(Quantised::new(&networks::network(6, [8, 4], &mut game_rng(7, 0))));
    let by_network =
        |seed| search_in(&mut Mcts::new(Judge::Network(Arc::clone(&network)), 1.0), &game, 300, seed);
    assert_eq!(by_network(1), by_network(2), "a network draws nothing");
    assert_ne!(by_network(1), search(&game, 300, 1));
    assert_ne!(search(&game, 300, 1), search(&game, 300, 2));
}
