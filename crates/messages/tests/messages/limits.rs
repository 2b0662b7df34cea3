//! Bounds of a receiver among hostile datagrams, and what must work in spite of them: restarts, outages, wraps.

use jettison_core::{Bytes, Duration, Time};
use jettison_messages::{Connection, Limits, MessageParams, OctopusParameters, Transmit};
use jettison_tcp::Payload;
use jettison_wire::{MessageNumber, OctopusHeader, PacketKind, Position, SequenceHeader};

use super::harness::*;
use crate::hostile::{self, Attacker};

/// A data packet with 100 bytes after its headers.
fn forged(sequence: u32, stream: u16, number: u32, index: u16) -> Vec<u8> {
    with_flags(0, sequence, stream, number, index)
}

fn with_flags(flags: u8, sequence: u32, stream: u16, number: u32, index: u16) -> Vec<u8> {
    let header = SequenceHeader { kind: PacketKind::Data, flags, index, sequence };
    let label = OctopusHeader {
        position: if index == 0 { Position::First } else { Position::Middle },
        message: MessageNumber::new(number),
        priority: 0,
        drop_flag: false,
        threshold: 0,
        bitrate_threshold: 0,
        slack: 0,
        stream,
    };
    [&header.emit()[..], &label.emit()].concat()
}

fn inject(net: &mut Net, datagram: &[u8]) {
    net.ends[1].handle_datagram(datagram, Payload::Zeros(100), 0, net.now);
}

/// Sends `count` messages of 100 bytes, one each 10 ms, after `hostile` for each.
fn send_among(net: &mut Net, count: u64, mut hostile: impl FnMut(&mut Net, u32)) {
    for number in 0..count {
        hostile(net, number as u32);
        net.send(100);
        net.run_until(net.now + ms(10));
    }
    net.run_until(net.now + ms(2_000));
}

#[test]
fn a_hundred_thousand_hostile_datagrams_leave_the_stream_alive_and_memory_bounded() {
    let outcome = hostile::run(1_000, 100, Attacker::Outsider);
    assert!(outcome.hostile >= 100_000);
    assert_eq!((outcome.delivered, outcome.foreign), (1_000, 0), "{outcome:?}");
    assert!(outcome.most_memory < 1 << 20 && outcome.most_streams < 10, "{outcome:?}");
    let receiver = outcome.receiver;
    let refused = [receiver.malformed, receiver.implausible_packets, receiver.implausible_messages];
    assert!(refused.iter().all(|count| *count > 1_000), "{receiver:?}");
}

#[test]
fn one_who_knows_the_next_sequence_number_gets_no_more_than_the_limits() {
    let outcome = hostile::run(100, 1_000, Attacker::Insider);
    assert!(outcome.hostile >= 100_000);
    assert!(outcome.most_memory <= (16 << 20) && outcome.most_streams <= 256, "{outcome:?}");
    let receiver = outcome.receiver;
    assert!(outcome.most_memory > 3 << 20 && receiver.recovered > 0, "{outcome:?}");
    assert!(receiver.parity_refused > 0 && receiver.streams_refused > 0, "{receiver:?}");
}

#[test]
fn a_forged_sequence_number_far_ahead_is_refused() {
    let mut net = Net::new(ms(1), &parameters());
    send_among(&mut net, 100, |net, number| {
        if number == 11 {
            inject(net, &forged(1 << 31, 1, number, 0));
        }
    });
    assert_eq!(net.delivered().len(), 100);
    assert_eq!(net.statistics(1).implausible_packets, 1);
}

#[test]
fn forged_sequence_numbers_that_confirm_each_other_do_not_displace_the_senders() {
    let mut net = Net::new(ms(1), &parameters());
    send_among(&mut net, 100, |net, number| {
        for step in 0..2 {
            inject(net, &forged((1 << 31) + (number << 16) + step, 1, number + (1 << 27) + step, 0));
        }
    });
    assert_eq!(net.delivered(), (0..100).collect::<Vec<_>>());
    assert_eq!(net.statistics(0).packets_lost, 0);
}

#[test]
fn forged_message_numbers_far_ahead_are_refused_even_if_they_confirm_each_other() {
    let mut net = Net::new(ms(1), &parameters());
    net.send(100);
    net.run_until(at(10));
    send_among(&mut net, 99, |net, number| {
        // Plausible sequence numbers, ahead of the sender's and then behind.
        for (sequence, step) in [(200 + number, 0), (201 + number, 1), (number.saturating_sub(1), 2)] {
            inject(net, &forged(sequence, 1, (1 << 28) + step, 0));
        }
    });
    assert_eq!(net.delivered(), (0..100).collect::<Vec<_>>());
    let statistics = net.statistics(1);
    assert!((197..=200).contains(&statistics.implausible_messages), "{statistics:?}");
}

