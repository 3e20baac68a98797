//! The README's tour is run as it stands: the output of its `console` blocks is compared to the letter, the commands
//! of its `sh` blocks have to succeed. The blocks share one folder, in order, as a reader would have it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace's programs: that of this crate's own.
fn programs() -> PathBuf {
    let programs = Path::new(env!("CARGO_BIN_EXE_giuthi-train")).parent().unwrap().to_owned();
    for name in ["giuthi", "giuthi-selfplay", "giuthi-eval"] {
        assert!(programs.join(name).exists(), "{name} is not built: run this test with --workspace");
    }
    programs
}

/// Runs a line of the README in `folder` and returns what it printed to stdout.
fn run(line: &str, folder: &Path) -> String {
    let mut path = programs().into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let output =
        Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_tour_does_what_it_says() {
    let readme = include_str!("../../README.md");
    let folder = tempfile::tempdir().unwrap();
    // Readers stand in the project's folder, and some lines name a file of it.
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::copy(data.join("puzzles.csv"), folder.path().join("data/puzzles.csv")).unwrap();
    let (mut compared, mut succeeded) = (0, 0);
    // Every second piece between fences is a block, its first line the language.
    for block in readme.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "console" => {
                for command in text.strip_prefix("$ ").expect("a command comes first").split("\n$ ") {
                    let (line, wanted) = command.split_once('\n').unwrap();
                    assert_eq!(run(line, folder.path()).trim_end(), wanted.trim_end(), "{line}");
                    compared += 1;
                }
            }
            "sh" => {
                for line in text.lines() {
                    run(line, folder.path());
                    succeeded += 1;
                }
            }
            _ => {}
        }
    }
    assert!(compared >= 4 && succeeded >= 3, "the README has lost its tour");
}
