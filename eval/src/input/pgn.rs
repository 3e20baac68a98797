//! Games in the Portable Game Notation, of which only the tags count.

use std::io::BufRead;

use giuthi_engine::notation::excerpt;

use super::{Reason, names, outcome};
use crate::results::Results;

/// The tags that count.
const TAGS: [&str; 3] = ["White", "Black", "Result"];

/// The tags of the game that is being read, each with its line.
#[derive(Default)]
struct Tags {
    /// The first line of the game.
    begun: Option<u64>,
    found: [Option<(u64, String)>; 3],
}

/// Adds the games, before which so many lines were passed over.
pub(super) fn read(mut source: impl BufRead, before: u64, results: &mut Results) -> Result<(), Reason> {
    let mut number = before;
    let mut bytes = Vec::new();
    let mut tags = Tags::default();
    // Whether the moves of the game have begun, and whether a comment is open in them.
    let (mut moves, mut comment) = (false, false);
    loop {
        bytes.clear();
        if source.read_until(b'\n', &mut bytes)? == 0 {
            return tags.finish(results);
        }
        number += 1;
        let line = std::str::from_utf8(&bytes)
            .map_err(|_| Reason::text(number, None, "not UTF-8: UTF-8 is needed"))?
            .trim();
        if line.is_empty() || (!comment && line.starts_with('%')) {
            continue;
        }
        if comment || !line.starts_with('[') {
            moves = true;
            comment = open_after(line, comment);
            continue;
        }
        let (name, value) = tag(line).ok_or_else(|| {
            let what = format!("`{}` is no tag: [Name \"value\"] is possible", excerpt(line));
            Reason::text(number, None, what)
        })?;
        let place = TAGS.iter().position(|tag| *tag == name);
        // Games without moves follow one another by tags alone.
        if moves || place.is_some_and(|place| tags.found[place].is_some()) {
            tags.finish(results)?;
            tags = Tags::default();
            moves = false;
        }
        tags.begun.get_or_insert(number);
        if let Some(place) = place {
            tags.found[place] = Some((number, value));
        }
    }
}

impl Tags {
    /// The game is over: what it came to.
    fn finish(&self, results: &mut Results) -> Result<(), Reason> {
        let Some(begun) = self.begun else { return Ok(()) };
        let [white, black, result] = [0, 1, 2].map(|place| {
            self.found[place].as_ref().ok_or_else(|| {
                let what = format!(
                    "the game that begins here has no {} tag: {} are needed",
                    TAGS[place],
                    TAGS.join(", ")
                );
                Reason::text(begun, None, what)
            })
        });
        let (white, black, (line, result)) = (white?, black?, result?);
        let outcome = outcome(result).map_err(|what| Reason::text(*line, "tag Result".to_owned(), what))?;
        let players = names([&white.1, &black.1]).map_err(|what| {
            let (at, tag) = if white.1.is_empty() { (white.0, TAGS[0]) } else { (black.0, TAGS[1]) };
            Reason::text(at, format!("tag {tag}"), what)
        })?;
        match outcome {
            Some(outcome) => results.add(players, outcome, None),
            None => results.unfinished += 1,
        }
        Ok(())
    }
}

/// Name and value of a tag.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, rest) = inside.split_once(char::is_whitespace)?;
    let quoted = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => value.push(characters.next()?),
            '"' => return None,
            c => value.push(c),
        }
    }
    Some((name, value.trim().to_owned()))
}

/// Whether a comment in braces is open after a line of moves. Behind a semicolon the line is a comment too.
fn open_after(line: &str, mut open: bool) -> bool {
    for c in line.chars() {
        match c {
            '{' => open = true,
            '}' => open = false,
            ';' if !open => break,
            _ => {}
        }
    }
    open
}
