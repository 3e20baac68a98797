//! Fits the value network to datasets of self-play, with libtorch, and exports its weights.
//!
//! ```no_run
//! use giuthi_engine::agent::NoClock;
//! use giuthi_train::data::{Dataset, RandomRows, Reading};
//! use giuthi_train::fit::{Observer, Settings, fit};
//! use tch::Device;
//!
//! let reading = Reading { lambda: 0.0, validation: 0.1, random_rows: RandomRows::Keep };
//! let data = Dataset::read(&["data/demo/games".into()], &reading, |_done, _rows| {})?;
//! let settings = Settings { seed: 1, ..Settings::default() };
//! struct Silent;
//! impl Observer for Silent {}
//! let fitted = fit(&data, &settings, Device::Cpu, &NoClock, None, &mut Silent)?;
//! fitted.network.save("net.safetensors".as_ref())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`data`] | reads datasets, splits them by game, encodes their rows |
//! | [`part`] | parts as the trainer takes them: wrong games refused or left out |
//! | [`source`] | where a fit gets its rows from |
//! | [`stream`] | datasets of any size: read from their files epoch by epoch, shuffled in a bounded buffer |
//! | [`model`] | the network in libtorch, to and from the engine's [`Network`](giuthi_engine::Network) |
//! | [`fit`](mod@fit) | the training loop: step, optimiser, schedule, validation, early stop |
//! | [`bench`](mod@bench) | how fast it is: inference, training step, reader, each beside another way |
//! | [`export`] | the network in other forms, for programs that are not ours |
//! | [`doctor`](mod@doctor) | what only libtorch knows of itself: its file, devices, threads |
//! | [`metrics`] | what each epoch came to, and the file that keeps it |
//! | [`checkpoint`] | a fit's state on the disk, to go on from |
//! | [`card`], [`curve`] | the model card and the picture beside the weights |
//! | [`generations`] | self-play, fit and match in turn, each generation on the best before it |
//! | [`cli`] | the command line |
//!
//! libtorch's types stay inside this crate. But for [`cli`] the library is silent: it never prints, exits, reads a
//! clock or chooses a seed.

pub mod bench;
pub mod card;
pub mod checkpoint;
pub mod cli;
pub mod curve;
pub mod data;
pub mod doctor;
pub mod export;
pub mod fit;
pub mod generations;
pub mod metrics;
pub mod model;
pub mod part;
pub mod source;
pub mod stream;
