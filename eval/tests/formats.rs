//! Who meets whom, and from which openings.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use giuthi_engine::agent::NoClock;
use giuthi_engine::{Game, Move, Position, Variant};
use giuthi_eval::{Decided, Error, Format, Listing, Openings, Played, Settings, run};
use serde::Deserialize;
use tempfile::tempdir;

fn tournament(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    command.arg("tournament").args(arguments.split_whitespace()).arg("--out").arg(out);
    command
}

#[derive(Deserialize)]
struct GameRow {
    round: u64,
    player0: String,
    player1: String,
    opening: String,
}

fn games(folder: &Path) -> Vec<GameRow> {
    let mut reader = csv::Reader::from_path(folder.join("games.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn refused(arguments: &str, code: i32) -> String {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let output = tournament(arguments, &out).assert().code(code).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(!out.exists());
    error
}

const FOUR: &str =
    "--variant 2x5x4 --seed 3 --agent a@random --agent b@random --agent c@random --agent d@random";

#[test]
fn formats_say_who_meets_whom() {
    for (flags, pairings) in [
        ("", "ab ac ad bc bd cd"),
        ("--hero b", "ba bc bd"),
        ("--hero d --hero a", "db dc ab ac"),
        ("--ladder", "ab bc cd"),
    ] {
        let folder = tempdir().unwrap();
        tournament(&format!("{FOUR} --games 4 {flags}"), folder.path()).assert().success();
        let games = games(folder.path());
        let names = |pair: &[GameRow]| pair[0].player0.clone() + &pair[0].player1;
        let played: Vec<String> = games.chunks(2).map(names).collect();
        assert_eq!(played.join(" "), format!("{pairings} {pairings}"), "{flags}");
        for pair in games.chunks(2) {
            assert_eq!((&pair[0].player0, &pair[0].player1), (&pair[1].player1, &pair[1].player0));
        }
        // All pairings get the same openings.
        let openings = |round| games.iter().filter(move |game| game.round == round).map(|game| &game.opening);
        for round in 0..2 {
            assert_eq!(openings(round).collect::<HashSet<_>>().len(), 1);
        }
        assert_ne!(openings(0).next(), openings(1).next());
    }
    let error = refused(&format!("{FOUR} --games 4 --hero e"), 2);
    assert!(error.contains("--hero: `e` is no agent of this tournament: there are a, b, c, d"), "{error}");
    let all = refused(&format!("{FOUR} --games 4 --hero a --hero b --hero c --hero d"), 2);
    assert!(all.contains("--hero: all 4 agents are heroes"), "{all}");
    assert!(refused(&format!("{FOUR} --games 4 --hero a --ladder"), 2).contains("--ladder"));
}

#[test]
fn openings_come_from_a_file_in_its_order() {
    let folder = tempdir().unwrap();
    let list = folder.path().join("openings.txt");
    fs::write(&list, "# three of them\n\n5cw 2ccw\n  startpos  \n6ccw\n").unwrap();
    let two = "--variant 2x5x4 --seed 3 --agent a@random --agent b@random";
    let with = |name: &str, more: &str| {
        let out = folder.path().join(name);
        tournament(&format!("{two} --openings {} {more}", list.display()), &out).assert().success();
        games(&out).chunks(2).map(|pair| pair[0].opening.clone()).collect::<Vec<_>>()
    };
    assert_eq!(with("all", ""), ["5cw 2ccw", "", "6ccw"]);
    assert_eq!(with("some", "--games 4"), ["5cw 2ccw", ""]);
    // As an editor saves it that marks UTF-8 and ends lines by \r\n.
    fs::write(&list, "\u{feff}5cw 2ccw\r\nstartpos\r\n6ccw\r\n").unwrap();
    assert_eq!(with("marked", ""), ["5cw 2ccw", "", "6ccw"]);
    let flags = format!("{two} --openings {}", list.display());
    let error = refused(&format!("{flags} --games 8"), 2);
    assert!(
        error.contains("--games: 8 games a pairing need 4 openings, and there are 3: ask for at most 6"),
        "{error}"
    );
    assert!(refused(&format!("{flags} --opening-plies 3"), 2).contains("--opening-plies"));

    // The games of another tournament: each of its openings once.
    let csv = folder.path().join("all/games.csv");
    let out = folder.path().join("again");
    tournament(&format!("{two} --openings {}", csv.display()), &out).assert().success();
    assert_eq!(games(&out).len(), 6);

    // As other programs write it: one column, names in quotes, spaces beside them, the start by its name.
    for (number, text) in [
        "opening\n5cw 2ccw\nstartpos\n6ccw\n",
        "\"\",\"opening\"\n\"1\",\"5cw 2ccw\"\n\"2\",\"\"\n\"3\",\"6ccw\"\n",
        "opening , moves\r\n5cw 2ccw , x\r\n,x\r\n6ccw,x\r\n",
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&list, text).unwrap();
        assert_eq!(with(&format!("written-{number}"), ""), ["5cw 2ccw", "", "6ccw"], "{text}");
    }

    for (text, says) in [
        ("opening,opening\n5cw,6cw\n", "line 1: two columns are named `opening`"),
        ("opening\n\"5cw x\"\n", "line 2: move 2, `x`"),
        ("5cw\n5cw x\n", "line 2: move 2, `x`"),
        ("\n5cw 5cw\n", "line 2: move 2 (5cw) of 2x5x4: "),
        ("4,4,4,4,4 4,4,4,4,4 0 0 0\n", "line 1: move 1, `4,4,4,4,4`"),
        ("# nothing\n", "no openings"),
        ("opening,moves\n5cw,5cw\n99cw,5cw\n", "line 3: move 1"),
    ] {
        fs::write(&list, text).unwrap();
        let error = refused(&flags, 1);
        assert!(error.contains("openings.txt") && error.contains(says), "{says}: {error}");
    }
    assert!(refused(&format!("{two} --openings no-such-file"), 1).contains("no-such-file"));
}

/// A slow twin: all lines of so many plies, and where they lead.
fn positions(game: &Game, plies: u32, into: &mut HashSet<Position>) {
    if game.ending().is_some() {
        return;
    }
    if plies == 0 {
        into.insert(*game.position());
        return;
    }
    for &mv in game.position().moves().iter() {
        let mut after = game.clone();
        after.play(mv).unwrap();
        positions(&after, plies - 1, into);
    }
}

#[test]
fn all_positions_after_so_many_plies_are_openings_once_each() {
    for (variant, plies) in [("2x5x4", 0), ("2x5x4", 1), ("2x5x4", 3), ("2x6x4", 2)] {
        let variant: Variant = variant.parse().unwrap();
        let mut there = HashSet::new();
        positions(&Game::new(variant), plies, &mut there);
        let list = |seed| {
            Listing::all(variant, plies, None, seed, &mut |_, _| true).unwrap().chosen().openings.clone()
        };
        let reached = |moves: &Vec<Move>| {
            let mut game = Game::new(variant);
            game.play_all(moves).unwrap();
            assert_eq!(moves.len(), plies as usize);
            *game.position()
        };
        let openings = list(1);
        assert_eq!(openings.len(), there.len());
        assert_eq!(openings.iter().map(reached).collect::<HashSet<_>>(), there);
        assert_eq!(list(1), openings);
        assert!(openings.len() < 5 || list(2) != openings, "in an order of the seed");
    }
    let two = "--variant 2x5x4 --seed 3 --agent a@random --agent b@random";
    let folder = tempdir().unwrap();
    tournament(&format!("{two} --openings all:1"), folder.path()).assert().success();
    assert_eq!(games(folder.path()).len(), 20);
    assert!(refused(&format!("{two} --openings all:x"), 2).contains("--openings"));
    let error = refused("--variant 2x8x8 --agent random --agent greedy --openings all:7 --seed 1", 2);
    assert!(
        error.contains("--openings: after 7 plies of 2x8x8 there are more than 200000 positions"),
        "{error}"
    );
}

/// The openings of a tournament of random players, round by round.
fn drawn(decided: Option<Decided>) -> Vec<Vec<Move>> {
    let settings = Settings {
        variant: "2x5x4".parse().unwrap(),
        agents: ["a@random", "b@random"].map(|agent| agent.parse().unwrap()).into(),
        format: Format::RoundRobin,
        games: 200,
        openings: Openings::Random("8..12".parse().unwrap()),
        decided,
        ..Settings::default()
    };
    let mut openings = Vec::new();
    let observe = |pair: &[Played; 2]| {
        openings.push(pair[0].course.moves[..pair[0].course.opening].to_vec());
        Ok::<(), Error>(())
    };
    run(&settings, &NoClock, observe).unwrap();
    openings
}

#[test]
fn decided_openings_are_left_out() {
    let decided = |bound| Decided { bound, nodes: 500 };
    let is = |bound: f32, opening: &Vec<Move>| {
        let mut game = Game::new("2x5x4".parse().unwrap());
        game.play_all(opening).unwrap();
        decided(bound).is(&game)
    };
    let all = drawn(None);
    for bound in [1.0, 0.5] {
        let kept = drawn(Some(decided(bound)));
        assert_eq!(kept.len(), all.len());
        let changed = all.iter().zip(&kept).filter(|(before, after)| before != after).count();
        let bad = all.iter().filter(|opening| is(bound, opening)).count();
        assert!(bad > 0 && changed >= bad, "{bad} of those drawn are decided, {changed} are others");
        assert!(kept.iter().all(|opening| !is(bound, opening)));
        let others = all.iter().zip(&kept).filter(|(before, after)| !is(bound, before) && before != after);
        assert!(others.count() <= changed - bad, "nothing else changes but to keep openings apart");
    }
    let folder = tempdir().unwrap();
    let two = "--variant 2x5x4 --seed 3 --agent a@random --agent b@random --opening-plies 12";
    let output =
        tournament(&format!("{two} --games 100"), folder.path()).assert().success().get_output().clone();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("left out: they are decided"), "{told}");
    let list = folder.path().join("openings.txt");
    let bad = all.iter().find(|opening| is(1.0, opening)).unwrap();
    fs::write(&list, bad.iter().map(|mv| format!("{mv} ")).collect::<String>()).unwrap();
    let listed =
        format!("--variant 2x5x4 --seed 3 --agent a@random --agent b@random --openings {}", list.display());
    let error = refused(&listed, 2);
    assert!(error.contains("--openings: every opening is decided"), "{error}");
    assert!(refused(&format!("{two} --games 4 --decided 2"), 2).contains("from 0 to 1, or off"));
}
