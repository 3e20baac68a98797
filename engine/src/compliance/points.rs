//! The points themselves, in the order they are tried.

use std::time::Duration;

use super::referee::Referee;
use super::stages;
use super::{Point, Verdict};
use crate::game::Game;
use crate::rules::Move;

/// Moves after which a game need not be played further.
const LONG: usize = 1000;
/// What a `go` is limited to where the limit does not matter.
const QUICK: &str = "movetime 20";
/// How long a program has to hold back an answer that nobody asked for yet.
const HOLD: Duration = Duration::from_millis(100);

type Check = Result<(), Verdict>;

/// Every point, in order.
pub static POINTS: &[Point] = &[
    Point {
        name: "start", what: "answers `ugi` with `id name …` and `ugiok`", required: true, check: start
    },
    Point { name: "ready", what: "answers `isready` with `readyok`", required: true, check: ready },
    Point { name: "newgame", what: "goes on after `uginewgame`", required: true, check: new_game },
    Point {
        name: "game",
        what: "plays a whole game by legal moves, knowing at each whose turn it is",
        required: true,
        check: whole_game,
    },
    Point {
        name: "extra",
        what: "knows that after an extra move the same player moves again",
        required: true,
        check: extra,
    },
    Point {
        name: "pass",
        what: "passes where it must, and plays on after passes",
        required: true,
        check: pass,
    },
    Point { name: "fen", what: "takes `position fen P [moves …]`", required: true, check: fen },
    Point {
        name: "queries",
        what: "answers `query gameover|p1turn|result` at every move of a game",
        required: true,
        check: queries,
    },
    Point {
        name: "finished",
        what: "knows finished games: that they are over, and who won",
        required: true,
        check: finished,
    },
    Point {
        name: "limits",
        what: "takes `go` with depth, nodes, movetime and clocks",
        required: true,
        check: limits,
    },
    Point { name: "movetime", what: "answers `go movetime` in time", required: true, check: movetime },
    Point {
        name: "stop",
        what: "answers `go infinite` after `stop`, and not before",
        required: true,
        check: stop,
    },
    Point { name: "busy", what: "answers `isready` during a search", required: true, check: busy },
    Point {
        name: "rubbish",
        what: "survives unknown commands, bad positions, illegal moves and any bytes",
        required: true,
        check: rubbish,
    },
    Point {
        name: "refusal",
        what: "keeps its position when it is sent a bad one",
        required: false,
        check: refusal,
    },
    Point {
        name: "legalmoves",
        what: "answers `query legalmoves` (an addition)",
        required: false,
        check: legal_moves,
    },
    Point {
        name: "position",
        what: "answers `query position` (an addition)",
        required: false,
        check: position,
    },
    Point {
        name: "over",
        what: "answers `go` in a finished game with `bestmove none`",
        required: false,
        check: over,
    },
    Point { name: "quit", what: "ends with exit code 0 after `quit`", required: true, check: quit },
    Point {
        name: "leave",
        what: "ends with exit code 0 after `quit` during a search",
        required: true,
        check: leave,
    },
    Point { name: "eof", what: "ends when its input does", required: false, check: eof },
];

fn start(referee: &mut Referee<'_>) -> Check {
    let lines = referee.start()?;
    // Another start, with all that a referee sends before a game.
    referee.dismiss();
    if lines.iter().any(|line| line.strip_prefix("id name ").is_some_and(|name| !name.trim().is_empty())) {
        Ok(())
    } else {
        Err(Verdict::Fail("no `id name …` before `ugiok`".to_owned()))
    }
}

fn ready(referee: &mut Referee<'_>) -> Check {
    referee.ready()
}

fn new_game(referee: &mut Referee<'_>) -> Check {
    referee.send("uginewgame")?;
    referee.ready()?;
    let game = Game::new(referee.variant());
    referee.put(&game)?;
    referee.go(QUICK, &game).map(drop)
}

fn whole_game(referee: &mut Referee<'_>) -> Check {
    let mut game = Game::new(referee.variant());
    referee.send("uginewgame")?;
    referee.ready()?;
    while game.ending().is_none() && game.plies().len() < LONG {
        referee.put(&game)?;
        referee.ask_turn(&game)?;
        let mv = referee.go(QUICK, &game)?;
        game.play(mv).expect("the move was found legal");
    }
    referee.put(&game)?;
    referee.ask_all(&game)
}

/// A kind of position that this variant may not have.
fn found(game: Option<Game>, kind: &str) -> Result<Game, Verdict> {
    game.ok_or_else(|| Verdict::Skip(format!("no {kind} in 2000 random games of the variant")))
}

fn extra(referee: &mut Referee<'_>) -> Check {
    let game = found(stages::after_extra(referee.variant()), "extra move")?;
    referee.put(&game)?;
    referee.ask_turn(&game)?;
    referee.go(QUICK, &game).map(drop)
}

fn pass(referee: &mut Referee<'_>) -> Check {
    let game = found(stages::before_pass(referee.variant()), "forced pass")?;
    referee.put(&game)?;
    referee.go(QUICK, &game)?;
    let game = found(stages::after_pass(referee.variant()), "move after a pass")?;
    referee.put(&game)?;
    referee.ask_turn(&game)?;
    referee.go(QUICK, &game).map(drop)
}

fn fen(referee: &mut Referee<'_>) -> Check {
    let mut game = stages::middle(referee.variant());
    referee.put_text(&game)?;
    referee.ask_turn(&game)?;
    let mv = referee.go(QUICK, &game)?;
    let text = game.position().to_string();
    game.play(mv).expect("the move was found legal");
    referee.send(&format!("position fen {text} moves {mv}"))?;
    referee.ask_all(&game)
}

