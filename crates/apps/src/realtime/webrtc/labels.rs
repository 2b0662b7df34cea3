//! Labels of a call's media packets, in the formats of standards, and what a sender knows of frames that a router may drop.
//!
//! The structure is that of the temporal layers in `layers.rs`. A dependency descriptor has a decode target per layer and no
//! chains, so that a key frame's first packet has room for it: 12 bytes.

use jettison_labels::LabelError;
use jettison_labels::dependency_descriptor::{Descriptor, Indication, Structure, Template};
use jettison_labels::frame_marking::{FrameMarking, Layers};
use jettison_labels::pdu_set::PduSetMarking;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layers::Mode;
use super::packet::Part;

/// The format of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// None.
    #[default]
    None,
    /// The dependency descriptor (AV1 RTP specification, appendix A), with its structure in each key frame.
    DependencyDescriptor,
    /// Video frame marking (RFC 9626 §3.1).
    FrameMarking,
    /// PDU set marking (3GPP TS 26.522 §4.2): a frame is a PDU set.
    PduSet,
}

/// What the sender does about lost packets of frames that their labels declare obsolete: routers may have dropped them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Obsolete {
    /// As with other losses: it repairs them, and they are signs of congestion. (WebRTC.)
    #[default]
    Lost,
    /// It does not repair them.
    NotRepaired,
    /// They are no signs of congestion.
    NotCounted,
    /// Both: neither repaired nor signs of congestion.
    Ignored,
}

impl Obsolete {
    pub(super) fn is_repaired(self) -> bool {
        matches!(self, Obsolete::Lost | Obsolete::NotCounted)
    }

    pub(super) fn is_counted(self) -> bool {
        matches!(self, Obsolete::Lost | Obsolete::NotRepaired)
    }
}

/// The data of a label's extension element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LabelBytes {
    bytes: [u8; LabelBytes::CAPACITY],
    length: u8,
}

impl LabelBytes {
    /// Most bytes: all that the head has room for.
    pub const CAPACITY: usize = 12;

    /// `None` if there are too many.
    pub fn new(data: &[u8]) -> Option<LabelBytes> {
        let mut bytes = [0; LabelBytes::CAPACITY];
        bytes.get_mut(..data.len())?.copy_from_slice(data);
        Some(LabelBytes { bytes, length: data.len() as u8 })
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The low bits of the frame's number in a dependency descriptor (A.8.1).
    pub fn frame(self) -> u16 {
        u16::from_be_bytes([self.bytes[1], self.bytes[2]])
    }
}

/// The sender's labels.
#[derive(Debug, Clone)]
pub(super) struct Labeller {
    format: Format,
    structure: Structure,
    /// Number of the newest base layer's frame, as TL0PICIDX counts it.
    base: u8,
    /// The newest frame that makes older ones of each layer obsolete.
    droppers: [Option<u32>; LAYERS],
}

/// Most temporal layers.
const LAYERS: usize = 3;

impl Labeller {
    pub(super) fn new(format: Format, mode: Mode) -> Labeller {
        Labeller { format, structure: structure(mode), base: 0, droppers: [None; LAYERS] }
    }

    pub(super) fn is_silent(&self) -> bool {
        self.format == Format::None
    }

    /// Takes note of a new frame of a temporal layer.
    pub(super) fn began(&mut self, frame: u32, layer: u8, is_key: bool) {
        if layer == 0 {
            self.base = self.base.wrapping_add(1);
        }
        if let Some(from) = self.obsoletes(layer, is_key) {
            self.droppers.iter_mut().skip(from.into()).for_each(|newest| *newest = Some(frame));
        }
    }

    /// The priority from which on older frames are obsolete, as the format says.
    fn obsoletes(&self, layer: u8, is_key: bool) -> Option<u8> {
        match self.format {
            // Which frames may go is up to the router alone: what the sender knows of its layers is what counts.
            Format::PduSet if !is_key => Some(layer + 1),
            _ if is_key => Some(0),
            // Frames of the base layer need none above it; those above refer to none of their own layer.
            Format::DependencyDescriptor => Some(layer.max(1)),
            Format::FrameMarking if layer > 0 => Some(layer),
            _ => None,
        }
    }

