//! Fits the value network to datasets of self-play, with libtorch, and exports its weights.
//!
//! ```no_run
//! use giuthi_engine::agent::NoClock;
//! use giuthi_train::data::{Dataset, Reading};
//! use giuthi_train::fit::{Settings, fit};
//! use tch::Device;
//!
//! let reading = Reading { lambda: 0.0, validation: 0.1 };
//! let data = Dataset::read(&["data/demo/games".into()], &reading, |_done, _rows| {})?;
//! let settings = Settings {
//!     epochs: 10.try_into()?,
//!     batch: 512.try_into()?,
//!     learning_rate: 0.002,
//!     weight_decay: 0.01,
//!     patience: 3.try_into()?,
//!     layers: [128, 32],
//!     seed: 1,
//! };
//! let fitted = fit(&data, &settings, Device::Cpu, &NoClock, |_step| {}, |_epoch| {})?;
//! fitted.network.save("net.safetensors".as_ref())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`data`] | reads datasets, splits them by game, encodes their rows |
//! | [`part`], `lines` | reads one part: checks its rows, replays its games |
//! | [`source`] | where a fit gets its rows from |
//! | [`stream`] | datasets of any size: read from their files epoch by epoch, shuffled in a bounded buffer |
//! | [`model`] | the network in libtorch, to and from the engine's [`Network`](giuthi_engine::Network) |
//! | [`fit`](mod@fit) | the training loop: schedule, validation, early stop |
//! | [`metrics`] | what each epoch came to, and the file that keeps it |
//! | [`cli`] | the command line |
//!
//! libtorch's types stay inside this crate. But for [`cli`] the library is silent: it never prints, exits, reads a
//! clock or chooses a seed.

pub mod cli;
pub mod data;
pub mod fit;
mod lines;
pub mod metrics;
pub mod model;
pub mod part;
pub mod source;
pub mod stream;
