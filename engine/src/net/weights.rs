//! The weights file: safetensors, float32, with metadata that says what it is.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::Value;
use thiserror::Error;

use super::quantised_file::is_quantised;
use super::{FeatureSet, Header, LARGEST, MAX_LAYER, Network, Weights};
use crate::files::write_whole;
use crate::notation::{excerpt, one_line};
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// The value of the metadata key `format`.
pub const FORMAT: &str = "giuthi-value-1";

/// Why weights could not be loaded or saved.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file is not of the kind that it should be, or a damaged one.
    #[error("{path}: not a whole {what}: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should be: `safetensors file` or `quantised network`.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The file is a whole one, but not of a network that this program knows.
    #[error("{path}: not a Giuthi value network: {reason}")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The network judges boards of another width.
    #[error("{path}: a network for rows of {found} pits cannot judge rows of {wanted}")]
    Width {
        /// The file.
        path: PathBuf,
        /// The network's width.
        found: usize,
        /// The width of the boards it should judge.
        wanted: usize,
    },
    /// Weights that do not fit their header, or are no numbers to reckon with.
    #[error("weights do not make a network: {0}")]
    Weights(String),
}

/// Names and shapes of the tensors, in the order of [`Weights`]' fields.
fn shapes(header: &Header) -> [(&'static str, Vec<usize>); 7] {
    let [first, second] = header.layers;
    [
        ("input.weight", vec![header.features.categories(header.width), first]),
        ("lead.weight", vec![first]),
        ("input.bias", vec![first]),
        ("hidden.weight", vec![second, first]),
        ("hidden.bias", vec![second]),
        ("output.weight", vec![3, second]),
        ("output.bias", vec![3]),
    ]
}

fn fields(weights: &Weights) -> [&Vec<f32>; 7] {
    let Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias } = weights;
    [input, lead, input_bias, hidden, hidden_bias, output, output_bias]
}

pub(super) fn check(header: &Header, weights: &Weights) -> Result<(), NetError> {
    let mut faults = Vec::new();
    if !(MIN_WIDTH..=MAX_WIDTH).contains(&header.width) {
        faults.push(format!("rows of {} pits: {MIN_WIDTH} to {MAX_WIDTH} are possible", header.width));
    }
    if header.layers.iter().any(|size| !(1..=MAX_LAYER).contains(size)) {
        faults.push(format!("layers of {:?}: 1 to {MAX_LAYER} are possible", header.layers));
    }
    if !faults.is_empty() {
        // Without good sizes no tensor has a shape to be held to.
        return Err(NetError::Weights(faults.join("; ")));
    }
    for ((name, shape), numbers) in shapes(header).iter().zip(fields(weights)) {
        let wanted: usize = shape.iter().product();
        if numbers.len() != wanted {
            faults.push(format!("`{name}` has {} numbers, not {wanted}", numbers.len()));
        }
        let good = |number: &f32| number.abs() <= LARGEST;
        if let Some(at) = numbers.iter().position(|number| !good(number)) {
            faults.push(format!("`{name}` holds {:e} at {at}: -1e30 to 1e30 are possible", numbers[at]));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(NetError::Weights(faults.join("; "))) }
}

/// Greatest size of a weights file, in bytes: the largest network has half as many.
const LARGEST_FILE: u64 = 16 << 20;

/// Reads an ordinary file of a size that a network can have: not a pipe, which might never answer, nor a device, which
/// might never end.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, NetError> {
    read_ordinary(path).map_err(|error| NetError::Io { path: path.to_owned(), error })
}

fn read_ordinary(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, reason.to_owned()));
    let told = std::fs::metadata(path)?;
    if told.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !told.is_file() {
        return refused("not an ordinary file");
    }
    if told.len() > LARGEST_FILE {
        return refused("larger than any network");
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that is being read, and what it should be; reasons quote what it holds, which can be anything.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) what: &'static str,
}

impl Source<'_> {
    pub(super) fn damaged(self, reason: String) -> NetError {
        NetError::Damaged { path: self.path.to_owned(), what: self.what, reason: one_line(&reason, 1000) }
    }

    pub(super) fn foreign(self, reason: String) -> NetError {
        NetError::Foreign { path: self.path.to_owned(), reason: one_line(&reason, 1000) }
    }
}

impl Header {
    /// Refuses boards with rows of another width.
    pub(super) fn judges(&self, width: usize, path: &Path) -> Result<(), NetError> {
        let found = self.width;
        if found == width {
            Ok(())
        } else {
            Err(NetError::Width { path: path.to_owned(), found, wanted: width })
        }
    }