#[test]
fn a_forged_number_little_ahead_does_not_stop_the_sender() {
    let mut net = Net::new(ms(1), &parameters());
    // The receiver acknowledges it together with the sender's packets, and a later packet has the same number.
    send_among(&mut net, 100, |net, number| {
        if number == 5 {
            inject(net, &forged(50, 2, 0, 0));
        }
    });
    assert_eq!(net.delivered(), (0..100).collect::<Vec<_>>());
    assert_eq!(net.statistics(0).packets_acknowledged, 100, "{:?}", net.statistics(0));
}

#[test]
fn streams_are_limited_and_the_active_ones_stay() {
    let limits = Limits { streams: 16, ..Limits::default() };
    let mut net = Net::new(ms(1), &OctopusParameters { limits, ..parameters() });
    net.send(100);
    net.run_until(at(10));
    send_among(&mut net, 99, |net, number| {
        for stream in 0..100 {
            let sequence = 200 + 100 * number + stream;
            inject(net, &forged(sequence, (100 * number + stream + 2) as u16, 0, 7));
        }
    });
    let statistics = net.statistics(1);
    assert_eq!(statistics.receive_streams, 16);
    assert!(statistics.streams_refused > 8_000, "{statistics:?}");
    assert_eq!(net.delivered().iter().filter(|number| **number < 100).count(), 100);
    // A silent stream makes room for a new one.
    net.run_until(net.now + ms(2_000));
    inject(&mut net, &forged(150, 60_000, 0, 7));
    assert_eq!((net.statistics(1).receive_streams, net.statistics(1).streams_evicted), (16, 1));
}

#[test]
fn memory_is_limited_by_discarding_the_message_least_recently_used() {
    let limits = Limits { memory: Some(Bytes::new(100_000)), ..Limits::default() };
    let mut net = Net::new(ms(1), &OctopusParameters { limits, ..parameters() });
    net.send(100);
    net.run_until(at(10));
    // Heads of messages of 1,000 bytes each; the first one stays in use.
    let mut sequence = 1;
    for number in 1..500 {
        for part in [1, number] {
            let index = if part == 1 { number as u16 } else { 1 };
            sequence += 1;
            net.ends[1].handle_datagram(&forged(sequence, 1, part, index), Payload::Zeros(200), 0, net.now);
        }
        assert!(net.statistics(1).receive_memory <= 100_000);
    }
    let statistics = net.statistics(1);
    assert!(statistics.messages_evicted > 100, "{statistics:?}");
    // A message larger than the memory is discarded as well.
    for index in 1..2_000 {
        sequence += 1;
        net.ends[1].handle_datagram(&forged(sequence, 1, 600, index), Payload::Zeros(900), 0, net.now);
        assert!(net.statistics(1).receive_memory <= 100_000);
    }
}

#[test]
fn a_large_index_costs_memory_that_counts() {
    let mut end = build(&parameters());
    for stream in 0..=u16::MAX {
        end.handle_datagram(
            &forged(u32::from(stream), stream, 0, u16::MAX),
            Payload::Zeros(8),
            0,
            Time::ZERO,
        );
    }
    let statistics = end.statistics();
    let refused = statistics.streams_refused + statistics.implausible_packets;
    assert_eq!((statistics.receive_streams, refused), (256, 65_536 - 256));
    assert!((2 << 20..4 << 20).contains(&statistics.receive_memory), "8 kB each: {statistics:?}");
}

#[test]
fn parity_is_limited_at_both_ends() {
    let limits = Limits { parity: 5, ..Limits::default() };
    let parameters = OctopusParameters { parity: 1.0, limits, ..parameters() };
    let mut net = Net::new(ms(1), &parameters);
    net.script(|seen| if seen.is_data() && seen.header.index < 4 { Fate::Drop } else { Fate::Pass });
    net.send(9_000);
    net.run_until(at(100));
    assert_eq!((net.statistics(0).parity_sent, net.delivered()), (5, vec![0]), "5 for 10 data packets");
    let content = [0, 10, 0, 50];
    for index in 10..100 {
        let header = with_flags(SequenceHeader::FLAG_PARITY, 100 + u32::from(index), 1, 1, index);
        let head = [&header[..], &content].concat();
        net.ends[1].handle_datagram(&head, Payload::Zeros(96), 0, net.now);
    }
    assert_eq!(net.statistics(1).parity_refused, 85);
}

#[test]
fn a_repeated_number_opens_neither_streams_nor_messages_beyond_the_next() {
    let mut end = build(&parameters());
    end.handle_datagram(&forged(0, 1, 0, 1), Payload::Zeros(8), 0, Time::ZERO);
    let memory = end.statistics().receive_memory;
    for (stream, number) in [(2, 0), (1, 2), (1, 900)] {
        end.handle_datagram(&forged(0, stream, number, 0), Payload::Zeros(8), 0, Time::ZERO);
    }
    let statistics = end.statistics();
    assert_eq!((statistics.receive_memory, statistics.receive_streams), (memory, 1));
    assert_eq!((statistics.duplicates, statistics.packets_superfluous), (3, 3));
}

