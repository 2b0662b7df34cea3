//! What a standard carries of an Octopus label: a simulated sender writes its label in the standard's format, and the bytes are
//! read as a router reads them.
//!
//! The sender knows of a message what its Octopus label says, no more: position, number, priority, and from a dropper's threshold what
//! it and later messages do without (`Needs`). Bitrate thresholds reach only a video layers allocation, slack only MoQ's timeout.

use jettison_wire::{MessageNumber, OctopusHeader};

use crate::LabelError;
use crate::classify::{Classify, Labels, RtpFormat};
use crate::dependency_descriptor::{Descriptor, Indication, Structure, Template};
use crate::frame_marking::{FrameMarking, Layers};
use crate::layers_allocation::{AllocatedStream, LayersAllocation, SpatialLayer};
use crate::moq::{ObjectHeader, Properties, SubgroupHeader, SubgroupId};
use crate::pdu_set::PduSetMarking;
use crate::read::{Label, StreamReader};
use crate::rtp::{Element, RtpHeader};

/// Extension elements: identifiers with their data.
type Elements = Vec<(u8, Vec<u8>)>;

/// Identifiers of the sender's extensions.
const EXTENSION: u8 = 1;
const ALLOCATION: u8 = 2;
/// Clock of video (RFC 3551 §5) over 30 messages a second: the timestamp tells messages apart, no more.
const TICKS: u32 = 3000;
/// Temporal layers of a spatial one: priorities 0 to 3 are those of the first spatial layer, 4 to 7 of the second.
const TEMPORAL: u8 = 4;

/// What a dropper and later messages need of older ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing: it makes all older messages obsolete.
    Nothing,
    /// More important ones: it makes those of its own priority obsolete.
    Above,
    /// More important ones and those of its priority.
    Own,
    /// Possibly all: it is no dropper, or of a threshold that formats cannot say.
    All,
}

/// A sender of one stream.
#[derive(Debug, Clone, Default)]
pub struct Reducer {
    /// The structure, once it was sent.
    structure: Option<Structure>,
    /// Bitrate thresholds seen so far of each priority, in kbit/s.
    kbits: [u32; OctopusHeader::LEVELS],
    /// RTP sequence number.
    sequence: u16,
    /// The highest priority (lowest number) so far.
    highest: Option<u8>,
    /// The message of the previous packet, and the packets of it so far.
    message: Option<(MessageNumber, u8)>,
    /// MoQ's group: the independent messages so far; and the next object of the group.
    group: u64,
    object: u64,
}

impl Reducer {
    /// Writes the label of the stream's next packet in a standard's format, and reads it with `reader`.
    ///
    /// # Errors
    /// If the label cannot be written or read.
    pub fn reduce(
        &mut self,
        labels: Labels,
        own: &OctopusHeader,
        reader: &mut StreamReader,
    ) -> Result<Label, LabelError> {
        if labels == Labels::Moq {
            self.note(own);
            return self.moq(own, reader);
        }
        let (header, elements) = self.packet(labels, own)?;
        let elements: Vec<_> = elements.iter().map(|(id, data)| Element { id: *id, data }).collect();
        let bytes = header.emit(&elements)?;
        let (header, _) = RtpHeader::parse(&bytes)?;
        let format = match labels {
            Labels::FrameMarking => RtpFormat::FrameMarking,
            Labels::PduSet => RtpFormat::PduSet,
            _ => RtpFormat::DependencyDescriptor,
        };
        let classify = Classify { format, extension: EXTENSION, allocation: Some(ALLOCATION), ports: None };
        reader.rtp(&header, &classify).unwrap_or(Err(LabelError::Truncated("header extension")))
    }

