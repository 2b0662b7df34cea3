//! Parameters of RED-DPM.

use jettison_core::{Bytes, Duration};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dscp, Limit, RedSettings, Threshold, Victim};

/// Default thresholds of a logical queue in packets. The lower one is FRED's `minq` for small buffers, which every flow may hold;
/// the upper one is three times as long, the ratio of ALTQ's thresholds of the main queue.
const SHORT: (u64, u64) = (2, 6);

/// Parameters of RED-DPM. RED's defaults are those of FreeBSD's ALTQ at the time of the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedDpmParameters {
    /// DSCPs of the flows that are tagged, such as `["EF", "AF41"]`.
    pub tagged: Vec<Dscp>,
    /// Test on the logical queue of a tagged arrival: RED, fixed limits as FRED's, or a share of the buffer (`limit` divided by
    /// the active tagged flows plus one for untagged traffic).
    pub flow_test: FlowTest,
    /// Lower threshold of a logical queue. `red`: average below which nothing is dropped. `fred-limits`: what a flow may hold
    /// that has met the upper threshold more than once. Unset: 2 packets, or as many of `maximum_packet_size`; at most `min_th`.
    pub flow_min_th: Option<Threshold>,
    /// Upper threshold of a logical queue. `red`: average from which on every arrival costs a packet. `fred-limits`: what a flow
    /// may hold. Unset: 6 packets, or as many of `maximum_packet_size`; at most `max_th`.
    pub flow_max_th: Option<Threshold>,
    /// Minimum share of a tagged flow under `flow_test = "fred-share"`, in packets.
    pub min_share: Threshold,
    /// Age above which a flow's oldest queued packet is stale, if it is also deep (`stale_depth`).
    pub stale_age: Duration,
    /// Position in the main queue, in packets from the head, from which on a flow's oldest queued packet is deep.
    pub stale_depth: Threshold,
    /// Drops the oldest packet of a tagged flow and moves its later ones up. If false, the arrival is dropped, and of a flow that
    /// is the random victim of another one's arrival the newest packet.
    pub delete_and_advance: bool,
    /// RED: packet that is dropped above the upper threshold, the arrival or a random one of the queue and the arrival. A tagged
    /// flow that is the victim loses its oldest packet.
    pub victim: Victim,
    /// RED: average queue length below which nothing is dropped. Its unit selects the unit of all averages.
    pub min_th: Threshold,
    /// RED: average queue length from which on every arrival costs a packet (with `gentle`: with probability `max_p`).
    pub max_th: Threshold,
    /// RED: weight of a new sample in an average, in (0, 1].
    pub w_q: f64,
    /// RED: drop probability as the average reaches `max_th`, in (0, 1].
    pub max_p: f64,
    /// RED: raises the probability linearly from `max_p` at `max_th` to 1 at twice `max_th`.
    pub gentle: bool,
    /// RED: typical transmission time of a small packet, the unit of the averages' decay during idle periods. Unset: that of
    /// `mean_packet` at the link's rate.
    pub s: Option<Duration>,
    /// IP length of the typical small packet, used if `s` is unset.
    pub mean_packet: Bytes,
    /// RED's MaximumPacketSize, for thresholds in bytes.
    pub maximum_packet_size: Bytes,
    /// Slots for the state of tagged flows, a power of two in [8, 65536]. Excess flows share slots.
    pub flows: u32,
    /// Limit of the main queue in packets, bytes (IP length) or both.
    pub limit: Limit,
}

/// Test on the logical queue of a tagged arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum FlowTest {
    /// The paper's test: RED on the logical queue.
    Red,
    /// Fixed limits on what a flow has queued, with FRED's strikes: `flow_max_th`, or `flow_min_th` for a flow that does not
    /// respond.
    FredLimits,
    /// A share of the buffer per flow, with accounting as in FRED.
    FredShare,
}

impl Default for RedDpmParameters {
    fn default() -> RedDpmParameters {
        RedDpmParameters {
            tagged: vec![Dscp::EF],
            flow_test: FlowTest::Red,
            flow_min_th: None,
            flow_max_th: None,
            min_share: Threshold::Packets(2),
            stale_age: Duration::from_millis(100),
            stale_depth: Threshold::Packets(5),
            delete_and_advance: true,
            victim: Victim::Random,
            min_th: Threshold::Packets(5),
            max_th: Threshold::Packets(15),
            w_q: 1.0 / 512.0,
            max_p: 0.1,
            gentle: false,
            s: None,
            mean_packet: Bytes::new(500),
            maximum_packet_size: Bytes::new(1500),
            flows: 1024,
            limit: Limit::packets(60),
        }
    }
}

impl RedDpmParameters {
    /// RED's constants for the main queue.
    pub(super) fn settings(&self) -> RedSettings {
        RedSettings {
            min_th: self.min_th,
            max_th: self.max_th,
            w_q: self.w_q,
            max_p: self.max_p,
            gentle: self.gentle,
            maximum_packet_size: self.maximum_packet_size.get(),
        }
    }

    /// RED's constants for logical queues.
    pub(super) fn flow_settings(&self) -> RedSettings {
        RedSettings {
            min_th: self.flow_min_th.unwrap_or_else(|| self.short(SHORT.0, self.min_th)),
            max_th: self.flow_max_th.unwrap_or_else(|| self.short(SHORT.1, self.max_th)),
            ..self.settings()
        }
    }

    /// Threshold of `packets` in the unit of the main queue's, and no longer than that.
    fn short(&self, packets: u64, main: Threshold) -> Threshold {
        match main {
            Threshold::Packets(main) => Threshold::Packets(packets.min(main)),
            Threshold::Bytes(main) => {
                Threshold::Bytes(packets.saturating_mul(self.maximum_packet_size.get()).min(main))
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let unit = self.min_th.is_bytes();
        let thresholds = [("flow_min_th", self.flow_min_th), ("flow_max_th", self.flow_max_th)];
        let thresholds = thresholds.into_iter().filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in thresholds.chain([("max_th", self.max_th)]) {
            ParameterError::unless(value.is_bytes() == unit, key, || {
                let min = self.min_th;
                format!(
                    "must be in the unit of `min_th` ({min}), got {value}; write both in packets or both in bytes"
                )
            })?;
        }
        let flow = self.flow_settings();
        for (key, min, max) in
            [("max_th", self.min_th, self.max_th), ("flow_max_th", flow.min_th, flow.max_th)]
        {
            ParameterError::unless(max.value() > min.value(), key, || {
                format!(
                    "must be > the lower threshold ({min}), got {max}; at least twice as much is recommended"
                )
            })?;
        }
        for (key, value) in [("min_share", self.min_share), ("stale_depth", self.stale_depth)] {
            ParameterError::require(!value.is_bytes(), key, "be in packets, such as \"5 packets\"", value)?;
        }
        for (key, value) in [("w_q", self.w_q), ("max_p", self.max_p)] {
            ParameterError::require(value > 0.0 && value <= 1.0, key, "be in (0, 1]", value)?;
        }
        ParameterError::require(self.s.is_none_or(|s| !s.is_zero()), "s", "be > 0", "0 s")?;
        for (key, size) in
            [("mean_packet", self.mean_packet), ("maximum_packet_size", self.maximum_packet_size)]
        {
            ParameterError::require(size.get() > 0, key, "be >= 1 byte", size)?;
        }
        let in_range = self.flows.is_power_of_two() && (8..=65_536).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be a power of two in [8, 65536]", self.flows)
    }
}
