//! Ratings held by anchors, with the first move's worth, in groups, and set against each other.

mod golden;

use std::collections::BTreeMap;

use giuthi_engine::rng::game_rng;
use giuthi_eval::stats::normal;
use giuthi_eval::{Advantage, Encounter, Fit, Observation, Options, Rating, rate};
use golden::{assert_near, csv, ordo_games};
use proptest::prelude::*;
use rand::RngExt;

fn options(anchors: &[(usize, f64)], advantage: Advantage) -> Options {
    Options { anchors: anchors.iter().copied().collect(), advantage }
}

/// Single games, each an observation: who moved first, who second, the first one's wins, draws and losses.
fn games(agents: [usize; 2], wins: usize, draws: usize, losses: usize) -> Vec<Observation> {
    let of =
        |(half_points, count)| std::iter::repeat_n(vec![Encounter { agents, games: 1, half_points }], count);
    [(2, wins), (1, draws), (0, losses)].into_iter().flat_map(of).collect()
}

#[test]
fn ratings_and_intervals_equal_those_of_ordo() {
    let results = ordo_games();
    let held = [(results.named("A").unwrap(), 0.0)];
    for (file, advantage) in
        [("ordo_ratings.csv", Advantage::Given(0.0)), ("ordo_ratings_first_move.csv", Advantage::Fitted)]
    {
        let fit = Fit::new(8, &results.observations(), &options(&held, advantage));
        let ratings = fit.ratings();
        // Its errors are simulated; those of the file with the first move are by far the better ones.
        let errors: BTreeMap<String, String> = csv("ordo_ratings_first_move.csv")
            .records()
            .map(|record| record.unwrap())
            .map(|record| (record[1].to_owned(), record[3].to_owned()))
            .collect();
        let mut compared = 0;
        for record in csv(file).records() {
            let record = record.unwrap();
            let Rating { elo, lower, upper } = ratings[results.named(&record[1]).unwrap()];
            // Two decimals, of which Ordo's last is not always rounded as ours.
            assert_near(elo, record[2].parse().unwrap(), 0.01, &record[1]);
            match errors[&record[1]].parse::<f64>() {
                Ok(error) => assert_near((upper - lower) / 2.0, error, 0.1 * error, &record[1]),
                Err(_) => assert_eq!((lower, upper), (0.0, 0.0), "an anchor has no error"),
            }
            compared += 1;
        }
        assert_eq!(compared, 8);
        // Fixed numbers: White advantage = 31.19 +/- 3.83, where it gives one standard error.
        let worth = fit.advantages()[0];
        assert_eq!(worth.is_some(), advantage == Advantage::Fitted);
        if let Some(Rating { elo, lower, upper }) = worth {
            assert_near(elo, 31.19, 0.01, "first move");
            assert_near((upper - lower) / 2.0 / 1.96, 3.83, 0.383, "its error");
        }
    }
}

/// The likeliest ratings and advantage by steps uphill, those of anchors held.
fn uphill(agents: usize, observations: &[Observation], anchors: &[(usize, f64)], fitted: bool) -> Vec<f64> {
    let games: u32 = observations.iter().flatten().map(|encounter| encounter.games).sum();
    let mut elo = vec![0.0; agents + 1];
    for &(agent, given) in anchors {
        elo[agent] = given;
    }
    for _ in 0..40_000 {
        let mut slope = vec![0.0; agents + 1];
        for encounter in observations.iter().flatten() {
            let [a, b] = encounter.agents;
            let expected = 1.0 / (1.0 + 10.0_f64.powf((elo[b] - elo[a] - elo[agents]) / 400.0));
            let surplus = f64::from(encounter.half_points) / 2.0 - f64::from(encounter.games) * expected;
            slope[a] += surplus;
            slope[b] -= surplus;
            slope[agents] += if fitted { surplus } else { 0.0 };
        }
        for (i, (elo, slope)) in elo.iter_mut().zip(slope).enumerate() {
            if anchors.iter().all(|(agent, _)| *agent != i) {
                *elo += 200.0 * slope / f64::from(games);
            }
        }
    }
    elo
}

