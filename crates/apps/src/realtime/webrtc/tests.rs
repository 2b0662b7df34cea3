use jettison_core::{Seed, Time};
use jettison_measure::metrics;
use jettison_sockets::{Application, Datagram};

use super::packet::Kind;
use super::*;
use crate::testing::{Bench, REMOTE};

/// Both ends, with a link of a rate and 20 ms in each direction, a queue of 200 ms, and a rule for what is lost.
struct Call {
    sender: WebrtcSender,
    receiver: WebrtcReceiver,
    near: Bench,
    far: Bench,
    /// Datagrams under way with their arrivals, in both directions.
    forth: Vec<(Time, Datagram)>,
    back: Vec<(Time, Datagram)>,
    seen: [usize; 2],
    free: Time,
    longest_queue: Duration,
}

const DELAY: Duration = Duration::from_millis(20);

impl Call {
    fn new(parameters: &WebrtcParameters) -> Call {
        let (mut near, mut far) = (Bench::default(), Bench::default());
        let mut sender =
            WebrtcSender::new(parameters, REMOTE, 0, Seed(1).stream(&["frames"]), Seed(1).stream(&["clock"]));
        let mut receiver = WebrtcReceiver::new(parameters, 9);
        sender.start(Time::ZERO, &mut near);
        receiver.start(Time::ZERO, &mut far);
        let (forth, back) = (Vec::new(), Vec::new());
        Call {
            sender,
            receiver,
            near,
            far,
            forth,
            back,
            seen: [0; 2],
            free: Time::ZERO,
            longest_queue: Duration::from_millis(200),
        }
    }

    /// Runs until `until` ms; `is_lost` sees the transport-wide number and the kind.
    fn run(&mut self, until: u64, rate: Rate, is_lost: impl Fn(u16, Kind) -> bool) {
        self.run_and_lose(until, rate, |head| is_lost(head.transport, head.kind));
    }

    /// Runs until `until` ms.
    fn run_and_lose(&mut self, until: u64, rate: Rate, is_lost: impl Fn(&Head) -> bool) {
        let mut now = self.near.now;
        while now < Time::from_millis(until) {
            now = now.saturating_add(Duration::from_millis(1));
            self.near.run(&mut self.sender, now);
            self.far.run(&mut self.receiver, now);
            while let Some((at, _, datagram)) = self.near.sent.get(self.seen[0]).copied() {
                self.seen[0] += 1;
                let head = Head::parse(datagram.head.as_slice(), datagram.length).expect("all have heads");
                let start = self.free.max(at);
                if start.since(at) > self.longest_queue || is_lost(&head) {
                    continue;
                }
                let length = Bytes::new(u64::from(datagram.length) + 28);
                self.free = start.saturating_add(rate.time_for(length));
                self.forth.push((self.free.saturating_add(DELAY), datagram));
            }
            while let Some((at, _, datagram)) = self.far.sent.get(self.seen[1]).copied() {
                self.seen[1] += 1;
                self.back.push((at.saturating_add(DELAY), datagram));
            }
            let arrived = self.forth.partition_point(|(at, _)| *at <= now);
            for (_, datagram) in self.forth.drain(..arrived) {
                self.far.deliver(&mut self.receiver, datagram);
            }
            let arrived = self.back.partition_point(|(at, _)| *at <= now);
            for (_, datagram) in self.back.drain(..arrived) {
                self.near.deliver(&mut self.sender, datagram);
            }
        }
    }

    fn finish(mut self) -> (Bench, Bench) {
        let now = self.far.now;
        self.receiver.finish(now, &mut self.far.meter);
        (self.near, self.far)
    }

    /// Goodput in Mbit/s between two times in ms, run from the first to the second.
    fn rate(&mut self, until: u64, rate: Rate, is_lost: impl Fn(u16, Kind) -> bool) -> f64 {
        let (since, before) = (self.far.now, self.far.meter.goodput_bytes());
        self.run(until, rate, is_lost);
        let bits = 8.0 * (self.far.meter.goodput_bytes() - before) as f64;
        bits / self.far.now.since(since).as_secs_f64() / 1e6
    }
}

fn kinds(bench: &Bench) -> [usize; 4] {
    let mut counts = [0; 4];
    for (_, _, datagram) in &bench.sent {
        counts[Head::parse(datagram.head.as_slice(), datagram.length).expect("all have heads").kind
            as usize] += 1;
    }
    counts
}

