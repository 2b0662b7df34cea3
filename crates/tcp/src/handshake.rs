//! The three-way handshake (RFC 9293 §3.5) and its negotiation of options.

use jettison_core::{Duration, Time};
use jettison_wire::{Ecn, Packet, TcpFlags, TcpHeader};

use super::acc_ecn::{self, EcnMode};
use super::connection::{Connection, State};
use super::events::{CloseReason, ConnectionEvent};
use super::parameters::EcnOption;
use super::receiver::Receiver;
use super::sender::timestamp;
use crate::congestion::{EcnFeedback, EcnUse};

/// Number of SYN retransmissions before giving up, as in Linux.
const SYN_RETRIES: u32 = 6;
/// SYNs that ask for accurate ECN; later ones ask for none, as RFC 9768 §3.1.4.1 has it and Linux 7.2 does (measured).
const ACCURATE_SYNS: u32 = 2;
/// Length of the timestamps option in a segment.
const TIMESTAMPS_LENGTH: u64 = 12;

/// State of SYN or SYN-ACK until it is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handshake {
    is_due: bool,
    pub deadline: Time,
    sent: u32,
    sent_at: Time,
    /// The segment size that both ends support.
    mss: u64,
    peer_window: u64,
    /// The mode that both ends agreed on.
    mode: EcnMode,
    /// The IP-ECN field of the latest SYN.
    pub peer_ecn: Ecn,
}

impl Handshake {
    pub fn new() -> Handshake {
        Handshake {
            is_due: true,
            deadline: Time::MAX,
            sent: 0,
            sent_at: Time::ZERO,
            mss: 0,
            peer_window: 0,
            mode: EcnMode::NotEcn,
            peer_ecn: Ecn::NotEct,
        }
    }
}

impl Connection {
    /// Processes the peer's SYN or SYN-ACK: its options and initial sequence number.
    pub(super) fn negotiate(&mut self, header: &TcpHeader) {
        let settings = self.settings;
        self.sender.sack = settings.sack && header.options & TcpHeader::OPT_SACK_PERMITTED != 0;
        self.sender.timestamps = settings.timestamps && header.timestamps().is_some();
        let (scale, peer_scale) = match header.window_scale() {
            Some(peer_scale) => (Some(own_scale(settings.receive_buffer)), peer_scale.min(14)),
            None => (None, 0),
        };
        self.peer_scale = peer_scale;
        let mode = match self.state {
            State::SynSent => settings.ecn.for_syn_ack(header.ace()),
            _ => settings.ecn.for_syn(header.ace()),
        };
        self.handshake.mode = mode;
        let wanted = self.sender.controller.ecn();
        self.sender.ecn = match (mode, wanted.feedback) {
            (EcnMode::NotEcn, _) => None,
            (EcnMode::Accurate, _) => Some(EcnUse { feedback: EcnFeedback::Accurate, ..wanted }),
            // Its replacement is no scalable controller (RFC 9331 §4.2).
            (EcnMode::Classic, EcnFeedback::Accurate) => {
                Some(EcnUse { codepoint: Ecn::Ect0, feedback: EcnFeedback::Classic })
            }
            (EcnMode::Classic, _) => Some(wanted),
        };
        let mut receiver = Receiver::new(settings, header.seq.wrapping_add(1), scale);
        receiver.sack = self.sender.sack;
        receiver.ecn = self.sender.ecn.map(|ecn| ecn.feedback);
        receiver.recent_timestamp = header.timestamps().map_or(0, |(value, _)| value);
        self.receiver = receiver;
        // RFC 9293 §3.7.1: 536 bytes by default. RFC 6691: the MSS option does not count options.
        let options = if self.sender.timestamps { TIMESTAMPS_LENGTH } else { 0 };
        let peer_mss = header.mss().map_or(536, u64::from).saturating_sub(options).max(1);
        self.handshake.mss = settings.mss.min(peer_mss);
        self.handshake.peer_window = u64::from(header.window);
    }

