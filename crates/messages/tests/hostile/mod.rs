//! An honest stream of messages among hostile datagrams. The tests and a benchmark (`xtask`) share this file.
//!
//! The attacker sends to both ends, with any source address. An *outsider* knows streams, message numbers, old packets and
//! sequence numbers that have been used, but not the sequence number of the next packet. An *insider* does: it can take the
//! place of any packet, as nothing is authenticated, so only memory and work are bounded then.

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_messages::{
    Connection, MessageParams, MessagePayload, OctopusParameters, OctopusStatistics, Transmit,
};
use jettison_tcp::Payload;
use jettison_wire::{InlineBytes, MessageNumber, OctopusHeader, PacketKind, Position, SequenceHeader};

/// The honest stream.
const STREAM: u16 = 1;
/// Bytes of an honest message: three packets.
const LENGTH: usize = 2_500;
/// Time between honest messages.
const INTERVAL: Duration = Duration::from_millis(10);
/// Bytes of a full hostile packet.
const FULL: usize = 1_400;
/// Honest datagrams kept for replay.
const RECORDED: usize = 1_000;

/// Result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Honest messages that arrived with their contents.
    pub delivered: u32,
    /// Messages of the honest stream that arrived with other contents, or again.
    pub foreign: u32,
    /// Hostile datagrams.
    pub hostile: u64,
    /// Largest memory for incomplete messages in bytes, and number of streams.
    pub most_memory: u64,
    pub most_streams: u64,
    /// The counters of both ends.
    pub sender: OctopusStatistics,
    pub receiver: OctopusStatistics,
}

/// What the attacker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attacker {
    Outsider,
    Insider,
}

/// Sends `messages` honest messages over a path without losses, and `hostile` or little more hostile datagrams for each.
pub fn run(messages: u32, hostile: u32, attacker: Attacker) -> Outcome {
    let mut scene = Scene::new(attacker);
    if attacker == Attacker::Insider {
        // Before other streams take all places.
        (0..8).for_each(|_| scene.parity());
    }
    for number in 0..messages {
        scene.send(number);
        // The packets of a message leave together: hostile datagrams come between them as well.
        loop {
            let sent = scene.ends[0].poll_transmit(scene.now);
            if scene.outcome.hostile < u64::from(number + 1) * u64::from(hostile) {
                scene.attack(hostile / 8);
            }
            let Some(datagram) = sent else { break };
            scene.record(&datagram);
            scene.pass(1, datagram);
        }
        while scene.outcome.hostile < u64::from(number + 1) * u64::from(hostile) {
            scene.attack(1);
        }
        scene.now += INTERVAL;
        for end in 0..2 {
            scene.ends[end].handle_wakeup(scene.now);
            scene.answer(end);
        }
    }
    scene.outcome.sender = scene.ends[0].statistics();
    scene.outcome.receiver = scene.ends[1].statistics();
    scene.outcome
}

struct Scene {
    attacker: Attacker,
    ends: [Connection; 2],
    now: Time,
    random: Random,
    recorded: Vec<Transmit>,
    replayed: usize,
    /// The newest sequence number that was sent, and number of the newest message.
    sequence: u32,
    message: u32,
    /// Whether each honest message has arrived.
    arrived: Vec<bool>,
    outcome: Outcome,
}

impl Scene {
    fn new(attacker: Attacker) -> Scene {
        let parameters = Arc::new(OctopusParameters { mss: 980, ..OctopusParameters::default() });
        let files = |name: &str| Err(format!("no file {name}"));
        let end = || {
            let context = parameters.path_context(None, &files);
            let controller = parameters.controller(&context).expect("the default controller");
            Connection::new(&parameters, controller, Time::ZERO)
        };
        Scene {
            attacker,
            ends: [end(), end()],
            now: Time::ZERO,
            random: Random(0x9e37_79b9_7f4a_7c15),
            recorded: Vec::new(),
            replayed: 0,
            sequence: 0,
            message: 0,
            arrived: Vec::new(),
            outcome: Outcome {
                delivered: 0,
                foreign: 0,
                hostile: 0,
                most_memory: 0,
                most_streams: 0,
                sender: OctopusStatistics::default(),
                receiver: OctopusStatistics::default(),
            },
        }
    }

