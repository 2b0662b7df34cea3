//! Kernel counters of dropped and rejected packets.
//!
//! A measurement shows our disciplines only if the kernel itself dropped nothing. Every counter that can reveal a drop is read
//! before and after the run, and the differences are reported.

use std::collections::BTreeMap;
use std::fs;

use super::Namespace;
use crate::LiveError;
use crate::netlink::{Request, attributes, dump};

/// Length of `struct ifinfomsg`.
const LINK: usize = 16;
/// Length of `struct tcmsg`.
const DISCIPLINE: usize = 20;
/// `TCA_STATS_QUEUE` of `linux/gen_stats.h`.
const QUEUE: u16 = 3;

/// Counters by name at one point in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    values: BTreeMap<String, u64>,
}

impl Counters {
    /// Counters that grew since `earlier`, with the increments. Empty if the kernel dropped nothing.
    pub fn since(&self, earlier: &Self) -> Vec<(String, u64)> {
        let grown = |(name, &now): (&String, &u64)| {
            let more = now.saturating_sub(earlier.value(name));
            (more > 0).then(|| (name.clone(), more))
        };
        self.values.iter().filter_map(grown).collect()
    }

    /// Value of one counter; 0 if the kernel does not have it.
    pub fn value(&self, name: &str) -> u64 {
        self.values.get(name).copied().unwrap_or(0)
    }
}

/// Reads all counters of `namespace`: devices, queueing disciplines, IP, UDP and TCP.
pub fn read(namespace: &Namespace) -> Result<Counters, LiveError> {
    namespace.enter(|| {
        let mut values = BTreeMap::new();
        devices(&mut values)?;
        for file in ["snmp", "netstat"] {
            parse_line_pairs(&text(file)?, &mut values);
        }
        // The file does not exist without IPv6 in the kernel.
        if let Ok(text) = text("snmp6") {
            parse_lines(&text, &mut values);
        }
        Ok(Counters { values })
    })?
}

/// Reads the machine's counters: packets dropped because the input queue of a processor was full
/// (`net.core.netdev_max_backlog`), summed over the processors.
pub fn read_machine() -> Result<Counters, LiveError> {
    let path = "/proc/thread-self/net/softnet_stat";
    let text = fs::read_to_string(path).map_err(LiveError::system(path))?;
    Ok(Counters {
        values: BTreeMap::from([("softnet: input queue of a processor full".to_owned(), softnet(&text))]),
    })
}

/// Counters of /proc/net/snmp, netstat and snmp6 (kernel documentation, networking/snmp_counter) with their meaning. Each
/// dropped packet is counted in at least one.
const PROTOCOLS: &[(&str, &str)] = &[
    ("IpInHdrErrors", "invalid header, or hop limit exceeded"),
    ("IpInAddrErrors", "packet with a foreign address"),
    ("IpInUnknownProtos", "unknown protocol"),
    ("IpInDiscards", "no memory for a received packet"),
    ("IpOutDiscards", "outgoing packet dropped"),
    ("IpOutNoRoutes", "no route"),
    ("IpReasmFails", "reassembly failed"),
    ("IpFragFails", "packet too big and not fragmentable"),
    ("IpExtInNoRoutes", "no route"),
    ("IpExtInTruncatedPkts", "truncated packet"),
    ("IpExtInCsumErrors", "wrong checksum"),
    ("Ip6InHdrErrors", "invalid header, or hop limit exceeded"),
    ("Ip6InTooBigErrors", "packet too big"),
    ("Ip6InNoRoutes", "no route"),
    ("Ip6InAddrErrors", "packet with a foreign address"),
    ("Ip6InUnknownProtos", "unknown protocol"),
    ("Ip6InTruncatedPkts", "truncated packet"),
    ("Ip6InDiscards", "no memory for a received packet"),
    ("Ip6OutDiscards", "outgoing packet dropped"),
    ("Ip6OutNoRoutes", "no route"),
    ("Ip6ReasmFails", "reassembly failed"),
    ("Ip6FragFails", "packet too big and not fragmentable"),
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
    ("TcpInErrs", "invalid segment"),
    ("TcpInCsumErrors", "wrong checksum"),
    ("TcpExtListenOverflows", "accept queue full"),
    ("TcpExtListenDrops", "connection request dropped"),
    ("TcpExtTCPReqQFullDrop", "SYN queue full"),
    ("TcpExtTCPBacklogDrop", "socket's backlog full"),
    ("TcpExtTCPRcvQDrop", "receive queue full"),
    ("TcpExtTCPZeroWindowDrop", "segment beyond a zero window"),
    ("TcpExtTCPOFODrop", "no memory for out-of-order segments"),
    ("TcpExtOfoPruned", "out-of-order segments discarded for lack of memory"),
    ("TcpExtRcvPruned", "segments discarded for lack of memory"),
    ("TcpExtPFMemallocDrop", "no memory"),
    ("TcpExtTCPMinTTLDrop", "hop limit below the socket's minimum"),
];