    /// Processes a packet in the handshake. Returns whether the connection is now established and the packet may hold
    /// more.
    pub(super) fn handle_handshake(&mut self, packet: &Packet, header: &TcpHeader, now: Time) -> bool {
        let flags = header.flags;
        let acknowledges = flags.contains(TcpFlags::ACK) && header.ack == self.isn.wrapping_add(1);
        if flags.contains(TcpFlags::RST) {
            if acknowledges || self.state == State::SynReceived {
                self.end(CloseReason::Reset);
            }
            return false;
        }
        match self.state {
            State::SynSent if flags.contains(TcpFlags::SYN) && acknowledges => {
                self.negotiate(header);
                if self.handshake.mode == EcnMode::Accurate {
                    self.sender.acc_ecn.on_syn_ack(header.acc_ecn());
                    self.sender.may_set_ect = acc_ecn::arrived_unmarked(header.ace());
                    self.receiver.reflector.on_syn_ack(packet.ecn());
                }
                self.receiver.acknowledge_now();
                self.establish(header, now);
                false
            }
            State::SynReceived if acknowledges && !flags.contains(TcpFlags::SYN) => {
                let is_pure = packet.payload_length() == 0 && header.sack.is_empty();
                if self.handshake.mode == EcnMode::Accurate && is_pure {
                    self.sender.may_set_ect &=
                        self.sender.acc_ecn.on_handshake_ack(header.ace(), header.acc_ecn());
                }
                self.establish(header, now);
                true
            }
            State::SynReceived if flags.contains(TcpFlags::SYN) => {
                // Our SYN-ACK was lost.
                self.handshake.is_due = true;
                self.repeated_syn(packet.ecn(), header.ace());
                false
            }
            _ => false,
        }
    }

    /// RFC 9768 §3.1.5: the mode stays that of the first SYN; a SYN for the other kind of feedback resets the connection.
    fn repeated_syn(&mut self, ecn: Ecn, flags: u8) {
        self.handshake.peer_ecn = ecn;
        match (self.handshake.mode, flags) {
            (EcnMode::Accurate, 0b000) => self.sender.may_set_ect = false,
            (EcnMode::Accurate, 0b011) => self.abort(),
            (EcnMode::Classic, 0b111) if self.settings.ecn == EcnMode::Accurate => self.abort(),
            _ => {}
        }
    }

    fn establish(&mut self, header: &TcpHeader, now: Time) {
        let handshake = self.handshake;
        let mut initial_window = handshake.mss * (self.settings.initial_window / self.settings.mss);
        // If it was sent again, the timestamp tells which one was answered (RFC 7323 §4.1).
        let echo = header.timestamps().map(|(_, echo)| echo).filter(|_| self.sender.timestamps);
        let rtt = match echo {
            _ if handshake.sent <= 1 => Some(now.since(handshake.sent_at)),
            Some(echo) => {
                let ticks = timestamp(now).wrapping_sub(echo);
                (ticks < 1 << 31).then(|| Duration::from_millis(u64::from(ticks.max(1))))
            }
            None => None,
        };
        match rtt {
            Some(rtt) => {
                self.sender.rtt.sample(rtt, now);
                self.sender.rtt_sample = Some(rtt);
            }
            None => self.sender.rtt.handshake_was_retransmitted(),
        }
        if handshake.sent > self.settings.lost_syns {
            // RFC 6928 §2: one segment if SYN or SYN-ACK was lost; Linux forgives the first.
            initial_window = handshake.mss;
        }
        self.sender.establish(handshake.mss, initial_window, handshake.peer_window, now);
        self.receiver.establish(self.sender.rtt.smoothed(), self.sender.rtt.rto(), now);
        self.state = State::Established;
        self.events.push(ConnectionEvent::Connected);
    }

