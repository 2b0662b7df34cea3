//! The table `cellular` of a link, and the ranges of its keys.

use jettison_core::{Bytes, Duration, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Numerology;
use crate::Share;

/// A cellular user plane between the queue and the receiver. Tables that are not written leave their part out, except `pdcp` and
/// `rlc`, which every bearer has.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CellularParameters {
    /// Numerology μ: slots of 1, 0.5, 0.25 or 0.125 ms for 0 to 3 (3GPP TS 38.211 §4.3.2). 0 is also LTE's subframe.
    pub numerology: u8,
    /// Numbers, reordering and discarding of packets (3GPP TS 38.323).
    pub pdcp: PdcpParameters,
    /// Segments, and retransmissions of the link layer (3GPP TS 38.322).
    pub rlc: RlcParameters,
    /// Errors on the air and hybrid ARQ. Without it every block arrives at the end of its slot, as where a recording of grants
    /// already has the effect of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harq: Option<HarqParameters>,
    /// Other users of the cell, and the own channel. Without it every slot is the user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<SchedulerParameters>,
    /// Grants of an uplink. Without it the sender needs none, as a base station.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<GrantParameters>,
    /// Discontinuous reception of a downlink's receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drx: Option<DrxParameters>,
}

/// When packets get their PDCP sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// At arrival, so that a packet that the queue drops leaves a gap, for which the receiver waits.
    #[default]
    BeforeQueue,
    /// When the first segment is sent, so that drops leave no gap.
    AtTransmission,
}

/// Packet Data Convergence Protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PdcpParameters {
    /// When packets are numbered: `before-queue`, as TS 38.323 §5.2.1 has it at reception from upper layers, or
    /// `at-transmission`.
    pub numbering: Numbering,
    /// t-Reordering: how long the receiver waits for a missing number (TS 38.323 §5.2.2.2, §7.3; values in TS 38.331). It has no
    /// default in the standard.
    pub t_reordering: Duration,
    /// outOfOrderDelivery: the receiver waits for nothing (TS 38.323 §5.2.2.1).
    pub out_of_order_delivery: bool,
    /// discardTimer: packets that are older than this when they would be sent are discarded (TS 38.323 §5.3, §7.3). Default:
    /// infinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discard_timer: Option<Duration>,
    /// Discarding of PDU sets: Octopus messages stand for them. Without it packets are discarded one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdu_sets: Option<PduSetParameters>,
    /// Length of a sequence number in bits, 12 or 18: a header of 2 or 3 bytes (TS 38.323 §6.2.2).
    pub sn_length: u8,
}

impl Default for PdcpParameters {
    fn default() -> PdcpParameters {
        PdcpParameters {
            numbering: Numbering::default(),
            t_reordering: Duration::from_millis(100),
            out_of_order_delivery: false,
            discard_timer: None,
            pdu_sets: None,
            sn_length: 12,
        }
    }
}

/// Discarding of PDU sets. A message of an Octopus label is a PDU set, and the label's priority its importance (PSI).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PduSetParameters {
    /// PDU Set Integrated Handling Indication: a set of which a packet was dropped is of no use, and its other packets are dropped,
    /// too (TS 23.501 §5.37.5; pdu-SetDiscard of TS 38.323 §5.3).
    pub psihi: bool,
    /// Sets of this priority number or a higher one are of low importance.
    pub low_importance: u8,
    /// discardTimerForLowImportance, of such sets while PSI-based discard is active (TS 38.323 §5.3). Default: they have no timer of
    /// their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discard_timer_low: Option<Duration>,
    /// PSI-based discard is active while the packet that left the queue last had waited for at least this. The standard leaves the
    /// choice to the base station (TS 38.300 §16.15).
    pub active_from: Duration,
}

impl Default for PduSetParameters {
    fn default() -> PduSetParameters {
        PduSetParameters {
            psihi: true,
            low_importance: 1,
            discard_timer_low: None,
            active_from: Duration::from_millis(10),
        }
    }
}

