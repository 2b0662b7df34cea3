use jettison_core::{Duration, Time};

use super::super::testing::{MSS, ack, context, loss, rto};
use super::*;
use crate::congestion::{CongestionKind, RateSample};

const RTT: Duration = Duration::from_millis(20);

fn newcwv() -> NewCwv {
    with(NewCwvParameters::default())
}

fn with(parameters: NewCwvParameters) -> NewCwv {
    let context = context();
    NewCwv::new(parameters, SlowStart::new(&context, HyStart::Off), &context)
}

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// An ACK of one segment that left when `prior` bytes had been delivered; `delivered` bytes have been since. The
/// application limits the sender.
fn measured(now: Time, prior: u64, delivered: u64) -> AckSample {
    AckSample {
        now,
        delivered_total: prior + delivered,
        rate: RateSample { delivered, prior_delivered: prior, ..RateSample::default() },
        in_flight_before: MSS,
        in_flight: 0,
        smoothed_rtt: RTT,
        is_window_limited: false,
        ..ack(MSS)
    }
}

/// Enables sampling, then takes one sample.
fn measure(controller: &mut NewCwv, now: Time, bytes: u64) {
    controller.on_ack(&measured(now, 0, MSS));
    controller.on_ack(&measured(now, 1 << 40, bytes));
}

/// A window of 40 segments, 4 of which were recently acknowledged in one RTT, in congestion avoidance.
fn non_validated(parameters: NewCwvParameters) -> NewCwv {
    let mut controller = with(parameters);
    measure(&mut controller, at(0), 4 * MSS);
    controller.reno.set(40 * MSS, 40 * MSS);
    controller.judge(at(0));
    assert!(controller.is_non_validated(at(0)));
    controller
}

/// Runs a recovery with `retransmitted` bytes. Returns ssthresh at detection.
fn recover(controller: &mut NewCwv, event: CongestionEvent, retransmitted: u64) -> u64 {
    controller.on_congestion(&event);
    let ssthresh = controller.ssthresh();
    controller.on_recovery_end(&RecoveryEnd {
        now: event.now,
        kind: event.kind,
        window: ssthresh,
        flight_size: 0,
        loss_flight_size: event.flight_size,
        retransmitted,
    });
    ssthresh
}

#[test]
fn section_4_1_starts_validated_and_with_pipe_ack_undefined() {
    let controller = newcwv();
    assert_eq!(controller.pipe_ack.value(at(0)), None);
    assert!(!controller.is_non_validated(Time::from_secs(3600)));
}

#[test]
fn section_4_2_a_sample_is_the_data_acknowledged_in_one_measured_rtt() {
    let mut pipe_ack = PipeAck::new(5, Duration::from_secs(1));
    assert!(!pipe_ack.on_ack(&measured(at(20), 0, MSS)), "the first ACK covers only a part of a flight");
    assert_eq!(pipe_ack.value(at(20)), None);
    assert!(pipe_ack.on_ack(&measured(at(40), MSS, 7 * MSS)));
    assert_eq!(pipe_ack.value(at(40)), Some(7 * MSS));
}

#[test]
fn section_4_2_acks_with_a_hole_give_no_sample() {
    let mut pipe_ack = PipeAck::new(5, Duration::from_secs(1));
    pipe_ack.on_ack(&measured(at(20), 0, MSS));
    for (acked, delivered) in [(0, MSS), (MSS, 2 * MSS), (3 * MSS, MSS)] {
        let sample = AckSample { acked, delivered, ..measured(at(40), MSS, 7 * MSS) };
        assert!(!pipe_ack.on_ack(&sample));
        assert_eq!(pipe_ack.value(at(40)), None);
    }
}

#[test]
fn section_4_2_the_variable_is_the_highest_sample_of_the_sampling_period_and_none_older() {
    let mut pipe_ack = PipeAck::new(5, Duration::from_secs(1));
    pipe_ack.on_ack(&measured(at(0), 0, MSS));
    for (millis, segments) in [(100, 3), (350, 9), (600, 5), (850, 2)] {
        pipe_ack.on_ack(&measured(at(millis), MSS, segments * MSS));
    }
    for (millis, segments) in [(850, 9), (1349, 9), (1350, 5), (1600, 2), (1850, 0), (100_000, 0)] {
        assert_eq!(pipe_ack.value(at(millis)), Some(segments * MSS), "at {millis} ms");
    }
}

