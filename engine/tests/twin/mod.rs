//! The engine beside its slow twin: the same moves, and the same from each of them.

use giuthi_engine::{Direction, Game, Move, Position, Sower, Sowing};

use crate::reference::{Deed, Reference};

/// The twin of a position, without history.
pub(crate) fn twin_of(position: &Position) -> Reference {
    let pits = position.board().pits().iter().map(|&seeds| u32::from(seeds)).collect();
    Reference::new(pits, position.piles().map(u32::from), position.to_move().index())
}

fn assert_same(twin: &Reference, position: &Position, told: &dyn Fn() -> String) {
    let pits: Vec<u32> = position.board().pits().iter().map(|&seeds| u32::from(seeds)).collect();
    assert_eq!(twin.pits, pits, "{}: board", told());
    assert_eq!(twin.piles, position.piles().map(u32::from), "{}: piles", told());
    assert_eq!(twin.mover, position.to_move().index(), "{}: player to move", told());
    assert_eq!(twin.scores(), position.score(), "{}: scores", told());
}

fn deed_of(sowing: &Sowing) -> Deed {
    Deed {
        kind: sowing.kind.name(),
        laps: sowing.laps as usize,
        captured: u32::from(sowing.captured),
        chain: usize::from(sowing.chain),
    }
}

fn written(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

/// Plays every move of a position in both; returns how many laps they took together.
pub(crate) fn compare_moves(position: &Position) -> u64 {
    let start = twin_of(position);
    let moves = position.moves();
    assert_eq!(start.legal(), written(&moves), "{position}: moves");
    assert_eq!(start.ending, position.no_moves().then_some("no-moves"), "{position}: over");
    for sower in Sower::ALL {
        let mut steps = Vec::new();
        position.each_step_by(sower, |mv, step| steps.push((mv, step)));
        let one_by_one: Vec<_> = moves.iter().map(|&mv| (mv, position.step_by(Sower::Plain, mv))).collect();
        assert_eq!(steps, one_by_one, "{position}: {sower:?}");
    }
    let all = (0..=255).flat_map(|pit| Direction::BOTH.map(|direction| Move::Sow { pit, direction }));
    for mv in all.chain([Move::Pass]) {
        assert_eq!(position.allows(mv), moves.contains(&mv), "{position}: {mv:?}");
    }
    let mut laps = 0;
    for mv in moves {
        let told = || format!("{position}: {mv}");
        let mut twin = start.clone();
        let deed = twin.play(&mv.to_string());
        let step = position.play(mv).expect("a listed move is legal");
        assert_eq!(deed, deed_of(&step.sowing), "{}", told());
        for sower in Sower::ALL {
            assert_eq!(position.step_by(sower, mv), step, "{}: {sower:?}", told());
        }
        assert_same(&twin, &step.position, &told);
        laps += u64::from(step.sowing.laps);
    }
    laps
}

/// Plays a listed move of a game in both.
pub(crate) fn compare_ply(game: &mut Game, twin: &mut Reference, mv: Move) {
    let before = *game.position();
    assert_eq!(twin.legal(), written(&before.moves()), "{before}: moves");
    let ply = game.play(mv).expect("a listed move is legal");
    let deed = twin.play(&mv.to_string());
    let told = || format!("ply {}: {before} {mv}", game.plies().len());
    assert_eq!(deed, deed_of(&ply.sowing), "{}", told());
    assert_same(twin, game.position(), &told);
    assert_eq!(twin.ending, game.ending().map(|ending| ending.name()), "{}: ending", told());
}