/// Mode of Radio Link Control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RlcMode {
    /// Unacknowledged: what the air loses is lost (TS 38.322 §5.2.2).
    #[default]
    Um,
    /// Acknowledged: what the air loses is sent again (TS 38.322 §5.2.3).
    Am,
}

/// Radio Link Control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RlcParameters {
    /// Mode: `um` or `am`.
    pub mode: RlcMode,
    /// Length of a sequence number in bits: 6 or 12 in unacknowledged mode, 12 or 18 in acknowledged mode (TS 38.322 §6.2.3.3).
    pub sn_length: u8,
    /// t-Reassembly: how long the receiver waits for missing segments (TS 38.322 §5.2.2.2, §5.2.3.2, §7.3).
    pub t_reassembly: Duration,
    /// pollPDU: a poll after this many PDUs, of acknowledged mode (TS 38.322 §5.3.3.2, §7.4). 0: infinity.
    pub poll_pdu: u32,
    /// pollByte: a poll after this many bytes (TS 38.322 §5.3.3.2, §7.4). 0: infinity.
    pub poll_byte: Bytes,
    /// t-PollRetransmit: a poll is repeated after this time without a status report (TS 38.322 §5.3.3.4, §7.3).
    pub t_poll_retransmit: Duration,
    /// t-StatusProhibit: the least time between status reports (TS 38.322 §5.3.4, §7.3).
    pub t_status_prohibit: Duration,
    /// Time that a status report takes to the sender. It is not lost. It stands for the slots, grants and HARQ of the other
    /// direction, which the standard leaves to the scheduler.
    pub status_delay: Duration,
    /// maxRetxThreshold: retransmissions after which an SDU is given up (TS 38.322 §5.3.2, §7.4).
    pub max_retransmissions: u32,
}

impl Default for RlcParameters {
    fn default() -> RlcParameters {
        RlcParameters {
            mode: RlcMode::Um,
            sn_length: 12,
            t_reassembly: Duration::from_millis(50),
            poll_pdu: 16,
            poll_byte: Bytes::ZERO,
            t_poll_retransmit: Duration::from_millis(50),
            t_status_prohibit: Duration::from_millis(10),
            status_delay: Duration::from_millis(5),
            max_retransmissions: 8,
        }
    }
}

/// Hybrid ARQ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HarqParameters {
    /// Block error rate of first transmissions. Default: the 10 % for which channel quality is reported (TS 38.214 §5.2.2.1).
    pub bler: Share,
    /// Block error rate of retransmissions. Default: that of first transmissions, without a gain by soft combining, for which the
    /// standard has no figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmission_bler: Option<Share>,
    /// Slots from a transmission to its retransmission: feedback and scheduling (TS 38.321 §5.3.2.2; TS 38.214 §5.3, TS 38.213
    /// §9.2.3). 8 are those of LTE's FDD.
    pub round_trip: u32,
    /// Transmissions of a block, the first included. What is not decoded then is left to RLC.
    pub max_transmissions: u32,
    /// HARQ processes, which bound the blocks that await feedback, at most 16 (TS 38.321 §5.3.2.1; 16 by TS 38.214 §5.1).
    pub processes: u32,
}

impl Default for HarqParameters {
    fn default() -> HarqParameters {
        HarqParameters {
            bler: Share::new(0.1).unwrap_or(Share::ZERO),
            retransmission_bler: None,
            round_trip: 8,
            max_transmissions: 4,
            processes: 16,
        }
    }
}

/// A scheduler that serves one user in each slot. TS 38.300 §10 leaves the choice to the base station: this one is
/// proportional fair (Jalali, Padovani & Pankaj 2000).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SchedulerParameters {
    /// The other users.
    pub users: Vec<UserParameters>,
    /// Time over which a user's throughput is averaged.
    pub average: Duration,
    /// Fading of the own channel, around the link's rate. Default: none, as where a recording has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<FadingParameters>,
}

