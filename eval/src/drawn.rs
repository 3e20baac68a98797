//! Pairs of games in which nobody has to be asked, as all moves are drawn at random: many at once, in the way of playouts,
//! and the same games as when the agents are asked move by move.

use std::time::Duration;

use giuthi_engine::playout::Recorded;
use giuthi_engine::{Clock, Game, Move, Player, Sower, Variant};

use crate::play::{Course, Played};
use crate::schedule::{Fixture, Schedule};

/// Plays such games; holds the memory they need.
pub(crate) struct Drawn {
    variant: Variant,
    recorded: Recorded,
    /// Where the pair begun last starts.
    opening: Game,
}

impl Drawn {
    pub(crate) fn new(variant: Variant) -> Drawn {
        Drawn { variant, recorded: Recorded::new(), opening: Game::new(variant) }
    }

    /// Plays the pairs of these numbers. What time it takes is shared out among their moves.
    pub(crate) fn play(&mut self, schedule: &Schedule, pairs: &[u64], clock: &dyn Clock) -> Vec<[Played; 2]> {
        let &mut Drawn { variant, ref mut recorded, ref mut opening } = self;
        let begun = clock.now();
        let fixture = |number: usize| schedule.fixture(2 * pairs[number / 2] + number as u64 % 2);
        let mut courses: Vec<Option<Course>> = vec![None; 2 * pairs.len()];
        let begin = |number: usize, recent: &mut Vec<_>| {
            let Fixture { game, round, .. } = fixture(number);
            if number.is_multiple_of(2) {
                opening.restart(variant);
                opening.play_all(schedule.opening(round)).expect("an opening is a course of legal moves");
            }
            recent.extend_from_slice(opening.recent());
            schedule.streams(game)
        };
        let end = |number: usize, drawn: &[Move], finish: giuthi_engine::Finish| {
            let opening = schedule.opening(fixture(number).round);
            let mut moves = Vec::with_capacity(opening.len() + drawn.len());
            moves.extend_from_slice(opening);
            moves.extend_from_slice(drawn);
            courses[number] = Some(Course {
                opening: opening.len(),
                moves,
                outcome: finish.outcome,
                ending: Some(finish.ending),
                fault: None,
                asked: asked(variant, drawn),
                time: [Duration::ZERO; 2],
            });
        };
        recorded.play(Sower::fastest(), variant.width(), 2 * pairs.len(), begin, end);
        let took = clock.now().saturating_sub(begun);
        let of_all: u64 = courses.iter().flatten().flat_map(|course| course.asked).map(u64::from).sum();
        let a_move = took.as_secs_f64() / of_all.max(1) as f64;
        let mut games = courses.into_iter().enumerate().map(|(number, course)| {
            let Fixture { game, round, players } = fixture(number);
            let mut course = course.expect("every game has been played");
            course.time = course.asked.map(|asked| Duration::from_secs_f64(a_move * f64::from(asked)));
            Played { game, round, players, course }
        });
        let mut played = Vec::with_capacity(pairs.len());
        while let (Some(one), Some(two)) = (games.next(), games.next()) {
            played.push([one, two]);
        }
        played
    }
}

/// How many moves each player chose: all but the passes, which are forced.
fn asked(variant: Variant, moves: &[Move]) -> [u32; 2] {
    let first = Player::South.first_pit(variant.width());
    let south = |mv: &&Move| matches!(mv, Move::Sow { pit, .. } if usize::from(*pit) >= first);
    let passes = moves.iter().filter(|mv| **mv == Move::Pass).count();
    let south = moves.iter().filter(south).count();
    [south as u32, (moves.len() - south - passes) as u32]
}
