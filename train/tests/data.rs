//! Datasets as the trainer reads them: every row once, split by game, with the targets that it should have.

mod support;

use giuthi_engine::{Sample, Source as Moved};
use giuthi_selfplay::Shard;
use giuthi_train::data::{Dataset, RandomRows, Reading, target};
use giuthi_train::source::Source;
use support::{READING, games, make, make_shard, read, sides};
use tempfile::tempdir;

#[test]
fn every_row_of_every_part_is_read_once_and_no_game_is_on_both_sides() {
    for variant in ["2x5x4", "2x6x4", "2x10x9"] {
        let dir = tempdir().unwrap();
        make(dir.path(), variant, "random", 60, 3);
        let data = read(&[dir.path()], &READING).unwrap();
        let games = games(dir.path());
        assert_eq!(games.len(), 60);
        let sides = sides(&data, &games);
        assert!(sides.contains(&true) && sides.contains(&false));
    }
}

#[test]
fn a_game_stays_on_its_side_when_data_are_added() {
    let dir = tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (few, more, other) = (path("few"), path("more"), path("other"));
    make(&few, "2x5x4", "random", 50, 3);
    make(&more, "2x5x4", "random", 100, 3);
    make(&other, "2x5x4", "random", 50, 4);
    let whole = games(&more);
    let alone = sides(&read(&[&few], &READING).unwrap(), &whole[..50]);

    let all = sides(&read(&[&more], &READING).unwrap(), &whole);
    assert_eq!(all[..50], alone);

    let others = games(&other);
    let both: Vec<_> = others.iter().chain(&whole[..50]).cloned().collect();
    let with_others = sides(&read(&[&other, &few], &READING).unwrap(), &both);
    assert_eq!(with_others[50..], alone);
    assert_ne!(with_others[..50], alone, "another seed gives another split");

    let twice: Vec<_> = whole[..50].iter().chain(&whole[..50]).cloned().collect();
    let twice = sides(&read(&[&few, &few], &READING).unwrap(), &twice);
    assert_eq!([&twice[..50], &twice[50..]], [&alone[..], &alone[..]]);

    let shards = [0, 1].map(|index| {
        let shard = path(&format!("shard{index}"));
        make_shard(&shard, "2x5x4", "random", 100, 3, Shard::new(index, 2).unwrap());
        shard
    });
    let dealt: Vec<_> = shards.iter().flat_map(|shard| games(shard)).collect();
    let sharded = sides(&read(&[&shards[0], &shards[1]], &READING).unwrap(), &dealt);
    for (game, side) in dealt.iter().zip(sharded) {
        assert_eq!(side, all[game[0].game as usize]);
    }
}

#[test]
fn the_share_for_validation_is_about_what_was_asked_for() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "random", 500, 3);
    let games = games(dir.path());
    let mut smaller = vec![false; 500];
    for share in [0.1, 0.25, 0.5, 0.9] {
        let data = read(&[dir.path()], &Reading { validation: share, ..READING }).unwrap();
        let sides = sides(&data, &games);
        // Four standard deviations.
        let off = data.games[1] as f64 - 500.0 * share;
        assert!(off.abs() < 4.0 * (500.0 * share * (1.0 - share)).sqrt(), "{off} for {share}");
        assert!(smaller.iter().zip(&sides).all(|(smaller, larger)| smaller <= larger), "{share}");
        smaller = sides;
    }
}

#[test]
fn targets_are_distributions_with_the_blended_expectation() {
    for lambda in [0.0, 0.25, 0.5, 1.0] {
        for result in [-1, 0, 1] {
            let played = f32::from(result);
            for value in (-10..=10).map(|tenth| tenth as f32 / 10.0) {
                let [win, draw, loss] = target(result, Some(value), lambda);
                assert!([win, draw, loss].iter().all(|share| (0.0..=1.0).contains(share)));
                assert!((win + draw + loss - 1.0).abs() < 1e-6);
                let expected = lambda * value + (1.0 - lambda) * played;
                assert!((win - loss - expected).abs() < 1e-6, "{result}, {value}, {lambda}");
                // The other seat's row has both signs turned.
                assert_eq!(target(-result, Some(-value), lambda), [loss, draw, win]);
                if lambda == 0.0 {
                    assert_eq!([win, draw, loss], target(result, None, 1.0), "the result alone");
                }
            }
            let certain = [f32::from(result == 1), f32::from(result == 0), f32::from(result == -1)];
            assert_eq!(target(result, None, lambda), certain);
        }
    }
}

