//! Controllers that respond to the share of marks: DCTCP (RFC 8257) and Prague (RFC 9331).

use jettison_core::{Rate, Time};
use jettison_tcp::Payload;
use jettison_tcp::{EcnSwitch, Switch, TcpParameters};
use jettison_wire::{Ecn, TcpFlags};

use crate::harness::*;

const SCALABLE: [&str; 2] = ["dctcp", "prague"];

fn with(congestion: &str) -> TcpParameters {
    TcpParameters { congestion: congestion.into(), ..parameters() }
}

struct Outcome {
    /// Goodput of all flows over the measured time, as a share of the link.
    utilisation: f64,
    /// Ratio of the lowest to the highest goodput of a flow.
    balance: f64,
    /// Queue lengths seen by packets at the bottleneck in the measured time.
    found: Found,
    drops: u64,
}

/// Bulk flows, started a second apart, over `mbit` Mbit/s and `delay` in each direction, with step marking at `step`.
fn bulk(parameters: &TcpParameters, flows: u64, mbit: u64, delay: u64, step: usize, seconds: u64) -> Outcome {
    let rate = Rate::from_mbit(mbit);
    let mut net = Net::new(ms(delay)).with_bottleneck(rate, 1000).with_step_marking(step);
    net.keeps_log = false;
    for i in 0..flows {
        let flow = net.add_flow(parameters, parameters, Time::from_secs(i), [77, 99]);
        net.flows[flow].client.write(Payload::Zeros(u64::MAX / 2));
    }
    net.run_until(Time::from_secs(seconds / 2));
    let before: Vec<u64> = net.flows.iter().map(|flow| flow.received_bytes[1]).collect();
    net.found = Found::default();
    net.run_until(Time::from_secs(seconds));
    let shares: Vec<u64> =
        net.flows.iter().zip(before).map(|(flow, before)| flow.received_bytes[1] - before).collect();
    let measured = (seconds - seconds / 2) as f64;
    Outcome {
        utilisation: shares.iter().sum::<u64>() as f64 * 8.0 / measured / rate.as_bits() as f64,
        balance: *shares.iter().min().expect("a flow") as f64 / *shares.iter().max().expect("a flow") as f64,
        found: net.found,
        drops: net.drops,
    }
}

#[test]
fn rfc8257_1_a_step_keeps_the_queue_short_and_the_link_full() {
    // 10 Mbit/s and 20 ms hold 24 segments: a step at 5 exceeds the 17 % of that which DCTCP needs (RFC 8257 §3.1).
    for congestion in SCALABLE {
        let outcome = bulk(&with(congestion), 1, 10, 10, 5, 40);
        // An IP packet of 1,052 bytes carries 1,000 bytes of payload.
        assert!(outcome.utilisation > 0.94, "{congestion}: utilisation {}", outcome.utilisation);
        assert!(outcome.found.mean() < 5.0, "{congestion}: mean queue {}", outcome.found.mean());
        assert!(outcome.found.most <= 8, "{congestion}: longest queue {}", outcome.found.most);
        assert_eq!(outcome.drops, 0, "{congestion}");

        let reno = bulk(&TcpParameters { ecn: EcnSwitch::On, ..parameters() }, 1, 10, 10, 5, 40);
        assert!(reno.utilisation < outcome.utilisation - 0.02, "halving at that step leaves the link idle");
    }
}

#[test]
fn two_flows_share_a_link_evenly() {
    for congestion in SCALABLE {
        let outcome = bulk(&with(congestion), 2, 20, 10, 10, 60);
        assert!(outcome.balance > 0.9, "{congestion}: balance {}", outcome.balance);
        assert!(outcome.utilisation > 0.94, "{congestion}: utilisation {}", outcome.utilisation);
        assert!(outcome.found.mean() < 10.0, "{congestion}: mean queue {}", outcome.found.mean());
    }
}

