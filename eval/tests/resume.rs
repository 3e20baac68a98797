//! Tournaments that were cut off and gone on with, and such as were played in shards: each pair once, and the files of one
//! that was played at a stretch on one machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, Weights};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

const AGENTS: &str = "--variant 2x5x4 --agent random --agent greedy --agent ab:depth=2 --seed 7";

fn eval(arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    command.args(arguments.split_whitespace());
    command
}

fn tournament(arguments: &str, out: &Path) -> Command {
    let mut command = eval(&format!("tournament {AGENTS} {arguments}"));
    command.arg("--out").arg(out);
    command
}

/// The one line of an error.
fn refused(command: &mut Command, code: i32) -> String {
    let output = command.assert().code(code).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

/// A file of games without its times.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        let mut columns = line.rsplitn(4, ',');
        let fault = columns.next().unwrap();
        format!("{},{fault}\n", columns.nth(2).unwrap())
    };
    text.lines().map(line).collect()
}

/// All that a finished tournament leaves, without times.
fn files(folder: &Path) -> [String; 3] {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["games.csv", "ratings.csv", "report.html", "tournament.json"]);
    [without_times(&read("games.csv")), read("ratings.csv"), read("tournament.json")]
}

/// The tables without the last column of the first, ms/move.
fn table(output: &[u8]) -> String {
    let text = String::from_utf8(output.to_vec()).unwrap();
    let (ratings, rest) = text.split_once("\n\n").unwrap();
    let row = |line: &str| line.rsplitn(3, '|').nth(2).unwrap_or("").to_owned() + "\n";
    ratings.lines().map(row).collect::<String>() + rest
}

struct Whole {
    folder: TempDir,
    table: String,
}

