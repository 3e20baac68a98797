//! `giuthi-selfplay verify`: every kind of fault planted, found, and told with its place.

mod support;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use giuthi_selfplay::Manifest;
use giuthi_selfplay::verify::{Event, Fault, Verified, verify};
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{files, make, program, settings};
use tempfile::{TempDir, tempdir};

/// 60 games in 3 parts, with values.
fn good() -> TempDir {
    let dir = tempdir().unwrap();
    make(&settings("2x5x4", "ab:depth=1", 60, 20), dir.path(), 1);
    dir
}

fn check(dir: &Path, most: usize) -> (Verified, Vec<Fault>) {
    check_again(dir, most, false)
}

fn check_again(dir: &Path, most: usize, again: bool) -> (Verified, Vec<Fault>) {
    let mut faults = Vec::new();
    let verified = verify(dir, NonZeroUsize::new(2).unwrap(), most, again, |event| {
        if let Event::Fault(fault) = event {
            faults.push(fault.clone());
        }
    });
    (verified.unwrap(), faults)
}

/// Changes the second part, and the manifest so that hash and rows are those of the changed file.
fn plant(dir: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let path = dir.join("part-00001.csv");
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    let text = lines.join("\n") + "\n";
    fs::write(&path, &text).unwrap();
    let mut manifest = Manifest::load(dir).unwrap();
    let rows = lines.iter().filter(|line| !line.is_empty()).count() as u64 - 1;
    manifest.rows = manifest.rows - manifest.parts[1].rows + rows;
    manifest.parts[1].rows = rows;
    manifest.parts[1].sha256 = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    manifest.save(dir).unwrap();
}

/// Changes one field of a line.
fn set(line: &mut String, column: usize, change: impl FnOnce(&str) -> String) {
    let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
    fields[column] = change(&fields[column]);
    *line = fields.join(",");
}

/// Where a game of the second part begins, counted from 0 among its lines.
fn of_game(lines: &[String], game: usize) -> usize {
    let start = format!("{game},0,");
    lines.iter().position(|line| line.starts_with(&start)).unwrap()
}

/// Number of a row with this source that is neither first nor last of its game.
fn of_source(lines: &[String], source: &str) -> usize {
    let inner = |at: &usize| {
        let game = |at: usize| lines[at].split(',').next().unwrap();
        lines[*at].contains(&format!(",{source},")) && game(at - 1) == game(at + 1)
    };
    (2..lines.len() - 1).find(inner).unwrap()
}

// Columns of boards with rows of five pits.
const PLAYER: usize = 2;
const P0: usize = 3;
const PILE0: usize = 13;
const MOVE: usize = 15;
const SOURCE: usize = 16;
const VALUE: usize = 17;
const RESULT: usize = 18;
const MARGIN: usize = 19;
const END: usize = 20;

#[test]
fn a_good_dataset_has_no_fault() {
    let dir = good();
    let (verified, faults) = check(dir.path(), 20);
    let manifest = Manifest::load(dir.path()).unwrap();
    assert_eq!(faults, []);
    assert_eq!(verified, Verified { parts: 3, games: 60, rows: manifest.rows, faults: 0 });
    // Nor has a shard.
    let dir = tempdir().unwrap();
    let mut shard = settings("2x5x4", "random", 100, 10);
    shard.shard = "1/3".parse().unwrap();
    make(&shard, dir.path(), 1);
    assert_eq!(check(dir.path(), 20).1, []);
}