#[test]
fn naming_the_controller_turns_ecn_on_at_both_ends() {
    for congestion in SCALABLE {
        let mut net = Net::pair(ms(10), &with(congestion));
        net.client().write(Payload::Zeros(30 * MSS));
        net.run_until(at(300));
        let is_accurate = congestion == "prague";
        let agreed = if is_accurate { 0b010 } else { 0b001 };
        assert_eq!(net.sent_by(Server)[0].ace, agreed, "{congestion}: agreed");
        for seen in &net.log {
            // RFC 3168 §6.1.1, §6.1.4: only data is ECN-capable. Draft §2.2: with Prague all that follows the handshake is.
            let is_capable = seen.length > 0 || is_accurate && !seen.is(TcpFlags::SYN);
            let expected = if is_capable { Ecn::Ect1 } else { Ecn::NotEct };
            assert_eq!(seen.ecn, expected, "{congestion}: {seen:?}");
        }
        assert_eq!(net.flows[0].received_bytes[1], 30 * MSS);
    }
    let mut net = Net::pair(ms(10), &parameters());
    net.run_until(at(100));
    assert!(!net.log[0].is(TcpFlags::ECE), "NewReno does not ask");
}

#[test]
fn the_codepoint_is_a_parameter() {
    for congestion in SCALABLE {
        let mut parameters = with(congestion);
        parameters.congestion.parameters.insert("codepoint".to_owned(), "ect0".into());
        let mut net = Net::established(ms(10), &parameters);
        net.send(5 * MSS);
        assert!(net.sent_by(Client).iter().all(|seen| seen.ecn == Ecn::Ect0));
    }
}

#[test]
fn rfc9331_4_2_without_ecn_both_are_newreno_to_the_packet() {
    let run = |client: &TcpParameters, server: &TcpParameters| {
        let mut net = Net::new(ms(10)).with_bottleneck(Rate::from_mbit(8), 30);
        net.add_flow(client, server, Time::ZERO, [5, 6]);
        net.client().write(Payload::Zeros(3_000 * MSS));
        net.run_until(Time::from_secs(5));
        assert!(net.drops > 0);
        net.log
    };
    let reno = run(&parameters(), &parameters());
    for congestion in SCALABLE {
        let off = TcpParameters { ecn: EcnSwitch::Off, ..with(congestion) };
        assert_eq!(run(&off, &off), reno, "{congestion}: `ecn = false` wins");
        let mut refused = run(&with(congestion), &off);
        assert!(refused[0].is(TcpFlags::ECE), "requested");
        (refused[0].flags, refused[0].ace) = (reno[0].flags, 0);
        assert_eq!(refused, reno, "{congestion}: refused by the peer");
    }
}

/// Mean window in segments if one of `n` segments is marked, over a path of 20 ms without a bottleneck.
fn mean_window(parameters: &TcpParameters, n: u64) -> f64 {
    let mut net = Net::established(ms(10), parameters);
    net.keeps_log = false;
    net.script(
        move |seen| if seen.segment().is_some_and(|i| i % n == n - 1) { Fate::Mark } else { Fate::Pass },
    );
    net.send(u64::MAX / 4);
    net.run_until(Time::from_secs(16));
    let mut sum = 0;
    for i in 1..=400 {
        net.run_until(at(16_000 + 20 * i));
        sum += net.statistics().congestion_window;
    }
    assert_eq!(net.statistics().segments_retransmitted, 0);
    sum as f64 / 400.0 / MSS as f64
}

#[test]
fn rfc9331_4_3_marks_per_round_trip_do_not_depend_on_the_rate() {
    // A round trip gains one segment and loses W · alpha/2, where alpha is the share p of marks: W = 2/p. Prague grows
    // on unmarked bytes alone: W = 2(1 − p)/p.
    let prague = with("prague");
    for n in [10, 50, 200] {
        let (window, expected) = (mean_window(&prague, n), 2.0 * (n - 1) as f64);
        assert!(
            (window / expected - 1.0_f64).abs() < 0.1,
            "1 of {n}: {window} segments, expected {expected}"
        );
    }
    // DCTCP does not grow while it reduces: fewer marks, but the same number at each rate.
    let dctcp = with("dctcp");
    for n in [50, 200] {
        let marks = mean_window(&dctcp, n) / n as f64;
        assert!((0.5..2.2).contains(&marks), "1 of {n}: {marks} marks per round trip");
    }
    // NewReno's window is proportional to 1/√p: the number of marks per round trip falls with the rate.
    let reno = TcpParameters { ecn: EcnSwitch::On, ..parameters() };
    assert!(mean_window(&reno, 200) / 200.0 < 0.2);
}

