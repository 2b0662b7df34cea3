use serde_json::json;

use super::super::testing::{Link, PACKET, Source, Toy, build, context, run, sample};
use super::super::{ArrivedPacket, LostPacket};
use super::*;

fn scream() -> Scream {
    Scream::new(ScreamParameters::default(), &context())
}

/// Feedback at `now` on `packets` packets with a given queueing delay.
fn feedback(controller: &mut Scream, now: u64, packets: u64, queued: u64, ecn: Ecn) {
    let now = Time::from_millis(now);
    let arrived: Vec<ArrivedPacket> = (0..packets)
        .map(|sequence| ArrivedPacket {
            sequence,
            bytes: PACKET,
            sent_at: now,
            arrived_at: Some(now + Duration::from_millis(20 + queued)),
            ecn,
        })
        .collect();
    let totals = sample(now, packets * PACKET, 100 * PACKET);
    controller.on_ack(&PathAck { sample: &totals, arrived: &arrived, lost: &[] });
}

fn lose(controller: &mut Scream, now: u64) {
    let totals = sample(Time::from_millis(now), 0, 100 * PACKET);
    let lost = [LostPacket { sequence: 0, bytes: PACKET, sent_at: Time::ZERO }];
    controller.on_ack(&PathAck { sample: &totals, arrived: &[], lost: &lost });
}

/// A controller after fast increase, with `packets` as window and in flight.
fn settled(packets: u64) -> Scream {
    let mut controller = scream();
    feedback(&mut controller, 0, 1, 0, Ecn::NotEct);
    controller.in_fast_increase = false;
    controller.window = (packets * PACKET) as f64;
    controller.on_sent(&PathSent {
        now: Time::ZERO,
        sequence: 1,
        bytes: PACKET,
        in_flight: 2 * packets * PACKET,
        is_app_limited: false,
        backlog: 0,
    });
    controller
}

#[test]
fn rfc8298_4_1_1_1_the_defaults_are_its_constants() {
    let p = ScreamParameters::default();
    assert_eq!(
        (p.target_delay, p.max_target_delay),
        (Duration::from_millis(100), Duration::from_millis(400))
    );
    assert_eq!((p.min_window, p.head_room, p.gain), (Bytes::new(3000), 1.1, 1.0));
    assert_eq!((p.beta_loss, p.beta_ecn, p.beta_rate), (0.8, 0.9, 0.9));
    assert_eq!((p.ramp_up, p.min_pacing), (Rate::from_kbit(200), Rate::from_kbit(50)));
}

#[test]
fn rfc8298_4_1_2_2_fast_increase_grows_by_acknowledged_bytes() {
    let mut controller = scream();
    feedback(&mut controller, 0, 4, 0, Ecn::NotEct);
    assert_eq!(controller.window, 3000.0 + 4.0 * PACKET as f64);
    // Feedback within the interval is deferred to the next.
    feedback(&mut controller, 10, 4, 0, Ecn::NotEct);
    assert_eq!(controller.window, 3000.0 + 4.0 * PACKET as f64);
    feedback(&mut controller, 20, 1, 0, Ecn::NotEct);
    assert_eq!(controller.window, 3000.0 + 9.0 * PACKET as f64);
}

#[test]
fn rfc8298_4_1_2_2_a_trend_ends_fast_increase() {
    let mut controller = scream();
    for n in 0..40 {
        feedback(&mut controller, n * 20, 1, n * 4, Ecn::NotEct);
    }
    assert!(!controller.in_fast_increase);
}

#[test]
fn rfc8298_4_1_2_2_the_window_moves_towards_the_target_delay() {
    let mut below = settled(40);
    feedback(&mut below, 20, 4, 50, Ecn::NotEct);
    // Half of the target is free: 0.5 · 4 packets · packet / window.
    let grown = 40.0 * 1500.0 + 0.5 * 6000.0 * 1500.0 / 60_000.0;
    assert!((below.window - grown).abs() < 1e-6, "{}", below.window);
    let mut above = settled(40);
    feedback(&mut above, 20, 4, 200, Ecn::NotEct);
    let shrunk = 40.0 * 1500.0 - 6000.0 * 1500.0 / 60_000.0;
    assert!((above.window - shrunk).abs() < 1e-6, "{}", above.window);
}

#[test]
fn rfc8298_4_1_2_2_the_window_stays_near_the_flight() {
    let mut controller = settled(40);
    controller.flights = [30 * PACKET, 0, 0, 0, 0];
    feedback(&mut controller, 20, 4, 50, Ecn::NotEct);
    assert!((controller.window - 33.0 * 1500.0).abs() < 1e-6, "{}", controller.window);
}

#[test]
fn rfc8298_4_1_2_1_losses_and_marks_reduce_once_per_rtt() {
    let mut controller = settled(40);
    lose(&mut controller, 100);
    assert!((controller.window - 0.8 * 60_000.0).abs() < 1e-6, "{}", controller.window);
    lose(&mut controller, 120);
    assert!((controller.window - 0.8 * 60_000.0).abs() < 100.0, "{}", controller.window);
    feedback(&mut controller, 160, 1, 0, Ecn::Ce);
    assert!((controller.window - 0.72 * 60_000.0).abs() < 100.0, "{}", controller.window);
}

