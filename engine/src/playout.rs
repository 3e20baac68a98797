//! Playouts: games of random moves from a position to their end, by the full rules, without allocation a move.
//!
//! Each game has a generator of its own (wyrand), so that its moves depend on nothing but its seed: not on the
//! games played beside it, nor on how they are played. Where the processor can, several games run at once, a lap of
//! each in turn: one game by itself is a single chain of laps that the processor would mostly wait for.

mod recorded;

#[cfg(target_arch = "x86_64")]
use crate::board::vector;
use crate::board::{MoveKind, Sower};
use crate::game::{Ending, Outcome};
use crate::position::Position;
use crate::rules::{Direction, Move, Player};

pub use recorded::Recorded;

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// How.
    pub ending: Ending,
    /// Who won.
    pub outcome: Outcome,
    /// Plies played, passes included.
    pub plies: u32,
    /// Laps sown.
    pub laps: u64,
}

impl Finish {
    /// A game not played.
    pub const NONE: Finish = Finish { ending: Ending::NoMoves, outcome: Outcome::Draw, plies: 0, laps: 0 };

    /// A game that ended for want of moves, with South so far ahead.
    pub(crate) fn ahead(south: i32, plies: u32, laps: u64) -> Finish {
        let outcome = match south {
            0 => Outcome::Draw,
            1.. => Outcome::Win(Player::South),
            _ => Outcome::Win(Player::North),
        };
        Finish { ending: Ending::NoMoves, outcome, plies, laps }
    }

    /// A game drawn by its ending.
    pub(crate) fn drawn(ending: Ending, plies: u32, laps: u64) -> Finish {
        Finish { ending, outcome: Outcome::Draw, plies, laps }
    }
}

/// Games to play: where they start, what their moves are drawn by and what becomes of them. A game is played at a place,
/// one game after another, and several places at a time. What is asked about each move costs nothing where the answer is
/// known to the compiler.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Deal {
    /// What a game's generator keeps beside the game.
    type Stream: Copy;

    /// How many games there are.
    fn games(&self) -> usize;

    /// Begins a game at a place; games are begun in the order of their numbers. Whether it starts elsewhere than the one
    /// begun before it.
    fn begin(&mut self, game: usize, at: usize) -> bool;

    /// The positions since the last capture of the game begun last, its start last.
    fn recent(&self) -> &[Position];

    /// The generator of the game begun last, as far as it is kept beside the game.
    fn stream(&self) -> Self::Stream;

    /// A number below `bound` for a player of the game at a place; anything where `bound` is 0.
    fn draw(&mut self, stream: &mut Self::Stream, at: usize, player: usize, bound: u32) -> u32;

    /// Takes back the last draw, whose `bound` was 0.
    fn undo(stream: &mut Self::Stream);

    /// What is sown next at a place, as the ply of this number: the pit, from the first of the player's row, up or down
    /// the ring. It may be said once more of the same ply, and of one that comes to nothing as the game is over.
    fn sown(&mut self, at: usize, ply: u32, player: u32, pit: u32, down: u32);

    /// A pass at a place.
    fn passed(&mut self, at: usize, ply: u32);

    /// Whether the ply of this number is the last that there is room for, until it grows.
    fn is_full(&self, ply: u32) -> bool;

    /// Makes room.
    fn grow(&mut self);

    /// A game at a place has ended.
    fn end(&mut self, game: usize, at: usize, finish: Finish);
}

/// Playouts: games of one start of which nothing is kept but how they end.
#[cfg(target_arch = "x86_64")]
struct Playouts<'a> {
    task: &'a Task<'a>,
    finishes: &'a mut [Finish],
    /// The number of the game begun last.
    begun: usize,
}

