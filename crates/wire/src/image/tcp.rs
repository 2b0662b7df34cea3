//! The TCP header (RFC 9293 §3.1) and its options, in the layout of [`TcpHeader::header_length`].

use crate::acc_ecn::{AccEcnOption, Order};
use crate::headers::{TcpFlags, TcpHeader};

/// IP protocol number.
pub(super) const PROTOCOL: u8 = 6;
/// Offset of the checksum in the header.
pub(super) const CHECKSUM_AT: usize = 16;

/// AE, the lowest bit of the byte with the header's length (RFC 9768 §3.1.1, figure 2).
const AE: u8 = 1;

// Option kinds: RFC 9293 §3.2, RFC 7323 §2 and §3, RFC 2018 §2 and §3, RFC 9768 §3.2.3.
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const ACC_ECN_0: u8 = 172;
const ACC_ECN_1: u8 = 174;

/// Writes the header with a zero checksum.
pub(super) fn write(out: &mut Vec<u8>, tcp: &TcpHeader) {
    out.extend_from_slice(&tcp.src_port.to_be_bytes());
    out.extend_from_slice(&tcp.dst_port.to_be_bytes());
    out.extend_from_slice(&tcp.seq.to_be_bytes());
    out.extend_from_slice(&tcp.ack.to_be_bytes());
    out.extend_from_slice(&[((tcp.header_length() / 4) as u8) << 4 | u8::from(tcp.ae), tcp.flags.0]);
    out.extend_from_slice(&tcp.window.to_be_bytes());
    out.extend_from_slice(&[0; 4]); // checksum, urgent pointer
    if tcp.flags.contains(TcpFlags::SYN) {
        let sack_permitted = tcp.options & TcpHeader::OPT_SACK_PERMITTED != 0;
        if let Some(mss) = tcp.mss() {
            out.extend_from_slice(&[MSS, 4]);
            out.extend_from_slice(&mss.to_be_bytes());
        }
        match tcp.timestamps() {
            Some(stamps) => {
                out.extend_from_slice(&if sack_permitted { [SACK_PERMITTED, 2] } else { [NOP, NOP] });
                write_timestamps(out, stamps);
            }
            None if sack_permitted => out.extend_from_slice(&[NOP, NOP, SACK_PERMITTED, 2]),
            None => {}
        }
        write_acc_ecn(out, tcp);
        if let Some(shift) = tcp.window_scale() {
            out.extend_from_slice(&[NOP, WINDOW_SCALE, 3, shift]);
        }
    } else {
        if let Some(stamps) = tcp.timestamps() {
            out.extend_from_slice(&[NOP, NOP]);
            write_timestamps(out, stamps);
        }
        write_acc_ecn(out, tcp);
        if !tcp.sack.is_empty() {
            out.extend_from_slice(&[NOP, NOP, SACK, (2 + 8 * tcp.sack.len()) as u8]);
            for (start, end) in tcp.sack.iter() {
                out.extend_from_slice(&start.to_be_bytes());
                out.extend_from_slice(&end.to_be_bytes());
            }
        }
    }
}

fn write_timestamps(out: &mut Vec<u8>, (value, echo): (u32, u32)) {
    out.extend_from_slice(&[TIMESTAMPS, 10]);
    out.extend_from_slice(&value.to_be_bytes());
    out.extend_from_slice(&echo.to_be_bytes());
}

/// The AccECN option, padded to words as Linux pads it: after timestamps, before SACK.
fn write_acc_ecn(out: &mut Vec<u8>, tcp: &TcpHeader) {
    let Some(option) = tcp.acc_ecn() else { return };
    let kind = if option.order() == Order::Ect0First { ACC_ECN_0 } else { ACC_ECN_1 };
    let length = 2 + 3 * option.fields().len();
    out.extend_from_slice(&[kind, length as u8]);
    for field in option.fields() {
        out.extend_from_slice(&field.to_be_bytes()[1..]);
    }
    out.resize(out.len() + length.next_multiple_of(4) - length, NOP);
}

/// Reads the header and its length; `None` if it is truncated or an option is malformed. Unknown options are left out;
/// the caller detects that by writing the header again.
pub(crate) fn parse(bytes: &[u8]) -> Option<(TcpHeader, usize)> {
    let fixed: &[u8; 20] = bytes.first_chunk()?;
    let half = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    let word = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let length = usize::from(fixed[12] >> 4) * 4;
    let mut tcp = TcpHeader::new(half(0), half(2));
    tcp.seq = word(4);
    tcp.ack = word(8);
    tcp.flags = TcpFlags(fixed[13]);
    tcp.ae = fixed[12] & AE != 0;
    tcp.window = half(14);
    parse_options(&mut tcp, bytes.get(20..length)?)?;
    Some((tcp, length))
}

fn parse_options(tcp: &mut TcpHeader, mut options: &[u8]) -> Option<()> {
    let (mut mss, mut shift, mut sack_permitted) = (None, None, false);
    let mut acc_ecn = None;
    while let [kind, rest @ ..] = options {
        if *kind == NOP {
            options = rest;
            continue;
        }
        if *kind == 0 {
            break; // RFC 9293 §3.2: end of the option list
        }
        let length = usize::from(*rest.first()?);
        let body = options.get(2..length)?;
        options = &options[length..];
        let words = |at: usize| body.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
        match (*kind, body) {
            (MSS, [high, low]) => mss = Some(u16::from_be_bytes([*high, *low])),
            (WINDOW_SCALE, [value]) => shift = Some(*value),
            (SACK_PERMITTED, []) => sack_permitted = true,
            (TIMESTAMPS, [..]) if body.len() == 8 => {
                tcp.options |= TcpHeader::OPT_TIMESTAMPS;
                tcp.timestamps = [words(0)?, words(4)?];
            }
            (SACK, [..]) if !tcp.flags.contains(TcpFlags::SYN) => {
                for at in (0..body.len()).step_by(8) {
                    tcp.sack.push(words(at)?, words(at + 4)?);
                }
            }
            // RFC 9768 §3.2.3: whole fields count, the rest is padding.
            (ACC_ECN_0 | ACC_ECN_1, fields) => {
                let order = if *kind == ACC_ECN_0 { Order::Ect0First } else { Order::Ect1First };
                let fields = fields.chunks_exact(3).map(|f| u32::from_be_bytes([0, f[0], f[1], f[2]]));
                acc_ecn = Some(AccEcnOption::new(order, fields));
            }
            _ => {}
        }
    }
    if tcp.flags.contains(TcpFlags::SYN) {
        tcp.set_syn_options(mss.unwrap_or(0), shift, sack_permitted);
        if mss.is_none() {
            tcp.options &= !TcpHeader::OPT_MSS;
        }
    }
    if let Some(option) = acc_ecn {
        tcp.set_acc_ecn(&option);
    }
    Some(())
}
