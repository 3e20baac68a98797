//! Alpha-beta against plain minimax, its limits, and the endgames of an independent program.

mod clocks;
mod positions;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use clocks::Ticking;
use giuthi_engine::agent::NoClock;
use giuthi_engine::rng::game_rng;
use giuthi_engine::search::{
    Control, Evaluator, Limits, MAX_DEPTH, Material, Memory, Report, Score, alpha_beta, alpha_beta_each,
    holds_perpetual, shows_perpetual,
};
use giuthi_engine::{Game, Move, MoveKind, Outcome, Position, Setup, Variant};
use rand::RngExt;

/// Judges by nothing at all: any number, the same for the same position.
struct Arbitrary;

impl Evaluator for Arbitrary {
    fn evaluate(&self, position: &Position) -> Score {
        let mut hasher = DefaultHasher::new();
        position.hash(&mut hasher);
        Score::expected((hasher.finish() % 2001) as f32 / 1000.0 - 1.0)
    }
}

/// A depth, every move to the whole of it.
fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), full_width: true, ..Limits::default() }
}

/// A search without a table, which finds what minimax finds.
fn search<E: Evaluator>(game: &Game, evaluator: &E, limits: &Limits) -> Report {
    search_with(0, game, evaluator, limits)
}

/// A search with a fresh table of so many megabytes.
fn search_with<E: Evaluator>(megabytes: usize, game: &Game, evaluator: &E, limits: &Limits) -> Report {
    let memory = &mut Memory::new(megabytes);
    alpha_beta(game, evaluator, memory, limits, &Control::new(&NoClock), |_| {})
}

/// The value of a game for its player to move, every line looked at: no window, no order, no history but the game's.
fn minimax<E: Evaluator>(game: &mut Game, evaluator: &E, depth: u32, ply: u32) -> Score {
    let mover = game.position().to_move();
    match game.outcome() {
        Some(Outcome::Draw) => return Score::DRAW,
        Some(Outcome::Win(winner)) if winner == mover => return Score::win_in(ply),
        Some(Outcome::Win(_)) => return Score::loss_in(ply),
        None => {}
    }
    // A perpetual in the mover's row is worth a draw at least; the root's own is left to its moves.
    let holds = if depth > 1 { holds_perpetual } else { shows_perpetual };
    let least = if ply > 0 && holds(game.position()) { Score::DRAW } else { -Score::win_in(0) };
    if depth == 0 {
        let judged = evaluator.evaluate(game.position());
        return evaluator.tempered(game.position(), judged).max(least);
    }
    let values = game.position().moves().into_iter().map(|mv| {
        game.play(mv).expect("a listed move is legal");
        let value = minimax(game, evaluator, depth - 1, ply + 1);
        let value = if game.position().to_move() == mover { value } else { -value };
        game.undo();
        value
    });
    values.max().expect("a game that is played has a move").max(least)
}

/// The line can be played, and its end is worth what the search says.
fn assert_line_leads_to_score<E: Evaluator>(game: &Game, evaluator: &E, report: &Report) {
    let told = || format!("{} after {} plies: {report:?}", game.position(), game.plies().len());
    let mut end = game.clone();
    assert_eq!(end.play_all(&report.line), Ok(()), "{}", told());
    let plies = report.line.len() as u32;
    if end.ending().is_none() && plies < report.depth {
        // A line that ends before its depth ends where a perpetual holds a draw.
        assert!(holds_perpetual(end.position()), "{}", told());
        assert_eq!(report.score, Score::DRAW, "{}", told());
        return;
    }
    let value = minimax(&mut end, evaluator, 0, plies);
    let same = end.position().to_move() == game.position().to_move();
    assert_eq!(if same { value } else { -value }, report.score, "{}", told());
}

