//! The files of a tournament: begun, added to pair by pair, gone on with after a break, finished.
//!
//! `games.csv` grows under the name `games.csv.partial`, a pair of games at a time, in whatever order they are finished:
//! each is in the file before it counts. When all are there they are put into the order of their numbers under their
//! own name, last of all files. `tournament.json` says from the beginning what is played.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use giuthi_engine::files;
use thiserror::Error;

use crate::about::About;
use crate::folder::{Folder, remove};
use crate::output::Standings;
use crate::play::Played;
use crate::record::{COLUMNS, Lines, Rows};
use crate::schedule::Schedule;
use crate::settings::Settings;
use crate::tournament::Tournament;

/// Name of the file of games.
pub const GAMES: &str = "games.csv";
/// Name of the file of games while there are others to come.
pub const PARTIAL: &str = "games.csv.partial";
/// Name of the file of ratings.
pub const RATINGS: &str = "ratings.csv";
/// Name of the page with all that can be told of it.
pub const REPORT: &str = "report.html";
/// Name of the file that says what was played.
pub const SETTINGS: &str = "tournament.json";

/// Why the files of a tournament could not be written, or gone on with.
#[derive(Debug, Error)]
pub enum OutputError {
    /// There is a tournament already, or what is left of one.
    #[error("{0}: there is a tournament already; choose another folder")]
    Exists(PathBuf),
    /// There is one that broke off.
    #[error(
        "{0}: there is an unfinished tournament already; go on with it by --resume, choose another folder or move its files away"
    )]
    Unfinished(PathBuf),
    /// Another run is at it.
    #[error("{0}: another run is at work on this tournament; wait for its end or choose another folder")]
    Busy(PathBuf),
    /// Games without the settings they were played by.
    #[error("{0} is missing: without it nobody knows what the games beside it are")]
    NoSettings(PathBuf),
    /// The tournament that is there is another one.
    #[error("{path}: another tournament, which these settings cannot go on with: {}", differences.join("; "))]
    Different {
        /// The file that says so.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// A file that cannot be understood.
    #[error("{path}{}: {reason}", line.map_or(String::new(), |line| format!(", line {line}")))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<u64>,
        /// What is wrong.
        reason: String,
    },
    /// The file system refused.
    #[error("{path}: {reason}")]
    Io {
        /// What was to be written.
        path: PathBuf,
        /// Why it could not be.
        reason: io::Error,
    },
}

impl OutputError {
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
        |reason| OutputError::Io { path: path.to_owned(), reason }
    }
}

/// Where in a file a pair of games stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// In bytes; 0 for a pair that is not there.
    pub(crate) length: u64,
}

impl Place {
    pub(crate) const NOWHERE: Place = Place { offset: 0, length: 0 };
}

/// The files of a tournament that is being played.
pub struct Files {
    folder: Folder,
    file: File,
    rows: Rows,
    places: Vec<Place>,
    /// Bytes in the file.
    written: u64,
}

/// A folder to go on in.
pub enum Resumed {
    /// There is more to play.
    Unfinished(Box<Files>, Tournament),
    /// Everything has been played.
    Finished(Tournament),
}

impl Files {
    /// Whether a folder is free for another tournament.
    ///
    /// # Errors
    /// Where it has any file of one: nothing is written over.
    pub fn is_free(folder: &Path) -> Result<(), OutputError> {
        for name in [GAMES, RATINGS, SETTINGS, REPORT] {
            let path = folder.join(name);
            // An unfinished one has settings too, and should be called by its name.
            let partial = folder.join(PARTIAL);
            if partial.try_exists().map_err(OutputError::at(&partial))? {
                return Err(OutputError::Unfinished(partial));
            }
            if path.try_exists().map_err(OutputError::at(&path))? {
                return Err(OutputError::Exists(path));
            }
        }
        Ok(())
    }

