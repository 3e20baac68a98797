//! Programs put through the protocol: good ones pass, and whatever is wrong with a bad one is found and named.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
const GIUTHI: &str = env!("CARGO_BIN_EXE_giuthi");

fn compliance(options: &[&str], command: &[&str]) -> Output {
    Command::new(GIUTHI).arg("compliance").args(options).arg("--").args(command).output().unwrap()
}

/// Verdict and reason of every point.
fn verdicts(options: &[&str], command: &[&str]) -> (i32, BTreeMap<String, (String, String)>) {
    let output = compliance(&[options, &["--json"]].concat(), command);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let points = String::from_utf8(output.stdout).unwrap();
    let points = points.lines().map(|line| {
        let point: Value = serde_json::from_str(line).unwrap();
        (text(&point["point"]), (text(&point["verdict"]), text(&point["reason"])))
    });
    (output.status.code().unwrap(), points.collect())
}

#[track_caller]
fn passes(command: &[&str]) {
    for variant in ["2x8x8", "2x5x4"] {
        let (code, points) = verdicts(&["--variant", variant, "--timeout", "60000"], command);
        let bad: Vec<_> = points.iter().filter(|(_, (verdict, _))| verdict != "pass").collect();
        assert!(bad.is_empty() && points.len() > 15, "{variant}: {bad:?}");
        assert_eq!(code, 0);
    }
}

#[test]
fn our_engine_passes() {
    passes(&[GIUTHI, "ugi", "--seed", "1"]);
    passes(&[GIUTHI, "ugi", "--seed", "1", "--agent", "greedy"]);
}

#[test]
fn the_python_bot_passes() {
    passes(&["python3", "-B", &format!("{EXAMPLES}/random_bot.py")]);
}

#[test]
fn the_c_bot_passes() {
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("random_bot");
    let compiler = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-o"])
        .arg(&bot)
        .arg(Path::new(EXAMPLES).join("random_bot.c"))
        .output()
        .unwrap();
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    passes(&[bot.to_str().unwrap()]);
}

/// The Python bot with something changed, a statement after its import.
fn changed(change: &str) -> Vec<String> {
    let code = format!(
        "import sys, time; sys.path.insert(0, {EXAMPLES:?})\nimport random_bot as r\n{change}\nr.main()"
    );
    ["python3", "-B", "-c", &code].map(str::to_owned).to_vec()
}

/// Asserts that a bot fails at certain points, and for which reasons.
#[track_caller]
fn fails(command: &[String], timeout: &str, reasons: &[(&str, &str)]) {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (code, points) = verdicts(&["--variant", "2x5x4", "--timeout", timeout], &command);
    for (point, says) in reasons {
        let (verdict, reason) = &points[*point];
        assert!(verdict == "fail" && reason.contains(says), "{point} of {points:?}");
    }
    assert_eq!(code, 1);
}

#[test]
fn bad_moves_are_found() {
    for (choice, says) in [
        ("'0cw' if g.position.player == 0 else '9cw'", "is not player "),
        ("'xyzzy' if g.position.player == 0 else '5 ccw'", "is not a move"),
        ("sys.exit(3) if g.position.player == 0 else 1 / 0", "it ended (exit status: "),
    ] {
        let reasons = ["game", "extra", "fen", "stop", "busy"].map(|point| (point, says));
        fails(&changed(&format!("r.choose = lambda g: {choice}")), "60000", &reasons);
    }
}

#[test]
fn bad_rules_are_found() {
    let alternating = "play = r.Position.play
def alternating(self, move):
    player = self.player
    good = play(self, move)
    self.player = 1 - player
    return good
r.Position.play = alternating";
    fails(&changed(alternating), "60000", &[("extra", "query p1turn: `")]);
    // Neither sees repetitions nor passes.
    let forgetful = "play = r.Game.play
def forgetful(self, move):
    self.seen = set()
    play(self, move)
    self.drawn = False
r.Game.play = forgetful
moves = r.Position.moves
r.Position.moves = lambda self: [move for move in moves(self) if move != 'pass']";
    let reasons = [
        ("finished", "query gameover: `false` instead of `true`"),
        ("pass", "bestmove: `none` is not a move"),
    ];
    fails(&changed(forgetful), "60000", &reasons);
}

#[test]
fn bad_manners_are_found() {
    // Each shows at its own point, and spoils no other.
    let rude = "obey = r.Bot.obey
def rude(self, words):
    if words == ['xyzzy']: sys.exit('what?')
    if words == ['quit']: sys.exit(7)
    if words == ['go', 'movetime', '100']: time.sleep(0.4)
    obey(self, ['go'] if words == ['go', 'infinite'] else words)
    if words == ['go', 'depth', '1']: self.say('bestmove 5ccw')
r.Bot.obey = rude";
    let reasons = [
        ("limits", "bestmove 5ccw"),
        ("movetime", "ms at best of three"),
        ("stop", "before it was asked for"),
        ("busy", "where `readyok` is due"),
        ("rubbish", "it ended (exit status: 1): what?"),
        ("quit", "it ended with exit status: 7 instead of 0"),
        ("leave", "it ended with exit status: 7 instead of 0"),
    ];
    fails(&changed(rude), "60000", &reasons);
}

