//! Options of `jettison media`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jettison_core::{Duration, Rate};
use jettison_media::generate::{Content, Generator};
use jettison_media::picture::PictureFormat;
use jettison_media::{EncoderName, Structure};

use crate::output::Failure;

/// Commands on media.
#[derive(Debug, Subcommand)]
pub enum MediaCommand {
    /// Encode pictures in layers, measure each decodable subset, and write a trace (needs `make media-deps`)
    Encode(EncodeArguments),
    /// Print the RTP streams of a capture, the header extensions found, and what their labels say of each frame
    Inspect(super::inspect::InspectArguments),
    /// Write generated pictures as a y4m file
    Generate(GenerateArguments),
    /// Print rate, SSIM and VMAF of traces by layers, and what they cost beside the first one at the same quality
    Quality {
        /// The traces
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print NDJSON records
        #[arg(long)]
        json: bool,
    },
}

/// Arguments of `media encode`.
#[derive(Debug, Args)]
pub struct EncodeArguments {
    /// The trace to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Encode this y4m file (8 bits, 4:2:0)
    #[arg(long, value_name = "FILE", required_unless_present = "generate", conflicts_with = "generate")]
    pub from: Option<PathBuf>,
    /// Encode generated pictures: talking-head, moving-texture or scene-cuts
    #[arg(long, value_name = "CONTENT")]
    pub generate: Option<Content>,
    #[command(flatten)]
    pub pictures: PictureArguments,
    /// Encode at most this many pictures
    #[arg(long, value_name = "N")]
    pub frames: Option<u32>,
    /// vp9 (libvpx), svt-av1, aom-av1, x264 or openh264
    #[arg(long, value_name = "ENCODER", default_value = "vp9")]
    pub encoder: EncoderName,
    /// Layers as W3C names them: L1T1, L1T3, L3T1, L3T3, L3T3_KEY, …
    #[arg(long, value_name = "STRUCTURE", default_value = "L1T1")]
    pub structure: Structure,
    /// Pictures from one key frame to the next [default: one key frame]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub gop: u32,
    /// Bitrates of all layers together, in ascending order: "300 kbit/s,600 kbit/s"
    #[arg(long, value_name = "RATES", required = true, value_delimiter = ',')]
    pub rate: Vec<Rate>,
    /// Share of the bitrate of each spatial layer, such as 0.2,0.3,0.5 [default: each twice that of the one below]
    #[arg(long, value_name = "SHARES", value_delimiter = ',')]
    pub spatial_shares: Option<Vec<f64>>,
    /// Share of the bitrate up to each temporal layer, such as 0.5,0.7,1 [default: for frames 1.5 times those of the
    /// layer above]
    #[arg(long, value_name = "SHARES", value_delimiter = ',')]
    pub temporal_shares: Option<Vec<f64>>,
    /// Replace the output file if it exists
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `media generate`.
#[derive(Debug, Args)]
pub struct GenerateArguments {
    /// talking-head, moving-texture or scene-cuts
    #[arg(value_name = "CONTENT")]
    pub content: Content,
    /// The y4m file to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub pictures: PictureArguments,
    /// Replace the output file if it exists
    #[arg(long)]
    pub force: bool,
}

/// Options of generated pictures.
#[derive(Debug, Clone, Args)]
pub struct PictureArguments {
    /// Generated pictures: width and height in pixels [default: 320x180]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<(u32, u32)>,
    /// Generated pictures: frames per second [default: 30]
    #[arg(long, value_name = "N")]
    pub frame_rate: Option<u32>,
    /// Generated pictures: length [default: 5 s]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Duration>,
    /// Generated pictures: seed of textures and motion [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl PictureArguments {
    /// Whether one is given.
    pub fn any(&self) -> bool {
        self.size.is_some() || self.frame_rate.is_some() || self.duration.is_some() || self.seed.is_some()
    }

    /// Returns the generator.
    pub fn generator(&self, content: Content) -> Result<Generator, Failure> {
        let (width, height) = self.size.unwrap_or((320, 180));
        let rate = self.frame_rate.unwrap_or(30);
        let duration = self.duration.unwrap_or(Duration::from_secs(5));
        let frames = u128::from(duration.as_nanos()) * u128::from(rate) / 1_000_000_000;
        let format = PictureFormat { width, height, rate: (rate, 1) };
        // What is too long for 32 bits is too long for the generator, which says so.
        let frames = u32::try_from(frames).unwrap_or(u32::MAX);
        let generator = Generator { content, format, frames, seed: self.seed.unwrap_or(1) };
        generator.start().map_err(super::failure)?;
        Ok(generator)
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides =
        text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides.ok_or_else(|| "must be width and height such as 640x360".to_owned())
}
