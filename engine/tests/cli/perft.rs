//! `giuthi perft`.

use giuthi_engine::{Game, Position, Variant, perft};

use super::{ENDLESS, OVER, PASS, PERPETUAL, printed, refused};

fn wanted(game: &Game, depth: u32) -> String {
    let mut text = String::new();
    perft(game, depth, |depth, nodes| text += &format!("{depth} {nodes}\n"));
    text
}

#[test]
fn it_prints_each_depth_and_its_nodes() {
    for variant in Variant::RECORDED {
        let output = printed(["perft", "--variant", &variant.to_string(), "--depth", "3"]);
        assert_eq!(output, wanted(&Game::new(variant), 3));
    }
    assert_eq!(printed(["perft", "--depth", "1"]), "1 16\n");
    for text in [ENDLESS, PASS, PERPETUAL] {
        let position: Position = text.parse().unwrap();
        let output = printed(["perft", "--position", text, "--depth", "4"]);
        assert_eq!(output, wanted(&Game::from_position(position), 4));
    }
}

#[test]
fn a_finished_game_has_no_children() {
    assert_eq!(printed(["perft", "--position", OVER, "--depth", "2"]), "1 0\n2 0\n");
    let lines = printed(["perft", "--position", OVER, "--depth", "100"]);
    assert_eq!(lines.lines().count(), 100);
}

#[test]
fn bad_usage_is_refused() {
    refused(["perft"], 2, "--depth <D>");
    for depth in ["0", "101", "-1", "x", "", "1.5", "+3", "99999999999999999999999"] {
        refused(["perft", "--depth", depth], 2, "a whole number from 1 to 100 is possible");
    }
    refused(["perft", "--depth", "3", "--variant", "2x4x4"], 2, "`2x4x4` is not a variant");
    refused(["perft", "3"], 2, "unexpected argument '3'");
}
