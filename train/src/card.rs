//! The model card: what a network is and where it comes from, as JSON beside its weights.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use giuthi_engine::files::write_whole;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::fit::Fitted;
use crate::source::Source;

/// The value of the key `format`.
pub const FORMAT: &str = "giuthi-model-card-1";

/// The keys of the file, in order.
#[derive(Debug, Serialize)]
struct Card<'a> {
    format: &'static str,
    program: &'a str,
    weights: Weights,
    data: Data,
    settings: &'a BTreeMap<String, String>,
    figures: Figures,
}

#[derive(Debug, Serialize)]
struct Weights {
    file: String,
    sha256: String,
    variant_width: usize,
    features: &'static str,
    layers: [usize; 2],
    parameters: usize,
}

#[derive(Debug, Serialize)]
struct Data {
    description: String,
    fingerprint: String,
    training_rows: u64,
    validation_rows: u64,
}

#[derive(Debug, Serialize)]
struct Figures {
    epochs: usize,
    best_epoch: u32,
    train_loss: f64,
    validation_loss: f64,
    validation_accuracy: f64,
    calibration_error: f64,
    samples_per_s: f64,
}

/// Writes the card of weights that have been saved; it appears only when whole.
pub fn save(
    path: &Path,
    weights: &Path,
    fitted: &Fitted,
    data: &dyn Source,
    settings: &BTreeMap<String, String>,
) -> io::Result<()> {
    let hash = Sha256::digest(fs::read(weights)?);
    let header = fitted.network.header();
    let numbers = fitted.network.weights();
    let parts = [
        &numbers.input,
        &numbers.lead,
        &numbers.input_bias,
        &numbers.hidden,
        &numbers.hidden_bias,
        &numbers.output,
        &numbers.output_bias,
    ];
    let best = &fitted.epochs[fitted.best_epoch as usize - 1];
    let [training_rows, validation_rows] = data.rows();
    let card = Card {
        format: FORMAT,
        program: &header.program,
        weights: Weights {
            file: weights.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            variant_width: header.width,
            features: header.features.id(),
            layers: header.layers,
            parameters: parts.iter().map(|part| part.len()).sum(),
        },
        data: Data {
            description: data.description(),
            fingerprint: data.fingerprint(),
            training_rows,
            validation_rows,
        },
        settings,
        figures: Figures {
            epochs: fitted.epochs.len(),
            best_epoch: fitted.best_epoch,
            train_loss: best.train_loss,
            validation_loss: best.validation_loss,
            validation_accuracy: best.validation_accuracy,
            calibration_error: fitted.calibration.error(),
            samples_per_s: best.samples_per_s,
        },
    };
    write_whole(path, |file| {
        serde_json::to_writer_pretty(&mut *file, &card)?;
        file.write_all(b"\n")
    })
}
