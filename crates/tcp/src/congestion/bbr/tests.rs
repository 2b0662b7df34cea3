//! The rules of the draft. Those of other implementations are in `options`.

mod options;

use jettison_core::Seed;

use super::super::testing::{MSS, context, rto};
use super::*;
use crate::congestion::{ControllerContext, RateSample};

/// Parameters as in the draft, which paces at the bandwidth itself.
fn draft() -> BbrParameters {
    BbrParameters { pacing_margin: 0.0, ..BbrParameters::default() }
}

const MS: fn(u64) -> Duration = Duration::from_millis;
/// The path of most tests: 10 Mbit/s and 20 ms hold 25,000 bytes.
const RATE: Rate = Rate::from_mbit(10);
const RTT: Duration = Duration::from_millis(20);
const BDP: u64 = 25_000;

/// The controller, and the connection state that its transport would have.
struct Driven {
    bbr: Bbr,
    now: Time,
    delivered: u64,
    lost: u64,
    in_flight: u64,
}

/// The inputs of one ACK that differ between tests.
#[derive(Clone, Copy)]
struct AckInput {
    delivered: u64,
    lost: u64,
    in_flight: u64,
    rate: Rate,
    is_app_limited: bool,
    rtt: Option<Duration>,
    is_round_start: bool,
    phase: Phase,
}

const ACK: AckInput = AckInput {
    delivered: 2 * MSS,
    lost: 0,
    in_flight: BDP,
    rate: RATE,
    is_app_limited: false,
    rtt: Some(RTT),
    is_round_start: false,
    phase: Phase::Open,
};

/// An ACK that begins a round.
const ROUND: AckInput = AckInput { is_round_start: true, ..ACK };

impl Driven {
    /// Established at 0 with a handshake of 20 ms.
    fn new() -> Driven {
        Driven::with(draft(), &context())
    }

    fn with(parameters: BbrParameters, context: &ControllerContext) -> Driven {
        let mut bbr = Bbr::new(parameters, context);
        bbr.on_established(context.mss, context.initial_window);
        bbr.on_handshake(Time::ZERO, Some(RTT));
        Driven { bbr, now: Time::ZERO, delivered: 0, lost: 0, in_flight: 10 * MSS }
    }

    fn ack(&mut self, after: Duration, input: AckInput) {
        self.now += after;
        let prior_delivered = if input.is_round_start { self.delivered } else { 0 };
        self.delivered += input.delivered;
        self.lost += input.lost;
        // As many bytes as make the sample exactly the rate, over one millisecond.
        let interval = if input.delivered > 0 { MS(1) } else { Duration::ZERO };
        let ack = AckSample {
            now: self.now,
            delivered: input.delivered,
            acked: input.delivered,
            lost: input.lost,
            delivered_total: self.delivered,
            lost_total: self.lost,
            rate: RateSample {
                delivered: input.rate.bytes_in(MS(1)).get(),
                interval,
                prior_delivered,
                is_app_limited: input.is_app_limited,
                ack_interval: interval,
                is_sender_idle: input.is_app_limited,
            },
            in_flight_before: self.in_flight,
            in_flight: input.in_flight,
            rtt: input.rtt,
            phase: input.phase,
            ..super::super::testing::ack(input.delivered)
        };
        self.in_flight = input.in_flight;
        self.bbr.on_ack(&ack);
    }

    fn congestion(&mut self, kind: CongestionKind, lost: u64) {
        self.lost += lost;
        self.bbr.on_congestion(&CongestionEvent {
            now: self.now,
            kind,
            flight_size: self.in_flight,
            in_flight: self.in_flight,
            lost,
            recovery_point: 100 * MSS,
        });
        self.in_flight -= lost;
    }

    fn recovery_end(&mut self) {
        self.bbr.on_recovery_end(&RecoveryEnd {
            now: self.now,
            kind: CongestionKind::Loss,
            window: u64::MAX,
            flight_size: BDP,
            loss_flight_size: BDP,
            retransmitted: MSS,
        });
    }

    fn sent(&mut self, in_flight: u64, is_app_limited: bool) {
        self.bbr.on_sent(&SentSample {
            now: self.now,
            bytes: MSS,
            is_retransmission: false,
            in_flight,
            next_offset: 0,
            is_app_limited,
        });
    }

