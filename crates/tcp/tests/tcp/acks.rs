//! The initial window, window growth, and timing of ACKs.

use jettison_core::{Duration, Rate, Time};
use jettison_tcp::congestion::{Growth, HyStart};
use jettison_tcp::{RestartRule, TcpParameters};

use crate::harness::*;

#[test]
fn rfc6928_the_initial_window_is_ten_segments() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(50 * MSS);
    assert_eq!(net.segments(), (0..10).collect::<Vec<_>>());
    net.run_until(at(49));
    assert_eq!(net.segments().len(), 10, "no ACK yet");
    net.run_until(at(50));
    assert_eq!(net.segments().len(), 30, "slow start doubles");
}

#[test]
fn rfc5681_4_2_acks_come_every_second_segment() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(10 * MSS);
    net.run_until(at(500));
    let acks: Vec<i64> = net.sent_by(Server).iter().map(|seen| seen.ack).collect();
    assert_eq!(acks, [2000, 4000, 6000, 8000, 10_000]);
}

#[test]
fn with_quick_acks_the_first_16_segments_and_those_after_idle_are_acknowledged_each() {
    let parameters = TcpParameters { quick_acks: true, ..parameters() };
    let mut net = Net::established(ms(10), &parameters);
    let mut acked = |from: u64| {
        net.run_until(at(from));
        net.log.clear();
        net.send(10 * MSS);
        net.run_until(at(from + 60));
        net.send(10 * MSS);
        net.run_until(at(from + 200));
        net.sent_by(Server).iter().map(|seen| seen.ack as u64 / MSS).collect::<Vec<_>>()
    };
    let each = (1..=16).chain([18, 20]).collect::<Vec<u64>>();
    assert_eq!(acked(30), each);
    // The server's timeout is 200 ms after a handshake of 20 ms.
    assert_eq!(acked(1000), each.iter().map(|segment| segment + 20).collect::<Vec<_>>());
}

#[test]
fn rfc5681_4_2_a_lone_segment_is_acknowledged_after_the_timeout() {
    for timeout in [40, 200] {
        let parameters = TcpParameters { delayed_ack_timeout: ms(timeout), min_rto: ms(500), ..parameters() };
        let mut net = Net::established(ms(10), &parameters);
        net.send(MSS);
        net.run_until(at(1000));
        let acks: Vec<Time> = net.sent_by(Server).iter().map(|seen| seen.at).collect();
        assert_eq!(acks, [at(30 + 10 + timeout)]);
    }
}

#[test]
fn data_carries_acks() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(MSS);
    net.run_until(at(45));
    net.server().write(jettison_tcp::Payload::Zeros(300));
    net.run_until(at(55));
    let answer = net.sent_by(Server);
    assert_eq!((answer.len(), answer[0].ack, answer[0].length), (1, 1000, 300));
    net.run_until(at(85));
    assert_eq!(net.sent_by(Server).len(), 1, "the delayed ACK is no longer due");
}

#[test]
fn rfc5681_3_1_avoidance_grows_by_bytes_or_by_acks() {
    // Leave slow start at 20 segments by a loss at 40, then observe the window over 20 round trips.
    let grown = |growth| {
        let parameters = TcpParameters { growth, hystart: HyStart::Off, ..parameters() };
        let mut net = Net::established(ms(50), &parameters);
        net.keeps_log = false;
        net.script(lose(&[30]));
        net.send(u64::MAX / 2);
        net.run_until(Time::from_secs(1));
        let before = net.statistics().congestion_window;
        net.run_until(Time::from_secs(3));
        assert_eq!(net.statistics().recoveries, 1);
        (net.statistics().congestion_window - before) as f64 / MSS as f64
    };
    let (bytes, acks) = (grown(Growth::PerByte), grown(Growth::PerAck));
    assert!((bytes - 20.0).abs() <= 1.5, "one segment per RTT: {bytes}");
    assert!((acks - 10.0).abs() <= 1.5, "half of it with delayed ACKs: {acks}");
}

#[test]
fn rfc7661_4_5_3_an_unused_window_does_not_grow() {
    let mut net = Net::established(ms(10), &parameters());
    for i in 0..100 {
        net.send(2 * MSS);
        net.run_until(at(30 + 50 * (i + 1)));
    }
    assert_eq!(net.statistics().congestion_window, 10 * MSS);
    assert!(net.statistics().is_app_limited);
}

#[test]
fn rfc5681_4_1_the_window_restarts_after_idle_if_the_switch_is_on() {
    for (on, expected) in [(true, 10), (false, 40)] {
        let rule = RestartRule::Rfc5681;
        let parameters = TcpParameters { slow_start_after_idle: on, idle_restart: rule, ..parameters() };
        let mut net = Net::established(ms(10), &parameters);
        net.send(30 * MSS);
        net.run_until(at(200));
        let window = net.statistics().congestion_window;
        assert_eq!(window, 40 * MSS);
        net.run_until(at(200) + Duration::from_secs(1));
        net.log.clear();
        net.send(100 * MSS);
        assert_eq!(net.segments().len(), expected, "slow start after idle: {on}");
    }
}

/// A window of 80 segments whose last data left at the time returned; the RTO is 200 ms.
fn opened(idle_restart: RestartRule) -> (Net, Time) {
    let mut net = Net::established(ms(10), &TcpParameters { idle_restart, ..parameters() });
    net.send(70 * MSS);
    net.run_until(at(120));
    assert_eq!(net.statistics().congestion_window, 80 * MSS);
    let departures = net.sent_by(Client).iter().filter(|seen| seen.length > 0).map(|seen| seen.at).max();
    (net, departures.expect("data left"))
}