#[test]
fn alpha_beta_equals_minimax() {
    let mut by_history = 0;
    for (number, variant) in ["2x5x4", "2x6x4", "2x6x6", "2x8x8", "2x10x9"].into_iter().enumerate() {
        let variant: Variant = variant.parse().unwrap();
        let mut rng = game_rng(5, number as u64);
        for round in 0..120 {
            let mut game = positions::wandering(variant, rng.random_range(0..50), &mut rng);
            let deepest = if variant.width() < 8 || round < 15 { 4 } else { 3 };
            for depth_now in 1..=deepest {
                let told = format!("{variant} depth {depth_now}: {}", game.position());
                let limits = depth(depth_now);
                let by_material = search(&game, &Material, &limits);
                let value = minimax(&mut game, &Material, depth_now, 0);
                assert_eq!(by_material.score, value, "{told}: material");
                assert_line_leads_to_score(&game, &Material, &by_material);
                let arbitrary = search(&game, &Arbitrary, &limits);
                let value = minimax(&mut game, &Arbitrary, depth_now, 0);
                assert_eq!(arbitrary.score, value, "{told}: arbitrary");
                assert_line_leads_to_score(&game, &Arbitrary, &arbitrary);
                let forgetful = search(&Game::from_position(*game.position()), &Arbitrary, &limits);
                by_history += u32::from(forgetful.score != arbitrary.score);
            }
        }
    }
    assert!(by_history > 20, "the history mattered only {by_history} times");
}

/// Every move has the value that minimax finds of it, with a table and without, and no other move is there.
#[test]
fn each_move_has_the_value_of_minimax() {
    let mut different = 0;
    for (number, variant) in ["2x5x4", "2x6x4", "2x8x8"].into_iter().enumerate() {
        let variant: Variant = variant.parse().unwrap();
        let mut rng = game_rng(6, number as u64);
        for _ in 0..40 {
            let mut game = positions::wandering(variant, rng.random_range(0..50), &mut rng);
            let mover = game.position().to_move();
            for (depth_now, megabytes) in [(1, 0), (2, 0), (3, 1), (3, 0)] {
                let memory = &mut Memory::new(megabytes);
                let control = Control::new(&NoClock);
                let mut each = alpha_beta_each(&game, &Material, memory, &depth(depth_now), &control);
                let told = format!("{variant} depth {depth_now}: {}", game.position());
                let values: Vec<Score> = each.iter().map(|&(_, value)| value).collect();
                different += usize::from(values.iter().any(|value| *value != values[0]));
                each.sort_by_key(|&(mv, _)| mv.to_string());
                let mut moves = game.position().moves().to_vec();
                moves.sort_by_key(Move::to_string);
                assert!(each.iter().map(|&(mv, _)| mv).eq(moves), "{told}");
                for (mv, found) in each {
                    game.play(mv).expect("a listed move is legal");
                    let value = minimax(&mut game, &Material, depth_now - 1, 1);
                    let value = if game.position().to_move() == mover { value } else { -value };
                    game.undo();
                    assert_eq!(found, value, "{told}: {mv}");
                }
            }
        }
    }
    assert!(different > 300, "{different}");
}

/// Iterations of up to four plies reduce nothing, and later ones do.
#[test]
fn reductions_begin_at_five_plies() {
    let (mut fewer, mut other) = (0, 0);
    for number in 0..30 {
        let game = positions::wandering(Variant::default(), number, &mut game_rng(9, number.into()));
        for depth_now in 1..=6 {
            let whole = search(&game, &Arbitrary, &depth(depth_now));
            let report = search(&game, &Arbitrary, &Limits { depth: Some(depth_now), ..Limits::default() });
            if depth_now <= 4 {
                assert_eq!(report, whole, "depth {depth_now}: {}", game.position());
            } else {
                fewer += u32::from(report.nodes < whole.nodes);
                other += u32::from(report.score != whole.score);
            }
        }
    }
    assert!(fewer > 50 && other > 10, "fewer nodes {fewer} times, another value {other} times");
}

/// Sparse positions, where passes are forced and games end within the search.
#[test]
fn alpha_beta_equals_minimax_where_games_end() {
    let mut rng = game_rng(6, 0);
    let (mut decisive, mut passes) = (0, 0);
    for _ in 0..4000 {
        let width = rng.random_range(5..=10);
        let spread = rng.random_range(3..=2 * width + 2);
        let mut game = Game::from_position(positions::scattered(width, 12, spread, &mut rng));
        if game.ending().is_some() {
            continue;
        }
        for depth_now in 1..=5 {
            let report = search(&game, &Arbitrary, &depth(depth_now));
            let value = minimax(&mut game, &Arbitrary, depth_now, 0);
            assert_eq!(report.score, value, "depth {depth_now}: {}", game.position());
            assert_line_leads_to_score(&game, &Arbitrary, &report);
            decisive += u32::from(report.score.is_decisive());
            passes += u32::from(report.line.contains(&Move::Pass));
        }
    }
    assert!(decisive > 500 && passes > 200, "{decisive} decisive, {passes} with passes");
}