#[test]
fn every_planted_fault_is_told_with_line_and_column() {
    type Change = fn(&mut Vec<String>) -> usize;
    // The line changed, counted from 0, or where the fault comes to light; the column; a word of what is said.
    let cases: &[(&str, Change, Option<&str>, &str)] = &[
        (
            "illegal move",
            |lines| {
                set(&mut lines[5], MOVE, |_| "77cw".to_owned());
                5
            },
            Some("move"),
            "pit 77",
        ),
        (
            "no move",
            |lines| {
                set(&mut lines[5], MOVE, |_| "up".to_owned());
                5
            },
            Some("move"),
            "not a move",
        ),
        (
            "wrong next position",
            |lines| {
                set(&mut lines[4], P0, |seeds| (seeds.parse::<u8>().unwrap() + 2).to_string());
                4
            },
            None,
            "",
        ),
        (
            "wrong pile",
            |lines| {
                let at = of_game(lines, 22) + 3;
                let other = lines[at].split(',').nth(PILE0).unwrap().parse::<u8>().unwrap() + 2;
                set(&mut lines[at], PILE0, |_| other.to_string());
                at
            },
            Some("pile0"),
            "by its moves the game is here at",
        ),
        (
            "ply gap",
            |lines| {
                lines.remove(6);
                6
            },
            Some("ply"),
            "does not follow",
        ),
        (
            "duplicate ply",
            |lines| {
                lines.insert(6, lines[5].clone());
                6
            },
            Some("ply"),
            "does not follow",
        ),
        (
            "duplicate game",
            |lines| {
                let (from, to) = (of_game(lines, 22), of_game(lines, 23));
                let game = lines[from..to].to_vec();
                lines.splice(to..to, game);
                to
            },
            Some("game"),
            "game 22",
        ),
        (
            "missing game",
            |lines| {
                let (from, to) = (of_game(lines, 22), of_game(lines, 23));
                lines.drain(from..to);
                from
            },
            Some("game"),
            "game 22 is missing",
        ),
        (
            "wrong result",
            |lines| {
                let drawn = |line: &&mut String| line.ends_with("repetition");
                let line =
                    lines.iter_mut().enumerate().find(|(_, line)| drawn(line)).map(|(at, _)| at).unwrap();
                set(&mut lines[line], RESULT, |_| "1".to_owned());
                line
            },
            Some("result"),
            "what `margin` and `end` say",
        ),
        (
            "wrong margin",
            |lines| {
                let won = |line: &String| {
                    let margin: i16 = line.split(',').nth(MARGIN).unwrap().parse().unwrap();
                    line.ends_with("no-moves") && margin > 2
                };
                let at = 1 + lines.iter().skip(1).position(won).unwrap();
                set(&mut lines[at], MARGIN, |margin| (margin.parse::<i16>().unwrap() - 2).to_string());
                at
            },
            Some("margin"),
            "by its moves the game gives",
        ),
        (
            "wrong ending",
            |lines| {
                let at = 1 + lines.iter().skip(1).position(|line| line.ends_with("repetition")).unwrap();
                set(&mut lines[at], END, |_| "endless".to_owned());
                at
            },
            Some("end"),
            "`repetition`",
        ),
        (
            "value out of range",
            |lines| {
                let at = of_source(lines, "search");
                set(&mut lines[at], VALUE, |_| "1.5000".to_owned());
                at
            },
            Some("value"),
            "from -1 to 1",
        ),
        (
            "source wrong",
            |lines| {
                let at = of_source(lines, "search");
                set(&mut lines[at], SOURCE, |_| "forced".to_owned());
                at
            },
            Some("source"),
            "passes, and only they",
        ),
        (
            "value of a pass",
            |lines| {
                let at = of_source(lines, "forced");
                set(&mut lines[at], VALUE, |_| "0.0000".to_owned());
                at
            },
            Some("value"),
            "forced pass",
        ),
        (
            "cut mid-row",
            |lines| {
                let last = lines.len() - 1;
                lines[last].truncate(20);
                last
            },
            None,
            "fields",
        ),
        (
            "extra column",
            |lines| {
                lines[8].push_str(",7");
                8
            },
            None,
            "fields",
        ),
        (
            "game breaks off",
            |lines| {
                lines.pop();
                lines.len() - 1
            },
            None,
            "breaks off",
        ),
        (
            "header",
            |lines| {
                lines[0].push_str(",more");
                0
            },
            None,
            "header",
        ),
    ];
    for (name, change, column, words) in cases {
        let dir = good();
        let mut line = 0;
        plant(dir.path(), |lines| line = change(lines));
        let (verified, faults) = check(dir.path(), 20);
        assert_eq!((faults.len(), verified.faults), (1, 1), "{name}: {faults:?}");
        let fault = &faults[0];
        assert_eq!(fault.path, dir.path().join("part-00001.csv"), "{name}");
        assert_eq!(fault.line, Some(line as u64 + 1), "{name}: {fault}");
        assert!(fault.what.contains(words), "{name}: {fault}");
        if column.is_some() {
            assert_eq!(fault.column.as_deref(), *column, "{name}: {fault}");
        }
        // The other parts, and behind the fault the other games, were looked at all the same.
        assert!(verified.games >= if *name == "header" { 40 } else { 58 }, "{name}: {verified:?}");
    }
}

