//! Checkpoints: a fit's state in a folder beside its weights, to go on from after a stop of any kind.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use giuthi_engine::files::write_whole;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::fit::{Best, State};
use crate::leftovers::stands_for;
use crate::metrics::Epoch;

/// The value of the metadata key `format`.
pub const FORMAT: &str = "giuthi-checkpoint-1";

/// How many are kept.
const KEPT: usize = 2;

/// What a fit was asked to do: flags without their dashes, and what they were set to.
pub type SettingsTable = BTreeMap<String, String>;

/// Why a checkpoint could not be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The system refused.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is no whole checkpoint.
    #[error("{path}: not a whole checkpoint: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is none.
    #[error("{0}: no checkpoint to resume from")]
    None(PathBuf),
}

/// The checkpoints of one fit, the last two of them.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
}

/// A checkpoint that was read.
#[derive(Debug)]
pub struct Loaded {
    /// Its file.
    pub path: PathBuf,
    /// What the fit was asked to do.
    pub settings: SettingsTable,
    /// Where it stood.
    pub state: State,
    /// What is wrong with newer ones, which were passed over.
    pub passed_over: Vec<CheckpointError>,
}

/// The numbers of a [`State`] that are no tensors.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    epoch: u32,
    batch: u64,
    steps: u64,
    seen: u64,
    sum: f64,
    took_ns: u64,
    best_epoch: Option<u32>,
    best_loss: Option<f64>,
    epochs: Vec<Epoch>,
}

impl Checkpoints {
    /// Those beside weights: of `net.safetensors` in the folder `net.checkpoints`.
    #[must_use]
    pub fn beside(weights: &Path) -> Checkpoints {
        Checkpoints { folder: weights.with_extension("checkpoints") }
    }

    /// Their folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Their files, the oldest first; none where there is no folder.
    pub fn files(&self) -> Result<Vec<PathBuf>, CheckpointError> {
        // The numbers have leading zeros: by name is by age.
        self.named(is_checkpoint)
    }

    /// Removes what a killed fit left half written. No other fit may be at the folder.
    pub fn clean(&self) -> Result<(), CheckpointError> {
        self.named(|name| stands_for(name).is_some_and(is_checkpoint))?
            .iter()
            .try_for_each(|path| remove(path))
    }

    /// The files of the folder with such names, sorted.
    fn named(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, CheckpointError> {
        let failed = |error| CheckpointError::Io { path: self.folder.clone(), error };
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            if wanted(&name) {
                files.push(self.folder.join(&*name));
            }
        }
        files.sort();
        Ok(files)
    }

    /// Removes them all.
    pub fn clear(&self) -> Result<(), CheckpointError> {
        self.files()?.iter().try_for_each(|path| remove(path))
    }

    /// Removes those made within an epoch, and returns how many: its data turned out to have been changed after they were
    /// checked, and what was learned from them is in these.
    pub fn forget(&self, epoch: u32) -> Result<usize, CheckpointError> {
        let mut forgotten = 0;
        for path in self.files()? {
            if load(&path).is_ok_and(|(_, state)| state.epoch == epoch && state.batch > 0) {
                remove(&path)?;
                forgotten += 1;
            }
        }
        Ok(forgotten)
    }

    /// Writes a checkpoint, which appears only when whole, and then removes all but the last two.
    pub fn save(&self, settings: &SettingsTable, state: &State) -> Result<PathBuf, CheckpointError> {
        let path = self.folder.join(format!("step-{:012}.safetensors", state.steps));
        let bytes = bytes(settings, state);
        fs::create_dir_all(&self.folder)
            .and_then(|()| write_whole(&path, |file| file.write_all(&bytes)))
            .map_err(|error| CheckpointError::Io { path: path.clone(), error })?;
        let files = self.files()?;
        files[..files.len().saturating_sub(KEPT)].iter().try_for_each(|path| remove(path))?;
        Ok(path)
    }

    /// Reads the newest that is whole.
    ///
    /// # Errors
    /// When there is none at all, and the newest one's fault when none is whole.
    pub fn load(&self) -> Result<Loaded, CheckpointError> {
        let mut passed_over = Vec::new();
        for path in self.files()?.into_iter().rev() {
            match load(&path) {
                Ok((settings, state)) => return Ok(Loaded { path, settings, state, passed_over }),
                Err(error) => passed_over.push(error),
            }
        }
        let none = CheckpointError::None(self.folder.clone());
        Err(passed_over.into_iter().next().unwrap_or(none))
    }
}

