//! Each rule of De Schepper et al. 2016.

use super::*;
use crate::testing::{build_error, packet, packet_with};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use serde_json::json;

fn pi2(parameters: Pi2Parameters) -> Pi2 {
    Pi2::new(parameters, Seed(1).stream(&["pi2"])).unwrap_or_else(|error| panic!("{error}"))
}

/// Sends `arrivals` packets through a queue at a fixed p'; returns drops, marks and departures.
fn through(parameters: Pi2Parameters, p_prime: f64, ecn: Ecn, arrivals: u32) -> (Tally, Vec<Packet>) {
    let (mut queue, mut tally, mut sent) = (pi2(parameters), Tally::default(), Vec::new());
    queue.p_prime = p_prime;
    for id in 0..arrivals {
        queue.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally);
        sent.extend(queue.dequeue(Time::ZERO, &mut tally));
    }
    (tally, sent)
}

fn both_places() -> [Pi2Parameters; 2] {
    [DecideAt::Enqueue, DecideAt::Dequeue].map(|at| Pi2Parameters {
        at,
        p_cmax: 1.0,
        ..Pi2Parameters::default()
    })
}

#[test]
fn p_prime_follows_the_integral_and_the_proportional_gain() {
    // p' += α (τ - τ₀) + β (τ - τ_old)
    let mut queue = pi2(Pi2Parameters::default());
    queue.enqueue(packet(1, 1000), Time::from_millis(2), &mut NoOutcomes);
    queue.handle_wakeup(Time::from_millis(32), &mut NoOutcomes);
    let first = 0.3125 * 0.010 + 3.125 * 0.030;
    assert!((queue.p_prime() - first).abs() < 1e-12, "{}", queue.p_prime());
    queue.handle_wakeup(Time::from_millis(64), &mut NoOutcomes);
    let second = first + 0.3125 * 0.042 + 3.125 * 0.032;
    assert!((queue.p_prime() - second).abs() < 1e-12, "{}", queue.p_prime());
}

#[test]
fn p_prime_falls_when_the_queue_is_empty_and_stays_within_bounds() {
    let mut queue = pi2(Pi2Parameters::default());
    queue.p_prime = 0.01;
    queue.handle_wakeup(Time::from_millis(32), &mut NoOutcomes);
    assert!((queue.p_prime() - (0.01 - 0.3125 * 0.020)).abs() < 1e-12);
    queue.handle_wakeup(Time::from_millis(64), &mut NoOutcomes);
    assert_eq!(queue.p_prime(), 0.0);
    queue.enqueue(packet(1, 1000), Time::from_millis(64), &mut NoOutcomes);
    queue.handle_wakeup(Time::from_secs(100), &mut NoOutcomes);
    assert_eq!(queue.p_prime(), 1.0);
}

#[test]
fn updates_come_every_t_update() {
    let mut queue = pi2(Pi2Parameters::default());
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(32)));
    queue.handle_wakeup(Time::from_millis(31), &mut NoOutcomes);
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(32)));
    queue.handle_wakeup(Time::from_millis(32), &mut NoOutcomes);
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(64)));
    queue.handle_wakeup(Time::from_secs(1), &mut NoOutcomes);
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(1032)));
}

#[test]
fn classic_packets_are_dropped_with_the_square() {
    for parameters in both_places() {
        let (tally, sent) = through(parameters, 0.3, Ecn::NotEct, 100_000);
        assert!((8_700..9_300).contains(&tally.drops.len()), "{}", tally.drops.len());
        assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::Pi2));
        assert_eq!(sent.len() + tally.drops.len(), 100_000);
    }
}

#[test]
fn classic_ecn_packets_are_marked_with_the_square() {
    for parameters in both_places() {
        let (tally, sent) = through(parameters, 0.3, Ecn::Ect0, 100_000);
        assert!((8_700..9_300).contains(&tally.marks.len()), "{}", tally.marks.len());
        assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::Pi2Classic));
        assert!(tally.drops.is_empty());
        assert_eq!(sent.iter().filter(|p| p.ecn() == Ecn::Ce).count(), tally.marks.len());
    }
}

