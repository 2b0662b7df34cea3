//! Each rule of Lin & Morris 1997.

use super::*;
use crate::testing::{build_error, packet, packet_of};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use serde_json::json;

fn fred(parameters: FredParameters) -> Fred {
    let stream = |name| Seed(1).stream(&["fred", name]);
    Fred::new(parameters, stream("drop"), &mut stream("hash")).unwrap_or_else(|error| panic!("{error}"))
}

/// A queue with `counts[flow]` packets per flow and a constant average: w_q is tiny.
fn held(average: f64, counts: &[u32], parameters: FredParameters) -> Fred {
    let mut fred = fred(FredParameters { w_q: 1e-15, ..parameters });
    for (flow, count) in counts.iter().enumerate() {
        (0..*count)
            .for_each(|id| fred.enqueue(packet_of(flow as u16, id, 1000), Time::ZERO, &mut NoOutcomes));
    }
    assert_eq!(
        fred.backlog().packets,
        u64::from(counts.iter().sum::<u32>()),
        "nothing is dropped while empty"
    );
    fred.average.average = average;
    fred.avgcq = (average / f64::from(fred.active)).max(1.0);
    fred
}

fn arrive(fred: &mut Fred, flow: u16) -> Option<DropReason> {
    let mut tally = Tally::default();
    fred.enqueue(packet_of(flow, 0, 1000), Time::ZERO, &mut tally);
    tally.drops.first().map(|drop| drop.1)
}

fn strikes(fred: &mut Fred, flow: u16) -> u32 {
    let found = fred.flows.find(&packet_of(flow, 0, 1000), |flow| flow.qlen == 0);
    fred.flows.state(found.slot).strike
}

#[test]
fn a_flow_never_holds_more_than_maxq() {
    let mut fred = fred(FredParameters::default());
    let refused: Vec<_> = (0..20).filter_map(|_| arrive(&mut fred, 1)).collect();
    assert_eq!(refused, [DropReason::FredFlow; 4], "maxq is min_th, 16");
    assert_eq!(fred.backlog().packets, 16);
    assert_eq!(arrive(&mut fred, 2), None);
}

#[test]
fn maxq_is_a_parameter() {
    let mut fred = fred(FredParameters { maxq: Some(Threshold::Packets(3)), ..FredParameters::default() });
    assert_eq!((0..10).filter_map(|_| arrive(&mut fred, 1)).count(), 7);
}

#[test]
fn a_flow_over_its_limit_gets_a_strike_each_time() {
    let mut fred = fred(FredParameters { maxq: Some(Threshold::Packets(3)), ..FredParameters::default() });
    (0..10).for_each(|_| _ = arrive(&mut fred, 1));
    assert_eq!(strikes(&mut fred, 1), 7);
}

#[test]
fn a_flow_with_more_than_one_strike_may_hold_no_more_than_the_average_flow() {
    // "qlen_i >= avgcq && strike_i > 1"
    let mut fred = held(12.0, &[3, 3], FredParameters::default());
    assert_eq!(fred.avgcq(), 6.0);
    let slot = fred.flows.find(&packet_of(0, 0, 1000), |flow| flow.qlen == 0).slot;
    fred.flows.state_mut(slot).strike = 2;
    assert_eq!([(); 3].map(|()| arrive(&mut fred, 0)), [None; 3]);
    assert_eq!([(); 3].map(|()| arrive(&mut fred, 0)), [Some(DropReason::FredFlow); 3]);
    // The same with one strike only, or none, goes on.
    assert_eq!([(); 6].map(|()| arrive(&mut fred, 1)), [None; 6]);
}

#[test]
fn above_max_th_a_flow_may_hold_no_more_than_twice_the_average_flow() {
    // "avg >= maxth && qlen_i > 2 * avgcq"; without the extension, which would stop it at two packets before.
    let parameters = || FredParameters { two_packets: false, ..FredParameters::default() };
    let mut fred = held(33.0, &[1, 1, 1, 1, 1, 1, 1, 1, 9], parameters());
    assert_eq!(arrive(&mut fred, 8), Some(DropReason::FredFlow), "9 is above 2 · 33 / 9");
    assert_eq!(arrive(&mut fred, 0), Some(DropReason::RedForced), "a drop, but no strike");
    assert_eq!((strikes(&mut fred, 8), strikes(&mut fred, 0)), (1, 0));
}