/// Counters of [`PROTOCOLS`] whose packets are also counted by another one.
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

/// Whether another counter includes this one, so that sums must exclude it.
pub fn is_part(name: &str) -> bool {
    name.split_once(':').is_some_and(|(id, _)| PARTS.contains(&id))
}

fn devices(values: &mut BTreeMap<String, u64>) -> Result<(), LiveError> {
    let failed = || LiveError::system("cannot read the device counters");
    let mut names = BTreeMap::new();
    let links = Request::new(libc::RTM_GETLINK, libc::NLM_F_DUMP, &[0; LINK]);
    dump(&links, |link| {
        let Some(device) = Device::of_link(link) else { return };
        for (event, count) in device.drops {
            values.insert(format!("device {}: {event}", device.name), count);
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

/// A device with its drop counters.
#[derive(Debug, PartialEq, Eq)]
struct Device {
    index: u32,
    name: String,
    drops: [(&'static str, u64); 6],
}

impl Device {
    /// Parses a device's `struct ifinfomsg` and attributes.
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
        // Indices in `struct rtnl_link_stats64` of `linux/if_link.h`, which is shorter in older kernels.
        let (chunks, _) = stats?.as_chunks();
        let counter = |index: usize| chunks.get(index).map_or(0, |bytes| u64::from_ne_bytes(*bytes));
        let drops = [
            ("received packets dropped", counter(6)),
            ("sent packets dropped", counter(7)),
            ("receive errors", counter(4)),
            ("transmit errors", counter(5)),
            ("received packets missed", counter(15)),
            ("received packets without a handler", counter(23)),
        ];
        Some(Device { index, name: name?, drops })
    }
}

/// Parses a queueing discipline's `struct tcmsg` and attributes: device index and number of drops.
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

/// Parses pairs of lines such as `Udp: InDatagrams NoPorts ..` above `Udp: 12 0 ..`.
fn parse_line_pairs(text: &str, values: &mut BTreeMap<String, u64>) {
    let mut lines = text.lines();
    while let (Some(names), Some(numbers)) = (lines.next(), lines.next()) {
        let mut names = names.split_whitespace();
        let prefix = names.next().unwrap_or("").trim_end_matches(':');
        for (name, number) in names.zip(numbers.split_whitespace().skip(1)) {
            insert_known(&format!("{prefix}{name}"), number, values);
        }
    }
}

/// Parses lines such as `Udp6InErrors    0`.
fn parse_lines(text: &str, values: &mut BTreeMap<String, u64>) {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(number)) = (words.next(), words.next()) {
            insert_known(name, number, values);
        }
    }
}

fn insert_known(name: &str, number: &str, values: &mut BTreeMap<String, u64>) {
    let known = PROTOCOLS.iter().find(|(known, _)| *known == name);
    if let (Some((_, meaning)), Ok(count)) = (known, number.parse()) {
        values.insert(format!("{name}: {meaning}"), count);
    }
}

/// Sum of the second of the hexadecimal columns; there is one line per processor.
fn softnet(text: &str) -> u64 {
    let dropped = |line: &str| u64::from_str_radix(line.split_whitespace().nth(1)?, 16).ok();
    text.lines().filter_map(dropped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::attribute;

    /// Concatenates the parts of a message.
    fn joined(fixed: &[u8], parts: &[Vec<u8>]) -> Vec<u8> {
        [fixed, &parts.concat()].concat()
    }

    #[test]
    fn device_counters_are_read_at_their_offsets() {
        let mut fixed = [0; LINK];
        fixed[4..8].copy_from_slice(&7u32.to_ne_bytes());
        let stats: Vec<u8> = (100..124u64).flat_map(u64::to_ne_bytes).collect();
        let name = attribute(libc::IFLA_IFNAME, b"v1\0");
        let whole = joined(&fixed, &[name.clone(), attribute(libc::IFLA_STATS64, &stats)]);
        let device = Device::of_link(&whole).unwrap();
        assert_eq!((device.index, device.name.as_str()), (7, "v1"));
        assert_eq!(device.drops.map(|(_, count)| count), [106, 107, 104, 105, 115, 123]);
        let older = joined(&fixed, &[name.clone(), attribute(libc::IFLA_STATS64, &stats[..23 * 8])]);
        assert_eq!(Device::of_link(&older).unwrap().drops[5].1, 0, "older kernels lack this counter");
        assert!(Device::of_link(&joined(&fixed, &[name])).is_none());
        assert!((0..LINK).all(|length| Device::of_link(&whole[..length]).is_none()));
    }

    #[test]
    fn drops_of_a_discipline_come_from_its_queue_statistics() {
        let mut fixed = [0; DISCIPLINE];
        fixed[4..8].copy_from_slice(&7u32.to_ne_bytes());
        let queue: Vec<u8> = [1u32, 2, 3, 4, 5].into_iter().flat_map(u32::to_ne_bytes).collect();
        let stats = [attribute(1, &[9; 12]), attribute(QUEUE, &queue)].concat();
        let whole = joined(&fixed, &[attribute(1, b"codel\0"), attribute(libc::TCA_STATS2, &stats)]);
        assert_eq!(drops_of_discipline(&whole), Some((7, 3)));
        assert_eq!(drops_of_discipline(&fixed), None);
    }

    #[test]
    fn only_grown_counters_are_named() {
        let mut before = BTreeMap::new();
        let mut after = BTreeMap::new();
        parse_line_pairs(
            "Udp: InDatagrams RcvbufErrors\nUdp: 7 1\nUdpLite: InErrors\nUdpLite: 4\n",
            &mut before,
        );
        parse_line_pairs(
            "Udp: InDatagrams RcvbufErrors\nUdp: 9 4\nUdpLite: InErrors\nUdpLite: 5\n",
            &mut after,
        );
        parse_lines("Udp6InErrors   \t3\n", &mut after);
        let grown = Counters { values: after }.since(&Counters { values: before });
        let expected =
            [("Udp6InErrors: datagram not delivered", 3), ("UdpRcvbufErrors: receive buffer full", 3)];
        assert_eq!(grown, expected.map(|(name, more)| (name.to_owned(), more)));
    }

    #[test]
    fn a_datagram_dropped_from_a_full_buffer_is_counted_once() {
        assert!(is_part("UdpRcvbufErrors: receive buffer full"));
        assert!(!is_part("UdpInErrors: datagram not delivered"));
        assert!(PARTS.iter().all(|part| PROTOCOLS.iter().any(|(name, _)| name == part)));
    }

    #[test]
    fn drops_are_summed_over_processors() {
        assert_eq!(softnet("00001fff 0000000a 00000000\n00000001 00000010 00000000\n"), 26);
    }
}
