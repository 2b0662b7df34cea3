//! Labels of standards in the disciplines that act on messages.

use jettison_labels::pdu_set::PduSetMarking;
use jettison_labels::rtp::{Element, RtpHeader};
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::{Address, Buffer, Headers, Transport, UdpHeader};
use serde_json::json;

use super::*;
use crate::testing::{built, labelled, solo};

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// A captured RTP packet of one source, whose PDU set marking is the element 3 of its header extension.
fn rtp(id: u32, marking: PduSetMarking) -> Packet {
    let data = marking.emit().unwrap();
    let header = RtpHeader { payload_type: 96, sequence: id as u16, ssrc: 7, ..RtpHeader::default() };
    let mut payload = header.emit(&[Element { id: 3, data: &data }]).unwrap();
    payload.resize(1000, 0xaa);
    let udp = UdpHeader { src_port: 40_000, dst_port: 50_000, inline: Default::default() };
    let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
    let mut bytes = Vec::new();
    let headers = Headers { src, dst, transport: Transport::Udp(udp) };
    Packet::with_payload(headers, payload.into()).write_ip_image(&mut bytes, usize::MAX);
    let mut packet = Packet::from_ip_buffer(Box::new(Buffer { bytes, ..Buffer::default() })).unwrap();
    packet.meta.id = id;
    packet
}

#[test]
fn rtp_packets_are_messages_by_their_pdu_sets() {
    let classify = json!({ "format": "pdu-set", "extension": 3 });
    let missing = json!({ "droppers": "layers" });
    let mut queue = built(json!({ "kind": "octopus", "classify": classify, "missing": missing }));
    let mut tally = Tally::default();
    // Two sets of low importance around the wrap of their number, then one of high importance, two packets each.
    for (at, (set, importance)) in (0u32..).zip([(1023, 9), (0, 9), (1, 1)]) {
        for number in 0..2 {
            let marking = PduSetMarking {
                end_of_set: number == 1,
                importance,
                set,
                number,
                ..PduSetMarking::default()
            };
            queue.enqueue(rtp(10 * at + u32::from(number), marking), ms(u64::from(at)), &mut tally);
        }
    }
    let sent: Vec<_> = std::iter::from_fn(|| queue.dequeue(ms(5), &mut tally)).map(|p| p.meta.id).collect();
    assert_eq!(sent, [20, 21], "a set of high importance makes older ones of low importance obsolete");
    assert!(tally.drops.iter().all(|(_, reason, _)| *reason == DropReason::StaleMessage));
}

#[test]
fn pdrop_evicts_by_the_importance_of_pdu_sets() {
    let classify = json!({ "format": "pdu-set", "extension": 3 });
    let mut queue = built(json!({ "kind": "pdrop", "classify": classify, "limit": "2 packets" }));
    let mut tally = Tally::default();
    for (id, importance) in [(1u16, 9), (2, 3), (3, 1)] {
        let marking = PduSetMarking { end_of_set: true, importance, set: id, ..PduSetMarking::default() };
        queue.enqueue(rtp(u32::from(id), marking), ms(0), &mut tally);
    }
    // PSI 9 and 3 are priorities 4 and 1, PSI 1 is 0: all that is less important makes room.
    assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(queue.dequeue(ms(1), &mut tally).map(|packet| packet.meta.id), Some(3));
}

#[test]
fn a_standard_without_droppers_drops_nothing_that_is_stale() {
    let sent = |labels: &str| {
        let mut queue = built(json!({ "kind": "octopus", "labels": labels }));
        let dropper = OctopusHeader { drop_flag: true, ..solo(2) };
        for packet in [labelled(1, 1000, solo(1)), labelled(2, 1000, dropper)] {
            queue.enqueue(packet, ms(0), &mut NoOutcomes);
        }
        std::iter::from_fn(|| queue.dequeue(ms(1), &mut NoOutcomes)).map(|p| p.meta.id).collect::<Vec<_>>()
    };
    assert_eq!((sent("own"), sent("dependency-descriptor"), sent("moq")), (vec![2], vec![2], vec![2]));
    assert_eq!(sent("pdu-set"), [1, 2]);
}