    /// Runs Startup's rounds until the pipe is full, with the window full too.
    fn fill(&mut self) {
        for _ in 0..4 {
            self.ack(RTT, AckInput { delivered: 30 * MSS, in_flight: 4 * BDP, ..ROUND });
        }
        assert_eq!(self.bbr.state(), BbrState::Drain);
    }

    /// Enters the first phase of ProbeBW, which is the probing one without a random stream.
    fn probe(&mut self) {
        self.fill();
        self.ack(RTT, ACK);
        assert_eq!((self.bbr.state(), self.bbr.pacing_gain()), (BbrState::ProbeBw, 1.25));
    }

    /// Moves from ProbeBW into ProbeRTT, ten seconds later, with the same flight.
    fn probe_rtt(&mut self) {
        let last = self.now;
        self.ack(Duration::from_secs(10), AckInput { rtt: Some(MS(30)), ..ROUND });
        assert_eq!(self.bbr.state(), BbrState::ProbeBw, "RTprop was last seen at {last}");
        self.ack(MS(1), AckInput { rtt: Some(MS(30)), ..ACK });
        assert_eq!(self.bbr.state(), BbrState::ProbeRtt);
    }
}

#[test]
fn draft_4_1_1_3_rounds_end_with_data_sent_after_they_began() {
    let mut model = PathModel::new(&draft(), MSS);
    let mut delivered = 0;
    let mut round = |prior_delivered| {
        delivered += MSS;
        let rate = RateSample { prior_delivered, ..RateSample::default() };
        model.update_bandwidth(&AckSample {
            delivered: MSS,
            delivered_total: delivered,
            rate,
            ..super::super::testing::ack(MSS)
        });
        model.is_round_start()
    };
    // The first flight left before any delivery; the third segment after the first delivery.
    assert_eq!(
        [round(0), round(0), round(MSS), round(MSS), round(3 * MSS)],
        [true, false, true, false, true]
    );
}

#[test]
fn draft_4_1_1_4_application_limited_samples_only_raise_the_bandwidth() {
    let mut driven = Driven::new();
    driven.ack(RTT, ROUND);
    for _ in 0..30 {
        driven.ack(RTT, AckInput { rate: Rate::from_mbit(1), is_app_limited: true, ..ROUND });
    }
    assert_eq!(driven.bbr.bandwidth(), RATE, "not even after thirty rounds");
    driven.ack(RTT, AckInput { rate: Rate::from_mbit(11), is_app_limited: true, ..ROUND });
    assert_eq!(driven.bbr.bandwidth(), Rate::from_mbit(11));
    for _ in 0..10 {
        driven.ack(RTT, AckInput { rate: Rate::from_mbit(1), ..ROUND });
    }
    assert_eq!(driven.bbr.bandwidth(), Rate::from_mbit(1), "ten rounds of the path's own");
}

#[test]
fn draft_4_1_2_rtprop_is_the_lowest_rtt_of_the_segment_sent_last() {
    let mut driven = Driven::new();
    assert_eq!(driven.bbr.rtprop(), Some(RTT), "the handshake's");
    driven.ack(RTT, AckInput { rtt: Some(MS(15)), ..ACK });
    driven.ack(RTT, AckInput { rtt: None, ..ACK });
    driven.ack(RTT, AckInput { rtt: Some(MS(40)), ..ACK });
    assert_eq!(driven.bbr.rtprop(), Some(MS(15)));
}

#[test]
fn draft_4_2_1_the_initial_window_is_paced_over_the_first_rtt_sample() {
    // 10,000 bytes over 20 ms are 4 Mbit/s; over one millisecond 80 Mbit/s.
    let bbr = Driven::new().bbr;
    assert_eq!(bbr.pacing_rate(), Some(Rate::from_mbit(4).mul_f64(gains::HIGH_GAIN)));
    let mut driven = Driven::new();
    driven.bbr = Bbr::new(draft(), &context());
    driven.bbr.on_established(MSS, 10 * MSS);
    driven.bbr.on_handshake(Time::ZERO, None);
    assert_eq!(driven.bbr.pacing_rate(), Some(Rate::from_mbit(80).mul_f64(gains::HIGH_GAIN)));
    assert_eq!(driven.bbr.in_flight_for(2.0), 10 * MSS, "draft §4.2.3.2: no RTT yet");
    driven.ack(RTT, AckInput { rate: Rate::from_mbit(1), ..ACK });
    assert_eq!(driven.bbr.pacing_rate(), Some(Rate::from_mbit(4).mul_f64(gains::HIGH_GAIN)));
}

