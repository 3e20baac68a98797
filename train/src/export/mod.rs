//! Other forms of a network, for programs that are not ours. Whatever is written is opened again before it gets its
//! name, and has to give the network's values.

pub mod onnx;
mod sample;
mod torchscript;
mod values;

use std::fmt::{self, Display};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use giuthi_engine::files::write_checked;
use giuthi_engine::net::{NetError, Quantised};
use giuthi_engine::{Network, Position};
use sha2::{Digest, Sha256};
use tch::TchError;
use thiserror::Error;

pub use sample::{POSITIONS, positions, seen};

/// Greatest distance between a value of the network and one of the same float weights in another program: what the
/// order of a few hundred additions makes.
pub const TOLERANCE: f32 = 1e-5;

/// A form that a network can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An ONNX file ([`onnx`]).
    Onnx,
    /// A TorchScript file, which libtorch, `torch.jit.load` and C++ run.
    TorchScript,
    /// The integers that the agents reckon with ([`Quantised`]).
    Quantised,
    /// A table of positions with the values that the network and its integers give them.
    Values,
}

impl Form {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Onnx => "onnx",
            Form::TorchScript => "torchscript",
            Form::Quantised => "quantised",
            Form::Values => "values",
        }
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Onnx => "ONNX",
            Form::TorchScript => "TorchScript",
            Form::Quantised => "integers",
            Form::Values => "a table of values",
        })
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Its form.
    pub form: Form,
    /// Bytes of the file.
    pub bytes: usize,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Positions on which its values were compared with the network's.
    pub positions: usize,
    /// The largest difference between them.
    pub worst: f32,
}

/// Why an export came to nothing. What was there before, if anything, is as it was.
#[derive(Debug, Error)]
#[error("{path}: {fault}")]
pub struct ExportError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file could not be written, or not read back.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What was read back is not what was to be written.
    #[error("read back, it does not hold the network that was written: is the disk sound?")]
    Other,
    /// What was read back gives other values.
    #[error("read back, it gives {found} to the position `{position}`, the network {wanted}")]
    Value {
        /// The position.
        position: String,
        /// The file's value.
        found: f32,
        /// The network's.
        wanted: f32,
    },
    /// The network cannot be written in this form.
    #[error("{0}")]
    Net(#[from] NetError),
    /// libtorch failed.
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
}

/// Writes a network in one form; the file appears under its name only when it has been read back and gives the
/// network's values to `positions`, which have to be of the network's width: within [`TOLERANCE`] where the weights are
/// floats, and bit for bit those of the agents where they are integers.
pub fn write(
    network: &Network,
    form: Form,
    path: &Path,
    positions: &[Position],
) -> Result<Written, ExportError> {
    let in_place = |fault: Fault| ExportError { path: path.to_owned(), fault };
    let bytes = to_bytes(network, form, path, positions).map_err(in_place)?;
    let mut worst = 0.0;
    let write = |file: &mut io::BufWriter<fs::File>| Ok::<_, Fault>(file.write_all(&bytes)?);
    let check = |temporary: &Path| {
        worst = compare(network, form, temporary, &bytes, positions)?;
        Ok(())
    };
    write_checked(path, write, check).map_err(in_place)?;
    let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Written { form, bytes: bytes.len(), sha256, positions: positions.len(), worst })
}

fn to_bytes(network: &Network, form: Form, path: &Path, positions: &[Position]) -> Result<Vec<u8>, Fault> {
    Ok(match form {
        Form::Onnx => onnx::to_bytes(network),
        Form::TorchScript => torchscript::to_bytes(network, path)?,
        Form::Quantised => Quantised::new(network).to_bytes()?,
        Form::Values => values::to_bytes(network, positions),
    })
}

/// Opens the file at `path` and returns the largest difference between its values and the network's.
fn compare(
    network: &Network,
    form: Form,
    path: &Path,
    bytes: &[u8],
    positions: &[Position],
) -> Result<f32, Fault> {
    let found = fs::read(path)?;
    if found != bytes {
        return Err(Fault::Other);
    }
    let values = match form {
        Form::Onnx if !onnx::holds(&found, network) => return Err(Fault::Other),
        Form::Onnx => onnx::values(&found, positions).ok_or(Fault::Other)?,
        Form::TorchScript => torchscript::values(&found, positions)?,
        Form::Quantised => {
            let (read, rounded) = (Quantised::load(path)?, Quantised::new(network));
            for position in positions {
                near(position, read.value(position), rounded.value(position), 0.0)?;
            }
            positions.iter().map(|position| read.value(position)).collect()
        }
        Form::Values => return values::compare(&found, network, positions),
    };
    let tolerance = if form == Form::Quantised { f32::INFINITY } else { TOLERANCE };
    let mut worst = 0.0f32;
    for (position, &found) in positions.iter().zip(&values) {
        worst = worst.max(near(position, found, network.value(position), tolerance)?);
    }
    Ok(worst)
}

/// The difference between two values of a position, if it is small enough. No number is near to anything.
fn near(position: &Position, found: f32, wanted: f32, tolerance: f32) -> Result<f32, Fault> {
    let difference = (found - wanted).abs();
    if difference <= tolerance {
        Ok(difference)
    } else {
        Err(Fault::Value { position: position.to_string(), found, wanted })
    }
}
