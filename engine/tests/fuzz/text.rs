//! Whatever takes text or files: nothing panics, errors are one line, and what is read is written as it was.

use std::fmt::Display;
use std::io::{BufReader, Cursor};
use std::str::FromStr;

use csv::StringRecord;
use giuthi_engine::agent::AGENTS;
use giuthi_engine::net::{Kernel, Quantised};
use giuthi_engine::opening::OpeningPlies;
use giuthi_engine::rng::random_move;
use giuthi_engine::sample::{Note, SampleError, columns, label, width_of};
use giuthi_engine::ugi::command::Command;
use giuthi_engine::ugi::lines::{self, LONGEST, Line};
use giuthi_engine::{AgentSpec, Ending, Game, Move, Network, Position, Sample, Setup, Source, Variant};
use rand::RngExt;
use rand::seq::IndexedRandom;
use sha2::{Digest, Sha256};

use crate::mutation::mutate;
use crate::{Weights, networks, positions};

pub(crate) fn case(weights: &Weights, rng: &mut impl rand::Rng) {
    match rng.random_range(0..20) {
        0 => dataset(rng),
        1 | 2 => network(weights, rng),
        4 => quantised(weights, rng),
        3 => bytes_in_lines(rng),
        _ => {
            let mut text = notation(weights, rng).into_bytes();
            if rng.random_ratio(15, 16) {
                mutate(&mut text, rng);
            }
            notations(&String::from_utf8_lossy(&text));
        }
    }
}

pub(crate) fn any_position(rng: &mut impl rand::Rng) -> Position {
    let width = rng.random_range(5..=10);
    let most = *[6, 30, 128, 255].choose(rng).expect("there are some");
    let spread = rng.random_range(1..=4 * width);
    positions::scattered(width, most, spread, rng)
}

pub(crate) fn any_variant(rng: &mut impl rand::Rng) -> Variant {
    let all: Vec<Variant> = Variant::all().collect();
    *all.choose(rng).expect("there are some")
}

/// The spec of an agent, good but for the bounds of its numbers.
pub(crate) fn spec(weights: &Weights, rng: &mut impl rand::Rng) -> String {
    let kind = AGENTS.choose(rng).expect("there are some");
    let path = weights.path(*Weights::WIDTHS.choose(rng).expect("there are some"));
    let mut spec = if rng.random_ratio(1, 4) { "label@".to_owned() } else { String::new() };
    spec += kind.name;
    if kind.name == "net" {
        return format!("{spec}:{}", path.display());
    }
    let mut separator = ':';
    for key in kind.keys {
        if rng.random_ratio(1, 2) {
            let value = match key.name {
                "net" => path.display().to_string(),
                _ => rng.random_range(0..4).to_string(),
            };
            spec += &format!("{separator}{}={value}", key.name);
            separator = ',';
        }
    }
    spec
}

/// A good text of some notation.
fn notation(weights: &Weights, rng: &mut impl rand::Rng) -> String {
    match rng.random_range(0..8) {
        0 => any_variant(rng).to_string(),
        1 => random_move(&any_position(rng), rng).unwrap_or(Move::Pass).to_string(),
        2 | 3 => any_position(rng).to_string(),
        4 => format!("{}..{}", rng.random_range(0..20), rng.random_range(0..40)),
        5 => spec(weights, rng),
        6 => [
            "go depth 3 nodes 7 movetime 9",
            "go p1time 1 p2time 2 p1inc 3 p2inc 4",
            "go infinite",
            "query result",
        ]
        .choose(rng)
        .map(|&line| line.to_owned())
        .expect("there are some"),
        _ => format!("position fen {} moves 3cw pass", any_position(rng)),
    }
}