    /// An honest message: its number, then bytes that depend on it.
    fn contents(number: u32) -> Vec<u8> {
        let mut bytes = number.to_be_bytes().to_vec();
        bytes.resize(LENGTH, number as u8 | 1);
        bytes
    }

    fn send(&mut self, number: u32) {
        self.message = number;
        self.arrived.push(false);
        let payload = MessagePayload {
            head: InlineBytes::default(),
            rest: Payload::from(&Scene::contents(number)[..]),
        };
        let sent = self.ends[0].send(STREAM, payload, MessageParams::default(), self.now);
        assert!(sent.is_ok(), "the send buffer is full: {:?}", self.ends[0].statistics());
    }

    fn record(&mut self, datagram: &Transmit) {
        if let Some(header) = SequenceHeader::parse(datagram.head.as_slice()) {
            self.sequence = self.sequence.max(header.sequence);
        }
        if self.recorded.len() < RECORDED {
            self.recorded.push(datagram.clone());
        }
    }

    /// Hands a datagram to an end, and what it answers to the other one.
    fn pass(&mut self, to: usize, datagram: Transmit) {
        let Transmit { head, rest, traffic_class, .. } = datagram;
        self.ends[to].handle_datagram(head.as_slice(), rest, traffic_class, self.now);
        if to == 1 {
            self.answer(1);
        }
    }

    fn answer(&mut self, end: usize) {
        while end == 1
            && let Some(Transmit { head, rest, traffic_class, .. }) = self.ends[1].poll_transmit(self.now)
        {
            self.ends[0].handle_datagram(head.as_slice(), rest, traffic_class, self.now);
        }
        while let Some(message) = self.ends[end].poll_message() {
            if end == 0 || message.stream != STREAM {
                continue;
            }
            let number = message.number.get();
            let is_honest = matches!(&message.payload.rest, Payload::Bytes(rest)
                if [message.payload.head.as_slice(), rest].concat() == Scene::contents(number));
            match self.arrived.get_mut(number as usize).filter(|_| is_honest) {
                Some(arrived) if !*arrived => {
                    *arrived = true;
                    self.outcome.delivered += 1;
                }
                _ => self.outcome.foreign += 1,
            }
        }
        while self.ends[end].poll_event().is_some() {}
    }

    fn attack(&mut self, count: u32) {
        for _ in 0..count {
            match self.random.below(16) {
                0 => self.random_bytes(),
                1..=3 => self.random_fields(),
                4 | 5 => self.replay(),
                6 => self.forged_jumps(),
                7 => self.forged_message_jumps(),
                8..=11 => self.many_streams(),
                12 => self.parity(),
                13 | 14 => self.acks(),
                _ => self.probe(),
            }
        }
        let statistics = self.ends[1].statistics();
        self.outcome.most_memory = self.outcome.most_memory.max(statistics.receive_memory);
        self.outcome.most_streams = self.outcome.most_streams.max(statistics.receive_streams);
    }

    fn hostile(&mut self, to: usize, head: &[u8], rest: Payload) {
        self.outcome.hostile += 1;
        let head = InlineBytes::new(head).expect("at most 40 bytes");
        self.pass(to, Transmit { head, rest, traffic_class: 0, fragment: None });
    }

    /// `length` bytes that are not zero.
    fn real(length: usize) -> Payload {
        Payload::Bytes(vec![0xA5; length].into())
    }

    fn data(&mut self, header: SequenceHeader, label: OctopusHeader, content: &[u8], length: usize) {
        let mut head = [&header.emit()[..], &label.emit(), content].concat();
        head.truncate(InlineBytes::CAPACITY);
        self.hostile(1, &head, Scene::real(length));
    }

    fn random_bytes(&mut self) {
        let length = self.random.below(41) as usize;
        let bytes: Vec<u8> = (0..length).map(|_| self.random.next() as u8).collect();
        let to = self.random.below(2) as usize;
        self.hostile(to, &bytes, Payload::Zeros(0));
    }

    /// Valid headers with random fields.
    fn random_fields(&mut self) {
        let (index, sequence) = (self.random.next() as u16, self.random.next() as u32);
        let flags = self.random.below(8) as u8;
        let stream = if self.random.below(2) == 0 { STREAM } else { self.random.next() as u16 };
        let number = self.random.next() as u32;
        self.data(data(flags, index, sequence), label(stream, number, index), &[0, 9, 0, 9], 500);
    }

