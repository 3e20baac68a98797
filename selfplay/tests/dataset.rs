//! What stands in the rows: a replay of each game says the same, and the labels are the mover's.

mod support;

use std::num::{NonZeroU32, NonZeroUsize};

use giuthi_engine::agent::NoClock;
use giuthi_engine::{Ending, Game, Move, MoveKind, Outcome, Player, Position, Sample, Source, Variant};
use giuthi_selfplay::{
    Epsilon, Format, Level, Manifest, OpeningPlies, Settings, Shard, Temperature, generate,
};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use support::{files, games, make, number, parts, settings};
use tempfile::tempdir;

/// Replays a game from its rows alone and checks every row by it.
fn check(variant: Variant, rows: &[Sample]) {
    let mut game = Game::new(variant);
    for (ply, row) in rows.iter().enumerate() {
        assert_eq!(game.ending(), None, "game {} goes on after its end", row.game);
        assert_eq!((row.ply as usize, &row.position), (ply, game.position()), "game {}", row.game);
        game.play(row.mv).unwrap();
    }
    let [south, north] = game.position().score().map(|points| points as i16);
    for row in rows {
        assert_eq!(Some(row.ending), game.ending());
        let (own, other) = if row.player() == Player::South { (south, north) } else { (north, south) };
        assert_eq!(row.margin, own - other);
        let won = match game.outcome().unwrap() {
            Outcome::Draw => 0,
            Outcome::Win(player) if player == row.player() => 1,
            Outcome::Win(_) => -1,
        };
        assert_eq!(row.result, won, "game {} ply {}", row.game, row.ply);
        // Only where moves ran out does the score decide.
        let by_score = if row.ending == Ending::NoMoves { row.margin.signum() } else { 0 };
        assert_eq!(i16::from(row.result), by_score);
    }
}

#[test]
fn rows_say_what_a_replay_says_on_every_recorded_variant() {
    for variant in Variant::RECORDED {
        let dir = tempdir().unwrap();
        make(&settings(&variant.to_string(), "random", 30, 12), dir.path(), 2);
        let games = games(dir.path());
        assert_eq!(games.iter().map(|game| game[0].game).collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());
        for game in &games {
            check(variant, game);
        }
    }
}

#[test]
fn labels_are_the_movers_and_an_extra_move_keeps_their_sign() {
    let dir = tempdir().unwrap();
    make(&settings("2x6x4", "ab:depth=2", 60, 60), dir.path(), 2);
    let (mut extra, mut passes) = (0, 0);
    for game in games(dir.path()) {
        for pair in game.windows(2) {
            let kind = pair[0].position.step(pair[0].mv).sowing.kind;
            let sign = if kind == MoveKind::Extra { 1 } else { -1 };
            assert_eq!(pair[1].result, pair[0].result * sign as i8);
            assert_eq!(pair[1].margin, pair[0].margin * sign);
            extra += u32::from(kind == MoveKind::Extra && pair[0].result != 0);
            passes += u32::from(kind == MoveKind::Pass && pair[0].result != 0);
        }
    }
    assert!(extra > 100 && passes > 20, "{extra} extra moves, {passes} passes");
}

#[test]
fn sources_and_values_say_where_a_move_came_from() {
    let dir = tempdir().unwrap();
    let opening = OpeningPlies::new(3, 5).unwrap();
    let epsilon = Epsilon::try_from(0.0).unwrap();
    make(&Settings { opening, epsilon, ..settings("2x5x4", "ab:depth=2", 200, 200) }, dir.path(), 2);
    let mut lengths = [0; 6];
    for game in games(dir.path()) {
        let opening = game.iter().take_while(|row| row.source != Source::Search).count();
        for (ply, row) in game.iter().enumerate() {
            match row.mv {
                Move::Pass => assert_eq!((row.source, row.value), (Source::Forced, None)),
                _ if ply < opening => assert_eq!((row.source, row.value), (Source::Random, None)),
                _ => {
                    assert_eq!(row.source, Source::Search);
                    assert!(row.value.is_some());
                }
            }
        }
        // A pass that follows the opening looks like a part of it.
        let sown =
            game[..opening].iter().rposition(|row| row.source == Source::Random).map_or(0, |last| last + 1);
        lengths[sown.min(5)] += 1;
    }
    // Three, four and five plies are equally likely; where the last of them is a pass it counts as fewer.
    assert!(lengths[3..].iter().all(|&games| games > 30), "{lengths:?}");
    assert!(lengths[..3].iter().sum::<i32>() < 30, "{lengths:?}");
}

#[test]
fn epsilon_is_the_share_of_random_moves() {
    for (share, bounds) in [(0.25, 0.22..0.28), (1.0, 1.0..1.01)] {
        let dir = tempdir().unwrap();
        let opening = OpeningPlies::new(0, 0).unwrap();
        let epsilon = Epsilon::try_from(share).unwrap();
        let settings = Settings { opening, epsilon, ..settings("2x5x4", "ab:depth=1", 400, 400) };
        let tally = *make(&settings, dir.path(), 2).summary.tally();
        let (random, search) = (tally.moves_by(Source::Random), tally.moves_by(Source::Search));
        let found = random as f64 / (random + search) as f64;
        assert!(bounds.contains(&found), "{found} of the moves are random, not {share}");
    }
}

