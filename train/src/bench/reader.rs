//! How fast datasets are read: rows scanned beside csv's ways, and whole epochs from the file to shuffled batches.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use csv::{ByteRecord, ReaderBuilder, StringRecord};
use giuthi_engine::{Clock, Sample};
use giuthi_selfplay::{Manifest, PartEntry};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{BenchError, Measurement, Unit, figure, rate, time};
use crate::data::{RandomRows, Reading};
use crate::part::OnBad;
use crate::source::Source;
use crate::stream::{Stream, Streaming};

/// Rows that are read from memory.
const ROWS: usize = 50_000;
/// Rows of a dataset that are looked at, rounded up to whole parts: a bench needs no more of a large one.
const MOST_ROWS: u64 = 1_000_000;
/// Rows in a batch.
const BATCH: usize = 8192;
/// How often reading from memory is timed in a round: short pieces of work, so that the fastest is one that nothing
/// interrupted.
const TIMES: usize = 5;
const LEVEL: i32 = 3;
/// Logarithm of the bytes that a match may reach back. As small as it is here the parts read abreast leave each other's
/// in the processor's caches, which nearly doubles the speed; and no file is larger by it.
const WINDOW: u32 = 17;

/// Two clocks.
#[derive(Clone, Copy)]
pub struct Clocks<'a> {
    /// Time that passes.
    pub wall: &'a dyn Clock,
    /// Time that all threads of this process have computed, added up.
    pub processor: &'a dyn Clock,
}

/// A dataset of about a million rows in two copies, plain and compressed.
#[derive(Debug)]
pub struct Copies {
    plain: PathBuf,
    compressed: PathBuf,
    /// Some rows of the first part, with the header.
    text: Vec<u8>,
    width: usize,
}

impl Copies {
    /// Copies the first parts of the dataset in `data` into `scratch`, an empty folder.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub fn make(data: &Path, scratch: &Path) -> Result<Copies, BenchError> {
        let Manifest { run, parts, .. } =
            Manifest::load(data).map_err(|error| BenchError::Data(error.into()))?;
        let mut rows = 0;
        let first = parts.into_iter().take_while(|part| {
            let more = rows < MOST_ROWS;
            rows += part.rows;
            more
        });
        let [plain, compressed] = ["csv", "csv.zst"].map(|name| scratch.join(name));
        let width = run.variant.width();
        let mut lists = [Vec::new(), Vec::new()];
        let mut beginning = Vec::new();
        for folder in [&plain, &compressed] {
            fs::create_dir_all(folder).map_err(failed(folder))?;
        }
        for part in first {
            let path = data.join(&part.file);
            let text = read(&path)?;
            let name = part.file.trim_end_matches(".zst");
            let packed = pack(&text).map_err(failed(&path))?;
            let compressed_name = format!("{name}.zst");
            let copies = [(&plain, name, &text), (&compressed, compressed_name.as_str(), &packed)];
            for ((folder, file, bytes), list) in copies.into_iter().zip(&mut lists) {
                let path = folder.join(file);
                let written = fs::File::create(&path).and_then(|mut file| file.write_all(bytes));
                written.map_err(failed(&path))?;
                let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                list.push(PartEntry { file: file.to_owned(), sha256, ..part });
            }
            if beginning.is_empty() {
                let end = memchr::memchr_iter(b'\n', &text).nth(ROWS).map_or(text.len(), |at| at + 1);
                beginning = text[..end].to_vec();
            }
        }
        for (folder, list) in [&plain, &compressed].into_iter().zip(lists) {
            let saved = Manifest::new(run.clone(), list).save(folder);
            saved.map_err(|error| BenchError::Data(error.into()))?;
        }
        Ok(Copies { plain, compressed, text: beginning, width })
    }

    /// Opens the plain copy: every row checked, every game replayed.
    ///
    /// # Errors
    /// What is wrong with the data.
    pub fn open(&self, threads: NonZeroUsize) -> Result<Stream, BenchError> {
        open(&self.plain, threads)
    }
}

