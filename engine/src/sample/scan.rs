//! Rows read from bytes in a single pass: several times as fast as by way of a record, and not a word different.

use super::{Sample, SampleError, Source};
use crate::game::Ending;
use crate::position::Position;
use crate::rules::{Direction, MAX_PITS, MAX_SEEDS, MAX_WIDTH, MIN_WIDTH, Move, Player};

impl Sample {
    /// Reads a row of boards with rows of `width` pits from a line of a dataset, its end cut off. It comes to what
    /// [`Sample::read`] makes of the line's fields: the same row, or the same error.
    ///
    /// Rows spelt as [`Sample::write`] spells them are read in one pass over their bytes, without allocation. Whatever
    /// that pass does not take, right or wrong, is left to [`Sample::read`]; so it need only be sure of what it takes.
    ///
    /// # Errors
    /// Those of [`Sample::read`], and [`SampleError::NotText`] where the line is not UTF-8.
    #[inline]
    pub fn scan(line: &[u8], width: usize) -> Result<Sample, SampleError> {
        match pass(line, width) {
            Some(sample) => Ok(sample),
            None => read(line, width),
        }
    }
}

#[cold]
#[inline(never)]
fn read(line: &[u8], width: usize) -> Result<Sample, SampleError> {
    let text = str::from_utf8(line).map_err(|_| SampleError::NotText)?;
    Sample::read(&text.split(',').collect::<Vec<_>>().into(), width)
}

/// The single pass; `None` for whatever is not certainly a good row.
#[inline]
fn pass(line: &[u8], width: usize) -> Option<Sample> {
    if !(MIN_WIDTH..=MAX_WIDTH).contains(&width) {
        return None;
    }
    let (game, rest) = number(line)?;
    let (ply, rest) = number(rest)?;
    let ply = u32::try_from(ply).ok()?;
    let (to_move, rest) = match rest {
        [b'0', b',', rest @ ..] => (Player::South, rest),
        [b'1', b',', rest @ ..] => (Player::North, rest),
        _ => return None,
    };

    let mut all = [0; MAX_PITS + 2];
    let mut at = 0;
    let mut seeds = 0;
    let mut good = true;
    for place in &mut all[..2 * width + 2] {
        let count = Count::at(rest.get(at..at + 4)?.try_into().expect("four bytes"));
        good &= count.good;
        at += count.length;
        seeds += count.seeds;
        *place = count.seeds as u8;
    }
    // Where the sum fits a byte, so did every one of them.
    if !good || seeds > MAX_SEEDS {
        return None;
    }
    let rest = &rest[at..];
    let piles = [all[2 * width], all[2 * width + 1]];
    let position = Position::of_pits(width, &all[..2 * width], piles, to_move);

    let (mv, rest) = mv(rest)?;
    if !position.allows(mv) {
        return None;
    }
    let (source, rest) = source(rest)?;
    if (source == Source::Forced) != (mv == Move::Pass) {
        return None;
    }
    let (value, rest) = value(rest)?;
    let (result, rest) = match rest {
        [b'1', b',', rest @ ..] => (1, rest),
        [b'0', b',', rest @ ..] => (0, rest),
        [b'-', b'1', b',', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (negative, rest) = sign(rest);
    let count = Count::at(rest.get(..4)?.try_into().expect("four bytes"));
    let (points, rest) = (count.seeds, &rest[count.length..]);
    // With as many seeds as that a difference of scores is even or odd as they are.
    if !count.good || points > seeds || (seeds - points) % 2 != 0 {
        return None;
    }
    let margin = if negative { -(points as i16) } else { points as i16 };
    let ending = ending(rest)?;
    let wanted = if ending == Ending::NoMoves { margin.signum() } else { 0 };
    (i16::from(result) == wanted).then_some(Sample {
        game,
        ply,
        position,
        mv,
        source,
        value,
        result,
        margin,
        ending,
    })
}

/// A count of seeds and the comma behind it.
struct Count {
    /// 0 … 999.
    seeds: u32,
    /// Bytes, that of the comma included: 2 … 4.
    length: usize,
    /// Whether it is one, of three digits at most.
    good: bool,
}

impl Count {
    /// Without a branch: whether it has one digit or two, nobody can foresee.
    #[inline(always)]
    fn at(bytes: [u8; 4]) -> Count {
        let comma = |at: usize| bytes[at] == b',';
        let digit = |at: usize| u32::from(bytes[at].wrapping_sub(b'0'));
        let is_digit = |at: usize| digit(at) < 10;
        let (one, two) = (comma(1), comma(2));
        let few = if one { digit(0) } else { 10 * digit(0) + digit(1) };
        let many = 100 * digit(0) + 10 * digit(1) + digit(2);
        Count {
            seeds: if one | two { few } else { many },
            length: if one { 2 } else { 4 - usize::from(two) },
            good: is_digit(0) & (one | (is_digit(1) & (two | (is_digit(2) & comma(3))))),
        }
    }
}

/// A number of at most 18 digits, so that it fits, and what is behind its comma.
#[inline]
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().enumerate().take(19) {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            number = 10 * number + u64::from(digit);
        } else {
            return (byte == b',' && at > 0).then(|| (number, &bytes[at + 1..]));
        }
    }
    None
}

