//! What every agent owes, asked of each in the table; and what some owe beyond.

mod clocks;
mod networks;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use clocks::Ticking;
use giuthi_engine::agent::{AGENTS, LoadError, NoClock, Request, SpecError};
use giuthi_engine::opening::random_opening;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::{Agent, AgentSpec, Choice, Game, Move, MoveKind, Variant};
use rand::RngExt;

const VARIANTS: [&str; 4] = ["2x5x4", "2x7x6", "2x8x8", "2x10x9"];

/// Every example of the table, and the specs that need a file: one network for each width of [`VARIANTS`].
struct Specs {
    folder: tempfile::TempDir,
}

impl Specs {
    fn new() -> Specs {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for variant in VARIANTS {
            let width = variant.parse::<Variant>().unwrap().width();
            let network = networks::network(width, [8, 4], &mut game_rng(1, width as u64));
            network.save(&Specs::weights(folder.path(), width)).expect("written");
        }
        Specs { folder }
    }

    fn weights(folder: &Path, width: usize) -> std::path::PathBuf {
        folder.join(format!("width-{width}.safetensors"))
    }

    fn for_width(&self, width: usize) -> Vec<AgentSpec> {
        let weights = Specs::weights(self.folder.path(), width);
        let with_weights = ["net:", "ab:depth=2,net=", "ab:nodes=300,net=", "mcts:sims=20,net="];
        let files = with_weights.iter().map(|spec| format!("{spec}{}", weights.display()));
        let examples = AGENTS.iter().flat_map(|kind| kind.examples).map(|&spec| spec.to_owned());
        examples.chain(files).map(|spec| spec.parse().expect("a good spec")).collect()
    }
}

/// Asks for a move and checks everything that an agent promises of its choice.
fn asked(agent: &mut dyn Agent, spec: &AgentSpec, game: &Game, rng: &mut impl rand::Rng) -> Choice {
    let choice = agent.choose(game, &mut Request::new(rng, &NoClock));
    let told = || format!("{spec} in {} after {} plies: {choice:?}", game.position(), game.plies().len());
    assert_eq!(game.position().check(choice.mv), Ok(()), "{}", told());
    if let Some(value) = choice.value {
        assert!((-1.0..=1.0).contains(&value), "{}", told());
    }
    if !choice.line.is_empty() {
        assert_eq!(choice.line[0], choice.mv, "{}", told());
        assert_eq!(game.clone().play_all(&choice.line), Ok(()), "{}", told());
    }
    choice
}

/// Asks what every move is worth and checks that it is told of each, once; whether the agent gives values at all.
fn weighed(agent: &mut dyn Agent, spec: &AgentSpec, game: &Game, rng: &mut impl rand::Rng) -> bool {
    let Some(each) = agent.weigh(game, &mut Request::new(rng, &NoClock)) else { return false };
    let told = || format!("{spec} in {}: {each:?}", game.position());
    let mut moves: Vec<String> = each.iter().map(|(mv, _)| mv.to_string()).collect();
    moves.sort();
    let mut wanted: Vec<String> = game.position().moves().iter().map(ToString::to_string).collect();
    wanted.sort();
    assert_eq!(moves, wanted, "{}", told());
    assert!(each.iter().all(|(_, value)| (-1.0..=1.0).contains(value)), "{}", told());
    true
}

/// A whole game of an agent against itself, after some random plies; returns its moves.
fn play(spec: &AgentSpec, variant: Variant, seed: u64) -> Vec<Move> {
    let factory = spec.load(variant.width()).expect("its weights are there");
    let mut agents = [factory(), factory()];
    let mut rng = game_rng(seed, 0);
    let mut game = random_opening(variant, 4, &mut rng).expect("short openings do not end the game");
    while game.ending().is_none() {
        let player = game.position().to_move().index();
        let choice = asked(&mut *agents[player], spec, &game, &mut rng);
        game.play(choice.mv).expect("checked above");
    }
    game.plies().iter().map(|ply| ply.mv).collect()
}

