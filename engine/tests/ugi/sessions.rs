//! Sessions with the program.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use giuthi_engine::{Game, Move, Position, Variant};

use super::Talk;

/// The finished game of the command-line tests: player 0 has won 11 to 3.
const OVER: &str = "0,1,0,0,0 0,0,0,0,1 10 2 1";
/// Extra moves that come back to an earlier position.
const REPETITION: &str = "fen 0,0,0,2,2 3,0,5,1,1 0 0 1 moves 4cw 3cw 2cw 1ccw 2ccw";
/// A relay without end.
const ENDLESS: &str = "fen 0,0,2,8,1 2,3,0,0,0 13 11 0 moves 5cw";

#[track_caller]
fn informed(said: &[String], of: &str) {
    assert!(
        matches!(said, [line] if line.starts_with("info string ") && line.contains(of)),
        "{said:?}, but not {of}"
    );
}

#[test]
fn it_introduces_itself() {
    let mut talk = Talk::with(&["--variant", "2x6x4", "--agent", "greedy"]);
    talk.send("ugi");
    let (lines, _) = talk.until("ugiok");
    assert_eq!(
        lines,
        [
            concat!("id name Giuthi ", env!("CARGO_PKG_VERSION")),
            concat!("id author ", env!("CARGO_PKG_AUTHORS")),
            "option name variant type string default 2x6x4",
            "option name agent type string default greedy",
        ]
    );
    talk.send("quit");
    talk.ends();
}

#[test]
fn positions_are_set_up_and_asked_about() {
    let mut talk = Talk::new();
    for (position, answers) in [
        ("startpos", ["false", "true", "none"]),
        ("startpos moves 8ccw", ["false", "false", "none"]),
        ("startpos moves", ["false", "true", "none"]),
        ("fen 0,0,0,0,0 6,24,0,9,1 1 0 1", ["false", "false", "none"]),
        ("fen 0,0,0,0,0 6,24,0,9,1 1 0 1 moves pass", ["false", "true", "none"]),
        (REPETITION, ["true", "false", "draw"]),
        (ENDLESS, ["true", "true", "draw"]),
        ("fen 0,1,0,0,0 0,0,0,0,1 10 2 1", ["true", "false", "p1win"]),
        ("fen 0,1,0,0,0 0,0,0,0,1 2 10 0", ["true", "true", "p2win"]),
        ("fen 0,1,0,0,0 0,0,0,0,1 5 5 0", ["true", "true", "draw"]),
    ] {
        assert_eq!(talk.says(&format!("position {position}")), [""; 0], "{position}");
        for (question, answer) in ["gameover", "p1turn", "result"].iter().zip(answers) {
            assert_eq!(talk.says(&format!("query {question}")), [format!("response {answer}")], "{position}");
        }
    }
}

