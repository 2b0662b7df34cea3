//! What the kernel counts when it drops or refuses a packet.
//!
//! A measurement is of our disciplines only if the kernel dropped nothing beside them, so every counter that could hide a
//! drop is read before and after, and differences are reported.

use std::collections::BTreeMap;
use std::fs;

use futures_util::{StreamExt, TryStreamExt, pin_mut};
use rtnetlink::packet_route::link::{LinkAttribute, Stats64};
use rtnetlink::packet_route::tc::{TcAttribute, TcStats2};

use super::{Namespace, netlink};
use crate::LiveError;

/// Counters by what they count, at one instant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    values: BTreeMap<String, u64>,
}

impl Counters {
    /// What grew since `earlier`, and by how much. Empty if the kernel dropped nothing.
    pub fn since(&self, earlier: &Self) -> Vec<(String, u64)> {
        let grown = |(what, &now): (&String, &u64)| {
            let more = now.saturating_sub(earlier.value(what));
            (more > 0).then(|| (what.clone(), more))
        };
        self.values.iter().filter_map(grown).collect()
    }

    /// One counter; 0 where the kernel has none by that name.
    pub fn value(&self, what: &str) -> u64 {
        self.values.get(what).copied().unwrap_or(0)
    }
}

/// Reads all counters of `namespace`: its devices, their queueing disciplines, and its IP, UDP and TCP.
pub fn read(namespace: &Namespace) -> Result<Counters, LiveError> {
    namespace.enter(|| {
        let mut values = BTreeMap::new();
        devices(&mut values)?;
        for file in ["snmp", "netstat"] {
            pairs_of_lines(&text(file)?, &mut values);
        }
        // Absent where the kernel has no IPv6.
        if let Ok(text) = text("snmp6") {
            one_a_line(&text, &mut values);
        }
        Ok(Counters { values })
    })?
}

/// Reads what belongs to no namespace: packets that a processor dropped because its input queue was full
/// (`net.core.netdev_max_backlog`), summed over the processors.
pub fn read_machine() -> Result<Counters, LiveError> {
    let path = "/proc/thread-self/net/softnet_stat";
    let text = fs::read_to_string(path).map_err(LiveError::system(path))?;
    Ok(Counters {
        values: BTreeMap::from([("softnet: input queue of a processor full".to_owned(), softnet(&text))]),
    })
}

/// Counters of /proc/net/snmp, netstat and snmp6 (kernel documentation, networking/snmp_counter), with what they mean.
/// A dropped packet appears in at least one.
const PROTOCOLS: &[(&str, &str)] = &[
    ("IpInHdrErrors", "bad header, or hop limit used up"),
    ("IpInAddrErrors", "packet for somebody else"),
    ("IpInUnknownProtos", "no such protocol"),
    ("IpInDiscards", "no memory for a received packet"),
    ("IpOutDiscards", "packet to be sent dropped"),
    ("IpOutNoRoutes", "no route"),
    ("IpReasmFails", "fragments not put together"),
    ("IpFragFails", "packet too big and not to be split"),
    ("IpExtInNoRoutes", "no route"),
    ("IpExtInTruncatedPkts", "packet cut short"),
    ("IpExtInCsumErrors", "wrong checksum"),
    ("Ip6InHdrErrors", "bad header, or hop limit used up"),
    ("Ip6InTooBigErrors", "packet too big"),
    ("Ip6InNoRoutes", "no route"),
    ("Ip6InAddrErrors", "packet for somebody else"),
    ("Ip6InUnknownProtos", "no such protocol"),
    ("Ip6InTruncatedPkts", "packet cut short"),
    ("Ip6InDiscards", "no memory for a received packet"),
    ("Ip6OutDiscards", "packet to be sent dropped"),
    ("Ip6OutNoRoutes", "no route"),
    ("Ip6ReasmFails", "fragments not put together"),
    ("Ip6FragFails", "packet too big and not to be split"),
    ("UdpInErrors", "datagram not delivered"),
    ("UdpRcvbufErrors", "receive buffer full"),
    ("UdpSndbufErrors", "send buffer full"),
    ("UdpMemErrors", "no memory for UDP"),
    ("UdpInCsumErrors", "wrong checksum"),
    ("Udp6InErrors", "datagram not delivered"),
    ("Udp6RcvbufErrors", "receive buffer full"),
    ("Udp6SndbufErrors", "send buffer full"),
    ("Udp6MemErrors", "no memory for UDP"),
    ("Udp6InCsumErrors", "wrong checksum"),
    ("TcpInErrs", "bad segment"),
    ("TcpInCsumErrors", "wrong checksum"),
    ("TcpExtListenOverflows", "queue of a listening socket full"),
    ("TcpExtListenDrops", "connection request dropped"),
    ("TcpExtTCPReqQFullDrop", "queue of connection requests full"),
    ("TcpExtTCPBacklogDrop", "socket's backlog full"),
    ("TcpExtTCPRcvQDrop", "receive queue full"),
    ("TcpExtTCPZeroWindowDrop", "segment sent into a window of zero"),
    ("TcpExtTCPOFODrop", "no room for segments out of order"),
    ("TcpExtOfoPruned", "segments out of order thrown away for lack of memory"),
    ("TcpExtRcvPruned", "segments thrown away for lack of memory"),
    ("TcpExtPFMemallocDrop", "no memory"),
    ("TcpExtTCPMinTTLDrop", "hop limit below the socket's least"),
];

