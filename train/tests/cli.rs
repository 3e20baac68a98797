//! The `giuthi-train` program: exit codes, errors of one line, the files it writes and those it must not leave.

mod support;

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use giuthi_engine::Network;
use giuthi_train::data::{RandomRows, Reading};
use giuthi_train::fit::{FitError, Settings};
use support::{fit_quietly, make, read};
use tempfile::{TempDir, tempdir};

/// A folder that holds a small dataset, `data`.
fn folder() -> TempDir {
    let dir = tempdir().unwrap();
    make(&dir.path().join("data"), "2x5x4", "random", 50, 3);
    dir
}

/// Runs `giuthi-train fit` in a folder.
fn fit(dir: &Path, arguments: &str) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    // The program has to find libtorch by itself.
    command.env_remove("LD_LIBRARY_PATH").current_dir(dir);
    command.arg("fit").args(arguments.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The names in a folder and below it.
fn names(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() {
            names.extend(self::names(&path));
        }
    }
    names.sort();
    names
}

/// A fit that must fail, saying so in one line, and leave everything as it was.
#[track_caller]
fn assert_fails(dir: &Path, arguments: &str, code: i32, words: &[&str]) {
    let before = names(dir);
    let output = fit(dir, arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    assert_eq!(text(&output.stdout), "", "{arguments}");
    assert!(error.starts_with("giuthi-train: ") && error.lines().count() == 1, "{arguments}: {error}");
    for word in words {
        assert!(error.contains(word), "{arguments}: `{word}` is missing: {error}");
    }
    assert_eq!(names(dir), before, "{arguments}");
}

#[test]
fn a_fit_writes_weights_and_metrics_and_prints_one_line() {
    let dir = folder();
    let output = fit(dir.path(), "data --out made/on/the/way/net.safetensors --epochs 3 --seed 1");
    let (told, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{error}");

    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.starts_with("made/on/the/way/net.safetensors: epoch "), "{told}");
    assert!(told.contains("validation loss ") && told.ends_with(" %\n"), "{told}");

    assert!(!error.chars().any(|c| c.is_control() && c != '\n'), "{error:?}");
    let epochs: Vec<&str> = error.lines().filter(|line| line.starts_with("epoch ")).collect();
    assert_eq!(epochs.len(), 3, "{error}");
    assert!(epochs[0].starts_with("epoch 1/3: loss ") && epochs[0].ends_with(", best so far"), "{error}");
    assert!(error.contains(" games to train on, ") && error.contains(" games to validate, on "), "{error}");
    assert!(!error.contains("seed "), "a seed that was given is not told: {error}");
    assert!(!error.contains(" left"), "{error}");

    let out = dir.path().join("made/on/the/way");
    let network = Network::load_for(&out.join("net.safetensors"), 5).unwrap();
    assert_eq!(network.header().layers, [128, 32]);
    assert_eq!(network.header().trained_on, "50 games of 2x5x4 by random (seed 3)");
    assert_eq!(names(&out).len(), 4, "{:?}", names(&out));

    let metrics = fs::read_to_string(out.join("metrics.csv")).unwrap();
    let lines: Vec<&str> = metrics.lines().collect();
    let columns = "epoch,train_loss,validation_loss,validation_accuracy,learning_rate,samples_per_s,best";
    assert_eq!((lines[0], lines.len()), (columns, 4));
    for (number, line) in (1..).zip(&lines[1..]) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0], number.to_string());
        assert!(fields[1..6].iter().all(|field| field.parse::<f64>().unwrap() > 0.0), "{line}");
        assert!(["true", "false"].contains(&fields[6]));
    }
}