#[test]
fn every_agent_plays_whole_games_the_same_from_the_same_seed() {
    let specs = Specs::new();
    std::thread::scope(|scope| {
        for variant in VARIANTS {
            let specs = &specs;
            scope.spawn(move || {
                let variant: Variant = variant.parse().unwrap();
                for spec in specs.for_width(variant.width()) {
                    assert!(!spec.clocked(), "{spec}: examples can be repeated");
                    let moves = play(&spec, variant, 1);
                    assert_eq!(moves, play(&spec, variant, 1), "{spec} on {variant}: another game");
                    assert_ne!(
                        moves,
                        play(&spec, variant, 2),
                        "{spec} on {variant}: the same game from another seed"
                    );
                }
            });
        }
    });
}

#[test]
fn every_agent_answers_everywhere() {
    let specs = Specs::new();
    for variant in VARIANTS {
        let variant: Variant = variant.parse().unwrap();
        // On the widest board a choice takes a while and the games are long: fewer of them will do.
        let every = if variant.width() < 10 { 6 } else { 40 };
        for spec in specs.for_width(variant.width()) {
            let factory = spec.load(variant.width()).expect("its weights are there");
            let mut agent = factory();
            let mut rng = game_rng(3, 0);
            let mut game = Game::new(variant);
            let (mut games, mut passes, mut extras, mut long) = (0, 0, 0, 0);
            while games < 12 {
                if game.ending().is_some() {
                    game = Game::new(variant);
                    agent = factory();
                    games += 1;
                }
                let position = game.position();
                let forced = position.moves()[0] == Move::Pass;
                if forced || rng.random_range(0..every) == 0 {
                    asked(&mut *agent, &spec, &game, &mut rng);
                    if variant.width() < 10 {
                        let gives_values = !["random", "greedy"].contains(&spec.text());
                        assert_eq!(weighed(&mut *agent, &spec, &game, &mut rng), gives_values, "{spec}");
                    }
                    passes += u32::from(forced);
                    extras +=
                        u32::from(game.plies().last().is_some_and(|ply| ply.sowing.kind == MoveKind::Extra));
                    long += u32::from(game.recent().len() > 10);
                }
                let mut mv = random_move(position, &mut rng).expect("the game goes on");
                // In every third game captures are mostly put off, so that histories grow long.
                for _ in 0..2 * u32::from(games % 3 == 0) {
                    if position.step(mv).sowing.kind == MoveKind::Capture {
                        mv = random_move(position, &mut rng).expect("the game goes on");
                    }
                }
                game.play(mv).expect("a listed move is legal");
            }
            let told = format!(
                "{variant}: {passes} passes, {extras} after extra moves, {long} after long histories"
            );
            assert!(passes > 0 && extras > 10 && long > 5, "{told}");
        }
    }
}

#[test]
fn random_plays_each_move_as_often_as_any_other() {
    let mut agent = "random".parse::<AgentSpec>().unwrap().load(8).unwrap()();
    let (game, mut rng) = (Game::new(Variant::default()), game_rng(6, 0));
    let mut drawn = HashMap::new();
    for _ in 0..16_000 {
        *drawn.entry(agent.choose(&game, &mut Request::new(&mut rng, &NoClock)).mv).or_insert(0) += 1;
    }
    for mv in game.position().moves() {
        // A thousand times each; six standard deviations are 184.
        let times = drawn.remove(&mv).unwrap_or(0);
        assert!((816..1184).contains(&times), "{mv}: {times} times of 16,000");
    }
    assert!(drawn.is_empty(), "illegal: {drawn:?}");
}

