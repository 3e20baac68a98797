//! `giuthi puzzle`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::tempdir;

use super::{giuthi, objects, printed, refused};

/// Composes problems of `2x5` with up to 9 seeds.
fn make<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["puzzle", "make", "--pits", "5", "--seeds", "7..9", "--count", "4", "--seed", "1"];
    arguments.extend(["--laps", "4"]);
    arguments.extend(more);
    arguments
}

/// A file of them.
fn made(dir: &Path) -> PathBuf {
    let path = dir.join("puzzles.csv");
    giuthi(make(&["--out", path.to_str().unwrap()])).assert().success().stdout("");
    path
}

fn stdout(arguments: &[&str]) -> String {
    let output = giuthi(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn made_solved_and_shown() {
    let dir = tempdir().unwrap();
    let path = made(dir.path());
    let file = path.to_str().unwrap();
    let solved = stdout(&["puzzle", "solve", file]);
    assert_eq!(solved.lines().count(), 4, "{solved}");
    for (at, line) in solved.lines().enumerate() {
        assert!(line.starts_with(&format!("problem {}: right: ", at + 1)), "{solved}");
    }
    let shown = printed(["puzzle", "show", file, "2"]);
    let solution = printed(["puzzle", "show", file, "2", "--solution"]);
    assert!(
        shown.starts_with("Problem 2, difficulty ") && shown.contains("Player 0 to move and "),
        "{shown}"
    );
    assert!(solution.starts_with("Solution of problem 2\n  1. player 0  "), "{solution}");
    assert_eq!(printed(["puzzle", "show", file]).matches("Problem ").count(), 4);
    let all = stdout(&make(&[]));
    assert!(all.contains(&shown) && all.contains(&solution), "{all}");
    // The same in JSON, and every move of the solution as `giuthi apply` plays it.
    let lines = objects(["puzzle", "show", file, "--json"]);
    let text = stdout(&make(&["--json"]));
    let again: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines), (4, &again));
    for puzzle in &lines {
        let mut arguments = vec!["apply", "--json", "--position", puzzle["position"].as_str().unwrap()];
        let line = puzzle["line"].as_array().unwrap();
        assert_eq!((&line[0]["move"], &line[0]["laps"]), (&puzzle["move"], &puzzle["laps"]));
        arguments.extend(line.iter().map(|mv| mv["move"].as_str().unwrap()));
        let plies = objects(arguments);
        for (told, ply) in line.iter().zip(&plies) {
            for key in ["player", "move", "laps", "captured", "kind"] {
                assert_eq!(told[key], ply[key], "{puzzle}");
            }
        }
        let winner = if puzzle["goal"] == "win" { json!("0") } else { json!("draw") };
        let end = plies.iter().find(|ply| ply.get("winner").is_some()).unwrap();
        assert_eq!(end["winner"], winner, "{puzzle}");
    }
}

#[test]
fn the_first_wrong_problem_is_told_with_its_line() {
    let dir = tempdir().unwrap();
    let path = made(dir.path());
    let file = path.to_str().unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let third = whole.lines().nth(3).unwrap();
    let (rest, laps) = third.rsplit_once(' ').unwrap();
    let wrong = format!("{rest} {}", laps.parse::<u32>().unwrap() + 1);
    fs::write(&path, whole.replace(third, &wrong)).unwrap();
    let output = giuthi(["puzzle", "solve", file]).assert().code(1).get_output().clone();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told.lines().count(), 2, "{told}");
    let errors = String::from_utf8(output.stderr).unwrap();
    let error = errors.lines().last().unwrap();
    assert!(
        error.starts_with("giuthi: ") && error.contains("line 4: problem 3: column `line_laps`: move "),
        "{error}"
    );
    fs::write(&path, "player0,player1,result\n").unwrap();
    refused(
        ["puzzle", "solve", file],
        1,
        "line 1: not a file of problems: the header has to be `id,position,",
    );
    refused(["puzzle", "show", file], 1, "line 1: not a file of problems");
    refused(["puzzle", "show", "nowhere.csv"], 1, "nowhere.csv: cannot be read");
}

#[test]
fn tables_of_a_folder_serve_as_well() {
    let dir = tempdir().unwrap();
    let path = made(dir.path());
    let tables = dir.path().join("tables");
    let (file, tables) = (path.to_str().unwrap(), tables.to_str().unwrap());
    giuthi(["tablebase", "build", "--pits", "5", "--seeds", "9", "--out", tables]).assert().success();
    assert_eq!(printed(["puzzle", "solve", file, "--tb", tables]).lines().count(), 4);
    assert_eq!(printed(make(&["--tb", tables])), stdout(&make(&[])));
    let larger = ["puzzle", "make", "--pits", "5", "--seeds", "10", "--tb", tables];
    refused(larger, 1, "up to 9 seeds, but --seeds 10 needs rows of 5 and up to 10");
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let seeds = |text| ["puzzle", "make", "--pits", "5", "--seeds", text];
    refused(seeds("3..2"), 2, "a whole number from 3 to 60 is possible");
    refused(seeds("6..4"), 2, "6 is more than 4: write the lesser first");
    refused(seeds("-6"), 2, "a whole number from 3 to 60 is possible");
    refused(seeds("61"), 2, "a whole number from 3 to 60 is possible");
    refused(["puzzle", "make", "--pits", "4", "--seeds", "8"], 2, "a whole number from 5 to 10 is possible");
    refused(make(&["--laps", "9..3"]), 2, "--laps");
    refused(["puzzle", "make", "--pits", "5", "--seeds", "8", "--laps", "9..3"], 2, "9 is more than 3");
    refused(
        ["puzzle", "make", "--pits", "5", "--seeds", "8", "--goal", "mate"],
        2,
        "win and draw are possible",
    );
    refused(["puzzle", "make", "--pits", "10", "--seeds", "40"], 1, "--seeds 40: its tables need ");
    let none = ["puzzle", "make", "--pits", "5", "--seeds", "3", "--laps", "50", "--seed", "1"];
    giuthi(none).assert().code(1).stdout("");
    let dir = tempdir().unwrap();
    let path = made(dir.path());
    refused(
        ["puzzle", "show", path.to_str().unwrap(), "7"],
        1,
        "no problem 7: their numbers are from 1 to 4",
    );
    refused(make(&["--out", path.to_str().unwrap()]), 1, "puzzles.csv: the file is there already");
    let full = dir.path().join("no/such/folder.csv");
    let output =
        giuthi(make(&["--out", full.to_str().unwrap()])).assert().code(1).get_output().stderr.clone();
    let told = String::from_utf8(output).unwrap();
    assert!(told.contains("folder.csv: cannot be written"), "{told}");
    assert_eq!(told.lines().count(), 1, "before the tables are solved: {told}");
}
