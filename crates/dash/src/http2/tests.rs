//! A client and a server on two ends of one byte stream each way.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_measure::{FlowMeter, Metric};
use jettison_sockets::{ControllerFactory, Datagram, EchoRequest, SocketId, Sockets, TcpOptions};
use jettison_tcp::{Endpoint, Payload, TcpParameters};
use jettison_wire::Address;
use proptest::prelude::*;

use super::fields::{self, Fields};
use super::frames::{self, FrameReader, Piece};
use super::server::Answer;
use super::{Http2Client, Http2Server, PREFACE};
use crate::player::Step;

/// One end's sockets: what it wrote, and what it may read.
#[derive(Default)]
struct End {
    meter: FlowMeter,
    written: VecDeque<Payload>,
    readable: VecDeque<Payload>,
    unsent: u64,
    opened: u64,
    closed: u64,
    aborted: u64,
}

impl Sockets for End {
    fn tcp_connect(&mut self, _: Endpoint, _: &TcpOptions) -> SocketId {
        self.opened += 1;
        SocketId(self.opened)
    }
    fn write(&mut self, _: SocketId, payload: Payload) {
        self.unsent += payload.len();
        self.written.push_back(payload);
    }
    fn read(&mut self, _: SocketId, _: u64) -> Option<Payload> {
        self.readable.pop_front()
    }
    fn count_goodput(&mut self, _: SocketId) {}
    fn unsent(&self, _: SocketId) -> u64 {
        self.unsent
    }
    fn unacknowledged(&self, _: SocketId) -> u64 {
        self.unsent
    }
    fn close(&mut self, _: SocketId) {
        self.closed += 1;
    }
    fn abort(&mut self, _: SocketId) {
        self.aborted += 1;
    }
    fn meter(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }
    fn point(&mut self, _: Metric, _: Time, _: f64) {}
    fn tcp_listen(&mut self, _: u16, _: &TcpOptions) -> SocketId {
        unreachable!("nothing listens here")
    }
    fn observe(&mut self, _: SocketId) {}
    fn udp_bind(&mut self, _: u16) -> SocketId {
        unreachable!("no datagrams here")
    }
    fn send_to(&mut self, _: SocketId, _: Endpoint, _: &Datagram) {}
    fn send_echo(&mut self, _: Address, _: &EchoRequest) {}
}

const SOCKET: SocketId = SocketId(1);

/// A client and a server; `step` carries one write of the server at a time.
struct Pair {
    client: Http2Client,
    server: Option<Http2Server>,
    near: End,
    far: End,
    opening: Vec<u8>,
    lengths: u64,
}

impl Pair {
    fn new(lanes: usize, lengths: u64) -> Pair {
        let parameters = std::sync::Arc::new(TcpParameters::default());
        let shared = std::sync::Arc::clone(&parameters);
        let controller = ControllerFactory::new(move || shared.controller(None).unwrap());
        let server = Endpoint { address: Address::v4(198, 18, 0, 1), port: 80 };
        Pair {
            client: Http2Client::new(server, TcpOptions { parameters, controller }, lanes),
            server: None,
            near: End::default(),
            far: End::default(),
            opening: Vec::new(),
            lengths,
        }
    }

    fn ask(&mut self, lane: usize, path: &str) {
        self.client.ask(lane, path.to_owned(), Time::ZERO, &mut self.near);
        self.carry();
    }

    /// Carries all that the client wrote.
    fn carry(&mut self) {
        let lengths = self.lengths;
        let answer = move |path: &str, _: &mut dyn Sockets| match path {
            "/none" => (Answer { status: 404, length: 0, media_type: "text/plain" }, None),
            _ => (Answer { status: 200, length: lengths, media_type: "video/mp4" }, None),
        };
        while let Some(payload) = self.near.written.pop_front() {
            match &mut self.server {
                Some(server) => server.take(payload, answer, SOCKET, &mut self.far).unwrap(),
                None => {
                    let Payload::Bytes(bytes) = payload else { panic!("a preface is real bytes") };
                    self.opening.extend_from_slice(&bytes);
                    assert_eq!(Http2Server::preface(&self.opening), Some(true));
                    let rest = self.opening.split_off(PREFACE.len());
                    let server = self.server.insert(Http2Server::new(SOCKET, &mut self.far));
                    server.take(Payload::Bytes(rest.into()), answer, SOCKET, &mut self.far).unwrap();
                }
            }
        }
    }

    /// Carries one write of the server, which may then write more; returns what the client makes of it.
    fn step(&mut self) -> Option<Vec<(usize, Step)>> {
        let payload = self.far.written.pop_front()?;
        self.far.unsent -= payload.len();
        if let Some(server) = &mut self.server {
            server.send(SOCKET, &mut self.far);
        }
        self.near.readable.push_back(payload);
        let steps = self.client.read(Time::from_secs(1), &mut self.near);
        self.carry();
        Some(steps)
    }

    /// Carries everything; returns the order of lanes of which content came, and the complete ones.
    fn run(&mut self) -> (Vec<usize>, Vec<(usize, u64)>) {
        let (mut order, mut whole) = (Vec::new(), Vec::new());
        while let Some(steps) = self.step() {
            for (lane, step) in steps {
                order.push(lane);
                if let Step::Whole(transfer) = step {
                    whole.push((lane, transfer.bytes));
                }
            }
        }
        (order, whole)
    }
}