#[test]
fn section_4_2_the_sampling_period_is_three_rtts_but_at_least_a_second() {
    for (rtt, period) in [(20, 1000), (333, 1000), (400, 1200), (1000, 3000)] {
        let mut pipe_ack = PipeAck::new(5, Duration::from_secs(1));
        let smoothed_rtt = Duration::from_millis(rtt);
        pipe_ack.on_ack(&AckSample { smoothed_rtt, ..measured(at(0), 0, MSS) });
        pipe_ack.on_ack(&AckSample { smoothed_rtt, ..measured(at(0), MSS, 5 * MSS) });
        assert_eq!(pipe_ack.value(at(period - 1)), Some(5 * MSS));
        assert_eq!(pipe_ack.value(at(period)), Some(0));
    }
}

#[test]
fn section_4_2_pipe_ack_is_not_updated_in_recovery_nor_by_data_sent_in_it() {
    let mut controller = newcwv();
    measure(&mut controller, at(0), 6 * MSS);
    controller.on_congestion(&loss(10 * MSS));
    for phase in [Phase::Recovery, Phase::Cwr, Phase::Loss] {
        controller.on_ack(&AckSample { phase, ..measured(at(20), 2 << 40, 9 * MSS) });
        assert_eq!(controller.pipe_ack.value(at(20)), Some(6 * MSS), "{phase:?}");
    }
    // The first ACK after it is of data sent in it, and so are others of that flight.
    let end = 3 << 40;
    controller.on_ack(&measured(at(40), end - 9 * MSS, 9 * MSS));
    controller.on_ack(&measured(at(50), end - MSS, 9 * MSS));
    assert_eq!(controller.pipe_ack.value(at(50)), Some(6 * MSS));
    controller.on_ack(&measured(at(60), end, 9 * MSS));
    assert_eq!(controller.pipe_ack.value(at(60)), Some(9 * MSS));
}

#[test]
fn section_4_2_pipe_ack_is_undefined_right_after_recovery_and_after_a_timeout() {
    let mut controller = newcwv();
    measure(&mut controller, at(0), 6 * MSS);
    recover(&mut controller, loss(10 * MSS), MSS);
    assert_eq!(controller.pipe_ack.value(at(0)), None);
    measure(&mut controller, at(0), 6 * MSS);
    assert_eq!(controller.pipe_ack.value(at(0)), Some(6 * MSS));
    controller.on_rto(&rto(10 * MSS, false));
    assert_eq!(controller.pipe_ack.value(at(0)), None);
    assert!(!controller.is_non_validated(at(10_000)), "inhibited until the first new sample");
}

#[test]
fn section_4_3_the_window_is_validated_from_half_of_it_on() {
    for (pipe_ack, is_validated) in [(20 * MSS, true), (20 * MSS - 1, false), (40 * MSS, true), (1, false)] {
        let mut controller = newcwv();
        controller.reno.set(40 * MSS, 40 * MSS);
        measure(&mut controller, at(0), pipe_ack);
        assert_eq!(!controller.is_non_validated(at(0)), is_validated, "{pipe_ack}");
    }
}

#[test]
fn section_4_3_a_validated_window_grows_by_the_standard_rules_used_or_not() {
    let mut controller = newcwv();
    measure(&mut controller, at(0), 8 * MSS);
    let (mut reno, before) = (controller.reno.clone(), controller.window());
    let sample = measured(at(1), 1 << 40, 8 * MSS);
    controller.on_ack(&sample);
    reno.on_ack(&AckSample { is_window_limited: true, ..sample });
    assert_eq!(controller.window(), before + MSS, "slow start");
    assert_eq!(controller.window(), reno.window());
}

#[test]
fn section_4_3_the_phase_changes_when_the_last_large_enough_sample_is_too_old() {
    let mut controller = newcwv();
    measure(&mut controller, at(0), 8 * MSS);
    assert!(!controller.is_non_validated(at(999)));
    assert!(controller.is_non_validated(at(1000)));
}

