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
//!     seed: 1,
//!     ..Settings::default()
//! };
//! let tournament = run(&settings, &NoClock, |_pair| Ok::<(), Error>(()))?;
//! let ratings = tournament.ratings();
//! assert!(ratings[0].elo > ratings[1].elo);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`settings`] | what a tournament is, checked |
//! | [`openings`] | what games start from; those that are decided left out |
//! | [`schedule`] | who plays whom in which game, from which opening |
//! | [`timing`] | time controls |
//! | [`play`] | one game between two players |
//! | [`tournament`] | the games in parallel, handed on as they are finished |
//! | [`tally`] | results counted: by agent and opponent, by seat, by ending |
//! | [`rating`] | Elo ratings of results, with 95 % intervals |
//! | [`stats`] | what a match's counts of results say |
//! | [`sprt`] | sequential tests of how much stronger an agent is |
//! | [`results`] | results of games wherever they were played |
//! | [`input`] | results read from files |
//! | [`ranking`] | agents ranked by results: tables, CSV, JSON |
//! | [`record`], [`journal`], [`about`] | rows of games; the files of a tournament, begun, gone on with, finished |
//! | [`folder`] | the folder of a tournament, locked |
//! | [`content`] | what the files held that agents' specs name |
//! | [`mod@merge`] | a tournament put together from shards |
//! | [`output`] | ratings as rows and tables |
//! | [`mod@judge`] | networks and agents held against endgame tables |
//! | [`recorded`] | the tournament of a folder, opened to be looked at |
//! | [`replay`] | a game told again, ply by ply |
//! | [`report`] | `report.html`: all that can be told of a tournament, and its games replayed |
//! | [`cli`] | the `giuthi-eval` program |

pub mod about;
pub mod cli;
pub mod content;
mod drawn;
pub mod folder;
pub mod input;
pub mod journal;
pub mod judge;
pub mod merge;
pub mod openings;
pub mod output;
pub mod play;
mod programs;
pub mod ranking;
pub mod rating;
pub mod record;
pub mod recorded;
pub mod replay;
pub mod report;
pub mod results;
pub mod schedule;
pub mod settings;
pub mod sprt;
pub mod stats;
pub mod tally;
pub mod timing;
pub mod tournament;

pub use merge::{MergeError, merge};
pub use openings::{Decided, Listing, Openings};
pub use play::{Course, Played};
pub use programs::Conduct;
pub use rating::{Advantage, Encounter, Fit, Observation, Options, Rating, Unrelated, rate};
pub use schedule::{Fixture, Format, Schedule};
pub use settings::{Settings, SettingsError};
pub use tally::{Tally, WinsDrawsLosses};
pub use timing::{TimeControl, Timing};
pub use tournament::{Error, Means, Prepared, Tournament, run};
