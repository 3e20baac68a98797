//! The ring of pits, and the only code that moves seeds: laps, relays, captures.

mod plain;
mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vector;

use crate::rules::{Direction, MAX_PITS, Player};

/// Seeds in the pits of the ring. Pits beyond `2W` do not exist and hold 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pits: [u8; MAX_PITS],
    width: u8,
}

/// How a move ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// In an empty pit of the opponent: nothing captured, the turn passes.
    Turn,
    /// In an own empty pit without having entered the opponent's row: the same player moves again.
    Extra,
    /// In an own empty pit after entering the opponent's row: seeds are captured, the turn passes.
    Capture,
    /// Never: the relay came back to its own first state (R9). The board stays as it was; the game is a draw.
    Endless,
    /// A forced pass: no seed was moved.
    Pass,
}

impl MoveKind {
    /// Every kind, in the order of its declaration.
    pub const ALL: [MoveKind; 5] =
        [MoveKind::Turn, MoveKind::Extra, MoveKind::Capture, MoveKind::Endless, MoveKind::Pass];

    /// The kind's name in the notations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MoveKind::Turn => "turn",
            MoveKind::Extra => "extra",
            MoveKind::Capture => "capture",
            MoveKind::Endless => "endless",
            MoveKind::Pass => "pass",
        }
    }
}

/// What a sowing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sowing {
    /// How it ended.
    pub kind: MoveKind,
    /// Laps sown; for an endless relay the laps until its first state recurred.
    pub laps: u32,
    /// Seeds captured, the one that landed included; 0 unless the kind is [`MoveKind::Capture`].
    pub captured: u8,
    /// Pits that a capture emptied beyond the landing pit's own column (the chain); 0 otherwise.
    pub chain: u8,
}

/// One lap of a sowing, as told to an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lap {
    /// The pit the seeds were lifted from.
    pub from: usize,
    /// How many seeds were lifted.
    pub seeds: u8,
    /// The direction they were sown in.
    pub direction: Direction,
    /// The pit where the last of them fell.
    pub to: usize,
    /// Whether that pit was empty before, so that the move ended there.
    pub last: bool,
    /// The board after the lap, before any capture.
    pub board: Board,
}

/// A relay sown to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Relay {
    /// Where and how it ended; `None` when it is endless (R9) and the board is as it was before.
    ///
    /// A lap can be undone in one way only (from where it landed, take one seed back from each pit until an empty one
    /// is met), so the states of a relay form a line or a ring: one that comes round at all comes back to its *first*
    /// state, and no other need be remembered.
    landing: Option<Landing>,
    /// Laps sown; for an endless relay the laps until its first state recurred.
    laps: u32,
}

/// Where the last seed of a relay fell: in an empty pit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Landing {
    pit: usize,
    /// The direction of the last lap.
    direction: Direction,
    /// Whether a seed of the move fell in the opponent's row (R3).
    entered: bool,
}

/// A way of sowing. All come to the same; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sower {
    /// A lap is one addition of byte vectors in registers (x86-64 with AVX2 and BMI2). Falls back to [`Sower::Portable`]
    /// where the processor has none, and where the feature `portable` is on.
    Vector,
    /// A lap is one addition of byte arrays from a table.
    Portable,
    /// One seed after another.
    Plain,
}

impl Sower {
    /// Every sower, fastest first.
    pub const ALL: [Sower; 3] = [Sower::Vector, Sower::Portable, Sower::Plain];

    /// The one that is used.
    #[inline]
    #[must_use]
    pub const fn fastest() -> Sower {
        if cfg!(feature = "portable") { Sower::Portable } else { Sower::Vector }
    }
}

/// The sum of eight bytes, at most 255.
#[inline]
fn sum(bytes: u64) -> u32 {
    // The highest byte of the product is the sum of all.
    (bytes.wrapping_mul(u64::MAX / 0xff) >> 56) as u32
}

