//! Each rule of the paper's Algorithm 1 and §3.

use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Position;
use serde_json::json;

use super::*;
use crate::testing::{build_error, built, labelled, message, packet, packet_of, solo};

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn octopus(parameters: serde_json::Value) -> Octopus {
    let parameters = serde_json::from_value(parameters).expect("the parameters are right");
    Octopus::new(parameters, 1).expect("the parameters are in range")
}

fn dropper(message: u32) -> OctopusHeader {
    OctopusHeader { drop_flag: true, ..solo(message) }
}

/// Enqueues all packets at one instant.
fn enqueue(queue: &mut dyn QueueDiscipline, packets: impl IntoIterator<Item = Packet>, now: Time) {
    packets.into_iter().for_each(|packet| queue.enqueue(packet, now, &mut NoOutcomes));
}

/// Dequeues until the queue is empty; returns the ids.
fn drain(queue: &mut dyn QueueDiscipline, now: Time, tally: &mut Tally) -> Vec<u32> {
    std::iter::from_fn(|| queue.dequeue(now, tally)).map(|packet| packet.meta.id).collect()
}

/// Other traffic departs at one packet of 1,000 bytes per millisecond (8 Mbit/s) from a backlog, for 60 ms; one packet is left.
/// It arrived 300 ms earlier, so its arrival rate is zero and it takes no part in the fair share.
fn measured(queue: &mut Octopus, from: u64) {
    enqueue(queue, (0..61).map(|id| packet(1000 + id, 1000)), ms(from));
    for t in 0..60 {
        assert!(queue.dequeue(ms(from + 300 + t), &mut NoOutcomes).is_some());
    }
}

#[test]
fn a_head_is_dropped_at_its_dequeue_if_a_newer_dropper_was_enqueued() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    enqueue(&mut queue, [packet(0, 100), labelled(1, 1000, solo(1)), labelled(2, 1000, dropper(2))], ms(0));
    assert!(tally.drops.is_empty(), "not before it comes to the front");
    assert_eq!(drain(&mut queue, ms(7), &mut tally), [0, 2]);
    assert_eq!(tally.drops, [(1, DropReason::StaleMessage, ms(7))]);
}

#[test]
fn a_dropper_counts_once_its_tail_is_enqueued() {
    for tail_fits in [false, true] {
        let limit = if tail_fits { "9 packets" } else { "3 packets" };
        let (mut queue, mut tally) = (octopus(json!({ "limit": limit })), Tally::default());
        enqueue(&mut queue, [packet(0, 100), labelled(1, 1000, solo(1))], ms(0));
        enqueue(&mut queue, message(2, 2, 1000, dropper(2)), ms(1));
        let left = drain(&mut queue, ms(7), &mut tally);
        assert_eq!(left, if tail_fits { vec![0, 2, 3] } else { vec![0, 1, 2] });
    }
}

#[test]
fn the_rest_of_a_dropped_message_follows_also_what_arrives_later() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let mut old = message(1, 4, 1000, solo(1));
    let late = old.split_off(2);
    enqueue(&mut queue, [packet(0, 100)], ms(0));
    enqueue(&mut queue, old, ms(0));
    enqueue(&mut queue, [labelled(9, 1000, dropper(2))], ms(1));
    assert_eq!(drain(&mut queue, ms(2), &mut tally), [0, 9]);
    enqueue(&mut queue, late, ms(3));
    assert!(drain(&mut queue, ms(4), &mut tally).is_empty());
    let reasons: Vec<_> = tally.drops.iter().map(|(id, reason, _)| (*id, *reason)).collect();
    assert_eq!(reasons, [1, 2, 3, 4].map(|id| (id, DropReason::StaleMessage)));
}

#[test]
fn a_message_that_has_begun_to_leave_is_never_dropped() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let mut old = message(1, 4, 1000, solo(1));
    let late = old.split_off(3);
    enqueue(&mut queue, old, ms(0));
    assert_eq!(queue.dequeue(ms(0), &mut tally).map(|packet| packet.meta.id), Some(1));
    enqueue(&mut queue, [labelled(9, 1000, dropper(2))], ms(1));
    enqueue(&mut queue, late, ms(1));
    assert_eq!(drain(&mut queue, ms(2), &mut tally), [2, 3, 9, 4]);
    assert!(tally.drops.is_empty());
}

#[test]
fn a_message_whose_head_was_lost_is_judged_with_its_first_packet_that_comes() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    enqueue(&mut queue, [packet(0, 100)], ms(0));
    enqueue(&mut queue, message(1, 3, 1000, solo(1)).split_off(1), ms(0));
    enqueue(&mut queue, [labelled(9, 1000, dropper(2))], ms(1));
    assert_eq!(drain(&mut queue, ms(2), &mut tally), [0, 9]);
    assert_eq!(tally.drops.len(), 2);
}

