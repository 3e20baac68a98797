//! Monte-Carlo tree search: what it proves is so, it keeps its limits, its tree and its wits.

mod clocks;
mod networks;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clocks::Ticking;
use giuthi_engine::agent::{NoClock, Request};
use giuthi_engine::net::Quantised;
use giuthi_engine::opening::random_opening;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::search::{
    Control, Judge, Limits, MAX_DEPTH, Material, Mcts, MctsReport, Memory, SimLimits, alpha_beta,
    holds_perpetual,
};
use giuthi_engine::{AgentSpec, Game, Outcome, Player, Position, Setup, Variant};
use rand::RngExt;

fn search_in(tree: &mut Mcts, game: &Game, sims: u64, seed: u64) -> MctsReport {
    let limits = SimLimits { sims: Some(sims), time: None };
    tree.search(game, &limits, &Control::new(&NoClock), &mut game_rng(seed, 0), |_| {})
}

fn search(game: &Game, sims: u64, seed: u64) -> MctsReport {
    search_in(&mut Mcts::new(Judge::Playout, 0.2), game, sims, seed)
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

/// The result with best play for the player to move, by nothing but the rules; `None` when the budget of positions is
/// spent.
fn minimax(game: &mut Game, budget: &mut u32) -> Option<i8> {
    let mover = game.position().to_move();
    if let Some(outcome) = game.outcome() {
        return Some(outcome.result_for(mover));
    }
    *budget = budget.checked_sub(1)?;
    let mut best = -1;
    for mv in game.position().moves() {
        game.play(mv).expect("a listed move is legal");
        let sign = if game.position().to_move() == mover { 1 } else { -1 };
        let result = minimax(game, budget);
        game.undo();
        best = best.max(sign * result?);
        if best == 1 {
            break;
        }
    }
    Some(best)
}

/// Values are kept within what is proven, so that they tell the bounds: one below 0 is of somebody who has no draw
/// in hand, and one that is 0 for certain is a draw.
#[test]
fn bounds_never_contradict_plain_minimax() {
    let (mut compared, mut kept, mut held, mut open) = ([0; 3], 0, 0, 0);
    for (number, variant) in ["2x5x4", "2x6x4", "2x8x4"].into_iter().enumerate() {
        let mut rng = game_rng(8, number as u64);
        for _ in 0..300 {
            let mut game = late(variant.parse().unwrap(), rng.random_range(1..14), &mut rng);
            let Some(truth) = minimax(&mut game, &mut 20_000) else { continue };
            let told = format!("{} after {} plies", game.position(), game.plies().len());
            if holds_perpetual(game.position()) {
                assert!(truth >= 0, "{told}");
                held += 1;
            }
            let judge = if rng.random() { Judge::Playout } else { Judge::Material };
            let mut tree = Mcts::new(judge, 0.2);
            for sims in [1, 2, 5, 20, 100] {
                if game.ending().is_some() {
                    break;
                }
                let report = search_in(&mut tree, &game, sims, 1);
                if report.proven {
                    assert_eq!(report.value, f32::from(truth), "{told}: {report:?}");
                    // The move that it plays keeps what it proved.
                    let mut next = game.clone();
                    let mover = next.position().to_move();
                    next.play(report.line[0]).expect("a legal move");
                    let sign = if next.position().to_move() == mover { 1 } else { -1 };
                    if let Some(result) = minimax(&mut next, &mut 200_000) {
                        assert_eq!(sign * result, truth, "{told}: {report:?}");
                        kept += 1;
                    }
                    compared[(truth + 1) as usize] += 1;
                } else {
                    open += 1;
                }
                if holds_perpetual(game.position()) {
                    assert!(report.value >= 0.0, "{told}: {report:?}");
                }
            }
        }
    }
    let told = format!("{compared:?} compared, {kept} moves, {open} left open, {held} held a perpetual");
    assert!(compared.iter().all(|&count| count > 50) && kept > 500 && open > 50 && held > 50, "{told}");
}

/// Plays a game from a position to its end: one search against anybody who plays the worst for it that a shallow
/// alpha-beta finds. The result for the search's player, who is to move at the start.
fn play_out(start: &Position, sims: u64, seed: u64) -> i8 {
    let searcher = start.to_move();
    let mut game = Game::from_position(*start);
    let mut tree = Mcts::new(Judge::Playout, 0.2);
    let mut opponent = "ab:depth=4".parse::<AgentSpec>().unwrap().load(start.width()).unwrap()();
    let mut rng = game_rng(seed, 0);
    while game.ending().is_none() {
        let mv = if game.position().to_move() == searcher {
            search_in(&mut tree, &game, sims, seed).line[0]
        } else {
            opponent.choose(&game, &mut Request::new(&mut rng, &NoClock)).mv
        };
        game.play(mv).expect("a legal move");
    }
    game.outcome().expect("the game is over").result_for(searcher)
}

/// Positions of random games, some seeds from the end, whose player to move is far behind but holds a perpetual: all
/// moves that do not keep it lose, by plain minimax.
fn only_the_circle_draws() -> Vec<Position> {
    let mut found = Vec::new();
    for number in 0..3000 {
        let mut rng = game_rng(9, number);
        let game = late("2x6x4".parse().unwrap(), rng.random_range(3..12), &mut rng);
        let start = *game.position();
        if !holds_perpetual(&start) || start.lead() > -8 {
            continue;
        }
        let mover = start.to_move();
        let (mut keeping, mut losing) = (0, 0);
        for mv in start.moves() {
            let mut next = Game::from_position(start);
            next.play(mv).expect("a listed move is legal");
            let same = next.position().to_move() == mover;
            if same && (next.ending().is_some() || holds_perpetual(next.position())) {
                keeping += 1;
            } else if minimax(&mut next, &mut 20_000) == Some(if same { -1 } else { 1 }) {
                losing += 1;
            }
        }
        if keeping > 0 && losing > 0 && keeping + losing == start.moves().len() {
            found.push(start);
        }
    }
    found
}

#[test]
fn who_holds_a_perpetual_keeps_the_draw() {
    let positions = only_the_circle_draws();
    assert!(positions.len() > 10, "{} positions", positions.len());
    for start in &positions {
        for sims in [1, 30, 400] {
            let report = search(&Game::from_position(*start), sims, 2);
            assert!(report.value >= 0.0, "{start}: {report:?}");
            assert!(play_out(start, sims, 3) >= 0, "{start}: lost with {sims} simulations");
        }
    }
}

#[test]
fn a_draw_in_hand_is_given_up_only_for_something_better() {
    let (mut kept, mut given_up) = (0, 0);
    for number in 0..1500 {
        let mut rng = game_rng(10, number);
        let game = random_opening("2x8x4".parse().unwrap(), rng.random_range(4..24), &mut rng);
        let Some(game) = game.ok().filter(|game| holds_perpetual(game.position())) else { continue };
        let report = search(&game, rng.random_range(1..60), 5);
        let mut next = game.clone();
        next.play(report.line[0]).expect("a legal move");
        let same = next.position().to_move() == game.position().to_move();
        let on_the_circle = same && holds_perpetual(next.position());
        if next.ending().is_some() || on_the_circle || proven(&next, 300) == Some(0) {
            kept += 1;
        } else {
            assert!(report.value > 0.0, "{}: {report:?}", game.position());
            given_up += 1;
        }
    }
    assert!(kept > 50 && given_up > 50, "{kept} kept, {given_up} given up");
}

#[test]
fn a_perpetual_of_the_opponent_is_no_more_than_a_draw() {
    let mut seen = 0;
    for start in only_the_circle_draws() {
        // The other player, who leads, passes to it: their row cannot be sown.
        let row =
            |player| start.board().row(player).iter().map(|&seeds| u32::from(seeds)).collect::<Vec<_>>();
        let mover = start.to_move();
        let flat: Vec<u32> = row(mover.opponent()).iter().map(|&seeds| seeds.min(1)).collect();
        let (north, south) = if mover == Player::North { (row(mover), flat) } else { (flat, row(mover)) };
        let piles = start.piles().map(u32::from);
        let setup = Setup { north, south, piles, to_move: mover.opponent().index() as u32 };
        let position = Position::try_from(&setup).expect("a board");
        assert!(holds_perpetual(
            &position.moves()[..].first().map(|&pass| position.step(pass).position).unwrap()
        ));
        let report = search(&Game::from_position(position), 50, 4);
        assert!(report.value <= 0.0, "{position}: {report:?}");
        seen += 1;
    }
    assert!(seen > 10, "{seen} positions");
}

#[test]
fn a_repetition_on_the_board_is_seen_as_a_draw() {
    // Player 1 can come back by the last of these moves to where the first one led.
    let start: Position = "0,0,0,2,2 3,0,5,1,1 0 0 1".parse().unwrap();
    let moves = ["4cw", "3cw", "2cw", "1ccw"].map(|mv| mv.parse().unwrap());
    let mut game = Game::from_position(start);
    game.play_all(&moves).expect("legal moves");
    let mut tree = Mcts::new(Judge::Playout, 0.2);
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
    let on_wide_rows = points("2x8x8", ["mcts:sims=200", "greedy"], 20);
    assert!(on_wide_rows > 26.0, "{on_wide_rows} of 40");
    let many_against_few = points("2x6x4", ["mcts:sims=800", "mcts:sims=50"], 40);
    assert!(many_against_few > 46.0, "{many_against_few} of 80");
}

#[test]
fn the_tree_is_kept_while_the_game_goes_on() {
    let start = Game::new("2x6x4".parse().unwrap());
    let mut tree = Mcts::new(Judge::Playout, 0.2);
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

#[test]
fn a_large_tree_is_kept_only_as_far_as_there_is_time() {
    let start = Game::new(Variant::default());
    let mut tree = Mcts::new(Judge::Material, 0.2);
    let first = search_in(&mut tree, &start, 6_000, 1);
    let mut next = start.clone();
    next.play_all(&first.line[..1]).expect("its line can be played");
    let limits = SimLimits { sims: None, time: Some(Duration::from_millis(2)) };
    let clock = Ticking::default();
    let report = tree.search(&next, &limits, &Control::new(&clock), &mut game_rng(1, 0), |_| {});
    // One look at the start, two while the tree was kept, the last after the simulations.
    assert_eq!((clock.0.into_inner(), report.sims), (4, 4), "{report:?}");
    assert_eq!(next.clone().play_all(&report.line), Ok(()));
    // What was cut off grows again.
    let report = search_in(&mut tree, &next, 2_000, 2);
    assert_eq!(next.clone().play_all(&report.line), Ok(()));
    assert!(report.depth > 3, "{report:?}");
}

#[test]
fn limits_are_kept() {
    let mut rng = game_rng(6, 0);
    let game = random_opening(Variant::default(), 8, &mut rng).expect("it goes on");
    let choose_in = |game: &Game, spec: &str, limits: Option<Limits>, stop: Option<&AtomicBool>| {
        let clock = Ticking::default();
        let mut told = Vec::new();
        let mut observe = |choice: &giuthi_engine::Choice| told.push(choice.nodes);
        let mut rng = game_rng(6, 1);
        let mut request = Request::new(&mut rng, &clock);
        request.limits = limits;
        request.stop = stop;
        request.observe = Some(&mut observe);
        let mut agent = spec.parse::<AgentSpec>().unwrap().load(game.position().width()).unwrap()();
        let choice = agent.choose(game, &mut request);
        assert!(told.is_sorted() && told.iter().all(|&nodes| nodes < choice.nodes), "{told:?}: {choice:?}");
        (choice.nodes, clock.0.into_inner())
    };
    let choose = |spec: &str, limits, stop| choose_in(&game, spec, limits, stop);
    let nodes = |nodes: u64| Some(Limits { nodes: Some(nodes), ..Limits::default() });
    for sims in [1, 2, 15, 16, 17, 300] {
        assert_eq!(choose(&format!("mcts:sims={sims}"), None, None).0, sims);
        assert_eq!(choose("mcts:sims=1000", nodes(sims), None).0, sims);
    }
    // A look at the start, and one after every fourth simulation; on wide boards, after each.
    assert!("mcts:ms=20".parse::<AgentSpec>().unwrap().clocked());
    assert_eq!(choose("mcts:ms=20", None, None), (80, 21));
    let wide = Game::new("2x10x9".parse().unwrap());
    assert_eq!(choose_in(&wide, "mcts:ms=20", None, None), (20, 21));
    assert_eq!(choose("mcts:ms=20,sims=50", None, None).0, 50);
    let time = Limits { time: Some(Duration::from_millis(5)), ..Limits::default() };
    assert_eq!(choose("mcts:sims=1000", Some(time), None).0, 20);
    assert_eq!(choose("mcts:sims=40", Some(Limits { depth: Some(3), ..Limits::default() }), None).0, 40);
    let stop = AtomicBool::new(true);
    assert_eq!(choose("mcts:sims=1000", None, Some(&stop)).0, 4);
    assert_eq!(choose("mcts:sims=1000", Some(Limits::default()), Some(&stop)).0, 4);
}

#[test]
fn a_network_judges_instead_of_playouts() {
    let game = Game::new("2x6x4".parse().unwrap());
    let network = Arc::new(Quantised::new(&networks::network(6, [8, 4], &mut game_rng(7, 0))));
    let by_network =
        |seed| search_in(&mut Mcts::new(Judge::Network(Arc::clone(&network)), 0.2), &game, 300, seed);
    assert_eq!(by_network(1), by_network(2), "a network draws nothing");
    assert_ne!(by_network(1), search(&game, 300, 1));
    assert_ne!(search(&game, 300, 1), search(&game, 300, 2));
}

/// However few the simulations: a move that is proven to lose is not taken where another is not, and nothing is called
/// lost that is not.
#[test]
fn few_simulations_do_not_choose_a_proven_loss() {
    let mut rng = game_rng(31, 0);
    let mut mixed = 0;
    for round in 0..20_000 {
        let width = rng.random_range(5..=7);
        let pits: Vec<u32> = (0..2 * width).map(|_| [0, 0, 0, 0, 1, 1, 2][rng.random_range(0..7)]).collect();
        let (north, south) = pits.split_at(width);
        let piles = [rng.random_range(0..6), rng.random_range(0..6)];
        let setup = Setup { north: north.to_vec(), south: south.to_vec(), piles, to_move: round % 2 };
        let game = Game::from_position(Position::try_from(&setup).expect("within the bounds"));
        if game.ending().is_some() {
            continue;
        }
        for sims in 1..=3 {
            let report = search(&game, sims, u64::from(round));
            assert!(report.value > -1.0 || report.proven, "{}: {report:?}", game.position());
            assert!(!(report.value == 0.0 && report.value.is_sign_negative()), "{}", game.position());
            // Whether a child loses on the spot is known before it is visited.
            let loses = |mv| {
                let mut after = game.clone();
                after.play(mv).expect("legal");
                after.outcome().is_some_and(|end| end.result_for(game.position().to_move()) < 0)
            };
            let moves = game.position().moves();
            let losing = moves.iter().filter(|&&mv| loses(mv)).count();
            assert!(!loses(report.line[0]) || losing == moves.len() || report.proven, "{report:?}");
            mixed += u32::from(losing > 0 && losing < moves.len());
        }
    }
    assert!(mixed > 100, "{mixed} positions with moves that lose and others");
}
