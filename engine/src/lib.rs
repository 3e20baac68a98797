//! Giuthi, the Kikuyu mancala of reversing relays: exact rules, agents that play it, and the network they may use.
//!
//! ```
//! use giuthi_engine::{Game, Move, Position, Variant};
//!
//! let variant: Variant = "2x5x4".parse()?;
//! let mut game = Game::new(variant);
//! let ply = game.play("7ccw".parse::<Move>()?)?;
//! assert_eq!(ply.sowing.laps, 3);
//! assert_eq!(game.position().to_string(), "7,1,4,4,4 4,0,2,7,7 0 0 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`rules`] | variants, players, directions, moves |
//! | [`board`] | the ring of pits, and the only code that moves seeds |
//! | [`position`] | pits, piles, player to move; legal moves and what they do |
//! | [`game`] | a game's history: repetition, ending, outcome |
//! | [`notation`] | text for variants, positions and moves |
//! | [`perft`](mod@perft) | counting lines of play |
//! | [`playout`] | random games, as fast as the machine plays them |
//! | [`search`] | alpha-beta, perpetuals of rows, Monte-Carlo tree search |
//! | [`endgame`] | what positions of few seeds are worth, exactly |
//! | [`net`] | the value network: features, weights file, inference |
//! | [`agent`] | who plays: the agents, and the specs that name them |
//! | [`ugi`], [`compliance`] | the engine protocol, from both sides; whether a program keeps to it |
//! | [`opening`], [`rng`] | random openings and random streams |
//! | [`sample`] | one row of the dataset |
//! | [`shard`](mod@shard) | shares of work that several machines have |
//! | [`files`] | files that appear under their name only when whole |
//! | `cli` | the `giuthi` program, and what all programs share at the terminal |
//!
//! The library is silent: it never prints, exits, reads a clock or chooses a seed.

pub mod agent;
pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compliance;
pub mod endgame;
pub mod files;
pub mod game;
pub mod net;
pub mod notation;
pub mod opening;
pub mod perft;
pub mod playout;
pub mod position;
pub mod rng;
pub mod rules;
pub mod sample;
pub mod search;
pub mod shard;
pub mod ugi;

pub use agent::{Agent, AgentSpec, Choice, Clock, Request};
pub use board::{Board, Lap, MoveKind, Sower, Sowing};
pub use game::{Ending, Game, Outcome, PlayError, Ply};
pub use net::Network;
pub use perft::perft;
pub use playout::{Finish, Playout};
pub use position::{IllegalMove, Position, Setup, SetupError, Step};
pub use rules::{Direction, Move, Player, Variant};
pub use sample::{Sample, Source};
pub use shard::Shard;

/// The README's Rust example is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
