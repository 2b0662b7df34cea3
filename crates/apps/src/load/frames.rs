//! Ethernet frames as they are given: own EtherTypes, VLAN tags, anything that a switch may parse.

use jettison_core::{Duration, Time};
use jettison_registry::style::{Line::DashDot, OLIVE};
use jettison_registry::{Entry, ParameterError};
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("frames", "frames", build)
        .style(OLIVE, DashDot)
        .summary("Ethernet frames, given byte by byte or by fields, between hosts with `layer = 2`")
        .source("IEEE 802.3 §3, IEEE 802.1Q §9")
        .page("applications.md")
        .example(|| json!({ "frames": ["ffffffffffff 000000000000 88b5 01"] }))
        .facts(FlowFacts::over(&[]))
}

fn build(
    parameters: FramesParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let FramesParameters { frames, interval, count } = parameters;
    ParameterError::require(!interval.is_zero(), "interval", "be > 0", interval)?;
    if frames.is_empty() {
        return Err(ParameterError::at("frames", "`frames` must have at least one frame"));
    }
    let to = context.hardware.unwrap_or(BROADCAST);
    let mut bytes = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let made = frame.bytes(to).map_err(|(key, message)| {
            let error = match key {
                Some(key) => ParameterError::at(key, message).under(&index.to_string()),
                None => ParameterError::at(&index.to_string(), message),
            };
            error.under("frames")
        })?;
        bytes.push(made.into_boxed_slice());
    }
    let sender = FrameSender { frames: bytes, interval, left: count.unwrap_or(u64::MAX), at: 0, next: None };
    Ok(FlowApplications { from: Box::new(sender), to: Some(Box::new(FrameSink { interval })) })
}

const BROADCAST: [u8; 6] = [0xff; 6];
/// Tag protocol identifier of IEEE 802.1Q.
const VLAN: u16 = 0x8100;
/// Length of an Ethernet header.
const HEADER: usize = 14;
/// Longest frame without frame check sequence: a jumbo frame.
const LONGEST: usize = 9018;

/// Parameters of `frames`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FramesParameters {
    /// The frames, sent in turn: all bytes in hexadecimal, or a table of fields.
    pub frames: Vec<FrameChoice>,
    /// Time between two frames.
    pub interval: Duration,
    /// Number of frames; unset: send until the end of the flow.
    pub count: Option<u64>,
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FrameChoice {
    /// All bytes from the destination address on, in hexadecimal, with spaces or colons between bytes. A source address of zeros
    /// becomes that of the host.
    Bytes(String),
    /// A frame by its fields.
    Fields(FrameFields),
}

/// Fields of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameFields {
    /// Destination hardware address. Default: that of the flow's `to` host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Source hardware address. Default: that of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// VLAN identifier of an IEEE 802.1Q tag. Default: no tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 4094))]
    pub vlan: Option<u16>,
    /// Priority code point of the tag.
    #[serde(default)]
    #[schemars(range(max = 7))]
    pub priority: u8,
    /// EtherType, such as 0x1234.
    pub ether_type: u16,
    /// Payload in hexadecimal.
    #[serde(default)]
    pub payload: String,
    /// Length of the payload in bytes, padded with zeros. Default: as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u16>,
}

impl Default for FramesParameters {
    fn default() -> FramesParameters {
        FramesParameters { frames: Vec::new(), interval: Duration::from_secs(1), count: None }
    }
}

impl FrameChoice {
    /// The bytes of the frame; a source address of zeros stands for the host's. The error has the key, unless it is the whole
    /// frame.
    fn bytes(&self, default_to: [u8; 6]) -> Result<Vec<u8>, (Option<&'static str>, String)> {
        let bytes = match self {
            FrameChoice::Bytes(text) => hexadecimal(text).map_err(|message| (None, message))?,
            FrameChoice::Fields(fields) => {
                fields.bytes(default_to).map_err(|(key, message)| (Some(key), message))?
            }
        };
        if !(HEADER..=LONGEST).contains(&bytes.len()) {
            let message = format!("a frame must have {HEADER} to {LONGEST} bytes, got {}", bytes.len());
            return Err((None, message));
        }
        Ok(bytes)
    }
}

impl FrameFields {
    fn bytes(&self, default_to: [u8; 6]) -> Result<Vec<u8>, (&'static str, String)> {
        let address = |key: &'static str, text: &Option<String>, default: [u8; 6]| {
            text.as_deref()
                .map_or(Ok(default), |text| hardware_address(text).map_err(|message| (key, message)))
        };
        let mut bytes = address("to", &self.to, default_to)?.to_vec();
        bytes.extend_from_slice(&address("from", &self.from, [0; 6])?);
        match self.vlan {
            Some(vlan @ ..=4094) if self.priority <= 7 => {
                bytes.extend_from_slice(&VLAN.to_be_bytes());
                bytes.extend_from_slice(&(u16::from(self.priority) << 13 | vlan).to_be_bytes());
            }
            Some(..=4094) => {
                return Err(("priority", format!("the priority must be 0 to 7, got {}", self.priority)));
            }
            Some(vlan) => return Err(("vlan", format!("the VLAN must be 0 to 4094, got {vlan}"))),
            None if self.priority != 0 => {
                return Err(("priority", "a priority needs a tag: add `vlan = 0`".to_owned()));
            }
            None => {}
        }
        bytes.extend_from_slice(&self.ether_type.to_be_bytes());
        let payload = hexadecimal(&self.payload).map_err(|message| ("payload", message))?;
        let length = self.length.map_or(payload.len(), usize::from);
        if length < payload.len() {
            let message =
                format!("`length` must be at least that of `payload` ({}), got {length}", payload.len());
            return Err(("length", message));
        }
        bytes.extend_from_slice(&payload);
        bytes.resize(bytes.len() + length - payload.len(), 0);
        Ok(bytes)
    }
}

