//! `giuthi-train loop`: small runs to their end, interrupted ones, and folders and flags that are refused.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use giuthi_engine::Network;
use giuthi_engine::agent::NoClock;
use giuthi_selfplay::settings::DEFAULT_OPENING;
use giuthi_selfplay::{Epsilon, Manifest};
use giuthi_train::data::{Dataset, RandomRows, Reading};
use giuthi_train::fit;
use giuthi_train::generations::{Event, Means, PromoteBy, Row, Settings, Start, Step, run};
use giuthi_train::source::Source;
use predicates::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tch::Device;
use tempfile::tempdir;

const ARGUMENTS: &str = "loop --variant 2x5x4 --games 60 --depth 1 --selfplay-depth 2 --epochs 3 --window 2 \
    --window-decay 0.5 --lambda 0.5 --layers 32,16 --lr 0.01 --match-games 20 --seed 3 --device cpu";

fn program(dir: &Path, generations: u32, out: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    let generations = generations.to_string();
    command
        .args(ARGUMENTS.split_whitespace())
        .args(["--generations", &generations, "--out", out])
        .current_dir(dir);
    command
}

fn settings() -> Settings {
    let count = |number| NonZeroU32::new(number).unwrap();
    Settings {
        variant: "2x5x4".parse().unwrap(),
        depth: 1,
        selfplay_depth: 2,
        games: NonZeroU64::new(60).unwrap(),
        opening: DEFAULT_OPENING,
        epsilon: Epsilon::default(),
        window: count(2),
        window_decay: 0.5,
        lambda: 0.5,
        random_rows: RandomRows::Skip,
        start: Start::Best,
        fit: fit::Settings {
            epochs: count(3),
            layers: [32, 16],
            learning_rate: 0.01,
            ..fit::Settings::default()
        },
        match_games: 20,
        promote_above: 0.5,
        promote_by: PromoteBy::Score,
        seed: 3,
    }
}

fn make(dir: &Path, settings: &Settings, generations: u32, mut observe: impl FnMut(&Event<'_>)) -> Vec<Row> {
    tch::set_num_threads(1);
    let means = Means { threads: NonZeroUsize::MIN, device: Device::Cpu, clock: &NoClock };
    run(settings, generations, dir, means, &mut |event| observe(&event)).unwrap()
}

/// Every file below a folder by its path from there; model cards without the speed of the fit, and no `metrics.csv`,
/// where speeds stand too.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("net.json") {
                let mut card: Value = serde_json::from_slice(&bytes).unwrap();
                card["figures"].as_object_mut().unwrap().remove("samples_per_s").unwrap();
                bytes = serde_json::to_vec(&card).unwrap();
            }
            if !path.ends_with("metrics.csv") {
                files.insert(path.strip_prefix(dir).unwrap().to_owned(), bytes);
            }
        }
    }
    files
}

#[track_caller]
fn assert_same(found: &BTreeMap<PathBuf, Vec<u8>>, wanted: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
    for (path, bytes) in found {
        assert!(*bytes == wanted[path], "{} differs", path.display());
    }
}