#[test]
fn the_summary_counts_what_the_rows_hold() {
    let dir = tempdir().unwrap();
    let settings = settings("2x5x4", "greedy", 150, 40);
    let summary = make(&settings, dir.path(), 2).summary;
    let tally = summary.tally();
    let games = games(dir.path());
    let rows: Vec<&Sample> = games.iter().flatten().collect();
    let count = |test: &dyn Fn(&Sample) -> bool| rows.iter().filter(|row| test(row)).count() as u64;
    assert_eq!((summary.games(), summary.rows()), (150, rows.len() as u64));
    let starts = |result: i8| count(&|row| row.ply == 0 && row.result == result);
    assert_eq!(tally.results(), [starts(1), starts(0), starts(-1)]);
    for ending in Ending::ALL {
        assert_eq!(tally.ended_by(ending), count(&|row| row.ply == 0 && row.ending == ending));
    }
    for source in Source::ALL {
        assert_eq!(tally.moves_by(source), count(&|row| row.source == source));
    }
    let extra = count(&|row| row.position.step(row.mv).sowing.kind == MoveKind::Extra);
    assert_eq!(tally.extra_moves(), extra);
    assert_eq!(tally.longest(), games.iter().map(Vec::len).max().unwrap() as u64);
    let positions: std::collections::HashSet<_> = rows.iter().map(|row| row.position).collect();
    assert_eq!(summary.positions(), Some((positions.len() as u64, true)));
    // Told by the manifest it is the same, but for the positions, which nobody looks at then.
    let again = make(&settings, dir.path(), 1);
    assert_eq!((again.played, again.summary.tally(), again.summary.positions()), (0, tally, None));
    // Read from the files it is the same.
    std::fs::remove_file(dir.path().join("manifest.json")).unwrap();
    let again = make(&settings, dir.path(), 1);
    assert_eq!((again.played, again.summary.tally()), (0, tally));
    assert_eq!(again.summary.positions(), summary.positions());
}

/// The plies of a game after its opening: from the first that the agent was asked about, or could have been.
fn asked(game: &[Sample]) -> &[Sample] {
    let first = game.iter().position(|row| row.source == Source::Search || row.value.is_some());
    &game[first.unwrap_or(game.len())..]
}

#[test]
fn a_temperature_plays_other_moves_than_the_best_and_the_less_the_later() {
    let plies = NonZeroU32::new(10).unwrap();
    let opening = OpeningPlies::new(4, 4).unwrap();
    let of = |temperature| {
        let dir = tempdir().unwrap();
        let epsilon = Epsilon::try_from(0.0).unwrap();
        let settings =
            Settings { opening, epsilon, temperature, ..settings("2x6x4", "ab:depth=2", 300, 300) };
        make(&settings, dir.path(), 2);
        games(dir.path())
    };
    let explored = |games: &[Vec<Sample>], plies: std::ops::Range<usize>| {
        let rows = games.iter().flat_map(|game| game.iter().skip(4 + plies.start).take(plies.len()));
        let (mut others, mut all) = (0, 0);
        for row in rows.filter(|row| row.mv != Move::Pass) {
            assert!(row.value.is_some(), "every position after the opening was searched");
            others += u32::from(row.source == Source::Random);
            all += 1;
        }
        f64::from(others) / f64::from(all)
    };
    let hot = of(Some(Temperature::new(0.3, plies).unwrap()));
    hot.iter().for_each(|game| check("2x6x4".parse().unwrap(), game));
    let (first, second, after) = (explored(&hot, 0..5), explored(&hot, 5..10), explored(&hot, 10..30));
    assert!(first > second + 0.1 && second > 0.05 && after == 0.0, "{first} {second} {after}");
    let cold = of(Some(Temperature::new(0.001, plies).unwrap()));
    assert!(explored(&cold, 0..30) < 0.01);
    // Where the best is played whatever happens, values are those of a plain search.
    let plain = of(None);
    let values = |games: &[Vec<Sample>]| -> Vec<_> {
        games.iter().map(|game| asked(game).first().map(|row| (row.position, row.value))).collect()
    };
    assert_eq!(values(&hot), values(&plain));
    assert_eq!(explored(&plain, 0..30), 0.0);
}