impl Whole {
    fn play(arguments: &str) -> Whole {
        let folder = tempdir().unwrap();
        let output =
            tournament(arguments, &folder.path().join("whole")).assert().success().get_output().clone();
        Whole { folder, table: table(&output.stdout) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn is_the_same(&self, name: &str) {
        assert_eq!(files(&self.path(name)), files(&self.path("whole")));
    }
}

#[test]
fn a_killed_tournament_is_gone_on_with_to_the_same_files() {
    let whole = Whole::play("--games 400 --jobs 2");
    let out = whole.path("cut");
    let arguments = format!("tournament {AGENTS} --games 400 --jobs 2 --resume");
    // Killed a few times where it happens to be, and once more in the middle of a row.
    for kill in 0..4 {
        let mut child = Process::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"))
            .args(arguments.split_whitespace())
            .arg("--out")
            .arg(&out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(30 + 10 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
        let partial = out.join("games.csv.partial");
        if let Ok(text) = fs::read_to_string(&partial)
            && text.len() > 3000
        {
            fs::write(&partial, &text[..text.len() - 100 * kill as usize]).unwrap();
        }
    }
    let output = tournament("--games 400 --jobs 1 --resume", &out).assert().success().get_output().clone();
    assert_eq!(table(&output.stdout), whole.table);
    whole.is_the_same("cut");
    // Once more: nothing is left to do, and it says what came of it.
    let output = tournament("--games 400 --resume", &out).assert().success().get_output().clone();
    assert_eq!(table(&output.stdout), whole.table);
    assert!(String::from_utf8(output.stderr).unwrap().contains("everything is there already"));
    whole.is_the_same("cut");
}

/// Every place where the file of games can have been cut off.
#[test]
fn whatever_was_written_of_a_row_is_no_harm() {
    let whole = Whole::play("--games 4 --jobs 1");
    let text = fs::read_to_string(whole.path("whole").join("games.csv")).unwrap();
    let json = fs::read(whole.path("whole").join("tournament.json")).unwrap();
    let step = text.len() / 40;
    for cut in (0..text.len()).step_by(step).chain([text.len() - 1, text.len()]) {
        let name = format!("cut-{cut}");
        let out = whole.path(&name);
        fs::create_dir(&out).unwrap();
        fs::write(out.join("games.csv.partial"), &text[..cut]).unwrap();
        fs::write(out.join("tournament.json"), &json).unwrap();
        tournament("--games 4 --resume", &out).assert().success();
        whole.is_the_same(&name);
        // What was whole is kept, times and all.
        let kept = text[..cut].matches('\n').count().saturating_sub(1) / 2 * 2 + 1;
        let kept: String = text.split_inclusive('\n').take(if cut == 0 { 0 } else { kept }).collect();
        let now = fs::read_to_string(out.join("games.csv")).unwrap();
        assert!(now.starts_with(&kept[..kept.len().min(cut)]), "{cut}");
    }
}

#[test]
fn other_settings_cannot_go_on() {
    let whole = Whole::play("--games 4");
    let out = whole.path("whole");
    fs::rename(out.join("games.csv"), out.join("games.csv.partial")).unwrap();
    for (arguments, says) in [
        ("--games 6", "games is 4 there and 6 here"),
        ("--games 4 --opening-plies 5", "opening_plies is 4 there and 5 here"),
        ("--games 4 --ladder", "format is round-robin there and ladder here"),
        ("--games 4 --shard 0/2", "shard is 0/1 there and 0/2 here"),
        ("--games 4 --tc depth=1", "tc is not given there and depth=1 here"),
        ("--games 4 --decided off", "decided is 1 by 1000 nodes there and off here"),
        (
            "--games 4 --agent ab:depth=1",
            "agents is random@random greedy@greedy ab:depth=2@ab:depth=2 there and",
        ),
    ] {
        let error = refused(tournament(&format!("{arguments} --resume"), &out).env("NO_COLOR", "1"), 1);
        assert!(error.contains("tournament.json") && error.contains(says), "{error}");
    }
    // Without a seed, that of the folder is taken.
    let output = eval("tournament --variant 2x5x4 --agent random --agent greedy --agent ab:depth=2 --games 4 --resume --out")
        .arg(&out)
        .assert()
        .success()
        .get_output()
        .clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("seed 7, of the tournament begun in"));
    whole.is_the_same("whole");
}

#[test]
fn damaged_files_are_refused_with_the_line() {
    let whole = Whole::play("--games 4");
    let out = whole.path("whole");
    let text = fs::read_to_string(out.join("games.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let with = |number: usize, line: &str| {
        let mut lines = lines.clone();
        lines[number] = line;
        joined(&lines)
    };
    let fields: Vec<&str> = lines[3].split(',').collect();
    let changed = |at: usize, field: &str| {
        let mut fields = fields.clone();
        fields[at] = field;
        with(3, &fields.join(","))
    };
    let other = if fields[6] == "1-0" { "0-1" } else { "1-0" };
    for (text, says) in [
        (with(0, "game,round"), "line 1: the columns are not game,round,player0"),
        (with(3, "rubbish"), "line 4: 1 columns instead of 12"),
        (changed(0, "3"), "line 4: game 3 is one of round 0"),
        (changed(1, "1"), "line 4: game 2 is one of round 0"),
        (changed(2, "nobody"), "line 4: game 2 is one of round 0 between `random` and `ab:depth=2`"),
        (changed(4, ""), "line 4: the opening is not that of round 0"),
        (changed(5, "0cw"), "line 4: the moves do not begin with the opening"),
        (changed(6, other), "line 4: the moves do not come to what the row says"),
        (changed(8, "1"), "line 4: the number of plies"),
        (changed(9, "-1"), "line 4: ms0: `-1` is no time"),
        (changed(11, "late"), "line 4: the moves do not come to what the row says"),
        (joined(&[&lines[..3], &lines[4..]].concat()), "line 4: game 3 stands alone"),
        (joined(&[&lines[..5], &lines[3..]].concat()), "line 7: game 3 is there twice"),
    ] {
        let _ = fs::remove_file(out.join("games.csv"));
        fs::write(out.join("games.csv.partial"), &text).unwrap();
        let error = refused(&mut tournament("--games 4 --resume", &out), 1);
        assert!(error.contains("games.csv.partial") && error.contains(says), "{says}: {error}");
        assert_eq!(fs::read_to_string(out.join("games.csv.partial")).unwrap(), text, "nothing is mended");
    }
    fs::write(out.join("games.csv"), joined(&lines[..3])).unwrap();
    let error = refused(&mut tournament("--games 4 --resume", &out), 1);
    assert!(error.contains("games.csv: games 2 and 3 are missing"), "{error}");
    fs::remove_file(out.join("tournament.json")).unwrap();
    let error = refused(&mut tournament("--games 4 --resume", &out), 1);
    assert!(error.contains("tournament.json is missing"), "{error}");
}

#[test]
fn two_runs_do_not_play_one_tournament() {
    let folder = tempdir().unwrap();
    let lock = fs::File::create(folder.path().join("tournament.lock")).unwrap();
    lock.lock().unwrap();
    for resume in ["", "--resume"] {
        let error = refused(&mut tournament(&format!("--games 2 {resume}"), folder.path()), 1);
        assert!(error.contains("tournament.lock: another run is at work"), "{error}");
    }
    // Not by closing it: another test that starts a process just now has it open there for a moment too.
    lock.unlock().unwrap();
    tournament("--games 2", folder.path()).assert().success();
}

#[test]
fn shards_together_are_the_whole() {
    let whole = Whole::play("--games 30 --jobs 2");
    let mut merge = eval("merge");
    for index in 0..3 {
        let out = whole.path(&format!("shard-{index}"));
        tournament(&format!("--games 30 --resume --shard {index}/3"), &out).assert().success().stdout("");
        assert!(!out.join("ratings.csv").exists(), "a share of the games has no ratings");
        merge.arg(&out);
    }
    let output = merge.arg("--out").arg(whole.path("merged")).assert().success().get_output().clone();
    assert_eq!(table(&output.stdout), whole.table);
    whole.is_the_same("merged");

    let shard = |index: u32| whole.path(&format!("shard-{index}"));
    let merged = |folders: &[PathBuf], out: &str| {
        let mut merge = eval("merge");
        merge.args(folders).arg("--out").arg(whole.path(out));
        refused(&mut merge, 1)
    };
    let error = merged(&[shard(0), shard(1), shard(2)], "merged");
    assert!(error.contains("there is a tournament already"), "{error}");
    // One that was killed before it had written the games is begun anew.
    for name in ["games.csv", "report.html"] {
        fs::remove_file(whole.path("merged").join(name)).unwrap();
    }
    fs::write(whole.path("merged/.games.csv.1.tmp"), "game,rou").unwrap();
    let mut again = eval("merge");
    again.args([shard(0), shard(1), shard(2)]).arg("--out").arg(whole.path("merged")).assert().success();
    whole.is_the_same("merged");
    // That of another tournament, or with games in it, stays.
    let begun = whole.path("begun");
    fs::create_dir(&begun).unwrap();
    let settings = fs::read_to_string(whole.path("merged/tournament.json")).unwrap();
    for (name, text, settings) in [
        ("ratings.csv", "", settings.replace("\"games\": 30", "\"games\": 28")),
        ("games.csv.partial", "game,", settings.clone()),
    ] {
        fs::write(begun.join("tournament.json"), &settings).unwrap();
        fs::write(begun.join(name), text).unwrap();
        let error = merged(&[shard(0), shard(1), shard(2)], "begun");
        assert!(error.contains("there is a tournament already"), "{error}");
        assert_eq!(fs::read_to_string(begun.join("tournament.json")).unwrap(), settings);
    }
    let error = merged(&[shard(0), shard(2)], "out");
    assert!(error.contains("15 of 45 pairs of games are missing; the first are games 2 and 3"), "{error}");
    assert!(error.contains("not there: shard 1/3"), "{error}");
    let error = merged(&[shard(0), shard(1), shard(0)], "out");
    assert!(error.contains("shard-0 and ") && error.contains("both have games 0 and 1"), "{error}");
    let other = whole.path("other");
    tournament("--games 30 --opening-plies 5 --shard 2/3", &other).assert().success();
    let error = merged(&[shard(0), shard(1), other], "out");
    assert!(
        error.contains("different tournaments") && error.contains("opening_plies is 4 there and 5 here"),
        "{error}"
    );
    let other = whole.path("fourth");
    tournament("--games 30 --shard 2/4", &other).assert().success();
    assert!(merged(&[shard(0), other], "out").contains("of 3 shards there and of 4 here"));
    fs::rename(shard(1).join("games.csv"), shard(1).join("games.csv.partial")).unwrap();
    let error = merged(&[shard(0), shard(1), shard(2)], "out");
    assert!(error.contains("shard-1: this shard is not finished"), "{error}");
    assert!(!whole.path("out").exists());
}

/// The smallest network for rows of five pits, with a weight in it.
fn network(weight: f32) -> Network {
    let (width, features) = (5, FeatureSet::Pits24Lead);
    let origin = || "a test".to_owned();
    let header = Header { width, features, layers: [1, 1], trained_on: origin(), program: origin() };
    let weights = Weights {
        input: vec![0.0; features.categories(width)],
        lead: vec![weight],
        input_bias: vec![0.5],
        hidden: vec![1.0],
        hidden_bias: vec![0.0],
        output: vec![1.0, 0.0, -1.0],
        output_bias: vec![0.0; 3],
    };
    Network::new(header, weights).unwrap()
}

/// What the weights hold counts, and not their name alone.
#[test]
fn other_weights_under_the_same_name_cannot_go_on() {
    let folder = tempdir().unwrap();
    let (out, net) = (folder.path().join("out"), folder.path().join("best.safetensors"));
    network(1.0).save(&net).unwrap();
    let played = |shard: &str, out: &Path| {
        let flags = format!(
            "tournament --variant 2x5x4 --seed 3 --games 4 --agent random --agent net:{} --resume",
            net.display()
        );
        let mut command = eval(&flags);
        command.args(["--shard", shard, "--out"]).arg(out);
        command
    };
    played("0/1", &out).assert().success();
    let json = fs::read_to_string(out.join("tournament.json")).unwrap();
    let about: Value = serde_json::from_str(&json).unwrap();
    let bytes = fs::metadata(&net).unwrap().len();
    assert_eq!(
        (&about["files"][0]["path"], &about["files"][0]["bytes"]),
        (&net.to_str().into(), &bytes.into())
    );
    assert_eq!(about["files"][0]["sha256"].as_str().unwrap().len(), 64);
    let shards = [0, 1].map(|shard| folder.path().join(format!("shard-{shard}")));
    played("0/2", &shards[0]).assert().success();
    network(2.0).save(&net).unwrap();
    let says = format!("the content of {} is {bytes} bytes, sha256 ", net.display());
    let error = refused(&mut played("0/1", &out), 1);
    assert!(error.contains("tournament.json: another tournament") && error.contains(&says), "{error}");
    played("1/2", &shards[1]).assert().success();
    let merged = folder.path().join("merged");
    let error = refused(eval("merge").args(&shards).arg("--out").arg(&merged), 1);
    assert!(error.contains("are of different tournaments: ") && error.contains(&says), "{error}");
    // One that was begun before anybody looked at files goes on, with a warning.
    let mut old = about;
    old.as_object_mut().unwrap().remove("files");
    fs::write(out.join("tournament.json"), old.to_string()).unwrap();
    let output = played("0/1", &out).assert().success().get_output().clone();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("warning: ") && told.contains("does not say what the files of the agents held"),
        "{told}"
    );
    // An empty list says no more than none.
    old["files"] = Value::Array(Vec::new());
    fs::write(out.join("tournament.json"), old.to_string()).unwrap();
    let output = played("0/1", &out).assert().success().get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("warning: "));
    // Of shards one of which does not say it, the whole learns it from the others, and they are compared all the same.
    let silent = folder.path().join("silent");
    fs::create_dir(&silent).unwrap();
    for name in ["games.csv", "tournament.json"] {
        fs::copy(shards[0].join(name), silent.join(name)).unwrap();
    }
    let path = silent.join("tournament.json");
    let mut about: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let files = about.as_object_mut().unwrap().remove("files").unwrap();
    fs::write(&path, about.to_string()).unwrap();
    let error = refused(eval("merge").args([&silent, &shards[1], &shards[0]]).arg("--out").arg(&merged), 1);
    assert!(error.contains("are of different tournaments: ") && error.contains(&says), "{error}");
    network(1.0).save(&net).unwrap();
    fs::remove_dir_all(&shards[1]).unwrap();
    played("1/2", &shards[1]).assert().success();
    let mut command = eval("merge");
    let output = command.args([&silent, &shards[1]]).arg("--out").arg(&merged).assert().success();
    let told = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(told.contains("warning: ") && told.contains("silent/tournament.json does not say"), "{told}");
    let whole = fs::read_to_string(merged.join("tournament.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&whole).unwrap()["files"], files);
}

#[test]
fn a_cluster_tells_the_shard() {
    let folder = tempdir().unwrap();
    let played = |name: &str, flags: &str, variables: &[(&str, &str)]| {
        let out = folder.path().join(name);
        let mut command = tournament(&format!("--games 4 {flags}"), &out);
        let told = [
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_COUNT",
            "SLURM_ARRAY_TASK_MIN",
            "SLURM_ARRAY_TASK_MAX",
            "JOB_COMPLETION_INDEX",
        ];
        for name in told {
            command.env_remove(name);
        }
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let about = fs::read_to_string(out.join("tournament.json")).unwrap_or_default();
        let shard =
            about.lines().find(|line| line.contains("\"shard\"")).unwrap_or_default().trim().to_owned();
        (output.status.code(), shard, String::from_utf8(output.stderr).unwrap())
    };
    let array = [
        ("SLURM_ARRAY_TASK_ID", "1"),
        ("SLURM_ARRAY_TASK_COUNT", "3"),
        ("SLURM_ARRAY_TASK_MIN", "0"),
        ("SLURM_ARRAY_TASK_MAX", "2"),
    ];
    let (code, shard, told) = played("slurm", "--shard auto", &array);
    assert_eq!((code, &*shard), (Some(0), "\"shard\": \"1/3\","), "{told}");
    assert!(told.contains("shard 1/3, by SLURM_ARRAY_TASK_ID"), "{told}");
    let (code, shard, told) = played("index", "--shard auto --shards 2", &[("JOB_COMPLETION_INDEX", "0")]);
    assert_eq!((code, &*shard), (Some(0), "\"shard\": \"0/2\","), "{told}");
    for (flags, says) in [
        ("--shard auto", "--shard auto: neither SLURM_ARRAY_TASK_ID nor"),
        ("--shard 0/2 --shards 2", "--shards: only --shard auto asks"),
        ("--shard automatic", "or auto"),
    ] {
        let (code, _, told) = played("refused", flags, &[]);
        assert!(code == Some(2) && told.lines().count() == 1 && told.contains(says), "{told}");
    }
    assert!(!folder.path().join("refused").exists());
}