#[test]
fn the_additions_answer_with_moves_and_position() {
    let mut talk = Talk::new();
    let mut game = Game::new(Variant::default());
    game.play_all(&["8ccw", "3cw"].map(|mv| mv.parse().unwrap())).unwrap();
    talk.send("position startpos moves 8ccw 3cw");
    let moves: Vec<String> = game.position().moves().iter().map(Move::to_string).collect();
    assert_eq!(talk.says("query legalmoves"), [format!("response {}", moves.join(" "))]);
    assert_eq!(talk.says("query position"), [format!("response {}", game.position())]);
    // A finished game has no moves, whatever lies in the pits.
    for over in [REPETITION, ENDLESS, &format!("fen {OVER}")] {
        talk.send(&format!("position {over}"));
        assert_eq!(talk.says("query legalmoves"), ["response none"]);
    }
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let mut talk = Talk::new();
    let fen = "1,0,2,0,1 0,0,1,0,3 4 5 1";
    talk.send("setoption name variant value 2x6x4");
    talk.send(&format!("position fen {fen}"));
    let long = "x".repeat(3 << 20);
    for (line, says) in [
        ("xyzzy", "unknown command `xyzzy`"),
        ("UGI", "unknown command `UGI`"),
        ("ugi please", "`ugi` stands alone"),
        ("quit now", "`quit` stands alone"),
        ("stop it", "`stop` stands alone"),
        ("position", "write `position startpos`"),
        ("position start", "`start` found"),
        ("position startpos 8ccw", "`8ccw` found"),
        ("position fen", "five fields"),
        ("position fen moves 8ccw", "five fields"),
        ("position fen 1,0,2,0,1 0,0,1,0,3 4 5", "not 4"),
        ("position fen 1,0,2,0,1 0,0,1,0,3 4 5 1 8ccw", "not 6"),
        ("position fen 1,0,2,0 0,0,1,0 4 5 1", "a row has 4 pits"),
        ("position fen 1,0,2,0,x 0,0,1,0,3 4 5 1", "`x`"),
        ("position startpos moves 6ccw 6cw", "move 2 (6cw): pit 6 is not player 1's"),
        ("position startpos moves 6ccw nonsense", "move 2: `nonsense` is not a move"),
        ("position startpos moves pass", "move 1 (pass): player 0 has a pit with two seeds"),
        (
            "position fen 0,0,2,8,1 2,3,0,0,0 13 11 0 moves 5cw 5cw",
            "move 2 (5cw): the game is over by endless",
        ),
        ("query", "`` is no question: there are gameover,"),
        ("query winner", "`winner` is no question"),
        ("query result please", "`result please` is no question"),
        ("setoption", "write `setoption name NAME value VALUE`"),
        ("setoption name variant", "write `setoption name NAME value VALUE`"),
        ("setoption name variant value", "write `setoption name NAME value VALUE`"),
        ("setoption variant 2x6x4", "write `setoption name NAME value VALUE`"),
        ("setoption name hash value 1", "`hash` is no option: there are variant, agent"),
        ("setoption name variant value 2x4x4", "`2x4x4` is not a variant"),
        ("setoption name agent value xyzzy", "`xyzzy` is no agent"),
        ("setoption name agent value ab:depth=0", "`depth=0`"),
        ("setoption name agent value net:/no/such file", "/no/such file"),
        ("go depth", "`depth `: a whole number from 1 to 200"),
        ("go depth 0", "`depth 0`"),
        ("go depth 201", "`depth 201`"),
        ("go depth -1", "`depth -1`"),
        ("go nodes +1", "`nodes +1`"),
        ("go nodes 99999999999999999999", "a whole number from 1 to"),
        ("go movetime 1.5", "`movetime 1.5`"),
        ("go depth 1 depth 2", "`depth` is given twice"),
        ("go infinite depth 1", "`infinite` stands alone"),
        ("go infinite infinite", "`infinite` is given twice"),
        ("go fast", "`fast` is no limit"),
        ("go p1time 1000 p1inc 10", "player 1 is to move, but `p2time` is not given"),
        (&long, "more than 1048576 bytes"),
    ] {
        let said = talk.says(line);
        informed(&said, says);
        assert!(said[0].len() < 300, "{said:?}");
    }
    assert_eq!(talk.says("query position"), [format!("response {fen}")]);
    talk.send("go nodes 10");
    assert_ne!(talk.best(), "none");
}

#[test]
fn bytes_and_blanks_do_no_harm() {
    let mut talk = Talk::new();
    talk.bot.send_bytes(b"\xff\xfe\x00\x1b[31m");
    let said = talk.until_ready();
    informed(&said, "unknown command");
    assert!(!said[0].contains(char::is_control), "{said:?}");
    for blank in ["", "   ", "\t", "\r"] {
        assert_eq!(talk.says(blank), [""; 0]);
    }
    // Lines may end as on Windows, and words stand apart by any white space.
    assert_eq!(talk.says("query \t p1turn \r"), ["response true"]);
}

#[test]
fn what_is_quoted_is_plain_and_short() {
    let mut talk = Talk::new();
    for path in ["/no/such\x1b[31m\u{7}file".to_owned(), "/no/such file".repeat(50_000)] {
        let said = talk.says(&format!("setoption name agent value net:{path}"));
        informed(&said, "/no/such");
        assert!(!said[0].contains(char::is_control) && said[0].len() < 1100, "{said:?}");
    }
    let said = talk.says(&format!("position fen {} 1,1,1,1,1 0 0 0", ["999"; 100_000].join(",")));
    informed(&said, "a row has 100000 pits");
    assert!(said[0].len() < 500, "{said:?}");
}

#[test]
fn options_choose_variant_and_agent() {
    let mut talk = Talk::new();
    assert_eq!(talk.says("setoption name variant value 2x6x4"), [""; 0]);
    let start = Position::start("2x6x4".parse().unwrap()).to_string();
    assert_eq!(talk.says("query position"), [format!("response {start}")]);
    // `greedy` does not search, and so has nothing to say before its move.
    assert_eq!(talk.says("setoption name agent value greedy"), [""; 0]);
    talk.send("position startpos moves 7ccw");
    talk.send("go");
    assert_eq!(talk.until("bestmove"), (vec![], "bestmove 8cw".to_owned()));
    assert_eq!(talk.says("uginewgame"), [""; 0]);
    assert_eq!(talk.says("query position"), [format!("response {start}")]);
}