#[test]
fn every_generation_plays_with_the_best_before_it() {
    let dir = tempdir().unwrap();
    let run = dir.path().join("run");
    let made = program(dir.path(), 4, "run").assert().success();
    let printed = String::from_utf8(made.get_output().stdout.clone()).unwrap();
    assert_eq!(printed.lines().count(), 5, "{printed}");

    let mut reader = csv::Reader::from_path(run.join("generations.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let number = |row: usize, column: &str| -> f64 { rows[row][column].parse().unwrap() };
    assert_eq!(rows.len(), 4);
    let (mut best, mut by_network) = (None, None);
    let mut seeds = Vec::new();
    let mut chosen: Vec<[f64; 2]> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let folder = format!("gen-{at:03}");
        let agent = |depth: u32| match best {
            None => format!("ab:depth={depth}"),
            Some(best) => format!("ab:depth={depth},net=gen-{best:03}/net.safetensors"),
        };
        let manifest = Manifest::load(&run.join(&folder).join("data")).unwrap();
        assert_eq!((manifest.run.agent.as_str(), manifest.games), (agent(2).as_str(), 60));
        assert_eq!(row["rows"], manifest.rows.to_string());
        seeds.push(manifest.run.seed);
        chosen.push(chosen_rows(&run.join(&folder).join("data")));
        if best.is_some() && by_network.is_none() {
            by_network = Some(at);
        }
        // A window of two, of the older one half of the training games; none by the material count once there are
        // games by a network, whose values are learned from too.
        let [training, validation] = chosen[at];
        let [old, old_validation] = if at > by_network.unwrap_or(0) { chosen[at - 1] } else { [0.0; 2] };
        assert_eq!(number(at, "fit_rows"), (training + old / 2.0).round() + validation + old_validation);
        let card: Value =
            serde_json::from_slice(&fs::read(run.join(&folder).join("net.json")).unwrap()).unwrap();
        let start = best.map_or("random".to_owned(), |best| format!("generation {best}"));
        assert_eq!(card["settings"]["start"], start);
        let lambda = if by_network.is_some() { "0.5" } else { "0" };
        assert_eq!(
            (&card["settings"]["lambda"], &card["settings"]["layers"]),
            (&lambda.into(), &"32,16".into())
        );
        Network::load_for(&run.join(&folder).join("net.safetensors"), 5).unwrap();

        let played: Value =
            serde_json::from_slice(&fs::read(run.join(&folder).join("match.json")).unwrap()).unwrap();
        let first = &played["matches"][0];
        assert_eq!(first["opponent"], agent(1));
        let [wins, draws, losses] = ["wins", "draws", "losses"].map(|key| first[key].as_f64().unwrap());
        assert_eq!(wins + draws + losses, 20.0);
        let score = (wins + draws / 2.0) / 20.0;
        assert_eq!(number(at, "score"), score);
        let [elo, lower, upper] =
            ["elo_best", "elo_best_lower", "elo_best_upper"].map(|column| number(at, column));
        assert!(lower < elo && elo < upper);
        assert_eq!(elo > 0.0, score > 0.5);
        assert_eq!(row["elo_first"].is_empty(), at == 0);
        number(at, "elo_material");
        assert_eq!(row["promoted"], (score > 0.5).to_string());
        if score > 0.5 {
            best = Some(at);
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 4);
    let told: Value = serde_json::from_slice(&fs::read(run.join("best.json")).unwrap()).unwrap();
    assert_eq!(told["generation"].as_u64(), best.map(|best| best as u64));
    let promoted = rows.iter().filter(|row| row["promoted"] == "true").count();
    assert!((1..4).contains(&promoted), "a seed with both is needed to show both");

    // Once more: nothing is played or changed. From two generations on, in another place: the same.
    let before = files(&run);
    program(dir.path(), 4, "run").assert().success().stdout(printed);
    assert_same(&files(&run), &before);
    program(dir.path(), 2, "elsewhere/run").assert().success();
    program(dir.path(), 4, "elsewhere/run").assert().success();
    assert_same(&files(&dir.path().join("elsewhere/run")), &before);
}

#[test]
fn the_lower_end_of_the_interval_may_be_what_promotes() {
    let dir = tempdir().unwrap();
    let asked = Settings { promote_by: PromoteBy::LowerBound, ..settings() };
    let rows = make(dir.path(), &asked, 3, |_| {});
    for row in &rows {
        assert_eq!(row.promoted, row.against_best.lower > 0.0, "{row:?}");
    }
    assert!(
        rows.iter().any(|row| row.score > 0.5 && !row.promoted),
        "a seed that shows the difference: {rows:?}"
    );
    // Nothing is above a bound of 1, and everything above one of 0.
    for (bound, promoted) in [(1.0, false), (0.0, true)] {
        let dir = tempdir().unwrap();
        let asked = Settings { promote_above: bound, ..asked.clone() };
        assert_eq!(make(dir.path(), &asked, 1, |_| {})[0].promoted, promoted);
    }
}

/// Rows of a dataset whose move was not random, to train and to validate on.
fn chosen_rows(dir: &Path) -> [f64; 2] {
    let read = |random_rows| {
        let reading = Reading { lambda: 0.0, validation: 0.1, random_rows };
        Dataset::read(&[dir.to_owned()], &reading, |_, _| {}).unwrap()
    };
    let rows = read(RandomRows::Skip).rows().map(|rows| rows as f64);
    let mut reader = csv::Reader::from_path(dir.join("part-00000.csv")).unwrap();
    let source = reader.headers().unwrap().iter().position(|name| name == "source").unwrap();
    let chosen = reader.records().filter(|record| &record.as_ref().unwrap()[source] != "random").count();
    assert_eq!(rows.iter().sum::<f64>(), chosen as f64);
    assert!(read(RandomRows::Keep).rows().iter().sum::<u64>() > chosen as u64);
    rows
}

/// Waits until a file is there or the process has ended.
fn wait_for(path: &Path, child: &mut Child) {
    while !path.exists() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_files() {
    let dir = tempdir().unwrap();
    program(dir.path(), 2, "whole").assert().success();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for file in [
        "run.json",
        "gen-000/data/run.json",
        "gen-000/data/manifest.json",
        "gen-000/net.checkpoints",
        "gen-000/net.safetensors",
        "gen-000/match.json",
        "gen-001/data/run.json",
        "gen-001/net.checkpoints",
        "gen-001/match.json",
    ] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"))
            .args(ARGUMENTS.split_whitespace())
            .args(["--generations", "2", "--out", "killed"])
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(&dir.path().join("killed").join(file), &mut child);
        sleep(Duration::from_micros(rng.random_range(0..20_000)));
        // SIGKILL, where there are signals.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    program(dir.path(), 2, "killed").assert().success();
    assert_same(&files(&dir.path().join("killed")), &files(&dir.path().join("whole")));

    // What another generation came to, and verdicts that do not follow, are not taken for this one's.
    let matches = dir.path().join("killed/gen-001/match.json");
    let good = fs::read_to_string(&matches).unwrap();
    let first = fs::read_to_string(dir.path().join("killed/gen-000/match.json")).unwrap();
    let promoted = good.contains("\"promoted\": true");
    let verdict = |promoted: bool| format!("\"promoted\": {promoted}");
    for (other, wanted) in [
        (first, "gen-001/match.json: it does not hold the matches of this run"),
        (
            good.replace("gen-001", "gen-000"),
            "match.json: its candidate is not the network of this generation",
        ),
        (good.replace(&verdict(promoted), &verdict(!promoted)), "is not what its first match says"),
        (good.replacen("\"pairs\": 10", "\"pairs\": 11", 1), "its matches are not those of this run"),
    ] {
        assert_ne!(other, good);
        fs::write(&matches, other).unwrap();
        program(dir.path(), 2, "killed").assert().code(1).stderr(predicate::str::contains(wanted));
    }
}

/// Stopped by a panic in the middle of each step, which comes at the same place on every machine.
#[test]
fn stopped_within_any_step_it_goes_on_to_the_same_files() {
    let dir = tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).join("run");
    // The folder's path is in the datasets: both have the same, one after the other.
    let place = path("here");
    let rows = make(&place, &settings(), 2, |_| {});
    let whole = files(&place);
    fs::remove_dir_all(&place).unwrap();

    let mut stopped = 0;
    for generation in 0..2 {
        for step in [Step::SelfPlay, Step::Read, Step::Fit, Step::Match] {
            let (mut within, mut advances, mut pieces_left) = (false, 0, 0);
            let attempt = catch_unwind(AssertUnwindSafe(|| {
                make(&place, &settings(), 2, |event| match event {
                    Event::Begin { generation: begun, step: which, pieces } => {
                        within = (*begun, *which) == (generation, step);
                        pieces_left = *pieces;
                    }
                    Event::Advance(pieces) if within => {
                        advances += 1;
                        pieces_left -= pieces;
                        // The fit in its second epoch, to go on from the checkpoint of the first.
                        let enough = if step == Step::Fit { 6 } else { 1 };
                        assert!(advances < enough, "stopped with {pieces_left} to do");
                    }
                    _ => {}
                })
            }));
            assert!(attempt.is_err(), "generation {generation} has no {step:?}");
            stopped += 1;
        }
        fs::write(place.join(format!("gen-{generation:03}/.net.safetensors.1.tmp")), "half").unwrap();
    }
    assert_eq!(stopped, 8);
    let mut left = BTreeMap::new();
    let resumed = make(&place, &settings(), 2, |event| {
        if let Event::Begin { generation, step, .. } = event {
            *left.entry((*generation, *step as u32)).or_insert(0) += 1;
        }
    });
    // What was done is not done again: only the last step is left, its matches one by one.
    assert!(left.keys().all(|&key| key == (1, Step::Match as u32)), "{left:?}");
    assert_eq!(resumed, rows);
    assert_same(&files(&place), &whole);
}

#[test]
fn a_fit_goes_on_from_its_checkpoint() {
    let dir = tempdir().unwrap();
    let begun = |dir: &Path, stop: bool| {
        let mut fit = None;
        let mut advances = 0;
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            make(dir, &settings(), 1, |event| match event {
                Event::Begin { step: Step::Fit, pieces, .. } => fit = Some(*pieces),
                Event::Note(_) => {
                    advances += 1;
                    assert!(!stop || advances < 2, "stopped after the second epoch");
                }
                _ => {}
            })
        }));
        (fit, attempt.is_ok())
    };
    let (Some(all), false) = begun(dir.path(), true) else { panic!("it is stopped in the fit") };
    // Two of three epochs are not fitted again.
    assert_eq!(begun(dir.path(), false), (Some(all / 3), true));
}

