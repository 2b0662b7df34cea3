//! Octopus labels of packets: their own, what a standard carries of them, or those of RTP header extensions.

use jettison_core::{Duration, Rate, Time};
use jettison_octopus::Streams;
use jettison_registry::ParameterError;
use jettison_wire::{OctopusHeader, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::StreamReader;
use crate::reduce::Reducer;
use crate::rtp::RtpHeader;

/// What a discipline sees of the labels that Jettison's own senders write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Labels {
    /// The Octopus header.
    #[default]
    Own,
    /// What a dependency descriptor carries (AV1 RTP specification, appendix A).
    DependencyDescriptor,
    /// A dependency descriptor and WebRTC's video layers allocation.
    DependencyDescriptorAllocation,
    /// Video frame marking in its long form (RFC 9626).
    FrameMarking,
    /// PDU set marking (3GPP TS 26.522).
    PduSet,
    /// MoQ object headers (draft-ietf-moq-transport-19).
    Moq,
}

/// Formats of RTP header extensions that identify frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RtpFormat {
    /// The dependency descriptor (AV1 RTP specification, appendix A).
    DependencyDescriptor,
    /// Video frame marking of scalable streams (RFC 9626 §3.1).
    FrameMarking,
    /// Video frame marking of non-scalable streams (RFC 9626 §3.2).
    FrameMarkingShort,
    /// PDU set marking (3GPP TS 26.522 §4.2).
    PduSet,
}

/// RTP packets whose header extension is their label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Classify {
    /// Format of the extension.
    pub format: RtpFormat,
    /// Identifier of the extension in `a=extmap`, 1 to 255 (RFC 8285).
    pub extension: u8,
    /// Identifier of the video layers allocation, whose bitrates become bitrate thresholds. Unset: not read.
    #[serde(default)]
    pub allocation: Option<u8>,
    /// UDP ports, source or destination, that carry the RTP packets. Unset: all, as RTP ports are usually chosen by the system.
    #[serde(default)]
    pub ports: Option<Vec<u16>>,
}

/// Which frames make older ones obsolete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Droppers {
    /// Those that the format shows not to need the older ones; none with formats that do not say so (PDU sets).
    #[default]
    AsLabelled,
    /// As labelled, and each other frame makes older frames of lower importance obsolete.
    Layers,
    /// None.
    None,
}

/// Values of an Octopus label for which a format has no field.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct Missing {
    /// Frames that make older ones obsolete: `as-labelled` (those that the format shows not to need them), `layers` (also each
    /// other frame, for those of lower importance) or `none`.
    pub droppers: Droppers,
    /// Time that a frame may wait before it may be dropped; at most 511 ms.
    pub slack: Duration,
    /// Bitrate threshold of each priority, highest priority first: a frame is obsolete while its stream has less bandwidth.
    /// Priorities without an entry have none.
    pub bitrates: Vec<Rate>,
    /// Priority of frames whose sender gave none (PSI 0), 0 (highest) to 7.
    pub priority: u8,
}

/// Where a discipline's labels come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelSource {
    /// What is seen of own labels.
    pub labels: Labels,
    /// RTP packets instead.
    pub classify: Option<Classify>,
    /// Values without a field.
    pub missing: Missing,
}

impl LabelSource {
    /// Checks the ranges; errors name the keys `labels`, `classify` and `missing`.
    ///
    /// # Errors
    /// If a value is out of range, or both own labels and RTP packets are chosen.
    pub fn check(&self) -> Result<(), ParameterError> {
        if let Some(classify) = &self.classify {
            ParameterError::unless(self.labels == Labels::Own, "labels", || {
                "must be left out beside `classify`, which reads the labels of RTP packets".to_owned()
            })?;
            classify.check().map_err(|error| error.under("classify"))?;
        }
        self.missing.check().map_err(|error| error.under("missing"))
    }
}

impl Classify {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(self.extension > 0, "extension", "be in [1, 255]", self.extension)?;
        let differs = self.allocation.is_none_or(|allocation| allocation > 0 && allocation != self.extension);
        ParameterError::require(
            differs,
            "allocation",
            "be in [1, 255] and differ from `extension`",
            self.allocation.unwrap_or_default(),
        )?;
        let ports = self.ports.as_deref();
        let valid = ports.is_none_or(|ports| !ports.is_empty() && !ports.contains(&0));
        ParameterError::unless(valid, "ports", || {
            format!("must be one or more UDP ports in [1, 65535], got {:?}", ports.unwrap_or_default())
        })
    }
}

