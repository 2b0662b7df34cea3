//! A router in twenty lines: raw IP packets in, a queue discipline in front of a link, raw IP packets out.
//!
//! ```sh
//! cargo run -p jettison-examples --bin router                      # a generated UDP flow of 12 Mbit/s
//! cargo run -p jettison-examples --bin router -- IN.pcap OUT.pcap  # a capture of Ethernet frames or IP packets
//! ```
//!
//! Only `main` does I/O. Your own program calls `receive` for the packets of its device, writes the packets that `transmit`
//! returns, and waits for its device or for `next_wakeup`, whichever is earlier.

#![forbid(unsafe_code)]

use std::error::Error;
use std::fs::File;

use jettison_core::{DropReason, Rate, Time};
use jettison_link::{FixedRate, LinkModel};
use jettison_measure::{Outcomes, Tally};
use jettison_queue::QueueDiscipline;
use jettison_queue::codel::{Codel, CodelParameters};
use jettison_wire::image::{ImageError, Zeros};
use jettison_wire::{Address, Headers, Packet, Transport, UdpHeader};
use pcap_file::DataLink;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapReader, PcapTsResolution, PcapWriter};

/// One port: a discipline in front of a link.
struct Router {
    queue: Box<dyn QueueDiscipline>,
    link: FixedRate,
    /// Time at which the last bit of the last packet has left.
    free_at: Time,
    outcomes: Tally,
}

impl Router {
    /// Receives an IP packet and decrements its time to live. A packet that reaches zero is dropped (RFC 1812 §5.3.1).
    fn receive(&mut self, ip: &[u8], now: Time) -> Result<(), ImageError> {
        let mut packet = Packet::from_ip_image(ip, Zeros::Kept)?;
        match packet.meta.hop_limit {
            0 | 1 => self.outcomes.dropped(packet, DropReason::HopLimit, now),
            hops => {
                packet.set_hop_limit(hops - 1);
                self.queue.enqueue(packet, now, &mut self.outcomes);
            }
        }
        Ok(())
    }

    /// Returns the next IP packet, if the link is idle and the discipline has one.
    fn transmit(&mut self, now: Time) -> Option<Vec<u8>> {
        let packet = (self.free_at <= now).then(|| self.queue.dequeue(now, &mut self.outcomes)).flatten()?;
        let mut ip = Vec::new();
        packet.write_ip_image(&mut ip, usize::MAX);
        self.free_at = self.link.begin(u32::from(packet.meta.length) + self.link.overhead(), now);
        Some(ip)
    }

    /// Time of the next call of `transmit` without further arrivals. A discipline may request a wakeup too.
    fn next_wakeup(&self, now: Time) -> Option<Time> {
        let is_busy = self.free_at > now && self.queue.backlog().packets > 0;
        self.queue.next_wakeup().into_iter().chain(is_busy.then_some(self.free_at)).min()
    }
}

/// An arriving packet.
struct Arrival {
    at: Time,
    ip: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = std::env::args().skip(1);
    let arrivals = files.next().map_or_else(|| Ok(flow()), |file| capture(&file))?;
    let mut sent_to = files.next().map(|file| writer(&file)).transpose()?;
    let mut router = Router {
        queue: Box::new(Codel::new(&CodelParameters::default())?),
        link: FixedRate::new(Rate::from_mbit(10)),
        free_at: Time::ZERO,
        outcomes: Tally::default(),
    };

    let (received, mut sent, mut refused) = (arrivals.len(), 0, 0);
    let mut arrivals = arrivals.into_iter().peekable();
    let mut now = Time::ZERO;
    // Virtual time: each iteration advances to the next event.
    while arrivals.peek().is_some() || router.queue.backlog().packets > 0 {
        let arrival = arrivals.peek().map(|arrival| arrival.at);
        let next = arrival.into_iter().chain(router.next_wakeup(now)).min();
        now = next.ok_or("a discipline with a backlog must return a packet or request a wakeup")?;
        router.queue.handle_wakeup(now, &mut router.outcomes);
        while let Some(Arrival { ip, .. }) = arrivals.next_if(|arrival| arrival.at <= now) {
            refused += usize::from(router.receive(&ip, now).is_err());
        }
        while let Some(ip) = router.transmit(now) {
            sent += 1;
            if let Some(writer) = &mut sent_to {
                let since_start = std::time::Duration::from_nanos(now.as_nanos());
                writer.write_packet(&PcapPacket::new(since_start, ip.len() as u32, &ip)?)?;
            }
        }
    }
    let dropped = router.outcomes.drops.len();
    println!("received {received} packets, sent {sent}, dropped {dropped}, not IP {refused}");
    Ok(())
}

/// Generates 2 s of UDP packets of 1,500 bytes, one per millisecond: 12 Mbit/s.
fn flow() -> Vec<Arrival> {
    let udp = UdpHeader { src_port: 5000, dst_port: 5001, inline: Default::default() };
    let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
    let mut ip = Vec::new();
    Packet::model(Headers { src, dst, transport: Transport::Udp(udp) }, 1472)
        .write_ip_image(&mut ip, usize::MAX);
    (0..2000).map(|millisecond| Arrival { at: Time::from_millis(millisecond), ip: ip.clone() }).collect()
}

/// Reads the IP packets of a pcap file, with times relative to the first.
fn capture(file: &str) -> Result<Vec<Arrival>, Box<dyn Error>> {
    let mut reader = PcapReader::new(File::open(file)?)?;
    let link_header = match reader.header().datalink {
        DataLink::RAW => 0,
        DataLink::ETHERNET => 14,
        other => return Err(format!("{file}: link type must be RAW or ETHERNET, got {other:?}").into()),
    };
    let mut packets: Vec<Arrival> = Vec::new();
    let mut start = None;
    while let Some(packet) = reader.next_packet() {
        let packet = packet?;
        let since = packet.timestamp().saturating_sub(*start.get_or_insert(packet.timestamp()));
        // Time must not go back, even if the capture's timestamps do.
        let at = Time::from_nanos(u64::try_from(since.as_nanos())?)
            .max(packets.last().map_or(Time::ZERO, |last| last.at));
        packets.extend(packet.data().get(link_header..).map(|ip| Arrival { at, ip: ip.to_vec() }));
    }
    Ok(packets)
}

/// Creates a pcap file of IP packets without link headers.
fn writer(file: &str) -> Result<PcapWriter<File>, Box<dyn Error>> {
    let ts_resolution = PcapTsResolution::NanoSecond;
    let header = PcapHeader { datalink: DataLink::RAW, ts_resolution, ..PcapHeader::default() };
    Ok(PcapWriter::with_header(File::create(file)?, header)?)
}
