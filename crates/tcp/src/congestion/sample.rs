//! What a controller is told.

use jettison_core::{Duration, Time};

use super::RateSample;

/// What the transport is doing about congestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Phase {
    /// Nothing is known to be lost.
    #[default]
    Open,
    /// Reducing once for ECN marks; nothing is lost.
    Cwr,
    /// Fast recovery: repairing losses found by duplicate or selective ACKs.
    Recovery,
    /// Repairing after a retransmission timeout, in slow start.
    Loss,
}

/// What one ACK told the sender. Byte counts are payload bytes.
#[derive(Debug, Clone, Copy)]
pub struct AckSample {
    /// When it arrived.
    pub now: Time,
    /// Bytes that it acknowledged cumulatively for the first time.
    pub acked: u64,
    /// Bytes that it reported delivered for the first time, cumulatively or selectively.
    pub delivered: u64,
    /// Bytes that were marked lost because of it.
    pub lost: u64,
    /// Whether it echoed congestion (ECE).
    pub ecn_echo: bool,
    /// Of `delivered`, the bytes whose packets were marked, as far as the feedback tells (DCTCP, Prague).
    pub ce_bytes: u64,
    /// All bytes delivered so far.
    pub delivered_total: u64,
    /// All bytes ever marked lost.
    pub lost_total: u64,
    /// The delivery-rate sample.
    pub rate: RateSample,
    /// Bytes in flight before it.
    pub in_flight_before: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Stream offset of the first unacknowledged byte (SND.UNA).
    pub acknowledged: u64,
    /// Stream offset of the next new byte (SND.NXT).
    pub next_offset: u64,
    /// RTT of the segment sent last among those delivered; `None` where it is ambiguous (Karn).
    pub rtt: Option<Duration>,
    /// Lowest RTT of the last minutes; [`Duration::MAX`] before the first.
    pub min_rtt: Duration,
    /// Smoothed RTT (RFC 6298); zero before the first.
    pub smoothed_rtt: Duration,
    /// Whether the window held back data when what this acknowledges was in flight (RFC 7661 §4.5.3).
    pub is_window_limited: bool,
    /// The transport's phase when it arrived.
    pub phase: Phase,
    /// Whether a round trip counted in packets begins: what is acknowledged was sent after the last one began.
    pub is_round_start: bool,
}

/// A data segment that leaves.
#[derive(Debug, Clone, Copy)]
pub struct SentSample {
    /// When.
    pub now: Time,
    /// Payload bytes.
    pub bytes: u64,
    /// Whether these bytes were sent before.
    pub is_retransmission: bool,
    /// Bytes in flight, it included.
    pub in_flight: u64,
    /// Stream offset of the next new byte (SND.NXT).
    pub next_offset: u64,
    /// Whether the application, not the window, limits the sender at this time.
    pub is_app_limited: bool,
}

/// Why a controller must reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CongestionKind {
    /// A segment was found lost by duplicate ACKs, SACK, RACK or a tail loss probe.
    Loss,
    /// ECN marks.
    Ecn,
}

/// Congestion, reported once per window of data.
#[derive(Debug, Clone, Copy)]
pub struct CongestionEvent {
    /// When.
    pub now: Time,
    /// What it was.
    pub kind: CongestionKind,
    /// Bytes sent and not yet cumulatively acknowledged when it was detected (FlightSize, RFC 5681 §2). Segments of
    /// limited transmit are among them: a controller takes the window where that is less (RFC 5681 §3.2 step 2).
    pub flight_size: u64,
    /// Bytes in flight before anything was marked lost (pipe, RFC 6675).
    pub in_flight: u64,
    /// Of these, the bytes that are now marked lost.
    pub lost: u64,
    /// Recovery lasts until this stream offset is acknowledged.
    pub recovery_point: u64,
}

/// The end of recovery.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryEnd {
    /// When.
    pub now: Time,
    /// What reduction it ends.
    pub kind: CongestionKind,
    /// The window that the transport's own rules leave (RFC 9937, or RFC 6582 §3.2 step 3).
    pub window: u64,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// [`CongestionEvent::flight_size`] of the loss that began it (LossFlightSize, RFC 7661 §4.4.1).
    pub loss_flight_size: u64,
    /// Lost bytes retransmitted in between, each counted once (R, RFC 7661 §4.4.1).
    pub retransmitted: u64,
}

/// A retransmission timeout.
#[derive(Debug, Clone, Copy)]
pub struct RtoEvent {
    /// When.
    pub now: Time,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// Bytes in flight before anything was marked lost.
    pub in_flight: u64,
    /// Whether the same data timed out before (RFC 5681 §3.1: ssthresh is then kept).
    pub is_repeated: bool,
}

/// Sending after an idle time of more than one RTO.
#[derive(Debug, Clone, Copy)]
pub struct IdleRestart {
    /// When.
    pub now: Time,
    /// How long no data left.
    pub idle: Duration,
    /// The retransmission timeout.
    pub rto: Duration,
    /// The restart window of RFC 5681 §4.1 in bytes; `None` if `slow_start_after_idle` is off.
    pub restart_window: Option<u64>,
}
