//! Datasets streamed: every row once an epoch, in an order that the threads have no part in, and nothing wrong in silence.

mod support;

use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use giuthi_engine::Sample;
use giuthi_selfplay::Manifest;
use giuthi_train::data::{DataError, RandomRows, Reading, Rows};
use giuthi_train::part::OnBad;
use giuthi_train::source::{Batches, Source};
use giuthi_train::stream::{Stream, Streaming, Window};
use sha2::{Digest, Sha256};
use support::{READING, encoded, games, make, read};
use tempfile::{TempDir, tempdir};

const STREAMING: Streaming =
    Streaming { on_bad: OnBad::Stop, threads: NonZeroUsize::MIN, buffer: NonZeroUsize::new(300).unwrap() };

fn windows(folders: &[&Path]) -> Vec<Window> {
    folders.iter().map(|&folder| folder.to_owned().into()).collect()
}

fn open(folders: &[&Path], streaming: Streaming) -> Result<Stream, DataError> {
    Stream::open(&windows(folders), &READING, streaming, |_, _| {})
}

/// A row by its numbers: floats as their bits.
type Print = (Vec<i32>, u32, [u32; 3], i64);

fn prints(rows: &Rows, width: usize) -> Vec<Print> {
    let categories = rows.categories.chunks_exact(2 * width).map(<[i32]>::to_vec);
    let rest = rows.leads.iter().zip(&rows.targets).zip(&rows.results);
    let all: Vec<_> = categories
        .zip(rest)
        .map(|(categories, ((lead, target), result))| {
            (categories, lead.to_bits(), target.map(f32::to_bits), *result)
        })
        .collect();
    assert_eq!([all.len(), rows.leads.len(), rows.targets.len()], [rows.len(); 3]);
    all
}

/// All rows in the order they come, and how many each batch has.
fn drain(batches: Batches<'_>, width: usize) -> (Vec<Print>, Vec<usize>) {
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    for rows in batches {
        let rows = rows.unwrap();
        sizes.push(rows.len());
        all.extend(prints(&rows, width));
    }
    (all, sizes)
}

fn sorted(mut rows: Vec<Print>) -> Vec<Print> {
    rows.sort_unstable();
    rows
}

/// 200 games in 8 parts, with values.
fn good() -> TempDir {
    let dir = tempdir().unwrap();
    make(dir.path(), "2x5x4", "ab:depth=1", 200, 3);
    dir
}

#[test]
fn an_epoch_has_every_row_once_on_its_side() {
    let (dir, other) = (good(), tempdir().unwrap());
    make(other.path(), "2x5x6", "random", 60, 4);
    let folders = [dir.path(), other.path(), dir.path()];
    for (buffer, threads, random_rows) in
        [(1, 1, RandomRows::Skip), (300, 3, RandomRows::Keep), (1 << 20, 2, RandomRows::Skip)]
    {
        let reading = Reading { lambda: 0.25, random_rows, ..READING };
        let whole = read(&folders, &reading).unwrap();
        let [training, validation] = [&whole.training, &whole.validation].map(|rows| sorted(prints(rows, 5)));
        let [buffer, threads] = [buffer, threads].map(|number| NonZeroUsize::new(number).unwrap());
        let streaming = Streaming { buffer, threads, ..STREAMING };
        let stream = Stream::open(&windows(&folders), &reading, streaming, |_, _| {}).unwrap();
        assert_eq!(stream.rows(), [training.len() as u64, validation.len() as u64]);
        assert_eq!((stream.games(), stream.width()), (whole.games, 5));
        assert_eq!(stream.description(), whole.description());
        for (epoch, batch) in [(1, 1), (2, 100), (3, 1 << 20)] {
            let (rows, sizes) = drain(stream.training(9, epoch, batch, 0), 5);
            assert_eq!(sorted(rows), training);
            assert!(sizes[..sizes.len() - 1].iter().all(|&size| size == batch), "{sizes:?}");
            let (rows, sizes) = drain(stream.validation(batch), 5);
            assert_eq!(sorted(rows), validation);
            assert!(sizes[..sizes.len() - 1].iter().all(|&size| size == batch), "{sizes:?}");
        }
    }
}

