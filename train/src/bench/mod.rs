//! How fast it all is, each thing beside another way of doing it in the same run: ratios compare machines, seconds do
//! not. What is compared has to come to the same, or nothing is reported.
//!
//! | module | what is measured |
//! |---|---|
//! | [`inference`] | the network in integers, beside libtorch |
//! | [`step`] | a training step, beside libtorch's recorded graph |
//! | [`reader`] | datasets read, beside csv |

pub mod inference;
pub mod reader;
pub mod step;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use giuthi_engine::net::NetError;
use giuthi_engine::{Clock, Network, Variant};
use tch::{Device, TchError};
use thiserror::Error;

use crate::data::DataError;
use crate::fit::FEATURES;
use crate::model::{Model, Shape};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// So many a second.
    PerSecond,
    /// So many times another figure.
    Times,
    /// So many rows.
    Rows,
    /// A difference of expected results, which run from −1 to 1.
    Result,
    /// A loss in nats.
    Nats,
}

/// A figure that came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Its name in the JSON form.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// How much.
    pub number: f64,
    /// Of what.
    pub unit: Unit,
}

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// libtorch failed.
    #[error("libtorch: {}", .0.to_string().lines().next().unwrap_or_default())]
    Torch(#[from] TchError),
    /// The weights do not make a network.
    #[error(transparent)]
    Net(#[from] NetError),
    /// What is compared does not compute the same.
    #[error(
        "the network in integers is off from libtorch by {0} in the mean: at most {MOST_OFF} was expected"
    )]
    Off(f64),
    /// The written-out step does not learn what the recorded graph learns.
    #[error("the written-out step comes to a loss of {ours}, the recorded graph to {graph}")]
    OtherLoss {
        /// Of the written-out step.
        ours: f64,
        /// Of the recorded graph.
        graph: f64,
    },
    /// The rows cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The ways of reading do not come to the same.
    #[error("{way} comes to another sum of the results than the others")]
    OtherSum {
        /// The way that differs from the first.
        way: &'static str,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// How far values in integers may be from libtorch's, in the mean.
const MOST_OFF: f64 = 0.005;

/// A network of fresh weights in the shape that `fit` gives it: what is measured where no other is named.
///
/// # Errors
/// Where libtorch fails.
pub fn fresh() -> Result<Network, BenchError> {
    let width = Variant::default().width();
    let model = Model::new(Shape { width, features: FEATURES, layers: [128, 32] }, 1, Device::Cpu)?;
    let shape = model.shape();
    Ok(shape.network(shape.weights(&model.numbers()?), "nothing".to_owned())?)
}

fn figure(name: &'static str, what: &'static str, number: f64, unit: Unit) -> Measurement {
    Measurement { name, what, number, unit }
}

/// So many in that time, a second.
fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64().max(1e-9)
}

/// Times a piece of work; the shortest time stays.
fn time(
    clock: &dyn Clock,
    fastest: &mut Duration,
    work: impl FnOnce() -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let start = clock.now();
    work()?;
    *fastest = (*fastest).min(clock.now().saturating_sub(start));
    Ok(())
}
