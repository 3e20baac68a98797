//! `report.html`: its figures, what it says of tournaments that are not whole, and that nothing in it gets out of its place.

mod handmade;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use giuthi_engine::Variant;
use giuthi_eval::recorded::State;
use giuthi_eval::report::{self, Report};
use tempfile::tempdir;

fn small() -> Variant {
    "2x5x4".parse().unwrap()
}

/// The moves of a golden game of `2x5x4`.
fn golden(file: &str, game: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/golden").join(file);
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mv = |row: csv::StringRecord| match &row[6] {
        "pass" => "pass".to_owned(),
        direction => row[5].to_owned() + direction,
    };
    let plies = reader.records().map(Result::unwrap).filter(|row| &row[0] == game);
    plies.map(mv).collect::<Vec<_>>().join(" ")
}

/// Four golden games: 33 plies won by player 0, 19 and 26 by player 1, 26 to an endless relay.
fn four() -> [String; 4] {
    [("games.csv", "1"), ("games.csv", "3"), ("games.csv", "5"), ("games_endless_2x5x4.csv", "1")]
        .map(|(file, game)| golden(file, game))
}

/// A tournament of two: the first wins both games of the first pair, loses one and draws one of the second.
fn two_agents(folder: &Path, names: [&str; 2], specs: [&str; 2]) {
    let [a, b] = names;
    handmade::settings(folder, small(), &[[a, specs[0]], [b, specs[1]]], 4);
    let game = |(number, moves): (usize, &String)| {
        let players = if number % 2 == 0 { [a, b] } else { [b, a] };
        handmade::row(number, number / 2, players, small(), moves, "")
    };
    let rows: Vec<Vec<String>> = four().iter().enumerate().map(game).collect();
    handmade::games(folder, "games.csv", &rows);
}

/// The page of a folder, whose charts keep to their frames.
fn page(folder: &Path) -> String {
    let page = fs::read_to_string(report::write(folder).unwrap()).unwrap();
    for chart in page.split("<svg class=\"chart\"").skip(1) {
        let chart = chart.split("</svg>").next().unwrap();
        let frame: Vec<f64> =
            chart.split('"').nth(1).unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
        let numbers = |text: &str, name: &str| -> Vec<f64> {
            let name = format!(" {name}=\"");
            let parts = text.split(&name).skip(1);
            parts.map(|part| part.split('"').next().unwrap().parse().unwrap()).collect()
        };
        for (names, most) in [(["x", "x1", "x2", "cx"], frame[2]), (["y", "y1", "y2", "cy"], frame[3])] {
            for number in names.iter().flat_map(|name| numbers(chart, name)) {
                assert!((0.0..=most).contains(&number), "{number} is outside of {most}: {chart}");
            }
        }
        for bar in chart.split("<rect").skip(1).map(|bar| bar.split('>').next().unwrap()) {
            let [left, width] = ["x", "width"].map(|name| numbers(bar, name)[0]);
            assert!(width >= 0.0 && left + width <= frame[2], "{bar}");
        }
    }
    page
}

fn eval(command: &str, folder: &Path) -> Command {
    let mut eval = Command::new(assert_cmd::cargo::cargo_bin!("giuthi-eval"));
    eval.args(command.split_whitespace()).arg(folder);
    eval
}

/// The cells of the rows of a page's tables whose head is a name.
fn rows_of(page: &str, name: &str) -> Vec<Vec<String>> {
    let bare = |html: &str| {
        let mut text = String::new();
        let mut inside = false;
        for character in html.chars() {
            match character {
                '<' => inside = true,
                '>' => inside = false,
                character if !inside => text.push(character),
                _ => {}
            }
        }
        text
    };
    let cells = |row: &str| -> Vec<String> {
        row.split("</td>")
            .map(|cell| bare(&cell.replace("</th>", "|").replace("<small>", " ")).trim().to_owned())
            .collect()
    };
    let row =
        |line: &str| line.contains(&format!("<bdi class=\"name\">{name}</bdi>")) && line.starts_with("<tr>");
    page.lines().filter(|line| row(line)).map(cells).collect()
}

