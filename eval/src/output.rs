//! What a tournament leaves behind: its files, and its tables for a terminal.
//!
//! `games.csv` grows under the name `games.csv.partial`, pair by pair in the order of the schedule, so that nothing is
//! lost when a long tournament breaks off; it gets its own name when it is whole, last of all files.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use giuthi_engine::{Ending, Outcome, Player, files};
use serde::Serialize;
use thiserror::Error;

use crate::play::Played;
use crate::rating::Rating;
use crate::tally::{Tally, WinsDrawsLosses};
use crate::tournament::{Settings, Tournament};

/// Name of the file of games.
pub const GAMES: &str = "games.csv";
/// Name of the file of ratings.
pub const RATINGS: &str = "ratings.csv";
/// Name of the file that says what was played.
pub const SETTINGS: &str = "tournament.json";

/// Why the files of a tournament could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// There is a tournament already, or what is left of one.
    #[error("{0}: there is a tournament already; choose another folder")]
    Exists(PathBuf),
    /// There is one that broke off, or is still being played.
    #[error("{0}: there is an unfinished tournament already; choose another folder or move its files away")]
    Unfinished(PathBuf),
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
    fn at(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
        |reason| OutputError::Io { path: path.to_owned(), reason }
    }
}

/// One row of `games.csv`.
#[derive(Serialize)]
struct GameRow<'a> {
    game: u64,
    round: u64,
    player0: &'a str,
    player1: &'a str,
    opening: String,
    moves: String,
    result: &'static str,
    end: &'static str,
    plies: usize,
    ms0: f64,
    ms1: f64,
}

impl<'a> GameRow<'a> {
    fn new(played: &Played, names: &'a [String]) -> GameRow<'a> {
        let course = &played.course;
        let moves: Vec<String> = course.moves.iter().map(ToString::to_string).collect();
        let [player0, player1] = played.players.map(|agent| names[agent].as_str());
        let [ms0, ms1] = course.time.map(|time| rounded(milliseconds(time), 3));
        GameRow {
            game: played.game,
            round: played.round,
            player0,
            player1,
            opening: moves[..course.opening].join(" "),
            moves: moves.join(" "),
            result: match course.outcome {
                Outcome::Win(Player::South) => "1-0",
                Outcome::Win(Player::North) => "0-1",
                Outcome::Draw => "1/2-1/2",
            },
            end: course.ending.name(),
            plies: moves.len(),
            ms0,
            ms1,
        }
    }
}

/// The files of a tournament that is being played.
pub struct Files {
    folder: PathBuf,
    partial: PathBuf,
    writer: csv::Writer<File>,
    names: Vec<String>,
}

impl Files {
    /// Starts the files of a tournament in a folder, which is made where it is missing. A folder that has any of these
    /// files is refused: nothing is written over.
    pub fn create(folder: &Path, settings: &Settings) -> Result<Files, OutputError> {
        fs::create_dir_all(folder).map_err(OutputError::at(folder))?;
        let partial = folder.join(format!("{GAMES}.partial"));
        let there = |path: &Path| path.try_exists().map_err(OutputError::at(path));
        if there(&partial)? {
            return Err(OutputError::Unfinished(partial));
        }
        for path in [GAMES, RATINGS, SETTINGS].map(|name| folder.join(name)) {
            if there(&path)? {
                return Err(OutputError::Exists(path));
            }
        }
        // Never an existing one: another tournament may have begun in the meantime.
        let file = OpenOptions::new().write(true).create_new(true).open(&partial);
        let file = file.map_err(|reason| match reason.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Unfinished(partial.clone()),
            _ => OutputError::at(&partial)(reason),
        })?;
        let names = settings.names().into_iter().map(str::to_owned).collect();
        let about = folder.join(SETTINGS);
        files::write_whole(&about, |out| {
            serde_json::to_writer_pretty(&mut *out, &About::new(settings))?;
            io::Write::write_all(out, b"\n")
        })
        .map_err(OutputError::at(&about))?;
        Ok(Files { folder: folder.to_owned(), partial, writer: csv::Writer::from_writer(file), names })
    }

    /// Adds a pair of games to `games.csv.partial`.
    pub fn add(&mut self, pair: &[Played; 2]) -> Result<(), OutputError> {
        let mut write = || {
            for game in pair {
                self.writer.serialize(GameRow::new(game, &self.names))?;
            }
            self.writer.flush()
        };
        write().map_err(OutputError::at(&self.partial))
    }

    /// Writes `ratings.csv` and gives `games.csv` its name.
    pub fn finish(self, standings: &Standings<'_>) -> Result<(), OutputError> {
        self.writer.get_ref().sync_all().map_err(OutputError::at(&self.partial))?;
        let ratings = self.folder.join(RATINGS);
        files::write_whole(&ratings, |out| -> io::Result<()> {
            let mut writer = csv::Writer::from_writer(out);
            for row in standings.rows() {
                writer.serialize(row)?;
            }
            writer.flush()
        })
        .map_err(OutputError::at(&ratings))?;
        let games = self.folder.join(GAMES);
        fs::rename(&self.partial, &games).map_err(OutputError::at(&games))
    }
}

/// `tournament.json`: what was played, so that it can be played again.
#[derive(Serialize)]
struct About<'a> {
    program: &'static str,
    variant: String,
    games: u32,
    opening_plies: String,
    seed: u64,
    agents: Vec<AboutAgent<'a>>,
}

#[derive(Serialize)]
struct AboutAgent<'a> {
    name: &'a str,
    spec: &'a str,
}

