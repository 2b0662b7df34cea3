//! From pictures to a trace.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_video::content::LayeredVideo;
use jettison_video::content::layered::{Head, OperatingPoint, Quality, Rung, Unit};

use crate::Error;
use crate::encoder::{self, EncodedFrame, EncoderName, Settings};
use crate::measure::measure;
use crate::picture::Origin;
use crate::structure::Structure;
use crate::tools::Tools;

/// What to encode, and how.
#[derive(Debug, Clone)]
pub struct Order {
    /// The pictures.
    pub origin: Origin,
    /// Maximum number of pictures; all if unset.
    pub frames: Option<u32>,
    /// The encoder.
    pub encoder: EncoderName,
    /// Structure of its layers.
    pub structure: Structure,
    /// Pictures from one key frame to the next; 0: the first one only.
    pub gop: u32,
    /// Bitrates in kbit/s, in ascending order.
    pub targets_kbit: Vec<u64>,
    /// Share of the bitrate of each spatial layer, together 1; unset: [`spatial_shares`].
    pub spatial_shares: Option<Vec<f64>>,
    /// Share of a spatial layer's bitrate up to each temporal layer, ascending to 1; unset: [`temporal_shares`].
    pub temporal_shares: Option<Vec<f64>>,
    /// Folder for temporary files; the system's if unset.
    pub temporary: Option<PathBuf>,
}

/// How far the work is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Share of the work that is done.
    pub share: f64,
    /// What is being done.
    pub doing: String,
}

/// A finished trace, and what made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The trace.
    pub video: LayeredVideo,
    /// Version of the encoder.
    pub version: String,
    /// Version of what measured quality.
    pub measured_by: String,
}

/// Maximum bitrate in kbit/s.
const MOST_KBIT: u64 = 1_000_000;
/// Maximum number of frames.
const MOST_FRAMES: u32 = 108_000;
/// Most by which SSIM in dB, and VMAF, of the same frame may differ between two decodings of it.
const SAME: (f64, f64) = (0.011, 0.011);

/// Returns the usual shares of the bitrate of spatial layers: in proportion to the square root of their pixels, so each
/// layer has twice the bitrate of the one below.
pub fn spatial_shares(layers: u8) -> Vec<f64> {
    let all = f64::from((1u32 << layers) - 1);
    (0..layers).map(|layer| f64::from(1u32 << layer) / all).collect()
}

/// Returns the usual shares of the bitrate up to each temporal layer: a frame has 1.5 times the bytes of one of the layer
/// above, of which there are twice as many (in the lowest pair of layers as many).
pub fn temporal_shares(layers: u8) -> Vec<f64> {
    let bytes = |layer: u8| {
        let frames = if layer == 0 { 1.0 } else { f64::from(1u32 << (layer - 1)) };
        frames * libm::pow(1.5, f64::from(layers - 1 - layer))
    };
    let all: f64 = (0..layers).map(bytes).sum();
    (0..layers).map(|layer| (0..=layer).map(bytes).sum::<f64>() / all).collect()
}

impl Order {
    fn check(&self) -> Result<(Vec<f64>, Vec<f64>), Error> {
        self.encoder.check(self.structure)?;
        let wrong = |message: String| Err(Error::Input(message));
        let Structure { spatial, temporal, .. } = self.structure;
        let is_ascending = self.targets_kbit.windows(2).all(|pair| pair[0] < pair[1]);
        let in_range = self.targets_kbit.iter().all(|kbit| (1..=MOST_KBIT).contains(kbit));
        if self.targets_kbit.is_empty() || !is_ascending || !in_range {
            return wrong(format!(
                "bitrates must be in ascending order and in [1 kbit/s, {} Mbit/s]",
                MOST_KBIT / 1000
            ));
        }
        if self.frames.is_some_and(|frames| !(1..=MOST_FRAMES).contains(&frames)) {
            return wrong(format!("the number of frames must be in [1, {MOST_FRAMES}]"));
        }
        let of_spatial = self.spatial_shares.clone().unwrap_or_else(|| spatial_shares(spatial));
        let sum: f64 = of_spatial.iter().sum();
        let are_shares = of_spatial.iter().all(|share| *share > 0.0) && (sum - 1.0).abs() < 1e-6;
        if of_spatial.len() != usize::from(spatial) || !are_shares {
            return wrong(format!(
                "shares of spatial layers must be {spatial} numbers > 0 with the sum 1, got {of_spatial:?}"
            ));
        }
        let of_temporal = self.temporal_shares.clone().unwrap_or_else(|| temporal_shares(temporal));
        let is_rising = of_temporal.first().is_some_and(|share| *share > 0.0)
            && of_temporal.windows(2).all(|pair| pair[0] < pair[1])
            && of_temporal.last().is_some_and(|last| (last - 1.0).abs() < 1e-6);
        if of_temporal.len() != usize::from(temporal) || !is_rising {
            return wrong(format!(
                "shares up to temporal layers must be {temporal} numbers that ascend from > 0 to 1, got {of_temporal:?}"
            ));
        }
        Ok((of_spatial, of_temporal))
    }
}