#[test]
fn the_figures_are_those_of_the_games() {
    let folder = tempdir().unwrap();
    two_agents(folder.path(), ["a", "b"], ["greedy", "random"]);
    let report = Report::read(folder.path()).unwrap();
    assert_eq!((report.played, report.planned, report.recorded.state), (4, 4, State::Finished));
    // 2.5 points of 4: 400 log10(0.625 / 0.375) = 88.74 Elo between them.
    let elo = |agent| report.rating(agent).unwrap().elo;
    assert!((elo(0) - 44.37).abs() < 0.01 && (elo(1) + 44.37).abs() < 0.01, "{} {}", elo(0), elo(1));
    assert_eq!(report.counts.ended(), [3, 0, 1, 0]);
    assert_eq!(report.counts.plies(), Some((19, 26, 26.0, 33)));
    let seat = |agent: usize, seat: usize| {
        let games = report.counts.seats[agent][seat];
        [games.wins, games.draws, games.losses]
    };
    assert_eq!([seat(0, 0), seat(0, 1)], [[1, 0, 1], [1, 1, 0]]);
    assert_eq!([seat(1, 0), seat(1, 1)], [[0, 1, 1], [1, 0, 1]]);
    assert_eq!(report.sample.games(), 4);

    let page = page(folder.path());
    // Asked 14 + 8 + 13 + 12 times in 30 ms, and 12 + 9 + 10 + 11 times.
    let rows = rows_of(&page, "a");
    let interval = &rows[0][2];
    assert_eq!(
        rows.iter().map(|row| row.join("/")).collect::<Vec<_>>(),
        [
            &*format!("1/agreedy|+44.4/{interval}/4/2/1/1/62.5 %/25.0 %/638.3 µs/"),
            "1/a|/62.5 % 2-1-1/",
            "a|50.0 %/1-0-1/75.0 %/1-1-0/",
        ]
    );
    let rating = report.rating(0).unwrap();
    assert_eq!(*interval, format!("{:.1}", rating.upper - rating.elo));
    assert!(page.contains("Player 0, who moves first, scored 37.5 % of 4 games."), "{page}");
    for (ending, says) in
        [("no-moves", "<td>3</td><td>75.0 %</td>"), ("endless", "<td>1</td><td>25.0 %</td>")]
    {
        assert!(page.contains(&format!("<th scope=\"row\" class=\"left\">{ending}</th>{says}")), "{ending}");
    }
    assert!(page.contains("714.3 µs"));
    assert!(page.contains("Games of 19 to 33 plies, 26.0 in the mean; the median is 26."));
    // The histogram: one game of 19 and of 33 plies, two of 26.
    for bar in ["19 plies: 1 no-moves", "26 plies: 1 no-moves", "26 plies: 1 endless", "33 plies: 1 no-moves"]
    {
        assert_eq!(page.matches(&format!("<title>{bar}</title>")).count(), 1, "{bar}");
    }
    assert!(
        !page.contains("class=\"notice\">Not finished") && !page.contains("NaN") && !page.contains("inf")
    );
    assert!(!page.contains("Elo by generation"));
}

