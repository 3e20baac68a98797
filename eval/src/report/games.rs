//! The games that a page can replay: all of them, or, of very many, a part that is drawn evenly.

use std::collections::BinaryHeap;

use giuthi_engine::board::MoveKind;
use giuthi_engine::{Direction, Game, Move, Outcome, Player, Variant};

use super::counts::{ENDINGS, ending};
use crate::play::{Course, Played};

/// Most games that a page holds: with them it has some two megabytes. Of more a part is drawn, pair by pair.
pub const MOST: usize = 20_000;

/// Moves as letters: pit 0 `ccw`, pit 0 `cw`, pit 1 `ccw`, and so on.
const LETTERS: &[u8; 40] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn";
/// A forced pass.
const PASS: u8 = b'-';

/// The games of a page.
#[derive(Clone, Debug)]
pub struct Sample {
    variant: Variant,
    seed: u64,
    /// The pairs kept; the one with the greatest lot on top, to go first.
    kept: BinaryHeap<Kept>,
}

/// A pair of games by its lot, so that whatever the order they come in, the same are kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    lot: u64,
    pair: u64,
    /// Both games as the page has them.
    rows: [Box<str>; 2],
}

impl Sample {
    /// No games yet.
    #[must_use]
    pub const fn new(variant: Variant, seed: u64) -> Sample {
        Sample { variant, seed, kept: BinaryHeap::new() }
    }

    /// Adds a pair of games, or leaves it out where others are to be kept.
    pub fn add(&mut self, pair: &[Played; 2]) {
        let number = pair[0].game / 2;
        let lot = lot(self.seed, number);
        if self.kept.len() >= MOST / 2 {
            if self.kept.peek().is_some_and(|last| (lot, number) >= (last.lot, last.pair)) {
                return;
            }
            self.kept.pop();
        }
        let rows = pair.each_ref().map(|game| row(self.variant, game).into_boxed_str());
        self.kept.push(Kept { lot, pair: number, rows });
    }

    /// How many games it has.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.kept.len()
    }

    /// The games in the order of their numbers, each a JSON array: number, agents of player 0 and player 1, plies of the
    /// opening, winner (2 for a draw), ending (from 3 on faults), check sum, moves.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        let mut kept: Vec<&Kept> = self.kept.iter().collect();
        kept.sort_unstable_by_key(|kept| kept.pair);
        kept.into_iter().flat_map(|kept| kept.rows.iter().map(AsRef::as_ref))
    }
}

/// A number drawn for a pair, each as likely: SplitMix64 (Steele, Lea and Flood 2014).
const fn lot(seed: u64, pair: u64) -> u64 {
    let mut x = seed.wrapping_add(pair.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn row(variant: Variant, played: &Played) -> String {
    let Played { game, players: [south, north], course, .. } = played;
    let winner = match course.outcome {
        Outcome::Win(Player::South) => 0,
        Outcome::Win(Player::North) => 1,
        Outcome::Draw => 2,
    };
    let end = ending(played) + course.fault.map_or(0, |fault| fault as usize);
    debug_assert!(course.fault.is_none() || end >= ENDINGS - 1);
    let (opening, sum, moves) = (course.opening, check_sum(variant, course), letters(&course.moves));
    format!("[{game},{south},{north},{opening},{winner},{end},\"{sum:08x}\",\"{moves}\"]")
}

/// Moves as letters, one each.
#[must_use]
pub fn letters(moves: &[Move]) -> String {
    let letter = |mv: &Move| match *mv {
        Move::Pass => PASS,
        Move::Sow { pit, direction } => {
            LETTERS[2 * usize::from(pit) + usize::from(direction == Direction::Cw)]
        }
    };
    moves.iter().map(|mv| char::from(letter(mv))).collect()
}

/// A check sum of everything that the moves of a game did, as the engine plays them: FNV-1a of 32 bits (Fowler, Noll and
/// Vo 1991) over, for each ply, the pits in ring order, both piles and the player to move after it, its laps (two bytes,
/// the lower one first), seeds captured, the chain's length, and its kind (`turn` 0, `extra`, `capture`, `endless`,
/// `pass` 4).
///
/// # Panics
/// When the moves cannot be played.
#[must_use]
pub fn check_sum(variant: Variant, course: &Course) -> u32 {
    let mut game = Game::new(variant);
    let mut sum = 0x811c_9dc5_u32;
    let mut take = |byte: u8| sum = (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    for &mv in &course.moves {
        let sowing = game.play(mv).expect("the moves were played before").sowing;
        let after = game.position();
        after.board().pits().iter().copied().chain(after.piles()).for_each(&mut take);
        take(after.to_move() as u8);
        let [low, high, ..] = sowing.laps.to_le_bytes();
        let kind = match sowing.kind {
            MoveKind::Turn => 0,
            MoveKind::Extra => 1,
            MoveKind::Capture => 2,
            MoveKind::Endless => 3,
            MoveKind::Pass => 4,
        };
        [low, high, sowing.captured, sowing.chain, kind].into_iter().for_each(&mut take);
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use giuthi_engine::ugi::session::FaultKind;

    use super::*;

    fn pair(number: u64) -> [Played; 2] {
        let course = Course {
            opening: 1,
            moves: vec![Move::sow(7, Direction::Ccw), Move::sow(2, Direction::Cw)],
            outcome: Outcome::Win(Player::North),
            ending: None,
            fault: Some(FaultKind::Crash),
            asked: [1, 1],
            time: [Duration::ZERO; 2],
        };
        [0, 1].map(|second| Played {
            game: 2 * number + second,
            round: 0,
            players: [0, 1],
            course: course.clone(),
        })
    }

    #[test]
    fn a_row_says_it_all() {
        let mut sample = Sample::new("2x5x4".parse().unwrap(), 1);
        sample.add(&pair(3));
        // 7ccw is letter 14, 2cw letter 5; a crash is the third kind of fault, behind three endings. The check sum is that
        // of another program over 7 1 4 4 4 4 0 2 7 7 0 0 1, 3 0 0 0 0 and 9 3 1 5 5 5 1 2 0 9 0 0 0, 2 0 0 0 0.
        assert_eq!(sample.rows().next(), Some("[6,0,1,1,1,5,\"1777a207\",\"OF\"]"));
    }

    #[test]
    fn of_many_games_the_same_are_kept_whatever_their_order_and_none_is_favoured() {
        let pairs = 3 * MOST as u64 / 2;
        let kept = |numbers: &mut dyn Iterator<Item = u64>| -> Vec<u64> {
            let mut sample = Sample::new("2x5x4".parse().unwrap(), 9);
            numbers.for_each(|number| sample.add(&pair(number)));
            assert_eq!(sample.games(), MOST);
            let game = |row: &str| row[1..].split(',').next().unwrap().parse::<u64>().unwrap();
            sample.rows().map(game).collect()
        };
        let forward = kept(&mut (0..pairs));
        assert!(forward.is_sorted() && forward == kept(&mut (0..pairs).rev()));
        // A third of the pairs whichever way they are split: six standard deviations are 283 of 3333.
        for of in 0..3 {
            let [by_number, by_place] = [
                forward.iter().filter(|&&game| game / 2 % 3 == of).count(),
                forward.iter().filter(|&&game| game / 2 / (pairs / 3) == of).count(),
            ];
            for count in [by_number, by_place] {
                assert!((count / 2).abs_diff(MOST / 6) < 283, "{count}");
            }
        }
    }
}