fn shown(bench: &mut Bench) -> (usize, usize) {
    let scores = bench.meter.video().scores();
    (scores.iter().filter(|score| score.is_shown()).count(), scores.len())
}

#[test]
fn a_call_finds_its_bitrate_by_probes_and_shows_every_frame() {
    let mut call = Call::new(&WebrtcParameters::default());
    call.run(5_000, Rate::from_mbit(10), |_, _| false);
    let rate = call.rate(15_000, Rate::from_mbit(10), |_, _| false);
    assert!((2.2..2.6).contains(&rate), "{rate}");
    let (near, mut far) = call.finish();
    assert!(kinds(&near)[Kind::Padding as usize] > 0, "probes need padding");
    let (shown, all) = shown(&mut far);
    assert!(all >= 445 && shown == all, "{shown} of {all}");
}

#[test]
fn a_narrow_link_is_used_with_a_bounded_delay() {
    let mut call = Call::new(&WebrtcParameters::default());
    call.run(10_000, Rate::from_mbit(1), |_, _| false);
    let rate = call.rate(60_000, Rate::from_mbit(1), |_, _| false);
    assert!((0.6..1.0).contains(&rate), "{rate}");
    let (_, mut far) = call.finish();
    let scores = far.meter.video().scores();
    let mut delays: Vec<u64> = scores.iter().filter_map(|s| Some(s.latency?.as_millis())).collect();
    delays.sort_unstable();
    let p95 = delays[delays.len() * 95 / 100];
    assert!(p95 < 300, "{p95} ms");
}

#[test]
fn losses_are_repaired_by_retransmissions() {
    let mut call = Call::new(&WebrtcParameters::default());
    call.run(20_000, Rate::from_mbit(10), |number, _| number % 50 == 49);
    let (near, mut far) = call.finish();
    assert!(kinds(&near)[Kind::Retransmission as usize] > 40);
    let (shown, all) = shown(&mut far);
    assert!(shown as f64 > 0.98 * all as f64, "{shown} of {all}");
}

#[test]
fn without_retransmissions_a_loss_needs_a_key_frame() {
    let parameters = WebrtcParameters { nack: false, ..WebrtcParameters::default() };
    let mut call = Call::new(&parameters);
    call.run(20_000, Rate::from_mbit(10), |number, _| number == 3000);
    let (mut near, mut far) = call.finish();
    assert_eq!(kinds(&near)[Kind::Retransmission as usize], 0);
    let keys = near.sent.iter().filter(|(_, _, datagram)| {
        let head = Head::parse(datagram.head.as_slice(), datagram.length).expect("all have heads");
        head.kind == Kind::Media && head.part.back == 0 && head.part.place == 0
    });
    assert_eq!(keys.count(), 2);
    assert!(near.meter.video().last_sent().is_some());
    let (shown, all) = shown(&mut far);
    // The lost frame, and those of a round trip.
    assert!((1..8).contains(&(all - shown)), "{shown} of {all}");
}

#[test]
fn parity_repairs_losses_without_a_round_trip() {
    let lost = |number: u16, kind: Kind| kind == Kind::Media && number % 40 == 39;
    let run = |fec| {
        let parameters = WebrtcParameters { nack: false, fec, ..WebrtcParameters::default() };
        let mut call = Call::new(&parameters);
        call.run(20_000, Rate::from_mbit(10), lost);
        let (near, mut far) = call.finish();
        let (shown, all) = shown(&mut far);
        (kinds(&near)[Kind::Parity as usize], shown as f64 / all as f64)
    };
    let ((none, without), (some, with)) = (run(false), run(true));
    assert!(none == 0 && some > 100, "{some}");
    assert!(with > without + 0.02, "{with} {without}");
}

#[test]
fn lost_frames_of_the_highest_layer_freeze_nothing() {
    let of = |scalability| {
        let parameters = WebrtcParameters { nack: false, scalability, ..WebrtcParameters::default() };
        let mut call = Call::new(&parameters);
        call.run(30_000, Rate::from_mbit(10), |number, _| number % 60 == 59);
        let (_, mut far) = call.finish();
        let (shown, all) = shown(&mut far);
        shown as f64 / all as f64
    };
    let (one, three) = (of(Mode::L1T1), of(Mode::L1T3));
    assert!(three > one, "{three} {one}");
}

