//! Games played to their end by endgame tables, from where these say for certain what they come to.
//!
//! Nothing is cut off: the rest of the game is played by both sides without a fault, so that it ends by the rules, with a
//! margin and an ending, and with the result that the tables tell. It takes no search.

use std::fs;
use std::path::Path;

use giuthi_engine::board::MoveKind;
use giuthi_engine::endgame::tablebase::{self, Tablebase, TablebaseError, Value};
use giuthi_engine::sample::Note;
use giuthi_engine::{Game, Move, Sample, Source};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::manifest::{ManifestError, hex};
use crate::play::FORCED;

/// Which endgame tables decided games: what the manifest says of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// Most seeds on a board that they know.
    pub seeds: usize,
    /// SHA-256 of their `manifest.json`, in hexadecimal.
    pub sha256: String,
}

impl Tables {
    /// Those of a folder. Only its manifest is read.
    ///
    /// # Errors
    /// Where it cannot be read or is none.
    pub fn of(dir: &Path) -> Result<Tables, ManifestError> {
        let path = dir.join(tablebase::MANIFEST);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(ManifestError::Io { path, error }),
        };
        let manifest: tablebase::Manifest = serde_json::from_slice(&bytes)
            .map_err(|error| ManifestError::Json { path, reason: error.to_string() })?;
        Ok(Tables { seeds: manifest.seeds, sha256: hex(&Sha256::digest(&bytes)) })
    }
}

/// Reads the tables of a folder, which have to be for boards with rows of `width` pits.
pub(crate) fn load(dir: &Path, width: usize) -> Result<Tablebase, Error> {
    let tables = Tablebase::open(dir).map_err(Error::Tables)?;
    match tables.pits() {
        pits if pits == width => Ok(tables),
        there => Err(Error::Tables(TablebaseError::OtherPits { dir: dir.to_owned(), there, asked: width })),
    }
}

/// What the tables have played in a game, and the note of its row; `None` where they leave it to the agent: they do not
/// have the position, or what has been played since the last capture makes its value uncertain. Once it is certain it
/// remains so. A draw is ended as soon as a position can be met again.
pub(crate) fn adjudicated(tables: &Tablebase, game: &Game) -> Option<(Move, Note)> {
    let advice = tables.advise(game).filter(|advice| advice.is_certain)?;
    let ends = |mv: &&Move| {
        let step = game.position().step(**mv);
        step.sowing.kind != MoveKind::Capture && game.recent().contains(&step.position)
    };
    let mv = match advice.value {
        Value::Draw => *advice.moves.iter().find(ends).unwrap_or(&advice.moves[0]),
        _ => advice.moves[0],
    };
    let note = match mv {
        Move::Pass => FORCED,
        _ => Note { source: Source::Search, value: Some(f32::from(result(advice.value))) },
    };
    Some((mv, note))
}

/// A result that is not the one of the tables.
pub(crate) struct Misjudged {
    /// The ply from which on the tables knew it.
    pub(crate) ply: usize,
    pub(crate) what: String,
}

/// Compares a finished game with what the tables say of the first position of theirs that it came to by a capture, its
/// opening not counted: there values are exact.
pub(crate) fn misjudged(tables: &Tablebase, rows: &[Sample]) -> Option<Misjudged> {
    // Where tables play nothing is left to chance.
    let played = rows.iter().rposition(|row| row.source == Source::Random).map_or(0, |last| last + 1);
    let captured = |ply: &usize| {
        *ply > 0 && rows[*ply].position.board().seeds() < rows[*ply - 1].position.board().seeds()
    };
    let (ply, value) = (played..rows.len())
        .filter(captured)
        .find_map(|ply| Some((ply, tables.value(&rows[ply].position)?)))?;
    let wanted = result(value);
    (rows[ply].result != wanted).then(|| Misjudged {
        ply,
        what: format!("by the tables this is a {value} (`result` {wanted}), not {}", rows[ply].result),
    })
}

/// A value as results are written.
const fn result(value: Value) -> i8 {
    match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    }
}