/// Measures how datasets are read, each figure by the fastest of `rounds`. A row takes all threads that have to do with
/// it some time: rows a second and core are those by the sum of these times, whatever else the machine is doing.
///
/// # Errors
/// What is wrong with the data, or ways of reading that do not come to the same.
pub fn reading(
    copies: &Copies,
    threads: NonZeroUsize,
    rounds: u64,
    clocks: Clocks<'_>,
) -> Result<Vec<Measurement>, BenchError> {
    let mut figures = memory(copies, rounds, clocks.processor)?;
    let serde = figures[0].number;
    for (folder, names) in [(&copies.plain, &NAMES[0]), (&copies.compressed, &NAMES[1])] {
        let mut opened = Duration::MAX;
        let mut stream = None;
        time(clocks.processor, &mut opened, || {
            stream = Some(open(folder, threads)?);
            Ok(())
        })?;
        let stream = stream.expect("opened or failed");
        let [training, validation] = stream.rows();
        let [mut core, mut wall] = [Duration::MAX; 2];
        for epoch in 1..=rounds as u32 {
            let mut rows = 0;
            time(clocks.wall, &mut wall, || {
                time(clocks.processor, &mut core, || {
                    for batch in stream.training(1, epoch, BATCH, 0) {
                        rows += batch?.len() as u64;
                    }
                    Ok(())
                })
            })?;
            if rows != training {
                return Err(BenchError::OtherSum { way: "an epoch" });
            }
        }
        let core = rate(training as usize, core);
        let opened = rate((training + validation) as usize, opened);
        let [name_core, name_ratio, name_wall, name_open, title] = *names;
        figures.extend([
            figure(name_core, title, core, Unit::PerSecond),
            figure(name_ratio, "  faster than csv and serde", core / serde, Unit::Times),
            figure(name_wall, "  rows a second, all threads", rate(training as usize, wall), Unit::PerSecond),
            figure(name_open, "  opened and checked, a core", opened, Unit::PerSecond),
        ]);
    }
    Ok(figures)
}

/// What the figures of a stream are called: plain and compressed.
const NAMES: [[&str; 5]; 2] = [
    [
        "stream_rows_per_core_s",
        "stream_ratio",
        "stream_rows_per_s",
        "stream_open_rows_per_core_s",
        "epoch of .csv, to batches: a second and core",
    ],
    [
        "stream_zst_rows_per_core_s",
        "stream_zst_ratio",
        "stream_zst_rows_per_s",
        "stream_zst_open_rows_per_core_s",
        "epoch of .csv.zst, to batches: the same",
    ],
];

fn open(folder: &Path, threads: NonZeroUsize) -> Result<Stream, BenchError> {
    let streaming = Streaming { on_bad: OnBad::Stop, threads, buffer: Streaming::BUFFER };
    let reading = Reading { lambda: 0.0, validation: 0.1, random_rows: RandomRows::Keep };
    Ok(Stream::open(&[folder.to_owned().into()], &reading, streaming, |_, _| {})?)
}

/// A way to read rows; it gives the sum of their results, so that it has to read them.
type Way<'a> = (&'static str, Box<dyn Fn() -> i64 + 'a>);

/// Rows read from memory.
fn memory(copies: &Copies, rounds: u64, clock: &dyn Clock) -> Result<Vec<Measurement>, BenchError> {
    let Copies { text, width, .. } = copies;
    let (text, width) = (&text[..], *width);
    let rows = memchr::memchr_iter(b'\n', text).count().saturating_sub(1);
    let [serde, owned]: [fn(&[u8]) -> i64; 2] = match width {
        5 => [by_serde::<[u8; 10]>, by_owned::<[u8; 10]>],
        6 => [by_serde::<[u8; 12]>, by_owned::<[u8; 12]>],
        7 => [by_serde::<[u8; 14]>, by_owned::<[u8; 14]>],
        8 => [by_serde::<[u8; 16]>, by_owned::<[u8; 16]>],
        9 => [by_serde::<[u8; 18]>, by_owned::<[u8; 18]>],
        _ => [by_serde::<[u8; 20]>, by_owned::<[u8; 20]>],
    };
    let ways: [Way<'_>; 4] = [
        ("csv and serde", Box::new(move || serde(text))),
        ("csv and serde, rows owned", Box::new(move || owned(text))),
        ("csv's ByteRecord", Box::new(move || by_byte_record(text, 2 * width + 8))),
        ("the scan", Box::new(move || by_scan(text, width))),
    ];
    let mut fastest = [Duration::MAX; 4];
    let mut sum = None;
    for _ in 0..rounds * TIMES as u64 {
        for ((name, way), fastest) in ways.iter().zip(&mut fastest) {
            time(clock, fastest, || {
                let found = way();
                match *sum.get_or_insert(found) == found {
                    true => Ok(()),
                    false => Err(BenchError::OtherSum { way: name }),
                }
            })?;
        }
    }
    let [serde, owned, bytes, scan] = fastest.map(|took| rate(rows, took));
    Ok(vec![
        figure("serde_rows_per_s", "csv and serde, from memory: rows a second", serde, Unit::PerSecond),
        figure("serde_owned_rows_per_s", "  the same, each row owned", owned, Unit::PerSecond),
        figure("byte_record_rows_per_s", "  csv's ByteRecord, nothing parsed", bytes, Unit::PerSecond),
        figure("scan_rows_per_s", "  the scan, every row checked", scan, Unit::PerSecond),
        figure("scan_ratio", "  scan faster than csv and serde", scan / serde, Unit::Times),
    ])
}

