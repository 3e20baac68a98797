//! One row of the dataset: its columns and their schema version, used by the writer and every reader alike.

mod scan;
pub mod spell;

use csv::StringRecord;
use thiserror::Error;

use crate::game::{Ending, Game};
use crate::position::{Position, Setup, SetupError};
use crate::rules::{Move, Player};

/// Version of the columns and their meaning. It rises when a column or a rule changes what a row means.
pub const SCHEMA: u32 = 1;

/// Why a move was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The agent chose it.
    Search,
    /// It was drawn at random: opening or exploration.
    Random,
    /// A pass: nothing else was legal.
    Forced,
}

impl Source {
    /// Every source, in the order of its declaration.
    pub const ALL: [Source; 3] = [Source::Search, Source::Random, Source::Forced];

    /// The source's name in the column `source`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Random => "random",
            Source::Forced => "forced",
        }
    }
}

/// One ply of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The game's number in the whole dataset, from 0.
    pub game: u64,
    /// The ply's number in the game, from 0.
    pub ply: u32,
    /// The position before the move; its player to move is the column `player`.
    pub position: Position,
    /// The move played.
    pub mv: Move,
    /// Why it was played.
    pub source: Source,
    /// The search's expected result for the player to move, −1 … 1; `None` when there was no search.
    pub value: Option<f32>,
    /// 1, 0, −1: the game's result for the player to move.
    pub result: i8,
    /// Final score (pile plus own row, however the game ended) of the player to move minus the opponent's.
    pub margin: i16,
    /// How the game ended.
    pub ending: Ending,
}

/// What the player knew of a ply when it was played: everything of a [`Sample`] that the game's moves do not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Note {
    /// Why the move was played.
    pub source: Source,
    /// The search's expected result for the player to move, −1 … 1; `None` when there was no search.
    pub value: Option<f32>,
}

/// The rows of a finished game, labelled from its end; `notes` has one entry a ply. `None` while it is being played.
#[must_use]
pub fn label(number: u64, game: &Game, notes: &[Note]) -> Option<Vec<Sample>> {
    let (ending, outcome) = (game.ending()?, game.outcome()?);
    assert_eq!(notes.len(), game.plies().len(), "one note a ply");
    let score = game.position().score().map(|points| points as i16);
    let rows = game.plies().iter().zip(notes).zip(0..);
    Some(
        rows.map(|((ply, note), number_in_game)| {
            let player = ply.before.to_move();
            Sample {
                game: number,
                ply: number_in_game,
                position: ply.before,
                mv: ply.mv,
                source: note.source,
                value: note.value,
                // The label is of the player who moves *here*; after an extra move that is the same player again.
                result: outcome.result_for(player),
                margin: score[player.index()] - score[player.opponent().index()],
                ending,
            }
        })
        .collect(),
    )
}

/// The columns of a dataset of boards with rows of `width` pits, in order.
#[must_use]
pub fn columns(width: usize) -> Vec<String> {
    let before = ["game", "ply", "player"].map(String::from);
    let pits = (0..2 * width).map(|pit| format!("p{pit}"));
    let after = ["pile0", "pile1", "move", "source", "value", "result", "margin", "end"].map(String::from);
    before.into_iter().chain(pits).chain(after).collect()
}

/// The width of the boards of a dataset, told by its header; `None` where the header is not that of a dataset.
#[must_use]
pub fn width_of(header: &StringRecord) -> Option<usize> {
    (crate::rules::MIN_WIDTH..=crate::rules::MAX_WIDTH)
        .find(|&width| header.iter().eq(columns(width).iter().map(String::as_str)))
}

/// Why a record is not a row of the dataset.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SampleError {
    /// The line is not UTF-8.
    #[error("not text in UTF-8")]
    NotText,
    /// Too few or too many fields.
    #[error("{found} fields, not {wanted}")]
    Fields {
        /// Fields of the record.
        found: usize,
        /// Fields of the header.
        wanted: usize,
    },
    /// A field holds something that its column does not allow.
    #[error("column `{column}`: `{text}` is not {wanted}")]
    Field {
        /// The column's name.
        column: String,
        /// What the record holds there.
        text: String,
        /// What the column holds.
        wanted: &'static str,
    },
    /// The numbers are not a position.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The move cannot be played in the position.
    #[error("column `move`: {0}")]
    Move(#[from] crate::position::IllegalMove),
}

impl Sample {
    /// Appends the row's fields to `record`, in the order of [`columns`].
    pub fn write(&self, record: &mut StringRecord) {
        use std::fmt::Write as _;
        let mut text = String::with_capacity(16);
        let mut field = |value: &dyn std::fmt::Display| {
            text.clear();
            write!(text, "{value}").expect("writing to a string does not fail");
            record.push_field(&text);
        };
        field(&self.game);
        field(&self.ply);
        field(&self.position.to_move());
        for seeds in self.position.board().pits() {
            field(seeds);
        }
        for seeds in self.position.piles() {
            field(&seeds);
        }
        field(&self.mv);
        field(&self.source.name());
        match self.value {
            // Four decimals: finer than any search's truth. Rounded first, so that a tiny negative is not "-0.0000".
            Some(value) => field(&format_args!("{:.4}", (value * 1e4).round() / 1e4 + 0.0)),
            None => field(&""),
        }
        field(&self.result);
        field(&self.margin);
        field(&self.ending.name());
    }

