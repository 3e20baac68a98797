//! Checkpoints: a fit that was stopped at any step, or killed, comes to the same bits as one that was not; damaged and
//! foreign checkpoints, and other settings, are told.

mod support;

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use giuthi_engine::agent::NoClock;
use giuthi_train::checkpoint::{CheckpointError, Checkpoints, SettingsTable};
use giuthi_train::fit::{FitError, Fitted, Observer, Settings, State, fit};
use giuthi_train::part::OnBad;
use giuthi_train::source::Source;
use giuthi_train::stream::{Stream, Streaming, Window};
use support::{READING, fit_quietly, make, read};
use tch::Device;
use tempfile::{TempDir, tempdir};

fn settings() -> Settings {
    Settings {
        epochs: 5.try_into().unwrap(),
        batch: 64.try_into().unwrap(),
        learning_rate: 0.01,
        warmup: 7,
        clip: Some(0.5),
        patience: 100.try_into().unwrap(),
        layers: [24, 8],
        seed: 1,
        ..Settings::default()
    }
}

/// Writes a checkpoint after some step and ends there.
struct StopAfter<'a>(u64, &'a Checkpoints);

impl Observer for StopAfter<'_> {
    fn wants_state(&mut self, steps: u64, _: Duration) -> bool {
        steps == self.0
    }

    fn keep(&mut self, state: &State) -> Result<(), String> {
        self.1.save(&SettingsTable::from([("a".to_owned(), "b".to_owned())]), state).unwrap();
        Err("stopped".to_owned())
    }
}

fn fit_until(
    data: &dyn Source,
    steps: u64,
    from: Option<State>,
    checkpoints: &Checkpoints,
) -> Result<Fitted, FitError> {
    fit(data, &settings(), Device::Cpu, &NoClock, from, &mut StopAfter(steps, checkpoints))
}

#[test]
fn stopped_anywhere_it_comes_to_the_same_bits() {
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "random", 60, 3);
    let data = read(&[dir.path()], &READING).unwrap();
    let whole = fit_quietly(&data, &settings()).unwrap();
    let batches = data.training.len().div_ceil(64) as u64;
    assert!(batches > 10);
    let checkpoints = Checkpoints::beside(&dir.path().join("net.safetensors"));
    // The first step, one in the middle, the last of an epoch, the first of the next, and the last of all.
    for at in [1, batches / 2, batches, batches + 1, 3 * batches + 5, 5 * batches] {
        assert!(matches!(fit_until(&data, at, None, &checkpoints), Err(FitError::Keep(_))));
        let loaded = checkpoints.load().unwrap();
        assert_eq!((loaded.state.steps, loaded.settings["a"].as_str()), (at, "b"));
        let resumed = fit_until(&data, u64::MAX, Some(loaded.state), &checkpoints).unwrap();
        assert!(resumed.network == whole.network, "stopped after step {at}");
        assert_eq!((resumed.best_epoch, &resumed.epochs.len()), (whole.best_epoch, &whole.epochs.len()));
        for (resumed, whole) in resumed.epochs.iter().zip(&whole.epochs) {
            assert_eq!(resumed.train_loss.to_bits(), whole.train_loss.to_bits());
            assert_eq!(resumed.validation_loss.to_bits(), whole.validation_loss.to_bits());
        }
        assert_eq!(resumed.calibration, whole.calibration);
        checkpoints.clear().unwrap();
    }
    assert!(matches!(checkpoints.load(), Err(CheckpointError::None(_))));
}

