//! RTP streams of a capture: extensions found, formats recognised, and what the labels say of each frame.

mod guess;

use std::collections::BTreeMap;

use jettison_core::Time;
use serde::Serialize;

use crate::LabelError;
use crate::classify::{Classify, RtpFormat};
use crate::layers_allocation::LayersAllocation;
use crate::read::{Label, StreamReader};
use crate::rtp::{Extensions, RtpHeader};

/// What an extension carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recognised {
    /// A video layers allocation.
    VideoLayersAllocation,
    /// The label of frames.
    #[serde(untagged)]
    Label(RtpFormat),
}

/// Collects the packets of a capture.
#[derive(Debug, Default)]
pub struct Inspector {
    /// Formats that the caller knows, by extension identifier.
    known: BTreeMap<u8, Recognised>,
    streams: BTreeMap<(String, u32), Vec<Sample>>,
    datagrams: u64,
    truncated: u64,
}

/// An RTP packet.
#[derive(Debug)]
struct Sample {
    at: Time,
    payload_type: u8,
    sequence: u16,
    timestamp: u32,
    marker: bool,
    /// Bytes of the datagram.
    bytes: usize,
    elements: Vec<(u8, Vec<u8>)>,
    error: Option<LabelError>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// UDP datagrams.
    pub datagrams: u64,
    /// RTP packets.
    pub rtp_packets: u64,
    /// RTP packets whose header is cut.
    pub truncated: u64,
    /// The streams, by flow and source.
    pub streams: Vec<Stream>,
}

/// An RTP stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stream {
    /// Addresses and ports, from sender to receiver.
    pub flow: String,
    /// Synchronization source.
    pub ssrc: u32,
    /// Payload types.
    pub payload_types: Vec<u8>,
    /// RTP packets.
    pub packets: u64,
    /// Extensions by identifier.
    pub extensions: Vec<Extension>,
    /// Packets whose extension cannot be read, and what is wrong with the first.
    pub malformed: u64,
    /// The first error.
    pub error: Option<String>,
    /// The frames, in the order in which their first packet was seen. None if no label was recognised.
    pub frames: Vec<Frame>,
}

/// An extension of a stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extension {
    /// Its identifier.
    pub id: u8,
    /// Packets that have it.
    pub packets: u64,
    /// Shortest and longest data in bytes.
    pub lengths: (usize, usize),
    /// Its format, if it was recognised.
    pub format: Option<Recognised>,
}

/// A frame as its labels tell it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Frame {
    /// Arrival of its first packet, in seconds since the capture's first.
    pub at: f64,
    /// RTP timestamp.
    pub timestamp: u32,
    /// Its number in the stream.
    pub number: u32,
    /// Packets seen.
    pub packets: u64,
    /// Bytes of their UDP payloads.
    pub bytes: u64,
    /// Whether its first packet was seen.
    pub start: bool,
    /// Whether its last packet was seen.
    pub end: bool,
    /// Priority of the Octopus label, 0 (highest) to 7; none if the sender gave none.
    pub priority: Option<u8>,
    /// Priority from which on it makes older frames obsolete.
    pub obsoletes: Option<u8>,
    /// Bitrate that its layer requires in kbit/s, from a video layers allocation.
    pub kbit: Option<u64>,
}

impl Inspector {
    /// Starts with the formats of extensions that are known; the others are recognised by their contents.
    pub fn new(known: BTreeMap<u8, Recognised>) -> Inspector {
        Inspector { known, ..Inspector::default() }
    }

    /// Takes the payload of a UDP datagram of `flow`, captured at `at`.
    pub fn datagram(&mut self, at: Time, flow: impl FnOnce() -> String, payload: &[u8]) {
        self.datagrams += 1;
        if !RtpHeader::is_rtp(payload) {
            return;
        }
        let Ok((header, _)) = RtpHeader::parse(payload) else {
            self.truncated += 1;
            return;
        };
        let (elements, error) = elements(header.extensions);
        let sample = Sample {
            at,
            payload_type: header.payload_type,
            sequence: header.sequence,
            timestamp: header.timestamp,
            marker: header.marker,
            bytes: payload.len(),
            elements,
            error,
        };
        self.streams.entry((flow(), header.ssrc)).or_default().push(sample);
    }

