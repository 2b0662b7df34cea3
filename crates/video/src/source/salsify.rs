//! Salsify (Fouladi et al., NSDI 2018): encodes each frame at the largest size that the transport can send now, or
//! skips it.
//!
//! Its codec encodes several versions of a frame and sends the largest one within the transport's budget; if none
//! fits, the frame is skipped, and the next one is coded against the last sent frame. For a video with one bitrate
//! only skipping remains: the frame-rate-only variant of Chen, Tahir, Mittal.

use std::sync::Arc;

use jettison_core::Time;
use jettison_registry::style::{Line::Solid, PINK};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrivals::Arrivals;
use super::check_positive;
use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind};
use super::single_layer;
use crate::content::{SingleLayerVideo, check_overhead};
use crate::{Fate, MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("salsify", "Salsify", build)
        .style(PINK, Solid)
        .summary("Salsify: each frame as large as the transport lets out now, or not at all")
        .source("Fouladi, Emmons, Orbay, Wu, Wahby, Winstein 2018 (NSDI)")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::whole(&[VideoKind::Spatial, VideoKind::Temporal]))
}

fn build(parameters: SalsifyParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    Ok(Box::new(Salsify::new(parameters, video.single_layer()?)?))
}

/// Parameters of `salsify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SalsifyParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Ratio of the bytes of its codec to those of a codec without layers at the same quality, in [0.1, 10]. Salsify's
    /// functional codec needs more (Chen, Tahir, Mittal, §6.2, who give no number), one of a newer generation less.
    pub codec_overhead: f64,
    /// Share of the budget that a frame may use, > 0.
    pub share: f64,
    /// Ratio of bytes with headers to bytes without: sizes are multiplied by it.
    pub header_factor: f64,
    /// Maximum number of consecutive skipped frames: the next one is sent at its smallest size regardless, to give the
    /// transport a sample. Unset: unlimited.
    pub most_skipped: Option<u32>,
    /// Whether the frame after a loss is coded against the last frame known to be decoded, as Salsify's codec does.
    /// Off: it is coded against the last sent frame, so that the rest of the group of pictures is lost too.
    pub recover: bool,
}

impl Default for SalsifyParameters {
    fn default() -> SalsifyParameters {
        SalsifyParameters {
            stream: 0,
            codec_overhead: 1.0,
            share: 1.0,
            header_factor: 1.0,
            most_skipped: Some(3),
            recover: false,
        }
    }
}

impl SalsifyParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_overhead("codec_overhead", self.codec_overhead)?;
        check_positive("share", self.share)?;
        check_positive("header_factor", self.header_factor)
    }
}

/// The Salsify encoder.
#[derive(Debug, Clone)]
pub struct Salsify {
    parameters: SalsifyParameters,
    encoder: single_layer::Encoder,
    clock: FrameClock,
    // State.
    skipped: u32,
    arrivals: Arrivals,
}

impl Salsify {
    /// Creates an encoder of `video`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: SalsifyParameters,
        video: Arc<SingleLayerVideo>,
    ) -> Result<Salsify, ParameterError> {
        parameters.validate()?;
        let clock = FrameClock::new(video.frame_rate());
        let overhead = parameters.codec_overhead;
        let video = if overhead == 1.0 { video } else { Arc::new(video.with_overhead(overhead)) };
        let encoder = single_layer::Encoder::new(video, parameters.stream);
        Ok(Salsify { parameters, encoder, clock, skipped: 0, arrivals: Arrivals::default() })
    }

    /// Returns the budget in bytes for the frame that is due; `None` without an estimate. If the transport defines no
    /// budget, it is the bandwidth times the time since the last sent frame.
    fn budget(&self, path: &PathEstimate) -> Option<f64> {
        let since = self.encoder.video().frame_rate().offset(self.skipped.saturating_add(1));
        let bytes = path.budget.or(path.bandwidth.map(|rate| rate.bytes_in(since).get()))?;
        Some(bytes.saturating_sub(path.backlog) as f64 * self.parameters.share)
    }

    /// Returns the rung of the frame that is due; `None` to skip it.
    fn choose(&self, frame: u32, path: &PathEstimate) -> Option<usize> {
        let smallest = Some(0);
        let Some(budget) = self.budget(path) else { return smallest };
        let needs = |rung| f64::from(self.encoder.length(frame, rung)) * self.parameters.header_factor;
        let fitting = (0..self.encoder.video().rungs()).rev().find(|rung| needs(*rung) <= budget);
        // A backlog provides samples to the transport without a forced frame.
        let is_enough =
            path.backlog == 0 && self.parameters.most_skipped.is_some_and(|most| self.skipped >= most);
        fitting.or(if is_enough { smallest } else { None })
    }

    /// If the reference of the next frame is undecodable, replaces it by the last decoded frame.
    fn repair_reference(&mut self) {
        if self.parameters.recover
            && self.encoder.reference().is_some_and(|frame| self.arrivals.is_broken(frame))
        {
            self.encoder.refer_to(self.arrivals.decoded());
        }
    }
}

