//! The portable sower: a lap is one addition of byte arrays from a table, which any compiler turns into the vector
//! instructions that every processor of its kind has.

use super::{Board, Landing, Relay};
use crate::rules::{Direction, MAX_PITS, MAX_WIDTH, MIN_WIDTH, Player};

/// One seed into each of the `count` pits after `from`: `SEEDS[width - 5][direction][from][count]`, `count < 2W`.
static SEEDS: [[[[[u8; MAX_PITS]; MAX_PITS]; MAX_PITS]; 2]; MAX_WIDTH - MIN_WIDTH + 1] = {
    let mut seeds = [[[[[0; MAX_PITS]; MAX_PITS]; MAX_PITS]; 2]; MAX_WIDTH - MIN_WIDTH + 1];
    let mut width = MIN_WIDTH;
    while width <= MAX_WIDTH {
        let ring = 2 * width;
        let mut from = 0;
        while from < ring {
            let mut count = 1;
            while count < ring {
                let [ccw, cw] = &mut seeds[width - MIN_WIDTH];
                ccw[from][count] = ccw[from][count - 1];
                ccw[from][count][(from + count) % ring] = 1;
                cw[from][count] = cw[from][count - 1];
                cw[from][count][(from + ring - count) % ring] = 1;
                count += 1;
            }
            from += 1;
        }
        width += 1;
    }
    seeds
};

impl Board {
    /// Sows a relay to its end, a lap at a time.
    pub(super) fn relay_portably(&mut self, player: Player, pit: usize, direction: Direction) -> Relay {
        let width = self.width();
        let ring = 2 * width;
        let own = player.row(width);
        let tables = &SEEDS[width - MIN_WIDTH];
        let start = *self;
        let (mut from, mut way) = (pit, direction);
        let mut entered = false;
        let mut laps = 0;
        loop {
            let seeds = usize::from(std::mem::take(&mut self.pits[from]));
            let (mut rounds, mut rest) = (0, seeds);
            while rest >= ring {
                rounds += 1;
                rest -= ring;
            }
            let added = &tables[way as usize][from][rest];
            for (pit, &seed) in self.pits.iter_mut().zip(added) {
                *pit += seed;
            }
            if rounds > 0 {
                // R2: the pit that the lap started from has its seed in every round.
                for pit in &mut self.pits[..ring] {
                    *pit += rounds;
                }
            }
            let to = match way {
                Direction::Ccw => {
                    entered |= from + seeds >= own.end;
                    let to = from + rest;
                    if to >= ring { to - ring } else { to }
                }
                Direction::Cw => {
                    entered |= from < own.start + seeds;
                    let to = from + ring - rest;
                    if to >= ring { to - ring } else { to }
                }
            };
            laps += 1;
            if self.pits[to] == 1 {
                return Relay { landing: Some(Landing { pit: to, direction: way, entered }), laps };
            }
            from = to;
            way = way.reversed();
            if from == pit && way == direction && *self == start {
                return Relay { landing: None, laps };
            }
        }
    }
}
