//! Invariants under arbitrary loss, delay, reordering and duplication.

use std::collections::BTreeSet;

use jettison_core::Rate;
use jettison_messages::path::MessageController;
use jettison_messages::{
    MessageEvent, MessageParams, MessagePayload, OctopusParameters, Repair, SendError, StreamOptions,
};
use jettison_registry::Choice;
use jettison_tcp::Payload;
use jettison_wire::InlineBytes;
use proptest::prelude::*;

use super::harness::*;

/// A random fate: one in eight is lost, one late, one duplicated.
fn fate(draw: u8) -> Fate {
    match draw % 24 {
        0..=2 => Fate::Drop,
        3..=5 => Fate::Late(ms(u64::from(draw))),
        6 => Fate::Twice(ms(u64::from(draw) / 4)),
        7 => Fate::Mark,
        _ => Fate::Pass,
    }
}

/// Applies the fates in turn, cyclically, for `until` ms, since a pattern may lose everything.
fn disturb(net: &mut Net, fates: Vec<u8>, until: u64) {
    let mut count = 0;
    net.script(move |seen| {
        count += 1;
        let is_over = seen.at > at(until) || fates.is_empty();
        if is_over { Fate::Pass } else { fate(fates[count % fates.len()]) }
    });
}

fn congestion() -> impl Strategy<Value = Choice<MessageController>> {
    prop::sample::select(vec!["bbr", "cubic", "newreno"]).prop_map(Choice::plain)
}

/// A head that identifies the message.
fn head(number: usize) -> InlineBytes {
    InlineBytes::new(&[0xA5, number as u8, 3, 4]).expect("four bytes")
}

/// Whether a payload is that of message `number` with `length` bytes.
fn is_the_sent_message(payload: &MessagePayload, number: usize, length: u64) -> bool {
    payload.len() == length
        && payload.head.as_slice()[..4.min(length as usize)] == head(number).as_slice()[..]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_reliable_stream_delivers_everything(
        fates in prop::collection::vec(any::<u8>(), 0..200), lengths in prop::collection::vec(4u64..20_000, 1..40),
        congestion in congestion(), parity in prop::sample::select(vec![0.0, 0.2]), ack_every in 1u32..4,
    ) {
        let parameters = OctopusParameters { congestion, parity, ack_every, reassembly: 8, ..parameters() };
        let mut net = Net::new(ms(10), &parameters);
        disturb(&mut net, fates, 30_000);
        net.ends[0].open_stream(1, StreamOptions { reliable: true });
        for (number, length) in lengths.iter().enumerate() {
            let payload = MessagePayload { head: head(number), rest: Payload::Zeros(length - 4) };
            net.send_with(1, payload, MessageParams::default()).expect("there is room");
        }
        net.run_to_end(at(3_000_000));
        let numbers: BTreeSet<u32> = net.delivered().into_iter().collect();
        prop_assert_eq!(numbers.len(), lengths.len());
        prop_assert_eq!(net.received[1].len(), lengths.len(), "each once");
        for (_, message) in &net.received[1] {
            let number = message.number.get() as usize;
            prop_assert!(is_the_sent_message(&message.payload, number, lengths[number]), "{:?}", message);
        }
        prop_assert_eq!(net.statistics(0).acknowledged.messages, lengths.len() as u64);
        prop_assert_eq!(net.statistics(0).in_flight, 0);
    }

    #[test]
    fn every_message_has_one_outcome_and_no_part_of_one_is_delivered(
        fates in prop::collection::vec(any::<u8>(), 0..200),
        messages in prop::collection::vec((4u64..15_000, 0u8..4, any::<bool>(), 0u8..4, 0u32..3000, 0u64..40), 1..60),
        congestion in congestion(), repair in 0u8..3, parity in prop::sample::select(vec![0.0, 0.1, 0.5]),
        rate in prop::sample::select(vec![0u64, 1, 5]),
    ) {
        let repair = [Repair::None, Repair::Retransmit, Repair::WhileFresh][usize::from(repair)];
        let send_buffer = "60 kB".parse().expect("a size");
        let parameters = OctopusParameters { congestion, repair, parity, send_buffer, ..parameters() };
        let mut net = Net::new(ms(10), &parameters);
        if rate > 0 {
            net = net.with_bottleneck(Rate::from_mbit(rate), 20);
        }
        disturb(&mut net, fates, 30_000);
        let mut lengths = Vec::new();
        for (length, priority, drop_flag, threshold, bitrate_threshold, pause) in messages {
            let params = MessageParams { priority, drop_flag, threshold, bitrate_threshold, slack: 0 };
            let payload = MessagePayload { head: head(lengths.len()), rest: Payload::Zeros(length - 4) };
            match net.send_with(1, payload, params) {
                Ok(_) => lengths.push(length),
                Err(error) => prop_assert!(matches!(error, SendError::Full { .. }), "{:?}", error),
            }
            net.run_until(net.now + ms(pause));
        }
        net.run_to_end(at(3_000_000));

        // Complete messages only, each once.
        let mut seen = BTreeSet::new();
        for (_, message) in &net.received[1] {
            let number = message.number.get() as usize;
            prop_assert!(seen.insert(number));
            prop_assert!(is_the_sent_message(&message.payload, number, lengths[number]), "{:?}", message);
        }
        // One outcome each, and acknowledged messages were delivered.
        let mut ends = BTreeSet::new();
        for (_, event) in &net.events[0] {
            let (number, is_acknowledged) = match event {
                MessageEvent::Acknowledged { number, .. } => (number, true),
                MessageEvent::Dropped { number, .. } | MessageEvent::Lost { number, .. } => (number, false),
            };
            prop_assert!(ends.insert(number.get()), "{:?} came twice", number);
            prop_assert!(!is_acknowledged || seen.contains(&(number.get() as usize)));
        }
        prop_assert_eq!(ends.len(), lengths.len());
        // Bytes in = acknowledged + dropped + lost.
        let s = net.statistics(0);
        let out = s.acknowledged.bytes + s.dropped_stale.bytes + s.dropped_over_bitrate.bytes + s.lost.bytes;
        prop_assert_eq!(s.accepted.bytes, out);
        prop_assert_eq!(s.accepted.bytes, lengths.iter().sum::<u64>());
        prop_assert_eq!((s.in_flight, s.backlog), (0, 0));
    }

    #[test]
    fn without_disturbance_everything_arrives(
        lengths in prop::collection::vec(1u64..30_000, 1..40), congestion in congestion(),
        first_sequence: u32, first_message in 0u32..1 << 29,
    ) {
        let parameters = OctopusParameters { congestion, first_sequence, first_message, ..parameters() };
        let mut net = Net::new(ms(10), &parameters);
        for length in &lengths {
            net.send(*length);
        }
        net.run_to_end(at(600_000));
        prop_assert_eq!(net.received[1].len(), lengths.len());
        prop_assert_eq!(net.statistics(0).packets_lost, 0);
        prop_assert_eq!(net.statistics(1).malformed + net.statistics(0).malformed, 0);
    }
}
