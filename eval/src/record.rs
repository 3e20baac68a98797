//! Rows of `games.csv`: written, and read back with everything they say checked.

use std::sync::LazyLock;
use std::time::Duration;

use csv::StringRecord;
use giuthi_engine::notation::excerpt;
use giuthi_engine::rules::MAX_PITS;
use giuthi_engine::sample::spell::number;
use giuthi_engine::ugi::session::FaultKind;
use giuthi_engine::{Direction, Game, Move, Outcome, Player, Variant};

use crate::play::{Course, FORFEIT, Played};
use crate::schedule::Schedule;

/// The columns of `games.csv`, in order.
pub const COLUMNS: [&str; 12] = [
    "game", "round", "player0", "player1", "opening", "moves", "result", "end", "plies", "ms0", "ms1",
    "fault",
];

/// Pairs of games as lines of the file.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The lines of all of them.
    pub(crate) text: Vec<u8>,
    /// The number of each pair, and where its lines end.
    pub(crate) ends: Vec<(u64, usize)>,
}

/// What rows are written and checked by.
#[derive(Clone, Debug)]
pub struct Rows {
    variant: Variant,
    names: Vec<String>,
    /// The names as fields of a CSV, in quotes where they need them.
    fields: Vec<Vec<u8>>,
    pairings: Vec<[usize; 2]>,
}

impl Rows {
    /// Rows of a tournament of these agents.
    #[must_use]
    pub fn new(variant: Variant, names: Vec<String>, pairings: Vec<[usize; 2]>) -> Rows {
        let field = |name: &String| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record([name]).expect("a vector takes any bytes");
            let mut field = writer.into_inner().expect("a vector takes any bytes");
            field.pop();
            field
        };
        let fields = names.iter().map(field).collect();
        Rows { variant, names, fields, pairings }
    }

    /// The header's line.
    #[must_use]
    pub fn header() -> String {
        COLUMNS.join(",") + "\n"
    }

    /// The lines of pairs of games.
    #[must_use]
    pub fn pairs(&self, pairs: &[[Played; 2]]) -> Lines {
        let mut lines =
            Lines { text: Vec::with_capacity(1024 * pairs.len()), ends: Vec::with_capacity(pairs.len()) };
        for pair in pairs {
            for game in pair {
                self.write(&mut lines.text, game);
            }
            lines.ends.push((pair[0].game / 2, lines.text.len()));
        }
        lines
    }

    fn write(&self, text: &mut Vec<u8>, played: &Played) {
        let course = &played.course;
        for count in [played.game, played.round] {
            number(text, count);
            text.push(b',');
        }
        for agent in played.players {
            text.extend_from_slice(&self.fields[agent]);
            text.push(b',');
        }
        moves(text, &course.moves[..course.opening]);
        text.push(b',');
        moves(text, &course.moves);
        for word in [result(course.outcome), course.end_name()] {
            text.push(b',');
            text.extend_from_slice(word.as_bytes());
        }
        text.push(b',');
        number(text, course.moves.len() as u64);
        for time in course.time {
            text.push(b',');
            milliseconds(text, time);
        }
        text.push(b',');
        text.extend_from_slice(course.fault.map_or("", FaultKind::name).as_bytes());
        text.push(b'\n');
    }

    /// Reads a game back. Its moves are played again, so that nothing is believed that they do not bear out; and the
    /// schedule, if it is given, says which opening it has to have.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self, record: &StringRecord, schedule: Option<&Schedule>) -> Result<Played, String> {
        let field = |column: &str| {
            let at = COLUMNS.iter().position(|name| *name == column).expect("one of the columns");
            record.get(at).ok_or_else(|| format!("no column `{column}`"))
        };
        let number = |column: &str| -> Result<u64, String> {
            let text = field(column)?;
            text.parse().map_err(|_| format!("{column}: `{}` is no whole number", excerpt(text)))
        };
        if record.len() != COLUMNS.len() {
            return Err(format!("{} columns instead of {}", record.len(), COLUMNS.len()));
        }
        let (game, round) = (number("game")?, number("round")?);
        let pairings = self.pairings.len() as u64;
        let [a, b] = self.pairings[(game / 2 % pairings) as usize];
        let players = if game.is_multiple_of(2) { [a, b] } else { [b, a] };
        let said = [field("player0")?, field("player1")?];
        if round != game / 2 / pairings || players.map(|agent| self.names[agent].as_str()) != said {
            return Err(format!(
                "game {game} is one of round {} between `{}` and `{}` in this tournament",
                game / 2 / pairings,
                self.names[players[0]],
                self.names[players[1]]
            ));
        }
        let read = |column: &str| -> Result<Vec<Move>, String> {
            let words = field(column)?.split_ascii_whitespace();
            words.map(|word| word.parse().map_err(|error| format!("{column}: {error}"))).collect()
        };
        let (opening, moves) = (read("opening")?, read("moves")?);
        if !moves.starts_with(&opening) {
            return Err("the moves do not begin with the opening".to_owned());
        }
        if schedule.is_some_and(|schedule| round >= schedule.rounds() || schedule.opening(round) != opening) {
            return Err(format!("the opening is not that of round {round} in this tournament"));
        }
        let (mut course, to_move) = self.replayed(opening.len(), moves)?;
        let (end, fault) = (field("end")?, field("fault")?);
        let outcome = outcome(field("result")?);
        if end == FORFEIT && course.ending.is_none() {
            let kind = FaultKind::ALL.into_iter().find(|kind| kind.name() == fault);
            let kind = kind.ok_or_else(|| format!("fault: `{}` is none", excerpt(fault)))?;
            let Some(Outcome::Win(winner)) = outcome else {
                return Err("a game lost by a fault has no winner".to_owned());
            };
            (course.fault, course.outcome) = (Some(kind), Outcome::Win(winner));
            // Whoever failed was asked.
            if to_move == winner.opponent() {
                course.asked[to_move.index()] += 1;
            }
        } else if course.ending.is_none()
            || course.end_name() != end
            || outcome != Some(course.outcome)
            || !fault.is_empty()
        {
            return Err("the moves do not come to what the row says of the end".to_owned());
        }
        if number("plies")? != course.moves.len() as u64 {
            return Err("the number of plies is not that of the moves".to_owned());
        }
        for (seat, column) in ["ms0", "ms1"].into_iter().enumerate() {
            let text = field(column)?;
            let ms = text.parse().ok().filter(|ms: &f64| (0.0..1e12).contains(ms));
            let ms = ms.ok_or_else(|| format!("{column}: `{}` is no time", excerpt(text)))?;
            course.time[seat] = Duration::from_micros((1000.0 * ms).round() as u64);
        }
        Ok(Played { game, round, players, course })
    }

    /// The course of moves, and who is to move after them.
    fn replayed(&self, opening: usize, moves: Vec<Move>) -> Result<(Course, Player), String> {
        let mut game = Game::new(self.variant);
        game.play_all(&moves).map_err(|(number, error)| format!("move {number}: {error}"))?;
        let mut asked = [0; 2];
        for ply in &game.plies()[opening..] {
            asked[ply.before.to_move().index()] += u32::from(ply.mv != Move::Pass);
        }
        let outcome = game.outcome().unwrap_or(Outcome::Draw);
        let time = [Duration::ZERO; 2];
        let course = Course { opening, moves, outcome, ending: game.ending(), fault: None, asked, time };
        Ok((course, game.position().to_move()))
    }
}

