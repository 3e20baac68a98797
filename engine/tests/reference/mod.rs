//! The slow twin of the rules: one seed after another, every state remembered, nothing shared with the engine but
//! `docs/rules.md`. Slow and plain on purpose.

use std::collections::HashSet;

/// A game as the rules tell it. Pits in ring order: player 1 owns the first half, player 0 the second.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) pits: Vec<u32>,
    pub(crate) piles: [u32; 2],
    pub(crate) mover: usize,
    /// `no-moves`, `repetition` or `endless`, once the game is over.
    pub(crate) ending: Option<&'static str>,
    /// Every board with its player to move, from the start of the game on.
    met: HashSet<(Vec<u32>, usize)>,
}

/// What one move did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) kind: &'static str,
    pub(crate) laps: usize,
    pub(crate) captured: u32,
    /// Columns that a capture took from beyond that of the landing pit.
    pub(crate) chain: usize,
}

impl Reference {
    pub(crate) fn new(pits: Vec<u32>, piles: [u32; 2], mover: usize) -> Reference {
        let met = HashSet::from([(pits.clone(), mover)]);
        let mut game = Reference { pits, piles, mover, ending: None, met };
        if game.stuck(0) && game.stuck(1) {
            game.ending = Some("no-moves");
        }
        game
    }

    fn owner(&self, pit: usize) -> usize {
        if pit < self.pits.len() / 2 { 1 } else { 0 }
    }

    fn pits_of(&self, player: usize) -> Vec<usize> {
        (0..self.pits.len()).filter(|&pit| self.owner(pit) == player).collect()
    }

    fn stuck(&self, player: usize) -> bool {
        self.pits_of(player).iter().all(|&pit| self.pits[pit] < 2)
    }

    /// The pit that a step of `way` (1 or -1) round the ring leads to.
    fn next(&self, pit: usize, way: i32) -> usize {
        (pit as i32 + way).rem_euclid(self.pits.len() as i32) as usize
    }

    /// The legal moves as they are written; none when the game is over.
    pub(crate) fn legal(&self) -> Vec<String> {
        if self.ending.is_some() {
            return Vec::new();
        }
        if self.stuck(self.mover) {
            return vec!["pass".to_owned()];
        }
        let sowable = self.pits_of(self.mover).into_iter().filter(|&pit| self.pits[pit] >= 2);
        sowable.flat_map(|pit| [format!("{pit}ccw"), format!("{pit}cw")]).collect()
    }

    /// Each player's pile and row together, player 0 first.
    pub(crate) fn scores(&self) -> [u32; 2] {
        [0, 1].map(|player| {
            self.piles[player] + self.pits_of(player).iter().map(|&pit| self.pits[pit]).sum::<u32>()
        })
    }

    /// Plays a legal move.
    pub(crate) fn play(&mut self, mv: &str) -> Deed {
        assert!(self.legal().iter().any(|legal| legal == mv), "{mv} is illegal");
        let deed = if mv == "pass" {
            Deed { kind: "pass", laps: 0, captured: 0, chain: 0 }
        } else if let Some(pit) = mv.strip_suffix("ccw") {
            self.sow(pit.parse().unwrap(), 1)
        } else {
            self.sow(mv.strip_suffix("cw").unwrap().parse().unwrap(), -1)
        };
        if deed.kind == "endless" {
            self.ending = Some("endless");
            return deed;
        }
        if deed.kind != "extra" {
            self.mover = 1 - self.mover;
        }
        if !self.met.insert((self.pits.clone(), self.mover)) {
            self.ending = Some("repetition");
        } else if self.stuck(0) && self.stuck(1) {
            self.ending = Some("no-moves");
        }
        deed
    }

    fn sow(&mut self, pit: usize, way: i32) -> Deed {
        let untouched = self.pits.clone();
        let mut been = HashSet::new();
        let (mut from, mut way) = (pit, way);
        let mut crossed = false;
        let mut laps = 0;
        let landed = loop {
            if !been.insert((self.pits.clone(), from, way)) {
                self.pits = untouched;
                return Deed { kind: "endless", laps, captured: 0, chain: 0 };
            }
            let mut hand = self.pits[from];
            self.pits[from] = 0;
            let mut at = from;
            while hand > 0 {
                at = self.next(at, way);
                self.pits[at] += 1;
                hand -= 1;
                if self.owner(at) != self.mover {
                    crossed = true;
                }
            }
            laps += 1;
            if self.pits[at] == 1 {
                break at;
            }
            from = at;
            way = -way;
        };
        if self.owner(landed) != self.mover {
            return Deed { kind: "turn", laps, captured: 0, chain: 0 };
        }
        if !crossed {
            return Deed { kind: "extra", laps, captured: 0, chain: 0 };
        }
        let mut captured = self.take(landed);
        let mut columns = vec![landed];
        let mut at = self.next(landed, way);
        while self.owner(at) == self.mover && self.pits[at] == 0 && !columns.contains(&at) {
            columns.push(at);
            at = self.next(at, way);
        }
        for &column in &columns {
            captured += self.take(self.facing(column));
        }
        self.piles[self.mover] += captured;
        Deed { kind: "capture", laps, captured, chain: columns.len() - 1 }
    }

    fn take(&mut self, pit: usize) -> u32 {
        std::mem::take(&mut self.pits[pit])
    }

    /// The pit across: pit 0 faces the last one, and so inwards.
    fn facing(&self, pit: usize) -> usize {
        let across: Vec<usize> = (0..self.pits.len()).rev().collect();
        across[pit]
    }
}
