//! `giuthi-train bench`: what it reports. That all ways compute the same it says itself, by failing where they do not.

mod support;

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
    let output = bench(&["--json", "--rounds", "1", "--only", "inference"]);
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
    let missing = bench(&["--only", "inference", "--net", path]);
    assert_eq!(missing.status.code(), Some(1));
    let error = text(&missing.stderr);
    assert!(error.starts_with(&format!("giuthi-train: {path}: ")) && error.lines().count() == 1, "{error}");

    let network = giuthi_train::bench::fresh().unwrap();
    network.save(path.as_ref()).unwrap();
    let output = bench(&["--only", "inference", "--net", path, "--rounds", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert_eq!(table.lines().count(), KEYS.len(), "{table}");
    let length = |line: &str| line.chars().count();
    let lengths: Vec<usize> = table.lines().map(length).collect();
    assert!(lengths.iter().all(|&length| length == lengths[0]), "{table}");
    assert!(table.contains("faster than libtorch one at a time"), "{table}");
}

/// The training step and the reader, on a small dataset.
#[test]
fn it_reports_fit_and_reader_on_a_dataset() {
    let dir = tempdir().unwrap();
    support::make(dir.path(), "2x6x4", "ab:depth=1", 100, 1);
    let data = dir.path().to_str().unwrap();
    let report = |only: &str| -> serde_json::Map<String, serde_json::Value> {
        let output = bench(&["--json", "--rounds", "1", "--batch", "64", "--only", only, "--data", data]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let number = |report: &serde_json::Map<String, serde_json::Value>, key: &str| {
        let number = report[key].as_f64().unwrap();
        assert!(number > 0.0, "{key}: {number}");
        number
    };
    let fit = report("fit");
    let keys = [
        "fit_batch",
        "fit_graph_rows_per_s",
        "fit_loss",
        "fit_ratio",
        "fit_ready_rows_per_s",
        "fit_rows_per_s",
    ];
    assert_eq!(fit.keys().collect::<Vec<_>>(), keys);
    let ratio = number(&fit, "fit_rows_per_s") / number(&fit, "fit_graph_rows_per_s");
    assert!((number(&fit, "fit_ratio") / ratio - 1.0).abs() < 1e-9, "{fit:?}");
    // Guessing would come to ln 3.
    assert!(number(&fit, "fit_loss") < 1.1 && number(&fit, "fit_batch") == 64.0, "{fit:?}");
    let reader = report("reader");
    assert_eq!(reader.len(), 13, "{reader:?}");
    for (ratio, rate) in [
        ("scan_ratio", "scan_rows_per_s"),
        ("stream_ratio", "stream_rows_per_core_s"),
        ("stream_zst_ratio", "stream_zst_rows_per_core_s"),
    ] {
        let wanted = number(&reader, rate) / number(&reader, "serde_rows_per_s");
        assert!((number(&reader, ratio) / wanted - 1.0).abs() < 1e-9, "{reader:?}");
    }

    let nowhere = bench(&["--only", "reader", "--data", "/nowhere/at/all"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("manifest.json"), "{}", text(&nowhere.stderr));
}

#[test]
fn bad_usage_is_refused() {
    for arguments in [["--rounds", "0"], ["--threads", "0"], ["--rows", "5"], ["--only", "all"]] {
        let output = bench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{arguments:?}");
    }
}
