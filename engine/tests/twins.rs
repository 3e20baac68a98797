//! The engine against its slow twin, on random positions and in whole games of every variant.

mod positions;
mod reference;
mod twin;

use giuthi_engine::perft::tally_by;
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Ending, Finish, Game, MoveKind, Playout, Sower, Variant};
use rand::RngExt;
use twin::{compare_moves, compare_ply, twin_of};

#[test]
fn moves_of_random_positions_are_the_same() {
    let mut rng = game_rng(1, 0);
    let mut laps = 0;
    for width in 5..=10 {
        for most in [6, 30, 128, 255] {
            for spread in [1, 2, 4, width, 2 * width, 4 * width] {
                for _ in 0..600 {
                    laps += compare_moves(&positions::scattered(width, most, spread, &mut rng));
                }
            }
        }
    }
    assert!(laps > 1_000_000, "only {laps} laps were sown");
}

/// Every place for one pit of 2 … 255 seeds on an empty board and one of single seeds.
#[test]
fn lone_pits_of_any_size_are_sown_the_same() {
    for width in [5, 8, 10] {
        for others in [0, 1] {
            for pit in 0..2 * width {
                for seeds in (2..=255 - others * (2 * width - 1)).step_by(3) {
                    let mut pits = vec![others; 2 * width];
                    pits[pit] = seeds;
                    let row = |range: std::ops::Range<usize>| {
                        pits[range].iter().map(usize::to_string).collect::<Vec<_>>().join(",")
                    };
                    let text = format!(
                        "{} {} 0 0 {}",
                        row(0..width),
                        row(width..2 * width),
                        usize::from(pit < width)
                    );
                    compare_moves(&text.parse().unwrap());
                }
            }
        }
    }
}

/// Plays a random game in both to its end and returns its plies. Where `long`, captures and moves that end the game
/// are mostly put off.
fn compare_game(variant: Variant, long: bool, rng: &mut impl rand::Rng) -> usize {
    let mut game = Game::new(variant);
    let mut twin = twin_of(game.position());
    while game.ending().is_none() {
        let moves = game.position().moves();
        let mut mv = moves[rng.random_range(0..moves.len())];
        if long {
            for _ in 0..10 {
                let step = game.position().step(mv);
                if step.sowing.kind != MoveKind::Capture && !game.recent().contains(&step.position) {
                    break;
                }
                mv = moves[rng.random_range(0..moves.len())];
            }
        }
        compare_ply(&mut game, &mut twin, mv);
    }
    assert!(twin.legal().is_empty());
    game.plies().len()
}

#[test]
fn games_of_every_variant_are_the_same() {
    let mut plies = 0;
    for (number, variant) in Variant::all().enumerate() {
        let mut rng = game_rng(2, number as u64);
        for _ in 0..40 {
            plies += compare_game(variant, false, &mut rng);
        }
    }
    assert_eq!(Variant::all().count(), 54);
    assert!(plies > 100_000, "only {plies} plies were played");
}

#[test]
fn long_games_are_the_same() {
    let mut longest = 0;
    for (number, variant) in Variant::RECORDED.into_iter().enumerate() {
        let mut rng = game_rng(3, number as u64);
        for _ in 0..40 {
            longest = longest.max(compare_game(variant, true, &mut rng));
        }
    }
    assert!(longest > 1_000, "the longest game had only {longest} plies");
}

/// A game of random moves, taken back by so many plies from its end.
fn broken_off(variant: Variant, back: usize, rng: &mut impl rand::Rng) -> Game {
    let mut game = Game::new(variant);
    while game.ending().is_none() {
        let moves = game.position().moves();
        game.play(moves[rng.random_range(0..moves.len())]).expect("a listed move is legal");
    }
    for _ in 0..back {
        game.undo();
    }
    game
}

/// Plays out a game's position by every sower; counts the endings in the order of [`Ending::ALL`].
fn compare_playouts(playout: &mut Playout, game: &Game, count: usize, seed: u64) -> [usize; 3] {
    let [vector, portable, plain] = Sower::ALL.map(|sower| {
        let mut finishes = vec![Finish::NONE; count];
        playout.play_each_by(sower, game.recent(), &mut game_rng(seed, 0), &mut finishes);
        finishes
    });
    assert_eq!(vector, plain, "{count} from {}", game.position());
    assert_eq!(portable, plain, "{count} from {}", game.position());
    Ending::ALL.map(|ending| plain.iter().filter(|finish| finish.ending == ending).count())
}

#[test]
fn playouts_are_the_same_by_every_sower() {
    let mut endings = [0; 3];
    let mut playout = Playout::new();
    for (number, variant) in Variant::all().enumerate() {
        let mut rng = game_rng(4, number as u64);
        for back in [1, 2, 5, 1000] {
            let game = broken_off(variant, back, &mut rng);
            for count in [1, 5, 120] {
                let ended = compare_playouts(&mut playout, &game, count, rng.random());
                endings = [0, 1, 2].map(|at| endings[at] + ended[at]);
            }
        }
    }
    let endless = endless_games();
    for (game, seed) in endless.iter().zip(0..) {
        let ended = compare_playouts(&mut playout, game, 100, seed);
        endings = [0, 1, 2].map(|at| endings[at] + ended[at]);
    }
    assert!(endings[0] > 10_000 && endings[1] > 1_000 && endings[2] > endless.len(), "{endings:?}");
}

/// The golden games that end in an endless relay, before that.
fn endless_games() -> Vec<Game> {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/games_endless_2x5x4.csv");
    let mut reader = csv::Reader::from_path(PATH).expect("the golden file is there");
    let mut games: Vec<Game> = Vec::new();
    for row in reader.records() {
        let row = row.expect("a whole row");
        if &row[1] == "1" {
            games.push(Game::new("2x5x4".parse().unwrap()));
        }
        let mv = if &row[6] == "pass" { "pass".to_owned() } else { format!("{}{}", &row[5], &row[6]) };
        let game = games.last_mut().expect("the first row begins a game");
        game.play(mv.parse().expect("a move")).expect("a legal one");
    }
    for game in &mut games {
        assert_eq!(game.ending(), Some(Ending::Endless), "{PATH}");
        game.undo();
    }
    games
}

#[test]
fn lines_are_tallied_the_same_by_every_sower() {
    let (mut repetitions, mut endless) = (0, 0);
    let mut compare = |game: &Game, depth: u32| {
        let [vector, portable, plain] = Sower::ALL.map(|sower| tally_by(sower, game, depth));
        assert_eq!(vector, plain, "{}: depth {depth}", game.position());
        assert_eq!(portable, plain, "{}: depth {depth}", game.position());
        repetitions += plain.repetitions;
        endless += plain.endless;
    };
    for (number, variant) in Variant::all().enumerate() {
        let mut rng = game_rng(5, number as u64);
        for back in [1, 1, 2, 2, 3, 3, 4, 8, 30] {
            let game = broken_off(variant, back, &mut rng);
            (1..=3).for_each(|depth| compare(&game, depth));
        }
    }
    endless_games().iter().for_each(|game| (1..=2).for_each(|depth| compare(game, depth)));
    assert!(repetitions > 60 && endless > 1, "only {repetitions} repetitions, {endless} endless");
}
