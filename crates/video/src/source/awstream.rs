//! AWStream (Zhang, Jin, Ratnasamy, Wawrzynek, Lee, SIGCOMM 2018), as in the comparison of Chen, Tahir, Mittal:
//! bitrate or frame rate follows the transport's estimate, decreasing immediately and increasing slowly.
//!
//! It decreases when the send backlog grows, or the estimate no longer sustains the present level, and increases only
//! after the buffer has been empty for 2 s. Encoded frames are never discarded: they wait in the buffer.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_positive;
use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind};
use super::single_layer;
use crate::content::SingleLayerVideo;
use crate::{Fate, MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("awstream", "AWStream", build)
        .style(ORANGE, Solid)
        .summary("AWStream: rate or frame rate by the estimate; up after 2 s of an empty buffer")
        .source("Zhang, Jin, Ratnasamy, Wawrzynek, Lee 2018 (SIGCOMM)")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::whole(&[VideoKind::Spatial, VideoKind::Temporal]))
}

fn build(parameters: AwstreamParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    Ok(Box::new(Awstream::new(parameters, video.single_layer()?)?))
}

/// Parameters of `awstream`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AwstreamParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Time for which the application's buffer must have been empty before the level increases.
    pub hold: Duration,
    /// Target of an increase: `estimate`, the highest level that the estimate sustains; `step`, the next level.
    pub upgrade: Upgrade,
    /// The backlog counts as grown once the estimate needs longer than this to send it.
    pub tolerance: Duration,
    /// Share of the estimate that a level may use, > 0.
    pub share: f64,
    /// Ratio of bytes with headers to bytes without: the bitrates of levels are multiplied by it.
    pub header_factor: f64,
    /// Levels of a video with one bitrate, best first: every n-th frame of a group of pictures.
    pub every: Vec<u32>,
}

impl Default for AwstreamParameters {
    fn default() -> AwstreamParameters {
        AwstreamParameters {
            stream: 0,
            hold: Duration::from_secs(2),
            upgrade: Upgrade::Estimate,
            tolerance: Duration::from_millis(100),
            share: 1.0,
            header_factor: 1.0,
            every: vec![1, 2, 4],
        }
    }
}

/// Target of an increase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Upgrade {
    /// The highest level that the estimate sustains; the next one if the application limits the estimate.
    Estimate,
    /// The next level.
    Step,
}

impl AwstreamParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_positive("share", self.share)?;
        check_positive("header_factor", self.header_factor)?;
        let is_falling = self.every.first().is_some_and(|first| *first >= 1)
            && self.every.windows(2).all(|pair| pair[0] < pair[1]);
        ParameterError::unless(is_falling, "every", || {
            format!("must be ascending integers >= 1 such as [1, 2, 4], got {:?}", self.every)
        })
    }
}

/// An adaptation level: a rung, and every n-th frame of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level {
    rung: usize,
    every: u32,
    rate: Rate,
}

/// The AWStream encoder: adapts by one level per congestion event, and increases after a waiting time.
#[derive(Debug, Clone)]
pub struct Awstream {
    parameters: AwstreamParameters,
    encoder: single_layer::Encoder,
    clock: FrameClock,
    /// Levels, lowest first.
    levels: Vec<Level>,
    // State.
    level: Option<usize>,
    backlog: u64,
    empty_since: Option<Time>,
}

