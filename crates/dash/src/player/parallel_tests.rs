//! Players with a schedule for each kind of media, on connections that each have a rate of their own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_measure::{FlowMeter, Metric};
use jettison_sockets::{Datagram, EchoRequest, TcpOptions};
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::Address;

use super::tests::{setup, title};
use super::*;
use crate::abr::{AbrRule, Choice};
use crate::http::{HeadReader, Response};
use crate::resource::Resource;

const S: fn(u64) -> Duration = Duration::from_secs;

/// A server whose connections each carry `rate`; a response arrives in two pieces: its head, and all of its body.
struct Server {
    title: Arc<Title>,
    rate: Rate,
    now: Time,
    meter: FlowMeter,
    opened: u64,
    /// Time, connection and path of each request.
    asked: Vec<(Time, u64, String)>,
    coming: Vec<(Time, u64, Payload)>,
    arrived: BTreeMap<u64, VecDeque<Payload>>,
    aborted: Vec<u64>,
}

impl Server {
    fn new(title: Arc<Title>, rate: Rate) -> Server {
        Server {
            title,
            rate,
            now: Time::ZERO,
            meter: FlowMeter::default(),
            opened: 0,
            asked: Vec::new(),
            coming: Vec::new(),
            arrived: BTreeMap::new(),
            aborted: Vec::new(),
        }
    }

    fn play(&mut self, setup: PlayerSetup, until: Time) -> Player {
        let mut player = Player::new(Arc::new(setup), Arc::clone(&self.title), true, Time::ZERO);
        player.start(Time::ZERO, self);
        loop {
            self.coming.sort_by_key(|(at, connection, _)| (*at, *connection));
            let arrival = self.coming.first().map(|(at, ..)| *at);
            let Some(at) =
                [arrival, player.next_wakeup()].into_iter().flatten().min().filter(|at| *at < until)
            else {
                break;
            };
            self.now = at;
            if arrival == Some(at) {
                let (_, connection, payload) = self.coming.remove(0);
                self.arrived.entry(connection).or_default().push_back(payload);
                player.handle_event(SocketEvent::Readable(SocketId(connection)), at, self);
            } else {
                player.handle_wakeup(at, self);
            }
        }
        self.now = until;
        player
    }

    /// Requests of media segments of a kind: time in seconds, representation and number.
    fn segments(&self, kind: &str) -> Vec<(f64, usize, usize)> {
        let parse = |(at, _, path): &(Time, u64, String)| {
            let (place, number) = path.split_once(kind)?.1.strip_prefix('/')?.split_once('/')?;
            let number = number.strip_suffix(".m4s")?.parse().ok()?;
            Some((at.as_secs_f64(), place.parse().ok()?, number))
        };
        self.asked.iter().filter_map(parse).collect()
    }
}

impl Sockets for Server {
    fn tcp_connect(&mut self, _: Endpoint, _: &TcpOptions) -> SocketId {
        self.opened += 1;
        SocketId(self.opened)
    }
    fn write(&mut self, socket: SocketId, payload: Payload) {
        let mut reader = HeadReader::default();
        assert!(reader.take(payload).expect("a head").is_some());
        let path = reader.request().expect("a request").path;
        let length = Resource::of_path(&path)
            .and_then(|resource| resource.length(&[Arc::clone(&self.title)]))
            .expect("a known path");
        let head = Response { status: 200, length, close: false }.bytes("video/mp4");
        self.coming.push((self.now, socket.0, head));
        self.coming.push((
            self.now + self.rate.time_for(Bytes::new(length)),
            socket.0,
            Payload::Zeros(length),
        ));
        self.asked.push((self.now, socket.0, path));
    }
    fn read(&mut self, socket: SocketId, _: u64) -> Option<Payload> {
        self.arrived.get_mut(&socket.0)?.pop_front()
    }
    fn count_goodput(&mut self, _: SocketId) {}
    fn close(&mut self, _: SocketId) {}
    fn abort(&mut self, socket: SocketId) {
        self.aborted.push(socket.0);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }
    fn point(&mut self, _: Metric, _: Time, _: f64) {}
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

/// Chooses what is told for each segment, the last one from there on.
#[derive(Debug, Clone)]
struct Told(Vec<usize>, Arc<Mutex<Vec<f64>>>);

impl AbrRule for Told {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        self.1.lock().unwrap().push(state.buffer.as_secs_f64());
        let representation = if self.0.len() > 1 { self.0.remove(0) } else { self.0[0] };
        Choice::now(representation)
    }
}

/// Settings of a browser's player: two schedules, a target of 8 s and one of 16 s at the top.
fn browser(told: &[usize]) -> PlayerSetup {
    let told = told.to_vec();
    PlayerSetup {
        is_parallel: true,
        thresholds: Thresholds { start_up: Duration::from_millis(1), rebuffer: Duration::from_millis(1) },
        filling: Filling::Below(Targets {
            default: S(8),
            top: S(16),
            top_quality: TopQuality::Own,
            holds_segment: false,
            together: Together::AudioFollowsVideo,
            interval: Duration::from_millis(500),
        }),
        keeps_initialization: false,
        rule: RuleFactory::new(move |kind| {
            let told = if kind == Kind::Video { told.clone() } else { vec![0] };
            Box::new(Told(told, Arc::default()))
        }),
        ..setup(Connections::Persistent, false)
    }
}

