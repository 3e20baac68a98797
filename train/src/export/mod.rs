//! Other forms of a network's weights, for programs that are not ours. Whatever is written is read back and compared
//! before it counts as done.

pub mod onnx;
mod proto;

use std::io;
use std::path::{Path, PathBuf};

use giuthi_engine::Network;
use giuthi_engine::files::write_whole;
use thiserror::Error;

/// Why an export came to nothing. The file that was there before, if any, is as it was, or the new one is gone.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The file could not be written, or not read back.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// What was read back is not what was to be written.
    #[error("{path}: read back, it does not hold the network that was written: is the disk sound?")]
    Other {
        /// The file.
        path: PathBuf,
    },
}

/// Writes a network as an ONNX file ([`onnx`]), which appears under its name only when whole and read back.
pub fn write_onnx(network: &Network, path: &Path) -> Result<(), ExportError> {
    let failed = |error: io::Error| ExportError::Io { path: path.to_owned(), error };
    let bytes = onnx::to_bytes(network);
    write_whole(path, |file| io::Write::write_all(file, &bytes)).map_err(failed)?;
    let found = std::fs::read(path).map_err(failed)?;
    if onnx::holds(&found, network) { Ok(()) } else { Err(ExportError::Other { path: path.to_owned() }) }
}
