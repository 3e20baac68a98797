//! What a run has come to so far: `best.json`, `generations.csv`, and a table for a terminal.

use std::fmt::Write as _;
use std::path::Path;

use giuthi_engine::files::write_whole;
use giuthi_selfplay::Manifest;
use serde::Serialize;

use super::folder::{Folder, damaged, write_json};
use super::matches::{Elo, Match, Matches};
use super::steps::Card;
use super::{Error, Settings, plot};

/// The value of the key `format` of `best.json`.
pub const FORMAT: &str = "giuthi-best-1";

/// A generation, as `generations.csv` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its number, from 0.
    pub generation: u32,
    /// Games of self-play.
    pub games: u64,
    /// Their rows.
    pub rows: u64,
    /// Rows that the network was fitted to, of all generations in the window.
    pub fit_rows: u64,
    /// The epoch whose weights were kept, from 1.
    pub best_epoch: u32,
    /// Its validation loss, in nats.
    pub validation_loss: f64,
    /// The generation that was the best before; none for the material count.
    pub best_before: Option<u32>,
    /// Score against it, 0 … 1.
    pub score: f64,
    /// Elo against it.
    pub against_best: Elo,
    /// Elo against the network of generation 0; none for that one itself.
    pub against_first: Option<Elo>,
    /// Elo against the material count.
    pub against_material: Option<Elo>,
    /// Whether it is the best from here on.
    pub promoted: bool,
    /// Whether some match had fewer different openings than pairs, so that its interval is too narrow.
    pub openings_repeat: bool,
}

impl Row {
    pub(super) fn new(generation: u32, manifest: &Manifest, card: &Card, matches: &Matches) -> Row {
        let first = &matches.matches[0];
        let elo = |played: &Match| played.elo;
        Row {
            generation,
            games: manifest.games,
            rows: manifest.rows,
            fit_rows: card.rows(),
            best_epoch: card.best_epoch(),
            validation_loss: card.validation_loss(),
            best_before: first.generation,
            score: first.score,
            against_best: first.elo,
            against_first: matches.against(Some(0)).map(elo),
            against_material: matches.against(None).map(elo),
            promoted: matches.promoted,
            openings_repeat: matches
                .matches
                .iter()
                .any(|played| played.different_openings < u64::from(played.pairs)),
        }
    }
}

/// `best.json`.
#[derive(Debug, Serialize)]
struct Best {
    format: &'static str,
    generation: Option<u32>,
    agent: String,
    weights: Option<String>,
}

/// Writes what the generations have come to.
pub(super) fn save(
    settings: &Settings,
    folder: &Folder,
    best: Option<u32>,
    rows: &[Row],
) -> Result<(), Error> {
    let best = Best {
        format: FORMAT,
        generation: best,
        agent: folder.agent(settings.depth, best),
        weights: best.map(|best| folder.weights(best).display().to_string()),
    };
    write_json(&folder.file("best.json"), &best)?;
    let path = folder.file("generations.csv");
    table(&path, rows).map_err(|error| damaged(&path, &error))?;
    let path = folder.file("generations.svg");
    plot::save(&path, rows).map_err(Error::io(&path))
}

/// The columns of `generations.csv`.
const COLUMNS: [&str; 18] = [
    "generation",
    "games",
    "rows",
    "fit_rows",
    "best_epoch",
    "validation_loss",
    "best_before",
    "score",
    "elo_best",
    "elo_best_lower",
    "elo_best_upper",
    "elo_first",
    "elo_first_lower",
    "elo_first_upper",
    "elo_material",
    "elo_material_lower",
    "elo_material_upper",
    "promoted",
];

/// The word for the generation of an opponent.
fn opponent(generation: Option<u32>) -> String {
    generation.map_or("material".to_owned(), |generation| generation.to_string())
}

fn table(path: &Path, rows: &[Row]) -> Result<(), csv::Error> {
    write_whole(path, |file| {
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(COLUMNS)?;
        for row in rows {
            let mut fields = vec![
                row.generation.to_string(),
                row.games.to_string(),
                row.rows.to_string(),
                row.fit_rows.to_string(),
                row.best_epoch.to_string(),
                row.validation_loss.to_string(),
                opponent(row.best_before),
                row.score.to_string(),
            ];
            for elo in [Some(row.against_best), row.against_first, row.against_material] {
                let ends = elo.map(|Elo { elo, lower, upper }| [elo, lower, upper]);
                fields.extend(ends.map_or_else(Default::default, |ends| ends.map(|end| format!("{end:.1}"))));
            }
            fields.push(row.promoted.to_string());
            writer.write_record(fields)?;
        }
        writer.flush()?;
        Ok(())
    })
}

/// The rows as a table for people; Elo with its 95 % interval.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    let heads = [
        "generation",
        "games",
        "rows",
        "loss",
        "Elo against the best",
        "generation 0",
        "material",
        "promoted",
    ];
    let shown = |elo: Option<Elo>| {
        elo.map_or("-".to_owned(), |Elo { elo, lower, upper }| format!("{elo:+.0} [{lower:.0}, {upper:.0}]"))
    };
    let lines = rows.iter().map(|row| {
        let best = format!("{}: {}", opponent(row.best_before), shown(Some(row.against_best)));
        [
            row.generation.to_string(),
            row.games.to_string(),
            row.rows.to_string(),
            format!("{:.4}", row.validation_loss),
            best,
            shown(row.against_first),
            shown(row.against_material),
            if row.promoted { "yes" } else { "no" }.to_owned(),
        ]
    });
    let lines: Vec<[String; 8]> = std::iter::once(heads.map(str::to_owned)).chain(lines).collect();
    let widths: [usize; 8] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
    });
    let mut text = String::new();
    for line in &lines {
        for (at, (cell, width)) in line.iter().zip(widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let _ = write!(text, "{gap}{cell:>width$}");
        }
        text.push('\n');
    }
    text
}
