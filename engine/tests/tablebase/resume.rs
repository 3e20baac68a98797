//! Builds that are stopped or killed go on from what is whole, to the same bytes; folders of something else are refused.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use giuthi_engine::endgame::tablebase::{Event, Size, Tablebase, TablebaseError, build};
use tempfile::TempDir;

use super::built;

/// The files of a folder and what is in them.
fn content(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
}

#[test]
fn any_number_of_threads_and_any_way_there_make_the_same_bytes() {
    let [one, other, steps] = [(); 3].map(|()| TempDir::new().unwrap());
    built(one.path(), 5, 9).unwrap();
    let size = Size { pits: 5, seeds: 9 };
    build(other.path(), size, NonZeroUsize::new(5).unwrap(), &AtomicBool::new(false), &|_| {}).unwrap();
    for seeds in [0, 3, 9] {
        built(steps.path(), 5, seeds).unwrap();
    }
    assert_eq!(content(one.path()).len(), 12);
    assert!(content(one.path()) == content(other.path()));
    assert!(content(one.path()) == content(steps.path()));
    // What is there is not taken away by asking for less.
    assert_eq!(built(steps.path(), 5, 2).unwrap(), 9);
    assert!(content(one.path()) == content(steps.path()));
}

#[test]
fn a_stopped_build_goes_on_and_what_a_killed_one_left_is_cleaned_away() {
    let [whole, dir] = [(); 2].map(|()| TempDir::new().unwrap());
    built(whole.path(), 6, 6).unwrap();
    let size = Size { pits: 6, seeds: 6 };
    let stop = AtomicBool::new(false);
    let observe = |event| {
        if matches!(event, Event::Begun { seeds: 5, .. }) {
            stop.store(true, SeqCst);
        }
    };
    let stopped = build(dir.path(), size, NonZeroUsize::MIN, &stop, &observe);
    assert!(matches!(stopped, Err(TablebaseError::Stopped { seeds: 5 })), "{stopped:?}");
    assert_eq!(Tablebase::open(dir.path()).unwrap().seeds(), 4);
    // A file that was begun, one that was not listed yet.
    fs::write(dir.path().join(".seeds-05.tb.123.tmp"), "half").unwrap();
    fs::write(dir.path().join("seeds-05.tb"), "not listed").unwrap();
    built(dir.path(), 6, 6).unwrap();
    assert!(content(whole.path()) == content(dir.path()));
}

#[test]
fn other_tables_other_files_and_damage_are_refused_and_left_alone() {
    let dir = TempDir::new().unwrap();
    built(dir.path(), 5, 3).unwrap();
    let before = content(dir.path());
    let error = built(dir.path(), 6, 3).unwrap_err().to_string();
    assert!(error.contains("rows of 5 pits are there, not of 6"), "{error}");
    assert!(before == content(dir.path()));
    fs::write(dir.path().join("seeds-02.tb"), "GIUTHITB").unwrap();
    let error = built(dir.path(), 5, 4).unwrap_err().to_string();
    assert!(error.contains("seeds-02.tb") && error.contains("cut off"), "{error}");
    let other = TempDir::new().unwrap();
    fs::write(other.path().join("notes.txt"), "mine").unwrap();
    let error = built(other.path(), 5, 4).unwrap_err().to_string();
    assert!(error.contains("notes.txt") && error.contains("choose another folder"), "{error}");
}

#[test]
fn two_builds_do_not_write_into_one_folder() {
    let dir = TempDir::new().unwrap();
    let size = Size { pits: 5, seeds: 2 };
    let observe = |event| {
        if matches!(event, Event::Begun { seeds: 1, .. }) {
            let error = built(dir.path(), 5, 2).unwrap_err();
            assert!(matches!(error, TablebaseError::Busy { .. }), "{error}");
        }
    };
    build(dir.path(), size, NonZeroUsize::MIN, &AtomicBool::new(false), &observe).unwrap();
}