#[test]
fn many_flows_may_buffer_two_packets_each_above_max_th() {
    let mut fred = held(33.0, &[1, 2, 3], FredParameters::default());
    assert_eq!(arrive(&mut fred, 0), None);
    assert_eq!(arrive(&mut fred, 0), Some(DropReason::FredFlow));
    assert_eq!(arrive(&mut fred, 1), Some(DropReason::FredFlow));
    assert_eq!([arrive(&mut fred, 7), arrive(&mut fred, 7)], [None; 2], "a new flow, too");
    assert_eq!(arrive(&mut fred, 7), Some(DropReason::FredFlow));
}

#[test]
fn without_the_extension_every_arrival_is_dropped_above_max_th() {
    let mut fred = held(33.0, &[1], FredParameters { two_packets: false, ..FredParameters::default() });
    assert_eq!(arrive(&mut fred, 7), Some(DropReason::RedForced));
}

#[test]
fn below_min_th_nothing_is_dropped_at_random() {
    let mut fred = held(15.9, &[10, 1, 1], FredParameters { max_p: 1.0, ..FredParameters::default() });
    assert_eq!([(); 6].map(|()| arrive(&mut fred, 0)), [None; 6]);
    assert_eq!(fred.count, -1);
}

#[test]
fn between_the_thresholds_only_robust_flows_are_dropped_at_random() {
    // "qlen_i >= MAX(minq, avgcq)"
    let parameters = FredParameters { max_p: 1.0, ..FredParameters::default() };
    let mut fred = held(31.9, &[14, 1, 1, 1, 1, 1, 1, 1], parameters);
    assert_eq!(fred.avgcq(), 31.9 / 8.0);
    // The fragile ones, up to the average flow's backlog, are never dropped.
    for flow in 1..8 {
        assert_eq!([arrive(&mut fred, flow), arrive(&mut fred, flow)], [None; 2]);
    }
    assert_eq!(arrive(&mut fred, 0), Some(DropReason::RedEarly));
}

#[test]
fn a_flow_may_always_hold_minq_packets() {
    // avgcq is 1 with 20 flows of an average of 20; minq is 2.
    let parameters = FredParameters { max_p: 1.0, ..FredParameters::default() };
    let mut fred = held(31.9, &[1; 32], parameters);
    assert_eq!(fred.avgcq(), 1.0);
    assert_eq!(arrive(&mut fred, 3), None);
    assert_eq!(arrive(&mut fred, 3), Some(DropReason::RedEarly));
}

#[test]
fn random_drops_come_as_reds_do() {
    // p_b = max_p (avg - min_th) / (max_th - min_th) = 0.1, p_a = p_b / (1 - count · p_b): one in 5.5 on average.
    let parameters =
        FredParameters { max_p: 0.2, maxq: Some(Threshold::Packets(1 << 40)), ..FredParameters::default() };
    let mut fred = held(24.0, &[30], parameters);
    let slot = fred.flows.find(&packet_of(0, 0, 1000), |flow| flow.qlen == 0).slot;
    let (mut gap, mut gaps) = (0usize, [0u32; 12]);
    for _ in 0..110_000 {
        gap += 1;
        if fred.drop_reason(slot).is_some() {
            gaps[gap] += 1;
            gap = 0;
        }
    }
    let drops: u32 = gaps.iter().sum();
    // The count is 1 at the first arrival after a drop, as the paper writes it: uniform on 1..=9.
    assert!((21_500..22_500).contains(&drops), "{drops}");
    assert!(gaps[1..10].iter().all(|n| (2_250..2_650).contains(n)), "{gaps:?}");
}

#[test]
fn the_average_is_sampled_at_arrivals_and_at_departures() {
    let mut fred = fred(FredParameters { w_q: 0.5, ..FredParameters::default() });
    for _ in 0..3 {
        assert_eq!(arrive(&mut fred, 1), None);
    }
    // Samples 0 (idle), 1, 2 at the arrivals.
    assert_eq!(fred.average(), 1.25);
    fred.dequeue(Time::ZERO, &mut NoOutcomes);
    assert_eq!(fred.average(), 1.625);
    fred.dequeue(Time::ZERO, &mut NoOutcomes);
    fred.dequeue(Time::ZERO, &mut NoOutcomes);
    assert_eq!(fred.average(), ((1.625 + 1.0) / 2.0) / 2.0);
}