#[test]
fn a_node_limit_is_kept() {
    let mut rng = game_rng(4, 0);
    for nodes in [1, 10, 500, 2000] {
        let spec: AgentSpec = format!("ab:nodes={nodes}").parse().unwrap();
        let mut agent = spec.load(8).unwrap()();
        for _ in 0..20 {
            let game = random_opening(Variant::default(), 20, &mut rng).expect("it goes on");
            let choice = asked(&mut *agent, &spec, &game, &mut rng);
            assert!((1..=nodes).contains(&choice.nodes), "{spec}: {} nodes", choice.nodes);
        }
    }
}

#[test]
fn a_time_limit_is_kept_by_the_clock_handed_in() {
    let spec: AgentSpec = "ab:ms=20".parse().unwrap();
    assert!(spec.clocked());
    let clock = Ticking::default();
    let choice = spec.load(8).unwrap()()
        .choose(&Game::new(Variant::default()), &mut Request::new(&mut game_rng(1, 1), &clock));
    let looks = clock.0.into_inner();
    assert!((20..=22).contains(&looks), "the clock was looked at {looks} times");
    assert!(choice.nodes > 0 && choice.depth > 0, "{choice:?}");
}

/// The most that the turn can capture after a move and, negative, the moves that this needs at least, every run of
/// extra moves played in the game itself; `None` where there are too many to play.
fn most_captured(game: &mut Game, mv: Move, budget: &mut u32) -> Option<(u8, i32)> {
    *budget = budget.checked_sub(1)?;
    let ply = game.play(mv).expect("a listed move is legal");
    let mut most = Some((ply.sowing.captured, -1));
    if ply.sowing.kind == MoveKind::Extra && game.ending().is_none() {
        for next in game.position().moves() {
            if next != Move::Pass {
                let here = most_captured(game, next, budget).map(|(captured, moves)| (captured, moves - 1));
                most = most.zip(here).map(|(most, here)| most.max(here));
            }
        }
    }
    game.undo();
    most
}

/// Plays some extra moves, so that the turn has met positions that it must not meet again.
fn into_the_turn(game: &mut Game, rng: &mut impl rand::Rng) {
    for _ in 0..rng.random_range(0..8) {
        let mv = random_move(game.position(), rng).expect("the game goes on");
        if game.position().step(mv).sowing.kind == MoveKind::Extra {
            game.play(mv).expect("a listed move is legal");
            if game.ending().is_some() {
                game.undo();
            }
        }
    }
}

#[test]
fn greedy_takes_any_of_the_moves_that_capture_most_and_soonest() {
    let greedy = "greedy".parse::<AgentSpec>().unwrap().load(5).unwrap();
    let (mut compared, mut by_extras, mut ties, mut nothing) = (0, 0, 0, 0);
    for (number, variant) in ["2x5x4", "2x5x9", "2x6x4", "2x8x8"].into_iter().enumerate() {
        let variant: Variant = variant.parse().unwrap();
        let mut rng = game_rng(5, number as u64);
        for _ in 0..250 {
            let mut game = random_opening(variant, rng.random_range(0..30), &mut rng).expect("it goes on");
            into_the_turn(&mut game, &mut rng);
            let mut budget = 5_000;
            let moves = game.position().moves();
            let Some(most) =
                moves.iter().map(|&mv| most_captured(&mut game, mv, &mut budget)).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let best = *most.iter().max().expect("there are moves");
            // Where there is nothing to capture, no move is sooner than another.
            let good = |most: (u8, i32)| most == best || best.0 == 0;
            let wanted: HashSet<Move> =
                moves.iter().zip(&most).filter(|&(_, &most)| good(most)).map(|(&mv, _)| mv).collect();
            let drawn: HashSet<Move> = (0..40 * wanted.len())
                .map(|_| greedy().choose(&game, &mut Request::new(&mut rng, &NoClock)).mv)
                .collect();
            assert_eq!(drawn, wanted, "{}", game.position());
            by_extras += u32::from(best.0 > 0 && best.1 < -1);
            ties += u32::from(best.0 > 0 && wanted.len() > 1);
            nothing += u32::from(best.0 == 0);
            compared += 1;
        }
    }
    let told =
        format!("{compared} compared, {by_extras} by extra moves, {ties} ties, {nothing} without captures");
    assert!(compared > 300 && by_extras > 100 && ties > 30 && nothing > 5, "{told}");
}