#[test]
fn a_late_packet_of_an_older_message_follows_its_verdict_and_disturbs_no_other() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let at = |message, position| OctopusHeader { position, ..solo(message) };
    // Message 1 goes, 2 is dropped by 3, of which the head has left; then repairs of 1 and 2 come between 3's packets.
    let beyond = OctopusHeader { priority: 7, ..solo(2) };
    let three = OctopusHeader { drop_flag: true, threshold: 5, ..solo(3) };
    let mut threes = message(30, 3, 1000, three);
    let tail = threes.pop().expect("three packets");
    enqueue(&mut queue, [labelled(10, 1000, solo(1)), labelled(20, 1000, beyond)], ms(0));
    enqueue(&mut queue, [labelled(29, 1000, OctopusHeader { position: Position::Last, ..three })], ms(0));
    enqueue(&mut queue, threes, ms(0));
    assert_eq!(drain(&mut queue, ms(1), &mut tally), [10, 29, 30, 31]);
    let late = [labelled(11, 1000, at(1, Position::Middle)), labelled(21, 1000, at(2, Position::Middle))];
    enqueue(&mut queue, late, ms(2));
    // A dropper of all that is older: 3 has begun to leave all the same.
    enqueue(&mut queue, [labelled(40, 1000, dropper(4)), tail], ms(2));
    assert_eq!(drain(&mut queue, ms(3), &mut tally), [11, 40, 32]);
    assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [20, 21]);
}

#[test]
fn a_packet_older_than_all_that_is_remembered_goes() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    enqueue(&mut queue, (2..30).map(|number| labelled(number, 1000, solo(number))), ms(0));
    assert_eq!(drain(&mut queue, ms(1), &mut tally).len(), 28);
    enqueue(&mut queue, [packet(0, 100), labelled(1, 1000, solo(1)), labelled(30, 1000, dropper(30))], ms(2));
    assert_eq!(drain(&mut queue, ms(3), &mut tally), [0, 1, 30], "it may have begun to leave");
}

#[test]
fn streams_do_not_drop_each_others_messages() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let other_stream = OctopusHeader { stream: 1, ..dropper(2) };
    let mut other_flow = labelled(3, 1000, dropper(2));
    if let Some(jettison_wire::Headers { transport: jettison_wire::Transport::Udp(udp), .. }) =
        other_flow.headers_mut()
    {
        udp.src_port = 7;
    }
    enqueue(&mut queue, [packet(0, 100), labelled(1, 1000, solo(1)), labelled(2, 1000, other_stream)], ms(0));
    enqueue(&mut queue, [other_flow], ms(0));
    assert_eq!(drain(&mut queue, ms(1), &mut tally), [0, 1, 2, 3]);
}

#[test]
fn other_traffic_passes_untouched_and_in_order() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let mut malformed = labelled(3, 1000, solo(1));
    let mut elsewhere = labelled(4, 1000, solo(1));
    for (packet, port, bytes) in
        [(&mut malformed, 4433, &[1u8, 0, 0][..]), (&mut elsewhere, 4434, &[1u8; 20][..])]
    {
        if let Some(jettison_wire::Headers { transport: jettison_wire::Transport::Udp(udp), .. }) =
            packet.headers_mut()
        {
            udp.dst_port = port;
            udp.inline = jettison_wire::InlineBytes::new(bytes).expect("at most 20 bytes");
        }
    }
    enqueue(&mut queue, [packet(0, 100), labelled(1, 1000, solo(1)), packet_of(9, 2, 700)], ms(0));
    enqueue(&mut queue, [malformed, elsewhere, labelled(5, 1000, dropper(2))], ms(0));
    assert_eq!(drain(&mut queue, ms(1), &mut tally), [0, 2, 3, 4, 5]);
}

#[test]
fn octopus_traffic_is_recognised_by_its_configured_port() {
    for (ports, drops) in [(json!([4433]), 1), (json!([9, 4433]), 1), (json!([9]), 0)] {
        let (mut queue, mut tally) = (octopus(json!({ "ports": ports })), Tally::default());
        enqueue(&mut queue, [packet(0, 1), labelled(1, 1000, solo(1)), labelled(2, 1000, dropper(2))], ms(0));
        drain(&mut queue, ms(1), &mut tally);
        assert_eq!(tally.drops.len(), drops, "{ports}");
    }
}

