//! The files that a fit leaves behind, and its right to write them.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use giuthi_engine::cli::Usage;

use crate::checkpoint::SettingsTable;
use crate::fit::Fitted;
use crate::leftovers::stands_for;
use crate::source::Source;
use crate::{card, curve, metrics};

/// The folder of the weights; an empty path is the one the process is in.
fn folder_of(out: &Path) -> PathBuf {
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The folder of the weights, kept from other fits for as long as this lives: they would write the same `metrics.csv`, and
/// perhaps the same weights and checkpoints.
pub(super) struct Lock {
    folder: File,
    /// The folders that were made for it, the innermost first: they go again where nothing came to lie in them.
    made: Vec<PathBuf>,
}

impl Lock {
    pub(super) fn take(out: &Path) -> anyhow::Result<Lock> {
        let folder = folder_of(out);
        let failed = || format!("--out {}: {}", out.display(), folder.display());
        let missing =
            folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let made = missing.map(Path::to_owned).collect();
        fs::create_dir_all(&folder).with_context(failed)?;
        let lock = Lock { folder: File::open(&folder).with_context(failed)?, made };
        match lock.folder.try_lock() {
            Err(TryLockError::WouldBlock) => bail!(
                "--out {}: another fit writes into {}: wait for its end, or choose another folder",
                out.display(),
                folder.display()
            ),
            // Some file systems have no locks for folders.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Refused where something lies in it.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// The files that a fit writes.
pub(super) struct Outputs {
    folder: PathBuf,
    pub(super) weights: PathBuf,
    metrics: PathBuf,
    card: PathBuf,
    curve: PathBuf,
}

impl Outputs {
    /// Checks all that would otherwise be found wrong only after the training. Leaves nothing behind. A fit to be resumed
    /// may have been killed while it wrote these files, the model card last.
    pub(super) fn check(out: &Path, force: bool, resume: bool) -> anyhow::Result<Outputs> {
        if out.extension().is_none_or(|extension| extension != "safetensors") {
            let wanted = "a name that ends in .safetensors is needed";
            return Err(Usage(format!("--out {}: {wanted}", out.display())).into());
        }
        let folder = folder_of(out);
        let outputs = Outputs {
            weights: out.to_owned(),
            metrics: folder.join("metrics.csv"),
            card: out.with_extension("json"),
            curve: out.with_extension("svg"),
            folder,
        };
        let may_be_there = force || (resume && !outputs.card.exists());
        for (path, instead) in [
            (&outputs.weights, "name"),
            (&outputs.metrics, "folder"),
            (&outputs.card, "name"),
            (&outputs.curve, "name"),
        ] {
            let shown = path.display();
            if path.is_dir() {
                bail!("{shown} is a folder: give another {instead}");
            }
            if path.exists() && !may_be_there {
                bail!("{shown} exists already: give another {instead}, or --force to overwrite it");
            }
        }
        let there = outputs.folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
        let trial = there.join(format!(".giuthi-train.{}.tmp", std::process::id()));
        fs::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .with_context(|| format!("--out {}: {} takes no files", out.display(), there.display()))?;
        Ok(outputs)
    }

    /// Removes what a killed fit left half written of them.
    pub(super) fn clean(&self) -> anyhow::Result<()> {
        let failed = || self.folder.display().to_string();
        let ours = [&self.weights, &self.metrics, &self.card, &self.curve].map(|path| path.file_name());
        for entry in fs::read_dir(&self.folder).with_context(failed)? {
            let name = entry.with_context(failed)?.file_name();
            if let Some(of) = name.to_str().and_then(stands_for)
                && ours.contains(&Some(of.as_ref()))
            {
                let path = self.folder.join(&name);
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
        Ok(())
    }

    /// The model card comes last: where it is, all of them are.
    pub(super) fn save(
        &self,
        fitted: &Fitted,
        data: &dyn Source,
        table: &SettingsTable,
    ) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        fitted.network.save(&self.weights)?;
        metrics::save(&self.metrics, &fitted.epochs).with_context(|| self.metrics.display().to_string())?;
        curve::save(&self.curve, fitted).with_context(|| self.curve.display().to_string())?;
        card::save(&self.card, &self.weights, fitted, data, table)
            .with_context(|| self.card.display().to_string())
    }
}
