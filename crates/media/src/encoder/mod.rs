//! Encoders: how each is started, and how its bitstream is taken apart into units.

mod av1;
mod h264;
mod header_log;
mod vp9;

use std::path::Path;
use std::process::{ChildStdout, Command};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::thread;

use jettison_video::content::layered::{OperatingPoint, Place};

use crate::picture::{Origin, PictureFormat};
use crate::process::{Running, feed};
use crate::structure::Structure;
use crate::tools::Tools;
use crate::{Error, ivf};

/// An encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderName {
    /// VP9 by libvpx, in spatial and temporal layers.
    Vp9,
    /// AV1 by SVT-AV1, in temporal layers.
    SvtAv1,
    /// AV1 by libaom, without layers.
    AomAv1,
    /// H.264 by x264, without layers.
    X264,
    /// H.264 by openh264, without layers.
    OpenH264,
}

impl EncoderName {
    /// All encoders.
    pub const ALL: [EncoderName; 5] = [
        EncoderName::Vp9,
        EncoderName::SvtAv1,
        EncoderName::AomAv1,
        EncoderName::X264,
        EncoderName::OpenH264,
    ];

    /// Returns its name, as in options and traces.
    pub fn name(self) -> &'static str {
        match self {
            EncoderName::Vp9 => "vp9",
            EncoderName::SvtAv1 => "svt-av1",
            EncoderName::AomAv1 => "aom-av1",
            EncoderName::X264 => "x264",
            EncoderName::OpenH264 => "openh264",
        }
    }

    /// Returns its name in ffmpeg, for those that ffmpeg runs.
    fn in_ffmpeg(self) -> Option<&'static str> {
        match self {
            EncoderName::Vp9 => None,
            EncoderName::SvtAv1 => Some("libsvtav1"),
            EncoderName::AomAv1 => Some("libaom-av1"),
            EncoderName::X264 => Some("libx264"),
            EncoderName::OpenH264 => Some("libopenh264"),
        }
    }

    /// Returns the format of what it writes.
    pub(crate) fn codec(self) -> Codec {
        match self {
            EncoderName::Vp9 => Codec::Vp9,
            EncoderName::SvtAv1 | EncoderName::AomAv1 => Codec::Av1,
            EncoderName::X264 | EncoderName::OpenH264 => Codec::H264,
        }
    }

    /// Checks that it makes a structure.
    ///
    /// # Errors
    /// With the encoders that do.
    pub(crate) fn check(self, structure: Structure) -> Result<(), Error> {
        let (spatial, temporal) = match self {
            EncoderName::Vp9 => (3, 3),
            EncoderName::SvtAv1 => (1, 3),
            EncoderName::AomAv1 | EncoderName::X264 | EncoderName::OpenH264 => (1, 1),
        };
        if structure.spatial > spatial || structure.temporal > temporal {
            return Err(Error::Input(format!(
                "{} has at most {spatial} spatial and {temporal} temporal layers here, got {structure}; vp9 has \
                 both kinds, svt-av1 temporal layers",
                self.name()
            )));
        }
        Ok(())
    }

    /// Returns the version of the program or library.
    pub(crate) fn version(self, tools: &Tools) -> Result<String, Error> {
        match self.in_ffmpeg() {
            None => tools.libvpx_version(),
            Some(name) => Ok(format!("{name} of {}", tools.ffmpeg_version()?)),
        }
    }
}

impl FromStr for EncoderName {
    type Err = String;

    fn from_str(text: &str) -> Result<EncoderName, String> {
        EncoderName::ALL.into_iter().find(|encoder| encoder.name() == text).ok_or_else(|| {
            let names: Vec<_> = EncoderName::ALL.into_iter().map(EncoderName::name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

/// Format of a bitstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// VP9, in IVF.
    Vp9,
    /// AV1, in IVF.
    Av1,
    /// H.264 with start codes.
    H264,
}

impl Codec {
    /// Returns ffmpeg's decoder. For VP9 it is libvpx's: ffmpeg's own shows each spatial layer as a picture.
    pub fn decoder(self) -> &'static str {
        match self {
            Codec::Vp9 => "libvpx-vp9",
            Codec::Av1 => "libdav1d",
            Codec::H264 => "h264",
        }
    }

    /// Returns the name of a file with this bitstream.
    pub fn file(self) -> &'static str {
        match self {
            Codec::Vp9 => "vp9.ivf",
            Codec::Av1 => "av1.ivf",
            Codec::H264 => "video.h264",
        }
    }
}

/// What to encode, and how.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    /// The pictures.
    pub origin: &'a Origin,
    /// Their format.
    pub format: PictureFormat,
    /// Maximum number of pictures.
    pub most: Option<u32>,
    /// The encoder.
    pub encoder: EncoderName,
    /// Structure of its layers.
    pub structure: Structure,
    /// Pictures from one key frame to the next; 0 for a single key frame.
    pub gop: u32,
    /// Bitrate in kbit/s.
    pub target_kbit: u64,
    /// Share of the bitrate of each spatial layer.
    pub spatial_shares: &'a [f64],
    /// Share of a spatial layer's bitrate up to each temporal layer.
    pub temporal_shares: &'a [f64],
}

impl Settings<'_> {
    /// Returns the index of a picture after the last key frame.
    pub fn place(&self, frame: u32) -> u32 {
        if self.gop == 0 { frame } else { frame % self.gop }
    }
}

