//! The whole line once, as small as it goes: self-play, a fit by the program, a tournament of the network.

mod support;

use std::fs;

use assert_cmd::Command;
use giuthi_engine::agent::NoClock;
use giuthi_engine::{Game, Move, Network};
use giuthi_eval::folder::Folder;
use giuthi_eval::output::{Files, Standings};
use giuthi_eval::{Settings, run};
use predicates::prelude::*;
use support::make;
use tempfile::tempdir;

#[test]
fn games_to_weights_to_games() {
    let dir = tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    make(&path("data"), "2x5x4", "ab:depth=1", 20, 3);

    let weights = path("net.safetensors");
    Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"))
        .args([
            "fit",
            "--epochs",
            "2",
            "--batch",
            "64",
            "--validation",
            "0.3",
            "--seed",
            "1",
            "--device",
            "cpu",
        ])
        .arg("--out")
        .arg(&weights)
        .arg(path("data"))
        .assert()
        .success()
        .stdout(predicate::str::starts_with(format!("{}: epoch ", weights.display())));
    let network = Network::load_for(&weights, 5).unwrap();
    assert_eq!(network.header().trained_on, "20 games of 2x5x4 by ab:depth=1 (seed 3)");

    let variant = "2x5x4".parse().unwrap();
    let settings = Settings {
        variant,
        agents: vec![
            format!("net@ab:depth=2,net={}", weights.display()).parse().unwrap(),
            "random".parse().unwrap(),
        ],
        games: 4,
        seed: 1,
        ..Settings::default()
    };
    let folder = Folder::lock(&path("tournament")).unwrap();
    let mut files = Files::create(folder, &settings).unwrap();
    let rows = files.rows().clone();
    // An illegal move of an agent would be an error.
    let tournament = run(&settings, &NoClock, |pair| {
        files.add(&rows.pairs(std::slice::from_ref(pair))).map_err(anyhow::Error::from)
    });
    let tournament = tournament.unwrap();
    files.finish(&Standings::new(&settings, &tournament)).unwrap();

    let games = fs::read_to_string(path("tournament/games.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(games.as_bytes());
    let moves = reader.headers().unwrap().iter().position(|column| column == "moves").unwrap();
    let games: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(games.len(), 4);
    for game in &games {
        let mut replayed = Game::new(variant);
        let moves: Vec<Move> = game[moves].split(' ').map(|mv| mv.parse().unwrap()).collect();
        replayed.play_all(&moves).unwrap();
        assert!(replayed.ending().is_some());
        assert!(game.iter().any(|field| field == "net"), "{game:?}");
    }
    let ratings = fs::read_to_string(path("tournament/ratings.csv")).unwrap();
    assert!(ratings.lines().any(|line| line.starts_with("net,")), "{ratings}");
}
