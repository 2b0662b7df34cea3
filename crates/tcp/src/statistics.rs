//! What a connection can be asked about itself.

use jettison_core::{Duration, Rate};

use crate::congestion::Phase;

/// The state and the counters of one connection, as its sender and its receiver have them now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TcpStatistics {
    /// Congestion window in bytes, as it limits sending now.
    pub congestion_window: u64,
    /// Slow-start threshold in bytes; [`u64::MAX`] before the first congestion.
    pub ssthresh: u64,
    /// What the sender does about congestion.
    pub phase: Phase,
    /// Smoothed RTT; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Last RTT sample; zero before the first.
    pub latest_rtt: Duration,
    /// RTT variation (RFC 6298).
    pub rtt_variation: Duration,
    /// Lowest RTT of the last minutes; zero before the first sample.
    pub min_rtt: Duration,
    /// Retransmission timeout, backed off.
    pub rto: Duration,
    /// Bytes in flight: sent, neither acknowledged, nor SACKed, nor known to be lost.
    pub in_flight: u64,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: u64,
    /// Bytes of the stream that the peer has, cumulatively or selectively.
    pub delivered: u64,
    /// Bytes ever marked lost.
    pub lost: u64,
    /// Bytes that the application of this end may read or has read, in order.
    pub received: u64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub segments_retransmitted: u64,
    /// Bytes sent again.
    pub bytes_retransmitted: u64,
    /// Data segments received, duplicates included.
    pub segments_received: u64,
    /// Segments received of which nothing was new.
    pub duplicates_received: u64,
    /// Pure ACKs sent.
    pub acks_sent: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that recovery began.
    pub recoveries: u64,
    /// Recoveries and timeouts taken back as spurious.
    pub spurious_recoveries: u64,
    /// Tail loss probes sent.
    pub tail_loss_probes: u64,
    /// Reductions for ECN marks.
    pub ecn_reductions: u64,
    /// Data segments received with Congestion Experienced.
    pub ce_received: u64,
    /// The rate at which segments are spaced; `None` without pacing.
    pub pacing_rate: Option<Rate>,
    /// Last sample of the delivery rate; `None` before the first.
    pub delivery_rate: Option<Rate>,
    /// Whether the application, not the window, limits the sender.
    pub is_app_limited: bool,
    /// Whether the peer's receive window limits the sender.
    pub is_receive_limited: bool,
    /// Bytes that the peer would take beyond what is in flight.
    pub peer_window: u64,
}