#[test]
fn specs_are_shown_as_they_were_written() {
    let mut names = HashSet::new();
    for kind in AGENTS {
        assert!(names.insert(kind.name), "{} stands twice in the table", kind.name);
        for text in kind.summary.lines().chain(kind.keys.iter().map(|key| key.summary)) {
            assert!(!text.is_empty(), "{}: no summary", kind.name);
        }
    }
    for spec in Specs::new().for_width(5) {
        let text = spec.text().to_owned();
        let name = text.split(':').next().expect("split gives one part at least");
        assert!(names.contains(name), "{text}");
        assert_eq!((spec.to_string(), spec.label()), (text.clone(), &*text));
        let labelled: AgentSpec = format!("gen 3@{text}").parse().expect("a label changes nothing");
        assert_eq!((labelled.label(), labelled.text()), ("gen 3", &*text));
        assert_eq!(labelled.to_string(), format!("gen 3@{text}"));
        assert_eq!(
            labelled.to_string().parse::<AgentSpec>().expect("shown").to_string(),
            labelled.to_string()
        );
    }
}

#[test]
fn every_key_is_taken() {
    for kind in AGENTS {
        for key in kind.keys {
            let value = if key.name == "net" { "weights.safetensors" } else { "1" };
            // Some limit there has to be.
            let limit = match kind.keys[0].name {
                first if first == key.name => String::new(),
                first => format!("{first}=1,"),
            };
            let text = format!("{}:{limit}{}={value}", kind.name, key.name);
            let spec: AgentSpec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(spec.to_string(), text);
        }
    }
    assert!("ab:depth=2,hash=0".parse::<AgentSpec>().is_ok());
    assert!("ab:depth=2,hash=65536".parse::<AgentSpec>().is_ok());
    assert!("ab:depth=2,hash=65537".parse::<AgentSpec>().is_err());
}

