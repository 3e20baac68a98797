//! A program that speaks the protocol, run as a child process: lines to it, lines from it, and its end.
//!
//! Threads of their own write to it and read from it, so that nothing the program does or leaves undone can hold up
//! whoever talks to it. Dropped, it is killed, with every process it started.

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

/// A running program.
pub struct Bot {
    child: Child,
    /// Takes lines for the program; `None` when its input is closed.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Line>,
    complaint: Arc<Mutex<String>>,
}

impl Bot {
    /// Starts a program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &OsStr, arguments: &[OsString]) -> io::Result<Bot> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that what the program starts in its turn can be ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, to_write) = mpsc::channel();
        let (heard, output) = mpsc::sync_channel(WAITING);
        let complaint = Arc::new(Mutex::new(String::new()));
        let last_words = Arc::clone(&complaint);
        if let Some(stdin) = stdin {
            thread::spawn(move || write(stdin, &to_write));
        }
        if let Some(stdout) = stdout {
            thread::spawn(move || listen(stdout, &heard));
        }
        if let Some(stderr) = stderr {
            thread::spawn(move || overhear(stderr, &last_words));
        }
        Ok(Bot { child, input: Some(input), output, complaint })
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
        match self.output.recv_timeout(within) {
            Ok(Line::Text(line)) => Ok(line),
            Ok(Line::TooLong) => Ok(String::new()),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late(within)),
            Err(RecvTimeoutError::Disconnected) => {
                // It closes its output a moment before it has ended, and before its last words are read.
                thread::sleep(LOOK * 4);
                let how = match self.child.try_wait() {
                    Ok(Some(status)) => status.to_string(),
                    _ => "its output is closed".to_owned(),
                };
                let stderr = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Err(Silence::Ended { how, stderr })
            }
        }
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
        // The whole group, which may outlive the program that it is named after.
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn listen(stdout: impl Read, heard: &SyncSender<Line>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(line)) = lines::read(&mut stdout) {
        if heard.send(line).is_err() {
            return;
        }
    }
}

/// Keeps the last line said that is not blank.
fn overhear(stderr: impl Read, last: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    while let Ok(Some(line)) = lines::read(&mut stderr) {
        if let Line::Text(line) = line
            && !line.is_empty()
        {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = excerpt(&line);
        }
    }
}
