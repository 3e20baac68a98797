//! An engine of the protocol: lines in, lines out.
//!
//! One thread reads, one searches, and the caller's answers and writes. So everything but a move is answered at once,
//! whatever is being searched, and lines never mix. Every `go` that is understood is answered by exactly one
//! `bestmove`, in order; one that comes during a search ends that search as `stop` would.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use super::command::{Command, CommandError, Go};
use super::lines::{self, Line};
use super::table::{OPTIONS, Table};
use super::wdl;
use super::worker::{self, Job, Search, Signal};
use crate::agent::{Choice, Clock};
use crate::game::Ending;
use crate::notation::one_line;
use crate::rng::game_rng;
use crate::rules::Move;

/// Lines and answers that may wait to be looked at; whoever is faster has to wait.
const WAITING: usize = 256;
/// How long a search may take to end when the program should; longer ones are left behind.
const PATIENCE: Duration = Duration::from_secs(1);

/// What happens to an engine.
pub(super) enum Event {
    /// A line came.
    Line(Line),
    /// No more will come.
    End(io::Result<()>),
    /// The search thinks something.
    Thought { choice: Choice, time: Duration },
    /// The answer to a `go`: a move, or none and why.
    Best { mv: Option<Move>, reason: Option<String> },
}

/// Speaks the protocol from `input` to `output` until `quit`, the end of the input, or an output that is closed.
/// A search that runs then is ended, and its move still told. Each line is flushed.
///
/// Agents draw on one random stream of `seed`, so that the same lines give the same answers where no time limit is
/// set. The two threads may outlive the call: reading cannot be interrupted.
///
/// # Errors
/// When the input cannot be read or the output not be written.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    table: Table,
    seed: u64,
    clock: impl Clock + Clone + Send + 'static,
) -> io::Result<()> {
    let (events, heard) = mpsc::sync_channel(WAITING);
    let (jobs, queue) = mpsc::channel();
    let answers: SyncSender<Event> = events.clone();
    let worker_clock = clock.clone();
    thread::spawn(move || worker::work(&queue, &answers, game_rng(seed, 0), &worker_clock));
    thread::spawn(move || listen(input, &events));
    Engine { table, clock, output, jobs, searching: None, unanswered: 0 }.run(&heard)
}

/// Sends every line on, then the end.
fn listen(mut input: impl BufRead, events: &SyncSender<Event>) {
    loop {
        let (event, last) = match lines::read(&mut input) {
            Ok(Some(line)) => (Event::Line(line), false),
            Ok(None) => (Event::End(Ok(())), true),
            Err(error) => (Event::End(Err(error)), true),
        };
        if events.send(event).is_err() || last {
            return;
        }
    }
}

struct Engine<W, C> {
    table: Table,
    clock: C,
    output: W,
    jobs: Sender<Job>,
    /// Stops the search begun last.
    searching: Option<Arc<Signal>>,
    /// How many `go`s have had no answer yet.
    unanswered: usize,
}

impl<W: Write, C: Clock> Engine<W, C> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut end = Ok(());
        for event in events {
            match event {
                Event::Line(Line::Text(line)) => match Command::parse(&line) {
                    Ok(None) => {}
                    Ok(Some(Command::Quit)) => break,
                    Ok(Some(command)) => self.obey(command)?,
                    Err(error) => self.inform(&error.to_string())?,
                },
                Event::Line(Line::TooLong) => {
                    self.inform(&format!("a line of more than {} bytes is passed over", lines::LONGEST))?;
                }
                Event::End(result) => {
                    end = result;
                    break;
                }
                answer => self.tell(answer)?,
            }
        }
        self.stop();
        while self.unanswered > 0
            && let Ok(event) = events.recv_timeout(PATIENCE)
        {
            self.tell(event)?;
        }
        end
    }

    fn obey(&mut self, command: Command) -> io::Result<()> {
        let done = match command {
            Command::Ugi => return self.introduce(),
            Command::IsReady => return self.say("readyok"),
            Command::Query(query) => {
                let answer = self.table.answer(query);
                return self.say(&format!("response {answer}"));
            }
            Command::SetOption { name, value } => self.table.set(&name, &value),
            Command::NewGame => self.table.new_game(),
            Command::Position { start, moves } => self.table.place(start, &moves),
            Command::Go(go) => self.go(&go).map_err(|error| error.to_string()),
            Command::Stop | Command::Quit => {
                self.stop();
                Ok(())
            }
        };
        match done {
            Ok(()) => Ok(()),
            Err(reason) => self.inform(&reason),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.say(&format!("id name Giuthi {}", env!("CARGO_PKG_VERSION")))?;
        self.say(&format!("id author {}", env!("CARGO_PKG_AUTHORS")))?;
        for name in OPTIONS {
            let value = one_line(&self.table.option(name), usize::MAX);
            self.say(&format!("option name {name} type string default {value}"))?;
        }
        self.say("ugiok")
    }

    fn go(&mut self, go: &Go) -> Result<(), CommandError> {
        let began = self.clock.now();
        let game = self.table.game();
        let limits = go.limits(game.position().to_move())?;
        let job = match game.ending() {
            Some(ending) => Job::Decline(over(ending)),
            None => {
                let game = game.clone();
                match self.table.newcomer() {
                    Err(reason) => Job::Decline(reason),
                    Ok(newcomer) => {
                        let stop = Arc::new(Signal::default());
                        let infinite = go.infinite;
                        Job::Search(Search { newcomer, game, limits, infinite, began, stop })
                    }
                }
            }
        };
        self.stop();
        if let Job::Search(search) = &job {
            self.searching = Some(Arc::clone(&search.stop));
        }
        self.jobs.send(job).expect("the searching thread waits for work as long as there can be any");
        self.unanswered += 1;
        Ok(())
    }

    /// Asks the running search, if there is one, for its answer.
    fn stop(&mut self) {
        if let Some(stop) = self.searching.take() {
            stop.raise();
        }
    }

    /// Writes what the search has to tell. Lines that still come after the end are passed over.
    fn tell(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Line(_) | Event::End(_) => Ok(()),
            Event::Thought { choice, time } => self.say(&thought(&choice, time)),
            Event::Best { mv, reason } => {
                self.unanswered -= 1;
                if let Some(reason) = reason {
                    self.inform(&reason)?;
                }
                match mv {
                    Some(mv) => self.say(&format!("bestmove {mv}")),
                    None => self.say("bestmove none"),
                }
            }
        }
    }

    /// The text may quote anything that was sent, such as a path: it is made one line of bounded length.
    fn inform(&mut self, text: &str) -> io::Result<()> {
        const LONGEST: usize = 1000;
        self.say(&format!("info string {}", one_line(text, LONGEST)))
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }
}

fn over(ending: Ending) -> String {
    format!("go: the game is over ({})", ending.name())
}

/// An `info` line.
fn thought(choice: &Choice, time: Duration) -> String {
    let [wins, draws, losses] = wdl(choice.value.unwrap_or_default());
    let Choice { depth, nodes, .. } = choice;
    let mut line = format!(
        "info depth {depth} score wdl {wins} {draws} {losses} nodes {nodes} time {} pv",
        time.as_millis()
    );
    for mv in &choice.line {
        line.push(' ');
        line += &mv.to_string();
    }
    line
}
