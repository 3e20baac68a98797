//! Games played to their end by endgame tables: exact results, the same bytes, and what `verify` sees of it.

mod support;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use giuthi_engine::agent::NoClock;
use giuthi_engine::endgame::tablebase::{Size, Tablebase, Value, build};
use giuthi_engine::{Game, Sample, Source};
use giuthi_selfplay::verify::Thoroughly;
use giuthi_selfplay::{Epsilon, Manifest, Settings, Shard, Temperature, generate};
use serde_json::Value as Json;
use support::dataset::{check_thoroughly, edit};
use support::{files, games, make, parts, program, settings};
use tempfile::{TempDir, tempdir};

/// Tables of all boards with rows of five pits and up to so many seeds.
fn tables(seeds: usize) -> TempDir {
    let dir = tempdir().unwrap();
    let stop = AtomicBool::new(false);
    build(dir.path(), Size { pits: 5, seeds }, NonZeroUsize::MIN, &stop, &|_| {}).unwrap();
    dir
}

/// Many games with much chance in them, which come to the tables early or late.
fn decided(agent: &str, tables: &Path) -> Settings {
    let epsilon = Epsilon::try_from(0.3).unwrap();
    Settings { tables: Some(tables.to_owned()), epsilon, ..settings("2x5x2", agent, 120, 50) }
}

fn thoroughly(tables: &Path) -> Thoroughly<'_> {
    Thoroughly { again: true, tables: Some(tables) }
}

const fn result(value: Value) -> i8 {
    match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    }
}

/// The first row that the tables have played: from there on the value is certain.
fn taken_over(tables: &Tablebase, rows: &[Sample]) -> Option<usize> {
    let mut game = Game::new("2x5x2".parse().unwrap());
    let last = rows.iter().rposition(|row| row.source == Source::Random).map_or(0, |last| last + 1);
    for (ply, row) in rows.iter().enumerate() {
        if ply >= last && tables.advise(&game).is_some_and(|advice| advice.is_certain) {
            return Some(ply);
        }
        game.play(row.mv).unwrap();
    }
    None
}

#[test]
fn results_are_those_of_the_tables_and_games_end_by_the_rules() {
    let folder = tables(9);
    let tables = Tablebase::open(folder.path()).unwrap();
    for agent in ["random", "ab:depth=1"] {
        let dir = tempdir().unwrap();
        make(&decided(agent, folder.path()), dir.path(), 2);
        let (mut wins, mut draws) = (0, 0);
        for rows in games(dir.path()) {
            let Some(from) = taken_over(&tables, &rows) else { continue };
            let first = &rows[from];
            let value = tables.value(&first.position).unwrap();
            // Where a history takes a win away it is a draw.
            assert!(first.result == result(value) || first.result == 0, "{first:?}");
            for row in &rows[from..] {
                let told = row.value.map(|value| value as i8);
                assert!(row.source == Source::Forced || told == Some(row.result), "{row:?}");
                assert_ne!(row.source, Source::Random);
            }
            // After a capture, and but for the opening's, values are exact.
            let seeds = |ply: usize| rows[ply].position.board().seeds();
            if from > 0 && seeds(from) < seeds(from - 1) {
                assert_eq!(first.result, result(value), "{first:?}");
            }
            if first.result == 0 { draws += 1 } else { wins += 1 }
        }
        assert!(wins > 50 && draws > 0, "{wins} {draws}");
        let (verified, faults) = check_thoroughly(dir.path(), 9, &thoroughly(folder.path()));
        assert_eq!((verified.games, &faults[..]), (120, &[][..]));
        // Without the tables too nothing is wrong that can be known.
        assert_eq!(check_thoroughly(dir.path(), 9, &Thoroughly::default()).1, []);
    }
}

#[test]
fn what_comes_before_the_tables_is_as_without_them() {
    let folder = tables(9);
    let tables = Tablebase::open(folder.path()).unwrap();
    let (with, without) = (tempdir().unwrap(), tempdir().unwrap());
    let settings = decided("ab:depth=2", folder.path());
    make(&settings, with.path(), 1);
    make(&Settings { tables: None, ..settings }, without.path(), 1);
    let mut changed = 0;
    for (with, without) in games(with.path()).iter().zip(games(without.path())) {
        let common = taken_over(&tables, with).unwrap_or(with.len());
        let move_of = |row: &Sample| (row.position, row.mv, row.source);
        assert!(with[..common].iter().map(move_of).eq(without[..common].iter().map(move_of)));
        changed += u32::from(with[0].result != without[0].result);
    }
    assert!(changed > 0, "chance moves lose games that the tables do not");
}

