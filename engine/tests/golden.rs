//! The rules against the records of an independent program: whole games and single moves, every column. The files
//! are described in `golden/README.md`. A failure names file, line and column.

use std::collections::BTreeMap;
use std::fmt::Display;

use giuthi_engine::{
    Ending, Game, Lap, Move, MoveKind, Outcome, Player, Position, Setup, Sower, Sowing, Step, Variant,
};

/// A row of a golden file, which knows where it stands.
struct Row {
    file: &'static str,
    line: u64,
    fields: BTreeMap<String, String>,
}

impl Row {
    fn get(&self, column: &str) -> &str {
        self.fields.get(column).unwrap_or_else(|| panic!("{}: no column `{column}`", self.file))
    }

    fn number(&self, column: &str) -> usize {
        self.get(column).parse().unwrap_or_else(|_| panic!("{}: no number", self.place(column)))
    }

    fn place(&self, column: &str) -> String {
        format!("{}:{}: column `{column}`", self.file, self.line)
    }

    /// Asserts that the engine says what the file has.
    fn is(&self, column: &str, engine: impl Display) {
        assert_eq!(self.get(column), engine.to_string(), "{} (file left, engine right)", self.place(column));
    }

    fn variant(&self) -> Variant {
        Variant::new(self.number("W"), self.number("S")).expect("a variant of the rules")
    }

    fn mv(&self) -> Move {
        match self.get("dir") {
            "pass" => {
                self.is("pit", "-");
                Move::Pass
            }
            way => format!("{}{way}", self.get("pit")).parse().expect("a move"),
        }
    }
}

/// The rows of a golden file; there are `count` of them.
fn rows(file: &'static str, count: usize) -> Vec<Row> {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    // Flexible, as the remark that ends a row of `games_index.csv` may hold commas.
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_path(&path).expect("the golden file is there");
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<Row> = reader
        .records()
        .map(|record| {
            let record = record.expect("a whole row");
            let line = record.position().expect("a row read has a place").line();
            let too_long = record.len() > header.len() && file != "games_index.csv";
            assert!(record.len() >= header.len() && !too_long, "{file}:{line}: {} fields", record.len());
            let fields = header.iter().zip(&record).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            Row { file, line, fields }
        })
        .collect();
    assert_eq!(rows.len(), count, "rows of {file}");
    rows
}

fn pits(position: &Position) -> String {
    position.board().pits().iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

/// A position of a board written as numbers in ring order, with empty piles.
fn set_up(board: &str, player: usize) -> Position {
    let pits: Vec<u32> = board.split(' ').map(|seeds| seeds.parse().expect("a number of seeds")).collect();
    let (north, south) = pits.split_at(pits.len() / 2);
    let setup = Setup { north: north.to_vec(), south: south.to_vec(), piles: [0, 0], to_move: player as u32 };
    Position::try_from(&setup).expect("a golden board is a board")
}

fn kind(sowing: &Sowing) -> &'static str {
    match sowing.kind {
        MoveKind::Turn => "quiet",
        kind => kind.name(),
    }
}

fn status(game: &Game) -> &'static str {
    match (game.ending(), game.outcome()) {
        (Some(Ending::Repetition), Some(Outcome::Draw)) => "draw_repetition",
        (Some(Ending::Endless), Some(Outcome::Draw)) => "draw_endless",
        (Some(Ending::NoMoves), Some(Outcome::Draw)) => "draw_score",
        (Some(Ending::NoMoves), Some(Outcome::Win(Player::South))) => "win0",
        (Some(Ending::NoMoves), Some(Outcome::Win(Player::North))) => "win1",
        (None, None) => "ongoing",
        (ending, outcome) => panic!("{ending:?} and {outcome:?} do not go together"),
    }
}

/// Asserts that every sower plays the row's move as the game did: the one that the game uses is compared with the row.
fn check_sowers(row: &Row, before: &Position, mv: Move, sowing: Sowing, game: &Game) {
    for sower in Sower::ALL {
        let step = before.step_by(sower, mv);
        assert_eq!(
            (step.sowing, step.position),
            (sowing, *game.position()),
            "{}: {sower:?}",
            row.place("pit")
        );
    }
}

/// Plays the row's move in the game and compares all that the row says.
fn check_ply(row: &Row, game: &mut Game) {
    row.is("ply", game.plies().len() + 1);
    row.is("W", game.position().width());
    row.is("player", game.position().to_move());
    let mv = row.mv();
    let mut laps: Vec<Lap> = Vec::new();
    let Step { position, sowing } = {
        assert_eq!(game.position().check(mv), Ok(()), "{}", row.place("pit"));
        game.position().step_observed(mv, |lap| laps.push(lap))
    };
    let ply = game.play(mv).unwrap_or_else(|error| panic!("{}: {error}", row.place("pit")));
    assert_eq!((ply.sowing, *game.position()), (sowing, position), "{}", row.place("board"));
    check_sowers(row, &ply.before, mv, sowing, game);
    row.is("laps", sowing.laps);
    row.is("laps", laps.len());
    row.is("max_lap", laps.iter().map(|lap| lap.seeds).max().unwrap_or(0));
    row.is("captured", sowing.captured);
    row.is("kind", kind(&sowing));
    row.is("chain", sowing.chain);
    row.is("board", pits(game.position()));
    let ([pile0, pile1], [score0, score1]) = (position.piles(), position.score());
    row.is("pile0", pile0);
    row.is("pile1", pile1);
    row.is("status", status(game));
    if game.ending().is_none() {
        row.is("to_move", position.to_move());
    } else {
        row.is("to_move", "-");
    }
    if game.ending() == Some(Ending::NoMoves) {
        row.is("score0", score0);
        row.is("score1", score1);
    } else {
        row.is("score0", "-");
        row.is("score1", "-");
    }
}

