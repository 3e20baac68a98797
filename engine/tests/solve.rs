//! The solver against a slow twin, and its proofs against the check.

mod positions;

use std::collections::HashMap;

use giuthi_engine::endgame::Value;
use giuthi_engine::endgame::solve::{
    Claim, FlawKind, Goal, Oracle, Proof, Solution, SolveLimits, Solver, Step,
};
use giuthi_engine::endgame::tablebase::{self, Tablebase};
use giuthi_engine::{Game, Move, MoveKind, Outcome, Player, Position, Variant};
use rand::RngExt;

const FREE: SolveLimits = SolveLimits { nodes: u64::MAX, parallel: false };

fn solve(position: &Position) -> Solution {
    Solver::new(None, 8).unwrap().solve(position, &FREE, &|_| false)
}

/// Boards of a few seeds thrown at random, with piles that make any outcome likely.
fn small(number: usize, most: usize) -> Vec<Position> {
    let mut rng = giuthi_engine::rng::game_rng(20_261_130, 7);
    let mut found = Vec::new();
    while found.len() < number {
        let width = rng.random_range(5..=7);
        let mut pits = vec![0_u32; 2 * width];
        for _ in 0..rng.random_range(2..=most) {
            // Seeds in few pits, so that there is something to sow.
            let pit = rng.random_range(0..2 * width);
            pits[pit] += rng.random_range(1..=2);
        }
        let text = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let (north, south) = pits.split_at(width);
        let lead = rng.random_range(0..=4);
        let piles = if rng.random() { format!("{lead} 0") } else { format!("0 {lead}") };
        let to_move = rng.random_range(0..=1);
        found.push(format!("{} {} {piles} {to_move}", text(north), text(south)).parse().unwrap());
    }
    found
}

/// The value by retrograde analysis: all positions that can be reached, and among them those from which a player forces
/// a won end, found by going over all of them until nothing changes.
fn plain_value(root: &Position) -> Value {
    let mut index = HashMap::from([(*root, 0)]);
    let (mut positions, mut at) = (vec![*root], 0);
    // Of each position where its moves lead; an endless relay leads nowhere, to a draw.
    let mut moves: Vec<Vec<Option<usize>>> = Vec::new();
    while at < positions.len() {
        let position = positions[at];
        let steps = position.moves().into_iter().map(|mv| position.step(mv));
        moves.push(
            steps
                .map(|step| {
                    (step.sowing.kind != MoveKind::Endless).then(|| {
                        *index.entry(step.position).or_insert_with(|| {
                            positions.push(step.position);
                            positions.len() - 1
                        })
                    })
                })
                .collect(),
        );
        at += 1;
    }
    let wins = |player: Player| {
        let mut won = vec![false; positions.len()];
        loop {
            let mut changed = false;
            for at in 0..positions.len() {
                let is_won = |next: &Option<usize>| next.is_some_and(|next| won[next]);
                let position = &positions[at];
                let now = if moves[at].is_empty() {
                    Outcome::of_score(position.score()) == Outcome::Win(player)
                } else if position.to_move() == player {
                    moves[at].iter().any(is_won)
                } else {
                    moves[at].iter().all(is_won)
                };
                changed |= now != won[at];
                won[at] = now;
            }
            if !changed {
                return won[0];
            }
        }
    };
    match (wins(root.to_move()), wins(root.to_move().opponent())) {
        (true, _) => Value::Win,
        (_, true) => Value::Loss,
        _ => Value::Draw,
    }
}

/// The value by trying all games to their ends, as the rules have it; `None` where those are too many.
fn value_by_games(game: &mut Game, left: &mut u32) -> Option<Value> {
    let mover = game.position().to_move();
    if let Some(outcome) = game.outcome() {
        return Some(Value::ALL[(outcome.result_for(mover) + 1) as usize]);
    }
    let mut best = Value::Loss;
    for mv in game.position().moves() {
        *left = left.checked_sub(1)?;
        game.play(mv).unwrap();
        let value = value_by_games(game, left);
        let value = if game.position().to_move() == mover { value } else { value.map(|value| -value) };
        game.undo();
        best = best.max(value?);
    }
    Some(best)
}

#[test]
fn values_are_those_of_all_games_played_out() {
    let mut met = [0; 3];
    for position in small(400, 4) {
        let value = value_by_games(&mut Game::from_position(position), &mut 2000);
        let Some(value) = value else { continue };
        assert_eq!(solve(&position).value(), Some(value), "{position}");
        met[value as usize] += 1;
    }
    assert!(met.iter().all(|&times| times > 20), "{met:?}");
}

