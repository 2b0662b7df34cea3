//! Classification of packets by header fields, shared by disciplines with classes and by policers.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use jettison_registry::ParameterError;
use jettison_wire::{Address, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Dscp;
use crate::written::written_as_string;

mod tc;

/// Conditions on a packet. All that are set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct Match {
    /// One of these DSCPs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dscp: Vec<Dscp>,
    /// Traffic class that the switch assigned.
    pub class: Option<u8>,
    /// Source address: a prefix.
    pub source: Option<Network>,
    /// Destination address: a prefix.
    pub destination: Option<Network>,
    /// Transport protocol.
    pub protocol: Option<Protocol>,
    /// Source port, or a range.
    pub source_port: Option<Ports>,
    /// Destination port, or a range.
    pub destination_port: Option<Ports>,
}

/// Transport protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP.
    Icmp,
}

impl Protocol {
    /// IP protocol number.
    pub const fn number(self) -> u8 {
        match self {
            Protocol::Tcp => 6,
            Protocol::Udp => 17,
            Protocol::Icmp => 1,
        }
    }
}

/// A network: an address and the number of bits that count, such as `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: u128,
    /// Leading bits that count, of 128; an IPv4 address is IPv6-mapped.
    bits: u8,
}

impl Network {
    #[inline]
    fn holds(self, address: Address) -> bool {
        let differ = self.address ^ address.to_u128();
        self.bits == 0 || differ >> (128 - u32::from(self.bits)) == 0
    }

    /// Whether it is a network of IPv4.
    pub fn is_v4(self) -> bool {
        self.bits >= 96 && self.address >> 32 == 0xffff
    }
}

impl FromStr for Network {
    type Err = String;
    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || format!("`{text}` is not a network, such as \"10.1.0.0/16\" or \"2001:db8::/32\"");
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let ip: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let most = if ip.is_ipv4() { 32 } else { 128 };
        let bits: u8 = bits.map_or(Ok(most), |bits| bits.trim().parse().map_err(|_| wrong()))?;
        if bits > most {
            return Err(format!("must have a prefix length in [0, {most}], got {bits} in `{text}`"));
        }
        let network = Network { address: Address::from(ip).to_u128(), bits: bits + (128 - most) };
        match network.holds(Address::from(ip)) && network.trailing() == 0 {
            true => Ok(network),
            false => Err(format!("`{text}` has bits set beyond its prefix length {bits}")),
        }
    }
}

impl Network {
    /// The bits of the address that do not count.
    fn trailing(self) -> u128 {
        self.address.checked_shl(u32::from(self.bits)).unwrap_or(0)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ip = std::net::Ipv6Addr::from(self.address).to_canonical();
        write!(f, "{ip}/{}", if ip.is_ipv4() { self.bits - 96 } else { self.bits })
    }
}

written_as_string!(Network, "network", "a network such as \"10.1.0.0/16\"", "10.1.0.0/16", "2001:db8::/32");

/// A port, or a range of ports with both ends: `"5004"`, `"5000-5100"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// First port.
    pub first: u16,
    /// Last port.
    pub last: u16,
}

impl FromStr for Ports {
    type Err = String;
    fn from_str(text: &str) -> Result<Ports, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Ports { first, last }),
            _ => Err(format!("`{text}` is not a port, such as \"5004\", or a range, such as \"5000-5100\"")),
        }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

written_as_string!(
    Ports,
    "port or range",
    "a port such as \"5004\" or a range such as \"5000-5100\"",
    "5004",
    "5000-5100"
);

impl Match {
    /// Checks that there is a condition.
    ///
    /// # Errors
    /// If there is none: it would match every packet.
    pub fn check(&self) -> Result<(), ParameterError> {
        match *self == Match::default() {
            true => Err(ParameterError::whole("must have a condition, such as `dscp = [\"EF\"]`, got none")),
            false => Ok(()),
        }
    }

    fn needs_addresses(&self) -> bool {
        let fields = [self.source.is_some(), self.destination.is_some(), self.protocol.is_some()];
        fields.contains(&true) || self.source_port.is_some() || self.destination_port.is_some()
    }
}

/// A list of matches with what they lead to. The first that holds decides.
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    /// DSCPs, one bit each.
    dscps: u64,
    class: Option<u8>,
    /// The match, if its other conditions have to be tested.
    rest: Option<Match>,
    target: u16,
}

