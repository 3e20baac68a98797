//! Endgame tables: what every board of up to so many seeds is worth, exactly.
//!
//! What a finished game comes to depends on the piles only through the *lead*, the mover's pile minus the opponent's, and
//! the more of it the better. So for each board two numbers say all: the least lead with which the player to move wins,
//! and the least with which they draw at least. [`build`] finds them for all boards of no seeds, of one, of two … and
//! writes them into a folder, [`verify`] proves that such a folder is right, [`Tablebase`] is asked. How it is done stands
//! in `docs/endgame.md`, what the files hold in `data/README.md`.

mod advice;
mod build;
mod error;
mod file;
mod index;
mod layer;
mod manifest;
mod plain;
mod table;
mod unsow;
mod value;
mod verify;

pub use advice::Advice;
pub use build::{Event, Size, build};
pub use error::TablebaseError;
pub use index::{Index, MOST_SEEDS, boards};
pub use manifest::{LayerEntry, MANIFEST, Manifest};
pub use plain::PlainTables;
pub use table::{Entry, MoveWorth, Progress, Tablebase};
pub use value::{Threshold, Thresholds, Value};
pub use verify::verify;
