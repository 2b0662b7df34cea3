//! AV1 by SVT-AV1 and libaom, through ffmpeg.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::Path;
use std::process::{ChildStdout, Command};
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_video::content::layered::{OperatingPoint, Place};

use super::header_log::References;
use super::{Codec, EncodedFrame, EncodedUnit, EncoderName, Settings, check_count, ffmpeg, run, write};
use crate::process::Running;
use crate::tools::Tools;
use crate::{Error, ivf};

/// Speed of SVT-AV1 (0 to 13) that its documentation has for real time.
const SVT_PRESET: &str = "10";
/// Speed of libaom's real-time mode (5 to 11).
const AOM_SPEED: &str = "8";
/// A temporal delimiter, which separates the frames of a file and is not sent (AV1 RTP payload, section 4.1).
const DELIMITER: [u8; 2] = [0x12, 0x00];

pub fn encode(
    settings: &Settings<'_>,
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<EncodedFrame>, Error> {
    let mut command = ffmpeg(settings, tools)?;
    match settings.encoder {
        EncoderName::SvtAv1 => {
            // Low delay, constant bitrate, one thread; its hierarchy is that of the temporal layers.
            let levels = settings.structure.temporal - 1;
            let parameters = format!("pred-struct=1:rc=2:lp=1:scd=0:hierarchical-levels={levels}");
            command.args(["-preset", SVT_PRESET, "-svtav1-params", &parameters]);
        }
        _ => {
            let rate = format!("{}k", settings.target_kbit);
            command.args([
                "-usage",
                "realtime",
                "-cpu-used",
                AOM_SPEED,
                "-lag-in-frames",
                "0",
                "-row-mt",
                "0",
            ]);
            // CBR with a buffer of a second.
            command.args(["-minrate", &rate, "-maxrate", &rate, "-bufsize", &rate, "-error-resilience", "0"]);
        }
    }
    command.args(["-f", "ivf", "pipe:1"]);
    let (packets, pictures) = run(settings, &mut command, folder, cancelled, |_| Vec::new(), read)?;
    check_count(settings, packets.len(), pictures)?;
    let mut frames: Vec<EncodedFrame> =
        packets.into_iter().enumerate().map(|(number, bytes)| frame(settings, number, bytes)).collect();
    let references = references(settings, &frames, tools, folder, cancelled)?;
    check_count(settings, references.len(), pictures)?;
    for (frame, references) in frames.iter_mut().zip(references) {
        frame.units[0].references = references;
    }
    Ok(frames)
}

fn read(output: ChildStdout) -> Result<Vec<Vec<u8>>, Error> {
    let mut output = BufReader::new(output);
    let reading = || Error::io("ffmpeg: cannot read the encoded video");
    ivf::read_head(&mut output).map_err(reading())?;
    let mut packets = Vec::new();
    while let Some(frame) = ivf::read_frame(&mut output).map_err(reading())? {
        packets.push(frame.bytes);
    }
    Ok(packets)
}

fn frame(settings: &Settings<'_>, number: usize, bytes: Vec<u8>) -> EncodedFrame {
    let delimiter = if bytes.starts_with(&DELIMITER) { DELIMITER.len() } else { 0 };
    let size = (bytes.len() - delimiter).max(1) as u32;
    let temporal = settings.structure.temporal_layer(settings.place(number as u32));
    EncodedFrame { temporal, units: vec![EncodedUnit { bytes, size, references: Vec::new() }] }
}

/// Returns the references of each frame, which ffmpeg reads from the headers.
fn references(
    settings: &Settings<'_>,
    frames: &[EncodedFrame],
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<Vec<Place>>, Error> {
    let path = folder.join(Codec::Av1.file());
    let writing = || Error::io(format!("{}: cannot write", path.display()));
    let mut file = BufWriter::new(File::create(&path).map_err(writing())?);
    let all = OperatingPoint { spatial: 0, temporal: settings.structure.temporal - 1 };
    write(frames, all, Codec::Av1, settings.format, &mut file).map_err(writing())?;
    drop(file);
    let mut command = Command::new(&tools.ffmpeg);
    command.args(["-hide_banner", "-nostdin", "-nostats", "-loglevel", "info", "-i", Codec::Av1.file()]);
    command.args(["-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"]);
    let mut running = Running::start_traced(&mut command, folder)?;
    drop(running.stdin());
    let mut references = References::default();
    let wrong = |message| Error::output(settings.encoder.name(), message);
    for line in running.stderr().into_iter().flat_map(|log| BufReader::new(log).split(b'\n')) {
        let line = line.map_err(Error::io("ffmpeg: cannot read its log"))?;
        references.line(&String::from_utf8_lossy(&line)).map_err(wrong)?;
        if cancelled.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
    }
    running.finish()?;
    references.end().map_err(wrong)
}
