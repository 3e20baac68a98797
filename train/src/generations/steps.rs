//! Self-play and the fit of a generation.

use std::fs;
use std::path::Path;
use std::time::Duration;

use giuthi_engine::Network;
use giuthi_selfplay::{Manifest, ManifestError, generate};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::folder::{Folder, damaged, read_json, seed};
use super::{Error, Event, Means, Settings, Start, Step};
use crate::checkpoint::{CheckpointError, Checkpoints, SettingsTable};
use crate::data::Reading;
use crate::fit::{self, Fitted, Observer, State};
use crate::metrics::{self, Epoch};
use crate::part::OnBad;
use crate::source::Source;
use crate::stream::{Stream, Streaming, Window};
use crate::{card, curve};

/// Share of the games that a fit is judged by.
const VALIDATION: f64 = 0.1;

/// Time between two checkpoints, beside those at the end of each epoch.
const CHECKPOINT: Duration = Duration::from_secs(600);

/// The games of a generation, played now where they are not there yet.
pub(super) fn self_play(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    best: Option<u32>,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Manifest, Error> {
    let data = folder.data(generation);
    match Manifest::load(&data) {
        Err(ManifestError::Missing { .. }) => {}
        Err(error) => return Err(error.into()),
        Ok(manifest) => return Ok(manifest),
    }
    let agent = folder.agent(settings.selfplay_depth, best).parse()?;
    let seed = seed(settings, generation, Step::SelfPlay);
    let asked = giuthi_selfplay::Settings {
        opening: settings.opening,
        epsilon: settings.epsilon,
        ..giuthi_selfplay::Settings::new(settings.variant, agent, settings.games, seed)
    };
    let report = generate(&asked, &data, means.threads, means.clock, |event| match event {
        giuthi_selfplay::Event::Planned { games, .. } => {
            observe(Event::Begin { generation, step: Step::SelfPlay, pieces: games });
        }
        giuthi_selfplay::Event::Played { .. } => observe(Event::Advance(1)),
        _ => {}
    })?;
    observe(Event::End);
    Ok(report.manifest)
}

/// What the model card says of a fit, as far as it is needed here.
#[derive(Debug, Deserialize)]
pub(super) struct Card {
    weights: Weights,
    data: Data,
    figures: Figures,
}

#[derive(Debug, Deserialize)]
struct Weights {
    sha256: String,
}

#[derive(Debug, Deserialize)]
struct Data {
    training_rows: u64,
    validation_rows: u64,
}

#[derive(Debug, Deserialize)]
struct Figures {
    best_epoch: u32,
    validation_loss: f64,
}

impl Card {
    /// Rows of all generations that the network was fitted to, those for validation among them.
    pub(super) fn rows(&self) -> u64 {
        self.data.training_rows + self.data.validation_rows
    }

    /// The epoch whose weights were kept, from 1.
    pub(super) fn best_epoch(&self) -> u32 {
        self.figures.best_epoch
    }

    /// Its validation loss, in nats.
    pub(super) fn validation_loss(&self) -> f64 {
        self.figures.validation_loss
    }
}

/// What the generations before have come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    /// That of the best network so far.
    pub(super) best: Option<u32>,
    /// The first whose games are by a network.
    pub(super) by_network: Option<u32>,
}

