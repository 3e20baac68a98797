//! Every recorded variant plays random games to their ends, and they look like the game that is meant.

use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Ending, Game, MoveKind, Variant};

const GAMES: u64 = 1000;

/// What the random games of a variant came to.
#[derive(Debug, Default)]
struct Figures {
    plies: f64,
    extras: f64,
    passes: f64,
    captures: f64,
    no_moves: f64,
    repetition: f64,
    endless: f64,
}

fn play_games(variant: Variant) -> Figures {
    let mut figures = Figures::default();
    let seeds = (variant.pits() * variant.seeds()) as u32;
    for number in 0..GAMES {
        let mut rng = game_rng(20, number);
        let mut game = Game::new(variant);
        while game.ending().is_none() {
            let mv = random_move(game.position(), &mut rng).expect("the game goes on");
            game.play(mv).expect("a listed move is legal");
            assert_eq!(game.position().score().iter().sum::<u32>(), seeds, "{variant} game {number}: seeds");
        }
        let count =
            |kind| game.plies().iter().filter(|ply| ply.sowing.kind == kind).count() as f64 / GAMES as f64;
        figures.plies += game.plies().len() as f64 / GAMES as f64;
        figures.extras += count(MoveKind::Extra);
        figures.passes += count(MoveKind::Pass);
        figures.captures += count(MoveKind::Capture);
        match game.ending().expect("it ended") {
            Ending::NoMoves => figures.no_moves += 1.0,
            Ending::Repetition => figures.repetition += 1.0,
            Ending::Endless => figures.endless += 1.0,
        }
    }
    figures
}

/// The figures of random play that trials with other programs came to: sowings a game, share of extra moves among
/// them, passes a game, share of draws by repetition.
const EXPECTED: [(&str, [f64; 4]); 4] = [
    ("2x5x4", [26.0, 0.22, 3.0, 0.07]),
    ("2x6x4", [35.0, 0.30, 3.0, 0.11]),
    ("2x8x8", [75.0, 0.35, 4.0, 0.20]),
    ("2x10x9", [114.0, 0.42, 4.0, 0.30]),
];

#[test]
fn random_games_end_and_look_like_giuthi() {
    std::thread::scope(|scope| {
        for variant in Variant::RECORDED {
            scope.spawn(move || {
                let figures = play_games(variant);
                let told = format!("{variant}: {figures:?}");
                assert!(figures.no_moves > 0.5 * GAMES as f64, "{told}");
                assert!(figures.repetition > 0.0 && figures.captures > 5.0 && figures.passes > 0.5, "{told}");
                let expected = EXPECTED.iter().find(|(name, _)| *name == variant.to_string());
                let Some((_, [sowings, extras, passes, repetition])) = expected else { return };
                let sown = figures.plies - figures.passes;
                assert!((sown / sowings - 1.0).abs() < 0.05, "sowings, about {sowings}: {told}");
                assert!((figures.extras / sown - extras).abs() < 0.02, "extras, about {extras}: {told}");
                assert!((figures.passes - passes).abs() < 0.7, "passes, about {passes}: {told}");
                let repeated = figures.repetition / GAMES as f64;
                assert!((repeated - repetition).abs() < 0.04, "repetition, about {repetition}: {told}");
            });
        }
    });
}
