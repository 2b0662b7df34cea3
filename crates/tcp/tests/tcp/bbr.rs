//! BBR (draft-cardwell-iccrg-bbr-congestion-control-00) from end to end.

use std::sync::{Arc, Mutex, MutexGuard};

use jettison_core::{Duration, Rate, Seed, Time};
use jettison_tcp::Payload;
use jettison_tcp::TcpParameters;
use jettison_tcp::congestion::{
    AckSample, Bbr, BbrParameters, BbrState, CongestionController, CongestionEvent, ControllerContext,
    Growth, HyStart, IdleRestart, RecoveryControl, RecoveryEnd, ReduceFrom, RtoEvent, SentSample,
};

use crate::harness::*;

/// A controller that the test can inspect while a connection owns it.
#[derive(Debug, Clone)]
struct Watched(Arc<Mutex<Bbr>>);

impl Watched {
    fn new(flow: usize) -> Watched {
        let random = Seed(1).stream(&["flows", &format!("flow-{flow}"), "congestion"]);
        let context = ControllerContext {
            mss: MSS,
            initial_window: 10 * MSS,
            growth: Growth::PerByte,
            reduce_from: ReduceFrom::Flight,
            hystart: HyStart::Auto,
            paced: false,
            random: Some(random),
        };
        Watched(Arc::new(Mutex::new(Bbr::new(
            BbrParameters { pacing_margin: 0.0, ..BbrParameters::default() },
            &context,
        ))))
    }
    fn bbr(&self) -> MutexGuard<'_, Bbr> {
        self.0.lock().expect("one thread")
    }
}

impl CongestionController for Watched {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.bbr().on_established(mss, initial_window);
    }
    fn on_handshake(&mut self, now: Time, rtt: Option<Duration>) {
        self.bbr().on_handshake(now, rtt);
    }
    fn on_ack(&mut self, ack: &AckSample) {
        self.bbr().on_ack(ack);
    }
    fn on_sent(&mut self, sent: &SentSample) {
        self.bbr().on_sent(sent);
    }
    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.bbr().on_congestion(event);
    }
    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.bbr().on_recovery_end(end);
    }
    fn on_rto(&mut self, event: &RtoEvent) {
        self.bbr().on_rto(event);
    }
    fn on_spurious_recovery(&mut self) {
        self.bbr().on_spurious_recovery();
    }
    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.bbr().on_idle_restart(restart);
    }
    fn window(&self) -> u64 {
        self.bbr().window()
    }
    fn ssthresh(&self) -> u64 {
        self.bbr().ssthresh()
    }
    fn pacing_rate(&self) -> Option<Rate> {
        self.bbr().pacing_rate()
    }
    fn pacing_quantum(&self) -> Option<u64> {
        self.bbr().pacing_quantum()
    }
    fn recovery_control(&self) -> RecoveryControl {
        self.bbr().recovery_control()
    }
}

/// Flows over one bottleneck of 10 Mbit/s and 20 ms; with headers, 24 segments fill the path.
struct Path {
    net: Net,
    watched: Vec<Watched>,
}

const RATE: Rate = Rate::from_mbit(10);
/// An IP packet of 1,052 bytes carries 1,000 bytes of payload.
const GOODPUT: f64 = 1000.0 / 1052.0;

impl Path {
    /// Creates flows with start times in seconds; nothing is written yet.
    fn new(buffer: usize, starts: &[u64]) -> Path {
        let mut net = Net::new(ms(10)).with_bottleneck(RATE, buffer);
        net.keeps_log = false;
        let watched: Vec<Watched> = (0..starts.len()).map(Watched::new).collect();
        let parameters = parameters();
        for (own, start) in watched.iter().zip(starts) {
            let ends: [Box<dyn CongestionController>; 2] =
                [Box::new(own.clone()), Box::new(Watched::new(99))];
            net.add_flow_with([&parameters; 2], ends, Time::from_secs(*start), [77, 99]);
        }
        Path { net, watched }
    }

    fn bulk(buffer: usize, starts: &[u64]) -> Path {
        let mut path = Path::new(buffer, starts);
        for flow in &mut path.net.flows {
            flow.client.write(Payload::Zeros(u64::MAX / 2));
        }
        path
    }

