//! Retransmission timeouts.

use jettison_core::{Duration, Time};
use jettison_tcp::congestion::Phase;
use jettison_tcp::{CloseReason, ConnectionEvent, MinRtoBounds, TcpParameters};

use crate::harness::*;

fn without_probes() -> TcpParameters {
    TcpParameters { rack_tlp: false, ..parameters() }
}

/// Times at which the client sent a segment.
fn times(net: &Net, segment: u64) -> Vec<Time> {
    net.sent_by(Client).iter().filter(|seen| seen.segment() == Some(segment)).map(|seen| seen.at).collect()
}

#[test]
fn rfc6298_5_times_out_at_the_floor_and_backs_off() {
    let mut net = Net::established(ms(10), &without_probes());
    net.script(|seen| if seen.from == Client && seen.at < at(3000) { Fate::Drop } else { Fate::Pass });
    net.send(MSS);
    net.run_until(at(10_000));
    let since: Vec<u64> = times(&net, 0).iter().map(|at| at.as_nanos() / 1_000_000 - 30).collect();
    assert_eq!(since, [0, 200, 600, 1400, 3000], "200 ms, then doubling");
    assert_eq!(net.statistics().timeouts, 4);
    assert_eq!(net.flows[0].received_bytes[1], MSS);
}

#[test]
fn rfc6298_2_4_the_floor_is_a_parameter() {
    for floor in [10, 500, 1000] {
        let mut net = Net::established(ms(10), &TcpParameters { min_rto: ms(floor), ..without_probes() });
        net.script(lose(&[0]));
        net.send(MSS);
        net.run_until(at(3000));
        // The first sample of 20 ms gives an RTO of 20 + 4·10 ms.
        assert_eq!(times(&net, 0), [at(30), at(30 + floor.max(60))]);
    }
}

#[test]
fn linux_adds_the_floor_to_the_rtt() {
    let parameters = TcpParameters { min_rto_bounds: MinRtoBounds::Variation, ..without_probes() };
    let mut net = Net::established(ms(10), &parameters);
    net.script(lose(&[0]));
    net.send(MSS);
    net.run_until(at(1000));
    assert_eq!(times(&net, 0), [at(30), at(30 + 20 + 200)]);
}

#[test]
fn rfc5681_3_1_a_timeout_starts_over_from_one_segment() {
    let mut net = Net::established(ms(10), &without_probes());
    net.script(|seen| {
        if seen.from == Client && (at(50)..at(60)).contains(&seen.at) { Fate::Drop } else { Fate::Pass }
    });
    net.send(100 * MSS);
    net.run_until(at(250));
    let statistics = net.statistics();
    assert_eq!((statistics.phase, statistics.timeouts), (Phase::Loss, 1));
    assert_eq!((statistics.congestion_window, statistics.ssthresh), (MSS, 10 * MSS));
    assert_eq!(statistics.in_flight, MSS);
    // Slow start through the lost data: 1, 2, 4 segments per round trip.
    let sent = |net: &Net, from, to| {
        net.sent_by(Client).iter().filter(|seen| (at(from)..at(to)).contains(&seen.at)).count()
    };
    net.run_until(at(500));
    // The ACK of the lone segment is delayed by 40 ms.
    assert_eq!([sent(&net, 250, 305), sent(&net, 305, 325), sent(&net, 325, 345)], [1, 2, 4]);
    assert_eq!(net.flows[0].received_bytes[1], 100 * MSS);
    assert_eq!(net.statistics().timeouts, 1);
}

#[test]
fn rfc6298_3_karn_no_sample_from_a_retransmission_without_timestamps() {
    for timestamps in [false, true] {
        let mut net = Net::established(ms(10), &TcpParameters { timestamps, ..without_probes() });
        net.script(lose(&[0]));
        net.flows[0].rtt_samples.clear();
        net.send(MSS);
        net.run_until(at(1000));
        let samples: Vec<Duration> = net.flows[0].rtt_samples.iter().map(|sample| sample.1).collect();
        if timestamps {
            // RFC 7323 §4.1: the echo identifies the transmission; the ACK was delayed by 40 ms.
            assert_eq!(samples, [ms(60)]);
            assert_eq!(net.statistics().rto, ms(200));
        } else {
            assert_eq!(samples, []);
            assert_eq!(net.statistics().rto, ms(400), "still backed off");
        }
    }
}

#[test]
fn rfc5681_3_1_repeated_timeouts_keep_ssthresh() {
    let mut net = Net::established(ms(10), &without_probes());
    net.script(|seen| if seen.from == Client && seen.at < at(1500) { Fate::Drop } else { Fate::Pass });
    net.send(10 * MSS);
    net.run_until(at(1500));
    let statistics = net.statistics();
    assert_eq!((statistics.timeouts, statistics.ssthresh), (3, 5 * MSS));
}

#[test]
fn rfc9293_3_8_3_an_unresponsive_peer_ends_the_connection() {
    let mut net = Net::established(ms(10), &TcpParameters { max_retransmissions: 4, ..parameters() });
    net.script(|seen| if seen.from == Client { Fate::Drop } else { Fate::Pass });
    net.send(MSS);
    net.run_until(Time::from_secs(100));
    let (when, side, event) = *net.flows[0].events.last().expect("it ended");
    assert_eq!((side, event), (Client, ConnectionEvent::Closed { reason: CloseReason::TimedOut }));
    assert!(when < Time::from_secs(10), "{when}");
    assert!(net.client().is_closed());
}

#[test]
fn rfc3522_a_spurious_timeout_is_undone() {
    let mut net = Net::established(ms(10), &without_probes());
    // The path stalls for longer than the RTO, then delivers everything in order.
    net.script(|seen| {
        let held = seen.from == Client && (at(50)..at(350)).contains(&seen.at);
        if held { Fate::Late(at(350).since(seen.at)) } else { Fate::Pass }
    });
    net.send(400 * MSS);
    net.run_until(at(2000));
    let statistics = net.statistics();
    assert_eq!((statistics.timeouts, statistics.spurious_recoveries), (1, 1));
    assert_eq!(statistics.ssthresh, u64::MAX);
    assert_eq!(net.flows[0].received_bytes[1], 400 * MSS);
}

#[test]
fn a_premature_wakeup_does_nothing() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(5 * MSS);
    let before = net.statistics();
    let wakeup = net.client().next_wakeup();
    for micros in [30_001, 31_000, 35_000] {
        net.client().handle_wakeup(Time::from_micros(micros));
        assert!(net.client().poll_transmit(Time::from_micros(micros)).is_none());
    }
    assert_eq!((net.statistics(), net.client().next_wakeup()), (before, wakeup));
}

#[test]
fn an_idle_connection_needs_no_wakeup() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(20 * MSS);
    net.run_to_end(Time::from_secs(5));
    assert_eq!(net.client().next_wakeup(), None);
    assert_eq!(net.server().next_wakeup(), None);
}
