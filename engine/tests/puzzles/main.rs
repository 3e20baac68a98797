//! Composed problems: what is composed is right, by the tables and without them; what is wrong is refused; the book.

mod book;
mod composed;
mod faults;
mod reach;

use giuthi_engine::endgame::puzzle::{Goal, Puzzle, Settings, compose};
use giuthi_engine::endgame::tablebase::{Size, Tablebase};
use giuthi_engine::{Game, Move};

use reach::Reach;

/// Tables in memory.
fn tables(pits: usize, seeds: usize) -> Tablebase {
    Tablebase::solve(Size { pits, seeds }).unwrap()
}

/// Problems of a kind.
fn composed(tables: &Tablebase, goal: Option<Goal>, count: usize, seed: u64) -> Vec<Puzzle> {
    compose(tables, &Settings { seeds: 6..=tables.seeds(), laps: 4..=u32::MAX, goal, count, seed })
}

/// Asserts by every position that can be reached, without tables, that a problem is right: one move alone reaches the goal,
/// what tempts does not, every move of the solver in the line keeps it, and as many of them are only moves as it says.
#[track_caller]
fn holds(puzzle: &Puzzle) {
    let solver = puzzle.position.to_move();
    let winner = match puzzle.goal {
        Goal::Win => solver,
        Goal::Draw => solver.opponent(),
    };
    let reach = Reach::new(puzzle.position, winner);
    // The moves that keep the goal: those that win, or those by which the opponent does not.
    let keeping = |game: &Game| -> Vec<Move> {
        let winning = reach.winning(game);
        let all = game.position().moves().into_iter();
        all.filter(|mv| winning.contains(mv) == (puzzle.goal == Goal::Win)).collect()
    };
    let mut game = Game::from_position(puzzle.position);
    assert_eq!(keeping(&game), [puzzle.mv], "{puzzle:?}");
    assert_ne!(puzzle.tempting, puzzle.mv);
    if puzzle.goal == Goal::Draw {
        let wins = Reach::new(puzzle.position, solver);
        assert_eq!(wins.winning(&game), [], "{puzzle:?}");
    }
    let (mut own_moves, mut only_moves) = (0, 0);
    for &mv in &puzzle.line {
        if game.position().to_move() == solver {
            let keeping = keeping(&game);
            assert!(keeping.contains(&mv), "{mv} of {puzzle:?}");
            own_moves += u32::from(mv != Move::Pass);
            only_moves += u32::from(mv != Move::Pass && keeping.len() == 1);
        }
        game.play(mv).unwrap();
    }
    let result = game.outcome().map(|outcome| outcome.result_for(solver));
    assert_eq!(result, Some(i8::from(puzzle.goal == Goal::Win)), "{puzzle:?}");
    assert_eq!(own_moves, puzzle.own_moves, "{puzzle:?}");
    // The tables call a move the only one where no other could keep the goal whatever it met: never one that is not.
    assert!(only_moves >= puzzle.only_moves, "{only_moves} only moves: {puzzle:?}");
}