impl Default for SchedulerParameters {
    fn default() -> SchedulerParameters {
        SchedulerParameters { users: Vec::new(), average: Duration::from_secs(1), fading: None }
    }
}

/// Another user of the cell, or several alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserParameters {
    /// Rate of its channel, when every slot is its own.
    pub rate: Rate,
    /// Rate at which it has data. Default: always more than fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Rate>,
    /// Fading of its channel around that rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fading: Option<FadingParameters>,
    /// Number of such users, each with a channel of its own.
    #[serde(default = "one")]
    pub count: u32,
}

fn one() -> u32 {
    1
}

/// Rayleigh fading: the rate follows Shannon's from a signal-to-noise ratio whose amplitude is a Gauss-Markov process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FadingParameters {
    /// Mean signal-to-noise ratio in dB, at which the channel has its nominal rate.
    pub snr_db: f64,
    /// Time after which the amplitude's autocorrelation is 1/e.
    pub coherence: Duration,
}

impl Default for FadingParameters {
    fn default() -> FadingParameters {
        FadingParameters { snr_db: 10.0, coherence: Duration::from_millis(20) }
    }
}

/// Grants of an uplink.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GrantParameters {
    /// Period of the opportunities for a scheduling request (TS 38.321 §5.4.4; TS 38.213 §9.2.4).
    pub sr_period: Duration,
    /// Time from a request, or a buffer status report, to the first slot that it grants (TS 38.214 §6.1.2.1: K2, after the base
    /// station's decision).
    pub delay: Duration,
    /// Size of the grant that answers a request, before the base station knows the buffer.
    pub first: Bytes,
}

impl Default for GrantParameters {
    fn default() -> GrantParameters {
        GrantParameters {
            sr_period: Duration::from_millis(10),
            delay: Duration::from_millis(4),
            first: Bytes::new(128),
        }
    }
}

/// Discontinuous reception, with the long cycle alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrxParameters {
    /// drx-LongCycle (TS 38.321 §5.7).
    pub cycle: Duration,
    /// drx-onDurationTimer, at the start of each cycle (TS 38.321 §5.7).
    pub on_duration: Duration,
    /// drx-InactivityTimer, restarted by each new transmission (TS 38.321 §5.7).
    pub inactivity: Duration,
}

impl Default for DrxParameters {
    fn default() -> DrxParameters {
        DrxParameters {
            cycle: Duration::from_millis(40),
            on_duration: Duration::from_millis(8),
            inactivity: Duration::from_millis(10),
        }
    }
}

fn require(
    holds: bool,
    key: &str,
    requirement: &str,
    found: impl std::fmt::Display,
) -> Result<(), ParameterError> {
    ParameterError::require(holds, key, requirement, found)
}

/// The longest value that TS 38.331 has for t-Reordering.
const LONGEST_REORDERING: Duration = Duration::from_secs(3);
/// Other users at most: each costs time in each slot.
const MOST_USERS: u32 = 1000;

impl CellularParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let mu = format!("{} (slots of 1, 0.5, 0.25 and 0.125 ms are 0 to 3)", self.numerology);
        require(Numerology::new(self.numerology).is_some(), "numerology", "be 0, 1, 2 or 3", mu)?;
        self.pdcp.validate().map_err(|error| error.under("pdcp"))?;
        self.rlc.validate().map_err(|error| error.under("rlc"))?;
        if let Some(harq) = &self.harq {
            harq.validate().map_err(|error| error.under("harq"))?;
        }
        if let Some(scheduler) = &self.scheduler {
            scheduler.validate().map_err(|error| error.under("scheduler"))?;
        }
        if let Some(grants) = &self.grants {
            grants.validate().map_err(|error| error.under("grants"))?;
        }
        if let Some(drx) = &self.drx {
            drx.validate().map_err(|error| error.under("drx"))?;
            if self.grants.is_some() {
                let message = "a direction with `grants` is an uplink, where a pending scheduling request keeps the \
                               device awake";
                return Err(ParameterError::at("drx", message).with_help("keep one of `drx` and `grants`"));
            }
        }
        Ok(())
    }

    /// Length of the PDCP header in bytes.
    pub fn header(&self) -> Bytes {
        Bytes::new(if self.pdcp.sn_length > 12 { 3 } else { 2 })
    }
}