#[test]
fn section_4_4_a_non_validated_window_is_kept_while_it_is_not_used() {
    let mut controller = non_validated(NewCwvParameters::default());
    for i in 1..=1000 {
        controller.on_ack(&measured(at(100 * i), 1 << 40, 4 * MSS));
        assert_eq!((controller.window(), controller.ssthresh()), (40 * MSS, 40 * MSS));
    }
}

#[test]
fn section_4_4_a_sender_that_is_cwnd_limited_grows_a_non_validated_window() {
    let mut controller = non_validated(NewCwvParameters::default());
    for _ in 0..40 {
        let sample = measured(at(10), 1 << 40, 4 * MSS);
        controller.on_ack(&AckSample { in_flight_before: 40 * MSS, ..sample });
    }
    assert_eq!(controller.window(), 41 * MSS);
}

#[test]
fn section_4_4_idleness_does_not_collapse_the_window() {
    for restart_window in [None, Some(10 * MSS)] {
        let mut controller = non_validated(NewCwvParameters::default());
        let (idle, rto) = (Duration::from_secs(299), Duration::from_millis(200));
        controller.on_idle_restart(&IdleRestart {
            now: Time::from_secs(299),
            idle,
            rto,
            restart_window,
            least_ssthresh: 0,
        });
        assert_eq!((controller.window(), controller.ssthresh()), (40 * MSS, 40 * MSS));
    }
}

#[test]
fn section_4_4_the_phase_ends_when_half_of_the_window_is_acknowledged_in_one_rtt() {
    let mut controller = non_validated(NewCwvParameters::default());
    controller.on_ack(&measured(at(10), 1 << 40, 19 * MSS));
    assert!(controller.is_non_validated(at(10)));
    controller.on_ack(&measured(at(11), 1 << 40, 20 * MSS));
    assert!(!controller.is_non_validated(at(11)));
}

#[test]
fn section_4_4_a_timeout_ends_the_phase_and_is_answered_by_the_standard_rules() {
    let mut controller = non_validated(NewCwvParameters::default());
    controller.on_rto(&rto(12 * MSS, false));
    assert_eq!((controller.window(), controller.ssthresh()), (MSS, 6 * MSS));
    assert!(!controller.is_non_validated(at(1)));
}

#[test]
fn section_4_4_1_a_loss_leaves_half_of_the_bytes_in_use() {
    // LossFlightSize if that is larger, pipeACK if the sender has just slowed down.
    for (flight_size, expected) in [(12 * MSS, 6 * MSS), (2 * MSS, 2 * MSS), (90 * MSS, 20 * MSS)] {
        let mut controller = non_validated(NewCwvParameters::default());
        controller.on_congestion(&loss(flight_size));
        assert_eq!((controller.window(), controller.ssthresh()), (expected, expected), "{flight_size}");
        assert!(!controller.is_non_validated(at(0)), "it must leave the phase");
    }
}

#[test]
fn section_4_4_1_recovery_ends_with_half_of_that_minus_retransmitted_bytes() {
    let mut controller = non_validated(NewCwvParameters::default());
    assert_eq!(recover(&mut controller, loss(12 * MSS), 3 * MSS), 6 * MSS);
    assert_eq!((controller.window(), controller.ssthresh()), (9 * MSS / 2, 9 * MSS / 2));
    assert_eq!(controller.pipe_ack.value(at(0)), None, "it must be reset");
}

#[test]
fn section_4_4_1_the_window_is_never_below_a_segment() {
    for retransmitted in [12 * MSS, 20 * MSS] {
        let mut controller = non_validated(NewCwvParameters::default());
        recover(&mut controller, loss(12 * MSS), retransmitted);
        assert_eq!((controller.window(), controller.ssthresh()), (MSS, MSS));
    }
}

#[test]
fn section_4_4_1_holds_in_the_non_validated_phase_alone() {
    let mut controller = newcwv();
    controller.reno.set(40 * MSS, 40 * MSS);
    measure(&mut controller, at(0), 20 * MSS);
    let mut reno = controller.reno.clone();
    reno.on_congestion(&loss(30 * MSS));
    assert_eq!(recover(&mut controller, loss(30 * MSS), 5 * MSS), 15 * MSS);
    assert_eq!((controller.window(), controller.ssthresh()), (15 * MSS, 15 * MSS));
    assert_eq!(reno.ssthresh(), 15 * MSS);
}