    /// Runs to `until` and returns each flow's goodput since as a share of the link.
    fn shares(&mut self, until: Time) -> Vec<f64> {
        let received = |net: &Net| net.flows.iter().map(|flow| flow.received_bytes[1]).collect::<Vec<u64>>();
        let (before, since) = (received(&self.net), self.net.now);
        self.net.run_until(until);
        let seconds = until.since(since).as_secs_f64();
        let bits = |(after, before): (u64, u64)| (after - before) as f64 * 8.0;
        let all = received(&self.net).into_iter().zip(before);
        all.map(|pair| bits(pair) / seconds / RATE.as_bits() as f64).collect()
    }

    /// Adds random loss of data, in per mille.
    fn with_loss(mut self, per_mille: u64) -> Path {
        let mut state = 12_345u64;
        self.net.script(move |seen| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seen.length > 0 && (state >> 33) % 1000 < per_mille { Fate::Drop } else { Fate::Pass }
        });
        self
    }

    /// Runs to `until` in steps of a millisecond; returns the times and states of transitions.
    fn states(&mut self, until: Time) -> Vec<(Time, BbrState)> {
        let mut states = Vec::new();
        while self.net.now < until {
            let state = self.watched[0].bbr().state();
            if states.last().is_none_or(|(_, last)| *last != state) {
                states.push((self.net.now, state));
            }
            let next = self.net.now + ms(1);
            self.net.run_until(next);
        }
        states
    }
}

fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

#[test]
fn one_flow_fills_the_link_and_finds_its_rate_and_rtt() {
    let mut path = Path::bulk(100, &[0]);
    path.net.run_until(Time::from_secs(5));
    path.net.found = Found::default();
    let share = path.shares(Time::from_secs(30))[0];
    assert!(share > 0.97 * GOODPUT, "{share}");
    assert_eq!(path.net.drops, 0);
    let bbr = path.watched[0].bbr();
    let rate = bbr.bandwidth().as_bits() as f64 / (GOODPUT * RATE.as_bits() as f64);
    assert!((0.99..1.05).contains(&rate), "BtlBw is {rate} of the link");
    let rtprop = bbr.rtprop().expect("many samples");
    assert!((ms(20)..ms(23)).contains(&rtprop), "{rtprop}");
    // A loss-based flow would fill the hundred packets.
    assert!(path.net.found.mean() < 24.0, "{}", path.net.found.mean());
}

#[test]
fn draft_4_3_2_and_4_3_3_startup_fills_the_path_and_drain_empties_the_queue() {
    let mut path = Path::bulk(400, &[0]);
    let states = path.states(at(1000));
    let names: Vec<BbrState> = states.iter().map(|(_, state)| *state).collect();
    assert_eq!(names, [BbrState::Startup, BbrState::Drain, BbrState::ProbeBw]);
    // From 10 segments per round, doubling: two rounds to fill the path, three more to detect it.
    assert!(states[1].0 < at(400), "{states:?}");
    let drain = states[2].0.since(states[1].0);
    assert!(drain < ms(150), "about a round of the full queue: {drain}");
    assert!(path.net.found.most > 24, "Startup queued: {}", path.net.found.most);
    path.net.found = Found::default();
    path.net.run_until(at(2000));
    assert!(path.net.found.mean() < 24.0, "{}", path.net.found.mean());
}

#[test]
fn draft_4_3_5_probe_rtt_comes_every_ten_seconds_and_costs_two_percent() {
    let mut path = Path::bulk(100, &[0]);
    let states = path.states(Time::from_secs(65));
    let begins: Vec<Time> =
        states.iter().filter(|(_, state)| *state == BbrState::ProbeRtt).map(|(at, _)| *at).collect();
    assert!((5..=6).contains(&begins.len()), "{states:?}");
    for pair in begins.windows(2) {
        let period = pair[1].since(pair[0]);
        assert!((ms(10_000)..ms(10_800)).contains(&period), "{period}");
    }
    for window in states.windows(2).filter(|window| window[0].1 == BbrState::ProbeRtt) {
        let length = window[1].0.since(window[0].0);
        assert!((ms(200)..ms(350)).contains(&length), "{length}");
        assert_eq!(window[1].1, BbrState::ProbeBw);
    }
}

#[test]
fn two_flows_share_a_link_evenly() {
    for second in [1, 5] {
        let mut path = Path::bulk(100, &[0, second]);
        path.net.run_until(Time::from_secs(10));
        let shares = path.shares(Time::from_secs(70));
        assert!(jain(&shares) > 0.9, "{shares:?}");
        assert!(shares.iter().sum::<f64>() > 0.95 * GOODPUT, "{shares:?}");
    }
}

