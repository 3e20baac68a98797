//! The same settings give the same bytes, whatever plays them: threads, shards, sizes of parts.

mod support;

use std::collections::{BTreeMap, HashSet};

use giuthi_engine::agent::AGENTS;
use giuthi_engine::{Move, Position, Source};
use giuthi_selfplay::{Format, Level, Manifest, Settings, Shard};
use support::{files, games, make, number, parts, settings};
use tempfile::tempdir;

#[test]
fn threads_change_nothing() {
    let settings = settings("2x5x4", "ab:depth=2", 90, 20);
    let dirs: Vec<_> = [1, 2, 4].map(|threads| (threads, tempdir().unwrap())).into();
    for (threads, dir) in &dirs {
        make(&settings, dir.path(), *threads);
    }
    let one = files(dirs[0].1.path());
    assert_eq!(one.keys().filter(|name| name.starts_with("part-")).count(), 5);
    for (threads, dir) in &dirs[1..] {
        assert!(files(dir.path()) == one, "{threads} threads");
    }
}

#[test]
fn threads_and_shards_change_nothing_of_compressed_parts() {
    let format = Format::Zstd(Level::default());
    let settings = Settings { format, ..settings("2x5x4", "ab:depth=2", 90, 20) };
    let (one, three) = (tempdir().unwrap(), tempdir().unwrap());
    make(&settings, one.path(), 1);
    make(&settings, three.path(), 3);
    assert!(files(one.path()) == files(three.path()));
    let mut union = BTreeMap::new();
    for index in 0..2 {
        let dir = tempdir().unwrap();
        make(&Settings { shard: Shard::new(index, 2).unwrap(), ..settings.clone() }, dir.path(), 2);
        union.extend(parts(dir.path()));
    }
    assert!(union == parts(one.path()));
    // One frame each, with a sum at its end, and decompressed the same bytes as without compression.
    let plain = tempdir().unwrap();
    make(&Settings { format: Format::Plain, ..settings }, plain.path(), 2);
    let texts = parts(plain.path());
    assert_eq!(union.len(), texts.len());
    for (name, bytes) in union {
        assert_eq!(bytes[..4], 0xfd2f_b528_u32.to_le_bytes(), "Zstandard's magic number");
        assert_eq!(bytes[4], 0b0000_0100, "a checksum; neither a length nor a dictionary");
        let text = zstd::decode_all(&bytes[..]).unwrap();
        assert!(text == texts[name.strip_suffix(".zst").unwrap()], "{name}");
        assert!(bytes.len() * 2 < text.len());
    }
}

#[test]
fn every_agent_of_the_table_plays_the_same_on_any_number_of_threads() {
    for example in AGENTS.iter().flat_map(|kind| kind.examples) {
        let settings = settings("2x5x4", example, 12, 5);
        let (one, three) = (tempdir().unwrap(), tempdir().unwrap());
        make(&settings, one.path(), 1);
        make(&settings, three.path(), 3);
        assert!(files(one.path()) == files(three.path()), "{example}");
    }
}

#[test]
fn shards_together_are_the_whole() {
    let settings = settings("2x5x4", "greedy", 70, 10);
    let whole = tempdir().unwrap();
    make(&settings, whole.path(), 2);
    for count in [2, 3, 9] {
        let mut union = BTreeMap::new();
        for index in 0..count {
            let dir = tempdir().unwrap();
            let shard = Shard::new(index, count).unwrap();
            let report = make(&Settings { shard, ..settings.clone() }, dir.path(), 2);
            let manifest = Manifest::load(dir.path()).unwrap();
            assert_eq!(manifest.games, report.summary.games());
            assert_eq!(manifest.run.dataset_games, 70);
            assert_eq!(manifest.parts.len(), parts(dir.path()).len());
            for (name, bytes) in parts(dir.path()) {
                assert!(union.insert(name.clone(), bytes).is_none(), "{name} is in two of {count} shards");
            }
        }
        assert!(union == parts(whole.path()), "{count} shards");
    }
}

#[test]
fn the_size_of_parts_changes_no_game() {
    let of = |part_games| {
        let dir = tempdir().unwrap();
        make(&settings("2x6x4", "ab:depth=1", 40, part_games), dir.path(), 2);
        games(dir.path())
    };
    let whole = of(40);
    assert_eq!(whole.len(), 40);
    assert_eq!(of(7), whole);
    assert_eq!(of(1), whole);
    // Nor does the number of games: a longer dataset begins with the shorter one.
    let dir = tempdir().unwrap();
    make(&settings("2x6x4", "ab:depth=1", 25, 40), dir.path(), 2);
    assert_eq!(games(dir.path())[..], whole[..25]);
}

#[test]
fn another_seed_gives_other_games() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    let settings = settings("2x5x4", "greedy", 30, 30);
    make(&settings, one.path(), 2);
    make(&Settings { seed: settings.seed + 1, ..settings }, other.path(), 2);
    let moves = |game: Vec<giuthi_engine::Sample>| game.into_iter().map(|row| row.mv).collect::<Vec<_>>();
    let ones: HashSet<_> = games(one.path()).into_iter().map(moves).collect();
    assert!(games(other.path()).into_iter().map(moves).all(|game| !ones.contains(&game)));
}

/// What a game is beyond its opening: where the agent's first move was asked for, and all that followed.
fn beyond_the_opening(game: &[giuthi_engine::Sample]) -> Option<(Position, Vec<Move>)> {
    let first = game.iter().position(|row| row.source == Source::Search)?;
    Some((game[first].position, game[first..].iter().map(|row| row.mv).collect()))
}

#[test]
fn no_two_of_a_thousand_games_are_equal_beyond_the_opening() {
    for agent in ["ab:depth=1", "greedy"] {
        let dir = tempdir().unwrap();
        make(&Settings { part_games: number(250), ..settings("2x6x4", agent, 1000, 1) }, dir.path(), 2);
        let mut seen = BTreeMap::new();
        for game in games(dir.path()) {
            let number = game[0].game;
            let Some((position, moves)) = beyond_the_opening(&game) else { continue };
            let key = (position.to_string(), moves);
            if let Some(other) = seen.insert(key, number) {
                panic!("{agent}: games {other} and {number} are equal");
            }
        }
        assert!(seen.len() > 950, "{agent}: only {} games were left to the agent", seen.len());
    }
}
