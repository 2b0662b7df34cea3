//! State and counters of a connection.

use jettison_core::{Duration, Rate};

use crate::congestion::Phase;

/// A snapshot of the state and the counters of a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TcpStatistics {
    /// Effective congestion window in bytes.
    pub congestion_window: u64,
    /// Slow-start threshold in bytes; [`u64::MAX`] before the first congestion.
    pub ssthresh: u64,
    /// The sender's phase of congestion response.
    pub phase: Phase,
    /// Smoothed RTT; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Last RTT sample; zero before the first sample.
    pub latest_rtt: Duration,
    /// RTT variation (RFC 6298).
    pub rtt_variation: Duration,
    /// Lowest RTT of the last minutes; zero before the first sample.
    pub min_rtt: Duration,
    /// Retransmission timeout, including back-off.
    pub rto: Duration,
    /// Bytes in flight: sent, but neither acknowledged, SACKed nor known to be lost.
    pub in_flight: u64,
    /// Bytes sent but not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// Stream bytes that the peer has received, cumulatively or selectively.
    pub delivered: u64,
    /// All bytes marked lost so far.
    pub lost: u64,
    /// Bytes received in order.
    pub received: u64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub segments_retransmitted: u64,
    /// Bytes retransmitted.
    pub bytes_retransmitted: u64,
    /// Data segments received, duplicates included.
    pub segments_received: u64,
    /// Segments received without new data.
    pub duplicates_received: u64,
    /// Pure ACKs sent.
    pub acks_sent: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Number of recoveries.
    pub recoveries: u64,
    /// Recoveries and timeouts undone as spurious.
    pub spurious_recoveries: u64,
    /// Tail loss probes sent.
    pub tail_loss_probes: u64,
    /// Reductions for ECN marks.
    pub ecn_reductions: u64,
    /// Data segments received with Congestion Experienced.
    pub ce_received: u64,
    /// Packets that the peer received with Congestion Experienced, as its accurate ECN feedback tells (RFC 9768).
    pub ce_reported: u64,
    /// Pacing rate; `None` without pacing.
    pub pacing_rate: Option<Rate>,
    /// Last delivery-rate sample; `None` before the first.
    pub delivery_rate: Option<Rate>,
    /// Whether the application, not the window, limits the sender.
    pub is_app_limited: bool,
    /// Whether the peer's receive window limits the sender.
    pub is_receive_limited: bool,
    /// Bytes that the peer's window permits beyond the bytes in flight.
    pub peer_window: u64,
}

/// State of a connection at one instant, for series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpSample {
    /// Congestion window in bytes.
    pub congestion_window: u64,
    /// Slow-start threshold in bytes; practically infinite before the first congestion event.
    pub ssthresh: u64,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Pacing rate, if the connection is paced.
    pub pacing_rate: Option<Rate>,
}
