//! Statistics of a match against fixed numbers, fastchess, and slower ways to the same answer.

mod golden;

use std::collections::BTreeMap;

use giuthi_eval::stats::{Counts, elo_of_score, normal, score_of_elo};
use golden::{assert_near, csv};

/// Rows of fastchess's statistics: the counts, and what stands in each column.
fn rows() -> Vec<(Counts, BTreeMap<String, String>)> {
    let mut rows = Vec::new();
    for (name, columns) in [("fastchess_penta.csv", 5), ("fastchess_wdl.csv", 3)] {
        let mut reader = csv(name);
        let header = reader.headers().unwrap().clone();
        for record in reader.records() {
            let record = record.unwrap();
            let counts: Vec<&str> = record.iter().take(columns).collect();
            let row = header.iter().zip(&record).map(|(column, field)| (column.to_owned(), field.to_owned()));
            rows.push((counts.join(",").parse().unwrap(), row.collect()));
        }
    }
    assert_eq!(rows.len(), 8 + 12);
    rows
}

/// The text `17.83 +/- 22.72` as two numbers.
fn plus_minus(text: &str) -> [f64; 2] {
    let (value, reach) = text.split_once(" +/- ").unwrap();
    [value, reach].map(|number| number.parse().unwrap())
}

#[test]
fn statistics_equal_those_of_fastchess() {
    let mut compared = 0;
    for (counts, row) in rows() {
        let value = |column: &str| row[column].as_str();
        let what = format!("{counts:?}");
        assert_near(counts.score(), value("score").parse().unwrap(), 1e-9, &what);
        if counts.variance() == 0.0 {
            // All went alike: fastchess has `inf` and `nan`.
            assert!(value("nelo_pm95").contains("nan"), "{what}");
            continue;
        }
        let [lower, normalised, upper] = counts.normalised_elo().unwrap();
        let [wanted, reach] = plus_minus(value("nelo_pm95"));
        assert_near(normalised, wanted, 0.0051, &what);
        assert_near((upper - lower) / 2.0, reach, 0.0051, &what);
        let [wanted, reach] = plus_minus(value("elo_pm95"));
        assert_near(elo_of_score(counts.score()), wanted, 0.0051, &what);
        // It carries the ends of the interval of the score over to Elo.
        let ends = [-1.0, 1.0].map(|way| counts.score() + way * 1.959_964 * counts.standard_error());
        assert_near((elo_of_score(ends[1]) - elo_of_score(ends[0])) / 2.0, reach, 0.0051, &what);
        let superiority: f64 = value("los").strip_suffix(" %").unwrap().parse().unwrap();
        assert_near(100.0 * counts.superiority(), superiority, 0.0051, &what);
        compared += 1;
    }
    assert_eq!(compared, 18);
}

#[test]
fn where_all_went_alike_superiority_is_told_by_how_many_there_were() {
    // With a uniform prior, n wins of n leave 1 / 2^(n + 1) to a chance below one half.
    for (text, wanted) in [
        ("1,0,0", 0.75),
        ("10,0,0", 1.0 - 0.5_f64.powi(11)),
        ("0,0,10", 0.5_f64.powi(11)),
        ("0,7,0", 0.5),
        ("0,0,0", 0.5),
        ("0,0,0,0,3", 1.0 - 0.5_f64.powi(4)),
        ("0,0,9,0,0", 0.5),
    ] {
        let counts: Counts = text.parse().unwrap();
        assert_near(counts.superiority(), wanted, 1e-9, text);
        assert_eq!(counts.normalised_elo(), None, "{text}");
    }
}

#[test]
fn the_normal_distribution_has_the_values_of_tables() {
    for (z, wanted) in [
        (0.0, 0.5),
        (1.0, 0.841_344_746_068_543),
        (1.959_963_984_540_054, 0.975),
        (-1.644_853_626_951_473, 0.05),
        (-6.0, 9.865_876_450_377e-10),
    ] {
        assert_near(normal(z), wanted, 1e-9 * wanted, &z.to_string());
    }
    assert_eq!((normal(f64::INFINITY), normal(f64::NEG_INFINITY)), (1.0, 0.0));
}

#[test]
fn elo_and_score_turn_into_each_other() {
    assert_near(score_of_elo(400.0), 10.0 / 11.0, 1e-12, "400 Elo");
    assert_near(elo_of_score(0.75), 190.848_501_887_865, 1e-9, "three quarters");
    for elo in [-700.0, -10.0, 0.0, 0.5, 250.0] {
        assert_near(elo_of_score(score_of_elo(elo)), elo, 1e-9, "there and back");
    }
}

#[test]
fn pairs_spread_less_than_games_where_openings_decide() {
    // Each opening is won by its first player: the score of pairs has no error at all.
    let pairs: Counts = "0,0,50,0,0".parse().unwrap();
    let games: Counts = "50,0,50".parse().unwrap();
    assert_eq!((pairs.games(), games.games()), (100, 100));
    assert_eq!(pairs.standard_error(), 0.0);
    assert_near(games.standard_error(), 0.05, 1e-12, "games");
}

#[test]
fn texts_that_hold_no_counts_are_refused() {
    for text in
        ["", "1", "1,2", "1,2,3,4", "1,2,3,4,5,6", "1,2,-3", "1,2,x", "1,,3", "1.5,2,3", "9999999999999,0,0"]
    {
        let error = text.parse::<Counts>().unwrap_err().to_string();
        assert!(error.contains("WINS,DRAWS,LOSSES") && !error.contains('\n'), "{text}: {error}");
    }
    assert_eq!("1,2,3".parse(), Ok(Counts::Games([3, 2, 1])));
    assert_eq!(" 1, 2,3,4 ,5".parse(), Ok(Counts::Pairs([1, 2, 3, 4, 5])));
}
