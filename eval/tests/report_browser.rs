//! The page of a tournament in a real browser: a script presses its buttons, and the boards that it shows are held to those
//! of the engine and to the golden records of an independent program.
//!
//! `GIUTHI_BROWSER` names the program, a Chromium; without it the usual names are looked for, and where none is there these tests
//! say so and check nothing.

mod handmade;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use giuthi_engine::agent::NoClock;
use giuthi_engine::{Direction, Game, Lap, Move, MoveKind, Variant};
use giuthi_eval::folder::Folder;
use giuthi_eval::output::Files;
use giuthi_eval::{Settings, report, run};
use serde::Deserialize;
use tempfile::tempdir;

const DRIVER: &str = include_str!("browser/driver.js");

/// The browser, where there is one.
fn browser() -> Option<PathBuf> {
    if let Some(named) = env::var_os("GIUTHI_BROWSER").filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        // Past the test harness, which keeps what a test that passes says.
        let says = "the report's page goes untested: no Chromium is installed; GIUTHI_BROWSER=PROGRAM names one elsewhere";
        let _ = writeln!(io::stderr(), "{says}");
    }
    found
}

/// What the driver saw; of many games not all of it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Seen {
    errors: Vec<String>,
    numbers: Vec<u64>,
    games: Vec<SeenGame>,
    filtered: BTreeMap<String, BTreeMap<String, u64>>,
    won: u64,
    lost: u64,
    rows: u64,
    all_rows: u64,
    walk: Vec<String>,
    third: String,
    second: String,
    keys: Vec<String>,
    back_from_lap: String,
    played: String,
    paused: String,
    still_paused: String,
    laps_played: usize,
    title: String,
    hacked: String,
    agents: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SeenGame {
    number: u64,
    heading: String,
    end: String,
    forward: Vec<String>,
    back: Vec<String>,
    /// After each ply, the pits that are marked as lifted, landed in, taken.
    marks: Vec<[Vec<usize>; 3]>,
    laps: Vec<String>,
    laps_back: Vec<String>,
    first: String,
    last: String,
    warned: bool,
}

/// Opens a folder's report and presses everything; `briefly` what plays the games, and of each pair the first one.
fn drive(browser: &Path, folder: &Path, briefly: bool) -> Seen {
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let driven = folder.join("driven.html");
    fs::write(
        &driven,
        page.replace("</body>", &format!("<script>const briefly = {briefly};\n{DRIVER}</script>\n</body>")),
    )
    .unwrap();
    let profile = tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"])
        // The page's own clock runs as fast as it can, and stops when nothing is left to happen.
        .args(["--virtual-time-budget=3600000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", driven.display()))
        .timeout(Duration::from_secs(300))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let json = text.split_once("<pre id=\"driven\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (json, _) = json.unwrap_or_else(|| {
        panic!("the browser showed nothing: {:?} {}", output.status, String::from_utf8_lossy(&output.stderr))
    });
    let json =
        json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap()
}

/// The positions of a game, and those with every lap that there is to see, as the engine has them.
fn by_engine(variant: Variant, moves: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut game = Game::new(variant);
    let mut positions = vec![game.position().to_string()];
    let mut laps = positions.clone();
    for &mv in moves {
        let before = *game.position();
        let mut seen: Vec<Lap> = Vec::new();
        let step = before.step_observed(mv, |lap| seen.push(lap));
        // The last lap's board is that after the move, but where a capture follows.
        if step.sowing.kind != MoveKind::Capture {
            seen.pop();
        }
        for lap in seen {
            let joined = |pits: &[u8]| pits.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
            let (north, south) = lap.board.pits().split_at(variant.width());
            let [pile0, pile1] = before.piles();
            laps.push(format!("{} {} {pile0} {pile1} {}", joined(north), joined(south), before.to_move()));
        }
        game.play(mv).unwrap();
        positions.push(game.position().to_string());
        laps.push(game.position().to_string());
    }
    (positions, laps)
}

