//! Accurate ECN feedback in the TCP header: the ACE field and the AccECN options (RFC 9768 §3.2).
//!
//! The text that was read is draft-ietf-tcpm-accurate-ecn-34, which became the RFC; sections are those of both.

use crate::headers::{TcpFlags, TcpHeader};

/// Which of the counters of ECT bytes comes first (RFC 9768 §3.2.3, figure 4). The counter of CE bytes is always the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// AccECN0, kind 172.
    Ect0First,
    /// AccECN1, kind 174.
    Ect1First,
}

/// An AccECN option: the low 24 bits of up to three byte counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccEcnOption {
    order: Order,
    count: u8,
    fields: [u32; 3],
}

impl AccEcnOption {
    /// The modulus of the counters (RFC 9768 appendix A.1, DIVOPT).
    pub const MODULUS: u32 = 1 << 24;

    /// An option with these fields, at most three; counters are cut to 24 bits.
    pub fn new(order: Order, fields: impl IntoIterator<Item = u32>) -> AccEcnOption {
        let mut option = AccEcnOption { order, count: 0, fields: [0; 3] };
        for (place, field) in option.fields.iter_mut().zip(fields) {
            *place = field % AccEcnOption::MODULUS;
            option.count += 1;
        }
        option
    }

    /// The order of the fields.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The fields that are there, in their order.
    pub fn fields(&self) -> &[u32] {
        &self.fields[..usize::from(self.count)]
    }

    /// The field EE0B, if it is there: bytes received as ECT(0).
    pub fn ect0(&self) -> Option<u32> {
        self.fields().get(if self.order == Order::Ect0First { 0 } else { 2 }).copied()
    }

    /// The field EE1B, if it is there: bytes received as ECT(1).
    pub fn ect1(&self) -> Option<u32> {
        self.fields().get(if self.order == Order::Ect0First { 2 } else { 0 }).copied()
    }

    /// The field ECEB, if it is there: bytes received with CE.
    pub fn ce(&self) -> Option<u32> {
        self.fields().get(1).copied()
    }

    /// Length in a header with `count` fields, with the padding to words.
    pub const fn padded_length(count: usize) -> usize {
        (2 + 3 * count).next_multiple_of(4)
    }
}

impl TcpHeader {
    /// An AccECN option is present, of order 0 or 1.
    const OPT_ACC_ECN: u8 = 0x10;
    const OPT_ACC_ECN_ORDER_1: u8 = 0x20;
    /// Where `options` has its number of fields.
    const ACC_ECN_COUNT: u32 = 6;
    /// Number of bytes for options.
    const MAX_OPTIONS: usize = 40;

    /// The flags (AE, CWR, ECE) as a number: the ACE field if SYN is not set (RFC 9768 §3.2.2).
    #[inline]
    pub fn ace(&self) -> u8 {
        u8::from(self.ae) << 2 | self.flags.0 >> 6
    }

    /// Sets the flags (AE, CWR, ECE) to the low three bits of `value`.
    #[inline]
    pub fn set_ace(&mut self, value: u8) {
        self.ae = value & 4 != 0;
        self.flags = TcpFlags(self.flags.0 & 0x3f | value << 6);
    }

    /// The AccECN option, if there is one.
    pub fn acc_ecn(&self) -> Option<AccEcnOption> {
        if self.options & TcpHeader::OPT_ACC_ECN == 0 {
            return None;
        }
        let order = match self.options & TcpHeader::OPT_ACC_ECN_ORDER_1 {
            0 => Order::Ect0First,
            _ => Order::Ect1First,
        };
        let [a, b, c] = self.acc_ecn;
        let fields = [self.sack.spare(2), u32::from_be_bytes([0, a, b, c]), self.sack.spare(1)];
        Some(AccEcnOption::new(order, fields.into_iter().take(self.acc_ecn_count())))
    }