/// Replays every game of a file; returns each game with its number there.
fn replay(file: &'static str, count: usize) -> Vec<(String, Game)> {
    let mut games: Vec<(String, Game)> = Vec::new();
    for row in rows(file, count) {
        if games.last().is_none_or(|(number, _)| number != row.get("game")) {
            games.push((row.get("game").to_owned(), Game::new(row.variant())));
        }
        check_ply(&row, &mut games.last_mut().expect("pushed above").1);
    }
    for (number, game) in &games {
        assert!(game.ending().is_some(), "{file}: game {number} is not finished");
    }
    games
}

fn longest_run_of_extras(game: &Game) -> usize {
    let kinds: Vec<MoveKind> = game.plies().iter().map(|ply| ply.sowing.kind).collect();
    kinds.split(|&kind| kind != MoveKind::Extra).map(<[MoveKind]>::len).max().unwrap_or(0)
}

#[test]
fn recorded_games_are_replayed() {
    let games = replay("games.csv", 1697);
    let index = rows("games_index.csv", 20);
    assert_eq!(games.len(), index.len());
    for (row, (number, game)) in index.iter().zip(&games) {
        let count = |wanted| game.plies().iter().filter(|ply| ply.sowing.kind == wanted).count();
        let most = |of: fn(&Sowing) -> u32| game.plies().iter().map(|ply| of(&ply.sowing)).max().unwrap_or(0);
        let largest_lap = game.plies().iter().map(|ply| {
            let mut largest = 0;
            let _ = ply.before.step_observed(ply.mv, |lap| largest = largest.max(lap.seeds));
            largest
        });
        let start = game.plies()[0].before;
        row.is("game", number);
        row.is("W", start.width());
        row.is("S", start.board().pits()[0]);
        row.is("plies", game.plies().len());
        row.is("status", status(game));
        row.is("passes", count(MoveKind::Pass));
        row.is("extras", count(MoveKind::Extra));
        row.is("extra_run", longest_run_of_extras(game));
        row.is("max_chain", most(|sowing| sowing.chain.into()));
        row.is("max_laps", most(|sowing| sowing.laps));
        row.is("max_lap", largest_lap.max().unwrap_or(0));
    }
}

#[test]
fn games_that_end_in_an_endless_relay_are_replayed() {
    let games = replay("games_endless_2x5x4.csv", 64);
    assert_eq!(games.len(), 3);
    for (number, game) in games {
        assert_eq!(game.ending(), Some(Ending::Endless), "game {number}");
    }
}

#[test]
fn tricky_moves_do_what_is_recorded() {
    for row in rows("tricky_moves.csv", 65) {
        let mut game = Game::from_position(set_up(row.get("board"), row.number("player")));
        row.is("W", game.position().width());
        let mv = row.mv();
        let mut laps = 0;
        let mut largest = 0;
        let _ = game.position().step_observed(mv, |lap| {
            laps += 1;
            largest = largest.max(lap.seeds);
        });
        let ply = game.play(mv).unwrap_or_else(|error| panic!("{}: {error}", row.place("pit")));
        let sowing = ply.sowing;
        check_sowers(&row, &ply.before, mv, sowing, &game);
        row.is("laps", sowing.laps);
        row.is("laps", laps);
        row.is("captured", sowing.captured);
        row.is("chain", sowing.chain);
        row.is("max_lap", largest);
        row.is("kind", kind(&sowing));
        row.is("board_after", pits(game.position()));
        let (next, legal) = match game.ending() {
            None => {
                let legal: Vec<String> = game.position().moves().iter().map(Move::to_string).collect();
                (game.position().to_move().to_string(), legal.join(" "))
            }
            Some(Ending::NoMoves) => ("over".to_owned(), String::new()),
            Some(ending) => (format!("draw_{}", ending.name()), String::new()),
        };
        row.is("next_to_move", next);
        row.is("legal_next", legal);
    }
}

#[test]
fn a_player_can_draw_by_repeating_within_one_turn() {
    for row in rows("own_turn_repetition.csv", 4) {
        let mut game = Game::from_position(set_up(row.get("start_board"), row.number("player")));
        row.is("W", game.position().width());
        let (moves, after): (Vec<&str>, Vec<&str>) =
            (row.get("moves").split(' ').collect(), row.get("boards_after_each_move").split('/').collect());
        assert_eq!(moves.len(), after.len(), "{}", row.place("moves"));
        let mut boards = vec![pits(game.position())];
        for (mv, board) in moves.iter().zip(after) {
            assert_eq!(game.ending(), None, "{}", row.place("moves"));
            let ply = game.play(mv.parse().expect("a move")).expect("a recorded move is legal");
            assert_eq!(ply.sowing.kind, MoveKind::Extra, "{}", row.place("moves"));
            row.is("player", game.position().to_move());
            assert_eq!(pits(game.position()), board, "{}", row.place("boards_after_each_move"));
            boards.push(board.to_owned());
        }
        assert_eq!((game.ending(), game.outcome()), (Some(Ending::Repetition), Some(Outcome::Draw)));
        let last = boards.pop().expect("there are moves");
        let first_met = boards.iter().position(|board| *board == last);
        row.is("returns_to_board_after_move(0=start)", first_met.map_or(-1, |at| at as i32));
    }
}