impl Board {
    /// A board of rows of `width` pits, filled from `pits` in ring order.
    ///
    /// The caller has checked the bounds: 5 ≤ width ≤ 10, `pits.len() == 2 * width`, at most 255 seeds in all.
    pub(crate) fn from_pits(width: usize, pits: &[u8]) -> Board {
        debug_assert_eq!(pits.len(), 2 * width);
        let mut all = [0; MAX_PITS];
        all[..pits.len()].copy_from_slice(pits);
        Board { pits: all, width: width as u8 }
    }

    /// Pits in a row.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width as usize
    }

    /// Seeds in each pit, in ring order; `2W` numbers.
    #[must_use]
    pub fn pits(&self) -> &[u8] {
        &self.pits[..2 * self.width()]
    }

    /// The pits, and behind them as many zeros as make the largest board.
    #[inline]
    pub(crate) const fn all(&self) -> &[u8; MAX_PITS] {
        &self.pits
    }

    /// The pits as bytes of two words and a half, pit 0 lowest.
    #[inline]
    pub(crate) fn words(&self) -> [u64; 3] {
        let (eights, rest) = self.pits.as_chunks::<8>();
        let rest: [u8; 4] = rest.try_into().expect("four of the twenty pits are left");
        [u64::from_le_bytes(eights[0]), u64::from_le_bytes(eights[1]), u32::from_le_bytes(rest).into()]
    }

    /// Seeds in the pits of a player's row, in ring order.
    #[must_use]
    pub fn row(&self, player: Player) -> &[u8] {
        &self.pits[player.row(self.width())]
    }

    /// Seeds in the pits of a player's row, eight bits a pit, the row's first lowest.
    #[inline]
    pub(crate) fn row_lanes(&self, player: Player) -> u128 {
        let [low, middle, high] = self.words();
        let width = self.width();
        // The pits from the row's first on, those beyond the row cut off.
        let lanes = match player {
            Player::North => u128::from(low) | u128::from(middle) << 64,
            Player::South => {
                let shift = 8 * width as u32;
                (u128::from(low) | u128::from(middle) << 64) >> shift | u128::from(high) << (128 - shift)
            }
        };
        lanes & (u128::MAX >> (128 - 8 * width))
    }

    /// Seeds in a player's row together.
    #[inline]
    #[must_use]
    pub fn row_seeds(&self, player: Player) -> u32 {
        let lanes = self.row_lanes(player);
        sum(lanes as u64) + sum((lanes >> 64) as u64)
    }

    /// Seeds in all pits together.
    #[inline]
    #[must_use]
    pub fn seeds(&self) -> u32 {
        self.words().into_iter().map(sum).sum()
    }

    /// Whether a player has a pit that may be sown: one with at least two seeds.
    #[must_use]
    #[inline]
    pub fn can_sow(&self, player: Player) -> bool {
        self.sowable_in(player) != 0
    }

    /// The pits with at least two seeds, one bit a pit, pit 0 the lowest.
    #[inline]
    #[must_use]
    pub fn sowable(&self) -> u32 {
        #[cfg(target_arch = "x86_64")]
        return vector::sowable(self);
        #[cfg(not(target_arch = "x86_64"))]
        self.pits.iter().rev().fold(0, |bits, &seeds| bits << 1 | u32::from(seeds >= 2))
    }

    /// The pits of a player's row that may be sown, one bit a pit, the row's first the lowest.
    #[inline]
    #[must_use]
    pub fn sowable_in(&self, player: Player) -> u32 {
        self.sowable() >> player.first_pit(self.width()) & ((1 << self.width()) - 1)
    }

    /// The pit opposite a pit (R1): the ring runs round a real two-row board.
    #[must_use]
    pub const fn opposite(&self, pit: usize) -> usize {
        2 * self.width() - 1 - pit
    }

    /// The reflected board: each row reversed. Every pit keeps its owner and its opposite, and `cw` and `ccw`
    /// change places.
    #[must_use]
    pub fn mirrored(&self) -> Board {
        let mut mirrored = *self;
        let width = self.width();
        mirrored.pits[..width].reverse();
        mirrored.pits[width..2 * width].reverse();
        mirrored
    }

    /// The board seen from the other seat: the ring turned by half, so that the rows change owners.
    #[must_use]
    pub fn swapped(&self) -> Board {
        let mut swapped = *self;
        swapped.pits[..2 * self.width()].rotate_left(self.width());
        swapped
    }

    /// Sows `pit`, which holds at least two seeds and belongs to `player`, to the end of its relay, capture
    /// included. A board whose relay is endless is left as it was.
    #[inline]
    pub(crate) fn sow_by(
        &mut self,
        sower: Sower,
        player: Player,
        pit: usize,
        direction: Direction,
    ) -> Sowing {
        debug_assert!(self.pits[pit] >= 2 && player.row(self.width()).contains(&pit));
        let relay = match sower {
            #[cfg(target_arch = "x86_64")]
            Sower::Vector if vector::available() => return vector::sow(self, player, pit, direction),
            Sower::Vector | Sower::Portable => self.relay_portably(player, pit, direction),
            Sower::Plain => self.relay_plainly(player, pit, direction, |_| {}),
        };
        self.land(player, relay)
    }

    /// Sows every pit of `player`'s that may be sown, both ways, each on a board of its own: tells of each its pit, its
    /// direction, the board after it and what it did, in the order in which moves are generated.
    #[inline]
    pub(crate) fn sow_each(
        &self,
        sower: Sower,
        player: Player,
        mut visit: impl FnMut(usize, Direction, &Board, Sowing),
    ) {
        #[cfg(target_arch = "x86_64")]
        if sower == Sower::Vector && vector::available() {
            return vector::sow_each(self, player, &mut visit);
        }
        let first = player.first_pit(self.width());
        let mut pits = self.sowable_in(player);
        while pits != 0 {
            let pit = first + pits.trailing_zeros() as usize;
            pits &= pits - 1;
            for direction in Direction::BOTH {
                let mut after = *self;
                let sowing = after.sow_by(sower, player, pit, direction);
                visit(pit, direction, &after, sowing);
            }
        }
    }

    /// [`Board::sow_by`] seed by seed, telling `observe` every lap.
    pub(crate) fn sow_observed(
        &mut self,
        player: Player,
        pit: usize,
        direction: Direction,
        observe: impl FnMut(Lap),
    ) -> Sowing {
        let relay = self.relay_plainly(player, pit, direction, observe);
        self.land(player, relay)
    }

    /// Ends a move after its relay: decides its kind and captures.
    #[inline]
    fn land(&mut self, player: Player, relay: Relay) -> Sowing {
        let laps = relay.laps;
        let Some(landing) = relay.landing else {
            return Sowing { kind: MoveKind::Endless, laps, captured: 0, chain: 0 };
        };
        if !player.row(self.width()).contains(&landing.pit) {
            return Sowing { kind: MoveKind::Turn, laps, captured: 0, chain: 0 };
        }
        if !landing.entered {
            return Sowing { kind: MoveKind::Extra, laps, captured: 0, chain: 0 };
        }
        let (captured, chain) = self.capture(player, landing.pit, landing.direction);
        Sowing { kind: MoveKind::Capture, laps, captured, chain }
    }

    /// Takes the seed that landed at `pit` and all opposite it (R5: also when there is nothing opposite), then along
    /// the chain: the seeds opposite each empty own pit that follows in the direction of the last lap, up to the
    /// first occupied pit or the end of the row (R6: an empty opposite pit does not break it). Returns the seeds
    /// taken and the length of the chain beyond the landing pit.
    fn capture(&mut self, player: Player, pit: usize, direction: Direction) -> (u8, u8) {
        let own = player.row(self.width());
        let mut captured = std::mem::take(&mut self.pits[pit]);
        captured += std::mem::take(&mut self.pits[self.opposite(pit)]);
        let mut chain = 0;
        let mut at = pit;
        loop {
            // The row's ends are the ends of the range: stepping out of it may leave the ring's numbers as well.
            let next = match direction {
                Direction::Ccw => at + 1,
                Direction::Cw => at.wrapping_sub(1),
            };
            if !own.contains(&next) || self.pits[next] > 0 {
                return (captured, chain);
            }
            captured += std::mem::take(&mut self.pits[self.opposite(next)]);
            chain += 1;
            at = next;
        }
    }
}
