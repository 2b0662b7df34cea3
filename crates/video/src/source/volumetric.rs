//! Volumetric SVC (case 3 of Chen, Tahir, Mittal): cells of space in density layers, one message per layer of a cell.
//!
//! The sender sends all parts of a frame, most important ones first. Messages are dropped by newer messages alone (§6.3):
//! the first message of a frame, the lowest layer of the cell in front, makes older messages obsolete, in successive
//! frames those of priority >= 3, >= 2, >= 1, and in each fourth frame all of them. Occluded cells and high layers have
//! the highest priority numbers.
//!
//! Options let the sender adapt to the transport's estimate, as the authors' client does, and set bitrate thresholds.

use std::sync::Arc;

use jettison_core::{Rate, Time};
use jettison_messages::MessageParams;
use jettison_registry::style::{Line::Solid, SKY};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use jettison_wire::OctopusHeader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind, needs};
use super::importance::{Class, Order, classes};
use super::svc_spatial::kbit;
use super::{check_positive, length_of};
use crate::content::VolumetricVideo;
use crate::{MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("svc-volumetric", "volumetric SVC", build)
        .style(SKY, Solid)
        .summary("point clouds in cells and layers of density that the queue may drop")
        .source("Chen, Tahir, Mittal 2022, case 3")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::layered(&[VideoKind::Volumetric]))
}

fn build(parameters: SvcVolumetricParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    match video {
        Video::Volumetric(video) => Ok(Box::new(SvcVolumetric::new(parameters, Arc::clone(video))?)),
        _ => Err(needs(&[VideoKind::Volumetric])),
    }
}

/// Parts of a frame that the sender sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sent {
    /// All of them (§6.3 of the paper).
    #[default]
    All,
    /// The classes that the estimate sustains, and one more while the application limits the transport (the authors'
    /// client, which asks for ten such samples).
    Estimate,
    /// The classes that the estimate sustains, and one more.
    BeyondEstimate,
}

/// Parameters of `svc-volumetric`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SvcVolumetricParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Order of dropping when bandwidth is insufficient: `occluded-first` or `layers-first`.
    pub order: Order,
    /// Thresholds of the droppers of successive frames, each 0 to 7.
    pub cycle: Vec<u8>,
    /// Classes of importance that are sent: `all` (the paper), `estimate` (the authors' client) or `beyond-estimate`. The
    /// most important class always is.
    pub send: Sent,
    /// Whether messages have bitrate thresholds: the bitrate of the classes up to theirs, none for the most important
    /// class. Not in the paper.
    pub thresholds: bool,
    /// Ratio of bytes with headers to bytes without: rates and thresholds are multiplied by it.
    pub header_factor: f64,
}

impl Default for SvcVolumetricParameters {
    fn default() -> SvcVolumetricParameters {
        SvcVolumetricParameters {
            stream: 0,
            order: Order::OccludedFirst,
            cycle: vec![3, 2, 1, 0],
            send: Sent::All,
            thresholds: false,
            header_factor: 1.0,
        }
    }
}

impl SvcVolumetricParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_positive("header_factor", self.header_factor)?;
        let is_threshold = |threshold: &u8| usize::from(*threshold) < OctopusHeader::LEVELS;
        ParameterError::unless(!self.cycle.is_empty() && self.cycle.iter().all(is_threshold), "cycle", || {
            format!("must be thresholds in [0, 7] such as [3, 2, 1, 0], got {:?}", self.cycle)
        })
    }
}

/// The volumetric SVC encoder: sends each frame in order of importance.
#[derive(Debug, Clone)]
pub struct SvcVolumetric {
    parameters: SvcVolumetricParameters,
    video: Arc<VolumetricVideo>,
    clock: FrameClock,
    /// Classes with their labels, most important first.
    classes: Vec<(Class, MessageParams)>,
}

