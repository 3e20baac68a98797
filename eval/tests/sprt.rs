//! Sequential tests against fixed numbers, fastchess, a slow way to the same likelihoods, and chance itself.

mod golden;

use giuthi_engine::rng::game_rng;
use giuthi_eval::sprt::{EloModel, Sprt, Verdict};
use giuthi_eval::stats::Counts;
use golden::{assert_near, csv};
use proptest::prelude::*;
use rand::RngExt;

fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
}

#[test]
fn log_likelihood_ratios_equal_those_of_fastchess() {
    let mut compared = 0;
    for (name, columns) in [("fastchess_penta.csv", 5), ("fastchess_wdl.csv", 3)] {
        let mut reader = csv(name);
        let header = reader.headers().unwrap().clone();
        let at = |name: &str| header.iter().position(|column| column == name).unwrap();
        for record in reader.records() {
            let record = record.unwrap();
            let numbers: Vec<&str> = record.iter().take(columns).collect();
            let counts: Counts = numbers.join(",").parse().unwrap();
            for (column, model, tolerance) in [
                ("llr_logistic_0_5", EloModel::Logistic, 5e-4),
                ("llr_normalized_0_5", EloModel::Normalised, 1e-5),
            ] {
                let wanted = record[at(column)].parse().unwrap();
                assert_near(sprt(0.0, 5.0, model).llr(&counts), wanted, tolerance, &format!("{counts:?}"));
                compared += 1;
            }
            if columns == 3 {
                let [lower, upper] = sprt(0.0, 5.0, EloModel::Logistic).bounds();
                assert_near(lower, record[at("lower")].parse().unwrap(), 1e-8, "lower bound");
                assert_near(upper, record[at("upper")].parse().unwrap(), 1e-8, "upper bound");
            }
        }
    }
    assert_eq!(compared, 40);
}

#[test]
fn bounds_are_those_of_wald() {
    let [lower, upper] = Sprt::new(0.0, 5.0, 0.01, 0.2, EloModel::Logistic).unwrap().bounds();
    assert_near(lower, (0.2_f64 / 0.99).ln(), 1e-12, "lower");
    assert_near(upper, 80.0_f64.ln(), 1e-12, "upper");
    let test = sprt(0.0, 5.0, EloModel::Logistic);
    let [lower, upper] = test.bounds();
    for (llr, verdict) in [
        (0.0, Verdict::Undecided),
        (lower + 1e-9, Verdict::Undecided),
        (lower, Verdict::H0),
        (-9.0, Verdict::H0),
        (upper, Verdict::H1),
    ] {
        assert_eq!(test.verdict(llr), verdict);
    }
}

/// The greatest log-likelihood of counts of games under a condition on the chances, by trying them all: the chance of a
/// draw on a grid made finer and finer, that of a win by the condition.
fn likeliest(counts: [f64; 3], win: impl Fn(f64) -> f64) -> f64 {
    let value = |draw: f64| {
        let win = win(draw);
        let loss = 1.0 - win - draw;
        if win <= 0.0 || loss <= 0.0 {
            return f64::NEG_INFINITY;
        }
        counts[0] * loss.ln() + counts[1] * draw.ln() + counts[2] * win.ln()
    };
    let (mut middle, mut width) = (0.5, 0.5);
    for _ in 0..40 {
        let tried = (-50..=50).map(|i| middle + width * f64::from(i) / 50.0);
        middle = tried
            .filter(|draw| (1e-12..1.0).contains(draw))
            .max_by(|a, b| value(*a).total_cmp(&value(*b)))
            .unwrap();
        width /= 2.0;
    }
    value(middle)
}

#[test]
fn likelihoods_are_the_greatest_under_each_hypothesis() {
    for [losses, draws, wins] in [[80, 50, 100], [10, 300, 40], [200, 30, 150], [1, 10_000, 1]] {
        let counts = Counts::Games([losses, draws, wins]);
        let numbers = [losses, draws, wins].map(|number| number as f64);
        // Points are win + draw / 2.
        let score = |elo: f64| 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
        let logistic = |elo: f64| likeliest(numbers, |draw| score(elo) - draw / 2.0);
        let wanted = logistic(20.0) - logistic(-10.0);
        assert_near(sprt(-10.0, 20.0, EloModel::Logistic).llr(&counts), wanted, 1e-6, "logistic");
        // With x points beyond one half, x = t σ and σ² = (1 - draw) / 4 - x²: x = t √((1 - draw) / 4 / (1 + t²)).
        let normalised = |elo: f64| {
            let excess = elo * std::f64::consts::LN_10 / 800.0;
            let beyond = |draw: f64| excess * ((1.0 - draw) / 4.0 / (1.0 + excess * excess)).sqrt();
            likeliest(numbers, |draw| 0.5 + beyond(draw) - draw / 2.0)
        };
        let wanted = normalised(20.0) - normalised(-10.0);
        assert_near(sprt(-10.0, 20.0, EloModel::Normalised).llr(&counts), wanted, 1e-6, "normalised");
    }
}

