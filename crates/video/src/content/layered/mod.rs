//! Encoded video in spatial and temporal layers, as an encoder made it: sizes, references and measured quality.
//!
//! `jettison media encode` writes these traces. A *unit* is one spatial layer of one frame, what an encoder puts into
//! one message. Unlike the other traces, whose structure is fixed, each unit names the units that it refers to.

mod convert;
mod parse;
#[cfg(test)]
mod tests;
mod write;

use jettison_core::{Bytes, Duration, Rate};

pub use parse::{is_one, parse};

/// Maximum number of spatial layers, and of temporal layers: those of W3C's scalability modes.
pub const MOST_LAYERS: u8 = 3;

/// An encoded video, at one or several bitrates.
#[derive(Debug, Clone, PartialEq)]
pub struct LayeredVideo {
    /// What holds for all rungs.
    pub head: Head,
    /// The rungs in ascending order of their targets, at least one.
    pub rungs: Vec<Rung>,
}

/// What holds for all rungs of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name of the encoder, without spaces.
    pub encoder: String,
    /// Its structure, as W3C's scalability modes are named (`L3T3_KEY`).
    pub structure: String,
    /// Width of the highest spatial layer in pixels.
    pub width: u32,
    /// Height of the highest spatial layer in pixels.
    pub height: u32,
    /// Frames per second: numerator and denominator.
    pub rate: (u32, u32),
    /// Number of frames.
    pub frames: u32,
    /// Number of spatial layers.
    pub spatial: u8,
    /// Number of temporal layers.
    pub temporal: u8,
}

/// A video at one bitrate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    /// Bitrate that the encoder was given, in kbit/s.
    pub target_kbit: u64,
    /// Units by frame and spatial layer.
    pub units: Vec<Unit>,
}

/// One spatial layer of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Temporal layer of the frame.
    pub temporal: u8,
    /// Size in bytes, at least one.
    pub bytes: u32,
    /// Units that it is decoded with, in ascending order.
    pub references: Vec<Place>,
    /// Quality on the screen at the time of this frame, by the highest temporal layer that is decoded (from 0), with
    /// spatial layers up to this one. Where that layer is below the frame's own, an earlier frame is still shown.
    pub quality: Vec<Quality>,
}

/// Place of a unit in the video.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Frame, from 0.
    pub frame: u32,
    /// Spatial layer, from 0.
    pub spatial: u8,
}

/// Measured quality of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// SSIM of the luma in dB: −10·log₁₀(1 − SSIM).
    pub ssim_db: f64,
    /// VMAF, from 0 to 100.
    pub vmaf: f64,
}

/// Layers up to which a video is decoded: the subsets of layers that a decoder can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatingPoint {
    /// Highest spatial layer.
    pub spatial: u8,
    /// Highest temporal layer.
    pub temporal: u8,
}

/// Mean bitrate and quality of an operating point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The operating point.
    pub point: OperatingPoint,
    /// Mean bitrate of its units.
    pub rate: Rate,
    /// Mean quality over all frames, shown or held.
    pub quality: Quality,
}

impl Head {
    /// Returns all operating points, lowest first, spatial layers outside.
    pub fn points(&self) -> impl Iterator<Item = OperatingPoint> + use<> {
        let temporal = self.temporal;
        (0..self.spatial)
            .flat_map(move |spatial| (0..temporal).map(move |temporal| OperatingPoint { spatial, temporal }))
    }

    /// Returns the length of the video.
    pub fn duration(&self) -> Duration {
        let (numerator, denominator) = self.rate;
        let nanos = u128::from(self.frames) * u128::from(denominator) * 1_000_000_000 / u128::from(numerator);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl LayeredVideo {
    /// Returns a unit.
    ///
    /// # Panics
    /// If the rung or unit does not exist.
    pub fn unit(&self, rung: usize, place: Place) -> &Unit {
        &self.rungs[rung].units[self.index(place)]
    }

    fn index(&self, place: Place) -> usize {
        place.frame as usize * usize::from(self.head.spatial) + usize::from(place.spatial)
    }

    /// Whether a frame refers to no other frame.
    ///
    /// # Panics
    /// If the rung or frame does not exist.
    pub fn is_key(&self, rung: usize, frame: u32) -> bool {
        let layers = (0..self.head.spatial).map(|spatial| self.unit(rung, Place { frame, spatial }));
        layers.flat_map(|unit| &unit.references).all(|place| place.frame == frame)
    }

    /// Returns the mean bitrate and quality of each operating point of a rung.
    ///
    /// # Panics
    /// If the rung does not exist.
    pub fn summaries(&self, rung: usize) -> Vec<Summary> {
        self.head.points().map(|point| self.summary(rung, point)).collect()
    }

    fn summary(&self, rung: usize, point: OperatingPoint) -> Summary {
        let units = || self.rungs[rung].units.iter().enumerate();
        let spatial = |index: usize| (index % usize::from(self.head.spatial)) as u8;
        let is_used =
            |index: usize, unit: &Unit| spatial(index) <= point.spatial && unit.temporal <= point.temporal;
        let bytes =
            units().filter(|(index, unit)| is_used(*index, unit)).map(|(_, unit)| u64::from(unit.bytes));
        let rate = Rate::of(Bytes::new(bytes.sum()), self.head.duration());
        let shown = units()
            .filter(|(index, _)| spatial(*index) == point.spatial)
            .filter_map(|(_, unit)| unit.quality.get(usize::from(point.temporal)));
        let (ssim_db, vmaf) =
            shown.fold((0.0, 0.0), |sum, quality| (sum.0 + quality.ssim_db, sum.1 + quality.vmaf));
        let frames = f64::from(self.head.frames.max(1));
        Summary { point, rate, quality: Quality { ssim_db: ssim_db / frames, vmaf: vmaf / frames } }
    }
}
