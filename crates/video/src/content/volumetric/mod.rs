//! Video of point clouds, in cells of space and density layers.

mod density;
mod generate;
pub(super) mod trace;

use jettison_core::Rate;

use super::FrameRate;
use super::single_layer::without_layers;

pub use density::DensityQuality;
pub use generate::VolumetricGenerator;
pub(super) use trace::VolumetricSettings;

/// A video of point clouds. Each layer of a cell adds an equal share of its points and needs the lower layers of the
/// same cell and frame. Frames are independent of one another.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumetricVideo {
    layers: u8,
    cells: u8,
    frames: u32,
    /// Number of cells in front, which hide others; counted from the first.
    front: u8,
    /// Ratio of the bytes of all layers to those of a codec without layers.
    overhead: f64,
    /// Parts by frame, layer and cell.
    parts: Vec<VolumetricPart>,
    quality: DensityQuality,
}

/// A layer of a cell of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumetricPart {
    /// Size in bytes, at least one.
    pub bytes: u32,
    /// Bitrate of the video up to this layer, all cells together.
    pub cumulative: Rate,
}

impl VolumetricVideo {
    /// Frame rate of the traces, which do not state it.
    pub const FRAME_RATE: FrameRate = FrameRate::new(20);

    /// Creates a video from whole frames, at least one, whose parts are ordered by frame, layer and cell.
    fn new(
        [layers, cells]: [u8; 2],
        parts: Vec<VolumetricPart>,
        settings: VolumetricSettings,
    ) -> VolumetricVideo {
        let frames = (parts.len() / (usize::from(layers) * usize::from(cells))) as u32;
        let VolumetricSettings { front, overhead, quality } = settings;
        VolumetricVideo { layers, cells, frames, front: front.clamp(1, cells), overhead, parts, quality }
    }

    /// Returns the frame rate.
    pub fn frame_rate(&self) -> FrameRate {
        VolumetricVideo::FRAME_RATE
    }

    /// Returns the number of density layers, at least one.
    pub fn layers(&self) -> u8 {
        self.layers
    }

    /// Returns the number of cells per frame, at least one.
    pub fn cells(&self) -> u8 {
        self.cells
    }

    /// Returns the number of cells in front, at least one, counted from the first. The others are occluded.
    pub fn front_cells(&self) -> u8 {
        self.front
    }

    /// Returns the number of frames until the video repeats.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Returns a layer of a cell of a flow's frame.
    ///
    /// # Panics
    /// If the layer or cell does not exist.
    pub fn part(&self, frame: u32, layer: u8, cell: u8) -> VolumetricPart {
        let (layers, cells) = (usize::from(self.layers), usize::from(self.cells));
        let (layer, cell) = (usize::from(layer), usize::from(cell));
        assert!(layer < layers && cell < cells, "layer {layer} of cell {cell}, of {layers} and {cells}");
        self.parts[((frame % self.frames) as usize * layers + layer) * cells + cell]
    }

    /// Returns the size of a cell encoded without layers with the points of the lowest `layers` layers.
    ///
    /// # Panics
    /// If the cell or a layer does not exist.
    pub fn single_layer_bytes(&self, frame: u32, cell: u8, layers: u8) -> u32 {
        let bytes = (0..layers).map(|layer| u64::from(self.part(frame, layer, cell).bytes)).sum();
        without_layers(bytes, self.overhead)
    }

    /// Returns the quality as a function of density.
    pub fn quality(&self) -> &DensityQuality {
        &self.quality
    }
}
