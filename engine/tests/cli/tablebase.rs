//! `giuthi tablebase`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{fs, io};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::{giuthi, objects, printed, refused};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn build<'a>(pits: &'a str, seeds: &'a str, dir: &'a Path) -> [&'a str; 8] {
    ["tablebase", "build", "--pits", pits, "--seeds", seeds, "--out", text(dir)]
}

/// Tables of `2x5` with up to so many seeds.
fn tables(seeds: &str) -> TempDir {
    let dir = tempdir().unwrap();
    giuthi(build("5", seeds, dir.path())).assert().success().stdout("");
    dir
}

#[test]
fn built_verified_and_probed() {
    let dir = tempdir().unwrap();
    let output =
        giuthi(build("5", "6", dir.path())).assert().success().stdout("").get_output().stderr.clone();
    let told = String::from_utf8(output).unwrap();
    let first = told.lines().next().unwrap();
    assert!(first.starts_with("8008 boards of up to 6 seeds on rows of 5 pits: at most "), "{told}");
    assert!(first.contains(" of memory, ") && first.ends_with(" of disk"), "{told}");
    assert!(told.ends_with("all boards of up to 6 seeds are there\n"), "{told}");
    let verified = giuthi(["tablebase", "verify", text(dir.path())]).assert().success();
    let said = String::from_utf8_lossy(&verified.get_output().stdout).into_owned();
    assert!(said.ends_with("every file is whole, every value follows and every win is reached\n"), "{said}");
    // Player 0 has the moves that player 1 has on the same board the other way round.
    for position in ["0,0,0,2,2 0,0,1,1,0 3 0 1", "0,0,1,1,0 0,0,0,2,2 0 3 0"] {
        let lines =
            objects(["tablebase", "probe", "--json", "--tb", text(dir.path()), "--position", position]);
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(line["position"], position);
        assert_eq!((&line["lead"], line["moves"].as_array().unwrap().len()), (&json!(-3), 4));
        for worth in line["moves"].as_array().unwrap().iter().chain([line]) {
            let threshold = |key: &str| match &worth[key] {
                Value::String(word) if word == "always" => i64::MIN,
                Value::String(word) if word == "never" => i64::MAX,
                lead => lead.as_i64().unwrap(),
            };
            let value = match (threshold("win_min_lead") <= -3, threshold("draw_min_lead") <= -3) {
                (true, _) => "win",
                (false, true) => "draw",
                (false, false) => "loss",
            };
            assert_eq!(worth["value"], value, "{line}");
        }
    }
    let position = "0,0,0,0,0 6,0,0,0,0 0 0 1";
    let said = printed(["tablebase", "probe", "--tb", text(dir.path()), "--position", position]);
    assert!(
        said.starts_with("Player 1 to move: no pit with two seeds, a forced pass.\nlead of player 1: 0\n"),
        "{said}"
    );
    assert!(said.lines().last().unwrap().starts_with("pass "), "{said}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = tables("3");
    let dir = text(dir.path());
    let probe = |position| ["tablebase", "probe", "--tb", dir, "--position", position];
    refused(probe("0,0,0,0,2 2,0,0,0,0 0 0 0"), 1, "4 seeds lie on the board, and the tables of");
    refused(probe("0,0,0,0,0,2 0,0,0,0,0,0 0 0 0"), 1, "rows of 5 pits, but --position has rows of 6");
    refused(["tablebase", "verify", "nowhere"], 1, "nowhere: no `manifest.json`, so no endgame tables");
    let out = tempdir().unwrap();
    let out = text(out.path());
    let build = ["tablebase", "build", "--out", out, "--pits"];
    refused(
        build.iter().chain(&["11", "--seeds", "3"]),
        2,
        "'--pits <W>': a whole number from 5 to 10 is possible",
    );
    refused(
        build.iter().chain(&["5", "--seeds", "61"]),
        2,
        "'--seeds <N>': a whole number from 0 to 60 is possible",
    );
    let memory = ["8", "--seeds", "12", "--memory", "150"];
    refused(
        build.iter().chain(&memory),
        1,
        "--seeds 12: needs 250 MB of memory, --memory allows 150 MB; --seeds 11 fits",
    );
    refused(build.iter().chain(&["10", "--seeds", "60"]), 1, "--seeds 60: needs ");
}

/// The files of a folder, its lock aside, and what is in them.
fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), fs::read(dir.join(name)).unwrap())).collect()
}

#[test]
fn a_build_killed_goes_on_to_the_same_bytes() {
    let whole = tables("11");
    let dir = tempdir().unwrap();
    for last in ["seeds-03.tb", "seeds-10.tb"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_giuthi"))
            .args(build("5", "11", dir.path()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !dir.path().join(last).exists() && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    giuthi(build("5", "11", dir.path())).assert().success();
    assert!(content(whole.path()) == content(dir.path()));
}

#[test]
#[cfg(unix)]
fn asked_to_stop_it_says_how_to_go_on() -> io::Result<()> {
    let dir = tempdir()?;
    // Far more than is built before the signal comes.
    let child = Command::new(env!("CARGO_BIN_EXE_giuthi"))
        .args(build("6", "16", dir.path()))
        .stderr(Stdio::piped())
        .spawn()?;
    while !dir.path().join("seeds-06.tb").exists() {
        sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?.success());
    let output = child.wait_with_output()?;
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("giuthi: stopped: boards of up to "), "{told}");
    assert!(
        last.contains("seeds are there; to go on: giuthi tablebase build --pits 6 --seeds 16 --out "),
        "{told}"
    );
    Ok(())
}

#[test]
fn the_fast_way_is_measured_beside_the_plain_one() {
    let lines = objects(["tablebase", "bench", "--json", "--seeds", "6"]);
    assert_eq!(lines[0]["boards"], 8008);
    for key in ["boards_per_s", "one_thread_boards_per_s", "plain_boards_per_s", "probes_per_s"] {
        assert!(lines[0][key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(printed(["tablebase", "bench", "--seeds", "4"]).contains("faster than the plain way"));
}

#[test]
fn agents_play_by_them() {
    let dir = tables("7");
    for agent in ["ab:depth=4", "mcts:sims=20"] {
        let spec = format!("{agent},tb={}", text(dir.path()));
        for position in
            ["0,0,2,0,2 0,0,2,1,0 5 8 1", "0,0,2,1,0 0,0,2,0,2 9 2 0", "0,0,0,0,2 2,0,0,0,0 0 0 1"]
        {
            let found =
                objects(["analyze", "--json", "--seed", "1", "--agent", &spec, "--position", position]);
            let table =
                objects(["tablebase", "probe", "--json", "--tb", text(dir.path()), "--position", position]);
            let value = match table[0]["value"].as_str().unwrap() {
                "win" => 1.0,
                "draw" => 0.0,
                _ => -1.0,
            };
            let last = found.last().unwrap();
            assert_eq!(last["value"].as_f64(), Some(value), "{last}");
            let moves = table[0]["moves"].as_array().unwrap();
            let chosen = moves.iter().find(|each| each["move"] == last["move"]).unwrap();
            assert_eq!(chosen["value"], table[0]["value"]);
        }
        refused(
            ["analyze", "--seed", "1", "--agent", &spec],
            1,
            "rows of 5 pits, but the board has rows of 8",
        );
    }
    refused(
        ["analyze", "--seed", "1", "--agent", "ab:depth=1,tb=nowhere"],
        1,
        "tb=: nowhere: no `manifest.json`",
    );
}
