//! `giuthi bench`: what it reports. That its counts are right it says itself, by failing where they are not.

use super::{printed, refused};

/// The positions that the measured search visits: its signature. It changes when the search does, and then on purpose.
const SEARCH_NODES: u64 = 231878;

const KEYS: [&str; 16] = [
    "playout_moves_per_s",
    "playout_games_per_s",
    "laps_per_s",
    "portable_moves_per_s",
    "plain_moves_per_s",
    "playout_ratio",
    "perft_nodes_per_s",
    "portable_perft_nodes_per_s",
    "plain_perft_nodes_per_s",
    "perft_ratio",
    "search_nodes_per_s",
    "search_nodes",
    "evals_per_s",
    "portable_evals_per_s",
    "float_evals_per_s",
    "eval_ratio",
];

#[test]
fn it_reports_every_key_and_the_signature_of_the_search() {
    let text = printed(["bench", "--json", "--rounds", "1"]);
    let report: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).expect("an object");
    let keys: Vec<&str> = report.keys().map(String::as_str).collect();
    let mut wanted = KEYS.to_vec();
    wanted.sort_unstable();
    assert_eq!(keys, wanted);
    for (key, value) in &report {
        assert!(value.as_f64().is_some_and(|number| number > 0.0), "{key}: {value}");
    }
    assert_eq!(report["search_nodes"], SEARCH_NODES);
}

#[test]
fn people_read_a_table() {
    let text = printed(["bench", "--rounds", "1"]);
    assert_eq!(text.lines().count(), KEYS.len(), "{text}");
    let lengths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
    assert!(lengths.iter().all(|&length| length == lengths[0]), "{text}");
    assert!(text.contains("faster than seed by seed"), "{text}");
}

#[test]
fn bad_usage_is_refused() {
    refused(["bench", "--rounds", "0"], 2, "a whole number from 1 to 1000 is possible");
    refused(["bench", "--quick"], 2, "--quick");
}
