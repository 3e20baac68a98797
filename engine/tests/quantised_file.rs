//! The file of a quantised network: what it holds, that agents take it, and which files are refused.

mod clocks;
mod networks;
mod positions;

use std::path::{Path, PathBuf};

use giuthi_engine::agent::AgentSpec;
use giuthi_engine::net::{
    Kernel, MAX_LAYER, NetError, Network, QUANTISED_MAGIC, QUANTISED_VERSION, Quantised,
};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Game, Position, Variant};
use rand::RngExt;
use sha2::{Digest, Sha256};

/// A folder with the file of a small network in it.
fn good_file(width: usize, layers: [usize; 2]) -> (tempfile::TempDir, PathBuf, Network) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("net.giuthiq");
    let network = networks::trained_like(width, layers, &mut game_rng(60, width as u64));
    Quantised::new(&network).save(&path).expect("written");
    (folder, path, network)
}

/// The bytes with their checksum made right again.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len() - 32];
    [body, &Sha256::digest(body)[..]].concat()
}

fn refusal(path: &Path, bytes: &[u8]) -> NetError {
    std::fs::write(path, bytes).expect("written");
    let error = Quantised::load(path).expect_err("refused");
    let line = error.to_string();
    assert!(line.starts_with(&format!("{}: ", path.display())) && line.lines().count() == 1, "{line}");
    assert!(!line.contains(char::is_control) && line.len() < 2000, "{line:?}");
    error
}

#[test]
fn a_saved_network_gives_the_same_bits() {
    for (width, layers) in [(5, [1, 1]), (6, [MAX_LAYER, 2]), (8, [128, 32]), (9, [31, 17]), (10, [33, 50])] {
        let (folder, path, network) = good_file(width, layers);
        let weights = folder.path().join("net.safetensors");
        network.save(&weights).expect("written");
        let rounded = Quantised::new(&network);
        let (read, from_weights) =
            (Quantised::load_for(&path, width).unwrap(), Quantised::load(&weights).unwrap());
        assert_eq!(read.header(), network.header());
        assert_eq!(read.to_bytes().unwrap(), std::fs::read(&path).unwrap());
        let mut rng = game_rng(61, width as u64);
        let mut values = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let position = positions::scattered(width, 255, 2 * width, &mut rng);
            let wanted = rounded.value(&position).to_bits();
            values.insert(wanted);
            for network in [&read, &from_weights] {
                for kernel in Kernel::ALL {
                    assert_eq!(network.value_by(kernel, &position).to_bits(), wanted, "{position}");
                }
            }
        }
        assert!(values.len() > 20, "the positions differ");
        assert!(std::fs::read_dir(folder.path()).unwrap().count() == 2, "nothing is left beside them");
    }
}

/// The value that a file gives, worked out from the bytes alone and in 64 bits but for where float32 is told.
fn value_of_bytes(bytes: &[u8], position: &Position) -> f32 {
    let number = |at: usize| u32::from_le_bytes(bytes[at..][..4].try_into().unwrap()) as usize;
    let [width, first, second] = [16, 20, 24].map(number);
    let mut at = 28;
    for _ in 0..3 {
        at += 4 + number(at);
    }
    at = at.next_multiple_of(4);
    let mut numbers = |count: usize, size: usize| -> Vec<[u8; 4]> {
        let part = &bytes[at..][..count * size];
        at += count * size;
        part.chunks_exact(size)
            .map(|number| std::array::from_fn(|byte| *number.get(byte).unwrap_or(&0)))
            .collect()
    };
    let wide = |bytes: [u8; 4]| i64::from(i32::from_le_bytes(bytes));
    let narrow = |bytes: &[u8; 4]| i64::from(i16::from_le_bytes([bytes[0], bytes[1]]));
    let bias: Vec<i64> = numbers(second, 4).into_iter().map(wide).collect();
    let step: Vec<f32> = numbers(second, 4).into_iter().map(f32::from_le_bytes).collect();
    let output: Vec<f32> = numbers(3 * second, 4).into_iter().map(f32::from_le_bytes).collect();
    let output_bias: Vec<f32> = numbers(3, 4).into_iter().map(f32::from_le_bytes).collect();
    let steps: Vec<i64> = numbers(first, 2).iter().map(narrow).collect();
    let lead: Vec<i64> = numbers(first, 2).iter().map(narrow).collect();
    let input: Vec<i64> = numbers(2 * width * 24 * first, 2).iter().map(narrow).collect();
    let hidden: Vec<i64> = numbers(second * first, 2).iter().map(narrow).collect();
    assert_eq!(at + 32, bytes.len());
    let pits = position.board().pits();
    let own = if position.to_move().index() == 0 { width } else { 0 };
    let units: Vec<i64> = (0..first)
        .map(|unit| {
            let seen = (0..2 * width).map(|pit| {
                let seeds = usize::from(pits[(own + pit) % (2 * width)]).min(23);
                input[(24 * pit + seeds) * first + unit]
            });
            let by_lead = (i64::from(position.lead()) * 128 * lead[unit] + 16384).div_euclid(32768);
            (seen.sum::<i64>() + by_lead).clamp(0, steps[unit])
        })
        .collect();
    let mut lanes = [[0.0f32; 16]; 3];
    for unit in 0..second {
        let row = &hidden[unit * first..][..first];
        let sum = bias[unit] + row.iter().zip(&units).map(|(weight, unit)| weight * unit).sum::<i64>();
        let active = (sum as f32 * step[unit]).clamp(0.0, 1.0);
        for (result, lanes) in lanes.iter_mut().enumerate() {
            lanes[unit % 16] += active * output[result * second + unit];
        }
    }
    let logits: Vec<f32> = (0..3)
        .map(|result| {
            let mut sums = lanes[result].to_vec();
            let half: Vec<f32> = (0..8).map(|lane| sums[lane] + sums[lane + 8]).collect();
            sums = half.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            ((sums[0] + sums[1]) + (sums[2] + sums[3])) + output_bias[result]
        })
        .collect();
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let odds: Vec<f64> = logits.iter().map(|logit| f64::from(logit - top).exp()).collect();
    ((odds[0] - odds[2]) / odds.iter().sum::<f64>()) as f32
}

