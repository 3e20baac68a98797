//! Laws that hold for every position, every move and every text.

use giuthi_engine::position::SetupFault;
use giuthi_engine::rules::{MAX_SEEDS, MAX_WIDTH, MIN_WIDTH};
use giuthi_engine::{AgentSpec, Ending, Game, Move, MoveKind, Ply, Position, Setup, Variant};
use proptest::prelude::*;

/// Positions of all widths and up to 255 seeds. Few places share them at times, so that pits grow huge.
fn positions() -> impl Strategy<Value = Position> {
    (MIN_WIDTH..=MAX_WIDTH)
        .prop_flat_map(|width| {
            let places = 2 * width + 2;
            let seeds = prop::collection::vec(0..places, 0..=MAX_SEEDS as usize);
            (Just(width), 1..=places, 0..places, seeds, 0u32..2)
        })
        .prop_map(|(width, spread, shift, seeds, to_move)| {
            let mut places = vec![0u32; 2 * width + 2];
            for place in seeds {
                places[(place % spread * 7 + shift) % (2 * width + 2)] += 1;
            }
            let setup = Setup {
                north: places[..width].to_vec(),
                south: places[width..2 * width].to_vec(),
                piles: [places[2 * width], places[2 * width + 1]],
                to_move,
            };
            Position::try_from(&setup).expect("the bounds were kept")
        })
}

/// A game of some recorded variant, random to its end or for as many plies as there are numbers.
fn games() -> impl Strategy<Value = Game> {
    let variants = prop::sample::select(Variant::RECORDED.to_vec());
    (variants, prop::collection::vec(any::<prop::sample::Index>(), 0..150)).prop_map(|(variant, choices)| {
        let mut game = Game::new(variant);
        for choice in choices {
            if game.ending().is_some() {
                break;
            }
            let moves = game.position().moves();
            game.play(moves[choice.index(moves.len())]).expect("a listed move is legal");
        }
        game
    })
}

fn seeds(position: &Position) -> u32 {
    position.score().iter().sum()
}

