//! What a standard's label says of its packet, and the Octopus label that is made of it.

use jettison_core::Rate;
use jettison_wire::{MessageNumber, OctopusHeader, Position};

use crate::classify::{Classify, Droppers, Missing, RtpFormat};
use crate::dependency_descriptor;
use crate::frame_marking::{FrameMarking, MarkingForm};
use crate::layers_allocation::LayersAllocation;
use crate::moq::{ObjectHeader, SubgroupHeader, SubgroupId};
use crate::pdu_set::{self, PduSetMarking};
use crate::rtp::RtpHeader;
use crate::{LabelError, moq};

/// What is known of a packet's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Label {
    /// First packet of its frame.
    pub start: bool,
    /// Last packet of its frame.
    pub end: bool,
    /// Number of the frame in its stream: later ones have higher numbers.
    pub number: u32,
    /// Priority, 0 (highest) to 7; `None` if the sender gave none.
    pub priority: Option<u8>,
    /// The priority from which on older frames are obsolete once this one arrived: later frames do not need them. `None` if the
    /// format does not say so.
    pub obsoletes: Option<u8>,
    /// Bitrate that the frame's layer requires, lower layers included, in kbit/s.
    pub kbit: Option<u64>,
    /// Time that the frame may wait, in ms.
    pub timeout: Option<u64>,
}

impl Label {
    /// The Octopus label, with `missing` where the format has no field.
    pub fn header(&self, missing: &Missing, stream: u16) -> OctopusHeader {
        let priority = self.priority.unwrap_or(missing.priority);
        let threshold = match missing.droppers {
            Droppers::None => None,
            Droppers::AsLabelled => self.obsoletes,
            Droppers::Layers => self.obsoletes.or(Some(priority + 1)),
        };
        let threshold = threshold.filter(|threshold| usize::from(*threshold) < OctopusHeader::LEVELS);
        let default = missing.bitrates.get(usize::from(priority));
        let default = default.map_or(0, |rate: &Rate| rate.as_bits().div_ceil(1000));
        let kbit = self.kbit.unwrap_or(default).min(u64::from(OctopusHeader::MAX_BITRATE));
        let slack = self.timeout.unwrap_or(missing.slack.as_nanos() / 1_000_000);
        OctopusHeader {
            position: match (self.start, self.end) {
                (true, true) => Position::Solo,
                (true, false) => Position::First,
                (false, false) => Position::Middle,
                (false, true) => Position::Last,
            },
            message: MessageNumber::new(self.number),
            priority,
            drop_flag: threshold.is_some(),
            threshold: threshold.unwrap_or(0),
            bitrate_threshold: kbit as u32,
            slack: slack.min(u64::from(OctopusHeader::MAX_SLACK)) as u16,
            stream,
        }
    }
}

/// Reads the labels of one stream, with the state that its formats need.
#[derive(Debug, Clone, Default)]
pub struct StreamReader {
    descriptors: dependency_descriptor::Reader,
    allocation: Option<LayersAllocation>,
    numbers: Unwrapped,
    frames: Frames,
}

impl StreamReader {
    /// The label of the stream's next RTP packet; `None` if it has no such extension.
    pub fn rtp(&mut self, header: &RtpHeader<'_>, classify: &Classify) -> Option<Result<Label, LabelError>> {
        let allocation = classify.allocation.and_then(|id| header.extensions.get(id));
        let data = header.extensions.get(classify.extension)?;
        Some(self.read(classify.format, data, allocation, header.timestamp))
    }

    /// The label in the element `data` of the stream's next packet; `allocation` is the element of its layers allocation.
    ///
    /// # Errors
    /// If the label cannot be read. An allocation that cannot be read is ignored.
    pub fn read(
        &mut self,
        format: RtpFormat,
        data: &[u8],
        allocation: Option<&[u8]>,
        timestamp: u32,
    ) -> Result<Label, LabelError> {
        if let Some(Ok(allocation)) = allocation.map(LayersAllocation::parse) {
            self.allocation = Some(allocation);
        }
        match format {
            RtpFormat::DependencyDescriptor => self.descriptor(data),
            RtpFormat::FrameMarking => self.marking(data, MarkingForm::Long, timestamp),
            RtpFormat::FrameMarkingShort => self.marking(data, MarkingForm::Short, timestamp),
            RtpFormat::PduSet => self.pdu_set(data),
        }
    }

