//! The board as a person sees it from player 0's seat: pit numbers outside the frame, seeds inside.

use std::fmt::Write;

use crate::position::Position;
use crate::rules::Player;

/// Player 1's row above, printed right to left, so that pits that face each other stand one above the other; a `>`
/// before the row of the player to move; the piles behind the rows. Eight lines at most 73 wide.
#[must_use]
pub fn board(position: &Position) -> String {
    let width = position.width();
    // R1: seen from player 0's seat the upper row runs from right to left.
    let upper: Vec<usize> = Player::North.row(width).rev().collect();
    let lower: Vec<usize> = Player::South.row(width).collect();
    let margin = " ".repeat(LABEL);
    let frame = format!("{margin}+{}\n", "----+".repeat(width));

    let mut text = String::new();
    numbers(&mut text, &margin, &upper);
    text.push_str(&frame);
    row(&mut text, position, Player::North, &upper);
    text.push_str(&frame);
    row(&mut text, position, Player::South, &lower);
    text.push_str(&frame);
    numbers(&mut text, &margin, &lower);
    text
}

/// Width of what stands before the frame.
const LABEL: usize = "> player 0 ".len();

fn numbers(text: &mut String, margin: &str, pits: &[usize]) {
    let numbers: String = pits.iter().map(|pit| format!("{pit:>4} ")).collect();
    add(text, format_args!("{margin}{}\n", numbers.trim_end()));
}

fn row(text: &mut String, position: &Position, player: Player, pits: &[usize]) {
    let mark = if position.to_move() == player { '>' } else { ' ' };
    let seeds: String = pits.iter().map(|&pit| format!("{:>3} |", position.board().pits()[pit])).collect();
    let pile = position.piles()[player.index()];
    add(text, format_args!("{mark} player {player} |{seeds}  pile {pile:>3}\n"));
}

fn add(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a String takes any text");
}