    /// Starts the files of a tournament in a folder that [is free](Files::is_free).
    ///
    /// # Errors
    /// Where it is not, or the files cannot be written.
    pub fn create(folder: Folder, settings: &Settings) -> Result<Files, OutputError> {
        Files::is_free(folder.path())?;
        Files::begin(folder, settings)
    }

    fn begin(folder: Folder, settings: &Settings) -> Result<Files, OutputError> {
        write_json(&folder.path().join(SETTINGS), &About::new(settings)?)?;
        let partial = folder.path().join(PARTIAL);
        // Never an existing one: where a lock means nothing, another run may have begun in the meantime.
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&partial);
        let mut file = file.map_err(|reason| match reason.kind() {
            ErrorKind::AlreadyExists => OutputError::Unfinished(partial.clone()),
            _ => OutputError::at(&partial)(reason),
        })?;
        let header = Rows::header();
        file.write_all(header.as_bytes()).map_err(OutputError::at(&partial))?;
        let pairs = settings.games_in_all() / 2;
        Ok(Files {
            folder,
            file,
            rows: rows(settings),
            places: vec![Place::NOWHERE; pairs as usize],
            written: header.len() as u64,
        })
    }

    /// Goes on with the tournament of a folder, or begins it where there is none. Of a row that was half written
    /// nothing is kept, nor of a pair that has one game only.
    ///
    /// # Errors
    /// Where the folder's tournament is another one, or damaged.
    pub fn resume(folder: Folder, settings: &Settings, schedule: &Schedule) -> Result<Resumed, OutputError> {
        folder.clean()?;
        let [about, partial, games] = [SETTINGS, PARTIAL, GAMES].map(|name| folder.path().join(name));
        let there = |path: &Path| path.try_exists().map_err(OutputError::at(path));
        let mut tournament = Tournament::new(settings, schedule);
        if !there(&about)? {
            return match there(&partial)? || there(&games)? {
                true => Err(OutputError::NoSettings(about)),
                false => Ok(Resumed::Unfinished(Box::new(Files::begin(folder, settings)?), tournament)),
            };
        }
        let differences = read_json(&about)?.differences(&About::new(settings)?);
        if !differences.is_empty() {
            return Err(OutputError::Different { path: about, differences });
        }
        let rows = rows(settings);
        if there(&games)? {
            let mut scan = Scan::new(&rows, Some(schedule));
            let file = File::open(&games).map_err(OutputError::at(&games))?;
            let end = scan.read(&games, &file, |pair| tournament.add(&pair))?;
            let missing = (0..schedule.pairs())
                .filter(|&pair| settings.shard.has(pair))
                .find(|&pair| !tournament.has(pair));
            if let Some(pair) = missing {
                let reason = format!("games {} and {} are missing", 2 * pair, 2 * pair + 1);
                return Err(OutputError::Damaged { path: games, line: None, reason });
            }
            if end != file.metadata().map_err(OutputError::at(&games))?.len() {
                let reason = "the last row is not whole".to_owned();
                return Err(OutputError::Damaged { path: games, line: None, reason });
            }
            // What is left over if the last run was killed between two steps of its end.
            remove(&partial)?;
            return Ok(Resumed::Finished(tournament));
        }
        if !there(&partial)? {
            return Ok(Resumed::Unfinished(Box::new(Files::begin(folder, settings)?), tournament));
        }
        let at = OutputError::at(&partial);
        let mut file = OpenOptions::new().read(true).write(true).open(&partial).map_err(&at)?;
        let mut scan = Scan::new(&rows, Some(schedule));
        let mut written = scan.read(&partial, &file, |pair| tournament.add(&pair))?;
        file.set_len(written).and_then(|()| file.seek(SeekFrom::End(0))).map_err(&at)?;
        if written == 0 {
            file.write_all(Rows::header().as_bytes()).map_err(&at)?;
            written = Rows::header().len() as u64;
        }
        let places = scan.places;
        let files = Files { folder, file, rows, places, written };
        Ok(Resumed::Unfinished(Box::new(files), tournament))
    }

    /// The folder they are in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What rows are written by.
    #[must_use]
    pub const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Adds pairs of games to `games.csv.partial`.
    pub fn add(&mut self, lines: &Lines) -> Result<(), OutputError> {
        let mut from = 0;
        for &(pair, end) in &lines.ends {
            let place = &mut self.places[pair as usize];
            debug_assert_eq!(*place, Place::NOWHERE, "a pair is added once");
            *place = Place { offset: self.written + from as u64, length: (end - from) as u64 };
            from = end;
        }
        self.written += lines.text.len() as u64;
        self.file.write_all(&lines.text).map_err(OutputError::at(&self.folder.path().join(PARTIAL)))
    }

    /// Has what was added flushed to the disk, so that it outlives the machine too.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.file.sync_data().map_err(OutputError::at(&self.folder.path().join(PARTIAL)))
    }

    /// Writes `ratings.csv` and, from what was added, `games.csv`.
    pub fn finish(self, standings: &Standings) -> Result<(), OutputError> {
        write_ratings(&self.folder.path().join(RATINGS), standings)?;
        self.finish_shard()
    }

    /// Writes `games.csv` alone.
    pub fn finish_shard(mut self) -> Result<(), OutputError> {
        let partial = self.folder.path().join(PARTIAL);
        let there = self.places.iter().filter(|place| **place != Place::NOWHERE);
        let games = self.folder.path().join(GAMES);
        if there.clone().is_sorted_by_key(|place| place.offset) {
            self.file.sync_all().map_err(OutputError::at(&partial))?;
            fs::rename(&partial, &games).map_err(OutputError::at(&games))?;
        } else {
            let places = together(there.copied());
            files::write_whole(&games, |out| -> io::Result<()> {
                out.write_all(Rows::header().as_bytes())?;
                let mut buffer = Vec::new();
                places.iter().try_for_each(|place| copy(&mut self.file, *place, &mut buffer, out))
            })
            .map_err(OutputError::at(&games))?;
            remove(&partial)?;
        }
        Ok(())
    }
}

