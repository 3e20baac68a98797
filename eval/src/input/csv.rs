//! Tables of games.

use std::collections::HashMap;
use std::io::BufRead;

use ::csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use giuthi_engine::notation::excerpt;

use super::{Reason, names, outcome};
use crate::results::Results;

/// Which columns hold what, from 0.
struct Columns {
    players: [usize; 2],
    result: usize,
    round: Option<usize>,
}

impl Columns {
    /// By a header; or three columns without one, if their first row holds a result.
    fn new(first: &StringRecord) -> Result<Columns, String> {
        let found = |name: &str| -> Result<Option<usize>, String> {
            let mut places = first.iter().enumerate().filter(|(_, column)| *column == name).map(|(i, _)| i);
            match (places.next(), places.next()) {
                (place, None) => Ok(place),
                _ => Err(format!("the header has the column {name} twice: once is possible")),
            }
        };
        match (found("player0")?, found("player1")?, found("result")?) {
            (Some(player0), Some(player1), Some(result)) => {
                Ok(Columns { players: [player0, player1], result, round: found("round")? })
            }
            _ if first.len() == 3 && outcome(&first[2]).is_ok() => {
                Ok(Columns { players: [0, 1], result: 2, round: None })
            }
            _ => Err(format!(
                "`{}` is no header of games: the columns player0, player1 and result are needed, round is possible",
                excerpt(&first.iter().collect::<Vec<_>>().join(","))
            )),
        }
    }
}

/// Adds the games of a table, before which so many lines were passed over.
pub(super) fn read(source: impl BufRead, before: u64, results: &mut Results) -> Result<(), Reason> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(false).trim(Trim::All).from_reader(source);
    let mut record = StringRecord::new();
    let mut columns: Option<Columns> = None;
    let mut rounds: HashMap<String, usize> = HashMap::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(refused(error, before)),
        }
        let line = before + record.position().map_or(0, ::csv::Position::line);
        let columns = match &columns {
            Some(columns) => columns,
            None => {
                let found = Columns::new(&record).map_err(|what| Reason::text(line, None, what))?;
                let header = &record[found.result] == "result";
                let found = columns.insert(found);
                if header {
                    continue;
                }
                found
            }
        };
        let at = |column: usize, name: &str| format!("column {} ({name})", column + 1);
        let players = columns.players.map(|column| &record[column]);
        let players = names(players).map_err(|what| {
            // The column that is empty, or else the second, which repeats the first.
            let seat = usize::from(!players[0].is_empty());
            Reason::text(line, at(columns.players[seat], ["player0", "player1"][seat]), what)
        })?;
        let outcome = outcome(&record[columns.result])
            .map_err(|what| Reason::text(line, at(columns.result, "result"), what))?;
        let Some(outcome) = outcome else {
            results.unfinished += 1;
            continue;
        };
        let round = match columns.round.map(|column| &record[column]) {
            None | Some("") => None,
            Some(round) => Some(match rounds.get(round) {
                Some(&number) => number,
                None => *rounds.entry(round.to_owned()).or_insert(results.add_round(round.parse().ok())),
            }),
        };
        results.add(players, outcome, round);
    }
}

/// What the CSV itself has wrong.
fn refused(error: ::csv::Error, before: u64) -> Reason {
    let line = before + error.position().map_or(0, ::csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(error) => Reason::Io(error),
        ErrorKind::UnequalLengths { expected_len, len, .. } => Reason::text(
            line,
            None,
            format!("{len} columns: {expected_len} are needed, as in the first line"),
        ),
        ErrorKind::Utf8 { err, .. } => {
            Reason::text(line, format!("column {}", err.field() + 1), "not UTF-8: UTF-8 is needed")
        }
        kind => Reason::text(line, None, format!("{kind:?}")),
    }
}
