//! Results of games between named agents, wherever they were played: who moved first, who won, and which games share an
//! opening.

use std::collections::{BTreeMap, HashMap};

use giuthi_engine::{Outcome, Player};

use crate::rating::{Encounter, Observation};
use crate::tally::WinsDrawsLosses;

/// A game's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The agents' numbers, `[player 0, player 1]`.
    pub players: [usize; 2],
    /// Who won.
    pub outcome: Outcome,
    /// The round it belongs to, whose games share an opening; none for a game on its own.
    pub round: Option<usize>,
}

impl Scored {
    /// What an agent that played got: 2 a win, 1 a draw.
    #[must_use]
    pub fn half_points(&self, agent: usize) -> u32 {
        let seat = if self.players[0] == agent { Player::South } else { Player::North };
        (self.outcome.result_for(seat) + 1) as u32
    }
}

/// How a result is written, player 0 first.
#[must_use]
pub const fn written(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Player::South) => "1-0",
        Outcome::Win(Player::North) => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

/// Games between agents, which are numbered in the order of their first games.
#[derive(Clone, Debug, Default)]
pub struct Results {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    games: Vec<Scored>,
    /// The number that each round has in its file, if it has one.
    rounds: Vec<Option<u64>>,
    /// Games that were not finished, and so do not count.
    pub unfinished: u64,
}

impl Results {
    /// A round more, with the number it has where it comes from, if it has one; its number here.
    pub fn add_round(&mut self, number: Option<u64>) -> usize {
        self.rounds.push(number);
        self.rounds.len() - 1
    }

    /// A game more.
    ///
    /// # Panics
    /// When an agent plays against itself, or the round has not been added.
    pub fn add(&mut self, names: [&str; 2], outcome: Outcome, round: Option<usize>) {
        assert!(
            names[0] != names[1] && round.is_none_or(|round| round < self.rounds.len()),
            "a game of two agents"
        );
        let players = names.map(|name| self.number(name));
        self.games.push(Scored { players, outcome, round });
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.numbers.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// The agents' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of an agent.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The games, in the order in which they were added.
    #[must_use]
    pub fn games(&self) -> &[Scored] {
        &self.games
    }

    /// The games as independent observations: the rounds, and the games that belong to none.
    #[must_use]
    pub fn observations(&self) -> Vec<Observation> {
        let mut rounds: Vec<Observation> = vec![Vec::new(); self.rounds.len()];
        let mut alone = Vec::new();
        for game in &self.games {
            let encounter =
                Encounter { agents: game.players, games: 1, half_points: game.half_points(game.players[0]) };
            match game.round {
                Some(round) => rounds[round].push(encounter),
                None => alone.push(vec![encounter]),
            }
        }
        rounds.into_iter().filter(|round| !round.is_empty()).chain(alone).collect()
    }

    /// Each agent against each, from the first one's view.
    #[must_use]
    pub fn crossed(&self) -> Vec<Vec<WinsDrawsLosses>> {
        let agents = self.names.len();
        let mut crossed = vec![vec![WinsDrawsLosses::default(); agents]; agents];
        for &Scored { players: [first, second], outcome, .. } in &self.games {
            crossed[first][second].add(outcome, Player::South);
            crossed[second][first].add(outcome, Player::North);
        }
        crossed
    }

    /// All games, from the view of player 0, who moves first.
    #[must_use]
    pub fn first_player(&self) -> WinsDrawsLosses {
        let mut first = WinsDrawsLosses::default();
        for game in &self.games {
            first.add(game.outcome, Player::South);
        }
        first
    }

    /// Two agents of whom one moved first more often in their games against each other, if there are such.
    #[must_use]
    pub fn uneven_seats(&self) -> Option<[usize; 2]> {
        let mut surplus: BTreeMap<[usize; 2], i64> = BTreeMap::new();
        for &Scored { players: [first, second], .. } in &self.games {
            let (two, more) = if first < second { ([first, second], 1) } else { ([second, first], -1) };
            *surplus.entry(two).or_default() += more;
        }
        surplus.into_iter().find(|&(_, surplus)| surplus != 0).map(|(two, _)| two)
    }

    /// The pairs of two agents: two games of one round with the seats swapped, by the half-points of `agent` in each. In
    /// the order of the rounds' numbers, where all have one, else in that of their first games. Games that make no pair
    /// are left out; a round may hold several pairs.
    #[must_use]
    pub fn pairs(&self, agent: usize, opponent: usize) -> Vec<[u32; 2]> {
        /// The first games of a round that wait for a partner, by seat of the agent.
        type Waiting = [Vec<usize>; 2];
        let mut waiting: HashMap<usize, Waiting> = HashMap::new();
        let numbered = self.rounds.iter().all(Option::is_some);
        let mut pairs = Vec::new();
        for (i, game) in self.games.iter().enumerate() {
            let Some(round) = game.round else { continue };
            let seat = match game.players {
                players if players == [agent, opponent] => 0,
                players if players == [opponent, agent] => 1,
                _ => continue,
            };
            let games = waiting.entry(round).or_default();
            if games[1 - seat].is_empty() {
                games[seat].push(i);
            } else {
                let first = games[1 - seat].remove(0);
                let place = (self.rounds[round].filter(|_| numbered), first);
                pairs.push((place, [&self.games[first], game].map(|game| game.half_points(agent))));
            }
        }
        pairs.sort_by_key(|&(place, _): &((Option<u64>, usize), _)| place);
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    /// The games in the Portable Game Notation, without their moves: what other rating programs read. Player 0 is
    /// White.
    #[must_use]
    pub fn pgn(&self) -> String {
        let quoted = |agent: usize| self.names[agent].replace('\\', "\\\\").replace('"', "\\\"");
        let game = |game: &Scored| {
            let [white, black] = game.players.map(quoted);
            let result = written(game.outcome);
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{result}\n\n")
        };
        self.games.iter().map(game).collect()
    }
}
