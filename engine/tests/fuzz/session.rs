//! Sessions of the engine protocol with anything changed in them: the engine says what a plain model of it says, in
//! the same order, plays legal moves, and ends.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use giuthi_engine::agent::LoadError;
use giuthi_engine::net::NetError;
use giuthi_engine::rng::random_move;
use giuthi_engine::ugi::command::{Command, Query};
use giuthi_engine::ugi::lines::LONGEST;
use giuthi_engine::ugi::table::Table;
use giuthi_engine::ugi::{engine, result_name};
use giuthi_engine::{AgentSpec, Clock, Game, Move, Player, Position, Variant};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::mutation::mutate;
use crate::text::{any_position, any_variant, spec};
use crate::{PATIENCE, Weights};

/// Panics in threads without a name: those of the engine.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts panics in [`PANICS`] from now on.
pub(crate) fn notice_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if thread::current().name().is_none() {
                PANICS.fetch_add(1, Ordering::Relaxed);
            }
            before(panic);
        }));
    });
}

/// A clock on which a millisecond goes by with every look.
#[derive(Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// An input that stays open until its sender is dropped.
struct Input {
    chunks: Receiver<Vec<u8>>,
    left: VecDeque<u8>,
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.left = self.chunks.recv().unwrap_or_default().into();
        }
        self.left.read(room)
    }
}

/// Where the engine writes.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("the engine writes UTF-8")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn case(weights: &Weights, rng: &mut impl rand::Rng) {
    let mut lines = session(weights, rng);
    if rng.random_ratio(15, 16) {
        change(&mut lines, rng);
    }
    // Lines may have been cut in two, or become one.
    let mut bytes = lines.join(&b'\n');
    bytes.extend_from_slice(b"\nisready");
    let quits = rng.random_ratio(1, 2);
    if quits {
        bytes.extend_from_slice(b"\nquit\nisready\ngo\n");
    }
    let mut model = Model::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        if !model.hear(line) {
            break;
        }
    }
    let said = converse(bytes, quits, rng);
    model.compare(&said);
}

/// A session that makes sense.
fn session(weights: &Weights, rng: &mut impl rand::Rng) -> Vec<Vec<u8>> {
    let mut lines: Vec<String> = vec!["ugi".to_owned(), "isready".to_owned(), "uginewgame".to_owned()];
    let (mut game, mut front) = (Game::new(Variant::default()), "startpos".to_owned());
    for _ in 0..rng.random_range(1..=12) {
        match rng.random_range(0..12) {
            0 => {
                let variant = any_variant(rng);
                lines.push(format!("setoption name variant value {variant}"));
                (game, front) = (Game::new(variant), "startpos".to_owned());
            }
            1 => {
                let position = any_position(rng);
                (game, front) = (Game::from_position(position), format!("fen {position}"));
            }
            2 => lines.push(format!("setoption name agent value {}", spec(weights, rng))),
            3 => lines.push(format!("query {}", Query::ALL[rng.random_range(0..Query::ALL.len())].0)),
            4 => lines
                .push((*["isready", "stop", "uginewgame", "ugi", ""].choose(rng).expect("some")).to_owned()),
            5..9 => {
                for _ in 0..rng.random_range(0..30) {
                    if game.ending().is_none() {
                        let mv = random_move(game.position(), rng).expect("the game goes on");
                        game.play(mv).expect("a listed move is legal");
                    }
                }
                let mut line = format!("position {front}");
                for (number, ply) in game.plies().iter().enumerate() {
                    line += &format!("{}{}", if number == 0 { " moves " } else { " " }, ply.mv);
                }
                lines.push(line);
            }
            _ => {
                let number = rng.random_range(1..=40);
                lines.push(match rng.random_range(0..7) {
                    0 => "go".to_owned(),
                    1 => "go infinite".to_owned(),
                    2 => format!("go depth {}", number % 4 + 1),
                    3 => format!("go nodes {number}"),
                    4 => format!("go movetime {number}"),
                    5 => format!("go p1time {number} p2time {number} p1inc 1"),
                    _ => format!("go depth 3 nodes {number} movetime {number}"),
                });
            }
        }
    }
    lines.into_iter().map(String::into_bytes).collect()
}

