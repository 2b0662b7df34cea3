//! Loss detection and repair.

use jettison_core::{Duration, Rate, Time};
use jettison_tcp::TcpParameters;
use jettison_tcp::congestion::Phase;

use crate::harness::*;

/// RFC 6675's counting, or RFC 6582 without SACK, in place of RACK.
fn counting(sack: bool) -> TcpParameters {
    TcpParameters { sack, rack_tlp: false, prr: false, ..parameters() }
}

/// Segments that the client sent more than once, in order of their retransmission.
fn repeated(net: &Net) -> Vec<u64> {
    let mut seen = std::collections::BTreeSet::new();
    net.segments().into_iter().filter(|segment| !seen.insert(*segment)).collect()
}

#[test]
fn rfc5681_3_2_the_third_duplicate_ack_repairs() {
    for sack in [true, false] {
        let mut net = Net::established(ms(10), &TcpParameters { limited_transmit: false, ..counting(sack) });
        net.script(lose(&[0]));
        net.send(10 * MSS);
        net.run_until(at(50));
        assert_eq!(net.segments()[10], 0, "SACK {sack}");
        let dup_acks = net.sent_by(Server);
        assert!(dup_acks[..3].iter().all(|seen| seen.ack == 0));
        net.run_until(at(200));
        assert_eq!(net.flows[0].received_bytes[1], 10 * MSS);
        assert_eq!((net.statistics().timeouts, net.statistics().recoveries), (0, 1));
    }
}

#[test]
fn two_duplicate_acks_are_not_enough() {
    for sack in [true, false] {
        let mut net = Net::established(ms(10), &counting(sack));
        net.script(|seen| if seen.segment() == Some(0) { Fate::Late(ms(5)) } else { Fate::Pass });
        net.send(3 * MSS);
        net.run_until(at(300));
        assert_eq!(repeated(&net), [0; 0]);
    }
}

#[test]
fn rfc3042_the_first_two_duplicate_acks_permit_new_data() {
    for (on, sent) in [(true, vec![10, 11, 0]), (false, vec![0])] {
        for sack in [true, false] {
            let mut net = Net::established(ms(10), &TcpParameters { limited_transmit: on, ..counting(sack) });
            // Exactly three duplicate ACKs: the rest of the flight is late.
            net.script(|seen| match seen.segment() {
                Some(0) if seen.from == Client && seen.index == 0 => Fate::Drop,
                Some(4..10) => Fate::Late(ms(8)),
                _ => Fate::Pass,
            });
            net.send(30 * MSS);
            net.run_until(at(55));
            assert_eq!(net.segments()[10..], sent, "limited transmit {on}, SACK {sack}");
        }
    }
}

#[test]
fn rfc6675_several_losses_are_repaired_in_one_round_trip() {
    for rack_tlp in [true, false] {
        for prr in [true, false] {
            let mut net = Net::established(ms(10), &TcpParameters { rack_tlp, prr, ..counting(true) });
            net.script(lose(&[12, 15, 16, 20]));
            net.send(200 * MSS);
            net.run_until(at(95));
            assert_eq!(repeated(&net), [12, 15, 16, 20], "RACK {rack_tlp}, PRR {prr}");
            net.run_until(at(1000));
            assert_eq!(net.flows[0].received_bytes[1], 200 * MSS);
            let statistics = net.statistics();
            assert_eq!(
                (statistics.timeouts, statistics.recoveries, statistics.segments_retransmitted),
                (0, 1, 4)
            );
        }
    }
}

#[test]
fn rfc6582_3_2_without_sack_each_partial_ack_repairs_one_loss_in_one_recovery() {
    let mut net = Net::established(ms(10), &counting(false));
    net.script(lose(&[12, 15, 20]));
    net.send(200 * MSS);
    net.run_until(at(1000));
    assert_eq!(repeated(&net), [12, 15, 20]);
    let repairs: Vec<u64> = {
        let mut seen = std::collections::BTreeSet::new();
        net.sent_by(Client)
            .iter()
            .filter(|packet| packet.segment().is_some_and(|segment| !seen.insert(segment)))
            .map(|packet| packet.at.as_nanos() / 1_000_000)
            .collect()
    };
    assert_eq!(repairs, [70, 90, 110], "a round trip each");
    assert_eq!((net.statistics().recoveries, net.statistics().timeouts), (1, 0));
    assert_eq!(net.flows[0].received_bytes[1], 200 * MSS);
}

