//! The file of a quantised network: the integers as the search uses them, for programs that have no float weights to
//! round. `data/README.md` describes it byte by byte.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::integers::Integers;
use super::weights::{Source, read_file};
use super::{FeatureSet, Header, MAX_LAYER, NetError, Network, Quantised};
use crate::files::write_whole;
use crate::notation::excerpt;
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// What the file begins with. As the head of a safetensors file it would mean one of millions of terabytes.
pub const QUANTISED_MAGIC: [u8; 8] = *b"GIUTHI-Q";
/// Version of the file's structure.
pub const QUANTISED_VERSION: u32 = 1;

/// Bytes of the checksum at the end, a SHA-256.
const CHECKSUM: usize = 32;
/// Most bytes of a text.
const LONGEST_TEXT: usize = 1 << 16;

/// Whether a file that begins so says that it is a quantised network.
#[must_use]
pub(super) fn is_quantised(bytes: &[u8]) -> bool {
    bytes.starts_with(&QUANTISED_MAGIC)
}

impl Quantised {
    /// Reads a network from a file of either kind, told apart by how it begins: a quantised one, or weights
    /// (safetensors), which are rounded. Both come to the same numbers.
    ///
    /// # Errors
    /// Whatever is wrong with the file is named, with its path; nothing is half loaded.
    pub fn load(path: &Path) -> Result<Quantised, NetError> {
        let bytes = read_file(path)?;
        if is_quantised(&bytes) {
            from_bytes(&bytes, path)
        } else {
            Ok(Quantised::new(&Network::read(&bytes, path)?))
        }
    }

    /// [`Quantised::load`] for boards with rows of `width` pits.
    pub fn load_for(path: &Path, width: usize) -> Result<Quantised, NetError> {
        let network = Quantised::load(path)?;
        network.header().judges(width, path)?;
        Ok(network)
    }

    /// Writes the network's integers; the file appears under its name only when whole. The same network gives the same
    /// bytes.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        let bytes = self.to_bytes()?;
        write_whole(path, |writer| std::io::Write::write_all(writer, &bytes))
            .map_err(|error| NetError::Io { path: path.to_owned(), error })
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// When a text of the header is longer than 65,536 bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetError> {
        let header = self.header();
        let texts = [header.features.id(), &header.trained_on, &header.program];
        if texts.iter().any(|text| text.len() > LONGEST_TEXT) {
            return Err(NetError::Weights(format!("a text of more than {LONGEST_TEXT} bytes in the header")));
        }
        let length = Shape::of(header).file_length(texts.map(str::len));
        let [first, second] = header.layers;
        let mut bytes = QUANTISED_MAGIC.to_vec();
        for number in [QUANTISED_VERSION as usize, length, header.width, first, second] {
            bytes.extend((number as u32).to_le_bytes());
        }
        for text in texts {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let Integers { steps, lead, input, hidden, hidden_bias, hidden_step, output, output_bias } =
            self.integers();
        bytes.extend(hidden_bias.iter().flat_map(|number| number.to_le_bytes()));
        for numbers in [hidden_step, output, output_bias] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        for numbers in [steps, lead, input, hidden] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        debug_assert_eq!(bytes.len(), length);
        Ok(bytes)
    }
}

/// Lengths of the tensors, in numbers.
#[derive(Clone, Copy)]
struct Shape {
    categories: usize,
    first: usize,
    second: usize,
}

impl Shape {
    fn of(header: &Header) -> Shape {
        let [first, second] = header.layers;
        Shape { categories: header.features.categories(header.width), first, second }
    }

    /// Bytes of the whole file, with texts of given lengths.
    fn file_length(self, texts: [usize; 3]) -> usize {
        let Shape { categories, first, second } = self;
        let head = QUANTISED_MAGIC.len() + 5 * 4 + texts.iter().map(|text| 4 + text).sum::<usize>();
        let wide = 5 * second + 3;
        let narrow = (2 + categories + second) * first;
        head.next_multiple_of(4) + 4 * wide + 2 * narrow + CHECKSUM
    }
}