    /// Recognises the formats and reads the labels.
    pub fn finish(self) -> Inspection {
        let Inspector { known, streams, datagrams, truncated } = self;
        let rtp_packets = truncated + streams.values().map(|samples| samples.len() as u64).sum::<u64>();
        let streams = streams.into_iter().map(|((flow, ssrc), samples)| stream(flow, ssrc, &samples, &known));
        Inspection { datagrams, rtp_packets, truncated, streams: streams.collect() }
    }
}

fn elements(extensions: Extensions<'_>) -> (Vec<(u8, Vec<u8>)>, Option<LabelError>) {
    let (mut elements, mut error) = (Vec::new(), None);
    for element in extensions.iter() {
        match element {
            Ok(element) => elements.push((element.id, element.data.to_vec())),
            Err(wrong) => error = Some(wrong),
        }
    }
    (elements, error)
}

impl Sample {
    fn element(&self, id: u8) -> Option<&[u8]> {
        self.elements.iter().find(|(own, _)| *own == id).map(|(_, data)| data.as_slice())
    }
}

fn stream(flow: String, ssrc: u32, samples: &[Sample], known: &BTreeMap<u8, Recognised>) -> Stream {
    let mut extensions: BTreeMap<u8, Extension> = BTreeMap::new();
    for (id, data) in samples.iter().flat_map(|sample| &sample.elements) {
        let new = Extension { id: *id, packets: 0, lengths: (data.len(), data.len()), format: None };
        let extension = extensions.entry(*id).or_insert(new);
        extension.packets += 1;
        extension.lengths = (extension.lengths.0.min(data.len()), extension.lengths.1.max(data.len()));
    }
    for extension in extensions.values_mut() {
        extension.format = known.get(&extension.id).copied().or_else(|| guess::format(samples, extension.id));
    }
    let label = extensions.values().find_map(|extension| match extension.format {
        Some(Recognised::Label(format)) => Some((extension.id, format)),
        _ => None,
    });
    let allocation = extensions.values().find(|one| one.format == Some(Recognised::VideoLayersAllocation));
    let allocation = allocation.map(|extension| extension.id);
    let classify = label.map(|(extension, format)| Classify { format, extension, allocation, ports: None });
    let mut errors: Vec<LabelError> = samples.iter().filter_map(|sample| sample.error).collect();
    let frames = classify.map_or_else(Vec::new, |classify| frames(samples, &classify, &mut errors));
    let mut payload_types: Vec<u8> = samples.iter().map(|sample| sample.payload_type).collect();
    payload_types.sort_unstable();
    payload_types.dedup();
    Stream {
        flow,
        ssrc,
        payload_types,
        packets: samples.len() as u64,
        extensions: extensions.into_values().collect(),
        malformed: errors.len() as u64,
        error: errors.first().map(ToString::to_string),
        frames,
    }
}

fn frames(samples: &[Sample], classify: &Classify, errors: &mut Vec<LabelError>) -> Vec<Frame> {
    let mut reader = StreamReader::default();
    let (mut frames, mut places): (Vec<Frame>, BTreeMap<u32, usize>) = (Vec::new(), BTreeMap::new());
    for sample in samples {
        let allocation = classify.allocation.and_then(|id| sample.element(id));
        if let Some(Err(error)) = allocation.map(LayersAllocation::parse) {
            errors.push(error);
        }
        let label = sample.element(classify.extension);
        let label = label.map(|data| reader.read(classify.format, data, allocation, sample.timestamp));
        let label: Label = match label {
            Some(Ok(label)) => label,
            Some(Err(error)) => {
                errors.push(error);
                continue;
            }
            None => continue,
        };
        let at = *places.entry(label.number).or_insert_with(|| {
            frames.push(Frame {
                at: sample.at.as_secs_f64(),
                timestamp: sample.timestamp,
                number: label.number,
                packets: 0,
                bytes: 0,
                start: false,
                end: false,
                priority: label.priority,
                obsoletes: label.obsoletes,
                kbit: label.kbit,
            });
            frames.len() - 1
        });
        let frame = &mut frames[at];
        frame.packets += 1;
        frame.bytes += sample.bytes as u64;
        frame.start |= label.start;
        frame.end |= label.end;
    }
    frames
}

#[cfg(test)]
mod tests;
