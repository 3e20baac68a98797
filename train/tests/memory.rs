//! Memory does not grow from epoch to epoch. A test by itself, since it looks at the whole process.

#![cfg(target_os = "linux")]

mod support;

use std::num::{NonZeroU32, NonZeroUsize};

use giuthi_engine::agent::NoClock;
use giuthi_train::fit::{Settings, fit};
use giuthi_train::metrics::Epoch;
use support::{READING, Telling, make, read};
use tch::Device;
use tempfile::tempdir;

/// Resident memory of this process, in pages.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn memory_does_not_grow_from_epoch_to_epoch() {
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    make(dir.path(), "2x6x4", "random", 300, 3);
    let data = read(&[dir.path()], &READING).unwrap();
    let settings = Settings {
        epochs: NonZeroU32::new(12).unwrap(),
        batch: NonZeroUsize::new(64).unwrap(),
        learning_rate: 0.001,
        patience: NonZeroU32::new(12).unwrap(),
        seed: 1,
        ..Settings::default()
    };
    let mut pages = Vec::new();
    let mut telling = Telling(|_| {}, |_: &Epoch| pages.push(resident()));
    fit(&data, &settings, Device::Cpu, &NoClock, None, &mut telling).unwrap();
    // A hundred steps an epoch: a batch of numbers kept by each would show.
    assert!(pages[11] < 1.03 * pages[1], "{pages:?}");
}