    fn descriptor(&mut self, data: &[u8]) -> Result<Label, LabelError> {
        let (descriptor, frame) = self.descriptors.read(data)?;
        let (all, without) = frame.targets_without();
        let levels = OctopusHeader::LEVELS as u32;
        // The more decode targets do without it, the less important: one level each, scaled if there are more than levels.
        let priority = if all <= levels { without } else { without * (levels - 1) / (all - 1) };
        let priority = priority.min(levels - 1) as u8;
        let (spatial, temporal) = (frame.description.spatial, frame.description.temporal);
        Ok(Label {
            start: descriptor.start,
            end: descriptor.end,
            number: self.numbers.next(u32::from(descriptor.frame), 16),
            priority: Some(priority),
            obsoletes: frame.obsoletes(priority),
            kbit: self.kbit(priority, spatial, temporal),
            timeout: None,
        })
    }

    fn marking(&mut self, data: &[u8], form: MarkingForm, timestamp: u32) -> Result<Label, LabelError> {
        let marking = FrameMarking::parse(data, form)?;
        let (priority, spatial, temporal) = match marking.layers {
            None => (u8::from(marking.discardable), 0, 0),
            Some(layers) => {
                let spatial = layers.layer.unwrap_or(0);
                // Layers count together. A frame of the base layers that may be discarded still ranks behind those that may not.
                let sum = layers.temporal.saturating_add(spatial);
                (sum.max(u8::from(marking.discardable)), spatial, layers.temporal)
            }
        };
        let priority = priority.min(OctopusHeader::LEVELS as u8 - 1);
        // It needs the base layer alone, so no older frame of its layer.
        let is_sync = marking.layers.is_some_and(|layers| layers.base_sync && layers.temporal > 0);
        Ok(Label {
            start: marking.start,
            end: marking.end,
            // The format has no number: a frame is one layer of one RTP timestamp.
            number: self.frames.number([u64::from(timestamp), u64::from(spatial), 0]),
            priority: Some(priority),
            obsoletes: (marking.independent || marking.discardable || is_sync).then_some(priority),
            kbit: self.kbit(priority, spatial, temporal),
            timeout: None,
        })
    }

    fn pdu_set(&mut self, data: &[u8]) -> Result<Label, LabelError> {
        let marking = PduSetMarking::parse(data)?;
        Ok(Label {
            start: marking.number == 0,
            end: marking.end_of_set,
            number: self.numbers.next(u32::from(marking.set), pdu_set::SET_BITS),
            // PSI 1 to 15 onto 0 to 7.
            priority: marking.importance.checked_sub(1).map(|importance| importance / 2),
            obsoletes: None,
            kbit: None,
            timeout: None,
        })
    }

    /// The label of a packet of a MoQ object. `start` and `end` are those of the object's bytes, which a relay knows of its streams.
    pub fn moq(&mut self, subgroup: &SubgroupHeader, object: &ObjectHeader, start: bool, end: bool) -> Label {
        let number = match subgroup.subgroup {
            SubgroupId::Zero => 0,
            SubgroupId::FirstObject => u64::MAX,
            SubgroupId::Number(number) => number,
        };
        let priority = subgroup.priority.unwrap_or(moq::DEFAULT_PRIORITY) >> 5;
        let timeouts = [object.properties.object_timeout, object.properties.subgroup_timeout];
        Label {
            start,
            end,
            number: self.frames.number([subgroup.group, number, object.object]),
            priority: Some(priority),
            // A group depends on no other one (§2.3), so its first object refers to no earlier one.
            obsoletes: (object.object == 0).then_some(priority),
            kbit: None,
            // 0: no timeout.
            timeout: timeouts.into_iter().flatten().filter(|timeout| *timeout > 0).min(),
        }
    }

    /// The bitrate threshold of a layer. The most important one has none: it is always needed.
    fn kbit(&self, priority: u8, spatial: u8, temporal: u8) -> Option<u64> {
        let allocation = self.allocation.as_ref()?;
        if priority == 0 { Some(0) } else { allocation.kbit(spatial, temporal) }
    }
}

/// Numbers with few bits, continued beyond them.
#[derive(Debug, Clone, Copy, Default)]
struct Unwrapped {
    newest: Option<u32>,
}

impl Unwrapped {
    /// The number nearest to the newest one with these low `bits`.
    fn next(&mut self, low: u32, bits: u32) -> u32 {
        let Some(newest) = self.newest else {
            self.newest = Some(low);
            return low;
        };
        let half = 1 << (bits - 1);
        let ahead = low.wrapping_sub(newest) & ((1 << bits) - 1);
        if ahead < half {
            let number = newest.wrapping_add(ahead);
            self.newest = Some(number);
            number
        } else {
            newest.wrapping_add(ahead).wrapping_sub(1 << bits)
        }
    }
}

