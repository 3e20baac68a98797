//! Arguments as a whole: help, mistakes, and much that nobody would write.

use std::ffi::OsString;

use predicates::prelude::*;

use super::{giuthi, printed, refused};

#[test]
fn help_lists_the_commands() {
    let help = printed(["--help"]);
    for command in [
        "show",
        "moves",
        "apply",
        "perft",
        "bench",
        "analyze",
        "tablebase",
        "play",
        "ugi",
        "compliance",
        "selfplay",
        "train",
        "eval",
    ] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))), "{command}");
    }
    assert_eq!(printed(["help"]), help);
    assert_eq!(printed(["-h"]), help);
    assert_eq!(printed(["help", "perft"]), printed(["perft", "--help"]));
    assert_eq!(printed(["--version"]), format!("giuthi {}\n", env!("CARGO_PKG_VERSION")));
    let play = printed(["play", "--help"]);
    for kind in giuthi_engine::agent::AGENTS {
        assert!(
            play.contains(kind.summary) && kind.keys.iter().all(|key| play.contains(key.summary)),
            "{play}"
        );
    }
}

#[test]
fn mistakes_are_one_line_each() {
    refused([""; 0], 2, "requires a subcommand");
    refused([""; 0], 2, "[subcommands: show, moves,");
    refused(["perf"], 2, "a similar subcommand exists: 'perft'");
    refused(["nonsense"], 2, "unrecognized subcommand 'nonsense'");
    refused(["show", "--positon", "x"], 2, "'--position'");
    refused(["--nonsense"], 2, "unexpected argument '--nonsense'");
    refused(["help", "nonsense"], 2, "unrecognized subcommand 'nonsense'");
    refused(["show", "--variant", "-x"], 2, "`-x` is not a variant");
    refused(
        ["show", "--position", "-1,0,0,0,0 0,0,0,0,0 0 0 0"],
        2,
        "`-1` (row of player 1, pit 1 of the row)",
    );
    refused(["play", "--side", "-1"], 2, "0 (who moves first) or 1 is possible");
    refused(["show", "--variant", "a\nUsage: b\n\u{1b}[31mc"], 2, "is not a variant: write 2xWxS");
}

/// Words that are right somewhere, wrong nearly everywhere, or wrong in a way that has hurt somebody's parser.
fn nasty() -> Vec<OsString> {
    let mut words: Vec<OsString> = [
        "",
        " ",
        "-",
        "--",
        "---",
        "-1",
        "+1",
        "0",
        "00",
        "1e3",
        "0x10",
        "٣",
        "½",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "NaN",
        "2x8x8",
        "2x8x8 ",
        "2x8x",
        "2xx8",
        "2x-8x8",
        "2x8x08",
        "2x99999999999999999999x8",
        "12ccw",
        "12CCW",
        "012ccw",
        "256ccw",
        "99999999999999999999cw",
        "cw",
        "ccw",
        "pass",
        "passpass",
        "8,8,8,8,8 8,8,8,8,8 0 0 0",
        "8,8,8,8,8  8,8,8,8,8 0 0 0",
        "8,8,8,8,8 8,8,8,8,8 0 0 0 ",
        ",,,,, ,,,,, , , ,",
        "4294967296,0,0,0,0 0,0,0,0,0 0 0 0",
        "255,255,255,255,255 255,255,255,255,255 255 255 1",
        "0,0,0,0,0 0,0,0,0,0 0 0 0",
        "\n",
        "a\nb",
        "a\r\nUsage: b",
        "\u{1b}[31mred\u{1b}[0m",
        "\u{7}\u{8}",
        "%s%n{}",
        "../../etc/passwd",
        "ab",
        "ab:",
        "ab:depth",
        "ab:depth=",
        "ab:depth=0",
        "ab:depth=1,depth=1",
        "ab:depth=999999999999999999999",
        "ab:depth=1,net=/no/such/file",
        "net:/",
        "@random",
        "a,b@random",
        "random:x=1",
        "💥",
    ]
    .map(OsString::from)
    .into();
    words.push("x".repeat(100_000).into());
    #[cfg(unix)]
    words.push(std::os::unix::ffi::OsStringExt::from_vec(b"\xff\xfe12ccw".to_vec()));
    words
}

#[test]
fn whatever_the_arguments_nothing_panics_and_errors_are_one_line() {
    let places: [&[&str]; 15] = [
        &[],
        &["help"],
        &["show"],
        &["show", "--variant"],
        &["show", "--position"],
        &["moves", "--json", "--position"],
        &["apply"],
        &["apply", "--json", "12ccw"],
        &["perft", "--variant", "2x5x1", "--depth"],
        &["play", "--agent"],
        &["play", "--agent", "random", "--side", "1", "--seed"],
        &["analyze", "--agent", "random", "--position"],
        &["ugi", "--variant"],
        &["ugi", "--agent"],
        &["compliance", "--timeout"],
    ];
    for place in places {
        for word in nasty() {
            let arguments: Vec<OsString> = place.iter().map(OsString::from).chain([word]).collect();
            let output = giuthi(&arguments).write_stdin("").output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let told = format!("{arguments:.200?} said {said:.500}");
            let Some(code @ 0..=2) = output.status.code() else { panic!("{told}") };
            assert!(!said.contains("panicked"), "{told}");
            let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("seed ")).collect();
            assert_eq!(lines.len(), usize::from(code > 0), "{told}");
            assert!(lines.iter().all(|line| line.starts_with("giuthi: ")), "{told}");
            assert!(!said.trim_end_matches('\n').contains(|c: char| c.is_control() && c != '\n'), "{told}");
        }
    }
}

#[test]
fn long_values_are_cut_in_errors() {
    let long = "x".repeat(100_000);
    for arguments in [["show", "--variant", &long], ["show", "--position", &long], ["play", "--agent", &long]]
    {
        let short = predicate::function(|said: &str| said.len() < 600);
        giuthi(arguments).assert().code(2).stderr(short);
    }
}