impl Awstream {
    /// Creates an encoder of `video`, with levels of bitrate if it has several, otherwise of frame rate.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: AwstreamParameters,
        video: Arc<SingleLayerVideo>,
    ) -> Result<Awstream, ParameterError> {
        parameters.validate()?;
        let clock = FrameClock::new(video.frame_rate());
        let needs = |rate: Rate| rate.mul_f64(parameters.header_factor);
        let levels = if video.rungs() > 1 {
            (0..video.rungs()).map(|rung| Level { rung, every: 1, rate: needs(video.rate(rung)) }).collect()
        } else {
            let level = |every: &u32| Level { rung: 0, every: *every, rate: needs(thinned(&video, *every)) };
            parameters.every.iter().rev().map(level).collect()
        };
        let encoder = single_layer::Encoder::new(video, parameters.stream);
        Ok(Awstream { parameters, encoder, clock, levels, level: None, backlog: 0, empty_since: None })
    }

    /// Returns the level of the frame that is due.
    fn choose(&mut self, now: Time, path: &PathEstimate) -> usize {
        let usable = path.bandwidth.map(|rate| rate.mul_f64(self.parameters.share));
        let carried = usable.map(|usable| self.highest_within(usable));
        let grows = path.backlog > self.backlog && self.is_long(path);
        self.backlog = path.backlog;
        let is_empty = path.backlog == 0;
        // A backlog restarts the waiting time before an increase.
        let since = self.empty_since.filter(|_| is_empty).unwrap_or(now);
        self.empty_since = is_empty.then_some(since);
        let Some(level) = self.level else { return carried.unwrap_or(0) };
        // An application-limited estimate is not an upper bound of the path's bandwidth.
        let ceiling = carried.filter(|_| !path.is_app_limited).unwrap_or(usize::MAX);
        let chosen = if grows {
            level.saturating_sub(1).min(carried.unwrap_or(usize::MAX))
        } else if is_empty && now.since(since) >= self.parameters.hold {
            self.above(level, carried).min(ceiling)
        } else {
            level.min(ceiling)
        };
        if chosen != level {
            self.empty_since = is_empty.then_some(now); // a new level restarts the waiting time
        }
        chosen
    }

    /// Returns the target of an increase.
    fn above(&self, level: usize, carried: Option<usize>) -> usize {
        let next = (level + 1).min(self.levels.len() - 1);
        match self.parameters.upgrade {
            Upgrade::Step => next,
            Upgrade::Estimate => next.max(carried.unwrap_or(0)),
        }
    }

    fn highest_within(&self, rate: Rate) -> usize {
        self.levels.iter().rposition(|level| level.rate <= rate).unwrap_or(0)
    }

    /// Returns whether the backlog takes longer to send than `tolerance`.
    fn is_long(&self, path: &PathEstimate) -> bool {
        path.bandwidth.is_none_or(|rate| rate.time_for(Bytes::new(path.backlog)) > self.parameters.tolerance)
    }
}

/// Returns the mean bitrate of every `every`-th frame in the groups of a video's only rung.
fn thinned(video: &SingleLayerVideo, every: u32) -> Rate {
    let is_kept = |frame: &u32| (frame % video.gop()).is_multiple_of(every);
    let bytes = (0..video.frames()).filter(is_kept).map(|frame| u64::from(video.frame(0, frame).bytes)).sum();
    Rate::of(Bytes::new(bytes), video.frame_rate().offset(video.frames()))
}

