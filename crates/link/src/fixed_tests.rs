//! Tests of the fixed-rate link.

use jettison_core::Duration;
use proptest::prelude::*;

use super::*;

/// Sends `count` packets of one size back to back from `start`; returns when the last one has left.
fn back_to_back(link: &mut FixedRate, count: u64, wire_bytes: u32, start: Time) -> Time {
    let mut now = start;
    for _ in 0..count {
        let at = link.ready_at(now);
        now = link.begin(wire_bytes, at);
    }
    now
}

#[test]
fn a_busy_link_makes_the_next_packet_wait() {
    let mut link = FixedRate::new(Rate::from_mbit(10));
    assert_eq!(link.ready_at(Time::from_millis(1)), Time::from_millis(1));
    let left = link.begin(1250, Time::from_millis(1));
    assert_eq!(left, Time::from_millis(2));
    assert_eq!(link.ready_at(Time::from_micros(1_500)), Time::from_millis(2));
    assert_eq!(link.ready_at(Time::from_millis(5)), Time::from_millis(5));
}

#[test]
fn a_million_packets_end_at_the_ceiling_of_the_exact_sum() {
    for (bits, size) in
        [(7u64, 3u32), (999_999_937, 1514), (10_000_000, 66), (12_345_678_901, 1514), (3_000_000, 1)]
    {
        let mut link = FixedRate::new(Rate::from_bits(bits));
        let end = back_to_back(&mut link, 1_000_000, size, Time::from_secs(1));
        let exact = (u128::from(size) * 8 * 1_000_000_000 * 1_000_000).div_ceil(u128::from(bits));
        assert_eq!(u128::from(end.as_nanos()), 1_000_000_000 + exact, "{size} bytes at {bits} bit/s");
    }
}

#[test]
fn the_remainder_is_dropped_when_the_link_becomes_idle() {
    // 1 byte at 3 bit/s: 2,666,666,666 2/3 ns.
    let mut link = FixedRate::new(Rate::from_bits(3));
    assert_eq!(link.begin(1, Time::ZERO), Time::from_nanos(2_666_666_667));
    assert_eq!(link.begin(1, Time::from_nanos(2_666_666_667)), Time::from_nanos(5_333_333_334));
    assert_eq!(link.begin(1, Time::from_nanos(5_333_333_334)), Time::from_nanos(8_000_000_000));
    let mut idle = FixedRate::new(Rate::from_bits(3));
    idle.begin(1, Time::ZERO);
    assert_eq!(idle.begin(1, Time::from_secs(10)), Time::from_nanos(12_666_666_667));
    assert_eq!(idle.begin(1, Time::from_secs(20)), Time::from_nanos(22_666_666_667));
}

#[test]
fn packets_shorter_than_a_nanosecond_share_one() {
    let mut link = FixedRate::new(Rate::from_bits(10_000_000_000_000));
    // 64 bytes at 10 Tbit/s: 0.0512 ns each.
    assert_eq!(back_to_back(&mut link, 1_000, 64, Time::ZERO), Time::from_nanos(52));
}

#[test]
fn a_packet_continues_at_the_new_rate_after_a_change() {
    let schedule = Schedule::new(
        Rate::from_mbit(10),
        vec![(Time::from_micros(500), Rate::from_mbit(5)), (Time::from_millis(10), Rate::from_mbit(20))],
    )
    .unwrap();
    let mut link = FixedRate::scheduled(schedule);
    // 1,250 bytes: 5,000 bits in the first half millisecond; the other 5,000 take a whole one.
    assert_eq!(link.begin(1250, Time::ZERO), Time::from_micros(1_500));
    assert_eq!(link.begin(1250, Time::from_micros(1_500)), Time::from_micros(3_500));
    assert_eq!(link.begin(1250, Time::from_millis(20)), Time::from_micros(20_500));
    assert_eq!(link.rate(Time::from_millis(1)), Rate::from_mbit(5));
    assert_eq!(link.next_change(Time::from_millis(1)), Some(Time::from_millis(10)));
    assert_eq!(link.next_change(Time::from_millis(10)), None);
}