#[test]
fn the_initial_window_is_paced_by_the_configured_rtt() {
    let guess = BbrParameters { initial_rtt: MS(200), ..draft() };
    let mut bbr = Bbr::new(guess, &context());
    bbr.on_established(MSS, 10 * MSS);
    // 10,000 bytes in 200 ms.
    assert_eq!(bbr.pacing_rate(), Some(Rate::from_kbit(400).mul_f64(gains::HIGH_GAIN)));
    assert_eq!(
        (bbr.rtprop(), CongestionController::bandwidth(&bbr)),
        (None, None),
        "the configured RTT is not a sample"
    );
    bbr.on_ack(&AckSample { smoothed_rtt: RTT, ..super::super::testing::ack(MSS) });
    assert_eq!(bbr.pacing_rate(), Some(Rate::from_mbit(4).mul_f64(gains::HIGH_GAIN)), "once it is known");
    assert_eq!(bbr.rtprop(), Some(RTT));
}

#[test]
fn the_reported_bandwidth_is_btlbw() {
    let mut driven = Driven::new();
    assert_eq!(CongestionController::bandwidth(&driven.bbr), None);
    driven.ack(RTT, ROUND);
    assert_eq!(CongestionController::bandwidth(&driven.bbr), Some(RATE));
}

#[test]
fn out_of_range_times_are_refused() {
    for parameters in [
        BbrParameters { initial_rtt: Duration::from_secs(61), ..BbrParameters::default() },
        BbrParameters { bandwidth_window_time: Duration::from_secs(61), ..BbrParameters::default() },
    ] {
        assert!(parameters.validate().is_err_and(|error| error.message().contains("at most a minute")));
    }
}

#[test]
fn draft_4_2_1_until_the_pipe_is_full_the_rate_only_rises() {
    let mut driven = Driven::new();
    let initial = driven.bbr.pacing_rate();
    driven.ack(RTT, AckInput { rate: Rate::from_mbit(1), ..ROUND });
    assert_eq!(driven.bbr.pacing_rate(), initial);
    driven.ack(RTT, ROUND);
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE.mul_f64(gains::HIGH_GAIN)));
    driven.fill();
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE.mul_f64(1.0 / gains::HIGH_GAIN)));
}

#[test]
fn draft_4_2_2_the_send_quantum_grows_with_the_rate() {
    let quantum = |mbit: f64, own: u32| {
        let mut driven = Driven::with(BbrParameters { send_quantum: own, ..draft() }, &context());
        driven.bbr.pacing_rate = Rate::from_mbit(1).mul_f64(mbit);
        driven.bbr.choose_quantum();
        driven.bbr.pacing_quantum()
    };
    assert_eq!(quantum(1.199, 0), Some(MSS));
    assert_eq!(quantum(1.2, 0), Some(2 * MSS));
    assert_eq!(quantum(23.999, 0), Some(2 * MSS));
    assert_eq!(quantum(24.0, 0), Some(3000));
    assert_eq!(quantum(400.0, 0), Some(50_000));
    assert_eq!(quantum(1000.0, 0), Some(64_000));
    assert_eq!(quantum(1000.0, 1), Some(MSS), "as configured");
}

#[test]
fn draft_4_2_3_2_the_target_is_a_gain_times_the_path_and_three_quanta() {
    let mut driven = Driven::new();
    driven.ack(RTT, ROUND);
    // Startup paces at 28.9 Mbit/s: 3,606 bytes per millisecond.
    let quantum = driven.bbr.pacing_quantum().unwrap();
    assert_eq!(quantum, 3606);
    assert_eq!(driven.bbr.in_flight_for(2.0), 2 * BDP + 3 * quantum);
}

#[test]
fn draft_4_2_3_6_the_window_grows_by_delivered_bytes_up_to_the_target() {
    let mut driven = Driven::new();
    assert_eq!(driven.bbr.window(), 10 * MSS);
    // Growth is unbounded until an initial window has been delivered.
    driven.ack(RTT, AckInput { delivered: 9 * MSS, rate: Rate::from_kbit(8), ..ROUND });
    assert_eq!(driven.bbr.window(), 19 * MSS);
    driven.ack(RTT, AckInput { rate: Rate::from_kbit(8), ..ACK });
    assert_eq!(driven.bbr.window(), 19 * MSS, "above the target of a slow path");
    driven.ack(RTT, ROUND);
    assert_eq!(driven.bbr.window(), 21 * MSS);
    driven.probe();
    for _ in 0..50 {
        driven.ack(MS(1), ACK);
    }
    assert_eq!(driven.bbr.window(), 2 * BDP + 6 * MSS, "the pipe is full: cut to the target at once");
}

