//! The program at the terminal: exit codes, errors of one line, what it prints.

mod support;

use std::path::Path;

use assert_cmd::Command;
use giuthi_selfplay::Manifest;
use serde_json::Value;
use support::files;
use tempfile::tempdir;

/// Runs the program; returns its exit code, stdout and stderr.
fn run(out: &Path, flags: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("giuthi-selfplay").unwrap();
    command.args(flags.split_whitespace()).arg("--out").arg(out);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("out");
    for (flags, words) in [
        ("--games 0", "a whole number from 1 to"),
        ("--games -5", "a whole number from 1 to"),
        ("--games many", "a whole number from 1 to"),
        ("", "--games"),
        ("--games 5 --variant 2x4x4", "`2x4x4` is not a variant"),
        ("--games 5 --agent ab", "agent `ab` needs a limit"),
        ("--games 5 --agent nobody", "`nobody` is no agent: there are random, greedy"),
        ("--games 5 --shard 3/3", "from 0 to N-1"),
        ("--games 5 --shard 0/0", "from 0 to N-1"),
        ("--games 5 --shard 1", "write I/N"),
        ("--games 5 --epsilon 2", "a share from 0 to 1"),
        ("--games 5 --epsilon -0.1", "a share from 0 to 1"),
        ("--games 5 --epsilon nan", "a share from 0 to 1"),
        ("--games 5 --opening-plies 9..3", "its least and most"),
        ("--games 5 --opening-plies 3..", "its least and most"),
        ("--games 5 --opening-plies -1", "its least and most"),
        ("--games 5 --threads 0", "a whole number from 1 to 1024"),
        ("--games 5 --threads 5000", "a whole number from 1 to 1024"),
        ("--games 5 --part-games 0", "a whole number from 1 to"),
        ("--games +5", "a whole number from 1 to"),
        ("--games 5 --threads +2", "a whole number from 1 to 1024"),
        ("--games 5 --part-games +2", "a whole number from 1 to"),
        ("--games 5 --seed x", "a whole number from 0 to 18446744073709551615"),
        ("--games 5 --seed -1", "a whole number from 0 to 18446744073709551615"),
        ("--games 5 --seed +1", "a whole number from 0 to 18446744073709551615"),
        ("--games 5 --seed 18446744073709551616", "a whole number from 0 to 18446744073709551615"),
        ("--games 5 --variant -x", "`-x` is not a variant"),
        ("--games 5 --shard -1/2", "write I/N"),
        ("--games 100001 --part-games 1 --seed 1", "--part-games: 100001 parts are too many"),
        ("--games 5 --frobnicate", "--frobnicate"),
    ] {
        let (code, stdout, stderr) = run(&out, flags);
        assert_eq!((code, stdout.as_str()), (2, ""), "{flags}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{flags}: {stderr}");
        assert!(stderr.starts_with("giuthi-selfplay: ") && stderr.contains(words), "{flags}: {stderr}");
        assert!(!out.exists(), "{flags} made a folder");
    }
    let (code, _, stderr) = run(&out, "--variant 2x5x4 --games 5 --seed 1 --opening-plies 400");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(
        stderr.contains("--opening-plies: openings of 400 ") && stderr.contains("ask for fewer"),
        "{stderr}"
    );
    let (code, _, stderr) = run(&out, "--variant 2x5x1 --games 5 --seed 1");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("--variant: 2x5x1 is over before the first move"), "{stderr}");
}

#[test]
fn work_that_fails_is_one_line_and_exit_code_1() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let flags = "--variant 2x5x4 --games 5 --agent random --seed 1";
    for out in [file.clone(), file.join("below")] {
        let (code, stdout, stderr) = run(&out, flags);
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
        assert!(stderr.contains("cannot make the folder"), "{stderr}");
    }
    let (code, _, stderr) = run(&dir.path().join("x"), "--games 5 --agent net:/no/such/file --seed 1");
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("/no/such/file"), "{stderr}");
    assert!(!dir.path().join("x").exists());
    let out = dir.path().join("out");
    assert_eq!(run(&out, flags).0, 0);
    let (code, _, stderr) = run(&out, "--variant 2x5x4 --games 6 --agent random --seed 1");
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("--games 5 (now 6)"), "{stderr}");
}

#[test]
fn a_part_that_cannot_be_written_is_named() {
    let dir = tempdir().unwrap();
    let flags = "--variant 2x5x4 --games 20 --part-games 10 --agent random --seed 1";
    assert_eq!(run(dir.path(), flags).0, 0);
    let part = dir.path().join("part-00001.csv");
    std::fs::remove_file(&part).unwrap();
    std::fs::create_dir_all(part.join("in the way")).unwrap();
    let (code, _, stderr) = run(dir.path(), flags);
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("part-00001.csv"), "{stderr}");
}