/// Numbers for frames that have a key but no number: in the order in which they are first seen.
#[derive(Debug, Clone, Default)]
struct Frames {
    known: [Option<([u64; 3], u32)>; Frames::REMEMBERED],
    next: u32,
}

impl Frames {
    /// Frames whose packets may be mixed, by layers and by reordering.
    const REMEMBERED: usize = 16;

    fn number(&mut self, key: [u64; 3]) -> u32 {
        if let Some((_, number)) = self.known.iter().flatten().find(|(known, _)| *known == key) {
            return *number;
        }
        let number = self.next;
        self.next = number.wrapping_add(1);
        self.known[number as usize % Frames::REMEMBERED] = Some((key, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame_marking::Layers;

    #[test]
    fn numbers_continue_beyond_their_bits() {
        let mut numbers = Unwrapped::default();
        let read: Vec<_> = [1020, 1023, 2, 1022, 3].map(|low| numbers.next(low, 10)).to_vec();
        assert_eq!(read, [1020, 1023, 1026, 1022, 1027]);
    }

    #[test]
    fn a_frame_keeps_the_number_that_it_got_first() {
        let mut frames = Frames::default();
        let numbers: Vec<_> = [7, 7, 9, 8, 9, 7].map(|key| frames.number([key, 0, 0])).to_vec();
        assert_eq!(numbers, [0, 0, 1, 2, 1, 0]);
    }

    #[test]
    fn droppers_are_as_the_format_says_or_each_layer_for_those_above() {
        let of = |label: Label| {
            [Droppers::None, Droppers::AsLabelled, Droppers::Layers].map(|droppers| {
                let header = label.header(&Missing { droppers, ..Missing::default() }, 0);
                header.drop_flag.then_some(header.threshold)
            })
        };
        let label = Label { priority: Some(2), ..Label::default() };
        assert_eq!(of(label), [None, None, Some(3)]);
        assert_eq!(of(Label { obsoletes: Some(2), ..label }), [None, Some(2), Some(2)]);
        assert_eq!(of(Label { priority: Some(7), ..label }), [None, None, None], "nothing is below");
    }

    #[test]
    fn a_marking_says_that_older_frames_are_obsolete_if_it_needs_none_of_its_layer() {
        let layers =
            |temporal, base_sync| Some(Layers { temporal, base_sync, layer: Some(0), base_picture: Some(1) });
        let of = |marking: FrameMarking| {
            let mut reader = StreamReader::default();
            reader.marking(&marking.emit().unwrap(), MarkingForm::Long, 0).unwrap().obsoletes
        };
        let plain = FrameMarking { layers: layers(2, false), ..FrameMarking::default() };
        assert_eq!(of(plain), None);
        assert_eq!(of(FrameMarking { independent: true, ..plain }), Some(2));
        assert_eq!(of(FrameMarking { discardable: true, ..plain }), Some(2));
        assert_eq!(of(FrameMarking { layers: layers(2, true), ..plain }), Some(2));
        assert_eq!(of(FrameMarking { layers: layers(0, true), ..plain }), None, "the base layer itself");
    }

    #[test]
    fn defaults_fill_what_a_format_lacks() {
        let missing = Missing {
            slack: jettison_core::Duration::from_millis(40),
            bitrates: vec![Rate::ZERO, Rate::from_kbit(900)],
            priority: 1,
            ..Missing::default()
        };
        let header = Label::default().header(&missing, 5);
        assert_eq!((header.priority, header.slack, header.bitrate_threshold, header.stream), (1, 40, 900, 5));
        let known = Label { kbit: Some(u64::MAX), timeout: Some(u64::MAX), ..Label::default() };
        let header = known.header(&missing, 5);
        assert_eq!(
            (header.slack, header.bitrate_threshold),
            (OctopusHeader::MAX_SLACK, OctopusHeader::MAX_BITRATE)
        );
    }

    proptest! {
        #[test]
        fn unwrapped_numbers_keep_their_low_bits(values in prop::collection::vec(0u32..1024, 1..50)) {
            let mut numbers = Unwrapped::default();
            for value in values {
                prop_assert_eq!(numbers.next(value, 10) & 1023, value);
            }
        }
    }
}