#[test]
fn draft_4_2_3_3_the_window_is_never_below_four_segments() {
    let mut driven = Driven::new();
    driven.probe();
    for _ in 0..11 {
        driven.ack(RTT, AckInput { rate: Rate::from_kbit(8), ..ROUND });
    }
    // 8 kbit/s and 20 ms hold 20 bytes: three quanta of a segment are less than four segments.
    assert_eq!(driven.bbr.window(), 4 * MSS);
}

#[test]
fn draft_4_2_3_4_recovery_conserves_packets_for_a_round_then_grows_and_the_window_comes_back() {
    let mut driven = Driven::new();
    driven.probe();
    let before = driven.bbr.window();
    driven.now += MS(1);
    driven.congestion(CongestionKind::Loss, 3 * MSS);
    driven.ack(Duration::ZERO, AckInput { in_flight: 20 * MSS, phase: Phase::Recovery, ..ACK });
    assert_eq!(driven.bbr.window(), 22 * MSS, "bytes in flight plus delivered bytes");
    driven.ack(MS(1), AckInput { lost: 5 * MSS, in_flight: 15 * MSS, phase: Phase::Recovery, ..ACK });
    assert_eq!(driven.bbr.window(), 17 * MSS);
    driven.ack(MS(20), AckInput { in_flight: 15 * MSS, phase: Phase::Recovery, ..ROUND });
    assert_eq!(driven.bbr.window(), 19 * MSS, "a round later: grows by the delivered bytes");
    driven.ack(MS(1), AckInput { lost: 4 * MSS, in_flight: 11 * MSS, phase: Phase::Recovery, ..ACK });
    assert_eq!(driven.bbr.window(), 17 * MSS, "minus the lost bytes");
    // A second loss of the same recovery does not replace the saved window.
    driven.recovery_end();
    assert_eq!(driven.bbr.window(), before);
}

#[test]
fn draft_4_2_3_4_recovery_permits_at_least_the_fast_retransmission() {
    // Loss found by a timer: no ACK follows.
    let mut driven = Driven::new();
    driven.probe();
    driven.congestion(CongestionKind::Loss, 10 * MSS);
    assert_eq!((driven.in_flight, driven.bbr.window()), (15 * MSS, 16 * MSS));
    // Loss found by an ACK that delivers nothing.
    let mut driven = Driven::new();
    driven.probe();
    driven.congestion(CongestionKind::Loss, 10 * MSS);
    let input = AckInput { delivered: 0, in_flight: 15 * MSS, phase: Phase::Recovery, ..ACK };
    driven.ack(Duration::ZERO, input);
    assert_eq!(driven.bbr.window(), 16 * MSS);
}

#[test]
fn draft_4_2_3_4_losses_found_by_timers_shrink_the_window_too() {
    let mut driven = Driven::new();
    driven.probe();
    driven.congestion(CongestionKind::Loss, MSS);
    driven.ack(Duration::ZERO, AckInput { in_flight: 20 * MSS, phase: Phase::Recovery, ..ACK });
    driven.ack(MS(20), AckInput { in_flight: 20 * MSS, phase: Phase::Recovery, ..ROUND });
    let before = driven.bbr.window();
    driven.lost += 6 * MSS;
    driven.ack(MS(1), AckInput { in_flight: 14 * MSS, phase: Phase::Recovery, ..ACK });
    assert_eq!(driven.bbr.window(), before - 6 * MSS + 2 * MSS);
}