#[test]
fn a_sender_that_knows_of_routers_ignores_the_loss_of_obsolete_frames() {
    // A router drops every second frame of the highest layer, which alone refers to the frame before.
    let is_dropped =
        |head: &Head| head.kind == Kind::Media && head.part.back == 1 && head.part.frame % 4 == 1;
    let of = |obsolete| {
        let parameters = WebrtcParameters {
            scalability: Mode::L1T3,
            labels: Format::DependencyDescriptor,
            obsolete,
            ..WebrtcParameters::default()
        };
        let mut call = Call::new(&parameters);
        call.run_and_lose(20_000, Rate::from_mbit(10), is_dropped);
        let goodput = call.far.meter.goodput_bytes();
        let (near, mut far) = call.finish();
        (kinds(&near)[Kind::Retransmission as usize], goodput, shown(&mut far))
    };
    let [lost, not_repaired, not_counted, ignored] =
        [Obsolete::Lost, Obsolete::NotRepaired, Obsolete::NotCounted, Obsolete::Ignored].map(of);
    assert!(lost.0 > 100 && not_counted.0 > 100, "{lost:?} {not_counted:?}");
    assert_eq!((not_repaired.0, ignored.0), (0, 0));
    assert!(ignored.1 > not_repaired.1, "its rate is no lower: {ignored:?} {not_repaired:?}");
    // Three of four frames are left, and all of them are shown, in time.
    let (shown, all) = ignored.2;
    assert!((0.73..0.77).contains(&(shown as f64 / all as f64)), "{shown} of {all}");
}

#[test]
fn frames_in_time_are_those_decoded_within_a_deadline() {
    let in_time = |lost: fn(u16) -> bool| {
        let parameters = WebrtcParameters { scalability: Mode::L1T3, ..WebrtcParameters::default() };
        let mut call = Call::new(&parameters);
        call.run(10_000, Rate::from_mbit(10), |number, _| lost(number));
        let (_, mut far) = call.finish();
        [100, 400].map(|ms| far.meter.video().share_in_time(Duration::from_millis(ms)).expect("frames came"))
    };
    let clean = in_time(|_| false);
    assert!(clean[0] > 0.98, "20 ms of delay: {clean:?}");
    // A repair takes 40 ms, and the feedback before it some more.
    let lossy = in_time(|number| number % 20 == 19);
    assert!(lossy[0] < clean[0] - 0.02 && lossy[1] > lossy[0], "{lossy:?} {clean:?}");
}

#[test]
fn labels_alone_change_nothing_without_a_router_that_reads_them() {
    let of = |labels| {
        let parameters = WebrtcParameters { scalability: Mode::L1T3, labels, ..WebrtcParameters::default() };
        let mut call = Call::new(&parameters);
        call.run(10_000, Rate::from_mbit(1), |number, _| number % 90 == 7);
        let (near, mut far) = call.finish();
        (kinds(&near), shown(&mut far))
    };
    let formats = [Format::DependencyDescriptor, Format::FrameMarking, Format::PduSet];
    for format in formats {
        assert_eq!(of(format), of(Format::None), "{format:?}");
    }
}

#[test]
fn after_a_step_down_the_push_back_drops_frames_and_the_queue_is_short_again_sooner() {
    let of = |congestion_window| {
        let parameters = WebrtcParameters { congestion_window, ..WebrtcParameters::default() };
        let mut call = Call::new(&parameters);
        call.longest_queue = Duration::from_secs(5);
        call.run(20_000, Rate::from_mbit(4), |_, _| false);
        let before = call.near.sent.len();
        call.run(22_500, Rate::from_kbit(400), |_, _| false);
        let heads = call.near.sent[before..].iter().filter_map(|(_, _, datagram)| {
            Head::parse(datagram.head.as_slice(), datagram.length).filter(|head| head.kind == Kind::Media)
        });
        let frames: std::collections::BTreeSet<u32> = heads.map(|head| head.part.frame).collect();
        (frames.len(), call.free.since(call.near.now))
    };
    let (with, without) = (of(true), of(false));
    assert!(with.0 < without.0 && with.1 < without.1, "{with:?} {without:?}");
}

