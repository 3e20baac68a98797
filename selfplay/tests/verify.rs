//! `giuthi-selfplay verify`: every kind of fault planted, found, and told with its place.

mod support;

use std::fs;
use std::path::Path;

use giuthi_selfplay::Manifest;
use giuthi_selfplay::verify::Verified;
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::dataset::{check, check_again, edit, good};
use support::{make, program, settings};
use tempfile::tempdir;

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