/// An encoded frame.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedFrame {
    /// Temporal layer.
    pub temporal: u8,
    /// Its spatial layers.
    pub units: Vec<EncodedUnit>,
}

/// A spatial layer of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedUnit {
    /// Its part of the bitstream.
    pub bytes: Vec<u8>,
    /// Size as sent: without what only files have.
    pub size: u32,
    /// What its header names as references.
    pub references: Vec<Place>,
}

/// Encodes pictures. `folder` is for temporary files.
pub fn encode(
    settings: &Settings<'_>,
    tools: &Tools,
    folder: &Path,
    cancelled: &AtomicBool,
) -> Result<Vec<EncodedFrame>, Error> {
    match settings.encoder.codec() {
        Codec::Vp9 => vp9::encode(settings, tools, folder, cancelled),
        Codec::Av1 => av1::encode(settings, tools, folder, cancelled),
        Codec::H264 => h264::encode(settings, tools, folder, cancelled),
    }
}

/// Writes the units of an operating point as a file that ffmpeg decodes.
pub fn write(
    frames: &[EncodedFrame],
    point: OperatingPoint,
    codec: Codec,
    format: PictureFormat,
    output: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let four = match codec {
        Codec::Vp9 => Some(*b"VP90"),
        Codec::Av1 => Some(*b"AV01"),
        Codec::H264 => None,
    };
    if let Some(four) = four {
        ivf::write_head(output, four, (format.width, format.height), format.rate)?;
    }
    for (time, frame) in frames.iter().enumerate().filter(|(_, frame)| frame.temporal <= point.temporal) {
        let parts: Vec<&[u8]> =
            frame.units[..=usize::from(point.spatial)].iter().map(|unit| unit.bytes.as_slice()).collect();
        match codec {
            Codec::Vp9 => ivf::write_frame(output, time as u64, &vp9::superframe(&parts))?,
            Codec::Av1 => ivf::write_frame(output, time as u64, parts[0])?,
            Codec::H264 => output.write_all(parts[0])?,
        }
    }
    output.flush()
}

/// Runs an encoder: feeds it pictures, each after what `before` returns, while `read` reads its standard output. Returns what
/// was read and the number of pictures.
fn run<T>(
    settings: &Settings<'_>,
    command: &mut Command,
    folder: &Path,
    cancelled: &AtomicBool,
    before: impl FnMut(u32) -> Vec<u8> + Send,
    read: impl FnOnce(ChildStdout) -> Result<T, Error>,
) -> Result<(T, u32), Error> {
    let mut running = Running::start(command, folder)?;
    let (stdin, stdout) = (running.stdin(), running.stdout());
    thread::scope(|scope| {
        let feeder = scope.spawn(|| feed(settings.origin, settings.most, stdin, cancelled, before));
        let got = stdout.map(read);
        let fed = feeder.join().unwrap_or(Err(Error::Cancelled));
        // A wrong input file comes first, then the program's own words, then what it did to the output.
        let fed = fed?;
        running.finish()?;
        Ok((got.ok_or(Error::Cancelled)??, fed))
    })
}

/// Returns ffmpeg with the arguments that are common to its encoders: raw pictures on standard input.
fn ffmpeg(settings: &Settings<'_>, tools: &Tools) -> Result<Command, Error> {
    let name = settings.encoder.in_ffmpeg().unwrap_or_default();
    tools.require_encoder(name)?;
    let PictureFormat { width, height, rate: (numerator, denominator) } = settings.format;
    let mut command = Command::new(&tools.ffmpeg);
    command.args(["-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &format!("{numerator}/{denominator}")]);
    command.args(["-i", "pipe:0", "-threads", "1", "-c:v", name]);
    command.args(["-b:v", &format!("{}k", settings.target_kbit)]);
    // A single key frame: further away than any video is long.
    let gop = if settings.gop == 0 { 1_000_000 } else { settings.gop };
    command.args(["-g", &gop.to_string(), "-bf", "0"]);
    Ok(command)
}

/// Checks that there is one encoded frame per picture.
fn check_count(settings: &Settings<'_>, frames: usize, pictures: u32) -> Result<(), Error> {
    match frames == pictures as usize {
        true => Ok(()),
        false => Err(Error::output(
            settings.encoder.name(),
            format!("encoded {frames} of {pictures} frames at {} kbit/s", settings.target_kbit),
        )),
    }
}
