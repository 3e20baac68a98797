//! Whether games are those that settings make: what of them is drawn by chance is drawn again from their own streams, and
//! where it is asked for the agent's moves are chosen again. Where endgame tables played games to their end and are at hand,
//! what they play is compared too.

use std::sync::Arc;

use giuthi_engine::agent::{Factory, NoClock};
use giuthi_engine::endgame::tablebase::Tablebase;
use giuthi_engine::rng::{game_rng, random_move};
use giuthi_engine::sample::Note;
use giuthi_engine::{Game, Move, Sample, Source};
use rand::{Rng, RngExt};

use crate::adjudication::adjudicated;
use crate::generate::gives_values;
use crate::openings::{DRAWS, draw, fingerprint_of};
use crate::part;
use crate::play::play;
use crate::settings::Settings;

/// Agents that choose without chance: behind their moves the stream of a game is known as well.
const WITHOUT_CHANCE: [&str; 2] = ["ab", "net"];

/// Plies of an opening by which it is told from others and from exploration.
const LONG: usize = 4;

/// Where games come from.
pub(crate) struct Origin {
    settings: Settings,
    /// Whether what is drawn behind the agent's first move is known.
    without_chance: bool,
    /// Whether the moves that the agent chooses have a value, where that is known.
    values: Option<bool>,
    /// Most seeds on a board of the tables that played games to their end, where there were any: what follows may be theirs.
    decided_at: Option<usize>,
    /// Those tables, where they are at hand.
    tables: Option<Arc<Tablebase>>,
    /// The agent, where every game is to be played again.
    agent: Option<Factory>,
}

/// A ply that is not the one that the settings make, and what that would be.
pub(crate) struct Astray {
    pub(crate) ply: usize,
    pub(crate) what: String,
}

impl Origin {
    /// Of settings that are possible. `agent` is the loaded one, where it can be loaded; with `again` it plays. `decided_at`
    /// are the most seeds on a board of the tables that played games to their end, `tables` these themselves.
    pub(crate) fn new(
        settings: Settings,
        agent: Option<Factory>,
        again: bool,
        decided_at: Option<usize>,
        tables: Option<Arc<Tablebase>>,
    ) -> Origin {
        let values = agent.as_ref().map(|agent| gives_values(agent, &Game::new(settings.variant)));
        let agent = agent.filter(|_| again);
        let name = settings.agent.text().split(':').next().unwrap_or_default();
        Origin { without_chance: WITHOUT_CHANCE.contains(&name), settings, values, decided_at, tables, agent }
    }

    /// Compares a game with what the settings make of its number. It comes to the fingerprint of the position that the
    /// game begins from, where no two may have the same.
    pub(crate) fn compare(&self, rows: &[Sample]) -> Result<Option<u64>, Astray> {
        let Settings { seed, distinct_openings, .. } = self.settings;
        let number = rows[0].game;
        let draws = if distinct_openings { DRAWS } else { 1 };
        let mut rng = game_rng(seed, number);
        let mut first = None;
        for passed_over in 0..draws {
            let Ok(opening) = draw(&self.settings, 0, &mut rng) else { break };
            let astray = self.astray(&opening, &mut rng.clone(), rows);
            let Some(astray) = astray.or_else(|| self.play_again(passed_over, rows)) else {
                let told = distinct_openings && opening.plies().len() >= LONG;
                return Ok(told.then(|| fingerprint_of(opening.position())));
            };
            first.get_or_insert(astray);
        }
        Err(first.unwrap_or_else(|| Astray { ply: 0, what: "there is no opening for it".to_owned() }))
    }

    /// The first ply that is not what it has to be behind an opening, as far as chance alone decides. `rng` has drawn
    /// the opening.
    fn astray(&self, opening: &Game, rng: &mut impl Rng, rows: &[Sample]) -> Option<Astray> {
        let plies = opening.plies();
        let mut game = self.tables.as_ref().map(|_| opening.clone());
        for (ply, row) in rows.iter().enumerate() {
            let drawn = |mv: Move| {
                let wrong = row.mv != mv || row.source != Source::Random || row.value.is_some();
                wrong.then(|| Astray { ply, what: format!("by its stream `{mv}` is played at random here") })
            };
            let astray = if let Some(drawn_ply) = plies.get(ply) {
                // That passes, and they alone, are forced was seen in the row.
                if drawn_ply.mv == Move::Pass && row.mv == Move::Pass { None } else { drawn(drawn_ply.mv) }
            } else if let Some((mv, note)) =
                self.tables.as_ref().zip(game.as_ref()).and_then(|(tables, game)| adjudicated(tables, game))
            {
                let wrong = (row.mv, row.source, row.value) != (mv, note.source, note.value);
                wrong.then(|| Astray {
                    ply,
                    what: format!("the tables play `{mv}` here, worth {}", worth(note)),
                })
            } else if self.tables.is_none() && self.may_be_decided(row) {
                return None;
            } else if row.mv == Move::Pass {
                None
            } else if rng.random_bool(self.settings.epsilon.get()) {
                drawn(random_move(&row.position, rng)?)
            } else {
                let tempered = self.settings.temperature.and_then(|falling| falling.at(ply - plies.len()));
                if tempered.is_some() {
                    // What the choice by values takes of the stream.
                    rng.random::<f64>();
                }
                let random = row.source == Source::Random;
                if random && (tempered.is_none() || row.value.is_none()) {
                    Some(Astray { ply, what: "by its stream nothing is played at random here".to_owned() })
                } else if self.values.is_some_and(|values| values != row.value.is_some()) {
                    let gives = if row.value.is_some() { "no value" } else { "a value" };
                    Some(Astray { ply, what: format!("the run's agent gives {gives}") })
                } else if self.without_chance {
                    None
                } else {
                    return None;
                }
            };
            if astray.is_some() {
                return astray;
            }
            if let Some(game) = game.as_mut().filter(|_| ply >= plies.len()) {
                game.play(row.mv).expect("it was played when the rows were read");
            }
        }
        let missing = rows.len() < plies.len();
        missing.then(|| Astray { ply: rows.len(), what: "its opening is longer".to_owned() })
    }

    /// Whether tables may have played a row, for all that is known without them.
    fn may_be_decided(&self, row: &Sample) -> bool {
        self.decided_at.is_some_and(|seeds| row.position.board().seeds() as usize <= seeds)
    }

    /// Plays the game again, where that is asked for, and finds the first ply that differs.
    fn play_again(&self, passed_over: u32, rows: &[Sample]) -> Option<Astray> {
        let agent = self.agent.as_ref()?;
        let number = rows[0].game;
        let tables = self.tables.as_deref();
        let played =
            match play(&self.settings, number, passed_over, agent().as_mut(), tables, &NoClock, |_| {}) {
                Ok(played) => played,
                Err(error) => return Some(Astray { ply: 0, what: error.to_string() }),
            };
        let text = part::rows(number, &played.game, &played.notes);
        let mut found = Vec::new();
        rows.iter().for_each(|row| row.spell(&mut found));
        if text == found {
            return None;
        }
        let (text, found) = (String::from_utf8_lossy(&text), String::from_utf8_lossy(&found));
        let ply = text.lines().zip(found.lines()).take_while(|(wanted, found)| wanted == found).count();
        let wanted = text.lines().nth(ply).unwrap_or("nothing").to_owned();
        Some(Astray { ply, what: format!("played again the row is `{wanted}`") })
    }
}

/// The value of a row that tables played, in words.
fn worth(note: Note) -> String {
    note.value.map_or("nothing".to_owned(), |value| value.to_string())
}