    /// Whether a newer frame has made this one obsolete, by the labels.
    pub(super) fn is_obsolete(&self, frame: u32, layer: u8) -> bool {
        let newest = self.droppers.get(usize::from(layer)).copied().flatten();
        !self.is_silent() && newest.is_some_and(|newest| frame < newest)
    }

    /// The label of a packet.
    pub(super) fn label(&self, part: Part, layer: u8) -> LabelBytes {
        let data = match self.format {
            Format::None => return LabelBytes::default(),
            Format::DependencyDescriptor => self.descriptor(part, layer),
            Format::FrameMarking => self.marking(part, layer),
            Format::PduSet => pdu_set(part, layer),
        };
        data.ok().and_then(|data| LabelBytes::new(&data)).unwrap_or_default()
    }

    fn descriptor(&self, part: Part, layer: u8) -> Result<Vec<u8>, LabelError> {
        let is_key = part.back == 0;
        let descriptor = Descriptor {
            start: part.place == 0,
            end: part.place + 1 == part.packets,
            // The first template is that of key frames.
            template: if is_key { 0 } else { 1 + layer },
            frame: part.frame as u16,
            structure: (is_key && part.place == 0).then(|| self.structure.clone()),
            // A frame that the encoder skipped has no number, so references are those of the templates.
            ..Descriptor::default()
        };
        descriptor.emit(Some(&self.structure))
    }

    fn marking(&self, part: Part, layer: u8) -> Result<Vec<u8>, LabelError> {
        // RFC 9626 §3.1: nothing refers to frames of the highest of three layers; those of the second need the base layer alone.
        let is_highest = usize::from(layer) == LAYERS - 1;
        let layers =
            Layers { base_sync: layer == 1, temporal: layer, layer: Some(0), base_picture: Some(self.base) };
        let marking = FrameMarking {
            start: part.place == 0,
            end: part.place + 1 == part.packets,
            independent: part.back == 0,
            discardable: is_highest,
            layers: Some(layers),
        };
        marking.emit()
    }
}

fn pdu_set(part: Part, layer: u8) -> Result<Vec<u8>, LabelError> {
    let marking = PduSetMarking {
        end_of_set: part.place + 1 == part.packets,
        // Temporal layers onto PSI 1, 3, 5, which readers map to priorities 0 to 2.
        importance: 2 * layer + 1,
        set: (part.frame & 0x3ff) as u16,
        // A receiver takes 0 for the first PDU.
        number: if part.place == 0 { 0 } else { part.place.clamp(1, 63) as u8 },
        ..PduSetMarking::default()
    };
    marking.emit()
}

/// Templates of key frames and of each temporal layer, with a decode target per layer.
fn structure(mode: Mode) -> Structure {
    use Indication::{Discardable as D, NotPresent as N, Switch as S};
    let template = |temporal, indications: &[Indication], back: &[u32]| Template {
        spatial: 0,
        temporal,
        indications: indications.to_vec(),
        references: back.to_vec(),
        chains: Vec::new(),
    };
    let templates = match mode {
        Mode::L1T1 => vec![template(0, &[S], &[]), template(0, &[S], &[1])],
        Mode::L1T3 => vec![
            template(0, &[S, S, S], &[]),
            template(0, &[S, S, S], &[4]),
            template(1, &[N, D, S], &[2]),
            template(2, &[N, N, D], &[1]),
        ],
    };
    let targets = templates[0].indications.len() as u8;
    Structure { templates, targets, ..Structure::default() }
}

#[cfg(test)]
mod tests {
    use jettison_labels::rtp::RtpHeader;
    use jettison_labels::{Classify, Label, RtpFormat, StreamReader};

    use super::super::layers::Layers as Pattern;
    use super::super::packet::{Head, Kind, LABEL};
    use super::*;

    const FORMATS: [(Format, RtpFormat); 3] = [
        (Format::DependencyDescriptor, RtpFormat::DependencyDescriptor),
        (Format::FrameMarking, RtpFormat::FrameMarking),
        (Format::PduSet, RtpFormat::PduSet),
    ];

