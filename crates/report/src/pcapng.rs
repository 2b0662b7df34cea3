//! Packet captures: one pcapng file per port.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time;

use jettison_core::Time;
use jettison_wire::Packet;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption, InterfaceTsResolution,
};
use pcap_file::pcapng::blocks::section_header::SectionHeaderBlock;
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriteError, PcapNgWriter};
use pcap_file::{DataLink, Endianness};

use crate::error::ReportError;

/// Writer of the packets that pass one port: link type Ethernet, nanoseconds since the start of the run (`if_tsresol`
/// 9).
pub struct PortCapture<W: Write = BufWriter<File>> {
    writer: PcapNgWriter<W>,
    path: PathBuf,
    snap: usize,
    image: Vec<u8>,
}

impl PortCapture {
    /// Creates the file at `path`. At most `snap` bytes of each frame are kept.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, port: &str, snap: usize) -> Result<PortCapture, ReportError> {
        let file = File::create(path).map_err(ReportError::write(path))?;
        PortCapture::new(BufWriter::with_capacity(1 << 16, file), path, port, snap)
    }
}

impl<W: Write> PortCapture<W> {
    /// Starts a capture in `sink`; error messages name `path`.
    ///
    /// # Errors
    /// If `sink` cannot be written.
    pub fn new(sink: W, path: &Path, port: &str, snap: usize) -> Result<PortCapture<W>, ReportError> {
        let failed = |error| ReportError::write(path)(io_error(error));
        // Use one byte order on all machines: equal runs give equal bytes.
        let section = SectionHeaderBlock { endianness: Endianness::Little, ..SectionHeaderBlock::default() };
        let mut writer = PcapNgWriter::with_section_header(sink, section).map_err(failed)?;
        let interface = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: u32::try_from(snap).unwrap_or(0), // 0: no limit
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(port)),
                InterfaceDescriptionOption::IfTsResol(InterfaceTsResolution::NANO),
            ],
        };
        writer.write_block(&interface.into_block()).map_err(failed)?;
        Ok(PortCapture { writer, path: path.to_owned(), snap, image: Vec::new() })
    }

    /// Writes `packet`, which passed the port at `now`.
    ///
    /// # Errors
    /// If `sink` cannot be written.
    pub fn packet(&mut self, packet: &Packet, now: Time) -> Result<(), ReportError> {
        self.image.clear();
        packet.write_image(&mut self.image, self.snap);
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: time::Duration::from_nanos(now.as_nanos()),
            original_len: packet.image_length() as u32,
            data: Cow::Borrowed(&self.image),
            options: Vec::new(),
        };
        let written = self.writer.write_block(&block.into_block());
        written.map(drop).map_err(|error| ReportError::write(&self.path)(io_error(error)))
    }

    /// Flushes the buffer and returns the sink.
    ///
    /// # Errors
    /// If `sink` cannot be written.
    pub fn finish(self) -> Result<W, ReportError> {
        let mut sink = self.writer.into_inner();
        sink.flush().map_err(ReportError::write(&self.path))?;
        Ok(sink)
    }
}

fn io_error(error: PcapNgWriteError) -> io::Error {
    match error {
        PcapNgWriteError::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::{Address, Headers, InlineBytes, Transport, UdpHeader};
    use pcap_file::pcapng::PcapNgReader;
    use pcap_file::pcapng::blocks::block_common::Block;

    use super::*;

    #[test]
    fn a_capture_reads_back_with_nanoseconds_and_lengths() {
        let inline = InlineBytes::new(b"first").unwrap();
        let transport = Transport::Udp(UdpHeader { src_port: 7, dst_port: 9, inline });
        let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
        let packet = Packet::model(headers, 1000);
        let mut capture = PortCapture::new(Vec::new(), Path::new("x"), "r:1", 60).unwrap();
        capture.packet(&packet, Time::from_nanos(1_000_000_007)).unwrap();
        capture.packet(&packet, Time::from_nanos(2_000_000_001)).unwrap();
        let bytes = capture.finish().unwrap();

        let mut reader = PcapNgReader::new(&bytes[..]).unwrap();
        let mut seen = Vec::new();
        while let Some(block) = reader.next_block() {
            match block.unwrap().0 {
                Block::EnhancedPacket(p) => {
                    seen.push((p.timestamp.as_nanos(), p.original_len, p.data.into_owned()))
                }
                Block::InterfaceDescription(i) => {
                    assert_eq!((i.linktype, i.snaplen), (DataLink::ETHERNET, 60));
                    assert_eq!(i.ts_resolution(), InterfaceTsResolution::NANO);
                }
                _ => {}
            }
        }
        let mut image = Vec::new();
        packet.write_image(&mut image, 60);
        assert_eq!(seen, [(1_000_000_007, 14 + 1028, image.clone()), (2_000_000_001, 14 + 1028, image)]);
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = PortCapture::new(Full, Path::new("out/r-1.pcapng"), "r:1", 60).err().unwrap().to_string();
        assert!(error.contains("out/r-1.pcapng") && error.contains("free some space"), "{error}");
    }
}
