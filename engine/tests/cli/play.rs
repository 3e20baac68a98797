//! `giuthi play`, with a person at the other end of a pipe.

use giuthi_engine::{Game, Move, Position, Variant};
use predicates::prelude::*;

use super::{ENDLESS, OVER, PASS, PERPETUAL, giuthi, refused};

/// What the program prints when these lines are typed.
fn typed(arguments: &[&str], lines: &[&str]) -> String {
    let front = ["play", "--seed", "5"];
    let stdin: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let assert = giuthi(front.iter().chain(arguments)).write_stdin(stdin).assert().success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The moves told, each with the number of its player.
fn played(output: &str) -> Vec<(usize, Move)> {
    let lines = output.lines().filter(|line| line.starts_with("Player ") && line.contains(" plays "));
    lines
        .map(|line| {
            let player = line["Player ".len()..].split(' ').next().unwrap().parse().unwrap();
            let mv = line.split(" plays ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            (player, mv)
        })
        .collect()
}

/// The position the game was left at.
fn left_at(output: &str) -> Position {
    // The prompt may stand before it: who types `quit` on a terminal ends that line.
    let stop = output.split("The game stops at ").nth(1).unwrap_or_else(|| panic!("{output}"));
    stop.trim_end().parse().unwrap()
}

#[test]
fn whole_games_are_played_by_the_rules_to_their_end() {
    for (side, agent, variant) in [
        ("0", "ab:depth=2", Variant::RECORDED[0]),
        ("1", "greedy", Variant::RECORDED[1]),
        ("0", "random", Variant::RECORDED[6]),
        ("1", "random", Variant::RECORDED[7]),
    ] {
        let name = variant.to_string();
        let arguments = ["--variant", &name, "--agent", agent, "--side", side];
        let output = typed(&arguments, &["1"; 500]);
        let mut game = Game::new(variant);
        for (player, mv) in played(&output) {
            assert_eq!(game.position().to_move().index(), player, "{output}");
            game.play(mv).unwrap();
        }
        let outcome = game.outcome().unwrap_or_else(|| panic!("the game is not over: {output}"));
        let last = output.lines().rev().take(2).collect::<Vec<_>>();
        let player = game.plies()[0].before.to_move();
        let person = if side == "0" { player } else { player.opponent() };
        match outcome.result_for(person) {
            1 => assert_eq!(last[0], "You win.", "{output}"),
            -1 => assert_eq!(last[0], "You lose.", "{output}"),
            _ => assert!(last[0].ends_with("a draw.") || last[0].contains(": a draw,"), "{output}"),
        }
        let said = if outcome.result_for(person) == 0 { last[0] } else { last[1] };
        assert!(said.starts_with("The game is over"), "{output}");
    }
}

#[test]
fn moves_are_typed_as_written_or_by_number() {
    let agent = ["--agent", "ab:depth=1"];
    let by_number = typed(&agent, &["3", "quit"]);
    let as_written = typed(&agent, &[" 9CCW ", "quit"]);
    assert_eq!(by_number, as_written);
    assert_eq!(played(&by_number)[0], (0, "9ccw".parse().unwrap()));
    let mut game = Game::new(Variant::default());
    for (_, mv) in played(&by_number) {
        game.play(mv).unwrap();
    }
    assert_eq!(left_at(&by_number), *game.position());
}

#[test]
fn what_is_no_move_is_explained_and_asked_again() {
    let start = Position::start(Variant::default());
    for (line, says) in [
        ("nonsense", "`nonsense` is neither a move (such as 8ccw)"),
        ("0", "There is no move 0: the list runs from 1 to 16."),
        ("17", "There is no move 17"),
        ("99999999999999999999999999", "There is no move 99999999999999999999999999"),
        ("3cw", "3cw cannot be played: pit 3 is not player 0's"),
        ("16cw", "16cw cannot be played: there is no pit 16"),
        ("pass", "pass cannot be played: player 0 has a pit with two seeds"),
        ("undo", "You have made no move that could be taken back."),
        ("help", "hint    what the agent would play"),
        ("?", "undo    back to your move before"),
        ("\u{1b}[A", "is neither a move"),
    ] {
        let output = typed(&[], &[line, ""]);
        assert!(output.contains(says), "{output}");
        assert_eq!(played(&output), []);
        assert_eq!(left_at(&output), start);
        assert!(!output.contains('\u{1b}'), "{output}");
    }
    let stdin: &[u8] = b"\xff\xfe\nquit\n";
    giuthi(["play", "--seed", "1"])
        .write_stdin(stdin)
        .assert()
        .success()
        .stdout(predicate::str::contains("neither a move"));
}

#[test]
fn the_list_numbers_the_legal_moves() {
    let output = typed(&["--variant", "2x5x4"], &["quit"]);
    let moves = Position::start(Variant::RECORDED[0]).moves();
    for (i, mv) in moves.iter().enumerate() {
        assert!(output.contains(&format!("{:>2}) {mv}", i + 1)), "{output}");
    }
    // `board` draws it all once more.
    let twice = typed(&["--variant", "2x5x4"], &["board", "quit"]);
    assert_eq!(twice.matches(" 1) 5ccw").count(), 2 * output.matches(" 1) 5ccw").count());
}

#[test]
fn undo_goes_back_to_the_person_s_decision_before() {
    let agent = ["--agent", "greedy"];
    assert_eq!(left_at(&typed(&agent, &["1", "undo", "quit"])), Position::start(Variant::default()));
    // Twice there, once back, is once there.
    let once = typed(&agent, &["9ccw", "quit"]);
    let back = typed(&agent, &["9ccw", "1", "undo", "quit"]);
    assert_eq!(left_at(&back), left_at(&once));
    // What the agent began with stays.
    let start = typed(&["--agent", "greedy", "--side", "1"], &["quit"]);
    let back = typed(&["--agent", "greedy", "--side", "1"], &["1", "undo", "undo", "quit"]);
    assert_eq!(left_at(&back), left_at(&start));
    assert!(back.contains("no move that could be taken back"), "{back}");
    // An extra move is a decision of its own.
    let extra = typed(&["--side", "1", "--position", PERPETUAL], &["4cw", "3cw", "undo", "quit"]);
    assert_eq!(played(&extra), [(1, "4cw".parse().unwrap()), (1, "3cw".parse().unwrap())]);
    let first: Position =
        PERPETUAL.parse::<Position>().unwrap().play("4cw".parse().unwrap()).unwrap().position;
    assert_eq!(left_at(&extra), first);
    assert!(extra.contains("player 1 moves again"), "{extra}");
}

#[test]
fn a_hint_is_the_agent_s_choice_and_changes_nothing() {
    let output = typed(&["--agent", "ab:depth=3"], &["hint", "quit"]);
    let line = output.lines().find(|line| line.contains(" would play ")).unwrap();
    let mv: Move = line.split(" would play ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let start = Position::start(Variant::default());
    assert_eq!(start.check(mv), Ok(()));
    assert!(line.contains("worth") && line.contains("depth 3"), "{line}");
    assert_eq!(left_at(&output), start);
}

#[test]
fn a_forced_pass_plays_itself() {
    // Nothing is typed: the person passes, the agent moves, and stdin ends.
    let output = typed(&["--side", "1", "--agent", "ab:depth=1", "--position", PASS], &[]);
    let moves = played(&output);
    assert_eq!(moves[0], (1, Move::Pass));
    assert_eq!(moves[1].0, 0, "{output}");
    assert!(output.contains("a forced pass"), "{output}");
}

#[test]
fn every_lap_of_a_short_relay_is_told_and_few_of_a_long_one() {
    let lines = |position: &str, mv: &str| {
        let step = position.parse::<Position>().unwrap().play(mv.parse().unwrap()).unwrap();
        let output = typed(&["--agent", "ab:depth=1", "--position", position], &[mv]);
        let move_told = output.split(" plays ").nth(1).unwrap();
        let told: Vec<String> =
            move_told.lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect();
        (step.sowing, told)
    };
    let start = Position::start(Variant::default()).to_string();
    let (sowing, told) = lines(&start, "12ccw");
    assert_eq!(told.len(), sowing.laps as usize + 1, "{told:?}");
    assert_eq!(told[0], "  lifts 8 from pit 12, sows ccw to pit 4");
    assert_eq!(told[1], "  lifts 9 from pit 4, sows cw to pit 11");
    assert!(told[sowing.laps as usize].contains("was empty"), "{told:?}");

    let (sowing, told) = lines(ENDLESS, "5cw");
    assert!(sowing.laps > 6);
    assert_eq!(told.len(), 6, "three laps, how many more, the last one, the end: {told:?}");
    assert!(told[3].contains(&format!("{} more laps", sowing.laps - 4)), "{told:?}");
    assert!(told[5].contains("never end"), "{told:?}");

    // `2x10x9`: the opening player can capture ten seeds with the first sowing.
    let start = Position::start(Variant::RECORDED[7]).to_string();
    let (_, told) = lines(&start, "10ccw");
    assert!(told.last().unwrap().contains("captures 10 seeds"), "{told:?}");
}

#[test]
fn the_end_of_the_input_ends_the_game_politely() {
    let output = typed(&["--variant", "2x5x4"], &[]);
    assert_eq!(left_at(&output), Position::start(Variant::RECORDED[0]));
    // A last line without its newline counts.
    let assert = giuthi(["play", "--seed", "1", "--agent", "random"]).write_stdin("1").assert().success();
    let output = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(played(&output)[0], (0, "8ccw".parse().unwrap()));
}

#[test]
fn a_finished_game_is_told_at_once() {
    let output = typed(&["--position", OVER], &[]);
    assert_eq!(played(&output), []);
    assert!(output.ends_with("player 0 wins 11 to 3.\nYou win.\n"), "{output}");
    assert!(typed(&["--position", OVER, "--side", "1"], &[]).ends_with("You lose.\n"));
}

#[test]
fn the_seed_fixes_the_agent_s_choices_and_a_drawn_one_is_told() {
    let game = |seed: Option<&str>| {
        let seed = seed.map(|seed| ["--seed", seed]);
        let arguments = ["play", "--agent", "random"].into_iter().chain(seed.into_iter().flatten());
        let output = giuthi(arguments).write_stdin("1\n".repeat(300)).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (drawn, told) = game(None);
    let seed = told.strip_prefix("seed ").and_then(|rest| rest.strip_suffix('\n')).unwrap();
    assert_eq!(game(Some(seed)), (drawn.clone(), String::new()));
    let other = if seed == "1" { "2" } else { "1" };
    assert_ne!(game(Some(other)).0, drawn);
}

#[test]
fn bad_usage_is_refused() {
    refused(["play", "--side", "2"], 2, "0 (who moves first) or 1 is possible");
    refused(["play", "--agent", "nobody"], 2, "`nobody` is no agent: there are random");
    refused(["play", "--agent", "ab"], 2, "needs a limit");
    refused(["play", "--seed", "-1"], 2, "a whole number from 0 to 18446744073709551615 is possible");
    refused(["play", "--variant", "2x6x4", "--position", OVER], 2, "rows of 6 pits");
    refused(["play", "--agent", "net:/no/such/file"], 1, "/no/such/file");
}

#[test]
fn an_external_program_can_be_met() {
    let program =
        format!("cmd:'{}' ugi --agent ab:depth=2", assert_cmd::cargo::cargo_bin!("giuthi").display());
    let lines = ["hint", "1", "1", "quit"];
    let games = [program.as_str(), "ab:depth=2"].map(|agent| {
        let output = typed(&["--variant", "2x5x4", "--agent", agent], &lines);
        assert!(output.contains(&format!("{agent} would play ")), "{output}");
        played(&output)
    });
    assert!(!games[0].is_empty());
    assert_eq!(games[0], games[1], "the same search, the same game");
}