#[test]
fn a_message_that_asks_for_more_than_the_bandwidth_is_dropped() {
    for (kbit, drops) in [(8000, 0), (8001, 1)] {
        let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
        measured(&mut queue, 0);
        let header = OctopusHeader { bitrate_threshold: kbit, ..solo(1) };
        enqueue(&mut queue, [labelled(1, 1000, header)], ms(359));
        assert!(queue.dequeue(ms(360), &mut tally).is_some());
        assert_eq!(queue.bandwidth(ms(361)), Some(Rate::from_mbit(8)));
        queue.dequeue(ms(361), &mut tally);
        assert_eq!(tally.drops.len(), drops, "{kbit} kbit/s");
        assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::OverBitrate));
    }
}

#[test]
fn bandwidth_is_unlimited_until_five_packets_have_left() {
    let (mut queue, mut tally) = (octopus(json!({ "bandwidth": "restarted" })), Tally::default());
    let header = |number| OctopusHeader { bitrate_threshold: OctopusHeader::MAX_BITRATE, ..solo(number) };
    enqueue(&mut queue, (0..10).map(|number| labelled(number, 1000, header(number))), ms(0));
    for t in 1..=5 {
        assert!(queue.dequeue(ms(t), &mut tally).is_some());
    }
    assert!(queue.dequeue(ms(6), &mut tally).is_none(), "then it is known, and too low");
    assert_eq!(tally.drops.len(), 5);
}

#[test]
fn bandwidth_is_cleared_when_an_opportunity_finds_the_queue_empty() {
    let mut queue = octopus(json!({ "bandwidth": "restarted" }));
    measured(&mut queue, 0);
    assert!(queue.dequeue(ms(360), &mut NoOutcomes).is_some());
    assert_eq!(queue.backlog().packets, 0);
    assert!(queue.bandwidth(ms(361)).is_some(), "the last packet is under way");
    assert!(queue.dequeue(ms(361), &mut NoOutcomes).is_none());
    assert_eq!(queue.bandwidth(ms(362)), None);
    assert!(queue.wants_idle_polls(), "so it is to be asked when it is empty");
}

