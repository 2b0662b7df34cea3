//! Forward error correction.

use jettison_messages::{MessageEvent, MessageParams, MessagePayload, OctopusParameters, Repair};
use jettison_tcp::Payload;
use jettison_wire::{InlineBytes, Position, SequenceHeader};

use super::harness::*;

fn with_parity(parity: f64, numbers: &'static [u64]) -> Net {
    let mut net = Net::new(ms(10), &OctopusParameters { parity, initial_window: 50, ..parameters() });
    net.script(
        move |seen| if seen.is_data() && numbers.contains(&seen.nth) { Fate::Drop } else { Fate::Pass },
    );
    net
}

fn message() -> MessagePayload {
    let head = InlineBytes::new(b"the head, really").expect("16 bytes");
    MessagePayload { head, rest: Payload::Zeros(9_000) }
}

#[test]
fn parity_follows_the_data_and_is_labelled() {
    let mut net = with_parity(0.25, &[]);
    let params = MessageParams { priority: 2, ..MessageParams::default() };
    net.send_with(1, message(), params).expect("there is room");
    let data = net.data();
    assert_eq!(data.len(), 10 + 3);
    let is_parity = |seen: &Seen| seen.header.flags & SequenceHeader::FLAG_PARITY != 0;
    assert!(data[..10].iter().all(|seen| !is_parity(seen)) && data[10..].iter().all(is_parity));
    let labels: Vec<_> = data.iter().filter_map(|seen| seen.label).collect();
    assert!(labels.iter().all(|label| label.priority == 2 && label.message.get() == 0));
    assert_eq!((labels[9].position, labels[12].position), (Position::Middle, Position::Last));
    assert_eq!(net.statistics(0).parity_sent, 3);
}

#[test]
fn parity_repairs_as_many_losses_as_there_are_parity_packets() {
    let mut net = with_parity(0.25, &[0, 3, 11]);
    net.send_with(1, message(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(5000));
    assert_eq!(net.received[1][0].1.payload, message(), "the head too, which was in the first packet");
    assert_eq!((net.statistics(1).recovered, net.statistics(0).packets_retransmitted), (1, 0));
    assert!(matches!(net.events[0][..], [(_, MessageEvent::Acknowledged { .. })]));
}

#[test]
fn one_more_loss_loses_the_message() {
    let mut net = with_parity(0.25, &[0, 3, 5, 11]);
    net.send_with(1, message(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(5000));
    assert!(net.received[1].is_empty());
    assert!(matches!(net.events[0][..], [(_, MessageEvent::Lost { .. })]));
}

#[test]
fn only_losses_beyond_parity_are_retransmitted() {
    let parameters =
        OctopusParameters { parity: 0.1, repair: Repair::Retransmit, initial_window: 50, ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    net.script(|seen| if seen.is_data() && [2, 4, 6].contains(&seen.nth) { Fate::Drop } else { Fate::Pass });
    net.send_with(1, message(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(5000));
    assert_eq!(net.received[1][0].1.payload, message());
    assert_eq!(net.statistics(0).packets_retransmitted, 2, "three losses, one parity packet");
}

#[test]
fn parity_of_real_bytes_is_real() {
    let mut net = with_parity(0.5, &[1, 2, 4]);
    let bytes: Vec<u8> = (0..5_777u32).map(|i| (i * i % 251) as u8).collect();
    let payload = MessagePayload { head: InlineBytes::default(), rest: Payload::from(&bytes[..]) };
    net.send_with(1, payload.clone(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(5000));
    let (_, message) = &net.received[1][0];
    let Payload::Bytes(rest) = &message.payload.rest else { panic!("real bytes") };
    // Packets rebuilt from parity may split head and rest elsewhere: the bytes are the same.
    let whole: Vec<u8> = message.payload.head.as_slice().iter().chain(rest.iter()).copied().collect();
    assert_eq!(whole, bytes);
}
