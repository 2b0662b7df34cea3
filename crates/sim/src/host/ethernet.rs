//! Ethernet interface of a host: frames, the neighbour table, and ARP.
//!
//! A host with such an interface sends and receives whole Ethernet frames, so that switches between hosts see and keep
//! hardware addresses, and see ARP. Packets for addresses of the own subnet go to their owner, others to the gateway
//! (RFC 1122 §3.3.1.1). Hardware addresses are looked up by ARP (RFC 826) unless the table has a permanent entry. IPv6 has
//! no neighbour discovery here: its neighbours need entries.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_wire::image::Zeros;
use jettison_wire::{Address, Body, Packet};

/// Settings of a host's Ethernet interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ethernet {
    /// Hardware address.
    pub mac: [u8; 6],
    /// Length in bits of the prefix of the interface's subnet.
    pub prefix: u8,
    /// Router of all other subnets.
    pub gateway: Option<Address>,
    /// Permanent entries of the neighbour table.
    pub neighbours: BTreeMap<Address, [u8; 6]>,
}

/// EtherType of ARP.
const ARP: u16 = 0x0806;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// Length of an Ethernet header.
const HEADER: usize = 14;
/// Length of an ARP packet for Ethernet and IPv4.
const ARP_LENGTH: usize = 28;
const BROADCAST: [u8; 6] = [0xff; 6];
/// Time between two requests for an address (RFC 1122 §2.3.2.1: at most one per second).
const RETRY: Duration = Duration::from_secs(1);
/// Requests for an address before its packets are dropped, as in Linux (arp(7), `mcast_solicit`).
const REQUESTS: u32 = 3;
/// Packets that wait for one address (RFC 1122 §2.3.2.2 asks for at least one); the oldest makes room.
const WAITING: usize = 64;

/// The interface while the host runs.
#[derive(Debug, Clone)]
pub(super) struct Interface {
    settings: Ethernet,
    own: Address,
    /// Addresses learned by ARP.
    learned: BTreeMap<Address, [u8; 6]>,
    /// Packets that wait for the hardware address of their next hop.
    waiting: BTreeMap<Address, Pending>,
}

/// Packets that wait for one next hop.
#[derive(Debug, Clone)]
struct Pending {
    packets: Vec<Packet>,
    requests: u32,
    next_request: Time,
}

/// What a received frame is.
#[derive(Debug)]
pub(super) enum Received {
    /// An IP packet for the stack.
    Packet(Packet),
    /// A frame with another EtherType, for this host or for all.
    Other,
    /// ARP, which has been handled.
    Arp,
    /// A frame for another host: an interface that is not promiscuous ignores it.
    NotOurs,
    /// Too short, or a malformed IP packet.
    Malformed,
}

impl Interface {
    pub(super) fn new(settings: Ethernet, own: Address) -> Interface {
        Interface { settings, own, learned: BTreeMap::new(), waiting: BTreeMap::new() }
    }

    /// The hardware address of the interface.
    pub(super) fn mac(&self) -> [u8; 6] {
        self.settings.mac
    }

    /// Time of the next ARP request, or of the end of the last one's.
    #[inline]
    pub(super) fn next_wakeup(&self) -> Time {
        self.waiting.values().map(|pending| pending.next_request).min().unwrap_or(Time::MAX)
    }

    /// Puts the packets of `outbox` into frames. Packets whose next hop is not known are held back, and requests for it take
    /// their place. Those that cannot be sent are appended to `unreachable`.
    pub(super) fn send(&mut self, outbox: &mut Vec<Packet>, unreachable: &mut Vec<Packet>, now: Time) {
        let mut ready = Vec::with_capacity(outbox.len());
        self.request_again(&mut ready, unreachable, now);
        for packet in outbox.drain(..) {
            if matches!(&packet.body, Body::Buffer(buffer) if buffer.frame) {
                ready.push(packet);
                continue;
            }
            let Some(hop) = packet.destination().and_then(|to| self.next_hop(to)) else {
                unreachable.push(packet);
                continue;
            };
            match self.hardware_address(hop) {
                Some(mac) => ready.push(self.framed(packet, mac)),
                None if !hop.is_v4() => unreachable.push(packet),
                None => self.wait_for(hop, packet, &mut ready, unreachable, now),
            }
        }
        *outbox = ready;
    }

