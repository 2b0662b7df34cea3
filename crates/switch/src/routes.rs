//! Routing: policy routes, host routes, longest-prefix match.

use std::ops::RangeInclusive;

use jettison_wire::{Address, Packet};

use crate::{Port, Prefix, PrefixTable};

/// A routing table: policy routes in insertion order, then longest-prefix match.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    policies: Vec<(Selector, Port)>,
    prefixes: PrefixTable<Port>,
}

/// Match of a policy route: all fields that are set must match. A selector without fields matches every packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    /// Source prefix.
    pub source: Option<Prefix>,
    /// Destination prefix.
    pub destination: Option<Prefix>,
    /// Ingress port at this node.
    pub ingress: Option<Port>,
    /// Differentiated-services code point.
    pub dscp: Option<u8>,
    /// IP protocol number.
    pub protocol: Option<u8>,
    /// Transport source ports.
    pub source_ports: Option<RangeInclusive<u16>>,
    /// Transport destination ports.
    pub destination_ports: Option<RangeInclusive<u16>>,
}

impl Routes {
    /// Creates an empty table.
    pub fn new() -> Routes {
        Routes::default()
    }

    /// Adds a route to a single address; returns the port that it replaces, if any.
    pub fn add_host(&mut self, address: Address, port: Port) -> Option<Port> {
        self.add_prefix(Prefix::host(address), port)
    }

    /// Adds a route to a prefix; returns the port that it replaces, if any.
    pub fn add_prefix(&mut self, prefix: Prefix, port: Port) -> Option<Port> {
        self.prefixes.insert(prefix, port)
    }

    /// Appends a policy route; earlier ones take precedence.
    pub fn add_policy(&mut self, selector: Selector, port: Port) {
        self.policies.push((selector, port));
    }

    /// Output port of a packet that entered by `ingress`, if there is a route.
    #[inline]
    pub fn lookup(&self, packet: &Packet, ingress: Port) -> Option<Port> {
        if !self.policies.is_empty()
            && let Some(port) = self.policy(packet, ingress)
        {
            return Some(port);
        }
        self.lookup_address(packet.destination()?)
    }

    /// Output port of an address by longest-prefix match, ignoring policy routes.
    #[inline]
    pub fn lookup_address(&self, destination: Address) -> Option<Port> {
        self.prefixes.lookup(destination)
    }