impl Source for Salsify {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        self.repair_reference();
        match self.choose(frame, path) {
            Some(rung) => {
                let reference = self.encoder.send(frame, rung, now, out);
                self.arrivals.sent(frame, reference);
                self.skipped = 0;
            }
            None => self.skipped += 1,
        }
    }

    fn handle_fate(&mut self, head: &MessageHead, fate: Fate, _now: Time) {
        if fate == Fate::Refused {
            self.encoder.refused(head.frame);
        }
        self.arrivals.settle(head.frame, fate);
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Rate;
    use jettison_registry::parameters;
    use serde_json::json;

    use super::super::testing::{frames, path, single, thin};
    use super::*;

    fn source(change: impl FnOnce(&mut SalsifyParameters)) -> Salsify {
        let mut parameters = SalsifyParameters::default();
        change(&mut parameters);
        Salsify::new(parameters, Arc::new(single())).expect("it is valid")
    }

    fn budget(bytes: u64) -> PathEstimate {
        PathEstimate { budget: Some(bytes), ..path(Some(100)) }
    }

    fn size(rung: usize, frame: u32) -> u64 {
        u64::from(single().frame(rung, frame).bytes)
    }

    #[test]
    fn each_frame_is_the_largest_that_fits_the_budget() {
        let budgets = [size(2, 0), size(2, 1) - 1, size(0, 2), size(2, 3)];
        let sent = frames(&mut source(|_| ()), 4, |frame| budget(budgets[frame as usize]));
        assert_eq!(sent.iter().map(|m| m.head.rung).collect::<Vec<_>>(), [2, 1, 0, 2]);
        for (message, budget) in sent.iter().zip(budgets) {
            assert!(u64::from(message.length) <= budget);
        }
    }

    #[test]
    fn a_codec_of_more_bytes_sends_a_lower_rung_and_one_of_fewer_bytes_a_higher_one() {
        let rungs = |codec_overhead, bytes| {
            let mut source = source(|p| p.codec_overhead = codec_overhead);
            frames(&mut source, 1, |_| budget(bytes)).iter().map(|m| (m.head.rung, m.length)).next()
        };
        let (low, high) = (size(0, 0), size(2, 0));
        assert_eq!(rungs(1.0, high), Some((2, high as u32)));
        assert_eq!(rungs(2.0, 2 * low), Some((0, 2 * low as u32)));
        assert_eq!(rungs(2.0, 2 * high), Some((2, 2 * high as u32)), "the same picture at twice the bytes");
        assert_eq!(rungs(0.5, high / 2 + 1), Some((2, (high as f64 / 2.0).round() as u32)));
    }

    #[test]
    fn a_frame_that_does_not_fit_is_skipped_and_the_next_one_records_it() {
        let sent = frames(&mut source(|_| ()), 6, |frame| {
            budget(if frame == 2 || frame == 3 { 50 } else { 90_000 })
        });
        let numbers: Vec<_> = sent.iter().map(|m| (m.head.frame, m.head.cell)).collect();
        assert_eq!(numbers, [(0, 0), (1, 0), (4, 2), (5, 0)]);
    }

    #[test]
    fn the_backlog_reduces_the_budget() {
        let full = PathEstimate { backlog: 5, ..budget(size(0, 0) + 4) };
        assert!(frames(&mut source(|_| ()), 1, |_| full).is_empty());
        let enough = PathEstimate { backlog: 4, ..full };
        assert_eq!(frames(&mut source(|_| ()), 1, |_| enough).len(), 1);
    }

    #[test]
    fn without_a_budget_the_bandwidth_since_the_last_frame_is_used() {
        let of = |bytes| PathEstimate { bandwidth: Some(Rate::from_bits(bytes * 8 * 30)), ..path(None) };
        let first = |bytes| frames(&mut source(|_| ()), 1, |_| of(bytes)).first().map(|m| m.head.rung);
        assert_eq!([size(1, 0) + 2, size(1, 0) - 2].map(first), [Some(1), Some(0)]);
        assert_eq!(frames(&mut source(|_| ()), 1, |_| path(None))[0].head.rung, 0, "nothing known");
        // Half of the smallest key frame: two frames' time carry it.
        let sent = frames(&mut source(|_| ()), 2, |_| of(size(0, 0) / 2 + 2));
        assert_eq!(sent.iter().map(|m| m.head.frame).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn after_three_skipped_frames_the_smallest_is_sent_anyway() {
        let numbers = |source: &mut Salsify| -> Vec<_> {
            frames(source, 9, |_| budget(0)).iter().map(|m| (m.head.frame, m.head.rung)).collect()
        };
        assert_eq!(numbers(&mut source(|_| ())), [(3, 0), (7, 0)]);
        assert_eq!(numbers(&mut source(|p| p.most_skipped = Some(0))).len(), 9);
        assert_eq!(numbers(&mut source(|p| p.most_skipped = None)), []);
    }

    #[test]
    fn of_a_video_of_one_bitrate_frames_that_do_not_fit_are_skipped() {
        let video = Arc::new(thin());
        let least = (0..16).map(|frame| video.frame(0, frame).bytes).min().expect("16 frames");
        let mut source = Salsify::new(
            SalsifyParameters { most_skipped: None, ..SalsifyParameters::default() },
            Arc::clone(&video),
        )
        .expect("it is valid");
        let fits = |frame: u32| frame.is_multiple_of(3);
        let sent = frames(&mut source, 24, |frame| {
            budget(if fits(frame) { 1_000_000 } else { u64::from(least) - 1 })
        });
        let numbers: Vec<_> = sent.iter().map(|m| m.head.frame).collect();
        assert_eq!(numbers, [0, 3, 6, 9, 12, 15, 18, 21]);
        assert!(sent.iter().all(|m| m.head.rung == 0));
    }

    /// Sends frames 0 to 5, of which 3 is lost and the others up to 4 arrive, then 6, then 7 with 5 lost too; returns the
    /// number of frames that each of the last two skips.
    fn after_loss(mut source: Salsify) -> [u8; 2] {
        let sent = frames(&mut source, 6, |_| budget(90_000));
        for message in &sent[..5] {
            let fate = if message.head.frame == 3 { Fate::Lost } else { Fate::Acknowledged };
            source.handle_fate(&message.head, fate, Time::ZERO);
        }
        let mut out = Vec::new();
        source.make_frame(Time::ZERO, &budget(90_000), &mut out);
        source.handle_fate(&sent[5].head, Fate::Lost, Time::ZERO);
        source.make_frame(Time::ZERO, &budget(90_000), &mut out);
        [out[0].head.cell, out[1].head.cell]
    }

    #[test]
    fn after_a_loss_the_next_frame_may_be_coded_against_the_last_one_decoded() {
        assert_eq!(after_loss(source(|_| ())), [0, 0]);
        // 6 against 2, as 4 arrived but needs 3; 7 against 6, which does not need 5.
        assert_eq!(after_loss(source(|p| p.recover = true)), [3, 0]);
    }

    #[test]
    fn a_loss_before_the_key_frame_changes_nothing() {
        let mut source = source(|p| p.recover = true);
        let sent = frames(&mut source, 12, |_| budget(90_000));
        source.handle_fate(&sent[9].head, Fate::Lost, Time::ZERO);
        let mut out = Vec::new();
        source.make_frame(Time::ZERO, &budget(90_000), &mut out);
        assert_eq!((out[0].head.frame, out[0].head.cell), (12, 0));
    }

    #[test]
    fn without_anything_decoded_of_its_group_it_is_a_key_frame() {
        let mut source = source(|p| p.recover = true);
        let sent = frames(&mut source, 3, |_| budget(90_000));
        source.handle_fate(&sent[0].head, Fate::Lost, Time::ZERO);
        let mut out = Vec::new();
        source.make_frame(Time::ZERO, &budget(90_000), &mut out);
        assert_eq!((out[0].head.frame, out[0].head.cell), (3, 3));
        assert_eq!(u64::from(out[0].length), size(2, 0), "a key frame's size");
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let refusal = |table| {
            let read: SalsifyParameters = parameters(&table).expect("its types are right");
            read.validate().expect_err("it is out of range").to_string()
        };
        assert!(refusal(json!({"share": 0})).starts_with("share: "));
        assert!(refusal(json!({"codec_overhead": 0.05})).starts_with("codec_overhead: "));
        assert!(refusal(json!({"header_factor": 0})).starts_with("header_factor: "));
    }
}