impl SvcVolumetric {
    /// Creates an encoder of `video`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: SvcVolumetricParameters,
        video: Arc<VolumetricVideo>,
    ) -> Result<SvcVolumetric, ParameterError> {
        parameters.validate()?;
        let mut classes = classes(&video, parameters.order);
        for class in &mut classes {
            class.cumulative = class.cumulative.mul_f64(parameters.header_factor);
        }
        let count = classes.len();
        let label = |(rank, class): (usize, Class)| {
            // The most important class has no bitrate threshold: it is always needed.
            let bitrate_threshold =
                if rank == 0 || !parameters.thresholds { 0 } else { kbit(class.cumulative) };
            let params = MessageParams {
                priority: priority(rank, count),
                bitrate_threshold,
                ..MessageParams::default()
            };
            (class, params)
        };
        let classes = classes.into_iter().enumerate().map(label).collect();
        let clock = FrameClock::new(video.frame_rate());
        Ok(SvcVolumetric { parameters, video, clock, classes })
    }

    /// Returns the number of classes to send, at least one.
    fn choose(&self, path: &PathEstimate) -> usize {
        let is_carried = |rate: Rate| path.bandwidth.is_none_or(|estimate| rate <= estimate);
        let carried = || self.classes.iter().take_while(|(class, _)| is_carried(class.cumulative)).count();
        let sent = match self.parameters.send {
            Sent::All => self.classes.len(),
            Sent::Estimate => carried().max(1) + usize::from(path.is_app_limited),
            Sent::BeyondEstimate => carried() + 1,
        };
        sent.min(self.classes.len())
    }
}

/// Returns the priority of the class with a rank: the rank itself, or scaled to eight priorities if there are more
/// classes.
fn priority(rank: usize, count: usize) -> u8 {
    let scaled = if count > OctopusHeader::LEVELS { rank * OctopusHeader::LEVELS / count } else { rank };
    scaled as u8
}

impl Source for SvcVolumetric {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let sent = self.choose(path);
        let first = out.len();
        for (class, params) in &self.classes[..sent] {
            for cell in class.from..class.to {
                out.push(Outgoing {
                    stream: self.parameters.stream,
                    head: MessageHead {
                        frame,
                        layer: class.layer,
                        cell,
                        rung: sent as u16,
                        captured_at: now,
                    },
                    length: length_of(self.video.part(frame, class.layer, cell).bytes),
                    params: *params,
                });
            }
        }
        // Only the first message of a frame: a later one with threshold 0 would make its own frame obsolete.
        let dropper = &mut out[first].params;
        dropper.drop_flag = true;
        dropper.threshold = self.parameters.cycle[frame as usize % self.parameters.cycle.len()];
    }
}

#[cfg(test)]
mod tests {
    use jettison_registry::parameters;
    use serde_json::json;

    use super::super::testing::{frames, path, volumetric};
    use super::*;

    fn source(change: impl FnOnce(&mut SvcVolumetricParameters)) -> SvcVolumetric {
        let mut parameters = SvcVolumetricParameters::default();
        change(&mut parameters);
        SvcVolumetric::new(parameters, Arc::new(volumetric(5, 4, 2))).expect("it is valid")
    }

    #[test]
    fn droppers_are_the_first_layer_of_the_front_cell_and_their_thresholds_cycle() {
        let sent = frames(&mut source(|_| ()), 6, |_| path(None));
        let droppers: Vec<_> = sent.iter().filter(|m| m.params.drop_flag).collect();
        assert!(droppers.iter().all(|m| (m.head.layer, m.head.cell) == (0, 0)));
        assert_eq!(droppers.iter().map(|m| m.params.threshold).collect::<Vec<_>>(), [3, 2, 1, 0, 3, 2]);
        assert!(sent.iter().all(|m| m.params.drop_flag || m.params.threshold == 0));
    }

    #[test]
    fn no_dropper_makes_a_message_of_its_own_frame_obsolete() {
        for order in [Order::OccludedFirst, Order::LayersFirst] {
            let mut source = source(|parameters| parameters.order = order);
            let sent = frames(&mut source, 8, |_| path(None));
            for frame in sent.chunk_by(|a, b| a.head.frame == b.head.frame) {
                assert!(frame[1..].iter().all(|message| !message.params.drop_flag));
            }
        }
    }