#[test]
fn stopped_at_the_end_of_an_epoch_of_any_length_it_tells_the_same_rates() {
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    let folder = dir.path().join("data");
    make(&folder, "2x5x4", "random", 60, 3);
    let windows = [Window { folder, weight: 0.5 }];
    let streaming = Streaming { on_bad: OnBad::Stop, threads: NonZeroUsize::MIN, buffer: Streaming::BUFFER };
    let data = Stream::open(&windows, &READING, streaming, |_, _| {}).unwrap();
    let Settings { seed, batch, .. } = settings();
    let rates = |fitted: Fitted| fitted.epochs.iter().map(|epoch| epoch.learning_rate).collect::<Vec<_>>();
    let whole = rates(fit_quietly(&data, &settings()).unwrap());
    let checkpoints = Checkpoints::beside(&dir.path().join("net.safetensors"));
    let mut steps = 0;
    for epoch in 1..=settings().epochs.get() {
        steps += data.training(seed, epoch, batch.get(), 0).count() as u64;
        fit_until(&data, steps, None, &checkpoints).unwrap_err();
        let state = checkpoints.load().unwrap().state;
        assert_eq!((state.epoch, state.steps), (epoch, steps));
        let resumed = fit_until(&data, u64::MAX, Some(state), &checkpoints).unwrap();
        assert_eq!(rates(resumed), whole, "stopped at the end of epoch {epoch}");
    }
}

#[test]
fn checkpoints_of_an_epoch_whose_data_were_changed_can_be_forgotten() {
    let dir = tempdir().unwrap();
    let checkpoints = Checkpoints::beside(&dir.path().join("net.safetensors"));
    let save = |epoch, batch, steps| {
        let state = State { epoch, batch, steps, ..State::default() };
        checkpoints.save(&SettingsTable::new(), &state).unwrap()
    };
    let before = save(1, 30, 30);
    save(2, 10, 40);
    assert_eq!(checkpoints.forget(2).unwrap(), 1);
    assert_eq!(checkpoints.files().unwrap(), [before]);
    // At the beginning of an epoch nothing of it has been seen.
    save(2, 0, 30);
    assert_eq!(checkpoints.forget(2).unwrap(), 0);
    assert_eq!(checkpoints.forget(3).unwrap(), 0);
}

