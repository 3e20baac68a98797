//! The games of a tournament: who plays whom from which opening, played by the rules, the same on any number of threads.

use std::collections::HashSet;
use std::time::Duration;

use giuthi_engine::agent::NoClock;
use giuthi_engine::opening::{OpeningPlies, random_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Game, Move, Player};

use giuthi_eval::openings::OpeningsError;
use giuthi_eval::{
    Error, Openings, Played, Prepared, Schedule, Settings, SettingsError, TimeControl, Timing, Tournament,
    run,
};

fn settings(variant: &str, agents: &[&str], games: u32) -> Settings {
    Settings {
        variant: variant.parse().unwrap(),
        agents: agents.iter().map(|agent| agent.parse().unwrap()).collect(),
        games,
        seed: 11,
        jobs: 2,
        ..Settings::default()
    }
}

/// The games in order, and what they came to.
fn play(settings: &Settings) -> (Vec<Played>, Tournament) {
    let mut games = Vec::new();
    let observe = |pair: &[Played; 2]| {
        games.extend(pair.iter().cloned());
        Ok::<(), Error>(())
    };
    let tournament = run(settings, &NoClock, observe).unwrap();
    (games, tournament)
}

fn random(plies: &str) -> Openings {
    Openings::Random(plies.parse().unwrap())
}

fn opening(game: &Played) -> &[Move] {
    &game.course.moves[..game.course.opening]
}

const FOUR: [&str; 4] = ["random", "greedy", "ab:depth=2", "deeper@ab:nodes=300"];

#[test]
fn the_games_are_the_same_whatever_the_number_of_jobs() {
    let mut settings = settings("2x6x4", &FOUR, 6);
    let games = play(&settings).0;
    for jobs in [1, 3, 4] {
        settings.jobs = jobs;
        assert_eq!(play(&settings).0, games, "{jobs} jobs");
    }
    settings.seed += 1;
    assert_ne!(play(&settings).0, games, "another seed");
}

#[test]
fn a_longer_tournament_begins_with_the_games_of_a_shorter_one() {
    let short = play(&settings("2x5x4", &FOUR, 4)).0;
    let long = play(&settings("2x5x4", &FOUR, 8)).0;
    assert_eq!(long[..short.len()], short);
}

#[test]
fn all_pairings_get_the_same_openings_from_both_seats() {
    let settings = Settings { openings: random("2..5"), ..settings("2x6x4", &FOUR, 10) };
    let (games, Tournament { tally, .. }) = play(&settings);
    assert_eq!(games.len() as u64, settings.games_in_all());
    assert!(games.iter().zip(0..).all(|(game, number)| game.game == number));
    for pair in games.chunks(2) {
        let [first, second] = pair else { panic!("games come in pairs") };
        assert_eq!([first.players[1], first.players[0]], second.players);
        assert_eq!(first.round, second.round);
    }
    let of_round = |round| games.iter().filter(move |game| game.round == round);
    let mut openings = Vec::new();
    for round in 0..5 {
        let first = opening(of_round(round).next().unwrap());
        assert!((2..=5).contains(&first.len()));
        assert!(of_round(round).all(|game| opening(game) == first));
        openings.push(first);
    }
    openings.sort();
    openings.dedup();
    assert_eq!(openings.len(), 5, "no two rounds of so few have the same opening");
    for a in 0..4 {
        assert_eq!(tally.of(a).games(), 30);
        for b in (0..4).filter(|&b| b != a) {
            assert_eq!(tally.between(a, b).games(), 10, "{a} against {b}");
            for round in 0..5 {
                let count = of_round(round).filter(|game| game.players == [a, b]).count();
                assert_eq!(count, 1, "agent {a} on seat 0 against {b} in round {round}");
            }
        }
    }
}

#[test]
fn openings_do_not_depend_on_who_plays() {
    let openings =
        |agents: &[&str]| play(&settings("2x6x4", agents, 6)).0.iter().map(|g| opening(g).to_vec()).collect();
    let [two, other]: [Vec<Vec<Move>>; 2] = [openings(&FOUR[..2]), openings(&FOUR[1..3])];
    assert_eq!(two, other);
}

#[test]
fn every_game_is_played_by_the_rules_to_its_end() {
    // `greedy` walks through all extra moves of a turn, which on the great board can be very many.
    for (variant, agents) in [("2x5x4", &FOUR[..3]), ("2x8x8", &["random", "ab:depth=2"])] {
        let settings = settings(variant, agents, 20);
        let mut passes = 0;
        for played in play(&settings).0 {
            let mut game = Game::new(settings.variant);
            let mut asked = [0; 2];
            for (ply, &mv) in played.course.moves.iter().enumerate() {
                assert_eq!(game.ending(), None, "game {} goes on after its end", played.game);
                if mv == Move::Pass {
                    passes += 1;
                } else if ply >= played.course.opening {
                    asked[game.position().to_move().index()] += 1;
                }
                game.play(mv).unwrap();
            }
            assert_eq!(game.ending(), played.course.ending);
            assert_eq!(game.outcome(), Some(played.course.outcome));
            assert_eq!(asked, played.course.asked, "asked for every move but passes and the opening");
        }
        assert!(passes > 0, "{variant}: some game has a forced pass");
    }
}

#[test]
fn the_tally_counts_what_was_played() {
    let (games, Tournament { tally, .. }) = play(&settings("2x5x4", &FOUR[..3], 40));
    for agent in 0..3 {
        let results = games.iter().filter_map(|game| {
            let seat = game.players.iter().position(|&player| player == agent)?;
            Some(game.course.outcome.result_for(Player::BOTH[seat]))
        });
        let results: Vec<i8> = results.collect();
        let count = |result| results.iter().filter(|&&r| r == result).count() as u64;
        let got = tally.of(agent);
        assert_eq!([got.wins, got.draws, got.losses], [count(1), count(0), count(-1)]);
        assert!(got.draws > 0, "draws are counted only where there are some");
    }
    assert_eq!(tally.first_player().games(), games.len() as u64);
}