impl PdcpParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        let sound = !self.t_reordering.is_zero() && self.t_reordering <= LONGEST_REORDERING;
        require(sound, "t_reordering", "be > 0 ms and <= 3 s", self.t_reordering).map_err(
            |error| match self.t_reordering.is_zero() {
                true => error
                    .with_help("for a receiver that waits for nothing write `out_of_order_delivery = true`"),
                false => error,
            },
        )?;
        if let Some(timer) = self.discard_timer {
            require(!timer.is_zero(), "discard_timer", "be > 0 ms", timer)?;
        }
        if let Some(sets) = &self.pdu_sets {
            sets.validate(self.discard_timer).map_err(|error| error.under("pdu_sets"))?;
        }
        let known = matches!(self.sn_length, 12 | 18);
        require(known, "sn_length", "be 12 or 18 bits", self.sn_length)
    }
}

impl PduSetParameters {
    fn validate(&self, discard_timer: Option<Duration>) -> Result<(), ParameterError> {
        // Labels have 3 bits.
        require((1..=7).contains(&self.low_importance), "low_importance", "be 1 to 7", self.low_importance)?;
        let Some(low) = self.discard_timer_low else { return Ok(()) };
        require(!low.is_zero(), "discard_timer_low", "be > 0 ms", low)?;
        let Some(timer) = discard_timer.filter(|timer| low > *timer) else { return Ok(()) };
        let found = format!("{low} (discard_timer = {timer})");
        require(false, "discard_timer_low", "be at most `discard_timer`", found)
    }
}

impl RlcParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        let (lengths, known) = match self.mode {
            RlcMode::Um => ("be 6 or 12 bits in unacknowledged mode", matches!(self.sn_length, 6 | 12)),
            RlcMode::Am => ("be 12 or 18 bits in acknowledged mode", matches!(self.sn_length, 12 | 18)),
        };
        require(known, "sn_length", lengths, self.sn_length)?;
        require(!self.t_reassembly.is_zero(), "t_reassembly", "be > 0 ms", self.t_reassembly)?;
        require(!self.t_poll_retransmit.is_zero(), "t_poll_retransmit", "be > 0 ms", self.t_poll_retransmit)?;
        let retransmissions = self.max_retransmissions;
        require((1..=32).contains(&retransmissions), "max_retransmissions", "be 1 to 32", retransmissions)
    }
}

impl HarqParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        require(self.round_trip > 0, "round_trip", "be > 0 slots", self.round_trip)?;
        let times = self.max_transmissions;
        require((1..=32).contains(&times), "max_transmissions", "be 1 to 32", times)?;
        require((1..=16).contains(&self.processes), "processes", "be 1 to 16", self.processes)
    }
}

impl SchedulerParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        require(!self.average.is_zero(), "average", "be > 0 ms", self.average)?;
        if let Some(fading) = &self.fading {
            fading.validate().map_err(|error| error.under("fading"))?;
        }
        let mut count = 0_u32;
        for (index, user) in self.users.iter().enumerate() {
            count = count.saturating_add(user.count);
            let all = require(!user.rate.is_zero(), "rate", "be > 0", user.rate)
                .and_then(|()| require(user.count > 0, "count", "be > 0", user.count))
                .and_then(|()| match &user.fading {
                    Some(fading) => fading.validate().map_err(|error| error.under("fading")),
                    None => Ok(()),
                });
            all.map_err(|error| error.under(&index.to_string()).under("users"))?;
        }
        require(count <= MOST_USERS, "users", "be at most 1000", count)
    }
}