    /// Reads a row of boards with rows of `width` pits, and checks it: every field, the position's bounds, that
    /// the move is legal, and that the labels agree with each other and with the seeds there are.
    pub fn read(record: &StringRecord, width: usize) -> Result<Sample, SampleError> {
        let names = || columns(width);
        let wanted = 2 * width + 11;
        if record.len() != wanted {
            return Err(SampleError::Fields { found: record.len(), wanted });
        }
        let fault = |at: usize, wanted: &'static str| SampleError::Field {
            column: names()[at].clone(),
            text: crate::notation::excerpt(&record[at]),
            wanted,
        };
        // A number has one spelling: no plus, no zeros in front, no minus before 0.
        fn parse<T: std::str::FromStr>(text: &str) -> Option<T> {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let plain = match digits.as_bytes() {
                [b'0'] => digits.len() == text.len(),
                [first, ..] => (b'1'..=b'9').contains(first),
                [] => false,
            };
            text.parse().ok().filter(|_| plain)
        }
        // A value likewise: a whole number, and behind a point as many decimals as another program cares to write.
        fn decimal(text: &str) -> Option<f32> {
            let size = text.strip_prefix('-').unwrap_or(text);
            let (whole, decimals) = size.split_once('.').unwrap_or((size, "0"));
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let plain = digits(whole) && digits(decimals) && (whole == "0" || !whole.starts_with('0'));
            let value: f32 = text.parse().ok().filter(|_| plain)?;
            (value != 0.0 || size.len() == text.len()).then_some(value)
        }
        let seeds = |at: usize| parse::<u32>(&record[at]).ok_or_else(|| fault(at, "a number of seeds"));
        let row = |range: std::ops::Range<usize>| range.map(seeds).collect::<Result<Vec<u32>, _>>();
        let (first_pit, first_pile) = (3, 3 + 2 * width);
        let [at_move, at_source, at_value, at_result, at_margin, at_end] =
            [2, 3, 4, 5, 6, 7].map(|offset| first_pile + offset);
        let setup = Setup {
            north: row(first_pit..first_pit + width)?,
            south: row(first_pit + width..first_pile)?,
            piles: [seeds(first_pile)?, seeds(first_pile + 1)?],
            to_move: match &record[2] {
                "0" => 0,
                "1" => 1,
                _ => return Err(fault(2, "0 or 1")),
            },
        };
        let position = Position::try_from(&setup)?;
        let mv: Move = record[at_move].parse().map_err(|_| fault(at_move, "a move"))?;
        position.check(mv)?;
        let source = Source::ALL
            .into_iter()
            .find(|source| source.name() == &record[at_source])
            .ok_or_else(|| fault(at_source, "`search`, `random` or `forced`"))?;
        if (source == Source::Forced) != (mv == Move::Pass) {
            return Err(fault(at_source, "the source of this move: passes, and only they, are `forced`"));
        }
        let value = match &record[at_value] {
            "" => None,
            text => Some(
                decimal(text)
                    .filter(|value| (-1.0..=1.0).contains(value))
                    .ok_or_else(|| fault(at_value, "empty or a number from -1 to 1"))?,
            ),
        };
        let sample = Sample {
            game: parse(&record[0]).ok_or_else(|| fault(0, "a game's number"))?,
            ply: parse(&record[1]).ok_or_else(|| fault(1, "a ply's number"))?,
            position,
            mv,
            source,
            value,
            result: parse(&record[at_result])
                .filter(|result| (-1..=1).contains(result))
                .ok_or_else(|| fault(at_result, "1, 0 or -1"))?,
            margin: parse(&record[at_margin])
                .filter(|margin: &i16| margin.unsigned_abs() <= 255)
                .ok_or_else(|| fault(at_margin, "a number from -255 to 255"))?,
            ending: Ending::ALL
                .into_iter()
                .find(|ending| ending.name() == &record[at_end])
                .ok_or_else(|| fault(at_end, "`no-moves`, `repetition` or `endless`"))?,
        };
        // The two scores add up to all the seeds, so their difference is even or odd as those are.
        let (seeds, margin) = (position.score().iter().sum::<u32>(), u32::from(sample.margin.unsigned_abs()));
        if margin > seeds || (seeds - margin) % 2 != 0 {
            return Err(fault(
                at_margin,
                "a difference of scores with so many seeds on the board and in the piles",
            ));
        }
        let result = if sample.ending == Ending::NoMoves { sample.margin.signum() } else { 0 };
        if i16::from(sample.result) != result {
            return Err(fault(at_result, "what `margin` and `end` say of the game"));
        }
        Ok(sample)
    }

    /// The player to move.
    #[must_use]
    pub const fn player(&self) -> Player {
        self.position.to_move()
    }
}
