//! Rules of other implementations, each beside the draft's.

use super::*;

/// ACKs of one model: delivered bytes and a rate over the ACK interval that is twice that over the longer one.
fn ack_at(now: Time, delivered_total: u64, is_sender_idle: bool) -> AckSample {
    let rate = RateSample {
        delivered: 20_000,
        interval: MS(20),
        ack_interval: MS(10),
        prior_delivered: delivered_total.saturating_sub(20_000),
        is_app_limited: false,
        is_sender_idle,
    };
    AckSample { now, delivered: MSS, delivered_total, rate, ..crate::congestion::testing::ack(MSS) }
}

#[test]
fn a_sample_over_the_ack_interval_counts_the_rate_at_which_a_queue_empties() {
    let bandwidth = |rate_interval| {
        let mut model = PathModel::new(&BbrParameters { rate_interval, ..draft() }, MSS);
        model.update_bandwidth(&ack_at(Time::from_millis(20), MSS, false));
        model.bandwidth()
    };
    assert_eq!(bandwidth(RateInterval::Longest), Rate::from_mbit(8));
    assert_eq!(bandwidth(RateInterval::Ack), Rate::from_mbit(16));
}

#[test]
fn rounds_of_rtprop_pass_without_acks_too() {
    let starts = |round| {
        let mut model = PathModel::new(&BbrParameters { round, bandwidth_window: 2, ..draft() }, MSS);
        model.update_rtprop(Some(RTT), Time::ZERO);
        let mut total = 0;
        [1, 5, 22, 30, 100].map(|ms| {
            total += MSS;
            // All of them left before the first ACK: to the draft they are one round.
            let mut ack = ack_at(Time::from_millis(ms), total, false);
            ack.rate.prior_delivered = 0;
            model.update_bandwidth(&ack);
            model.is_round_start()
        })
    };
    assert_eq!(starts(Round::Delivery), [true, false, false, false, false]);
    assert_eq!(starts(Round::Rtprop), [true, false, true, false, true]);
}

#[test]
fn the_state_of_the_sender_on_arrival_decides_whether_a_sample_is_limited() {
    let after = |limited_by| {
        let mut model = PathModel::new(&BbrParameters { limited_by, bandwidth_window: 1, ..draft() }, MSS);
        for (ms, is_sender_idle) in [(20, false), (60, true)] {
            let mut ack = ack_at(Time::from_millis(ms), ms * MSS, is_sender_idle);
            ack.rate.interval = MS(ms);
            model.update_bandwidth(&ack);
        }
        model.bandwidth()
    };
    assert_eq!(after(LimitedBy::Departure), Rate::from_bits(2_666_666), "a new round has a new maximum");
    assert_eq!(after(LimitedBy::Arrival), Rate::from_mbit(8), "the lower sample does not count");
}

#[test]
fn a_floor_keeps_a_window_of_segments_per_rtprop() {
    let mut model = PathModel::new(&BbrParameters { bandwidth_floor: 20, ..draft() }, MSS);
    model.update_rtprop(Some(RTT), Time::ZERO);
    let mut ack = ack_at(Time::from_millis(900), MSS, false);
    ack.rate.interval = MS(900);
    model.update_bandwidth(&ack);
    assert_eq!(model.bandwidth(), Rate::of(Bytes::new(20 * MSS), RTT));
}

#[test]
fn without_loss_recovery_a_loss_leaves_the_window_alone() {
    let window = |loss_recovery| {
        let mut driven = Driven::with(BbrParameters { loss_recovery, ..draft() }, &context());
        driven.probe();
        driven.in_flight = BDP;
        driven.congestion(CongestionKind::Loss, 10 * MSS);
        driven.ack(MS(1), AckInput { in_flight: BDP - 12 * MSS, phase: Phase::Recovery, ..ACK });
        driven.bbr.window()
    };
    assert!(window(true) < BDP);
    assert!(window(false) >= 2 * BDP);
}

#[test]
fn a_loss_ends_startup_if_so_asked() {
    let state = |startup_ends_on_loss| {
        let mut driven = Driven::with(BbrParameters { startup_ends_on_loss, ..draft() }, &context());
        driven.ack(RTT, AckInput { in_flight: 9 * BDP, ..ROUND });
        driven.ack(MS(1), AckInput { lost: MSS, in_flight: 9 * BDP, ..ACK });
        driven.bbr.state()
    };
    assert_eq!((state(false), state(true)), (BbrState::Startup, BbrState::Drain));
}

#[test]
fn the_window_has_room_for_aggregated_acks_and_for_stepped_quanta() {
    let window = |parameters| {
        let mut driven = Driven::with(parameters, &context());
        driven.probe();
        // Nothing for 40 ms, then all of it at once, beyond the 50,000 bytes that were due.
        for _ in 0..6 {
            driven.ack(MS(40), AckInput { delivered: 80_000, in_flight: BDP, ..ROUND });
        }
        driven.bbr.window()
    };
    let plain = window(draft());
    let extra = window(BbrParameters { extra_acked_gain: 1.0, ..draft() });
    assert!(extra >= plain + 29_000, "{extra} and {plain}");
    let stepped = window(BbrParameters { window_quantum: WindowQuantum::Stepped, ..draft() });
    let quanta = |pacing: u64| 3 * stepped_quantum(Rate::from_mbit(pacing)) * MSS;
    assert_eq!((quanta(11), quanta(12), quanta(24), quanta(900)), (9 * MSS, 15 * MSS, 12 * MSS, 129 * MSS));
    assert!([plain + 3 * MSS, plain + 9 * MSS].contains(&stepped), "two segments a quantum, or 3 to 5");
}

#[test]
fn the_first_phase_is_the_probing_one_if_none_is_drawn() {
    let mut drawn = [0; 2];
    for seed in 0..20 {
        for (index, random_phase) in [false, true].into_iter().enumerate() {
            let random = Some(Seed(seed).stream(&["flows", "bulk", "congestion"]));
            let context = ControllerContext { random, ..context() };
            let mut driven = Driven::with(BbrParameters { random_phase, ..draft() }, &context);
            driven.fill();
            driven.ack(RTT, ACK);
            drawn[index] += u32::from(driven.bbr.pacing_gain() > 1.0);
        }
    }
    assert_eq!(drawn[0], 20);
    assert!(drawn[1] < 10, "{drawn:?}");
}

#[test]
fn values_out_of_range_are_refused() {
    for (parameters, key) in [
        (BbrParameters { bandwidth_floor: 1001, ..draft() }, "bandwidth_floor"),
        (BbrParameters { extra_acked_gain: -1.0, ..draft() }, "extra_acked_gain"),
    ] {
        let error = parameters.validate().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}
