//! Positions to try a program on, found in random games: the same ones every time.

use crate::board::MoveKind;
use crate::game::Game;
use crate::rng::{game_rng, random_move};
use crate::rules::{Move, Player, Variant};

/// Random games looked at before a kind of position is given up.
const GAMES: u64 = 2000;

/// A random game, played to its end.
pub(super) fn game(variant: Variant, number: u64) -> Game {
    let mut rng = game_rng(0, number);
    let mut game = Game::new(variant);
    while game.ending().is_none()
        && let Some(mv) = random_move(game.position(), &mut rng)
    {
        game.play(mv).expect("a legal move of a game that is not over");
    }
    game
}

/// The first game for each way a game can end and each outcome, as far as there are any.
pub(super) fn endings(variant: Variant) -> Vec<Game> {
    let mut found: Vec<Game> = Vec::new();
    for game in (0..GAMES).map(|number| game(variant, number)) {
        let end = (game.ending(), game.outcome());
        if found.iter().all(|other| (other.ending(), other.outcome()) != end) {
            found.push(game);
        }
        // Wins of both, and a draw of each kind.
        if found.len() == 5 {
            break;
        }
    }
    found
}

/// The first unfinished game that answers to something.
fn first(variant: Variant, wanted: impl Fn(&Game) -> bool) -> Option<Game> {
    (0..GAMES).find_map(|number| {
        let whole = game(variant, number);
        let mut part = Game::new(variant);
        for ply in whole.plies() {
            if wanted(&part) {
                return Some(part);
            }
            part.play(ply.mv).expect("the game was played so");
        }
        None
    })
}

/// A game in which the player who moved last moves again.
pub(super) fn after_extra(variant: Variant) -> Option<Game> {
    first(variant, |game| {
        game.plies().last().is_some_and(|ply| ply.sowing.kind == MoveKind::Extra)
            && game.position().moves()[..] != [Move::Pass]
    })
}

/// A game in which the player to move must pass.
pub(super) fn before_pass(variant: Variant) -> Option<Game> {
    first(variant, |game| game.position().moves()[..] == [Move::Pass])
}

/// A game whose last move was a pass.
pub(super) fn after_pass(variant: Variant) -> Option<Game> {
    first(variant, |game| game.plies().last().is_some_and(|ply| ply.mv == Move::Pass))
}

/// The first half of a game.
pub(super) fn middle(variant: Variant) -> Game {
    let mut game = game(variant, 0);
    for _ in 0..game.plies().len().div_ceil(2) {
        game.undo();
    }
    game
}

/// A game in which player 1 is to move for the first time.
pub(super) fn second_turn(variant: Variant) -> Option<Game> {
    first(variant, |game| game.position().to_move() == Player::North)
}
