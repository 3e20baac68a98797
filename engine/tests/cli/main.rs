//! The `giuthi` program, run as its users run it.

mod analyze;
mod apply;
mod arguments;
mod bench;
#[cfg(unix)]
mod doctor;
mod moves;
mod perft;
mod pipes;
mod play;
mod show;
#[cfg(unix)]
mod sibling;
mod solve;
mod tablebase;

use std::ffi::OsStr;

use assert_cmd::Command;
use predicates::prelude::*;

/// A position in which player 1 can come back to it within one turn, by [`PERPETUAL_MOVES`].
const PERPETUAL: &str = "0,0,0,2,2 3,0,5,1,1 0 0 1";
/// Extra moves, the last of which repeats the position after the first.
const PERPETUAL_MOVES: [&str; 5] = ["4cw", "3cw", "2cw", "1ccw", "2ccw"];
/// A position in which the relay of `5cw` never ends.
const ENDLESS: &str = "0,0,2,8,1 2,3,0,0,0 13 11 0";
/// A position in which player 1 must pass.
const PASS: &str = "0,0,0,0,0 6,24,0,9,1 1 0 1";
/// A position in which nobody can move: player 0 has won 11 to 3.
const OVER: &str = "0,1,0,0,0 0,0,0,0,1 10 2 1";

/// The program with arguments.
fn giuthi<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = assert_cmd::cargo_bin_cmd!("giuthi");
    command.args(arguments);
    command
}

/// What a successful run with an empty stderr prints.
fn printed<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    let output = giuthi(arguments).assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// The objects of a successful run that prints JSON, one a line.
fn objects<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Vec<serde_json::Value> {
    printed(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that a run prints nothing and fails with a code and one line on stderr that contains a text.
#[track_caller]
fn refused<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, code: i32, says: &str) {
    giuthi(arguments).assert().code(code).stdout("").stderr(one_line(says));
}

/// Exactly one line, from the program itself, that contains a text.
fn one_line(says: &str) -> impl Predicate<str> + use<> {
    let says = says.to_owned();
    predicate::function(move |text: &str| {
        text.starts_with("giuthi: ")
            && text.ends_with('\n')
            && text.lines().count() == 1
            && text.contains(&says)
    })
}