impl Classifier {
    /// Appends a rule: what `found` matches leads to `target`.
    ///
    /// # Errors
    /// If the match has no condition.
    pub fn push(&mut self, found: &Match, target: u16) -> Result<(), ParameterError> {
        found.check()?;
        let listed = found.dscp.iter().fold(0, |all, dscp| all | 1u64 << dscp.get());
        self.rules.push(Rule {
            dscps: if found.dscp.is_empty() { u64::MAX } else { listed },
            class: found.class,
            rest: found.needs_addresses().then(|| found.clone()),
            target,
        });
        Ok(())
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Target of the first rule that holds.
    #[inline]
    pub fn find(&self, packet: &Packet) -> Option<u16> {
        let dscp = 1u64 << (packet.dscp() & 63);
        let holds = |rule: &&Rule| {
            rule.dscps & dscp != 0
                && rule.class.is_none_or(|class| class == packet.meta.class)
                && rule.rest.as_ref().is_none_or(|rest| rest.holds(packet))
        };
        self.rules.iter().find(holds).map(|rule| rule.target)
    }
}

impl Match {
    /// Whether the conditions on addresses, protocol and ports hold.
    fn holds(&self, packet: &Packet) -> bool {
        let Some(tuple) = packet.five_tuple() else { return false };
        let within = |ports: Option<Ports>, port: u16| {
            ports.is_none_or(|ports| (ports.first..=ports.last).contains(&port))
        };
        self.source.is_none_or(|network| network.holds(tuple.src))
            && self.destination.is_none_or(|network| network.holds(tuple.dst))
            && self.protocol.is_none_or(|protocol| protocol.number() == tuple.protocol)
            && within(self.source_port, tuple.src_port)
            && within(self.destination_port, tuple.dst_port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{packet, packet_of};
    use serde_json::{Value, json};

    /// Whether the match holds for a UDP packet from 10.0.0.1, port `port`, to 10.0.0.2, port 2, with DSCP EF and class 3.
    fn holds(found: Value, port: u16) -> bool {
        let found: Match = serde_json::from_value(found).unwrap();
        let mut classifier = Classifier::default();
        classifier.push(&found, 7).unwrap();
        let mut packet = packet_of(port, 1, 100);
        packet.meta.traffic_class = 46 << 2 | 1;
        packet.meta.class = 3;
        classifier.find(&packet) == Some(7)
    }

    #[test]
    fn each_condition_is_tested() {
        for (key, right, wrong) in [
            ("dscp", json!(["AF41", "EF"]), json!(["AF41", "45"])),
            ("class", json!(3), json!(2)),
            ("source", json!("10.0.0.0/30"), json!("10.0.0.2/31")),
            ("destination", json!("10.0.0.2"), json!("10.0.0.1")),
            ("protocol", json!("udp"), json!("tcp")),
            ("source_port", json!("5000-5009"), json!("5001-6000")),
            ("destination_port", json!("2"), json!("3")),
        ] {
            assert!(holds(json!({ key: right }), 5000), "{key} = {right}");
            assert!(!holds(json!({ key: wrong }), 5000), "{key} = {wrong}");
        }
        assert!(holds(json!({ "source": "0.0.0.0/0", "destination": "::/0" }), 1));
        assert!(!holds(json!({ "source": "2001:db8::/32" }), 1));
    }

    #[test]
    fn all_conditions_must_hold_and_the_first_rule_decides() {
        assert!(holds(json!({ "dscp": ["EF"], "source_port": "5" }), 5));
        assert!(!holds(json!({ "dscp": ["EF"], "source_port": "5" }), 6));
        assert!(!holds(json!({ "dscp": ["CS1"], "source_port": "5" }), 5));
        let mut classifier = Classifier::default();
        let ports = |text: &str| Match { source_port: Some(text.parse().unwrap()), ..Match::default() };
        classifier.push(&ports("1-10"), 1).unwrap();
        classifier.push(&ports("5-20"), 2).unwrap();
        assert_eq!(
            [4, 7, 15, 30].map(|port| classifier.find(&packet_of(port, 1, 100))),
            [Some(1), Some(1), Some(2), None]
        );
        assert_eq!(Classifier::default().find(&packet(1, 100)), None);
    }

    #[test]
    fn errors_say_what_is_expected() {
        let network = |text: &str| text.parse::<Network>().unwrap_err();
        assert_eq!(network("10.0.0.0/33"), "must have a prefix length in [0, 32], got 33 in `10.0.0.0/33`");
        assert_eq!(network("10.0.0.1/24"), "`10.0.0.1/24` has bits set beyond its prefix length 24");
        assert!(network("ten").contains("10.1.0.0/16"));
        assert!("9-8".parse::<Ports>().is_err() && "70000".parse::<Ports>().is_err());
        assert!(Match::default().check().unwrap_err().to_string().contains("must have a condition"));
    }

    #[test]
    fn printed_values_parse_back() {
        for text in ["10.0.0.0/8", "10.0.0.1/32", "0.0.0.0/0", "2001:db8::/32"] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
        for text in ["80", "5000-5100"] {
            assert_eq!(text.parse::<Ports>().unwrap().to_string(), text);
        }
        assert!("10.0.0.0/8".parse::<Network>().unwrap().is_v4());
        assert!(!"2001:db8::/32".parse::<Network>().unwrap().is_v4());
    }
}
