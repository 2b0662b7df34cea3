//! The counters of a data sender, and what it reads from ACKs (RFC 9768 §3.2.2.2, §3.2.2.5.2, §3.2.3.1, appendix A).

use jettison_wire::AccEcnOption;

/// The feedback of an arriving ACK.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Feedback {
    /// ACE.
    pub ace: u8,
    /// The AccECN option.
    pub option: Option<AccEcnOption>,
    /// TSval, if timestamps are in use.
    pub stamp: Option<u32>,
}

/// Marks that an ACK reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Marks {
    /// Packets with CE.
    pub packets: u64,
    /// Bytes with CE, at most those that the ACK delivers; the rest comes with the next one.
    pub bytes: u64,
}

/// The counters of a data sender (s.cep, s.ceb, s.e0b, s.e1b).
#[derive(Debug, Clone)]
pub(in super::super) struct Decoder {
    packets: u64,
    ce_bytes: u64,
    /// `packets` when an option was read last.
    packets_at_option: u64,
    /// Bytes reported since then, estimated from packets.
    estimated: u64,
    /// Bytes found to be marked and not yet reported.
    owed: u64,
    /// Whether options arrive (§3.2.3.2.3), or are not to be trusted (§3.2.3.2.4).
    has_options: bool,
    ignores_options: bool,
    /// Mean number of segments that an ACK delivers (appendix A.2.1).
    mean_delivered: f64,
    newest_stamp: Option<u32>,
    /// Whether feedback is to be ignored (table 4, note 1).
    is_off: bool,
    /// Whether fields contradict each other (§3.2.3.2.5).
    pub is_inconsistent: bool,
}

/// Modulus of ACE (DIVACE).
const WRAP: u64 = 8;
/// ACKs that deliver this many segments on average are thinned: that ACE could have wrapped is then usual and says nothing
/// (appendix A.2.1: "well below 8" is left open; half of it).
const THINNED: f64 = 4.0;
/// Weight of the newest ACK in that average. Open in the text.
const WEIGHT: f64 = 1.0 / 8.0;

impl Default for Decoder {
    /// §3.2.1.
    fn default() -> Decoder {
        Decoder {
            packets: 5,
            ce_bytes: 0,
            packets_at_option: 5,
            estimated: 0,
            owed: 0,
            has_options: false,
            ignores_options: false,
            mean_delivered: 0.0,
            newest_stamp: None,
            is_off: false,
            is_inconsistent: false,
        }
    }
}

impl Decoder {
    /// Marked packets that were reported.
    pub fn marked_packets(&self) -> u64 {
        self.packets - 5
    }

    /// A client receives the SYN-ACK. Its option shows whether options pass (§3.2.3.2.3).
    pub fn on_syn_ack(&mut self, option: Option<AccEcnOption>) {
        self.check_initial(option);
    }

    /// A server receives the pure ACK of its SYN-ACK (table 4). Returns whether it may send ECN-capable packets.
    pub fn on_handshake_ack(&mut self, flags: u8, option: Option<AccEcnOption>) -> bool {
        self.check_initial(option);
        match flags {
            0b000 => self.is_off = true,
            0b110 => {
                self.packets = 6;
                self.packets_at_option = 6;
            }
            _ => {}
        }
        flags != 0b000 && super::arrived_unmarked(flags)
    }

    fn check_initial(&mut self, option: Option<AccEcnOption>) {
        self.has_options = option.is_some();
        self.ignores_options =
            option.is_some_and(|option| option.ect0() == Some(0) || option.ect1() == Some(0));
    }

    /// Reads the feedback of an ACK that delivers `segments` segments, `delivered` bytes in all.
    #[inline]
    pub fn on_ack(&mut self, feedback: &Feedback, segments: u64, delivered: u64, mss: u64) -> Marks {
        // Appendix A.1: an ACK that another one superseded is behind in its counters. Timestamps tell, and new data.
        let age = match (feedback.stamp, self.newest_stamp) {
            (Some(stamp), Some(newest)) => stamp.wrapping_sub(newest) as i32,
            _ => 0,
        };
        if age < 0 || age == 0 && delivered == 0 || self.is_off {
            return self.report(0, delivered);
        }
        self.newest_stamp = feedback.stamp;
        let option = feedback.option.filter(|_| !self.ignores_options);
        self.has_options |= option.is_some();
        let least = u64::from(feedback.ace).wrapping_sub(self.packets) % WRAP;
        if least == 0 && segments < WRAP && option.is_none() && self.owed == 0 {
            self.average(segments);
            return Marks::default();
        }
        let new_packets = match option.and_then(|option| option.ce()) {
            Some(field) => self.with_option(field, least, segments, mss),
            None => self.without_option(least, segments, delivered, mss, option.is_some()),
        };
        self.average(segments);
        self.packets += new_packets;
        if option.is_some() {
            self.packets_at_option = self.packets;
            self.estimated = 0;
        }
        self.report(new_packets, delivered)
    }

    fn average(&mut self, segments: u64) {
        if segments > 0 {
            self.mean_delivered += WEIGHT * (segments as f64 - self.mean_delivered);
        }
    }

    /// Bytes are exact; packets are the fewest that agree with ACE and can carry them.
    fn with_option(&mut self, field: u32, least: u64, segments: u64, mss: u64) -> u64 {
        let modulus = u64::from(AccEcnOption::MODULUS);
        let bytes = u64::from(field).wrapping_sub(self.ce_bytes) % modulus;
        self.ce_bytes += bytes;
        let before = self.packets - self.packets_at_option;
        let mut new_packets = least;
        if bytes > 0 && before + least == 0 && segments < WRAP {
            // §3.2.3.2.5: bytes were marked, but no packet.
            self.is_inconsistent = true;
        }
        if bytes > (before + least) * mss {
            new_packets += (bytes.div_ceil(mss) - before - least).next_multiple_of(WRAP);
        }
        // What was estimated since the last option is reported already.
        let reported = self.estimated.min(bytes);
        self.owed += bytes - reported;
        new_packets
    }

    /// §3.2.2.5.2 and appendix A.2.1: if ACE may have wrapped, it did. Bytes are those of as many segments of mean size
    /// (appendix A.3), unless the option is there and says by the lack of its field that none were marked.
    fn without_option(
        &mut self,
        least: u64,
        segments: u64,
        delivered: u64,
        mss: u64,
        has_option: bool,
    ) -> u64 {
        let is_ambiguous = !self.has_options && self.mean_delivered < THINNED && segments >= least + WRAP;
        let new_packets = if is_ambiguous { segments - (segments - least) % WRAP } else { least };
        if !has_option {
            let size = delivered.checked_div(segments).map_or(mss, |size| size.clamp(1, mss));
            let bytes = new_packets * size;
            self.estimated += bytes;
            self.owed += bytes;
        }
        new_packets
    }

    fn report(&mut self, packets: u64, delivered: u64) -> Marks {
        let bytes = self.owed.min(delivered);
        self.owed -= bytes;
        Marks { packets, bytes }
    }
}