#[cfg(target_arch = "x86_64")]
impl Deal for Playouts<'_> {
    type Stream = Stream;

    #[inline(always)]
    fn games(&self) -> usize {
        self.finishes.len()
    }

    #[inline(always)]
    fn begin(&mut self, game: usize, _at: usize) -> bool {
        self.begun = game;
        game == 0
    }

    #[inline(always)]
    fn recent(&self) -> &[Position] {
        self.task.recent
    }

    #[inline(always)]
    fn stream(&self) -> Stream {
        self.task.stream(self.begun)
    }

    #[inline(always)]
    fn draw(&mut self, stream: &mut Stream, _at: usize, _player: usize, bound: u32) -> u32 {
        stream.below(bound)
    }

    #[inline(always)]
    fn undo(stream: &mut Stream) {
        stream.undo();
    }

    #[inline(always)]
    fn sown(&mut self, _at: usize, _ply: u32, _player: u32, _pit: u32, _down: u32) {}

    #[inline(always)]
    fn passed(&mut self, _at: usize, _ply: u32) {}

    #[inline(always)]
    fn is_full(&self, _ply: u32) -> bool {
        false
    }

    #[inline(always)]
    fn grow(&mut self) {}

    #[inline(always)]
    fn end(&mut self, game: usize, _at: usize, finish: Finish) {
        self.finishes[game] = finish;
    }
}

/// Games to play from one start.
pub(crate) struct Task<'a> {
    recent: &'a [Position],
    seed: u64,
}

impl Task<'_> {
    /// Games from the last of `recent`, of which there is one at least.
    pub(crate) fn new(recent: &[Position], seed: u64) -> Task<'_> {
        Task { recent, seed }
    }

    pub(crate) fn start(&self) -> &Position {
        self.recent.last().expect("checked when the task was made")
    }

    /// The generator of a game of the task.
    #[inline]
    pub(crate) fn stream(&self, game: usize) -> Stream {
        let mut seeds = Stream(self.seed ^ (game as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        Stream(seeds.next())
    }
}

/// wyrand (Wang Yi 2019): a counter, multiplied by itself with some bits turned, and folded.
#[derive(Clone, Copy)]
pub(crate) struct Stream(u64);

impl Stream {
    const STEP: u64 = 0xa076_1d64_78bd_642f;

    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Stream::STEP);
        let product = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// Takes the last number back.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn undo(&mut self) {
        self.0 = self.0.wrapping_sub(Stream::STEP);
    }

    /// A number below `bound`, each as likely as any other but for one part in a hundred million.
    #[inline(always)]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// Plays random games; holds the memory they need.
#[derive(Default)]
pub struct Playout {
    #[cfg(target_arch = "x86_64")]
    histories: vector::Histories,
    history: Vec<Position>,
}

impl Playout {
    /// With memory still to be taken: as much as the longest game needs, once.
    #[must_use]
    pub fn new() -> Playout {
        Playout::default()
    }

    /// Plays one game from the last position of `recent`, which are the positions since the last capture, oldest
    /// first, as [`Game::recent`](crate::Game::recent) tells them: a repetition of any of them is a draw.
    ///
    /// # Panics
    /// When there is no position.
    pub fn play(&mut self, recent: &[Position], rng: &mut (impl rand::Rng + ?Sized)) -> Finish {
        let mut finish = [Finish::NONE];
        self.play_each(recent, rng, &mut finish);
        finish[0]
    }

    /// [`Playout::play`] for as many games as there are places in `finishes`. They are other games than as many
    /// calls of `play` would have: one number is drawn for all of them.
    ///
    /// # Panics
    /// When there is no position.
    pub fn play_each(
        &mut self,
        recent: &[Position],
        rng: &mut (impl rand::Rng + ?Sized),
        finishes: &mut [Finish],
    ) {
        self.play_each_by(Sower::fastest(), recent, rng, finishes);
    }

