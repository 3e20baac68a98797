//! A part of a dataset: its text, written game by game, and read back to the last byte.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use giuthi_engine::sample::{Note, columns, label};
use giuthi_engine::{Game, Sample, Variant};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::manifest::{PartEntry, hex};
use crate::settings::Plan;

/// Bytes that no row reaches; what is longer is no row.
const LONGEST_ROW: u64 = 4096;

/// The first line of every part.
pub(crate) fn header(width: usize) -> String {
    columns(width).join(",") + "\n"
}

/// The rows of a finished game, one line each.
pub(crate) fn rows(number: u64, game: &Game, notes: &[Note]) -> String {
    let samples = label(number, game, notes).expect("only finished games are written");
    let mut writer = csv::Writer::from_writer(Vec::with_capacity(100 * samples.len()));
    let mut record = StringRecord::new();
    for sample in samples {
        record.clear();
        sample.write(&mut record);
        writer.write_record(&record).expect("memory takes every record");
    }
    let bytes = writer.into_inner().expect("memory takes every byte");
    String::from_utf8(bytes).expect("rows are made of text")
}

/// Writes a part and keeps count of it.
pub(crate) struct PartWriter<'a> {
    file: &'a mut BufWriter<File>,
    entry: PartEntry,
    sum: Sha256,
}

impl<'a> PartWriter<'a> {
    /// Begins a part, with its header.
    pub(crate) fn new(
        plan: &Plan,
        width: usize,
        file: &'a mut BufWriter<File>,
    ) -> io::Result<PartWriter<'a>> {
        let entry = PartEntry { file: plan.file_name(), games: 0, rows: 0, sha256: String::new() };
        let mut writer = PartWriter { file, entry, sum: Sha256::new() };
        writer.write(&header(width))?;
        Ok(writer)
    }

    /// Appends the text of one game's rows.
    pub(crate) fn game(&mut self, text: &str, rows: u64) -> io::Result<()> {
        self.entry.games += 1;
        self.entry.rows += rows;
        self.write(text)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.sum.update(text);
        self.file.write_all(text.as_bytes())
    }

    /// What the manifest says of the part.
    pub(crate) fn finish(self) -> PartEntry {
        PartEntry { sha256: hex(&self.sum.finalize()), ..self.entry }
    }
}

/// Why a part that is there already cannot be kept.
#[derive(Debug, Error)]
pub enum Damage {
    /// It cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The part's file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A line is not what this run would have written.
    #[error("{}: line {line}: {reason}; remove the file to have its games played again", path.display())]
    Line {
        /// The part's file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file was changed since its SHA-256 was written into the manifest.
    #[error(
        "{}: its SHA-256 is not the one in the manifest; remove the file to have its games played again",
        path.display()
    )]
    Changed {
        /// The part's file.
        path: PathBuf,
    },
}

/// Reads a part that a run with these settings wrote before, and tells `observe` each of its games.
///
/// Every game is replayed from its moves, and its rows must be, byte for byte, what is written of such a game.
pub(crate) fn read(
    path: &Path,
    plan: &Plan,
    variant: Variant,
    mut observe: impl FnMut(&Game, &[Note]),
) -> Result<PartEntry, Damage> {
    let mut lines = Lines::open(path)?;
    let damage = |line, reason| Damage::Line { path: path.to_owned(), line, reason };
    let header = header(variant.width());
    if lines.next()?.is_none_or(|line| line != header.trim_end()) {
        return Err(damage(1, format!("the header of a dataset of {variant} is expected")));
    }
    let mut rows_read = 0;
    for number in plan.games.clone() {
        let mut game = Game::new(variant);
        let (mut notes, mut text) = (Vec::new(), String::new());
        let first = lines.number + 1;
        while game.ending().is_none() {
            let at = lines.number + 1;
            let Some(line) = lines.next()? else {
                return Err(damage(at, format!("ply {} of game {number} is missing", notes.len())));
            };
            text.push_str(line);
            text.push('\n');
            let record = StringRecord::from(line.split(',').collect::<Vec<_>>());
            let sample =
                Sample::read(&record, variant.width()).map_err(|error| damage(at, error.to_string()))?;
            let here = (sample.game, sample.ply as usize, &sample.position);
            if here != (number, notes.len(), game.position()) {
                let expected = format!("ply {} of game {number} at {}", notes.len(), game.position());
                return Err(damage(at, format!("{expected} is expected")));
            }
            game.play(sample.mv).map_err(|error| damage(at, error.to_string()))?;
            notes.push(Note { source: sample.source, value: sample.value });
        }
        let written = rows(number, &game, &notes);
        let differs = |(found, wanted): (&str, &str)| found != wanted;
        if let Some(row) = text.lines().zip(written.lines()).position(differs) {
            let wanted = written.lines().nth(row).unwrap_or_default();
            return Err(damage(first + row as u64, format!("by its moves the game has here `{wanted}`")));
        }
        rows_read += notes.len() as u64;
        observe(&game, &notes);
    }
    let after = lines.number + 1;
    if lines.next()?.is_some() {
        return Err(damage(after, "the part's games end before it".to_owned()));
    }
    let games = plan.games.end - plan.games.start;
    Ok(PartEntry { file: plan.file_name(), games, rows: rows_read, sha256: hex(&lines.sum.finalize()) })
}

/// The lines of a file, numbered and summed.
struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    line: Vec<u8>,
    /// Number of the line read last, from 1.
    number: u64,
    sum: Sha256,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Lines<'a>, Damage> {
        let file = File::open(path).map_err(|error| Damage::Io { path: path.to_owned(), error })?;
        Ok(Lines { path, reader: BufReader::new(file), line: Vec::new(), number: 0, sum: Sha256::new() })
    }

    /// The next line without its end; `None` after the last.
    fn next(&mut self) -> Result<Option<&str>, Damage> {
        self.line.clear();
        let mut reader = (&mut self.reader).take(LONGEST_ROW);
        let read = reader.read_until(b'\n', &mut self.line);
        read.map_err(|error| Damage::Io { path: self.path.to_owned(), error })?;
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.sum.update(&self.line);
        if self.line.pop() != Some(b'\n') {
            return Err(self.damage("the line has no end"));
        }
        str::from_utf8(&self.line).map(Some).map_err(|_| self.damage("not text"))
    }

    fn damage(&self, reason: &str) -> Damage {
        Damage::Line { path: self.path.to_owned(), line: self.number, reason: reason.to_owned() }
    }
}
