//! Decoder of density layers.

use std::sync::Arc;

use jettison_core::Time;

use super::{Decoder, Shown, Window};
use crate::MessageHead;
use crate::content::{FrameRate, VolumetricVideo, ssim};

/// Decodes a layer of a cell with the lower layers of the same cell and frame. A frame without any decoded cell in
/// front is not shown; otherwise its quality follows from the share of points over all cells, with a lower weight for
/// occluded ones.
#[derive(Clone)]
pub struct VolumetricDecoder {
    video: Arc<VolumetricVideo>,
    is_layered: bool,
}

/// Decoding state of a frame: arrival time of each layer of each cell, cell by cell.
#[derive(Debug, Clone)]
pub struct VolumetricFrame {
    came_at: Vec<Option<Time>>,
}

impl VolumetricDecoder {
    /// Creates a decoder of `video`. Without layers (`is_layered` false), a message of layer l contains all points up
    /// to layer l.
    pub fn new(video: Arc<VolumetricVideo>, is_layered: bool) -> VolumetricDecoder {
        VolumetricDecoder { video, is_layered }
    }

    /// Returns the number of layers of a cell decoded by `by`, and when the highest of them was decoded.
    fn decoded(&self, layers: &[Option<Time>], by: Time) -> (u8, Option<Time>) {
        let came = layers.iter().map_while(|at| at.filter(|at| *at <= by));
        came.fold((0, None), |(count, last), at| (count + 1, last.max(Some(at))))
    }
}

impl Decoder for VolumetricDecoder {
    type Frame = VolumetricFrame;

    fn blank(&self) -> VolumetricFrame {
        let parts = usize::from(self.video.layers()) * usize::from(self.video.cells());
        VolumetricFrame { came_at: vec![None; parts] }
    }

    fn frame_rate(&self) -> FrameRate {
        self.video.frame_rate()
    }

    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<VolumetricFrame>) {
        let is_of_video = head.layer < self.video.layers() && head.cell < self.video.cells();
        let Some(frame) = frames.open(head.frame).filter(|_| is_of_video) else { return };
        let from = usize::from(head.cell) * usize::from(self.video.layers());
        let (first, last) = (if self.is_layered { head.layer } else { 0 }, head.layer);
        for at in &mut frame.came_at[from + usize::from(first)..=from + usize::from(last)] {
            at.get_or_insert(now);
        }
    }

    fn layers(&self) -> u8 {
        self.video.layers()
    }

    fn decoded(&self, frame: &VolumetricFrame) -> Vec<(Option<(u8, u8)>, Time)> {
        let cells = (0..).zip(frame.came_at.chunks(usize::from(self.video.layers())));
        let messages = cells.flat_map(|(cell, came_at)| {
            // A layer is decoded once those below are.
            let decoded = came_at.iter().scan(Time::ZERO, |last, at| {
                *last = (*at)?.max(*last);
                Some(*last)
            });
            (0..).zip(decoded).map(move |(layer, at)| (Some((layer, cell)), at))
        });
        messages.collect()
    }

    fn shown(&self, _number: u32, frame: &VolumetricFrame, by: Time) -> Option<Shown> {
        let layers = usize::from(self.video.layers());
        let (mut highest, mut last) = (0, None);
        let (mut points, mut all) = (0.0, 0.0);
        for (cell, came_at) in frame.came_at.chunks(layers).enumerate() {
            let (decoded, at) = self.decoded(came_at, by);
            let is_front = cell < usize::from(self.video.front_cells());
            if is_front {
                highest = highest.max(decoded);
            }
            let weight = if is_front { 1.0 } else { self.video.quality().occluded_weight };
            points += weight * f64::from(decoded) / layers as f64;
            all += weight;
            last = last.max(at);
        }
        let at = last.filter(|_| highest > 0)?;
        Some(Shown { layers: highest, at, ssim_db: ssim::to_db(self.video.quality().ssim(points / all)) })
    }
}