impl Missing {
    fn check(&self) -> Result<(), ParameterError> {
        let most = Duration::from_millis(u64::from(OctopusHeader::MAX_SLACK));
        ParameterError::require(self.slack <= most, "slack", "be <= 511 ms", self.slack)?;
        let (count, levels) = (self.bitrates.len(), OctopusHeader::LEVELS);
        ParameterError::require(
            count <= levels,
            "bitrates",
            "have at most 8 entries, one per priority",
            count,
        )?;
        let most = Rate::from_kbit(u64::from(OctopusHeader::MAX_BITRATE));
        let above = self.bitrates.iter().find(|rate| **rate > most);
        ParameterError::unless(above.is_none(), "bitrates", || {
            format!("must be at most {most} each, got {}", above.copied().unwrap_or_default())
        })?;
        let priority = usize::from(self.priority);
        ParameterError::require(priority < levels, "priority", "be in [0, 7]", priority)
    }
}

/// Makes Octopus labels of a discipline's packets.
#[derive(Debug, Clone)]
pub struct Classifier {
    source: LabelSource,
    /// Ports of Octopus traffic.
    ports: Vec<u16>,
    streams: Streams<Stream>,
}

/// State of one stream.
#[derive(Debug, Clone, Default)]
struct Stream {
    reader: StreamReader,
    /// The sender that writes a standard's labels in place of the own ones.
    reducer: Reducer,
}

impl Classifier {
    /// Creates a classifier for Octopus traffic on `ports`, or RTP traffic. `seed` seeds the hash of the table of streams, which
    /// has room for `most` streams.
    ///
    /// # Errors
    /// If a value of `source` is out of range.
    pub fn new(
        source: LabelSource,
        ports: Vec<u16>,
        seed: u64,
        most: usize,
    ) -> Result<Classifier, ParameterError> {
        source.check()?;
        Ok(Classifier { source, ports, streams: Streams::new(seed, most) })
    }

    /// The label of a packet that arrives at `now`; `None`: other traffic.
    #[inline]
    pub fn label(&mut self, packet: &Packet, now: Time) -> Option<OctopusHeader> {
        match (&self.source.classify, self.source.labels) {
            (None, Labels::Own) => OctopusHeader::of_packet(packet, &self.ports),
            (None, _) => self.reduced(packet, now),
            (Some(_), _) => self.rtp(packet, now),
        }
    }

    /// What a standard carries of a packet's own label.
    fn reduced(&mut self, packet: &Packet, now: Time) -> Option<OctopusHeader> {
        let own = OctopusHeader::of_packet(packet, &self.ports)?;
        let slot = self.streams.touch(packet, own.stream, now)?;
        let Stream { reader, reducer } = self.streams.state(slot);
        let label = reducer.reduce(self.source.labels, &own, reader).ok()?;
        Some(label.header(&self.source.missing, own.stream))
    }

    /// The label of an RTP packet.
    fn rtp(&mut self, packet: &Packet, now: Time) -> Option<OctopusHeader> {
        let classify = self.source.classify.as_ref()?;
        let (src_port, dst_port, payload) = packet.udp()?;
        let is_port = |ports: &Vec<u16>| ports.contains(&src_port) || ports.contains(&dst_port);
        if !RtpHeader::is_rtp(payload) || !classify.ports.as_ref().is_none_or(is_port) {
            return None;
        }
        let (header, _) = RtpHeader::parse(payload).ok()?;
        // Audio has no label: it takes no place in the table.
        header.extensions.get(classify.extension)?;
        let stream = fold(header.ssrc);
        let slot = self.streams.touch(packet, stream, now)?;
        let label = self.streams.state(slot).reader.rtp(&header, classify)?.ok()?;
        Some(label.header(&self.source.missing, stream))
    }
}

/// Streams have 16 bits in a label: two of one flow's sources collide with a probability of 2^-16.
fn fold(ssrc: u32) -> u16 {
    (ssrc >> 16) as u16 ^ ssrc as u16
}

#[cfg(test)]
mod tests;
