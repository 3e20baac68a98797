//! A run goes on where it was, whatever ended it; and a folder that is not its own is left alone.

mod support;

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use giuthi_engine::agent::NoClock;
use giuthi_selfplay::{Epsilon, Event, Format, Level, OpeningPlies, Settings, Shard, Temperature, generate};
use support::{files, make, number, parts, settings};
use tempfile::tempdir;

/// What a run into a folder is refused with.
fn refusal(settings: &Settings, dir: &Path) -> String {
    let before = files(dir);
    let result = generate(settings, dir, NonZeroUsize::MIN, &NoClock, |_| {});
    let said = result.map_or_else(|error| error.to_string(), |_| panic!("not refused"));
    let mut after = files(dir);
    after.remove(".lock");
    assert!(
        before.iter().filter(|(name, _)| *name != ".lock").eq(after.iter()),
        "a refused run changed files"
    );
    assert!(said.contains(&dir.display().to_string()), "the place is not named: {said}");
    said
}

#[test]
fn missing_parts_are_played_again_and_nothing_else() {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "ab:depth=1", 50, 10);
    make(&settings, dir.path(), 2);
    let whole = files(dir.path());
    for (gone, played) in [
        (&["part-00002.csv"][..], 10),
        (&["part-00000.csv", "part-00004.csv"], 20),
        (&["manifest.json"], 0),
        (&["manifest.json", "part-00003.csv"], 10),
        (&[], 0),
    ] {
        for name in gone {
            fs::remove_file(dir.path().join(name)).unwrap();
        }
        let report = make(&settings, dir.path(), 2);
        assert_eq!(report.played, played, "without {gone:?}");
        assert_eq!(report.summary.games(), 50);
        assert!(files(dir.path()) == whole, "without {gone:?}");
    }
}

#[test]
fn there_is_no_manifest_while_a_part_is_missing() {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "greedy", 20, 5);
    make(&settings, dir.path(), 1);
    fs::remove_file(dir.path().join("part-00001.csv")).unwrap();
    let mut played = 0;
    let observe = |event| {
        if let Event::Played { .. } = event {
            played += 1;
            assert!(!dir.path().join("manifest.json").exists());
        }
    };
    generate(&settings, dir.path(), NonZeroUsize::MIN, &NoClock, observe).unwrap();
    assert_eq!(played, 5);
    assert!(dir.path().join("manifest.json").exists());
}