/// Edits of lines and in lines.
fn change(lines: &mut Vec<Vec<u8>>, rng: &mut impl rand::Rng) {
    for _ in 0..rng.random_range(1..=4) {
        if lines.is_empty() {
            return;
        }
        let (at, to) = (rng.random_range(0..lines.len()), rng.random_range(0..lines.len()));
        match rng.random_range(0..16) {
            0 => lines.swap(at, to),
            1 => drop(lines.remove(at)),
            2 | 3 => lines.insert(to, lines[at].clone()),
            4 => lines[at] = (0..rng.random_range(0..80)).map(|_| rng.random()).collect(),
            5 if rng.random_ratio(1, 40) => {
                let most = if rng.random_ratio(1, 2) { LONGEST } else { LONGEST + 8 };
                while lines[at].len() < most - 8 {
                    let again = lines[at].len().clamp(1, most - 8 - lines[at].len());
                    let copy: Vec<u8> = lines[at].iter().copied().chain([b' ']).take(again).collect();
                    lines[at].extend_from_slice(&copy);
                }
                lines[at].extend(std::iter::repeat_n(b'1', rng.random_range(0..=16)));
            }
            _ => mutate(&mut lines[at], rng),
        }
    }
}

/// What the engine says to some bytes, which come in pieces; then its input stays open or ends. It has to end by itself.
fn converse(bytes: Vec<u8>, stays_open: bool, rng: &mut impl rand::Rng) -> String {
    let (sender, chunks) = mpsc::channel();
    let output = Output::default();
    let (ended, end) = mpsc::channel();
    let panics = PANICS.load(Ordering::Relaxed);
    let (seed, writer) = (rng.random(), output.clone());
    let input = BufReader::with_capacity(rng.random_range(1..=64), Input { chunks, left: VecDeque::new() });
    let serving = move || {
        let table = Table::new(Variant::default(), Model::AGENT.parse().expect("a good spec"));
        let table = table.expect("it needs no file");
        let _ = ended.send(engine::serve(input, writer, table, seed, Ticks::default()));
    };
    let thread = thread::Builder::new().name("serving".to_owned()).spawn(serving).expect("a thread");
    let patient = rng.random_ratio(1, 4);
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let line = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (piece, left) = rest.split_at(if patient { line } else { rng.random_range(1..=rest.len()) });
        // It may have ended already.
        let _ = sender.send(piece.to_vec());
        rest = left;
        if patient && piece.starts_with(b"go") {
            // Time to think, though nothing depends on its being enough.
            thread::sleep(Duration::from_millis(2));
        }
    }
    let sender: Option<Sender<Vec<u8>>> = stays_open.then_some(sender);
    let result = match end.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", String::from_utf8_lossy(&bytes)),
        Err(RecvTimeoutError::Disconnected) => panic!("it panics: {}", String::from_utf8_lossy(&bytes)),
    };
    thread.join().expect("it has ended well");
    drop(sender);
    result.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)));
    assert_eq!(PANICS.load(Ordering::Relaxed), panics, "a panic: {}", String::from_utf8_lossy(&bytes));
    output.text()
}

/// What the engine has to say, as a plain reading of the protocol has it.
struct Model {
    variant: Variant,
    spec: AgentSpec,
    /// The width that the agent was last loaded for.
    width: usize,
    game: Game,
    /// Answers that come at once, in order.
    answers: Vec<String>,
    /// How many lines of complaint.
    complaints: usize,
    /// For each `go` the game it is about, in order; `None` where there is nobody to play it.
    gos: Vec<Option<Game>>,
}

impl Model {
    const AGENT: &str = "ab:nodes=300";

    fn new() -> Model {
        let variant = Variant::default();
        Model {
            variant,
            spec: Model::AGENT.parse().expect("a good spec"),
            width: variant.width(),
            game: Game::new(variant),
            answers: Vec::new(),
            complaints: 0,
            gos: Vec::new(),
        }
    }

