//! What the kernel counts when it drops or refuses a packet.
//!
//! A measurement is of our disciplines only if the kernel dropped nothing beside them, so every counter that could hide a
//! drop is read before and after, and differences are reported.

use std::collections::BTreeMap;
use std::fs;

use super::Namespace;
use crate::LiveError;
use crate::netlink::{Request, attributes, dump};

/// `struct ifinfomsg`.
const LINK: usize = 16;
/// `struct tcmsg`.
const DISCIPLINE: usize = 20;
/// `TCA_STATS_QUEUE` of `linux/gen_stats.h`.
const QUEUE: u16 = 3;

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
    let failed = || LiveError::system("the devices' counters could not be read");
    let mut names = BTreeMap::new();
    let links = Request::new(libc::RTM_GETLINK, libc::NLM_F_DUMP, &[0; LINK]);
    dump(&links, |link| {
        let Some(device) = Device::of_link(link) else { return };
        for (what, count) in device.drops {
            values.insert(format!("device {}: {what}", device.name), count);
        }
        names.insert(device.index, device.name);
    })
    .map_err(failed())?;
    let disciplines = Request::new(libc::RTM_GETQDISC, libc::NLM_F_DUMP, &[0; DISCIPLINE]);
    dump(&disciplines, |discipline| {
        let Some((index, drops)) = drops_of_discipline(discipline) else { return };
        let Some(name) = names.get(&index) else { return };
        *values.entry(format!("device {name}: dropped by the kernel's qdisc")).or_default() += drops;
    })
    .map_err(failed())
}

/// A device, and what it counts.
#[derive(Debug, PartialEq, Eq)]
struct Device {
    index: u32,
    name: String,
    drops: [(&'static str, u64); 6],
}

impl Device {
    /// Reads a device's `struct ifinfomsg` and attributes.
    fn of_link(bytes: &[u8]) -> Option<Device> {
        let index = u32::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
        let (mut name, mut stats) = (None, None);
        for (kind, value) in attributes(bytes.get(LINK..)?) {
            match kind {
                libc::IFLA_IFNAME => {
                    let text = value.split(|byte| *byte == 0).next().unwrap_or_default();
                    name = Some(String::from_utf8_lossy(text).into_owned());
                }
                libc::IFLA_STATS64 => stats = Some(value),
                _ => {}
            }
        }
        // The places in `struct rtnl_link_stats64` of `linux/if_link.h`. Older kernels have a shorter one.
        let (chunks, _) = stats?.as_chunks();
        let counter = |place: usize| chunks.get(place).map_or(0, |bytes| u64::from_ne_bytes(*bytes));
        let drops = [
            ("received packets dropped", counter(6)),
            ("sent packets dropped", counter(7)),
            ("errors in receiving", counter(4)),
            ("errors in sending", counter(5)),
            ("received packets missed", counter(15)),
            ("received packets for nobody", counter(23)),
        ];
        Some(Device { index, name: name?, drops })
    }
}

/// The device's index and the drops of a queueing discipline, of its `struct tcmsg` and attributes.
fn drops_of_discipline(bytes: &[u8]) -> Option<(u32, u64)> {
    let index = u32::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
    let (_, stats) = attributes(bytes.get(DISCIPLINE..)?).find(|(kind, _)| *kind == libc::TCA_STATS2)?;
    let (_, queue) = attributes(stats).find(|(kind, _)| *kind == QUEUE)?;
    // `struct gnet_stats_queue`: length, backlog, drops, …
    let drops = u32::from_ne_bytes(*queue.get(8..)?.first_chunk()?);
    Some((index, u64::from(drops)))
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
    use crate::netlink::attribute;

    /// Pieces of a message one behind the other.
    fn joined(fixed: &[u8], parts: &[Vec<u8>]) -> Vec<u8> {
        [fixed, &parts.concat()].concat()
    }

    #[test]
    fn counters_of_a_device_are_found_by_their_place() {
        let mut fixed = [0; LINK];
        fixed[4..8].copy_from_slice(&7u32.to_ne_bytes());
        let stats: Vec<u8> = (100..124u64).flat_map(u64::to_ne_bytes).collect();
        let name = attribute(libc::IFLA_IFNAME, b"v1\0");
        let whole = joined(&fixed, &[name.clone(), attribute(libc::IFLA_STATS64, &stats)]);
        let device = Device::of_link(&whole).unwrap();
        assert_eq!((device.index, device.name.as_str()), (7, "v1"));
        assert_eq!(device.drops.map(|(_, count)| count), [106, 107, 104, 105, 115, 123]);
        let older = joined(&fixed, &[name.clone(), attribute(libc::IFLA_STATS64, &stats[..23 * 8])]);
        assert_eq!(Device::of_link(&older).unwrap().drops[5].1, 0, "there was no such counter");
        assert!(Device::of_link(&joined(&fixed, &[name])).is_none());
        assert!((0..LINK).all(|length| Device::of_link(&whole[..length]).is_none()));
    }

    #[test]
    fn drops_of_a_discipline_are_those_of_its_queue() {
        let mut fixed = [0; DISCIPLINE];
        fixed[4..8].copy_from_slice(&7u32.to_ne_bytes());
        let queue: Vec<u8> = [1u32, 2, 3, 4, 5].into_iter().flat_map(u32::to_ne_bytes).collect();
        let stats = [attribute(1, &[9; 12]), attribute(QUEUE, &queue)].concat();
        let whole = joined(&fixed, &[attribute(1, b"codel\0"), attribute(libc::TCA_STATS2, &stats)]);
        assert_eq!(drops_of_discipline(&whole), Some((7, 3)));
        assert_eq!(drops_of_discipline(&fixed), None);
    }

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
