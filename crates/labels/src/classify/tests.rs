//! Tests of the classifier on packets as they come from a device.

use jettison_wire::{
    Address, Buffer, Headers, InlineBytes, MessageNumber, OCTOPUS_PORT, PacketKind, Position, SequenceHeader,
    Transport, UdpHeader,
};

use super::*;
use crate::dependency_descriptor::{Descriptor, Indication, Structure, Template};
use crate::layers_allocation::{AllocatedStream, LayersAllocation, SpatialLayer};
use crate::pdu_set::PduSetMarking;
use crate::rtp::Element;

/// A captured RTP packet with these extension elements; the payload is as good as encrypted.
fn rtp(ssrc: u32, timestamp: u32, elements: &[Element<'_>]) -> Packet {
    let header = RtpHeader { payload_type: 98, ssrc, timestamp, ..RtpHeader::default() };
    let mut payload = header.emit(elements).unwrap();
    payload.extend([0xe7; 100]);
    captured(&payload)
}

fn captured(payload: &[u8]) -> Packet {
    let udp = UdpHeader { src_port: 40_000, dst_port: 50_000, inline: Default::default() };
    let headers = Headers {
        src: Address::v4(10, 0, 0, 1),
        dst: Address::v4(10, 0, 1, 1),
        transport: Transport::Udp(udp),
    };
    let mut bytes = Vec::new();
    Packet::with_payload(headers, payload.into()).write_ip_image(&mut bytes, usize::MAX);
    Packet::from_ip_buffer(Box::new(Buffer { bytes, ..Buffer::default() })).unwrap()
}

fn classifier(classify: Classify) -> Classifier {
    let source = LabelSource { classify: Some(classify), ..LabelSource::default() };
    Classifier::new(source, vec![OCTOPUS_PORT], 7, 100).unwrap()
}

fn dd() -> Classify {
    Classify { format: RtpFormat::DependencyDescriptor, extension: 4, allocation: None, ports: None }
}

/// Two temporal layers.
fn structure() -> Structure {
    use Indication::{Discardable, NotPresent, Switch};
    let template = |temporal, indications: [Indication; 2], references: &[u32]| Template {
        temporal,
        indications: indications.to_vec(),
        references: references.to_vec(),
        ..Template::default()
    };
    let templates = vec![
        template(0, [Switch, Switch], &[]),
        template(0, [Switch, Switch], &[2]),
        template(1, [NotPresent, Discardable], &[1]),
    ];
    Structure { templates, targets: 2, ..Structure::default() }
}

#[test]
fn a_dependency_descriptor_becomes_a_label() {
    let mut classifier = classifier(Classify { allocation: Some(5), ..dd() });
    let key =
        Descriptor { start: true, frame: 0xffff, structure: Some(structure()), ..Descriptor::default() };
    let key = key.emit(None).unwrap();
    let layer = SpatialLayer { id: 0, kbits: vec![300, 500], picture: None };
    let allocation = LayersAllocation { stream: 0, streams: vec![AllocatedStream { layers: vec![layer] }] };
    let allocation = allocation.emit().unwrap();
    let elements = [Element { id: 4, data: &key }, Element { id: 5, data: &allocation }];
    let label = classifier.label(&rtp(0x0001_0002, 0, &elements), Time::ZERO).unwrap();
    assert_eq!((label.position, label.priority, label.stream), (Position::First, 0, 3));
    assert_eq!((label.drop_flag, label.threshold, label.bitrate_threshold), (true, 0, 0));
    let last =
        Descriptor { end: true, frame: 0xffff, ..Descriptor::default() }.emit(Some(&structure())).unwrap();
    let label =
        classifier.label(&rtp(0x0001_0002, 0, &[Element { id: 4, data: &last }]), Time::ZERO).unwrap();
    assert_eq!((label.position, label.message), (Position::Last, MessageNumber::new(0xffff)));
    let delta = Descriptor { start: true, end: true, template: 2, frame: 0, ..Descriptor::default() };
    let delta = delta.emit(Some(&structure())).unwrap();
    let delta =
        classifier.label(&rtp(0x0001_0002, 3000, &[Element { id: 4, data: &delta }]), Time::ZERO).unwrap();
    assert_eq!(
        (delta.position, delta.priority, delta.drop_flag, delta.threshold),
        (Position::Solo, 1, true, 1)
    );
    assert_eq!(delta.bitrate_threshold, 500, "the bitrate of the layer, with those below");
    assert!(label.message.is_before(delta.message), "frame numbers wrap");
}

#[test]
fn streams_of_one_flow_have_structures_of_their_own() {
    let mut classifier = classifier(dd());
    let key =
        Descriptor { start: true, structure: Some(structure()), ..Descriptor::default() }.emit(None).unwrap();
    let short = [0x82, 0, 1];
    assert!(classifier.label(&rtp(1, 0, &[Element { id: 4, data: &key }]), Time::ZERO).is_some());
    assert!(classifier.label(&rtp(2, 0, &[Element { id: 4, data: &short }]), Time::ZERO).is_none());
    assert!(classifier.label(&rtp(1, 0, &[Element { id: 4, data: &short }]), Time::ZERO).is_some());
}

#[test]
fn what_is_no_rtp_or_has_no_such_extension_is_other_traffic() {
    let mut classifier = classifier(Classify {
        format: RtpFormat::PduSet,
        extension: 9,
        allocation: None,
        ports: Some(vec![50_000]),
    });
    let data = PduSetMarking { importance: 3, ..PduSetMarking::default() }.emit().unwrap();
    let labelled = rtp(1, 0, &[Element { id: 9, data: &data }]);
    assert_eq!(classifier.label(&labelled, Time::ZERO).map(|label| label.priority), Some(1));
    assert_eq!(classifier.label(&rtp(1, 0, &[Element { id: 8, data: &data }]), Time::ZERO), None);
    assert_eq!(classifier.label(&captured(&[0, 1, 0, 0]), Time::ZERO), None, "STUN");
    classifier.source.classify.as_mut().unwrap().ports = Some(vec![1]);
    assert_eq!(classifier.label(&labelled, Time::ZERO), None, "another port");
}

#[test]
fn own_labels_are_seen_as_a_standard_carries_them() {
    let own = OctopusHeader {
        position: Position::Solo,
        message: MessageNumber::new(5),
        priority: 2,
        drop_flag: false,
        threshold: 0,
        bitrate_threshold: 800,
        slack: 30,
        stream: 9,
    };
    let sequence = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 0, sequence: 1 };
    let inline = InlineBytes::new(&[&sequence.emit()[..], &own.emit()].concat()).unwrap();
    let udp = UdpHeader { src_port: 5, dst_port: OCTOPUS_PORT, inline };
    let headers = Headers {
        src: Address::v4(10, 0, 0, 1),
        dst: Address::v4(10, 0, 0, 2),
        transport: Transport::Udp(udp),
    };
    let packet = Packet::model(headers, 1000);
    let label = |labels| {
        let source = LabelSource { labels, ..LabelSource::default() };
        Classifier::new(source, vec![OCTOPUS_PORT], 7, 100).unwrap().label(&packet, Time::ZERO).unwrap()
    };
    assert_eq!(label(Labels::Own), own);
    assert_eq!(label(Labels::PduSet), OctopusHeader { bitrate_threshold: 0, slack: 0, ..own });
    let moq = label(Labels::Moq);
    assert_eq!((moq.bitrate_threshold, moq.slack, moq.priority), (0, 30, 2));
}

