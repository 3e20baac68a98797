//! Folders and files that are not what they should be are refused, and say why.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use giuthi_engine::endgame::tablebase::{Tablebase, TablebaseError, verify};
use tempfile::TempDir;

use super::built;

/// A folder of small tables.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    built(dir.path(), 5, 4).unwrap();
    dir
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn verified(dir: &Path) -> Result<Tablebase, TablebaseError> {
    verify(dir, &AtomicBool::new(false), |_| {}, &|_| {})
}

#[track_caller]
fn refused(result: Result<Tablebase, TablebaseError>, says: &[&str]) {
    let error = result.expect_err("it is refused").to_string();
    assert!(says.iter().all(|says| error.contains(says)) && error.lines().count() == 1, "{error}");
}

#[test]
fn good_tables_are_verified() {
    let dir = folder();
    let table = verified(dir.path()).unwrap();
    assert_eq!((table.pits(), table.seeds(), table.boards()), (5, 4, 1001));
}

#[test]
fn damaged_cut_and_foreign_files_are_refused() {
    type Change = fn(&mut Vec<u8>);
    let cases: [(Change, &[&str]); 8] = [
        (|bytes| bytes.truncate(0), &["seeds-03.tb", "does not begin"]),
        (|bytes| bytes.truncate(20), &["seeds-03.tb", "cut off in its header, after 20 bytes"]),
        (|bytes| bytes.truncate(100), &["seeds-03.tb", "100 bytes long instead of 912"]),
        (|bytes| bytes.push(0), &["913 bytes long instead of 912"]),
        (|bytes| bytes[500] ^= 1, &["seeds-03.tb", "SHA-256"]),
        (|bytes| bytes[0] = b'X', &["does not begin with `GIUTHITB`"]),
        (|bytes| bytes[8] = 9, &["version 9: this program reads 1"]),
        (|bytes| bytes[11] = 4, &["rows of 5 pits and 4 seeds, where rows of 5 pits and 3 seeds should be"]),
    ];
    for (how, says) in cases {
        let dir = folder();
        change(&dir.path().join("seeds-03.tb"), how);
        refused(Tablebase::open(dir.path()), says);
        refused(verified(dir.path()), says);
    }
    let dir = folder();
    fs::remove_file(dir.path().join("seeds-02.tb")).unwrap();
    refused(Tablebase::open(dir.path()), &["seeds-02.tb", "not there"]);
}

#[test]
fn a_manifest_that_lies_is_refused() {
    let cases: [(&str, &str, &str); 8] = [
        ("\"schema\": 1", "\"schema\": 2", "schema 2: this program reads 1"),
        ("giuthi-endgame-tables", "tables", "not of endgame tables"),
        ("\"seeds\": 4", "\"seeds\": 3", "it lists 5 layers for `seeds` 3"),
        ("\"pits\": 5", "\"pits\": 11", "`pits` is 11: 5 to 10 are possible"),
        ("\"boards\": 55", "\"boards\": 56", "layer 2 should be `seeds-02.tb` with 55 boards"),
        ("\"boards\": 1001", "\"boards\": 1000", "`boards` is 1000: its layers have 1001"),
        ("seeds-01.tb", "../seeds-01.tb", "layer 1 should be `seeds-01.tb`"),
        ("{", "", "no JSON"),
    ];
    for (from, to, says) in cases {
        let dir = folder();
        replace(&dir.path().join("manifest.json"), from, to);
        refused(Tablebase::open(dir.path()), &["manifest.json", says]);
    }
    let empty = TempDir::new().unwrap();
    refused(Tablebase::open(empty.path()), &["no `manifest.json`"]);
    refused(Tablebase::open(&empty.path().join("none")), &["no `manifest.json`"]);
}

/// The SHA-256 that a changed file would have to have, taken from the complaint about the one it has not.
fn forge(dir: &Path, file: &str) {
    let error = Tablebase::open(dir).expect_err("it is refused").to_string();
    let sum = |after: &str| error.split(after).nth(1).unwrap()[..64].to_owned();
    assert!(error.contains(file), "{error}");
    replace(&dir.join("manifest.json"), &sum("the manifest has "), &sum("its SHA-256 is "));
    Tablebase::open(dir).unwrap();
}

#[test]
fn a_wrong_number_under_a_right_checksum_is_found_by_its_moves() {
    // The four bytes of board 100 of those with four seeds.
    let (thresholds, ranks) = (32 + 2 * 100, 32 + 2 * 715 + 2 * 100);
    for (at, says) in [
        (thresholds, "win_min_lead"),
        (thresholds + 1, "draw_min_lead"),
        (ranks, "the rank of the win"),
        (ranks + 1, "the rank of the loss"),
    ] {
        let dir = folder();
        change(&dir.path().join("seeds-04.tb"), |bytes| bytes[at] ^= 1);
        forge(dir.path(), "seeds-04.tb");
        refused(verified(dir.path()), &["seeds-04.tb", says, "should be"]);
    }
}