#[test]
fn waiting_acks_are_limited() {
    let mut end = build(&parameters());
    for sequence in 0..5_000 {
        end.handle_datagram(&forged(sequence, 1, 0, 1), Payload::Zeros(8), 0, Time::ZERO);
    }
    assert_eq!(std::iter::from_fn(|| end.poll_transmit(Time::ZERO)).count(), 1_024);
    assert_eq!(end.statistics().acks_discarded, 5_000 - 1_024);
}

#[test]
fn datagrams_larger_than_udp_permits_are_malformed() {
    let mut end = build(&parameters());
    end.handle_datagram(&forged(0, 1, 0, 0), Payload::Zeros(u64::MAX), 0, Time::ZERO);
    assert_eq!((end.statistics().malformed, end.statistics().receive_memory), (1, 0));
}

/// Replaces the sender by one that begins again, after `sent` messages; returns how many of 100 further ones arrive,
/// one each 100 ms.
fn delivered_after_a_restart(parameters: &OctopusParameters, sent: u64) -> usize {
    let mut net = Net::new(ms(5), parameters);
    net.keeps_log = false;
    for _ in 0..sent {
        net.send(100);
        net.run_until(net.now + ms(1));
    }
    net.run_until(net.now + ms(100));
    assert_eq!(net.received[1].len() as u64, sent);
    net.ends[0] = build(parameters);
    let before = net.received[1].len();
    for _ in 0..100 {
        net.send(100);
        net.run_until(net.now + ms(100));
    }
    net.run_until(net.now + ms(3_000));
    net.received[1].len() - before
}

#[test]
fn a_sender_that_begins_again_is_heard_again() {
    for sent in [2, 30, 500, 6_000] {
        for first_sequence in [0, u32::MAX - 20] {
            let parameters = OctopusParameters { first_sequence, ..parameters() };
            // Until its numbers are confirmed, what it sends is lost.
            let delivered = delivered_after_a_restart(&parameters, sent);
            assert!((70..=100).contains(&delivered), "{sent} messages, then {delivered} of 100");
        }
    }
}

#[test]
fn a_sender_may_begin_again_after_more_packets_than_are_remembered() {
    let delivered = delivered_after_a_restart(&parameters(), 70_000);
    assert!((90..=100).contains(&delivered), "{delivered}");
}

#[test]
fn numbers_wrap_during_an_outage_of_many_packets() {
    // All of 6,000 packets in flight are lost.
    let parameters = OctopusParameters {
        initial_window: 6_000,
        first_sequence: u32::MAX - 2_000,
        first_message: (1 << 29) - 100,
        send_buffer: Bytes::new(16 << 20),
        ..parameters()
    };
    let mut net = Net::new(ms(10), &parameters);
    net.send(100);
    net.run_until(at(100));
    net.script(|seen| if seen.at < at(1_000) { Fate::Drop } else { Fate::Pass });
    for _ in 0..500 {
        net.send(11_700);
    }
    net.run_until(at(10_000));
    assert!(net.statistics(0).packets_lost >= 6_000);
    let before = net.delivered().len();
    for _ in 0..50 {
        net.send(100);
        net.run_until(net.now + ms(10));
    }
    net.run_until(net.now + ms(1_000));
    assert_eq!(net.delivered().len() - before, 50);
}

#[test]
fn a_stream_is_heard_again_after_an_outage_of_many_messages() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if (at(500)..at(60_000)).contains(&seen.at) { Fate::Drop } else { Fate::Pass });
    // The newest message makes all older ones obsolete, so the send buffer drops most of them during the outage.
    let params = MessageParams { drop_flag: true, ..MessageParams::default() };
    for _ in 0..6_200 {
        net.send_with(1, Payload::Zeros(100).into(), params).expect("there is room");
        net.run_until(net.now + ms(10));
    }
    net.run_until(net.now + ms(1_000));
    // The sender tries again within a second; then one packet confirms the other.
    let late: Vec<u32> = net.delivered().into_iter().filter(|number| *number >= 6_110).collect();
    assert_eq!(late, (6_110..6_200).collect::<Vec<_>>());
}

#[test]
fn a_stream_whose_first_messages_were_lost_is_heard() {
    let mut end = build(&parameters());
    let mut sender = build(&OctopusParameters { first_message: 5_000, ..parameters() });
    let mut delivered = Vec::new();
    for step in 0..10 {
        let now = Time::ZERO + Duration::from_millis(150 * step);
        sender.send(1, Payload::Zeros(100).into(), MessageParams::default(), now).expect("there is room");
        exchange(&mut sender, &mut end, now);
        delivered.extend(std::iter::from_fn(|| end.poll_message()).map(|message| message.number.get()));
    }
    // Until then, earlier messages may come.
    assert_eq!(delivered, (5_007..5_010).collect::<Vec<_>>());
}

fn exchange(from: &mut Connection, to: &mut Connection, now: Time) {
    while let Some(Transmit { head, rest, traffic_class, .. }) = from.poll_transmit(now) {
        to.handle_datagram(head.as_slice(), rest, traffic_class, now);
    }
    while let Some(Transmit { head, rest, traffic_class, .. }) = to.poll_transmit(now) {
        from.handle_datagram(head.as_slice(), rest, traffic_class, now);
    }
}