#[test]
fn the_order_comes_from_seed_and_epoch_alone() {
    let dir = good();
    let stream = open(&[dir.path()], STREAMING).unwrap();
    let (order, _) = drain(stream.training(9, 1, 64, 0), 5);
    for threads in [2, 3, 40] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let other = open(&[dir.path()], Streaming { threads, ..STREAMING }).unwrap();
        assert_eq!(other.fingerprint(), stream.fingerprint());
        assert!(drain(other.training(9, 1, 64, 0), 5).0 == order, "{threads} threads");
    }
    for (seed, epoch) in [(9, 2), (8, 1)] {
        assert!(drain(stream.training(seed, epoch, 64, 0), 5).0 != order);
    }
    for skip in [1, 7, order.len() / 64] {
        assert!(drain(stream.training(9, 1, 64, skip as u64), 5).0 == order[64 * skip..]);
    }
    for skip in [order.len() as u64, u64::MAX] {
        assert!(stream.training(9, 1, 64, skip).next().is_none());
    }
    let buffer = NonZeroUsize::new(301).unwrap();
    let other = open(&[dir.path()], Streaming { buffer, ..STREAMING }).unwrap();
    assert_ne!(other.fingerprint(), stream.fingerprint());
    // Whoever has had enough goes.
    let mut batches = stream.training(9, 1, 64, 0);
    batches.next().unwrap().unwrap();
}

#[test]
fn a_buffer_that_holds_all_rows_mixes_all_games() {
    let dir = good();
    let streaming = Streaming { buffer: Streaming::BUFFER, ..STREAMING };
    let stream = open(&[dir.path()], streaming).unwrap();
    // Rows that there is only one of, by their place in the files.
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, row) in games(dir.path()).iter().flatten().enumerate() {
        places.entry(encoded(row).0).or_default().push(place);
    }
    let (rows, _) = drain(stream.training(9, 1, 64, 0), 5);
    let order: Vec<f64> = rows
        .iter()
        .filter_map(|row| places[&row.0].as_slice().try_into().ok())
        .map(|[at]: [usize; 1]| at as f64)
        .collect();
    // Spearman's correlation, of places instead of ranks; its standard deviation by chance is 1/√n.
    let count = order.len() as f64;
    let mean = order.iter().sum::<f64>() / count;
    let middle = (count - 1.0) / 2.0;
    let sums = order.iter().enumerate().fold([0.0; 3], |[both, x, y], (rank, at)| {
        let (dx, dy) = (rank as f64 - middle, at - mean);
        [both + dx * dy, x + dx * dx, y + dy * dy]
    });
    let correlation = sums[0] / (sums[1] * sums[2]).sqrt();
    assert!(count > 500.0 && correlation.abs() < 4.0 / count.sqrt(), "{correlation} of {count}");
}

/// Changes a part of a dataset, and its hash in the manifest.
fn rewrite(dir: &Path, part: usize, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let mut manifest = Manifest::load(dir).unwrap();
    let entry = &mut manifest.parts[part];
    let bytes = change(fs::read(dir.join(&entry.file)).unwrap());
    fs::remove_file(dir.join(&entry.file)).unwrap();
    fs::write(dir.join(name), &bytes).unwrap();
    entry.file = name.to_owned();
    entry.sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    manifest.save(dir).unwrap();
}