/// Places that follow one another in the file put together, as far as 1 MiB.
fn together(places: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut longer: Vec<Place> = Vec::new();
    for place in places {
        match longer.last_mut() {
            Some(last) if last.offset + last.length == place.offset && last.length < 1 << 20 => {
                last.length += place.length;
            }
            _ => longer.push(place),
        }
    }
    longer
}

/// Copies a place of one file to another; `buffer` is memory to work in.
pub(crate) fn copy(
    from: &mut File,
    place: Place,
    buffer: &mut Vec<u8>,
    out: &mut impl Write,
) -> io::Result<()> {
    buffer.resize(place.length as usize, 0);
    from.seek(SeekFrom::Start(place.offset))?;
    from.read_exact(buffer)?;
    out.write_all(buffer)
}

/// Reads a file of games, pair by pair.
pub(crate) struct Scan<'a> {
    rows: &'a Rows,
    schedule: Option<&'a Schedule>,
    /// Where the pairs stand, by their numbers.
    pub(crate) places: Vec<Place>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(rows: &'a Rows, schedule: Option<&'a Schedule>) -> Scan<'a> {
        let pairs = schedule.map_or(0, Schedule::pairs);
        Scan { rows, schedule, places: vec![Place::NOWHERE; pairs as usize] }
    }

    /// Reads all that is whole; returns where it ends.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        file: &File,
        mut found: impl FnMut([Played; 2]),
    ) -> Result<u64, OutputError> {
        let at = OutputError::at(path);
        let damaged = |line, reason: String| OutputError::Damaged { path: path.to_owned(), line, reason };
        let whole = whole_lines(file).map_err(&at)?;
        let mut from = file;
        from.seek(SeekFrom::Start(0)).map_err(&at)?;
        let text = BufReader::with_capacity(1 << 16, from).take(whole);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut record = csv::StringRecord::new();
        let mut first: Option<(u64, Played)> = None;
        let mut end = 0;
        loop {
            let from = reader.position().byte();
            let more = reader
                .read_record(&mut record)
                .map_err(|error| damaged(error.position().map(csv::Position::line), error.to_string()))?;
            if !more {
                // Of a pair of which only the first game is there, nothing is kept.
                return Ok(end);
            }
            let line = record.position().map(csv::Position::line);
            if end == 0 {
                if !record.iter().eq(COLUMNS) {
                    return Err(damaged(line, format!("the columns are not {}", COLUMNS.join(","))));
                }
                end = reader.position().byte();
                continue;
            }
            let played = self.rows.read(&record, self.schedule).map_err(|reason| damaged(line, reason))?;
            match first.take() {
                None if played.game.is_multiple_of(2) => first = Some((from, played)),
                Some((from, before)) if played.game == before.game + 1 => {
                    end = reader.position().byte();
                    let pair = (played.game / 2) as usize;
                    if self.places.len() <= pair && self.schedule.is_none() {
                        self.places.resize(pair + 1, Place::NOWHERE);
                    }
                    let place = self.places.get_mut(pair);
                    let place =
                        place.ok_or_else(|| damaged(line, format!("there is no game {}", played.game)))?;
                    if *place != Place::NOWHERE {
                        return Err(damaged(line, format!("game {} is there twice", played.game)));
                    }
                    *place = Place { offset: from, length: end - from };
                    found([before, played]);
                }
                _ => {
                    let reason = format!(
                        "game {} stands alone: the two games of a pair follow one another",
                        played.game
                    );
                    return Err(damaged(line, reason));
                }
            }
        }
    }
}