#[test]
fn values_are_those_of_retrograde_analysis() {
    let mut met = [0; 3];
    for position in small(70, 4) {
        let value = plain_value(&position);
        let solution = solve(&position);
        assert_eq!(solution.value(), Some(value), "{position}");
        let at_once = SolveLimits { parallel: true, ..FREE };
        let parallel = Solver::new(None, 8).unwrap().solve(&position, &at_once, &|_| false);
        assert_eq!(parallel.value(), Some(value), "{position}");
        met[value as usize] += 1;
        // The move keeps the value, and so does every move of the line.
        let Some(mv) = solution.mv else { continue };
        assert_eq!(solution.line.first(), Some(&mv), "{position}");
        let mut game = Game::from_position(position);
        let mut wanted = value;
        for &mv in &solution.line {
            let mover = game.position().to_move();
            game.play(mv).unwrap();
            if game.position().to_move() != mover {
                wanted = -wanted;
            }
            if game.ending().is_none() && game.recent().len() == 1 {
                assert_eq!(plain_value(game.position()), wanted, "{position}: {mv}");
            }
        }
        if let Some(outcome) = game.outcome() {
            let result = outcome.result_for(position.to_move());
            assert_eq!(Value::ALL[(result + 1) as usize], value, "{position}");
        }
    }
    assert!(met.iter().all(|&times| times > 4), "{met:?}");
}

/// With tables, proofs are shorter, and hold with the same tables or larger ones, and with none less.
#[test]
fn tables_shorten_proofs() {
    let size = |seeds| tablebase::Size { pits: 5, seeds };
    let [fewer, tables, more] = [5, 6, 7].map(|seeds| Tablebase::solve(size(seeds)).unwrap());
    let position = Position::start("2x5x2".parse().unwrap());
    let claim = Claim { player: Player::South, goal: Goal::Win };
    let mut solver = Solver::new(Some(&tables), 8).unwrap();
    assert_eq!(solver.solve(&position, &FREE, &|_| false).value(), Some(Value::Win));
    let proof = solver.prove(&position, claim, u64::MAX, &|_| false).unwrap().unwrap();
    assert_eq!(proof.tables, Some(6));
    assert!(proof.verify(Some(&tables)).unwrap().from_tables > 0);
    proof.verify(Some(&more)).unwrap();
    for given in [None, Some(&fewer as &dyn Oracle)] {
        assert_eq!(proof.verify(given).unwrap_err().kind, FlawKind::NoTables(6));
    }
    let read = Proof::read_all(text(&proof).as_bytes()).unwrap();
    assert!(read.len() == 1 && read[0] == proof);
    let bare = prove(&position, claim).unwrap();
    assert!(bare.steps.len() > proof.steps.len() && bare.tables.is_none());
    bare.verify(Some(&tables)).unwrap();
}

/// The solver, which knows nothing of them, finds what tables say of all boards.
#[test]
fn values_are_those_of_tables() {
    let tables = Tablebase::solve(tablebase::Size { pits: 5, seeds: 8 }).unwrap();
    let mut met = [0; 3];
    for position in small(400, 4).into_iter().filter(|position| position.width() == 5) {
        let value = tables.value(&position).unwrap();
        assert_eq!(solve(&position).value(), Some(value), "{position}");
        met[value as usize] += 1;
    }
    assert!(met.iter().all(|&times| times > 10), "{met:?}");
}

/// Every claim that is true of a position.
fn true_claims(position: &Position, value: Value) -> Vec<Claim> {
    let mover = position.to_move();
    let own = |player| if player == mover { value } else { -value };
    let mut claims = Vec::new();
    for player in Player::BOTH {
        if own(player) == Value::Win {
            claims.push(Claim { player, goal: Goal::Win });
        }
        if own(player) >= Value::Draw {
            claims.push(Claim { player, goal: Goal::Draw });
        }
    }
    claims
}

fn prove(position: &Position, claim: Claim) -> Option<Proof> {
    Solver::new(None, 8).unwrap().prove(position, claim, u64::MAX, &|_| false).unwrap()
}