#[test]
fn noise_between_the_answers_is_passed_over() {
    let noisy = "say = r.Bot.say
def noisy(self, text):
    for _ in range(50): say(self, 'noise ' * 50)
    say(self, 'info string \\xff' + text)
    say(self, text)
r.Bot.say = noisy";
    let command = changed(noisy);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (code, points) = verdicts(&["--variant", "2x5x4", "--timeout", "60000"], &command);
    assert!(points.iter().all(|(_, (verdict, _))| verdict == "pass"), "{points:?}");
    assert_eq!(code, 0);
}

fn shell(code: &str) -> Vec<String> {
    ["sh", "-c", code].map(str::to_owned).to_vec()
}

/// What a shell script does with what it is asked, quickly and badly, but for the `cases` before.
fn script(cases: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in
            {cases}
            ugi) echo 'id name Script'; echo ugiok;;
            isready) echo readyok;;
            go*) echo bestmove xyzzy;;
            query*) echo response xyzzy;;
        esac; done"
    )
}

#[test]
fn what_does_not_start_is_tried_no_further() {
    for (command, timeout, says) in [
        (shell("cat > /dev/null"), "300", "no `ugiok` in 300 ms"),
        (shell("exec sleep 1000"), "300", "no `ugiok` in 300 ms"),
        (shell("while :; do echo rubbish; done"), "300", "no `ugiok` in 300 ms"),
        (shell("head -c 3000000 /dev/zero; cat > /dev/null"), "300", "no `ugiok` in 300 ms"),
        (shell("read -r line; echo ugiok; cat > /dev/null"), "60000", "no `id name …` before `ugiok`"),
        (shell("exit 0"), "60000", "no `ugiok`: it ended (exit status: 0)"),
        (shell("echo nothing works >&2; exit 9"), "60000", "exit status: 9): nothing works"),
        (vec!["/no/such/program".to_owned()], "60000", "cannot be started"),
    ] {
        let parts: Vec<&str> = command.iter().map(String::as_str).collect();
        let (code, points) = verdicts(&["--timeout", timeout], &parts);
        let (verdict, reason) = &points["start"];
        assert!(verdict == "fail" && reason.contains(says), "{command:?}: {reason}");
        assert!(points.iter().all(|(name, (verdict, _))| name == "start" || verdict == "skip"), "{points:?}");
        assert_eq!(code, 1);
    }
}

#[test]
fn silence_holds_nothing_up() {
    let reasons = [
        ("newgame", "no `bestmove` in 1000 ms"),
        ("stop", "no `bestmove` in 1000 ms"),
        ("game", "query p1turn: `xyzzy` instead of `true`"),
        ("queries", "query gameover: `xyzzy` instead of `false`"),
    ];
    fails(&shell(&script("go*) ;;")), "1000", &reasons);
}

/// A script that ignores every kind request to end and has a child of its own; it writes the numbers of both into a
/// file, and then does something again and again.
#[cfg(target_os = "linux")]
fn stubborn(list: &Path, again: &str) -> Vec<String> {
    shell(&format!(
        "trap '' TERM INT HUP; sleep 1234 & echo $! >> {list:?}; echo $$ >> {list:?}
        while :; do {again}; sleep 0.1; done"
    ))
}

/// Asks for something until it is so, for half a minute at most.
#[cfg(target_os = "linux")]
fn in_the_end(so: impl Fn() -> bool) -> bool {
    (0..3000).any(|_| {
        let is_so = so();
        if !is_so {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        is_so
    })
}

/// Asserts that every process that [`stubborn`] has told of ends.
#[cfg(target_os = "linux")]
#[track_caller]
fn all_end(list: &Path) {
    for process in std::fs::read_to_string(list).unwrap().lines() {
        // What is dead has no command line; who is just being killed has it for a moment yet.
        let gone = in_the_end(|| {
            let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            !String::from_utf8_lossy(&command).contains("1234")
        });
        assert!(gone, "{process} is left");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("processes");
    let reasons = ["quit", "leave", "eof"].map(|point| (point, "it still runs after 2000 ms"));
    fails(&stubborn(&list, &script("quit) ;;")), "2000", &reasons);
    assert!(std::fs::read_to_string(&list).unwrap().lines().count() > 10);
    all_end(&list);
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left_of_a_trial_cut_short() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
        let list = folder.path().join(signal.as_raw().to_string());
        // Whoever runs the tests in the background may have made them deaf to some of these.
        let mut trial = Command::new("env")
            .args(["--default-signal", GIUTHI, "compliance", "--timeout", "600000", "--"])
            // It does not even look at its input.
            .args(stubborn(&list, ":"))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let told = || std::fs::read_to_string(&list).unwrap_or_default().lines().count() == 2;
        let started = in_the_end(told);
        kill_process(Pid::from_child(&trial), signal).unwrap();
        let status = trial.wait().unwrap();
        assert!(started && status.code().is_none(), "{signal:?}: {status}");
        all_end(&list);
    }
}

#[test]
fn the_report_can_be_read() {
    let output = compliance(&["--timeout", "60000"], &[GIUTHI, "ugi", "--seed", "1", "--agent", "random"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.starts_with("pass  ")), "{text}");
    assert_eq!(text.lines().count(), giuthi_engine::compliance::POINTS.len());
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    let output = compliance(&["--timeout", "60000"], &["true"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("fail  start ") && text.contains("\n        no `ugiok`"), "{text}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "giuthi: 1 required point failed: start\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_command_is_needed() {
    for arguments in [&["compliance"][..], &["compliance", "--"], &["compliance", "true"]] {
        let output = Command::new(GIUTHI).args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    }
}
