//! The host behind a network address translation (NAT).

use crate::packet::Packet;

/// The inside host of a packet that the node where it is has translated: what connection tracking knows of it, and its
/// addresses no longer say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// Number of the host, below 2^30, given by the NAT.
    pub host: u32,
    /// Whether the host is the packet's source; otherwise it is the destination.
    pub is_source: bool,
}

impl Packet {
    /// The inside host, if a NAT at this node has translated the packet. It shares `meta.tag` with a switch's own data.
    #[inline]
    pub fn inside(&self) -> Option<Inside> {
        let tag = self.meta.tag;
        (tag >> 1).checked_sub(1).map(|host| Inside { host, is_source: tag & 1 == 1 })
    }

    /// Sets or clears the inside host.
    #[inline]
    pub fn set_inside(&mut self, inside: Option<Inside>) {
        self.meta.tag = inside.map_or(0, |inside| (inside.host + 1) << 1 | u32::from(inside.is_source));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PacketMeta;

    #[test]
    fn the_inside_host_survives_in_the_metadata() {
        let mut packet = Packet { meta: PacketMeta::default(), body: crate::Body::Buffer(Box::default()) };
        assert_eq!(packet.inside(), None);
        for host in [0, 1, (1 << 30) - 1] {
            for is_source in [true, false] {
                let inside = Some(Inside { host, is_source });
                packet.set_inside(inside);
                assert_eq!(packet.inside(), inside);
            }
        }
        packet.set_inside(None);
        assert_eq!(packet.meta.tag, 0);
    }
}
