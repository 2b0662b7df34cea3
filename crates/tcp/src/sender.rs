//! The sending half: selection and timing of segments.
//!
//! Principle: the scoreboard and a few deadlines hold all state; `transmit.rs` decides from it what to send,
//! `acknowledge.rs` processes ACKs, `recovery.rs` and `timers.rs` repair losses. Units: stream bytes, offsets from the
//! first byte of the stream.

use jettison_core::{Duration, Rate, Time};
use jettison_wire::AccEcnOption;

use super::acc_ecn::Decoder;
use super::parameters::{EcnOption, Settings, Switch};
use super::prr::Prr;
use super::rack::Rack;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::send_buffer::SendBuffer;
use super::trace::Trace;
use crate::Payload;
use crate::congestion::{
    CongestionController, CongestionKind, EcnFeedback, EcnUse, Phase, RateSample, RateSampler,
    RecoveryControl,
};
use crate::pacing::Pacer;

/// A data segment to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outgoing {
    /// Stream offset of the first byte. For a window probe: one below SND.UNA.
    pub offset: i64,
    /// Payload bytes.
    pub length: u64,
    /// Whether it carries FIN.
    pub fin: bool,
    /// Whether it was sent before.
    pub is_retransmission: bool,
    /// Whether it tells the peer that the window was reduced (RFC 3168 §6.1.2).
    pub cwr: bool,
}

/// A segment that is sent regardless of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    None,
    /// The first lost segment (timeout; entry to recovery).
    Retransmission,
    /// A tail loss probe (RFC 8985 §7.3).
    TailLossProbe,
    /// A window probe (RFC 9293 §3.8.6.1).
    WindowProbe,
}

/// Counters for [`super::TcpStatistics`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub segments_sent: u64,
    pub segments_retransmitted: u64,
    pub bytes_retransmitted: u64,
    pub timeouts: u64,
    pub recoveries: u64,
    pub spurious_recoveries: u64,
    pub tail_loss_probes: u64,
    pub ecn_reductions: u64,
}

/// The deadlines of the sending half; [`Time::MAX`] for none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// Retransmission timeout (RFC 6298).
    pub rto: Time,
    /// Tail loss probe (RFC 8985 §7.2).
    pub probe: Time,
    /// RACK's reordering timer (RFC 8985 §6.3).
    pub reorder: Time,
    /// Window probe (RFC 9293 §3.8.6.1).
    pub persist: Time,
    /// The pacer's next quantum, while one waits.
    pub pacing: Time,
}

impl Deadlines {
    pub const NONE: Deadlines = Deadlines {
        rto: Time::MAX,
        probe: Time::MAX,
        reorder: Time::MAX,
        persist: Time::MAX,
        pacing: Time::MAX,
    };

    #[inline]
    pub fn earliest(&self) -> Time {
        self.rto.min(self.probe).min(self.reorder).min(self.persist).min(self.pacing)
    }
}

