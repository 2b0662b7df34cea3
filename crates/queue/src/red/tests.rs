//! Each rule of Floyd & Jacobson 1993.

use super::*;
use crate::testing::{build_error, built, packet, packet_with};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Ecn;
use serde_json::json;

fn red(parameters: RedParameters) -> Red {
    Red::new(parameters, Seed(1).stream(&["red"])).unwrap_or_else(|error| panic!("{error}"))
}

/// A queue of `backlog` packets of 1,000 bytes with a constant average of that size: w_q is tiny.
fn held_at(backlog: u32, parameters: RedParameters) -> Red {
    let mut red = red(RedParameters { w_q: 1e-12, ..parameters });
    (0..backlog).for_each(|id| red.fifo.push(packet(id, 1000), Time::ZERO));
    red.state.average = red.parameters.min_th.measure(red.fifo.backlog()) as f64;
    red
}

/// Decides on `arrivals` packets of `length` bytes at a constant average; returns the fraction signalled.
fn share_signalled(red: &mut Red, length: u16, arrivals: u32) -> f64 {
    let signalled = (0..arrivals).filter(|_| red.decide(length) != RedDecision::Pass).count();
    signalled as f64 / f64::from(arrivals)
}

#[test]
fn the_average_is_a_low_pass_filter_of_the_backlog() {
    // §4, figure 2: avg <- (1 - w_q) avg + w_q q, before the arrival is queued.
    let mut red = red(RedParameters { w_q: 0.25, ..RedParameters::default() });
    let mut expected = 0.0;
    for (id, queue) in (0..4).enumerate() {
        red.enqueue(packet(id as u32, 1000), Time::ZERO, &mut NoOutcomes);
        expected = 0.75 * expected + 0.25 * f64::from(queue);
    }
    assert_eq!(red.average(), expected);
}

#[test]
fn an_idle_period_counts_as_a_number_of_small_packets() {
    // §4: m <- (time - q_time) / s; avg <- (1 - w_q)^m avg
    let parameters =
        RedParameters { w_q: 0.5, s: Some(Duration::from_millis(1)), ..RedParameters::default() };
    let mut red = red(parameters);
    red.state.average = 8.0;
    red.state.q_time = Time::from_millis(10);
    red.enqueue(packet(1, 1000), Time::from_millis(13), &mut NoOutcomes);
    assert_eq!(red.average(), 1.0);
}

#[test]
fn s_defaults_to_a_mean_packet_at_the_links_rate() {
    let mut red = red(RedParameters { w_q: 0.5, ..RedParameters::default() });
    red.capacity_changed(Rate::from_mbit(4), Time::ZERO);
    assert_eq!(red.s, Some(Duration::from_millis(1)));
    red.state.average = 8.0;
    red.enqueue(packet(1, 1000), Time::from_millis(2), &mut NoOutcomes);
    assert_eq!(red.average(), 2.0);
}

#[test]
fn q_time_is_when_the_queue_ran_empty() {
    // §4, figure 2: "when queue becomes empty, q_time <- time"
    let mut red =
        red(RedParameters { w_q: 0.5, s: Some(Duration::from_millis(1)), ..RedParameters::default() });
    red.enqueue(packet(1, 1000), Time::ZERO, &mut NoOutcomes);
    red.enqueue(packet(2, 1000), Time::ZERO, &mut NoOutcomes);
    assert_eq!(red.average(), 0.5);
    red.dequeue(Time::from_millis(1), &mut NoOutcomes);
    red.dequeue(Time::from_millis(5), &mut NoOutcomes);
    red.dequeue(Time::from_millis(6), &mut NoOutcomes);
    red.enqueue(packet(3, 1000), Time::from_millis(7), &mut NoOutcomes);
    assert_eq!(red.average(), 0.125);
}

#[test]
fn below_the_minimum_threshold_nothing_is_signalled() {
    // §4
    assert_eq!(share_signalled(&mut held_at(4, RedParameters::default()), 1000, 10_000), 0.0);
}

#[test]
fn at_the_maximum_threshold_every_arrival_is_signalled() {
    // §4
    let mut red = held_at(15, RedParameters::default());
    let mut tally = Tally::default();
    for id in 0..5 {
        red.enqueue(packet(id, 1000), Time::ZERO, &mut tally);
    }
    assert_eq!(tally.drops.len(), 5);
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::RedForced));
}

