//! What a codec without layers makes of the same pictures.

use jettison_core::Rate;

use super::FrameRate;

/// A video at several bitrates, each frame one piece. Every frame but the first of a group of pictures needs all earlier
/// ones of its group.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleLayerVideo {
    pub(super) frame_rate: FrameRate,
    pub(super) gop: u32,
    /// Rates in ascending order, each with its frames, equally many.
    pub(super) rungs: Vec<(Rate, Vec<SingleLayerFrame>)>,
}

/// A frame at one bitrate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingleLayerFrame {
    /// Its size, one byte at least.
    pub bytes: u32,
    /// SSIM in dB if it is decoded.
    pub ssim_db: f64,
}

impl SingleLayerVideo {
    /// Frames a second.
    pub fn frame_rate(&self) -> FrameRate {
        self.frame_rate
    }

    /// Frames of a group of pictures.
    pub fn gop(&self) -> u32 {
        self.gop
    }

    /// Frames until it repeats: whole groups of pictures.
    pub fn frames(&self) -> u32 {
        self.rungs.first().map_or(0, |(_, frames)| frames.len() as u32)
    }

    /// How many bitrates there are, one at least.
    pub fn rungs(&self) -> usize {
        self.rungs.len()
    }

    /// The bitrate of a rung.
    ///
    /// # Panics
    /// If there is no such rung.
    pub fn rate(&self, rung: usize) -> Rate {
        self.rungs[rung].0
    }

    /// That frame of a flow at a rung.
    ///
    /// # Panics
    /// If there is no such rung.
    pub fn frame(&self, rung: usize, frame: u32) -> SingleLayerFrame {
        let frames = &self.rungs[rung].1;
        frames[frame as usize % frames.len()]
    }
}

/// What `bytes` of a layered codec are in one without layers, where layers cost `overhead` times as much.
pub(super) fn without_layers(bytes: u64, overhead: f64) -> u32 {
    (libm::round(bytes as f64 / overhead) as u64).clamp(1, u64::from(u32::MAX)) as u32
}

/// The bitrate to go with it.
pub(super) fn rate_without_layers(rate: Rate, overhead: f64) -> Rate {
    rate.mul_f64(1.0 / overhead)
}