#[test]
fn rfc5681_eq_4_one_recovery_halves_the_window_once() {
    for parameters in [parameters(), counting(true), counting(false)] {
        let mut net = Net::established(ms(10), &parameters);
        net.script(lose(&[12, 15, 16, 20]));
        net.send(2000 * MSS);
        net.run_until(at(70));
        // 20 segments were in flight when segment 12 was lost, and slow start had added two by then.
        let flight = net.statistics().ssthresh * 2;
        assert!((20 * MSS..=24 * MSS).contains(&flight), "{flight}");
        let ssthresh = net.statistics().ssthresh;
        net.run_until(at(130));
        assert_eq!(net.statistics().ssthresh, ssthresh);
    }
}

#[test]
fn rfc9937_prr_sends_in_proportion_and_ends_at_ssthresh() {
    let mut net = Net::established(ms(10), &parameters());
    net.script(lose(&[30]));
    net.send(u64::MAX / 4);
    // Sent at 70 ms in a flight of 40 segments; detected at 90 ms.
    net.run_until(at(89));
    assert_eq!(net.statistics().phase, Phase::Open);
    net.log.clear();
    net.run_until(at(90));
    let statistics = net.statistics();
    assert_eq!(statistics.phase, Phase::Recovery);
    let arrived = net.log.iter().filter(|seen| seen.from == Client).count() as u64;
    assert!(arrived > 0);
    net.run_until(at(109));
    assert!(net.statistics().in_flight >= statistics.ssthresh - 2 * MSS);
    assert!(net.statistics().in_flight <= statistics.ssthresh + MSS, "{:?}", net.statistics());
    net.run_until(at(111));
    let after = net.statistics();
    assert_eq!(after.phase, Phase::Open);
    assert_eq!(after.congestion_window, after.ssthresh);
    assert_eq!(after.segments_retransmitted, 1);
}

#[test]
fn rfc9937_prr_halves_the_sending_during_recovery_instead_of_stopping_it() {
    let sent_in_first_half = |prr| {
        let rate = jettison_core::Rate::from_mbit(10);
        let parameters = TcpParameters { prr, ..parameters() };
        let mut net = Net::pair(ms(50), &parameters).with_bottleneck(rate, 1000);
        net.run_until(at(150));
        net.script(lose(&[400]));
        net.send(u64::MAX / 4);
        while net.statistics().phase != Phase::Recovery {
            let next = net.now + ms(1);
            net.run_until(next);
        }
        net.log.clear();
        let srtt = net.statistics().smoothed_rtt;
        let until = net.now + srtt / 2;
        net.run_until(until);
        net.segments().len() as u64
    };
    let (with, without) = (sent_in_first_half(true), sent_in_first_half(false));
    assert!(without <= 3, "RFC 6675 waits until half the flight has left: {without}");
    assert!(with >= 20, "PRR sends on every other ACK: {with}");
}

#[test]
fn rfc8985_7_a_lost_tail_is_probed_before_the_timeout() {
    let mut net = Net::established(ms(10), &parameters());
    net.script(lose(&[9]));
    net.send(10 * MSS);
    net.run_until(at(300));
    let last = net.sent_by(Client).last().cloned().expect("a probe");
    assert_eq!(last.segment(), Some(9));
    // The ninth is acknowledged at 90 ms, delayed; a lone segment has 200 ms more, which the RTO limits (§7.2).
    assert_eq!(last.at, at(90 + 200));
    assert_eq!((net.statistics().timeouts, net.statistics().tail_loss_probes), (0, 1));
    assert_eq!(net.flows[0].received_bytes[1], 10 * MSS);
}

#[test]
fn rfc8985_7_several_lost_at_the_tail_are_found_by_the_probe() {
    let mut net = Net::established(ms(10), &TcpParameters { min_rto: ms(1000), ..parameters() });
    net.script(lose(&[6, 7, 8, 9]));
    net.send(10 * MSS);
    net.run_until(at(200));
    assert_eq!(repeated(&net), [9, 6, 7, 8]);
    let probe = net.sent_by(Client)[10].clone();
    assert_eq!(probe.at, at(50 + 40), "PTO = 2·SRTT after the last ACK");
    assert_eq!(net.statistics().timeouts, 0);
    assert_eq!(net.flows[0].received_bytes[1], 10 * MSS);
    assert_eq!(net.statistics().recoveries, 1);
}

#[test]
fn rfc8985_7_3_a_probe_sends_new_data_if_available() {
    let mut net = Net::established(ms(10), &TcpParameters { min_rto: ms(1000), ..parameters() });
    net.script(lose(&[8, 9]));
    net.send(10 * MSS);
    net.run_until(at(60));
    net.client().write(jettison_tcp::Payload::Zeros(MSS));
    // Written after the probe timer was armed; the window had room, so it left immediately and re-armed the probe.
    net.run_until(at(300));
    assert_eq!(net.flows[0].received_bytes[1], 11 * MSS);
    assert_eq!(net.statistics().timeouts, 0);
}

