//! What the files held that agents' specs name, so that a tournament is not gone on with by others under the same names.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use giuthi_engine::AgentSpec;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::journal::OutputError;

/// The file that stands for a folder of endgame tables: it has the checksums of the others.
const MANIFEST: &str = "manifest.json";

/// A file that an agent's spec names, in `tournament.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFile {
    /// Its path, as the spec has it; of a folder, that of its manifest.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl NamedFile {
    /// The files that agents name, each once. A folder without a manifest is passed over.
    ///
    /// # Errors
    /// For a file that cannot be read.
    pub fn all(agents: &[AgentSpec]) -> Result<Vec<NamedFile>, OutputError> {
        let mut files: Vec<NamedFile> = Vec::new();
        for path in agents.iter().flat_map(AgentSpec::paths) {
            let folder = path.is_dir();
            let path = if folder { path.join(MANIFEST) } else { path };
            if files.iter().any(|file| file.path == path) || (folder && !path.exists()) {
                continue;
            }
            files.push(NamedFile::read(&path).map_err(OutputError::at(&path))?);
        }
        Ok(files)
    }

    fn read(path: &Path) -> io::Result<NamedFile> {
        let mut hash = Sha256::new();
        let (mut file, mut bytes, mut block) = (File::open(path)?, 0, vec![0; 1 << 16]);
        loop {
            match file.read(&mut block)? {
                0 => break,
                read => {
                    hash.update(&block[..read]);
                    bytes += read as u64;
                }
            }
        }
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(NamedFile { path: path.to_owned(), bytes, sha256 })
    }

    /// Whether it stands for a path that a spec names: is that file, or the manifest of that folder.
    pub(crate) fn is_of(&self, path: &Path) -> bool {
        self.path == path || self.path == path.join(MANIFEST)
    }

    /// What it is, in words.
    fn told(&self) -> String {
        format!("{} bytes, sha256 {}…", self.bytes, self.sha256.get(..12).unwrap_or(&self.sha256))
    }

    /// What differs between the files there and those here, in words: only such as both know.
    #[must_use]
    pub fn differences(there: &[NamedFile], here: &[NamedFile]) -> Vec<String> {
        let same = |file: &NamedFile| {
            here.iter().find(|other| other.path == file.path).map(|other| (file.clone(), other))
        };
        there
            .iter()
            .filter_map(same)
            .filter(|(one, other)| one != *other)
            .map(|(one, other)| {
                format!(
                    "the content of {} is {} there and {} here",
                    one.path.display(),
                    one.told(),
                    other.told()
                )
            })
            .collect()
    }
}
