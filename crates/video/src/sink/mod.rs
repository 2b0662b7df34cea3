//! Viewers: what they can decode of the messages that came, and what that looked like.
//!
//! A [`Viewer`] keeps the last frames and scores each of them; a [`Decoder`] says what of a frame can be decoded, one for each
//! kind of video.

mod score;
mod single_layer;
mod spatial;
mod temporal;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod volumetric;
mod window;

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, FrameScore};

use super::content::FrameRate;
use super::{MessageHead, Sink};
pub use score::{ScoreParameters, Shown};
pub use single_layer::SingleLayerDecoder;
pub use spatial::SpatialDecoder;
pub use temporal::TemporalDecoder;
pub use volumetric::VolumetricDecoder;
pub use window::Window;

/// What of a video's frames can be decoded.
pub trait Decoder: Send {
    /// What is known of a frame.
    type Frame: Clone + Send;

    /// Of a frame of which nothing has come.
    fn blank(&self) -> Self::Frame;

    /// When frames are captured.
    fn frame_rate(&self) -> FrameRate;

    /// A message of a frame in the window has arrived whole: what it makes possible is decoded, in later frames too.
    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<Self::Frame>);

    /// What a frame looks like, of what was decoded by `by`; `None` if it cannot be shown.
    fn shown(&self, number: u32, frame: &Self::Frame, by: Time) -> Option<Shown>;
}

/// Takes the messages of a video and scores each of its frames, whether or not anything came of it.
///
/// A frame is scored once [`Window::OPEN`] later frames have begun to arrive, or at the end. Those that were captured in the
/// last second of the run are scored only up to the newest that came: the others may be under way.
pub struct Viewer<D: Decoder> {
    decoder: D,
    parameters: ScoreParameters,
    frames: Window<D::Frame>,
    /// When frame 0 was captured, once a message has said so.
    start: Option<Time>,
    /// The newest frame of which anything came.
    newest: Option<u32>,
    /// The last frame that was shown.
    last: Option<FrameScore>,
}

/// What was captured so long before the end may still be under way then.
const UNDER_WAY: Duration = Duration::from_secs(1);

impl<D: Decoder> Viewer<D> {
    /// With that decoder.
    pub fn new(decoder: D, parameters: ScoreParameters) -> Viewer<D> {
        let frames = Window::new(decoder.blank());
        Viewer { decoder, parameters, frames, start: None, newest: None, last: None }
    }

    /// Scores frames before `end`.
    fn score_before(&mut self, end: u32, start: Time, meter: &mut FlowMeter) {
        while self.frames.first() < end {
            let number = self.frames.first();
            let captured_at = start.saturating_add(self.decoder.frame_rate().offset(number));
            let by = self.parameters.playout_deadline.map_or(Time::MAX, |d| captured_at.saturating_add(d));
            let shown = self.frames.get(number).and_then(|frame| self.decoder.shown(number, frame, by));
            let score = match shown {
                Some(shown) => shown.score(number, captured_at),
                None => self.parameters.unshown(number, captured_at, self.last.as_ref()),
            };
            if score.layers > 0 {
                self.last = Some(score);
            }
            meter.video().scored(score);
            self.frames.advance();
        }
    }
}

impl<D: Decoder> Sink for Viewer<D> {
    fn handle_message(&mut self, head: &MessageHead, _length: u32, now: Time, meter: &mut FlowMeter) {
        let rate = self.decoder.frame_rate();
        let first = head.captured_at.as_nanos().saturating_sub(rate.offset(head.frame).as_nanos());
        let start = *self.start.get_or_insert(Time::from_nanos(first));
        // A frame that cannot have been captured yet is none of this video. (One more, for captures that are rounded.)
        if u64::from(head.frame) > rate.captured(now.since(start)) {
            return;
        }
        meter.video().delivered(head.frame, head.captured_at, now);
        if head.frame < self.frames.first() {
            meter.video().message_late();
            return;
        }
        self.newest = self.newest.max(Some(head.frame));
        self.score_before(
            head.frame.saturating_add(1).saturating_sub(Window::<D::Frame>::OPEN),
            start,
            meter,
        );
        self.decoder.arrived(head, now, &mut self.frames);
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        let rate = self.decoder.frame_rate();
        let last = meter.video().last_sent();
        let of_last = |(frame, at): (u32, Time)| at.as_nanos().saturating_sub(rate.offset(frame).as_nanos());
        let Some(start) = self.start.or(last.map(|last| Time::from_nanos(of_last(last)))) else { return };
        let after = |frame: Option<u32>| frame.map_or(0, |frame| frame.saturating_add(1));
        let settled = match now.since(start).as_nanos().checked_sub(UNDER_WAY.as_nanos()) {
            Some(nanos) => u32::try_from(rate.captured(Duration::from_nanos(nanos))).unwrap_or(u32::MAX),
            None => 0,
        };
        let end = after(last.map(|(frame, _)| frame)).min(settled).max(after(self.newest));
        self.score_before(end, start, meter);
    }
}