    /// SYN or SYN-ACK, if one is due.
    pub(super) fn poll_handshake(&mut self, now: Time) -> Option<Packet> {
        if !std::mem::take(&mut self.handshake.is_due) {
            return None;
        }
        let settings = self.settings;
        let mut header = TcpHeader::new(self.local.port, self.remote.port);
        header.seq = self.isn;
        // RFC 7323 §2.2: the window of a SYN is never scaled.
        header.window = settings.receive_buffer.min(65_535) as u16;
        header.flags = TcpFlags::SYN;
        // A SYN offers all enabled options; a SYN-ACK confirms those that the peer offered.
        let (sack, timestamps, scaling) = match self.state {
            State::SynReceived => {
                header.flags = header.flags.with(TcpFlags::ACK);
                header.ack = self.receiver.wire(0);
                (self.sender.sack, self.sender.timestamps, self.receiver.is_scaled())
            }
            _ => (settings.sack, settings.timestamps, true),
        };
        header.set_ace(self.handshake_flags());
        // RFC 6691: the MSS option does not count options.
        let options = if timestamps { TIMESTAMPS_LENGTH } else { 0 };
        let scale = scaling.then(|| own_scale(settings.receive_buffer));
        header.set_syn_options((settings.mss + options).min(65_535) as u16, scale, sack);
        if timestamps {
            header.options |= TcpHeader::OPT_TIMESTAMPS;
            header.timestamps = [timestamp(now), self.receiver.recent_timestamp];
        }
        // RFC 9768 §3.2.3.2: an option on the first SYN-ACK, to see whether it passes.
        let is_accurate = self.state == State::SynReceived && self.handshake.mode == EcnMode::Accurate;
        if is_accurate && settings.ecn_option != EcnOption::Never && self.handshake.sent == 0 {
            header.set_acc_ecn(&self.receiver.reflector.initial_option());
        }
        // RFC 6298 §5.5: the timeout doubles with each retransmission.
        let back_off = self.handshake.sent.min(SYN_RETRIES);
        let timeout = settings.initial_rto.saturating_mul(1 << back_off).min(settings.max_rto);
        self.handshake.sent += 1;
        self.handshake.sent_at = now;
        self.handshake.deadline = now.saturating_add(timeout.max(Duration::from_nanos(1)));
        let mut packet = Packet::model(self.headers(header), 0);
        packet.meta.traffic_class = settings.dscp << 2;
        Some(packet)
    }

    /// The flags (AE, CWR, ECE) of a SYN or SYN-ACK that leaves now.
    fn handshake_flags(&mut self) -> u8 {
        let sent = self.handshake.sent;
        if self.state == State::SynSent {
            let gives_up = self.settings.ecn == EcnMode::Accurate && sent >= ACCURATE_SYNS;
            return if gives_up { 0b000 } else { self.settings.ecn.syn() };
        }
        match self.handshake.mode {
            EcnMode::NotEcn => 0b000,
            // RFC 3168 §6.1.1.
            EcnMode::Classic => 0b001,
            // RFC 9768 §3.2.3.2.2: the third one without, and then (§3.1.5) nothing it sends is ECN-capable.
            EcnMode::Accurate if sent >= ACCURATE_SYNS => {
                self.sender.may_set_ect = false;
                0b000
            }
            EcnMode::Accurate => acc_ecn::handshake_flags(self.handshake.peer_ecn),
        }
    }

    pub(super) fn handshake_timer(&mut self, now: Time) {
        if self.handshake.deadline > now {
            return;
        }
        self.handshake.deadline = Time::MAX;
        if self.handshake.sent > SYN_RETRIES {
            self.end(CloseReason::TimedOut);
        } else {
            self.handshake.is_due = true;
        }
    }
}

/// The smallest shift with which 16 bits can represent the whole buffer (RFC 7323 §2).
fn own_scale(buffer: u64) -> u8 {
    (0..14).find(|shift| buffer >> shift <= 65_535).unwrap_or(14)
}

#[cfg(test)]
mod tests {
    use super::own_scale;

    #[test]
    fn rfc7323_2_the_scale_covers_the_buffer() {
        assert_eq!(own_scale(65_535), 0);
        assert_eq!(own_scale(65_536), 1);
        assert_eq!(own_scale(6 << 20), 7);
        assert_eq!(own_scale(65_535 << 14), 14);
    }
}
