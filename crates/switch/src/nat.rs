//! Network address translation at a natively forwarding router: hosts behind its inside ports share one outside address.
//!
//! An endpoint (protocol, address, port) inside has one port outside, whomever it talks to (endpoint-independent mapping, RFC 4787
//! §4.1), its own if that is free. Mappings last as long as the run. A packet that cannot be translated (fragments, other
//! protocols, no mapping) is not forwarded.

use jettison_wire::{Address, End, Inside, Packet};
use rustc_hash::FxHashMap;

use crate::Port;

/// The translation of one router.
#[derive(Debug, Clone)]
pub struct Nat {
    outside: Address,
    /// Whether each port leads inside.
    is_inside: Vec<bool>,
    /// Outside port of an inside endpoint.
    ports: FxHashMap<(u8, Address, u16), u16>,
    /// Inside endpoint of an outside port, with the number of its host.
    endpoints: FxHashMap<(u8, u16), (Address, u16, u32)>,
    hosts: FxHashMap<Address, u32>,
}

/// The packet cannot be translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untranslatable;

/// First port that is given to an endpoint whose own is taken (RFC 6335 §6: dynamic ports).
const FIRST_PORT: u16 = 49_152;

impl Nat {
    /// Translates between ports for which `is_inside` is true and the others, behind the address `outside`.
    pub fn new(outside: Address, is_inside: Vec<bool>) -> Nat {
        Nat {
            outside,
            is_inside,
            ports: FxHashMap::default(),
            endpoints: FxHashMap::default(),
            hosts: FxHashMap::default(),
        }
    }

    fn leads_inside(&self, port: Port) -> bool {
        self.is_inside.get(usize::from(port.0)).copied().unwrap_or(false)
    }

    /// Translates the destination of a packet from outside, before its route is looked up.
    ///
    /// # Errors
    /// If it is for the outside address and no inside endpoint has the port.
    pub fn arrives(&mut self, packet: &mut Packet, from: Port) -> Result<(), Untranslatable> {
        packet.set_inside(None);
        let Some(flow) = packet.five_tuple().filter(|flow| flow.dst == self.outside) else { return Ok(()) };
        let port = if is_echo(flow.protocol) { flow.src_port } else { flow.dst_port };
        let known = self.endpoints.get(&(flow.protocol, port)).filter(|_| !self.leads_inside(from));
        let (address, port, host) = *known.ok_or(Untranslatable)?;
        let done = packet.translate(End::Destination, address, port);
        packet.set_inside(done.then_some(Inside { host, is_source: false }));
        done.then_some(()).ok_or(Untranslatable)
    }

    /// Translates the source of a packet from inside to outside, once its route is known.
    ///
    /// # Errors
    /// If it has no ports, or no outside port is free.
    pub fn leaves(&mut self, packet: &mut Packet, from: Port, to: Port) -> Result<(), Untranslatable> {
        if !self.leads_inside(from) || self.leads_inside(to) {
            return Ok(());
        }
        let flow = packet.five_tuple().ok_or(Untranslatable)?;
        let numbers = self.hosts.len() as u32;
        let host = *self.hosts.entry(flow.src).or_insert(numbers);
        let key = (flow.protocol, flow.src, flow.src_port);
        let port = match self.ports.get(&key) {
            Some(port) => *port,
            None => {
                let port = self.free_port(flow.protocol, flow.src_port).ok_or(Untranslatable)?;
                self.ports.insert(key, port);
                self.endpoints.insert((flow.protocol, port), (flow.src, flow.src_port, host));
                port
            }
        };
        let done = packet.translate(End::Source, self.outside, port);
        packet.set_inside(done.then_some(Inside { host, is_source: true }));
        done.then_some(()).ok_or(Untranslatable)
    }

    fn free_port(&self, protocol: u8, own: u16) -> Option<u16> {
        let dynamic = (FIRST_PORT..=u16::MAX).chain(1024..FIRST_PORT);
        std::iter::once(own).chain(dynamic).find(|port| !self.endpoints.contains_key(&(protocol, *port)))
    }
}

