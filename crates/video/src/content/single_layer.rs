//! The same pictures encoded without layers.

use jettison_core::Rate;

use super::FrameRate;

/// A video at several bitrates, one piece per frame. Every frame except the first of a group of pictures needs all
/// earlier frames of its group.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleLayerVideo {
    pub(super) frame_rate: FrameRate,
    pub(super) gop: u32,
    /// Bitrates in ascending order, each with the same number of frames.
    pub(super) rungs: Vec<(Rate, Vec<SingleLayerFrame>)>,
}

/// A frame at one bitrate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingleLayerFrame {
    /// Size in bytes, at least one.
    pub bytes: u32,
    /// SSIM in dB if the frame is decoded.
    pub ssim_db: f64,
}

impl SingleLayerVideo {
    /// Returns the frame rate.
    pub fn frame_rate(&self) -> FrameRate {
        self.frame_rate
    }

    /// Returns the number of frames in a group of pictures.
    pub fn gop(&self) -> u32 {
        self.gop
    }

    /// Returns the number of frames until the video repeats: whole groups of pictures.
    pub fn frames(&self) -> u32 {
        self.rungs.first().map_or(0, |(_, frames)| frames.len() as u32)
    }

    /// Returns the number of bitrates, at least one.
    pub fn rungs(&self) -> usize {
        self.rungs.len()
    }

    /// Returns the bitrate of a rung.
    ///
    /// # Panics
    /// If the rung does not exist.
    pub fn rate(&self, rung: usize) -> Rate {
        self.rungs[rung].0
    }

    /// Returns a frame of a flow at a rung.
    ///
    /// # Panics
    /// If the rung does not exist.
    pub fn frame(&self, rung: usize, frame: u32) -> SingleLayerFrame {
        let frames = &self.rungs[rung].1;
        frames[frame as usize % frames.len()]
    }

    /// Returns the same pictures from a codec that needs `overhead` times the bytes.
    pub fn with_overhead(&self, overhead: f64) -> SingleLayerVideo {
        let frame = |frame: &SingleLayerFrame| SingleLayerFrame {
            bytes: without_layers(u64::from(frame.bytes), 1.0 / overhead),
            ..*frame
        };
        let rungs = self
            .rungs
            .iter()
            .map(|(rate, frames)| (rate.mul_f64(overhead), frames.iter().map(frame).collect()));
        SingleLayerVideo { frame_rate: self.frame_rate, gop: self.gop, rungs: rungs.collect() }
    }
}

/// Converts `bytes` of a layered codec to those of a codec without layers; layers cost a factor of `overhead`.
pub(super) fn without_layers(bytes: u64, overhead: f64) -> u32 {
    (libm::round(bytes as f64 / overhead) as u64).clamp(1, u64::from(u32::MAX)) as u32
}

/// Converts the bitrate accordingly.
pub(super) fn rate_without_layers(rate: Rate, overhead: f64) -> Rate {
    rate.mul_f64(1.0 / overhead)
}