fn every_move() -> impl Iterator<Item = Move> {
    let sowings = (0..=u8::MAX)
        .flat_map(|pit| giuthi_engine::Direction::BOTH.map(|direction| Move::Sow { pit, direction }));
    sowings.chain([Move::Pass])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn moves_keep_every_seed(position in positions()) {
        for mv in position.moves() {
            let step = position.step(mv);
            prop_assert_eq!(seeds(&step.position), seeds(&position), "{} {}", position, mv);
            let mover = position.to_move().index();
            let gain = step.position.piles()[mover] - position.piles()[mover];
            prop_assert_eq!(gain, step.sowing.captured);
            prop_assert_eq!(step.position.piles()[1 - mover], position.piles()[1 - mover]);
            prop_assert_eq!(step.sowing.captured > 0, step.sowing.kind == MoveKind::Capture);
            if step.sowing.kind == MoveKind::Endless {
                prop_assert_eq!(step.position, position);
            }
            let stays = matches!(step.sowing.kind, MoveKind::Extra | MoveKind::Endless);
            prop_assert_eq!(stays, step.position.to_move() == position.to_move(), "{} {}", position, mv);
        }
    }

    #[test]
    fn every_lap_starts_where_the_one_before_ended(position in positions()) {
        for mv in position.moves() {
            let Move::Sow { pit, direction } = mv else { continue };
            let (mut laps, mut expected) = (0, (usize::from(pit), direction));
            let mut board = *position.board();
            let step = position.step_observed(mv, |lap| {
                assert_eq!((lap.from, lap.direction), expected, "{position} {mv} lap {laps}");
                assert_eq!(lap.seeds, board.pits()[lap.from]);
                assert_eq!(lap.last, lap.board.pits()[lap.to] == 1);
                expected = (lap.to, lap.direction.reversed());
                board = lap.board;
                laps += 1;
            });
            prop_assert_eq!(laps, step.sowing.laps);
        }
    }

    #[test]
    fn the_listed_moves_are_the_legal_ones(position in positions()) {
        let listed = position.moves().to_vec();
        let legal: Vec<Move> = every_move().filter(|&mv| position.check(mv).is_ok()).collect();
        prop_assert_eq!(&legal, &listed);
        prop_assert_eq!(listed.is_empty(), position.no_moves());
        for mv in every_move() {
            prop_assert_eq!(position.check(mv).err(), position.play(mv).err());
        }
    }

    #[test]
    fn the_mirrored_board_has_the_mirrored_moves(position in positions()) {
        let (mirror, width) = (position.mirrored(), position.width());
        prop_assert_eq!(mirror.mirrored(), position);
        prop_assert_eq!(mirror.moves().len(), position.moves().len());
        for mv in position.moves() {
            let reflected = mv.mirrored(width);
            prop_assert_eq!(reflected.mirrored(width), mv);
            let (here, there) = (position.step(mv), mirror.play(reflected).expect("legal as well"));
            prop_assert_eq!(here.sowing, there.sowing, "{} {}", position, mv);
            prop_assert_eq!(here.position.mirrored(), there.position, "{} {}", position, mv);
        }
    }

    #[test]
    fn the_other_seat_has_the_same_moves(position in positions()) {
        let (other, width) = (position.swapped(), position.width());
        prop_assert_eq!(other.swapped(), position);
        prop_assert_eq!(other.lead(), position.lead());
        prop_assert_eq!(other.moves().len(), position.moves().len());
        for mv in position.moves() {
            let turned = mv.swapped(width);
            prop_assert_eq!(turned.swapped(width), mv);
            let (here, there) = (position.step(mv), other.play(turned).expect("legal as well"));
            prop_assert_eq!(here.sowing, there.sowing, "{} {}", position, mv);
            prop_assert_eq!(here.position.swapped(), there.position, "{} {}", position, mv);
        }
    }

    #[test]
    fn positions_are_read_as_they_are_written(position in positions()) {
        let text = position.to_string();
        prop_assert_eq!(text.parse::<Position>(), Ok(position));
        prop_assert_eq!(text.split(' ').count(), 5);
    }

    #[test]
    fn undo_goes_back_all_the_way(game in games()) {
        let mut forth = Game::from_position(game.plies().first().map_or(*game.position(), |ply| ply.before));
        let mut states = vec![state(&forth)];
        for ply in game.plies() {
            forth.play(ply.mv).expect("played before");
            states.push(state(&forth));
        }
        prop_assert_eq!(states.last(), Some(&state(&game)));
        let mut back = game.clone();
        while let Some(ply) = back.undo() {
            states.pop();
            prop_assert_eq!(states.last(), Some(&state(&back)));
            prop_assert_eq!(&ply, &game.plies()[back.plies().len()]);
        }
        prop_assert_eq!(states.len(), 1);
        // And forth again: nothing was forgotten.
        let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
        prop_assert_eq!(back.play_all(&moves), Ok(()));
        prop_assert_eq!(state(&back), state(&game));
    }

    #[test]
    fn the_recent_positions_are_those_since_the_last_capture(game in games()) {
        let captures = game.plies().iter().rposition(|ply| ply.sowing.kind == MoveKind::Capture);
        let mut since: Vec<Position> =
            game.plies().iter().skip(captures.map_or(0, |at| at + 1)).map(|ply| ply.before).collect();
        if game.ending() != Some(Ending::Endless) {
            since.push(*game.position());
        }
        prop_assert_eq!(game.recent(), &since[..]);
        let met = |at: usize| since[..at].contains(&since[at]);
        let repeated: Vec<usize> = (0..since.len()).filter(|&at| met(at)).collect();
        let expected = if game.ending() == Some(Ending::Repetition) { vec![since.len() - 1] } else { vec![] };
        prop_assert_eq!(repeated, expected);
    }

    /// What differs is the history alone: a position met before it was set up is no repetition.
    #[test]
    fn a_position_set_up_plays_like_the_same_one_reached(game in games(), at in any::<prop::sample::Index>()) {
        let at = at.index(game.plies().len() + 1);
        let (before, after) = game.plies().split_at(at);
        let reached = after.first().map_or(*game.position(), |ply| ply.before);
        let mut set_up = Game::from_position(reached.to_string().parse().expect("a position"));
        prop_assert_eq!(*set_up.position(), reached);
        for ply in after {
            prop_assert_eq!(set_up.ending(), None);
            prop_assert_eq!(set_up.play(ply.mv), Ok(*ply));
        }
        prop_assert_eq!(set_up.position(), game.position());
        let only_history = game.ending() == Some(Ending::Repetition)
            && !after.iter().any(|ply| ply.before == *game.position());
        if only_history {
            prop_assert!(before.iter().any(|ply| ply.before == *game.position()));
            prop_assert_eq!(set_up.ending(), game.position().no_moves().then_some(Ending::NoMoves));
        } else {
            prop_assert_eq!((set_up.ending(), set_up.outcome()), (game.ending(), game.outcome()));
        }
    }

    #[test]
    fn a_finished_game_takes_no_move(game in games()) {
        let mut game = game;
        for mv in every_move() {
            if game.ending().is_some() {
                let before = state(&game);
                prop_assert!(game.play(mv).is_err());
                prop_assert_eq!(state(&game), before);
            }
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "(?s).{0,60}") {
        parse_all(&text);
    }

    /// Texts that are almost right come further.
    #[test]
    fn no_garbled_text_makes_a_parser_panic(position in positions(), cut in any::<prop::sample::Index>(), with in "[ 0-9,a-z@:=.\u{e9}-]{0,4}") {
        let spec = "gen3@ab:depth=3,net=weights.safetensors".to_owned();
        for text in [position.to_string(), spec, "2x10x9".to_owned(), "12ccw".to_owned()] {
            let at = cut.index(text.len() + 1);
            parse_all(&format!("{}{with}{}", &text[..at], &text[at..]));
            parse_all(&format!("{}{with}", &text[..at]));
        }
    }

    #[test]
    fn a_setup_is_refused_for_each_of_its_faults(
        north in prop::collection::vec(prop_oneof![0u32..12, 200u32..400, Just(u32::MAX)], 0..14),
        south in prop::collection::vec(prop_oneof![0u32..12, 200u32..400], 0..14),
        piles in prop::array::uniform2(prop_oneof![0u32..20, 250u32..300]),
        to_move in 0u32..4,
    ) {
        let setup = Setup { north, south, piles, to_move };
        let expected = faults(&setup);
        match Position::try_from(&setup) {
            Ok(position) => {
                prop_assert!(expected.is_empty(), "{:?} is accepted: {:?}", setup, expected);
                prop_assert_eq!(position.board().pits().len(), setup.north.len() + setup.south.len());
            }
            Err(error) => {
                prop_assert_eq!(&error.0, &expected);
                let (told, more) = (error.to_string(), expected.len().saturating_sub(8));
                for fault in expected.iter().take(8) {
                    prop_assert!(told.contains(&fault.to_string()), "{}", told);
                }
                prop_assert_eq!(told.matches("; ").count() + 1, expected.len().min(9));
                prop_assert_eq!(told.ends_with(&format!("; and {more} more")), more > 0, "{}", told);
            }
        }
    }
}

/// Everything that can be seen of a game.
fn state(game: &Game) -> (Position, Vec<Position>, Vec<Ply>, Option<Ending>) {
    (*game.position(), game.recent().to_vec(), game.plies().to_vec(), game.ending())
}

/// Parses a text as everything; what is read is written as it was, what is not is refused in one line.
fn parse_all(text: &str) {
    fn parse<T: std::str::FromStr<Err: std::fmt::Display> + std::fmt::Display>(text: &str) {
        match text.parse::<T>() {
            Ok(value) => assert_eq!(value.to_string(), text),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{text:?}: {error}"),
        }
    }
    parse::<Variant>(text);
    parse::<Move>(text);
    parse::<Position>(text);
    parse::<AgentSpec>(text);
}

/// The faults of a setup in the order they are told.
fn faults(setup: &Setup) -> Vec<SetupFault> {
    let mut faults = Vec::new();
    let (north, south) = (setup.north.len(), setup.south.len());
    if north != south {
        faults.push(SetupFault::UnequalRows { north, south });
    }
    let mut widths = vec![north, south];
    widths.dedup();
    faults.extend(widths.into_iter().filter(|width| !(5..=10).contains(width)).map(SetupFault::Width));
    let pits = setup.north.iter().chain(&setup.south);
    let mut places: Vec<(String, u32)> =
        pits.enumerate().map(|(pit, &seeds)| (format!("pit {pit}"), seeds)).collect();
    places.extend(setup.piles.iter().enumerate().map(|(player, &seeds)| (format!("pile {player}"), seeds)));
    let total: u64 = places.iter().map(|&(_, seeds)| u64::from(seeds)).sum();
    let large = places.into_iter().filter(|&(_, seeds)| seeds > 255);
    faults.extend(large.map(|(place, seeds)| SetupFault::Place { place, seeds }));
    if total > 255 {
        faults.push(SetupFault::Total(total));
    }
    if setup.to_move > 1 {
        faults.push(SetupFault::Player(setup.to_move));
    }
    faults
}
