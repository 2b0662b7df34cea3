//! What a scenario may say of the message transport, and the checked form that an endpoint works with.

use std::cell::Cell;
use std::sync::Arc;

use jettison_core::{Bytes, Duration, RandomStream};
use jettison_octopus::VerdictOptions;
use jettison_wire::{MessageNumber, OctopusHeader, SequenceHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::path::{PathContext, PathController, build_path_controller};

/// Parameters of an endpoint of the message transport. Both ends have the same.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct OctopusParameters {
    /// Congestion controller, by its id.
    pub congestion: String,
    /// Parameters of that controller.
    pub congestion_parameters: Map<String, Value>,
    /// The trace of the bottleneck that controller `oracle` knows; the others ask for none.
    #[schemars(extend("format" = "input-file"))]
    pub trace: Option<String>,
    /// Message bytes of a full packet, after the transport's 20 bytes of headers: 1452 fills 1,500 bytes of IPv4.
    pub mss: u16,
    /// Initial window in full packets (RFC 9002 §7.2).
    pub initial_window: u32,
    /// RTT that is taken for granted before any is known, for the first probe timeout (RFC 9002 §6.2.2: 333 ms). BBR's first
    /// pacing rate has a parameter of its own.
    pub initial_rtt: Duration,
    /// Bytes that may wait to be sent: nearly 3 s at 12 Mbit/s, and more than any message that one would want to drop as a
    /// whole. A message that finds no room is refused.
    pub send_buffer: Bytes,
    /// Packets received after which an ACK is due (the authors: 1).
    pub ack_every: u32,
    /// Longest delay of an ACK, where not every packet has its own (RFC 9000 §18.2: 25 ms).
    pub max_ack_delay: Duration,
    /// Back-pressure of the sender's own device: so many packets may wait in its queue, and the others stay in the send buffer,
    /// where the verdict reaches them; 0 for no limit.
    pub device_queue: u32,
    /// Whether the send buffer applies the dropping verdict of the routers to messages that have not begun to leave.
    pub adapt: bool,
    /// A dropper may leave although the window is full, where it makes superfluous what is in flight: the router then drops
    /// that, which makes room. At most two windows are in flight so. What the dropper makes superfluous here goes at once,
    /// the rest of a message that has begun to leave included. (Not in the paper, where droppers wait behind what they would
    /// free them of.)
    pub overtake: bool,
    /// In that verdict: drop only messages that have waited their slack (the authors' code; not the paper).
    pub slack: bool,
    /// In that verdict: drop only messages that are there as a whole. In a send buffer all are.
    pub whole_message_only: bool,
    /// What is lost of streams that are not reliable: `none` leaves it lost, `retransmit` sends it again, `while-fresh` does
    /// so while its message is younger than `fresh`. What the dropping verdict has made superfluous is never sent again
    /// (with `adapt`).
    pub repair: Repair,
    /// Age of a message up to which `while-fresh` repairs it: an interactive frame's usual budget.
    pub fresh: Duration,
    /// Times that a lost packet of a stream that is not reliable is sent again (WebRTC's implementation asks ten times).
    pub max_retransmissions: u32,
    /// Forward error correction: parity packets for each data packet of a message, the product rounded up; 0 for none.
    pub parity: f64,
    /// Later packets that arrived after which one is held for lost (RFC 9002 §6.1.1).
    pub packet_threshold: u32,
    /// Round-trip times after which a packet is held for lost once a later one has arrived (RFC 9002 §6.1.2).
    pub time_threshold: f64,
    /// Packets sent at a probe timeout (RFC 9002 §6.2.4: one or two).
    pub probe_packets: u32,
    /// Longest probe timeout, however often it has been doubled. RFC 9002 has none; after an outage, media wants to go on.
    pub max_pto: Duration,
    /// Probe timeouts of time over which everything is lost in persistent congestion (RFC 9002 §7.6.1).
    pub persistent_congestion: u32,
    /// Pacing rate over window/RTT for controllers that have a window only (RFC 9002 §7.7); 0 for no pacing of those.
    pub pacing_gain: f64,
    /// Messages of a stream, from the newest back, that a receiver may hold incomplete: older ones are given up. A reliable
    /// stream's sender begins no message so far ahead of its oldest one.
    pub reassembly: u32,
    /// Differentiated-services code point of every packet, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Sequence number of each end's first packet. There is no handshake: both ends know it.
    pub first_sequence: u32,
    /// Number of each stream's first message, below 2^29.
    pub first_message: u32,
}

