//! What the tests of this crate share: making small datasets and looking at their files.

#![allow(dead_code, reason = "every test file uses some of it")]

pub(crate) mod dataset;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::process::Command;

use giuthi_engine::Sample;
use giuthi_engine::agent::NoClock;
use giuthi_engine::sample::width_of;
use giuthi_selfplay::{Manifest, Report, Settings, generate};

/// Settings of a small dataset.
pub(crate) fn settings(variant: &str, agent: &str, games: u64, part_games: u64) -> Settings {
    let whole = Settings::new(variant.parse().unwrap(), agent.parse().unwrap(), number(games), 7);
    Settings { part_games: number(part_games), ..whole }
}

pub(crate) fn number(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap()
}

/// Makes a dataset that must succeed.
pub(crate) fn make(settings: &Settings, dir: &Path, threads: usize) -> Report {
    generate(settings, dir, NonZeroUsize::new(threads).unwrap(), &NoClock, |_| {}).unwrap()
}

/// Every file of a folder with its bytes.
pub(crate) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// The parts of a folder with their bytes.
pub(crate) fn parts(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    files(dir).into_iter().filter(|(name, _)| name.starts_with("part-")).collect()
}

/// The dataset's games, each as its rows, read as anybody reads them: by the manifest, with the csv crate.
pub(crate) fn games(dir: &Path) -> Vec<Vec<Sample>> {
    let manifest = Manifest::load(dir).unwrap();
    let mut games: Vec<Vec<Sample>> = Vec::new();
    for part in &manifest.parts {
        let file = fs::File::open(dir.join(&part.file)).unwrap();
        let text: Box<dyn Read> = match part.file.ends_with(".zst") {
            true => Box::new(zstd::Decoder::new(file).unwrap()),
            false => Box::new(file),
        };
        let mut reader = csv::Reader::from_reader(text);
        let width = width_of(reader.headers().unwrap()).unwrap();
        for record in reader.records() {
            let sample = Sample::read(&record.unwrap(), width).unwrap();
            match games.last_mut().filter(|game| game[0].game == sample.game) {
                Some(game) => game.push(sample),
                None => games.push(vec![sample]),
            }
        }
    }
    games
}

/// The program, to be given arguments.
pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_giuthi-selfplay"))
}

/// Waits for its end; returns its exit code, stdout and stderr.
pub(crate) fn finish(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Runs the program to its end; returns its exit code, stdout and stderr.
pub(crate) fn program(arguments: &[&str]) -> (i32, String, String) {
    finish(command().args(arguments))
}
