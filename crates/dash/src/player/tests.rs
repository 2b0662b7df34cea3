//! Players against a server on a path of a given rate, without TCP.

use std::collections::VecDeque;
use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_measure::{EventKind, EventLimits, FlowMeter, Metric, ViewerEvent};
use jettison_tcp::TcpParameters;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, FlowId};

use super::*;
use crate::abr::{AbrRule, Choice, Download, Progress};
use crate::content::{Picture, Representation};
use crate::http::{HeadReader, Response};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;
use crate::resource::Resource;
use jettison_sockets::{ControllerFactory, Datagram, EchoRequest, TcpOptions};

const S: fn(u64) -> Duration = Duration::from_secs;

/// Answers requests at a rate, one piece per 100 ms, after a round trip of 50 ms.
struct Path {
    titles: Vec<Arc<Title>>,
    rate: Box<dyn Fn(Time) -> Rate>,
    now: Time,
    meter: FlowMeter,
    points: Vec<(Metric, Time, f64)>,
    /// Number of connections opened; the last one is active.
    opened: u64,
    closed: Vec<u64>,
    aborted: Vec<u64>,
    paths: Vec<(Time, String)>,
    /// Pieces in flight, with arrival time and connection.
    coming: VecDeque<(Time, u64, Payload)>,
    arrived: VecDeque<Payload>,
    free_at: Time,
    reader: HeadReader,
    /// Number of the request at which the server drops the connection.
    fails_at: Option<usize>,
}

impl Path {
    fn new(titles: Vec<Arc<Title>>, rate: impl Fn(Time) -> Rate + 'static) -> Path {
        Path {
            titles,
            rate: Box::new(rate),
            now: Time::ZERO,
            meter: FlowMeter::default(),
            points: Vec::new(),
            opened: 0,
            closed: Vec::new(),
            aborted: Vec::new(),
            paths: Vec::new(),
            coming: VecDeque::new(),
            arrived: VecDeque::new(),
            free_at: Time::ZERO,
            reader: HeadReader::default(),
            fails_at: None,
        }
    }

    /// Runs a started player until `until`.
    fn run(&mut self, player: &mut Player, until: Time) {
        loop {
            let arrival = self.coming.front().map(|(at, ..)| *at);
            let Some(at) =
                [arrival, player.next_wakeup()].into_iter().flatten().min().filter(|at| *at < until)
            else {
                break;
            };
            assert!(at >= self.now, "time goes on");
            self.now = at;
            if arrival == Some(at)
                && let Some((_, connection, payload)) = self.coming.pop_front()
            {
                let socket = SocketId(connection);
                let fails = self.fails_at.is_some_and(|n| self.paths.len() == n);
                if fails {
                    self.fails_at = None;
                    self.coming.clear();
                    player.handle_event(SocketEvent::PeerClosed(socket), at, self);
                } else if player.owns(socket) {
                    self.arrived.push_back(payload);
                    player.handle_event(SocketEvent::Readable(socket), at, self);
                }
            } else {
                player.handle_wakeup(at, self);
            }
        }
        self.now = until;
    }

    fn answer(&mut self, request: &str) {
        let length = Resource::of_path(request).and_then(|r| r.length(&self.titles)).expect("a known path");
        let head = Response { status: 200, length, close: false }.bytes("video/mp4");
        let mut at = self.now.max(self.free_at) + Duration::from_millis(50);
        self.coming.push_back((at, self.opened, head));
        let mut left = length;
        while left > 0 {
            let tick = Duration::from_millis(100);
            let room = (self.rate)(at).bytes_in(tick).get().max(1);
            let piece = left.min(room);
            at += (self.rate)(at).time_for(Bytes::new(piece)).min(tick);
            self.coming.push_back((at, self.opened, Payload::Zeros(piece)));
            left -= piece;
        }
        self.free_at = at;
    }

    fn segments(&self) -> Vec<(Time, &str)> {
        let is_segment = |(_, path): &&(Time, String)| path.ends_with(".m4s");
        self.paths.iter().filter(is_segment).map(|(at, path)| (*at, path.as_str())).collect()
    }
}