    /// Handles a received frame. Replies and packets that were waiting are appended to `outbox` as frames.
    pub(super) fn receive(&mut self, packet: &Packet, outbox: &mut Vec<Packet>) -> Received {
        let Body::Buffer(buffer) = &packet.body else { return Received::Packet(packet.clone()) };
        if !buffer.frame {
            return Received::Packet(packet.clone());
        }
        let Some((header, payload)) = buffer.bytes.split_first_chunk::<HEADER>() else {
            return Received::Malformed;
        };
        // The lowest bit of the first byte is set in group addresses (IEEE 802 §8.2.2).
        if header[..6] != self.settings.mac && header[0] & 1 == 0 {
            return Received::NotOurs;
        }
        match u16::from_be_bytes([header[12], header[13]]) {
            ARP => {
                self.receive_arp(payload, outbox);
                Received::Arp
            }
            IPV4 | IPV6 => match Packet::from_image(&buffer.bytes, Zeros::Virtual) {
                Ok(mut read) => {
                    let length = read.meta.length;
                    let (traffic_class, hop_limit) = (read.meta.traffic_class, read.meta.hop_limit);
                    read.meta = packet.meta;
                    (read.meta.length, read.meta.traffic_class, read.meta.hop_limit) =
                        (length, traffic_class, hop_limit);
                    if buffer.corrupted
                        && let Body::Buffer(read) = &mut read.body
                    {
                        read.corrupted = true;
                    }
                    Received::Packet(read)
                }
                Err(_) => Received::Malformed,
            },
            _ => Received::Other,
        }
    }

    fn next_hop(&self, to: Address) -> Option<Address> {
        let ones = |bits: u32, prefix: u8| u128::MAX.checked_shl(bits - u32::from(prefix)).unwrap_or(0);
        let mask = match self.own.is_v4() {
            // IPv4 addresses are the last 32 bits of their mapped form.
            true => ones(32, self.settings.prefix.min(32)),
            false => ones(128, self.settings.prefix.min(128)),
        };
        if self.own.is_v4() == to.is_v4() && self.own.to_u128() & mask == to.to_u128() & mask {
            return Some(to);
        }
        self.settings.gateway
    }

    fn hardware_address(&self, hop: Address) -> Option<[u8; 6]> {
        self.settings.neighbours.get(&hop).or_else(|| self.learned.get(&hop)).copied()
    }

    fn framed(&self, mut packet: Packet, to: [u8; 6]) -> Packet {
        let mut frame = Vec::with_capacity(packet.image_length());
        packet.write_image(&mut frame, usize::MAX);
        frame[..6].copy_from_slice(&to);
        frame[6..12].copy_from_slice(&self.settings.mac);
        packet.set_frame(frame);
        packet
    }

    /// Holds a packet back until its next hop is known, and asks for it.
    fn wait_for(
        &mut self,
        hop: Address,
        packet: Packet,
        ready: &mut Vec<Packet>,
        dropped: &mut Vec<Packet>,
        now: Time,
    ) {
        if let Some(pending) = self.waiting.get_mut(&hop) {
            if pending.packets.len() == WAITING {
                dropped.push(pending.packets.remove(0));
            }
            pending.packets.push(packet);
            return;
        }
        ready.push(self.request(hop, now));
        let pending = Pending { packets: vec![packet], requests: 1, next_request: now.saturating_add(RETRY) };
        self.waiting.insert(hop, pending);
    }

