//! Whatever ends a run: what was finished is there, whole, and the same run goes on from it.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroUsize;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use giuthi_engine::agent::NoClock;
use giuthi_selfplay::{Error, Event, Settings, Watch, generate_watched};
use support::{files, make, parts, settings};
use tempfile::tempdir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_giuthi-selfplay");
const FLAGS: [&str; 10] =
    ["--variant", "2x5x4", "--games", "3000", "--part-games", "60", "--seed", "7", "--threads", "2"];

fn run(flags: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(flags).arg("--out").arg(dir).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn stderr_of(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn asked_to_stop_it_finishes_the_part_in_hand() {
    let settings = settings("2x5x4", "ab:depth=1", 90, 30);
    let whole = tempdir().unwrap();
    make(&settings, whole.path(), 1);
    for (stop_at, there) in [(0, 0), (1, 1), (30, 1), (31, 2), (61, 3)] {
        let dir = tempdir().unwrap();
        let threads = NonZeroUsize::new(2).unwrap();
        let watch = Watch::new(threads);
        let mut played = 0;
        if stop_at == 0 {
            watch.stop();
        }
        let result = generate_watched(&settings, dir.path(), threads, &NoClock, &watch, |event| {
            if let Event::Played { .. } = event {
                played += 1;
                if played == stop_at {
                    watch.stop();
                }
            }
        });
        match result {
            Err(Error::Stopped { there: found, parts: 3 }) => assert_eq!(found, there, "at {stop_at}"),
            // The last part in hand is the end.
            Ok(_) => assert_eq!(there, 3, "at {stop_at}"),
            other => panic!("at {stop_at}: {other:?}"),
        }
        assert_eq!(parts(dir.path()).len() as u64, there);
        assert_eq!(make(&settings, dir.path(), 2).played, 90 - 30 * there);
        assert!(files(dir.path()) == files(whole.path()));
    }
}

/// While the openings are compared, which takes as long as there are games, nothing is in hand: it ends at once.
#[test]
fn asked_to_stop_it_compares_no_more_openings() {
    let settings = Settings { distinct_openings: true, ..settings("2x8x8", "random", 1 << 40, 1 << 40) };
    let dir = tempdir().unwrap();
    let threads = NonZeroUsize::new(2).unwrap();
    let watch = Watch::new(threads);
    let result = generate_watched(&settings, dir.path(), threads, &NoClock, &watch, |event| {
        if let Event::Compared { .. } = event {
            watch.stop();
        }
    });
    assert!(matches!(result, Err(Error::Stopped { there: 0, parts: 1 })), "{result:?}");
    assert!(parts(dir.path()).is_empty());
}

/// Parts that are there already are not looked at any further, whether a manifest tells of them or not.
#[test]
fn asked_to_stop_it_checks_no_more_parts() {
    let settings = settings("2x5x4", "greedy", 400, 10);
    let dir = tempdir().unwrap();
    make(&settings, dir.path(), 2);
    let whole = files(dir.path());
    let threads = NonZeroUsize::new(2).unwrap();
    for (finished, stop_at) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
        if !finished {
            let _ = fs::remove_file(dir.path().join("manifest.json"));
        }
        let watch = Watch::new(threads);
        let mut checked = 0;
        let result = generate_watched(&settings, dir.path(), threads, &NoClock, &watch, |event| {
            checked += u64::from(matches!(event, Event::Checked { .. }));
            if checked == stop_at && matches!(event, Event::Checking { .. } | Event::Checked { .. }) {
                watch.stop();
            }
        });
        assert!(matches!(result, Err(Error::Stopped { there: 40, parts: 40 })), "{result:?}");
        assert_eq!(checked, stop_at);
        assert_eq!(dir.path().join("manifest.json").exists(), finished);
    }
    assert_eq!(make(&settings, dir.path(), 1).played, 0);
    assert!(files(dir.path()) == whole);
}

#[test]
fn a_signal_stops_it_and_it_says_how_to_go_on() {
    let whole = tempdir().unwrap();
    assert!(run(&FLAGS, whole.path()).status().unwrap().success());
    let whole = files(whole.path());
    for signal in ["-INT", "-TERM"] {
        // On a busy machine the run may be over before this test gets to stop it: then once more.
        let caught = (0..20).any(|_| {
            let dir = tempdir().unwrap();
            let mut child = run(&FLAGS, dir.path()).spawn().unwrap();
            while child.try_wait().unwrap().is_none() && !dir.path().join("part-00001.csv").exists() {
                sleep(Duration::from_millis(1));
            }
            send(signal, &child);
            let stderr = stderr_of(&mut child);
            let status = child.wait().unwrap();
            if dir.path().join("manifest.json").exists() {
                return false;
            }
            assert_eq!(status.code(), Some(1), "{stderr}");
            let lines: Vec<&str> = stderr.lines().collect();
            assert!(lines.contains(&"stopping after the part in hand; to stop at once, ask again (Ctrl-C)"));
            let there = parts(dir.path());
            let flags = FLAGS.join(" ");
            let last = format!(
                "giuthi-selfplay: stopped: {} of 50 parts are there; to go on: giuthi selfplay {flags} --out {}",
                there.len(),
                dir.path().display()
            );
            assert_eq!(*lines.last().unwrap(), last);
            assert!(there.iter().all(|(name, bytes)| whole[name] == *bytes), "a part is not whole");
            assert!(!files(dir.path()).keys().any(|name| name.ends_with(".tmp")));
            assert!(run(&FLAGS, dir.path()).status().unwrap().success());
            assert!(files(dir.path()) == whole);
            true
        });
        assert!(caught, "the run was never caught before its end");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let dir = tempdir().unwrap();
    // One part that takes very long.
    let flags = ["--variant", "2x8x8", "--games", "1000000", "--part-games", "1000000", "--seed", "1"];
    let mut child = run(&flags, dir.path()).spawn().unwrap();
    while !files(dir.path()).keys().any(|name| name.starts_with(".part-00000")) {
        assert!(child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(5));
    }
    send("-TERM", &child);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("stopping after the part in hand") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended without a word");
    }
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert!(parts(dir.path()).is_empty());
}

#[test]
fn killed_again_and_again_it_comes_to_the_same_bytes() {
    let flags = [&FLAGS[..], &["--compress", "zstd"]].concat();
    let whole = tempdir().unwrap();
    assert!(run(&flags, whole.path()).status().unwrap().success());
    let whole = files(whole.path());
    let dir = tempdir().unwrap();
    for moment in 0..8 {
        let mut child = run(&flags, dir.path()).spawn().unwrap();
        sleep(Duration::from_millis(7 * moment));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(parts(dir.path()).iter().all(|(name, bytes)| whole[name] == *bytes), "a part is not whole");
    }
    assert!(run(&flags, dir.path()).status().unwrap().success());
    assert!(files(dir.path()) == whole);
}

/// A file may not grow beyond a bound here, which to the program is what a full disk is: a write that fails.
#[test]
fn a_full_disk_is_one_line_and_loses_nothing() {
    let flags = ["--variant", "2x5x4", "--games", "600", "--part-games", "200", "--seed", "7"];
    let whole = tempdir().unwrap();
    assert!(run(&flags, whole.path()).status().unwrap().success());
    let whole = files(whole.path());
    let dir = tempdir().unwrap();
    // A first part is there; there is no room for the second.
    fs::write(dir.path().join("run.json"), &whole["run.json"]).unwrap();
    fs::write(dir.path().join("part-00000.csv"), &whole["part-00000.csv"]).unwrap();
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script, PROGRAM])
        .args(flags)
        .arg("--out")
        .arg(dir.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
    let last = stderr.lines().last().unwrap();
    assert!(last.contains("part-00001.csv: cannot be written: "), "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("giuthi-selfplay: ")).count(), 1, "{stderr}");
    assert!(parts(dir.path()).iter().all(|(name, bytes)| whole[name] == *bytes));
    assert!(!files(dir.path()).keys().any(|name| name.ends_with(".tmp") || name == "manifest.json"));
    assert!(run(&flags, dir.path()).status().unwrap().success());
    assert!(files(dir.path()) == whole);
}

/// A part that fails in its middle leaves games that are none of the next part's.
#[test]
fn after_a_part_that_fails_none_is_made_of_its_games() {
    let settings = settings("2x5x4", "greedy", 900, 300);
    let whole = tempdir().unwrap();
    make(&settings, whole.path(), 2);
    let whole = files(whole.path());
    assert!(whole["part-00001.csv"].len() > 200_000, "more than is handed over at a time");
    let dir = tempdir().unwrap();
    let in_the_way = dir.path().join(format!(".part-00001.csv.{}.tmp", std::process::id()));
    let threads = NonZeroUsize::new(2).unwrap();
    let result = generate_watched(&settings, dir.path(), threads, &NoClock, &Watch::new(threads), |event| {
        if let Event::Playing { .. } = event {
            fs::create_dir(&in_the_way).unwrap();
        }
    });
    let said = result.unwrap_err().to_string();
    assert!(said.contains("part-00001.csv: cannot be written"), "{said}");
    fs::remove_dir(&in_the_way).unwrap();
    let there = parts(dir.path());
    // Where it is slow to fail, the last part may have got all of its own games meanwhile.
    assert!(there.contains_key("part-00000.csv") && !there.contains_key("part-00001.csv"));
    assert!(there.iter().all(|(name, bytes)| whole[name] == *bytes));
    assert_eq!(make(&settings, dir.path(), 2).played, 900 - 300 * there.len() as u64);
    assert!(files(dir.path()) == whole);
}
