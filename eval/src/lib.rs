//! Matches between agents: who plays whom from which opening, the games, the results counted, and ratings that carry
//! their uncertainty.
//!
//! The library is silent: it calls an observer, reads no clock but the one handed in and chooses no seed.
//!
//! ```
//! use giuthi_engine::agent::NoClock;
//! use giuthi_eval::{Error, Settings, run};
//!
//! let settings = Settings {
//!     variant: "2x5x4".parse()?,
//!     agents: vec!["ab:depth=2".parse()?, "random".parse()?],
//!     games: 20,
//!     opening_plies: "4".parse()?,
//!     seed: 1,
//!     threads: 1,
//! };
//! let tournament = run(&settings, &NoClock, |_pair| Ok::<(), Error>(()))?;
//! let ratings = tournament.ratings();
//! assert!(ratings[0].elo > ratings[1].elo);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`schedule`] | who plays whom in which game, from which opening |
//! | [`play`] | one game between two agents |
//! | [`tournament`] | a round robin: settings, the games in parallel, the games in order |
//! | [`tally`] | results counted: by agent and opponent, by seat, by ending |
//! | [`rating`] | Elo ratings of results, with 95 % intervals |
//! | [`output`] | the files of a tournament, and its tables for a terminal |
//! | [`cli`] | the `giuthi-eval` program |

mod bradley_terry;
pub mod cli;
pub mod output;
pub mod play;
pub mod rating;
pub mod schedule;
pub mod tally;
pub mod tournament;

pub use play::{Course, Played};
pub use rating::{Encounter, Observation, Rating, Unrelated, rate};
pub use schedule::{Fixture, Schedule};
pub use tally::{Tally, WinsDrawsLosses};
pub use tournament::{Error, Prepared, Settings, SettingsError, Tournament, run};
