//! Perpetuals against a plain walk through the game's own moves.

mod positions;

use std::collections::HashSet;

use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::search::{holds_perpetual, shows_perpetual};
use giuthi_engine::{Game, MoveKind, Player, Position, Setup, Variant};

/// Whether extra moves of the player to move lead from `position` to a position on the way there, or to an endless
/// relay. `None` when more than `most` positions would have to be looked at.
fn circles(position: &Position, most: usize) -> Option<bool> {
    /// Depth first; `way` holds the positions on the way, `done` those from which there was nothing.
    fn walk(
        position: &Position,
        way: &mut Vec<Position>,
        done: &mut HashSet<Position>,
        most: usize,
    ) -> Option<bool> {
        if done.len() + way.len() > most {
            return None;
        }
        way.push(*position);
        for mv in position.moves() {
            let step = position.step(mv);
            // An endless relay counts where it never leaves the row: seeds elsewhere do not matter to it.
            let endless = step.sowing.kind == MoveKind::Endless && stays(position, mv);
            if endless || (step.sowing.kind == MoveKind::Extra && way.contains(&step.position)) {
                return Some(true);
            }
            if step.sowing.kind == MoveKind::Extra
                && !done.contains(&step.position)
                && walk(&step.position, way, done, most)?
            {
                return Some(true);
            }
        }
        done.insert(way.pop().unwrap());
        Some(false)
    }
    walk(position, &mut Vec::new(), &mut HashSet::new(), most)
}

/// Whether no lap of a move drops a seed in the opponent's row.
fn stays(position: &Position, mv: giuthi_engine::Move) -> bool {
    let opponent = position.to_move().opponent();
    let before = position.board().row_seeds(opponent);
    let mut stays = true;
    let _ = position.step_observed(mv, |lap| stays &= lap.board.row_seeds(opponent) == before);
    stays
}

/// Every row of `width` pits with `seeds` seeds.
fn rows(width: usize, seeds: u32) -> Vec<Vec<u32>> {
    if width == 1 {
        return vec![vec![seeds]];
    }
    (0..=seeds)
        .flat_map(|first| {
            rows(width - 1, seeds - first).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

#[test]
fn every_small_row_is_judged_right() {
    let (mut held, mut all) = (0, 0);
    for (width, most) in [(5, 12), (6, 9), (7, 8), (8, 7)] {
        for seeds in 0..=most {
            for row in rows(width, seeds) {
                let other = vec![1; width];
                let setup = Setup { north: row, south: other, piles: [0, 0], to_move: 1 };
                let position = Position::try_from(&setup).unwrap();
                let wanted = circles(&position, usize::MAX).unwrap();
                assert_eq!(holds_perpetual(&position), wanted, "{position}");
                assert_eq!(holds_perpetual(&position.swapped()), wanted, "{position}, swapped");
                held += u32::from(wanted);
                all += 1;
            }
        }
    }
    assert!(held > 1000 && all - held > 1000, "{held} of {all}");
}

#[test]
fn positions_of_games_are_judged_right() {
    for variant in Variant::RECORDED {
        let (mut held, mut missed, mut all) = (0, 0, 0);
        for number in 0..20 {
            let mut rng = game_rng(5, number);
            let mut game = Game::new(variant);
            while game.ending().is_none() {
                let position = *game.position();
                all += 1;
                let found = holds_perpetual(&position);
                held += u32::from(found);
                let few = position.board().row_seeds(position.to_move()) <= 18;
                let shown = shows_perpetual(&position);
                assert!(shown == found || !shown && !few, "{position}: shown {shown}, held {found}");
                if let Some(wanted) = circles(&position, 2000) {
                    assert!(wanted || !found, "{position}: there is none");
                    assert!(found || !wanted || variant.width() > 8, "{position}: there is one");
                    missed += u32::from(wanted && !found);
                }
                game.play(random_move(&position, &mut rng).unwrap()).unwrap();
            }
        }
        assert!(held > 0 && held < all, "{variant}: {held} of {all}");
        assert!(missed * 50 <= all, "{variant}: {missed} of {all} missed");
    }
}

#[test]
fn what_the_other_row_holds_does_not_matter() {
    let mut rng = game_rng(6, 0);
    for _ in 0..2000 {
        let position = positions::scattered(8, 60, 18, &mut rng);
        let other = positions::scattered(8, 60, 18, &mut rng);
        let row = |position: &Position, player| {
            position.board().row(player).iter().map(|&seeds| u32::from(seeds)).collect::<Vec<_>>()
        };
        let setup = Setup {
            north: row(&position, Player::North),
            south: row(&other, Player::South),
            piles: [1, 2],
            to_move: 1,
        };
        let mixed = Position::try_from(&setup).unwrap();
        if position.to_move() == Player::North {
            assert_eq!(holds_perpetual(&position), holds_perpetual(&mixed), "{position} and {mixed}");
        }
    }
}
