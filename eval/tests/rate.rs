//! `giuthi-eval rate`: what it reads, what it prints, what it refuses.

mod golden;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use golden::{assert_near, csv, ordo_games};
use predicates::prelude::*;
use serde_json::{Map, Value};
use tempfile::tempdir;

fn eval() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"))
}

/// `rate` with flags on a text from standard input.
fn rate(flags: &[&str], text: &str) -> Command {
    let mut command = eval();
    command.arg("rate").args(flags).arg("-").write_stdin(text);
    command
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn objects(lines: &str) -> Vec<Map<String, Value>> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_games_of_ordo_as_pgn_get_its_ratings() {
    let pgn = ordo_games().pgn();
    for (flags, file) in [
        (&["--anchor", "A", "--json"][..], "ordo_ratings.csv"),
        (&["--anchor", "A=0", "--json", "--first-move", "fit"], "ordo_ratings_first_move.csv"),
    ] {
        let agents = objects(&stdout(&mut rate(flags, &pgn)));
        let mut compared = 0;
        for (agent, record) in agents.iter().zip(csv(file).records()) {
            let record = record.unwrap();
            assert_eq!(agent["agent"], record[1]);
            assert_near(agent["elo"].as_f64().unwrap(), record[2].parse().unwrap(), 0.0101, &record[1]);
            assert_eq!(agent["games"].as_f64(), Some(record[5].parse().unwrap()));
            compared += 1;
        }
        assert_eq!((compared, agents.len()), (8, 8));
    }
}

#[test]
fn what_is_printed_as_pgn_is_read_as_the_same_games() {
    let csv = "player0,player1,result\na \"b\" \\c,d,1-0\nd,a \"b\" \\c,1/2-1/2\nd,e [f],0-1\nd,e [f],1-0\n";
    let csv = csv.replace("a \"b\" \\c", "\"a \"\"b\"\" \\c\"");
    let pgn = stdout(&mut rate(&["--format", "ordo-pgn"], &csv));
    assert!(
        pgn.starts_with("[White \"a \\\"b\\\" \\\\c\"]\n[Black \"d\"]\n[Result \"1-0\"]\n\n1-0\n\n[White"),
        "{pgn}"
    );
    assert_eq!(stdout(&mut rate(&["--format", "csv"], &csv)), stdout(&mut rate(&["--format", "csv"], &pgn)));
    assert_eq!(stdout(&mut rate(&["--format", "ordo-pgn"], &pgn)), pgn);
}

#[test]
fn pgn_as_other_programs_write_it_is_read() {
    let pgn = "\u{feff}\r\n[Event \"x\"]\r\n[White \"a\"]\r\n[Black \"b\"]\r\n[Result \"1-0\"]\r\n\r\n\
               1. e4 {a comment [White \"no\"]\r\n[Black \"tag\"] goes on} e5 ; {not open\r\n% [an escape\r\n2. d4 1-0\r\n\r\n\
               [White \"b\"]\r\n[Black \"a\"]\r\n[Result \"1/2-1/2\"]\r\n[White \"a\"]\r\n[Black \"b\"]\r\n[Result \"0-1\"]\r\n\r\n\
               [Event \"y\"]\r\n[Result \"*\"]\r\n[White \"a\"]\r\n[Black \"b\"]\r\n\r\n*\r\n";
    let output = rate(&["--json"], pgn).assert().success().get_output().clone();
    let agents = objects(&String::from_utf8(output.stdout).unwrap());
    let counts: Vec<_> =
        agents.iter().map(|a| ["wins", "draws", "losses"].map(|key| a[key].as_u64())).collect();
    assert_eq!(counts, [[Some(1); 3], [Some(1); 3]]);
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("games that were not finished, and do not count: 1")
    );
}