#[test]
fn the_same_seed_gives_the_same_weights_and_a_drawn_one_is_told() {
    let dir = folder();
    let weights = |arguments: &str| {
        let output = fit(dir.path(), &format!("data --epochs 1 --force --out net.safetensors {arguments}"));
        assert!(output.status.success());
        let seed =
            text(&output.stderr).lines().find_map(|line| line.strip_prefix("seed ").map(str::to_owned));
        (fs::read(dir.path().join("net.safetensors")).unwrap(), seed)
    };
    let (drawn, seed) = weights("");
    let seed = seed.expect("the seed is told");
    let (again, told) = weights(&format!("--seed {seed}"));
    assert!(again == drawn && told.is_none());
    assert!(weights("").0 != drawn);
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let dir = folder();
    let cases: [(&str, &[&str]); 7] = [
        ("data", &["--out"]),
        ("--out net.safetensors", &["DATA"]),
        ("data --out net.pt", &["--out net.pt", ".safetensors"]),
        ("data --out net.safetensors --lr 0", &["--lr", "above 0"]),
        ("data --out net.safetensors --lambda 2", &["--lambda", "from 0 to 1"]),
        ("data --out net.safetensors --layers 5", &["--layers", "128,32"]),
        ("data --out net.safetensors --device tpu", &["--device", "cpu"]),
    ];
    for (arguments, words) in cases {
        assert_fails(dir.path(), arguments, 2, words);
    }
}

#[test]
fn work_that_fails_is_one_line_and_exit_code_1() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("a-file"), "").unwrap();
    fs::create_dir(path("folder.safetensors")).unwrap();
    fs::create_dir(path("empty")).unwrap();
    fs::create_dir(path("old")).unwrap();
    fs::write(path("old/net.safetensors"), "old weights").unwrap();
    fs::create_dir(path("others")).unwrap();
    fs::write(path("others/metrics.csv"), "old metrics").unwrap();
    make(&path("few"), "2x5x4", "random", 9, 3);
    make(&path("six"), "2x6x4", "random", 25, 3);
    make(&path("damaged"), "2x5x4", "random", 25, 3);
    let part = path("damaged/part-00000.csv");
    let cut = fs::read(&part).unwrap();
    fs::write(&part, &cut[..cut.len() - 30]).unwrap();

    let cases: [(&str, &[&str]); 11] = [
        ("gone --out net.safetensors", &["gone/manifest.json"]),
        ("data gone --out new/net.safetensors", &["gone/manifest.json"]),
        ("empty --out net.safetensors", &["empty/manifest.json"]),
        ("few --out new/net.safetensors", &["9 games", "at least 10"]),
        ("data six --out net.safetensors", &["data", "six", "width"]),
        ("damaged --out net.safetensors", &["damaged/part-00000.csv, line "]),
        ("data --out old/net.safetensors", &["old/net.safetensors exists already", "--force"]),
        ("data --out others/net.safetensors", &["others/metrics.csv exists already", "--force"]),
        ("data --out folder.safetensors --force", &["folder.safetensors is a folder"]),
        ("data --out a-file/net.safetensors", &["--out a-file/net.safetensors", "a-file takes no files"]),
        ("data --out a-file/new/net.safetensors", &["a-file takes no files"]),
    ];
    for (arguments, words) in cases {
        assert_fails(dir.path(), arguments, 1, words);
    }
    if !tch::Cuda::is_available() {
        assert_fails(
            dir.path(),
            "data --out net.safetensors --device cuda",
            1,
            &["--device cuda", "LIBTORCH"],
        );
    }
    assert_eq!(fs::read(path("old/net.safetensors")).unwrap(), b"old weights");
    assert_eq!(fs::read(path("others/metrics.csv")).unwrap(), b"old metrics");

    let forced = fit(dir.path(), "data --out old/net.safetensors --force --epochs 1 --seed 1");
    assert!(forced.status.success());
    Network::load(&path("old/net.safetensors")).unwrap();
}

/// The last line of stderr, and that there is nothing on stdout.
fn last_line(output: &Output) -> String {
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
    text(&output.stderr).lines().last().unwrap().to_owned()
}

