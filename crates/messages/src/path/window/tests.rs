use super::*;
use crate::path::{ArrivedPacket, LostPacket};
use jettison_tcp::congestion::{
    HyStart, NewReno, NewRenoParameters, RateSample, ReduceFrom, SlowStart, controllers,
};

const PACKET: u64 = 1000;
const MS: fn(u64) -> Duration = Duration::from_millis;
const AT: fn(u64) -> Time = Time::from_millis;

fn context() -> ControllerContext {
    ControllerContext {
        mss: PACKET,
        initial_window: 10 * PACKET,
        growth: Growth::PerByte,
        reduce_from: ReduceFrom::Flight,
        hystart: HyStart::Auto,
        paced: true,
        random: None,
    }
}

fn newreno() -> Window {
    let context = context();
    let controller =
        NewReno::new(NewRenoParameters::default(), SlowStart::new(&context, HyStart::Off), &context);
    Window::new(Box::new(controller), PACKET, 10 * PACKET)
}

fn named(id: &str) -> Window {
    let controller = controllers().build(&id.into(), &context()).expect("a controller of TCP");
    Window::new(controller, PACKET, 10 * PACKET)
}

/// An acknowledgement at `now`, with the departure times of packets that arrived and that were lost.
fn ack(window: &mut Window, now: u64, arrived: &[u64], lost: &[u64]) {
    let packet = |sequence: usize, sent_ms: u64| ArrivedPacket {
        sequence: sequence as u64,
        bytes: PACKET,
        sent_at: AT(sent_ms),
        arrived_at: None,
        ecn: Ecn::NotEct,
    };
    let arrived: Vec<_> = arrived.iter().enumerate().map(|(i, ms)| packet(i, *ms)).collect();
    marked(window, now, &arrived, lost);
}

fn marked(window: &mut Window, now: u64, arrived: &[ArrivedPacket], lost: &[u64]) {
    let lost: Vec<_> =
        lost.iter().map(|ms| LostPacket { sequence: 0, bytes: PACKET, sent_at: AT(*ms) }).collect();
    let delivered = PACKET * arrived.len() as u64;
    let sample = AckSample {
        now: AT(now),
        acked: delivered,
        delivered,
        lost: PACKET * lost.len() as u64,
        ecn_echo: false,
        ce_bytes: arrived.iter().filter(|p| p.ecn == Ecn::Ce).map(|p| p.bytes).sum(),
        delivered_total: delivered,
        lost_total: PACKET * lost.len() as u64,
        rate: RateSample::default(),
        in_flight_before: 20 * PACKET,
        in_flight: 19 * PACKET,
        acknowledged: 0,
        next_offset: 100 * PACKET,
        rtt: Some(MS(100)),
        min_rtt: MS(100),
        smoothed_rtt: MS(100),
        is_window_limited: true,
        phase: Phase::Open,
        is_round_start: false,
    };
    window.on_ack(&PathAck { sample: &sample, arrived, lost: &lost });
}

#[test]
fn the_window_grows_with_arrivals() {
    let mut window = newreno();
    assert_eq!(window.window(), 10 * PACKET);
    ack(&mut window, 100, &[0, 1, 2], &[]);
    assert_eq!(window.window(), 13 * PACKET, "slow start");
    assert_eq!(window.bandwidth(), Some(Rate::from_bits(13 * PACKET * 80)), "13 packets in 100 ms");
}

#[test]
fn rfc9002_7_3_2_losses_cause_one_reduction_per_round_trip() {
    let mut window = newreno();
    ack(&mut window, 100, &[0; 10], &[]);
    ack(&mut window, 200, &[103], &[100, 101]);
    assert_eq!((window.phase(), window.window()), (Phase::Recovery, 10 * PACKET));
    ack(&mut window, 210, &[120], &[110, 190]);
    assert_eq!(window.window(), 10 * PACKET, "they left before the loss was known");
    ack(&mut window, 310, &[205], &[]);
    assert_eq!((window.phase(), window.window()), (Phase::Open, 10 * PACKET), "a packet sent since arrives");
    ack(&mut window, 320, &[230], &[220]);
    assert_eq!(
        (window.phase(), window.window()),
        (Phase::Recovery, 5 * PACKET),
        "a packet sent since is lost"
    );
}

#[test]
fn rfc9002_7_3_2_the_window_does_not_grow_in_recovery() {
    let mut window = newreno();
    ack(&mut window, 100, &[0; 10], &[]);
    ack(&mut window, 200, &[103], &[100]);
    for _ in 0..20 {
        ack(&mut window, 210, &[150], &[]);
    }
    assert_eq!(window.window(), 10 * PACKET);
}

#[test]
fn rfc9002_7_6_2_persistent_congestion_collapses_the_window_to_two_packets() {
    let mut window = newreno();
    ack(&mut window, 100, &[0; 10], &[]);
    ack(&mut window, 2000, &[1500], &[100, 1400]);
    window.on_persistent_congestion(AT(2000), 0);
    assert_eq!((window.phase(), window.window()), (Phase::Loss, 2 * PACKET), "RFC 9002 §7.2: not below");
    ack(&mut window, 2100, &[2001], &[]);
    assert_eq!(window.phase(), Phase::Open);
    for ms in 0..20 {
        ack(&mut window, 2200, &[2001 + ms], &[]);
    }
    assert!(window.window() >= 10 * PACKET, "slow start up to the threshold of the loss");
}

#[test]
fn bbr_keeps_its_own_window_in_recovery() {
    let mut window = named("bbr");
    ack(&mut window, 100, &[0; 10], &[]);
    ack(&mut window, 200, &[103], &[100]);
    assert_eq!(window.phase(), Phase::Recovery);
    assert!(window.window() < u64::MAX, "BBR's slow-start threshold is not a window");
    assert!(window.pacing_rate().is_some());
}

#[test]
fn controllers_that_count_marks_respond_to_them() {
    let marks =
        [ArrivedPacket { sequence: 1, bytes: PACKET, sent_at: AT(50), arrived_at: None, ecn: Ecn::Ce }];
    let mut dctcp = named("dctcp");
    assert_ne!(dctcp.ecn(), Ecn::NotEct);
    marked(&mut dctcp, 150, &marks, &[]);
    assert_eq!(dctcp.phase(), Phase::Cwr);
    assert!(dctcp.window() < 10 * PACKET);
    let before = dctcp.window();
    marked(&mut dctcp, 160, &marks, &[]);
    assert_eq!(dctcp.window(), before, "once per round trip");
    let mut cubic = named("cubic");
    assert_eq!(cubic.ecn(), Ecn::NotEct);
    marked(&mut cubic, 150, &marks, &[]);
    assert_eq!(cubic.phase(), Phase::Open);
}