impl FadingParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        let sound = (-20.0..=60.0).contains(&self.snr_db);
        require(sound, "snr_db", "be -20 to 60 dB", self.snr_db)?;
        require(!self.coherence.is_zero(), "coherence", "be > 0 ms", self.coherence)
    }
}

impl GrantParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        require(!self.sr_period.is_zero(), "sr_period", "be > 0 ms", self.sr_period)?;
        // Headers of a segment must fit, with a byte of it.
        require(self.first.get() >= 16, "first", "be at least 16 bytes", self.first)
    }
}

impl DrxParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        require(!self.on_duration.is_zero(), "on_duration", "be > 0 ms", self.on_duration)?;
        let found = format!("{} of {}", self.on_duration, self.cycle);
        require(self.on_duration < self.cycle, "on_duration", "be shorter than `cycle`", found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn error(table: Value) -> String {
        let parameters: CellularParameters = serde_json::from_value(table).unwrap();
        let error = parameters.validate().unwrap_err();
        format!("{}: {}", error.path.join("."), error.message())
    }

    #[test]
    fn what_cannot_be_is_refused_at_its_key() {
        for (table, expected) in [
            (json!({ "numerology": 5 }), "numerology: "),
            (json!({ "pdcp": { "t_reordering": "0 ms" } }), "pdcp.t_reordering: "),
            (json!({ "pdcp": { "t_reordering": "4 s" } }), "pdcp.t_reordering: "),
            (json!({ "pdcp": { "discard_timer": "0 ms" } }), "pdcp.discard_timer: "),
            (json!({ "pdcp": { "sn_length": 7 } }), "pdcp.sn_length: "),
            (json!({ "pdcp": { "pdu_sets": { "low_importance": 8 } } }), "pdcp.pdu_sets.low_importance: "),
            (
                json!({ "pdcp": { "discard_timer": "9 ms", "pdu_sets": { "discard_timer_low": "10 ms" } } }),
                "pdcp.pdu_sets.discard_timer_low: ",
            ),
            (json!({ "rlc": { "mode": "am", "sn_length": 6 } }), "rlc.sn_length: "),
            (json!({ "rlc": { "t_reassembly": "0 ms" } }), "rlc.t_reassembly: "),
            (json!({ "rlc": { "max_retransmissions": 0 } }), "rlc.max_retransmissions: "),
            (json!({ "harq": { "round_trip": 0 } }), "harq.round_trip: "),
            (json!({ "harq": { "max_transmissions": 0 } }), "harq.max_transmissions: "),
            (json!({ "harq": { "processes": 17 } }), "harq.processes: "),
            (json!({ "scheduler": { "users": [{ "rate": "0 Mbit/s" }] } }), "scheduler.users.0.rate: "),
            (json!({ "grants": { "sr_period": "0 ms" } }), "grants.sr_period: "),
            (json!({ "grants": { "first": "4 bytes" } }), "grants.first: "),
            (json!({ "drx": { "on_duration": "50 ms" } }), "drx.on_duration: "),
            (json!({ "drx": {}, "grants": {} }), "drx: "),
        ] {
            let found = error(table.clone());
            assert!(found.starts_with(expected), "{table}: {found}");
        }
        let bler: Result<CellularParameters, _> = serde_json::from_value(json!({ "harq": { "bler": 1.2 } }));
        assert!(bler.unwrap_err().to_string().contains("not a share"));
    }

    #[test]
    fn the_defaults_are_sound() {
        assert_eq!(CellularParameters::default().validate(), Ok(()));
        let all = json!({ "harq": {}, "scheduler": { "users": [{ "rate": "1 Mbit/s" }] }, "drx": {} });
        let all: CellularParameters = serde_json::from_value(all).unwrap();
        assert_eq!(all.validate(), Ok(()));
    }
}