#[test]
fn rfc8985_7_3_there_is_no_second_probe_without_an_rtt_sample_since_the_first() {
    // The tenth segment is probed at 290 ms, an eleventh follows, and one ACK covers both: without timestamps it is no sample
    // (Karn), so that the twelfth, lost too, waits for the timeout.
    for (timestamps, probes, timeouts) in [(true, 2, 0), (false, 1, 1)] {
        let mut net = Net::established(ms(10), &TcpParameters { timestamps, eifel: false, ..parameters() });
        net.script(lose(&[9, 11]));
        net.send(10 * MSS);
        net.run_until(at(291));
        net.send(MSS);
        net.run_until(at(1000));
        assert_eq!(net.statistics().tail_loss_probes, 1);
        net.send(MSS);
        net.run_until(at(2500));
        assert_eq!(net.flows[0].received_bytes[1], 12 * MSS);
        let statistics = net.statistics();
        assert_eq!((statistics.tail_loss_probes, statistics.timeouts), (probes, timeouts), "{timestamps}");
    }
}

#[test]
fn rfc8985_7_4_a_loss_repaired_by_the_probe_reduces_the_window() {
    let mut net = Net::established(ms(10), &parameters());
    net.script(lose(&[9]));
    net.send(10 * MSS);
    net.run_until(at(1000));
    net.send(10 * MSS);
    net.run_until(at(1100));
    assert!(net.statistics().ssthresh < u64::MAX, "the repaired loss reduced the window");
}

#[test]
fn rfc8985_6_2_reordering_within_a_quarter_rtt_retransmits_nothing() {
    let reordered = |parameters: &TcpParameters| {
        let mut net = Net::established(ms(20), parameters);
        // First, two segments overtake one (reordering is detected), then eight overtake another.
        net.script(|seen| match seen.segment() {
            Some(7) | Some(30) => Fate::Late(ms(8)),
            _ => Fate::Pass,
        });
        net.send(200 * MSS);
        net.run_until(Time::from_secs(2));
        assert_eq!(net.flows[0].received_bytes[1], 200 * MSS);
        (repeated(&net), net.statistics().spurious_recoveries)
    };
    assert_eq!(reordered(&parameters()), (vec![], 0));
    let (repeated, _) = reordered(&counting(true));
    assert!(repeated.contains(&30), "RFC 6675 takes three SACKed segments for a loss");
}

#[test]
fn rfc8985_6_2_a_lost_retransmission_is_found_without_a_timeout() {
    let mut net = Net::established(ms(10), &TcpParameters { min_rto: ms(1000), ..parameters() });
    let mut drops = 0;
    net.script(move |seen| {
        if seen.segment() == Some(12) && drops < 2 {
            drops += 1;
            return Fate::Drop;
        }
        Fate::Pass
    });
    net.send(300 * MSS);
    // The second loss reduces the window again (RFC 5681 §4.3), so that the rest takes its time.
    net.run_until(at(600));
    assert_eq!(repeated(&net), [12, 12]);
    assert_eq!(net.statistics().timeouts, 0);
    assert_eq!(net.flows[0].received_bytes[1], 300 * MSS);
    assert_eq!(net.statistics().recoveries, 1);
}

/// Drops each of `segments` as often as told; returns the ssthresh values of the next second, without repetitions.
fn ssthresh_while_losing(segments: &'static [(u64, u32)], parameters: &TcpParameters) -> (Vec<u64>, Net) {
    let mut net = Net::established(ms(10), parameters);
    let mut drops: Vec<u32> = segments.iter().map(|(_, times)| *times).collect();
    net.script(move |seen| {
        let at = segments.iter().position(|(segment, _)| seen.segment() == Some(*segment));
        match at.map(|at| &mut drops[at]) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Fate::Drop
            }
            _ => Fate::Pass,
        }
    });
    net.send(u64::MAX / 4);
    let mut values = Vec::new();
    for now in 0..1000 {
        net.run_until(at(now));
        values.push(net.statistics().ssthresh);
    }
    values.dedup();
    (values, net)
}

#[test]
fn rfc5681_4_3_each_loss_of_a_retransmission_reduces_the_window_again() {
    let (values, mut net) = ssthresh_while_losing(&[(60, 4)], &parameters());
    assert_eq!(repeated(&net), [60; 4]);
    let [none, first, second, third, fourth] = values[..] else { panic!("{values:?}") };
    assert_eq!(none, u64::MAX);
    assert!(first >= 20 * MSS, "{values:?}");
    assert_eq!([second, third, fourth], [first / 2, first / 4, first / 8], "{values:?}");
    assert_eq!((net.statistics().timeouts, net.statistics().recoveries), (0, 1), "all of one recovery");
}