#[test]
fn a_state_of_another_network_is_refused() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "random", 60, 3);
    let data = read(&[dir.path()], &READING).unwrap();
    let checkpoints = Checkpoints::beside(&dir.path().join("net.safetensors"));
    fit_until(&data, 3, None, &checkpoints).unwrap_err();
    let mut state = checkpoints.load().unwrap().state;
    state.square.pop();
    let found = state.square.len();
    match fit_until(&data, 9, Some(state), &checkpoints) {
        Err(FitError::State { found: told, wanted }) => assert_eq!((told, wanted), (found, found + 1)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_are_kept_and_a_damaged_one_is_passed_over() {
    let dir = tempdir().unwrap();
    let checkpoints = Checkpoints::beside(&dir.path().join("net.safetensors"));
    let state = |steps: u64| State {
        steps,
        sum: 0.1 + 0.2,
        numbers: vec![1.5, -0.0, f32::MIN_POSITIVE],
        mean: vec![0.1; 3],
        square: vec![0.2; 3],
        ..State::default()
    };
    let table = SettingsTable::from([("seed".to_owned(), "7".to_owned())]);
    for steps in [5, 90, 1000] {
        checkpoints.save(&table, &state(steps)).unwrap();
    }
    let files = checkpoints.files().unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!(fs::read_dir(checkpoints.folder()).unwrap().count(), 2, "nothing else is left");
    let loaded = checkpoints.load().unwrap();
    assert_eq!((&loaded.path, &loaded.state, &loaded.settings), (&files[1], &state(1000), &table));
    assert!(loaded.passed_over.is_empty());

    let whole = fs::read(&files[1]).unwrap();
    let mut damages: Vec<Vec<u8>> =
        [0, 7, 100, whole.len() - 1].map(|length| whole[..length].to_vec()).into();
    for at in (8..whole.len()).step_by(3) {
        let mut changed = whole.clone();
        // The lowest bit keeps most letters and numbers what they are: only the sum of it all can tell.
        changed[at] ^= 1;
        damages.push(changed);
    }
    for damaged in damages {
        fs::write(&files[1], damaged).unwrap();
        let loaded = checkpoints.load().unwrap();
        // A change of the names of the file or the program, which nothing rests on, does no harm.
        if loaded.path == files[1] {
            assert_eq!((loaded.state, loaded.settings), (state(1000), table.clone()));
            continue;
        }
        assert_eq!((&loaded.path, &loaded.state), (&files[0], &state(90)));
        let [error] = &loaded.passed_over[..] else { panic!("{:?}", loaded.passed_over) };
        let text = error.to_string();
        assert!(text.starts_with(&files[1].display().to_string()) && text.lines().count() == 1, "{text}");
    }
    for file in &files {
        fs::write(file, "no checkpoint").unwrap();
    }
    let error = checkpoints.load().unwrap_err().to_string();
    assert!(error.starts_with(&files[1].display().to_string()), "{error}");
}

/// `giuthi-train fit data --out OUT` in a folder, with more arguments.
fn command(dir: &Path, out: &str, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_giuthi-train"));
    let fixed = "--epochs 10 --patience 10 --batch 32 --layers 24,8 --device cpu";
    command.current_dir(dir).args(["fit", "data", "--out", out]);
    if !arguments.contains("--resume") {
        // A checkpoint's own is taken without one.
        command.args(["--seed", "1"]);
    }
    command.args(fixed.split(' ')).args(arguments.split_whitespace());
    command
}

fn run(dir: &Path, out: &str, arguments: &str) -> Output {
    command(dir, out, arguments).output().unwrap()
}

#[track_caller]
fn assert_succeeds(output: &Output) -> String {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.success(), "{error}");
    error
}

fn folder() -> TempDir {
    let dir = tempdir().unwrap();
    make(&dir.path().join("data"), "2x5x4", "random", 60, 3);
    dir
}

fn checkpoints(dir: &Path, out: &str) -> Vec<PathBuf> {
    Checkpoints::beside(&dir.join(out)).files().unwrap()
}

/// Kills a fit, as `kill -9` does, some time after its first checkpoint; whether it was still at work.
fn killed(dir: &Path, out: &str, arguments: &str, after: Duration) -> bool {
    let mut child: Child =
        command(dir, out, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while checkpoints(dir, out).is_empty() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    sleep(after);
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn killed_and_resumed_it_writes_the_same_weights() {
    let dir = folder();
    assert_succeeds(&run(dir.path(), "whole.safetensors", "--force"));
    let whole = fs::read(dir.path().join("whole.safetensors")).unwrap();
    let mut at_work = 0;
    for (number, milliseconds) in [0, 13, 31, 77].into_iter().enumerate() {
        let out = format!("killed{number}.safetensors");
        let every = "--force --checkpoint-every 7";
        at_work += u32::from(killed(dir.path(), &out, every, Duration::from_millis(milliseconds)));
        // Killed once more on the way.
        at_work +=
            u32::from(killed(dir.path(), &out, &format!("{every} --resume"), Duration::from_millis(20)));
        let told = assert_succeeds(&run(dir.path(), &out, &format!("{every} --resume")));
        assert!(told.contains("resumed from killed"), "{told}");
        assert!(fs::read(dir.path().join(&out)).unwrap() == whole, "killed {milliseconds} ms after");
        assert_eq!(checkpoints(dir.path(), &out).len(), 2);
    }
    assert!(at_work > 0, "no fit was at work when it was killed");
}

#[test]
fn killed_while_it_writes_the_weights_it_goes_on_as_well() {
    let dir = folder();
    let file = |name: &str| dir.path().join(name);
    assert_succeeds(&run(dir.path(), "net.safetensors", "--checkpoint-every 7"));
    let whole = fs::read(file("net.safetensors")).unwrap();
    let done = run(dir.path(), "net.safetensors", "--checkpoint-every 7 --resume");
    assert!(String::from_utf8_lossy(&done.stderr).contains("net.safetensors exists already"));
    // The model card is written last.
    let written = ["net.json", "net.svg", "metrics.csv", "net.safetensors"];
    for last in 1..=written.len() {
        written[..last].iter().for_each(|name| fs::remove_file(file(name)).unwrap());
        assert_succeeds(&run(dir.path(), "net.safetensors", "--checkpoint-every 7 --resume"));
        assert!(fs::read(file("net.safetensors")).unwrap() == whole);
        assert!(written.iter().all(|name| file(name).exists()));
    }
}

#[test]
fn what_a_killed_fit_left_half_written_is_cleaned_away_and_nothing_else() {
    let dir = folder();
    let file = |name: &str| dir.path().join(name);
    fs::create_dir(file("net.checkpoints")).unwrap();
    let ours = [
        ".net.safetensors.12.tmp",
        ".metrics.csv.12.tmp",
        ".net.json.12.tmp",
        ".net.svg.12.tmp",
        "net.checkpoints/.step-000000000007.safetensors.12.tmp",
    ];
    let others = [".other.safetensors.12.tmp", ".net.safetensors.tmp", "net.checkpoints/.notes.12.tmp"];
    ours.iter().chain(&others).for_each(|name| fs::write(file(name), "").unwrap());
    assert_succeeds(&run(dir.path(), "net.safetensors", ""));
    assert!(ours.iter().all(|name| !file(name).exists()));
    assert!(others.iter().all(|name| file(name).exists()));
}

#[test]
fn two_fits_do_not_write_into_one_folder() {
    let dir = folder();
    fs::create_dir(dir.path().join("nets")).unwrap();
    let other = File::open(dir.path().join("nets")).unwrap();
    other.lock().unwrap();
    let output = run(dir.path(), "nets/net.safetensors", "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.ends_with("another fit writes into nets: wait for its end, or choose another folder\n"),
        "{error}"
    );
    drop(other);
    assert_succeeds(&run(dir.path(), "nets/net.safetensors", ""));
}

#[test]
fn other_settings_are_named_all_of_them() {
    let dir = folder();
    make(&dir.path().join("more"), "2x5x4", "random", 20, 4);
    let out = "net.safetensors";
    assert_succeeds(&run(dir.path(), out, "--checkpoint-every 20"));
    let before = checkpoints(dir.path(), out);
    let other = "more --resume --force --seed 2 --lr 0.5 --clip 3 --schedule constant --lambda 0.5 --no-mirror --shuffle 50";
    let output = run(dir.path(), out, other);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{error}");
    let last = error.lines().last().unwrap();
    for named in [
        "clip was none, not 3;",
        "data was ",
        "lambda was 0, not 0.5;",
        "lr was 0.002, not 0.5;",
        "mirror was true, not false;",
        "schedule was cosine, not constant;",
        "seed was 1, not 2",
        "shuffle was ",
    ] {
        assert!(last.contains(named), "`{named}` is missing: {last}");
    }
    for same in ["epochs", "batch", "layers", "warmup", "patience", "validation"] {
        assert!(!last.contains(same), "{last}");
    }
    assert_eq!(checkpoints(dir.path(), out), before);
}

#[test]
fn what_cannot_be_resumed_is_one_line() {
    let dir = folder();
    let one_line = |arguments: &str, words: &[&str]| {
        let output = run(dir.path(), "net.safetensors", arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
        for word in words {
            assert!(error.contains(word), "{error}");
        }
    };
    one_line("--resume", &["net.checkpoints", "no checkpoint to resume from"]);
    assert_succeeds(&run(dir.path(), "net.safetensors", "--checkpoint-every 20"));
    for name in ["net.safetensors", "net.json", "net.svg", "metrics.csv"] {
        one_line("", &[" exists already", "--force"]);
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    one_line("", &["net.checkpoints holds checkpoints", "--resume", "--force"]);
    let files = checkpoints(dir.path(), "net.safetensors");
    fs::write(&files[1], "no checkpoint").unwrap();
    let told = assert_succeeds(&run(dir.path(), "net.safetensors", "--resume"));
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("net.checkpoints")).collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(
        lines[0].contains("not a whole checkpoint") && lines[0].ends_with("; going on from the one before")
    );
    assert!(lines[1].starts_with("resumed from net.checkpoints/step-"), "{told}");
    fs::write(&files[0], "").unwrap();
    for file in checkpoints(dir.path(), "net.safetensors") {
        fs::write(file, "").unwrap();
    }
    one_line("--resume --force", &["net.checkpoints/step-", "not a whole checkpoint"]);
    // To begin anew needs --force, and takes the old ones away.
    assert_succeeds(&run(dir.path(), "net.safetensors", "--force"));
    assert!(checkpoints(dir.path(), "net.safetensors").is_empty());
}