/// The pits that a move marks: the one that was lifted and, unless it is the same, where the last seed fell; what a capture took
/// opposite.
fn marks(game: &Game, mv: Move) -> [Vec<usize>; 3] {
    let Move::Sow { pit, .. } = mv else { return [const { Vec::new() }; 3] };
    let mut last: Option<Lap> = None;
    let step = game.position().step_observed(mv, |lap| last = Some(lap));
    let last = last.unwrap();
    let ring = 2 * game.position().width();
    let taken = |beyond: usize| match last.direction {
        Direction::Ccw => ring - 1 - last.to - beyond,
        Direction::Cw => ring - 1 - last.to + beyond,
    };
    let chain = usize::from(step.sowing.chain);
    let mut captured: Vec<usize> =
        if step.sowing.kind == MoveKind::Capture { (0..=chain).map(taken).collect() } else { Vec::new() };
    captured.sort_unstable();
    let lifted = [usize::from(pit)].into_iter().filter(|&pit| pit != last.to).collect();
    [lifted, vec![last.to], captured]
}

fn reversed(positions: &[String]) -> Vec<String> {
    positions.iter().rev().cloned().collect()
}

/// Holds what was seen of a game to the engine.
fn check(seen: &SeenGame, variant: Variant, moves: &[Move]) {
    let number = seen.number;
    let (positions, laps) = by_engine(variant, moves);
    assert!(!seen.warned, "game {number}: its check sum");
    assert_eq!(seen.forward, positions, "game {number}, forward");
    assert_eq!(seen.back, reversed(&positions), "game {number}, back");
    assert_eq!(seen.laps, laps, "game {number}, laps");
    let mut game = Game::new(variant);
    let mut marked = Vec::new();
    for &mv in moves {
        marked.push(marks(&game, mv));
        game.play(mv).unwrap();
    }
    assert_eq!(seen.marks, marked, "game {number}, marks");
    assert_eq!(seen.laps_back, reversed(&laps), "game {number}, laps back");
    assert_eq!((&seen.first, &seen.last), (&positions[0], &positions[positions.len() - 1]), "game {number}");
}

