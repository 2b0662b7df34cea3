//! Parameters of a TCP endpoint as in the scenario, and the checked form used by the endpoint.

use std::borrow::Cow;

use jettison_core::{Bytes, Duration, RandomStream};
use jettison_registry::{Choice, ParameterError};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::acc_ecn::EcnMode;
use crate::congestion::{
    CongestionController, Controller, ControllerContext, EcnFeedback, Growth, HyStart, ReduceFrom,
};
use crate::rtt::MinRtoBounds;

/// Parameters of a TCP endpoint.
///
/// Defaults are those of a current Linux host, unless a document says otherwise.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct TcpParameters {
    /// Congestion controller: its id, or a table with `kind` and its parameters.
    pub congestion: Choice<Controller>,
    /// Deprecated: parameters of the controller, which belong into `congestion`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(extend("deprecated" = true, "x-moved-into" = "congestion"))]
    pub congestion_parameters: Map<String, Value>,
    /// Payload bytes of a full segment, not reduced by options: 1448 fills 1,500 bytes of IPv4 with timestamps.
    pub mss: u16,
    /// Initial window in segments (RFC 6928).
    pub initial_window: u32,
    /// Minimum of the retransmission timeout (1 s in RFC 6298 §2.4), or of what it adds to SRTT (200 ms in Linux).
    pub min_rto: Duration,
    /// Whether `min_rto` bounds what the timeout adds to SRTT, as in Linux, or the timeout (RFC 6298).
    pub min_rto_bounds: MinRtoBounds,
    /// Maximum retransmission timeout (RFC 6298 §2.5).
    pub max_rto: Duration,
    /// Retransmission timeout before the first RTT sample (RFC 6298 §2.1).
    pub initial_rto: Duration,
    /// Retransmissions of SYN or SYN-ACK from which the initial window is one segment (2 in Linux, 1 in RFC 6928 §2).
    pub lost_syns: u32,
    /// Consecutive timeouts of the same data after which the connection fails (RFC 9293 §3.8.3).
    pub max_retransmissions: u32,
    /// Segments received after which an ACK is due (RFC 5681 §4.2).
    pub delayed_ack_segments: u32,
    /// Maximum delay of an ACK (RFC 5681 §4.2: at most 500 ms).
    pub delayed_ack_timeout: Duration,
    /// Acknowledgement of each segment at the start, after idle, and while Linux's receive window would grow.
    pub quick_acks: bool,
    /// Selective acknowledgements (RFC 2018, RFC 6675); if off, NewReno's recovery (RFC 6582).
    pub sack: bool,
    /// Reports of duplicates in SACK (RFC 2883).
    pub dsack: bool,
    /// Time-based loss detection and tail loss probes (RFC 8985), in place of RFC 6675's counting; requires `sack`.
    pub rack_tlp: bool,
    /// Maximum delay of the peer's ACKs that a tail loss probe allows for (RFC 8985 §7.2).
    pub tlp_max_ack_delay: Duration,
    /// Proportional rate reduction in recovery (RFC 9937); requires `sack`.
    pub prr: bool,
    /// Another reduction of the window if a retransmission is lost in fast recovery (RFC 5681 §4.3); Linux has none.
    pub reduce_again: bool,
    /// New data on the first duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// Timestamps, for RTT samples of retransmissions (RFC 7323).
    pub timestamps: bool,
    /// Detection and undoing of spurious retransmissions by timestamps (RFC 3522, RFC 4015); requires `timestamps`.
    pub eifel: bool,
    /// Explicit congestion notification, if the peer agrees: `true` (RFC 3168), `accurate` (RFC 9768, or RFC 3168 if the peer
    /// has no more) or `false`. `auto` follows the controller: Prague `accurate`, which it needs and asks for with `true` as
    /// well; DCTCP `true`; the others `false`.
    pub ecn: EcnSwitch,
    /// With accurate ECN, which packets carry the AccECN option.
    pub ecn_option: EcnOption,
    /// Receive buffer; the advertised window is the buffer minus unread data.
    pub receive_buffer: Bytes,
    /// Reduction of the window after an idle time of one RTO, by `idle_restart`; newCWV and BBR have rules of their own.
    pub slow_start_after_idle: bool,
    /// The window of a sender that did not use it: `linux`, halved for each RTO of idleness down to the initial window;
    /// `rfc5681`, the initial window after one RTO (§4.1); `rfc2861`, halved for each RTO, also where the application
    /// sends too little to fill it (§3).
    pub idle_restart: RestartRule,
    /// Growth of the window by acknowledged bytes (as in Linux, RFC 3465) or by ACKs (RFC 5681 eq. 2 and 3).
    pub growth: Growth,
    /// What a loss or a timeout reduces: the window, as in Linux, or what is in flight (RFC 5681 eq. 4).
    pub reduce_from: ReduceFrom,
    /// Rule that ends slow start before loss: HyStart as in Linux, HyStart++ (RFC 9406) or none; `auto` follows the
    /// controller (CUBIC: `linux`, the others: none). `true` is `rfc9406`.
    pub hystart: HyStart,
    /// Pacing; `auto` paces only if the controller has a pacing rate (BBR, Prague).
    pub pacing: Switch,
    /// Ratio of the pacing rate to window/RTT in slow start.
    pub pacing_gain_slow_start: f64,
    /// Ratio of the pacing rate to window/RTT in congestion avoidance.
    pub pacing_gain_avoidance: f64,
    /// Number of segments sent back to back when paced.
    pub pacing_quantum: u32,
    /// Segmentation offload as in Linux: new data leaves in bursts of a millisecond of the pacing rate, 2 segments to 64 KiB,
    /// and pacing waits between bursts.
    pub gso: bool,
    /// Differentiated Services Code Point (DSCP) of every packet, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Duration of TIME-WAIT, in which the end that closed first answers a late FIN (4 min in RFC 9293, 60 s in Linux).
    pub time_wait: Duration,
}

