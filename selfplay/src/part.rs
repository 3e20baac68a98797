//! A part of a dataset: its text, and read back to the last byte.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use giuthi_engine::sample::{Note, columns, label};
use giuthi_engine::{Game, Sample, Variant};
use sha2::{Digest, Sha256};
use thiserror::Error;
use zstd::stream::read::Decoder;

use crate::manifest::{PartEntry, hex};
use crate::settings::{Format, Plan};
use crate::summary::Tally;

/// Bytes that no row reaches; what is longer is no row.
const LONGEST_ROW: u64 = 4096;
/// Bytes that most rows have at most.
const ROW: usize = 96;

/// The first line of every part.
pub(crate) fn header(width: usize) -> String {
    columns(width).join(",") + "\n"
}

/// The rows of a finished game, one line each.
pub(crate) fn rows(number: u64, game: &Game, notes: &[Note]) -> Vec<u8> {
    let samples = label(number, game, notes).expect("only finished games are written");
    let mut text = Vec::with_capacity(ROW * samples.len());
    samples.iter().for_each(|sample| sample.spell(&mut text));
    text
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
    let mut lines = Lines::open(path, plan.format)?;
    let damage = |line, reason| Damage::Line { path: path.to_owned(), line, reason };
    let header = header(variant.width());
    if lines.next()?.is_none_or(|line| line != header.trim_end().as_bytes()) {
        return Err(damage(1, format!("the header of a dataset of {variant} is expected")));
    }
    let mut tally = Tally::default();
    let mut text = Vec::new();
    for number in plan.games.clone() {
        let mut game = Game::new(variant);
        let mut notes = Vec::new();
        text.clear();
        let first = lines.number + 1;
        while game.ending().is_none() {
            let at = lines.number + 1;
            let Some(line) = lines.next()? else {
                return Err(damage(at, format!("ply {} of game {number} is missing", notes.len())));
            };
            text.extend_from_slice(line);
            text.push(b'\n');
            let sample =
                Sample::scan(line, variant.width()).map_err(|error| damage(at, error.to_string()))?;
            let here = (sample.game, sample.ply as usize, &sample.position);
            if here != (number, notes.len(), game.position()) {
                let expected = format!("ply {} of game {number} at {}", notes.len(), game.position());
                return Err(damage(at, format!("{expected} is expected")));
            }
            game.play(sample.mv).map_err(|error| damage(at, error.to_string()))?;
            notes.push(Note { source: sample.source, value: sample.value });
        }
        let written = rows(number, &game, &notes);
        if text != written {
            let line =
                |text: &[u8], row: usize| text.split(|&byte| byte == b'\n').nth(row).map(<[u8]>::to_vec);
            let row = (0..notes.len()).find(|&row| line(&text, row) != line(&written, row));
            let wanted =
                String::from_utf8_lossy(&line(&written, row.unwrap_or(0)).unwrap_or_default()).into_owned();
            let at = first + row.unwrap_or(0) as u64;
            return Err(damage(at, format!("by its moves the game has here `{wanted}`")));
        }
        tally.add(&game, &notes);
        observe(&game, &notes);
    }
    let after = lines.number + 1;
    if lines.next()?.is_some() {
        return Err(damage(after, "the part's games end before it".to_owned()));
    }
    let (games, rows) = (tally.games(), tally.rows());
    Ok(PartEntry { file: plan.file_name(), games, rows, sha256: lines.finish()?, tally: Some(tally) })
}

/// SHA-256 of a file's bytes, in hexadecimal.
pub(crate) fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = Hashing { file: File::open(path)?, sum: Sha256::new() };
    let mut buffer = vec![0; 1 << 18];
    while file.read(&mut buffer)? > 0 {}
    Ok(hex(&file.sum.finalize()))
}

/// A file that is summed while it is read.
struct Hashing {
    file: File,
    sum: Sha256,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.sum.update(&buffer[..count]);
        Ok(count)
    }
}

/// Where the text of a part comes from.
enum Input {
    Plain(BufReader<Hashing>),
    Zstd(Box<BufReader<Decoder<'static, BufReader<Hashing>>>>),
}

/// The lines of a part, numbered; the file that they come from is summed.
struct Lines<'a> {
    path: &'a Path,
    input: Input,
    line: Vec<u8>,
    /// Number of the line read last, from 1.
    number: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path, format: Format) -> Result<Lines<'a>, Damage> {
        let failed = |error| Damage::Io { path: path.to_owned(), error };
        let file = Hashing { file: File::open(path).map_err(failed)?, sum: Sha256::new() };
        let input = match format {
            Format::Plain => Input::Plain(BufReader::with_capacity(1 << 16, file)),
            Format::Zstd(_) => {
                let decoder = Decoder::new(file).map_err(failed)?.single_frame();
                Input::Zstd(Box::new(BufReader::with_capacity(1 << 17, decoder)))
            }
        };
        Ok(Lines { path, input, line: Vec::new(), number: 0 })
    }

    /// The next line without its end; `None` after the last.
    fn next(&mut self) -> Result<Option<&[u8]>, Damage> {
        self.line.clear();
        let read = match &mut self.input {
            Input::Plain(reader) => reader.take(LONGEST_ROW).read_until(b'\n', &mut self.line),
            Input::Zstd(reader) => reader.take(LONGEST_ROW).read_until(b'\n', &mut self.line),
        };
        match read {
            Ok(_) => {}
            // What cannot be decompressed is damaged, and not only hard to get at.
            Err(error) if matches!(self.input, Input::Zstd(_)) => {
                self.number += 1;
                return Err(self.damage(&format!("the compressed text breaks off here ({error})")));
            }
            Err(error) => return Err(Damage::Io { path: self.path.to_owned(), error }),
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.line.pop() != Some(b'\n') {
            return Err(self.damage("the line has no end"));
        }
        Ok(Some(&self.line))
    }

    /// SHA-256 of the file, all of whose lines have been read.
    fn finish(self) -> Result<String, Damage> {
        let mut rest = 0;
        let mut count = |file: &mut dyn Read| -> io::Result<()> {
            rest = io::copy(file, &mut io::sink())?;
            Ok(())
        };
        let (path, number) = (self.path, self.number);
        let finished = match self.input {
            Input::Plain(reader) => Ok(reader.into_inner()),
            Input::Zstd(reader) => {
                let mut file = reader.into_inner().finish();
                count(&mut file).map(|()| file.into_inner())
            }
        };
        let file = finished.map_err(|error| Damage::Io { path: path.to_owned(), error })?;
        if rest > 0 {
            let reason = format!("{rest} bytes stand behind the compressed text");
            return Err(Damage::Line { path: path.to_owned(), line: number, reason });
        }
        Ok(hex(&file.sum.finalize()))
    }

    fn damage(&self, reason: &str) -> Damage {
        Damage::Line { path: self.path.to_owned(), line: self.number, reason: reason.to_owned() }
    }
}
