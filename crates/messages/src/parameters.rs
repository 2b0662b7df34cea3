//! Parameters of the message transport as in the scenario, and the checked form used by an endpoint.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, RandomStream};
use jettison_octopus::VerdictOptions;
use jettison_registry::{Choice, ParameterError};
use jettison_wire::{MessageNumber, OctopusHeader, SequenceHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::Limits;
use crate::path::{MessageController, PathContext, PathController};

/// Parameters of an endpoint of the message transport, common to both ends.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct OctopusParameters {
    /// Congestion controller: its id, or a table with `kind` and its parameters.
    pub congestion: Choice<MessageController>,
    /// Deprecated: parameters of the controller, which belong into `congestion`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(extend("deprecated" = true, "x-moved-into" = "congestion"))]
    pub congestion_parameters: Map<String, Value>,
    /// Trace of the bottleneck for the controller `oracle`; the others ask for none.
    #[schemars(extend("format" = "input-file"))]
    pub trace: Option<String>,
    /// Message bytes of a full packet, after the transport's headers of 20 bytes: 1452 fills 1,500 bytes of IPv4.
    pub mss: u16,
    /// Initial window in full packets (RFC 9002 §7.2).
    pub initial_window: u32,
    /// Assumed RTT before the first sample, for the first probe timeout (RFC 9002 §6.2.2: 333 ms). BBR has its own
    /// parameter for the first pacing rate.
    pub initial_rtt: Duration,
    /// Size of the send buffer: nearly 3 s at 12 Mbit/s, and larger than any message that should be dropped as a whole.
    /// Messages that do not fit are refused.
    pub send_buffer: Bytes,
    /// Packets received after which an ACK is due (the authors' value: 1).
    pub ack_every: u32,
    /// Maximum delay of an ACK if not every packet has its own (RFC 9000 §18.2: 25 ms).
    pub max_ack_delay: Duration,
    /// Back-pressure of the sender's own device: maximum packets in its queue; the others stay in the send buffer,
    /// where the verdict applies to them; 0 for no limit.
    pub device_queue: u32,
    /// Whether the send buffer applies the routers' drop verdict to messages that have not begun to leave.
    pub adapt: bool,
    /// Whether a dropper may leave although the window is full, if it makes data in flight obsolete: the router then
    /// drops that data, which makes room. The flight is limited to two windows. Messages in the send buffer that the
    /// dropper makes obsolete are removed immediately, or with `slack` once they have waited it, including the rest of a
    /// message that has begun to leave. (Not in the paper, where droppers wait behind the messages that they would make
    /// obsolete.)
    pub overtake: bool,
    /// In that verdict: drop only messages that have waited their slack (as the authors' code, unlike the paper).
    pub slack: bool,
    /// With `slack`: whether it spares messages of more than the available bitrate, too, and not only stale ones. The
    /// sender's estimate is a maximum over several rounds, with less noise than a router's measure.
    pub bitrate_slack: bool,
    /// In that verdict: drop only messages that have arrived completely. In a send buffer all have.
    pub whole_message_only: bool,
    /// The rule of that verdict.
    pub send_verdict: SendVerdict,
    /// The bandwidth told to applications and to that verdict, if the controller has an estimate.
    pub estimate: EstimateRule,
    /// Whether the slack on the wire, and in the send buffer's verdict by bitrate, is less by half the lowest RTT, too
    /// (as the authors' code, which has it for the way to the router).
    pub slack_covers_path: bool,
    /// Repair of losses on unreliable streams: `none`, `retransmit` (always), or `while-fresh` (while the message is
    /// younger than `fresh`). Messages that the drop verdict has made obsolete are never retransmitted (with `adapt`).
    pub repair: Repair,
    /// Maximum age of a message for repair by `while-fresh`: the usual budget of an interactive frame.
    pub fresh: Duration,
    /// Maximum number of retransmissions of a packet of an unreliable stream (WebRTC's implementation: ten).
    pub max_retransmissions: u32,
    /// Forward error correction: parity packets per data packet of a message; the product is rounded up, and at most
    /// `limits.parity`; 0 for none.
    pub parity: f64,
    /// Number of later packets received after which a packet is lost (RFC 9002 §6.1.1).
    pub packet_threshold: u32,
    /// Round-trip times after which a packet is lost once a later one has arrived (RFC 9002 §6.1.2).
    pub time_threshold: f64,
    /// Packets sent at a probe timeout (RFC 9002 §6.2.4: one or two).
    pub probe_packets: u32,
    /// Minimum probe timeout (RFC 9002: 0; the authors' code: 2 s without an acknowledgement, and no probes).
    pub min_pto: Duration,
    /// Maximum probe timeout, including back-off. RFC 9002 has none; media must resume soon after an outage.
    pub max_pto: Duration,
    /// Length of persistent congestion in probe timeouts (RFC 9002 §7.6.1).
    pub persistent_congestion: u32,
    /// Ratio of the pacing rate to window/RTT for controllers without a rate of their own (RFC 9002 §7.7); 0 disables
    /// pacing for them.
    pub pacing_gain: f64,
    /// Maximum number of messages of a stream, back from the newest, that a receiver may hold incomplete; older ones
    /// are discarded. The sender of a reliable stream begins no message further ahead of its oldest one.
    pub reassembly: u32,
    /// Differentiated Services Code Point (DSCP) of every packet, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Sequence number of each end's first packet. Both ends know it, as there is no handshake.
    pub first_sequence: u32,
    /// Number of each stream's first message, below 2^29.
    pub first_message: u32,
    /// Bounds of a receiver's state and work: datagrams are not authenticated.
    pub limits: Limits,
}

