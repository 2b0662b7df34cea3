//! Decoder of video without layers.

use std::sync::Arc;

use jettison_core::Time;

use super::{Decoder, Shown, Window};
use crate::MessageHead;
use crate::content::{FrameRate, SingleLayerVideo};

/// Decodes a frame if all earlier encoded frames of its group of pictures were decoded: [`MessageHead::cell`] is the
/// number of frames skipped directly before it. A frame that arrives before these waits for them.
#[derive(Clone)]
pub struct SingleLayerDecoder {
    video: Arc<SingleLayerVideo>,
}

/// Decoding state of a frame.
#[derive(Debug, Clone, Default)]
pub struct SingleLayerFrame {
    /// Rung and number of frames skipped before it, once it has arrived.
    came: Option<(u16, u8)>,
    decoded_at: Option<Time>,
}

impl SingleLayerDecoder {
    /// Creates a decoder of `video`.
    pub fn new(video: Arc<SingleLayerVideo>) -> SingleLayerDecoder {
        SingleLayerDecoder { video }
    }

    fn index_in_group(&self, number: u32) -> u32 {
        (number % self.video.frames()) % self.video.gop()
    }

    fn is_decodable(&self, number: u32, frames: &Window<SingleLayerFrame>) -> bool {
        let Some((_, skipped)) = frames.get(number).and_then(|frame| frame.came) else { return false };
        let distance = u32::from(skipped) + 1;
        match number.checked_sub(distance) {
            // The first encoded frame of a group has no reference.
            Some(before) if self.index_in_group(number) >= distance => {
                frames.get(before).is_some_and(|frame| frame.decoded_at.is_some())
            }
            _ => true,
        }
    }
}

impl Decoder for SingleLayerDecoder {
    type Frame = SingleLayerFrame;

    fn blank(&self) -> SingleLayerFrame {
        SingleLayerFrame::default()
    }

    fn frame_rate(&self) -> FrameRate {
        self.video.frame_rate()
    }

    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<SingleLayerFrame>) {
        let is_of_video = usize::from(head.rung) < self.video.rungs();
        let Some(frame) = frames.open(head.frame).filter(|_| is_of_video) else { return };
        frame.came.get_or_insert((head.rung, head.cell));
        for number in head.frame..frames.end() {
            if number > head.frame && self.index_in_group(number) == 0 {
                break;
            }
            let is_decodable = self.is_decodable(number, frames);
            let Some(frame) = frames.open(number) else { break };
            if is_decodable {
                frame.decoded_at.get_or_insert(now);
            } else if number == head.frame {
                break;
            }
        }
    }

    fn decoded(&self, frame: &SingleLayerFrame) -> Vec<(Option<(u8, u8)>, Time)> {
        frame.decoded_at.map(|at| (None, at)).into_iter().collect()
    }

    fn shown(&self, number: u32, frame: &SingleLayerFrame, by: Time) -> Option<Shown> {
        let at = frame.decoded_at.filter(|at| *at <= by)?;
        let (rung, _) = frame.came?;
        Some(Shown { layers: 1, at, ssim_db: self.video.frame(usize::from(rung), number).ssim_db })
    }
}
