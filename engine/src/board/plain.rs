//! The plain sower: one seed after another, every lap told to an observer. It is what the fast sowers are held to, and
//! what tells a person the laps of a move.

use super::{Board, Landing, Lap, Relay};
use crate::rules::{Direction, Player};

impl Board {
    /// Sows a relay to its end, seed by seed; see [`Board::relay`](super::Board).
    pub(super) fn relay_plainly(
        &mut self,
        player: Player,
        pit: usize,
        direction: Direction,
        mut observe: impl FnMut(Lap),
    ) -> Relay {
        let start = *self;
        let (mut from, mut way) = (pit, direction);
        let mut entered = false;
        let mut laps = 0;
        loop {
            let lap = self.lap(from, way, player, &mut entered);
            laps += 1;
            observe(lap);
            if lap.last {
                return Relay { landing: Some(Landing { pit: lap.to, direction: way, entered }), laps };
            }
            from = lap.to;
            way = way.reversed();
            if from == pit && way == direction && *self == start {
                return Relay { landing: None, laps };
            }
        }
    }

    /// Lifts the seeds of `from` and drops them one at a time into the pits that follow. The pit they came from is
    /// not skipped (R2). Sets `entered` when a seed falls in the row of `player`'s opponent (R3: over the whole move).
    fn lap(&mut self, from: usize, direction: Direction, player: Player, entered: &mut bool) -> Lap {
        let ring = 2 * self.width();
        let own = player.row(self.width());
        let seeds = std::mem::take(&mut self.pits[from]);
        let mut to = from;
        for _ in 0..seeds {
            to = match direction {
                Direction::Ccw => {
                    if to + 1 == ring {
                        0
                    } else {
                        to + 1
                    }
                }
                Direction::Cw => {
                    if to == 0 {
                        ring - 1
                    } else {
                        to - 1
                    }
                }
            };
            self.pits[to] += 1;
            *entered |= !own.contains(&to);
        }
        Lap { from, seeds, direction, to, last: self.pits[to] == 1, board: *self }
    }
}