#[test]
fn the_bytes_say_what_the_value_is() {
    for (width, layers) in [(5, [3, 2]), (6, [20, 9]), (10, [40, 33])] {
        let (_folder, path, _) = good_file(width, layers);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(&bytes[..8], b"GIUTHI-Q");
        let network = Quantised::load(&path).unwrap();
        let mut rng = game_rng(62, width as u64);
        for _ in 0..100 {
            let position = positions::scattered(width, 255, 2 * width, &mut rng);
            let (found, wanted) = (network.value(&position), value_of_bytes(&bytes, &position));
            // The softmax alone is not the system's.
            assert!((found - wanted).abs() < 1e-5, "{position}: {found}, not {wanted}");
        }
    }
}

#[test]
fn agents_take_either_file_and_play_the_same() {
    let (folder, path, network) = good_file(5, [12, 7]);
    // Without a name that says what it is: the first bytes tell.
    let weights = folder.path().join("weights");
    network.save(&weights).unwrap();
    let renamed = folder.path().join("integers");
    std::fs::rename(&path, &renamed).unwrap();
    for spec in ["net:", "ab:depth=3,net=", "mcts:sims=60,net="] {
        let play = |path: &Path| -> Vec<String> {
            let spec: AgentSpec = format!("{spec}{}", path.display()).parse().unwrap();
            let mut agent = spec.load(5).unwrap()();
            let mut game = Game::new("2x5x4".parse::<Variant>().unwrap());
            let (mut rng, clock) = (game_rng(63, 0), clocks::Ticking::default());
            let mut told = Vec::new();
            while game.ending().is_none() && told.len() < 12 {
                let choice = agent.choose(&game, &mut giuthi_engine::agent::Request::new(&mut rng, &clock));
                told.push(format!("{} {:?}", choice.mv, choice.value));
                game.play(choice.mv).unwrap();
            }
            told
        };
        assert_eq!(play(&renamed), play(&weights), "{spec}");
        let wide: AgentSpec = format!("{spec}{}", renamed.display()).parse().unwrap();
        let line = wide.load(8).err().expect("another width").to_string();
        assert!(line.contains("rows of 5 pits cannot judge rows of 8"), "{line}");
    }
}

#[test]
fn a_cut_or_damaged_file_is_refused() {
    let (_folder, path, _) = good_file(5, [3, 2]);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
        let error = refusal(&path, &whole[..length]);
        assert!(matches!(error, NetError::Damaged { .. }), "{length}: {error}");
    }
    let longer = [&whole[..], &[0]].concat();
    let error = refusal(&path, &longer).to_string();
    assert!(error.contains(&format!("{} bytes of {}", longer.len(), whole.len())), "{error}");
    // Any bit of the numbers or the checksum; one in the head may be taken for another version.
    let mut rng = game_rng(64, 0);
    for _ in 0..200 {
        let mut bytes = whole.clone();
        let at = rng.random_range(16..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
        let error = refusal(&path, &bytes);
        assert!(
            matches!(error, NetError::Damaged { .. }) && error.to_string().contains("SHA-256"),
            "{error}"
        );
    }
    for at in 0..16 {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        refusal(&path, &bytes);
    }
}

