//! Random arrivals for the comparisons.

use jettison_core::{Duration, RandomStream, Seed, Time};
use jettison_wire::{
    Address, Ecn, Headers, InlineBytes, MessageNumber, OctopusHeader, Packet, PacketKind, Position,
    SequenceHeader, Transport, UdpHeader,
};

/// Rate of the congested links in bits per second.
pub const RATE: u64 = 10_000_000;

/// The arrivals of a test.
pub type Arrivals = Vec<(Time, Packet)>;

/// Parameters of the traffic.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Number of packets.
    pub packets: u32,
    /// Mean offered rate while on, relative to the link's rate.
    pub offered: f64,
    /// Packets of a burst, and the pause behind it; none for traffic without pauses.
    pub bursts: Option<(u32, Duration)>,
    /// Whether packets have many sizes; else all have 1,000 bytes.
    pub sizes: bool,
    /// ECN fields to choose from.
    pub ecn: &'static [Ecn],
    /// DSCPs of flows 0 to 3.
    pub dscp: [u8; 4],
}

impl Load {
    pub const STEADY: Load =
        Load { packets: 20_000, offered: 1.1, bursts: None, sizes: true, ecn: &[Ecn::NotEct], dscp: [0; 4] };
    pub const BURSTS: Load =
        Load { bursts: Some((400, Duration::from_millis(300))), offered: 1.6, ..Load::STEADY };

    /// Four flows to 10.0.1.1, each from its own source network.
    pub fn arrivals(self, seed: u64) -> Arrivals {
        let mut random = Seed(seed).stream(&["traffic"]);
        let mut now = Time::from_millis(1);
        let mut arrivals = Arrivals::new();
        for id in 0..self.packets {
            let flow = random.uniform(0, 3) as u8;
            let length =
                if self.sizes { [40, 120, 700, 1_500, 1_500][random.uniform(0, 4) as usize] } else { 1_000 };
            let mut packet = udp(Address::v4(10, 0, 10 + flow, 1), 5000, &[], length - 28);
            packet.meta.id = id;
            let ecn = self.ecn[random.uniform(0, self.ecn.len() as u64 - 1) as usize];
            packet.meta.traffic_class = self.dscp[usize::from(flow)] << 2 | ecn as u8;
            arrivals.push((now, packet));
            now = now.saturating_add(gap(&mut random, self.offered));
            if let Some((burst, pause)) = self.bursts
                && (id + 1) % burst == 0
            {
                now = now.saturating_add(pause);
            }
        }
        arrivals
    }
}

/// The time to the next packet. The mean size is 786 bytes with its Ethernet header.
fn gap(random: &mut RandomStream, offered: f64) -> Duration {
    Duration::from_secs_f64(random.exponential(786.0 * 8.0 / RATE as f64 / offered))
}

fn udp(src: Address, port: u16, inline: &[u8], payload: usize) -> Packet {
    let inline = InlineBytes::new(inline).expect("they fit");
    let transport = Transport::Udp(UdpHeader { src_port: port, dst_port: port, inline });
    let mut packet = Packet::model(Headers { src, dst: Address::v4(10, 0, 1, 1), transport }, payload);
    packet.meta.hop_limit = 64;
    packet
}

/// Messages of one to six packets, of four streams in two flows, every third a dropper. Each message is a burst above
/// the link's rate.
pub fn messages(count: u32, seed: u64) -> Arrivals {
    streams_of_messages(count, seed, 4, 0)
}

/// The same of one stream, in which every other message has a bitrate threshold of up to twice the link's rate.
pub fn messages_with_bitrates(count: u32, seed: u64) -> Arrivals {
    streams_of_messages(count, seed, 1, 2 * RATE / 1000)
}

fn streams_of_messages(count: u32, seed: u64, streams: u64, highest: u64) -> Arrivals {
    let mut random = Seed(seed).stream(&["messages"]);
    let mut next = [0u32; 4];
    let (mut now, mut id, mut arrivals) = (Time::from_millis(1), 0, Arrivals::new());
    for _ in 0..count {
        let stream = random.uniform(0, streams - 1) as usize;
        let parts = random.uniform(1, 6) as u16;
        let header = OctopusHeader {
            position: Position::Solo,
            message: MessageNumber::new(next[stream]),
            priority: random.uniform(0, 7) as u8,
            drop_flag: random.uniform(0, 2) == 0,
            threshold: random.uniform(0, 7) as u8,
            bitrate_threshold: if highest > 0 {
                (random.uniform(0, 1) * random.uniform(0, highest)) as u32
            } else {
                0
            },
            slack: 0,
            stream: stream as u16,
        };
        next[stream] += 1;
        for index in 0..parts {
            let position = match (index, parts) {
                (_, 1) => Position::Solo,
                (0, _) => Position::First,
                (last, parts) if last + 1 == parts => Position::Last,
                _ => Position::Middle,
            };
            let sequence = SequenceHeader { kind: PacketKind::Data, flags: 0, index, sequence: id };
            let bytes = [&sequence.emit()[..], &OctopusHeader { position, ..header }.emit()].concat();
            let mut packet = udp(Address::v4(10, 0, 10 + (stream % 2) as u8, 1), 4433, &bytes, 1_000);
            packet.meta.id = id;
            arrivals.push((now, packet));
            id += 1;
            now = now.saturating_add(Duration::from_micros(50));
        }
        now = now.saturating_add(gap(&mut random, 0.4));
        if random.uniform(0, 40) == 0 {
            now = now.saturating_add(Duration::from_millis(20));
        }
    }
    arrivals
}
