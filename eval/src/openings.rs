//! What games start from: random plies, a list from a file, or every position after so many plies; those that are
//! decided already left out.

use std::collections::HashSet;
use std::path::Path;
use std::{fmt, fs, io};

use giuthi_engine::agent::NoClock;
use giuthi_engine::notation::excerpt;
use giuthi_engine::opening::{OpeningError, OpeningPlies, redraw_opening};
use giuthi_engine::rng::game_rng;
use giuthi_engine::search::{Control, Limits, Material, Memory, alpha_beta};
use giuthi_engine::{Direction, Game, Move, Variant};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
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

/// Told how many openings of how many have been looked at; says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Openings looked at between two words to whoever watches.
const BLOCK: usize = 4096;

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
    watch: Watch<'_>,
) -> Result<Chosen, OpeningsError> {
    let asked = Asked { variant, plies, decided };
    let mut known = Known::default();
    let mut openings = Vec::with_capacity(rounds as usize);
    let mut game = Game::new(variant);
    for from in (0..rounds).step_by(BLOCK) {
        if !watch(from, rounds) {
            return Err(OpeningsError::Stopped);
        }
        // What earlier blocks have taken stays taken: so each round of this one passes over that by itself.
        let draws = (from..rounds.min(from + BLOCK as u64)).into_par_iter();
        let draws = draws.map_init(
            || Game::new(variant),
            |game, round| {
                let mut draws = Draws::new(seed, round);
                draws.go_on(&asked, game, &known).map(|()| draws)
            },
        );
        for mut draws in draws.collect::<Result<Vec<_>, _>>()? {
            // Another round of the block may have been first.
            while draws.new && !known.taken.insert(draws.key.clone()) {
                draws.go_on(&asked, &mut game, &known)?;
            }
            known.bad.extend(draws.bad);
            openings.push(draws.last.ok_or(OpeningsError::AllDecided)?);
        }
    }
    Ok(Chosen { openings, left_out: known.bad.len() as u64 })
}

/// What is drawn.
struct Asked {
    variant: Variant,
    plies: OpeningPlies,
    decided: Option<Decided>,
}

/// The openings met, by the bytes of their moves.
#[derive(Default)]
struct Known {
    taken: HashSet<Vec<u8>>,
    /// The decided ones.
    bad: HashSet<Vec<u8>>,
}

/// The draws of one round.
struct Draws {
    rng: ChaCha8Rng,
    number: u32,
    /// The last opening drawn that is not decided.
    last: Option<Vec<Move>>,
    /// The bytes of the last one drawn.
    key: Vec<u8>,
    /// Whether that is one that was not known.
    new: bool,
    /// Decided ones that were not known.
    bad: Vec<Vec<u8>>,
}

impl Draws {
    fn new(seed: u64, round: u64) -> Draws {
        Draws {
            rng: game_rng(seed, round),
            number: 0,
            last: None,
            key: Vec::new(),
            new: false,
            bad: Vec::new(),
        }
    }

    /// Draws until something is new, or fifty have been drawn.
    fn go_on(&mut self, asked: &Asked, game: &mut Game, known: &Known) -> Result<(), OpeningsError> {
        self.new = false;
        while self.number < DRAWS && !self.new {
            self.number += 1;
            let plies = asked.plies.draw(&mut self.rng);
            redraw_opening(game, asked.variant, plies, &mut self.rng)?;
            self.key.clear();
            self.key.extend(game.plies().iter().map(|ply| byte(ply.mv)));
            if known.bad.contains(&self.key) || self.bad.contains(&self.key) {
                continue;
            }
            let taken = known.taken.contains(&self.key);
            if !taken && asked.decided.is_some_and(|decided| decided.is(game)) {
                self.bad.push(self.key.clone());
                continue;
            }
            self.new = !taken;
            let last = self.last.get_or_insert_default();
            last.clear();
            last.extend(game.plies().iter().map(|ply| ply.mv));
        }
        Ok(())
    }
}

