//! The tables against the records of an independent program. A failure names file and line.

use giuthi_engine::endgame::tablebase::{Index, Tablebase, Threshold, Value};
use giuthi_engine::{Move, MoveKind};

use super::{boards, position, tables};

/// The rows of a golden file that tell of boards with at most so many seeds, as file and line, and fields.
fn rows(file: &str, seeds: usize) -> Vec<(String, Vec<String>)> {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(path).expect("the golden file is there");
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.expect("a whole row");
        let line = record.position().expect("a row read has a place").line();
        if record[1].parse::<usize>().expect("a number of seeds") <= seeds {
            rows.push((format!("{file}:{line}"), record.iter().map(str::to_owned).collect()));
        }
    }
    rows
}

/// A threshold as the files have it.
fn written(threshold: Threshold) -> String {
    match threshold {
        Threshold::Always => "-inf".to_owned(),
        Threshold::Lead(lead) => lead.to_string(),
        Threshold::Never => "inf".to_owned(),
    }
}

/// What a row of counts has to be, for boards of so many seeds.
fn counted(table: &Tablebase, seeds: usize) -> Vec<i64> {
    let index = Index::new(table.pits());
    let mut counts = [0; 9];
    let [win, draw, loss, never_win, never_lose, always_draw, endless, win_sum, draw_sum] = &mut counts;
    for position in boards(&index, seeds) {
        let thresholds = table.probe(&position).unwrap();
        *match thresholds.value(0) {
            Value::Win => &mut *win,
            Value::Draw => &mut *draw,
            Value::Loss => &mut *loss,
        } += 1;
        *never_win += i64::from(thresholds.win == Threshold::Never);
        *never_lose += i64::from(thresholds.draw == Threshold::Always);
        *always_draw += i64::from((thresholds.win, thresholds.draw) == (Threshold::Never, Threshold::Always));
        position.each_step(|_, step| *endless += i64::from(step.sowing.kind == MoveKind::Endless));
        for (sum, threshold) in [(&mut *win_sum, thresholds.win), (&mut *draw_sum, thresholds.draw)] {
            if let Threshold::Lead(lead) = threshold {
                *sum += i64::from(lead);
            }
        }
    }
    let all = [table.pits() as i64, seeds as i64, index.boards(seeds) as i64];
    all.into_iter().chain(counts).collect()
}

/// Holds tables of a width to all rows that they have the boards of; there have to be so many of each file.
fn check(pits: usize, seeds: usize, (count_rows, sample_rows): (usize, usize)) {
    let table = tables(pits, seeds);
    let counts = rows(&format!("endgame_2x{pits}_counts.csv"), seeds);
    assert_eq!(counts.len(), count_rows);
    for (place, fields) in counts {
        let found: Vec<String> =
            counted(&table, fields[1].parse().unwrap()).iter().map(i64::to_string).collect();
        assert_eq!(fields, found, "{place} (file left, engine right)");
    }
    let samples = rows(&format!("endgame_2x{pits}_samples.csv"), seeds);
    assert_eq!(samples.len(), sample_rows);
    for (place, fields) in samples {
        sample(&table, &place, &fields);
    }
}

fn sample(table: &Tablebase, place: &str, fields: &[String]) {
    let pits: Vec<u8> = fields[2].split(' ').map(|seeds| seeds.parse().unwrap()).collect();
    let position = position(&pits, [0, 0]);
    let thresholds = table.probe(&position).unwrap();
    let moves = table.moves(&position).unwrap();
    let found = [written(thresholds.win), written(thresholds.draw), thresholds.value(0).to_string()];
    assert_eq!(fields[3..6], found, "{place} (file left, engine right)");
    let name = |mv: Move| mv.to_string();
    let mut best: Vec<String> = moves
        .iter()
        .filter(|each| each.thresholds.value(0) == thresholds.value(0))
        .map(|each| name(each.mv))
        .collect();
    let mut wanted: Vec<String> = fields[6].split_whitespace().map(str::to_owned).collect();
    best.sort();
    wanted.sort();
    assert_eq!(wanted, best, "{place}: best moves (file left, engine right)");
    let mut each: Vec<String> = moves
        .iter()
        .map(|each| format!("{}:{}:{}", each.mv, written(each.thresholds.win), written(each.thresholds.draw)))
        .collect();
    let mut wanted: Vec<String> = fields[7].split_whitespace().map(str::to_owned).collect();
    each.sort();
    wanted.sort();
    assert_eq!(wanted, each, "{place}: moves (file left, engine right)");
}

#[test]
fn small_tables_are_as_recorded() {
    check(5, 10, (11, 8));
    check(6, 8, (9, 12));
    check(8, 6, (7, 7));
}

#[test]
#[ignore = "a minute with --release"]
fn all_recorded_tables_are_as_recorded() {
    check(5, 16, (15, 17));
    check(6, 14, (13, 76));
    check(8, 12, (11, 100));
}
