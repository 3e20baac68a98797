//! The lines of a part, compressed or not, with the sums of the file that they come from.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use crc32fast::Hasher as Crc32;
use csv::StringRecord;
use giuthi_engine::sample::width_of;
use sha2::{Digest, Sha256};
use zstd::stream::read::Decoder;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;
/// Bytes that no line of a dataset reaches.
pub const LONGEST_LINE: usize = 4096;
/// How the name of a compressed part ends.
const COMPRESSED: &str = ".zst";

/// One line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its number, the header being 1.
    pub number: u64,
    /// Its bytes, without its end.
    pub bytes: &'a [u8],
    /// Whether all of it is there; otherwise it is longer than [`LONGEST_LINE`].
    pub whole: bool,
    /// Whether `\n` ends it. The last line of a file may do without.
    pub ended: bool,
}

/// Which text is taken for the lines of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As any CSV: a mark of UTF-8 at the beginning, `\r` before `\n` and empty lines are passed over.
    Lenient,
    /// As it is written here: nothing is passed over.
    Exact,
}

/// The lines of a file, read in chunks: memory does not depend on its size, nor on that of its lines.
///
/// As in any CSV, a mark of UTF-8 at the beginning, `\r` before `\n` and empty lines are passed over.
#[derive(Debug)]
pub struct Lines {
    input: Input,
    reading: Reading,
    buffer: Box<[u8]>,
    /// What of the buffer is not handed out yet.
    start: usize,
    end: usize,
    /// Whether the input has ended.
    over: bool,
    /// Lines so far.
    number: u64,
}

enum Input {
    Plain(Hashing),
    Compressed(Box<Decoder<'static, BufReader<Hashing>>>),
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Input::Plain(_)) { "Plain" } else { "Compressed" })
    }
}