#[test]
fn linux_halves_the_window_for_each_timeout_of_idleness() {
    for (idle, expected) in [(190, 80), (210, 40), (390, 40), (410, 20), (610, 10), (5000, 10)] {
        let (mut net, last) = opened(RestartRule::Linux);
        net.run_until(last + ms(idle));
        net.log.clear();
        net.send(100 * MSS);
        assert_eq!(net.segments().len(), expected, "after {idle} ms");
        let ssthresh = net.statistics().ssthresh;
        assert_eq!(ssthresh, u64::MAX, "it was higher than three quarters");
    }
}

#[test]
fn rfc2861_3_2_the_window_halves_for_each_timeout_of_idleness_down_to_a_segment() {
    for (idle, expected) in [(190, 80), (200, 40), (390, 40), (410, 20), (610, 10), (810, 5), (5000, 1)] {
        let (mut net, last) = opened(RestartRule::Rfc2861);
        net.run_until(last + ms(idle));
        net.log.clear();
        net.send(100 * MSS);
        assert_eq!(net.segments().len(), expected, "after {idle} ms");
    }
}

/// Windows, each when it begins, of a sender of two segments each 50 ms.
fn windows_while_application_limited(idle_restart: RestartRule) -> Vec<(Time, u64)> {
    let (mut net, _) = opened(idle_restart);
    let mut windows = vec![(net.now, net.statistics().congestion_window)];
    for _ in 0..24 {
        net.send(2 * MSS);
        net.run_until(net.now + ms(50));
        let window = net.statistics().congestion_window;
        if window != windows[windows.len() - 1].1 {
            windows.push((net.now, window));
        }
    }
    windows
}

#[test]
fn rfc2861_3_1_an_unused_window_falls_halfway_to_what_was_used_each_timeout() {
    let windows = windows_while_application_limited(RestartRule::Rfc2861);
    let sizes: Vec<u64> = windows.iter().map(|(_, window)| *window).collect();
    // (80 + 2)/2, (41 + 2)/2 and so on, in bytes; the RTO is 200 ms, so four writes of 50 ms apart, or five.
    assert_eq!(sizes[..5], [80_000, 41_000, 21_500, 11_750, 6_875]);
    for pair in windows[1..5].windows(2) {
        let apart = pair[1].0.since(pair[0].0);
        assert!(apart >= ms(200) && apart <= ms(250), "{apart}");
    }
}

#[test]
fn linux_keeps_an_unused_window_while_anything_is_sent() {
    assert_eq!(windows_while_application_limited(RestartRule::Linux).len(), 1);
}

#[test]
fn rfc2861_3_1_a_full_window_is_validated() {
    // Ten segments each 50 ms fill a window of ten, for seconds.
    let parameters = TcpParameters { idle_restart: RestartRule::Rfc2861, ..parameters() };
    let mut net = Net::established(ms(10), &parameters);
    for _ in 0..40 {
        net.send(10 * MSS);
        net.run_until(net.now + ms(50));
        assert!(net.statistics().congestion_window >= 10 * MSS);
    }
}

#[test]
fn rfc7323_4_rtt_samples_are_exact_and_include_the_delayed_ack() {
    let mut net = Net::established(ms(25), &parameters());
    net.send(2 * MSS);
    net.run_until(at(200));
    net.send(MSS);
    net.run_until(at(400));
    let samples: Vec<Duration> = net.flows[0].rtt_samples.iter().map(|sample| sample.1).collect();
    assert_eq!(samples, [ms(50), ms(50), ms(90)]);
    assert_eq!(net.statistics().min_rtt, ms(50));
}

/// One flow over 20 Mbit/s and 40 ms of RTT with a queue of 2,000 packets, after two seconds: ssthresh, window, timeouts.
fn slow_start(congestion: &str, hystart: HyStart) -> (u64, u64, u64) {
    let parameters = TcpParameters { congestion: congestion.into(), hystart, ..parameters() };
    let mut net = Net::pair(ms(20), &parameters).with_bottleneck(Rate::from_mbit(20), 2000);
    net.keeps_log = false;
    net.run_until(at(100));
    net.send(u64::MAX / 2);
    net.run_until(Time::from_secs(2));
    (net.statistics().ssthresh, net.statistics().congestion_window, net.statistics().timeouts)
}

#[test]
fn rfc9406_hystart_leaves_slow_start_before_the_buffer_is_full() {
    let (ssthresh, window, timeouts) = slow_start("cubic", HyStart::Rfc9406);
    // The path holds 100 segments, the queue would hold 2,000. The rise is detected at about 250, and five conservative
    // rounds multiply that by 1.25 each.
    assert!((250 * MSS..900 * MSS).contains(&ssthresh), "{ssthresh}");
    assert!(window < 1000 * MSS && timeouts == 0, "{window}");
    let (ssthresh, window, _) = slow_start("cubic", HyStart::Off);
    assert!(ssthresh == u64::MAX && window > 1000 * MSS, "without it slow start continues: {window}");
}

#[test]
fn linux_hystart_leaves_slow_start_as_soon_as_the_path_is_full() {
    // The path holds 100 segments. ACKs come every second segment, 0.85 ms apart, so that a train of half of the RTT is 48
    // segments: it is found in the round that has doubled 80 segments at most.
    let (ssthresh, window, timeouts) = slow_start("cubic", HyStart::Auto);
    assert!((50 * MSS..=160 * MSS).contains(&ssthresh), "{ssthresh}");
    assert_eq!(timeouts, 0);
    // Without a W_max the window grows by a twentieth per round trip at least.
    assert!(window > ssthresh * 3 / 2, "{window} from {ssthresh}");
    assert_eq!(slow_start("newreno", HyStart::Auto).0, u64::MAX, "off by default");
    assert!(slow_start("newreno", HyStart::Linux).0 <= 160 * MSS);
}