fn queries(referee: &mut Referee<'_>) -> Check {
    let whole = stages::game(referee.variant(), 1);
    let mut game = Game::new(referee.variant());
    for ply in whole.plies() {
        referee.put(&game)?;
        referee.ask_all(&game)?;
        game.play(ply.mv).expect("the game was played so");
    }
    Ok(())
}

fn finished(referee: &mut Referee<'_>) -> Check {
    for game in stages::endings(referee.variant()) {
        referee.put(&game)?;
        referee.ask_all(&game)?;
    }
    Ok(())
}

fn limits(referee: &mut Referee<'_>) -> Check {
    let mut game = Game::new(referee.variant());
    for limits in ["depth 1", "nodes 100", "movetime 20", "p1time 500 p2time 500 p1inc 0 p2inc 0"] {
        referee.put(&game)?;
        let mv = referee.go(limits, &game)?;
        game.play(mv).expect("the move was found legal");
        if game.ending().is_some() {
            game = Game::new(referee.variant());
        }
    }
    Ok(())
}

/// One slow answer may be the machine's fault; the quickest of three is the program's.
fn movetime(referee: &mut Referee<'_>) -> Check {
    const ASKED: Duration = Duration::from_millis(100);
    const GRACE: Duration = Duration::from_millis(200);
    let game = Game::new(referee.variant());
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        referee.put(&game)?;
        referee.ready()?;
        let began = referee.now();
        referee.go("movetime 100", &game)?;
        quickest = quickest.min(referee.now().saturating_sub(began));
        if quickest <= ASKED + GRACE {
            return Ok(());
        }
    }
    Err(Verdict::Fail(format!("`go movetime 100` took {} ms at best of three", quickest.as_millis())))
}

fn stop(referee: &mut Referee<'_>) -> Check {
    let game = stages::middle(referee.variant());
    referee.put(&game)?;
    referee.send("go infinite")?;
    referee.silent_for(HOLD)?;
    referee.send("stop")?;
    referee.best(&game)?;
    // Too late, and so without effect.
    referee.send("stop")?;
    referee.ready()
}

fn busy(referee: &mut Referee<'_>) -> Check {
    let game = stages::middle(referee.variant());
    referee.put(&game)?;
    referee.send("go infinite")?;
    referee.ready()?;
    referee.send("stop")?;
    referee.best(&game).map(drop)
}

fn rubbish(referee: &mut Referee<'_>) -> Check {
    let long = format!("position startpos moves {}", "x".repeat(10_000));
    let game = Game::new(referee.variant());
    for line in [
        "",
        "   ",
        "xyzzy",
        "position",
        "position fen",
        "position fen 1,2,3 4,5,6 0 0 0",
        "position startpos moves 99ccw",
        "position startpos moves nonsense",
        "position startpos moves pass",
        "query",
        "query xyzzy",
        "setoption name xyzzy value 1",
        "setoption",
        &long,
    ] {
        referee.send(line)?;
        referee.indulge()?;
    }
    referee.send_bytes(b"position \xff\xfe\x00 \x1b[31m")?;
    referee.indulge()?;
    referee.put(&game)?;
    referee.go(QUICK, &game).map(drop)
}

fn refusal(referee: &mut Referee<'_>) -> Check {
    let game = found(stages::second_turn(referee.variant()), "turn of player 1")?;
    for bad in [
        "position startpos moves 99ccw",
        "position fen 1,2,3 4,5,6 0 0 0",
        "position startpos moves nonsense",
    ] {
        referee.put(&game)?;
        referee.send(bad)?;
        referee.ask_turn(&game)?;
        referee.go(QUICK, &game)?;
    }
    Ok(())
}

fn unknown() -> Verdict {
    Verdict::Skip("it does not know the question".to_owned())
}

fn legal_moves(referee: &mut Referee<'_>) -> Check {
    let game = stages::middle(referee.variant());
    referee.put(&game)?;
    let answer = referee.ask_extra("legalmoves")?.ok_or_else(unknown)?;
    let sorted = |mut moves: Vec<String>| {
        moves.sort();
        moves
    };
    let told = sorted(answer.split_whitespace().map(str::to_owned).collect());
    let right = sorted(game.position().moves().iter().map(Move::to_string).collect());
    if told == right {
        return Ok(());
    }
    let (told, right) = (crate::notation::excerpt(&told.join(" ")), right.join(" "));
    Err(Verdict::Fail(format!("`{told}` instead of `{right}` (at {})", game.position())))
}

fn position(referee: &mut Referee<'_>) -> Check {
    let game = stages::middle(referee.variant());
    referee.put(&game)?;
    let answer = referee.ask_extra("position")?.ok_or_else(unknown)?;
    if answer == game.position().to_string() {
        return Ok(());
    }
    let answer = crate::notation::excerpt(&answer);
    Err(Verdict::Fail(format!("`{answer}` instead of `{}`", game.position())))
}

fn over(referee: &mut Referee<'_>) -> Check {
    let game = stages::game(referee.variant(), 0);
    referee.put(&game)?;
    referee.send(&format!("go {QUICK}"))?;
    match referee.hear("bestmove")?.as_str() {
        "none" => Ok(()),
        other => Err(Verdict::Fail(format!("`bestmove {}`", crate::notation::excerpt(other)))),
    }
}

fn quit(referee: &mut Referee<'_>) -> Check {
    referee.farewell(true)
}

fn leave(referee: &mut Referee<'_>) -> Check {
    let game = Game::new(referee.variant());
    referee.put(&game)?;
    referee.send("go infinite")?;
    referee.farewell(true)
}

fn eof(referee: &mut Referee<'_>) -> Check {
    referee.farewell(false)
}