impl Default for TcpParameters {
    fn default() -> TcpParameters {
        TcpParameters {
            congestion: Choice::default(),
            congestion_parameters: Map::new(),
            mss: 1448,
            initial_window: 10,
            min_rto: Duration::from_millis(200),
            min_rto_bounds: MinRtoBounds::Variation,
            max_rto: Duration::from_secs(120),
            initial_rto: Duration::from_secs(1),
            lost_syns: 2,
            max_retransmissions: 15,
            delayed_ack_segments: 2,
            delayed_ack_timeout: Duration::from_millis(40),
            quick_acks: true,
            sack: true,
            dsack: true,
            rack_tlp: true,
            tlp_max_ack_delay: Duration::from_millis(200),
            prr: true,
            reduce_again: false,
            limited_transmit: true,
            timestamps: true,
            eifel: true,
            ecn: EcnSwitch::Auto,
            ecn_option: EcnOption::Changed,
            receive_buffer: Bytes::new(6 << 20),
            slow_start_after_idle: true,
            idle_restart: RestartRule::Linux,
            growth: Growth::PerByte,
            reduce_from: ReduceFrom::Window,
            hystart: HyStart::Auto,
            pacing: Switch::Auto,
            pacing_gain_slow_start: 2.0,
            pacing_gain_avoidance: 1.2,
            pacing_quantum: 1,
            gso: false,
            dscp: 0,
            time_wait: Duration::from_secs(4),
        }
    }
}

