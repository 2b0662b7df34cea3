//! Traces: what held a sender back, and why it sent data again.

use jettison_core::{Bytes, Rate, Time};
use jettison_tcp::{Departure, Limit, Repair, TcpParameters, TraceEvent};

use crate::harness::*;

/// Changes of what held the client back.
fn limits(net: &mut Net) -> Vec<(Time, Limit)> {
    let of = |event| match event {
        TraceEvent::Limited(at, limit) => Some((at, limit)),
        _ => None,
    };
    net.client().trace_events().filter_map(of).collect()
}

fn traced(parameters: &TcpParameters) -> Net {
    let mut net = Net::established(ms(10), parameters);
    let now = net.now;
    net.client().trace(now);
    assert_eq!(limits(&mut net), [(now, Limit::Application)]);
    net
}

#[test]
fn nothing_is_kept_unless_asked_for() {
    let mut net = Net::established(ms(10), &parameters());
    net.send(100 * MSS);
    net.run_until(at(500));
    assert!(!net.client().is_traced());
    assert_eq!(net.client().trace_events().count(), 0);
    assert_eq!(net.client().departure(), None);
}

#[test]
fn the_handshake_is_what_holds_a_new_connection_back() {
    let mut net = Net::pair(ms(10), &parameters());
    net.client().trace(at(0));
    net.send(MSS);
    net.run_until(at(100));
    assert_eq!(limits(&mut net), [(at(0), Limit::Handshake), (at(20), Limit::Application)]);
}

#[test]
fn windows_pacing_and_the_application_are_told_apart() {
    // Ten segments leave, and the others with the ACKs one round trip later.
    let mut net = traced(&parameters());
    net.send(14 * MSS);
    net.run_until(at(200));
    assert_eq!(limits(&mut net), [(at(30), Limit::Window), (at(50), Limit::Application)]);
    // Four segments fit into the peer's buffer.
    let mut net = traced(&TcpParameters { receive_buffer: Bytes::new(4 * MSS), ..parameters() });
    net.send(6 * MSS);
    net.run_until(at(200));
    assert_eq!(limits(&mut net), [(at(30), Limit::ReceiveWindow), (at(50), Limit::Application)]);
    let mut net = traced(&TcpParameters { pacing: jettison_tcp::Switch::On, ..parameters() });
    net.send(8 * MSS);
    net.run_until(at(200));
    let found = limits(&mut net);
    assert_eq!(found[0], (at(30), Limit::Pacing));
    assert!(found.len() == 2 && found[1].1 == Limit::Application && found[1].0 < at(50), "{found:?}");
}

/// Reasons of the retransmissions of ten segments, some of which are lost, and the byte for whose loss the window was reduced.
fn repairs(parameters: &TcpParameters, lost: &[u64]) -> (Vec<(u64, Repair)>, Option<u64>) {
    let mut connection = Net::established(ms(10), parameters);
    connection.script(lose(lost));
    let now = connection.now;
    connection.client().trace(now);
    connection.send(10 * MSS);
    connection.run_until(at(2_000));
    let again = |departure: &Departure| Some((departure.offset / MSS, departure.repair?));
    let repairs = connection.departures.iter().filter_map(again).collect();
    let reduced = connection.client().trace_events().find_map(|event| match event {
        TraceEvent::ReducedForLoss(_, offset) => Some(offset / MSS),
        _ => None,
    });
    (repairs, reduced)
}

#[test]
fn every_retransmission_has_its_reason() {
    let counting = TcpParameters { rack_tlp: false, ..parameters() };
    // The last one is RFC 6675's rescue retransmission (§4, NextSeg rule 4).
    assert_eq!(repairs(&counting, &[3]), (vec![(3, Repair::Fast), (9, Repair::Fast)], Some(3)));
    assert_eq!(repairs(&parameters(), &[3]), (vec![(3, Repair::Rack)], Some(3)));
    // Whether a probe repaired a loss shows with the ACK of later data (RFC 8985 §7.4.2), of which there is none.
    assert_eq!(repairs(&parameters(), &[9]), (vec![(9, Repair::Probe)], None));
    assert_eq!(repairs(&counting, &[9]), (vec![(9, Repair::Timeout)], Some(9)));
    let without = TcpParameters { sack: false, ..counting };
    assert_eq!(repairs(&without, &[3]), (vec![(3, Repair::Fast)], Some(3)));
}

#[test]
fn a_reduction_for_marks_is_told() {
    let ecn = TcpParameters { ecn: jettison_tcp::EcnSwitch::On, ..parameters() };
    let mut net =
        Net::established(ms(10), &ecn).with_bottleneck(Rate::from_mbit(10), 1_000).with_step_marking(5);
    let now = net.now;
    net.client().trace(now);
    net.send(400 * MSS);
    net.run_until(at(300));
    assert!(net.client().trace_events().any(|event| matches!(event, TraceEvent::ReducedForMarks(_))));
}