#[test]
fn errors_name_the_key() {
    let error = |source: LabelSource| source.check().unwrap_err().to_string();
    let with = |classify| LabelSource { classify: Some(classify), ..LabelSource::default() };
    assert_eq!(
        error(with(Classify { extension: 0, ..dd() })),
        "classify.extension: must be in [1, 255], got 0"
    );
    let same = error(with(Classify { allocation: Some(4), ..dd() }));
    assert_eq!(same, "classify.allocation: must be in [1, 255] and differ from `extension`, got 4");
    assert!(
        error(with(Classify { ports: Some(vec![]), ..dd() }))
            .starts_with("classify.ports: must be one or more")
    );
    assert!(error(LabelSource { labels: Labels::Moq, ..with(dd()) }).starts_with("labels: must be left out"));
    let missing = |missing| LabelSource { missing, ..LabelSource::default() };
    let slack = Missing { slack: Duration::from_millis(512), ..Missing::default() };
    assert_eq!(error(missing(slack)), "missing.slack: must be <= 511 ms, got 512 ms");
    assert!(
        error(missing(Missing { bitrates: vec![Rate::ZERO; 9], ..Missing::default() }))
            .starts_with("missing.bitrates")
    );
    assert!(error(missing(Missing { priority: 8, ..Missing::default() })).starts_with("missing.priority"));
}