/// Rule of the verdict in the send buffer.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SendVerdict {
    /// That of routers, on each message that is about to leave; not by bitrate while the application limits the
    /// estimate.
    #[default]
    Router,
    /// That of the authors' code: stale are the messages that wait when a dropper is accepted, if they have waited their
    /// slack by then. The bitrate is judged when a message is about to leave, unless it is the newest one. Messages of
    /// one packet are never dropped.
    Authors,
}

/// The bandwidth told to applications and to the verdict in the send buffer.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum EstimateRule {
    /// The controller's estimate.
    #[default]
    Bandwidth,
    /// The higher one of the controller's estimate and its pacing rate (the authors' code).
    PacingRate,
}

/// Repair of losses on unreliable streams.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Repair {
    /// Lost packets are not retransmitted.
    #[default]
    None,
    /// Lost packets are retransmitted.
    Retransmit,
    /// Lost packets are retransmitted while their message is fresh.
    WhileFresh,
}

impl Default for OctopusParameters {
    fn default() -> OctopusParameters {
        OctopusParameters {
            congestion: Choice::default(),
            congestion_parameters: Map::new(),
            trace: None,
            mss: 1452,
            initial_window: 10,
            initial_rtt: Duration::from_millis(333),
            send_buffer: Bytes::new(4 << 20),
            ack_every: 1,
            max_ack_delay: Duration::from_millis(25),
            device_queue: 0,
            adapt: true,
            overtake: false,
            slack: false,
            bitrate_slack: true,
            whole_message_only: false,
            send_verdict: SendVerdict::Router,
            estimate: EstimateRule::Bandwidth,
            slack_covers_path: false,
            repair: Repair::None,
            fresh: Duration::from_millis(200),
            max_retransmissions: 10,
            parity: 0.0,
            packet_threshold: 3,
            time_threshold: 1.125,
            probe_packets: 2,
            min_pto: Duration::ZERO,
            max_pto: Duration::from_secs(1),
            persistent_congestion: 3,
            pacing_gain: 1.25,
            reassembly: 1024,
            dscp: 0,
            first_sequence: 0,
            first_message: 0,
            limits: Limits::default(),
        }
    }
}

/// Length in bytes of the transport's headers in a data packet.
pub(super) const HEADERS: usize = SequenceHeader::LENGTH + OctopusHeader::LENGTH;

