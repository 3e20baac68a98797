//! What each epoch came to, and `metrics.csv`, which keeps it.

use std::path::Path;

use giuthi_engine::files::write_whole;
use serde::{Deserialize, Serialize};

/// One epoch of training. Losses are mean cross-entropies in nats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Over the training rows, as the weights changed under way.
    pub train_loss: f64,
    /// Over the validation rows, at the end of the epoch.
    pub validation_loss: f64,
    /// Share of validation rows whose result (win, draw, loss) the network finds likeliest, 0 … 1.
    pub validation_accuracy: f64,
    /// The learning rate of the epoch's last step.
    pub learning_rate: f64,
    /// Training rows a second, validation not counted.
    pub samples_per_s: f64,
    /// Whether its weights are the best so far.
    pub best: bool,
}

/// Writes the epochs as CSV, one row an epoch; the file appears only when whole.
pub fn save(path: &Path, epochs: &[Epoch]) -> Result<(), csv::Error> {
    write_whole(path, |file| {
        let mut writer = csv::Writer::from_writer(file);
        for epoch in epochs {
            writer.serialize(epoch)?;
        }
        writer.flush()?;
        Ok(())
    })
}