#[test]
fn training_that_diverges_is_an_error() {
    let dir = folder();
    let before = names(dir.path());
    let error = last_line(&fit(dir.path(), "data --out new/net.safetensors --lr 1e9 --seed 1"));
    let start = "giuthi-train: epoch 1, batch 2: the loss is ";
    assert!(error.starts_with(start) && error.contains("smaller learning rate"), "{error}");
    assert_eq!(names(dir.path()), before, "there is nothing worth keeping");

    // Somewhere between good and mad the first epoch is still bearable, and a later one is not.
    let reading = Reading { lambda: 0.0, validation: 0.1, random_rows: RandomRows::Keep };
    let data = read(&[&dir.path().join("data")], &reading).unwrap();
    tch::set_num_threads(1);
    let late = (0..40).map(|step| 0.5 * 1.3f64.powi(step)).find(|&learning_rate| {
        let settings = Settings {
            epochs: NonZeroU32::new(30).unwrap(),
            batch: NonZeroUsize::new(100_000).unwrap(),
            learning_rate,
            patience: NonZeroU32::new(30).unwrap(),
            seed: 1,
            ..Settings::default()
        };
        matches!(fit_quietly(&data, &settings), Err(FitError::Diverged { best: Some(_), .. }))
    });
    let rate = late.expect("some learning rate diverges late");
    let flags = format!("--seed 1 --batch 100000 --epochs 30 --patience 30 --device cpu --lr {rate}");
    let error = last_line(&fit(dir.path(), &format!("data --out net.safetensors {flags}")));
    assert!(error.contains("has diverged") && error.contains("are kept in net.safetensors"), "{error}");
    Network::load(&dir.path().join("net.safetensors")).unwrap();
    assert!(dir.path().join("metrics.csv").exists());
}

#[test]
fn a_wrong_row_stops_the_fit_or_is_skipped_with_its_game() {
    let dir = folder();
    let part = dir.path().join("data/part-00001.csv");
    let before = fs::read_to_string(&part).unwrap();
    fs::write(&part, before.replacen(",0,0,", ",0,x,", 1)).unwrap();
    assert_fails(dir.path(), "data --out net.safetensors", 1, &["data/part-00001.csv, line 2: column `"]);
    let output = fit(dir.path(), "data --out net.safetensors --epochs 1 --seed 1 --on-bad skip");
    let error = text(&output.stderr);
    assert!(output.status.success(), "{error}");
    let told: Vec<&str> = error.lines().filter(|line| line.starts_with("left out: ")).collect();
    assert_eq!(told.len(), 1, "{error}");
    let wanted = " rows of 1 games with wrong rows; the first: data/part-00001.csv, line 2: column `";
    assert!(told[0].contains(wanted), "{error}");
}

#[test]
fn a_folder_can_have_a_weight_and_a_buffer_any_size() {
    let dir = folder();
    assert_fails(dir.path(), "data@0 --out net.safetensors", 2, &["data@0", "above 0, up to 1"]);
    assert_fails(dir.path(), "gone@0.5 --out net.safetensors", 1, &["gone/manifest.json"]);
    let output = fit(
        dir.path(),
        "data@0.5 data --out net.safetensors --epochs 2 --seed 1 --shuffle 100 --reader-threads 3 --batch 64",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let network = Network::load(&dir.path().join("net.safetensors")).unwrap();
    let trained_on = "0.5 of 50 games of 2x5x4 by random (seed 3); 50 games of 2x5x4 by random (seed 3)";
    assert_eq!(network.header().trained_on, trained_on);
}

#[test]
fn a_fit_can_begin_with_the_weights_of_another() {
    let dir = folder();
    let loss = |arguments: &str, out: &str| -> f64 {
        let common = "data --epochs 1 --seed 1 --device cpu --random-rows skip --layers 16,8 --out";
        let output = fit(dir.path(), &format!("{common} {out}.safetensors {arguments}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let card = fs::read_to_string(dir.path().join(format!("{out}.json"))).unwrap();
        let card: serde_json::Value = serde_json::from_str(&card).unwrap();
        fs::remove_file(dir.path().join("metrics.csv")).unwrap();
        card["figures"]["validation_loss"].as_f64().unwrap()
    };
    let first = loss("--lr 0.05", "first");
    // A step this small leaves them as they are, to the last digits of the loss.
    assert!((loss("--lr 1e-12 --start first.safetensors", "same") - first).abs() < 1e-6);
    assert!((loss("--lr 1e-12", "drawn") - first).abs() > 1e-3);

    let out = "data --out net.safetensors --start";
    assert_fails(dir.path(), &format!("{out} gone.safetensors"), 1, &["--start: gone.safetensors"]);
    let other = ["--start first.safetensors", "layers are 16,8", "--layers 128,32"];
    assert_fails(dir.path(), &format!("{out} first.safetensors"), 2, &other);
    make(&dir.path().join("wider"), "2x6x4", "random", 50, 3);
    let wider = "wider --layers 16,8 --out net.safetensors --start first.safetensors";
    assert_fails(dir.path(), wider, 1, &["--start: first.safetensors"]);
}