#[test]
fn rfc8257_3_5_and_rfc9331_4_3_loss_halves_even_during_the_response_to_marks() {
    for congestion in SCALABLE {
        let mut parameters = with(congestion);
        // Marks reduce the window by next to nothing, so the remaining reduction is that of loss.
        parameters.congestion.parameters.insert("initial_alpha".to_owned(), 0.01.into());
        parameters.initial_window = 30;
        let mut net = Net::new(ms(10)).with_bottleneck(Rate::from_mbit(8), 1000);
        net.add_flow(&parameters, &parameters, Time::ZERO, [5, 6]);
        let mut lost = false;
        net.script(move |seen| match seen.segment() {
            Some(100) => Fate::Mark,
            Some(110) if !std::mem::replace(&mut lost, true) => Fate::Drop,
            _ => Fate::Pass,
        });
        net.send(1000 * MSS);
        let (mut before, mut most) = (0, 0);
        while net.statistics().recoveries == 0 {
            assert!(net.now < Time::from_secs(5), "the loss is found");
            before = net.statistics().congestion_window;
            most = most.max(before);
            let next = net.now + ms(1);
            net.run_until(next);
        }
        let statistics = net.statistics();
        assert_eq!(statistics.ecn_reductions, 1, "{congestion}");
        assert!(before as f64 > 0.9 * most as f64, "{congestion}: marks took little: {before} of {most}");
        let left = statistics.ssthresh as f64 / before as f64;
        assert!((0.49..0.51).contains(&left), "{congestion}: {left} of {before}");
        net.run_until(Time::from_secs(3));
        assert_eq!((net.statistics().recoveries, net.statistics().timeouts), (1, 0), "{congestion}");
        assert_eq!(net.flows[0].received_bytes[1], 1000 * MSS);
    }
}

#[test]
fn rfc8985_7_2_a_lost_tail_is_probed_during_the_response_to_marks() {
    for congestion in SCALABLE {
        let mut net = Net::established(ms(10), &with(congestion));
        net.script(|seen| match seen.segment() {
            Some(30) => Fate::Mark,
            Some(39) if seen.at < at(120) => Fate::Drop,
            _ => Fate::Pass,
        });
        net.send(40 * MSS);
        net.run_until(Time::from_secs(2));
        let statistics = net.statistics();
        assert_eq!((statistics.tail_loss_probes, statistics.timeouts), (1, 0), "{congestion}");
        assert_eq!(net.flows[0].received_bytes[1], 40 * MSS);
    }
}

#[test]
fn prague_is_paced_by_default_and_need_not_be() {
    // 10 Mbit/s with step marking: share of segments that leave together with another, after slow start.
    let together = |pacing| {
        let parameters = TcpParameters { pacing, ..with("prague") };
        let mut net = Net::new(ms(10)).with_bottleneck(Rate::from_mbit(10), 1000).with_step_marking(5);
        net.add_flow(&parameters, &parameters, Time::ZERO, [5, 6]);
        net.run_until(at(100));
        net.send(u64::MAX / 4);
        net.run_until(Time::from_secs(4));
        let times: Vec<Time> =
            net.sent_by(Client).iter().map(|seen| seen.at).filter(|at| *at > Time::from_secs(2)).collect();
        times.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / times.len() as f64
    };
    assert!(together(Switch::Auto) < 0.01, "{}", together(Switch::Auto));
    // An ACK of two segments releases two.
    assert!(together(Switch::Off) > 0.3, "{}", together(Switch::Off));
}
