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
}

impl Default for BbrParameters {
    fn default() -> BbrParameters {
        BbrParameters {
            startup_gain: HIGH_GAIN,
            window_gain: 2.0,
            bandwidth_window: 10,
            bandwidth_window_time: Duration::ZERO,
            rtprop_window: Duration::from_secs(10),
            initial_rtt: Duration::ZERO,
            probe_rtt_duration: Duration::from_millis(200),
            pacing_margin: 0.01,
            send_quantum: 0,
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
        ParameterError::require(
            self.send_quantum <= 1000,
            "send_quantum",
            "be at most 1000 segments",
            self.send_quantum,
        )
    }
}