impl<'a> About<'a> {
    fn new(settings: &'a Settings) -> About<'a> {
        About {
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
            variant: settings.variant.to_string(),
            games: settings.games,
            opening_plies: settings.opening_plies.to_string(),
            seed: settings.seed,
            agents: settings
                .agents
                .iter()
                .map(|agent| AboutAgent { name: agent.label(), spec: agent.text() })
                .collect(),
        }
    }
}

/// One row of `ratings.csv`; with `--json` one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// Rating in Elo.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub lower: f64,
    /// Upper end of its 95 % interval.
    pub upper: f64,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points a game, 0 … 1.
    pub score: f64,
    /// Number of the group of agents that can be compared with it, from 1, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

/// The agents of a tournament by rating, the best first.
#[derive(Clone, Debug)]
pub struct Standings<'a> {
    names: Vec<&'a str>,
    tally: &'a Tally,
    ratings: Vec<Rating>,
    /// The agents' numbers by rank.
    order: Vec<usize>,
}

impl<'a> Standings<'a> {
    /// The standings of a tournament with these settings.
    #[must_use]
    pub fn new(settings: &'a Settings, tournament: &'a Tournament) -> Standings<'a> {
        let ratings = tournament.ratings();
        let mut order: Vec<usize> = (0..ratings.len()).collect();
        order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
        Standings { names: settings.names(), tally: &tournament.tally, ratings, order }
    }

    /// The rows of `ratings.csv`: Elo to two decimals, the score to six.
    pub fn rows(&self) -> impl Iterator<Item = Standing<'a>> + '_ {
        self.order.iter().map(|&agent| {
            let Rating { elo, lower, upper } = self.ratings[agent];
            let [elo, lower, upper] = [elo, lower, upper].map(|value| rounded(value, 2));
            let games = self.tally.of(agent);
            let WinsDrawsLosses { wins, draws, losses } = games;
            let score = rounded(games.score(), 6);
            Standing {
                agent: self.names[agent],
                elo,
                lower,
                upper,
                games: games.games(),
                wins,
                draws,
                losses,
                score,
                group: None,
            }
        })
    }

    /// One JSON object an agent and line, with the columns of `ratings.csv` as keys.
    #[must_use]
    pub fn json_lines(&self) -> String {
        let line = |row| serde_json::to_string(&row).expect("names and finite numbers are JSON") + "\n";
        self.rows().map(line).collect()
    }

    /// What a person reads: the ratings, the results of each against each, what the first move and the endings came
    /// to. ASCII but for the agents' names.
    #[must_use]
    pub fn text(&self) -> String {
        let first = self.tally.first_player();
        let games = first.games();
        let endings = Ending::ALL.map(|ending| {
            format!("{} {}", ending.name(), percent(self.tally.ended(ending) as f64 / games.max(1) as f64))
        });
        format!(
            "{}\n\nEach against each, from the view of the row: score (wins-draws-losses)\n{}\n\n\
             First move: player 0 scored {} of {games} games ({})\nEndings: {}\n",
            self.rating_table(),
            self.cross_table(),
            percent(first.score()),
            dashed(first),
            endings.join(", "),
        )
    }

    fn rating_table(&self) -> String {
        let mut table = table();
        table.set_header(["#", "agent", "Elo", "+/-", "games", "W", "D", "L", "score", "draws", "ms/move"]);
        for (&agent, rank) in self.order.iter().zip(1..) {
            let rating = self.ratings[agent];
            let games = self.tally.of(agent);
            table.add_row([
                format!("{rank}"),
                plain(self.names[agent]),
                format!("{:+.1}", rounded(rating.elo, 1)),
                reach(rating),
                games.games().to_string(),
                games.wins.to_string(),
                games.draws.to_string(),
                games.losses.to_string(),
                percent(games.score()),
                percent(games.draws as f64 / games.games().max(1) as f64),
                format!("{:.2}", milliseconds(self.tally.time_a_move(agent))),
            ]);
        }
        right_aligned(table)
    }

    fn cross_table(&self) -> String {
        let mut table = table();
        let ranks = (1..=self.order.len()).map(|rank| rank.to_string());
        table.set_header(["#".to_owned(), "agent".to_owned()].into_iter().chain(ranks));
        for (&agent, rank) in self.order.iter().zip(1..) {
            let cells = self.order.iter().map(|&opponent| {
                let games = self.tally.between(agent, opponent);
                match games.games() {
                    0 => String::new(),
                    _ => format!("{} ({})", percent(games.score()), dashed(games)),
                }
            });
            table.add_row([format!("{rank}"), plain(self.names[agent])].into_iter().chain(cells));
        }
        right_aligned(table)
    }
}

pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED).force_no_tty();
    table
}

/// The table as text, numbers to the right; the second column holds names.
pub(crate) fn right_aligned(mut table: Table) -> String {
    for column in table.column_iter_mut().enumerate().filter(|(i, _)| *i != 1).map(|(_, column)| column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Distance to the ends of the interval: one number where they are the same.
pub(crate) fn reach(rating: Rating) -> String {
    let [above, below] =
        [rating.upper - rating.elo, rating.elo - rating.lower].map(|reach| rounded(reach, 1));
    if above == below { format!("{above:.1}") } else { format!("+{above:.1} -{below:.1}") }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

pub(crate) fn dashed(games: WinsDrawsLosses) -> String {
    format!("{}-{}-{}", games.wins, games.draws, games.losses)
}

/// A name that cannot break the table's lines.
pub(crate) fn plain(name: &str) -> String {
    name.replace(char::is_control, "?")
}

fn milliseconds(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// Rounded to so many decimals; a zero has no sign.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10.0_f64.powi(decimals);
    (value * scale).round() / scale + 0.0
}
