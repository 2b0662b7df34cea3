//! Filling a link, and sending below its rate.

use jettison_core::{Rate, Time};
use jettison_messages::{OctopusParameters, StreamOptions};

use super::harness::*;

const RATE: Rate = Rate::from_mbit(12);

/// Keeps the send buffer filled with messages of 10 kB for ten seconds over 12 Mbit/s and 60 ms of RTT; returns the
/// goodput of the last eight, in Mbit/s.
fn goodput(parameters: &OctopusParameters, limit: usize) -> (f64, Net) {
    let mut net = Net::new(ms(30), parameters).with_bottleneck(RATE, limit);
    net.keeps_log = false;
    net.ends[0].open_stream(1, StreamOptions::default());
    let mut at_two_seconds = 0;
    for step in 0..1000 {
        while net.ends[0].estimate(net.now).backlog < 100_000 {
            net.send(10_000);
        }
        if step == 200 {
            at_two_seconds = net.statistics(1).delivered.bytes;
        }
        net.run_until(Time::from_millis(10 * (step + 1)));
    }
    let bytes = net.statistics(1).delivered.bytes - at_two_seconds;
    (bytes as f64 * 8.0 / 8e6, net)
}

fn with(congestion: &str) -> OctopusParameters {
    OctopusParameters { congestion: congestion.into(), ..OctopusParameters::default() }
}

#[test]
fn bbr_fills_a_link_of_12_mbit() {
    let (goodput, net) = goodput(&with("bbr"), 250);
    assert!((11.0..12.0).contains(&goodput), "{goodput}");
    let bandwidth = net.ends[0].estimate(net.now).bandwidth.expect("it is known");
    // Of 1,500 bytes, 1,472 are the transport's.
    assert!((11.4..12.1).contains(&bandwidth.as_mbit_f64()), "{bandwidth}");
    let rtt = net.ends[0].estimate(net.now).rtt.expect("it is known");
    assert!(rtt < ms(100), "BBR leaves a short queue: {rtt}");
}

#[test]
fn cubic_fills_a_link_of_12_mbit() {
    // The path holds 60 packets.
    let (goodput, net) = goodput(&with("cubic"), 60);
    assert!(goodput > 10.0, "{goodput}");
    assert!(net.statistics(0).packets_lost > 0, "it filled the queue");
    assert!(net.statistics(0).persistent_congestions == 0);
}

#[test]
fn newreno_and_the_others_of_tcp_use_the_link() {
    for id in ["newreno", "newcwv", "dctcp", "prague"] {
        let (goodput, _) = goodput(&with(id), 60);
        assert!(goodput > 8.0, "{id}: {goodput}");
    }
}

#[test]
fn an_application_below_the_link_is_not_delayed() {
    let mut net = Net::new(ms(30), &with("bbr")).with_bottleneck(RATE, 250);
    net.keeps_log = false;
    // 30 frames per second of 10 kB are 2.4 Mbit/s.
    for frame in 0..300u64 {
        net.run_until(Time::from_micros(frame * 33_333));
        net.send(10_000);
    }
    net.run_to_end(at(20_000));
    assert_eq!(net.received[1].len(), 300);
    let late = net.received[1]
        .iter()
        .skip(30)
        .enumerate()
        .map(|(i, (when, _))| when.since(Time::from_micros((i as u64 + 30) * 33_333)));
    let worst = late.max().expect("many");
    assert!(worst < ms(80), "{worst}: 30 ms of delay, 7 ms on the link, the rest is pacing");
    assert!(net.most_waiting < 60);
}

#[test]
fn the_same_run_twice_is_the_same() {
    let run = || {
        let (goodput, net) = goodput(&with("bbr"), 100);
        (goodput, net.statistics(0), net.received[1].clone())
    };
    assert_eq!(run(), run());
}
