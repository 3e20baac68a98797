//! Random games with all their moves, each player drawing from a generator of their own: the games that two agents play
//! who choose by [`random_move`](crate::rng::random_move), without asking them move by move.

use rand::{Rng, RngExt};

#[cfg(target_arch = "x86_64")]
use super::Deal;
use super::{Finish, nth_bit};
#[cfg(target_arch = "x86_64")]
use crate::board::vector;
use crate::board::{MoveKind, Sower};
use crate::game::Ending;
use crate::position::Position;
use crate::rules::{Direction, Move};

/// Plays random games and keeps their moves; holds the memory they need.
#[derive(Default)]
pub struct Recorded {
    #[cfg(target_arch = "x86_64")]
    histories: vector::Histories,
    moves: Vec<Move>,
    recent: Vec<Position>,
}

impl Recorded {
    /// With memory still to be taken.
    #[must_use]
    pub fn new() -> Recorded {
        Recorded::default()
    }

    /// Plays so many games of boards with rows of `width` pits, by a given sower; they are the same by any.
    ///
    /// `begin` is asked for each in the order of their numbers, from 0: it puts where the game starts into the vector it is
    /// handed, which is empty, as [`Game::recent`](crate::Game::recent) tells it, and returns the generators of player 0
    /// and player 1. `end` is told of each, in whatever order they end, its number, its moves after the start and how it
    /// ended. Each move is the one that [`random_move`](crate::rng::random_move) draws from the generator of the player to
    /// move; nothing is drawn for a forced pass.
    ///
    /// # Panics
    /// When a game starts from no position, or one of another width.
    pub fn play<G: Rng>(
        &mut self,
        sower: Sower,
        width: usize,
        games: usize,
        mut begin: impl FnMut(usize, &mut Vec<Position>) -> [G; 2],
        mut end: impl FnMut(usize, &[Move], Finish),
    ) {
        let begin = |game: usize, recent: &mut Vec<Position>| {
            recent.clear();
            let streams = begin(game, recent);
            let start = recent.last().expect("a game starts from a position");
            assert_eq!(start.width(), width, "all games are of one width");
            streams
        };
        #[cfg(target_arch = "x86_64")]
        if sower == Sower::Vector && vector::available() {
            let Recorded { histories, moves, recent } = self;
            let mut streams = Vec::with_capacity(vector::SLOTS);
            let room = (moves.len() / vector::SLOTS).max(128);
            moves.resize(room * vector::SLOTS, Move::Pass);
            let mut deal = Games { games, begin, end, recent, streams: &mut streams, moves, room, width };
            vector::play_games(width, &mut deal, histories);
            return;
        }
        let mut begin = begin;
        for game in 0..games {
            let streams = begin(game, &mut self.recent);
            let finish = self.play_alone(sower, streams);
            end(game, &self.moves[..finish.plies as usize], finish);
        }
    }

    /// One game, move by move, from the last of `recent`.
    fn play_alone<G: Rng>(&mut self, sower: Sower, mut streams: [G; 2]) -> Finish {
        let Recorded { moves, recent, .. } = self;
        let mut position = *recent.last().expect("a game starts from a position");
        let mut laps = 0;
        moves.clear();
        loop {
            let player = position.to_move();
            let pits = position.board().sowable_in(player);
            let plies = moves.len() as u32;
            let mv = if pits != 0 {
                let drawn = streams[player.index()].random_range(..2 * pits.count_ones() as usize);
                let pit = player.first_pit(position.width()) + nth_bit(pits, drawn as u32 / 2);
                Move::sow(pit, Direction::BOTH[drawn % 2])
            } else if position.no_moves() {
                let [south, north] = position.score().map(|score| score as i32);
                return Finish::ahead(south - north, plies, laps);
            } else {
                Move::Pass
            };
            let step = position.step_by(sower, mv);
            moves.push(mv);
            laps += u64::from(step.sowing.laps);
            match step.sowing.kind {
                MoveKind::Endless => return Finish::drawn(Ending::Endless, plies + 1, laps),
                MoveKind::Capture => recent.clear(),
                _ if recent.contains(&step.position) => {
                    return Finish::drawn(Ending::Repetition, plies + 1, laps);
                }
                _ => {}
            }
            recent.push(step.position);
            position = step.position;
        }
    }
}

/// What `random_range(..bound)` draws (Canon's method with one further number at most), where the compiler makes no call of
/// it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn below(rng: &mut impl Rng, bound: u32) -> u32 {
    let product = u64::from(rng.next_u32()) * u64::from(bound);
    let (drawn, rest) = ((product >> 32) as u32, product as u32);
    if rest > bound.wrapping_neg() { drawn + carried(rng, bound, rest) } else { drawn }
}

/// Once in some hundred million draws.
#[cfg(target_arch = "x86_64")]
#[cold]
fn carried(rng: &mut impl Rng, bound: u32, rest: u32) -> u32 {
    let more = (u64::from(rng.next_u32()) * u64::from(bound)) >> 32;
    u32::from(rest.checked_add(more as u32).is_none())
}

/// Several games at a time.
#[cfg(target_arch = "x86_64")]
struct Games<'a, G, B, E> {
    games: usize,
    begin: B,
    end: E,
    /// Where the game begun last starts.
    recent: &'a mut Vec<Position>,
    /// The generators of the games, by their places.
    streams: &'a mut Vec<[G; 2]>,
    /// The moves of the games, `room` for each.
    moves: &'a mut Vec<Move>,
    room: usize,
    width: usize,
}