/// A row of the other player: whatever it breaks first, it is told in its own line.
#[test]
fn the_wrong_player_is_found() {
    let dir = good();
    let mut line = 0;
    plant(dir.path(), |lines| {
        line = of_source(lines, "search");
        set(&mut lines[line], PLAYER, |player| if player == "0" { "1" } else { "0" }.to_owned());
    });
    let (_, faults) = check(dir.path(), 20);
    assert_eq!((faults.len(), faults[0].line), (1, Some(line as u64 + 1)), "{faults:?}");
}

#[test]
fn files_are_compared_with_the_manifest() {
    // A hash that is not the file's.
    let dir = good();
    let mut manifest = Manifest::load(dir.path()).unwrap();
    manifest.parts[2].sha256 = "0".repeat(64);
    manifest.save(dir.path()).unwrap();
    let (_, faults) = check(dir.path(), 20);
    assert!(faults.len() == 1 && faults[0].what.contains("SHA-256"), "{faults:?}");
    assert_eq!((&faults[0].path, faults[0].line), (&dir.path().join("part-00002.csv"), None));

    // Counts that are not.
    let dir = good();
    let mut manifest = Manifest::load(dir.path()).unwrap();
    manifest.rows += 1;
    manifest.parts[0].rows += 1;
    manifest.games += 1;
    manifest.parts[1].games += 1;
    manifest.save(dir.path()).unwrap();
    let (_, faults) = check(dir.path(), 20);
    let told: Vec<_> = faults.iter().map(|fault| (fault.path.file_name().unwrap(), &fault.what)).collect();
    assert_eq!(told.len(), 2, "{faults:?}");
    assert!(told[0].0 == "part-00000.csv" && told[0].1.contains(" rows, not the "), "{faults:?}");
    assert!(told[1].0 == "part-00001.csv" && told[1].1.contains("20 games, not the 21"), "{faults:?}");

    // A part that is gone, one that is not listed, and one that does not belong to the run.
    let dir = good();
    fs::rename(dir.path().join("part-00001.csv"), dir.path().join("part-00009.csv")).unwrap();
    let (verified, faults) = check(dir.path(), 20);
    let names: Vec<_> = faults.iter().map(|fault| fault.path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["part-00009.csv", "part-00001.csv"], "{faults:?}");
    assert_eq!(verified.games, 40);
    let dir = good();
    let mut manifest = Manifest::load(dir.path()).unwrap();
    let entry = manifest.parts.remove(1);
    (manifest.games, manifest.rows) = (manifest.games - entry.games, manifest.rows - entry.rows);
    manifest.save(dir.path()).unwrap();
    let (_, faults) = check(dir.path(), 20);
    assert!(faults.iter().any(|fault| fault.what.contains("part 1 of the run is not listed")), "{faults:?}");

    // More parts than anybody could list: they are counted all the same.
    let mut manifest = Manifest::load(dir.path()).unwrap();
    manifest.run.dataset_games = u64::MAX;
    manifest.save(dir.path()).unwrap();
    let (_, faults) = check(dir.path(), 20);
    let more = u64::MAX.div_ceil(20) - 3;
    let told = format!("part 1 and {more} more of the run is not listed");
    assert!(faults.iter().any(|fault| fault.what == told), "{faults:?}");

    // Bytes changed behind the manifest's back: what the row says, and the hash besides.
    let dir = good();
    let path = dir.path().join("part-00000.csv");
    let mut text = fs::read_to_string(&path).unwrap();
    text.truncate(text.len() - 10);
    fs::write(&path, text).unwrap();
    let (_, faults) = check(dir.path(), 20);
    assert!(faults[0].line.is_some() && faults.last().unwrap().what.contains("SHA-256"), "{faults:?}");
}