/// The network of a generation, fitted now where it is not there yet. The model card is written last.
pub(super) fn fit(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    past: Past,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Card, Error> {
    let weights = folder.weights(generation);
    let checkpoints = Checkpoints::beside(&weights);
    let path = weights.with_extension("json");
    if !path.exists() {
        let fitted = fit_now(settings, folder, generation, past, &checkpoints, means, observe)?;
        save(&weights, &fitted)?;
    }
    if checkpoints.folder().exists() {
        fs::remove_dir_all(checkpoints.folder()).map_err(Error::io(checkpoints.folder()))?;
    }
    let value = read_json(&path)?.ok_or_else(|| damaged(&path, &"it is gone"))?;
    let card: Card = serde_json::from_value(value).map_err(|error| damaged(&path, &error))?;
    let hash = Sha256::digest(fs::read(&weights).map_err(Error::io(&weights))?);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    if hash != card.weights.sha256 {
        return Err(damaged(&weights, &"its SHA-256 is not that of its model card"));
    }
    Network::load_for(&weights, settings.variant.width())?;
    Ok(card)
}

/// A fit that is done, with what its model card tells of it.
struct Done {
    fitted: Fitted,
    data: Stream,
    table: SettingsTable,
}

/// The games that a generation's network is fitted to: those of the window, and none by the material count as soon as
/// there are some by a network, which play better, and whose values are expected results.
fn windows(settings: &Settings, folder: &Folder, generation: u32, by_network: Option<u32>) -> Vec<Window> {
    let first = (generation + 1).saturating_sub(settings.window.get()).max(by_network.unwrap_or(0));
    let window = |of: u32| {
        let weight = settings.window_decay.powf(f64::from(generation - of));
        // Beyond some hundred generations there may be no such number.
        Window { folder: folder.data(of), weight: weight.max(f64::MIN_POSITIVE) }
    };
    (first..=generation).map(window).collect()
}

fn fit_now(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    past: Past,
    checkpoints: &Checkpoints,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Done, Error> {
    let windows = windows(settings, folder, generation, past.by_network);
    let lambda = if past.by_network.is_some() { settings.lambda as f32 } else { 0.0 };
    let reading = Reading { lambda, validation: VALIDATION, random_rows: settings.random_rows };
    let streaming = Streaming { on_bad: OnBad::Stop, threads: means.threads, buffer: Streaming::BUFFER };
    let mut told = None;
    let data = Stream::open(&windows, &reading, streaming, |done, total| {
        match told {
            None => observe(Event::Begin { generation, step: Step::Read, pieces: total }),
            Some(before) => observe(Event::Advance(done - before)),
        }
        told = Some(done);
    })?;
    observe(Event::End);
    let asked = fit::Settings { seed: seed(settings, generation, Step::Fit), ..settings.fit.clone() };
    let start = match past.best.filter(|_| settings.start == Start::Best) {
        Some(best) => Some(Network::load_for(&folder.weights(best), settings.variant.width())?),
        None => None,
    };
    let mut table = asked.table();
    table.extend([
        (
            "start".to_owned(),
            start.as_ref().and(past.best).map_or("random".to_owned(), |best| format!("generation {best}")),
        ),
        ("data".to_owned(), data.fingerprint()),
        ("lambda".to_owned(), reading.lambda.to_string()),
        ("validation".to_owned(), reading.validation.to_string()),
        ("random-rows".to_owned(), reading.random_rows.name().to_owned()),
    ]);
    // Checkpoints of other data, or damaged ones, are passed over: the fit begins anew, and comes to the same.
    let from = match checkpoints.load() {
        Ok(loaded) if loaded.settings == table => Some(loaded.state),
        Ok(_) | Err(CheckpointError::None(_) | CheckpointError::Damaged { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if from.is_none() {
        checkpoints.clear()?;
    }
    let from = from.or_else(|| start.as_ref().map(State::starting_at));
    let [rows, _] = data.rows();
    let seen = from.as_ref().map_or(0, |state| u64::from(state.epoch - 1) * rows + state.seen);
    let pieces = (rows * u64::from(asked.epochs.get())).saturating_sub(seen);
    observe(Event::Begin { generation, step: Step::Fit, pieces });
    let mut watching = Watching {
        observe,
        checkpoints,
        table: &table,
        epoch: rows.div_ceil(asked.batch.get() as u64),
        kept: means.clock.now(),
    };
    let fitted = fit::fit(&data, &asked, means.device, means.clock, from, &mut watching)
        .map_err(|error| Error::Fit { generation, error: Box::new(error) })?;
    observe(Event::End);
    Ok(Done { fitted, data, table })
}

fn save(weights: &Path, done: &Done) -> Result<(), Error> {
    let Done { fitted, data, table } = done;
    let metrics = weights.with_file_name("metrics.csv");
    metrics::save(&metrics, &fitted.epochs).map_err(|error| damaged(&metrics, &error))?;
    let picture = weights.with_extension("svg");
    curve::save(&picture, fitted).map_err(Error::io(&picture))?;
    fitted.network.save(weights)?;
    let path = weights.with_extension("json");
    card::save(&path, weights, fitted, data, table).map_err(Error::io(&path))
}

/// Tells how a fit goes, and keeps its state.
struct Watching<'a, 'b> {
    observe: &'a mut (dyn FnMut(Event<'_>) + 'b),
    checkpoints: &'a Checkpoints,
    table: &'a SettingsTable,
    /// Steps of an epoch.
    epoch: u64,
    /// When the last checkpoint was due.
    kept: Duration,
}

impl Observer for Watching<'_, '_> {
    fn step(&mut self, step: fit::Step) {
        (self.observe)(Event::Advance(step.rows as u64));
    }

    fn epoch(&mut self, epoch: &Epoch) {
        let (number, loss) = (epoch.epoch, epoch.validation_loss);
        (self.observe)(Event::Note(format!("epoch {number}, validation loss {loss:.4}")));
    }

    fn wants_state(&mut self, steps: u64, now: Duration) -> bool {
        let due = steps.is_multiple_of(self.epoch) || now.saturating_sub(self.kept) >= CHECKPOINT;
        if due {
            self.kept = now;
        }
        due
    }

    fn keep(&mut self, state: &State) -> Result<(), String> {
        // A full disk is no reason to lose the fit as well.
        if let Err(error) = self.checkpoints.save(self.table, state) {
            (self.observe)(Event::Note(format!("no checkpoint: {error}")));
        }
        Ok(())
    }
}
