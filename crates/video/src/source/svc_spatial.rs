//! Spatial SVC (case 2 of Chen, Tahir, Mittal): three quality layers, one message per layer and frame.
//!
//! For each group of pictures the sender chooses the highest rung that the transport's estimate sustains, deliberately
//! a little too high. Within the group, the queue drops the higher layers while the stream has less bandwidth than the
//! rung needs up to them. A new group makes the rest of the old one obsolete.

use std::sync::Arc;

use jettison_core::{Duration, Rate, Time};
use jettison_messages::MessageParams;
use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use jettison_wire::OctopusHeader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind, needs};
use super::{check_positive, length_of};
use crate::content::SpatialVideo;
use crate::{MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("svc-spatial", "spatial SVC", build)
        .style(GREEN, Solid)
        .summary("quality layers that the queue may drop, at a rung chosen with each group of pictures")
        .source("Chen, Tahir, Mittal 2022, case 2")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::layered(&[VideoKind::Spatial]))
}

fn build(parameters: SvcSpatialParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    match video {
        Video::Spatial(video) => Ok(Box::new(SvcSpatial::new(parameters, Arc::clone(video))?)),
        _ => Err(needs(&[VideoKind::Spatial])),
    }
}

/// Parameters of `svc-spatial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SvcSpatialParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Rate for the choice of a rung before the transport has an estimate; unset: the lowest rung.
    pub initial: Option<Rate>,
    /// Share of the estimate that a rung may use, > 0.
    pub share: f64,
    /// Whether each group takes the next higher rung while the estimate is application-limited and therefore no higher
    /// than the sending rate. The queue drops the excess layers. Otherwise a sender never recovers from a lower rung.
    pub probe: bool,
    /// Whether unset values of `slack`, `droppers` and `header_factor` are those of the authors' code.
    pub authors: bool,
    /// Maximum waiting time of each layer's messages, lowest layer first, in whole milliseconds up to 511 ms; the last
    /// value applies to all further layers. Queues and send buffers use it only with their own `slack = true`. Unset:
    /// none; 300, 200 and 100 ms with `authors`.
    pub slack: Option<Vec<Duration>>,
    /// Droppers among the messages of a group's first frame. Unset: `base`; `all-layers` with `authors`.
    pub droppers: Option<GopDroppers>,
    /// Whether messages above the lowest layer have bitrate thresholds: the bitrate of the layers up to theirs.
    pub thresholds: bool,
    /// Ratio of bytes with headers to bytes without: rungs and thresholds are multiplied by it. Unset: 1; 15/14 with
    /// `authors`.
    pub header_factor: Option<f64>,
}

impl Default for SvcSpatialParameters {
    fn default() -> SvcSpatialParameters {
        SvcSpatialParameters {
            stream: 0,
            initial: None,
            share: 1.0,
            probe: true,
            authors: false,
            slack: None,
            droppers: None,
            thresholds: true,
            header_factor: None,
        }
    }
}

/// Droppers among the messages of a group's first frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GopDroppers {
    /// The message of the lowest layer, with threshold 0: all older messages are obsolete. Priorities are layer
    /// numbers, from 0.
    Base,
    /// The message of each layer, with thresholds 1, 2, 3: older messages of the same and of higher layers are
    /// obsolete. Priorities are 1, 2, 3 too. (The authors' code.)
    AllLayers,
    /// None: messages are dropped by their bitrate thresholds alone.
    None,
}

