//! The Universal Game Interface with the Giuthi profile (`docs/ugi.md`): our agents behind it, and other programs in
//! front of it.
//!
//! | module | what lives there |
//! |---|---|
//! | [`command`] | the commands of a referee, read from lines |
//! | [`budget`] | how long to think by a game clock |
//! | [`table`] | what the commands are about: variant, agent, position |
//! | [`engine`] | an engine between lines in and lines out; it searches in a thread of its own |
//! | [`bot`] | the other side: a program that speaks the protocol, run as a child process |
//! | [`session`] | such a program as a player: readied, asked for moves, every way it can fail by name |
//! | [`lines`] | lines from anywhere, of bounded length |

pub mod bot;
pub mod budget;
pub mod command;
pub mod engine;
pub mod lines;
pub mod session;
pub mod table;
mod worker;

use crate::game::Outcome;
use crate::rules::Player;

/// How the protocol names the outcome of a game; `p1` is player 0.
#[must_use]
pub const fn result_name(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Player::South)) => "p1win",
        Some(Outcome::Win(Player::North)) => "p2win",
        Some(Outcome::Draw) => "draw",
        None => "none",
    }
}

/// An expected result (−1 … 1, for the player to move) as `wdl`: wins, draws and losses in a thousand games.
///
/// The value says nothing of draws, so there are none: it is split between wins and losses, and `(W − L) / 1000` is
/// the value again, to within a thousandth.
#[must_use]
pub fn wdl(value: f32) -> [u32; 3] {
    let wins = ((value.clamp(-1.0, 1.0) + 1.0) * 500.0).round() as u32;
    [wins, 0, 1000 - wins]
}
