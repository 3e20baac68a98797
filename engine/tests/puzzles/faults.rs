//! Problems and files with a fault planted in them.

use std::fs;

use giuthi_engine::Position;
use giuthi_engine::endgame::puzzle::{COLUMNS, Goal, Puzzle, check, read, write};
use giuthi_engine::endgame::tablebase::{Tablebase, Value};
use giuthi_engine::game::Ending;
use tempfile::tempdir;

use super::{composed, tables};

/// The problem with another lead of the player to move, who is player 0.
fn with_lead(puzzle: &Puzzle, more: i32) -> Puzzle {
    with_piles(puzzle, [more, -more])
}

/// The problem with so many seeds more in the piles.
fn with_piles(puzzle: &Puzzle, more: [i32; 2]) -> Puzzle {
    let text = puzzle.position.to_string();
    let fields: Vec<&str> = text.split(' ').collect();
    let [south, north] = puzzle.position.piles().map(i32::from);
    let text = format!("{} {} {} {} 0", fields[0], fields[1], south + more[0], north + more[1]);
    Puzzle { position: text.parse::<Position>().unwrap(), ..puzzle.clone() }
}

/// The column of the fault that a change of a problem is.
#[track_caller]
fn refused(tables: &Tablebase, puzzle: &Puzzle, change: impl FnOnce(&mut Puzzle)) -> (&'static str, String) {
    let mut changed = puzzle.clone();
    change(&mut changed);
    let fault = check(&changed, tables).expect_err("the fault should be found");
    (fault.column, fault.reason)
}

#[test]
fn a_planted_fault_is_told_by_its_column() {
    let tables = tables(5, 10);
    for goal in Goal::ALL {
        let puzzles = composed(&tables, Some(goal), 5, 1);
        assert_eq!(puzzles.len(), 5);
        for puzzle in &puzzles {
            let refused = |change: &dyn Fn(&mut Puzzle)| refused(&tables, puzzle, change);
            let (column, reason) = refused(&|puzzle| puzzle.mv = puzzle.tempting);
            assert_eq!((column, reason.contains("does not")), ("move", true), "{reason}");
            assert_eq!(refused(&|puzzle| puzzle.mv = "pass".parse().unwrap()).0, "move");
            assert_eq!(refused(&|puzzle| puzzle.mv = "0cw".parse().unwrap()).0, "move");
            assert_eq!(refused(&|puzzle| puzzle.laps += 1).0, "laps");
            assert_eq!(refused(&|puzzle| puzzle.captured += 1).0, "captured");
            assert_eq!(refused(&|puzzle| puzzle.tempting = puzzle.mv).0, "tempting");
            assert_eq!(refused(&|puzzle| puzzle.tempting_captured += 1).0, "tempting_captured");
            assert_eq!(refused(&|puzzle| puzzle.alternatives += 1).0, "alternatives");
            assert_eq!(refused(&|puzzle| puzzle.own_moves += 1).0, "own_moves");
            assert_eq!(refused(&|puzzle| puzzle.only_moves += 1).0, "only_moves");
            assert_eq!(refused(&|puzzle| puzzle.difficulty += 1).0, "difficulty");
            assert_eq!(refused(&|puzzle| puzzle.end = Ending::Endless).0, "end");
            assert_eq!(refused(&|puzzle| puzzle.line_laps[1] += 1).0, "line_laps");
            assert_eq!(refused(&|puzzle| puzzle.line_laps.push(1)).0, "line_laps");
            let (column, reason) = refused(&|puzzle| puzzle.line[1] = puzzle.line[0]);
            assert_eq!((column, reason.starts_with("move 2, ")), ("line", true), "{reason}");
            let cut = |puzzle: &mut Puzzle| {
                puzzle.line.pop();
                puzzle.line_laps.pop();
            };
            let (column, reason) = refused(&cut);
            assert_eq!((column, &reason[..]), ("line", "the game is not over at its end"));
            assert_eq!(refused(&|puzzle| puzzle.line[0] = puzzle.tempting).0, "line");
            let other = Goal::ALL[usize::from(goal == Goal::Win)];
            assert_eq!(refused(&|puzzle| puzzle.goal = other).0, "goal");
            // A seed more in either pile: not those of a whole game any more, whatever else is wrong.
            for more in [[1, 0], [0, 1]] {
                let changed = with_piles(puzzle, more);
                let column = check(&changed, &tables).unwrap_err().column;
                assert!(["goal", "move", "position"].contains(&column), "{column}");
            }
            // A lower lead or a higher one, with which the value is another.
            let most = puzzle.position.piles().map(i32::from);
            let mut others = (-most[0]..=most[1]).map(|more| with_lead(puzzle, more));
            let other = others.find(|other| tables.value(&other.position) != Some(goal.value()));
            assert_eq!(check(&other.unwrap(), &tables).unwrap_err().column, "goal");
        }
    }
}