#[test]
fn more_material_is_always_better() {
    for seeds in 1..=255u32 {
        let values = (0..=seeds).map(|pile0| {
            let text = format!("0,0,0,0,0 0,0,0,0,0 {pile0} {} 0", seeds - pile0);
            Material.evaluate(&text.parse().expect("a position"))
        });
        let values: Vec<Score> = values.collect();
        assert!(values.is_sorted_by(|less, more| less < more), "{seeds} seeds: {values:?}");
        assert!(values.iter().all(|value| !value.is_decisive()), "{seeds} seeds: {values:?}");
        for (value, other) in values.iter().zip(values.iter().rev()) {
            assert_eq!(*value, -*other, "{seeds} seeds: the other seat's lead");
        }
    }
}

/// Asserts that a search that was cut short still tells the truth.
fn assert_sound(game: &Game, report: &Report, observed: &[Report]) {
    let told = || format!("{} after {} plies: {report:?}", game.position(), game.plies().len());
    assert_eq!(game.clone().play_all(&report.line), Ok(()), "{}", told());
    assert!(!report.line.is_empty(), "{}", told());
    let depths: Vec<u32> = observed.iter().map(|report| report.depth).collect();
    assert_eq!(depths, (1..=report.depth).collect::<Vec<_>>(), "{}", told());
    if report.score.is_decisive() {
        // Where late moves are reduced, the way to the end may be longer than it need be, for either side.
        let whole = search(game, &Material, &depth(report.depth + 1));
        assert_eq!(
            whole.score.value(),
            report.score.value(),
            "{}: but searched to its end: {whole:?}",
            told()
        );
        assert_line_leads_to_score(game, &Material, report);
        if report.depth <= 4 {
            assert_eq!(whole.score, report.score, "{}: but searched to its end: {whole:?}", told());
        }
    }
}

#[test]
fn no_search_passes_its_node_limit() {
    let mut rng = game_rng(7, 0);
    let mut decisive = 0;
    for round in 0..600 {
        let game = if round % 2 == 0 {
            positions::wandering(Variant::RECORDED[round % 7], rng.random_range(0..40), &mut rng)
        } else {
            Game::from_position(positions::scattered(5 + round % 6, 14, 10, &mut rng))
        };
        if game.ending().is_some() {
            continue;
        }
        for most in [1, 2, 3, 7, 20, 57, 150, 400, 1000, 3001] {
            let limits = Limits { nodes: Some(most), ..Limits::default() };
            let mut observed = Vec::new();
            let report = alpha_beta(
                &game,
                &Material,
                &mut Memory::new(0),
                &limits,
                &Control::new(&NoClock),
                |report| observed.push(report.clone()),
            );
            assert!(report.nodes <= most, "{} nodes of {most}: {}", report.nodes, game.position());
            let ended = report.score.is_decisive() || report.nodes == most;
            let told = || format!("{report:?} of {most}: {}", game.position());
            assert!(ended || report.depth < MAX_DEPTH, "{}", told());
            assert_sound(&game, &report, &observed);
            assert_eq!(report, search(&game, &Material, &limits), "{}: not the same again", told());
            decisive += u32::from(report.score.is_decisive());
        }
    }
    assert!(decisive > 100, "only {decisive} decisive searches");
}

#[test]
fn time_stops_a_search() {
    let mut rng = game_rng(8, 0);
    for _ in 0..20 {
        let game = positions::wandering(Variant::default(), 20, &mut rng);
        for ms in [1, 5, 40] {
            let (clock, mut observed) = (Ticking::default(), Vec::new());
            let limits = Limits { time: Some(Duration::from_millis(ms)), ..Limits::default() };
            let report =
                alpha_beta(&game, &Material, &mut Memory::new(0), &limits, &Control::new(&clock), |report| {
                    observed.push(report.clone())
                });
            let looks = clock.0.into_inner();
            assert!(looks > ms && looks <= ms + 2, "{ms} ms: the clock was looked at {looks} times");
            assert_sound(&game, &report, &observed);
        }
    }
}

#[test]
fn a_time_without_end_is_no_limit() {
    let game = Game::new(Variant::default());
    let clock = Ticking(AtomicU64::new(1));
    let limits = Limits { depth: Some(3), time: Some(Duration::MAX), ..Limits::default() };
    let report = alpha_beta(&game, &Material, &mut Memory::new(0), &limits, &Control::new(&clock), |_| {});
    assert_eq!(report, search(&game, &Material, &depth(3)));
}

