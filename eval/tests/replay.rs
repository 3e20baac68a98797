//! `giuthi-eval replay`: a game of a tournament in the terminal.

mod handmade;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use giuthi_engine::Variant;
use tempfile::{TempDir, tempdir};

fn replay(folder: &Path, arguments: &str) -> Command {
    let mut eval = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    eval.arg("replay").arg(folder).args(arguments.split_whitespace());
    eval
}

fn shown(folder: &Path, arguments: &str) -> String {
    String::from_utf8(replay(folder, arguments).assert().success().get_output().stdout.clone()).unwrap()
}

fn refused(folder: &Path, arguments: &str, code: i32) -> String {
    let output = replay(folder, arguments).assert().code(code).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

/// A tournament that is being played: of its six games the first two are there, lost by a crash after two plies and by
/// silence at once, and half of a third.
fn unfinished() -> TempDir {
    let folder = tempdir().unwrap();
    let variant: Variant = "2x5x4".parse().unwrap();
    handmade::settings(folder.path(), variant, &[["a", "random"], ["b", "cmd:x"]], 6);
    let rows = [
        handmade::row(0, 0, ["a", "b"], variant, "7ccw 2cw", "crash"),
        handmade::row(1, 0, ["b", "a"], variant, "", "silence"),
    ];
    handmade::games(folder.path(), "games.csv.partial", &rows);
    let path = folder.path().join("games.csv.partial");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "2,1,a,b,7ccw,7c").unwrap();
    folder
}

#[test]
fn a_game_is_told_ply_by_ply() {
    let folder = unfinished();
    let text = shown(folder.path(), "0");
    assert_eq!(
        text,
        "\
Game 0 of 2x5x4: a (player 0) against b (player 1), 0-1 by forfeit (crash), 2 plies, 1 of them the opening

The start
              4    3    2    1    0
           +----+----+----+----+----+
  player 1 |  4 |  4 |  4 |  4 |  4 |  pile   0
           +----+----+----+----+----+
> player 0 |  4 |  4 |  4 |  4 |  4 |  pile   0
           +----+----+----+----+----+
              5    6    7    8    9
Player 0 to move.

Ply 1, player 0 (a): 7ccw, the opening's
  lifts 4 from pit 7, sows ccw to pit 1
  lifts 5 from pit 1, sows cw to pit 6
  lifts 5 from pit 6, sows ccw to pit 1
  Pit 1 was empty and is player 1's: no capture.
              4    3    2    1    0
           +----+----+----+----+----+
> player 1 |  4 |  4 |  4 |  1 |  7 |  pile   0
           +----+----+----+----+----+
  player 0 |  4 |  0 |  2 |  7 |  7 |  pile   0
           +----+----+----+----+----+
              5    6    7    8    9
Player 1 to move.

Ply 2, player 1 (b): 2cw
  lifts 4 from pit 2, sows cw to pit 8
  lifts 8 from pit 8, sows ccw to pit 6
  Pit 6 was empty and is player 0's: no capture.
              4    3    2    1    0
           +----+----+----+----+----+
  player 1 |  5 |  5 |  1 |  3 |  9 |  pile   0
           +----+----+----+----+----+
> player 0 |  5 |  1 |  2 |  0 |  9 |  pile   0
           +----+----+----+----+----+
              5    6    7    8    9
Player 0 to move.
Player 0 (a) lost the game here by a fault: crash.
"
    );
    let one = shown(folder.path(), "0 --ply 1");
    let [heading, rest] = text.split_once("\n\n").map(<[&str; 2]>::from).unwrap();
    assert_eq!(one, format!("{heading}\n\n{}\n", rest.split("\n\n").nth(1).unwrap()));
    assert!(shown(folder.path(), "1").ends_with("Player 0 (b) lost the game here by a fault: silence.\n"));
}

