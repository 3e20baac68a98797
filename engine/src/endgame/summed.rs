//! What is written or read, summed up on the way.

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// Hands on bytes and takes their SHA-256.
pub(super) struct Summed<I> {
    pub(super) inner: I,
    pub(super) sum: Sha256,
}

impl<I> Summed<I> {
    pub(super) fn new(inner: I) -> Summed<I> {
        Summed { inner, sum: Sha256::new() }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}
