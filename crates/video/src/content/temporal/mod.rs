//! Video in temporal layers: one piece per frame, ranked by the frames that depend on it.

mod generate;
pub(super) mod trace;

use jettison_core::{Bytes, Rate};

use super::FrameRate;
use super::single_layer::{SingleLayerFrame, SingleLayerVideo, rate_without_layers, without_layers};

pub use generate::TemporalGenerator;

/// A video in temporal layers, in dyadic groups of pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct TemporalVideo {
    gop: u32,
    /// Ratio of the bytes of a frame to those of a codec without layers.
    overhead: f64,
    frames: Vec<TemporalFrame>,
}

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TemporalFrame {
    /// Size in bytes, at least one.
    pub bytes: u32,
    /// SSIM in dB if the frame is decoded.
    pub ssim_db: f64,
}

impl TemporalVideo {
    /// Frame rate of the traces, which do not state it.
    pub const FRAME_RATE: FrameRate = FrameRate::new(30);
    /// Number of temporal layers.
    pub const LAYERS: u8 = 3;
    /// Minimum length of a group of pictures: shorter ones have fewer layers.
    pub const LEAST_GOP: u32 = 4;
    /// Maximum length of a group of pictures.
    pub const MOST_GOP: u32 = 64;

    /// Creates a video from frames, cut to whole groups of pictures, of which there must be at least one.
    pub(super) fn new(gop: u32, mut frames: Vec<TemporalFrame>, overhead: f64) -> TemporalVideo {
        frames.truncate(frames.len() / gop as usize * gop as usize);
        TemporalVideo { gop, overhead, frames }
    }

    /// Returns the frame rate.
    pub fn frame_rate(&self) -> FrameRate {
        TemporalVideo::FRAME_RATE
    }

    /// Returns the number of frames in a group of pictures.
    pub fn gop(&self) -> u32 {
        self.gop
    }

    /// Returns the number of frames until the video repeats: whole groups of pictures.
    pub fn frames(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Returns the index of a flow's frame in its group of pictures.
    pub fn place(&self, frame: u32) -> u32 {
        // Groups are whole, but a flow's frame numbers may wrap within one.
        (frame % self.frames()) % self.gop
    }

    /// Returns the temporal layer of the frame at index `place` of a group: 0 for each fourth frame, 1 for the frames
    /// halfway between these, 2 for odd ones.
    pub fn layer(place: u32) -> u8 {
        TemporalVideo::LAYERS - 1 - place.trailing_zeros().min(u32::from(TemporalVideo::LAYERS) - 1) as u8
    }

    /// Returns the index of the reference frame of the frame at index `place` of a group, in dyadic low-delay coding:
    /// 4 to 0, 2 to 0, 6 to 4, odd ones to the even one before; `None` for the first frame, which has no reference in
    /// its group.
    pub fn reference(place: u32) -> Option<u32> {
        (place > 0).then(|| place & (place - 1))
    }

    /// Returns a frame of a flow.
    pub fn frame(&self, frame: u32) -> TemporalFrame {
        self.frames[frame as usize % self.frames.len()]
    }

    /// Returns the mean bitrate.
    pub fn rate(&self) -> Rate {
        let bytes = self.frames.iter().map(|frame| u64::from(frame.bytes)).sum();
        Rate::of(Bytes::new(bytes), self.frame_rate().offset(self.frames()))
    }

    /// Returns the same video encoded without layers, at one rung.
    pub fn single_layer(&self) -> SingleLayerVideo {
        let frame = |frame: &TemporalFrame| SingleLayerFrame {
            bytes: without_layers(u64::from(frame.bytes), self.overhead),
            ssim_db: frame.ssim_db,
        };
        let rung = (rate_without_layers(self.rate(), self.overhead), self.frames.iter().map(frame).collect());
        SingleLayerVideo { frame_rate: self.frame_rate(), gop: self.gop, rungs: vec![rung] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_and_references_of_a_group_of_eight_are_dyadic() {
        let layers: Vec<u8> = (0..8).map(TemporalVideo::layer).collect();
        assert_eq!(layers, [0, 2, 1, 2, 0, 2, 1, 2]);
        let references: Vec<_> = (0..8).map(TemporalVideo::reference).collect();
        let of = |place| Some(place);
        assert_eq!(references, [None, of(0), of(0), of(2), of(0), of(4), of(4), of(6)]);
    }
}