    /// The RTP header of the stream's next packet, and its extensions' identifiers and data.
    ///
    /// # Errors
    /// If the label cannot be written.
    pub(crate) fn packet(
        &mut self,
        labels: Labels,
        own: &OctopusHeader,
    ) -> Result<(RtpHeader<'static>, Elements), LabelError> {
        self.note(own);
        let data = match labels {
            Labels::FrameMarking => self.marking(own).emit()?,
            Labels::PduSet => self.pdu_set(own).emit()?,
            _ => self.descriptor(own)?,
        };
        let mut elements = vec![(EXTENSION, data)];
        if labels == Labels::DependencyDescriptorAllocation && own.position.is_head() {
            elements.push((ALLOCATION, self.allocation().emit()?));
        }
        let header = RtpHeader {
            marker: own.position.is_tail(),
            payload_type: 96,
            sequence: self.sequence,
            timestamp: own.message.get().wrapping_mul(TICKS),
            ssrc: u32::from(own.stream),
            ..RtpHeader::default()
        };
        Ok((header, elements))
    }

    /// Keeps count of packets, messages and groups.
    fn note(&mut self, own: &OctopusHeader) {
        self.sequence = self.sequence.wrapping_add(1);
        if let Some(kbit) = self.kbits.get_mut(usize::from(own.priority)) {
            *kbit = own.bitrate_threshold;
        }
        self.highest = Some(self.highest.map_or(own.priority, |highest| highest.min(own.priority)));
        let needs_nothing = self.needs(own) == Needs::Nothing;
        match &mut self.message {
            Some((message, packets)) if *message == own.message => *packets = packets.wrapping_add(1),
            message => {
                // A repair of an older message begins no group.
                let is_newer = message.is_none_or(|(last, _)| last.is_before(own.message));
                *message = Some((own.message, 0));
                if needs_nothing && is_newer {
                    (self.group, self.object) = (self.group + 1, 0);
                } else {
                    self.object += 1;
                }
            }
        }
    }

    /// The structure goes with the stream's first packet and with the head of each independent message.
    fn descriptor(&mut self, own: &OctopusHeader) -> Result<Vec<u8>, LabelError> {
        let needs = self.needs(own);
        let attach = self.structure.is_none() || needs == Needs::Nothing && own.position.is_head();
        let structure = attach.then(structure);
        let descriptor = Descriptor {
            start: own.position.is_head(),
            end: own.position.is_tail(),
            template: 4 * own.priority.min(7) + needs as u8,
            frame: own.message.get() as u16,
            structure: structure.clone(),
            ..Descriptor::default()
        };
        let bytes = descriptor.emit(self.structure.as_ref())?;
        self.structure = structure.or(self.structure.take());
        Ok(bytes)
    }

    fn needs(&self, own: &OctopusHeader) -> Needs {
        match own.threshold {
            _ if !own.drop_flag => Needs::All,
            threshold if self.highest.is_some_and(|highest| threshold <= highest) => Needs::Nothing,
            threshold if threshold <= own.priority => Needs::Above,
            threshold if threshold == own.priority + 1 => Needs::Own,
            _ => Needs::All,
        }
    }

    fn marking(&self, own: &OctopusHeader) -> FrameMarking {
        let needs = self.needs(own);
        let temporal = own.priority.min(7);
        // RFC 9626 §3.1: B is 0 in the base temporal layer.
        let base_sync = needs == Needs::Above && temporal > 0;
        let layers = Layers { base_sync, temporal, layer: Some(0), base_picture: None };
        FrameMarking {
            start: own.position.is_head(),
            end: own.position.is_tail(),
            independent: needs == Needs::Nothing,
            discardable: false,
            layers: Some(layers),
        }
    }

    fn pdu_set(&self, own: &OctopusHeader) -> PduSetMarking {
        let number = self.message.map_or(0, |(_, packets)| packets);
        PduSetMarking {
            end_of_set: own.position.is_tail(),
            // Priorities 0 to 7 onto PSI 1 to 15.
            importance: 2 * own.priority.min(7) + 1,
            set: (own.message.get() & 0x3ff) as u16,
            // A receiver takes 0 for the first PDU, so a set of more than 64 leaves it out when it wraps.
            number: if own.position.is_head() { 0 } else { number.clamp(1, 63) },
            ..PduSetMarking::default()
        }
    }

    fn allocation(&self) -> LayersAllocation {
        let layers = self.kbits.as_chunks::<{ TEMPORAL as usize }>().0;
        let layer = |(id, kbits): (u8, &[u32; TEMPORAL as usize])| SpatialLayer {
            id,
            kbits: kbits.iter().map(|kbit| u64::from(*kbit)).collect(),
            picture: None,
        };
        LayersAllocation {
            stream: 0,
            streams: vec![AllocatedStream { layers: (0..).zip(layers).map(layer).collect() }],
        }
    }

