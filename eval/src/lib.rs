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
//! | [`stats`] | what a match's counts of results say |
//! | [`sprt`] | sequential tests of how much stronger an agent is |
//! | [`results`] | results of games wherever they were played |
//! | [`input`] | results read from files |
//! | [`ranking`] | agents ranked by results: tables, CSV, JSON |
//! | [`output`] | the files of a tournament, and its tables for a terminal |
//! | [`cli`] | the `giuthi-eval` program |

pub mod cli;
pub mod input;
pub mod output;
pub mod play;
pub mod ranking;
pub mod rating;
pub mod results;
pub mod schedule;
pub mod sprt;
pub mod stats;
pub mod tally;
pub mod tournament;

pub use play::{Course, Played};
pub use rating::{Advantage, Encounter, Fit, Observation, Options, Rating, Unrelated, rate};
pub use schedule::{Fixture, Schedule};
pub use tally::{Tally, WinsDrawsLosses};
pub use tournament::{Error, Prepared, Settings, SettingsError, Tournament, run};