/// The sending half of a connection.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    // Negotiated options.
    pub settings: Settings,
    pub mss: u64,
    /// Payload and AccECN option of a full segment.
    pub mss_with_option: u64,
    pub sack: bool,
    pub timestamps: bool,
    /// Use of ECN, if both ends agreed.
    pub ecn: Option<EcnUse>,
    /// Whether packets may be ECN-capable: not after signs of mangling (RFC 9768 §3.2.2.3).
    pub may_set_ect: bool,
    /// Counters of accurate ECN.
    pub acc_ecn: Decoder,
    pub prr_on: bool,
    /// Whether PRR also regulates the reduction for ECN.
    pub prr_on_ecn: bool,
    // Parts.
    pub controller: Box<dyn CongestionController>,
    pub buffer: SendBuffer,
    pub board: Scoreboard,
    pub rtt: RttEstimator,
    pub sampler: RateSampler,
    pub rack: Rack,
    pub prr: Prr,
    pub pacer: Pacer,
    pub deadlines: Deadlines,
    pub counters: Counters,
    // Congestion.
    pub phase: Phase,
    /// The effective window: the controller's, or PRR's.
    pub window: u64,
    pub ssthresh: u64,
    /// The controller's pacing rate, if it has one and pacing is not off.
    pub controller_rate: Option<Rate>,
    /// Stream offset whose acknowledgement ends the phase.
    pub recovery_point: u64,
    pub recovery_kind: CongestionKind,
    pub loss_flight_size: u64,
    pub recovery_began: Time,
    pub retransmitted_in_recovery: u64,
    /// TSval of the first retransmission of the phase (RFC 3522, RetransmitTS), and the end of its segment.
    pub first_retransmission: Option<(u32, u64)>,
    /// Whether Eifel has decided: that retransmission is acknowledged, or is inconclusive.
    pub eifel_decided: bool,
    pub rescued: bool,
    /// Whether a reduction has yet to be reported to the peer (RFC 3168 §6.1.2).
    pub cwr_pending: bool,
    // Without SACK (RFC 6582).
    pub duplicate_acks: u32,
    pub duplicate_bytes: u64,
    pub partial_acks: u32,
    // The peer's window.
    /// The right edge of the peer's window.
    pub peer_edge: u64,
    pub peer_window: u64,
    pub peer_window_max: u64,
    // Sending.
    pub force: Force,
    /// Whether nothing can be sent until the next event.
    pub blocked: bool,
    /// Whether the application has closed: FIN follows the last byte.
    pub closing: bool,
    pub fin_sent: bool,
    pub fin_acknowledged: bool,
    pub last_sent_at: Time,
    /// Whether the controller limits bursts; if so, the size, time and triggering ACK (SND.UNA) of the current burst.
    pub limits_bursts: bool,
    pub burst: u64,
    pub burst_of: (Time, u64),
    /// Bytes left of the burst that segmentation offload sends.
    pub offload_left: u64,
    /// End of the data that was in flight when the window held data back.
    pub limited_until: u64,
    /// When the window was last full or reduced for its use (T_prev, RFC 2861 §3.1), and the most in flight since (W_used).
    pub window_filled_at: Time,
    pub window_used: u64,
    /// Peak flight of the current window of data, and the end of that window.
    pub flight_peak: u64,
    pub flight_peak_until: u64,
    /// Tail loss probe in flight: SND.NXT at its departure (TLP.end_seq), and whether it was a retransmission.
    pub probe_end: Option<u64>,
    pub probe_is_retransmission: bool,
    /// Whether no RTT was measured since the last tail loss probe (RFC 8985 §7.3).
    pub probe_needs_sample: bool,
    pub persist_back_off: u32,
    /// Number of consecutive timeouts.
    pub timeouts_in_a_row: u32,
    /// Whether the peer no longer responds.
    pub is_dead: bool,
    pub rtt_sample: Option<Duration>,
    pub last_rate: RateSample,
    /// Notes of what holds it back, if they are asked for.
    pub trace: Option<Box<Trace>>,
}

impl Sender {
    pub fn new(settings: Settings, controller: Box<dyn CongestionController>, now: Time) -> Sender {
        Sender {
            mss: settings.mss,
            mss_with_option: settings.mss,
            sack: false,
            timestamps: false,
            ecn: None,
            may_set_ect: true,
            acc_ecn: Decoder::default(),
            prr_on: false,
            prr_on_ecn: false,
            window: controller.window(),
            ssthresh: controller.ssthresh(),
            controller_rate: None,
            controller,
            buffer: SendBuffer::default(),
            board: Scoreboard::default(),
            rtt: RttEstimator::new(
                settings.initial_rto,
                (settings.min_rto, settings.min_rto_bounds),
                settings.max_rto,
                now,
            ),
            sampler: RateSampler::default(),
            rack: Rack::default(),
            prr: Prr::default(),
            pacer: Pacer::default(),
            deadlines: Deadlines::NONE,
            counters: Counters::default(),
            phase: Phase::Open,
            recovery_point: 0,
            recovery_kind: CongestionKind::Loss,
            loss_flight_size: 0,
            recovery_began: now,
            retransmitted_in_recovery: 0,
            first_retransmission: None,
            eifel_decided: false,
            rescued: false,
            cwr_pending: false,
            duplicate_acks: 0,
            duplicate_bytes: 0,
            partial_acks: 0,
            peer_edge: 0,
            peer_window: 0,
            peer_window_max: 0,
            force: Force::None,
            blocked: false,
            closing: false,
            fin_sent: false,
            fin_acknowledged: false,
            last_sent_at: now,
            limits_bursts: false,
            burst: 0,
            burst_of: (now, 0),
            offload_left: 0,
            limited_until: 0,
            window_filled_at: now,
            window_used: 0,
            flight_peak: 0,
            flight_peak_until: 0,
            probe_end: None,
            probe_is_retransmission: false,
            probe_needs_sample: false,
            persist_back_off: 0,
            timeouts_in_a_row: 0,
            is_dead: false,
            rtt_sample: None,
            last_rate: RateSample::default(),
            trace: None,
            settings,
        }
    }

