//! Whatever is sent, the engine keeps its head.

use giuthi_engine::ugi::command::Command;
use proptest::prelude::*;

use crate::commands::said;

/// Words of the protocol, and some that are not.
const WORDS: &[&str] = &[
    "ugi",
    "isready",
    "uginewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "stop",
    "query",
    "setoption",
    "name",
    "value",
    "variant",
    "agent",
    "depth",
    "nodes",
    "movetime",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "infinite",
    "gameover",
    "p1turn",
    "result",
    "legalmoves",
    "8ccw",
    "9cw",
    "0ccw",
    "pass",
    "2x8x8",
    "2x5x4",
    "random",
    "greedy",
    "ab:depth=1",
    "0",
    "1",
    "2",
    "-1",
    "1,0,2,0,1",
    "0,0,1,0,3",
    "x",
    "",
];

/// Lines that make sense.
const LINES: &[&str] = &[
    "isready",
    "position startpos",
    "position startpos moves 8ccw",
    "position fen 0,0,0,0,0 6,24,0,9,1 1 0 1",
    "position fen 0,1,0,0,0 0,0,0,0,1 10 2 1",
    "go",
    "go infinite",
    "go depth 1",
    "go nodes 10 depth 1",
    "go p1time 1",
    "stop",
    "setoption name variant value 2x6x4",
    "setoption name agent value greedy",
    "setoption name agent value random",
    "uginewgame",
];

fn line() -> impl Strategy<Value = Vec<u8>> {
    let words = proptest::collection::vec(proptest::sample::select(WORDS), 0..8);
    prop_oneof![
        4 => proptest::sample::select(LINES).prop_map(|line| line.as_bytes().to_vec()),
        3 => words.prop_map(|words| words.join(" ").into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..80)
            .prop_map(|bytes| bytes.into_iter().filter(|&byte| byte != b'\n').collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_go_has_one_answer_and_every_isready(lines in proptest::collection::vec(line(), 0..30)) {
        let command = |line: &Vec<u8>| Command::parse(&String::from_utf8_lossy(line));
        // What came after `quit` would not be heard.
        let mut lines = lines;
        lines.retain(|line| command(line) != Ok(Some(Command::Quit)));
        let count = |wanted: fn(&Command) -> bool| {
            lines.iter().filter(|line| matches!(command(line), Ok(Some(command)) if wanted(&command))).count()
        };
        let readies = count(|command| matches!(command, Command::IsReady));
        let queries = count(|command| matches!(command, Command::Query(_)));
        let gos = count(|command| matches!(command, Command::Go(_)));
        let answers = said("random", &[lines.join(&b'\n'), b"\nisready\nquit\n".to_vec()].concat());
        let answered = |word: &str| answers.iter().filter(|line| line.split(' ').next() == Some(word)).count();
        let refused = answers.iter().filter(|line| line.starts_with("info string go: player ")).count();
        prop_assert_eq!(answered("readyok"), readies + 1);
        prop_assert_eq!(answered("response"), queries);
        prop_assert_eq!(answered("bestmove"), gos - refused);
        for line in &answers {
            prop_assert!(!line.contains(char::is_control) && line.len() < 400, "{:?}", line);
        }
    }
}
