//! Inputs of congestion controllers from the transport, and the effect of their outputs.

use std::sync::{Arc, Mutex};

use jettison_core::{Rate, Time};
use jettison_tcp::Payload;
use jettison_tcp::congestion::{
    AckSample, CongestionController, CongestionEvent, CongestionKind, EcnFeedback, EcnUse, IdleRestart,
    Phase, RecoveryControl, RecoveryEnd, RtoEvent, SentSample,
};
use jettison_tcp::{EcnSwitch, TcpParameters};
use jettison_wire::{Ecn, TcpFlags};

use crate::harness::*;

#[derive(Debug, Default)]
struct Inputs {
    established: Vec<(u64, u64)>,
    acks: Vec<AckSample>,
    sent: Vec<SentSample>,
    congestion: Vec<CongestionEvent>,
    ends: Vec<RecoveryEnd>,
    timeouts: Vec<RtoEvent>,
    restarts: Vec<IdleRestart>,
}

/// A controller with a constant window that records all inputs.
#[derive(Debug, Clone)]
struct Recorder {
    inputs: Arc<Mutex<Inputs>>,
    window: u64,
    ssthresh: u64,
    rate: Option<Rate>,
    control: RecoveryControl,
    ecn: EcnUse,
}

impl Recorder {
    fn new(window: u64) -> Recorder {
        Recorder {
            inputs: Arc::default(),
            window,
            ssthresh: u64::MAX,
            rate: None,
            control: RecoveryControl::Transport,
            ecn: EcnUse { codepoint: Ecn::Ect0, feedback: EcnFeedback::Classic },
        }
    }
    fn inputs(&self) -> std::sync::MutexGuard<'_, Inputs> {
        self.inputs.lock().expect("one thread")
    }
}

impl CongestionController for Recorder {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.inputs().established.push((mss, initial_window));
    }
    fn on_ack(&mut self, ack: &AckSample) {
        self.inputs().acks.push(*ack);
    }
    fn on_sent(&mut self, sent: &SentSample) {
        self.inputs().sent.push(*sent);
    }
    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.ssthresh = self.window / 2;
        self.inputs().congestion.push(*event);
    }
    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.inputs().ends.push(*end);
    }
    fn on_rto(&mut self, event: &RtoEvent) {
        self.inputs().timeouts.push(*event);
    }
    fn on_spurious_recovery(&mut self) {}
    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.inputs().restarts.push(*restart);
    }
    fn window(&self) -> u64 {
        self.window
    }
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }
    fn recovery_control(&self) -> RecoveryControl {
        self.control
    }
    fn ecn(&self) -> EcnUse {
        self.ecn
    }
}

/// A flow with that controller at both ends, established after three times the delay.
fn established(mut net: Net, parameters: &TcpParameters, recorder: &Recorder) -> Net {
    let peer = Recorder { inputs: Arc::default(), ..recorder.clone() };
    net.add_flow_with([parameters; 2], [Box::new(recorder.clone()), Box::new(peer)], Time::ZERO, [7, 8]);
    net.run_until(at(60));
    assert!(net.client().is_established());
    net.log.clear();
    net
}

#[test]
fn rate_samples_measure_the_bottleneck() {
    let recorder = Recorder::new(60 * MSS);
    let net = Net::new(ms(20)).with_bottleneck(Rate::from_mbit(8), 1000);
    let mut net = established(net, &parameters(), &recorder);
    net.send(u64::MAX / 4);
    net.run_until(Time::from_secs(3));
    let inputs = recorder.inputs();
    assert_eq!(inputs.established, [(MSS, 10 * MSS)]);
    let last = inputs.acks.last().expect("many");
    let rate = last.rate.rate().expect("a sample").as_bits() as f64;
    // An IP packet of 1,052 bytes carries 1,000 bytes of payload.
    let expected = 8e6 * 1000.0 / 1052.0;
    assert!((rate / expected - 1.0).abs() < 0.05, "{rate} against {expected}");
    assert!(!last.rate.is_app_limited && last.is_window_limited);
    assert_eq!(last.delivered_total, last.acknowledged);
    assert_eq!(last.in_flight, last.next_offset - last.acknowledged);
    assert!(inputs.acks.iter().all(|ack| ack.delivered == ack.acked && ack.lost == 0));
    // 60 segments in flight at 8 Mbit/s take 63 ms per round.
    let rounds = inputs.acks.iter().filter(|ack| ack.is_round_start).count();
    assert!((40..55).contains(&rounds), "{rounds}");
}

#[test]
fn samples_of_an_idle_application_are_app_limited() {
    let recorder = Recorder::new(60 * MSS);
    let mut net = established(Net::new(ms(20)), &parameters(), &recorder);
    for step in 0..10 {
        net.send(4 * MSS);
        net.run_until(at(60 + 10 * (step + 1)));
    }
    net.run_until(at(1000));
    let inputs = recorder.inputs();
    assert!(inputs.acks.iter().skip(2).all(|ack| ack.rate.is_app_limited && !ack.is_window_limited));
    assert!(inputs.sent.iter().skip(4).all(|sent| sent.is_app_limited));
}