impl SvcSpatialParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_positive("share", self.share)?;
        check_positive("header_factor", self.header_factor())?;
        for (index, slack) in self.slack.iter().flatten().enumerate() {
            let fits = slack.as_millis() <= u64::from(OctopusHeader::MAX_SLACK);
            let is_whole = slack.as_nanos().is_multiple_of(1_000_000);
            ParameterError::unless(fits && is_whole, &index.to_string(), || {
                format!("must be whole milliseconds in [0, {}] ms, got {slack}", OctopusHeader::MAX_SLACK)
            })
            .map_err(|error| error.under("slack"))?;
        }
        Ok(())
    }

    fn droppers(&self) -> GopDroppers {
        self.droppers.unwrap_or(if self.authors { GopDroppers::AllLayers } else { GopDroppers::Base })
    }

    fn header_factor(&self) -> f64 {
        self.header_factor.unwrap_or(if self.authors { 15.0 / 14.0 } else { 1.0 })
    }

    /// Returns the slack of a layer in ms.
    fn slack(&self, layer: u8) -> u16 {
        let millis = |slack: &Duration| slack.as_millis() as u16;
        match &self.slack {
            Some(slack) => slack.get(usize::from(layer)).or(slack.last()).map_or(0, millis),
            None if self.authors => [300, 200, 100][usize::from(layer).min(2)],
            None => 0,
        }
    }
}

/// The spatial SVC encoder: sends all layers of each frame, at the rung of its group of pictures.
#[derive(Debug, Clone)]
pub struct SvcSpatial {
    parameters: SvcSpatialParameters,
    video: Arc<SpatialVideo>,
    clock: FrameClock,
    rung: usize,
}

impl SvcSpatial {
    /// Creates an encoder of `video`.
    ///
    /// # Errors
    /// If a parameter is out of range, or there are more layers than priorities.
    pub fn new(
        parameters: SvcSpatialParameters,
        video: Arc<SpatialVideo>,
    ) -> Result<SvcSpatial, ParameterError> {
        parameters.validate()?;
        let most = match parameters.droppers() {
            GopDroppers::Base | GopDroppers::None => OctopusHeader::LEVELS,
            GopDroppers::AllLayers => OctopusHeader::LEVELS - 1,
        };
        ParameterError::unless(usize::from(video.layers()) <= most, "video", || {
            format!("must have at most {most} layers (the number of priorities), got {}", video.layers())
        })?;
        let clock = FrameClock::new(video.frame_rate());
        Ok(SvcSpatial { parameters, video, clock, rung: 0 })
    }

    /// Returns the highest rung that the estimate sustains with headers, or the lowest one; the next higher one if the
    /// estimate is application-limited.
    fn choose(&self, path: &PathEstimate) -> usize {
        let carried = self.carried(path);
        let is_limited = path.is_app_limited && path.backlog == 0 && path.bandwidth.is_some();
        if self.parameters.probe && is_limited {
            return carried.max((self.rung + 1).min(self.video.rungs() - 1));
        }
        carried
    }

    fn carried(&self, path: &PathEstimate) -> usize {
        let Some(estimate) = path.bandwidth.or(self.parameters.initial) else { return 0 };
        let (usable, factor) = (estimate.mul_f64(self.parameters.share), self.parameters.header_factor());
        let fits = |rung: &usize| self.video.rate(*rung).mul_f64(factor) <= usable;
        (0..self.video.rungs()).rev().find(fits).unwrap_or(0)
    }

    fn labels(&self, layer: u8, cumulative: Rate, is_first: bool) -> MessageParams {
        // The lowest layer has no bitrate threshold: it is always needed.
        let has_threshold = layer > 0 && self.parameters.thresholds;
        let bitrate =
            if has_threshold { cumulative.mul_f64(self.parameters.header_factor()) } else { Rate::ZERO };
        let bitrate_threshold = kbit(bitrate);
        let slack = self.parameters.slack(layer);
        match self.parameters.droppers() {
            GopDroppers::Base | GopDroppers::None => {
                let drop_flag = is_first && layer == 0 && self.parameters.droppers() == GopDroppers::Base;
                MessageParams { priority: layer, drop_flag, threshold: 0, bitrate_threshold, slack }
            }
            GopDroppers::AllLayers => {
                let threshold = if is_first { layer + 1 } else { 0 };
                MessageParams {
                    priority: layer + 1,
                    drop_flag: is_first,
                    threshold,
                    bitrate_threshold,
                    slack,
                }
            }
        }
    }
}

