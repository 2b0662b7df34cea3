//! Framing of the messages from a run's process to the command: length, tag, payload.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// A message from the run's work.
pub(super) const MESSAGE: u8 = 0;
/// Successful end of the work. The last frame.
pub(super) const FINISHED: u8 = 1;
/// Failure of the work; the payload is the message. The last frame.
pub(super) const FAILED: u8 = 2;

const HEADER: usize = 5;

pub(super) fn write(mut stream: &UnixStream, tag: u8, payload: &[u8]) -> io::Result<()> {
    let length =
        u32::try_from(payload.len()).map_err(|_| io::Error::other("a message must be shorter than 4 GiB"))?;
    let mut header = [tag; HEADER];
    header[1..].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&header)?;
    stream.write_all(payload)
}

/// Reassembles frames from the byte stream.
#[derive(Default)]
pub(super) struct Reader {
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were already returned.
    taken: usize,
}

impl Reader {
    /// Reads once. Returns false at the end of the stream.
    pub(super) fn fill(&mut self, mut stream: &UnixStream) -> io::Result<bool> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let mut chunk = [0; 1 << 16];
        match stream.read(&mut chunk) {
            Ok(0) => Ok(false),
            Ok(read) => {
                self.buffer.extend_from_slice(&chunk[..read]);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            // The other side ended before it had read all our data.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the next complete frame.
    pub(super) fn next(&mut self) -> Option<(u8, &[u8])> {
        let rest = &self.buffer[self.taken..];
        let (&tag, length) = rest.get(..HEADER)?.split_first()?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let end = HEADER.checked_add(length)?;
        let payload = rest.get(HEADER..end)?;
        self.taken += end;
        Some((tag, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_reassembled_from_any_segmentation() {
        let (near, far) = UnixStream::pair().unwrap();
        let long = vec![7; 100_000];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                write(&near, MESSAGE, b"").unwrap();
                write(&near, MESSAGE, &long).unwrap();
                write(&near, FAILED, b"why").unwrap();
                drop(near);
            });
            let mut reader = Reader::default();
            let mut seen = Vec::new();
            while reader.fill(&far).unwrap() {
                while let Some((tag, payload)) = reader.next() {
                    seen.push((tag, payload.to_vec()));
                }
            }
            assert_eq!(seen, [(MESSAGE, vec![]), (MESSAGE, long.clone()), (FAILED, b"why".to_vec())]);
        });
    }
}