    /// Takes a line; `false` when it was the last.
    fn hear(&mut self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        let good = match Command::parse(&text) {
            _ if line.len() > LONGEST => false,
            Err(_) => false,
            Ok(None) => true,
            Ok(Some(Command::Quit)) => return false,
            Ok(Some(command)) => self.obey(command),
        };
        self.complaints += usize::from(!good);
        true
    }

    fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Ugi => self.answers.push("ugiok".to_owned()),
            Command::IsReady => self.answers.push("readyok".to_owned()),
            Command::Query(query) => self.answers.push(format!("response {}", self.response(query))),
            Command::SetOption { name, value } => return self.set(&name, &value),
            Command::NewGame => self.begin(self.variant),
            Command::Position { start, moves } => {
                let mut game = Game::from_position(start.unwrap_or_else(|| Position::start(self.variant)));
                if game.play_all(&moves).is_err() {
                    return false;
                }
                self.width = game.position().width();
                self.game = game;
            }
            Command::Go(go) => {
                if go.limits(self.game.position().to_move()).is_err() {
                    return false;
                }
                let playable = self.game.ending().is_none() && self.spec.load(self.width).is_ok();
                self.gos.push(playable.then(|| self.game.clone()));
                return playable;
            }
            Command::Stop => {}
            Command::Quit => unreachable!("it was the last"),
        }
        true
    }

    fn begin(&mut self, variant: Variant) {
        self.variant = variant;
        self.width = variant.width();
        self.game = Game::new(variant);
    }

    fn set(&mut self, name: &str, value: &str) -> bool {
        match name {
            "variant" => match value.parse() {
                Ok(variant) => self.begin(variant),
                Err(_) => return false,
            },
            "agent" => match value.parse::<AgentSpec>() {
                Ok(spec) => match spec.load(self.width) {
                    // Variant and weights come in any order.
                    Ok(_) | Err(LoadError::Net(NetError::Width { .. })) => self.spec = spec,
                    Err(_) => return false,
                },
                Err(_) => return false,
            },
            _ => return false,
        }
        true
    }

    fn response(&self, query: Query) -> String {
        let position = self.game.position();
        match query {
            Query::GameOver => self.game.ending().is_some().to_string(),
            Query::P1Turn => (position.to_move() == Player::South).to_string(),
            Query::Result => result_name(self.game.outcome()).to_owned(),
            Query::LegalMoves if self.game.ending().is_some() => "none".to_owned(),
            Query::LegalMoves => position.moves().iter().map(Move::to_string).collect::<Vec<_>>().join(" "),
            Query::Position => position.to_string(),
        }
    }

    /// Compares all that was said.
    fn compare(&self, said: &str) {
        let (mut answers, mut complaints, mut moves) = (Vec::new(), 0, Vec::new());
        for line in said.lines() {
            // A path is told as it was set, however long.
            let short = line.len() < 5000 || line.starts_with("option name agent ");
            assert!(!line.contains(char::is_control) && short, "{line:?}");
            match line.split_once(' ').unwrap_or((line, "")) {
                ("ugiok" | "readyok" | "response", _) => answers.push(line.to_owned()),
                ("bestmove", mv) => moves.push(mv.to_owned()),
                ("info", text) if text.starts_with("string ") => complaints += 1,
                ("info", text) if text.starts_with("depth ") => {}
                ("id" | "option", _) => {}
                _ => panic!("{line:?} is no line of the protocol"),
            }
        }
        assert_eq!(answers, self.answers);
        assert_eq!(complaints, self.complaints, "lines of complaint in {said}");
        assert_eq!(moves.len(), self.gos.len(), "moves in {said}");
        for (mv, game) in moves.iter().zip(&self.gos) {
            match game {
                None => assert_eq!(mv, "none"),
                Some(game) => {
                    let mv: Move = mv.parse().unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(game.position().check(mv), Ok(()), "{mv} in {}", game.position());
                }
            }
        }
    }
}
