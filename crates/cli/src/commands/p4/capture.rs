//! Reader of captures of Ethernet frames.

use std::io::Cursor;
use std::path::Path;

use jettison_core::Time;
use pcap_file::DataLink;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::block_common::Block;

use crate::output::Failure;

/// A frame of a capture.
pub struct Frame {
    /// Time since the first frame.
    pub at: Time,
    /// Captured bytes.
    pub bytes: Vec<u8>,
}

/// Magic numbers of pcap files, with times in microseconds or nanoseconds, in both byte orders.
const PCAP: [[u8; 4]; 4] =
    [[0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1]];
/// Magic number of pcapng files.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Maximum size of a capture in bytes, because it is held in memory.
const MAX_SIZE: u64 = 4 << 30;

/// Reads a capture.
pub fn read(file: &Path) -> Result<Vec<Frame>, Failure> {
    let name = file.display();
    let bytes = super::read(file, MAX_SIZE, "a capture")?;
    let frames = match bytes.first_chunk::<4>() {
        Some(magic) if PCAP.contains(magic) => pcap(&bytes),
        Some(&PCAPNG) => pcapng(&bytes),
        _ => Err("neither a pcap nor a pcapng file".to_owned()),
    };
    let frames = frames.map_err(|message| Failure::of(format!("{name}: {message}")))?;
    let start = frames.iter().map(|(nanos, _)| *nanos).min().unwrap_or(0);
    let since = |nanos: u128| Time::from_nanos(u64::try_from(nanos - start).unwrap_or(u64::MAX / 2));
    let mut frames: Vec<Frame> =
        frames.into_iter().map(|(nanos, bytes)| Frame { at: since(nanos), bytes }).collect();
    // The interfaces of one capture may be out of order.
    frames.sort_by_key(|frame| frame.at);
    Ok(frames)
}

fn pcap(bytes: &[u8]) -> Result<Vec<(u128, Vec<u8>)>, String> {
    let broken = |error| format!("malformed capture: {error}");
    let mut reader = PcapReader::new(Cursor::new(bytes)).map_err(broken)?;
    ethernet(reader.header().datalink)?;
    let mut frames = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.map_err(broken)?;
        frames.push((packet.timestamp().as_nanos(), packet.data().to_vec()));
    }
    Ok(frames)
}

fn pcapng(bytes: &[u8]) -> Result<Vec<(u128, Vec<u8>)>, String> {
    let broken = |error| format!("malformed capture: {error}");
    let mut reader = PcapNgReader::new(Cursor::new(bytes)).map_err(broken)?;
    let mut frames: Vec<(u128, Vec<u8>)> = Vec::new();
    while let Some(block) = reader.next_block() {
        let (block, _) = block.map_err(broken)?;
        match block {
            Block::InterfaceDescription(interface) => ethernet(interface.linktype)?,
            Block::EnhancedPacket(packet) => {
                frames.push((packet.timestamp.as_nanos(), packet.data.into_owned()));
            }
            // The block has no time, so the frame gets that of the previous one.
            Block::SimplePacket(packet) => {
                let nanos = frames.last().map_or(0, |(nanos, _)| *nanos);
                frames.push((nanos, packet.data.into_owned()));
            }
            _ => {}
        }
    }
    Ok(frames)
}

fn ethernet(link: DataLink) -> Result<(), String> {
    if link == DataLink::ETHERNET {
        return Ok(());
    }
    Err(format!("the link type must be Ethernet, got {link:?}"))
}
