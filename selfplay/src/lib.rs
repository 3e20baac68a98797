//! Self-play: games of an agent against itself, written as the dataset that value networks are fitted to.
//!
//! A dataset is a folder of CSV parts and, written last, `manifest.json`. The same [`Settings`] give the same bytes,
//! whatever the number of threads; shards of a dataset, made on different machines, are whole parts of it.
//!
//! ```
//! use std::num::{NonZeroU64, NonZeroUsize};
//! use giuthi_engine::agent::NoClock;
//! use giuthi_selfplay::{Manifest, Settings, generate};
//!
//! let dir = tempfile::tempdir()?;
//! let games = NonZeroU64::new(20).expect("not 0");
//! let settings = Settings::new("2x5x4".parse()?, "greedy".parse()?, games, 7);
//! let report = generate(&settings, dir.path(), NonZeroUsize::MIN, &NoClock, |_| {})?;
//! assert_eq!(report.summary.games(), 20);
//! assert_eq!(Manifest::load(dir.path())?, report.manifest);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what lives there |
//! |---|---|
//! | [`settings`] | what decides the games of a dataset, and how it is cut into parts and shards |
//! | `exploration`, `format` | chance among the moves; plain or compressed |
//! | `openings`, `play` | the openings of all games; one game |
//! | `adjudication` | games played to their end by endgame tables |
//! | `part`, `writer` | a part's text, read back to the last byte; parts written by threads of their own |
//! | [`manifest`] | `manifest.json` and `run.json` |
//! | `folder` | the output folder: whose it is, what is in it already |
//! | [`generate`](mod@generate) | the whole run: threads, parts, resuming |
//! | [`merge`](mod@merge) | shards put together |
//! | [`lines`] | the lines of a part, plain or compressed, and sums of its bytes |
//! | [`check`] | parts read: every row checked, every game replayed |
//! | [`verify`](mod@verify) | whole datasets checked, every fault told |
//! | `asked`, `origin` | whether a manifest's settings are possible; whether games are those that settings make |
//! | [`stats`] | what a dataset holds |
//! | [`pick`] | rows or games of a dataset drawn at random |
//! | `each_part` | parts dealt to threads, taken in order |
//! | `in_order` | work of many threads, taken in order |
//! | [`watch`] | how far a run is, and stopping it |
//! | [`summary`], `distinct` | statistics of the games; counting positions |
//! | `error` | why a run could not be done |
//! | [`cli`] | the `giuthi-selfplay` program |
//!
//! But for [`cli`] the library is silent: it never prints, exits, reads a clock or chooses a seed.

mod adjudication;
mod asked;
pub mod check;
pub mod cli;
mod distinct;
mod each_part;
mod error;
mod exploration;
mod folder;
mod format;
pub mod generate;
mod in_order;
pub mod lines;
pub mod manifest;
pub mod merge;
mod openings;
mod origin;
mod part;
pub mod pick;
mod play;
pub mod settings;
pub mod stats;
pub mod summary;
pub mod verify;
pub mod watch;
mod writer;

pub use adjudication::Tables;
pub use error::Error;
pub use folder::{Difference, started_seed};
pub use format::Compression;
pub use generate::{Event, Report, generate, generate_watched};
pub use manifest::{Manifest, ManifestError, PartEntry, Run};
pub use part::Damage;
pub use play::GameError;
pub use settings::{Epsilon, Format, Level, OpeningPlies, Settings, Shard, Temperature};
pub use summary::{Summary, Tally};
pub use watch::{Look, Watch};
