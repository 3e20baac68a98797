//! The parts without the program: commands, lines, the table, the engine between buffers.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use giuthi_engine::agent::NoClock;
use giuthi_engine::rng::game_rng;
use giuthi_engine::ugi::command::{Command, Go, Query};
use giuthi_engine::ugi::lines::{self, LONGEST, Line};
use giuthi_engine::ugi::table::Table;
use giuthi_engine::ugi::{engine, result_name, wdl};
use giuthi_engine::{Outcome, Player, Position, Variant};

use crate::networks;

#[test]
fn commands_are_read() {
    let ms = Duration::from_millis;
    let position = |start: Option<&str>, moves: &[&str]| Command::Position {
        start: start.map(|text| text.parse().unwrap()),
        moves: moves.iter().map(|mv| mv.parse().unwrap()).collect(),
    };
    let fen = "1,0,2,0,1 0,0,1,0,3 4 5 1";
    for (line, command) in [
        ("ugi", Command::Ugi),
        ("  isready  ", Command::IsReady),
        ("uginewgame", Command::NewGame),
        ("stop", Command::Stop),
        ("quit", Command::Quit),
        ("query p1turn", Command::Query(Query::P1Turn)),
        ("position startpos", position(None, &[])),
        ("position startpos moves 12ccw pass", position(None, &["12ccw", "pass"])),
        (&format!("position fen {fen}"), position(Some(fen), &[])),
        (&format!("position  fen {fen}  moves 2cw"), position(Some(fen), &["2cw"])),
        (
            "setoption name agent value net:/with  two spaces/value 1",
            Command::SetOption {
                name: "agent".to_owned(),
                value: "net:/with  two spaces/value 1".to_owned(),
            },
        ),
        ("go", Command::Go(Go::default())),
        ("go infinite", Command::Go(Go { infinite: true, ..Go::default() })),
        ("go nodes 7 depth 3", Command::Go(Go { depth: Some(3), nodes: Some(7), ..Go::default() })),
        ("go movetime 0", Command::Go(Go { movetime: Some(ms(0)), ..Go::default() })),
        (
            "go p1time 1 p2time 2 p1inc 3 p2inc 4",
            Command::Go(Go {
                clocks: [Some(ms(1)), Some(ms(2))],
                increments: [Some(ms(3)), Some(ms(4))],
                ..Go::default()
            }),
        ),
    ] {
        if let Command::Go(go) = &command {
            assert_eq!(Command::parse(&go.to_string()), Ok(Some(command.clone())), "{go}");
        }
        assert_eq!(Command::parse(line), Ok(Some(command)), "{line}");
    }
    assert_eq!(Command::parse(" \t "), Ok(None));
}

#[test]
fn the_clock_of_the_player_to_move_counts() {
    let ms = Duration::from_millis;
    let go = Go { clocks: [Some(ms(10_000)), Some(ms(1_000))], ..Go::default() };
    let time = |go: Go, player| go.limits(player).unwrap().unwrap().time.unwrap();
    assert!(time(go, Player::South) > time(go, Player::North));
    assert!(time(go, Player::North) <= ms(500));
    // The least of two times holds.
    assert_eq!(time(Go { movetime: Some(ms(10)), ..go }, Player::South), ms(9));
    assert!(go.limits(Player::North).unwrap().unwrap().depth.is_none());
    let one = Go { clocks: [Some(ms(1)), None], ..Go::default() };
    assert!(one.limits(Player::South).is_ok() && one.limits(Player::North).is_err());
    assert_eq!(Go::default().limits(Player::South), Ok(None));
    assert!(!Go { infinite: true, ..Go::default() }.limits(Player::South).unwrap().unwrap().is_none());
}

