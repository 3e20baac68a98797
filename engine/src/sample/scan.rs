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
///
/// It branches on nothing that differs from row to row and that nobody can foresee: how long a field is, or its sign.
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
    let before = line.len() - rest.len();
    let mut commas = commas(rest);
    let mut start = 0;
    let mut seeds = 0;
    let mut good = true;
    for place in &mut all[..2 * width + 2] {
        let end = commas.trailing_zeros() as usize;
        commas &= commas.wrapping_sub(1);
        // Three fields stand before, so there are four bytes to take.
        let bytes = line.get(before + end - 4..before + end)?.try_into().expect("four bytes");
        let count = Count::at_end(bytes, end.wrapping_sub(start));
        good &= count.good;
        seeds += count.seeds;
        *place = count.seeds as u8;
        start = end + 1;
    }
    // Where the sum fits a byte, so did every one of them.
    if !good || seeds > MAX_SEEDS {
        return None;
    }
    let rest = rest.get(start..)?;
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
    let (negative, rest) = sign(rest);
    let &[size @ (b'0' | b'1'), b',', ref rest @ ..] = rest else { return None };
    let size = (size - b'0') as i8;
    if negative && size == 0 {
        return None;
    }
    let result = if negative { -size } else { size };
    let (negative, rest) = sign(rest);
    let &[_, second, third, ..] = rest else { return None };
    let length = if second == b',' { 1 } else { 3 - usize::from(third == b',') };
    let end = line.len() - rest.len() + length;
    let count = Count::at_end(line[end - 4..end].try_into().expect("four bytes"), length);
    let (points, rest) = (count.seeds, line[end..].strip_prefix(b",")?);
    // With as many seeds as that a difference of scores is even or odd as they are.
    if !count.good || (negative && points == 0) || points > seeds || (seeds - points) % 2 != 0 {
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

/// The commas among the first 64 bytes, one bit a byte, the first the lowest; a few at the end may be missed. Of games
/// from a start the counts are all there: 18 of two digits need all 180 seeds.
#[inline]
fn commas(bytes: &[u8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut commas = 0;
    for (eight, bytes) in bytes.as_chunks::<8>().0.iter().take(8).enumerate() {
        let other = u64::from_le_bytes(*bytes) ^ u64::from_le_bytes([b','; 8]);
        // The highest bit of each byte that is 0, and no other.
        let found = !(((other & LOW) + LOW) | other | LOW);
        // Gathered into the highest byte.
        commas |= ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * eight);
    }
    commas
}

/// A count of seeds.
struct Count {
    /// 0 … 999.
    seeds: u32,
    /// Whether it is one, of one to three digits.
    good: bool,
}

impl Count {
    /// The count in the last `length` bytes. Without a branch: whether it has one digit or two, nobody can foresee.
    #[inline(always)]
    fn at_end(bytes: [u8; 4], length: usize) -> Count {
        // Of no length that is good does the shift come round.
        let none_before = u32::MAX.wrapping_shl(32u32.wrapping_sub(8u32.wrapping_mul(length as u32)));
        let digits = (u32::from_le_bytes(bytes) ^ u32::from_le_bytes([b'0'; 4])) & none_before;
        let digit = |at: u32| (digits >> (8 * at)) & 0xff;
        // The highest bit of each byte above 9.
        let others = (((digits & 0x7f7f_7f7f) + 0x7676_7676) | digits) & 0x8080_8080;
        let seeds = digit(3) + 10 * digit(2) + 100 * digit(1);
        // One spelling a number: no zeros in front.
        let least = [0, 0, 10, 100][length & 3];
        Count { seeds, good: (others == 0) & (length.wrapping_sub(1) < 3) & (seeds >= least) }
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
            // One spelling a number: none begins with 0 but that itself.
            let plain = at == 1 || bytes[0] != b'0';
            return (byte == b',' && at > 0 && plain).then(|| (number, &bytes[at + 1..]));
        }
    }
    None
}

#[inline]
fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    let negative = bytes.first() == Some(&b'-');
    (negative, &bytes[usize::from(negative)..])
}

#[inline]
fn mv(bytes: &[u8]) -> Option<(Move, &[u8])> {
    let &[first, second, ..] = bytes else { return None };
    let [first, second] = [first, second].map(|byte| byte.wrapping_sub(b'0'));
    if first > 9 {
        return Some((Move::Pass, bytes.strip_prefix(b"pass,")?));
    }
    let two = second <= 9;
    let pit = if two { 10 * first + second } else { first };
    let rest = &bytes[1 + usize::from(two)..];
    let ccw = rest.get(1) == Some(&b'c');
    let direction = if ccw { Direction::Ccw } else { Direction::Cw };
    // One spelling a number, and a `c` before the others.
    if (two && first == 0) || rest.first() != Some(&b'c') {
        return None;
    }
    Some((Move::Sow { pit, direction }, rest[usize::from(ccw)..].strip_prefix(b"cw,")?))
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
    // One spelling a number: no minus before 0.
    if number > 10_000 || (negative && number == 0) {
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
