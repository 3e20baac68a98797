//! Perft: the number of lines of play of a given depth, which pins the rules down to the last seed.

#[cfg(target_arch = "x86_64")]
use crate::board::vector;
use crate::board::{MoveKind, Sower};
use crate::game::Game;
use crate::position::Position;

/// The lines of exactly 1, 2, … `depth` plies from a game's position, each told to `report` as `(depth, nodes)` when
/// it is counted. A sowing is a ply, an extra move a further one, a forced pass one; a finished game is counted at
/// the depth where it finished and has no children. Repetition is counted from the game's own history on.
pub fn perft(game: &Game, depth: u32, mut report: impl FnMut(u32, u64)) {
    for depth in 1..=depth {
        report(depth, nodes(game, depth));
    }
}

/// The lines of exactly `depth` plies; at depth 0 the one that is empty.
///
/// ```
/// use giuthi_engine::{Game, Variant, perft::nodes};
///
/// let game = Game::new(Variant::default());
/// assert_eq!([0, 1, 2].map(|depth| nodes(&game, depth)), [1, 16, 220]);
/// ```
#[must_use]
pub fn nodes(game: &Game, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if game.ending().is_some() => 0,
        1 => game.position().moves().len() as u64,
        // Finished or not, a move at the last ply is a node: so the moves after the last but one are counted.
        _ => tally(game, depth - 1).moves,
    }
}

/// What the lines of one depth come to: of each the last ply, played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines.
    pub nodes: u64,
    /// Moves that can be played after them.
    pub moves: u64,
    /// Last plies that are extra moves.
    pub extra: u64,
    /// That capture.
    pub captures: u64,
    /// That capture beyond the column of the landing pit.
    pub chains: u64,
    /// That are forced passes.
    pub passes: u64,
    /// That end the game by repetition.
    pub repetitions: u64,
    /// That are endless relays.
    pub endless: u64,
    /// That end the game for want of moves.
    pub over: u64,
    /// Seeds captured by them.
    pub captured: u64,
    /// Laps sown by them.
    pub laps: u64,
}

/// Tallies the lines of exactly `depth` plies, at least one, every ply of them played.
///
/// # Panics
/// When `depth` is 0.
#[must_use]
pub fn tally(game: &Game, depth: u32) -> Tally {
    tally_by(Sower::fastest(), game, depth)
}

/// [`tally`] by a given sower.
///
/// # Panics
/// When `depth` is 0.
#[must_use]
pub fn tally_by(sower: Sower, game: &Game, depth: u32) -> Tally {
    assert!(depth > 0, "no ply is the last of none");
    if game.ending().is_some() {
        return Tally::default();
    }
    #[cfg(target_arch = "x86_64")]
    if sower == Sower::Vector && vector::available() {
        return vector::tally(game.recent(), depth);
    }
    let mut lines = Lines { sower, path: game.recent().to_vec(), tally: Tally::default() };
    lines.below(game.position(), 0, depth);
    lines.tally
}

struct Lines {
    sower: Sower,
    /// The positions from the last capture of the game to where the line stands.
    path: Vec<Position>,
    tally: Tally,
}

impl Lines {
    /// Adds the lines of just `depth` plies from a position in which the game is not over. In the path, the positions
    /// since the last capture begin at `since`.
    fn below(&mut self, position: &Position, since: usize, depth: u32) {
        for mv in position.moves() {
            let step = position.step_by(self.sower, mv);
            let kind = step.sowing.kind;
            let since = if kind == MoveKind::Capture { self.path.len() } else { since };
            let endless = kind == MoveKind::Endless;
            let repeated = !endless && self.path[since..].contains(&step.position);
            let moves = if endless || repeated { 0 } else { step.position.moves().len() };
            if depth == 1 {
                let tally = &mut self.tally;
                tally.nodes += 1;
                tally.moves += moves as u64;
                tally.laps += u64::from(step.sowing.laps);
                tally.passes += u64::from(kind == MoveKind::Pass);
                tally.endless += u64::from(endless);
                tally.extra += u64::from(kind == MoveKind::Extra);
                tally.captures += u64::from(kind == MoveKind::Capture);
                tally.chains += u64::from(step.sowing.chain > 0);
                tally.captured += u64::from(step.sowing.captured);
                tally.repetitions += u64::from(repeated);
                tally.over += u64::from(!endless && !repeated && moves == 0);
            } else if moves > 0 {
                self.path.push(step.position);
                self.below(&step.position, since, depth - 1);
                self.path.pop();
            }
        }
    }
}