impl Source for Awstream {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let chosen = self.choose(now, path);
        self.level = Some(chosen);
        let level = self.levels[chosen];
        if self.encoder.place(frame).is_multiple_of(level.every) {
            self.encoder.send(frame, level.rung, now, out);
        }
    }

    fn handle_fate(&mut self, head: &MessageHead, fate: Fate, _now: Time) {
        if fate == Fate::Refused {
            self.encoder.refused(head.frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_registry::parameters;
    use serde_json::json;

    use super::super::testing::{frames, path, single, thin};
    use super::*;

    fn source(change: impl FnOnce(&mut AwstreamParameters)) -> Awstream {
        let mut parameters = AwstreamParameters::default();
        change(&mut parameters);
        Awstream::new(parameters, Arc::new(single())).expect("it is valid")
    }

    /// Returns the rungs of `count` frames.
    fn rungs(source: &mut Awstream, count: u32, path: impl Fn(u32) -> PathEstimate) -> Vec<u16> {
        frames(source, count, path).iter().map(|m| m.head.rung).collect()
    }

    fn waiting(kbit: u64, backlog: u64) -> PathEstimate {
        PathEstimate { backlog, ..path(Some(kbit)) }
    }

    // Rungs of `single`: 1,200, 2,050 and 3,000 kbit/s over 1.165, that is 1,030, 1,760 and 2,575.

    #[test]
    fn it_starts_with_the_level_that_the_estimate_sustains() {
        let first = |estimate| rungs(&mut source(|_| ()), 1, |_| path(estimate))[0];
        assert_eq!([None, Some(1_000), Some(1_760), Some(2_576)].map(first), [0, 0, 1, 2]);
    }

    #[test]
    fn a_falling_estimate_decreases_the_level_immediately() {
        let sent = rungs(&mut source(|_| ()), 6, |frame| path(Some(if frame < 3 { 3_000 } else { 1_800 })));
        assert_eq!(sent, [2, 2, 2, 1, 1, 1]);
        let sent = rungs(&mut source(|_| ()), 4, |frame| path(Some(if frame < 3 { 3_000 } else { 500 })));
        assert_eq!(sent, [2, 2, 2, 0]);
    }

    #[test]
    fn a_growing_backlog_decreases_the_level_immediately() {
        // 3,000 kbit/s send 37,500 bytes in 100 ms.
        let backlog = [0, 30_000, 37_501, 37_000, 37_501, 37_501];
        let sent = rungs(&mut source(|_| ()), 6, |frame| waiting(3_000, backlog[frame as usize]));
        assert_eq!(sent, [2, 2, 1, 1, 0, 0]);
    }

    #[test]
    fn the_level_increases_only_after_two_seconds_of_an_empty_buffer() {
        // At 30 frames/s frame 61 is due just after 2 s of frame 1.
        let sent = rungs(&mut source(|_| ()), 130, |frame| path(Some(if frame == 0 { 500 } else { 9_000 })));
        assert_eq!(sent.iter().position(|rung| *rung == 2), Some(60));
        assert!(sent[60..].iter().all(|rung| *rung == 2));
        assert!(sent[..60].iter().all(|rung| *rung == 0));
        // A backlog of one byte restarts the 2 s.
        let sent = rungs(&mut source(|_| ()), 130, |frame| match frame {
            0 => path(Some(500)),
            50 => waiting(9_000, 1),
            _ => path(Some(9_000)),
        });
        assert_eq!(sent.iter().position(|rung| *rung > 0), Some(111));
    }

    #[test]
    fn step_by_step_if_asked() {
        let mut source = source(|parameters| parameters.upgrade = Upgrade::Step);
        let sent = rungs(&mut source, 130, |frame| path(Some(if frame == 0 { 500 } else { 9_000 })));
        assert_eq!((sent[59], sent[60], sent[119], sent[120]), (0, 1, 1, 2));
    }

    #[test]
    fn it_does_not_exceed_an_estimate_unless_it_is_application_limited() {
        let sent = rungs(&mut source(|_| ()), 200, |_| path(Some(1_200)));
        assert_eq!(sent.iter().max(), Some(&0));
        let limited = PathEstimate { is_app_limited: true, ..path(Some(1_200)) };
        let sent = rungs(&mut source(|_| ()), 200, |_| limited);
        assert_eq!((sent[59], sent[60], sent[119], sent[120]), (0, 1, 1, 2));
    }

    #[test]
    fn a_video_of_one_bitrate_is_halved_and_quartered_in_its_frame_rate() {
        let video = Arc::new(thin());
        let rates = [4, 2, 1].map(|every| thinned(&video, every).as_bits() / 1000);
        assert!(rates.is_sorted() && rates[0] < rates[2] / 2, "{rates:?}");
        let of = |kbit| {
            let mut source =
                Awstream::new(AwstreamParameters::default(), Arc::clone(&video)).expect("it is valid");
            let sent = frames(&mut source, 16, |_| path(Some(kbit)));
            sent.iter().map(|m| (m.head.frame, m.head.cell)).collect::<Vec<_>>()
        };
        assert_eq!(of(1), [(0, 0), (4, 3), (8, 3), (12, 3)]);
        assert_eq!(of(rates[1] + 1).iter().map(|m| m.0).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10, 12, 14]);
        assert_eq!(of(rates[2] + 1).len(), 16);
    }

    #[test]
    fn its_messages_may_not_be_dropped() {
        for message in frames(&mut source(|_| ()), 20, |_| path(None)) {
            assert_eq!(message.params, jettison_messages::MessageParams::default());
        }
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let refusal = |table| {
            let read: AwstreamParameters = parameters(&table).expect("its types are right");
            read.validate().expect_err("it is out of range").to_string()
        };
        assert!(refusal(json!({"every": []})).starts_with("every: "));
        assert!(refusal(json!({"every": [0, 2]})).starts_with("every: "));
        assert!(refusal(json!({"every": [2, 1]})).starts_with("every: "));
        assert!(refusal(json!({"share": -1})).starts_with("share: "));
        assert!(refusal(json!({"header_factor": 0})).starts_with("header_factor: "));
    }
}
