//! Malformed datagrams.

use jettison_core::Time;
use jettison_messages::{MessageParams, Transmit};
use jettison_tcp::Payload;
use proptest::prelude::*;

use super::harness::*;

/// Three packets of a message, as they leave.
fn packets() -> Vec<Transmit> {
    let mut sender = build(&parameters());
    sender
        .send(1, Payload::Zeros(2_500).into(), MessageParams::default(), Time::ZERO)
        .expect("there is room");
    std::iter::from_fn(|| sender.poll_transmit(Time::ZERO)).collect()
}

#[test]
fn foreign_datagrams_are_counted_and_ignored() {
    let mut receiver = build(&parameters());
    let whole = packets().remove(0).head;
    let whole = whole.as_slice();
    let mut other_version = whole.to_vec();
    other_version[8] = 0x20;
    for bytes in [&[][..], &[9; 30], &whole[..7], &whole[..19], &other_version] {
        receiver.handle_datagram(bytes, Payload::Zeros(100), 0, Time::ZERO);
    }
    receiver.handle_datagram(&whole[..20], Payload::Zeros(0), 0, Time::ZERO);
    assert_eq!(receiver.statistics().malformed, 6);
    assert_eq!(receiver.poll_transmit(Time::ZERO), None, "nothing is acknowledged");
}

#[test]
fn an_ack_of_unsent_packets_is_ignored() {
    let mut receiver = build(&parameters());
    for packet in packets() {
        receiver.handle_datagram(packet.head.as_slice(), packet.rest, 0, Time::ZERO);
    }
    let mut other = build(&parameters());
    while let Some(ack) = receiver.poll_transmit(Time::ZERO) {
        other.handle_datagram(ack.head.as_slice(), ack.rest, 0, Time::ZERO);
    }
    let statistics = other.statistics();
    assert_eq!((statistics.malformed, statistics.acks_received, statistics.in_flight), (3, 0, 0));
}

proptest! {
    #[test]
    fn no_bytes_make_an_endpoint_panic(
        datagrams in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..41), 0u64..3000, any::<u8>()), 0..60),
    ) {
        let mut end = build(&parameters());
        end.send(1, Payload::Zeros(5_000).into(), MessageParams::default(), Time::ZERO).expect("there is room");
        let mut now = Time::ZERO;
        for (bytes, rest, traffic_class) in datagrams {
            while end.poll_transmit(now).is_some() {}
            end.handle_datagram(&bytes, Payload::Zeros(rest), traffic_class, now);
            now += ms(7);
            end.handle_wakeup(now);
        }
    }

    /// Flipped bits in valid datagrams reach deeper code than random bytes.
    #[test]
    fn no_flipped_bits_make_an_endpoint_panic(
        flips in prop::collection::vec((0usize..6, 0usize..320), 0..30), is_parity: bool,
    ) {
        let parameters = jettison_messages::OctopusParameters {
            parity: if is_parity { 0.5 } else { 0.0 },
            ..parameters()
        };
        let mut ends = [build(&parameters), build(&parameters)];
        for end in &mut ends {
            end.send(1, Payload::Zeros(2_500).into(), MessageParams::default(), Time::ZERO).expect("there is room");
        }
        for round in 0..4u64 {
            let now = Time::from_millis(10 * round);
            for from in 0..2 {
                let mut nth = 0;
                while let Some(datagram) = ends[from].poll_transmit(now) {
                    let mut bytes = datagram.head.as_slice().to_vec();
                    for (_, bit) in flips.iter().filter(|(which, _)| *which == nth) {
                        if let Some(byte) = bytes.get_mut(bit / 8) {
                            *byte ^= 1 << (bit % 8);
                        }
                    }
                    nth += 1;
                    ends[1 - from].handle_datagram(&bytes, datagram.rest, datagram.traffic_class, now);
                }
            }
        }
    }
}
