//! The congestion window (draft §4.2.3): steered towards the target, reduced in recovery and in ProbeRTT, then
//! restored.

use jettison_core::Time;

use crate::congestion::AckSample;

/// Segments needed to keep the pipeline full, with ACKs for every second one (draft §4.2.3.3, BBRMinPipeCwnd).
const MIN_PIPE_SEGMENTS: u64 = 4;

/// The kind of loss repair in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repair {
    Nothing,
    /// Fast recovery.
    Fast,
    /// After a retransmission timeout.
    Timeout,
}

/// The window in bytes.
#[derive(Debug, Clone)]
pub(super) struct Window {
    bytes: u64,
    mss: u64,
    initial: u64,
    /// The last window known to be good (`prior_cwnd`).
    prior: u64,
    repair: Repair,
    /// In fast recovery, packets are conserved until data sent after this count is delivered (`packet_conservation`).
    conserves_until: Option<u64>,
    /// Start of fast recovery, until the ACK that showed the loss has been processed.
    entered_at: Option<Time>,
    /// All bytes marked lost to which the window has responded.
    lost_total: u64,
}

/// The target of the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    /// Draft §4.2.3.2, `target_cwnd`.
    pub target: u64,
    /// Whether the pipe has been full.
    pub is_pipe_filled: bool,
    /// Whether this is ProbeRTT.
    pub is_probing_rtt: bool,
}

impl Window {
    /// Draft §4.2.3.1: the initial window is the transport's.
    pub fn new(mss: u64, initial: u64) -> Window {
        Window {
            bytes: initial,
            mss,
            initial,
            prior: 0,
            repair: Repair::Nothing,
            conserves_until: None,
            entered_at: None,
            lost_total: 0,
        }
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub fn initial(&self) -> u64 {
        self.initial
    }

    /// Draft §4.2.3.3.
    #[inline]
    pub fn minimum(&self) -> u64 {
        MIN_PIPE_SEGMENTS * self.mss
    }

    /// Starts fast recovery with `in_flight` bytes in flight; `lost` is the total of bytes marked lost so far.
    pub fn begin_recovery(
        &mut self,
        now: Time,
        in_flight: u64,
        lost: u64,
        delivered: u64,
        probing_rtt: bool,
    ) {
        self.save(probing_rtt);
        self.repair = Repair::Fast;
        self.entered_at = Some(now);
        self.conserves_until = Some(delivered);
        // The ACK that showed the loss may permit more.
        self.bytes = in_flight + self.mss;
        self.lost_total += lost;
    }

    /// Draft §4.2.3.4: after a retransmission timeout, a single segment.
    pub fn begin_repair_after_timeout(&mut self, probing_rtt: bool) {
        self.save(probing_rtt);
        self.repair = Repair::Timeout;
        self.entered_at = None;
        self.conserves_until = None;
        self.bytes = self.mss;
    }

    /// Ends the repair: all losses are repaired, or it was spurious.
    pub fn end_repair(&mut self) {
        if self.repair != Repair::Nothing {
            self.repair = Repair::Nothing;
            self.entered_at = None;
            self.conserves_until = None;
            self.restore();
        }
    }

    #[inline]
    pub fn is_repairing_after_timeout(&self) -> bool {
        self.repair == Repair::Timeout
    }

    /// Bytes marked lost since the last ACK, including those found by timers.
    #[inline]
    pub fn newly_lost(&self, ack: &AckSample) -> u64 {
        ack.lost_total.saturating_sub(self.lost_total)
    }

    /// Draft §4.2.3.6, BBRSetCwnd.
    pub fn on_ack(&mut self, ack: &AckSample, aim: &Aim) {
        let lost = self.newly_lost(ack);
        self.lost_total = ack.lost_total;
        if self.repair == Repair::Fast {
            self.modulate_for_recovery(ack, lost);
        }
        if self.conserves_until.is_none() {
            if aim.is_pipe_filled {
                self.bytes = (self.bytes + ack.delivered).min(aim.target);
            } else if self.bytes < aim.target || ack.delivered_total < self.initial {
                self.bytes += ack.delivered;
            }
            self.bytes = self.bytes.max(self.minimum());
        }
        if aim.is_probing_rtt {
            // Draft §4.2.3.5, BBRModulateCwndForProbeRTT.
            self.bytes = self.bytes.min(self.minimum());
        }
    }

    /// Draft §4.2.3.4, BBRModulateCwndForRecovery: in the first round at most the delivered bytes leave, later up to
    /// twice that.
    fn modulate_for_recovery(&mut self, ack: &AckSample, lost: u64) {
        if self.entered_at.take() == Some(ack.now) {
            // Lost bytes have already left the flight. At least the fast retransmission may leave.
            self.bytes = ack.in_flight + ack.delivered.max(self.mss);
            self.conserves_until = Some(ack.delivered_total);
            return;
        }
        if lost > 0 {
            self.bytes = self.bytes.saturating_sub(lost).max(self.mss);
        }
        if let Some(round_end) = self.conserves_until {
            if ack.delivered > 0 && ack.rate.prior_delivered >= round_end {
                self.conserves_until = None;
            } else {
                self.bytes = self.bytes.max(ack.in_flight + ack.delivered);
            }
        }
    }

    /// Draft §4.2.3.4, BBRSaveCwnd: saves the last window outside of recovery and ProbeRTT.
    pub fn save(&mut self, probing_rtt: bool) {
        let is_modulated = self.repair != Repair::Nothing || probing_rtt;
        self.prior = if is_modulated { self.prior.max(self.bytes) } else { self.bytes };
    }

    /// Draft §4.2.3.4, BBRRestoreCwnd.
    pub fn restore(&mut self) {
        self.bytes = self.bytes.max(self.prior);
    }
}
