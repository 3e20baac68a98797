//! A program that speaks the protocol, run as a child process: lines to it, lines from it, and its end.
//!
//! Threads of their own write to it and read from it, so that nothing the program does or leaves undone can hold up
//! whoever talks to it. Dropped, it is killed, with every process it started; and on Unix also when whoever started it
//! is gone without having dropped it: interrupted, killed or crashed.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::lines::{self, Line};
use crate::agent::Clock;
use crate::notation::excerpt;

/// Lines that may wait to be heard; a program that says more has to wait.
const WAITING: usize = 1024;
/// Time between two looks at whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);
/// Time between two looks at whether a program that says nothing has ended: one of its children may keep its output open.
const GLANCE: Duration = Duration::from_millis(250);
/// Longest line of a program that is kept, in bytes, so that those that wait to be heard have their bounds too.
const LONGEST_HEARD: usize = 1 << 16;
/// Longest wait for the rest of what a program that has ended wrote to stderr.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Name of the thread that writes to a program.
pub const WRITER: &str = "to a program";
/// Name of the thread that reads from it.
pub const READER: &str = "from a program";

/// Why a program said nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Silence {
    /// Nothing came in time.
    #[error("no answer in {} ms", .0.as_millis())]
    Late(Duration),
    /// It closed its output, which is to say that it ended: how, and the last line of its stderr.
    #[error("it ended ({how}){last}", last = after_colon(.stderr))]
    Ended {
        /// Its exit status, where it is known.
        how: String,
        /// The last line it wrote to stderr; empty without one.
        stderr: String,
    },
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// A line, and when it was read.
type Heard = (Line, Option<Duration>);

/// The clock of the threads that read and write.
type Shared = Option<Arc<dyn Clock + Send + Sync>>;

/// A running program.
pub struct Bot {
    child: Child,
    /// Let go of only with the program.
    #[cfg(unix)]
    guard: Option<Guard>,
    /// Takes lines for the program; `None` when its input is closed.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Heard>,
    /// When the last line was begun to be written to it.
    written: Arc<Mutex<Option<Duration>>>,
    complaint: Arc<Mutex<String>>,
    /// Closed when all that it wrote to stderr has been read.
    read_out: Receiver<()>,
}