#[test]
fn a_stronger_agent_is_rated_above_a_weaker_one() {
    let ratings = play(&settings("2x5x4", &["random", "ab:depth=2"], 200)).1.ratings();
    assert!(ratings[1].lower > ratings[0].upper + 100.0, "{ratings:?}");
}

#[test]
fn an_agent_against_itself_is_even_and_not_certain() {
    let ratings = play(&settings("2x5x4", &["a@ab:depth=2", "b@ab:depth=2"], 100)).1.ratings();
    assert!(ratings[0].elo.abs() < 1e-6, "the same games from both seats: {ratings:?}");
    assert!(ratings[0].upper > 3.0, "{ratings:?}");
}

#[test]
fn pairs_are_told_in_order_and_the_observers_error_ends_it() {
    #[derive(Debug, PartialEq)]
    struct Enough;
    impl From<Error> for Enough {
        fn from(error: Error) -> Enough {
            panic!("{error}")
        }
    }
    let settings = Settings { jobs: 4, ..settings("2x6x4", &FOUR, 100) };
    let mut seen = Vec::new();
    let result = run(&settings, &NoClock, |pair| {
        seen.extend(pair.iter().map(|game| game.game));
        if seen.len() == 50 { Err(Enough) } else { Ok(()) }
    });
    assert_eq!(result.unwrap_err(), Enough);
    assert_eq!(seen, (0..50).collect::<Vec<_>>());
}

#[test]
fn bad_settings_are_refused() {
    let good = settings("2x5x4", &FOUR, 4);
    let check = |settings: Settings| settings.check().unwrap_err();
    assert_eq!(good.check(), Ok(()));
    assert_eq!(check(settings("2x5x4", &FOUR[..1], 4)), SettingsError::Agents(1));
    let same = settings("2x5x4", &["random", "greedy", "random"], 4);
    assert_eq!(check(same), SettingsError::SameName("random".to_owned()));
    for games in [0, 5, 1_000_002] {
        assert_eq!(check(Settings { games, ..good.clone() }), SettingsError::Games(games));
    }
    assert_eq!(check(Settings { jobs: 0, ..good.clone() }), SettingsError::Jobs);
    let long = Settings { openings: random("5000"), ..good };
    assert!(matches!(long.prepare().map(|_| ()).unwrap_err(), Error::Openings(OpeningsError::Drawn(_))));
}

#[test]
fn openings_differ_while_there_are_others() {
    // One random ply of 2x5x4: ten openings there are.
    let schedule =
        |rounds| Schedule::round_robin(2, "2x5x4".parse().unwrap(), rounds, "1".parse().unwrap(), 7).unwrap();
    assert_eq!(schedule(8).different_openings(), 8);
    assert_eq!(schedule(40).different_openings(), 10);
    // A longer tournament begins with the shorter one.
    let (short, long) = (schedule(8), schedule(40));
    assert!((0..8).all(|round| short.opening(round) == long.opening(round)));
}

/// By the clock everybody is asked move by move.
#[test]
fn games_drawn_many_at_once_are_those_of_agents_who_are_asked() {
    for (variant, agents, games) in
        [("2x5x4", &["random", "b@random"][..], 2500), ("2x8x8", &["random", "greedy", "b@random"], 4)]
    {
        let drawn = settings(variant, agents, games);
        let control = Some(TimeControl::MoveTime(Duration::from_secs(1)));
        let asked = Settings { timing: Timing { control, ..drawn.timing }, ..drawn.clone() };
        let (drawn, tournament) = play(&drawn);
        assert_eq!(drawn, play(&asked).0, "{variant}");
        assert_eq!(tournament.tally.between(0, 1).games(), u64::from(games));
    }
}

#[test]
fn openings_are_the_same_whoever_looks_on_and_whoever_looks_on_may_stop() {
    let settings = Settings { openings: random("2..3"), ..settings("2x5x4", &FOUR[..2], 10_000) };
    let mut told = Vec::new();
    let watched = settings.prepare_watched(&mut |done, all| {
        told.push((done, all));
        true
    });
    let (watched, alone) = (watched.unwrap(), settings.prepare().unwrap());
    assert_eq!(told, [(0, 5000), (4096, 5000)]);
    let openings = |prepared: &Prepared<'_>| -> Vec<Vec<Move>> {
        (0..5000).map(|round| prepared.schedule().opening(round).to_vec()).collect()
    };
    assert_eq!(openings(&watched), openings(&alone));
    // What is met one after the other, as the openings of a tournament are told to be.
    let mut taken = HashSet::new();
    for (round, opening) in openings(&alone).into_iter().enumerate() {
        let mut rng = game_rng(settings.seed, round as u64);
        let mut last = Vec::new();
        for _ in 0..50 {
            let plies = "2..3".parse::<OpeningPlies>().unwrap().draw(&mut rng);
            let game = random_opening(settings.variant, plies, &mut rng).unwrap();
            last = game.plies().iter().map(|ply| ply.mv).collect();
            if taken.insert(last.clone()) {
                break;
            }
        }
        assert_eq!(opening, last, "round {round}");
    }
    let stopped = settings.prepare_watched(&mut |_, _| false).map(|_| ());
    assert!(matches!(stopped, Err(Error::Openings(OpeningsError::Stopped))));
}
