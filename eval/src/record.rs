//! Rows of `games.csv`: written, and read back with everything they say checked.

use std::io::Write;
use std::time::Duration;

use csv::StringRecord;
use giuthi_engine::notation::excerpt;
use giuthi_engine::ugi::session::FaultKind;
use giuthi_engine::{Direction, Game, Move, Outcome, Player, Variant};

use crate::play::{Course, FORFEIT, Played};
use crate::schedule::Schedule;

/// The columns of `games.csv`, in order.
pub const COLUMNS: [&str; 12] = [
    "game", "round", "player0", "player1", "opening", "moves", "result", "end", "plies", "ms0", "ms1",
    "fault",
];

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

    /// The lines of a pair of games.
    #[must_use]
    pub fn pair(&self, pair: &[Played; 2]) -> Vec<u8> {
        let mut text = Vec::with_capacity(1024);
        for game in pair {
            self.write(&mut text, game);
        }
        text
    }

    fn write(&self, text: &mut Vec<u8>, played: &Played) {
        const VECTOR: &str = "a vector takes any bytes";
        let course = &played.course;
        write!(text, "{},{},", played.game, played.round).expect(VECTOR);
        for agent in played.players {
            text.extend_from_slice(&self.fields[agent]);
            text.push(b',');
        }
        moves(text, &course.moves[..course.opening]);
        text.push(b',');
        moves(text, &course.moves);
        let [ms0, ms1] = course.time.map(milliseconds);
        let fault = course.fault.map_or("", FaultKind::name);
        let (result, end) = (result(course.outcome), course.end_name());
        writeln!(text, ",{result},{end},{},{ms0:?},{ms1:?},{fault}", course.moves.len()).expect(VECTOR);
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

/// Moves with spaces between, as they format themselves. `write!` of each took a fifth of a random game.
fn moves(text: &mut Vec<u8>, moves: &[Move]) {
    for (number, mv) in moves.iter().enumerate() {
        if number > 0 {
            text.push(b' ');
        }
        match *mv {
            Move::Pass => text.extend_from_slice(b"pass"),
            Move::Sow { pit, direction } => {
                if pit >= 10 {
                    text.push(b'0' + pit / 10);
                }
                text.push(b'0' + pit % 10);
                text.extend_from_slice(match direction {
                    Direction::Ccw => b"ccw".as_slice(),
                    Direction::Cw => b"cw",
                });
            }
        }
    }
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

/// To three decimals.
fn milliseconds(time: Duration) -> f64 {
    (1e6 * time.as_secs_f64()).round() / 1e3
}
