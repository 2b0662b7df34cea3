//! Video of point clouds, in cells of space and layers of density.

mod density;
mod generate;
pub(super) mod trace;

use jettison_core::Rate;

use super::FrameRate;
use super::single_layer::without_layers;

pub use density::DensityQuality;
pub use generate::VolumetricGenerator;
pub(super) use trace::Told;

/// A video of point clouds. Each layer of a cell adds an equal share of its points and needs the lower layers of its cell in
/// its frame, and nothing of other frames.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumetricVideo {
    layers: u8,
    cells: u8,
    frames: u32,
    /// Cells that hide others, the first ones.
    front: u8,
    /// Bytes of all layers over those of a codec without layers.
    overhead: f64,
    /// By frame, layer and cell.
    parts: Vec<VolumetricPart>,
    quality: DensityQuality,
}

/// A layer of a cell of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumetricPart {
    /// Its own size, one byte at least.
    pub bytes: u32,
    /// Bitrate of the video up to this layer, all cells together.
    pub cumulative: Rate,
}

impl VolumetricVideo {
    /// Point clouds a second of the traces, which do not say.
    pub const FRAME_RATE: FrameRate = FrameRate::new(20);

    /// Of so many layers and cells, whose parts are given by frame, layer and cell: whole frames, one at least.
    fn new([layers, cells]: [u8; 2], parts: Vec<VolumetricPart>, told: Told) -> VolumetricVideo {
        let frames = (parts.len() / (usize::from(layers) * usize::from(cells))) as u32;
        let Told { front, overhead, quality } = told;
        VolumetricVideo { layers, cells, frames, front: front.clamp(1, cells), overhead, parts, quality }
    }

    /// Frames a second.
    pub fn frame_rate(&self) -> FrameRate {
        VolumetricVideo::FRAME_RATE
    }

    /// Layers of density, one at least.
    pub fn layers(&self) -> u8 {
        self.layers
    }

    /// Cells of a frame, one at least.
    pub fn cells(&self) -> u8 {
        self.cells
    }

    /// How many cells are in front, one at least: the first ones. The others are occluded.
    pub fn front_cells(&self) -> u8 {
        self.front
    }

    /// Frames until it repeats.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// A layer of a cell of that frame of a flow.
    ///
    /// # Panics
    /// If there is no such layer or cell.
    pub fn part(&self, frame: u32, layer: u8, cell: u8) -> VolumetricPart {
        let (layers, cells) = (usize::from(self.layers), usize::from(self.cells));
        let (layer, cell) = (usize::from(layer), usize::from(cell));
        assert!(layer < layers && cell < cells, "layer {layer} of cell {cell}, of {layers} and {cells}");
        self.parts[((frame % self.frames) as usize * layers + layer) * cells + cell]
    }

    /// The size of a cell of that frame with the points of the lowest `layers` layers, by a codec without layers.
    ///
    /// # Panics
    /// If there is no such cell, or there are not so many layers.
    pub fn single_layer_bytes(&self, frame: u32, cell: u8, layers: u8) -> u32 {
        let bytes = (0..layers).map(|layer| u64::from(self.part(frame, layer, cell).bytes)).sum();
        without_layers(bytes, self.overhead)
    }

    /// What densities look like.
    pub fn quality(&self) -> &DensityQuality {
        &self.quality
    }
}
