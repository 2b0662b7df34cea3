//! ABC's router against §3.1 of its paper.

use jettison_measure::Tally;
use jettison_wire::{Buffer, PacketMeta};
use serde_json::json;

use super::*;
use crate::testing::{build_error, built, packet_with};

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn abc(parameters: serde_json::Value) -> Abc {
    Abc::new(serde_json::from_value(parameters).expect("the parameters are right"))
        .expect("they are in range")
}

/// One packet of 1,000 bytes departs per millisecond (8 Mbit/s) for two seconds, after a sojourn time of `wait` ms, on a
/// link of `mbit` Mbit/s. Returns the fraction of accelerates in the second half.
fn accelerates(parameters: serde_json::Value, mbit: u64, wait: u64) -> f64 {
    let (mut queue, mut tally) = (abc(parameters), Tally::default());
    queue.capacity_changed(Rate::from_mbit(mbit), Time::ZERO);
    let mut count = 0;
    for t in 0..2000 + wait {
        queue.enqueue(packet_with(t as u32, 1000, Ecn::Ect1), ms(t), &mut tally);
        if t >= wait {
            let packet = queue.dequeue(ms(t), &mut tally).expect("one waits");
            count += u32::from(t >= 1000 + wait && packet.ecn() == Ecn::Ect1);
        }
    }
    f64::from(count) / 1000.0
}

fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 0.002
}

#[test]
fn the_fraction_of_accelerates_is_half_of_target_rate_over_dequeue_rate() {
    // §3.1.2, equation 2: senders will send at 2 f times the dequeue rate.
    assert!(close(accelerates(json!({}), 8, 0), 0.49), "{}", accelerates(json!({}), 8, 0));
    assert!(close(accelerates(json!({ "eta": 0.5 }), 8, 0), 0.25));
    assert!(close(accelerates(json!({}), 12, 0), 0.735));
    assert!(close(accelerates(json!({}), 100, 0), 1.0), "at most 1");
}

#[test]
fn the_target_rate_falls_with_the_queueing_delay_above_dt() {
    // §3.1.1, equation 1: tr = η μ − μ/δ (x − dt)⁺.
    assert!(close(accelerates(json!({ "dt": "20 ms" }), 8, 20), 0.49), "not up to dt");
    let expected = (0.98 - 20.0 / 133.0) / 2.0;
    assert!(close(accelerates(json!({ "dt": "20 ms" }), 8, 40), expected));
    assert!(close(accelerates(json!({ "dt": "0 ms", "delta": "100 ms" }), 8, 49), 0.245));
    assert_eq!(accelerates(json!({ "dt": "20 ms" }), 8, 160), 0.0, "and is never below zero");
}

#[test]
fn a_link_without_capacity_gets_brakes_only() {
    assert_eq!(accelerates(json!({}), 0, 0), 0.0);
}

#[test]
fn an_accelerate_takes_a_token_and_becomes_a_brake_without_one() {
    // With f = 1/2 accelerates and brakes take turns: f is spread evenly, not drawn.
    let (mut queue, mut tally) = (abc(json!({ "eta": 1.0, "window": "10 ms" })), Tally::default());
    queue.capacity_changed(Rate::from_mbit(8), Time::ZERO);
    let mut pattern = String::new();
    for t in 0..200 {
        let packet =
            queue.pass(packet_with(t as u32, 1000, Ecn::Ect1), ms(t), &mut tally).expect("it passes");
        if t >= 180 {
            pattern.push(if packet.ecn() == Ecn::Ect1 { 'a' } else { 'b' });
        }
    }
    assert!(pattern.contains("abab") && !pattern.contains("aa") && !pattern.contains("bb"), "{pattern}");
    assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::AbcBrake));
}

#[test]
fn tokens_accumulate_up_to_the_token_limit() {
    let (mut queue, mut tally) = (abc(json!({ "token_limit": 3.0 })), Tally::default());
    queue.capacity_changed(Rate::from_mbit(1000), Time::ZERO);
    // Brakes add tokens and take none.
    for t in 0..100 {
        queue.pass(packet_with(0, 1000, Ecn::Ect0), ms(t), &mut tally);
    }
    queue.capacity_changed(Rate::ZERO, ms(100));
    let sent = (0..10).filter(|t| {
        let passed = queue.pass(packet_with(0, 1000, Ecn::Ect1), ms(100 + t), &mut tally);
        passed.is_some_and(|packet| packet.ecn() == Ecn::Ect1)
    });
    assert_eq!(sent.count(), 2, "a token is taken only from a balance above 1");
}

