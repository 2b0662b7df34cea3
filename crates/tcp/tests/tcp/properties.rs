//! Invariants under arbitrary network behaviour.

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_tcp::Payload;
use jettison_tcp::congestion::{Growth, controllers};
use jettison_tcp::{CloseReason, ConnectionEvent, EcnSwitch, RestartRule, Switch, TcpParameters};
use jettison_wire::{Address, Headers, Packet, TcpFlags, TcpHeader, Transport};
use proptest::prelude::*;

use crate::harness::*;

/// A small generator of random network events (splitmix64).
struct Events(u64);

impl Events {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn per_mille(&mut self, share: u64) -> bool {
        self.next() % 1000 < share
    }
}

#[derive(Debug, Clone, Copy)]
struct Weather {
    seed: u64,
    loss: u64,
    reordering: u64,
    duplication: u64,
    marks: u64,
}

fn weather() -> impl Strategy<Value = Weather> {
    (any::<u64>(), 0u64..200, 0u64..200, 0u64..100, 0u64..200).prop_map(
        |(seed, loss, reordering, duplication, marks)| Weather { seed, loss, reordering, duplication, marks },
    )
}

fn bad(weather: Weather) -> impl FnMut(&Seen) -> Fate + 'static {
    let mut events = Events(weather.seed);
    move |_| {
        let lateness = ms(1 + events.next() % 30);
        if events.per_mille(weather.loss) {
            Fate::Drop
        } else if events.per_mille(weather.reordering) {
            Fate::Late(lateness)
        } else if events.per_mille(weather.duplication) {
            Fate::Twice(lateness)
        } else if events.per_mille(weather.marks) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    }
}

fn any_parameters() -> impl Strategy<Value = TcpParameters> {
    let switches = prop::array::uniform12(any::<bool>());
    let congestion = prop::sample::select(controllers().ids().collect::<Vec<_>>());
    (switches, congestion, 100u16..2000, 1u32..20, 2_000u64..300_000, 1u32..4, any::<bool>()).prop_map(
        |(on, congestion, mss, initial_window, buffer, delayed_ack_segments, per_ack)| TcpParameters {
            congestion: congestion.into(),
            mss,
            initial_window,
            receive_buffer: Bytes::new(buffer.max(u64::from(mss))),
            delayed_ack_segments,
            sack: on[1],
            rack_tlp: on[2],
            prr: on[3],
            timestamps: on[4],
            ecn: [[EcnSwitch::Auto, EcnSwitch::Off], [EcnSwitch::On, EcnSwitch::Accurate]]
                [usize::from(on[5])][usize::from(on[0])],
            limited_transmit: on[6],
            eifel: on[7],
            dsack: on[8],
            slow_start_after_idle: on[9],
            pacing: if on[10] { Switch::On } else { Switch::Auto },
            pacing_quantum: if on[11] { 4 } else { 1 },
            gso: on[9] != on[11],
            idle_restart: [RestartRule::Linux, RestartRule::Rfc5681, RestartRule::Rfc2861]
                [usize::from(on[3]) + usize::from(on[8])],
            growth: if per_ack { Growth::PerAck } else { Growth::PerByte },
            max_rto: Duration::from_secs(2),
            max_retransmissions: 1000,
            ..TcpParameters::default()
        },
    )
}

/// Writes of real and virtual bytes.
fn writes() -> impl Strategy<Value = Vec<(bool, u32)>> {
    prop::collection::vec((any::<bool>(), 1u32..8000), 0..12)
}

fn stream(writes: &[(bool, u32)], salt: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (real, length) in writes {
        let start = bytes.len();
        bytes.extend(
            (0..*length as usize).map(|i| if *real { ((start + i) % 250) as u8 ^ salt | 1 } else { 0 }),
        );
    }
    bytes
}

fn payloads(writes: &[(bool, u32)], stream: &[u8]) -> Vec<Payload> {
    let mut at = 0;
    let mut payloads = Vec::new();
    for (real, length) in writes {
        let end = at + *length as usize;
        payloads.push(if *real {
            Payload::from(&stream[at..end])
        } else {
            Payload::Zeros(u64::from(*length))
        });
        at = end;
    }
    payloads
}

