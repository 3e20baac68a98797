//! `giuthi-eval judge`: networks and agents held against endgame tables.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use assert_cmd::Command;
use giuthi_engine::agent::NoClock;
use giuthi_engine::endgame::tablebase::{Size, build};
use giuthi_engine::net::{FeatureSet, Header, Network, Weights};
use giuthi_engine::opening::OpeningPlies;
use giuthi_eval::judge::report::{Report, Row};
use giuthi_eval::judge::{DEFAULT_BAND, Judged, Settings, Source, judge};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// Tables of all boards with rows of five pits and up to so many seeds.
fn tables(seeds: usize) -> TempDir {
    let dir = tempdir().unwrap();
    let stop = AtomicBool::new(false);
    build(dir.path(), Size { pits: 5, seeds }, NonZeroUsize::MIN, &stop, &|_| {}).unwrap();
    dir
}

fn games() -> Source {
    Source::Games("random".parse().unwrap(), OpeningPlies::new(2, 4).unwrap())
}

fn settings(tables: &Path, judged: Vec<Judged>, source: Source) -> Settings {
    Settings {
        tables: tables.to_owned(),
        variant: "2x5x3".parse().unwrap(),
        judged,
        source,
        seeds: Some(5..=8),
        positions: 60,
        band: DEFAULT_BAND,
        seed: 3,
    }
}

fn agent(spec: &str) -> Judged {
    Judged::agent(spec.parse().unwrap())
}

fn by_threads(settings: &Settings, threads: usize) -> Report {
    judge(settings, NonZeroUsize::new(threads).unwrap(), &NoClock, &|_| {}).unwrap()
}

/// The rows of one of those judged that are of all seeds together.
fn whole<'a>(report: &'a Report, name: &str) -> &'a Row {
    report.rows.iter().find(|row| row.agent == name && row.seeds.is_none()).unwrap()
}

/// A network that always finds a draw by far the likeliest.
fn of_draws() -> Network {
    let (width, features) = (5, FeatureSet::Pits24Lead);
    let origin = || "a test".to_owned();
    let header = Header { width, features, layers: [1, 1], trained_on: origin(), program: origin() };
    let weights = Weights {
        input: vec![0.0; features.categories(width)],
        lead: vec![0.0],
        input_bias: vec![0.5],
        hidden: vec![1.0],
        hidden_bias: vec![0.0],
        output: vec![0.0; 3],
        output_bias: vec![0.0, 20.0, 0.0],
    };
    Network::new(header, weights).unwrap()
}

#[test]
fn whoever_has_the_tables_is_always_right_and_chance_is_not() {
    let folder = tables(8);
    for source in [games(), Source::Boards] {
        let with = |agent: &str| format!("{agent},tb={}", folder.path().display());
        let sure = [with("ab:depth=1"), with("mcts:sims=5")];
        let judged = sure.iter().map(|spec| agent(spec)).chain([agent("random"), agent("ab:depth=1")]);
        let report = by_threads(&settings(folder.path(), judged.collect(), source), 2);
        assert_eq!(report.rows.len(), 4 * 5);
        assert!(report.rows.iter().all(|row| row.wins + row.draws + row.losses == row.positions));
        for row in report.rows.iter().filter(|row| sure.contains(&row.agent)) {
            let found = (row.right, row.error, row.kept, row.lost, row.critical_kept);
            assert_eq!(found, (Some(1.0), Some(0.0), Some(1.0), Some(0.0), Some(1.0)), "{row:?}");
            assert!(row.right_lower.unwrap() < 1.0 && row.right_upper == Some(1.0));
            assert!(row.critical > 0 && row.critical < row.positions, "{row:?}");
        }
        let (chance, search) = (whole(&report, "random"), whole(&report, "ab:depth=1"));
        assert_eq!((chance.positions, chance.right, chance.error), (4 * 60, None, None));
        let kept = |row: &Row| row.critical_kept.unwrap();
        assert!(kept(chance) < 0.7 && kept(chance) < kept(search), "{chance:?} {search:?}");
        assert!(chance.lost_lower.unwrap() > 0.0 && chance.critical == search.critical);
        // What is not critical is kept by whatever move.
        let lost = |row: &Row| (row.positions as f64) * (1.0 - row.kept.unwrap());
        assert!((lost(chance) - chance.critical as f64 * (1.0 - kept(chance))).abs() < 0.01);
    }
}

#[test]
fn a_networks_value_is_the_likeliest_of_three() {
    let folder = tables(8);
    let path = folder.path().join("draws.safetensors");
    of_draws().save(&path).unwrap();
    let path = path.to_str().unwrap();
    for source in [games(), Source::Boards] {
        // With a band of 1 an agent's values are all taken for draws, as all of this network's are.
        let judged = vec![Judged::network(path), agent("ab:depth=1")];
        let asked = Settings { band: 1.0, ..settings(folder.path(), judged, source) };
        let report = by_threads(&asked, 1);
        let (network, agent) = (whole(&report, path), whole(&report, "ab:depth=1"));
        let right = network.right.unwrap();
        assert_eq!(network.right, agent.right);
        assert!((right - network.draws as f64 / network.positions as f64).abs() < 1e-6, "{network:?}");
        assert!(0.0 < right && right < 1.0, "{network:?}");
        // Its expected result is 0, off by 1 where somebody wins.
        assert!((network.error.unwrap() - (1.0 - right)).abs() < 1e-4, "{network:?}");
        let other = Settings { band: 0.0, ..asked };
        assert_ne!(whole(&by_threads(&other, 1), "ab:depth=1").right, agent.right);
    }
}