#[test]
fn dropped_arrivals_do_not_raise_the_average() {
    let mut fred = fred(FredParameters { w_q: 0.5, ..FredParameters::default() });
    (0..16).for_each(|_| _ = arrive(&mut fred, 1));
    let average = fred.average();
    assert_eq!(arrive(&mut fred, 1), Some(DropReason::FredFlow));
    assert_eq!(fred.average(), average);
}

#[test]
fn an_idle_period_counts_as_a_number_of_small_packets() {
    let mut fred = fred(FredParameters { w_q: 0.5, ..FredParameters::default() });
    fred.capacity_changed(Rate::from_mbit(4), Time::ZERO);
    fred.average.average = 8.0;
    fred.enqueue(packet(1, 1000), Time::from_millis(3), &mut NoOutcomes);
    assert_eq!(fred.average(), 1.0);
}

#[test]
fn avgcq_is_the_average_over_active_flows_and_at_least_one() {
    let mut fred = held(12.0, &[2, 1], FredParameters::default());
    assert_eq!(arrive(&mut fred, 0), None);
    assert!((fred.avgcq() - 6.0).abs() < 1e-9);
    assert_eq!(arrive(&mut fred, 2), None);
    assert!((fred.avgcq() - 4.0).abs() < 1e-9);
    fred.average.average = 0.1;
    assert_eq!(arrive(&mut fred, 2), None);
    assert_eq!(fred.avgcq(), 1.0);
}

#[test]
fn a_flows_state_goes_with_its_last_packet() {
    let mut fred = fred(FredParameters { maxq: Some(Threshold::Packets(1)), ..FredParameters::default() });
    (0..4).for_each(|_| _ = arrive(&mut fred, 1));
    assert_eq!((strikes(&mut fred, 1), fred.active), (3, 1));
    fred.dequeue(Time::ZERO, &mut NoOutcomes);
    assert_eq!((strikes(&mut fred, 1), fred.active), (0, 0));
}

#[test]
fn an_unresponsive_flow_is_held_to_its_share_and_a_fragile_one_is_spared() {
    // Four arrivals of one flow, one of another, two departures a round: RED would drop both alike.
    let mut fred = fred(FredParameters { limit: Limit::packets(64), ..FredParameters::default() });
    let (mut sent, mut tally) = ([0u32; 2], Tally::default());
    for round in 0..20_000u32 {
        let now = Time::from_millis(u64::from(round));
        for _ in 0..4 {
            fred.enqueue(packet_of(0, 0, 1000), now, &mut tally);
        }
        if round % 2 == 0 {
            fred.enqueue(packet_of(1, 1, 1000), now, &mut tally);
        }
        for _ in 0..2 {
            let packet = fred.dequeue(now, &mut NoOutcomes).expect("more arrive than leave");
            sent[packet.meta.id as usize] += 1;
        }
    }
    assert!(sent[1] >= 9_990, "{sent:?}");
    assert!(tally.drops.iter().all(|drop| drop.0 == 0), "only the unresponsive flow is dropped");
}

#[test]
fn a_full_buffer_drops() {
    let mut fred = fred(FredParameters { limit: Limit::packets(4), ..FredParameters::default() });
    assert_eq!([(); 4].map(|()| arrive(&mut fred, 1)), [None; 4]);
    assert_eq!(arrive(&mut fred, 2), Some(DropReason::BufferFull));
    assert_eq!((fred.active, fred.slots.len()), (1, 4));
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (key, value, right) in [
        ("min_th", json!("9 kB"), "in packets"),
        ("max_th", json!("16 packets"), "> `min_th` (16 packets), got 16 packets"),
        ("minq", json!("0 packets"), "packets"),
        ("maxq", json!("3 kB"), "packets"),
        ("w_q", json!(0.0), "(0, 1], got 0"),
        ("max_p", json!(1.5), "(0, 1], got 1.5"),
        ("s", json!("0 ms"), "> 0, got 0 s"),
        ("mean_packet", json!("0 bytes"), "1 byte"),
        ("flows", json!(1000), "power of two"),
    ] {
        let (path, message) = build_error(json!({ "kind": "fred", key: value }));
        assert_eq!(path, key);
        assert!(message.contains(right), "{message}");
    }
}
