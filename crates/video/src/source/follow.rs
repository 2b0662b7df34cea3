//! Encoder that follows its transport's target rate; used over GCC (Carlucci et al. 2016) and SCReAM (RFC 8298).
//!
//! Frames come from the highest rung within the target: immediately when the target falls (an encoder coarsens its
//! quantiser from one frame to the next), and at the next group of pictures when it rises. Key frames are those of the
//! video's groups. A pacer spreads each frame over time; while its backlog is too long, frames are skipped.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::style::{Line::Solid, OLIVE};
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
    Entry::<Encoder>::new("follow", "rate-following", build)
        .style(OLIVE, Solid)
        .summary("an encoder that follows the transport's target rate (over GCC, SCReAM)")
        .source("Carlucci, De Cicco, Holmer, Mascolo 2016 (MMSys); RFC 8298")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::whole(&[VideoKind::Spatial, VideoKind::Temporal]))
}

fn build(parameters: FollowParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    Ok(Box::new(Follow::new(parameters, video.single_layer()?)?))
}

/// Parameters of `follow`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FollowParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Target before the transport has one; unset: the lowest rung.
    pub initial: Option<Rate>,
    /// Share of the target that a rung may use, > 0; the rest is for headers, repairs and redundancy.
    pub share: f64,
    /// Maximum backlog, as time at the target rate, above which a frame is skipped; unset: frames are never skipped.
    pub skip_above: Option<Duration>,
}

impl Default for FollowParameters {
    fn default() -> FollowParameters {
        FollowParameters { stream: 0, initial: None, share: 1.0, skip_above: Some(Duration::from_secs(2)) }
    }
}

impl FollowParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_positive("share", self.share)
    }
}

/// The encoder: sends each frame at the rung within its target.
#[derive(Debug, Clone)]
pub struct Follow {
    parameters: FollowParameters,
    encoder: single_layer::Encoder,
    clock: FrameClock,
    rung: usize,
}

impl Follow {
    /// Creates an encoder of `video`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: FollowParameters, video: Arc<SingleLayerVideo>) -> Result<Follow, ParameterError> {
        parameters.validate()?;
        let clock = FrameClock::new(video.frame_rate());
        let encoder = single_layer::Encoder::new(video, parameters.stream);
        Ok(Follow { parameters, encoder, clock, rung: 0 })
    }

    fn is_full(&self, target: Option<Rate>, backlog: u64) -> bool {
        let Some((target, most)) = target.zip(self.parameters.skip_above) else { return false };
        backlog > 0 && target.time_for(Bytes::new(backlog)) > most
    }
}

impl Source for Follow {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let target = path.bandwidth.or(self.parameters.initial);
        let carried =
            target.map_or(0, |target| self.encoder.highest_within(target.mul_f64(self.parameters.share)));
        self.rung = if self.encoder.place(frame) == 0 { carried } else { self.rung.min(carried) };
        if !self.is_full(target, path.backlog) {
            self.encoder.send(frame, self.rung, now, out);
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
    use super::super::testing::{frames, path, single};
    use super::*;

    fn source(change: impl FnOnce(&mut FollowParameters)) -> Follow {
        let mut parameters = FollowParameters::default();
        change(&mut parameters);
        Follow::new(parameters, Arc::new(single())).expect("it is valid")
    }

    // Rungs of `single`: 1,200, 2,050 and 3,000 kbit/s over 1.165, that is 1,030, 1,760 and 2,575.

    #[test]
    fn it_falls_with_the_target_at_once_and_rises_with_the_next_group() {
        let targets = |frame| {
            path(Some(match frame {
                0..5 => 2_600,
                5..7 => 1_800,
                7 => 500,
                _ => 2_600,
            }))
        };
        let sent = frames(&mut source(|_| ()), 12, targets);
        let rungs: Vec<_> = sent.iter().map(|m| m.head.rung).collect();
        assert_eq!(rungs, [2, 2, 2, 2, 2, 1, 1, 0, 0, 0, 2, 2]);
    }

    #[test]
    fn a_rung_may_need_its_share_of_the_target() {
        let first = |source: &mut Follow, target| frames(source, 1, |_| path(target))[0].head.rung;
        assert_eq!(first(&mut source(|_| ()), Some(1_760)), 1);
        assert_eq!(first(&mut source(|p| p.share = 0.5), Some(1_760)), 0);
        assert_eq!(first(&mut source(|p| p.share = 0.5), Some(3_520)), 1);
    }

    #[test]
    fn the_initial_target_applies_before_the_first() {
        let first = |source: &mut Follow| frames(source, 1, |_| path(None))[0].head.rung;
        assert_eq!(first(&mut source(|_| ())), 0);
        assert_eq!(first(&mut source(|p| p.initial = Some(Rate::from_kbit(2_000)))), 1);
    }

    #[test]
    fn frames_are_skipped_while_two_seconds_wait() {
        // 1,000 kbit/s send 250,000 bytes in 2 s.
        let waits = |frame| PathEstimate {
            backlog: if frame == 2 || frame == 3 { 250_001 } else { 250_000 },
            ..path(Some(1_000))
        };
        let numbers = |source: &mut Follow| -> Vec<_> {
            frames(source, 6, waits).iter().map(|m| (m.head.frame, m.head.cell)).collect()
        };
        assert_eq!(numbers(&mut source(|_| ())), [(0, 0), (1, 0), (4, 2), (5, 0)]);
        assert_eq!(numbers(&mut source(|p| p.skip_above = None)).len(), 6);
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let parameters = FollowParameters { share: f64::NAN, ..FollowParameters::default() };
        assert!(parameters.validate().expect_err("NaN").to_string().starts_with("share: "));
    }
}