    fn to_metadata(&self) -> HashMap<String, String> {
        let [first, second] = self.layers;
        [
            ("format", FORMAT.to_owned()),
            ("variant-width", self.width.to_string()),
            ("features", self.features.id().to_owned()),
            ("layers", format!("{first},{second}")),
            ("trained-on", self.trained_on.clone()),
            ("program", self.program.clone()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    fn from_metadata(metadata: &HashMap<String, String>) -> Result<Header, String> {
        let get = |key: &str| metadata.get(key).ok_or_else(|| format!("metadata key `{key}` is missing"));
        let format = get("format")?;
        if format != FORMAT {
            return Err(format!("format `{}`, not `{FORMAT}`", excerpt(format)));
        }
        let bad =
            |key: &str, value: &str, wanted: &str| format!("`{key}` is `{}`, not {wanted}", excerpt(value));
        let width = get("variant-width")?;
        let features = get("features")?;
        let layers = get("layers")?;
        let sizes = || {
            let (first, second) = layers.split_once(',')?;
            let size = |text: &str| text.parse().ok().filter(|size| (1..=MAX_LAYER).contains(size));
            Some([size(first)?, size(second)?])
        };
        Ok(Header {
            width: width
                .parse()
                .ok()
                .filter(|width| (MIN_WIDTH..=MAX_WIDTH).contains(width))
                .ok_or_else(|| bad("variant-width", width, "a width from 5 to 10"))?,
            features: FeatureSet::from_id(features).ok_or_else(|| {
                let known: Vec<_> = FeatureSet::ALL.iter().map(|set| set.id()).collect();
                bad("features", features, &format!("known: {}", known.join(", ")))
            })?,
            layers: sizes().ok_or_else(|| bad("layers", layers, "two sizes from 1 to 1024"))?,
            trained_on: get("trained-on")?.clone(),
            program: get("program")?.clone(),
        })
    }
}

impl Network {
    /// Reads a weights file.
    ///
    /// # Errors
    /// Whatever is wrong with the file is named, with its path; nothing is half loaded.
    pub fn load(path: &Path) -> Result<Network, NetError> {
        Network::read(&read_file(path)?, path)
    }

    /// The network of the bytes of a file.
    pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Network, NetError> {
        let source = Source { path, what: "safetensors file" };
        let damaged = |reason: String| source.damaged(reason);
        let foreign = |reason: String| source.foreign(reason);
        if is_quantised(bytes) {
            let reason = "a quantised network, from which the weights (safetensors) cannot be had back";
            return Err(foreign(reason.to_owned()));
        }
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| damaged(error.to_string()))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
        let empty = HashMap::new();
        let header =
            Header::from_metadata(metadata.metadata().as_ref().unwrap_or(&empty)).map_err(foreign)?;
        let mut faults = Vec::new();
        let shapes = shapes(&header);
        for name in tensors.names() {
            if !shapes.iter().any(|(known, _)| *known == name) {
                faults.push(format!("tensor `{}` is unknown", excerpt(name)));
            }
        }
        let mut numbers = shapes.map(|(name, shape)| match tensors.tensor(name) {
            Err(_) => {
                faults.push(format!("tensor `{name}` is missing"));
                Vec::new()
            }
            Ok(tensor) if tensor.dtype() != Dtype::F32 => {
                faults.push(format!("tensor `{name}` is {:?}, not F32", tensor.dtype()));
                Vec::new()
            }
            Ok(tensor) if tensor.shape() != shape => {
                faults.push(format!("tensor `{name}` has shape {:?}, not {shape:?}", tensor.shape()));
                Vec::new()
            }
            Ok(tensor) => {
                tensor.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
            }
        });
        if !faults.is_empty() {
            return Err(foreign(faults.join("; ")));
        }
        let [input, lead, input_bias, hidden, hidden_bias, output, output_bias] =
            std::array::from_fn(|at| std::mem::take(&mut numbers[at]));
        let weights = Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias };
        Network::new(header, weights).map_err(|error| foreign(error.to_string()))
    }

    /// Reads a weights file for boards with rows of `width` pits.
    pub fn load_for(path: &Path, width: usize) -> Result<Network, NetError> {
        let network = Network::load(path)?;
        network.header.judges(width, path)?;
        Ok(network)
    }

    /// Writes the weights file; it appears under its name only when whole. The same network gives the same bytes.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        let shapes = shapes(&self.header);
        let bytes: Vec<Vec<u8>> = fields(&self.weights)
            .iter()
            .map(|numbers| numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
            .collect();
        let views = shapes.iter().zip(&bytes).map(|((name, shape), bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
            (*name, view.expect("the lengths were checked when the network was made"))
        });
        let file = safetensors::serialize(views, Some(self.header.to_metadata()))
            .map_err(|error| NetError::Weights(error.to_string()))?;
        write_whole(path, |writer| std::io::Write::write_all(writer, &with_sorted_header(&file)))
            .map_err(|error| NetError::Io { path: path.to_owned(), error })
    }
}

/// The same file with the keys of its header in order: the library writes them as they come out of a hash map, in
/// another order every time.
fn with_sorted_header(file: &[u8]) -> Vec<u8> {
    let well_formed = "the library has just written it";
    let (length, rest) = file.split_first_chunk().expect(well_formed);
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_slice(header).expect(well_formed);
    let mut header = serde_json::to_vec(&header).expect("text and numbers are JSON");
    // The format's own way to keep the numbers aligned.
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes(), &header[..], numbers].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_network_gives_the_same_bytes() {
        let header = Header {
            width: 5,
            features: FeatureSet::Pits24Lead,
            layers: [2, 1],
            trained_on: "games \"of\" \\ é\n".to_owned(),
            program: "a test".to_owned(),
        };
        let [input, lead, input_bias, hidden, hidden_bias, output, output_bias] =
            shapes(&header).map(|(_, shape)| (0..shape.iter().product()).map(|n: usize| n as f32).collect());
        let weights = Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias };
        let network = Network::new(header, weights).unwrap();
        let path = std::env::temp_dir().join(format!("giuthi-same-bytes-{}", std::process::id()));
        let write = || {
            network.save(&path).unwrap();
            assert_eq!(Network::load(&path).unwrap(), network);
            std::fs::read(&path).unwrap()
        };
        let first = write();
        // Two orders of six keys are the same once in 720 times.
        assert!((0..5).all(|_| write() == first));
        std::fs::remove_file(&path).unwrap();
    }
}
