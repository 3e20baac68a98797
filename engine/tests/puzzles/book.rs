//! The book, `data/puzzles.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use giuthi_engine::endgame::puzzle::{Goal, Puzzle, alike, check, difficulty, read};

use super::tables;

fn book() -> Vec<(u64, Puzzle)> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/puzzles.csv")).unwrap()
}

/// Problems by the pits of a row, with the most seeds that lie on one of their boards.
fn by_width() -> BTreeMap<usize, (usize, Vec<(u64, Puzzle)>)> {
    let mut by_width: BTreeMap<usize, (usize, Vec<(u64, Puzzle)>)> = BTreeMap::new();
    for (line, puzzle) in book() {
        let (seeds, puzzles) = by_width.entry(puzzle.position.width()).or_default();
        let on_board: usize = puzzle.position.board().pits().iter().map(|&seeds| usize::from(seeds)).sum();
        *seeds = on_board.max(*seeds);
        puzzles.push((line, puzzle));
    }
    by_width
}

#[test]
fn it_is_varied_and_rises() {
    let book = book();
    assert_eq!(book.len(), 50);
    for (at, (line, puzzle)) in book.iter().enumerate() {
        assert_eq!(puzzle.id as usize, at + 1, "line {line}");
        assert_eq!(puzzle.difficulty, difficulty(puzzle), "line {line}");
        for (other_line, other) in &book[..at] {
            assert!(!alike(other, puzzle), "lines {other_line} and {line}");
            assert!(other.difficulty <= puzzle.difficulty, "lines {other_line} and {line}");
        }
    }
    for width in [5, 6, 8] {
        for goal in Goal::ALL {
            let of = |each: &&(u64, Puzzle)| each.1.position.width() == width && each.1.goal == goal;
            assert!(book.iter().filter(of).count() >= 5, "{goal} on rows of {width}");
        }
    }
}

#[test]
fn every_problem_is_right() {
    for (pits, (seeds, puzzles)) in by_width() {
        let tables = tables(pits, seeds);
        for (line, puzzle) in puzzles {
            assert_eq!(check(&puzzle, &tables), Ok(()), "line {line}");
        }
    }
}
