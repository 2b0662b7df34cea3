//! Video in quality layers, at several rungs of a ladder.

mod generate;
pub(super) mod trace;

use jettison_core::Rate;

use super::FrameRate;
use super::single_layer::{SingleLayerFrame, SingleLayerVideo, rate_without_layers, without_layers};

pub use generate::SpatialGenerator;

/// A video in quality layers. A layer needs the lower layers of its frame and, except in the first frame of a group of
/// pictures, the same layer of the previous frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SpatialVideo {
    gop: u32,
    layers: u8,
    frames: u32,
    /// Ratio of the bytes of all layers to those of a codec without layers.
    overhead: f64,
    /// Bitrates of the rungs, in ascending order.
    rates: Vec<Rate>,
    /// Layers by rung, frame and layer number.
    pictures: Vec<SpatialLayer>,
}

/// A layer of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialLayer {
    /// Size in bytes, at least one.
    pub bytes: u32,
    /// Bitrate of the video up to this layer.
    pub cumulative: Rate,
    /// SSIM in dB of the frame if decoded up to this layer.
    pub ssim_db: f64,
}

impl SpatialVideo {
    /// Frame rate of the traces, which do not state it.
    pub const FRAME_RATE: FrameRate = FrameRate::new(30);

    /// Creates a video from rungs in ascending order with their layers by frame and layer number, all of the same
    /// length; cut to whole groups of pictures, of which there must be at least one.
    pub(super) fn new(
        gop: u32,
        layers: u8,
        rungs: Vec<(Rate, Vec<SpatialLayer>)>,
        overhead: f64,
    ) -> SpatialVideo {
        let length = rungs.first().map_or(0, |(_, pictures)| pictures.len() / usize::from(layers));
        let frames = length as u32 / gop * gop;
        let rates = rungs.iter().map(|(rate, _)| *rate).collect();
        let cut = frames as usize * usize::from(layers);
        let pictures = rungs.into_iter().flat_map(|(_, pictures)| pictures.into_iter().take(cut)).collect();
        SpatialVideo { gop, layers, frames, overhead, rates, pictures }
    }

    /// Returns the frame rate.
    pub fn frame_rate(&self) -> FrameRate {
        SpatialVideo::FRAME_RATE
    }

    /// Returns the number of frames in a group of pictures.
    pub fn gop(&self) -> u32 {
        self.gop
    }

    /// Returns the number of layers per frame, at least one.
    pub fn layers(&self) -> u8 {
        self.layers
    }

    /// Returns the number of frames until the video repeats: whole groups of pictures.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Returns the number of rungs, at least one.
    pub fn rungs(&self) -> usize {
        self.rates.len()
    }

    /// Returns the bitrate of a rung, all layers together.
    ///
    /// # Panics
    /// If the rung does not exist.
    pub fn rate(&self, rung: usize) -> Rate {
        self.rates[rung]
    }

    /// Returns a layer of a frame of a flow.
    ///
    /// # Panics
    /// If the rung or layer does not exist.
    pub fn layer(&self, rung: usize, frame: u32, layer: u8) -> SpatialLayer {
        self.picture(rung, frame)[usize::from(layer)]
    }

    /// Returns all layers of a frame of a flow, lowest first.
    ///
    /// # Panics
    /// If the rung does not exist.
    pub fn picture(&self, rung: usize, frame: u32) -> &[SpatialLayer] {
        let layers = usize::from(self.layers);
        let from = (rung * self.frames as usize + (frame % self.frames) as usize) * layers;
        &self.pictures[from..from + layers]
    }

    /// Returns the same video encoded without layers: each rung has the quality of all layers, with fewer bytes.
    pub fn single_layer(&self) -> SingleLayerVideo {
        let rung = |rung: usize| {
            let frame = |frame| {
                let picture = self.picture(rung, frame);
                let bytes = picture.iter().map(|layer| u64::from(layer.bytes)).sum();
                let ssim_db = picture.last().map_or(0.0, |layer| layer.ssim_db);
                SingleLayerFrame { bytes: without_layers(bytes, self.overhead), ssim_db }
            };
            (rate_without_layers(self.rates[rung], self.overhead), (0..self.frames).map(frame).collect())
        };
        let rungs = (0..self.rungs()).map(rung).collect();
        SingleLayerVideo { frame_rate: self.frame_rate(), gop: self.gop, rungs }
    }
}