#[test]
fn a_finished_run_repeated_says_so_and_changes_nothing() {
    let dir = tempdir().unwrap();
    let flags = "--variant 2x5x4 --games 30 --part-games 10 --agent greedy --seed 1";
    let (code, table, _) = run(dir.path(), flags);
    assert_eq!(code, 0);
    let before = files(dir.path());
    let (code, again, stderr) = run(dir.path(), &format!("{flags} --threads 3"));
    assert_eq!((code, again), (0, table));
    assert!(stderr.starts_with("checking: 30 games in "), "{stderr}");
    assert!(stderr.ends_with("\neverything is there already: 3 parts\n"), "{stderr}");
    assert!(files(dir.path()) == before);
    std::fs::remove_file(dir.path().join("part-00002.csv")).unwrap();
    let (code, _, stderr) = run(dir.path(), flags);
    assert_eq!(code, 0);
    assert!(stderr.contains("\nthere already: 2 of 3 parts\nself-play: 10 games in "), "{stderr}");
    assert!(files(dir.path()) == before);
}

#[test]
fn without_a_seed_one_is_drawn_and_the_run_repeated_takes_it_up() {
    let dir = tempdir().unwrap();
    let flags = "--variant 2x5x4 --games 5 --agent greedy";
    let (code, _, stderr) = run(dir.path(), flags);
    assert_eq!(code, 0);
    let seed = Manifest::load(dir.path()).unwrap().run.seed;
    assert!(stderr.starts_with(&format!("seed {seed}\n")), "{stderr}");
    let before = files(dir.path());
    let (code, _, stderr) = run(dir.path(), flags);
    assert_eq!(code, 0);
    assert!(stderr.starts_with(&format!("seed {seed}, of the run begun in ")), "{stderr}");
    let other = tempdir().unwrap();
    assert_eq!(run(other.path(), &format!("{flags} --seed {seed}")).0, 0);
    assert!(files(other.path()) == before);
}

#[test]
fn the_table_and_the_json_tell_the_same() {
    let dir = tempdir().unwrap();
    let flags = "--variant 2x5x4 --games 40 --agent greedy --seed 9";
    let (_, table, _) = run(dir.path(), flags);
    let (code, json, _) = run(dir.path(), &format!("{flags} --json"));
    assert_eq!((code, json.lines().count()), (0, 1));
    let json: Value = serde_json::from_str(&json).unwrap();
    let number = |words: &str| -> f64 {
        let line = table.lines().find(|line| line.trim_start().starts_with(words)).expect(words);
        line.trim_start()[words.len()..].split_whitespace().next().unwrap().parse().unwrap()
    };
    for (words, found) in [
        ("games", &json["games"]),
        ("player 0 won", &json["player0_wins"]),
        ("drawn", &json["draws"]),
        ("player 1 won", &json["player1_wins"]),
        ("ended by no-moves", &json["endings"]["no-moves"]),
        ("ended by repetition", &json["endings"]["repetition"]),
        ("ended by endless", &json["endings"]["endless"]),
        ("rows", &json["rows"]),
        ("search", &json["moves"]["search"]),
        ("random", &json["moves"]["random"]),
        ("forced", &json["moves"]["forced"]),
        ("distinct positions", &json["distinct_positions"]),
    ] {
        assert_eq!(Some(number(words)), found.as_f64(), "{words}\n{table}");
    }
    assert!((number("plies a game") - json["mean_plies"].as_f64().unwrap()).abs() <= 0.05);
    assert!((number("extra moves") - json["mean_extra_moves"].as_f64().unwrap()).abs() <= 0.05);
    assert_eq!((&json["games_played_now"], &json["distinct_positions_exact"]), (&0.into(), &true.into()));
    assert!(table.is_ascii(), "{table}");
}

#[test]
fn a_shard_without_games_warns_and_is_an_empty_dataset() {
    let dir = tempdir().unwrap();
    let (code, _, stderr) = run(dir.path(), "--variant 2x5x4 --games 5 --agent greedy --seed 1 --shard 1/2");
    assert_eq!(code, 0);
    assert!(stderr.starts_with("warning: no games for shard 1/2"), "{stderr}");
    let manifest = Manifest::load(dir.path()).unwrap();
    assert_eq!((manifest.games, manifest.rows, manifest.parts.len()), (0, 0, 0));
}

#[test]
fn an_agent_that_plays_by_the_clock_warns() {
    let dir = tempdir().unwrap();
    let (code, _, stderr) = run(dir.path(), "--variant 2x5x4 --games 1 --agent ab:ms=1 --seed 1");
    assert_eq!(code, 0);
    assert!(stderr.contains("warning: this agent plays by the clock"), "{stderr}");
}

#[test]
fn progress_without_a_terminal_is_plain_lines() {
    let dir = tempdir().unwrap();
    let (_, _, stderr) = run(dir.path(), "--variant 2x5x4 --games 20 --agent greedy --seed 1");
    assert!(stderr.contains("self-play: 20 games in "), "{stderr}");
    assert!(stderr.chars().all(|c| !c.is_control() || c == '\n'), "{stderr:?}");
}