impl Bot {
    /// Starts a program. What it writes to stderr is heard and forgotten, but for the last line.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &OsStr, arguments: &[OsString]) -> io::Result<Bot> {
        Bot::start_logged(program, arguments, io::sink(), None)
    }

    /// [`Bot::start`], with every line that the program writes to stderr passed on to `log`; and with a clock by which it
    /// is noted when lines are written and read, however long it then takes until somebody looks.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_logged(
        program: &OsStr,
        arguments: &[OsString],
        log: impl Write + Send + 'static,
        clock: Option<Arc<dyn Clock + Send + Sync>>,
    ) -> io::Result<Bot> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        let guard = Guard::start()?;
        #[cfg(unix)]
        guard.watch_over(&mut command);
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, to_write) = mpsc::channel();
        let (heard, output) = mpsc::sync_channel(WAITING);
        let complaint = Arc::new(Mutex::new(String::new()));
        let last_words = Arc::clone(&complaint);
        let (reading, read_out) = mpsc::channel::<()>();
        let written = Arc::new(Mutex::new(None));
        if let Some(stdin) = stdin {
            let (clock, written) = (clock.clone(), Arc::clone(&written));
            thread::Builder::new()
                .name(WRITER.to_owned())
                .spawn(move || write(stdin, &to_write, &clock, &written))?;
        }
        if let Some(stdout) = stdout {
            thread::Builder::new().name(READER.to_owned()).spawn(move || listen(stdout, &heard, &clock))?;
        }
        if let Some(stderr) = stderr {
            thread::spawn(move || {
                overhear(stderr, &last_words, log);
                drop(reading);
            });
        }
        Ok(Bot {
            child,
            #[cfg(unix)]
            guard: Some(guard),
            input: Some(input),
            output,
            written,
            complaint,
            read_out,
        })
    }

    /// Sends a line, to be written as soon as the program takes it. One that has ended hears nothing, which its
    /// missing answers will tell.
    pub fn send(&self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// [`Bot::send`] of any bytes.
    pub fn send_bytes(&self, line: &[u8]) {
        if let Some(input) = &self.input {
            let _ = input.send([line, b"\n"].concat());
        }
    }

    /// Closes the program's input once everything sent is written.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line it says within a time; a line too long to be one of the protocol comes as an empty one.
    ///
    /// # Errors
    /// When the time is over or the program is.
    pub fn hear(&mut self, within: Duration) -> Result<String, Silence> {
        self.hear_at(within).map(|(line, _)| line)
    }

    /// [`Bot::hear`], and when the line was read from the program, where there is a clock to tell it.
    ///
    /// # Errors
    /// As [`Bot::hear`].
    pub fn hear_at(&mut self, within: Duration) -> Result<(String, Option<Duration>), Silence> {
        let text = |(line, at): Heard| match line {
            Line::Text(line) => (line, at),
            Line::TooLong => (String::new(), at),
        };
        let mut left = within;
        loop {
            match self.output.recv_timeout(left.min(GLANCE)) {
                Ok(heard) => return Ok(text(heard)),
                Err(RecvTimeoutError::Timeout) if left <= GLANCE => return Err(Silence::Late(within)),
                Err(RecvTimeoutError::Timeout) => left -= GLANCE,
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
            if let Ok(Some(_)) = self.child.try_wait() {
                // What it said before its end is still on the way.
                return self.output.recv_timeout(LOOK).map(text).map_err(|_| self.ended());
            }
        }
    }

    /// When the last line was begun to be written to the program, where there is a clock to tell it.
    #[must_use]
    pub fn written_at(&self) -> Option<Duration> {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the program ended, and its last words: it closes its output a moment before it has ended, and before they are
    /// read.
    fn ended(&mut self) -> Silence {
        let _ = self.read_out.recv_timeout(LAST_WORDS);
        let status = (0..4).find_map(|look| {
            if look > 0 {
                thread::sleep(LOOK);
            }
            self.child.try_wait().ok().flatten()
        });
        let how = status.map_or("its output is closed".to_owned(), |status| status.to_string());
        let stderr = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Silence::Ended { how, stderr }
    }

    /// Waits for the program's end; `None` when it goes on for longer.
    pub fn wait(&mut self, within: Duration, clock: &dyn Clock) -> Option<ExitStatus> {
        let deadline = clock.now().saturating_add(within);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if clock.now() >= deadline {
                return None;
            }
            thread::sleep(LOOK);
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        #[cfg(unix)]
        drop(self.guard.take());
        // It may have left its group.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.read_out.recv_timeout(LAST_WORDS);
    }
}

/// Leads the group of processes that a program runs in, and ends them all when we are gone, however that came: a
/// signal that ends us leaves no time to do it. It is a shell that waits for the end of a pipe that we alone hold
/// open. Being there before the program, it misses nothing; and until we have seen its own end no other group can
/// have its number.
#[cfg(unix)]
struct Guard {
    shell: Child,
}

#[cfg(unix)]
impl Guard {
    /// Signals to the group that could be ignored are, for a program may send them to its own children so.
    const SCRIPT: &str = "trap '' HUP INT QUIT TERM; read -r line; kill -9 0";

    fn start() -> io::Result<Guard> {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", Guard::SCRIPT]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            // Its input stays open for as long as the child is kept.
            Ok(shell) => Ok(Guard { shell }),
            Err(error) => Err(io::Error::new(error.kind(), format!("/bin/sh: {error}"))),
        }
    }

    /// Has a program that is still to be started join the group. Away from the terminal's group, it does not hear
    /// Ctrl-C: we do.
    fn watch_over(&self, command: &mut Command) {
        std::os::unix::process::CommandExt::process_group(command, self.shell.id() as i32);
    }
}

#[cfg(unix)]
impl Drop for Guard {
    /// Ends every process of the group.
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(&self.shell), Signal::KILL);
        let _ = self.shell.wait();
    }
}

fn write(
    mut stdin: ChildStdin,
    lines: &Receiver<Vec<u8>>,
    clock: &Shared,
    written: &Mutex<Option<Duration>>,
) {
    for line in lines {
        if let Some(clock) = clock {
            *written.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock.now());
        }
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn listen(stdout: impl Read, heard: &SyncSender<Heard>, clock: &Shared) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(line)) = lines::read(&mut stdout) {
        let at = clock.as_ref().map(|clock| clock.now());
        let line = match line {
            Line::Text(text) if text.len() > LONGEST_HEARD => Line::TooLong,
            line => line,
        };
        if heard.send((line, at)).is_err() {
            return;
        }
    }
}

/// Keeps the last line said that is not blank, and passes all of them on.
fn overhear(stderr: impl Read, last: &Mutex<String>, mut log: impl Write) {
    let mut stderr = BufReader::new(stderr);
    while let Ok(Some(line)) = lines::read(&mut stderr) {
        if let Line::Text(line) = line
            && !line.is_empty()
        {
            // The program goes on, whatever becomes of its complaints.
            let _ = log.write_all(format!("{line}\n").as_bytes());
            *last.lock().unwrap_or_else(PoisonError::into_inner) = excerpt(&line);
        }
    }
}