/// A move as it is written, a space behind it; and how many bytes that is.
type Spelt = ([u8; 8], usize);

/// All moves as they are written, by [`index`].
static MOVES: LazyLock<Vec<Spelt>> = LazyLock::new(|| {
    let sown = (0..MAX_PITS).flat_map(|pit| Direction::BOTH.map(|direction| Move::sow(pit, direction)));
    let spelt = |mv: Move| {
        let (text, mut spelt) = (format!("{mv} "), [0; 8]);
        spelt[..text.len()].copy_from_slice(text.as_bytes());
        (spelt, text.len())
    };
    sown.chain([Move::Pass]).map(spelt).collect()
});

fn index(mv: Move) -> usize {
    match mv {
        Move::Sow { pit, direction } => 2 * usize::from(pit) + usize::from(direction == Direction::Cw),
        Move::Pass => 2 * MAX_PITS,
    }
}

/// Moves with spaces between, as they format themselves. `write!` of each took a fifth of a random game.
fn moves(text: &mut Vec<u8>, moves: &[Move]) {
    let spelt = &**MOVES;
    let mut at = text.len();
    text.resize(at + 8 * moves.len(), 0);
    for &mv in moves {
        let (word, length) = &spelt[index(mv)];
        // Whole words, so that nothing is copied byte by byte: what is too much is written over by the next one.
        text[at..at + 8].copy_from_slice(word);
        at += length;
    }
    text.truncate(at - usize::from(!moves.is_empty()));
}

const fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Player::South) => "1-0",
        Outcome::Win(Player::North) => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

fn outcome(text: &str) -> Option<Outcome> {
    let all = [Outcome::Win(Player::South), Outcome::Win(Player::North), Outcome::Draw];
    all.into_iter().find(|&outcome| result(outcome) == text)
}

/// In milliseconds to three decimals, without zeros at the end but for one after the point: as a number formats itself.
fn milliseconds(text: &mut Vec<u8>, time: Duration) {
    let micros = ((time.as_nanos() + 500) / 1000) as u64;
    number(text, micros / 1000);
    let [a, b, c] = [100, 10, 1].map(|unit| b'0' + (micros / unit % 10) as u8);
    let decimals = [b'.', a, b, c];
    let kept = if c > b'0' {
        4
    } else if b > b'0' {
        3
    } else {
        2
    };
    text.extend_from_slice(&decimals[..kept]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As numbers and moves format themselves.
    #[test]
    fn times_and_moves_are_spelt_as_they_format_themselves() {
        for micros in (0..3000).chain([12_340, 999_999, 1_000_000, 123_456_789, 86_400_000_000_000]) {
            let mut text = Vec::new();
            milliseconds(&mut text, Duration::from_micros(micros));
            let number = micros as f64 / 1e3;
            assert_eq!(String::from_utf8(text).unwrap(), format!("{number:?}"));
        }
        let mut text = Vec::new();
        milliseconds(&mut text, Duration::from_nanos(1_499_500));
        assert_eq!(text, b"1.5", "to the nearest");
        let all: Vec<Move> = (0..MAX_PITS)
            .flat_map(|pit| Direction::BOTH.map(|direction| Move::sow(pit, direction)))
            .chain([Move::Pass])
            .collect();
        for some in [&all[..], &all[..1], &all[40..], &[]] {
            let mut text = b"before,".to_vec();
            moves(&mut text, some);
            let words: Vec<String> = some.iter().map(Move::to_string).collect();
            assert_eq!(String::from_utf8(text).unwrap(), format!("before,{}", words.join(" ")));
        }
    }
}
