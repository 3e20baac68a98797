//! The tables against play: every line of play to its end, with its whole history, on boards of few seeds; wins played
//! out against every defence on larger ones.

use std::collections::HashSet;

use giuthi_engine::endgame::tablebase::{Index, MoveWorth, PlainTables, Size, Tablebase, Value};
use giuthi_engine::rng::game_rng;
use giuthi_engine::{Game, MoveKind, Player, Position};
use rand::RngExt;

use super::reference::Reference;
use super::{boards, position, tables};

/// What a game is worth to a player by every line of play, repetitions and all: −1, 0 or 1.
fn played_out(game: &Reference, player: usize, positions: &mut u64) -> i32 {
    *positions += 1;
    match game.ending {
        Some("no-moves") => {
            let scores = game.scores();
            return (scores[player] as i32 - scores[1 - player] as i32).signum();
        }
        Some(_) => return 0,
        None => {}
    }
    let moves_now = game.mover == player;
    let mut best = if moves_now { -1 } else { 1 };
    for mv in game.legal() {
        let mut after = game.clone();
        after.play(&mv);
        let value = played_out(&after, player, positions);
        best = if moves_now { best.max(value) } else { best.min(value) };
        if best == if moves_now { 1 } else { -1 } {
            break;
        }
    }
    best
}

fn as_number(value: Value) -> i32 {
    value as i32 - Value::Draw as i32
}

#[test]
fn boards_of_few_seeds_are_worth_what_every_line_of_play_comes_to() {
    for (pits, seeds) in [(5, 4), (6, 3), (10, 2)] {
        let table = tables(pits, seeds);
        let index = Index::new(pits);
        let mut lines = 0;
        for seeds in 0..=seeds {
            for board in boards(&index, seeds) {
                let thresholds = table.probe(&board).unwrap();
                for lead in -(seeds as i32) - 2..=seeds as i32 + 2 {
                    let pits = board.board().pits().iter().map(|&seeds| seeds.into()).collect();
                    let piles = [10, (10 + lead) as u32];
                    let game = Reference::new(pits, piles, 1);
                    let value = played_out(&game, 1, &mut lines);
                    assert_eq!(as_number(thresholds.value(lead)), value, "{board} with a lead of {lead}");
                }
            }
        }
        assert!(lines > 1000, "{lines} positions");
    }
}

#[test]
fn mirrored_boards_are_worth_the_same_and_so_are_swapped_seats() {
    let table = tables(6, 6);
    for board in boards(&Index::new(6), 6) {
        assert_eq!(table.entry(&board), table.entry(&board.mirrored()), "{board}");
        assert_eq!(table.entry(&board), table.entry(&board.swapped()), "{board}");
    }
}

/// Plays a win out: the winner by captures that keep the win, or else by what makes their progress least; the other every
/// way there is. Every line has to end in a win, without a position occurring twice on the way.
fn play_out(table: &Tablebase, at: &Position, winner: Player, met: &mut HashSet<Position>, most: &mut usize) {
    let winner_moves = at.to_move() == winner;
    if at.no_moves() {
        let scores = at.score();
        assert!(scores[winner.index()] > scores[winner.opponent().index()], "{at}");
        return;
    }
    assert!(met.insert(*at), "{at} occurs twice");
    *most = (*most).max(met.len());
    let now = table.progress(at, winner).unwrap();
    assert!(table.exact_after(at, met.iter()).unwrap(), "{at}");
    let moves = table.moves(at).unwrap();
    let chosen = |each: &&MoveWorth| !winner_moves || each.thresholds.value(at.lead()) == Value::Win;
    let mut moves: Vec<_> = moves.iter().filter(chosen).collect();
    if winner_moves {
        moves.sort_by_key(|each| each.progress(winner));
        moves.truncate(1);
    }
    assert!(!moves.is_empty());
    for each in moves {
        let after = &each.step.position;
        assert_ne!(each.step.sowing.kind, MoveKind::Endless);
        if each.step.sowing.kind == MoveKind::Capture {
            play_out(table, after, winner, &mut HashSet::new(), most);
        } else {
            let progress = table.progress(after, winner).unwrap();
            assert!(progress < now, "{at}: {} makes no progress", each.mv);
            play_out(table, after, winner, met, most);
        }
    }
    met.remove(at);
}