#[test]
fn a_second_move_that_keeps_the_value_is_told() {
    let tables = tables(5, 10);
    let mut found = 0;
    for puzzle in composed(&tables, Some(Goal::Win), 8, 5) {
        for more in 1..=8 {
            let changed = with_lead(&puzzle, more);
            let lead = changed.position.lead();
            let moves = tables.moves(&changed.position).unwrap();
            let won: Vec<_> = moves.iter().filter(|each| each.thresholds.value(lead) == Value::Win).collect();
            let outcome = check(&changed, &tables);
            if won.len() > 1 {
                let fault = outcome.unwrap_err();
                assert_eq!(fault.column, "move");
                assert!(fault.reason.contains("is not the only move: "), "{fault}");
                found += 1;
            }
        }
    }
    assert!(found > 8, "{found} second moves");
}

#[test]
fn a_lead_that_is_not_the_least_is_told() {
    let tables = tables(5, 10);
    let (mut leads, mut piles) = (0, 0);
    for goal in Goal::ALL {
        for puzzle in composed(&tables, Some(goal), 8, 5) {
            for changed in (1..=8).map(|more| with_lead(&puzzle, more)) {
                leads += usize::from(check(&changed, &tables).unwrap_err().column == "position");
            }
            // The same lead, and a game of more seeds than there are.
            let changed = with_piles(&puzzle, [1, 1]);
            let fault = check(&changed, &tables).unwrap_err();
            assert_eq!(fault.column, "position");
            assert!(fault.reason.contains("those of a whole game"), "{fault}");
            piles += 1;
        }
    }
    assert!(leads > 8 && piles > 8, "{leads} leads, {piles} piles");
}

#[test]
fn boards_that_the_tables_do_not_have_are_refused() {
    let puzzles = composed(&tables(5, 10), None, 3, 1);
    let small = tables(5, 5);
    for puzzle in &puzzles {
        assert_eq!(check(puzzle, &small).unwrap_err().column, "position");
        assert_eq!(check(puzzle, &tables(6, 5)).unwrap_err().column, "position");
    }
}

#[test]
fn a_file_that_is_none_is_refused_with_its_line() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("puzzles.csv");
    let puzzles = composed(&tables(5, 10), None, 3, 1);
    write(&path, &puzzles).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let header = whole.lines().next().unwrap();
    assert_eq!(header, COLUMNS.join(","));
    let row = |number: usize| whole.lines().nth(number).unwrap().to_owned();
    let key = puzzles[1].mv.to_string();
    let second = row(2);
    let plies = puzzles[1].line.len();
    let cases = [
        (whole.replace(header, "game,ply,player"), "line 1: not a file of problems"),
        (String::new(), "line 1: not a file of problems"),
        (format!("{header}\n"), "no problems behind the header"),
        (whole.replace(&second, &format!("{second},1")), "line 3: 18 fields: 17 are needed"),
        (whole.replace(&second, second.rsplit_once(',').unwrap().0), "line 3: 16 fields: 17 are needed"),
        (
            whole.replace(&second, &second.replacen('2', "1", 1)),
            "line 3: column `id`: 1 is that of line 2 already",
        ),
        (
            whole.replace(&second, &second.replacen('2', "0", 1)),
            "line 3: column `id`: 0 is there, and numbers are from 1",
        ),
        (
            whole.replace(&second, &second.replacen(&key, "north", 1)),
            "line 3: column `move`: `north` is not a move",
        ),
        (
            whole.replace(&second, &second.replacen(" 0\"", " 2\"", 1)),
            "line 3: column `position`: player 2 to move",
        ),
        (
            whole.replace(&second, &second.replacen(&format!(",{plies},{key} "), &format!(",99,{key} "), 1)),
            "line 3: column `plies`: 99 is there",
        ),
        (
            whole.replace(&second, &format!("{second} -1")),
            "line 3: column `line_laps`: `-1` is not a whole number",
        ),
        (
            whole.replace(&second, &second.replacen(",win,", ",mate,", 1).replacen(",draw,", ",mate,", 1)),
            "line 3: column `goal`: `mate` is not a goal: win and draw are possible",
        ),
        (
            whole.replace(
                &second,
                &second.replacen(",no-moves,", ",tired,", 1).replacen(",repetition,", ",tired,", 1),
            ),
            "line 3: column `end`: `tired` is not",
        ),
    ];
    for (text, says) in cases {
        assert_ne!(text, whole, "{says}");
        fs::write(&path, &text).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.starts_with(path.to_str().unwrap()) && error.contains(says), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    fs::write(&path, [whole.as_bytes(), b"\xff\xfe\n"].concat()).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("line 5: no CSV in UTF-8"), "{error}");
    let error = read(&dir.path().join("none.csv")).unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
}
