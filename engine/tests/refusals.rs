//! Text that is a variant, move or position, and text that is none; and which moves are illegal: refused in one line
//! that says why.

use std::fmt::Display;

use giuthi_engine::notation::PositionError;
use giuthi_engine::position::SetupFault;
use giuthi_engine::{Ending, Game, IllegalMove, Move, PlayError, Player, Position, Variant};

/// The text is refused, in one line that holds all the words.
fn refused<T: Display, E: Display>(what: &str, result: Result<T, E>, words: &[&str]) -> E {
    match result {
        Ok(value) => panic!("{what:?} is accepted as {value}"),
        Err(error) => {
            let line = error.to_string();
            assert_eq!(line.lines().count(), 1, "{what:?}: {line}");
            for word in words {
                assert!(line.contains(word), "{what:?}: `{line}` does not say `{word}`");
            }
            error
        }
    }
}

#[test]
fn variants() {
    let texts = [
        "",
        "8x8",
        "2x8",
        "2x8x",
        "2xx8",
        "2x4x8",
        "2x11x8",
        "2x8x0",
        "2x8x10",
        "1x8x8",
        "3x8x8",
        "2X8x8",
        " 2x8x8",
        "2x8x8 ",
        "2x08x8",
        "2x8x08",
        "2x+8x8",
        "2x-8x8",
        "2x8x8x8",
        "2x\u{668}x8",
        "2x8.0x8",
        "2x4294967304x8",
        "2x8x99999999999999999999",
        "default",
    ];
    for text in texts {
        refused(
            text,
            text.parse::<Variant>(),
            &[&format!("`{text}`"), "2xWxS", "5 to 10", "1 to 9", "2x8x8"],
        );
    }
    refused("two lines", "2x8x8\n".parse::<Variant>(), &["`2x8x8\u{fffd}`"]);
    let long = "9".repeat(10_000);
    assert!(refused("long", long.parse::<Variant>(), &["…"]).to_string().len() < 300);
    for variant in Variant::all() {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
    assert_eq!(Variant::default().to_string(), "2x8x8");
}

#[test]
fn moves() {
    let texts = [
        "",
        "12",
        "cw",
        "ccw",
        "12 ccw",
        " 12ccw",
        "12ccw ",
        "12CCW",
        "-1cw",
        "+1cw",
        "01cw",
        "00cw",
        "256cw",
        "99999999999cw",
        "12ccww",
        "12cwcw",
        "PASS",
        "Pass",
        "pas",
        "pass ",
        "12.0cw",
        "\u{661}cw",
        "cw12",
    ];
    for text in texts {
        refused(text, text.parse::<Move>(), &[&format!("`{text}`"), "12ccw", "3cw", "pass"]);
    }
    for text in ["0cw", "0ccw", "19ccw", "255cw", "pass"] {
        assert_eq!(text.parse::<Move>().expect(text).to_string(), text);
    }
}

#[test]
fn positions() {
    let good = "8,8,8,8,8,8,8,8 8,8,8,8,8,8,8,8 0 0 0";
    assert_eq!(good.parse::<Position>(), Ok(Position::start(Variant::default())));
    let uneven: Position = "0,1,2,3,4 5,6,7,8,9 10 11 1".parse().expect("a position");
    assert_eq!(uneven.board().pits(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((uneven.board().row(Player::North), uneven.piles()), (&[0, 1, 2, 3, 4][..], [10, 11]));
    assert_eq!(uneven.to_move(), Player::North);
    assert_eq!(uneven.score(), [10 + 35, 11 + 10]);
    let fields = |error| matches!(error, PositionError::Fields(_));
    let number = |error| matches!(error, PositionError::Number { .. });
    let player = |error| matches!(error, PositionError::Player(_));
    let setup = |error| matches!(error, PositionError::Setup(_));
    type Sort = fn(PositionError) -> bool;
    let table: &[(&str, Sort, &[&str])] = &[
        ("", fields, &["five fields", "not 1"]),
        ("startpos", fields, &["not 1"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0", fields, &["not 4"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 0 0", fields, &["not 6"]),
        ("8,8,8,8,8  8,8,8,8,8 0 0 0", fields, &["not 6"]),
        (" 8,8,8,8,8 8,8,8,8,8 0 0 0", fields, &["not 6"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 0 ", fields, &["not 6"]),
        ("8,8,8,8,8\t8,8,8,8,8\t0\t0\t0", fields, &["not 1"]),
        ("8,8,x,8,8 8,8,8,8,8 0 0 0", number, &["`x`", "player 1", "pit 3"]),
        ("8,8,8,8,8 8,8,8,8,-1 0 0 0", number, &["`-1`", "player 0", "pit 5"]),
        ("8,8,8,8,8 8,8,8,,8 0 0 0", number, &["``", "player 0", "pit 4"]),
        ("8,8,8,8,8, 8,8,8,8,8 0 0 0", number, &["``", "player 1", "pit 6"]),
        ("8,8,8,8,08 8,8,8,8,8 0 0 0", number, &["`08`"]),
        ("8,8,8,8,8 8,8,8,8,8 +1 0 0", number, &["`+1`", "pile of player 0"]),
        ("8,8,8,8,8 8,8,8,8,8 0 one 0", number, &["`one`", "pile of player 1"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 x", player, &["`x`", "0 or 1"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 -1", player, &["`-1`", "0 or 1"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 0\n", player, &["`0\u{fffd}`"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 4294967296", player, &["`4294967296`", "0 or 1"]),
        ("8,8,8,8,8 8,8,8,8,8 0 0 2", setup, &["player 2", "0 or 1"]),
        ("8,8,8,8 8,8,8,8 0 0 0", setup, &["4 pits", "5 to 10"]),
        ("1,1,1,1,1,1,1,1,1,1,1 1,1,1,1,1,1,1,1,1,1,1 0 0 0", setup, &["11 pits", "5 to 10"]),
        ("8,8,8,8,8 8,8,8,8,8,8 0 0 0", setup, &["5 and 6 pits"]),
        ("256,0,0,0,0 0,0,0,0,0 0 0 0", setup, &["pit 0 holds 256", "256 seeds in all"]),
        (
            "0,0,0,0,0 0,0,0,0,99999999999999999999 0 0 0",
            number,
            &["`99999999999999999999`", "pit 5 of the row", "0 to 255"],
        ),
        ("0,0,0,0,0 0,0,0,0,0 0 300 0", setup, &["pile 1 holds 300"]),
        ("50,50,50,50,50 2,2,2,0,0 0 0 0", setup, &["256 seeds in all", "255"]),
        ("50,50,50,50,50 0,0,0,0,0 3 3 0", setup, &["256 seeds in all", "255"]),
    ];
    for (text, sort, words) in table {
        let error = refused(text, text.parse::<Position>(), words);
        assert!(sort(error.clone()), "{text:?}: {error:?}");
    }
}

#[test]
fn every_fault_of_a_position_is_told() {
    let text = "300,0,0,0 0,0,0,0,0,0,0,0,0,0,1 0 256 7";
    let Err(PositionError::Setup(error)) = text.parse::<Position>() else { panic!("{text} is accepted") };
    let place = |place: &str, seeds| SetupFault::Place { place: place.to_owned(), seeds };
    let faults = vec![
        SetupFault::UnequalRows { north: 4, south: 11 },
        SetupFault::Width(4),
        SetupFault::Width(11),
        place("pit 0", 300),
        place("pile 1", 256),
        SetupFault::Total(557),
        SetupFault::Player(7),
    ];
    assert_eq!(error.0, faults);
    let line = error.to_string();
    assert_eq!(line, faults.iter().map(SetupFault::to_string).collect::<Vec<_>>().join("; "));
}

#[test]
fn illegal_moves() {
    use Player::{North, South};
    let mixed = "2,2,2,2,2 2,1,0,3,1 0 0 0";
    let must_pass = "2,2,2,2,2 1,1,0,0,1 0 0 0";
    let over = "1,0,1,0,1 1,1,0,0,1 9 3 1";
    let not_own = |pit, player, first, last| IllegalMove::NotOwn { pit, player, first, last };
    let table: &[(&str, &str, IllegalMove, &[&str])] = &[
        (mixed, "10cw", IllegalMove::NoSuchPit { pit: 10, last: 9 }, &["no pit 10", "0 to 9"]),
        (mixed, "255ccw", IllegalMove::NoSuchPit { pit: 255, last: 9 }, &["no pit 255", "0 to 9"]),
        (mixed, "4cw", not_own(4, South, 5, 9), &["pit 4", "player 0", "5 to 9"]),
        (mixed, "6cw", IllegalMove::TooFew { pit: 6, seeds: 1 }, &["pit 6 holds 1", "two seeds"]),
        (mixed, "7ccw", IllegalMove::TooFew { pit: 7, seeds: 0 }, &["pit 7 holds 0", "two seeds"]),
        (mixed, "pass", IllegalMove::MayNotPass(South), &["player 0", "may not pass"]),
        (must_pass, "5cw", IllegalMove::MustPass(South), &["player 0", "must pass"]),
        (must_pass, "0cw", not_own(0, South, 5, 9), &["pit 0", "player 0"]),
        ("2,1,0,3,1 2,1,0,3,1 0 0 1", "5cw", not_own(5, North, 0, 4), &["pit 5", "player 1", "0 to 4"]),
        (over, "0cw", IllegalMove::Over, &["the game is over", "two seeds"]),
        (over, "pass", IllegalMove::Over, &["the game is over"]),
    ];
    for (position, mv, reason, words) in table {
        let (position, mv): (Position, Move) = (position.parse().unwrap(), mv.parse().unwrap());
        assert_eq!(position.check(mv), Err(*reason), "{position}: {mv}");
        let mut game = Game::from_position(position);
        let what = format!("{position}: {mv}");
        let error = refused(&what, game.play(mv).map(|ply| ply.mv), words);
        assert_eq!(error, PlayError::Illegal(*reason), "{what}");
        assert_eq!((game.position(), game.plies().len()), (&position, 0), "{what}: the game has changed");
    }
}

#[test]
fn moves_after_a_draw() {
    let repeated = "0,0,0,2,2 3,0,5,1,1 0 0 1".parse().unwrap();
    let mut game = Game::from_position(repeated);
    let moves: Vec<Move> = "4cw 3cw 2cw 1ccw 2ccw".split(' ').map(|mv| mv.parse().expect("a move")).collect();
    assert_eq!(game.play_all(&moves), Ok(()));
    assert_eq!(game.ending(), Some(Ending::Repetition));
    assert_eq!(game.play_all(&moves), Err((1, PlayError::Ended(Ending::Repetition))));
    let again = game.play(moves[1]).map(|ply| ply.mv);
    refused("after a repetition", again, &["the game is over by repetition"]);
    let endless = "1,4,1,2,1 4,0,0,0,3 0 0 1".parse().unwrap();
    let mut game = Game::from_position(endless);
    let mv: Move = "3ccw".parse().unwrap();
    game.play(mv).expect("an endless relay is a legal move");
    refused("after an endless relay", game.play(mv).map(|ply| ply.mv), &["the game is over by endless"]);
}