fn text(proof: &Proof) -> String {
    let mut text = Vec::new();
    proof.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn every_true_claim_has_a_proof_and_no_false_one() {
    for position in small(60, 4) {
        let value = plain_value(&position);
        let claims = true_claims(&position, value);
        for player in Player::BOTH {
            for goal in Goal::ALL {
                let claim = Claim { player, goal };
                let Some(proof) = prove(&position, claim) else {
                    assert!(!claims.contains(&claim), "{position}: no proof that {claim}");
                    continue;
                };
                assert!(claims.contains(&claim), "{position}: a proof that {claim}");
                proof.verify(None).unwrap_or_else(|flaw| panic!("{position}: {claim}: {flaw}"));
                assert_eq!(Proof::read_all(text(&proof).as_bytes()).unwrap(), [proof]);
            }
        }
    }
}

/// A proof that is bent says nothing of a position of which its claim is false: checked claims are true, whatever the
/// steps.
#[test]
fn what_the_check_lets_through_is_true() {
    let mut rng = giuthi_engine::rng::game_rng(20_261_130, 8);
    let (mut refused, mut passed) = (0, 0);
    for position in small(80, 4) {
        let value = plain_value(&position);
        let claims = true_claims(&position, value);
        for player in Player::BOTH {
            for goal in Goal::ALL {
                let claim = Claim { player, goal };
                for _ in 0..20 {
                    // Steps at random, so many that some prove something.
                    let own = player.row(position.width());
                    let steps = (0..rng.random_range(0..4)).map(|_| {
                        let direction = giuthi_engine::Direction::BOTH[rng.random_range(0..2)];
                        match rng.random_range(0..8) {
                            0 => Step::Circle,
                            1 => Step::Play(Move::Pass),
                            _ => Step::Play(Move::sow(rng.random_range(own.clone()), direction)),
                        }
                    });
                    let proof = Proof { position, claim, tables: None, steps: steps.collect() };
                    match proof.verify(None) {
                        Ok(_) => {
                            assert!(claims.contains(&claim), "{}", text(&proof));
                            passed += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && passed > 100, "{refused} refused, {passed} passed");
}

#[test]
fn bent_proofs_are_refused_with_the_reason() {
    let position = Position::start("2x5x2".parse().unwrap());
    let south = Player::South;
    let proof = prove(&position, Claim { player: south, goal: Goal::Win }).unwrap();
    let flaw = |proof: &Proof| proof.verify(None).unwrap_err().kind;

    let mut short = proof.clone();
    short.steps.pop();
    assert_eq!(flaw(&short), FlawKind::NoMove);
    let mut long = proof.clone();
    long.steps.push(Step::Circle);
    assert_eq!(flaw(&long), FlawKind::LeftOver(1));
    let mut illegal = proof.clone();
    illegal.steps[0] = Step::Play("0ccw".parse().unwrap());
    assert!(matches!(flaw(&illegal), FlawKind::Illegal(_)));
    let mut circle = proof.clone();
    circle.steps[0] = Step::Circle;
    assert_eq!(flaw(&circle), FlawKind::CircleForWin);
    circle.claim.goal = Goal::Draw;
    assert_eq!(flaw(&circle), FlawKind::NoCircle);
    let leaning = Proof { tables: Some(12), ..proof };
    assert!(matches!(flaw(&leaning), FlawKind::NoTables(12)));
}

#[test]
fn limits_are_kept_and_the_search_goes_on() {
    let position = Position::start("2x5x3".parse().unwrap());
    let mut solver = Solver::new(None, 16).unwrap();
    let whole = Solver::new(None, 16).unwrap().solve(&position, &FREE, &|_| false);
    assert_eq!(whole.value(), Some(Value::Win));
    let mut visited = 0;
    let value = loop {
        let limits = SolveLimits { nodes: 1000, parallel: false };
        let solution = solver.solve(&position, &limits, &|_| false);
        assert!(solution.nodes <= 1000, "{}", solution.nodes);
        visited += solution.nodes;
        assert_eq!(solver.nodes(), visited);
        if let Some(value) = solution.value() {
            break value;
        }
        assert!(visited < 10 * whole.nodes, "it does not get on");
    };
    assert_eq!(value, Value::Win);
    let stopped = Solver::new(None, 16).unwrap().solve(&position, &FREE, &|nodes| nodes > 2000);
    assert_eq!(stopped.value(), None);
    assert!(stopped.nodes < 8000, "{}", stopped.nodes);
}

/// A table so small that most is lost over and over still finds the answer, and its proof.
#[test]
fn a_small_table_is_enough() {
    let position = Position::start("2x5x3".parse().unwrap());
    let mut solver = Solver::new(None, 2).unwrap();
    assert_eq!(solver.solve(&position, &FREE, &|_| false).value(), Some(Value::Win));
    let claim = Claim { player: Player::South, goal: Goal::Win };
    let proof = solver.prove(&position, claim, u64::MAX, &|_| false).unwrap().unwrap();
    proof.verify(None).unwrap();
}

#[test]
fn finished_games_are_told_without_a_search() {
    for (position, value) in [
        ("0,0,0,0,1 1,0,0,0,0 5 4 0", Value::Win),
        ("0,0,0,0,1 1,0,0,0,0 5 4 1", Value::Loss),
        ("0,0,0,0,1 1,0,0,0,0 5 5 0", Value::Draw),
    ] {
        let solution = solve(&position.parse().unwrap());
        assert_eq!(solution.value(), Some(value));
        assert_eq!((solution.mv, solution.nodes), (None, 0));
    }
}

/// The mirrored position has the same value, and with the seats swapped the same for its player to move.
#[test]
fn reflection_and_seats_change_nothing() {
    for position in small(60, 6) {
        let value = solve(&position).value();
        assert_eq!(solve(&position.mirrored()).value(), value, "{position}");
        assert_eq!(solve(&position.swapped()).value(), value, "{position}");
    }
}

#[test]
fn every_width_is_solved_from_its_smallest_starts() {
    for variant in Variant::all().filter(|variant| variant.seeds() == 1) {
        assert_eq!(solve(&Position::start(variant)).value(), Some(Value::Draw), "{variant}");
    }
    for width in 5..=7 {
        let position = Position::start(Variant::new(width, 2).unwrap());
        assert_eq!(solve(&position).value(), Some(Value::Win), "2x{width}x2");
        prove(&position, Claim { player: Player::South, goal: Goal::Win }).unwrap().verify(None).unwrap();
    }
}
