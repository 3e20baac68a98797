//! `giuthi-train bench`: what it reports. That both sides compute the same it says itself, by failing where they do not.

use std::process::Output;

use assert_cmd::Command;
use tempfile::tempdir;

const KEYS: [&str; 9] = [
    "batch_ratio",
    "evals_per_s",
    "float_evals_per_s",
    "libtorch_batch_per_s",
    "libtorch_best_batch",
    "libtorch_single_per_s",
    "mean_error",
    "single_ratio",
    "worst_error",
];

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    command.env_remove("LD_LIBRARY_PATH").arg("bench").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn it_reports_every_figure() {
    let output = bench(&["--json", "--rounds", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report.keys().collect::<Vec<_>>(), KEYS);
    let number = |key: &str| report[key].as_f64().unwrap();
    for key in KEYS {
        assert!(number(key) > 0.0, "{key}: {}", number(key));
    }
    assert!(number("mean_error") <= number("worst_error") && number("worst_error") < 0.02, "{report:?}");
    let ratio = number("evals_per_s") / number("libtorch_single_per_s");
    assert!((number("single_ratio") / ratio - 1.0).abs() < 1e-9, "{report:?}");
    assert!(number("libtorch_best_batch") >= 64.0, "{report:?}");
}

/// The network of a file, as a table for people.
#[test]
fn people_read_a_table_of_their_own_network() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("net.safetensors");
    let path = path.to_str().unwrap();
    let missing = bench(&["--net", path]);
    assert_eq!(missing.status.code(), Some(1));
    let error = text(&missing.stderr);
    assert!(error.starts_with(&format!("giuthi-train: {path}: ")) && error.lines().count() == 1, "{error}");

    let network = giuthi_train::bench::fresh().unwrap();
    network.save(path.as_ref()).unwrap();
    let output = bench(&["--net", path, "--rounds", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert_eq!(table.lines().count(), KEYS.len(), "{table}");
    let length = |line: &str| line.chars().count();
    let lengths: Vec<usize> = table.lines().map(length).collect();
    assert!(lengths.iter().all(|&length| length == lengths[0]), "{table}");
    assert!(table.contains("faster than libtorch one at a time"), "{table}");
}

#[test]
fn bad_usage_is_refused() {
    for arguments in [["--rounds", "0"], ["--threads", "0"], ["--rows", "5"]] {
        let output = bench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{arguments:?}");
    }
}