/// A byte that stands for a move.
fn byte(mv: Move) -> u8 {
    match mv {
        Move::Sow { pit, direction } => 2 * pit + u8::from(direction == Direction::Cw),
        Move::Pass => u8::MAX,
    }
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
    /// Whoever watched had enough.
    #[error("stopped while openings were looked at: nothing has been played")]
    Stopped,
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
    pub fn read(
        path: &Path,
        variant: Variant,
        decided: Option<Decided>,
        watch: Watch<'_>,
    ) -> Result<Listing, OpeningsError> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|reason| OpeningsError::Read { name: name.clone(), reason })?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        // Some editors put a mark of UTF-8 at the beginning.
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
        let at = |(line, reason)| OpeningsError::Line { name: name.clone(), line, reason };
        let games = if is_csv(&text) { from_csv(&text, variant) } else { from_lines(&text, variant) };
        let games = games.map_err(at)?;
        if games.is_empty() {
            return Err(OpeningsError::Empty(name));
        }
        Ok(Listing {
            chosen: undecided(games, decided, watch)?,
            about: format!("file {name}, sha256 {digest}"),
        })
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
        watch: Watch<'_>,
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
        let mut chosen = undecided(games, decided, watch)?;
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

fn undecided(games: Vec<Game>, decided: Option<Decided>, watch: Watch<'_>) -> Result<Chosen, OpeningsError> {
    let all = games.len() as u64;
    let mut kept: Vec<Vec<Move>> = Vec::new();
    for (block, games) in games.chunks(BLOCK).enumerate() {
        if !watch((block * BLOCK) as u64, all) {
            return Err(OpeningsError::Stopped);
        }
        kept.par_extend(
            games
                .par_iter()
                .filter(|game| !decided.is_some_and(|decided| decided.is(game)))
                .map(|game| game.plies().iter().map(|ply| ply.mv).collect::<Vec<_>>()),
        );
    }
    match kept.len() as u64 {
        0 => Err(OpeningsError::AllDecided),
        there => Ok(Chosen { openings: kept, left_out: all - there }),
    }
}

/// A reader that finds columns by their names, quoted or not, with spaces beside them or not.
fn csv_of(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(text.as_bytes())
}

/// Whether the first line names columns, and openings are one of them.
fn is_csv(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    csv_of(line).headers().is_ok_and(|columns| columns.iter().any(|name| name == COLUMN))
}

/// The column of a CSV that holds openings.
const COLUMN: &str = "opening";

type Lines = Result<Vec<Game>, (u64, String)>;

fn from_lines(text: &str, variant: Variant) -> Lines {
    let mut games = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            games.push(opening(line, variant).map_err(|reason| (number, reason))?);
        }
    }
    Ok(games)
}

fn from_csv(text: &str, variant: Variant) -> Lines {
    let mut reader = csv_of(text);
    let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
    let headers = reader.headers().map_err(|error| (line(error.position()), error.to_string()))?;
    let mut columns =
        headers.iter().enumerate().filter(|(_, name)| *name == COLUMN).map(|(number, _)| number);
    let column = columns.next().ok_or((1, format!("no column `{COLUMN}`")))?;
    if columns.next().is_some() {
        return Err((1, format!("two columns are named `{COLUMN}`")));
    }
    let (mut met, mut games) = (HashSet::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| (line(error.position()), error.to_string()))?;
        let text = record.get(column).unwrap_or_default().trim();
        if met.insert(text.to_owned()) {
            games.push(opening(text, variant).map_err(|reason| (line(record.position()), reason))?);
        }
    }
    Ok(games)
}

/// The game after moves from the start, or at it: `startpos`, or nothing at all.
fn opening(text: &str, variant: Variant) -> Result<Game, String> {
    let mut game = Game::new(variant);
    let moves = if text == "startpos" { "" } else { text };
    for (word, number) in moves.split_ascii_whitespace().zip(1..) {
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
