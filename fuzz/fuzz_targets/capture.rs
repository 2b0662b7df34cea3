//! Captures: any bytes give frames in order of time, or an error, without a panic or an endless loop. The packets of a frame
//! that can be parsed are written to a capture and read again.

#![no_main]

use std::path::Path;

use jettison_core::Time;
use jettison_report::{PortCapture, read_capture};
use jettison_wire::Packet;
use jettison_wire::image::Zeros;
use libfuzzer_sys::fuzz_target;

/// Length of an Ethernet header.
const ETHERNET: usize = 14;

fuzz_target!(|input: &[u8]| {
    let Ok(frames) = read_capture(input) else { return };
    assert!(frames.is_sorted_by_key(|frame| frame.at));
    let mut written = Vec::new();
    let mut packets = Vec::new();
    let mut capture =
        PortCapture::new(&mut written, Path::new("fuzz"), "port", usize::MAX).expect("memory can be written");
    for frame in &frames {
        let Some(image) = frame.bytes.get(ETHERNET..) else { continue };
        let Ok(packet) = Packet::from_ip_image(image, Zeros::Kept) else { continue };
        let at = Time::from_nanos(frame.at.as_nanos() % (1 << 60));
        capture.packet(&packet, at).expect("memory can be written");
        packets.push(packet);
    }
    capture.finish().expect("memory can be written");
    let again = read_capture(&written).expect("our own capture");
    assert_eq!(again.len(), packets.len());
});
