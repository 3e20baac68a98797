//! The model card and the picture beside the weights.

mod support;

use std::collections::BTreeMap;
use std::fs;

use giuthi_train::fit::{BINS, Settings};
use giuthi_train::source::Source;
use giuthi_train::{card, curve};
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{READING, fit_quietly, make, read};
use tempfile::tempdir;

#[test]
fn the_card_says_what_the_weights_are_and_the_picture_shows_the_fit() {
    tch::set_num_threads(1);
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 100, 3);
    let data = read(&[dir.path()], &READING).unwrap();
    let settings = Settings { layers: [24, 8], epochs: 4.try_into().unwrap(), ..Settings::default() };
    let fitted = fit_quietly(&data, &settings).unwrap();
    let weights = dir.path().join("net.safetensors");
    fitted.network.save(&weights).unwrap();
    let table = BTreeMap::from([("batch".to_owned(), "512".to_owned())]);
    card::save(&dir.path().join("net.json"), &weights, &fitted, &data, &table).unwrap();

    let card: Value = serde_json::from_slice(&fs::read(dir.path().join("net.json")).unwrap()).unwrap();
    assert_eq!(card["format"], "giuthi-model-card-1");
    assert_eq!(card["program"], format!("giuthi-train {}", env!("CARGO_PKG_VERSION")));
    let hash: String =
        Sha256::digest(fs::read(&weights).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        (&card["weights"]["file"], &card["weights"]["sha256"]),
        (&"net.safetensors".into(), &hash.into())
    );
    // By hand: 240 rows of 24, the lead and a bias of 24, 8 rows of 24, 8, 3 rows of 8, 3.
    assert_eq!(card["weights"]["parameters"], 240 * 24 + 48 + 8 * 24 + 8 + 24 + 3);
    assert_eq!(card["data"]["description"], "100 games of 2x5x4 by ab:depth=1 (seed 3)");
    assert_eq!(card["data"]["fingerprint"], data.fingerprint());
    assert_eq!(card["data"]["training_rows"], data.training.len());
    assert_eq!(card["data"]["validation_rows"], data.validation.len());
    assert_eq!(card["settings"]["batch"], "512");
    let best = &fitted.epochs[fitted.best_epoch as usize - 1];
    assert_eq!(card["figures"]["best_epoch"], fitted.best_epoch);
    assert_eq!(card["figures"]["validation_loss"].as_f64().unwrap(), best.validation_loss);
    assert_eq!(card["figures"]["calibration_error"].as_f64().unwrap(), fitted.calibration.error());

    // Every validation row was predicted once, and by far not all alike.
    let rows: Vec<u64> = fitted.calibration.bins.iter().map(|bin| bin.rows).collect();
    assert_eq!(rows.iter().sum::<u64>(), data.validation.len() as u64);
    assert!(rows.len() == BINS && rows.iter().filter(|&&rows| rows > 0).count() > 3, "{rows:?}");
    let sum: f64 = fitted.calibration.bins.iter().map(|bin| bin.actual).sum();
    assert_eq!(sum, data.validation.results.iter().map(|&class| 1.0 - class as f64).sum::<f64>());

    curve::save(&dir.path().join("net.svg"), &fitted).unwrap();
    let picture = fs::read_to_string(dir.path().join("net.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns") && picture.ends_with("</svg>\n"));
    assert!(!picture.contains("href") && !picture.contains("NaN"), "it stands by itself");
}

#[test]
fn a_fingerprint_tells_data_and_reading_apart() {
    let dir = tempdir().unwrap();
    let paths: Vec<_> = ["a", "b"].map(|name| dir.path().join(name)).into();
    make(&paths[0], "2x5x4", "random", 60, 3);
    make(&paths[1], "2x5x4", "random", 60, 4);
    let of = |folders: &[usize], reading| {
        let folders: Vec<_> = folders.iter().map(|&at| paths[at].as_path()).collect();
        read(&folders, &reading).unwrap().fingerprint()
    };
    let first = of(&[0], READING);
    assert_eq!(first, of(&[0], READING));
    let mut all = vec![
        first,
        of(&[1], READING),
        of(&[0, 1], READING),
        of(&[1, 0], READING),
        of(&[0], giuthi_train::data::Reading { lambda: 0.5, ..READING }),
        of(&[0], giuthi_train::data::Reading { validation: 0.3, ..READING }),
    ];
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}