#[test]
fn draft_4_2_3_4_a_timeout_leaves_one_segment_and_its_end_brings_the_window_back() {
    let mut driven = Driven::new();
    driven.probe();
    let before = driven.bbr.window();
    driven.bbr.on_rto(&rto(BDP, false));
    assert_eq!(driven.bbr.window(), MSS);
    driven.bbr.on_rto(&rto(BDP, true));
    assert_eq!(driven.bbr.window(), MSS);
    driven.ack(MS(400), AckInput { delivered: MSS, in_flight: 0, phase: Phase::Loss, rtt: None, ..ROUND });
    assert_eq!(driven.bbr.window(), 4 * MSS);
    driven.ack(MS(20), AckInput { delivered: 4 * MSS, in_flight: 0, phase: Phase::Loss, ..ROUND });
    assert_eq!(driven.bbr.window(), 8 * MSS);
    driven.ack(MS(20), ROUND);
    assert_eq!(driven.bbr.window(), before, "the timeout of a window reduced before saved nothing worse");
}

#[test]
fn draft_4_2_3_4_a_spurious_recovery_brings_the_window_back() {
    for timeout in [false, true] {
        let mut driven = Driven::new();
        driven.probe();
        let before = driven.bbr.window();
        if timeout {
            driven.bbr.on_rto(&rto(BDP, false));
        } else {
            driven.congestion(CongestionKind::Loss, 20 * MSS);
        }
        assert!(driven.bbr.window() < 10 * MSS);
        driven.bbr.on_spurious_recovery();
        assert_eq!(driven.bbr.window(), before);
    }
}

#[test]
fn draft_3_2_neither_loss_nor_marks_change_the_rate() {
    let mut driven = Driven::new();
    driven.probe();
    let (rate, window) = (driven.bbr.pacing_rate(), driven.bbr.window());
    driven.congestion(CongestionKind::Ecn, 0);
    assert_eq!((driven.bbr.pacing_rate(), driven.bbr.window()), (rate, window));
    driven.congestion(CongestionKind::Loss, 10 * MSS);
    assert_eq!(driven.bbr.pacing_rate(), rate);
    assert_eq!(driven.bbr.ssthresh(), u64::MAX);
    assert_eq!(driven.bbr.recovery_control(), RecoveryControl::Controller);
}

#[test]
fn draft_4_3_2_2_three_rounds_with_less_than_a_quarter_of_growth_end_startup() {
    let mut driven = Driven::new();
    let round = |driven: &mut Driven, mbit: f64| {
        let rate = Rate::from_mbit(1).mul_f64(mbit);
        driven.ack(RTT, AckInput { rate, in_flight: 4 * BDP, ..ROUND });
        driven.bbr.state()
    };
    let states = [8.0, 10.0, 12.4, 12.4, 12.8, 13.6, 14.4].map(|mbit| round(&mut driven, mbit));
    assert_eq!(states, [BbrState::Startup; 7], "12.8 is a quarter more than 10: the count restarts there");
    assert_eq!(round(&mut driven, 15.2), BbrState::Drain);
    assert_eq!(driven.bbr.pacing_gain(), 1.0 / gains::HIGH_GAIN);
}

#[test]
fn draft_4_3_2_2_application_limited_rounds_do_not_count() {
    let mut driven = Driven::new();
    driven.ack(RTT, ROUND);
    for _ in 0..20 {
        driven.ack(RTT, AckInput { is_app_limited: true, in_flight: 4 * BDP, ..ROUND });
        driven.ack(MS(1), AckInput { in_flight: 4 * BDP, ..ACK });
    }
    assert_eq!(driven.bbr.state(), BbrState::Startup);
}