impl OctopusParameters {
    /// Checks the ranges; [`OctopusParameters::controller`] checks the controller's own parameters.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::require((64..=65_000).contains(&self.mss), "mss", "be 64 to 65000 bytes", self.mss)?;
        let window = self.initial_window;
        ParameterError::require(
            (1..=100_000).contains(&window),
            "initial_window",
            "be 1 to 100000 packets",
            window,
        )?;
        for (key, time) in [("initial_rtt", self.initial_rtt), ("max_pto", self.max_pto)] {
            ParameterError::require(!time.is_zero(), key, "be > 0", time)?;
        }
        let holds = self.min_pto <= Duration::from_secs(60);
        ParameterError::require(holds, "min_pto", "be at most a minute", self.min_pto)?;
        let packet = format!("be at least one packet of {} bytes", self.mss);
        let holds = self.send_buffer.get() >= u64::from(self.mss);
        ParameterError::require(holds, "send_buffer", &packet, self.send_buffer)?;
        let each = "be at least 1, which acknowledges each packet";
        ParameterError::require(self.ack_every > 0, "ack_every", each, self.ack_every)?;
        let holds = self.max_ack_delay <= Duration::from_secs(10);
        ParameterError::require(holds, "max_ack_delay", "be at most 10 s", self.max_ack_delay)?;
        let holds = (0.0..=10.0).contains(&self.parity);
        ParameterError::require(holds, "parity", "be 0 to 10 parity packets a data packet", self.parity)?;
        let threshold = self.packet_threshold;
        ParameterError::require(
            (1..=1000).contains(&threshold),
            "packet_threshold",
            "be 1 to 1000 packets",
            threshold,
        )?;
        let threshold = self.time_threshold;
        let holds = (1.0..=10.0).contains(&threshold);
        ParameterError::require(holds, "time_threshold", "be 1 to 10 round-trip times", threshold)?;
        let probes = self.probe_packets;
        ParameterError::require(
            (1..=2).contains(&probes),
            "probe_packets",
            "be 1 or 2 (RFC 9002 §6.2.4)",
            probes,
        )?;
        let timeouts = self.persistent_congestion;
        ParameterError::require(
            (1..=100).contains(&timeouts),
            "persistent_congestion",
            "be 1 to 100",
            timeouts,
        )?;
        let gain = self.pacing_gain;
        let holds = gain == 0.0 || (1.0..=100.0).contains(&gain);
        ParameterError::require(holds, "pacing_gain", "be 0 (no pacing) or 1 to 100", gain)?;
        let holds = (1..=1 << 20).contains(&self.reassembly);
        ParameterError::require(holds, "reassembly", "be 1 to 1048576 messages", self.reassembly)?;
        ParameterError::require(self.dscp <= 63, "dscp", "be 0 to 63", self.dscp)?;
        let holds = self.first_message >> MessageNumber::BITS == 0;
        ParameterError::require(holds, "first_message", "be below 2^29", self.first_message)?;
        self.limits.validate(self.mss)
    }

    /// The context of a path controller; `random` is for controllers that draw, `files` for those that read a trace.
    #[expect(clippy::type_complexity, reason = "a plain function, written twice")]
    pub fn path_context<'a>(
        &self,
        random: Option<RandomStream>,
        files: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
    ) -> PathContext<'a> {
        let packet = self.packet_bytes();
        let initial_window = packet * u64::from(self.initial_window);
        PathContext { packet, initial_window, initial_rtt: self.initial_rtt, random, files }
    }

    /// Builds the path controller of one connection.
    ///
    /// # Errors
    /// With the path of the key at fault.
    pub fn controller(&self, context: &PathContext<'_>) -> Result<Box<dyn PathController>, ParameterError> {
        let moved = ("congestion_parameters", &self.congestion_parameters);
        match &self.trace {
            Some(trace) if self.congestion.kind == "oracle" => {
                let mut oracle = self.congestion.clone();
                oracle.parameters.entry("trace").or_insert_with(|| Value::String(trace.clone()));
                oracle.build_with("congestion", moved, context)
            }
            _ => self.congestion.build_with("congestion", moved, context),
        }
    }

    /// UDP payload bytes of a full packet.
    pub fn packet_bytes(&self) -> u64 {
        u64::from(self.mss) + HEADERS as u64
    }
}

