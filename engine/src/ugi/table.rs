//! What the commands are about: the variant, the agent, and the game in front of it.

use crate::agent::{Agent, AgentSpec, Factory, LoadError};
use crate::game::{Game, PlayError};
use crate::position::Position;
use crate::rules::{Move, Player, Variant};

use super::command::Query;
use super::result_name;

/// The variant, the agent and the game.
pub struct Table {
    variant: Variant,
    spec: AgentSpec,
    seat: Seat,
    game: Game,
    /// Whether another agent than before sits at the table, one without memory of the game.
    changed: bool,
}

/// The agent loaded for boards of a width; or why it cannot play on them.
struct Seat {
    width: usize,
    factory: Result<Factory, String>,
}

impl Seat {
    /// Loads an agent. Weights or tables for boards of another width are no error yet: variant and agent are set one after
    /// the other, in either order.
    fn load(spec: &AgentSpec, width: usize) -> Result<Seat, LoadError> {
        let factory = match spec.load(width) {
            Ok(factory) => Ok(factory),
            Err(error) if error.is_of_width() => Err(error.to_string()),
            Err(error) => return Err(error),
        };
        Ok(Seat { width, factory })
    }
}

/// The options that can be set, by name.
pub const OPTIONS: [&str; 2] = ["variant", "agent"];

impl Table {
    /// A table with a game at the start of a variant.
    ///
    /// # Errors
    /// When the agent cannot be loaded. That its weights are for another width is no error before it has to play.
    pub fn new(variant: Variant, spec: AgentSpec) -> Result<Table, LoadError> {
        let seat = Seat::load(&spec, variant.width())?;
        Ok(Table { variant, spec, seat, game: Game::new(variant), changed: true })
    }

    /// The game as far as it is played.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The value of an option of [`OPTIONS`].
    #[must_use]
    pub fn option(&self, name: &str) -> String {
        if name == "variant" { self.variant.to_string() } else { self.spec.to_string() }
    }

    /// Sets an option. Another variant begins another game.
    ///
    /// # Errors
    /// One line that says why not; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let refused = |error: &dyn std::fmt::Display| format!("setoption {name}: {error}");
        match name {
            "variant" => {
                let variant: Variant = value.parse().map_err(|error| refused(&error))?;
                self.sit_for(variant.width()).map_err(|error| refused(&error))?;
                self.variant = variant;
                self.game = Game::new(variant);
            }
            "agent" => {
                let spec: AgentSpec = value.parse().map_err(|error| refused(&error))?;
                self.seat = Seat::load(&spec, self.seat.width).map_err(|error| refused(&error))?;
                self.spec = spec;
                self.changed = true;
            }
            other => {
                let other = crate::notation::excerpt(other);
                return Err(format!("setoption: `{other}` is no option: there are variant, agent"));
            }
        }
        Ok(())
    }

    /// Begins another game at the variant's start, with an agent that remembers nothing.
    ///
    /// # Errors
    /// One line that says why the agent cannot be loaded any more; nothing is changed then.
    pub fn new_game(&mut self) -> Result<(), String> {
        self.sit_for(self.variant.width()).map_err(|error| error.to_string())?;
        self.game = Game::new(self.variant);
        self.changed = true;
        Ok(())
    }

    /// Sets up a position (`None`: the variant's start) and plays moves from it.
    ///
    /// # Errors
    /// One line that names the first illegal move; the game stays as it was then.
    pub fn place(&mut self, start: Option<Position>, moves: &[Move]) -> Result<(), String> {
        let mut game = Game::from_position(start.unwrap_or_else(|| Position::start(self.variant)));
        game.play_all(moves).map_err(|(number, error): (usize, PlayError)| {
            format!("position: move {number} ({}): {error}", moves[number - 1])
        })?;
        self.sit_for(game.position().width()).map_err(|error| format!("position: {error}"))?;
        self.game = game;
        Ok(())
    }

    /// The answer to a question, without the word `response`.
    #[must_use]
    pub fn answer(&self, query: Query) -> String {
        let position = self.game.position();
        let over = self.game.ending().is_some();
        match query {
            Query::GameOver => over.to_string(),
            Query::P1Turn => (position.to_move() == Player::South).to_string(),
            Query::Result => result_name(self.game.outcome()).to_owned(),
            Query::LegalMoves if over => "none".to_owned(),
            Query::LegalMoves => position.moves().iter().map(Move::to_string).collect::<Vec<_>>().join(" "),
            Query::Position => position.to_string(),
        }
    }

    /// A fresh agent, where another one has to play from now on than before.
    ///
    /// # Errors
    /// One line that says why the agent cannot play on this board.
    pub fn newcomer(&mut self) -> Result<Option<Box<dyn Agent>>, String> {
        let factory = self.seat.factory.as_ref().map_err(String::clone)?;
        Ok(std::mem::take(&mut self.changed).then(|| factory()))
    }

    /// Loads the agent anew where the width is another one.
    fn sit_for(&mut self, width: usize) -> Result<(), LoadError> {
        if self.seat.width != width {
            self.seat = Seat::load(&self.spec, width)?;
            self.changed = true;
        }
        Ok(())
    }
}