fn is_echo(protocol: u8) -> bool {
    matches!(protocol, 1 | 58)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_wire::{Headers, IcmpEcho, Transport, UdpHeader};

    const OUTSIDE: Address = Address::v4(198, 18, 0, 1);
    const SERVER: Address = Address::v4(198, 18, 0, 9);
    const LAN: Port = Port(0);
    const WAN: Port = Port(1);

    fn host(n: u8) -> Address {
        Address::v4(10, 0, 0, n)
    }

    fn udp(src: Address, src_port: u16, dst: Address, dst_port: u16) -> Packet {
        let transport = Transport::Udp(UdpHeader { src_port, dst_port, inline: Default::default() });
        Packet::model(Headers { src, dst, transport }, 100)
    }

    fn ends(packet: &Packet) -> ((Address, u16), (Address, u16)) {
        let flow = packet.five_tuple().expect("a flow");
        ((flow.src, flow.src_port), (flow.dst, flow.dst_port))
    }

    #[test]
    fn inside_hosts_share_the_address_and_answers_find_back() {
        let mut nat = Nat::new(OUTSIDE, vec![true, false]);
        let mut outside = Vec::new();
        for n in [1, 2] {
            let mut packet = udp(host(n), 5000, SERVER, 53);
            assert_eq!(nat.leaves(&mut packet, LAN, WAN), Ok(()));
            let ((address, port), server) = ends(&packet);
            assert_eq!((address, server), (OUTSIDE, (SERVER, 53)));
            assert_eq!(packet.inside(), Some(Inside { host: u32::from(n) - 1, is_source: true }));
            outside.push(port);
        }
        assert_eq!(outside, [5000, FIRST_PORT]);
        for (n, port) in (1..).zip(outside) {
            let mut answer = udp(SERVER, 53, OUTSIDE, port);
            assert_eq!(nat.arrives(&mut answer, WAN), Ok(()));
            assert_eq!(ends(&answer), ((SERVER, 53), (host(n), 5000)));
            assert_eq!(answer.inside(), Some(Inside { host: u32::from(n) - 1, is_source: false }));
        }
    }

    #[test]
    fn an_endpoint_keeps_its_port_for_all_destinations() {
        let mut nat = Nat::new(OUTSIDE, vec![true, false]);
        for server in [1, 2, 3] {
            let mut packet = udp(host(1), 7000, Address::v4(198, 18, 0, server + 10), 53);
            assert_eq!(nat.leaves(&mut packet, LAN, WAN), Ok(()));
            assert_eq!(ends(&packet).0, (OUTSIDE, 7000));
        }
    }

    #[test]
    fn echoes_are_told_apart_by_their_identifiers() {
        let echo = |src, dst, identifier, reply| {
            let transport =
                Transport::Icmp(IcmpEcho { reply, identifier, sequence: 1, inline: Default::default() });
            Packet::model(Headers { src, dst, transport }, 56)
        };
        let mut nat = Nat::new(OUTSIDE, vec![true, false]);
        for n in [1, 2] {
            let mut request = echo(host(n), SERVER, 4, false);
            assert_eq!(nat.leaves(&mut request, LAN, WAN), Ok(()));
            let identifier = ends(&request).0.1;
            let mut reply = echo(SERVER, OUTSIDE, identifier, true);
            assert_eq!(nat.arrives(&mut reply, WAN), Ok(()));
            assert_eq!(ends(&reply), ((SERVER, 4), (host(n), 0)));
        }
    }

    #[test]
    fn other_packets_pass_unchanged_or_not_at_all() {
        let mut nat = Nat::new(OUTSIDE, vec![true, false, true, false]);
        for (from, to) in [(WAN, LAN), (LAN, Port(2)), (WAN, Port(3))] {
            let mut packet = udp(host(1), 5000, host(2), 53);
            let before = packet.clone();
            assert_eq!((nat.arrives(&mut packet, from), nat.leaves(&mut packet, from, to)), (Ok(()), Ok(())));
            assert_eq!(packet, before);
        }
        assert_eq!(nat.arrives(&mut udp(SERVER, 53, OUTSIDE, 9), WAN), Err(Untranslatable));
        let other = jettison_wire::Buffer { bytes: vec![0x45; 20], ..Default::default() };
        let mut other =
            Packet { meta: Default::default(), body: jettison_wire::Body::Buffer(Box::new(other)) };
        assert_eq!(nat.leaves(&mut other, LAN, WAN), Err(Untranslatable));
    }

    #[test]
    fn the_last_free_port_is_found() {
        let mut nat = Nat::new(OUTSIDE, vec![true, false]);
        for port in 1024..=u16::MAX {
            assert_eq!(nat.leaves(&mut udp(host(1), port, SERVER, 53), LAN, WAN), Ok(()));
        }
        assert_eq!(nat.leaves(&mut udp(host(2), 1023, SERVER, 53), LAN, WAN), Ok(()));
        assert_eq!(nat.leaves(&mut udp(host(2), 5000, SERVER, 53), LAN, WAN), Err(Untranslatable));
    }
}
