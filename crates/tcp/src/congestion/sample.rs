//! Inputs of congestion controllers.

use jettison_core::{Duration, Time};

use super::RateSample;

/// The transport's phase of congestion response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Phase {
    /// No known loss.
    #[default]
    Open,
    /// Reducing once for ECN marks, without loss.
    Cwr,
    /// Fast recovery: repairing losses found by duplicate or selective ACKs.
    Recovery,
    /// Repairing after a retransmission timeout, in slow start.
    Loss,
}

/// Contents of one ACK. Byte counts are payload bytes.
#[derive(Debug, Clone, Copy)]
pub struct AckSample {
    /// Arrival time.
    pub now: Time,
    /// Bytes acknowledged cumulatively for the first time.
    pub acked: u64,
    /// Bytes delivered for the first time, cumulatively or selectively.
    pub delivered: u64,
    /// Bytes marked lost because of this ACK.
    pub lost: u64,
    /// Whether it reports marks: by ECE, or by the counters of accurate ECN.
    pub ecn_echo: bool,
    /// Marked bytes among `delivered`, as far as the feedback reports them (not with the echo of RFC 3168).
    pub ce_bytes: u64,
    /// All bytes delivered so far.
    pub delivered_total: u64,
    /// All bytes marked lost so far.
    pub lost_total: u64,
    /// The delivery-rate sample.
    pub rate: RateSample,
    /// Bytes in flight before this ACK.
    pub in_flight_before: u64,
    /// Bytes in flight after this ACK.
    pub in_flight: u64,
    /// Stream offset of the first unacknowledged byte (SND.UNA).
    pub acknowledged: u64,
    /// Stream offset of the next new byte (SND.NXT).
    pub next_offset: u64,
    /// RTT of the segment sent last among those delivered; `None` if ambiguous (Karn).
    pub rtt: Option<Duration>,
    /// Lowest RTT of the last minutes; [`Duration::MAX`] before the first sample.
    pub min_rtt: Duration,
    /// Smoothed RTT (RFC 6298); zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Whether the window held data back while the acknowledged data was in flight (RFC 7661 §4.5.3).
    pub is_window_limited: bool,
    /// The transport's phase at arrival.
    pub phase: Phase,
    /// Whether a round trip counted in packets begins: the acknowledged data was sent after the last one began.
    pub is_round_start: bool,
}

/// A data segment at its departure.
#[derive(Debug, Clone, Copy)]
pub struct SentSample {
    /// Departure time.
    pub now: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// Whether these bytes are retransmitted.
    pub is_retransmission: bool,
    /// Bytes in flight, including this segment.
    pub in_flight: u64,
    /// Stream offset of the next new byte (SND.NXT).
    pub next_offset: u64,
    /// Whether the application, not the window, limits the sender now.
    pub is_app_limited: bool,
}

/// The kind of congestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CongestionKind {
    /// A segment was detected lost by duplicate ACKs, SACK, RACK or a tail loss probe.
    Loss,
    /// ECN marks.
    Ecn,
}

/// Congestion, reported once per window of data.
#[derive(Debug, Clone, Copy)]
pub struct CongestionEvent {
    /// Time of detection.
    pub now: Time,
    /// Loss or marks.
    pub kind: CongestionKind,
    /// Bytes sent and not yet cumulatively acknowledged at detection (FlightSize, RFC 5681 §2). They include segments
    /// of limited transmit: a controller uses the window if that is smaller (RFC 5681 §3.2 step 2).
    pub flight_size: u64,
    /// Bytes in flight before bytes were marked lost (pipe, RFC 6675).
    pub in_flight: u64,
    /// Bytes among these that are now marked lost.
    pub lost: u64,
    /// Recovery ends when this stream offset is acknowledged.
    pub recovery_point: u64,
}

/// The end of recovery.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryEnd {
    /// Time of the end.
    pub now: Time,
    /// The kind of reduction that ends.
    pub kind: CongestionKind,
    /// The window by the transport's own rules (RFC 9937, or RFC 6582 §3.2 step 3).
    pub window: u64,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// [`CongestionEvent::flight_size`] of the loss that began it (LossFlightSize, RFC 7661 §4.4.1).
    pub loss_flight_size: u64,
    /// Lost bytes retransmitted during recovery, each counted once (R, RFC 7661 §4.4.1).
    pub retransmitted: u64,
}

/// A retransmission timeout.
#[derive(Debug, Clone, Copy)]
pub struct RtoEvent {
    /// Time of the timeout.
    pub now: Time,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// Bytes in flight before bytes were marked lost.
    pub in_flight: u64,
    /// Whether the same data timed out before (RFC 5681 §3.1: ssthresh is then kept).
    pub is_repeated: bool,
}

/// Sending after an idle time of more than one RTO.
#[derive(Debug, Clone, Copy)]
pub struct IdleRestart {
    /// Time of the restart.
    pub now: Time,
    /// Time since the last departure of data.
    pub idle: Duration,
    /// The retransmission timeout.
    pub rto: Duration,
    /// The restart window in bytes; `None` if `slow_start_after_idle` is off.
    pub restart_window: Option<u64>,
    /// The least slow-start threshold after it, in bytes; 0 for none.
    pub least_ssthresh: u64,
}

/// An RTO in which the application did not fill the window (RFC 2861 §3.1).
#[derive(Debug, Clone, Copy)]
pub struct ApplicationLimited {
    /// Time of the departure that shows it.
    pub now: Time,
    /// The window from now on, in bytes.
    pub window: u64,
    /// The least slow-start threshold, in bytes.
    pub least_ssthresh: u64,
}