#[test]
fn numbers_depend_on_the_seed_and_not_on_threads() {
    let folder = tables(8);
    for source in [games(), Source::Boards] {
        let judged = vec![agent("random"), agent("ab:depth=2"), agent("mcts:sims=20")];
        let asked = settings(folder.path(), judged, source);
        let report = by_threads(&asked, 1);
        assert_eq!(report, by_threads(&asked, 3));
        assert_ne!(report, by_threads(&Settings { seed: 4, ..asked }, 3));
    }
}

fn run(arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    command.arg("judge").args(arguments.split_whitespace());
    command
}

#[test]
fn tables_json_and_csv_hold_the_same_rows() {
    let folder = tables(7);
    let file = folder.path().join("judged.csv");
    let asked = format!(
        "--tb {} --variant 2x5x3 --agent random --agent a@greedy --seeds 6..7 --positions 20 --seed 5",
        folder.path().display()
    );
    let json = run(&format!("{asked} --json --out {}", file.display())).assert().success();
    let json = String::from_utf8(json.get_output().stdout.clone()).unwrap();
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut csv = csv::Reader::from_path(&file).unwrap();
    let columns = csv.headers().unwrap().clone();
    assert_eq!(columns.iter().take(4).collect::<Vec<_>>(), ["agent", "seeds", "positions", "wins"]);
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!((lines.len(), rows.len()), (6, 6));
    for (line, row) in lines.iter().zip(&rows) {
        assert_eq!(line.as_object().unwrap().len(), columns.len());
        for (column, cell) in columns.iter().zip(row) {
            let told = match &line[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                other => panic!("{column}: {other}"),
            };
            assert!(told == cell || told.parse::<f64>().ok() == cell.parse().ok(), "{column} {told} {cell}");
        }
    }
    let text = run(&asked).assert().success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 6 + 4, "{text}");
    assert!(text.contains("  all | a ") && text.contains("    7 | random |        20 | "), "{text}");
}

#[test]
fn errors_are_one_line() {
    let folder = tables(6);
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    let network = folder.path().join("five.safetensors");
    of_draws().save(&network).unwrap();
    let (tb, nothing, network) = (folder.path().display(), nothing.display(), network.display());
    let five = "--variant 2x5x3 --seed 1";
    for (arguments, code, words) in [
        (format!("{five} --agent random"), 2, &["--tb"][..]),
        (format!("{five} --tb {tb}"), 2, &["--net NET or --agent SPEC"]),
        (format!("{five} --tb {nothing} --agent random"), 1, &["nothing", "no endgame tables"]),
        (format!("--tb {tb} --agent random --seed 1"), 2, &["rows of 5 pits", "2x8x8"]),
        (format!("{five} --tb {tb} --agent random --seeds 5..7"), 2, &["--seeds 5..7", "to 6"]),
        (format!("{five} --tb {tb} --agent random --seeds 5..4"), 2, &["--seeds", "6..12"]),
        (format!("{five} --tb {tb} --agent cmd:bot"), 2, &["--agent cmd:bot", "external program"]),
        (format!("{five} --tb {tb} --net missing"), 1, &["--net missing", "missing"]),
        (
            format!("{five} --tb {tb} --agent random --out {nothing}/none/x"),
            1,
            &["--out", "cannot be written"],
        ),
        (format!("{five} --tb {tb} --agent random --positions 0"), 2, &["--positions", "from 1 to"]),
        (format!("{five} --tb {tb} --agent random --band 2"), 2, &["--band", "from 0 to 1"]),
        (format!("{five} --tb {tb} --agent random --from boards --played-by greedy"), 2, &["--from games"]),
        (format!("{five} --tb {tb} --agent random --opening-plies 999"), 2, &["--opening-plies", "fewer"]),
    ] {
        let output = run(&arguments).assert().code(code).stdout("").get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        for word in words {
            assert!(error.contains(word), "{arguments}: {word} is missing: {error}");
        }
    }
    // A network of other boards than the tables'.
    let wide = tempdir().unwrap();
    let stop = AtomicBool::new(false);
    build(wide.path(), Size { pits: 6, seeds: 4 }, NonZeroUsize::MIN, &stop, &|_| {}).unwrap();
    let arguments = format!("--variant 2x6x3 --tb {} --net {network} --seed 1", wide.path().display());
    let output = run(&arguments).assert().code(2).stdout("").get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.lines().count() == 1 && error.contains("five.safetensors"), "{error}");
}