#[test]
fn the_program_tells_faults_up_to_a_bound_and_counts_all() {
    let dir = good();
    let path = dir.path().to_str().unwrap();
    let (code, out, _) = program(&["verify", path]);
    assert_eq!(code, 0);
    assert!(out.starts_with("3 parts looked at: 60 games with "), "{out}");
    // Nor does it matter that the part stands alone.
    let part = dir.path().join("part-00001.csv");
    let (code, out, said) = program(&["verify", part.to_str().unwrap()]);
    assert!(code == 0 && said.contains("without a manifest"), "{said}");
    assert!(out.starts_with("1 part looked at: 20 games"), "{out}");

    plant(dir.path(), |lines| {
        for game in 20..40 {
            let at = of_game(lines, game);
            lines[at].push('x');
        }
    });
    let (code, out, said) = program(&["verify", path, "--max-faults", "3"]);
    assert_eq!((code, out.lines().count()), (1, 4), "{out}");
    assert!(out.lines().take(3).all(|line| line.contains("part-00001.csv, line ")), "{out}");
    assert!(said.ends_with("giuthi-selfplay: 20 faults, 17 of them not told (--max-faults)\n"), "{said}");
    let (code, out, _) = program(&["verify", path, "--json"]);
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((code, objects.len()), (1, 21));
    assert_eq!((&objects[0]["column"], &objects[0]["line"]), (&"end".into(), &2.into()));
    assert_eq!((&objects[20]["faults"], &objects[20]["games"]), (&20.into(), &40.into()));
    for arguments in [&["verify"][..], &["verify", "--max-faults", "-1", path]] {
        assert_eq!(program(arguments).0, 2, "{arguments:?}");
    }
    let (code, _, said) = program(&["verify", dir.path().join("none").to_str().unwrap()]);
    assert!(code == 1 && said.lines().count() == 1, "{said}");
}

/// Changes keys of the manifest, and takes away `run.json`, which knows better.
fn edit(dir: &Path, keys: &[(&str, Value)]) {
    let path = dir.join("manifest.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (key, with) in keys {
        assert!(value.get(key).is_some() && value[key] != *with, "{key}");
        value[key] = with.clone();
    }
    fs::write(&path, value.to_string()).unwrap();
    let _ = fs::remove_file(dir.join("run.json"));
}

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
    use giuthi_selfplay::{Format, Level, Settings};
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
    use giuthi_selfplay::{Epsilon, Format, Level, OpeningPlies, Settings, Temperature};
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
    use giuthi_selfplay::{OpeningPlies, Settings};
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

#[test]
fn played_again_every_row_has_to_be_the_same() {
    let dir = good();
    let path = dir.path().to_str().unwrap();
    let (code, out, said) = program(&["verify", "--again", path]);
    assert!(code == 0 && out.contains("60 games with "), "{said}");
    let mut line = 0;
    plant(dir.path(), |lines| {
        line = of_source(lines, "search");
        set(&mut lines[line], VALUE, |value| if value == "0.5000" { "0.4000" } else { "0.5000" }.to_owned());
    });
    assert_eq!(check(dir.path(), 20).1, []);
    let (_, faults) = check_again(dir.path(), 20, true);
    assert_eq!((faults.len(), faults[0].line), (1, Some(line as u64 + 1)), "{faults:?}");
    assert!(faults[0].what.contains("played again the row is `"), "{faults:?}");
    // Without a manifest, or by the clock, it cannot be.
    let part = dir.path().join("part-00001.csv");
    let (code, _, said) = program(&["verify", "--again", part.to_str().unwrap()]);
    assert!(
        code == 2 && said.starts_with("giuthi-selfplay: --again: ") && said.lines().count() == 1,
        "{said}"
    );
    for (key, with, words) in [
        ("agent", "ab:ms=5", "its agent plays by the clock"),
        ("program", "giuthi-selfplay 0.0.1", "`giuthi-selfplay 0.0.1` made them"),
    ] {
        let dir = good();
        edit(dir.path(), &[(key, with.into())]);
        let (code, _, said) = program(&["verify", "--again", dir.path().to_str().unwrap()]);
        assert!(code == 1 && said.lines().count() == 1 && said.contains(words), "{said}");
    }
}