#[test]
fn only_accelerates_are_changed() {
    let (mut queue, mut tally) = (abc(json!({})), Tally::default());
    queue.capacity_changed(Rate::ZERO, Time::ZERO);
    for (t, ecn) in [Ecn::NotEct, Ecn::Ect0, Ecn::Ce, Ecn::Ect1].into_iter().enumerate() {
        let mut packet = packet_with(t as u32, 1000, ecn);
        packet.meta.traffic_class |= 46 << 2;
        let passed = queue.pass(packet, ms(t as u64), &mut tally).expect("it passes");
        assert_eq!(passed.ecn(), if ecn == Ecn::Ect1 { Ecn::Ect0 } else { ecn });
        assert_eq!(passed.dscp(), 46);
    }
    assert_eq!(tally.marks, [(3, MarkReason::AbcBrake, ms(3))]);
}

#[test]
fn the_bytes_of_a_captured_packet_carry_the_brake_too() {
    let mut bytes = vec![0; 28];
    (bytes[0], bytes[1]) = (0x45, Ecn::Ect1 as u8);
    let meta = PacketMeta { length: 28, traffic_class: Ecn::Ect1 as u8, ..PacketMeta::default() };
    let (mut queue, mut tally) = (abc(json!({})), Tally::default());
    queue.capacity_changed(Rate::ZERO, Time::ZERO);
    let packet = Packet { meta, body: Body::Buffer(Box::new(Buffer { bytes, ..Buffer::default() })) };
    let passed = queue.pass(packet, Time::ZERO, &mut tally).expect("it passes");
    let Body::Buffer(buffer) = &passed.body else { panic!("still a buffer") };
    assert_eq!((passed.ecn(), buffer.bytes[1]), (Ecn::Ect0, Ecn::Ect0 as u8));
}

#[test]
fn the_dequeue_rate_is_over_a_sliding_window() {
    let mut departures = Departures::default();
    for t in 0..100 {
        departures.departed(1000, Duration::from_millis(50), ms(t));
    }
    assert_eq!(departures.bytes, 50_000);
    departures.departed(10, Duration::from_millis(50), ms(500));
    assert_eq!(departures.bytes, 10);
}

#[test]
fn the_capacity_is_measured_on_request_or_without_a_report() {
    for (parameters, told) in [(json!({ "capacity": "departures" }), true), (json!({}), false)] {
        let mut queue = abc(parameters);
        if told {
            queue.capacity_changed(Rate::from_mbit(80), Time::ZERO);
        }
        let mut tally = Tally::default();
        (0..200).for_each(|id| queue.enqueue(packet_with(id, 1000, Ecn::Ect1), Time::ZERO, &mut tally));
        for t in 0..100 {
            assert!(queue.dequeue(ms(300 + t), &mut tally).is_some());
        }
        assert_eq!(queue.capacity(ms(400)), Some(8e6));
        assert!(tally.marks.len() > 80, "{}: the delay is far above dt", tally.marks.len());
    }
    // Before five departures the capacity is unknown, and only the token rule makes a brake.
    let (mut queue, mut tally) = (abc(json!({})), Tally::default());
    (0..10).for_each(|id| queue.enqueue(packet_with(id, 1000, Ecn::Ect1), Time::ZERO, &mut tally));
    (1..=5).for_each(|t| assert!(queue.dequeue(ms(200 * t), &mut tally).is_some()));
    assert_eq!(tally.marks.len(), 1, "the first token is not above 1");
}

#[test]
fn the_buffers_limit_drops_at_the_tail() {
    let (mut queue, mut tally) = (built(json!({ "kind": "abc", "limit": "2 packets" })), Tally::default());
    (0..3).for_each(|id| queue.enqueue(packet_with(id, 1000, Ecn::Ect1), Time::ZERO, &mut tally));
    assert_eq!(tally.drops, [(2, DropReason::BufferFull, Time::ZERO)]);
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (key, value) in [
        ("eta", json!(0.0)),
        ("eta", json!(1.1)),
        ("delta", json!("0 s")),
        ("window", json!("0 s")),
        ("token_limit", json!(1.0)),
    ] {
        let mut table = json!({ "kind": "abc" });
        table[key] = value;
        assert_eq!(build_error(table).0, key);
    }
}
