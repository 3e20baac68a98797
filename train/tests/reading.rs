//! How fast datasets are read. Not run unless asked for, and it asserts nothing about time:
//!
//! ```sh
//! cargo test --release -p giuthi-train --test reading -- --ignored --nocapture
//! ```

mod support;

use std::fs;
use std::io::Write as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Instant;

use giuthi_engine::agent::NoClock;
use giuthi_selfplay::{Manifest, Settings, generate};
use giuthi_train::part::OnBad;
use giuthi_train::source::Source;
use giuthi_train::stream::{Stream, Streaming};
use sha2::{Digest, Sha256};
use support::{READING, read};
use tempfile::tempdir;

fn tell(text: &str, rows: u64, started: Instant) {
    let speed = rows as f64 / started.elapsed().as_secs_f64() / 1e6;
    writeln!(std::io::stderr().lock(), "{text}: {speed:.2} M rows/s").unwrap();
}

#[test]
#[ignore = "a benchmark: it takes a while and tells no right from wrong"]
fn rows_a_second() {
    let dir = tempdir().unwrap();
    let number = |number| NonZeroU64::new(number).unwrap();
    let whole = Settings::new("2x8x8".parse().unwrap(), "random".parse().unwrap(), number(40_000), 3);
    generate(&whole, dir.path(), NonZeroUsize::MIN, &NoClock, |_| {}).unwrap();
    for kind in ["csv", "csv.zst"] {
        if kind == "csv.zst" {
            let mut manifest = Manifest::load(dir.path()).unwrap();
            for part in &mut manifest.parts {
                let text = fs::read(dir.path().join(&part.file)).unwrap();
                let bytes = zstd::encode_all(&text[..], 3).unwrap();
                part.file += ".zst";
                part.sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                fs::write(dir.path().join(&part.file), bytes).unwrap();
            }
            manifest.save(dir.path()).unwrap();
        }
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let streaming = Streaming { on_bad: OnBad::Stop, threads, buffer: Streaming::BUFFER };
            let started = Instant::now();
            let windows = [dir.path().to_owned().into()];
            let stream = Stream::open(&windows, &READING, streaming, |_, _| {}).unwrap();
            let rows = stream.rows();
            let name = |what: &str| format!("{kind}, {threads} threads, {what}");
            tell(&name("opened, games replayed"), rows[0] + rows[1], started);
            let started = Instant::now();
            let found: usize = stream.training(1, 1, 8192, 0).map(|rows| rows.unwrap().len()).sum();
            assert_eq!(found as u64, rows[0]);
            tell(&name("training rows, shuffled and encoded"), rows[0], started);
            let started = Instant::now();
            let found: usize = stream.validation(8192).map(|rows| rows.unwrap().len()).sum();
            assert_eq!(found as u64, rows[1]);
            tell(&name("validation, rows passed over counted"), rows[0] + rows[1], started);
        }
        let started = Instant::now();
        let data = read(&[dir.path()], &READING).unwrap();
        tell(&format!("{kind}, into memory"), (data.training.len() + data.validation.len()) as u64, started);
    }
}
