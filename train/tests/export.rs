//! Networks in other forms.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, Weights};
use giuthi_engine::rng::game_rng;
use giuthi_train::export::{onnx, write_onnx};
use rand::RngExt;
use tempfile::tempdir;

fn network(width: usize, layers: [usize; 2]) -> Network {
    let mut rng = game_rng(1, width as u64);
    let features = FeatureSet::Pits24Lead;
    let mut drawn = |count: usize| -> Vec<f32> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let [first, second] = layers;
    let weights = Weights {
        input: drawn(features.categories(width) * first),
        lead: drawn(first),
        input_bias: drawn(first),
        hidden: drawn(second * first),
        hidden_bias: drawn(second),
        output: drawn(3 * second),
        output_bias: drawn(3),
    };
    let (trained_on, program) = ("nothing".to_owned(), "a test".to_owned());
    Network::new(Header { width, features, layers, trained_on, program }, weights).unwrap()
}

#[test]
fn an_onnx_file_holds_its_network_and_no_other() {
    for (width, layers) in [(5, [1, 1]), (8, [128, 32]), (10, [17, 5])] {
        let network = network(width, layers);
        let bytes = onnx::to_bytes(&network);
        assert!(onnx::holds(&bytes, &network));
        let mut weights = network.weights().clone();
        *weights.output_bias.last_mut().unwrap() += 1e-6;
        assert!(!onnx::holds(&bytes, &Network::new(network.header().clone(), weights).unwrap()));
        let header = Header { trained_on: "something".to_owned(), ..network.header().clone() };
        assert!(!onnx::holds(&bytes, &Network::new(header, network.weights().clone()).unwrap()));
        for cut in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(!onnx::holds(&bytes[..cut], &network), "cut to {cut}");
        }
    }
}

/// Runs `giuthi-train export` in a folder.
fn export(dir: &Path, arguments: &str) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    command.env_remove("LD_LIBRARY_PATH").current_dir(dir);
    command.arg("export").args(arguments.split_whitespace()).output().unwrap()
}

#[test]
fn the_command_writes_the_file_and_overwrites_none() {
    let dir = tempdir().unwrap();
    let network = network(6, [16, 8]);
    network.save(&dir.path().join("net.safetensors")).unwrap();
    let output = export(dir.path(), "net.safetensors --onnx made/net.onnx");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.starts_with(b"made/net.onnx: network for rows of 6 pits"));
    let bytes = fs::read(dir.path().join("made/net.onnx")).unwrap();
    assert!(onnx::holds(&bytes, &network));
    for (arguments, code, word) in [
        ("net.safetensors --onnx made/net.onnx", 1, "--force"),
        ("none.safetensors --onnx other.onnx", 1, "none.safetensors"),
        ("made/net.onnx --onnx other.onnx", 1, "safetensors"),
        ("net.safetensors", 2, "--onnx"),
    ] {
        let output = export(dir.path(), arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.lines().count() == 1 && error.contains(word), "{arguments}: {error}");
    }
    assert!(!dir.path().join("other.onnx").exists());
    assert_eq!(fs::read(dir.path().join("made/net.onnx")).unwrap(), bytes);
    assert!(export(dir.path(), "net.safetensors --onnx made/net.onnx --force").status.success());
}

#[test]
fn what_cannot_be_written_is_an_error_and_leaves_nothing() {
    let dir = tempdir().unwrap();
    let network = network(5, [4, 4]);
    let path = dir.path().join("missing/net.onnx");
    let error = write_onnx(&network, &path).unwrap_err().to_string();
    assert!(error.contains("net.onnx"), "{error}");
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
}
