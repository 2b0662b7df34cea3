//! H.264 by x264 and openh264, through ffmpeg. One reference frame and no B-frames: each frame refers to the one before.

use std::io::{BufReader, Read};
use std::path::Path;
use std::process::ChildStdout;
use std::sync::atomic::AtomicBool;

use jettison_video::content::layered::Place;

use super::{EncodedFrame, EncodedUnit, EncoderName, Settings, check_count, ffmpeg, run};
use crate::Error;
use crate::tools::Tools;

/// `nal_unit_type` (ITU-T H.264, table 7-1).
const IDR_SLICE: u8 = 5;
const ACCESS_UNIT_DELIMITER: u8 = 9;
/// A delimiter with its start code of four bytes, which ffmpeg inserts and nobody sends.
const DELIMITER_BYTES: usize = 6;

pub fn encode(
    settings: &Settings<'_>,
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<EncodedFrame>, Error> {
    let mut command = ffmpeg(settings, tools)?;
    let rate = format!("{}k", settings.target_kbit);
    match settings.encoder {
        EncoderName::X264 => {
            command.args([
                "-preset",
                "veryfast",
                "-tune",
                "zerolatency",
                "-maxrate",
                &rate,
                "-bufsize",
                &rate,
            ]);
            command.args(["-x264-params", "ref=1:scenecut=0:keyint-min=1:sliced-threads=0"]);
        }
        _ => {
            command.args(["-rc_mode", "bitrate", "-allow_skip_frames", "0", "-slices", "1"]);
        }
    }
    // Delimiters tell where a frame begins.
    command.args(["-bsf:v", "h264_metadata=aud=insert", "-f", "h264", "pipe:1"]);
    let (units, pictures) = run(settings, &mut command, folder, cancelled, |_| Vec::new(), read)?;
    check_count(settings, units.len(), pictures)?;
    let mut frames = Vec::with_capacity(units.len());
    for bytes in units {
        let number = frames.len() as u32;
        let is_key = nal_types(&bytes).any(|(_, kind)| kind == IDR_SLICE);
        // openh264 makes more of them, at cuts.
        if !is_key && settings.place(number) == 0 {
            return Err(Error::output(
                settings.encoder.name(),
                format!("frame {number} must be a key frame"),
            ));
        }
        let references = if is_key { Vec::new() } else { vec![Place { frame: number - 1, spatial: 0 }] };
        let size = bytes.len().saturating_sub(DELIMITER_BYTES).max(1) as u32;
        frames.push(EncodedFrame { temporal: 0, units: vec![EncodedUnit { bytes, size, references }] });
    }
    Ok(frames)
}

fn read(output: ChildStdout) -> Result<Vec<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    BufReader::new(output)
        .read_to_end(&mut bytes)
        .map_err(Error::io("ffmpeg: cannot read the encoded video"))?;
    Ok(access_units(&bytes))
}

/// Splits a bitstream at its access unit delimiters.
fn access_units(bytes: &[u8]) -> Vec<Vec<u8>> {
    let delimiters = nal_types(bytes).filter(|(_, kind)| *kind == ACCESS_UNIT_DELIMITER);
    // The zero byte before a start code of three belongs to it.
    let starts: Vec<usize> = delimiters
        .map(|(start, _)| if start > 0 && bytes[start - 1] == 0 { start - 1 } else { start })
        .collect();
    let ends = starts.iter().copied().skip(1).chain([bytes.len()]);
    starts.iter().zip(ends).map(|(start, end)| bytes[*start..end].to_vec()).collect()
}

/// Returns the place of each start code (of three bytes) and the type of its NAL unit.
fn nal_types(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let codes = bytes.windows(4).enumerate().filter(|(_, window)| window.starts_with(&[0, 0, 1]));
    codes.map(|(start, window)| (start, window[3] & 0x1f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitstream_is_split_at_its_delimiters() {
        let delimiter = [0, 0, 0, 1, 9, 0xf0];
        let key = [&delimiter[..], &[0, 0, 0, 1, 0x67, 1, 2], &[0, 0, 1, 0x65, 7, 7]].concat();
        let inter = [&delimiter[..], &[0, 0, 0, 1, 0x41, 5]].concat();
        let units = access_units(&[&key[..], &inter].concat());
        assert_eq!(units, [key, inter]);
        let is_key = |bytes: &[u8]| nal_types(bytes).any(|(_, kind)| kind == IDR_SLICE);
        assert_eq!([is_key(&units[0]), is_key(&units[1])], [true, false]);
        assert!(access_units(&[0, 0, 1]).is_empty());
    }
}
