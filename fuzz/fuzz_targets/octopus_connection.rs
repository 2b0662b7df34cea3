//! Octopus connections: any datagrams at any times, between two ends that also talk to each other. No panic; the state of a
//! receiver stays within its limits, an end sends a bounded number of datagrams at one time, and each message has at most one
//! outcome.

#![no_main]

use std::collections::VecDeque;
use std::sync::Arc;

use arbitrary::Arbitrary;
use jettison_core::{Bytes, Duration, Time};
use jettison_messages::{
    Connection, Limits, MessageParams, MessagePayload, OctopusParameters, Repair, StreamOptions, Transmit,
};
use jettison_tcp::Payload;
use jettison_wire::{InlineBytes, MessageNumber, OctopusHeader, PacketKind, Position, SequenceHeader};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Setup {
    first_sequence: u32,
    first_message: u32,
    parity: u8,
    repair: u8,
    ack_every: u8,
    congestion: u8,
    reassembly: u8,
    overtake: bool,
}

#[derive(Debug, Arbitrary)]
enum Step {
    /// Any bytes.
    Bytes {
        to: bool,
        bytes: Vec<u8>,
        rest: u16,
        traffic_class: u8,
    },
    /// A packet near the numbers that the end knows.
    Near {
        to: bool,
        flags: u8,
        index: u16,
        ahead: i16,
        stream: u8,
        number: i16,
        content: Vec<u8>,
        rest: u16,
    },
    /// The same with any numbers.
    Far {
        to: bool,
        flags: u8,
        index: u16,
        sequence: u32,
        stream: u16,
        number: u32,
        rest: u16,
    },
    Probe {
        to: bool,
        ahead: i16,
    },
    Ack {
        to: bool,
        behind: u8,
        cumulative: i8,
        blocks: Vec<(i8, u8)>,
    },
    Open {
        end: bool,
        stream: u8,
    },
    Send {
        end: bool,
        stream: u8,
        length: u16,
        dropper: bool,
        priority: u8,
        real: bool,
    },
    /// Delivers datagrams in flight.
    Deliver(u8),
    Lose(u8),
    /// Delivers an old datagram again.
    Replay {
        to: bool,
        at: u8,
    },
    Restart {
        end: bool,
    },
    Advance(u16),
    AdvanceFar(u32),
}

/// Most datagrams of an end at one time.
const MOST_SENT: usize = 70_000;
const MEMORY: u64 = 64 << 10;
const STREAMS: u32 = 8;

struct Net {
    parameters: Arc<OctopusParameters>,
    ends: [Connection; 2],
    now: Time,
    in_flight: VecDeque<(usize, Transmit)>,
    old: Vec<Transmit>,
    /// The newest number sent by each end.
    newest: [u32; 2],
}

fn end(parameters: &Arc<OctopusParameters>, now: Time) -> Connection {
    let files = |name: &str| Err(format!("no file {name}"));
    let controller =
        parameters.controller(&parameters.path_context(None, &files)).expect("a known controller");
    Connection::new(parameters, controller, now)
}

impl Net {
    fn new(setup: &Setup) -> Net {
        let limits =
            Limits { streams: STREAMS, memory: Some(Bytes::new(MEMORY)), parity: 16, ..Limits::default() };
        let parameters = Arc::new(OctopusParameters {
            mss: 200,
            congestion: ["newreno", "bbr", "cubic"][usize::from(setup.congestion) % 3].into(),
            repair: [Repair::None, Repair::Retransmit, Repair::WhileFresh][usize::from(setup.repair) % 3],
            parity: f64::from(setup.parity % 32) / 16.0,
            ack_every: 1 + u32::from(setup.ack_every % 4),
            reassembly: 1 + u32::from(setup.reassembly),
            overtake: setup.overtake,
            first_sequence: setup.first_sequence,
            first_message: setup.first_message % (1 << MessageNumber::BITS),
            limits,
            ..OctopusParameters::default()
        });
        parameters.validate().expect("valid parameters");
        let ends = [end(&parameters, Time::ZERO), end(&parameters, Time::ZERO)];
        let newest = [parameters.first_sequence; 2];
        Net { parameters, ends, now: Time::ZERO, in_flight: VecDeque::new(), old: Vec::new(), newest }
    }

    fn hand(&mut self, to: usize, head: &[u8], rest: Payload, traffic_class: u8) {
        self.ends[to].handle_datagram(
            &head[..head.len().min(InlineBytes::CAPACITY)],
            rest,
            traffic_class,
            self.now,
        );
    }

    fn data(
        &mut self,
        to: usize,
        header: SequenceHeader,
        label: OctopusHeader,
        content: &[u8],
        rest: Payload,
    ) {
        let head = [&header.emit()[..], &label.emit(), content].concat();
        self.hand(to, &head, rest, 0);
    }

    /// Sends what may leave, and takes what has arrived.
    fn pump(&mut self) {
        for from in 0..2 {
            let mut sent = 0;
            while let Some(datagram) = self.ends[from].poll_transmit(self.now) {
                sent += 1;
                assert!(
                    sent <= MOST_SENT,
                    "too many datagrams at one time: {:?}",
                    self.ends[from].statistics()
                );
                if let Some(header) = SequenceHeader::parse(datagram.head.as_slice())
                    && header.kind != PacketKind::Ack
                {
                    self.newest[from] = header.sequence;
                }
                if self.old.len() < 64 {
                    self.old.push(datagram.clone());
                }
                if self.in_flight.len() < 1_000 {
                    self.in_flight.push_back((1 - from, datagram));
                }
            }
            while self.ends[from].poll_message().is_some() {}
            while self.ends[from].poll_event().is_some() {}
            self.check(from);
        }
    }

