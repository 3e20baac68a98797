//! The `giuthi-eval` program: files, tables, errors of one line.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use giuthi_engine::agent::NoClock;
use giuthi_engine::net::{FeatureSet, Header, Weights};
use giuthi_engine::{Game, Move, Network, Outcome, Player, Variant};
use giuthi_eval::folder::Folder;
use giuthi_eval::output::Files;
use giuthi_eval::{Settings, run};
use predicates::prelude::*;
use serde::Deserialize;
use tempfile::tempdir;

fn tournament(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    command.arg("tournament").args(arguments.split_whitespace()).arg("--out").arg(out);
    command
}

/// The smallest network for rows of so many pits.
fn network(width: usize) -> Network {
    let features = FeatureSet::Pits24Lead;
    let origin = || "a test".to_owned();
    let header = Header { width, features, layers: [1, 1], trained_on: origin(), program: origin() };
    let weights = Weights {
        input: vec![0.0; features.categories(width)],
        lead: vec![1.0],
        input_bias: vec![0.5],
        hidden: vec![1.0],
        hidden_bias: vec![0.0],
        output: vec![1.0, 0.0, -1.0],
        output_bias: vec![0.0; 3],
    };
    Network::new(header, weights).unwrap()
}

#[derive(Deserialize)]
struct GameRow {
    game: u64,
    round: u64,
    player0: String,
    player1: String,
    opening: String,
    moves: String,
    result: String,
    end: String,
    plies: usize,
    ms0: f64,
    ms1: f64,
}

fn games(folder: &Path) -> Vec<GameRow> {
    let mut reader = csv::Reader::from_path(folder.join("games.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// A file of games without its times.
fn without_times(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("games.csv")).unwrap();
    let line = |line: &str| {
        let mut columns = line.rsplitn(4, ',');
        let fault = columns.next().unwrap();
        format!("{},{fault}\n", columns.nth(2).unwrap())
    };
    text.lines().map(line).collect()
}

#[test]
fn games_csv_replays_to_what_it_says() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("made/on/the/way");
    let arguments =
        "--variant 2x5x4 --agent random --agent ab:depth=2,nodes=400 --agent greedy --games 10 --seed 5";
    tournament(arguments, &out).assert().success();
    let text = fs::read_to_string(out.join("games.csv")).unwrap();
    assert!(
        text.starts_with(
            "game,round,player0,player1,opening,moves,result,end,plies,ms0,ms1,fault\n0,0,random,"
        )
    );
    let rows = games(&out);
    assert_eq!(rows.len(), 30);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!((row.game, row.round), (number as u64, number as u64 / 6));
        assert!(row.moves.starts_with(&row.opening) && row.opening.split(' ').count() == 4);
        let moves: Vec<Move> = row.moves.split(' ').map(|mv| mv.parse().unwrap()).collect();
        let mut game = Game::new(Variant::new(5, 4).unwrap());
        game.play_all(&moves).unwrap();
        let result = match game.outcome().unwrap() {
            Outcome::Win(Player::South) => "1-0",
            Outcome::Win(Player::North) => "0-1",
            Outcome::Draw => "1/2-1/2",
        };
        let end = game.ending().unwrap().name();
        assert_eq!((&*row.result, &*row.end, row.plies), (result, end, moves.len()));
        assert!(row.player0 != row.player1 && row.ms0 >= 0.0 && row.ms1 >= 0.0);
    }
    assert!(rows.iter().any(|row| row.player1 == "ab:depth=2,nodes=400"));
    assert!(!out.join("games.csv.partial").exists());
}

#[test]
fn the_same_seed_gives_the_same_files_on_any_number_of_threads() {
    let folder = tempdir().unwrap();
    let files = |name: &str, threads: &str| {
        let out = folder.path().join(name);
        let arguments =
            format!("--variant 2x6x4 --agent random --agent greedy --games 20 --seed 7 --threads {threads}");
        tournament(&arguments, &out).assert().success();
        let read = |file| fs::read_to_string(out.join(file)).unwrap();
        (without_times(&out), read("ratings.csv"), read("tournament.json"))
    };
    let one = files("one", "1");
    assert_eq!(files("two", "2"), one);
    assert_eq!(files("four", "4"), one);
}