#[test]
fn json_is_that_of_apply() {
    let folder = unfinished();
    let second = r#"{"ply":2,"player":1,"move":"2cw","laps":2,"captured":0,"kind":"turn","position":"9,3,1,5,5 5,1,2,0,9 0 0 0","status":"playing"}"#;
    let lines = shown(folder.path(), "0 --json");
    assert_eq!(lines.lines().count(), 2);
    assert_eq!(lines.lines().last(), Some(second));
    assert_eq!(shown(folder.path(), "0 --json --ply 2"), format!("{second}\n"));
    let start = "{\"ply\":0,\"position\":\"4,4,4,4,4 4,4,4,4,4 0 0 0\",\"status\":\"playing\"}\n";
    assert_eq!(shown(folder.path(), "0 --json --ply 0"), start);
    assert_eq!(shown(folder.path(), "1 --json"), start);
}

#[test]
fn every_lap_of_a_ply_is_told_where_it_stands_alone() {
    // A relay of a hundred laps that never ends.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/golden/games_endless_2x5x4.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let rows = reader.records().map(Result::unwrap).filter(|row| &row[0] == "1");
    let mv = |row: csv::StringRecord| {
        if &row[6] == "pass" { "pass".to_owned() } else { row[5].to_owned() + &row[6] }
    };
    let moves: Vec<String> = rows.map(mv).collect();
    let folder = tempdir().unwrap();
    let variant: Variant = "2x5x4".parse().unwrap();
    handmade::settings(folder.path(), variant, &[["a", "random"], ["b", "greedy"]], 2);
    let row = |number, players| handmade::row(number, 0, players, variant, &moves.join(" "), "");
    handmade::games(folder.path(), "games.csv", &[row(0, ["a", "b"]), row(1, ["b", "a"])]);
    let laps = |text: &str| text.lines().filter(|line| line.starts_with("  lifts ")).count();
    let alone = shown(folder.path(), "1 --ply 26");
    assert_eq!(laps(&alone), 100);
    assert!(
        alone.contains("it would never end.\n")
            && alone.contains("The game is over by an endless relay: a draw.\n")
    );
    let among = shown(folder.path(), "1");
    let last = among.split("\n\n").last().unwrap();
    assert_eq!(laps(last), 4);
    assert!(last.contains("  … 96 more laps, then\n"), "{last}");
    assert!(
        shown(folder.path(), "1 --json")
            .ends_with(",\"status\":\"endless\",\"score\":[18,22],\"winner\":\"draw\"}\n")
    );
}

#[test]
fn what_is_not_there_is_one_line() {
    let folder = unfinished();
    let path = folder.path();
    assert!(
        refused(path, "2", 1)
            .contains("games.csv.partial: there is no game 2 in it: it has not been played yet")
    );
    assert!(refused(path, "6", 1).contains("there is no game 6 in it: this tournament's are 0 to 5"));
    assert!(refused(path, "0 --ply 3", 2).contains("--ply 3: game 0 has the plies 0 (its start) to 2"));
    assert!(refused(path, "-1", 2).contains("a whole number from 0"));
    assert!(refused(&path.join("nowhere"), "0", 1).contains("there is no tournament here"));
    let settings = path.join("tournament.json");
    let whole = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, whole.replace("0/1", "0/2")).unwrap();
    assert!(
        refused(path, "2", 1).contains("there is no game 2 in it: this is shard 0/2, and another has it")
    );
    fs::write(&settings, whole).unwrap();
    let games = path.join("games.csv.partial");
    let text = fs::read_to_string(&games).unwrap();
    fs::write(&games, text.replace("7ccw 2cw", "7ccw 7cw")).unwrap();
    assert!(refused(path, "0", 1).contains("games.csv.partial, line 2: move 2: "));
    fs::write(&games, text.replacen("game,round", "round,game", 1)).unwrap();
    assert!(refused(path, "0", 1).contains("line 1: the columns are not game,round,"));
}