#[test]
fn every_button_does_what_the_engine_does() {
    let Some(browser) = browser() else { return };
    const NASTY: &str =
        "</script><img src=x onerror=\"document.documentElement.dataset.hacked=1\">'&amp;\u{2028}";
    let folder = tempdir().unwrap();
    let settings = Settings {
        variant: "2x6x4".parse().unwrap(),
        agents: ["greedy", "random", "ab:depth=2"].map(|agent| agent.parse().unwrap()).into(),
        games: 4,
        seed: 3,
        ..Settings::default()
    };
    let mut files = Files::create(Folder::lock(folder.path()).unwrap(), &settings).unwrap();
    let rows = files.rows().clone();
    let mut played = Vec::new();
    let tournament = run(&settings, &NoClock, |pair| -> Result<(), giuthi_eval::Error> {
        files.add(&rows.pairs(std::slice::from_ref(pair))).unwrap();
        played.extend(pair.clone());
        Ok(())
    })
    .unwrap();
    files.finish(&giuthi_eval::output::Standings::new(&settings, &tournament)).unwrap();
    // Names that a flag would not take: `tournament.json` could have been written by anybody.
    for (name, raw) in
        [("tournament.json", serde_json::to_string(NASTY).unwrap()), ("games.csv", String::new())]
    {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        let field = format!("\"{}\"", NASTY.replace('"', "\"\""));
        let text = match name {
            "tournament.json" => text.replace("\"name\": \"greedy\"", &format!("\"name\": {raw}")),
            _ => text.replace(",greedy,", &format!(",{field},")),
        };
        fs::write(&path, text).unwrap();
    }
    report::write(folder.path()).unwrap();

    let seen = drive(&browser, folder.path(), false);
    assert_eq!(seen.errors, [""; 0]);
    assert_eq!((&*seen.hacked, &*seen.title), ("", "Giuthi tournament on 2x6x4: 3 agents"));
    assert_eq!(seen.agents, [NASTY, "random", "ab:depth=2"]);
    assert_eq!(seen.numbers, (0..12).collect::<Vec<u64>>());
    let names = [NASTY, "random", "ab:depth=2"];
    for (game, played) in seen.games.iter().zip(&played) {
        let [south, north] = played.players.map(|agent| names[agent]);
        let heading = format!("Game {}: {south} (player 0) against {north} (player 1)", played.game);
        assert_eq!(game.heading, heading);
        check(game, settings.variant, &played.course.moves);
        let ended = format!("{}.", played.course.end_name());
        assert!(game.end.contains("The game is over: ") && game.end.ends_with(&ended), "{}", game.end);
    }

    let count = |wanted: &dyn Fn(&giuthi_eval::Played) -> bool| {
        played.iter().filter(|game| wanted(game)).count() as u64
    };
    for agent in 0..3 {
        assert_eq!(seen.filtered["agent"][&agent.to_string()], count(&|game| game.players.contains(&agent)));
    }
    let result = |game: &giuthi_eval::Played, agent: usize| {
        let seat = game.players.iter().position(|&player| player == agent)?;
        Some(game.course.outcome.result_for(giuthi_engine::Player::BOTH[seat]))
    };
    for (choice, wanted) in [("0", 1), ("1", -1), ("2", 0)] {
        let south = giuthi_engine::Player::South;
        let games = count(&|game| game.course.outcome.result_for(south) == wanted);
        assert_eq!(seen.filtered["result"][choice], games, "result {choice}");
    }
    assert_eq!(seen.won, count(&|game| result(game, 0) == Some(1)));
    assert_eq!(seen.lost, count(&|game| result(game, 0) == Some(-1)));
    let mut endings = BTreeMap::new();
    for game in &played {
        *endings.entry((game.course.ending.unwrap() as usize).to_string()).or_default() += 1;
    }
    assert_eq!(seen.filtered["ending"], endings);
    assert_eq!((seen.rows, seen.all_rows), (12, 12));
    assert_eq!(seen.walk, ["0", "1", "2", "1"]);

    let (positions, laps) = by_engine(settings.variant, &played[0].course.moves);
    let last = positions.last().unwrap();
    assert_eq!((&seen.third, &seen.second), (&positions[3], &positions[2]));
    let after_a_lap = &laps[1 + laps.iter().position(|position| *position == positions[1]).unwrap()];
    let keys = [&positions[0], &positions[1], after_a_lap, &positions[1], &positions[0], last];
    assert_eq!(seen.keys.iter().collect::<Vec<_>>(), keys);
    assert_eq!(seen.back_from_lap, positions[1]);
    assert_eq!(seen.played, *last);
    assert_eq!(seen.paused, seen.still_paused);
    assert!(seen.paused != positions[0] && seen.paused != *last);
    assert!(seen.laps_played > positions.len(), "{} steps by laps", seen.laps_played);
}

/// A ply of a golden game, after it.
#[derive(Clone, Deserialize)]
struct Golden {
    game: usize,
    #[serde(rename = "W")]
    width: usize,
    #[serde(rename = "S")]
    seeds: usize,
    pit: String,
    dir: String,
    laps: usize,
    board: String,
    pile0: u32,
    pile1: u32,
    kind: String,
    to_move: String,
}