#[test]
fn section_4_4_1_marks_are_congestion_too_without_retransmission() {
    let mut controller = non_validated(NewCwvParameters::default());
    let event = CongestionEvent { kind: CongestionKind::Ecn, ..loss(12 * MSS) };
    assert_eq!(recover(&mut controller, event, 0), 6 * MSS);
    assert_eq!((controller.window(), controller.ssthresh()), (6 * MSS, 6 * MSS));
    assert_eq!(controller.pipe_ack.value(at(0)), None);
}

#[test]
fn section_4_4_1_a_spurious_reduction_is_taken_back() {
    let mut controller = non_validated(NewCwvParameters::default());
    controller.on_congestion(&loss(12 * MSS));
    controller.on_spurious_recovery();
    assert_eq!((controller.window(), controller.ssthresh()), (40 * MSS, 40 * MSS));
    // The next congestion does not reuse the value of this one.
    controller.on_congestion(&loss(30 * MSS));
    assert_eq!(controller.utilised, None);
    assert_eq!(controller.ssthresh(), 15 * MSS);
}

#[test]
fn section_4_4_2_bursts_are_limited_in_the_non_validated_phase_alone() {
    let controller = newcwv();
    assert!(controller.limits_bursts());
    assert_eq!(controller.burst_limit(at(0)), None);
    let controller = non_validated(NewCwvParameters { burst_segments: 4, ..NewCwvParameters::default() });
    assert_eq!(controller.burst_limit(at(0)), Some(4 * MSS));
    let unlimited = NewCwvParameters { burst_segments: 0, ..NewCwvParameters::default() };
    assert!(!non_validated(unlimited).limits_bursts());
}

#[test]
fn section_4_4_3_after_the_non_validated_period_the_window_is_halved_and_ssthresh_remembers_it() {
    let mut controller = non_validated(NewCwvParameters::default());
    controller.reno.set(40 * MSS, 10 * MSS);
    controller.on_ack(&measured(Time::from_secs(300) - Duration::from_nanos(1), 1 << 40, MSS));
    assert_eq!((controller.window(), controller.ssthresh()), (40 * MSS, 10 * MSS));
    controller.on_ack(&measured(Time::from_secs(300), 1 << 40, MSS));
    assert_eq!((controller.window(), controller.ssthresh()), (20 * MSS, 30 * MSS));
    let mut controller = non_validated(NewCwvParameters::default());
    controller.reno.set(40 * MSS, 35 * MSS);
    controller.on_ack(&measured(Time::from_secs(300), 1 << 40, MSS));
    assert_eq!(controller.ssthresh(), 35 * MSS, "it is never lowered");
}

#[test]
fn section_4_4_3_the_window_falls_to_no_less_than_the_initial_one_and_is_never_raised_to_it() {
    for (window, expected) in [(18 * MSS, 10 * MSS), (10 * MSS, 10 * MSS), (3 * MSS, 3 * MSS)] {
        let mut controller = non_validated(NewCwvParameters::default());
        controller.reno.set(window, MSS);
        controller.reduce_for_elapsed_periods(Time::from_secs(300));
        assert_eq!((controller.window(), controller.ssthresh()), (expected, window * 3 / 4));
    }
}

#[test]
fn section_4_5_1_a_sample_is_forgotten_at_most_a_measurement_period_early_and_never_late() {
    for bins in [1, 2, 5, 64] {
        let mut pipe_ack = PipeAck::new(bins, Duration::from_secs(1));
        pipe_ack.on_ack(&measured(at(0), 0, MSS));
        let mut forgotten = None;
        for millis in 0..4000 {
            pipe_ack.on_ack(&measured(at(millis), MSS, if millis == 1500 { 9 * MSS } else { MSS }));
            if millis >= 1500 && pipe_ack.value(at(millis)) == Some(MSS) {
                forgotten.get_or_insert(millis - 1500);
            }
        }
        let kept = forgotten.expect("4 s are long enough");
        assert!((1000 - 1000 / u64::from(bins)..=1000).contains(&kept), "{bins} bins: {kept} ms");
    }
}