fn flatten(payloads: &[Payload]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for payload in payloads {
        match payload {
            Payload::Bytes(real) => bytes.extend_from_slice(real),
            Payload::Zeros(count) => bytes.resize(bytes.len() + *count as usize, 0),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Every byte arrives exactly once and in order, in both directions, and both ends close.
    #[test]
    fn every_byte_arrives_once_in_order_and_both_ends_close(
        parameters in (any_parameters(), any_parameters()),
        weather in weather(),
        up in writes(),
        down in writes(),
        isn in any::<[u32; 2]>(),
    ) {
        let mut net = Net::new(ms(7));
        net.add_flow(&parameters.0, &parameters.1, Time::ZERO, isn);
        net.script(bad(weather));
        let (up_stream, down_stream) = (stream(&up, 0), stream(&down, 0x5a));
        for payload in payloads(&up, &up_stream) {
            net.client().write(payload);
        }
        net.client().close();
        while net.flows[0].server.is_none() {
            let next = net.now + ms(10);
            net.run_until(next);
            prop_assume!(!net.client().is_closed());
        }
        for payload in payloads(&down, &down_stream) {
            net.server().write(payload);
        }
        net.server().close();
        net.run_to_end(Time::from_secs(3000));
        // A handshake that loses seven SYN-ACKs in a row times out.
        let ends: Vec<CloseReason> = net.flows[0].events.iter().filter_map(|(_, _, event)| match event {
            ConnectionEvent::Closed { reason } => Some(*reason),
            _ => None,
        }).collect();
        prop_assume!(!ends.contains(&CloseReason::TimedOut));
        prop_assert!(flatten(&net.flows[0].received[1]) == up_stream, "client to server");
        prop_assert!(flatten(&net.flows[0].received[0]) == down_stream, "server to client");
        prop_assert_eq!(ends.len(), 2);
        prop_assert!(net.client().is_closed() && net.server().is_closed());
        prop_assert_eq!(net.client().unacknowledged(), 0);
    }

    /// The same network and the same parameters give the same packets.
    #[test]
    fn runs_are_deterministic(parameters in any_parameters(), weather in weather()) {
        let run = || {
            let mut net = Net::pair(ms(7), &parameters).with_bottleneck(Rate::from_mbit(10), 20);
            net.script(bad(weather));
            net.client().write(Payload::Zeros(100_000));
            net.run_until(Time::from_secs(20));
            net.log
        };
        prop_assert!(run() == run());
    }

    /// On a path without loss nothing is retransmitted, for any delay variation below a quarter of the RTT, if RACK is
    /// on.
    #[test]
    fn nothing_is_retransmitted_on_a_path_without_loss(parameters in any_parameters(), seed in any::<u64>(), length in 1u64..400_000) {
        let parameters = TcpParameters { sack: true, rack_tlp: true, ..parameters };
        let mut net = Net::pair(ms(50), &parameters);
        let mut events = Events(seed);
        net.script(move |_| if events.per_mille(50) { Fate::Mark } else { Fate::Pass });
        net.client().write(Payload::Zeros(length));
        net.client().close();
        // A constant window of one segment sends one per round trip or delayed acknowledgement.
        net.run_until(Time::from_secs(3000));
        prop_assert_eq!(net.flows[0].received_bytes[1], length);
        let statistics = net.statistics();
        prop_assert_eq!(statistics.timeouts, 0);
        prop_assert_eq!(statistics.segments_retransmitted, statistics.tail_loss_probes.min(statistics.segments_retransmitted));
        prop_assert_eq!(net.server().statistics().segments_received, statistics.segments_sent);
    }
}

fn any_header() -> impl Strategy<Value = (u8, i32, i32, u16, [i32; 6], [u32; 2], u16)> {
    let near = || prop_oneof![-3000i32..40_000, any::<i32>()];
    (any::<u8>(), near(), near(), any::<u16>(), prop::array::uniform6(near()), any::<[u32; 2]>(), 0u16..3000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// No packet, however malformed, makes an endpoint panic, or acknowledge or deliver data that was never sent.
    #[test]
    fn no_packet_causes_a_panic(
        parameters in any_parameters(),
        packets in prop::collection::vec(any_header(), 1..40),
    ) {
        let mut net = Net::established(ms(10), &parameters);
        net.send(30_000);
        for (flags, seq, ack, window, blocks, timestamps, length) in packets {
            // The peer's sequence numbers start at 2,000,001, ours at 1,001.
            let mut header = TcpHeader::new(80, 10_000);
            header.flags = TcpFlags(flags);
            header.seq = 2_000_001u32.wrapping_add(seq as u32);
            header.ack = 1_001u32.wrapping_add(ack as u32);
            header.window = window;
            if parameters.timestamps {
                header.options = TcpHeader::OPT_TIMESTAMPS;
                header.timestamps = timestamps;
            }
            for pair in blocks.chunks(2) {
                header.sack.push(1_001u32.wrapping_add(pair[0] as u32), 1_001u32.wrapping_add(pair[1] as u32));
            }
            let (src, dst) = (Address::v4(10, 0, 0, 2), Address::v4(10, 0, 0, 1));
            let headers = Headers { src, dst, transport: Transport::Tcp(header) };
            let now = net.now;
            net.client().handle_packet(&Packet::model(headers, usize::from(length)), now);
            net.pump(0);
            let until = now + ms(3);
            net.run_until(until);
            let statistics = net.statistics();
            prop_assert!(statistics.delivered <= 30_000);
            prop_assert!(statistics.flight_size <= 30_000);
        }
        net.run_until(Time::from_secs(30));
    }
}
