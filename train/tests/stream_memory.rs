//! A stream takes as much memory for many rows as for few. A test by itself, since it looks at the whole process.

#![cfg(target_os = "linux")]

mod support;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;

use giuthi_engine::agent::NoClock;
use giuthi_selfplay::{Settings, generate};
use giuthi_train::part::OnBad;
use giuthi_train::source::Source;
use giuthi_train::stream::{Stream, Streaming};
use support::READING;
use tempfile::tempdir;

/// Peak of this process's resident memory while something is done, in KiB.
fn peak(work: impl FnOnce()) -> u64 {
    // The peak so far is forgotten.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    work();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Opens a dataset and reads an epoch of it; how many rows it has.
fn pass(dir: &Path) -> u64 {
    let number = |number| NonZeroUsize::new(number).unwrap();
    let streaming = Streaming { on_bad: OnBad::Stop, threads: number(2), buffer: number(10_000) };
    let stream = Stream::open(&[dir.to_owned().into()], &READING, streaming, |_, _| {}).unwrap();
    let count = |batches: giuthi_train::source::Batches<'_>| -> u64 {
        batches.map(|rows| rows.unwrap().len() as u64).sum()
    };
    let found = [count(stream.training(1, 1, 512, 0)), count(stream.validation(512))];
    assert_eq!(found, stream.rows());
    found[0] + found[1]
}

#[test]
fn the_peak_does_not_grow_with_the_rows() {
    let dir = tempdir().unwrap();
    let made = |name: &str, games: u64, part_games: u64| {
        let number = |number| NonZeroU64::new(number).unwrap();
        let settings = Settings::new("2x8x8".parse().unwrap(), "random".parse().unwrap(), number(games), 3);
        let settings = Settings { part_games: number(part_games), ..settings };
        generate(&settings, &dir.path().join(name), NonZeroUsize::MIN, &NoClock, |_| {}).unwrap();
        dir.path().join(name)
    };
    // As many lanes at work as with many rows; then many parts, and one that is large.
    let (few, many, one) = (made("few", 400, 20), made("many", 12_000, 300), made("one", 6_000, 6_000));
    let small = peak(|| assert!(pass(&few) > 10_000));
    let mut rows = 0;
    let large = peak(|| rows = pass(&many) + pass(&one));
    // Kept in memory each would take 92 bytes as it is encoded, and 32 as the buffer has it.
    assert!(rows > 700_000, "{rows}");
    assert!(large < small + 8192, "{large} KiB for {rows} rows, {small} for few");
}