    fn policy(&self, packet: &Packet, ingress: Port) -> Option<Port> {
        let tuple = packet.five_tuple()?;
        let dscp = packet.dscp();
        let matches = |selector: &Selector| {
            selector.ingress.is_none_or(|port| port == ingress)
                && selector.dscp.is_none_or(|code| code == dscp)
                && selector.protocol.is_none_or(|protocol| protocol == tuple.protocol)
                && selector.source.is_none_or(|prefix| prefix.contains(tuple.src))
                && selector.destination.is_none_or(|prefix| prefix.contains(tuple.dst))
                && selector.source_ports.as_ref().is_none_or(|ports| ports.contains(&tuple.src_port))
                && selector.destination_ports.as_ref().is_none_or(|ports| ports.contains(&tuple.dst_port))
        };
        self.policies.iter().find(|(selector, _)| matches(selector)).map(|(_, port)| *port)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use jettison_wire::{Headers, TcpHeader, Transport, UdpHeader};
    use proptest::prelude::*;

    use super::*;

    fn address(text: &str) -> Address {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn prefix(text: &str) -> Prefix {
        text.parse().unwrap()
    }

    fn udp(src: &str, dst: &str) -> Packet {
        let transport =
            Transport::Udp(UdpHeader { src_port: 5000, dst_port: 53, inline: Default::default() });
        Packet::model(Headers { src: address(src), dst: address(dst), transport }, 100)
    }

    #[test]
    fn the_longest_prefix_wins_in_any_insertion_order() {
        let mut routes = Routes::new();
        routes.add_prefix(prefix("10.1.0.0/16"), Port(2));
        routes.add_prefix(prefix("0.0.0.0/0"), Port(0));
        routes.add_prefix(prefix("10.1.2.0/24"), Port(3));
        routes.add_prefix(prefix("10.0.0.0/8"), Port(1));
        routes.add_host(address("10.1.2.3"), Port(4));
        let to = |dst| routes.lookup(&udp("192.0.2.1", dst), Port(9));
        assert_eq!(to("10.1.2.3"), Some(Port(4)));
        assert_eq!(to("10.1.2.4"), Some(Port(3)));
        assert_eq!(to("10.1.3.4"), Some(Port(2)));
        assert_eq!(to("10.2.3.4"), Some(Port(1)));
        assert_eq!(to("11.2.3.4"), Some(Port(0)));
    }

    #[test]
    fn address_families_are_separate() {
        let mut routes = Routes::new();
        routes.add_prefix(prefix("::/0"), Port(6));
        routes.add_prefix(prefix("2001:db8::/32"), Port(7));
        assert_eq!(routes.lookup_address(address("2001:db8::9")), Some(Port(7)));
        assert_eq!(routes.lookup_address(address("2001:db9::9")), Some(Port(6)));
        assert_eq!(routes.lookup_address(address("10.0.0.1")), None);
    }

    #[test]
    fn a_second_route_to_a_prefix_replaces_the_first() {
        let mut routes = Routes::new();
        assert_eq!(routes.add_host(address("10.0.0.1"), Port(1)), None);
        assert_eq!(routes.add_prefix(prefix("10.0.0.1/32"), Port(2)), Some(Port(1)));
        assert_eq!(routes.add_prefix(prefix("10.0.0.0/24"), Port(3)), None);
        assert_eq!(routes.add_prefix(prefix("10.0.0.7/24"), Port(4)), Some(Port(3)));
        assert_eq!(routes.lookup_address(address("10.0.0.1")), Some(Port(2)));
        assert_eq!(routes.lookup_address(address("10.0.0.2")), Some(Port(4)));
    }

    #[test]
    fn policy_routes_come_first_in_their_order_and_by_each_field() {
        let any = Selector::default;
        let policies = [
            Selector { source: Some(prefix("10.1.0.0/16")), ..any() },
            Selector { destination: Some(prefix("10.9.0.0/16")), ..any() },
            Selector { ingress: Some(Port(5)), ..any() },
            Selector { dscp: Some(46), ..any() },
            Selector { protocol: Some(6), source_ports: Some(80..=80), ..any() },
            Selector { protocol: Some(17), destination_ports: Some(4000..=4999), ..any() },
        ];
        let mut routes = Routes::new();
        routes.add_prefix(prefix("0.0.0.0/0"), Port(0));
        for (i, policy) in policies.into_iter().enumerate() {
            routes.add_policy(policy, Port(10 + i as u16));
        }
        let plain = udp("10.2.0.1", "10.3.0.1");
        assert_eq!(routes.lookup(&plain, Port(1)), Some(Port(0)));
        assert_eq!(routes.lookup(&udp("10.1.0.1", "10.9.0.1"), Port(5)), Some(Port(10)));
        assert_eq!(routes.lookup(&udp("10.2.0.1", "10.9.0.1"), Port(5)), Some(Port(11)));
        assert_eq!(routes.lookup(&plain, Port(5)), Some(Port(12)));
        let mut expedited = plain.clone();
        expedited.meta.traffic_class = 46 << 2;
        assert_eq!(routes.lookup(&expedited, Port(1)), Some(Port(13)));
        let tcp = |src_port| {
            let transport = Transport::Tcp(TcpHeader::new(src_port, 4500));
            Packet::model(Headers { src: address("10.2.0.1"), dst: address("10.3.0.1"), transport }, 0)
        };
        assert_eq!(routes.lookup(&tcp(80), Port(1)), Some(Port(14)));
        assert_eq!(routes.lookup(&tcp(81), Port(1)), Some(Port(0)));
        let mut rtp = plain;
        if let Transport::Udp(header) = &mut rtp.headers_mut().unwrap().transport {
            header.dst_port = 4999;
        }
        assert_eq!(routes.lookup(&rtp, Port(1)), Some(Port(15)));
    }

    proptest! {
        #[test]
        fn agrees_with_a_search_through_all_prefixes(
            entries in prop::collection::vec((any::<u32>(), 0u8..=32), 0..40),
            probes in prop::collection::vec((any::<u32>(), any::<prop::sample::Index>(), 0u8..=32), 1..40),
        ) {
            let v4 = |bits: u32| Address::from(std::net::Ipv4Addr::from(bits));
            let mut routes = Routes::new();
            let mut list: Vec<(Prefix, Port)> = Vec::new();
            for (i, (bits, length)) in entries.iter().enumerate() {
                let prefix = Prefix::new(v4(*bits), *length).unwrap();
                routes.add_prefix(prefix, Port(i as u16));
                list.retain(|(other, _)| *other != prefix);
                list.push((prefix, Port(i as u16)));
            }
            for (noise, near, keep) in probes {
                // Close to an entry: its leading bits, followed by random bits.
                let base = if entries.is_empty() { noise } else { near.get(&entries).0 };
                let low = u32::MAX.checked_shr(u32::from(keep)).unwrap_or(0);
                let destination = v4(base & !low | noise & low);
                let longest =
                    list.iter().filter(|(p, _)| p.contains(destination)).max_by_key(|(p, _)| p.length());
                prop_assert_eq!(routes.lookup_address(destination), longest.map(|(_, port)| *port));
            }
        }
    }
}
