//! Accurate ECN feedback (RFC 9768): the counters of both halves of a connection, and what is agreed in the handshake.
//!
//! Principle: the receiver counts packets that arrive with Congestion Experienced, and bytes by codepoint. Every ACK carries
//! three bits of the first count (ACE); an option carries 24 bits of the others where there is room. Counters repeat what lost
//! ACKs said. The text that was read is draft-ietf-tcpm-accurate-ecn-34, which became the RFC.

use jettison_wire::{AccEcnOption, Ecn, Order, SackBlocks, TcpHeader};

use super::parameters::EcnOption;

mod decoder;
pub(super) use decoder::{Decoder, Feedback};

/// What ECN a host asks for, and what both ends agreed on (RFC 9768 §3.1.2, the feedback modes of table 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EcnMode {
    /// None.
    NotEcn,
    /// RFC 3168.
    Classic,
    /// RFC 9768.
    Accurate,
}

impl EcnMode {
    /// The flags (AE, CWR, ECE) of a SYN that asks for it.
    pub fn syn(self) -> u8 {
        match self {
            EcnMode::NotEcn => 0b000,
            EcnMode::Classic => 0b011,
            EcnMode::Accurate => 0b111,
        }
    }

    /// The mode of a server that supports `self` and receives a SYN with these flags (§3.1.2, §3.1.3).
    pub fn for_syn(self, flags: u8) -> EcnMode {
        match (self, flags) {
            (EcnMode::NotEcn, _) | (_, 0b000) => EcnMode::NotEcn,
            (EcnMode::Accurate, 0b011) => EcnMode::Classic,
            // Unknown combinations ask for AccECN, too.
            (EcnMode::Accurate, _) => EcnMode::Accurate,
            // RFC 3168 §6.1.1.
            (EcnMode::Classic, _) if flags & 0b011 == 0b011 => EcnMode::Classic,
            (EcnMode::Classic, _) => EcnMode::NotEcn,
        }
    }

    /// The mode of a client that asked for `self` and receives a SYN-ACK with these flags (table 2, §3.1.3).
    pub fn for_syn_ack(self, flags: u8) -> EcnMode {
        match (self, flags) {
            (EcnMode::Accurate, 0b010..=0b110) => EcnMode::Accurate,
            (EcnMode::Accurate, 0b001) => EcnMode::Classic,
            // Zero is a refusal. All three flags are a SYN's that a broken server reflects.
            (EcnMode::Accurate | EcnMode::NotEcn, _) => EcnMode::NotEcn,
            (EcnMode::Classic, _) if flags & 0b011 == 0b001 => EcnMode::Classic,
            (EcnMode::Classic, _) => EcnMode::NotEcn,
        }
    }
}