#[test]
fn compressed_parts_are_read_alike() {
    let dir = good();
    let stream = open(&[dir.path()], STREAMING).unwrap();
    let (plain, _) = drain(stream.training(9, 1, 64, 0), 5);
    let whole = read(&[dir.path()], &READING).unwrap();
    for part in [0, 3, 7] {
        let name = format!("part-{part:05}.csv.zst");
        rewrite(dir.path(), part, &name, |bytes| match part {
            // Frames one after another are one text.
            3 => {
                let (one, two) = bytes.split_at(bytes.len() / 2);
                [one, two].map(|piece| zstd::encode_all(piece, 19).unwrap()).concat()
            }
            _ => zstd::encode_all(&bytes[..], 1).unwrap(),
        });
    }
    let stream = open(&[dir.path()], STREAMING).unwrap();
    assert!(drain(stream.training(9, 1, 64, 0), 5).0 == plain);
    let compressed = read(&[dir.path()], &READING).unwrap();
    assert!((compressed.training, compressed.validation) == (whole.training, whole.validation));

    let name = dir.path().join("part-00003.csv.zst");
    let bytes = fs::read(&name).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    for damaged in [
        &bytes[..bytes.len() / 3],
        &bytes[..bytes.len() - 1],
        &flipped,
        &[&bytes[..], b"more"].concat(),
        b"no",
    ] {
        fs::write(&name, damaged).unwrap();
        let error = open(&[dir.path()], STREAMING).unwrap_err().to_string();
        assert!(error.starts_with(name.to_str().unwrap()) && error.lines().count() == 1, "{error}");
        let skipping = Streaming { on_bad: OnBad::Skip, ..STREAMING };
        assert!(damaged == &flipped[..] || open(&[dir.path()], skipping).is_err());
    }
}

/// Changes the text of a part and not the manifest; gives its path.
fn damage(dir: &Path, part: usize, change: impl FnOnce(&mut Vec<String>)) -> String {
    let path = dir.join(format!("part-{part:05}.csv"));
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_part_that_was_changed_is_refused_before_training_and_during_it() {
    let dir = good();
    let stream = open(&[dir.path()], STREAMING).unwrap();
    let changed = |lines: &mut Vec<String>| {
        let row = lines.iter_mut().find(|line| line.contains(",search,")).unwrap();
        let (head, tail) = row.split_once(",search,").unwrap();
        let (value, tail) = tail.split_once(',').unwrap();
        let other = if value == "0.1234" { "0.4321" } else { "0.1234" };
        *row = format!("{head},search,{other},{tail}");
    };
    let path = damage(dir.path(), 5, changed);
    let said =
        format!("{path}: its SHA-256 is not that of the manifest: it was changed since it was written");
    for on_bad in [OnBad::Stop, OnBad::Skip] {
        let streaming = Streaming { on_bad, threads: NonZeroUsize::new(3).unwrap(), ..STREAMING };
        assert_eq!(open(&[dir.path()], streaming).unwrap_err().to_string(), said);
    }
    // The one that was opened before reads to the end of the part, and no further; what it compares is not the SHA-256.
    let said = format!(
        "{path}: its length or CRC-32 is not what it was when it was checked: it was changed meanwhile"
    );
    for batches in [stream.training(9, 1, 64, 0), stream.validation(64)] {
        let all: Vec<_> = batches.collect();
        let (last, before) = all.split_last().unwrap();
        assert_eq!(last.as_ref().unwrap_err().to_string(), said);
        assert!(before.iter().all(Result::is_ok));
    }
    damage(dir.path(), 5, |lines| lines[7].push('x'));
    let error = stream.training(9, 1, 64, 0).find_map(Result::err).map(|error| error.to_string());
    let later = stream.validation(64).find_map(Result::err).map(|error| error.to_string());
    assert!([error, later].iter().flatten().any(|said| said.contains("line 8: column `end`")));
    fs::remove_file(path).unwrap();
    assert!(stream.validation(64).any(|rows| rows.is_err()));
}

#[test]
fn of_several_faults_the_first_is_told_whatever_the_threads() {
    let dir = good();
    let path = damage(dir.path(), 2, |lines| lines[4].push('x'));
    damage(dir.path(), 3, |lines| lines.truncate(1));
    damage(dir.path(), 6, |lines| lines[1].clear());
    for threads in [1, 2, 8] {
        let streaming = Streaming { threads: NonZeroUsize::new(threads).unwrap(), ..STREAMING };
        let error = open(&[dir.path()], streaming).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path}, line 5: column `end`")), "{error}");
    }

    // The games of a part have been in the one before.
    let dir = good();
    let first = fs::read(dir.path().join("part-00000.csv")).unwrap();
    let rows = first.iter().filter(|&&byte| byte == b'\n').count() as u64 - 1;
    let mut manifest = Manifest::load(dir.path()).unwrap();
    manifest.rows = manifest.rows - manifest.parts[1].rows + rows;
    manifest.parts[1].rows = rows;
    manifest.save(dir.path()).unwrap();
    rewrite(dir.path(), 1, "part-00001.csv", |_| first);
    let error = open(&[dir.path()], STREAMING).unwrap_err().to_string();
    assert!(error.contains("part-00001.csv, line 2: ply 0 of game 0 does not follow"), "{error}");
}

