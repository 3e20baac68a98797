//! `manifest.json`: what tables a folder holds, with the checksum of each file.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::TablebaseError;
use super::file::layer_file;
use super::index::{MOST_SEEDS, boards};
use crate::files::write_whole;
use crate::rules::{MAX_WIDTH, MIN_WIDTH};

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.json";
/// What the manifest says its folder is.
const FORMAT: &str = "giuthi-endgame-tables";
/// The version of manifest and files.
pub(super) const SCHEMA: u16 = 1;

/// What tables a folder holds: all boards of 0 seeds, of 1 … up to a number. It is written anew after each layer, behind
/// that layer's file, so that what it lists is whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this file and of those it lists.
    pub schema: u16,
    /// What the folder is.
    pub format: String,
    /// The program that made the tables, with its version.
    pub program: String,
    /// Pits in a row.
    pub pits: usize,
    /// Most seeds on a board that is there.
    pub seeds: usize,
    /// Boards in all.
    pub boards: u64,
    /// One entry for each number of seeds, from 0 on.
    pub layers: Vec<LayerEntry>,
}

/// What a manifest says of the boards of so many seeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerEntry {
    /// Seeds on each board.
    pub seeds: usize,
    /// The file's name.
    pub file: String,
    /// How many boards there are.
    pub boards: u64,
    /// SHA-256 of the file in hexadecimal.
    pub sha256: String,
}

impl Manifest {
    /// Of layers with these checksums.
    pub(super) fn new(pits: usize, checksums: &[String]) -> Manifest {
        let layers: Vec<LayerEntry> = checksums
            .iter()
            .enumerate()
            .map(|(seeds, sha256)| LayerEntry {
                seeds,
                file: layer_file(seeds),
                boards: boards(pits, seeds),
                sha256: sha256.clone(),
            })
            .collect();
        Manifest {
            schema: SCHEMA,
            format: FORMAT.to_owned(),
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
            pits,
            seeds: layers.len() - 1,
            boards: layers.iter().map(|layer| layer.boards).sum(),
            layers,
        }
    }

    /// The manifest of a folder; `None` where it has none.
    pub(super) fn load(dir: &Path) -> Result<Option<Manifest>, TablebaseError> {
        let path = dir.join(MANIFEST);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TablebaseError::io(&path, "cannot be read", error)),
        };
        let foreign = |reason: String| TablebaseError::foreign(&path, reason);
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| foreign(format!("no JSON: {error}")))?;
        if value.get("format").is_none_or(|format| *format != FORMAT) {
            return Err(foreign(format!("not of endgame tables: its `format` is not `{FORMAT}`")));
        }
        match value.get("schema") {
            Some(schema) if *schema == SCHEMA => {}
            schema => {
                let found = schema.map_or("missing".to_owned(), ToString::to_string);
                return Err(foreign(format!("schema {found}: this program reads {SCHEMA}")));
            }
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(|error| foreign(error.to_string()))?;
        match manifest.fault() {
            Some(fault) => Err(foreign(fault)),
            None => Ok(Some(manifest)),
        }
    }

    /// What in it does not fit together.
    fn fault(&self) -> Option<String> {
        if !(MIN_WIDTH..=MAX_WIDTH).contains(&self.pits) {
            return Some(format!("`pits` is {}: {MIN_WIDTH} to {MAX_WIDTH} are possible", self.pits));
        }
        if self.seeds > MOST_SEEDS || self.layers.len() != self.seeds + 1 {
            return Some(format!("it lists {} layers for `seeds` {}", self.layers.len(), self.seeds));
        }
        for (seeds, layer) in self.layers.iter().enumerate() {
            let wanted = boards(self.pits, seeds);
            if layer.seeds != seeds || layer.file != layer_file(seeds) || layer.boards != wanted {
                return Some(format!(
                    "layer {seeds} should be `{}` with {wanted} boards of {seeds} seeds, not `{}` with {} of {}",
                    layer_file(seeds),
                    layer.file.escape_debug(),
                    layer.boards,
                    layer.seeds
                ));
            }
        }
        let wanted: u64 = self.layers.iter().map(|layer| layer.boards).sum();
        (self.boards != wanted).then(|| format!("`boards` is {}: its layers have {wanted}", self.boards))
    }

    /// Writes it into a folder.
    pub(super) fn store(&self, dir: &Path) -> Result<(), TablebaseError> {
        let path = dir.join(MANIFEST);
        let written: io::Result<()> = write_whole(&path, |writer| {
            serde_json::to_writer_pretty(&mut *writer, self)?;
            writer.write_all(b"\n")
        });
        written.map_err(|error| TablebaseError::io(&path, "cannot be written", error))
    }
}
