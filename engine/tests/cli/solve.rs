//! `giuthi solve` and `giuthi verify-proof`.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::tempdir;

use super::{OVER, giuthi, objects, printed, refused};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn it_tells_value_move_and_line() {
    let lines = objects(["solve", "--variant", "2x5x2", "--json"]);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(
        (&line["value"], &line["least"], &line["most"]),
        (&json!("win"), &json!("win"), &json!("win"))
    );
    assert_eq!(line["move"], line["line"][0]);
    assert!(line["nodes"].as_u64().unwrap() > 0);
    let told = printed(["solve", "--variant", "2x5x2"]);
    assert!(told.starts_with("Player 0, to move, wins ("), "{told}");
    assert!(told.contains("lifts 2 from pit"), "{told}");
    assert!(told.ends_with(" to 7.\n") || told.contains("player 0 wins"), "{told}");
    let over = objects(["solve", "--json", "--position", OVER]);
    assert_eq!((&over[0]["value"], &over[0]["move"]), (&json!("loss"), &json!(null)));
}

#[test]
fn a_limit_leaves_what_is_proven() {
    let lines = objects(["solve", "--variant", "2x8x8", "--nodes", "50", "--json"]);
    assert_eq!(lines[0]["value"], "unknown");
    assert!(lines[0]["nodes"].as_u64().unwrap() <= 50);
    let told = printed(["solve", "--variant", "2x8x8", "--nodes", "50"]);
    assert!(told.starts_with("Unknown: "), "{told}");
    let timed =
        objects(["solve", "--variant", "2x8x8", "--ms", "50", "--hash", "2", "--threads", "2", "--json"]);
    assert_eq!(timed[0]["value"], "unknown");
    for (flag, value) in [("--nodes", "0"), ("--ms", "-1"), ("--hash", "1"), ("--threads", "3")] {
        refused(["solve", flag, value], 2, "a whole number from");
    }
}

#[test]
fn a_certificate_is_written_and_checked() {
    let dir = tempdir().unwrap();
    let (won, drawn) = (dir.path().join("won"), dir.path().join("drawn"));
    giuthi(["solve", "--variant", "2x5x2", "--certificate", text(&won)]).assert().success();
    giuthi(["solve", "--variant", "2x5x1", "--certificate", text(&drawn)]).assert().success();
    let lines = objects(["verify-proof", "--json", text(&won), text(&drawn)]);
    let told: Vec<_> = lines.iter().map(|line| (&line["player"], &line["goal"])).collect();
    assert_eq!(told, [(&json!(0), &json!("win")), (&json!(0), &json!("draw")), (&json!(1), &json!("draw"))]);
    assert_eq!(lines[0]["moves"], lines[0]["own"]);
    assert!(printed(["verify-proof", text(&won)]).contains("player 0 wins: proven"));

    // What is there is not written over.
    let before = fs::read(&won).unwrap();
    let again = ["solve", "--variant", "2x5x2", "--nodes", "1", "--certificate", text(&won)];
    refused(again, 1, "the file is there already: choose another name");
    assert_eq!(fs::read(&won).unwrap(), before);

    // The same compressed.
    let packed = dir.path().join("won.zst");
    giuthi(["solve", "--variant", "2x5x2", "--certificate", text(&packed)]).assert().success();
    assert!(fs::read(&packed).unwrap().starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    let told = printed(["verify-proof", text(&packed)]);
    assert_eq!(told.replace("won.zst", "won"), printed(["verify-proof", text(&won)]));
    let whole = fs::read(&packed).unwrap();
    fs::write(&packed, &whole[..whole.len() - 5]).unwrap();
    giuthi(["verify-proof", text(&packed)]).assert().code(1).stdout("");

    // A move changed, a move less, a head changed, something else.
    let proof = fs::read_to_string(&won).unwrap();
    let bent = dir.path().join("bent");
    for (from, to, says) in [
        ("goal win", "goal loss", "line 4: `loss` is not a goal: win and draw are possible"),
        ("player 0", "player 1", "the proof does not hold at move 0"),
        ("tables none", "tables 12", "it leans on tables of 12 seeds, which are not given"),
        ("tables none", "tables -1", "line 5: `-1` is not a whole number, nor none"),
        ("moves ", "moves 9", "moves are there: the file is cut"),
        ("giuthi-proof 1", "giuthi-proof 2", "line 1: a proof begins with the line `giuthi-proof 1`"),
        ("ccw", "ccww", "is not a move"),
        ("2,2,2,2,2 0 0 0", "2,2,2,2,2 0 30 0", "the proof does not hold"),
    ] {
        assert!(proof.contains(from));
        fs::write(&bent, proof.replacen(from, to, 1)).unwrap();
        refused(["verify-proof", text(&bent)], 1, says);
    }
    fs::write(&bent, [0xff, 0xfe]).unwrap();
    refused(["verify-proof", text(&bent)], 1, "line 1: this is not text in UTF-8");
    refused(["verify-proof", text(&dir.path().join("none"))], 1, "cannot open");
    refused(["verify-proof"], 2, "<FILE>");
}

#[test]
fn nothing_proven_is_no_certificate() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("proof");
    let run = ["solve", "--variant", "2x8x8", "--nodes", "5", "--json", "--certificate", text(&path)];
    giuthi(run).assert().code(1).stderr(predicates::str::contains("nothing is proven"));
    assert!(!path.exists());
}

