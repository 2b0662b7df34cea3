//! ViVo (Han, Liu, Qian, MobiCom 2020), as in the comparison of Chen, Tahir, Mittal: chooses the density of each
//! frame's cells by the harmonic mean of the throughput of the last 20 frames.
//!
//! One message per cell, at one density, from a codec without layers. Cells in front get as much as the throughput
//! sustains first; occluded cells are visible only through gaps, and get a low density until the cells in front have
//! the highest.

use std::sync::Arc;

use jettison_core::{Rate, Time};
use jettison_messages::MessageParams;
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::PathEstimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::FrameClock;
use super::entry::{Encoder, Encodes, Video, VideoKind, needs};
use super::frame_meter::FrameMeter;
use super::{check_positive, length_of};
use crate::content::VolumetricVideo;
use crate::{Fate, MessageHead, Outgoing, Source};

/// Its entry in the list of encoders.
pub(super) fn entry() -> Entry<Encoder> {
    Entry::<Encoder>::new("vivo", "ViVo", build)
        .style(VERMILION, Solid)
        .summary("ViVo: the density of each cell by the throughput of the last 20 frames")
        .source("Han, Liu, Qian 2020 (MobiCom)")
        .page("appendix/video-adaptation.md")
        .facts(Encodes::whole(&[VideoKind::Volumetric]))
}

fn build(parameters: VivoParameters, video: &Video) -> Result<Box<dyn Source>, ParameterError> {
    match video {
        Video::Volumetric(video) => Ok(Box::new(Vivo::new(parameters, Arc::clone(video))?)),
        _ => Err(needs(&[VideoKind::Volumetric])),
    }
}

/// Parameters of `vivo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VivoParameters {
    /// Number of the stream.
    pub stream: u16,
    /// Number of frames over which throughput is averaged, 1 to 1000.
    pub frames: usize,
    /// Throughput before the first frame is delivered; unset: the transport's estimate, or the lowest density without
    /// one.
    pub initial: Option<Rate>,
    /// Share of the throughput that a frame may use, > 0.
    pub share: f64,
    /// Density layers of occluded cells before cells in front have all of theirs; 0 for none.
    pub occluded_layers: u8,
}

impl Default for VivoParameters {
    fn default() -> VivoParameters {
        VivoParameters { stream: 0, frames: 20, initial: None, share: 1.0, occluded_layers: 1 }
    }
}

impl VivoParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check_positive("share", self.share)?;
        ParameterError::unless((1..=1000).contains(&self.frames), "frames", || {
            format!("must be in [1, 1000], got {}", self.frames)
        })
    }
}

/// Density layers of the cells in front, and of occluded ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Density {
    front: u8,
    occluded: u8,
}

/// The ViVo encoder: chooses densities by the throughput of previous frames.
#[derive(Debug, Clone)]
pub struct Vivo {
    parameters: VivoParameters,
    video: Arc<VolumetricVideo>,
    clock: FrameClock,
    /// Possible densities, lowest first.
    densities: Vec<Density>,
    meter: FrameMeter,
}