#[test]
fn specs_that_are_none_are_refused_with_the_reason() {
    let refusal = |text: &str| match text.parse::<AgentSpec>() {
        Ok(spec) => panic!("{spec} is accepted"),
        Err(error) => error,
    };
    type Sort = fn(&SpecError) -> bool;
    let (unknown, key, no_value, twice, value, missing, label): (Sort, Sort, Sort, Sort, Sort, Sort, Sort) = (
        |error| matches!(error, SpecError::Unknown(_)),
        |error| matches!(error, SpecError::Key { .. }),
        |error| matches!(error, SpecError::NoValue { .. }),
        |error| matches!(error, SpecError::Twice { .. }),
        |error| matches!(error, SpecError::Value { .. }),
        |error| matches!(error, SpecError::Missing { .. }),
        |error| matches!(error, SpecError::Label(_)),
    );
    let table: &[(&str, Sort, &[&str])] = &[
        ("", unknown, &["``", "random", "greedy", "ab"]),
        ("minimax", unknown, &["`minimax`", "random", "greedy", "ab"]),
        ("AB:depth=1", unknown, &["`AB`"]),
        ("ab :depth=1", unknown, &["`ab `"]),
        ("random:seed=1", key, &["`random`", "`seed`", "it takes none"]),
        ("ab:deep=1", key, &["`deep`", "depth", "nodes", "ms", "net"]),
        ("ab:depth=1,", key, &["``"]),
        ("ab:depth=1, nodes=5", key, &["` nodes`"]),
        ("ab:depth", no_value, &["`depth`", "key=value"]),
        ("ab:depth=", no_value, &["`depth=`"]),
        ("ab:depth=1,depth=2", twice, &["`depth`"]),
        ("ab:depth=0", value, &["`depth=0`", "from 1 to 200"]),
        ("ab:depth=201", value, &["`depth=201`", "from 1 to 200"]),
        ("ab:depth=+1", value, &["`depth=+1`"]),
        ("ab:depth=one", value, &["`depth=one`"]),
        ("ab:nodes=0", value, &["`nodes=0`", "from 1"]),
        ("ab:nodes=18446744073709551616", value, &["`nodes=18446744073709551616`"]),
        ("ab:ms=0", value, &["`ms=0`", "from 1"]),
        ("ab", missing, &["`ab`", "depth=", "nodes=", "ms="]),
        ("ab:net=weights.safetensors", missing, &["`ab`", "depth="]),
        ("mcts:depth=3", key, &["`depth`", "sims", "ms", "net", "c"]),
        ("mcts:sims=0", value, &["`sims=0`", "from 1"]),
        ("mcts:sims=5,c=-1", value, &["`c=-1`", "from 0 to 100"]),
        ("mcts:sims=5,c=inf", value, &["`c=inf`", "from 0 to 100"]),
        ("mcts:sims=5,playouts=2", value, &["`playouts=2`", "from 0 to 1"]),
        ("mcts:sims=5,playouts=1,net=x", value, &["`playouts=1`", "`net=`"]),
        ("mcts:c=1", missing, &["`mcts`", "sims=", "ms="]),
        ("net", missing, &["`net`", "net:PATH"]),
        ("net:", missing, &["`net`", "net:PATH"]),
        ("@random", label, &["``"]),
        (" gen@random", label, &["` gen`"]),
        ("a,b@random", label, &["`a,b`"]),
        ("a\nb@random", label, &["label"]),
        ("gen@", unknown, &["``"]),
        ("gen@other@random", unknown, &["`other@random`"]),
    ];
    for (text, sort, words) in table {
        let error = refusal(text);
        assert!(sort(&error), "`{text}`: {error:?}");
        let line = error.to_string();
        assert_eq!(line.lines().count(), 1, "`{text}`: {line}");
        for word in *words {
            assert!(line.contains(word), "`{text}`: `{line}` does not say `{word}`");
        }
    }
}

#[test]
fn weights_for_another_board_are_refused() {
    let specs = Specs::new();
    for spec in specs.for_width(5) {
        let of_files = spec.text().contains("safetensors");
        match spec.load(8) {
            Ok(_) => assert!(!of_files, "{spec} is loaded for 2x8"),
            Err(error) => {
                let line = error.to_string();
                assert!(of_files && line.contains("rows of 5 pits") && line.contains("rows of 8"), "{line}");
            }
        }
    }
    let missing: AgentSpec = "net:/no/such/file".parse().expect("whether the file is there is not asked yet");
    let line = missing.load(8).err().expect("it is not there").to_string();
    assert!(line.starts_with("/no/such/file: "), "{line}");
}

#[test]
fn a_command_line_is_taken_apart_and_not_loaded_as_an_agent() {
    let spec: AgentSpec = r#"bot@cmd:python3 -u 'my bot.py' --say "a,b=c@d" e\ f"#.parse().unwrap();
    assert_eq!(spec.label(), "bot");
    assert_eq!(spec.command().unwrap(), ["python3", "-u", "my bot.py", "--say", "a,b=c@d", "e f"]);
    assert!(spec.clocked(), "nobody knows what it looks at");
    assert!(matches!(spec.load(8).map(drop), Err(LoadError::External)));
    assert_eq!("ab:depth=1".parse::<AgentSpec>().unwrap().command(), None);
    let error = |text: &str| text.parse::<AgentSpec>().unwrap_err();
    assert!(matches!(error("cmd"), SpecError::Missing { agent: "cmd", .. }));
    assert!(matches!(error("cmd:  "), SpecError::Missing { agent: "cmd", .. }));
    assert_eq!(error("cmd:a 'b"), SpecError::Quotes("a 'b".to_owned()));
}