/// Those of [`PROTOCOLS`] whose packets another one counts too.
const PARTS: &[&str] = &[
    "IpExtInCsumErrors",
    "UdpRcvbufErrors",
    "UdpMemErrors",
    "UdpInCsumErrors",
    "Udp6RcvbufErrors",
    "Udp6MemErrors",
    "Udp6InCsumErrors",
    "TcpInCsumErrors",
    "TcpExtListenOverflows",
    "TcpExtTCPReqQFullDrop",
];

/// Whether what a counter counts is in another one as well, so that a sum must leave it out.
pub fn is_part(what: &str) -> bool {
    what.split_once(':').is_some_and(|(name, _)| PARTS.contains(&name))
}

fn devices(values: &mut BTreeMap<String, u64>) -> Result<(), LiveError> {
    netlink::run("the devices' counters could not be read", async |handle| {
        let mut names = BTreeMap::new();
        let links = handle.link().get().execute();
        pin_mut!(links);
        while let Some(link) = links.try_next().await? {
            let mut stats = None;
            for attribute in link.attributes {
                match attribute {
                    LinkAttribute::IfName(name) => drop(names.insert(link.header.index, name)),
                    LinkAttribute::Stats64(counted) => stats = Some(counted),
                    _ => {}
                }
            }
            if let (Some(name), Some(stats)) = (names.get(&link.header.index), stats) {
                for (what, count) in drops(&stats) {
                    values.insert(format!("device {name}: {what}"), count);
                }
            }
        }
        let disciplines = handle.qdisc().get().execute();
        pin_mut!(disciplines);
        while let Some(discipline) = disciplines.next().await {
            let discipline = discipline?;
            let Some(name) = u32::try_from(discipline.header.index).ok().and_then(|index| names.get(&index))
            else {
                continue;
            };
            for attribute in &discipline.attributes {
                let TcAttribute::Stats2(stats) = attribute else { continue };
                for queue in stats {
                    if let TcStats2::Queue(queue) = queue {
                        let drops = values
                            .entry(format!("device {name}: dropped by the kernel's qdisc"))
                            .or_default();
                        *drops += u64::from(queue.drops);
                    }
                }
            }
        }
        Ok(())
    })
}

fn drops(stats: &Stats64) -> [(&'static str, u64); 6] {
    [
        ("received packets dropped", stats.rx_dropped),
        ("sent packets dropped", stats.tx_dropped),
        ("errors in receiving", stats.rx_errors),
        ("errors in sending", stats.tx_errors),
        ("received packets missed", stats.rx_missed_errors),
        ("received packets for nobody", stats.rx_nohandler),
    ]
}

fn text(file: &str) -> Result<String, LiveError> {
    let path = format!("/proc/thread-self/net/{file}");
    fs::read_to_string(&path).map_err(LiveError::system(path))
}

/// `Udp: InDatagrams NoPorts ..` over `Udp: 12 0 ..`.
fn pairs_of_lines(text: &str, values: &mut BTreeMap<String, u64>) {
    let mut lines = text.lines();
    while let (Some(names), Some(numbers)) = (lines.next(), lines.next()) {
        let mut names = names.split_whitespace();
        let prefix = names.next().unwrap_or("").trim_end_matches(':');
        for (name, number) in names.zip(numbers.split_whitespace().skip(1)) {
            keep(&format!("{prefix}{name}"), number, values);
        }
    }
}

/// `Udp6InErrors    0`.
fn one_a_line(text: &str, values: &mut BTreeMap<String, u64>) {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(number)) = (words.next(), words.next()) {
            keep(name, number, values);
        }
    }
}

fn keep(name: &str, number: &str, values: &mut BTreeMap<String, u64>) {
    let known = PROTOCOLS.iter().find(|(known, _)| *known == name);
    if let (Some((_, meaning)), Ok(count)) = (known, number.parse()) {
        values.insert(format!("{name}: {meaning}"), count);
    }
}

/// The second of the hexadecimal columns, one line a processor.
fn softnet(text: &str) -> u64 {
    let dropped = |line: &str| u64::from_str_radix(line.split_whitespace().nth(1)?, 16).ok();
    text.lines().filter_map(dropped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_grew_and_nothing_else() {
        let mut before = BTreeMap::new();
        let mut after = BTreeMap::new();
        pairs_of_lines(
            "Udp: InDatagrams RcvbufErrors\nUdp: 7 1\nUdpLite: InErrors\nUdpLite: 4\n",
            &mut before,
        );
        pairs_of_lines(
            "Udp: InDatagrams RcvbufErrors\nUdp: 9 4\nUdpLite: InErrors\nUdpLite: 5\n",
            &mut after,
        );
        one_a_line("Udp6InErrors   \t3\n", &mut after);
        let grown = Counters { values: after }.since(&Counters { values: before });
        let expected =
            [("Udp6InErrors: datagram not delivered", 3), ("UdpRcvbufErrors: receive buffer full", 3)];
        assert_eq!(grown, expected.map(|(what, more)| (what.to_owned(), more)));
    }

    #[test]
    fn a_datagram_without_room_is_one_drop() {
        assert!(is_part("UdpRcvbufErrors: receive buffer full"));
        assert!(!is_part("UdpInErrors: datagram not delivered"));
        assert!(PARTS.iter().all(|part| PROTOCOLS.iter().any(|(name, _)| name == part)));
    }

    #[test]
    fn sums_drops_over_processors() {
        assert_eq!(softnet("00001fff 0000000a 00000000\n00000001 00000010 00000000\n"), 26);
    }
}