#[test]
fn between_the_thresholds_the_gaps_are_uniform() {
    // §7, method 2: with p_b = 0.1, the number of arrivals to the next signal is uniform on 1..=10.
    let mut red = held_at(10, RedParameters { max_p: 0.2, ..RedParameters::default() });
    let (mut gap, mut gaps) = (0usize, [0u32; 11]);
    for _ in 0..220_000 {
        gap += 1;
        if red.decide(1000) == RedDecision::Early {
            gaps[gap] += 1;
            gap = 0;
        }
    }
    let signals: u32 = gaps.iter().sum();
    assert!((39_500..40_500).contains(&signals), "one in 5.5: {signals}");
    assert!(gaps[1..].iter().all(|&n| (3_700..4_300).contains(&n)), "{gaps:?}");
}

#[test]
fn the_count_starts_anew_below_the_minimum_threshold() {
    // §4, figure 2: "else count <- -1"
    let mut red = held_at(10, RedParameters::default());
    red.state.count = 40;
    red.state.average = 4.0;
    red.decide(1000);
    assert_eq!(red.state.count, 0);
}

#[test]
fn a_queue_in_bytes_signals_large_packets_more_often() {
    // §7: p_b <- p_b · PacketSize / MaximumPacketSize
    let parameters = RedParameters {
        min_th: Threshold::Bytes(5_000),
        max_th: Threshold::Bytes(15_000),
        max_p: 0.04,
        ..RedParameters::default()
    };
    // p_b is 0.02 for a full packet: one in (1 + 1/0.02)/2.
    let full = share_signalled(&mut held_at(10, parameters.clone()), 1500, 200_000);
    let small = share_signalled(&mut held_at(10, parameters), 150, 200_000);
    assert!((full * 25.5 - 1.0).abs() < 0.05, "{full}");
    assert!((small * 250.5 - 1.0).abs() < 0.1, "{small}");
}

#[test]
fn a_queue_in_packets_signals_all_sizes_alike() {
    // §7
    let large = share_signalled(&mut held_at(10, RedParameters::default()), 1500, 50_000);
    let small = share_signalled(&mut held_at(10, RedParameters::default()), 40, 50_000);
    assert_eq!(large, small);
}

#[test]
fn gentle_grows_from_max_p_to_one_up_to_twice_the_maximum_threshold() {
    // Floyd 2000
    let gentle = || RedParameters { gentle: true, max_p: 0.1, ..RedParameters::default() };
    // At max_th p_b is max_p: one in (1 + 10)/2. Just below twice max_th nearly all; from there on all, forced.
    let at_max = share_signalled(&mut held_at(15, gentle()), 1000, 100_000);
    assert!((at_max * 5.5 - 1.0).abs() < 0.03, "{at_max}");
    assert!(share_signalled(&mut held_at(29, gentle()), 1000, 10_000) > 0.9);
    assert_ne!(held_at(29, gentle()).decide(1000), RedDecision::Forced);
    assert_eq!(held_at(30, gentle()).decide(1000), RedDecision::Forced);
}

#[test]
fn marks_ecn_capable_packets_and_drops_the_others() {
    // §4: "marked" may be a bit in the header or a drop.
    for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::Ect1, true), (Ecn::NotEct, false)] {
        let mut red = held_at(10, RedParameters { ecn: true, max_p: 1.0, ..RedParameters::default() });
        let mut tally = Tally::default();
        for id in 0..40 {
            red.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally);
        }
        assert_eq!((tally.marks.is_empty(), tally.drops.is_empty()), (!marked, marked), "{ecn:?}");
    }
}

#[test]
fn above_the_maximum_threshold_ecn_marks_or_drops_as_told() {
    for (mark_above_max, marks, drops) in [(true, 3, 0), (false, 0, 3)] {
        let mut red = held_at(20, RedParameters { ecn: true, mark_above_max, ..RedParameters::default() });
        let mut tally = Tally::default();
        for id in 0..3 {
            red.enqueue(packet_with(id, 1000, Ecn::Ect0), Time::ZERO, &mut tally);
        }
        assert_eq!((tally.marks.len(), tally.drops.len()), (marks, drops));
    }
}

#[test]
fn above_the_maximum_threshold_a_random_packet_goes_and_the_arrival_stays() {
    let parameters = RedParameters { victim: Victim::Random, ..RedParameters::default() };
    let mut red = held_at(19, parameters);
    let (mut tally, mut arrivals) = (Tally::default(), 0);
    for id in 19..20_019 {
        let before = tally.drops.len();
        red.enqueue(packet(id, 1000), Time::ZERO, &mut tally);
        assert_eq!((tally.drops.len(), red.fifo.backlog().packets), (before + 1, 19));
        arrivals += u32::from(tally.drops[before].0 == id);
    }
    // One in 20 is the arrival itself; the order of the others is unchanged.
    assert!((900..1_100).contains(&arrivals), "{arrivals}");
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::RedForced));
    let left: Vec<u32> =
        std::iter::from_fn(|| red.dequeue(Time::ZERO, &mut tally)).map(|p| p.meta.id).collect();
    assert!(left.len() == 19 && left.is_sorted());
    assert_eq!(red.fifo.backlog(), Backlog::default());
}