/// Files with a right checksum and wrong contents.
#[test]
fn a_foreign_file_is_refused() {
    let (_folder, path, _) = good_file(5, [3, 2]);
    let whole = std::fs::read(&path).unwrap();
    let text = whole.windows(11).position(|part| part == b"pits24-lead").unwrap();
    let refused = |what: &str, tamper: &dyn Fn(&mut Vec<u8>), words: &str| {
        let mut bytes = whole.clone();
        tamper(&mut bytes);
        let line = refusal(&path, &sealed(&bytes)).to_string();
        assert!(line.contains(words), "{what}: `{line}` does not say `{words}`");
    };
    let put = |at: usize, number: u32| {
        move |bytes: &mut Vec<u8>| bytes[at..][..4].copy_from_slice(&number.to_le_bytes())
    };
    refused("version", &put(8, QUANTISED_VERSION + 1), "version 2 of the quantised file, not 1");
    refused("length", &put(12, u32::MAX), "bytes of 4294967295");
    for width in [0, 4, 11, u32::MAX] {
        refused("width", &put(16, width), "5 to 10 are possible");
    }
    for at in [20, 24] {
        for size in [0, 1025, u32::MAX] {
            refused("layers", &put(at, size), "1 to 1024 are possible");
        }
    }
    refused("another width", &put(16, 6), "bytes for a network of");
    refused("another layer", &put(20, 4), "bytes for a network of");
    for length in [12, 60_000, u32::MAX] {
        refused("a text's length", &put(text - 4, length), "");
    }
    refused("features", &|bytes| bytes[text + 4] = b'5', "known: pits24-lead");
    refused("no text", &|bytes| bytes[text] = 0xff, "a text in its head is none");
    // Numbers from the end: the checksum, 6 + 720 + 3 + 3 of two bytes, 3 + 6 + 2 + 2 of four.
    let narrow = whole.len() - 32 - 2 * (6 + 720 + 3 + 3);
    let wide = narrow - 4 * (3 + 6 + 2 + 2);
    let steps =
        |steps: i16| move |bytes: &mut Vec<u8>| bytes[narrow..][..2].copy_from_slice(&steps.to_le_bytes());
    for bad in [0, -1, 4097] {
        refused("steps", &steps(bad), "`input.steps` at 0: 1 to 4096 is possible");
    }
    let float = |at: usize, number: f32| {
        move |bytes: &mut Vec<u8>| bytes[wide + 4 * at..][..4].copy_from_slice(&number.to_le_bytes())
    };
    for number in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused("step", &float(2, number), "`hidden.step` at 0: a finite number above 0");
    }
    for number in [1.1e30, f32::NAN, f32::NEG_INFINITY] {
        refused("output", &float(4, number), "`output.weight` at 0: -1e30 to 1e30");
        refused("output", &float(12, number), "`output.bias` at 2: -1e30 to 1e30");
    }
    let fill = |from: usize, to: usize, number: i16| {
        move |bytes: &mut Vec<u8>| {
            for place in bytes[from..to].chunks_exact_mut(2) {
                place.copy_from_slice(&number.to_le_bytes());
            }
        }
    };
    let input = narrow + 2 * 6;
    refused("input", &fill(input, input + 2 * 720, i16::MAX), "of the first layer reach");
    refused("bias", &put(wide, i32::MAX as u32), "of the second layer reach");
    // And what is good is read.
    std::fs::write(&path, sealed(&whole)).unwrap();
    Quantised::load(&path).unwrap();
    assert_eq!(whole, sealed(&whole));
}

#[test]
fn either_loader_says_what_the_other_file_is() {
    let (folder, path, network) = good_file(5, [3, 2]);
    let line = Network::load(&path).unwrap_err().to_string();
    assert!(line.contains("a quantised network"), "{line}");
    let weights = folder.path().join("net.safetensors");
    network.save(&weights).unwrap();
    assert_eq!(Quantised::load(&weights).unwrap().header(), network.header());
    std::fs::write(&weights, QUANTISED_MAGIC).unwrap();
    let line = Quantised::load(&weights).unwrap_err().to_string();
    assert!(line.contains("not a whole quantised network"), "{line}");
}

#[cfg(unix)]
#[test]
fn only_an_ordinary_file_of_a_possible_size_is_read() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let (pipe, large) = (dir.path().join("pipe"), dir.path().join("large"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut file = std::fs::File::create(&large).unwrap();
    file.write_all(&QUANTISED_MAGIC).unwrap();
    file.set_len(1 << 33).unwrap();
    for (path, word) in
        [(&*pipe, "not an ordinary file"), (&large, "larger than any network"), (dir.path(), "directory")]
    {
        let error = Quantised::load(path).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn a_header_too_long_to_be_read_again_is_not_written() {
    let network = networks::network(5, [1, 1], &mut game_rng(65, 0));
    let with = |length: usize| {
        let mut header = network.header().clone();
        header.trained_on = "x".repeat(length);
        Quantised::new(&Network::new(header, network.weights().clone()).unwrap())
    };
    assert!(with(1 << 16).to_bytes().is_ok());
    let line = with((1 << 16) + 1).to_bytes().unwrap_err().to_string();
    assert!(line.contains("65536 bytes"), "{line}");
}
