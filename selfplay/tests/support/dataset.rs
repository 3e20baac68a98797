//! A dataset to be checked: made, its manifest edited, and what is told of it.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use giuthi_selfplay::verify::{Event, Fault, Thoroughly, Verified, verify};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use super::{make, settings};

/// 60 games in 3 parts, with values.
pub(crate) fn good() -> TempDir {
    let dir = tempdir().unwrap();
    make(&settings("2x5x4", "ab:depth=1", 60, 20), dir.path(), 1);
    dir
}

pub(crate) fn check(dir: &Path, most: usize) -> (Verified, Vec<Fault>) {
    check_again(dir, most, false)
}

pub(crate) fn check_again(dir: &Path, most: usize, again: bool) -> (Verified, Vec<Fault>) {
    check_thoroughly(dir, most, &Thoroughly { again, tables: None })
}

pub(crate) fn check_thoroughly(
    dir: &Path,
    most: usize,
    thoroughly: &Thoroughly<'_>,
) -> (Verified, Vec<Fault>) {
    let mut faults = Vec::new();
    let verified = verify(dir, NonZeroUsize::new(2).unwrap(), most, thoroughly, |event| {
        if let Event::Fault(fault) = event {
            faults.push(fault.clone());
        }
    });
    (verified.unwrap(), faults)
}

/// Changes keys of the manifest, and takes away `run.json`, which knows better.
pub(crate) fn edit(dir: &Path, keys: &[(&str, Value)]) {
    let path = dir.join("manifest.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (key, with) in keys {
        assert!(value.get(key).is_some() && value[key] != *with, "{key}");
        value[key] = with.clone();
    }
    fs::write(&path, value.to_string()).unwrap();
    let _ = fs::remove_file(dir.join("run.json"));
}