impl TcpParameters {
    /// Checks the ranges, and the controller's parameters.
    ///
    /// # Errors
    /// With the path of the key at fault.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::require((1..=65_000).contains(&self.mss), "mss", "be 1 to 65000 bytes", self.mss)?;
        let window = self.initial_window;
        ParameterError::require(
            (1..=100_000).contains(&window),
            "initial_window",
            "be 1 to 100000 segments",
            window,
        )?;
        for (key, time) in [("min_rto", self.min_rto), ("initial_rto", self.initial_rto)] {
            ParameterError::require(!time.is_zero(), key, "be > 0", time)?;
        }
        ParameterError::require(self.lost_syns > 0, "lost_syns", "be at least 1", self.lost_syns)?;
        let holds = self.max_rto >= self.min_rto && self.max_rto >= self.initial_rto;
        let least = format!("be at least min_rto ({}) and initial_rto ({})", self.min_rto, self.initial_rto);
        ParameterError::require(holds, "max_rto", &least, self.max_rto)?;
        ParameterError::require(
            self.delayed_ack_segments > 0,
            "delayed_ack_segments",
            "be at least 1, which acknowledges each segment",
            self.delayed_ack_segments,
        )?;
        let buffer = self.receive_buffer;
        let segment = format!("be at least one segment of {} bytes", self.mss);
        ParameterError::require(buffer.get() >= u64::from(self.mss), "receive_buffer", &segment, buffer)?;
        ParameterError::require(
            buffer.get() <= 65_535 << 14,
            "receive_buffer",
            "be at most 1,073,725,440 bytes, where window scaling ends (RFC 7323)",
            buffer,
        )?;
        for (key, gain) in [
            ("pacing_gain_slow_start", self.pacing_gain_slow_start),
            ("pacing_gain_avoidance", self.pacing_gain_avoidance),
        ] {
            ParameterError::require(gain > 0.0 && gain.is_finite(), key, "be > 0", gain)?;
        }
        ParameterError::require(
            self.pacing_quantum > 0,
            "pacing_quantum",
            "be at least 1 segment",
            self.pacing_quantum,
        )?;
        ParameterError::require(self.dscp <= 63, "dscp", "be 0 to 63", self.dscp)?;
        self.controller(None).map(drop)
    }

    /// Builds the congestion controller of one connection; `random` is for controllers that draw.
    ///
    /// # Errors
    /// With the path of the key at fault.
    pub fn controller(
        &self,
        random: Option<RandomStream>,
    ) -> Result<Box<dyn CongestionController>, ParameterError> {
        let context = ControllerContext {
            mss: u64::from(self.mss),
            initial_window: u64::from(self.mss) * u64::from(self.initial_window),
            growth: self.growth,
            reduce_from: self.reduce_from,
            hystart: self.hystart,
            paced: self.pacing == Switch::On,
            random,
        };
        let moved = ("congestion_parameters", &self.congestion_parameters);
        self.congestion.build_with("congestion", moved, &context)
    }
}

/// The window of a sender that was idle, or did not use all of it.
#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
pub enum RestartRule {
    /// As Linux does it, measured: halved for each RTO of idleness, not below the initial window; ssthresh is at least
    /// three quarters of the window before. Not reduced while anything is sent.
    #[default]
    Linux,
    /// The initial window after an RTO of idleness (RFC 5681 §4.1).
    Rfc5681,
    /// RFC 2861 §3: halved for each RTO of idleness, down to a segment; halfway to what was used for each RTO in which the
    /// application did not fill it; ssthresh is at least three quarters of the window before.
    Rfc2861,
}

/// A switch with a default by the controller: `true`, `false` or `"auto"` in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// The controller's default.
    #[default]
    Auto,
    /// On.
    On,
    /// Off.
    Off,
}

impl Switch {
    /// The fixed value; `None` for [`Switch::Auto`].
    pub const fn decided(self) -> Option<bool> {
        match self {
            Switch::Auto => None,
            Switch::On => Some(true),
            Switch::Off => Some(false),
        }
    }
}

impl Serialize for Switch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.decided() {
            None => serializer.serialize_str("auto"),
            Some(on) => serializer.serialize_bool(on),
        }
    }
}

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Switch, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Switch;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false or \"auto\"")
            }
            fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<Switch, E> {
                Ok(if on { Switch::On } else { Switch::Off })
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Switch, E> {
                match text {
                    "auto" => Ok(Switch::Auto),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Switch {
    fn schema_name() -> Cow<'static, str> {
        "Switch".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "enum": ["auto", true, false] })
    }
}