#[test]
fn anchors_and_the_first_move_get_what_steps_uphill_reach() {
    let observations = [
        games([0, 1], 7, 2, 1),
        games([1, 2], 3, 1, 2),
        games([2, 0], 4, 3, 9),
        games([3, 1], 2, 2, 1),
        games([2, 3], 4, 0, 3),
    ]
    .concat();
    for anchors in [&[(1, 100.0)][..], &[(0, 50.0), (3, -80.0)]] {
        for fitted in [false, true] {
            let advantage = if fitted { Advantage::Fitted } else { Advantage::Given(0.0) };
            let fit = Fit::new(4, &observations, &options(anchors, advantage));
            let wanted = uphill(4, &observations, anchors, fitted);
            for (rating, wanted) in fit.ratings().iter().zip(&wanted) {
                assert_near(rating.elo, *wanted, 1e-3, "maximum likelihood");
            }
            for &(agent, given) in anchors {
                let rating = fit.ratings()[agent];
                assert_near(rating.elo, given, 1e-9, "an anchor");
                assert_near(rating.upper - rating.lower, 0.0, 1e-9, "an anchor");
            }
            if let Some(worth) = fit.advantages()[0] {
                assert_near(worth.elo, wanted[4], 1e-3, "the first move");
                assert!(worth.lower < worth.elo && worth.elo < worth.upper, "{worth:?}");
            }
        }
    }
}

#[test]
fn one_anchor_moves_all_ratings_and_no_difference() {
    let observations = ordo_games().observations();
    let free = rate(8, &observations).unwrap();
    let fit = Fit::new(8, &observations, &options(&[(2, 1500.0)], Advantage::default()));
    for (agent, rating) in fit.ratings().iter().enumerate() {
        assert_near(rating.elo - 1500.0, free[agent].elo - free[2].elo, 1e-6, "difference");
    }
    // An advantage given counts for the one who moves first.
    let one_way = games([0, 1], 30, 10, 20);
    let fit = Fit::new(2, &one_way, &options(&[(1, 0.0)], Advantage::Given(30.0)));
    let plain = Fit::new(2, &one_way, &options(&[(1, 0.0)], Advantage::default()));
    assert_near(fit.ratings()[0].elo, plain.ratings()[0].elo - 30.0, 1e-6, "advantage given");
}

#[test]
fn groups_are_rated_as_if_alone_and_anchors_join_them() {
    let first = games([0, 2], 7, 3, 5);
    let second = [games([1, 3], 3, 3, 4), games([3, 4], 6, 0, 2)].concat();
    let all = [first.clone(), second.clone()].concat();
    let fit = Fit::new(5, &all, &Options::default());
    assert_eq!(fit.groups(), [vec![0, 2], vec![1, 3, 4]]);
    let renumbered = |observations: &[Observation], group: &[usize]| -> Vec<Observation> {
        let of = |agent: usize| group.iter().position(|&member| member == agent).unwrap();
        let encounter = |e: &Encounter| Encounter { agents: e.agents.map(of), ..*e };
        observations.iter().map(|observation| observation.iter().map(encounter).collect()).collect()
    };
    for (group, games) in fit.groups().iter().zip([first, second]) {
        let alone = rate(group.len(), &renumbered(&games, group)).unwrap();
        for (agent, rating) in group.iter().zip(alone) {
            assert_eq!(fit.ratings()[*agent], rating);
        }
    }
    assert_eq!(fit.superiority(0, 1), None);
    assert!(fit.superiority(0, 2).is_some());
    // Anchors say how the groups lie.
    let joined = Fit::new(5, &all, &options(&[(0, 0.0), (1, 100.0)], Advantage::default()));
    assert_eq!(joined.groups(), [vec![0, 1, 2, 3, 4]]);
    assert!(joined.superiority(2, 3).is_some());
    assert_eq!((joined.superiority(0, 1), joined.superiority(1, 0)), (Some(0.0), Some(1.0)));
}

#[test]
fn superiority_is_the_chance_of_the_difference() {
    // Of two agents the difference is twice a rating, and so is its error.
    let fit = Fit::new(2, &games([0, 1], 30, 20, 15), &Options::default());
    let rating = fit.ratings()[0];
    let z = rating.elo / ((rating.upper - rating.elo) / 1.959_963_984_540_054);
    assert_near(fit.superiority(0, 1).unwrap(), normal(z), 1e-9, "two agents");
    assert_eq!(fit.superiority(1, 1), None);
    // As often as it says: with even agents, superiority of 90 % and more comes once in ten times.
    let rng = &mut game_rng(21, 0);
    let sure = (0..1000).filter(|_| {
        let mut rounds = |agents| {
            let won = rng.random_range(0..=1);
            games(agents, won, 1, 1 - won)
        };
        let observations: Vec<Observation> =
            (0..60).flat_map(|_| [rounds([0, 1]), rounds([1, 2]), rounds([2, 0])].concat()).collect();
        Fit::new(3, &observations, &Options::default()).superiority(0, 2).unwrap() > 0.9
    });
    let sure = sure.count();
    assert!((60..=140).contains(&sure), "{sure} of 1000");
}

