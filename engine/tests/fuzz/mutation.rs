//! Edits of texts and bytes, drawn by chance.

use rand::RngExt;
use rand::seq::IndexedRandom;

/// Texts that are at the bounds of something, or look like what they are not.
const PIECES: &[&str] = &[
    "",
    " ",
    "  ",
    "\t",
    "\r",
    "\r\n",
    "\n",
    "\0",
    ",",
    ",,",
    ":",
    "=",
    "@",
    "..",
    "-",
    "+",
    ".",
    "\"",
    "'",
    "0",
    "00",
    "1",
    "-1",
    "+1",
    "2",
    "9",
    "10",
    "11",
    "255",
    "256",
    "-255",
    "-256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "0.5",
    "-0",
    "0x10",
    "nan",
    "inf",
    "٣",
    "¹",
    "é",
    "\u{feff}",
    "\u{202e}",
    "\u{2028}",
    "\u{85}",
    "\u{1b}[31m",
    "😀",
    "e\u{301}",
    "ccw",
    "cw",
    "pass",
    "8ccw",
    "0cw",
    "19cw",
    "2x8x8",
    "2x5x4",
    "2x10x9",
    "startpos",
    "fen",
    "moves",
    "go",
    "infinite",
    "depth",
    "nodes",
    "movetime",
    "p1time",
    "isready",
    "query",
    "position",
    "stop",
    "quit",
    "variant",
    "agent",
    "ab:depth=1",
    "mcts:sims=1",
    "net=",
    "hash=0",
    "label@",
    "search",
    "random",
    "forced",
    "no-moves",
    "repetition",
    "endless",
    "none",
    "F32",
    "shape",
    "data_offsets",
    "__metadata__",
];

/// Edits in one to four places.
pub(crate) fn mutate(bytes: &mut Vec<u8>, rng: &mut impl rand::Rng) {
    for _ in 0..rng.random_range(1..=4) {
        edit(bytes, rng);
    }
}

/// A range of the bytes, mostly a short one.
fn range(bytes: &[u8], rng: &mut impl rand::Rng) -> std::ops::Range<usize> {
    let start = rng.random_range(0..=bytes.len());
    let most = if rng.random_ratio(1, 8) { bytes.len() } else { 8 };
    let length = rng.random_range(0..=most.min(bytes.len() - start));
    start..start + length
}

fn edit(bytes: &mut Vec<u8>, rng: &mut impl rand::Rng) {
    let place = range(bytes, rng);
    match rng.random_range(0..10) {
        0 => {
            if let Some(byte) = bytes.get_mut(place.start) {
                *byte ^= 1 << rng.random_range(0..8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(place.start) {
                *byte = rng.random();
            }
        }
        2 => drop(bytes.drain(place)),
        3 => bytes.truncate(place.start),
        4 => {
            let copy = bytes[place].to_vec();
            let to = rng.random_range(0..=bytes.len());
            drop(bytes.splice(to..to, copy));
        }
        5 => {
            let copy = bytes[place.clone()].repeat(rng.random_range(1..=40));
            drop(bytes.splice(place, copy));
        }
        6 => {
            let noise: Vec<u8> = (0..rng.random_range(1..=6)).map(|_| rng.random()).collect();
            drop(bytes.splice(place, noise));
        }
        7 => {
            // A number, where there is one behind.
            let is_digit = |&at: &usize| bytes[at].is_ascii_digit();
            let Some(start) = (place.start..bytes.len()).find(is_digit) else { return };
            let end = (start..bytes.len()).find(|at| !is_digit(at)).unwrap_or(bytes.len());
            drop(bytes.splice(start..end, piece(rng).bytes()));
        }
        8 => drop(bytes.splice(place.start..place.start, piece(rng).bytes())),
        _ => drop(bytes.splice(place, piece(rng).bytes())),
    }
}

fn piece(rng: &mut impl rand::Rng) -> &'static str {
    PIECES.choose(rng).expect("there are some")
}