fn is_checkpoint(name: &str) -> bool {
    name.starts_with("step-") && name.ends_with(".safetensors")
}

fn remove(path: &Path) -> Result<(), CheckpointError> {
    fs::remove_file(path).map_err(|error| CheckpointError::Io { path: path.to_owned(), error })
}

/// The file's bytes.
fn bytes(settings: &SettingsTable, state: &State) -> Vec<u8> {
    let progress = Progress {
        epoch: state.epoch,
        batch: state.batch,
        steps: state.steps,
        seen: state.seen,
        sum: state.sum,
        took_ns: u64::try_from(state.took.as_nanos()).unwrap_or(u64::MAX),
        best_epoch: state.best.as_ref().map(|best| best.epoch),
        best_loss: state.best.as_ref().map(|best| best.loss),
        epochs: state.epochs.clone(),
    };
    let best = state.best.as_ref().map_or(&[][..], |best| &best.numbers);
    let tensors = [&state.numbers[..], &state.mean, &state.square, best]
        .map(|numbers| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>());
    let json = |result: serde_json::Result<String>| result.expect("plain numbers and words");
    let (settings, progress) =
        (json(serde_json::to_string(settings)), json(serde_json::to_string(&progress)));
    let metadata = HashMap::from([
        ("format".to_owned(), FORMAT.to_owned()),
        ("program".to_owned(), concat!("giuthi-train ", env!("CARGO_PKG_VERSION")).to_owned()),
        ("sha256".to_owned(), hash(&settings, &progress, &tensors)),
        ("settings".to_owned(), settings),
        ("progress".to_owned(), progress),
    ]);
    let views = NAMES.iter().zip(&tensors).map(|(&name, bytes)| {
        (name, TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes).expect("as many as it says"))
    });
    safetensors::serialize(views, Some(metadata)).expect("names and sizes are in order")
}

/// The tensors, each flat in the order of [`Shape::sizes`](crate::model::Shape::sizes): the network, AdamW's means of
/// gradients and of their squares, the network of the best epoch (empty before the first epoch's end).
const NAMES: [&str; 4] = ["network", "adamw.mean", "adamw.square", "best"];

fn hash(settings: &str, progress: &str, tensors: &[impl AsRef<[u8]>]) -> String {
    let mut hash = Sha256::new();
    for text in [settings, progress] {
        hash.update(text);
        hash.update("\n");
    }
    for bytes in tensors {
        hash.update(bytes);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn load(path: &Path) -> Result<(SettingsTable, State), CheckpointError> {
    let damaged = |reason: &dyn std::fmt::Display| CheckpointError::Damaged {
        path: path.to_owned(),
        reason: reason.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let bytes = fs::read(path).map_err(|error| CheckpointError::Io { path: path.to_owned(), error })?;
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|error| damaged(&error))?;
    let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(&error))?;
    let metadata = header.metadata().clone().unwrap_or_default();
    let get = |key: &str| metadata.get(key).ok_or_else(|| damaged(&format!("`{key}` is missing")));
    if get("format")? != FORMAT {
        return Err(damaged(&format!("its format is not {FORMAT}")));
    }
    let mut tensors = Vec::new();
    for name in NAMES {
        let tensor = file.tensor(name).map_err(|error| damaged(&error))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(damaged(&format!("`{name}` is not float32")));
        }
        tensors.push(tensor.data());
    }
    let (settings, progress) = (get("settings")?, get("progress")?);
    if *get("sha256")? != hash(settings, progress, &tensors) {
        return Err(damaged(&"its SHA-256 is not the one it names"));
    }
    let settings = serde_json::from_str(settings).map_err(|error| damaged(&error))?;
    let progress: Progress = serde_json::from_str(progress).map_err(|error| damaged(&error))?;
    let numbers = |at: usize| -> Vec<f32> {
        let bytes = tensors[at].as_chunks::<4>().0;
        bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
    };
    let best = progress.best_epoch.zip(progress.best_loss);
    let state = State {
        epoch: progress.epoch,
        batch: progress.batch,
        sum: progress.sum,
        seen: progress.seen,
        took: Duration::from_nanos(progress.took_ns),
        steps: progress.steps,
        epochs: progress.epochs,
        numbers: numbers(0),
        mean: numbers(1),
        square: numbers(2),
        best: best.map(|(epoch, loss)| Best { epoch, loss, numbers: numbers(3) }),
    };
    Ok((settings, state))
}
