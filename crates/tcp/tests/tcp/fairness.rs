//! Combinations of loss, buffer and number of flows: the link is fully used, and shared fairly.

use jettison_core::{Rate, Time};
use jettison_tcp::Payload;
use jettison_tcp::congestion::{Growth, HyStart};
use jettison_tcp::{Switch, TcpParameters};

use crate::harness::*;

struct Outcome {
    /// Goodput of all flows over the measured time, as a share of the link.
    utilisation: f64,
    /// Jain's index of the flows' goodput.
    jain: f64,
    drops: u64,
    timeouts: u64,
    spurious: u64,
}

fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// Bulk flows over one bottleneck of 10 Mbit/s and 20 ms, started 0.1 s apart, measured from `warm_up` on.
fn bulk(
    parameters: &TcpParameters,
    flows: usize,
    buffer: usize,
    loss: u64,
    warm_up: u64,
    until: u64,
) -> Outcome {
    let rate = Rate::from_mbit(10);
    let mut net = Net::new(ms(10)).with_bottleneck(rate, buffer);
    net.keeps_log = false;
    let mut state = 12_345u64;
    net.script(move |seen| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lost = seen.length > 0 && (state >> 33) % 10_000 < loss;
        if lost { Fate::Drop } else { Fate::Pass }
    });
    for i in 0..flows as u64 {
        let flow = net.add_flow(parameters, parameters, at(i * 100), [77, 99]);
        net.flows[flow].client.write(Payload::Zeros(u64::MAX / 2));
    }
    net.run_until(Time::from_secs(warm_up));
    let before: Vec<u64> = net.flows.iter().map(|flow| flow.received_bytes[1]).collect();
    let drops_before = net.drops;
    net.run_until(Time::from_secs(until));
    let shares: Vec<f64> =
        net.flows.iter().zip(before).map(|(flow, before)| (flow.received_bytes[1] - before) as f64).collect();
    let seconds = (until - warm_up) as f64;
    Outcome {
        utilisation: shares.iter().sum::<f64>() * 8.0 / seconds / rate.as_bits() as f64,
        jain: jain(&shares),
        drops: net.drops - drops_before,
        timeouts: net.flows.iter().map(|flow| flow.client.statistics().timeouts).sum(),
        spurious: net.flows.iter().map(|flow| flow.client.statistics().spurious_recoveries).sum(),
    }
}

/// Hosts as in an older, simpler simulator.
fn plain_hosts() -> TcpParameters {
    TcpParameters {
        congestion: "newreno".into(),
        mss: 1460,
        growth: Growth::PerAck,
        hystart: HyStart::Off,
        delayed_ack_timeout: ms(200),
        min_rto: ms(1000),
        initial_rto: ms(1000),
        ..TcpParameters::default()
    }
}

#[test]
fn loss_times_buffer_times_flows() {
    let modern =
        |congestion: &str| TcpParameters { congestion: congestion.into(), ..TcpParameters::default() };
    let cases = [
        ("newreno", modern("newreno")),
        ("cubic", modern("cubic")),
        ("per-ack", plain_hosts()),
        ("rfc6675", TcpParameters { rack_tlp: false, prr: false, ..modern("newreno") }),
        ("rfc6582", TcpParameters { sack: false, ..modern("newreno") }),
        ("paced", TcpParameters { pacing: Switch::On, ..modern("cubic") }),
    ];
    for (name, parameters) in cases {
        // Flows, buffer in packets, loss in 1/10,000; minimum utilisation, minimum Jain index.
        for (flows, buffer, loss, used, fair) in [
            (1, 20, 0, 0.85, 1.0),
            (1, 100, 0, 0.93, 1.0),
            (1, 100, 10, 0.55, 1.0),
            (4, 50, 0, 0.92, 0.75),
            (4, 100, 10, 0.85, 0.75),
            (10, 100, 0, 0.92, 0.75),
        ] {
            let outcome = bulk(&parameters, flows, buffer, loss, 10, 60);
            let case = format!("{name}: {flows} flows, {buffer} packets, {loss} per 10,000");
            assert!(outcome.utilisation > used, "{case}: utilisation {}", outcome.utilisation);
            assert!(outcome.utilisation < 1.0, "{case}: utilisation {}", outcome.utilisation);
            assert!(outcome.jain > fair - 1e-9, "{case}: Jain {}", outcome.jain);
            if flows == 1 && parameters.sack {
                // One flow in order, losses found by SACK: no timeout, no spurious recovery.
                assert_eq!((outcome.timeouts, outcome.spurious), (0, 0), "{case}");
            }
        }
    }
}

#[test]
fn one_flow_fills_a_tail_drop_buffer_in_the_known_saw_tooth() {
    // 10 Mbit/s, 20 ms, 100 packets, per-ACK growth: an independent simulator counts about 43 drops in 580 s.
    let outcome = bulk(&plain_hosts(), 1, 100, 0, 20, 600);
    assert!((0.955..0.97).contains(&outcome.utilisation), "{}", outcome.utilisation);
    assert!((38..=48).contains(&outcome.drops), "{} drops", outcome.drops);
    assert_eq!(outcome.timeouts, 0);
}

#[test]
fn thirty_five_flows_share_a_short_queue() {
    let outcome = bulk(&plain_hosts(), 35, 100, 0, 10, 60);
    assert!(outcome.utilisation > 0.95, "{}", outcome.utilisation);
    assert!(outcome.jain > 0.9, "{}", outcome.jain);
}
