//! Lines from anywhere: any bytes, any length, no more memory than the longest line allowed.

use std::io::{self, BufRead, ErrorKind};

/// Greatest length of a line, in bytes. The moves of the longest games fit many times.
pub const LONGEST: usize = 1 << 20;

/// A line read, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line; bytes that are no UTF-8 are replaced by U+FFFD.
    Text(String),
    /// A line of more than [`LONGEST`] bytes, thrown away.
    TooLong,
}

/// Reads the next line; `None` at the end of the input. A last line without end counts.
///
/// # Errors
/// When the input cannot be read.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let (mut any, mut long) = (false, false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        long |= bytes.len() + part.len() > LONGEST;
        if !long {
            bytes.extend_from_slice(part);
        }
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (any, long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong),
        (true, false) => Some(Line::Text(String::from_utf8_lossy(&bytes).trim().to_owned())),
    })
}
