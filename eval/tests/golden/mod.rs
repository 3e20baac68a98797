//! The golden data, and comparing with it.
#![allow(dead_code, reason = "each of the tests uses a part")]

use std::fs::File;

use giuthi_engine::{Outcome, Player};
use giuthi_eval::results::Results;

pub(crate) fn csv(name: &str) -> csv::Reader<File> {
    csv::Reader::from_path(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[track_caller]
pub(crate) fn assert_near(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((got - wanted).abs() <= tolerance, "{what}: {got} instead of {wanted} ± {tolerance}");
}

/// The 10,080 games of eight players, each on its own.
pub(crate) fn ordo_games() -> Results {
    let mut results = Results::default();
    for record in csv("ordo_pairs_directed.csv").deserialize() {
        let (first, second, wins, draws, losses): (String, String, usize, usize, usize) = record.unwrap();
        for (outcome, count) in [
            (Outcome::Win(Player::South), wins),
            (Outcome::Draw, draws),
            (Outcome::Win(Player::North), losses),
        ] {
            for _ in 0..count {
                results.add([&first, &second], outcome, None);
            }
        }
    }
    assert_eq!(results.games().len(), 10_080);
    results
}
