//! VP9 by libvpx, and its bitstream: superframes and references (*VP9 Bitstream & Decoding Process Specification*, version 0.6).

use std::io::BufReader;
use std::path::Path;
use std::process::{ChildStdout, Command};
use std::sync::atomic::AtomicBool;

use jettison_video::content::layered::Place;

use super::{EncodedFrame, EncodedUnit, Settings, check_count, run};
use crate::tools::Tools;
use crate::{Error, ivf};

/// Speed of libvpx's real-time mode, from 5 to 9: what a laptop does at 720p.
const SPEED: u32 = 7;

pub fn encode(
    settings: &Settings<'_>,
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<EncodedFrame>, Error> {
    let structure = settings.structure;
    let mut command = Command::new(tools.vp9_layers()?);
    let (format, inter_layer) = (settings.format, if structure.key_only { 2 } else { 0 });
    command
        .args([format.width, format.height, format.rate.0, format.rate.1].map(|number| number.to_string()));
    command.args(
        [u32::from(structure.spatial), u32::from(structure.temporal), inter_layer, SPEED]
            .map(|n| n.to_string()),
    );
    for spatial in settings.spatial_shares {
        for upto in settings.temporal_shares {
            let kbit = (settings.target_kbit as f64 * spatial * upto).round().max(1.0);
            command.arg((kbit as u64).to_string());
        }
    }
    let plan = |frame| structure.plan(settings.place(frame));
    let (frames, pictures) =
        run(settings, &mut command, folder, cancelled, plan, |output| read(settings, output))?;
    check_count(settings, frames.len(), pictures)?;
    Ok(frames)
}

fn read(settings: &Settings<'_>, output: ChildStdout) -> Result<Vec<EncodedFrame>, Error> {
    let mut output = BufReader::new(output);
    let reading = || Error::io("vp9-layers: cannot read its output");
    ivf::read_head(&mut output).map_err(reading())?;
    let mut frames = Vec::new();
    let mut buffers = Buffers::default();
    while let Some(frame) = ivf::read_frame(&mut output).map_err(reading())? {
        let wrong =
            |message: String| Error::output("vp9-layers", format!("frame {}: {message}", frames.len()));
        if frame.time != frames.len() as u64 {
            return Err(wrong(format!("picture {} is missing", frames.len())));
        }
        let parts = layers(&frame.bytes).map_err(&wrong)?;
        if parts.len() != usize::from(settings.structure.spatial) {
            let message =
                format!("must have {} spatial layers, got {}", settings.structure.spatial, parts.len());
            return Err(wrong(message));
        }
        let number = frames.len() as u32;
        let mut units = Vec::with_capacity(parts.len());
        for (spatial, bytes) in parts.into_iter().enumerate() {
            let header = Header::parse(bytes).map_err(&wrong)?;
            let references =
                buffers.decode(header, Place { frame: number, spatial: spatial as u8 }).map_err(&wrong)?;
            units.push(EncodedUnit { bytes: bytes.to_vec(), size: bytes.len() as u32, references });
        }
        let temporal = settings.structure.temporal_layer(settings.place(number));
        frames.push(EncodedFrame { temporal, units });
    }
    Ok(frames)
}

/// Splits a superframe into its frames (Annex B).
fn layers(bytes: &[u8]) -> Result<Vec<&[u8]>, String> {
    let Some(&marker) = bytes.last() else { return Err("is empty".to_owned()) };
    if marker & 0b1110_0000 != 0b1100_0000 {
        return Ok(vec![bytes]);
    }
    let (count, width) = (usize::from(marker & 7) + 1, usize::from(marker >> 3 & 3) + 1);
    let index = count * width + 2;
    let start = bytes.len().checked_sub(index).filter(|start| bytes[*start] == marker);
    let Some(start) = start else { return Ok(vec![bytes]) };
    let mut rest = &bytes[..start];
    let mut parts = Vec::with_capacity(count);
    for size in bytes[start + 1..bytes.len() - 1].chunks(width) {
        let size = size.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
        let (part, after) = rest.split_at_checked(size).ok_or("has a superframe index beyond its end")?;
        if part.is_empty() {
            return Err("has an empty layer".to_owned());
        }
        parts.push(part);
        rest = after;
    }
    Ok(parts)
}

/// Joins frames to a superframe; one alone needs no index.
pub fn superframe(parts: &[&[u8]]) -> Vec<u8> {
    let mut all = parts.concat();
    if parts.len() > 1 {
        let marker = 0b1101_1000 | (parts.len() - 1) as u8; // sizes of four bytes
        all.push(marker);
        parts.iter().for_each(|part| all.extend((part.len() as u32).to_le_bytes()));
        all.push(marker);
    }
    all
}

/// What a frame reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// Buffers that it reads; `None` for a key frame.
    reads: Option<[u8; 3]>,
    /// Mask of the buffers that it writes.
    writes: u8,
}

