//! newCWV (RFC 7661) end to end, for applications with and without pauses.

use jettison_core::{Duration, Rate, Time};
use jettison_tcp::congestion::{Growth, HyStart, Phase};
use jettison_tcp::{EcnSwitch, Switch, TcpParameters, TcpStatistics};
use serde_json::json;

use crate::harness::*;

fn newcwv() -> TcpParameters {
    TcpParameters { congestion: "newcwv".into(), ..parameters() }
}

/// No burst limit.
fn unlimited() -> TcpParameters {
    with_bursts_of(0)
}

fn with_bursts_of(segments: u32) -> TcpParameters {
    let mut parameters = newcwv();
    parameters.congestion.parameters.insert("burst_segments".to_owned(), json!(segments));
    parameters
}

/// Paced at one window per RTT.
fn paced() -> TcpParameters {
    let gains = TcpParameters { pacing_gain_slow_start: 1.0, pacing_gain_avoidance: 1.0, ..newcwv() };
    TcpParameters { pacing: Switch::On, ..gains }
}

/// A flow over an RTT of 100 ms that has sent 200 segments and then been idle for some seconds; its log is empty.
fn paused(parameters: &TcpParameters) -> (Net, TcpStatistics) {
    let mut net = Net::established(ms(50), parameters);
    net.send(200 * MSS);
    net.run_until(Time::from_secs(10));
    net.log.clear();
    let statistics = net.statistics();
    assert!(statistics.congestion_window >= 100 * MSS && statistics.flight_size == 0, "{statistics:?}");
    (net, statistics)
}

/// Departure times of data.
fn departures(net: &Net) -> Vec<Time> {
    net.sent_by(Client).iter().filter(|seen| seen.length > 0).map(|seen| seen.at).collect()
}

/// Number of segments sent at `now`.
fn leaving(net: &Net, now: Time) -> usize {
    departures(net).iter().filter(|at| **at == now).count()
}

#[test]
fn section_4_4_a_window_that_collapses_after_idleness_under_newreno_is_kept() {
    for slow_start_after_idle in [true, false] {
        let (mut net, before) = paused(&TcpParameters { slow_start_after_idle, ..parameters() });
        net.send(40 * MSS);
        let expected = if slow_start_after_idle { 10 * MSS } else { before.congestion_window };
        assert_eq!(net.statistics().congestion_window, expected);

        let (mut net, before) = paused(&TcpParameters { slow_start_after_idle, ..unlimited() });
        for _ in 0..20 {
            net.log.clear();
            net.send(40 * MSS);
            assert_eq!(leaving(&net, net.now), 40, "no slow start");
            net.run_until(net.now + Duration::from_secs(5));
            let after = net.statistics();
            assert_eq!(
                (after.congestion_window, after.ssthresh),
                (before.congestion_window, before.ssthresh)
            );
        }
    }
}

#[test]
fn section_4_4_the_window_grows_again_once_it_is_used() {
    let (mut net, before) = paused(&unlimited());
    let window = before.congestion_window;
    net.send(4 * window);
    net.run_until(net.now + Duration::from_secs(1));
    assert!(net.statistics().congestion_window > window * 3 / 2, "validated, and in slow start");
}

#[test]
fn section_4_4_1_a_loss_in_the_non_validated_phase_reduces_to_half_of_the_bytes_in_use() {
    for sack in [true, false] {
        let (mut net, _) = paused(&TcpParameters { sack, ..unlimited() });
        let start = 200;
        net.script(lose(&[start + 5, start + 9]));
        net.send(40 * MSS);
        while net.statistics().phase == Phase::Open {
            net.run_until(net.now + ms(1));
        }
        // LossFlightSize is 35 segments, from the first lost one. pipeACK is 0 after the pause.
        let detected = net.statistics();
        assert_eq!((detected.phase, detected.ssthresh), (Phase::Recovery, 35 * MSS / 2));
        net.run_until(Time::from_secs(15));
        let after = net.statistics();
        assert_eq!((after.phase, after.recoveries, after.timeouts), (Phase::Open, 1, 0));
        // R is two segments; the window is neither PRR's exit window nor RFC 6582's.
        assert_eq!((after.congestion_window, after.ssthresh), (33 * MSS / 2, 33 * MSS / 2));
    }
}

#[test]
fn section_4_4_1_pipe_ack_counts_if_the_flight_is_small() {
    let (mut net, before) = paused(&unlimited());
    net.send(60 * MSS);
    net.run_until(net.now + ms(500));
    // 60 segments were acknowledged in an RTT half a second ago, less than half of the window; a small loss follows.
    assert!(60 * MSS < before.congestion_window / 2);
    net.script(lose(&[261]));
    net.send(5 * MSS);
    net.run_until(net.now + Duration::from_secs(2));
    let after = net.statistics();
    assert_eq!((after.recoveries, after.congestion_window), (1, (60 - 1) * MSS / 2));
}

