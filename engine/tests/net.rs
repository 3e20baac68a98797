//! The value network and its file: what it computes, and which files it refuses.

mod networks;
mod positions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use giuthi_engine::net::{MAX_LAYER, NetError, Weights};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Network, Position};
use rand::RngExt;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// The contents of a weights file, to be tampered with.
#[derive(Clone)]
struct Contents {
    metadata: Option<HashMap<String, String>>,
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
}

impl Contents {
    fn read(path: &Path) -> Contents {
        let bytes = std::fs::read(path).expect("the file is there");
        let (_, metadata) = SafeTensors::read_metadata(&bytes).expect("a safetensors file");
        let tensors = SafeTensors::deserialize(&bytes).expect("a safetensors file");
        let tensors = tensors
            .tensors()
            .into_iter()
            .map(|(name, tensor)| (name, tensor.dtype(), tensor.shape().to_vec(), tensor.data().to_vec()));
        Contents { metadata: metadata.metadata().clone(), tensors: tensors.collect() }
    }

    fn write(&self, path: &Path) {
        let views = self.tensors.iter().map(|(name, dtype, shape, data)| {
            (name, TensorView::new(*dtype, shape.clone(), data).expect("shape and data agree"))
        });
        let bytes = safetensors::serialize(views, self.metadata.clone()).expect("serialised");
        std::fs::write(path, bytes).expect("written");
    }

    fn tensor(&mut self, name: &str) -> &mut (String, Dtype, Vec<usize>, Vec<u8>) {
        self.tensors.iter_mut().find(|tensor| tensor.0 == name).unwrap_or_else(|| panic!("no tensor {name}"))
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let (_, dtype, _, data) = self.tensors.iter().find(|tensor| tensor.0 == name).expect(name);
        assert_eq!(*dtype, Dtype::F32);
        data.chunks_exact(4)
            .map(|bytes| f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))))
            .collect()
    }
}

fn clip(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

/// The value that a file gives a position, in double precision and from the tensors' description alone: categories
/// of the pits' seed counts from the mover's seat, the lead, two clipped layers, the odds of win, draw and loss.
fn plain_value(file: &Contents, position: &Position) -> f64 {
    let pits = position.board().pits();
    let own_first = if position.to_move().index() == 0 { pits.len() / 2 } else { 0 };
    let lead = f64::from(position.lead()) / 16.0;
    let (input, by_lead, bias) =
        (file.numbers("input.weight"), file.numbers("lead.weight"), file.numbers("input.bias"));
    let first: Vec<f64> = (0..bias.len())
        .map(|unit| {
            let mut sum = bias[unit] + lead * by_lead[unit];
            for pit in 0..pits.len() {
                let seeds = usize::from(pits[(own_first + pit) % pits.len()]);
                sum += input[(24 * pit + seeds.min(23)) * bias.len() + unit];
            }
            clip(sum)
        })
        .collect();
    let layer = |name: &str, from: &[f64]| -> Vec<f64> {
        let (weight, bias) = (file.numbers(&format!("{name}.weight")), file.numbers(&format!("{name}.bias")));
        let rows = weight.chunks_exact(from.len()).zip(bias);
        rows.map(|(row, bias)| bias + row.iter().zip(from).map(|(w, x)| w * x).sum::<f64>()).collect()
    };
    let second: Vec<f64> = layer("hidden", &first).into_iter().map(clip).collect();
    let odds: Vec<f64> = layer("output", &second).into_iter().map(f64::exp).collect();
    (odds[0] - odds[2]) / odds.iter().sum::<f64>()
}

/// A folder with a good file of a small network in it.
fn good_file(width: usize, layers: [usize; 2]) -> (tempfile::TempDir, PathBuf, Network) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("net.safetensors");
    let network = networks::network(width, layers, &mut game_rng(30, width as u64));
    network.save(&path).expect("written");
    (folder, path, network)
}

#[test]
fn a_saved_network_is_loaded_as_it_was() {
    for (width, layers) in [(5, [1, 1]), (8, [16, 8]), (10, [3, 33]), (6, [MAX_LAYER, 2])] {
        let (folder, path, network) = good_file(width, layers);
        let loaded = Network::load_for(&path, width).expect("a good file");
        assert_eq!(loaded, network);
        let file = Contents::read(&path);
        let mut keys: Vec<String> = file.metadata.expect("there is some").into_keys().collect();
        keys.sort();
        assert_eq!(keys, ["features", "format", "layers", "program", "trained-on", "variant-width"]);
        let bytes = std::fs::read(&path).expect("it is there");
        loaded.save(&path).expect("written again");
        assert_eq!(Network::load(&path).expect("a good file"), network);
        assert_eq!(std::fs::read(&path).expect("it is there").len(), bytes.len());
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "nothing is left beside it"
        );
    }
}

