//! Manifests that cannot be used are refused with the reason.

mod support;

use std::fs;

use giuthi_engine::net::{FeatureSet, Header, Network, Weights};
use giuthi_selfplay::{Manifest, Settings};
use serde_json::{Value, json};
use support::{make, settings};
use tempfile::tempdir;

/// A good manifest, changed, and what is said about it.
fn said_of(change: impl FnOnce(&mut Value)) -> String {
    let dir = tempdir().unwrap();
    let report = make(&settings("2x5x4", "greedy", 6, 3), dir.path(), 1);
    let mut value = serde_json::to_value(&report.manifest).unwrap();
    change(&mut value);
    fs::write(dir.path().join("manifest.json"), value.to_string()).unwrap();
    let said = Manifest::load(dir.path()).map_or_else(|error| error.to_string(), |_| "good".to_owned());
    assert!(said == "good" || said.contains("manifest.json: "), "the file is not named: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn what_is_wrong_with_a_manifest_is_said() {
    assert_eq!(said_of(|_| {}), "good");
    assert_eq!(said_of(|value| value["written-by"] = json!("a later version")), "good");
    let said = said_of(|value| value["schema"] = json!(7));
    assert!(said.contains("schema version 7") && said.contains("version 1"), "{said}");
    for (change, words) in [
        (json!({"schema": null}), "schema version null"),
        (json!({"variant": "2x50x4"}), "`2x50x4` is not a variant"),
        (json!({"variant": 3}), "invalid type: integer `3`, expected a string"),
        (json!({"shard": "2/2"}), "write I/N"),
        (json!({"opening_plies": "9..2"}), "such as 6..12"),
        (json!({"opening_plies": "06..12"}), "`06..12` is written `6..12`"),
        (json!({"opening_plies": "3..3"}), "`3..3` is written `3`"),
        (json!({"epsilon": 1.5}), "a share from 0 to 1"),
        (json!({"seed": -1}), "invalid value: integer `-1`"),
        (json!({"games": 7}), "`games` is 7, but its parts"),
        (json!({"rows": 7}), "`rows` is 7, but its parts"),
    ] {
        let said = said_of(|value| {
            for (key, changed) in change.as_object().unwrap() {
                value[key] = changed.clone();
            }
        });
        assert!(said.contains(words), "{change}: {said}");
    }
    assert_eq!(said_of(|value| value["parts"][0]["tally"] = Value::Null), "good");
    for (key, changed, words) in [
        ("file", json!("../part-00000.csv"), "`../part-00000.csv` is not a file's name"),
        ("file", json!(".."), "`..` is not a file's name"),
        ("file", json!(""), "`` is not a file's name"),
        ("file", json!("part-00001.csv"), "`part-00001.csv` is listed twice"),
        ("sha256", json!("ABCD"), "64 hexadecimal digits"),
        ("games", json!(u64::MAX), "its parts do not sum up"),
        ("tally", json!({"results": [1, 1]}), "invalid length 2"),
    ] {
        let said = said_of(|value| value["parts"][0][key] = changed.clone());
        assert!(said.contains(words), "{key} {changed}: {said}");
    }
    for key in ["schema", "variant", "agent", "weights", "seed", "games", "parts"] {
        let said = said_of(|value| {
            value.as_object_mut().unwrap().remove(key);
        });
        assert!(said.contains(&format!("`{key}`")), "{key}: {said}");
    }
}

#[test]
fn a_missing_or_broken_file_is_named() {
    let dir = tempdir().unwrap();
    let said = Manifest::load(dir.path()).unwrap_err().to_string();
    assert!(said.contains("manifest.json: there is no such file"), "{said}");
    for text in ["", "{\"schema\": 1", "part,games\n"] {
        fs::write(dir.path().join("manifest.json"), text).unwrap();
        let said = Manifest::load(dir.path()).unwrap_err().to_string();
        assert!(said.contains("manifest.json: not JSON: ") && said.contains("line"), "{said}");
    }
    fs::write(dir.path().join("manifest.json"), "[1, 2]").unwrap();
    let said = Manifest::load(dir.path()).unwrap_err().to_string();
    assert!(said.contains("manifest.json: not a manifest"), "{said}");
}

#[test]
fn the_weights_that_played_are_told_by_their_sum() {
    let dir = tempdir().unwrap();
    let header = Header {
        width: 5,
        features: FeatureSet::ALL[0],
        layers: [4, 4],
        trained_on: "nothing".to_owned(),
        program: "a test".to_owned(),
    };
    let inputs = 4 * header.features.categories(header.width);
    let weights = |bias: f32| Weights {
        input: vec![0.01; inputs],
        lead: vec![0.5; 4],
        input_bias: vec![0.0; 4],
        hidden: vec![0.1; 16],
        hidden_bias: vec![bias; 4],
        output: vec![0.2; 12],
        output_bias: vec![0.0; 3],
    };
    let path = dir.path().join("net.safetensors");
    let made = |spec: String, out: &str| {
        let settings: Settings = settings("2x5x4", &spec, 4, 4);
        make(&settings, &dir.path().join(out), 1).manifest.run.weights
    };
    Network::new(header.clone(), weights(0.0)).unwrap().save(&path).unwrap();
    let short = made(format!("net:{}", path.display()), "short");
    let long = made(format!("ab:depth=2,net={}", path.display()), "long");
    Network::new(header, weights(1.0)).unwrap().save(&path).unwrap();
    let other = made(format!("net:{}", path.display()), "other");
    assert_eq!(short.as_ref().map(String::len), Some(64));
    assert_eq!(short, long);
    assert_ne!(short, other);
    assert_eq!(made("greedy".to_owned(), "none"), None);
}