/// The parameters used in the data path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub mss: u64,
    /// UDP payload bytes of a full packet.
    pub packet: u64,
    pub initial_rtt: Duration,
    pub send_buffer: u64,
    pub ack_every: u32,
    pub max_ack_delay: Duration,
    pub adapt: bool,
    pub overtake: bool,
    /// Whether slack spares messages of more than the available bitrate.
    pub bitrate_slack: bool,
    pub verdict: VerdictOptions,
    pub send_verdict: SendVerdict,
    pub estimate: EstimateRule,
    pub slack_covers_path: bool,
    pub repair: Repair,
    pub fresh: Duration,
    pub max_retransmissions: u32,
    pub parity: f64,
    pub packet_threshold: u64,
    pub time_threshold: f64,
    pub probe_packets: u32,
    pub min_pto: Duration,
    pub max_pto: Duration,
    pub persistent_congestion: u32,
    pub pacing_gain: f64,
    pub reassembly: usize,
    pub dscp: u8,
    pub first_sequence: u32,
    pub first_message: u32,
    pub most_streams: usize,
    pub memory: u64,
    pub most_parity: u16,
    pub quiet: Duration,
}

impl From<&OctopusParameters> for Settings {
    fn from(p: &OctopusParameters) -> Settings {
        Settings {
            mss: u64::from(p.mss),
            packet: p.packet_bytes(),
            initial_rtt: p.initial_rtt,
            send_buffer: p.send_buffer.get(),
            ack_every: p.ack_every,
            max_ack_delay: p.max_ack_delay,
            overtake: p.adapt && p.overtake,
            bitrate_slack: p.bitrate_slack,
            adapt: p.adapt,
            verdict: VerdictOptions { slack: p.slack, whole_message_only: p.whole_message_only },
            send_verdict: p.send_verdict,
            estimate: p.estimate,
            slack_covers_path: p.slack_covers_path,
            repair: p.repair,
            fresh: p.fresh,
            max_retransmissions: p.max_retransmissions,
            parity: p.parity,
            packet_threshold: u64::from(p.packet_threshold),
            time_threshold: p.time_threshold,
            probe_packets: p.probe_packets,
            min_pto: p.min_pto,
            max_pto: p.max_pto,
            persistent_congestion: p.persistent_congestion,
            pacing_gain: p.pacing_gain,
            reassembly: p.reassembly as usize,
            dscp: p.dscp,
            first_sequence: p.first_sequence,
            first_message: p.first_message,
            most_streams: p.limits.streams as usize,
            memory: p.limits.memory(p.send_buffer),
            most_parity: p.limits.parity,
            quiet: p.limits.quiet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_survive_their_own_text() {
        let written = serde_json::to_value(OctopusParameters::default()).unwrap();
        assert_eq!(
            serde_json::from_value::<OctopusParameters>(written).unwrap(),
            OctopusParameters::default()
        );
        assert_eq!(OctopusParameters::default().validate(), Ok(()));
    }

    #[test]
    fn invalid_parameters_are_refused_with_the_valid_range() {
        let refuse = |json: Value, hint: &str| {
            let parameters: OctopusParameters = serde_json::from_value(json).unwrap();
            let files = |name: &str| Err(format!("there is no file `{name}`"));
            let controller = || parameters.controller(&parameters.path_context(None, &files)).map(drop);
            let message = parameters.validate().and_then(|()| controller()).unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        };
        refuse(serde_json::json!({"mss": 63}), "64 to 65000");
        refuse(serde_json::json!({"congestion": "bbq"}), "bbr");
        refuse(serde_json::json!({"congestion_parameters": {"window_gain": 0.5}}), "window_gain");
        refuse(
            serde_json::json!({"congestion": {"kind": "bbr", "window_gain": 0.5}}),
            "congestion.window_gain: ",
        );
        refuse(serde_json::json!({"send_buffer": "100 B"}), "at least one packet");
        refuse(serde_json::json!({"parity": -0.1}), "0 to 10");
        refuse(serde_json::json!({"ack_every": 0}), "acknowledges each");
        refuse(serde_json::json!({"first_message": 1u32 << 29}), "2^29");
        refuse(serde_json::json!({"pacing_gain": 0.5}), "0 (no pacing)");
        refuse(serde_json::json!({"limits": {"streams": 0}}), "limits.streams");
        refuse(serde_json::json!({"limits": {"memory": "100 B"}}), "limits.memory");
        refuse(serde_json::json!({"limits": {"quiet": "0 ms"}}), "limits.quiet");
    }

    #[test]
    fn policies_are_written_in_words() {
        let read = |text: &str| serde_json::from_str::<Repair>(text);
        assert_eq!(read("\"while-fresh\"").unwrap(), Repair::WhileFresh);
        assert!(read("\"sometimes\"").unwrap_err().to_string().contains("retransmit"));
    }
}