/// A row as serde has it: fields in their types, nothing checked, nothing copied.
type Fields<'a, Pits> = (u64, u32, u8, Pits, [u8; 2], &'a str, &'a str, Option<f32>, i8, i16, &'a str);

fn by_serde<Pits: for<'a> Deserialize<'a>>(text: &[u8]) -> i64 {
    let mut reader = ReaderBuilder::new().quoting(false).flexible(true).from_reader(text);
    let mut record = StringRecord::new();
    let mut sum = 0;
    while reader.read_record(&mut record).is_ok_and(|more| more) {
        let fields: Result<Fields<'_, Pits>, _> = record.deserialize(None);
        sum += fields.map_or(i64::from(i32::MAX), |fields| i64::from(fields.8));
    }
    sum
}

/// A row that keeps its texts.
type Owned<Pits> = (u64, u32, u8, Pits, [u8; 2], String, String, Option<f32>, i8, i16, String);

/// As csv's manual has it: an iterator over rows.
fn by_owned<Pits: for<'a> Deserialize<'a>>(text: &[u8]) -> i64 {
    let mut reader = csv::Reader::from_reader(text);
    let rows = reader.deserialize::<Owned<Pits>>();
    rows.map(|row| row.map_or(i64::from(i32::MAX), |row| i64::from(row.8))).sum()
}

fn by_byte_record(text: &[u8], result: usize) -> i64 {
    let mut reader = ReaderBuilder::new().quoting(false).flexible(true).from_reader(text);
    let mut record = ByteRecord::new();
    let mut sum = 0;
    while reader.read_byte_record(&mut record).is_ok_and(|more| more) {
        sum += match record.get(result) {
            Some(b"1") => 1,
            Some(b"-1") => -1,
            _ => 0,
        };
    }
    sum
}

fn by_scan(text: &[u8], width: usize) -> i64 {
    let mut ends = memchr::memchr_iter(b'\n', text);
    let mut start = ends.next().map_or(text.len(), |at| at + 1);
    let mut sum = 0;
    for end in ends {
        let row = Sample::scan(&text[start..end], width);
        sum += row.map_or(i64::from(i32::MAX), |row| i64::from(row.result));
        start = end + 1;
    }
    sum
}

/// Compressed, as data that are read 16 parts abreast are best compressed.
fn pack(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.window_log(WINDOW)?;
    encoder.write_all(text)?;
    encoder.finish()
}

/// All of a part, decompressed where it is compressed.
fn read(path: &Path) -> Result<Vec<u8>, BenchError> {
    let file = BufReader::new(fs::File::open(path).map_err(failed(path))?);
    let mut text = Vec::new();
    let read = match path.extension().is_some_and(|end| end == "zst") {
        true => zstd::Decoder::with_buffer(file).and_then(|mut decoder| decoder.read_to_end(&mut text)),
        false => { file }.read_to_end(&mut text),
    };
    read.map_err(failed(path))?;
    Ok(text)
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> BenchError + use<> {
    let path = path.to_owned();
    move |error| BenchError::Io { path: path.clone(), error }
}
