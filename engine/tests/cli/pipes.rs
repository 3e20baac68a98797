//! Pipes that nobody reads are no error; a full disk is one.

use std::io::pipe;
use std::process::{Command, Stdio};

use super::{ENDLESS, OVER};

#[test]
fn a_closed_pipe_is_no_error() {
    let cases: [&[&str]; 13] = [
        &["--help"],
        &["--version"],
        &["help", "play"],
        &["show"],
        &["moves"],
        &["moves", "--json"],
        &["apply", "12ccw", "3cw"],
        &["apply", "--json", "12ccw", "3cw"],
        // Deep enough never to end, were it not for the pipe.
        &["perft", "--depth", "100"],
        &["analyze", "--seed", "1", "--agent", "ab:depth=200"],
        &["analyze", "--seed", "1", "--json", "--agent", "ab:depth=200"],
        &["compliance", "--", "true"],
        &["play", "--seed", "1", "--agent", "random", "--position", ENDLESS],
    ];
    for arguments in cases {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_giuthi"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_closed_stderr_changes_no_exit_code() {
    for (arguments, code) in [(vec!["show", "--nonsense"], 2), (vec!["apply", "--position", OVER, "1cw"], 1)]
    {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_giuthi"));
        let status = command.args(&arguments).stdout(Stdio::null()).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for arguments in [
        vec!["show"],
        vec!["moves"],
        vec!["--help"],
        vec!["apply", "12ccw"],
        vec!["perft", "--depth", "100"],
        vec!["play", "--seed", "1", "--agent", "random"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output =
            Command::new(env!("CARGO_BIN_EXE_giuthi")).args(&arguments).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.lines().count() == 1 && said.contains("cannot write to stdout"), "{said}");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}