#[test]
fn frames_are_captured_after_the_given_gaps_in_turn() {
    let capture_gaps = vec![Duration::from_millis(20), Duration::from_millis(50)];
    let mut call = Call::new(&WebrtcParameters { capture_gaps, ..WebrtcParameters::default() });
    call.run(2_000, Rate::from_mbit(10), |_, _| false);
    let mut frames: Vec<(u32, u64)> = Vec::new();
    for (at, _, datagram) in &call.near.sent {
        let head = Head::parse(datagram.head.as_slice(), datagram.length).expect("all have heads");
        if head.kind == Kind::Media && frames.last().is_none_or(|(frame, _)| *frame < head.part.frame) {
            frames.push((head.part.frame, at.as_nanos() / 1_000_000));
        }
    }
    let gaps: Vec<u64> = frames.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    // Frames are left out while the first estimate is low.
    let later = &gaps[gaps.len() - 40..];
    assert!(later.windows(2).all(|pair| pair == [20, 50] || pair == [50, 20]), "{gaps:?}");
}

#[test]
fn a_stopped_call_is_silent() {
    let mut call = Call::new(&WebrtcParameters::default());
    call.run(1_000, Rate::from_mbit(10), |_, _| false);
    call.sender.stop(call.near.now, &mut call.near);
    let sent = call.near.sent.len();
    call.run(3_000, Rate::from_mbit(10), |_, _| false);
    assert_eq!(call.near.sent.len(), sent);
    assert!(call.near.points.iter().any(|(metric, _, _)| *metric == metrics::BANDWIDTH_ESTIMATE));
}

#[test]
fn parameters_out_of_range_name_their_key() {
    let key = |change: &dyn Fn(&mut WebrtcParameters)| {
        let mut parameters = WebrtcParameters::default();
        change(&mut parameters);
        parameters.validate().err().map(|error| error.path.join("."))
    };
    assert_eq!(key(&|_| ()), None);
    assert_eq!(key(&|p| p.frame_rate = f64::NAN).as_deref(), Some("frame_rate"));
    assert_eq!(key(&|p| p.packet = Bytes::new(40)).as_deref(), Some("packet"));
    assert_eq!(key(&|p| p.beta = 0.1).as_deref(), Some("beta"));
    assert_eq!(key(&|p| p.key_ratio = 0.5).as_deref(), Some("key_ratio"));
    assert_eq!(key(&|p| p.min_rate = Rate::ZERO).as_deref(), Some("min_rate"));
    assert_eq!(key(&|p| p.feedback = Duration::ZERO).as_deref(), Some("feedback"));
    assert_eq!(key(&|p| p.edge_spread = Some(1.5)).as_deref(), Some("edge_spread"));
    assert_eq!(key(&|p| p.packet_time = Duration::from_millis(2)).as_deref(), Some("packet_time"));
    let gaps = vec![Duration::from_millis(33), Duration::ZERO];
    assert_eq!(key(&|p| p.capture_gaps = gaps.clone()).as_deref(), Some("capture_gaps"));
    assert_eq!(key(&|p| p.obsolete = Obsolete::Ignored).as_deref(), Some("obsolete"));
    assert_eq!(key(&|p| p.pacer_queue = Duration::ZERO).as_deref(), Some("pacer_queue"));
    assert_eq!(key(&|p| p.min_frame = Bytes::new(1_000_001)).as_deref(), Some("min_frame"));
    assert_eq!(key(&|p| p.min_frame_growth = 1.5).as_deref(), Some("min_frame_growth"));
    assert_eq!(key(&|p| p.max_frame = Bytes::new(39)).as_deref(), Some("max_frame"));
    assert_eq!(key(&|p| p.pixels_power = f64::NAN).as_deref(), Some("pixels_power"));
    assert_eq!(key(&|p| p.repair_window = Duration::from_secs(61)).as_deref(), Some("repair_window"));
    assert_eq!(key(&|p| p.pixels = 0).as_deref(), Some("pixels"));
    assert_eq!(key(&|p| p.max_probe = Rate::ZERO).as_deref(), Some("max_probe"));
    assert_eq!(key(&|p| p.window_queue = Duration::from_secs(61)).as_deref(), Some("window_queue"));
    assert_eq!(key(&|p| p.max_rate = Rate::from_kbit(20)).as_deref(), Some("max_rate"));
}
