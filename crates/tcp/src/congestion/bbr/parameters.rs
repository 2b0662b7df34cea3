//! Parameters of `bbr`.

use jettison_core::Duration;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gains::HIGH_GAIN;

/// Parameters of `bbr`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct BbrParameters {
    /// Gain of pacing rate and window in Startup; Drain paces by its inverse (draft §4.3.2.1: 2/ln 2).
    pub startup_gain: f64,
    /// Ratio of window to BtlBw times RTprop in ProbeBW (draft §4.3.4.3: 2).
    pub window_gain: f64,
    /// Number of rounds in the window of the maximum delivery rate (draft §4.1.1.2: 10).
    pub bandwidth_window: u32,
    /// Minimum time for which a delivery rate counts, independent of rounds; 0 for rounds alone, as in the draft. For
    /// links whose rate varies within a few short rounds.
    pub bandwidth_window_time: Duration,
    /// Segments per RTprop below which a delivery rate counts as this many (the draft: 0; Octopus's authors: 4).
    pub bandwidth_floor: u32,
    /// Interval of a delivery-rate sample.
    pub rate_interval: RateInterval,
    /// Length of a round.
    pub round: Round,
    /// What makes a delivery-rate sample application-limited.
    pub limited_by: LimitedBy,
    /// Time for which the lowest RTT counts, and after which ProbeRTT measures it again (draft §4.1.2.2: 10 s).
    pub rtprop_window: Duration,
    /// RTT for pacing the initial window before the first sample; 0 for the draft's 1 ms (draft §4.2.1). It does not
    /// enter RTprop.
    pub initial_rtt: Duration,
    /// Minimum time with four segments in flight in ProbeRTT (draft §4.3.5: 200 ms).
    pub probe_rtt_duration: Duration,
    /// Share of BtlBw by which pacing stays below it, so that the queue drains (Linux: 1 %; the draft: 0).
    pub pacing_margin: f64,
    /// Segments sent back to back; 0 for the draft's rule: 1 below 1.2 Mbit/s, 2 below 24 Mbit/s, then the bytes of one
    /// millisecond, at most 64 KB (draft §4.2.2, which allows others).
    pub send_quantum: u32,
    /// Allowance in the window for data at both hosts.
    pub window_quantum: WindowQuantum,
    /// Ratio of the window's allowance for aggregated ACKs to the data acknowledged beyond BtlBw: the most of the last
    /// five to ten rounds, and no more than 100 ms of BtlBw (Octopus's authors: 1; the draft: 0).
    pub extra_acked_gain: f64,
    /// Whether a loss reduces the window to the data in flight for a round (draft §4.2.3.4).
    pub loss_recovery: bool,
    /// Whether a loss ends Startup (the draft: it does not; Octopus's authors: it does).
    pub startup_ends_on_loss: bool,
    /// Whether ProbeBW starts in a random phase (draft §4.3.4.2), or else with the gain that probes.
    pub random_phase: bool,
}

/// Interval of a delivery-rate sample.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RateInterval {
    /// The longer of the send and the ACK interval (draft-cheng-iccrg-delivery-rate-estimation §3.3).
    #[default]
    Longest,
    /// The ACK interval (Octopus's authors): the rate at which a queue on the path empties counts, too.
    Ack,
}

/// Length of a round.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Round {
    /// Until data is acknowledged that was sent after the round began (draft §4.1.1.3).
    #[default]
    Delivery,
    /// RTprop (Octopus's authors).
    Rtprop,
}

/// What makes a delivery-rate sample application-limited.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum LimitedBy {
    /// The application limited the sender when the sampled segment left (draft-cheng-iccrg-delivery-rate-estimation
    /// §3.4).
    #[default]
    Departure,
    /// The sender has nothing to send when the ACK arrives (Octopus's authors).
    Arrival,
}

/// Allowance in the window for data at both hosts.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum WindowQuantum {
    /// Three times what is sent back to back (draft §4.2.3.2).
    #[default]
    Sent,
    /// Three times 3 segments below 12 Mbit/s, 5 below 24 Mbit/s, then one for each 6 Mbit/s, at most 43. It does not
    /// enter the phases of ProbeBW, nor Drain (Octopus's authors).
    Stepped,
}

impl Default for BbrParameters {
    fn default() -> BbrParameters {
        BbrParameters {
            startup_gain: HIGH_GAIN,
            window_gain: 2.0,
            bandwidth_window: 10,
            bandwidth_window_time: Duration::ZERO,
            bandwidth_floor: 0,
            rate_interval: RateInterval::Longest,
            round: Round::Delivery,
            limited_by: LimitedBy::Departure,
            rtprop_window: Duration::from_secs(10),
            initial_rtt: Duration::ZERO,
            probe_rtt_duration: Duration::from_millis(200),
            pacing_margin: 0.01,
            send_quantum: 0,
            window_quantum: WindowQuantum::Sent,
            extra_acked_gain: 0.0,
            loss_recovery: true,
            startup_ends_on_loss: false,
            random_phase: true,
        }
    }
}

impl BbrParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, gain, least) in
            [("startup_gain", self.startup_gain, 1.25), ("window_gain", self.window_gain, 1.0)]
        {
            ParameterError::require(
                (least..=100.0).contains(&gain),
                key,
                &format!("be {least} to 100"),
                gain,
            )?;
        }
        let margin = self.pacing_margin;
        ParameterError::require((0.0..=0.5).contains(&margin), "pacing_margin", "be in [0, 0.5]", margin)?;
        let rounds = self.bandwidth_window;
        ParameterError::require(
            (1..=1000).contains(&rounds),
            "bandwidth_window",
            "be 1 to 1000 rounds",
            rounds,
        )?;
        let (rtprop, probe) = (self.rtprop_window, self.probe_rtt_duration);
        ParameterError::require(!rtprop.is_zero(), "rtprop_window", "be > 0", rtprop)?;
        let below = format!("be below rtprop_window ({rtprop})");
        ParameterError::require(probe < rtprop, "probe_rtt_duration", &below, probe)?;
        for (key, time) in
            [("bandwidth_window_time", self.bandwidth_window_time), ("initial_rtt", self.initial_rtt)]
        {
            ParameterError::require(time <= Duration::from_secs(60), key, "be at most a minute", time)?;
        }
        for (key, segments) in
            [("bandwidth_floor", self.bandwidth_floor), ("send_quantum", self.send_quantum)]
        {
            ParameterError::require(segments <= 1000, key, "be at most 1000 segments", segments)?;
        }
        let gain = self.extra_acked_gain;
        ParameterError::require((0.0..=10.0).contains(&gain), "extra_acked_gain", "be 0 to 10", gain)
    }
}