    /// Labels of nine frames of two packets each, written by a sender and read as routers read them.
    fn read(format: Format, router: RtpFormat, mode: Mode) -> Vec<Label> {
        let (mut labeller, mut reader) = (Labeller::new(format, mode), StreamReader::default());
        let mut pattern = Pattern::new(mode);
        let classify = Classify { format: router, extension: LABEL, allocation: None, ports: None };
        let mut found = Vec::new();
        for frame in 70_000..70_009 {
            let (back, layer) = if frame == 70_000 {
                pattern.restart(frame);
                (0, 0)
            } else {
                let place = pattern.next(frame);
                (place.back, place.layer)
            };
            labeller.began(frame, layer, back == 0);
            for place in 0..2 {
                let part = Part { frame, back, place, packets: 2, timestamp: frame * 3000, length: 1200 };
                let label = labeller.label(part, layer);
                let head = Head {
                    kind: Kind::Media,
                    sequence: 0,
                    transport: 0,
                    sent: 0,
                    original: 0,
                    count: 0,
                    part,
                    label,
                };
                let bytes = head.emit();
                assert_eq!(Head::parse(bytes.as_slice(), 1200), Some(head), "the receiver reads it");
                let (header, _) = RtpHeader::parse(bytes.as_slice()).expect("it is RTP");
                found.push(reader.rtp(&header, &classify).expect("it is labelled").expect("it can be read"));
            }
        }
        found
    }

    #[test]
    fn routers_read_position_layer_and_number() {
        for (format, router) in FORMATS {
            let labels = read(format, router, Mode::L1T3);
            let heads: Vec<&Label> = labels.iter().filter(|label| label.start).collect();
            let priorities: Vec<_> = heads.iter().filter_map(|label| label.priority).collect();
            assert_eq!(priorities, [0, 2, 1, 2, 0, 2, 1, 2, 0], "{format:?}");
            assert!(heads.windows(2).all(|pair| pair[1].number == pair[0].number + 1), "{format:?}");
            assert!(labels.chunks(2).all(|frame| frame[0].start && !frame[0].end && frame[1].end));
        }
    }

    #[test]
    fn what_is_obsolete_is_what_routers_read() {
        for (format, router) in [FORMATS[0], FORMATS[1]] {
            let labels = read(format, router, Mode::L1T3);
            let labeller = Labeller::new(format, Mode::L1T3);
            for (frame, label) in labels.iter().step_by(2).enumerate() {
                let layer = label.priority.expect("each has one");
                assert_eq!(label.obsoletes, labeller.obsoletes(layer, frame == 0), "{format:?} {frame}");
            }
        }
        let of_layers = read(Format::DependencyDescriptor, RtpFormat::DependencyDescriptor, Mode::L1T3);
        let found: Vec<_> = of_layers.iter().step_by(2).map(|label| label.obsoletes).collect();
        assert_eq!(found[..5], [Some(0), Some(2), Some(1), Some(2), Some(1)]);
    }

    #[test]
    fn a_structure_of_either_mode_fits_a_key_frames_first_packet() {
        for mode in [Mode::L1T1, Mode::L1T3] {
            let labels = read(Format::DependencyDescriptor, RtpFormat::DependencyDescriptor, mode);
            assert_eq!(labels.len(), 18);
        }
    }

    #[test]
    fn frames_are_obsolete_once_a_dropper_follows() {
        let mut labeller = Labeller::new(Format::DependencyDescriptor, Mode::L1T3);
        for (frame, layer) in [(0, 0), (1, 2), (2, 1), (3, 2)] {
            labeller.began(frame, layer, frame == 0);
        }
        let obsolete =
            |labeller: &Labeller| [(0, 0), (1, 2), (2, 1), (3, 2)].map(|(f, l)| labeller.is_obsolete(f, l));
        assert_eq!(obsolete(&labeller), [false, true, false, false]);
        labeller.began(4, 0, false);
        assert_eq!(obsolete(&labeller), [false, true, true, true]);
        labeller.began(5, 0, true);
        assert_eq!(obsolete(&labeller), [true; 4]);
        let silent = Labeller { format: Format::None, ..labeller };
        assert_eq!(obsolete(&silent), [false; 4]);
    }
}
