//! Decoder of quality layers.

use std::sync::Arc;

use jettison_core::Time;

use super::{Decoder, Shown, Window};
use crate::MessageHead;
use crate::content::{FrameRate, SpatialVideo};

/// Decodes a layer with the lower layers of its frame and, except in the first frame of a group of pictures, the same
/// layer of the previous frame. A layer that arrives before these waits for them.
#[derive(Clone)]
pub struct SpatialDecoder {
    video: Arc<SpatialVideo>,
}

/// Decoding state of a frame.
#[derive(Debug, Clone, Default)]
pub struct SpatialFrame {
    rung: u16,
    /// Received layers, one bit per layer.
    came: u8,
    decoded: u8,
    /// Decoding time of each decoded layer.
    decoded_at: [Time; 8],
}

impl SpatialDecoder {
    /// Creates a decoder of `video`.
    pub fn new(video: Arc<SpatialVideo>) -> SpatialDecoder {
        SpatialDecoder { video }
    }

    fn is_first_of_group(&self, number: u32) -> bool {
        (number % self.video.frames()).is_multiple_of(self.video.gop())
    }

    /// Returns the number of layers whose references in the previous frame are decoded.
    fn allowed(&self, number: u32, frames: &Window<SpatialFrame>) -> u8 {
        if self.is_first_of_group(number) {
            return self.video.layers();
        }
        number.checked_sub(1).and_then(|before| frames.get(before)).map_or(0, |before| before.decoded)
    }
}

impl Decoder for SpatialDecoder {
    type Frame = SpatialFrame;

    fn blank(&self) -> SpatialFrame {
        SpatialFrame::default()
    }

    fn frame_rate(&self) -> FrameRate {
        self.video.frame_rate()
    }

    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<SpatialFrame>) {
        let is_of_video = head.layer < self.video.layers() && usize::from(head.rung) < self.video.rungs();
        let Some(frame) = frames.open(head.frame).filter(|_| is_of_video) else { return };
        if frame.came == 0 {
            frame.rung = head.rung;
        } else if frame.rung != head.rung {
            return; // a layer of another rung cannot be combined with those received
        }
        frame.came |= 1 << head.layer;
        for number in head.frame..frames.end() {
            let allowed = self.allowed(number, frames);
            let Some(frame) = frames.open(number) else { break };
            let before = frame.decoded;
            while frame.decoded < allowed && frame.came & (1 << frame.decoded) != 0 {
                frame.decoded_at[usize::from(frame.decoded)] = now;
                frame.decoded += 1;
            }
            // No new references for later frames.
            if frame.decoded == before || self.is_first_of_group(number.saturating_add(1)) {
                break;
            }
        }
    }

    fn layers(&self) -> u8 {
        self.video.layers()
    }

    fn decoded(&self, frame: &SpatialFrame) -> Vec<(Option<(u8, u8)>, Time)> {
        (0..frame.decoded).map(|layer| (Some((layer, 0)), frame.decoded_at[usize::from(layer)])).collect()
    }

    fn shown(&self, number: u32, frame: &SpatialFrame, by: Time) -> Option<Shown> {
        let decoded_at = &frame.decoded_at[..usize::from(frame.decoded)];
        // A layer is decoded no earlier than the layers below.
        let layers = decoded_at.partition_point(|at| *at <= by) as u8;
        let highest = layers.checked_sub(1)?;
        let ssim_db = self.video.layer(usize::from(frame.rung), number, highest).ssim_db;
        Some(Shown { layers, at: decoded_at[usize::from(highest)], ssim_db })
    }
}
