//! A game of a tournament told again, ply by ply, as a terminal shows it.

use std::path::Path;

use giuthi_engine::cli::giuthi::{board, json_line, standing, told, told_in_full};
use giuthi_engine::{Game, Outcome, Player, Position, Variant};

use crate::output::plain;
use crate::play::Played;
use crate::recorded::{ReadError, Recorded};
use crate::results::written;

/// A game with the names of those who played it.
#[derive(Debug)]
pub struct Replay {
    variant: Variant,
    names: [String; 2],
    played: Played,
}

impl Replay {
    /// Looks for a game in the tournament of a folder, by its number in `games.csv`.
    ///
    /// # Errors
    /// Where there is no such tournament or game, or its row is damaged.
    pub fn read(folder: &Path, game: u64) -> Result<Replay, ReadError> {
        let recorded = Recorded::open(folder)?;
        let played = recorded.find(game)?;
        let names = recorded.about.names();
        Ok(Replay {
            variant: recorded.variant,
            names: played.players.map(|agent| plain(&names[agent])),
            played,
        })
    }

    /// Number of its plies.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.played.course.moves.len()
    }

    /// Who played it, and what came of it: one line.
    #[must_use]
    pub fn heading(&self) -> String {
        let Played { game, course, .. } = &self.played;
        let [south, north] = &self.names;
        format!(
            "Game {game} of {}: {south} (player 0) against {north} (player 1), {} by {}, {} plies, {} of them the opening\n",
            self.variant,
            written(course.outcome),
            self.end(),
            self.plies(),
            course.opening
        )
    }

    fn end(&self) -> String {
        let course = &self.played.course;
        match course.fault {
            Some(fault) => format!("{} ({})", course.end_name(), fault.name()),
            None => course.end_name().to_owned(),
        }
    }

    /// A ply, from 1: what was played and what it did, with every lap if `all_laps`, the board after it and how the game then
    /// stands. Ply 0 is the start.
    ///
    /// # Panics
    /// When there are fewer plies.
    #[must_use]
    pub fn ply(&self, number: usize, all_laps: bool) -> String {
        let game = self.game(number);
        let mut text = match game.plies().last() {
            None => "The start\n".to_owned(),
            Some(ply) => {
                let player = ply.before.to_move();
                let name = &self.names[player.index()];
                let opening = if number <= self.played.course.opening { ", the opening's" } else { "" };
                let told = if all_laps { told_in_full } else { told };
                let lines = told(&ply.before, ply.mv).into_iter().map(|line| format!("  {line}\n"));
                format!("Ply {number}, player {player} ({name}): {}{opening}\n", ply.mv)
                    + &lines.collect::<String>()
            }
        };
        text += &board(game.position());
        text += &standing(&game);
        text.push('\n');
        if let (true, Some(fault), Outcome::Win(winner)) =
            (number == self.plies(), self.played.course.fault, self.played.course.outcome)
        {
            let loser: Player = winner.opponent();
            text += &format!(
                "Player {loser} ({}) lost the game here by a fault: {}.\n",
                self.names[loser.index()],
                fault.name()
            );
        }
        text
    }

    /// A ply as `giuthi apply --json` tells it, the end of the line included.
    ///
    /// # Panics
    /// When there are fewer plies.
    #[must_use]
    pub fn json_line(&self, number: usize) -> String {
        json_line(&self.game(number)) + "\n"
    }

    /// The game after so many plies.
    fn game(&self, plies: usize) -> Game {
        let mut game = Game::from_position(Position::start(self.variant));
        game.play_all(&self.played.course.moves[..plies]).expect("the moves were played before");
        game
    }
}
