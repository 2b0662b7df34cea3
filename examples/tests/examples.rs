//! Tests that run the examples as a reader would.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use jettison_wire::{Address, Headers, Packet, Transport, UdpHeader};
use pcap_file::DataLink;
use pcap_file::pcap::{PcapPacket, PcapReader, PcapWriter};

fn run(program: &str, arguments: &[&Path]) -> String {
    let output = Command::new(program).args(arguments).output().expect("cargo has built the example");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("examples print UTF-8")
}

/// Extracts the numbers of a line in order.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[test]
fn the_router_drops_the_excess_and_sends_the_rest() {
    let line = run(env!("CARGO_BIN_EXE_router"), &[]);
    let [received, sent, dropped, 0] = numbers(&line)[..] else { panic!("{line}") };
    assert_eq!(received, 2000);
    assert_eq!(sent + dropped, received);
    assert!(dropped > 0 && dropped < 400, "{line}");
}

#[test]
fn the_router_reads_its_own_output() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let (once, twice) = (folder.path().join("once.pcap"), folder.path().join("twice.pcap"));
    let generated = folder.path().join("generated.pcap");
    write_frames(&generated);
    let first = run(env!("CARGO_BIN_EXE_router"), &[&generated, &once]);
    assert_eq!(numbers(&first), [4, 3, 0, 1], "{first}");
    let second = run(env!("CARGO_BIN_EXE_router"), &[&once, &twice]);
    assert_eq!(numbers(&second), [3, 3, 0, 0], "{second}");
    let (once, twice) = (packets(&once), packets(&twice));
    assert_eq!((once.len(), twice.len()), (3, 3));
    // After one more hop the time to live is lower by one, the checksum matches, and everything else is unchanged.
    let (before, after) = (&once[0], &twice[0]);
    assert_eq!(after[8], before[8] - 1);
    assert_eq!(header_sum(after), 0xffff);
    assert_eq!((&after[..8], &after[12..]), (&before[..8], &before[12..]));
}

#[test]
fn a_new_discipline_runs_beside_a_built_in_one() {
    let line = run(env!("CARGO_BIN_EXE_new_discipline"), &[]);
    let [tail_drop, drop_front] = numbers(&line)[..] else { panic!("{line}") };
    // 100 packets of 12,000 bits wait for departures at 10 Mbit/s, 120 ms, or for arrivals at 12 Mbit/s, 100 ms.
    assert!((117..=124).contains(&tail_drop) && (97..=104).contains(&drop_front), "{line}");
}

#[test]
fn a_new_abr_rule_runs_beside_a_built_in_one() {
    let line = run(env!("CARGO_BIN_EXE_new_abr_rule"), &[]);
    let [built_in, few, own, many] = numbers(&line)[..] else { panic!("{line}") };
    // The link carries 2 Mbit/s. Steps of the buffer find its rate too, but have no measure against oscillation.
    assert!((1500..2000).contains(&built_in) && (1500..2000).contains(&own), "{line}");
    assert!(many > few + 5, "{line}");
}

/// Writes a capture of Ethernet frames at intervals of 10 ms: three UDP packets and one frame without IP.
fn write_frames(file: &Path) {
    let udp = UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() };
    let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
    let mut frame = Vec::new();
    Packet::model(Headers { src, dst, transport: Transport::Udp(udp) }, 100)
        .write_image(&mut frame, usize::MAX);
    let mut other = frame.clone();
    other[14] = 0; // no IP version
    let mut writer = PcapWriter::new(File::create(file).expect("the folder is writable")).expect("as above");
    for (number, bytes) in [&frame, &other, &frame, &frame].into_iter().enumerate() {
        let at = Duration::from_millis(10 * number as u64);
        writer.write_packet(&packet(at, bytes)).expect("the file is writable");
    }
}

fn packet(at: Duration, bytes: &[u8]) -> PcapPacket<'_> {
    PcapPacket::new(at, bytes.len() as u32, bytes).expect("the packet is complete")
}

/// Reads the packets of a capture of IP packets.
fn packets(file: &Path) -> Vec<Vec<u8>> {
    let mut reader =
        PcapReader::new(File::open(file).expect("the file was written")).expect("the file is a capture");
    assert_eq!(reader.header().datalink, DataLink::RAW);
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet() {
        packets.push(packet.expect("the packet is complete").data().to_vec());
    }
    packets
}

/// One's complement sum of an IPv4 header, which is all ones if the checksum is correct (RFC 791).
fn header_sum(ip: &[u8]) -> u32 {
    let mut sum: u32 = ip[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}