/// Asserts that an error is one line that a terminal can take, and no long one.
fn assert_plain(error: &dyn Display, text: &str) {
    let line = error.to_string();
    assert!(!line.contains(char::is_control) && line.len() < 1000, "{text:?}: {line:?}");
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Option<T> {
    text.parse().map_err(|error| assert_plain(&error, text)).ok()
}

/// Reads a text as everything.
fn notations(text: &str) {
    fn as_written<T: FromStr<Err: Display> + Display>(text: &str) {
        if let Some(value) = read::<T>(text) {
            assert_eq!(value.to_string(), text);
        }
    }
    as_written::<Variant>(text);
    as_written::<Move>(text);
    as_written::<Position>(text);
    as_written::<AgentSpec>(text);
    if let Some(setup) = read::<Setup>(text)
        && let Ok(position) = Position::try_from(&setup)
    {
        assert_eq!(position.to_string(), text);
    }
    if let Some(plies) = read::<OpeningPlies>(text) {
        assert_eq!(plies.to_string().parse(), Ok(plies), "{text:?}");
    }
    match Command::parse(text) {
        Err(error) => assert_plain(&error, text),
        Ok(Some(Command::SetOption { .. })) => {}
        Ok(command) => {
            // What stands between the words is all the same.
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(Command::parse(&words.join(" \t ")), Ok(command), "{text:?}");
        }
    }
}

/// Rows of a dataset, and what is left of them when something is changed.
fn dataset(rng: &mut impl rand::Rng) {
    let variant = any_variant(rng);
    let mut game = Game::new(variant);
    let mut notes = Vec::new();
    while game.ending().is_none() {
        let mv = random_move(game.position(), rng).expect("the game goes on");
        let value = rng.random_ratio(1, 2).then(|| rng.random_range(-1.0..=1.0));
        notes.push(match mv {
            Move::Pass => Note { source: Source::Forced, value },
            _ => Note { source: Source::Search, value },
        });
        game.play(mv).expect("a listed move is legal");
    }
    let samples = label(rng.random(), &game, &notes).expect("the game is over");
    let mut text = columns(variant.width()).join(",");
    let from = rng.random_range(0..=samples.len());
    for sample in samples.iter().skip(from).take(3) {
        let fields = written(sample);
        assert_eq!(Sample::read(&fields, variant.width()).map(|read| written(&read)), Ok(fields.clone()));
        text += "\n";
        text += &fields.iter().collect::<Vec<_>>().join(",");
    }
    let mut bytes = text.into_bytes();
    mutate(&mut bytes, rng);
    for line in bytes.split(|&byte| byte == b'\n') {
        let slow = match str::from_utf8(line) {
            Ok(text) => Sample::read(&text.split(',').collect::<Vec<_>>().into(), variant.width()),
            Err(_) => Err(SampleError::NotText),
        };
        let told = format!("{slow:?}");
        assert_eq!(format!("{:?}", Sample::scan(line, variant.width())), told, "{}", line.escape_ascii());
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(Cursor::new(bytes));
    let width = match reader.headers() {
        Ok(header) => width_of(header).unwrap_or(variant.width()),
        Err(_) => variant.width(),
    };
    for record in reader.records().map_while(Result::ok) {
        match Sample::read(&record, width) {
            Err(error) => assert_plain(&error, &format!("{record:?}")),
            Ok(sample) => {
                assert_eq!(sample.position.check(sample.mv), Ok(()), "{record:?}");
                assert!(sample.ending == Ending::NoMoves || sample.result == 0, "{record:?}");
                let fields = written(&sample);
                let again =
                    Sample::read(&fields, width).unwrap_or_else(|error| panic!("{record:?}: {error}"));
                // The value is rounded when it is written; everything else is what it was.
                assert_eq!(Sample { value: sample.value, ..again.clone() }, sample, "{record:?}");
                assert_eq!(written(&again), fields, "{record:?}");
            }
        }
    }
}

fn written(sample: &Sample) -> StringRecord {
    let mut record = StringRecord::new();
    sample.write(&mut record);
    record
}

/// A weights file with something changed: refused, or a network that judges.
fn network(weights: &Weights, rng: &mut impl rand::Rng) {
    let width = rng.random_range(5..=10);
    let layers = [rng.random_range(1..=3), rng.random_range(1..=3)];
    let path = weights.folder.path().join("changed.safetensors");
    networks::network(width, layers, rng).save(&path).expect("written");
    let mut bytes = std::fs::read(&path).expect("it is there");
    let start: [u8; 8] = bytes[..8].try_into().expect("eight bytes");
    let end = 8 + u64::from_le_bytes(start) as usize;
    match rng.random_range(0..4) {
        0 | 1 => {
            // In the header, whose length stays right.
            let mut header = bytes[8..end].to_vec();
            mutate(&mut header, rng);
            let length = (header.len() as u64).to_le_bytes();
            bytes = [&length[..], &header, &bytes[end..]].concat();
        }
        2 => {
            const NUMBERS: [f32; 9] =
                [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e30, -1e30, 1.1e30, 1e-45, -0.0];
            let (numbers, _) = bytes[end..].as_chunks_mut();
            for _ in 0..rng.random_range(1..=numbers.len()) {
                let at = rng.random_range(0..numbers.len());
                numbers[at] = NUMBERS.choose(rng).expect("there are some").to_le_bytes();
            }
        }
        _ => mutate(&mut bytes, rng),
    }
    std::fs::write(&path, bytes).expect("written");
    match Network::load(&path) {
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains(char::is_control) && line.len() < 5000, "{line:?}");
        }
        Ok(network) => {
            let header = network.header().clone();
            let quantised = Quantised::new(&network);
            for _ in 0..4 {
                let position = positions::scattered(header.width, 255, 4, rng);
                assert!((-1.0..=1.0).contains(&network.value(&position)), "{position}: {header:?}");
                let [value, others @ ..] = Kernel::ALL.map(|kernel| quantised.value_by(kernel, &position));
                assert!((-1.0..=1.0).contains(&value), "{position}: {header:?}");
                assert_eq!(others, [value; 2], "{position}: {header:?}");
            }
            network.save(&path).expect("written");
            assert_eq!(Network::load(&path).expect("just written"), network);
        }
    }
}