#[test]
fn a_network_worked_out_by_hand() {
    let header = networks::header(5, [2, 2]);
    let mut input = vec![0.0; 240 * 2];
    // The mover's own first pit holds four seeds; the opponent's last one, which is the ring's last, 23 or more.
    input[2 * 4..][..2].copy_from_slice(&[0.5, -1.0]);
    input[2 * (24 * 9 + 23)..][..2].copy_from_slice(&[-0.25, 0.25]);
    let (three, two) = (3f32.ln(), 2f32.ln());
    let weights = Weights {
        input,
        lead: vec![0.25, 0.0],
        input_bias: vec![0.5, 0.5],
        hidden: vec![2.0, 5.0, -1.0, 7.0],
        hidden_bias: vec![0.25, 0.5],
        output: vec![three, 9.0, 0.0, 9.0, 0.0, 9.0],
        output_bias: vec![0.0, two, 0.0],
    };
    let network = Network::new(header, weights).expect("the weights fit");
    // Player 0 moves and leads by 8: first layer 0.5 - 0.25 + 0.5 · 0.25 + 0.5 = 0.875 and -0.25, clipped to 0;
    // second 2 · 0.875 + 0.25 = 2, clipped to 1, and -0.375, clipped to 0. Odds 3 : 2 : 1.
    let position: Position = "0,0,0,0,30 4,0,0,0,2 8 0 0".parse().expect("a position");
    let [win, draw, loss] = network.probabilities(&position);
    for (found, expected) in [(win, 1.0 / 2.0), (draw, 1.0 / 3.0), (loss, 1.0 / 6.0)] {
        assert!((found - expected).abs() < 1e-6, "{win} {draw} {loss}");
    }
    assert!((network.value(&position) - 1.0 / 3.0).abs() < 1e-6);
    // Behind by 48 both sums of the first layer are 0 or less; the second is 0.25 and 0.5: odds
    // 3^0.25 · e^4.5 : 2 · e^4.5 : e^4.5.
    let behind: Position = "0,0,0,0,30 4,0,0,0,2 0 48 0".parse().expect("a position");
    let expected = (3f64.powf(0.25) - 1.0) / (3f64.powf(0.25) + 3.0);
    assert!((f64::from(network.value(&behind)) - expected).abs() < 1e-6);
}