#[test]
fn games_with_wrong_rows_can_be_left_out() {
    type Change = fn(&mut Vec<String>);
    // What is done to the third part, and which of its games are lost by it.
    let cases: &[(Change, &[usize])] = &[
        (|lines| lines[1].push('x'), &[0]),
        (|lines| lines[3].clear(), &[0]),
        (|lines| lines[5] = "\u{fffd}".repeat(3000), &[0]),
        (|lines| lines[5] = "0,".repeat(400_000), &[0]),
        (|lines| lines[2] = "\"".to_owned(), &[0]),
        (|lines| lines.insert(4, lines[3].clone()), &[0]),
        (|lines| drop(lines.pop()), &[24]),
        (|lines| lines.last_mut().unwrap().push('x'), &[24]),
        // The second game's first row, its last row, and a row that says it is of another game.
        (|lines| drop(lines.remove(of_game(lines, 1))), &[1]),
        (|lines| drop(lines.remove(of_game(lines, 2) - 1)), &[1]),
        (|lines| put_first_row(lines, 2), &[1]),
        (|lines| put_first_row(lines, 0), &[1]),
        (
            |lines| {
                let at = [of_game(lines, 4), of_game(lines, 5), of_game(lines, 20) + 1];
                at.iter().for_each(|&at| lines[at].push('x'));
            },
            &[4, 5, 20],
        ),
        (
            |lines| {
                let at = of_game(lines, 7);
                let (head, end) = lines[at].rsplit_once(',').unwrap();
                let other = if end == "no-moves" { "2,no-moves" } else { "endless" };
                lines[at] = format!("{head},{other}");
            },
            &[7],
        ),
    ];
    let skipping = Streaming { on_bad: OnBad::Skip, ..STREAMING };
    for (number, (change, lost)) in cases.iter().enumerate() {
        let dir = good();
        let all = games(dir.path());
        let clean = open(&[dir.path()], skipping).unwrap();
        assert_eq!((clean.left_out().games, clean.left_out().rows, &clean.left_out().first), (0, 0, &None));
        let path = damage(dir.path(), 2, change);
        assert!(open(&[dir.path()], STREAMING).is_err(), "case {number}");
        let stream = open(&[dir.path()], skipping).unwrap();
        assert_ne!(stream.fingerprint(), clean.fingerprint());

        let is_lost = |game: &&Vec<Sample>| {
            (50..75).contains(&game[0].game) && lost.contains(&(game[0].game as usize - 50))
        };
        let rows: u64 = all.iter().filter(is_lost).map(|game| game.len() as u64).sum();
        let left_out = stream.left_out();
        assert_eq!((left_out.games, left_out.rows), (lost.len() as u64, rows), "case {number}");
        assert!(left_out.first.as_ref().unwrap().starts_with(&format!("{path}, line ")), "{left_out:?}");
        let mut wanted: Vec<_> = all.iter().filter(|game| !is_lost(game)).flatten().map(encoded).collect();
        let both = [stream.training(9, 1, 64, 0), stream.validation(64)];
        let mut found: Vec<_> = both
            .into_iter()
            .flat_map(|batches| drain(batches, 5).0)
            .map(|(categories, lead, ..)| (categories, f32::from_bits(lead)))
            .collect();
        let by_numbers = |a: &(Vec<i32>, f32), b: &(Vec<i32>, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        wanted.sort_by(by_numbers);
        found.sort_by(by_numbers);
        assert!(wanted == found, "case {number}");
    }
}

/// The line of a game's first row, of the games of the third part counted from 0.
fn of_game(lines: &[String], game: usize) -> usize {
    let start = format!("{},0,", 50 + game);
    lines.iter().position(|line| line.starts_with(&start)).unwrap()
}

/// The first row of a game instead of the third of the second game.
fn put_first_row(lines: &mut [String], game: usize) {
    let at = of_game(lines, 1) + 2;
    lines[at] = lines[of_game(lines, game)].clone();
}

#[test]
fn a_weight_draws_its_share_of_the_games_evenly_over_the_epochs() {
    let (dir, other) = (good(), tempdir().unwrap());
    make(other.path(), "2x5x6", "random", 60, 4);
    let open = |weight: f64| {
        let windows = [other.path().to_owned().into(), Window { folder: dir.path().to_owned(), weight }];
        Stream::open(&windows, &READING, STREAMING, |_, _| {}).unwrap()
    };
    let thin = [Window { folder: dir.path().to_owned(), weight: 0.01 }];
    let error = Stream::open(&thin, &READING, STREAMING, |_, _| {}).unwrap_err().to_string();
    assert!(error.contains("games on average: at least 10 are needed"), "{error}");
    let whole = open(1.0);
    let (all, _) = drain(whole.training(9, 1, 64, 0), 5);
    let (others, _) = drain(self::open(&[other.path()], STREAMING).unwrap().training(9, 1, 64, 0), 5);
    let count = |rows: Vec<Print>| {
        let mut counts: HashMap<Print, i64> = HashMap::new();
        rows.into_iter().for_each(|row| *counts.entry(row).or_default() += 1);
        counts
    };
    let (all, others) = (count(all), count(others));
    for (weight, epochs) in [(0.5, 2), (0.25, 4), (0.75, 4)] {
        let stream = open(weight);
        assert_eq!(drain(stream.validation(64), 5), drain(whole.validation(64), 5));
        assert!(stream.description().contains(&format!("; {weight} of 200 games of 2x5x4")));
        assert_ne!(stream.fingerprint(), whole.fingerprint());
        let each: Vec<_> =
            (5..5 + epochs).map(|epoch| drain(stream.training(9, epoch, 64, 0), 5).0).collect();
        let (rows, rest) = (whole.rows()[0] as f64, others.values().sum::<i64>() as f64);
        for rows_of_epoch in &each {
            let share = (rows_of_epoch.len() as f64 - rest) / (rows - rest);
            // Four standard deviations of 150 games, whose lengths differ.
            assert!((share - weight).abs() < 0.2, "{share} for {weight}");
        }
        let expected = stream.rows()[0] as f64;
        let mean = each.iter().map(Vec::len).sum::<usize>() as f64 / f64::from(epochs);
        assert!((mean - expected).abs() <= 1.0, "{mean} {expected}");
        // Each game of this folder as often as any other.
        let sum = count(each.into_iter().flatten().collect());
        let often = (weight * f64::from(epochs)) as i64;
        for (row, &in_all) in &all {
            let of_others = others.get(row).copied().unwrap_or(0);
            assert_eq!(sum[row], i64::from(epochs) * of_others + often * (in_all - of_others));
        }
    }
}

#[test]
fn a_weight_stands_behind_an_at_sign() {
    let window = |folder: &str, weight| Window { folder: folder.into(), weight };
    for (text, wanted) in [
        ("games", window("games", 1.0)),
        ("games@0.5", window("games", 0.5)),
        ("gen@3@1", window("gen@3", 1.0)),
        ("me@home/games", window("me@home/games", 1.0)),
        ("a@b@1e-3", window("a@b", 0.001)),
    ] {
        assert_eq!(text.parse::<Window>().unwrap(), wanted, "{text}");
    }
    for (text, words) in
        [("", "a folder"), ("@0.5", "a folder"), ("a@0", "above 0"), ("a@1.5", "DIR@1"), ("a@nan", "above 0")]
    {
        let error = text.parse::<Window>().unwrap_err();
        assert!(error.contains(words), "{text}: {error}");
    }
}
