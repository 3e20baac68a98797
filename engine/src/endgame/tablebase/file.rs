//! The file of one layer: a header of 32 bytes, two bytes a board for the thresholds, two for the ranks.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::TablebaseError;
use super::layer::Layer;
use super::manifest::SCHEMA;
use crate::endgame::summed::Summed;
use crate::files::write_whole;

/// What every file begins with.
const MAGIC: &[u8; 8] = b"GIUTHITB";
/// Bytes of the header.
const HEADER: usize = 32;
/// Bytes read or written at a time.
const BLOCK: usize = 1 << 20;

/// The name of the file of the boards of so many seeds.
pub(super) fn layer_file(seeds: usize) -> String {
    format!("seeds-{seeds:02}.tb")
}

/// The bytes of a file with so many boards.
pub(super) const fn file_bytes(boards: u64) -> u64 {
    HEADER as u64 + 4 * boards
}

/// Magic, version (two bytes), pits in a row, seeds, four zeros, number of boards (eight bytes, the lowest first, as all
/// numbers), eight zeros.
fn header(pits: usize, seeds: usize, boards: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&SCHEMA.to_le_bytes());
    header[10] = pits as u8;
    header[11] = seeds as u8;
    header[16..24].copy_from_slice(&boards.to_le_bytes());
    header
}

/// What is not as it should be in a header; `None` where everything is.
fn fault(found: &[u8], wanted: &[u8; HEADER]) -> Option<String> {
    if found.get(..8) != Some(MAGIC) {
        return Some("no endgame table: it does not begin with `GIUTHITB`".to_owned());
    }
    if found.len() < HEADER {
        return Some(format!("cut off in its header, after {} bytes", found.len()));
    }
    let version = u16::from_le_bytes([found[8], found[9]]);
    if version != SCHEMA {
        return Some(format!("version {version}: this program reads {SCHEMA}"));
    }
    if found[10..12] != wanted[10..12] {
        return Some(format!(
            "a table of rows of {} pits and {} seeds, where rows of {} pits and {} seeds should be",
            found[10], found[11], wanted[10], wanted[11]
        ));
    }
    (found != wanted).then(|| "its header is not one that this program writes".to_owned())
}

/// Writes a layer's file; returns its SHA-256 in hexadecimal.
pub(super) fn write(path: &Path, pits: usize, seeds: usize, layer: &Layer) -> Result<String, TablebaseError> {
    let boards = layer.thresholds.len() as u64;
    let mut checksum = String::new();
    let written: io::Result<()> = write_whole(path, |writer| {
        let mut writer = Summed::new(writer);
        writer.write_all(&header(pits, seeds, boards))?;
        for bytes in [&layer.thresholds, &layer.ranks] {
            for block in bytes.as_flattened().chunks(BLOCK) {
                writer.write_all(block)?;
            }
        }
        checksum = hex(&writer.sum.finalize());
        Ok(())
    });
    written.map_err(|error| TablebaseError::io(path, "cannot be written", error))?;
    Ok(checksum)
}

/// Reads a layer's file, which has to be whole and to have a checksum; without its ranks where nobody wants them.
pub(super) fn read(
    path: &Path,
    (pits, seeds, boards): (usize, usize, u64),
    checksum: &str,
    ranks: bool,
) -> Result<Layer, TablebaseError> {
    let io = |error| match error {
        error if io::Error::kind(&error) == io::ErrorKind::NotFound => {
            TablebaseError::damaged(path, "the file is not there")
        }
        error => TablebaseError::io(path, "cannot be read", error),
    };
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut found = Vec::new();
    Read::by_ref(&mut file).take(HEADER as u64).read_to_end(&mut found).map_err(io)?;
    if let Some(fault) = fault(&found, &header(pits, seeds, boards)) {
        return Err(TablebaseError::foreign(path, fault));
    }
    // Before memory is taken for what the file should hold.
    let wanted = file_bytes(boards);
    if length != wanted {
        return Err(TablebaseError::damaged(path, format!("{length} bytes long instead of {wanted}")));
    }
    let mut sum = Sha256::new_with_prefix(&found);
    let mut section = |kept: bool| -> io::Result<Vec<[u8; 2]>> {
        let mut bytes = vec![[0; 2]; if kept { boards as usize } else { (BLOCK / 2).min(boards as usize) }];
        let mut left = boards as usize;
        if kept {
            for block in bytes.as_flattened_mut().chunks_mut(BLOCK) {
                file.read_exact(block)?;
                sum.update(block);
            }
            return Ok(bytes);
        }
        while left > 0 {
            let block = bytes.len().min(left);
            let block = bytes[..block].as_flattened_mut();
            file.read_exact(block)?;
            sum.update(&*block);
            left -= block.len() / 2;
        }
        Ok(Vec::new())
    };
    let layer = Layer { thresholds: section(true).map_err(io)?, ranks: section(ranks).map_err(io)? };
    let found = hex(&sum.finalize());
    if found != checksum {
        let reason = format!("its SHA-256 is {found}, and the manifest has {}", checksum.escape_debug());
        return Err(TablebaseError::damaged(path, reason));
    }
    Ok(layer)
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