#[test]
fn a_killed_run_leaves_whole_parts_and_goes_on_from_them() {
    let flags =
        ["--variant", "2x5x4", "--games", "3000", "--part-games", "60", "--seed", "7", "--threads", "2"];
    let program = env!("CARGO_BIN_EXE_giuthi-selfplay");
    let run = |dir: &Path| {
        let mut command = Command::new(program);
        command.args(flags).arg("--out").arg(dir).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let whole = tempdir().unwrap();
    assert!(run(whole.path()).status().unwrap().success());
    let whole = files(whole.path());
    // On a busy machine the run may be over before this test gets to kill it: then once more.
    for _ in 0..20 {
        let dir = tempdir().unwrap();
        let mut child = run(dir.path()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !dir.path().join("part-00001.csv").exists() {
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if dir.path().join("manifest.json").exists() {
            continue;
        }
        let left = parts(dir.path());
        // Parts go to the disk side by side: the one waited for may be there before the first.
        assert!((1..50).contains(&left.len()), "{} parts", left.len());
        assert!(left.iter().all(|(name, bytes)| whole[name] == *bytes), "a part is not whole");
        assert!(run(dir.path()).status().unwrap().success());
        assert!(files(dir.path()) == whole);
        return;
    }
    panic!("the run was never caught before its end");
}

#[test]
fn leftovers_of_a_killed_run_are_cleaned_away() {
    let dir = tempdir().unwrap();
    for name in [".part-00000.csv.123.tmp", ".run.json.123.tmp", ".manifest.json.4.tmp"] {
        fs::write(dir.path().join(name), "half").unwrap();
    }
    fs::write(dir.path().join(".gitkeep"), "").unwrap();
    make(&settings("2x5x4", "greedy", 4, 4), dir.path(), 1);
    let names: Vec<String> = files(dir.path()).into_keys().collect();
    assert_eq!(names, [".gitkeep", ".lock", "manifest.json", "part-00000.csv", "run.json"]);
}

#[test]
fn other_settings_are_refused_each_named_with_both_values() {
    let dir = tempdir().unwrap();
    let first = settings("2x5x4", "greedy", 20, 10);
    make(&first, dir.path(), 1);
    let temperature = |start| Temperature::new(start, Temperature::DEFAULT_PLIES).ok();
    let changed: [(Settings, &str); 10] = [
        (Settings { variant: "2x5x5".parse().unwrap(), ..first.clone() }, "--variant 2x5x4 (now 2x5x5)"),
        (Settings { agent: "random".parse().unwrap(), ..first.clone() }, "--agent greedy (now random)"),
        (Settings { games: number(30), ..first.clone() }, "--games 20 (now 30)"),
        (Settings { part_games: number(20), ..first.clone() }, "--part-games 10 (now 20)"),
        (Settings { seed: 8, ..first.clone() }, "--seed 7 (now 8)"),
        (Settings { shard: Shard::new(0, 2).unwrap(), ..first.clone() }, "--shard 0/1 (now 0/2)"),
        (Settings { epsilon: Epsilon::try_from(0.5).unwrap(), ..first.clone() }, "--epsilon 0.02 (now 0.5)"),
        (
            Settings { opening: OpeningPlies::new(4, 4).unwrap(), ..first.clone() },
            "--opening-plies 6..12 (now 4)",
        ),
        (Settings { distinct_openings: true, ..first.clone() }, "--distinct-openings false (now true)"),
        (
            Settings { temperature: temperature(0.5), agent: "ab:depth=1".parse().unwrap(), ..first.clone() },
            "--agent greedy (now ab:depth=1), --temperature none (now 0.5), --temperature-plies none (now 20)",
        ),
    ];
    for (settings, words) in &changed {
        let said = refusal(settings, dir.path());
        assert!(said.contains(words), "{said}");
        assert_eq!(said.matches("(now ").count(), words.matches("(now ").count(), "{said}");
    }
    // Parts of another format are none of the run's, and the settings say so before.
    let zstd = Settings { format: Format::Zstd(Level::default()), ..first.clone() };
    let said = refusal(&zstd, dir.path());
    assert!(said.contains("--compress none (now zstd), --level none (now 1)"), "{said}");
    let said = refusal(&Settings { seed: 8, games: number(30), ..first.clone() }, dir.path());
    assert!(said.contains("--seed 7 (now 8), --games 20 (now 30)"), "{said}");
    // Another program version is another program.
    let run = fs::read_to_string(dir.path().join("run.json")).unwrap();
    let older = run.replace(concat!("giuthi-selfplay ", env!("CARGO_PKG_VERSION")), "giuthi-selfplay 0.0.1");
    fs::write(dir.path().join("run.json"), older).unwrap();
    let said = refusal(&first, dir.path());
    assert!(said.contains("program giuthi-selfplay 0.0.1 (now giuthi-selfplay"), "{said}");
}

#[test]
fn what_was_begun_before_there_was_a_choice_goes_on() {
    let dir = tempdir().unwrap();
    let first = settings("2x5x4", "greedy", 20, 10);
    make(&first, dir.path(), 1);
    let whole = files(dir.path());
    // As they were written before: without the keys that came later.
    for name in ["run.json", "manifest.json"] {
        let mut value: serde_json::Value = serde_json::from_slice(&whole[name]).unwrap();
        let object = value.as_object_mut().unwrap();
        for key in ["distinct_openings", "temperature", "temperature_plies", "compression", "level"] {
            assert!(object.remove(key).is_some(), "{name}: {key}");
        }
        for part in object.get_mut("parts").and_then(|parts| parts.as_array_mut()).into_iter().flatten() {
            assert!(part.as_object_mut().unwrap().remove("tally").is_some());
        }
        fs::write(dir.path().join(name), value.to_string()).unwrap();
    }
    let report = make(&first, dir.path(), 1);
    assert_eq!((report.played, report.summary.games()), (0, 20));
    assert!(files(dir.path())["manifest.json"] == whole["manifest.json"]);
    fs::remove_file(dir.path().join("part-00001.csv")).unwrap();
    assert_eq!(make(&first, dir.path(), 1).played, 10);
    assert!(parts(dir.path()).iter().all(|(name, bytes)| whole[name] == *bytes));
    let said = refusal(&Settings { distinct_openings: true, ..first }, dir.path());
    assert!(said.contains("--distinct-openings false (now true)"), "{said}");
}

#[test]
fn a_tally_that_does_not_add_up_is_not_believed() {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "greedy", 20, 10);
    let report = make(&settings, dir.path(), 1);
    let whole = files(dir.path());
    for (key, count) in
        [("results", u64::MAX), ("endings", 9), ("sources", 9), ("extra_moves", 9999), ("longest_game", 9999)]
    {
        let mut value: serde_json::Value = serde_json::from_slice(&whole["manifest.json"]).unwrap();
        let counts = &mut value["parts"][1]["tally"][key];
        *if counts.is_array() { &mut counts[1] } else { counts } = count.into();
        fs::write(dir.path().join("manifest.json"), value.to_string()).unwrap();
        let again = make(&settings, dir.path(), 1);
        assert_eq!((again.played, again.summary.tally()), (0, report.summary.tally()), "{key}");
        assert!(files(dir.path()) == whole, "{key}");
    }
}

#[test]
fn compressed_parts_are_checked_and_played_again_like_plain_ones() {
    let dir = tempdir().unwrap();
    let format = Format::Zstd(Level::default());
    let settings = Settings { format, ..settings("2x5x4", "ab:depth=1", 30, 10) };
    make(&settings, dir.path(), 2);
    let whole = files(dir.path());
    let path = dir.path().join("part-00001.csv.zst");
    let good = whole["part-00001.csv.zst"].clone();
    let text = zstd::decode_all(&good[..]).unwrap();
    let flipped =
        [&good[..good.len() / 2], &[good[good.len() / 2] ^ 1], &good[good.len() / 2 + 1..]].concat();
    let digit = text.iter().rposition(|&byte| byte == b'1').unwrap();
    let changed = [&text[..digit], b"2", &text[digit + 1..]].concat();
    for finished in [true, false] {
        for (bytes, words) in [
            (good[..good.len() - 1].to_vec(), "cannot be decompressed from here on: "),
            (good[..good.len() / 2].to_vec(), "cannot be decompressed from here on: "),
            (Vec::new(), "line 1: "),
            (text.clone(), "line 1: cannot be decompressed"),
            (flipped.clone(), "part-00001.csv.zst, line "),
            (zstd::encode_all(&changed[..], 1).unwrap(), "part-00001.csv.zst, line "),
            ([&good[..], b"x"].concat(), "cannot be decompressed from here on: "),
            ([&good[..], &good[..]].concat(), "column `p0`: `p0` is not a number of seeds"),
        ] {
            fs::write(&path, bytes).unwrap();
            if !finished {
                let _ = fs::remove_file(dir.path().join("manifest.json"));
            }
            let said = refusal(&settings, dir.path());
            assert!(said.contains("part-00001.csv.zst, line ") && said.contains(words), "{words}: {said}");
            assert!(said.contains("remove the file"), "{said}");
        }
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(make(&settings, dir.path(), 1).played, 10);
    assert!(files(dir.path()) == whole);
}

/// The rows are right, but the bytes are not those of one machine alone: the part is made again.
#[test]
fn a_part_compressed_otherwise_is_made_again() {
    let format = Format::Zstd(Level::default());
    // Parts of several blocks of the compression and several chunks of rows.
    let settings = Settings { format, ..settings("2x5x4", "greedy", 600, 300) };
    let dir = tempdir().unwrap();
    make(&settings, dir.path(), 2);
    let whole = files(dir.path());
    let good = &whole["part-00001.csv.zst"];
    let text = zstd::decode_all(&good[..]).unwrap();
    assert!(text.len() > 300_000, "{}", text.len());
    let frames = [zstd::encode_all(&text[..100], 1).unwrap(), zstd::encode_all(&text[100..], 1).unwrap()];
    let skippable = [b"\x50\x2a\x4d\x18\x02\0\0\0ab", &good[..]].concat();
    let manifest = dir.path().join("manifest.json");
    for bytes in [
        zstd::encode_all(&text[..], 1).unwrap(),
        zstd::encode_all(&text[..], 9).unwrap(),
        frames.concat(),
        skippable,
    ] {
        assert!(bytes != *good);
        fs::write(dir.path().join("part-00001.csv.zst"), &bytes).unwrap();
        // Where a manifest knows the file, it is refused as changed.
        assert!(refusal(&settings, dir.path()).contains("part-00001.csv.zst: its SHA-256 is not the one"));
        fs::remove_file(&manifest).unwrap();
        let mut events = Vec::new();
        let report = generate(&settings, dir.path(), NonZeroUsize::MIN, &NoClock, |event| events.push(event));
        assert_eq!(report.unwrap().played, 300);
        let told = events.iter().filter(|event| matches!(event, Event::Recompressed { .. }));
        assert_eq!(told.collect::<Vec<_>>(), [&Event::Recompressed { part: 1 }]);
        assert!(events.contains(&Event::Planned { parts: 2, kept: 1, games: 300 }));
        assert!(files(dir.path()) == whole);
    }
    // Parts as they are written are kept, at any level.
    for level in [1, 9] {
        let format = Format::Zstd(Level::try_from(level).unwrap());
        let settings = Settings { format, ..settings.clone() };
        let dir = tempdir().unwrap();
        make(&settings, dir.path(), 2);
        fs::remove_file(dir.path().join("manifest.json")).unwrap();
        assert_eq!(make(&settings, dir.path(), 1).played, 0, "level {level}");
    }
}

/// A part of the other kind, plain or compressed, is none of the run's.
#[test]
fn a_part_of_the_other_kind_is_refused() {
    let zstd = Format::Zstd(Level::default());
    for format in [Format::Plain, zstd] {
        let settings = Settings { format, ..settings("2x5x4", "greedy", 20, 10) };
        let dir = tempdir().unwrap();
        make(&settings, dir.path(), 1);
        fs::remove_file(dir.path().join("manifest.json")).unwrap();
        let (name, other) = match format {
            Format::Plain => ("part-00001.csv", "part-00001.csv.zst"),
            Format::Zstd(_) => ("part-00001.csv.zst", "part-00001.csv"),
        };
        let bytes = fs::read(dir.path().join(name)).unwrap();
        let turned = match format {
            Format::Plain => zstd::encode_all(&bytes[..], 1).unwrap(),
            Format::Zstd(_) => zstd::decode_all(&bytes[..]).unwrap(),
        };
        fs::write(dir.path().join(name), &turned).unwrap();
        assert!(refusal(&settings, dir.path()).contains(&format!("{name}, line 1: ")));
        fs::remove_file(dir.path().join(name)).unwrap();
        fs::write(dir.path().join(other), &turned).unwrap();
        assert!(refusal(&settings, dir.path()).contains(&format!("`{other}` is there and not of this run")));
    }
}

#[test]
fn a_label_is_no_setting() {
    let dir = tempdir().unwrap();
    make(&settings("2x5x4", "greedy", 4, 4), dir.path(), 1);
    assert_eq!(make(&settings("2x5x4", "first@greedy", 4, 4), dir.path(), 1).played, 0);
}

#[test]
fn settings_under_which_nothing_was_made_bind_nobody() {
    let dir = tempdir().unwrap();
    let endless = OpeningPlies::new(500, 500).unwrap();
    let impossible = Settings { opening: endless, ..settings("2x5x4", "greedy", 4, 4) };
    let said =
        generate(&impossible, dir.path(), NonZeroUsize::MIN, &NoClock, |_| {}).unwrap_err().to_string();
    assert!(said.contains("500 random plies"), "{said}");
    assert!(files(dir.path()).is_empty(), "nothing is made for settings that are refused");
    // Those that only a later game shows to be impossible leave themselves behind.
    let settings_of_others = tempdir().unwrap();
    make(&settings("2x5x4", "random", 4, 4), settings_of_others.path(), 1);
    fs::copy(settings_of_others.path().join("run.json"), dir.path().join("run.json")).unwrap();
    assert_eq!(make(&settings("2x5x4", "greedy", 4, 4), dir.path(), 1).played, 4);
}

#[test]
fn folders_with_other_things_in_them_are_refused() {
    for name in ["part-00000.csv", "manifest.json", "notes.txt"] {
        let dir = tempdir().unwrap();
        fs::write(dir.path().join(name), "{}").unwrap();
        let said = refusal(&settings("2x5x4", "greedy", 4, 4), dir.path());
        assert!(said.contains(name), "{said}");
    }
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("run.json"), "{\"script\": \"start\"}").unwrap();
    let said = refusal(&settings("2x5x4", "greedy", 4, 4), dir.path());
    assert!(said.contains("run.json"), "{said}");
    let dir = tempdir().unwrap();
    let first = settings("2x5x4", "greedy", 4, 4);
    make(&first, dir.path(), 1);
    fs::write(dir.path().join("part-00007.csv"), "").unwrap();
    assert!(refusal(&first, dir.path()).contains("part-00007.csv"));
    fs::remove_file(dir.path().join("part-00007.csv")).unwrap();
    fs::remove_file(dir.path().join("run.json")).unwrap();
    let said = refusal(&first, dir.path());
    assert!(said.contains("manifest.json") && said.contains("no `run.json`"), "{said}");
}

#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "greedy", 4, 4);
    let lock = File::create(dir.path().join(".lock")).unwrap();
    lock.try_lock().unwrap();
    assert!(refusal(&settings, dir.path()).contains("another run"));
    lock.unlock().unwrap();
    make(&settings, dir.path(), 1);
}

/// Changes a part of a run, finished or not, and says what the next run says.
fn after_damage(finished: bool, change: impl FnOnce(String) -> Vec<u8>) -> String {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "ab:depth=1", 20, 10);
    make(&settings, dir.path(), 1);
    if !finished {
        fs::remove_file(dir.path().join("manifest.json")).unwrap();
    }
    let whole = files(dir.path());
    let path = dir.path().join("part-00001.csv");
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    let said = refusal(&settings, dir.path());
    assert!(said.contains("part-00001.csv") && said.contains("remove the file"), "{said}");
    fs::remove_file(&path).unwrap();
    assert_eq!(make(&settings, dir.path(), 1).played, 10);
    assert!(whole.iter().all(|(name, bytes)| files(dir.path())[name] == *bytes));
    said
}

