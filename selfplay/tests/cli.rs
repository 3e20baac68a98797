//! The program at the terminal: exit codes, errors of one line, what it prints.

mod support;

use std::path::Path;

use giuthi_selfplay::Manifest;
use serde_json::Value;
use support::{command, files, finish};
use tempfile::tempdir;

/// Runs the program; returns its exit code, stdout and stderr.
fn run(out: &Path, flags: &str) -> (i32, String, String) {
    let mut command = command();
    command.args(flags.split_whitespace()).arg("--out").arg(out);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    finish(&mut command)
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
        ("--games 5 --frobnicate merge", "--frobnicate"),
        ("--games 5 --preset best", "there are quick, standard, strong"),
        ("--games 5 --temperature -1", "a number from 0 to 100 is possible"),
        ("--games 5 --temperature nan", "a number from 0 to 100 is possible"),
        ("--games 5 --temperature 0.1 --temperature-plies 0", "a whole number from 1 to"),
        ("--games 5 --temperature-plies 5", "--temperature-plies: there is no temperature"),
        (
            "--games 5 --preset strong --temperature 0 --temperature-plies 5",
            "--temperature-plies: there is no",
        ),
        ("--games 5 --compress gzip", "possible values: zstd"),
        ("--games 5 --compress zstd --level 20", "a whole number from 1 to 19"),
        ("--games 5 --compress zstd --level 0", "a whole number from 1 to 19"),
        ("--games 5 --compress zstd --level +2", "a whole number from 1 to 19"),
        ("--games 5 --level 2", "--compress"),
        ("--games 5 --shard automatic", "or auto"),
        ("--games 5 --shard auto --shards 4", "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX"),
        ("--games 5 --shard 1/4 --shards 4", "--shards: only --shard auto"),
        ("--games 5 --shards 4", "--shards: only --shard auto"),
        ("merge", "<DIR>"),
        ("--games 5 sieve", "sieve"),
    ] {
        let (code, stdout, stderr) = run(&out, flags);
        assert_eq!((code, stdout.as_str()), (2, ""), "{flags}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{flags}: {stderr}");
        assert!(stderr.starts_with("giuthi-selfplay: ") && stderr.contains(words), "{flags}: {stderr}");
        assert!(!out.exists(), "{flags} made a folder");
    }
    // What the games themselves would tell: nothing is made for it either, nor said beforehand.
    let (code, _, stderr) = run(&out, "--variant 2x5x4 --games 5 --seed 1 --opening-plies 400");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(
        stderr.contains("--opening-plies: openings of 400 ") && stderr.contains("ask for fewer"),
        "{stderr}"
    );
    let (code, _, stderr) = run(&out, "--variant 2x5x1 --games 5 --seed 1");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("--variant: 2x5x1 is over before the first move"), "{stderr}");
    let (code, _, stderr) = run(&out, "--games 5 --seed 1 --agent greedy --temperature 0.1");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(
        stderr
            .ends_with("--temperature: this agent gives moves no values to choose by: ab, net and mcts do\n")
    );
    let (code, _, stderr) = run(&out, "--games 99 --seed 1 --opening-plies 1 --distinct-openings");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.lines().last().unwrap().contains("--distinct-openings: game "), "{stderr}");
    let (code, _, stderr) = run(&out, "--games 5 --seed 1 --preset strong --agent random");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("--temperature: this agent gives moves no values"), "{stderr}");
    // A shard without games is none the less asked for what is impossible.
    let (code, _, stderr) = run(&out, "--games 5 --seed 1 --agent random --temperature 1 --shard 1/2");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    let (code, _, stderr) = run(&out, "--games 5 --seed 1 --preset quick --agent cmd:bot");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("--agent: an external program (cmd:) can play in tournaments"), "{stderr}");
    assert!(!out.exists(), "a folder was made");
}

#[test]
fn a_folder_that_is_refused_is_left_as_it_is() {
    let dir = tempdir().unwrap();
    std::fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let before = files(dir.path());
    let (code, _, stderr) = run(
        dir.path(),
        "--variant 2x5x4 --games 5 --seed 1 --preset quick --agent ab:ms=1 --distinct-openings",
    );
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("`notes.txt` is there"), "{stderr}");
    assert!(files(dir.path()) == before, "{:?}", files(dir.path()).keys());
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