/// Encodes at each bitrate, decodes each subset of layers, and compares it with the pictures.
///
/// # Errors
/// If the order or the pictures are wrong, a program is missing or fails, an encoder's bitstream is not of the structure, or
/// `cancelled` becomes true. Nothing is left behind.
pub fn encode(
    order: &Order,
    tools: &Tools,
    cancelled: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Encoded, Error> {
    let done = encode_in_folder(order, tools, cancelled, progress);
    // A program that Ctrl-C ended has failed, but that is not why.
    if cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { done }
}

fn encode_in_folder(
    order: &Order,
    tools: &Tools,
    cancelled: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Encoded, Error> {
    let (spatial_shares, temporal_shares) = order.check()?;
    let format = order.origin.open()?.format();
    let smallest = format.width.min(format.height) >> (order.structure.spatial - 1);
    if smallest < 16 {
        let message = format!(
            "{}x{} is too small for {}: the lowest layer must have 16 pixels or more in width and height",
            format.width, format.height, order.structure
        );
        return Err(Error::Input(message));
    }
    let version = order.encoder.version(tools)?;
    let temporary = order.temporary.clone().unwrap_or_else(std::env::temp_dir);
    let temporary = fs::canonicalize(&temporary).unwrap_or(temporary);
    let folder = tempfile::Builder::new().prefix("jettison-media-").tempdir_in(&temporary);
    let folder = folder.map_err(Error::io(format!("{}: cannot create a folder", temporary.display())))?;

    let mut head = Head {
        encoder: order.encoder.name().to_owned(),
        structure: order.structure.to_string(),
        width: format.width,
        height: format.height,
        rate: format.rate,
        frames: 0,
        spatial: order.structure.spatial,
        temporal: order.structure.temporal,
    };
    let points: Vec<OperatingPoint> = head.points().collect();
    let steps = (order.targets_kbit.len() * (points.len() + 1)) as f64;
    let mut step = 0.0;
    let mut report = |doing: String| {
        progress(Progress { share: step / steps, doing });
        step += 1.0;
    };
    let mut rungs = Vec::new();
    for &target_kbit in &order.targets_kbit {
        let settings = Settings {
            origin: &order.origin,
            format,
            most: Some(order.frames.unwrap_or(MOST_FRAMES)),
            encoder: order.encoder,
            structure: order.structure,
            gop: order.gop,
            target_kbit,
            spatial_shares: &spatial_shares,
            temporal_shares: &temporal_shares,
        };
        report(format!("{target_kbit} kbit/s: encoding"));
        let frames = encoder::encode(&settings, tools, folder.path(), cancelled)?;
        if frames.is_empty() {
            return Err(Error::Input("there are no pictures to encode".to_owned()));
        }
        head.frames = frames.len() as u32;
        let mut quality = Vec::new();
        for (index, point) in points.iter().enumerate() {
            report(format!("{target_kbit} kbit/s: comparing subset {} of {}", index + 1, points.len()));
            quality.push(measure(&settings, &frames, *point, tools, folder.path(), cancelled)?);
        }
        rungs.push(Rung { target_kbit, units: units(&head, &frames, &quality)? });
    }
    folder.close().map_err(Error::io("cannot remove the temporary folder"))?;
    let video = LayeredVideo { head, rungs };
    Ok(Encoded { video: checked(&video)?, version, measured_by: tools.ffmpeg_version()? })
}

/// Joins sizes, references and quality. `quality` has those of each operating point.
fn units(head: &Head, frames: &[EncodedFrame], quality: &[Vec<Quality>]) -> Result<Vec<Unit>, Error> {
    let mut units = Vec::with_capacity(frames.len() * usize::from(head.spatial));
    for (number, frame) in frames.iter().enumerate() {
        for (spatial, unit) in frame.units.iter().enumerate() {
            let first = spatial * usize::from(head.temporal);
            let mut by_layer: Vec<Quality> = quality[first..first + usize::from(head.temporal)]
                .iter()
                .map(|point| point[number])
                .collect();
            // The frame itself is decoded with all layers from its own on, so it must look the same with each: or else
            // a layer is needed that its header does not name.
            let (_, shown) = by_layer.split_at_mut(usize::from(frame.temporal));
            if let Some((own, others)) = shown.split_first_mut() {
                for other in others {
                    let is_same = (own.ssim_db - other.ssim_db).abs() <= SAME.0
                        && (own.vmaf - other.vmaf).abs() <= SAME.1;
                    if !is_same {
                        let message = format!(
                            "frame {number}, spatial layer {spatial}, changes with higher temporal layers: {own:?}, {other:?}"
                        );
                        return Err(Error::output(&head.encoder, message));
                    }
                    *other = *own;
                }
            }
            units.push(Unit {
                temporal: frame.temporal,
                bytes: unit.size,
                references: unit.references.clone(),
                quality: by_layer,
            });
        }
    }
    Ok(units)
}

/// Reads a trace as its readers will: what holds for every trace holds for this one.
fn checked(video: &LayeredVideo) -> Result<LayeredVideo, Error> {
    let text = video.to_string();
    jettison_video::content::layered::parse(text.as_bytes())
        .map_err(|error| Error::output(&video.head.encoder, error.to_string()))
}

/// Reads a trace from a file.
///
/// # Errors
/// If it cannot be read or is none.
pub fn read(path: &Path) -> Result<LayeredVideo, Error> {
    let name = path.display().to_string();
    let bytes = jettison_input::file::read(path, jettison_input::file::DATA)
        .map_err(Error::io(format!("{name}: cannot read")))?;
    jettison_video::content::layered::parse(&bytes).map_err(|error| Error::Input(error.in_file(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::EncodedUnit;

    #[test]
    fn usual_shares_ascend_to_one() {
        assert_eq!(spatial_shares(1), [1.0]);
        assert_eq!(spatial_shares(3), [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0]);
        assert_eq!(temporal_shares(1), [1.0]);
        assert_eq!(temporal_shares(2), [0.6, 1.0]);
        // Frames of 2.25, 1.5 and 1, of which there are 1, 1 and 2.
        assert_eq!(temporal_shares(3), [2.25 / 5.75, 3.75 / 5.75, 1.0]);
    }

    fn order() -> Order {
        Order {
            origin: Origin::File("missing.y4m".into()),
            frames: None,
            encoder: EncoderName::Vp9,
            structure: "L3T3_KEY".parse().expect("a structure"),
            gop: 0,
            targets_kbit: vec![100, 200],
            spatial_shares: None,
            temporal_shares: None,
            temporary: None,
        }
    }

    #[test]
    fn wrong_orders_are_refused_with_what_is_required() {
        assert!(order().check().is_ok());
        let refused = |change: fn(&mut Order)| {
            let mut order = order();
            change(&mut order);
            order.check().expect_err("wrong").to_string()
        };
        assert!(refused(|order| order.targets_kbit = vec![]).contains("ascending order"));
        assert!(refused(|order| order.targets_kbit = vec![200, 100]).contains("ascending order"));
        assert!(refused(|order| order.targets_kbit = vec![0]).contains("[1 kbit/s, 1000 Mbit/s]"));
        assert!(refused(|order| order.frames = Some(0)).contains("number of frames"));
        assert!(
            refused(|order| order.encoder = EncoderName::X264)
                .contains("x264 has at most 1 spatial and 1 temporal")
        );
        assert!(refused(|order| order.spatial_shares = Some(vec![0.5, 0.5])).contains("must be 3 numbers"));
        assert!(refused(|order| order.spatial_shares = Some(vec![0.5, 0.5, 0.5])).contains("with the sum 1"));
        assert!(refused(|order| order.temporal_shares = Some(vec![0.5, 0.4, 1.0])).contains("ascend"));
    }

    #[test]
    fn a_frame_that_changes_with_higher_layers_is_an_error() {
        let head = Head {
            encoder: "vp9".to_owned(),
            structure: "L1T2".to_owned(),
            width: 64,
            height: 64,
            rate: (30, 1),
            frames: 1,
            spatial: 1,
            temporal: 2,
        };
        let unit = EncodedUnit { bytes: vec![1], size: 1, references: vec![] };
        let frames = [EncodedFrame { temporal: 0, units: vec![unit] }];
        let quality = |ssim_db| vec![Quality { ssim_db, vmaf: 50.0 }];
        let same = units(&head, &frames, &[quality(10.0), quality(10.01)]).expect("rounding");
        assert_eq!(same[0].quality, [quality(10.0)[0]; 2]);
        let error = units(&head, &frames, &[quality(10.0), quality(10.1)]).expect_err("it drifts");
        assert!(error.to_string().contains("frame 0, spatial layer 0, changes with higher temporal layers"));
    }
}
