//! Decoding without layers.

use std::sync::Arc;

use jettison_core::Time;

use super::{Decoder, Shown, Window};
use crate::MessageHead;
use crate::content::{FrameRate, SingleLayerVideo};

/// A frame is decoded if all earlier frames of its group of pictures were that the encoder made: [`MessageHead::cell`] says how
/// many it skipped right before. One that came before these waits for them.
pub struct SingleLayerDecoder {
    video: Arc<SingleLayerVideo>,
}

/// What is known of a frame.
#[derive(Debug, Clone, Default)]
pub struct SingleLayerFrame {
    /// Rung and frames skipped before it, once it came.
    came: Option<(u16, u8)>,
    decoded_at: Option<Time>,
}

impl SingleLayerDecoder {
    /// Of that video.
    pub fn new(video: Arc<SingleLayerVideo>) -> SingleLayerDecoder {
        SingleLayerDecoder { video }
    }

    fn place(&self, number: u32) -> u32 {
        (number % self.video.frames()) % self.video.gop()
    }

    fn is_decodable(&self, number: u32, frames: &Window<SingleLayerFrame>) -> bool {
        let Some((_, skipped)) = frames.get(number).and_then(|frame| frame.came) else { return false };
        let distance = u32::from(skipped) + 1;
        match number.checked_sub(distance) {
            // The first one of its group that was made needs none before.
            Some(before) if self.place(number) >= distance => {
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
            if number > head.frame && self.place(number) == 0 {
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

    fn shown(&self, number: u32, frame: &SingleLayerFrame, by: Time) -> Option<Shown> {
        let at = frame.decoded_at.filter(|at| *at <= by)?;
        let (rung, _) = frame.came?;
        Some(Shown { layers: 1, at, ssim_db: self.video.frame(usize::from(rung), number).ssim_db })
    }
}