/// What is done about losses on streams that are not reliable.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Repair {
    /// What is lost stays lost.
    #[default]
    None,
    /// Lost packets are sent again.
    Retransmit,
    /// Lost packets are sent again while their message is fresh.
    WhileFresh,
}

impl Default for OctopusParameters {
    fn default() -> OctopusParameters {
        OctopusParameters {
            congestion: "bbr".to_owned(),
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
            whole_message_only: false,
            repair: Repair::None,
            fresh: Duration::from_millis(200),
            max_retransmissions: 10,
            parity: 0.0,
            packet_threshold: 3,
            time_threshold: 1.125,
            probe_packets: 2,
            max_pto: Duration::from_secs(1),
            persistent_congestion: 3,
            pacing_gain: 1.25,
            reassembly: 1024,
            dscp: 0,
            first_sequence: 0,
            first_message: 0,
        }
    }
}

/// Bytes of the transport's headers in a data packet.
pub(super) const HEADERS: usize = SequenceHeader::LENGTH + OctopusHeader::LENGTH;

impl OctopusParameters {
    /// Whether the values make sense, the controller's included as far as they do not depend on files; the message says
    /// what would.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_own()?;
        // A controller that names a file is judged where files can be read.
        let asked = Cell::new(false);
        let files = |name: &str| {
            asked.set(true);
            Err(format!("{name} is not read here"))
        };
        match self.controller(&self.path_context(None, &files)) {
            Err(message) if !asked.get() => Err(message),
            _ => Ok(()),
        }
    }

    fn validate_own(&self) -> Result<(), String> {
        let refuse = |wrong: bool, message: String| if wrong { Err(message) } else { Ok(()) };
        refuse(!(64..=65_000).contains(&self.mss), format!("mss is {}: 64 to 65000 bytes", self.mss))?;
        refuse(
            !(1..=100_000).contains(&self.initial_window),
            format!("initial_window is {}: 1 to 100000 packets", self.initial_window),
        )?;
        for (name, time) in [("initial_rtt", self.initial_rtt), ("max_pto", self.max_pto)] {
            refuse(time.is_zero(), format!("{name} is 0: a timeout needs time"))?;
        }
        refuse(
            self.send_buffer.get() < u64::from(self.mss),
            format!("send_buffer is {}: at least one packet of {} bytes", self.send_buffer, self.mss),
        )?;
        refuse(self.ack_every == 0, "ack_every is 0: 1 acknowledges each packet".to_owned())?;
        refuse(
            self.max_ack_delay > Duration::from_secs(10),
            format!("max_ack_delay is {}: at most 10 s", self.max_ack_delay),
        )?;
        refuse(
            !(0.0..=10.0).contains(&self.parity),
            format!("parity is {}: 0 to 10 parity packets a data packet", self.parity),
        )?;
        refuse(
            !(1..=1000).contains(&self.packet_threshold),
            format!("packet_threshold is {}: 1 to 1000 packets", self.packet_threshold),
        )?;
        refuse(
            !(1.0..=10.0).contains(&self.time_threshold),
            format!("time_threshold is {}: 1 to 10 round-trip times", self.time_threshold),
        )?;
        refuse(
            !(1..=2).contains(&self.probe_packets),
            format!("probe_packets is {}: 1 or 2 (RFC 9002 §6.2.4)", self.probe_packets),
        )?;
        refuse(
            !(1..=100).contains(&self.persistent_congestion),
            format!("persistent_congestion is {}: 1 to 100", self.persistent_congestion),
        )?;
        refuse(
            !(self.pacing_gain == 0.0 || (1.0..=100.0).contains(&self.pacing_gain)),
            format!("pacing_gain is {}: 0 for no pacing, or 1 to 100", self.pacing_gain),
        )?;
        refuse(
            !(1..=1 << 20).contains(&self.reassembly),
            format!("reassembly is {}: 1 to 1048576 messages", self.reassembly),
        )?;
        refuse(self.dscp > 63, format!("dscp is {}: a code point is 0 to 63", self.dscp))?;
        refuse(
            self.first_message >> MessageNumber::BITS != 0,
            format!("first_message is {}: below 2^29", self.first_message),
        )
    }

    /// What a path controller is built for; `random` is for those that draw, `files` for those that read a trace.
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
    pub fn controller(&self, context: &PathContext<'_>) -> Result<Box<dyn PathController>, String> {
        let mut own = self.congestion_parameters.clone();
        if let Some(trace) = self.trace.as_ref().filter(|_| self.congestion == "oracle") {
            own.insert("trace".to_owned(), Value::String(trace.clone()));
        }
        if own.is_empty() {
            return build_path_controller(&self.congestion, &Value::Null, context);
        }
        let parameters = Value::Object(own);
        build_path_controller(&self.congestion, &parameters, context)
    }

    /// UDP payload bytes of a full packet.
    pub fn packet_bytes(&self) -> u64 {
        u64::from(self.mss) + HEADERS as u64
    }
}

