//! Step marking by the length of the queue, as switches in data centres do it (RFC 8257 §3.1): RED with thresholds that meet and no
//! averaging.

use jettison_core::{DropReason, Seed, Time};
use jettison_measure::Tally;
use jettison_queue::QueueDiscipline;
use jettison_queue::disciplines;
use jettison_queue::entry::BuildContext;
use jettison_wire::{Address, Headers, Packet, Transport, UdpHeader};
use serde_json::{Value, json};

fn packet(id: u32, ecn: u8) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
    let mut packet = Packet::model(headers, 972);
    packet.meta.id = id;
    packet.meta.traffic_class = ecn;
    packet
}

fn built(value: &Value) -> Box<dyn QueueDiscipline> {
    let registry = disciplines();
    let random = |name: &str| Seed(1).stream(&["queue", name]);
    let context = BuildContext { random: &random, registry: &registry };
    registry.build(value, &context).unwrap_or_else(|error| panic!("{error}"))
}

/// Ids that are marked and dropped of 30 arrivals, none of which leaves.
fn signalled(thresholds: [&str; 2], ecn: u8) -> [Vec<u32>; 2] {
    let [min, max] = thresholds;
    let step = json!({ "kind": "red", "min_th": min, "max_th": max, "w_q": 1.0, "ecn": true });
    let (mut queue, mut tally) = (built(&step), Tally::default());
    (0..30).for_each(|id| queue.enqueue(packet(id, ecn), Time::from_millis(u64::from(id)), &mut tally));
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::RedForced));
    [tally.marks.iter().map(|mark| mark.0).collect(), tally.drops.iter().map(|drop| drop.0).collect()]
}

#[test]
fn capable_arrivals_that_find_the_threshold_are_marked_and_others_dropped() {
    let beyond: Vec<u32> = (20..30).collect();
    for ecn in [1, 2] {
        assert_eq!(signalled(["19 packets", "20 packets"], ecn), [beyond.clone(), vec![]]);
    }
    assert_eq!(signalled(["19 packets", "20 packets"], 0), [vec![], beyond]);
}

#[test]
fn the_threshold_may_be_in_bytes() {
    // Packets of 1,000 bytes.
    let beyond: Vec<u32> = (20..30).collect();
    assert_eq!(signalled(["19999 bytes", "20000 bytes"], 2), [beyond, vec![]]);
}
