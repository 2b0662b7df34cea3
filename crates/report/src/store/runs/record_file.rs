//! The file of a run's record: a header, the record, and a digest of both.
//!
//! | bytes | |
//! | --- | --- |
//! | 8 | magic bytes with the version of this layout |
//! | 4 | length of the header, little-endian |
//! | … | the header, as JSON |
//! | … | the record ([`jettison_measure`]'s transfer format) in Snappy frames |
//! | 32 | SHA-256 of all that precedes |

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use indexmap::IndexMap;
use jettison_measure::RunRecord;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::FileHash;

const MAGIC: &[u8; 8] = b"jet-run\x01";
/// Length of the digest.
const DIGEST: usize = 32;

/// What a record's file says about the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The key, which is also the file's name.
    pub(super) key: String,
    pub(super) wall_seconds: f64,
    pub(super) cpu_seconds: f64,
    /// Packet captures by file name.
    #[serde(default)]
    pub(super) captures: IndexMap<String, FileHash>,
}

/// Writes the file. The record's own encoding is used here and in [`read`] only.
pub(super) fn write(out: &mut dyn Write, header: &Header, record: &RunRecord) -> io::Result<()> {
    let mut out = Digesting { out, digest: Sha256::new() };
    let header = serde_json::to_vec(header)?;
    let length = u32::try_from(header.len()).map_err(io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&header)?;
    let mut frames = snap::write::FrameEncoder::new(&mut out);
    record.write_to(&mut frames)?;
    frames.flush()?;
    drop(frames);
    let Digesting { out, digest } = out;
    out.write_all(&digest.finalize())
}

/// Reads the file of the run `key`; `None` if it is damaged or of another version.
pub(super) fn read(path: &Path, key: &str) -> Option<(Header, RunRecord)> {
    let (header, frames) = open(path, key)?;
    let frames = BufReader::new(snap::read::FrameDecoder::new(frames));
    Some((header, RunRecord::read_from(frames).ok()?))
}

/// Reads the header of the file of the run `key`, with every byte checked.
pub(super) fn read_header(path: &Path, key: &str) -> Option<Header> {
    open(path, key).map(|(header, _)| header)
}

/// The header and the frames, if the digest is right. The file is read twice, so that long records take no memory.
fn open(path: &Path, key: &str) -> Option<(Header, impl Read)> {
    let mut file = File::open(path).ok()?;
    let content = file.metadata().ok()?.len().checked_sub(DIGEST as u64)?;
    let mut digest = Sha256::new();
    let mut all = BufReader::with_capacity(1 << 16, &mut file);
    digest_of(&mut (&mut all).take(content), &mut digest).ok()?;
    let mut expected = [0; DIGEST];
    all.read_exact(&mut expected).ok()?;
    if digest.finalize().as_slice() != expected {
        return None;
    }
    file.rewind().ok()?;
    let mut content = BufReader::with_capacity(1 << 16, file.take(content));
    let (mut magic, mut length) = ([0; MAGIC.len()], [0; 4]);
    content.read_exact(&mut magic).ok()?;
    content.read_exact(&mut length).ok()?;
    let mut header = Vec::new();
    (&mut content).take(u64::from(u32::from_le_bytes(length))).read_to_end(&mut header).ok()?;
    let header: Header = serde_json::from_slice(&header).ok()?;
    (magic == *MAGIC && header.key == key).then_some((header, content))
}

fn digest_of(bytes: &mut impl Read, digest: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match bytes.read(&mut buffer)? {
            0 => return Ok(()),
            read => digest.update(&buffer[..read]),
        }
    }
}

/// Passes bytes on and digests them.
struct Digesting<'a> {
    out: &'a mut dyn Write,
    digest: Sha256,
}

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
