//! What a scenario says of RED-DPM.

use jettison_core::{Bytes, Duration};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dscp, Limit, RedSettings, Threshold};

/// Parameters of RED-DPM. The defaults of RED's own are those of FreeBSD's ALTQ of that time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedDpmParameters {
    /// DSCPs of the flows that are tagged, such as `["EF", "AF41"]`.
    pub tagged: Vec<Dscp>,
    /// What a tagged arrival's logical queue is judged by: a RED test on it, or a share of the buffer (`limit` over the
    /// active tagged flows and the untagged traffic).
    pub flow_test: FlowTest,
    /// Average logical queue below which the RED test on it passes everything. Unset: `min_th`.
    pub flow_min_th: Option<Threshold>,
    /// Average logical queue from which on the RED test on it passes nothing. Unset: `max_th`.
    pub flow_max_th: Option<Threshold>,
    /// What every tagged flow may hold under `flow_test = "fred-share"`, however small its share, in packets.
    pub min_share: Threshold,
    /// Age above which a flow's oldest queued packet is stale, if it is deep as well.
    pub stale_age: Duration,
    /// Packets of the main queue still before a flow's oldest queued packet from which on it is deep, in packets.
    pub stale_depth: Threshold,
    /// RED: average queue below which nothing is dropped. Its unit is the one all queues are measured in.
    pub min_th: Threshold,
    /// RED: average queue from which on every arrival is dropped (with `gentle`: with probability `max_p`).
    pub max_th: Threshold,
    /// RED: weight of a new sample in an average, 0 to 1.
    pub w_q: f64,
    /// RED: probability of a drop as the average reaches `max_th`, 0 to 1.
    pub max_p: f64,
    /// RED: from `max_th` to twice that, let the probability grow from `max_p` to 1.
    pub gentle: bool,
    /// RED: typical transmission time of a small packet, by which the averages decay while idle. Unset: that of
    /// `mean_packet` at the link's rate.
    pub s: Option<Duration>,
    /// IP length of the typical small packet, where `s` is unset.
    pub mean_packet: Bytes,
    /// RED's MaximumPacketSize, for queues measured in bytes.
    pub maximum_packet_size: Bytes,
    /// Slots for the state of tagged flows, a power of two from 8 to 65,536. Flows beyond share.
    pub flows: u32,
    /// How much the main queue holds.
    pub limit: Limit,
}

/// What a tagged arrival's logical queue is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum FlowTest {
    /// The paper's RED test: average and probability of the logical queue.
    Red,
    /// A share of the buffer by flow, as FRED's accounting gives.
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
            stale_age: Duration::from_millis(20),
            stale_depth: Threshold::Packets(5),
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
    /// RED on the main queue.
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

    /// RED on a logical queue.
    pub(super) fn flow_settings(&self) -> RedSettings {
        RedSettings {
            min_th: self.flow_min_th.unwrap_or(self.min_th),
            max_th: self.flow_max_th.unwrap_or(self.max_th),
            ..self.settings()
        }
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let unit = self.min_th.is_bytes();
        let thresholds = [("flow_min_th", self.flow_min_th), ("flow_max_th", self.flow_max_th)];
        let thresholds = thresholds.into_iter().filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in thresholds.chain([("max_th", self.max_th)]) {
            ParameterError::unless(value.is_bytes() == unit, key, || {
                format!(
                    "`{value}` is not in the unit of `min_th` ({}): write both in packets or both in bytes",
                    self.min_th
                )
            })?;
        }
        let flow = self.flow_settings();
        for (key, min, max) in
            [("max_th", self.min_th, self.max_th), ("flow_max_th", flow.min_th, flow.max_th)]
        {
            ParameterError::unless(max.value() > min.value(), key, || {
                format!("`{max}` is not above the lower threshold ({min}): twice that or more is right")
            })?;
        }
        for (key, value) in [("min_share", self.min_share), ("stale_depth", self.stale_depth)] {
            ParameterError::unless(!value.is_bytes(), key, || {
                format!("`{value}` is not a number of packets, such as \"5 packets\"")
            })?;
        }
        for (key, value) in [("w_q", self.w_q), ("max_p", self.max_p)] {
            ParameterError::unless(value > 0.0 && value <= 1.0, key, || {
                format!("`{value}` is out of range: `{key}` is above 0 and at most 1, such as 0.02")
            })?;
        }
        ParameterError::unless(self.s.is_none_or(|s| !s.is_zero()), "s", || {
            "`s` is above zero: the time that a typical small packet takes on the link".to_owned()
        })?;
        for (key, size) in
            [("mean_packet", self.mean_packet), ("maximum_packet_size", self.maximum_packet_size)]
        {
            ParameterError::unless(size.get() > 0, key, || format!("`{key}` is at least 1 byte"))?;
        }
        ParameterError::unless(
            self.flows.is_power_of_two() && (8..=65_536).contains(&self.flows),
            "flows",
            || format!("`{}` is not a power of two from 8 to 65,536, such as 1024", self.flows),
        )
    }
}