/// Bytes of a file up to the end of its last whole line.
pub(crate) fn whole_lines(mut file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut block = vec![0; 1 << 12];
    while end > 0 {
        let from = end.saturating_sub(block.len() as u64);
        let block = &mut block[..(end - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(block)?;
        if let Some(at) = block.iter().rposition(|&byte| byte == b'\n') {
            return Ok(from + at as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}

/// The rows of these settings' games.
fn rows(settings: &Settings) -> Rows {
    let names = settings.names().into_iter().map(str::to_owned).collect();
    Rows::new(settings.variant, names, settings.format.pairings(settings.agents.len()))
}

/// Writes `tournament.json`.
pub(crate) fn write_json(path: &Path, about: &About) -> Result<(), OutputError> {
    files::write_whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, about)?;
        out.write_all(b"\n")
    })
    .map_err(OutputError::at(path))
}

/// Reads `tournament.json`.
pub(crate) fn read_json(path: &Path) -> Result<About, OutputError> {
    let text = fs::read_to_string(path).map_err(OutputError::at(path))?;
    serde_json::from_str(&text).map_err(|error| OutputError::Damaged {
        path: path.to_owned(),
        line: None,
        reason: error.to_string(),
    })
}

/// The seed of the tournament begun in a folder; `None` where there is none, or nothing that can be read.
#[must_use]
pub fn started_seed(folder: &Path) -> Option<u64> {
    read_json(&folder.join(SETTINGS)).ok().map(|about| about.seed)
}

/// Whether the tournament begun in a folder does not say what the files held that its agents' specs name.
#[must_use]
pub fn is_silent_on_files(folder: &Path) -> bool {
    read_json(&folder.join(SETTINGS)).is_ok_and(|about| about.is_silent_on_files())
}

/// Writes `ratings.csv`.
pub(crate) fn write_ratings(path: &Path, standings: &Standings) -> Result<(), OutputError> {
    files::write_whole(path, |out| -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for row in standings.rows() {
            writer.serialize(row)?;
        }
        writer.flush()
    })
    .map_err(OutputError::at(path))
}
