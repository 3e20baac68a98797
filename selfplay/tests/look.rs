//! `giuthi-selfplay stats` and `sample`: against the rows read by other means.

mod support;

use std::collections::HashSet;
use std::fs;

use giuthi_engine::{Ending, Sample, Source};
use serde_json::Value;
use support::{games, make, program, settings};
use tempfile::{TempDir, tempdir};

fn good() -> TempDir {
    let dir = tempdir().unwrap();
    make(&settings("2x5x4", "ab:depth=1", 60, 20), dir.path(), 1);
    dir
}

#[test]
fn statistics_are_those_of_the_rows() {
    let dir = good();
    let path = dir.path().to_str().unwrap();
    let (code, out, said) = program(&["stats", "--json", "--threads", "2", path]);
    assert_eq!(code, 0, "{said}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let all = games(dir.path());
    let rows: Vec<&Sample> = all.iter().flatten().collect();
    let count = |good: &dyn Fn(&Sample) -> bool| rows.iter().filter(|row| good(row)).count() as u64;
    assert_eq!((&found["games"], &found["rows"]), (&60.into(), &rows.len().into()));
    for source in Source::ALL {
        assert_eq!(found["moves"][source.name()], count(&|row| row.source == source));
    }
    for ending in Ending::ALL {
        let ended = all.iter().filter(|game| game[0].ending == ending).count();
        assert_eq!(found["endings"][ending.name()], ended);
    }
    let first = |result: i8| {
        all.iter().filter(|game| game[0].result * [1, -1][game[0].player().index()] == result).count()
    };
    assert_eq!(found["player0_wins"], first(1));
    assert_eq!(found["draws"], first(0));
    let different: HashSet<_> = rows.iter().map(|row| row.position).collect();
    assert_eq!(found["distinct_positions"], different.len());
    let mut lengths: Vec<usize> = all.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!(
        (&found["plies"]["shortest"], &found["plies"]["longest"]),
        (&lengths[0].into(), &lengths[59].into())
    );
    assert_eq!(found["plies"]["median"], lengths[29]);
    assert_eq!(found["values"]["rows"], count(&|row| row.value.is_some()));
    let by_ply: u64 =
        found["values_by_ply"].as_array().unwrap().iter().map(|band| band["rows"].as_u64().unwrap()).sum();
    assert_eq!(found["values"]["rows"], by_ply);
    let values: f64 = rows.iter().filter_map(|row| row.value).map(f64::from).sum();
    let mean = found["values"]["mean_value"].as_f64().unwrap();
    assert!((mean - values / by_ply as f64).abs() < 1e-5, "{mean}");
    let sum = |of: &dyn Fn(&Sample) -> i64| rows.iter().map(|row| of(row)).sum::<i64>();
    assert_eq!(found["sums"]["game"], sum(&|row| row.game as i64));
    assert_eq!(found["sums"]["ply"], sum(&|row| row.ply.into()));
    assert_eq!(found["sums"]["p7"], sum(&|row| row.position.board().pits()[7].into()));
    assert_eq!(found["sums"]["pile1"], sum(&|row| row.position.piles()[1].into()));
    assert_eq!(found["sums"]["margin"], sum(&|row| row.margin.into()));
    // On one thread the same, and as words for people.
    assert_eq!(program(&["stats", "--json", "--threads", "1", path]).1, out);
    let (_, words, _) = program(&["stats", path]);
    assert!(words.contains("different games") && words.contains("calibration error"), "{words}");

    fs::write(dir.path().join("part-00001.csv"), "no\n").unwrap();
    let (code, _, said) = program(&["stats", path]);
    assert!(code == 1 && said.contains("part-00001.csv, line 1"), "{said}");
}

#[test]
fn samples_are_rows_of_the_dataset() {
    let dir = good();
    let path = dir.path().to_str().unwrap();
    let mut all = HashSet::new();
    for part in 0..3 {
        let text = fs::read_to_string(dir.path().join(format!("part-{part:05}.csv"))).unwrap();
        all.extend(text.lines().map(str::to_owned));
    }
    let (code, out, _) = program(&["sample", path, "--rows", "50", "--seed", "3"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((code, lines.len()), (0, 51));
    assert!(lines.iter().all(|line| all.contains(*line)), "{out}");
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 51, "drawn twice");
    assert_eq!(program(&["sample", path, "--rows", "50", "--seed", "3"]).1, out);
    assert_ne!(program(&["sample", path, "--rows", "50", "--seed", "4"]).1, out);

    // All rows there are, in order.
    let rows = all.len() - 1;
    let (_, out, _) = program(&["sample", path, "--rows", &rows.to_string(), "--seed", "1"]);
    assert_eq!(out.lines().skip(1).map(str::to_owned).collect::<HashSet<_>>().len(), rows);
    let (code, _, said) = program(&["sample", path, "--rows", &(rows + 1).to_string(), "--seed", "1"]);
    assert!(code == 1 && said.contains("are asked for"), "{said}");

    // Whole games.
    let (_, out, _) = program(&["sample", path, "--games", "4", "--seed", "1"]);
    let numbers: HashSet<u64> =
        out.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    let wanted: usize =
        games(dir.path()).iter().filter(|game| numbers.contains(&game[0].game)).map(Vec::len).sum();
    assert_eq!((numbers.len(), out.lines().count()), (4, wanted + 1));

    let (code, out, _) = program(&["sample", path, "--rows", "2", "--seed", "1", "--board"]);
    assert!(code == 0 && out.matches("player 0").count() >= 2 && out.contains("margin"), "{out}");
    assert_eq!(program(&["sample", path, "--rows", "0"]).0, 2);
}
