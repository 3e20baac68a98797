//! `giuthi apply`.

use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Ending, Game, Outcome, Position, Variant};
use serde_json::{Value, json};

use super::{ENDLESS, OVER, PASS, PERPETUAL, PERPETUAL_MOVES, giuthi, objects, one_line, printed, refused};

fn apply<'a>(position: &'a str, moves: &[&'a str]) -> Vec<Value> {
    objects([&["apply", "--json", "--position", position], moves].concat())
}

/// What the contract says of a game's plies, from the library.
fn wanted(game: &Game) -> Vec<Value> {
    let mut replay = Game::from_position(game.plies()[0].before);
    let mut lines = Vec::new();
    for (i, ply) in game.plies().iter().enumerate() {
        replay.play(ply.mv).unwrap();
        lines.push(json!({
            "ply": i + 1,
            "player": ply.before.to_move().index(),
            "move": ply.mv.to_string(),
            "laps": ply.sowing.laps,
            "captured": ply.sowing.captured,
            "kind": ply.sowing.kind.name(),
            "position": replay.position().to_string(),
            "status": replay.ending().map_or("playing", Ending::name),
        }));
    }
    if let Some(outcome) = game.outcome() {
        let last = lines.last_mut().unwrap();
        last["score"] = json!(game.position().score());
        last["winner"] = match outcome {
            Outcome::Win(player) => json!(player.index().to_string()),
            Outcome::Draw => json!("draw"),
        };
    }
    lines
}

#[test]
fn whole_games_are_told_from_arguments_and_from_stdin() {
    for (i, variant) in Variant::RECORDED.into_iter().enumerate() {
        let mut rng = game_rng(1, i as u64);
        let mut game = Game::new(variant);
        while game.ending().is_none() {
            game.play(random_move(game.position(), &mut rng).unwrap()).unwrap();
        }
        let moves: Vec<String> = game.plies().iter().map(|ply| ply.mv.to_string()).collect();
        let variant = variant.to_string();
        let front = ["apply", "--variant", &variant];
        let with_arguments = front.iter().copied().chain(moves.iter().map(String::as_str)).chain(["--json"]);
        assert_eq!(objects(with_arguments), wanted(&game));

        // White space of every kind stands between the moves.
        let stdin = format!("\n {}\t\r\n", moves.join("\n ").replacen('\n', "\t", 3));
        let output = giuthi(front.iter().chain(&["-", "--json"])).write_stdin(stdin).assert().success();
        let output = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        let from_stdin: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(from_stdin, wanted(&game));

        // The table: head, a row a ply, how it stands.
        let text = printed(front.iter().copied().chain(moves.iter().map(String::as_str)));
        assert_eq!(text.lines().count(), 1 + moves.len() + 1);
        for (row, ply) in text.lines().skip(1).zip(wanted(&game)) {
            let columns: Vec<&str> = row.split_whitespace().collect();
            let keys = ["ply", "player", "move", "laps", "captured", "kind"];
            for (column, key) in columns.iter().zip(keys) {
                assert_eq!(*column, ply[key].to_string().trim_matches('"'), "{row}");
            }
            assert!(row.ends_with(&format!("  {}", ply["position"].as_str().unwrap())), "{row}");
        }
        assert!(text.lines().last().unwrap().contains("is over"), "{text}");
    }
}

#[test]
fn every_ending_has_its_status() {
    let repeated = apply(PERPETUAL, &PERPETUAL_MOVES);
    let statuses: Vec<&Value> = repeated.iter().map(|line| &line["status"]).collect();
    assert_eq!(statuses, ["playing", "playing", "playing", "playing", "repetition"]);
    assert!(repeated.iter().all(|line| line["player"] == 1), "extra moves: the same player all along");
    assert_eq!(repeated[4]["winner"], "draw");
    assert_eq!(repeated[4]["score"], json!([10, 4]), "pile and own row, however the game ended");
    assert!(repeated[..4].iter().all(|line| line.get("score").is_none() && line.get("winner").is_none()));

    let endless = &apply(ENDLESS, &["5cw"])[0];
    assert_eq!((&endless["status"], &endless["kind"]), (&json!("endless"), &json!("endless")));
    assert_eq!((&endless["winner"], &endless["score"]), (&json!("draw"), &json!([18, 22])));

    // The last pit of two seeds is sown into two empty pits of player 1, who ends with three in the row.
    let last = &apply("0,0,0,0,1 0,0,0,0,2 5 3 0", &["9ccw"])[0];
    assert_eq!((&last["status"], &last["kind"]), (&json!("no-moves"), &json!("turn")));
    assert_eq!((&last["winner"], &last["score"]), (&json!("1"), &json!([5, 6])));
}