#[inline]
fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    }
}

#[inline]
fn mv(bytes: &[u8]) -> Option<(Move, &[u8])> {
    let (pit, rest) = match *bytes {
        [first @ b'1'..=b'9', second @ b'0'..=b'9', ref rest @ ..] => {
            (10 * (first - b'0') + second - b'0', rest)
        }
        [digit @ b'0'..=b'9', ref rest @ ..] => (digit - b'0', rest),
        _ => return Some((Move::Pass, bytes.strip_prefix(b"pass,")?)),
    };
    let (direction, rest) = match rest {
        [b'c', b'c', b'w', b',', rest @ ..] => (Direction::Ccw, rest),
        [b'c', b'w', b',', rest @ ..] => (Direction::Cw, rest),
        _ => return None,
    };
    Some((Move::Sow { pit, direction }, rest))
}

#[inline]
fn source(bytes: &[u8]) -> Option<(Source, &[u8])> {
    Source::ALL.into_iter().find_map(|source| {
        let rest = bytes.strip_prefix(source.name().as_bytes())?;
        Some((source, rest.strip_prefix(b",")?))
    })
}

/// Nothing, or a value of four decimals.
#[inline]
fn value(bytes: &[u8]) -> Option<(Option<f32>, &[u8])> {
    if let [b',', rest @ ..] = bytes {
        return Some((None, rest));
    }
    let (negative, rest) = sign(bytes);
    let &[whole, b'.', a, b, c, d, b',', ref rest @ ..] = rest else { return None };
    let mut number = 0;
    for byte in [whole, a, b, c, d] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = 10 * number + u32::from(digit);
    }
    if number > 10_000 {
        return None;
    }
    // Both numbers are exact, so the quotient is the float nearest to the decimal fraction, as `parse` finds it
    // (Clinger 1990).
    let size = number as f32 / 10_000.0;
    Some((Some(if negative { -size } else { size }), rest))
}

#[inline]
fn ending(bytes: &[u8]) -> Option<Ending> {
    Ending::ALL.into_iter().find(|ending| ending.name().as_bytes() == bytes)
}

#[cfg(test)]
mod tests {
    use csv::StringRecord;

    use super::*;
    use crate::rng::{game_rng, random_move};
    use crate::sample::{Note, label};
    use crate::{Game, Variant};

    /// A row that is left to the slow way is read all the same, so nothing else would notice.
    #[test]
    fn every_row_as_it_is_written_is_read_in_the_single_pass() {
        let mut passes = 0;
        for (number, variant) in (0..).zip(Variant::all()) {
            let mut rng = game_rng(7, number);
            let mut game = Game::new(variant);
            let mut notes = Vec::new();
            while let Some(mv) = random_move(game.position(), &mut rng).filter(|_| game.ending().is_none()) {
                let source = [Source::Search, Source::Random][notes.len() % 2];
                let value = [None, Some(-1.0), Some(-0.00001), Some(0.1234), Some(1.0)][notes.len() % 5];
                let note = match mv {
                    Move::Pass => Note { source: Source::Forced, value: None },
                    Move::Sow { .. } => Note { source, value },
                };
                passes += usize::from(mv == Move::Pass);
                notes.push(note);
                game.play(mv).expect("a listed move is legal");
            }
            for sample in label(number << 40, &game, &notes).expect("the game is over") {
                let mut record = StringRecord::new();
                sample.write(&mut record);
                let line = record.iter().collect::<Vec<_>>().join(",");
                let read = Sample::read(&record, variant.width()).expect("a good row");
                assert_eq!(pass(line.as_bytes(), variant.width()), Some(read), "{line}");
            }
        }
        assert!(passes > 10, "{passes}");
    }
}
