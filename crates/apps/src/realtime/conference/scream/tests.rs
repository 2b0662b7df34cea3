//! SCReAM against its draft, report by report, and through a link.

use jettison_core::{Bytes, Seed};
use jettison_measure::metrics;
use jettison_sockets::{Application, Datagram};
use jettison_wire::Ecn;

use super::super::{Adapt, PacketHead};
use super::*;
use crate::testing::{Bench, REMOTE};

const PACKET: u64 = 1000;
/// RTT of the path of a single sender.
const RTT: u64 = 50;

fn parameters() -> ConferenceParameters {
    ConferenceParameters {
        rate: Rate::from_mbit(20),
        min_rate: Rate::from_kbit(100),
        frame_rate: 50.0,
        frame_spread: 0.0,
        packet: Bytes::new(PACKET),
        adapt: Adapt::Scream,
        ..ConferenceParameters::default()
    }
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// A sender whose packets all leave at once, and are reported a round trip later.
struct Path {
    scream: Scream,
    now: u64,
    next: u64,
}

impl Path {
    fn new(marking: Marking) -> Path {
        Path { scream: Scream::new(&parameters(), marking), now: 1000, next: 0 }
    }

    /// A round trip with `count` packets, `queue` ms of queue, and the ECN field of each; `None` is a loss.
    fn round(&mut self, count: u64, queue: u64, arrival: impl Fn(u64) -> Option<Ecn>) {
        let (first, sent_at) = (self.next, ms(self.now));
        for sequence in first..first + count {
            self.scream.on_sent(sequence, PACKET, sent_at);
        }
        self.next += count;
        self.now += RTT + queue;
        let arrived_at = ms(self.now - RTT / 2);
        for first in (first..first + count).step_by(feedback::MOST) {
            let last = (first + feedback::MOST as u64).min(self.next);
            let packets: Vec<_> = (first..last).map(|n| Some((arrived_at, arrival(n)?))).collect();
            self.scream.on_report(&Report::new(first, &packets, arrived_at), ms(self.now));
        }
    }

    fn window(&self) -> f64 {
        self.scream.window.bytes()
    }

    /// Grows the window for so many round trips without congestion.
    fn grow(&mut self, rounds: u64) {
        for _ in 0..rounds {
            let count = (self.window() / PACKET as f64) as u64 + 1;
            self.round(count, 0, |_| Some(Ecn::Ect1));
        }
    }
}

#[test]
fn status_update_bytes_in_flight_are_those_above_the_highest_acknowledged_packet() {
    let mut path = Path::new(Marking::L4s);
    (0..10).for_each(|n| path.scream.on_sent(n, PACKET, ms(1000)));
    assert_eq!(path.scream.in_flight, 10 * PACKET);
    // The draft's example: number 5 acknowledged, 3 lost or not.
    let packets = [Some((ms(1025), Ecn::Ect1)), None, Some((ms(1025), Ecn::Ect1))];
    path.scream.on_report(&Report::new(3, &packets, ms(1025)), ms(1050));
    assert_eq!(path.scream.in_flight, 4 * PACKET);
    assert_eq!(path.scream.smoothed_rtt, Duration::from_millis(50));
}

#[test]
fn detecting_lost_data_units_waits_as_long_as_reordering_took() {
    let mut path = Path::new(Marking::None);
    (0..20).for_each(|n| path.scream.on_sent(n, PACKET, ms(1000)));
    let mut report = |first: u64, count: usize, at: u64| {
        path.scream.on_report(&Report::new(first, &vec![Some((ms(at), Ecn::NotEct)); count], ms(at)), ms(at));
        (path.scream.reordering, path.scream.units.iter().filter(|unit| unit.is_lost).count())
    };
    assert_eq!(report(0, 2, 1050), (Duration::ZERO, 0));
    assert_eq!(report(3, 1, 1060), (Duration::ZERO, 1), "number 2 is missing, and none came late before");
    assert_eq!(report(2, 1, 1067).0, Duration::from_millis(7), "it does come");
    assert_eq!(report(5, 1, 1070).1, 0, "number 4 may come yet");
    assert_eq!(report(6, 1, 1077).1, 1, "no more");
}

#[test]
fn receiving_ecn_ce_for_l4s_alpha_rises_fast_and_falls_slowly() {
    let mut path = Path::new(Marking::L4s);
    path.round(8, 0, |n| Some(if n % 2 == 0 { Ecn::Ce } else { Ecn::Ect1 }));
    assert_eq!(path.scream.window.alpha(), 0.5 / 8.0);
    path.round(8, 0, |_| Some(Ecn::Ect1));
    assert_eq!(path.scream.window.alpha(), 0.5 / 8.0 * 127.0 / 128.0);
}

#[test]
fn detecting_increased_queue_delay_counts_from_half_of_the_target() {
    let mut path = Path::new(Marking::L4s);
    path.grow(60);
    let before = path.window();
    // 24 ms of queue are below half of the target of 60 ms.
    path.round(20, 24, |_| Some(Ecn::Ect1));
    let latest = path.scream.delay.latest().as_millis_f64();
    assert!((latest - 24.0).abs() < 0.1, "to within a tick of the report: {latest}");
    assert!(path.window() >= before);
    // A slow attack: a quarter of the way each time.
    let averaged = |path: &Path| path.scream.delay.averaged().as_millis_f64();
    let first = averaged(&path);
    path.round(20, 64, |_| Some(Ecn::Ect1));
    assert!((averaged(&path) - (first * 0.75 + 16.0)).abs() < 0.1, "{}", averaged(&path));
    for _ in 0..8 {
        path.round(20, 64, |_| Some(Ecn::Ect1));
    }
    assert!(path.window() < 0.7 * before, "{} of {before}", path.window());
    path.round(20, 0, |_| Some(Ecn::Ect1));
    assert!(averaged(&path) < 0.1, "and a fast decay: {}", averaged(&path));
}

#[test]
fn reference_window_reduction_loss_takes_0_3_and_a_classic_mark_0_2() {
    for (marking, arrival, left) in [
        (Marking::L4s, None, 0.7),
        (Marking::Classic, Some(Ecn::Ce), 0.8),
        (Marking::None, Some(Ecn::Ce), 1.0),
    ] {
        let mut path = Path::new(marking);
        path.grow(60);
        path.round(1, 0, |_| Some(Ecn::Ect0));
        let before = path.window();
        // One packet is lost or marked: the one before the last.
        let chosen = path.next + 8;
        path.round(10, 0, |n| if n == chosen { arrival } else { Some(Ecn::Ect0) });
        let now = path.window() / before;
        assert!((left..left + 0.02).contains(&now), "{marking:?}: {now}");
    }
}

#[test]
fn reference_window_reduction_l4s_goes_by_alpha_and_more_gently_near_the_last_maximum() {
    let mut path = Path::new(Marking::L4s);
    path.grow(80);
    let before = path.window();
    let count = (before / PACKET as f64) as u64;
    path.round(count, 0, |_| Some(Ecn::Ce));
    // Half of alpha over two virtual RTTs; the window was never reduced, and is far from where it was, then.
    let alpha = path.scream.window.alpha();
    assert!(alpha > 0.001, "{alpha}");
    let expected = 1.0 - alpha / 2.0 / 2.0;
    assert!((path.window() / before - expected).abs() < 1e-3, "{} and {expected}", path.window() / before);
    // Close to the maximum: a quarter of that.
    let before = path.window();
    path.round(10, 0, |n| Some(if n % 10 == 0 { Ecn::Ce } else { Ecn::Ect1 }));
    let alpha = path.scream.window.alpha();
    assert!(path.window() / before > 1.0 - alpha / 2.0 / 2.0 * 0.5, "{}", path.window() / before);
}

#[test]
fn reference_window_increase_is_additive_after_congestion_and_multiplicative_later() {
    let mut path = Path::new(Marking::L4s);
    path.grow(3);
    // From the minimum on, the window grows by some packets a round trip, faster as it is larger.
    let (mut before, mut steps) = (path.window(), Vec::new());
    for _ in 0..60 {
        path.grow(1);
        steps.push(path.window() - before);
        before = path.window();
    }
    assert!(steps[0] > 0.0 && steps[59] > 1.2 * steps[0], "{steps:?}");
    // Right after a loss at most one packet a round trip, and a quarter near the maximum.
    path.round(10, 0, |n| (n % 10 != 3).then_some(Ecn::Ect1));
    let before = path.window();
    path.grow(1);
    let step = path.window() - before;
    assert!(step > 0.0 && step <= 1.1 * PACKET as f64, "{step}");
}

#[test]
fn reference_window_increase_needs_bytes_in_flight() {
    let mut path = Path::new(Marking::L4s);
    path.grow(60);
    for _ in 0..200 {
        path.round(10, 0, |_| Some(Ecn::Ect1));
    }
    let before = path.window();
    path.round(10, 0, |_| Some(Ecn::Ect1));
    assert_eq!(path.window(), before, "half as much again as in flight, and no more");
}

#[test]
fn send_window_and_pacing() {
    let mut path = Path::new(Marking::L4s);
    assert!(path.scream.may_send(PACKET), "something may always be in flight");
    (0..8).for_each(|n| path.scream.on_sent(n, PACKET, ms(1000)));
    // MIN_REF_WND is 3,000 bytes, three times of which may be in flight.
    assert!(path.scream.may_send(PACKET) && !path.scream.may_send(PACKET + 1));
    // The target is 100 kbit/s: half as much again is 150 kbit/s.
    assert_eq!(path.scream.gap(PACKET), Rate::from_kbit(150).time_for(Bytes::new(PACKET)));
    let mut media = MediaRate::new(&parameters());
    media.update(1e9, Duration::from_millis(50));
    assert!(media.is_at_most());
    assert_eq!(media.pacing_rate(), Rate::from_mbit(20 * 6), "relaxed at the highest rate");
}

#[test]
fn media_rate_control_leaves_slack_and_adjusts_for_the_senders_queue() {
    let mut media = MediaRate::new(&parameters());
    let rtt = Duration::from_millis(50);
    let target = |media: &MediaRate| media.target().as_bits() as f64;
    media.update(50_000.0, rtt);
    let expected = 1000.0 / 1020.0 / 1.2 * 8.0 * 50_000.0 / 0.05;
    assert!((target(&media) / expected - 1.0).abs() < 1e-6);
    // The oldest packet has waited for two frame periods of 20 ms: each frame adds 1.75/16 to the divisor, up to 0.5.
    for _ in 0..3 {
        media.on_frame(Duration::from_millis(40), 1);
    }
    media.update(50_000.0, rtt);
    assert!((target(&media) / (expected * 1.2 / (1.2 + 3.0 * 1.75 / 16.0)) - 1.0).abs() < 1e-6);
    // A window of three packets: small windows get a little less.
    let mut media = MediaRate::new(&parameters());
    media.update(3000.0, rtt);
    assert!((target(&media) / (0.8 * expected * 3.0 / 50.0) - 1.0).abs() < 1e-5);
}

#[test]
fn silence_is_loss_and_does_not_stop_the_sender() {
    let mut path = Path::new(Marking::L4s);
    path.grow(60);
    let before = path.window();
    (0..60).for_each(|n| path.scream.on_sent(path.next + n, PACKET, ms(path.now)));
    let deadline = path.scream.deadline().expect("something is in flight");
    assert!(deadline <= ms(path.now + 1000));
    path.scream.on_silence(deadline);
    assert!((path.window() / before - 0.7).abs() < 0.01);
    assert!(path.scream.may_send(PACKET) && path.scream.deadline().is_none());
}

/// Sender and receiver with 10 ms in each direction and a queue before a link of `link` bit/s that marks from `mark_at` of delay
/// on. Returns the rates that the encoder had, and the longest delay in the queue in the second half, in ms.
fn converse(link: u64, mark_at: Duration, seconds: u64) -> (Vec<f64>, f64, Bench) {
    let (mut near, mut far) = (Bench::default(), Bench::default());
    let mut sender = ScreamSender::new(&parameters(), REMOTE, 1, Seed(1).stream(&["frames"]));
    let mut receiver = ScreamReceiver::new(9);
    sender.start(Time::ZERO, &mut near);
    receiver.start(Time::ZERO, &mut far);
    let (mut there, mut back) = (VecDeque::<(Time, Datagram)>::new(), VecDeque::<(Time, Datagram)>::new());
    let (mut sent, mut reported, mut free_at, mut longest) = (0, 0, Time::ZERO, Duration::ZERO);
    let delay = Duration::from_millis(10);
    for step in 0..seconds * 4000 {
        let now = Time::from_micros(250 * (step + 1));
        near.run(&mut sender, now);
        far.run(&mut receiver, now);
        while let Some((at, _, mut datagram)) = near.sent.get(sent).copied() {
            sent += 1;
            let begins = at.max(free_at);
            let queued = begins.since(at);
            if now > Time::from_secs(seconds / 2) {
                longest = longest.max(queued);
            }
            if queued >= mark_at {
                datagram.traffic_class |= 3;
            }
            free_at = begins + Rate::from_bits(link).time_for(Bytes::new(u64::from(datagram.length) + 28));
            there.push_back((free_at + delay, datagram));
        }
        while there.front().is_some_and(|(at, _)| *at <= now) {
            let (_, datagram) = there.pop_front().expect("just seen");
            far.deliver(&mut receiver, datagram);
        }
        while let Some((at, _, report)) = far.sent.get(reported).copied() {
            reported += 1;
            back.push_back((at + delay, report));
        }
        while back.front().is_some_and(|(at, _)| *at <= now) {
            let (_, report) = back.pop_front().expect("just seen");
            near.deliver(&mut sender, report);
        }
    }
    let is_rate = |metric: &jettison_measure::Metric| *metric == metrics::SEND_RATE;
    let rates = near.points.iter().filter(|(metric, ..)| is_rate(metric)).map(|(_, _, rate)| *rate).collect();
    (rates, longest.as_millis_f64(), far)
}

#[test]
fn with_marks_the_encoder_fills_most_of_a_link_and_its_queue_stays_short() {
    let (rates, longest, far) = converse(8_000_000, Duration::from_millis(1), 40);
    let half = &rates[rates.len() / 2..];
    let mean = half.iter().sum::<f64>() / half.len() as f64;
    assert!((4.0..8.0).contains(&mean), "{mean} Mbit/s of 8");
    assert!(longest < 30.0, "{longest} ms");
    let heads = far.sent.iter().filter_map(|(_, _, datagram)| Report::parse(datagram.head.as_slice()));
    assert!(heads.count() > 1000, "a report each frame, at least");
    assert_eq!(far.meter.loss(), Some(0.0));
}

#[test]
fn without_marks_the_delay_controls_the_rate() {
    let (rates, longest, _) = converse(4_000_000, Duration::from_secs(9), 40);
    let half = &rates[rates.len() / 2..];
    let mean = half.iter().sum::<f64>() / half.len() as f64;
    assert!((2.0..4.0).contains(&mean), "{mean} Mbit/s of 4");
    assert!(longest < 200.0, "{longest} ms");
}

#[test]
fn frames_are_skipped_while_the_senders_queue_is_long() {
    // 100 kbit/s are the least that the encoder makes, and the link has half of that.
    let (rates, _, far) = converse(50_000, Duration::from_secs(9), 60);
    assert_eq!(rates.last(), Some(&0.1));
    let frames = far.meter.frames().expect("frames came");
    assert!(frames.complete() < 2500, "{} of 3,000", frames.complete());
    // Three windows of 3,000 bytes take 1.4 s on that link.
    assert!(frames.mean_delay() < Duration::from_secs(2), "{}", frames.mean_delay());
}

#[test]
fn an_uncongested_path_gives_the_highest_rate() {
    let (rates, _, far) = converse(200_000_000, Duration::from_millis(1), 30);
    assert_eq!(rates.last(), Some(&20.0));
    let first = far.sent.first().expect("a report").2;
    assert_eq!(first.traffic_class & 3, 0, "reports are not ECN-capable");
    assert!(PacketHead::parse(first.head.as_slice()).is_none() || first.length <= 40);
}