#[test]
fn the_games_of_a_tournament_get_its_ratings() {
    let folder = tempdir().unwrap();
    let arguments = "tournament --variant 2x5x4 --agent random --agent old@greedy --agent ab:depth=2 --games 40 --seed 5 --json --out";
    let printed = stdout(eval().args(arguments.split(' ')).arg(folder.path()));
    let games = folder.path().join("games.csv");
    assert_eq!(stdout(eval().arg("rate").arg(&games).arg("--json")), printed);
    let ratings = fs::read_to_string(folder.path().join("ratings.csv")).unwrap();
    assert_eq!(stdout(eval().arg("rate").arg(&games).args(["--format", "csv"])), ratings);
    // The same games as single ones: the same ratings, other intervals.
    let text = fs::read_to_string(&games).unwrap().replacen("game,round,", "game,lap,", 1);
    let single = objects(&stdout(&mut rate(&["--json"], &text)));
    let paired = objects(&printed);
    for (single, paired) in single.iter().zip(&paired) {
        assert_eq!(single["elo"], paired["elo"]);
        assert_ne!(single["lower"], paired["lower"]);
    }
    // Names with `=` can be anchors, with and without a rating.
    let anchored =
        |flags: &[&str]| objects(&stdout(eval().arg("rate").arg(&games).args(flags).arg("--json")));
    let elo = |agents: &[Map<String, Value>], name: &str| {
        agents.iter().find(|agent| agent["agent"] == name).unwrap()["elo"].as_f64().unwrap()
    };
    let base = anchored(&["--anchor", "ab:depth=2"]);
    let high = anchored(&["--anchor", "ab:depth=2=1500.5"]);
    assert_eq!((elo(&base, "ab:depth=2"), elo(&high, "ab:depth=2")), (0.0, 1500.5));
    assert_near(elo(&high, "random"), elo(&base, "random") + 1500.5, 0.011, "random");
    let two = anchored(&["--anchor", "old=-100", "--anchor", "random=-300"]);
    assert_eq!((elo(&two, "old"), elo(&two, "random")), (-100.0, -300.0));
}

#[test]
fn rounds_of_different_files_are_different() {
    let folder = tempdir().unwrap();
    let text = "player0,player1,result,round\na,b,1-0,0\nb,a,0-1,0\na,b,0-1,1\nb,a,1/2-1/2,1\na,b,1-0,2\nb,a,1-0,2\n";
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let one = file("one.csv", text);
    let renamed =
        file("two.csv", &text.replace(",0\n", ",7\n").replace(",1\n", ",8\n").replace(",2\n", ",9\n"));
    let twice = stdout(eval().arg("rate").args([&one, &one]).args(["--format", "csv"]));
    assert_eq!(twice, stdout(eval().arg("rate").args([&one, &renamed]).args(["--format", "csv"])));
    assert_ne!(twice, stdout(eval().arg("rate").arg(&one).args(["--format", "csv"])));
}

const TWO_GROUPS: &str = "player0,player1,result\na,b,1-0\nb,a,1-0\na,b,1-0\nc,d,1/2-1/2\nd,c,0-1\nd,c,1-0\n";