    fn replay(&mut self) {
        self.replayed += 1;
        let Some(datagram) = self.recorded.get(self.replayed % self.recorded.len().max(1)) else {
            return self.random_bytes();
        };
        let datagram = datagram.clone();
        self.outcome.hostile += 1;
        let to = usize::from(self.random.below(8) > 0);
        self.pass(to, datagram);
    }

    /// Pairs of packets that confirm each other, anywhere ahead or behind.
    fn forged_jumps(&mut self) {
        let jump = match self.random.below(3) {
            0 => 1 << 31,
            1 => 1 << 20,
            _ => self.random.next() as u32,
        };
        let number = self.message.wrapping_add(self.random.next() as u32);
        for step in 0..2 {
            let sequence = self.sequence.wrapping_add(jump).wrapping_add(step);
            self.data(data(0, 0, sequence), label(STREAM, number.wrapping_add(step), 0), &[1, 2], 900);
        }
    }

    /// A plausible sequence number: one that has been used, or the next one.
    fn plausible(&mut self) -> u32 {
        if self.attacker == Attacker::Insider {
            // Slowly, as what is refused does not count: numbers must not run away.
            self.sequence += u32::from(self.random.below(4) == 0);
            return self.sequence;
        }
        self.sequence - self.random.below(u64::from(self.sequence.min(60_000)) + 1) as u32
    }

    /// Pairs of messages of the honest stream, far ahead, that confirm each other.
    fn forged_message_jumps(&mut self) {
        let jump =
            if self.random.below(2) == 0 { 1 << 28 } else { 2_000 + self.random.below(1 << 20) as u32 };
        for step in 0..2 {
            // Little ahead: no packet has had it.
            let sequence = self.sequence + 1 + self.random.below(3_000) as u32;
            let number = self.message.wrapping_add(jump + step);
            self.data(data(0, 0, sequence), label(STREAM, number, 0), &[1, 2], 900);
        }
    }

    /// Incomplete messages of other streams, with a large index.
    fn many_streams(&mut self) {
        let stream = (self.random.next() as u16).max(STREAM + 1);
        let (sequence, number) = (self.plausible(), self.random.below(1 << 10) as u32);
        let (index, length) = if self.random.below(2) == 0 { (u16::MAX, 8) } else { (7, FULL) };
        self.data(data(0, index, sequence), label(stream, number, index), &[], length);
    }

    /// Parity packets of messages that do not exist.
    fn parity(&mut self) {
        let stream = 20_000 + self.random.below(2) as u16;
        let number = (self.outcome.hostile >> 14) as u32;
        let index = 100 + self.random.below(400) as u16;
        let sequence = self.plausible();
        let header = data(SequenceHeader::FLAG_PARITY, index, sequence);
        self.data(header, label(stream, number, index), &[0, 100, 0, 60, 1, 2], 58);
    }

    fn acks(&mut self) {
        let mut head = vec![PacketKind::Ack as u8, 0];
        let length = [16, 24, 32, 40][self.random.below(4) as usize];
        head.extend((2..length).map(|_| self.random.next() as u8));
        self.hostile(0, &head, Payload::Zeros(0));
    }

    fn probe(&mut self) {
        let sequence = if self.random.below(2) == 0 { self.plausible() } else { self.random.next() as u32 };
        let header = SequenceHeader { kind: PacketKind::Probe, flags: 0, index: 0, sequence };
        self.hostile(1, &header.emit(), Payload::Zeros(0));
    }
}

fn data(flags: u8, index: u16, sequence: u32) -> SequenceHeader {
    SequenceHeader { kind: PacketKind::Data, flags, index, sequence }
}

/// The label of a packet with this index.
fn label(stream: u16, number: u32, index: u16) -> OctopusHeader {
    OctopusHeader {
        position: if index == 0 { Position::First } else { Position::Middle },
        message: MessageNumber::new(number),
        priority: 0,
        drop_flag: false,
        threshold: 0,
        bitrate_threshold: 0,
        slack: 0,
        stream,
    }
}

/// Xorshift (Marsaglia 2003): fast, and the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}