impl Vivo {
    /// Creates an encoder of `video`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: VivoParameters, video: Arc<VolumetricVideo>) -> Result<Vivo, ParameterError> {
        parameters.validate()?;
        let (layers, least) = (video.layers(), parameters.occluded_layers.min(video.layers()));
        let in_front = (1..=layers).map(|front| Density { front, occluded: least.min(front) });
        let occluded = (least + 1..=layers).map(|occluded| Density { front: layers, occluded });
        let has_occluded = video.front_cells() < video.cells();
        let densities = in_front.chain(occluded.filter(|_| has_occluded)).collect();
        let clock = FrameClock::new(video.frame_rate());
        let meter = FrameMeter::new(parameters.frames);
        Ok(Vivo { parameters, video, clock, densities, meter })
    }

    /// Returns the highest densities at which a frame fits into one frame interval of the throughput, or the lowest
    /// ones.
    fn choose(&self, frame: u32, path: &PathEstimate) -> Density {
        let known = self.meter.harmonic_mean().or(self.parameters.initial).or(path.bandwidth);
        let throughput = known.unwrap_or(Rate::ZERO).mul_f64(self.parameters.share);
        let room = throughput.bytes_in(self.video.frame_rate().interval()).get();
        let fits = |density: &&Density| self.frame_bytes(frame, **density) <= room;
        *self.densities.iter().rev().find(fits).unwrap_or(&self.densities[0])
    }

    fn frame_bytes(&self, frame: u32, density: Density) -> u64 {
        (0..self.video.cells()).filter_map(|cell| self.cell_bytes(frame, cell, density)).map(u64::from).sum()
    }

    /// Returns the size of a cell's message; `None` if the cell gets no points.
    fn cell_bytes(&self, frame: u32, cell: u8, density: Density) -> Option<u32> {
        let layers = self.layers(cell, density);
        (layers > 0).then(|| length_of(self.video.single_layer_bytes(frame, cell, layers)))
    }

    fn layers(&self, cell: u8, density: Density) -> u8 {
        if cell < self.video.front_cells() { density.front } else { density.occluded }
    }
}

impl Source for Vivo {
    fn next_frame(&self) -> Option<Time> {
        self.clock.next()
    }