#[test]
fn distinct_openings_are_distinct_over_all_shards() {
    let starts = |games: &[Vec<Sample>]| -> Vec<Position> {
        games
            .iter()
            .map(|game| {
                game.iter()
                    .find(|row| row.source == Source::Search)
                    .map_or(game[0].position, |row| row.position)
            })
            .collect()
    };
    let opening = OpeningPlies::new(2, 3).unwrap();
    let epsilon = Epsilon::try_from(0.0).unwrap();
    let plain = Settings { opening, epsilon, ..settings("2x6x4", "ab:depth=1", 400, 30) };
    let distinct = Settings { distinct_openings: true, ..plain.clone() };
    let [of_plain, of_distinct] = [&plain, &distinct].map(|settings| {
        let dir = tempdir().unwrap();
        make(settings, dir.path(), 2);
        (games(dir.path()), parts(dir.path()))
    });
    let unique = |starts: Vec<Position>| starts.into_iter().collect::<std::collections::HashSet<_>>().len();
    assert!(unique(starts(&of_plain.0)) < 390, "without it many are alike");
    assert_eq!(unique(starts(&of_distinct.0)), 400);
    // A game whose opening nobody had before keeps it.
    let same = of_plain.0.iter().zip(&of_distinct.0).filter(|(plain, distinct)| plain == distinct).count();
    assert!(same > 150, "{same}");
    let mut union = std::collections::BTreeMap::new();
    for index in 0..3 {
        let dir = tempdir().unwrap();
        make(
            &Settings { shard: Shard::new(index, 3).unwrap(), ..distinct.clone() },
            dir.path(),
            1 + index as usize,
        );
        union.extend(parts(dir.path()));
    }
    assert!(union == of_distinct.1);
}

#[test]
fn too_few_openings_are_refused() {
    let opening = OpeningPlies::new(1, 1).unwrap();
    let settings = Settings { opening, distinct_openings: true, ..settings("2x6x4", "random", 60, 60) };
    let dir = tempdir().unwrap();
    let said = generate(&settings, dir.path(), NonZeroUsize::MIN, &NoClock, |_| {}).unwrap_err().to_string();
    assert!(said.starts_with("--distinct-openings: game ") && said.contains("of 1 random plies"), "{said}");
    // Twelve first moves there are on the board, and as many games can be had.
    let twelve = Settings { games: number(12), ..settings };
    assert_eq!(make(&twelve, dir.path(), 2).played, 12);
}

/// R7 and the rule of repetition bound every game: with so many seeds on the board there are only so many positions, none
/// comes twice, and a capture leaves fewer seeds. What is far longer than any game must therefore come to its end.
#[test]
fn no_game_is_cut_short() {
    for (variant, longest) in [("2x5x4", 40), ("2x10x9", 150)] {
        let variant: Variant = variant.parse().unwrap();
        let dir = tempdir().unwrap();
        let report = make(&settings(&variant.to_string(), "random", 60, 60), dir.path(), 2);
        assert!(report.summary.tally().longest() > longest);
        for game in games(dir.path()) {
            let mut replay = Game::new(variant);
            for row in &game {
                replay.play(row.mv).unwrap();
            }
            assert_eq!(replay.ending(), Some(game[0].ending));
        }
    }
}

#[test]
fn the_manifest_tells_what_is_in_the_folder() {
    let dir = tempdir().unwrap();
    let report = make(&settings("2x5x4", "greedy", 50, 20), dir.path(), 2);
    let manifest = Manifest::load(dir.path()).unwrap();
    assert_eq!(manifest, report.manifest);
    assert_eq!((manifest.games, manifest.run.seed, manifest.run.agent.as_str()), (50, 7, "greedy"));
    assert_eq!(manifest.parts.iter().map(|part| part.games).collect::<Vec<_>>(), [20, 20, 10]);
    let files = files(dir.path());
    for part in &manifest.parts {
        let bytes = &files[&part.file];
        let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
        assert_eq!(lines, part.rows + 2, "rows, the header, and nothing after the last line's end");
        assert!(!bytes.contains(&b'\r'));
        let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sum, part.sha256);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_the_settings_what_is_written_is_read_back(
        (width, seeds) in (5_usize..=10, 3_usize..=9),
        (games_wanted, part_games) in (1_u64..12, 1_u64..12),
        (least, more) in (0_u32..3, 0_u32..3),
        share in 0.0..=1.0,
        heat in prop_oneof![Just(0.0), 0.01..1.0],
        format in prop_oneof![Just(Format::Plain), (1..=3).prop_map(|level| Format::Zstd(Level::try_from(level).unwrap()))],
        (index, others) in (0_u32..3, 0_u32..3),
        seed: u64,
    ) {
        let variant = Variant::new(width, seeds).unwrap();
        let settings = Settings {
            variant,
            agent: "ab:depth=1".parse().unwrap(),
            games: number(games_wanted),
            opening: OpeningPlies::new(least, least + more).unwrap(),
            distinct_openings: false,
            epsilon: Epsilon::try_from(share).unwrap(),
            temperature: Temperature::new(heat, NonZeroU32::new(8).unwrap()).ok(),
            format,
            tables: None,
            part_games: number(part_games),
            shard: Shard::new(index, index + others + 1).unwrap(),
            seed,
        };
        let dir = tempdir().unwrap();
        let report = make(&settings, dir.path(), 2);
        let games = games(dir.path());
        prop_assert_eq!(report.played, games.len() as u64);
        for game in &games {
            check(variant, game);
        }
        // Without the manifest every part is read again, and every setting compared.
        let whole = files(dir.path());
        std::fs::remove_file(dir.path().join("manifest.json")).unwrap();
        prop_assert_eq!(make(&settings, dir.path(), 1).played, 0);
        prop_assert!(files(dir.path()) == whole);
    }
}
