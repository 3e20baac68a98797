//! Files that appear under their name only when they are whole, and folders that one process at a time writes into.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name beside it, flushes it to the disk and renames it, so that nobody ever finds
/// half of it under `path`. An older file of that name stays until then; on an error the temporary one is removed.
pub fn write_whole<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
) -> Result<(), E> {
    write_checked(path, write, |_| Ok(()))
}

/// [`write_whole`], with a look at the file under its temporary name before it is renamed: where `check` refuses it, an
/// older file stays.
pub fn write_checked<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let temporary = temporary_name(path)?;
    let result = (|| {
        let mut writer = BufWriter::new(File::create(&temporary)?);
        write(&mut writer)?;
        writer.flush()?;
        writer.get_ref().sync_all()?;
        drop(writer);
        check(&temporary)?;
        fs::rename(&temporary, path)?;
        Ok(())
    })();
    if result.is_err() {
        // Best effort: the error that matters is the one being returned.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Whether [`write_whole`] could write a file: its folder is there and takes files, and it is not a folder itself. To be
/// asked before long work, which would have nowhere to go.
///
/// # Errors
/// What the system says against it.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let temporary = temporary_name(path)?;
    File::create(&temporary)?;
    fs::remove_file(&temporary)
}

fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// A folder's lock, held for as long as this lives: only one process at a time has it, and one that is killed loses it.
#[derive(Debug)]
pub struct FolderLock(File);

/// Why a folder could not be locked.
#[derive(Debug)]
pub enum LockError {
    /// Somebody else has the lock.
    Busy,
    /// The lock's file could not be written or locked.
    Io(io::Error),
}

impl FolderLock {
    /// Locks a folder by a file `.lock` in it. That stays, empty: taking it away could part two that wait for it.
    pub fn take(dir: &Path) -> Result<FolderLock, LockError> {
        let file =
            File::options().create(true).append(true).open(dir.join(".lock")).map_err(LockError::Io)?;
        match file.try_lock() {
            Ok(()) => Ok(FolderLock(file)),
            Err(TryLockError::WouldBlock) => Err(LockError::Busy),
            // A file system without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(FolderLock(file))
            }
            Err(TryLockError::Error(error)) => Err(LockError::Io(error)),
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing would not do: a process that another thread is just starting holds the open file a moment longer.
        let _ = self.0.unlock();
    }
}
