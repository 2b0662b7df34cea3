//! Common parts of encoders without layers: references and sizes of frames.
//!
//! The first sent frame of a group of pictures is its key frame, with the size of the group's first frame in the
//! video. Each other frame is coded against the previously sent one, so that every P-frame needs all earlier encoded
//! frames of its group (Chen, Tahir, Mittal's rule for codecs without layers). [`MessageHead::cell`] is the number of
//! frames skipped in between; a value of at least the frame's index in the group marks the key frame.

use std::sync::Arc;

use jettison_core::{Rate, Time};
use jettison_messages::MessageParams;

use super::length_of;
use crate::content::SingleLayerVideo;
use crate::{MessageHead, Outgoing};

/// A codec without layers.
#[derive(Debug, Clone)]
pub(super) struct Encoder {
    video: Arc<SingleLayerVideo>,
    stream: u16,
    /// Reference of the next frame.
    reference: Option<u32>,
    /// Reference before the last frame was sent.
    before: Option<u32>,
}

impl Encoder {
    pub(super) fn new(video: Arc<SingleLayerVideo>, stream: u16) -> Encoder {
        Encoder { video, stream, reference: None, before: None }
    }

    pub(super) fn video(&self) -> &SingleLayerVideo {
        &self.video
    }

    /// Returns the index of a frame in its group of pictures.
    pub(super) fn place(&self, frame: u32) -> u32 {
        (frame % self.video.frames()) % self.video.gop()
    }

    /// Returns the highest rung with a bitrate of at most `rate`, or the lowest rung.
    pub(super) fn highest_within(&self, rate: Rate) -> usize {
        (0..self.video.rungs()).rev().find(|rung| self.video.rate(*rung) <= rate).unwrap_or(0)
    }

    /// Returns whether a frame would be the key frame of its group.
    fn is_key(&self, frame: u32) -> bool {
        self.skipped(frame) >= self.place(frame)
    }

    /// Returns the number of frames between a frame and its reference.
    fn skipped(&self, frame: u32) -> u32 {
        self.reference.map_or(frame, |reference| frame.saturating_sub(reference).saturating_sub(1))
    }

    /// Returns the bytes of a frame at a rung.
    pub(super) fn length(&self, frame: u32, rung: usize) -> u32 {
        let of = if self.is_key(frame) { frame - self.place(frame) } else { frame };
        length_of(self.video.frame(rung, of).bytes)
    }

    /// Returns the reference of the next frame, unless that is a key frame.
    pub(super) fn reference(&self) -> Option<u32> {
        self.reference
    }

    /// Encodes and sends a frame; returns its reference, `None` for a key frame.
    pub(super) fn send(
        &mut self,
        frame: u32,
        rung: usize,
        now: Time,
        out: &mut Vec<Outgoing>,
    ) -> Option<u32> {
        let against = self.reference.filter(|_| !self.is_key(frame));
        // Indices beyond 255 saturate; so many frames of one group are never skipped in practice.
        let cell =
            if self.is_key(frame) { self.skipped(frame).max(self.place(frame)) } else { self.skipped(frame) };
        out.push(Outgoing {
            stream: self.stream,
            head: MessageHead {
                frame,
                layer: 0,
                cell: cell.min(u32::from(u8::MAX)) as u8,
                rung: rung as u16,
                captured_at: now,
            },
            length: self.length(frame, rung),
            params: MessageParams::default(),
        });
        self.before = self.reference;
        self.reference = Some(frame);
        against
    }

    /// Undoes a frame that the transport refused: it counts as skipped.
    pub(super) fn refused(&mut self, frame: u32) {
        if self.reference == Some(frame) {
            self.reference = self.before;
        }
    }

    /// Sets the reference of the next frame.
    pub(super) fn refer_to(&mut self, frame: Option<u32>) {
        self.reference = frame;
        self.before = frame;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::single;
    use super::*;

    fn sent(encoder: &mut Encoder, frame: u32) -> (u8, u32) {
        let mut out = Vec::new();
        encoder.send(frame, 0, Time::ZERO, &mut out);
        (out[0].head.cell, out[0].length)
    }

    #[test]
    fn a_frame_records_the_number_skipped_before_it() {
        let video = Arc::new(single());
        let size = |frame| video.frame(0, frame).bytes;
        let mut encoder = Encoder::new(Arc::clone(&video), 0);
        assert_eq!(sent(&mut encoder, 0), (0, size(0)));
        assert_eq!(sent(&mut encoder, 1), (0, size(1)));
        assert_eq!(sent(&mut encoder, 4), (2, size(4)));
        assert_eq!(sent(&mut encoder, 5), (0, size(5)));
        assert_eq!(sent(&mut encoder, 10), (4, size(10)), "a new group");
    }

    #[test]
    fn the_first_frame_of_a_group_that_is_sent_is_its_key_frame() {
        let video = Arc::new(single());
        let size = |frame| video.frame(0, frame).bytes;
        let mut encoder = Encoder::new(Arc::clone(&video), 0);
        assert_eq!(sent(&mut encoder, 3), (3, size(0)), "the first at all");
        assert_eq!(sent(&mut encoder, 9), (5, size(9)));
        assert_eq!(sent(&mut encoder, 12), (2, size(10)));
        assert_eq!(sent(&mut encoder, 13), (0, size(13)));
    }

    #[test]
    fn a_refused_frame_counts_as_skipped() {
        let video = Arc::new(single());
        let size = |frame| video.frame(0, frame).bytes;
        let mut encoder = Encoder::new(Arc::clone(&video), 0);
        sent(&mut encoder, 0);
        sent(&mut encoder, 1);
        encoder.refused(1);
        assert_eq!(sent(&mut encoder, 2), (1, size(2)));
        sent(&mut encoder, 10);
        encoder.refused(10);
        assert_eq!(sent(&mut encoder, 11), (8, size(10)), "the group still lacks its key frame");
        encoder.refused(10);
        assert_eq!(sent(&mut encoder, 12), (0, size(12)), "long gone");
    }

    #[test]
    fn the_highest_rung_within_a_rate() {
        let encoder = Encoder::new(Arc::new(single()), 0);
        let rate = |rung| encoder.video().rate(rung);
        assert_eq!(encoder.highest_within(Rate::ZERO), 0);
        assert_eq!(encoder.highest_within(rate(1)), 1);
        assert_eq!(encoder.highest_within(Rate::from_bits(rate(1).as_bits() - 1)), 0);
        assert_eq!(encoder.highest_within(Rate::from_mbit(100)), 2);
    }
}