/// A folder below which nobody may write: the whole run is refused before a game is played.
#[test]
#[cfg(target_os = "linux")]
fn an_unwritable_folder_is_named() {
    // Not even an administrator, as whom this test may run, makes folders here.
    for out in [Path::new("/proc/games"), Path::new("/proc/self")] {
        let (code, stdout, stderr) = run(out, "--variant 2x5x4 --games 5 --agent random --seed 1");
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
        assert!(stderr.contains(out.to_str().unwrap()), "{stderr}");
    }
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
    assert_eq!(code, 0);
    // The positions are not looked at again.
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(again.lines().count(), table.lines().count());
    for (again, line) in again.lines().zip(table.lines()) {
        match line.trim_start().starts_with("distinct positions") {
            true => assert_eq!(words(again), ["distinct", "positions", "-"]),
            false => assert_eq!(words(again), words(line)),
        }
    }
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
    std::fs::remove_file(dir.path().join("manifest.json")).unwrap();
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
fn presets_set_flags_and_flags_go_before_them() {
    let dir = tempdir().unwrap();
    let of = |name: &str, flags: &str| {
        let out = dir.path().join(name);
        let (code, _, stderr) = run(&out, &format!("--variant 2x5x4 --games 2 --seed 1 {flags}"));
        assert_eq!(code, 0, "{stderr}");
        (Manifest::load(&out).unwrap().run, stderr)
    };
    let (plain, stderr) = of("plain", "");
    assert!(!stderr.contains("preset"), "{stderr}");
    assert_eq!((plain.agent.as_str(), plain.temperature), ("ab:depth=3", None));
    let (standard, stderr) = of("standard", "--preset standard");
    assert_eq!(standard, plain);
    assert!(stderr.starts_with("preset standard: --agent ab:depth=3 --opening-plies 6..12 "), "{stderr}");
    let (quick, stderr) = of("quick", "--preset quick --epsilon 0.1");
    assert_eq!((quick.agent.as_str(), quick.epsilon.get()), ("ab:depth=2", 0.1));
    let told = "preset quick: --agent ab:depth=2 --opening-plies 6..12 --epsilon 0.1 --temperature 0";
    assert!(stderr.starts_with(&format!("{told}\n")), "{stderr}");
    let (strong, stderr) = of("strong", "--preset strong --agent ab:depth=2");
    assert_eq!((strong.agent.as_str(), strong.temperature), ("ab:depth=2", Some(0.05)));
    assert!(stderr.contains("--temperature 0.05 --temperature-plies 20\n"), "{stderr}");
}

#[test]
fn a_cluster_tells_the_shard_where_it_is_asked_to() {
    let dir = tempdir().unwrap();
    let of = |name: &str, flags: &str, variables: &[(&str, &str)]| {
        let out = dir.path().join(name);
        let mut command = command();
        let flags = format!("--variant 2x5x4 --games 20 --part-games 5 --agent random --seed 1 {flags}");
        command.args(flags.split_whitespace()).arg("--out").arg(&out).envs(variables.iter().copied());
        let (code, _, stderr) = finish(&mut command);
        (code, stderr, Manifest::load(&out).map(|manifest| manifest.run.shard.to_string()).ok())
    };
    let array = [
        ("SLURM_ARRAY_TASK_ID", "1"),
        ("SLURM_ARRAY_TASK_COUNT", "4"),
        ("SLURM_ARRAY_TASK_MIN", "0"),
        ("SLURM_ARRAY_TASK_MAX", "3"),
    ];
    let (code, stderr, shard) = of("slurm", "--shard auto", &array);
    assert_eq!((code, shard.as_deref()), (0, Some("1/4")));
    assert!(stderr.starts_with("shard 1/4, by SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT\n"), "{stderr}");
    let (code, stderr, shard) = of("kubernetes", "--shard auto --shards 2", &[("JOB_COMPLETION_INDEX", "0")]);
    assert_eq!((code, shard.as_deref()), (0, Some("0/2")));
    assert!(stderr.starts_with("shard 0/2, by JOB_COMPLETION_INDEX\n"), "{stderr}");
    // Nobody is surprised by variables that happen to be there.
    let (code, stderr, shard) = of("whole", "", &array);
    assert_eq!((code, shard.as_deref()), (0, Some("0/1")));
    assert!(!stderr.contains("shard"), "{stderr}");
    let (code, _, shard) = of("given", "--shard 3/4", &array);
    assert_eq!((code, shard.as_deref()), (0, Some("3/4")));
    let (code, stderr, shard) = of("late", "--shard auto", &[("SLURM_ARRAY_TASK_ID", "4")]);
    assert_eq!((code, stderr.lines().count(), shard), (2, 1, None), "{stderr}");
    assert!(stderr.contains("--shard auto: SLURM_ARRAY_TASK_ID tells"), "{stderr}");
}

#[test]
fn shards_are_merged_at_the_terminal() {
    let dir = tempdir().unwrap();
    let flags = "--variant 2x5x4 --games 40 --part-games 10 --agent greedy --seed 3 --compress zstd";
    let (code, _, _) = run(&dir.path().join("whole"), flags);
    assert_eq!(code, 0);
    for index in 0..2 {
        assert_eq!(run(&dir.path().join(format!("{index}")), &format!("{flags} --shard {index}/2")).0, 0);
    }
    let merge = |shards: &[&str], flags: &str| {
        let mut command = command();
        command.arg("merge").args(shards).args(flags.split_whitespace()).current_dir(dir.path());
        finish(&mut command)
    };
    let (code, stdout, stderr) = merge(&["1", "0"], "--out merged --verify --json");
    assert_eq!((code, stdout.lines().count()), (0, 1), "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&json["games"], &json["shard"], &json["parts"]), (&40.into(), &"0/1".into(), &4.into()));
    assert!(stderr.starts_with("merging: 4 parts in "), "{stderr}");
    assert!(files(&dir.path().join("merged")) == files(&dir.path().join("whole")));
    let (code, stdout, stderr) = merge(&["1"], "--out half");
    assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1));
    assert!(stderr.ends_with("giuthi-selfplay: 2 of 4 parts are missing: shard 0/2\n"), "{stderr}");
    let (code, _, stderr) = merge(&["0", "1"], "");
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("--out"), "{stderr}");
}

#[test]
fn progress_without_a_terminal_is_plain_lines() {
    let dir = tempdir().unwrap();
    let (_, _, stderr) = run(dir.path(), "--variant 2x5x4 --games 20 --agent greedy --seed 1");
    assert!(stderr.contains("self-play: 20 games in "), "{stderr}");
    assert!(stderr.chars().all(|c| !c.is_control() || c == '\n'), "{stderr:?}");
}