#[test]
fn the_bytes_are_the_same_on_any_threads_and_in_shards() {
    let folder = tables(8);
    let temperature = Temperature::new(0.3, 30.try_into().unwrap()).ok();
    let settings = Settings { temperature, ..decided("ab:depth=1", folder.path()) };
    let whole = tempdir().unwrap();
    let report = make(&settings, whole.path(), 1);
    let told = report.manifest.run.tables.unwrap();
    assert_eq!((told.seeds, told.sha256.len()), (8, 64));
    let (threads, shards) = (tempdir().unwrap(), tempdir().unwrap());
    make(&settings, threads.path(), 3);
    assert_eq!(files(whole.path()), files(threads.path()));
    let mut all = std::collections::BTreeMap::new();
    for index in 0..2 {
        let dir = shards.path().join(index.to_string());
        make(&Settings { shard: Shard::new(index, 2).unwrap(), ..settings.clone() }, &dir, 2);
        all.extend(parts(&dir));
    }
    assert_eq!(parts(whole.path()), all);
    let (_, faults) = check_thoroughly(whole.path(), 9, &thoroughly(folder.path()));
    assert_eq!(faults, []);
}

#[test]
fn an_agents_own_tables_play_games_to_their_end_as_well() {
    let folder = tables(8);
    let spec = format!("ab:depth=1,tb={}", folder.path().display());
    let dir = tempdir().unwrap();
    make(&Settings { tables: None, ..decided(&spec, folder.path()) }, dir.path(), 2);
    let manifest = Manifest::load(dir.path()).unwrap();
    assert_eq!(manifest.run.tables.unwrap().seeds, 8);
    // They are found by the agent's spec.
    let again = Thoroughly { again: true, tables: None };
    assert_eq!(check_thoroughly(dir.path(), 9, &again).1, []);
}

#[test]
fn other_tables_are_refused() {
    let (folder, other) = (tables(7), tables(6));
    let dir = tempdir().unwrap();
    let settings = decided("random", folder.path());
    make(&settings, dir.path(), 1);
    for (tables, words) in [(Some(other.path().to_owned()), "--tb {"), (None, "(now none)")] {
        let asked = Settings { tables, ..settings.clone() };
        let error =
            generate(&asked, dir.path(), NonZeroUsize::MIN, &NoClock, |_| {}).unwrap_err().to_string();
        assert!(error.contains("written under other settings: --tb") && error.contains(words), "{error}");
    }
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (data, here, there) = (text(dir.path()), text(folder.path()), text(other.path()));
    let (code, _, said) = program(&["verify", &data, "--tb", &there]);
    assert!(code == 1 && said.contains("by other tables: of 7 seeds"), "{said}");
    let (code, _, said) = program(&["verify", &data, "--again"]);
    assert!(code == 1 && said.contains("--tb DIR says where these are"), "{said}");
    assert_eq!(program(&["verify", &data, "--again", "--tb", &here]).0, 0);
    let plain = tempdir().unwrap();
    make(&Settings { tables: None, ..settings }, plain.path(), 1);
    let (code, _, said) = program(&["verify", &text(plain.path()), "--tb", &here]);
    assert!(code == 1 && said.contains("leave out --tb"), "{said}");
    let out = text(&plain.path().join("out"));
    let run =
        ["--variant", "2x6x4", "--games", "1", "--agent", "random", "--seed", "1", "--out", &out, "--tb"];
    let (code, _, said) = program(&[&run[..], &[&here]].concat());
    assert!(code == 2 && said.lines().count() == 1 && said.contains("rows of 5 pits"), "{said}");
    let (code, _, said) = program(&[&run[..], &["nowhere"]].concat());
    assert!(code == 1 && said.lines().count() == 1 && said.contains("no endgame tables"), "{said}");
}

#[test]
fn games_that_the_tables_did_not_play_are_told() {
    let folder = tables(8);
    let settings = decided("ab:depth=1", folder.path());
    let (with, without) = (tempdir().unwrap(), tempdir().unwrap());
    let told = make(&settings, with.path(), 1).manifest.run.tables.unwrap();
    make(&Settings { tables: None, ..settings }, without.path(), 1);
    // The agent alone, in the manifest's words with tables.
    edit(without.path(), &[("tables", serde_json::to_value(told).unwrap())]);
    let given = Thoroughly { again: false, tables: Some(folder.path()) };
    let (_, faults) = check_thoroughly(without.path(), 9, &given);
    let told = |words: &str| faults.iter().any(|fault| fault.what.contains(words));
    assert!(told("by the tables this is a") && told("the tables play `"), "{faults:?}");
    // A sum that is none.
    edit(with.path(), &[("tables", serde_json::json!({ "seeds": 99, "sha256": "0" }))]);
    let (_, faults) = check_thoroughly(with.path(), 9, &Thoroughly::default());
    let about: Vec<&Option<String>> = faults.iter().map(|fault| &fault.column).collect();
    assert!(about.iter().filter(|column| column.as_deref() == Some("tables")).count() == 2, "{faults:?}");
    let manifest: Json =
        serde_json::from_slice(&fs::read(with.path().join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["tables"]["seeds"], 99);
}