#[test]
fn groups_that_never_met_are_said_to_be_unrelated() {
    let output = rate(&["--los", "--cross"], TWO_GROUPS).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.is_ascii(), "{text}");
    for part in
        ["2 groups", "do not compare", "Group 1:", "Group 2:", "stronger", "Each against each", "First move"]
    {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert!(String::from_utf8(output.stderr).unwrap().contains("no games connect 2 groups"));
    let agents = objects(&stdout(&mut rate(&["--json", "--los", "--cross"], TWO_GROUPS)));
    let groups: Vec<_> = agents.iter().map(|agent| agent["group"].as_u64().unwrap()).collect();
    assert_eq!(groups, [1, 1, 2, 2]);
    let best = &agents[0];
    assert_eq!(best["agent"], "a");
    assert_eq!(best["los"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b"]);
    assert!((0.5..1.0).contains(&best["los"]["b"].as_f64().unwrap()));
    assert_eq!(best["cross"], serde_json::json!({"b": {"wins": 2, "draws": 0, "losses": 1}}));
    assert!(
        stdout(&mut rate(&["--format", "csv"], TWO_GROUPS))
            .starts_with("agent,elo,lower,upper,games,wins,draws,losses,score,group\n")
    );
    // An anchor in each joins them.
    let joined = objects(&stdout(&mut rate(&["--json", "--anchor", "a", "--anchor", "c=50"], TWO_GROUPS)));
    assert!(joined.iter().all(|agent| !agent.contains_key("group")));
}

#[test]
fn perfect_scores_print_numbers() {
    let perfect = "player0,player1,result\na,b,1-0\nb,a,0-1\na,c,1-0\nc,b,1-0\n";
    for text in [perfect, "player0,player1,result\na,b,1-0\n", "a,b,1/2-1/2\n"] {
        for flags in
            [&["--los", "--cross", "--first-move", "fit"][..], &["--json", "--los"], &["--format", "csv"]]
        {
            let printed = stdout(&mut rate(flags, text)).to_lowercase();
            assert!(
                printed.contains('a') && !printed.contains("inf") && !printed.contains("nan"),
                "{printed}"
            );
            assert!(!printed.contains("null"), "{printed}");
        }
    }
    assert!(stdout(&mut rate(&[], perfect)).contains("took every point"));
}

#[test]
fn uneven_seats_are_warned_of() {
    let uneven = "a,b,1-0\na,b,0-1\nb,a,1-0\n";
    let warned = |flags: &[&str], text: &str| {
        let output = rate(flags, text).assert().success().get_output().clone();
        String::from_utf8(output.stderr).unwrap().contains("uneven (as between a and b)")
    };
    assert!(warned(&[], uneven));
    assert!(!warned(&["--first-move", "fit"], uneven));
    assert!(!warned(&[], "a,b,1-0\nb,a,0-1\na,b,0-1\nb,a,0-1\n"));
}

#[test]
fn errors_are_one_line_with_the_place_and_what_is_accepted() {
    let header = "player0,player1,result,round\n";
    let good = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n";
    let cases: [(&[&str], &str, i32, &[&str]); 24] = [
        (&[], "", 1, &["standard input: no games", "player0,player1,result", "PGN"]),
        (&[], " \n\n", 1, &["no games"]),
        (&[], header, 1, &["no games"]),
        (&[], "name,elo\nx,3\n", 1, &["line 1", "`name,elo`", "player0, player1 and result"]),
        (&[], "\n\nplayer0,player1\na,b\n", 1, &["line 3", "player0, player1 and result"]),
        (&[], "player0,player1,result,result\na,b,1-0,1-0\n", 1, &["line 1", "result twice"]),
        (
            &[],
            &format!("{header}a,b,1-0,0\na,b,2-0,1\n"),
            1,
            &["line 3, column 3 (result)", "`2-0`", "1/2-1/2"],
        ),
        (&[], &format!("{header}a,b,1-0,0\na,b\n"), 1, &["line 3", "2 columns", "4 are needed"]),
        (&[], &format!("{header}a,b,1-0,0\na,\"b\n,1-0,\n"), 1, &["line 3"]),
        (&[], &format!("{header},b,1-0,0\n"), 1, &["line 2, column 1 (player0)", "without a name"]),
        (
            &[],
            &format!("{header}a,a,1-0,0\n"),
            1,
            &["line 2, column 2 (player1)", "`a` plays against itself"],
        ),
        (&[], &format!("{header}a,b,*,0\n"), 1, &["no game was finished"]),
        (&[], "a,b,1-0\na,b,draw\n", 1, &["line 2, column 3 (result)", "`draw`"]),
        (
            &[],
            &format!("{good}[White \"a\"]\n[Black \"b\"]\n\n*\n"),
            1,
            &["line 5", "no Result tag", "White, Black, Result"],
        ),
        (&[], "[White \"a\"]\n[Result \"1-0\"]\n", 1, &["line 1", "no Black tag"]),
        (&[], &good.replace("1-0", "won"), 1, &["line 3, tag Result", "`won`", "0-1"]),
        (
            &[],
            &format!("{good}1-0\n\n[White a]\n"),
            1,
            &["line 7", "`[White a]` is no tag", "[Name \"value\"]"],
        ),
        (&[], &good.replace("\"b\"", "\"a\""), 1, &["line 2, tag Black", "against itself"]),
        (&["--anchor", "c"], "a,b,1-0\n", 2, &["--anchor", "`c`", "`a`, `b`"]),
        (&["--anchor", "a=x"], "a,b,1-0\n", 2, &["--anchor a=x", "`x` is no rating"]),
        (&["--anchor", "a=inf"], "a,b,1-0\n", 2, &["`inf` is no rating"]),
        (&["--anchor", "a", "--anchor", "a=5"], "a,b,1-0\n", 2, &["`a` is given twice"]),
        (&["--first-move", "much"], "a,b,1-0\n", 2, &["--first-move", "fit"]),
        (&["--format", "csv", "--los"], "a,b,1-0\n", 2, &["--los", "table or json"]),
    ];
    for (flags, text, code, words) in cases {
        let output = rate(flags, text).assert().code(code).stdout("").get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        let error = error.lines().filter(|line| !line.starts_with("warning")).collect::<Vec<_>>();
        assert_eq!(error.len(), 1, "{flags:?} {text}: {error:?}");
        for word in words {
            assert!(error[0].contains(word), "{flags:?} {text}: {word} is missing: {error:?}");
        }
    }
    let missing = |path: &Path| {
        let refused =
            predicate::str::contains(path.display().to_string()).and(predicate::str::contains("\n").count(1));
        eval().arg("rate").arg(path).assert().code(1).stdout("").stderr(refused);
    };
    let folder = tempdir().unwrap();
    missing(&folder.path().join("no-such-file"));
    missing(folder.path());
    let latin = folder.path().join("latin.csv");
    fs::write(&latin, b"player0,player1,result\na,b,1-0\na,\xff,1-0\n").unwrap();
    eval()
        .arg("rate")
        .arg(&latin)
        .assert()
        .code(1)
        .stderr(predicate::str::contains("latin.csv: line 3, column 2: not UTF-8"));
}
