//! Ratings and their intervals against fixed numbers, other programs, slow ways to the same answer, and chance itself.

use giuthi_engine::rng::game_rng;
use giuthi_eval::{Encounter, Observation, Rating, Unrelated, rate};
use proptest::prelude::*;
use rand::{Rng, RngExt};

/// So many pairs of games of agents 0 and 1, each an observation, by the half-points of agent 0: 0 … 4.
fn pairs(counts: [usize; 5]) -> Vec<Observation> {
    let of = |(half_points, count)| {
        std::iter::repeat_n(vec![Encounter { agents: [0, 1], games: 2, half_points }], count)
    };
    (0..5).zip(counts).flat_map(of).collect()
}

/// Single games of two agents, each an observation.
fn games(agents: [usize; 2], wins: usize, draws: usize, losses: usize) -> Vec<Observation> {
    let of =
        |(half_points, count)| std::iter::repeat_n(vec![Encounter { agents, games: 1, half_points }], count);
    [(2, wins), (1, draws), (0, losses)].into_iter().flat_map(of).collect()
}

/// Elo difference of agents 0 and 1 where there are no others, and half the width of its interval.
fn difference(observations: &[Observation]) -> (f64, f64) {
    let ratings = rate(2, observations).unwrap();
    (ratings[0].elo - ratings[1].elo, ratings[0].upper - ratings[0].lower)
}

#[track_caller]
fn assert_near(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((got - wanted).abs() <= tolerance, "{what}: {got} instead of {wanted} ± {tolerance}");
}

