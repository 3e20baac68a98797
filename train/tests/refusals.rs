//! Datasets that are refused: with the file, the line where there is one, and the reason.

mod support;

use std::fs;
use std::path::Path;

use giuthi_engine::{Ending, Game, Move, Sample};
use giuthi_selfplay::{Manifest, Shard};
use giuthi_train::data::{Dataset, Reading};
use serde_json::json;
use support::{READING, games, make, make_shard, read};
use tempfile::{TempDir, tempdir};

/// Fifty games of `2x5x4` in two parts.
fn good() -> TempDir {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 50, 3);
    assert!(read(&[dir.path()], &READING).is_ok());
    dir
}

/// What is said of datasets that must be refused.
fn complaint(folders: &[&Path]) -> String {
    read(folders, &READING).expect_err("it is refused").to_string()
}

/// What is said when the second part of a good dataset was changed.
fn changed(dir: &Path, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> String {
    let path = dir.join("part-00001.csv");
    let before = fs::read(&path).unwrap();
    let after = change(before.clone());
    assert_ne!(after, before);
    fs::write(&path, after).unwrap();
    let complaint = complaint(&[dir]);
    fs::write(&path, before).unwrap();
    assert!(complaint.starts_with(path.to_str().unwrap()), "{complaint}");
    assert!(!complaint.contains('\n'), "{complaint}");
    complaint
}

/// What is said when fields of a row of the second part hold something else. Rows count from 0, and row 0 stands in
/// line 2.
fn with_fields(dir: &Path, row: usize, fields: &[(&str, &str)]) -> String {
    changed(dir, |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut record: Vec<String> = lines[row + 1].split(',').map(str::to_owned).collect();
        for (column, field) in fields {
            let at = lines[0].split(',').position(|name| name == *column).unwrap();
            record[at] = (*field).to_owned();
        }
        lines[row + 1] = record.join(",");
        (lines.join("\n") + "\n").into_bytes()
    })
}

/// What is said when the lines of the second part are others.
fn with_lines(dir: &Path, change: impl FnOnce(&mut Vec<&str>)) -> String {
    changed(dir, |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines().collect();
        change(&mut lines);
        (lines.join("\n") + "\n").into_bytes()
    })
}

#[track_caller]
fn assert_says(complaint: &str, words: &[&str]) {
    for word in words {
        assert!(complaint.contains(word), "`{word}` is missing: {complaint}");
    }
}

/// The games of the second part.
fn second_part(dir: &Path) -> Vec<Vec<Sample>> {
    games(dir).split_off(25)
}

#[test]
fn a_part_that_was_cut() {
    let dir = good();
    let games = second_part(dir.path());
    let rows: usize = games.iter().map(Vec::len).sum();
    let last = games.last().unwrap().len();

    let complaint = changed(dir.path(), |mut bytes| {
        let line = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(6).unwrap().0;
        bytes.truncate(line + 20);
        bytes
    });
    assert_says(&complaint, &["line 8:", "fields, not 21"]);

    // In the middle of the last field there are enough of them.
    let complaint = changed(dir.path(), |mut bytes| {
        bytes.truncate(bytes.len() - 4);
        bytes
    });
    assert_says(&complaint, &[&format!("line {}:", rows + 1), "column `end`"]);

    let complaint = with_lines(dir.path(), |lines| lines.truncate(lines.len() - 1));
    assert_says(&complaint, &[&format!("line {rows}:"), "game 49 breaks off"]);

    let complaint = with_lines(dir.path(), |lines| lines.truncate(lines.len() - last));
    assert_says(&complaint, &["24 games, not the 25 of the manifest"]);

    assert_says(&with_lines(dir.path(), |lines| lines.truncate(1)), &["0 games, not the 25"]);
    assert_says(&changed(dir.path(), |_| Vec::new()), &["line 1:", "not the header of a dataset of 2x5x4"]);
    // Nothing but the end of the last line.
    let complaint = changed(dir.path(), |mut bytes| {
        bytes.pop();
        bytes
    });
    assert_says(&complaint, &["SHA-256"]);
}

#[test]
fn a_field_that_was_changed() {
    let dir = good();
    let games = second_part(dir.path());
    let decided = games.iter().position(|game| game[0].result != 0).unwrap();
    let row: usize = games[..decided].iter().map(Vec::len).sum();
    let here = format!("line {}:", row + 2);
    let number = games[decided][0].game.to_string();
    for (column, field) in [
        ("game", "-1"),
        ("game", &format!("\"{number}")),
        ("ply", "a"),
        ("player", "2"),
        ("p0", "256"),
        ("p3", "4.0"),
        ("pile1", ""),
        ("move", "1cw"),
        ("source", "guess"),
        ("value", "nan"),
        ("result", "2"),
        ("margin", "256"),
        ("end", "END"),
    ] {
        let complaint = with_fields(dir.path(), row, &[(column, field)]);
        assert_says(&complaint, &[&here]);
        assert!(complaint.contains(column) || complaint.contains("holds 256 seeds"), "{complaint}");
    }
    for (column, number) in [("game", "7"), ("game", "990"), ("ply", "0"), ("ply", "9")] {
        let complaint = with_fields(dir.path(), row + 3, &[(column, number)]);
        assert_says(&complaint, &[&format!("line {}:", row + 5), "does not follow the row before it"]);
    }
    let complaint = changed(dir.path(), |mut bytes| {
        let at = bytes.len() - 3;
        bytes[at] = 0xff;
        bytes
    });
    let rows: usize = games.iter().map(Vec::len).sum();
    assert_says(&complaint, &[&format!("line {}:", rows + 1), "not text in UTF-8"]);

    // What only the sum can tell.
    let searched = games.iter().flatten().position(|row| row.value.is_some()).unwrap();
    let complaint = with_fields(dir.path(), searched, &[("value", "0.1234")]);
    assert_says(&complaint, &["SHA-256"]);
}