#[test]
fn scalable_packets_are_marked_with_twice_p_prime() {
    for parameters in both_places() {
        let (tally, _) = through(parameters.clone(), 0.3, Ecn::Ect1, 100_000);
        assert!((59_300..60_700).contains(&tally.marks.len()), "{}", tally.marks.len());
        assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::Pi2Scalable));
        assert!(tally.drops.is_empty());
        // min(1, 2p')
        assert_eq!(through(parameters, 0.6, Ecn::Ect1, 1_000).0.marks.len(), 1_000);
    }
}

#[test]
fn the_classic_probability_is_capped() {
    // RFC 9332 appendix A: p_Cmax = 1/k²
    let (tally, _) = through(Pi2Parameters::default(), 1.0, Ecn::NotEct, 100_000);
    assert!((24_400..25_600).contains(&tally.drops.len()), "{}", tally.drops.len());
}

#[test]
fn without_ecn_every_packet_is_classic_and_dropped() {
    for ecn in [Ecn::Ect0, Ecn::Ect1] {
        let (tally, _) = through(Pi2Parameters { ecn: false, ..Pi2Parameters::default() }, 0.3, ecn, 100_000);
        assert!(tally.marks.is_empty());
        assert!((8_700..9_300).contains(&tally.drops.len()), "{}", tally.drops.len());
    }
}

#[test]
fn the_delay_may_come_from_the_departure_rate() {
    // Little's law: 20 packets of 1,000 bytes at 8 Mbit/s are 20 ms, whatever the head has waited.
    let mut queue = pi2(Pi2Parameters { delay: DelayFrom::Rate, ..Pi2Parameters::default() });
    for id in 0..60 {
        queue.enqueue(packet(id, 1000), Time::ZERO, &mut NoOutcomes);
    }
    for t in 1..=40 {
        queue.dequeue(Time::from_millis(t), &mut NoOutcomes);
    }
    assert_eq!(queue.queueing_delay(Time::from_millis(40)), Duration::from_millis(20));
}

#[test]
fn judged_at_dequeue_a_dropped_packet_gives_way_to_the_next() {
    let mut queue = pi2(Pi2Parameters { at: DecideAt::Dequeue, p_cmax: 1.0, ..Pi2Parameters::default() });
    let mut tally = Tally::default();
    for id in 0..50 {
        queue.enqueue(packet(id, 1000), Time::ZERO, &mut tally);
    }
    assert!(tally.drops.is_empty());
    queue.p_prime = 0.9;
    let sent = queue.dequeue(Time::ZERO, &mut tally).expect("not all of 50 are dropped");
    assert_eq!(sent.meta.id as usize, tally.drops.len());
    queue.p_prime = 1.0;
    assert!(queue.dequeue(Time::ZERO, &mut tally).is_none());
    assert_eq!((queue.backlog(), tally.drops.len()), (Backlog::default(), 49));
}

#[test]
fn defaults_are_those_of_the_paper() {
    let defaults = Pi2Parameters::default();
    assert_eq!((defaults.target, defaults.t_update), (Duration::from_millis(20), Duration::from_millis(32)));
    assert_eq!((defaults.alpha.get(), defaults.beta.get()), (5.0 / 16.0, 50.0 / 16.0));
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: serde_json::Value| build_error(json!({ "kind": "pi2", key: value })).0;
    assert_eq!(error("t_update", json!("0 ms")), "t_update");
    assert_eq!(error("alpha", json!(0.3125)), "alpha");
    assert_eq!(error("beta", json!("-1 Hz")), "beta");
    assert_eq!(error("k", json!(0.0)), "k");
    assert_eq!(error("p_cmax", json!(1.01)), "p_cmax");
    assert_eq!(error("at", json!("somewhere")), "at");
}
