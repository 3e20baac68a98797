//! What games start from: random plies, a list from a file, or every position after so many plies; those that are
//! decided already left out.

use std::collections::HashSet;
use std::path::Path;
use std::{fmt, fs, io};

use giuthi_engine::agent::NoClock;
use giuthi_engine::notation::excerpt;
use giuthi_engine::opening::{OpeningError, OpeningPlies, random_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::search::{Control, Limits, Material, Memory, alpha_beta};
use giuthi_engine::{Game, Move, Variant};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Most positions after so many plies that are listed.
pub const MAX_LISTED: usize = 200_000;
/// Draws of an opening that is to differ from the earlier ones.
const DRAWS: u32 = 50;
/// Random stream of the seed that a list's order is drawn from; no round reaches it.
const SHUFFLE: u64 = u64::MAX - 1;

/// When an opening is taken to be decided: a search by material from there proves a win for either side, or values it
/// beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// Value beyond which, either way, an opening is decided, 0 … 1; 1 where only what is proven counts.
    pub bound: f32,
    /// Positions that the search visits.
    pub nodes: u64,
}

impl Default for Decided {
    /// What is proven within 1,000 positions.
    fn default() -> Decided {
        Decided { bound: 1.0, nodes: 1000 }
    }
}

impl Decided {
    /// Whether a game that is not over is decided.
    #[must_use]
    pub fn is(&self, game: &Game) -> bool {
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        // A memory of its own, so that nothing depends on what was looked at before.
        let mut memory = Memory::new(1);
        let control = Control::new(&NoClock);
        let score = alpha_beta(game, &Material, &mut memory, &limits, &control, |_| {}).score;
        score.is_decisive() || score.value().abs() > self.bound
    }
}

/// Where the openings of a tournament come from.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Random plies, another opening for each round.
    Random(OpeningPlies),
    /// A list, in its order.
    Listed(Listing),
}

impl From<OpeningPlies> for Openings {
    fn from(plies: OpeningPlies) -> Openings {
        Openings::Random(plies)
    }
}

/// The openings of a tournament, round by round.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The moves of each, from the variant's start.
    pub openings: Vec<Vec<Move>>,
    /// How many were left out because they were decided.
    pub left_out: u64,
}

/// Draws the openings of so many rounds.
///
/// That of round `r` comes from stream `r` of the seed. One that an earlier round has, or that is decided, is drawn
/// anew, so that no game is played twice under two names while there are others to play; where fifty draws bring
/// nothing new, the last that is not decided stands.
pub(crate) fn draw(
    variant: Variant,
    rounds: u64,
    plies: OpeningPlies,
    decided: Option<Decided>,
    seed: u64,
) -> Result<Chosen, OpeningsError> {
    // Whether the first draw of each round is decided does not depend on the others.
    let first = |round: u64| {
        let mut rng = game_rng(seed, round);
        let game = random_opening(variant, plies.draw(&mut rng), &mut rng);
        decided.is_some_and(|decided| game.is_ok_and(|game| decided.is(&game)))
    };
    let first: Vec<bool> = match decided {
        Some(_) => (0..rounds).into_par_iter().map(first).collect(),
        None => vec![false; rounds as usize],
    };
    let (mut taken, mut bad) = (HashSet::new(), HashSet::new());
    let mut openings = Vec::with_capacity(rounds as usize);
    for round in 0..rounds {
        let mut rng = game_rng(seed, round);
        let mut last = None;
        for number in 0..DRAWS {
            let game = random_opening(variant, plies.draw(&mut rng), &mut rng)?;
            let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
            let is_decided = bad.contains(&moves)
                || match number {
                    0 => first[round as usize],
                    _ if taken.contains(&moves) => false,
                    _ => decided.is_some_and(|decided| decided.is(&game)),
                };
            if is_decided {
                bad.insert(moves);
                continue;
            }
            let new = taken.insert(moves.clone());
            last = Some(moves);
            if new {
                break;
            }
        }
        openings.push(last.ok_or(OpeningsError::AllDecided)?);
    }
    Ok(Chosen { openings, left_out: bad.len() as u64 })
}

/// A list of openings: those of a file, or all there are.
#[derive(Clone, Debug)]
pub struct Listing {
    chosen: Chosen,
    /// Where it comes from, for `tournament.json`.
    about: String,
}

/// Why there are no openings to play.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// None can be drawn.
    #[error(transparent)]
    Drawn(#[from] OpeningError),
    /// All are decided.
    #[error(
        "every opening is decided: ask for fewer plies, a greater bound, or leave none out (--decided off)"
    )]
    AllDecided,
    /// There are too many.
    #[error(
        "after {plies} plies of {variant} there are more than {MAX_LISTED} positions: ask for fewer plies"
    )]
    TooMany {
        /// The variant.
        variant: Variant,
        /// The plies asked for.
        plies: u32,
    },
    /// No game is left after so many plies.
    #[error("after {plies} plies of {variant} every game is over: ask for fewer plies")]
    Over {
        /// The variant.
        variant: Variant,
        /// The plies asked for.
        plies: u32,
    },
    /// A file cannot be read.
    #[error("{name}: {reason}")]
    Read {
        /// The file.
        name: String,
        /// Why.
        reason: io::Error,
    },
    /// A file is wrong somewhere.
    #[error("{name}, line {line}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A file has no openings.
    #[error(
        "{0}: no openings; write one a line, its moves with spaces between, or a CSV with a column `opening`"
    )]
    Empty(String),
}