    /// Asks again for what has not been answered, and gives up after the last request.
    fn request_again(&mut self, ready: &mut Vec<Packet>, dropped: &mut Vec<Packet>, now: Time) {
        if self.next_wakeup() > now {
            return;
        }
        let due = |(hop, pending): (&Address, &Pending)| (pending.next_request <= now).then_some(*hop);
        let due: Vec<Address> = self.waiting.iter().filter_map(due).collect();
        for hop in due {
            let request = self.request(hop, now);
            let Some(pending) = self.waiting.get_mut(&hop) else { continue };
            if pending.requests < REQUESTS {
                pending.requests += 1;
                pending.next_request = now.saturating_add(RETRY);
                ready.push(request);
            } else if let Some(pending) = self.waiting.remove(&hop) {
                dropped.extend(pending.packets);
            }
        }
    }

    fn request(&self, hop: Address, now: Time) -> Packet {
        let mut frame = self.arp(1, BROADCAST, [0; 6], hop);
        frame.meta.sent_at = now;
        frame
    }

    /// An ARP packet: operation (1 request, 2 reply), receiver of the frame, and the target's addresses.
    fn arp(&self, operation: u8, to: [u8; 6], target_mac: [u8; 6], target: Address) -> Packet {
        let mut frame = Vec::with_capacity(HEADER + ARP_LENGTH);
        frame.extend_from_slice(&to);
        frame.extend_from_slice(&self.settings.mac);
        frame.extend_from_slice(&ARP.to_be_bytes());
        // Ethernet, IPv4, and the lengths of their addresses.
        frame.extend_from_slice(&[0, 1, 8, 0, 6, 4, 0, operation]);
        frame.extend_from_slice(&self.settings.mac);
        frame.extend_from_slice(&self.own.low_u32().to_be_bytes());
        frame.extend_from_slice(&target_mac);
        frame.extend_from_slice(&target.low_u32().to_be_bytes());
        Packet::from_frame(frame)
    }