#[test]
fn section_4_4_1_data_retransmitted_twice_counts_once() {
    let (mut net, _) = paused(&unlimited());
    let lost: Vec<u64> = (205..225).chain([205]).collect();
    net.script(lose(&lost));
    net.send(40 * MSS);
    // Data keeps arriving, so RACK detects that the retransmission is lost too.
    net.run_until(net.now + ms(150));
    net.send(4 * MSS);
    net.run_until(Time::from_secs(15));
    let after = net.statistics();
    assert_eq!((after.timeouts, after.recoveries), (0, 1));
    assert_eq!(after.segments_retransmitted, 21);
    // R is 20 segments of the 35 in flight at detection.
    assert_eq!(after.congestion_window, (35 - 20) * MSS / 2);
}

#[test]
fn section_4_4_1_the_loss_of_a_retransmission_reduces_the_window_again() {
    let (mut net, _) = paused(&unlimited());
    net.script(lose(&[205, 209, 205]));
    net.send(40 * MSS);
    net.run_until(net.now + ms(150));
    net.send(4 * MSS);
    net.run_until(Time::from_secs(15));
    let after = net.statistics();
    assert_eq!((after.timeouts, after.recoveries, after.segments_retransmitted), (0, 1, 3));
    // RFC 5681 §4.3: a quarter of the 35 segments in flight at detection, which is less than (35 - R) / 2.
    assert_eq!(after.congestion_window, 35 * MSS / 4);
}

#[test]
fn section_4_4_1_a_loss_repaired_by_a_tail_loss_probe_has_the_same_response() {
    let (mut net, _) = paused(&unlimited());
    net.script(lose(&[219]));
    net.send(20 * MSS);
    net.run_until(net.now + ms(500));
    // RFC 8985 §7.4.2: an ACK past the probe shows that no copy of it is still to be acknowledged.
    net.send(4 * MSS);
    net.run_until(Time::from_secs(15));
    let after = net.statistics();
    assert_eq!((after.tail_loss_probes, after.timeouts), (1, 0));
    assert_eq!(after.segments_retransmitted, 1);
    // pipeACK is 19 segments, those before the lost one; one was retransmitted.
    assert_eq!((after.congestion_window, after.ssthresh), (9 * MSS, 9 * MSS));
}

#[test]
fn section_4_4_1_marks_in_the_non_validated_phase_reduce_to_half_of_the_bytes_in_use() {
    let (mut net, _) = paused(&TcpParameters { ecn: EcnSwitch::On, ..unlimited() });
    net.script(|seen| if seen.segment() == Some(209) { Fate::Mark } else { Fate::Pass });
    net.send(40 * MSS);
    net.run_until(Time::from_secs(15));
    let after = net.statistics();
    assert_eq!((after.ecn_reductions, after.segments_retransmitted), (1, 0));
    // The ACK of segments 208 and 209 arrives with 32 in flight.
    assert_eq!((after.congestion_window, after.ssthresh), (16 * MSS, 16 * MSS));
}

#[test]
fn section_4_4_a_timeout_in_the_non_validated_phase_collapses_the_window_as_usual() {
    let (mut net, _) = paused(&TcpParameters { rack_tlp: false, ..unlimited() });
    let dark = net.now + ms(100);
    net.script(move |seen| if seen.from == Client && seen.at < dark { Fate::Drop } else { Fate::Pass });
    net.send(40 * MSS);
    while net.statistics().timeouts == 0 {
        net.run_until(net.now + ms(1));
    }
    let after = net.statistics();
    assert_eq!((after.phase, after.congestion_window, after.ssthresh), (Phase::Loss, MSS, 20 * MSS));
    net.run_until(Time::from_secs(20));
    assert_eq!(net.flows[0].received_bytes[1], 240 * MSS);
}

#[test]
fn section_4_4_2_one_ack_or_write_sends_no_more_than_the_limit() {
    let (mut net, _) = paused(&with_bursts_of(4));
    net.send(40 * MSS);
    net.pump(0);
    assert_eq!(leaving(&net, net.now), 4);
    net.send(40 * MSS);
    assert_eq!(leaving(&net, net.now), 4, "another write starts no other burst");
    // Each of the two ACKs of these four segments releases four.
    let second = net.now + ms(100);
    net.run_until(second);
    assert_eq!(leaving(&net, second), 8);
    net.run_until(Time::from_secs(15));
    assert_eq!(net.flows[0].received_bytes[1], 280 * MSS);
}

#[test]
fn section_4_4_2_a_steady_trickle_is_not_a_burst() {
    let (mut net, _) = paused(&with_bursts_of(1));
    for _ in 0..50 {
        net.send(MSS);
        assert_eq!(leaving(&net, net.now), 1);
        net.run_until(net.now + ms(7));
    }
}

#[test]
fn section_4_4_2_bursts_are_not_limited_while_the_window_is_validated() {
    let (mut net, before) = paused(&with_bursts_of(4));
    net.send(u64::MAX / 4);
    net.run_until(net.now + Duration::from_secs(2));
    net.log.clear();
    net.run_until(net.now + ms(100));
    assert!(departures(&net).len() as u64 > before.congestion_window / MSS, "the whole window leaves");
}

