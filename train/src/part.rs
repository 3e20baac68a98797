//! Parts of datasets as the trainer takes them: checked against the manifest, wrong games refused or left out.

use std::ops::Range;
use std::path::Path;

use giuthi_engine::sample::Sample;
use giuthi_engine::{Game, Variant};
use giuthi_selfplay::PartEntry;
use giuthi_selfplay::check::{Observer, Replayed, replay};
use giuthi_selfplay::lines::{Quick, Sums};

pub use giuthi_selfplay::check::{LineError, PartError};

/// What to do about a row that is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBad {
    /// Refuse the data, with file and line.
    #[default]
    Stop,
    /// Leave out the game that the row belongs to, and count it.
    Skip,
}

/// What was left out of a part, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Rows of the manifest that are not used: the wrong ones, the others of their games, and those that are gone.
    pub rows: u64,
    /// Games of the manifest that are not used.
    pub games: u64,
    /// The first fault, in words.
    pub first: Option<String>,
}

/// A part that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    /// Number of the first good game, and the line where it begins.
    pub(crate) first: Option<(u64, u64)>,
    /// Number of the last good game.
    pub(crate) last: Option<u64>,
    /// SHA-256 of the file, in hexadecimal.
    pub(crate) sha256: String,
    /// By what it is known again.
    pub(crate) quick: Quick,
    /// What was left out.
    pub(crate) left_out: LeftOut,
    /// The lines left out, ascending.
    pub(crate) bad_lines: Vec<Range<u64>>,
}

/// Reads the part at `path` and tells `observe` the rows of each of its games. `last` is the number of the game
/// before, over all parts of a dataset.
///
/// A part of which nothing is left out has to be what the manifest was written for, to the byte. One with wrong rows
/// is not: with [`OnBad::Skip`] it may then hold fewer games and rows, and its hash is not asked for.
///
/// # Errors
/// Whatever is not as the manifest's `entry` says, or not as games of `variant` are. The games before the fault
/// have been told then.
pub(crate) fn check(
    path: &Path,
    entry: &PartEntry,
    variant: Variant,
    last: Option<u64>,
    on_bad: OnBad,
    observe: impl FnMut(&[Sample]),
) -> Result<Checked, PartError> {
    let mut reader = Reader { observe, on_bad, first_fault: None };
    let replayed = replay(path, variant, last, &mut reader)?;
    let Replayed { first, last, games, rows, lines, bad_lines, sums } = replayed;
    let Sums { sha256, quick } = sums;
    let clean = bad_lines.is_empty();
    let found = if clean { lines } else { rows };
    for (what, found, wanted) in [("games", games, entry.games), ("rows", found, entry.rows)] {
        if found > wanted || (clean && found < wanted) {
            return Err(PartError::Count { path: path.to_owned(), what, found, wanted });
        }
    }
    if clean && sha256 != entry.sha256 {
        return Err(PartError::Changed { path: path.to_owned() });
    }
    let left_out = LeftOut { games: entry.games - games, rows: entry.rows - rows, first: reader.first_fault };
    Ok(Checked { first, last, sha256, quick, left_out, bad_lines })
}

/// Takes the games of a part.
struct Reader<F> {
    observe: F,
    on_bad: OnBad,
    /// In words.
    first_fault: Option<String>,
}

impl<F: FnMut(&[Sample])> Observer for Reader<F> {
    fn game(&mut self, _game: &Game, rows: &[Sample], _line: u64) {
        (self.observe)(rows);
    }

    fn fault(&mut self, fault: PartError) -> Result<(), PartError> {
        if self.on_bad == OnBad::Stop {
            return Err(fault);
        }
        self.first_fault.get_or_insert_with(|| fault.to_string());
        Ok(())
    }
}
