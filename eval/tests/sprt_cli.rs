//! `giuthi eval sprt`: games played until a bound, counted from files, or given as numbers.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::tempdir;

fn sprt(arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    command.arg("sprt").args(arguments.split_whitespace());
    command
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn json(command: &mut Command) -> Value {
    let text = stdout(command.arg("--json"));
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

const MATCH: &str = "--variant 2x5x4 --agent ab:depth=2 --agent greedy --seed 7 --elo1 30";

/// The rows of a games.csv.
fn rows(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_test_stops_at_a_bound_and_its_games_say_the_same() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let report = json(sprt(MATCH).arg("--jobs").arg("1").arg("--out").arg(&out));
    assert_eq!((&report["verdict"], &report["ended"]), (&Value::from("H1"), &Value::from("bound")));
    let number = |key: &str| report[key].as_f64().unwrap();
    assert!(number("llr") >= number("upper") && number("upper") > 2.94, "{report}");
    assert_eq!(number("wins") + number("draws") + number("losses"), number("games"));
    assert!(number("elo_lower") < number("elo") && number("elo") < number("elo_upper"));
    let pairs: Vec<f64> = report["pairs"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
    assert_eq!(2.0 * pairs.iter().sum::<f64>(), number("games"));

    // What it has come to depends on nothing but the schedule; neither do the numbers alone.
    for jobs in ["2", "4"] {
        assert_eq!(json(sprt(MATCH).arg("--jobs").arg(jobs)), report, "{jobs} jobs");
    }
    assert_eq!(json(sprt("--elo1 30").arg(out.join("games.csv"))), report);
    let written: Value = serde_json::from_str(&fs::read_to_string(out.join("sprt.json")).unwrap()).unwrap();
    assert_eq!(written, report);
    let numbers: Vec<String> = pairs.iter().map(f64::to_string).collect();
    let alone = json(sprt("--elo1 30 --counts").arg(numbers.join(",")));
    assert_eq!(
        (&alone["llr"], &alone["elo"], &alone["los"]),
        (&report["llr"], &report["elo"], &report["los"])
    );

    // One pair less decides nothing: the bound is reached by the last one.
    let games = rows(&out.join("games.csv"));
    let last = report["games"].as_u64().unwrap() as usize;
    let cut = folder.path().join("cut.csv");
    fs::write(&cut, games[..last - 1].join("\n") + "\n").unwrap();
    let before = json(sprt("--elo1 30").arg(&cut));
    assert_eq!((&before["verdict"], &before["ended"]), (&Value::from("no result"), &Value::from("games")));
    assert_eq!(before["games"].as_u64(), report["games"].as_u64().map(|games| games - 2));

    // Rows in another order, as a tournament writes them while it runs, are put into that of the rounds.
    let mut shuffled = games.clone();
    shuffled[1..].reverse();
    fs::write(&cut, shuffled.join("\n")).unwrap();
    assert_eq!(json(sprt("--elo1 30 --agent ab:depth=2 --agent greedy").arg(&cut)), report);

    // Turned round, the other one is as much weaker.
    let turned =
        json(sprt("--agent greedy --agent ab:depth=2 --elo0 -30 --elo1 0").arg(out.join("games.csv")));
    assert_eq!((&turned["verdict"], &turned["llr"].as_f64()), (&Value::from("H0"), &Some(-number("llr"))));
}

#[test]
fn a_test_that_broke_off_goes_on_to_the_same_end() {
    let folder = tempdir().unwrap();
    let whole = folder.path().join("whole");
    let report = json(sprt(MATCH).arg("--out").arg(&whole));
    let again = |out: &Path| json(sprt(MATCH).arg("--resume").arg("--out").arg(out));
    assert_eq!(again(&whole), report, "decided already");

    // As a killed run leaves it: some pairs, out of order, half a row at the end, no verdict.
    let broken = folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    let games = rows(&whole.join("games.csv"));
    let mut left = [&games[..1], &games[5..9], &games[1..3]].concat().join("\n") + "\n";
    left += &games[3][..20];
    fs::write(broken.join("games.csv.partial"), left).unwrap();
    fs::copy(whole.join("tournament.json"), broken.join("tournament.json")).unwrap();
    assert_eq!(again(&broken), report);
    let counted = report["games"].as_u64().unwrap() as usize;
    let without_times = |row: &String| row.split(',').take(9).collect::<Vec<_>>().join(",");
    let of =
        |out: &Path| rows(&out.join("games.csv"))[..=counted].iter().map(without_times).collect::<Vec<_>>();
    assert!(of(&broken) == of(&whole), "the same games");

    // Another test is refused, and so is a folder that holds one.
    for (arguments, word) in [
        ("--elo1 40", "elo1 is 30.0 there and 40.0 here"),
        ("--alpha 0.1", "alpha"),
        ("--trinomial", "results"),
    ] {
        let arguments = format!(
            "{} {arguments}",
            MATCH.replace("--elo1 30", if arguments.contains("elo1") { "" } else { "--elo1 30" })
        );
        let output = sprt(&arguments)
            .arg("--resume")
            .arg("--out")
            .arg(&whole)
            .assert()
            .code(1)
            .stdout("")
            .get_output()
            .clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains("sprt.json") && error.contains(word), "{error}");
    }
    let variant = MATCH.replace("2x5x4", "2x5x5");
    sprt(&variant).arg("--resume").arg("--out").arg(&whole).assert().code(1);
    sprt(MATCH).arg("--out").arg(&whole).assert().code(1);
}

#[test]
fn without_a_bound_there_is_no_result() {
    let folder = tempdir().unwrap();
    let arguments = "--variant 2x5x4 --agent random --agent b@random --seed 1 --games 6 --out";
    let text = stdout(sprt(arguments).arg(folder.path()));
    assert!(
        text.contains("no result") && text.contains("Games: 6 (won ") && !text.contains("accepted"),
        "{text}"
    );
    assert!(folder.path().join("games.csv").exists());
    let report = json(sprt(arguments).arg(folder.path()).arg("--resume"));
    assert_eq!((&report["verdict"], &report["ended"]), (&Value::from("no result"), &Value::from("games")));
    assert_eq!(json(sprt("").arg(folder.path().join("games.csv"))), report);
}

#[cfg(unix)]
#[test]
fn stopped_by_the_user_it_has_no_result_and_can_go_on() {
    use std::io::Read;
    use std::process::Stdio;

    let folder = tempdir().unwrap();
    let partial = folder.path().join("games.csv.partial");
    // Hypotheses so near to each other that the games do not tell them apart.
    let arguments = "--variant 2x5x4 --agent ab:depth=5 --agent b@ab:depth=5 --seed 1 --elo0 0 --elo1 0.02 --games 20000 --jobs 2 --json --out";
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"))
        .arg("sprt")
        .args(arguments.split(' '))
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::read_to_string(&partial).is_ok_and(|text| text.lines().count() > 20) {
        std::thread::yield_now();
    }
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert!(child.wait().unwrap().success());
    let mut text = [String::new(), String::new()];
    child.stdout.take().unwrap().read_to_string(&mut text[0]).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut text[1]).unwrap();
    let report: Value = serde_json::from_str(&text[0]).unwrap();
    assert_eq!((&report["verdict"], &report["ended"]), (&Value::from("no result"), &Value::from("user")));
    assert!(text[1].contains("to go on: giuthi eval sprt") && text[1].contains("--resume"), "{}", text[1]);
    assert!(partial.exists() && !folder.path().join("games.csv").exists());
    // What is there counts from the first pair on, as far as none is missing.
    let counted = report["games"].as_u64().unwrap();
    assert!((2..20_000).contains(&counted), "{counted} games");
    let resumed = json(sprt("--elo0 0 --elo1 0.02").arg(&partial));
    assert_eq!(resumed["pairs"], report["pairs"]);
}

#[test]
fn numbers_alone_are_judged() {
    for (arguments, verdict, llr) in [
        ("--counts 200,800,2000,850,230 --elo1 5", "no result", 1.788),
        ("--counts 200,800,2000,850,230 --elo1 5 --model normalised", "no result", 1.619),
        ("--counts 200,800,2000,850,230 --elo1 5 --alpha 0.2 --beta 0.2 --model normalized", "H1", 1.619),
        ("--counts 5123,2210,4970 --elo1 5", "no result", 1.131),
        ("--counts 5,2,40 --elo1 50", "H0", f64::NAN),
    ] {
        let report = json(&mut sprt(arguments));
        assert_eq!(
            (&report["verdict"], &report["ended"]),
            (&Value::from(verdict), &Value::from("counts")),
            "{arguments}"
        );
        let got = report["llr"].as_f64().unwrap();
        assert!(llr.is_nan() || (got - llr).abs() < 6e-4, "{arguments}: {got}");
    }
    for counts in ["10,0,0", "0,7,0", "0,0,0", "0,0,0,0,9", "0,0,9,0,0"] {
        let text = stdout(sprt("--counts").arg(counts)).to_lowercase();
        assert!(!text.contains("inf") && !text.contains("nan"), "{text}");
    }
}

#[test]
fn errors_are_one_line() {
    let folder = tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let three = file("three.csv", "player0,player1,result,round\na,b,1-0,0\nb,c,1-0,0\n");
    let single = file("single.csv", "player0,player1,result\na,b,1-0\nb,a,1-0\n");
    let bad = file("bad.csv", "player0,player1,result,round\na,b,1-0,0\nb,a,won,0\n");
    let cases: [(&str, i32, &[&str]); 20] = [
        ("", 2, &["--agent", "two different agents", "given: 0"]),
        ("--agent random", 2, &["--agent", "given: 1"]),
        ("--agent random --agent greedy --agent net:x", 2, &["--agent", "given: 3"]),
        ("--agent random --agent random --seed 1", 2, &["--agent", "`random`"]),
        ("--agent random --agent deepblue", 2, &["--agent deepblue", "greedy"]),
        ("--agent random --agent greedy --games 5 --seed 1", 2, &["--games", "even"]),
        ("--agent random --agent greedy --elo0 5 --elo1 5", 2, &["--elo0 and --elo1", "less than"]),
        ("--agent random --agent greedy --alpha 0.7", 2, &["--alpha and --beta", "0.49"]),
        ("--agent random --agent greedy --resume", 2, &["--out"]),
        ("--counts 1,2", 2, &["--counts", "WINS,DRAWS,LOSSES"]),
        ("--counts -1,2,3", 2, &["--counts", "`-1,2,3` holds no counts"]),
        ("--counts 1,2,3 --trinomial", 2, &["--trinomial"]),
        ("--counts 1,2,3 --games 8", 2, &["--games"]),
        (&format!("{single} --decided off"), 2, &["--decided"]),
        (&format!("{single} --variant 2x5x4"), 2, &["--variant"]),
        ("--counts 1,2,3 --model elo", 2, &["--model", "logistic, normalised"]),
        (&three, 2, &["three.csv", "3 agents", "--agent NAME"]),
        (&format!("{three} --agent a --agent x"), 2, &["`x`"]),
        (&single, 1, &["single.csv", "no pairs", "`round`"]),
        (&bad, 1, &["bad.csv: line 3, column 3 (result)", "`won`"]),
    ];
    for (arguments, code, words) in cases {
        let output = sprt(arguments).assert().code(code).stdout("").get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        for word in words {
            assert!(error.contains(word), "{arguments}: {word} is missing: {error}");
        }
    }
    // Of three agents two can be tested.
    let pairs =
        file("pairs.csv", "player0,player1,result,round\na,b,1-0,0\nb,c,1-0,0\nb,a,1/2-1/2,0\nc,b,1-0,0\n");
    let report = json(sprt(&pairs).args(["--agent", "b", "--agent", "c"]));
    assert_eq!((report["games"].as_u64(), report["wins"].as_u64()), (Some(2), Some(1)));
    let report = json(sprt(&pairs).args(["--agent", "b", "--agent", "a"]));
    assert_eq!(report["pairs"], serde_json::json!([0, 1, 0, 0, 0]));
}

/// Openings are chosen as for a tournament; where nothing is said, none is left out.
#[test]
fn a_test_takes_its_openings_as_a_tournament_does() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("openings.txt");
    fs::write(&file, "5ccw\n9cw\nstartpos\n").unwrap();
    let out = folder.path().join("out");
    let agents = "--variant 2x5x4 --agent random --agent b@random --seed 1 --elo0 -300 --elo1 300 --alpha 0.001 --beta 0.001";
    let report = json(sprt(&format!("{agents} --openings")).arg(&file).arg("--out").arg(&out));
    assert_eq!((&report["games"], &report["ended"]), (&Value::from(6), &Value::from("games")));
    let mut games = csv::Reader::from_path(out.join("games.csv")).unwrap();
    let openings: Vec<String> = games.records().step_by(2).map(|row| row.unwrap()[4].to_owned()).collect();
    assert_eq!(openings, ["5ccw", "9cw", ""]);
    let about: Value =
        serde_json::from_str(&fs::read_to_string(out.join("tournament.json")).unwrap()).unwrap();
    assert_eq!(about["decided"], "off");
    let report = json(&mut sprt(&format!("{agents} --openings all:1 --games 4 --decided 0.5")));
    assert_eq!(report["games"], 4);
    for (flags, says) in [
        ("--openings all:1 --games 400", "--games: 400 games a pairing need 200 openings, and there are"),
        ("--openings all:1 --opening-plies 2", "--opening-plies"),
        ("--decided 2", "--decided"),
    ] {
        let output = sprt(&format!("{agents} {flags}")).assert().code(2).get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.lines().count() == 1 && error.contains(says), "{error}");
    }
}