#[test]
fn section_4_5_2_one_reduction_for_each_period_that_elapsed() {
    for (seconds, expected) in [(299, 400), (300, 200), (900, 50), (1200, 25), (1500, 12), (86_400, 10)] {
        let mut controller = non_validated(NewCwvParameters::default());
        controller.reno.set(400 * MSS, MSS);
        let (now, rto) = (Time::from_secs(seconds), Duration::from_millis(200));
        let idle = Duration::from_secs(seconds);
        controller.on_idle_restart(&IdleRestart {
            now,
            idle,
            rto,
            restart_window: Some(10 * MSS),
            least_ssthresh: 0,
        });
        let in_segments = controller.window() / MSS;
        assert_eq!(in_segments, expected, "after {seconds} s");
        // The rest of the last period counts towards the next.
        controller.on_ack(&measured(now, 1 << 40, MSS));
        assert_eq!(controller.window() / MSS, in_segments);
    }
}

#[test]
fn section_4_5_2_idleness_counts_from_the_end_of_the_last_sampling_period() {
    // A sample is valid for one second; a sender without samples counts as silent after one second.
    let mut measured_before = newcwv();
    measured_before.reno.set(40 * MSS, 40 * MSS);
    measure(&mut measured_before, at(0), 40 * MSS);
    let mut unmeasured = newcwv();
    unmeasured.reno.set(40 * MSS, 40 * MSS);
    for mut controller in [measured_before, unmeasured] {
        for (seconds, expected) in [(300, 40 * MSS), (301, 20 * MSS)] {
            let (now, rto) = (Time::from_secs(seconds), Duration::from_millis(200));
            let idle = Duration::from_secs(seconds);
            controller.on_idle_restart(&IdleRestart {
                now,
                idle,
                rto,
                restart_window: None,
                least_ssthresh: 0,
            });
            assert_eq!(controller.window(), expected);
        }
    }
}

#[test]
fn section_4_5_2_the_period_is_a_parameter() {
    let minute = Duration::from_secs(60);
    let mut controller =
        non_validated(NewCwvParameters { non_validated_period: minute, ..NewCwvParameters::default() });
    controller.on_ack(&measured(Time::from_secs(60), 1 << 40, MSS));
    assert_eq!(controller.window(), 20 * MSS);
}

#[test]
fn section_4_5_3_cwnd_limited_is_a_flight_as_large_as_the_window_to_within_a_segment() {
    for (in_flight_before, grows) in [(40 * MSS, true), (39 * MSS + 1, true), (39 * MSS, false), (MSS, false)]
    {
        let mut controller = non_validated(NewCwvParameters::default());
        // Half the window in use, or pacing, is enough for the transport.
        let sample = measured(at(10), 1 << 40, 4 * MSS);
        for _ in 0..40 {
            controller.on_ack(&AckSample { in_flight_before, is_window_limited: true, ..sample });
        }
        assert_eq!(controller.window() > 40 * MSS, grows, "{in_flight_before}");
    }
}

#[test]
fn section_4_5_3_a_paced_sender_is_cwnd_limited_where_data_waited_for_a_whole_rtt() {
    for (waits, is_app_limited, grows) in [(true, false, true), (true, true, false), (false, false, false)] {
        let mut controller = non_validated(NewCwvParameters::default());
        controller.is_paced = true;
        let sample = measured(at(10), 1 << 40, 4 * MSS);
        let rate = RateSample { is_app_limited, ..sample.rate };
        for _ in 0..40 {
            controller.on_ack(&AckSample { rate, is_window_limited: waits, ..sample });
        }
        assert_eq!(controller.window() > 40 * MSS, grows, "{waits} {is_app_limited}");
    }
}

#[test]
fn invalid_parameters_are_refused_with_the_valid_range() {
    let default = NewCwvParameters::default;
    assert_eq!(default().validate(), Ok(()));
    let wrong = NewCwvParameters { bins: 0, ..default() };
    assert!(wrong.validate().unwrap_err().to_string().contains("1 to 64"));
    let wrong = NewCwvParameters { sampling_floor: Duration::ZERO, ..default() };
    assert!(wrong.validate().unwrap_err().to_string().contains("sampling_floor"));
    let wrong = NewCwvParameters { non_validated_period: Duration::from_secs(301), ..default() };
    assert!(wrong.validate().unwrap_err().to_string().contains("§4.4"));
}