#[test]
fn draft_4_3_3_drain_ends_when_the_flight_fits_the_path() {
    let mut driven = Driven::new();
    driven.fill();
    let fits = driven.bbr.in_flight_for(1.0);
    assert_eq!(fits, BDP + 6 * MSS);
    let window = driven.bbr.window();
    driven.ack(MS(1), AckInput { in_flight: fits + 1, ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::Drain);
    assert!(driven.bbr.window() >= window, "the window stays");
    driven.ack(MS(1), AckInput { in_flight: fits, ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::ProbeBw);
}

#[test]
fn draft_4_3_4_1_probe_bw_paces_by_its_cycle_with_twice_the_path_in_flight() {
    let mut driven = Driven::new();
    driven.probe();
    let mut gains = Vec::new();
    for _ in 0..8 {
        gains.push(driven.bbr.pacing_gain());
        assert_eq!(driven.bbr.pacing_rate(), Some(RATE.mul_f64(driven.bbr.pacing_gain())));
        assert_eq!(driven.bbr.window(), (2 * BDP + 6 * MSS).min(driven.bbr.window()));
        // Enough in flight to end the probing phase after one RTprop.
        driven.in_flight = 2 * BDP;
        driven.ack(MS(21), AckInput { in_flight: 2 * BDP, ..ROUND });
    }
    assert_eq!(gains, [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(driven.bbr.pacing_gain(), 1.25);
}

#[test]
fn draft_4_3_4_2_the_first_phase_is_drawn_from_the_flows_own_stream() {
    let gains = |name: &str| {
        let random = Some(Seed(3).stream(&["flows", name, "congestion"]));
        let mut driven = Driven::with(draft(), &ControllerContext { random, ..context() });
        driven.fill();
        driven.ack(RTT, ACK);
        driven.bbr.pacing_gain()
    };
    let drawn: Vec<f64> = (0..40).map(|flow| gains(&format!("flow-{flow}"))).collect();
    assert!(drawn.iter().all(|gain| *gain != 0.75));
    assert!(drawn.contains(&1.0) && drawn.contains(&1.25));
    assert_eq!(gains("flow-1"), drawn[1]);
}

#[test]
fn draft_4_3_4_4_after_idle_it_paces_at_the_bandwidth_and_keeps_its_window() {
    let mut driven = Driven::new();
    driven.probe();
    let window = driven.bbr.window();
    driven.sent(5 * MSS, true);
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE.mul_f64(1.25)), "something was in flight");
    driven.sent(MSS, false);
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE.mul_f64(1.25)), "the application did not limit it");
    let restart = IdleRestart {
        now: driven.now,
        idle: MS(5000),
        rto: MS(200),
        restart_window: Some(10 * MSS),
        least_ssthresh: 0,
    };
    driven.bbr.on_idle_restart(&restart);
    driven.sent(MSS, true);
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE));
    assert_eq!(driven.bbr.window(), window);
}

#[test]
fn draft_4_3_5_after_idle_an_old_rtprop_is_refreshed_without_probe_rtt() {
    let mut driven = Driven::new();
    driven.probe();
    driven.now += Duration::from_secs(60);
    driven.sent(MSS, true);
    driven.ack(RTT, AckInput { rtt: Some(MS(25)), is_app_limited: true, ..ROUND });
    assert_eq!((driven.bbr.state(), driven.bbr.rtprop()), (BbrState::ProbeBw, Some(MS(25))));
}

