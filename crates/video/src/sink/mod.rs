//! Viewers: decode the received messages and score the frames.
//!
//! A [`Viewer`] keeps the latest frames and scores each of them; a [`Decoder`] determines which parts of a frame are
//! decodable. There is one per kind of video.

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
use jettison_measure::{FlowMeter, FrameEnded, FrameFate, FrameScore};

use super::content::FrameRate;
use super::{MessageHead, Sink};
pub use score::{ScoreParameters, Shown};
pub use single_layer::SingleLayerDecoder;
pub use spatial::SpatialDecoder;
pub use temporal::TemporalDecoder;
pub use volumetric::VolumetricDecoder;
pub use window::Window;

/// Decoding rules of one kind of video.
pub trait Decoder: Clone + Send {
    /// Decoding state of a frame.
    type Frame: Clone + Send;

    /// Returns the state of a frame without messages.
    fn blank(&self) -> Self::Frame;

    /// Returns the frame rate.
    fn frame_rate(&self) -> FrameRate;

    /// Handles a complete message of a frame in the window, and decodes all layers and later frames that it unblocks.
    fn arrived(&self, head: &MessageHead, now: Time, frames: &mut Window<Self::Frame>);

    /// Returns the number of layers of a whole frame.
    fn layers(&self) -> u8 {
        1
    }

    /// Returns the picture of a frame from the layers decoded by time `by`; `None` if it cannot be shown.
    fn shown(&self, number: u32, frame: &Self::Frame, by: Time) -> Option<Shown>;

    /// Returns which messages of a frame were decoded, by layer and cell, and when; `None` stands for any message.
    fn decoded(&self, frame: &Self::Frame) -> Vec<(Option<(u8, u8)>, Time)>;
}

/// Receives the messages of a video and scores each of its frames, including those without any message.
///
/// A frame is scored once [`Window::OPEN`] later frames have begun to arrive, or at the end of the run. Frames
/// captured in the last second of the run are scored only up to the newest received one: the others may be in flight.
#[derive(Clone)]
pub struct Viewer<D: Decoder> {
    decoder: D,
    parameters: ScoreParameters,
    frames: Window<D::Frame>,
    /// Capture time of frame 0, derived from the first message.
    start: Option<Time>,
    /// The newest frame with a received message.
    newest: Option<u32>,
    /// The last frame shown.
    last: Option<FrameScore>,
    /// The last frame shown to a viewer with each of the deadlines.
    last_at: Vec<(Duration, Option<FrameScore>)>,
}

/// Time before the end of the run in which captured frames may still be in flight.
const IN_FLIGHT: Duration = Duration::from_secs(1);

impl<D: Decoder> Viewer<D> {
    /// Creates a viewer with a decoder.
    pub fn new(decoder: D, parameters: ScoreParameters) -> Viewer<D> {
        let frames = Window::new(decoder.blank());
        let last_at = parameters.deadlines.iter().map(|deadline| (*deadline, None)).collect();
        Viewer { decoder, parameters, frames, start: None, newest: None, last: None, last_at }
    }

    /// The outcome of a frame from what was decoded by time `by`, after `last` was shown.
    fn outcome(&self, number: u32, captured_at: Time, by: Time, last: Option<&FrameScore>) -> FrameScore {
        match self.frames.get(number).and_then(|frame| self.decoder.shown(number, frame, by)) {
            Some(shown) => shown.score(number, captured_at),
            None => self.parameters.unshown(number, captured_at, last),
        }
    }

    /// The end of a frame, for accounts of delays.
    fn ended(&self, number: u32, captured_at: Time) -> FrameEnded {
        let frame = self.frames.get(number);
        let shown = |by| frame.and_then(|frame| self.decoder.shown(number, frame, by));
        let deadline = self.parameters.playout_deadline;
        let in_time = deadline.and_then(|deadline| shown(captured_at.saturating_add(deadline)));
        let decoded = in_time.or_else(|| shown(Time::MAX));
        FrameEnded {
            frame: number,
            captured_at,
            decoded: decoded.map(|shown| shown.at.since(captured_at)),
            deadline,
            messages: frame.map_or_else(Vec::new, |frame| {
                let part = |(layer, cell)| MessageHead::part(layer, cell);
                let decoded = self.decoder.decoded(frame).into_iter();
                decoded.map(|(message, at)| (message.map(part), at)).collect()
            }),
        }
    }

    /// Scores the frames before `end`.
    fn score_before(&mut self, end: u32, start: Time, meter: &mut FlowMeter) {
        while self.frames.first() < end {
            let number = self.frames.first();
            let captured_at = start.saturating_add(self.decoder.frame_rate().offset(number));
            let by = self.parameters.playout_deadline.map_or(Time::MAX, |d| captured_at.saturating_add(d));
            let score = self.outcome(number, captured_at, by, self.last.as_ref());
            self.last = score.is_shown().then_some(score).or(self.last);
            for at in 0..self.last_at.len() {
                let (deadline, last) = self.last_at[at];
                let by = by.min(captured_at.saturating_add(deadline));
                let score = self.outcome(number, captured_at, by, last.as_ref());
                self.last_at[at].1 = score.is_shown().then_some(score).or(last);
                meter.video().scored_at(deadline, &score);
            }
            meter.video().scored(score);
            if let Some(events) = meter.events() {
                let own = self.frames.get(number);
                let decoded = own.and_then(|frame| self.decoder.shown(number, frame, Time::MAX));
                events.frame(FrameFate {
                    frame: number,
                    captured_at,
                    deadline: self.parameters.playout_deadline.unwrap_or(events.limits().late_frame),
                    decoded: score.latency.or(decoded.map(|shown| shown.at.since(captured_at))),
                    is_shown: score.is_shown(),
                    layers: score.layers,
                    of: self.decoder.layers(),
                });
            }
            if meter.endings().is_some() {
                let ended = self.ended(number, captured_at);
                if let Some(endings) = meter.endings() {
                    endings.frame(ended);
                }
            }
            self.frames.advance();
        }
    }
}

impl<D: Decoder> Sink for Viewer<D> {
    fn handle_message(&mut self, head: &MessageHead, _length: u32, now: Time, meter: &mut FlowMeter) {
        let rate = self.decoder.frame_rate();
        let first = head.captured_at.as_nanos().saturating_sub(rate.offset(head.frame).as_nanos());
        let start = *self.start.get_or_insert(Time::from_nanos(first));
        // Ignore a frame number from the future: it is not a frame of this video. (One frame of tolerance for rounded
        // capture times.)
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
        let settled = match now.since(start).as_nanos().checked_sub(IN_FLIGHT.as_nanos()) {
            Some(nanos) => u32::try_from(rate.captured(Duration::from_nanos(nanos))).unwrap_or(u32::MAX),
            None => 0,
        };
        let end = after(last.map(|(frame, _)| frame)).min(settled).max(after(self.newest));
        self.score_before(end, start, meter);
    }
}
