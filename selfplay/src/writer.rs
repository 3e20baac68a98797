//! Parts written by threads of their own: neither hashing nor compressing nor a slow disk keeps the games waiting, as
//! long as it keeps up with them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use giuthi_engine::files::write_whole;
use sha2::{Digest, Sha256};
use zstd::stream::write::Encoder;

use crate::error::Error;
use crate::manifest::hex;
use crate::part::header;
use crate::settings::{Format, Level};

/// Bytes that are handed over at a time: few enough to wait for, many enough to wake a thread for.
const CHUNK: usize = 1 << 16;
/// Chunks that wait to be written at most.
const AHEAD: usize = 16;
/// Logarithm of the bytes that a compressed part is looked back into: 128 KiB. Rows repeat nothing from farther away, and
/// who reads many parts at a time has all of their windows in the processor's caches.
const WINDOW_LOG: u32 = 17;

/// An encoder as parts are compressed with.
fn encoder<W: Write>(sink: W, level: Level) -> io::Result<Encoder<'static, W>> {
    let mut encoder = Encoder::new(sink, level.get())?;
    // Spelt out, so that the bytes hang on no default: a sum at the end, no length at the beginning (it is not known
    // there), one thread.
    encoder.include_checksum(true)?;
    encoder.include_contentsize(false)?;
    encoder.window_log(WINDOW_LOG)?;
    Ok(encoder)
}

/// What a part's thread is told.
enum Message {
    /// The rows of the next games.
    Rows(Vec<u8>),
    /// There are no more: the part is whole.
    End,
}

/// A part that is being written.
pub(crate) struct PartWriter<'scope> {
    sender: SyncSender<Message>,
    /// Rows that are not handed over yet.
    rows: Vec<u8>,
    thread: ScopedJoinHandle<'scope, Result<String, Error>>,
}

impl<'scope> PartWriter<'scope> {
    /// Begins a part, with its header, in a thread of its own.
    pub(crate) fn begin(
        scope: &'scope Scope<'scope, '_>,
        path: PathBuf,
        format: Format,
        width: usize,
    ) -> PartWriter<'scope> {
        let (sender, receiver) = sync_channel(AHEAD);
        let thread = scope.spawn(move || write(&path, format, width, receiver));
        PartWriter { sender, rows: Vec::with_capacity(CHUNK), thread }
    }

    /// Takes the rows of a game; whether they can still be written. Where they cannot, [`Finishing::wait`] says why.
    pub(crate) fn rows(&mut self, rows: &[u8]) -> bool {
        self.rows.extend_from_slice(rows);
        self.rows.len() < CHUNK || self.hand_over()
    }

    fn hand_over(&mut self) -> bool {
        let rows = std::mem::replace(&mut self.rows, Vec::with_capacity(CHUNK + CHUNK / 4));
        self.sender.send(Message::Rows(rows)).is_ok()
    }

    /// That the part has all its games. It is on the disk when [`Finishing::wait`] comes back.
    pub(crate) fn finish(mut self) -> Finishing<'scope> {
        self.hand_over();
        // A thread that has failed does not hear it, and tells its error all the same.
        let _ = self.sender.send(Message::End);
        Finishing(self.thread)
    }
}

/// A part that has all its games and is on its way to the disk.
pub(crate) struct Finishing<'scope>(ScopedJoinHandle<'scope, Result<String, Error>>);

impl Finishing<'_> {
    /// SHA-256 of the file, when it is whole and under its name.
    pub(crate) fn wait(self) -> Result<String, Error> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn write(path: &Path, format: Format, width: usize, receiver: Receiver<Message>) -> Result<String, Error> {
    let mut sum = String::new();
    let written = write_whole(path, |file| {
        let sink = Summing { file, sum: Sha256::new() };
        let sink = match format {
            Format::Plain => fill(sink, width, receiver)?,
            Format::Zstd(level) => fill(encoder(sink, level)?, width, receiver)?.finish()?,
        };
        sum = hex(&sink.sum.finalize());
        Ok(())
    });
    written.map(|()| sum).map_err(|error: io::Error| Error::io(path, "cannot be written", error))
}

/// Writes the header and whatever comes until the end is told. Where it is not told, the part is not whole.
fn fill<W: Write>(mut sink: W, width: usize, receiver: Receiver<Message>) -> io::Result<W> {
    sink.write_all(header(width).as_bytes())?;
    loop {
        match receiver.recv() {
            Ok(Message::Rows(rows)) => sink.write_all(&rows)?,
            Ok(Message::End) => return Ok(sink),
            Err(_) => return Err(io::Error::new(io::ErrorKind::Interrupted, "its games were broken off")),
        }
    }
}

/// A file whose bytes are summed on the way into it.
struct Summing<W> {
    file: W,
    sum: Sha256,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A compressed part written once more, to nowhere: what its file would be here.
pub(crate) struct Rewritten {
    encoder: Encoder<'static, Summing<io::Sink>>,
    /// Rows that are not compressed yet; handed on in chunks, as they are where a part is written.
    rows: Vec<u8>,
}

impl Rewritten {
    /// Begins a part, with its header.
    pub(crate) fn begin(level: Level, width: usize) -> io::Result<Rewritten> {
        let mut encoder = encoder(Summing { file: io::sink(), sum: Sha256::new() }, level)?;
        encoder.write_all(header(width).as_bytes())?;
        Ok(Rewritten { encoder, rows: Vec::with_capacity(CHUNK) })
    }

    /// Takes the rows of a game.
    pub(crate) fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        self.rows.extend_from_slice(rows);
        if self.rows.len() < CHUNK { Ok(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.encoder.write_all(&self.rows)?;
        self.rows.clear();
        Ok(())
    }

    /// SHA-256 of the file.
    pub(crate) fn finish(mut self) -> io::Result<String> {
        self.hand_over()?;
        Ok(hex(&self.encoder.finish()?.sum.finalize()))
    }
}