/// Explicit congestion notification: `"auto"`, `true`, `false` or `"accurate"` in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EcnSwitch {
    /// What the controller needs.
    #[default]
    Auto,
    /// RFC 3168.
    On,
    /// None.
    Off,
    /// RFC 9768.
    Accurate,
}

impl EcnSwitch {
    /// What a connection with such a controller asks for. Prague asks for AccECN whatever the switch says, unless ECN is off
    /// (draft-briscoe-iccrg-prague-congestion-control §2.3.1).
    pub(super) fn mode(self, needed: EcnFeedback) -> EcnMode {
        match (self, needed) {
            (EcnSwitch::Off, _) | (EcnSwitch::Auto, EcnFeedback::Classic) => EcnMode::NotEcn,
            (EcnSwitch::Accurate, _) | (_, EcnFeedback::Accurate) => EcnMode::Accurate,
            (EcnSwitch::On, _) | (EcnSwitch::Auto, EcnFeedback::PerPacket) => EcnMode::Classic,
        }
    }
}

impl Serialize for EcnSwitch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            EcnSwitch::Auto => serializer.serialize_str("auto"),
            EcnSwitch::On => serializer.serialize_bool(true),
            EcnSwitch::Off => serializer.serialize_bool(false),
            EcnSwitch::Accurate => serializer.serialize_str("accurate"),
        }
    }
}

impl<'de> Deserialize<'de> for EcnSwitch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EcnSwitch, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = EcnSwitch;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false, \"accurate\" or \"auto\"")
            }
            fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<EcnSwitch, E> {
                Ok(if on { EcnSwitch::On } else { EcnSwitch::Off })
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EcnSwitch, E> {
                match text {
                    "auto" => Ok(EcnSwitch::Auto),
                    "accurate" => Ok(EcnSwitch::Accurate),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for EcnSwitch {
    fn schema_name() -> Cow<'static, str> {
        "EcnSwitch".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "enum": ["auto", "accurate", true, false] })
    }
}

/// The packets that carry the AccECN option, where there is room.
#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
pub enum EcnOption {
    /// Those of the handshake, and ACKs after a byte counter has changed (RFC 9768 §3.2.3.3, the recommended scheme). Data
    /// segments only if their payload leaves room.
    #[default]
    Changed,
    /// Every packet, as Linux 7.2 does by default (measured): segments are 12 bytes smaller.
    Always,
    /// None: the peer learns marked packets alone.
    Never,
}

/// The parameters used in the data path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub mss: u64,
    pub initial_window: u64,
    pub min_rto: Duration,
    pub min_rto_bounds: MinRtoBounds,
    pub max_rto: Duration,
    pub initial_rto: Duration,
    pub lost_syns: u32,
    pub max_retransmissions: u32,
    pub delayed_ack_segments: u32,
    pub delayed_ack_timeout: Duration,
    pub quick_acks: bool,
    pub sack: bool,
    pub dsack: bool,
    pub rack_tlp: bool,
    pub tlp_max_ack_delay: Duration,
    pub prr: bool,
    pub reduce_again: bool,
    pub limited_transmit: bool,
    pub timestamps: bool,
    pub eifel: bool,
    /// What ECN to ask for; with `auto`, [`super::Connection`] asks the controller.
    pub ecn: EcnMode,
    pub ecn_option: EcnOption,
    pub receive_buffer: u64,
    pub slow_start_after_idle: bool,
    pub idle_restart: RestartRule,
    /// Whether the window is reduced while the application does not fill it.
    pub validates_use: bool,
    pub pacing: Switch,
    pub pacing_gain_slow_start: f64,
    pub pacing_gain_avoidance: f64,
    pub pacing_quantum: u64,
    pub gso: bool,
    pub dscp: u8,
    pub time_wait: Duration,
}