/// The parameters that the data path reads, flat.
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
    pub verdict: VerdictOptions,
    pub repair: Repair,
    pub fresh: Duration,
    pub max_retransmissions: u32,
    pub parity: f64,
    pub packet_threshold: u64,
    pub time_threshold: f64,
    pub probe_packets: u32,
    pub max_pto: Duration,
    pub persistent_congestion: u32,
    pub pacing_gain: f64,
    pub reassembly: usize,
    pub dscp: u8,
    pub first_sequence: u32,
    pub first_message: u32,
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
            adapt: p.adapt,
            verdict: VerdictOptions { slack: p.slack, whole_message_only: p.whole_message_only },
            repair: p.repair,
            fresh: p.fresh,
            max_retransmissions: p.max_retransmissions,
            parity: p.parity,
            packet_threshold: u64::from(p.packet_threshold),
            time_threshold: p.time_threshold,
            probe_packets: p.probe_packets,
            max_pto: p.max_pto,
            persistent_congestion: p.persistent_congestion,
            pacing_gain: p.pacing_gain,
            reassembly: p.reassembly as usize,
            dscp: p.dscp,
            first_sequence: p.first_sequence,
            first_message: p.first_message,
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
    fn nonsense_is_refused_with_what_would_be_right() {
        let refuse = |json: Value, hint: &str| {
            let parameters: OctopusParameters = serde_json::from_value(json).unwrap();
            let message = parameters.validate().unwrap_err();
            assert!(message.contains(hint), "{message}");
        };
        refuse(serde_json::json!({"mss": 63}), "64 to 65000");
        refuse(serde_json::json!({"congestion": "bbq"}), "bbr");
        refuse(serde_json::json!({"congestion_parameters": {"window_gain": 0.5}}), "window_gain");
        refuse(serde_json::json!({"send_buffer": "100 B"}), "at least one packet");
        refuse(serde_json::json!({"parity": -0.1}), "0 to 10");
        refuse(serde_json::json!({"ack_every": 0}), "acknowledges each");
        refuse(serde_json::json!({"first_message": 1u32 << 29}), "2^29");
        refuse(serde_json::json!({"pacing_gain": 0.5}), "0 for no pacing");
    }

    #[test]
    fn policies_are_written_in_words() {
        let read = |text: &str| serde_json::from_str::<Repair>(text);
        assert_eq!(read("\"while-fresh\"").unwrap(), Repair::WhileFresh);
        assert!(read("\"sometimes\"").unwrap_err().to_string().contains("retransmit"));
    }
}
