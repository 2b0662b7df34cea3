//! Messages, their packets and their labels.

use jettison_messages::{
    MessageEvent, MessageParams, MessagePayload, OctopusParameters, SendError, StreamOptions,
};
use jettison_tcp::Payload;
use jettison_wire::{Ecn, InlineBytes, MessageNumber, Position};

use super::harness::*;

fn number(value: u32) -> MessageNumber {
    MessageNumber::new(value)
}

#[test]
fn a_message_is_divided_delivered_and_acknowledged() {
    let mut net = Net::new(ms(10), &parameters());
    let head = InlineBytes::new(b"sixteen bytes...").expect("they fit");
    let payload = MessagePayload { head, rest: Payload::Zeros(2444) };
    net.send_with(5, payload.clone(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(1000));
    let data = net.data();
    let sizes: Vec<_> = data.iter().map(|seen| seen.bytes).collect();
    assert_eq!(sizes, [1000, 1000, 520], "2,460 message bytes and 20 of headers each");
    let positions: Vec<_> = data.iter().filter_map(|seen| seen.label).map(|label| label.position).collect();
    assert_eq!(positions, [Position::First, Position::Middle, Position::Last]);
    assert_eq!(data.iter().map(|seen| seen.header.sequence).collect::<Vec<_>>(), [0, 1, 2]);
    let (when, message) = &net.received[1][0];
    assert_eq!((message.stream, message.number, &message.payload), (5, number(0), &payload));
    assert_eq!((*when, message.first_at), (at(10), at(10)));
    assert_eq!(net.events[0], [(at(20), MessageEvent::Acknowledged { stream: 5, number: number(0) })]);
}

#[test]
fn real_bytes_arrive_unchanged() {
    let mut net = Net::new(ms(10), &parameters());
    let bytes: Vec<u8> = (0..5000u32).map(|i| (i * 7 % 256) as u8).collect();
    let payload = MessagePayload { head: InlineBytes::default(), rest: Payload::from(&bytes[..]) };
    net.send_with(1, payload.clone(), MessageParams::default()).expect("there is room");
    net.run_to_end(at(1000));
    assert_eq!(net.received[1][0].1.payload, payload);
}

#[test]
fn data_flows_in_both_directions() {
    let mut net = Net::new(ms(10), &parameters());
    net.send(3000);
    net.ends[1]
        .send(9, Payload::Zeros(2000).into(), MessageParams::default(), net.now)
        .expect("there is room");
    net.run_to_end(at(1000));
    assert_eq!(net.received[1][0].1.payload.len(), 3000);
    assert_eq!((net.received[0][0].1.stream, net.received[0][0].1.payload.len()), (9, 2000));
    assert_eq!(net.events[1].len(), 1);
}

#[test]
fn each_packet_carries_its_messages_label() {
    let mut net = Net::new(ms(10), &OctopusParameters { dscp: 40, ..parameters() });
    let params =
        MessageParams { priority: 3, drop_flag: true, threshold: 2, bitrate_threshold: 700, slack: 300 };
    net.send_with(8, Payload::Zeros(1500).into(), params).expect("there is room");
    for seen in net.data() {
        let label = seen.label.expect("data has one");
        assert_eq!((label.stream, label.message.get(), label.priority, label.threshold), (8, 0, 3, 2));
        assert_eq!((label.drop_flag, label.bitrate_threshold, label.slack), (true, 700, 300));
        assert_eq!(seen.traffic_class, 40 << 2 | Ecn::NotEct as u8);
    }
}

#[test]
fn the_slack_on_the_wire_is_less_by_the_time_at_the_sender() {
    // A window of ten packets: the second message waits for the ACKs of the first.
    let mut net = Net::new(ms(50), &parameters());
    net.send(9_800);
    let params = MessageParams { slack: 300, ..MessageParams::default() };
    net.send_with(1, Payload::Zeros(500).into(), params).expect("there is room");
    net.send_with(1, Payload::Zeros(500).into(), MessageParams { slack: 60, ..params })
        .expect("there is room");
    net.run_to_end(at(1000));
    let slacks: Vec<_> = net.data().iter().skip(10).filter_map(|seen| seen.label).map(|l| l.slack).collect();
    assert_eq!(slacks, [200, 0]);
}

#[test]
fn each_message_is_delivered_as_soon_as_it_is_complete() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 1 { Fate::Late(ms(5)) } else { Fate::Pass });
    net.send(1900);
    net.send(1900);
    net.run_to_end(at(1000));
    assert_eq!(net.delivered(), [1, 0], "the second one does not wait for the first");
    assert_eq!(net.received[1][1].1.first_at, at(10));
}