#[test]
fn a_row_that_is_possible_but_not_of_its_game() {
    let dir = good();
    let games = second_part(dir.path());
    let row_of = |game: usize| games[..game].iter().map(Vec::len).sum::<usize>();
    let decided = games.iter().position(|game| game[0].result != 0).unwrap();
    let (row, first) = (row_of(decided), &games[decided][0]);
    let here = format!("line {}:", row + 2);

    // As many seeds as before, and moves that can be played.
    for fields in [[("p2", "5"), ("p4", "3")], [("p2", "3"), ("pile0", "1")], [("pile0", "2"), ("p9", "2")]] {
        let complaint = with_fields(dir.path(), row, &fields);
        assert_says(&complaint, &[&here, "by its moves the game is here at 4,4,4,4,4 4,4,4,4,4 0 0 0"]);
    }
    let more = (first.margin + 2 * first.margin.signum()).to_string();
    let complaint = with_fields(dir.path(), row, &[("margin", &more)]);
    let wanted = format!("gives `{}`", first.margin);
    assert_says(&complaint, &[&here, "column `margin`", &format!("`{more}`"), &wanted]);
    let (result, margin) = ((-first.result).to_string(), (-first.margin).to_string());
    let complaint = with_fields(dir.path(), row, &[("result", &result), ("margin", &margin)]);
    let wanted = format!("gives `{}`", first.result);
    assert_says(&complaint, &[&here, "column `result`", &format!("`{result}`"), &wanted]);

    let repeated = games.iter().position(|game| game[0].ending == Ending::Repetition).unwrap();
    let row = row_of(repeated) + 1;
    let complaint = with_fields(dir.path(), row, &[("end", "endless")]);
    assert_says(
        &complaint,
        &[&format!("line {}:", row + 2), "column `end`", "`endless`", "gives `repetition`"],
    );
}

#[test]
fn a_move_that_was_changed() {
    let dir = good();
    let games = second_part(dir.path());
    // The game and the rows before it.
    let mut before = 0;
    let mut tried = 0;
    for game in &games[..8] {
        let mut replay = Game::new("2x5x4".parse().unwrap());
        for (ply, sample) in game.iter().enumerate() {
            let other = sample.position.moves().iter().copied().find(|&mv| {
                let step = |mv| sample.position.step(mv);
                mv != sample.mv && step(mv).position != step(sample.mv).position
            });
            let others_end = |other: Move| {
                let mut game = replay.clone();
                game.play(other).unwrap();
                game.ending().is_some()
            };
            // In the middle of a game what follows cannot be right any more.
            if let Some(other) = other.filter(|&other| ply + 1 < game.len() && !others_end(other)) {
                let row = before + ply;
                let complaint = with_fields(dir.path(), row, &[("move", &other.to_string())]);
                assert_says(&complaint, &[&format!("line {}:", row + 3)]);
                tried += 1;
            }
            replay.play(sample.mv).unwrap();
        }
        before += game.len();
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn rows_too_many_and_too_few() {
    let dir = good();
    let games = second_part(dir.path());
    let last = games.last().unwrap().len();
    let twice = with_lines(dir.path(), |lines| lines.insert(5, lines[4]));
    assert_says(&twice, &["line 6:", "does not follow the row before it"]);
    let lost = with_lines(dir.path(), |lines| {
        lines.remove(4);
    });
    assert_says(&lost, &["line 5:", "does not follow the row before it"]);
    let swapped = with_lines(dir.path(), |lines| lines.swap(3, 4));
    assert_says(&swapped, &["line 4:", "does not follow the row before it"]);

    let number = |line: &str| line.replacen("49,", "50,", 1);
    let complaint = changed(dir.path(), |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let again: String = lines[lines.len() - last..].iter().map(|line| number(line) + "\n").collect();
        (text + &again).into_bytes()
    });
    assert_says(&complaint, &["26 games, not the 25 of the manifest"]);
    let complaint = changed(dir.path(), |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        let again: String = text
            .lines()
            .skip(1 + games.iter().map(Vec::len).sum::<usize>() - last)
            .map(|l| l.to_owned() + "\n")
            .collect();
        (text + &again).into_bytes()
    });
    assert_says(&complaint, &["ply 0 of game 49 does not follow"]);

    // The first part once more under the second one's name: its games have been already.
    let complaint = changed(dir.path(), |_| fs::read(dir.path().join("part-00000.csv")).unwrap());
    assert_says(&complaint, &["line 2:", "ply 0 of game 0 does not follow"]);
}