impl Sockets for Path {
    fn tcp_connect(&mut self, _: Endpoint, _: &TcpOptions) -> SocketId {
        self.opened += 1;
        self.free_at = Time::ZERO;
        SocketId(self.opened)
    }
    fn write(&mut self, socket: SocketId, payload: Payload) {
        assert_eq!(socket.0, self.opened);
        let mut reader = std::mem::take(&mut self.reader);
        assert!(reader.take(payload).expect("a head").is_some(), "a request is written whole");
        let request = reader.request().expect("a request");
        self.paths.push((self.now, request.path.clone()));
        self.answer(&request.path);
    }
    fn read(&mut self, _: SocketId, _: u64) -> Option<Payload> {
        self.arrived.pop_front()
    }
    fn count_goodput(&mut self, _: SocketId) {}
    fn close(&mut self, socket: SocketId) {
        self.closed.push(socket.0);
    }
    fn abort(&mut self, socket: SocketId) {
        self.aborted.push(socket.0);
        self.coming.retain(|(_, connection, _)| *connection != socket.0);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.points.push((metric, now, value));
    }
    fn tcp_listen(&mut self, _: u16, _: &TcpOptions) -> SocketId {
        unreachable!("a player does not listen")
    }
    fn unsent(&self, _: SocketId) -> u64 {
        0
    }
    fn unacknowledged(&self, _: SocketId) -> u64 {
        0
    }
    fn observe(&mut self, _: SocketId) {}
    fn udp_bind(&mut self, _: u16) -> SocketId {
        unreachable!("a player has no datagrams")
    }
    fn send_to(&mut self, _: SocketId, _: Endpoint, _: &Datagram) {}
    fn send_echo(&mut self, _: Address, _: &EchoRequest) {}
}

/// Chooses the highest representation below half the last throughput; abandons late segments if `abandons`.
#[derive(Debug, Clone)]
struct Half {
    rate: f64,
    abandons: bool,
}

impl AbrRule for Half {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        Choice::now(state.set.highest_below(self.rate / 2.0))
    }
    fn on_segment(&mut self, download: &Download, _: &AbrState<'_>) {
        let took = download.finished_at.since(download.requested_at).as_secs_f64();
        self.rate = download.bytes as f64 * 8.0 / took;
    }
    fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>) -> Option<usize> {
        let late = state.now.since(progress.requested_at) > S(3);
        (self.abandons && late && progress.representation > 0).then_some(0)
    }
}

/// Returns a title of four-second segments at 0.5, 1 and 2 Mbit/s.
pub(super) fn title(segments: usize, audio: bool) -> Arc<Title> {
    let set = |rates: &[u64], picture: Option<Picture>| AdaptationSet {
        representations: rates
            .iter()
            .map(|kbit| Representation {
                id: format!("{kbit}k"),
                bitrate: Rate::from_kbit(*kbit),
                codec: "h264".to_owned(),
                picture: picture.map(|p| Picture { frame_rate: 10.0 + *kbit as f64 / 100.0, ..p }),
                initialization: 800,
                sizes: vec![kbit * 1000 / 8 * 4; segments],
            })
            .collect(),
        durations: vec![S(4); segments],
    };
    let picture = Picture { width: 1280, height: 720, frame_rate: 0.0 };
    Arc::new(Title {
        name: "title-1".to_owned(),
        manifest: 3000,
        video: set(&[500, 1000, 2000], Some(picture)),
        audio: audio.then(|| set(&[64], None)),
    })
}

pub(super) fn setup(connections: Connections, abandons: bool) -> PlayerSetup {
    let parameters = Arc::new(TcpParameters::default());
    let shared = Arc::clone(&parameters);
    let controller = ControllerFactory::new(move || shared.controller(None).expect("the default controller"));
    PlayerSetup {
        server: Endpoint { address: Address::v4(198, 18, 0, 1), port: 80 },
        options: TcpOptions { parameters, controller },
        connections,
        thresholds: Thresholds { start_up: S(4), rebuffer: S(4) },
        request_timeout: None,
        is_parallel: false,
        filling: Filling::Fits { max: S(20), resume: None },
        fast_switch: None,
        keeps_initialization: true,
        rule: super::setup::RuleFactory::new(move |_| Box::new(Half { rate: 0.0, abandons })),
        weights: LinearWeights::default(),
        viewing: Viewing::default(),
    }
}