#[test]
fn a_forced_pass_is_a_ply() {
    let lines = apply(PASS, &["pass"]);
    let pass = json!({
        "ply": 1, "player": 1, "move": "pass", "laps": 0, "captured": 0, "kind": "pass",
        "position": PASS.strip_suffix('1').unwrap().to_owned() + "0", "status": "playing",
    });
    assert_eq!(lines, [pass]);
}

#[test]
fn no_move_at_all_shows_where_it_stands() {
    let lines = |position: &str| {
        let output =
            giuthi(["apply", "--json", "--position", position, "-"]).write_stdin(" \n").assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    assert_eq!(lines(PASS), [json!({"ply": 0, "position": PASS, "status": "playing"})]);
    let over = json!({"ply": 0, "position": OVER, "status": "no-moves", "score": [11, 3], "winner": "0"});
    assert_eq!(lines(OVER), [over]);
    giuthi(["apply", "--position", PASS, "-"])
        .write_stdin("")
        .assert()
        .success()
        .stdout(predicates::str::starts_with(PASS));
    refused(["apply"], 2, "<MOVE>");
}

#[test]
fn an_illegal_move_is_named_after_the_output_of_the_good_ones() {
    let cases = [
        (vec!["12ccw", "3cw", "12cw"], "move 3 (12cw): pit 12 holds 1"),
        (vec!["12ccw", "12ccw"], "move 2 (12ccw): pit 12 is not player 1's, who owns 0 to 7"),
        (vec!["16ccw"], "move 1 (16ccw): there is no pit 16: the pits are 0 to 15"),
        (vec!["pass"], "move 1 (pass): player 0 has a pit with two seeds and may not pass"),
    ];
    for (moves, says) in cases {
        for form in [&["apply", "--json"][..], &["apply"]] {
            // The table has a head, once there is a row.
            let head = usize::from(form.len() == 1 && moves.len() > 1);
            let lines = head + moves.len() - 1;
            let check = |mut command: assert_cmd::Command| {
                let output = command.assert().code(1).stderr(one_line(says)).get_output().stdout.clone();
                assert_eq!(String::from_utf8(output).unwrap().lines().count(), lines);
            };
            check(giuthi([form, &moves].concat()));
            let mut from_stdin = giuthi([form, &["-"]].concat());
            from_stdin.write_stdin(moves.join(" "));
            check(from_stdin);
        }
    }
}

#[test]
fn nothing_is_played_after_the_end() {
    refused(["apply", "--position", OVER, "1ccw"], 1, "move 1 (1ccw): the game is over");
    let mut moves = PERPETUAL_MOVES.to_vec();
    moves.push("3cw");
    let arguments = [&["apply", "--position", PERPETUAL], &moves[..]].concat();
    giuthi(arguments).assert().code(1).stderr(one_line("move 6 (3cw): the game is over by repetition"));
    let arguments = ["apply", "--position", ENDLESS, "5cw", "5cw"];
    giuthi(arguments).assert().code(1).stderr(one_line("move 2 (5cw): the game is over by endless"));
}

#[test]
fn text_that_is_no_move_is_named() {
    // Arguments are all read before anything is played, stdin is played as it comes.
    refused(["apply", "12ccw", "12cwc"], 2, "move 2 (12cwc): `12cwc` is not a move");
    refused(["apply", "12ccw", ""], 2, "move 2 (): `` is not a move");
    refused(["apply", "12ccw", "-"], 2, "stands alone");
    refused(["apply", "-", "-"], 2, "stands alone");
    let arguments = ["apply", "--json", "-"];
    let first = Game::new(Variant::default()).play("12ccw".parse().unwrap()).unwrap();
    let after: Position = first.before.play(first.mv).unwrap().position;
    for (stdin, says) in [
        (b"12ccw\n12cwc".to_vec(), "move 2 (12cwc): `12cwc` is not a move"),
        (b"12ccw\n\xff".to_vec(), "cannot read move 2 from stdin"),
    ] {
        let told = predicates::str::contains(after.to_string());
        giuthi(arguments).write_stdin(stdin).assert().code(1).stdout(told).stderr(one_line(says));
    }
}
