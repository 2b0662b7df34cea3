//! Packet parser: any bytes give a packet that serialises to the same bytes, or an error, without a panic.

#![no_main]

use jettison_wire::Packet;
use jettison_wire::image::Zeros;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(mut packet) = Packet::from_ip_image(input, Zeros::Kept) else { return };
    let mut image = Vec::new();
    packet.write_ip_image(&mut image, usize::MAX);
    assert_eq!(image, input[..image.len()]);
    let _ = (packet.flow_hash(1), packet.five_tuple(), packet.mark_ce());
});
