//! Problems solved without tables: every position that play can lead to from a problem is looked up, and who can force a
//! win among them is found from the ends of games backwards. It shares nothing with the tables but the rules.

use std::collections::HashMap;

use giuthi_engine::{Game, Move, MoveKind, Player, Position};

/// Where a move leads.
#[derive(Clone, Copy)]
enum To {
    /// A position by its number.
    Position(u32),
    /// A draw on the spot: an endless relay.
    Draw,
}

/// Seeds in the pits.
fn on_board(position: &Position) -> i32 {
    position.board().pits().iter().map(|&seeds| i32::from(seeds)).sum()
}

/// All positions that can be reached from one, and their moves.
pub(super) struct Reach {
    numbers: HashMap<Position, u32>,
    positions: Vec<Position>,
    /// The moves of a position are those from its number's place to the next one's.
    places: Vec<u32>,
    moves: Vec<(Move, To)>,
    /// For each position those that a move leads to it from.
    before: Vec<Vec<u32>>,
    /// Whose win is asked for.
    winner: Player,
}

/// How many seeds a player is ahead, piles alone.
fn lead(position: &Position, player: Player) -> i32 {
    let [mine, others] =
        [player, player.opponent()].map(|player| i32::from(position.piles()[player.index()]));
    mine - others
}

impl Reach {
    /// Looks up everything that can be reached. Positions in which `winner` could not come out ahead with all seeds of the
    /// board are not gone on from.
    pub(super) fn new(root: Position, winner: Player) -> Reach {
        let mut reach = Reach {
            numbers: HashMap::new(),
            positions: Vec::new(),
            places: vec![0],
            moves: Vec::new(),
            before: Vec::new(),
            winner,
        };
        reach.number(root);
        let mut at = 0;
        while at < reach.positions.len() {
            let position = reach.positions[at];
            if lead(&position, winner) + on_board(&position) > 0 {
                for mv in position.moves() {
                    let step = position.step(mv);
                    let to = match step.sowing.kind {
                        MoveKind::Endless => To::Draw,
                        _ => To::Position(reach.number(step.position)),
                    };
                    reach.moves.push((mv, to));
                }
            }
            reach.places.push(reach.moves.len() as u32);
            at += 1;
        }
        reach.before = vec![Vec::new(); reach.positions.len()];
        for number in 0..reach.positions.len() {
            for at in reach.places[number] as usize..reach.places[number + 1] as usize {
                if let (_, To::Position(to)) = reach.moves[at] {
                    reach.before[to as usize].push(number as u32);
                }
            }
        }
        reach
    }

    fn number(&mut self, position: Position) -> u32 {
        *self.numbers.entry(position).or_insert_with(|| {
            self.positions.push(position);
            self.positions.len() as u32 - 1
        })
    }

    fn moves(&self, number: usize) -> &[(Move, To)] {
        &self.moves[self.places[number] as usize..self.places[number + 1] as usize]
    }

    /// For each position, whether the winner can force a win from it in a game that has `met` some already: coming back to
    /// one of them is a draw. A win has to be reached in so many moves, so nothing that goes round counts as one.
    fn won(&self, met: &[Position]) -> Vec<bool> {
        let numbers = 0..self.positions.len();
        let mut left: Vec<u32> = numbers.clone().map(|number| self.moves(number).len() as u32).collect();
        let blocked: Vec<u32> = met.iter().filter_map(|met| self.numbers.get(met).copied()).collect();
        let mut won = vec![false; self.positions.len()];
        let mut open: Vec<u32> = numbers
            .map(|number| number as u32)
            .filter(|&number| {
                let position = &self.positions[number as usize];
                let score = position.score().map(|seeds| seeds as i32);
                let [mine, others] =
                    [self.winner, self.winner.opponent()].map(|player| score[player.index()]);
                position.no_moves() && mine > others
            })
            .collect();
        for &number in &open {
            won[number as usize] = true;
        }
        while let Some(number) = open.pop() {
            for &from in &self.before[number as usize] {
                if won[from as usize] || blocked.contains(&from) {
                    continue;
                }
                left[from as usize] -= 1;
                if self.positions[from as usize].to_move() == self.winner || left[from as usize] == 0 {
                    won[from as usize] = true;
                    open.push(from);
                }
            }
        }
        won
    }

    /// The moves of a game's position after which the winner can force a win, its history with it.
    pub(super) fn winning(&self, game: &Game) -> Vec<Move> {
        let number = self.numbers[game.position()] as usize;
        let won = self.won(game.recent());
        let wins = |to: To| match to {
            To::Position(to) => won[to as usize] && !game.recent().contains(&self.positions[to as usize]),
            To::Draw => false,
        };
        self.moves(number).iter().filter(|&&(_, to)| wins(to)).map(|&(mv, _)| mv).collect()
    }
}