impl Header {
    /// Parses the first bytes of an uncompressed header (section 6.2).
    fn parse(bytes: &[u8]) -> Result<Header, String> {
        let mut bits = Bits { bytes, at: 0 };
        if bits.take(2)? != 2 {
            return Err("is no frame of VP9".to_owned());
        }
        if bits.take(2)? != 0 {
            return Err("is not of profile 0".to_owned());
        }
        if bits.take(1)? == 1 {
            return Err("shows an earlier frame again".to_owned());
        }
        if bits.take(1)? == 0 {
            return Ok(Header { reads: None, writes: 0xff });
        }
        let (is_shown, is_resilient) = (bits.take(1)?, bits.take(1)?);
        let is_intra = is_shown == 0 && bits.take(1)? == 1;
        if is_resilient == 0 {
            bits.take(2)?; // reset_frame_context
        }
        if is_intra {
            return Err("is an intra-only frame, which no plan has".to_owned());
        }
        let writes = bits.take(8)?;
        let mut reads = [0; 3];
        for read in &mut reads {
            *read = bits.take(3)?;
            bits.take(1)?; // ref_frame_sign_bias
        }
        Ok(Header { reads: Some(reads), writes })
    }
}

/// Bits of a header, highest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Result<u8, String> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8).ok_or("is shorter than its header")?;
            value = value << 1 | (byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Ok(value)
    }
}

/// The decoder's eight buffers: which unit is in each.
#[derive(Debug, Default)]
pub struct Buffers([Option<Place>; 8]);

impl Buffers {
    /// Returns what a unit refers to, and stores it.
    fn decode(&mut self, header: Header, own: Place) -> Result<Vec<Place>, String> {
        self.refer(header.reads.as_ref().map_or(&[], |reads| &reads[..]), header.writes, own)
    }

    /// As [`Buffers::decode`], by the numbers of the buffers.
    pub fn refer(&mut self, reads: &[u8], writes: u8, own: Place) -> Result<Vec<Place>, String> {
        let held = |buffer: &u8| self.0.get(usize::from(*buffer)).copied().flatten();
        let mut references = reads
            .iter()
            .map(|buffer| held(buffer).ok_or("refers to an empty buffer"))
            .collect::<Result<Vec<_>, _>>()?;
        references.sort_unstable();
        references.dedup();
        for (buffer, of) in self.0.iter_mut().enumerate() {
            if writes & (1 << buffer) != 0 {
                *of = Some(own);
            }
        }
        Ok(references)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superframes_are_split_as_they_are_joined() {
        let parts: [&[u8]; 3] = [&[1; 10], &[2; 300], &[3]];
        for count in 1..=3 {
            assert_eq!(layers(&superframe(&parts[..count])).expect("whole"), parts[..count], "{count}");
        }
        // Sizes of one byte, as libvpx writes small ones.
        assert_eq!(layers(&[7, 7, 8, 0xc1, 2, 1, 0xc1]).expect("whole"), [&[7, 7][..], &[8]]);
        // A last byte like a marker, without an index before it.
        assert_eq!(layers(&[1, 2, 3, 0xc1]).expect("whole"), [&[1, 2, 3, 0xc1][..]]);
        assert!(layers(&[]).is_err());
        assert!(layers(&[7, 0xc1, 2, 1, 0xc1]).expect_err("too large").contains("beyond its end"));
        assert!(layers(&[7, 7, 8, 0xc1, 2, 0, 0xc1]).expect_err("empty").contains("an empty layer"));
    }

    #[test]
    fn headers_name_what_a_frame_reads_and_writes() {
        // Marker 10, profile 00, not shown again, key frame.
        assert_eq!(Header::parse(&[0b1000_0000]), Ok(Header { reads: None, writes: 0xff }));
        // Inter frame, shown, resilient; writes buffer 3; reads 1, 2 and 2.
        let inter = [0b1000_0111, 0b0000_1000, 0b0010_0100, 0b0100_0000];
        assert_eq!(Header::parse(&inter), Ok(Header { reads: Some([1, 2, 2]), writes: 8 }));
        // The same without error resilience: two bits more before the mask.
        let usual = [0b1000_0110, 0b0000_0010, 0b0000_1001, 0b0001_0000];
        assert_eq!(Header::parse(&usual), Ok(Header { reads: Some([1, 2, 2]), writes: 8 }));
        for (bytes, message) in [
            (&[][..], "shorter"),
            (&[0b1000_0111], "shorter"),
            (&[0], "no frame of VP9"),
            (&[0b1010_0000], "profile"),
            (&[0b1000_1000], "shows an earlier frame"),
            (&[0b1000_0101, 0b1000_0000], "intra-only"),
        ] {
            let error = Header::parse(bytes).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn references_are_what_the_buffers_hold() {
        let place = |frame, spatial| Place { frame, spatial };
        let mut buffers = Buffers::default();
        let header = |reads, writes| Header { reads: Some(reads), writes };
        assert!(buffers.decode(header([0, 0, 0], 0), place(0, 0)).is_err());
        let key = Header { reads: None, writes: 0xff };
        assert_eq!(buffers.decode(key, place(0, 0)), Ok(vec![]));
        assert_eq!(buffers.decode(header([0, 0, 0], 2), place(0, 1)), Ok(vec![place(0, 0)]));
        assert_eq!(buffers.decode(header([1, 0, 1], 2), place(1, 1)), Ok(vec![place(0, 0), place(0, 1)]));
        assert_eq!(buffers.decode(header([1, 1, 1], 0), place(2, 1)), Ok(vec![place(1, 1)]));
    }
}