fn golden(name: &str) -> csv::Reader<std::fs::File> {
    csv::Reader::from_path(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn a_score_of_75_percent_is_190_elo() {
    // 400 log10(3)
    for observations in [games([0, 1], 75, 0, 25), games([0, 1], 60, 30, 10), pairs([5, 5, 5, 5, 30])] {
        assert_near(difference(&observations).0, 190.848_501_887_865, 1e-6, "75 of 100 points");
    }
    assert_near(difference(&games([0, 1], 5, 10, 5)).0, 0.0, 1e-9, "half the points");
}

#[test]
fn ratings_equal_those_of_ordo() {
    let mut observations = Vec::new();
    let number = |name: &str| usize::from(name.as_bytes()[0] - b'A');
    for record in golden("ordo_pairs.csv").deserialize() {
        let (a, b, wins, draws, losses, _games): (String, String, usize, usize, usize, usize) =
            record.unwrap();
        observations.extend(games([number(&a), number(&b)], wins, draws, losses));
    }
    assert_eq!(observations.len(), 10_080);
    let ratings = rate(8, &observations).unwrap();
    let mut compared = 0;
    for record in golden("ordo_ratings.csv").records() {
        let record = record.unwrap();
        let agent = number(&record[1]);
        let wanted: f64 = record[2].parse().unwrap();
        assert_near(ratings[agent].elo - ratings[0].elo, wanted, 0.05, &record[1]);
        compared += 1;
    }
    assert_eq!(compared, 8);
}

/// The text `17.83 +/- 22.72` as two numbers.
fn plus_minus(text: &str) -> (f64, f64) {
    let (elo, reach) = text.split_once(" +/- ").unwrap();
    (elo.parse().unwrap(), reach.parse().unwrap())
}

#[test]
fn intervals_of_pairs_and_of_games_equal_those_of_fastchess() {
    let mut compared = 0;
    let mut compare = |observations: &[Observation], elo_pm95: &str| {
        // It takes the spread without the small sample's correction, and carries the ends of the interval of the
        // score over to Elo instead of the standard error: no difference to speak of where there are many.
        if observations.len() >= 150 {
            let (elo, reach) = difference(observations);
            let (wanted, wanted_reach) = plus_minus(elo_pm95);
            assert_near(elo, wanted, 0.006, elo_pm95);
            assert_near(reach, wanted_reach, 0.006 * wanted_reach, elo_pm95);
            compared += 1;
        }
    };
    for record in golden("fastchess_penta.csv").records() {
        let record = record.unwrap();
        compare(&pairs([0, 1, 2, 3, 4].map(|i| record[i].parse().unwrap())), &record[6]);
    }
    for record in golden("fastchess_wdl.csv").records() {
        let record = record.unwrap();
        let [wins, draws, losses] = [0, 1, 2].map(|i| record[i].parse().unwrap());
        compare(&games([0, 1], wins, draws, losses), &record[4]);
    }
    assert_eq!(compared, 10);
}

/// Rounds of three agents whose encounters hang together: each agent has a better or worse day.
fn rounds_of_three(rounds: usize, strengths: [f64; 3], rng: &mut dyn Rng) -> Vec<Observation> {
    let mut round = || {
        let today = strengths.map(|strength| strength + rng.random_range(-2.0..2.0));
        let mut encounter = |[a, b]: [usize; 2]| {
            let chance = 1.0 / (1.0 + f64::exp(today[b] - today[a]));
            let half_points = (0..4).map(|_| u32::from(rng.random_bool(chance))).sum();
            Encounter { agents: [a, b], games: 2, half_points }
        };
        vec![encounter([0, 1]), encounter([0, 2]), encounter([1, 2])]
    };
    (0..rounds).map(|_| round()).collect()
}

/// The likeliest ratings by steps uphill, as slow as simple.
fn uphill(agents: usize, observations: &[Observation]) -> Vec<f64> {
    let games: u32 = observations.iter().flatten().map(|encounter| encounter.games).sum();
    let mut elo = vec![0.0; agents];
    for _ in 0..20_000 {
        let mut slope = vec![0.0; agents];
        for encounter in observations.iter().flatten() {
            let [a, b] = encounter.agents;
            let expected = 1.0 / (1.0 + 10.0_f64.powf((elo[b] - elo[a]) / 400.0));
            let surplus = f64::from(encounter.half_points) / 2.0 - f64::from(encounter.games) * expected;
            slope[a] += surplus;
            slope[b] -= surplus;
        }
        for (elo, slope) in elo.iter_mut().zip(slope) {
            *elo += 300.0 * slope / f64::from(games);
        }
    }
    elo
}

#[test]
fn three_agents_get_what_steps_uphill_reach() {
    let uneven = [games([0, 1], 7, 2, 1), games([1, 2], 3, 1, 2), games([2, 0], 1, 0, 30)].concat();
    let chain = [games([0, 1], 4, 0, 2), games([2, 1], 1, 6, 2)].concat();
    let rounds = rounds_of_three(10, [0.5, 0.0, -1.0], &mut game_rng(1, 0));
    for observations in [uneven, chain, rounds] {
        let ratings = rate(3, &observations).unwrap();
        for (rating, wanted) in ratings.iter().zip(uphill(3, &observations)) {
            assert_near(rating.elo, wanted, 1e-3, "maximum likelihood");
        }
    }
}

#[test]
fn standard_errors_equal_those_of_leaving_out_one_observation_at_a_time() {
    let observations = rounds_of_three(150, [0.5, 0.0, -1.0], &mut game_rng(2, 0));
    let n = observations.len() as f64;
    let without: Vec<Vec<Rating>> = (0..observations.len())
        .map(|left_out| {
            let mut rest = observations.clone();
            rest.remove(left_out);
            rate(3, &rest).unwrap()
        })
        .collect();
    for (agent, rating) in rate(3, &observations).unwrap().into_iter().enumerate() {
        let mean = without.iter().map(|ratings| ratings[agent].elo).sum::<f64>() / n;
        let squares = without.iter().map(|ratings| (ratings[agent].elo - mean).powi(2)).sum::<f64>();
        let jackknife = ((n - 1.0) / n * squares).sqrt();
        let reported = (rating.upper - rating.lower) / (2.0 * 1.96);
        assert_near(reported, jackknife, 0.02 * jackknife, "standard error");
    }
}

/// A pair of games from an opening that favours one of the seats by up to `bias` points: the chances of a point and of a
/// draw; with chance `same` the second goes as the first did for the agent.
fn pair([chance, draws, bias, same]: [f64; 4], rng: &mut dyn Rng) -> Observation {
    let bias = if bias > 0.0 { rng.random_range(-bias..bias) } else { 0.0 };
    let mut game = |chance: f64| {
        let drawn = rng.random_range(0.0..1.0);
        u32::from(drawn < chance - draws / 2.0) + u32::from(drawn < chance + draws / 2.0)
    };
    let (first, second) = (game(chance + bias), game(chance - bias));
    let second = if rng.random_bool(same) { first } else { second };
    vec![
        Encounter { agents: [0, 1], games: 1, half_points: first },
        Encounter { agents: [1, 0], games: 1, half_points: 2 - second },
    ]
}

/// Share of 2,000 simulated matches of `n` pairs whose interval of agent 0 holds the truth; each observation a pair, or a
/// game.
fn share_held(of: [f64; 4], n: usize, paired: bool, stream: u64) -> f64 {
    let truth = 200.0 * f64::log10(of[0] / (1.0 - of[0]));
    let rng = &mut game_rng(3, stream);
    let held = (0..2000).filter(|_| {
        let mut observations: Vec<Observation> = (0..n).map(|_| pair(of, rng)).collect();
        if !paired {
            observations = observations.into_iter().flatten().map(|game| vec![game]).collect();
        }
        let rating = rate(2, &observations).unwrap()[0];
        (rating.lower..=rating.upper).contains(&truth)
    });
    held.count() as f64 / 2000.0
}

#[test]
fn intervals_of_pairs_hold_the_truth_as_often_as_they_say() {
    // Chance of a point, of a draw, what openings give to a seat, dependence of the second game; pairs.
    let cases = [
        ([0.5, 0.3, 0.0, 0.0], 100),
        ([0.5, 0.1, 0.4, 0.0], 100),
        ([0.5, 0.5, 0.2, 0.8], 100),
        ([0.55, 0.2, 0.3, 0.0], 200),
        ([0.6, 0.0, 0.0, 0.8], 100),
        ([0.64, 0.6, 0.05, 0.3], 150),
        ([0.75, 0.1, 0.2, 0.4], 100),
        ([0.9, 0.1, 0.05, 0.5], 200),
    ];
    for (stream, (of, n)) in (0..).zip(cases) {
        let share = share_held(of, n, true, stream);
        assert!((0.93..=0.97).contains(&share), "{of:?}: {share} of the intervals hold the truth");
    }
    // Taken for single games, they are too wide where openings decide and too narrow where games repeat each other.
    assert!(share_held([0.5, 0.1, 0.4, 0.0], 100, false, 1) > 0.97);
    assert!(share_held([0.6, 0.0, 0.0, 0.8], 100, false, 4) < 0.9);
}

#[test]
fn intervals_of_rounds_hold_the_truth_as_often_as_they_say() {
    let rng = &mut game_rng(4, 0);
    let strengths = [0.5, 0.0, -1.0];
    let truth = rate(3, &rounds_of_three(40_000, strengths, rng)).unwrap();
    let matches = 1000;
    let mut held = [0; 3];
    for _ in 0..matches {
        for (agent, rating) in rate(3, &rounds_of_three(50, strengths, rng)).unwrap().iter().enumerate() {
            held[agent] += usize::from((rating.lower..=rating.upper).contains(&truth[agent].elo));
        }
    }
    for held in held {
        let share = held as f64 / matches as f64;
        assert!((0.92..=0.98).contains(&share), "{share} of the intervals hold the truth");
    }
}

#[test]
fn near_all_points_the_intervals_hold_the_truth_at_least_as_often_as_they_say() {
    for (case, chance) in [0.95, 0.98, 0.995].into_iter().enumerate() {
        let truth = 400.0 * f64::log10(chance / (1.0 - chance));
        let rng = &mut game_rng(5, case as u64);
        let (mut held, mut open) = (0, 0);
        for _ in 0..500 {
            let observations: Vec<_> = (0..30).map(|_| pair([chance, 0.01, 0.0, 0.5], rng)).collect();
            let rating = rate(2, &observations).unwrap()[0];
            held += usize::from((rating.lower..=rating.upper).contains(&(truth / 2.0)));
            open += usize::from(
                observations.iter().all(|pair| pair[0].half_points == 2 && pair[1].half_points == 0),
            );
        }
        assert!(open > 0, "case {case}: some matches bring all points");
        assert!(held >= 460, "case {case}: {held} of 500 intervals hold the truth");
    }
}

/// Least chance of a point that a bare 100 % of `n` trials does not speak against, at 97.5 % (Clopper and Pearson).
fn exact_lower_bound(n: usize) -> f64 {
    0.025_f64.powf(1.0 / n as f64)
}

#[test]
fn all_points_give_finite_ratings_and_an_honest_bound() {
    let elo = |chance: f64| 400.0 * f64::log10(chance / (1.0 - chance));
    for n in [2, 5, 50, 500] {
        let [winner, loser] = rate(2, &pairs([0, 0, 0, 0, n])).unwrap()[..] else { panic!("two agents") };
        assert_near(winner.elo, -loser.elo, 1e-6, "mean 0");
        assert_near(winner.upper, -loser.lower, 1e-2, "mirrored");
        assert_near(winner.lower, -loser.upper, 1e-2, "mirrored");
        // No narrower than the exact interval, and not absurdly wider.
        let lower = 2.0 * winner.lower;
        let bounds = elo(0.025_f64.powf(1.8 / n as f64))..elo(exact_lower_bound(n));
        assert!(bounds.contains(&lower), "{n} pairs: {lower} is not within {bounds:?}");
        assert!(winner.upper > winner.elo + 1000.0, "nothing bounds it above: {winner:?}");
        // More points, a greater rating.
        let (least_less, _) = difference(&pairs([0, 0, 0, 1, n - 1]));
        assert!(2.0 * winner.elo > least_less, "{n} pairs: {winner:?} against {least_less}");
    }
    // Fixed numbers, from the definition by bisection in another program.
    let winner = rate(2, &pairs([0, 0, 0, 0, 50])).unwrap()[0];
    assert_near(2.0 * winner.elo, 942.72, 0.01, "50 pairs");
    assert_near(2.0 * winner.lower, 411.64, 0.01, "50 pairs, lower");
    assert_near(2.0 * winner.upper, 3703.06, 0.01, "50 pairs, upper");
}

#[test]
fn groups_without_a_point_against_each_other_give_finite_ratings() {
    let whitewash = |a, b| games([a, b], 20, 0, 0);
    let even = |a, b| games([a, b], 8, 4, 8);
    let ladder = [whitewash(0, 1), whitewash(1, 2), whitewash(0, 2)].concat();
    let two_and_two =
        [even(0, 1), even(2, 3), whitewash(0, 2), whitewash(0, 3), whitewash(1, 2), whitewash(1, 3)].concat();
    for (agents, observations) in [(3, ladder), (4, two_and_two)] {
        let ratings = rate(agents, &observations).unwrap();
        for (agent, rating) in ratings.iter().enumerate() {
            assert!(rating.lower < rating.elo && rating.elo < rating.upper, "{rating:?}");
            let mirrored = ratings[agents - 1 - agent];
            assert_near(rating.elo, -mirrored.elo, 1e-6, "upside down");
            assert_near(rating.upper, -mirrored.lower, 1e-2, "upside down");
            assert!(rating.upper.max(-rating.lower) < 5000.0, "{rating:?}");
        }
        assert!(ratings[0].lower > ratings[agents - 1].upper, "{ratings:?}");
    }
}

#[test]
fn pairs_that_all_went_alike_do_not_make_an_interval_of_nothing() {
    // One win each in every pair: what differs may still be one pair in 50 / 3, by half a point a game.
    let (elo, reach) = difference(&pairs([0, 0, 50, 0, 0]));
    assert_near(elo, 0.0, 1e-9, "even");
    let bound = 400.0 * f64::log10(0.53 / 0.47);
    assert_near(reach, bound, 0.1 * bound, "rule of three");
}

#[test]
fn agents_without_games_between_them_are_refused() {
    let observations = [games([0, 1], 1, 1, 1), games([2, 3], 1, 1, 1)].concat();
    assert_eq!(rate(4, &observations), Err(Unrelated([0, 2])));
    assert_eq!(rate(3, &games([0, 1], 1, 1, 1)), Err(Unrelated([0, 2])));
}

prop_compose! {
    /// Encounters of up to six agents, often lopsided, all connected by a chain of games.
    fn observations()(agents in 2..7_usize)(
        chain in prop::collection::vec((1..40_usize, 0..=4_u32), agents - 1),
        more in prop::collection::vec((0..agents, 0..agents, 1..40_usize, 0..=4_u32), 0..12),
        agents in Just(agents),
    ) -> (usize, Vec<Observation>) {
        let chain = chain.into_iter().enumerate().map(|(i, (count, half))| (i, i + 1, count, half));
        let all = chain.chain(more).filter(|(a, b, ..)| a != b);
        let observations = all.flat_map(|(a, b, count, half_points)| {
            std::iter::repeat_n(vec![Encounter { agents: [a, b], games: 2, half_points }], count)
        });
        (agents, observations.collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn ratings_are_finite_centred_and_blind_to_names((agents, observations) in observations()) {
        let ratings = rate(agents, &observations).unwrap();
        for rating in &ratings {
            prop_assert!([rating.lower, rating.elo, rating.upper].into_iter().all(f64::is_finite));
            prop_assert!(rating.lower < rating.elo && rating.elo < rating.upper, "{:?}", rating);
        }
        prop_assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
        // The agents numbered from behind, and each encounter told by the other one.
        let renamed: Vec<Observation> = observations
            .iter()
            .flatten()
            .map(|&Encounter { agents: [a, b], games, half_points }| {
                let agents = [agents - 1 - b, agents - 1 - a];
                vec![Encounter { agents, games, half_points: 2 * games - half_points }]
            })
            .collect();
        for (rating, same) in ratings.iter().zip(rate(agents, &renamed).unwrap().iter().rev()) {
            prop_assert!((rating.elo - same.elo).abs() < 1e-3, "{:?} {:?}", rating, same);
            prop_assert!((rating.lower - same.lower).abs() < 0.1, "{:?} {:?}", rating, same);
            prop_assert!((rating.upper - same.upper).abs() < 0.1, "{:?} {:?}", rating, same);
        }
    }
}
