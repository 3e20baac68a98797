//! Fits the value network to datasets of self-play, with libtorch, and exports its weights.
//!
//! | module | what lives there |
//! |---|---|
//! | [`data`] | reads datasets, splits them by game, encodes their rows |
//! | [`part`] | reads one part: checks its rows, replays its games |
//! | [`model`] | the network in libtorch, to and from the engine's [`Network`](giuthi_engine::Network) |
//! | [`fit`](mod@fit) | the training loop: schedule, validation, early stop |
//! | [`metrics`] | what each epoch came to, and the file that keeps it |
//! | [`cli`] | the command line |
//!
//! libtorch's types stay inside this crate.

pub mod cli;
pub mod data;
pub mod fit;
pub mod metrics;
pub mod model;
pub mod part;