/// The value of a game without history for its player to move, 1, 0 or -1, if the search comes to an end of it.
fn solve(megabytes: usize, position: &Position, nodes: u64) -> Option<i8> {
    let game = Game::from_position(*position);
    if let Some(outcome) = game.outcome() {
        return Some(outcome.result_for(position.to_move()));
    }
    let report =
        search_with(megabytes, &game, &Material, &Limits { nodes: Some(nodes), ..Limits::default() });
    if report.score.is_decisive() {
        Some(report.score.value() as i8)
    } else {
        (report.nodes < nodes && report.depth < MAX_DEPTH).then_some(0)
    }
}

/// A position of a golden endgame: player 1 to move with a lead.
fn endgame(pits: &[u32], lead: i32) -> Position {
    let (north, south) = pits.split_at(pits.len() / 2);
    let piles = [(-lead).max(0) as u32, lead.max(0) as u32];
    let setup = Setup { north: north.to_vec(), south: south.to_vec(), piles, to_move: 1 };
    Position::try_from(&setup).expect("a golden board is a board")
}

#[test]
fn solved_endgames_agree_with_the_golden_samples() {
    let (mut rows, mut solved) = (0, [0; 3]);
    for width in [5, 6, 8] {
        let path = format!("{}/tests/golden/endgame_2x{width}_samples.csv", env!("CARGO_MANIFEST_DIR"));
        for row in csv::Reader::from_path(&path).expect("the golden file is there").into_records() {
            let row = row.expect("a whole row");
            let line = row.position().expect("a row read has a place").line();
            let pits: Vec<u32> = row[2].split(' ').map(|seeds| seeds.parse().expect("a number")).collect();
            let threshold = |text: &str| -> i32 {
                match text {
                    "inf" => 1000,
                    "-inf" => -1000,
                    number => number.parse().expect("a lead"),
                }
            };
            let (win, draw) = (threshold(&row[3]), threshold(&row[4]));
            let leads = [-20, -9, -5, -2, -1, 0, 1, 2, 5, 9, 20].into_iter();
            let near =
                [win, draw].into_iter().filter(|lead| lead.abs() < 1000).flat_map(|lead| [lead - 1, lead]);
            for lead in leads.chain(near) {
                let golden = i8::from(lead >= win) - i8::from(lead < draw);
                for megabytes in [0, 1] {
                    if let Some(value) = solve(megabytes, &endgame(&pits, lead), 3_000) {
                        assert_eq!(value, golden, "{path}:{line}: at lead {lead} (search left, file right)");
                        solved[(value + 1) as usize] += 1;
                    }
                }
            }
            rows += 1;
        }
    }
    assert_eq!(rows, 17 + 76 + 100);
    assert!(solved.iter().all(|&count| count > 200), "solved: {solved:?}");
}

/// A line by which one game is won may be a repetition in another that has been where it leads: what was found in the
/// one must not be taken for the truth in the other.
#[test]
fn what_one_game_taught_is_not_taken_for_another() {
    let memory = &mut Memory::new(1);
    let mut searched = |position: &str, moves: &str| {
        let mut game = Game::from_position(position.parse().expect("a position"));
        let moves: Vec<Move> = moves.split_whitespace().map(|mv| mv.parse().expect("a move")).collect();
        game.play_all(&moves).expect("legal moves");
        alpha_beta(&game, &Material, memory, &depth(10), &Control::new(&NoClock), |_| {}).score
    };
    assert!(searched("0,0,1,0,0,3 1,0,0,0,0,0 2 1 0", "").is_decisive());
    assert_eq!(searched("0,0,2,0,0,0 1,0,0,0,0,2 2 1 0", "11ccw 2cw 1ccw 2ccw"), Score::DRAW);
}

