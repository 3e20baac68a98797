//! Networks in other forms.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use giuthi_engine::Network;
use giuthi_engine::net::{FeatureSet, Header, Quantised, Weights};
use giuthi_engine::rng::game_rng;
use giuthi_train::export::{Form, POSITIONS, onnx, positions, seen, write};
use rand::RngExt;
use serde_json::Value;
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

const FORMS: [Form; 4] = [Form::Onnx, Form::TorchScript, Form::Quantised, Form::Values];

#[test]
fn every_form_is_read_back_and_gives_the_values() {
    let dir = tempdir().unwrap();
    for (width, layers) in [(5, [3, 1]), (6, [64, 16]), (8, [128, 32]), (10, [33, 50])] {
        let network = network(width, layers);
        let positions = positions(width, 200);
        for form in FORMS {
            let path = dir.path().join(format!("{width}.{}", form.name()));
            let written = write(&network, form, &path, &positions).unwrap();
            let bytes = fs::read(&path).unwrap();
            assert_eq!((written.form, written.bytes, written.positions), (form, bytes.len(), 200));
            assert_eq!(written.sha256.len(), 64);
            let most = if form == Form::Quantised { 0.1 } else { 1e-5 };
            assert!(written.worst <= most, "{form}: {}", written.worst);
            // The same network, the same bytes, whatever the file is called.
            let again = dir.path().join(format!("again-{}", form.name()));
            assert_eq!(write(&network, form, &again, &positions).unwrap().sha256, written.sha256, "{form}");
        }
        let read = Quantised::load(&dir.path().join(format!("{width}.quantised"))).unwrap();
        let table = fs::read_to_string(dir.path().join(format!("{width}.values"))).unwrap();
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        let rows: Vec<(String, f32, f32)> = rows.deserialize().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 200);
        for ((text, value, quantised), position) in rows.into_iter().zip(&positions) {
            assert_eq!(text, position.to_string());
            assert_eq!(value.to_bits(), network.value(position).to_bits());
            assert_eq!(quantised.to_bits(), read.value(position).to_bits());
        }
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 5 * FORMS.len(), "nothing else is left");
}

#[test]
fn the_positions_are_of_games_of_all_sizes_and_both_players() {
    for width in [5, 8, 10] {
        let positions = positions(width, POSITIONS);
        assert_eq!(positions.len(), POSITIONS);
        let different: BTreeSet<String> = positions.iter().map(ToString::to_string).collect();
        assert!(different.len() > POSITIONS * 9 / 10, "{}", different.len());
        for player in 0..2 {
            let of = positions.iter().filter(|position| position.to_move().index() == player).count();
            assert!(of > POSITIONS / 4, "{of} of player {player}");
        }
        assert!(positions.iter().any(|position| seen(position).0.iter().any(|&seeds| seeds > 23)));
        assert!(positions.iter().any(|position| seen(position).1 < -8));
    }
}

/// What the file says is run, not what was meant: a changed operator shows.
#[test]
fn an_onnx_file_of_another_graph_does_not_give_the_values() {
    let network = network(5, [8, 4]);
    let positions = positions(5, 50);
    let bytes = onnx::to_bytes(&network);
    let wanted: Vec<f32> = positions.iter().map(|position| network.value(position)).collect();
    let near = |bytes: &[u8]| {
        onnx::values(bytes, &positions)
            .is_some_and(|found| found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-5))
    };
    assert!(near(&bytes));
    for (from, to) in [("Clip", "Sign"), ("Add", "Sub"), ("transB", "transA"), ("pits-sum", "pits-som")] {
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..][..to.len()].copy_from_slice(to.as_bytes());
        assert!(!near(&bytes), "{from} became {to}");
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
    assert!(output.stdout.starts_with(b"made/net.onnx: network for rows of 6 pits as ONNX, read back"));
    let bytes = fs::read(dir.path().join("made/net.onnx")).unwrap();
    assert!(onnx::holds(&bytes, &network));
    Quantised::new(&network).save(&dir.path().join("net.giuthiq")).unwrap();
    let weights = fs::read(dir.path().join("net.safetensors")).unwrap();
    for (arguments, code, word) in [
        ("net.safetensors --onnx made/net.onnx", 1, "--force"),
        ("net.safetensors --quantised other.q --onnx made/net.onnx", 1, "--force"),
        ("none.safetensors --onnx other.onnx", 1, "none.safetensors"),
        ("made/net.onnx --onnx other.onnx", 1, "safetensors"),
        ("net.giuthiq --onnx other.onnx", 1, "a quantised network"),
        ("net.safetensors", 2, "--onnx"),
        ("net.safetensors --onnx other.onnx --values ./other.onnx", 2, "another form"),
        ("net.safetensors --force --quantised ../{}/net.safetensors", 2, "the weights themselves"),
    ] {
        let arguments = arguments.replace("{}", dir.path().file_name().unwrap().to_str().unwrap());
        let output = export(dir.path(), &arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.lines().count() == 1 && error.contains(word), "{arguments}: {error}");
    }
    assert!(!dir.path().join("other.onnx").exists() && !dir.path().join("other.q").exists());
    assert_eq!(fs::read(dir.path().join("made/net.onnx")).unwrap(), bytes);
    assert_eq!(fs::read(dir.path().join("net.safetensors")).unwrap(), weights);
    let all = "net.safetensors --json --force --onnx made/net.onnx --torchscript net.pt --quantised q --values v.csv";
    let output = export(dir.path(), all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let told: Vec<_> =
        lines.iter().map(|line| (line["form"].as_str().unwrap(), line["file"].as_str().unwrap())).collect();
    let wanted =
        [("onnx", "made/net.onnx"), ("torchscript", "net.pt"), ("quantised", "q"), ("values", "v.csv")];
    assert_eq!(told, wanted);
    for line in lines {
        assert_eq!((line["width"].as_u64(), line["positions"].as_u64()), (Some(6), Some(1000)), "{line}");
        let path = dir.path().join(line["file"].as_str().unwrap());
        assert_eq!(line["bytes"].as_u64(), Some(fs::metadata(path).unwrap().len()), "{line}");
    }
    assert_eq!(fs::read(dir.path().join("made/net.onnx")).unwrap(), bytes);
}

#[test]
fn what_cannot_be_written_is_an_error_and_leaves_nothing() {
    let dir = tempdir().unwrap();
    let network = network(5, [4, 4]);
    for form in FORMS {
        let path = dir.path().join("missing").join(form.name());
        let error = write(&network, form, &path, &positions(5, 10)).unwrap_err().to_string();
        assert!(error.contains(form.name()), "{error}");
        assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
    }
}