    /// Completes the handshake: `mss` is the segment size that both ends support, `window` the peer's window.
    pub fn establish(&mut self, mss: u64, initial_window: u64, window: u64, now: Time) {
        self.mss = mss;
        self.mss_with_option = mss;
        if self.is_accurate() && self.settings.ecn_option == EcnOption::Always {
            self.mss = mss.saturating_sub(AccEcnOption::padded_length(3) as u64).max(1);
        }
        let mss = self.mss;
        let needed = self.controller.ecn().feedback;
        let lacks_feedback = self.ecn.is_none_or(|ecn| ecn.feedback < needed);
        if lacks_feedback && let Some(fallback) = self.controller.without_ecn() {
            self.controller = fallback;
        }
        self.controller.on_established(mss, initial_window);
        self.controller.on_handshake(now, self.rtt.has_sample().then(|| self.rtt.smoothed()));
        let control = self.controller.recovery_control();
        self.prr_on = self.settings.prr && self.sack && control != RecoveryControl::Controller;
        self.prr_on_ecn = self.prr_on && control == RecoveryControl::Transport;
        self.limits_bursts = self.controller.limits_bursts();
        self.peer_edge = window;
        self.peer_window = u64::MAX;
        self.peer_window_max = window;
        self.last_sent_at = now;
        self.refresh_window();
        self.blocked = false;
    }

    pub fn write(&mut self, payload: Payload) {
        if !self.closing {
            self.buffer.write(payload);
            self.blocked = false;
        }
    }

    /// Sends FIN after all written data.
    pub fn close(&mut self) {
        self.closing = true;
        self.blocked = false;
    }

    /// Discards unsent data.
    pub fn discard_unsent(&mut self) {
        if !self.fin_sent {
            self.buffer.truncate(self.board.next());
        }
    }

    /// Bytes written but never sent.
    pub fn unsent(&self) -> u64 {
        self.buffer.end().saturating_sub(self.board.next())
    }

    /// Offset after the last written byte.
    pub fn written(&self) -> u64 {
        self.buffer.end()
    }

    /// SND.UNA as a stream offset.
    #[inline]
    pub fn acknowledged(&self) -> u64 {
        self.board.una()
    }

    /// Bytes written but not cumulatively acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        self.buffer.end().saturating_sub(self.board.una())
    }

    /// Bytes in flight as counted against the window.
    #[inline]
    pub fn flight(&self) -> u64 {
        let in_flight = self.board.in_flight();
        if self.phase == Phase::Open
            && !self.settings.limited_transmit
            && (self.board.sacked() > 0 || self.duplicate_bytes > 0)
        {
            // RFC 3042 is off: duplicate ACKs permit no new data before recovery.
            return self.board.flight_size();
        }
        in_flight.saturating_sub(self.duplicate_bytes)
    }

    /// Whether the peer counts marks (RFC 9768).
    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.ecn.is_some_and(|ecn| ecn.feedback == EcnFeedback::Accurate)
    }

    /// The ECN field of a packet. With accurate ECN all are ECN-capable, retransmissions and, if SACK tells them from duplicates (RFC 9768
    /// §3.2.2.5.1), pure ACKs too: a Prague sender must (draft §2.2), and Linux 7.2 does with any controller (measured).
    #[inline]
    pub fn codepoint(&self, is_new_data: bool) -> u8 {
        match self.ecn {
            Some(ecn) if self.may_set_ect => {
                let is_capable = is_new_data || ecn.feedback == EcnFeedback::Accurate && self.sack;
                if is_capable { ecn.codepoint as u8 } else { 0 }
            }
            _ => 0,
        }
    }

    /// Whether proportional rate reduction regulates sending.
    #[inline]
    pub fn is_steered(&self) -> bool {
        match self.phase {
            Phase::Recovery => self.prr_on,
            Phase::Cwr => self.prr_on_ecn,
            Phase::Open | Phase::Loss => false,
        }
    }

    /// Updates the effective window.
    #[inline]
    pub fn refresh_window(&mut self) {
        self.ssthresh = self.controller.ssthresh();
        if self.settings.pacing != Switch::Off {
            self.controller_rate = self.controller.pacing_rate();
        }
        self.window = if self.is_steered() { self.prr.window() } else { self.controller.window() };
    }
}

/// TSval in milliseconds (RFC 7323 §5.4 allows 1 ms to 1 s per tick).
#[inline]
pub(super) fn timestamp(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}