/// Small positions with histories, one search after another by the same table.
#[test]
fn one_table_serves_many_games() {
    let mut rng = game_rng(11, 0);
    let (mut decisive, mut by_history) = (0, 0);
    let memories = [0, 1].map(Memory::new);
    let [mut none, mut one] = memories;
    for _ in 0..6000 {
        let width = rng.random_range(5..=6);
        let mut game = Game::from_position(positions::scattered(width, 7, 2 * width, &mut rng));
        for _ in 0..rng.random_range(0..12) {
            let quiet: Vec<Move> = (game.position().moves().into_iter())
                .filter(|&mv| game.position().step(mv).sowing.kind != MoveKind::Capture)
                .collect();
            if game.ending().is_some() || quiet.is_empty() {
                break;
            }
            game.play(quiet[rng.random_range(0..quiet.len())]).expect("a listed move is legal");
            if game.ending().is_some() {
                game.undo();
                break;
            }
        }
        if game.ending().is_some() {
            continue;
        }
        let searched = |memory: &mut Memory, game: &Game| {
            let limits = Limits { depth: Some(60), nodes: Some(20_000), ..Limits::default() };
            let report = alpha_beta(game, &Material, memory, &limits, &Control::new(&NoClock), |_| {});
            let over = report.score.is_decisive() || report.nodes < 20_000 && report.depth < 60;
            over.then_some(report.score.value().trunc() as i8)
        };
        let (wanted, found) = (searched(&mut none, &game), searched(&mut one, &game));
        if let (Some(wanted), Some(found)) = (wanted, found) {
            assert_eq!(found, wanted, "{} after {} plies", game.position(), game.plies().len());
            decisive += u32::from(wanted != 0);
            let forgetful = searched(&mut none, &Game::from_position(*game.position()));
            by_history += u32::from(forgetful.is_some_and(|value| value != wanted));
        }
    }
    assert!(decisive > 1000 && by_history > 10, "{decisive} decisive, {by_history} by the history");
}

/// Calls `each` with every way to put `seeds` seeds into the pits from `at` on.
fn each_board(pits: &mut [u32], at: usize, seeds: u32, each: &mut impl FnMut(&[u32])) {
    if at + 1 == pits.len() {
        pits[at] = seeds;
        each(pits);
        return;
    }
    for here in 0..=seeds {
        pits[at] = here;
        each_board(pits, at + 1, seeds - here, each);
    }
}

#[test]
fn small_endgames_have_the_golden_counts() {
    for (width, most) in [(5, 6), (6, 5), (8, 4)] {
        let path = format!("{}/tests/golden/endgame_2x{width}_counts.csv", env!("CARGO_MANIFEST_DIR"));
        let mut rows = 0;
        for row in csv::Reader::from_path(&path).expect("the golden file is there").into_deserialize() {
            let row: Vec<i64> = row.expect("a whole row");
            let seeds = row[1] as u32;
            if seeds > most {
                break;
            }
            let mut counts = [0; 4];
            each_board(&mut vec![0; 2 * width], 0, seeds, &mut |pits| {
                counts[0] += 1;
                let value = solve(1, &endgame(pits, 0), 1_000_000).expect("so few seeds are soon played");
                counts[(2 - value) as usize] += 1;
            });
            assert_eq!(counts, row[2..6], "{path}: {seeds} seeds: boards, won, drawn, lost");
            rows += 1;
        }
        assert_eq!(rows, most + 1);
    }
}

/// The graph history interaction: what the table keeps must not lean on the way to a position. So where both come to
/// an end, the search with a table finds what the one without finds, from every history.
#[test]
fn the_table_changes_no_solved_value() {
    let mut rng = game_rng(9, 0);
    let (mut compared, mut drawn) = (0, 0);
    for round in 0..1500 {
        let width = if round % 3 == 0 { 6 } else { 5 };
        let mut game = Game::from_position(positions::scattered(width, 11, 2 * width + 2, &mut rng));
        // A history without captures, so that repetitions of it are near.
        for _ in 0..rng.random_range(0..12) {
            let moves = game.position().moves();
            if game.ending().is_some() || moves.is_empty() {
                break;
            }
            game.play(moves[rng.random_range(0..moves.len())]).expect("a listed move is legal");
            if game.ending().is_some() {
                game.undo();
            }
        }
        if game.ending().is_some() {
            continue;
        }
        let limits = Limits { nodes: Some(60_000), ..Limits::default() };
        let finished = |report: &Report| report.score.is_decisive() || report.nodes < 60_000;
        let plain = search(&game, &Arbitrary, &limits);
        let tabled = search_with(1, &game, &Arbitrary, &limits);
        if finished(&plain) && finished(&tabled) && plain.depth < MAX_DEPTH && tabled.depth < MAX_DEPTH {
            let values = [&plain, &tabled].map(|report| report.score.value());
            assert_eq!(values[0], values[1], "{} after {:?}", game.position(), game.plies());
            compared += 1;
            drawn += u32::from(values[0] == 0.0);
        }
    }
    assert!(compared > 300 && drawn > 50, "{compared} compared, {drawn} drawn");
}
