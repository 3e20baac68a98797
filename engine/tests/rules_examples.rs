//! The examples of `docs/rules.md`, played: every block fenced as `giuthi` is a game, line by line.

use giuthi_engine::{Game, Lap, Move, MoveKind, Outcome, Position, Variant};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");

/// A game as far as an example has come.
struct Example {
    line: usize,
    game: Option<Game>,
    /// Laps of the last move that the example has not told yet; it tells all of them or none.
    laps: Vec<Lap>,
    tells_laps: bool,
}

impl Example {
    fn game(&mut self) -> &mut Game {
        let line = self.line;
        self.game.as_mut().unwrap_or_else(|| panic!("{PATH}:{line}: no position yet"))
    }

    fn mv(&self, text: &str) -> Move {
        text.parse().unwrap_or_else(|error| panic!("{PATH}:{}: {error}", self.line))
    }

    fn is<T: PartialEq + std::fmt::Debug>(&self, what: &str, document: T, engine: T) {
        assert_eq!(document, engine, "{PATH}:{}: {what} (document left, engine right)", self.line);
    }

    fn assert_laps_told(&mut self) {
        assert!(!self.tells_laps || self.laps.is_empty(), "{PATH}:{}: the move has more laps", self.line);
        self.tells_laps = false;
    }

    fn read(&mut self, text: &str) {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        if word != "lap" {
            self.assert_laps_told();
        }
        match word {
            "start" => {
                let variant: Variant = rest.parse().unwrap_or_else(|e| panic!("{PATH}:{}: {e}", self.line));
                self.game = Some(Game::new(variant));
            }
            "position" => {
                let position: Position = rest.parse().unwrap_or_else(|e| panic!("{PATH}:{}: {e}", self.line));
                match &self.game {
                    None => self.game = Some(Game::from_position(position)),
                    Some(game) => self.is("position", position, *game.position()),
                }
            }
            "moves" => {
                let moves = self.game().position().moves();
                let moves = moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
                self.is("moves", rest, &moves);
            }
            "illegal" => {
                let (mv, reason) = rest.split_once(": ").expect("a move and a reason");
                let mv = self.mv(mv);
                let error = self.game().clone().play(mv).expect_err("the document says it is illegal");
                self.is("reason", reason, &error.to_string());
            }
            "lap" => {
                assert!(!self.laps.is_empty(), "{PATH}:{}: the move has no such lap", self.line);
                let lap = self.laps.remove(0);
                self.tells_laps = true;
                let Lap { from, seeds, direction, to, last, .. } = lap;
                let on = if last { "empty" } else { "occupied" };
                self.is("lap", rest, &format!("{seeds} seeds from {from} {direction} to {to}, {on}"));
            }
            "end" => {
                let game = self.game();
                let (ending, outcome) = (game.ending(), game.outcome());
                let [score0, score1] = game.position().score();
                let ending = ending.map_or("playing", |ending| ending.name());
                let told = match outcome {
                    None => ending.to_owned(),
                    Some(Outcome::Draw) => format!("{ending}, draw"),
                    Some(Outcome::Win(player)) => {
                        format!("{ending}, player {player} wins, scores {score0} and {score1}")
                    }
                };
                self.is("end", rest, &told);
            }
            mv => {
                let mv = self.mv(mv);
                let mut laps = Vec::new();
                let position = *self.game().position();
                let ply = match self.game().play(mv) {
                    Ok(ply) => ply,
                    Err(error) => panic!("{PATH}:{}: {error}", self.line),
                };
                let _ = position.step_observed(mv, |lap| laps.push(lap));
                let count = match ply.sowing.laps {
                    1 => "1 lap".to_owned(),
                    laps => format!("{laps} laps"),
                };
                let did = match ply.sowing.kind {
                    MoveKind::Pass => "forced".to_owned(),
                    MoveKind::Capture => format!("{count}, capture of {}", ply.sowing.captured),
                    kind => format!("{count}, {}", kind.name()),
                };
                self.is("move", rest, &did);
                self.laps = laps;
            }
        }
    }
}

#[test]
fn the_examples_of_the_rules_are_true() {
    let text = std::fs::read_to_string(PATH).expect("docs/rules.md is there");
    let mut example: Option<Example> = None;
    let (mut examples, mut moves) = (0, 0);
    for (text, line) in text.lines().zip(1..) {
        match (&mut example, text) {
            (None, "```giuthi") => {
                example = Some(Example { line, game: None, laps: Vec::new(), tells_laps: false });
            }
            (None, _) => {}
            (Some(done), "```") => {
                done.assert_laps_told();
                moves += done.game().plies().len();
                examples += 1;
                example = None;
            }
            (Some(example), text) => {
                example.line = line;
                example.read(text);
            }
        }
    }
    assert!(example.is_none(), "{PATH}: an example without end");
    assert!(examples >= 12 && moves >= 20, "{PATH}: only {examples} examples, {moves} moves");
}

/// The ruling on opposite pits rests on a record of the sources, which the start of `2x10x9` has to bear out.
#[test]
fn the_record_behind_r1_holds() {
    let start = Position::start("2x10x9".parse().unwrap());
    let captures: Vec<(String, u8)> = start
        .moves()
        .into_iter()
        .map(|mv| (mv.to_string(), start.step(mv).sowing.captured))
        .filter(|&(_, captured)| captured > 0)
        .collect();
    assert_eq!(captures, [("10ccw".to_owned(), 10), ("19cw".to_owned(), 10)]);
}

/// Every ruling is told, and told why.
#[test]
fn every_ruling_is_in_the_rules() {
    let text = std::fs::read_to_string(PATH).expect("docs/rules.md is there");
    for ruling in 1..=9 {
        assert_eq!(text.matches(&format!("\n### R{ruling}: ")).count(), 1, "R{ruling}");
    }
    for variant in Variant::RECORDED {
        assert!(text.contains(&format!("`{variant}`")), "{variant}");
    }
}