#[test]
fn between_the_thresholds_the_arrival_goes_whoever_the_victim_is_above() {
    let parameters = RedParameters { victim: Victim::Random, max_p: 1.0, ..RedParameters::default() };
    let mut red = held_at(10, parameters);
    let mut tally = Tally::default();
    for id in 100..140 {
        red.enqueue(packet(id, 1000), Time::ZERO, &mut tally);
    }
    assert!(tally.drops.len() > 10);
    assert!(tally.drops.iter().all(|drop| drop.0 >= 100 && drop.1 == DropReason::RedEarly));
}

#[test]
fn a_random_victim_that_is_ecn_capable_is_marked_where_it_is() {
    for (mark_above_max, marks) in [(true, true), (false, false)] {
        let parameters = RedParameters {
            ecn: true,
            mark_above_max,
            victim: Victim::Random,
            limit: Limit::packets(40),
            ..RedParameters::default()
        };
        let mut red = red(RedParameters { w_q: 1e-12, ..parameters });
        (0..20).for_each(|id| red.fifo.push(packet_with(id, 1000, Ecn::Ect0), Time::ZERO));
        red.state.average = 20.0;
        let mut tally = Tally::default();
        for id in 20..40 {
            red.enqueue(packet_with(id, 1000, Ecn::Ect0), Time::ZERO, &mut tally);
        }
        assert_eq!((tally.marks.is_empty(), tally.drops.is_empty()), (!marks, marks));
        let mut marked = Vec::new();
        while let Some(packet) = red.dequeue(Time::ZERO, &mut tally) {
            marked.extend((packet.ecn() == Ecn::Ce).then_some(packet.meta.id));
        }
        let mut reported: Vec<u32> = tally.marks.iter().map(|mark| mark.0).collect();
        reported.sort_unstable();
        reported.dedup();
        assert_eq!(marked, reported);
    }
}

#[test]
fn an_arrival_that_does_not_fit_in_the_victims_place_is_dropped_itself() {
    let parameters =
        RedParameters { victim: Victim::Random, limit: Limit::bytes(20_000), ..RedParameters::default() };
    let mut red = held_at(20, parameters);
    let mut tally = Tally::default();
    for id in 20..60 {
        red.enqueue(packet(id, 1001), Time::ZERO, &mut tally);
    }
    let ids: Vec<u32> = tally.drops.iter().map(|drop| drop.0).collect();
    assert_eq!(ids, (20..60).collect::<Vec<u32>>());
    red.enqueue(packet(60, 1000), Time::ZERO, &mut tally);
    assert_eq!((tally.drops.len(), red.fifo.backlog().bytes), (41, 20_000));
}

#[test]
fn a_full_buffer_drops_and_does_not_mark() {
    let parameters = RedParameters { ecn: true, limit: Limit::packets(20), ..RedParameters::default() };
    let mut red = held_at(20, parameters);
    let mut tally = Tally::default();
    red.enqueue(packet_with(1, 1000, Ecn::Ect0), Time::ZERO, &mut tally);
    assert_eq!((tally.marks.len(), tally.drops[0].1), (0, DropReason::BufferFull));
}

#[test]
fn defaults_are_those_of_the_papers_simulations() {
    // §5
    let defaults = RedParameters::default();
    assert_eq!((defaults.min_th, defaults.max_th), (Threshold::Packets(5), Threshold::Packets(15)));
    assert_eq!((defaults.w_q, defaults.max_p, defaults.victim), (0.002, 1.0 / 50.0, Victim::Arrival));
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: serde_json::Value| build_error(json!({ "kind": "red", key: value })).0;
    assert_eq!(error("max_th", json!("5 packets")), "max_th");
    assert_eq!(error("max_th", json!("15 kB")), "max_th");
    assert_eq!(error("w_q", json!(0.0)), "w_q");
    assert_eq!(error("max_p", json!(1.5)), "max_p");
    assert_eq!(error("s", json!("0 ms")), "s");
    assert_eq!(error("mean_packet", json!("0 bytes")), "mean_packet");
    let bytes = json!({ "kind": "red", "min_th": "7500 bytes", "max_th": "22500 bytes", "gentle": true });
    assert_eq!(built(bytes).backlog(), Backlog::default());
}