    fn moq(&self, own: &OctopusHeader, reader: &mut StreamReader) -> Result<Label, LabelError> {
        let timeout = (own.slack > 0).then_some(u64::from(own.slack));
        let subgroup = SubgroupHeader {
            has_properties: timeout.is_some(),
            track: u64::from(own.stream),
            group: self.group,
            subgroup: SubgroupId::Number(u64::from(own.priority)),
            priority: Some(own.priority.min(7) << 5),
            ..SubgroupHeader::default()
        };
        let properties = Properties { object_timeout: timeout, subgroup_timeout: None };
        let object = ObjectHeader { object: self.object, properties, payload: 1, status: None };
        let (head, bytes) = (subgroup.emit(), object.emit(&subgroup, None)?);
        let (subgroup, _) = SubgroupHeader::parse(&head)?;
        let (object, _) = ObjectHeader::parse(&bytes, &subgroup, None)?;
        Ok(reader.moq(&subgroup, &object, own.position.is_head(), own.position.is_tail()))
    }
}

/// A layer for each priority, with a template for each of `Needs`. Decode target n needs the layers up to n; one chain is that of
/// the first layer.
fn structure() -> Structure {
    let levels = OctopusHeader::LEVELS as u8;
    let template = |priority: u8, needs: Needs| Template {
        spatial: priority / TEMPORAL,
        temporal: priority % TEMPORAL,
        indications: (0..levels)
            .map(|target| match needs {
                _ if target < priority => Indication::NotPresent,
                Needs::All => Indication::Required,
                Needs::Above if target == priority => Indication::Discardable,
                _ => Indication::Switch,
            })
            .collect(),
        references: if needs == Needs::Nothing { Vec::new() } else { vec![1] },
        chains: vec![u8::from(needs != Needs::Nothing)],
    };
    let needs = [Needs::Nothing, Needs::Above, Needs::Own, Needs::All];
    Structure {
        first_id: 0,
        templates: (0..levels).flat_map(|priority| needs.map(|needs| template(priority, needs))).collect(),
        targets: levels,
        chains: 1,
        protected_by: vec![0; usize::from(levels)],
        resolutions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::Position;
    use proptest::prelude::*;

    use super::*;
    use crate::classify::{Droppers, Missing};

    const ALL: [Labels; 5] = [
        Labels::DependencyDescriptor,
        Labels::DependencyDescriptorAllocation,
        Labels::FrameMarking,
        Labels::PduSet,
        Labels::Moq,
    ];

    fn headers(labels: Labels, missing: &Missing, own: &[OctopusHeader]) -> Vec<OctopusHeader> {
        let (mut reducer, mut reader) = (Reducer::default(), StreamReader::default());
        own.iter()
            .map(|own| reducer.reduce(labels, own, &mut reader).unwrap().header(missing, own.stream))
            .collect()
    }

    fn own(message: u32, priority: u8) -> OctopusHeader {
        OctopusHeader {
            position: Position::Solo,
            message: MessageNumber::new(message),
            priority,
            drop_flag: false,
            threshold: 0,
            bitrate_threshold: 0,
            slack: 0,
            stream: 4,
        }
    }

    #[test]
    fn rfc9626_3_1_b_is_0_in_the_base_layer() {
        let sync = |priority, threshold| {
            let own = OctopusHeader { drop_flag: true, threshold, ..own(3, priority) };
            Reducer::default().marking(&own).layers.unwrap().base_sync
        };
        assert_eq!([sync(2, 1), sync(2, 2), sync(0, 0)], [true, true, false]);
    }

    #[test]
    fn each_format_keeps_position_order_priority_and_stream() {
        let positions = [Position::First, Position::Middle, Position::Last];
        let mut sent = Vec::new();
        for message in 0..40 {
            let priority = (message % 8) as u8;
            sent.extend(positions.map(|position| OctopusHeader { position, ..own(message, priority) }));
        }
        for labels in ALL {
            let read = headers(labels, &Missing::default(), &sent);
            for (own, read) in sent.iter().zip(&read) {
                assert_eq!(
                    (own.position, own.priority, own.stream),
                    (read.position, read.priority, read.stream),
                    "{labels:?}"
                );
                assert!(!read.drop_flag, "{labels:?}");
            }
            for (own, read) in sent.windows(2).zip(read.windows(2)) {
                assert_eq!(
                    own[0].message == own[1].message,
                    read[0].message == read[1].message,
                    "{labels:?}"
                );
                assert_eq!(
                    own[0].message.is_before(own[1].message),
                    read[0].message.is_before(read[1].message),
                    "{labels:?}"
                );
            }
        }
    }

    #[test]
    fn what_a_format_has_no_field_for_is_lost() {
        let key = OctopusHeader { drop_flag: true, threshold: 0, slack: 50, ..own(1, 0) };
        let own_layer = OctopusHeader { drop_flag: true, threshold: 3, bitrate_threshold: 700, ..own(2, 3) };
        let below = OctopusHeader { drop_flag: true, threshold: 4, ..own(3, 3) };
        let far_below = OctopusHeader { drop_flag: true, threshold: 6, ..own(4, 3) };
        // Thresholds of the four; bitrate of the second, slack of the first.
        let expected = [
            (Labels::DependencyDescriptor, [Some(0), Some(3), Some(4), None], 0, 0),
            (Labels::DependencyDescriptorAllocation, [Some(0), Some(3), Some(4), None], 700, 0),
            (Labels::FrameMarking, [Some(0), Some(3), None, None], 0, 0),
            (Labels::PduSet, [None; 4], 0, 0),
            (Labels::Moq, [Some(0), None, None, None], 0, 50),
        ];
        for (labels, thresholds, kbit, slack) in expected {
            let read = headers(labels, &Missing::default(), &[key, own_layer, below, far_below]);
            let found: Vec<_> = read.iter().map(|label| label.drop_flag.then_some(label.threshold)).collect();
            assert_eq!(found, thresholds, "{labels:?}");
            assert_eq!((read[1].bitrate_threshold, read[0].slack), (kbit, slack), "{labels:?}");
        }
    }

    #[test]
    fn layers_as_droppers_are_a_choice() {
        let missing = Missing { droppers: Droppers::Layers, ..Missing::default() };
        for labels in ALL {
            let read = headers(labels, &missing, &[own(1, 2)]);
            assert_eq!((read[0].drop_flag, read[0].threshold), (true, 3), "{labels:?}");
        }
    }

    #[test]
    fn a_frame_with_more_than_64_packets_has_one_head() {
        let mut sent = vec![Position::First];
        sent.extend([Position::Middle; 300]);
        let sent: Vec<_> = sent.into_iter().map(|position| OctopusHeader { position, ..own(9, 1) }).collect();
        let read = headers(Labels::PduSet, &Missing::default(), &sent);
        assert_eq!(read.iter().filter(|header| header.position.is_head()).count(), 1);
    }

    proptest! {
        #[test]
        fn every_label_can_be_written(
            sent in prop::collection::vec(
                (0usize..4, 0u32..1 << 29, 0u8..8, any::<bool>(), 0u8..8, 0u32..1 << 24, 0u16..512), 1..40),
        ) {
            let positions = [Position::First, Position::Middle, Position::Last, Position::Solo];
            let sent: Vec<_> = sent
                .into_iter()
                .map(|(position, message, priority, drop_flag, threshold, bitrate_threshold, slack)| OctopusHeader {
                    position: positions[position], drop_flag, threshold, bitrate_threshold, slack, ..own(message, priority)
                })
                .collect();
            for labels in ALL {
                let read = headers(labels, &Missing::default(), &sent);
                for (own, read) in sent.iter().zip(read) {
                    prop_assert_eq!(own.priority, read.priority);
                    prop_assert!(own.drop_flag || !read.drop_flag, "no format invents droppers");
                    prop_assert!(!read.drop_flag || read.threshold >= own.threshold, "nor lower thresholds");
                }
            }
        }
    }
}