#[test]
fn values_are_those_of_the_tensors_description() {
    let mut rng = game_rng(31, 0);
    let mut sum = 0.0;
    for (width, layers) in [(5, [4, 3]), (7, [1, 9]), (8, [32, 16]), (10, [130, 5])] {
        let (_folder, path, network) = good_file(width, layers);
        let file = Contents::read(&path);
        for _ in 0..60 {
            let spread = rng.random_range(1..=4 * width);
            let position = positions::scattered(width, 255, spread, &mut rng);
            let (value, plain) = (f64::from(network.value(&position)), plain_value(&file, &position));
            assert!((value - plain).abs() < 1e-5, "{position}: {value}, in double precision {plain}");
            assert!((network.probabilities(&position).iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert_eq!(
                network.value(&position.swapped()),
                network.value(&position),
                "{position}: other seat"
            );
            sum += value.abs();
        }
    }
    assert!(sum > 1.0, "all values are near 0: nothing was compared");
}

/// Even the largest weights that are taken give a value.
#[test]
fn no_weights_make_a_value_that_is_none() {
    let mut rng = game_rng(32, 0);
    let header = networks::header(6, [40, 40]);
    let mut weights = networks::weights(&header, &mut rng);
    let Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias } = &mut weights;
    for number in [input, lead, input_bias, hidden, hidden_bias, output, output_bias].into_iter().flatten() {
        *number = 1e30f32.copysign(*number);
    }
    let network = Network::new(header, weights).expect("the weights fit");
    for _ in 0..200 {
        let value = network.value(&positions::scattered(6, 255, 12, &mut rng));
        assert!((-1.0..=1.0).contains(&value), "{value}");
    }
}

#[test]
fn weights_that_make_no_network_are_refused() {
    let header = networks::header(5, [3, 2]);
    let good = networks::weights(&header, &mut game_rng(33, 0));
    let refusal = |header, weights| Network::new(header, weights).expect_err("refused").to_string();
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.1e30, -f32::MAX] {
        let mut weights = good.clone();
        weights.hidden[4] = number;
        let line = refusal(header.clone(), weights);
        assert!(line.contains("`hidden.weight`") && line.contains("at 4"), "{line}");
    }
    let mut weights = good.clone();
    weights.input.pop();
    weights.output_bias.push(0.0);
    let line = refusal(header.clone(), weights);
    for words in ["`input.weight` has 719 numbers, not 720", "`output.bias` has 4 numbers, not 3"] {
        assert!(line.contains(words), "{line}");
    }
    for layers in [[0, 2], [3, MAX_LAYER + 1], [usize::MAX, usize::MAX]] {
        assert!(refusal(networks::header(5, layers), good.clone()).contains("1 to 1024"));
    }
    for width in [4, 11, usize::MAX] {
        assert!(refusal(networks::header(width, [3, 2]), good.clone()).contains("5 to 10"));
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let (_folder, path, _) = good_file(5, [1, 1]);
    let whole = std::fs::read(&path).expect("it is there");
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("written");
        let error = Network::load(&path).expect_err("refused");
        let line = error.to_string();
        assert!(line.starts_with(&format!("{}: ", path.display())) && line.lines().count() == 1, "{line}");
        assert!(matches!(error, NetError::Damaged { .. }), "{line}");
        assert!(line.contains("not a whole safetensors file"), "{line}");
    };
    // Every length that cuts the head, and some that cut the numbers.
    let head = whole.iter().rposition(|&byte| byte == b'}').expect("a head in JSON");
    for length in (0..head + 9).chain((head + 9..whole.len()).step_by(41)) {
        refused(&whole[..length]);
    }
    refused(&[&whole[..], &[0]].concat());
    refused(b"{\"format\": \"giuthi-value-1\"}");
    refused(&[0xff; 4000]);
    let missing = path.with_file_name("missing.safetensors");
    let error = Network::load(&missing).expect_err("it is not there");
    assert!(
        matches!(error, NetError::Io { .. }) && error.to_string().contains("missing.safetensors"),
        "{error}"
    );
}

#[test]
fn what_a_refusal_quotes_is_plain_and_short() {
    let (_folder, path, _) = good_file(5, [1, 1]);
    let whole = std::fs::read(&path).expect("it is there");
    let head = 8 + u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
    let text = std::str::from_utf8(&whole[8..head]).expect("JSON");
    for odd in ["\\u001b[31m", "\u{85}", &"x".repeat(100_000)] {
        for part in ["F32", "giuthi-value-1", "lead.weight"] {
            let text = text.replacen(part, &format!("{part}{odd}"), 1);
            let length = (text.len() as u64).to_le_bytes();
            std::fs::write(&path, [&length[..], text.as_bytes(), &whole[head..]].concat()).expect("written");
            let line = Network::load(&path).expect_err("refused").to_string();
            assert!(!line.contains(char::is_control) && line.len() < 2000, "{line:?}");
        }
    }
}

/// Whatever byte of the file's head is another, the file is refused or makes a network; nothing panics.
#[test]
fn a_flipped_byte_does_no_harm() {
    let (_folder, path, _) = good_file(5, [1, 1]);
    let whole = std::fs::read(&path).expect("it is there");
    let head = whole.iter().rposition(|&byte| byte == b'}').expect("a head in JSON");
    for at in 0..=head {
        for flip in [0x01, 0x10, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            std::fs::write(&path, bytes).expect("written");
            if let Ok(network) = Network::load(&path) {
                let value = network.value(&positions::scattered(
                    network.header().width,
                    30,
                    6,
                    &mut game_rng(34, at as u64),
                ));
                assert!((-1.0..=1.0).contains(&value));
            }
        }
    }
}