fn from_bytes(bytes: &[u8], path: &Path) -> Result<Quantised, NetError> {
    let source = Source { path, what: "quantised network" };
    let mut rest = Rest(&bytes[QUANTISED_MAGIC.len()..]);
    let mut head = || rest.number().ok_or_else(|| source.damaged("it ends in its head".to_owned()));
    let version = head()?;
    if version != QUANTISED_VERSION as usize {
        return Err(
            source.foreign(format!("version {version} of the quantised file, not {QUANTISED_VERSION}"))
        );
    }
    let length = head()?;
    if length != bytes.len() {
        return Err(source.damaged(format!("{} bytes of {length}", bytes.len())));
    }
    let [width, first, second] = [head()?, head()?, head()?];
    // The checksum comes first of all that the length has not told: a damaged file is not called a foreign one.
    let (body, checksum) = bytes
        .split_last_chunk::<CHECKSUM>()
        .ok_or_else(|| source.damaged("it ends in its head".to_owned()))?;
    if Sha256::digest(body)[..] != checksum[..] {
        return Err(source.damaged("its SHA-256 is another".to_owned()));
    }
    if !(MIN_WIDTH..=MAX_WIDTH).contains(&width) {
        return Err(source.foreign(format!("rows of {width} pits: {MIN_WIDTH} to {MAX_WIDTH} are possible")));
    }
    if [first, second].iter().any(|size| !(1..=MAX_LAYER).contains(size)) {
        return Err(source.foreign(format!("layers of {first} and {second}: 1 to {MAX_LAYER} are possible")));
    }
    let mut text = || {
        let found =
            rest.number().filter(|&length| length <= LONGEST_TEXT).and_then(|length| rest.take(length));
        let found = found.and_then(|bytes| std::str::from_utf8(bytes).ok());
        found.map(str::to_owned).ok_or_else(|| source.foreign("a text in its head is none".to_owned()))
    };
    let [features, trained_on, program] = [text()?, text()?, text()?];
    let features = FeatureSet::from_id(&features).ok_or_else(|| {
        let known: Vec<_> = FeatureSet::ALL.iter().map(|set| set.id()).collect();
        source.foreign(format!("features `{}`: known: {}", excerpt(&features), known.join(", ")))
    })?;
    let texts = [features.id().len(), trained_on.len(), program.len()];
    let header = Header { width, features, layers: [first, second], trained_on, program };
    let shape = Shape::of(&header);
    let wanted = shape.file_length(texts);
    if wanted != length {
        return Err(source.foreign(format!("{length} bytes for a network of {wanted}")));
    }
    let used = QUANTISED_MAGIC.len() + 5 * 4 + texts.iter().map(|text| 4 + text).sum::<usize>();
    let padding = rest.take(used.next_multiple_of(4) - used);
    if padding.is_none_or(|padding| padding.iter().any(|&byte| byte != 0)) {
        return Err(source.foreign("something stands before its numbers".to_owned()));
    }
    let Shape { categories, first, second } = shape;
    let integers = Integers {
        hidden_bias: rest.numbers(second, i32::from_le_bytes),
        hidden_step: rest.numbers(second, f32::from_le_bytes),
        output: rest.numbers(3 * second, f32::from_le_bytes),
        output_bias: rest.numbers(3, f32::from_le_bytes),
        steps: rest.numbers(first, i16::from_le_bytes),
        lead: rest.numbers(first, i16::from_le_bytes),
        input: rest.numbers(categories * first, i16::from_le_bytes),
        hidden: rest.numbers(second * first, i16::from_le_bytes),
    };
    integers.check().map_err(|fault| source.foreign(fault))?;
    Ok(Quantised::of(header, &integers))
}

/// What has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.first_chunk()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }

    /// So many numbers: the length of the file has been compared with that of all of them.
    fn numbers<T, const N: usize>(&mut self, count: usize, of: fn([u8; N]) -> T) -> Vec<T> {
        let bytes = self.take(count * N).expect("the file is as long as its numbers");
        bytes.as_chunks().0.iter().map(|&bytes| of(bytes)).collect()
    }
}
