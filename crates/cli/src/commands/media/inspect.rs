//! `jettison media inspect`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use jettison_input::file;
use jettison_labels::RtpFormat;
use jettison_labels::inspect::{Inspection, Inspector, Recognised, Stream};
use jettison_report::read_capture;
use jettison_wire::{FiveTuple, Packet};

use crate::output::{Failure, print, print_record};

/// Arguments of `media inspect`.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// The capture: Ethernet frames in pcapng or pcap
    file: PathBuf,
    /// Format of a header extension, as a=extmap says it: dependency-descriptor, frame-marking, frame-marking-short, pdu-set or
    /// video-layers-allocation [default: recognised by its contents]
    #[arg(long, value_name = "ID=FORMAT")]
    extension: Vec<Known>,
    /// Frames to print of each stream; `--json` prints all
    #[arg(long, default_value_t = 20)]
    frames: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// An identifier and its format.
#[derive(Debug, Clone, Copy)]
struct Known {
    id: u8,
    format: Recognised,
}

impl FromStr for Known {
    type Err = String;
    fn from_str(text: &str) -> Result<Known, String> {
        let wrong =
            || format!("must be an identifier and a format, such as 4=dependency-descriptor, got `{text}`");
        let (id, format) = text.split_once('=').ok_or_else(wrong)?;
        let id = id.parse().ok().filter(|id| *id > 0).ok_or_else(wrong)?;
        let format = FORMATS.iter().find(|(name, _)| *name == format).ok_or_else(wrong)?.1;
        Ok(Known { id, format })
    }
}

const FORMATS: [(&str, Recognised); 5] = [
    ("dependency-descriptor", Recognised::Label(RtpFormat::DependencyDescriptor)),
    ("frame-marking", Recognised::Label(RtpFormat::FrameMarking)),
    ("frame-marking-short", Recognised::Label(RtpFormat::FrameMarkingShort)),
    ("pdu-set", Recognised::Label(RtpFormat::PduSet)),
    ("video-layers-allocation", Recognised::VideoLayersAllocation),
];

fn name(format: Recognised) -> &'static str {
    FORMATS.iter().find(|(_, known)| *known == format).map_or("", |(name, _)| name)
}

/// Prints what the labels in a capture say.
pub fn inspect(arguments: &InspectArguments) -> Result<(), Failure> {
    let path = arguments.file.display();
    let wrong = |error: &dyn std::fmt::Display| Failure::of(format!("{path}: {error}"));
    let bytes = file::read(&arguments.file, file::DATA).map_err(|error| wrong(&error))?;
    let frames = read_capture(&bytes).map_err(|error| wrong(&error))?;
    let known: BTreeMap<u8, Recognised> =
        arguments.extension.iter().map(|one| (one.id, one.format)).collect();
    let mut inspector = Inspector::new(known);
    for frame in frames {
        let packet = Packet::from_frame(frame.bytes);
        let (Some((src, dst, payload)), Some(tuple)) = (packet.udp(), packet.five_tuple()) else { continue };
        inspector.datagram(frame.at, || flow(&tuple, src, dst), payload);
    }
    let inspection = inspector.finish();
    if arguments.json { print_record(&inspection) } else { print(text(&inspection, arguments.frames)) }
}

fn flow(tuple: &FiveTuple, src: u16, dst: u16) -> String {
    let address = |address: jettison_wire::Address, port: u16| {
        let ip = std::net::Ipv6Addr::from(address.to_u128()).to_canonical();
        std::net::SocketAddr::new(ip, port)
    };
    format!("{} > {}", address(tuple.src, src), address(tuple.dst, dst))
}

fn text(inspection: &Inspection, most: usize) -> String {
    let Inspection { datagrams, rtp_packets, truncated, streams } = inspection;
    let mut out = format!("{datagrams} UDP datagrams, {rtp_packets} of RTP in {} streams", streams.len());
    if *truncated > 0 {
        let _ = write!(out, "; {truncated} RTP headers are truncated");
    }
    out.push('\n');
    for stream in streams {
        describe(&mut out, stream, most);
    }
    out
}

fn describe(out: &mut String, stream: &Stream, most: usize) {
    let types: Vec<_> = stream.payload_types.iter().map(u8::to_string).collect();
    let types = types.join(", ");
    let _ = writeln!(
        out,
        "\n{}  SSRC {:#010x}  payload type {types}  {} packets",
        stream.flow, stream.ssrc, stream.packets
    );
    for extension in &stream.extensions {
        let (shortest, longest) = extension.lengths;
        let length =
            if shortest == longest { shortest.to_string() } else { format!("{shortest} to {longest}") };
        let format = extension.format.map_or("not recognised", name);
        let _ = writeln!(
            out,
            "  extension {}: {format}, {length} bytes, {} packets",
            extension.id, extension.packets
        );
    }
    if let Some(error) = &stream.error {
        let _ = writeln!(out, "  {} extensions cannot be read; the first: {error}", stream.malformed);
    }
    if stream.frames.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "  {:>9} {:>8} {:>10} {:>7} {:>8} {:>8} {:>9} {:>7}  whole",
        "at (s)", "frame", "timestamp", "packets", "bytes", "priority", "obsoletes", "kbit/s"
    );
    let or_dash = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    for frame in stream.frames.iter().take(most) {
        let obsoletes = frame.obsoletes.map_or_else(|| "-".to_owned(), |from| format!(">= {from}"));
        let _ = writeln!(
            out,
            "  {:>9.3} {:>8} {:>10} {:>7} {:>8} {:>8} {obsoletes:>9} {:>7}  {}",
            frame.at,
            frame.number,
            frame.timestamp,
            frame.packets,
            frame.bytes,
            or_dash(frame.priority.map(u64::from)),
            or_dash(frame.kbit),
            if frame.start && frame.end { "yes" } else { "no" }
        );
    }
    if stream.frames.len() > most {
        let _ =
            writeln!(out, "  {} more frames: --frames {}", stream.frames.len() - most, stream.frames.len());
    }
}
