//! `giuthi-selfplay verify`: settings in a manifest that are impossible, or that did not make the games.

mod support;

use std::fs;

use giuthi_selfplay::{Epsilon, Format, Level, OpeningPlies, Settings, Temperature};
use serde_json::Value;
use support::dataset::{check, check_again, edit, good};
use support::{files, make, program, settings};
use tempfile::tempdir;

#[test]
fn settings_that_no_run_can_have_are_told() {
    let nothing = Value::Null;
    let text = |text: &str| Value::from(text);
    for (keys, column, words) in [
        (vec![("program", text("giuthi 1"))], "program", "is not a version of this program"),
        (vec![("agent", text("nobody"))], "agent", "`nobody` is no agent: there are random"),
        (vec![("agent", text("ab:depth=0"))], "agent", "a whole number from 1"),
        (vec![("agent", text("me@greedy"))], "agent", "has a label"),
        (vec![("agent", text("cmd:bot"))], "agent", "makes no dataset"),
        (vec![("agent", text("net:x"))], "weights", "null, but the agent has a weights file"),
        (vec![("weights", text("abc"))], "weights", "64 hexadecimal digits"),
        (vec![("weights", text(&"a".repeat(64)))], "weights", "the agent has no weights file"),
        (
            vec![("temperature", (-3).into()), ("temperature_plies", 20.into())],
            "temperature",
            "-3: a number from 0",
        ),
        (
            vec![("temperature", 0.into()), ("temperature_plies", 20.into())],
            "temperature",
            "0: a number from 0",
        ),
        (vec![("temperature", 1.into())], "temperature", "both null or neither"),
        (vec![("temperature_plies", 9.into())], "temperature", "both null or neither"),
        (
            vec![("temperature", 1.into()), ("temperature_plies", 20.into()), ("agent", text("random"))],
            "temperature",
            "no values to choose by",
        ),
        (vec![("part_games", 0.into())], "part_games", "at least 1"),
        (vec![("dataset_games", 0.into())], "dataset_games", "at least 1"),
        (vec![("dataset_games", u64::MAX.into())], "part_games", "are too many: 100000 are possible"),
        (vec![("level", 1.into())], "level", "nothing is compressed"),
        (vec![("compression", text("zstd"))], "level", "null, but the parts are compressed"),
        (vec![("variant", text("2x5x1"))], "variant", "over before the first move"),
    ] {
        let dir = good();
        edit(dir.path(), &keys);
        let (verified, faults) = check(dir.path(), 1000);
        assert_eq!(verified.faults as usize, faults.len());
        let told = faults.iter().find(|fault| fault.column.as_deref() == Some(column)).expect(words);
        assert_eq!((&told.path, told.line), (&dir.path().join("manifest.json"), None));
        assert!(told.what.starts_with(&format!("`{column}`: ")) && told.what.contains(words), "{told}");
    }
    // What does not even read as the key's kind makes no manifest.
    for (key, with) in [
        ("epsilon", Value::from(-0.5)),
        ("seed", (-1).into()),
        ("seed", 1.5.into()),
        ("opening_plies", "9..3".into()),
        ("shard", "2/2".into()),
        ("shard", "00/1".into()),
        ("level", 20.into()),
        ("compression", "gzip".into()),
        ("temperature_plies", 0.into()),
        ("variant", nothing.clone()),
    ] {
        let dir = good();
        edit(dir.path(), &[(key, with)]);
        let (code, _, said) = program(&["verify", dir.path().to_str().unwrap()]);
        assert!(code == 1 && said.contains("manifest.json: not a manifest: "), "{key}: {said}");
    }
}

#[test]
fn settings_that_did_not_make_the_games_are_told() {
    for (keys, words) in [
        (vec![("seed", Value::from(8))], "by its stream"),
        (vec![("opening_plies", "6".into())], "by its stream"),
        (vec![("opening_plies", "0..40".into())], "by its stream"),
        (vec![("epsilon", 0.2.into())], "by its stream"),
        (vec![("epsilon", 0.into())], "by its stream"),
        (vec![("agent", "greedy".into())], "the run's agent gives no value"),
        (vec![("temperature", 0.5.into()), ("temperature_plies", 20.into())], "by its stream"),
        (vec![("part_games", 10.into())], "does not belong here"),
        (vec![("dataset_games", 50.into())], "does not belong here"),
        (vec![("dataset_games", 90.into())], "of the run is not listed"),
        (vec![("shard", "0/2".into())], "no part of this run"),
        (vec![("variant", "2x5x6".into())], "by its moves the game is here at"),
        (vec![("compression", "zstd".into()), ("level", 1.into())], "`part-00000.csv` is listed and no part"),
    ] {
        let dir = good();
        edit(dir.path(), &keys);
        let (verified, faults) = check(dir.path(), 1000);
        assert!(faults.iter().any(|fault| fault.what.contains(words)), "{keys:?}: {faults:?}");
        assert_eq!(verified.faults as usize, faults.len(), "{keys:?}");
    }
    // The settings that the run began with stand beside.
    let dir = good();
    let run = files(dir.path())["run.json"].clone();
    edit(dir.path(), &[("agent", "ab:depth=2".into())]);
    assert_eq!(check(dir.path(), 20).1, []);
    fs::write(dir.path().join("run.json"), run).unwrap();
    let (_, faults) = check(dir.path(), 20);
    assert_eq!(faults.len(), 1, "{faults:?}");
    let told = (faults[0].path.clone(), faults[0].what.as_str());
    assert_eq!(told, (dir.path().join("run.json"), "--agent ab:depth=1, but ab:depth=2 in the manifest"));
    // Played again, the moves themselves tell.
    fs::remove_file(dir.path().join("run.json")).unwrap();
    let (_, faults) = check_again(dir.path(), 20, true);
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].what.contains("played again the row is `"), "{faults:?}");
}