#[test]
fn no_change_of_a_single_byte_gets_through() {
    let dir = good();
    let length = fs::read(dir.path().join("part-00001.csv")).unwrap().len();
    // Too many to try them all.
    for at in (0..length).step_by(53) {
        let complaint = changed(dir.path(), |mut bytes| {
            bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            bytes
        });
        assert!(complaint.contains(", line ") || complaint.contains("SHA-256"), "byte {at}: {complaint}");
    }
}

#[test]
fn other_line_ends_and_marks() {
    let dir = good();
    let complaint =
        changed(dir.path(), |bytes| String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes());
    assert_says(&complaint, &["SHA-256"]);
    let complaint = changed(dir.path(), |bytes| [b"\xef\xbb\xbf", &bytes[..]].concat());
    assert_says(&complaint, &["SHA-256"]);
    assert_says(&with_lines(dir.path(), |lines| lines.insert(3, "")), &["SHA-256"]);
    let complaint = with_lines(dir.path(), |lines| {
        lines.remove(0);
    });
    assert_says(&complaint, &["line 1:", "not the header of a dataset of 2x5x4"]);
}

/// Changes the manifest of a dataset.
fn edit(dir: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = dir.join("manifest.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn manifests_that_tell_of_something_else() {
    let dir = good();
    edit(dir.path(), |manifest| manifest["schema"] = json!(99));
    assert_says(&complaint(&[dir.path()]), &["manifest.json", "version 99", "version 1"]);

    let dir = good();
    edit(dir.path(), |manifest| manifest["variant"] = json!("2x6x4"));
    assert_says(&complaint(&[dir.path()]), &["part-00000.csv, line 1:", "header of a dataset of 2x6x4"]);

    let dir = good();
    edit(dir.path(), |manifest| manifest["variant"] = json!("2x5x6"));
    assert_says(&complaint(&[dir.path()]), &["part-00000.csv, line 2:", "6,6,6,6,6 6,6,6,6,6 0 0 0"]);

    for count in ["games", "rows"] {
        let dir = good();
        edit(dir.path(), |manifest| {
            let more = |number: &serde_json::Value| json!(number.as_u64().unwrap() + 1);
            manifest[count] = more(&manifest[count]);
            manifest["parts"][1][count] = more(&manifest["parts"][1][count]);
        });
        assert_says(&complaint(&[dir.path()]), &["part-00001.csv", count, "of the manifest"]);
    }

    let dir = good();
    edit(dir.path(), |manifest| manifest["rows"] = json!(u64::MAX));
    assert_says(&complaint(&[dir.path()]), &["manifest.json", "`rows`"]);

    let dir = good();
    edit(dir.path(), |manifest| manifest["parts"][0]["sha256"] = json!("0".repeat(64)));
    assert_says(&complaint(&[dir.path()]), &["part-00000.csv", "SHA-256"]);
}

#[test]
fn folders_that_hold_no_dataset() {
    let dir = tempdir().unwrap();
    assert_says(&complaint(&[dir.path()]), &["manifest.json"]);
    let gone = dir.path().join("gone");
    assert_says(&complaint(&[&gone]), &["gone", "manifest.json"]);

    let dir = good();
    fs::remove_file(dir.path().join("part-00001.csv")).unwrap();
    assert_says(&complaint(&[dir.path()]), &["part-00001.csv", "No such file"]);
}

#[test]
fn boards_of_different_widths() {
    let dir = tempdir().unwrap();
    let (five, six) = (dir.path().join("five"), dir.path().join("six"));
    make(&five, "2x5x4", "random", 25, 3);
    make(&six, "2x6x4", "random", 25, 3);
    assert_says(&complaint(&[&five, &six]), &["five", "six", "width 5", "width 6"]);
}

#[test]
fn too_few_games() {
    let dir = tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    make(&path("nine"), "2x5x4", "random", 9, 3);
    assert_says(&complaint(&[&path("nine")]), &["9 games", "at least 10 games are needed"]);

    // A shard that has no part.
    make_shard(&path("none"), "2x5x4", "random", 25, 3, Shard::new(1, 2).unwrap());
    assert!(Manifest::load(&path("none")).unwrap().parts.is_empty());
    assert_says(&complaint(&[&path("none")]), &["0 games (0 rows)"]);
    let nothing = Dataset::read(&[], &READING, |_, _| {}).unwrap_err().to_string();
    assert_says(&nothing, &["0 games (0 rows)"]);

    make(&path("ten"), "2x5x4", "random", 10, 3);
    for (validation, side) in [(1e-6, "validation"), (1.0 - 1e-6, "training")] {
        let refused = read(&[&path("ten")], &Reading { validation, ..READING });
        let complaint = refused.unwrap_err().to_string();
        assert_says(
            &complaint,
            &["none of the 10 games", &format!("falls to {side}"), &validation.to_string()],
        );
    }
    assert!(read(&[&path("ten")], &Reading { validation: 0.5, ..READING }).is_ok());
}
