//! One game between two players: agents of ours, or external programs.

use std::time::Duration;

use giuthi_engine::ugi::session::{Fault, FaultKind, Session};
use giuthi_engine::{Agent, Clock, Ending, Game, Move, Outcome, Player, Request, Variant};

use crate::timing::{Clocks, Timing};

/// A finished game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its number, from 0 over the whole tournament.
    pub game: u64,
    /// The number of its opening; the two games of a pair share it.
    pub round: u64,
    /// The agents' numbers, `[player 0, player 1]`.
    pub players: [usize; 2],
    /// How it went.
    pub course: Course,
}

/// How a game went, to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// How many of the moves, from the start, are the opening.
    pub opening: usize,
    /// Every move, opening and forced passes included.
    pub moves: Vec<Move>,
    /// Who won.
    pub outcome: Outcome,
    /// How it ended by the rules; `None` where a fault lost it before.
    pub ending: Option<Ending>,
    /// The fault of the loser that ended the game, where it was one.
    pub fault: Option<FaultKind>,
    /// Moves that the players were asked for, `[player 0, player 1]`.
    pub asked: [u32; 2],
    /// Time they took for them, `[player 0, player 1]`.
    pub time: [Duration; 2],
}

/// Name of the ending of a game that a fault lost.
pub const FORFEIT: &str = "forfeit";

impl Course {
    /// How the game ended, as files and tables name it.
    #[must_use]
    pub const fn end_name(&self) -> &'static str {
        match self.ending {
            Some(ending) => ending.name(),
            None => FORFEIT,
        }
    }
}

/// Who sits at one side of the board.
pub enum Seat {
    /// An agent of ours.
    Agent(Box<dyn Agent>),
    /// An external program, ready for a game.
    Program(Box<Session>),
    /// A program that failed before the game began.
    Absent(Fault),
}

/// Plays one game to its end: the opening, then the players' choices. Whoever is to move is asked, extra moves
/// included; a forced pass is played without asking. A player who fails loses; what they failed in is told besides, with
/// the player's number, for a log. Of two that are absent, player 0 loses.
///
/// # Panics
/// When the opening cannot be played.
pub fn play<R: rand::Rng>(
    variant: Variant,
    opening: &[Move],
    seats: &mut [Seat; 2],
    streams: &mut [R; 2],
    timing: Timing,
    clock: &dyn Clock,
) -> (Course, Option<(Player, Fault)>) {
    let mut game = Game::new(variant);
    game.play_all(opening).expect("an opening is a course of legal moves");
    let mut clocks = Clocks::new(timing);
    let mut asked = [0; 2];
    let mut time = [Duration::ZERO; 2];
    let absent = Player::BOTH.into_iter().find_map(|player| match &seats[player.index()] {
        Seat::Absent(fault) => Some((player, fault.clone())),
        _ => None,
    });
    let mut failed = absent;
    let free = timing.control.is_none();
    // Each look at the clock ends one move's time and begins the next one's: what lies between is the referee's move.
    let mut begun = clock.now();
    while game.ending().is_none() && failed.is_none() {
        let player = game.position().to_move();
        let seat = player.index();
        if game.position().board().sowable_in(player) == 0 {
            game.play(Move::Pass).expect("a forced pass is legal");
            continue;
        }
        asked[seat] += 1;
        let answer = match &mut seats[seat] {
            Seat::Agent(agent) => {
                let mut request = Request::new(&mut streams[seat], clock);
                if !free {
                    request.limits = clocks.go().limits(player).expect("both clocks run, or none");
                }
                let choice = agent.choose(&game, &mut request);
                let now = clock.now();
                let took = now.saturating_sub(begun);
                begun = now;
                in_time(took, clocks.due(player))
                    .inspect_err(|_| time[seat] += took)
                    .map(|()| (choice.mv, took))
            }
            Seat::Program(session) => {
                let asked = clock.now();
                let answer = session.ask(&game, &clocks.go(), clocks.patience(player), clock);
                begun = clock.now();
                if answer.is_err() {
                    time[seat] += begun.saturating_sub(asked);
                }
                answer.map(|answer| (answer.choice.mv, answer.took))
            }
            Seat::Absent(fault) => Err(fault.clone()),
        };
        match answer {
            Ok((mv, took)) => {
                time[seat] += took;
                clocks.punch(player, took);
                if let Err(reason) = game.play(mv) {
                    failed = Some((player, Fault::new(FaultKind::Illegal, format!("{mv}: {reason}"))));
                }
            }
            Err(fault) => failed = Some((player, fault)),
        }
    }
    let moves = game.plies().iter().map(|ply| ply.mv).collect();
    let outcome = match &failed {
        Some((player, _)) => Outcome::Win(player.opponent()),
        None => game.outcome().expect("the game is over"),
    };
    let (ending, fault) = match &failed {
        Some((_, fault)) => (None, Some(fault.kind)),
        None => (game.ending(), None),
    };
    (Course { opening: opening.len(), moves, outcome, ending, fault, asked, time }, failed)
}

fn in_time(took: Duration, due: Option<Duration>) -> Result<(), Fault> {
    match due {
        Some(due) if took > due => {
            let reason = format!("an answer after {} ms, due in {} ms", took.as_millis(), due.as_millis());
            Err(Fault::new(FaultKind::Late, reason))
        }
        _ => Ok(()),
    }
}
