//! The tournament of a folder, opened to be looked at: finished, still being played, or one shard of it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use giuthi_engine::{Shard, Variant};
use thiserror::Error;

use crate::about::About;
use crate::journal::{GAMES, OutputError, PARTIAL, SETTINGS, Scan, read_json, whole_lines};
use crate::play::Played;
use crate::record::{COLUMNS, Rows};
use crate::settings::MAX_GAMES;
use crate::sprt::FILE as SPRT;

/// Why a folder's tournament cannot be looked at.
#[derive(Debug, Error)]
pub enum ReadError {
    /// No tournament.
    #[error("{}: there is no tournament here ({SETTINGS} is missing); name the folder of one", .0.display())]
    NoTournament(PathBuf),
    /// A tournament without games.
    #[error("{}: there are no games here: neither {GAMES} nor {PARTIAL}", .0.display())]
    NoGames(PathBuf),
    /// A file that is no tournament's.
    #[error("{}: says what no tournament is", .0.display())]
    Foreign(PathBuf),
    /// A game that is not there.
    #[error("{}: there is no game {game} in it{hint}", path.display())]
    NoGame {
        /// The file of games.
        path: PathBuf,
        /// The number asked for.
        game: u64,
        /// What is possible.
        hint: String,
    },
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    Files(#[from] OutputError),
}

/// How much of a tournament is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything.
    Finished,
    /// A part; the rest has not been played yet.
    Unfinished,
    /// What a sequential test has needed so far: it ends when it knows enough.
    Test,
}

/// A folder's tournament.
#[derive(Debug)]
pub struct Recorded {
    /// What was played.
    pub about: About,
    /// The variant.
    pub variant: Variant,
    /// Who meets whom.
    pub pairings: Vec<[usize; 2]>,
    /// Which part of the games is played here.
    pub shard: Shard,
    /// The file of games.
    pub path: PathBuf,
    /// Whether all games of it are there.
    pub state: State,
}

impl Recorded {
    /// Opens the tournament of a folder.
    ///
    /// # Errors
    /// Where there is none.
    pub fn open(folder: &Path) -> Result<Recorded, ReadError> {
        let there = |name: &str| -> Result<Option<PathBuf>, ReadError> {
            let path = folder.join(name);
            let there = path.try_exists().map_err(OutputError::at(&path))?;
            Ok(there.then_some(path))
        };
        let settings = there(SETTINGS)?.ok_or_else(|| ReadError::NoTournament(folder.to_owned()))?;
        let about = read_json(&settings)?;
        let read = about.read().filter(|_| about.games <= MAX_GAMES);
        let (variant, pairings, shard) = read.ok_or(ReadError::Foreign(settings))?;
        let (path, state) = match (there(GAMES)?, there(PARTIAL)?) {
            (Some(path), _) => (path, State::Finished),
            (None, Some(path)) => (path, State::Unfinished),
            (None, None) => return Err(ReadError::NoGames(folder.to_owned())),
        };
        let state = if there(SPRT)?.is_some() { State::Test } else { state };
        Ok(Recorded { about, variant, pairings, shard, path, state })
    }

    /// What its rows are read by.
    #[must_use]
    pub fn rows(&self) -> Rows {
        Rows::new(self.variant, self.about.names(), self.pairings.clone())
    }

    /// Pairs of games of the whole tournament, all shards together.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        u64::from(self.about.games / 2) * self.pairings.len() as u64
    }

    /// Pairs of games that are to be played here.
    #[must_use]
    pub fn pairs_here(&self) -> u64 {
        (0..self.pairs()).filter(|&pair| self.shard.has(pair)).count() as u64
    }

    /// Reads the games, pair by pair, in the order of the file. Every game is played again on the way. Of a file that
    /// is still being written, what is not whole is passed over.
    ///
    /// # Errors
    /// Where the file is damaged, or lacks games that a finished tournament has.
    pub fn read(&self, mut found: impl FnMut(&[Played; 2])) -> Result<(), ReadError> {
        let damaged = |reason: String| OutputError::Damaged { path: self.path.clone(), line: None, reason };
        let file = File::open(&self.path).map_err(OutputError::at(&self.path))?;
        let pairs = self.pairs();
        let mut there = vec![false; pairs as usize];
        let mut stranger = None;
        let rows = self.rows();
        let end = Scan::new(&rows, None).read(&self.path, &file, |pair| {
            let number = pair[0].game / 2;
            if number < pairs && self.shard.has(number) {
                there[number as usize] = true;
                found(&pair);
            } else {
                stranger.get_or_insert(pair[0].game);
            }
        })?;
        if let Some(game) = stranger {
            return Err(damaged(format!("game {game} is none of this tournament's")).into());
        }
        if self.state != State::Finished {
            return Ok(());
        }
        if end != file.metadata().map_err(OutputError::at(&self.path))?.len() {
            return Err(damaged("the last row, or the last pair, is not whole".to_owned()).into());
        }
        match (0..pairs).find(|&pair| self.shard.has(pair) && !there[pair as usize]) {
            Some(pair) => Err(damaged(format!("games {} and {} are missing", 2 * pair, 2 * pair + 1)).into()),
            None => Ok(()),
        }
    }

    /// Looks for the game of a number.
    ///
    /// # Errors
    /// Where it is not there, or its row is damaged; other rows are not looked at.
    pub fn find(&self, game: u64) -> Result<Played, ReadError> {
        let damaged = |line, reason: String| OutputError::Damaged { path: self.path.clone(), line, reason };
        let absent = |hint: String| ReadError::NoGame { path: self.path.clone(), game, hint };
        let games = 2 * self.pairs();
        if game >= games {
            return Err(absent(format!(": this tournament's are 0 to {}", games.saturating_sub(1))));
        }
        if !self.shard.has(game / 2) {
            return Err(absent(format!(": this is shard {}, and another has it", self.shard)));
        }
        let at = OutputError::at(&self.path);
        let mut file = File::open(&self.path).map_err(&at)?;
        // What is half written, in a file that grows, is not there yet.
        let whole = whole_lines(&file).map_err(&at)?;
        file.seek(SeekFrom::Start(0)).map_err(&at)?;
        let text = BufReader::with_capacity(1 << 16, file).take(whole);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let rows = self.rows();
        let number = game.to_string();
        let mut record = csv::StringRecord::new();
        let mut header = true;
        loop {
            let more = reader
                .read_record(&mut record)
                .map_err(|error| damaged(error.position().map(csv::Position::line), error.to_string()))?;
            if !more {
                let hint = if self.state == State::Finished { "" } else { ": it has not been played yet" };
                return Err(absent(hint.to_owned()));
            }
            let line = record.position().map(csv::Position::line);
            if std::mem::take(&mut header) {
                if !record.iter().eq(COLUMNS) {
                    return Err(damaged(line, format!("the columns are not {}", COLUMNS.join(","))).into());
                }
            } else if record.get(0) == Some(&number) {
                return Ok(rows.read(&record, None).map_err(|reason| damaged(line, reason))?);
            }
        }
    }
}