/// Rounds to kbit/s, limited to the range of the header's field.
pub(super) fn kbit(rate: Rate) -> u32 {
    let kbit = rate.as_bits().saturating_add(500) / 1000;
    kbit.min(u64::from(OctopusHeader::MAX_BITRATE)) as u32
}

impl Source for SvcSpatial {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let is_first = (frame % self.video.frames()).is_multiple_of(self.video.gop());
        if is_first {
            self.rung = self.choose(path);
        }
        for (layer, picture) in (0..).zip(self.video.picture(self.rung, frame)) {
            out.push(Outgoing {
                stream: self.parameters.stream,
                head: MessageHead { frame, layer, cell: 0, rung: self.rung as u16, captured_at: now },
                length: length_of(picture.bytes),
                params: self.labels(layer, picture.cumulative, is_first),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_registry::parameters;
    use serde_json::json;

    use super::super::testing::{frames, path, spatial};
    use super::*;

    fn source(parameters: SvcSpatialParameters) -> SvcSpatial {
        SvcSpatial::new(parameters, Arc::new(spatial())).expect("it is valid")
    }

    fn authors() -> SvcSpatialParameters {
        SvcSpatialParameters { authors: true, ..SvcSpatialParameters::default() }
    }

    /// Returns the rung in kbit/s that a group takes at an estimate.
    fn rung(parameters: SvcSpatialParameters, kbit: Option<u64>) -> u64 {
        let sent = frames(&mut source(parameters), 1, |_| path(kbit));
        spatial().rate(usize::from(sent[0].head.rung)).as_bits() / 1000
    }

    #[test]
    fn each_primitive_can_be_turned_off() {
        let labels = |change: fn(&mut SvcSpatialParameters)| {
            let mut parameters = SvcSpatialParameters::default();
            change(&mut parameters);
            let video = Arc::new(spatial());
            let mut source = SvcSpatial::new(parameters, video).expect("it is valid");
            let sent = frames(&mut source, 12, |_| path(None));
            let droppers = sent.iter().filter(|message| message.params.drop_flag).count();
            (droppers > 0, sent.iter().any(|message| message.params.bitrate_threshold > 0))
        };
        assert_eq!(labels(|_| ()), (true, true));
        assert_eq!(labels(|parameters| parameters.thresholds = false), (true, false));
        assert_eq!(labels(|parameters| parameters.droppers = Some(GopDroppers::None)), (false, true));
    }

    #[test]
    fn the_rung_is_the_highest_that_the_estimate_carries() {
        let plain = SvcSpatialParameters::default;
        let rungs = [None, Some(0), Some(1_199), Some(1_200), Some(2_049), Some(2_050), Some(9_999_999)]
            .map(|estimate| rung(plain(), estimate));
        assert_eq!(rungs, [1_200, 1_200, 1_200, 1_200, 1_200, 2_050, 3_000]);
        let initial = || SvcSpatialParameters { initial: Some(Rate::from_kbit(2_500)), ..plain() };
        assert_eq!((rung(initial(), None), rung(initial(), Some(1_500))), (2_050, 1_200));
        let half = || SvcSpatialParameters { share: 0.5, ..plain() };
        assert_eq!((rung(half(), Some(4_099)), rung(half(), Some(4_100))), (1_200, 2_050));
    }

    #[test]
    fn an_application_limited_estimate_is_probed_by_one_rung_per_group() {
        let limited = |frame| PathEstimate { is_app_limited: frame < 25, ..path(Some(1_300)) };
        let rungs = |parameters| -> Vec<u16> {
            let sent = frames(&mut source(parameters), 40, limited);
            sent.iter().step_by(30).map(|message| message.head.rung).collect()
        };
        assert_eq!(rungs(SvcSpatialParameters::default()), [1, 2, 2, 0]);
        assert_eq!(rungs(SvcSpatialParameters { probe: false, ..SvcSpatialParameters::default() }), [0; 4]);
    }

    #[test]
    fn the_rung_changes_with_a_group_of_pictures_only() {
        let sent = frames(&mut source(SvcSpatialParameters::default()), 30, |frame| {
            path(Some(if frame == 0 || frame > 12 { 1_500 } else { 3_500 }))
        });
        let rungs: Vec<_> = sent.iter().step_by(3).map(|m| m.head.rung).collect();
        assert_eq!(rungs, [[0; 10], [2; 10], [0; 10]].concat());
    }

    #[test]
    fn each_frame_has_one_message_per_layer_of_the_traces_size() {
        let video = spatial();
        let sent = frames(&mut source(SvcSpatialParameters::default()), 25, |_| path(Some(2_100)));
        assert_eq!(sent.len(), 75);
        for (index, message) in sent.iter().enumerate() {
            let (frame, layer) = ((index / 3) as u32, (index % 3) as u8);
            assert_eq!((message.head.frame, message.head.layer, message.head.rung), (frame, layer, 1));
            assert_eq!(message.length, video.layer(1, frame, layer).bytes);
        }
    }

    #[test]
    fn bitrate_thresholds_are_the_rungs_real_cumulative_rates() {
        let of = |parameters, kbit| -> Vec<u32> {
            let sent = frames(&mut source(parameters), 2, |_| path(Some(kbit)));
            sent.iter().skip(3).map(|m| m.params.bitrate_threshold).collect()
        };
        assert_eq!(of(SvcSpatialParameters::default(), 1_200), [0, 700, 1_200]);
        assert_eq!(of(SvcSpatialParameters::default(), 2_050), [0, 1_050, 2_050]);
        assert_eq!(of(authors(), 1_300), [0, 750, 1_286], "times 15/14");
    }

    #[test]
    fn the_first_lowest_layer_of_a_group_makes_all_older_messages_obsolete() {
        let sent = frames(&mut source(SvcSpatialParameters::default()), 21, |_| path(None));
        for message in &sent {
            let is_dropper = message.head.frame % 10 == 0 && message.head.layer == 0;
            assert_eq!(message.params.drop_flag, is_dropper, "{message:?}");
            assert_eq!(message.params.threshold, 0);
            assert_eq!(message.params.priority, message.head.layer);
            assert_eq!(message.params.slack, 0);
        }
    }

    #[test]
    fn the_authors_choices_together() {
        let sent = frames(&mut source(authors()), 11, |_| path(None));
        for message in &sent {
            let (layer, is_first) = (message.head.layer, message.head.frame % 10 == 0);
            assert_eq!(message.params.drop_flag, is_first);
            assert_eq!(message.params.threshold, if is_first { layer + 1 } else { 0 });
            assert_eq!(message.params.priority, layer + 1);
            assert_eq!(message.params.slack, [300, 200, 100][usize::from(layer)]);
        }
        assert_eq!(rung(authors(), Some(2_196)), 1_200);
        assert_eq!(rung(authors(), Some(2_197)), 2_050, "2,050 × 15/14 is 2,196.4");
    }

    #[test]
    fn explicit_values_override_the_authors_choices() {
        let table = json!({"authors": true, "slack": ["50 ms"], "droppers": "base", "header_factor": 1});
        let written: SvcSpatialParameters = parameters(&table).expect("it is valid");
        let sent = frames(&mut source(written), 1, |_| path(None));
        let labels: Vec<_> = sent.iter().map(|m| (m.params.priority, m.params.slack)).collect();
        assert_eq!(labels, [(0, 50), (1, 50), (2, 50)]);
        assert_eq!(sent[2].params.bitrate_threshold, 1_200);
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let refusal = |table| {
            let read: SvcSpatialParameters = parameters(&table).expect("its types are right");
            read.validate().expect_err("it is out of range").to_string()
        };
        assert!(
            refusal(json!({"slack": ["1 ms", "512 ms"]}))
                .starts_with("slack.1: must be whole milliseconds in [0, 511] ms, got 512 ms")
        );
        assert!(refusal(json!({"slack": ["100 us"]})).starts_with("slack.0: "));
        assert!(refusal(json!({"share": 0})).starts_with("share: "));
        assert!(refusal(json!({"header_factor": -1})).starts_with("header_factor: "));
    }
}