impl Lines {
    /// Opens a file; one whose name ends in `.zst` is decompressed as it is read.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn open(path: &Path, summing: Summing) -> io::Result<Lines> {
        Lines::open_as(path, summing, Reading::Lenient)
    }

    /// [`Lines::open`], with a choice of what is passed over.
    pub(crate) fn open_as(path: &Path, summing: Summing, reading: Reading) -> io::Result<Lines> {
        let sha256 = (summing == Summing::Sha256).then(Sha256::new);
        let file = Hashing { file: File::open(path)?, sha256, crc32: Crc32::new(), length: 0 };
        let compressed = path.as_os_str().as_encoded_bytes().ends_with(COMPRESSED.as_bytes());
        let input = match compressed {
            true => Input::Compressed(Box::new(Decoder::new(file)?)),
            false => Input::Plain(file),
        };
        let buffer = vec![0; CHUNK].into_boxed_slice();
        Ok(Lines { input, reading, buffer, start: 0, end: 0, over: false, number: 0 })
    }

    /// Reads the first line: the width of the boards, `None` where it is not the header of a dataset.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn header(&mut self) -> io::Result<Option<usize>> {
        let Some(line) = self.next()? else { return Ok(None) };
        let bytes = line.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line.bytes);
        let text = str::from_utf8(bytes).ok().filter(|_| line.whole);
        Ok(text.and_then(|text| width_of(&StringRecord::from(text.split(',').collect::<Vec<_>>()))))
    }

    /// Number of the line read last, from 1; 0 before the first.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the text is decompressed as it is read.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self.input, Input::Compressed(_))
    }

    /// The next line that is not empty; `None` after the last.
    ///
    /// # Errors
    /// Where the file cannot be read, or what is compressed is damaged.
    #[allow(clippy::should_implement_trait, reason = "a line lives only until the next one is read")]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let Some(Bounds { mut range, whole, ended }) = self.bounds()? else { return Ok(None) };
            self.number += 1;
            if self.reading == Reading::Lenient {
                range.end -= usize::from(self.buffer[range.clone()].last() == Some(&b'\r'));
                if range.is_empty() {
                    continue;
                }
            }
            return Ok(Some(Line { number: self.number, bytes: &self.buffer[range], whole, ended }));
        }
    }

    /// Where the next line lies in the buffer, and whether all of it does.
    fn bounds(&mut self) -> io::Result<Option<Bounds>> {
        // Bytes that are known to hold no end.
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(length) = memchr::memchr(b'\n', &rest[searched..]) {
                let range = self.start..self.start + searched + length;
                self.start = range.end + 1;
                return Ok(Some(Bounds::of(range, true)));
            }
            searched = rest.len();
            if self.over {
                let range = self.start..self.end;
                self.start = self.end;
                return Ok((searched > 0).then(|| Bounds::of(range, false)));
            }
            if searched > LONGEST_LINE {
                return self.overlong().map(Some);
            }
            self.fill()?;
        }
    }

    /// Passes over a line that is too long; its beginning is handed out.
    fn overlong(&mut self) -> io::Result<Bounds> {
        self.buffer.copy_within(self.start..self.start + LONGEST_LINE, 0);
        loop {
            (self.start, self.end) = (LONGEST_LINE, LONGEST_LINE);
            self.fill_behind(LONGEST_LINE)?;
            let length = memchr::memchr(b'\n', &self.buffer[self.start..self.end]);
            match length {
                Some(length) => self.start += length + 1,
                None if self.over => self.start = self.end,
                None => continue,
            }
            return Ok(Bounds { range: 0..LONGEST_LINE, whole: false, ended: length.is_some() });
        }
    }

    /// Reads on, what is left moved to the front of the buffer.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        self.fill_behind(self.end)
    }

    fn fill_behind(&mut self, from: usize) -> io::Result<()> {
        let space = &mut self.buffer[from..];
        let read = loop {
            let read = match &mut self.input {
                Input::Plain(file) => file.read(space),
                Input::Compressed(decoder) => decoder.read(space),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.end = from + read;
        self.over = read == 0;
        Ok(())
    }

    /// The sums of the file's bytes as they lie on the disk; what was not read yet is read now.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn finish(self) -> io::Result<Sums> {
        let mut file = match self.input {
            Input::Plain(file) => file,
            Input::Compressed(decoder) => {
                let mut rest = decoder.finish();
                io::copy(&mut rest, &mut io::sink())?;
                rest.into_inner()
            }
        };
        io::copy(&mut file, &mut io::sink())?;
        let sha256 = file.sha256.map_or_else(String::new, |hash| {
            hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
        });
        Ok(Sums { sha256, quick: Quick { length: file.length, crc32: file.crc32.finalize() } })
    }
}

/// A line's place in the buffer.
struct Bounds {
    range: Range<usize>,
    /// Whether all of it is handed out.
    whole: bool,
    /// Whether its end is there.
    ended: bool,
}

impl Bounds {
    fn of(range: Range<usize>, ended: bool) -> Bounds {
        let whole = range.len() <= LONGEST_LINE;
        Bounds { range: range.start..range.end.min(range.start + LONGEST_LINE), whole, ended }
    }
}

/// What is to be known of a file's bytes beside its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summing {
    /// Whether they are still those of another time: [`Quick`] alone.
    Quick,
    /// That and their SHA-256, which takes half as long as reading the rows.
    Sha256,
}

/// Tells whether a file has changed by accident: its length and CRC-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quick {
    length: u64,
    crc32: u32,
}

/// The sums of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// In hexadecimal; empty where it was not asked for.
    pub sha256: String,
    /// By what the file is known again.
    pub quick: Quick,
}

/// A file that is summed while it is read.
struct Hashing {
    file: File,
    sha256: Option<Sha256>,
    crc32: Crc32,
    length: u64,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let bytes = &buffer[..count];
        if let Some(hash) = &mut self.sha256 {
            hash.update(bytes);
        }
        self.crc32.update(bytes);
        self.length += count as u64;
        Ok(count)
    }
}