/// A pair's half-points, the games won with a chance each, drawn with another; each opening favours one of the seats.
fn pair(chance: f64, draws: f64, rng: &mut impl rand::Rng) -> usize {
    let bias = rng.random_range(-0.25..0.25);
    let mut game = |chance: f64| {
        let drawn = rng.random_range(0.0..1.0);
        usize::from(drawn < chance - draws / 2.0) + usize::from(drawn < chance + draws / 2.0)
    };
    game(chance + bias) + game(chance - bias)
}

#[test]
fn tests_are_wrong_no_more_often_than_they_say() {
    for (case, (truth, right)) in [(0.0, Verdict::H0), (60.0, Verdict::H1)].into_iter().enumerate() {
        for model in [EloModel::Logistic, EloModel::Normalised] {
            let chance = 1.0 / (1.0 + 10.0_f64.powf(-truth / 400.0));
            let rng = &mut game_rng(11, case as u64);
            // The second hypothesis of the normalised model is the truth too: by the spread of very many pairs.
            let elo1 = match model {
                EloModel::Logistic => 60.0,
                EloModel::Normalised => {
                    let mut counts = [0; 5];
                    let rng = &mut game_rng(12, 0);
                    let chance = 1.0 / (1.0 + 10.0_f64.powf(-60.0 / 400.0));
                    (0..200_000).for_each(|_| counts[pair(chance, 0.3, rng)] += 1);
                    Counts::Pairs(counts).normalised_elo().unwrap()[1]
                }
            };
            let test = sprt(0.0, elo1, model);
            let (mut wrong, mut pairs) = (0, 0);
            for _ in 0..400 {
                let mut counts = [0; 5];
                let verdict = loop {
                    counts[pair(chance, 0.3, rng)] += 1;
                    pairs += 1;
                    match test.verdict(test.llr(&Counts::Pairs(counts))) {
                        Verdict::Undecided => {}
                        verdict => break verdict,
                    }
                };
                wrong += usize::from(verdict != right);
            }
            // 5 % of 400 are 20, and their standard error 4.4.
            assert!((4..=32).contains(&wrong), "{model:?}, {truth} Elo: {wrong} of 400 are wrong");
            assert!(pairs < 400 * 200, "{model:?}, {truth} Elo: {pairs} pairs for 400 tests");
        }
    }
}

#[test]
fn settings_out_of_bounds_are_refused() {
    for (elo0, elo1, alpha, beta, words) in [
        (5.0, 0.0, 0.05, 0.05, "less than"),
        (0.0, 0.0, 0.05, 0.05, "less than"),
        (0.0, 500.0, 0.05, 0.05, "400"),
        (f64::NAN, 5.0, 0.05, 0.05, "400"),
        (0.0, 5.0, 0.0, 0.05, "0.49"),
        (0.0, 5.0, 0.05, 0.5, "0.49"),
        (0.0, 5.0, 0.05, f64::NAN, "0.49"),
    ] {
        let error = Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic).unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}

proptest! {
    #[test]
    fn ratios_are_finite_and_turn_with_the_view(
        counts in prop::array::uniform5(prop_oneof![Just(0), 0..500_u64, Just(1_000_000)]),
        elo0 in -390.0..380.0_f64,
        more in 0.1..10.0_f64,
        normalised: bool,
    ) {
        let model = if normalised { EloModel::Normalised } else { EloModel::Logistic };
        let mut turned = counts;
        turned.reverse();
        let here = sprt(elo0, elo0 + more, model).llr(&Counts::Pairs(counts));
        let there = sprt(-elo0 - more, -elo0, model).llr(&Counts::Pairs(turned));
        prop_assert!(here.is_finite());
        prop_assert!((here + there).abs() < 1e-6 * (1.0 + here.abs()), "{} {}", here, there);
        // A better score speaks for the second hypothesis.
        let all_won = sprt(elo0, elo0 + more, model).llr(&Counts::Pairs([0, 0, 0, 0, 9]));
        prop_assert!(all_won > 0.0, "{}", all_won);
    }
}
