//! Results counted: by agent and opponent, by seat and by ending; and the time taken.

use std::time::Duration;

use giuthi_engine::ugi::session::FaultKind;
use giuthi_engine::{Ending, Outcome, Player};
use serde::Serialize;

use crate::play::Played;

/// Wins, draws and losses from one side's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WinsDrawsLosses {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl WinsDrawsLosses {
    /// Counts one game more.
    pub fn add(&mut self, outcome: Outcome, side: Player) {
        match outcome.result_for(side) {
            1 => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    /// Games in all.
    #[must_use]
    pub const fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: one a win, half a point a draw.
    #[must_use]
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points a game, 0 … 1; one half where there is no game.
    #[must_use]
    pub fn score(self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: WinsDrawsLosses) -> WinsDrawsLosses {
        WinsDrawsLosses {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

/// The results of a tournament.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Each agent against each, from the first one's view.
    results: Vec<Vec<WinsDrawsLosses>>,
    first_player: WinsDrawsLosses,
    endings: [u64; Ending::ALL.len()],
    /// Games that each agent lost by a fault.
    faults: Vec<[u64; FaultKind::ALL.len()]>,
    asked: Vec<u64>,
    time: Vec<Duration>,
}

impl Tally {
    /// Nothing counted yet, for so many agents.
    #[must_use]
    pub fn new(agents: usize) -> Tally {
        Tally {
            results: vec![vec![WinsDrawsLosses::default(); agents]; agents],
            first_player: WinsDrawsLosses::default(),
            endings: [0; Ending::ALL.len()],
            faults: vec![[0; FaultKind::ALL.len()]; agents],
            asked: vec![0; agents],
            time: vec![Duration::ZERO; agents],
        }
    }

    /// Counts a game.
    ///
    /// # Panics
    /// When an agent's number is too great.
    pub fn add(&mut self, played: &Played) {
        let Played { players: [south, north], course, .. } = played;
        self.results[*south][*north].add(course.outcome, Player::South);
        self.results[*north][*south].add(course.outcome, Player::North);
        self.first_player.add(course.outcome, Player::South);
        if let Some(ending) = course.ending {
            self.endings[ending as usize] += 1;
        }
        if let (Some(fault), Outcome::Win(winner)) = (course.fault, course.outcome) {
            self.faults[played.players[winner.opponent().index()]][fault as usize] += 1;
        }
        for (seat, &agent) in played.players.iter().enumerate() {
            self.asked[agent] += u64::from(course.asked[seat]);
            self.time[agent] += course.time[seat];
        }
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.results.len()
    }

    /// An agent's games against one other.
    #[must_use]
    pub fn between(&self, agent: usize, opponent: usize) -> WinsDrawsLosses {
        self.results[agent][opponent]
    }

    /// An agent's games against all others.
    #[must_use]
    pub fn of(&self, agent: usize) -> WinsDrawsLosses {
        self.results[agent].iter().fold(WinsDrawsLosses::default(), |sum, &games| sum.plus(games))
    }

    /// All games, from the view of player 0, who moves first.
    #[must_use]
    pub const fn first_player(&self) -> WinsDrawsLosses {
        self.first_player
    }

    /// How many games ended so by the rules.
    #[must_use]
    pub const fn ended(&self, ending: Ending) -> u64 {
        self.endings[ending as usize]
    }

    /// How many games an agent lost by a fault of this kind.
    #[must_use]
    pub fn faults(&self, agent: usize, kind: FaultKind) -> u64 {
        self.faults[agent][kind as usize]
    }

    /// How many games ended by a fault of anybody's.
    #[must_use]
    pub fn forfeits(&self) -> u64 {
        self.faults.iter().flatten().sum()
    }

    /// Mean time that an agent took for a move it was asked for; zero where it was asked for none.
    #[must_use]
    pub fn time_a_move(&self, agent: usize) -> Duration {
        self.time[agent].div_f64(self.asked[agent].max(1) as f64)
    }
}