#[test]
fn what_could_not_be_written_is_refused_before_the_search() {
    let dir = tempdir().unwrap();
    let (nowhere, file) = (dir.path().join("no/file"), dir.path().join("file"));
    for flag in ["--memory", "--certificate"] {
        for path in [nowhere.as_path(), dir.path()] {
            let run = ["solve", "--variant", "2x5x2", flag, text(path)];
            let output = giuthi(run).assert().code(1).stdout("").get_output().stderr.clone();
            let told = String::from_utf8(output).unwrap();
            let says = format!("giuthi: {flag} {}: cannot be written: ", path.display());
            assert!(told.starts_with(&says) && told.lines().count() == 1, "{told}");
        }
    }
    let both = ["solve", "--variant", "2x5x2", "--memory", text(&file), "--certificate", text(&file)];
    refused(both, 2, "give each its own file");
    assert!(!file.exists());
}

#[test]
fn it_leans_on_tables() {
    let dir = tempdir().unwrap();
    let (tables, proof) = (dir.path().join("tables"), dir.path().join("proof"));
    giuthi(["tablebase", "build", "--pits", "5", "--seeds", "8", "--out", text(&tables)]).assert().success();
    giuthi(["solve", "--variant", "2x5x2", "--tb", text(&tables), "--certificate", text(&proof)])
        .assert()
        .success();
    let lines = objects(["verify-proof", "--json", "--tb", text(&tables), text(&proof)]);
    assert_eq!(lines[0]["tables"], 8);
    refused(["verify-proof", text(&proof)], 1, "it leans on tables of 8 seeds, which are not given");
    refused(["solve", "--tb", text(&tables)], 2, "tables of rows of 5 pits, but the position has rows of 8");
}

#[test]
fn it_goes_on_from_what_it_remembers() {
    let dir = tempdir().unwrap();
    let memory = dir.path().join("memory");
    let run = |nodes: &str, variant: &str| {
        let run = [
            "solve",
            "--variant",
            variant,
            "--nodes",
            nodes,
            "--hash",
            "16",
            "--memory",
            text(&memory),
            "--json",
        ];
        giuthi(run).output().unwrap()
    };
    let whole = objects(["solve", "--variant", "2x5x3", "--json"])[0]["nodes"].as_u64().unwrap();
    let mut visited = 0;
    loop {
        let output = run("3000", "2x5x3");
        assert!(output.status.success(), "{output:?}");
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        visited += line["nodes"].as_u64().unwrap();
        if line["value"] != "unknown" {
            assert_eq!(line["value"], "win");
            break;
        }
        assert!(visited < 3 * whole, "it does not get on: {visited} of {whole}");
    }
    assert!(visited > 3000);
    // Of another position, cut, changed.
    let said = |output: std::process::Output| {
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(run("10", "2x5x2")).contains("it is of another search: "));
    let whole = fs::read(&memory).unwrap();
    fs::write(&memory, &whole[..whole.len() - 1]).unwrap();
    assert!(said(run("10", "2x5x3")).contains("it is no memory of a solver, or damaged"));
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&memory, changed).unwrap();
    assert!(said(run("10", "2x5x3")).contains("it is no memory of a solver, or damaged"));
}