impl From<&TcpParameters> for Settings {
    fn from(p: &TcpParameters) -> Settings {
        let mss = u64::from(p.mss);
        Settings {
            mss,
            initial_window: mss * u64::from(p.initial_window),
            min_rto: p.min_rto,
            min_rto_bounds: p.min_rto_bounds,
            max_rto: p.max_rto,
            initial_rto: p.initial_rto,
            lost_syns: p.lost_syns,
            max_retransmissions: p.max_retransmissions,
            delayed_ack_segments: p.delayed_ack_segments,
            delayed_ack_timeout: p.delayed_ack_timeout,
            quick_acks: p.quick_acks,
            sack: p.sack,
            dsack: p.dsack,
            rack_tlp: p.rack_tlp,
            tlp_max_ack_delay: p.tlp_max_ack_delay,
            prr: p.prr,
            reduce_again: p.reduce_again,
            limited_transmit: p.limited_transmit,
            timestamps: p.timestamps,
            eifel: p.eifel,
            ecn: EcnMode::NotEcn,
            ecn_option: p.ecn_option,
            receive_buffer: p.receive_buffer.get(),
            slow_start_after_idle: p.slow_start_after_idle,
            idle_restart: p.idle_restart,
            validates_use: p.slow_start_after_idle && p.idle_restart == RestartRule::Rfc2861,
            pacing: p.pacing,
            pacing_gain_slow_start: p.pacing_gain_slow_start,
            pacing_gain_avoidance: p.pacing_gain_avoidance,
            pacing_quantum: u64::from(p.pacing_quantum),
            gso: p.gso,
            dscp: p.dscp,
            time_wait: p.time_wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_survive_their_own_text() {
        let written = serde_json::to_value(TcpParameters::default()).unwrap();
        assert_eq!(serde_json::from_value::<TcpParameters>(written).unwrap(), TcpParameters::default());
        assert_eq!(TcpParameters::default().validate(), Ok(()));
    }

    #[test]
    fn switches_are_true_false_or_auto() {
        let read = |text: &str| serde_json::from_str::<Switch>(text);
        assert_eq!(read("true").unwrap(), Switch::On);
        assert_eq!(read("false").unwrap(), Switch::Off);
        assert_eq!(read("\"auto\"").unwrap(), Switch::Auto);
        assert!(read("\"on\"").unwrap_err().to_string().contains("auto"));
        let read = |text: &str| serde_json::from_str::<EcnSwitch>(text);
        for (text, ecn) in [
            ("true", EcnSwitch::On),
            ("false", EcnSwitch::Off),
            ("\"auto\"", EcnSwitch::Auto),
            ("\"accurate\"", EcnSwitch::Accurate),
        ] {
            assert_eq!(read(text).unwrap(), ecn);
            assert_eq!(serde_json::to_string(&ecn).unwrap(), text);
        }
        assert!(read("\"on\"").unwrap_err().to_string().contains("accurate"));
    }

    #[test]
    fn invalid_parameters_are_refused_with_the_valid_range() {
        let refuse = |json: serde_json::Value, hint: &str| {
            let parameters: TcpParameters = serde_json::from_value(json).unwrap();
            let message = parameters.validate().unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        };
        refuse(serde_json::json!({"mss": 0}), "1 to 65000");
        refuse(serde_json::json!({"congestion": "renew"}), "newreno");
        refuse(serde_json::json!({"max_rto": "100 ms"}), "min_rto");
        refuse(
            serde_json::json!({"congestion_parameters": {"beta": 2.0}}),
            "congestion_parameters.beta: must be in (0, 1), got 2",
        );
        refuse(
            serde_json::json!({"congestion": {"kind": "cubic", "beta": 2.0}}),
            "congestion.beta: must be in (0, 1), got 2",
        );
        refuse(
            serde_json::json!({
                "congestion": {"kind": "cubic", "beta": 0.5}, "congestion_parameters": {"beta": 0.7}
            }),
            "congestion_parameters.beta: must not be set twice: `congestion` sets it too",
        );
        refuse(serde_json::json!({"receive_buffer": "2 GB"}), "RFC 7323");
    }
}
