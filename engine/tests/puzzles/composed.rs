//! What is composed.

use giuthi_engine::board::MoveKind;
use giuthi_engine::endgame::puzzle::{Goal, alike, check, depth, difficulty, read, write};
use tempfile::tempdir;

use super::{composed, holds, tables};

#[test]
fn every_problem_is_right_by_the_tables_and_without_them() {
    let tables = tables(5, 10);
    let mut problems = 0;
    for seed in 0..2 {
        for goal in Goal::ALL {
            let puzzles = composed(&tables, Some(goal), 6, seed);
            assert!(!puzzles.is_empty(), "seed {seed}, {goal}");
            for (at, puzzle) in puzzles.iter().enumerate() {
                assert_eq!(check(puzzle, &tables), Ok(()), "{puzzle:?}");
                assert_eq!((puzzle.id as usize, puzzle.goal), (at + 1, goal));
                assert!(puzzle.laps >= 4 && puzzle.tempting_captured > puzzle.captured, "{puzzle:?}");
                assert_eq!(puzzle.depth, depth(&puzzle.position, puzzle.mv));
                assert_eq!(puzzle.difficulty, difficulty(puzzle));
                let step = puzzle.position.play(puzzle.tempting).unwrap();
                assert_eq!(step.sowing.kind, MoveKind::Capture);
                assert!(puzzles[..at].iter().all(|other| !alike(other, puzzle)), "{puzzle:?}");
                assert!(puzzles[..at].iter().all(|other| other.difficulty <= puzzle.difficulty));
                // Without tables all that can be reached has to be looked up: not for all.
                let on_board: u8 = puzzle.position.board().pits().iter().sum();
                if on_board < 9 || problems < 6 {
                    holds(puzzle);
                    problems += 1;
                }
            }
        }
    }
    assert!(problems >= 6, "{problems} problems without tables");
}

#[test]
fn the_same_seed_gives_the_same_problems_on_any_number_of_threads() {
    let tables = tables(5, 10);
    let with = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| composed(&tables, None, 5, seed))
    };
    assert_eq!(with(1, 3), with(3, 3));
    assert_ne!(with(1, 3), with(1, 4));
}

#[test]
fn mirrored_and_swapped_problems_are_alike() {
    let tables = tables(5, 10);
    let puzzles = composed(&tables, None, 5, 1);
    for puzzle in &puzzles {
        let mut mirrored = puzzle.clone();
        mirrored.position = puzzle.position.mirrored();
        mirrored.mv = puzzle.mv.mirrored(5);
        mirrored.tempting = puzzle.tempting.mirrored(5);
        let mut swapped = mirrored.clone();
        swapped.position = mirrored.position.swapped();
        swapped.mv = mirrored.mv.swapped(5);
        swapped.tempting = mirrored.tempting.swapped(5);
        for twin in [puzzle, &mirrored, &swapped] {
            assert!(alike(puzzle, twin) && alike(twin, puzzle));
        }
    }
    assert!(!alike(&puzzles[0], &puzzles[1]));
}

#[test]
fn files_are_read_as_they_were_written() {
    let tables = tables(5, 10);
    let puzzles = composed(&tables, None, 5, 2);
    let dir = tempdir().unwrap();
    let path = dir.path().join("puzzles.csv");
    write(&path, &puzzles).unwrap();
    let found = read(&path).unwrap();
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    assert_eq!(found.into_iter().map(|(_, puzzle)| puzzle).collect::<Vec<_>>(), puzzles);
}
