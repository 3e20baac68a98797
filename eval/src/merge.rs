//! A tournament put together from shards that were played apart.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use giuthi_engine::files;
use thiserror::Error;

use crate::about::About;
use crate::folder::Folder;
use crate::journal::{
    GAMES, OutputError, PARTIAL, Place, RATINGS, REPORT, SETTINGS, Scan, copy, read_json, write_json,
    write_ratings,
};
use crate::output::Standings;
use crate::record::Rows;
use crate::tournament::Tournament;
use giuthi_engine::Shard;

/// Why shards make no tournament.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    Files(#[from] OutputError),
    /// Nothing to merge.
    #[error("no folder is given: name those of all shards")]
    Nothing,
    /// A file that is no tournament's.
    #[error("{0}: says what no tournament is")]
    Foreign(PathBuf),
    /// A shard that has not been played to its end.
    #[error("{0}: this shard is not finished; go on with it by --resume")]
    Unfinished(PathBuf),
    /// Shards of different tournaments.
    #[error("{one} and {other} are of different tournaments: {}", differences.join("; "))]
    Different {
        /// The first folder.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// Two folders have the same games.
    #[error("{one} and {other} both have games {} and {}", 2 * pair, 2 * pair + 1)]
    Twice {
        /// A folder.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
        /// The pair's number.
        pair: u64,
    },
    /// Games that no folder has.
    #[error("{pairs} of {of} pairs of games are missing; the first are games {} and {}; {what}", 2 * first, 2 * first + 1)]
    Missing {
        /// How many pairs.
        pairs: u64,
        /// Of how many.
        of: u64,
        /// The first of them.
        first: u64,
        /// Which shards they are of, in words.
        what: String,
    },
    /// The games do not connect all agents.
    #[error(transparent)]
    Unrelated(#[from] crate::rating::Unrelated),
}

struct Part {
    folder: PathBuf,
    file: File,
    places: Vec<Place>,
}

/// Puts the shards in these folders together in another one, as one machine alone would have written it.
///
/// # Errors
/// Where they are not all the shards of one tournament, each finished, or `out` holds a tournament already: any but this
/// very one without a game, as a merge leaves it that is broken off.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Standings, MergeError> {
    let whole = |folder: &PathBuf| -> Result<(About, String), MergeError> {
        let mut about = read_json(&folder.join(SETTINGS))?;
        let shard = std::mem::replace(&mut about.shard, Shard::WHOLE.to_string());
        Ok((about, shard))
    };
    let first = folders.first().ok_or(MergeError::Nothing)?;
    let (mut about, shard) = whole(first)?;
    let foreign = || MergeError::Foreign(first.join(SETTINGS));
    let (variant, pairings, _) = about.read().ok_or_else(foreign)?;
    let count = shard.parse::<Shard>().map_err(|_| foreign())?.count();
    // Where a merge of these shards was broken off, it is begun anew.
    let broken_off = read_json(&out.join(SETTINGS)).is_ok_and(|there| about.differences(&there).is_empty());
    for name in [GAMES, PARTIAL, REPORT, RATINGS, SETTINGS] {
        let path = out.join(name);
        let passed_over = broken_off && [RATINGS, SETTINGS].contains(&name);
        if !passed_over && path.try_exists().map_err(OutputError::at(&path))? {
            return Err(OutputError::Exists(path).into());
        }
    }
    let rows = Rows::new(variant, about.names(), pairings.clone());
    let pairs = u64::from(about.games / 2) * pairings.len() as u64;
    let mut tournament = Tournament::of_pairs(about.agents.len(), pairings, pairs);
    let mut parts: Vec<Part> = Vec::new();
    let mut there = vec![false; count as usize];
    for folder in folders {
        let (other, shard) = whole(folder)?;
        let mut differences = about.differences(&other);
        let shard = shard.parse::<Shard>().map_err(|_| MergeError::Foreign(folder.join(SETTINGS)))?;
        if shard.count() != count {
            differences.push(format!("of {count} shards there and of {} here", shard.count()));
        }
        if !differences.is_empty() {
            return Err(MergeError::Different { one: first.clone(), other: folder.clone(), differences });
        }
        about.learn_files(&other);
        there[shard.index() as usize] = true;
        let path = folder.join(GAMES);
        if !path.try_exists().map_err(OutputError::at(&path))? {
            return Err(MergeError::Unfinished(folder.clone()));
        }
        let file = File::open(&path).map_err(OutputError::at(&path))?;
        let mut scan = Scan::new(&rows, None);
        scan.read(&path, &file, |pair| {
            if pair[0].game / 2 < pairs {
                tournament.add(&pair);
            }
        })?;
        let places = scan.places;
        if places.len() as u64 > pairs {
            let reason = format!("there is no game {}", 2 * places.len() - 1);
            return Err(OutputError::Damaged { path, line: None, reason }.into());
        }
        for part in &parts {
            let twice = places
                .iter()
                .zip(&part.places)
                .position(|(one, other)| *one != Place::NOWHERE && *other != Place::NOWHERE);
            if let Some(pair) = twice {
                let (one, other) = (part.folder.clone(), folder.clone());
                return Err(MergeError::Twice { one, other, pair: pair as u64 });
            }
        }
        parts.push(Part { folder: folder.clone(), file, places });
    }
    let mut missing = (0..pairs).filter(|&pair| !tournament.has(pair)).peekable();
    if let Some(&first) = missing.peek() {
        let absent = (0..count).filter(|&index| !there[index as usize]);
        let absent: Vec<String> = absent.map(|index| format!("{index}/{count}")).collect();
        let what = match absent[..] {
            [] => "every shard is there, but not all of its games".to_owned(),
            _ => format!("not there: shard {}", absent.join(", ")),
        };
        return Err(MergeError::Missing { pairs: missing.count() as u64, of: pairs, first, what });
    }
    let standings = Standings::of(about.names(), &tournament)?;
    let folder = Folder::lock(out)?;
    folder.clean()?;
    write_json(&out.join(SETTINGS), &about)?;
    write_ratings(&out.join(RATINGS), &standings)?;
    let games = out.join(GAMES);
    files::write_whole(&games, |out| -> io::Result<()> {
        out.write_all(Rows::header().as_bytes())?;
        let mut buffer = Vec::new();
        for pair in 0..pairs as usize {
            for part in &mut parts {
                match part.places.get(pair) {
                    Some(&place) if place != Place::NOWHERE => copy(&mut part.file, place, &mut buffer, out)?,
                    _ => {}
                }
            }
        }
        Ok(())
    })
    .map_err(OutputError::at(&games))?;
    Ok(standings)
}