#[test]
fn two_requests_share_a_connection_frame_by_frame() {
    let mut pair = Pair::new(2, 100_000);
    pair.ask(0, "/a");
    pair.ask(1, "/b");
    let (order, whole) = pair.run();
    assert_eq!(pair.near.opened, 1);
    assert_eq!(whole, [(0, 100_000), (1, 100_000)]);
    // Two frames of the first were written before the second was asked for; it has its turn after the next.
    assert_eq!(order[..8], [0, 0, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn a_response_longer_than_the_windows_completes() {
    let mut pair = Pair::new(1, 40 << 20);
    pair.ask(0, "/a");
    assert_eq!(pair.run().1, [(0, 40 << 20)]);
}

#[test]
fn an_abandoned_request_ends_its_stream_only() {
    let mut pair = Pair::new(2, 1_000_000);
    pair.ask(0, "/a");
    pair.ask(1, "/b");
    for _ in 0..10 {
        pair.step();
    }
    pair.client.abandon(0, &mut pair.near);
    pair.carry();
    assert!(pair.client.is_idle(0));
    pair.ask(0, "/c");
    let (_, whole) = pair.run();
    assert_eq!(whole.len(), 2, "{whole:?}");
    assert_eq!((pair.near.opened, pair.near.aborted), (1, 0));
    pair.client.end(&mut pair.near);
    assert_eq!(pair.near.closed, 1);
}

#[test]
fn a_lost_connection_is_opened_again_for_all_requests() {
    let mut pair = Pair::new(2, 1_000_000);
    pair.ask(0, "/a");
    pair.ask(1, "/b");
    let steps = pair.client.on_closed(Time::from_secs(5), &mut pair.near);
    assert_eq!(steps, [(0, Step::Failed), (1, Step::Failed)]);
    assert_eq!(pair.client.retry_at(), Some(Time::from_secs(6)));
    pair.client.retry(Time::from_secs(6), &mut pair.near);
    assert_eq!((pair.near.opened, pair.client.retry_at()), (2, None));
    assert!(!pair.client.is_idle(0) && !pair.client.is_idle(1));
}

#[test]
fn a_missing_resource_fails() {
    let mut pair = Pair::new(1, 10);
    pair.ask(0, "/none");
    let steps: Vec<(usize, Step)> = std::iter::from_fn(|| pair.step()).flatten().collect();
    assert_eq!(steps, [(0, Step::Failed)]);
}

#[test]
fn only_the_preface_begins_http_2() {
    assert_eq!(Http2Server::preface(b"P"), Some(false));
    assert_eq!(Http2Server::preface(b"GET / HTTP/1.1"), None);
    assert_eq!(Http2Server::preface(b"PRI * HTTP/1.1\r\n"), None);
}

#[test]
fn field_blocks_have_the_bytes_of_the_standard() {
    // `:path: /sample/path` as in RFC 7541's example of a literal field without indexing.
    let block = fields::request("/sample/path", "h");
    assert_eq!(block[..2], [0x82, 0x86], ":method: GET, :scheme: http");
    assert_eq!(block[2..5], [0x01, 0x01, b'h']);
    assert_eq!(block[5..7], [0x04, 0x0c]);
    assert_eq!(&block[7..], b"/sample/path");
    // The index of content-length, 28, exceeds a prefix of 4 bits: 15, then 13.
    let block = fields::response(200, 5, "a");
    assert_eq!(block, [0x88, 0x0f, 0x10, 0x01, b'a', 0x0f, 0x0d, 0x01, b'5']);
    let fields = Fields::of(&block).unwrap();
    assert_eq!((fields.status, fields.length), (Some(200), Some(5)));
}

proptest! {
    #[test]
    fn field_blocks_round_trip(path in "/[a-z0-9/.-]{0,300}", length: u32) {
        let fields = Fields::of(&fields::request(&path, "198.18.0.1:80")).unwrap();
        prop_assert!(fields.is_get);
        prop_assert_eq!(fields.path, Some(path));
        let fields = Fields::of(&fields::response(404, u64::from(length), "video/mp4")).unwrap();
        prop_assert_eq!((fields.status, fields.length), (Some(404), Some(u64::from(length))));
    }

    #[test]
    fn frames_are_read_wherever_the_stream_is_split(cuts in proptest::collection::vec(1u64..40, 1..60)) {
        let mut stream: Vec<Payload> = vec![
            Payload::Bytes(frames::frame(frames::SETTINGS, 0, 0, &[]).into()),
            Payload::Bytes(frames::frame(frames::HEADERS, 4, 1, b"block").into()),
            Payload::Bytes(frames::head(300, frames::DATA, 0, 1).into()),
            Payload::Zeros(300),
            Payload::Bytes(frames::head(0, frames::DATA, 1, 1).into()),
        ];
        let mut reader = FrameReader::default();
        let (mut kinds, mut content, mut last) = (Vec::new(), 0, 0);
        let mut cuts = cuts.into_iter().cycle();
        stream.reverse();
        while let Some(payload) = stream.pop() {
            let (now, later) = payload.split(cuts.next().unwrap());
            if !later.is_empty() {
                stream.push(later);
            }
            for piece in reader.take(now).unwrap() {
                match piece {
                    Piece::Frame(head, payload) => kinds.push((head.kind, payload.len())),
                    Piece::Data { bytes, is_last, .. } => {
                        content += bytes;
                        last += u32::from(is_last);
                    }
                }
            }
        }
        prop_assert_eq!(kinds, vec![(frames::SETTINGS, 0), (frames::HEADERS, 5)]);
        prop_assert_eq!((content, last), (300, 1));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = FrameReader::default().take(Payload::Bytes(bytes.clone().into()));
        let _ = Fields::of(&bytes);
    }
}