    /// [`Playout::play_each`] by a given sower. The games are the same by any.
    ///
    /// # Panics
    /// When there is no position.
    pub fn play_each_by(
        &mut self,
        sower: Sower,
        recent: &[Position],
        rng: &mut (impl rand::Rng + ?Sized),
        finishes: &mut [Finish],
    ) {
        assert!(!recent.is_empty(), "a playout starts from a position");
        let task = Task::new(recent, rng.next_u64());
        #[cfg(target_arch = "x86_64")]
        if sower == Sower::Vector && vector::available() {
            let width = task.start().width();
            let mut deal = Playouts { task: &task, finishes, begun: 0 };
            vector::play_games(width, &mut deal, &mut self.histories);
            return;
        }
        for (game, finish) in finishes.iter_mut().enumerate() {
            *finish = self.play_alone(sower, &task, task.stream(game));
        }
    }

    /// One game, move by move: what the vector sower does for several at once.
    fn play_alone(&mut self, sower: Sower, task: &Task<'_>, mut stream: Stream) -> Finish {
        self.history.clear();
        self.history.extend_from_slice(task.recent);
        let mut position = *task.start();
        let (mut plies, mut laps) = (0, 0);
        loop {
            let pits = position.board().sowable_in(position.to_move());
            let mv = if pits != 0 {
                let drawn = stream.below(2 * pits.count_ones());
                let pit = position.to_move().first_pit(position.width()) + nth_bit(pits, drawn / 2);
                Move::sow(pit, Direction::BOTH[drawn as usize % 2])
            } else if position.no_moves() {
                let [south, north] = position.score().map(|score| score as i32);
                return Finish::ahead(south - north, plies, laps);
            } else {
                Move::Pass
            };
            let step = position.step_by(sower, mv);
            plies += 1;
            laps += u64::from(step.sowing.laps);
            match step.sowing.kind {
                MoveKind::Endless => return Finish::drawn(Ending::Endless, plies, laps),
                MoveKind::Capture => self.history.clear(),
                _ if self.history.contains(&step.position) => {
                    return Finish::drawn(Ending::Repetition, plies, laps);
                }
                _ => {}
            }
            self.history.push(step.position);
            position = step.position;
        }
    }
}

/// The place of the `n`-th lowest bit that is set, from 0.
fn nth_bit(mut bits: u32, n: u32) -> usize {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;
    use crate::game::Game;
    use crate::opening::random_opening;
    use crate::rng::game_rng;
    use crate::rules::Variant;

    /// The same games, each move drawn from the list and played in a [`Game`].
    #[test]
    fn playouts_are_games_of_listed_moves() {
        let mut playout = Playout::new();
        for (number, variant) in Variant::RECORDED.into_iter().enumerate() {
            let mut rng = game_rng(1, number as u64);
            let opening = random_opening(variant, 8, &mut rng).expect("short openings do not end the game");
            let seed = rng.next_u64();
            let mut finishes = [Finish::NONE; 100];
            playout.play_each(opening.recent(), &mut game_rng(seed, 0), &mut finishes);
            let task = Task::new(opening.recent(), game_rng(seed, 0).next_u64());
            for (number, finish) in finishes.into_iter().enumerate() {
                let mut stream = task.stream(number);
                let mut game: Game = opening.clone();
                while game.ending().is_none() {
                    let moves = game.position().moves();
                    let pass = moves[0] == Move::Pass;
                    let drawn = if pass { 0 } else { stream.below(moves.len() as u32) as usize };
                    game.play(moves[drawn]).expect("a listed move is legal");
                }
                let plies = &game.plies()[opening.plies().len()..];
                let laps = plies.iter().map(|ply| u64::from(ply.sowing.laps)).sum();
                let played = Finish {
                    ending: game.ending().expect("the game is over"),
                    outcome: game.outcome().expect("the game is over"),
                    plies: plies.len() as u32,
                    laps,
                };
                assert_eq!(finish, played, "{variant}: game {number}");
            }
        }
    }

    #[test]
    fn what_is_drawn_is_spread_evenly() {
        let mut stream = Stream(1);
        let mut counts = [0u32; 20];
        for _ in 0..200_000 {
            counts[stream.below(20) as usize] += 1;
        }
        // Ten thousand each, with a standard deviation of 97.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