fn play(setup: PlayerSetup, path: &mut Path, until: Time) -> Player {
    let mut player = Player::new(Arc::new(setup), Arc::clone(&path.titles[0]), true, Time::ZERO);
    player.start(Time::ZERO, path);
    path.run(&mut player, until);
    player
}

#[test]
fn manifest_then_initialization_then_segments_in_order() {
    let mut path = Path::new(vec![title(3, true)], |_| Rate::from_mbit(10));
    let mut player = play(setup(Connections::Persistent, false), &mut path, Time::from_secs(30));
    let asked: Vec<&str> = path.paths.iter().map(|(_, path)| path.as_str()).collect();
    let expected = [
        "/title-1/manifest.mpd",
        "/title-1/video/0/init.mp4",
        "/title-1/video/0/1.m4s",
        "/title-1/audio/0/init.mp4",
        "/title-1/audio/0/1.m4s",
        "/title-1/video/2/init.mp4",
        "/title-1/video/2/2.m4s",
        "/title-1/audio/0/2.m4s",
        "/title-1/video/2/3.m4s",
        "/title-1/audio/0/3.m4s",
    ];
    assert_eq!(asked, expected);
    assert_eq!(path.opened, 1, "one connection for all");
    assert_eq!(path.closed, [1], "and it is closed at the end");
    assert!(player.is_ended());
    let (level, frames) = player.sample(path.now, &mut path.meter);
    assert_eq!(level, Duration::ZERO);
    // Four seconds at 15 and eight at 30 pictures a second.
    assert!(frames.is_some_and(|frames| (frames - 300.0).abs() < 1e-6), "{frames:?}");
}

#[test]
fn a_full_buffer_makes_an_on_off_pattern() {
    let mut path = Path::new(vec![title(30, false)], |_| Rate::from_mbit(20));
    play(setup(Connections::Persistent, false), &mut path, Time::from_secs(60));
    let asked: Vec<f64> = path.segments().iter().map(|(at, _)| at.as_secs_f64()).collect();
    // Five segments fill twenty seconds; from there, one each four seconds.
    let gaps: Vec<f64> = asked.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps[..4].iter().all(|gap| *gap < 1.0), "{gaps:?}");
    assert!(gaps[5..].iter().all(|gap| (gap - 4.0).abs() < 1e-6), "{gaps:?}");
}

#[test]
fn a_resume_level_makes_fetching_bursty() {
    let mut path = Path::new(vec![title(60, false)], |_| Rate::from_mbit(20));
    let setup = PlayerSetup {
        filling: Filling::Fits { max: S(20), resume: Some(S(8)) },
        ..setup(Connections::Persistent, false)
    };
    play(setup, &mut path, Time::from_secs(100));
    let asked: Vec<f64> = path.segments().iter().map(|(at, _)| at.as_secs_f64()).collect();
    let pauses: Vec<f64> = asked.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 1.0).collect();
    assert!(pauses.len() >= 5, "{pauses:?}");
    // From more than 16 s down to 8 s each time.
    assert!(pauses.iter().all(|pause| (8.0..12.0).contains(pause)), "{pauses:?}");
}

#[test]
fn without_persistence_each_request_has_a_connection() {
    let mut path = Path::new(vec![title(3, true)], |_| Rate::from_mbit(10));
    play(setup(Connections::PerSegment, false), &mut path, Time::from_secs(30));
    assert_eq!(path.opened, 10);
    assert_eq!(path.closed, (1..=10).collect::<Vec<u64>>());
}