#[test]
fn as_in_linux_the_loss_of_a_retransmission_in_recovery_reduces_nothing_by_default() {
    let parameters = TcpParameters { reduce_again: false, ..parameters() };
    let (values, mut net) = ssthresh_while_losing(&[(60, 4)], &parameters);
    assert_eq!(repeated(&net), [60; 4]);
    assert_eq!(values.len(), 2, "one reduction: {values:?}");
    assert_eq!((net.statistics().timeouts, net.statistics().recoveries), (0, 1));
}

#[test]
fn rfc5681_4_3_retransmissions_of_one_round_trip_reduce_the_window_once_more() {
    let (values, net) = ssthresh_while_losing(&[(60, 2), (63, 2), (66, 2)], &parameters());
    assert_eq!(repeated(&net), [60, 63, 66, 60, 63, 66]);
    let [_, first, second] = values[..] else { panic!("{values:?}") };
    assert_eq!(second, first / 2);
}

#[test]
fn rfc5681_4_3_bbr_answers_losses_by_its_own_rules() {
    let parameters = TcpParameters { congestion: "bbr".into(), ..parameters() };
    let (_, mut net) = ssthresh_while_losing(&[(60, 4)], &parameters);
    assert_eq!((net.statistics().timeouts, net.statistics().recoveries), (0, 1));
}

#[test]
fn rfc3522_a_spurious_recovery_is_undone() {
    let run = |eifel| {
        let mut net = Net::established(ms(20), &TcpParameters { eifel, ..counting(true) });
        net.script(|seen| if seen.segment() == Some(20) { Fate::Late(ms(15)) } else { Fate::Pass });
        net.send(u64::MAX / 4);
        net.run_until(at(200));
        net.statistics()
    };
    let undone = run(true);
    assert_eq!((undone.recoveries, undone.spurious_recoveries), (1, 1));
    assert_eq!(undone.ssthresh, u64::MAX);
    let kept = run(false);
    assert_eq!(kept.spurious_recoveries, 0);
    assert!(kept.ssthresh < u64::MAX && kept.congestion_window < undone.congestion_window);
}

#[test]
fn rfc3522_a_retransmission_of_the_previous_recovery_undoes_nothing() {
    // A loss every half RTT: when one recovery ends and the next begins, a retransmission of the first is still in
    // flight. No retransmission is lost.
    for parameters in [parameters(), counting(true)] {
        let mut net = Net::established(ms(50), &parameters).with_bottleneck(Rate::from_mbit(8), 200);
        let (mut next, mut highest) = (at(1500), -1);
        net.script(move |seen| {
            let is_new = seen.from == Client && seen.seq > highest;
            highest = highest.max(if is_new { seen.seq } else { -1 });
            if is_new && seen.at >= next && seen.at < at(2500) {
                next = seen.at + ms(45);
                return Fate::Drop;
            }
            Fate::Pass
        });
        net.send(u64::MAX / 4);
        net.run_until(at(3000));
        let statistics = net.statistics();
        assert!(statistics.recoveries >= 2 && statistics.timeouts == 0, "{statistics:?}");
        assert_eq!(statistics.spurious_recoveries, 0, "every retransmission was of a segment that was lost");
        assert!(statistics.ssthresh < 100 * MSS, "{statistics:?}");
    }
}

#[test]
fn rfc6675_5_heavy_loss_is_repaired_without_a_timeout() {
    for parameters in [parameters(), counting(true)] {
        let mut net = Net::established(ms(10), &parameters);
        let lost: Vec<u64> = (40..80).filter(|n| n % 2 == 0).collect();
        net.script(lose(&lost));
        net.send(400 * MSS);
        net.run_until(Time::from_secs(1));
        assert_eq!(net.flows[0].received_bytes[1], 400 * MSS);
        assert_eq!(net.statistics().timeouts, 0);
        let mut again = repeated(&net);
        again.sort_unstable();
        assert_eq!(again, lost);
    }
}

#[test]
fn cubic_recovers_like_the_others() {
    let cubic = TcpParameters { congestion: "cubic".into(), ..parameters() };
    let mut net = Net::established(ms(10), &cubic);
    net.script(lose(&[40, 41, 42, 60]));
    net.send(1000 * MSS);
    net.run_until(Time::from_secs(1) + Duration::from_millis(500));
    assert_eq!(net.flows[0].received_bytes[1], 1000 * MSS);
    assert_eq!(net.statistics().timeouts, 0);
}