#[test]
fn bandwidth_is_cleared_when_the_verdict_leaves_nothing_to_send() {
    let mut queue = octopus(json!({ "bandwidth": "restarted" }));
    measured(&mut queue, 0);
    let header = OctopusHeader { bitrate_threshold: 9000, ..solo(1) };
    enqueue(&mut queue, [labelled(1, 1000, header)], ms(359));
    assert!(queue.dequeue(ms(360), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(ms(361), &mut NoOutcomes).is_none());
    assert_eq!(queue.bandwidth(ms(361)), None);
}

#[test]
fn bandwidth_is_cleared_when_a_packet_finds_the_link_free() {
    let mut queue = octopus(json!({ "bandwidth": "restarted" }));
    measured(&mut queue, 0);
    assert!(queue.dequeue(ms(360), &mut NoOutcomes).is_some());
    // No poll in between.
    assert!(queue.pass(packet(1, 1000), ms(370), &mut NoOutcomes).is_some());
    assert_eq!(queue.bandwidth(ms(371)), None);
}

#[test]
fn by_default_idle_time_is_left_out_of_the_window() {
    let mut queue = octopus(json!({}));
    measured(&mut queue, 0);
    assert!(queue.dequeue(ms(360), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(ms(361), &mut NoOutcomes).is_none(), "idle from 361 ms on");
    for t in [362, 375, 410] {
        assert_eq!(queue.bandwidth(ms(t)), Some(Rate::from_mbit(8)), "at {t} ms");
    }
    assert_eq!(queue.bandwidth(ms(411)), None, "50 ms of idle time");
    // A packet waits from 380 ms on; at 390 ms these 10 ms are busy, and those before 361 ms.
    let mut queue = octopus(json!({}));
    measured(&mut queue, 0);
    assert!(queue.dequeue(ms(360), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(ms(361), &mut NoOutcomes).is_none());
    enqueue(&mut queue, [packet(1, 1000)], ms(380));
    let expected = Rate::of(jettison_core::Bytes::new(21_000), Duration::from_millis(31));
    assert_eq!(queue.bandwidth(ms(390)), Some(expected), "from 340 ms on");
}

#[test]
fn a_link_that_sends_nothing_for_the_whole_window_has_no_bandwidth() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    let header = |number| OctopusHeader { bitrate_threshold: 1, ..solo(number) };
    enqueue(&mut queue, (0..2).map(|number| labelled(number, 1000, header(number))), ms(0));
    assert!(queue.dequeue(ms(49), &mut tally).is_some(), "not known yet");
    let mut queue = octopus(json!({}));
    enqueue(&mut queue, (0..2).map(|number| labelled(number, 1000, header(number))), ms(0));
    assert!(queue.dequeue(ms(50), &mut tally).is_none());
    assert_eq!(tally.drops.len(), 2);
}

#[test]
fn dropped_messages_use_no_capacity() {
    let (mut queue, mut tally) = (octopus(json!({})), Tally::default());
    // Every other message of 1,000 bytes is stale; one of the others departs per millisecond.
    for number in 0..200 {
        let header = OctopusHeader { priority: 7 * (number % 2) as u8, ..solo(number) };
        enqueue(&mut queue, [labelled(number, 1000, header)], ms(0));
    }
    enqueue(
        &mut queue,
        [labelled(900, 1000, OctopusHeader { drop_flag: true, threshold: 7, ..solo(900) })],
        ms(0),
    );
    for t in 1..=60 {
        assert!(queue.dequeue(ms(t), &mut tally).is_some());
    }
    assert!(tally.drops.len() >= 59);
    assert_eq!(queue.bandwidth(ms(61)), Some(Rate::from_mbit(8)));
}

/// The share of a stream of the first flow beside `others` (packets of 1,000 bytes per 10 ms and stream) and other traffic
/// (`opaque`), after 200 ms, while 2,000 bytes depart per millisecond (16 Mbit/s).
fn share_beside(others: &[u32], opaque: u32) -> Option<Rate> {
    let mut queue = octopus(json!({ "limit": "unlimited" }));
    enqueue(&mut queue, (0..1000).map(|id| packet(id, 1000)), ms(0));
    let slot = queue.streams.touch(&labelled(0, 1000, solo(0)), 0, ms(0)).expect("there is room");
    for t in 300..=500 {
        if t % 10 == 0 {
            for (stream, count) in others.iter().enumerate() {
                let header = OctopusHeader { stream: 1 + stream as u16, ..solo(t as u32) };
                enqueue(&mut queue, (0..*count).map(|at| labelled(at, 1000, header)), ms(t));
            }
            enqueue(&mut queue, (0..opaque).map(|at| packet(at, 1000)), ms(t));
        }
        (0..2).for_each(|_| assert!(queue.dequeue(ms(t), &mut NoOutcomes).is_some()));
    }
    queue.share(slot, ms(500))
}

/// In tenths of a Mbit/s, rounded.
fn tenths(share: Option<Rate>) -> u64 {
    (share.expect("it is measured").as_bits() + 50_000) / 100_000
}

#[test]
fn a_single_stream_has_all_of_the_bandwidth() {
    assert_eq!(share_beside(&[], 0), Some(Rate::from_mbit(16)));
}

#[test]
fn several_streams_have_their_max_min_fair_share_given_the_measured_arrival_rates() {
    // One packet per 10 ms is 0.8 Mbit/s. (The window at 500 ms holds ten arrivals in 90 ms: 0.89.)
    assert_eq!(tenths(share_beside(&[100], 0)), 80);
    assert_eq!(tenths(share_beside(&[9], 0)), 80);
    assert_eq!(tenths(share_beside(&[100, 100, 100], 0)), 40);
    let small = 16.0 - 1000.0 * 8.0 * 10.0 / 90e3;
    assert_eq!(tenths(share_beside(&[1], 0)), (small * 10.0 + 0.5) as u64);
    assert_eq!(tenths(share_beside(&[1, 100], 0)), (small * 5.0 + 0.5) as u64);
}

#[test]
fn other_traffic_counts_as_one_more_stream() {
    assert_eq!(tenths(share_beside(&[], 100)), 80);
    assert_eq!(tenths(share_beside(&[100], 100)), 53);
}

#[test]
fn any_number_of_streams_is_supported() {
    let many = share_beside(&[30; 400], 0).expect("it is measured");
    assert_eq!(many, Rate::from_bits(16_000_000 / 401));
}

#[test]
fn a_full_buffer_drops_the_arrival() {
    let (mut queue, mut tally) =
        (built(json!({ "kind": "octopus", "limit": "2 packets" })), Tally::default());
    (0..3).for_each(|id| queue.enqueue(labelled(id, 1000, solo(id)), ms(0), &mut tally));
    assert_eq!(tally.drops, [(2, DropReason::BufferFull, ms(0))]);
    assert_eq!(queue.backlog(), Backlog { packets: 2, bytes: 2000 });
}

#[test]
fn slack_and_whole_message_only_are_off_unless_chosen() {
    let run = |parameters: serde_json::Value, wait: u64| {
        let (mut queue, mut tally) = (octopus(parameters), Tally::default());
        let header = OctopusHeader { slack: 100, ..solo(1) };
        enqueue(&mut queue, [packet(0, 100)], ms(0));
        // The tail of message 1 is lost.
        enqueue(&mut queue, message(1, 3, 1000, header).drain(..2), ms(0));
        enqueue(&mut queue, [labelled(9, 1000, dropper(2))], ms(0));
        drain(&mut queue, ms(wait), &mut tally);
        tally.drops.len()
    };
    assert_eq!(run(json!({}), 1), 2);
    assert_eq!(run(json!({ "slack": true }), 99), 0);
    assert_eq!(run(json!({ "slack": true }), 100), 2);
    // That a newer message's tail came says that this one's would have come: messages come one after the other.
    assert_eq!(run(json!({ "whole_message_only": true }), 1), 2);
    let (mut queue, mut tally) = (octopus(json!({ "whole_message_only": true })), Tally::default());
    measured(&mut queue, 0);
    let header = OctopusHeader { bitrate_threshold: 9000, ..solo(1) };
    enqueue(&mut queue, message(1, 3, 1000, header).drain(..2), ms(359));
    assert_eq!(queue.dequeue(ms(360), &mut tally).map(|packet| packet.meta.id), Some(1060));
    assert_eq!(queue.dequeue(ms(361), &mut tally).map(|packet| packet.meta.id), Some(1));
}

#[test]
fn state_is_constant_for_each_stream() {
    let mut queue = octopus(json!({}));
    for number in 0..10_000u32 {
        let header = OctopusHeader { stream: (number % 3) as u16, ..solo(number / 3) };
        enqueue(&mut queue, [labelled(number, 1000, header)], ms(u64::from(number)));
        assert!(queue.dequeue(ms(u64::from(number)), &mut NoOutcomes).is_some());
    }
    assert_eq!(queue.streams.others(0).count(), 2);
    assert!(size_of::<Stream>() <= 512, "{}", size_of::<Stream>());
}

#[test]
fn defaults_are_those_of_the_paper_and_invalid_parameters_are_refused() {
    let defaults = OctopusParameters::default();
    assert_eq!(
        (defaults.ports, defaults.bandwidth, defaults.min_samples),
        (vec![4433], IdleTime::Discounted, None)
    );
    assert_eq!(
        (defaults.window, defaults.arrival_window),
        (Duration::from_millis(50), Duration::from_millis(100))
    );
    assert!(!defaults.slack && !defaults.whole_message_only && !defaults.stretch_window);
    assert_eq!(build_error(json!({ "kind": "octopus", "ports": [] })).0, "ports");
    assert_eq!(build_error(json!({ "kind": "octopus", "ports": [0] })).0, "ports");
    assert_eq!(build_error(json!({ "kind": "octopus", "window": "0 ms" })).0, "window");
    assert_eq!(build_error(json!({ "kind": "octopus", "arrival_window": "0 ms" })).0, "arrival_window");
    assert_eq!(build_error(json!({ "kind": "octopus", "min_samples": 0 })).0, "min_samples");
    assert_eq!(build_error(json!({ "kind": "octopus", "stretch_window": true })).0, "stretch_window");
    assert_eq!(build_error(json!({ "kind": "octopus", "max_streams": 0 })).0, "max_streams");
}

#[test]
fn a_flood_of_streams_is_bounded_and_drops_nothing() {
    let (mut queue, mut tally) =
        (octopus(json!({ "max_streams": 64, "limit": "1000 packets" })), Tally::default());
    // All streams have a packet in the queue, and one of the first has a dropper.
    for stream in 0..200u16 {
        let header = OctopusHeader { stream, ..solo(1) };
        enqueue(&mut queue, [labelled(u32::from(stream), 1000, header)], ms(0));
    }
    for stream in [7, 150] {
        enqueue(&mut queue, [labelled(1000, 1000, OctopusHeader { stream, ..dropper(2) })], ms(1));
    }
    assert_eq!((queue.streams.count(), queue.streams.overflows()), (64, (137, 0)));
    assert_eq!(drain(&mut queue, ms(2), &mut tally).len(), 201);
    assert_eq!(tally.drops, [(7, DropReason::StaleMessage, ms(2))], "150 counts as other traffic");
    // With an empty queue, new streams replace silent ones.
    for stream in 200..60_000u16 {
        let header = OctopusHeader { stream, ..solo(1) };
        enqueue(&mut queue, [labelled(1, 1000, header)], ms(3));
        drain(&mut queue, ms(3), &mut tally);
    }
    assert_eq!((queue.streams.count(), queue.streams.overflows()), (64, (137, 59_800)));
}