/// The target of every row, game by game.
fn targets(data: &Dataset, games: &[Vec<Sample>]) -> Vec<Vec<[f32; 3]>> {
    let mut rows = [&data.training, &data.validation].map(|rows| rows.targets.iter());
    let sides = sides(data, games);
    games
        .iter()
        .zip(sides)
        .map(|(game, side)| rows[usize::from(side)].by_ref().take(game.len()).copied().collect())
        .collect()
}

#[test]
fn labels_turn_with_the_player_and_only_with_the_player() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=2", 60, 3);
    let games = games(dir.path());
    let played = targets(&read(&[dir.path()], &READING).unwrap(), &games);
    let (mut turned, mut kept) = (0, 0);
    for (game, targets) in games.iter().zip(&played) {
        for (rows, targets) in game.windows(2).zip(targets.windows(2)) {
            let [win, draw, loss] = targets[0];
            let same = rows[0].player() == rows[1].player();
            assert_eq!(targets[1], if same { [win, draw, loss] } else { [loss, draw, win] });
            let decided = draw == 0.0;
            turned += usize::from(!same && decided);
            kept += usize::from(same && decided);
        }
    }
    assert!(turned > 100 && kept > 100, "{turned} turned, {kept} kept");

    let reading = Reading { lambda: 0.25, ..READING };
    let blended = targets(&read(&[dir.path()], &reading).unwrap(), &games);
    let (mut with, mut without) = (0, 0);
    for (row, found) in games.iter().flatten().zip(blended.iter().flatten()) {
        assert_eq!(*found, target(row.result, row.value, 0.25));
        *(if row.value.is_some() { &mut with } else { &mut without }) += 1;
    }
    assert!(with > 100 && without > 100, "{with} with a value, {without} without");
}

#[test]
fn rows_with_a_random_move_are_left_out_where_that_is_asked_for() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 60, 3);
    let reading = Reading { random_rows: RandomRows::Skip, ..READING };
    let data = read(&[dir.path()], &reading).unwrap();
    let (mut games, mut left_out) = (games(dir.path()), 0);
    for game in &mut games {
        let rows = game.len();
        game.retain(|row| row.source != Moved::Random);
        left_out += rows - game.len();
    }
    assert!(left_out > 100 && games.iter().all(|game| !game.is_empty()), "{left_out} left out");
    sides(&data, &games);
    assert_ne!(data.fingerprint(), read(&[dir.path()], &READING).unwrap().fingerprint());
}

#[test]
fn progress_goes_from_nothing_to_all_rows() {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "random", 60, 3);
    let rows = games(dir.path()).iter().map(Vec::len).sum::<usize>() as u64;
    let mut told = Vec::new();
    Dataset::read(&[dir.path().to_owned()], &READING, |done, total| told.push((done, total))).unwrap();
    assert_eq!(told.len(), 4, "before the three parts and after each: {told:?}");
    assert_eq!((told[0], told[3]), ((0, rows), (rows, rows)));
    assert!(told.is_sorted());
}

#[test]
fn the_description_names_every_dataset() {
    let dir = tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    make(&one, "2x5x4", "random", 25, 3);
    make(&two, "2x5x6", "greedy", 30, 4);
    let data = read(&[&one, &two], &READING).unwrap();
    assert_eq!(
        data.description(),
        "25 games of 2x5x4 by random (seed 3); 30 games of 2x5x6 by greedy (seed 4)"
    );
    assert_eq!(data.width(), 5);
}