#[test]
fn a_tally_that_is_not_that_of_the_games_is_told() {
    for key in ["results", "endings", "sources", "extra_moves", "longest_game"] {
        let dir = good();
        let path = dir.path().join("manifest.json");
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let counts = &mut value["parts"][1]["tally"][key];
        // It still adds up.
        match counts.as_array_mut() {
            Some(counts) => {
                let [first, second] = [0, 1].map(|at| counts[at].as_u64().unwrap());
                (counts[0], counts[1]) = ((first - 1).into(), (second + 1).into());
            }
            None => *counts = (counts.as_u64().unwrap() - 1).into(),
        }
        fs::write(&path, value.to_string()).unwrap();
        let (verified, faults) = check(dir.path(), 20);
        assert_eq!((faults.len(), verified.faults), (1, 1), "{key}: {faults:?}");
        let wanted = "`tally` of part `part-00001.csv` is not what its games come to";
        assert_eq!((&faults[0].path, faults[0].what.as_str()), (&path, wanted));
    }
}

#[test]
fn a_level_at_which_nothing_was_compressed_is_told() {
    let dir = tempdir().unwrap();
    let format = Format::Zstd(Level::try_from(3).unwrap());
    make(&Settings { format, ..settings("2x5x4", "ab:depth=1", 20, 10) }, dir.path(), 1);
    assert_eq!(check(dir.path(), 20).1, []);
    edit(dir.path(), &[("level", 9.into())]);
    let (_, faults) = check(dir.path(), 20);
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let part = dir.path().join("part-00000.csv.zst");
    assert_eq!(told, [format!("{}: not compressed as by `level` 9", part.display())]);
}

/// Whatever the agent and the settings, a dataset as it was made has no fault, not even when it is played again.
#[test]
fn datasets_of_every_kind_are_their_settings() {
    let temperature = |start| Temperature::new(start, Temperature::DEFAULT_PLIES).ok();
    let epsilon = Epsilon::try_from(0.2).unwrap();
    let agents = [
        ("random", None),
        ("greedy", None),
        ("ab:depth=2", None),
        ("ab:depth=1", temperature(0.3)),
        ("mcts:sims=20", None),
        ("mcts:sims=20", temperature(0.3)),
    ];
    for (at, (agent, temperature)) in agents.into_iter().enumerate() {
        let format = [Format::Plain, Format::Zstd(Level::default())][at % 2];
        let opening = OpeningPlies::new(at as u32, 5).unwrap();
        let distinct_openings = at % 3 == 2;
        let plain = settings("2x6x4", agent, 30, 10);
        let made = Settings { epsilon, temperature, format, opening, distinct_openings, ..plain };
        let dir = tempdir().unwrap();
        make(&made, dir.path(), 1);
        assert_eq!(check_again(dir.path(), 20, true).1, [], "{agent} {temperature:?}");
        edit(dir.path(), &[("seed", 8.into())]);
        assert_eq!(check(dir.path(), 20).1.len(), 3, "{agent} {temperature:?}");
    }
}

#[test]
fn distinct_openings_are_told_from_others() {
    let opening = OpeningPlies::new(4, 4).unwrap();
    let any = Settings { opening, ..settings("2x5x4", "random", 300, 100) };
    let distinct = Settings { distinct_openings: true, ..any.clone() };
    let dir = tempdir().unwrap();
    make(&distinct, dir.path(), 1);
    assert_eq!(check(dir.path(), 20).1, []);
    edit(dir.path(), &[("distinct_openings", false.into())]);
    let (_, faults) = check(dir.path(), 20);
    assert!(
        !faults.is_empty() && faults.iter().all(|fault| fault.what.contains("by its stream")),
        "{faults:?}"
    );
    let dir = tempdir().unwrap();
    make(&any, dir.path(), 1);
    edit(dir.path(), &[("distinct_openings", true.into())]);
    let (_, faults) = check(dir.path(), 20);
    let words = "begins from the same position as game ";
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.what.contains(words)), "{faults:?}");
}
