//! The folder of a tournament: one run at a time is at work in it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::journal::{GAMES, OutputError, RATINGS, REPORT, SETTINGS};

/// Name of the file that a run holds while it is at work.
const LOCK: &str = "tournament.lock";

/// A folder that no other run gets at, as long as this lives. Afterwards it is gone again where it had to be made and
/// nothing has been put into it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    /// Held until the end, as long as the system can.
    _lock: File,
}

impl Folder {
    /// Makes a folder and locks it against other runs. Where the file system knows no locks, nothing is locked.
    ///
    /// # Errors
    /// Where it cannot be made, or another run is at work in it.
    pub fn lock(folder: &Path) -> Result<Folder, OutputError> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = folder.ancestors().take_while(missing).map(Path::to_owned).collect();
        fs::create_dir_all(folder).map_err(OutputError::at(folder))?;
        let path = folder.join(LOCK);
        let file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(OutputError::at(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OutputError::Busy(path)),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(OutputError::at(&path)(error)),
        }
        Ok(Folder { path: folder.to_owned(), made, _lock: file })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what a run that was killed had begun to write under temporary names.
    pub(crate) fn clean(&self) -> Result<(), OutputError> {
        for entry in fs::read_dir(&self.path).map_err(OutputError::at(&self.path))? {
            let entry = entry.map_err(OutputError::at(&self.path))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let begun =
                [GAMES, RATINGS, SETTINGS, REPORT].iter().any(|file| name.starts_with(&format!(".{file}.")));
            if begun && name.ends_with(".tmp") {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_file(self.path.join(LOCK));
        for folder in &self.made {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(reason) if reason.kind() != ErrorKind::NotFound => Err(OutputError::at(path)(reason)),
        _ => Ok(()),
    }
}