    /// Packet reception of RFC 826.
    fn receive_arp(&mut self, arp: &[u8], outbox: &mut Vec<Packet>) {
        let Some(arp) = arp.first_chunk::<ARP_LENGTH>() else { return };
        if arp[..6] != [0, 1, 8, 0, 6, 4] || !self.own.is_v4() {
            return;
        }
        let mac = |at: usize| -> [u8; 6] { std::array::from_fn(|byte| arp[at + byte]) };
        let ip = |at: usize| Address::v4(arp[at], arp[at + 1], arp[at + 2], arp[at + 3]);
        let (sender_mac, sender, target) = (mac(8), ip(14), ip(24));
        let is_target = target == self.own;
        if is_target || self.learned.contains_key(&sender) {
            self.learned.insert(sender, sender_mac);
            if let Some(pending) = self.waiting.remove(&sender) {
                outbox.extend(pending.packets.into_iter().map(|packet| self.framed(packet, sender_mac)));
            }
        }
        if is_target && arp[6..8] == [0, 1] {
            outbox.push(self.arp(2, sender_mac, sender_mac, sender));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_wire::{Headers, IcmpEcho, InlineBytes, Transport};

    const MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const OTHER: [u8; 6] = [2, 0, 0, 0, 0, 2];
    const OWN: Address = Address::v4(10, 0, 1, 1);

    fn interface(own: Address, mac: [u8; 6]) -> Interface {
        let gateway = Some(Address::v4(10, 0, 1, 254));
        let neighbours = BTreeMap::from([(Address::v4(10, 0, 1, 254), [2, 0, 0, 0, 0, 0xfe])]);
        Interface::new(Ethernet { mac, prefix: 24, gateway, neighbours }, own)
    }

    fn ping(to: Address) -> Packet {
        // A reader keeps the first bytes inline.
        let inline = InlineBytes::new(&[0; InlineBytes::CAPACITY]).unwrap();
        let echo = IcmpEcho { reply: false, identifier: 1, sequence: 1, inline };
        Packet::model(Headers { src: OWN, dst: to, transport: Transport::Icmp(echo) }, 56)
    }

    fn bytes(packet: &Packet) -> &[u8] {
        match &packet.body {
            Body::Buffer(buffer) if buffer.frame => &buffer.bytes,
            other => panic!("not a frame: {other:?}"),
        }
    }

    #[test]
    fn other_subnets_are_reached_through_the_gateway() {
        let mut interface = interface(OWN, MAC);
        let (mut outbox, mut lost) = (vec![ping(Address::v4(10, 0, 2, 2))], Vec::new());
        interface.send(&mut outbox, &mut lost, Time::ZERO);
        let frame = bytes(&outbox[0]);
        assert_eq!((&frame[..6], &frame[6..14]), (&[2, 0, 0, 0, 0, 0xfe][..], &[2, 0, 0, 0, 0, 1, 8, 0][..]));
        assert_eq!((frame.len(), outbox[0].meta.length, lost.len()), (14 + 84, 84, 0));
    }

    #[test]
    fn a_neighbour_is_found_by_arp_and_its_packets_follow() {
        let peer = Address::v4(10, 0, 1, 2);
        let (mut here, mut there) = (interface(OWN, MAC), interface(peer, OTHER));
        let (mut outbox, mut lost) = (vec![ping(peer)], Vec::new());
        here.send(&mut outbox, &mut lost, Time::ZERO);
        assert_eq!(bytes(&outbox[0])[..6], BROADCAST);
        let mut replies = Vec::new();
        assert!(matches!(there.receive(&outbox[0], &mut replies), Received::Arp));
        // The sender of a request is known to its target.
        assert_eq!(there.hardware_address(OWN), Some(MAC));
        let mut sent = Vec::new();
        assert!(matches!(here.receive(&replies[0], &mut sent), Received::Arp));
        let frame = bytes(&sent[0]);
        assert_eq!(frame[..6], OTHER);
        let Received::Packet(packet) = there.receive(&sent[0], &mut replies) else { panic!("an IP packet") };
        assert_eq!(packet.body, ping(peer).body);
        assert_eq!(here.next_wakeup(), Time::MAX);
    }

    #[test]
    fn three_requests_without_an_answer_drop_the_packets() {
        let mut interface = interface(OWN, MAC);
        let mut lost = Vec::new();
        let mut requests = 0;
        let mut outbox = vec![ping(Address::v4(10, 0, 1, 9))];
        let mut now = Time::ZERO;
        while lost.is_empty() {
            interface.send(&mut outbox, &mut lost, now);
            requests += outbox.drain(..).count();
            now = now.max(interface.next_wakeup().min(Time::from_secs(100)));
        }
        assert_eq!((requests, lost.len(), interface.next_wakeup()), (3, 1, Time::MAX));
    }

    #[test]
    fn frames_for_others_are_ignored_and_unknown_ether_types_told_apart() {
        let mut interface = interface(OWN, MAC);
        let frame = |to: [u8; 6], ether_type: [u8; 2]| {
            let mut bytes = to.to_vec();
            bytes.extend_from_slice(&OTHER);
            bytes.extend_from_slice(&ether_type);
            bytes.extend_from_slice(&[1, 2, 3]);
            Packet::from_frame(bytes)
        };
        let mut receive = |packet: Packet| interface.receive(&packet, &mut Vec::new());
        assert!(matches!(receive(frame(OTHER, [0x12, 0x34])), Received::NotOurs));
        assert!(matches!(receive(frame(MAC, [0x12, 0x34])), Received::Other));
        assert!(matches!(receive(frame(BROADCAST, [0x88, 0xb5])), Received::Other));
        assert!(matches!(receive(frame(MAC, [8, 0])), Received::Malformed));
        assert!(matches!(receive(Packet::from_frame(vec![1, 2])), Received::Malformed));
    }
}