#[test]
fn a_search_tells_what_it_thinks() {
    let mut talk = Talk::new();
    talk.send("position startpos moves 8ccw");
    for go in ["go depth 3", "go", "go nodes 5000", "go movetime 30", "go p2time 500", "go depth 2 nodes 100"]
    {
        talk.send(go);
        let (infos, best) = talk.until("bestmove");
        let mut depth = 0;
        for info in &infos {
            let words: Vec<&str> = info.split(' ').collect();
            let ["info", "depth", d, "score", "wdl", w, draws, l, "nodes", _, "time", _, "pv", ref pv @ ..] =
                words[..]
            else {
                panic!("{info}")
            };
            let number = |text: &str| text.parse::<u32>().unwrap();
            assert_eq!(number(w) + number(draws) + number(l), 1000, "{info}");
            assert!(number(d) >= depth && !pv.is_empty(), "{info}");
            depth = number(d);
            let mut game = Game::new(Variant::default());
            game.play("8ccw".parse().unwrap()).unwrap();
            for mv in pv {
                game.play(mv.parse().unwrap()).unwrap();
            }
        }
        let last = infos.last().unwrap_or_else(|| panic!("nothing said to {go}"));
        let first = last.split(" pv ").nth(1).unwrap().split(' ').next().unwrap();
        assert_eq!(best, format!("bestmove {first}"));
    }
}

#[test]
fn an_endless_search_waits_for_stop_and_everything_else_does_not_wait() {
    // `random` has its move at once, and still must keep it back; `pass` is forced and soon searched to its end.
    for (agent, position) in
        [("ab:depth=1", "startpos"), ("random", "startpos"), ("ab:depth=1", "fen 0,0,0,0,0 0,2,0,0,0 1 0 1")]
    {
        let mut talk = Talk::with(&["--agent", agent]);
        talk.send(&format!("position {position}"));
        talk.send("go infinite");
        for _ in 0..3 {
            let said = talk.until_ready();
            assert!(said.iter().all(|line| line.starts_with("info depth ")), "{said:?}");
        }
        talk.send("query gameover");
        assert_eq!(talk.until("response").1, "response false");
        talk.send("stop");
        let best = talk.best();
        // A second `stop` finds nothing to stop.
        assert_eq!(talk.says("stop"), [""; 0]);
        talk.send(&format!("position {position} moves {best}"));
        assert_eq!(talk.until_ready(), [""; 0]);
    }
}

#[test]
fn a_second_go_ends_the_first() {
    let mut talk = Talk::new();
    talk.send("go infinite");
    talk.send("position startpos moves 8ccw");
    talk.send("go depth 1");
    let (first, second) = (talk.best(), talk.best());
    let mut game = Game::new(Variant::default());
    game.clone().play(first.parse().unwrap()).unwrap();
    game.play("8ccw".parse().unwrap()).unwrap();
    game.play(second.parse().unwrap()).unwrap();
    assert_eq!(talk.until_ready(), [""; 0]);
    // The order is kept with answers that need no search.
    talk.send("position startpos");
    talk.send("go infinite");
    talk.send(&format!("position fen {OVER}"));
    talk.send("go");
    assert_ne!(talk.best(), "none");
    assert_eq!(talk.best(), "none");
}

#[test]
fn a_finished_game_has_no_move() {
    let mut talk = Talk::new();
    for over in [REPETITION, ENDLESS, &format!("fen {OVER}")] {
        talk.send(&format!("position {over}"));
        for go in ["go", "go infinite", "go movetime 10"] {
            talk.send(go);
            let (before, best) = talk.until("bestmove");
            informed(&before, "the game is over");
            assert_eq!(best, "bestmove none");
        }
    }
}

#[test]
fn it_ends_at_quit_and_at_the_end_of_its_input_searching_or_not() {
    for searching in [false, true] {
        for quit in [false, true] {
            let mut talk = Talk::new();
            if searching {
                talk.send("go infinite");
                talk.until_ready();
            }
            if quit {
                talk.send("quit");
            } else {
                talk.bot.close_input();
            }
            // Even now a `go` has its answer.
            if searching {
                talk.best();
            }
            talk.ends();
        }
    }
}

#[test]
fn a_referee_that_is_gone_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_giuthi"))
        .args(["ugi", "--seed", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    writeln!(stdin, "isready").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "readyok\n");
    drop(stdout);
    // Its input stays open: what it has to say nobody hears, and that alone ends it.
    writeln!(stdin, "go movetime 10").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    drop(stdin);
}

#[test]
fn an_agent_that_cannot_be_had_is_refused_at_once() {
    for (arguments, code, says) in [
        (["--agent", "net:/no/such/file"], 1, "/no/such/file"),
        (["--agent", "xyzzy"], 2, "`xyzzy` is no agent"),
        (["--variant", "2x4x4"], 2, "is not a variant"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_giuthi")).arg("ugi").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.starts_with("giuthi: ") && said.lines().count() == 1 && said.contains(says), "{said}");
    }
}
