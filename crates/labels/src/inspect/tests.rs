//! Tests of the inspection on packets that our own writers make.

use jettison_wire::{MessageNumber, OctopusHeader, Position};
use proptest::prelude::*;

use super::*;
use crate::classify::Labels;
use crate::dependency_descriptor::{Descriptor, Indication, Structure, Template};
use crate::frame_marking::{FrameMarking, Layers};
use crate::pdu_set::PduSetMarking;
use crate::reduce::Reducer;
use crate::rtp::Element;

/// A stream of `frames` frames of two packets each; `element` makes the data of the extension 3. The extension 5 is an absolute
/// send time.
fn inspected(frames: u32, element: impl Fn(u32, bool) -> Vec<u8>) -> Inspection {
    let mut inspector = Inspector::default();
    for packet in 0..2 * frames {
        let (frame, end) = (packet / 2, packet % 2 == 1);
        let data = element(frame, end);
        let time = (packet.wrapping_mul(0x9e37_79b9) >> 8).to_be_bytes();
        let header = RtpHeader {
            payload_type: 98,
            sequence: packet as u16,
            timestamp: 3000 * frame,
            marker: end,
            ssrc: 9,
            ..RtpHeader::default()
        };
        let elements = [Element { id: 3, data: &data }, Element { id: 5, data: &time[1..] }];
        let mut bytes = header.emit(&elements).unwrap();
        bytes.resize(1000, 0x55);
        inspector.datagram(Time::from_millis(u64::from(packet)), || "a > b".to_owned(), &bytes);
    }
    inspector.finish()
}

fn formats(inspection: &Inspection) -> Vec<(u8, Option<Recognised>)> {
    inspection.streams[0].extensions.iter().map(|extension| (extension.id, extension.format)).collect()
}

#[test]
fn a_dependency_descriptor_is_recognised_and_read() {
    use Indication::{Discardable as D, NotPresent as N, Switch as S};
    let template = |temporal, indications: [Indication; 2], references: &[u32]| Template {
        temporal,
        indications: indications.to_vec(),
        references: references.to_vec(),
        ..Template::default()
    };
    let templates = vec![template(0, [S, S], &[]), template(0, [S, S], &[2]), template(1, [N, D], &[1])];
    let structure = Structure { templates, targets: 2, ..Structure::default() };
    let inspection = inspected(12, |frame, end| {
        let template = if frame == 0 { 0 } else { 1 + (frame % 2) as u8 };
        let attached = (frame == 0 && !end).then(|| structure.clone());
        let descriptor = Descriptor {
            start: !end,
            end,
            template,
            frame: frame as u16,
            structure: attached,
            ..Descriptor::default()
        };
        descriptor.emit(Some(&structure)).unwrap()
    });
    let expected = Some(Recognised::Label(RtpFormat::DependencyDescriptor));
    assert_eq!(formats(&inspection), [(3, expected), (5, None)]);
    let stream = &inspection.streams[0];
    assert_eq!((stream.frames.len(), stream.packets, stream.malformed), (12, 24, 0));
    assert!(
        stream
            .frames
            .iter()
            .all(|frame| frame.start && frame.end && frame.packets == 2 && frame.bytes == 2000)
    );
    let said: Vec<_> = stream.frames.iter().take(3).map(|frame| (frame.priority, frame.obsoletes)).collect();
    assert_eq!(said, [(Some(0), Some(0)), (Some(1), Some(1)), (Some(0), Some(1))]);
}

#[test]
fn pdu_sets_and_frame_markings_are_told_from_send_times() {
    let inspection = inspected(12, |frame, end| {
        let importance = 1 + (frame % 3) as u8;
        let marking = PduSetMarking {
            end_of_set: end,
            importance,
            set: (1020 + frame as u16) & 0x3ff,
            number: u8::from(end),
            ..Default::default()
        };
        marking.emit().unwrap()
    });
    assert_eq!(formats(&inspection), [(3, Some(Recognised::Label(RtpFormat::PduSet))), (5, None)]);
    assert_eq!(inspection.streams[0].frames.len(), 12);
    for layers in
        [None, Some(Layers { temporal: 1, layer: Some(0), base_picture: Some(3), ..Layers::default() })]
    {
        let marking = |start, end| FrameMarking { start, end, layers, ..FrameMarking::default() };
        let inspection = inspected(12, |_, end| marking(!end, end).emit().unwrap());
        let form = if layers.is_some() { RtpFormat::FrameMarking } else { RtpFormat::FrameMarkingShort };
        assert_eq!(formats(&inspection)[0], (3, Some(Recognised::Label(form))));
    }
}

#[test]
fn a_layers_allocation_adds_bitrates() {
    let known =
        [(1, Recognised::Label(RtpFormat::DependencyDescriptor)), (2, Recognised::VideoLayersAllocation)];
    let mut inspector = Inspector::new(BTreeMap::from(known));
    // What a simulated sender writes: a descriptor (1) and an allocation (2).
    let mut reducer = Reducer::default();
    for message in 0..16u32 {
        let priority = (message % 4) as u8;
        let own = OctopusHeader {
            position: Position::Solo,
            message: MessageNumber::new(message),
            priority,
            drop_flag: false,
            threshold: 0,
            bitrate_threshold: 100 * u32::from(priority),
            slack: 0,
            stream: 1,
        };
        let (header, data) = reducer.packet(Labels::DependencyDescriptorAllocation, &own).unwrap();
        let elements: Vec<_> = data.iter().map(|(id, data)| Element { id: *id, data }).collect();
        inspector.datagram(Time::ZERO, || "a > b".to_owned(), &header.emit(&elements).unwrap());
    }
    let stream = &inspector.finish().streams[0];
    let kbits: Vec<_> = stream.frames.iter().skip(4).take(4).map(|frame| frame.kbit).collect();
    assert_eq!(kbits, [Some(0), Some(100), Some(200), Some(300)]);
}

#[test]
fn malformed_extensions_are_counted_and_the_first_is_named() {
    let mut inspector = Inspector::new(BTreeMap::from([(3, Recognised::Label(RtpFormat::PduSet))]));
    let header = RtpHeader { payload_type: 98, ..RtpHeader::default() };
    for data in [&[1u8, 2, 3][..], &[1, 2, 3, 4]] {
        inspector.datagram(
            Time::ZERO,
            || "a > b".to_owned(),
            &header.emit(&[Element { id: 3, data }]).unwrap(),
        );
    }
    let mut cut = header.emit(&[Element { id: 3, data: &[0; 8] }]).unwrap();
    cut.truncate(16);
    inspector.datagram(Time::ZERO, || "a > b".to_owned(), &cut);
    inspector.datagram(Time::ZERO, || "a > b".to_owned(), b"not RTP");
    let inspection = inspector.finish();
    assert_eq!((inspection.datagrams, inspection.rtp_packets, inspection.truncated), (4, 3, 1));
    let stream = &inspection.streams[0];
    assert_eq!(stream.malformed, 1);
    assert_eq!(stream.error.as_deref(), Some("a PDU set marking has 3, 5, 6 or 8 bytes"));
}

proptest! {
    #[test]
    fn any_datagrams_are_inspected_without_panic(
        datagrams in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..30),
    ) {
        let mut inspector = Inspector::default();
        for mut bytes in datagrams {
            if let Some(first) = bytes.first_mut() {
                *first = 0x90;
            }
            inspector.datagram(Time::ZERO, String::new, &bytes);
        }
        let inspection = inspector.finish();
        prop_assert!(inspection.rtp_packets <= inspection.datagrams);
    }
}