#[test]
fn the_page_needs_nothing_else_and_no_name_gets_out_of_its_place() {
    let folder = tempdir().unwrap();
    let names =
        ["</script></title><script>alert(1)</script>", "\" onload='x' & {{\u{202e}<!--@script--> \u{1}"];
    two_agents(folder.path(), names, ["cmd:</style><b>", "cmd:sh -c '\"<i>\"'"]);
    let page = page(folder.path());
    // The frame's own elements and no other.
    for (element, times) in [
        ("<script", 2),
        ("</script", 2),
        ("<title>Giuthi", 1),
        ("</style", 1),
        ("<html", 1),
        ("<b>", 0),
        ("<i>", 0),
    ] {
        assert_eq!(page.matches(element).count(), times, "{element}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("&quot; onload=&#39;x&#39; &amp; {{\u{202e}&lt;!--@script--&gt; \u{fffd}"));
    assert!(!page.contains("<!--@") && !page.contains('\u{1}'));
    let data = page.split_once("type=\"application/json\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["agents"], serde_json::json!(names));
    assert_eq!(data["games"].as_array().unwrap().len(), 4);

    let namespace = "http://www.w3.org/2000/svg";
    assert_eq!(
        page.matches("http").count(),
        page.matches(namespace).count() + page.matches("http-equiv").count()
    );
    for outside in ["src=", "@import", "url(", "<link", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn what_is_not_whole_is_said() {
    let agents = [["a", "random"], ["b", "greedy"], ["c", "random"], ["d", "cmd:x"]];
    let folder = tempdir().unwrap();
    handmade::settings(folder.path(), small(), &agents, 2);
    // Nothing yet.
    handmade::games(folder.path(), "games.csv.partial", &[]);
    let empty = page(folder.path());
    assert!(empty.contains("Not finished: 0 of 12 games have been played."));
    assert!(empty.contains("No game has been played.") && !empty.contains("NaN"));
    let of_a = rows_of(&empty, "a");
    assert_eq!(of_a[0][..5], ["1", "arandom|–", "–", "0", "0"], "{of_a:?}");

    // Pairs 0 (a, b) and 5 (c, d) of six; d crashes in one game, and half a row stands at the end.
    let [won, lost, ..] = four();
    let rows = [
        handmade::row(0, 0, ["a", "b"], small(), &won, ""),
        handmade::row(1, 0, ["b", "a"], small(), &lost, ""),
        handmade::row(10, 0, ["c", "d"], small(), "7ccw", "crash"),
        handmade::row(11, 0, ["d", "c"], small(), &won, ""),
    ];
    handmade::games(folder.path(), "games.csv.partial", &rows);
    let path = folder.path().join("games.csv.partial");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "2,0,a,c,7c").unwrap();
    let report = Report::read(folder.path()).unwrap();
    assert!(report.is_unfinished());
    assert_eq!(
        report.groups.iter().map(|group| group.agents.clone()).collect::<Vec<_>>(),
        [[0, 1], [2, 3]].map(Vec::from)
    );
    let text = page(folder.path());
    assert!(text.contains("Not finished: 4 of 12 games have been played."));
    assert!(text.contains("2 groups of agents that no games connect"));
    let of_d = rows_of(&text, "d");
    // start, ready, crash, silence, late, illegal, rubbish
    assert_eq!(of_d.last().unwrap()[..7].join(" "), "d|0 0 1 0 0 0 0");
    assert!(text.contains("[10,2,3,1,0,5,"), "a game lost by a crash ends in the sixth of the endings");

    // A shard of it has its own games alone.
    let settings = folder.path().join("tournament.json");
    let whole = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, whole.replace("0/1", "0/5")).unwrap();
    let shard = page(folder.path());
    assert!(shard.contains("Shard 0/5 alone;") && shard.contains("Not finished: 4 of 4 games"));
    // A sequential test ends when it knows enough.
    fs::write(&settings, &whole).unwrap();
    fs::write(folder.path().join("sprt.json"), "{}").unwrap();
    assert!(page(folder.path()).contains("A sequential test: 4 of at most 12 games have been played."));
}

#[test]
fn generations_are_told_by_their_names() {
    let folder = tempdir().unwrap();
    let agents = [
        ["gen2", "greedy"],
        ["first", "ab:depth=2,net=run/gen-000/net.safetensors"],
        ["plain", "ab:depth=2"],
    ];
    handmade::settings(folder.path(), small(), &agents, 2);
    let [won, lost, ..] = four();
    let names = ["gen2", "first", "plain"];
    let mut rows = Vec::new();
    for (pair, [a, b]) in [[0, 1], [0, 2], [1, 2]].into_iter().enumerate() {
        rows.push(handmade::row(2 * pair, 0, [names[a], names[b]], small(), &won, ""));
        rows.push(handmade::row(
            2 * pair + 1,
            0,
            [names[b], names[a]],
            small(),
            if pair == 1 { &lost } else { &won },
            "",
        ));
    }
    handmade::games(folder.path(), "games.csv", &rows);
    let report = Report::read(folder.path()).unwrap();
    let found: Vec<_> = report.generations.iter().map(|one| (one.number, one.agent)).collect();
    assert_eq!(found, [(0, 1), (2, 0)]);
    let page = page(folder.path());
    let section =
        page.split_once("<section id=\"generations\">").unwrap().1.split_once("</section>").unwrap().0;
    assert_eq!(section.matches("<circle").count(), 2);
    assert!(
        section.contains("<desc id=\"climb-text\">generation 0: ") && section.contains("; generation 2: ")
    );
    assert!(section.contains(">plain</text>"), "{section}");
}

#[test]
fn damaged_and_foreign_files_are_one_line_and_no_page() {
    let refused = |folder: &Path, says: &str| {
        let output = eval("report", folder).assert().code(1).stdout("").get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(says), "{error} should say: {says}");
    };
    let folder = tempdir().unwrap();
    refused(&folder.path().join("nowhere"), "there is no tournament here (tournament.json is missing)");
    refused(folder.path(), "there is no tournament here (tournament.json is missing)");
    two_agents(folder.path(), ["a", "b"], ["greedy", "random"]);
    let [games, settings, partial] =
        ["games.csv", "tournament.json", "games.csv.partial"].map(|name| folder.path().join(name));
    let whole = fs::read_to_string(&games).unwrap();
    let about = fs::read_to_string(&settings).unwrap();
    let pair_of_others = whole.replace(",a,", ",c,");
    let lines: Vec<&str> = whole.lines().collect();
    for (text, says) in [
        (
            "player0,player1,result\na,b,1-0\n".to_owned(),
            "games.csv, line 1: the columns are not game,round,",
        ),
        (lines[..3].join("\n") + "\n", "games.csv: games 2 and 3 are missing"),
        (lines[..4].join("\n") + "\n", "games.csv: the last row, or the last pair, is not whole"),
        (whole[..whole.len() - 9].to_owned(), "games.csv: the last row, or the last pair, is not whole"),
        (
            whole.replacen("1-0", "0-1", 1),
            "games.csv, line 2: the moves do not come to what the row says of the end",
        ),
        (
            pair_of_others,
            "games.csv, line 2: game 0 is one of round 0 between `a` and `b` in this tournament",
        ),
        (whole.clone() + &lines[1..3].join("\n") + "\n", "games.csv, line 7: game 1 is there twice"),
        (whole.replacen("ccw", "xcw", 1), "games.csv, line 2: opening: "),
    ] {
        fs::write(&games, text).unwrap();
        refused(folder.path(), says);
    }
    fs::write(
        &games,
        whole
            .replace("\n0,", "\n4,")
            .replace("\n1,", "\n5,")
            .replace("4,0,a", "4,2,a")
            .replace("5,0,b", "5,2,b"),
    )
    .unwrap();
    refused(folder.path(), "games.csv: game 4 is none of this tournament's");
    fs::write(&games, &whole).unwrap();
    for (text, says) in [
        ("[1, 2]".to_owned(), "tournament.json: "),
        (about.replace("round-robin", "cup"), "tournament.json: says what no tournament is"),
        (about.replace("\"games\":4", "\"games\":4000000000"), "tournament.json: says what no tournament is"),
        (about.replace("2x5x4", "2x99x4"), "tournament.json: says what no tournament is"),
    ] {
        fs::write(&settings, text).unwrap();
        refused(folder.path(), says);
    }
    fs::write(&settings, &about).unwrap();
    assert!(!folder.path().join("report.html").exists());
    // An older page stays as it was, and no half of a new one lies about.
    eval("report", folder.path()).assert().success();
    let page = fs::read(folder.path().join("report.html")).unwrap();
    fs::rename(&games, &partial).unwrap();
    fs::write(&partial, whole.replacen("1-0", "0-1", 1)).unwrap();
    refused(folder.path(), "games.csv.partial, line 2: ");
    assert_eq!(fs::read(folder.path().join("report.html")).unwrap(), page);
    fs::remove_file(&partial).unwrap();
    refused(folder.path(), "there are no games here: neither games.csv nor games.csv.partial");
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["report.html", "tournament.json"]);
}

#[test]
fn tournament_and_merge_write_it_too() {
    let folder = tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let play = "tournament --variant 2x5x4 --agent random --agent greedy --games 8 --seed 4 --out";
    eval(play, &path("whole")).assert().success();
    let whole = fs::read_to_string(path("whole").join("report.html")).unwrap();
    assert!(whole.contains("tournament on 2x5x4: random against greedy"));
    for shard in ["0/2", "1/2"] {
        let play = play.replace("--out", &format!("--shard {shard} --out"));
        eval(&play, &path(&shard[..1])).assert().success();
        assert!(!path(&shard[..1]).join("report.html").exists());
    }
    eval(&format!("merge {} {} --out", path("0").display(), path("1").display()), &path("merged"))
        .assert()
        .success();
    let merged = fs::read_to_string(path("merged").join("report.html")).unwrap();
    let data = |page: &str| page.split_once("\"games\":[").unwrap().1.to_owned();
    assert_eq!(data(&merged), data(&whole));
    // It is part of a tournament that is there already, but can be had again.
    eval(play, &path("whole")).assert().code(1);
    fs::remove_file(path("whole").join("report.html")).unwrap();
    eval(&play.replace("--out", "--resume --out"), &path("whole")).assert().success();
    assert_eq!(data(&fs::read_to_string(path("whole").join("report.html")).unwrap()), data(&whole));
}

#[test]
fn of_very_many_games_a_page_holds_some_and_says_so() {
    let folder = tempdir().unwrap();
    let play = "tournament --variant 2x5x4 --agent a@random --agent b@random --agent c@random --games 6668 --decided off \
                --opening-plies 2 --seed 4 --out";
    eval(play, folder.path()).assert().success();
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("20000 of 20004 games are here, drawn evenly"), "{}", &page[..3000]);
    let data = page.split_once("type=\"application/json\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let numbers: Vec<u64> =
        data["games"].as_array().unwrap().iter().map(|game| game[0].as_u64().unwrap()).collect();
    assert!(numbers.len() == 20_000 && numbers.is_sorted() && *numbers.last().unwrap() < 20_004);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}