    fn check(&self, end: usize) {
        let s = self.ends[end].statistics();
        assert!(s.receive_streams <= u64::from(STREAMS), "{s:?}");
        // Besides incomplete messages, streams have windows of at most 1,024 numbers.
        assert!(s.receive_memory <= MEMORY + u64::from(STREAMS) * (16 << 10), "{s:?}");
        let ended = [s.acknowledged, s.dropped_stale, s.dropped_over_bitrate, s.lost];
        assert!(ended.iter().map(|tally| tally.messages).sum::<u64>() <= s.accepted.messages, "{s:?}");
        assert!(ended.iter().map(|tally| tally.bytes).sum::<u64>() <= s.accepted.bytes, "{s:?}");
    }

    fn wake(&mut self) {
        for end in 0..2 {
            if self.ends[end].next_wakeup().is_some_and(|at| at <= self.now) {
                self.ends[end].handle_wakeup(self.now);
            }
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Bytes { to, bytes, rest, traffic_class } => {
                self.hand(usize::from(to), &bytes, Payload::Zeros(u64::from(rest)), traffic_class);
            }
            Step::Near { to, flags, index, ahead, stream, number, content, rest } => {
                let to = usize::from(to);
                let sequence = self.newest[1 - to].wrapping_add_signed(i32::from(ahead));
                let number = self.parameters.first_message.wrapping_add_signed(i32::from(number));
                let rest = Payload::Bytes(vec![7; usize::from(rest % 300)].into());
                self.data(
                    to,
                    header(flags, index, sequence),
                    label(u16::from(stream % 10), number, index),
                    &content,
                    rest,
                );
            }
            Step::Far { to, flags, index, sequence, stream, number, rest } => {
                let rest = Payload::Zeros(u64::from(rest));
                self.data(
                    usize::from(to),
                    header(flags, index, sequence),
                    label(stream, number, index),
                    &[],
                    rest,
                );
            }
            Step::Probe { to, ahead } => {
                let to = usize::from(to);
                let sequence = self.newest[1 - to].wrapping_add_signed(i32::from(ahead));
                let header = SequenceHeader { kind: PacketKind::Probe, ..header(0, 0, sequence) };
                self.hand(to, &header.emit(), Payload::Zeros(0), 3);
            }
            Step::Ack { to, behind, cumulative, blocks } => {
                let to = usize::from(to);
                let newest = self.newest[to];
                let made_by = newest.wrapping_sub(u32::from(behind));
                let header = SequenceHeader { kind: PacketKind::Ack, ..header(0, 9, made_by) };
                let mut bytes = header.emit().to_vec();
                bytes.extend(self.now.as_nanos().to_be_bytes()[..4].iter());
                bytes.extend(newest.wrapping_add_signed(i32::from(cumulative)).to_be_bytes());
                for (start, length) in blocks.into_iter().take(3) {
                    let start = newest.wrapping_add_signed(i32::from(start));
                    bytes.extend(start.to_be_bytes());
                    bytes.extend(start.wrapping_add(u32::from(length)).to_be_bytes());
                }
                self.hand(to, &bytes, Payload::Zeros(0), 0);
            }
            Step::Open { end, stream } => {
                self.ends[usize::from(end)]
                    .open_stream(u16::from(stream % 10), StreamOptions { reliable: stream > 127 });
            }
            Step::Send { end, stream, length, dropper, priority, real } => {
                let rest = match real {
                    true => Payload::Bytes(vec![5; usize::from(length % 5_000)].into()),
                    false => Payload::Zeros(u64::from(length)),
                };
                let payload = MessagePayload { head: InlineBytes::default(), rest };
                let params =
                    MessageParams { priority: priority % 8, drop_flag: dropper, ..MessageParams::default() };
                let _ = self.ends[usize::from(end)].send(u16::from(stream % 10), payload, params, self.now);
            }
            Step::Deliver(count) => {
                for _ in 0..count {
                    let Some((to, Transmit { head, rest, traffic_class, .. })) = self.in_flight.pop_front()
                    else {
                        break;
                    };
                    self.hand(to, head.as_slice(), rest, traffic_class);
                }
            }
            Step::Lose(count) => drop(self.in_flight.drain(..usize::from(count).min(self.in_flight.len()))),
            Step::Replay { to, at } => {
                if let Some(Transmit { head, rest, traffic_class, .. }) =
                    self.old.get(usize::from(at)).cloned()
                {
                    self.hand(usize::from(to), head.as_slice(), rest, traffic_class);
                }
            }
            Step::Restart { end: which } => {
                self.ends[usize::from(which)] = end(&self.parameters, self.now);
            }
            Step::Advance(millis) => self.now += Duration::from_millis(u64::from(millis)),
            Step::AdvanceFar(millis) => self.now += Duration::from_millis(u64::from(millis)),
        }
    }
}

fn header(flags: u8, index: u16, sequence: u32) -> SequenceHeader {
    SequenceHeader { kind: PacketKind::Data, flags, index, sequence }
}

fn label(stream: u16, number: u32, index: u16) -> OctopusHeader {
    let position = match (index, number % 3) {
        (0, 0) => Position::Solo,
        (0, _) => Position::First,
        (_, 0) => Position::Last,
        _ => Position::Middle,
    };
    OctopusHeader {
        position,
        message: MessageNumber::new(number),
        priority: 0,
        drop_flag: false,
        threshold: 0,
        bitrate_threshold: 0,
        slack: 0,
        stream,
    }
}

fuzz_target!(|input: (Setup, Vec<Step>)| {
    let (setup, steps) = input;
    let mut net = Net::new(&setup);
    for step in steps {
        net.step(step);
        net.wake();
        net.pump();
    }
});