#[test]
fn lines_of_any_bytes_and_length_are_read() {
    let long = "x".repeat(LONGEST + 1);
    let text = |text: &str| Some(Line::Text(text.to_owned()));
    for (input, wanted) in [
        (Vec::new(), vec![]),
        (b"a\n\r\n b \nc".to_vec(), vec![text("a"), text(""), text("b"), text("c")]),
        (b"\xff\n".to_vec(), vec![text("\u{fffd}")]),
        (format!("{long}\nb\n").into_bytes(), vec![Some(Line::TooLong), text("b")]),
        (format!("{}\n", &long[1..]).into_bytes(), vec![text(&long[1..])]),
        (long.clone().into_bytes(), vec![Some(Line::TooLong)]),
    ] {
        // However the bytes come in.
        for room in [1, 7, 1 << 16] {
            let mut reader = io::BufReader::with_capacity(room, Cursor::new(&input));
            for line in &wanted {
                assert_eq!(lines::read(&mut reader).unwrap(), *line);
            }
            assert_eq!(lines::read(&mut reader).unwrap(), None);
        }
    }
}

#[test]
fn a_value_is_told_as_wins_and_losses() {
    for (value, told) in [
        (1.0, [1000, 0, 0]),
        (-1.0, [0, 0, 1000]),
        (0.0, [500, 0, 500]),
        (0.3368, [668, 0, 332]),
        (-0.25, [375, 0, 625]),
    ] {
        assert_eq!(wdl(value), told, "{value}");
    }
    assert_eq!(result_name(Some(Outcome::Win(Player::South))), "p1win");
    assert_eq!(result_name(Some(Outcome::Win(Player::North))), "p2win");
}

#[test]
fn variant_and_weights_can_be_set_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let [six, eight] = [6, 8].map(|width| {
        let path = folder.path().join(format!("{width}.safetensors"));
        networks::network(width, [2, 2], &mut game_rng(1, 0)).save(&path).unwrap();
        format!("net:{}", path.display())
    });
    let mut table = Table::new(Variant::default(), six.parse().unwrap()).unwrap();
    // Weights for other boards are no error before they have to judge one.
    let refused = table.newcomer().err().unwrap();
    assert!(refused.contains("rows of 6 pits cannot judge rows of 8"), "{refused}");
    table.set("variant", "2x6x4").unwrap();
    assert!(table.newcomer().unwrap().is_some());
    assert!(table.newcomer().unwrap().is_none(), "nobody new");
    table.set("agent", &eight).unwrap();
    assert!(table.newcomer().is_err());
    table.set("variant", "2x8x4").unwrap();
    assert!(table.newcomer().unwrap().is_some());
    // So with positions of another width.
    table.place(Some(Position::start("2x6x4".parse().unwrap())), &[]).unwrap();
    assert!(table.newcomer().is_err());
    table.new_game().unwrap();
    assert_eq!(*table.game().position(), Position::start("2x8x4".parse().unwrap()));
    assert!(table.newcomer().unwrap().is_some());
}

/// What the engine says to lines, with an agent.
pub(crate) fn said(agent: &str, lines: &[u8]) -> Vec<String> {
    let mut output = Vec::new();
    let table = Table::new(Variant::default(), agent.parse().unwrap()).unwrap();
    engine::serve(Cursor::new(lines.to_vec()), &mut output, table, 1, NoClock).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_same_lines_have_the_same_answers() {
    let lines = b"go\ngo\nuginewgame\ngo\nposition startpos moves 8ccw\ngo\n";
    let first = said("random", lines);
    assert_eq!(first.len(), 4);
    assert_eq!(said("random", lines), first);
}

#[test]
fn every_output_that_fails_ends_it() {
    /// Takes so many bytes.
    struct Room(Arc<Mutex<usize>>);
    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut left = self.0.lock().unwrap();
            if *left < bytes.len() {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            *left -= bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for room in [0, 10, 60] {
        let table = Table::new(Variant::default(), "random".parse().unwrap()).unwrap();
        let input = Cursor::new(b"ugi\nisready\ngo infinite\n".repeat(1000));
        let error = engine::serve(input, Room(Arc::new(Mutex::new(room))), table, 1, NoClock).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn an_input_that_fails_is_an_error() {
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::ConnectionReset))
        }
    }
    let table = Table::new(Variant::default(), "random".parse().unwrap()).unwrap();
    let error = engine::serve(io::BufReader::new(Broken), Vec::new(), table, 1, NoClock).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}