#[test]
fn section_4_4_2_pacing_spreads_a_burst_over_an_rtt() {
    let (mut net, _) = paused(&paced());
    let (start, before) = (net.now, net.statistics());
    let segments = before.congestion_window / MSS;
    net.send(segments * MSS);
    net.run_until(start + ms(99));
    let times = departures(&net);
    assert!(times.len() as u64 > segments * 9 / 10, "{} of {segments}", times.len());
    let gap = before.smoothed_rtt.as_secs_f64() / segments as f64;
    for pair in times.windows(2) {
        let ratio = pair[1].since(pair[0]).as_secs_f64() / gap;
        assert!((ratio - 1.0).abs() < 0.02, "{} after {}: {ratio}", pair[1], pair[0]);
    }
    assert_eq!(net.statistics().congestion_window, before.congestion_window, "kept, not grown by a burst");
}

#[test]
fn section_4_4_2_pacing_with_linux_gains_spreads_it_over_half_an_rtt_in_slow_start() {
    let (mut net, _) = paused(&TcpParameters { pacing: Switch::On, ..newcwv() });
    let (start, before) = (net.now, net.statistics());
    assert!(before.congestion_window < before.ssthresh);
    net.send(before.congestion_window / MSS * MSS);
    net.run_until(start + ms(99));
    let spread = departures(&net).last().expect("some").since(start);
    assert!((ms(48)..ms(52)).contains(&spread), "{spread}");
}

#[test]
fn section_4_4_2_a_paced_burst_loses_less_at_a_short_queue() {
    let drops = |parameters: &TcpParameters| {
        // 10 Mbit/s and 40 ms hold 48 packets, the queue 10 more.
        let mut net = Net::new(ms(20)).with_bottleneck(Rate::from_mbit(10), 10);
        net.add_flow(parameters, parameters, Time::ZERO, [1, 2]);
        for burst in 1..=40 {
            net.send(40 * MSS);
            net.run_until(Time::from_secs(2 * burst));
        }
        net.drops
    };
    let (paced, unpaced) = (drops(&paced()), drops(&unlimited()));
    assert!(2 * paced < unpaced, "{paced} and {unpaced}");
}

#[test]
fn section_4_4_3_an_idle_window_falls_by_half_after_five_minutes_and_again_after_ten() {
    for (seconds, halvings) in [(290, 0), (310, 1), (610, 2)] {
        let (mut net, before) = paused(&unlimited());
        net.run_until(net.now + Duration::from_secs(seconds));
        net.send(MSS);
        let after = net.statistics();
        assert_eq!(after.congestion_window, before.congestion_window >> halvings, "after {seconds} s");
        assert_eq!(after.ssthresh, u64::MAX, "not lowered");
    }
}

#[test]
fn section_4_4_3_a_slow_sender_is_reduced_as_an_idle_one() {
    let (mut net, before) = paused(&unlimited());
    for _ in 0..310 {
        net.send(MSS);
        net.run_until(net.now + Duration::from_secs(1));
    }
    assert_eq!(net.statistics().congestion_window, before.congestion_window / 2);
}

#[test]
fn section_4_3_a_bulk_flow_is_newreno_to_the_packet() {
    for (mbit, buffer) in [(2, 5), (8, 20), (8, 100), (50, 30)] {
        for delay in [5, 20, 100] {
            for variant in 0..7 {
                let make = |id: &str| TcpParameters {
                    congestion: id.into(),
                    sack: variant != 1,
                    rack_tlp: variant > 2,
                    growth: if variant == 3 { Growth::PerAck } else { Growth::PerByte },
                    delayed_ack_segments: if variant == 4 { 1 } else { 2 },
                    hystart: if variant == 5 { HyStart::Rfc9406 } else { HyStart::Off },
                    initial_window: if variant == 6 { 3 } else { 10 },
                    ..parameters()
                };
                let [reno, cwv] = ["newreno", "newcwv"].map(|id| {
                    let mut net = Net::new(ms(delay)).with_bottleneck(Rate::from_mbit(mbit), buffer);
                    net.add_flow(&make(id), &make(id), Time::ZERO, [1, 2]);
                    net.send(u64::MAX / 4);
                    net.run_until(Time::from_secs(10));
                    net
                });
                assert!(reno.drops > 0 || variant == 5, "congestion is there");
                let differs = reno.log.iter().zip(&cwv.log).find(|(one, other)| one != other);
                assert_eq!(differs, None, "{mbit} Mbit/s, {buffer} packets, {delay} ms, variant {variant}");
                assert_eq!(reno.log.len(), cwv.log.len());
            }
        }
    }
}

#[test]
fn a_paced_bulk_flow_fills_the_bottleneck() {
    for gains in [paced(), TcpParameters { pacing: Switch::On, ..newcwv() }] {
        let mut net = Net::new(ms(20)).with_bottleneck(Rate::from_mbit(10), 50);
        net.keeps_log = false;
        net.add_flow(&gains, &gains, Time::ZERO, [1, 2]);
        net.send(u64::MAX / 4);
        net.run_until(Time::from_secs(20));
        let rate = net.flows[0].received_bytes[1] as f64 * 8.0 / 20.0;
        assert!(rate > 0.9 * 10e6 * 1000.0 / 1052.0, "{rate}");
    }
}
