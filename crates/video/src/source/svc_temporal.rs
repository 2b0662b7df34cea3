//! Temporal SVC (case 1 of Chen, Tahir, Mittal): three temporal layers, one message per frame.
//!
//! The sender does not adapt. Each frame is a dropper: once it arrives in a queue, it makes older frames obsolete that
//! no newer frame needs. Only the first frame of a group of pictures makes the fourth one of the previous group
//! obsolete; an odd frame affects only other odd ones.

use std::sync::Arc;

use jettison_core::Time;
use jettison_messages::MessageParams;
use jettison_registry::style::{INDIGO, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind, needs};
use super::length_of;
use crate::content::TemporalVideo;
use crate::{MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("svc-temporal", "temporal SVC", build)
        .style(INDIGO, Solid)
        .summary("temporal layers that newer frames make superfluous in the queue")
        .source("Chen, Tahir, Mittal 2022, case 1")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::layered(&[VideoKind::Temporal]))
}

fn build(parameters: SvcTemporalParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    match video {
        Video::Temporal(video) => Ok(Box::new(SvcTemporal::new(parameters, Arc::clone(video)))),
        _ => Err(needs(&[VideoKind::Temporal])),
    }
}

/// Parameters of `svc-temporal`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SvcTemporalParameters {
    /// Number of the stream.
    pub stream: u16,
}

/// The temporal SVC encoder: sends every frame, labelled by its position in the group of pictures.
#[derive(Debug, Clone)]
pub struct SvcTemporal {
    parameters: SvcTemporalParameters,
    video: Arc<TemporalVideo>,
    clock: FrameClock,
}

impl SvcTemporal {
    /// Creates an encoder of `video`.
    pub fn new(parameters: SvcTemporalParameters, video: Arc<TemporalVideo>) -> SvcTemporal {
        let clock = FrameClock::new(video.frame_rate());
        SvcTemporal { parameters, video, clock }
    }

    /// Returns priority and threshold of the frame at index `place` of its group, in the authors' numbering.
    fn labels(place: u32) -> (u8, u8) {
        match place {
            0 => (1, 1),
            _ if place.is_multiple_of(4) => (1, 2),
            _ if place.is_multiple_of(2) => (2, 2),
            _ => (3, 3),
        }
    }
}

impl Source for SvcTemporal {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, _path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let place = self.video.place(frame);
        let (priority, threshold) = SvcTemporal::labels(place);
        out.push(Outgoing {
            stream: self.parameters.stream,
            head: MessageHead {
                frame,
                layer: TemporalVideo::layer(place),
                cell: 0,
                rung: 0,
                captured_at: now,
            },
            length: length_of(self.video.frame(frame).bytes),
            params: MessageParams { priority, drop_flag: true, threshold, ..MessageParams::default() },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{frames, path, temporal};
    use super::*;

    fn source() -> SvcTemporal {
        SvcTemporal::new(SvcTemporalParameters::default(), Arc::new(temporal()))
    }

    #[test]
    fn the_position_in_the_gop_determines_priority_and_threshold() {
        let sent = frames(&mut source(), 16, |_| path(None));
        let labels: Vec<_> = sent.iter().map(|m| (m.params.priority, m.params.threshold)).collect();
        let group = [(1, 1), (3, 3), (2, 2), (3, 3), (1, 2), (3, 3), (2, 2), (3, 3)];
        assert_eq!(labels, [group, group].concat());
        let layers: Vec<_> = sent.iter().take(8).map(|m| m.head.layer).collect();
        assert_eq!(layers, [0, 2, 1, 2, 0, 2, 1, 2]);
    }

    #[test]
    fn every_message_is_a_dropper_and_none_has_slack_or_a_bitrate() {
        for message in frames(&mut source(), 24, |_| path(Some(1))) {
            assert!(message.params.drop_flag);
            assert_eq!((message.params.slack, message.params.bitrate_threshold), (0, 0));
        }
    }

    #[test]
    fn each_frame_is_one_message_of_the_traces_size_and_the_video_repeats() {
        let video = temporal();
        let sent = frames(&mut source(), video.frames() + 3, |_| path(None));
        for (frame, message) in (0..).zip(&sent) {
            assert_eq!(message.head.frame, frame);
            assert_eq!(message.length, video.frame(frame % video.frames()).bytes);
        }
        assert_eq!(sent.len() as u32, video.frames() + 3);
    }
}
