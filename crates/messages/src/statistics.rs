//! What a connection can be asked about itself.

use jettison_core::{Duration, Rate};

/// Messages and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many.
    pub messages: u64,
    /// Their bytes, heads included.
    pub bytes: u64,
}

impl Tally {
    pub(super) fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// The state and the counters of one connection. Bytes of packets are UDP payload bytes.
///
/// Of the messages of this end, `accepted` = `acknowledged` + `dropped_stale` + `dropped_over_bitrate` + `lost` + those that
/// wait or are under way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OctopusStatistics {
    /// Messages taken into the send buffer.
    pub accepted: Tally,
    /// Messages refused for want of room.
    pub refused: Tally,
    /// Messages of which enough was acknowledged to make them whole.
    pub acknowledged: Tally,
    /// Messages that the send buffer dropped because a newer one made them superfluous.
    pub dropped_stale: Tally,
    /// Messages that the send buffer dropped because they ask for more bandwidth than there is.
    pub dropped_over_bitrate: Tally,
    /// Messages of which a part was lost and not sent again.
    pub lost: Tally,
    /// Messages that arrived whole.
    pub delivered: Tally,
    /// Messages that arrived in part and were given up for newer ones.
    pub given_up: u64,
    /// Messages that parity made whole.
    pub recovered: u64,
    /// Data packets sent, retransmissions, parity and probes included.
    pub packets_sent: u64,
    /// Bytes of these.
    pub bytes_sent: u64,
    /// Data packets whose content had been sent before.
    pub packets_retransmitted: u64,
    /// Parity packets among those sent.
    pub parity_sent: u64,
    /// Data packets acknowledged.
    pub packets_acknowledged: u64,
    /// Data packets held for lost.
    pub packets_lost: u64,
    /// Bytes of these.
    pub bytes_lost: u64,
    /// Probe timeouts.
    pub timeouts: u64,
    /// Times that persistent congestion was found.
    pub persistent_congestions: u64,
    /// ACKs sent.
    pub acks_sent: u64,
    /// ACKs received.
    pub acks_received: u64,
    /// Data packets received, duplicates included.
    pub packets_received: u64,
    /// Data packets received before, or too old to tell.
    pub duplicates: u64,
    /// Packets of messages that were complete or given up already.
    pub packets_superfluous: u64,
    /// Data packets received with Congestion Experienced.
    pub ce_received: u64,
    /// Datagrams that could not be read, or contradicted others.
    pub malformed: u64,
    /// Smoothed RTT; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Last RTT sample; zero before the first.
    pub latest_rtt: Duration,
    /// RTT variation.
    pub rtt_variation: Duration,
    /// Lowest RTT of the last minutes; zero before the first sample.
    pub min_rtt: Duration,
    /// Probe timeout, doubled as often as it has expired in a row.
    pub probe_timeout: Duration,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Congestion window in bytes.
    pub window: u64,
    /// The rate at which packets are spaced; `None` without pacing.
    pub pacing_rate: Option<Rate>,
    /// Bandwidth as the controller estimates it; `None` before anything is known.
    pub bandwidth: Option<Rate>,
    /// Last sample of the delivery rate; `None` before the first.
    pub delivery_rate: Option<Rate>,
    /// Bytes accepted and not yet sent.
    pub backlog: u64,
    /// Whether the application limits the sender at present.
    pub is_app_limited: bool,
}