/// Replaces one field of a line (from 1) by what `change` makes of it.
fn field(text: &str, line: usize, column: usize, change: impl Fn(&str) -> String) -> Vec<u8> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut fields: Vec<String> = lines[line - 1].split(',').map(str::to_owned).collect();
    fields[column] = change(&fields[column]);
    lines[line - 1] = fields.join(",");
    (lines.join("\n") + "\n").into_bytes()
}

#[test]
fn a_damaged_part_is_refused_with_its_line() {
    let cut = |bytes: usize| move |text: String| text.as_bytes()[..text.len() - bytes].to_vec();
    let last_line = |text: &str| text.lines().count();
    let said = after_damage(false, cut(1));
    assert!(said.contains("the line has no end"), "{said}");
    let said = after_damage(false, cut(20));
    assert!(said.contains("the line has no end"), "{said}");
    let said = after_damage(false, |text| {
        let rows = last_line(&text) - 1;
        text.lines().take(rows).map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    });
    assert!(said.contains("game 19 breaks off after this row"), "{said}");
    let said = after_damage(false, |_| Vec::new());
    assert!(said.contains("part-00001.csv, line 1: not the header of a dataset of 2x5x4"), "{said}");
    let said = after_damage(false, |text| text.replace("p9,", "").into_bytes());
    assert!(said.contains("part-00001.csv, line 1: not the header of a dataset of 2x5x4"), "{said}");
    let said = after_damage(false, |text| text.replace('\n', "\r\n").into_bytes());
    assert!(said.contains("line 1: "), "{said}");
    let said = after_damage(false, |text| [text.clone().into_bytes(), b"19,0".to_vec()].concat());
    assert!(said.contains("the line has no end"), "{said}");
    let said = after_damage(false, |text| {
        let last = text.lines().last().unwrap().to_owned();
        format!("{text}{last}\n").into_bytes()
    });
    assert!(said.contains("does not follow the row before it"), "{said}");
    let said = after_damage(false, |_| vec![0xff; 100_000]);
    assert!(said.contains("line 1"), "{said}");
    // Any one digit: the game, the ply, a pit, the result, the margin. Line 5 is ply 3 of game 10.
    let more = |text: &str| (text.parse::<i32>().unwrap() + 1).to_string();
    for column in [0, 1, 3, 9, 14] {
        let said = after_damage(false, |text| field(&text, 5, column, more));
        assert!(said.contains("line 5: "), "column {column}: {said}");
    }
    for (column, with) in
        [(15, "9ccw9"), (16, "forced"), (17, "0.12345"), (18, "2"), (19, "99"), (20, "endless")]
    {
        let said = after_damage(false, |text| field(&text, 5, column, |_| with.to_owned()));
        assert!(said.contains("line 5: "), "column {column}: {said}");
    }
    // A value could be any number; but a finished run knows its sums.
    let said = after_damage(true, |text| {
        let line = text.lines().position(|line| line.contains(",search,")).unwrap() + 1;
        field(&text, line, 17, |_| "0.1234".to_owned())
    });
    assert!(said.contains("SHA-256"), "{said}");
}