    /// Sets the AccECN option, once, after all other options. Returns false and changes nothing if they leave no room: three
    /// SACK blocks leave none, two leave room for two fields.
    pub fn set_acc_ecn(&mut self, option: &AccEcnOption) -> bool {
        let count = option.fields().len();
        let blocks = if self.flags.contains(TcpFlags::SYN) { 1 } else { self.sack.len() };
        let length = self.header_length() - 20 + AccEcnOption::padded_length(count);
        let fits = blocks < 2 || blocks == 2 && count < 3;
        if !fits || length > TcpHeader::MAX_OPTIONS {
            return false;
        }
        let order = if option.order() == Order::Ect1First { TcpHeader::OPT_ACC_ECN_ORDER_1 } else { 0 };
        self.options |= TcpHeader::OPT_ACC_ECN | order | (count as u8) << TcpHeader::ACC_ECN_COUNT;
        self.sack.set_spare(2, option.fields[0]);
        let [_, middle @ ..] = option.fields[1].to_be_bytes();
        self.acc_ecn = middle;
        if count == 3 {
            self.sack.set_spare(1, option.fields[2]);
        }
        true
    }

    /// Removes the AccECN option.
    pub fn clear_acc_ecn(&mut self) {
        if self.options & TcpHeader::OPT_ACC_ECN != 0 {
            self.sack.set_spare(2, 0);
            if self.acc_ecn_count() == 3 {
                self.sack.set_spare(1, 0);
            }
            self.acc_ecn = [0; 3];
            self.options &= TcpHeader::OPT_ACC_ECN - 1;
        }
    }

    #[inline]
    fn acc_ecn_count(&self) -> usize {
        usize::from(self.options >> TcpHeader::ACC_ECN_COUNT)
    }

    /// Length of the option in this header, padded.
    #[inline]
    pub(crate) fn acc_ecn_length(&self) -> usize {
        if self.options & TcpHeader::OPT_ACC_ECN == 0 {
            return 0;
        }
        AccEcnOption::padded_length(self.acc_ecn_count())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::headers::{Address, Headers, Transport};
    use crate::image::Zeros;
    use crate::packet::{Body, Packet};

    fn option(order: Order, fields: &[u32]) -> AccEcnOption {
        AccEcnOption::new(order, fields.iter().copied())
    }

    /// The TCP header of the packet's image, options and all.
    fn bytes(tcp: TcpHeader) -> Vec<u8> {
        let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
        let packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, 0);
        let mut bytes = Vec::new();
        packet.write_image(&mut bytes, usize::MAX);
        let read = Packet::from_image(&bytes, Zeros::Virtual).unwrap();
        assert_eq!(read.headers(), packet.headers(), "read back as written");
        bytes.split_off(34)
    }

    #[test]
    fn rfc9768_3_2_2_ace_is_ae_cwr_ece_with_its_least_bit_in_ece() {
        let mut tcp = TcpHeader::new(1, 2);
        for ace in 0..8 {
            tcp.flags = TcpFlags::ACK;
            tcp.set_ace(ace);
            assert_eq!(tcp.ace(), ace);
            assert_eq!((tcp.ae, tcp.flags.contains(TcpFlags::CWR)), (ace & 4 != 0, ace & 2 != 0));
            assert_eq!(tcp.flags.contains(TcpFlags::ECE), ace & 1 != 0);
            let image = bytes(tcp);
            assert_eq!(image[12..14], [0x50 | ace >> 2, 0x10 | ace << 6]);
        }
    }

    #[test]
    fn rfc9768_3_2_3_options_have_both_orders_and_four_lengths() {
        let image = |order, fields: &[u32]| {
            let mut tcp = TcpHeader::new(1, 2);
            assert!(tcp.set_acc_ecn(&option(order, fields)));
            bytes(tcp).split_off(20)
        };
        assert_eq!(image(Order::Ect0First, &[0x010203, 4, 5]), [172, 11, 1, 2, 3, 0, 0, 4, 0, 0, 5, 1]);
        assert_eq!(image(Order::Ect1First, &[0x010203, 0x01_000004]), [174, 8, 1, 2, 3, 0, 0, 4]);
        assert_eq!(image(Order::Ect1First, &[9]), [174, 5, 0, 0, 9, 1, 1, 1]);
        assert_eq!(image(Order::Ect0First, &[]), [172, 2, 1, 1]);
        let (zero, one) = (option(Order::Ect0First, &[1, 2, 3]), option(Order::Ect1First, &[1, 2, 3]));
        assert_eq!((zero.ect0(), zero.ce(), zero.ect1()), (Some(1), Some(2), Some(3)));
        assert_eq!((one.ect1(), one.ce(), one.ect0()), (Some(1), Some(2), Some(3)));
        assert_eq!(option(Order::Ect1First, &[1]).ce(), None);
    }