#[test]
fn other_settings_are_named_and_nothing_is_changed() {
    let dir = tempdir().unwrap();
    program(dir.path(), 1, "run").assert().success();
    let before = files(&dir.path().join("run"));
    let flags = [
        ("--depth", "2", "depth was 1, not 2"),
        ("--games", "70", "games was 60, not 70"),
        ("--epochs", "4", "epochs was 3, not 4"),
        ("--window", "3", "window was 2, not 3"),
        ("--match-games", "30", "match-games was 20, not 30"),
        ("--promote-above", "0.55", "promote-above was 0.5, not 0.55"),
        ("--promote-by", "lower-bound", "promote-by was score, not lower-bound"),
        ("--selfplay-depth", "3", "selfplay-depth was 2, not 3"),
        ("--opening-plies", "6..13", "opening-plies was 6..12, not 6..13"),
        ("--epsilon", "0.1", "epsilon was 0.02, not 0.1"),
        ("--window-decay", "1", "window-decay was 0.5, not 1.0"),
        ("--lambda", "0.25", "lambda was 0.5, not 0.25"),
        ("--random-rows", "keep", "random-rows was skip, not keep"),
        ("--start", "random", "start was best, not random"),
        ("--batch", "256", "batch was 512, not 256"),
        ("--lr", "0.002", "lr was 0.01, not 0.002"),
        ("--schedule", "constant", "schedule was cosine, not constant"),
        ("--warmup", "5", "warmup was 0, not 5"),
        ("--weight-decay", "0", "weight-decay was 0.01, not 0.0"),
        ("--patience", "2", "patience was 3, not 2"),
        ("--layers", "64,16", "layers was 32,16, not 64,16"),
        ("--seed", "6", "seed was 3, not 6"),
        ("--variant", "2x5x5", "variant was 2x5x4, not 2x5x5"),
    ];
    let mut given: Vec<String> = ARGUMENTS.split_whitespace().map(str::to_owned).collect();
    let defaults = "--generations 1 --out run --promote-above 0.5 --promote-by score --opening-plies 6..12 --epsilon 0.02 \
        --random-rows skip --start best --batch 512 --schedule cosine --warmup 0 --weight-decay 0.01 --patience 3";
    given.extend(defaults.split_whitespace().map(str::to_owned));
    let with = |changes: &[(&str, &str, &str)]| {
        let mut arguments = given.clone();
        for (flag, value, _) in changes {
            let at = arguments.iter().position(|argument| argument == flag).unwrap();
            arguments[at + 1] = (*value).to_owned();
        }
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
        let made = command.args(arguments).current_dir(dir.path()).assert().code(2).stdout("");
        let error = String::from_utf8(made.get_output().stderr.clone()).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    for flag in flags {
        assert!(with(&[flag]).ends_with(&format!("begun under other settings: {}\n", flag.2)), "{flag:?}");
    }
    // The run's own seed is taken when none is given.
    let seedless = |games: &str, generations: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
        let arguments = ARGUMENTS.replace(" --seed 3", "").replace("--games 60", &format!("--games {games}"));
        command.args(arguments.split_whitespace()).args(["--generations", generations, "--out", "run"]);
        command.current_dir(dir.path()).assert()
    };
    let made = seedless("61", "1").code(2);
    made.stderr("giuthi-train: --out run: run.json: begun under other settings: games was 60, not 61\n");
    let all = with(&flags);
    assert!(flags.iter().all(|(_, _, told)| all.contains(told)), "{all}");
    assert_same(&files(&dir.path().join("run")), &before);

    seedless("60", "2").success().stderr(predicate::str::starts_with("seed 3, of the run begun in run\n"));
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let dir = tempdir().unwrap();
    let line = |made: assert_cmd::assert::Assert, wanted: &str| {
        let error = String::from_utf8(made.stdout("").get_output().stderr.clone()).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(wanted), "{error}");
    };
    line(program(dir.path(), 1, "run").args(["--window", "0"]).assert().code(2), "'--window <N>'");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    let over = ["loop", "--variant", "2x5x1", "--games", "10", "--generations", "1", "--out", "run"];
    line(command.args(over).current_dir(dir.path()).assert().code(2), "--variant: 2x5x1 is over");
    assert!(!dir.path().join("run").exists());

    fs::create_dir(dir.path().join("other")).unwrap();
    fs::write(dir.path().join("other/letter.txt"), "dear").unwrap();
    line(program(dir.path(), 1, "other").assert().code(1), "`letter.txt` is there and not of a run");
    line(program(dir.path(), 1, "other/letter.txt").assert().code(1), "other/letter.txt");

    fs::create_dir(dir.path().join("busy")).unwrap();
    // Without a seed too: none is told before the work begins.
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-train"));
    let other = ["loop", "--variant", "2x5x4", "--games", "10", "--generations", "1", "--out", "other"];
    line(command.args(other).current_dir(dir.path()).assert().code(1), "`letter.txt` is there");
    let lock = File::create(dir.path().join("busy/.lock")).unwrap();
    lock.lock().unwrap();
    line(program(dir.path(), 1, "busy").assert().code(1), "another run is writing here");
    lock.unlock().unwrap();
    program(dir.path(), 1, "busy").assert().success().stdout(predicate::str::contains("material"));

    let weights = dir.path().join("busy/gen-000/net.safetensors");
    let good = fs::read(&weights).unwrap();
    let mut bytes = good.clone();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    line(program(dir.path(), 1, "busy").assert().code(1), "gen-000/net.safetensors: its SHA-256 is not");
    fs::write(&weights, good).unwrap();
    fs::write(dir.path().join("busy/gen-000/match.json"), "{").unwrap();
    line(program(dir.path(), 1, "busy").assert().code(1), "gen-000/match.json: ");
}
