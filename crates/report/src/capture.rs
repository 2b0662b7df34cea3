//! Reads captures of Ethernet frames, in the formats pcap and pcapng.

use std::io::Cursor;

use jettison_core::Time;
use pcap_file::DataLink;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::block_common::Block;

/// A frame of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Time since the first frame.
    pub at: Time,
    /// Captured bytes.
    pub bytes: Vec<u8>,
}

/// Why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The first bytes are those of no known format.
    #[error("neither a pcap nor a pcapng file")]
    UnknownFormat,
    /// The capture does not follow its format.
    #[error("malformed capture: {0}")]
    Malformed(String),
    /// Its frames are not Ethernet.
    #[error("the link type must be Ethernet, got {0}")]
    LinkType(String),
}

/// Magic numbers of pcap files, with times in microseconds or nanoseconds, in both byte orders.
const PCAP: [[u8; 4]; 4] =
    [[0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1]];
/// Magic number of pcapng files.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Reads the frames of a capture, in order of time.
///
/// # Errors
/// If the capture is malformed, or its frames are not Ethernet.
pub fn read_capture(bytes: &[u8]) -> Result<Vec<CapturedFrame>, CaptureError> {
    let frames = match bytes.first_chunk::<4>() {
        Some(magic) if PCAP.contains(magic) => pcap(bytes)?,
        Some(&PCAPNG) => pcapng(bytes)?,
        _ => return Err(CaptureError::UnknownFormat),
    };
    let start = frames.iter().map(|(nanos, _)| *nanos).min().unwrap_or(0);
    let since = |nanos: u128| Time::from_nanos(u64::try_from(nanos - start).unwrap_or(u64::MAX / 2));
    let mut frames: Vec<CapturedFrame> =
        frames.into_iter().map(|(nanos, bytes)| CapturedFrame { at: since(nanos), bytes }).collect();
    // The interfaces of one capture may be out of order.
    frames.sort_by_key(|frame| frame.at);
    Ok(frames)
}

fn pcap(bytes: &[u8]) -> Result<Vec<(u128, Vec<u8>)>, CaptureError> {
    let mut reader = PcapReader::new(Cursor::new(bytes)).map_err(malformed)?;
    ethernet(reader.header().datalink)?;
    let mut frames = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.map_err(malformed)?;
        frames.push((packet.timestamp().as_nanos(), packet.data().to_vec()));
    }
    Ok(frames)
}

fn pcapng(bytes: &[u8]) -> Result<Vec<(u128, Vec<u8>)>, CaptureError> {
    let mut reader = PcapNgReader::new(Cursor::new(bytes)).map_err(malformed)?;
    let mut frames: Vec<(u128, Vec<u8>)> = Vec::new();
    while let Some(block) = reader.next_block() {
        let (block, _) = block.map_err(malformed)?;
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

fn malformed(error: impl std::fmt::Display) -> CaptureError {
    CaptureError::Malformed(error.to_string())
}

fn ethernet(link: DataLink) -> Result<(), CaptureError> {
    if link == DataLink::ETHERNET {
        return Ok(());
    }
    Err(CaptureError::LinkType(format!("{link:?}")))
}