#[test]
fn draft_4_3_5_ten_seconds_without_the_lowest_rtt_lead_to_four_segments() {
    let mut driven = Driven::new();
    driven.probe();
    let before = driven.bbr.window();
    driven.probe_rtt();
    assert_eq!(driven.bbr.window(), 4 * MSS);
    assert_eq!(driven.bbr.rtprop(), Some(MS(30)), "expired: the next sample replaces it");
    // The time starts only when the flight is that small.
    driven.ack(MS(500), AckInput { in_flight: 5 * MSS, ..ACK });
    driven.ack(MS(10), AckInput { in_flight: 4 * MSS, ..ACK });
    driven.ack(MS(150), AckInput { in_flight: 4 * MSS, ..ROUND });
    driven.ack(MS(50), AckInput { in_flight: 4 * MSS, ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::ProbeRtt, "200 ms, and not more");
    assert_eq!(driven.bbr.pacing_rate(), Some(RATE), "a gain of 1");
    driven.ack(MS(1), AckInput { in_flight: 4 * MSS, ..ACK });
    assert_eq!((driven.bbr.state(), driven.bbr.rtprop()), (BbrState::ProbeBw, Some(RTT)));
    assert!(driven.bbr.window() >= before);
    // Ten seconds after its end.
    driven.ack(Duration::from_secs(10), AckInput { rtt: Some(MS(30)), ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::ProbeBw);
    driven.ack(MS(1), AckInput { rtt: Some(MS(30)), ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::ProbeRtt);
}

#[test]
fn draft_4_3_5_probe_rtt_lasts_for_a_round_too() {
    let mut driven = Driven::new();
    driven.probe();
    driven.probe_rtt();
    driven.ack(MS(10), AckInput { in_flight: 4 * MSS, ..ACK });
    driven.ack(MS(500), AckInput { in_flight: 4 * MSS, ..ACK });
    assert_eq!(driven.bbr.state(), BbrState::ProbeRtt);
    driven.ack(MS(500), AckInput { in_flight: 4 * MSS, ..ROUND });
    assert_eq!(driven.bbr.state(), BbrState::ProbeBw);
}

#[test]
fn draft_4_3_5_samples_of_probe_rtt_do_not_lower_the_bandwidth() {
    let mut driven = Driven::new();
    driven.probe();
    driven.probe_rtt();
    for _ in 0..15 {
        driven.ack(MS(10), AckInput { rate: Rate::from_mbit(1), in_flight: 4 * MSS, ..ROUND });
    }
    assert_eq!(driven.bbr.bandwidth(), RATE);
    while driven.bbr.state() == BbrState::ProbeRtt {
        driven.ack(MS(10), AckInput { rate: Rate::from_mbit(1), in_flight: 4 * MSS, ..ROUND });
    }
    // Data in flight at its end is still limited; data sent later is not.
    driven.ack(MS(10), AckInput { delivered: 4 * MSS, rate: Rate::from_mbit(1), ..ROUND });
    assert_eq!(driven.bbr.bandwidth(), RATE);
    for _ in 0..12 {
        driven.ack(MS(20), AckInput { delivered: 4 * MSS, rate: Rate::from_mbit(1), ..ROUND });
    }
    assert_eq!(driven.bbr.bandwidth(), Rate::from_mbit(1));
}

#[test]
fn draft_4_3_5_probe_rtt_before_the_pipe_was_full_leads_back_to_startup() {
    let mut driven = Driven::new();
    driven.ack(RTT, ROUND);
    driven.ack(Duration::from_secs(11), AckInput { rtt: Some(MS(30)), is_app_limited: true, ..ROUND });
    assert_eq!(driven.bbr.state(), BbrState::ProbeRtt);
    for _ in 0..30 {
        driven.ack(MS(10), AckInput { in_flight: 2 * MSS, is_app_limited: true, ..ROUND });
    }
    assert_eq!((driven.bbr.state(), driven.bbr.pacing_gain()), (BbrState::Startup, gains::HIGH_GAIN));
}

#[test]
fn draft_4_2_3_4_simultaneous_probe_rtt_and_recovery_keep_the_previous_window() {
    let mut driven = Driven::new();
    driven.probe();
    for _ in 0..50 {
        driven.ack(MS(1), ACK);
    }
    let before = driven.bbr.window();
    driven.probe_rtt();
    driven.congestion(CongestionKind::Loss, MSS);
    driven.ack(Duration::ZERO, AckInput { in_flight: 4 * MSS, phase: Phase::Recovery, ..ACK });
    assert_eq!(driven.bbr.window(), 4 * MSS);
    driven.recovery_end();
    for _ in 0..30 {
        driven.ack(MS(10), AckInput { in_flight: 4 * MSS, ..ROUND });
    }
    assert_eq!((driven.bbr.state(), driven.bbr.window()), (BbrState::ProbeBw, before));
}

#[test]
fn parameters_are_checked() {
    let refuse = |json: serde_json::Value, hint: &str| {
        let parameters: BbrParameters = serde_json::from_value(json).unwrap();
        let message = parameters.validate().unwrap_err().to_string();
        assert!(message.contains(hint), "{message}");
    };
    refuse(serde_json::json!({"startup_gain": 1.0}), "startup_gain: must be 1.25 to 100, got 1");
    refuse(serde_json::json!({"window_gain": 0.5}), "window_gain");
    refuse(serde_json::json!({"bandwidth_window": 0}), "1 to 1000 rounds");
    refuse(serde_json::json!({"rtprop_window": "0 s"}), "rtprop_window");
    refuse(serde_json::json!({"probe_rtt_duration": "10 s"}), "below rtprop_window");
    refuse(serde_json::json!({"send_quantum": 1001}), "at most 1000");
    assert_eq!(BbrParameters::default().validate(), Ok(()));
}

#[test]
fn as_in_linux_it_paces_a_hundredth_below_the_bandwidth() {
    let mut driven = Driven::with(BbrParameters::default(), &context());
    let initial = driven.bbr.pacing_rate().unwrap().as_mbit_f64();
    let without = Driven::with(draft(), &context()).bbr.pacing_rate().unwrap().as_mbit_f64();
    assert!((initial / without - 0.99).abs() < 1e-3, "{initial} of {without}");
    driven.bbr.pace_by(1.25);
    let bandwidth = driven.bbr.model.bandwidth().mul_f64(1.25 * 0.99);
    assert!(driven.bbr.pacing_rate >= bandwidth);
}