    #[test]
    fn occluded_cells_and_high_layers_have_the_highest_priorities_and_thresholds() {
        let sent = frames(&mut source(|parameters| parameters.thresholds = true), 1, |_| path(None));
        assert_eq!(sent.len(), 20);
        let labels = |layer, cell| {
            let message = sent.iter().find(|m| (m.head.layer, m.head.cell) == (layer, cell));
            let params = message.expect("all are sent").params;
            (params.priority, params.bitrate_threshold)
        };
        // Ten classes on eight priorities.
        let front: Vec<_> = (0..5).map(|layer| labels(layer, 0).0).collect();
        let occluded: Vec<_> = (0..5).map(|layer| labels(layer, 3).0).collect();
        assert_eq!((front, occluded), (vec![0, 0, 1, 2, 3], vec![4, 4, 5, 6, 7]));
        for layer in 0..5 {
            assert_eq!(labels(layer, 0), labels(layer, 1));
            assert_eq!(labels(layer, 2), labels(layer, 3));
            assert!(labels(layer, 0) < labels(layer, 2));
        }
        assert_eq!(labels(0, 0).1, 0, "never too much");
        let thresholds: Vec<_> = sent.iter().map(|m| m.params.bitrate_threshold).collect();
        assert!(thresholds.is_sorted());
        let video = volumetric(5, 4, 2);
        let whole = video.part(0, 4, 3).cumulative.as_bits() / 1000;
        assert!(thresholds[19].abs_diff(whole as u32) < whole as u32 / 50);
    }

    #[test]
    fn by_default_all_is_sent_and_dropped_by_message_alone() {
        let nothing = PathEstimate { bandwidth: Some(Rate::ZERO), ..path(None) };
        let sent = frames(&mut source(|_| ()), 4, |_| nothing);
        assert_eq!(sent.len(), 80);
        assert!(sent.iter().all(|message| message.params.bitrate_threshold == 0));
    }

    #[test]
    fn it_may_adapt_to_the_estimate() {
        let classes = classes(&volumetric(5, 4, 2), Order::OccludedFirst);
        let count = |send, is_app_limited, rate: Rate| {
            let estimate = PathEstimate { bandwidth: Some(rate), is_app_limited, ..path(None) };
            frames(&mut source(|parameters| parameters.send = send), 1, |_| estimate).len()
        };
        for is_app_limited in [false, true] {
            let count = |rate| count(Sent::BeyondEstimate, is_app_limited, rate);
            assert_eq!(count(Rate::ZERO), 2);
            assert_eq!(count(classes[2].cumulative), 8, "three classes, and one more");
            assert_eq!(count(Rate::from_mbit(10_000)), 20);
        }
        assert_eq!(count(Sent::Estimate, false, Rate::ZERO), 2, "the most important class at least");
        assert_eq!(count(Sent::Estimate, false, classes[2].cumulative), 6);
        assert_eq!(count(Sent::Estimate, true, classes[2].cumulative), 8, "one more");
        assert_eq!(count(Sent::Estimate, true, Rate::ZERO), 4);
    }

    #[test]
    fn other_shapes_work_too() {
        let video = Arc::new(volumetric(10, 2, 2));
        let mut source =
            SvcVolumetric::new(SvcVolumetricParameters::default(), Arc::clone(&video)).expect("it is valid");
        let sent = frames(&mut source, 3, |_| path(None));
        assert_eq!(sent.len(), 60);
        for message in &sent {
            assert_eq!(
                message.length,
                video.part(message.head.frame, message.head.layer, message.head.cell).bytes
            );
        }
        let priorities: Vec<_> = sent[..20].iter().step_by(2).map(|m| m.params.priority).collect();
        assert_eq!(priorities, [0, 0, 1, 2, 3, 4, 4, 5, 6, 7]);
        let mut source =
            SvcVolumetric::new(SvcVolumetricParameters::default(), Arc::new(volumetric(3, 1, 1)))
                .expect("it is valid");
        let priorities: Vec<_> =
            frames(&mut source, 1, |_| path(None)).iter().map(|m| m.params.priority).collect();
        assert_eq!(priorities, [0, 1, 2]);
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let refusal = |table| {
            let read: SvcVolumetricParameters = parameters(&table).expect("its types are right");
            read.validate().expect_err("it is out of range").to_string()
        };
        assert!(refusal(json!({"cycle": []})).starts_with("cycle: "));
        assert!(refusal(json!({"cycle": [3, 8]})).starts_with("cycle: "));
        assert!(refusal(json!({"header_factor": 0})).starts_with("header_factor: "));
    }
}