    /// As seen in Linux 7.2 (tcp_ecn = 3): SYN-ACK, and ACKs with and without a SACK block.
    #[test]
    fn the_layout_is_that_of_linux() {
        let mut tcp = TcpHeader::new(1, 2);
        tcp.flags = TcpFlags::SYN.with(TcpFlags::ACK);
        tcp.options = TcpHeader::OPT_TIMESTAMPS;
        tcp.set_syn_options(1460, Some(7), true);
        assert!(tcp.set_acc_ecn(&option(Order::Ect1First, &[1, 0, 1])));
        assert_eq!((tcp.mss(), tcp.window_scale()), (Some(1460), Some(7)));
        let image = bytes(tcp);
        assert_eq!(image[24..26], [4, 2], "SACK permitted, before timestamps");
        assert_eq!(image[36..52], [174, 11, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 3, 3, 7]);
        let mut tcp = TcpHeader::new(1, 2);
        tcp.flags = TcpFlags::ACK;
        tcp.options = TcpHeader::OPT_TIMESTAMPS;
        tcp.sack.push(7, 8);
        assert!(tcp.set_acc_ecn(&option(Order::Ect1First, &[1, 0, 1])));
        let image = bytes(tcp);
        assert_eq!((image.len(), image[32], image[44..48].to_vec()), (56, 174, vec![1, 1, 5, 10]));
    }

    #[test]
    fn rfc9768_3_2_3_3_two_sack_blocks_leave_room_for_two_fields_and_three_for_none() {
        let mut tcp = TcpHeader::new(1, 2);
        tcp.options = TcpHeader::OPT_TIMESTAMPS;
        tcp.sack.push(10, 20);
        tcp.sack.push(30, 40);
        assert!(!tcp.set_acc_ecn(&option(Order::Ect0First, &[1, 2, 3])));
        let mut full = tcp;
        assert!(tcp.set_acc_ecn(&option(Order::Ect0First, &[1, 2])));
        assert_eq!((tcp.header_length(), tcp.sack.len()), (60, 2));
        bytes(tcp);
        full.sack.push(50, 60);
        assert!(!full.set_acc_ecn(&option(Order::Ect0First, &[])));
    }

    proptest! {
        #[test]
        fn any_option_that_fits_is_written_and_read(
            is_first in any::<bool>(), fields in prop::collection::vec(0u32..1 << 24, 0..4), blocks in 0u32..4,
            stamps in any::<bool>(), ace in 0u8..8
        ) {
            let mut tcp = TcpHeader::new(1, 2);
            tcp.options = if stamps { TcpHeader::OPT_TIMESTAMPS } else { 0 };
            tcp.set_ace(ace);
            for block in 0..blocks {
                tcp.sack.push(block * 10, block * 10 + 5);
            }
            let order = if is_first { Order::Ect0First } else { Order::Ect1First };
            let option = AccEcnOption::new(order, fields);
            let fits = tcp.set_acc_ecn(&option);
            prop_assert_eq!(tcp.acc_ecn(), fits.then_some(option));
            prop_assert_eq!(tcp.sack.len(), blocks as usize);
            bytes(tcp);
            let mut cleared = tcp;
            cleared.clear_acc_ecn();
            prop_assert_eq!(cleared.acc_ecn(), None);
            prop_assert_eq!(cleared.sack, tcp.sack.truncated(blocks as usize));
        }
    }

    #[test]
    fn an_option_that_no_header_can_hold_leaves_the_packet_its_bytes() {
        // Four bytes of padding within the option: readable, but only as bytes does it stay as it was.
        let mut tcp = TcpHeader::new(1, 2);
        tcp.set_acc_ecn(&option(Order::Ect0First, &[1, 2]));
        let mut image = Vec::new();
        let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
        let packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, 0);
        packet.write_image(&mut image, usize::MAX);
        image[34 + 20 + 1] = 7;
        image[34 + 20 + 7] = 1;
        let read = Packet::from_image(&image, Zeros::Virtual).unwrap();
        assert!(matches!(read.body, Body::Buffer(_)));
    }
}