/// The flags (AE, CWR, ECE) that feed back the IP-ECN field of a SYN or SYN-ACK (tables 2 and 3).
pub(super) fn handshake_flags(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

/// Whether flags of the handshake say that a packet which left as Not-ECT arrived so (§3.2.2.3): any other codepoint is
/// mangling. Combinations without a meaning say nothing.
pub(super) fn arrived_unmarked(flags: u8) -> bool {
    !matches!(flags, 0b011 | 0b100 | 0b110)
}

/// The counters of a data receiver (§3.2).
#[derive(Debug, Clone)]
pub(super) struct Reflector {
    /// Packets received with CE (r.cep).
    packets: u32,
    /// Payload bytes received as ECT(0), with CE, and as ECT(1) (r.e0b, r.ceb, r.e1b).
    bytes: [u32; 3],
    /// Which of them have ever changed, and which since the last option.
    changed: [bool; 3],
    changed_since_option: [bool; 3],
    /// Marks since the last ACK.
    marks_since_ack: u32,
    previous_was_marked: bool,
    /// The IP-ECN field of the SYN-ACK, to be fed back by the next pure ACK (§3.2.2.1).
    handshake: Option<Ecn>,
    /// Whether the first data segment has yet to carry an option (§3.2.3.2.1).
    is_first_data: bool,
}

impl Default for Reflector {
    /// §3.2.1.
    fn default() -> Reflector {
        Reflector {
            packets: 5,
            bytes: [1, 0, 1],
            changed: [false; 3],
            changed_since_option: [false; 3],
            marks_since_ack: 0,
            previous_was_marked: false,
            handshake: None,
            is_first_data: true,
        }
    }
}

/// Marks after which an ACK is due, with and without unacknowledged data (§3.2.2.5.1).
const MARKS_PER_ACK: u32 = 2;
const MARKS_PER_ACK_WITHOUT_DATA: u32 = 3;

impl Reflector {
    /// A client receives the SYN-ACK (§3.2.2.1, §3.2.2.2): its mark counts once, however often it arrives.
    pub fn on_syn_ack(&mut self, ecn: Ecn) {
        if ecn == Ecn::Ce && self.packets == 5 {
            self.packets = 6;
        }
        self.handshake = Some(ecn);
    }

    /// Whether the SYN-ACK's field has yet to be fed back: only a pure ACK can, which leaves before any data (§3.2.2.1).
    #[inline]
    pub fn owes_handshake(&self) -> bool {
        self.handshake.is_some()
    }

    /// Counts an acceptable packet with `length` bytes of payload. Returns whether an ACK is due now (§3.2.2.5.1);
    /// `has_unacknowledged` says whether data waits for one.
    #[inline]
    pub fn on_packet(&mut self, ecn: Ecn, length: u64, has_unacknowledged: bool) -> bool {
        let is_marked = ecn == Ecn::Ce;
        let was_marked = std::mem::replace(&mut self.previous_was_marked, is_marked);
        let counter = match ecn {
            Ecn::NotEct => return false,
            Ecn::Ect0 => 0,
            Ecn::Ce => 1,
            Ecn::Ect1 => 2,
        };
        if length > 0 {
            self.bytes[counter] = self.bytes[counter].wrapping_add(length as u32);
            self.changed[counter] = true;
            self.changed_since_option[counter] = true;
        }
        if !is_marked {
            return false;
        }
        self.packets = self.packets.wrapping_add(1);
        self.marks_since_ack += 1;
        let has_data = length > 0;
        let limit = if has_data || has_unacknowledged { MARKS_PER_ACK } else { MARKS_PER_ACK_WITHOUT_DATA };
        has_data && !was_marked || self.marks_since_ack >= limit
    }

    /// The ACE field of an ACK that leaves now.
    #[inline]
    pub fn ace(&mut self, is_pure_ack: bool) -> u8 {
        self.marks_since_ack = 0;
        if is_pure_ack && let Some(ecn) = self.handshake {
            return handshake_flags(ecn);
        }
        (self.packets & 7) as u8
    }

    /// The option of a SYN-ACK, with all initial values.
    pub fn initial_option(&self) -> AccEcnOption {
        self.option_of(Order::Ect1First, 3)
    }

    fn option_of(&self, order: Order, count: usize) -> AccEcnOption {
        let [zero, marked, one] = self.bytes;
        let fields = if order == Order::Ect0First { [zero, marked, one] } else { [one, marked, zero] };
        AccEcnOption::new(order, fields.into_iter().take(count))
    }

    /// Adds the option to a pure ACK with SACK blocks, if one is due. Ends the handshake's encoding.
    #[inline]
    pub fn add_to_ack(&mut self, header: &mut TcpHeader, rule: EcnOption) {
        let is_handshake = self.handshake.take().is_some();
        let is_due = match rule {
            EcnOption::Never => false,
            EcnOption::Always => true,
            EcnOption::Changed => is_handshake || self.changed_since_option != [false; 3],
        };
        if is_due {
            self.add(header, is_handshake || rule == EcnOption::Always);
        }
    }

    /// Adds the option to a data segment, if one is due and fits in `room` bytes.
    #[inline]
    pub fn add_to_data(&mut self, header: &mut TcpHeader, rule: EcnOption, room: u64) {
        let is_first = std::mem::replace(&mut self.is_first_data, false);
        let is_due = match rule {
            EcnOption::Never => false,
            EcnOption::Always => true,
            EcnOption::Changed => is_first || self.changed_since_option != [false; 3],
        };
        let takes_all = rule == EcnOption::Always;
        if is_due && room >= AccEcnOption::padded_length(self.layout(takes_all).1) as u64 {
            self.add(header, takes_all);
        }
    }

    /// The order and number of fields that hold every counter which has ever changed (§3.2.3.3).
    fn layout(&self, takes_all: bool) -> (Order, usize) {
        match self.changed {
            _ if takes_all => (Order::Ect1First, 3),
            [true, _, true] => (Order::Ect1First, 3),
            [false, true, true] => (Order::Ect1First, 2),
            [false, false, true] => (Order::Ect1First, 1),
            [_, true, false] => (Order::Ect0First, 2),
            [_, false, false] => (Order::Ect0First, 1),
        }
    }

    /// §3.2.3.3: SACK has precedence for two blocks; the third gives way to the option. An option may lack fields at its end
    /// that have not changed since the last one; if the others do not fit either, there is none.
    fn add(&mut self, header: &mut TcpHeader, takes_all: bool) {
        let (order, count) = self.layout(takes_all);
        let needed = match order {
            Order::Ect0First => self.changed_since_option,
            Order::Ect1First => {
                let [zero, marked, one] = self.changed_since_option;
                [one, marked, zero]
            }
        };
        let least = needed.iter().rposition(|changed| *changed).map_or(1, |last| last + 1);
        for count in (least..=count.max(least)).rev() {
            let option = self.option_of(order, count);
            let mut with = *header;
            with.sack = header.sack.truncated(SackBlocks::MAX - 1);
            if with.set_acc_ecn(&option) {
                *header = with;
                self.changed_since_option = [false; 3];
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
