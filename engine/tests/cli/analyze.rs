//! `giuthi analyze`.

use giuthi_engine::{Game, Position, Variant};
use serde_json::Value;

use super::{ENDLESS, OVER, PASS, giuthi, objects, printed, refused};

#[test]
fn every_iteration_is_an_object_and_the_last_is_the_answer() {
    for start in [["--variant", "2x6x4"], ["--position", ENDLESS], ["--position", PASS]] {
        let position = match start {
            ["--position", text] => text.parse::<Position>().unwrap(),
            _ => Position::start("2x6x4".parse().unwrap()),
        };
        let fixed = ["analyze", "--json", "--seed", "1", "--agent", "ab:depth=4"];
        let lines = objects(fixed.iter().chain(&start));
        let mut depth = 0;
        for line in &lines {
            let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["depth", "line", "move", "nodes", "perpetual", "value"]);
            assert!(line["depth"].as_u64().unwrap() >= depth, "{line}");
            depth = line["depth"].as_u64().unwrap();
            assert!(line["value"].as_f64().unwrap().abs() <= 1.0, "{line}");
            assert_eq!(line["move"], line["line"][0]);
            let mut game = Game::from_position(position);
            for mv in line["line"].as_array().unwrap() {
                game.play(mv.as_str().unwrap().parse().unwrap()).unwrap();
            }
        }
        assert!(!lines.is_empty());
    }
}

#[test]
fn an_agent_without_search_has_no_value() {
    let line = &objects(["analyze", "--json", "--seed", "1", "--agent", "random"])[..];
    let [line] = line else { panic!("{line:?}") };
    assert_eq!((&line["value"], line["line"].as_array().unwrap().len()), (&Value::Null, 0));
    let text = printed(["analyze", "--seed", "1", "--agent", "greedy", "--variant", "2x5x4"]);
    assert!(text.starts_with("Best move ") && text.ends_with(", chosen without a search.\n"), "{text}");
}

#[test]
fn a_table_and_a_sentence() {
    let text = printed(["analyze", "--seed", "1", "--agent", "ab:depth=3"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "depth    value       nodes  line");
    assert!(lines.len() >= 3, "{text}");
    let best = lines[lines.len() - 2].split_whitespace().nth(3).unwrap();
    Position::start(Variant::default()).check(best.parse().unwrap()).unwrap();
    assert!(lines[lines.len() - 1].starts_with(&format!("Best move {best}, worth ")), "{text}");
    assert!(text.ends_with(" to player 0.\n"), "{text}");
}

#[test]
fn a_finished_game_is_an_error() {
    let over = ["analyze", "--seed", "1", "--position", OVER];
    refused(over, 1, "The game is over, neither player has a pit with two seeds: player 0 wins 11 to 3.");
    giuthi(over.iter().chain(&["--json"])).assert().code(1).stdout("");
}

#[test]
fn a_perpetual_is_told() {
    // The golden circle within one turn: 4cw 3cw 2cw 1ccw 2ccw.
    let position = "0,0,0,2,2 3,0,5,1,1 0 0 1";
    let arguments = ["analyze", "--seed", "1", "--agent", "ab:depth=1", "--position"];
    assert!(printed(arguments.iter().chain(&[position])).contains("Player 1 can draw alone"));
    let lines = objects(arguments.iter().chain(&[position, "--json"]));
    assert!(lines.iter().all(|line| line["perpetual"] == true), "{lines:?}");
    // The start of the smallest board has none.
    let lines = objects(["analyze", "--json", "--seed", "1", "--agent", "ab:depth=1", "--variant", "2x5x4"]);
    assert!(lines.iter().all(|line| line["perpetual"] == false), "{lines:?}");
}

#[test]
fn an_external_program_is_asked_as_an_agent_is() {
    let agent = "ab:depth=4";
    let program =
        format!("it@cmd:'{}' ugi --agent {agent}", assert_cmd::cargo::cargo_bin!("giuthi").display());
    for start in [["--variant", "2x6x4"], ["--position", PASS]] {
        let asked = |agent: &str| {
            let fixed = ["analyze", "--json", "--seed", "1", "--agent", agent];
            objects(fixed.iter().chain(&start)).pop().unwrap()
        };
        let (ours, theirs) = (asked(agent), asked(&program));
        for key in ["move", "depth", "nodes", "line"] {
            assert_eq!(theirs[key], ours[key], "{key}");
        }
        // The protocol tells values in thousandths.
        let value = |line: &Value| line["value"].as_f64().unwrap();
        assert!((value(&theirs) - value(&ours)).abs() <= 1.01e-3, "{theirs} {ours}");
    }
    for (program, says) in [
        ("cmd:no-such-program", "cmd:no-such-program: start: no-such-program cannot be started: "),
        ("cmd:true", "cmd:true: start: it ended (exit status: 0)"),
    ] {
        let output = giuthi(["analyze", "--seed", "1", "--agent", program]).assert().code(1).stdout("");
        let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(error.lines().count() == 1 && error.contains(says), "{error}");
    }
}