#[test]
fn video_and_audio_have_a_connection_each() {
    let mut server = Server::new(title(10, true), Rate::from_mbit(2));
    server.play(browser(&[0]), Time::from_secs(20));
    assert_eq!(server.opened, 2);
    let is_of = |kind: &str, connection| {
        let of_kind = server.asked.iter().filter(|(_, _, path)| path.contains(kind));
        of_kind.map(|(_, own, _)| *own).all(|own| own == connection)
    };
    assert!(is_of("/video/", 1) && is_of("/audio/", 2));
    // Both begin with the manifest's arrival: 3,000 bytes at 2 Mbit/s.
    let first = |kind: &str| server.asked.iter().find(|(_, _, path)| path.contains(kind)).unwrap().0;
    assert_eq!(first("/video/0/init"), Time::from_millis(12));
    assert_eq!(first("/audio/0/init"), Time::from_millis(12));
}

#[test]
fn the_level_is_looked_at_every_half_second_and_a_segment_may_exceed_the_target() {
    let mut server = Server::new(title(30, false), Rate::from_mbit(100));
    server.play(browser(&[0]), Time::from_secs(30));
    let asked: Vec<f64> = server.segments("video").iter().map(|(at, ..)| *at).collect();
    // The second segment comes when 20 ms have been played: 7.98 s are below 8 s, so the third makes it 12 s.
    assert!(asked[2] < 0.1, "{asked:?}");
    // From its arrival on a look each half second: the first one below 8 s is after 4 s.
    let gaps: Vec<f64> = asked.windows(2).skip(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (gap - 4.02).abs() < 1e-6), "{gaps:?}");
}

#[test]
fn the_top_quality_has_a_target_of_its_own() {
    let level = |told: &[usize]| {
        let mut server = Server::new(title(30, false), Rate::from_mbit(100));
        let mut player = server.play(browser(told), Time::from_secs(10));
        player.sample(Time::from_secs(10), &mut server.meter).0.as_secs_f64()
    };
    // Up to a segment above the target, and down to half a second below.
    assert!((7.5..12.0).contains(&level(&[1])), "{}", level(&[1]));
    assert!((15.5..20.0).contains(&level(&[2])), "{}", level(&[2]));
}

#[test]
fn a_rise_replaces_what_is_buffered_from_the_margin_on() {
    let fast = Some(FastSwitch { margin: Duration::from_millis(1500), repeats_last: false });
    // Segments 1 and 2 at the lowest, then the highest.
    let told = [0, 0, 2];
    let mut server = Server::new(title(10, false), Rate::from_mbit(100));
    let player = server.play(PlayerSetup { fast_switch: fast, ..browser(&told) }, Time::from_secs(60));
    let asked: Vec<(usize, usize)> = server.segments("video").iter().map(|(_, p, n)| (*p, *n)).collect();
    // Position 0.5 s and 1.5 s are in segment 1: it is fetched again, and so are all after it.
    assert_eq!(asked[..5], [(0, 1), (0, 2), (2, 1), (2, 2), (2, 3)]);
    assert_eq!(asked.len(), 12, "ten segments and two again");
    assert!(player.is_ended());
    assert_eq!(player.session().video.len(), 10);
    assert_eq!(player.session().video[0].bitrate, 2e6, "what was left of it is shown better");
    // Without fast switching nothing is fetched twice.
    let mut server = Server::new(title(10, false), Rate::from_mbit(100));
    server.play(browser(&told), Time::from_secs(60));
    assert_eq!(server.segments("video").len(), 10);
}

#[test]
fn a_fall_replaces_nothing() {
    let fast = Some(FastSwitch { margin: Duration::from_millis(1500), repeats_last: false });
    let mut server = Server::new(title(10, false), Rate::from_mbit(100));
    server.play(PlayerSetup { fast_switch: fast, ..browser(&[2, 2, 0]) }, Time::from_secs(60));
    assert_eq!(server.segments("video").len(), 10);
    // dash.js 4.3 fetches the last one again.
    let fast = fast.map(|fast| FastSwitch { repeats_last: true, ..fast });
    let mut server = Server::new(title(10, false), Rate::from_mbit(100));
    server.play(PlayerSetup { fast_switch: fast, ..browser(&[2, 2, 0]) }, Time::from_secs(60));
    let asked: Vec<(usize, usize)> = server.segments("video").iter().map(|(_, p, n)| (*p, *n)).collect();
    assert_eq!(asked[..4], [(2, 1), (2, 2), (0, 2), (0, 3)]);
}

#[test]
fn each_switch_requests_an_initialization_segment_unless_they_are_kept() {
    let inits = |keeps| {
        let setup = PlayerSetup { keeps_initialization: keeps, ..browser(&[0, 1, 0, 1, 0]) };
        let mut server = Server::new(title(8, false), Rate::from_mbit(100));
        server.play(setup, Time::from_secs(60));
        server.asked.iter().filter(|(_, _, path)| path.ends_with("init.mp4")).count()
    };
    assert_eq!((inits(false), inits(true)), (5, 2));
}

#[test]
fn kept_together_neither_kind_runs_a_segment_ahead() {
    let Filling::Below(targets) = browser(&[2]).filling else { panic!("a target") };
    let filling = Filling::Below(Targets { together: Together::OneSegment(S(1)), ..targets });
    // Video comes at half its bitrate, audio at once.
    let mut server = Server::new(title(10, true), Rate::from_mbit(1));
    server.play(PlayerSetup { filling, ..browser(&[2]) }, Time::from_secs(30));
    let audio: Vec<f64> = server.segments("audio").iter().map(|(at, ..)| *at).collect();
    let video: Vec<f64> = server.segments("video").iter().map(|(at, ..)| *at).collect();
    for (number, at) in audio.iter().enumerate().skip(2) {
        assert!(*at >= video[number - 1], "audio {audio:?}, video {video:?}");
    }
}
