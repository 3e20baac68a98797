//! Tournaments written by hand, for the tests of what looks at them.

use std::fs;
use std::path::Path;

use giuthi_engine::{Game, Move, Outcome, Player, Variant};
use serde_json::json;

/// Writes `tournament.json`: a round robin of agents, names and specs, with so many games of every two.
pub(crate) fn settings(folder: &Path, variant: Variant, agents: &[[&str; 2]], games: usize) {
    let agents: Vec<_> = agents.iter().map(|[name, spec]| json!({ "name": name, "spec": spec })).collect();
    let about = json!({
        "program": "a test 1.0", "variant": variant.to_string(), "format": "round-robin", "games": games,
        "opening_plies": "1", "decided": "off", "seed": 7, "shard": "0/1", "agents": agents,
    });
    fs::write(folder.join("tournament.json"), about.to_string()).unwrap();
}

/// A file of games: the header and these rows.
pub(crate) fn games(folder: &Path, name: &str, rows: &[Vec<String>]) {
    let mut writer = csv::Writer::from_path(folder.join(name)).unwrap();
    writer.write_record(giuthi_eval::record::COLUMNS).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
}

/// The row of a game by its moves, all of which the rules allow; an unfinished one is lost by `fault` by whoever is to
/// move.
pub(crate) fn row(
    number: usize,
    round: usize,
    players: [&str; 2],
    variant: Variant,
    moves: &str,
    fault: &str,
) -> Vec<String> {
    let parsed: Vec<Move> = moves.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
    let mut game = Game::new(variant);
    game.play_all(&parsed).unwrap();
    let to_move = game.position().to_move();
    let (outcome, end) = match (game.outcome(), game.ending()) {
        (Some(outcome), Some(ending)) => (outcome, ending.name()),
        _ => (Outcome::Win(to_move.opponent()), "forfeit"),
    };
    let result = match outcome {
        Outcome::Win(Player::South) => "1-0",
        Outcome::Win(Player::North) => "0-1",
        Outcome::Draw => "1/2-1/2",
    };
    let fault = if end == "forfeit" { fault } else { "" };
    let opening = moves.split_whitespace().next().unwrap_or_default();
    let fields = [
        number.to_string(),
        round.to_string(),
        players[0].to_owned(),
        players[1].to_owned(),
        opening.to_owned(),
        moves.to_owned(),
        result.to_owned(),
        end.to_owned(),
        parsed.len().to_string(),
        "10.0".to_owned(),
        "5.0".to_owned(),
        fault.to_owned(),
    ];
    fields.to_vec()
}