#[test]
fn ratings_csv_and_json_say_the_same() {
    let folder = tempdir().unwrap();
    let arguments =
        "--variant 2x5x4 --agent random --agent old@ab:depth=1 --agent ab:depth=3 --games 20 --seed 5 --json";
    let output = tournament(arguments, folder.path()).assert().success().get_output().clone();
    let text = fs::read_to_string(folder.path().join("ratings.csv")).unwrap();
    assert!(text.starts_with("agent,elo,lower,upper,games,wins,draws,losses,score\n"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut rows = 0;
    let mut above = f64::INFINITY;
    for (record, line) in reader.records().map(Result::unwrap).zip(lines.lines()) {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        assert_eq!(object.len(), columns.len());
        assert_eq!(object["agent"], record[0]);
        for (column, field) in columns.iter().zip(&record).skip(1) {
            assert_eq!(object[column].as_f64(), Some(field.parse().unwrap()), "{column}");
        }
        let number = |column: &str| object[column].as_f64().unwrap();
        assert_eq!(number("games"), 40.0);
        assert_eq!(number("wins") + number("draws") + number("losses"), 40.0);
        assert_eq!(number("score"), (number("wins") + number("draws") / 2.0) / 40.0);
        assert!(number("lower") < number("elo") && number("elo") < number("upper") && number("elo") <= above);
        above = number("elo");
        rows += 1;
    }
    assert_eq!((rows, lines.lines().count()), (3, 3));
}

#[test]
fn the_table_is_ascii_and_lists_the_best_first() {
    let folder = tempdir().unwrap();
    let arguments = "--variant 2x5x4 --agent random --agent best@ab:depth=3 --games 40 --seed 5";
    let output = tournament(arguments, folder.path()).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.is_ascii(), "{text}");
    assert!(text.find("best").unwrap() < text.find("random").unwrap(), "{text}");
    for part in ["Elo", "+/-", "ms/move", "Each against each", "player 0 scored", "of 40 games", "no-moves"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("tournament: 40 games in"), "{errors}");
}

#[test]
fn a_score_of_100_percent_prints_numbers() {
    let folder = tempdir().unwrap();
    let arguments = "--variant 2x8x8 --agent random --agent ab:depth=3 --games 4 --seed 5";
    for json in ["", " --json"] {
        let out = folder.path().join(format!("out{json}"));
        let output = tournament(&format!("{arguments}{json}"), &out).assert().success().get_output().clone();
        let text =
            String::from_utf8(output.stdout).unwrap() + &fs::read_to_string(out.join("ratings.csv")).unwrap();
        assert!(text.contains("ab:depth=3") && text.contains(",4,4,0,0,1.0\n"), "{text}");
        let text = text.to_lowercase();
        assert!(!text.contains("inf") && !text.contains("nan") && !text.contains("null"), "{text}");
    }
}

#[test]
fn a_folder_with_a_tournament_is_refused_and_left_alone() {
    let folder = tempdir().unwrap();
    let arguments = "--variant 2x5x4 --agent random --agent greedy --games 2 --seed 5";
    tournament(arguments, folder.path()).assert().success();
    let read =
        || ["games.csv", "ratings.csv", "tournament.json"].map(|f| fs::read(folder.path().join(f)).unwrap());
    let before = read();
    let again = arguments.replace("--seed 5", "--seed 6");
    let refused =
        |word: &'static str| predicate::str::contains(word).and(predicate::str::contains("another folder"));
    tournament(&again, folder.path()).assert().code(1).stdout("").stderr(refused("games.csv"));
    assert_eq!(read(), before);

    fs::rename(folder.path().join("games.csv"), folder.path().join("games.csv.partial")).unwrap();
    tournament(&again, folder.path()).assert().code(1).stdout("").stderr(refused("unfinished"));
    assert_eq!(fs::read(folder.path().join("games.csv.partial")).unwrap(), before[0]);

    // Without its games, what is left of it is no more written over.
    fs::remove_file(folder.path().join("games.csv.partial")).unwrap();
    for left in ["ratings.csv", "tournament.json", "report.html"] {
        tournament(&again, folder.path()).assert().code(1).stdout("").stderr(refused(left));
        fs::remove_file(folder.path().join(left)).unwrap();
    }
    tournament(&again, folder.path()).assert().success();
}

#[test]
fn what_was_played_stays_when_a_tournament_breaks_off() {
    let folder = tempdir().unwrap();
    let settings = Settings {
        variant: "2x5x4".parse().unwrap(),
        agents: ["random", "greedy"].map(|agent| agent.parse().unwrap()).into(),
        games: 20,
        seed: 1,
        ..Settings::default()
    };
    let mut files = Files::create(Folder::lock(folder.path()).unwrap(), &settings).unwrap();
    let rows = files.rows().clone();
    let mut pairs = 0;
    let broken = run(&settings, &NoClock, |pair| {
        files.add(&rows.pairs(std::slice::from_ref(pair)))?;
        pairs += 1;
        if pairs == 3 { Err(anyhow::anyhow!("power cut")) } else { Ok(()) }
    });
    assert!(broken.is_err());
    let text = fs::read_to_string(folder.path().join("games.csv.partial")).unwrap();
    assert_eq!(text.lines().count(), 1 + 6, "a header and three pairs, though nothing was finished: {text}");
    assert!(text.ends_with('\n') && !folder.path().join("games.csv").exists());
}

#[test]
fn agents_with_a_time_limit_play_and_too_many_threads_are_warned_of() {
    let folder = tempdir().unwrap();
    let processors = std::thread::available_parallelism().unwrap().get();
    for (threads, warned) in [(processors, false), (processors + 1, true)] {
        let out = folder.path().join(threads.to_string());
        let arguments =
            format!("--variant 2x5x4 --agent random --agent ab:ms=1 --games 2 --seed 5 --threads {threads}");
        let output = tournament(&arguments, &out).assert().success().get_output().clone();
        assert_eq!(String::from_utf8(output.stderr).unwrap().contains("warning"), warned);
        assert!(games(&out).iter().all(|row| row.ms0.max(row.ms1) > 0.0));
    }
}

#[test]
fn errors_are_one_line_and_leave_no_files() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("a-file");
    fs::write(&file, "no weights").unwrap();
    let no_weights = format!("--agent random --agent net:{} --games 2 --seed 1", file.display());
    let narrow = folder.path().join("narrow.safetensors");
    network(5).save(&narrow).unwrap();
    let narrow = format!("--agent random --agent net:{} --games 2 --seed 1", narrow.display());
    let good = "--agent random --agent greedy --seed 1";
    let cases: [(&str, i32, &[&str]); 17] = [
        ("--agent random --games 2", 2, &["--agent", "two agents"]),
        ("--games 2", 2, &["--agent"]),
        ("--agent random --agent greedy --agent random --games 2", 2, &["`random`", "a@random"]),
        ("--agent random --agent deepblue --games 2", 2, &["`deepblue`", "greedy"]),
        ("--agent random --agent ab:deep=2 --games 2", 2, &["`deep`", "depth"]),
        (&format!("{good} --games 5"), 2, &["--games", "5 games", "even"]),
        (&format!("{good} --games 0"), 2, &["--games", "from 2 to"]),
        (&format!("{good} --games -2"), 2, &["--games", "from 2 to"]),
        (good, 2, &["--games"]),
        (&format!("{good} --games 2 --jobs 0"), 2, &["--jobs", "from 1 to"]),
        (&format!("{good} --games 2 --opening-plies 5..4"), 2, &["--opening-plies", "6..12"]),
        (&format!("{good} --games 2 --opening-plies 999"), 2, &["--opening-plies", "fewer"]),
        (
            &format!("{good} --games 2 --variant 2x5x1"),
            2,
            &["--variant: 2x5x1", "over before the first move"],
        ),
        (&format!("{good} --games 2 --seed x"), 2, &["--seed"]),
        ("--agent random --agent net:no-such-file --games 2 --seed 1", 1, &["net:no-such-file"]),
        (&no_weights, 1, &["a-file"]),
        (&narrow, 1, &["narrow.safetensors", "8"]),
    ];
    for (arguments, code, words) in cases {
        let out = folder.path().join("out");
        let output = tournament(arguments, &out).assert().code(code).stdout("").get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        for word in words {
            assert!(error.contains(word), "{arguments}: {word} is missing: {error}");
        }
        assert!(!out.exists(), "{arguments}");
    }
    let output =
        tournament(&format!("{good} --games 2"), &file).assert().code(1).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.lines().count() == 1 && error.contains("a-file"), "{error}");
}

#[test]
fn openings_that_are_all_alike_are_warned_of() {
    let folder = tempdir().unwrap();
    let warned = |plies: &str| {
        let arguments = format!(
            "--variant 2x5x4 --agent random --agent greedy --games 20 --seed 1 --opening-plies {plies}"
        );
        let output =
            tournament(&arguments, &folder.path().join(plies)).assert().success().get_output().clone();
        String::from_utf8(output.stderr).unwrap().contains("only 1 of the 10 openings differ")
    };
    assert!(warned("0"));
    assert!(!warned("2..4"));
}