impl Listing {
    /// The openings of a file: one a line, its moves from the variant's start with spaces between (`startpos` for none;
    /// blank lines and those that begin with `#` are passed over); or a CSV with a column `opening`, such as
    /// `games.csv` of a tournament, where each counts once.
    ///
    /// # Errors
    /// Where the file cannot be read, or a line is not an opening, or ends the game; it is named.
    pub fn read(path: &Path, variant: Variant, decided: Option<Decided>) -> Result<Listing, OpeningsError> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|reason| OpeningsError::Read { name: name.clone(), reason })?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        // Some editors put a mark of UTF-8 at the beginning.
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
        let at = |(line, reason)| OpeningsError::Line { name: name.clone(), line, reason };
        let games = if text.lines().next().is_some_and(is_header) {
            from_csv(&text, variant)
        } else {
            from_lines(&text, variant)
        };
        let games = games.map_err(at)?;
        if games.is_empty() {
            return Err(OpeningsError::Empty(name));
        }
        Ok(Listing { chosen: undecided(games, decided)?, about: format!("file {name}, sha256 {digest}") })
    }

    /// All positions that different lines of so many plies lead to and that are not the game's end, each by the first
    /// line that leads there; in an order drawn from the seed.
    ///
    /// # Errors
    /// Where there are too many or none.
    pub fn all(
        variant: Variant,
        plies: u32,
        decided: Option<Decided>,
        seed: u64,
    ) -> Result<Listing, OpeningsError> {
        let start = Game::new(variant);
        let mut games = if start.ending().is_none() { vec![start] } else { Vec::new() };
        for _ in 0..plies {
            let (mut met, mut next) = (HashSet::new(), Vec::new());
            for game in games {
                for &mv in game.position().moves().iter() {
                    let mut after = game.clone();
                    after.play(mv).expect("a generated move is legal while the game is played");
                    if after.ending().is_none() && met.insert(*after.position()) {
                        next.push(after);
                    }
                }
                if next.len() > MAX_LISTED {
                    return Err(OpeningsError::TooMany { variant, plies });
                }
            }
            games = next;
        }
        if games.is_empty() {
            return Err(OpeningsError::Over { variant, plies });
        }
        let mut chosen = undecided(games, decided)?;
        chosen.openings.shuffle(&mut game_rng(seed, SHUFFLE));
        Ok(Listing { chosen, about: format!("all:{plies}") })
    }

    /// How many there are, and what is told of those left out.
    #[must_use]
    pub const fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The first of them.
    pub(crate) fn first(&self, rounds: u64) -> Chosen {
        let openings = self.chosen.openings.iter().take(rounds as usize).cloned().collect();
        Chosen { openings, left_out: self.chosen.left_out }
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.about)
    }
}

fn undecided(games: Vec<Game>, decided: Option<Decided>) -> Result<Chosen, OpeningsError> {
    let all = games.len() as u64;
    let kept: Vec<Vec<Move>> = games
        .into_par_iter()
        .filter(|game| !decided.is_some_and(|decided| decided.is(game)))
        .map(|game| game.plies().iter().map(|ply| ply.mv).collect())
        .collect();
    match kept.len() as u64 {
        0 => Err(OpeningsError::AllDecided),
        there => Ok(Chosen { openings: kept, left_out: all - there }),
    }
}

fn is_header(line: &str) -> bool {
    line.contains(',') && line.split(',').any(|column| column.trim() == COLUMN)
}

/// The column of a CSV that holds openings.
const COLUMN: &str = "opening";

type Lines = Result<Vec<Game>, (u64, String)>;

fn from_lines(text: &str, variant: Variant) -> Lines {
    let mut games = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let moves = if line == "startpos" { "" } else { line };
            games.push(opening(moves, variant).map_err(|reason| (number, reason))?);
        }
    }
    Ok(games)
}

fn from_csv(text: &str, variant: Variant) -> Lines {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
    let headers = reader.headers().map_err(|error| (line(error.position()), error.to_string()))?;
    let column = headers.iter().position(|name| name == COLUMN);
    let column = column.ok_or((1, format!("no column `{COLUMN}`")))?;
    let (mut met, mut games) = (HashSet::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| (line(error.position()), error.to_string()))?;
        let text = record.get(column).unwrap_or_default();
        if met.insert(text.to_owned()) {
            games.push(opening(text, variant).map_err(|reason| (line(record.position()), reason))?);
        }
    }
    Ok(games)
}

fn opening(text: &str, variant: Variant) -> Result<Game, String> {
    let mut game = Game::new(variant);
    for (word, number) in text.split_ascii_whitespace().zip(1..) {
        let mv: Move = word.parse().map_err(|error| {
            format!("move {number}, `{}`: {error} (openings are moves from the start)", excerpt(word))
        })?;
        game.play(mv).map_err(|error| format!("move {number} ({mv}) of {variant}: {error}"))?;
    }
    match game.ending() {
        None => Ok(game),
        Some(ending) => Err(format!("the game is over after it ({})", ending.name())),
    }
}