#[test]
fn every_win_is_reached_whatever_the_other_does() {
    let (mut wins, mut most) = (0, 0);
    for (pits, seeds) in [(5, 7), (8, 5)] {
        let table = tables(pits, seeds);
        let index = Index::new(pits);
        for number in (0..index.boards(seeds)).step_by(7) {
            let board = &index.board(seeds, number)[..2 * pits];
            for lead in [-3, 0, 2] {
                let at = position(board, [10, (10 + lead) as u32]);
                match table.value(&at).unwrap() {
                    Value::Draw => continue,
                    value => {
                        wins += 1;
                        let player = at.to_move();
                        let winner = if value == Value::Win { player } else { player.opponent() };
                        play_out(&table, &at, winner, &mut HashSet::new(), &mut most);
                    }
                }
            }
        }
    }
    assert!(wins > 1000 && most > 8, "{wins} wins, of up to {most} moves without a capture");
}

#[test]
fn the_plain_way_comes_to_the_same_tables() {
    for (pits, seeds) in [(5, 9), (7, 6), (10, 5)] {
        let table = Tablebase::solve(Size { pits, seeds }).unwrap();
        assert!(PlainTables::solve(pits, seeds).agree(&table), "2x{pits} with up to {seeds} seeds");
        assert!(!PlainTables::solve(pits, seeds - 1).agree(&table));
    }
}

#[test]
fn what_has_been_played_takes_away_no_more_than_is_said() {
    let tables = Tablebase::solve(Size { pits: 5, seeds: 6 }).unwrap();
    let index = Index::new(5);
    let rng = &mut game_rng(6, 0);
    let (mut certain, mut uncertain, mut drawn, mut positions) = (0, 0, 0, 0);
    for _ in 0..30_000 {
        let seeds = rng.random_range(4..=6);
        let board = index.board(seeds, rng.random_range(0..index.boards(seeds)));
        let lead = rng.random_range(-2..=2);
        let piles = [10, (10 + lead) as u32];
        let mut game = Game::from_position(position(&board[..10], piles));
        let mut twin = Reference::new(board[..10].iter().map(|&seeds| seeds.into()).collect(), piles, 1);
        for _ in 0..rng.random_range(1..12) {
            // Nothing but what keeps the history, where there is such a move.
            let mut moves = Vec::new();
            game.position().each_step(|mv, step| {
                if !matches!(step.sowing.kind, MoveKind::Capture | MoveKind::Endless)
                    && !game.recent().contains(&step.position)
                {
                    moves.push(mv);
                }
            });
            if moves.is_empty() {
                break;
            }
            let mv = moves[rng.random_range(0..moves.len())];
            game.play(mv).unwrap();
            twin.play(&mv.to_string());
        }
        let Some(advice) = tables.advise(&game) else { continue };
        let player = game.position().to_move().index();
        let value = played_out(&twin, player, &mut positions);
        let told = as_number(advice.value);
        if advice.is_certain {
            assert_eq!(value, told, "{:?}", game.plies());
            certain += 1;
        } else {
            assert!(value == told || value == 0, "{:?}", game.plies());
            uncertain += 1;
            drawn += i32::from(value == 0);
        }
        // The first of the moves keeps a certain value, and of a win that is not certain a draw.
        let mut after = twin.clone();
        after.play(&advice.moves[0].to_string());
        let kept = played_out(&after, player, &mut positions);
        let least = if advice.is_certain { value } else { told - 1 };
        assert!(kept >= least, "{:?}", game.plies());
    }
    assert!(
        certain > 5000 && uncertain > 500 && drawn > 10,
        "{certain} certain, {uncertain} not, {drawn} of them drawn"
    );
}
