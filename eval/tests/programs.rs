//! External programs in tournaments: whatever they do, they lose their games by it, are counted, and the tournament goes on;
//! and no process of theirs is left.
#![cfg(unix)]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use giuthi_engine::{Game, Move, Variant};
use serde::Deserialize;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

const BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/bot.py");

/// These flags, and patience where they do not say: the tests run beside others.
fn patient(flags: &str) -> String {
    let mut flags = flags.to_owned();
    for flag in ["--start-timeout", "--ready-timeout", "--move-timeout"] {
        if !flags.contains(flag) {
            flags += &format!(" {flag} 60000");
        }
    }
    flags
}

#[derive(Debug, Deserialize)]
struct GameRow {
    game: u64,
    player0: String,
    player1: String,
    moves: String,
    result: String,
    end: String,
    plies: usize,
    ms0: f64,
    fault: String,
}

struct Table {
    folder: TempDir,
}

impl Table {
    fn new() -> Table {
        Table { folder: tempdir().unwrap() }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn pids(&self) -> PathBuf {
        self.folder.path().join("pids")
    }

    fn bot(&self, name: &str, habit: &str) -> String {
        format!("{name}@cmd:python3 -B '{BOT}' {habit} '{}'", self.pids().display())
    }

    /// The program, to be started.
    fn process(&self, agents: &[String], more: &str) -> Process {
        let mut process = Process::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
        process.args(["tournament", "--variant", "2x5x4", "--seed", "1", "--decided", "off"]);
        process.args(agents.iter().flat_map(|agent| ["--agent", agent]));
        process.args(more.split_whitespace()).arg("--out").arg(self.out());
        process
    }

    fn command(&self, agents: &[String], more: &str) -> Command {
        Command::from_std(self.process(agents, more))
    }

    /// Starts the program; what it says at the end is nobody's concern, and what it says to stderr where it goes.
    fn start(&self, agents: &[String], more: &str, stderr: Stdio) -> Child {
        self.process(agents, more).stdout(Stdio::null()).stderr(stderr).spawn().unwrap()
    }

    fn games(&self) -> Vec<GameRow> {
        let mut reader = csv::Reader::from_path(self.out().join("games.csv")).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// The processes that bots consisted of.
    fn processes(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.pids()).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    fn nobody_is_left(&self) {
        for process in self.processes() {
            let ended = (0..500).any(|_| {
                let gone = !is_running(process);
                if !gone {
                    sleep(Duration::from_millis(20));
                }
                gone
            });
            assert!(ended, "{process} still runs");
        }
    }
}

/// Whether a process runs; one that has ended and whom nobody has asked how does not.
fn is_running(process: u32) -> bool {
    let status = Process::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output().unwrap();
    let state = String::from_utf8(status.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

/// Plays a bot of a habit against `random`; every game has to be lost by the bot, by this fault.
fn loses(habit: &str, fault: &str, more: &str) -> Table {
    let table = Table::new();
    let agents = [table.bot("bad", habit), "random".to_owned()];
    let output = table
        .command(&agents, &patient(&format!("--games 4 --json --jobs 2 {more}")))
        .assert()
        .success()
        .get_output()
        .clone();
    let games = table.games();
    assert_eq!(games.len(), 4, "{habit}");
    for game in &games {
        let lost = if game.player0 == "bad" { "0-1" } else { "1-0" };
        assert_eq!((&*game.result, &*game.end, &*game.fault), (lost, "forfeit", fault), "{habit}: {game:?}");
        let mut replayed = Game::new(Variant::new(5, 4).unwrap());
        let moves: Vec<Move> = game.moves.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        replayed.play_all(&moves).unwrap();
        assert_eq!((replayed.ending(), moves.len()), (None, game.plies), "what was played stays");
    }
    let lines = String::from_utf8(output.stdout).unwrap();
    let bad = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let bad = bad.filter(|line| line["agent"] == "bad").collect::<Vec<_>>();
    assert_eq!((&bad[0]["losses"], &bad[0]["faults"][fault]), (&Value::from(4), &Value::from(4)), "{habit}");
    let log = fs::read_to_string(table.out().join("logs/0-bad.log")).unwrap();
    assert_eq!(log.matches(&format!(": {fault}: ")).count(), 4, "{habit}: {log}");
    // One that did not start may have been ended before it told its number.
    assert!(fault == "start" || table.processes().len() >= 4, "{habit}");
    table.nobody_is_left();
    table
}

#[test]
fn programs_that_fail_lose_and_are_counted() {
    for (habit, fault, more) in [
        ("never", "start", ""),
        ("mute", "start", "--start-timeout 300"),
        ("unready", "ready", "--ready-timeout 300"),
        ("crash=2", "crash", ""),
        ("orphan", "crash", ""),
        ("illegal", "illegal", ""),
        ("garbage", "rubbish", ""),
        ("twice", "rubbish", ""),
    ] {
        loses(habit, fault, more);
    }
}

#[test]
fn a_program_that_never_starts_is_given_up() {
    let table = Table::new();
    let agents = [table.bot("bad", "never"), "random".to_owned()];
    table.command(&agents, &patient("--games 40 --jobs 1")).assert().success();
    let games = table.games();
    assert!(games.len() == 40 && games.iter().all(|game| game.fault == "start"));
    // One more by which we look whether it is there.
    assert!(table.processes().len() <= 6, "{:?}", table.processes());
}

#[test]
fn programs_that_do_not_answer_lose() {
    for (habit, fault) in [("silent", "silence"), ("babble", "rubbish"), ("flood", "rubbish")] {
        loses(habit, fault, "--move-timeout 400");
    }
}

#[test]
fn what_a_program_says_to_stderr_is_kept() {
    let table = loses("crash", "crash", "");
    let log = fs::read_to_string(table.out().join("logs/0-bad.log")).unwrap();
    assert_eq!(log.matches("it hurts\n").count(), 4, "{log}");
    assert!(log.contains("[game 0: crash: it ended (exit status: 3): it hurts]"), "{log}");
}

/// A late answer lies in the pipe when the next question is put; had it been read as an answer to that one, the game would
/// go on.
#[test]
fn late_is_lost_by_every_time_control() {
    for more in ["--tc movetime=1 --margin 0", "--tc 0.001 --margin 0"] {
        let table = Table::new();
        let agents = [table.bot("bad", "late=30"), "random".to_owned()];
        table.command(&agents, &patient(&format!("--games 2 {more}"))).assert().success();
        for game in table.games() {
            assert_eq!((&*game.end, &*game.fault), ("forfeit", "late"), "{more}: {game:?}");
        }
        table.nobody_is_left();
    }
    // The time of a move is told, and a late answer is not the next question's: the program is started anew.
    let table = Table::new();
    let agents = [table.bot("bad", "late-once=150"), "random".to_owned()];
    table.command(&agents, &patient("--games 4 --jobs 1 --tc movetime=100 --margin 0")).assert().success();
    let faults: Vec<String> = table.games().into_iter().map(|game| game.fault).collect();
    assert_eq!(faults, ["late"; 4]);
    // The one by which we look whether it is there may be gone before it has told its number.
    let processes = table.processes().len();
    assert!((4..=5).contains(&processes), "one a game: {processes}");
    table.nobody_is_left();
}

#[test]
fn a_slow_program_in_time_loses_nothing() {
    let table = Table::new();
    let agents = [table.bot("a", "late=2"), table.bot("b", "late=2")];
    let output = table
        .command(&agents, &patient("--games 2 --tc movetime=20000"))
        .assert()
        .success()
        .get_output()
        .clone();
    for game in table.games() {
        assert!(game.end != "forfeit" && game.ms0 >= 2.0, "{game:?}");
    }
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("a: the longest way there and back took ") && told.contains("margin 50 ms"),
        "{told}"
    );
    table.nobody_is_left();
}

#[test]
fn programs_that_do_not_end_are_ended_with_all_that_they_started() {
    let table = Table::new();
    let agents = [table.bot("deaf", "deaf"), table.bot("fork", "fork"), table.bot("loud", "grumble")];
    let more = patient("--games 2 --jobs 2 --quit-timeout 100");
    let output = table.command(&agents, &more).assert().success().get_output().clone();
    assert!(table.games().iter().all(|game| game.fault.is_empty()));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("warning: deaf did not end when asked to"), "{told}");
    table.nobody_is_left();
    let log = fs::metadata(table.out().join("logs/2-loud.log")).unwrap().len();
    assert!(log > 1 << 20 && log < (4 << 20) + 100_000, "a log has an end: {log} bytes");
}

#[test]
fn no_more_programs_run_than_were_asked_for() {
    // Each bot is a process of its own: with one job never more than two at a time, of four.
    let table = Table::new();
    let agents: Vec<String> = ["a", "b", "c", "d"].iter().map(|name| table.bot(name, "good")).collect();
    let more = patient("--games 2 --jobs 1");
    let mut child = table.start(&agents, &more, Stdio::null());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let running = table.processes().into_iter().filter(|&process| is_running(process)).count();
        most = most.max(running);
        sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    assert!((1..=2).contains(&most), "{most} at a time");
    assert_eq!(table.games().len(), 12);
    table.nobody_is_left();
}

fn killed(signal: &str) {
    let table = Table::new();
    let agents = [table.bot("deaf", "deaf"), table.bot("fork", "fork"), "random".to_owned()];
    let more = patient("--games 1000 --jobs 2 --quit-timeout 100");
    let mut child = table.start(&agents, &more, Stdio::piped());
    let partial = table.out().join("games.csv.partial");
    let rows = |path: &Path| fs::read_to_string(path).unwrap_or_default().lines().count();
    while rows(&partial) < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
    Process::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    table.nobody_is_left();
    let text = fs::read_to_string(&partial).unwrap();
    assert!(text.lines().count() >= 3);
    if signal == "-9" {
        return;
    }
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    let last = told.lines().last().unwrap();
    let pairs = (text.lines().count() - 1) / 2;
    assert!(
        last.contains(&format!("stopped: {pairs} of 1500 pairs")) && last.ends_with(" --resume"),
        "{told}"
    );
    let games: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(games.iter().collect::<HashSet<_>>().len(), 2 * pairs, "each game once");
}

#[test]
fn no_program_outlives_a_tournament_that_is_killed() {
    killed("-9");
}

#[test]
fn a_tournament_that_is_told_to_stop_keeps_its_games_and_says_how_to_go_on() {
    killed("-TERM");
    killed("-INT");
}

/// Every block of commands of the document.
#[test]
fn the_document_s_commands_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let document = fs::read_to_string(root.join("docs/tournaments.md")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("giuthi-eval").display();
    let blocks: Vec<&str> =
        document.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let folder = tempdir().unwrap();
        std::os::unix::fs::symlink(root.join("examples"), folder.path().join("examples")).unwrap();
        let commands = format!("set -e\n{}", block.replace("giuthi eval", &format!("'{program}'")));
        Command::new("sh").args(["-c", &commands]).current_dir(folder.path()).assert().success();
        assert!(folder.path().join("cup/games.csv").exists(), "{block}");
    }
}

/// Both example bots, the one in C compiled, in a folder of the table's own: so their processes can be told from others.
fn example_bots(table: &Table) -> [String; 2] {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples");
    let [python, compiled] = ["random_bot.py", "random_bot"].map(|name| table.folder.path().join(name));
    fs::copy(examples.join("random_bot.py"), &python).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let built = Process::new(compiler)
        .arg("-O1")
        .arg("-o")
        .arg(&compiled)
        .arg(examples.join("random_bot.c"))
        .status();
    assert!(built.unwrap().success());
    [format!("python@cmd:python3 -B '{}'", python.display()), format!("c@cmd:'{}'", compiled.display())]
}

/// Processes that run a program in a folder.
fn at_work_in(folder: &Path) -> Vec<String> {
    let output = Process::new("ps").args(["-eo", "stat=,args="]).output().unwrap();
    let all = String::from_utf8_lossy(&output.stdout).into_owned();
    let bot = format!("{}/random_bot", folder.display());
    let runs = |line: &&str| line.contains(&bot) && !line.starts_with('Z') && !line.contains("tournament");
    all.lines().filter(runs).map(str::to_owned).collect()
}

/// Our agents and both example bots, killed three times and gone on with: what was there stays, each game is played once,
/// no program is left, and games in which nothing is left to chance but what the seed decides are those of a tournament that
/// nobody killed.
#[test]
fn the_example_bots_meet_our_agents() {
    let [table, whole] = [Table::new(), Table::new()];
    let ours = ["random", "greedy", "ab:depth=2", "mcts:sims=50"];
    let ours: Vec<String> = ours.iter().map(|&spec| spec.to_owned()).collect();
    let agents: Vec<String> = ours.iter().cloned().chain(example_bots(&table)).collect();
    let more = patient("--games 4 --jobs 2 --resume");
    let partial = table.out().join("games.csv.partial");
    let text = || fs::read_to_string(&partial).unwrap_or_default();
    let whole_pairs = |text: &str| -> Vec<String> {
        let rows = text.matches('\n').count().saturating_sub(1) / 2 * 2;
        text.lines().skip(1).take(rows).map(str::to_owned).collect()
    };
    let mut kept: Vec<String> = Vec::new();
    for (rows, delay) in [(3, 0), (13, 7), (27, 3)] {
        let mut child = table.start(&agents, &more, Stdio::null());
        while text().lines().count() < rows && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(5));
        }
        sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        let now = if table.out().join("games.csv").exists() { continue } else { whole_pairs(&text()) };
        assert!(kept.iter().all(|row| now.contains(row)), "what was there stays");
        kept = now;
        let gone = (0..500).any(|_| {
            let gone = at_work_in(table.folder.path()).is_empty();
            if !gone {
                sleep(Duration::from_millis(20));
            }
            gone
        });
        assert!(gone, "left: {:?}", at_work_in(table.folder.path()));
    }
    table.command(&agents, &more).assert().success();
    let games = table.games();
    let numbers: Vec<u64> = games.iter().map(|game| game.game).collect();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>(), "each game once, in order");
    let mut points: HashMap<&str, f64> = HashMap::new();
    for game in &games {
        assert!(game.fault.is_empty(), "{game:?}");
        let mut replayed = Game::new(Variant::new(5, 4).unwrap());
        let moves: Vec<Move> = game.moves.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        replayed.play_all(&moves).unwrap();
        assert_eq!(replayed.ending().unwrap().name(), game.end);
        let first = [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5)];
        let first = first.into_iter().find(|(result, _)| *result == game.result).unwrap().1;
        *points.entry(&game.player0).or_default() += first;
        *points.entry(&game.player1).or_default() += 1.0 - first;
    }
    let text = fs::read_to_string(table.out().join("games.csv")).unwrap();
    assert!(kept.iter().all(|row| text.lines().any(|line| line == row)), "what was there stays");
    // The table is that of all games, whenever they were played.
    let mut ratings = csv::Reader::from_path(table.out().join("ratings.csv")).unwrap();
    for row in ratings.records().map(Result::unwrap) {
        let [wins, draws] = [5, 6].map(|column| row[column].parse::<f64>().unwrap());
        assert_eq!(wins + draws / 2.0, points[&row[0]], "{row:?}");
    }
    // The bots draw their moves anew each time; our agents draw them from the seed.
    whole.command(&agents, &more).assert().success();
    let of_ours = |games: &[GameRow]| -> Vec<(u64, String)> {
        let ours = |game: &&GameRow| [&game.player0, &game.player1].iter().all(|name| ours.contains(name));
        games.iter().filter(ours).map(|game| (game.game, game.moves.clone())).collect()
    };
    let [killed, at_a_stretch] = [of_ours(&games), of_ours(&whole.games())];
    assert_eq!((killed.len(), killed), (24, at_a_stretch));
}

#[test]
fn a_program_that_is_not_there_is_an_error_before_anything_is_played() {
    let table = Table::new();
    let agents = ["cmd:no-such-program --at-all".to_owned(), "random".to_owned()];
    let output = table.command(&agents, "--games 2").assert().code(1).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.lines().count() == 1 && error.contains("no-such-program cannot be started"), "{error}");
    assert!(!table.out().exists());
    for (agent, word) in [("cmd:", "needs a command line"), ("cmd:a 'b", "quote")] {
        let output = table
            .command(&[agent.to_owned(), "random".to_owned()], "--games 2")
            .assert()
            .code(2)
            .get_output()
            .clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains(word), "{error}");
    }
}