#[test]
fn draft_4_1_1_4_an_application_limited_flow_keeps_its_estimate_and_its_window() {
    let mut path = Path::new(100, &[0]);
    path.net.run_until(at(60));
    path.net.send(4_000_000);
    path.net.run_until(Time::from_secs(5));
    let bandwidth = path.watched[0].bbr().bandwidth();
    let window = path.watched[0].bbr().window();
    assert!(bandwidth.as_mbit_f64() > 9.0);
    // Four segments every 50 ms are 0.6 Mbit/s, for hundreds of rounds.
    for step in 0..400 {
        path.net.send(4 * MSS);
        path.net.run_until(at(5000 + 50 * (step + 1)));
    }
    assert_eq!(path.watched[0].bbr().bandwidth(), bandwidth);
    assert!(path.watched[0].bbr().window() >= window);
    // New data then leaves at that rate: 100 segments in little more than the 84 ms that they take.
    let before = path.net.flows[0].received_bytes[1];
    path.net.send(100 * MSS);
    path.net.run_until(at(25_000 + 115));
    assert_eq!(path.net.flows[0].received_bytes[1] - before, 100 * MSS);
}

#[test]
fn draft_4_3_4_4_after_a_long_pause_data_leaves_paced_at_the_bandwidth() {
    let mut path = Path::new(100, &[0]);
    path.net.run_until(at(60));
    path.net.send(4_000_000);
    path.net.run_until(Time::from_secs(15));
    path.net.keeps_log = true;
    path.net.found = Found::default();
    path.net.send(200 * MSS);
    path.net.run_until(at(15_015));
    // Within the first RTT, before any ACK: the bytes of 15 ms at BtlBw, not a window at once.
    let segments = path.net.segments().len();
    assert!((17..=20).contains(&segments), "{segments}");
    path.net.run_until(at(15_400));
    assert_eq!(path.net.flows[0].received_bytes[1], 4_000_000 + 200 * MSS);
    assert!(path.net.found.most <= 24, "{}", path.net.found.most);
}

#[test]
fn draft_3_2_random_loss_costs_little_more_than_the_lost_packets() {
    let mut path = Path::bulk(100, &[0]).with_loss(50);
    path.net.run_until(Time::from_secs(5));
    let share = path.shares(Time::from_secs(65))[0];
    assert!(share > 0.85 * GOODPUT, "{share}");
    let statistics = path.net.statistics();
    assert!(statistics.recoveries > 100, "{statistics:?}");

    let mut newreno = Net::new(ms(10)).with_bottleneck(RATE, 100);
    let parameters = TcpParameters { rack_tlp: true, ..parameters() };
    newreno.keeps_log = false;
    newreno.add_flow(&parameters, &parameters, Time::ZERO, [77, 99]);
    newreno.flows[0].client.write(Payload::Zeros(u64::MAX / 2));
    let mut path = Path { net: newreno, watched: Vec::new() }.with_loss(50);
    path.net.run_until(Time::from_secs(5));
    assert!(
        path.shares(Time::from_secs(65))[0] < 0.5 * share,
        "a loss-based flow has less than half of that"
    );
}

#[test]
fn draft_4_2_3_4_after_an_outage_the_rate_is_back_at_once() {
    let mut path = Path::bulk(100, &[0]);
    path.net.script(|seen| {
        let is_out = (at(5000)..at(5600)).contains(&seen.at);
        if is_out { Fate::Drop } else { Fate::Pass }
    });
    path.net.run_until(Time::from_secs(5));
    let window = path.watched[0].bbr().window();
    path.net.run_until(at(7000));
    assert!(path.net.statistics().timeouts > 0);
    assert!(path.watched[0].bbr().window() + 2 * MSS >= window);
    let share = path.shares(Time::from_secs(10))[0];
    assert!(share > 0.95 * GOODPUT, "{share}");
}

#[test]
fn a_shallow_buffer_does_not_starve_the_flow() {
    // Eight packets are a third of the path: the excess of probing is lost, and the rate does not fall.
    let mut path = Path::bulk(8, &[0]);
    path.net.run_until(Time::from_secs(5));
    let share = path.shares(Time::from_secs(35))[0];
    assert!(share > 0.93 * GOODPUT, "{share}");
}