#[test]
fn a_foreign_file_is_refused() {
    let (_folder, path, _) = good_file(5, [3, 2]);
    let good = Contents::read(&path);
    let refused = |what: &str, tamper: &dyn Fn(&mut Contents), words: &[&str]| {
        let mut file = good.clone();
        tamper(&mut file);
        file.write(&path);
        let error = Network::load(&path).expect_err(what);
        let line = error.to_string();
        assert!(line.starts_with(&format!("{}: ", path.display())) && line.lines().count() == 1, "{line}");
        assert!(matches!(error, NetError::Foreign { .. }), "{what}: {line}");
        for word in words {
            assert!(line.contains(word), "{what}: `{line}` does not say `{word}`");
        }
    };
    refused("no metadata", &|file| file.metadata = None, &["`format` is missing"]);
    let keys = ["format", "variant-width", "features", "layers", "trained-on", "program"];
    for key in keys {
        let gone = |file: &mut Contents| {
            file.metadata.as_mut().expect("there is some").remove(key);
        };
        refused(key, &gone, &[&format!("`{key}` is missing")]);
    }
    let settings = [
        ("format", "giuthi-value-2", "not `giuthi-value-1`"),
        ("variant-width", "4", "5 to 10"),
        ("variant-width", "11", "5 to 10"),
        ("variant-width", "five", "5 to 10"),
        ("features", "pits25", "pits24-lead"),
        ("layers", "3", "two sizes from 1 to 1024"),
        ("layers", "0,2", "two sizes from 1 to 1024"),
        ("layers", "3,1025", "two sizes from 1 to 1024"),
        ("layers", "3,2,1", "two sizes from 1 to 1024"),
        ("layers", "4,2", "shape [240, 3], not [240, 4]"),
        ("variant-width", "6", "shape [240, 3], not [288, 3]"),
    ];
    for (key, value, words) in settings {
        let set = |file: &mut Contents| {
            file.metadata.as_mut().expect("there is some").insert(key.to_owned(), value.to_owned());
        };
        refused(&format!("{key}={value}"), &set, &[words]);
    }
    let names: Vec<String> = good.tensors.iter().map(|tensor| tensor.0.clone()).collect();
    assert_eq!(names.len(), 7);
    for name in &names {
        let gone = |file: &mut Contents| file.tensors.retain(|tensor| tensor.0 != *name);
        refused("a tensor less", &gone, &[&format!("tensor `{name}` is missing")]);
        let renamed = |file: &mut Contents| file.tensor(name).0.push_str(".2");
        let words = [&*format!("`{name}.2` is unknown"), &*format!("`{name}` is missing")];
        refused("another name", &renamed, &words);
        let integers = |file: &mut Contents| file.tensor(name).1 = Dtype::I32;
        refused("integers", &integers, &[&format!("tensor `{name}` is I32, not F32")]);
        let halves = |file: &mut Contents| {
            let (_, dtype, _, data) = file.tensor(name);
            *dtype = Dtype::F16;
            data.truncate(data.len() / 2);
        };
        refused("half precision", &halves, &[&format!("tensor `{name}` is F16, not F32")]);
        let flat = |file: &mut Contents| {
            let (_, _, shape, _) = file.tensor(name);
            shape.push(1);
        };
        refused("another shape", &flat, &[&format!("tensor `{name}` has shape"), ", not ["]);
        for number in [f32::NAN, f32::INFINITY, 2e30] {
            let spoilt = |file: &mut Contents| {
                let (_, _, _, data) = file.tensor(name);
                let last = data.len() - 4;
                data[last..].copy_from_slice(&number.to_le_bytes());
            };
            refused("no number", &spoilt, &[&format!("`{name}` holds")]);
        }
    }
    let more = |file: &mut Contents| {
        file.tensors.push(("extra.weight".to_owned(), Dtype::F32, vec![1], vec![0; 4]));
    };
    refused("a tensor more", &more, &["tensor `extra.weight` is unknown"]);
    good.write(&path);
    assert!(Network::load(&path).is_ok(), "the file was good before it was tampered with");
}

#[test]
fn a_network_of_another_width_is_refused() {
    let (_folder, path, network) = good_file(5, [3, 2]);
    let error = Network::load_for(&path, 8).expect_err("refused");
    assert!(matches!(error, NetError::Width { found: 5, wanted: 8, .. }), "{error}");
    let no_folder = path.with_file_name("no").join("folder.safetensors");
    let error = network.save(&no_folder).expect_err("there is no such folder");
    assert!(
        matches!(error, NetError::Io { .. }) && error.to_string().contains("folder.safetensors"),
        "{error}"
    );
}

/// What never answers or never ends is not even opened.
#[cfg(unix)]
#[test]
fn only_an_ordinary_file_of_a_possible_size_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let (pipe, large) = (dir.path().join("pipe.safetensors"), dir.path().join("large.safetensors"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::File::create(&large).unwrap().set_len(1 << 33).unwrap();
    for (path, word) in [
        (pipe.as_path(), "not an ordinary file"),
        (Path::new("/dev/zero"), "not an ordinary file"),
        (&large, "larger than any network"),
        (dir.path(), "directory"),
    ] {
        let error = Network::load(path).unwrap_err();
        assert!(matches!(error, NetError::Io { .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}