#[test]
fn duplicates_on_the_path_are_ignored() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|_| Fate::Twice(ms(3)));
    net.send(2500);
    net.send(100);
    net.run_to_end(at(1000));
    assert_eq!(net.delivered(), [0, 1]);
    assert_eq!((net.statistics(1).duplicates, net.statistics(1).delivered.bytes), (4, 2600));
}

#[test]
fn invalid_messages_are_refused_without_a_number() {
    let parameters = OctopusParameters { send_buffer: "100 kB".parse().expect("a size"), ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    let zeros = |bytes| MessagePayload::from(Payload::Zeros(bytes));
    let plain = MessageParams::default();
    let refuse =
        |net: &mut Net, payload, params| net.send_with(1, payload, params).expect_err("it is refused");
    assert_eq!(refuse(&mut net, zeros(0), plain), SendError::Empty);
    assert_eq!(
        refuse(&mut net, zeros(100_001), plain),
        SendError::TooLarge { length: 100_001, capacity: 100_000 }
    );
    let head = InlineBytes::new(&[1; 21]).expect("below 40");
    assert_eq!(
        refuse(&mut net, MessagePayload { head, rest: Payload::Zeros(0) }, plain),
        SendError::Head(21)
    );
    assert_eq!(refuse(&mut net, zeros(1), MessageParams { priority: 8, ..plain }), SendError::Level(8));
    assert_eq!(refuse(&mut net, zeros(1), MessageParams { slack: 512, ..plain }), SendError::Slack(512));
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    assert_eq!(refuse(&mut net, zeros(1), MessageParams { priority: 1, ..plain }), SendError::Reliable(1));
    assert_eq!(net.statistics(0).accepted.messages, 0);
    assert_eq!(net.send(10), number(0), "no number was assigned");
}

#[test]
fn a_full_send_buffer_refuses_messages_until_it_has_room() {
    let parameters = OctopusParameters { send_buffer: "50 kB".parse().expect("a size"), ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    // Ten packets leave at once.
    net.send(40_000);
    let room = 50_000 - (40_000 - 9_800);
    let error = net.send_with(1, Payload::Zeros(30_000).into(), MessageParams::default());
    assert_eq!(error, Err(SendError::Full { length: 30_000, room }));
    assert_eq!(net.ends[0].estimate(net.now).backlog, 30_200);
    net.send(room);
    net.run_to_end(at(5000));
    net.send(50_000);
    net.run_to_end(at(5000));
    assert_eq!(net.statistics(0).refused.messages, 1);
    assert_eq!(net.statistics(1).delivered.bytes, 40_000 + room + 50_000);
}

#[test]
fn sequence_and_message_numbers_wrap() {
    let parameters =
        OctopusParameters { first_sequence: u32::MAX - 20, first_message: (1 << 29) - 5, ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    net.script(|seen| if seen.is_data() && seen.nth % 9 == 7 { Fate::Drop } else { Fate::Pass });
    net.ends[0].open_stream(1, StreamOptions { reliable: true });
    for _ in 0..40 {
        net.send(3000);
    }
    net.run_to_end(at(20_000));
    let mut delivered: Vec<_> =
        net.delivered().iter().map(|n| n.wrapping_sub((1 << 29) - 5) % (1 << 29)).collect();
    delivered.sort_unstable();
    assert_eq!(delivered, (0..40).collect::<Vec<_>>());
    assert!(net.data().iter().any(|seen| seen.header.sequence < 100), "they wrapped");
    assert_eq!(net.statistics(0).acknowledged.messages, 40);
}