#[test]
fn where_some_took_every_point_superiority_is_near_certain_but_no_more() {
    for (won, least, most) in [(1, 0.6, 0.95), (5, 0.9, 0.9999), (50, 0.999_999, 1.0)] {
        let fit = Fit::new(2, &games([0, 1], won, 0, 0), &Options::default());
        assert!(fit.leans_on_draws(0));
        let chance = fit.superiority(0, 1).unwrap();
        assert!((least..=most).contains(&chance), "{won} games won: {chance}");
        assert_near(chance + fit.superiority(1, 0).unwrap(), 1.0, 1e-9, "turned round");
    }
}

#[test]
fn an_advantage_that_nothing_bounds_stays_finite() {
    let cases = [
        // The first player wins always.
        [games([0, 1], 10, 0, 0), games([1, 0], 10, 0, 0)].concat(),
        // One always moves first: what is the agent's, and what the seat's, nobody can tell.
        games([0, 1], 10, 5, 5),
        // A circle in which the first player takes every point.
        [games([0, 1], 5, 0, 0), games([1, 2], 5, 0, 0), games([2, 0], 5, 0, 0)].concat(),
    ];
    for observations in cases {
        let agents = 1 + observations.iter().flatten().map(|e| e.agents[0].max(e.agents[1])).max().unwrap();
        let fit = Fit::new(agents, &observations, &options(&[], Advantage::Fitted));
        assert!(fit.leans_on_draws(0));
        for rating in fit.ratings().into_iter().chain(fit.advantages().into_iter().flatten()) {
            assert!(rating.lower < rating.elo && rating.elo < rating.upper, "{rating:?}");
            assert!(rating.lower > -1e4 && rating.upper < 1e4, "{rating:?}");
        }
        let worth = fit.advantages()[0].unwrap();
        assert!(worth.elo > 0.0, "{worth:?}");
    }
    // With games from both seats, not all of them won, it is bounded.
    let both = [games([0, 1], 9, 0, 1), games([1, 0], 9, 1, 0)].concat();
    assert!(!Fit::new(2, &both, &options(&[], Advantage::Fitted)).leans_on_draws(0));
}

prop_compose! {
    /// Games of up to five agents, often lopsided and often not connected.
    fn observations()(agents in 2..6_usize)(
        games in prop::collection::vec((0..agents, 0..agents, 1..30_usize, 0..=2_u32), 1..10),
        anchors in prop::collection::btree_map(0..agents, -500.0..3000.0_f64, 0..3),
        agents in Just(agents),
    ) -> (usize, Vec<Observation>, BTreeMap<usize, f64>) {
        let observations = games.into_iter().filter(|(a, b, ..)| a != b).flat_map(|(a, b, count, half_points)| {
            std::iter::repeat_n(vec![Encounter { agents: [a, b], games: 1, half_points }], count)
        });
        (agents, observations.collect(), anchors)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn everything_is_finite((agents, observations, anchors) in observations(), fitted: bool) {
        let advantage = if fitted { Advantage::Fitted } else { Advantage::Given(20.0) };
        let fit = Fit::new(agents, &observations, &Options { anchors: anchors.clone(), advantage });
        let ratings = fit.ratings();
        for rating in ratings.iter().copied().chain(fit.advantages().into_iter().flatten()) {
            prop_assert!([rating.lower, rating.elo, rating.upper].into_iter().all(f64::is_finite), "{:?}", rating);
            prop_assert!(rating.lower <= rating.elo && rating.elo <= rating.upper, "{:?}", rating);
        }
        for (&agent, &elo) in &anchors {
            prop_assert!((ratings[agent].elo - elo).abs() < 1e-6);
        }
        for group in fit.groups() {
            if group.iter().all(|agent| !anchors.contains_key(agent)) {
                let mean = group.iter().map(|&agent| ratings[agent].elo).sum::<f64>() / group.len() as f64;
                prop_assert!(mean.abs() < 1e-6, "{:?}", ratings);
            }
            for (&a, &b) in group.iter().zip(&group[1..]) {
                let (chance, turned) = (fit.superiority(a, b).unwrap(), fit.superiority(b, a).unwrap());
                prop_assert!((chance + turned - 1.0).abs() < 1e-6, "{} {}", chance, turned);
                prop_assert!((chance > 0.5) == (ratings[a].elo > ratings[b].elo) || (chance - 0.5).abs() < 1e-6);
            }
        }
    }
}