#[test]
fn rate_zero_is_an_outage() {
    let schedule = Schedule::new(
        Rate::from_mbit(10),
        vec![(Time::from_micros(500), Rate::ZERO), (Time::from_secs(1), Rate::from_mbit(10))],
    )
    .unwrap();
    let mut link = FixedRate::scheduled(schedule.clone());
    assert_eq!(link.begin(1250, Time::ZERO), Time::from_micros(1_000_500));
    let mut idle = FixedRate::scheduled(schedule);
    assert_eq!(idle.ready_at(Time::from_millis(3)), Time::from_secs(1));
    assert_eq!(idle.ready_at(Time::from_millis(4)), Time::from_secs(1));
    assert_eq!(idle.begin(1250, Time::from_secs(1)), Time::from_millis(1_001));
    let mut never = FixedRate::scheduled(
        Schedule::new(Rate::from_mbit(1), vec![(Time::from_nanos(1), Rate::ZERO)]).unwrap(),
    );
    assert_eq!(never.begin(1250, Time::ZERO), Time::MAX);
    assert_eq!(never.ready_at(Time::from_secs(1)), Time::MAX);
}

#[test]
fn capacity_is_the_integral_of_the_rate() {
    let schedule =
        Schedule::new(Rate::from_mbit(8), vec![(Time::from_secs(1), Rate::from_mbit(16))]).unwrap();
    let link = FixedRate::scheduled(schedule);
    assert_eq!(link.capacity(Time::ZERO, Time::from_secs(1)), Bytes::new(1_000_000));
    assert_eq!(link.capacity(Time::from_millis(500), Time::from_millis(1_500)), Bytes::new(1_500_000));
    assert_eq!(link.capacity(Time::from_secs(3), Time::from_secs(3)), Bytes::ZERO);
}

#[test]
fn overhead_is_an_ethernet_header_by_default() {
    assert_eq!(FixedRate::new(Rate::from_mbit(1)).overhead(), 14);
    assert_eq!(FixedRate::new(Rate::from_mbit(1)).with_overhead(2).overhead(), 2);
}

#[test]
fn a_packet_may_exceed_64_bits_of_nanobits() {
    let mut link = FixedRate::new(Rate::from_mbit(10));
    let exact = (u128::from(u32::MAX) * 8_000).div_ceil(10);
    assert_eq!(u128::from(link.begin(u32::MAX, Time::ZERO).as_nanos()), exact);
}

proptest! {
    /// Compares with exact arithmetic in nanobits for arbitrary sizes and rate changes.
    #[test]
    fn a_busy_period_carries_exactly_what_the_rate_allows(
        first in 1u64..20_000_000_000,
        changes in prop::collection::vec((1u64..5_000_000, 1u64..20_000_000_000), 0..6),
        sizes in prop::collection::vec(40u32..1600, 1..200),
    ) {
        let mut at = 0;
        let changes: Vec<(Time, Rate)> = changes
            .into_iter()
            .map(|(gap, bits)| { at += gap; (Time::from_nanos(at), Rate::from_bits(bits)) })
            .collect();
        let schedule = Schedule::new(Rate::from_bits(first), changes).unwrap();
        let mut link = FixedRate::scheduled(schedule.clone());
        let mut now = Time::ZERO;
        let mut work = 0u128;
        for size in sizes {
            prop_assert_eq!(link.ready_at(now), now);
            let left = link.begin(size, now);
            prop_assert!(left >= now);
            now = left;
            work += u128::from(size) * u128::from(NANOBITS);
            let carried = |until: Time| {
                let (mut sum, mut from) = (0u128, Time::ZERO);
                while from < until {
                    let to = schedule.next_change(from).unwrap_or(Time::MAX).min(until);
                    sum += u128::from(schedule.at(from).as_bits()) * u128::from(to.since(from).as_nanos());
                    from = to;
                }
                sum
            };
            // The last bit has left by `now`, and had not one nanosecond earlier.
            prop_assert!(carried(now) >= work);
            prop_assert!(now == Time::ZERO || carried(now - Duration::from_nanos(1)) < work);
        }
    }
}