#[test]
fn rfc7661_4_4_1_recovery_reports_loss_flight_size_and_retransmitted_bytes() {
    let recorder = Recorder::new(20 * MSS);
    let mut net = established(Net::new(ms(20)), &parameters(), &recorder);
    net.script(lose(&[20, 23, 30]));
    net.send(200 * MSS);
    net.run_until(Time::from_secs(2));
    let inputs = recorder.inputs();
    assert_eq!((inputs.congestion.len(), inputs.ends.len()), (1, 1));
    let (event, end) = (inputs.congestion[0], inputs.ends[0]);
    assert_eq!(event.kind, CongestionKind::Loss);
    // Two segments of limited transmit are beyond the window, as two are SACKed.
    assert_eq!((event.flight_size, event.in_flight), (22 * MSS, 20 * MSS));
    assert_eq!((end.loss_flight_size, end.retransmitted, end.window), (22 * MSS, 3 * MSS, 10 * MSS));
    assert_eq!(inputs.acks.iter().map(|ack| ack.lost).sum::<u64>(), 3 * MSS);
    assert_eq!(inputs.acks.iter().map(|ack| ack.delivered).sum::<u64>(), 200 * MSS);
    assert!(inputs.acks.iter().any(|ack| ack.phase == Phase::Recovery));
    assert_eq!(inputs.sent.iter().filter(|sent| sent.is_retransmission).count(), 3);
}

#[test]
fn a_controller_may_pace_and_keep_its_window_through_recovery() {
    let recorder = Recorder {
        rate: Some(Rate::from_mbit(4)),
        control: RecoveryControl::Controller,
        ..Recorder::new(40 * MSS)
    };
    let mut net = established(Net::new(ms(20)), &parameters(), &recorder);
    net.script(lose(&[30, 31]));
    net.send(u64::MAX / 4);
    net.run_until(at(400));
    assert_eq!(net.statistics().recoveries, 1);
    // 4 Mbit/s is a segment every 2 ms, with or without losses, and 20 of them fill the path.
    let times: Vec<Time> = net.sent_by(Client).iter().map(|seen| seen.at).collect();
    assert!(times.len() > 160);
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == ms(2)), "{times:?}");
    assert_eq!(net.statistics().pacing_rate, Some(Rate::from_mbit(4)));
}

#[test]
fn rfc8257_3_3_marked_bytes_are_reported_segment_by_segment() {
    let ecn = EcnUse { codepoint: Ecn::Ect1, feedback: EcnFeedback::PerPacket };
    let recorder = Recorder { ecn, ..Recorder::new(20 * MSS) };
    let parameters = TcpParameters { ecn: EcnSwitch::On, ..parameters() };
    let mut net = established(Net::new(ms(20)), &parameters, &recorder);
    let marked = [5, 6, 7, 12, 40, 41];
    net.script(move |seen| match seen.segment() {
        Some(segment) if marked.contains(&segment) => Fate::Mark,
        _ => Fate::Pass,
    });
    net.send(100 * MSS);
    net.run_until(Time::from_secs(2));
    assert!(net.sent_by(Client).iter().filter(|seen| seen.length > 0).all(|seen| seen.ecn == Ecn::Ect1));
    let inputs = recorder.inputs();
    assert_eq!(inputs.acks.iter().map(|ack| ack.ce_bytes).sum::<u64>(), 6 * MSS);
    let kinds: Vec<CongestionKind> = inputs.congestion.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [CongestionKind::Ecn, CongestionKind::Ecn], "once per window of data");
}

#[test]
fn timeouts_and_idle_restarts_are_reported() {
    let recorder = Recorder::new(20 * MSS);
    let mut net =
        established(Net::new(ms(20)), &TcpParameters { rack_tlp: false, ..parameters() }, &recorder);
    net.script(|seen| if seen.from == Client && seen.at < at(900) { Fate::Drop } else { Fate::Pass });
    net.send(4 * MSS);
    net.run_until(Time::from_secs(4));
    net.send(MSS);
    net.run_until(Time::from_secs(5));
    let inputs = recorder.inputs();
    let timeouts: Vec<(u64, bool)> =
        inputs.timeouts.iter().map(|event| (event.flight_size, event.is_repeated)).collect();
    assert_eq!(timeouts, [(4 * MSS, false), (4 * MSS, true), (4 * MSS, true)]);
    assert_eq!(inputs.restarts.len(), 1);
    assert_eq!(inputs.restarts[0].restart_window, Some(10 * MSS));
    assert!(inputs.restarts[0].idle > ms(2000));
}

#[test]
fn the_negotiated_segment_size_is_reported() {
    let recorder = Recorder::new(20 * MSS);
    let mut net = Net::new(ms(20));
    let small = TcpParameters { mss: 400, ..parameters() };
    net.add_flow_with(
        [&parameters(), &small],
        [Box::new(recorder.clone()), Box::new(Recorder::new(4000))],
        Time::ZERO,
        [1, 2],
    );
    net.client().write(Payload::Zeros(MSS));
    net.run_until(at(500));
    assert_eq!(recorder.inputs().established, [(400, 4000)]);
    assert!(net.log.iter().any(|seen| seen.length == 200 && seen.is(TcpFlags::PSH)));
}
