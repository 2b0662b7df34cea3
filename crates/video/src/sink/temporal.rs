//! Decoder of temporal layers.

use std::sync::Arc;

use jettison_core::Time;

use super::{Decoder, Shown, Window};
use crate::MessageHead;
use crate::content::{FrameRate, TemporalVideo};

/// Decodes a frame if its reference frame ([`TemporalVideo::reference`]) was decoded. A frame that arrives before its
/// reference waits for it.
#[derive(Clone)]
pub struct TemporalDecoder {
    video: Arc<TemporalVideo>,
    open_gop: bool,
}

/// Decoding state of a frame.
#[derive(Debug, Clone, Default)]
pub struct TemporalFrame {
    came: bool,
    decoded_at: Option<Time>,
}

impl TemporalDecoder {
    /// Creates a decoder of `video`. With `open_gop`, the first frame of a group refers to the first frame of the
    /// previous group; otherwise to none.
    pub fn new(video: Arc<TemporalVideo>, open_gop: bool) -> TemporalDecoder {
        TemporalDecoder { video, open_gop }
    }

    fn has_reference(&self, number: u32, frames: &Window<TemporalFrame>) -> bool {
        let place = self.video.place(number);
        let reference = match TemporalVideo::reference(place) {
            Some(reference) => number.checked_sub(place - reference),
            None if self.open_gop => number.checked_sub(self.video.gop()),
            None => None,
        };
        // The first frames of a flow may have no reference.
        reference
            .is_none_or(|reference| frames.get(reference).is_some_and(|frame| frame.decoded_at.is_some()))
    }
}

impl Decoder for TemporalDecoder {
    type Frame = TemporalFrame;

    fn blank(&self) -> TemporalFrame {
        TemporalFrame::default()
    }

    fn frame_rate(&self) -> FrameRate {
        self.video.frame_rate()
    }

    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<TemporalFrame>) {
        let Some(frame) = frames.open(head.frame) else { return };
        frame.came = true;
        for number in head.frame..frames.end() {
            if !self.open_gop && number > head.frame && self.video.place(number) == 0 {
                break;
            }
            let is_decodable = self.has_reference(number, frames);
            let Some(frame) = frames.open(number) else { break };
            if frame.came && is_decodable {
                frame.decoded_at.get_or_insert(now);
            } else if number == head.frame {
                break;
            }
        }
    }

    fn decoded(&self, frame: &TemporalFrame) -> Vec<(Option<(u8, u8)>, Time)> {
        frame.decoded_at.map(|at| (None, at)).into_iter().collect()
    }

    fn shown(&self, number: u32, frame: &TemporalFrame, by: Time) -> Option<Shown> {
        let at = frame.decoded_at.filter(|at| *at <= by)?;
        Some(Shown { layers: 1, at, ssim_db: self.video.frame(number).ssim_db })
    }
}
