//! `report.html`: all that can be told of a tournament, as one page that needs nothing else: no network, no other file, and
//! without JavaScript all but the replay of its games.
//!
//! The figures are made here, from the tournament's files: [`Report::read`] plays every game again and counts it by the
//! code that the tournament was counted by. [`page`] lays them out; the charts are SVG. Games are replayed in the page by a sower of its own
//! (`rules.js`), which the page holds to the engine's: each game carries a [check sum](games::check_sum) of all its
//! positions.
//!
//! | module | what lives there |
//! |---|---|
//! | [`counts`] | games counted by seat, ending and length |
//! | [`games`] | the games that the page can replay |
//! | [`generations`] | which agents are generations of networks |
//! | [`page`] | the page; its tables |
//! | `html`, `svg` | text made safe; scales and marks of charts |
//! | `ratings`, `climb`, `lengths`, `bars` | one chart each |

mod bars;
mod climb;
pub mod counts;
pub mod games;
pub mod generations;
mod html;
mod lengths;
pub mod page;
mod ratings;
mod svg;

use std::path::{Path, PathBuf};

use giuthi_engine::files;

use crate::journal::{OutputError, REPORT};
use crate::rating::{Advantage, Encounter, Fit, Observation, Options, Rating};
use crate::recorded::{ReadError, Recorded, State};
use crate::tally::Tally;
use crate::tournament::Tournament;
use counts::Counts;
use games::Sample;

/// All that is told of a tournament.
#[derive(Debug)]
pub struct Report {
    /// The tournament.
    pub recorded: Recorded,
    /// The agents' names.
    pub names: Vec<String>,
    /// Games that are there.
    pub played: u64,
    /// Games that are to be there when all is played; the most there can be of a sequential test.
    pub planned: u64,
    /// Results, faults and times.
    pub tally: Tally,
    /// Seats, endings, lengths.
    pub counts: Counts,
    /// The agents by rating, those together that games connect.
    pub groups: Vec<Group>,
    /// The agents that are generations, by generation.
    pub generations: Vec<generations::Generation>,
    /// The games that can be replayed.
    pub sample: Sample,
}

/// Agents that games connect, so that their ratings compare.
#[derive(Clone, Debug)]
pub struct Group {
    /// The agents' numbers, the best first.
    pub agents: Vec<usize>,
    /// Their ratings, in the same order; the mean is 0. `None` for an agent that has not played.
    pub ratings: Option<Vec<Rating>>,
    /// What the first move is worth in these games, in Elo.
    pub first_move: Option<Rating>,
    /// Whether some took every point from others, so that the ratings lean on imaginary draws.
    pub leans_on_draws: bool,
}

impl Report {
    /// Reads the tournament of a folder.
    ///
    /// # Errors
    /// Where there is none, or its files are damaged.
    pub fn read(folder: &Path) -> Result<Report, ReadError> {
        let recorded = Recorded::open(folder)?;
        let names = recorded.about.names();
        let pairs = recorded.pairs();
        let mut tournament = Tournament::of_pairs(names.len(), recorded.pairings.clone(), pairs);
        let mut counts = Counts::new(names.len());
        let mut sample = Sample::new(recorded.variant, recorded.about.seed);
        recorded.read(|pair| {
            tournament.add(pair);
            pair.iter().for_each(|game| counts.add(game));
            sample.add(pair);
        })?;
        let groups = groups(names.len(), &tournament, &recorded.pairings, pairs);
        let generations = generations::of(&recorded.about.agents);
        Ok(Report {
            played: tournament.tally.first_player().games(),
            planned: 2 * recorded.pairs_here(),
            recorded,
            names,
            tally: tournament.tally,
            counts,
            groups,
            generations,
            sample,
        })
    }

    /// Whether games are still to be played here.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.recorded.state == State::Unfinished
    }

    /// The group of an agent, and its rank there from 1.
    #[must_use]
    pub fn place(&self, agent: usize) -> (usize, usize) {
        let place = |(number, group): (usize, &Group)| {
            Some((number, 1 + group.agents.iter().position(|&other| other == agent)?))
        };
        self.groups.iter().enumerate().find_map(place).expect("every agent is in a group")
    }

    /// An agent's rating, where it has played.
    #[must_use]
    pub fn rating(&self, agent: usize) -> Option<Rating> {
        let (group, rank) = self.place(agent);
        self.groups[group].ratings.as_ref().map(|ratings| ratings[rank - 1])
    }

    /// The agents' numbers in the order of the tables: group by group, the best first.
    pub fn ranked(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().flat_map(|group| group.agents.iter().copied())
    }
}

/// Writes `report.html` of a folder's tournament; it appears only when whole, in the place of an older one. Returns its
/// path.
///
/// # Errors
/// Where the folder holds no tournament, or its files are damaged, or the page cannot be written.
pub fn write(folder: &Path) -> Result<PathBuf, ReadError> {
    let report = Report::read(folder)?;
    let path = folder.join(REPORT);
    files::write_whole(&path, |out| page::write(&report, out)).map_err(OutputError::at(&path))?;
    Ok(path)
}

/// The agents rated, group by group; the largest group first.
fn groups(agents: usize, tournament: &Tournament, pairings: &[[usize; 2]], pairs: u64) -> Vec<Group> {
    let fit = Fit::new(agents, &tournament.rounds(), &Options::default());
    let ratings = fit.ratings();
    // What the first move is worth is fitted apart: the ratings do not need it, every pair being played from both seats.
    let options = Options { advantage: Advantage::Fitted, ..Options::default() };
    let first_move = Fit::new(agents, &by_seat(tournament, pairings, pairs), &options).advantages();
    let group = |(number, members): (usize, &Vec<usize>)| {
        let mut order = members.clone();
        order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
        let has_played = members.len() > 1;
        Group {
            ratings: has_played.then(|| order.iter().map(|&agent| ratings[agent]).collect()),
            agents: order,
            first_move: first_move[number].filter(|_| has_played),
            leans_on_draws: has_played && fit.leans_on_draws(number),
        }
    };
    let mut groups: Vec<Group> = fit.groups().iter().enumerate().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.agents.len()));
    groups
}

/// What each round came to, game by game: who moved first, first.
fn by_seat(tournament: &Tournament, pairings: &[[usize; 2]], pairs: u64) -> Vec<Observation> {
    let mut rounds: Vec<Observation> = Vec::new();
    let mut round = u64::MAX;
    for pair in 0..pairs {
        let Some([one, two]) = tournament.pair(pair) else { continue };
        let [a, b] = pairings[(pair % pairings.len() as u64) as usize];
        if round != pair / pairings.len() as u64 {
            round = pair / pairings.len() as u64;
            rounds.push(Vec::new());
        }
        let games = rounds.last_mut().expect("one was pushed");
        games.push(Encounter { agents: [a, b], games: 1, half_points: one });
        games.push(Encounter { agents: [b, a], games: 1, half_points: 2 - two });
    }
    rounds
}
