//! What dropped packets carried, against what their senders put on the wire: the expectation is made of the bytes of each packet as a
//! tap at its sender's link saw them, without the recorder of provenance.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::{Duration, Time};
use jettison_measure::{Content, Decision, Outcome, RunRecord, UnitKind, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sim::Tap;
use jettison_wire::{
    Body, OctopusHeader, Packet, PacketKind, SequenceHeader, TcpFlags, TcpHeader, Transport,
};

use super::shipped::QUICK;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Both hosts have fast links of their own, so that what they send is seen before anything drops it.
const PATH: &str = r#"
name = "identities"
duration = "DURATION"
seeds = 1
[nodes]
s = { kind = "host" }
r1 = { kind = "router" }
r2 = { kind = "router" }
c = { kind = "host" }
[links.access]
between = ["s", "r1"]
rate = "1 Gbit/s"
delay = "1 ms"
[links.bottleneck]
between = ["r1", "r2"]
rate = "3 Mbit/s"
delay = "10 ms"
loss = 0.03
reverse = { loss = LOSS_BACK }
queue = { kind = "tail-drop", limit = "8 packets" }
[links.home]
between = ["r2", "c"]
rate = "1 Gbit/s"
delay = "1 ms"
[flows.cross]
from = "s"
to = "c"
transport = "udp"
app = { kind = "on-off", rate = "2.5 Mbit/s" }
[flows.f]
from = "s"
to = "c"
"#;

/// Packets as their senders' links sent them.
#[derive(Clone, Default)]
struct Sent(Arc<Mutex<Vec<Packet>>>);

impl Tap for Sent {
    fn transmitted(&mut self, direction: &str, packet: &Packet, _: Time) {
        if matches!(direction, "access.forward" | "home.reverse") {
            self.0.lock().expect("no test panics meanwhile").push(packet.clone());
        }
    }
}

/// The decisions about a flow's packets, and all packets that its ends sent, in order.
struct Run {
    decisions: Vec<Decision>,
    sent: Vec<Packet>,
}

fn run(duration: &str, rest: &str) -> Run {
    run_with("0.03", duration, rest)
}

/// The same, with another share of losses on the way back.
fn run_with(loss_back: &str, duration: &str, rest: &str) -> Run {
    let text = PATH.replace("DURATION", duration).replace("LOSS_BACK", loss_back) + rest;
    run_text(&text)
}

fn run_text(text: &str) -> Run {
    let builder = Builder::standard();
    let scenario = Scenario::parse(text, "test", &NoFiles, &Changes::default(), &builder.registries())
        .unwrap_or_else(|error| panic!("{error}"));
    let settings = &scenario.variants[0].settings;
    let options = BuildOptions { tap_all: true, ..BuildOptions::default() };
    let mut world = builder.build(settings, &scenario.contents, 1, &options).expect("it can be built");
    let sent = Sent::default();
    world.set_tap(Box::new(sent.clone()));
    world.run(Time::ZERO + settings.duration, &NEVER);
    let record = world.finish();
    let own = record.objects.iter().find(|object| object.name == "f").expect("the flow is recorded").id.index;
    let mut decisions = record.drops.to_vec().expect("the log is readable");
    assert!((0..).zip(&decisions).all(|(id, decision)| decision.id == id), "numbered in order, from 0");
    decisions.retain(|decision| decision.flow.0 == own);
    let mut sent = std::mem::take(&mut *sent.0.lock().expect("no test panics"));
    sent.retain(|packet| packet.meta.flow.0 == own);
    Run { decisions, sent }
}

/// Kind, number, part, and place of the first byte.
type Expected = (UnitKind, u64, u32, u64);

impl Run {
    /// Compares the content of each dropped packet; returns how many had a unit, by kind.
    #[track_caller]
    fn check(&self, expected: &HashMap<u32, Expected>) -> BTreeMap<&'static str, usize> {
        let mut found = BTreeMap::new();
        assert!(self.decisions.len() > 3, "little was dropped: {}", self.decisions.len());
        for decision in &self.decisions {
            let identity = decision.identity.as_ref().expect("identities are recorded");
            let unit = identity.content.and_then(|content| {
                let unit = content.unit?;
                assert_eq!(unit.flow, decision.flow);
                Some((unit.kind, unit.number, unit.part, content.offset))
            });
            assert_eq!(unit.as_ref(), expected.get(&identity.packet), "packet {}", identity.packet);
            if let Some((kind, ..)) = unit {
                *found.entry(kind.name()).or_default() += 1;
            }
        }
        found
    }

    /// The expectation of each packet by its inline bytes, of datagrams of one kind in each direction.
    fn by_head(&self, of: impl Fn(&[u8], bool, &Packet) -> Option<Expected>) -> HashMap<u32, Expected> {
        let first = self.sent[0].headers().expect("it is modelled").src;
        let own = self.sent.iter().filter_map(|packet| {
            let headers = packet.headers()?;
            let bytes = match &headers.transport {
                Transport::Udp(udp) => udp.inline,
                Transport::Icmp(icmp) => icmp.inline,
                Transport::Tcp(_) => return None,
            };
            Some((packet.meta.id, of(bytes.as_slice(), headers.src == first, packet)?))
        });
        own.collect()
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[test]
fn datagrams_are_known_by_their_numbers() {
    use UnitKind::{Command, Datagram, Echo, Sample, Update};
    let app = |app: &str| format!("transport = \"udp\"\napp = {app}\n");
    for (text, kinds) in [
        (app(r#"{ kind = "cbr", rate = "1 Mbit/s" }"#), [Datagram, Datagram]),
        (app(r#"{ kind = "on-off", rate = "2 Mbit/s" }"#), [Datagram, Datagram]),
        (app(r#""haptic""#), [Sample, Sample]),
        // The player is at the other end, and sends first.
        (app(r#""game""#), [Command, Update]),
        ("app = { kind = \"ping\", interval = \"10 ms\", protocol = \"udp\" }\n".to_owned(), [Echo, Echo]),
    ] {
        let run = run("6 s", &text);
        let expected = run
            .by_head(|bytes, is_first, _| Some((kinds[usize::from(!is_first)], number(&bytes[..8]), 0, 0)));
        let found = run.check(&expected);
        assert!(kinds.iter().all(|kind| found[kind.name()] > 1), "{text}: {found:?}");
    }
}

#[test]
fn echo_requests_and_replies_have_one_number() {
    let run = run("6 s", "app = { kind = \"ping\", interval = \"10 ms\" }\n");
    let expected = run.by_head(|_, _, packet| match &packet.headers()?.transport {
        Transport::Icmp(echo) => Some((UnitKind::Echo, u64::from(echo.sequence), 0, 0)),
        _ => None,
    });
    assert!(run.check(&expected)["echo"] > 10);
}

#[test]
fn packets_of_a_conference_are_known_by_their_frames() {
    for adapt in ["none", "on-loss", "scream"] {
        let app = format!(
            "transport = \"udp\"\napp = {{ kind = \"conference\", rate = \"1 Mbit/s\", report = \"50 ms\", adapt = \"{adapt}\" }}\n"
        );
        let run = run("10 s", &app);
        let mut reports = 0;
        let mut ends: HashMap<u64, u64> = HashMap::new();
        // The packets of a frame are sent in order, one after the other.
        let mut expected: HashMap<u32, Expected> = HashMap::new();
        for packet in &run.sent {
            let headers = packet.headers().expect("it is modelled");
            let Transport::Udp(udp) = &headers.transport else { panic!("datagrams alone") };
            let of = if headers.src == run.sent[0].headers().expect("it is modelled").src {
                let frame = number(&udp.inline.as_slice()[16..20]);
                let end = ends.entry(frame).or_default();
                let place = *end;
                *end += packet.payload_length() as u64;
                (UnitKind::Frame, frame, 0, place)
            } else {
                reports += 1;
                (UnitKind::Report, reports - 1, 0, 0)
            };
            expected.insert(packet.meta.id, of);
        }
        let found = run.check(&expected);
        assert!(found["frame"] > 5, "{found:?}");
        assert_eq!(adapt != "none", found.contains_key("report"), "{found:?}");
    }
}

#[test]
fn packets_of_a_webrtc_call_are_known_by_their_frames() {
    let run = run("10 s", "transport = \"udp\"\napp = { kind = \"webrtc\", fec = true }\n");
    let caller = run.sent[0].headers().expect("it is modelled").src;
    let (mut reports, mut counts) = (0, [0; 4]);
    let (mut ends, mut places): (HashMap<u64, u64>, HashMap<(u64, u16), u64>) = Default::default();
    let mut expected: HashMap<u32, Expected> = HashMap::new();
    for packet in &run.sent {
        let headers = packet.headers().expect("it is modelled");
        let Transport::Udp(udp) = &headers.transport else { panic!("datagrams alone") };
        let bytes = udp.inline.as_slice();
        let of = if headers.src == caller {
            let kind = usize::from((bytes[1] & 0x7f) - 96);
            let (frame, place) = (number(&bytes[24..28]), u16::from_be_bytes([bytes[30], bytes[31]]));
            counts[kind] += 1;
            match kind {
                0 => {
                    let end = ends.entry(frame).or_default();
                    places.insert((frame, place), *end);
                    let offset = *end;
                    *end += packet.payload_length() as u64;
                    (UnitKind::Frame, frame, 0, offset)
                }
                // Sent again: where it was at first.
                1 => (UnitKind::Frame, frame, 0, places[&(frame, place)]),
                // Parity and padding are of no frame.
                _ => continue,
            }
        } else {
            reports += 1;
            (UnitKind::Report, reports - 1, 0, 0)
        };
        expected.insert(packet.meta.id, of);
    }
    let found = run.check(&expected);
    assert!(found["frame"] > 5 && found["report"] > 5, "{found:?}");
    assert!(counts[3] > 0, "probes have padding: {counts:?}");
}

#[test]
fn packets_of_messages_are_known_by_frame_and_layer_and_name_the_packet_before() {
    let transport = r#"transport = { kind = "octopus", repair = "while-fresh", congestion = "gcc" }"#;
    let encoder = r#"app = { kind = "spatial-video", encoder = "svc-spatial" }"#;
    let run = run("12 s", &format!("{transport}\n{encoder}\n"));
    // Of each message its frame and layer, and of each of its packets the last with it.
    let (mut messages, mut sizes, mut last) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut previous = HashMap::new();
    let expected = run.by_head(|bytes, _, _| {
        let header = SequenceHeader::parse(bytes).filter(|header| header.kind == PacketKind::Data)?;
        let label = OctopusHeader::parse(&bytes[OctopusHeader::OFFSET..]).expect("data has a label");
        Some((
            UnitKind::Message,
            u64::from(label.message.get()),
            u32::from(label.stream),
            u64::from(header.index),
        ))
    });
    let mut by_packet = HashMap::new();
    for packet in &run.sent {
        let Some((_, message, stream, index)) = expected.get(&packet.meta.id).copied() else { continue };
        let Transport::Udp(udp) = &packet.headers().expect("it is modelled").transport else { continue };
        let bytes = udp.inline.as_slice();
        let headers = OctopusHeader::OFFSET + OctopusHeader::LENGTH;
        let key = (stream, message);
        if index == 0 {
            let head = &bytes[headers..];
            let part = u32::from(head[4]) | u32::from(head[5]) << 8;
            messages.insert(key, (number(&head[..4]), part));
            sizes.insert(key, (packet.payload_length() - headers) as u64);
        }
        if let Some(before) = last.insert((key, index), packet.meta.id) {
            previous.insert(packet.meta.id, before);
        }
        let (frame, part) = messages[&key];
        let of = (UnitKind::Message, frame, part, index * sizes[&key]);
        by_packet.insert(packet.meta.id, of);
    }
    let found = run.check(&by_packet);
    assert!(found["message"] > 20, "{found:?}");
    assert!(messages.values().map(|(_, part)| part).collect::<HashSet<_>>().len() > 1, "several layers");
    let mut repeated = 0;
    for decision in &run.decisions {
        let identity = decision.identity.as_ref().expect("identities are recorded");
        if let Some(content) = identity.content {
            assert_eq!(
                content.previous,
                previous.get(&identity.packet).copied(),
                "packet {}",
                identity.packet
            );
            assert_eq!(content.retransmission, content.previous.is_some());
            repeated += usize::from(content.retransmission);
        }
    }
    assert!(previous.len() > 20 && repeated > 0, "{} {repeated}", previous.len());
}

/// A TCP stream as it was sent: sequence number of its first byte, spans of units, and of each offset the last packet with it.
#[derive(Default)]
struct Stream {
    first: u32,
    last: HashMap<u64, u32>,
    /// Start and end of what the application wrote as one, in order.
    spans: Vec<(u64, u64)>,
}

type StreamKey = (u16, u16);

fn tcp(packet: &Packet) -> Option<(&TcpHeader, StreamKey)> {
    match &packet.headers()?.transport {
        Transport::Tcp(tcp) => Some((tcp, (tcp.src_port, tcp.dst_port))),
        _ => None,
    }
}

/// The real bytes of a packet's payload.
fn payload(packet: &Packet) -> Option<&[u8]> {
    match &packet.body {
        Body::Payload(own) => Some(&own.payload),
        _ => None,
    }
}

impl Run {
    /// Checks places, retransmissions and previous packets of all dropped segments. Calls `each` with each first transmission:
    /// its stream's number in the order of the connections' beginnings, its key, its place, and the packet.
    fn check_segments(
        &self,
        mut each: impl FnMut(&mut Stream, StreamKey, u64, &Packet),
    ) -> BTreeMap<StreamKey, Stream> {
        let mut streams: BTreeMap<StreamKey, Stream> = BTreeMap::new();
        let mut contents: HashMap<u32, (u64, Option<u32>)> = HashMap::new();
        for packet in &self.sent {
            let Some((header, key)) = tcp(packet) else { continue };
            let stream = streams.entry(key).or_default();
            if header.flags.contains(TcpFlags::SYN) {
                stream.first = header.seq.wrapping_add(1);
            }
            if packet.payload_length() == 0 {
                continue;
            }
            let offset = u64::from(header.seq.wrapping_sub(stream.first));
            let before = stream.last.insert(offset, packet.meta.id);
            contents.insert(packet.meta.id, (offset, before));
            if before.is_none() {
                each(stream, key, offset, packet);
            }
        }
        let mut repeated = 0;
        for decision in &self.decisions {
            let identity = decision.identity.as_ref().expect("identities are recorded");
            let place = identity.content.map(|content: Content| {
                assert_eq!(content.retransmission, content.previous.is_some());
                repeated += usize::from(content.retransmission);
                (content.offset, content.previous)
            });
            assert_eq!(place, contents.get(&identity.packet).copied(), "packet {}", identity.packet);
        }
        assert!(repeated > 0, "no retransmission was dropped, so nothing is compared");
        streams
    }

    /// Compares the units of dropped segments with `expected`, by stream and place in the list of its spans.
    #[track_caller]
    fn check_units(
        &self,
        streams: &BTreeMap<StreamKey, Stream>,
        expected: impl Fn(StreamKey, usize) -> Option<(UnitKind, u64, u32)>,
    ) -> BTreeMap<&'static str, usize> {
        let keys: HashMap<u32, StreamKey> =
            self.sent.iter().filter_map(|packet| Some((packet.meta.id, tcp(packet)?.1))).collect();
        let mut found = BTreeMap::new();
        for decision in &self.decisions {
            let Some(identity) = &decision.identity else { continue };
            let (Some(content), Some(key)) = (identity.content, keys.get(&identity.packet)) else { continue };
            let spans = &streams[key].spans;
            let at = spans.iter().position(|(start, end)| (*start..*end).contains(&content.offset));
            let expected = at.and_then(|at| expected(*key, at));
            let unit = content.unit.map(|unit| (unit.kind, unit.number, unit.part));
            assert_eq!(unit, expected, "packet {} at {}", identity.packet, content.offset);
            if let Some((kind, ..)) = unit {
                *found.entry(kind.name()).or_default() += 1;
            }
        }
        found
    }
}

#[test]
fn segments_of_a_bulk_transfer_have_their_place_and_the_packet_before() {
    let run = run("20 s", "transport = \"tcp\"\napp = \"bulk\"\n");
    let streams = run.check_segments(|_, _, _, _| {});
    assert!(run.check_units(&streams, |_, _| None).is_empty());
}

#[test]
fn segments_of_a_load_and_transfers_are_known_by_their_numbers() {
    let run_segments = run(
        "20 s",
        "transport = \"tcp\"\napp = { kind = \"segments\", size = \"200 kB\", interval = \"1 s\" }\n",
    );
    let mut streams = run_segments.check_segments(|_, _, _, _| {});
    for stream in streams.values_mut() {
        stream.spans = (0..100).map(|number| (200_000 * number, 200_000 * (number + 1))).collect();
    }
    let found = run_segments.check_units(&streams, |_, at| Some((UnitKind::Segment, at as u64 + 1, 0)));
    assert!(found["segment"] > 20, "{found:?}");

    let app =
        "transport = \"tcp\"\napp = { kind = \"web\", transfers_per_second = 5, max_size = \"100 kB\" }\n";
    let run_web = run("20 s", app);
    // The connections' clients count their ports up.
    let mut streams = run_web.check_segments(|_, _, _, _| {});
    streams.values_mut().for_each(|stream| stream.spans.push((0, u64::MAX)));
    let first =
        streams.keys().map(|(port, _)| *port).filter(|port| *port >= 49_152).min().expect("there is one");
    let found = run_web.check_units(&streams, |(from, _), _| {
        Some((UnitKind::Response, u64::from(from.checked_sub(first)?), 0))
    });
    assert!(found["response"] > 20, "{found:?}");
}

#[test]
fn video_over_tcp_is_known_by_its_messages() {
    let run =
        run("20 s", "transport = \"tcp\"\napp = { kind = \"spatial-video\", encoder = \"svc-spatial\" }\n");
    let mut heads = Vec::new();
    let mut next = 0;
    let streams = run.check_segments(|stream, _, offset, packet| {
        // Only the front of a message is of real bytes, and it is a segment's beginning.
        if let Some(bytes) = payload(packet).filter(|_| offset == next) {
            next = offset + 4 + number(&bytes[..4]);
            stream.spans.push((offset, next));
            heads.push((number(&bytes[4..8]), u32::from(bytes[8]) | u32::from(bytes[9]) << 8));
        }
    });
    let found = run.check_units(&streams, |_, at| Some((UnitKind::Message, heads[at].0, heads[at].1)));
    assert!(found["message"] > 20, "{found:?}");
}

/// The number after a field's name in a head.
fn field(head: &str, name: &str) -> u64 {
    let at = head.find(name).expect("the field is there") + name.len();
    head[at..]
        .trim_start()
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number")
}

#[test]
fn segments_of_dash_are_known_by_their_requests() {
    for connections in ["persistent", "per-segment"] {
        let player = format!("player = {{ abr = \"bba\", connections = \"{connections}\" }}");
        let app = format!("transport = \"tcp\"\napp = {{ kind = \"dash\", {player} }}\n");
        // Many requests are lost.
        let run = run_with("0.3", "60 s", &app);
        // What each client's port asked for, in order, and how many requests had been written when.
        let mut asked: HashMap<u16, Vec<(u64, u32)>> = HashMap::new();
        let streams = run.check_segments(|stream, (from, _), offset, packet| {
            let Some(text) = payload(packet).and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
                return;
            };
            if let Some(path) = text.strip_prefix("GET /").and_then(|rest| rest.split(' ').next()) {
                let steps: Vec<&str> = path.split('/').collect();
                let of = match steps[..] {
                    [_, kind, representation, file] => {
                        let number = file.strip_suffix(".m4s").map_or(0, |n| n.parse().expect("a number"));
                        let audio = if kind == "audio" { 65_536 } else { 0 };
                        (number, representation.parse::<u32>().expect("an index") + audio)
                    }
                    _ => (0, 131_072),
                };
                asked.entry(from).or_default().push(of);
                stream.spans.push((offset, offset + text.len() as u64));
            } else if text.starts_with("HTTP/1.1 200") {
                let head = text.find("\r\n\r\n").expect("a head is in one segment") + 4;
                stream.spans.push((offset, offset + head as u64 + field(text, "Content-Length:")));
            }
        });
        let found = run.check_units(&streams, |(from, to), at| {
            let is_request = asked.contains_key(&from);
            let (number, part) = asked.get(if is_request { &from } else { &to })?[at];
            let kind = match part {
                _ if is_request => UnitKind::Request,
                131_072 => UnitKind::Manifest,
                _ => UnitKind::Segment,
            };
            Some((kind, number, part))
        });
        assert!(found.get("segment") > Some(&20) && found.contains_key("request"), "{found:?}");
    }
}

#[test]
fn dash_over_http_2_and_many_players_are_told_apart() {
    let of = |app: &str| run("30 s", &format!("transport = \"tcp\"\napp = {app}\n"));
    let shared = of(r#"{ kind = "dash", player = { abr = "bba", connections = "http2" } }"#);
    let units = |run: &Run| -> Vec<_> {
        let identities = run.decisions.iter().filter_map(|decision| decision.identity.as_ref());
        identities.filter_map(|identity| identity.content?.unit).collect()
    };
    let mut numbers: Vec<u64> =
        units(&shared).iter().filter(|unit| unit.kind == UnitKind::Segment).map(|unit| unit.number).collect();
    assert!(numbers.len() > 20 && numbers.iter().all(|number| *number < 20));
    // One segment at a time, so their drops are in order but for retransmissions.
    numbers.dedup();
    assert!(numbers.len() < 20, "{numbers:?}");
    let many = of(
        r#"{ kind = "dash-load", mean = 4, amplitude = 0, period = "20 s", steps = 100, player = { abr = "bba" } }"#,
    );
    let sessions: HashSet<u32> = units(&many)
        .iter()
        .filter(|unit| unit.kind == UnitKind::Segment)
        .map(|unit| unit.session())
        .collect();
    assert!(sessions.len() > 1 && !sessions.contains(&0), "{sessions:?}");
}

#[test]
fn objects_of_pages_are_known_by_what_was_asked_for() {
    let app = r#"{ kind = "page", objects = 12, object = "20 kB", think = "500 ms", connections = 3 }"#;
    let text = PATH.replace("DURATION", "30 s").replace("LOSS_BACK", "0.03");
    let text = text + &format!("transport = \"tcp\"\napp = {app}\n");
    check_objects(&run_text(&text));
    // The router beside the reader translates addresses and ports, so that half of the drops have those.
    let plain = "r2 = { kind = \"router\" }";
    assert!(text.contains(plain));
    let translated = "r2 = { kind = \"router\", nat = { inside = [\"home\"] } }";
    check_objects(&run_text(&text.replace(plain, translated)));
}

fn check_objects(run: &Run) {
    let streams = run.check_segments(|stream, _, offset, packet| {
        // A request begins with eight bytes, the size of its answer.
        if let Some(bytes) = payload(packet).filter(|_| packet.payload_length() >= 8) {
            stream.spans.push((offset, number(&bytes[..8])));
        }
    });
    // Answers follow each other: by the sizes that were asked for on the other direction.
    let answers: BTreeMap<StreamKey, Vec<(u64, u64)>> = streams
        .iter()
        .map(|((from, to), stream)| {
            let mut end = 0;
            let spans = stream.spans.iter().map(|(_, size)| {
                end += size;
                (end - size, end)
            });
            ((*to, *from), spans.collect())
        })
        .collect();
    let keys: HashMap<u32, StreamKey> =
        run.sent.iter().filter_map(|packet| Some((packet.meta.id, tcp(packet)?.1))).collect();
    let mut by_answer = HashMap::new();
    for decision in &run.decisions {
        let Some(identity) = &decision.identity else { continue };
        let Some(content) = identity.content else { continue };
        let Some(unit) = content.unit else { panic!("all data of pages is of some unit") };
        if unit.kind == UnitKind::Request {
            continue;
        }
        let key = keys[&identity.packet];
        let at = answers[&key].iter().position(|(start, end)| (*start..*end).contains(&content.offset));
        let at = at.expect("it is within an answer");
        assert_eq!(unit.kind == UnitKind::Handshake, at == 0, "the handshake comes first");
        let known = by_answer.entry((key, at)).or_insert(unit);
        assert_eq!(*known, unit, "one answer is one unit");
        assert!(unit.kind == UnitKind::Handshake || unit.part <= 12);
    }
    let units: HashSet<_> = by_answer.values().collect();
    assert_eq!(units.len(), by_answer.len(), "and another answer is another unit");
    assert!(units.len() > 10, "{}", units.len());
}

/// The record of a variant of a shipped scenario, cut to a second; `None` if it is for live runs alone.
fn record(builder: &Builder, scenario: &Scenario, variant: usize) -> Option<RunRecord> {
    let mut settings = scenario.variants[variant].settings.clone();
    settings.duration = settings.duration.min(Duration::from_secs(1));
    settings.warm_up = Duration::ZERO;
    let world = builder.build(&settings, &scenario.contents, 1, &BuildOptions::default());
    let mut world = match world {
        Err(error) if error.to_string().contains("only `jettison live`") => return None,
        world => world.unwrap_or_else(|error| panic!("{error}")),
    };
    world.run(Time::ZERO + settings.duration, &NEVER);
    Some(world.finish())
}

#[test]
fn the_flows_that_hold_a_queue_have_all_that_waits_in_every_scenario() {
    let builder = Builder::standard();
    let (mut seen, mut outcomes) = (0, HashSet::new());
    for (number, (path, scenario)) in QUICK.iter().enumerate() {
        // Another variant of each, so that every kind of queue and sender is among them.
        let variant = number % scenario.variants.len();
        let Some(record) = record(&builder, scenario, variant) else { continue };
        let name = format!("{} {}", path.display(), scenario.variants[variant].name);
        for decision in record.drops.iter() {
            let decision = decision.expect("the log is readable");
            let identity = decision.identity.as_ref().unwrap_or_else(|| panic!("{name}: no identity"));
            outcomes.insert(decision.outcome.name());
            let Some(state) = &identity.queue else {
                let is_of_queue = decision.queue != jettison_measure::DropRecord::NO_QUEUE;
                assert!(!is_of_queue, "{name}: {decision:?} has no state");
                continue;
            };
            let held =
                state.holders.iter().map(|(_, packets)| u64::from(*packets)).sum::<u64>() + state.others;
            assert_eq!(held, state.packets, "{name}: {decision:?}");
            if matches!(decision.outcome, Outcome::Evicted(_)) {
                assert!(identity.waited.is_some());
            }
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen}");
    assert!(["drop", "eviction", "mark"].iter().all(|name| outcomes.contains(name)), "{outcomes:?}");
}

#[test]
fn a_run_may_drop_more_than_a_million_packets_and_knows_each() {
    let text = r#"
name = "flood"
duration = "1 s"
[nodes]
s = { kind = "host" }
c = { kind = "host" }
[links.l]
between = ["s", "c"]
rate = "1 Mbit/s"
queue = { kind = "tail-drop", limit = "10 packets" }
[flows.f]
from = "s"
to = "c"
transport = "udp"
app = { kind = "cbr", rate = "1 Gbit/s", payload = "100 B" }
"#;
    let builder = Builder::standard();
    let scenario = Scenario::parse(text, "test", &NoFiles, &Changes::default(), &builder.registries())
        .unwrap_or_else(|error| panic!("{error}"));
    let settings = &scenario.variants[0].settings;
    let options = BuildOptions::default();
    let mut world = builder.build(settings, &scenario.contents, 1, &options).expect("it can be built");
    world.run(Time::ZERO + settings.duration, &NEVER);
    let record = world.finish();
    assert!(record.drops.len() > 1_200_000, "{}", record.drops.len());
    let mut last = None;
    let mut count = 0;
    for (id, decision) in (0..).zip(record.drops.iter()) {
        let decision = decision.expect("the log is readable");
        assert_eq!(decision.id, id);
        let unit = decision.identity.and_then(|identity| identity.content?.unit).expect("it is known");
        // What arrives is missing among the drops, and nothing else.
        assert!(last.is_none_or(|last| unit.number > last));
        last = Some(unit.number);
        count += 1;
    }
    assert_eq!(count, record.drops.len());
    let sent = record.summary_value("f", metrics::SENT).expect("it is counted").mean as u64;
    let received = record.summary_value("f", metrics::RECEIVED).expect("it is counted").mean as u64;
    assert!((sent - count - received) <= 12, "{sent} {count} {received}");
}