#[test]
fn a_slow_path_stalls_and_is_reported() {
    // 0.4 Mbit/s for 0.5: ten seconds of fetching for eight of playing.
    let mut path = Path::new(vec![title(10, false)], |_| Rate::from_kbit(400));
    path.meter.watch_events(EventLimits::default());
    let mut player = play(setup(Connections::Persistent, false), &mut path, Time::from_secs(40));
    player.end(path.now, &mut path.meter);
    let session = player.session();
    let events = path.meter.take_events(FlowId(0), path.now);
    let of = |kind| events.iter().filter(move |event| event.kind == kind);
    let stalls: Vec<Duration> = of(EventKind::Stall).map(|event| event.duration).collect();
    assert_eq!(stalls, session.stalls.iter().map(|stall| stall.lasted).collect::<Vec<_>>());
    let numbers: Vec<u64> = of(EventKind::Stall).filter_map(|event| Some(event.unit?.number)).collect();
    assert!(numbers.len() == stalls.len() && numbers.is_sorted(), "{numbers:?}");
    let start = of(EventKind::LongStart).next().expect("the start took long");
    assert_eq!((start.duration, start.at), (session.start_up, Time::ZERO));
    assert!(of(EventKind::Stall).all(|event| event.since < event.at), "{events:?}");
    assert_eq!(start.cost, session.start_up.as_secs_f64() - 2.0);
    assert!(session.stalls.len() >= 4, "{:?}", session.stalls);
    assert!(session.start_up > S(5) && session.start_up < S(6), "{:?}", session.start_up);
    assert_eq!(path.meter.streaming().sessions().len(), 1);
    assert_eq!(path.meter.streaming().representation_rate(), Some(500.0));
}

#[test]
fn an_abandoned_request_ends_its_connection_and_asks_for_less() {
    // The rate falls to a tenth after the request of the second segment.
    let rate = |now: Time| if now < Time::from_secs(2) { Rate::from_mbit(5) } else { Rate::from_kbit(500) };
    let mut path = Path::new(vec![title(10, false)], rate);
    path.meter.watch_events(EventLimits::default());
    play(setup(Connections::Persistent, true), &mut path, Time::from_secs(30));
    assert_eq!(path.aborted.first(), Some(&1));
    let events = path.meter.take_events(FlowId(0), path.now);
    let abandoned = events.iter().find(|event| event.kind == EventKind::Abandoned).expect("it was abandoned");
    assert_eq!(abandoned.unit.map(|unit| unit.part), Some(2));
    let is_same = |event: &&ViewerEvent| {
        event.kind == EventKind::SwitchDown
            && event.unit.map(|unit| unit.number) == abandoned.unit.map(|unit| unit.number)
    };
    assert!(!events.iter().any(|event| is_same(&event)), "one event per segment: {events:?}");
    let asked: Vec<&str> = path.segments().iter().map(|(_, path)| *path).collect();
    let abandoned = asked.iter().position(|p| p.contains("/2/")).expect("it began on the highest");
    let (high, low) = (asked[abandoned..].iter().rfind(|p| p.contains("/2/")), asked.last());
    assert!(high.is_some() && low.is_some_and(|p| p.contains("/0/")), "{asked:?}");
    let number = |path: &str| path.rsplit('/').next().map(str::to_owned);
    assert!(
        asked
            .windows(2)
            .any(|w| w[0].contains("/2/") && w[1].contains("/0/") && number(w[0]) == number(w[1]))
    );
}

#[test]
fn a_lost_connection_is_opened_again_and_the_segment_asked_for_again() {
    let mut path = Path::new(vec![title(4, false)], |_| Rate::from_mbit(10));
    path.fails_at = Some(4);
    let player = play(setup(Connections::Persistent, false), &mut path, Time::from_secs(60));
    assert!(player.is_ended());
    assert_eq!(path.opened, 2);
    let segments: Vec<&str> = path.segments().iter().map(|(_, path)| *path).collect();
    let distinct: std::collections::BTreeSet<&str> =
        segments.iter().filter_map(|path| path.rsplit('/').next()).collect();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn a_request_that_takes_too_long_is_given_up_and_repeated_a_second_later() {
    let rate = |now: Time| if now < Time::from_secs(5) { Rate::from_kbit(100) } else { Rate::from_mbit(10) };
    let mut path = Path::new(vec![title(4, false)], rate);
    let setup = PlayerSetup { request_timeout: Some(S(2)), ..setup(Connections::Persistent, false) };
    let player = play(setup, &mut path, Time::from_secs(60));
    assert!(player.is_ended());
    // The first segment is worth 20 s at 100 kbit/s.
    let first: Vec<f64> = path
        .segments()
        .iter()
        .filter(|(_, path)| path.ends_with("/1.m4s"))
        .map(|(at, _)| at.as_secs_f64())
        .collect();
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first.windows(2).all(|pair| (pair[1] - pair[0] - 3.0).abs() < 1e-6), "{first:?}");
    assert_eq!(path.aborted, [1]);
}
