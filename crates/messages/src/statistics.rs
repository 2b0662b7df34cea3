//! State and counters of a connection.

use jettison_core::{Duration, Rate};

/// A number of messages and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of messages.
    pub messages: u64,
    /// Their bytes, including heads.
    pub bytes: u64,
}

impl Tally {
    pub(super) fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// A snapshot of the state and the counters of one connection. Bytes of packets are UDP payload bytes.
///
/// For the messages of this end, `accepted` = `acknowledged` + `dropped_stale` + `dropped_over_bitrate` + `lost` +
/// those waiting or in progress.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OctopusStatistics {
    /// Messages accepted into the send buffer.
    pub accepted: Tally,
    /// Messages refused for lack of room.
    pub refused: Tally,
    /// Messages acknowledged sufficiently to be complete at the receiver.
    pub acknowledged: Tally,
    /// Messages that the send buffer dropped because a newer one made them obsolete.
    pub dropped_stale: Tally,
    /// Messages that the send buffer dropped because their bitrate threshold exceeded the bandwidth.
    pub dropped_over_bitrate: Tally,
    /// Messages of which a part was lost and not retransmitted.
    pub lost: Tally,
    /// Messages received completely.
    pub delivered: Tally,
    /// Messages received in part and discarded for newer ones.
    pub given_up: u64,
    /// Messages completed by parity.
    pub recovered: u64,
    /// Data packets sent, retransmissions, parity and probes included.
    pub packets_sent: u64,
    /// Bytes of these.
    pub bytes_sent: u64,
    /// Data packets retransmitted.
    pub packets_retransmitted: u64,
    /// Parity packets among those sent.
    pub parity_sent: u64,
    /// Data packets acknowledged.
    pub packets_acknowledged: u64,
    /// Data packets declared lost.
    pub packets_lost: u64,
    /// Bytes of these.
    pub bytes_lost: u64,
    /// Probe timeouts.
    pub timeouts: u64,
    /// Number of times that persistent congestion was detected.
    pub persistent_congestions: u64,
    /// ACKs sent.
    pub acks_sent: u64,
    /// ACKs received.
    pub acks_received: u64,
    /// Data packets received, duplicates included.
    pub packets_received: u64,
    /// Data packets received before, or too old to be identified.
    pub duplicates: u64,
    /// Packets of messages that were already complete or discarded.
    pub packets_superfluous: u64,
    /// Data packets received with Congestion Experienced.
    pub ce_received: u64,
    /// Datagrams that were unreadable, or inconsistent with others.
    pub malformed: u64,
    /// Packets refused because their sequence number is far from the known ones and not confirmed.
    pub implausible_packets: u64,
    /// Packets refused because their message number is far from their stream's and not confirmed.
    pub implausible_messages: u64,
    /// Parity packets refused because their message has too many.
    pub parity_refused: u64,
    /// Packets refused because their stream would be one too many.
    pub streams_refused: u64,
    /// Streams forgotten for new ones.
    pub streams_evicted: u64,
    /// Incomplete messages discarded for lack of memory.
    pub messages_evicted: u64,
    /// ACKs that were not sent because too many waited.
    pub acks_discarded: u64,
    /// Memory for incomplete messages in bytes.
    pub receive_memory: u64,
    /// Streams that the receiver keeps.
    pub receive_streams: u64,
    /// Smoothed RTT; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Last RTT sample; zero before the first sample.
    pub latest_rtt: Duration,
    /// RTT variation.
    pub rtt_variation: Duration,
    /// Lowest RTT of the last minutes; zero before the first sample.
    pub min_rtt: Duration,
    /// Probe timeout, including back-off.
    pub probe_timeout: Duration,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Congestion window in bytes.
    pub window: u64,
    /// Pacing rate; `None` without pacing.
    pub pacing_rate: Option<Rate>,
    /// Bandwidth estimate of the controller; `None` before the first sample.
    pub bandwidth: Option<Rate>,
    /// Last delivery-rate sample; `None` before the first.
    pub delivery_rate: Option<Rate>,
    /// Bytes accepted but not yet sent.
    pub backlog: u64,
    /// Whether the application limits the sender now.
    pub is_app_limited: bool,
}