/// Bytes in hexadecimal, with spaces, colons or dashes between them.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text
        .strip_prefix("0x")
        .unwrap_or(text)
        .chars()
        .filter(|c| !(c.is_whitespace() || matches!(c, ':' | '-')))
        .map(|c| c.to_digit(16).map(|digit| digit as u8).ok_or(c))
        .collect::<Result<_, char>>()
        .map_err(|c| format!("bytes must be in hexadecimal, got `{}`", c.escape_default()))?;
    let (pairs, rest) = digits.as_chunks::<2>();
    match rest {
        [] => Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect()),
        _ => Err(format!("bytes must have two hexadecimal digits each, got {} digits", digits.len())),
    }
}

fn hardware_address(text: &str) -> Result<[u8; 6], String> {
    let bytes = hexadecimal(text).ok().filter(|_| text.len() == 17);
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        format!("a hardware address is such as \"02:00:00:00:00:01\", got `{}`", text.escape_default())
    })
}

/// Sends the frames in turn, and counts those of its flow that come back to its host.
#[derive(Debug, Clone)]
struct FrameSender {
    // Parameters.
    frames: Vec<Box<[u8]>>,
    interval: Duration,
    // State.
    left: u64,
    at: usize,
    next: Option<Time>,
}

impl Application for FrameSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        host.capture_frames();
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        // A frame that a switch answers: its round trip.
        if let SocketEvent::Frame { sent_at, .. } = event
            && host.meter().echo_received(number(sent_at, self.interval))
        {
            host.meter().round_trip(now.since(sent_at));
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            if self.left == 0 {
                self.next = None;
                return;
            }
            self.left -= 1;
            host.meter().sent();
            host.send_frame(&self.frames[self.at]);
            self.at = (self.at + 1) % self.frames.len();
            self.next = Some(at + self.interval);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}

/// Counts the frames that arrive, and measures their delays.
#[derive(Debug, Clone)]
struct FrameSink {
    interval: Duration,
}

impl Application for FrameSink {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.capture_frames();
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        if let SocketEvent::Frame { sent_at, length } = event
            && host.meter().received(number(sent_at, self.interval), sent_at, now)
        {
            host.meter().delivered(u64::from(length));
        }
    }
}

/// Number of a frame by its time: the sender sends one in each interval.
fn number(sent_at: Time, interval: Duration) -> u64 {
    sent_at.as_nanos() / interval.as_nanos().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Result<Vec<u8>, (Option<&'static str>, String)> {
        let frame: FrameChoice = serde_json::from_str(json).unwrap();
        frame.bytes([2, 0, 0, 0, 0, 9])
    }

    #[test]
    fn a_frame_by_its_fields_has_the_bytes_of_ieee_802() {
        let plain = fields(r#"{ "ether_type": 4660, "payload": "01 02", "length": 4 }"#).unwrap();
        assert_eq!(plain, [2, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 1, 2, 0, 0]);
        let tagged = r#"{ "to": "ff:ff:ff:ff:ff:ff", "from": "02:00:00:00:00:01", "vlan": 5, "priority": 3, "ether_type": 2048 }"#;
        let tagged = fields(tagged).unwrap();
        assert_eq!(tagged[..6], [0xff; 6]);
        assert_eq!(tagged[6..], [2, 0, 0, 0, 0, 1, 0x81, 0, 0x60, 5, 8, 0]);
    }

    #[test]
    fn wrong_frames_are_refused_with_their_key() {
        for (json, key, message) in [
            (r#""0102""#, None, "14 to 9018 bytes, got 2"),
            (r#""zz""#, None, "hexadecimal, got `z`"),
            (r#""012""#, None, "two hexadecimal digits"),
            (r#"{ "ether_type": 1, "to": "h2" }"#, Some("to"), "a hardware address is such as"),
            (r#"{ "ether_type": 1, "vlan": 4095 }"#, Some("vlan"), "0 to 4094, got 4095"),
            (r#"{ "ether_type": 1, "priority": 1 }"#, Some("priority"), "needs a tag"),
            (r#"{ "ether_type": 1, "payload": "0102", "length": 1 }"#, Some("length"), "at least"),
        ] {
            let (at, text) = fields(json).unwrap_err();
            assert_eq!(at, key, "{json}");
            assert!(text.contains(message), "{json}: {text}");
        }
    }
}
