//! What a solver knows, kept in a file, so that a search can be gone on with another day.
//!
//! Little-endian: [`MAGIC`]; the length of a text of JSON, 4 bytes, and the text: position, seeds of the endgame tables,
//! program; then for each of the two searches the number of its entries, 8 bytes, and the entries, 16 bytes each; last the
//! SHA-256 of all that.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::Digest;
use thiserror::Error;

use super::Solver;
use crate::endgame::summed::Summed;
use crate::notation::excerpt;
use crate::position::Position;

/// Why what a file holds cannot be gone on with.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else, or cut, or changed.
    #[error("it is no memory of a solver, or damaged")]
    Foreign,
    /// It is of another search.
    #[error("it is of another search: {0}")]
    Other(String),
}

/// How a file begins.
const MAGIC: &[u8; 16] = b"giuthi-solver-1\n";

/// Whose memory it is.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct About {
    position: String,
    /// Of the endgame tables that it leaned on.
    tables: Option<usize>,
    program: String,
}

/// A file that ends too soon is a damaged one.
fn cut(error: io::Error) -> MemoryError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => MemoryError::Foreign,
        _ => MemoryError::Io(error),
    }
}

impl Solver<'_> {
    fn about(&self, position: &Position) -> About {
        About {
            position: position.to_string(),
            tables: self.oracle.map(super::Oracle::seeds),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Writes down what the solver found out about a position and those after it.
    ///
    /// # Errors
    /// What the writer says.
    pub fn save(&self, position: &Position, out: &mut impl Write) -> io::Result<()> {
        let mut out = Summed::new(out);
        out.write_all(MAGIC)?;
        let about = serde_json::to_vec(&self.about(position))?;
        out.write_all(&(about.len() as u32).to_le_bytes())?;
        out.write_all(&about)?;
        for search in &self.searches {
            let entries = || search.table().entries();
            out.write_all(&(entries().count() as u64).to_le_bytes())?;
            for [key, told] in entries() {
                out.write_all(&key.to_le_bytes())?;
                out.write_all(&told.to_le_bytes())?;
            }
        }
        let sum = out.sum.finalize();
        out.inner.write_all(&sum)
    }

    /// Takes over what a solver wrote down about the same position. A smaller table keeps what took the most work.
    ///
    /// # Errors
    /// Where it cannot be read, is damaged, or is of another search; what was read by then stays.
    pub fn load(&mut self, position: &Position, input: impl Read) -> Result<(), MemoryError> {
        let mut input = Summed::new(input);
        let mut magic = [0; MAGIC.len()];
        input.read_exact(&mut magic).map_err(cut)?;
        let mut length = [0; 4];
        input.read_exact(&mut length).map_err(cut)?;
        let length = u32::from_le_bytes(length);
        if magic != *MAGIC || length > 10_000 {
            return Err(MemoryError::Foreign);
        }
        let mut about = vec![0; length as usize];
        input.read_exact(&mut about).map_err(cut)?;
        let about: About = serde_json::from_slice(&about).map_err(|_| MemoryError::Foreign)?;
        let wanted = self.about(position);
        if about != wanted {
            let told = |about: &About| {
                let tables =
                    about.tables.map_or("no tables".to_owned(), |seeds| format!("tables of {seeds} seeds"));
                format!("{} with {tables}, by program {}", excerpt(&about.position), excerpt(&about.program))
            };
            return Err(MemoryError::Other(format!("{}, not {}", told(&about), told(&wanted))));
        }
        for search in &mut self.searches {
            let mut word = [0; 8];
            input.read_exact(&mut word).map_err(cut)?;
            for _ in 0..u64::from_le_bytes(word) {
                let mut slot = [0; 2];
                for half in &mut slot {
                    input.read_exact(&mut word).map_err(cut)?;
                    *half = u64::from_le_bytes(word);
                }
                search.table_mut().take_over(slot);
            }
        }
        let wanted = input.sum.finalize();
        let mut sum = [0; 32];
        input.inner.read_exact(&mut sum).map_err(cut)?;
        let is_over = input.inner.read(&mut [0])? == 0;
        if sum[..] == wanted[..] && is_over { Ok(()) } else { Err(MemoryError::Foreign) }
    }
}