    fn start(&mut self, now: Time) {
        self.clock.start(now);
    }

    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>) {
        let frame = self.clock.tick();
        let density = self.choose(frame, path);
        let first = out.len();
        for cell in 0..self.video.cells() {
            let Some(length) = self.cell_bytes(frame, cell, density) else { continue };
            let layer = self.layers(cell, density) - 1;
            let rung = u16::from(density.front);
            let head = MessageHead { frame, layer, cell, rung, captured_at: now };
            let params = MessageParams::default();
            out.push(Outgoing { stream: self.parameters.stream, head, length, params });
        }
        self.meter.sent(frame, out.len() - first, now, path.min_rtt);
    }

    fn handle_fate(&mut self, head: &MessageHead, fate: Fate, now: Time) {
        let arrived = match fate {
            Fate::Acknowledged => self.video.single_layer_bytes(head.frame, head.cell, head.layer + 1),
            Fate::Dropped(_) | Fate::Refused | Fate::Lost => 0,
        };
        self.meter.settle(head.frame, u64::from(arrived), now);
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::{Bytes, Duration};
    use jettison_registry::parameters;
    use serde_json::json;

    use super::super::testing::{frames, path, volumetric};
    use super::*;

    fn source(change: impl FnOnce(&mut VivoParameters)) -> Vivo {
        let mut parameters = VivoParameters::default();
        change(&mut parameters);
        Vivo::new(parameters, Arc::new(volumetric(5, 4, 2))).expect("it is valid")
    }

    /// Returns the density layers of cells 0 and 3 in the first frame, at an estimate.
    fn density(source: &mut Vivo, estimate: Rate) -> (u8, u8) {
        let sent = frames(source, 1, |_| PathEstimate { bandwidth: Some(estimate), ..path(None) });
        let layers = |cell| sent.iter().find(|m| m.head.cell == cell).map_or(0, |m| m.head.layer + 1);
        assert_eq!((layers(0), layers(2)), (layers(1), layers(3)));
        (layers(0), layers(3))
    }

    /// Returns the rate that sends exactly one such frame per frame interval.
    fn rate_of(source: &Vivo, front: u8, occluded: u8) -> Rate {
        Rate::from_bits(source.frame_bytes(0, Density { front, occluded }) * 8 * 20)
    }

    #[test]
    fn occluded_cells_get_less_density_first() {
        let of = |front, occluded| {
            let mut source = source(|_| ());
            let rate = rate_of(&source, front, occluded);
            let less = Rate::from_bits(rate.as_bits() - 160);
            let below = density(
                &mut Vivo::new(source.parameters.clone(), source.video.clone()).expect("valid"),
                less,
            );
            (density(&mut source, rate), below)
        };
        assert_eq!(of(5, 5), ((5, 5), (5, 4)));
        assert_eq!(of(5, 2), ((5, 2), (5, 1)));
        assert_eq!(of(5, 1), ((5, 1), (4, 1)));
        assert_eq!(of(2, 1), ((2, 1), (1, 1)));
        assert_eq!(of(1, 1), ((1, 1), (1, 1)), "the least there is");
    }

    #[test]
    fn occluded_cells_may_get_nothing() {
        let mut none = source(|p| p.occluded_layers = 0);
        let rate = rate_of(&none, 5, 0);
        assert_eq!(density(&mut none, rate), (5, 0));
        let mut two = source(|p| p.occluded_layers = 2);
        assert_eq!(density(&mut two, Rate::ZERO), (1, 1), "never more than those in front");
    }

    #[test]
    fn its_sizes_are_those_of_a_codec_without_layers() {
        let video = volumetric(5, 4, 2);
        let sent = frames(&mut source(|_| ()), 1, |_| path(Some(10_000_000)));
        assert_eq!(sent.len(), 4, "one message a cell");
        for message in &sent {
            let layers = (0..5).map(|layer| video.part(0, layer, message.head.cell).bytes).sum::<u32>();
            let expected = f64::from(layers) / 1.11;
            assert!((f64::from(message.length) - expected).abs() <= 0.5);
            assert_eq!(message.params, MessageParams::default());
        }
    }

    #[test]
    fn the_last_frames_throughput_decides_not_the_estimate() {
        let mut source = source(|_| ());
        source.start(Time::ZERO);
        let path = PathEstimate { min_rtt: Some(Duration::from_millis(20)), ..path(Some(10_000_000)) };
        // A link with a little more bandwidth than three layers in front and one of occluded cells need.
        let link = rate_of(&source, 3, 1).mul_f64(1.02);
        let (mut free_at, mut under_way, mut layers) =
            (Time::ZERO, Vec::<(Time, MessageHead)>::new(), Vec::new());
        for _ in 0..40 {
            let now = source.next_frame().expect("it has started");
            while let Some((at, head)) = under_way.first().copied().filter(|(at, _)| *at <= now) {
                under_way.remove(0);
                source.handle_fate(&head, Fate::Acknowledged, at);
            }
            let mut out = Vec::new();
            source.make_frame(now, &path, &mut out);
            layers.push((out[0].head.layer + 1, out[3].head.layer + 1));
            for message in &out {
                free_at = free_at.max(now) + link.time_for(Bytes::new(u64::from(message.length)));
                under_way.push((free_at + Duration::from_millis(20), message.head));
            }
        }
        assert_eq!(layers[0], (5, 5), "nothing but the estimate is known");
        assert_eq!(layers[20..], [(3, 1); 20]);
        let mean = source.meter.harmonic_mean().expect("20 frames").as_bits() as f64;
        assert!((mean / link.as_bits() as f64 - 1.0).abs() < 0.001, "{mean} on {link}");
    }

    #[test]
    fn without_occluded_cells_there_is_one_density() {
        let mut source =
            Vivo::new(VivoParameters::default(), Arc::new(volumetric(10, 2, 2))).expect("it is valid");
        assert_eq!(source.densities.len(), 10);
        assert_eq!(frames(&mut source, 1, |_| path(Some(10_000_000))).len(), 2);
    }

    #[test]
    fn values_out_of_range_are_named_by_their_path() {
        let refusal = |table| {
            let read: VivoParameters = parameters(&table).expect("its types are right");
            read.validate().expect_err("it is out of range").to_string()
        };
        assert!(refusal(json!({"frames": 0})).starts_with("frames: "));
        assert!(refusal(json!({"frames": 1001})).starts_with("frames: "));
        assert!(refusal(json!({"share": 0})).starts_with("share: "));
    }
}