/// A quantised network with something changed, its checksum made right as often as not: refused, or a network that
/// judges, by every kernel alike.
fn quantised(weights: &Weights, rng: &mut impl rand::Rng) {
    let width = rng.random_range(5..=10);
    let layers = [rng.random_range(1..=3), rng.random_range(1..=3)];
    let path = weights.folder.path().join("changed.giuthiq");
    let network = networks::network(width, layers, rng);
    let mut bytes = Quantised::new(&network).to_bytes().expect("a short header");
    let body = bytes.len() - 32;
    match rng.random_range(0..3) {
        0 => mutate(&mut bytes, rng),
        // Head and numbers, as they are or as numbers go wrong.
        1 => bytes[rng.random_range(8..body)] = rng.random(),
        _ => {
            let at = rng.random_range(60..body - 4);
            let number = [0x7f80_0000u32, 0x7fc0_0000, 0x8000_0000, 0x7fff_7fff, 0x0000_0001, 0x7149_f2ca];
            bytes[at..][..4].copy_from_slice(&number.choose(rng).expect("there are some").to_le_bytes());
        }
    }
    if let Some((body, checksum)) = bytes.split_last_chunk_mut::<32>()
        && rng.random_ratio(3, 4)
    {
        checksum.copy_from_slice(&Sha256::digest(body));
    }
    std::fs::write(&path, &bytes).expect("written");
    match Quantised::load(&path) {
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains(char::is_control) && line.len() < 5000, "{line:?}");
        }
        Ok(network) => {
            assert_eq!(network.to_bytes().expect("it was read"), bytes);
            for _ in 0..4 {
                let position = positions::scattered(network.header().width, 255, 4, rng);
                let [value, others @ ..] = Kernel::ALL.map(|kernel| network.value_by(kernel, &position));
                assert!((-1.0..=1.0).contains(&value), "{position}: {value}");
                assert_eq!(others, [value; 2], "{position}");
            }
        }
    }
}

/// Bytes cut into lines, however they come in.
fn bytes_in_lines(rng: &mut impl rand::Rng) {
    let mut bytes = b"isready\nposition startpos moves 8ccw\r\n\ngo\n".to_vec();
    mutate(&mut bytes, rng);
    if rng.random_ratio(1, 50) {
        let length = LONGEST + rng.random_range(0..4) - 2;
        let at = rng.random_range(0..=bytes.len());
        drop(bytes.splice(at..at, std::iter::repeat_n(b'x', length)));
    }
    let mut wanted: Vec<Line> = bytes
        .split(|&byte| byte == b'\n')
        .map(|line| match line.len() {
            0..=LONGEST => Line::Text(String::from_utf8_lossy(line).trim().to_owned()),
            _ => Line::TooLong,
        })
        .collect();
    if bytes.last().is_none_or(|&byte| byte == b'\n') {
        // Behind the last line's end there is none.
        wanted.pop();
    }
    let room = *[1, 3, 64, 1 << 16].choose(rng).expect("there are some");
    let mut reader = BufReader::with_capacity(room, Cursor::new(&bytes));
    for line in wanted {
        assert_eq!(lines::read(&mut reader).expect("memory can be read"), Some(line));
    }
    assert_eq!(lines::read(&mut reader).expect("memory can be read"), None);
}