#[test]
fn the_page_plays_the_golden_games() {
    let Some(browser) = browser() else { return };
    let mut variants: BTreeMap<(usize, usize), Vec<Vec<Golden>>> = BTreeMap::new();
    for file in ["games.csv", "games_endless_2x5x4.csv"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/golden").join(file);
        let plies: Vec<Golden> =
            csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect();
        for game in plies.chunk_by(|one, next| one.game == next.game) {
            variants.entry((game[0].width, game[0].seeds)).or_default().push(game.to_vec());
        }
    }
    assert!(variants.len() >= 8);
    let mut endless = 0;
    for ((width, seeds), games) in variants {
        let variant = Variant::new(width, seeds).unwrap();
        let moves = |game: &[Golden]| -> String {
            let mv =
                |ply: &Golden| if ply.dir == "pass" { "pass".to_owned() } else { ply.pit.clone() + &ply.dir };
            game.iter().map(mv).collect::<Vec<_>>().join(" ")
        };
        let folder = tempdir().unwrap();
        handmade::settings(folder.path(), variant, &[["a", "random"], ["b", "greedy"]], 2 * games.len());
        let rows: Vec<Vec<String>> = (0..2 * games.len())
            .map(|number| {
                let players = if number % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
                handmade::row(number, number / 2, players, variant, &moves(&games[number / 2]), "")
            })
            .collect();
        handmade::games(folder.path(), "games.csv", &rows);
        report::write(folder.path()).unwrap();

        let seen = drive(&browser, folder.path(), true);
        assert_eq!(seen.errors, [""; 0]);
        assert_eq!(seen.games.len(), games.len());
        for (golden, seen) in games.iter().zip(&seen.games) {
            let of = format!("golden game {} of {variant}", golden[0].game);
            assert!(!seen.warned, "{of}");
            assert_eq!(seen.forward.len(), golden.len() + 1, "{of}");
            for (ply, position) in golden.iter().zip(&seen.forward[1..]) {
                let pits = ply.board.replace(' ', ",");
                let (at, _) = pits.match_indices(',').nth(width - 1).unwrap();
                let golden = format!("{} {} {} {} ", &pits[..at], &pits[at + 1..], ply.pile0, ply.pile1);
                let (shown, mover) = position.split_at(position.len() - 1);
                assert_eq!(shown, golden, "{of}");
                assert!(ply.to_move == "-" || ply.to_move == mover, "{of}: {position}");
            }
            // A step a lap, and one more for each capture and each pass.
            let steps = |ply: &Golden| ply.laps + usize::from(["capture", "pass"].contains(&&*ply.kind));
            assert_eq!(seen.laps.len(), 1 + golden.iter().map(steps).sum::<usize>(), "{of}");
            endless += golden.iter().filter(|ply| ply.kind == "endless").count();
        }
    }
    assert!(endless > 0);
}

#[test]
fn a_page_that_plays_otherwise_than_the_engine_warns() {
    let Some(browser) = browser() else { return };
    let variant: Variant = "2x5x4".parse().unwrap();
    let folder = tempdir().unwrap();
    handmade::settings(folder.path(), variant, &[["a", "random"], ["b", "greedy"]], 6);
    let row = |number: usize| {
        let players = if number.is_multiple_of(2) { ["a", "b"] } else { ["b", "a"] };
        handmade::row(number, number / 2, players, variant, "7ccw 2cw", "crash")
    };
    handmade::games(folder.path(), "games.csv", &(0..6).map(row).collect::<Vec<_>>());
    let path = report::write(folder.path()).unwrap();
    // Game 2 with another check sum, game 4 with a move that nobody could play: 2cw twice.
    let page = fs::read_to_string(&path).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('[')).collect();
    let [other_sum, illegal] = [rows[2].replace("\"1777a207\"", "\"1777a208\""), rows[4].replace("OF", "FF")];
    fs::write(&path, page.replace(rows[2], &other_sum).replace(rows[4], &illegal)).unwrap();
    let seen = drive(&browser, folder.path(), true);
    assert_eq!(seen.games.iter().map(|game| game.warned).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(seen.games.iter().map(|game| game.forward.len()).collect::<Vec<_>>(), [3, 3, 1]);
}