#[test]
fn rfc8298_4_1_2_5_one_packet_more_while_the_delay_is_on_target() {
    let mut controller = settled(40);
    assert_eq!(controller.window(), 41 * PACKET);
    controller.delay.arrived(Time::from_millis(20), Time::ZERO, Time::from_millis(250));
    assert_eq!(controller.window(), 40 * PACKET);
}

#[test]
fn rfc8298_4_1_2_6_packets_are_paced_over_the_rtt() {
    let mut controller = settled(40);
    controller.smoothed_rtt = Duration::from_millis(100);
    assert_eq!(controller.pacing_rate(), Some(Rate::from_bits(60_000 * 8 * 10)));
    controller.smoothed_rtt = Duration::from_secs(100);
    assert_eq!(controller.pacing_rate(), Some(Rate::from_kbit(50)));
}

#[test]
fn rfc8298_4_1_2_7_fast_increase_resumes_after_five_calm_seconds() {
    let mut controller = settled(40);
    controller.trend_high_at = Time::ZERO;
    for n in 1..250 {
        feedback(&mut controller, n * 20, 1, 0, Ecn::NotEct);
        assert!(!controller.in_fast_increase, "{n}");
    }
    feedback(&mut controller, 5000, 1, 0, Ecn::NotEct);
    assert!(controller.in_fast_increase);
}

#[test]
fn rfc6817_2_4_2_without_feedback_the_minimum_window_applies() {
    let mut controller = settled(40);
    controller.on_timeout(Time::from_secs(1), 40 * PACKET);
    assert_eq!(controller.window(), 3 * PACKET);
}

#[test]
fn ecn_is_used_if_enabled() {
    assert_eq!(scream().ecn(), Ecn::NotEct);
    assert_eq!(build(&entry(), json!({ "ecn": true })).ecn(), Ecn::Ect0);
}

/// Frames at the target bitrate, 30 per second; a ramp that fits a short test.
fn media(link: Link) -> (Box<dyn PathController>, Toy) {
    let controller = build(&entry(), json!({ "ramp_up": "2 Mbit/s", "start_rate": "1 Mbit/s" }));
    (controller, Toy { source: Source::Frames(Duration::from_micros(33_333)), ..Toy::new(link) })
}

#[test]
fn frames_at_its_bitrate_use_a_fixed_link_with_a_bounded_queue() {
    let (mut controller, toy) = media(Link::fixed(10));
    let run = run(&mut *controller, toy, 60);
    assert!(run.mbit(20, 60) > 6.0, "{}", run.mbit(20, 60));
    assert!(run.delay(20, 60, 95) < 250.0, "{}", run.delay(20, 60, 95));
}

#[test]
fn a_bulk_source_fills_the_link_up_to_the_target_delay() {
    let mut controller = build(&entry(), json!({ "competing_flows": false }));
    let run = run(&mut *controller, Toy::new(Link::fixed(10)), 30);
    assert!(run.mbit(5, 30) > 9.0, "{}", run.mbit(5, 30));
    // Fast increase overshoots; LEDBAT's gain brings the queue down slowly.
    let (early, late) = (run.delay(2, 5, 95), run.delay(27, 30, 95));
    assert!(early < 250.0 && late < 130.0, "{early} {late}");
    assert!(run.delay(27, 30, 5) > 60.0, "{}", run.delay(27, 30, 5));
}

#[test]
fn backs_off_when_the_rate_falls_to_a_fifth() {
    let rates = vec![(Time::ZERO, Rate::from_mbit(10)), (Time::from_secs(30), Rate::from_mbit(2))];
    let (mut controller, toy) = media(Link::Rates(rates));
    let run = run(&mut *controller, toy, 60);
    assert!(run.mbit(40, 60) > 1.2, "{}", run.mbit(40, 60));
    assert!(run.delay(40, 60, 95) < 450.0, "{}", run.delay(40, 60, 95));
    let told = controller.bandwidth().expect("it always has a target").as_mbit_f64();
    assert!(told < 3.0, "{told}");
}

#[test]
fn parameters_are_checked() {
    let refuse = |parameters| entry().build(&parameters, &context()).unwrap_err().to_string();
    assert!(refuse(json!({ "gain": 0.0 })).starts_with("gain: "));
    assert!(refuse(json!({ "beta_loss": 1.5 })).starts_with("beta_loss: "));
    assert!(refuse(json!({ "target_delay": "0 s" })).starts_with("target_delay: "));
    assert!(refuse(json!({ "max_target_delay": "50 ms" })).starts_with("max_target_delay: "));
    assert!(refuse(json!({ "max_rate": "1 kbit/s" })).starts_with("max_rate: "));
}