#[cfg(target_arch = "x86_64")]
impl<G, B, E> Deal for Games<'_, G, B, E>
where
    G: Rng,
    B: FnMut(usize, &mut Vec<Position>) -> [G; 2],
    E: FnMut(usize, &[Move], Finish),
{
    type Stream = ();

    #[inline(always)]
    fn games(&self) -> usize {
        self.games
    }

    #[inline(always)]
    fn begin(&mut self, game: usize, at: usize) -> bool {
        let streams = (self.begin)(game, self.recent);
        // Places are taken in their order, and then again and again.
        match self.streams.get_mut(at) {
            Some(place) => *place = streams,
            None => self.streams.push(streams),
        }
        true
    }

    #[inline(always)]
    fn recent(&self) -> &[Position] {
        self.recent
    }

    #[inline(always)]
    fn stream(&self) {}

    #[inline(always)]
    fn draw(&mut self, (): &mut (), at: usize, player: usize, bound: u32) -> u32 {
        if bound == 0 { 0 } else { below(&mut self.streams[at][player], bound) }
    }

    #[inline(always)]
    fn undo((): &mut ()) {}

    #[inline(always)]
    fn sown(&mut self, at: usize, ply: u32, player: u32, pit: u32, down: u32) {
        // Player 0's row is the second one.
        let pit = pit as usize + (1 - player as usize) * self.width;
        self.moves[at * self.room + ply as usize] = Move::sow(pit, Direction::BOTH[down as usize]);
    }

    #[inline(always)]
    fn passed(&mut self, at: usize, ply: u32) {
        self.moves[at * self.room + ply as usize] = Move::Pass;
    }

    #[inline(always)]
    fn is_full(&self, ply: u32) -> bool {
        ply as usize + 1 == self.room
    }

    #[cold]
    fn grow(&mut self) {
        let mut moves = vec![Move::Pass; 2 * self.moves.len()];
        for (old, new) in self.moves.chunks(self.room).zip(moves.chunks_mut(2 * self.room)) {
            new[..old.len()].copy_from_slice(old);
        }
        *self.moves = moves;
        self.room *= 2;
    }

    #[inline(always)]
    fn end(&mut self, game: usize, at: usize, finish: Finish) {
        let moves = &self.moves[at * self.room..][..finish.plies as usize];
        (self.end)(game, moves, finish);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::Game;
    use crate::opening::random_opening;
    use crate::rng::{game_rng, random_move};
    use crate::rules::Variant;

    /// A generator of given numbers.
    #[cfg(target_arch = "x86_64")]
    #[derive(Clone)]
    struct Given(Vec<u32>);

    #[cfg(target_arch = "x86_64")]
    impl rand::TryRng for Given {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0.remove(0))
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            unreachable!("nothing as long is drawn")
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("no bytes are drawn")
        }
    }

    /// Numbers that are far apart, and such as are drawn once in a hundred million times.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn numbers_below_a_bound_are_those_of_the_library() {
        let mut carries = 0;
        for bound in (2..=20).step_by(2) {
            let near = (0..bound).flat_map(|n| {
                let edge = ((u64::from(n) << 32) / u64::from(bound)) as u32;
                [edge.wrapping_sub(1), edge, edge.wrapping_add(1)]
            });
            for first in near.chain((0..1000).map(|n: u32| n.wrapping_mul(0x9e37_79b9))) {
                for second in [0, 1 << 31, u32::MAX] {
                    let given = Given(vec![first, second]);
                    let [mut ours, mut theirs] = [given.clone(), given];
                    assert_eq!(below(&mut ours, bound), theirs.random_range(..bound as usize) as u32);
                    assert_eq!(ours.0, theirs.0, "as many are drawn");
                    carries += u32::from(ours.0.is_empty());
                }
            }
        }
        assert!(carries > 100, "{carries}");
    }

    /// The same games, each move asked for and played in a [`Game`].
    #[test]
    fn recorded_games_are_those_of_two_who_are_asked() {
        let mut recorded = Recorded::new();
        for (number, variant) in Variant::RECORDED.into_iter().enumerate() {
            for games in [1, 5, 300] {
                let opening = |game: usize| {
                    let mut rng = game_rng(number as u64, game as u64 / 2);
                    random_opening(variant, game as u32 % 10 / 2, &mut rng)
                        .expect("short openings do not end it")
                };
                let streams = |game: usize| [0, 1].map(|seat| game_rng(7, 2 * game as u64 + seat));
                let mut by_sower = Vec::new();
                for sower in Sower::ALL {
                    let mut there = HashMap::new();
                    recorded.play(
                        sower,
                        variant.width(),
                        games,
                        |game, recent| {
                            recent.extend_from_slice(opening(game).recent());
                            streams(game)
                        },
                        |game, moves, finish| {
                            assert!(there.insert(game, (moves.to_vec(), finish)).is_none());
                        },
                    );
                    by_sower.push(there);
                }
                for number in 0..games {
                    let mut game: Game = opening(number);
                    let mut streams = streams(number);
                    let (before, mut laps) = (game.plies().len(), 0);
                    while game.ending().is_none() {
                        let player = game.position().to_move();
                        let mv = if game.position().board().sowable_in(player) == 0 {
                            Move::Pass
                        } else {
                            random_move(game.position(), &mut streams[player.index()]).expect("not over")
                        };
                        laps += u64::from(game.play(mv).expect("a drawn move is legal").sowing.laps);
                    }
                    let moves: Vec<Move> = game.plies()[before..].iter().map(|ply| ply.mv).collect();
                    let finish = Finish {
                        ending: game.ending().expect("it is over"),
                        outcome: game.outcome().expect("it is over"),
                        plies: moves.len() as u32,
                        laps,
                    };
                    for there in &by_sower {
                        assert_eq!(there[&number], (moves.clone(), finish), "{variant}: game {number}");
                    }
                }
            }
        }
    }
}
